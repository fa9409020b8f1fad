"""Certificates of audits, their schema, and the lone checker: whatever is tampered with is rejected."""

import ast
import copy
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp import Accuracy, GeoSample, PrivacyClaim
from finitedp.claim import RenyiClaim
from finitedp.cli.main import main
from finitedp.errors import DataError, ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.certificate import certificate, laws_of, read_certificate, schema, validate, with_laws_apart
from finitedp.proofs_check.audit.exploring import ExploredLaws
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.spec.counting import geo_sample

CHECKER = Path(checker.__file__)


def response(data: Any, rng: Any) -> int:
    """Randomised response: the truth with probability 3/4, so that the worst ratio is 3."""
    return int(data[0] if rng.random() < 0.75 else 1 - data[0])


def responded(epsilon: str, **more: Any) -> AuditResult:
    return audit(response, PrivacyClaim(epsilon, "replace-one", **more), n=1, universe=[0, 1], style="random", name="rr")


def running(budget: int = 20) -> AuditResult:
    """A loop without a bound: unresolved mass."""

    def coin_flips(data: Any, rng: Any) -> int:
        heads = int(data[0])
        while rng.getrandbits(1):
            heads += 1
        return heads

    return audit(
        coin_flips, PrivacyClaim(1, "replace-one", "51/100"), n=1, universe=[0, 1], style="random", budget=Budget(draws=budget)
    )


def counted(epsilon: str = "1", a: int = 2) -> AuditResult:
    """GeoSample with its law specified and an accuracy claimed."""
    mechanism = GeoSample(3, epsilon)
    return audit(
        lambda count, coins: mechanism.release(count, coins),
        PrivacyClaim("1/2", "counts", ratio="3/2"),
        n=3,
        specified=lambda c: {x: geo_sample(3, 1, c)[x] for x in range(4)},
        accuracy=Accuracy(a, "1/4"),
    )


def histogram(kind: Any) -> AuditResult:
    """Two counts at once, with add-remove neighbours and an accuracy for each query, or for both."""

    def release(data: Any, coins: Any) -> tuple[int, int]:
        a, b = (min(max(data.count(x) + int(coins.uniform(3)) - 2, 0), 2) for x in "ab")
        return a, b

    return audit(
        release,
        PrivacyClaim(1, "add-remove", "1/3"),
        n=2,
        universe="ab",
        accuracy=Accuracy(0, "2/3", kind),
        truth=lambda data: (data.count("a"), data.count("b")),
    )


def endless(shift: int, **claim: Any) -> AuditResult:
    """Noise over all integers, or with the shift 0 on one side only."""

    def noisy(count: int, coins: Any) -> Any:
        falls, size = shift and coins.uniform(2) == 1, coins.geometric("1/2")
        return count - shift - size if falls else count + size

    law = {Tail(0, "1/2"): "1/2", Tail(-shift, "1/2", -1): "1/2"} if shift else {Tail(0, "1/2"): 1}
    return audit(
        noisy,
        PrivacyClaim(neighbours="counts", **claim),
        n=1,
        specified=lambda c: {Tail(tail.first + c, tail.ratio, tail.direction): p for tail, p in law.items()},
        accuracy=Accuracy(1, "1/4"),
    )


def several(runs: int = 1, renyi: tuple[str, str] | None = ("5/2", "1"), zcdp: str | None = "11/20") -> AuditResult:
    """Randomised response, with divergences claimed, of several runs together."""
    claim = PrivacyClaim("11/10", "replace-one", "1/100")
    order = None if renyi is None else RenyiClaim(*renyi)
    return audit(response, claim, n=1, universe=[0, 1], style="random", name="rr", compose=runs, renyi=order, zcdp=zcdp)


GOOD = certificate(responded("11/10", ratio=3))
RESOLVED = [
    GOOD,
    certificate(responded("1/2", delta="1/3")),
    certificate(counted()),
    certificate(counted("1/2", 0)),
    certificate(histogram("per-query")),
    certificate(histogram("simultaneous")),
    certificate(endless(1, epsilon="7/10", ratio=2)),
    certificate(endless(0, epsilon=1, delta="1/2")),
    certificate(several()),
    certificate(several(3, ("2", "5/2"))),
    certificate(several(2, None)),
    certificate(several(2, None, None)),
]
ALL = [*RESOLVED, certificate(running())]


def rehashed(document: dict[str, Any]) -> dict[str, Any]:
    body = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def tampered(path: tuple[Any, ...], value: Any, document: dict[str, Any] = GOOD) -> dict[str, Any]:
    """The certificate with one entry changed, and a hash that fits."""
    changed = copy.deepcopy(document)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return rehashed(changed)


