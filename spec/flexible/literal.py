"""Steps of the paper on flexible accuracy as they are printed, right or wrong, for the ledger to run.

e^epsilon is a rational E with rational roots: a Scale is a root g and a number m with E = g^m, so that e^(epsilon x) is a
rational for every multiple x of 1/m, and the integrals of the truncated Laplace density between such points are exact.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Any

from attrs import frozen
from gmpy2 import lcm, mpq

from finitedp.errors import ParameterError
from finitedp.spec.pmf import Pmf, product

__all__ = [
    "DOWN",
    "NEAREST",
    "UP",
    "Histogram",
    "Scale",
    "all_couplings",
    "at_least_exp_of_2",
    "bucket_by_centres",
    "buckets_of",
    "claimed_delta",
    "coupling_of_drops",
    "emptiness_probabilities",
    "fractional_image",
    "hausdorff",
    "integral",
    "literal_lossy",
    "optimal_coupling",
    "printed_support_distance",
    "shifted_truncated",
    "tau_of_remark_5",
    "truncated_cdf",
    "truncated_density_ratio",
]

Histogram = tuple[int, ...]
"""Counts of bars 0, 1, ...: a multiset of bar numbers."""


@frozen
class Scale:
    """e^epsilon = root^parts, for a rational root above 1; e^(epsilon x) is rational where x is a multiple of 1/parts."""

    root: mpq
    parts: int

    @property
    def ratio(self) -> mpq:
        """e^epsilon."""
        return self.root**self.parts

    def power(self, x: mpq | int) -> mpq:
        """e^(epsilon x). Raises: ParameterError where x is no multiple of 1/parts."""
        steps = mpq(x) * self.parts
        if steps.denominator != 1:
            raise ParameterError(f"x = {x} is no multiple of 1/{self.parts}")
        return self.root ** int(steps)


# Section 5.1: the empty set, and the truncated Laplace density


def emptiness_probabilities(q: int, scale: Scale) -> tuple[mpq, list[mpq]]:
    """(9) as printed: delta with delta (E^(q/2) - 1)/(E - 1) = 1/2, and p_0, ..., p_q."""
    e = scale.ratio
    delta = (e - 1) / (2 * (scale.power(mpq(q, 2)) - 1))
    first = [delta * (e**k - 1) / (e - 1) for k in range(q // 2 + 1)]
    return delta, [first[k] if 2 * k <= q else 1 - first[q - k] for k in range(q + 1)]


def truncated_cdf(z: mpq, q: mpq, scale: Scale) -> mpq:
    """Pr[Z <= z] for the density (1 - e^(-epsilon q/2))^-1 Lap(z | -q/2, 1/epsilon) on [-q, 0]. Source: FA.Alg1."""
    if z <= -q:
        return mpq(0)
    if z >= 0:
        return mpq(1)
    if 2 * z > -q:
        return 1 - truncated_cdf(-q - z, q, scale)
    end = scale.power(-q / 2)
    return (scale.power(z + q / 2) - end) / (2 * (1 - end))


def truncated_density_ratio(z: mpq, q: mpq, other_z: mpq, other_q: mpq, scale: Scale) -> mpq:
    """pi_q(z) / pi_q'(z') of the density, at points where both are above 0."""
    norm = (1 - scale.power(-other_q / 2)) / (1 - scale.power(-q / 2))
    return norm * scale.power(abs(other_z + other_q / 2) - abs(z + q / 2))


def claimed_delta(q: mpq, scale: Scale) -> mpq:
    """(e^epsilon - 1) / (2 (e^(epsilon q/2) - 1)). Source: FA.Cor1."""
    return (scale.ratio - 1) / (2 * (scale.power(q / 2) - 1))


def at_least_exp_of_2(q: mpq, scale: Scale) -> bool:
    """Whether epsilon q >= 2, decided by 2 <= sum of the series of ln: e^2 < 7.3890561."""
    return bool(scale.power(q) >= mpq(73890561, 10**7))


NEAREST, UP, DOWN = mpq(1, 2), mpq(0), mpq(1)
"""How x + Z is rounded: it becomes y or less where x + Z is at most y + this (equality has probability 0)."""


def shifted_truncated(counts: Sequence[int], q: Callable[[int], mpq], scale: Scale, rounding: mpq = NEAREST) -> Pmf[Histogram]:
    """Algorithm 1 as printed: bar x becomes max(0, x + Z rounded to the nearest integer), with its own Z on [-q, 0].

    Parameters: q, the range of the noise as a function of |x|: tau |x| as printed; rounding, NEAREST as printed.
    Source: FA.Alg1.
    """
    width = q(sum(counts))
    return product([_bar(x, width, scale, rounding) for x in counts])


def _bar(count: int, q: mpq, scale: Scale, rounding: mpq) -> Pmf[int]:
    if count == 0 or q == 0:
        return Pmf.point(count)
    ends = [truncated_cdf(y + rounding - count, q, scale) for y in range(count + 1)]
    return Pmf.from_probabilities({y: end - before for y, (before, end) in enumerate(pairwise([mpq(0), *ends]))})


# Sections 2 and 4: couplings, by listing them


def all_couplings(points: int, total: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All joint laws on pairs of `points` points whose probabilities are multiples of 1/total, as matrices of integers."""

    def compositions(rest: int, cells: int) -> Iterator[tuple[int, ...]]:
        if cells == 1:
            yield (rest,)
            return
        for first in range(rest + 1):
            for others in compositions(rest - first, cells - 1):
                yield (first, *others)

    for cells in compositions(total, points * points):
        yield tuple(cells[i * points : (i + 1) * points] for i in range(points))


