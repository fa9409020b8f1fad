"""What numpy's generators draw, as numpy computes it from uniform words: read against the C and Cython sources of 2.4.6.

Whole numbers in a range are exactly uniform, by rejection of words. Everything else is built from them and from words of 53
bits in the same order and by the same arithmetic as there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import lru_cache
from math import exp, log, log1p, sqrt
from typing import Any

import numpy as np

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.stand_ins.bytes import whole
from finitedp.proofs_check.engine.stand_ins.floats import WORD
from finitedp.proofs_check.engine.stand_ins.refusing import refuse

READ = "2.4.6"
"""The version of numpy that was read. Others are followed function by function, where they do the same (numpy_replay.py)."""
MOST_INVERTED = 30.0  # the mean up to which numpy's binomial inverts one uniform


def shuffled_places(coins: Coins, n: int, last: int | None = None) -> list[int]:
    """The places of 0..n - 1 after numpy's shuffle, or the last of them: from the end, each is swapped with one up to it."""
    places, first = list(range(n)), 0 if last is None else n - last
    for i in reversed(range(max(first, 1), n)):
        j = int(whole(coins, i + 1))
        places[i], places[j] = places[j], places[i]
    return places[first:]


def distinct(coins: Coins, n: int, k: int, *, shuffle: bool) -> list[int]:
    """k distinct places of 0..n - 1, as Generator.choice draws them: by swaps at the tail, or by Floyd's algorithm."""
    if n > 10_000 and k > n // (50 if shuffle else 20):
        return shuffled_places(coins, n, k)
    drawn: list[int] = []
    for last in range(n - k, n):
        j = int(whole(coins, last + 1))
        drawn.append(last if j in drawn else j)
    return [drawn[i] for i in shuffled_places(coins, k)] if shuffle else drawn


# Weights


_UNMOVED: dict[bool, Any] = {False: np.random.default_rng(0), True: np.random.RandomState(0)}


def checked_weights(p: Any, n: int, *, legacy: bool) -> Any:
    """The array of float64 that numpy makes of p. Raises: ValueError where numpy does."""
    _UNMOVED[legacy].choice(n, 0, p=p)  # which looks at p, and draws nothing
    return np.array(p, dtype=np.float64)


def searched(draw: Callable[[], Any], weights: Any) -> int:
    """cdf.searchsorted(u, side="right") of the cumulated weights, in numpy's own floats."""
    return bisect_right(cumulated(weights), draw())


def cumulated(weights: Any) -> list[float]:
    """The cumulated weights, over their sum."""
    cdf = weights.cumsum()
    cdf /= cdf[-1]
    return [float(value) for value in cdf]


def weighted_distinct(draw: Callable[[], Any], weights: Any, k: int) -> list[int]:
    """k distinct places with weights: what came up is left out, and the rest is drawn again. Raises: ValueError."""
    if np.count_nonzero(weights > 0) < k:
        raise ValueError("Fewer non-zero entries in p than size")
    left, drawn = weights.copy(), list[int]()
    while len(drawn) < k:
        uniforms = [draw() for _ in range(k - len(drawn))]
        left[drawn] = 0
        cdf = cumulated(left)
        drawn += dict.fromkeys(bisect_right(cdf, u) for u in uniforms)
    return drawn


# Binomials


_BY_LOG = tuple(map(int, np.__version__.split(".")[:2])) < (2, 4)
"""Whether numpy's Generator inverts as its RandomState does; both are compared with it (numpy_replay.py)."""


@lru_cache(maxsize=1024)
def inversion(n: int, p: float, legacy: bool) -> tuple[int, tuple[int, ...]]:
    """(w, t): words below w are accepted, and the outcome is at least k from the word t[k - 1] on."""
    q = 1.0 - p
    start = exp(n * log(q)) if legacy or _BY_LOG else exp(n * log1p(-p))
    most = int(min(n, n * p + 10.0 * sqrt(n * p * q + 1)))

    def outcome(word: int) -> int:
        """most + 1 where the word is rejected. It does not fall as words rise, since each step is monotone."""
        x, px, u = 0, start, word * 2.0**-WORD
        while u > px:
            x += 1
            if x > most:
                break
            u -= px
            px = ((n - x + 1) * p * px) / (x * q)
        return x

    turns = tuple(bisect_left(range(1 << WORD), k, key=outcome) for k in range(1, most + 2))
    return turns[-1], turns[:-1]


def binomial(coins: Coins, n: int, p: float, *, legacy: bool) -> int:
    """numpy's binomial, where it inverts one uniform: for n min(p, 1 - p) <= 30. Raises: ValueError, OverflowError.

    A word that is rejected is drawn again, so that the accepted ones are uniform.
    """
    if n < 0 or not 0 <= p <= 1:
        raise ValueError("n < 0" if n < 0 else "p < 0, p > 1 or p is NaN")
    if n >= 1 << 63:
        raise OverflowError("Python int too large to convert to C long")
    if (n == 0 or p == 0) and not legacy:
        return 0
    flipped = p > 0.5
    chance = 1.0 - p if flipped else p
    if chance * n > MOST_INVERTED:
        refuse(coins, f"draws binomial({n}, {p}), of a mean above 30, for which numpy combines several uniforms")
    accepted, turns = inversion(n, chance, legacy)
    word = coins.uniform(accepted) - 1
    found = bisect_right(turns, word, hi=bisect_right(turns, accepted - 1))
    return n - found if flipped else found
