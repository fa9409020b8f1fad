"""finitedp.numbers: how rationals are shown, against exact arithmetic on what is written."""

from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st

from finitedp.numbers import brief, decimal, interval, outward, round_half_up, shown

rationals = st.fractions(max_denominator=10**40)
exponents = st.integers(-400, 400)


def value(text: str) -> Fraction:
    """The number that is written, exactly."""
    return Fraction(text.lstrip("~"))


# Decimals


@given(rationals, exponents, st.integers(2, 14))
@example(Fraction(0), 0, 8)
@example(Fraction(1, 3 * 10**13), 0, 8)
@example(Fraction(1, 9**30), 0, 8)
@example(Fraction(999999999, 10**9), 0, 8)  # rounds up to a power of ten
@example(Fraction(-999999999, 10**9), 15, 2)
def test_decimals_are_near_and_say_whether_they_are_exact(number: Fraction, exponent: int, digits: int) -> None:
    """Within half a unit of the last of so many significant digits; hence what is not 0 is not shown as 0."""
    exact = number * Fraction(10) ** exponent
    text = decimal(mpq(exact), digits)
    assert abs(value(text) - exact) * 2 * 10 ** (digits - 1) <= abs(exact)
    assert text.startswith("~") == (value(text) != exact)
    assert (value(text) > 0, value(text) < 0) == (exact > 0, exact < 0)


@given(rationals, exponents, st.integers(1, 30))
@example(Fraction(-3440020993695589, 253), 0, 8)
@example(Fraction(-29999999999999996, 3), 0, 8)  # as long as they come
def test_a_decimal_is_no_longer_than_its_digits_and_nineteen_characters(number: Fraction, exponent: int, digits: int) -> None:
    assert len(decimal(mpq(number * Fraction(10) ** exponent), digits)) <= digits + 19


def test_how_long_decimals_are() -> None:
    assert decimal(mpq(-3440020993695589, 253)) == "~-13596920923697.98023715"
    assert len(decimal(mpq(-29999999999999996, 3))) == 27


@given(rationals, st.integers(2, 14))
def test_the_decimal_of_the_negative_is_the_negative(number: Fraction, digits: int) -> None:
    rounded = number != value(decimal(mpq(number), digits))
    assert value(decimal(mpq(-number), digits)) == -value(decimal(mpq(number), digits))
    assert decimal(mpq(-number), digits).startswith("~") == rounded


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0", "0"),
        ("1/3", "~0.33333333"),
        ("-2/3", "~-0.66666667"),
        ("10", "10"),
        ("1/1000000", "0.000001"),
        (f"1/{3 * 10**13}", "~3.3333333e-14"),
        (f"1/{9**30}", "~2.3589825e-29"),
        (f"1/{3**700}", "~1.0354323e-334"),
        (f"{10**30}", "1e30"),
        (f"{10**30 + 1}", "~1e30"),
        ("999999999/1000000000", "~1"),
        ("1/8", "0.125"),
    ],
)
def test_decimals_of_any_size(number: str, text: str) -> None:
    assert decimal(mpq(number)) == text


@given(rationals)
def test_the_nearest_integer(number: Fraction) -> None:
    found = round_half_up(mpq(number))
    assert abs(found - number) <= Fraction(1, 2)
    assert round_half_up(-mpq(number)) == -found
    assert [round_half_up(mpq(k, 2)) for k in (-3, -1, 1, 3)] == [-2, -1, 1, 2]


# Intervals


@given(rationals, st.fractions(min_value=0, max_value=1, max_denominator=10**20), exponents, st.integers(1, 14))
@example(Fraction(1, 3), Fraction(0), 0, 8)
@example(Fraction(0), Fraction(0), 0, 8)
@example(Fraction(-1), Fraction(1), 0, 8)
@example(Fraction(0), Fraction(1, 3 * 10**13), 0, 8)
def test_intervals_are_rounded_outwards(low: Fraction, width: Fraction, exponent: int, digits: int) -> None:
    low, high = low * Fraction(10) ** exponent, (low + width) * Fraction(10) ** exponent
    ends = outward(mpq(low), mpq(high), digits)
    below, above = map(value, ends)
    assert below <= low
    assert above >= high
    if high:
        unit = Fraction(10) ** (1 - digits) * abs(high)
        assert low - below <= unit
        assert above - high <= unit
    assert interval(mpq(low), mpq(high), digits) == f"[{ends[0]}, {ends[1]}]"


# Rationals beside their decimals


@given(rationals, st.integers(1, 80))
def test_what_is_short_is_exact_and_what_is_long_a_decimal(number: Fraction, longest: int) -> None:
    exact = str(number)
    if len(exact) <= longest:
        assert brief(mpq(number), longest) == exact
        assert shown(mpq(number), longest) == (exact if number.denominator == 1 else f"{exact} ({decimal(mpq(number))})")
    else:
        assert brief(mpq(number), longest) == shown(mpq(number), longest) == decimal(mpq(number), 12)


def test_rationals_may_be_given_as_text() -> None:
    assert shown("2/3") == "2/3 (~0.66666667)"
    assert shown("2/3", digits=3) == "2/3 (~0.667)"
    assert shown("7") == brief("7") == "7"
    assert shown(f"1/{9**80}") == brief(f"1/{9**80}") == "~4.57719320828e-77"
