"""finitedp.impl.histograms.basic and finitedp.impl.histograms.mixing. The exact laws are in the ledger."""

from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram, basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import BitMeter, Coins, SeededBits, StrictCoins


def coins() -> StrictCoins:
    return StrictCoins(SeededBits(1, not_private=True))


def test_labels_may_be_anything_hashable_and_keep_their_order() -> None:
    labels = ["b", ("a", 1), 7, None]
    released = BasicHistogram(GeoSample(3, 1), labels).release(["b", 7, 7], coins())
    assert [label for label, _ in released] == labels
    assert all(0 <= count <= 3 for _, count in released)


def test_a_range_of_labels_stays_a_range() -> None:
    histogram = BasicHistogram(GeoSample(3, 1), range(5, 9))
    assert histogram.labels == range(5, 9)
    assert [label for label, _ in histogram.release([8, 8, 5], coins())] == [5, 6, 7, 8]


def test_every_dataset_costs_the_same_bits() -> None:
    histogram = basic_histogram_with_fast_sample("abc", 6, "1/2", "1/20")
    for data in ("aaaaaa", "abcabc", "b", ""):
        meter = BitMeter()
        histogram.release(data, StrictCoins(meter))
        assert (meter.reads, meter.total_bits) == (histogram.cost().draws, histogram.cost().bits)


def test_gamma_of_theorem_5_3() -> None:
    histogram = basic_histogram_with_fast_sample("abcde", 9, 1, "1/20")
    assert histogram.mechanism == FastSample(9, 1, mpq(1, 200))


def test_rows_outside_of_the_labels() -> None:
    narrow = BasicHistogram(GeoSample(4, 1), "ab", universe="abc")
    assert narrow.counts("abca") == {"a": 2, "b": 1}
    with pytest.raises(DataError, match="row 3 = 'z' is outside of the universe"):
        narrow.counts("abz")
    with pytest.raises(DataError, match="row 2 = 'c' is outside of the universe"):
        BasicHistogram(GeoSample(4, 1), "ab").counts("ac")


def test_more_rows_than_n_and_counts_of_unknown_labels() -> None:
    histogram = BasicHistogram(GeoSample(2, 1), "ab")
    with pytest.raises(DataError, match="more than n = 2 rows"):
        histogram.release("aab", coins())
    with pytest.raises(DataError, match="label 'c' has a count but is not one of the labels"):
        histogram.release_counts({"c": 1}, coins())
    with pytest.raises(DataError, match="count of 'a' = 3 is out of range"):
        histogram.release_counts({"a": 3}, coins())


@pytest.mark.parametrize("counts", [{"a": 3, "b": 3}, {"a": 4, "b": 2}, {"a": 4, "b": -1}, {"a": 1, "b": "1"}, {"a": None}])
def test_counts_that_no_dataset_of_n_rows_has_are_refused_before_anything_is_drawn(counts: dict[str, Any]) -> None:
    every: list[Any] = [BasicHistogram(GeoSample(3, 1), "ab"), StabilityHistogram(GeoSample(3, 1), 1)]
    for histogram in every:
        meter = BitMeter()
        with pytest.raises(DataError, match=r"more than n = 3 rows|out of range|is not an integer"):
            histogram.release_counts(counts, StrictCoins(meter))
        assert meter.reads == 0


@pytest.mark.parametrize(("labels", "message"), [([], "is empty"), ("aa", "a label twice")])
def test_wrong_labels(labels: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        BasicHistogram(GeoSample(2, 1), labels)


def test_claims_follow_from_the_mechanism() -> None:
    claim = BasicHistogram(GeoSample(4, "1/3"), "abc").claim()
    assert (claim.epsilon, claim.delta) == (mpq(1, 3), mpq(0))
    assert (claim.neighbours, claim.ratio) == ("replace-one", mpq(81, 64))
    strict = BasicHistogram(GeoSample(4, "1/3"), "abc").claim(StrictCoins())
    assert strict.ratio == mpq(81, 64) * StrictCoins.slack**2


def test_accuracy_by_theorem_5_2_is_at_most_that_of_theorem_5_3() -> None:
    histogram = basic_histogram_with_fast_sample("abcd", 100, "1/2", "1/20")
    sharp, loose = histogram.accuracy("1/10"), basic_histogram_accuracy(4, "1/2", "1/10")
    assert (sharp.per_query.kind, sharp.simultaneous.kind) == (loose.per_query.kind, loose.simultaneous.kind)
    assert (sharp.per_query.kind, sharp.above, loose.above) == ("per-query", -1, -1)
    assert sharp.per_query.a <= loose.per_query.a
    assert sharp.simultaneous.a <= loose.simultaneous.a


def test_accuracy_of_theorem_5_3_by_hand() -> None:
    # 4.5 ln 40 = 16.6, 4.5 ln 160 = 22.8
    stated = basic_histogram_accuracy(4, 1, "1/20")
    assert (stated.per_query.a, stated.simultaneous.a) == (17, 23)


@pytest.mark.parametrize(("beta_0", "message"), [("3/40", "next admissible value is 1/14"), (0, "not positive")])
def test_beta_0_is_a_unit_fraction(beta_0: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        basic_histogram_with_fast_sample("ab", 5, 1, beta_0)


def test_mixing_draws_both_outputs() -> None:
    drawn: list[str] = []

    def note(name: str) -> str:
        drawn.append(name)
        return name

    mixed: Mixed[None, str] = Mixed(lambda _data, _coins: note("base"), lambda _coins: note("alternative"), "1/1000000")
    assert mixed.release(None, coins()) == "base"
    assert drawn == ["base", "alternative"]


def test_mixing_needs_a_unit_fraction() -> None:
    with pytest.raises(ParameterError, match="gamma = 2/3 is not admissible"):
        Mixed(lambda _data, _coins: 0, lambda _coins: 0, "2/3")


class WithDelta(GeoSample):
    """A mechanism that claims a delta, which none of ours does."""

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        return PrivacyClaim(mpq(1, 2), "counts", mpq(1, 100))


def test_a_row_that_moves_changes_two_counts_so_that_delta_counts_twice() -> None:
    claim = BasicHistogram(WithDelta(3, 1), ("a", "b")).claim()
    assert (claim.epsilon, claim.delta) == (mpq(1), mpq(1, 50))
