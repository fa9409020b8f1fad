"""Files of `finitedp release`: read again in Python, and the forms that their names say."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from finitedp import AnonymizedHistogram, CompactRelease, FlexibleAnswer, NoisyHistogram, NoisyNumber, read
from finitedp.cli.main import main
from finitedp.data.papers import PaperHistogram
from finitedp.errors import DataError, LabelError

RAND = Path(__file__).parents[2] / "docs" / "data" / "randhie.csv"
HEALTH = ["--input", str(RAND), "--column", "self_rated_health", "--epsilon", "1"]
VISITS = ["--input", str(RAND), "--column", "outpatient_visits", "--epsilon", "1"]
PEOPLE = ["--input", str(RAND.with_name("randhie_people.csv")), "--column"]
UNIT = ["--unit", "person", "--n", "30000"]
SURE = ["--epsilon", "1", "--delta", "1/1000"]
FIRST = [*HEALTH, "--first", "300"]
LISTED = ["--universe", "excellent,good,fair,poor"]
SURNAMES = ["--counts", str(RAND.with_name("surname_prevalence.csv")), "--n", "100000000", "--epsilon", "1"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["release", *arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    ("command", "rows", "above"),
    [
        (["basic", *HEALTH, *LISTED], 20190, 0),
        (["basic", *HEALTH, *LISTED, "--n", "30000", "--beta", "1/100"], None, 0),
        (["basic", *HEALTH, *LISTED, "--first", "100", "--word", "100"], 100, 0),
        (["stability", *HEALTH, *LISTED, "--delta", "1/1000000"], None, 0),
        (["stability", *HEALTH, *LISTED, "--delta", "1/1000000", "--n", "30000", "--neighbours", "add-remove"], None, 0),
        (["pure-sparse", *HEALTH, "--universe", "strings:12", "--skewed"], None, 0),
        (["pure-sparse", *HEALTH, "--universe", "strings:12", "--above", "1000"], None, 1000),
    ],
)
def test_a_file_is_read_again(command: list[str], rows: int | None, above: int, tmp_path: Path) -> None:
    file = tmp_path / "release.json"
    assert run(*command, "--output", str(file)).exit_code == 0
    noisy = NoisyHistogram.from_json(file)
    assert (noisy.rows, noisy.listed_above) == (rows, above)
    assert set(noisy) <= {"excellent", "good", "fair", "poor"} or command[0] == "pure-sparse"
    assert min(noisy.counts) > above - 1
    assert noisy.source == "operating system"
    assert noisy.claim is not None
    assert NoisyHistogram.from_json(noisy.to_json()).metadata() == noisy.metadata()


def test_a_seeded_file_stays_one_that_is_not_private(tmp_path: Path) -> None:
    file = tmp_path / "release.json"
    run("basic", *HEALTH, *LISTED, "--insecure-seed", "5", "--output", str(file))
    noisy = NoisyHistogram.from_json(str(file))
    assert (noisy.claim, noisy.source) == (None, "seed 5: NOT PRIVATE")
    assert "NOT PRIVATE" in str(noisy)


def test_rows_without_a_label_are_in_no_total(tmp_path: Path) -> None:
    polars, file, rows = pytest.importorskip("polars"), tmp_path / "release.json", tmp_path / "rows.parquet"
    polars.DataFrame({"x": ["a", None, "b"]}).write_parquet(rows)
    common = ["basic", "--input", str(rows), "--column", "x", "--universe", "a,b", "--epsilon", "1", "--output", str(file)]
    assert run(*common, "--drop-nulls").exit_code == 0
    assert NoisyHistogram.from_json(file).rows is None
    assert run(*common, "--null-label", "a").exit_code == 0
    assert NoisyHistogram.from_json(file).rows == 3


def test_a_file_of_the_paper_s_mechanism_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "release.json"
    assert run("basic", *HEALTH, *LISTED, "--mechanism", "fast-sample", "--output", str(file)).exit_code == 0
    with pytest.raises(DataError, match="a release of 'BasicHistogram with FastSample' is no NoisyHistogram; accepted: Basic"):
        NoisyHistogram.from_json(file)


BOTH = [".json", ".parquet"]
FILES: list[tuple[list[str], list[str], type]] = [
    (["release", "basic", *HEALTH, *LISTED], BOTH, NoisyHistogram),
    (["release", "basic", *HEALTH, *LISTED, "--insecure-seed", "3"], BOTH, NoisyHistogram),
    (["release", "basic", *HEALTH, *LISTED, "--mechanism", "fast-sample"], BOTH, PaperHistogram),
    (["release", "basic", *HEALTH, *LISTED, "--mechanism", "fast-sample", "--coins", "exact"], BOTH, PaperHistogram),
    (["release", "basic", *HEALTH, *LISTED, "--mechanism", "fast-sample", "--insecure-seed", "3"], BOTH, PaperHistogram),
    (["release", "stability", *HEALTH, *LISTED, "--delta", "1/1000"], BOTH, NoisyHistogram),
    (["release", "stability", *HEALTH, *LISTED, "--delta", "1/1000", "--mechanism", "fast-sample"], BOTH, PaperHistogram),
    (["release", "pure-sparse", *HEALTH, "--universe", "strings:12"], BOTH, NoisyHistogram),
    (["release", "pure-sparse", *VISITS, "--universe", f"0..{2**70}"], BOTH, NoisyHistogram),
    (["release", "pure-sparse", *FIRST, "--universe", "strings:12", "--mechanism", "order-statistics"], BOTH, PaperHistogram),
    (["release", "sparse", *FIRST, "--universe", "strings:12", "--delta", "1/1000"], BOTH, PaperHistogram),
    (["release", "sparse", *FIRST, "--universe", "strings:12", "--delta", "1/1000", "--above", "5"], BOTH, PaperHistogram),
    (["release", "compact", *FIRST, "--universe", "strings:12"], [".json"], CompactRelease),
    (["release", "anonymized", *SURNAMES], [".json"], AnonymizedHistogram),
    (["statistic", "max", *VISITS, "--delta", "1/1000", "--universe", "0..100"], [".json"], FlexibleAnswer),
    (["statistic", "support", *VISITS, "--delta", "1/1000", "--universe", "0..100", "--beta", "3"], [".json"], FlexibleAnswer),
    (
        ["release", "stability", *PEOPLE, "place", *UNIT, "--universe", "strings:9", "--max-rows", "2", *SURE],
        BOTH,
        NoisyHistogram,
    ),
    (
        [
            "release",
            "basic",
            *PEOPLE,
            "age",
            *UNIT,
            "--bins",
            "0,18,60",
            "--other",
            "older",
            "--max-rows",
            "1",
            "--epsilon",
            "1",
        ],
        BOTH,
        NoisyHistogram,
    ),
    (["statistic", "max", *PEOPLE, "visits", "--unit", "person", "--universe", "0..99", *SURE], [".json"], FlexibleAnswer),
    (["count", *PEOPLE, "place", *UNIT, "--epsilon", "1"], [".json"], NoisyNumber),
    (["total", *PEOPLE, "visits", *UNIT, "--bounds", "0..20", "--epsilon", "1"], [".json"], NoisyNumber),
    (["count", *VISITS, "--equals", "3", "--n", "30000"], [".json"], NoisyNumber),
    (["total", *VISITS, "--bounds", "0..20", "--n", "30000"], [".json"], NoisyNumber),
]


@pytest.mark.parametrize(("command", "suffixes", "kind"), FILES, ids=lambda x: " ".join(x)[:60] if isinstance(x, list) else "")
def test_what_a_command_writes_is_read_by_its_suffix(
    command: list[str], suffixes: list[str], kind: type, tmp_path: Path
) -> None:
    """The claim, the error bars and the counts are those that the CSV or JSON form of the same file tells."""
    for suffix in suffixes:
        pytest.importorskip("duckdb")
        file = tmp_path / f"noisy{suffix}"
        result = CliRunner().invoke(main, [*command, "--output", str(file)], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        found = read(file)
        assert isinstance(found, kind)
        assert (found.claim is None) == ("--insecure-seed" in command)
        if suffix == ".parquet":
            assert isinstance(found, NoisyHistogram | PaperHistogram)
            told = pytest.importorskip("pyarrow.parquet").read_table(file)
            stated = json.loads(told.schema.metadata[b"finitedp"])
            assert list(zip(*told.select(["count", "low", "high"]).to_pydict().values(), strict=True)) == [
                (count, *found.bars().bar(count)) for count in found.counts.tolist()
            ]
        else:
            stated = json.loads(file.read_text())
        if isinstance(found, NoisyHistogram | PaperHistogram):
            assert stated["accuracy"] == found.accuracy.as_json()
            if suffix == ".json":
                assert [(one["label"], one["count"]) for one in stated["histogram"]] == list(found.items())
        if found.claim is None:
            assert stated["claim"] is None
        else:
            assert stated["claim"].items() <= found.claim.as_json().items()  # a compact histogram leaves delta = 0 out


def test_a_paper_s_release_is_a_mapping_with_error_bars(tmp_path: Path) -> None:
    file = tmp_path / "noisy.json"
    assert run("basic", *HEALTH, *LISTED, "--mechanism", "fast-sample", "--output", str(file)).exit_code == 0
    noisy = read(file)
    assert isinstance(noisy, PaperHistogram)
    assert list(noisy) == ["excellent", "good", "fair", "poor"]
    assert noisy["good"] == noisy.as_dict()["good"] == noisy.counts[1]
    assert str(noisy).splitlines()[-1].startswith("(1, 0)-differentially private (replace-one, n = 20190); an error bar")
    assert pytest.importorskip("polars").DataFrame(noisy.to_frame("polars"))["count"].to_list() == noisy.counts.tolist()
    with pytest.raises(LabelError, match="'bad' is not listed"):
        noisy["bad"]
    for path, value in (
        (("claim", "epsilon"), "1/2"),
        (("parameters", "epsilon"), "1/2"),
        (("parameters", "gamma"), "1/2"),
        (("accuracy",), []),
        (("labels",), 5),
        (("n",), 7),
        (("private",), False),
        (("randomness", "coins"), "exact"),
        (("histogram",), []),
        (("version",), 3),
    ):
        document = json.loads(file.read_text())
        at = document
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        (tmp_path / "changed.json").write_text(json.dumps(document))
        with pytest.raises(DataError, match=r"changed\.json") as caught:
            read(tmp_path / "changed.json")
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("claim", "epsilon", "1/2"),
        ("parameters", "epsilon", "1/2"),
        ("parameters", "epsilon2", "1/9"),
        ("parameters", "word", 7),
    ],
)
def test_an_anonymized_release_with_another_claim_is_refused(part: str, key: str, value: Any, tmp_path: Path) -> None:
    file = tmp_path / "noisy.json"
    assert run("anonymized", *SURNAMES, "--output", str(file)).exit_code == 0
    document = json.loads(file.read_text())
    document[part] |= {key: value, "ratio": None} if part == "claim" else {key: value}
    file.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"noisy\.json: (claim does not follow|the release is damaged)"):
        read(file)


def test_bytes_of_a_label_are_read_again(tmp_path: Path) -> None:
    rows, file = tmp_path / "rows.parquet", tmp_path / "noisy.parquet"
    pytest.importorskip("polars").DataFrame({"x": ["\\xff", "\\", "a"] * 900}).write_parquet(rows)
    common = ["pure-sparse", "--input", str(rows), "--column", "x", "--universe", "strings:4", "--epsilon", "1"]
    assert run(*common, "--invented", "1/1000000", "--output", str(file)).exit_code == 0
    noisy = read(file)
    assert isinstance(noisy, NoisyHistogram)
    assert sorted(noisy) == ["\\", "\\xff", "a"]


# Suffixes


@pytest.mark.parametrize("name", ["out.txt", "out.CVS", "out.json.bak", "out.xlsx", ".hidden.table"])
@pytest.mark.parametrize("command", [["basic", *HEALTH, *LISTED], ["anonymized", *SURNAMES]], ids=["basic", "anonymized"])
def test_a_suffix_that_says_no_form_is_refused_before_anything_is_read(command: list[str], name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    result = run(
        *[word.replace("randhie", "missing").replace("surname", "missing") for word in command], "--output", str(file)
    )
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: --output {file} ends in {file.suffix.lower()}; accepted: .csv, .json")
    assert result.output.endswith("or with --format\n")
    assert not file.exists()


def test_a_form_that_is_given_may_have_any_suffix(tmp_path: Path) -> None:
    for shape, begin in (("table", "Noisy counts"), ("csv", "self_rated_health,"), ("json", "{"), ("spreadsheet", '"self')):
        file = tmp_path / f"{shape}.txt"
        assert run("basic", *HEALTH, *LISTED, "--format", shape, "--output", str(file)).exit_code == 0
        assert file.read_text().lstrip().startswith(begin)
    assert run("basic", *HEALTH, *LISTED, "--json", "--output", str(tmp_path / "x.txt")).exit_code == 0
    assert run("basic", *HEALTH, *LISTED, "--output", str(tmp_path / "bare")).exit_code == 0
    assert (tmp_path / "bare").read_text().lstrip().startswith("Noisy counts")
    assert run("basic", *HEALTH, *LISTED, "--output", str(tmp_path / "x.JSON")).exit_code == 0
    assert NoisyHistogram.from_json(tmp_path / "x.JSON").rows == 20190
