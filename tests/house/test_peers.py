"""The page on peers shows what was recorded, and the rows follow from the recorded answers, without the libraries."""

import ast
import copy
import importlib.util
import json
from fractions import Fraction
from math import exp
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "peers"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("peers_run", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_was_recorded(script: ModuleType) -> None:
    assert script.table() in (DOCS / "peers.md").read_text()


def test_the_list_the_drivers_and_the_results_belong_together(script: ModuleType) -> None:
    found = script.results()
    functions = {
        node.name for node in ast.parse((FOLDER / "drivers.py").read_text()).body if isinstance(node, ast.FunctionDef)
    }
    assert list(found) == [peer["driver"] for peer in script.listed()]
    assert set(found) <= functions
    page = (DOCS / "peers.md").read_text()
    for peer in script.listed():
        recorded = found[peer["driver"]]
        assert recorded["version"] in ([peer["commit"]] if "commit" in peer else peer["install"][0].split("=="))
        assert recorded["python"].startswith("3.")
        pinned = dict(one.split("==") for one in peer["install"])
        assert pinned.items() <= recorded["packages"].items()
        assert set(recorded["answers"]) <= set(script.questions(peer["types"]))
        assert peer["asked"] in page
    assert script.as_text(found) == (FOLDER / "results.json").read_text()


def test_what_was_asked_are_the_cases_as_they_stand(script: ModuleType) -> None:
    """After a change of these cases: docs/peers/run.py ask."""
    for peer in script.listed():
        assert script.results()[peer["driver"]]["asked"] == script.hashed(peer["types"])


def _wrong(answer: dict[str, Any], *, valid: bool) -> dict[str, Any]:
    """The answer of a library that is off."""
    changed = copy.deepcopy(answer)
    if "low" in changed:
        ends = [i for i, x in enumerate(changed["low"]) if x is not None]
        changed["low"][ends[-1]] = changed["high"][ends[-1]] = 2.0 if valid else -1.0
    elif "weights" in changed:
        changed["weights"] = changed["weights"][1:] + changed["weights"][:1]
    elif "masses" in changed:
        changed["masses"][4] += 1 << 100
    else:
        counts = changed["counts"]
        changed["counts"] = counts[3:] + counts[:3]
    return changed


def test_a_wrong_answer_in_the_file_is_noticed(script: ModuleType) -> None:
    page = (DOCS / "peers.md").read_text()
    for peer in script.listed():
        recorded = script.results()[peer["driver"]]
        for kind in peer["types"]:
            asked = script.questions([kind])
            fits = [name for name, answer in recorded["answers"].items() if name in asked and "error" not in answer]
            law = [name for name in fits if len(set(recorded["answers"][name].get("counts", [1, 2, 3, 4]))) > 3]
            name = next(x for x in law if script.judged(asked[x][1], recorded["answers"][x])[0] != script.WRONG)
            changed = _wrong(recorded["answers"][name], valid=getattr(asked[name][1], "test", {}).get("result") == "valid")
            verdict, off = script.judged(asked[name][1], changed)
            assert verdict == script.WRONG, (name, changed)
            assert off > 0
            rows = list(script.rows(peer, {**recorded, "answers": recorded["answers"] | {name: changed}}))
            assert any(row not in page for row in rows), name


LAPLACE, GAUSSIAN = ({"law": law, "parameter": "4"} for law in ("laplace", "gaussian"))


@pytest.mark.parametrize("parameter", ["1", "1/4", "9/2"])
def test_masses_of_noise_are_those_of_the_definition(script: ModuleType, parameter: str) -> None:
    x = float(Fraction(parameter))

    def power(law: str, z: int) -> float:
        return exp(-abs(z) / x) if law == "laplace" else exp(-z * z / (2 * x))

    for law in ("laplace", "gaussian"):
        whole = sum(power(law, z) for z in range(-300, 301))
        for z in (-3, 0, 1):
            low, high = script.mass(law, parameter, z)
            assert 0 < high - low < Fraction(1, 2**150)
            assert abs(float(low) - power(law, z) / whole) < 1e-14


def test_rounding_samples_and_errors_are_told_apart(script: ModuleType) -> None:
    exact = [script.mass("gaussian", "4", z)[0] for z in script.PLACES]
    whole = [int(p * script.UNIT) for p in exact]
    for by, verdict in ((0, "right"), (1 << 60, "rounded"), (1 << 97, "wrong")):
        assert script.judged(GAUSSIAN, {"masses": [whole[0] + by, *whole[1:]], "open": 0})[0] == verdict
    counts = [int(p * 10**6) for p in exact]
    assert script.judged(GAUSSIAN, {"counts": counts, "samples": 10**6})[0] == "right"
    assert script.judged(LAPLACE, {"counts": counts, "samples": 10**6})[0] == "wrong"
    assert script.judged(GAUSSIAN, {"error": "late"})[0] == "none"


def test_an_interval_that_is_wide_is_none_that_is_wrong(script: ModuleType) -> None:
    asked = script.questions(["Composition"])
    case = next(case for _, case in asked.values() if case.test["delta"] == "1/3")
    for low, high, verdict in (
        (0.333, 0.334, "right"),
        (0.3, 0.4, "open"),
        (0.334, 0.335, "wrong"),
        (1 / 3 + 2**-40, 0.3334, "rounded"),
        (0.3, 1 / 3 - 2**-20, "wrong"),
    ):
        assert script.judged(case, {"low": [low], "high": [high]})[0] == verdict


def test_questions_are_numbered(script: ModuleType) -> None:
    listed = json.loads((FOLDER / "questions.json").read_text())
    assert [noise["tcId"] for noise in listed] == [f"Noise-{i}" for i in range(1, len(listed) + 1)]
    assert {noise["law"] for noise in listed} == {"laplace", "gaussian"}


def test_claims_are_decided_or_not(script: ModuleType) -> None:
    asked = script.questions(["Private"])
    delta, near = Fraction(1, 10), 2**-40
    found = {case.test["result"]: case for _, case in asked.values() if case.test["delta"] == str(delta)}
    assert set(found) == {"valid", "invalid"}
    for result, low, high, verdict in (
        ("valid", 0.0, 0.05, "right"),
        ("valid", 0.05, 0.15, "open"),
        ("valid", 0.1 + near, 0.2, "rounded"),
        ("valid", 0.15, 0.2, "wrong"),
        ("invalid", 0.15, 0.2, "right"),
        ("invalid", 0.05, 0.15, "open"),
        ("invalid", 0.05, 0.1 - near, "rounded"),
        ("invalid", 0.0, 0.05, "wrong"),
    ):
        assert script.judged(found[result], {"low": [low], "high": [high]})[0] == verdict
