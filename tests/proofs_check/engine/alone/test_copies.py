"""Copies in which unknown code is a trap: what they let be taken alone, and what they must not."""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import BudgetError, ExplorationError
from finitedp.proofs_check.engine.alone import copies
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.alone.reach import read
from finitedp.proofs_check.engine.explorer import Budget, Exploration, explore
from finitedp.proofs_check.engine.other_randomness import stood_in
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import objects
from tests.proofs_check.engine.alone.cells import cell
from tests.proofs_check.engine.alone.test_declared_samplers import found, taken


def in_an_audit(program: Callable[[Any], Any], *declared: Callable[..., Any]) -> Exploration[Any]:
    with stood_in(program):
        return found(program, *declared)


# What is taken alone


@pytest.mark.deep
def test_objects_that_stay_inside_are_followed() -> None:
    assert found(lambda coins: objects.die(coins), objects.die).law() == Pmf(dict.fromkeys(range(1, 7), 1))
    law = found(lambda coins: objects.third(coins), objects.third)
    assert law.resolved[0] == law.resolved[1] == law.resolved[2] == (1 - law.unresolved) / 3
    assert law.unresolved <= mpq(1, 2**64)
    for one in (found(lambda coins: objects.die(coins), objects.die), law):
        assert set(taken(one).values()) == {None}
    assert objects.KEPT == []


def test_a_loop_that_carries_an_object_is_not_merged_and_has_its_law() -> None:
    law = found(lambda coins: objects.carried(coins), objects.carried)
    assert taken(law) == {"carried": None}
    for x in (1, 2):
        low, high = law.bounds(x)
        assert low <= {1: mpq(1, 3), 2: mpq(2, 3)}[x] <= high
    assert law.unresolved <= mpq(1, 2**64)


def test_code_that_is_never_reached_may_hold_anything() -> None:
    law = found(lambda coins: objects.unreached(coins), objects.unreached)
    assert law.law() == Pmf({True: 1, False: 2})
    assert taken(law) == {"unreached": None}


def test_code_that_is_reached_is_run_inline() -> None:
    objects.KEPT[:] = [0]
    law = found(lambda coins: objects.unreached(coins, 1), objects.unreached)
    assert "reads the global samplers, a module" in (taken(law)["unreached"] or "")
    objects.KEPT.clear()


@pytest.mark.parametrize("name", ["own_generator", "shared_generator", "shared_generator_of_numpy"])
def test_generators_of_the_system_draw_from_the_coins_of_an_audit(name: str) -> None:
    sampler = getattr(objects, name)
    law = in_an_audit(lambda coins: getattr(objects, name)(), sampler)
    assert law.law() == Pmf({0: 1, 1: 1, 2: 1})
    assert taken(law) == {name: None}


@pytest.mark.parametrize("name", ["own_generator", "shared_generator"])
def test_generators_of_the_system_are_unknown_without_stand_ins(name: str) -> None:
    with pytest.raises(ExplorationError, match=r"two runs on the same draws differ|sum to"):
        found(
            lambda coins: [getattr(objects, name)() for _ in range(40)] and tuple(getattr(objects, name)() for _ in range(40)),
            getattr(objects, name),
        )


def test_int_leaves_a_draw_undecided_in_a_copy() -> None:
    declared = Declared.of([objects.few_leaves])
    law = explore(lambda coins: objects.few_leaves(coins), Budget(), samplers=declared)
    assert law.law() == Pmf({True: 1, False: 999})
    assert taken(law) == {"few_leaves": None}


@pytest.mark.parametrize("before", [*range(4), 117, 118])
def test_int_is_found_among_any_names(before: int) -> None:
    """Inline the value of such a draw would be too many."""
    names = [f"x{i}" for i in range(before)]
    lines = [*(f"{name} = 1" for name in names), "def f(coins):", *(f"    {name}" for name in names)]
    function = made("\n".join([*lines, "    return int(coins.uniform(2**70)) < 5"]))
    assert explore(copies.Copy(read(function)).function).law()[True] == mpq(4, 2**70)
    with pytest.raises(BudgetError):
        explore(function)


