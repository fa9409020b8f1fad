"""BasicHistogram and StabilityHistogram on dyadic tables for a row more or less, our own: exact privacy on half the noise."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import RationalLike, compare_exp
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.dyadic import (
    basic_histogram_with_dyadic_sample,
    stability_histogram_with_dyadic_sample,
)
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import Coins, StrictCoins
from finitedp.proofs_check.claims.bv.histograms import subjects as stability
from finitedp.proofs_check.claims.bv.histograms.subjects import joint_law
from finitedp.proofs_check.claims.own.dyadic import twins
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import (
    Added,
    Case,
    Labels,
    MakeBasic,
    MakeStability,
    basic_on,
    deltas,
    stability_on,
    unpadded,
)
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Finding, but, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, own, same_law, same_laws
from finitedp.spec import stability as spec_stability
from finitedp.spec.divergence import hockey_stick, max_ratio
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.neighbours import count_pairs

CODE = "finitedp.impl.histograms"


def _basic(labels: Labels, n: int, epsilon: RationalLike, word: int) -> BasicHistogram[str]:
    return basic_histogram_with_dyadic_sample(labels, n, epsilon, word, neighbours="add-remove")


class RowsRemain(BasicHistogram[Any]):
    """A dataset without rows is taken for another."""

    def release(self, data: Any, coins: Coins) -> tuple[tuple[Any, int], ...]:  # noqa: ANN401  # as there
        """Of n rows of the first label, where there are none."""
        return super().release(tuple(data) or (self.labels[0],) * self.mechanism.n, coins)


@own(
    "FD.Dyadic.basic.add-remove",
    """BasicHistogram on the dyadic table of 2 epsilon is (epsilon, 0)-differentially private for a row more or less, for every
    rational epsilon > 0 and with no slack on any coins: its worst ratio is that of one count, at most R <= e^epsilon.""",
    over="every pair of neighbouring datasets of 0..n rows; joint laws of the running code, the definition's too",
    code=[f"{CODE}.dyadic.basic_histogram_with_dyadic_sample", f"{CODE}.basic.BasicHistogram.add_remove_claim"],
    grid=cases(
        Case,
        [(2, 1, "3/2", 6), (2, 2, "1/2", 8), (2, 2, "1/6", 64), (3, 1, "5/4", 10), (2, 3, "1/14", 128), (1, 4, "1", 12)],
        [(3, 2, "5/4", 10), (3, 2, "1/6", 64), (3, 3, "3/2", 6), (4, 2, "1/7", 54), (2, 5, "1/20", 64), (1, 8, "2", 16)],
    ),
    subject=_basic,
    twins={
        "the table of 4 epsilon": basic_on(DyadicSample, 4),
        "the table of epsilon": basic_on(DyadicSample),
        "floor for ceiling": basic_on(twins.RoundedDown, 2),
        "last entry one too small": basic_on(twins.LastTooSmall, 2),
        "the claim of a replaced row": basic_on(DyadicSample, 2, but(BasicHistogram, add_remove_claim=BasicHistogram.claim)),
        "no rows become n of one label": basic_on(DyadicSample, 2, RowsRemain),
    },
)
def basic_add_remove(make: MakeBasic, case: Case) -> Iterator[Finding]:
    made, table = make(case.universe, case.n, case.epsilon, case.word), case.of_the_double().stable
    law, one = joint_law(made), table.law
    found = max(max_ratio(law(a), law(b)).value for x in case.added() for a, b in (x.both, x.both[::-1]))
    claim = PrivacyClaim(mpq(case.epsilon), "add-remove", ratio=table.dyadic.ratio, source="FD.Dyadic.basic.add-remove")
    yield same_laws(law, lambda data: basic_histogram(data, case.universe, one), [(), *case.datasets()], "".join)
    yield equal(found, max(max_ratio(one(c), one(d)).value for c, d in count_pairs(case.n)), "worst ratio of one count")
    yield at_most(found, table.dyadic.ratio, "worst ratio")
    yield equal(compare_exp(table.dyadic.ratio, mpq(case.epsilon)) <= 0, True, "R <= e^epsilon")
    yield equal([made.add_remove_claim(), made.add_remove_claim(StrictCoins())], [claim, claim], "stated claims")


# StabilityHistogram

_with = partial(stability_on, times=2, of=2)


def _stability(n: int, epsilon: RationalLike, delta: RationalLike, word: int) -> StabilityHistogram[Any]:
    return stability_histogram_with_dyadic_sample(n, epsilon, delta, word, neighbours="add-remove")


@own(
    "FD.Dyadic.stability.add-remove",
    """StabilityHistogram on the dyadic table of 2 epsilon is (epsilon, delta)-differentially private for a row more or less,
    for all rationals epsilon > 0 and delta: its exact delta, at the ratio R <= e^epsilon and at any other, is
    Pr[M(1, U) > b] <= delta, attained by no rows and one, on all coins. With a lesser threshold it exceeds delta.""",
    over="every pair of neighbouring datasets of 0..n rows; joint laws of the running code; thresholds b and b - 1",
    code=[
        f"{CODE}.dyadic.stability_histogram_with_dyadic_sample",
        f"{CODE}.stability.StabilityHistogram.add_remove_claim",
    ],
    grid=cases(
        Case,
        [
            *((2, 2, "1/2", 8, "2/5"), (2, 3, "2", 10, "1/20"), (3, 3, "5/4", 12, "1/7"), (2, 3, "3", 64, "1/100")),
            *((3, 2, "9/2", 64, "1/50"), (2, 4, "3/2", 128, "1/100"), (1, 5, "1/2", 8, "7/10")),
        ],
        [
            *((4, 3, "3/2", 16, "1/9"), (3, 4, "7/4", 64, "1/30"), (2, 6, "1", 128, "1/100"), (2, 7, "2", 54, "1/2000")),
            (3, 3, "5", 64, "1/5000"),
        ],
    ),
    subject=_stability,
    twins={
        "b one less": _with(step=-1),
        "b one more": _with(step=1),
        "no threshold": _with(kind=stability.NoThreshold),
        "the table of 4 epsilon": _with(times=4),
        "the table and threshold of a replaced row": _with(times=1, of=1),
        "the threshold of a replaced row": _with(of=1),
        "the claim of a replaced row": _with(kind=but(StabilityHistogram, add_remove_claim=StabilityHistogram.claim)),
        "floor for ceiling": _with(twins.RoundedDown),
    },
)
@over(Case.added)
def stability_add_remove(make: MakeStability, case: Added) -> Iterator[Finding]:
    given, table, delta = case.of, case.of.of_the_double(), mpq(case.of.delta)
    made, laws = unpadded(make, given, table), [spec_stability.stability_histogram(x, table.law, table.b) for x in case.both]
    attains, exact, ratio = not case.common[case.to], spec_stability.threshold_delta(table.law, table.b), table.dyadic.ratio
    claim = PrivacyClaim(mpq(given.epsilon), "add-remove", exact, None, "FD.Dyadic.stability.add-remove")
    yield from (same_law(joint_law(made)(x), law, "".join(x)) for x, law in zip(case.both, laws, strict=True))
    yield at_most(exact, delta, "Pr[M(1) > b]")
    yield equal(compare_exp(ratio, mpq(given.epsilon)) <= 0, True, "R <= e^epsilon")
    yield equal([made.add_remove_claim(), made.add_remove_claim(StrictCoins())], [claim, claim], "stated claims")
    yield from deltas(lambda which, at: _delta(which, case, at), made, table, ratio, "R", attains)


def _delta(made: StabilityHistogram[str], case: Added, ratio: mpq) -> mpq:
    """The larger one of both directions."""
    without, with_it = map(joint_law(made), case.both)
    return max(hockey_stick(without, with_it, ratio).delta, hockey_stick(with_it, without, ratio).delta)
