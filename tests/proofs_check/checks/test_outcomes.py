"""The law by outcomes: equal to the explorer's, and it refuses what it cannot follow."""

from itertools import count
from typing import Any

import pytest
from attrs import frozen

from finitedp.errors import BudgetError, DataError, ExplorationError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.checks.outcomes import Listed, law_by_outcomes, with_listed_noise
from finitedp.proofs_check.engine.explorer import explore

NOISE = DyadicSample(3, 2, 6)


def _twice(noise: Any, coins: Any) -> tuple[int, ...]:  # a mechanism, listed or not
    """A second draw where the first is above 1, at a count that the first decides: paths of two lengths."""
    first = int(noise.release(1, coins))
    return (first, int(noise.release(first, coins))) if first > 1 else (first,)


def test_the_law_is_that_of_the_explorer() -> None:
    listed = Listed(NOISE)

    def sampled(coins: Coins) -> tuple[int, ...]:
        return _twice(NOISE, coins)

    assert law_by_outcomes(lambda coins: _twice(listed, coins), 6) == explore(sampled).law()
    assert law_by_outcomes(lambda coins: _twice(Listed(DyadicSample(3, 3, 6)), coins), 6) != explore(sampled).law()


def test_all_else_is_the_mechanism_s() -> None:
    @frozen(slots=False)
    class Half:
        noise: DyadicSample

        @property
        def half(self) -> int:
            return self.noise.n // 2

    copy = with_listed_noise(Half(NOISE), ("noise",))
    assert isinstance(copy.__dict__["noise"], Listed)
    assert (copy.half, copy.noise.word) == (1, 6)
    with pytest.raises(DataError, match="count = 4"):
        law_by_outcomes(lambda coins: copy.noise.release(4, coins), 6)


def test_what_cannot_be_followed_is_refused() -> None:
    listed, step = Listed(NOISE), count()
    with pytest.raises(ExplorationError, match="bits"):
        law_by_outcomes(lambda coins: coins.bits(3), 6)
    with pytest.raises(ExplorationError, match="uniform"):
        law_by_outcomes(lambda coins: coins.uniform(3), 6)
    with pytest.raises(ExplorationError, match="not deterministic"):
        law_by_outcomes(lambda coins: listed.release(next(step) % 3, coins), 6)
    with pytest.raises(ExplorationError, match="not deterministic"):
        law_by_outcomes(lambda coins: sum(listed.release(1, coins) for _ in range(1 + next(step) % 2)), 6)
    with pytest.raises(BudgetError, match="more than 5 paths"):
        law_by_outcomes(lambda coins: _twice(listed, coins), 6, most=5)


def test_as_many_paths_as_are_allowed() -> None:
    """Each path of two draws has an outcome of its own."""
    listed = Listed(NOISE)
    law = law_by_outcomes(lambda coins: _twice(listed, coins), 6)
    paths = len(list(law))
    assert law_by_outcomes(lambda coins: _twice(listed, coins), 6, most=paths) == law
    with pytest.raises(BudgetError, match=f"more than {paths - 1} paths"):
        law_by_outcomes(lambda coins: _twice(listed, coins), 6, most=paths - 1)
