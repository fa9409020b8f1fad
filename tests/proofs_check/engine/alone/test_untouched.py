"""What a sampler's law depends on besides its arguments and globals is in its key, or is refused: laws by hand."""

import json
import math
import os
import random
import secrets
import time
from collections.abc import Callable
from fractions import Fraction
from threading import Thread
from types import ModuleType
from typing import Any, cast
from unittest.mock import ANY

import gmpy2
import numpy as np
import pytest

from finitedp.impl.randomness.coins import ExactCoins
from finitedp.proofs_check.engine.alone.allowlist import is_module, is_pure
from finitedp.proofs_check.engine.alone.function_source import checks_of
from finitedp.proofs_check.engine.alone.keys import NotPlainError, Tokens, typed
from finitedp.proofs_check.engine.alone.untouched import _is_of, is_as_it_came, is_source, is_stood_in
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.engine.other_randomness import stood_in
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import surrounded
from tests.proofs_check.engine.alone.test_copies import in_an_audit
from tests.proofs_check.engine.alone.test_declared_samplers import found, taken


def both(program: Callable[[Any], Any], sampler: Callable[..., Any]) -> Exploration[Any]:
    """Explored with the sampler declared; the laws alone and inline must agree, else it is an error."""
    return in_an_audit(program, sampler)


def test_what_draws_from_the_system_is_known_only_where_it_is_stood_in() -> None:
    things = [random.SystemRandom, surrounded.SYSTEM]
    assert not any(map(is_pure, things))
    assert not any(map(is_module, [random, secrets, np]))
    with stood_in():
        assert all(map(is_pure, things))
        assert all(map(is_module, [random, secrets, np, math, os, gmpy2]))
    assert is_module(math)


def test_other_modules_are_unknown() -> None:
    with stood_in():
        assert not any(map(is_module, [json, time, ModuleType("math"), ModuleType("json"), math.pi, None]))
        claims = type("Claims", (), {"__module__": "finitedp.proofs_check.engine.other", "_explored": 1})
        stands = type("Stands", (), {"__module__": "finitedp.proofs_check.engine.other", "_explored": True})
        assert not is_source(claims())
        assert is_source(stands())


def test_an_exchanged_method_of_random_leaves_other_modules_as_they_came(monkeypatch: pytest.MonkeyPatch) -> None:
    things = ((math, "sqrt"), (random, "Random"), (secrets, "token_bytes"))
    assert all(is_as_it_came(module, [name]) for module, name in things)
    monkeypatch.setattr(random.Random, "shuffle", lambda _rng, _values: None)
    assert is_as_it_came(math, ["sqrt"])
    assert is_as_it_came(secrets, ["token_bytes"])
    assert not is_as_it_came(random, ["Random"])


class Alike(type):
    """Classes that say to be equal to every other."""

    def __eq__(cls, _other: object) -> bool:
        return True

    __hash__ = type.__hash__


def test_a_class_that_says_to_be_another_is_not_that_one() -> None:
    known = Alike("Known", (), {"__module__": "math"})()
    assert _is_of(known, {"math"})
    with stood_in():
        assert not is_source(Alike("Draws", (random.Random,), {})())


def test_what_holds_all_that_sources_hold_is_a_source() -> None:
    rng: Any = random.SystemRandom()
    rng._coins = rng._make = rng._stand_in = None
    with stood_in():
        assert is_source(rng)
        rng.another = None
        assert not is_source(rng)


def test_what_only_looks_like_something_known_is_unknown() -> None:
    class Equal:
        def __eq__(self, _other: object) -> bool:
            return True

        __hash__ = object.__hash__

    with stood_in():
        assert not is_pure(Equal())
        stood_in_elsewhere: list[bool] = []
        thread = Thread(target=lambda: stood_in_elsewhere.append(is_stood_in()))
        thread.start()
        thread.join()
    assert stood_in_elsewhere == [False]
    assert not is_stood_in()


def test_a_generator_counts_with_what_it_stands_for_and_over_its_own_coins() -> None:
    seen: list[Any] = []

    def program(coins: Any) -> int:
        seen.append(coins)
        with pytest.raises(NotPlainError, match="a StandIn"):
            Tokens(coins, ()).key(StandIn(seen[0] if coins is not seen[0] else ExactCoins(coins.bits)))
        with pytest.raises(NotPlainError, match="a StandIn"):
            Tokens(coins, ()).key(StandIn(ANY))  # which is equal to everything
        kinds = [np.random.default_rng(), np.random.RandomState(), random.SystemRandom(), StandIn(coins), coins]
        return len({Tokens(coins, ()).key(kind) for kind in kinds})

    with stood_in():
        assert explore(program).law() == Pmf({5: 1})
    assert len(seen) > 1


