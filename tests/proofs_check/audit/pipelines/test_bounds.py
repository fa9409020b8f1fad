"""Declared bounds: verdicts say "if" by name, the lone checker re-derives them, and data that contradict one are a finding."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import finitedp
from finitedp.cli.main import main
from finitedp.errors import ExplorationError, ParameterError
from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult, certificate
from finitedp.proofs_check.audit.pipelines.telling import as_json, rows_of
from finitedp.proofs_check.pipeline_certificate import recheck
from finitedp_pytest import assert_private

HOLDS = "holds, if the primitives are ideal"


def query(rows: Any) -> Any:
    return sum(rows) * 1.0


def scores(rows: Any) -> Any:
    return np.array([sum(rows), 2 - sum(rows), 1.0])


def pair(rows: Any) -> Any:
    return [sum(rows) / 4, 0.0]


def asked(rows: Any, i: int) -> Any:
    return sum(rows) * 1.0 if i else len(rows) - sum(rows) * 1.0


def clip(v: Any) -> Any:
    norm = float(np.sqrt(sum(x * x for x in v)))  # which no audit of a pipeline follows
    return np.asarray(v) / max(1.0, norm)


def of_noise(rows: Any, noise: Any) -> Any:
    return -noise if rows[0] else 0.0 * noise


def tripled(rows: Any) -> Any:
    return 3.0 * sum(rows)


class Data:
    rows: Any = ()


def unseen() -> Any:
    return sum(Data.rows)


def count(rows: Any) -> Any:
    return query(rows) + np.random.laplace(0, 1)


def mean_of_two(rows: Any) -> Any:
    return query(rows) + (np.random.normal(0, 4) + np.random.normal(0, 4)) / 2


def noisy_max(rows: Any) -> Any:
    return int(np.argmax(scores(rows) + np.random.exponential(2, 3)))


def histogram(rows: Any) -> Any:
    return pair(rows) + np.random.laplace(0, 1, 2)


def sparse_vector(rows: Any) -> Any:
    threshold, told = 1 + np.random.laplace(0, 2), []
    for i in range(3):
        told.append(bool(asked(rows, i) + np.random.laplace(0, 4) > threshold))
        if told[-1]:
            break
    return told


def between(rows: Any) -> Any:
    noisy = query(rows) + np.random.laplace(0, 1)
    return bool(-1 < noisy < 1)


def descent(rows: Any, curve: Any = lambda x: x) -> Any:
    theta = np.zeros(2)
    for _ in range(2):
        moves = (clip(np.array([x - curve(theta[0]), theta[1] * (2 * x + 1)])) for x in rows)
        theta = theta - sum(moves, np.zeros(2)) + np.random.normal(0, 8, 2)
    return theta


def curved(rows: Any) -> Any:
    return descent(rows, np.exp)


def noise_first(rows: Any) -> Any:
    noise = np.random.laplace(0, 1)
    return noise + of_noise(rows, noise)


def tripled_count(rows: Any) -> Any:
    return tripled(rows) + np.random.laplace(0, 1)


def unseen_count(rows: Any) -> Any:
    Data.rows = rows
    return unseen() + np.random.laplace(0, 1)


def flipped(rows: Any) -> Any:
    return asked(rows, int(np.random.random() < 0.5)) + np.random.laplace(0, 1)


def branches(rows: Any) -> Any:
    first = np.random.laplace() > 0
    return asked(rows, int(first)) + np.random.laplace() > 0


def compared_alone(rows: Any) -> Any:
    return query(rows) > 1, np.random.laplace()


def declared(function: str, of: str = "difference", norm: Any = "max", most: Any = 1, **more: Any) -> dict[str, Any]:
    return {"name": f"of {function}", "function": f"{__name__}:{function}", "of": of, "norm": norm, "most": most, **more}


CLIPPED = declared("clip", "value", 2, shape="v.shape")
CASES = {
    "count": (count, declared("query"), {}, "epsilon = 1, "),
    "count, too large": (count, declared("query", most="3/2"), {}, "unknown: epsilon = 3/2, "),
    "noisy max": (noisy_max, declared("scores"), {}, "epsilon = 1, "),
    "histogram": (histogram, declared("pair", norm=1), {}, "epsilon = 1, "),
    "histogram, in each": (histogram, declared("pair"), {}, "unknown: epsilon = 2, "),
    "histogram, in length": (histogram, declared("pair", norm=2, most="1/2"), {}, "epsilon = "),  # 2^(-1/2)
    "sparse vector": (sparse_vector, declared("asked"), {}, "epsilon = 3/4, "),
    "between": (between, declared("query"), {}, "epsilon = 1, "),
    "mean of two": (mean_of_two, declared("query"), {"delta": "1/10"}, "mu = 0.353553"),  # spread over both
    "descent": (descent, CLIPPED, {"delta": "1/1000"}, "mu = 0.353553"),  # 2 steps of 2 * 1 / 8
    "descent on a curve": (curved, CLIPPED, {"delta": "1/1000"}, "mu = 0.353553"),
    "descent, one row more": (descent, CLIPPED, {"delta": "1/1000", "neighbours": "add-remove"}, "mu = 0.176777"),
    "noise first": (noise_first, declared("of_noise", shape="number"), {}, "unknown: for the inputs"),
    "beside a coin": (flipped, declared("asked", most=2), {}, "unknown: for the inputs"),
    "other calls, one output": (branches, declared("asked"), {}, "epsilon = 1, "),
    "compared alone": (compared_alone, declared("query"), {}, "unknown: for the inputs"),
}


def audited(name: str, **changed: Any) -> PipelineResult:
    mechanism, bound, more, _ = CASES[name]
    claim = finitedp.PrivacyClaim(1, more.get("neighbours", "replace-one"), delta=more.get("delta", 0))
    found = finitedp.audit(mechanism, claim, universe=(0, 1), n=2, bounds=[{**bound, **changed}], name=name)
    assert isinstance(found, PipelineResult)
    return found


@pytest.mark.parametrize("name", CASES)
def test_verdicts_name_the_bound(name: str) -> None:
    found, bound, words = audited(name), CASES[name][1], CASES[name][3]
    said = f"|{bound['of']}|_{bound['norm']} <= {bound['most']}"
    holds = f"{HOLDS}, and if {bound['name']} ({said})"
    assert found.private == ("unknown" if words.startswith("unknown") else holds)
    document, rows = certificate(found), dict(rows_of(found))
    assert recheck(document) is None
    assert document["verdicts"]["private"] == as_json(found)["verdicts"]["private"] == found.private
    assert words.removeprefix("unknown: ") in rows["bound"]
    assert f"if {bound['name']}: " in rows["rests on"]


def signed(document: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps({key: x for key, x in document.items() if key != "sha256"}, sort_keys=True, separators=(",", ":"))
    return {**document, "sha256": sha256(text.encode()).hexdigest()}


def forged(name: str, place: str, change: Any) -> str | None:
    """Why a certificate is refused in which each call of a bounded function, each turn of a match or all else is changed."""
    document = json.loads(json.dumps(certificate(audited(name))))
    if place == "turns":
        for found in document["matches"]:
            found[:] = [[*one[:3], change(one[3])] if len(one) > 3 else one for one in found]
    elif place == "calls":
        for path in (path for paths in document["paths"] for path in paths):
            path["calls"] = [change(call) for call in path["calls"]]
    else:
        change(document)
    return recheck(signed(document))


def in_bound(i: int, value: str) -> Any:
    return lambda call: [[*call[0][:i], value, *call[0][i + 1 :]], *call[1:]]


def at(i: int, value: Any) -> Any:
    return lambda call: [*call[:i], value, *call[i + 1 :]]


FORGERIES = {
    "another number of it": ("descent", "calls", in_bound(3, "2"), "a verdict is unknown"),
    "another norm": ("histogram", "calls", in_bound(2, "max"), "a verdict is unknown"),
    "of the value": ("count", "calls", in_bound(1, "value"), "contradict"),
    "another name": ("count", "calls", in_bound(0, "proved"), "a verdict is unknown"),
    "no norm": ("count", "calls", in_bound(2, "3"), "a bound is none"),
    "less than is seen": ("count", "calls", in_bound(3, "1/2"), "contradict"),
    "seen otherwise": ("count", "calls", lambda call: [*call[:6], [str(7 * int(x)) for x in call[6]]], "contradict"),
    "seen of another size": ("count", "calls", at(6, ["7", "7"]), "of another size"),
    "more numbers": ("count", "calls", at(5, 2), "of another size"),
    "no numbers": ("count", "calls", at(5, 0), "no numbers"),
    "the same arguments everywhere": ("count", "calls", at(1, []), "contradict"),
    "after answers that are not there": ("count", "calls", at(3, 5), "answers that are not there"),
    "no turns": ("count", "turns", lambda _: [], "changes"),
    "half of the turns": (
        "count",
        "turns",
        lambda turns: [[w, [[k, "1/2"] for k, _ in turn]] for w, turn in turns],
        "changes",
    ),
    "turns of others": ("count", "turns", lambda turns: [[w + 7, turn] for w, turn in turns], "before its number"),
    "turns of a draw that is none": ("count", "turns", lambda turns: [[w, [[9, "-1"]]] for w, _ in turns], "outputs differ"),
    "the words left out": ("count", "", lambda all_of: all_of["verdicts"].update(private=HOLDS), "a verdict is unknown"),
    "less than enough": ("count", "calls", in_bound(3, "3"), "a verdict is unknown|do not show"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forgeries_are_refused(forgery: str) -> None:
    name, place, change, reason = FORGERIES[forgery]
    assert forged(name, place, lambda unchanged: unchanged) is None
    assert any(part in str(forged(name, place, change)) for part in reason.split("|")), forged(name, place, change)


def test_a_shift_by_a_number_that_is_a_function_of_the_draw_is_none() -> None:
    """noise - noise against noise: all of it at 0 against nothing there, with a difference of at most 1 if |noise| <= 1."""
    document = json.loads(json.dumps(certificate(audited("noise first"))))
    first = [path["calls"][0] for paths in document["paths"] for path in paths]
    assert all(call[2] for call in first)  # what the call is given depends on the draw
    for found in document["matches"]:
        found[:] = [[0, 0, [], [[2 * (1 << 32), [[0, "-1"]]]]]]
    document["verdicts"]["private"] = f"{HOLDS}, and if of of_noise (|difference|_max <= 1)"
    assert recheck(signed(document)) == "a shift comes before its number"


@pytest.mark.parametrize(
    ("mechanism", "bound", "message"),
    [
        (count, declared("query", most="1/2"), "in count, .*: the values are 0 and 1 at the inputs .0, 0. and .0, 1."),
        (count, declared("query", "value"), "the value is 2 at the input .1, 1."),
        (histogram, declared("pair", norm=2, most="1/5"), r"the values are \(0, 0\) and \(0.25, 0\)"),
        (descent, declared("clip", "value", 2, "1/2", shape="v.shape"), r"the value is \(-?1, 0\) at the input"),
        (unseen_count, declared("unseen"), "the value is no function of the arguments"),
        (tripled_count, declared("tripled", norm="1", most=2), "the values are 0 and 3"),
        (flipped, declared("asked", most="1/2"), "the values are . and 1 at the inputs"),
    ],
)
def test_data_that_contradict_a_bound_are_a_finding(mechanism: Any, bound: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"the data contradict the declared bound '{bound['name']}': .*{message}"):
        finitedp.audit(mechanism, finitedp.PrivacyClaim(9, "replace-one", delta="1/2"), universe=(0, 1), n=2, bounds=[bound])


@pytest.mark.parametrize(
    ("mechanism", "bound", "message"),
    [
        (descent, declared("clip", "value", 2), "with a draw; next: declare a shape"),
        (descent, declared("clip", "value", 2, shape="3"), "which has the shape .2,."),
        (count, declared("scores"), "scores was declared and never called"),
        (count, declared("query", "slope"), "of = 'slope' of a bound is unknown; accepted: value, difference"),
        (count, declared("query", norm=3), "norm = '3' of a bound is unknown; accepted: 1, 2, max"),
        (count, declared("query", most=-1), "most = -1 of a bound is negative"),
        (count, declared("query", most="many"), "most = 'many'"),
        (count, declared("query", shape="len(v)"), "shape = 'len.v.' cannot be used"),
        (count, {**declared("query"), "name": ""}, "name = '' of a bound cannot be used"),
        (count, {"name": "a", "function": "x:y"}, "accepted: a dict of function, most, name, norm, of, shape"),
    ],
)
def test_wrong_bounds_are_refused_in_one_line(mechanism: Any, bound: dict[str, Any], message: str) -> None:
    with pytest.raises((ParameterError, ExplorationError), match=message):
        finitedp.audit(mechanism, finitedp.PrivacyClaim(1, "replace-one"), universe=(0, 1), n=2, bounds=[bound])


def test_from_a_test_and_from_a_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Any = {"neighbours": "replace-one", "epsilon": 1, "universe": (0, 1), "n": 2}
    assert assert_private(count, **asked, bounds=[declared("query")]).private == (
        f"{HOLDS}, and if of query (|difference|_max <= 1)"
    )
    with pytest.raises(AssertionError, match=r"UNKNOWN(.|\n)*if of query: "):
        assert_private(count, **asked, bounds=[declared("query", most=2)])
    (tmp_path / "mech.py").write_text(
        "import numpy\n\ndef query(rows): return sum(rows)\n\ndef count(rows): return query(rows) + numpy.random.laplace()\n"
    )
    (tmp_path / "a.toml").write_text(
        """
        mechanism = "mech.py:count"
        universe = [0, 1]
        n = 1
        claim = { neighbours = "replace-one", epsilon = 1 }
        [[instances]]
        [[instances.bounds]]
        name = "the query changes by 1"
        function = "mech.py:query"
        of = "difference"
        norm = 1
        most = 1
        [[instances]]
        bounds = [{ name = "the query changes by 2", function = "mech.py:query", of = "difference", norm = 1, most = 2 }]
        """
    )
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, ["audit", "a.toml", "--json", "--sarif", "s.json"])
    said = [one["verdicts"]["private"] for one in json.loads(found.output)["pipelines"]]
    assert said == [f"{HOLDS}, and if the query changes by 1 (|difference|_1 <= 1)", "unknown"]
    (result,) = json.loads((tmp_path / "s.json").read_text())["runs"][0]["results"]
    assert "if the query changes by 2: " in result["message"]["text"]
    CliRunner().invoke(main, ["audit", "a.toml", "--html", "r.html"])
    page = (tmp_path / "r.html").read_text()
    assert "and if the query changes by 1" in page
    checked = CliRunner().invoke(main, ["check", *map(str, (tmp_path / "r-certificates").glob("*.json"))])
    assert "and if the query changes by 1" in checked.output