def accepted(document: Any, folder: Path) -> bool:
    file = folder / "certificate.json"
    file.write_text(json.dumps(document))
    return checker.main([str(file)]) == 0


@pytest.mark.parametrize("document", ALL, ids=str)
def test_certificates_are_what_the_checker_derives_and_have_the_shape_of_the_schema(document: Any, tmp_path: Path) -> None:
    assert checker.check(document) is None
    (tmp_path / "c.json").write_text(json.dumps(document))
    assert read_certificate(tmp_path / "c.json") == document


def test_the_certificates_show_every_verdict() -> None:
    seen = [document["verdicts"] for document in ALL]
    assert {v["private"] for v in seen} == {"holds", "fails"}
    assert {v["law"] for v in seen} == {"equal", "differs", "not specified"}
    assert {v["tight"] for v in seen} == {True, False}
    assert {v["accuracy"] for v in seen} == {"holds", "fails", "not claimed"}


CHANGES: list[tuple[tuple[Any, ...], Any]] = [
    (("verdicts", "private"), "fails"),
    (("verdicts", "tight"), False),
    (("verdicts", "law"), "equal"),
    (("verdicts", "accuracy"), "holds"),
    (("worst_ratio",), "2"),
    (("worst_ratio",), "infinite"),
    (("claim", "epsilon"), "1"),
    (("claim", "epsilon"), "0"),
    (("claim", "ratio"), "2"),
    (("claim", "ratio"), "4"),
    (("claim", "delta"), "1/2"),
    (("neighbours",), "add-remove"),
    (("neighbours",), "none"),
    (("universe",), [0, 2]),
    (("universe",), [0, 0]),
    (("n",), 2),
    (("n",), 10**30),
    (("n",), 50),
    (("n",), -1),
    (("claim", "epsilon"), "1000000000"),
    (("claim", "epsilon"), "-1"),
    (("claim", "epsilon"), "1.1"),
    (("inputs",), [[0]]),
    (("laws", "found", 0, "probabilities", "0"), "1/4"),
    (("laws", "found", 0, "probabilities"), {"0": "1"}),
    (("laws", "found", 0, "probabilities"), {"0": "5/4", "1": "-1/4"}),
    (("laws", "found", 0, "unresolved"), "1/8"),
    (("laws", "found"), []),
    (("laws",), {"file": "missing.json", "sha256": "0" * 64}),
    (("witness", "left"), 1),
    (("witness", "left"), False),
    (("witness", "in_left"), "1/2"),
    (("witness", "event"), ["1"]),
    (("witness", "event"), []),
    (("miss",), {"input": 0, "probability": "0", "coordinate": None}),
    (("version",), 1),
    (("version",), 3),
    (("u",), "1/4294967296"),
    (("verdicts", "private"), "holds with delta + u"),
    (("surprise",), "private for every universe"),
    (("claim", "note"), "sold"),
    (("laws", "found", 0, "note"), "x"),
    (("universe",), [False, True]),
    (("accuracy",), {"a": 0, "beta": "1", "kind": "counting", "truths": [[0.5], [1]]}),
    (("format",), "something else"),
]


@pytest.mark.parametrize(("path", "value"), CHANGES, ids=str)
def test_a_tampered_certificate_is_rejected_even_with_a_hash_that_fits(path: Any, value: Any, tmp_path: Path) -> None:
    assert accepted(GOOD, tmp_path)
    assert not accepted(tampered(path, value), tmp_path)


