"""finitedp.impl.arithmetic.field. All of its small fields are in the ledger."""

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any

import pytest
from gmpy2 import mpz
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.impl.arithmetic.field import MOST_LEVEL, Field, Polynomial, Slots, element_bits
from finitedp.impl.arithmetic.interpolation import newton, reciprocal, subproduct_tree
from finitedp.impl.arithmetic.transform import product as polynomial_product
from finitedp.spec import compact as spec
from tests.sampling import sampled

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


def both_ways(level: int, points: list[int], values: list[int], leaf: int) -> list[int]:
    width = max(points).bit_length() or 1
    tree = subproduct_tree(field(level), points, values, width, leaf)
    assert tree == newton(field(level), points, values, width)
    return tree


@pytest.mark.deep
@given(st.integers(0, 3), st.integers(1, 40), st.integers(1, 9), st.data())
def test_sampled_trees_give_what_newton_gives(level: int, size: int, leaf: int, data: st.DataObject) -> None:
    size = min(size, field(level).order)
    points = data.draw(st.lists(elements(level), unique=True, min_size=size, max_size=size))
    both_ways(level, points, data.draw(st.lists(elements(level), min_size=size, max_size=size)), leaf)


@pytest.mark.parametrize("size", [power + offset for power in (8, 16, 32, 64, 128) for offset in (-1, 0, 1)])
@pytest.mark.parametrize("leaf", sampled([1, 5, 200], 1))
def test_trees_around_powers_of_two(size: int, leaf: int) -> None:
    f = field(2)
    values = [f.power(3, place) for place in range(size)]
    coefficients = both_ways(2, list(range(size)), values, leaf)
    assert [f.evaluate(coefficients, place) for place in range(size)] == values


@pytest.mark.parametrize("size", sampled([26, 27, 28, 80, 81, 82, 131, 200], 2))
def test_trees_around_powers_of_three_and_beyond_the_roots_of_unity(size: int) -> None:
    both_ways(2, list(range(1, size + 1)), list(range(size)), 2)  # 27 roots of unity, and 81 one level up


@pytest.mark.deep
def test_a_tree_over_elements_of_real_size() -> None:
    f, points = field(6), [2**32 - 1 - place**3 for place in range(300)]
    values = [(f.order - 1) // (2 * place + 3) for place in range(300)]
    coefficients = both_ways(6, points, values, 64)
    assert f.evaluate(coefficients, points[7]) == values[7]


def test_the_faster_way_is_taken_by_the_number_of_points(monkeypatch: pytest.MonkeyPatch) -> None:
    f, calls = field(1), list[str]()

    def noted(name: str, way: Callable[..., list[int]]) -> Callable[..., list[int]]:
        def found(*arguments: Any) -> list[int]:
            calls.append(name)
            return way(*arguments)

        return found

    monkeypatch.setattr("finitedp.impl.arithmetic.field.MOST_BY_NEWTON", 8)
    monkeypatch.setattr("finitedp.impl.arithmetic.field.newton", noted("newton", newton))
    monkeypatch.setattr("finitedp.impl.arithmetic.field.subproduct_tree", noted("tree", subproduct_tree))
    for size in (8, 9):
        points = list(range(size))
        assert f.interpolate(points, points) == (0, 1, *[0] * (size - 2))
    assert calls == ["newton", "tree"]
    # points of up to 486 bits need slots of two bytes
    del calls[:]
    monkeypatch.setattr("finitedp.impl.arithmetic.field.MOST_WIDE_BY_NEWTON", 2)
    for size, width in ((2, None), (3, None), (3, 255), (9, 255)):
        field(5).interpolate(list(range(size)), [0] * size, width)
    assert calls == ["newton", "tree", "newton", "tree"]


@given(levels, st.integers(-6, 6), st.data())
def test_sampled_conjugates_are_powers(level: int, k: int, data: st.DataObject) -> None:
    f, a = field(level), data.draw(elements(level))
    assert f.conjugate(f.conjugate(a, k), -k) == a
    assert f.conjugate(a, abs(k)) == f.power(a, 2 ** abs(k))


@given(st.integers(0, 2), st.integers(1, 40), st.integers(1, 40), st.data())
def test_sampled_products_of_polynomials(level: int, longest: int, shorter: int, data: st.DataObject) -> None:
    f = field(level)
    left = data.draw(st.lists(elements(level), min_size=1, max_size=longest))
    right = data.draw(st.lists(elements(level), min_size=1, max_size=shorter))
    expected = [0] * (len(left) + len(right) - 1)
    for (i, a), (j, b) in product(enumerate(left), enumerate(right)):
        expected[i + j] ^= f.multiply(a, b)
    assert polynomial_product(f, [mpz(a) for a in left], [mpz(b) for b in right]) == expected


@given(st.integers(0, 3), st.integers(1, 30), st.data())
def test_sampled_reciprocals(level: int, count: int, data: st.DataObject) -> None:
    f = field(level)
    series = [1, *data.draw(st.lists(elements(level), min_size=count, max_size=count))]
    found = reciprocal(f, [mpz(a) for a in series], count)
    assert len(found) == count
    assert polynomial_product(f, [mpz(a) for a in series], found)[:count] == [1] + [0] * (count - 1)


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
    found = slots.packed(slots.product(slots.spread(longest), slots.spread(short)))
    assert found == spec.field_product(longest, short, 5)


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
