"""finitedp.impl.histograms.dyadic: thresholds, accuracy, padded arrays, and what is refused. Laws are in the ledger."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import CoinsError, DataError, ParameterError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import release_array
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms import dyadic as dyadic_histogram
from finitedp.impl.histograms.dyadic import (
    basic_histogram_with_dyadic_sample,
    least_threshold,
    stability_histogram_with_dyadic_sample,
    stability_release_array,
    stability_release_clamped,
    threshold_accuracy,
    total,
)
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.impl.randomness.words import SeededWords, SystemWords, bits_of


class Metered:
    """The operating system's words, and the sizes of all reads."""

    name = "metered"

    def __init__(self) -> None:
        self.reads = list[int]()

    def read(self, size: int) -> bytes:
        self.reads.append(size)
        return SystemWords().read(size)


# Words and thresholds


def test_64_bits_are_taken_unless_more_are_needed() -> None:
    assert basic_histogram_with_dyadic_sample("ab", 1000, "2/7").mechanism == DyadicSample(1000, "2/7", 64)
    assert basic_histogram_with_dyadic_sample("ab", 2**62, "1/100").mechanism == DyadicSample(2**62, "1/100", 128)
    assert stability_histogram_with_dyadic_sample(10**6, 1, "1/1000000").mechanism == DyadicSample(10**6, 1, 64)
    # the stretch of 64 bits has 10^-11 of the mass: the threshold would be 776648
    chosen = stability_histogram_with_dyadic_sample(10**7, "1/10", f"1/{10**11}")
    assert (chosen.mechanism, chosen.b) == (DyadicSample(10**7, "1/10", 128), 494)
    assert stability_histogram_with_dyadic_sample(10**7, "1/10", f"1/{10**11}", 64).b == 776648


@pytest.mark.deep
def test_a_longer_word_is_taken_where_it_lowers_the_stated_error() -> None:
    """At n = 10^15 and epsilon = 1/1000 words of 64 bits leave so much weight to spread that no count says anything."""
    chosen = basic_histogram_with_dyadic_sample("ab", 10**15, "1/1000")
    short = basic_histogram_with_dyadic_sample("ab", 10**15, "1/1000", 64)
    assert (chosen.mechanism, chosen.accuracy("1/20")[0].a) == (DyadicSample(10**15, "1/1000", 128), 5991)
    assert short.accuracy("1/20")[0].a > 10**14
    assert basic_histogram_with_dyadic_sample("ab", 10**6, "1/10", beta="1/1000").mechanism.d == 2**64
    assert basic_histogram_with_dyadic_sample("ab", 10**6, "1/10", beta=mpq(1, 2**63)).mechanism.d == 2**128


def test_the_threshold_is_below_that_of_theorem_5_6() -> None:
    """b = 1 + ceil(4.5 ln(2 * 10^6)) = 67 there, with noise of FastSample; here e^(-27/2) < 10^-6 * (1 + e^(1/2))."""
    histogram = stability_histogram_with_dyadic_sample(20190, 1, "1/1000000")
    assert histogram.b == 27
    assert histogram.delta() <= mpq(1, 10**6) < StabilityHistogram(histogram.mechanism, 26).delta()


@pytest.mark.deep
@given(st.integers(2, 10**9), st.fractions("1/50", 5), st.fractions(f"1/{10**15}", "9/10"))
def test_the_threshold_is_the_least(n: int, epsilon: Any, delta: Any) -> None:
    mechanism = DyadicSample(n, epsilon, 128)
    b = least_threshold(mechanism, delta)
    assert mechanism.table.upper(b) <= delta * mechanism.d or b == n
    assert b == 0 or mpq(mechanism.d - mechanism.cdf(1, b - 1), mechanism.d) > delta


# Arrays


@pytest.mark.parametrize("word", [64, 128])
def test_the_array_s_release_is_the_scalar_one_on_the_same_words(word: int) -> None:
    counts = np.array([3, 0, 100, 41, 7, 0, 250, 60], np.int64)
    histogram = stability_histogram_with_dyadic_sample(500, "1/3", "1/100", word)
    scalar = StabilityHistogram[Any](histogram.mechanism, histogram.b, padded=False)
    data = {f"x{i}": int(c) for i, c in enumerate(counts) if c}
    for seed in range(20):
        places, noisy = stability_release_array(histogram, counts, SeededWords(seed, not_private=True))
        one_by_one = _scalar(scalar, list(data.values()), seed, word)
        assert dict(zip(places.tolist(), noisy.tolist(), strict=True)) == {
            i: c for i, c in zip(np.flatnonzero(counts).tolist(), one_by_one, strict=True) if c > histogram.b
        }


