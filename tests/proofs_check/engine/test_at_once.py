"""Draws of few values that take the place of a library's are numbers at once: laws, runs, and when not."""

import operator
import os
import random
import secrets
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.laws import explored
from finitedp.proofs_check.engine import explorer, search
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from tests.proofs_check.engine.plain_explorer import plain_law, random_program


class ByRandom:
    """Coins whose draws take the place of those of random.Random."""

    def __init__(self, coins: Any) -> None:
        self._rng: Any = StandIn(coins)

    def uniform(self, d: int) -> Any:
        return self._rng.randrange(d) + 1


def kinds(program: Callable[[Any], Any], **options: Any) -> set[type]:
    """The types that a program met."""
    met = set[type]()

    def looked_at(coins: Any) -> int:
        met.add(type(program(coins)))
        return 0

    explore(looked_at, **options)
    return met


# What is a number at once


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (lambda coins: StandIn(coins).randrange(1_024), int),
        (lambda coins: StandIn(coins).randint(3, 5), int),
        (lambda coins: StandIn(coins).getrandbits(10), int),
        (lambda coins: StandIn(coins).choice(["a", "b"]), str),
        (lambda coins: StandIn(coins).randbytes(1), bytes),
        (lambda coins: StandIn(coins).randbytes(1)[0], int),
        (lambda coins: GeneratorStandIn(coins).integers(1_024), np.int64),
        (lambda coins: GeneratorStandIn(coins).integers(5, dtype=np.uint8), np.uint8),
        (lambda coins: GeneratorStandIn(coins).integers(5, dtype=int), int),
        (lambda coins: GeneratorStandIn(coins).permutation(3)[0], np.int64),
    ],
)
def test_draws_of_few_values_are_the_library_s_numbers(program: Callable[[Any], Any], kind: type) -> None:
    assert kinds(program) == {kind}


def test_wider_draws_and_those_of_coins_are_intervals() -> None:
    wide: list[Callable[[Any], Any]] = [
        lambda coins: StandIn(coins).randrange(1_025),
        lambda coins: StandIn(coins).getrandbits(11),
        lambda coins: coins.uniform(2),
        lambda coins: coins.bits(1),
    ]
    for program in wide:
        assert LazyInt in kinds(program), program


def test_sources_of_the_process_are_the_same() -> None:
    def mechanism(_data: Any) -> tuple[str, ...]:
        drawn = random.randrange(2), secrets.randbelow(2), os.urandom(1), np.random.default_rng().integers(2)
        return tuple(type(each).__name__ for each in drawn)

    found = explored(mechanism, 0, "none", "tuple", Budget()).law.probabilities
    assert found == {("int", "int", "bytes", "int64"): 1}


def test_a_draw_that_a_draw_bounds() -> None:
    def program(coins: Any) -> tuple[int, int]:
        rng: Any = StandIn(coins)
        first = rng.randrange(1, 4)
        return first, rng.randrange(first)

    assert explore(program).resolved == {(a, b): mpq(1, 3 * a) for a in (1, 2, 3) for b in range(a)}


# The law


@pytest.mark.parametrize("joint", [False, True])
def test_random_programs_have_the_law_of_plain_integers(joint: bool) -> None:
    """With draws of a library, with draws of coins, and with both."""
    for seed in range(40):
        check(seed, joint)


@pytest.mark.deep
@pytest.mark.parametrize("block", range(10))
def test_many_random_programs_have_the_law_of_plain_integers(block: int) -> None:
    for seed in range(1_000 + block * 250, 1_000 + block * 250 + 250):
        check(seed, joint=seed % 2 == 0)


@pytest.mark.full
@pytest.mark.parametrize("block", range(10))
def test_very_many_random_programs_have_the_law_of_plain_integers(block: int) -> None:
    for seed in range(10_000 + block * 500, 10_000 + block * 500 + 500):
        check(seed, joint=seed % 2 == 0)


def check(seed: int, joint: bool) -> None:
    program, telling = random_program(seed), telling_program(seed)
    assert explore(lambda coins: program(ByRandom(coins)), joint=joint).resolved == plain_law(program), seed
    law = plain_law(lambda coins: telling(coins))
    assert explore(lambda coins: telling(ByRandom(coins)), joint=joint, replay_all=True).resolved == law, seed


def telling_program(seed: int) -> Callable[[Any], Any]:
    """A program that asks what only numbers answer as numbers do: types, formats, C functions, containers."""
    made = Random(seed)
    asks: list[Callable[[Any], Any]] = [
        lambda u: type(u) is int,
        lambda u: f"{u:03d}",
        lambda u: pow(3, u, 7),
        lambda u: {0: "a", 1: "b"}.get(u, "c"),
        lambda u: [4, 5, 6, 7, 8, 9, 10][u],
        lambda u: float(u) > 1.5,
        lambda u: len(range(u)),
        lambda u: np.array([u, 1]).dtype.kind,
        lambda u: divmod(u, 2),
        lambda u: u in (1, 3),
        operator.index,
    ]
    steps = [(made.randrange(len(asks)), made.randint(2, 5), made.random()) for _ in range(3)]

    def program(coins: Any) -> Any:
        told: list[Any] = []
        for which, d, chance in steps:
            u = coins.uniform(d)
            told.append(asks[which](u))
            if u > d * chance:
                told.append(asks[(which + u) % len(asks)](coins.uniform(2)))
        return tuple(told)

    return program


# How many runs, and where it begins again


