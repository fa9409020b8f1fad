"""finitedp.compose as a user calls it: claims of releases, counts, what is refused."""

import pickle
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp import (
    BasicHistogram,
    Curve,
    DyadicSample,
    FastSample,
    PrivacyClaim,
    StabilityHistogram,
    compose,
    release,
)
from finitedp.curve import Pair
from finitedp.errors import ParameterError
from finitedp.impl.accounting.composing import natural_step, simplest
from finitedp.impl.histograms.dyadic import basic_histogram_with_dyadic_sample
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.randomness.words import SeededWords

COUNTS = {"yes": 600, "no": 400}


def test_every_release_tells_its_own_curve() -> None:
    table = DyadicSample(1000, 1)
    assert table.claim().curve().source == "FD.Pair.dyadic"
    assert len(BasicHistogram(table, ["x"]).claim().curve().pairs) == 2
    assert BasicHistogram(table, ["x"]).add_remove_claim().curve().pairs == table.claim().curve().pairs
    assert StabilityHistogram(table, 10).claim().curve().source == "FD.Pair.stability"
    assert KeepHeavy(BasicHistogram(table, range(2001))).claim().curve().source == "FD.Pair.replace"
    assert FastSample(10, "1/2", "1/1000").claim().curve().source == "FD.Pair.pure"


def test_a_noisy_histogram_tells_its_own_curve_and_delta_from_r_squared_on() -> None:
    noisy = release(COUNTS, epsilon="1/2", delta="1/1000000")
    assert noisy.claim is not None
    assert noisy.threshold is not None
    low, high = noisy.claim.curve().delta(noisy.epsilon)
    assert low == high <= noisy.claim.delta
    table = DyadicSample(1000, "1/2", noisy.mechanism.word).table
    assert low * 2**table.bits == table.upper(noisy.threshold)


def test_a_claim_read_from_json_gives_the_curve_of_its_numbers() -> None:
    claim = BasicHistogram(DyadicSample(1000, 1), ["x"]).claim()
    read = PrivacyClaim.from_json(claim.as_json())
    assert read == claim
    assert read.curve().source == "FD.Pair.pure"
    assert read.curve().delta("1/2")[0] > claim.curve().delta("1/2")[1]
    assert pickle.loads(pickle.dumps(claim)).curve() == claim.curve()  # noqa: S301  # our own bytes


def test_a_claim_of_epsilon_alone_is_enclosed() -> None:
    curve = PrivacyClaim(1, "counts", "1/10").curve()
    low, high = curve.delta(1)
    assert not curve.exact
    assert low <= mpq(1, 10) <= high
    assert high - low < mpq(1, 2**100)
    assert curve.delta(0)[0] > mpq(1, 2)


def test_the_curve_of_another_relation_is_not_taken_over() -> None:
    claim = evolve(DyadicSample(1000, 1).claim(), neighbours="add-remove")
    assert claim.curve().source == "FD.Pair.pure"


def test_counts_and_repetitions_are_the_same() -> None:
    claim, other = DyadicSample(1000, 1).claim(), PrivacyClaim("1/3", "counts")
    one = compose([(claim, 3), other])
    assert one.releases == 4
    assert one.delta(1) == compose([claim, other, claim, claim.curve()]).delta(1)
    assert one.epsilon("1/10") == compose([claim, other, claim, claim]).epsilon("1/10")


def test_pure_releases_add_up_at_delta_0_and_no_loss_is_beyond() -> None:
    together = compose([(PrivacyClaim(1, "counts", ratio=2), 10)])
    low, high = together.epsilon(0)
    assert mpq(6931, 1000) < low < high < mpq(6932, 1000)
    assert together.delta(7) == (mpq(0), mpq(0))
    assert together.delta(high)[1] == 0


def test_a_stability_release_is_not_charged_for_both_sides() -> None:
    curve = release(COUNTS, epsilon=1, delta="1/1000").claim.curve()  # type: ignore[union-attr]
    assert compose([curve]).delta(2)[0] <= curve.delta(2)[1] <= mpq(1, 1000)


