"""finitedp.proofs_check.audit, its certificates, and the lone checker."""

import ast
import copy
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp import GeoSample, PrivacyClaim
from finitedp.cli import main
from finitedp.errors import ExplorationError, ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit import AuditResult, audit
from finitedp.proofs_check.certificate import certificate
from finitedp.proofs_check.explorer import Budget
from finitedp.spec.counting import geo_sample

CHECKER = Path(checker.__file__)


def response(data: Any, rng: Any) -> int:
    """Randomised response: the truth with probability 3/4, so that the worst ratio is 3."""
    return int(data[0] if rng.random() < 0.75 else 1 - data[0])


def responded(epsilon: str, **more: Any) -> AuditResult:
    return audit(response, PrivacyClaim(epsilon, "replace-one", **more), n=1, universe=[0, 1], style="random", name="rr")


def test_the_verdicts_stand_apart() -> None:
    good = responded("11/10", ratio=3)
    assert (good.private, good.law, good.tight) == ("holds", "not specified", True)
    assert (good.worst_ratio, good.strict_time) == (mpq(3), True)
    bad = responded("1")
    assert (bad.private, bad.tight, bad.worst_ratio) == ("fails", False, mpq(3))
    assert (bad.witness.event, bad.witness.in_left, bad.witness.in_right) == ((0,), mpq(3, 4), mpq(1, 4))


@pytest.mark.parametrize(("epsilon", "law", "tight"), [("1", "equal", True), ("1/2", "differs", False)])
def test_a_wrong_law_may_be_private(epsilon: str, law: str, tight: bool) -> None:
    mechanism = GeoSample(2, epsilon)
    specified = {c: {x: geo_sample(2, 1, c)[x] for x in range(3)} for c in range(3)}
    found = audit(lambda c, coins: mechanism.release(c, coins), GeoSample(2, 1).claim(), n=2, specified=specified)
    assert (found.private, found.law, found.tight) == ("holds", law, tight)
    assert checker.check(certificate(found)) is None


def test_a_table_made_elsewhere() -> None:
    table = {(0,): {"a": "3/4", "b": "1/4"}, (1,): {"a": "1/4", "b": "3/4"}}
    found = audit(table, PrivacyClaim("11/10", "replace-one", ratio=3), n=1, universe=[0, 1], style="table")
    assert (found.private, found.tight, found.strict_time) == ("holds", True, None)


@pytest.mark.parametrize(
    ("row", "message"),
    [({"a": "3/4"}, "sum to 3/4, not to 1"), ({"a": "-1", "b": 2}, "out of range"), ({"a": 0.5}, "is a float")],
)
def test_a_table_that_is_none_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        audit({(0,): row, (1,): row}, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], style="table")
    with pytest.raises(ParameterError, match=r"no law for the input \(1,\)"):
        audit({(0,): {"a": 1}}, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], style="table")


def coin_flips(data: Any, rng: Any) -> int:
    """The number of heads before the first tail, shifted by the data: without a bound."""
    heads = 0
    while rng.getrandbits(1):
        heads += 1
    return heads + int(data[0])


@pytest.mark.parametrize(("delta", "verdict"), [("1/2", "undecided"), ("51/100", "holds"), ("49/100", "fails")])
def test_an_unbounded_loop_leaves_an_interval(delta: str, verdict: str) -> None:
    """From ln 2 on the delta is exactly 1/2: the output 0 is impossible for the other input."""
    claim = PrivacyClaim(1, "replace-one", delta)
    found = audit(coin_flips, claim, n=1, universe=[0, 1], style="random", budget=Budget(draws=20))
    assert (found.private, found.unresolved, found.strict_time) == (verdict, mpq(1, 2**20), False)
    assert found.worst_ratio is None
    assert checker.check(certificate(found)) is None


@pytest.mark.parametrize(("mass", "law"), [("1/2", "undecided"), ("1/3", "differs")])
def test_a_law_known_in_part_is_not_called_equal(mass: str, law: str) -> None:
    """coin_flips has at least 1/2 at its least output; the specification puts the rest on one other."""
    specified: dict[Any, dict[int, mpq]] = {}
    for x in (0, 1):
        row = {x: mpq(mass), **{x + i: mpq(1, 2 ** (i + 1)) for i in range(1, 25)}}
        specified[x,] = {**row, 99: 1 - sum(row.values(), mpq(0))}
    claim, budget = PrivacyClaim(1, "replace-one", "2/3"), Budget(draws=20)
    found = audit(coin_flips, claim, n=1, universe=[0, 1], style="random", budget=budget, specified=specified)
    assert found.law == law
    assert checker.check(certificate(found)) is None


def test_add_remove_and_counts() -> None:
    fair = audit(lambda _data, coins: int(coins.uniform(2)), PrivacyClaim(0, "add-remove"), n=2, universe="ab")
    size = audit(lambda data, _coins: len(data), PrivacyClaim(9, "add-remove"), n=2, universe="ab")
    count = audit(lambda count, _coins: count, PrivacyClaim(9, "counts"), n=3)
    assert [found.private for found in (fair, size, count)] == ["holds", "fails", "fails"]
    assert [checker.check(certificate(found)) for found in (fair, size, count)] == [None] * 3


class Runs:
    """State that is kept between runs."""

    made = 0


def stateful(_data: Any, coins: Any) -> int:
    Runs.made += 1
    return Runs.made + int(coins.uniform(2))


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (lambda data, _coins: data[5], r"at the input \(0,\) the mechanism raised IndexError"),
        (lambda _data, _coins: print("x"), "the mechanism prints"),  # noqa: T201
        (lambda _data, _coins: 0.5, "the output holds the float"),
        (lambda _data, _coins: [1], "not hashable"),
        (stateful, "does not repeat itself"),
    ],
)
def test_bad_mechanisms_are_named(mechanism: Any, message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        audit(mechanism, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1])


