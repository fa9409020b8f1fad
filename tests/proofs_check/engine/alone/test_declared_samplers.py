"""Declared samplers: exact laws of loops, how they are drawn, and everything that must not be taken alone."""

import pickle
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast
from unittest.mock import ANY

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ExplorationError, ParameterError
from finitedp.impl.randomness.coins import ExactCoins
from finitedp.proofs_check.engine import explorer
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.alone.derivations import SamplerLaw
from finitedp.proofs_check.engine.alone.keys import NotPlainError, Tokens
from finitedp.proofs_check.engine.explorer import Budget, Exploration, SamplerUse, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import samplers
from tests.proofs_check.engine.plain_explorer import plain_law
from tests.sampling import sampled


def found(program: Callable[[Any], Any], *declared: Callable[..., Any], bits: int | None = 64) -> Exploration[Any]:
    return explore(program, Budget(bits=bits), replay_all=True, joint=True, samplers=Declared.of(declared))


def taken(exploration: Exploration[Any]) -> dict[str, str | None]:
    """Why each sampler was taken inline; None where it was alone."""
    return {use.name.partition(":")[2]: None if use.alone else use.reason for use in exploration.uses}


# Laws


def test_a_geometric_loop_has_its_law_at_every_value() -> None:
    law = found(lambda coins: samplers.geometric(StandIn(coins)), samplers.geometric)
    assert law.resolved == {k: mpq(1, 2 ** (k + 1)) for k in range(len(law.resolved))}
    assert mpq(1, 2**90) < law.unresolved == mpq(1, 2 ** len(law.resolved)) < mpq(1, 2**79)
    assert taken(law) == {"geometric": None}
    assert not law.cost_seen
    assert not law.same_cost


@pytest.mark.deep
@pytest.mark.parametrize("bits", sampled([64, None], 1))
def test_a_loop_with_finitely_many_states_is_exact(bits: int | None) -> None:
    assert found(lambda coins: samplers.third(coins), samplers.third, bits=bits).law() == Pmf({True: 1, False: 2})
    for here in (1, 4):
        walk = found(lambda coins, here=here: samplers.ruin(coins, here, 6), samplers.ruin, bits=bits)  # type: ignore[misc]
        assert walk.law() == Pmf({True: here, False: 6 - here})


def test_a_draw_that_a_loop_carries_on_is_decided() -> None:
    law = found(lambda coins: samplers.largest(coins), samplers.largest).law()
    assert law == Pmf({v: v**3 - (v - 1) ** 3 for v in range(1, 6)})


def test_exponentials_by_alternating_series() -> None:
    """The resolved masses lie within what is open of e^-x, whose partial sums enclose it."""
    for x in (Fraction(1, 3), Fraction(1), Fraction(7, 2)):

        def program(coins: Any, x: Fraction = x) -> bool:
            return samplers.bernoulli_exp(coins, x)

        law = found(program, samplers.bernoulli_exp, samplers.bernoulli_exp1)
        below, above = _exp_bounds(x)
        low, high = law.bounds(True)
        assert low <= above
        assert below <= high
        assert law.unresolved < mpq(1, 2**70)
        assert low + law.bounds(False)[0] + law.unresolved == 1


def _exp_bounds(x: Fraction) -> tuple[mpq, mpq]:
    term, total, sums = mpq(1), mpq(1), []
    for i in range(1, 80):
        term *= -mpq(x) / i
        total += term
        sums.append(total)
    return min(sums[-2:]), max(sums[-2:])


@pytest.mark.deep
def test_a_sampler_draws_from_another() -> None:
    """The discrete Laplace law: ratios of neighbouring outputs are e^(-1/2), and it is symmetric exactly."""
    declared = samplers.bernoulli_exp, samplers.bernoulli_exp1, samplers.discrete_laplace
    law = found(lambda coins: samplers.discrete_laplace(coins, 2), *declared)
    assert all(law.resolved[x] == law.resolved[-x] for x in law.resolved)
    below, above = _exp_bounds(Fraction(1, 2))
    for x in range(8):
        (low, high), (low_next, high_next) = law.bounds(x), law.bounds(x + 1)
        assert low_next / high <= above
        assert below <= high_next / low
    assert law.unresolved < mpq(1, 2**66)
    assert set(taken(law).values()) == {None}


def test_a_noisy_maximum_of_declared_noise_has_few_paths() -> None:
    def noisy_max(coins: Any) -> int:
        noisy = [count + samplers.geometric(StandIn(coins)) for count in (2, 0)]
        return int(noisy[1] > noisy[0])

    law = found(noisy_max, samplers.geometric)
    assert law.leaves == 2
    second = sum(mpq(1, 2 ** (k + 1)) * mpq(1, 2 ** (k + 3)) for k in range(200))  # noise k, beaten by k + 3 or more
    low, high = law.bounds(1)
    assert low <= second <= high
    assert law.unresolved < mpq(1, 2**78)


