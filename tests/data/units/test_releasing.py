"""finitedp.release and finitedp release with a unit: what is claimed, what is said, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp import NoisyHistogram, release
from finitedp.claim import PrivacyClaim
from finitedp.cli.main import main
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.universe import Strings
from finitedp.units import Unit

polars = pytest.importorskip("polars")

FRAME = polars.DataFrame({"who": [i // 4 for i in range(2000)], "x": ["a", "b", "a", "c"] * 500})
ASKED: dict[str, Any] = {"unit": "who", "epsilon": "1/2", "n": 2000}


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("delta", [0, "1/100000"])
def test_the_claim_is_of_the_whole_unit(relation: Any, delta: Any) -> None:
    options = {"delta": delta, **({} if delta else {"universe": ["a", "b", "c"]})}
    noisy = release(FRAME, "x", max_labels=2, max_rows=3, neighbours=relation, **ASKED, **options)
    assert noisy.claim is not None
    assert (noisy.claim.epsilon, noisy.claim.delta) == (noisy.epsilon, mpq(delta)) == (mpq(1, 2), mpq(delta))
    assert (noisy.claim.neighbours, noisy.claim.unit) == (relation, Unit("who", 2, None, 3))
    assert noisy.mechanism.epsilon == mpq(1, 2) * (2 if relation == "add-remove" else 1) / 3
    about = json.loads(json.dumps(noisy.metadata()))
    assert about["parameters"]["unit"] == about["claim"]["unit"] == Unit("who", 2, None, 3).as_json()
    assert PrivacyClaim.from_json(about["claim"]) == noisy.claim
    assert "of a whole who (max_labels 2, max_rows 3)" in repr(noisy)


def test_counts_are_of_the_rows_that_count() -> None:
    noisy = release(FRAME, "x", max_labels=1, max_rows_per_label=1, universe=["a", "b", "c"], **(ASKED | {"epsilon": 50}))
    assert 450 <= sum(noisy.as_dict().values()) <= 550  # 500 units, one row each, and next to no noise


@pytest.mark.parametrize("kind", ["pure-sparse", "anonymized", "other"])
def test_other_kinds_take_no_unit(kind: Any) -> None:
    with pytest.raises(ParameterError, match=f"kind = '{kind}' does not take a unit yet; accepted: kind = 'histogram'"):
        release(FRAME, "x", kind=kind, max_rows=1, universe=Strings(3), **ASKED)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "nothing bounds how many rows"),
        ({"max_labels": 3}, "nothing bounds how many rows"),
        ({"max_rows": 0}, "max_rows = 0 is out of range"),
        ({"max_rows": 2, "n": None}, "n is missing: with a unit of several rows the number of rows is not public"),
        ({"unit": None, "max_rows": 2}, "accepted: with unit, the name of the column"),
        ({"unit": None, "bounded": True}, "accepted: with unit, the name of the column"),
        ({"unit": "x", "max_rows": 2}, "column and unit are both 'x'"),
        ({"unit": "y", "max_rows": 2}, "the frame has no column 'y'"),
        ({"max_rows": 3, "bounded": True}, "has 4 rows, more than max_rows = 3"),
        ({"max_rows": 10**5, "word": 4}, "epsilon = 1/2 is for 100000 rows: "),
        ({"max_rows": 400, "n": 20}, "every release would be empty"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises((DataError, ParameterError), match=text) as error:
        release(FRAME, "x", **{**ASKED, "delta": "1/1000", **changes})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("data", [{"a": 3}, FRAME["x"]])
def test_what_does_not_say_whose_a_row_is(data: Any) -> None:
    with pytest.raises(ParameterError, match="which does not say whose a row is; accepted with unit: a data frame"):
        release(data, max_rows=1, delta="1/1000", **ASKED)


# The command line


def run(folder: Path, *options: str, mechanism: str = "basic") -> Result:
    path = folder / "t.csv"
    path.write_text("who,x\n" + "".join(f"p{i // 4},{'abac'[i % 4]}\n" for i in range(400)))
    given = ("release", mechanism, "--input", str(path), "--column", "x", "--universe", "a,b,c", "--epsilon", "1")
    return CliRunner().invoke(main, [*given, *options])


def test_a_command(tmp_path: Path) -> None:
    bounds = ("--unit", "who", "--max-labels", "2", "--max-rows-per-label", "1", "--n", "400")
    document = json.loads(run(tmp_path, *bounds, "--json").stdout)
    assert document["claim"]["unit"] == Unit("who", 2, 1).as_json()
    assert (document["rows"], document["n"], document["parameters"]["epsilon"]) == (None, 400, "1")
    assert "at most 400 rows, all of one who (max_labels 2, max_rows_per_label 1) replaced" in " ".join(
        run(tmp_path, *bounds).output.split()
    )
    sparse = run(tmp_path, *bounds, "--delta", "1/100", "--json", mechanism="stability")
    assert json.loads(sparse.stdout)["claim"]["source"] == "FD.Unit.stability"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("--unit who --max-rows 2", "--unit needs --n"),
        ("--unit who --max-labels 2 --n 9", "accepted: --max-rows, or both --max-labels and --max-rows-per-label"),
        ("--max-rows 2", "accepted: with unit"),
        ("--unit x --max-rows 2 --n 9", "column and unit are both 'x'"),
        ("--unit no --max-rows 2 --n 9", "no column 'no'"),
        ("--unit who --max-rows 2 --n 9 --bounded", "more than --max-rows = 2"),
        ("--unit who --max-rows 2 --n 9 --mechanism fast-sample", "--unit who needs --mechanism dyadic"),
        ("--unit who --max-rows 0 --n 9", "--max-rows"),
    ],
)
def test_what_a_command_refuses(tmp_path: Path, options: str, text: str) -> None:
    found = run(tmp_path, *options.split())
    assert found.exit_code == 2
    assert text in found.stderr
    assert found.stdout == ""


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("more", [{"universe": range(9)}, {"delta": "1/1000"}], ids=["basic", "stability"])
def test_a_release_of_units_comes_back_from_its_document(relation: Any, more: dict[str, Any]) -> None:
    frame = pytest.importorskip("pandas").DataFrame({"person": ["ann", "ann", "bob"] * 90, "age": [1, 2, 2] * 90})
    made = release(frame, "age", epsilon=1, n=3000, neighbours=relation, unit="person", max_rows=3, **more)
    found = NoisyHistogram.from_json(made.to_json())
    assert (found.claim, found.unit, found.as_dict()) == (made.claim, made.unit, made.as_dict())
    assert found.metadata() == made.metadata()
    document = json.loads(made.to_json())
    document["parameters"]["unit"]["max_rows"] = 4
    with pytest.raises(DataError, match=r"does not follow from|is not their number|not above the threshold"):
        NoisyHistogram.from_json(json.dumps(document))
    del document["parameters"]["unit"]
    with pytest.raises(DataError):
        NoisyHistogram.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ("--column age --bins 0,18,65 --other older", {"0..17", "18..64", "older"}),
        ("--column day --bins 2026-01-01,2026-01-03,2026-02-01", {"2026-01-01..2026-01-02", "2026-01-03..2026-01-31"}),
        ("--column x --universe a,b --other rest", {"a", "b", "rest"}),
    ],
)
@pytest.mark.parametrize("unit", ["", "--unit who --max-labels 3 --max-rows-per-label 1 --n 400"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_bins_and_other_values_of_a_file(tmp_path: Path, options: str, labels: set[str], unit: str, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    days = [f"2026-01-{1 + i % 5:02d}" for i in range(400)]
    who, x = [f"p{i // 4}" for i in range(400)], ["abac"[i % 4] for i in range(400)]
    rows: dict[str, list[Any]] = {"who": who, "x": x, "age": list(range(400))}
    if suffix == "csv":
        listed = zip(*rows.values(), days, strict=True)
        path.write_text("who,x,age,day\n" + "".join(",".join(map(str, row)) + "\n" for row in listed))
    else:
        polars.DataFrame({**rows, "day": days}).with_columns(polars.col("day").str.to_date()).write_parquet(path)
    given = ("release", "basic", "--input", str(path), *options.split(), *unit.split(), "--epsilon", "900", "--json")
    found = CliRunner().invoke(main, given)
    assert found.exit_code == 0, found.output
    document = json.loads(found.stdout)
    counts = {row["label"]: row["count"] for row in document["histogram"]}
    assert set(counts) == labels
    assert sum(counts.values()) == 400 if not unit else sum(counts.values()) <= 300
    assert NoisyHistogram.from_json(found.stdout).as_dict() == counts


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("--bins 0,9 --universe a,b", "--bins are a universe"),
        ("", "--universe is missing"),
        ("--bins 0,x", "--bins has 'x'; accepted: integers, or dates"),
        ("--bins 9,0", "bins are out of order"),
        ("--bins 0,9", "'a' is not an integer"),
        ("--bins 2026-01-01,2026-01-02", "'a' is no date; accepted: YYYY-MM-DD"),
        ("--universe 0..9 --other rest", "--other is a text beside others"),
        ("--bins 0,9 --other 0..8", "other = '0..8' is a label of the universe"),
        ("--bins 0,9 --null-label none", "--null-label is no value"),
    ],
)
def test_what_a_command_refuses_of_bins(tmp_path: Path, options: str, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x\na\nb\n")
    given = ("release", "basic", "--input", str(path), "--column", "x", *options.split(), "--epsilon", "1")
    found = CliRunner().invoke(main, given)
    assert (found.exit_code, found.stdout) == (2, "")
    assert text in found.stderr
