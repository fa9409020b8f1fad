"""The pytest plugin, as a project sees it: runs of pytest in a folder of their own, alone and with two workers."""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from attrs import frozen
from click.testing import CliRunner
from gmpy2 import mpq

import finitedp_pytest
from finitedp import pytest_smallest, pytest_words
from finitedp.cli.main import main
from finitedp.errors import ExplorationError, ParameterError
from finitedp.impl.counting.geometric import GeoSample
from finitedp.proofs_check import checker
from finitedp.pytest_audits import Fields, request_of
from finitedp_pytest import assert_private

ROOT = Path(__file__).parents[2]

PROJECT = """
import unittest

import pytest
from finitedp_pytest import assert_private


def response(rows, rng):
    return rows[0] if rng.random() < 0.75 else 1 - rows[0]


def listed(rows, rng):
    rows.sort()
    return response(rows, rng)


def unbounded(rows, rng):
    sign, size = 1 if rng.getrandbits(1) else -1, 0
    while rng.getrandbits(1):
        size += 1
    return sum(rows) + sign * size


def biased(rows, rng, truthful):
    return rows[0] if rng.random() < truthful else 1 - rows[0]


BITS = {"neighbours": "replace-one", "universe": [0, 1], "n": 1}
holds = pytest.mark.dp_claim(epsilon="11/10", ratio=3, **BITS)
fails = pytest.mark.dp_claim(epsilon="1", **BITS)
TABLE = {(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}}


@holds
def test_returned():
    return response


@fails
def test_returned_broken():
    return response


@fails
@pytest.mark.parametrize("mechanism", [response, TABLE], ids=["a/b \\u00e9" * 40, "../table"])
def test_given_broken(mechanism):
    assert mechanism


@pytest.fixture
def mechanism():
    return response


@holds
def test_given_by_a_fixture(mechanism):
    pass


@fails
def test_what_is_returned_comes_first(mechanism):
    return TABLE


@holds
@fails
@pytest.mark.dp_claim(epsilon="11/10", neighbours="replace-one", universe=[0, 1], n=[1, 2])
def test_stacked():
    return response


@fails
class TestClass:
    def test_method(self):
        return response

    @pytest.mark.xfail(strict=True)
    def test_known(self):
        return response


@pytest.mark.parametrize("mechanism", [pytest.param(TABLE, marks=holds), pytest.param(response, marks=fails)], ids="ab")
def test_marked_parameters(mechanism):
    pass


@pytest.mark.dp_claim(epsilon=2, neighbours="replace-one", universe=["yes", ("no", 0.5)], n=1)
def test_any_labels():
    return lambda rows, rng: (rows[0] == "yes") == (rng.randrange(4) > 0)


@pytest.mark.dp_claim(epsilon=0, neighbours="counts", n=2)
def test_counts():
    return lambda count, rng: rng.randint(1, 6)


@pytest.mark.dp_claim(epsilon=3, budget={"runs": 20}, **BITS)
def test_undecided():
    return unbounded


@pytest.mark.dp_claim(epsilon=3, budget={"draws": 7}, undecided="allow", **BITS)
def test_undecided_is_allowed():
    return unbounded


@pytest.mark.dp_claim(epsilon=3, budget={"draws": 7}, **BITS)
def test_undecided_for_long_paths():
    return unbounded


@pytest.mark.dp_claim(epsilon=2, specified=TABLE, rows="list", **BITS)
def test_law():
    return listed


@pytest.mark.dp_claim(epsilon=2, specified=lambda rows: {0: "2/3", 1: "1/3"}, **BITS)
def test_law_differs():
    return response


@pytest.mark.dp_claim(epsilon=2, accuracy=(0, "1/4"), truth=sum, **BITS)
def test_accuracy():
    return response


@pytest.mark.dp_claim(epsilon=2, accuracy=(0, "1/5"), truth=sum, parameters={"truthful": 0.625}, name="lies", **BITS)
def test_accuracy_fails():
    return biased


@fails
def test_its_own_assertions_come_first():
    assert 1 + 1 == 3


@fails
@pytest.mark.skip(reason="later")
def test_skipped():
    return response


def test_helper():
    assert assert_private(response, epsilon="11/10", ratio=3, **BITS).tight
    assert_private(response, epsilon="1", **BITS)


def test_helper_with_a_wrong_field():
    assert_private(response, epsilon=0.5, **BITS)


# What is no audit


@fails
async def test_async():
    return response


class TestOld(unittest.TestCase):
    @fails
    def test_unittest(self):
        pass


@fails
def test_nothing():
    pass


@fails
def test_no_mechanism():
    return 3


@fails
def test_raises():
    return lambda rows, rng: 1 // 0


@pytest.mark.dp_claim(epsilon=1, style="table", **BITS)
def test_no_table():
    return response


@pytest.mark.dp_claim(epsilon=0.5, **BITS)
def test_float():
    raise AssertionError("a wrong mark is told before the test runs")


@pytest.mark.dp_claim(epsilon=1, eps=1, **BITS)
def test_unknown_field():
    return response


@pytest.mark.dp_claim(epsilon=1, neighbours="next-door", universe=[0, 1], n=1)
def test_unknown_relation():
    return response


@pytest.mark.dp_claim("1/2", **BITS)
def test_without_a_name():
    return response


@pytest.mark.dp_claim
def test_bare_mark():
    return response


@pytest.mark.dp_claim(epsilon=1, neighbours="counts", n=[])
def test_no_size():
    return response
"""

