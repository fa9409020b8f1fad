"""The scope of a verdict in words."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.proofs_check.hunting import words
from finitedp.proofs_check.hunting.results import Recorded
from finitedp.proofs_check.hunting.told import Told
from finitedp.proofs_check.hunting.words import hunt_in_full, hunt_in_words, scope_in_words, verdict_in_words
from finitedp.proofs_check.ledger.entry import Cases
from tests.proofs_check.hunting import toys
from tests.proofs_check.hunting.toys import Listed, Number


class Several(NamedTuple):
    """Several fields, n not first."""

    inner: Number
    epsilon: mpq
    m: int
    items: tuple[int, ...]
    n: int
    zero: int = 0


@pytest.mark.parametrize(
    ("instances", "said"),
    [
        ([Number(6), Number(2)], "for n <= 6"),
        ([Several(Number(3), mpq(1, 2), 4, (1,), 9), Several(Number(3), mpq(2), 5, (), 1)], "for n <= 9, m <= 5, items <= 1"),
        ([Listed((1, 2, 3))], "for items <= 3, |items| <= 3"),
        ([mpq(1, 2), mpq(3)], "on 2 instances"),
        ([7], "for number <= 7"),
        (["text"], "on 1 instance"),
        ([Number(10**40)], "for n <= 10^40"),
        ([Number(10**40 + 1)], "for n < 10^41"),
    ],
)
def test_the_largest_values_of_the_fields(instances: Sequence[object], said: str) -> None:
    assert scope_in_words(evolve(toys.TRUE, grid=Cases(instances)), "quick") == said


def test_each_grid_has_its_own_scope() -> None:
    entry = evolve(toys.TRUE, grid=Cases([Number(2)], [Number(9)]))
    assert (scope_in_words(entry, "quick"), scope_in_words(entry, "full")) == ("for n <= 2", "for n <= 9")


GOOD = Recorded(10, 1, Told("X", True, tried=7, load="0.93", grid_load="0.71", rising=True, reached={"m": "8", "n": "96"}))


def test_the_hunt_stands_behind_the_scope_and_no_other_verdict_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict_in_words(toys.TRUE, "verified", "quick") == "verified for n <= 6"
    monkeypatch.setattr(words, "hunted", lambda _entry: GOOD)
    assert verdict_in_words(toys.TRUE, "verified", "quick") == "verified for n <= 6; hunted to n = 96"
    for outcome in ("proved", "refuted", "FAILED", "BLIND", "CONDITIONAL"):
        assert verdict_in_words(toys.TRUE, outcome, "quick") == outcome


def test_what_a_hunt_found() -> None:
    assert hunt_in_full(GOOD) == "hunted to n = 96, m = 8: 0.93, rising from 0.71 on the grid (7 instances in 10 s, seed 1)"
    false = evolve(GOOD, found=evolve(GOOD.found, false_at="Number(n=97)", declared=False))
    assert hunt_in_words(false) == "the hunt found a counterexample"
    assert "Number(n=97) (7 instances in 10 s, seed 1; the scope is inferred from the grid)" in hunt_in_full(false)
    assert hunt_in_words(evolve(GOOD, found=Told("X", tried=7))) == "hunted on 7 instances"
