"""While code is explored, the sources of randomness that it reaches for itself draw from the coins of the run.

They are the module random with its classes, secrets, os.urandom, ssl.RAND_bytes, and numpy's generators: as attributes of
modules, as names that a module has imported, and as objects that were made before. Only the thread that explores is concerned.
What goes round this moves a generator, and is refused, or differs when a path is run again.

numpy is not imported for this. Where explored code is the first to import it, its sources are replaced before that code sees
them. What a module draws while it is imported is no draw of the run that imports it.
"""

import pickle
import random
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

from finitedp.proofs_check.engine.bit_generators import bit_generators
from finitedp.proofs_check.engine.stand_ins.bytes import integers_from_lazy_bytes
from finitedp.proofs_check.engine.stand_ins.exploring import aside, coins_here, exploring
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute, put, using_names
from finitedp.proofs_check.engine.stand_ins.sources import HIDDEN, replacements

__all__ = ["calls_the_hidden_generator", "exploring", "stood_in"]

_STANDARD = replacements()


def _has_numpy() -> bool:
    return "numpy" in sys.modules


@cache
def _of_numpy() -> list[Attribute]:
    from finitedp.proofs_check.engine.stand_ins.numpy_places import numpy_replacements

    return numpy_replacements()


def _routed_by_kind() -> dict[type, Callable[[Any], Any]]:
    """What makes the stand-in for a generator of numpy that was made before, by the generator's class."""
    if not _has_numpy():
        return {}
    from finitedp.proofs_check.engine.stand_ins.numpy_places import ROUTED

    return ROUTED


@cache
def _instead(numpy: bool) -> dict[int, Any]:
    """What takes the place of a function, by its id."""
    places = [*_STANDARD, *(_of_numpy() if numpy else ())]
    return {id(getattr(place.owner, place.name)): place.replacement for place in places if place.everywhere}


def _generators() -> list[Any]:
    """numpy's bit generators that were made before."""
    return bit_generators() if _has_numpy() else []


_names: list[Any] = []
"""The latest mechanism, how many modules there were, and the names by which what is replaced was reached then."""


def _reached(mechanism: Any) -> list[tuple[MutableMapping[Any, Any], Any, Any, Any]]:
    """(table, name, value, what instead): looked up once for all inputs of an audit, while they stay as they are."""
    same = bool(_names) and _names[0] is mechanism and _names[1] == len(sys.modules)
    if not same or any(table.get(name) is not value for table, name, value, _ in _names[2]):
        names = using_names(mechanism, _instead(_has_numpy()), _routed_by_kind())
        _names[:] = [mechanism, len(sys.modules), [(table, name, table[name], new) for table, name, new in names]]
    return list(_names[2])


@contextmanager
def stood_in(mechanism: Any = None) -> Iterator[Callable[[], str | None]]:
    """Put the stand-ins in their places, in this thread, for code that is run with exploring.coins set.

    Yields a function that names a generator that has moved since it was asked last: the module random's, or one of numpy's.
    """
    with _LOCK, ExitStack() as places:
        names = _reached(mechanism)
        generators = _generators()
        states = [_states(generators)]

        def moved() -> str | None:
            states.append(_states(generators))
            before, now = states.pop(0), states[0]
            return None if before == now else "numpy" if before[1:] != now[1:] else "random"

        def imported(name: str) -> None:
            if name == "numpy":
                import numpy.random  # noqa: F401  # which numpy leaves to be imported when it is used

                places.enter_context(put(_of_numpy()))
            generators[:] = _generators()
            moved()

        places.enter_context(integers_from_lazy_bytes())
        places.enter_context(put([*_STANDARD, _imports(imported), *(_of_numpy() if _has_numpy() else ())]))
        for table, name, _, new in names:
            table[name] = new
        exploring.stood_in = getattr(exploring, "stood_in", 0) + 1
        try:
            yield moved
        finally:
            exploring.stood_in -= 1
            exploring.coins = None
            for table, name, original, _ in names:
                table[name] = original


_BOOTSTRAP: Any = sys.modules["_frozen_importlib"]
_imported = set[str]()
"""What was imported outside of the run that asked for it; a second time, it would be another thing in each run."""


def _imports(then: Callable[[str], None]) -> Attribute:
    """The function that all imports call for a module that is not loaded: a run finds it as if it had been there before.

    Parameters: then, which is called where the first import within a run ends, and that of numpy, before who asks goes on.
    """
    original = _BOOTSTRAP._find_and_load

    def find_and_load(name: str, *rest: Any) -> Any:
        first = coins_here() is not None and name not in _imported
        came = name == "numpy" and not _has_numpy()
        if not (first or came):
            return original(name, *rest)
        _imported.add(name)
        with aside():
            module = original(name, *rest)
            then(name if came else "")
        return module

    return Attribute(_BOOTSTRAP, "_find_and_load", find_and_load)


_LOCK = threading.RLock()
"""Explorations in several threads of a process take turns."""


def calls_the_hidden_generator(function: Callable[[], Any]) -> bool:
    """Whether a function calls the generator behind the module random, in this thread, past the stand-ins."""
    called_it = False

    def watch(_frame: Any, event: str, called: Any) -> None:
        nonlocal called_it
        called_it = called_it or (event == "c_call" and getattr(called, "__self__", None) is HIDDEN)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(before)
    return called_it


def _states(generators: list[Any]) -> list[Any]:
    return [random.getstate(), *(pickle.dumps(generator.state) for generator in generators)]
