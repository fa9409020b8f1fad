"""Two mechanisms in plain Python. They know nothing of finitedp: rng is a random.Random, in production a SystemRandom."""

from collections.abc import Sequence
from random import Random

__all__ = ["noisy_count", "noisy_count_with_two_zeros", "randomized_response"]


def randomized_response(rows: Sequence[int], rng: Random, truthful: float = 0.75) -> tuple[int, ...]:
    """Every row, 0 or 1, answers for itself: the truth with probability `truthful`, else the opposite."""
    return tuple(x if rng.random() < truthful else 1 - x for x in rows)


def noisy_count(rows: Sequence[int], rng: Random) -> int:
    """The number of ones plus geometric noise, P[noise = z] = 2^-|z| / 3, clamped to 0..n."""
    n = len(rows)
    noise = 0
    if rng.randrange(3) > 0:
        sign = 1 if rng.getrandbits(1) else -1
        noise = sign * (1 + _heads(rng, n))
    return min(max(sum(rows) + noise, 0), n)


def noisy_count_with_two_zeros(rows: Sequence[int], rng: Random) -> int:
    """A popular mistake: a sign and a size that may be 0, so that no noise at all is twice as likely as it should be."""
    n = len(rows)
    sign = 1 if rng.getrandbits(1) else -1
    return min(max(sum(rows) + sign * _heads(rng, n), 0), n)


def _heads(rng: Random, most: int) -> int:
    """The number of heads before the first tail; from `most` on it makes no difference, so that the loop has a bound."""
    heads = 0
    while heads < most and rng.getrandbits(1):
        heads += 1
    return heads
