"""finitedp.spec.convolution: by hand, and against literal enumeration."""

from itertools import product
from math import comb, prod

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.spec.convolution import approx_binomial, approx_conv_exp, binomial, convolve, fold
from finitedp.spec.divergence import total_variation
from finitedp.spec.pmf import Pmf

entries = st.lists(st.integers(0, 20), min_size=1, max_size=5)


def test_convolution_by_hand() -> None:
    assert convolve([1, 2, 3], [4, 5, 6]) == [4, 13, 28]
    assert convolve([mpq(1, 2), mpq(1, 2)], [mpq(1, 2), mpq(1, 2)]) == [mpq(1, 4), mpq(1, 2)]
    assert fold([1, 1, 0, 0], 3) == [1, 3, 3, 1]
    assert fold([5, 7], 1) == [5, 7]


@given(entries, st.integers(1, 5))
def test_a_fold_sums_over_all_ways_to_add_up(a: list[int], i: int) -> None:
    sums = [mpq(0)] * len(a)
    for indices in product(range(len(a)), repeat=i):
        if sum(indices) < len(a):
            sums[sum(indices)] += prod(a[j] for j in indices)
    assert fold(a, i) == sums


def test_the_floored_power_by_hand() -> None:
    assert approx_conv_exp([3, 1], 1, 4) == [3, 1]
    assert approx_conv_exp([3, 1], 2, 4) == [2, 1]  # (9, 6)/4 = (2.25, 1.5)
    assert approx_conv_exp([3, 1], 3, 4) == [1, 1]  # (27, 27)/16 = (1.69, 1.69)
    assert approx_conv_exp([3, 1], 4, 4) == [1, 1]  # (2, 1)^2/4 = (1, 1)
    assert approx_conv_exp([3, 1], 5, 4) == [0, 1]  # (3, 1)(4, 4)/16 = (0.75, 1)
    assert approx_conv_exp([3, 1], 6, 4) == [0, 0]  # (1, 1)^2/4 = (0.25, 0.5)
    assert approx_conv_exp([2, 1, 0], 3, 3) == [0, 1, 0]  # (2, 1)^3/9 = (8, 12, 6)/9


@given(entries, st.integers(1, 12), st.integers(0, 50))
def test_the_floored_power_is_below_the_power(a: list[int], i: int, more: int) -> None:
    s = sum(a) + 1 + more
    exact = [x / mpq(s) ** (i - 1) for x in fold(a, i)]
    assert all(low <= high for low, high in zip(approx_conv_exp(a, i, s), exact, strict=True))


@given(st.integers(0, 8), st.integers(0, 5), st.integers(1, 5), st.integers(0, 10))
def test_the_binomial_law_by_its_trials(m: int, p: int, more: int, t: int) -> None:
    q = p + more
    weights: dict[int, int] = {}
    for outcome in product((0, 1), repeat=m):
        k = min(sum(outcome), t)
        weights[k] = weights.get(k, 0) + p ** sum(outcome) * more ** (m - sum(outcome))
    law = binomial(m, p, q, t)
    assert law == Pmf(weights)
    assert sum((law[k] for k in law), mpq(0)) == 1
    if t >= m:
        assert all(law[k] == mpq(comb(m, k) * p**k * more ** (m - k), q**m) for k in range(m + 1))


def test_binomial_laws_by_hand() -> None:
    assert binomial(3, 1, 2, 3) == Pmf({0: 1, 1: 3, 2: 3, 3: 1})
    assert binomial(3, 1, 2, 1) == Pmf({0: 1, 1: 7})
    assert binomial(3, 1, 2, 0) == binomial(0, 1, 2, 5) == binomial(4, 0, 3, 4) == Pmf.point(0)
    assert binomial(3, 2, 2, 2) == Pmf.point(2)


def test_approximate_binomial_laws_by_hand() -> None:
    # s = 4, p' = 1: d = (2, 1), and 1 is left
    assert approx_binomial(2, 1, 4, 2, 4) == Pmf({0: 2, 1: 1, 2: 1})
    assert approx_binomial(2, 1, 4, 1, 4) == Pmf({0: 2, 1: 2})  # (3)^2/4
    assert approx_binomial(2, 1, 3, 2, 4) == approx_binomial(2, 1, 4, 2, 4)  # p' = floor(4/3)
    assert approx_binomial(1, 1, 5, 2, 4) == Pmf.point(0)  # p' = 0
    assert approx_binomial(3, 1, 1, 2, 4) == Pmf.point(2)


@pytest.mark.parametrize("m", [0, 1, 10**9])
def test_cut_off_at_0_there_is_nothing_to_draw(m: int) -> None:
    assert approx_binomial(m, 1, 2, 0, 5) == Pmf.point(0)


@given(st.integers(1, 12), st.integers(0, 9), st.integers(1, 9), st.integers(1, 6), st.integers(12, 5000))
def test_the_approximate_law_is_as_near_as_stated(m: int, p: int, more: int, t: int, s: int) -> None:
    near = approx_binomial(m, p, p + more, t, s)
    assert near.support <= set(range(t + 1))
    assert total_variation(near, binomial(m, p, p + more, t)).distance <= mpq(m * (t + 1) - t, s)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 3, 2, 1, 9), "p = 3, q = 2; accepted: 0 <= p <= q"),
        ((2, -1, 2, 1, 9), "p = -1, q = 2"),
        ((2, 3, 2, 0, 9), "p = 3, q = 2"),
        ((10, 1, 2, 1, 9), "m = 10 is out of range; accepted: an integer from 1 to 9"),
        ((0, 1, 2, 1, 9), "m = 0 is out of range"),
    ],
)
def test_wrong_trials(arguments: tuple[int, int, int, int, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        approx_binomial(*arguments)
