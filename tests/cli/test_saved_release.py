"""Files of `finitedp release`: read again in Python, and the forms that their names say."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp import NoisyHistogram
from finitedp.cli.main import main
from finitedp.errors import DataError

RAND = Path(__file__).parents[2] / "docs" / "data" / "randhie.csv"
HEALTH = ["--input", str(RAND), "--column", "self_rated_health", "--epsilon", "1"]
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