def runs(program: Callable[[Any], Any], **options: Any) -> tuple[Any, int, int]:
    """What was found, and how often the program was run with numbers at once and with intervals."""
    made = [0, 0]

    def counted(coins: Any) -> Any:
        made[not coins.rules.at_once] += 1
        return program(coins)

    return explore(counted, **options), made[0], made[1]


def test_where_the_first_path_shows_that_it_takes_too_much_it_is_done_lazily() -> None:
    """Ten comparisons of draws of four values: 4^10 runs, or 2^10."""

    def program(coins: Any) -> int:
        rng: Any = StandIn(coins)
        return sum(rng.randrange(4) == 0 for _ in range(10))

    found, at_once, lazily = runs(program)
    assert found.resolved[0] == mpq(3, 4) ** 10
    assert (at_once, found.leaves) == (1, 2**10)
    assert lazily >= 2**10


@pytest.mark.parametrize(("wide", "twice"), [(4_095, False), (4_096, False), (4_097, True)])
def test_where_it_takes_more_than_4096_runs_it_is_done_lazily(wide: int, twice: bool) -> None:
    """The first path does not show it."""

    def few(coins: Any) -> int:
        rng: Any = StandIn(coins)
        if rng.randrange(2) == 0:
            return 0
        return int(coins.uniform(wide - 1))

    found, at_once, lazily = runs(few)
    assert found.leaves == wide
    assert (lazily > 0) == twice
    assert at_once >= min(wide, 4_096)
    assert found.resolved[0] == mpq(1, 2)


@pytest.mark.parametrize(("second", "twice"), [(4, False), (5, True)])
def test_a_path_of_as_many_ways_as_there_may_be_is_followed(second: int, twice: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "WAYS", 16)

    def program(coins: Any) -> int:
        rng: Any = StandIn(coins)
        return int(rng.randrange(4) + rng.randrange(second))

    found, _, lazily = runs(program)
    assert found.resolved[0] == mpq(1, 4 * second)
    assert (lazily > 0) == twice


def test_code_that_intervals_do_not_follow_is_given_more_runs() -> None:
    """Five dice are 7,776 paths, and numpy's sum takes no intervals."""

    def program(coins: Any) -> int:
        rng: Any = StandIn(coins)
        return int(np.maximum(sum(int(np.clip(rng.randrange(6), 1, 4)) for _ in range(5)), np.abs(rng.randrange(1))))

    found, at_once, lazily = runs(program)
    assert found.resolved[5] == mpq(1, 3) ** 5
    assert (found.leaves, lazily > 0, at_once > 7_776) == (7_776, True, True)

    def more(coins: Any) -> int:
        rng: Any = StandIn(coins)
        return int(sum(np.abs(rng.randrange(1_000)) for _ in range(2)))

    with pytest.raises(ExplorationError, match="accepted: "):
        explore(more)


def test_a_small_budget_is_not_spent_on_branches() -> None:
    def program(coins: Any) -> bool:
        rng: Any = StandIn(coins)
        return bool(rng.randrange(100) < 50)

    found, at_once, _ = runs(program, budget=Budget(runs=10))
    assert found.resolved == {True: mpq(1, 2), False: mpq(1, 2)}
    assert 10 <= at_once <= 14  # some twice


def test_a_hopeless_search_begins_again_lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FIRST_LOOK", 16)
    monkeypatch.setattr(search, "PATIENCE", 2**20)

    def program(coins: Any) -> int:
        rng: Any = StandIn(coins)
        while True:
            u = rng.randrange(8)
            if u < 3:
                return int(u == 0)

    found, at_once, lazily = runs(program, budget=Budget())
    assert 16 <= at_once < 200
    assert lazily > 0
    assert found.unresolved <= mpq(1, 2**64)


def test_code_that_swallows_its_end_is_put_off_all_the_same() -> None:
    def program(coins: Any) -> int:
        rng: Any = StandIn(coins)
        seen = 0
        for _ in range(60):
            try:
                seen += rng.randrange(3) == 0
            except BaseException:  # noqa: S112  # what is tried
                continue
        return min(seen, 1)

    found = explore(program, Budget(runs=300, bits=4))
    assert 0 <= found.unresolved <= 1
    assert sum(found.resolved.values(), found.unresolved) == 1


def test_code_that_does_not_repeat_itself_is_refused() -> None:
    seen = list[int]()

    def program(coins: Any) -> int:
        rng: Any = StandIn(coins)
        seen.append(1)
        return int(rng.randrange(3 + len(seen) % 2))

    with pytest.raises(ExplorationError, match="does not repeat itself"):
        explore(program)


def test_paths_of_numbers_alone_are_not_run_again() -> None:
    made = list[int]()

    def program(coins: Any) -> int:
        rng: Any = StandIn(coins)
        made.append(1)
        return int(rng.randrange(16))

    explore(program)
    assert len(made) == 16 + 5  # the 1st, 2nd, 4th, 8th and 16th twice


def test_masses_of_values_are_those_of_the_draw() -> None:
    coins = LazyCoins(None, lambda branch: postponed.append(branch), Rules(at_once=8), 0, None)
    postponed: list[Any] = []
    assert coins.whole(8) == 0
    assert (coins.ways, coins.lazies, coins.decided) == (8, 0, True)
    assert [branch.answer for branch in postponed] == [7, 6, 5, 4, 3, 2, 1]
    assert coins.mass + sum(branch.mass for branch in postponed) == coins.rules.unit
    wider: object = coins.whole(9)
    assert type(wider) is LazyInt
    assert (coins.ways, coins.lazies) == (8, 1)
    assert coins.whole(5) == 0
    assert coins.whole(2) == 0
    assert coins.ways == 8 * 5 * 2
