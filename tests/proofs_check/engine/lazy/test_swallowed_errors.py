"""Errors that C code raises beside a draw and not beside an int: code that handles them is refused, or has its law."""

import asyncio
import contextlib
import copy
import datetime
import functools
import json
import marshal
import math
import operator
import statistics
import struct
import sys
import threading
import types
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq, mpz

from finitedp.claim import PrivacyClaim
from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.engine.explorer import Budget, explore

TOLD = "the code tells a draw from an int"
ASKS_NOTHING: dict[str, Callable[[Any], Any]] = {
    "Decimal": Decimal,
    **({} if sys.version_info >= (3, 14) else {"pow": lambda u: pow(3, u, 7)}),  # later ones ask the draw
    "ldexp": lambda u: math.ldexp(1.0, u),
    "mean": lambda u: statistics.mean([u, 1]),
    "dumps": json.dumps,
    "add": lambda u: np.add(1, u),
    "bit": lambda u: operator.getitem(mpz(5), u),  # type: ignore[call-overload]
    "timedelta": datetime.timedelta,
    "times": lambda u: datetime.timedelta(1) * u,
    "marshal": marshal.dumps,
}


def handling(does: Callable[[Any], Any]) -> Callable[[Any], str]:
    def program(coins: Any) -> str:
        u = coins.uniform(6)
        try:
            does(u)
        except Exception as error:  # as people write it
            return type(error).__name__
        return "as an int"

    return program


@pytest.mark.parametrize("replay_all", [False, True])
@pytest.mark.parametrize("name", ASKS_NOTHING)
def test_what_c_code_raises_beside_a_draw_alone_is_not_handled(name: str, replay_all: bool) -> None:
    does = ASKS_NOTHING[name]
    for u in range(1, 7):
        with contextlib.suppress(IndexError):  # a bit beyond the last one
            does(u)
    with pytest.raises(ExplorationError, match=TOLD):
        explore(handling(does), replay_all=replay_all)
    assert set(explore(handling(lambda u: does(int(u)))).resolved) <= {"as an int", "IndexError"}


AS_AN_INT: dict[str, Callable[[Any], Any]] = {
    "a key": lambda u: {1: 2}[u],
    "an index": lambda u: [0, 1, 2][u],
    "no number": lambda u: u + int("x"),
    "by zero": lambda u: 1 // (u - 2),
    "a place": lambda u: [1, 2].index(u),
    "no attribute": lambda u: u.nothing,
    "beside a text": lambda u: u + "a",
    "after a text": lambda u: "a" + u,
    "in a format": lambda u: operator.mod("a", u),
    "a shift": lambda u: 1 << (u - 3),
    "a call": lambda u: operator.index(int(u)),
    "a length": len,
    "each of it": list,
    "a part of it": lambda u: u[0],
    "as a function": lambda u: u(),
    "as arguments": lambda u: max(*u),
    "in a text": lambda u: u in "abc",
    "joined": lambda u: "".join([u]),
    "no key": lambda u: {u: 1}[[u]],
    "no class": lambda u: issubclass(u, int),
    "of none": lambda _u: int(None),  # type: ignore[call-overload]
    "beside none": lambda _u: operator.add(1.5, None),
    "a root": lambda u: math.isqrt(u - 3),
    "choices": lambda u: math.comb(u - 3, 1),
    "of two lengths": lambda u: list(zip([1], range(u), strict=True)),
    "a byte": lambda u: struct.pack("b", u + 124),
    "numpy's kinds": lambda u: [np.median([1, 2]), np.histogram([1, 2]), np.issubdtype(np.ones(1).dtype, np.integer), {}[u]],
    "a copied set": lambda u: copy.deepcopy([{1}, u])[u],
    "an integer by zero": lambda u: divmod(5, int(u) - 2),
    "an error of Python code": lambda u: _refusing("the type of an argument is no number"),
    "an error without a text": lambda u: _refusing(7),
}


@pytest.mark.parametrize("name", AS_AN_INT)
def test_what_an_int_raises_is_handled_as_it_is(name: str) -> None:
    expected: dict[str, mpq] = {}
    for u in range(1, 7):
        output = handling(AS_AN_INT[name])(Fixed(u))
        expected[output] = expected.get(output, mpq(0)) + mpq(1, 6)
    assert explore(handling(AS_AN_INT[name])).resolved == expected


