"""What a run of the plugin leaves for others: the smallest failing audit, samples, a step summary, SARIF; and its types."""

import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest
from attrs import frozen

from finitedp.errors import ParameterError, SamplerError
from finitedp.proofs_check.report.sarif import RULES, Problem, in_repository, sarif
from finitedp.pytest_sampled import sampled_request_of
from finitedp_pytest import _writable
from finitedp_pytest.outcomes import Audit, audits_in, summary_line, write_sarif, write_step_summary
from finitedp_pytest.summary import Summary

TESTS = """
import math
import random

import pytest
from finitedp_pytest import assert_private, dp_claim, dp_sampled

BITS = {"neighbours": "replace-one", "universe": [0, 1]}


def response(rows, rng):
    return rows[0] if rng.random() < 0.75 else 1 - rows[0]


def of_the_module(rows):
    return rows[0] if random.random() < 0.75 else 1 - rows[0]


def noisy_count(count, rng):
    while rng.random() < 0.5:
        count += 1
    while rng.random() < 0.5:
        count -= 1
    return count


def two_rows(rows, rng):
    return sum(rows) // 2 if rng.random() < 0.75 else 0


def gaussian(count, rng):
    return round(count + rng.gauss(0, 1))


@dp_claim(epsilon="ln 3", n=1, **BITS)
def test_holds():
    return response


@pytest.mark.dp_claim(epsilon="11/10", n=1, **BITS)
def test_of_a_module():
    return of_the_module


@pytest.mark.dp_claim(epsilon=1, neighbours="counts", n=1, budget={"bits": 36})
def test_nearly():
    return noisy_count


@pytest.mark.dp_claim(epsilon=1, neighbours="counts", n=1, budget={"bits": 36}, undecided="allow")
def test_nearly_is_allowed():
    return noisy_count


@pytest.mark.dp_claim(epsilon=1, neighbours="counts", n=1, budget={"bits": 36}, delta="2^-33")
def test_stated():
    return noisy_count


@pytest.mark.dp_claim(epsilon=1, n=3, neighbours="replace-one", universe=["|", 0, 1])
def test_shrinks():
    return lambda rows, rng: two_rows([x == 1 for x in rows], rng)


@pytest.mark.xfail(strict=True)
@pytest.mark.dp_claim(epsilon=1, n=1, **BITS)
def test_known():
    return response


@dp_sampled(epsilon="11/10", n=1, samples=2000, seed=1, **BITS)
def test_sampled():
    return response


@pytest.mark.dp_sampled(epsilon="1/10", n=1, samples=4000, seed=1, error="1/1000", **BITS)
def test_sampled_violation():
    return response


@pytest.mark.dp_sampled(epsilon=2, neighbours="counts", n=1, samples=2000, seed=1)
def test_what_is_not_followed():
    return gaussian


@pytest.mark.dp_sampled(epsilon=2, neighbours="counts", n=1, error=0.5)
def test_wrong_error():
    return gaussian


@pytest.mark.dp_sampled(epsilon=2, neighbours="counts", n=1, runs=3)
def test_wrong_field():
    return gaussian


@pytest.mark.dp_claim(epsilon=2, neighbours="counts", n=1)
def test_refused():
    return lambda count, rng: 1 // 0


@pytest.mark.dp_claim(epsilon=2, neighbours="counts", n=1)
def test_raises():
    raise RuntimeError("before there is a mechanism")


@pytest.fixture
def missing():
    raise RuntimeError("a fixture")


@pytest.mark.dp_claim(epsilon=2, neighbours="counts", n=1)
def test_without_its_fixture(missing):
    return noisy_count


@pytest.mark.skip
@pytest.mark.dp_claim(epsilon=2, neighbours="counts", n=1)
def test_left_out():
    return noisy_count


@pytest.mark.parametrize("größe", ["ä|b", "c/d::e"])
@pytest.mark.dp_claim(epsilon=1, n=[1, 2], **BITS)
def test_größe(größe):
    return response
"""


