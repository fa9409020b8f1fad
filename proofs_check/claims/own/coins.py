"""Our own claims about turning random bits into uniform draws, which the papers take from an oracle."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp
from finitedp.impl.arithmetic.kernels import ceil_log2, scale_word
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import Coins, ExactCoins, StrictCoins, strict_bits
from finitedp.numbers import decimal
from finitedp.proofs_check.checks.strict import strict_worst_ratio
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_privacy, own, same_law
from finitedp.proofs_check.ledger.grids import Counting
from finitedp.spec import counting as spec
from finitedp.spec.divergence import hockey_stick, max_ratio, total_variation
from finitedp.spec.neighbours import count_pairs, neighbouring_multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.stability import threshold_delta

WithCoins = Callable[[Coins], Coins]
ROUNDS = 40
SLACK = mpq(2**128 + 1, 2**128 - 1)


class Range(NamedTuple):
    """uniform(d, most)."""

    d: int
    most: int


RANGES = cases(
    Range,
    ((d, d + more) for d in (1, 2, 3, 4, 5, 7, 8, 12, 17, 31, 600) for more in (0, 30)),
    ((d, d + more) for d in (*range(1, 70), 100, 127, 129, 255, 1000, 1025, 2047) for more in (0, 1, 5000)),
)


class _Modulo:
    """A common mistake: the remainder of a random word."""

    slack = mpq(1)

    def __init__(self, lazy: Coins) -> None:
        self.bits = lazy.bits

    def uniform(self, d: int, most: int | None = None) -> int:
        return self.bits(ceil_log2(most or d) + 2) % d + 1


@own(
    "FD.ExactCoins",
    f"""ExactCoins.uniform(d) is exactly uniform on 1..d: each round accepts with probability d / 2^b, b = ceil(log2 d), and
    the accepted word is uniform. The running loop is followed for r rounds ({ROUNDS}, fewer for large d); what it leaves
    unresolved is exactly (1 - d/2^b)^r.""",
    over="d on the grid; every value; the rejection loop itself by the explorer",
    code=["finitedp.impl.randomness.coins.ExactCoins.uniform"],
    grid=cases(
        Range,
        [*((d, d + more) for d in (1, 2, 3, 4, 5, 7, 8) for more in (0, 30)), (17, 47)],
        [*RANGES.of("full")],
    ),
    subject=lambda lazy: ExactCoins(lazy.bits),
    twins={"remainder of a word": _Modulo},
)
def exact_coins(make: WithCoins, case: Range) -> Finding:
    rejected = 1 - mpq(case.d, 2 ** ceil_log2(case.d))
    rounds = min(ROUNDS, 2000 // case.d + 2)
    found = explore(lambda lazy: make(lazy).uniform(case.d, case.most), Budget(draws=rounds, bits=None))
    law = same_law(found.resolved_law(), Pmf.uniform(range(1, case.d + 1)), "given that a word is accepted")
    return all_of([law, equal(found.unresolved, rejected**rounds, "unresolved mass")])


def _strict(lazy: Coins) -> Coins:
    return StrictCoins(lazy.bits)


class _FewBits(StrictCoins):
    """Multiply and shift with 8 spare bits only."""

    def uniform(self, d: int, most: int | None = None) -> int:
        length = ceil_log2(d) + 8
        return scale_word(self.bits(length), length, d)


class _BitsOfTheRange(StrictCoins):
    """As many bits as d itself needs, though d depends on the data."""

    def uniform(self, d: int, most: int | None = None) -> int:
        return super().uniform(d)


@own(
    "FD.StrictCoins",
    """StrictCoins.uniform(d, most), d <= most, gives every value of 1..d, hence every event, its uniform probability up to a
    factor between 1 - 2^-128 and 1 + 2^-128; it reads ceil(log2 most) + 128 bits, always.""",
    over="d and most on the grid; every value; multiplying and shifting itself by the explorer",
    code=["finitedp.impl.randomness.coins.StrictCoins.uniform", "finitedp.impl.arithmetic.kernels.scale_word"],
    grid=RANGES,
    subject=_strict,
    twins={
        "8 spare bits": lambda lazy: _FewBits(lazy.bits),
        "remainder of a word": _Modulo,
        "bits of d, not of its bound": lambda lazy: _BitsOfTheRange(lazy.bits),
    },
)
def strict_coins(make: WithCoins, case: Range) -> Iterator[Finding]:
    found = explore(lambda lazy: make(lazy).uniform(case.d, case.most))
    law, d = found.law(), case.d
    read = {ranges for ranges, _ in found.shapes}
    off = max(abs(law[u] * d - 1) for u in range(1, d + 1))
    yield at_most(off, mpq(1, 2**128), "relative error")
    yield equal(law.support, frozenset(range(1, d + 1)), "support")
    yield equal(read, {(2 ** strict_bits(case.most),)}, "words read")
    yield equal(StrictCoins.slack, SLACK, "slack")


@own(
    "FD.StrictCoins.ratio",
    """FastSample on StrictCoins is (epsilon/2, 0)-differentially private, with a worst ratio of at most (1 + 2^-k) * (2^128
    + 1) / (2^128 - 1), which is at most e^(epsilon/2); its law is within 2^-128 of the exact one. The worst ratio by classes
    of z - c (FD.StrictCoins.real) equals the one over all outputs.""",
    over="every count; the law of the running code on the running coins by the explorer",
    code=["finitedp.impl.randomness.coins.StrictCoins", "finitedp.impl.counting.geometric.FastSample.claim"],
    grid=cases(
        Counting,
        [*product((1, 3, 6), (1, 2, 10), (2, 16)), (44, 1, 2)],
        [*product((2, 8, 20), (1, 3, 17, 100), (2, 2**20)), (60, 1, 2), (100, 1, 2)],
    ),
    subject=_strict,
    twins={"8 spare bits": lambda lazy: _FewBits(lazy.bits)},
)
def strict_law(make: WithCoins, case: Counting) -> Iterator[Finding]:
    mechanism = FastSample(case.n, case.epsilon, case.gamma)
    laws = [explore(lambda lazy, c=c: mechanism.release(c, make(lazy))).law() for c in range(case.n + 1)]  # type: ignore[misc]
    claim = PrivacyClaim(mpq(1, 2 * case.q), "counts", ratio=SLACK / spec.sample_decay(mpq(1, case.q)), source="BV.Thm4.10.i")
    private = check_privacy(lambda c: laws[c], count_pairs(case.n), claim)
    exact = (spec.fast_sample(case.n, case.epsilon, case.gamma, c) for c in range(case.n + 1))
    distance = max(total_variation(law, e).distance for law, e in zip(laws, exact, strict=True))
    yield of_privacy(private, claim)
    yield equal(mechanism.claim(StrictCoins()), claim, "stated claim")
    yield at_most(distance, mpq(1, 2**128), "distance")
    yield equal(strict_worst_ratio(mechanism).value, private.worst.value, "worst ratio by classes")


def _worst(laws: list[Pmf[int]]) -> mpq:
    return max(max_ratio(laws[a], laws[b]).value for a, b in count_pairs(len(laws) - 1))


@own(
    "FD.StrictCoins.slack",
    """GeoSample on StrictCoins has a worst ratio of at most (1 + 2^-k) * (2^128 + 1)/(2^128 - 1), which is what its claim
    states and below e^(epsilon/2). The slack is needed: at some parameters the ratio is above 1 + 2^-k.""",
    over="every count; the law of the running code on the running coins by the explorer",
    code=["finitedp.impl.randomness.coins.StrictCoins.slack", "finitedp.impl.counting.geometric.GeoSample.claim"],
    grid=cases(Counting, product((1, 3, 6, 10), (1, 2, 3)), product((2, 5, 8, 20, 40), (1, 4, 5, 17))),
    subject=SLACK,
    twins={"the slack ignored": mpq(1)},
)
def strict_slack(slack: mpq, case: Counting) -> Finding:
    mechanism, epsilon = GeoSample(case.n, case.epsilon), mpq(1, case.q)
    laws = [explore(lambda lazy, c=c: mechanism.release(c, _strict(lazy))).law() for c in range(case.n + 1)]  # type: ignore[misc]
    ratio = slack / spec.sample_decay(epsilon)
    claim = PrivacyClaim(epsilon / 2, "counts", ratio=SLACK / spec.sample_decay(epsilon), source="BV.Thm4.7.i")
    return all_of([at_most(_worst(laws), ratio, "ratio"), equal(mechanism.claim(StrictCoins()), claim, "stated claim")])


@own(
    "FD.StrictCoins.histogram",
    """BasicHistogram with GeoSample or FastSample on StrictCoins has a worst ratio of at most ((1 + 2^-k) *
    slack)^2, as its claim states, and within e^epsilon.""",
    over="every neighbouring pair of multisets over two labels; GeoSample and FastSample; joint laws of the running code",
    code=["finitedp.impl.histograms.basic.BasicHistogram.claim", "finitedp.impl.randomness.coins.StrictCoins"],
    grid=cases(
        Counting,
        [(1, 1, 0), (3, 1, 0), (3, 2, 0), (2, 1, 4)],
        [(6, 1, 0), (4, 3, 0), (4, 2, 16), (3, 3, 2)],
    ),
    subject=SLACK,
    twins={"the slack ignored": mpq(1)},
)
def strict_histogram(slack: mpq, case: Counting) -> Iterator[Finding]:
    epsilon = mpq(1, case.q)
    counting = FastSample(case.n, epsilon, case.gamma) if case.g else GeoSample(case.n, epsilon)
    histogram = BasicHistogram(counting, "ab")
    ratio = (slack / spec.sample_decay(epsilon)) ** 2
    stated = PrivacyClaim(epsilon, "replace-one", ratio=(SLACK / spec.sample_decay(epsilon)) ** 2, source="BV.Thm5.2.i")

    def law(dataset: tuple[str, ...]) -> Pmf[tuple[tuple[str, int], ...]]:
        return explore(lambda lazy: histogram.release(dataset, _strict(lazy))).law()

    found = check_privacy(law, neighbouring_multisets("ab", case.n, "replace-one"), stated)
    yield at_most(found.worst.value, ratio, "ratio")
    yield Finding(found.holds, mpq(0), "private as claimed")
    yield equal(histogram.claim(StrictCoins()), stated, "stated claim")


class Threshold(NamedTuple):
    """GeoSample at n and epsilon = 1/q, under a StabilityHistogram with threshold b."""

    n: int
    q: int
    b: int


@own(
    "FD.StrictCoins.stability",
    """StabilityHistogram with GeoSample on StrictCoins has at the ratio ((1 + 2^-k) * slack)^2 a
    delta of at most Pr[M(1, U) > b] of the exact coins: multiplying and shifting rounds upper tails down. The claim states
    that times the slack.""",
    over="every neighbouring pair of multisets over two labels; GeoSample; joint laws of the running code",
    code=["finitedp.impl.histograms.stability.StabilityHistogram.claim", "finitedp.impl.randomness.coins.StrictCoins"],
    grid=cases(
        Threshold,
        ((n, q, b) for n, q in ((2, 1), (3, 1), (3, 2)) for b in range(n)),
        ((n, q, b) for n, q in ((4, 1), (5, 2), (6, 3)) for b in range(n)),
    ),
    subject=0,
    twins={"Pr[M(1, U) > b + 1]": 1},
)
def strict_stability(more: int, case: Threshold) -> Finding:
    epsilon = mpq(1, case.q)
    histogram: StabilityHistogram[str] = StabilityHistogram(GeoSample(case.n, epsilon), case.b, padded=False)
    ratio = (SLACK / spec.sample_decay(epsilon)) ** 2
    delta = threshold_delta(lambda count: spec.geo_sample(case.n, epsilon, count), case.b + more)
    stated = PrivacyClaim(epsilon, "replace-one", delta * SLACK, source="BV.Thm5.5.i")

    @cache
    def law(dataset: tuple[str, ...]) -> Pmf[tuple[tuple[str, int], ...]]:
        return explore(lambda lazy: histogram.release(dataset, _strict(lazy))).law()

    pairs = neighbouring_multisets("ab", case.n, "replace-one")
    found = max(hockey_stick(law(d), law(e), ratio).delta for d, e in pairs)
    return all_of([at_most(found, delta, "delta"), equal(histogram.claim(StrictCoins()), stated, "stated claim")])


class Real(NamedTuple):
    """Real parameters of FastSample: n, epsilon = 1/q, gamma = 2^-bits."""

    n: int
    q: int
    bits: int


@own(
    "FD.StrictCoins.real",
    """At n = 10^6, epsilon = 1/10 and gamma = 2^-40 the exact worst ratio that FastSample has on StrictCoins, over all
    counts and outputs, is below 1 + 2^-k and so within e^(epsilon/2).""",
    over="every pair of neighbouring counts and every output, by classes of z - c; word counts are exact integers",
    code=["finitedp.proofs_check.checks.strict.strict_worst_ratio"],
    grid=cases(Real, [(10**6, 10, 40)], [(10**6, 1, 40), (10**9, 10, 64), (20190, 1, 12), (1000, 100, 40)]),
    subject=FastSample,
    twins={"k one too small": twins.FastTooNarrow},
    derived_from=("FD.StrictCoins", "FD.StrictCoins.ratio"),
    by="classes of z - c, in which the running F depends on the distance alone",
)
def strict_ratio_at_real_parameters(make: Callable[[int, mpq, mpq], FastSample], case: Real) -> Finding:
    parameters = case.n, mpq(1, case.q), mpq(1, 2**case.bits)
    mechanism, claimed = make(*parameters), FastSample(*parameters)
    found = strict_worst_ratio(mechanism)
    allowed = 1 + mpq(1, 2**claimed.k)
    exact = _ratio_on_exact_coins(mechanism, found.left, found.right, found.output)
    off = abs(found.value - exact)
    shown = f"2^{off.numerator.bit_length() - off.denominator.bit_length()}" if off else "0"
    detail = (
        f"ratio {decimal(found.value, 12)}, below {allowed} by {decimal(allowed - found.value)}, about {shown} from the exact "
        f"coins' ratio, at output {found.output}, counts {found.left} and {found.right}"
    )
    within = found.value <= allowed and compare_exp(found.value, mpq(1, 2 * case.q)) < 0
    return Finding(within, found.value / allowed, detail)


def _ratio_on_exact_coins(mechanism: FastSample, left: int, right: int, z: int) -> mpq:
    return mpq(*(mechanism.cdf(c, z) - mechanism.cdf(c, z - 1) for c in (left, right)))
