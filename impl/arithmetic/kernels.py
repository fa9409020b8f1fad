"""The integer kernels that every mechanism stands on: small, pure, and checked symbolically (tests/contracts).

All of them work on int and mpz alike; `tail_weight` and `clamped_cdf` also on polynomials, which is how the ledger proves
identities for all values of epsilon from the very code that runs.
"""

from collections.abc import Callable

__all__ = [
    "ceil_log2",
    "clamped_cdf",
    "last_above",
    "least_reaching",
    "scale_word",
    "tail_weight",
    "truncated_tail_weight",
    "uniform_steps",
]


def ceil_log2(d: int) -> int:
    """The least b >= 0 with 2^b >= d, for d >= 1."""
    return (d - 1).bit_length()


def scale_word(word: int, bits: int, d: int) -> int:
    """A word in 0..2^bits - 1 mapped to 1..d by multiplying and shifting: non-decreasing in the word."""
    return 1 + ((word * d) >> bits)


def uniform_steps(n: int) -> int:
    """The number of comparisons that `least_reaching` makes for answers in 0..n: always the same."""
    return n.bit_length()


def least_reaching(cdf: Callable[[int], int], n: int, u: int) -> int:
    """The least z in 0..n with cdf(z) >= u, for a non-decreasing cdf with cdf(n) >= u.

    Source: the binary search of BV.Alg4.8 (3), with the same number of comparisons on every path: a probe at n or
    beyond, where the answer is known, is moved to n - 1, made all the same, and not used.
    """
    position, rounds = 0, n.bit_length()
    for i in range(rounds):
        position = _least_reaching_step(cdf, n, u, position, 1 << (rounds - 1 - i))
    return position


def _least_reaching_step(cdf: Callable[[int], int], n: int, u: int, position: int, step: int) -> int:
    """Where the search goes on: `step` further, where cdf is below u just before that place, and the place is there."""
    above = u > cdf(min(position + step, n) - 1)
    if above and position + step <= n:
        return position + step
    return position


def last_above(tail: Callable[[int], int], last: int, m: int) -> int:
    """The largest j in 0..last with tail(j) > m, for a non-increasing tail with tail(0) > m.

    Source: FD.Dyadic.law. As many comparisons on every path: a probe beyond `last` is moved there, made, and not used.
    """
    found, rounds = 0, last.bit_length()
    for i in range(rounds):
        found = _last_above_step(tail, last, m, found, 1 << (rounds - 1 - i))
    return found


def _last_above_step(tail: Callable[[int], int], last: int, m: int, found: int, step: int) -> int:
    """Where the search goes on: `step` further, where the tail there is above m, and the place is there."""
    place = found + step
    above = m < tail(min(place, last))
    if above and place <= last:
        return place
    return found


def tail_weight(x: int, power: int, m: int) -> int:
    """x^m (x+1)^(power-m): the tail Pr[Z >= m] of two-sided geometric noise with decay x/(x+1), as an integer.

    It is the probability times (2x+1)(x+1)^(power-1).
    Parameters: x >= 1, 1 <= m <= power.
    """
    return x**m * (x + 1) ** (power - m)  # type: ignore[no-any-return]  # int ** int is typed as Any


def truncated_tail_weight(x: int, radius: int, m: int) -> int:
    """The same tail once all mass beyond +-radius is moved to 0, times (2x+1)(x+1)^radius; 0 for m > radius.

    Source: the terms of F' in BV.Alg4.11 (3). Parameters: x >= 1, radius >= 0, m >= 1.
    """
    beyond = tail_weight(x, radius + 1, radius + 1)
    return tail_weight(x, radius + 1, m) - beyond if m <= radius else beyond - beyond


def clamped_cdf(tail: Callable[[int], int], total: int, n: int, count: int, z: int) -> int:
    """Total * Pr[clamp(count + Z, 0, n) <= z] for symmetric integer noise Z with tail(m) = total * Pr[Z >= m].

    Source: the case distinction of F in BV.Alg4.8 (2) and of F' in BV.Alg4.11 (3), which is the same one.
    """
    if z < 0:
        return total - total
    if z >= n:
        return total
    return tail(count - z) if z < count else total - tail(z - count + 1)
