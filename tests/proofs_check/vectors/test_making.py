"""The sets of vectors: what they hold, their schemas, and that they are as made."""

import json
import re
from collections import Counter
from hashlib import shake_256
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from finitedp.errors import ParameterError
from finitedp.proofs_check.claims import find
from finitedp.proofs_check.vectors.flags import FLAGS
from finitedp.proofs_check.vectors.groups import Dice
from finitedp.proofs_check.vectors.judging import RIGHT, judge
from finitedp.proofs_check.vectors.kinds import KINDS, Case, cases_of, schema
from finitedp.proofs_check.vectors.making import SHIPPED, as_text, documents, file_of, made, read, shipped, texts

ROOT = Path(__file__).parents[3]


def cases(kind: str) -> list[Case]:
    return list(cases_of(shipped()[kind]))


EVERY = {kind: cases(kind) for kind in KINDS}


def test_the_small_set_is_large_enough_and_small() -> None:
    assert sum(map(len, EVERY.values())) >= 1500
    assert (ROOT / "proofs_check" / "vectors" / SHIPPED).stat().st_size < 300_000


@pytest.mark.parametrize("kind", KINDS)
def test_the_small_set_is_as_made(kind: str) -> None:
    """After a change of the makers: python -m tests.proofs_check.vectors.ship."""
    assert shipped()[kind] == made(kind, "small")


@pytest.mark.deep
def test_the_large_set_has_fifty_thousand_cases_and_every_file_follows_its_schema() -> None:
    found = documents("large")
    assert sum(document["numberOfTests"] for document in found.values()) >= 50_000
    for kind, document in found.items():
        jsonschema.validate(document, schema(kind), cls=jsonschema.Draft202012Validator)
        assert max(len(case.line.encode()) for case in cases_of(document)) < 1 << 16


@pytest.mark.parametrize("kind", KINDS)
def test_files_follow_their_schema_which_knows_no_other_key(kind: str) -> None:
    document, described = json.loads(as_text(shipped()[kind])), schema(kind)
    assert document == shipped()[kind]
    jsonschema.Draft202012Validator.check_schema(described)
    validator = jsonschema.Draft202012Validator(described)
    validator.validate(document)
    group = {**document["testGroups"][0], "tests": document["testGroups"][0]["tests"][:1]}
    [test] = group["tests"]
    changed: list[dict[str, Any]] = [
        {**document, "more": 1, "testGroups": [group]},
        {**document, "testGroups": [{**group, "more": "1"}]},
        {**document, "testGroups": [{**group, "tests": [{**test, "more": "1"}]}]},
        {**document, "testGroups": [{**group, "tests": [{**test, "result": "maybe"}]}]},
        {
            **document,
            "testGroups": [{**group, "tests": [{k: v for k, v in test.items() if k != next(iter(KINDS[kind].inputs))}]}],
        },
        {**document, "version": "2", "testGroups": [group]},
    ]
    assert [validator.is_valid(one) for one in changed] == [False] * len(changed)


@pytest.mark.parametrize("kind", KINDS)
def test_lines_can_be_read_without_a_json_library(kind: str) -> None:
    names = [case.name for case in EVERY[kind]]
    assert len(names) == len(set(names))
    entry = r'"[a-zA-Z]+":"[^"\\\x00-\x1f]*"'
    shape = re.compile(rf"\{{{entry}(,{entry})*\}}")
    for case in EVERY[kind]:
        assert shape.fullmatch(case.line)
        assert list(json.loads(case.line)) == ["tcId", "type", *KINDS[kind].asked]
        assert len(case.line.encode()) < 1 << 16


def test_every_flag_is_used_and_its_claim_is_in_the_ledger() -> None:
    used = Counter(flag for found in EVERY.values() for case in found for flag in case.test["flags"])
    assert set(used) == set(FLAGS)
    assert all(find(claim) for _, _, claim in FLAGS.values())
    assert all(text.endswith(".") and len(text) < 130 for _, text, _ in FLAGS.values())


def flagged(kind: str, flag: str, result: str) -> list[Case]:
    return [case for case in EVERY[kind] if flag in case.test["flags"] and case.test["result"] == result]


