"""Neighbours that the auditor states: lists of pairs and functions, certificates of them, and forgeries."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp import Accuracy, FlexibleAccuracy, PrivacyClaim, audit
from finitedp.certificates import with_plain_labels
from finitedp.claim import Neighbours
from finitedp.cli.main import main
from finitedp.errors import ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.certificate import certificate, schema, validate
from finitedp.proofs_check.audit.relation import relation_of
from finitedp.proofs_check.report.facts import report
from finitedp.pytest_audits import request_of
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import are_neighbours, inputs
from finitedp.spec.pmf import Pmf
from finitedp_pytest import assert_private
from tests.proofs_check.test_checker import hashed

pytestmark = pytest.mark.usefixtures("unrecorded")

Document = dict[str, Any]
CLAIM = PrivacyClaim("1/2", "add-remove", "1/10")


def noisy(data: Any, rng: Any) -> int:
    """The number of rows "1", or a count, and a coin."""
    return (data if isinstance(data, int) else sum(str(row) == "1" for row in data)) + int(rng.random() < 0.25)


def checked(result: AuditResult) -> Document:
    """The certificate of an audit, which the lone checker accepts."""
    document = certificate(with_plain_labels(result))
    validate(document, schema(), "it")
    assert checker.check(document) is None
    return document


@pytest.mark.parametrize(
    ("form", "universe", "n"), [("counts", (), 3), ("add-remove", (0, 1), 2), ("add-remove", ("1", "b"), 2)]
)
def test_a_relation_of_the_papers_that_is_stated_is_that_relation(form: Neighbours, universe: Any, n: int) -> None:
    """By a function, and by the list of its pairs: the same verdicts, profile and witness."""
    claim = PrivacyClaim("1/2", form, "1/10")
    expected = audit(noisy, claim, n=n, universe=universe, style="random")

    def near(x: Any, y: Any) -> bool:
        return abs(x - y) == 1 if form == "counts" else are_neighbours(x, y, form)

    every = list(inputs(universe, n, form))
    pairs = [(x, y) for i, x in enumerate(every) for y in every[:i] if near(x, y)]
    for stated in (near, pairs, lambda: iter(pairs)):
        found = audit(noisy, claim, n=n, universe=universe, style="random", neighbours=stated)
        assert (found.private, found.worst_ratio, found.profile) == (expected.private, expected.worst_ratio, expected.profile)
        gaps = [(x.witness.in_left, x.witness.in_right) for x in (found, expected)]
        assert gaps[0] == gaps[1]
        assert {frozenset(pair) for pair in found.stated or ()} == {frozenset(pair) for pair in pairs}
        assert len(checked(found)["neighbours"]) == len(pairs)


PLACES = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] != pair[1])


@given(
    st.lists(PLACES, min_size=1, max_size=6), st.lists(st.integers(1, 5), min_size=18, max_size=18), st.sampled_from([1, 2])
)
def test_just_the_stated_pairs_are_compared_in_both_orders(
    pairs: list[tuple[int, int]], weights: list[int], runs: int
) -> None:
    laws = [Pmf(dict(enumerate(weights[3 * i : 3 * i + 3]))) for i in range(6)]
    table = {i: {x: mpq(law.weight(x), law.total) for x in range(3)} for i, law in enumerate(laws)}
    found = audit(table, CLAIM, neighbours=pairs, compose=runs, renyi=None, zcdp="1/10")
    worst = max(max_ratio(laws[i], laws[j]).value for pair in pairs for i, j in (pair, pair[::-1]))
    assert found.worst_ratio == worst**runs
    assert list(found.laws) == sorted({x for pair in pairs for x in pair})
    assert (found.n, found.universe) == (max(max(pair) for pair in pairs), ())
    document = checked(found)
    assert len(document["neighbours"]) == len({frozenset(pair) for pair in pairs})


def test_a_user_with_two_rows() -> None:
    """The claim holds for a row, and not for a user."""

    def of_one_user(x: Any, y: Any) -> bool:
        return any([r for r in x if r[0] != user] == [r for r in y if r[0] != user] for user in "ab")

    rows, claim = ["a1", "b1"], PrivacyClaim(0, "add-remove", "1/4")

    def count(data: Any, rng: Any) -> int:
        return len(data) + int(rng.randrange(4))

    assert audit(count, claim, n=2, universe=rows, style="random").private == "holds"
    found = audit(count, claim, n=2, universe=rows, style="random", neighbours=of_one_user)
    assert (found.private, {found.witness.left, found.witness.right}) == ("fails", {(), ("a1", "a1")})
    checked(found)


def test_accuracy_is_about_the_inputs_that_are_named() -> None:
    def counted(data: Any, rng: Any) -> int:
        return int(sum(data) + (0 if len(data) < 2 else rng.randrange(2)))

    pairs = [((0, 1), (1,)), ((1,), ())]
    for bound, truth in ((Accuracy(0, "1/2"), sum), (FlexibleAccuracy("total", 0, "1/2", dropped=0), sum)):
        found = audit(counted, CLAIM, neighbours=pairs, style="random", accuracy=bound, truth=truth)
        assert (found.accuracy, found.miss and found.miss.input) == ("holds", (0, 1))
        checked(found)


def test_the_law_that_is_specified_is_compared_at_the_inputs_that_are_named() -> None:
    """A table may say more than is asked."""
    table = {x: {0: "1/2", 1: "1/2"} for x in [(), ("a",), ("b",), ("a", "b")]}
    found = audit(table, CLAIM, neighbours=[[["a"], []]], specified=table)
    assert (found.law, found.n, found.universe) == ("equal", 1, ("a",))
    checked(found)


def test_labels_of_any_kind_are_written_as_python_writes_them() -> None:
    found = audit(noisy, CLAIM, neighbours=[([("a", 1.5)], [("a", 2)])], style="random")
    assert found.universe == (("a", 1.5), ("a", 2))
    assert checked(found)["inputs"] == [["('a', 1.5)"], [["a", 2]]]


def pairing() -> list[Any]:
    return [(0, 2)]


WRONG: list[tuple[Any, Any, str]] = [
    ([], {}, "neighbours is empty; accepted: at least one pair of inputs"),
    ((), {}, "neighbours is empty"),
    (lambda: iter([]), {}, "neighbours is empty"),
    ([(0, 0)], {}, "the pair of 0 with itself; accepted: two inputs that differ"),
    ([((1,), [1])], {}, r"the pair of \(1,\) with itself"),
    ([(0, 1, 2)], {}, r"\(0, 1, 2\), which is no pair; accepted: two inputs"),
    ([(0,)], {}, "which is no pair"),
    ([0, 1], {}, "neighbours holds 0; accepted: pairs of inputs"),
    (["ab"], {}, "neighbours holds 'ab'; accepted: pairs of inputs"),
    ([("a", "b")], {}, "neighbours names 'a', which is no input; accepted: a count of at least 0, or rows"),
    ([(0, -1)], {}, "neighbours names -1, which is no input"),
    ([(0, True)], {}, "neighbours names True, which is no input"),
    ([(0, 1.0)], {}, "neighbours names 1.0, which is no input"),
    ([((), ({},))], {}, "unhashable type: 'dict'; accepted"),
    ([(0, (1,))], {}, "a count and a dataset; accepted: two of one kind"),
    ([(0, 1), ((), (1,))], {}, "counts and datasets; accepted: inputs of one kind"),
    ({(0, 1)}, {}, r"neighbours = \{\(0, 1\)\} cannot be used; accepted: counts, replace-one, add-remove, a list of pairs"),
    (3, {}, "neighbours = 3 cannot be used"),
    ([(0, 7)], {"n": 6}, "neighbours names the input 7; n = 6"),
    ([((), ("a", "b"))], {"n": 1}, r"neighbours names the input \('a', 'b'\); n = 1"),
    ([((), ("a",))], {"universe": ["b"]}, "neighbours names 'a', which is not in the universe"),
    ([(0, 1)], {"n": -1}, "n = -1"),
    ([(0, 1)], {"universe": ["a"]}, "a universe is given, but inputs are counts"),
    (lambda x, y: True, {}, "n is missing: a function of two inputs is asked about all that there are"),
    (lambda x, y: False, {"n": 2}, "says of no two inputs that they are neighbours"),
    (lambda x, y: [(0, 1)], {"n": 2}, r"`neighbours` says \[\(0, 1\)\] of 0 and 1; accepted: True or False"),
    (lambda x, y: None, {"n": 2}, "`neighbours` says None of 0 and 1"),
    (lambda x, y: 1, {"n": 2}, "`neighbours` says 1 of 0 and 1"),
    (lambda x, y: np.array([x, y]) == 0, {"n": 2}, r"`neighbours` says array\(\[ True, False\]\) of 0 and 1"),
    (lambda x, y: 1 // x, {"n": 2}, "`neighbours` raised ZeroDivisionError at 0 and 1: "),
    (lambda x: True, {"n": 2}, "the function of neighbours takes 1 arguments; accepted: two inputs, or nothing"),
    (lambda: None, {}, "the function of neighbours gives None; accepted: a list of pairs of inputs"),
    (lambda: 1 // 0, {}, "`neighbours` raised ZeroDivisionError: "),
    (dict.fromkeys, {"n": 2}, "of neighbours"),
]


@pytest.mark.parametrize(("stated", "more", "message"), WRONG, ids=lambda x: x if isinstance(x, str) else "")
def test_what_states_no_neighbours_is_refused(stated: Any, more: Any, message: str) -> None:
    fields = {"epsilon": 1, "neighbours": stated, **more}
    with pytest.raises(ParameterError, match=message):
        request_of(fields).run(noisy)


@pytest.mark.parametrize(
    ("stated", "most", "message"),
    [
        ([(0, i) for i in range(1, 6)], 5, "names 6 inputs, more than 5"),
        (lambda x, y: True, 5, "that is 6 counts, more than 5"),
    ],
)
def test_inputs_that_are_too_many_are_refused(stated: Any, most: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        relation_of(PrivacyClaim(1, "counts"), (), 5, most, stated)


def test_a_function_may_say_it_in_numpy() -> None:
    found = audit(noisy, PrivacyClaim(1, "counts"), n=2, neighbours=lambda x, y: np.abs(x - y) == 2, style="random")
    assert found.stated == ((0, 2),)


def test_a_function_of_two_datasets_needs_a_universe() -> None:
    with pytest.raises(ParameterError, match="the universe is missing"):
        audit(noisy, CLAIM, n=1, neighbours=lambda x, y: True)


def test_without_neighbours_of_its_own_an_audit_needs_n() -> None:
    with pytest.raises(ParameterError, match="n is missing"):
        audit(noisy, PrivacyClaim(1, "counts"))
    with pytest.raises(ParameterError, match="the field 'n' is missing"):
        request_of({"epsilon": 1, "neighbours": "counts"})


# Certificates


def document_of(neighbours: Any, **more: Any) -> Document:
    return checked(audit(noisy, PrivacyClaim("1/2", "add-remove"), neighbours=neighbours, style="random", **more))


GOOD = document_of([(["1", "a"], ["a"]), (["a"], []), (["1", "a"], [])])
COUNTS = document_of([(0, 1), (5, 1)], n=7)


def test_a_certificate_holds_the_pairs() -> None:
    assert (GOOD["version"], GOOD["neighbours"], GOOD["universe"], GOOD["n"]) == (5, [[0, 1], [0, 2], [1, 2]], ["a", "1"], 2)
    assert GOOD["inputs"] == [[], ["a"], ["1", "a"]]
    assert (COUNTS["neighbours"], COUNTS["inputs"], COUNTS["universe"], COUNTS["n"]) == ([[0, 1], [1, 2]], [0, 1, 5], [], 7)


def forged(base: Document, *path: Any, value: Any) -> Document:
    """The certificate with one entry changed, and all else as follows from it, as far as anything does."""
    document = copy.deepcopy(base)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return hashed(document)


FORGED = [
    *((GOOD, "neighbours", value) for value in ([[0, 1], [1, 2]], [[0, 1]], [], [[0, 1], [0, 2], [1, 3]])),
    *(
        (GOOD, "neighbours", value)
        for value in ([[1, 0], [0, 2], [1, 2]], [[0, 2], [0, 1], [1, 2]], [[0, 1], [0, 1], [0, 2], [1, 2]])
    ),
    *(
        (GOOD, "neighbours", value)
        for value in ([[0, 0], [0, 1], [0, 2], [1, 2]], [[0, 1, 2]], [[False, True], [0, 2], [1, 2]])
    ),
    *(
        (GOOD, "neighbours", value)
        for value in ([[-1, 0], [0, 1], [1, 2]], ["01", "02", "12"], "add-remove", "replace-one", None)
    ),
    *((GOOD, "neighbours", value) for value in ([[0, 1.0], [0, 2], [1, 2]], {"0": 1}, [0, 1, 2])),
    (GOOD, "inputs", [["a"], ["a"], ["1", "a"]]),
    (GOOD, "inputs", [[], ["b"], ["1", "a"]]),
    (GOOD, "inputs", [[], ["a"], ["1", "a", "a"]]),
    (GOOD, "inputs", [[], ["a"]]),
    (GOOD, "inputs", [[], ["a"], ["1", "a"], ["1"]]),
    (GOOD, "inputs", [0, ["a"], ["1", "a"]]),
    (GOOD, "inputs", [[], ["a"], [1, "a"]]),
    (GOOD, "universe", ["1"]),
    (GOOD, "universe", []),
    (GOOD, "universe", ["1", "a", "a"]),
    (GOOD, "n", 1),
    (GOOD, "n", True),
    (GOOD, "n", "2"),
    *((GOOD, "version", version) for version in (2, 3, 4, 6)),
    (COUNTS, "inputs", [0, 1, 8]),
    (COUNTS, "inputs", [0, 1, -1]),
    (COUNTS, "inputs", [0, True, 5]),
    (COUNTS, "inputs", [0, 0, 5]),
    (COUNTS, "universe", ["1"]),
    (COUNTS, "n", 4),
    (COUNTS, "neighbours", "counts"),
]


@pytest.mark.parametrize(("base", "key", "value"), FORGED, ids=lambda x: str(x) if not isinstance(x, dict) else "")
def test_forged_pairs_and_inputs_are_rejected(base: Document, key: str, value: Any, tmp_path: Path) -> None:
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(forged(base, key, value=value)))
    assert checker.main([str(file)]) == 1


def test_a_pair_that_breaks_the_claim_cannot_be_left_out() -> None:
    """The verdict that would follow from fewer pairs is another certificate, which says how many there are."""
    assert GOOD["verdicts"]["private"] == "fails"
    fewer = document_of([(["a"], [])])
    assert (fewer["verdicts"]["private"], checker.about(fewer)) == ("holds", " (neighbours: 1 stated pair)")
    assert checker.check(forged(GOOD, "verdicts", value={**GOOD["verdicts"], "private": "holds"})) is not None


def test_checker_and_report_say_that_the_relation_is_the_auditors_own(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "good.json"
    file.write_text(json.dumps(GOOD))
    assert checker.main([str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: accepted (neighbours: 3 stated pairs)\n"
    assert CliRunner().invoke(main, ["check", str(file)]).output == f"{file}: accepted (neighbours: 3 stated pairs)\n"
    (entry,) = report([file])["audits"]
    assert entry["claim"]["words"] == "(1/2, 0)-differential privacy, 3 stated pairs"
    assert "the auditor's own statement" in entry["scope"]["words"]
    assert (entry["scope"]["inputs"], entry["scope"]["pairs"]) == (3, 6)
    for form in ("markdown", "html"):
        out = tmp_path / f"out.{form}"
        done = CliRunner().invoke(main, ["report", str(file), "--format", form, "--out", str(out)])
        assert (done.exit_code, "3 stated pairs" in out.read_text()) == (0, True), done.output


# Descriptions, options, marks

CODE = """
def noisy(rows, rng):
    return len(rows) + rng.randrange(4)


