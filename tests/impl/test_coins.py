"""finitedp.impl.coins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import CoinsError
from finitedp.impl.coins import BitMeter, ExactCoins, SeededBits, StrictCoins, strict_bits, system_bits


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


def test_bits_pass_through() -> None:
    assert StrictCoins(lambda b: b).bits(5) == ExactCoins(lambda b: b).bits(5) == 5
