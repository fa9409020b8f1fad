"""Contracts that are false: CrossHair must find a counterexample to each, or its "Confirmed" elsewhere means nothing."""

from finitedp.impl.arithmetic.kernels import ceil_log2, clamped_cdf, least_reaching, scale_word


def scaled_word_never_reaches_d(word: int, d: int) -> int:
    """False: the last word gives d.

    pre: 0 <= word < 256
    pre: 1 <= d <= 256
    post: 1 <= __return__ < d
    """
    return scale_word(word, 8, d)


def floor_log2_covers(d: int) -> int:
    """False: one less than the ceiling does not cover.

    pre: 2 <= d <= 64
    post: 2 ** (__return__ - 1) >= d
    """
    return ceil_log2(d)


def search_is_strict(a: int, b: int, c: int, u: int) -> bool:
    """False: the value found need not exceed u.

    pre: 0 <= a <= b <= c <= 20
    pre: 1 <= u <= 20
    post: __return__
    """
    cdf = [a, b, c, 20]
    return cdf[least_reaching(lambda i: cdf[i], 3, u)] > u


def clamped_cdf_strict(p: int, q: int, count: int, z: int) -> bool:
    """False: F is not strictly increasing outside of 0..n.

    pre: 0 <= q <= p <= 10
    pre: 0 <= count <= 2
    pre: -2 <= z <= 3
    post: __return__
    """
    return clamped_cdf(lambda m: (p, q)[m - 1], 20, 2, count, z) < clamped_cdf(lambda m: (p, q)[m - 1], 20, 2, count, z + 1)
