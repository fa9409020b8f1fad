"""finitedp.impl.sparse. The exact laws are in the ledger."""

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import DataError, ParameterError
from finitedp.impl.coins import ExactCoins, SeededBits, StrictCoins
from finitedp.impl.counting import GeoSample
from finitedp.impl.histogram import BasicHistogram
from finitedp.impl.sparse import KeepHeavy, SampledKeepHeavy, distinct_sequence, heavier_than


def coins() -> StrictCoins:
    return StrictCoins(SeededBits(1, not_private=True))


def test_a_tie_at_the_bar_keeps_none_of_the_tied() -> None:
    assert heavier_than([("a", 3), ("b", 1), ("c", 1), ("d", 0)], 2) == (("a", 3),)
    assert heavier_than([("a", 3), ("b", 2), ("c", 1), ("d", 0)], 2) == (("a", 3), ("b", 2))
    assert heavier_than([("a", 1), ("b", 1)], 1) == ()


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30), st.data())
def test_what_is_kept_is_what_is_heavier_than_so_many_others(counts: list[int], data: st.DataObject) -> None:
    others = data.draw(st.integers(1, len(counts) - 1))
    kept = heavier_than(list(enumerate(counts)), others)
    literal = [(i, c) for i, c in enumerate(counts) if sum(other >= c for other in counts) <= others]
    assert list(kept) == literal
    assert len(kept) <= others


def test_releases_at_most_n_bins_in_the_order_of_the_labels() -> None:
    heavy = KeepHeavy(BasicHistogram(GeoSample(5, 1), "abcdefgh"))
    released = heavy.release("aaaab", coins())
    labels = [label for label, _ in released]
    assert len(labels) <= 5
    assert labels == sorted(labels)
    assert heavy.cost() == heavy.histogram.cost()


def test_claim_and_accuracy_follow_theorem_6_2() -> None:
    heavy = KeepHeavy(BasicHistogram(GeoSample(5, "1/2"), "abcdefgh"))
    assert (heavy.claim().epsilon, heavy.claim().ratio) == (mpq(1, 2), mpq(25, 16))
    basic = heavy.histogram.accuracy("1/10")
    per_query, above, simultaneous = heavy.accuracy("1/10")
    assert (per_query.a, per_query.beta) == (basic[0].a, mpq(1, 5))
    assert above == simultaneous.a == 2 * basic[1].a


def test_wrong_parameters() -> None:
    with pytest.raises(ParameterError, match=r"\|X\| = 5 is below n \+ 1 = 6; accepted: a larger universe, or BasicHistogram"):
        KeepHeavy(BasicHistogram(GeoSample(5, 1), "abcde"))
    heavy = KeepHeavy(BasicHistogram(GeoSample(2, 1), "abc"))
    with pytest.raises(ParameterError, match="beta = 2/3 is out of range"):
        heavy.accuracy("2/3")
    with pytest.raises(DataError, match="row 1 = 'z' is outside of the universe"):
        heavy.release("z", coins())


@given(st.integers(1, 40), st.data())
def test_distinct_sequence_is_distinct_and_free(size: int, data: st.DataObject) -> None:
    excluded = data.draw(st.sets(st.integers(0, size - 1), max_size=size - 1))
    number = data.draw(st.integers(0, size - len(excluded)))
    sequence = distinct_sequence(size, excluded, number, ExactCoins())
    assert len(set(sequence)) == len(sequence) == number
    assert set(sequence) <= set(range(size)) - excluded


def test_distinct_sequence_is_uniform() -> None:
    from itertools import permutations

    from finitedp.proofs_check.explorer import explore
    from finitedp.spec.pmf import Pmf

    law = explore(lambda c: distinct_sequence(6, {1, 4}, 3, c)).law()
    assert law == Pmf.uniform(permutations((0, 2, 3, 5), 3))


def test_a_universe_of_2_to_the_64_is_a_range() -> None:
    sampled = SampledKeepHeavy(GeoSample(1, 1), range(2**64))
    assert distinct_sequence(2**64, {5}, 2, ExactCoins())
    with pytest.raises(DataError, match="the row -1 is outside of the universe"):
        sampled.release([-1], coins())
    with pytest.raises(ParameterError, match="needs integers of about"):
        sampled.release([2**63], coins())


def test_sampled_keep_heavy_needs_distinct_labels_in_an_order() -> None:
    with pytest.raises(ParameterError, match="a label twice"):
        SampledKeepHeavy(GeoSample(1, 1), "aba")
    with pytest.raises(ParameterError, match="has no order"):
        SampledKeepHeavy(GeoSample(1, 1), {"a", "b", "c"})


def test_sampled_keep_heavy_with_labels_of_any_kind() -> None:
    sampled = SampledKeepHeavy(GeoSample(2, 1), ["a", ("b", 1), None, 4, "e"])
    released = sampled.release([("b", 1), 4], ExactCoins())
    assert len(released) <= 2
    assert sampled.claim(ExactCoins()).ratio == mpq(9, 4)
    with pytest.raises(ParameterError, match="exactly uniform draws only"):
        sampled.claim(StrictCoins())
    with pytest.raises(DataError, match="the row 'z' is outside of the universe"):
        sampled.release(["z"], ExactCoins())
    with pytest.raises(DataError, match="more than n = 2 rows"):
        sampled.release(["a", "a", "a"], ExactCoins())
    with pytest.raises(
        ParameterError, match=r"\|X\| = 4 is below 2n \+ 1 = 5; accepted: a larger universe, or BasicHistogram"
    ):
        SampledKeepHeavy(GeoSample(2, 1), "abcd")
