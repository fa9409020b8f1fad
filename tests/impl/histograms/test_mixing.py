"""finitedp.impl.histograms.mixing: what is drawn. The exact laws, and that both outputs are computed, are elsewhere."""

import pytest

from finitedp.errors import ParameterError
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.randomness.coins import BitMeter, Coins, SeededBits, StrictCoins, strict_bits
from finitedp.proofs_check.checks.work import work_of


class FirstWord:
    """Bits whose first word is the least or the largest one, so that a draw of 1..g, g > 1, keeps one output or the other."""

    def __init__(self, least: bool, seed: int = 1) -> None:
        self.least, self.read, self.rest = least, False, SeededBits(seed, not_private=True)

    def __call__(self, b: int) -> int:
        first, self.read = not self.read, True
        return self.rest(b) if not first else 0 if self.least else 2**b - 1


def base(data: int, coins: Coins) -> tuple[str, int, tuple[int, ...]]:
    return "base", data, tuple(coins.uniform(10**6) for _ in range(3))


def alternative(coins: Coins) -> tuple[str, int, tuple[int, ...]]:
    return "alternative", 0, (coins.uniform(10**9), coins.bits(40))


MIXED = Mixed(base, alternative, "1/7")


@pytest.mark.parametrize("least", [True, False])
def test_draws_are_the_same_whichever_output_is_kept(least: bool) -> None:
    for data in (5, 6):
        meter = BitMeter(FirstWord(least))
        kept = MIXED.release(data, StrictCoins(meter))
        assert kept[:2] == (("alternative", 0) if least else ("base", data))
        assert meter.reads == 1 + 3 + 2
        assert meter.total_bits == strict_bits(7) + 3 * strict_bits(10**6) + strict_bits(10**9) + 40


def test_what_is_kept_is_drawn_and_what_is_not_kept_is_not_used() -> None:
    """With the base kept the draws of the first one are its own; with the alternative kept, those of the second one are."""
    word = SeededBits(1, not_private=True)
    drawn = [1 + (word(strict_bits(d)) * d >> strict_bits(d)) for d in (10**6, 10**6, 10**6, 10**9)]
    assert MIXED.release(5, StrictCoins(FirstWord(False))) == ("base", 5, tuple(drawn[:3]))
    assert MIXED.release(5, StrictCoins(FirstWord(True))) == ("alternative", 0, (drawn[3], word(40)))


def test_the_part_that_is_not_kept_sees_no_draw() -> None:
    seen: list[tuple[int, ...]] = []

    def spying(data: int, coins: Coins) -> tuple[str, int, tuple[int, ...]]:
        result = base(data, coins)
        seen.append(result[2])
        return result

    mixed = Mixed(spying, alternative, "1/7")
    for seed in range(5):
        mixed.release(5, StrictCoins(FirstWord(True, seed)))
    assert len(set(seen)) == 1
    for seed in range(5):
        mixed.release(5, StrictCoins(FirstWord(False, seed)))
    assert len(set(seen)) == 6


def test_the_same_functions_are_called_whichever_output_is_kept() -> None:
    """As the choice is not to be told: calls of the wrapper of draws that are not used count as well."""
    works = [work_of(lambda: MIXED.release(5, StrictCoins(FirstWord(least)))) for least in (True, False)]  # noqa: B023
    assert works[0] == works[1]


def test_gamma_1_always_keeps_the_alternative() -> None:
    always = Mixed(base, alternative, 1)
    assert {always.release(5, StrictCoins())[0] for _ in range(20)} == {"alternative"}


@pytest.mark.parametrize(
    ("gamma", "message"),
    [("2/3", "gamma = 2/3 is not admissible"), (0, "gamma = 0 is not positive"), (0.5, r"gamma = 0\.5 is a float")],
)
def test_wrong_shares(gamma: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Mixed(base, alternative, gamma)
