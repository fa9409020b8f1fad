import pytest

from finitedp.errors import DataError
from finitedp.impl.anonymized import prevalences as impl
from finitedp.spec.anonymized import histograms as spec


def test_what_is_read_is_what_the_definitions_say() -> None:
    for h in spec.histograms(7):
        for universe in (max(sum(h), 1), 9, 40):
            reading = impl.Reading(spec.prevalences(h), universe)
            assert reading.items == sum(h)
            assert reading.up_to(4) == [spec.cumulative(h, r) for r in (1, 2, 3, 4)]
            assert [reading.at_least(r) for r in (1, 2, 5, 9)] == [spec.cumulative(h, r) for r in (1, 2, 5, 9)]
            assert reading.largest(9, 2) == [max(spec.largest(h, i), 2) for i in range(1, 10)]
            assert reading.blocks([1, 3, 4, 8]) == [
                spec.clipped_items(h, b) - spec.clipped_items(h, a) for a, b in ((0, 1), (1, 3), (3, 4), (4, 8))
            ]


def test_the_reading_is_as_long_for_every_histogram() -> None:
    lengths = {len(impl.Reading(spec.prevalences(h), 6)._counts) for h in spec.histograms(6)}
    assert lengths == {impl.most_pairs(6) + 1}
    assert impl.most_pairs(70_000_000) == 11_831
    assert all(len(spec.prevalences(h)) <= impl.most_pairs(sum(h)) for h in spec.histograms(12))


def test_the_distance_is_that_of_the_sorted_counts() -> None:
    every = spec.histograms(5)
    for g in every:
        for h in every:
            assert impl.sorted_distance(spec.prevalences(g), spec.prevalences(h)) == spec.distance(g, h)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1)], "count 0 is out of range"),
        ([(-2, 1)], "count -2"),
        ([(1, 0)], "prevalence 0"),
        ([(1, 2.0)], "of type float"),
        ([(1, True)], "of type bool"),
        ([("a", 1)], "of type str"),
        ([(3, 1), (3, 2)], "count 3 is there twice"),
        ([(1, 2, 3)], "no pair"),
        (["ab"], "no pair"),
    ],
)
def test_what_is_no_histogram(pairs: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        impl.checked_pairs(pairs)


def test_more_items_than_the_bound_are_refused() -> None:
    with pytest.raises(DataError, match="7 items, more than n = 6"):
        impl.Reading(((7, 1),), 6)


def test_pairs_of_labels_and_of_counts() -> None:
    assert impl.count_labels("abracadabra") == ((1, 2), (2, 2), (5, 1))
    assert impl.pairs_of_counts([0, 3, 3, 1]) == ((1, 1), (3, 2))
    with pytest.raises(DataError, match="-1"):
        impl.pairs_of_counts([-1])
