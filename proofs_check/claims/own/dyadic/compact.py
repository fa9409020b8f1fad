"""CompactHistogram on dyadic tables, our own: the draws of the noise divide the field, so that nothing is lost in between."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.proofs_check.claims.bv.compact import twins as compact_twins
from finitedp.proofs_check.claims.bv.compact.subjects import counts_law, worst_ratio
from finitedp.proofs_check.claims.own.dyadic import twins as dyadic_twins
from finitedp.proofs_check.claims.own.dyadic.compact_subjects import FOR_COINS, PRIVATE, Case, Make, Table, built, rows
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law
from finitedp.spec import compact as spec
from finitedp.spec import dyadic as tables
from finitedp.spec.neighbours import multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

COMPACT = "finitedp.impl.histograms.compact"

# The empty-bin sampler


class Multiple(NamedTuple):
    """A mechanism, and how many times as many values as its d the sampler's draw has."""

    n: int
    epsilon: str
    word: int
    times: int


MULTIPLES = cases(
    Multiple,
    ((*m, t) for m in ((1, "3", 2), (3, "2", 6), (5, "1", 18), (2, "1/7", 54), (9, "1/10", 162)) for t in (1, 2, 3, 4)),
    product((4, 20), ("1", "1/5"), (18, 64, 162), (1, 2**8, 2**98)),
)


def _exactly(d: int, times: int) -> int:
    return d * times


