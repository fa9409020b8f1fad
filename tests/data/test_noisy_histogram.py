"""What finitedp.release gives as an object, series as columns, and that its short ways give what the long ones gave."""

import hashlib
import sys
from collections import Counter
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from finitedp import release
from finitedp.data.frames import LabelCounts
from finitedp.data.value.shown import MOST_SHOWN
from finitedp.errors import DataError, LabelError, ParameterError
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords
from tests.sampling import sampled

MANY = (np.arange(70_001) * 7919) % 1000
NAMED = {f"x{i}": int(count) for i, count in enumerate(MANY[:3000])}
BACKWARDS = list(NAMED)[::-1]
GIVEN: dict[str, tuple[dict[str, Any], str]] = {  # on the words of seed 1, with the digest of what was released before
    "array, 64 bits": ({"data": MANY, "epsilon": "1/10", "word": 64}, "b1a0d299b72e789b"),
    "array, 100 bits": ({"data": MANY, "epsilon": "1/10", "word": 100}, "73ed0b5e9c18fd83"),
    "array, 128 bits": ({"data": MANY, "epsilon": "1/10", "word": 128}, "73ed0b5e9c18fd83"),
    "array, 192 bits": ({"data": MANY, "epsilon": "1/10", "word": 192}, "818508829430fe97"),
    "array, delta": ({"data": MANY, "epsilon": 1, "delta": "1/1000", "n": 10**8, "padded": False}, "77e1138f4f5aa3cf"),
    "array, labels": ({"data": MANY[:3000], "epsilon": 1, "universe": list(NAMED)}, "bed601f35b111f75"),
    "counts": ({"data": NAMED, "epsilon": 1, "universe": BACKWARDS}, "65ff3ec160780668"),
    "counts of a range": ({"data": {5: 7, 2: 900, 8: 0}, "epsilon": 1, "universe": range(8, -1, -3)}, "a65380653743d438"),
    "counts, delta": ({"data": NAMED, "epsilon": 1, "delta": "1/1000", "universe": Strings(9)}, "d31610b77ba7b096"),
    "counts, delta, listed": (
        {"data": NAMED, "epsilon": 1, "delta": "1/1000", "universe": BACKWARDS, "padded": False},
        "d31610b77ba7b096",
    ),
    "pure sparse": ({"data": NAMED, "epsilon": 1, "kind": "pure-sparse", "universe": Strings(9)}, "678c70da92a64d07"),
}


@pytest.mark.parametrize("name", sampled(GIVEN, 4))
def test_the_same_words_give_the_same_release_as_before(name: str) -> None:
    given, digest = GIVEN[name]
    noisy = release(**given, words=SeededWords(1, not_private=True))
    assert hashlib.sha256(repr(list(noisy.as_dict().items())).encode()).hexdigest()[:16] == digest


# Labels that are listed


class Grade(IntEnum):
    GOOD = 1


@pytest.mark.parametrize(
    ("universe", "message"),
    [
        (["a", "b", "a"], "labels holds a label twice"),
        ([1, Grade.GOOD], "labels holds a label twice"),
        ([1, True], "universe holds booleans and integers"),
        (np.array([0, 1, False, "a"], dtype=object), "universe holds False, of type bool"),
        (np.array(["a", "b", "a"], dtype=object), "labels holds a label twice"),
        (np.array(["a", np.str_("a")], dtype=object), "labels holds a label twice"),
        (np.array(["a", 1.0], dtype=object), "universe holds 1.0, of type float"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"delta": "1/9"}, {"kind": "pure-sparse", "n": 10}])
def test_listed_labels_that_are_one_are_refused(universe: Any, message: str, options: dict[str, Any]) -> None:
    if options.get("kind") and "twice" in message:
        message = "holds a label twice"
    for data in ({"b": 3}, np.array([3] * len(universe))):
        with pytest.raises(ParameterError, match=message):
            release(data, epsilon=1, universe=universe, **options)


def test_labels_that_are_equal_and_not_the_same() -> None:
    """1, True and Grade.GOOD are equal: the first and the last are one label; the text 1 is another."""
    noisy = release({Grade.GOOD: 900, 2: 300}, epsilon=1, universe=[2, "1", 1])
    assert [abs(noisy[label] - count) < 80 for label, count in ((2, 300), ("1", 0), (1, 900))] == [True] * 3
    with pytest.raises(DataError, match="the label True is of type bool"):
        release({True: 900}, epsilon=1, universe=[1])
    assert release({1: 500}, epsilon=1, universe=range(2))[1] > 400
    assert release({Grade.GOOD: 500}, epsilon=1, universe=range(2))[1] > 400


