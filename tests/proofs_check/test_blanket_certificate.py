"""The lone checker of blanket plans: it accepts what is one, and nothing that was changed into something else."""

import ast
import copy
import json
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.proofs_check import blanket_certificate
from finitedp.proofs_check.blanket_certificate import Plan, chosen, main, most_shown, private, recheck

CHECKER = Path(blanket_certificate.__file__)


@cache
def _written(*arguments: Any) -> str:
    return json.dumps(blanket_plan(*arguments).certificate())


def document(*arguments: Any) -> dict[str, Any]:
    return json.loads(_written(*(arguments or (10**6, "1/10", 2**64))))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "arguments",
    [
        (10**6, "1/10", 2**64),
        (10**5, "1/100", 2**64),
        (1000, "1/10", 2048),
        (10**4, "3/7", (256**17 - 1) // 255, 100, "add-remove"),
        (875, "1/10", 2**64),
        (876, "1/10", 2**64),
        (2, 100, 3),
        (2, 100, 2),
        (10**5, 1, 10**5),
        (10**4, 3, 10**9, "1/1000"),
    ],
    ids=str,
)
def test_plans_are_accepted(arguments: tuple[Any, ...]) -> None:
    assert recheck(document(*arguments)) is None


NUMBERS = ("b", "cap", "slots", "hit", "size", "label_bits", "hit_bits", "count_bits")


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("step", [1, -1])
def test_a_plan_for_a_million_rows_with_one_number_one_off_is_refused(name: str, step: int) -> None:
    changed = document()
    changed[name] = str(int(changed[name]) + step) if isinstance(changed[name], str) else changed[name] + step
    assert recheck(changed) is not None


