"""finitedp.impl.randomness.coins."""

import os
from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import CoinsError
from finitedp.impl.randomness.coins import (
    BitMeter,
    ExactCoins,
    SeededBits,
    StrictCoins,
    UnusedDraws,
    random_bytes,
    slack_of,
    strict_bits,
    system_bits,
)


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
