"""The lone checker of flexible accuracy: it accepts what was found, refuses tampered copies, and runs without the library."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from finitedp.cli.main import main
from finitedp.impl.flexible.tables import shifted_table
from finitedp.proofs_check import flexible_certificate
from finitedp.proofs_check.flexible_certificate import recheck
from finitedp.spec.flexible.certificates import METRICS, average_certificate, decision_certificate, value_certificate
from finitedp.spec.flexible.lossy_wasserstein import (
    absolute,
    decide_lossy,
    lossy_average,
    lossy_infinity,
    squared_euclidean,
)
from finitedp.spec.pmf import Pmf

Document = dict[str, Any]

P = Pmf.from_probabilities({0: "1/2", 5: "1/4", 9: "1/4"})
Q = Pmf.from_probabilities({1: "1/3", 5: "1/3", 12: "1/3"})

YES = decision_certificate(decide_lossy(P, Q, absolute, 5, "1/12"), absolute)
NO = decision_certificate(decide_lossy(P, Q, absolute, 5, "1/12", strict=True), absolute)
VALUE = value_certificate(lossy_infinity(P, Q, absolute, "1/12"), absolute)
AVERAGE = average_certificate(lossy_average(P, Q, absolute, "1/12"), absolute)
TABLE = json.loads(json.dumps(shifted_table(4, 1, 6).certificate()))
REPLACE = json.loads(json.dumps(shifted_table(4, 2, 6, "replace-one").certificate()))
ALL = {"yes": YES, "no": NO, "value": VALUE, "average": AVERAGE, "table": TABLE, "replace": REPLACE}


def edited(document: Document, edit: Callable[[Document], object]) -> Document:
    copy = deepcopy(document)
    edit(copy)
    return copy


@pytest.mark.parametrize("name", ALL)
def test_what_was_found_is_accepted(name: str) -> None:
    assert recheck(json.loads(json.dumps(ALL[name]))) is None


def test_the_answers_are_the_ones_that_are_meant() -> None:
    assert (YES["answer"], NO["answer"], VALUE["b"], AVERAGE["c"]) == (True, False, "5", "3/2")


def flow_up(document: Document) -> None:
    document["flow"][0][2] = str(int(document["flow"][0][2]) + 1)


def flow_down(document: Document) -> None:
    document["flow"][0][2] = str(int(document["flow"][0][2]) - 1)


FORGED: list[tuple[str, Document, Callable[[Document], object], str]] = [
    ("a flow of one unit too much", YES, flow_up, "than it has"),
    ("a flow of one unit too few", YES, flow_down, "too small"),
    ("a pair that is too far", YES, lambda d: d.update(b="4"), "too far apart"),
    ("a smaller gamma", YES, lambda d: d.update(gamma="1/13"), "too small"),
    ("strict", YES, lambda d: d.update(strict=True), "too far apart"),
    ("another answer", YES, lambda d: d.update(answer=False), "does not belong"),
    ("a pair twice", YES, lambda d: d["flow"].append(d["flow"][0]), "twice"),
    ("a position of no point", YES, lambda d: d["flow"][0].__setitem__(0, -1), "of no point"),
    ("a position that is true", YES, lambda d: d["flow"][0].__setitem__(0, True), "no integer"),
    ("a negative flow", YES, lambda d: d["flow"][0].__setitem__(2, "-1"), "no text of digits"),
    ("digits of another script", YES, lambda d: d["flow"][0].__setitem__(2, "\u0664"), "no text of digits"),
    ("masses that do not sum to L", YES, lambda d: d["P"][0].__setitem__(1, "7"), "do not sum"),
    ("a point twice", YES, lambda d: d["P"].append(["0", "0"]), "twice"),
    ("a point written in two ways", YES, lambda d: d["P"].append(["0/1", "0"]), "two ways"),
    ("a foreign metric", YES, lambda d: d.update(metric="l3"), "no such metric"),
    ("a metric of another dimension", YES, lambda d: d.update(metric="l1"), ""),
    ("distances beside a named metric", YES, lambda d: d.update(distances=[]), "no such metric"),
    ("gamma above 1", YES, lambda d: d.update(gamma="2"), "not in 0..1"),
    ("an unknown key", YES, lambda d: d.update(note=""), "missing or not known"),
    ("another format", YES, lambda d: d.update(version=True), "no flexible certificate"),
    ("a hall set without a point", NO, lambda d: d["hall"].pop(), "no more mass"),
    ("an empty hall set", NO, lambda d: d.update(hall=[]), "no more mass"),
    ("a hall set with a point twice", NO, lambda d: d["hall"].append(d["hall"][0]), "twice"),
    ("a hall set of pairs that are in reach", NO, lambda d: d.update(strict=False), "no more mass"),
    ("a larger gamma", NO, lambda d: d.update(gamma="1/4"), "no more mass"),
    ("a value that is too large", VALUE, lambda d: d.update(b="6"), "no more mass"),
    ("a value that is too small", VALUE, lambda d: d.update(b="4"), "too far apart"),
    ("a value of 0", VALUE, lambda d: d.update(b="0"), "too far apart"),
    ("a cheaper flow than there is", AVERAGE, lambda d: d.update(c="1"), "does not cost"),
    ("a flow of another amount", AVERAGE, lambda d: d.update(gamma="1/6"), "amount"),
    ("a dual above a distance", AVERAGE, lambda d: d["dual"].__setitem__(0, "100"), "above a distance"),
    ("a dual that is not worth it", AVERAGE, lambda d: d["dual"].__setitem__(0, "0"), "not worth"),
    ("a negative price", AVERAGE, lambda d: d["dual"][1].__setitem__(0, "-1"), "negative"),
    ("a dual of fewer points", AVERAGE, lambda d: d["dual"][1].pop(), "each point"),
    ("ends that are moved", TABLE, lambda d: d.update(weights=["10", "23", "22", "9"]), "delta is too small"),
    ("a weight moved across the centre", TABLE, lambda d: d.update(weights=["9", "23", "24", "8"]), "(i) fails"),
    ("a sum that is too large", TABLE, lambda d: d.update(weights=["9", "23", "23", "10"]), "do not sum"),
    ("a smaller delta", TABLE, lambda d: d.update(delta="8/64"), "delta is too small"),
    ("a larger R", TABLE, lambda d: d.update(ratio="11/4"), "R is above"),
    ("R = 1", TABLE, lambda d: d.update(ratio="1"), "out of range"),
    ("other neighbours", TABLE, lambda d: d.update(neighbours="replace-one"), "R is above"),
    ("unknown neighbours", TABLE, lambda d: d.update(neighbours="counts"), "no such neighbours"),
    ("another q", TABLE, lambda d: d.update(q=5), "not q weights"),
    ("the delta of add-remove", REPLACE, lambda d: d.update(delta="9/64"), "delta is too small"),
]


@pytest.mark.parametrize(("document", "edit", "reason"), [case[1:] for case in FORGED], ids=[case[0] for case in FORGED])
def test_forged_certificates_are_rejected(document: Document, edit: Callable[[Document], object], reason: str) -> None:
    found = recheck(edited(document, edit))
    assert found is not None
    assert reason in found


def test_the_last_digit_of_r_decides() -> None:
    """R is the largest multiple of its unit below e^epsilon: one unit more is refused."""
    p, q = (int(x) for x in TABLE["ratio"].split("/"))
    unit = 2**70 // q
    assert recheck({**TABLE, "ratio": f"{p * unit}/{2**70}"}) is None
    assert "R is above" in str(recheck({**TABLE, "ratio": f"{p * unit + unit}/{2**70}"}))


def test_another_table_with_i_is_as_good() -> None:
    assert recheck({**TABLE, "weights": ["9", "22", "24", "9"]}) is None


@pytest.mark.parametrize("metric", [*METRICS, "table"])
@pytest.mark.parametrize("gamma", ["0", "1/7", "1"])
def test_random_laws(metric: str, gamma: str) -> None:
    rng = random.Random(metric + gamma)
    for _ in range(8):
        left, right = (Pmf({_point(rng, metric): rng.randint(1, 9) for _ in range(rng.randint(1, 6))}) for _ in range(2))
        distance = METRICS.get(metric, lambda x, y: None if (x + y) % 4 == 3 else abs(x - y) ** 3)
        found = lossy_infinity(left, right, distance, gamma)
        if found.upper is not None:
            assert recheck(value_certificate(found, distance)) is None
        for side in (found.upper, found.lower):
            if side is not None:
                document = decision_certificate(side, distance)
                assert recheck(document) is None
                assert (
                    recheck({**document, "answer": not document["answer"], "flow": [], "hall": []}) is not None or gamma == "1"
                )
        if metric != "table":
            assert recheck(average_certificate(lossy_average(left, right, distance, gamma), distance)) is None


def _point(rng: random.Random, metric: str) -> Any:
    if metric in ("absolute", "table"):
        return rng.randint(0, 12)
    return (rng.randint(0, 5), rng.randint(0, 5))


def test_squares_are_compared_with_the_square_of_b() -> None:
    found = decide_lossy(Pmf.point((0, 0)), Pmf.point((3, 4)), squared_euclidean, 25)
    assert found.holds
    assert recheck(decision_certificate(found, squared_euclidean)) is None


def test_the_command_takes_them_too(tmp_path: Path) -> None:
    for name, document in ALL.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    result = CliRunner().invoke(main, ["check", *(str(tmp_path / f"{name}.json") for name in ALL)])
    assert result.exit_code == 0
    said = [line.split(": ", 1)[1] for line in result.stdout.splitlines()]
    assert said[2] == "accepted: the 1/12-lossy infinity-Wasserstein distance is 5"
    assert said[4] == "accepted: one-sided noise below q = 4 is (1, 9/64)-differentially private (add-remove)"
    (tmp_path / "bad.json").write_text(json.dumps({**TABLE, "delta": "1/64"}))
    assert CliRunner().invoke(main, ["check", str(tmp_path / "bad.json")]).exit_code == 1


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    checker = Path(str(flexible_certificate.__file__))
    for name, document in ALL.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    (tmp_path / "bad.json").write_text('{"a": 1, "a": 2}')
    command = [sys.executable, "-I", "-S", str(checker), *(str(tmp_path / f"{name}.json") for name in (*ALL, "bad"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.endswith(": accepted") for line in lines] == [True] * len(ALL) + [False]
    assert "twice" in lines[-1]