def test_numbers_of_numpy_keep_their_types() -> None:
    law = in_an_audit(lambda coins: (type(x := objects.of_numpy()).__name__, int(x)), objects.of_numpy)
    assert law.law() == Pmf({("int64", x): 1 for x in range(3)})
    assert taken(law) == {"of_numpy": None}


def test_one_generator_stays_one_and_two_stay_two() -> None:
    def one(coins: Any) -> bool:
        rng = StandIn(coins)
        return objects.same_source(rng, rng)

    def two(coins: Any) -> bool:
        return objects.same_source(StandIn(coins), StandIn(coins))

    assert found(one, objects.same_source).law() == Pmf({True: 1})
    assert found(two, objects.same_source).law() == Pmf({False: 1})


def made(source: str) -> Any:
    return cell(source)["f"]


def test_an_int_of_ones_own_is_no_int() -> None:
    function = made("def int(x): return x + 10\ndef f(coins): return int(coins.uniform(2))")
    law = found(lambda coins: function.__globals__["f"](coins), function)
    assert law.law() == Pmf({11: 1, 12: 1})
    assert set(taken(law).values()) == {None}


def test_an_int_that_is_another_function_of_python_is_that_one() -> None:
    function = made("int = abs\ndef f(coins): return int(coins.uniform(3) - 2)")
    law = found(lambda coins: function.__globals__["f"](coins), function)
    assert law.law() == Pmf({0: 1, 1: 2})
    assert set(taken(law).values()) == {None}


def test_defaults_are_those_of_the_function() -> None:
    function = made("def f(coins, x=3, *, y=2): return coins.uniform(x) * y")
    law = found(lambda coins: function.__globals__["f"](coins), function)
    assert law.law() == Pmf({2: 1, 4: 1, 6: 1})
    assert set(taken(law).values()) == {None}


def test_a_local_that_is_called_int_is_no_int() -> None:
    both = "f() has a comprehension over int, which it uses elsewhere as well"
    for other, reason in (("[int for int in (1, 2)]", both), ("[abs(x) for x in (1, 2)]", None)):
        function = made(f"def f(coins): return sum({other}) + int(coins.uniform(2))")
        law = found(lambda coins: function.__globals__["f"](coins), function)  # noqa: B023
        assert law.law() == Pmf({4: 1, 5: 1})
        assert set(taken(law).values()) == {reason}


@pytest.mark.parametrize("names", [5, 118, 119, 120, 121, 130, 300])
def test_int_in_a_function_of_many_names(names: int) -> None:
    lines = [f"x{i} = {i}" for i in range(names)] + ["def f(coins):"]
    lines += [f"    x{i}" for i in range(names)] + ["    u = int(coins.uniform(2))", "    return u < 2"]
    function = made("\n".join(lines))
    law = found(lambda coins: function.__globals__["f"](coins), function)
    assert law.law() == Pmf({True: 1, False: 1})
    assert set(taken(law).values()) == {None}


# What is not


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("class_state", r"draw\(\) .* deletes the attribute"),
        ("class_list", "its attribute seen is a list"),
        ("side_effect", "its attribute next is a property"),
        ("answers_all", "its own __getattr__"),
        ("by_a_metaclass", "reads the global Made, a Meta"),
        ("by_a_base", "it has a base class"),
        ("by_a_common_name", "its attribute seed has a name that other things have"),
        ("by_a_name_of_both", "its method draw is also an attribute that is set"),
        ("sets_another", "sets (or deletes )?the attribute"),
        ("sets_by_rebinding", "sets (or deletes )?the attribute"),
        ("sets_inside", "sets (or deletes )?the attribute"),
        ("sets_a_function", "sets (or deletes )?the attribute"),
        ("reads_an_instance", "reads the global INSTANCE, a Other"),
        ("has_an_instance", "has a Other as a default"),
        ("raises_an_instance", "raises ValueError"),
        ("returns_an_instance", "returns a Other"),
        ("shows_by_str", "uses str: it makes texts"),
        ("shows_by_an_f_string", "shows a value in an f-string"),
        ("compares_ids", "asks whether two values are one object"),
        ("compares_ids_sometimes", "asks whether two values are one object"),
        ("deletes_an_attribute", "deletes the attribute"),
        ("hands_on_a_method", "the attribute word"),
        ("calls_by_the_class", "uses the class Other as a value"),
        ("reads_what_is_not_there", "reads the global NOT_THERE, which is not there"),
    ],
)
def test_objects_that_might_keep_something_are_not_taken_alone(name: str, reason: str) -> None:
    sampler = getattr(objects, name)
    declared = Declared.of([sampler])
    try:
        law = explore(lambda coins: str(getattr(objects, name)(coins)), Budget(bits=8), samplers=declared)
        reasons = [use.reason for use in law.uses if not use.alone and use.reason]
    except (ExplorationError, NameError, ValueError, TypeError):  # what it does inline
        (wrapper,) = declared._wrappers.values()
        reasons = [one for one in wrapper._laws.values() if isinstance(one, str)]
    assert len(reasons) == 1
    assert re.search(reason, reasons[0])
    objects.KEPT.clear()


