"""finitedp.spec.neighbours."""

from collections import Counter
from itertools import permutations, product

import pytest

from finitedp.claim import Neighbours
from finitedp.errors import ParameterError
from finitedp.spec.neighbours import (
    are_neighbours,
    count_pairs,
    datasets,
    inputs,
    multisets,
    neighbouring_inputs,
    neighbouring_multisets,
    neighbouring_pairs,
    padded,
    representative_pairs,
)

RELATIONS: tuple[Neighbours, ...] = ("replace-one", "add-remove")
SHAPES = [(size, n) for size in (1, 2, 3, 4) for n in (1, 2, 3)]


@pytest.mark.parametrize(("size", "n"), SHAPES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_pairs_are_exactly_the_neighbours(size: int, n: int, relation: Neighbours) -> None:
    universe = "abcd"[:size]
    sizes = (n,) if relation == "replace-one" else range(n + 1)
    everything = [d for m in sizes for d in datasets(universe, m)]
    literal = {(d, e) for d, e in product(everything, repeat=2) if are_neighbours(d, e, relation)}
    listed = list(neighbouring_pairs(universe, n, relation))
    assert len(listed) == len(set(listed))
    assert set(listed) == literal


@pytest.mark.parametrize(("size", "n"), SHAPES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_multiset_pairs_are_the_sorted_pairs(size: int, n: int, relation: Neighbours) -> None:
    universe = "abcd"[:size]
    literal = {
        (tuple(sorted(d)), tuple(sorted(e))) for d, e in neighbouring_pairs(universe, n, relation) if sorted(d) != sorted(e)
    }
    listed = list(neighbouring_multisets(universe, n, relation))
    assert len(listed) == len(set(listed))
    assert set(listed) == literal


def orbit(pair: tuple[tuple[str, ...], tuple[str, ...]], universe: str) -> frozenset[object]:
    images = set()
    for permutation in permutations(universe):
        swap = dict(zip(universe, permutation, strict=True))
        images.add(tuple(tuple(sorted(swap[x] for x in d)) for d in pair))
    return frozenset(images)


@pytest.mark.parametrize(("size", "n"), SHAPES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_one_representative_for_each_class_of_labels(size: int, n: int, relation: Neighbours) -> None:
    universe = "abcd"[:size]
    classes = {orbit(pair, universe) for pair in neighbouring_multisets(universe, n, relation)}
    representatives = [orbit(pair, universe) for pair in representative_pairs(universe, n, relation)]
    assert Counter(representatives) == Counter(classes)


def test_numbers_of_datasets() -> None:
    assert len(list(datasets("abc", 4))) == 81
    assert len(list(multisets("abc", 4))) == 15
    assert list(count_pairs(2)) == [(0, 1), (1, 0), (1, 2), (2, 1)]


@pytest.mark.parametrize("listing", [neighbouring_pairs, neighbouring_multisets, representative_pairs])
def test_counts_is_not_a_relation_on_datasets(listing: object) -> None:
    with pytest.raises(ParameterError, match="accepted: replace-one, add-remove"):
        list(listing("ab", 2, "counts"))  # type: ignore[operator]


def test_the_inputs_of_a_claim_and_their_neighbours() -> None:
    assert list(inputs("", 3, "counts")) == [0, 1, 2, 3]
    assert list(inputs("ab", 1, "replace-one")) == [("a",), ("b",)]
    assert list(inputs("ab", 1, "add-remove")) == [(), ("a",), ("b",)]
    assert list(neighbouring_inputs("", 2, "counts")) == list(count_pairs(2))
    assert list(neighbouring_inputs("", 0, "counts")) == []
    for relation in RELATIONS:
        assert list(neighbouring_inputs("ab", 2, relation)) == list(neighbouring_pairs("ab", 2, relation))
    with pytest.raises(ParameterError, match="'bags' is unknown"):
        list(inputs("ab", 1, "bags"))  # type: ignore[arg-type]


def test_unknown_relation_and_repeated_labels() -> None:
    with pytest.raises(ParameterError, match="accepted"):
        are_neighbours(("a",), ("b",), "counts")
    with pytest.raises(ParameterError, match="listed twice"):
        list(datasets("aa", 2))


@pytest.mark.parametrize(("size", "n"), SHAPES)
def test_padded_datasets_of_neighbours_are_equal_or_differ_in_one_row(size: int, n: int) -> None:
    universe, seen = "abcd"[:size], Counter[bool]()
    for left, right in neighbouring_multisets(universe, n, "add-remove"):
        pair = [sorted(padded(rows, n, "a")) for rows in (left, right)]
        assert [len(rows) for rows in pair] == [n, n]
        common = sum((Counter(pair[0]) & Counter(pair[1])).values())
        assert common in (n, n - 1)
        seen[common == n] += 1
    assert seen[True] > 0  # where the row that is added is the filler
    assert bool(seen[False]) == (size > 1)


def test_a_row_put_between_others_moves_those_behind_it() -> None:
    left, right = padded(("b", "c"), 3, "a"), padded(("c", "b", "c"), 3, "a")
    assert not are_neighbours(left, right, "replace-one")  # so that the order of rows must not matter to the mechanism


def test_more_rows_than_the_public_number_are_refused() -> None:
    with pytest.raises(ParameterError, match="rows"):
        padded(("b", "c"), 1, "a")
