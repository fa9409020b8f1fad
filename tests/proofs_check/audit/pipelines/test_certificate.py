"""finitedp.proofs_check.pipeline_certificate: what it accepts, and forgeries of every field."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import arb, ctx
from gmpy2 import mpq

from finitedp.exact import to_arb
from finitedp.proofs_check import pipeline_certificate
from finitedp.proofs_check.pipeline_certificate import below_ends, exp_ends, gaussian, recheck
from tests.proofs_check.audit.pipelines.audited import CASES, audited, certified
from tests.sampling import sampled


def read(name: str) -> Any:
    return json.loads(json.dumps(certified(name)))


def hashed(document: Any) -> Any:
    body = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


@pytest.mark.parametrize("name", CASES)
def test_certificates_of_audits_are_accepted(name: str) -> None:
    assert recheck(read(name)) is None
    assert audited(name).private == certified(name)["verdicts"]["private"]


def test_it_runs_alone(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(json.dumps(certified("noisy max")))
    (tmp_path / "bad.json").write_text(json.dumps({**certified("noisy max"), "n": 2}))
    command = [sys.executable, "-I", str(Path(pipeline_certificate.__file__).resolve()), "good.json", "bad.json", "none.json"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stdout.splitlines()[:2] == ["good.json: accepted", "bad.json: REJECTED: its hash is not that of its content"]


# Forgeries


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Of everything in a document, lists and dicts included."""
    if path:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def others(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 7, str(value), True]
    if isinstance(value, list):
        return [[], value[:-1], value + value[:1], [*value, 1], None]
    if isinstance(value, str):
        try:
            number = Fraction(value)
        except ValueError:
            return [f"{value}x", "", 3]
        return [str(number + Fraction(1, 7)), str(number - Fraction(1, 7)), str(-number), f"{value}0/10", float(number), "x"]
    return [None, [], "1"] if value is not None else [0, "1", []]


