"""While code is explored, the sources of randomness that it reaches for itself draw from the coins of the run.

They are the module random with its classes, secrets, os.urandom, and numpy's generators: as attributes of modules, as names
that a module has imported, and as objects that were made before. Only the thread that explores is concerned. What goes
round this moves a generator, and is refused, or differs when a path is run again.
"""

import gc
import random
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from attrs import define

from finitedp.proofs_check.engine.stand_ins.bytes import integers_from_lazy_bytes
from finitedp.proofs_check.engine.stand_ins.exploring import exploring
from finitedp.proofs_check.engine.stand_ins.replacing import put, using_names
from finitedp.proofs_check.engine.stand_ins.sources import HIDDEN, replacements, routed

__all__ = ["calls_the_hidden_generator", "exploring", "stood_in"]


@define
class _Reach:
    """What a mechanism can reach, looked up once for all inputs of an audit."""

    mechanism: Any
    modules: int
    names: list[tuple[MutableMapping[Any, Any], Any, Any, Any]]
    generators: list[Any]

    def still(self, mechanism: Any) -> bool:
        """Whether this is the mechanism, no module came since, and all names are bound as they were."""
        same = self.mechanism is mechanism and self.modules == len(sys.modules)
        return same and all(table.get(name) is original for table, name, original, _ in self.names)


_last: list[_Reach] = []
_EVERYWHERE = replacements()
_INSTEAD = {
    id(getattr(place.owner, place.name)): place.replacement
    for place in _EVERYWHERE
    if place.everywhere and not isinstance(place.owner, type)
}
"""What takes the place of a function, by its id."""


def _reach(mechanism: Any) -> _Reach:
    if not (_last and _last[0].still(mechanism)):
        names = [(table, name, table[name], new) for table, name, new in using_names(mechanism, _INSTEAD, routed)]
        generators = [thing for thing in gc.get_objects() if type(thing) in (np.random.Generator, np.random.RandomState)]
        _last[:] = [_Reach(mechanism, len(sys.modules), names, generators)]
    return _last[0]


@contextmanager
def stood_in(mechanism: Any = None) -> Iterator[Callable[[], str | None]]:
    """Put the stand-ins in their places, in this thread, for code that is run with exploring.coins set.

    Yields a function that names a generator that has moved since it was asked last: the module random's, or one of numpy's.
    """
    with _LOCK:
        reach = _reach(mechanism)
        states = [_states(reach.generators)]

        def moved() -> str | None:
            states.append(_states(reach.generators))
            before, now = states.pop(0), states[0]
            return None if before == now else "numpy" if before[1:] != now[1:] else "random"

        with integers_from_lazy_bytes(), put(_EVERYWHERE):
            for table, name, _, new in reach.names:
                table[name] = new
            exploring.stood_in = getattr(exploring, "stood_in", 0) + 1
            try:
                yield moved
            finally:
                exploring.stood_in -= 1
                exploring.coins = None
                for table, name, original, _ in reach.names:
                    table[name] = original


_LOCK = threading.RLock()
"""Explorations in several threads of a process take turns."""


def calls_the_hidden_generator(function: Callable[[], Any]) -> bool:
    """Whether a function calls the generator behind the module random, in this thread, past the stand-ins."""
    found = False

    def watch(_frame: Any, event: str, called: Any) -> None:
        nonlocal found
        found = found or (event == "c_call" and getattr(called, "__self__", None) is HIDDEN)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(before)
    return found


def _states(generators: list[Any]) -> list[Any]:
    return [random.getstate(), *map(_state, generators)]


def _state(generator: Any) -> str:
    state = getattr(generator, "_bit_generator").state  # noqa: B009  # of both kinds
    return repr({name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in _flat(state)})


def _flat(state: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in state.items():
        if isinstance(value, dict):
            yield from _flat(value)
        else:
            yield name, value
