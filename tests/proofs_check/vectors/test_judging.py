"""What an answer is worth, for each kind of output."""

import json
from typing import Any

import pytest

from finitedp.proofs_check.vectors.judging import NONSENSE, RIGHT, WRONG, judge
from finitedp.proofs_check.vectors.kinds import Case


def of(kind: str, **test: Any) -> Case:
    return Case(kind, {}, {"tcId": 1, "flags": [], "comment": "so", "result": "valid", **test}, {})


def verdict(case: Case, **answer: str) -> str:
    return judge(case, json.dumps({"tcId": case.name, **answer}))[0]


def valid(case: Case, **answer: str) -> str:
    return verdict(case, result="valid", **answer)


def test_rationals_are_numbers() -> None:
    case = of("Parse", value="1/2")
    assert [valid(case, value=x) for x in ("1/2", "2/4", "5/10", "1/3", "-1/2", "1")] == [RIGHT] * 3 + [WRONG] * 3
    assert [valid(case, value=x) for x in ("0.5", "1/0", "1/00", "+1/2", "nan")] == [NONSENSE] * 5
    assert valid(case, value="") == WRONG


def test_lists_are_compared_whole() -> None:
    case = of("Curve", deltas=["1/2", "0"])
    assert [valid(case, deltas=x) for x in ("1/2 0", "1/2 0/5", "1/2", "1/2 0 0", "0 1/2")] == [RIGHT] * 2 + [WRONG] * 3
    case = of("Build", ratio="3/2", head=["4", "3"], tail="3", last="7")
    right = {"ratio": "3/2", "head": "4 3", "tail": "3", "last": "7"}
    assert valid(case, **right) == RIGHT
    assert [valid(case, **{**right, name: x}) for name, x in (("head", "4 3 3"), ("head", ""), ("tail", "4"))] == [WRONG] * 3


def test_laws_may_have_any_sum() -> None:
    case = of("Law", weights=["1", "2", "1"])
    assert [valid(case, weights=x) for x in ("1 2 1", "5 10 5")] == [RIGHT] * 2
    assert [valid(case, weights=x) for x in ("1 2", "1 2 1 0", "1 1 1", "0 0 0", "", "-1 -2 -1")] == [WRONG] * 6


def test_any_witness_that_attains_is_right() -> None:
    case = of("Pair", worstRatio="infinite", witness=["0", "2"], delta="1/2", totalVariation="1/2")
    more = {"delta": "1/2", "totalVariation": "1/2"}
    assert [valid(case, worstRatio="infinite", witness=x, **more) for x in ("0", "2", "1", "0 2")] == [RIGHT] * 2 + [WRONG] * 2
    assert valid(case, worstRatio="2", witness="0", **more) == WRONG
    finite = of("Pair", worstRatio="2", witness=["0"], delta="1/2", totalVariation="1/2")
    assert [valid(finite, worstRatio=x, witness="0", **more) for x in ("2", "4/2", "infinite", "3")] == [RIGHT] * 2 + [
        WRONG
    ] * 2


def test_an_interval_encloses_and_is_narrow() -> None:
    case = of("Composition", delta="1/3", within="1/100")
    ends = [("1/3", "1/3"), ("33/100", "34/100"), ("34/100", "35/100"), ("32/100", "33/100"), ("0", "1"), ("34/100", "33/100")]
    assert [valid(case, low=low, high=high) for low, high in ends] == [RIGHT] * 2 + [WRONG] * 4
    assert valid(case, low="1/3") == NONSENSE


def test_refusals_and_their_reasons() -> None:
    case = of("Table", result="invalid", reasons=["i", "ii"])
    assert [verdict(case, result="invalid", reason=x) for x in ("i", "ii", "", "sum", "R")] == [RIGHT] * 3 + [WRONG] * 2
    assert verdict(case, result="invalid") == RIGHT
    assert verdict(case, result="invalid", reason="because") == NONSENSE
    assert verdict(case, result="valid") == WRONG
    assert verdict(of("Table"), result="invalid", reason="i") == WRONG
    assert verdict(of("Table"), result="valid") == RIGHT


def test_what_is_acceptable_may_be_refused_and_not_be_another_number() -> None:
    case = of("Parse", result="acceptable", value="1/2")
    assert [verdict(case, result="invalid"), valid(case, value="1/2"), valid(case, value="1/3")] == [RIGHT, RIGHT, WRONG]


@pytest.mark.parametrize("labels", [["a", "b"], []])
def test_labels(labels: list[str]) -> None:
    case = of("Release", releasedLabels=labels, releasedCounts=["1"] * len(labels), bitsRead="8")
    right = {"releasedLabels": " ".join(labels), "releasedCounts": " ".join("1" for _ in labels), "bitsRead": "8"}
    assert valid(case, **right) == RIGHT
    assert [valid(case, **{**right, name: "b a 7"}) for name in ("releasedLabels",)] == [WRONG]
    assert valid(case, **{**right, "bitsRead": "16"}) == WRONG