TOGETHER = certificate(several(3, ("2", "5/2")))
HERE = TOGETHER["divergences"]
CHANGES_TO_DIVERGENCES: list[tuple[tuple[Any, ...], Any]] = [
    (("claim", "compose"), 1),
    (("claim", "compose"), 2),
    (("claim", "compose"), True),
    (("claim", "compose"), 0),
    (("claim", "compose"), 10**9),
    (("claim", "renyi", "order"), "3"),
    (("claim", "renyi", "epsilon"), "3"),
    (("claim", "renyi", "note"), "x"),
    (("claim", "renyi"), None),
    (("claim", "zcdp"), "2"),
    (("claim", "zcdp"), None),
    (("verdicts", "renyi"), "holds"),
    (("verdicts", "zcdp"), "undecided"),
    (("verdicts", "zcdp"), "not claimed"),
    (("divergences",), None),
    (("divergences", "zcdp"), None),
    (("divergences", "renyi"), HERE["zcdp"]),
    (("divergences", "renyi", "left"), 1),
    (("divergences", "renyi", "left"), 2),
    (("divergences", "renyi", "order"), "3"),
    (("divergences", "renyi", "low"), "5/2"),
    (("divergences", "renyi", "low"), "infinite"),
    (("divergences", "renyi", "low"), str(mpq(HERE["renyi"]["low"]) * (1 + mpq(1, 2**44)))),
    (("divergences", "renyi", "low"), str(mpq(HERE["renyi"]["low"]) * (1 - mpq(1, 2**39)))),
    (("divergences", "renyi", "high"), "2"),
    (("divergences", "renyi", "high"), "3"),
    (("divergences", "renyi", "high"), "infinite"),
    (("divergences", "renyi", "high"), str(mpq(HERE["renyi"]["high"]) * (1 - mpq(1, 2**44)))),
    (("divergences", "renyi", "power_sum"), "5/2"),
    (("divergences", "renyi", "power_sum"), None),
    (("divergences", "renyi", "note"), "x"),
    (("divergences", "zcdp", "order"), "2"),
    (("divergences", "zcdp", "order"), "1"),
    (("divergences", "zcdp", "low"), "-1"),
    (("divergences", "zcdp", "low"), "0"),
    (("divergences", "zcdp", "low"), HERE["zcdp"]["high"]),
    (("divergences", "zcdp", "high"), HERE["zcdp"]["low"]),
    (("divergences", "zcdp", "high"), "2"),
    (("divergences", "zcdp", "high"), "infinite"),
    (("witness", "event"), ["27:1", "3:1"]),
    (("witness", "in_left"), "1"),
    (("worst_ratio",), "3"),
    (("version",), 3),
    (("laws", "found", 0, "probabilities"), {"0": "1/2", "1": "1/2"}),
    (("laws", "found", 0, "probabilities"), {"0": "1"}),
]


@pytest.mark.parametrize(("path", "value"), CHANGES_TO_DIVERGENCES, ids=str)
def test_tampered_divergences_and_runs_are_rejected(path: Any, value: Any, tmp_path: Path) -> None:
    assert checker.check(TOGETHER) is None
    assert not accepted(tampered(path, value, TOGETHER), tmp_path)


@given(st.fractions(0, 1, max_denominator=60), st.sampled_from([0, 1]))
def test_other_probabilities_are_rejected(p: Any, position: int) -> None:
    """A law of two outputs is changed as a whole, so that it still sums to one."""
    old = {x: mpq(q) for x, q in GOOD["laws"]["found"][position]["probabilities"].items()}
    new = {x: str(q) for x, q in (("0", p), ("1", 1 - p)) if q}
    document = tampered(("laws", "found", position, "probabilities"), new)
    assert (checker.check(document) is None) == (old == {"0": mpq(p), "1": 1 - mpq(p)})


THIRDS = st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any)