def counted(count, rng):
    return count + rng.randrange(4)


def two_apart(x, y):
    return abs(x - y) == 2


def near(x, y):
    return abs(len(x) - len(y)) == 2


def pairs():
    yield [0, 3]
    yield [3, 6]


def one(x):
    return True
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    result = CliRunner().invoke(main, ["audit", *words, "--jobs", "1"])
    assert "Traceback" not in result.output
    return result


DESCRIPTION = """
mechanism = "code.py:{function}"
style = "random"
{more}
claim = {{ neighbours = {neighbours}, epsilon = 0, delta = "1/2" }}
"""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("function", "neighbours", "more", "pairs", "private"),
    [
        ("noisy", '[[["a"], []], [["a", "a"], ["a"]]]', "", [[0, 1], [1, 2]], "holds"),
        ("noisy", '[[["a", "a", "b"], []]]', "", [[0, 1]], "fails"),
        ("noisy", '[[["a"], []]]', 'universe = ["b", "a"]\nn = 4', [[0, 1]], "holds"),
        ("noisy", '"code.py:near"', 'universe = ["a", "b"]\nn = 2', [[0, i] for i in range(1, 5)], "holds"),
        ("counted", "[[0, 2], [5, 4]]", "", [[0, 1], [2, 3]], "holds"),
        ("counted", '"code.py:two_apart"', "n = 4", [[0, 2], [1, 3], [2, 4]], "holds"),
        ("counted", '"code.py:pairs"', "", [[0, 1], [1, 2]], "fails"),
    ],
)
def test_descriptions_state_pairs(function: str, neighbours: str, more: str, pairs: Any, private: str) -> None:
    Path("a.toml").write_text(DESCRIPTION.format(function=function, neighbours=neighbours, more=more))
    result = run("a.toml", "--json")
    (document,) = json.loads(result.output)["certificates"]
    assert checker.check(document) is None
    assert (document["neighbours"], document["verdicts"]["private"]) == (pairs, private)
    assert document["derived"].get("neighbours") == (neighbours.strip('"') if "code" in neighbours else None)
    words = " ".join(run("a.toml").output.split())
    assert f"{len(pairs)} stated pair" in words
    assert f"of {len(document['inputs'])} inputs)" in words


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("function", "neighbours", "more", "message"),
    [
        ("counted", "[]", "", "claim.neighbours: .*"),
        ("counted", "[[0, 1, 2]]", "", "claim.neighbours.*"),
        ("counted", "[[0, 1.5]]", "", "claim.neighbours.*"),
        ("counted", '"next-door"', "", "claim.neighbours: 'next-door' does not match '.*counts|replace-one|add-remove"),
        ("counted", "[[1, 1]]", "", "the pair of 1 with itself"),
        ("counted", '"code.py:none"', "", "code.py has no 'none'"),
        ("counted", '"code.py:two_apart"', "", "n is missing"),
        ("counted", '"code.py:one"', "n = 2", "takes 1 arguments"),
        ("counted", '"counts"', "", "n is missing"),
        ("noisy", '[[["a"], ["b"]]]', 'universe = ["a"]', "names 'b', which is not in the universe"),
    ],
)
def test_descriptions_that_state_none_are_refused(function: str, neighbours: str, more: str, message: str) -> None:
    Path("a.toml").write_text(DESCRIPTION.format(function=function, neighbours=neighbours, more=more))
    result = run("a.toml")
    assert (result.exit_code, bool(re.search(message, result.output))) == (2, True), result.output
    assert len(result.output.splitlines()) == 1