def test_epsilon_is_found_where_delta_is_known_exactly() -> None:
    curve = DyadicSample(10**6, "1/10").claim().curve()
    assert curve.ratio(0) == curve.pairs[0].largest
    at = curve.ratio("1/100")
    assert curve.delta_at(at) == mpq(1, 100)
    low, high = compose([curve]).epsilon("1/100")
    exact = curve.epsilon("1/100")
    assert low <= exact[1]
    assert exact[0] <= high
    assert high - low < mpq(1, 10**6)


def test_the_natural_step_of_a_table_is_half_of_epsilon() -> None:
    for epsilon in ("1/10", "1/7", "199/1000", "2"):
        assert natural_step(DyadicSample(10**6, epsilon).claim().curve().pairs[0]) == mpq(epsilon) / 2
    assert natural_step(PrivacyClaim("123456/1000000", "counts").curve().pairs[0]) == mpq("0.123456")
    assert simplest(mpq(311, 100), mpq(315, 100)) == mpq(22, 7)


SEEDED = release(COUNTS, epsilon=1, universe=["yes", "no"], words=SeededWords(1, not_private=True)).claim
CLAIM = PrivacyClaim(1, "counts")
REFUSED: list[tuple[Any, str]] = [
    ([], "0 releases; accepted: 1 to 10000"),
    ([(CLAIM, 6000), (CLAIM, 6000)], "12000 releases"),
    ([SEEDED], "words are seeded"),
    ([release(COUNTS, epsilon=1, universe=["yes", "no"])], "NoisyHistogram is no claim"),
    ([(CLAIM, 0)], "how often = 0"),
    ([(CLAIM, "2")], "how often = '2'"),
    ([CLAIM, PrivacyClaim(1, "add-remove")], "add-remove, counts; accepted: one relation"),
    (CLAIM, "releases is PrivacyClaim"),
    ("claims", "releases is str"),
    ([PrivacyClaim(10**6, "counts")], "too large for a curve"),
]


@pytest.mark.parametrize(("releases", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_refused(releases: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        compose(releases)


def test_what_is_refused_of_a_composition() -> None:
    together = compose([(PrivacyClaim(1, "counts", "1/100"), 3)])
    for ask, words in (
        (lambda: together.delta(0.5), "is a float"),  # type: ignore[arg-type]  # what is refused
        (lambda: together.delta(-1), "is negative"),
        (lambda: together.epsilon("1/50"), "no epsilon is known to lower"),
        (lambda: together.epsilon(2), "out of range"),
        (lambda: CLAIM.curve().delta_at(-1), "is negative"),
        (lambda: PrivacyClaim(1, "counts", "1/100").curve().epsilon("1/200"), "which no epsilon lowers"),
        (lambda: Curve([], "counts"), "one pair of laws"),
    ):
        with pytest.raises(ParameterError, match=words):
            ask()


def test_two_bins_cost_less_than_their_ratio_squared() -> None:
    histogram = basic_histogram_with_dyadic_sample(["x", "y"], 10**6, "1/10")
    own, alone = histogram.claim(), PrivacyClaim.from_json(histogram.claim().as_json())
    (_, enough), (needed, _) = (compose([(claim, 100)]).epsilon("1/1000000") for claim in (own, alone))
    assert enough < mpq(33, 10) < mpq(47, 10) < needed


@pytest.mark.parametrize(("atoms", "delta"), [([(1, 0), (1, 2)], "3/5"), ([(1, 0), (0, 1)], 1), ([(2, 0), (1, 3)], "3/4")])
def test_no_epsilon_is_below_0_where_all_finite_losses_are(atoms: list[tuple[int, int]], delta: str | int) -> None:
    pair = Pair(atoms)
    for times in (1, 3):
        whole = compose([(Curve([pair], "counts"), times)])
        low, high = whole.delta(0)
        assert low <= 1 - (1 - pair.infinite) ** times <= high < low + mpq(1, 2**90)
        assert max(whole.epsilon(1)) == 0
    assert max(compose([Curve([pair], "counts")]).epsilon(delta)) == 0


def test_a_claim_that_says_nothing_is_composed() -> None:
    whole = compose([(PrivacyClaim(1, "counts", 1), 3), PrivacyClaim("1/2", "counts")])
    low, high = whole.delta(7)
    assert 1 - mpq(1, 2**90) < low <= high == 1
    low, high = whole.epsilon(1)
    assert low == 0 <= high