def test_what_is_too_large_or_empty_is_refused() -> None:
    claim = PrivacyClaim(1, "replace-one")
    with pytest.raises(ParameterError, match="that is 1,000,000 datasets, more than 5,000"):
        audit(response, claim, n=6, universe=range(10))
    with pytest.raises(ParameterError, match="no neighbouring inputs"):
        audit(response, claim, n=1, universe=[0], style="random")
    with pytest.raises(ParameterError, match="that is 5,001 counts, more than 5,000"):
        audit(lambda count, _coins: count, PrivacyClaim(1, "counts"), n=5000)
    with pytest.raises(ParameterError, match="epsilon = 1001 is above 1000"):
        certificate(responded("1001"))


# Certificates

GOOD = certificate(responded("11/10", ratio=3))


def rehashed(document: dict[str, Any]) -> dict[str, Any]:
    body = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def tampered(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The certificate with one entry changed, and a hash that fits."""
    changed = copy.deepcopy(GOOD)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return rehashed(changed)


def accepted(document: Any, folder: Path) -> bool:
    file = folder / "certificate.json"
    file.write_text(json.dumps(document))
    return checker.main([str(file)]) == 0


def test_certificates_are_what_the_checker_derives() -> None:
    for result in (responded("1"), responded("11/10", ratio=3), responded("1/2", delta="1/3")):
        assert checker.check(certificate(result)) is None


CHANGES: list[tuple[tuple[Any, ...], Any]] = [
    (("verdicts", "private"), "fails"),
    (("verdicts", "tight"), False),
    (("verdicts", "law"), "equal"),
    (("worst_ratio",), "2"),
    (("claim", "epsilon"), "1"),
    (("claim", "ratio"), "2"),
    (("claim", "delta"), "1/2"),
    (("neighbours",), "add-remove"),
    (("universe",), [0, 2]),
    (("n",), 2),
    (("n",), 10**30),
    (("n",), 50),
    (("n",), -1),
    (("claim", "epsilon"), "1000000000"),
    (("claim", "epsilon"), "-1"),
    (("inputs",), [[0]]),
    (("laws", 0, "probabilities", "0"), "1/4"),
    (("laws", 0, "probabilities"), {"0": "1"}),
    (("laws", 0, "unresolved"), "1/8"),
    (("witness", "left"), 1),
    (("witness", "in_left"), "1/2"),
    (("witness", "event"), ["1"]),
    (("version",), 2),
    (("format",), "something else"),
]


@pytest.mark.parametrize(("path", "value"), CHANGES, ids=str)
def test_a_tampered_certificate_is_rejected_even_with_a_hash_that_fits(path: Any, value: Any, tmp_path: Path) -> None:
    assert accepted(GOOD, tmp_path)
    assert not accepted(tampered(path, value), tmp_path)


@given(st.fractions(0, 1, max_denominator=60), st.sampled_from([0, 1]))
def test_other_probabilities_are_rejected(p: Any, position: int) -> None:
    """A law of two outputs is changed as a whole, so that it still sums to one."""
    old = {x: mpq(q) for x, q in GOOD["laws"][position]["probabilities"].items()}
    document = tampered(("laws", position, "probabilities"), {"0": str(p), "1": str(1 - p)})
    assert (checker.check(document) is None) == (old == {"0": mpq(p), "1": 1 - mpq(p)})


@given(st.data())
def test_a_changed_character_is_rejected(data: st.DataObject) -> None:
    text = json.dumps(GOOD)
    i = data.draw(st.integers(0, len(text) - 1))
    changed = text[:i] + chr(ord(text[i]) ^ data.draw(st.integers(1, 31))) + text[i + 1 :]
    try:
        document = json.loads(changed)
    except ValueError:
        return
    assert document == GOOD or checker.check(document) is not None


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    """In a Python without finitedp, without site-packages, from another folder."""
    lone = tmp_path / "lone_checker.py"
    lone.write_text(CHECKER.read_text())
    for name, document in (("good", GOOD), ("bad", tampered(("worst_ratio",), "2")), ("none", [])):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    command = [sys.executable, "-I", "-S", str(lone)]
    good = subprocess.run([*command, str(tmp_path / "good.json")], capture_output=True, text=True, check=False)
    assert (good.returncode, good.stdout) == (0, f"{tmp_path / 'good.json'}: accepted\n")
    files = [str(tmp_path / name) for name in ("good.json", "bad.json", "none.json", "missing.json")]
    bad = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert [("REJECTED" in line) for line in bad.stdout.splitlines()] == [False, True, True, True]
    assert bad.stderr == ""


def test_the_checker_imports_the_standard_library_alone() -> None:
    tree = ast.parse(CHECKER.read_text())
    names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    assert sum(bool(line.strip()) for line in CHECKER.read_text().splitlines()) <= 135  # short enough to be read whole


def test_the_command_checks_certificates(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(GOOD))
    bad.write_text(json.dumps(tampered(("n",), 2)))
    assert CliRunner().invoke(main, ["check", str(good)]).exit_code == 0
    result = CliRunner().invoke(main, ["check", str(good), str(bad)])
    assert result.exit_code == 1
    assert result.output.splitlines()[0] == f"{good}: accepted"
    assert result.output.splitlines()[1].startswith(f"{bad}: REJECTED: ")
