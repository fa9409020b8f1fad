"""finitedp.exact and finitedp.claim."""

from decimal import Decimal
from fractions import Fraction

import pytest
from flint import arb
from gmpy2 import mpq, mpz
from hypothesis import given
from hypothesis import strategies as st
from mpmath import iv

from finitedp import exact
from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.errors import ClaimError, ParameterError, PrecisionError

rationals = st.fractions(-20, 20, max_denominator=1000)


@pytest.mark.parametrize("value", [1, Fraction(1), mpz(1), mpq(1), "1", " 2/2 ", "+1", "1.0", "0.1e1", "10E-1", " 001.00 "])
def test_accepted_forms_of_one(value: exact.RationalLike) -> None:
    assert exact.rational(value) == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.95", Fraction(39, 20)),
        ("-0.5", Fraction(-1, 2)),
        (".05", Fraction(1, 20)),
        ("1e-6", Fraction(1, 10**6)),
        ("+2.5e+3", Fraction(2500)),
        ("1e999", Fraction(10**999)),
        ("0." + "0" * 3000 + "1", Fraction(1, 10**3001)),
    ],
)
def test_a_decimal_is_the_number_that_is_written(text: str, number: Fraction) -> None:
    assert exact.rational(text) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=12))
def test_decimals_are_read_as_python_reads_them(number: Decimal) -> None:
    for text in (str(number), f"{number:f}", f"{number:e}"):
        assert exact.rational(text) == Fraction(text)


