"""The two-sided geometric law as Section 4.1 of Balcer and Vadhan prints it: probabilities, distribution function, inverses.

All four take the decay e^(-1/s), a rational, in place of the scale s, so that every value is exact: s ln(x) is the logarithm
of x to the base e^(1/s) = 1/decay, and its ceiling is decided by powers of rationals. Nothing here uses
finitedp.spec.counting, whose law comes from the proportionality alone.
"""

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, ceil_power, integer, probability, rational, sign

__all__ = ["ceil_log_to_base", "distribution", "inverse", "inverse_in_one_line", "mass"]


def _base(decay: RationalLike) -> mpq:
    """e^(1/s) = 1/decay."""
    a = rational(decay, "decay")
    if not 0 < a < 1:
        raise ParameterError(f"decay = {a} is out of range; accepted: a rational in (0, 1)")
    return 1 / a


def ceil_log_to_base(base: RationalLike, number: RationalLike) -> int:
    """The least integer m with base^m >= number, also below 0: the ceiling of s ln(number) for base = e^(1/s).

    Parameters: base > 1 and number > 0, rationals. Raises: ParameterError.
    """
    b, x = rational(base, "base"), rational(number, "number")
    if x <= 0:
        raise ParameterError(f"number = {x} has no logarithm; accepted: a rational above 0")
    if x > 1:
        return ceil_power(b, x)
    above = ceil_power(b, 1 / x)  # the least j with base^j >= 1/x; -m is the largest with base^j <= 1/x
    return -above if b**above == 1 / x else 1 - above


def mass(decay: RationalLike, centre: int, z: int) -> mpq:
    """f_Z(z) = (e^(1/s) - 1)/(e^(1/s) + 1) e^(-|z - c|/s). Source: BV.Sec4.1.mass. Parameters: decay = e^(-1/s) in (0, 1)."""
    b = _base(decay)
    return (b - 1) / (b + 1) * b ** -abs(integer(z, "z") - integer(centre, "centre"))


def distribution(decay: RationalLike, centre: int, z: int) -> mpq:
    """F_Z(z): e^(1/s)/(e^(1/s) + 1) e^(-(c - z)/s) for z <= c, else 1 - e^(-(z - c)/s)/(e^(1/s) + 1).

    Source: BV.Sec4.1.distribution. Parameters: decay = e^(-1/s) in (0, 1).
    """
    b, c = _base(decay), integer(centre, "centre")
    return b / (b + 1) * b ** (z - c) if z <= c else 1 - b ** (c - z) / (b + 1)


def _level(u: RationalLike) -> mpq:
    return probability(u, "u", zero=False, one=False)


def inverse(decay: RationalLike, centre: int, u: RationalLike) -> int:
    """F_Z^(-1)(u) = c + ceil(s ln(u) + s ln(e^(1/s) + 1)) - 1 for u <= 1/2, else c + ceil(-s ln(1 - u) - s ln(e^(1/s) + 1)).

    Source: BV.Sec4.1.inverse. Parameters: decay = e^(-1/s) in (0, 1); u in (0, 1), since ln(1 - u) is not defined at 1.
    Raises: ParameterError.
    """
    b, c, level = _base(decay), integer(centre, "centre"), _level(u)
    if level <= mpq(1, 2):
        return c + ceil_log_to_base(b, level * (b + 1)) - 1
    return c + ceil_log_to_base(b, 1 / ((1 - level) * (b + 1)))


def inverse_in_one_line(decay: RationalLike, centre: int, u: RationalLike) -> int:
    """c + ceil(s sign(1/2 - u) (ln(1 - |2u - 1|) + ln(e^(1/s) + 1) - ln 2)) + floor(2u) - 1.

    Source: BV.Sec4.1.inverse.line. Parameters and errors: as `inverse`.
    """
    b, c, level = _base(decay), integer(centre, "centre"), _level(u)
    number, towards = (1 - abs(2 * level - 1)) * (b + 1) / 2, sign(mpq(1, 2) - level)
    rounded = ceil_log_to_base(b, number**towards) if towards else 0
    return c + rounded + int(2 * level) - 1
