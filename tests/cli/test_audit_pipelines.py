"""finitedp audit of code that draws continuous noise: verdicts, witnesses, declared primitives, wrong input."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main

MECHANISMS = """
import json
import math
import random
import numpy as np


class Noise:
    def __init__(self, epsilon, sensitivity):
        self.epsilon, self.sensitivity = epsilon, sensitivity

    def randomise(self, value):
        return value + random.gammavariate(1, 1)


def from_a_library(value, b):
    return value + random.gammavariate(1, b)


def count(rows):
    return sum(rows) + np.random.laplace(0, 1)


def hundredfold(rows):
    return 100 * sum(rows) + np.random.laplace(0, 1)


def ulp(rows):
    return sum(rows) + np.random.laplace(0, 1 - 2**-50)


def compared(rows):
    return sum(rows) + np.random.normal(0, 4) > 0


def by_class(rows):
    return Noise(1, 1).randomise(sum(rows))


def by_library(rows):
    return from_a_library(sum(rows), 2)


def raises(rows):
    raise KeyError(np.random.laplace() > 0)


def casts(rows):
    return float(sum(rows) + np.random.laplace())


def told(rows):
    noise = np.random.laplace()
    return json.dumps(1000 * sum(rows) + noise) if noise > 0 else 0


def of_uniform(rows):
    return sum(rows) + random.uniform(0, 3)


def of_exponential(rows):
    return sum(rows) + random.expovariate(1)


def endless(rows):
    return np.random.laplace(0, 1 if sum(rows) else math.inf)


def negative(rows):
    return np.random.laplace(0, -1)


def as_many_as_rows(rows):
    return [np.random.laplace() for _ in range(sum(rows))]


def sum_of_many(rows):
    return sum(np.random.laplace() for _ in range(1 + sum(rows)))


def not_a_number(rows):
    return np.random.laplace(math.nan if rows[0] else 0, 1)


def without_noise(rows):
    return np.random.laplace(sum(rows), 0)
