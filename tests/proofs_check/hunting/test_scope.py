"""Which instances a statement speaks of."""

from typing import NamedTuple

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.hunting.scope import InferredScope, is_declared, why_out_of_scope
from tests.proofs_check.hunting.toys import Number, Two


class Derived(NamedTuple):
    """B = 3nm + 1, and targets that fall."""

    n: int
    m: int
    buckets: int
    targets: tuple[int, ...]
    share: mpq


GRID = [
    Derived(n, m, 3 * n * m + 1, tuple(range(m + n % 3, n % 3, -1)), mpq(1, n + 1)) for n in (2, 3, 5, 8) for m in (1, 2, 3)
]


def why(instance: object, grid: list[Derived] = GRID) -> str | None:
    return why_out_of_scope(instance, InferredScope(grid))


def test_a_type_that_declares_its_scope_is_asked_alone() -> None:
    assert is_declared(Number(1))
    assert why_out_of_scope(Number(1), None) is None
    assert why_out_of_scope(Number(0), None) == "n >= 1"
    assert not is_declared(Two(1, 2))
    assert why_out_of_scope(Two(-1, 2), None) is None


def test_all_of_the_grid_is_in_the_scope_that_is_read_off_it() -> None:
    assert [why(x) for x in GRID] == [None] * len(GRID)
    assert why(Derived(40, 2, 241, (9, 4), mpq(1, 41))) is None


@pytest.mark.parametrize(
    ("instance", "said"),
    [
        (Derived(0, 1, 1, (1,), mpq(1)), "buckets >= 2"),
        (Derived(4, 2, 26, (2, 1), mpq(1, 5)), "buckets"),
        (Derived(4, 2, 25, (1, 2), mpq(1, 5)), "targets falls"),
        (Derived(4, 2, 25, (2, 1), mpq(2)), "share"),
        (Derived(4, 2, 25, (2, 1), mpq(0)), "share > 0"),
        (Two(3, 4), "other parts"),
    ],
)
def test_what_breaks_what_holds_on_all_of_the_grid_is_out(instance: object, said: str) -> None:
    assert said in (why(instance) or "in scope")


def test_numbers_that_follow_from_others_are_mended() -> None:
    scope = InferredScope(GRID)
    assert scope.mended(Derived(10, 4, 0, (4, 3, 2, 1), mpq(1, 11))).buckets == 121
