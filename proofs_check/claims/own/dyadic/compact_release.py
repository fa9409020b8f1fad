"""CompactHistogram on dyadic tables: what strict coins add, what a release costs, its exact accuracy, its files."""

from collections.abc import Callable, Iterator
from typing import Any

from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.randomness.coins import BitSource, Coins, SeededBits, StrictCoins
from finitedp.proofs_check.claims.bv.compact import twins as compact_twins
from finitedp.proofs_check.claims.bv.compact.subjects import empty_bin_law, ratio_of_moves, simultaneous_miss, worst_ratio
from finitedp.proofs_check.claims.bv.counting.subjects import running_law
from finitedp.proofs_check.claims.own.dyadic.compact_subjects import PRIVATE, Case, built, rows
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, own, same_law
from finitedp.spec.accuracy import least_accuracy, miss_probability
from finitedp.spec.pmf import Pmf

COMPACT = "finitedp.impl.histograms.compact.CompactHistogram"
RELEASE = "finitedp.impl.histograms.compact_release.CompactRelease"


class Coarse(StrictCoins):
    """Broken: strict coins with one spare bit in place of 128."""

    def uniform(self, d: int, most: int | None = None) -> int:
        top = d if most is None else most
        return 1 + ((self.bits((top - 1).bit_length() + 1) * d) >> ((top - 1).bit_length() + 1))


def _value_laws(histogram: CompactHistogram[Any], coins: Callable[[BitSource], Coins]) -> dict[int | None, Pmf[int]]:
    """The laws of the field elements drawn for each noisy count, and for a free point (None), on these coins."""
    choices: list[int | None] = [None, *range(histogram.mechanism.n + 1)]
    return {
        v: explore(lambda lazy, v=v: int(histogram._value(v, coins(lazy.bits)))).law()  # type: ignore[misc]
        for v in choices
    }


def _ratio_on(histogram: CompactHistogram[Any], coins: Callable[[BitSource], Coins]) -> mpq | None:
    """The worst ratio of the laws of all coefficients on these coins, or None if it is infinite."""
    n, order, values = histogram.mechanism.n, histogram.base.order, _value_laws(histogram, coins)
    noisy = [explore(lambda lazy, c=c: histogram.mechanism.release(c, coins(lazy.bits))).law() for c in range(n + 1)]  # type: ignore[misc]
    table = [[values[None][y] for y in range(order)]]
    for c in range(1, n + 1):
        table.append([sum((noisy[c][v] * values[v][y] for v in range(n + 1)), mpq(0)) for y in range(order)])
    return ratio_of_moves(table, histogram.universe.size)


@own(
    "FD.Dyadic.compact.coins",
    """On strict coins the noise and the values at free points are exact, and the slack of all the other draws together counts
    once: a label whose count stays above 0 has the same law of preimages in both datasets.""",
    over="every pair of counts that a row can leave and join; laws of field elements on the running coins, by the explorer",
    code=["finitedp.impl.histograms.compact.CompactHistogram.claim", "finitedp.impl.randomness.coins.StrictCoins.uniform"],
    grid=cases(
        Case,
        [(4, 1, "3", 2), (2, 1, "1", 6), (9, 2, "2", 6)],
        [(3, 3, "5/2", 6), (9, 4, "4", 6), (2, 1, "1/4", 6), (9, 2, "9", 4)],
    ),
    subject=StrictCoins,
    twins={"one spare bit": Coarse},
    derived_from=("BV.Lem8.1.independence", "FD.CompactHistogram.factors"),
    by="the bijection of polynomials and their values, with explored laws of the field elements that are drawn",
)
def coins(make: Callable[[BitSource], Coins], case: Case) -> Iterator[Finding]:
    histogram, found = built(case), _ratio_on(built(case), make)
    if found is None:
        yield Finding(False, mpq(10**9), "infinite ratio")
        return
    exact, allowed = worst_ratio(histogram), case.ratio**2 * StrictCoins.slack
    free = explore(lambda lazy: int(histogram._value(None, make(lazy.bits)))).law()
    noisy = explore(lambda lazy: histogram.mechanism.release(1, make(lazy.bits))).law()
    yield at_most(found, allowed, "worst ratio")
    yield at_most(found, (exact or mpq(0)) * StrictCoins.slack, "beyond the ratio on exact coins")
    yield same_law(free, Pmf.uniform(range(2**case.bits)), "free values")
    yield same_law(noisy, case.law(1), "noise")


# Cost and accuracy


class FreeFromBits(CompactHistogram[Any]):
    """Broken: free values read no spare bits, so that the reads tell how many labels occur."""

    def _value(self, noisy: int | None, coins: Coins) -> int:
        return coins.bits(self.base.bits) if noisy is None else super()._value(noisy, coins)


def _reads(histogram: CompactHistogram[Any], data: dict[int, int]) -> tuple[int, ...]:
    """The sizes of all reads of random bits, in order."""
    source, sizes = SeededBits(sum(data), not_private=True), list[int]()

    def bits(b: int) -> int:
        sizes.append(b)
        return source(b)

    histogram.release_counts(data, StrictCoins(bits))
    return tuple(sizes)


