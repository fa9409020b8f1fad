"""finitedp.proofs_check.pipeline_certificate, against closed forms."""

from itertools import permutations
from typing import Any

import pytest
from flint import arb, ctx
from gmpy2 import mpq

from finitedp.exact import to_arb
from finitedp.proofs_check.engine.noise.rows import row_of
from finitedp.proofs_check.pipeline_certificate import (
    Path,
    Region,
    Row,
    Sum,
    _enclosed,
    mass_ends,
    probability,
    regions,
    sum_ends,
)

HALF = mpq(1, 2)


def row(constant: Any, **items: int) -> Row:
    return row_of((tuple((int(name[1:]), mpq(v)) for name, v in sorted(items.items())), mpq(constant)))


def of(kinds: str, *rows: Row) -> Sum | None:
    found = probability(dict(enumerate({"l": "laplace", "e": "exponential", "n": "normal"}[kind] for kind in kinds)), rows)
    return found if found is None else {x: c for x, c in found.items() if c}


@pytest.mark.parametrize("c", [mpq(0), mpq(1, 3), mpq(5)])
def test_closed_forms(c: mpq) -> None:
    assert of("l", row(-c, x0=1)) == {-c: HALF}
    assert of("l", row(c, x0=1)) == ({mpq(0): HALF} if c == 0 else {mpq(0): mpq(1), -c: -HALF})
    assert of("e", row(-c, x0=1)) == {-c: mpq(1)}
    assert of("e", row(c, x0=-1)) == ({} if c == 0 else {mpq(0): mpq(1), -c: mpq(-1)})
    assert of("ll", row(-c, x0=1, x1=-1)) == {-c: (2 + c) / 4}  # the difference of two
    assert of("ee", row(-c, x0=1, x1=-1)) == {-c: HALF}
    assert of("ee", row(c, x0=-1, x1=-1)) == ({} if c == 0 else {mpq(0): mpq(1), -c: -1 - c})  # an Erlang law
    assert of("ll", row(-c, x0=1), row(0, x1=2)) == {-c: mpq(1, 4)}


def test_orders_of_three_are_equally_likely() -> None:
    for i, j, k in permutations(range(3)):
        assert of("lll", row(0, **{f"x{i}": 1, f"x{j}": -1}), row(0, **{f"x{j}": 1, f"x{k}": -1})) == {mpq(0): mpq(1, 6)}


def test_rows_that_contradict_each_other_have_none() -> None:
    assert of("l", row(-2, x0=1), row(1, x0=-1)) == {}
    assert of("ll", row(0, x0=1, x1=-1), row(-1, x0=-1, x1=1)) == {}


def test_what_is_not_computed_is_not_guessed() -> None:
    assert of("n", row(0, x0=1)) is None
    assert of("lll", row(0, x0=1, x1=1, x2=1)) is None
    assert of("llll", row(0, x0=1, x1=1), row(0, x1=1, x2=1), row(0, x2=1, x3=1)) is None


# What is enclosed


def enclosed(kind: str, *rows: Row) -> tuple[Any, Any]:
    draws = tuple((kind, (), 0, "", mpq(1)) for _ in range(3))
    return mass_ends(Region([Path(draws, rows, "", "*", (), mpq(1))], rows, mpq(1)))


def test_normal_draws_in_rows_of_one_direction() -> None:
    for rows, low, high in (
        ([row(-1, x0=1)], 0.158655253931457, 0.158655253931458),
        ([row(-5, x0=3, x1=-4)], 0.158655253931457, 0.158655253931458),  # of variance 25
        ([row(1, x0=1), row(1, x0=-1)], 0.682689492137085, 0.682689492137087),
        ([row(0, x0=1), row(0, x1=1), row(0, x2=-1)], 0.125 - 1e-15, 0.125 + 1e-15),
        ([row(-1, x0=1), row(1, x0=-1)], 0, 0),
    ):
        found = enclosed("normal", *rows)
        assert low <= found[0] <= found[1] <= high


def test_a_uniform_draw_that_is_nowhere_else_is_a_probability_of_at_least_0() -> None:
    for rows, weight in (
        ([row(-HALF, x0=1)], HALF),
        ([row(mpq(1, 4), x0=-1), row(0, x0=1)], mpq(1, 4)),
        ([row(mpq(5), x0=-1)], 1),
        ([row(mpq(1, 4), x0=-1), row(-HALF, x0=1)], 0),
    ):
        (found,) = regions([Path((("uniform", (), 0, "", mpq(1)),), tuple(rows), "y", "*", (), mpq(1))])
        assert (found.weight, found.rows) == (weight, ())


def test_a_maximum_of_gumbel_draws_is_a_softmax() -> None:
    low, high = enclosed("gumbel", row(-1, x0=1, x1=-1), row(2, x0=1, x2=-1))
    with ctx.workprec(300):
        assert to_arb(mpq(low)) <= 1 / (1 + arb(1).exp() + arb(-2).exp()) <= to_arb(mpq(high))
    assert high - low < mpq(1, 2**150)


@pytest.mark.parametrize(
    ("kind", "rows", "exact"),
    [
        ("normal", [row(0, x0=1, x1=-1), row(0, x0=1, x2=-1)], mpq(1, 3)),  # the largest of three
        ("normal", [row(0, x0=1), row(0, x0=1, x1=1)], mpq(3, 8)),  # a half-plane within another
        ("normal", [row(0, x0=1, x1=-1), row(0, x1=1, x2=-1)], mpq(1, 6)),
        ("normal", [row(-2, x0=1), row(1, x0=-1), row(0, x0=1, x1=1)], mpq(0)),
        ("gumbel", [row(0, x0=1, x1=-1), row(0, x1=1, x2=-1)], mpq(1, 6)),
        ("gumbel", [row(0, x0=1, x1=-1), row(0, x0=2, x2=-2)], mpq(1, 3)),
        ("gumbel", [row(0, x0=1, x1=-1), row(0, x0=-1, x1=1)], mpq(0)),
    ],
)
def test_integrals_enclose(kind: str, rows: list[Row], exact: mpq) -> None:
    low, high = enclosed(kind, *rows)
    assert low <= exact <= high < low + mpq(1, 20)


@pytest.mark.parametrize("kinds", ["ll", "ee", "le"])
def test_integrals_agree_with_exact_sums(kinds: str) -> None:
    names = dict(enumerate({"l": "laplace", "e": "exponential"}[kind] for kind in kinds))
    for rows in (
        [row(-HALF, x0=1, x1=-1)],
        [row(1, x0=1, x1=-2), row(mpq(1, 3), x0=-1)],
        [row(2, x0=-1, x1=-1), row(1, x0=1)],
    ):
        exact, found = probability(names, rows), _enclosed(tuple(names.values()), (0, 1), tuple(rows))
        assert exact is not None
        assert found is not None
        low, high = sum_ends((c, x) for x, c in exact.items())
        assert found[0] <= low <= high <= found[1] < found[0] + mpq(1, 20)


def test_what_no_integral_encloses_is_refused() -> None:
    for kind in ("normal", "gumbel"):
        with pytest.raises(ValueError, match="is not computed"):
            enclosed(kind, row(0, x0=1, x1=1, x2=1), row(0, x0=1, x1=-1))