def literal_lossy(
    p: Sequence[int], q: Sequence[int], gamma: mpq, distance: Sequence[Sequence[mpq]], *, average: bool = False
) -> mpq:
    """Definitions 1 and 7 as printed: over all joint laws with TV(phi_1, P) + TV(phi_2, Q) <= gamma, the least distance.

    Parameters: p and q, integers of one sum N; gamma, a multiple of 1/N, for which joint laws of multiples of 1/N suffice;
    average, the mean distance instead of the largest. Source: FA.Def1, FA.Def7.
    """
    total, best = sum(p), list[mpq]()
    for phi in all_couplings(len(p), total):
        rows, columns = [sum(row) for row in phi], [sum(column) for column in zip(*phi, strict=True)]
        lost = sum(abs(a - b) for a, b in zip((*rows, *columns), (*p, *q), strict=True))
        if lost <= 2 * gamma * total:
            pairs = [(distance[i][j], mass) for i, row in enumerate(phi) for j, mass in enumerate(row) if mass]
            best.append(sum((d * m for d, m in pairs), mpq(0)) / total if average else max(d for d, _ in pairs))
    return min(best)


def optimal_coupling(flow: Sequence[tuple[int, int, int]], p: Sequence[int], q: Sequence[int], share: mpq) -> dict[Any, mpq]:
    """A coupling from a partial flow: what is left of P and Q goes to the diagonal, `share` of it as in Q, the rest as in P.

    Its first marginal is at total variation share * loss from P, its second at (1 - share) * loss from Q.
    """
    left, right, phi = [mpq(x) for x in p], [mpq(x) for x in q], dict[Any, mpq]()
    for i, j, f in flow:
        phi[i, j] = phi.get((i, j), mpq(0)) + f
        left[i], right[j] = left[i] - f, right[j] - f
    for x, (a, b) in enumerate(zip(left, right, strict=True)):
        phi[x, x] = phi.get((x, x), mpq(0)) + (1 - share) * a + share * b
    return {pair: mass / sum(p) for pair, mass in phi.items() if mass}


# Section 5: buckets, and the transport of dropped points


def bucket_by_centres(points: Mapping[mpq, int], width: mpq, end: mpq) -> dict[mpq, int]:
    """Algorithm 2 as printed: centres w(i - 1/2), i = 1..ceil(B/w); a point g counts for s where g - s is in [-w/2, w/2)."""
    centres = [width * (i - mpq(1, 2)) for i in range(1, ceil(end / width) + 1)]
    return {s: sum(count for g, count in points.items() if -width <= 2 * (g - s) < width) for s in centres}


def fractional_image(z: Histogram, x: Histogram, other: Histogram, phi: Mapping[tuple[int, int], mpq]) -> list[mpq]:
    """f_phi(z)(b) = |x'| sum_a z(a) phi(a, b) / x(a), as printed in the proof of Lemma 11. Source: FA.Claim7."""
    size = sum(other)
    return [
        size * sum((z[a] * phi.get((a, b), mpq(0)) / x[a] for a in range(len(x)) if x[a]), mpq(0)) for b in range(len(other))
    ]


def coupling_of_drops(y: Histogram, z: Histogram, phi: Mapping[tuple[int, int], mpq]) -> dict[tuple[int, int], mpq]:
    """(40) as printed: phi_s(g, h) = phi_z(g, h) y(h) / z(h) / (1 - alpha_2), for 1 - alpha_2 = |y|/|z|.

    Source: FA.Lem12.proof.
    """
    kept = mpq(sum(y), sum(z))
    return {(g, h): mass * mpq(y[h], z[h]) / kept for (g, h), mass in phi.items() if z[h]}


def hausdorff(first: Sequence[int], second: Sequence[int]) -> int:
    """d_supp by its definition: the farthest that a point of one set is from the other set. Source: FA.Cor3."""
    return max(*(min(abs(a - b) for b in second) for a in first), *(min(abs(a - b) for a in first) for b in second))


def printed_support_distance(first: Sequence[int], second: Sequence[int]) -> int:
    """What H.3 says d_supp is: the larger difference of the two minima and the two maxima. Source: FA.Cor3.distance."""
    return max(abs(min(first) - min(second)), abs(max(first) - max(second)))


def tau_of_remark_5(alpha: mpq, width: mpq, end: mpq, dimension: int) -> mpq:
    """Tau = alpha (w/B)^d, the ceilings ignored as printed. Source: FA.Rem5."""
    return alpha * (width / end) ** dimension


def buckets_of(width: mpq, end: mpq, dimension: int = 1, *, rounding: Callable[[mpq], int] = ceil) -> int:
    """T = ceil(B/w)^d; Algorithm 3 as printed takes the floor. Source: FA.Alg3, FA.Alg5."""
    return int(rounding(end / width) ** dimension)


def integral(values: Sequence[mpq]) -> bool:
    """Whether all values are integers: whether they are the counts of a histogram."""
    return lcm(1, *(value.denominator for value in values)) == 1
