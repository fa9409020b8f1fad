"""Where the printed text of Section 8 of Balcer and Vadhan is wrong: run and refuted, and its correction verified."""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import ceil_log, ceil_power
from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms.compact import CompactHistogram, compact_accuracy, compact_histogram_with_fast_sample
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.randomness.coins import ExactCoins, SeededBits
from finitedp.proofs_check.claims.bv.compact.samplers import CASES, OVER, Case, noisy_law, preimage
from finitedp.proofs_check.claims.bv.compact.subjects import misses, simultaneous_miss
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable
from finitedp.proofs_check.claims.bv.counting.subjects import refuses, some_below
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec.counting import sample_decay
from finitedp.spec.pmf import Pmf


@erratum(
    "BV.Err.7.empty",
    "Lemma 8.1 iv as printed: S_v can be sampled for every v in 0..n.",
    """Lemma 8.1 iv, corrected: S_v can be sampled for every v that M(0, U) can be; for other v in 0..n it is empty, and the
    code refuses it.""",
    as_printed=("every v in 0..n", lambda _law, n: list(range(n + 1))),
    subject=lambda law, _n: sorted(law),
    over=OVER,
    code=["finitedp.impl.histograms.empty_bins.EmptyBinSampler.sample"],
    grid=CASES,
)
def sampled_counts(counts: Callable[[Pmf[int], int], list[int]], case: Case) -> Finding:
    admitted = counts(noisy_law(case), case.mechanism.n)
    empty = [v for v in admitted if not preimage(case, v)]
    first = [EmptyBinSampler(case.mechanism, case.d_0).interval(v) for v in range(case.mechanism.n + 1)]
    filled = [v for v, (low, high) in enumerate(first) if low <= high]
    return all_of([equal(empty, [], "v with an empty S_v"), equal(filled, sorted(noisy_law(case)), "S_v that are not empty")])


class Room(NamedTuple):
    """|X|, n and d of the counting mechanism."""

    size: int
    n: int
    d: int

    @property
    def mechanism(self) -> CountingMechanism:
        """A mechanism with every noisy count, in runs of equal length; with d = 0 one that always says 0."""
        if not self.d:
            return ToyTable(((0,),) * (self.n + 1))
        return ToyTable((tuple(v for v in range(self.n + 1) for _ in range(self.d)),) * (self.n + 1))


@erratum(
    "BV.Err.7.points",
    "Lemma 8.1 iv, proof, step (2) as printed: there is a set B of n + 1 elements of the universe.",
    """Lemma 8.1 iv, proof, step (2), corrected: B is a set of n + 1 elements of the field, which needs d_0 >= n + 1; the code
    takes the least such field and refuses a smaller one.""",
    as_printed=("elements of the universe", lambda size, _order: size),
    subject=lambda _size, order: order,
    over="|X| and n on the grid, also with |X| <= n",
    code=["finitedp.impl.histograms.compact.CompactHistogram", "finitedp.impl.histograms.compact.least_level"],
    grid=cases(
        Room,
        # with d = 0, n + 1 alone asks for so large a field
        [(1, 1, 1), (1, 2, 1), (2, 1, 1), (3, 2, 1), (2, 2, 1), (2, 5, 1), (9, 3, 1), (1, 5, 0), (2, 3, 0)],
        product(range(1, 12), (1, 2, 3, 7), (2, 5)),
    ),
)
def room_for_points(available: Callable[[int, int], int], case: Room) -> Finding:
    histogram: CompactHistogram[int] = CompactHistogram(case.mechanism, range(case.size))
    places, values = histogram.points({0: 0}, ExactCoins(SeededBits(1, not_private=True)))
    room = available(case.size, histogram.base.order)
    distinct = len(set(places)) == len(values) == case.n + 1 and max(places) < histogram.base.order
    findings = [at_most(case.n + 1, room, "n + 1 points"), equal(distinct, True, "n + 1 distinct field elements")]
    # trivially so for the least field of all
    refused = refuses(lambda: CompactHistogram(histogram.mechanism, histogram.universe, histogram.level - 1))
    return all_of([*findings, equal(refused, True, "a smaller field is refused")])


