"""The numbers in an instance, and instances with others in their place."""

from random import Random
from typing import Any, NamedTuple

import pytest
from attrs import frozen
from gmpy2 import mpq, mpz
from hypothesis import given
from hypothesis import strategies as st

from finitedp.proofs_check.claims.gk.subjects import Single
from finitedp.proofs_check.hunting.coordinates import coordinates, made_of, measure, octaves, size
from finitedp.proofs_check.hunting.instances import (
    as_text,
    grown,
    is_list,
    leaves,
    like,
    lists,
    number,
    part,
    places,
    reached,
    replaced,
    shrunk,
)
from finitedp.proofs_check.hunting.moves import changed, drawn, further, lowered, moved
from finitedp.spec.pmf import Pmf


class Inner(NamedTuple):
    """A part."""

    n: int
    epsilon: mpq


@frozen
class Outer:
    """Parts of all kinds."""

    inner: Inner
    counts: tuple[int, ...]
    text: str
    law: Pmf[int]
    flag: bool = True


INSTANCE = Outer(Inner(3, mpq(1, 2)), (4, 2), "1/3", Pmf({0: 1, 2: 3}))
NUMBERS: dict[tuple[int | str, ...], object] = {
    ("inner", "n"): 3,
    ("inner", "epsilon"): mpq(1, 2),
    ("counts", 0): 4,
    ("counts", 1): 2,
    ("text",): mpq(1, 3),
    ("law", "weights", 0): 1,
    ("law", "weights", 1): 0,
    ("law", "weights", 2): 3,
}
INSTANCES = st.builds(
    lambda n, epsilon, counts, weights: Outer(Inner(n, mpq(epsilon)), tuple(counts), "2/3", Pmf(dict(enumerate(weights)))),
    st.integers(0, 99),
    st.fractions(0, 9, max_denominator=50),
    st.lists(st.integers(0, 9), min_size=1, max_size=5),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
SEEDS = st.integers(0, 2**30).map(Random)


@pytest.mark.parametrize(
    ("value", "found"),
    [(3, 3), (mpz(3), 3), (mpq(1, 2), mpq(1, 2)), ("1/2", mpq(1, 2)), ("x1", None), ("", None), (True, None), (None, None)],
)
def test_what_is_a_number(value: object, found: object) -> None:
    assert number(value) == found


def test_each_number_has_its_place() -> None:
    assert dict(leaves(INSTANCE)) == NUMBERS
    for path, x in NUMBERS.items():
        assert number(part(INSTANCE, path)) == x


def test_lists_are_plain_tuples_of_one_type() -> None:
    assert dict(lists(INSTANCE)) == {("counts",): (4, 2), ("law", "weights"): (1, 0, 3)}
    assert is_list(())
    assert is_list((1, 2))
    assert not is_list((1, mpq(1, 2)))
    assert not is_list(Inner(1, mpq(1)))
    assert not is_list([1])


def test_a_number_comes_in_the_type_of_the_one_before() -> None:
    assert (like(3, mpq(4)), like("1/2", mpq(1, 3)), like(mpq(1, 2), 3)) == (4, "1/3", mpq(3))
    assert isinstance(like(3, mpq(4)), int)
    assert isinstance(like(mpq(1, 2), 3), mpq)


def test_a_part_is_replaced_and_nothing_else() -> None:
    for path in NUMBERS:
        other = replaced(INSTANCE, path, mpq(7))
        assert number(part(other, path)) == 7
        rest = {key: x for key, x in leaves(other) if key != path}
        assert rest == {key: x for key, x in NUMBERS.items() if key != path}
    assert dict(leaves(INSTANCE)) == NUMBERS


class Declared(NamedTuple):
    """Integers, as they are declared in records."""

    n: int
    most: int | None
    counts: tuple[int, ...]
    cells: tuple[tuple[int, mpq], ...]
    epsilon: mpq


DECLARED = Declared(3, None, (1, 2), ((1, mpq(1)), (2, mpq(1))), mpq(1))


@pytest.mark.parametrize("path", [("n",), ("most",), ("counts",), ("counts", 1), ("cells", 0, 0), ("inner", "n")])
def test_no_fraction_comes_where_an_integer_is_declared(path: tuple[int | str, ...]) -> None:
    whole, other = (3, mpq(5, 2)) if path != ("counts",) else ((3,), (3, mpq(5, 2)))
    instance = INSTANCE if path[0] == "inner" else DECLARED
    assert part(replaced(instance, path, whole), path) == whole
    with pytest.raises(ValueError, match=rf"^{path[-1] if path[0] == 'inner' else path[0]} is an integer"):
        replaced(instance, path, other)


@pytest.mark.parametrize("path", [("epsilon",), ("cells", 1, 1)])
def test_a_fraction_comes_elsewhere(path: tuple[int | str, ...]) -> None:
    assert replaced(DECLARED, path, mpq(5, 2)) != DECLARED


@pytest.mark.parametrize(
    ("value", "slowly", "larger"),
    [((7,), False, 10), ((7,), True, 8), ((0,), False, 1), ((mpq(1, 2),), False, mpq(1, 3)), ((mpq(1, 2),), True, mpq(9, 20))],
)
def test_growth_of_a_number(value: tuple[object], slowly: bool, larger: object) -> None:
    assert grown(value, (0,), slowly=slowly) == (larger,)


def test_growth_of_a_list() -> None:
    assert part(grown(INSTANCE, ("counts",), slowly=True), ("counts",)) == (4, 2, 2)
    assert grown(((1, 2, 3, 4),), (0,), slowly=False) == ((1, 2, 3, 4, 4, 4),)
    with pytest.raises(ValueError, match="nothing grows"):
        grown(INSTANCE, ("flag",), slowly=True)


def test_numbers_and_lists_are_changed_as_one_thing() -> None:
    assert set(places(INSTANCE)) >= {("inner", "n"), ("inner", "epsilon"), ("counts",), ("text",)}
    assert ("counts", 0) not in places(INSTANCE)


@given(INSTANCES, SEEDS)
def test_lowered_numbers_are_small_and_whole(instance: Outer, chance: Random) -> None:
    try:
        found = lowered(instance, chance)
    except ValueError:  # a law of no weight
        return
    before = dict(leaves(instance))
    for path, x in leaves(found):
        assert x == before[path] or (x.denominator == 1 and 0 <= x <= 6)


@given(INSTANCES, SEEDS)
def test_changes_are_those_of_the_seed_and_keep_what_is_no_number(instance: Outer, chance: Random) -> None:
    state = chance.getstate()

    def made() -> Any:
        chance.setstate(state)
        try:
            return as_text(changed(instance, coordinates(instance), chance))
        except Exception as error:  # its type has no such instance
            return type(error)

    first = made()
    assert first == made()
    if isinstance(first, str):
        assert "flag=True" in first


@given(INSTANCES)
def test_what_is_shrunk_has_a_smaller_one_among_it(instance: Outer) -> None:
    smaller = [x for x in shrunk(instance) if measure(x) < measure(instance)]
    least = Outer(Inner(0, mpq(0)), (0,), "0", Pmf({0: 1}))
    assert smaller or measure(instance) <= measure(least)


def test_size_and_what_is_reached() -> None:
    assert size((8, mpq(1, 3))) == (1 + 4 + 1) + (1 + 1 + 2)
    assert reached((Inner(8, mpq(1, 2)), 9)) == {"n": 8, "number": 9}
    assert reached(Single((3, 1), (2, 2, 0))) == {
        "n": 4,
        "m": 3,
        "h": 3,
        "targets": 2,
        "more": 1,
        "|h|": 2,
        "|targets|": 3,
    }
    assert reached(INSTANCE)["|counts|"] == 2


@given(INSTANCES, SEEDS)
def test_lists_are_drawn_anew_in_the_order_that_they_had(instance: Outer, chance: Random) -> None:
    try:
        found = drawn(instance, chance)
    except ValueError:  # a law of no weight
        return
    assert found.inner == instance.inner
    assert 1 <= len(found.counts) <= 8 * len(instance.counts) + 2
    if list(instance.counts) == sorted(instance.counts, reverse=True):
        assert list(found.counts) == sorted(found.counts, reverse=True)


def test_one_large_number_among_ones_is_drawn_soon() -> None:
    chance = Random(1)
    some = {drawn(((2, 1, 1),), chance)[0] for _ in range(2_000)}
    assert (4, 1, 1, 1, 1, 1, 1) in some
    assert max(map(len, some)) == 26


def test_a_large_number_is_drawn_near_to_the_length_or_the_sum_of_the_list_before() -> None:
    chance = Random(1)
    some = [drawn(Single((2, 1), (1, 1)), chance) for _ in range(500)]
    assert {one.targets[0] - one.n for one in some} >= {-2, -1, 0, 1}
    assert {one.targets[0] - len(one.h) for one in some} >= {-2, -1, 0, 1}


def test_coordinates_are_numbers_and_runs_of_equal_items() -> None:
    found = coordinates(Single((5, 1, 1, 1), (4, 0, 0)))
    assert found.shape == ((("h",), 2), (("targets",), 2), (("more",), 0))
    assert list(map(int, found.values)) == [5, 1, 1, 3, 4, 1, 0, 2, 1]


def test_the_difference_of_two_leads_to_a_third() -> None:
    def one(m: int, ones: int) -> Single:
        return Single((m, *(1,) * ones), (ones + 1, *(1,) * (m - 1)))

    def beyond(value: Any, other: Any, seed: int) -> Any:
        return further(value, coordinates(value), coordinates(value), coordinates(other), Random(seed))

    found = {beyond(one(3, 11), one(2, 7), seed) for seed in range(20)}
    assert found == {one(4, 15), one(5, 19)}
    with pytest.raises(ValueError, match="other shapes"):
        beyond(one(3, 11), Single((2, 1), (1,)), 1)
    law = beyond((3, mpq(1, 2)), (1, mpq(1, 5)), 1)
    assert law[0] in (5, 7)
    assert law[1] in (mpq(1, 2), mpq(1, 5))


def test_a_run_may_become_longer_by_as_much_as_a_number_becomes_larger() -> None:
    chance, start = Random(1), Single((2, 1, 1), (3, 1))
    some = [moved(start, coordinates(start), chance) for _ in range(3_000)]
    assert Single((2, *(1,) * 6), (7, 1)) in some
    assert all(list(one.h) == sorted(one.h, reverse=True) for one in some)


def test_coordinates_tell_instances_apart_and_are_what_they_are_made_of() -> None:
    some = [INSTANCE, (1, ()), ((), 1), (1,), ("a", 1), ("b", 1), Inner(1, mpq(1)), (1, mpq(1)), (Pmf({8: 1}),), Pmf({8: 1})]
    assert len({coordinates(x) for x in some}) == len(some)
    one, other = (Pmf({**dict.fromkeys(range(8), 1), 8: x, 9: 3 - x}) for x in (1, 2))
    assert as_text(one) == as_text(other)
    assert coordinates(one) != coordinates(other)


@given(INSTANCES)
def test_an_instance_is_made_again_of_its_coordinates(instance: Outer) -> None:
    at = coordinates(instance)
    assert made_of(instance, at, at.values) is instance
    assert at.size == sum(1 + x.numerator.bit_length() + x.denominator.bit_length() for _, x in leaves(instance))
    other = made_of(instance, at, [x + 1 for x in at.values])
    assert part(other, ("inner", "n")) == part(instance, ("inner", "n")) + 1
    assert coordinates(made_of(other, coordinates(other), at.values)).values[:2] == at.values[:2]


def test_numbers_are_about_as_large_in_octaves() -> None:
    assert octaves((0, 1, 2, 3, 4, mpq(1, 3))) == (0, 1, 2, 2, 3, -4)


def test_all_sizes_grow_as_one_and_a_number_meets_the_sum_or_the_length_of_a_list() -> None:
    chance, start = Random(1), Single((4, *(1,) * 10), (2, 1))
    some = {moved(start, coordinates(start), chance) for _ in range(3_000)}
    assert Single((8, *(1,) * 20), (4, 1)) in some
    assert {one.targets[:1] for one in some} >= {(11,), (14,)}
