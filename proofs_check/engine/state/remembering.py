"""What a mechanism could remember from one run to the next: all that it reaches, as a graph of things.

Looked at after the first run of an input and after the last one. Where both graphs are the same, with the same values in the
same places, no run can tell the one from the other. Code that only fills in a constant in its first run passes.
"""

import gc
import os
import sys
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from attrs import define, field

from finitedp.proofs_check.engine.stand_ins.replacing import is_installed, names_in
from finitedp.proofs_check.engine.state.contents import contents
from finitedp.proofs_check.engine.state.functions import EARLIER, is_foreign, root_of
from finitedp.proofs_check.engine.state.in_c import CACHE, Contents, plain

MOST_THINGS, MOST_OF_LIBRARIES, MOST_IN_LIBRARIES = 200_000, 500, 2_000
"""How many things are looked at, numbers and texts not counted; how many functions and classes of installed packages; and how
many things that such functions, classes and their instances hold."""
MOST_RESULTS = 100
"""How many results that functools.cache keeps are looked into, one by one."""


@define
class Remembered:
    """What was seen at one time. hidden: what could not be looked into, a place of each kind, by the kind.

    pictures: by number, in the order in which things are met, what is compared of each, and what it refers to: values, and
    numbers of other things. caches: what functools.cache holds, by id; a cache may fill, but what it returned stays as it is.
    """

    labels: list[str]
    pictures: list[Any]
    hidden: dict[str, str]
    caches: dict[int, "Remembered"]
    things: list[Any]  # so that no id is another's
    loaded: frozenset[str] = field(factory=lambda: frozenset(sys.modules))

    def changed(self, after: "Remembered") -> str | None:
        """The name of the first thing that is another one later, or None."""
        for i, (one, two) in enumerate(zip(self.pictures, after.pictures, strict=False)):
            if one != two:
                return self._difference(i, one, two)
        changes = (seen.changed(after.caches[i]) for i, seen in self.caches.items() if i in after.caches)
        return next((name for name in changes if name is not None), None)

    def not_looked_into(self, after: "Remembered") -> tuple[str, ...]:
        """What could not be looked into, each kind with a place, by the earlier look (this) or the later one."""
        came = [seen.labels[0] for i, seen in after.caches.items() if i not in self.caches]
        late = {"functools.cache": f"{came[0]}, which came later"} if came else {}
        return tuple(sorted(f"{kind} ({place})" for kind, place in {**after.hidden, **self.hidden, **late}.items()))

    def _difference(self, i: int, one: Any, two: Any) -> str:
        """The name of a part that differs, or of the thing."""
        if one[:2] == two[:2] and len(one[2]) == len(two[2]):
            pairs = zip(one[2], two[2], strict=True)
            return next(f"{a[0]} of {self.labels[i].partition(' of ')[0]}" for a, b in pairs if a != b)
        return self.labels[i]


def remembered(mechanism: Any, earlier: Remembered | None = None) -> Remembered:
    """All that a mechanism of any kind reaches, and what it may set in the process.

    Parameters: earlier, the look that this one is compared with.
    """
    EARLIER.loaded, EARLIER.late = None if earlier is None else earlier.loaded, frozenset()
    walk = _Walk({})
    walk.meet("the process", _process())  # first, so that its parts have their names
    walk.meet("the mechanism", mechanism)
    walk.go_on()
    caches = {}
    for label, _ in walk.cached[MOST_RESULTS : MOST_RESULTS + 1]:
        walk.hidden.setdefault(f"what caches keep beyond {MOST_RESULTS} results", label)
    for label, result in walk.cached[:MOST_RESULTS]:
        inner = _Walk(walk.numbers)
        inner.meet(label, result)
        if inner.things:
            inner.go_on()
            caches[id(result)] = inner.seen({})
            walk.hidden = {**inner.hidden, **walk.hidden}
            walk.things.append(result)
    if EARLIER.late:
        walk.hidden.setdefault("modules imported after the first run", min(EARLIER.late))
    return walk.seen(caches)


def _process() -> list[Any]:
    """What belongs to the process, and not to a module: the environment, how deep calls go, how decimals are rounded."""
    settings = [vars(os.environ).get("_data"), sys.getrecursionlimit()]
    if (decimal := sys.modules.get("decimal")) is not None:
        context = decimal.getcontext()
        settings += [context.prec, context.rounding, context.Emin, context.Emax, context.clamp]
    return settings