def pytest_in(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_", "COLUMNS", "GITHUB_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(command, cwd=folder, env=clean | environment, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


@frozen
class Run:
    """What a run of the tests above left."""

    text: str
    folder: Path
    cases: dict[str, ET.Element]

    def failure(self, name: str) -> str:
        found = self.cases[name].find("failure")
        return "" if found is None else found.text or ""

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text()

    @property
    def results(self) -> list[Any]:
        return json.loads((self.folder / "new" / "out.sarif").read_text())["runs"][0]["results"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """With two workers, which must leave the summary and SARIF to the one that shares out the tests."""
    folder = tmp_path_factory.mktemp("repository") / "unter ordner é#"
    folder.mkdir()
    (folder / "test_it.py").write_text(TESTS, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    (folder / "summary.md").write_text("before\n")
    arguments = ["--junitxml=out.xml", "--finitedp-sarif", "new/out.sarif", "--finitedp-report", "kept", "-n", "2"]
    github = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_WORKSPACE": str(folder.parent)}
    code, text = pytest_in(folder, *arguments, **github)
    assert code == 1, text
    cases = {case.attrib["name"]: case for case in ET.parse(folder / "out.xml").iter("testcase")}  # noqa: S314  # our own
    return Run(text, folder, cases)


@pytest.mark.deep
def test_what_fails(run: Run) -> None:
    bad = {name for name in run.cases if run.failure(name)}
    assert bad == {
        *("test_nearly", "test_shrinks", "test_sampled_violation", "test_refused", "test_wrong_error", "test_wrong_field"),
        *("test_raises", "test_größe[\\xe4|b]", "test_größe[c/d::e]"),
    }
    told = "19 audits: 3 hold, 7 fail, 0 undecided, 2 hold with delta + u, 2 sampled without a violation"
    assert f"finitedp: {told}, 5 could not be audited\n" in run.text
    assert "finitedp: SARIF in new/out.sarif\n" in run.text


@pytest.mark.deep
def test_what_holds_with_a_little_more_delta_fails_with_the_next_step(run: Run) -> None:
    text = run.failure("test_nearly")
    assert text.startswith("finitedp: The privacy claim HOLDS WITH DELTA + 2^-")
    assert 'next: claim it, delta = "2^-' in text
    assert 'or let it pass, undecided = "allow"' in text


@pytest.mark.deep
def test_a_failing_claim_is_shrunk(run: Run) -> None:
    text = run.failure("test_shrinks")
    assert "; n = 3, universe ['|', 0, 1]\n" in text
    assert (
        "\nsmallest: n = 2, universe [0, 1]\ninputs A = [" in text
        or "\nsmallest: n = 2, universe ['|', 1]\ninputs A = [" in text
    )


@pytest.mark.deep
def test_samples_are_said_to_be_samples(run: Run) -> None:
    text = run.failure("test_sampled_violation")
    assert text.startswith("finitedp: by samples, with an error of at most 1/1000: violated with confidence 999/1000")
    assert run.failure("test_wrong_error").startswith("finitedp: dp_sampled: error = 0.5 is a float")
    assert run.failure("test_wrong_field").startswith("finitedp: dp_sampled: the field 'runs' is unknown; accepted: epsilon, ")
    kept = [json.loads(path.read_text()) for path in (run.folder / "kept").glob("*.samples")]
    assert sorted(found["private"] for found in kept) == ["no violation found", "no violation found", "violated"]


@pytest.mark.deep
def test_the_step_summary_tells_every_audit(run: Run) -> None:
    before, _, table = run.summary.partition("### Privacy audits\n")
    assert before == "before\n"
    rows = [line for line in table.splitlines() if line.startswith("| test\\_it.py")]
    assert len(rows) == 19
    (known,) = (row for row in rows if "known to fail" in row)
    assert "test\\_known" in known
    assert all(row.replace("\\|", "").count("|") == 7 for row in rows)
    assert any("no violation found" in row and "not sampled" in row for row in rows)


@pytest.mark.deep
def test_sarif_tells_what_is_wrong_and_where(run: Run) -> None:
    names = [result["message"]["text"].partition(": ")[0].partition("::")[2] for result in run.results]
    found = dict(zip(names, run.results, strict=True))
    assert {name: result["ruleId"] for name, result in found.items()} == {
        "test_nearly": "delta-needed",
        "test_nearly_is_allowed": "delta-needed",
        "test_shrinks": "privacy-fails",
        "test_known": "privacy-fails",
        "test_sampled_violation": "privacy-fails",
        "test_refused": "not-audited",
        "test_wrong_error": "not-audited",
        "test_wrong_field": "not-audited",
        "test_raises": "not-audited",
        "test_without_its_fixture": "not-audited",
        "test_größe[\\xe4|b]": "privacy-fails",
        "test_größe[c/d::e]": "privacy-fails",
    }
    assert len(names) == len(found) + 2  # two of the last ones, for n = 1 and n = 2
    assert [name for name, result in found.items() if "suppressions" in result] == ["test_known"]
    lines = TESTS.splitlines()
    place = found["test_shrinks"]["locations"][0]["physicalLocation"]
    assert "test_shrinks" in "\n".join(lines[place["region"]["startLine"] - 1 : place["region"]["startLine"] + 2])
    assert all(list(RULES)[result["ruleIndex"]] == result["ruleId"] for result in run.results)


@pytest.mark.deep
def test_sarif_is_as_its_standard_asks(run: Run) -> None:
    """What the published schema (2.1.0) and its text ask of results, as far as these have it."""
    for result in run.results:
        (place,) = result["locations"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        assert uri == "unter%20ordner%20%C3%A9%23/test_it.py"  # from the root of the repository, escaped
        text = result["message"]["text"]
        assert not re.search(r"[{}]", re.sub(r"\{\{|\}\}", "", text)), text  # a single brace would be a placeholder
    assert any("event S = {{1}}" in result["message"]["text"] for result in run.results)
    lines = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in run.results]
    assert lines == sorted(lines)
    known_by = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run.results]
    assert len(set(known_by)) == len(known_by)


PASSES = "def test_it():\n    pass\n"


@pytest.mark.deep
def test_without_audits_sarif_has_no_results_and_no_summary_is_written(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PASSES)
    summary = tmp_path / "s.md"
    code, text = pytest_in(tmp_path, "--finitedp-sarif", "none/out.sarif", GITHUB_STEP_SUMMARY=str(summary))
    assert (code, "finitedp: SARIF in none/out.sarif\n" in text, summary.exists()) == (0, True, False)
    assert json.loads((tmp_path / "none" / "out.sarif").read_text())["runs"][0]["results"] == []
    assert " audits: " not in text


@pytest.mark.deep
def test_a_run_without_tests_leaves_no_sarif(tmp_path: Path) -> None:
    """One without results would say that nothing is wrong any more. That of an earlier run goes, too."""
    (tmp_path / "test_it.py").write_text(PASSES)
    (tmp_path / "out.sarif").write_text("of an earlier run")
    code, text = pytest_in(tmp_path, "--finitedp-sarif", "out.sarif", "-k", "other")
    assert (code, "finitedp: no SARIF, since the tests were not run to their end\n" in text) == (5, True)
    assert not (tmp_path / "out.sarif").exists()


@pytest.mark.parametrize(
    ("file", "reason"), [("a.py/out.sarif", "cannot be written: "), (" ", "the name of the file is empty")]
)
def test_where_sarif_cannot_be_written_no_test_is_run(file: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    with pytest.raises(pytest.UsageError, match=reason):
        _writable(file, tmp_path)


@pytest.mark.deep
def test_sarif_that_cannot_be_written_at_the_end_fails_a_run_that_passed(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "from pathlib import Path\n\n\ndef test_it():\n    Path('out.sarif').unlink()\n    Path('out.sarif').mkdir()\n"
    )
    code, text = pytest_in(tmp_path, "--finitedp-sarif", "out.sarif")
    assert (code, f"finitedp: {tmp_path / 'out.sarif'}: Is a directory\n" in text) == (1, True)
    assert "1 passed" in text


# By themselves


class Holder:
    """Equal only to itself, whatever it holds."""

    def __init__(self, value: Any) -> None:
        self.value = value


def generating(count: int, rng: Any) -> Any:
    yield count if rng.random() < 2 else 0


SAMPLED: dict[str, Any] = {"epsilon": 1, "neighbours": "counts", "n": 1, "samples": 1200, "seed": 1}


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (lambda count, rng: Holder(count), "the output is a Holder"),
        (lambda count, rng: [Holder(count)], "the output is a Holder"),
        (generating, "the output is a generator"),
        (lambda count, rng: True if count else 1, "two outputs equal (True|1) but are of different types"),
    ],
)
def test_samples_of_outputs_that_equality_does_not_tell_are_refused(mechanism: Any, reason: str, tmp_path: Path) -> None:
    with pytest.raises(SamplerError, match=reason):
        sampled_request_of(SAMPLED).run(mechanism, "a test", 1, tmp_path)


@pytest.mark.parametrize("output", [[1, 2], {"a": 1.5}, float("nan"), (None, "x"), {3, 4}])
def test_samples_of_plain_outputs_are_counted(output: Any, tmp_path: Path) -> None:
    found = sampled_request_of(SAMPLED).run(lambda count, rng: output, "a test", 1, tmp_path)
    assert found.properties["private"] == "no violation found"
    leaking = sampled_request_of(SAMPLED).run(lambda count, rng: [output, count], "a test", 1, tmp_path)
    assert leaking.properties["private"] == "violated"


@pytest.mark.parametrize("seed", [-1, "a", 1.5, True])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(ParameterError, match="seed"):
        sampled_request_of({**SAMPLED, "seed": seed})


PLACE = ("a.py", 3, "test")


def audited(**properties: str) -> Audit:
    (audit,) = audits_in("a.py::test", PLACE, False, [(f"dp_{key}", value) for key, value in properties.items()])
    return audit


@pytest.mark.parametrize(
    ("properties", "rule"),
    [
        ({"private": "holds", "law": "not specified", "accuracy": "not claimed"}, None),
        ({"private": "holds", "law": "differs"}, "law-differs"),
        ({"private": "undecided", "law": "differs"}, "law-differs"),
        ({"private": "holds with delta + u", "law": "undecided"}, "undecided"),
        ({"private": "holds with delta + u", "law": "equal"}, "delta-needed"),
        ({"private": "no violation found", "sampled": "10"}, None),
        ({"refused": "it prints"}, "not-audited"),
    ],
)
def test_the_worst_is_told(properties: dict[str, str], rule: str | None) -> None:
    assert audited(**properties).rule == rule


def test_a_cell_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "s.md"))
    write_step_summary([audited(private="fails", claim="a | <b>`c`</b>\n[d](e)")])
    (row,) = (line for line in (tmp_path / "s.md").read_text().splitlines() if "fails" in line and line.startswith("|"))
    assert "a \\| \\<b\\>\\`c\\`\\</b\\> \\[d\\](e)" in row
    assert summary_line([audited(private="fails")]) == "finitedp: 1 audit: 0 hold, 1 fail, 0 undecided"


