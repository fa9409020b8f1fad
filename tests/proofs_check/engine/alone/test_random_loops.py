"""Random samplers with loops of every kind: the law that is solved is that of a plain enumeration of all draws."""

from itertools import count
from random import Random
from typing import Any

import pytest

from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.explorer import Budget, explore
from tests.proofs_check.engine.alone.cells import cell
from tests.proofs_check.engine.plain_explorer import PlainCoins, plain_law

NAMES = ("a", "b", "at", "_at", "values", "head")
"""Locals; some have names that the solver might take for its own."""


class Writer:
    """A random sampler. Each round of a loop takes one of `left`, so that few draws are made; some locals may be unset."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.draws = 0

    def value(self) -> str:
        pick, name, other = self.random, *self.random.choices(NAMES, k=2)
        makers = [
            lambda: f"coins.uniform({pick.choice((2, 3))})",
            lambda: f"(({other} := coins.uniform(2)) + {name})",
            lambda: f"sum([one + {name} for one in (1, coins.uniform(2))])",
            lambda: f"({name} if coins.uniform(2) == 1 else {other})",
        ]
        plain = [
            lambda: str(pick.randrange(4)),
            lambda: f"({name} - {other})",
            lambda: f"({name} and {other})",
            lambda: "left",
        ]
        draws = self.draws < 40 and pick.random() < 0.4
        self.draws += draws
        return str(pick.choice(makers if draws else plain)())

    def test(self) -> str:
        name, pick = self.random.choice(NAMES), self.random
        return pick.choice(
            [
                f"{self.value()} {pick.choice(('<', '==', '!='))} {name}",
                f"0 <= {name} < 3 or {self.value()} == 1",
                f"{name} < 2 and ({name} := {self.value()}) > 0",
                "True",
            ]
        )

    def block(self, depth: int, *, looped: bool) -> list[str]:
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, looped=looped)]

    def statement(self, depth: int, *, looped: bool) -> list[str]:
        pick, name = self.random, self.random.choice(NAMES)
        kinds = ["set", "set", "set", "add", "pair"] + ["leave"] * looped
        kind = pick.choice([*kinds, *("while", "while", "if", "if", "for", "try")] if depth else kinds)
        inner = ["    " + line for line in self.block(depth - 1, looped=looped or kind in ("while", "for"))] if depth else []
        other = ["else:", *("    " + line for line in self.block(0, looped=looped))] if depth and pick.random() < 0.5 else []
        made = {
            "set": [f"{name} = {self.value()}"],
            "add": [f"{name} += {self.value()}", f"{name} %= 4"],
            "pair": [f"{name}, {pick.choice(NAMES)} = {self.value()}, {self.value()}"],
            "leave": [f"if {self.test()}:", "    " + pick.choice(("break", "continue", f"return ({name}, 9)"))],
            "while": [f"while left > 0 and ({self.test()}):", "    left -= 1", *inner, *other],
            "if": [f"if {self.test()}:", *inner, *other],
            "for": [f"for {name} in ({pick.randrange(3)}, 1):", *inner],
            "try": ["try:", *inner, "except ValueError:", "    a = 7", *other],
        }
        return made[kind]

    def source(self) -> str:
        body = [*(line for name in NAMES for line in [f"{name} = {self.random.randrange(3)}"]), "left = 2"]
        body += self.block(2, looped=False) + self.block(2, looped=False)
        return "def sampler(coins):\n" + "".join(f"    {line}\n" for line in [*body, f"return ({', '.join(NAMES)})"])


class TooManyError(Exception):
    """More runs than are worth it."""


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 2_000), marks=pytest.mark.full)], ids=["some", "many"])
def test_random_samplers_have_the_law_of_all_their_draws(seeds: range) -> None:
    merged = compared = 0
    for seed in seeds:
        source = Writer(seed).source()
        space = cell(source)
        runs = count()

        def program(coins: Any) -> Any:
            if isinstance(coins, PlainCoins) and next(runs) > 2_000:  # noqa: B023
                raise TooManyError
            return space["sampler"](coins)  # noqa: B023

        declared = Declared.of([space["sampler"]])
        try:
            plain = plain_law(program)
        except TooManyError:
            continue
        compared += 1
        found = explore(program, Budget(), samplers=declared)
        assert found.resolved == plain, source
        assert found.unresolved == 0, source
        (use,) = found.uses
        assert use.alone, (source, use.reason)
        (wrapper,) = declared._wrappers.values()
        merged += sum(len(copy.live) for copy in wrapper._copies.values())
    assert merged > compared > len(seeds) / 2
