"""finitedp.impl.order_statistics. The exact law is in the ledger."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.impl.coins import ExactCoins
from finitedp.impl.counting import GeoSample
from finitedp.impl.order_statistics import OrdSample, binomial_cdf


@given(st.integers(0, 12), st.integers(1, 9), st.data())
def test_binomial_cdf_is_the_sum_of_its_terms(trials: int, total: int, data: st.DataObject) -> None:
    success, k = data.draw(st.integers(0, total)), data.draw(st.integers(0, 15))
    terms = (comb(trials, j) * success**j * (total - success) ** (trials - j) for j in range(trials + 1) if j <= k)
    assert binomial_cdf(trials, success, total, k) == sum(terms)
    assert binomial_cdf(trials, success, total, trials) == total**trials


@given(st.integers(1, 6), st.integers(0, 20))
def test_values_fall_and_are_n_plus_1(n: int, more: int) -> None:
    drawn = OrdSample(n, GeoSample(n, 1).scaled_cdf).release(n + 1 + more, ExactCoins())
    assert len(drawn) == n + 1
    assert list(drawn) == sorted(drawn, reverse=True)
    assert all(0 <= z <= n for z in drawn)


def test_too_few_draws() -> None:
    with pytest.raises(ParameterError, match=r"m = 3 is below n \+ 1 = 4"):
        OrdSample(3, GeoSample(3, 1).scaled_cdf).release(3, ExactCoins())
    with pytest.raises(ParameterError, match="n = 0 is out of range"):
        OrdSample(0, GeoSample(3, 1).scaled_cdf)