OF_OTHERS: dict[str, Callable[[Any], Any]] = {
    "a hash": lambda u: hash([u]),
    "a class": lambda u: issubclass(u < 3, int),
    "a call": lambda u: handling(u, 1),  # type: ignore[call-arg]
    "its names": lambda u: handling(nothing=u),  # type: ignore[call-arg]
    "an operator": lambda u: object() + object(),  # type: ignore[operator]
    "an order": lambda u: object() < object(),  # type: ignore[operator]
    "iteration": lambda u: list(u),
    "a length": lambda u: len(u),
    "an item": lambda u: u[0],
    "unpacking": lambda u: [*u],
}


@pytest.mark.parametrize("name", OF_OTHERS)
def test_errors_about_other_things_are_handled_as_they_are(name: str) -> None:
    """Libraries ask in this way what they are given: hash(x) and except TypeError."""
    with pytest.raises(TypeError):
        OF_OTHERS[name](1)
    assert explore(handling(OF_OTHERS[name])).resolved == {"TypeError": mpq(1)}


def _refusing(what: Any) -> None:
    raise ValueError(what)


class Fixed:
    """Coins that draw one int."""

    def __init__(self, value: int) -> None:
        self.uniform = lambda _d: value


LEFT = """
def left(coins):
    try:
        return int(Decimal(coins.uniform(6)))
    finally:
        return 0
"""


def test_whatever_handles_it_is_seen() -> None:
    def suppressed(coins: Any) -> int:
        with contextlib.suppress(TypeError):
            return int(Decimal(coins.uniform(6)))
        return 0

    def raised_as_another(coins: Any) -> int:
        try:
            try:
                return int(Decimal(coins.uniform(6)))
            except TypeError as error:
                raise KeyError from error
        except KeyError:
            return 0

    space: dict[str, Any] = {"Decimal": Decimal}
    with warnings.catch_warnings(action="ignore", category=SyntaxWarning):  # of Python from 3.14 on
        exec(LEFT, space)  # noqa: S102
    assert explore(space["left"]).resolved == {0: mpq(1)}  # as with ints
    for program in (suppressed, raised_as_another, lambda coins: sum(map(_swallowing, [coins.uniform(6)]))):
        with pytest.raises(ExplorationError, match=TOLD):
            explore(program)


def _swallowing(u: Any) -> int:
    try:
        return int(Decimal(u))
    except TypeError:
        return 0


@pytest.mark.parametrize("draws_there", [False, True])
def test_handlers_in_other_threads_are_seen(draws_there: bool) -> None:
    def program(coins: Any) -> int:
        found = []
        u = None if draws_there else coins.uniform(6)
        thread = threading.Thread(target=lambda: found.append(_swallowing(u or coins.uniform(6))))
        thread.start()
        thread.join()
        return found[0]

    with pytest.raises(ExplorationError, match=TOLD):
        explore(program)


def test_handlers_of_asyncio_are_seen() -> None:
    """Its tasks are C code, which keeps what a coroutine raises, so that the coroutine needs no handler."""

    async def raising(coins: Any) -> int:
        return int(Decimal(coins.uniform(6)))

    async def both(coins: Any) -> Any:
        return await asyncio.gather(raising(coins), return_exceptions=True)

    with pytest.raises(ExplorationError, match=TOLD):
        explore(lambda coins: isinstance(asyncio.run(both(coins))[0], int))

    @types.coroutine
    def older(coins: Any) -> Any:
        yield from asyncio.sleep(0).__await__()
        return int(Decimal(coins.uniform(6)))

    async def of_older(coins: Any) -> Any:
        return await asyncio.gather(older(coins), return_exceptions=True)

    with pytest.raises(ExplorationError, match=TOLD):
        explore(lambda coins: isinstance(asyncio.run(of_older(coins))[0], int))

    async def drawing(coins: Any) -> int:
        await asyncio.sleep(0)
        return int(coins.uniform(2))

    async def gathering(coins: Any) -> int:
        (found,) = await asyncio.gather(drawing(coins))  # ends by a StopIteration that has no traceback
        return int(found)

    for code in (drawing, gathering):
        assert explore(functools.partial(_run, code)).resolved == {1: mpq(1, 2), 2: mpq(1, 2)}


def _run(code: Callable[[Any], Any], coins: Any) -> Any:
    return asyncio.run(code(coins))


def test_a_handler_on_a_rare_branch_is_seen_before_it_is_run() -> None:
    def program(coins: Any) -> int:
        return _swallowing(coins.uniform(3)) if coins.uniform(1000) == 7 else 0

    with pytest.raises(ExplorationError, match=TOLD):
        explore(program)


