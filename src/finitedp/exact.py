"""Exact parameters, and rigorous comparison of rationals with e^x and ln(x).

A parameter is a rational: an int, a Fraction, a gmpy2 number or a string, "p/q" or a decimal, which is exact as it is
written. A float is refused, since the decimal that its author had in mind is not the binary fraction that it holds. Irrational
numbers appear only here, as the balls of python-flint's arb, whose error bounds are proved; every question asked of them is
refined until it decides.
"""

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from math import isfinite

from flint import arb, ctx, fmpq
from gmpy2 import c_div, mpq, mpz

from finitedp.errors import FinitedpError, ParameterError, PrecisionError
from finitedp.labels import short

__all__ = [
    "RationalLike",
    "ceil_log",
    "ceil_power",
    "compare_exp",
    "exp_bounds",
    "integer",
    "log_bounds",
    "log_power_sum",
    "positive",
    "probability",
    "rational",
    "short",
    "sign",
    "sign_of",
    "sign_of_exponentials",
    "to_arb",
    "unit_fraction",
]

RationalLike = int | Fraction | mpq | str

_ACCEPTED = "an int, a Fraction, an mpq or a string, 'p/q' or a decimal"
_RATIONAL_TEXT = re.compile(r"\s*([+-]?[0-9]+)\s*/\s*([0-9]+)\s*")
_DECIMAL_TEXT = re.compile(r"\s*([+-]?[0-9]*)(?:\.([0-9]+))?(?<=[0-9])(?:[eE]([+-]?[0-9]{1,3}))?\s*")
_LONGEST_TEXT = 4000
_FIRST_PRECISION = 64
_LAST_PRECISION = 1 << 24


def rational(value: RationalLike, name: str = "value") -> mpq:
    """The exact rational that `value` denotes.

    Parameters: value, an int, a Fraction, an mpq, an mpz or a string: "p/q", or a decimal such as "1.95" or "1e-6"; name, the
    parameter's name for the message. Raises: ParameterError for a float, a Decimal, a bool or anything else.
    """
    return mpq(value) if is_exact(value) else _converted(value, name)


def is_exact(value: object) -> bool:
    """Whether a value is of a type of exact numbers, and no bool: what it is does not matter, beside its type."""
    return (isinstance(value, int | Fraction) or type(value) in (mpz, mpq)) and not isinstance(value, bool)


def _converted(value: object, name: str) -> mpq:
    """The number that a text denotes. Raises: ParameterError for what is none."""
    if isinstance(value, str):
        return _from_text(value, name)
    if isinstance(value, float):
        hint = f", for example {_nearby(value)!r}, or as text {repr(float(value))!r}" if isfinite(value) else ""
        raise ParameterError(f"{name} = {value!r} is a float, which is rarely the number meant: write it exactly{hint}")
    if isinstance(value, Decimal | bool):
        raise ParameterError(f"{name} = {value!r} is a {type(value).__name__}; accepted: {_ACCEPTED}")
    raise ParameterError(f"{name} = {value!r} is not a rational; accepted: {_ACCEPTED}")


def _nearby(value: float) -> str:
    """The short fraction that the author of a float most likely meant."""
    return str(Fraction(repr(float(value))))


def _from_text(text: str, name: str) -> mpq:
    if len(text) > _LONGEST_TEXT:
        raise ParameterError(f"{name} has {len(text)} characters; accepted: 'p/q' or a decimal of at most {_LONGEST_TEXT}")
    decimal = _DECIMAL_TEXT.fullmatch(text)
    if decimal is not None:
        whole, places, exponent = decimal.group(1), decimal.group(2) or "", int(decimal.group(3) or 0)
        return mpq(int(whole + places)) * mpq(10) ** (exponent - len(places))
    match = _RATIONAL_TEXT.fullmatch(text)
    if match is None:
        raise ParameterError(f"{name} = {text[:40]!r} is not of the form 'p/q' with integers p and q, nor a decimal")
    numerator, denominator = match.group(1), match.group(2)
    if int(denominator) == 0:
        raise ParameterError(f"{name} = {text!r} has denominator 0")
    return mpq(int(numerator), int(denominator))


def integer(
    value: int,
    name: str,
    at_least: int | None = None,
    at_most: int | None = None,
    error: type[FinitedpError] = ParameterError,
) -> int:
    """`value` if it is an integer (not a bool, not a float) within the bounds, which are inclusive.

    Raises: ParameterError, or `error`.
    """
    if not is_integer(value):
        raise error(f"{name} = {value!r} is not an integer; accepted: {_bounds_text(at_least, at_most)}")
    if (at_least is not None and value < at_least) or (at_most is not None and value > at_most):
        raise error(f"{name} = {short(value)} is out of range; accepted: {_bounds_text(at_least, at_most)}")
    return value