def test_outputs_of_other_kinds_fork_at_once() -> None:
    program = lambda coins: (samplers.pairs(coins), samplers.stepping(coins) > 4)  # noqa: E731
    law = found(program, samplers.pairs, samplers.stepping)
    assert law.resolved == plain_law(program)
    assert law.leaves == 4
    assert taken(law) == {"pairs": None, "stepping": None}
    assert found(samplers.stepping, samplers.stepping).law() == Pmf({0: 2, 5: 1, 7: 1})


USE = SamplerUse("tests.proofs_check.engine.alone.samplers:ruin", alone=True)


def test_one_law_for_all_calls_with_equal_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    original = samplers.ruin.__code__
    declared = Declared.of([samplers.ruin])
    search = vars(explorer)["search"]

    def counted(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        return search(*arguments, **named)

    monkeypatch.setattr(explorer, "search", counted)
    assert declared.inline_runs == 0
    for _ in range(3):
        assert explore(lambda coins: samplers.ruin(coins, 1, 3), Budget(), samplers=declared).law()[True] == mpq(1, 3)
        assert explore(lambda coins: samplers.ruin(coins, 2, 3), Budget(), samplers=declared).uses == (USE,)
    assert len(calls) == 12  # the program, and the check inline; the sampler's own explorations are not among them
    assert samplers.ruin.__code__ is original


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0.0, -0.0), (0, False), (Fraction(1), 1), ((1,), (True,)), (mpq(1), 1), (None, 0)]
)
def test_arguments_of_other_types_have_other_laws(one: Any, other: Any) -> None:
    declared = Declared.of([samplers.same_type])
    for x in (one, other):
        law = explore(lambda coins, x=x: str(samplers.same_type(coins, x)), Budget(), samplers=declared)  # type: ignore[misc]
        assert law.law() == Pmf({f"({x!r}, True)": 1, f"({x!r}, False)": 1})
        assert taken(law) == {"same_type": None}


def test_lazy_arguments_are_decided_inside_fractions_too() -> None:
    def program(coins: Any) -> str:
        u = coins.uniform(3)
        return f"{samplers.same_type(coins, Fraction(1, 2) + u)} {samplers.same_type(coins, (u, 1))}"

    law = found(program, samplers.same_type)
    assert law.resolved == plain_law(program)
    assert taken(law) == {"same_type": None}


def test_a_constant_that_the_mechanism_changes_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(coins: Any) -> tuple[int, int]:
        samplers.SHOWN = 3
        first = samplers.shown(coins)
        samplers.SHOWN = 2
        return first, samplers.shown(coins)

    monkeypatch.setattr(samplers, "SHOWN", 3)
    law = found(program, samplers.shown)
    assert law.resolved == plain_law(program)
    assert taken(law) == {"shown": None}


# What is not taken alone


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("appends", "reads the global log, a list"),
        ("inserts_by_another_name", "reads the global log, a list"),
        ("sets_an_item", "sets or deletes an item"),
        ("sets_a_global", "sets the global SET"),
        ("sets_an_attribute", "deletes the attribute"),
        ("adds_to_an_alias", "reads the global log, a list"),
        ("has_a_mutable_default", "has a list as a default"),
        ("calls_a_helper_with_state", r"counts_calls\(\) reads the global log, a list"),
        ("reads_the_clock", r"\(Import\)"),
        ("looks_at_its_locals", "reads the global locals"),
        ("hides_an_iterator", "reads the global (iter|next)"),
        ("handles_exceptions", "taken alone it raises ZeroDivisionError"),
        ("returns_a_list", "it returns a list"),
    ],
)
def test_what_might_keep_something_is_run_inline(name: str, reason: str) -> None:
    sampler = getattr(samplers, name)
    program = lambda coins: str(getattr(samplers, name)(coins))  # noqa: E731
    law = found(program, sampler)
    assert re.search(reason, taken(law)[name] or "")
    assert law.resolved == explore(program, Budget()).resolved
    assert law.cost_seen


def test_what_is_named_and_is_no_function_is_refused_by_its_name() -> None:
    for sampler, name in (("math:pi", "math:pi"), (3, "int"), (dict, "dict")):
        with pytest.raises(ParameterError, match=f"the sampler '{name}' is no function that its module names"):
            Declared.of([sampler])  # type: ignore[list-item]


def test_a_name_of_what_is_equal_to_a_function_is_not_its_name() -> None:
    space: dict[str, Any] = {}
    exec("def f(coins): return 0", space)  # noqa: S102
    function, space["f"] = space["f"], ANY
    with pytest.raises(ParameterError, match="the sampler 'f' is no function that its module names"):
        Declared.of([function])


def test_a_generator_and_a_closure_are_run_inline() -> None:
    assert "generator" in (taken(found(lambda coins: next(samplers.generates(coins)), samplers.generates))["generates"] or "")
    (reason,) = taken(found(lambda coins: samplers.closure(coins), samplers.closure)).values()
    assert "has a closure" in (reason or "")
    with pytest.raises(ParameterError, match="no function that its module names"):
        Declared.of([samplers.made_with_a_closure()])


