"""numpy's bit generators that are alive, whoever holds them: the whole heap is looked through once a process.

A bit generator asks its module for a lock while it is made, and keeps it. What makes these locks is replaced for good by a
function that makes the same ones and remembers those whose bit generator was not met. Only where there are any is there a
search, first among the objects that the collector calls young. Where a bit generator is made without that function, which is
tried once, the whole heap is looked through each time.

Objects that gc.freeze() keeps from the collector are in no list of it: before the whole heap is looked through, they are
unfrozen, and stay so.
"""

import copy
import gc
import sys
from collections.abc import Callable, Iterable
from itertools import compress
from typing import Any
from weakref import ref

from attrs import define, field


@define
class _Locks:
    """The locks that a module of numpy's hands out, and that were not found in a bit generator yet."""

    make: Callable[..., Any]
    unmet: dict[int, ref[Any]] = field(factory=dict)

    def __call__(self, *arguments: Any) -> Any:  # a lock, of the kind that numpy takes
        """A lock, remembered for as long as it lives or until it is met."""
        made = self.make(*arguments)
        key = id(made)
        self.unmet[key] = ref(made, lambda _dead: self.unmet.pop(key, None))
        return made

    def meet(self, made: Iterable[Any]) -> None:
        """Forget the locks of bit generators that were found."""
        for generator in made:
            self.unmet.pop(id(generator.lock), None)


@define
class _Alive:
    """What is known in this process: the bit generators that were met, and the locks of others; None, not looked yet."""

    met: list[Any] = field(factory=list)
    locks: _Locks | None = None
    looked: bool = False


_alive = _Alive()


def bit_generators() -> list[Any]:
    """All bit generators of numpy that are alive, in no order. numpy is loaded."""
    if not _alive.looked:
        _alive.locks = _taken_locks()
        _alive.looked = True
        _meet(_in_the_heap())
    elif _alive.locks is None:
        _alive.met = _in_the_heap()
    elif _alive.locks.unmet:
        _meet(_among(_young()))
        if _alive.locks.unmet:
            _meet(_in_the_heap())
    _forget_those_that_nobody_else_holds()
    return list(_alive.met)


def _meet(made: list[Any]) -> None:
    met_before = set(map(id, _alive.met))
    _alive.met += [generator for generator in made if id(generator) not in met_before]
    if _alive.locks is not None:
        _alive.locks.meet(made)


def _forget_those_that_nobody_else_holds() -> None:
    """numpy's generators take no weak references: those that are only held here are let go."""
    (alone,) = [sys.getrefcount(thing) for thing in [object()]]
    held = [sys.getrefcount(thing) > alone for thing in _alive.met]
    _alive.met = list(compress(_alive.met, held))


def _young() -> list[Any]:
    return gc.get_objects(0) + gc.get_objects(1)  # in this order, since objects grow older; no list of them holds itself


def _in_the_heap() -> list[Any]:
    if gc.get_freeze_count():
        gc.unfreeze()
    return _among(gc.get_objects())


def _among(things: list[Any]) -> list[Any]:
    kinds = list(map(type, things))
    made_of = _module().BitGenerator
    wanted = {kind for kind in set(kinds) if issubclass(kind, made_of)}
    return list(compress(things, map(wanted.__contains__, kinds)))


def _module() -> Any:  # a module in C, without types
    import numpy.random.bit_generator as module  # what is explored need not load it

    return module


def _taken_locks() -> _Locks | None:
    """The locks of bit generators from now on; None where they are made in another way."""
    module = _module()
    name = next((name for name in ("RLock", "Lock") if hasattr(module, name)), None)
    if name is None:
        return None
    locks = _Locks(getattr(module, name))
    setattr(module, name, locks)
    made = [make() for make in _ways_to_make_one()]
    unchanged = all(id(one.lock) in locks.unmet and gc.is_tracked(one) for one in made)
    return locks if unchanged else None


def _ways_to_make_one() -> list[Callable[[], Any]]:
    kinds = [kind for kind in _module().BitGenerator.__subclasses__() if kind.__module__.partition(".")[0] == "numpy"]
    first = kinds[0](0)
    return [*kinds, first.jumped, lambda: copy.copy(first), lambda: copy.deepcopy(first), lambda: first.spawn(1)[0]]