@given(
    st.lists(THIRDS, min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.integers(1, 3),
    st.sampled_from([None, ("2", "1"), ("7/3", "0"), ("65", "1/10")]),
    st.sampled_from([None, "1/2", "0", "3"]),
)
def test_what_is_said_of_divergences_is_accepted(
    weights: list[list[int]], whole: list[bool], runs: int, renyi: tuple[str, str] | None, zcdp: str | None
) -> None:
    """Of laws that are known in part, too, of which the last weight is not known to belong to an output."""
    tables = {}
    for i, (listed, complete) in enumerate(zip(weights, whole, strict=True)):
        known = listed if complete else listed[:3]
        tables[i] = PartialLaw(
            {x: mpq(w, sum(listed)) for x, w in enumerate(known) if w}, mpq(sum(listed[len(known) :]), sum(listed))
        )
    result = audited_table(tables, runs, None if renyi is None else RenyiClaim(*renyi), zcdp)
    assert checker.check(certificate(result)) is None


def audited_table(
    laws: dict[int, PartialLaw[int]], runs: int, renyi: RenyiClaim | None = None, zcdp: str | None = None
) -> AuditResult:
    """An audit of laws that code had, with what is unresolved of them."""
    claim = PrivacyClaim("1/2", "counts", "1/4")
    with pytest.MonkeyPatch.context() as patch:
        found = ExploredLaws(laws, None, {})
        patch.setattr("finitedp.proofs_check.audit.auditing.explored_laws", lambda *_given, **_more: found)
        return audit(lambda data, coins: data, claim, n=len(laws) - 1, style="coins", compose=runs, renyi=renyi, zcdp=zcdp)


# What the checker may accept after a change, with a hash that fits, is only another true certificate


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values that hold no others, but for what a reader is told of the origin."""
    if path[:1] in (("derived",), ("sha256",), ("name",)):
        return
    inner: Any = document
    for key in path:
        inner = inner[key]
    keys = inner.keys() if isinstance(inner, dict) else range(len(inner)) if isinstance(inner, list) else ()
    if not keys:
        yield path
    for key in keys:
        yield from leaves(document, (*path, key))


def tails(law: dict[str, Any]) -> dict[Tail, mpq]:
    """The tails of a law in a certificate, with the probability of all of each."""
    listed = [(Tail(t["first"], t["ratio"], t["direction"]), mpq(t["mass"])) for t in law.get("tails", [])]
    return {tail: mass / (1 - tail.ratio) for tail, mass in listed}


def again(document: dict[str, Any]) -> dict[str, Any]:
    """The certificate of an audit of the laws, claims and inputs that a certificate holds."""

    def table(side: str) -> Any:
        listed = document["laws"][side]
        keys = [tuple(x) if isinstance(x, list) else x for x in document["inputs"]]
        read = ({ast.literal_eval(x): p for x, p in entry["probabilities"].items()} | tails(entry) for entry in listed or [])
        return dict(zip(keys, read, strict=True)) if listed else None

    claim, bound = document["claim"], document["accuracy"]
    truths = {} if bound is None else {str(x): tuple(t) for x, t in zip(document["inputs"], bound["truths"], strict=True)}
    result = audit(
        table("found"),
        PrivacyClaim(claim["epsilon"], document["neighbours"], claim["delta"], claim["ratio"]),
        n=document["n"],
        universe=document["universe"],
        style="table",
        specified=table("specified"),
        accuracy=None if bound is None else Accuracy(bound["a"], bound["beta"], bound["kind"]),
        truth=lambda data: truths[str(list(data) if isinstance(data, tuple) else data)],
        name=document["name"],
        compose=claim.get("compose", 1),
        renyi=None if claim.get("renyi") is None else RenyiClaim(**claim["renyi"]),
        zcdp=claim.get("zcdp"),
    )
    return rehashed({**certificate(result), "derived": document["derived"]})


@pytest.mark.parametrize("document", RESOLVED, ids=str)
def test_the_audit_of_the_laws_in_a_certificate_is_the_certificate(document: Any) -> None:
    assert again(document) == document


@given(st.data())
def test_any_changed_value_is_rejected_or_gives_another_true_certificate(data: st.DataObject) -> None:
    document = data.draw(st.sampled_from(RESOLVED))
    path = data.draw(st.sampled_from(list(leaves(document))))
    value: Any = data.draw(
        st.one_of(
            st.fractions(-1, 2, max_denominator=12).map(str),
            st.integers(-1, 4),
            st.sampled_from(
                ["holds", "fails", "undecided", "equal", "differs", "counts", "replace-one", None, True, False, [], {}]
            ),
        )
    )
    changed = tampered(path, value, document)
    try:
        verdict = checker.check(changed)
    except Exception:  # what the command calls unreadable
        return
    if verdict is None and changed != document:
        assert path[0] in ("claim", "accuracy", "laws") or path[2:] in (("left",), ("right",), ("low",), ("high",))
        assert json.dumps(again(changed)["verdicts"]) == json.dumps(changed["verdicts"])


@given(st.data())
def test_without_a_hash_that_fits_any_changed_value_is_rejected(data: st.DataObject) -> None:
    document = data.draw(st.sampled_from(ALL))
    path = data.draw(st.sampled_from(list(leaves(document))))
    changed = {**tampered(path, data.draw(st.text() | st.integers()), document), "sha256": document["sha256"]}
    assert changed == document or checker.check(changed) is not None


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


# Large laws


def test_large_laws_stand_in_a_file_beside_the_certificate(tmp_path: Path) -> None:
    whole = RESOLVED[2]
    apart, text = with_laws_apart(whole, "c.laws.json", largest=100)
    assert text is not None
    assert with_laws_apart(whole, "c.laws.json") == (whole, None)
    validate(apart, schema(), "apart")
    (tmp_path / "c.laws.json").write_text(text)
    assert accepted(apart, tmp_path)
    assert laws_of(apart, tmp_path) == laws_of(whole, tmp_path) == whole["laws"]
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) == text  # the same bytes, made again
    (tmp_path / "c.laws.json").write_text(text.replace("1/5", "2/5"))
    assert not accepted(apart, tmp_path)
    with pytest.raises(DataError, match="does not hold the laws that the certificate was made from"):
        laws_of(apart, tmp_path)
    (tmp_path / "c.laws.json").unlink()
    assert not accepted(apart, tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        laws_of(apart, tmp_path)


def test_the_laws_are_looked_for_beside_the_certificate_only(tmp_path: Path) -> None:
    apart, text = with_laws_apart(RESOLVED[2], "c.laws.json", largest=100)
    assert text is not None
    (tmp_path / "c.laws.json").write_text(text)
    folder = tmp_path / "inner"
    folder.mkdir()
    assert not accepted(tampered(("laws", "file"), "../c.laws.json", apart), folder)


@pytest.mark.parametrize("truth", ["[[NaN], [NaN], [NaN], [NaN]]", "[[0.5], [0], [0], [0]]", "[[true], [1], [2], [3]]"])
def test_true_values_are_integers(truth: str, tmp_path: Path) -> None:
    """NaN would make every error small."""
    document = tampered(("accuracy", "truths"), json.loads(truth), RESOLVED[2])
    assert not accepted(document, tmp_path)


@pytest.mark.parametrize(("universe", "n"), [([0], 1), ([0, 1], 0), ([], 1)])
def test_without_neighbours_there_is_nothing_to_accept(universe: Any, n: int, tmp_path: Path) -> None:
    inputs = [[x] for x in universe] if n else [[]]
    document = {**GOOD, "universe": universe, "n": n, "inputs": inputs, "laws": {"found": [], "specified": None}}
    document["laws"]["found"] = [{"probabilities": {"0": "1"}, "unresolved": "0"}] * len(inputs)
    assert not accepted(rehashed(document), tmp_path)


def test_a_key_that_is_there_twice_is_rejected(tmp_path: Path) -> None:
    text = json.dumps(GOOD)
    (tmp_path / "c.json").write_text(text.replace('"n": 1', '"n": 2, "n": 1'))
    assert checker.main([str(tmp_path / "c.json")]) == 1


def test_long_rationals_are_read(tmp_path: Path) -> None:
    claim = PrivacyClaim(1, "replace-one")
    found = audit(lambda data, coins: int(coins.uniform(2**15000) > 2**14990 + data[0]), claim, n=1, universe=[0, 1])
    file = tmp_path / "c.json"
    file.write_text(json.dumps(certificate(found)))
    lone = subprocess.run([sys.executable, "-I", "-S", str(CHECKER), str(file)], capture_output=True, text=True, check=False)
    assert lone.stdout == f"{file}: accepted\n"


# The schema


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("n",), "two", "n: 'two' is not of type 'integer'"),
        (("claim", "epsilon"), "0.5", "claim.epsilon: '0.5' does not match"),
        (("laws", "found", 0, "unresolved"), 0, "is not"),
        (("surprise",), 1, "'surprise' was unexpected"),
        (("verdicts", "private"), "yes", "verdicts.private: 'yes' is not one of"),
    ],
    ids=str,
)
def test_the_schema_names_what_is_wrong(path: Any, value: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(tampered(path, value)))
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read_certificate(tmp_path / "c.json")
    assert "\n" not in str(caught.value)


def test_what_is_no_certificate_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(DataError, match="is not JSON"):
        read_certificate(tmp_path / "c.json")
    with pytest.raises(DataError, match="No such file"):
        read_certificate(tmp_path / "none.json")


def test_what_a_certificate_cannot_hold_is_refused() -> None:
    with pytest.raises(ParameterError, match="epsilon = 1001 is above 1000"):
        certificate(responded("1001"))
    claim = PrivacyClaim(9, "replace-one")
    with pytest.raises(ParameterError, match="other than integers and strings"):
        certificate(audit(lambda data, coins: coins.uniform(2) > 1, claim, n=1, universe=[(0,), (1.5,)]))


# The checker


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
    assert lines_of_code(tree) <= 460  # short enough to be read whole


def lines_of_code(tree: ast.Module) -> int:
    """Lines with code on them: not those that are empty, comments or docstrings."""
    documented = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef)]
    docstrings = {line for node in documented for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)}
    used = {
        line for node in ast.walk(tree) for line in (getattr(node, "lineno", None), getattr(node, "end_lineno", None)) if line
    }
    return len(used - docstrings)


def test_the_command_checks_certificates(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(GOOD))
    bad.write_text(json.dumps(tampered(("n",), 2)))
    assert CliRunner().invoke(main, ["check", str(good)]).exit_code == 0
    result = CliRunner().invoke(main, ["check", str(good), str(bad)])
    assert result.exit_code == 1
    assert result.output.splitlines()[0] == f"{good}: accepted"
    assert result.output.splitlines()[1].startswith(f"{bad}: REJECTED: ")


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"format": "finitedp report"}'])
def test_another_json_file_is_said_to_be_no_certificate(text: str, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(
        DataError, match=r"c\.json is no certificate of an audit; accepted: JSON whose format is 'finitedp cert"
    ):
        read_certificate(path)