WITNESS = """\
inputs A = [0] and B = [1]
event S = {0}
P[S at A] = 3/4 (0.75) is ABOVE, by ~0.07043, e^(1) * P[S at B] + delta = e^(1) * 1/4 (0.25) + 0 = ~0.679570457115"""
CLAIM = "claim: (1, 0)-differential privacy, replace-one; n = 1, universe [0, 1]"
BROKEN = f"finitedp: The privacy claim FAILS: the witness below breaks it.\n{CLAIM}\n{WITNESS}"
UNDECIDED = "finitedp: UNDECIDED: the unresolved mass could still break the claim; what may decide: "
KINDS = "accepted: functions, and methods of plain classes"

FAILURES = {
    "test_returned_broken": BROKEN,
    "test_what_is_returned_comes_first": BROKEN,
    "test_stacked": BROKEN,
    "test_method": BROKEN,
    "test_marked_parameters[b]": BROKEN,
    "test_undecided": UNDECIDED,
    "test_undecided_for_long_paths": UNDECIDED,
    "test_law_differs": "finitedp: The law of the code DIFFERS from the specified law. "
    "At the input [1] the output 1 has probability 3/4 (0.75), not 1/3 (~0.33333333). "
    "The total variation distance to it is 5/12 (~0.41666667), at the input [1].\nclaim: (2, 0)-diff",
    "test_accuracy_fails": "finitedp: The accuracy claim FAILS: the largest probability of an error above 0 is 3/8 (0.375) "
    "(at the input [0]); claimed: at most 1/5, counting.\nclaim: (2, 0)-diff",
}
FIELDS = (
    "epsilon, neighbours, n, delta, universe, ratio, style, rows, parameters, specified, accuracy, truth, budget, undecided"
)
REFUSED = {
    "test_async": f"dp_claim does not work on async tests; {KINDS}",
    "test_unittest": f"dp_claim does not work on this kind of test; {KINDS}",
    "test_nothing": "dp_claim audits what the test returns, or its argument `mechanism`: there is neither",
    "test_no_mechanism": "cannot be audited: the mechanism is of type int; "
    "accepted: a function of (data, rng), or a table, {input: {output: probability}}",
    "test_no_table": "cannot be audited: the mechanism is of type function; ",
    "test_raises": "cannot be audited: at the input (0,) the mechanism raised ZeroDivisionError: ",
    "test_float": "dp_claim: epsilon = 0.5 is a float, which is rarely the number meant: write it exactly, for example '1/2'",
    "test_unknown_field": "dp_claim: the field 'eps' is unknown; accepted: neighbours, n, epsilon, delta, ",
    "test_unknown_relation": "dp_claim: neighbours = 'next-door' is unknown; accepted: counts, replace-one, add-remove",
    "test_without_a_name": "dp_claim was given '1/2' without a name; accepted: epsilon=..., neighbours=..., n=..., ...",
    "test_bare_mark": "dp_claim: the field 'neighbours' is missing",
    "test_no_size": "dp_claim: n = [] is empty; accepted: an integer of at least 0, or several",
}
PASSES = {
    *("test_returned", "test_given_by_a_fixture", "test_marked_parameters[a]", "test_any_labels", "test_counts"),
    *("test_undecided_is_allowed", "test_law", "test_accuracy"),
}


