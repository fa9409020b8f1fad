"""finitedp.release: one call for frames, counts by label and arrays of counts. What engines count is in test_frames."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

import finitedp
from finitedp import DyadicSample, FinitedpError, NoisyHistogram, release
from finitedp.data.columns import parse_universe
from finitedp.data.frames import LabelCounts, counts_of
from finitedp.errors import CoinsError, DataError, ParameterError
from finitedp.impl.histograms.dyadic import stability_histogram_with_dyadic_sample
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import AesCtrWords, ChaCha20Words, SeededWords

COUNTS = {"Bern": 1000, "Lyon": 500, "Graz": 3}
ROWS = [label for label, count in COUNTS.items() for _ in range(count)]
FAR = 80
"""No noise at epsilon = 1 is so large, but with probability below 10^-17."""


def seeded(seed: int = 1) -> SeededWords:
    return SeededWords(seed, not_private=True)


def frames() -> dict[str, Any]:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    narwhals, dask = pytest.importorskip("narwhals"), pytest.importorskip("dask.dataframe", exc_type=ImportError)
    table = arrow.table({"city": ROWS})
    return {
        "dask": dask.from_pandas(pandas.DataFrame({"city": ROWS}), npartitions=2),
        "narwhals": narwhals.from_native(polars.DataFrame({"city": ROWS})),
        "narwhals, lazy": narwhals.from_native(polars.LazyFrame({"city": ROWS})),
        "pandas": pandas.DataFrame({"city": ROWS}),
        "polars": polars.DataFrame({"city": ROWS}),
        "lazy": polars.LazyFrame({"city": ROWS}),
        "pyarrow": table,
        "duckdb": duckdb.from_arrow(table),
    }


# What is released


@pytest.mark.deep
def test_every_engine_mapping_and_array_gives_the_same_release() -> None:
    """On the same words: the labels of a frame are then sorted before noise is drawn."""
    universe, listed = sorted(COUNTS), dict(sorted(COUNTS.items()))
    array = np.array(list(listed.values()))
    every = [release(frame, "city", epsilon=1, universe=universe, words=seeded()) for frame in frames().values()]
    every += [release(listed, epsilon=1, universe=universe, words=seeded())]
    every += [release(Counter(sorted(ROWS)), epsilon=1, universe=universe, words=seeded())]
    every += [release(array, epsilon=1, universe=universe, words=seeded())]
    every += [release(array.astype(np.int32), epsilon=1, universe=np.array(universe), words=seeded())]
    assert {tuple(one.as_dict().items()) for one in every} == {tuple(every[0].as_dict().items())}
    some = [release(frame, "city", epsilon=1, delta="1/1000", words=seeded()) for frame in frames().values()]
    some += [release(listed, epsilon=1, delta="1/1000", words=seeded())]
    some += [release(counts_of(frames()["polars"], "city"), epsilon=1, delta="1/1000", words=seeded())]
    assert {tuple(one.as_dict().items()) for one in some} == {tuple(some[0].as_dict().items())}
    assert list(some[0].as_dict()) == ["Bern", "Lyon"]


def test_without_delta_every_label_of_the_universe_is_released() -> None:
    universe = ["Lyon", "Oslo", "Graz", "Bern"]
    noisy = release(COUNTS, epsilon="2/3", universe=universe)
    assert list(noisy.labels) == universe
    assert noisy.counts.dtype == np.int64
    assert all(abs(count - COUNTS.get(str(label), 0)) < FAR for label, count in noisy.as_dict().items())
    assert noisy.mechanism == DyadicSample(1503, "2/3")
    assert noisy.claim is not None
    assert (noisy.claim.epsilon, noisy.claim.delta) == (mpq(2, 3), mpq(0))
    assert noisy.claim.ratio == noisy.mechanism.table.ratio**2
    assert (noisy.threshold, noisy.accuracy.above, noisy.draws, noisy.n) == (None, -1, 4, 1503)
    assert [noisy.accuracy.per_query.a, noisy.accuracy.simultaneous.a] == [
        noisy.mechanism.accuracy(beta).a for beta in ("1/20", "1/80")
    ]


def test_with_delta_those_above_the_least_threshold() -> None:
    noisy = release(COUNTS, epsilon=1, delta="1/1000000", n=2000)
    assert set(noisy.labels) == {"Bern", "Lyon"}
    made = stability_histogram_with_dyadic_sample(2000, 1, "1/1000000")
    assert (noisy.threshold, noisy.mechanism, noisy.draws) == (made.b, made.mechanism, 2000)
    assert noisy.accuracy.above == noisy.accuracy.per_query.a + made.b
    assert noisy.claim is not None
    assert (noisy.claim.epsilon, noisy.claim.delta) == (mpq(1), mpq(1, 10**6))
    assert made.delta() <= noisy.claim.delta


def test_labels_that_are_released_are_sorted() -> None:
    many = {f"x{i:03d}": 1000 for i in reversed(range(300))}
    noisy = release(many, epsilon=1, delta="1/1000")
    assert list(noisy.labels) == sorted(many)
    integers = release(dict.fromkeys(reversed(range(300)), 1000), epsilon=1, delta="1/1000")
    assert list(integers.labels) == list(range(300))


def test_an_array_without_a_universe_has_the_labels_0_1_2() -> None:
    array, rare = np.array([1000, 0, 1, 700]), f"1/{10**12}"
    assert list(release(array, epsilon=1, universe=None).labels) == [0, 1, 2, 3]
    assert list(release(array, epsilon=1, delta=rare).labels) == [0, 3]
    assert list(release(array, epsilon=1, delta=rare, universe=range(10, 50, 10)).labels) == [10, 40]


def test_nulls_count_for_no_label_or_get_one() -> None:
    frame = pytest.importorskip("polars").DataFrame({"city": ["Bern", None, None] * 300})
    universe = ["Bern", "unknown"]
    dropped = release(frame, "city", epsilon=1, universe=universe, drop_nulls=True)
    assert dropped.n == 900  # dropped rows remain rows
    assert abs(dropped.as_dict()["Bern"] - 300) < FAR > dropped.as_dict()["unknown"]
    named = release(frame, "city", epsilon=1, universe=universe, null_label="unknown")
    assert abs(named.as_dict()["unknown"] - 600) < FAR


def test_the_number_of_words_tells_the_number_of_labels_only_where_that_is_asked_for() -> None:
    padded, short = (release(COUNTS, epsilon=1, delta="1/9", n=2000, padded=padded) for padded in (True, False))
    assert (padded.draws, padded.randomness()["bits"]) == (2000, 2000 * 64)
    assert (short.draws, short.randomness()["draws"], short.randomness()["bits"]) == (None, None, None)
    assert release(COUNTS, epsilon=1, delta="1/9", n=10**12, padded=False).n == 10**12


def test_metadata_is_the_same_for_all_data() -> None:
    """Of one n: neighbouring datasets, many labels and none."""
    for options in ({"delta": "1/9"}, {"delta": "1/9", "padded": False}, {"universe": [f"x{i}" for i in range(9)]}):
        for n in (9, 100):
            every = [{"x0": 9}, {"x0": 8, "x1": 1}, {f"x{i}": 1 for i in range(9)}, {}]
            found = [json.dumps(release(data, epsilon=1, n=n, **options).metadata()) for data in every]
            assert len(set(found)) == 1


def test_the_bits_are_those_that_are_read() -> None:
    class Metered:
        name, total = "metered", 0

        def read(self, size: int) -> bytes:
            self.total += 8 * size
            return bytes(size)

    for word in (20, 64, 100, 128):
        source = Metered()
        noisy = release(COUNTS, epsilon=1, universe=list(COUNTS), word=word, words=source)
        assert noisy.randomness() == {"bits_from": "metered", "word": word, "draws": 3, "bits": source.total}


# A row more or less


@pytest.mark.parametrize("options", [{"universe": sorted(COUNTS)}, {"delta": "1/1000000"}])
def test_a_row_more_or_less_takes_half_the_noise(options: dict[str, Any]) -> None:
    """FD.Dyadic.basic.add-remove, FD.Dyadic.stability.add-remove: the table of 2 epsilon."""
    both = [
        release(COUNTS, epsilon="2/3", n=2000, neighbours=relation, **options) for relation in ("replace-one", "add-remove")
    ]
    replaced, added = both
    claims = [one.claim for one in both if one.claim is not None]
    assert added.mechanism == DyadicSample(2000, "4/3")
    assert [claim.neighbours for claim in claims] == ["replace-one", "add-remove"]
    assert [(claim.epsilon, claim.delta) for claim in claims] == [(mpq(2, 3), one.delta) for one in both]
    assert [one.metadata()["parameters"]["neighbours"] for one in both] == ["replace-one", "add-remove"]
    assert [one.metadata()["parameters"]["epsilon"] for one in both] == ["2/3", "2/3"]
    for one, other in ((one.accuracy.per_query.a, other.accuracy.per_query.a) for one, other in [both]):
        assert 2 * other <= one + 1
    if added.threshold is None or replaced.threshold is None:
        assert claims[1].ratio == added.mechanism.table.ratio
    else:
        assert claims[1].ratio is None
        assert 2 * added.threshold <= replaced.threshold + 2


ADDED: dict[str, dict[str, Any]] = {
    "basic": {"universe": [f"x{i:02d}" for i in range(40)]},
    "stability": {"delta": "1/9"},
    "unpadded": {"delta": "1/9", "padded": False},
    "over a universe": {"delta": "1/9", "universe": Strings(3)},
}


@pytest.mark.parametrize("kind", ADDED)
def test_nothing_but_the_noisy_counts_tells_how_many_rows_there_are(kind: str) -> None:
    """FD.Release.add-remove. Of none, of n, and of more, whose counts are taken for n; of more labels than n, too."""
    every = [{}, {"x00": 1}, {"x00": 20}, {"x00": 21}, {"x01": 10**9}, {f"x{i:02d}": 1 for i in range(40)}]
    every += [{f"x{i:02d}": 30 for i in range(40)}]
    found = [release(data, epsilon=1, n=20, neighbours="add-remove", **ADDED[kind]) for data in every]
    assert len({json.dumps(one.metadata()) for one in found}) == 1
    assert all(0 <= one.counts.min(initial=0) <= one.counts.max(initial=0) <= 20 for one in found)


def test_counts_above_n_are_released_as_n_is() -> None:
    every: list[dict[str, Any]] = [{"universe": ["a", "b"]}, {"delta": "1/9"}]
    for options in every:
        few, many = (
            release(data, epsilon=1, n=60, neighbours="add-remove", words=seeded(), **options)
            for data in ({"a": 60, "b": 60}, {"a": 10**12, "b": 61})
        )
        assert few.as_dict() == many.as_dict()
        assert many.claim is None


@pytest.mark.deep
def test_every_engine_takes_more_rows_than_n_and_none() -> None:
    for name, frame in frames().items():
        few = release(frame, "city", epsilon=1, n=700, delta="1/1000", neighbours="add-remove")
        assert "Bern" in few.labels, name
        assert few.counts.max() <= 700
    polars = pytest.importorskip("polars")
    none = polars.DataFrame({"city": []}, schema={"city": polars.String})
    noisy = release(none, "city", epsilon=1, n=700, universe=["Bern"], neighbours="add-remove")
    assert noisy.as_dict().keys() == {"Bern"}


def test_no_rows_are_a_dataset_where_n_is_given() -> None:
    assert release({}, epsilon=1, universe=["a"], n=100).as_dict()["a"] < FAR
    assert release({}, epsilon=1, delta="1/1000", n=100).as_dict() == {}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_release_becomes_a_frame(backend: str) -> None:
    pytest.importorskip(backend)
    noisy = release(COUNTS, epsilon=1, universe=list(COUNTS))
    frame = noisy.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    again = counts_of(frame, "label").as_dict()
    assert again == dict.fromkeys(sorted(COUNTS), 1)
    assert list(frame["count"].to_pylist() if backend == "pyarrow" else frame["count"]) == noisy.counts.tolist()


# What is said of it


def test_metadata_is_json_and_names_the_source_of_the_words() -> None:
    about = json.loads(json.dumps(release(COUNTS, epsilon="1/2", delta="1/1000", words=AesCtrWords()).metadata()))
    assert about["randomness"] == {
        "bits_from": "AES-256-CTR, keyed by the operating system at every call",
        "word": 64,
        "draws": 1503,
        "bits": 1503 * 64,
    }
    assert about["claim"] == {
        "epsilon": "1/2",
        "delta": "1/1000",
        "neighbours": "replace-one",
        "ratio": None,
        "source": "FD.Dyadic.stability.private",
    }
    assert about["mechanism"] == "StabilityHistogram with DyadicSample"
    excess = DyadicSample(1503, "1/2").table.excess()
    assert excess <= mpq(about["distance_from_geometric"]) < 2 * excess
    assert release(COUNTS, epsilon=1, delta="1/9").metadata()["randomness"]["bits_from"] == "operating system"
    assert release(COUNTS, epsilon=1, delta="1/9", words=ChaCha20Words()).source.startswith("ChaCha20")


def test_a_seeded_release_claims_nothing() -> None:
    noisy = release(COUNTS, epsilon=1, delta="1/1000", words=seeded())
    assert noisy.claim is None
    assert noisy.metadata()["claim"] is None
    assert "NOT private" in noisy.source


def test_every_source_a_release_names_is_in_the_ledger() -> None:
    finitedp_claims = pytest.importorskip("finitedp.proofs_check.claims")
    from finitedp.proofs_check.claims import entries  # after the claims are loaded

    known = set(entries())
    assert finitedp_claims
    for delta in (0, "1/1000"):
        about = release(COUNTS, epsilon=1, delta=delta, universe=list(COUNTS)).metadata()
        assert {about["claim"]["source"], *(a["source"] for a in about["accuracy"])} <= known


def test_numpy_s_integers_and_strings_are_taken() -> None:
    universe = np.array(["Bern", "Lyon", "Graz"])
    noisy = release({np.str_("Bern"): np.int64(1000), "Lyon": 500}, epsilon=1, universe=universe, n=np.int64(2000))  # type: ignore[call-overload]
    assert ([type(label) for label in noisy.labels], noisy.n) == ([str] * 3, 2000)
    assert list(release({np.str_("Bern"): 900, "Lyon": 500}, epsilon=1, delta="1/9").labels) == ["Bern", "Lyon"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_odd_releases(backend: str) -> None:
    """An empty one has a column of text; labels that no column can hold are refused."""
    pytest.importorskip(backend)
    empty = release({}, epsilon=1, delta="1/9", n=9).to_frame(backend)
    assert ("string" in str(empty.schema) or "String" in str(empty.schema)) if backend != "pandas" else len(empty) == 0
    integers = release({7: 900}, epsilon=1, delta="1/9").to_frame(backend)["label"]
    assert (integers.to_pylist() if backend == "pyarrow" else list(integers)) == [7]
    for label in (2**63, "a\udcff"):
        with pytest.raises(ParameterError, match="the labels do not fit into a column"):
            release({label: 900}, epsilon=1, delta="1/9").to_frame(backend)
    mixed = release({"a": 900}, epsilon=1, universe=["a", 1]).to_frame(backend)["label"]
    assert (mixed.to_pylist() if backend == "pyarrow" else list(mixed)) == ["a", "1"]
    with pytest.raises(ParameterError, match="two labels are the same text"):
        release({"1": 900}, epsilon=1, universe=["1", 1]).to_frame(backend)


# What is refused


NOTHING: Any = None


def counted(labels: list[Any], counts: list[Any]) -> LabelCounts:
    return LabelCounts(labels, np.array(counts), 1000)


WRONG: dict[str, tuple[dict[str, Any], type[FinitedpError], str]] = {
    "no universe": ({}, ParameterError, "delta = 0 releases every label, and needs universe, a sequence of them"),
    "strings without delta": ({"universe": Strings(4)}, ParameterError, "delta = 0 releases every label"),
    "text as universe": ({"universe": "a..z"}, ParameterError, "universe is a str; accepted: a sequence of labels, such as"),
    "a set as universe": ({"universe": {"Bern"}}, ParameterError, "universe is a set; accepted"),
    "a set, with delta": ({"universe": {"Bern"}, "delta": "1/9"}, ParameterError, "universe is a set; accepted"),
    "a mapping as universe": ({"universe": COUNTS}, ParameterError, "universe is a dict; accepted"),
    "floats as universe": (
        {"universe": [1.0, 2.0]},
        ParameterError,
        "universe holds 1.0, of type float; accepted: str or int",
    ),
    "bools as universe": ({"universe": [True]}, DataError, "and the universe is of booleans"),
    "bools beside integers": ({"universe": [True, 2]}, ParameterError, "universe holds booleans and integers"),
    "lists in a universe": ({"universe": [["a"]]}, ParameterError, "universe holds ['a'], of type list"),
    "None in a universe": ({"universe": ["a", None]}, ParameterError, "universe holds None"),
    "a long universe": ({"universe": range(2**70), "data": {}, "n": 5}, ParameterError, "with delta = 0: at most 100000000"),
    "no labels": ({"universe": []}, ParameterError, "labels is empty"),
    "a newline in a universe": ({"universe": ["a\nb"]}, DataError, "is outside of the universe a\\nb"),
    "a generator of words": (
        {"delta": "1/9", "words": np.random.default_rng()},
        ParameterError,
        "words is Generator; accepted",
    ),
    "a class of words": ({"delta": "1/9", "words": AesCtrWords}, ParameterError, "words is AesCtrWords; accepted"),
    "the name of words": ({"delta": "1/9", "words": "aes-ctr"}, ParameterError, "words is str; accepted"),
    "n as text": ({"delta": "1/9", "n": "2000"}, ParameterError, "n = '2000' is not an integer"),
    "n as a bool": ({"delta": "1/9", "n": True}, ParameterError, "n = True is not an integer"),
    "negative n": ({"delta": "1/9", "n": -1}, ParameterError, "n = -1 is out of range"),
    "numpy's float": ({"delta": "1/9", "epsilon": np.float64(0.5)}, ParameterError, "for example '1/2'"),
    "a long count": ({"delta": "1/9", "data": {"a": 10**5000}}, DataError, "the count of 'a' is about 2^16609"),
    "a long label": ({"delta": "1/9", "data": {10**5000: 5.5}}, DataError, "the count of about 2^16609 is 5.5"),
    "numpy's labels": ({"delta": "1/9", "data": Counter(np.array([1, 1]))}, DataError, "become ints by .item() or .tolist()"),
    "a masked array": (
        {"data": np.ma.array([6, 5], mask=[False, True])},
        DataError,
        "the counts are a MaskedArray; accepted: a numpy array",
    ),
    "a masked array, with delta": ({"data": np.ma.array([6, 5]), "delta": "1/9"}, DataError, "the counts are a MaskedArray"),
    "float LabelCounts": ({"data": counted(["a", "b"], [5.5, 2.5]), "delta": "1/9"}, DataError, "dtype float64"),
    "LabelCounts twice": ({"data": counted(["a", "a"], [5, 2]), "delta": "1/9"}, DataError, "contradict themselves"),
    "short LabelCounts": ({"data": counted(["a", "b"], [5]), "delta": "1/9"}, DataError, "contradict themselves"),
    "large LabelCounts": ({"data": counted(["a", "b"], [500, 501]), "delta": "1/9"}, DataError, "contradict themselves"),
    "LabelCounts of rows": ({"data": LabelCounts(["a"], np.array([5]), "9"), "delta": "1/9"}, DataError, "rows of type int"),  # type: ignore[arg-type]
    "LabelCounts of nothing": (
        {"data": LabelCounts(NOTHING, np.array([5]), 9), "delta": "1/9"},
        DataError,
        "a sequence of labels",
    ),
    "bytes as universe": ({"universe": b"ab"}, ParameterError, "universe is a bytes; accepted"),
    "more bytes as universe": ({"universe": bytearray(b"ab")}, ParameterError, "universe is a bytearray; accepted"),
    "a number as universe": ({"universe": np.array(5)}, ParameterError, "universe is a ndarray; accepted"),
    "a long range": (
        {"universe": range(10**5000), "delta": "1/9"},
        DataError,
        "the universe is of integers: 0..about 2^16609",
    ),
    "a long integer": ({"universe": [10**5000, "Bern"]}, DataError, "is outside of the universe about 2^16609,Bern"),
    "a long n": ({"delta": "1/9", "n": 10**5000}, ParameterError, "n = about 2^16609 is out of range"),
    "LabelCounts of a list": ({"data": LabelCounts(["a"], [5], 9), "delta": "1/9"}, DataError, "the counts are a list"),  # type: ignore[arg-type]
    "repeated labels": ({"universe": ["a", "a"]}, ParameterError, "labels holds a label twice"),
    "label outside": ({"universe": ["Bern", "Lyon"]}, DataError, "'Graz', in 3 rows, is outside of the universe Bern,Lyon"),
    "outside, with delta": ({"universe": ["Bern", "Lyon"], "delta": "1/9"}, DataError, "'Graz', in 3 rows, is outside"),
    "too long": (
        {"universe": Strings(3), "delta": "1/9"},
        DataError,
        "is outside of the universe of strings of at most 3 bytes",
    ),
    "more rows than n": ({"delta": "1/9", "n": 1502}, DataError, "there are 1503 rows, more than n = 1502"),
    "n of 0": ({"delta": "1/9", "n": 0, "data": {}}, ParameterError, "n = 0 is out of range"),
    "no rows": ({"delta": "1/9", "data": {}}, DataError, "there are no rows; accepted: at least one row, or n"),
    "float epsilon": ({"delta": "1/9", "epsilon": 0.5}, ParameterError, "epsilon = 0.5 is a float"),
    "zero epsilon": ({"delta": "1/9", "epsilon": 0}, ParameterError, "epsilon = 0 is not positive"),
    "delta of 1": ({"delta": 1}, ParameterError, "delta = 1 is out of range"),
    "negative delta": ({"delta": "-1/9"}, ParameterError, "delta = -1/9 is out of range"),
    "float delta": ({"delta": 1e-6}, ParameterError, "is a float"),
    "beta of 0": ({"delta": "1/9", "beta": 0}, ParameterError, "beta = 0 is out of range"),
    "no table": (
        {"delta": "1/9", "n": 2**62 - 1, "word": 64},
        ParameterError,
        "no table of 64 bits exists for n = 4611686018427387903, epsilon = 1/10; accepted: word = 128",
    ),
    "too much padding": ({"delta": "1/9", "n": 10**12}, ParameterError, "accepted: up to 100000000000, or padded = False"),
    "too large for arrays": (
        {"universe": ["Bern", "Lyon", "Graz"], "n": 2**62 - 1, "epsilon": 1},
        ParameterError,
        "is too large for arrays of int64",
    ),
    "no bound for add-remove": (
        {"delta": "1/9", "neighbours": "add-remove"},
        ParameterError,
        "accepted: a public bound of it",
    ),
    "no bound, whatever it is": (
        {"data": {}, "universe": ["a"], "neighbours": "add-remove"},
        ParameterError,
        "a public bound",
    ),
    "no relation of datasets": ({"delta": "1/9", "neighbours": "counts"}, ParameterError, "accepted: add-remove, replace-one"),
    "an unknown relation": ({"delta": "1/9", "neighbours": "one more"}, ParameterError, "neighbours = 'one more' is unknown"),
    "neighbours of an anonymized histogram": (
        {"kind": "anonymized", "n": 2000, "neighbours": "add-remove"},
        ParameterError,
        "neighbours is not for kind = 'anonymized', whose epsilon is for one row more or less",
    ),
    "always empty, by the epsilon asked for": (
        {"delta": "1/1000000", "n": 6, "epsilon": 1, "neighbours": "add-remove"},
        ParameterError,
        "at epsilon = 1 and word",
    ),
    "no table, by the epsilon asked for": (
        {"delta": "1/9", "n": 2**62 - 1, "word": 64, "neighbours": "add-remove"},
        ParameterError,
        "add-remove takes the table of twice epsilon = 1/10: no table of 64 bits exists for n = 4611686018427387903",
    ),
    "float counts": ({"delta": "1/9", "data": {"a": 3.0}}, DataError, "the count of 'a' is 3.0, of type float"),
    "bool counts": ({"delta": "1/9", "data": {"a": True}}, DataError, "the count of 'a' is True, of type bool"),
    "negative counts": ({"delta": "1/9", "data": {"a": -1}}, DataError, "the count of 'a' is -1; accepted: counts from 0"),
    "tuple labels": ({"delta": "1/9", "data": {("a", 1): 2, "a": 3}}, DataError, "the label 'a' is no tuple of 2 values"),
    "mixed labels": ({"delta": "1/9", "data": {"a": 5, 1: 5}}, DataError, "the labels are of the types int and str"),
    "a list": ({"delta": "1/9", "data": ["a", "b"]}, ParameterError, "such as collections.Counter(rows), or a numpy array"),
    "a path": ({"delta": "1/9", "data": "big.parquet"}, ParameterError, "data is a str; accepted: a data frame"),
    "an unknown engine": ({"delta": "1/9", "data": object(), "column": "x"}, ParameterError, "which no known engine has"),
    "an array of floats": ({"data": np.array([1.0, 2.0])}, DataError, "dtype float64; accepted: one row of integers"),
    "a matrix": ({"data": np.ones((2, 2), int)}, DataError, "the array has shape (2, 2)"),
    "large unsigned": ({"data": np.ones(2, np.uint64)}, DataError, "dtype uint64"),
    "negative in an array": ({"data": np.array([1, -2])}, DataError, "the count at place 1 is negative"),
    "another length": ({"data": np.array([1, 2]), "universe": "abc".split()}, DataError, "the array has 2 counts"),
    "an array, strings": ({"data": np.array([1, 2]), "universe": Strings(2), "delta": "1/9"}, DataError, "one for each label"),
    "a column of counts": ({"delta": "1/9", "column": "x"}, ParameterError, "are for data frames, not for counts"),
    "nulls of counts": ({"delta": "1/9", "drop_nulls": True}, ParameterError, "are for data frames, not for counts"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_clear_line(name: str) -> None:
    changed, kind, message = WRONG[name]
    with pytest.raises(kind) as caught:
        release(**{"data": COUNTS, "epsilon": "1/10", **changed})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"column": None}, ParameterError, "column is missing; accepted: the name of the frame's column"),
        ({"column": "town"}, DataError, "no column 'town'; its columns are city, income"),
        ({"column": "income"}, DataError, "is of type Float64; accepted: strings, integers, booleans or dates; convert with"),
        ({"n": 2}, DataError, "more than n = 2"),
        ({}, DataError, "holds 1 nulls in 3 rows; accepted: none, or drop_nulls"),
    ],
)
def test_wrong_frames(given: dict[str, Any], kind: type[FinitedpError], message: str) -> None:
    frame = pytest.importorskip("polars").DataFrame({"city": ["Bern", None, "Lyon"], "income": [1.0, 2.0, 3.0]})
    with pytest.raises(kind) as caught:
        release(frame, **{"column": "city", "epsilon": 1, "delta": "1/9", **given})
    assert message in str(caught.value)


def test_unknown_backend() -> None:
    with pytest.raises(ParameterError, match="backend = 'excel' is unknown; accepted: pandas, polars, pyarrow"):
        release(COUNTS, epsilon=1, universe=list(COUNTS)).to_frame("excel")


def test_series_and_arrays_of_any_package_are_universes() -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    labels = ["Bern", "Lyon", "Graz"]
    odd = pandas.Series(labels, index=["columns", "x", "y"])
    for universe in (arrow.array(labels), arrow.table({"x": labels})["x"], odd, pandas.Index(labels), np.array(labels)):
        assert list(release(COUNTS, epsilon=1, universe=universe).labels) == labels
    names, counts = np.unique(ROWS, return_counts=True)
    noisy = release(LabelCounts(names, counts, counts.sum()), epsilon=1, universe=labels)  # type: ignore[arg-type]
    assert abs(noisy.as_dict()["Bern"] - 1000) < FAR


def test_a_frame_is_no_universe() -> None:
    frame = pytest.importorskip("polars").DataFrame({"city": ["Bern"]})
    with pytest.raises(ParameterError, match="universe is a DataFrame; accepted: a sequence of labels"):
        release(COUNTS, epsilon=1, universe=frame)
    assert list(release({"Bern": 5}, epsilon=1, universe=frame["city"]).labels) == ["Bern"]


@pytest.mark.parametrize("given", ["text", None, [1, 2]])
def test_a_source_that_gives_no_bytes_is_named(given: Any) -> None:
    class Odd:
        name = "odd"

        def read(self, _size: int) -> Any:
            return given

    with pytest.raises(CoinsError, match=rf"gave a {type(given).__name__} where 8 bytes were asked for"):
        release({"a": 5}, epsilon=1, universe=["a"], words=Odd())


def test_a_source_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(CoinsError, match="pip install cryptography"):
        AesCtrWords()


def test_a_universe_may_come_from_text_and_the_face_has_the_names() -> None:
    universe = parse_universe("Bern,Lyon,Graz")
    assert isinstance(release(COUNTS, epsilon=1, universe=universe), NoisyHistogram)
    assert {"release", "NoisyHistogram", "DyadicSample"} <= set(finitedp.__all__)
    assert Path(finitedp.__file__).name == "__init__.py"


@pytest.mark.parametrize("delta", [1, "1/1", "3/2", "-1/10"])
def test_a_delta_outside_of_its_range_is_refused(delta: Any) -> None:
    """With delta = 1 nothing would be promised."""
    with pytest.raises(ParameterError, match=r"delta = .* is out of range; accepted: a rational in \[0, 1\)"):
        release(COUNTS, epsilon=1, delta=delta)


SAME_BYTES = json.loads('"\\udcc3\\udca9"')  # as those of an e with an acute accent


@pytest.mark.parametrize("kind", [{"kind": "pure-sparse"}, {"kind": "pure-sparse", "skewed": True}, {"delta": "1/1000"}])
def test_a_text_that_does_not_come_back_from_its_bytes_is_refused(kind: Any) -> None:
    for counts in ({"\u00e9": 900, SAME_BYTES: 1}, {SAME_BYTES: 901}):
        with pytest.raises(DataError, match=r"column 'label': .*udcc3.udca9.*; accepted: text, or bytes made a str by"):
            release(counts, epsilon=4, universe=Strings(4), **kind)
    noisy = release({"\u00e9": 900, "e\u0301": 901, "\udcc3": 902, "\0": 903}, epsilon=4, universe=Strings(4), **kind)
    assert {x: abs(c - 900) < FAR for x, c in noisy.as_dict().items() if c > FAR} == dict.fromkeys(
        ["\0", "e\u0301", "\u00e9", "\udcc3"], True
    )


def test_as_many_rows_as_labels_are_released_pure_sparsely() -> None:
    """Five-digit codes of 100,000 people."""
    counts = dict.fromkeys(range(0, 10**5, 100), 100)
    noisy = release(counts, kind="pure-sparse", epsilon=1, universe=range(10**5), n=10**5)
    assert abs(noisy.as_dict()[0] - 100) < FAR
    assert noisy.claim is not None
    assert (noisy.claim.epsilon, noisy.claim.delta) == (mpq(1), mpq(0))
    with pytest.raises(ParameterError, match="has 99999 labels, fewer than n = 100000 rows; accepted: basic"):
        release({1: 1}, kind="pure-sparse", epsilon=1, universe=range(99_999), n=10**5)