@pytest.mark.parametrize("kind", [StandIn, GeneratorStandIn, RandomStateStandIn])
def test_a_generator_that_is_given_is_a_source(kind: Callable[[Any], Any]) -> None:
    assert explore(lambda coins: is_source(kind(coins))).law() == Pmf({True: 1})


@pytest.mark.parametrize("make", [lambda _coins: random.SystemRandom(), StandIn], ids=["SystemRandom", "Random"])
def test_a_generator_with_a_method_of_its_own_is_not_exchanged_for_a_fresh_one(make: Callable[[Any], Any]) -> None:
    def program(coins: Any) -> tuple[int, int]:
        rng = make(coins)
        rng.getrandbits = lambda _bits: 3
        return surrounded.two_bits(rng), surrounded.two_bits(make(coins))

    assert both(program, surrounded.two_bits).law() == Pmf({(3, x): 1 for x in range(4)})


@pytest.mark.parametrize("kind", [random.SystemRandom, random.Random])
def test_a_class_of_generators_with_another_method_is_unknown(monkeypatch: pytest.MonkeyPatch, kind: type) -> None:
    monkeypatch.setattr(kind, "choice", lambda _self, parts: parts[0], raising=False)
    law = both(lambda _coins: surrounded.choosing(random.SystemRandom()), surrounded.choosing)
    assert law.law() == Pmf({7: 1})
    assert taken(law) == {"choosing": "it is given a SystemRandom"}
    with stood_in():
        assert not is_module(random)
        assert is_module(secrets)


@pytest.mark.parametrize(
    ("name", "value", "sampler"),
    [
        ("comb", lambda *_arguments: 100, surrounded.six_or_seven),
        ("pi", 50.0, surrounded.six_of_three),
    ],
)
def test_a_module_whose_attribute_is_exchanged_is_unknown(name: str, value: Any, sampler: Callable[..., Any]) -> None:
    original = getattr(math, name)

    def program(coins: Any) -> tuple[int, int]:
        first = getattr(surrounded, sampler.__name__)(coins)
        setattr(math, name, value)
        try:
            return first, getattr(surrounded, sampler.__name__)(coins)
        finally:
            setattr(math, name, original)

    law = both(program, sampler)
    assert law.law() == Pmf({(first, 100 + more): 1 for first in (6, 7) for more in (0, 1)})
    assert "reads the global math, a module" in str([use.reason for use in law.uses])


@pytest.mark.parametrize("module", [ModuleType("numpy.random"), os, ModuleType("os")], ids=str)
def test_a_module_in_which_another_module_stands_is_unknown(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with stood_in():
        monkeypatch.setattr(np, "random", module)
        assert not is_module(np)
        monkeypatch.undo()
        assert is_module(np)


def test_what_an_unreadable_class_reaches_is_read_where_it_is_met_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surrounded, "LIMIT", 1)

    def program(coins: Any) -> tuple[int, int]:
        surrounded.LIMIT = 1
        first = surrounded.by_the_same_helper(coins)
        surrounded.LIMIT = 50
        return first, surrounded.by_the_same_helper(coins)

    for declared in ([surrounded.by_the_same_helper], [surrounded.by_the_same_helper, surrounded.up_to_one_more]):
        law = found(program, *declared)
        assert law.law() == Pmf({(x, y): 1 for x in (1, 2) for y in (50, 51)})


def test_the_shared_generator_stays_itself() -> None:
    def program(_coins: Any) -> tuple[bool, bool]:
        other = surrounded.is_the_shared_one(random.SystemRandom())
        return other, surrounded.is_the_shared_one(surrounded.SYSTEM)

    law = both(program, surrounded.is_the_shared_one)
    assert law.law() == Pmf({(False, True): 1})
    assert taken(law) == {"is_the_shared_one": None}
    law = both(lambda _coins: surrounded.stays_the_shared_one(), surrounded.stays_the_shared_one)
    assert law.law() == Pmf({True: 1})
    assert taken(law) == {"stays_the_shared_one": None}


