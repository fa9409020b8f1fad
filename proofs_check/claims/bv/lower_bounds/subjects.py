"""What is exactly known of running histograms: their privacy and the least errors that they have, over all datasets.

By the explorer's joint laws on small universes, or from the laws of single bins on universes of any size.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import accumulate
from math import comb
from operator import itemgetter
from typing import NamedTuple

from attrs import frozen
from gmpy2 import mpq, mpz

from finitedp.exact import exp_bounds, log_bounds
from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check.checks.worst_case import miss_over_bins, miss_over_partitions
from finitedp.proofs_check.claims.bv.counting.subjects import running_law
from finitedp.proofs_check.claims.bv.histograms.subjects import joint_law, row_moves, thresholded
from finitedp.proofs_check.claims.bv.lower_bounds.best import Best, Counts, best_table
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.ledger.entry import in_scope
from finitedp.spec import counting as spec_counting
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.divergence import hockey_stick, max_ratio
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint
from finitedp.spec.stability import threshold_delta

Law = Callable[[int], Pmf[int]]
Bins = tuple[tuple[int, int], ...]

EXACT_UP_TO = 30  # rows; with more, StabilityHistogram's delta is that of BV.Thm5.5.i
LONG = 100_000  # bits of a power of probabilities; a longer one is bounded by its logarithm
ANY_LEVEL = mpq(65, 64)  # e^epsilon where there are no neighbours, so that every epsilon will do


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

    def check_scope(self) -> None:
        in_scope(self.size >= 2 and self.n >= 1 and 0 < self.decay < 1, "|X| >= 2, n >= 1, a decay in (0, 1)")
        in_scope("heavy" not in self.kind or self.size > self.n, "|X| above n, for KeepHeavy")
        in_scope(0 <= self.b <= self.n * self.kind.endswith("stability"), "a threshold, where there is one")


@frozen
class Measured:
    """What is exactly known of a mechanism.

    bins: the largest number of nonzero counts that it releases. levels: pairs (e^epsilon, delta) at which it is private, delta
    being the least one. per_query, simultaneous: the least beta for which it is (a, beta)-accurate, by a; that decides every
    beta, since accuracy at one is accuracy at all larger ones. Simultaneous over 10^6 labels or more, a bound from below.
    """

    size: int
    n: int
    bins: int
    levels: tuple[tuple[mpq, mpq], ...]
    per_query: Callable[[int], mpq]
    simultaneous: Callable[[int], mpq]


def counting_law(case: Case) -> Law:
    """The exact law of the case's running counting mechanism."""
    return running_law(_counting(case.n, case.decay))


def _counting(n: int, decay: mpq) -> CountingMechanism:
    """GeoSample where the decay is one of its own."""
    q = max(decay / (1 - decay) / 2, mpq(1))
    if q.denominator == 1 and spec_counting.sample_decay(1 / q) == decay:
        return GeoSample(n, 1 / q)
    return ToyGeometric(n, decay)


# From the laws of one bin


def _released(case: Case) -> Law:
    """The law of a bin's released count by its true count: the running counting mechanism, behind the threshold if any."""
    noisy = counting_law(case)
    if case.kind != "stability":
        return noisy
    return thresholded(noisy, case.b)


def _pure(law: Law, moves: Sequence[tuple[int, int]]) -> mpq:
    """The exact worst ratio: the product over the two bins that change (FD.Factored)."""
    worst = cache(lambda c, d: max_ratio(law(c), law(d)).value)
    return max(worst(x, x - 1) * worst(y, y + 1) for x, y in moves)


def _delta(law: Law, moves: Sequence[tuple[int, int]], ratio: mpq) -> mpq:
    """The exact delta at e^epsilon = ratio: the largest over the joint laws of the two bins that change."""
    gathered = cache(lambda c, d: _by_ratio(law(c), law(d)))
    pairs = ((gathered(x, x - 1), gathered(y, y + 1)) for x, y in moves)
    return max(hockey_stick(joint([p, r]), joint([q, s]), ratio).delta for (p, q), (r, s) in pairs)


