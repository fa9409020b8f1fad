"""What a verdict stands on: a statement about a mechanism reads verified only where its check explores that very mechanism.

A check that multiplies the laws of single bins, or adds bounds, sees nothing of the code that joins them: such an entry is
derived. Here the checks run under eyes on the methods of the code that their entries name.
"""

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any, get_origin

import pytest
from attrs import evolve

from finitedp.proofs_check.checks.outcomes import law_by_outcomes
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Entry
from finitedp.proofs_check.ledger.references import speaks_of

OF_ITSELF = {"claim", "accuracy", "cost", "delta", "distance"}
"""What a mechanism says of itself, which is right or wrong by what its release does."""

RELEASING = ("release", "release_counts")

OTHERWISE = {
    "BV.Err.2.gamma": "which gamma the constructor refuses",
    "BV.Err.7.points": "which fields the constructor refuses, and which points there are",
    "BV.Err.10.keep-heavy": "which universes the constructor refuses",
    "FD.PureSparseHistogram.universe": "which universes the constructor refuses",
    "FD.CompactHistogram.scale": "two bounds, as numbers",
    "BV.Fn5": "which universes the constructors refuse",
    "FD.Labels.rows": "which counts each release makes of its rows, on the draws that add no noise",
    "PH.PrivHist.draws": "how many words its runs on given draws take",
    "PH.PrivHist.shares": "which shares of epsilon it takes, and how many bits its words have",
    "FD.Shifted.words": "how many bits a word has where nothing is asked for",
    "FD.Flexible.accuracy": "what is stated of each bar that can be released, whatever the law of the noise is",
    "BV.Thm8.6.iv": "the field of the instance, and all draws of its release before interpolation",
}
"""Entries that speak of a mechanism without a statement on its law or cost as a whole: what they do establish."""

ONE_EACH = ("BV.Fn3", "BV.Sec6.1.length")
"""Entries on several mechanisms, of which each instance is about one: each mechanism is explored on its instances."""

VERIFIED = [e for e in entries().values() if e.verdict in ("verified", "verified (symbolic)", "repaired") and speaks_of(e)]


def resolved(name: str) -> tuple[Any, Any]:
    """What a dotted name stands for, and the class or module that holds it."""
    parts = name.split(".")
    for i in range(len(parts) - 1, 0, -1):
        try:
            holder: Any = importlib.import_module(".".join(parts[:i]))
        except ModuleNotFoundError:
            continue
        for part in parts[i:-1]:
            holder = getattr(holder, part)
        return inspect.getattr_static(holder, parts[-1]), holder
    raise AssertionError(name)


def releases(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "release") and kind.__module__.startswith("finitedp.impl")


def wanted(name: str) -> list[set[tuple[type, str]]]:
    """For each mechanism that a name leads to, the methods of which one must be explored; none for what is no mechanism."""
    found, holder = resolved(name)
    if releases(found):
        kinds = [found]
    elif releases(holder):
        if name.rsplit(".", 1)[-1] not in OF_ITSELF | set(RELEASING):
            return []
        kinds = [holder]
    elif inspect.isfunction(found) and found.__name__.endswith("_accuracy"):
        kinds = [kind for kind in vars(holder).values() if releases(kind) and kind.__module__ == holder.__name__]
    elif inspect.isfunction(found):
        returned = inspect.signature(found).return_annotation
        kinds = [kind for kind in [get_origin(returned) or returned] if releases(kind)]
    else:
        kinds = []
    return [{(kind, method) for method in (*RELEASING, "apply") if hasattr(kind, method)} for kind in kinds]


def forget() -> None:
    """Empty the caches in which claims share explorations."""
    for name, module in list(sys.modules.items()):
        if name.startswith("finitedp.proofs_check.claims."):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


def explored_here() -> bool:
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code not in (explore.__code__, law_by_outcomes.__code__):
        frame = frame.f_back
    return frame is not None


@pytest.fixture(scope="module")
def seen() -> Iterator[set[tuple[type, str]]]:
    """The methods of mechanisms that were explored since the set was emptied."""
    found: set[tuple[type, str]] = set()
    named = {pair for e in entries().values() for name in speaks_of(e) for methods in wanted(name) for pair in methods}
    with pytest.MonkeyPatch.context() as patch:
        for kind, method in sorted(named, key=str):
            if method in vars(kind):
                patch.setattr(kind, method, watched(kind, method, found))
        yield found


def watched(kind: type, method: str, found: set[tuple[type, str]]) -> Callable[..., Any]:
    original = vars(kind)[method]

    @functools.wraps(original)
    def call(*arguments: Any, **named: Any) -> Any:
        if (kind, method) not in found and explored_here():
            found.add((kind, method))
        return original(*arguments, **named)

    return call


def explored(entry: Entry, instance: Any, seen: set[tuple[type, str]]) -> set[tuple[type, str]]:
    """The methods of mechanisms that the check explores on an instance."""
    forget()
    seen.clear()
    entry.check(entry.subject, instance)
    return set(seen)


def unexplored(entry: Entry, seen: set[tuple[type, str]]) -> list[str]:
    """The named mechanisms that the check does not explore, on the first and on the last instance of its quick grid."""
    instances, missing = entry.instances("quick"), []
    needs = [(name, methods) for name in speaks_of(entry) for methods in wanted(name)]
    for instance in (instances[0], instances[-1]) if needs else ():
        found = explored(entry, instance, seen)
        missing += [f"{name} at {instance}" for name, methods in needs if not methods & found]
    return missing


@pytest.mark.deep
@pytest.mark.parametrize("entry", VERIFIED, ids=lambda entry: entry.id)
def test_what_is_verified_explores_the_mechanism_that_it_speaks_of(entry: Entry, seen: set[tuple[type, str]]) -> None:
    if entry.id in OTHERWISE:
        assert unexplored(entry, seen), f"{entry.id} explores its mechanism, and needs no excuse"
    elif entry.id in ONE_EACH:
        found = [explored(entry, instance, seen) for instance in entry.instances("quick")]
        needs = {frozenset(methods) for name in speaks_of(entry) for methods in wanted(name)}
        assert {methods for methods in needs if any(methods & there for there in found)} == needs
        assert [there for there in found if not any(methods & there for methods in needs)] == []
    else:
        assert unexplored(entry, seen) == []


COMPOSED = [
    "BV.Thm5.3.i.large",
    "BV.Thm5.6.iii",
    "BV.Thm6.2.ii.large",
    "BV.Thm6.11.ii",
    "BV.Thm6.11.iv",
    "BV.Thm7.1.i",
    "BV.Thm8.3.iii",
    "BV.Thm8.6.i",
]


@pytest.mark.deep
@pytest.mark.parametrize("id", COMPOSED)
def test_what_combines_lemmas_cannot_read_verified(id: str, seen: set[tuple[type, str]]) -> None:  # noqa: A002
    entry = evolve(entries()[id], derived_from=(), by="")
    assert entry.verdict in ("verified", "repaired")
    assert unexplored(entry, seen)