"""
ASKED = "--epsilon 1 --neighbours replace-one --universe 0,1 --n 2"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mech.py").write_text(MECHANISMS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audit(words: str) -> Result:
    return CliRunner().invoke(main, ["audit", *words.split()], env={"COLUMNS": "120"})


@pytest.mark.parametrize(
    ("function", "code", "words"),
    [
        ("count", 0, ["HOLDS for all neighbouring inputs", "epsilon = 1, at", "ideal primitives"]),
        (
            "hundredfold",
            1,
            ["FAILS, also for ideal", "in hundredfold, mech.py:25: laplace noise of scale 1", "moves by 100", "allows 1"],
        ),
        ("ulp", 1, ["FAILS BY ROUNDING ONLY"]),
        ("of_uniform", 1, ["FAILS, also for ideal"]),  # floats of 53 bits, which the exact audit refuses to list
        ("of_exponential", 1, ["FAILS, also for ideal", "number 1 below 1", "P at A = 0.632121, at B = 0"]),
        ("compared", 1, ["UNKNOWN", "mu = 0.25", "1 undecided"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_verdicts(function: str, code: int, words: list[str]) -> None:
    found = audit(f"mech.py:{function} {ASKED}")
    assert found.exit_code == code
    assert all(part in " ".join(found.output.replace("│", " ").split()) for part in words)


@pytest.mark.parametrize(
    ("function", "code", "words"),
    [
        ("endless", 1, "possible at A, of probability 0 at B"),
        ("not_a_number", 1, "where B never has them"),
        ("without_noise", 1, "output 0"),
        ("as_many_as_rows", 1, "output []"),
        ("sum_of_many", 1, "loss"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_the_data_decide_of_the_noise_is_a_finding(function: str, code: int, words: str) -> None:
    found = audit(f"mech.py:{function} {ASKED}")
    assert found.exit_code == code
    assert words in " ".join(found.output.replace("│", " ").split())


@pytest.mark.usefixtures("folder")
def test_a_failure_by_rounding_may_be_a_warning() -> None:
    assert audit(f"mech.py:ulp {ASKED} --rounding warn").exit_code == 0


def test_json_and_sarif(folder: Path) -> None:
    found = audit(f"mech.py:hundredfold {ASKED} --json --sarif s.json")
    (document,) = json.loads(found.output)["pipelines"]
    assert (document["private"], document["bound"]["cost"], document["bound"]["epsilon"]) == ("fails", "100", 100.0)
    (result,) = json.loads((folder / "s.json").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "privacy-fails"
    assert "moves by 100" in result["message"]["text"]


@pytest.mark.parametrize(
    ("function", "said", "zcdp"),
    [("count", "holds, if the primitives are ideal", "unknown"), ("hundredfold", "fails", "fails")],
)
def test_certificates_are_written_and_checked(folder: Path, function: str, said: str, zcdp: str) -> None:
    audit(f"mech.py:{function} {ASKED} --certificates kept")
    found = CliRunner().invoke(main, ["check", f"kept/{function}.json"])
    assert (found.exit_code, found.output) == (0, f"kept/{function}.json: accepted: the claim {said}\n")
    audit(f"mech.py:{function} {ASKED} --zcdp 4/9 --certificates kept")
    found = CliRunner().invoke(main, ["check", f"kept/{function}.json"])
    assert found.output == f"kept/{function}.json: accepted: the claim {said}; zcdp {zcdp}\n"
    document = json.loads((folder / "kept" / f"{function}.json").read_text())
    (folder / "forged.json").write_text(json.dumps({**document, "name": "another"}))
    assert CliRunner().invoke(main, ["check", "forged.json"]).exit_code == 1


@pytest.mark.usefixtures("folder")
def test_divergences_are_decided_beside_epsilon() -> None:
    found = audit(f"mech.py:compared {ASKED} --renyi 2,1/16 --zcdp 1/33 --json")
    (document,) = json.loads(found.output)["pipelines"]
    assert document["verdicts"] == {"private": "unknown", "renyi": "holds, if the primitives are ideal", "zcdp": "unknown"}
    assert document["bounds"]["renyi"].startswith("divergence of order 2 <= 1/16, at")


def test_reports_show_what_the_checker_accepts(folder: Path) -> None:
    assert audit(f"mech.py:hundredfold mech.py:ulp {ASKED} --html r.html").exit_code == 1
    page = (folder / "r.html").read_text()
    assert page.count("<h2>Pipeline:") == 2
    assert "moves by 100" in page
    files = sorted(map(str, (folder / "r-certificates").glob("*.json")))
    told = CliRunner().invoke(main, ["report", *files]).output
    assert "1 claim of pipelines: fails; 1 claim of pipelines: fails by rounding only." in told
    Path(files[0]).write_text(Path(files[0]).read_text().replace('"fails"', '"unknown"'))
    found = CliRunner().invoke(main, ["report", files[0]])
    assert found.exit_code == 1
    assert "**REJECTED**" in found.output
    assert "moves by" not in found.output


@pytest.mark.usefixtures("folder")
def test_no_verdict_is_of_some_pairs() -> None:
    found = audit(f"mech.py:count {ASKED.replace('--n 2', '--n 9')} --time-limit 1e-9")
    assert found.exit_code == 1
    assert "as claimed" not in found.output.split("Audits:")[-1]


@pytest.mark.usefixtures("folder")
def test_workers_find_the_same() -> None:
    alone, shared = (json.loads(audit(f"mech.py:count {ASKED} --json --jobs {jobs}").output) for jobs in (1, 2))
    assert alone == shared


def test_declared_primitives_of_a_class_and_of_a_module(folder: Path) -> None:
    (folder / "a.toml").write_text(
        """
        mechanism = "mech.py:by_class"
        universe = [0, 1]
        n = 2
        claim = { neighbours = "replace-one", epsilon = 1 }
        [[primitives]]
        function = "mech.py:Noise.randomise"
        law = "laplace"
        location = "value"
        scale = "self.sensitivity / self.epsilon"
        [[instances]]
        name = "of a class"
        [[instances]]
        name = "of a module"
        mechanism = "mech.py:by_library"
        primitives = [{ function = "mech.py:from_a_library", law = "laplace", location = "value", scale = "b / 4" }]
        """
    )
    found = audit("a.toml --json")
    of_class, of_module = json.loads(found.output)["pipelines"]
    assert (of_class["private"], of_class["bound"]["cost"]) == ("holds, if the primitives are ideal", "1")
    assert (of_module["private"], of_module["bound"]["cost"]) == ("fails", "2")
    assert "in by_library, " in of_module["witness"][-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("count --primitive mech.py:from_a_library,laplace,value,b", "declared and never called"),
        (
            "by_library --primitive mech.py:from_a_library,laplace,value,open(b)",
            "scale = 'open(b)' cannot be used",
        ),
        ("by_library --primitive mech.py:from_a_library,laplace,value.__class__,b", "location = 'value.__class__'"),
        ("by_library --primitive mech.py:from_a_library,laplace,value,c", "names 'c'; its parameters: value, b"),
        ("by_library --primitive mech.py:from_a_library,laplace,value", "not of the form PLACE,LAW,LOCATION,SCALE"),
        ("by_library --primitive mech.py:from_a_library,cauchy,value,b", "cauchy"),
        ("by_library --primitive mech.py:nothing,laplace,value,b", "has no 'nothing'"),
        ("by_library", "random.gammavariate"),
        ("count --compose 2", "compose is given"),
        ("count --accuracy 1,1/2", "accuracy is given"),
        ("raises", "raises on every path, KeyError"),
        ("casts", "in casts, mech.py:49 needs the value of a draw"),
        ("negative", "in negative, mech.py:70 draws laplace noise of the scale -1, scale < 0; next: look at what makes it "),
        ("told", "and raises TypeError (Object of type float is not JSON serializable); next: return the number as it is"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_input_is_refused_in_one_line(words: str, message: str) -> None:
    found = audit(f"mech.py:{words} {ASKED}")
    assert found.exit_code != 0
    assert message in str(found.exception) + found.output