def _by_ratio(p: Pmf[int], q: Pmf[int]) -> tuple[Pmf[mpq | None], Pmf[mpq | None]]:
    """Two laws of the ratio p[x] / q[x] (None where q[x] = 0): it is sufficient, so it keeps delta, alone and in products."""

    def ratio(x: int) -> mpq | None:
        return mpq(p.weight(x), q.weight(x)) if q.weight(x) else None

    return p.pushforward(ratio), q.pushforward(ratio)


def _levels(case: Case, law: Law) -> tuple[tuple[mpq, mpq], ...]:
    moves = row_moves(case.n, case.size)
    if not moves:
        return ((ANY_LEVEL, mpq(0)),)
    step = 1 / case.decay
    if case.kind == "stability" and case.n > EXACT_UP_TO:
        return ((step**2, threshold_delta(counting_law(case), case.b)),)
    if case.kind == "stability":
        return tuple((ratio, _delta(law, moves, ratio)) for ratio in (step, step**2, step**3))
    pure = (_pure(law, moves), mpq(0))
    return (pure, (step, _delta(law, moves, step))) if case.n <= 10 else (pure,)


def _worst_miss(law: Law, size: int, n: int) -> Callable[[int], mpq]:
    """The probability that some bin is off by more than a, for the worst dataset: exact, or a little below if it is long."""
    hits = cache(lambda c: list(accumulate(law(c)[c - e] + (law(c)[c + e] if e else 0) for e in range(n + 1))))

    def miss(a: int) -> mpq:
        close = [hits(c)[a] for c in range(n + 1)]
        if size < n:
            return miss_over_bins(close, n, size)
        least = 1 - miss_over_partitions([c / close[0] for c in close], n)
        if least == 0 or close[0] == 1 or size * int(close[0].denominator).bit_length() < LONG:
            return 1 - (least * close[0] ** size if least else least)
        return 1 - min(mpq(1), exp_bounds(log_bounds(close[0], 256)[1] * size + log_bounds(least, 256)[1], 192)[1])

    return miss


def from_bins(case: Case, law: Law, levels: tuple[tuple[mpq, mpq], ...]) -> Measured:
    """For independent bins with the given laws by count."""
    size, n = case.size, case.n
    counts = range(n + 1) if size > 1 else [n]
    return Measured(
        size,
        n,
        size if case.kind == "basic" else min(size, n),
        levels,
        cache(lambda a: max(miss_probability(law(c), c, a) for c in counts)),
        cache(_worst_miss(law, size, n)),
    )


# From the joint laws


def running_histogram(case: Case) -> BasicHistogram[int] | StabilityHistogram[int] | KeepHeavy[int]:
    counting = _counting(case.n, case.decay)
    if case.kind == "running stability":
        return StabilityHistogram(counting, case.b, padded=False)  # padding is no part of the output (BV.Alg5.4)
    basic = BasicHistogram(counting, range(case.size))
    return KeepHeavy(basic) if case.kind == "running heavy" else basic


def _errors(released: Counts, truths: Counts) -> Counts:
    return tuple(abs(z - truth) for z, truth in zip(released, truths, strict=True))


def _worst_of(laws: list[Pmf[int]]) -> Callable[[int], mpq]:
    """The probability that an error exceeds a, for the law where it is largest, by a."""
    return cache(lambda a: max(miss_probability(law, 0, a) for law in laws))


def _from_running(case: Case) -> Measured:
    """By every dataset and neighbouring pair of multisets."""
    mechanism, universe = running_histogram(case), range(case.size)
    law = joint_law(mechanism)
    laws = {d: law(d).pushforward(partial(_counts_of, case.size)) for d in multisets(universe, case.n)}
    ratios = [1 / case.decay, 1 / case.decay**2]
    if case.kind != "running stability":
        ratios[1] = max(max_ratio(laws[d], laws[e]).value for d, e in neighbouring_multisets(universe, case.n, "replace-one"))
    return from_laws(case.size, case.n, laws, ratios)


def _counts_of(size: int, bins: Bins) -> Counts:
    released = dict(bins)
    return tuple(released.get(x, 0) for x in range(size))


