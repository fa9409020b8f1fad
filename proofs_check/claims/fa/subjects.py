"""What the claims on flexible accuracy share: small laws on three points, distances between them, and histograms."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, combinations
from random import Random
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.ledger.entry import Cases, in_scope
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible.literal import Histogram, Scale
from finitedp.spec.flexible.lossy_wasserstein import absolute, lossy_infinity
from finitedp.spec.pmf import Pmf

Masses = tuple[int, ...]

POINTS = (0, 1, 3)
"""Three points of the line with three distances, 1, 2 and 3."""

DISTANCES = tuple(tuple(mpq(abs(a - b)) for b in POINTS) for a in POINTS)


class Lossy(NamedTuple):
    """Two laws on POINTS, as integers of one sum, and how much may be lost."""

    p: Masses
    q: Masses
    gamma: mpq

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        in_scope(len(self.p) == len(self.q) == len(POINTS) and min(*self.p, *self.q) >= 0, "weights for each point")
        in_scope(sum(self.p) == sum(self.q) > 0, "laws of the same denominator")
        in_scope(0 <= self.gamma < 1, "a loss in [0, 1)")


@cache
def masses(total: int, points: int = 3) -> tuple[Masses, ...]:
    """All laws on so many points whose probabilities are multiples of 1/total."""
    if points == 1:
        return ((total,),)
    return tuple((first, *rest) for first in range(total + 1) for rest in masses(total - first, points - 1))


def lossy_cases(total: int, *, firsts: int | None = None) -> list[Lossy]:
    """All pairs of laws with every loss that is a multiple of 1/total below 1; `firsts` takes only every so-manieth P."""
    lost = [mpq(k, total) for k in range(total)]
    return [Lossy(p, q, g) for p in masses(total)[:: firsts or 1] for q in masses(total) for g in lost]


def law(weights: Sequence[int]) -> Pmf[int]:
    """The law on POINTS with these weights."""
    return Pmf(dict(zip(POINTS, weights, strict=True)))


@cache
def wasserstein(p: Masses, q: Masses, gamma: mpq | int = 0) -> mpq:
    """W_gamma^infinity of two laws on POINTS, by flows."""
    found = lossy_infinity(law(p), law(q), absolute, gamma).value
    assert found is not None  # noqa: S101  # distances on the line are finite
    return found


def variation(p: Sequence[mpq | int], q: Sequence[mpq | int]) -> mpq:
    """The total variation distance of two vectors of masses, not normalised."""
    return sum((abs(mpq(a) - b) for a, b in zip(p, q, strict=True)), mpq(0)) / 2


def neighbouring(bars: int, items: int) -> Iterator[tuple[Histogram, Histogram]]:
    """Each histogram with fewer than so many items, beside each one that has one item more."""
    for x in small_histograms(bars, items - 1):
        for i in range(bars):
            yield x, (*x[:i], x[i] + 1, *x[i + 1 :])


@cache
def small_histograms(bars: int, items: int) -> tuple[Histogram, ...]:
    """All histograms of so many bars with at most so many items."""
    if bars == 0:
        return ((),)
    return tuple((c, *rest) for c in range(items + 1) for rest in small_histograms(bars - 1, items - c))


def worst_delta(p: Pmf[Histogram], q: Pmf[Histogram], ratio: mpq) -> mpq:
    """The larger hockey-stick divergence of the two directions."""
    return max(hockey_stick(p, q, ratio).delta, hockey_stick(q, p, ratio).delta)


def subsets(points: Sequence[int]) -> list[tuple[int, ...]]:
    """All subsets, the empty one first."""
    return list(chain.from_iterable(combinations(points, size) for size in range(len(points) + 1)))


SCALES = tuple(Scale(root, 4) for root in (mpq(2), mpq(3, 2), mpq(5, 4), mpq(9, 8)))
"""Ratios e^epsilon = 16, 81/16, 625/256 and 6561/4096, with rational fourth roots."""


PAIRS = Cases(lambda: lossy_cases(3, firsts=3), lambda: lossy_cases(4))
LAWS = Cases(lambda: masses(3), lambda: masses(4))


def marginals(phi: Mapping[Any, mpq]) -> tuple[list[mpq], list[mpq]]:
    """Both marginals of a coupling on POINTS, by position."""
    rows, columns = [mpq(0)] * 3, [mpq(0)] * 3
    for (i, j), mass in phi.items():
        rows[i], columns[j] = rows[i] + mass, columns[j] + mass
    return rows, columns


def farthest(phi: Mapping[Any, mpq]) -> mpq:
    """The largest distance of a pair that has mass."""
    used: list[mpq] = [DISTANCES[i][j] for (i, j), mass in phi.items() if mass]
    return max(used)


def bottleneck(x: Mapping[mpq, int], y: Mapping[mpq, int]) -> mpq:
    """d_hist: W^inf of the shares."""
    found = lossy_infinity(Pmf(x), Pmf(y), absolute).value
    assert found is not None  # noqa: S101  # distances on the line are finite
    return found


class Two(NamedTuple):
    """On POINTS: maps f1 and f2, and mechanisms M1 and M2 as weights for each point."""

    f1: tuple[int, int, int]
    f2: tuple[int, int, int]
    m1: tuple[Masses, Masses, Masses]
    m2: tuple[Masses, Masses, Masses]

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        for of in (self.f1, self.f2):
            in_scope(len(of) == len(POINTS) and set(of) <= set(POINTS), "maps of the points")
        for laws in (self.m1, self.m2):
            in_scope(len(laws) == len(POINTS), "a law for each point")
            in_scope(all(len(x) == len(POINTS) and min(x) >= 0 and sum(x) == sum(laws[0]) > 0 for x in laws), "laws")


def seeded(count: int, seed: int) -> list[Two]:
    """Seeded tables of maps and mechanisms, laws in halves."""
    draw = Random(seed)  # noqa: S311  # instances, not noise

    def one_map() -> tuple[int, int, int]:
        a, b, c = (draw.choice(POINTS) for _ in range(3))
        return a, b, c

    def mechanism() -> tuple[Masses, Masses, Masses]:
        a, b, c = (draw.choice(masses(2)) for _ in range(3))
        return a, b, c

    return [Two(one_map(), one_map(), mechanism(), mechanism()) for _ in range(count)]