@pytest.mark.usefixtures("here")
def test_options_name_a_function() -> None:
    claim = ["--epsilon", "0", "--delta", "1/2", "--style", "random"]
    result = run("code.py:counted", *claim, "--neighbours", "code.py:two_apart", "--n", "4", "--json")
    (document,) = json.loads(result.output)["certificates"]
    assert (result.exit_code, document["neighbours"]) == (0, [[0, 2], [1, 3], [2, 4]])
    assert "--neighbours code.py:two_apart" in document["derived"]["command"]
    assert run("code.py:noisy", *claim, "--neighbours", "code.py:near", "--n", "2", "--universe", "a,b").exit_code == 0
    assert run("code.py:counted", *claim, "--neighbours", "code.py:pairs").exit_code == 1
    result = run("code.py:counted", *claim, "--neighbours", "next-door", "--n", "1")
    assert (result.exit_code, "accepted: counts, replace-one, add-remove, or FILE.py:FUNCTION" in result.output) == (2, True)
    result = run("code.py:counted", *claim, "--neighbours", "counts")
    assert (result.exit_code, "needs --n" in result.output) == (2, True)


@pytest.mark.usefixtures("here")
def test_of_a_command_no_pairs_are_stated() -> None:
    Path("a.toml").write_text('command = ["true"]\nclaim = { neighbours = [[0, 1]], epsilon = 1 }\n')
    result = run("a.toml")
    assert (result.exit_code, "neighbours are counts, replace-one or add-remove" in result.output) == (2, True)


def test_marks_state_pairs() -> None:
    found = assert_private(noisy, epsilon=0, delta="1/4", neighbours=[([0], [])], style="random")
    assert (found.n, found.universe, found.stated) == (1, (0,), (((0,), ()),))
    with pytest.raises(
        AssertionError, match=r"claim: \(0, 1/2\)-differential privacy, 1 stated pair; n = 2, universe \['1'\]"
    ):
        assert_private(noisy, epsilon=0, delta="1/2", neighbours=[([], ["1", "1"])], style="random")
    with pytest.raises(AssertionError, match="smallest: n = 1, universe \\['1'\\]"):
        assert_private(noisy, epsilon=0, neighbours=lambda x, y: len(x) != len(y), universe=["1", 2], n=2, style="random")
