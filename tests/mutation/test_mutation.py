"""The mutation run: what it draws and does, on a small module; and that the manual's page is the one of its results."""

from pathlib import Path
from typing import Any

import pytest

from finitedp.proofs_check.claims import entries
from tests.mutation import ledger, page
from tests.mutation.__main__ import together
from tests.mutation.choice import Baseline, chosen, mirrored, statement
from tests.mutation.mutants import (
    BY_HAND,
    EXPLORER,
    QUOTA,
    ROOT,
    Mutant,
    by_hand,
    changed_lines,
    compiles,
    files_of,
    keyed,
    mutated,
    places,
    sample_of,
)
from tests.mutation.trial import Calls, Chosen

SOURCE = '''"""A module."""

from typing import Any

__all__ = ["f"] + ["g"]
Number = int | float


def f(x: int | None, *rest: Any) -> int | str:
    """Doubles."""
    if x is None:
        raise ValueError(f"{rest[0]} is None")
    return 2 * x
'''


def lines_of(source: str) -> list[str]:
    """The changed lines of every mutant of a source."""
    made = [mutated(source, *mutant) for mutants in places(source).values() for mutant in mutants]
    return [changed_lines(source, text)[1] for text in made]


def test_places_are_those_that_decide() -> None:
    lines = lines_of(SOURCE)
    assert {"ifxisnotNone:", "ifnotxisNone:", "return2+x", "return3*x", "return1*x"} <= {
        line.replace(" ", "") for line in lines
    }
    assert all(line.startswith(("if", "return")) for line in lines)


def test_keys_are_not_changed_by_edits_elsewhere() -> None:
    edited = SOURCE.replace('"""Doubles."""', '"""Doubles it."""\n    print(1 + 2)')
    assert keyed("a.py", SOURCE).keys() < keyed("a.py", edited).keys()
    assert not keyed("a.py", SOURCE).keys() & keyed("b.py", SOURCE).keys()
    twice = keyed("a.py", SOURCE + SOURCE.replace("def f", "def g"))
    assert len(twice) == 2 * len(keyed("a.py", SOURCE))


def test_a_sample_has_one_mutant_of_each_place_and_is_always_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    found = list(sample_of("x", ["a.py"], 3, tmp_path))
    assert found == list(sample_of("x", ["a.py"], 3, tmp_path))
    assert len({(mutant.line, mutant.before) for mutant in found}) <= len(found) == 3
    assert len({mutant.id for mutant in found}) == 3
    assert all(compiles(mutant.source(tmp_path)) and mutant.source(tmp_path) != SOURCE for mutant in found)
    assert list(sample_of("x", ["a.py"], 2, tmp_path)) == found[:2]


def test_statements_of_many_lines() -> None:
    source = "if (\n    a\n    and b\n):\n    c = [\n        1,\n        2,\n    ]\n"
    assert [(statement(source, line).start, statement(source, line).stop) for line in (1, 3, 5, 7)] == [
        (1, 5),
        (1, 5),
        (5, 9),
        (5, 9),
    ]


def test_an_item_inside_of_another_has_its_modules_to_itself() -> None:
    items = {folder: files_of(folder) for folder in QUOTA}
    listed = [file for found in items.values() for file in found]
    assert len(set(listed)) == len(listed)
    assert all(items.values())
    assert [Path(file).stem for file in items["proofs_check/engine/explorer"]] == [*EXPLORER]
    assert "proofs_check/deciders/privacy.py" in items["proofs_check/deciders"]
    assert "proofs_check/engine/lazy/coins.py" in items["proofs_check/engine/lazy"]