class Bound(NamedTuple):
    """epsilon = 1/q and beta."""

    q: int
    beta: mpq


@own(
    "FD.CompactHistogram.scale",
    """The a = ceil(5/epsilon ln(2/beta)) of Theorem 8.6 ii is at least FastSample's ceil(2/epsilon~ ln(2/beta)), where
    epsilon~ belongs to epsilon' = 1/ceil(10/(9 epsilon)). (The bound 9/(2 epsilon') ln(2/beta), simpler, may be larger.)""",
    subject=lambda q, beta: ceil_power(1 / sample_decay(mpq(1, -(-10 * q // 9))), 2 / beta),
    twins={"by 9/(2 epsilon')": lambda q, beta: ceil_log(mpq(9 * -(-10 * q // 9), 2), 2 / beta)},
    over="epsilon = 1/q and beta on the grid",
    code=["finitedp.impl.histograms.compact.compact_accuracy", "finitedp.spec.counting.sample_decay"],
    grid=cases(
        Bound,
        product((1, 2, 3, 5, 9, 10, 28), (mpq(1, 2), mpq(1, 20), mpq(1, 10**6))),
        product((*range(1, 130), 461, 1000, 10**6), (mpq(1), mpq(1, 3), mpq(1, 2**40))),
    ),
)
def accuracy_by_scale(bound: Callable[[int, mpq], int], case: Bound) -> Finding:
    stated = compact_accuracy(1, mpq(1, case.q), case.beta).per_query.a
    findings = [equal(stated, ceil_log(mpq(5 * case.q), 2 / case.beta), "stated accuracy")]
    return all_of([*findings, at_most(bound(case.q, case.beta), stated, f"error at epsilon=1/{case.q}, beta={case.beta}:")])


BETA_0 = mpq(1, 3)


class Together(NamedTuple):
    """|X|, n, beta >= beta_0; epsilon = 1."""

    size: int
    n: int
    beta: mpq

    def check_scope(self) -> None:
        in_scope(self.size >= 2 and self.n >= 1, "two labels at least, and a row")
        in_scope(BETA_0 <= self.beta <= 1, "beta from beta_0 to 1")


def _simultaneous(size: int, beta: mpq) -> int:
    return compact_accuracy(size, 1, beta).simultaneous.a


def _per_query(size: int, beta: mpq) -> int:
    return compact_accuracy(size, 1, beta).per_query.a


@entry(
    "BV.Err.8.accuracy",
    "erratum",
    """Theorem 8.6 iii, printed as per-query, is meant as simultaneous: for beta >= beta_0, a = ceil(5/epsilon
    ln(2|X|/beta)) holds for all labels at once, where part ii's a does not. As printed it is true, but says less than part
    ii, whose a is smaller.""",
    over="beta_0 = 1/3; every dataset over the universe, by dynamic programming; laws of the running code",
    code=["finitedp.impl.histograms.compact.compact_accuracy"],
    grid=cases(Together, [(8, 30, mpq(1, 2)), (6, 30, mpq(1, 2))], [(20, 30, mpq(1, 3))]),
    subject=_simultaneous,
    twins={"the per-query error": _per_query},
    derived_from=("BV.Alg8.2", "BV.Lem8.1.ii", "BV.Lem8.1.independence"),
    by="dynamic programming over labels with independent counts, each with a running law of M or M_0",
)
def simultaneous_error(bound: Callable[[int, mpq], int], case: Together) -> Finding:
    histogram = compact_histogram_with_fast_sample(range(case.size), case.n, 1, BETA_0)
    some_below(case.n, [_simultaneous(case.size, case.beta)])
    a, alone = bound(case.size, case.beta), misses(histogram, _per_query(case.size, case.beta))
    together = at_most(simultaneous_miss(histogram, a), case.beta, f"simultaneous miss, a={a}:")
    smaller = _per_query(case.size, case.beta) < _simultaneous(case.size, case.beta)
    one = at_most(max(alone), case.beta, "miss of one label at part ii's a:")
    return all_of([together, one, equal(smaller, True, "part ii's a is smaller")])
