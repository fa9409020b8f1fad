"""The notebooks of the manual run from the first cell to the last, and their job is as short as it says."""

import csv
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from finitedp.proofs_check import checker

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOK = DOCS / "notebooks" / "visits.md"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?::tags: \[(\w+)\]\n)?(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without OpenDP: the build of the manual runs it with."""
    for package in ("duckdb", "matplotlib", "polars"):
        pytest.importorskip(package)
    monkeypatch.chdir(NOTEBOOK.parent)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, Any] = {}
    cells = CELL.findall(NOTEBOOK.read_text())
    assert len(cells) > 10
    for _, cell in cells:
        exec(compile(cell, NOTEBOOK.name, "exec"), names)  # noqa: S102  # the manual's own code
    assert names["again"].as_dict() == names["ages"].as_dict()
    assert names["same"] is True
    assert names["again"].claim.unit.column == "person"
    assert [charge.epsilon for charge in names["budget"].charges] == [
        names[x].claim.epsilon for x in ("ages", "places", "most")
    ]
    assert names["budget"].spent[0] == 1
    assert 2500 < names["ages"].between(20, 50).value < 5000  # people of 20 to 59, of 5912
    assert {"1-11", "2-11", "6-11"} <= set(names["places"])  # with more than 300 people each
    assert 0 < float(names["upper"]) < 1


def cells_run(name: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the cells of a notebook leave behind."""
    pytest.importorskip("matplotlib")
    page = DOCS / "notebooks" / name
    monkeypatch.chdir(page.parent)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr(sys, "path", sys.path[:])  # which a notebook adds to
    names: dict[str, Any] = {}
    for _, cell in CELL.findall(page.read_text()):
        exec(compile(cell, page.name, "exec"), names)  # noqa: S102  # the manual's own code
    return names


def test_the_auditor_s_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    names = cells_run("audit.md", monkeypatch)
    assert (names["wrong"].private, names["wrong"].worst_ratio) == ("fails", 4)
    assert (names["right"].private, names["right"].worst_ratio) == ("holds", 2)
    assert names["accepted"] is None
    assert checker.check(names["document"]) is not None


@pytest.mark.deep
def test_the_gate_s_notebook_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    cells_run("gate.md", monkeypatch)
    passed, broken, wider = capsys.readouterr().out.split("finitedp: 1 audit: ")[1:]
    assert passed.startswith("1 hold, 0 fail")
    assert broken.startswith("0 hold, 1 fail")
    assert wider.startswith("0 hold, 1 fail")


def test_the_job_takes_at_most_twelve_lines() -> None:
    (job,) = (cell for tag, cell in CELL.findall(NOTEBOOK.read_text()) if tag == "job")
    assert len(job.strip().splitlines()) <= 12
    for part in ("Budget", "release(", "statistic(", ".write(", "read(", ".plot("):
        assert part in job


def test_the_people_s_rows_are_those_of_the_other_file() -> None:
    """In the same order, with whose they are: so that what was shown of one holds for both."""
    with (DOCS / "data" / "randhie.csv").open() as one, (DOCS / "data" / "randhie_people.csv").open() as other:
        rows, people = list(csv.DictReader(one)), list(csv.DictReader(other))
    assert [row["outpatient_visits"] for row in rows] == [row["visits"] for row in people]
    whose = [int(row["person"]) for row in people]
    assert sorted(set(whose)) == list(range(1, 5913))
    assert whose == sorted(whose)
    assert len({(row["person"], row["place"]) for row in people}) == 5912  # each has one place
    assert max(map(whose.count, range(1, 50))) == 5
