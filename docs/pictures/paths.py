"""Draw docs/pictures/paths.svg: how runs of a small program become its exact law. Run: python docs/pictures/paths.py."""

import inspect
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from drawing import BLUE, RED, line, page, text, write


def response(bit, coins):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, D103  # it is shown as anybody would write it
    if coins.uniform(2) == 1:
        return bit
    return coins.uniform(3) - 1


class _Told:
    """Coins whose draws are told beforehand; the first draw beyond them ends the run."""

    def __init__(self, draws: list[int]) -> None:
        self.draws, self.next, self.asked = draws, 0, 0

    def uniform(self, d: int) -> int:
        """The next draw from 1..d."""
        self.next += 1
        if self.next > len(self.draws):
            self.asked = d
            raise EOFError
        return self.draws[self.next - 1]


def paths(draws: list[int], mass: Fraction) -> Iterator[tuple[list[int], Fraction, int]]:
    """Each path that begins with these draws: its draws, its probability, and what it returns at the input 1."""
    coins = _Told(draws)
    try:
        yield draws, mass, response(1, coins)
    except EOFError:
        for value in range(1, coins.asked + 1):
            yield from paths([*draws, value], mass / coins.asked)


def picture() -> str:
    """The program, the tree of its paths from left to right, and the law below."""
    source = [row.split("  #")[0] for row in inspect.getsource(response).splitlines()]
    parts = [
        text(14, 22 + 17 * i, row, 13, "start", 'fill="#222" font-family="monospace" xml:space="preserve"')
        for i, row in enumerate(source)
    ]
    ends = list(paths([], Fraction(1)))
    places: dict[tuple[int, ...], list[float]] = {}
    for i, (draws, _, _) in enumerate(ends):
        for depth in range(len(draws) + 1):
            places.setdefault(tuple(draws[:depth]), []).append(118 + 44 * i)
    spots = {node: (24 + 130 * len(node), sum(ys) / len(ys)) for node, ys in places.items()}
    for node, (x, y) in spots.items():
        if node:
            left, top = spots[node[:-1]]
            parts += [line(left, top, x, y), text((left + x) / 2, (top + y) / 2 - 5, f"draw {node[-1]}", 11)]
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{BLUE}"/>')
    law: Counter[int] = Counter()
    for draws, mass, output in ends:
        x, y = spots[tuple(draws)]
        parts.append(text(x + 10, y + 4, f"returns {output}, probability {mass}", 12, "start", f'fill="{RED}"'))
        law[output] += mass  # type: ignore[assignment]  # a sum of fractions
    told = ", ".join(f"P[{output}] = {law[output]}" for output in sorted(law))
    height = 118 + 44 * len(ends)
    parts.append(text(14, height, f"The law at the input 1: {told}", 13, "start"))
    return page(460, height + 16, "The paths of a small program, and its exact law", parts)


if __name__ == "__main__":
    write(__file__, picture())
