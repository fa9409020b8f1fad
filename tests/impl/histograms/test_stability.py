"""finitedp.impl.histograms.stability. The exact laws are in the ledger."""

from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.stability import StabilityHistogram, stability_accuracy, stability_histogram_with_fast_sample
from finitedp.impl.randomness.coins import BitMeter, SeededBits, StrictCoins
from finitedp.spec import counting as spec_counting
from finitedp.spec.pmf import Pmf
from finitedp.spec.stability import least_threshold, threshold_delta


def coins() -> StrictCoins:
    return StrictCoins(SeededBits(1, not_private=True))


def test_labels_of_any_sortable_type_come_out_sorted() -> None:
    histogram: StabilityHistogram[Any] = StabilityHistogram(GeoSample(40, 1), 3)
    data = [("z", 1)] * 20 + [("a", 2)] * 20
    assert [label for label, _ in histogram.release(data, coins())] == [("a", 2), ("z", 1)]
    assert all(count > 3 for _, count in histogram.release(data, coins()))


def test_labels_that_do_not_occur_cost_and_tell_nothing() -> None:
    histogram: StabilityHistogram[Any] = StabilityHistogram(GeoSample(9, 1), 0)
    assert {label for label, _ in histogram.release_counts({"a": 5, "b": 0}, coins())} <= {"a"}
    for data in ("", "a", "abcdefghi"):
        meter = BitMeter()
        histogram.release(data, StrictCoins(meter))
        assert (meter.reads, meter.total_bits) == (histogram.cost().draws, histogram.cost().bits)


def test_unpadded_draws_are_as_many_as_labels_and_the_cost_is_a_bound() -> None:
    histogram: StabilityHistogram[Any] = StabilityHistogram(GeoSample(9, 1), 0, padded=False)
    meter = BitMeter()
    histogram.release("aab", StrictCoins(meter))
    assert meter.reads == 2
    assert not histogram.cost().exact


def test_delta_is_the_exact_tail_at_count_one() -> None:
    def law(count: int) -> Pmf[int]:
        return spec_counting.geo_sample(20, mpq(1), count)

    for b in (0, 5, 20):
        assert StabilityHistogram(GeoSample(20, 1), b).delta() == threshold_delta(law, b)
    b = least_threshold(law, mpq(1, 100))
    assert StabilityHistogram(GeoSample(20, 1), b).delta() <= mpq(1, 100) < StabilityHistogram(GeoSample(20, 1), b - 1).delta()


def test_claim_with_strict_coins_enlarges_delta() -> None:
    histogram: StabilityHistogram[Any] = StabilityHistogram(GeoSample(20, 1), 5)
    assert histogram.claim(StrictCoins()).delta == histogram.delta() * StrictCoins.slack
    assert histogram.claim().neighbours == "replace-one"


def test_the_instance_of_theorem_5_6() -> None:
    histogram = stability_histogram_with_fast_sample(100, 1, "1/10", "1/20")
    # gamma = min(1/(20 * 2 * 100), 1/20); b = 1 + ceil(4.5 ln 20) = 15
    assert histogram.mechanism == FastSample(100, 1, "1/4000")
    assert histogram.b == 15
    per_query, above, simultaneous = stability_accuracy(100, 1, "1/10", "1/20")
    # 4.5 ln 40 = 16.6; 2 + 4.5 ln 800 = 32.1; 2 + 4.5 ln 80000 = 52.8
    assert (per_query.a, above, simultaneous.a) == (17, 33, 53)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: StabilityHistogram(GeoSample(5, 1), 6), "b = 6 is out of range; accepted: an integer from 0 to 5"),
        (lambda: StabilityHistogram(GeoSample(5, 1), -1), "b = -1 is out of range"),
        (lambda: stability_histogram_with_fast_sample(5, 1, "1/10", "1/20"), "the threshold b = 15 exceeds n = 5"),
        (lambda: stability_histogram_with_fast_sample(50, 1, 1, "1/20"), "delta = 1 is not admissible"),
        (lambda: stability_histogram_with_fast_sample(50, 1, 0, "1/20"), "delta = 0 is not positive"),
        (lambda: stability_accuracy(50, 1, 1, "1/20"), "delta = 1 is out of range"),
        (
            lambda: StabilityHistogram(None, 1),  # type: ignore[arg-type]  # that is the point
            "mechanism = None has no n",
        ),
    ],
)
def test_wrong_parameters(build: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()  # type: ignore[operator]


def test_wrong_data() -> None:
    histogram: StabilityHistogram[Any] = StabilityHistogram(GeoSample(3, 1), 1)
    with pytest.raises(DataError, match="more than n = 3 rows"):
        histogram.release("abcd", coins())
    with pytest.raises(DataError, match="labels cannot be sorted"):
        histogram.release(["a", 1], coins())


@pytest.mark.parametrize(
    "rows",
    [
        [True, 1, 1],  # shown as True, where 1 came first it would be 1
        [1.0, 1, 1],
        [frozenset("a"), frozenset("b")],  # of which none comes before the other: the order would tell which row came first
        [float("nan"), 1.0],
        [("a", True), ("a", 1)],
    ],
)
def test_labels_that_would_tell_which_row_came_first_are_refused(rows: list[Any]) -> None:
    histogram: StabilityHistogram[Any] = StabilityHistogram(GeoSample(3, 1), 0)
    with pytest.raises(DataError, match="is no int, str or bytes"):
        histogram.release(rows, coins())


def test_equal_labels_are_shown_as_one_whichever_row_came_first() -> None:
    histogram: StabilityHistogram[Any] = StabilityHistogram(GeoSample(3, 1), 0)
    assert all(type(label) is int for _ in range(20) for label, _count in histogram.release([1, True, 1], coins()))
