"""finitedp.impl.histograms.universe."""

from itertools import product
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms import universe as module
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.histogram import BlanketHistogram
from finitedp.impl.histograms.blanket.labels import ByLength
from finitedp.impl.histograms.compact import compact_histogram_with_geo_sample
from finitedp.impl.histograms.pure_sparse import pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import sparse_histogram_with_fast_sample
from finitedp.impl.histograms.universe import Integers, Listed, Strings, as_universe, indexed
from finitedp.impl.randomness.coins import ExactCoins


def test_integers_of_any_size_cost_nothing() -> None:
    universe = Integers(0, 2**64 - 1)
    assert universe.size == 2**64
    assert universe.index(2**63) == 2**63 == universe.label(2**63)
    assert Integers(-5, 5).label(0) == -5


@pytest.mark.parametrize("label", [-1, 4, True, "1"])
def test_integers_refuse_what_is_outside(label: int) -> None:
    with pytest.raises(DataError, match=r"outside of the universe 0\.\.3"):
        Integers(0, 3).index(label)


def test_strings_of_two_symbols_by_enumeration() -> None:
    """All byte strings of up to 2 bytes: the index is the position in lexicographic order."""
    ordered = sorted(bytes(b) for length in range(3) for b in product(range(256), repeat=length))
    universe = Strings(2)
    assert universe.size == len(ordered) == 1 + 256 + 256**2
    labels = [b.decode("utf-8", "surrogateescape") for b in ordered]
    assert [universe.index(label) for label in labels] == list(range(universe.size))
    assert [universe.label(i) for i in range(universe.size)] == labels


@given(st.binary(max_size=16))
def test_every_byte_string_is_a_label(encoded: bytes) -> None:
    universe, label = Strings(16), encoded.decode("utf-8", "surrogateescape")
    assert universe.label(universe.index(label)) == label


@given(st.integers(0, Strings(16).size - 1))
def test_every_index_is_a_label(index: int) -> None:
    assert Strings(16).index(Strings(16).label(index)) == index


@pytest.mark.parametrize("label", ["x" * 17, "\u00e9" * 9, b"bytes", 3, "\ud800"])
def test_strings_refuse_what_is_outside(label: str) -> None:
    with pytest.raises(DataError, match="not a string of at most 16 bytes"):
        Strings(16).index(label)


def test_listed_labels() -> None:
    universe = Listed(["b", "a"])
    assert (universe.size, universe.index("a"), universe.label(0)) == (2, 1, "b")
    with pytest.raises(DataError, match="outside of the universe"):
        universe.index("c")


@pytest.mark.parametrize("labels", [[], ["a", "a"], {"a", "b"}, "ab", 3])
def test_what_is_not_a_universe_is_refused(labels: object) -> None:
    with pytest.raises(ParameterError):
        as_universe(labels)


def test_sequences_become_universes() -> None:
    assert as_universe(range(3, 2**70)) == Integers(3, 2**70 - 1)
    assert as_universe(range(0, 6, 2)) == Listed((0, 2, 4))
    assert as_universe(Strings(3)) == Strings(3)


def test_a_long_range_of_another_step_is_refused_and_not_listed() -> None:
    with pytest.raises(ParameterError, match=r"too long to be listed; accepted: a range of step 1, or Integers"):
        as_universe(range(0, 2**64, 3))


def test_index_of_a_label_out_of_range_is_refused() -> None:
    for universe in (Integers(0, 3), Listed("ab".split()), Strings(1)):
        with pytest.raises(ParameterError, match="out of range"):
            universe.label(-1)


def test_counts_by_index() -> None:
    assert indexed({"c": 2, "a": 1, "b": 0}, Listed(["a", "b", "c"]), 3) == {0: 1, 2: 2}
    with pytest.raises(DataError, match="more than n = 2 rows"):
        indexed({"c": 2, "a": 1}, Listed(["a", "c"]), 2)
    with pytest.raises(DataError, match="count of 'a'"):
        indexed({"a": -1}, Listed(["a"]), 2)
    with pytest.raises(DataError, match="outside"):
        indexed({"z": 1}, Listed(["a"]), 2)


@given(st.permutations([("c", 2), ("a", 1), ("b", 0), ("d", 4)]))
def test_positions_come_in_increasing_order(counts: list[tuple[str, int]]) -> None:
    assert list(indexed(dict(counts), Listed(["a", "b", "c", "d"]), 7).items()) == [(0, 1), (2, 2), (3, 4)]


@given(st.binary(max_size=20), st.integers(0, 5))
def test_the_place_of_a_string_is_what_stands_before_it(encoded: bytes, more: int) -> None:
    """Byte by byte: the prefix that ends there, and all strings with that prefix and a lesser byte."""
    most = len(encoded) + more
    lesser = (byte * sum(256**k for k in range(most - i)) for i, byte in enumerate(encoded))
    assert Strings(most).index(encoded.decode("utf-8", "surrogateescape")) == len(encoded) + sum(lesser)