@given(st.text("0123456789.eE+-/_ \u0661\u00b2xinfa", max_size=8))
def test_what_is_read_as_a_number_is_the_number_that_python_reads(text: str) -> None:
    """A word of the alphabet of numbers, and of what looks like it, is refused, or is what Fraction makes of it."""
    try:
        found = exact.rational(text)
    except ParameterError:
        return
    assert found == Fraction(text.replace(" ", ""))
    assert text.isascii()
    assert "_" not in text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "inf",
            "nan",
            "-Infinity",
            "1_0",
            "1_0.5",
            "0.1_0",
            "\uff11.5",
            "0.\u0661",
            "\u0661/2",
            "1 .5",
            "1. 5",
            "1 e3",
            "1e 3",
        ),
        *(
            ".",
            "+",
            "e5",
            ".e5",
            "1.",
            "1e",
            "1e-",
            "1e1000",
            "1e-99999999",
            "1.5/2",
            "1/1.5",
            "1/1e3",
            "1.2.3",
            "--1",
            "1,5",
            "0x10",
        ),
    ],
)
def test_what_only_looks_like_a_number_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"is not of the form 'p/q' with integers p and q, nor a decimal$"):
        exact.rational(text)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.1, r"epsilon = 0\.1 is a float.*write it exactly, for example '1/10', or as text '0\.1'$"),
        (1e-06, r"for example '1/1000000', or as text '1e-06'$"),
        (float("nan"), "is a float.*write it exactly$"),
        (float("inf"), "is a float"),
        ("1/0", "has denominator 0"),
        ("one half", r"not of the form 'p/q' with integers p and q, nor a decimal$"),
        ("", "not of the form"),
        ("1/-2", "not of the form"),
        ("9" * 5000, "epsilon has 5000 characters; accepted: 'p/q' or a decimal of at most 4000"),
        (True, "is a bool"),
        (Decimal("0.1"), "is a Decimal"),
        (None, "is not a rational; accepted: an int, a Fraction, an mpq or a string, 'p/q' or a decimal"),
        (1j, "is not a rational"),
    ],
)
def test_refused_forms_say_what_is_accepted(value: exact.RationalLike, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        exact.rational(value, "epsilon")


@pytest.mark.parametrize(("value", "q"), [("1/7", 7), (1, 1), (Fraction(1, 3), 3)])
def test_unit_fraction(value: exact.RationalLike, q: int) -> None:
    assert exact.unit_fraction(value, "epsilon") == q


def test_probability_bounds() -> None:
    assert exact.probability(0, "delta") == 0
    with pytest.raises(ParameterError, match=r"delta = 0 is out of range; accepted: a rational in \(0, 1\]"):
        exact.probability(0, "delta", zero=False)
    with pytest.raises(ParameterError, match=r"accepted: a rational in \[0, 1\)"):
        exact.probability(1, "delta", one=False)


def test_integer_bounds() -> None:
    assert exact.integer(mpz(5), "n") == 5
    for value, bounds, text in (
        (2, {"at_least": 3}, "an integer of at least 3"),
        (4, {"at_most": 3}, "an integer of at most 3"),
        (0, {"at_least": 1, "at_most": 3}, "an integer from 1 to 3"),
    ):
        with pytest.raises(ParameterError, match=f"n = {value} is out of range; accepted: {text}"):
            exact.integer(value, "n", bounds.get("at_least"), bounds.get("at_most"))
    with pytest.raises(ParameterError, match="n = '3' is not an integer; accepted: any integer"):
        exact.integer("3", "n")  # type: ignore[arg-type]  # that is the point


@given(rationals, rationals)
def test_compare_exp_agrees_with_mpmath_s_intervals(number: Fraction, exponent: Fraction) -> None:
    iv.prec = 200
    power = iv.exp(iv.mpf(exponent.numerator) / exponent.denominator)
    found = exact.compare_exp(number, exponent)
    left = iv.mpf(number.numerator) / number.denominator
    assert found == (0 if number == 1 and exponent == 0 else 1 if left > power else -1)


def test_compare_exp_decides_what_double_precision_cannot() -> None:
    low, high = exact.exp_bounds(1, 4000)
    assert 0 < high - low < mpq(1, 2**3990)
    assert exact.compare_exp(low, 1) == -1
    assert exact.compare_exp(high, 1) == 1
    assert exact.compare_exp(1, 0) == 0
    assert exact.compare_exp(0, -(10**6)) == -1
    assert exact.compare_exp(-1, 5) == -1


def series(x: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """An enclosure of e^x for 0 <= x <= 1 by the series alone, for comparison with arb."""
    total = term = Fraction(1)
    for i in range(1, terms):
        term = term * x / i
        total += term
    return total, total + 2 * term


@given(st.fractions(0, 1, max_denominator=10**6))
def test_exp_bounds_overlap_the_series(x: Fraction) -> None:
    low, high = exact.exp_bounds(x, 100)
    series_low, series_high = series(x, 60)
    assert low <= series_high
    assert series_low <= high
    assert high - low < mpq(1, 2**90)


@given(st.fractions("1/100", 100, max_denominator=1000))
def test_log_bounds_invert_exp(number: Fraction) -> None:
    low, high = exact.log_bounds(number)
    assert exact.compare_exp(number, low) >= 0
    assert exact.compare_exp(number, high) <= 0


@given(st.fractions("1/10", 50, max_denominator=100), st.fractions("1/50", 1000, max_denominator=100))
def test_ceil_log_is_the_least_integer(coefficient: Fraction, argument: Fraction) -> None:
    a = exact.ceil_log(coefficient, argument)
    assert exact.compare_exp(argument, Fraction(a) / coefficient) <= 0
    assert exact.compare_exp(argument, Fraction(a - 1) / coefficient) > 0


@given(st.fractions("101/100", 5, max_denominator=100), st.fractions("1/2", 10**6, max_denominator=100))
def test_ceil_power_is_the_least_exponent(base: Fraction, target: Fraction) -> None:
    a = exact.ceil_power(base, target)
    assert base**a >= target
    assert a == 0 or base ** (a - 1) < target


def test_ceil_power_at_an_exact_power() -> None:
    assert exact.ceil_power("3/2", mpq(3, 2) ** 40) == 40
    assert exact.ceil_power("3/2", mpq(3, 2) ** 40 + mpq(1, 2**100)) == 41
    assert exact.ceil_log(7, 1) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: exact.ceil_power(1, 2),
        lambda: exact.ceil_log(0, 2),
        lambda: exact.log_bounds(0),
        lambda: exact.ceil_log(1, -1),
    ],
)
def test_domains(call: object) -> None:
    with pytest.raises(ParameterError):
        call()  # type: ignore[operator]