def test_where_files_are_told_from() -> None:
    root = Path("/repository/part")
    assert in_repository("tests/a.py", root) == "tests/a.py"
    assert in_repository("../other/a.py", root) == "/repository/other/a.py"
    (one, two), (outside,) = (
        [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in document["runs"][0]["results"]]
        for document in (
            sarif([Problem("undecided", "", "a b/%20#?.py"), Problem("undecided", "", "c:d.py")], "1", "c"),
            sarif([Problem("undecided", "", "/somewhere/a b.py")], "1", "c"),
        )
    )
    assert (one, two, outside) == ("a%20b/%2520%23%3F.py", "c%3Ad.py", "file:///somewhere/a%20b.py")


def ended(exit_code: pytest.ExitCode = pytest.ExitCode.OK, *, collect_only: bool = False) -> pytest.Session:
    """What the plugin reads of a session."""
    config = Namespace(getoption={"collectonly": collect_only}.__getitem__)
    return cast(pytest.Session, Namespace(exitstatus=exit_code, config=config))


@pytest.mark.parametrize("session", [ended(pytest.ExitCode.INTERRUPTED), ended(pytest.ExitCode(3)), ended(collect_only=True)])
def test_a_run_that_breaks_off_leaves_no_sarif(session: pytest.Session, tmp_path: Path) -> None:
    summary, told = Summary(None, _writable("out.sarif", tmp_path), tmp_path), Told()
    summary.pytest_sessionfinish(session)
    summary.pytest_terminal_summary(told)  # type: ignore[arg-type]
    assert told == ["finitedp: no SARIF, since the tests were not run to their end"]
    assert not (tmp_path / "out.sarif").exists()


