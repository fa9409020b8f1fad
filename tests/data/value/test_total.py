"""Sums of labels and ranges of a release, with error bars, and counts that are made to sum to the rows."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp import NoisyHistogram, release
from finitedp.data.frames import LabelCounts
from finitedp.data.value.consistent import ConsistentHistogram, nearest
from finitedp.errors import LabelError, ParameterError
from finitedp.impl.histograms.sums import sum_accuracy
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords

CITIES = {"Bern": 900, "Graz": 700, "Lyon": 400}
BITS = SeededWords(1, not_private=True)


def test_a_total_of_labels_and_its_bar() -> None:
    noisy = release(CITIES, epsilon=1, universe=["Bern", "Graz", "Lyon", "Oslo"])
    bar = sum_accuracy(noisy.mechanism, 2, "1/20")
    found = noisy.total(["Lyon", "Bern"])
    assert found.value == noisy["Bern"] + noisy["Lyon"]
    assert (found.low, found.high) == (found.value - bar.above, found.value + bar.below)
    assert (found.beta, found.labels, found.unlisted, found.private) == (mpq(1, 20), 2, 0, True)
    assert str(found) == f"{found.value} rows of 2 labels; {found.low}..{found.high} fails with probability at most 1/20"
    narrow, wide = noisy.total(["Bern", "Graz"], beta="1/2"), noisy.total(["Bern", "Graz"], beta="1/1000")
    assert wide.high - wide.low > narrow.high - narrow.low
    assert str(noisy.total(iter(["Bern"]))).startswith(f"{noisy['Bern']} rows of 1 label; ")


def test_a_range_of_integers_is_the_total_of_its_labels() -> None:
    counts = (np.arange(50) * 37) % 11 * 20
    for universe in (range(50), range(49, -1, -1), [*range(25, 50), *range(25)], range(0, 150, 3), [-(10**30), *range(49)]):
        noisy = release(counts, epsilon=1, universe=universe)
        for low, high in ((0, 0), (3, 17), (-5, 10**40), (46, 48)):
            labels = [label for label in universe if low <= label <= high]
            assert noisy.between(low, high) == noisy.total(labels)


def test_seeded_words_say_so() -> None:
    assert "NOT PRIVATE" in str(release(CITIES, epsilon=1, universe=list(CITIES), words=BITS).total(["Bern"]))


@pytest.mark.parametrize("options", [{"delta": "1/1000000"}, {"kind": "pure-sparse", "universe": Strings(8), "n": 2000}])
def test_labels_that_are_not_listed_are_0_and_may_hide_the_threshold(options: dict[str, Any]) -> None:
    noisy = release({**CITIES, "rare": 1}, epsilon=1, **({"n": 2001} | options | ({"n": 2001})))
    both, one = noisy.total(["Bern", "Oslo"]), noisy.total(["Bern", "Graz"])
    assert (both.value, both.unlisted, one.unlisted) == (noisy["Bern"], 1, 0)
    assert noisy.threshold is not None
    assert (both.high - both.low) - (one.high - one.low) == noisy.threshold
    assert "2 labels, 1 of them not listed" in str(both)
    assert noisy.total(["Oslo"]).low == 0
    listed = evolve(noisy, listed_above=600)
    assert listed.total(["Bern", "Oslo"]).high > both.high + 400


def test_a_range_with_a_threshold_holds_all_integers_between() -> None:
    noisy = release({5: 900, 8: 700}, epsilon=1, delta="1/1000000", n=10**5)
    assert noisy.between(5, 9) == noisy.total(range(5, 10))
    assert (noisy.between(5, 8).unlisted, noisy.between(6, 7).value) == (2, 0)
    whole = noisy.between(0, 2**64)
    assert (whole.value, whole.high) == (noisy[5] + noisy[8], 10**5)
    sparse = release({5: 900, 8: 700}, epsilon=1, kind="pure-sparse", universe=range(2**64))
    assert sparse.between(0, 2**64 - 1).high == sparse.n


def test_of_a_withheld_release_nothing_is_said() -> None:
    noisy = release({5: 900, 8: 700}, epsilon=1, kind="pure-sparse", universe=range(2**64))
    withheld = evolve(noisy, labels=[], counts=noisy.counts[:0], withheld=True)
    assert (withheld.total([5]).low, withheld.total([5]).high) == (0, 1600)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("Bern", "labels = 'Bern' is one label"),
        (b"Bern", "is one label"),
        (7, "labels = 7 is one label"),
        (["Bern", "Graz", "Bern"], "labels holds a label twice"),
        ([], "there is no such label"),
    ],
)
def test_labels_that_are_no_collection_of_them(labels: Any, message: str) -> None:
    for options in ({"universe": list(CITIES)}, {"delta": "1/1000"}):
        with pytest.raises(ParameterError, match=message):
            release(CITIES, epsilon=1, **options).total(labels)


def test_what_is_no_range_and_no_label_of_the_release() -> None:
    noisy = release(CITIES, epsilon=1, universe=list(CITIES))
    with pytest.raises(LabelError, match="'Oslo' is not one of the 3 labels; accepted: labels of the release"):
        noisy.total(["Bern", "Oslo"])
    with pytest.raises(ParameterError, match=r"the labels are text, of which no range is public; accepted: total\(\)"):
        noisy.between(0, 3)
    with pytest.raises(ParameterError, match="beta = 1 "):
        noisy.total(["Bern"], beta=1)
    numbers = release(np.array([1, 2]), epsilon=1)
    for low, high, message in ((2, 1, "high = 1"), (0.0, 1, "low"), (5, 9, "there is no such label")):
        with pytest.raises(ParameterError, match=message):
            numbers.between(low, high)  # type: ignore[arg-type]  # a float is refused


# Counts that sum to the rows


def best(counts: list[int], rows: int) -> list[int]:
    """The nearest, by trying all: of equal ones the largest at the first places."""
    every = (x for x in product(range(rows + 1), repeat=len(counts)) if sum(x) == rows)
    return list(min(every, key=lambda x: (sum((a - b) ** 2 for a, b in zip(x, counts, strict=True)), [-a for a in x])))


@pytest.mark.parametrize("rows", range(8))
def test_the_nearest_counts_by_trying_all(rows: int) -> None:
    for counts in product(range(6), repeat=3):
        assert nearest(np.array(counts, np.int64), rows).tolist() == best(list(counts), rows)


def test_the_nearest_counts_at_the_ends() -> None:
    top = 2**62 - 1
    assert nearest(np.array([top, top, 0]), top).tolist() == [top // 2 + 1, top // 2, 0]
    assert nearest(np.array([0, 0, 0]), top).tolist() == [top // 3] * 3
    assert nearest(np.array([7]), 3).tolist() == [3]
    for rows in (-1, 2**62):
        with pytest.raises(ParameterError, match="rows"):
            nearest(np.array([7]), rows)


def test_consistent_counts_sum_to_the_rows_and_say_what_they_are() -> None:
    noisy = release(CITIES, epsilon="1/2", universe=["Bern", "Graz", "Lyon", "Oslo"])
    found = noisy.consistent()
    assert isinstance(found, ConsistentHistogram)
    assert (found.rows, found.claim, found.labels, len(found)) == (2000, noisy.claim, noisy.labels, 4)
    assert sum(found.as_dict().values()) == 2000
    assert found["Bern"] == dict(found.items())["Bern"]
    assert list(found) == list(found.keys()) == list(noisy)
    assert min(found.counts) >= 0
    said = repr(found)
    assert said.startswith("Post-processed: 4 counts that sum to 2000. The release, and its error bars:\n")
    assert said.endswith(str(noisy))
    with pytest.raises(LabelError, match="'Nice' is not one of the 4 labels"):
        found["Nice"]


def test_where_the_number_of_rows_is_not_public_nothing_is_made_consistent() -> None:
    nulls = pytest.importorskip("polars").DataFrame({"x": ["a", None, "a"]})
    counts = LabelCounts(["a"], np.array([5]), 9)  # rows without a label among them
    unknown: list[NoisyHistogram] = [
        release(CITIES, epsilon=1, universe=list(CITIES), n=2000),
        release(CITIES, epsilon=1, universe=list(CITIES), n=2000, neighbours="add-remove"),
        release(nulls, "x", epsilon=1, universe=["a"], drop_nulls=True),
        release(counts, epsilon=1, universe=["a"]),
        release(CITIES, epsilon=1, delta="1/1000"),
        release(CITIES, epsilon=1, kind="pure-sparse", universe=Strings(8)),
    ]
    for noisy in unknown:
        assert noisy.rows is None
        with pytest.raises(ParameterError, match="the counts are non-negative already, and the number of rows is not public"):
            noisy.consistent()
    assert release(nulls.drop_nulls(), "x", epsilon=1, universe=["a"]).rows == 2
