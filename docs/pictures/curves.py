"""Draw docs/pictures/curves.svg: what releases cost together. Run: python docs/pictures/curves.py."""

from collections.abc import Iterable
from math import log10

from drawing import BLUE, GREY, RED, line, page, text, write
from gmpy2 import mpq

from finitedp import PrivacyClaim, compose
from finitedp.impl.histograms.dyadic import basic_histogram_with_dyadic_sample

EPSILON, DELTA, ROWS = mpq(1, 10), mpq(1, 10**6), 1000
TIMES = (1, 10, 100, 1000)
LOWEST = 12  # the least delta that is shown is 10 to minus this
LEFT, WIDE, TALL = 56, 380, 170  # of a panel, in pixels
Point = tuple[float, float]


def curve(points: Iterable[Point], colour: str, dashes: str = "") -> str:
    """A line through points in pixels."""
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{through}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'


def across(value: float, least: float, decades: int) -> float:
    """Of a number, from the left: logarithmic."""
    return LEFT + WIDE * log10(value / least) / decades


def axis(least: float, decades: int, top: float) -> list[str]:
    """Powers of ten below a panel, and lines upwards."""
    ticks = [(across(least * 10**i, least, decades), f"{least * 10**i:g}") for i in range(decades + 1)]
    return [part for x, words in ticks for part in (line(x, top, x, top + TALL, "#ddd"), text(x, top + TALL + 16, words, 11))]


def deltas(claim: PrivacyClaim, top: float) -> list[str]:
    """Delta at every epsilon of 1 to 1000 releases, until it is below the least that is shown."""
    parts = axis(0.01, 4, top)
    parts += [text(50, top + 4 + TALL * i / 4, f"1e-{3 * i}" if i else "1", 11, "end") for i in range(5)]
    for times in TIMES:
        together, points = compose([(claim, times)]), list[Point]()
        for i in range(4 * 40 + 1):
            epsilon = mpq(round(10 ** (i / 40 + 4)), 10**6)
            delta = float(together.delta(epsilon)[1])
            if delta < 10**-LOWEST:
                break
            points.append((across(float(epsilon), 0.01, 4), top - TALL * log10(delta) / LOWEST))
        x, y = points[-1]
        parts += [curve(points, BLUE), text(x + 5, y, f"{times}", 11, "start", f'fill="{BLUE}"')]
    return parts


def epsilons(claim: PrivacyClaim, top: float) -> list[str]:
    """Epsilon of 1 to 1000 releases at one delta: the sum, what epsilon alone says, and what the law says."""
    alone = PrivacyClaim(claim.epsilon, claim.neighbours)
    parts = axis(1, 3, top)
    parts += [text(50, top + 4 + TALL * i / 3, f"{10 ** (2 - i):g}", 11, "end") for i in range(4)]
    many = sorted({round(10 ** (i / 8)) for i in range(25)})

    def height(epsilon: float) -> float:
        return top + TALL * (2 - log10(epsilon)) / 3

    for what, colour, dashes in ((None, GREY, "5 4"), (alone, RED, ""), (claim, BLUE, "")):
        points = [
            (across(k, 1, 3), height(float(k * EPSILON if what is None else compose([(what, k)]).epsilon(DELTA)[1])))
            for k in many
        ]
        parts.append(curve(points, colour, dashes))
    return parts


def picture() -> str:
    """Both panels."""
    claim = basic_histogram_with_dyadic_sample(["yes", "no"], ROWS, EPSILON).claim(None)
    legend = (
        (GREY, "dashed: the sum of the epsilons"),
        (RED, "the curve of the epsilon alone (randomized response)"),
        (BLUE, "the curve of the mechanism's exact law"),
    )
    parts = [
        text(14, 22, "Delta at every epsilon, of 1 to 1000 releases", 14, "start"),
        *deltas(claim, 40),
        text(14, 268, "Epsilon of so many releases, at delta = 1e-6", 14, "start"),
        *(text(70, 302 + 16 * i, words, 11, "start", f'fill="{colour}"') for i, (colour, words) in enumerate(legend)),
        *epsilons(claim, 286),
        text(14, 502, "Each release: a histogram, one row replaced, epsilon = 1/10. Proved upper bounds;", 11, "start"),
        text(14, 518, "the lower ones lie on the same lines.", 11, "start"),
    ]
    return page(460, 534, "Composition: delta at every epsilon, and epsilon of many releases", parts)


if __name__ == "__main__":
    write(__file__, picture())