def test_the_cases_that_a_first_port_s_mutants_asked_for() -> None:
    assert len(flagged("Draw", "InnerSum", "valid")) >= 50
    assert len(flagged("Table", "AttainsI", "valid")) >= 10
    assert all(
        case.test["reasons"] == ["ii"]
        for case in flagged("Table", "FailsIIAtEnd", "invalid")
        if "sum" not in case.test["reasons"]
    )
    assert len(flagged("Table", "FailsIIAtEnd", "invalid")) >= 3
    assert any(case.test["reasons"] == ["descent"] for case in flagged("Table", "FailsDescentAlone", "invalid"))
    halves = [case for case in flagged("Table", "RatioThreeHalves", "valid") if case.test["ratio"] == "3/2"]
    weights = [[*map(int, case.test["head"]), int(case.test["tail"])] for case in halves]
    assert any(w * 2 % 3 == 0 for body in weights for w in body[:-1])


@pytest.mark.parametrize("kind", ["Table", "Certificate", "Private", "Plan"])
def test_right_and_wrong_are_both_there(kind: str) -> None:
    results = Counter(case.test["result"] for case in EVERY[kind])
    assert min(results["valid"], results["invalid"]) >= 10


def test_every_condition_of_a_table_and_of_a_plan_fails_alone() -> None:
    """But for those that cannot: the tables of plans are right, and where (C) holds, (A) does."""
    for kind, never in (("Table", set[str]()), ("Plan", {"table", "A"})):
        alone = {case.test["reasons"][0] for case in EVERY[kind] if len(case.test.get("reasons", ())) == 1}
        assert alone == set(KINDS[kind].reasons) - never, kind


def test_random_integers_are_the_bits_of_shake256() -> None:
    digest = shake_256(b"x/0").digest(4097)
    assert [Dice("x").bits(7), Dice("x").bits(16)] == [digest[0] >> 1, int.from_bytes(digest[:2], "big")]
    dice = Dice("y")
    assert {dice.below(3) for _ in range(50)} == {0, 1, 2}
    assert max(dice.bits(5) for _ in range(9000)) == 31  # more than one digest


def test_the_page_s_lines_are_a_case_and_its_right_answer() -> None:
    page = (ROOT / "docs" / "vectors.md").read_text()
    asked, answered = (json.loads(block) for block in re.findall(r"^```json\n(.*?)```", page, re.DOTALL | re.MULTILINE)[:2])
    [case] = [case for case in EVERY[asked["type"]] if case.name == asked["tcId"]]
    assert json.loads(case.line) == asked
    assert judge(case, json.dumps(answered)) == (RIGHT, "")


def test_the_page_tells_the_keys_of_every_type() -> None:
    page = (ROOT / "docs" / "vectors.md").read_text()
    for kind, about in KINDS.items():
        outputs = ["low", "high"] if kind == "Composition" else list(about.outputs)
        told = ", ".join(outputs) or "none"
        reasons = f"; reasons: {', '.join(about.reasons)}" if about.reasons else ""
        assert f"| {kind} | {', '.join(about.asked)} | {told}{reasons} |" in page


# Reading


def written(folder: Path) -> Path:
    for name, text in texts({"Parse": shipped()["Parse"], "Claim": shipped()["Claim"]}).items():
        (folder / name).write_text(text)
    return folder


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read(written(tmp_path)) == {kind: shipped()[kind] for kind in ("Claim", "Parse")}
    assert set(read(tmp_path, ("Parse",))) == {"Parse"}
    described = json.loads((tmp_path / "parse.schema.json").read_text())
    assert described == schema("Parse")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda text: text[: len(text) // 2], "is no JSON, or only a part of it"),
        (lambda text: "", "is no JSON"),
        (lambda text: "[]", "has version None"),
        (lambda text: text.replace('"version": "1"', '"version": "2"', 1), "has version '2'; accepted: '1'"),
        (lambda text: text.replace('"numberOfTests": 2', '"numberOfTests": 3', 1), "does not hold the"),
        (lambda text: text.replace('"value"', '"valeu"', 1), "does not hold the"),
        (lambda text: text.replace('"text"', '"txet"', 1), "is not as parse.schema.json says: KeyError"),
        (lambda text: text.replace('"result": "valid"', '"result": "good"', 1), "does not hold the"),
        (lambda text: text.replace('"type": "Parse"', '"type": "Parses"', 1), "is not as parse.schema.json says"),
    ],
)
def test_a_damaged_file_is_refused_in_a_line(damage: Any, told: str, tmp_path: Path) -> None:
    file = written(tmp_path) / file_of("Parse")
    text = file.read_text()
    assert damage(text) != text
    file.write_text(damage(text))
    with pytest.raises(ParameterError, match=re.escape(told)):
        read(tmp_path)


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="has no file of vectors"):
        read(tmp_path)
    with pytest.raises(ParameterError, match=r"has no draw\.json"):
        read(written(tmp_path), ("Draw",))