@pytest.mark.parametrize("place", ["first", "second", "end of the head", "tail", "last"])
@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("balanced", [False, True])
def test_a_plan_for_a_million_rows_with_one_weight_one_off_is_refused(place: str, step: int, balanced: bool) -> None:
    """Balanced: what one weight gets, another loses, so that their sum is right."""
    changed = document()
    counts = changed["counts"]
    head, name = counts["head"], "tail" if place == "tail" else "last"
    many = step * (10**6 - 874 - 1 - len(head) if place == "tail" else 1)
    if place in ("tail", "last"):
        counts[name] = str(int(counts[name]) + step)
    else:
        at = {"first": 0, "second": 1, "end of the head": -1}[place]
        head[at] = str(int(head[at]) + step)
    if balanced:
        other = 1 if place == "first" else 0
        head[other] = str(int(head[other]) - many)
    assert recheck(changed) is not None


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "ratio": ({"ratio": "11/10"}, "the ratio is not the one that follows from R"),
    "epsilon": ({"epsilon": "1/11"}, "the table is for another epsilon"),
    "add-remove": ({"neighbours": "add-remove"}, "the table is for another epsilon"),
    "counts of neighbours": ({"neighbours": "counts"}, "neither replace-one nor add-remove"),
    "invented": ({"invented": "1/2"}, "more labels are invented"),
    "a table of another format": ({"table": {}}, "format"),
    "version": ({"version": True}, "no plan of version 1"),
    "a key more": ({"more": "1"}, "a key is missing or not known"),
    "b = n": ({"b": "1000000"}, "b is not below n"),
    "cap of 0": ({"cap": "0"}, "L, G or q is out of range"),
    "q of 0": ({"hit": "0"}, "L, G or q is out of range"),
    "a leading zero": ({"cap": "01363"}, "begins with 0"),
    "a float": ({"slots": 140389.0}, "not written in digits"),
    "bits as text": ({"label_bits": "64"}, "number of bits"),
    "not in lowest terms": ({"invented": "2/2"}, "lowest terms"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_else_is_refused(name: str) -> None:
    changes, message = CHANGES[name]
    reason = recheck(document() | changes)
    assert reason is not None
    assert re.search(message, reason), reason


def test_a_table_that_was_changed_is_refused() -> None:
    for name in ("tail", "last", "n", "ratio", "epsilon"):
        changed = document()
        number = Fraction(changed["table"][name])
        changed["table"][name] = str(number + (1 if number > 2 else Fraction(1, 10**9)))
        assert recheck(changed) is not None, name
    changed = document()
    changed["table"]["head"][5] = str(int(changed["table"]["head"][5]) + 1)
    assert recheck(changed) is not None


def _skewed(n: int = 10**6) -> dict[str, Any]:
    return json.loads(json.dumps(blanket_plan(n, "1/10", 2**64, skewed=True).certificate()))  # type: ignore[no-any-return]


def test_skewed_plans_are_accepted_and_refused_where_they_were_changed() -> None:
    assert [recheck(_skewed(n)) for n in (10**6, 1000)] == [None, None]
    for name in NUMBERS:
        for step in (1, -1):
            changed = _skewed()
            changed[name] = str(int(changed[name]) + step) if isinstance(changed[name], str) else changed[name] + step
            assert recheck(changed) is not None, (name, step)
    changed, table = _skewed(), _skewed()["table"]
    assert recheck(changed | {"table": table | {"up": table["down"], "down": table["up"]}}) is not None
    assert recheck(changed | {"table": table | {"down": table["up"]}}) == "R is above e^(epsilon/2)"
    assert recheck(changed | {"table": table | {"up": table["up"] | {"ratio": "21/20"}}}) is not None
    for part in ("up", "down"):
        for name in ("tail", "last"):
            moved = table[part] | {name: str(int(table[part][name]) + 1)}
            assert recheck(changed | {"table": table | {part: moved}}) is not None
    assert recheck(changed | {"neighbours": "add-remove"}) is not None


def test_what_else_of_a_table_is_refused() -> None:
    for changed in (document(), _skewed()):
        table = changed["table"]
        for more, message in (
            ({"version": 2}, "version"),
            ({"version": True}, "version"),
            ({"bits": 0}, "bits is not"),
            ({"bits": 4097}, "bits is not"),
            ({"bits": True}, "bits is not"),
            ({"bits": "128"}, "bits is not"),
            ({"more": "1"}, "a key of the table"),
        ):
            assert message in str(recheck(changed | {"table": table | more})), more
    table = _skewed()["table"]
    for part in ("up", "down"):
        assert recheck(_skewed() | {"table": table | {part: table[part] | {"more": "1"}}}) == (
            "a key of a side is missing or not known"
        )


def test_a_weight_that_stands_for_none_is_refused() -> None:
    changed = document(2, 100, 3)
    assert changed["counts"]["tail"] == "0"
    assert recheck(changed) is None
    for tail in ("1", str(2**64)):
        assert recheck(changed | {"counts": changed["counts"] | {"tail": tail}}) == "tail stands for no weight, and is not 0"


def test_privacy_is_asked_for_before_what_was_chosen() -> None:
    """With one hit more the plan is as private, and not the one of the rules."""
    changed = document()
    changed["hit"] = str(int(changed["hit"]) + 1)
    plan = Plan(copy.deepcopy(changed))
    private(plan)
    with pytest.raises(ValueError, match="not the least"):
        chosen(plan)


def _hostile() -> dict[str, Any]:
    """With n near 2^127 and b = n - 5, so that a label of one row is as rarely shown as once in 2^118."""
    n = 2**127 - 1024
    table = {"format": "finitedp dyadic table", "version": 1, "bits": 128, "epsilon": "400", "ratio": "3", "n": str(n)}
    table |= {"tail": "1", "last": "1024", "head": ["2"]}
    counts = {"head": [], "tail": "1", "last": str(2**64 - 4)}
    return document(1000, 1, 2**64) | {"table": table, "b": str(n - 5), "counts": counts, "count_bits": 64}


def test_the_worst_count_is_found_by_the_ends_of_equal_weights() -> None:
    for arguments in ((1000, "1/10", 2048), (12, 9, 2**20), (2, 100, 3), (60, 3, 2**40), (1000, 1, 2**64)):
        plan = Plan(document(*arguments))
        total, n, b, table = 1 << plan.table.bits, plan.table.n, plan.b, plan.table
        for at in {b, 0, n // 2, n - 1}:
            plan.b = at
            shown = [
                table.weights.upper(at + 1 - c) if c <= at else total - table.below.upper(c - at) for c in range(1, n + 1)
            ]
            assert most_shown(plan) == n * max(Fraction(s, total * c) for c, s in enumerate(shown, 1)), (arguments, at)


@pytest.mark.parametrize("arguments", [(1000, "1/10", 2048), (12, 9, 2**20), (60, 3, 2**40), (1000, 1, 2**64), (2, 100, 3)])
def test_every_count_is_looked_at_or_another_with_the_same_weights(arguments: tuple[Any, ...]) -> None:
    plan = Plan(document(*arguments))
    every = range(plan.b + 1, plan.table.n + 1)
    looked, needed = ({(plan.table.once(v), plan.counts.at(v - plan.b - 1)) for v in vs} for vs in (plan.places(), every))
    assert looked == needed


def test_hostile_sizes_are_decided_at_once() -> None:
    plan = Plan(_hostile())
    assert most_shown(plan) == Fraction((2**127 - 1024) * 1029, 2**128)
    changed = document()
    changed["cap"], changed["slots"] = str(10**400), str(10**401)
    plan = Plan(changed)
    with pytest.raises(ValueError, match="L is above 2097152, too large to be re-checked"):
        chosen(plan)


def test_it_runs_alone(tmp_path: Path) -> None:
    """Isolated, without site packages, on a copy of the file."""
    good, bad, twice, copied = (tmp_path / name for name in ("good.json", "bad.json", "twice.json", "copy.py"))
    good.write_text(json.dumps(document(1000, "1/10", 2048)))
    bad.write_text(json.dumps({**document(1000, "1/10", 2048), "cap": "43"}))
    twice.write_text('{"format": 1, "format": 2}')
    copied.write_text(CHECKER.read_text())
    run = subprocess.run([sys.executable, "-I", "-S", copied, good, bad, twice], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    assert lines[0] == f"{good}: accepted"
    assert lines[1].startswith(f"{bad}: REJECTED: ")
    assert lines[2] == f"{twice}: REJECTED: it cannot be read: a key is there twice"
    assert run.stderr == ""


def test_main_says_which_file_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(document(1000, "1/10", 2048)))
    assert main([str(tmp_path / "plan.json")]) == 0
    assert main([str(tmp_path / "none.json")]) == 1
    assert "cannot be read" in capsys.readouterr().out


def test_it_imports_the_standard_library_only() -> None:
    found = [node for node in ast.walk(ast.parse(CHECKER.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in found}
    assert names == {"collections.abc", "json", "sys", "fractions", "itertools", "pathlib", "typing"}
