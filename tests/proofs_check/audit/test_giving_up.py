"""A search that is given up says what helps, and it does."""

import random
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.board import board
from finitedp.proofs_check.engine import search
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.report.wording import private_words

RUNS = 2_000
CLAIM = PrivacyClaim(0, "counts")


def differing(rng: random.Random) -> bool:
    """The first of two bits that differ: two different rounds go on, so that it has exponentially many paths."""
    while True:
        first, second = rng.random() < 0.75, rng.random() < 0.25
        if first != second:
            return first


def with_a_loop(_count: int, rng: random.Random) -> bool:
    return differing(rng)


def with_an_end(_count: int, rng: random.Random) -> bool:
    """The same of at most seven rounds."""
    for _ in range(7):
        first, second = rng.random() < 0.75, rng.random() < 0.25
        if first != second:
            return first
    return True


@pytest.fixture(autouse=True)
def soon_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FIRST_LOOK", 16)
    monkeypatch.setattr(search, "PATIENCE", 2**20)


def audited(mechanism: Any, **options: Any) -> AuditResult:
    return audit(mechanism, CLAIM, n=1, **options)


def said(result: AuditResult) -> str:
    document = certificate(result)
    return private_words(document, document["laws"])


def test_what_was_given_up_says_so_and_names_what_helps() -> None:
    for mechanism in (with_a_loop, with_an_end):
        found = audited(mechanism, budget=Budget(runs=RUNS))
        assert found.private != "holds"
        assert found.derived["stopped"].startswith("progress too slow after ")
    words = said(audited(with_an_end, budget=Budget(runs=RUNS)))
    assert "budget bits = all, where the code has an end; a declared sampler" in words
    assert "a longer time limit" in words


def test_following_everything_decides_code_that_has_an_end() -> None:
    found = audited(with_an_end, budget=Budget(runs=RUNS, bits=None))
    assert (found.private, found.unresolved, found.tight) == ("holds", mpq(0), True)
    assert "stopped" not in found.derived


def test_a_declared_sampler_decides_a_loop() -> None:
    found = audited(with_a_loop, budget=Budget(runs=RUNS), samplers=[differing])
    assert (found.private, found.unresolved) == ("holds", mpq(0))


def test_declared_outputs_decide_a_loop_of_which_little_is_open() -> None:
    """With the claim of 0 it is tight, so that another epsilon is what may decide; then nothing is left to say."""
    words = said(audited(with_a_loop, budget=Budget(runs=RUNS)))
    assert "declared outputs (outputs = '1..6'), where it can return a few values only and the bound is not attained" in words
    tight = audited(with_a_loop, budget=Budget(runs=RUNS), outputs=[False, True])
    assert tight.private != "holds"
    assert "another epsilon, since the bound is attained or nearly so" in said(tight)
    found = audit(with_a_loop, PrivacyClaim(2, "counts"), n=1, budget=Budget(runs=RUNS), outputs=[False, True])
    assert (found.private, found.unresolved > 0) == ("holds", True)
    assert found.derived["stopped"].startswith("progress too slow after ")


def test_under_a_time_limit_it_goes_on() -> None:
    with board(seconds=600) as limited:
        found = audited(with_an_end, budget=Budget(runs=RUNS), board=limited)
    assert (found.private, found.unresolved) == ("holds", mpq(0))
