"""Errors that C code raises beside a draw where it would not beside an int: never handled without a word."""

import asyncio
import contextlib
import copy
import datetime
import functools
import heapq
import importlib
import json
import marshal
import math
import operator
import random
import statistics
import struct
import sys
import sysconfig
import threading
import types
import typing
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq, mpz

from finitedp.claim import PrivacyClaim
from finitedp.errors import ExplorationError
from finitedp.exact import sign_of
from finitedp.impl.histograms import stability
from finitedp.impl.histograms.blanket.histogram import BlanketHistogram
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.engine import handled_errors
from finitedp.proofs_check.engine.alone.declared import Declared
from finitedp.proofs_check.engine.alone.loop_heads import FOLLOWED
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.handled_errors import HandlerWatch, not_watched, reaches_handlers
from finitedp.proofs_check.engine.lazy.coins import LazyCoins, Rules
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from tests.proofs_check.engine.alone import samplers

ASKS_NOTHING: dict[str, Callable[[Any], Any]] = {
    "Decimal": Decimal,
    "pow": lambda u: pow(3, u, 7),
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
    with pytest.raises(ExplorationError, match=r"is handled, after a draw.*accepted: int\(draw\) there"):
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


def test_handlers_of_errors_that_say_nothing_of_kinds_are_not_looked_at() -> None:
    def keys(coins: Any) -> int:
        u = coins.uniform(2)
        try:
            return {1: 1}[u]
        except KeyError:
            return 0
        except ZeroDivisionError:
            return 2

    def both(coins: Any) -> int:
        try:
            return {1: 1}[coins.uniform(2)]
        except (KeyError, TypeError):
            return 0

    def cleaning(coins: Any) -> int:
        try:
            return {1: 1}[coins.uniform(2)]
        except KeyError:
            return 0
        finally:
            coins.bits(1)

    assert not reaches_handlers(keys)
    assert not reaches_handlers(random.Random.randrange)
    assert [reaches_handlers(program) for program in (both, cleaning)] == [True, True]
    assert explore(keys).resolved == explore(both).resolved == {0: mpq(1, 2), 1: mpq(1, 2)}


def test_a_handler_beside_handlers_that_say_nothing_of_kinds_is_looked_at() -> None:
    """Two handlers of one block make up for none of another one, as a count of both would have it."""

    def program(coins: Any) -> str:
        u, found = coins.uniform(6), "an error"
        try:
            found = {1: found}[1]
        except KeyError:
            return "no key"
        except ZeroDivisionError:
            return "by zero"
        try:
            Decimal(u)
            found = "as an int"
        finally:
            str(found)
            return found  # noqa: B012  # what is refused

    assert reaches_handlers(program)
    with pytest.raises(ExplorationError, match=r"conversion from LazyInt.* is handled"):
        explore(program)


def test_a_handler_of_all_behind_one_that_says_nothing_of_kinds_is_looked_at() -> None:
    def program(coins: Any) -> int:
        u = coins.uniform(6)
        try:
            return int(Decimal(u))
        except KeyError:
            return -1
        except:  # noqa: E722  # what is refused
            return 0

    with pytest.raises(ExplorationError, match=r"conversion from LazyInt.* is handled"):
        explore(program)


def test_which_handlers_are_told_from_each_other() -> None:
    def one(u: Any) -> Any:
        try:
            return 1 // u
        except ZeroDivisionError as error:
            return error

    def of_a_module(u: Any) -> Any:
        try:
            return 1 // u
        except json.JSONDecodeError:
            return 0

    def kept(u: Any) -> Any:
        with contextlib.nullcontext():
            return 1 // u

    def some_then_all(u: Any) -> Any:
        try:
            return 1 // u
        except KeyError:
            return 0
        except:  # noqa: E722
            return 1

    def all_in_a_part(u: Any) -> Any:
        try:
            return 1 // u
        except KeyError:
            return 0
        except ZeroDivisionError:
            try:
                return u + Decimal(u)
            except:  # noqa: E722
                return 1

    def again(u: Any) -> Any:
        try:
            return 1 // u
        except KeyError:
            return 0
        except OSError:
            return 1
        finally:
            u.nothing  # noqa: B018

    def by_another_name(u: Any, error: Any = KeyError) -> Any:
        try:
            return 1 // u
        except error:
            return 0

    def none(u: Any) -> Any:
        return 1 // u

    looked = [reaches_handlers(function) for function in (one, none)]
    assert looked == [False, False]
    for function in (of_a_module, kept, some_then_all, all_in_a_part, again, by_another_name):
        assert reaches_handlers(function), function


def test_a_table_of_handlers_without_any_that_is_understood_is_looked_at() -> None:
    """As versions of Python after 3.11 make them, for what a generator does where it ends."""
    code = without_a_handler.__code__
    assert not handled_errors._handles_kinds(code)
    table = with_a_handler.__code__.co_exceptiontable
    assert handled_errors._handles_kinds(code.replace(co_exceptiontable=table, co_name="other"))


def without_a_handler(u: Any) -> Any:
    return u + 1


def with_a_handler(u: Any) -> Any:
    try:
        return u + 1
    except KeyError:
        return 0


def known() -> list[Any]:
    """The functions of which it is known that they handle what an int raises as well, or raise it again."""
    numpy_sets = importlib.import_module("numpy.lib._arraysetops_impl")
    numpy_types = importlib.import_module("numpy._core.numerictypes")
    cached = [typing._tp_cache(len), typing._BaseGenericAlias.__call__]  # type: ignore[attr-defined]
    own = [sign_of, stability._in_order, BlanketHistogram.release]
    found = [random.Random.randrange, heapq.nlargest, heapq.nsmallest, functools.cached_property.__get__, *cached]
    return [*found, numpy_types.issubclass_, numpy_sets.unique._implementation, *own]


@pytest.mark.parametrize("function", known(), ids=lambda function: str(function.__qualname__))
def test_known_functions_are_not_looked_at_and_their_namesakes_are(function: Any) -> None:
    code, handles = function.__code__, handled_errors._handles_kinds.__wrapped__  # the cache takes copies for the same
    assert (Path(code.co_filename).name, code.co_qualname) in handled_errors._KNOWN
    assert not handles(code)
    named_alike = code.replace(co_filename=f"/home/user/{Path(code.co_filename).name}")
    assert handles(named_alike) == bool(code.co_exceptiontable)  # other versions of Python may have it without a handler


def _refusing(what: Any) -> None:
    raise ValueError(what)


class Fixed:
    """Coins that draw one int."""

    def __init__(self, value: int) -> None:
        self.uniform = lambda _d: value


def test_an_attribute_of_numbers_that_a_draw_lacks_is_refused() -> None:
    """A lazy float lacks hex, which a float has."""
    with pytest.raises(ExplorationError, match=r"has no attribute 'hex'.* is handled, after a draw"):
        explore(handling(lambda u: u.hex))


def test_whatever_handles_it_is_seen() -> None:
    def suppressed(coins: Any) -> int:
        with contextlib.suppress(TypeError):
            return int(Decimal(coins.uniform(6)))
        return 0

    def left(coins: Any) -> int:
        try:
            return int(Decimal(coins.uniform(6)))
        finally:
            return 0  # noqa: B012, SIM107  # what is refused

    def raised_as_another(coins: Any) -> int:
        try:
            try:
                return int(Decimal(coins.uniform(6)))
            except TypeError as error:
                raise KeyError from error
        except KeyError:
            return 0

    for program in (suppressed, left, raised_as_another, lambda coins: sum(map(_swallowing, [coins.uniform(6)]))):
        with pytest.raises(ExplorationError, match="conversion from LazyInt to Decimal is not supported' is handled"):
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

    before = threading.gettrace()
    with pytest.raises(ExplorationError, match=r"in _swallowing.* is handled"):
        explore(program)
    assert threading.gettrace() is before


def test_handlers_of_asyncio_are_seen() -> None:
    """Its tasks are C code, which keeps what a coroutine raises, so that the coroutine needs no handler."""

    async def raising(coins: Any) -> int:
        return int(Decimal(coins.uniform(6)))

    async def both(coins: Any) -> Any:
        return await asyncio.gather(raising(coins), return_exceptions=True)

    with pytest.raises(ExplorationError, match=r"in raising.* is handled"):
        explore(lambda coins: isinstance(asyncio.run(both(coins))[0], int))

    @types.coroutine
    def older(coins: Any) -> Any:
        yield from asyncio.sleep(0).__await__()
        return int(Decimal(coins.uniform(6)))

    async def of_older(coins: Any) -> Any:
        return await asyncio.gather(older(coins), return_exceptions=True)

    with pytest.raises(ExplorationError, match=r"in older.* is handled"):
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

    assert reaches_handlers(program)
    assert not reaches_handlers(ASKS_NOTHING["pow"])
    with pytest.raises(ExplorationError, match="is handled"):
        explore(program)


class Rounds:
    def round(self, u: Any) -> int:
        return _swallowing(u)

    def __call__(self, count: int, coins: Any) -> int:
        return count + (self.round(coins.uniform(2)) if coins.uniform(100) == 5 else 0)


def test_handlers_of_methods_are_reached() -> None:
    assert reaches_handlers(Rounds())
    assert reaches_handlers(Rounds().round)
    with pytest.raises(ExplorationError, match=r"at the input 0: in _swallowing.*is handled"):
        audit(Rounds(), PrivacyClaim(1, "counts"), n=1)


@pytest.mark.parametrize(("depth", "reached"), [(1_999, True), (2_000, False)])
def test_how_far_handlers_are_looked_for(depth: int, reached: bool) -> None:
    held: Any = _swallowing
    for _ in range(depth):
        held = [held]
    assert reaches_handlers(held) == reached


def test_what_is_no_error_is_handled_as_it_is() -> None:
    def program(coins: Any) -> bool:
        coins.uniform(2)
        try:
            sys.exit("no number")
        except SystemExit:
            return True

    assert explore(program).resolved == {True: 1}


def test_a_module_that_is_imported_handles_its_errors(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_late.py").write_text("try:\n    len(3)\nexcept TypeError:\n    found = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def program(coins: Any) -> Any:
        u = coins.uniform(2)
        sys.modules.pop("imported_late", None)
        return u + importlib.import_module("imported_late").found

    assert explore(program, handles=True).resolved == {2: mpq(1, 2), 3: mpq(1, 2)}


OWN = Path(handled_errors.__file__).parent
STANDARD = sysconfig.get_path("stdlib")


@pytest.mark.parametrize(
    ("callers", "watched"),
    [
        (["/home/user/code.py"], True),
        (["/home/user/code.py", f"{STANDARD}/made_up.py"], True),
        (["/home/user/code.py", f"{OWN}/lazy/made_up.py"], False),
        (["/home/user/code.py", f"{OWN}/lazy/made_up.py", f"{STANDARD}/made_up.py"], False),
        (["/home/user/code.py", f"{OWN}/lazy/made_up.py", "<frozen made_up>", f"{STANDARD}/made_up.py"], False),
        (["/home/user/code.py", f"{OWN}/lazy/made_up.py", f"{STANDARD}/site-packages/numpy/made_up.py"], False),
        (["/home/user/code.py", f"{OWN}/lazy/made_up.py", f"{STANDARD}/site-packages/other/made_up.py"], True),
        (["/home/user/code.py", f"{OWN}/lazy/made_up.py", "/home/user/code.py"], True),
        (["/home/user/code.py", f"{OWN}/alone/solver.py", f"{STANDARD}/made_up.py"], True),
        (["/home/user/code.py", f"{OWN.parent}/audit/made_up.py", f"{STANDARD}/made_up.py"], False),
        (["/home/user/code.py", f"{OWN.parent}/audit/laws.py", f"{STANDARD}/made_up.py"], True),
        (["/home/user/code.py", "<frozen importlib._bootstrap>"], False),
    ],
)
def test_whose_handlers_are_watched(callers: list[str], watched: bool) -> None:
    """Those of explored code, and of libraries that it calls; none of the explorer's, nor of libraries that it calls."""
    inside: Any = None
    for place, file in enumerate(reversed(callers)):
        text = "def made(u):\n  try:\n    pow(3, u, 7)\n  except TypeError:\n    pass\n" if place == 0 else CALLING
        space: dict[str, Any] = {"inside": inside}
        exec(compile(text, file, "exec"), space)  # noqa: S102
        inside = space["made"]
    watch, found = HandlerWatch(), LazyCoins(None, lambda _branch: None, Rules(), 0, None)
    watch.run(lambda coins: inside(coins.uniform(6)), found)
    assert watch.met == watched
    with pytest.raises(ExplorationError, match="is handled") if watched else contextlib.nullcontext():
        watch.check(found)


CALLING = "def made(u):\n  return inside(u)\n"
FOUND: list[Callable[[Any], int]] = [_swallowing]


def test_handlers_that_no_name_reaches_are_met_when_they_are_run() -> None:
    """All begins anew then, since the runs before were not looked at."""
    program = hiding("FOUND")
    assert not reaches_handlers(program)
    with pytest.raises(ExplorationError, match="is handled"):
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

    for method, program in (("__len__", listing), ("__del__", ending)):
        with pytest.raises(ExplorationError, match=f"in {method}.* is handled"):
            explore(program)


def test_what_numpy_makes_of_the_type_of_a_draw_is_refused() -> None:
    """iinfo handles that a draw is no data type, as an int is none, and goes on with its type."""
    with pytest.raises(ExplorationError, match=r"in __init__.* is handled"):
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
        with pytest.raises(ExplorationError, match="conversion from LazyInt to Decimal is not supported' is handled"):
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

    with pytest.raises(TypeError, match="conversion from LazyInt"):
        explore(program)


def test_who_traces_this_thread_goes_on_afterwards() -> None:
    def trace(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        explore(handling(abs))
        assert sys.gettrace() is trace
        with not_watched():
            assert sys.gettrace() is trace
        watch = HandlerWatch()
        sys.settrace(watch)
        with not_watched():
            assert sys.gettrace() is None
        assert sys.gettrace() is watch
    finally:
        sys.settrace(before)


@pytest.mark.skipif(sys.gettrace() is not None or not FOLLOWED, reason="loops are merged on CPython 3.11, untraced")
def test_samplers_are_taken_alone_in_code_that_handles_errors() -> None:
    def program(coins: Any) -> int:
        try:
            return samplers.geometric(StandIn(coins))
        except ValueError:
            return -1

    found = explore(program, Budget(bits=64), samplers=Declared.of([samplers.geometric]))
    (use,) = found.uses
    assert (use.alone, use.reason) == (True, None)
    assert found.resolved[0] == mpq(1, 2)


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
