"""A claim that fails by rounding only: the verdict, u, --rounding, SARIF, the report, and pytest's rounding="warn"."""

import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.cli.main import main
from finitedp.proofs_check import checker
from finitedp.pytest_audits import request_of
from finitedp_pytest import assert_private
from finitedp_pytest.outcomes import audits_in, summary_line

pytestmark = pytest.mark.usefixtures("unrecorded")

TRUTH = math.exp(1) / (1 + math.exp(1))  # a float, of which the odds are above e
CODE = f"""
def response(rows, rng):
    return rows[0] if rng.random() < {TRUTH!r} else 1 - rows[0]


def worse(rows, rng):
    return rows[0] if rng.random() < 0.7311 else 1 - rows[0]


def law(rows):
    return {{0: "1/2", 1: "1/2"}}


def endless(rows, rng):
    if rng.random() < 2**-40:
        while rng.random() < 0.5:
            pass
    return response(rows, rng)
"""
BIT = ["--epsilon", "1", "--neighbours", "replace-one", "--universe", "0,1", "--n", "1", "--jobs", "1"]
ROUNDED = "NOT as claimed, by rounding only"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    (tmp_path / "code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(name: str, *more: str) -> Result:
    result = CliRunner().invoke(main, ["audit", f"code.py:{name}", *BIT, *more])
    assert "Traceback" not in result.output
    return result


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "more", "code", "outcome"),
    [
        ("response", [], 1, ROUNDED),
        ("response", ["--rounding", "fail"], 1, ROUNDED),
        ("response", ["--rounding", "warn"], 0, ROUNDED),
        ("worse", ["--rounding", "warn"], 1, "NOT as claimed"),
        ("response", ["--rounding", "warn", "--specified", "code.py:law"], 1, "NOT as claimed"),
        ("response", ["--rounding", "warn", "--renyi", "2,1/10"], 1, "NOT as claimed"),
        ("response", ["--rounding", "warn", "--delta", "2^-52"], 0, "as claimed"),
        ("endless", ["--rounding", "warn", "--renyi", "2,1"], 1, "NOT as claimed"),  # undecided, too
    ],
)
def test_the_exit_code_is_what_was_chosen(name: str, more: list[str], code: int, outcome: str) -> None:
    result = run(name, *more, "--json")
    document = json.loads(result.output)
    assert (result.exit_code, document["outcomes"]) == (code, {outcome: 1})
    (certificate,) = document["certificates"]
    assert checker.check(certificate) is None
    fails = outcome != "as claimed"
    assert (certificate["verdicts"]["private"], certificate["u"] is None) == (
        ("fails", name == "worse") if fails else ("holds", True)
    )


@pytest.mark.usefixtures("here")
def test_an_older_reader_is_told_that_there_is_more() -> None:
    """Of claims that fail by much, nothing in a certificate has changed."""
    versions = [json.loads(run(name, "--json").output)["certificates"][0]["version"] for name in ("response", "worse")]
    assert versions == [5, 2]


@pytest.mark.usefixtures("here")
def test_what_is_claimed_with_u_holds() -> None:
    (certificate,) = json.loads(run("response", "--json").output)["certificates"]
    k = int(certificate["u"].partition("/")[2]).bit_length() - 1
    outcomes = [json.loads(run("response", "--delta", f"2^-{at}", "--json").output)["outcomes"] for at in (k, k + 1)]
    assert (k > 48, outcomes) == (True, [{"as claimed": 1}, {ROUNDED: 1}])


def test_words_sarif_and_reports_say_so(here: Path) -> None:
    result = run("response", "--rounding", "warn", "--sarif", "out.sarif", "--html", "report.html")
    words = " ".join(result.output.replace("│", " ").split())
    assert "The privacy claim FAILS: the witness below breaks it. It fails BY ROUNDING ONLY" in words
    assert "certain is (1, 2^-5" in words
    assert f"Audits: 1, 1 {ROUNDED}." in words
    (found,) = json.loads((here / "out.sarif").read_text())["runs"][0]["results"]
    assert (found["ruleId"], found["level"]) == ("rounding", "warning")
    page = (here / "report.html").read_text()
    assert "FAILS, BY ROUNDING ONLY: HOLDS WITH DELTA + 2^-5" in page
    assert "1 privacy claim FAILS, by rounding only, by " in page
    (file,) = (here / "report-certificates").glob("*.json")
    text = CliRunner().invoke(main, ["report", str(file), "--format", "markdown"]).output
    assert "FAILS, BY ROUNDING ONLY: HOLDS WITH DELTA + 2^-5" in text


