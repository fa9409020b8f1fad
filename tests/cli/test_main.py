"""The command line, as a user calls it: what it prints, its exit codes, and wrong input."""

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq
from rich.progress import Task, TaskID

from finitedp.cli import console
from finitedp.cli.main import main
from finitedp.exact import log_bounds
from finitedp.impl.histograms.basic import basic_histogram_with_fast_sample
from finitedp.impl.randomness.coins import SeededBits, StrictCoins
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec import counting as spec

RAND = Path(__file__).parents[2] / "docs" / "data" / "randhie.csv"
HEALTH = ["--input", str(RAND), "--column", "self_rated_health", "--universe", "excellent,good,fair,poor"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def documents(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    "command",
    [
        *([], ["verify"], ["claims"], ["law"], ["privacy"], ["query"], ["check"], ["release"]),
        *(["release", name] for name in ("basic", "stability", "sparse", "pure-sparse", "compact")),
    ],
)
def test_help(command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Usage: main" in result.output
    assert run(*command, "-h").output == result.output


def test_version() -> None:
    assert ", version 0." in run("--version").output  # the name before it is the one that the program was called by


# law and privacy


@pytest.mark.parametrize(("n", "q", "g"), [(1, 1, 2), (4, 2, 16), (3, 10, 3)])
def test_law_of_fast_sample_equals_the_law_of_the_running_code(n: int, q: int, g: int) -> None:
    from finitedp.impl.counting.geometric import FastSample

    for count in range(n + 1):
        printed = documents("law", "fast-sample", *f"--n {n} --epsilon 1/{q} --gamma 1/{g} --count {count}".split())
        found = {row["output"]: mpq(row["probability"]) for row in printed["law"]}
        mechanism = FastSample(n, mpq(1, q), mpq(1, g))
        running = explore(lambda coins, m=mechanism, c=count: m.release(c, coins)).law()  # type: ignore[misc]
        assert found == {z: running[z] for z in running}
        assert sum(found.values()) == 1


def test_law_from_the_definition_and_from_the_code_agree() -> None:
    for options in ("geo-sample --n 5 --epsilon 1/3 --count 2", "basic --n 2 --epsilon 1 --gamma 1/4 --labels 2 --counts 1,1"):
        definition, code = documents("law", *options.split()), documents("law", *options.split(), "--running")
        assert definition["law"] == code["law"]
        assert (definition["source"], code["source"]) == ("definition", "running code")


def test_law_of_the_geometric_mechanism() -> None:
    printed = documents("law", "geometric", *"--n 3 --decay 1/2 --count 1".split())
    assert [row["probability"] for row in printed["law"]] == ["1/3", "1/3", "1/6", "1/6"]


def test_law_table_says_what_it_cut() -> None:
    result = run("law", "fast-sample", *"--n 4 --epsilon 1/2 --gamma 1/16 --count 1".split())
    assert result.exit_code == 0
    assert "23/240" in result.output
    assert "--json prints them whole" in result.output


def test_privacy_of_geo_sample_is_tight() -> None:
    printed = documents("privacy", "geo-sample", *"--n 4 --epsilon 1/2 --at 1/10".split())
    assert (printed["worst_ratio"], printed["holds"], printed["tight"], printed["pairs"]) == ("5/4", True, True, 8)
    low, high = (mpq(bound) for bound in printed["epsilon"])
    assert (low, high) == log_bounds("5/4")
    p, q = (mpq(x) for x in printed["witness"]["probabilities"])
    assert p / q == mpq(5, 4)
    in_p, in_q = (mpq(x) for x in printed["delta"]["event_probabilities"])
    low, high = (mpq(bound) for bound in printed["delta"]["interval"])
    assert 0 < low <= high < in_p
    assert low < in_p - in_q * mpq(110517, 100000) < high + mpq(1, 10**5)


def test_privacy_of_a_histogram_from_the_running_code() -> None:
    options = "basic --n 2 --labels 3 --epsilon 1".split()
    printed = documents("privacy", *options, "--running")
    assert printed["worst_ratio"] == "9/4"
    assert printed["witness"]["output"].keys() == {"x1", "x2", "x3"}
    assert documents("privacy", *options)["worst_ratio"] == "9/4"


def test_privacy_of_the_geometric_mechanism_is_its_decay() -> None:
    assert documents("privacy", "geometric", *"--n 3 --decay 2/3".split())["worst_ratio"] == "3/2"


def test_privacy_table() -> None:
    result = run("privacy", "geo-sample", *"--n 4 --epsilon 1/2 --at 1/10".split())
    assert "0.223143551314" in result.output
    assert "private as claimed" in result.output
    assert "delta at epsilon = 1/10" in result.output


def test_privacy_exits_with_1_where_the_claim_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    from finitedp.spec import counting

    honest = spec.geo_sample
    monkeypatch.setattr(counting, "geo_sample", lambda n, _epsilon, count: honest(n, 1, count))
    result = run("privacy", "geo-sample", *"--n 4 --epsilon 1/2".split())
    assert result.exit_code == 1
    assert "NO" in result.output


# release

FAST = ["--mechanism", "fast-sample"]  # what a dyadic table gives is in test_cli_dyadic_release.py


def test_release_is_the_mechanism_on_the_column() -> None:
    printed = documents("release", "basic", *HEALTH, "--epsilon", "1", "--insecure-seed", "5", *FAST)
    counts = {"excellent": 11019, "good": 7309, "fair": 1560, "poor": 302}
    mechanism = basic_histogram_with_fast_sample(list(counts), sum(counts.values()), 1, "1/20")
    expected = mechanism.release_counts(counts, StrictCoins(SeededBits(5, not_private=True)))
    assert [(row["label"], row["count"]) for row in printed["histogram"]] == list(expected)
    assert printed["claim"] is None
    assert [(a["kind"], a["a"], a["beta"]) for a in printed["accuracy"]] == [
        ("per-query", 17, "1/20"),
        ("simultaneous", 23, "1/20"),
    ]
    assert printed["private"] is False
    assert printed["randomness"]["bits_from"] == "seed 5: NOT PRIVATE"


def test_release_uses_the_operating_system_unless_told_otherwise() -> None:
    printed = documents("release", "basic", *HEALTH, "--epsilon", "1/10", *FAST)
    assert printed["private"] is True
    assert printed["claim"] == {
        "epsilon": "1/10",
        "delta": "0",
        "neighbours": "replace-one",
        "ratio": None,
        "source": "BV.Thm5.3.i",
    }
    assert printed["randomness"]["bits_from"] == "operating system"
    assert printed["rows"] == 20190
    exact = documents("release", "basic", *HEALTH, "--epsilon", "1", *FAST, "--coins", "exact")
    assert exact["randomness"]["bits"] is None


def test_release_of_integers_as_csv_has_error_bars(tmp_path: Path) -> None:
    out = tmp_path / "visits.csv"
    arguments = ["--input", str(RAND), "--column", "outpatient_visits", "--universe", "0..77", "--epsilon", "1"]
    result = run("release", "basic", *arguments, "--format", "csv", "--output", str(out))
    assert result.exit_code == 0
    assert "Wrote" in result.output
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["outpatient_visits"] for row in rows] == [str(x) for x in range(78)]
    assert all(0 <= int(row["low"]) <= int(row["count"]) <= int(row["high"]) <= 20190 for row in rows)
    assert [p.name for p in tmp_path.iterdir()] == ["visits.csv"]


def test_release_as_a_table_names_claim_and_theorem() -> None:
    result = run("release", "basic", *HEALTH, "--epsilon", "1", *FAST)
    assert "(1, 0)-differentially private: 20190 rows, one replaced (BV.Thm5.3.i)" in result.output
    assert "+-17" in result.output
    assert "BV.Thm5.3.iii" in result.output


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    result = run("release", "basic", *HEALTH, "--epsilon", "1", "--output", str(tmp_path / "x.csv"), "--format", "csv")
    assert result.exit_code == 2
    assert "No space left on device" in result.output
    assert list(tmp_path.iterdir()) == []


STABILITY = ["--input", str(RAND), "--column", "outpatient_visits", "--universe", "0..4294967295", "--epsilon", "1"]


@pytest.mark.deep
def test_stability_release_of_a_huge_universe() -> None:
    printed = documents("release", "stability", *STABILITY, "--delta", "1/1000000", *FAST)
    assert printed["claim"] == {
        "epsilon": "1",
        "delta": "1/1000000",
        "neighbours": "replace-one",
        "ratio": None,
        "source": "BV.Thm5.6.i",
    }
    # b = 1 + ceil(4.5 ln(2 * 10^6)) = 67; t = 2 + ceil(4.5 ln(80 * 10^6)) = 84
    assert (printed["threshold"], printed["accuracy"][0]["on_counts_above"]) == (67, 84)
    assert printed["randomness"]["draws"] == 20190
    labels = [row["label"] for row in printed["histogram"]]
    assert labels == sorted(labels)
    assert set(range(10)) <= set(labels) <= set(range(78))
    assert all(row["count"] > 67 for row in printed["histogram"])


def test_stability_release_of_strings_as_a_table() -> None:
    arguments = ["--input", str(RAND), "--column", "self_rated_health", "--universe", "strings:16", "--epsilon", "1"]
    result = run("release", "stability", *arguments, "--delta", "1/1000")
    assert result.exit_code == 0
    assert "(1, 1/1000)-differentially private" in result.output
    assert "a label that is not listed has count 0" in result.output
    assert "excellent" in result.output


def test_law_and_privacy_of_a_stability_histogram() -> None:
    options = "stability --n 3 --epsilon 1 --labels 2 --threshold 2".split()
    definition, code = (documents("law", *options, "--counts", "2,1", *more)["law"] for more in ([], ["--running"]))
    assert definition == code
    printed = documents("privacy", *options, "--running", "--at", "1")
    assert printed["worst_ratio"] is None
    assert printed["claim"]["delta"] == "4/15"
    assert (printed["holds"], printed["tight"]) == (True, True)
    assert documents("privacy", *options)["holds"]


def test_law_and_privacy_of_keep_heavy() -> None:
    options = "keep-heavy --n 2 --epsilon 1 --labels 3".split()
    definition, code = (documents("law", *options, "--counts", "2,0,0", *more)["law"] for more in ([], ["--running"]))
    assert definition == code
    assert documents("privacy", *options, "--running")["holds"]


# Wrong input: one line that names the value and what is accepted, exit code 2, nothing written

WRONG = {
    "zero epsilon": (["law", "geo-sample", "--n", "4", "--epsilon", "0", "--count", "1"], "epsilon = 0 is not positive"),
    "epsilon of two forms": (
        ["law", "geo-sample", "--n", "4", "--epsilon", "0.1/2", "--count", "1"],
        "is not of the form 'p/q'",
    ),
    "negative epsilon": (["privacy", "geo-sample", "--n", "4", "--epsilon", "-1/2"], "epsilon = -1/2 is not positive"),
    "inadmissible epsilon": (
        ["privacy", "geo-sample", "--n", "4", "--epsilon", "2/5"],
        "epsilon = 2/5 is not admissible; accepted: 1/q for an integer q >= 1; the next admissible value is 1/3",
    ),
    "n below 1": (
        ["privacy", "geo-sample", "--n", "0", "--epsilon", "1"],
        "n = 0 is out of range; accepted: an integer of at least 1",
    ),
    "count above n": (
        ["law", "geo-sample", "--n", "4", "--epsilon", "1", "--count", "5"],
        "count = 5 is out of range; accepted: an integer from 0 to 4",
    ),
    "gamma above 1/2": (
        ["law", "fast-sample", "--n", "4", "--epsilon", "1", "--gamma", "2/3", "--count", "1"],
        "gamma = 2/3 is not admissible; accepted: 1/q for an integer q >= 2; the next admissible value is 1/2",
    ),
    "missing gamma": (["law", "fast-sample", "--n", "4", "--epsilon", "1", "--count", "1"], "Missing option '--gamma'"),
    "needless decay": (
        ["law", "geo-sample", "--n", "4", "--epsilon", "1", "--decay", "1/2", "--count", "1"],
        "geo-sample does not take --decay",
    ),
    "decay of 1": (["privacy", "geometric", "--n", "4", "--decay", "1"], "decay = 1 is out of range"),
    "no running geometric": (
        ["law", "geometric", "--n", "4", "--decay", "1/2", "--count", "1", "--running"],
        "no running code",
    ),
    "missing count": (["law", "geo-sample", "--n", "4", "--epsilon", "1"], "Missing option '--count'"),
    "counts too large": (
        ["law", "basic", "--n", "2", "--epsilon", "1", "--labels", "2", "--counts", "2,1"],
        "the sum of counts = 3 is out of range",
    ),
    "malformed counts": (
        ["law", "basic", "--n", "2", "--epsilon", "1", "--labels", "2", "--counts", "1;1"],
        "accepted: 2 integers",
    ),
    "one label": (["privacy", "basic", "--n", "2", "--epsilon", "1", "--labels", "1"], "accepted: --labels of at least 2"),
    "too large": (["privacy", "geo-sample", "--n", "5000", "--epsilon", "1"], "take a smaller n"),
    "negative at": (["privacy", "geo-sample", "--n", "5", "--epsilon", "1", "--at", "-1"], "at = -1 is out of range"),
    "huge at": (["privacy", "geo-sample", "--n", "5", "--epsilon", "1", "--at", "1000000000000"], "a rational from 0 to 1000"),
    "tiny epsilon, fast": (
        ["law", "fast-sample", "--n", "9", "--epsilon", f"1/{10**30}", "--gamma", "1/4", "--count", "1"],
        "accepted: at most 2^28 bits",
    ),
    "long probabilities": (
        ["privacy", "fast-sample", "--n", "3", "--epsilon", "1/1000", "--gamma", "1/4"],
        "take a larger epsilon, a smaller n or fewer labels",
    ),
    "huge n": (["law", "geo-sample", "--n", "1000000000", "--epsilon", "1", "--count", "1"], "accepted: at most 2^28 bits"),
    "many labels": (
        ["law", "basic", "--n", "2", "--epsilon", "1", "--labels", "1000000000", "--counts", "2"],
        "labels = 1000000000 is out of range; accepted: an integer from 1 to 12",
    ),
    "many rows": (["privacy", "basic", "--n", "10000", "--epsilon", "1", "--labels", "2"], "take a smaller n or fewer labels"),
    "slow exploration": (
        ["privacy", "basic", "--n", "5", "--epsilon", "1", "--labels", "4", "--running"],
        "take a smaller n or fewer labels",
    ),
    "long epsilon": (
        ["law", "geo-sample", "--n", "4", "--epsilon", "1/1" + "0" * 5000, "--count", "1"],
        "epsilon has 5003 characters",
    ),
    "decay above 1": (["privacy", "geometric", "--n", "3", "--decay", "3/2"], "decay = 3/2 is out of range"),
    "contradiction": (["release", "basic", *HEALTH, "--epsilon", "1", "--json", "--format", "csv"], "contradict each other"),
    "unknown mechanism": (
        ["law", "laplace", "--n", "4"],
        "'laplace' is not one of the mechanisms; accepted: geometric, geo-sample",
    ),
    "missing file": (
        ["release", "basic", "--input", "none.csv", "--column", "x", "--universe", "a,b", "--epsilon", "1"],
        "none.csv cannot be read: No such file or directory",
    ),
    "missing column": (
        ["release", "basic", "--input", str(RAND), "--column", "x", "--universe", "a,b", "--epsilon", "1"],
        "has no column 'x'; its columns are outpatient_visits, self_rated_health",
    ),
    "value outside": (
        ["release", "basic", "--input", str(RAND), "--column", "outpatient_visits", "--universe", "0..20", "--epsilon", "1"],
        "is outside of the universe 0..20",
    ),
    "mixed types": (
        ["release", "basic", "--input", str(RAND), "--column", "self_rated_health", "--universe", "0..20", "--epsilon", "1"],
        "row 1 of column 'self_rated_health': 'good' is not an integer",
    ),
    "huge universe": (
        [
            "release",
            "basic",
            "--input",
            str(RAND),
            "--column",
            "outpatient_visits",
            "--universe",
            "0..4294967295",
            "--epsilon",
            "1",
        ],
        "universe has 4294967296 labels",
    ),
    "strings for basic": (
        ["release", "basic", *HEALTH[:4], "--universe", "strings:16", "--epsilon", "1"],
        "universe has about 2^128 labels; basic releases them all",
    ),
    "no delta": (["release", "stability", *STABILITY], "Missing option '--delta'"),
    "delta of 1": (
        ["release", "stability", *STABILITY, "--delta", "1"],
        "delta = 1 is out of range; accepted: a rational in (0",
    ),
    "delta of 0": (
        ["release", "stability", *STABILITY, "--delta", "0"],
        "delta = 0 is out of range; accepted: a rational in (0",
    ),
    "inadmissible delta": (["release", "stability", *STABILITY, "--delta", "2/5", *FAST], "delta = 2/5 is not admissible"),
    "delta of two forms": (["release", "stability", *STABILITY, "--delta", "1/1e3"], "is not of the form 'p/q'"),
    "tiny delta": (
        ["release", "stability", *STABILITY[:-1], "1/100000", "--delta", f"1/{10**9}", *FAST],
        "exceeds n = 20190",
    ),
    "long string": (
        ["release", "stability", *HEALTH[:4], "--universe", "strings:4", "--epsilon", "1", "--delta", "1/9"],
        "row 6 of column 'self_rated_health': 'excellent' has more than 4 bytes",
    ),
    "threshold above n": (
        ["privacy", "stability", "--n", "2", "--epsilon", "1", "--labels", "2", "--threshold", "3"],
        "b = 3 is out of range; accepted: an integer from 0 to 2",
    ),
    "universe too small": (
        ["privacy", "keep-heavy", "--n", "3", "--epsilon", "1", "--labels", "3"],
        "|X| = 3 is below n + 1 = 4; accepted: a larger universe, or BasicHistogram",
    ),
    "inadmissible beta": (
        ["release", "basic", *HEALTH, "--epsilon", "1", "--beta", "2/5", *FAST],
        "next admissible value is 1/3",
    ),
    "inadmissible release": (["release", "basic", *HEALTH, "--epsilon", "2/3", *FAST], "next admissible value is 1/2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_clear_line_and_exit_code_2(name: str, tmp_path: Path) -> None:
    arguments, message = WRONG[name]
    out = tmp_path / "out"
    if arguments[0] == "release":
        arguments = [*arguments, "--output", str(out)]
    result = run(*arguments)
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert result.output.startswith("Error: ")
    assert message in result.output
    assert "Traceback" not in result.output
    assert not out.exists()


def test_progress_appears_only_after_a_while(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes the captured stream count as a terminal
    with console.progress("quick work") as update:
        update(1, 3)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(console, "_PATIENCE", 0)
    with console.progress("slow work") as update:
        shown = ""
        while "slow work" not in shown or "1 of 3" not in shown:
            shown = capsys.readouterr().err
            update(1, 3)


@pytest.mark.parametrize(
    ("done", "total", "elapsed", "shown"),
    [
        (9, 100, 4.0, ""),
        (10, 100, 4.0, "about 40 s left"),
        (50, 100, 21.0, "about 25 s left"),
        (99, 100, 400.0, "about 5 s left"),
        (20, 100, 60.0, "about 4 min left"),
        (5, None, 60.0, ""),
    ],
)
def test_the_time_that_remains(done: int, total: int | None, elapsed: float, shown: str) -> None:
    """4 s for a tenth leave 36 s, and so on."""
    task = Task(TaskID(0), "work", total, done, lambda: elapsed)
    task.start_time = 0
    assert console._Remaining().render(task).plain == shown


def test_no_positive_probability_is_shown_as_zero() -> None:
    """The last one is 9^-29/10."""
    lines = run("law", "geometric", *"--n 30 --decay 1/9 --count 1".split()).output.splitlines()
    decimals = [line.split("│")[3].strip() for line in lines if line.startswith("│")]
    assert len(decimals) == 31
    assert decimals[:2] == ["0.1", "0.8"]
    assert decimals[-1] == "~1.91077581495e-28"
    assert all(re.search("[1-9]", text.split("e")[0]) for text in decimals)


def release_to(path: Path, *more: str) -> Result:
    return run("release", "basic", *HEALTH, "--epsilon", "1", "--format", "csv", "--output", str(path), *more)


def test_a_link_is_followed_and_permissions_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert release_to(link).exit_code == 0
    assert link.is_symlink()
    assert target.read_text().startswith("self_rated_health,count")
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert release_to(pipe).exit_code == 0
    assert os.read(reader, 10_000).startswith(b"self_rated_health,count")
    os.close(reader)
    assert pipe.is_fifo()


def test_the_input_is_never_overwritten(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x\na\n")
    result = run(
        "release", "basic", "--input", str(data), "--column", "x", "--universe", "a,b", "--epsilon", "1", "--output", str(data)
    )
    assert result.exit_code == 2
    assert "is the input itself" in result.output
    assert data.read_text() == "x\na\n"


def test_a_seeded_release_says_everywhere_that_it_is_not_private(tmp_path: Path) -> None:
    out = tmp_path / "x.csv"
    assert "NOT PRIVATE" in release_to(out, "--insecure-seed", "1").output
    assert "NOT PRIVATE" in out.read_text()
    assert "NOT PRIVATE" in run("release", "basic", *HEALTH, "--epsilon", "1", "--insecure-seed", "1").stdout


def test_the_list_of_mechanisms_in_the_help_is_not_folded() -> None:
    lines = [line.strip() for line in run("law", "--help").output.splitlines()]
    assert any(line.startswith("fast-sample         GeoSample, truncated") for line in lines)


@pytest.mark.parametrize("epsilon", ["0.5", ".5", "5e-1"])
def test_a_decimal_is_the_rational_that_is_written(epsilon: str) -> None:
    options = ("basic", *HEALTH, "--insecure-seed", "1", "--format", "csv", "--epsilon")
    assert run("release", *options, epsilon).stdout == run("release", *options, "1/2").stdout
    assert documents("privacy", "geo-sample", "--n", "2", "--epsilon", epsilon)["parameters"]["epsilon"] == "1/2"
