"""Section 7 of Balcer and Vadhan: the lower bounds, against the exact accuracy and privacy of running mechanisms."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import product
from math import comb
from typing import Any, NamedTuple

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.exact import sign_of, to_arb
from finitedp.impl.counting import CountingMechanism, GeoSample
from finitedp.impl.histogram import BasicHistogram
from finitedp.impl.sparse import KeepHeavy
from finitedp.impl.stability import StabilityHistogram
from finitedp.proofs_check.explorer import explore
from finitedp.proofs_check.findings import all_of, decimal, same_law
from finitedp.proofs_check.ledger import Finding, entry
from finitedp.proofs_check.running import running_law
from finitedp.proofs_check.toys import ToyGeometric
from finitedp.proofs_check.worst_case import miss_over_bins
from finitedp.spec import counting as spec_counting
from finitedp.spec import lower_bounds as spec
from finitedp.spec.accuracy import least_accuracy, miss_probability
from finitedp.spec.divergence import hockey_stick, max_ratio, product_max_ratio
from finitedp.spec.histogram import histogram
from finitedp.spec.lower_bounds import LogRatio, LowerBound
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

__all__ = ["Case", "Measured", "measured"]

Law = Callable[[int], Pmf[int]]

BETAS = (mpq(2, 5), mpq(1, 10), mpq(1, 100), mpq(1, 10**4), mpq(1, 10**9))
ANY_LEVEL = mpq(65, 64)  # e^epsilon where there are no neighbours, so that every epsilon will do
MANY = 10**30  # a universe that StabilityHistogram does not mind


class Case(NamedTuple):
    """A mechanism over a universe of `size` labels with n rows and noise of the given decay.

    kind: basic, stability (with threshold b) or heavy (KeepHeavy); from the laws of one bin, or, with "running ", from the
    joint laws of the running histogram.
    """

    kind: str
    size: int
    n: int
    decay: mpq
    b: int = 0


@frozen
class Measured:
    """What is exactly known of a mechanism.

    bins: the largest number of nonzero counts that it releases. levels: pairs (e^epsilon, delta) at which it is private, delta
    being the least one. per_query, simultaneous: the least a for which it is (a, beta)-accurate, by beta.
    """

    size: int
    n: int
    bins: int
    levels: tuple[tuple[mpq, mpq], ...]
    per_query: Callable[[mpq], int]
    simultaneous: Callable[[mpq], int]


def _counting(n: int, decay: mpq) -> CountingMechanism:
    """GeoSample where the decay is one of its own."""
    q = max(decay / (1 - decay) / 2, mpq(1))
    if q.denominator == 1 and spec_counting.sample_decay(1 / q) == decay:
        return GeoSample(n, 1 / q)
    return ToyGeometric(n, decay)


# From the laws of one bin


def _released(case: Case) -> Law:
    """The law of a bin's released count by its true count: the running counting mechanism, behind the threshold if any."""
    noisy = running_law(_counting(case.n, case.decay))
    if case.kind != "stability":
        return noisy
    return cache(lambda c: noisy(c).pushforward(lambda x: x if x > case.b else 0) if c else Pmf.point(0))


def _moves(size: int, n: int) -> list[tuple[int, int]]:
    """The counts (x, y) of two bins such that a row can move from the first to the second."""
    return [(x, y) for x in range(1, n + 1) for y in range(n - x + 1) if x + y == n or size > 2]


def _pure(law: Law, moves: Sequence[tuple[int, int]]) -> mpq:
    """The exact worst ratio: the product over the two bins that change (FD.Factored)."""
    worst = cache(lambda c, d: max_ratio(law(c), law(d)).value)
    return max(worst(x, x - 1) * worst(y, y + 1) for x, y in moves)


def _delta(law: Law, moves: Sequence[tuple[int, int]], ratio: mpq) -> mpq:
    """The exact delta at e^epsilon = ratio: the largest over the joint laws of the two bins that change."""
    pairs = ((joint([law(x), law(y)]), joint([law(x - 1), law(y + 1)])) for x, y in moves)
    return max(hockey_stick(left, right, ratio).delta for left, right in pairs)