def is_integer(value: object) -> bool:
    """Whether a value is of a type of integers, and no bool: what it is does not matter, beside its type."""
    return (isinstance(value, int) or type(value) is mpz) and not isinstance(value, bool)


def _bounds_text(at_least: int | None, at_most: int | None) -> str:
    if at_least is None:
        return "any integer" if at_most is None else f"an integer of at most {short(at_most)}"
    low = short(at_least)
    return f"an integer of at least {low}" if at_most is None else f"an integer from {low} to {short(at_most)}"


def probability(value: RationalLike, name: str, *, zero: bool = True, one: bool = True) -> mpq:
    """`value` as a rational in [0, 1]; `zero` and `one` say whether the end points are accepted.

    Raises: ParameterError.
    """
    number = rational(value, name)
    low = number >= 0 if zero else number > 0
    high = number <= 1 if one else number < 1
    if not (low and high):
        interval = ("[" if zero else "(") + "0, 1" + ("]" if one else ")")
        raise ParameterError(f"{name} = {number} is out of range; accepted: a rational in {interval}")
    return number


def positive(value: RationalLike, name: str) -> mpq:
    """`value` as a rational above 0. Raises: ParameterError."""
    number = rational(value, name)
    if number <= 0:
        raise ParameterError(f"{name} = {number} is not positive; accepted: a rational above 0")
    return number


def unit_fraction(value: RationalLike, name: str, least_denominator: int = 1) -> int:
    """The integer q of a parameter 1/q, which the paper's algorithms need for epsilon, gamma and beta_0.

    Source: Balcer and Vadhan write the set of these numbers as N^-1.
    Parameters: least_denominator, the smallest q that is accepted.
    Raises: ParameterError; where the value is merely not of the form 1/q, the message offers the next smaller one that is.
    """
    number = rational(value, name)
    if number <= 0:
        raise ParameterError(f"{name} = {number} is not positive; accepted: {_form_text(least_denominator)}")
    q = max(int(c_div(number.denominator, number.numerator)), least_denominator)
    if number != mpq(1, q):
        raise ParameterError(
            f"{name} = {number} is not admissible; accepted: {_form_text(least_denominator)}; "
            f"the next admissible value is 1/{q}"
        )
    return q


def _form_text(least_denominator: int) -> str:
    return f"1/q for an integer q >= {least_denominator}"


def sign(number: mpq | int) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)


def to_arb(number: mpq | int) -> arb:
    """A ball around a rational, at the precision in force."""
    return arb(fmpq(int(number.numerator), int(number.denominator)))


def sign_of(expression: Callable[[], arb]) -> int:
    """The sign of a non-zero real number, given as a function that computes a ball around it at the precision in force.

    Raises: PrecisionError when 2^24 bits do not decide, which happens only if the number is 0.
    """
    precision = _FIRST_PRECISION
    while precision <= _LAST_PRECISION:
        with ctx.workprec(precision):
            ball = expression()
            if ball > 0:
                return 1
            if ball < 0:
                return -1
        precision *= 2
    raise PrecisionError(f"a real number is not separated from 0 by {_LAST_PRECISION} bits")


def sign_of_exponentials(terms: Iterable[tuple[mpq, mpq]]) -> int:
    """The sign of the sum of c e^x over pairs (c, x) of rationals, exactly.

    Powers of e with different rational exponents are linearly independent over the rationals (Lindemann and Weierstrass), so
    that the sum is 0 only where the coefficients of each exponent cancel, and the refinement ends for all others.
    """
    collected = dict[mpq, mpq]()
    for coefficient, exponent in terms:
        collected[exponent] = collected.get(exponent, mpq(0)) + coefficient
    left = {x: c for x, c in collected.items() if c}
    return sign_of(lambda: sum((to_arb(c) * to_arb(x).exp() for x, c in left.items()), arb(0))) if left else 0


def compare_exp(number: RationalLike, exponent: RationalLike) -> int:
    """The sign of number - e^exponent, exactly.

    Parameters: two rationals. Returns: -1, 0 or 1; 0 only for number = 1 and exponent = 0, since e^x is irrational at every
    rational x other than 0 (Lindemann), so that the refinement ends.
    """
    left, x = rational(number, "number"), rational(exponent, "exponent")
    if x == 0:
        return sign(left - 1)
    if left <= 0:
        return -1
    return sign_of(lambda: to_arb(left) - to_arb(x).exp())