class Told(list[str]):
    """The lines that a run ends with."""

    def write_line(self, line: str, **_markup: bool) -> None:
        self.append(line)


def test_a_test_that_is_run_again_counts_once_and_a_summary_that_fails_takes_nothing_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "summary.md"))
    summary, told = Summary(None, tmp_path / "out.sarif", tmp_path), Told()
    for private in ("fails", "holds"):
        for when in ("setup", "call", "teardown"):
            properties = [("dp_private", private), ("dp_law", "not specified"), ("other", 1)]
            outcome = "failed" if (when, private) == ("call", "fails") else "passed"
            place, marks = ("a.py", 3, "test"), {"dp_claim": 1}
            summary.pytest_runtest_logreport(
                pytest.TestReport("a.py::test", place, marks, outcome, None, when, user_properties=properties)  # type: ignore[arg-type]
            )
    summary.pytest_sessionfinish(ended())
    summary.pytest_terminal_summary(told)  # type: ignore[arg-type]
    assert told[0] == "finitedp: 1 audit: 1 hold, 0 fail, 0 undecided"
    assert told[1].startswith("finitedp: step summary: ")
    assert told[2].startswith("finitedp: SARIF in ")
    assert json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"] == []


def test_sarif_of_nothing_wrong_has_no_result(tmp_path: Path) -> None:
    write_sarif([audited(private="holds")], tmp_path / "x.sarif", tmp_path)
    document = json.loads((tmp_path / "x.sarif").read_text())
    assert (document["version"], document["runs"][0]["results"]) == ("2.1.0", [])


