"""finitedp.impl.histograms.distinct. Uniformity of every sequence is in the ledger."""

from itertools import permutations
from typing import Any

import pytest
from gmpy2 import mpz
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.histograms.distinct import OrderStatisticTree, distinct_sample
from finitedp.impl.randomness.coins import BitMeter, ExactCoins, SeededBits, StrictCoins
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.pmf import Pmf


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


# The tree


@given(st.integers(1, 200), st.data())
def test_the_tree_counts_as_a_sorted_list_does(size: int, data: st.DataObject) -> None:
    members = data.draw(st.lists(st.integers(0, size - 1), unique=True, max_size=20))
    tree = OrderStatisticTree(size)
    for x in members:
        tree.insert(x)
    assert [tree.below(x) for x in range(size)] == [sum(y < x for y in members) for x in range(size)]
    assert [tree.free(rank) for rank in range(size - len(members))] == [x for x in range(size) if x not in members]
    assert len(tree) == len(members)
    assert tree.counters <= len(members) * tree.depth


@given(st.integers(2**64, 2**70), st.data())
def test_the_tree_of_a_large_universe(size: int, data: st.DataObject) -> None:
    tree = OrderStatisticTree(size)
    members = data.draw(st.lists(st.integers(0, size - 1), unique=True, min_size=1, max_size=12))
    for x in members:
        tree.insert(x)
    for x in (0, size - 1, *members):
        assert tree.below(x) == sum(y < x for y in members)
    rank = data.draw(st.integers(0, size - len(members) - 1))
    free = tree.free(rank)
    assert free not in members
    assert free - sum(y < free for y in members) == rank


def test_the_tree_has_the_depth_of_its_universe() -> None:
    for size, depth in ((1, 0), (2, 1), (3, 2), (2**64, 64), (2**64 + 1, 65)):
        assert OrderStatisticTree(size).depth == depth
    with pytest.raises(ParameterError, match="size = 0 is out of range; accepted: an integer of at least 1"):
        OrderStatisticTree(0)


class Rank(int):
    """A rank that counts the comparisons that are made with it."""

    made = 0

    def __ge__(self, other: int) -> bool:
        Rank.made += 1
        return int(self) >= other

    def __sub__(self, other: int) -> "Rank":
        return Rank(int(self) - other)


@given(st.integers(1, 2**40), st.data())
def test_a_walk_makes_one_comparison_at_each_level(size: int, data: st.DataObject) -> None:
    tree = OrderStatisticTree(size)
    for x in data.draw(st.sets(st.integers(0, size - 1), max_size=min(size - 1, 9))):
        tree.insert(x)
    Rank.made = 0
    tree.free(Rank(data.draw(st.integers(0, size - len(tree) - 1))))
    assert Rank.made == ceil_log2(size)


# The sample


@given(st.integers(1, 40), st.data())
def test_a_sample_is_distinct_and_free(size: int, data: st.DataObject) -> None:
    excluded = data.draw(st.sets(st.integers(0, size - 1), max_size=size - 1))
    number = data.draw(st.integers(0, size - len(excluded)))
    sequence = distinct_sample(size, excluded, number, ExactCoins())
    assert len(set(sequence)) == len(sequence) == number
    assert set(sequence) <= set(range(size)) - excluded


def test_a_sample_is_uniform() -> None:
    law = explore(lambda c: distinct_sample(6, {1, 4}, 3, c)).law()
    assert law == Pmf.uniform(permutations((0, 2, 3, 5), 3))


def test_all_that_is_left_can_be_drawn() -> None:
    assert sorted(distinct_sample(7, (2, 5), 5, coins())) == [0, 1, 3, 4, 6]
    assert distinct_sample(7, range(7), 0, coins()) == ()


@pytest.mark.parametrize("size", [41, 2**64, 10**30])
def test_draws_bits_and_work_do_not_tell_what_is_excluded(size: int) -> None:
    works: list[Any] = []
    for excluded in ((), (5,), (0, 1, 2, 3), (size - 1, 7, 20, 3), range(20)):
        for seed in (1, 2):
            meter = BitMeter(SeededBits(seed, not_private=True))
            works.append(work_of(lambda: distinct_sample(size, excluded, 21, StrictCoins(meter), 20)))  # noqa: B023  # at once
            assert (meter.reads, meter.total_bits) == (21, 21 * (ceil_log2(size) + 128))
    assert all(work == works[0] for work in works)
    assert works[0]["OrderStatisticTree.insert"] == 20 + 21


def test_without_a_bound_the_work_tells_how_many_are_excluded() -> None:
    few, many = (work_of(lambda: distinct_sample(50, range(k), 3, coins())) for k in (1, 9))  # noqa: B023  # at once
    assert (few["OrderStatisticTree.insert"], many["OrderStatisticTree.insert"]) == (1 + 3, 9 + 3)


@pytest.mark.parametrize(
    ("size", "excluded", "number", "message"),
    [
        (5, (1, 2), 4, "number = 4 is above the 3 integers that are left"),
        (5, range(5), 1, "number = 1 is above the 0 integers that are left"),
        (5, (1, 2), -1, "number = -1 is out of range; accepted: an integer of at least 0"),
        (2**64, (1, 2), 2**64 - 1, f"number = {2**64 - 1} is above the {2**64 - 2} integers"),
    ],
)
def test_more_than_is_left(size: int, excluded: tuple[int, ...], number: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        distinct_sample(size, excluded, number, coins())


def test_a_bound_below_the_number_of_excluded_integers_is_refused() -> None:
    """Else the number of insertions tells how many are excluded, which the bound is there to hide."""
    with pytest.raises(ParameterError, match="most_excluded = 1"):
        distinct_sample(9, (1, 2), 1, coins(), 1)


@pytest.mark.parametrize(
    "excluded", [(1, 1), (1, 4, 1), (5,), (-1,), (0, 5, 1), (2**70,), (True,), (1, True), (1.0,), ("1",), (None,), [1, 2.5]]
)
@pytest.mark.parametrize("most", [None, 5])
def test_what_is_excluded_twice_or_out_of_range_is_refused(excluded: Any, most: int | None) -> None:
    """(1, 1) of five left four, of which one of three was drawn; 5 took the place of another."""
    with pytest.raises(ParameterError, match=r"excluded = .*; accepted: distinct integers from 0 to 4"):
        distinct_sample(5, excluded, 1, coins(), most)
    assert distinct_sample(5, (0, 1, 2, mpz(4)), 1, coins(), most) == (3,)
