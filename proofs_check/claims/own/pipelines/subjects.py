"""Programs that draw noise, as their paths, made here without the explorer: trees of comparisons with labels at the leaves."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import sign_of_exponentials
from finitedp.proofs_check.engine.noise.rows import contradiction, row_of
from finitedp.proofs_check.pipeline_certificate import Path, Region, Row, Sum, opposite, probability, supports

Law = Mapping[Any, Sum]


def drawn(kind: str, forks: int = 0) -> tuple[str, tuple[()], int, str, mpq]:
    """A draw of a path, after so many answers."""
    return kind, (), forks, "", mpq(1)


class Program(NamedTuple):
    """A tree made of a seed: noisy values of a count, a + b count + scale * draw, are compared with each other and numbers.

    kinds: the laws of its draws. coin: the probabilities at 0 and 1 of a discrete draw, which is told beside the label.
    """

    seed: int
    kinds: tuple[str, ...]
    coin: tuple[mpq, mpq] | None = None

    def paths(self, count: int) -> tuple[Path, ...]:
        """Its paths at a count."""
        pick = random.Random(self.seed)  # noqa: S311  # instances are reproducible
        forms = [
            (((k, mpq(pick.choice([1, 2, 4]))),), mpq(pick.randint(-1, 2) + pick.choice([-1, 0, 1, 1]) * count))
            for k in range(len(self.kinds))
        ]
        draws = tuple(map(drawn, self.kinds))
        found = list[Path]()

        def grow(rows: tuple[Row, ...], answers: str, depth: int) -> None:
            if not depth or pick.random() < 0.15:
                label = pick.choice("abc")
                if contradiction((*supports(dict(enumerate(self.kinds))), *rows)) is None:
                    for value, weight in self._coin(count):
                        found.append(Path(draws, rows, answers, (label, value), (), weight))
                return
            left, right, other = pick.choice(forms), pick.choice([None, *forms]), pick.randint(-1, 2)
            apart, constant = ((), mpq(other)) if right is None or right == left else right
            row = row_of((tuple(sorted((*left[0], *((k, -v) for k, v in apart)))), left[1] - constant))
            grow((*rows, row), answers + "y", depth - 1)
            grow((*rows, opposite(row)), answers + "n", depth - 1)

        grow((), "", pick.randint(1, 3))
        return tuple(found)

    def _coin(self, count: int) -> Iterable[tuple[bool | None, mpq]]:
        if self.coin is None:
            return [(None, mpq(1))]
        return [(True, self.coin[count]), (False, 1 - self.coin[count])]


def law_of(regions: Sequence[Region]) -> Law:
    """The probability of each output."""
    found = dict[Any, dict[mpq, mpq]]()
    for region in regions:
        mass = probability(region.kinds, region.rows)
        assert mass is not None  # noqa: S101  # such programs are made
        total = found.setdefault(region.shape, {})
        for x, c in mass.items():
            total[x] = total.get(x, mpq(0)) + c * region.weight
    return {x: {y: c for y, c in total.items() if c} for x, total in found.items()}


def excess(left: Sum, right: Sum, factor: mpq, exponent: mpq) -> int:
    """The sign of P - factor * e^exponent * P'."""
    return sign_of_exponentials([*((c, x) for x, c in left.items()), *((-factor * c, x + exponent) for x, c in right.items())])