def test_a_comparison_that_cannot_decide_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_LAST_PRECISION", 256)
    with pytest.raises(PrecisionError, match="not separated from 0"):
        exact.sign_of(lambda: arb(2).sqrt() ** 2 - 2)


def test_sign() -> None:
    assert [exact.sign(mpq(x)) for x in ("1/2", "0", "-1")] == [1, 0, -1]


def test_a_claim_checks_that_its_ratio_implies_it() -> None:
    claim = PrivacyClaim("1/2", "counts", ratio="3/2")
    assert (claim.epsilon, claim.delta, claim.ratio) == (mpq(1, 2), mpq(0), mpq(3, 2))
    with pytest.raises(ClaimError, match=r"the ratio 5/3 exceeds e\^1/2"):
        PrivacyClaim("1/2", "counts", ratio="5/3")
    with pytest.raises(ClaimError, match="ratio = 1/2 must be at least 1"):
        PrivacyClaim(1, "counts", ratio="1/2")
    assert PrivacyClaim(1, "counts", delta="1/100", ratio=2).delta == mpq(1, 100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-1", "counts"), "epsilon = -1 is negative"),
        ((0.5, "counts"), "is a float"),
        ((1, "neighbours"), "accepted: counts, replace-one, add-remove"),
        ((1, "counts", 2), "delta = 2 is out of range"),
    ],
)
def test_wrong_claims(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivacyClaim(*arguments)  # type: ignore[arg-type]


def test_accuracy_and_cost() -> None:
    assert Accuracy(3, "1/20").beta == mpq(1, 20)
    with pytest.raises(ParameterError, match="a = -1"):
        Accuracy(-1, "1/20")
    assert Cost(1, 10, 3).times(4) == Cost(4, 40, 12)


def test_costs_add_up() -> None:
    exactly, at_most = Cost(1, 10, 3, otherwise=mpq(1, 8)), Cost(2, 5, 0, exact=False, otherwise=mpq(1, 2))
    assert exactly + Cost(2, 5, 0) == Cost(3, 15, 3, otherwise=mpq(1, 8))
    assert exactly + at_most == at_most + exactly == Cost(3, 15, 3, exact=False, otherwise=mpq(5, 8))
    assert exactly + exactly + exactly == exactly.times(3)


def test_the_probability_of_more_steps_is_at_most_1() -> None:
    often = Cost(1, 1, 1, otherwise=mpq(2, 3))
    assert often.times(2).otherwise == (often + often).otherwise == 1
    assert often.times(0) == Cost(0, 0, 0)
    assert Cost(1, 1, 1).otherwise == 0


def test_bounds_of_many_digits_are_neither_printed_nor_a_crash() -> None:
    huge = 2**100_000
    assert exact.integer(huge, "s", at_least=huge) == huge
    message = r"s = about 2\^99999 is out of range; accepted: an integer of at least about 2\^100000"
    with pytest.raises(ParameterError, match=message):
        exact.integer(huge - 1, "s", at_least=huge)


@given(st.fractions(1, 3, max_denominator=50).filter(lambda b: b > 1), st.integers(0, 60), st.sampled_from([-1, 0, 1]))
def test_ceil_power_at_powers_and_beside_them(base: Fraction, power: int, step: int) -> None:
    target = base**power + step * Fraction(1, 10**60)
    assert exact.ceil_power(base, target) == power + (step == 1)


@pytest.mark.parametrize("k", [70, 300, 3000])
def test_ceil_power_with_a_base_near_1_computes_no_power(k: int) -> None:
    """The answer has k bits: its power would have 2^k of them."""
    base, target = 1 + mpq(1, 2**k), mpq(10**900 + 1)
    answer = exact.ceil_power(base, target)
    low, high = exact.log_bounds(target, 4 * k + 64)
    assert answer > low * 2**k
    assert answer - 1 < high * (2**k + 1)


def test_the_logarithm_of_one_is_zero_exactly() -> None:
    assert exact.log_bounds(1) == exact.log_bounds("3/3", 500) == (mpq(0), mpq(0))
    assert exact.exp_bounds(0) == (mpq(1), mpq(1))