def pytest_in(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and the output of a run of pytest that knows nothing of this one."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_", "COLUMNS"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def project(folder: Path, tests: str, addopts: str = "--strict-markers --strict-config") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "pytest.ini").write_text(f"[pytest]\naddopts = {addopts}\nfilterwarnings = error\n")
    (folder / "test_it.py").write_text(textwrap.dedent(tests))
    return folder


@frozen
class Run:
    """What a run of the project left."""

    text: str
    cases: Mapping[str, ET.Element]
    folder: Path

    def failure(self, name: str) -> str:
        found = self.cases[name].find("failure")
        assert found is not None, name
        return found.text or ""

    def properties(self, name: str) -> dict[str, str]:
        return {x.attrib["name"]: x.attrib["value"] for x in self.cases[name].iter("property")}

    @property
    def certificates(self) -> dict[str, Any]:
        """By the hash that is also a property of the test."""
        read = [json.loads(path.read_text()) for path in self.folder.glob("*.json")]
        return {document["sha256"]: document for document in read}


TWO_WORKERS = pytest.param(["-n", "2", "-p", "no:benchmark"], marks=pytest.mark.deep)


@pytest.fixture(scope="module", params=[[], TWO_WORKERS], ids=["alone", "two workers"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = project(tmp_path_factory.mktemp("project"), PROJECT)
    arguments = ["--junitxml=out.xml", "--finitedp-report", "kept/here", *request.param]
    code, text = pytest_in(folder, *arguments)
    assert code == 1, text
    cases = {case.attrib["name"]: case for case in ET.parse(folder / "out.xml").iter("testcase")}  # noqa: S314  # our own
    return Run(text, cases, folder / "kept" / "here")


def test_what_passes_and_what_fails(run: Run) -> None:
    passed = {name for name, case in run.cases.items() if case.find("failure") is None and case.find("skipped") is None}
    assert passed == PASSES
    assert "warning" not in run.text.lower()


def test_a_broken_claim_fails_with_its_witness_in_three_lines(run: Run) -> None:
    for name, text in FAILURES.items():
        assert run.failure(name).startswith(text), name
        assert text in run.text, name
    given = [name for name in run.cases if name.startswith("test_given_broken")]
    assert len(given) == 2
    assert all(run.failure(name).startswith(BROKEN) for name in given)


def test_what_cannot_be_audited_fails_in_one_line(run: Run) -> None:
    for name, text in REFUSED.items():
        assert run.failure(name).startswith(f"finitedp: {text}"), name
        assert "\n" not in run.failure(name)


def test_the_rest_of_a_failure(run: Run) -> None:
    assert run.failure("test_undecided").count("\n") == 6
    assert "\nbudget: raise runs (now 20)\ncertificate: " in run.failure("test_undecided")
    assert "\nbudget: raise draws (now 7) and depth (now 5000)\n" in run.failure("test_undecided_for_long_paths")
    assert re.search(
        r"\ncertificate: kept/here/test_it\.py_test_returned_broken-[0-9a-f]{12}\.json$", run.failure("test_returned_broken")
    )
    assert "FAILS" not in run.failure("test_its_own_assertions_come_first")
    assert "inputs A" not in run.failure("test_law_differs")


def test_the_helper_raises_an_assertion_where_it_is_called(run: Run) -> None:
    text = run.failure("test_helper")
    assert (
        '>       assert_private(response, epsilon="1", **BITS)\nE       AssertionError: finitedp: The privacy claim FAILS'
        in text
    )
    assert all(f"\nE       {line}" in text for line in (CLAIM, *WITNESS.splitlines()))
    assert "finitedp_pytest.py" not in text
    assert "pytest_audits.py" not in text
    assert "ParameterError: epsilon = 0.5 is a float" in run.failure("test_helper_with_a_wrong_field")


def test_properties_land_in_junit_xml(run: Run) -> None:
    found = run.properties("test_returned")
    assert found.pop("dp_certificate") in run.certificates
    assert found == {
        "dp_claim": "(11/10, 0)-differential privacy, replace-one, worst ratio at most 3; n = 1, universe [0, 1]",
        "dp_private": "holds",
        "dp_law": "not specified",
        "dp_accuracy": "not claimed",
        "dp_worst_ratio": "3",
        "dp_decides": "worst ratio 3; claimed: at most 3",
    }
    assert run.properties("test_law_differs")["dp_law"] == "differs"
    assert run.properties("test_accuracy_fails")["dp_accuracy"] == "fails"
    assert run.properties("test_undecided")["dp_worst_ratio"] == "unknown"
    assert run.properties("test_no_mechanism").keys() == {"dp_refused"}


def test_every_audit_of_a_test_has_its_own_properties(run: Run) -> None:
    found = run.properties("test_stacked")
    assert [found[f"dp_private{ending}"] for ending in ("", ".2", ".3", ".4")] == ["holds", "holds", "fails", "holds"]
    assert run.failure("test_stacked").count("finitedp: ") == 1
    found = run.properties("test_helper")
    assert (found["dp_private"], found["dp_private.2"]) == ("holds", "fails")
    assert (found.get("dp_says"), found["dp_says.2"]) == (None, BROKEN)
    assert len(found) == 15


def test_every_audit_keeps_a_certificate_that_the_checker_accepts(run: Run) -> None:
    properties = [item for name in run.cases for item in run.properties(name).items()]
    hashes = [value for key, value in properties if key.startswith("dp_certificate")]
    assert len(hashes) == len(set(hashes)) == len(list(run.folder.iterdir())) == 25
    assert set(hashes) == run.certificates.keys()
    result = CliRunner().invoke(main, ["check", *map(str, run.folder.iterdir())])
    assert result.exit_code == 0, result.output
    assert max(len(path.name) for path in run.folder.iterdir()) < 130


def test_a_certificate_says_where_it_comes_from(run: Run) -> None:
    document = run.certificates[run.properties("test_accuracy_fails")["dp_certificate"]]
    assert document["name"] == "lies"
    assert document["derived"]["mechanism"] == "test_it:biased"
    assert document["derived"]["command"] == "pytest test_it.py::test_accuracy_fails --finitedp-report DIR"
    document = run.certificates[run.properties("test_any_labels")["dp_certificate"]]
    assert document["name"] == document["derived"]["test"] == "test_it.py::test_any_labels"
    assert document["universe"] == ["yes", "('no', 0.5)"]


def test_the_summary_counts_the_audits(run: Run) -> None:
    told = "finitedp: 38 audits: 11 hold, 11 fail, 3 undecided, 13 could not be audited\nfinitedp: certificates in kept/here\n"
    assert told in run.text


@pytest.mark.deep
def test_without_marks_the_library_is_never_imported(tmp_path: Path) -> None:
    folder = project(tmp_path, "def test_nothing():\n    pass\n")
    (folder / "conftest.py").write_text(
        "import pathlib, sys\ndef pytest_unconfigure():\n"
        "    pathlib.Path('loaded').write_text(' '.join(x for x in sys.modules if x.startswith('finitedp')))\n"
    )
    code, text = pytest_in(folder, "--finitedp-report=kept")
    assert code == 0, text
    assert set((folder / "loaded").read_text().split()) == {"finitedp_pytest", "finitedp_pytest.summary"}
    assert "finitedp:" not in text


@pytest.mark.deep
def test_the_mark_and_the_option_are_documented(tmp_path: Path) -> None:
    folder = project(tmp_path, "")
    assert (
        "@pytest.mark.dp_claim(epsilon, neighbours, n, delta=0, universe=(), ...): audit" in pytest_in(folder, "--markers")[1]
    )
    assert "--finitedp-report=DIR" in pytest_in(folder, "--help")[1]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("chosen", "reason"), [("file", "file cannot be used: File exists"), (" ", "the name of the folder is empty")]
)
def test_a_folder_that_cannot_be_used_is_told_at_the_start(tmp_path: Path, chosen: str, reason: str) -> None:
    folder = project(tmp_path, "def test_it():\n    pass\n")
    (folder / "file").write_text("")
    code, text = pytest_in(folder, "--finitedp-report", chosen)
    assert code == pytest.ExitCode.USAGE_ERROR
    assert re.fullmatch(rf"ERROR: --finitedp-report: .*{reason}\n+", text)


@pytest.mark.deep
def test_without_the_plugin_the_mark_is_unknown(tmp_path: Path) -> None:
    folder = project(tmp_path, "import pytest\n@pytest.mark.dp_claim\ndef test_it():\n    pass\n")
    code, text = pytest_in(folder, "-p", "no:finitedp")
    assert code == pytest.ExitCode.INTERRUPTED
    assert "'dp_claim' not found in `markers`" in text


# Called from here


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no test ran, so that the run that this belongs to does not count these audits."""
    monkeypatch.setattr(finitedp_pytest, "_running", [])


def response(rows: tuple[int, ...], rng: Any) -> int:
    return rows[0] if rng.random() < 0.75 else 1 - rows[0]


@pytest.mark.usefixtures("outside")
def test_the_helper_outside_of_pytest() -> None:
    found = assert_private(response, epsilon="11/10", neighbours="replace-one", universe=[0, 1], n=1)
    assert (found.name, found.worst_ratio, found.universe) == ("response", mpq(3), (0, 1))
    with pytest.raises(AssertionError, match=re.escape(BROKEN)):
        assert_private(response, epsilon=1, neighbours="replace-one", universe=[0, 1], n=1)
    with pytest.raises(
        ExplorationError, match=r"uses random\.gammavariate\(\), which cannot be followed exactly: it combines draws"
    ):
        assert_private(lambda _, rng: rng.gammavariate(1, 1), epsilon=1, neighbours="replace-one", universe=[0, 1], n=1)


@pytest.mark.usefixtures("outside")
def test_a_mechanism_of_the_library_draws_from_coins() -> None:
    mechanism = GeoSample(3, "1")
    assert assert_private(mechanism.release, epsilon=1, ratio="3/2", neighbours="counts", n=3, style="coins").tight


RESPONSE: dict[str, Any] = {"epsilon": 1, "neighbours": "replace-one", "universe": [0, 1], "n": 1}


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"n": "1"}, "n = '1'"),
        ({"universe": [[]]}, "universe = [[]]: unhashable type: 'list'; accepted: a sequence of hashable labels"),
        ({"universe": 3}, "universe = 3: 'int' object is not iterable"),
        ({"style": "dice"}, "style = 'dice' is unknown; accepted: coins, random, numpy, none, table"),
        ({"rows": "array"}, "rows = 'array' is unknown; accepted: tuple, list"),
        ({"undecided": "pass"}, "undecided = 'pass' is unknown; accepted: fail, allow"),
        ({"parameters": [1]}, "parameters = [1] cannot be used; accepted: a dict of values by name"),
        ({"specified": 1}, "specified = 1 cannot be used; accepted: a table of laws or a function of the data"),
        ({"truth": 1}, "truth = 1 cannot be used; accepted: a function of the data"),
        ({"name": 1}, "name = 1 cannot be used; accepted: a string"),
        ({"accuracy": 1}, "accuracy = 1 cannot be used; accepted: (a, beta) or (a, beta, kind)"),
        (
            {"accuracy": (1, "1/2", "good")},
            "kind = 'good' is unknown; accepted: counting, per-query, simultaneous",
        ),
        (
            {"budget": {"run": 1}},
            "budget = {'run': 1} cannot be used; accepted: a dict of bits, runs, draws, depth, fanout and inputs",
        ),
        ({"budget": {"runs": 0}}, "budget of runs = 0"),
    ],
)
def test_wrong_fields(fields: Mapping[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(reason)):
        assert_private(response, **{**RESPONSE, **fields})


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("mechanism", "fields"), [({}, {"style": "random"}), ({(0,): 1}, {}), (response, {"style": "table"}), (None, {})]
)
def test_wrong_mechanisms(mechanism: Any, fields: Mapping[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"^the mechanism is .*; accepted: "):
        assert_private(mechanism, **{**RESPONSE, **fields})


def later(count: int, rng: Any) -> int:
    """It fails from the count 3 on, and cannot be asked for fewer than 2."""
    return min(count // 3, 1) if rng.random() < 0.5 else 0


@pytest.mark.usefixtures("outside")
def test_a_smaller_audit_is_checked_again_before_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    fields: Any = {"epsilon": 0, "neighbours": "counts", "n": 5}
    with pytest.raises(AssertionError, match=r"\nsmallest: n = 3\ninputs A = 2 and B = 3\n"):
        assert_private(later, **fields)
    monkeypatch.setattr(pytest_words, "check", lambda _document: "no")
    with pytest.raises(AssertionError, match=r"\na smaller audit fails, but the lone checker rejects it: no$"):
        assert_private(later, **fields)


@pytest.mark.usefixtures("outside")
def test_what_breaks_while_smaller_inputs_are_looked_at_hides_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object) -> None:
        raise RecursionError

    monkeypatch.setattr(pytest_words, "smallest", broken)
    with pytest.raises(AssertionError, match=r"FAILS[^$]*\nsmaller inputs were not looked at: RecursionError there$"):
        assert_private(later, epsilon=0, neighbours="counts", n=5)


@pytest.mark.usefixtures("outside")
def test_a_search_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest_smallest, "_MORE", -(10**6))
    with pytest.raises(AssertionError, match=r"FAILS[^$]*\nsmaller inputs were not all looked at: that took too long$"):
        assert_private(later, epsilon=0, neighbours="counts", n=5)


@pytest.mark.deep
def test_large_laws_stand_apart(tmp_path: Path) -> None:
    law = dict.fromkeys(range(30_000), "1/30000")
    found = request_of({"epsilon": 0, "neighbours": "counts", "n": 1}).run({0: law, 1: law}, "test_it", 2, tmp_path)
    assert found.file is not None
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".laws"]
    assert checker.check(json.loads(found.file.read_text()), tmp_path) is None
    assert found.properties["certificate"] == json.loads(found.file.read_text())["sha256"]


def test_the_name_of_a_file_tells_tests_apart(tmp_path: Path) -> None:
    ask = request_of({"epsilon": 0, "neighbours": "counts", "n": 1}).run
    tests = ["a/b", "a_b", "A_b", "x" * 300, "x" * 301, "..", "/é", "/è", "\udc80"]
    files = {ask({0: {0: 1}, 1: {0: 1}}, test, number, tmp_path).file for test in tests for number in (1, 2)}
    assert len({str(file).lower() for file in files}) == len(list(tmp_path.iterdir())) == 18
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{13,130}", file.name) and file.parent == tmp_path for file in files if file)


# The manual


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


@pytest.mark.deep
@pytest.mark.parametrize("name", ["plugin.md", "example/README.md"])
def test_the_manual_shows_a_real_failure(name: str, example: Callable[..., tuple[int, str]]) -> None:
    code, text = example("--runxfail", "tests/test_broken.py")
    assert code == 1
    shown = re.search(r"^finitedp: The privacy.*?(?=^finitedp: 1 audit)", text, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert shown[0].strip() in page(name)


def test_the_manual_names_every_field() -> None:
    assert all(f"`{field}`" in page("plugin.md") for field in Fields.__annotations__)


@pytest.fixture
def example(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """A copy of the example repository."""
    for source in (ROOT / "docs" / "example").rglob("*"):
        if source.suffix in (".py", ".toml", ".csv"):
            target = tmp_path / source.relative_to(ROOT / "docs" / "example")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    return lambda *arguments: pytest_in(tmp_path, *arguments)


@pytest.mark.deep
def test_the_example_runs_as_its_readme_says(example: Callable[..., tuple[int, str]]) -> None:
    code, text = example("-q", "--finitedp-report", "privacy-certificates")
    assert code == 0, text
    shown = re.search(r"^finitedp: .*?xfailed", text, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert shown[0] in page("example/README.md")
