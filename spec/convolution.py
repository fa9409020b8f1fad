"""Convolution of vectors, the floored power of Algorithm 6.16, and the binomial laws (Section 6.3 of Balcer and Vadhan)."""

from collections.abc import Sequence
from math import comb

from gmpy2 import f_div, mpq, mpz

from finitedp.errors import ParameterError
from finitedp.exact import integer
from finitedp.spec.pmf import Pmf

__all__ = ["approx_binomial", "approx_conv_exp", "binomial", "convolve", "fold"]

Vector = Sequence[mpq] | Sequence[int]


def convolve(a: Vector, b: Vector) -> list[mpq]:
    """(a * b)_k = sum of a_i b_(k-i) over i <= k, for k below the common length. Source: BV.Def6.12."""
    return [sum((mpq(a[i]) * b[k - i] for i in range(k + 1)), mpq(0)) for k in range(len(a))]


def fold(a: Vector, i: int) -> list[mpq]:
    """The i-fold convolution, i - 1 convolutions of a with itself. Source: BV.Def6.12. Parameters: i >= 1."""
    power = [mpq(x) for x in a]
    for _ in range(i - 1):
        power = convolve(a, power)
    return power


def approx_conv_exp(a: Sequence[int], i: int, s: int) -> list[int]:
    """The floored power of a, by the recursion as printed. Source: BV.Alg6.16. Parameters: i, s >= 1."""
    if i == 1:
        return list(a)
    b = approx_conv_exp(a, i // 2, s)
    c = [x / s for x in convolve(b, b)] if i % 2 == 0 else [x / s**2 for x in convolve(a, convolve(b, b))]
    return [f_div(x.numerator, x.denominator) for x in c]


def binomial(m: int, p: int, q: int, t: int) -> Pmf[int]:
    """The law of min(Bin(m, p/q), t). Source: Section 6.1 of Balcer and Vadhan. Parameters: m >= 0; 0 <= p <= q; t >= 0."""
    weights = [comb(m, k) * mpz(p) ** k * mpz(q - p) ** (m - k) for k in range(m + 1)]
    return Pmf(dict(enumerate(weights))).pushforward(lambda k: min(k, t))


def approx_binomial(m: int, p: int, q: int, t: int, s: int) -> Pmf[int]:
    """The law of ApproxBinSample: d_k / s for k below t, and what is left at t, where d is the floored power.

    Source: the proof of BV.Prop6.17, with p' = floor(s p / q). Parameters: 1 <= m <= s (any m where t = 0); 0 <= p <= q; t
    >= 0.
    Raises: ParameterError for m > s.
    """
    if not 0 <= p <= q:
        raise ParameterError(f"p = {p}, q = {q}; accepted: 0 <= p <= q")
    if t == 0:
        return Pmf.point(0)
    integer(m, "m", 1, s)
    success = s * p // q
    d = approx_conv_exp([s - success, success, *[0] * (t - 2)][:t], m, s)
    return Pmf({**dict(enumerate(d)), t: s - sum(d)})
