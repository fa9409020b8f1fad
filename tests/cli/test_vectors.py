"""finitedp vectors: lists, writes and runs cases; what is wrong is said in a line."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import jsonschema
import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.proofs_check.vectors.kinds import KINDS, cases_of
from finitedp.proofs_check.vectors.making import file_of, shipped

ROOT = Path(__file__).parents[2]
PORT = [sys.executable, str(ROOT / "docs" / "ports" / "finitedp_port.py")]

# what is valid is refused, and what is to be refused is, too
REFUSES = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"tcId": json.loads(line)["tcId"], "result": "invalid"}), flush=True)
"""


def finitedp(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["vectors", *map(str, arguments)])


def test_the_list() -> None:
    result = finitedp()
    assert result.exit_code == 0
    assert f"Cases: {sum(document['numberOfTests'] for document in shipped().values()):,}." in result.output
    assert all(kind in result.output for kind in KINDS)
    listed = json.loads(finitedp("--json", "--group", "draw").output)
    assert list(listed["groups"]) == ["Draw"]
    assert listed["groups"]["Draw"]["flags"]["InnerSum"] > 50


def test_the_files_are_the_same_bytes_each_time_and_follow_their_schemas(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert finitedp("--out", tmp_path / name).exit_code == 0
    files = sorted((tmp_path / "one").iterdir())
    assert len(files) == 2 * len(KINDS)
    for file in files:
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    for kind in KINDS:
        document = json.loads((tmp_path / "one" / file_of(kind)).read_text())
        assert document == shipped()[kind]
        described = json.loads((tmp_path / "one" / document["schema"]).read_text())
        jsonschema.validate(document, described, cls=jsonschema.Draft202012Validator)


@pytest.mark.deep
def test_finitedp_s_own_code_is_right_on_all_of_them() -> None:
    result = finitedp("run", "--", *PORT)
    assert result.exit_code == 0, result.output
    total = f"{sum(document['numberOfTests'] for document in shipped().values()):,}"
    assert result.output.endswith(f"Cases: {total}: {total} right, 0 failed.\n")


def test_a_wrong_program_is_told_what_its_failures_hunt(tmp_path: Path) -> None:
    file = tmp_path / "report.xml"
    result = finitedp("run", "--group", "Draw", "--junit", file, "--", sys.executable, "-c", REFUSES)
    assert result.exit_code == 1
    cases = list(cases_of(shipped()["Draw"]))
    wrong = [case for case in cases if case.test["result"] == "valid"]
    assert result.output.endswith(f"Cases: {len(cases):,}: {len(cases) - len(wrong)} right, {len(wrong):,} failed.\n")
    assert "Draw-1 (word 0 of 16 at the count 0): wrong: refused, and it is valid" in result.output
    assert re.search(r"│ FirstBit +│ (\d+) of \1 +│ SIGN +│ The two words in the middle", result.output)
    assert "LongTape" in result.output
    assert "CountOutOfRange" not in result.output
    suite = Xml.parse(file).getroot()[0]  # noqa: S314  # it was just written
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("Draw", str(len(cases)), str(len(wrong)))
    failures = suite.findall("testcase/failure")
    assert len(failures) == len(wrong)
    assert failures[0].get("type") == "wrong"
    assert "FirstBit (SIGN)" in str(failures[0].text)


def test_failures_as_json() -> None:
    result = finitedp("run", "--group", "Claim", "--json", "--", sys.executable, "-c", REFUSES)
    found = json.loads(result.output)
    assert result.exit_code == 1
    assert found["groups"]["Claim"]["wrong"] == found["cases"] == len(found["failed"])
    assert found["failed"][0]["line"].startswith('{"tcId":"Claim-1","type":"Claim"')
    assert all(note["claim"] for note in found["failed"][0]["flags"].values())


def test_flags_are_left_out_and_this_is_said() -> None:
    command = ("run", "--group", "Draw", "--without", "WideCount", "--without", "LimbOrder", "--", *PORT)
    result = finitedp(*command)
    kept = [case for case in cases_of(shipped()["Draw"]) if not {"WideCount", "LimbOrder"} & {*case.test["flags"]}]
    assert result.exit_code == 0
    assert f"Left out: cases with WideCount, LimbOrder.\nCases: {len(kept):,}: " in result.output


def test_a_folder_s_cases(tmp_path: Path) -> None:
    assert finitedp("--out", tmp_path, "--group", "Claim", "--group", "Parse").exit_code == 0
    result = finitedp("run", "--vectors", tmp_path, "--", *PORT)
    assert result.exit_code == 0, result.output
    assert "Parse" in result.output
    assert "Draw" not in result.output


def changed(folder: Path, before: str, after: str) -> None:
    file = folder / file_of("Claim")
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))


@pytest.mark.parametrize("damage", ["version", "truncated", "schema"])
def test_a_file_that_cannot_be_used(damage: str, tmp_path: Path) -> None:
    assert finitedp("--out", tmp_path, "--group", "Claim").exit_code == 0
    if damage == "version":
        changed(tmp_path, '"version": "1"', '"version": "9"')
    elif damage == "schema":
        changed(tmp_path, '"threshold"', '"thresh"')
    else:
        file = tmp_path / file_of("Claim")
        file.write_bytes(file.read_bytes()[:-300])
    refused(finitedp("run", "--vectors", tmp_path, "--", *PORT), file_of("Claim"))


def refused(result: Result, told: str) -> None:
    assert result.exit_code == 2
    error = [line for line in result.stderr.splitlines() if not line.startswith(("Usage:", "Try "))]
    assert len(error) <= 2
    assert told in " ".join(error)
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "--", "/no/such/program"], "the program '/no/such/program' cannot be started"),
        (["run"], "COMMAND"),
        (["run", "--group", "Draws", "--", "true"], "Draws"),
        (["run", "--without", "Overflow", "--", "true"], "Overflow"),
        (["run", "--timeout", "0", "--", "true"], "0"),
        (["run", "--vectors", "/no/such/folder", "--", "true"], "/no/such/folder"),
        (["run", "--size", "huge", "--", "true"], "huge"),
        (["--group", "Draws"], "Draws"),
        (["draw"], "draw"),
    ],
)
def test_wrong_input_is_a_line(arguments: list[str], told: str) -> None:
    refused(finitedp(*arguments), told)


def test_an_empty_folder(tmp_path: Path) -> None:
    refused(finitedp("run", "--vectors", tmp_path, "--", "true"), "has no file of vectors")


def test_help() -> None:
    for arguments in (["--help"], ["run", "--help"]):
        result = finitedp(*arguments)
        assert result.exit_code == 0
        assert "--size" in result.output