def _levels(case: Case, law: Law) -> tuple[tuple[mpq, mpq], ...]:
    moves = _moves(case.size, case.n) if case.size > 1 else []
    if not moves:
        return ((ANY_LEVEL, mpq(0)),)
    step = 1 / case.decay
    if case.kind == "stability":
        return tuple((ratio, _delta(law, moves, ratio)) for ratio in (step, step**2, step**3))
    pure = (_pure(law, moves), mpq(0))
    return (pure, (step, _delta(law, moves, step))) if case.n <= 10 else (pure,)


def _together(law: Law, size: int, n: int, a: int, beta: mpq) -> bool:
    """Whether no dataset has some bin off by more than a with more than beta. At least |X| - n bins are empty."""
    close = [1 - miss_probability(law(c), c, a) for c in range(n + 1)]
    rest, empty = 1 - miss_over_bins(close, n, min(size, n)), max(size - n, 0)
    if close[0] == 1 or rest == 0:
        return rest >= 1 - beta
    # close^empty * rest against 1 - beta, by logarithms, since the power may have 10^7 digits
    return sign_of(lambda: to_arb(close[0]).log() * empty + to_arb(rest).log() - to_arb(1 - beta).log()) > 0


def _least(accurate: Callable[[int], bool], n: int) -> int:
    """The least a with accurate(a), which rises; n always is."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if accurate(middle) else (middle + 1, high)
    return low


def from_bins(case: Case, law: Law, levels: tuple[tuple[mpq, mpq], ...]) -> Measured:
    """For independent bins with the given laws by count."""
    size, n = case.size, case.n
    counts = range(n + 1) if size > 1 else [n]
    return Measured(
        size,
        n,
        size if case.kind == "basic" else min(size, n),
        levels,
        cache(lambda beta: max(least_accuracy(law(c), c, beta) for c in counts)),
        cache(lambda beta: _least(lambda a: _together(law, size, n, a, beta), n)),
    )


# From the joint laws


def _running(case: Case) -> BasicHistogram[int] | StabilityHistogram[int] | KeepHeavy[int]:
    counting = _counting(case.n, case.decay)
    if case.kind == "running stability":
        return StabilityHistogram(counting, case.b, padded=False)  # padding is no part of the output (BV.Alg5.4)
    basic = BasicHistogram(counting, range(case.size))
    return KeepHeavy(basic) if case.kind == "running heavy" else basic


def _from_running(case: Case) -> Measured:
    """By every dataset and neighbouring pair of multisets."""
    mechanism, universe = _running(case), range(case.size)
    laws = {d: explore(lambda coins, d=d: mechanism.release(d, coins)).law() for d in multisets(universe, case.n)}  # type: ignore[misc]
    pairs = list(neighbouring_multisets(universe, case.n, "replace-one"))
    errors: set[int] = set()
    single, largest = list[Pmf[int]](), list[Pmf[int]]()
    for dataset, law in laws.items():
        truths = histogram(dataset, universe)
        vectors = law.pushforward(lambda bins, t=truths: _errors(bins, t))  # type: ignore[misc]
        single += [vectors.pushforward(lambda v, x=x: v[x]) for x in universe]  # type: ignore[misc]
        largest.append(vectors.pushforward(max))
    step = 1 / case.decay
    levels = [(step, max(hockey_stick(laws[d], laws[e], step).delta for d, e in pairs))]
    if case.kind == "running stability":
        levels.append((step**2, max(hockey_stick(laws[d], laws[e], step**2).delta for d, e in pairs)))
    else:
        levels.append((max(max_ratio(laws[d], laws[e]).value for d, e in pairs), mpq(0)))
    bins = max(sum(count > 0 for _, count in outcome) for law in laws.values() for outcome in law)
    return Measured(case.size, case.n, bins, tuple(levels), _over(single), _over(largest))
