"""finitedp zoo, as a user calls it."""

import json
import re
from pathlib import Path

import click
import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from finitedp.claim import PrivacyClaim
from finitedp.cli import zoo as cli_zoo
from finitedp.cli.face import Face
from finitedp.cli.zoo import zoo
from finitedp.proofs_check.zoo import partition, visit
from finitedp.proofs_check.zoo.visit import exhibits


def run(*arguments: str) -> Result:
    face = click.group(cls=Face)(lambda: None)
    face.add_command(zoo)
    return CliRunner().invoke(face, ["zoo", *arguments], catch_exceptions=False)


def test_one_line_for_each_exhibit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)  # the width of a terminal
    result = run("one-time-pad", "float-response/nine-*")
    assert result.exit_code == 0
    assert "│ one-time-pad/reused" in result.output
    assert "~9.000000000000002" in result.output
    assert result.output.splitlines()[-1] == "Exhibits: 3: 1 holds, 2 fails; all as known."


def test_json() -> None:
    result = run("geometric/renormalised", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["as_expected"]) == (0, True)
    (exhibit,) = document["exhibits"]
    assert (exhibit["private"], exhibit["worst_ratio"]) == ("fails", "16/7")
    assert PrivacyClaim.from_json(exhibit["claim"]) == exhibits()["geometric/renormalised"].claim
    assert exhibit["witness"] == {"left": 0, "right": 1, "event": ["0"], "in_left": "4/7", "in_right": "1/4"}


@pytest.mark.deep
def test_the_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a zoo of one chapter; that the whole one is what the manual shows is another test."""
    monkeypatch.setattr(visit, "chapters", lambda: {"Partitions": partition.EXHIBITS})
    page = tmp_path / "zoo.md"
    assert run("--page", str(page)).exit_code == 0
    text = page.read_text()
    assert text.startswith("# The zoo\n")
    assert "9 exhibits,\nof which 4 hold and 5 fail" in text
    assert re.findall(r"^\| `(.*?)` \|", text, re.MULTILINE) == [exhibit.name for exhibit in partition.EXHIBITS]


def test_exit_code_1_if_not_as_known(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = evolve(exhibits()["geometric"], private="fails")
    monkeypatch.setattr(cli_zoo, "exhibits", lambda: {"geometric": wrong})
    result = run()
    assert result.exit_code == 1
    assert "geometric: expected fails, tight, worst ratio 2; found holds, tight, 2" in result.output
    assert result.output.splitlines()[-1] == "Exhibits: 1: 1 holds; 1 NOT as known."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "Error: no exhibit matches 'nothing'; `finitedp zoo` lists them\n"),
        (["geometric", "--page", "zoo.md"], "Error: --page needs the whole zoo: give no PATTERN\n"),
        (["--page", "none/zoo.md"], "none does not exist"),
        (["--page", f"{__file__}/zoo.md"], f"{__file__} is no folder"),
    ],
)
def test_wrong_input_is_told_in_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1