def test_a_long_universe_of_python_s_objects() -> None:
    labels = np.array([f"x{i}" if i % 2 else i for i in range(50_000)], dtype=object)
    noisy = release({"x1": 900, 2: 800, "x49999": 700}, epsilon=1, universe=labels)
    heavy = {label: count for label, count in noisy.items() if count > 300}
    assert list(heavy) == ["x1", 2, "x49999"]
    with pytest.raises(DataError, match="the array has shape"):
        release(np.array([5, 6], dtype=object), epsilon=1)


def test_counts_are_placed_once_each() -> None:
    """Also where the labels are not as they should be."""
    with pytest.raises(DataError, match="two labels have one place"):
        LabelCounts([1, Grade.GOOD], np.array([2, 3]), 5).dense([0, 1])
    with pytest.raises(DataError, match="two labels have one place"):
        LabelCounts([1, Grade.GOOD], np.array([2, 3]), 5).dense(range(2))
    with pytest.raises(ParameterError, match="labels holds a label twice"):
        LabelCounts([1, 2], np.array([5, 7]), 12).dense([1, 1])
    assert LabelCounts([1], np.array([5]), 5).dense([1, 1]).tolist() == [5, 0]
    found = LabelCounts(["a", "b"], np.array([5, 7]), 12)
    dense = found.dense(found.labels)
    dense[0] = 0
    assert found.counts.tolist() == [5, 7]


def test_a_count_of_0_may_be_of_a_label_that_is_not_in_the_universe() -> None:
    for universe in (["a", "b"], range(3)):
        data: Any = {universe[0]: 900, "other" if universe == ["a", "b"] else 99: 0}
        assert list(release(data, epsilon=1, universe=universe)) == list(universe)


def test_a_mapping_is_left_as_it_is() -> None:
    data = Counter({"a": 900, "b": 0, "c": 3})
    release(data, epsilon=1, universe=["c", "b", "a"])
    plain = dict(data)
    release(plain, epsilon=1, universe=["c", "b", "a"])
    assert plain == data == {"a": 900, "b": 0, "c": 3}


# As a mapping


def test_a_release_is_a_mapping_from_labels_to_counts() -> None:
    for noisy in (
        release(NAMED, epsilon=1, universe=BACKWARDS),
        release(MANY, epsilon=1),
        release({"a": 2}, epsilon=1, delta="1/9", n=90),
    ):
        assert len(noisy) == len(noisy.labels) == len(noisy.counts)
        assert list(noisy) == list(noisy.keys()) == list(noisy.labels)
        assert dict(noisy) == dict(noisy.items()) == noisy.as_dict()
        assert [noisy[label] for label in list(noisy)[:50]] == noisy.counts[:50].tolist()
        assert all(type(noisy[label]) is int for label in list(noisy)[:5])
        assert all(label in noisy for label in list(noisy)[-50:])
        assert "other" not in noisy


def test_a_label_that_is_not_released_is_a_key_error_in_plain_words() -> None:
    every = release({"a": 2}, epsilon=1, universe=["a", "b"])
    with pytest.raises(KeyError) as caught:
        every["c"]
    assert isinstance(caught.value, LabelError)
    assert str(caught.value) == "'c' is not one of the 2 labels; accepted: a label of the release"
    with pytest.raises(LabelError, match="'c' is not released, and has count 0"):
        release({"a": 900}, epsilon=1, delta="1/9")["c"]


# Printed


def test_a_release_is_printed_as_a_small_table() -> None:
    noisy = release({"yes": 600, "no": 400}, epsilon="1/2", universe=["yes", "no", "unsure"])
    head, *rows, claim = str(noisy).splitlines()
    assert head.split() == ["label", "count", "error", "bar"]
    assert [row.split() for row in rows] == [
        [label, str(count), "{}..{}".format(*noisy.bars().bar(count))] for label, count in noisy.items()
    ]
    assert claim.startswith(
        "(1/2, 0)-differentially private (replace-one, n = 1000); an error bar fails with probability at most 1/20"
    )
    assert repr(noisy) == str(noisy)