def from_laws(size: int, n: int, laws: Mapping[tuple[int, ...], Pmf[Counts]], ratios: Iterable[mpq]) -> Measured:
    """From the laws of released counts by dataset, at the given e^epsilon, with the least delta of each."""
    universe = range(size)
    errors = [law.pushforward(partial(_errors, truths=histogram(d, universe))) for d, law in laws.items()]
    single = [vector.pushforward(itemgetter(x)) for vector in errors for x in universe]
    pairs = [(laws[d], laws[e]) for d, e in neighbouring_multisets(universe, n, "replace-one")]
    levels = tuple((ratio, max(hockey_stick(p, q, ratio).delta for p, q in pairs)) for ratio in ratios)
    bins = max(sum(count > 0 for count in outcome) for law in laws.values() for outcome in law)
    largest = [vector.pushforward(max) for vector in errors]
    return Measured(size, n, bins, levels, _worst_of(single), _worst_of(largest))


# KeepHeavy over a large universe


def heavy_bin(law: Law, size: int, n: int, count: int, others: Sequence[int], beaten_by: int | None = None) -> Pmf[int]:
    """The law of a bin's released count under KeepHeavy, given the counts above 0 of the other bins.

    A noisy count v is released exactly where at most n - 1 other bins (or beaten_by of them) have at least v.
    """
    limit = n - 1 if beaten_by is None else beaten_by
    kept = {v: law(count)[v] * _at_most(limit, _reaching(law, size, others, v)) for v in range(1, n + 1)}
    return Pmf.from_probabilities({0: 1 - sum(kept.values(), mpq(0)), **kept})


def _reaching(law: Law, size: int, others: Sequence[int], v: int) -> list[tuple[mpq, int]]:
    """With which probability the other bins' noisy counts reach v, and how many bins there are of each kind."""
    return [(_tail(law, 0, v), size - 1 - len(others)), *((_tail(law, c, v), 1) for c in others)]


@lru_cache(maxsize=1024)
def _tail(law: Law, count: int, v: int) -> mpq:
    return law(count).probability(lambda x: x >= v)


def _at_most(limit: int, groups: list[tuple[mpq, int]]) -> mpq:
    """The probability that at most `limit` of independent events occur, given as (probability, number of them)."""
    weights: list[int] = [mpz(1)]  # over one denominator, the total
    total: int = mpz(1)
    for p, number in groups:
        one = _binomial_weights(number, p, limit)
        last = min(len(weights) + len(one) - 2, limit)
        terms = [range(max(j - len(weights) + 1, 0), min(j, len(one) - 1) + 1) for j in range(last + 1)]
        weights = [sum((weights[j - i] * one[i] for i in places), mpz(0)) for j, places in enumerate(terms)]
        total *= p.denominator**number
    return mpq(sum(weights, mpz(0)), total)


@lru_cache(maxsize=1024)
def _binomial_weights(number: int, p: mpq, most: int) -> list[int]:
    """The probabilities that 0, 1, ... of independent events occur, up to `most`, times the denominator of p^number."""
    occurs, fails = p.numerator, p.denominator - p.numerator
    return [comb(number, j) * occurs**j * fails ** (number - j) for j in range(min(number, most) + 1)]


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """The ways to write `total` as a non-increasing sum of positive integers of at most `largest`."""
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        yield from ((first, *rest) for rest in partitions(total - first, first))


def _heavy(case: Case) -> Measured:
    """KeepHeavy at the level of the basic histogram that it processes (BV.Thm6.2.i)."""
    law, n = counting_law(case), case.n
    shapes = [(c, others) for c in range(n + 1) for others in partitions(n - c, n) if len(others) < case.size]
    laws = [heavy_bin(law, case.size, n, c, others).shifted(-c).pushforward(abs) for c, others in shapes]
    return Measured(case.size, n, n, ((1 / case.decay**2, mpq(0)),), _worst_of(laws), _worst_of([]))


@lru_cache(maxsize=256)
def measured(case: Case | Best) -> Measured:
    """The exact facts of a case, or of the best mechanism."""
    if isinstance(case, Best):
        return from_laws(case.size, case.n, best_table(case).laws, [case.ratio])
    if case.kind.startswith("running"):
        return _from_running(case)
    if case.kind == "heavy":
        return _heavy(case)
    law = _released(case)
    return from_bins(case, law, _levels(case, law))
