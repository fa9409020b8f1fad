"""finitedp.statistic: one call for frames of every engine, counts by value and arrays of counts."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp import FlexibleAccuracy, FlexibleAnswer, statistic
from finitedp.data.statistics import ON_THE_LINE, prepared, separator
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.impl.flexible.bulk import apply_array
from finitedp.impl.flexible.statistics import NAMES
from finitedp.impl.randomness.words import SeededWords
from finitedp.numbers import shown

ROWS = [0] * 900 + [3] * 300 + [7] * 200 + [9]
TERMS: dict[str, Any] = {"universe": (0, 9), "epsilon": 1, "delta": "1/1000"}


def seeded(seed: int = 1) -> SeededWords:
    return SeededWords(seed, not_private=True)


def frames() -> dict[str, Any]:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    narwhals, dask = pytest.importorskip("narwhals"), pytest.importorskip("dask.dataframe", exc_type=ImportError)
    table = arrow.table({"visits": ROWS})
    return {
        "dask": dask.from_pandas(pandas.DataFrame({"visits": ROWS}), npartitions=2),
        "narwhals": narwhals.from_native(polars.DataFrame({"visits": ROWS})),
        "pandas": pandas.DataFrame({"visits": ROWS}),
        "polars": polars.DataFrame({"visits": ROWS}),
        "lazy": polars.LazyFrame({"visits": ROWS}),
        "pyarrow": table,
        "duckdb": duckdb.from_arrow(table),
    }


def test_every_engine_mapping_and_array_gives_the_same_answer() -> None:
    array = np.bincount(ROWS, minlength=10)
    answers = [statistic(frame, "visits", "support", words=seeded(), **TERMS) for frame in frames().values()]
    answers += [statistic(data, name="support", words=seeded(), **TERMS) for data in (Counter(ROWS), array)]
    assert len({answer.value for answer in answers}) == 1
    assert set(answers[0].value) <= {0, 3, 7, 9}
    assert {answer.claim for answer in answers} == {None}  # a seed is not private


@pytest.mark.parametrize("word", [64, 16, 128])
def test_the_answer_is_that_of_the_noisy_counts(word: int) -> None:
    found = statistic(Counter(ROWS), name="range", word=word, words=seeded(3), **TERMS)
    histogram, counts = found.mechanism.histogram, np.bincount(ROWS, minlength=10)
    assert histogram.word == word
    if word == 64:
        drawn = np.frombuffer(seeded(3).read(80), "<u8").astype(np.uint64)
        assert found.value == found.mechanism.answer(apply_array(histogram, counts, drawn).tolist())
    assert found.value in (7, 9)  # the only row at 9 may be left out, 200 at 7 may not


def test_claims() -> None:
    found = statistic(Counter(ROWS), name="max", **TERMS)
    q = found.mechanism.histogram.q
    assert isinstance(found, FlexibleAnswer)
    assert found.claim is not None
    assert found.claim.epsilon == 1
    assert found.claim.neighbours == "add-remove"
    assert found.claim.delta == found.mechanism.histogram.table.delta <= mpq(1, 1000)
    assert found.accuracy == FlexibleAccuracy("max", 0, 0, 9 * (q - 1), source="FD.Shifted.extreme")
    assert found.accuracy.share(9000 * (q - 1)) == mpq(1, 1000)
    assert str(found) == f"max = {found.value} [(1, {shown(found.claim.delta, 12)})-private, add-remove]. {found.sentence()}"
    assert str(statistic(Counter(ROWS), name="max", words=seeded(), **TERMS)).startswith("max = 7 [NOT PRIVATE]. As if ")
    assert found.sentence() == f"As if at most {9 * (q - 1)} of the rows had been left out, and then exactly."
    assert json.loads(json.dumps(found.metadata()))["accuracy"]["dropped"] == 9 * (q - 1)


def test_rows_and_gamma_follow_from_each_other() -> None:
    likely = statistic(Counter(ROWS), name="max", gamma="1/100", **TERMS).accuracy
    sure = statistic(Counter(ROWS), name="max", **TERMS).accuracy
    assert likely.dropped is not None
    assert sure.dropped is not None
    assert likely.dropped < sure.dropped
    back = statistic(Counter(ROWS), name="max", dropped=likely.dropped, **TERMS).accuracy
    assert back.gamma <= mpq(1, 100)
    assert statistic(Counter(ROWS), name="max", dropped=likely.dropped - 1, **TERMS).accuracy.gamma > mpq(1, 100)
    assert statistic(Counter(ROWS), name="max", dropped=sure.dropped, **TERMS).accuracy.gamma == 0


@pytest.mark.parametrize("name", sorted(set(ON_THE_LINE) - {"max", "min"}))
@pytest.mark.parametrize("gamma", ["0", "1/1000", "1/2"])
def test_gamma_of_the_rows_is_no_more_than_the_gamma_that_gave_them(name: str, gamma: str) -> None:
    options: dict[str, Any] = {"k": 3} if name == "max-k" else {"p": "1/3"} if name == "quantile" else {}
    mechanism = prepared(name, (0, 20), 1, "1/1000", **options)
    claimed = mechanism.accuracy(gamma)
    assert mechanism.accuracy(dropped=claimed.dropped).gamma <= mpq(gamma)


def test_replacing_a_row_takes_a_longer_table() -> None:
    plain, replaced = (prepared("max", range(10), 1, "1/1000", neighbours=x) for x in ("add-remove", "replace-one"))
    assert replaced.histogram.q > plain.histogram.q
    assert replaced.claim().neighbours == "replace-one"


def test_the_separator_is_the_only_one_that_needs_more_than_a_column() -> None:
    assert set(NAMES) - set(ON_THE_LINE) == {"separator"}
    with pytest.raises(ParameterError, match="needs labels beside the values"):
        statistic({0: 5}, name="separator", universe=(0, 9), epsilon=1, delta="1/1000")


def test_a_separator_of_counts_of_values_with_labels() -> None:
    counts = {(2, False): 400, (5, True): 400, (8, True): 1}
    found = separator(counts, universe=(0, 9), epsilon=1, delta="1/1000", words=SeededWords(1, not_private=True))
    assert found.value == mpq(7, 2)
    assert (found.mechanism.histogram.bars, found.claim) == (20, None)
    assert separator(counts, universe=(0, 9), epsilon=1, delta="1/1000").claim is not None
    coarse = separator(counts, universe=(0, 9), epsilon=1, delta="1/1000", beta=1)
    assert coarse.mechanism.histogram.bars == 8
    assert coarse.accuracy.beta == 1
    assert separator({(2, True): 0}, universe=(0, 9), epsilon=1, delta="1/1000").value == 0
    with pytest.raises(DataError, match="outside of the universe"):
        separator({(12, True): 1}, universe=(0, 9), epsilon=1, delta="1/1000")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"universe": ["a", "b"]}, "needs an order"),
        ({"universe": range(0, 10, 2)}, "gaps"),
        ({"universe": range(0)}, "is empty"),
        ({"universe": (0, 10**9)}, "more than 10000000"),
        ({"universe": (0, 5)}, "outside"),
        ({"epsilon": 0.5}, "is a float"),
        ({"delta": 0}, "delta = 0"),
        ({"delta": mpq(1, 2**70)}, "accepted: word = 128"),
        ({"beta": "1/3"}, "half a step"),
        ({"name": "mode", "beta": 1}, "accepted: beta = 0"),
        ({"name": "maximum"}, "accepted: max"),
        ({"name": "quantile"}, "p with quantile alone"),
        ({"gamma": 0, "dropped": 3}, "one of them"),
        ({"dropped": -1}, "dropped = -1"),
        ({"neighbours": "counts"}, "not a relation on datasets"),
        ({"words": SeededWords}, "accepted: a source"),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FinitedpError, match=message) as caught:
        statistic(Counter(ROWS), **(TERMS | change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_no_rows_are_neighbours_of_one_row_and_have_the_public_answer(neighbours: str) -> None:
    """FD.Statistic.private: a refusal would tell no rows from one."""
    wanted = {"min": 9, "support": (), "range": 0, "iqr": 0}
    for name in ON_THE_LINE:
        more: Any = {"max-k": {"k": 2}, "quantile": {"p": "1/3"}}.get(name, {})
        for none in (np.zeros(10, np.int64), {}, {3: 0}):
            found = statistic(none, name=name, neighbours=neighbours, **more, **TERMS)
            one = statistic({4: 1}, name=name, neighbours=neighbours, **more, **TERMS)
            assert found.value == found.mechanism.default == wanted.get(name, 0)
            assert json.dumps(found.metadata() | {"value": ""}) == json.dumps(one.metadata() | {"value": ""})


def test_frames_without_rows_have_it_too() -> None:
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    for frame in (
        polars.DataFrame({"visits": []}, schema={"visits": polars.Int64}),
        polars.LazyFrame({"visits": []}, schema={"visits": polars.Int64}),
        arrow.table({"visits": arrow.array([], arrow.int64())}),
        pandas.DataFrame({"visits": pandas.Series([], dtype="int64")}),
    ):
        assert statistic(frame, "visits", **TERMS).value == 0
