"""ApproxConvExp (Algorithm 6.16 of Balcer and Vadhan): repeated convolution of a vector with itself, floored at every step."""

from collections.abc import Sequence
from itertools import accumulate

from flint import fmpz, fmpz_poly
from gmpy2 import mpz

from finitedp.errors import ParameterError
from finitedp.exact import integer, short

__all__ = ["approx_binomial_cdf", "approx_conv_exp"]


def approx_conv_exp(a: Sequence[int], i: int, s: int, depth: int | None = None) -> list[int]:
    """About s times the i-fold convolution of a/s, truncated to the length of a and floored to integers at every step.

    Source: BV.Alg6.16. Both steps, even and odd, are computed for every binary digit of i, and one is kept.
    Parameters: a, at least one integer in 0..s, with a sum of at most s; i >= 1; s >= 1; depth, a public bound on
    i.bit_length(), so that the number of steps does not tell i. Raises: ParameterError.
    Cost: max(depth, i.bit_length()) - 1 squarings and as many products, by FLINT's fast multiplication.
    """
    length = len(a)
    digits = integer(i, "i", at_least=1).bit_length()
    if not length:
        raise ParameterError("a has 0 entries with sum 0; accepted: integers of at least 0, sum at most s")
    integer(s, "s", at_least=1)
    for x in a:
        integer(x, "an entry of a")
    if min(a) < 0 or sum(a) > s:
        raise ParameterError(
            f"a has {length} entries with sum {short(sum(a))}; accepted: integers of at least 0, sum at most s"
        )
    squarings = (digits if depth is None else integer(depth, "depth", at_least=digits)) - 1
    one = fmpz_poly([int(x) for x in a])
    power = one
    for position in reversed(range(squarings)):
        square = _truncated_product(power, power, length)
        times_a = _truncated_product(square, one, length)
        odd = i >> position & 1
        product, divisions = (times_a, 2) if odd else (square, 1)
        floored = _floored(product, s, divisions)
        power = floored if position < digits - 1 else power  # digits above the first of i are work only
    coefficients: list[int] = [mpz(int(c)) for c in power.coeffs()]
    return coefficients + [mpz(0)] * (length - len(coefficients))


def _truncated_product(a: fmpz_poly, b: fmpz_poly, length: int) -> fmpz_poly:
    return a.mul_low(b, length)


def _floored(polynomial: fmpz_poly, s: int, divisions: int) -> fmpz_poly:
    """The coefficients divided by s^divisions, floored once: a shift where s is a power of two."""
    if s & (s - 1) == 0:
        shift = divisions * (s.bit_length() - 1)
        return fmpz_poly([c >> shift for c in polynomial.coeffs()])
    divisor = fmpz(int(s)) ** divisions
    return fmpz_poly([c // divisor for c in polynomial.coeffs()])


def approx_binomial_cdf(m: int, success: int, s: int, length: int, depth: int | None = None) -> list[int]:
    """About s * Pr[Bin(m, success / s) <= k] for k = 0..length-1: partial sums of ApproxConvExp of (s - success, success).

    Source: steps (4a) to (4c) of BV.Alg6.18; the vector has its second entry only where length >= 2.
    Parameters: m >= 1; success in 0..s; length >= 1.
    """
    one_trial = [s - success, success, *[0] * (length - 2)][:length]
    return list(accumulate(approx_conv_exp(one_trial, m, s, depth)))
