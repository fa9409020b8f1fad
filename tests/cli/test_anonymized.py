"""finitedp release anonymized, and the laws and the privacy of the mechanism behind it."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.data.anonymized import AnonymizedHistogram

SURNAMES = Path(__file__).parents[2] / "docs" / "data" / "surname_prevalence.csv"
PRIVATE = "(4, 0)-differentially private for one item more or less, among at most 100000 items"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="finitedp")


def _release(*arguments: str | Path) -> Result:
    usual = {"--n": "100000", "--epsilon": "4"}
    added = [each for option, value in usual.items() if option not in arguments for each in (option, value)]
    return run("release", "anonymized", *added, *arguments)


def test_the_table_says_what_is_private() -> None:
    found = _release("--counts", SURNAMES)
    assert found.exit_code == 0
    assert PRIVATE in found.output
    assert "outside of the claim" in found.output
    items = re.search(r"Items: (\d+), a noisy number", found.output)
    assert items is not None
    assert abs(int(items[1]) - 79_590) < 400


def test_files_are_written_and_certified(tmp_path: Path) -> None:
    release, certificate = tmp_path / "r.json", tmp_path / "c.json"
    found = _release("--counts", SURNAMES, "--output", release, "--certificate", certificate)
    assert found.exit_code == 0
    read = AnonymizedHistogram.load(release)
    assert abs(read.total - 79_590) < 400
    assert run("check", certificate).exit_code == 0
    listed = tmp_path / "r.csv"
    written = _release("--counts", SURNAMES, "--output", listed)
    assert written.exit_code == 0
    assert re.search(r"counts with their prevalences; not in it: N = \d+\.", written.stderr)
    assert listed.read_text().startswith("count,prevalence\n1,")
    again = _release("--counts", listed)  # its own form is one that it reads
    assert again.exit_code == 0


def test_a_column_of_labels_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("word\n" + "\n".join("abracadabra") + "\n")
    found = run("release", "anonymized", "--input", path, "--column", "word", "--n", "50", "--epsilon", "2000", "--json")
    rows = json.loads(found.stdout)["prevalences"]
    assert rows == [{"count": 1, "prevalence": 2}, {"count": 2, "prevalence": 2}, {"count": 5, "prevalence": 1}]


def test_the_paper_s_parameters_and_the_branches() -> None:
    for options, mechanism, spent in (
        (["--as-printed"], "PrivHist, branch split", "8/3"),
        (["--branch", "smooth"], "PrivHist, branch smooth", "4"),
        ([], "PrivHist, branch split", "4"),
    ):
        document = json.loads(_release("--counts", SURNAMES, "--json", *options).stdout)
        assert (document["mechanism"], document["claim"]["epsilon"]) == (mechanism, spent)


def test_a_seed_is_said_to_be_no_privacy() -> None:
    found = _release("--counts", SURNAMES, "--insecure-seed", "1", "--format", "csv")
    assert found.stdout.startswith("count,prevalence,NOT PRIVATE\n")
    assert "NOT PRIVATE" in found.stderr
    assert found.stdout == _release("--counts", SURNAMES, "--insecure-seed", "1", "--format", "csv").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "nothing to count"),
        (["--input", SURNAMES], "nothing to count"),
        (["--counts", SURNAMES, "--column", "count"], "--counts stands alone"),
        (["--counts", SURNAMES, "--n", "79589"], "79590 items, more than n = 79589"),
        (["--counts", SURNAMES, "--epsilon", "1/100000000000"], "accepted: an epsilon"),
        (["--counts", SURNAMES, "--n", "1000000000", "--word", "20"], "no table of 20 bits"),
        (["--counts", SURNAMES, "--epsilon", "0.1.1"], "--epsilon"),
        (["--counts", SURNAMES, "--as-printed", "--branch", "split"], "--as-printed takes the branch"),
        (["--counts", SURNAMES, "--bits-from", "os", "--insecure-seed", "1"], "contradict"),
        (["--input", SURNAMES, "--column", "none"], "none"),
        (["--counts", "none.csv"], "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path: Path, options: list[str], message: str) -> None:
    output, certificate = tmp_path / "r.csv", tmp_path / "c.json"
    found = _release("--output", output, "--certificate", certificate, *options)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1 or found.stderr.startswith("Usage")
    assert not output.exists()
    assert not certificate.exists()


def test_the_input_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("count,prevalence\n1,3\n")
    found = _release("--counts", path, "--output", path)
    assert "the input itself" in found.stderr
    found = _release("--counts", path, "--output", tmp_path / "x", "--certificate", tmp_path / "x")
    assert "accepted: two files" in found.stderr
    assert path.read_text() == "count,prevalence\n1,3\n"


def test_law_and_privacy_of_a_tiny_one() -> None:
    tiny = ["anonymized", "--n", "1", "--epsilon1", "1", "--epsilon2", "7/5", "--json"]
    rows = json.loads(run("law", *tiny, "--counts", "1").stdout)["law"]
    assert len(rows) == 20
    assert rows[0] == {"output": {"N": 0}, "probability": "35/128"}
    answer = json.loads(run("privacy", *tiny).stdout)
    assert answer["holds"] is True
    assert (answer["pairs"], answer["claim"]["neighbours"]) == (2, "add-remove")
    too_many = run("privacy", "anonymized", "--n", "4", "--epsilon1", "1", "--epsilon2", "1")
    assert "from 1 to 3" in too_many.stderr


def test_nothing_is_released_where_the_certificate_cannot_be_written(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    found = _release("--counts", SURNAMES, "--output", output, "--certificate", "/proc/none.json")
    assert found.exit_code == 2
    assert not output.exists()
    found = _release("--counts", SURNAMES, "--certificate", "/proc/none.json")
    assert (found.exit_code, found.stdout) == (2, "")


def test_the_table_that_does_not_exist_is_named() -> None:
    found = _release("--counts", SURNAMES, "--word", "3")
    assert found.exit_code == 2
    assert "the table of the items, which has twice epsilon1 = 1/5, of 4 in all: no table of 3 bits" in found.output