def test_a_string_of_a_hundred_thousand_bytes_has_a_place() -> None:
    """Byte by byte this takes minutes: a file may state so long strings, and ask for one."""
    universe = Strings(10**5)
    assert universe.index("\udcff" * 10**5) == universe.size - 1
    assert universe.index("") == 0


def test_how_long_strings_may_be() -> None:
    assert Strings(10**6).most == 10**6
    for most in (-1, 10**6 + 1):
        with pytest.raises(ParameterError, match=r"most = .* is out of range; accepted: an integer from 0 to 1000000"):
            Strings(most)


def test_how_long_a_range_of_another_step_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LISTED", 3)
    assert as_universe(range(0, 6, 2)) == Listed((0, 2, 4))
    assert as_universe(range(5, 6, 2)) == Listed((5,))
    assert as_universe(range(9, 3, -2)) == Listed((9, 7, 5))
    with pytest.raises(ParameterError, match="too long to be listed"):
        as_universe(range(0, 8, 2))


@pytest.mark.parametrize("most", [0, 1, 2])
def test_every_short_string_has_a_place_and_is_found_there(most: int) -> None:
    strings = Strings(most)
    places = range(strings.size) if most < 2 else [0, 1, 2, 256, 257, 258, 300, 65_535, strings.size - 1]
    assert [strings.index(strings.label(i)) for i in places] == list(places)


E_OF_ESCAPES = "\udcc3\udca9"  # what json.loads gives for the escapes of the two bytes of an e with an acute accent


@pytest.mark.parametrize("label", [E_OF_ESCAPES, "a" + E_OF_ESCAPES, "\udcf0\udc9f\udc98\udc80", "\udc61", "\ud83d\ude00"])
@pytest.mark.parametrize("universe", [Strings(16), ByLength(16)])
def test_a_text_that_does_not_come_back_from_its_bytes_is_refused(label: str, universe: Any) -> None:
    with pytest.raises(DataError, match="do not stand for bytes outside of UTF-8; accepted: text, or bytes made a str by"):
        universe.index(label)


@given(st.text(st.characters(), max_size=5) | st.text("e\u0301\u00e9\0\udc80\udcc3\udca9\udce2\ud800\U0001f600", max_size=5))
def test_a_text_is_refused_or_comes_back(label: str) -> None:
    for universe in (Strings(20), ByLength(20 - 4)):
        try:
            place = universe.index(label)
        except DataError:
            continue
        assert universe.label(place) == label


def _histograms(universe: Any) -> dict[str, Any]:
    n = 1000
    return {
        "blanket": BlanketHistogram(blanket_plan(n, 2, universe.size), universe),
        "sparse": sparse_histogram_with_fast_sample(universe, 20, 1, "1/1000", "1/10"),
        "pure sparse": pure_sparse_histogram_with_geo_sample(universe, 20, 1, "1/10"),
        "compact": compact_histogram_with_geo_sample(universe, 20, 1),
    }


@pytest.mark.parametrize("kind", ["blanket", "sparse", "pure sparse", "compact"])
def test_no_histogram_takes_the_rows_of_two_texts_for_those_of_one(kind: str) -> None:
    """900 rows of one, and one of the other, were released as 1."""
    histogram, coins = _histograms(Strings(2))[kind], ExactCoins()
    for counts in ({"\u00e9": 9, E_OF_ESCAPES: 1}, {E_OF_ESCAPES: 1, "\u00e9": 9}, {E_OF_ESCAPES: 1}):
        with pytest.raises(DataError, match="do not stand for bytes outside of UTF-8"):
            histogram.release_counts(counts, coins)
        with pytest.raises(DataError, match="do not stand for bytes outside of UTF-8"):
            histogram.release([label for label, count in counts.items() for _ in range(count)], coins)


@frozen
class Folded:
    """Somebody's own universe: text of one letter, whose case does not count."""

    shift: int = 0
    size: int = 26

    def index(self, label: str) -> int:
        return ord(label.lower()) - ord("a") + self.shift

    def label(self, index: int) -> str:
        return chr(ord("a") + index)


def test_two_labels_of_one_index_are_refused_and_none_is_lost() -> None:
    with pytest.raises(DataError, match="the index of 'A', 0, is that of another label; accepted: one each"):
        indexed({"a": 900, "A": 1}, Folded(), 1000)
    with pytest.raises(DataError, match="is that of another label"):
        indexed({"a": 0, "A": 1}, Folded(), 1000)
    assert indexed({"b": 900, "A": 1}, Folded(), 1000) == {0: 1, 1: 900}


@pytest.mark.parametrize(("shift", "label"), [(-1, "a"), (1, "z")])
def test_an_index_outside_of_the_universe_is_refused(shift: int, label: str) -> None:
    with pytest.raises(DataError, match=r"the index of a label = .* is out of range; accepted: an integer from 0 to 25"):
        indexed({label: 1}, Folded(shift), 1)
    assert indexed({label: 1}, Folded(), 1) == {25 * (label == "z"): 1}
