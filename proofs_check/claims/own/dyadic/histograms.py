"""BasicHistogram and StabilityHistogram on dyadic tables, our own: laws, exact privacy, the least threshold."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import RationalLike, compare_exp
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.dyadic import (
    basic_histogram_with_dyadic_sample,
    least_threshold,
    stability_histogram_with_dyadic_sample,
)
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.proofs_check.claims.bv.histograms import subjects as stability
from finitedp.proofs_check.claims.bv.histograms.subjects import joint_law
from finitedp.proofs_check.claims.own.dyadic import twins
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import (
    Case,
    Changed,
    MakeBasic,
    MakeStability,
    Rows,
    basic_on,
    deltas,
    stability_on,
    unpadded,
)
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, own, same_law, same_laws
from finitedp.spec import dyadic as spec
from finitedp.spec import stability as spec_stability
from finitedp.spec.divergence import hockey_stick, max_ratio
from finitedp.spec.histogram import basic_histogram

DYADIC = "finitedp.impl.histograms.dyadic"
STABILITY_CODE = "finitedp.impl.histograms.stability.StabilityHistogram"

BASIC = cases(
    Case,
    [(2, 1, "3", 6), (2, 2, "1", 8), (2, 2, "1/3", 64), (3, 1, "5/2", 10), (2, 3, "1/7", 128)],
    [
        (3, 2, "5/2", 10),
        (3, 2, "1/3", 64),
        (3, 3, "3", 6),
        (4, 2, "2/7", 54),
        (2, 5, "1/10", 64),
        (3, 3, "1", 162),
        (1, 8, "4", 16),
    ],
)


BASIC_TWINS = {
    "leftover at the centre": basic_on(twins.LeftoverAtCentre),
    "floor for ceiling": basic_on(twins.RoundedDown),
    "last entry one too small": basic_on(twins.LastTooSmall),
    "epsilon for each bin": basic_on(DyadicSample, times=2),
}


@own(
    "FD.Dyadic.basic.law",
    "BasicHistogram on a dyadic table releases independent DyadicSample counts of all labels.",
    over="every dataset of at most n rows; the joint law of the running code by the explorer against the definition",
    code=["finitedp.impl.histograms.dyadic.basic_histogram_with_dyadic_sample", "finitedp.spec.histogram.basic_histogram"],
    grid=BASIC,
    subject=basic_histogram_with_dyadic_sample,
    twins=BASIC_TWINS,
)
def basic_law(make: MakeBasic, case: Case) -> Finding:
    law = joint_law(make(case.universe, case.n, case.epsilon, case.word))
    return same_laws(law, lambda data: basic_histogram(data, case.universe, case.stable.law), case.datasets(), "".join)


@own(
    "FD.Dyadic.basic.private",
    """BasicHistogram on a dyadic table is (epsilon, 0)-differentially private for every rational epsilon > 0, with worst ratio
    at most R^2 <= e^epsilon and no slack on any coins.""",
    over="every pair of neighbouring datasets of at most n rows; joint laws of the running code",
    code=["finitedp.impl.histograms.basic.BasicHistogram.claim"],
    grid=BASIC,
    subject=basic_histogram_with_dyadic_sample,
    twins=BASIC_TWINS,
)
def basic_private(make: MakeBasic, case: Case) -> Iterator[Finding]:
    law = joint_law(make(case.universe, case.n, case.epsilon, case.word))
    allowed, stated = case.stable.dyadic.ratio**2, basic_histogram_with_dyadic_sample(case.universe, *case.stable.dyadic)
    found = max((max_ratio(law(a), law(b)).value for a, b in case.pairs()), default=mpq(1))
    claim = PrivacyClaim(mpq(case.epsilon), "replace-one", ratio=allowed, source="BV.Thm5.2.i")
    yield at_most(found, allowed, "worst ratio")
    yield equal(compare_exp(allowed, mpq(case.epsilon)) <= 0, True, "R^2 <= e^epsilon")
    yield equal([stated.claim(), stated.claim(StrictCoins())], [claim, claim], "stated claims")


# StabilityHistogram


STABILITY = cases(
    Case,
    [
        *((2, 2, "1", 8, "2/5"), (2, 3, "4", 10, "1/20"), (3, 3, "5/2", 12, "1/7"), (2, 3, "6", 64, "1/100")),
        *((3, 2, "9", 64, "1/50"), (2, 4, "3", 128, "1/100"), (2, 2, "1", 8, "7/10")),
    ],
    [
        *((4, 3, "3", 16, "1/9"), (3, 4, "7/2", 64, "1/30"), (2, 6, "2", 128, "1/100"), (2, 7, "4", 54, "1/2000")),
        (3, 3, "10", 64, "1/5000"),
    ],
)


@own(
    "FD.Dyadic.stability.law",
    """StabilityHistogram on a dyadic table releases, of independent DyadicSample counts of the labels that occur, those above
    the least threshold for delta, sorted by label.""",
    over="every dataset of at most n rows; the joint law of the running code by the explorer against the definition",
    code=[f"{DYADIC}.stability_histogram_with_dyadic_sample", "finitedp.spec.stability.stability_histogram"],
    grid=STABILITY,
    subject=stability_histogram_with_dyadic_sample,
    twins={
        "b one less": stability_on(step=-1),
        "b one more": stability_on(step=1),
        ">= b": stability_on(kind=stability.KeepsTies),
        "sorted by true count": stability_on(kind=stability.HeaviestFirst),
        "floor for ceiling": stability_on(twins.RoundedDown),
    },
)
@over(Case.rows)
def stability_law(make: MakeStability, case: Rows) -> Finding:
    of, data = case.of, case.data
    return same_law(
        joint_law(unpadded(make, of, of))(data), spec_stability.stability_histogram(data, of.law, of.b), "".join(data)
    )


@own(
    "FD.Dyadic.stability.private",
    """StabilityHistogram on a dyadic table is (epsilon, delta)-differentially private for all rationals epsilon > 0 and delta:
    its exact delta, at the ratio R^2 and at any other, is Pr[M(1, U) > b] <= delta, attained, on all coins. With a lesser
    threshold it exceeds delta.""",
    over="every pair of neighbouring datasets of at most n rows; joint laws of the running code; thresholds b and b - 1",
    code=[f"{STABILITY_CODE}.claim", f"{STABILITY_CODE}.delta"],
    grid=STABILITY,
    subject=stability_histogram_with_dyadic_sample,
    twins={
        "b one less": stability_on(step=-1),
        "b one more": stability_on(step=1),
        "no threshold": stability_on(kind=stability.NoThreshold),
        "floor for ceiling": stability_on(twins.RoundedDown),
    },
)
@over(Case.changed)
def stability_private(make: MakeStability, case: Changed) -> Iterator[Finding]:
    of = case.of
    made, ratio = unpadded(make, of, of), of.dyadic.ratio**2
    attains, exact = not case.common[case.away], spec_stability.threshold_delta(of.law, of.b)
    stated = [made.claim(), made.claim(StrictCoins())]
    claim = PrivacyClaim(mpq(of.epsilon), "replace-one", exact, None, "BV.Thm5.5.i")
    yield equal(stated, [claim, claim], "stated claims")
    yield at_most(exact, mpq(of.delta), "Pr[M(1) > b]")
    yield from deltas(lambda which, at: _exact_delta(which, case, at), made, of, ratio, "R^2", attains)


def _exact_delta(made: StabilityHistogram[str], case: Changed, ratio: mpq) -> mpq:
    law = joint_law(made)
    return hockey_stick(law(case.first), law(case.second), ratio).delta


class Large(NamedTuple):
    """Parameters of a release at its real size."""

    n: int
    epsilon: str
    delta: str
    word: int


def _between(n: int, epsilon: str, j: int, word: int) -> Large:
    """With a delta just below S_j / 2^B, and no multiple of 2^-B."""
    return Large(n, epsilon, str(mpq(2 * DyadicSample(n, epsilon, word).table.upper(j) - 1, 2 ** (word + 1))), word)


LARGE = Cases(
    # a table is built for the last one, so that they wait until they are needed
    lambda: [
        Large(10**6, "1/10", "1/10000000000", 64),
        Large(10**9, "1/10", "1/1000000000000", 128),
        Large(20190, "1", "1/1000000", 64),
        Large(10**7, "1/10", "1/100000000000", 64),
        Large(5000, "2/7", "3/1000001", 64),
        Large(900, "1/2", "9/10", 64),
        Large(10**6, "1", "1/100000000000000000000", 200),
        _between(4, "3", 2, 64),
    ],
    [
        Large(10**9, "1/1000", "1/1000000000", 64),
        Large(10**9, "1/1000", "1/10000000000000000", 128),
        Large(10**12, "3", "1/1000000000000000000000", 128),
    ],
)
SMALL_ENOUGH = 12  # rows
LITTLE = [Large(n, e, d, 16) for n in (1, 2, 5) for e in ("1/3", "1", "6") for d in ("1/1000", "1/10", "9/10")]
MORE_LITTLE = [Large(n, e, d, 32) for n in (3, 8, 12) for e in ("1/10", "2", "9") for d in ("1/1000", "1/20", "1/2")]
Least = Callable[[DyadicSample, RationalLike], int]


@own(
    "FD.Dyadic.stability.threshold",
    """least_threshold(M, delta) is the least b with Pr[M(1, U) > b] <= delta: the least b < n with S_b <= delta 2^B, or n
    where there is none, as M is never above n.""",
    over="""tables at their real size, up to n = 10^9, by the certified table's own sums at b and b - 1; small ones by the law
    of spec, n from 1 to 12 and delta from 1/1000 to 9/10""",
    code=["finitedp.impl.histograms.dyadic.least_threshold"],
    grid=Cases(lambda: [*LITTLE, *LARGE.of("quick")], lambda: [*MORE_LITTLE, *LARGE.of("full")]),
    subject=least_threshold,
    twins={
        "one more": lambda m, delta: least_threshold(m, delta) + 1,
        "one less": lambda m, delta: least_threshold(m, delta) - 1,
        "half of delta": lambda m, delta: least_threshold(m, mpq(delta) / 2),
    },
)
def threshold(of: Least, case: Large) -> Iterator[Finding]:
    mechanism, delta = DyadicSample(case.n, case.epsilon, case.word), mpq(case.delta)
    b, table = of(mechanism, delta), mechanism.table
    shown = mpq(table.upper(b), 2**case.word) if b < case.n else mpq(0)
    yield at_most(shown, delta, f"Pr[M(1) > {b}]")
    yield equal(b == 0 or mpq(table.upper(b - 1), 2**case.word) > delta, True, f"S_{b - 1} / 2^{case.word} is above delta")
    if case.n <= SMALL_ENOUGH:
        dyadic = Dyadic(case.n, case.epsilon, case.word)
        yield equal(b, spec_stability.least_threshold(lambda c: spec.law(dyadic.weights, c), delta), "b by the law")
