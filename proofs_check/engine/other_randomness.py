"""While code is explored, the sources of randomness that it reaches for itself draw from the coins of the run.

They are the module random with its classes, secrets, os.urandom, ssl.RAND_bytes, and numpy's generators: as attributes of
modules, as names that a module has imported, and as objects that were made before. Only the thread that explores is concerned.
What goes round this moves a generator, and is refused, or differs when a path is run again.

numpy is not imported for this. Where explored code is the first to import it, its sources are replaced before that code sees
them.
"""

import json
import random
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType, SimpleNamespace
from typing import Any

from attrs import define

from finitedp.proofs_check.engine.bit_generators import bit_generators
from finitedp.proofs_check.engine.stand_ins.bytes import integers_from_lazy_bytes
from finitedp.proofs_check.engine.stand_ins.exploring import aside, exploring, is_numpy_array
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute, put, using_names
from finitedp.proofs_check.engine.stand_ins.sources import HIDDEN, replacements

__all__ = ["calls_the_hidden_generator", "exploring", "stood_in"]


@define
class _Reach:
    """The names by which a mechanism can reach what is replaced, looked up once for all inputs of an audit."""

    mechanism: Any
    modules: int
    names: list[tuple[MutableMapping[Any, Any], Any, Any, Any]]

    def still(self, mechanism: Any) -> bool:
        """Whether this is the mechanism, no module came since, and all names are bound as they were."""
        same = self.mechanism is mechanism and self.modules == len(sys.modules)
        return same and all(table.get(name) is original for table, name, original, _ in self.names)


_last: list[_Reach] = []
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


def _reach(mechanism: Any) -> _Reach:
    if not (_last and _last[0].still(mechanism)):
        instead = _instead(_has_numpy())
        found = using_names(mechanism, instead, _routed_by_kind())
        _last[:] = [_Reach(mechanism, len(sys.modules), [(table, name, table[name], new) for table, name, new in found])]
    return _last[0]


@contextmanager
def stood_in(mechanism: Any = None) -> Iterator[Callable[[], str | None]]:
    """Put the stand-ins in their places, in this thread, for code that is run with exploring.coins set.

    Yields a function that names a generator that has moved since it was asked last: the module random's, or one of numpy's.
    """
    with _LOCK, ExitStack() as places:
        reach = _reach(mechanism)
        generators = bit_generators() if _has_numpy() else []
        states = [_states(generators)]

        def moved() -> str | None:
            states.append(_states(generators))
            before, now = states.pop(0), states[0]
            return None if before == now else "numpy" if before[1:] != now[1:] else "random"

        def numpy_came() -> None:
            generators[:] = bit_generators()
            states[0] = [states[0][0], *map(_state, generators)]
            places.enter_context(put(_of_numpy()))

        places.enter_context(integers_from_lazy_bytes())
        places.enter_context(put(_STANDARD))
        places.enter_context(put(_of_numpy()) if _has_numpy() else _when_numpy_comes(numpy_came))
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


@contextmanager
def _when_numpy_comes(then: Callable[[], None]) -> Iterator[None]:
    """Call a function at the end of the first import of numpy, before who imports it goes on."""

    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == "numpy" else None
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            loader.exec_module = partial(_load_numpy, loader, loader.exec_module, then)
        return spec

    finder: Any = SimpleNamespace(find_spec=find_spec)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def _load_numpy(loader: Any, load: Callable[[ModuleType], None], then: Callable[[], None], module: ModuleType) -> None:
    """As the loader does, which is left as it was; numpy seeds its generators while it is imported, from the system."""
    del loader.exec_module
    with aside():
        load(module)
        import numpy.random  # noqa: F401  # which numpy leaves to be imported when it is used

        then()


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
    return json.dumps(generator.state, default=lambda value: value.tolist() if is_numpy_array(value) else repr(value))
