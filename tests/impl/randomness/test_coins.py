"""finitedp.impl.randomness.coins."""

import ast
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import finitedp.impl
from finitedp.errors import CoinsError
from finitedp.impl.anonymized.pan_private import PanPrivateHistogram
from finitedp.impl.anonymized.priv_hist import priv_hist
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.releases import BucketHist, FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import statistic_of
from finitedp.impl.flexible.water_filling import LevelMaximum
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.histogram import BlanketHistogram
from finitedp.impl.histograms.compact import compact_histogram_with_dyadic_sample, compact_histogram_with_geo_sample
from finitedp.impl.histograms.distinct import distinct_sample
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.histograms.order_statistics import ApproxOrdSample, OrdSample
from finitedp.impl.histograms.pure_sparse import pure_sparse_histogram_with_geo_sample, random_histogram
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy, SparseHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import (
    BitMeter,
    ExactCoins,
    SeededBits,
    StrictCoins,
    UnusedDraws,
    checked_coins,
    random_bytes,
    slack_of,
    strict_bits,
    system_bits,
)
from finitedp.impl.randomness.words import SystemWords


@pytest.mark.deep
@given(st.integers(1, 2**300))
def test_strict_coins_read_one_word_of_a_fixed_length(d: int) -> None:
    meter = BitMeter()
    assert 1 <= StrictCoins(meter).uniform(d) <= d
    assert (meter.reads, meter.total_bits) == (1, strict_bits(d))
    assert strict_bits(d) == (d - 1).bit_length() + 128


@given(st.integers(1, 2**300))
def test_exact_coins_read_words_of_the_least_length(d: int) -> None:
    meter = BitMeter()
    assert 1 <= ExactCoins(meter).uniform(d) <= d
    assert meter.total_bits == meter.reads * (d - 1).bit_length()


def test_exact_coins_reject_words_out_of_range() -> None:
    words = iter([7, 6, 5, 4])
    assert ExactCoins(lambda _b: next(words)).uniform(5) == 5


def test_strict_coins_map_the_extreme_words_to_the_ends() -> None:
    d = 10**40
    assert StrictCoins(lambda _b: 0).uniform(d) == 1
    assert StrictCoins(lambda b: 2**b - 1).uniform(d) == d


@pytest.mark.parametrize("coins", [ExactCoins(), StrictCoins()])
@pytest.mark.parametrize("d", [0, -3])
def test_empty_range_is_refused(coins: ExactCoins | StrictCoins, d: int) -> None:
    with pytest.raises(CoinsError, match="has no outcome"):
        coins.uniform(d)


@given(st.integers(1, 2**70), st.integers(0, 2**70))
def test_a_bound_on_the_range_fixes_what_strict_coins_read(d: int, more: int) -> None:
    meter = BitMeter()
    assert 1 <= StrictCoins(meter).uniform(d, d + more) <= d
    assert meter.total_bits == strict_bits(d + more)


@pytest.mark.parametrize("coins", [ExactCoins(), StrictCoins()])
def test_a_range_above_its_bound_is_refused(coins: ExactCoins | StrictCoins) -> None:
    with pytest.raises(CoinsError, match="above its bound most = 4"):
        coins.uniform(5, 4)


def test_seeded_bits_are_refused_silently_and_reproducible_loudly() -> None:
    with pytest.raises(CoinsError, match="gives no privacy"):
        SeededBits(1)
    first, second = SeededBits(1, not_private=True), SeededBits(1, not_private=True)
    assert [first(64) for _ in range(5)] == [second(64) for _ in range(5)]
    assert first(0) == 0


def test_system_bits_in_range_and_every_bit_varies() -> None:
    """Sampled: a bit that is stuck is missed with probability 2^-199."""
    assert system_bits(0) == 0
    words = [system_bits(65) for _ in range(200)]
    assert all(0 <= word < 2**65 for word in words)
    assert all(len({word >> i & 1 for word in words}) == 2 for i in range(65))