@pytest.mark.usefixtures("here")
def test_what_fails_by_much_is_an_error_in_sarif() -> None:
    run("worse", "--rounding", "warn", "--sarif", "out.sarif")
    (found,) = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert (found["ruleId"], found["level"]) == ("privacy-fails", "error")


# pytest


def response(rows: Any, rng: Any) -> Any:
    return rows[0] if rng.random() < TRUTH else 1 - rows[0]


def worse(rows: Any, rng: Any) -> Any:
    return rows[0] if rng.random() < 0.7311 else 1 - rows[0]


FIELDS: Any = {"epsilon": 1, "neighbours": "replace-one", "universe": [0, 1], "n": 1}


@pytest.mark.parametrize("more", [{}, {"rounding": "fail"}, {"undecided": "allow"}], ids=str)
def test_a_test_fails_with_the_next_step(more: Any) -> None:
    with pytest.raises(AssertionError) as failure:
        assert_private(response, **FIELDS, **more)
    told = str(failure.value)
    assert told.startswith("finitedp: The privacy claim FAILS: the witness below breaks it. It fails BY ROUNDING ONLY")
    assert 'next: claim it, delta = "2^-5' in told
    assert 'or let it pass, rounding = "warn"' in told


def test_a_test_passes_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="(?s)BY ROUNDING ONLY.*P\\[S at A\\]"):
        found = assert_private(response, **FIELDS, rounding="warn")
    assert (found.private, found.u is not None and found.u < mpq(1, 1 << 48)) == ("fails", True)


@pytest.mark.parametrize("more", [{}, {"renyi": (2, "1/10")}], ids=str)
def test_what_fails_by_more_is_no_warning(more: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(AssertionError):
            assert_private(worse if not more else response, **FIELDS, **more, rounding="warn")


def test_a_smaller_input_is_shown_where_it_fails_for_what_the_test_fails_for() -> None:
    """With one row the float rounds, which was let pass; with two it does not."""

    def mechanism(rows: Any, rng: Any) -> Any:
        return response(rows, rng) if len(rows) < 2 else rows[0]

    fields = {**FIELDS, "n": 2}
    with pytest.raises(AssertionError, match="smallest: n = 1"):
        assert_private(mechanism, **fields)
    with pytest.raises(AssertionError) as failure:
        assert_private(mechanism, **fields, rounding="warn")
    assert "smallest: n = 1" not in str(failure.value)


def test_what_else_is_said_of_rounding_is_refused() -> None:
    with pytest.raises(Exception, match="rounding = 'allow' is unknown; accepted: fail, warn"):
        request_of({**FIELDS, "rounding": "allow"})


def test_the_properties_of_a_test_that_passes_tell_it() -> None:
    with pytest.warns(UserWarning, match="BY ROUNDING ONLY"):
        properties = request_of({**FIELDS, "rounding": "warn"}).run(response).properties
    (audit,) = audits_in("a.py::test", ("a.py", 3, "test"), False, [(f"dp_{key}", x) for key, x in properties.items()])
    assert (audit.properties["private"], audit.rule) == ("fails, by rounding only", "rounding")
    assert "BY ROUNDING ONLY" in audit.properties["says"]
    assert summary_line([audit]) == "finitedp: 1 audit: 0 hold, 0 fail, 0 undecided, 1 fail by rounding only"


def test_a_divergence_that_fails_is_counted() -> None:
    """The sums at the end of a run did not know the rule, and raised KeyError."""
    found = audits_in("a.py::test", ("a.py", 3, "test"), False, [("dp_private", "holds"), ("dp_renyi", "fails")])
    assert summary_line(found) == "finitedp: 1 audit: 0 hold, 1 fail, 0 undecided"