def test_tests_that_run_the_line_come_first_and_the_fastest_of_them() -> None:
    mutant = next(iter(sample_of("spec", ["spec/mixing.py"], 1, ROOT)))
    seconds = {"tests/impl/x.py::a": 0.1, "tests/spec/test_mixing.py::b": 0.5, "tests/x.py::c": 0.2, "tests/x.py::d": 100.0}
    lines = {
        "spec/mixing.py": {str(mutant.line): ["tests/x.py::c", "tests/x.py::d", "tests/impl/x.py::a"], "1": ["tests/x.py::e"]}
    }
    first, rest = chosen(mutant, Baseline(seconds, lines))
    assert [*first, *rest][1:] == ["tests/impl/x.py::a", "tests/x.py::c"]
    assert first[0].startswith("tests/house/test_house.py::test_no_float_in_spec")
    assert mirrored("impl/histograms/basic.py") == ["tests/impl/histograms/test_basic.py"]
    assert "tests/proofs_check/deciders/test_verdict.py" in mirrored("proofs_check/deciders/profile.py")


def test_the_first_failure_is_the_killer() -> None:
    class Report:
        def __init__(self, nodeid: str, outcome: str) -> None:
            self.nodeid, self.failed, self.skipped = nodeid, outcome == "failed", outcome == "skipped"

    plugin = Chosen(["b", "a"], None)
    for report in (Report("a", "skipped"), Report("b", "failed"), Report("c", "failed")):
        plugin.pytest_runtest_logreport(report)
    assert (plugin.failures, plugin.skipped) == (["b", "c"], ["a"])
    assert (plugin.failed, set(plugin.seconds)) == ("b", {"a", "b", "c"})


def test_tests_that_a_tracer_changes_are_known_by_the_functions_that_they_call(tmp_path: Path) -> None:
    space: dict[str, Any] = {}
    for name in ("spec", "other"):
        exec(compile(f"def {name}(x):\n    return (\n        x)\n", tmp_path / name / "a.py", "exec"), space)  # noqa: S102
    calls = Calls(tmp_path)
    calls.start()
    for test in ("t", "u"):
        calls.switch_context(test)
        space["spec" if test == "u" else "other"](1)
    assert calls.lines() == {"spec/a.py": {"1": ["u"], "2": ["u"], "3": ["u"]}}
    covered: dict[str, Any] = {
        "lines": {"a.py": {"1": ["t"]}},
        "seconds": {"t": 1.0, "u": 0.0},
        "failures": ["u"],
        "skipped": ["v"],
    }
    again = {"lines": {"a.py": {"1": ["u", "t"], "2": ["u"]}}, "seconds": {"u": 2.0}, "failures": []}
    both = together(covered, again)
    assert {line: sorted(nodes) for line, nodes in both["lines"]["a.py"].items()} == {"1": ["t", "u"], "2": ["u"]}
    assert (both["seconds"], both["failures"]) == ({"t": 1.0, "u": 2.0}, [])


# What the ledger alone notices


@pytest.mark.deep  # every entry's check is walked
def test_entries_that_name_a_module_come_before_those_of_what_is_made_of_it() -> None:
    named, made_of_it = ledger.asked("impl/flexible/tables.py")
    assert {"FD.Shifted.built", "FD.Shifted.real", "FD.Shifted.certificate"} <= set(named)
    assert "FD.Flexible.accuracy" in made_of_it
    assert not set(named) & set(made_of_it)
    assert "FA.Def1" in ledger.asked("spec/flexible/lossy_wasserstein.py")[0]
    assert ledger.asked("proofs_check/ledger/page.py") == ([], [])


@pytest.mark.deep
def test_an_edit_meets_the_cheapest_entries_first_and_those_that_name_its_module_before_others() -> None:
    mutant = next(x for x in by_hand(edits=ledger.EDITS) if x.file == "impl/flexible/bucketing.py")
    named, made_of_it = ledger.asked(mutant.file)
    seconds = {node: float(len(node)) for node in ledger.nodes([*named, *made_of_it])}
    ((same, stages),) = ledger.plans([mutant], seconds)
    assert same == mutant
    assert [[seconds[node] for node in some] for _, some in stages] == [
        sorted(seconds[node] for node in ledger.nodes(ids)) for ids in (named, made_of_it) if ids
    ]