@own(
    "FD.Dyadic.compact.cost",
    """Every dataset reads the same random bits in the same order: n words of B bits, and n + 1 field elements with 128 bits
    beyond their own.""",
    over="datasets of 0, 1 and n rows in one, two and n labels; reads of the running code on strict coins",
    code=[f"{COMPACT}.cost", f"{COMPACT}.release_counts"],
    grid=PRIVATE,
    subject=CompactHistogram,
    twins={
        "draws for labels that occur only": compact_twins.OnlyOccupied,
        "no public bound": compact_twins.RangeAsDrawn,
        "free values from their bits alone": FreeFromBits,
    },
    sampled="a run on seeded bits for datasets of 0, 1 and n rows",
)
def cost(compact: Any, case: Case) -> Iterator[Finding]:  # noqa: ANN401  # CompactHistogram or a copy
    histogram = built(case, compact=compact)
    found = {_reads(histogram, data) for data in [{}, {0: 1}, {case.size - 1: 1}, *rows(case)]}
    expected, stated = (case.word,) * case.n + (case.bits + 128,) * (case.n + 1), histogram.cost()
    yield equal(found, {expected}, "reads")
    yield equal((stated.draws, stated.bits, stated.exact), (2 * case.n + 1, sum(expected), True), "stated cost")


BETAS = (mpq(1, 2), mpq(1, 10), mpq(1, 1000))


@own(
    "FD.Dyadic.compact.accuracy",
    """accuracy(beta) states the least a that every single label's error keeps to except with probability beta, exactly, and
    for all labels at once the least such a at beta / |X|.""",
    over="every true count, and every dataset by dynamic programming; every beta, by those of changes; running laws",
    code=["finitedp.impl.histograms.compact.CompactHistogram.accuracy"],
    grid=cases(Case, [(3, 12, "1", 162), (6, 20, "2", 54), (4, 9, "3/2", 18)], [(5, 40, "1/2", 162), (13, 30, "1", 54)]),
    subject=lambda a: a,
    twins={"one less": lambda a: max(a - 1, 0)},
    derived_from=("FD.Dyadic.compact.law", "FD.Dyadic.compact.labels"),
    by="dynamic programming over labels with independent counts, each with a running law of M or M_0",
)
def accuracy(bound: Callable[[int], int], case: Case) -> Iterator[Finding]:
    histogram, noisy = built(case), running_law(built(case).mechanism)
    laws = [empty_bin_law(histogram), *(noisy(c) for c in range(1, case.n + 1))]
    misses = [max(miss_probability(one, c, a) for c, one in enumerate(laws)) for a in range(case.n + 1)]
    for a, miss in enumerate(misses):
        for beta in (miss, miss * (1 - mpq(1, 2**200))) if miss > 0 else ():  # a is enough, and just not
            least = next(b for b, other in enumerate(misses) if other <= beta)
            yield equal(histogram.accuracy(beta).per_query.a, bound(least), f"per query, where {a} is exceeded")
            if beta * case.size <= 1:
                found = histogram.accuracy(beta * case.size).simultaneous.a
                yield equal(found, bound(least), f"simultaneous, where {a} is exceeded")
    for beta in BETAS:
        single, _, every = histogram.accuracy(beta)
        least = max(least_accuracy(one, c, beta) for c, one in enumerate(laws))
        yield equal(single, Accuracy(bound(least), beta, "per-query", "BV.Thm8.3.ii"), "per query")
        shared = max(least_accuracy(one, c, beta / case.size) for c, one in enumerate(laws))
        yield equal(every, Accuracy(bound(shared), beta, "simultaneous", "BV.Thm8.3.iii"), "simultaneous")
        yield at_most(simultaneous_miss(histogram, every.a), beta, f"simultaneous miss, a={every.a}:")


# Files


def _flipped(release: CompactRelease[Any]) -> CompactRelease[Any]:
    first, *others = release.coefficients
    return CompactRelease(release.level, release.mechanism, release.universe, (first ^ 1, *others), release.claim)


@own(
    "FD.Dyadic.compact.files",
    "What is read from either form of file is the release that was written, with the same table and the same counts.",
    over="a release for each case of the grid; both forms; a few labels",
    code=[f"{RELEASE}.from_json", f"{RELEASE}.from_bytes"],
    grid=PRIVATE,
    subject=lambda release: release,
    twins={"the constant one bit off": _flipped},
    sampled="one release on seeded bits, and three labels",
)
def files(kept: Callable[[CompactRelease[Any]], CompactRelease[Any]], case: Case) -> Iterator[Finding]:
    histogram, labels = built(case), (0, 1, case.size - 1)
    release = histogram.release([0] * case.n, StrictCoins(SeededBits(1, not_private=True)))
    read: list[CompactRelease[Any]] = [
        CompactRelease.from_json(release.to_json()),
        CompactRelease.from_bytes(release.to_bytes()),
    ]
    yield from (equal(kept(again) == release, True, "the release") for again in read)
    yield from (equal(list(again.counts(labels)), list(release.counts(labels)), "its counts") for again in read)
