"""finitedp.impl.arithmetic.convolution. The comparison with the algorithm as printed on a grid is in the ledger."""

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import FinitedpError, ParameterError
from finitedp.impl.arithmetic.convolution import approx_binomial_cdf, approx_conv_exp
from finitedp.proofs_check.checks.work import work_of
from finitedp.spec import convolution as spec


@st.composite
def vectors(draw: st.DrawFn) -> tuple[list[int], int]:
    """A vector and a denominator s of at least its sum, a power of two as often as not."""
    a = draw(st.lists(st.integers(0, 2**80), min_size=1, max_size=7))
    s = max(sum(a), 1) + draw(st.integers(0, 2**80))
    return a, 1 << s.bit_length() if draw(st.booleans()) else s


@given(vectors(), st.integers(1, 70))
def test_the_power_is_the_one_of_the_recursion(vector: tuple[list[int], int], i: int) -> None:
    a, s = vector
    assert approx_conv_exp(a, i, s) == spec.approx_conv_exp(a, i, s)


@given(vectors(), st.integers(1, 2**40))
def test_a_power_has_the_length_of_the_vector_and_a_sum_of_at_most_s(vector: tuple[list[int], int], i: int) -> None:
    a, s = vector
    power = approx_conv_exp(a, i, s)
    assert len(power) == len(a)
    assert min(power) >= 0
    assert sum(power) <= s


def test_powers_by_hand() -> None:
    assert approx_conv_exp([3, 1], 1, 4) == [3, 1]
    assert approx_conv_exp([3, 1], 2, 4) == [2, 1]  # (9, 6)/4
    assert approx_conv_exp([3, 1], 3, 4) == [1, 1]  # (27, 27)/16
    assert approx_conv_exp([3, 1], 5, 4) == [0, 1]  # (3, 1)(2, 1)^2/16 = (12, 16)/16
    assert approx_conv_exp([2, 1], 2, 3) == [1, 1]  # (4, 4)/3: not a power of two
    assert approx_conv_exp([0, 0, 0], 9, 5) == [0, 0, 0]
    assert approx_conv_exp([7], 2**64, 7) == [7]


@given(vectors(), st.integers(1, 1000), st.integers(0, 70))
def test_more_depth_is_work_and_no_other_result(vector: tuple[list[int], int], i: int, more: int) -> None:
    a, s = vector
    assert approx_conv_exp(a, i, s, i.bit_length() + more) == approx_conv_exp(a, i, s)


@pytest.mark.parametrize("s", [2**300, 3**190])
def test_the_depth_fixes_the_work_for_every_exponent(s: int) -> None:
    works = [work_of(lambda: approx_conv_exp([s // 3, s // 2, 0, 1], i, s, 65)) for i in (1, 2, 3, 2**40 + 1, 2**64)]  # noqa: B023
    assert all(work == works[0] for work in works)
    assert works[0]["_truncated_product"] == 2 * 64
    assert works[0]["_floored"] == 64


def test_without_a_depth_the_exponent_s_digits_fix_the_work() -> None:
    works = [work_of(lambda: approx_conv_exp([1, 2, 0], i, 4)) for i in (32, 33, 63)]  # noqa: B023  # at once
    assert works[0] == works[1] == works[2]
    assert works[0]["_truncated_product"] == 2 * 5


@given(st.integers(1, 2**64), st.integers(1, 2**200), st.data())
def test_the_distribution_function_is_the_power_s_partial_sums(m: int, s: int, data: st.DataObject) -> None:
    success, length = data.draw(st.integers(0, s)), data.draw(st.integers(1, 9))
    cdf = approx_binomial_cdf(m, success, s, length, 65)
    assert cdf == list(accumulate(approx_conv_exp([s - success, success, *[0] * 7][:length], m, s)))
    assert len(cdf) == length
    assert sorted(cdf) == cdf
    assert 0 <= cdf[-1] <= s


def test_the_distribution_function_of_sure_and_impossible_success() -> None:
    assert approx_binomial_cdf(5, 0, 16, 4) == [16, 16, 16, 16]
    assert approx_binomial_cdf(5, 16, 16, 8) == [0, 0, 0, 0, 0, 16, 16, 16]
    assert approx_binomial_cdf(3, 8, 16, 4) == [2, 8, 14, 16]


@pytest.mark.parametrize(
    ("a", "i", "s", "message"),
    [
        ([], 1, 1, "a has 0 entries with sum 0"),
        ([3, 3], 1, 5, "a has 2 entries with sum 6; accepted: integers of at least 0, sum at most s"),
        ([-1, 3], 1, 5, "a has 2 entries with sum 2; accepted: integers of at least 0"),
        ([1, 3], 0, 5, "i = 0 is out of range; accepted: an integer of at least 1"),
        ([1, 3], -2, 5, "i = -2 is out of range"),
        ([1, 3], 2, 0, "s = 0 is out of range; accepted: an integer of at least 1"),
    ],
)
def test_wrong_vectors(a: list[int], i: int, s: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        approx_conv_exp(a, i, s)


def test_a_success_probability_above_1() -> None:
    with pytest.raises(ParameterError, match="sum 4; accepted: integers of at least 0, sum at most s"):
        approx_binomial_cdf(2, 5, 4, 2)


def test_entries_that_are_not_integers_are_refused() -> None:
    halves: Any = [0.5, 1.5]
    with pytest.raises(FinitedpError, match=r"0\.5"):
        approx_conv_exp(halves, 2, 4)


def test_entries_of_many_digits_are_neither_printed_nor_a_crash() -> None:
    with pytest.raises(FinitedpError, match="2 entries"):
        approx_conv_exp([2**100_000, 1], 2, 4)


@pytest.mark.parametrize("depth", [2, -1, 3.5, "5"])
def test_a_depth_that_bounds_nothing_is_refused(depth: Any) -> None:
    """Else the number of squarings tells the exponent, which the depth is there to hide."""
    with pytest.raises(FinitedpError, match="depth"):
        approx_conv_exp([1, 3], 5, 4, depth)
