"""The least rho over all orders: proved bounds, refutations, and shapes of laws that are awkward."""

from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.exact import log_bounds
from finitedp.proofs_check.deciders import concentrated
from finitedp.proofs_check.deciders.concentrated import NARROW, WIDE, Curve, TooManyOrdersError, exceeding, least_rho
from finitedp.spec.pmf import Pmf
from finitedp.spec.renyi import atoms


def curves(p: dict[int, int], q: dict[int, int]) -> list[Curve]:
    laws = Pmf(p), Pmf(q)
    return [Curve(atoms(*laws)), Curve(atoms(*laws[::-1]))]


def kullback_leibler(p: Pmf[int], q: Pmf[int]) -> mpq:
    """D_1, to which D_a / a goes as a goes to 1."""
    return sum((p[x] * log_bounds(p[x] / q[x])[0] for x in p.support), mpq(0))


def test_of_randomised_response_the_order_next_to_1_needs_most() -> None:
    found = curves({0: 3, 1: 1}, {0: 1, 1: 3})
    low, high, _, order = least_rho(found)
    limit = kullback_leibler(Pmf({0: 3, 1: 1}), Pmf({0: 1, 1: 3}))
    assert low < limit < high
    assert order - 1 < mpq(1, 2**20)
    assert high - low <= high * NARROW
    assert exceeding(found[0], limit * (1 - mpq(1, 10**6))) is not None
    assert exceeding(found[0], limit * (1 + mpq(1, 10**6))) is None


def test_at_order_1_nothing_diverges() -> None:
    assert curves({0: 3, 1: 1}, {0: 1, 1: 3})[0].at(mpq(1)) == (mpq(0), mpq(0))


def test_a_rare_output_of_a_large_ratio_needs_most_at_a_large_order() -> None:
    low, high, _, order = least_rho(curves({0: 1, 1: 999}, {0: 2, 1: 998}))
    assert 19 < order < 20
    assert mpq(183, 10_000) < low < high < mpq(184, 10_000)


def test_noise_like_a_gaussian_needs_about_the_same_at_all_orders() -> None:
    weights = [2 ** (60 - 2 * x * x) for x in range(-5, 6)]
    low, high, _, _ = least_rho(curves(dict(enumerate(weights)), dict(enumerate([1, *weights[:-1]]))))
    assert high - low <= high * WIDE


WEIGHTS = st.lists(st.integers(1, 1000), min_size=3, max_size=3)


@given(WEIGHTS, WEIGHTS, st.fractions(min_value=1, max_value=200, max_denominator=1000))
def test_no_order_needs_more_than_what_is_proved(p: list[int], q: list[int], order: Fraction) -> None:
    found = curves(dict(enumerate(p)), dict(enumerate(q)))
    if Pmf(dict(enumerate(p))) == Pmf(dict(enumerate(q))) or order == 1:
        return
    low, high, where, at = least_rho(found)
    assert where.least(at) >= low > 0
    assert high - low <= high * NARROW
    assert all(curve.least(mpq(order)) <= high for curve in found)
    assert any(exceeding(curve, low * mpq(999, 1000)) is not None for curve in found)
    assert all(exceeding(curve, high) is None for curve in found)


def test_what_is_not_decided_within_the_orders_that_are_tried_is_said() -> None:
    found = curves({0: 3, 1: 1}, {0: 1, 1: 3})[0]
    with pytest.raises(TooManyOrdersError):
        exceeding(found, kullback_leibler(Pmf({0: 3, 1: 1}), Pmf({0: 1, 1: 3})) + mpq(1, 10**9), 3)


def test_where_orders_are_few_what_is_enclosed_is_wider_and_still_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concentrated, "MOST_ORDERS", 2)
    low, high, _, _ = least_rho(curves({0: 3, 1: 1}, {0: 1, 1: 3}))
    assert low < kullback_leibler(Pmf({0: 3, 1: 1}), Pmf({0: 1, 1: 3})) < high
    assert high * NARROW < high - low <= high * WIDE
