"""Continuous noise, audited from Python and from a test: it goes over to the audit of a pipeline by itself."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import finitedp
from finitedp.errors import ExplorationError, ParameterError
from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult
from finitedp.proofs_check.board import board
from finitedp.proofs_check.pipeline_certificate import recheck
from finitedp.pytest_audits import request_of
from finitedp_pytest import assert_private

CLAIM = finitedp.PrivacyClaim(1, "replace-one")
ASKED: Any = {"neighbours": "replace-one", "epsilon": 1, "universe": (0, 1), "n": 2}


def count(rows: Any) -> Any:
    return sum(rows) + np.random.laplace(0, 1)


def doubled(rows: Any) -> Any:
    return 2 * sum(rows) + np.random.laplace(0, 1)


def by_an_ulp(rows: Any) -> Any:
    return sum(rows) + np.random.laplace(0, 1 - 2**-50)


def drawn_otherwise(value: Any, b: Any) -> Any:
    return value + random.gammavariate(1, b)


def by_a_primitive(rows: Any) -> Any:
    return drawn_otherwise(sum(rows), 2)


SAMPLER = {"function": f"{__name__}:drawn_otherwise", "law": "laplace", "location": "value", "scale": "b"}


def test_audit_from_python() -> None:
    found = finitedp.audit(count, CLAIM, universe=(0, 1), n=2, zcdp="1/2", renyi=finitedp.RenyiClaim(2, "1/2"))
    assert isinstance(found, PipelineResult)
    assert found.decision.verdicts == {"private": found.private, "renyi": "fails", "zcdp": found.private}
    assert found.private == "holds, if the primitives are ideal"


def test_pairs_that_the_auditor_states() -> None:
    stated = [((0,), (1,)), ((1,), (0,)), ((0,), (9,))]
    assert finitedp.audit(count, CLAIM, neighbours=stated).private == "fails"
    assert finitedp.audit(count, CLAIM, neighbours=stated[:2]).private.startswith("holds")


def test_primitives_are_declared_by_their_fields() -> None:
    found = finitedp.audit(by_a_primitive, CLAIM, universe=(0, 1), n=2, primitives=[SAMPLER])
    assert isinstance(found, PipelineResult)
    assert found.private.startswith("holds")
    assert set(found.calls) == {f"{__name__}.drawn_otherwise"}
    with pytest.raises(ParameterError, match="accepted: a dict of function, law, location, scale"):
        finitedp.audit(by_a_primitive, CLAIM, universe=(0, 1), n=2, primitives=[{"function": "x:y"}])


def test_a_test_fails_with_the_witness_and_keeps_the_certificate(tmp_path: Path) -> None:
    assert assert_private(count, **ASKED).private.startswith("holds")
    assert assert_private(by_a_primitive, **ASKED, primitives=[SAMPLER]).private.startswith("holds")
    with pytest.raises(AssertionError, match="its value moves by 2, where this scale allows 1 at epsilon 1"):
        assert_private(doubled, **ASKED)
    with pytest.raises(AssertionError, match="BY ROUNDING ONLY"):
        assert_private(by_an_ulp, **ASKED)
    with pytest.warns(UserWarning, match="BY ROUNDING ONLY"):
        assert_private(by_an_ulp, **ASKED, rounding="warn")
    found = request_of(ASKED).run(doubled, "a test", folder=tmp_path)
    assert found.file is not None
    document = json.loads(found.file.read_text())
    assert (recheck(document), document["verdicts"]) == (None, {"private": "fails"})
    assert (found.properties["private"], found.properties["certificate"]) == ("fails", document["sha256"])


def test_no_verdict_is_of_some_pairs() -> None:
    with board(1e-9) as watched, pytest.raises(ExplorationError, match="time"):
        finitedp.audit(by_a_primitive, CLAIM, universe=(0, 1), n=2, primitives=[SAMPLER], board=watched)
