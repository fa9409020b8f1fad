"""Whether the installed numpy does what was read: each function, when it is first used, on given words.

A bit generator of our own gives numpy's C code the words of which the stand-in's draws are made: those at both ends of what
gives a value, those that have to be rejected, those at which a float's outcome turns, and some between. A function that makes
something else of them, or takes more or fewer, is refused; all others are followed under every version of numpy.
"""

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.stand_ins.chains import WORD
from finitedp.proofs_check.engine.stand_ins.exploring import aside
from finitedp.proofs_check.engine.stand_ins.numpy_draws import READ, cumulated, inversion
from finitedp.proofs_check.engine.stand_ins.outputs import freeze
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.replay.given_words import Way, Written

T = TypeVar("T")
ROUNDS = 8  # that a call is compared, each on other words


# What is called on given words


class _Call(NamedTuple):
    arguments: tuple[Any, ...]
    way: Way
    narrow: int | None = None
    near: tuple[int, ...] = ()
    rounds: int = ROUNDS


_TENTHS, _UNEVEN = [0.1, 0.2, 0.3, 0.4], np.array([1e-17, 0.1, 0.0, 0.7, 0.2])
_ROWS = np.arange(6).reshape(3, 2)
_BINOMIALS = ((30, 0.01), (5, 1e-9), (1, 1 / 3), (1, 0.1), (1, 0.75), (12, 0.9), (9, 0.5), (3, 1.0), (0, 0.3), (2, 0.0))
_BOUNDS = ((0, 7), (-3, 5), (2, 3), (0, 10**6 + 1), (0, 1 << 32), (0, (1 << 32) + 1), (-1, (1 << 40) + 2), (0, 3 << 61))


def _around(words: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({near for word in words for near in (word - 1, word) if 0 <= near < 1 << WORD}))


def _turns(weights: Any) -> tuple[int, ...]:
    """The first words that reach each of the cumulated weights."""
    return _around(-int(-value * 2.0**WORD // 1) for value in cumulated(np.array(weights)))


def _calls(name: str, legacy: bool) -> list[_Call]:
    """What of a method is compared."""
    whole: Way = "masked" if legacy else "lemire"
    if name in ("integers", "randint"):
        return _of_whole_numbers(whole)
    if name == "choice":
        return _of_choices(whole, legacy)
    if name == "binomial":
        return list(_of_binomials(legacy))
    along: list[tuple[Any, ...]] = [] if legacy else [(_ROWS, 1)]
    calls: dict[str, list[tuple[Any, ...]]] = {
        "bytes": [(5,), (8,)],
        "permutation": [(5,), (["a", "b", "c"],), (_ROWS,), *along],
        "rand": [(), (2, 1)],
        "random_integers": [(5,), (-2, 1 << 40, 3)],
        "random": [(), ((2, 2),)],
        "random_sample": [(), (3,)],
        "shuffle": [([1, 2, 3, 4, 5],), (np.array([1.5, 2.5, 3.5]),), (_ROWS,), *along],
        "uniform": [(), (-1, 2), (0.1, 0.7, 3), (1e9, 1e9 + 1 / 3), (0.0, 3)],
    }
    way: Way = "masked" if name in ("permutation", "shuffle", "bytes", "random_integers") else "double"
    return [_Call(arguments, way) for arguments in calls[name]]


def _of_whole_numbers(way: Way) -> list[_Call]:
    found = [_Call((*ends, *more), way) for more in ((), ((3, 1), np.int64)) for ends in _BOUNDS]
    for dtype, narrow in ((np.int8, 8), (np.uint8, 8), (np.int16, 16), (np.uint16, 16), (np.uint32, None), (np.int64, None)):
        low, high = (int(end) for end in (np.iinfo(dtype).min, np.iinfo(dtype).max + 1))
        ranges = [(0, 5), (low, high), (low + 1, high), (low, low + 100)]
        found += [_Call((*ends, size, dtype), way, narrow, rounds=4) for ends in ranges for size in (None, 5)]
    return found


def _of_choices(whole: Way, legacy: bool) -> list[_Call]:
    calls = [_Call(drawn, whole) for drawn in ((5,), (["a", "b", "c"], (2, 2)), (4, 2, False), ([7, 8, 9], 3, False))]
    for n, size, replace, p in ((4, None, True, _TENTHS), (5, 2, True, _UNEVEN), (4, 3, False, _TENTHS)):
        calls.append(_Call((n, size, replace, p), "double", None, _turns(p), 16))
    if not legacy:
        many = ((10_000, 201, True), (10_001, 200, True), (10_001, 201, True), (10_001, 501, False))
        calls += [_Call((n, k, False, None, 0, shuffle), whole, rounds=1) for n, k, shuffle in many]
        calls += [_Call((6, 4, False, None, 0, False), whole), _Call((_ROWS, 2, False, None, 1), whole)]
    return calls


def _of_binomials(legacy: bool) -> Iterator[_Call]:
    for n, p in _BINOMIALS:
        near = _around(inversion(n, 1.0 - p if p > 0.5 else p, legacy)[1])
        yield _Call((n, p), "double", None, near, len(near) + 3)
    yield _Call(([1, 2], [[0.5], [0.25]]), "double")


def _answer(rng: Any, name: str, arguments: tuple[Any, ...]) -> Any:
    given = deepcopy(arguments)
    answer = getattr(rng, name)(*given)
    return freeze(given[0] if name == "shuffle" else answer)


# The comparison, once for each function


_looked_at: dict[tuple[Any, str], str | None] = {}
"""What is said of a function that differs, or None; of those that were looked at in this process."""


_WITHOUT_DRAWS = {"on", "seed"}
"""Methods of the stand-ins with which nothing is drawn."""


def replayed(kind: type[T]) -> type[T]:
    """A stand-in for a generator of numpy, whose methods are compared with numpy's when they are first called."""
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and name not in _WITHOUT_DRAWS:
            setattr(kind, name, _checked(name, method))
    return kind


def _checked(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def checked(self: Any, *arguments: Any, **named: Any) -> Any:
        kind: Any = type(self)
        place = kind.stands_for, name
        if place not in _looked_at:
            _looked_at[place] = None  # what is compared with may use it, too
            with aside():
                _looked_at[place] = difference(kind, name)
        if _looked_at[place] is not None:
            refuse(
                self._coins,
                f"uses numpy's {kind.stands_for.__name__}.{name}, which in numpy {np.__version__} is not what was read in "
                f"{READ}: {_looked_at[place]}",
                following=f"next: install numpy {READ}, or draw with another method, such as integers()",
            )
        return method(self, *arguments, **named)

    return checked


def difference(kind: Any, name: str) -> str | None:
    """What the installed numpy's method does otherwise than the stand-in of this class, or None."""
    for one in _calls(name, kind.legacy):
        for turn in range(one.rounds):
            coins = Written(one.way, one.narrow, one.near, turn)
            try:
                expected = _answer(kind(coins), name, one.arguments)
            except ExplorationError as error:  # where it rests on a function that is refused
                return str(error)
            try:
                with warnings.catch_warnings(action="ignore"):  # of what is deprecated
                    replayed = _answer(kind.stands_for(coins.given()), name, one.arguments)
            except Exception as error:  # whatever another numpy raises
                return f"it raises {type(error).__name__} where it should not"
            if replayed != expected:
                return f"it gives {replayed!r:.60}, not {expected!r:.60}, on the same words"
            if not coins.all_taken():
                return "it takes other words"
    return None