@own(
    "FD.Dyadic.compact.empty",
    """Where d divides d_0, and d_0 = d is allowed, M_0(U_0) has exactly the law of M(0, U): epsilon_2 = epsilon_3 = 0.""",
    over="mechanisms of the grid; the law of the running sampler by the explorer against the definition; sizes of all S_v",
    code=["finitedp.impl.histograms.empty_bins.EmptyBinSampler"],
    grid=MULTIPLES,
    subject=(EmptyBinSampler, _exactly),
    twins={
        "half a d more": (EmptyBinSampler, lambda d, times: d * times + d // 2),
        "S_v one too long": (compact_twins.OneTooMany, _exactly),
        "S_v from F(v)": (compact_twins.FromOwnCount, _exactly),
    },
)
def empty(subject: tuple[Any, Callable[[int, int], int]], case: Multiple) -> Iterator[Finding]:
    make, of = subject
    mechanism = DyadicSample(case.n, case.epsilon, case.word)
    d_0 = of(2**case.word, case.times)
    sampler: EmptyBinSampler = make(mechanism, d_0)
    expected = tables.dyadic_sample(case.n, mpq(case.epsilon), case.word, 0)
    found = explore(lambda coins: sampler.apply(coins.uniform(d_0))).law()
    sizes = [last - first + 1 for first, last in map(sampler.interval, range(case.n + 1))]
    yield same_law(found, expected, "M_0(U_0)")
    yield equal([mpq(s, d_0) for s in sizes], [expected[v] for v in range(case.n + 1)], "shares of S_v")
    yield equal((sampler.growth(), *sampler.ratios()), (1, 1, 1), "stated factors")


# The law


class Released(NamedTuple):
    """A histogram, and a dataset of n rows."""

    case: Case
    rows: tuple[int, ...]

    def check_scope(self) -> None:
        n, size = self.case.n, self.case.size
        in_scope(
            n >= 1 and 2 <= self.case.word <= LARGEST_WORD and mpq(self.case.epsilon) > FOR_COINS, "parameters of a table"
        )
        in_scope(len(self.rows) == n and 0 <= min(self.rows) <= max(self.rows) < size, "n rows of the labels 0, 1, ...")


TINY = cases(
    Case,
    [(2, 1, "3", 2), (4, 1, "5/2", 2)],
    [(2, 1, "1", 6), (3, 1, "3", 2), (3, 1, "2", 6), (5, 1, "9", 2), (3, 1, "1/2", 6), (2, 1, "4", 4)],
)


@lru_cache(maxsize=16)
def _defined(case: Case) -> tuple[int, ...]:
    """M_0(1), ..., M_0(d_0), by its definition."""
    return spec.empty_bin_sampler(case.law(0), 2**case.word, 2**case.bits)


@own(
    "FD.Dyadic.compact.law",
    """CompactHistogram on a dyadic table releases a uniform one of the polynomials that are consistent with DyadicSample's
    noisy counts of the labels that occur.""",
    over="every dataset; n = 1; fields of 4 and 64 elements; the running code by the explorer against all polynomials",
    code=["finitedp.impl.histograms.compact.compact_histogram_with_dyadic_sample", "finitedp.spec.compact.compact_histogram"],
    grid=TINY,
    subject=CompactHistogram,
    twins={
        "M's own draw reused": compact_twins.DrawReused,
        "0 at free points": compact_twins.FreeValuesZero,
        "the smallest preimage": compact_twins.SmallestPreimage,
        "S_v one too long": compact_twins.IntervalTooLong,
        "reducible modulus": compact_twins.OverAReducibleModulus,
        "free points that collide": compact_twins.NoRoomForCollisions,
    },
)
@over(lambda case: (Released(case, rows) for rows in multisets(range(case.size), case.n)))
def law(compact: Any, given: Released) -> Finding:  # noqa: ANN401  # CompactHistogram or a copy
    case, dataset = given
    in_scope(tables.table(case.n, case.ratio, case.word) is not None, "there is a table")
    histogram, level = built(case, compact=compact), next(k for k in range(9) if 2 * 3**k == case.bits)
    found = explore(lambda coins: histogram.release(dataset, coins).coefficients).law()
    expected = spec.compact_histogram(dataset, case.n, case.law, _defined(case), level)
    return all_of([equal(histogram.level, level, "level"), same_law(found, expected, f"{dataset}")])


@own(
    "FD.Dyadic.compact.counts",
    """The released counts of the labels that occur and of as many others as make n + 1 labels have exactly the joint law of a
    histogram that draws a count by DyadicSample for each label.""",
    over="datasets of n rows in two labels, and in n; n + 1 points, occupied and free; the law by the explorer against spec",
    code=[f"{COMPACT}.CompactHistogram.points", f"{COMPACT}.compact_histogram_with_dyadic_sample"],
    grid=cases(
        Case,
        [(2**54, 1, "1/3", 54), (2**64, 1, "1/10", 162), (5, 2, "3/2", 18)],
        [
            (2**64, 2, "1/10", 162),
            (2**64, 2, "1", 64),
            (2**161, 3, "1/10", 162),
            (2**162, 2, "2", 162),
            (2**200, 2, "1", 162),
            (3, 3, "1/7", 54),
        ],
    ),
    subject=CompactHistogram,
    twins={
        "one value for all free points": compact_twins.SameDraw,
        "S_v one too long": compact_twins.IntervalTooLong,
        "0 at free points": compact_twins.FreeValuesZero,
    },
    derived_from=("BV.Lem8.1.independence", "FD.Dyadic.compact.law"),
    by="the explored law of the values at the points, which interpolation and evaluation give back",
)
def counts(compact: Any, case: Case) -> Finding:  # noqa: ANN401  # CompactHistogram or a copy
    histogram, findings = built(case, compact=compact), []
    for truths in rows(case):
        free = (x for x in range(2 * case.n + 2) if x not in truths)
        places = (*truths, *(next(free) for _ in range(case.n + 1 - len(truths))))
        expected = joint([case.law(truths.get(x, 0)) for x in places])
        findings.append(same_law(counts_law(histogram, tuple(truths.items()), places), expected, f"counts {truths}"))
        if not findings[-1].holds:
            break
    return all_of(findings)


class Asked(NamedTuple):
    """A histogram, the rows of a dataset, and the labels T whose counts are read from its release.

    The least table of DyadicSample for two rows has 3 bits, whose field of 64 elements has 64^3 polynomials: too many to
    explore. A table of 2 bits for two rows stands in for it, over the field of 4.
    """

    case: Case | Table
    rows: tuple[int, ...]
    labels: tuple[int, ...]


def _asked(histograms: list[Case | Table], together: Callable[[int, int], bool]) -> list[Asked]:
    """Every dataset and every set of 2 to n + 1 labels for which `together` holds of |T and what occurs| and n + 1."""
    found = []
    for case in histograms:
        sets = [T for size in range(2, case.n + 2) for T in combinations(range(case.size), size)]
        for data, labels in product(multisets(range(case.size), case.n), sets):
            if together(len({*data, *labels}), case.n + 1):
                found.append(Asked(case, data, labels))
    return found


FOUR: list[Case | Table] = [Case(4, 1, "3", 2), Case(3, 1, "5/2", 2)]
MORE: list[Case | Table] = [Case(4, 1, "9", 2), Case(6, 1, "2", 6)]
TWO_ROWS = Table(4, ((0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)))
LEFT_OUT = [Asked(TWO_ROWS, *rest) for rest in (((0, 0), (1, 2)), ((1, 3), (0, 3)))]
"""Labels that occur and are not asked for, beside those asked: with one row there is no room for them."""


@erratum(
    "FD.Dyadic.compact.labels",
    """The released counts of any n + 1 labels have exactly the joint law of a histogram that draws a count by DyadicSample for
    each label: no loss against BasicHistogram. (An earlier version of this manual said so.)""",
    """The released counts of a set T of labels have exactly the joint law of a histogram that draws a count by DyadicSample
    for each label, where T and the labels that occur are at most n + 1 together; so each count by itself always has its law.
    For other sets the counts depend on each other: the release's values at n + 1 labels determine those at all others.""",
    printed_grid=Cases(
        _asked(FOUR, lambda together, most: together > most), lambda: _asked(MORE, lambda together, most: together > most)
    ),
    subject=CompactHistogram,
    twins={
        "S_v one too long": compact_twins.IntervalTooLong,
        "0 at free points": compact_twins.FreeValuesZero,
        "M's own draw reused": compact_twins.DrawReused,
        "one value for all free points": compact_twins.SameDraw,
    },
    over="every dataset of one row, and of two rows on another table of 2 bits (quick: two of them); every T of 2 to n + 1"
    " labels that has at most n + 1 with what occurs; whole releases of the code",
    printed_over="every dataset; every T of 2 to n + 1 labels that has more with what occurs",
    code=["finitedp.impl.histograms.compact.CompactHistogram.release"],
    grid=Cases(
        [*_asked(FOUR, lambda together, most: together <= most), *LEFT_OUT],
        lambda: _asked([*MORE, TWO_ROWS], lambda together, most: together <= most),
    ),
    kind="own",
)
def labels(compact: Any, asked: Asked) -> Finding:  # noqa: ANN401  # CompactHistogram or a copy
    expected = joint([asked.case.law(asked.rows.count(x)) for x in asked.labels])
    found = _released(asked.case.built(compact), asked.rows).pushforward(
        lambda release: tuple(release.count(x) for x in asked.labels)
    )
    return same_law(found, expected, f"rows {asked.rows}, labels {asked.labels}")


@lru_cache(maxsize=64)
def _released(histogram: CompactHistogram[Any], data: tuple[int, ...]) -> Pmf[CompactRelease[Any]]:
    """The law of the whole release, by the explorer."""
    return explore(lambda coins: histogram.release(data, coins)).law()


# Privacy


@own(
    "FD.Dyadic.compact.private",
    """CompactHistogram on a dyadic table is (epsilon, 0)-differentially private with worst ratio at most R^2, exactly: no
    factor (q+1)/q. On strict coins it is at most R^2 / (1 - (slack - 1)), whatever n is, and still within e^epsilon.""",
    over="every pair of counts that a row can leave and join, by running laws and the bijection of polynomials and values",
    code=[f"{COMPACT}.CompactHistogram.claim", f"{COMPACT}.compact_histogram_with_dyadic_sample"],
    grid=PRIVATE,
    subject=(DyadicSample, CompactHistogram),
    twins={
        "leftover at the centre": (dyadic_twins.LeftoverAtCentre, CompactHistogram),
        "floor for ceiling": (dyadic_twins.RoundedDown, CompactHistogram),
        "last entry one too small": (dyadic_twins.LastTooSmall, CompactHistogram),
        "S_v from F(v)": (DyadicSample, compact_twins.IntervalFromOwnCount),
    },
    derived_from=("BV.Lem8.1.independence", "FD.CompactHistogram.factors", "FD.Dyadic.compact.empty"),
    by="the bijection of polynomials and their values at n + 1 points, with running laws of M and sizes of S_v",
)
def private(subject: tuple[Make, Any], case: Case) -> Iterator[Finding]:
    histogram, found = built(case), worst_ratio(built(case, *subject))
    if found is None:
        yield Finding(False, mpq(10**9), "infinite ratio")
        return
    allowed, epsilon = case.ratio**2, mpq(case.epsilon)
    exact, strict = histogram.claim(), histogram.claim(StrictCoins())
    claim = PrivacyClaim(epsilon, "replace-one", ratio=allowed, source="FD.Dyadic.compact.private")
    slack = allowed / (2 - StrictCoins.slack)
    yield at_most(found, allowed, "worst ratio")
    yield equal(exact, claim, "stated claim")
    yield equal((strict.epsilon, strict.ratio), (epsilon, slack), "on strict coins")
    yield equal(compare_exp(slack, epsilon) <= 0, True, "within e^epsilon")
