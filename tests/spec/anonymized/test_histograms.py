import pytest

from finitedp.errors import ParameterError
from finitedp.spec.anonymized import histograms as spec


def test_partitions_are_counted() -> None:
    assert [len(list(spec.partitions(n))) for n in range(11)] == [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42]
    assert len(spec.histograms(6)) == 30


def test_the_example_of_the_paper() -> None:
    h = spec.histogram("aaaaaaaabbbbbbbbccc")
    assert h == (8, 8, 3)
    assert spec.prevalences(h) == ((3, 1), (8, 2))
    assert spec.from_prevalences(spec.prevalences(h)) == h
    assert [spec.cumulative(h, r) for r in (1, 3, 4, 8, 9)] == [3, 3, 2, 2, 0]
    assert [spec.largest(h, i) for i in (1, 2, 3, 4)] == [8, 8, 3, 0]


def test_three_forms_of_the_distance_agree() -> None:
    every = spec.histograms(4)
    for g in every:
        for h in every:
            assert spec.distance(g, h) == spec.cumulative_distance(g, h)
            if len(g) + len(h) <= 6:
                assert spec.distance(g, h) == spec.labelled_distance(g, h)


def test_neighbours_are_at_distance_one_and_no_others_are() -> None:
    listed = set(spec.neighbouring_histograms(6))
    every = spec.histograms(6)
    assert listed == {(g, h) for g in every for h in every if spec.are_neighbours(g, h)}


def test_replaced_items_are_two_steps() -> None:
    for h in spec.histograms(6)[1:]:
        same = [g for g in spec.partitions(spec.items(h)) if spec.distance(g, h) == 2]
        assert spec.replaced(h) == set(same)
    with pytest.raises(ParameterError, match="no item"):
        spec.replaced(())


def test_a_count_of_zero_is_refused() -> None:
    with pytest.raises(ParameterError, match="count"):
        spec.checked([1, 0])