def forged(name: str, top: tuple[str, ...], most: int) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Changes of one place each, at most about so many, evenly."""
    document = read(name)
    found = [(path, value) for path in places({key: document[key] for key in top}) for value in others(at(document, path))]
    for path, value in found[:: max(1, len(found) // most)]:
        if value != at(document, path) or type(value) is not type(at(document, path)):
            forgery = deepcopy(document)
            at(forgery, path[:-1])[path[-1]] = value
            yield path, value, hashed(forgery)


SHOWN = ("format", "version", "neighbours", "universe", "n", "inputs", "pairs", "verdicts", "matches", "merged")
HELD = ["count", "histogram", "noisy max", "sparse vector", "response", "uniform", "rounded", "quotient", "normal", "adaptive"]


@pytest.mark.parametrize("name", sampled(HELD, 3))
def test_what_is_shown_of_paths_cannot_be_changed(name: str) -> None:
    """All of a certificate but the program's paths: another shift that shows the same, or a region that is not used, is all
    that may be accepted."""
    looked_at = list(forged(name, SHOWN, 500))
    accepted = [path for path, _, forgery in looked_at if recheck(forgery) is None]
    moved = [path for path in accepted if path[0] == "matches" and len(path) == 6 and path[3] == 2]
    unused = [path for path in accepted if path[0] == "merged" and len(path) == 2]
    assert len(looked_at) > 100
    assert sorted(accepted, key=str) == sorted([*moved, *unused], key=str)


@pytest.mark.parametrize("name", sampled(CASES, 5))
def test_every_field_is_guarded(name: str) -> None:
    """A claim that follows too, another event that breaks it, or another shift: no other change is accepted."""
    fields = [key for key in read(name) if key not in ("paths", "name", "derived", "sha256")]
    refused = dict.fromkeys(fields, 0)
    for field in fields:
        for path, value, forgery in forged(name, (field,), 60):
            another = {
                "claims": path[-1] in ("epsilon", "delta", "ratio") and value is not None,
                "witnesses": path[-1] in ("left", "right", "merged") or "conditions" in path or "point" in path,
                "matches": len(path) == 6 and path[3] == 2,
                "rounded": len(path) == 7 and path[4] == 2,
                "merged": len(path) == 2,
            }
            reason = recheck(forgery)
            assert reason is not None or another.get(field), (path, value)
            refused[field] += reason is not None
    assert all(refused.values())
    assert sum(refused.values()) > 100


@pytest.mark.parametrize("name", ["half scale", "ulp", "small normal"])
@pytest.mark.parametrize(("field", "value"), [("witnesses", None), ("witnesses", {}), ("rounded", None), ("matches", [])])
def test_a_failure_without_what_shows_it_is_rejected(name: str, field: str, value: Any) -> None:
    document = read(name)
    for other in ({"private": value}, value):
        assert recheck(hashed({**document, field: other})) is not None or document[field] == other


def test_an_unknown_verdict_is_none_where_the_shifts_show_the_claim() -> None:
    assert recheck(hashed({**read("count"), "verdicts": {"private": "unknown"}})) is not None


def test_a_shift_that_is_larger_is_rejected_where_the_bound_is_attained() -> None:
    forgeries = [forgery for path, _, forgery in forged("count", ("matches",), 1000) if path[-1] == 1 and len(path) == 6]
    assert len(forgeries) > 20
    assert all(recheck(forgery) is not None for forgery in forgeries)


@pytest.mark.parametrize("name", ["count", "noisy max", "response", "normal", "uniform", "histogram"])
def test_a_smaller_claim_is_rejected(name: str) -> None:
    document = read(name)
    for smaller in ({"epsilon": "1/4", "ratio": None}, {"delta": "0", "epsilon": "1/3", "ratio": None}):
        private = {**document["claims"]["private"], **smaller}
        assert recheck(hashed({**document, "claims": {"private": private}})) is not None


@pytest.mark.parametrize("name", ["half scale", "scale of data", "same noise", "thresholds", "small normal", "nan", "curve"])
def test_a_failure_is_no_success_and_a_larger_claim_does_not_fail(name: str) -> None:
    document = read(name)
    holds = {"private": "holds, if the primitives are ideal"}
    assert recheck(hashed({**document, "verdicts": holds, "witnesses": {}})) is not None
    assert recheck(hashed({**document, "claims": {"private": {**document["claims"]["private"], "delta": "1"}}})) is not None
    other = {"private": {**document["witnesses"]["private"], "kind": "other"}}
    assert recheck(hashed({**document, "witnesses": other})) is not None


@pytest.mark.parametrize("name", ["count", "sparse vector", "noisy max", "rounded", "adaptive"])
def test_paths_that_are_no_tree_are_rejected(name: str) -> None:
    """The paths are taken as they are written, but they must divide the space of draws."""
    document = read(name)
    for i, paths in enumerate(document["paths"]):
        for other in (paths[:-1], paths + paths[:1], [{**path, "weight": "1/2"} for path in paths]):
            forgery = deepcopy(document)
            forgery["paths"][i] = other
            assert recheck(hashed(forgery)) is not None
        for k, path in enumerate(paths):
            for row in range(len(path["rows"])):
                forgery = deepcopy(document)
                at(forgery, ("paths", i, k, "rows", row))[1] = "1/97"
                assert recheck(hashed(forgery)) is not None


# Numbers


def ends(number: Fraction) -> arb:
    return to_arb(mpq(number.numerator, number.denominator))


@pytest.mark.parametrize("x", ["0", "1", "-7/3", "1/1000000000", "100", "-1000", "22/7", "-1/3"])
def test_exponentials_are_enclosed(x: str) -> None:
    with ctx.workprec(600):
        low, high = exp_ends(Fraction(x))
        assert ends(low) <= ends(Fraction(x)).exp() <= ends(high)
        assert (high - low) * 2**190 < high


@pytest.mark.parametrize("x", ["0", "1", "-7/3", "1/1000000000", "39", "-20", "22/7", "-1/3", "41", "-50"])
def test_normal_probabilities_are_enclosed(x: str) -> None:
    number = Fraction(x)
    with ctx.workprec(4000):
        low, high = below_ends((number, number))
        exact = (-ends(number) / arb(2).sqrt()).erfc() / 2
        assert ends(low) <= exact <= ends(high)
        assert high - low < Fraction(1, 2**200)


def test_the_curve_is_enclosed() -> None:
    with ctx.workprec(400):
        for squares, epsilon in ((Fraction(1, 16), Fraction(1)), (Fraction(4), Fraction(1, 2)), (Fraction(1, 3), Fraction(0))):
            low, high = gaussian(squares, (epsilon, epsilon))
            mu = ends(squares).sqrt()
            first, second = ((-(sign * mu / 2 - ends(epsilon) / mu) / arb(2).sqrt()).erfc() / 2 for sign in (1, -1))
            exact = first - ends(epsilon).exp() * second
            assert ends(low) <= exact <= ends(high)
            assert high - low < Fraction(1, 2**150)