def _scalar(histogram: StabilityHistogram[Any], counts: list[int], seed: int, word: int) -> list[int]:
    """Noisy counts from the words of a padded release: all of the first limbs come before all of the second."""
    n, source = histogram.mechanism.n, SeededWords(seed, not_private=True)
    limbs = np.frombuffer(source.read(word // 8 * n), "<u8").reshape(word // 64, n)
    words = [sum(int(limb) << 64 * i for i, limb in enumerate(reversed(row))) for row in limbs.T.tolist()]
    return [histogram.mechanism.apply(c, 1 + w) for c, w in zip(counts, words, strict=False)]


def test_padded_reads_are_the_same_for_all_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dyadic_histogram, "AT_ONCE", 300)
    histogram = stability_histogram_with_dyadic_sample(1000, 1, "1/100")
    reads = set()
    for counts in ([1000], [0, 0, 1], [1] * 1000, [], [3] * 299 + [1] * 3):
        source = Metered()
        stability_release_array(histogram, np.array(counts, np.int64), source)
        reads.add(tuple(source.reads))
    assert reads == {(2400, 2400, 2400, 800)}
    source = Metered()
    stability_release_array(StabilityHistogram(histogram.mechanism, histogram.b, padded=False), np.array([5, 0, 9]), source)
    assert source.reads == [16]


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 50])
def test_every_piece_has_words_of_its_own(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dyadic_histogram, "AT_ONCE", 16)
    histogram, counts = stability_histogram_with_dyadic_sample(53, 1, "9/10"), np.ones(size, np.int64)
    assert (histogram.b, histogram.mechanism) == (0, DyadicSample(53, 1))
    source, filled = SeededWords(5, not_private=True), np.append(counts, np.zeros(53 - size, np.int64))
    pieces = [release_array(DyadicSample(53, 1), filled[i : i + 16], source) for i in range(0, 53, 16)]
    expected = np.concatenate(pieces)[:size]
    places, noisy = stability_release_array(histogram, counts, SeededWords(5, not_private=True))
    assert (places.tolist(), noisy.tolist()) == (np.flatnonzero(expected).tolist(), expected[expected > 0].tolist())


def test_delta_between_two_words_is_rounded_down() -> None:
    mechanism = DyadicSample(4, 3, 64)
    two = mechanism.table.upper(2)
    assert [least_threshold(mechanism, mpq(2 * two + x, 2**65)) for x in (-1, 0, 1)] == [3, 2, 2]


def test_a_threshold_that_drops_every_small_count_is_an_error_too() -> None:
    """At epsilon = 20 noise is rare, and a count of 1 is dropped nearly always."""
    histogram = stability_histogram_with_dyadic_sample(5, 20, "1/1000000")
    single, above, every = threshold_accuracy(histogram, "1/20")
    assert (histogram.b, single.a, above, every.a) == (2, 0, 2, 2)


def test_large_counts_are_released_across_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error above 60 has probability below 10^-12 at epsilon = 1."""
    monkeypatch.setattr(dyadic_histogram, "AT_ONCE", 16)
    counts = np.array([0, 500] * 25, np.int64)
    places, noisy = stability_release_array(stability_histogram_with_dyadic_sample(20_000, 1, "1/1000000"), counts)
    assert places.tolist() == list(range(1, 50, 2))
    assert max(abs(noisy - 500)) < 60
    assert len(set(noisy.tolist())) > 1


@pytest.mark.deep
def test_a_label_that_occurs_once_shows_as_often_as_delta_allows() -> None:
    """20,000 releases at delta = 1/10; the number is within 6 standard deviations of its mean."""
    histogram = stability_histogram_with_dyadic_sample(30, 1, "1/10")
    shown = sum(stability_release_array(histogram, np.array([1]))[0].size for _ in range(20_000))
    mean = 20_000 * histogram.delta()
    assert (shown - mean) ** 2 < 36 * mean


@given(st.lists(st.integers(0, 2**62), max_size=50))
def test_total_is_exact_beyond_63_bits(counts: list[int]) -> None:
    assert total(np.array(counts, np.int64)) == sum(counts)


# Accuracy


def test_accuracy_of_dropped_counts() -> None:
    """Above a + b a count is dropped by noise below -a only; beside the bounds of Theorem 5.6, 17, 84 and 129."""
    histogram = stability_histogram_with_dyadic_sample(20190, 1, "1/1000000")
    single, above, every = threshold_accuracy(histogram, "1/20")
    assert (single.a, above, every.a) == (6, 33, 51)
    assert (single.kind, every.kind) == ("per-query", "simultaneous")


@pytest.mark.deep
def test_a_release_stays_within_its_bounds() -> None:
    """5000 releases of 40 labels: at most the share beta misses, and 6 standard deviations."""
    histogram, counts = stability_histogram_with_dyadic_sample(2000, "1/2", "1/1000"), np.array([1, 9, 90, 100] * 10)
    _, _, every = threshold_accuracy(histogram, "1/5")
    wrong = 0
    for _ in range(5000):
        places, noisy = stability_release_array(histogram, counts)
        released = np.zeros_like(counts)
        released[places] = noisy
        wrong += bool((abs(released - counts) > every.a).any())
    assert wrong <= 1000 + 6 * 29


# What is refused


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.array([[1, 2]]), "counts has 2 dimensions"),
        (np.array([1.0, 2.0]), "counts.astype"),
        ([1, 2], "counts is a list"),
        (np.array([5, -1]), "counts[1] is out of range"),
        (np.array([50, 51]), "the counts sum to 101, more than n = 100"),
        (np.array([2, 101]), "counts[1] is out of range"),
    ],
)
def test_wrong_counts(counts: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        stability_release_array(stability_histogram_with_dyadic_sample(100, 1, "1/10"), counts)
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64])
def test_clamped_counts_are_those_of_n(kind: Any) -> None:
    """FD.Dyadic.stability.add-remove. Also where n does not fit into the counts' type, and their sum is above n."""
    histogram, counts = stability_histogram_with_dyadic_sample(2000, 1, "1/10"), np.array([0, 100, 7, 127] * 8, kind)
    few = [x.tolist() for x in stability_release_clamped(histogram, counts, SeededWords(3, not_private=True))]
    more = counts.astype(np.int64) * 1000
    assert few == [x.tolist() for x in stability_release_array(histogram, counts, SeededWords(3, not_private=True))]
    at_n = np.minimum(more, 2000)
    one, other = (stability_release_clamped(histogram, x, SeededWords(3, not_private=True)) for x in (more, at_n))
    assert [x.tolist() for x in one] == [x.tolist() for x in other]
    assert one[1].max() == 2000