def test_the_last_record_of_an_edit_counts_and_that_it_once_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one, other = by_hand(edits=ledger.EDITS)[:2]
    monkeypatch.setattr(ledger, "RESULTS", tmp_path / "ledger.json")
    monkeypatch.setattr(ledger, "drawn", lambda: [one, other])

    def record(id: str, outcome: str) -> dict[str, Any]:  # noqa: A002  # the field's name
        return {"id": id, "folder": BY_HAND, "file": "a.py", "line": 0, "outcome": outcome}

    assert ledger.known() == []
    ledger.write([record(one.id, "survived"), record(other.id, "killed"), record("gone", "killed"), record(one.id, "killed")])
    found = {x["id"]: (x["outcome"], x["survived_before"], x["line"]) for x in ledger.known()}
    assert found == {one.id: ("killed", True, one.line), other.id: ("killed", False, other.line)}
    ledger.write(ledger.known())
    assert {x["id"]: x["survived_before"] for x in ledger.known()} == {one.id: True, other.id: False}


# What is kept in the repository


def test_what_is_kept_of_the_dead_are_ids_and_of_survivors_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(page, "RESULTS", tmp_path / "results.json")
    assert page.records() == []
    some = {"file": "a.py", "line": 3, "before": "x", "after": "y", "by": None, "tests": 2, "operator": "o"}
    ends = ["killed", "killed", "does not end", "survived", "survived"]
    found = [
        {**some, "id": f"{i:012x}", "folder": "ab"[i % 2], "outcome": outcome, "survived_before": i in (0, 2, 4)}
        for i, outcome in enumerate(ends)
    ]
    page.write(found)
    kept = {"id", "folder", "outcome", "survived_before"}
    wanted = [x if x["outcome"] == "survived" else {key: x[key] for key in kept} for x in found]
    assert sorted(page.records(), key=lambda x: str(x["id"])) == wanted
    page.write(page.records())
    assert sorted(page.records(), key=lambda x: str(x["id"])) == wanted


def test_the_ledger_notices_nine_tenths_of_a_sample_and_all_edits_by_hand() -> None:
    records, reasons = ledger.known(), page.reasons(ledger.REASONS)
    assert {x["id"] for x in records if x["folder"] == BY_HAND} == {mutant.id for mutant in by_hand(edits=ledger.EDITS)}
    drawn = [x for x in records if x["folder"] != BY_HAND]
    assert len(drawn) == ledger.SIZE >= 150
    assert all(x["outcome"] == "killed" for x in records if x["folder"] == BY_HAND)
    alive = {x["id"] for x in drawn if x["outcome"] == "survived"}
    assert 10 * len(alive) <= len(drawn)
    assert alive == reasons.keys()
    assert {reason["kind"] for reason in reasons.values()} <= {"equivalent", "message", "limit", "loose", "unit tests", "open"}
    assert all(len(reason["reason"]) > 20 for reason in reasons.values())
    assert {page.entry_of(x) for x in records} - {""} <= entries().keys()


def test_the_page_is_the_one_of_the_results() -> None:
    assert page.PAGE.read_text() == page.page(), "run `python -m tests.mutation page`"


def test_every_survivor_has_a_reason() -> None:
    records, reasons = page.records(), page.reasons()
    assert sum(size or 0 for _, size in QUOTA.values()) >= 450
    assert sum(record["folder"] == "proofs_check/checker.py" for record in records) >= 95
    assert len({record["id"] for record in records}) == len(records)
    assert {record["outcome"] for record in records} <= {"killed", "does not end", "survived"}
    assert {record["id"] for record in records if record["outcome"] == "survived"} == reasons.keys()
    assert {reason["kind"] for reason in reasons.values()} <= {"equivalent", "open"}
    assert all(len(reason["reason"]) > 20 for reason in reasons.values())


@pytest.mark.parametrize("mutant", [*by_hand(), *by_hand(edits=ledger.EDITS)], ids=lambda mutant: mutant.id)
def test_an_edit_by_hand_still_applies(mutant: Mutant) -> None:
    assert compiles(mutant.source())
