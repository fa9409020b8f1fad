"""The zoo's exact draws.

The noise is two-sided geometric: an integer z has probability (1 - a) / (1 + a) * a^|z|, with a rational decay a where papers
write e^-epsilon.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise

from gmpy2 import lcm, mpq

from finitedp.exact import RationalLike
from finitedp.impl.randomness.coins import Coins

HALF = mpq(1, 2)


def flip(coins: Coins, chance: RationalLike) -> bool:
    """True with a rational probability: one draw, one comparison."""
    p = mpq(chance)
    return coins.uniform(p.denominator) <= p.numerator


def pick(coins: Coins, weights: Sequence[int]) -> int:
    """An index, with probability in proportion to its integer weight."""
    u = coins.uniform(sum(weights))
    return next(i for i, below in enumerate(accumulate(weights)) if u <= below)


def tail(decay: mpq, k: int) -> mpq:
    """Pr[noise >= k], for noise of infinite range."""
    return decay**k / (1 + decay) if k > 0 else 1 - decay ** (1 - k) / (1 + decay)


def noise_reaches(coins: Coins, decay: mpq, k: int) -> bool:
    """Whether fresh noise of infinite range is at least k: only that is drawn."""
    return flip(coins, tail(decay, k))


@cache
def _weights(value: int, decay: mpq, low: int, high: int) -> tuple[int, ...]:
    """Integer weights of low..high in proportion to the law of value + noise, clamped."""
    above = [mpq(1), *(tail(decay, z - value) for z in range(low + 1, high + 1)), mpq(0)]
    common = lcm(*(p.denominator for p in above))
    return tuple(int((p - q) * common) for p, q in pairwise(above))


def geometric(coins: Coins, value: int, decay: mpq, low: int, high: int) -> int:
    """A value plus noise of infinite range, clamped to low..high afterwards: one draw."""
    return low + pick(coins, _weights(value, decay, low, high))
