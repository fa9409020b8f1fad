"""The page on accountants shows what was recorded, and what was recorded is judged so by the code as it stands."""

import ast
import importlib.util
import json
from fractions import Fraction
from math import comb, exp
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "accountants"
VERDICTS = {"holds", "fails by rounding only", "fails"}
WRONG_SIDE = {"upper": -1, "lower": 1}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("accountants_run", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_was_recorded(script: ModuleType) -> None:
    page = (DOCS / "accountants.md").read_text()
    for table in script.table().split("\n\n"):
        assert table.rstrip() in page
    assert f"asked {len(script.questions())} questions" in page


def test_the_list_the_drivers_the_questions_and_the_results_belong_together(script: ModuleType) -> None:
    listed, found = script.listed(), script.results()
    functions = {
        node.name for node in ast.parse((FOLDER / "drivers.py").read_text()).body if isinstance(node, ast.FunctionDef)
    }
    drivers = list(dict.fromkeys(entry["driver"] for entry in listed))
    assert list(found) == drivers
    assert set(drivers) - {"finitedp"} <= functions
    assert len(json.loads((FOLDER / "questions.json").read_text())) == len(script.questions()) >= 60
    for entry in listed:
        assert (entry["expected"] in VERDICTS) == (entry["bound"] != "estimate"), entry["name"]
        row = found[entry["driver"]]["rows"][entry["bound"]]
        assert row["verdict"] in VERDICTS | {"none"}
        assert (
            f"{entry['package']}=={found[entry['driver']]['version']}\n" in (FOLDER / "requirements.txt").read_text() + "==\n"
        )
        assert set(found[entry["driver"]]["answers"]) <= set(script.questions())
    assert script.as_text(found) == (FOLDER / "results.json").read_text()


@pytest.mark.deep
def test_what_was_recorded_is_judged_so_again(script: ModuleType) -> None:
    found = script.results()
    for entry in script.listed():
        assert script.judged(entry, found[entry["driver"]]) == found[entry["driver"]]["rows"][entry["bound"]], entry["name"]
    again = script.own()
    for name, answer in found["finitedp"]["answers"].items():
        assert (again[name]["lower"], again[name]["upper"]) == (answer["lower"], answer["upper"]), name


TEN = "10 responses of 2 with noise 0.5, delta at epsilon = 11.0"
SOME = "100 of 1.0, delta at epsilon = 60.0"
EPSILON = "1,000 of 1.0, epsilon at delta = 0.01"


def truth() -> Fraction:
    """Delta at 60 of 100 releases of epsilon = 1, a sum of binomial terms, to 15 digits or so."""
    ratio, much = Fraction(exp(1.0)), Fraction(exp(60.0))
    terms = (comb(100, k) * (ratio**k - much * ratio ** (100 - k)) for k in range(101))
    return sum((term for term in terms if term > 0), Fraction(0)) / (1 + ratio) ** 100


def test_an_answer_is_wrong_on_one_side_only(script: ModuleType) -> None:
    value = truth()
    for bound, side in WRONG_SIDE.items():
        by = Fraction(1, 10**9)
        bad, good = (60.0, float(value + side * by)), (60.0, float(value - side * by))
        fault = script.wrong(SOME, bound, bad)
        assert fault is not None
        assert abs(fault - by) < by / 1000
        assert script.wrong(SOME, bound, good) is None
    assert script.wrong(SOME, "upper", (60.0, -1e-14)) > value
    assert script.wrong(TEN, "upper", (11.0, 0.0)) is None
    assert script.wrong(TEN, "lower", (11.0, 1e-15)) == Fraction(1e-15)
    low, high = script.bounds(EPSILON)
    assert script.wrong(EPSILON, "upper", (float(low) - 1e-6, 0.01)) is not None
    assert script.wrong(EPSILON, "upper", (float(high) + 1e-6, 0.01)) is None
    assert script.wrong(EPSILON, "lower", (float(low) - 1e-6, 0.01)) is None
    assert script.wrong(EPSILON, "lower", (float(high) + 1e-6, 0.01)) is not None


@pytest.mark.parametrize(("off", "verdict"), [(1e-9, "fails"), (1e-10, "fails by rounding only"), (-1e-10, "holds")])
def test_rounding_is_told_from_the_rest(script: ModuleType, off: float, verdict: str) -> None:
    answers = {SOME: {"upper": [60.0, float(truth()) - off], "seconds": 1.0}, TEN: {"error": "late", "seconds": 2.0}}
    row = script.judged({"bound": "upper"}, {"answers": answers})
    assert (row["verdict"], row["asked"], row["answered"], row["seconds"]) == (verdict, 2, 1, 3.0)
    assert row["wrong"] == (verdict != "holds")
    assert (row["delta"][0] < 1) == (off > 0)


def test_own_bounds_are_rounded_outwards(script: ModuleType) -> None:
    third = script.mpq(1, 3)
    assert script.exact(script.rounded(third, "lower")) < third < script.exact(script.rounded(third, "upper"))
    assert script.rounded(script.mpq(1, 4), "lower") == script.rounded(script.mpq(1, 4), "upper") == 0.25
