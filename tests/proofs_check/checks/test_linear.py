"""finitedp.proofs_check.checks.linear."""

from itertools import combinations

import pytest
from attrs import evolve
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.proofs_check.checks.linear import Optimum, Program, _leaving, certifies, minimum


def program(*rows: tuple[dict[str, int], int]) -> Program[str]:
    return Program("t", tuple(({name: mpq(c) for name, c in row.items()}, mpq(least)) for row, least in rows))


TWO = program(({"t": 2, "x": -1}, 0), ({"t": 1, "y": -1}, 0), ({"x": 1, "y": 1}, 1))


def test_an_optimum_and_its_certificate() -> None:
    found = minimum(TWO)  # x = 2 t, y = t
    assert found.value(TWO) == mpq(1, 3)
    assert certifies(TWO, found)


def test_what_is_no_certificate() -> None:
    found = minimum(TWO)
    below = {name: x - mpq(1, 100) for name, x in found.solution.items()}
    above = {name: x + mpq(1, 100) for name, x in found.solution.items()}
    wrong = [
        evolve(found, solution=below),  # does not satisfy the rows
        evolve(found, solution=above),  # allowed, but not least
        evolve(found, solution={**found.solution, "x": mpq(-1)}),
        evolve(found, solution={name: x for name, x in found.solution.items() if name != "y"}),
        evolve(found, dual=tuple(2 * y for y in found.dual)),
        evolve(found, dual=tuple(y / 2 for y in found.dual)),
        evolve(found, dual=(mpq(-1), *found.dual[1:])),
        evolve(found, dual=found.dual[:2]),
        Optimum(above, tuple(y * above["t"] / found.value(TWO) for y in found.dual)),  # equal values, dual not allowed
    ]
    assert [certifies(TWO, each) for each in wrong] == [False] * len(wrong)


def test_contradicting_rows() -> None:
    with pytest.raises(ValueError, match="contradict"):
        minimum(program(({"x": 1}, 1), ({"x": -1}, 0)))


@pytest.mark.parametrize(
    ("rows", "leaves"), [([[1, 2, 1], [1, 1, 1]], 1), ([[1, 1, 1], [1, 2, 1]], 0), ([[2, 1, 1], [1, 9, 1]], 1)]
)
def test_ties_are_broken_by_the_later_columns(rows: list[list[int]], leaves: int) -> None:
    """Else a degenerate program may go round in a circle."""
    assert _leaving([[mpq(x) for x in row] for row in rows], 2) == leaves


coefficients = st.lists(st.tuples(*[st.integers(-3, 3)] * 3, st.integers(-3, 3)), min_size=1, max_size=5)


@given(coefficients)
def test_the_least_of_all_corners(numbers: list[tuple[int, int, int, int]]) -> None:
    """A least t is reached at a corner, where three of the planes meet; t has a coefficient above 0, so that it can be."""
    rows = [({"t": abs(t) + 1, "x": x, "y": y}, least) for t, x, y, least in numbers]
    made = program(*rows)
    found = minimum(made)
    assert certifies(made, found)
    planes = [([row["t"], row["x"], row["y"]], least) for row, least in rows] + [
        ([int(i == j) for j in range(3)], 0) for i in range(3)
    ]
    corners = [solved for three in combinations(planes, 3) if (solved := meeting(three)) is not None]
    allowed = [c for c in corners if all(sum(a * z for a, z in zip(row, c, strict=True)) >= least for row, least in planes)]
    assert found.value(made) == min(c[0] for c in allowed)


def meeting(planes: tuple[tuple[list[int], int], ...]) -> list[mpq] | None:
    """The point where three planes meet, by Cramer's rule."""
    rows, right = [list(map(mpq, row)) for row, _ in planes], [mpq(least) for _, least in planes]
    whole = determinant(rows)
    if whole == 0:
        return None
    return [determinant([[*row[:i], b, *row[i + 1 :]] for row, b in zip(rows, right, strict=True)]) / whole for i in range(3)]


def determinant(m: list[list[mpq]]) -> mpq:
    (a, b, c), (d, e, f), (g, h, i) = m
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
