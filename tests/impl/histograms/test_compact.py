"""finitedp.impl.histograms.compact and empty_bins. The exact laws are in the ledger."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.compact import (
    CompactHistogram,
    compact_accuracy,
    compact_histogram_with_fast_sample,
    compact_histogram_with_geo_sample,
    least_level,
)
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.coins import BitMeter, Coins, ExactCoins, SeededBits, StrictCoins, slack_of
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.pmf import Pmf


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def fast(n: int = 4, universe: Any = range(2**32)) -> CompactHistogram[Any]:
    return compact_histogram_with_fast_sample(universe, n, 1, "1/20")


# Releasing


@pytest.mark.parametrize("labels", [range(3), range(-5, 2**32), ["b", "a", 7], Strings(8)])
def test_every_label_has_a_count(labels: Any) -> None:
    histogram = fast(3, labels)
    first, last = histogram.universe.label(0), histogram.universe.label(histogram.universe.size - 1)
    release = histogram.release([last, first, last], coins())
    assert len(release.coefficients) == 4
    assert all(0 <= count <= 3 for _, count in release.counts([first, last]))


def test_labels_that_occur_have_the_noisy_counts_drawn_for_them() -> None:
    histogram = fast(9)
    for seed in range(8):
        drawn = histogram.noisy({5: 7, 123: 2}, ExactCoins(SeededBits(seed, not_private=True)))
        release = histogram.release_counts({5: 7, 123: 2, 8: 0}, ExactCoins(SeededBits(seed, not_private=True)))
        assert {label: release.count(label) for label in drawn} == drawn


def test_noise_is_small_with_a_large_epsilon_and_many_rows() -> None:
    # sampled, with a fixed seed: 60 rows of one label, an error of at most 19 with probability 0.95
    release = fast(60).release([77] * 60, coins(3))
    assert release.count(77) >= 41
    assert sum(count <= 19 for _, count in release.counts(range(100, 140))) >= 34


def test_the_same_draws_bits_and_counts_for_every_dataset() -> None:
    histogram, cost = fast(5), fast(5).cost()
    for data in ([], [1], [1] * 5, [1, 2, 3, 4, 5], [2**32 - 1, 0, 0, 0, 9]):
        meter = BitMeter()
        histogram.release(data, StrictCoins(meter))
        assert (meter.reads, meter.total_bits) == (cost.draws, cost.bits)
    assert cost.exact
    assert (cost.draws, cost.steps) == (11, 15)


def test_wrong_data() -> None:
    histogram = fast(3)
    with pytest.raises(DataError, match="more than n = 3 rows"):
        histogram.release([1, 2, 3, 4], coins())
    with pytest.raises(DataError, match="outside of the universe"):
        histogram.release([2**32], coins())
    with pytest.raises(DataError, match="out of range"):
        histogram.release_counts({1: -1}, coins())


# Parameters and claims


def test_the_least_field() -> None:
    assert [least_level(size) for size in (1, 4, 5, 64, 65, 2**18, 2**18 + 1)] == [0, 0, 1, 1, 2, 2, 3]
    with pytest.raises(ParameterError, match="a field with 2\\^1062883 elements is needed"):
        least_level(2**1062882 + 1)


def test_the_instance_of_theorem_8_6() -> None:
    histogram = fast(500)
    # epsilon' = 1/ceil(10/9), gamma = 1/(2 * 20 * 2^32); d of 1113 bits needs l = 6
    assert histogram.mechanism == FastSample(500, "1/2", mpq(1, 40 * 2**32))
    assert (histogram.level, histogram.base.bits) == (6, 1458)
    assert histogram.claim().epsilon == 1
    per_query, above, simultaneous = compact_accuracy(2**32, 1, "1/20")
    # 5 ln 40 = 18.4; 5 ln(40 * 2^32) = 129.3
    assert (per_query.a, simultaneous.a) == (19, 130)
    assert (per_query.kind, above, simultaneous.kind) == ("per-query", -1, "simultaneous")


def test_the_instance_with_geo_sample() -> None:
    histogram = compact_histogram_with_geo_sample(range(100), 10, "1/3")
    assert histogram.mechanism == GeoSample(10, "1/4")
    assert histogram.claim().epsilon == mpq(1, 3)


def test_the_claim_covers_the_slack_of_every_draw() -> None:
    histogram: CompactHistogram[int] = CompactHistogram(GeoSample(4, 1), range(10))
    exact, strict = histogram.claim(), histogram.claim(StrictCoins())
    assert exact.ratio is not None
    assert strict.ratio is not None
    assert exact.ratio == mpq(9, 4) * histogram.sampler.growth()
    assert exact.ratio * StrictCoins.slack**9 <= strict.ratio <= exact.ratio * StrictCoins.slack**10
    assert exact.epsilon < strict.epsilon


@pytest.mark.parametrize(
    "histogram",
    [fast(3), compact_histogram_with_geo_sample(range(9), 3, 1), CompactHistogram(GeoSample(3, 1), range(9))],
    ids=["fast", "geo", "no stated epsilon"],
)
def test_a_release_states_the_claim_on_the_coins_it_was_drawn_from(histogram: CompactHistogram[int]) -> None:
    strict, exact = coins(), ExactCoins(SeededBits(1, not_private=True))
    assert histogram.release([1, 2, 2], strict).claim == histogram.claim(strict)
    assert histogram.release([1, 2, 2], exact).claim == histogram.claim(exact) == histogram.claim()
    assert histogram.claim(strict) != histogram.claim()


def test_a_mechanism_with_a_delta_is_refused() -> None:
    class Approximate(ToyTable):
        """A toy that claims some delta."""

        stated = mpq(0)

        def claim(self, coins: Coins | None = None) -> PrivacyClaim:
            return evolve(super().claim(coins), ratio=None, delta=self.stated)

    toy = Approximate(((0, 1), (0, 1)))
    assert CompactHistogram(toy, range(4)).claim().delta == 0
    Approximate.stated = mpq(1, 10**30)
    histogram: CompactHistogram[int] = CompactHistogram(toy, range(4))
    with pytest.raises(ParameterError, match="the mechanism claims delta = 1/1"):
        histogram.claim()
    with pytest.raises(ParameterError, match="the mechanism claims delta = 1/1"):
        histogram.release([0], StrictCoins())


def test_an_epsilon_that_the_ratio_does_not_imply() -> None:
    with pytest.raises(ClaimError, match="exceeds"):
        CompactHistogram(GeoSample(4, 1), range(10), epsilon="1/2")


def test_a_mechanism_whose_noisy_counts_zero_never_has() -> None:
    with pytest.raises(ParameterError, match="noisy count 1 to some count but never to 0"):
        CompactHistogram(ToyTable(((0, 0, 0), (0, 0, 1))), range(2))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: CompactHistogram(GeoSample(4, 1), range(10), 0),
            "level = 0 gives a field too small.*accepted: an integer from 2",
        ),
        (lambda: CompactHistogram(GeoSample(4, 1), range(2**40), 2), "level = 2 gives a field too small"),
        (lambda: CompactHistogram(GeoSample(4, 1), range(10), 13), "level = 13 is out of range"),
        (lambda: CompactHistogram(GeoSample(4, 1), [1, 1]), "twice"),
        (lambda: CompactHistogram(None, range(4)), "mechanism = None has no n"),  # type: ignore[arg-type]  # the point
        (lambda: EmptyBinSampler(GeoSample(4, 1), 100), "d_0 is below 4/3 d"),
        (lambda: EmptyBinSampler(GeoSample(1, 1), 64).interval(2), "v = 2 is out of range"),
        (lambda: EmptyBinSampler(GeoSample(1, 1), 64).apply(65), "u_0 is out of range"),
        (lambda: EmptyBinSampler(ToyTable(((0, 0), (0, 1))), 4).sample(1, coins()), "v = 1 is never the noisy count of 0"),
        (lambda: compact_histogram_with_fast_sample(range(9), 4, "2/3", 1), "epsilon = 2/3 is not admissible"),
        (lambda: CompactHistogram(FastSample(4, 1, "1/9"), range(9), beta="1/2"), "beta = 1/18 is out of range"),
        (lambda: compact_accuracy(0, 1, "1/2"), "universe_size = 0 is out of range"),
    ],
)
def test_wrong_parameters(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()


def test_more_counts_than_a_polynomial_can_meet() -> None:
    with pytest.raises(ParameterError, match="3 counts are to be met; accepted: at most n = 2"):
        fast(2).consistent({1: 0, 2: 0, 3: 0}, coins())


def test_field_sizes_at_the_edge() -> None:
    # d = 3 and d_0 = 4 is 4/3 d exactly; n + 1 = 4 elements are all of the field
    toy = ToyTable(((0, 0, 1), (0, 0, 1), (0, 1, 1), (0, 1, 1)))
    histogram: CompactHistogram[int] = CompactHistogram(toy, range(4))
    assert histogram.level == 0
    assert sorted(histogram.points({3: 0, 1: 1}, coins())[0]) == [0, 1, 2, 3]


@pytest.mark.parametrize(("n", "level"), [(1, 0), (3, 0), (4, 1), (5, 1), (63, 1), (64, 2)])
def test_the_field_has_n_plus_1_elements_where_nothing_else_needs_them(n: int, level: int) -> None:
    never: CompactHistogram[str] = CompactHistogram(ToyTable(((0,),) * (n + 1)), ["a"])
    assert (never.mechanism.d, never.universe.size, never.level) == (1, 1, level)
    assert never.base.order >= n + 1
    assert never.release(["a"] * n, coins()).count("a") == 0
    if level:
        with pytest.raises(ParameterError, match=f"level = {level - 1} gives a field too small"):
            CompactHistogram(never.mechanism, ["a"], level - 1)


def halves(d: int) -> ToyTable:
    """n = 1 and a draw from 1..d, of which the lower half gives 0."""
    return ToyTable(((0,) * (d // 2) + (1,) * (d - d // 2),) * 2)


@pytest.mark.parametrize(("d", "level"), [(3, 0), (4, 0), (5, 1), (48, 1), (49, 2), (64, 1), (65, 2)])
def test_the_field_has_four_thirds_of_the_draw_s_range_or_a_multiple_of_it(d: int, level: int) -> None:
    histogram: CompactHistogram[str] = CompactHistogram(halves(d), ["a"])
    assert histogram.level == level
    assert histogram.release(["a"], coins()).count("a") in (0, 1)
    if level:
        with pytest.raises(ParameterError, match=f"level = {level - 1} gives a field too small"):
            CompactHistogram(halves(d), ["a"], level - 1)


@pytest.mark.parametrize(("d", "least"), [(2, 3), (3, 4), (4, 6), (5, 7), (6, 8), (48, 64), (49, 66)])
def test_the_empty_bin_sampler_s_least_range(d: int, least: int) -> None:
    assert EmptyBinSampler(halves(d), least).q == 1
    assert EmptyBinSampler(halves(d), d).growth() == EmptyBinSampler(halves(d), 3 * d).growth() == 1
    for d_0 in {least - 1, d + 1, d - 1, 1} - {d, least}:
        with pytest.raises(ParameterError, match="d_0 is below 4/3 d"):
            EmptyBinSampler(halves(d), d_0)


class ExactOnAllCoins(ToyTable):
    """A mechanism that claims no slack, as one that reads words of bits does."""

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        return super().claim()


@pytest.mark.parametrize(
    ("rows", "source", "draws"),
    [
        (((0, 0, 1), (0, 1, 1)), "BV.Thm8.3.i", 3),
        (((0, 0, 0, 1), (0, 1, 1, 1)), "FD.Dyadic.compact.private", 1),
    ],
)
def test_the_slack_counts_once_only_where_d_divides_the_field_too(rows: Any, source: str, draws: int) -> None:
    """A mechanism may be exact on all coins and yet be exchanged for another law, where d does not divide d_0."""
    histogram: CompactHistogram[str] = CompactHistogram(ExactOnAllCoins(rows), ["a"])
    exact, strict = histogram.claim(), histogram.claim(StrictCoins())
    assert (exact.source, strict.source) == (source, source)
    assert exact.ratio is not None
    assert strict.ratio == exact.ratio * slack_of(StrictCoins(), draws)


def test_every_draw_of_the_empty_bin_sampler_is_taken_and_no_other() -> None:
    sampler = EmptyBinSampler(halves(3), 8)
    assert [sampler.apply(u_0) for u_0 in range(1, 9)] == [0, 0, 0, 1, 1, 1, 1, 1]
    for u_0 in (-1, 0, 9):
        with pytest.raises(ParameterError, match="u_0 is out of range; accepted: an integer from 1 to d_0"):
            sampler.apply(u_0)


@pytest.mark.parametrize(("d", "d_0"), [(3, 8), (5, 7), (5, 13), (7, 10), (4, 12)])
def test_the_distribution_function_counts_draws(d: int, d_0: int) -> None:
    """For every remainder of d_0 by d, and tables of every height."""
    for low in range(d + 1):
        sampler = EmptyBinSampler(ToyTable(((0,) * low + (1,) * (d - low),) * 2), d_0)
        drawn = [sampler.apply(u_0) for u_0 in range(1, d_0 + 1)]
        assert [sampler.cdf(v) for v in (-1, 0, 1)] == [0, drawn.count(0), d_0]
        for v in (0, 1):
            first, last = sampler.interval(v)
            assert [u_0 for u_0 in range(1, d_0 + 1) if drawn[u_0 - 1] == v] == list(range(first, last + 1))


def test_a_draw_that_gives_a_noisy_count_is_uniform_among_those() -> None:
    sampler = EmptyBinSampler(halves(3), 8)
    assert explore(lambda coins: sampler.sample(0, coins)).law() == Pmf.uniform(range(1, 4))
    assert explore(lambda coins: sampler.sample(1, coins)).law() == Pmf.uniform(range(4, 9))