TYPED = """
from collections.abc import Sequence
from random import Random

from finitedp_pytest import assert_private, dp_claim, dp_sampled


def response(rows: Sequence[int], rng: Random) -> int:
    return rows[0] if rng.random() < 0.75 else 1 - rows[0]


@dp_claim(epsilon="ln 3", neighbours="replace-one", universe=[0, 1], n=[1, 2])
@dp_sampled(epsilon="ln 3", neighbours="replace-one", universe=[0, 1], n=1, samples=1000)
def test_response() -> object:
    return response


def test_helper() -> None:
    found = assert_private(response, epsilon="ln 3", neighbours="replace-one", universe=[0, 1], n=1)
    private: str = found.private
    assert private == "holds"
"""


@pytest.mark.deep
def test_the_plugin_is_typed_in_a_foreign_project(tmp_path: Path) -> None:
    """mypy --strict takes what is right, and finds a field that is misspelt or of a wrong type."""
    pytest.importorskip("mypy")
    (tmp_path / "test_right.py").write_text(TYPED)
    (tmp_path / "test_wrong.py").write_text(TYPED.replace('neighbours="replace-one"', 'neighbours="next-door"', 1))
    (tmp_path / "test_misspelt.py").write_text(TYPED.replace("samples=1000", "sample=1000"))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache"]
    runs = {
        name: subprocess.run([*command, f"test_{name}.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
        for name in ("right", "wrong", "misspelt")
    }
    assert runs["right"].returncode == 0, runs["right"].stdout
    assert "next-door" in runs["wrong"].stdout
    assert '"sample"' in runs["misspelt"].stdout
    assert all(runs[name].returncode == 1 for name in ("wrong", "misspelt"))
