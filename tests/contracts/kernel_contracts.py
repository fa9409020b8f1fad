"""Contracts on the integer kernels, for CrossHair: symbolic execution over plain ints.

tests/contracts/test_contracts.py runs `crosshair check --report_all` on this file and asserts that every condition here is
"Confirmed over all paths", so that a timeout or a skipped function cannot pass for a proof. The power kernels are not here:
the ledger proves their identities as polynomials (BV.Lem4.9, BV.Lem4.12.i).
"""

from finitedp.impl.arithmetic.kernels import ceil_log2, clamped_cdf, least_reaching, scale_word


def scaled_word_in_range(word: int, d: int) -> int:
    """A word of 8 bits becomes a value in 1..d.

    pre: 0 <= word < 256
    pre: 1 <= d <= 256
    post: 1 <= __return__ <= d
    """
    return scale_word(word, 8, d)


def scaled_word_monotone(word: int, d: int) -> bool:
    """The value does not fall when the word rises.

    pre: 0 <= word < 255
    pre: 1 <= d <= 256
    post: __return__
    """
    return scale_word(word, 8, d) <= scale_word(word + 1, 8, d)


def ceil_log2_covers(d: int) -> int:
    """2^b >= d.

    pre: 1 <= d <= 64
    post: 2 ** __return__ >= d
    """
    return ceil_log2(d)


def ceil_log2_is_least(d: int) -> int:
    """2^(b-1) < d.

    pre: 2 <= d <= 64
    post: 2 ** (__return__ - 1) < d
    """
    return ceil_log2(d)


def search_reaches(a: int, b: int, c: int, u: int) -> bool:
    """The search returns the least z in 0..3 with F(z) >= u, for F = a, b, c, 20.

    pre: 0 <= a <= b <= c <= 20
    pre: 1 <= u <= 20
    post: __return__
    """
    cdf = [a, b, c, 20]
    z = least_reaching(lambda i: cdf[i], 3, u)
    return cdf[z] >= u and (z == 0 or cdf[z - 1] < u)


def search_reaches_odd_range(a: int, b: int, u: int) -> bool:
    """The same on 0..2, which is not one less than a power of 2.

    pre: 0 <= a <= b <= 20
    pre: 1 <= u <= 20
    post: __return__
    """
    cdf = [a, b, 20]
    z = least_reaching(lambda i: cdf[i], 2, u)
    return cdf[z] >= u and (z == 0 or cdf[z - 1] < u)


def clamped_cdf_in_range(p: int, q: int, count: int, z: int) -> int:
    """F is in 0..total, for tails 20 >= total/2 >= p >= q >= 0 beyond 1 and 2.

    pre: 0 <= q <= p <= 10
    pre: 0 <= count <= 2
    post: 0 <= __return__ <= 20
    """
    return clamped_cdf(lambda m: (p, q)[m - 1], 20, 2, count, z)


def clamped_cdf_monotone(p: int, q: int, count: int, z: int) -> bool:
    """F does not fall in z.

    pre: 0 <= q <= p <= 10
    pre: 0 <= count <= 2
    pre: -2 <= z <= 3
    post: __return__
    """
    return clamped_cdf(lambda m: (p, q)[m - 1], 20, 2, count, z) <= clamped_cdf(lambda m: (p, q)[m - 1], 20, 2, count, z + 1)


def clamped_cdf_ends(p: int, q: int, count: int) -> bool:
    """F(-1) = 0 and F(n) = total.

    pre: 0 <= q <= p <= 10
    pre: 0 <= count <= 2
    post: __return__
    """
    tail = (p, q).__getitem__
    return clamped_cdf(tail, 20, 2, count, -1) == 0 and clamped_cdf(tail, 20, 2, count, 2) == 20
