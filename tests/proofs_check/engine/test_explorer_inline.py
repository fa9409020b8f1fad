"""What was derived alone is held against the same program inline: how far that is followed, and which laws contradict it."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.deciders.partial_law import Tail
from finitedp.proofs_check.engine import explorer
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.search import Exploration, TooManyWaysError, search


class Searches:
    """The searches that an exploration makes: the rules and options of each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rules: list[Rules] = []
        self.options: list[dict[str, Any]] = []

        def recorded(program: Any, rules: Rules, **options: Any) -> Any:
            self.rules.append(rules)
            self.options.append(options)
            return search(program, rules, **options)

        monkeypatch.setattr(explorer, "search", recorded)


def waiting(coins: Any) -> int:
    return 0 if coins.geometric("1/2") < 3 else 1


def handling(coins: Any) -> int:
    try:
        return int(coins.uniform(2))
    except ValueError:
        return 0


@pytest.mark.parametrize(
    ("budget", "before", "runs", "bits"),
    [
        (None, 0, 2_000, 20),
        (Budget(), 0, 2_000, 20),
        (Budget(bits=5), 0, 2_000, 5),
        (Budget(runs=300), 19_999, 300, 20),
        (None, 19_999, 2_000, 20),
        (None, 20_000, 200, 20),
        (Budget(runs=150), 20_000, 150, 20),
    ],
)
def test_how_far_it_is_followed_inline(
    budget: Budget | None, before: int, runs: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, declared = Searches(monkeypatch), Declared(())
    declared.inline_runs = before
    explore(waiting, budget, samplers=declared, joint=True)
    alone, inline = made.rules
    assert alone.budget == (budget or Budget(bits=None))
    assert (inline.budget.runs, inline.budget.bits, inline.joint, inline.solver) == (runs, bits, True, None)
    assert [(rules.at_once, rules.ways) for rules in made.rules] == [(1_024, 4_096)] * 2
    assert made.options[0]["patience"] == 0
    assert declared.inline_runs > before


def test_it_is_followed_once_where_nothing_is_taken_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Searches(monkeypatch)
    explore(lambda coins: coins.uniform(2))
    explore(handling)
    explore(handling, keep_paths=True, replay_all=True, joint=True)
    assert [rules.joint for rules in made.rules] == [False, False, True]
    told = [(options["keep_paths"], options["replay_all"]) for options in made.options]
    assert told == [(False, False), (False, False), (True, True)]


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize("unresolved", [mpq(0), mpq(1, 8)], ids=str)
def test_code_is_sampled_where_either_was_or_where_not_all_of_it_was_followed_inline(
    alone: bool, inline: bool, unresolved: mpq, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = iter(
        [
            Exploration({1: mpq(1)}, mpq(0), 1, frozenset(), False, (), cost_seen=False, sampled=alone),
            Exploration({1: 1 - unresolved}, unresolved, 1, frozenset(), False, (), sampled=inline),
        ]
    )
    monkeypatch.setattr(explorer, "search", lambda *_arguments, **_options: next(searches))
    assert explore(quarter).sampled == (alone or inline or unresolved > 0)


def test_which_draws_are_numbers_at_once_and_for_how_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that takes too many, none are; where intervals cannot be followed, they are again, for more runs."""
    made = list[tuple[int, int]]()

    def refused(_program: Any, rules: Rules, **_options: Any) -> Any:
        made.append((rules.at_once, rules.ways))
        raise (TooManyWaysError if rules.at_once else ExplorationError)

    monkeypatch.setattr(explorer, "search", refused)
    with pytest.raises(ExplorationError):
        explore(quarter)
    assert made == [(1_024, 4_096), (0, 0), (1_024, 65_536)]
    with pytest.raises(ExplorationError):
        explore(quarter, undecided=True)
    assert made[3:] == [(0, 0)]


def quarter(coins: Any) -> Any:
    return int(coins.uniform(4))


def counted(coins: Any) -> Any:
    """At three bits: 0, 1 and 2 with the probabilities 1/2, 1/4 and 1/8, and 1/8 is open."""
    number = 0
    while coins.uniform(2) == 1:
        number += 1
    return number, "int"


def empty(coins: Any) -> Any:
    return () if coins.uniform(2) == 1 else ("x",)


def tail(first: int, ratio: str = "1/2") -> tuple[Tail, str]:
    return Tail(first, ratio), "int"


def number(k: int) -> tuple[int, str]:
    return k, "int"


ALLOWED: list[tuple[Callable[[Any], Any], dict[Any, str]]] = [
    (quarter, {1: "1/4", 2: "1/4", 3: "1/4", 4: "1/4"}),
    (quarter, {1: "1/4", 2: "1/4"}),
    (quarter, {1: "1/4", 2: "1/8", 3: "1/4"}),
    (quarter, {}),
    (quarter, {1: "1/4", 2: "1/4", 3: "1/4", 4: "1/5"}),
    (empty, {(): "1/2", ("x",): "1/2"}),
    (counted, {number(0): "1/2", number(1): "1/4", number(2): "1/8", number(3): "1/8"}),
    (counted, {number(0): "5/8", number(1): "1/4", number(2): "1/8"}),
    (counted, {tail(0): "1"}),
    (counted, {number(0): "1/2", tail(1): "1/2"}),
    (counted, {number(0): "1/2", number(1): "1/4", number(2): "1/8", tail(3): "1/8"}),
    (counted, {number(0): "1/2", number(1): "1/4", number(2): "1/8", tail(9, "1/3"): "1/16"}),
    (counted, {tail(9): "1/8"}),
]
REFUSED: list[tuple[Callable[[Any], Any], dict[Any, str]]] = [
    (quarter, {1: "1/2"}),
    (quarter, {1: "1/2", 2: "1/4", 3: "1/4"}),
    (quarter, {1: "1/8", 2: "1/4", 3: "1/4", 4: "1/4", 5: "1/16"}),
    (quarter, {5: "1/8"}),
    (empty, {(): "1"}),
    (counted, {number(0): "3/4"}),
    (counted, {number(0): "1/4", number(1): "3/8", number(2): "1/4", number(3): "1/8"}),  # 0 is below
    (counted, {tail(0, "1/3"): "1"}),
    (counted, {number(0): "1/2", tail(4): "1/2"}),
    (counted, {tail(9): "1/4"}),
    (counted, {(Tail(0, "1/2"), "text"): "1"}),
]


CASES = [*((*one, True) for one in ALLOWED), *((*one, False) for one in REFUSED)]


@pytest.mark.parametrize(
    ("program", "law", "allowed"), CASES, ids=lambda value: getattr(value, "__name__", None) or str(value)
)
def test_which_laws_the_inline_one_allows(program: Callable[[Any], Any], law: dict[Any, str], allowed: bool) -> None:
    """What a law leaves over to 1 is unresolved, and may belong to any output."""
    resolved = {output: mpq(p) for output, p in law.items()}
    found = Exploration(resolved, 1 - sum(resolved.values(), mpq(0)), 1, frozenset(), False, ())
    with nullcontext() if allowed else pytest.raises(ExplorationError, match="has another probability than inline"):
        explorer._checked_inline(program, Budget(bits=3), False, found, Declared(()), None)