def test_system_bits_are_the_operating_system_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bit is one that os.urandom gave, so that no other generator stands behind them."""
    monkeypatch.setattr(os, "urandom", lambda size: bytes(range(1, size + 1)))
    assert system_bits(24) == 0x030201
    assert system_bits(17) == 0x030201 >> 7
    assert StrictCoins().bits(16) == ExactCoins().bits(16) == 0x0201


@pytest.mark.parametrize("answer", [b"", b"\1" * 7, b"\1" * 9, "text", None, [1, 2]], ids=str)
def test_a_source_of_bytes_that_gives_anything_else_is_refused(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda _size: answer)
    for draw in (lambda: system_bits(64), lambda: StrictCoins().bits(64), lambda: random_bytes(os.urandom, 8)):
        with pytest.raises(CoinsError, match=r"the source of words gave .* where 8 bytes were asked for"):
            draw()


def test_a_source_of_bytes_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_size: int) -> bytes:
        raise OSError("no entropy")

    monkeypatch.setattr(os, "urandom", broken)
    with pytest.raises(CoinsError, match=r"^the source of words failed: OSError: no entropy$"):
        StrictCoins().uniform(6)


@pytest.mark.parametrize("word", [32, -1, None, 1.0, 2**200])
@pytest.mark.parametrize("kind", [ExactCoins, StrictCoins])
def test_a_word_that_is_too_long_is_refused(kind: type[ExactCoins | StrictCoins], word: Any) -> None:
    with pytest.raises(CoinsError, match=r"the source of bits gave .* where 5 bits were asked for"):
        kind(lambda _b: word).bits(5)


def test_bits_pass_through() -> None:
    assert StrictCoins(lambda b: b).bits(5) == ExactCoins(lambda b: b).bits(5) == 5


# Draws that are made and not used


@given(st.lists(st.tuples(st.integers(1, 2**200), st.integers(0, 2**200)), max_size=8), st.integers(0, 100))
def test_unused_draws_read_what_draws_read(draws: list[tuple[int, int]], b: int) -> None:
    meters = BitMeter(), BitMeter()
    used, unused = StrictCoins(meters[0]), UnusedDraws(StrictCoins(meters[1]))
    for d, more in draws:
        assert used.uniform(d, d + more) in range(1, d + 1)
        assert unused.uniform(d, d + more) in range(1, d + 1)
    used.bits(b)
    unused.bits(b)
    assert (meters[0].reads, meters[0].total_bits) == (meters[1].reads, meters[1].total_bits)


@given(st.integers(1, 2**200))
def test_unused_draws_do_not_depend_on_the_coins(d: int) -> None:
    sources = (lambda _b: 0), (lambda b: 2**b - 1)
    assert len({UnusedDraws(StrictCoins(source)).uniform(d) for source in sources}) == 1
    assert len({UnusedDraws(StrictCoins(source)).bits(7) for source in sources}) == 1


def test_unused_draws_have_the_slack_and_the_bounds_of_their_coins() -> None:
    assert UnusedDraws(StrictCoins()).slack == StrictCoins.slack
    assert UnusedDraws(ExactCoins()).slack == 1
    unused = UnusedDraws(StrictCoins())
    with pytest.raises(CoinsError, match=r"uniform\(0\) has no outcome"):
        unused.uniform(0)
    with pytest.raises(CoinsError, match="above its bound most = 4"):
        unused.uniform(5, 4)
    with pytest.raises(CoinsError, match=r"bits\(-1\) has no outcome"):
        unused.bits(-1)


@given(st.integers(1, 2**200))
def test_unused_draws_may_be_used_after_all(d: int) -> None:
    assert UnusedDraws(StrictCoins(lambda b: 2**b - 1), used=True).uniform(d) == d
    assert UnusedDraws(StrictCoins(lambda b: b), used=True).bits(7) == 7


# Slack of many draws


class Inexact(ExactCoins):
    """Coins that state some slack."""

    def __init__(self, slack: mpq) -> None:
        super().__init__()
        self.slack = slack


@pytest.mark.parametrize("draws", [0, 1, 2, 10, 302, 1000])
def test_slack_of_many_draws_covers_the_product(draws: int) -> None:
    whole = slack_of(StrictCoins(), draws)
    assert whole >= StrictCoins.slack**draws
    assert (whole - 1) * 2**126 <= draws  # and it is of the same size
    assert whole.denominator.bit_length() <= 130  # with few digits


@given(st.fractions(0, 1, max_denominator=10**6), st.integers(0, 60))
def test_slack_of_any_coins_covers_the_product_or_is_refused(excess: mpq, draws: int) -> None:
    coins = Inexact(1 + mpq(excess))
    if draws * mpq(excess) < 1:
        assert slack_of(coins, draws) >= coins.slack**draws
    else:
        with pytest.raises(CoinsError, match=f"{draws} draws on coins with slack {coins.slack} bound no probability ratio"):
            slack_of(coins, draws)


def test_exact_coins_and_none_have_no_slack() -> None:
    assert slack_of(ExactCoins(), 10**9) == slack_of(None, 10**9) == 1


def test_so_many_draws_that_strict_coins_bound_nothing() -> None:
    assert slack_of(StrictCoins(), 2**127 - 1) > 1
    with pytest.raises(CoinsError, match=f"{2**127} draws on coins with slack"):
        slack_of(StrictCoins(), 2**127)


# What is no coins

GEO = GeoSample(2, 1)
TEN: Any = Integers(0, 9)
ONE: Any = [1]
STABILITY: StabilityHistogram[int] = StabilityHistogram(GEO, 1)
BASIC: BasicHistogram[int] = BasicHistogram(GEO, range(10))
SHIFTED = ShiftedTruncated(3, 4, 1, 16)
BUCKETS = IntegerBuckets(0, 2)
RELEASES: dict[str, Callable[[Any], object]] = {
    "GeoSample": lambda coins: GEO.release(1, coins),
    "FastSample": lambda coins: FastSample(2, 1, "1/8").release(1, coins),
    "DyadicSample": lambda coins: DyadicSample(9, 1).release(3, coins),
    "BasicHistogram": lambda coins: BASIC.release(ONE, coins),
    "StabilityHistogram": lambda coins: STABILITY.release(ONE, coins),
    "KeepHeavy": lambda coins: KeepHeavy(BASIC).release(ONE, coins),
    "SampledKeepHeavy": lambda coins: SampledKeepHeavy(GEO, TEN).release(ONE, coins),
    "SparseHistogram": lambda coins: SparseHistogram(GEO, TEN, "1/4").release(ONE, coins),
    "PureSparseHistogram": lambda coins: pure_sparse_histogram_with_geo_sample(TEN, 2, 1, "1/4").release(ONE, coins),
    "random_histogram": lambda coins: random_histogram(TEN, 2, coins),
    "CompactHistogram": lambda coins: compact_histogram_with_geo_sample(TEN, 2, 1).release(ONE, coins),
    "CompactHistogram on a table": lambda coins: compact_histogram_with_dyadic_sample(TEN, 2, 1).release(ONE, coins),
    "CompactHistogram.consistent": lambda coins: compact_histogram_with_geo_sample(TEN, 2, 1).consistent({}, coins),
    "BlanketHistogram": lambda coins: BlanketHistogram(blanket_plan(2, 100, 10), TEN).release(ONE, coins),
    "distinct_sample": lambda coins: distinct_sample(5, (), 2, coins),
    "Mixed": lambda coins: Mixed(GEO.release, lambda _coins: 0, "1/2").release(1, coins),
    "EmptyBinSampler": lambda coins: EmptyBinSampler(GEO, 1 << 18).sample(0, coins),
    "OrdSample": lambda coins: OrdSample(2, GEO.scaled_cdf).release(5, coins),
    "ApproxOrdSample": lambda coins: ApproxOrdSample(2, GEO.scaled_cdf, 64, 8).release(5, coins),
    "ApproxBinSample": lambda coins: ApproxBinSample(64).release(5, 1, 2, 3, coins),
    "PanPrivateHistogram": lambda coins: PanPrivateHistogram(("a",), 2, 1).release(["a"], coins),
    "PrivHist": lambda coins: priv_hist(10, 1).release(["a"], coins),
    "ShiftedTruncated": lambda coins: SHIFTED.release(ONE, coins),
    "BucketHist": lambda coins: BucketHist(BUCKETS, SHIFTED).release(ONE, coins),
    "FlexibleStatistic": lambda coins: FlexibleStatistic(statistic_of("max"), BUCKETS, SHIFTED).release(ONE, coins),
    "LevelMaximum": lambda coins: LevelMaximum(BUCKETS, 3, 1, 8).release(ONE, coins),
}
NO_COINS = [random.Random(1), None, ExactCoins, SystemWords(), SeededBits(1, not_private=True), 7, "coins"]


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("coins", NO_COINS, ids=lambda coins: type(coins).__name__)
def test_what_is_no_coins_is_refused_by_every_mechanism(name: str, coins: object) -> None:
    with pytest.raises(
        CoinsError, match=r"coins is .*; accepted: an object with uniform\(d, most=None\), bits\(b\) and slack"
    ):
        RELEASES[name](coins)


@pytest.mark.parametrize("name", RELEASES)
def test_coins_of_the_library_are_taken_by_every_mechanism(name: str) -> None:
    for coins in (StrictCoins(), ExactCoins(), UnusedDraws(StrictCoins(), used=True)):
        assert checked_coins(coins) is coins
        RELEASES[name](coins)


def test_who_draws_looks_at_the_coins() -> None:
    """A function of a mechanism that draws from `coins` checks them itself: there is no other way to a draw."""
    root, draws, forgotten = Path(finitedp.impl.__file__).parent, 0, list[str]()
    for path in sorted(root.rglob("*.py")):
        if path.parent.name == "randomness":
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                names = {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
                drawn = {name for name in names if name in ("coins.uniform", "coins.bits")}
                draws += bool(drawn) or "checked_coins" in names
                forgotten += [f"{path.name}: {function.name}"] * (bool(drawn) and "checked_coins" not in names)
    assert forgotten == []
    assert draws > 10
