"""Error bars of sums: at real sizes, of one label, and what is refused. That they hold is FD.Sum.accuracy and its like."""

from collections import Counter
from itertools import product

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.impl.histograms.sums import SumAccuracy, sum_accuracy
from finitedp.spec.pmf import Pmf, convolution


@pytest.mark.parametrize(("n", "epsilon"), [(1, "1"), (3, "1/2"), (5, "2"), (12, "1/3"), (20190, "1"), (10**6, "1/10")])
@pytest.mark.parametrize("beta", ["1/2", "1/20", "1/1000"])
def test_of_one_label_no_interval_is_wider_than_its_bar(n: int, epsilon: str, beta: str) -> None:
    mechanism = DyadicSample(n, epsilon, 64)
    found = sum_accuracy(mechanism, 1, beta)
    assert found.above + found.below <= 2 * mechanism.accuracy(beta).a
    assert found.each == 0


def test_many_labels_at_real_sizes() -> None:
    """Sums of 10,000 labels are within hundreds beyond their bias, where their bars for all at once add up to 240,000."""
    mechanism = DyadicSample(10**6, 1, 64)
    found = [sum_accuracy(mechanism, labels, "1/20") for labels in (2, 10, 100, 1000, 10_000)]
    assert [(bar.above, bar.below) for bar in found] == [(8, 8), (21, 19), (131, 56), (1073, 168), (9951, 529)]


def test_the_width_grows_with_the_labels_and_falls_with_beta() -> None:
    mechanism = DyadicSample(5000, "1/2", 64)
    widths = [bar.above + bar.below for bar in (sum_accuracy(mechanism, k, "1/20") for k in range(1, 40))]
    assert widths == sorted(widths)
    widths = [bar.above + bar.below for bar in (sum_accuracy(mechanism, 7, mpq(1, q)) for q in (2, 3, 9, 100, 10**9, 10**40))]
    assert widths == sorted(widths)


def test_labels_without_rows_have_no_noise_where_there_is_a_threshold() -> None:
    mechanism = DyadicSample(500, 1, 64)
    few, many = (sum_accuracy(mechanism, labels, "1/20", 30) for labels in (500, 10**30))
    assert (few.above, few.below, few.each) == (many.above, many.below, 30)
    assert few.above < sum_accuracy(mechanism, 500, "1/20").above


def test_invented_labels_widen_the_interval_as_far_as_they_are_likely() -> None:
    plan = blanket_plan(1000, 1, 2**64, 1, "replace-one")
    bars = [sum_accuracy(plan.mechanism, labels, "1/20", plan.b, plan) for labels in (10, 2**20, 2**62, 2**64)]
    assert [bar.above for bar in bars[:2]] == [sum_accuracy(plan.mechanism, k, "1/20", plan.b).above for k in (10, 2**20)]
    assert bars[2].above + bars[2].below > bars[1].above + bars[1].below + plan.b
    assert bars[3].above > bars[2].above


@pytest.mark.parametrize("threshold", [None, 2])
def test_noise_that_falls_faster_upwards(threshold: int | None) -> None:
    """All counts of few rows, by the law of the running code: the interval holds, and mirrored it does not."""
    mechanism, n, hidden = SkewedSample(9, 3, 12), 9, 1 << 10
    laws = [Pmf(Counter(mechanism.apply(c, u) for u in range(1, mechanism.d + 1))) for c in range(n + 1)]
    if threshold is not None:
        shown = [law.pushforward(lambda v: v if v > threshold else hidden) for law in laws[1:]]
        laws = [Pmf.point(hidden), *shown]

    def worst(bar: SumAccuracy) -> mpq:
        def missed(counts: tuple[int, ...]) -> mpq:
            def misses(value: int) -> bool:
                low, high = bar.interval(value % hidden, value // hidden, n)
                return not low <= sum(counts) <= high

            return convolution([laws[c] for c in counts]).probability(misses)

        return max(missed(counts) for counts in product(range(n + 1), repeat=2) if sum(counts) <= n)

    betas = (mpq(1, 5), mpq(1, 20), mpq(1, 100))
    found = [sum_accuracy(mechanism, 2, beta, threshold) for beta in betas]
    assert all(worst(bar) <= bar.beta for bar in found)
    mirrored = [evolve(bar, above=bar.below, below=bar.above) for bar in found]
    assert any(worst(bar) > bar.beta for bar in mirrored)


def test_the_interval_stays_in_what_is_possible() -> None:
    bar = SumAccuracy(3, mpq(1, 20), 10, 5, 7)
    assert bar.interval(50, 0, 100) == (40, 55)
    assert bar.interval(50, 2, 100) == (40, 69)
    assert [bar.interval(released, 0, 100) for released in (4, 98, 250)] == [(0, 9), (88, 100), (100, 100)]
    assert SumAccuracy(3, mpq(1, 20), 40, -20).interval(5, 0, 100) == (0, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, "1/20"), "labels = 0"),
        ((2, 0), "beta = 0"),
        ((2, 1), "beta = 1"),
        ((2, 0.05), "beta"),
        ((2, "1/20", 11), "threshold = 11"),
        ((2.0, "1/20"), "labels"),
    ],
)
def test_what_is_refused(given: tuple[int, str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sum_accuracy(DyadicSample(10, 1, 64), *given)
