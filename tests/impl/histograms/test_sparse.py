"""finitedp.impl.histograms.sparse. The exact laws are in the ledger."""

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import DataError, ParameterError
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.sparse import KeepHeavy, heavier_than
from finitedp.impl.randomness.coins import SeededBits, StrictCoins


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
    assert (per_query.a, per_query.beta) == (basic.per_query.a, mpq(1, 5))
    assert above == simultaneous.a == 2 * basic.simultaneous.a


def test_wrong_parameters() -> None:
    with pytest.raises(ParameterError, match=r"\|X\| = 5 is below n \+ 1 = 6; accepted: a larger universe, or BasicHistogram"):
        KeepHeavy(BasicHistogram(GeoSample(5, 1), "abcde"))
    heavy = KeepHeavy(BasicHistogram(GeoSample(2, 1), "abc"))
    with pytest.raises(ParameterError, match="beta = 2/3 is out of range"):
        heavy.accuracy("2/3")
    with pytest.raises(DataError, match="row 1 = 'z' is outside of the universe"):
        heavy.release("z", coins())