@pytest.mark.parametrize("size", [2, 2**40, 2**70, 2**200])
def test_a_branch_that_is_reached_rarely_is_reached(size: int) -> None:
    """It reads the clock: taken alone it ends at the trap, and inline two runs differ."""
    with pytest.raises(ExplorationError, match="two runs on the same draws differ"):
        explore(
            lambda coins: objects.rare_clock(coins, size),
            Budget(),
            replay_all=True,
            samplers=Declared.of([objects.rare_clock]),
        )


def test_a_branch_that_is_too_rare_to_be_looked_at_is_open_mass() -> None:
    law = found(lambda coins: objects.late_clock(coins), objects.late_clock)
    assert taken(law) == {"late_clock": None}
    assert law.resolved == {k: mpq(1, 2 ** (k + 1)) for k in range(len(law.resolved))}
    assert mpq(1, 2**200) < law.unresolved < mpq(1, 2**64)


def test_a_copy_does_not_call_a_sampler_as_it_is() -> None:
    declared = objects.calls_sampler, objects.rare_clock
    with pytest.raises(ExplorationError, match="two runs on the same draws differ"):
        found(lambda coins: objects.calls_sampler(coins), *declared)
    law = explore(lambda coins: objects.calls_sampler(coins) > 0, Budget(), samplers=Declared.of(declared))
    reasons = [use.reason or "" for use in law.uses]
    assert len(reasons) == 2
    assert all("reads the global time" in reason for reason in reasons)


def test_a_method_that_is_exchanged_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    original = objects.Wrapped.word

    def always_zero(self: Any, size: int) -> int:
        return int(self._source.uniform(1)) - 1

    def program(coins: Any) -> tuple[int, int]:
        objects.Wrapped.word = always_zero  # type: ignore[method-assign]
        first = objects.die(coins)
        objects.Wrapped.word = original  # type: ignore[method-assign]
        return first, objects.die(coins)

    monkeypatch.setattr(objects.Wrapped, "word", original)
    law = found(program, objects.die)
    if law.unresolved == 0:
        assert law.law() == Pmf({(1, face): 1 for face in range(1, 7)})
    assert set(taken(law).values()) == {None}
    assert {first for first, _ in law.resolved} == {1}


def test_a_constant_of_a_class_that_is_exchanged_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects.Wrapped, "most", 7)

    def program(coins: Any) -> tuple[int, int]:
        objects.Wrapped.most = 7
        first = objects.by_a_constant(coins)
        objects.Wrapped.most = 3
        return first, objects.by_a_constant(coins)

    law = found(program, objects.by_a_constant)
    assert law.law() == Pmf({(x, y): 1 for x in (7, 8) for y in (3, 4)})


def test_the_originals_are_left_as_they_are() -> None:
    before = vars(objects.Wrapped).copy(), objects.die.__code__, objects.die.__globals__["Wrapped"]
    found(lambda coins: objects.die(coins), objects.die)
    assert (vars(objects.Wrapped).copy(), objects.die.__code__, objects.die.__globals__["Wrapped"]) == before
    assert type(objects.SYSTEM) is random.SystemRandom
