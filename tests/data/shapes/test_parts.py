"""Products and bins as sequences and names; that they are bijections are claims (FD.Shape.column, FD.Shape.product)."""

from datetime import date

import pytest

from finitedp.data.shapes.parts import Bins, Part, Product, part_of
from finitedp.errors import DataError, ParameterError


def test_a_product_is_a_sequence_of_tuples() -> None:
    found = Product([["f", "m"], range(3)])
    assert (len(found), found[0], found[-1], found[2:4]) == (6, ("f", 0), ("m", 2), [("f", 2), ("m", 0)])
    assert ("f", 1) in found
    assert repr(found) == "Product of 2 * 3 labels"
    with pytest.raises(IndexError):
        found[6]


def test_a_product_that_no_list_holds() -> None:
    found = Product([range(2**64), range(2**64)])
    assert found.label(2**100) == (2**36, 0)
    assert found.number((2**36, 0)) == 2**100
    with pytest.raises(OverflowError):
        len(found)


@pytest.mark.parametrize("parts", [[], [["f", "m"]]])
def test_a_product_has_parts(parts: list[list[str]]) -> None:
    with pytest.raises(ParameterError, match="two or more parts"):
        Product(parts)


def test_names_of_bins() -> None:
    bins = Bins([-5, 0, 1, 18])
    assert [bins.label(i) for i in range(bins.size)] == ["-5..-1", "0", "1..17"]
    days = Bins([date(2026, 1, 1), date(2026, 1, 2), date(2027, 1, 1)])
    assert [days.label(i) for i in range(days.size)] == ["2026-01-01", "2026-01-02..2026-12-31"]
    assert part_of(days, "other").index(date(2030, 1, 1)) == 2


def test_other_types_are_no_other_values() -> None:
    part = Part(Bins([0, 18]), "rest")
    assert part.label(part.index(99)) == "rest"
    for value in ("a", True, 1.5, None, date(2026, 1, 1)):
        with pytest.raises(DataError, match="and the universe is of integers"):
            part.index(value)