@pytest.mark.parametrize("size", [MOST_SHOWN, MOST_SHOWN + 1, 10**6])
def test_of_many_labels_the_first_and_the_last_are_printed(size: int) -> None:
    text = str(release(np.zeros(size, np.int64), epsilon=1, n=1000))
    shown = [line.split()[0] for line in text.splitlines()[1:-1]]
    half = MOST_SHOWN // 2
    assert shown[:half] == [str(i) for i in range(half)]
    assert shown[-half:] == [str(i) for i in range(size - half, size)]
    left_out = [line for line in text.splitlines() if line.startswith("...")]
    assert left_out == ([] if size == MOST_SHOWN else [f"... {size - MOST_SHOWN:,} more"])
    assert len(text.splitlines()) <= 20


def test_hostile_labels_stay_in_their_cells() -> None:
    labels: list[Any] = ["<script>alert(1)</script>", "a\nb", "\x1b[31m", "\udcff", '"', "x" * 1000, 10**5000]
    noisy = release({}, epsilon=1, n=10, universe=labels)
    assert len(str(noisy).splitlines()) == len(labels) + 2
    assert str(noisy).isprintable() or "\x1b" not in str(noisy)
    assert max(map(len, str(noisy).splitlines()[:-1])) < 70
    page = noisy._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert page.count("<tr>") == len(labels) + 1


def test_what_is_printed_of_no_labels_of_seeds_and_of_thresholds() -> None:
    none = str(release({"a": 2}, epsilon=1, delta="1/1000", n=100))
    assert none.splitlines()[0] == "no label is released"
    assert none.endswith("; a label that is not listed has count 0")
    assert "NOT PRIVATE" in str(release({"a": 2}, epsilon=1, universe=["a"], words=SeededWords(1, not_private=True)))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_the_error_bars(backend: str) -> None:
    pytest.importorskip(backend)
    noisy = release(NAMED, epsilon=1, delta="1/1000")
    frame = noisy.to_frame(backend)
    assert list(frame.column_names if backend == "pyarrow" else frame.columns) == ["label", "count", "low", "high"]
    low, high = (frame[name].to_pylist() if backend == "pyarrow" else list(frame[name]) for name in ("low", "high"))
    assert list(zip(low, high, strict=True)) == [noisy.bars().bar(count) for count in noisy.counts.tolist()]


# Series


ROWS = ["Bern", "Lyon", "Bern", "Graz"] * 300


def series(values: list[Any]) -> dict[str, Any]:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    narwhals, dask = pytest.importorskip("narwhals"), pytest.importorskip("dask.dataframe", exc_type=ImportError)
    return {
        "pandas": pandas.Series(values),
        "a pandas column": pandas.DataFrame({"x": values, "y": values})["x"][::-1],
        "polars": polars.Series(values),
        "polars, named": polars.Series("^x$", values),
        "pyarrow": arrow.array(values),
        "pyarrow, chunked": arrow.chunked_array([values[:7], values[7:]]),
        "narwhals": narwhals.from_native(polars.Series(values), series_only=True),
        "dask": dask.from_pandas(pandas.Series(values), npartitions=2),
    }


def test_a_series_of_any_package_is_a_column() -> None:
    for name, one in series(ROWS).items():
        noisy = release(one, epsilon=1, universe=["Graz", "Bern", "Lyon", "Oslo"])
        assert [abs(count - true) < 80 for count, true in zip(noisy.counts.tolist(), (300, 600, 300, 0), strict=True)] == [
            True
        ] * 4, name
        assert noisy.n == len(ROWS)
        assert list(release(one, epsilon=1, delta="1/1000")) == ["Bern", "Graz", "Lyon"]
    for one in series([3, 5, 3] * 300).values():
        assert abs(release(one, epsilon=1, universe=range(7))[3] - 600) < 80
    nulls = pytest.importorskip("polars").Series(["Bern", None] * 300)
    assert release(nulls, epsilon=1, universe=["Bern"], drop_nulls=True).n == 600
    with pytest.raises(DataError, match="holds 300 nulls"):
        release(nulls, epsilon=1, universe=["Bern"])
    assert release(series(ROWS)["pandas"], kind="anonymized", epsilon=1, n=2000).n == 2000