class Rounds:
    def round(self, u: Any) -> int:
        return _swallowing(u)

    def __call__(self, count: int, coins: Any) -> int:
        return count + (self.round(coins.uniform(2)) if coins.uniform(100) == 5 else 0)


def test_handlers_of_methods_are_reached() -> None:
    with pytest.raises(ExplorationError, match=f"at the input 0: .*{TOLD}"):
        audit(Rounds(), PrivacyClaim(1, "counts"), n=1)


def test_what_is_no_error_is_handled_as_it_is() -> None:
    def program(coins: Any) -> bool:
        coins.uniform(2)
        try:
            sys.exit("no number")
        except SystemExit:
            return True

    assert explore(program).resolved == {True: 1}


FOUND: list[Callable[[Any], int]] = [_swallowing]


def test_handlers_that_no_name_reaches_are_met_when_they_are_run() -> None:
    program = hiding("FOUND")
    with pytest.raises(ExplorationError, match=TOLD):
        explore(program, replay_all=True)


def hiding(name: str) -> Callable[[Any], int]:
    def program(coins: Any) -> int:
        u, v = coins.uniform(8), coins.uniform(4)
        if u < 3:
            function: Callable[[Any], int] = vars(sys.modules[__name__])[name][0]
            return function(v) if v < 4 else 0
        return 1 if u < 5 else 2

    return program


def test_what_c_code_swallows_in_methods_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """list(x) asks x for its length, and goes on where this raises a TypeError; nothing comes of what __del__ raises."""
    monkeypatch.setattr(sys, "unraisablehook", lambda _error: None)
    seen: list[int] = []

    class Sized:
        def __init__(self, u: Any) -> None:
            self.u = u

        def __len__(self) -> int:
            seen.append(int(Decimal(self.u)))
            return 1

        def __iter__(self) -> Any:
            return iter([1])

    class Ending:
        def __init__(self, u: Any) -> None:
            self.u = u

        def __del__(self) -> None:
            seen.append(int(Decimal(self.u)))

    def listing(coins: Any) -> int:
        seen.clear()
        list(Sized(coins.uniform(6)))
        return len(seen)

    def ending(coins: Any) -> int:
        seen.clear()
        Ending(coins.uniform(6))
        return len(seen)

    for program in (listing, ending):
        with pytest.raises(ExplorationError, match=TOLD):
            explore(program)


def test_what_numpy_makes_of_the_type_of_a_draw_is_refused() -> None:
    """iinfo handles that a draw is no data type, as an int is none, and goes on with its type."""
    with pytest.raises(ExplorationError, match=TOLD):
        explore(handling(np.iinfo))


def test_handlers_of_contextlib_are_seen() -> None:
    """In an ExitStack one callback raises what another one suppresses, without a handler of explored code."""

    def program(coins: Any) -> int:
        u, found = coins.uniform(6), list[Any]()
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(TypeError))
            stack.callback(lambda: found.append(Decimal(u)))
        return len(found)

    class Quiet(contextlib.ContextDecorator):
        def __enter__(self) -> None:
            pass

        def __exit__(self, *_error: object) -> bool:
            return True

    decorated = Quiet()(lambda coins: int(Decimal(coins.uniform(6))))
    for code in (program, decorated):
        with pytest.raises(ExplorationError, match=TOLD):
            explore(code)


def test_before_the_first_draw_nothing_can_be_wrong() -> None:
    def program(coins: Any) -> int:
        try:
            Decimal({})  # type: ignore[arg-type]
        except TypeError:
            return int(coins.uniform(2))
        return 0

    assert explore(program).resolved == {1: mpq(1, 2), 2: mpq(1, 2)}


def test_an_error_that_ends_the_run_is_not_handled() -> None:
    def program(coins: Any) -> int:
        try:
            return int(Decimal(coins.uniform(6)))
        finally:
            pass

    with pytest.raises(ExplorationError, match=r"in program, .*: what takes Python's own numbers alone"):
        explore(program)


def test_handlers_do_not_hide_a_trial_with_state() -> None:
    calls: list[int] = []

    def tired(coins: Any) -> bool:
        try:
            calls.append(1)
            return bool(coins.uniform(2) == 1) and len(calls) < 9
        except KeyError:
            return False

    with pytest.raises(ExplorationError, match="does not repeat itself"):
        explore(lambda coins: getattr(coins, "count_while")(tired), Budget(), replay_all=True, joint=True)  # noqa: B009
