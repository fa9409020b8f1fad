"""finitedp.spec.lower_bounds."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, inf, log

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.exact import log_bounds
from finitedp.spec.lower_bounds import (
    Epsilon,
    LogRatio,
    LowerBound,
    PrivacyLevel,
    packing_holds,
    per_query_bound,
    rows_changed,
    simultaneous_bound,
    sparse_bound,
)
from tests.sampling import sampled

TWO = LogRatio(mpq(2))
RATIOS = (mpq(33, 32), mpq(3, 2), mpq(9, 4), mpq(50))
BETAS = (mpq(2, 5), mpq(1, 10), mpq(1, 1000), mpq(1, 10**12))
DELTAS = (mpq(0), mpq(1, 3), mpq(1, 500), mpq(1, 10**9))
SIZES = (2, 7, 10**6)

Make = Callable[[int, mpq, PrivacyLevel, mpq], LowerBound]


def makers(size: int) -> list[tuple[Make, Callable[[float], tuple[float, int]]]]:
    """Each bound, with (t, c) of its first term ln(t) / (c epsilon)."""
    return [
        (per_query_bound, lambda beta: (1 / (4 * beta), 1)),
        (lambda n, b, level, d: simultaneous_bound(size, n, b, level, d), lambda beta: ((size - 1) / (4 * beta), 1)),
        (lambda n, b, level, d: sparse_bound(size, 3, n, b, level, d), lambda beta: (size / (48 * beta), 2)),
    ]


def real(number: mpq) -> float:
    return int(number.numerator) / int(number.denominator)


def in_floats(t: float, c: int, n: int, epsilon: float, delta: float) -> float:
    """The formula as it is printed."""
    of_delta = log(epsilon / (4 * delta)) / epsilon - 1 if delta else inf
    return min(log(t) / (c * epsilon) - 1, of_delta, n) / 2


@pytest.mark.parametrize(("ratio", "size"), list(product(RATIOS, SIZES)))
def test_the_formula_as_printed(ratio: mpq, size: int) -> None:
    seen = set()
    for (make, first), n, beta, delta in product(makers(size), (1, 30, 400), BETAS, DELTAS):
        printed = in_floats(*first(real(beta)), n, log(real(ratio)), real(delta))
        bound = make(n, beta, LogRatio(ratio), delta)
        assert min(printed % 1, 1 - printed % 1) > 1e-9 or 2 * printed == n, "a float could not decide"
        assert bound.least == max(ceil(printed), 0)
        assert bound.vacuous == (printed <= 0) == (bound.least == 0)
        seen.add(bound.vacuous)
    assert seen == {True, False}


def by_delta_alone(epsilon: mpq, delta: mpq) -> int:
    """The least integer of at least (ln(epsilon / (4 delta)) / epsilon - 1) / 2 and 0, by bounds of the logarithm."""
    least = {ceil((bound / epsilon - 1) / 2) for bound in log_bounds(epsilon / (4 * delta), 256)}
    assert len(least) == 1, "the bounds could not decide"
    return max(least.pop(), 0)


@pytest.mark.parametrize("epsilon", sampled([mpq(1, 10), mpq(1, 2), mpq(1), mpq(3)], 1))
def test_the_term_of_delta_as_printed_at_a_rational_epsilon(epsilon: mpq) -> None:
    seen = set()
    for r in range(1, 10**4, 23):
        bound = per_query_bound(10**6, mpq(1, 10**200), Epsilon(epsilon), mpq(1, r))
        assert bound.least == by_delta_alone(epsilon, mpq(1, r))
        seen.add(bound.least)
    assert len(seen) > 1


@pytest.mark.parametrize(("r", "least"), [(592, 2), (596, 3)])
def test_the_term_of_delta_by_hand(r: int, least: int) -> None:
    """(ln(r/4) - 1) / 2, where r/4 is 148 or 149, around e^5 = 148.4."""
    assert per_query_bound(10**6, mpq(1, 10**200), Epsilon(mpq(1)), mpq(1, r)).least == least


@pytest.mark.parametrize(("ratio", "size"), list(product(RATIOS, SIZES)))
def test_a_ratio_and_its_logarithm_agree(ratio: mpq, size: int) -> None:
    low, high = (Epsilon(bound) for bound in log_bounds(ratio))
    for (make, _), n, beta, delta in product(makers(size), (1, 30), BETAS, DELTAS):
        bounds = [make(n, beta, level, delta) for level in (low, LogRatio(ratio), high)]
        assert len({bound.least for bound in bounds}) == 1
        for a in (mpq(0), mpq(1, 3), mpq(5, 4), mpq(7, 2)):
            assert len({bound.allows(a) for bound in bounds}) == 1


@pytest.mark.parametrize("delta", DELTAS)
def test_packing_agrees_between_a_ratio_and_its_logarithm(delta: mpq) -> None:
    seen = set()
    for ratio, rows, beta, share in product(RATIOS, (0, 1, 5, 40), BETAS, (mpq(0), mpq(1, 7), mpq(1, 10**7))):
        levels: list[PrivacyLevel] = [*(Epsilon(bound) for bound in log_bounds(ratio)), LogRatio(ratio)]
        answers = {packing_holds(rows, beta, share, level, delta) for level in levels}
        expected = (1 - real(beta)) * real(ratio) ** -rows <= real(share) + real(delta) / log(real(ratio))
        assert answers == {expected}
        seen |= answers
    assert seen == {True, False} or delta == mpq(1, 3)


def test_values_by_hand() -> None:
    # ln(4)/ln(2) - 1 = 1, so a >= 1/2
    half = per_query_bound(10, "1/16", TWO)
    assert (half.least, half.allows("1/2"), half.allows("49/100"), half.allows(0)) == (1, True, False, False)
    # ln(1000/4) = 5.52..., so a >= 2.26...
    assert per_query_bound(10, "1/1000", Epsilon(mpq(1))).least == 3
    # ln(1/(4/400)) = ln(100) = 4.60..., so a >= 1.80...
    assert per_query_bound(10, "1/1000", Epsilon(mpq(1)), "1/400").least == 2
    # (64 - 1)/(4/4) = 63 < 2^6 < 65, so 2a + 1 >= 6 is more than is needed, and less than is needed with 66 labels
    assert simultaneous_bound(64, 10, "1/4", TWO).allows("5/2")
    assert not simultaneous_bound(66, 10, "1/4", TWO).allows("5/2")
    # 512/(16/2) = 64 = 2^(2 * 3), so 2a + 1 >= 3 exactly
    assert sparse_bound(512, 1, 10, "1/2", TWO).least == 1
    assert sparse_bound(513, 1, 10, "1/2", TWO).least == 2


def test_n_caps_the_bound() -> None:
    for n in (1, 2, 7):
        bound = per_query_bound(n, mpq(1, 10**30), LogRatio(mpq(65, 64)))
        assert bound.least == -(-n // 2)
        assert bound.allows(mpq(n, 2))
        assert not bound.allows(mpq(n, 2) - mpq(1, 1000))


def test_where_it_is_vacuous() -> None:
    assert simultaneous_bound(1, 9, "1/1000", TWO).vacuous  # there are no other labels
    assert per_query_bound(9, "1/8", TWO).vacuous  # 1/(4 beta) = e^epsilon
    assert not per_query_bound(9, "1/9", TWO).vacuous
    assert sparse_bound(10**6, 1, 9, "1/10", TWO, 1).vacuous  # delta = 1 promises nothing
    assert not sparse_bound(10**6, 1, 9, "1/10", TWO).vacuous


def test_two_labels_are_one_query() -> None:
    for n, beta, delta in product((1, 30), BETAS, DELTAS):
        assert simultaneous_bound(2, n, beta, TWO, delta) == per_query_bound(n, beta, TWO, delta)


def test_monotone() -> None:
    for delta in DELTAS:
        by_beta = [per_query_bound(400, beta, TWO, delta).least for beta in BETAS]
        by_size = [simultaneous_bound(size, 400, "1/10", TWO, delta).least for size in SIZES]
        by_bins = [sparse_bound(10**9, bins, 400, "1/10", TWO, delta).least for bins in (10**6, 1000, 1)]
        by_ratio = [per_query_bound(400, "1/1000", LogRatio(ratio), delta).least for ratio in (50, 2, mpq(9, 8))]
        for values in (by_beta, by_size, by_bins, by_ratio):
            assert values == sorted(values)
    by_delta = [per_query_bound(400, "1/1000", TWO, delta).least for delta in ("1/10", "1/500", "1/10000", 0)]
    assert by_delta == sorted(by_delta)
    assert by_delta[0] < by_delta[-1]


@pytest.mark.parametrize(("a", "m"), [(0, 1), ("1/4", 1), ("1/2", 2), ("3/4", 2), (1, 3), ("7/2", 8)])
def test_rows_changed(a: int | str, m: int) -> None:
    assert rows_changed(a) == m


def test_packing_by_hand() -> None:
    assert packing_holds(2, "1/5", "1/5", TWO)  # (4/5)/4 = 1/5
    assert not packing_holds(1, "1/5", "1/5", TWO)
    assert packing_holds(0, "1/2", "1/4", Epsilon(mpq(1, 2)), "1/8")  # 1/2 = 1/4 + 1/4
    assert not packing_holds(0, "1/2", "1/4", Epsilon(mpq(1, 2)), "1/9")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LogRatio(mpq(1)), "ratio = 1 is out of range"),
        (lambda: Epsilon(mpq(0)), "epsilon = 0 is out of range"),
        (lambda: per_query_bound(5, "1/2", TWO), r"beta = 1/2 is out of range; accepted: a rational in \(0, 1/2\)"),
        (lambda: simultaneous_bound(5, 5, 0, TWO), "beta = 0 is out of range"),
        (lambda: sparse_bound(5, 1, 5, "51/100", TWO), r"beta = 51/100 .* \(0, 1/2\]"),
        (lambda: sparse_bound(5, 0, 5, "1/2", TWO), "bins = 0 is out of range"),
        (lambda: sparse_bound(0, 1, 5, "1/2", TWO), "size = 0 is out of range"),
        (lambda: per_query_bound(0, "1/4", TWO), "n = 0 is out of range"),
        (lambda: per_query_bound(5, "1/4", TWO, -1), "delta = -1 is out of range"),
        (lambda: per_query_bound(5, "1/4", TWO).allows(-1), "a = -1 is negative"),
        (lambda: packing_holds(-1, "1/4", "1/4", TWO), "rows = -1 is out of range"),
        (lambda: packing_holds(1, 1, "1/4", TWO), "beta = 1 is out of range"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("tiny", [mpq(1, 2**64), mpq(2**64 + 1, 2**64), mpq(1, 3**200)])
def test_errors_of_many_digits_need_no_powers(tiny: mpq) -> None:
    """ratio^(p/q) is compared by logarithms: its p-th power would have 2^64 bits and more."""
    for delta in (0, "1/100000"):
        fine = [per_query_bound(4, mpq(1, 2**70), LogRatio(mpq(9, 8)), delta).allows(x) for x in (tiny, 1 + tiny)]
        coarse = [
            per_query_bound(4, mpq(1, 2**70), Epsilon(log_bounds(mpq(9, 8))[0]), delta).allows(x) for x in (tiny, 1 + tiny)
        ]
        assert fine == coarse


@given(
    st.fractions(1, 3, max_denominator=20).filter(lambda r: r > 1),
    st.fractions(0, 4, max_denominator=12),
    st.sampled_from([-1, 0, 1]),
)
def test_powers_and_what_is_beside_them_are_told_apart(ratio: Fraction, power: Fraction, step: int) -> None:
    """At target = s^p, ratio = s^q both sides are equal, and the smallest step changes the answer."""
    p, q = mpq(power).numerator, mpq(power).denominator
    target = mpq(ratio) ** int(p) + step * mpq(1, 10**40)
    assert LogRatio(mpq(ratio) ** int(q)).reaches(mpq(power), target) == (step <= 0)


@pytest.mark.parametrize("ratio", [mpq(65, 64), mpq(4097, 4096), 1 + mpq(1, 10**10), 1 + mpq(1, 10**19), mpq(50)])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_deltas_on_both_sides_of_the_exact_one_are_told_apart(ratio: mpq, power: int) -> None:
    """4 delta ratio^power = ln(ratio) at no rational delta: one 2^-400 above is enough and one below is not."""
    low, high = (bound / (4 * ratio**power) for bound in log_bounds(ratio, 400))
    assert LogRatio(ratio).outgrows(mpq(power), high)
    assert not LogRatio(ratio).outgrows(mpq(power), low)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
@pytest.mark.parametrize("level", [Epsilon("1/10"), LogRatio(mpq(3, 2))])
def test_half_of_the_rows_is_always_an_error_enough(n: int, level: PrivacyLevel) -> None:
    """The minimum with n: where the other terms are huge, n/2 is allowed exactly, and nothing below it."""
    bound = per_query_bound(n, mpq(1, 10**300), level)
    assert bound.allows(mpq(n, 2))
    assert not bound.allows(mpq(n, 2) - mpq(1, 10**9))
