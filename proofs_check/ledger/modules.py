"""Modules of claims: the ids that are written in one, read without importing it, and those that it registers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from finitedp.errors import ParameterError
from finitedp.proofs_check.ledger.entry import Entry, registered

T = TypeVar("T")

_FOLDER = Path(__file__).resolve().parents[1] / "claims"
_PACKAGE = "finitedp.proofs_check.claims"
_FIRST_ARGUMENT = re.compile(r'\(\s*"([A-Z]+\.[^"\s]*)"')  # of a call that registers an entry


@cache
def written_in(module: str) -> frozenset[str]:
    """The ids of a module of claims, by its source: each is the first argument of what registers it, as it is.

    Parameters: module, as the table of claims names it. Raises: OSError where there is none.
    """
    found = _FIRST_ARGUMENT.findall(_FOLDER.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8"))
    return frozenset((*found, *(f"{name}.literal" for name in found)))


@cache
def registered_by(module: str) -> tuple[str, ...]:
    """The ids that a module of claims registers as it is imported, in order.

    Raises: ValueError where there are none, or where they are not written in it.
    """
    full = f"{_PACKAGE}.{module}"
    import_module(full)
    found = tuple(name for name, entry in registered().items() if entry.module == full)
    if not found:
        raise ValueError(f"{full} stands in the table of claims and registers none")
    unread = ", ".join(name for name in found if name not in written_in(module))
    if unread:
        raise ValueError(f"{full} registers {unread}; accepted: the id as text, as the first argument of a call")
    return found


def matching(modules: Sequence[str], pattern: str) -> list[str]:
    """The ids that match a shell-style pattern, or start with it at a dot; only modules that have such ids are imported.

    Parameters: modules, as the table of claims names them. Raises: ParameterError where there are none.
    """

    def matches(name: str) -> bool:
        return fnmatchcase(name, pattern) or name.startswith(pattern + ".")

    having = [module for module in modules if any(map(matches, written_in(module)))]
    found = [name for module in having for name in registered_by(module) if matches(name)]
    if not found:
        near = _near([name for module in modules for name in registered_by(module)], pattern)
        hint = f"; did you mean {', '.join(near)}?" if near else "; `finitedp claims` lists them"
        raise ParameterError(f"no claim matches {pattern!r}{hint}")
    return found


def _near(names: Sequence[str], pattern: str) -> list[str]:
    """At most five ids that contain what was written, in whatever case, or else that look like it."""
    wanted = pattern.strip(".*? ").lower()
    if not wanted:
        return []
    lower = {name.lower(): name for name in names}
    inside = [name for known, name in lower.items() if wanted in known]
    return (inside or [lower[known] for known in get_close_matches(wanted, lower, n=5, cutoff=0.75)])[:5]


class OfEvery(Mapping[str, T]):
    """Something of every claim, by id, in the order of the modules: asked for one, it imports what has it; for all, all.

    Parameters: modules, as the table of claims names them; of, what it is of an entry. Raises: KeyError for an unknown id;
    ValueError, asked for all, where the table and what was registered differ.
    """

    def __init__(self, modules: Sequence[str], of: Callable[[Entry], T]) -> None:
        self._modules, self._of = modules, of

    def __getitem__(self, name: str) -> T:
        if name not in registered():
            for module in self._modules:
                if name in written_in(module):
                    registered_by(module)
        return self._of(registered()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> list[str]:
        found = [name for module in self._modules for name in registered_by(module)]
        known = set(found)
        lost = {entry.module for name, entry in registered().items() if name not in known}
        if lost:
            raise ValueError(
                f"checks of claims stand in modules that the table of claims does not have: {', '.join(sorted(lost))}"
            )
        return found
