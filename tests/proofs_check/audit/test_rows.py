"""Rows of several columns: universes of arrays, columns, files of laws, certificates, reports, and forgeries."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from finitedp import Accuracy, FlexibleAccuracy, PrivacyClaim, audit
from finitedp.cli.main import main
from finitedp.errors import DataError, FinitedpError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.certificate import certificate, schema, validate
from finitedp.proofs_check.audit.rows import labels_of
from finitedp.proofs_check.audit.tables import read_table
from finitedp_pytest import assert_private
from tests.proofs_check.test_checker import hashed

pytestmark = pytest.mark.usefixtures("unrecorded")

Document = dict[str, Any]
CODE = """
def adults(rows, rng):
    assert all(type(row) is tuple and len(row) == 2 for row in rows)
    return sum(sex == "f" and age > 1 for sex, age in rows) + rng.randrange(4)


def listed(rows, rng):
    return adults(tuple(rows), rng)


def same_sex(x, y):
    return [sex for sex, _ in x] == [sex for sex, _ in y]
"""
AUDIT = """
mechanism = "code.py:{function}"
style = "random"
n = {n}
{universe}
claim = {{ neighbours = {neighbours}, epsilon = 0, delta = "1/4" }}
{more}
"""
PEOPLE = 'columns = { sex = ["f", "m"], age = "1..2" }'
ROWS = [["f", 1], ["f", 2], ["m", 1], ["m", 2]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(
    universe: str, neighbours: str = '"replace-one"', *words: str, n: int = 1, function: str = "adults", more: str = ""
) -> Result:
    fields = {"universe": universe, "neighbours": neighbours, "n": n, "function": function, "more": more}
    Path("a.toml").write_text(AUDIT.format(**fields))
    result = CliRunner().invoke(main, ["audit", "a.toml", "--jobs", "1", *words])
    assert "Traceback" not in result.output
    return result


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("universe", [f"universe = {json.dumps(ROWS)}", PEOPLE])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove", "code.py:same_sex"])
def test_rows_reach_the_mechanism_as_tuples(universe: str, neighbours: str) -> None:
    result = run(universe, json.dumps(neighbours), "--json", n=2)
    (document,) = json.loads(result.output)["certificates"]
    validate(document, schema(), "it")
    assert checker.check(document) is None
    assert (document["version"], document["universe"]) == (5, ROWS)
    assert document["verdicts"]["private"] == ("fails" if neighbours.startswith("code") else "holds")
    assert all(row in ROWS for data in document["inputs"] for row in data)


@pytest.mark.usefixtures("here")
def test_the_witness_and_the_report_show_rows(tmp_path: Path) -> None:
    result = run(PEOPLE, '"replace-one"', "--html", "report.html", n=2, more="rows = 'list'")
    words = " ".join(result.output.split())
    assert "inputs A = [('f', 2), ('f', 1)] and B = " in words or "inputs A = [('f', 1), ('f', 1)] and B = " in words
    (file,) = (tmp_path / "report-certificates").glob("*.json")
    assert checker.main([str(file)]) == 0
    text = CliRunner().invoke(main, ["report", str(file), "--format", "markdown"]).output
    assert ("('f', 1)" in text, "REJECTED" in text) == (True, False)


@pytest.mark.usefixtures("here")
def test_pairs_hold_rows() -> None:
    result = run("", '[[[["f", 2], ["m", 1]], [["f", 1]]]]', "--json", n=2)
    (document,) = json.loads(result.output)["certificates"]
    assert checker.check(document) is None
    assert (document["universe"], document["inputs"]) == ([["f", 1], ["f", 2], ["m", 1]], [[["f", 1]], [["f", 2], ["m", 1]]])


@pytest.mark.usefixtures("here")
def test_an_instance_may_have_other_columns() -> None:
    more = '[[instances]]\nname = "a"\n[[instances]]\nname = "b"\nuniverse = [["f", 2], ["m", 0]]\n'
    more += '[[instances]]\nname = "c"\ncolumns = { sex = ["f"], age = [5, 7] }\n'
    documents = json.loads(run(PEOPLE, '"replace-one"', "--json", more=more).output)["certificates"]
    assert [x["universe"] for x in documents] == [ROWS, [["f", 2], ["m", 0]], [["f", 5], ["f", 7]]]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("universe", "message"),
    [
        ('universe = [["f", 1], []]', r"universe\[1\]: \[\] .*"),
        ('universe = [["f", 1], ["f", 1]]', "a label of the universe is listed twice"),
        ('universe = [["f", ["g"]]]', r"universe\[0\]\[1\]: \['g'\] is not of type"),
        ('universe = [["f", 1.5]]', r"universe\[0\]\[1\]: 1.5 is not of type"),
        ('universe = [["f", true]]', r"universe\[0\]\[1\]: True is not of type"),
        ("columns = {}", "columns: {} .*"),
        ('columns = { sex = [], age = "0..1" }', r"columns.sex: \[\] .*"),
        ('columns = { sex = ["f", "f"] }', "the column 'sex' lists a value twice"),
        ('columns = { sex = "f,m" }', "the column 'sex' is 'f,m'; accepted: a list of values, or a range of integers, '0..3'"),
        ('columns = { age = "3..1" }', r"the column 'age' is '3..1'; accepted: FROM..TO, upwards"),
        ('columns = { age = "0..10000" }', r"of at most 10,000 values"),
        ('columns = { a = "0..999", b = "0..999" }', "the columns make 1,000,000 rows; accepted: at most 10,000"),
        ("columns = { age = 3 }", "columns.age: 3 is not of type"),
        (f"{PEOPLE}\nuniverse = [1]", "universe and columns given; accepted: one of them"),
    ],
)
def test_what_makes_no_rows_is_refused(universe: str, message: str) -> None:
    result = run(universe)
    assert (result.exit_code, bool(re.search(message, result.output))) == (2, True), result.output
    assert len(result.output.splitlines()) == 1


def test_of_a_command_rows_are_single_values(here: Path) -> None:
    (here / "a.toml").write_text(
        f'command = ["true"]\nn = 1\n{PEOPLE}\nclaim = {{ neighbours = "replace-one", epsilon = 1 }}\n'
    )
    result = CliRunner().invoke(main, ["audit", "a.toml"])
    assert (result.exit_code, "the rows of a command are single values" in result.output) == (2, True), result.output


def test_ranges_and_lists_make_all_rows_in_order() -> None:
    assert labels_of({"columns": {"a": "-1..0", "b": ["x", 5]}}) == ((-1, "x"), (-1, 5), (0, "x"), (0, 5))
    assert labels_of({"universe": [1, "a", ["a", 1]]}) == (1, "a", ("a", 1))
    assert labels_of({}) == ()


# Laws, claims of accuracy, marks


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "laws.json",
            '{"laws": [{"input": [["f", 1]], "probabilities": {"0": 1}}, {"input": [["m", 1]], "probabilities": {"0": 1}}]}',
        ),
        ("laws.csv", 'input,output,probability\n"[[""f"", 1]]",0,1\n"[[""m"", 1]]",0,1\n'),
    ],
)
def test_files_of_laws_have_rows(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    table = read_table(tmp_path / name)
    assert list(table) == [(("f", 1),), (("m", 1),)]
    found = audit(table, PrivacyClaim(0, "replace-one"), n=1, universe=[("f", 1), ("m", 1)], specified=table)
    assert (found.private, found.law, checker.check(certificate(found))) == ("holds", "equal", None)
    (tmp_path / name).write_text(text.replace("f", "").replace('[""""', "[[").replace('[""', "[["))
    with pytest.raises(DataError):
        read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("bound", "truth"),
    [
        (Accuracy(0, 0), lambda rows: sum(age for _, age in rows)),
        (FlexibleAccuracy("sum", 0, 0, dropped=0), lambda rows: sum(age for _, age in rows)),
    ],
)
def test_accuracy_on_rows_of_several_columns(bound: Any, truth: Any) -> None:
    rows = [("f", 1), ("m", 2)]
    found = audit(
        lambda data, rng: sum(x for _, x in data),
        PrivacyClaim(0, "add-remove", 1),
        n=2,
        universe=rows,
        style="random",
        accuracy=bound,
        truth=truth,
    )
    assert (found.accuracy, checker.check(certificate(found))) == ("holds", None)


def test_a_named_statistic_is_a_row() -> None:
    rows = [("f", 1), ("m", 2)]
    bound = FlexibleAccuracy("max", 0, 0, dropped=0, metric="equal")
    claim = PrivacyClaim(0, "replace-one", 1)
    found = audit(lambda data, rng: max(data), claim, n=2, universe=rows, style="random", accuracy=bound)
    assert (found.accuracy, checker.check(certificate(found))) == ("holds", None)


def test_marks_keep_rows_in_certificates() -> None:
    found = assert_private(
        lambda rows, rng: rng.randrange(2), epsilon=0, neighbours="replace-one", universe=[("f", 1), "x"], n=1
    )
    assert certificate(found)["universe"] == [["f", 1], "x"]


@pytest.mark.parametrize("label", [(), (1.5,), ("a", (1,)), (True,), frozenset()])
def test_labels_that_a_certificate_cannot_hold_are_refused(label: Any) -> None:
    found = audit(lambda rows, rng: 0, PrivacyClaim(0, "replace-one"), n=1, universe=["a", label], style="random")
    with pytest.raises(FinitedpError, match="accepted: these, or tuples of them"):
        certificate(found)


# Forgeries

GOOD = json.loads(
    json.dumps(
        certificate(
            audit(
                {(("f", 1),): {0: "1/3", 1: "2/3"}, (("m", 1),): {0: "2/3", 1: "1/3"}},
                PrivacyClaim(1, "replace-one"),
                n=1,
                universe=[("f", 1), ("m", 1)],
            )
        )
    )
)


@pytest.mark.parametrize(
    "change",
    [
        {"universe": [["f", 1], ["m", 2]]},
        {"universe": [["f", 1], ["f", 1]]},
        {"universe": [["f", 1], []]},
        {"universe": [["f", 1], ["m", [1]]]},
        {"universe": [["f", True], ["m", True]], "inputs": [[["f", True]], [["m", True]]]},
        {"universe": [["f", 1.0], ["m", 1.0]], "inputs": [[["f", 1.0]], [["m", 1.0]]]},
        {"universe": "fm", "inputs": [["f"], ["m"]]},
        {"universe": {"f": 1, "m": 1}, "inputs": [["f"], ["m"]]},
        {"universe": None},
        {"inputs": [[["f", 1]], [["m", 2]]]},
        {"inputs": [["f", 1], ["m", 1]]},
        {"inputs": [[["f", "1"]], [["m", "1"]]]},
        {"inputs": [[["f", True]], [["m", 1]]]},
        {"neighbours": [[0, 1]], "inputs": [[["f", True]], [["m", 1]]]},
        {"neighbours": [[0, 1]], "inputs": [[["f", 1.0]], [["m", 1]]]},
        {"neighbours": [[0, 1]], "inputs": [["f", 1], ["m", 1]]},
        {"version": 4},
        {"version": 2},
    ],
    ids=str,
)
def test_forged_rows_are_rejected(change: Document, tmp_path: Path) -> None:
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(hashed({**GOOD, "neighbours": GOOD["neighbours"], **change})))
    assert checker.check(GOOD) is None
    assert checker.main([str(file)]) == 1