def exp_bounds(exponent: RationalLike, bits: int = 64) -> tuple[mpq, mpq]:
    """Rationals (low, high) around e^exponent, with a relative width of about 2^-bits."""
    x = rational(exponent, "exponent")
    if x == 0:
        return mpq(1), mpq(1)
    return _bounds(lambda: to_arb(x).exp(), bits)


def log_bounds(number: RationalLike, bits: int = 64) -> tuple[mpq, mpq]:
    """Rationals (low, high) around ln(number), with a relative width of about 2^-bits.

    Raises: ParameterError unless number > 0.
    """
    argument = rational(number, "number")
    if argument <= 0:
        raise ParameterError(f"number = {argument} has no logarithm; accepted: a rational above 0")
    if argument == 1:
        return mpq(0), mpq(0)
    return _bounds(lambda: to_arb(argument).log(), bits)


def log_power_sum(terms: Iterable[tuple[mpq, mpq]], exponent: mpq, bits: int = 64) -> tuple[mpq, mpq]:
    """Rationals (low, high) around ln(sum p r^exponent), with a relative width of about 2^-bits.

    Parameters: terms (p, r), rationals above 0; exponent, a rational. Raises: PrecisionError where the sum is 1.
    """
    listed = list(terms)

    def summed() -> arb:
        power = to_arb(exponent)
        return sum((to_arb(p) * (power * to_arb(r).log()).exp() for p, r in listed), arb(0)).log()

    return _bounds(summed, bits)


def _bounds(expression: Callable[[], arb], bits: int) -> tuple[mpq, mpq]:
    precision = bits + 16
    while precision <= _LAST_PRECISION:
        with ctx.workprec(precision):
            ball = expression()
        if ball.is_finite() and ball.rel_accuracy_bits() >= bits:
            middle, radius = _exactly(ball.mid()), _exactly(ball.rad())
            return middle - radius, middle + radius
        precision *= 2
    raise PrecisionError(f"{bits} bits were not reached")


def _exactly(ball: arb) -> mpq:
    mantissa, exponent = (int(part) for part in ball.man_exp())
    return mpq(mantissa * 2**exponent) if exponent >= 0 else mpq(mantissa, 2**-exponent)


def ceil_log(coefficient: RationalLike, argument: RationalLike) -> int:
    """The least integer a >= coefficient * ln(argument), exactly.

    Parameters: coefficient > 0 and argument > 0, rationals. For argument other than 1 the product is irrational, so the
    decision ends.
    """
    scale, number = rational(coefficient, "coefficient"), rational(argument, "argument")
    if scale <= 0:
        raise ParameterError(f"coefficient = {scale} is out of range; accepted: a rational above 0")
    if number == 1:
        return 0
    bits = _FIRST_PRECISION
    while bits <= _LAST_PRECISION:
        low, high = (_ceil(scale * bound) for bound in log_bounds(number, bits))
        if low == high:
            return low
        bits *= 2
    raise PrecisionError(f"{scale} * ln({number}) is not separated from an integer")


def ceil_power(base: RationalLike, target: RationalLike) -> int:
    """The least integer a >= 0 with base^a >= target, exactly.

    Parameters: base > 1 and target, rationals. This is the ceiling of ln(target) / ln(base): intervals around the quotient
    are refined until they decide, and where it may be an integer, powers of rationals decide. A power is only computed where
    it is about as long as the target, since no other one equals it.
    """
    b, goal = rational(base, "base"), rational(target, "target")
    if b <= 1:
        raise ParameterError(f"base = {b} is out of range; accepted: a rational above 1")
    if goal <= 1:
        return 0
    bits = _FIRST_PRECISION
    while bits <= _LAST_PRECISION:
        top, bottom = log_bounds(goal, bits), log_bounds(b, bits)
        least, most = _ceil(top[0] / bottom[1]), _ceil(top[1] / bottom[0])
        if least == most:
            return least
        if most == least + 1 and least * (b.numerator.bit_length() - 1) <= goal.numerator.bit_length():
            return least if b**least >= goal else most
        bits *= 2
    raise PrecisionError(f"ln({short(goal.numerator)}/{short(goal.denominator)}) / ln(base) is not separated from an integer")


def _ceil(number: mpq) -> int:
    return int(c_div(number.numerator, number.denominator))