@define
class _Walk:
    """One look. outer: the numbers of things that another look has met."""

    outer: Mapping[int, int]
    numbers: dict[int, int] = field(factory=dict)
    labels: list[str] = field(factory=list)
    things: list[Any] = field(factory=list)
    pictures: list[Any] = field(factory=list)
    hidden: dict[str, str] = field(factory=dict)
    cached: list[tuple[str, Any]] = field(factory=list)
    caches: list[Any] = field(factory=list)
    installed: dict[str, bool] = field(factory=dict)
    libraries: int = 0
    within: list[bool] = field(factory=list)  # whether each thing is held by one of an installed package
    held: int = 0
    counts: bool = False  # whether code asks how often a cache was used

    def meet(self, label: str, value: Any, within: bool = False) -> Any:
        """What stands for a value where a thing, of an installed package or not, refers to it."""
        shown = plain(value)
        if shown is not None:
            return shown
        if type(value).__name__ == "_Taken":  # stands for a declared sampler while code is explored
            value = getattr(value, "original_sampler", value)
        here = id(value)
        number = self.numbers.get(here)
        if number is not None:
            return number
        if here in self.outer:
            return "outer", self.outer[here]
        if len(self.things) >= MOST_THINGS:
            self.hidden.setdefault(f"what lies beyond {MOST_THINGS:,} things", label)
            return "beyond"
        self.held += within
        if within and self.held > MOST_IN_LIBRARIES:
            self.hidden.setdefault(f"what installed packages hold beyond {MOST_IN_LIBRARIES:,} things", label)
            return "beyond"
        self.within.append(within)
        self.numbers[here] = number = len(self.things)
        self.things.append(value)
        self.labels.append(label)
        return number

    def go_on(self) -> None:
        """Look at everything that was met, and at what is met there."""
        for thing in self.things:  # it grows
            label = self.labels[len(self.pictures)]
            place = label.partition(" of ")[0]
            kind = type(thing)
            inside = Contents() if issubclass(kind, FunctionType | type) and self._is_far(thing, label) else contents(thing)
            name = f"{kind.__module__}.{kind.__qualname__}"
            if inside.hidden:
                self.hidden.setdefault(name, label)
            within = self.within[len(self.pictures)] or self._is_installed(
                thing.__module__ if issubclass(kind, FunctionType | type) else kind.__module__
            )
            refers = tuple((part, self.meet(f"{part} of {place}", value, within)) for part, value in inside.parts)
            self.pictures.append(("" if root_of(kind.__module__) == "finitedp" else name, inside.own, refers))
            if kind is CACHE:
                self.caches.append(thing)
                self.cached += [(f"what {label} keeps", x) for x in _results(thing) if not _is_of_a_library(thing)]
            elif kind is FunctionType and not self.counts:
                self.counts = "cache_info" in names_in(thing.__code__)
        if self.counts:
            self.pictures += [("", cache.cache_info(), ()) for cache in self.caches]
            self.labels += ["cache_info()"] * len(self.caches)

    def _is_far(self, function: FunctionType | type, label: str) -> bool:
        """Whether it is of an installed package, of which enough was looked at: large libraries name all of theirs."""
        installed = self._is_installed(function.__module__)
        self.libraries += installed
        if not installed or self.libraries <= MOST_OF_LIBRARIES:
            return False
        self.hidden.setdefault(f"what installed packages name beyond {MOST_OF_LIBRARIES} functions and classes", label)
        return True

    def _is_installed(self, module: str) -> bool:
        if module not in self.installed:
            self.installed[module] = is_foreign(module) and is_installed(sys.modules.get(module))
        return self.installed[module]

    def seen(self, caches: dict[int, Remembered]) -> Remembered:
        """The look as it is kept."""
        return Remembered(self.labels, self.pictures, self.hidden, caches, self.things)


def _results(cache: Any) -> list[Any]:
    """What a functools.cache has returned and returns again, but for plain values; with a largest size its keys, too."""
    held = [x for x in gc.get_referents(cache) if x is not vars(cache) and x is not getattr(cache, "__wrapped__", None)]
    if cache.cache_info().maxsize is None:
        held = [x for table in held if type(table) is dict for x in table.values()]
    return [x for x in held if plain(x) is None and not isinstance(x, type) and not _is_table(x)]


def _is_of_a_library(cache: Any) -> bool:
    """Whether this is a cache of the standard library's own, such as typing's, which knows classes of all modules."""
    module = sys.modules.get(getattr(cache, "__module__", None) or "")
    is_its_own = module is not None and vars(module).get(getattr(cache, "__name__", "")) is cache
    return is_its_own and not is_foreign(cache.__module__)


def _is_table(value: Any) -> bool:
    """Whether this is the table of a functools.cache with a largest size."""
    return type(value) is dict and all(type(x).__name__ == "_lru_list_elem" for x in value.values())