def test_a_sampler_that_raises_raises_inline() -> None:
    with pytest.raises(ValueError, match="one"):
        found(samplers_raises, samplers.raises)


def samplers_raises(coins: Any) -> int:
    return samplers.raises(coins)


@pytest.mark.deep
def test_a_sampler_that_calls_itself_is_known_by_its_paths() -> None:
    law = found(lambda coins: samplers.calls_itself(coins) > 0, samplers.calls_itself)
    assert law.bounds(True)[0] <= mpq(1, 2) <= law.bounds(True)[1]
    assert law.unresolved < mpq(1, 2**60)


def test_other_coins_are_drawn_from_inline() -> None:
    law = found(lambda coins: samplers.pairs(ExactCoins(coins.bits)), samplers.pairs)
    assert taken(law) == {"pairs": "it is given a ExactCoins"}
    assert law.bounds((True, None))[0] <= mpq(1, 3)


def test_a_draw_of_many_values_is_an_argument_inline() -> None:
    law = found(lambda coins: samplers.ruin(coins, coins.uniform(2**40), 1), samplers.ruin)
    assert "that can still take 1099511627776 values" in (taken(law)["ruin"] or "")


def test_how_many_values_a_draw_may_have_that_is_an_argument() -> None:
    coins = LazyCoins(None, lambda _decision: None, Rules(), 0, None)
    few, many = cast(Any, coins.uniform(4_096)) + 10**6, coins.uniform(4_097)
    key: Any = Tokens(coins, ()).key(few)
    assert key == ("int", few)
    with pytest.raises(NotPlainError, match=r"^a draw that can still take 4097 values$"):
        Tokens(coins, ()).key(many)
    endless: Any = coins.endless(mpq(1, 3), mpq(1))
    assert Tokens(coins, ()).key(endless) == ("int", 0)


def test_a_sampler_that_is_not_called_is_told() -> None:
    assert taken(found(lambda coins: coins.uniform(2), samplers.pairs)) == {"pairs": "it was never called through its module"}


def test_without_an_exploration_a_sampler_is_itself() -> None:
    before = samplers.geometric
    found(lambda coins: samplers.pairs(coins), samplers.pairs)
    assert samplers.geometric is before
    with Declared.of([samplers.pairs]).in_place():
        assert samplers.pairs(ExactCoins()) in {(True, None), (False, None)}


@pytest.mark.deep
def test_under_a_debugger_loops_are_merged() -> None:
    sys.settrace(lambda *_: None)
    try:
        law = found(lambda coins: samplers.third(coins), samplers.third)
    finally:
        sys.settrace(None)
    assert taken(law) == {"third": None}
    assert law.law() == Pmf({True: 1, False: 2})


def test_a_law_that_is_wrong_is_found_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a sampler taken alone that does keep something, or were its law wrong, the program's own paths would differ."""
    declared = Declared.of([samplers.pairs])
    explore(lambda coins: samplers.pairs(coins), Budget(), samplers=declared)
    wrapper = next(iter(declared._wrappers.values()))
    key = next(iter(wrapper._laws))
    wrapper._laws[key] = SamplerLaw.of({("tuple", ("bool", True), ("NoneType", None)): mpq(1)}, 80)
    with pytest.raises(ExplorationError, match="has another probability than inline"):
        explore(lambda coins: samplers.pairs(coins), Budget(), samplers=declared)


@pytest.mark.parametrize("name", ["nothing", "tests.no_such_module:f", "math:sqrt", "math:no_such_function", ":f", "math:"])
def test_what_is_no_sampler_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="the sampler"):
        Declared.of([name])


def test_samplers_are_declared_by_name_and_sent_to_workers() -> None:
    declared = Declared.of(["tests.proofs_check.engine.alone.samplers:third"])
    assert declared.functions == (samplers.third,)
    sent = pickle.loads(pickle.dumps(declared))  # noqa: S301  # made here
    assert sent.functions == (samplers.third,)


def test_an_output_that_only_the_run_inline_has_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though each output that both have could still have the mass that the run inline leaves open."""
    law = explore(lambda coins: "BC"[int(coins.uniform(2)) - 1])
    inline = evolve(law, resolved={"A": mpq(3, 10), "B": mpq(1, 5), "C": mpq(1, 5)}, unresolved=mpq(3, 10))
    monkeypatch.setattr(explorer, "search", lambda *_arguments, **_named: inline)
    with pytest.raises(ExplorationError, match="the output 'A' has another probability than inline"):
        explorer._checked_inline(lambda _coins: "A", Budget(), False, law, Declared.of(()), None)
    inline = evolve(inline, resolved={"B": mpq(1, 5), "C": mpq(1, 2)})
    explorer._checked_inline(lambda _coins: "A", Budget(), False, law, Declared.of(()), None)