def test_named_arguments_keep_their_order() -> None:
    def program(coins: Any) -> tuple[str, str]:
        return surrounded.first_name(coins, a=1, b=2), surrounded.first_name(coins, b=2, a=1)

    expected = {("a", "b"): 1, ("a", "a"): 3, ("b", "b"): 3, ("b", "a"): 9}
    assert both(program, surrounded.first_name).law() == Pmf(expected)


def test_the_precision_of_gmpy2_is_looked_at() -> None:
    def program(coins: Any) -> tuple[bool, bool]:
        context = cast(Any, gmpy2).get_context()
        before, first = context.precision, surrounded.rounded(coins)
        context.precision = 4
        try:
            return first, surrounded.rounded(coins)
        finally:
            context.precision = before

    law = both(program, surrounded.rounded)
    assert law.law() == Pmf({(False, True): 1, (False, False): 1})
    assert taken(law) == {"rounded": None}


def test_what_is_not_equal_to_itself_is_no_plain_value() -> None:
    nan = float("nan")
    assert set(both(lambda coins: surrounded.not_a_number(coins), surrounded.not_a_number).resolved) == {True}
    law = both(lambda coins: surrounded.finds(coins, nan, (nan,)), surrounded.finds)
    assert law.law() == Pmf({True: 1})
    assert taken(law) == {"finds": "it is given a float that is not a number"}
    with pytest.raises(NotPlainError):
        typed((np.float64(nan),))


def test_a_fraction_of_other_integers_is_no_plain_value() -> None:
    """numpy's wrap: 4 * 2^62 is 0."""
    share = Fraction(cast(Any, np.int64(2**62)), 1)
    with np.errstate(over="ignore"):
        law = both(lambda coins: surrounded.quadrupled(coins, share), surrounded.quadrupled)
    assert law.law() == Pmf({(False, True): 1, (False, False): 1})
    with pytest.raises(NotPlainError, match="a Fraction of mpz"):
        typed(Fraction(gmpy2.mpz(7), 2))


def test_only_stand_ins_of_the_engine_are_stand_ins() -> None:
    def program(coins: Any) -> tuple[int, int]:
        surrounded.SEARCHING.number = 0
        return surrounded.marked(coins), surrounded.marked(coins)

    law = both(program, surrounded.marked)
    assert law.law() == Pmf({(x, y): 1 for x in (1, 11) for y in (2, 12)})
    assert taken(law) == {"marked": "marked() reads the global SEARCHING, a Searching"}


def test_an_attribute_of_the_sampler_itself_is_not_read_alone() -> None:
    def program(coins: Any) -> tuple[int, int]:
        sampler: Any = surrounded.with_an_attribute
        sampler.calls = 0
        first = sampler(coins)
        sampler.calls = 10
        return first, sampler(coins)

    law = both(program, surrounded.with_an_attribute)
    assert law.law() == Pmf({(x, y): 1 for x in (0, 1) for y in (10, 11)})
    assert "uses the sampler with_an_attribute as a value" in (taken(law)["with_an_attribute"] or "")


@pytest.mark.parametrize(("name", "value"), [("__defaults__", (3,)), ("__kwdefaults__", {"shift": 5})])
@pytest.mark.parametrize(("of", "by_helper"), [("scaled", False), ("scaled", True), ("scaled_unchecked", False)])
def test_defaults_of_a_function_that_are_exchanged_are_seen(name: str, value: Any, of: str, by_helper: bool) -> None:
    function: Any = getattr(surrounded, of)
    original = getattr(function, name)
    kept = dict(original) if type(original) is dict else original
    sampler = surrounded.scaled_twice if by_helper else function
    outputs = {"__defaults__": (0, 3), "__kwdefaults__": (5, 6)}[name]
    factor = 2 if by_helper else 1

    def program(coins: Any) -> tuple[int, int]:
        setattr(function, name, kept)
        first = getattr(surrounded, sampler.__name__)(coins)
        setattr(function, name, value)
        try:
            return first, getattr(surrounded, sampler.__name__)(coins)
        finally:
            setattr(function, name, original)

    law = found(program, sampler)
    assert law.law() == Pmf({(x * factor, y * factor): 1 for x in (0, 1) for y in outputs})
    assert (checks_of(function) is not None) == (of == "scaled")


def test_outputs_that_lie_far_apart_are_few() -> None:
    law = found(lambda coins: surrounded.sparse(coins), surrounded.sparse)
    assert law.law() == Pmf({0: 1, 2**62: 1, 2**63: 1})