def test_a_series_of_counts_is_not_taken_for_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    by_label = pandas.Series(ROWS).value_counts()
    for counts in (by_label, pandas.Series({"Bern": 600, "Lyon": 300}), by_label.reset_index(drop=True).rename_axis("city")):
        for options in ({"delta": "1/1000"}, {"universe": range(1000)}, {"universe": ["Bern", "Lyon"], "n": 10**4}):
            with pytest.raises(
                ParameterError, match=r"integers, which may be counts: its index has labels; accepted: .*to_dict"
            ):
                release(counts, epsilon=1, **options)
    for name, counts in series([600, 300, 300]).items():
        with pytest.raises(ParameterError, match="which may be counts: no universe says what they are"):
            release(counts, epsilon=1, delta="1/1000")
        with pytest.raises(DataError, match=r"holds integers, as|is outside of the universe"):
            release(counts, epsilon=1, universe=["Bern", "Lyon", "Graz"])
        with pytest.raises(DataError, match="is outside of the universe"):
            release(counts, epsilon=1, universe=range(3))
        assert name
    assert abs(release(by_label.to_dict(), epsilon=1, universe=["Bern", "Lyon", "Graz"])["Bern"] - 600) < 80
    assert len(release(by_label.to_numpy(), epsilon=1)) == 3


def test_a_series_has_no_column() -> None:
    with pytest.raises(ParameterError, match="column is for data frames: a series is a column; accepted: no column"):
        release(series(ROWS)["pandas"], "x", epsilon=1, universe=["Bern"])


# Pictures


def test_a_picture_has_a_bar_and_an_error_bar_for_each_label() -> None:
    pytest.importorskip("matplotlib")
    noisy = release({"yes": 600, "no": 400}, epsilon="1/2", universe=["yes", "no", "unsure"])
    axes = noisy.plot()
    bars, errors = axes.containers[1], axes.containers[0]
    assert [bar.get_height() for bar in bars] == noisy.counts.tolist()
    ends = [tuple(end[1] for end in segment) for segment in errors[2][0].get_segments()]
    assert ends == [noisy.bars().bar(count) for count in noisy.counts.tolist()]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["yes", "no", "unsure"]
    assert axes.get_title().startswith("(1/2, 0)-differentially private (replace-one, n = 1000); an error bar fails")
    assert noisy.plot(axes) is axes


def test_of_many_labels_the_largest_are_drawn_and_it_is_said() -> None:
    pytest.importorskip("matplotlib")
    noisy = release(np.arange(300) % 7 * 1000, epsilon=1)
    axes = noisy.plot(most=20)
    shown = [int(text.get_text()) for text in axes.get_xticklabels()]
    assert len(shown) == 20
    assert shown == sorted(shown)
    assert min(noisy[label] for label in shown) >= max(count for label, count in noisy.items() if label not in shown)
    assert axes.get_title().endswith("; 280 labels of lower counts are not shown")
    with pytest.raises(ParameterError, match="most = 0"):
        noisy.plot(most=0)


def test_labels_in_a_picture_are_text_and_nothing_is_a_picture_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    labels: list[Any] = ["$\\frac$", "a\nb", "\udcff", "x" * 1000, 10**5000]
    axes = release({}, epsilon=1, n=10, universe=labels).plot()
    axes.figure.savefig(tmp_path / "labels.png")
    assert [text.get_text() for text in axes.get_xticklabels()][:3] == ["$\\frac$", "a\\nb", "\\xff"]
    assert max(len(text.get_text()) for text in axes.get_xticklabels()) == 20
    nothing = release({"a": 2}, epsilon=1, delta="1/1000", n=100, words=SeededWords(1, not_private=True)).plot()
    nothing.figure.savefig(tmp_path / "nothing.png")
    assert "NOT PRIVATE" in nothing.get_title()


def test_without_matplotlib_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ParameterError, match="matplotlib is not installed; accepted: pip install matplotlib"):
        release({"a": 2}, epsilon=1, universe=["a"]).plot()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "options",
    [
        {"universe": range(5)},
        {"universe": range(5), "n": 3000, "neighbours": "add-remove"},
        {"delta": "1/1000", "n": 3000, "neighbours": "add-remove"},
        {"kind": "pure-sparse", "universe": range(2**40)},
        {"kind": "pure-sparse", "universe": range(2**40), "skewed": True},
    ],
)
def test_the_bars_of_a_frame_hold_the_true_counts_of_all_kinds(backend: str, options: dict[str, Any]) -> None:
    pytest.importorskip(backend)
    true = {1: 900, 3: 700}
    noisy = release(true, epsilon=1, beta="1/1000000000", **options)
    frame = noisy.to_frame(backend)
    rows = frame.to_pylist() if backend == "pyarrow" else frame.to_dict("records") if backend == "pandas" else frame.to_dicts()
    assert [(row["label"], row["count"]) for row in rows] == list(noisy.items())
    assert all(row["low"] <= true.get(row["label"], 0) <= row["high"] for row in rows)
    assert all(0 <= row["low"] <= row["count"] <= row["high"] <= noisy.n for row in rows)