def test_clamped_counts_of_more_labels_than_n_have_a_draw_each() -> None:
    histogram = stability_histogram_with_dyadic_sample(60, 1, "1/10")
    places, _ = stability_release_clamped(histogram, np.full(500, 60))
    assert places.tolist() == list(range(500))


@pytest.mark.parametrize("counts", [np.array([5, -1]), np.array([1.0]), [1, 2], np.array([[1]]), np.array([1], np.uint64)])
def test_clamped_counts_are_looked_at(counts: Any) -> None:
    with pytest.raises(DataError):
        stability_release_clamped(stability_histogram_with_dyadic_sample(100, 1, "1/10"), counts)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            (5, 1, "1/1000000"),
            "the threshold for delta = 1/1000000 is n = 5 itself at epsilon = 1 and word = 64, so that every",
        ),
        ((10**6, "1/10", f"1/{10**17}", 64), "would be empty; accepted: word = 128"),
        ((1000, 1, f"1/{10**57}"), "would be empty; accepted: word = 256"),
        ((2**62, "1/100", "1/2", 64), "no table of 64 bits exists"),
        ((100, 0, "1/2"), "epsilon = 0 is not positive"),
        ((100, 1, 0), "delta = 0 is out of range"),
        ((100, 1, 1), "delta = 1 is out of range"),
        ((100, 1, 0.5), "is a float"),
        ((0, 1, "1/2"), "n = 0 is out of range"),
    ],
)
def test_wrong_parameters(parameters: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        stability_histogram_with_dyadic_sample(*parameters)
    assert message in str(caught.value)


def test_other_mechanisms_are_refused() -> None:
    histogram = StabilityHistogram[str](GeoSample(10, 1), 2)
    for function in (lambda: threshold_accuracy(histogram, "1/2"), lambda: stability_release_array(histogram, np.array([1]))):
        with pytest.raises(ParameterError, match="is not a DyadicSample"):
            function()


def test_a_source_that_runs_dry_is_named() -> None:
    class Short:
        name = "short"

        def read(self, size: int) -> bytes:
            return bytes(size - 1)

    with pytest.raises(CoinsError, match="the source of words gave 799 bytes where 800 bytes were asked for"):
        stability_release_array(stability_histogram_with_dyadic_sample(100, 1, "1/10"), np.array([1]), Short())


def test_the_scalar_histograms_release_too() -> None:
    coins = StrictCoins(bits_of(SystemWords()))
    rows = ["a"] * 400 + ["b"] * 300 + ["c"]
    released = dict(stability_histogram_with_dyadic_sample(701, 1, f"1/{10**12}").release(rows, coins))
    assert set(released) == {"a", "b"}
    released = dict(basic_histogram_with_dyadic_sample("abcd", 701, 1).release(rows, coins))
    assert all(abs(count - Counter(rows)[label]) < 60 for label, count in released.items())
