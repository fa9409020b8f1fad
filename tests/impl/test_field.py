"""finitedp.impl.field. All of its small fields are in the ledger."""

from collections.abc import Callable
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.impl.field import MOST_LEVEL, Field, Polynomial, Slots, element_bits
from finitedp.spec import compact as spec

levels = st.integers(0, 6)


@lru_cache
def field(level: int) -> Field:
    return Field(level)


def elements(level: int) -> st.SearchStrategy[int]:
    return st.integers(0, field(level).order - 1)


@given(levels, st.data())
def test_sampled_products_are_those_of_the_specification(level: int, data: st.DataObject) -> None:
    a, b = data.draw(elements(level)), data.draw(elements(level))
    assert field(level).multiply(a, b) == spec.field_product(a, b, level)


@given(levels, st.data())
def test_sampled_field_axioms(level: int, data: st.DataObject) -> None:
    f, a, b, c = field(level), *(data.draw(elements(level)) for _ in range(3))
    assert f.multiply(a, f.add(b, c)) == f.add(f.multiply(a, b), f.multiply(a, c))
    assert f.multiply(f.multiply(a, b), c) == f.multiply(a, f.multiply(b, c))
    assert f.add(a, a) == 0
    if a:
        assert f.multiply(a, f.inverse(a)) == 1
    assert f.power(a, 3) == f.multiply(a, f.multiply(a, a))
    assert f.power(a, 0) == 1


@given(levels, st.integers(1, 12), st.data())
def test_sampled_interpolation_undoes_evaluation(level: int, size: int, data: st.DataObject) -> None:
    f = field(level)
    width = data.draw(st.integers(min(4, f.bits), f.bits))
    points = data.draw(st.lists(st.integers(0, 2**width - 1), unique=True, min_size=1, max_size=min(size, f.order)))
    values = data.draw(st.lists(elements(level), min_size=len(points), max_size=len(points)))
    coefficients = f.interpolate(points, values, width)
    assert len(coefficients) == len(points)
    assert [f.evaluate(coefficients, x) for x in points] == values
    # and the other way round: the values of those coefficients give them back
    assert f.interpolate(points, [Polynomial(f, coefficients).value(x) for x in points]) == coefficients


def test_a_power_runs_around_the_group() -> None:
    f = Field(2)
    assert f.power(2, f.order - 1) == 1
    assert f.power(2, 3**3) == 1  # t^(3 * 3^l) = 1
    assert f.power(2, 3**2) != 1


@pytest.mark.parametrize(("width", "size"), [(1, 1), (255, 1), (256, 2), (486, 2)])
def test_slots_are_wide_enough_for_the_shorter_factor(width: int, size: int) -> None:
    slots = Field(5).slots(width)
    assert slots.size == size
    longest, short = 2**486 - 1, 2**width - 1
    product = slots.packed(slots.product(slots.spread(longest), slots.spread(short)))
    assert product == spec.field_product(longest, short, 5)


def test_slots_that_are_too_narrow_are_wrong() -> None:
    narrow, ones = Slots(5, 1), 2**486 - 1
    assert narrow.packed(narrow.product(narrow.spread(ones), narrow.spread(ones))) != spec.field_product(ones, ones, 5)


def test_elements_have_the_stated_bits() -> None:
    assert [element_bits(level) for level in range(7)] == [2, 6, 18, 54, 162, 486, 1458]
    assert Field(1).order == 64


def test_wrong_parameters() -> None:
    for level in (-1, MOST_LEVEL + 1, "1", True):
        with pytest.raises(ParameterError, match="level = "):
            Field(level)  # type: ignore[arg-type]  # some of them
    f = Field(0)
    calls: list[Callable[[], int]] = [lambda: f.multiply(4, 1), lambda: f.add(0, -1)]
    calls += [lambda: f.evaluate((1, 4), 0), lambda: f.evaluate((1,), 7)]
    for call in calls:
        with pytest.raises(ParameterError, match="field element = "):
            call()
    with pytest.raises(ParameterError, match="0 has no inverse"):
        f.inverse(0)
    with pytest.raises(ParameterError, match="exponent = -1 is out of range"):
        f.power(1, -1)
    for points, values in (([], []), ([1, 1], [0, 0]), ([1, 2], [0])):
        with pytest.raises(ParameterError, match="accepted: distinct points with a value each"):
            f.interpolate(points, values)
