"""Heads of loops at which the locals are the whole state: never under a `for`, where an iterator is on the stack."""

import dis
import platform
import runpy
import sys
from types import FunctionType, SimpleNamespace
from typing import Any, cast

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.engine.alone import loop_heads
from finitedp.proofs_check.engine.alone.loop_heads import live_at_heads
from finitedp.proofs_check.engine.alone.resumed import resumed
from tests.proofs_check.engine.alone import samplers
from tests.proofs_check.engine.alone.test_declared import found, needs_merging


def under_a_for(n: int) -> int:
    total = 0
    for i in range(n):
        while total < i:
            total += 1
    return total


def after_a_for(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    while total > 3:
        total -= 2
    return total + 0 * n


def with_a_handler(n: int) -> int:
    while n > 3:
        try:
            n -= 1
        except ValueError:
            n = 0
    return n


@needs_merging
def test_heads_have_an_empty_stack_and_no_handler() -> None:
    assert live_at_heads(under_a_for.__code__) == {}
    assert live_at_heads(with_a_handler.__code__) == {}
    assert list(live_at_heads(after_a_for.__code__).values()) == [("n", "total")]


@needs_merging
def test_a_function_goes_on_from_the_head_of_a_loop() -> None:
    (head,) = live_at_heads(after_a_for.__code__)
    function, shift = resumed(cast(FunctionType, after_a_for), head, {"n": 5, "total": 9})
    assert shift > 0
    assert function() == after_a_for(0) + 3
    unbound, _ = resumed(cast(FunctionType, after_a_for), head, {"total": 9})
    with pytest.raises(UnboundLocalError):
        unbound()


@pytest.mark.deep
@needs_merging
def test_a_loop_under_a_for_has_its_law() -> None:
    """Two geometric numbers, one after another: their sum s with probability (s + 1) / 2^(s + 2)."""
    law: Any = found(lambda coins: samplers.two_geometric(coins), samplers.two_geometric, bits=10)
    for s in range(4):
        low, high = law.bounds(s)
        assert low <= mpq(s + 1, 2 ** (s + 2)) <= high
    assert law.unresolved < mpq(1, 2**10)


def counts_steps(n: int, step: int) -> int:
    while n > 0:
        k = step
        while k > 0:
            k -= 1
            n -= 1
    return n


def without_an_end(n: int) -> int:
    best = 0
    while True:
        if n == best:
            return best
        best = best + 1


def steps_without_an_end(n: int, step: int) -> int:
    while True:
        if n < 0:
            return n
        k = step
        while k > 0:
            k -= 1
            n -= 1


def deletes_one(n: int, m: int) -> int:
    while n > 0:
        n -= 1
        del m
        m = n
    return n


@needs_merging
def test_what_is_read_after_the_next_round_begins_is_alive() -> None:
    """The inner loop of the first does not read `step`, and the code of the second ends with a jump backward."""
    assert set(live_at_heads(counts_steps.__code__).values()) == {("n", "step"), ("k", "n", "step")}
    assert list(live_at_heads(without_an_end.__code__).values()) == [("best", "n")]
    assert list(live_at_heads(deletes_one.__code__).values()) == [("m", "n")]


@needs_merging
def test_what_is_alive_where_code_ends_with_a_jump_backward() -> None:
    """The inner loop does not read `step`, which the next round of the outer one does."""
    assert set(live_at_heads(steps_without_an_end.__code__).values()) == {("n", "step"), ("k", "n", "step")}


@pytest.mark.parametrize(("name", "version"), [("pypy", (3, 11, 4)), ("cpython", (3, 12, 1)), ("cpython", (3, 10, 9))])
def test_other_pythons_are_not_followed(name: str, version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name=name, cache_tag=None))
    monkeypatch.setattr(sys, "version_info", version)
    assert runpy.run_path(loop_heads.__file__)["FOLLOWED"] is False


def test_this_python_is_followed_if_it_is_the_one_that_was_looked_at() -> None:
    assert loop_heads.FOLLOWED is (
        platform.python_version_tuple()[:2] == ("3", "11") and platform.python_implementation() == "CPython"
    )


@needs_merging
def test_an_instruction_that_is_reached_at_two_depths_has_none() -> None:
    """Such code the compiler never makes: of two ways to it one has a value more on the stack."""
    names = ["RESUME", "LOAD_CONST", "POP_JUMP_FORWARD_IF_TRUE", "LOAD_CONST", "NOP", "NOP", "RETURN_VALUE"]
    content = bytes(x for name in names for x in (dis.opmap[name], 1 if name == "POP_JUMP_FORWARD_IF_TRUE" else 0))
    steps = list(dis.get_instructions(counts_steps.__code__.replace(co_code=content)))
    assert loop_heads._depths(steps) == {0: 0, 2: 0, 4: 1, 6: 0, 8: None, 10: None, 12: None}
