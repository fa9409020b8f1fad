"""The scope of a verdict in words: for which sizes a grid decides a statement, and to which sizes it was hunted."""

from collections.abc import Sequence
from typing import Any

from gmpy2 import mpq, mpz

from finitedp.proofs_check.hunting.instances import leaves, lists, named
from finitedp.proofs_check.hunting.results import Recorded, hunted
from finitedp.proofs_check.hunting.told import size_in_words
from finitedp.proofs_check.ledger.entry import Entry, Grid

_FEW, _FEW_IN_FULL = 3, 4


def scope_in_words(entry: Entry, grid: Grid) -> str:
    """The largest whole numbers of the instances of a grid by field, such as "for n <= 6, m <= 3"; else how many there are."""
    instances = entry.instances(grid)
    largest = _largest(instances)
    if not largest:
        return f"on {len(instances)} instance{'s' * (len(instances) > 1)}"
    return "for " + ", ".join(f"{name} {_at_most(x)}" for name, x in largest.items())


def _at_most(x: int) -> str:
    words = size_in_words(x)
    return f"< 10^{len(str(mpz(x)))}" if words.startswith("~") else f"<= {words}"


def _largest(instances: Sequence[Any]) -> dict[str, int]:
    """Of at most three fields that hold whole numbers alone, n first, then those that are no parts of parts."""
    found, fractions = dict[str, mpq](), set[str]()
    for instance in instances:
        for path, x in leaves(instance):
            name = named(path)
            if x.denominator > 1:
                fractions.add(name)
            if x > found.get(name, 0):
                found[name] = x
        for path, items in lists(instance):
            if path and len(items) > found.get(name := f"|{named(path)}|", 0):
                found[name] = mpq(len(items))
    order = {name: _rank(name) for name in found if name not in fractions}
    return {name: int(found[name]) for name in sorted(order, key=lambda name: order[name])[:_FEW]}


def _rank(name: str) -> tuple[bool, bool, int]:
    return name != "n", name.startswith("|"), name.count(".")


def hunt_in_words(result: Recorded, fields: int = 1) -> str:
    """Such as "hunted to n = 96", of so many fields; where a counterexample was found, that it was."""
    found = result.found
    if found.false_at:
        return "the hunt found a counterexample"
    to = ", ".join(f"{name} = {found.reached[name]}" for name in sorted(found.reached, key=_rank)[:fields])
    return f"hunted to {to}" if to else f"hunted on {found.tried} instances"


def hunt_in_full(result: Recorded) -> str:
    """The same with the largest load, whether it rises, and how it was hunted."""
    found = result.found
    scope = "" if found.declared else "; the scope is inferred from the grid"
    how = f"({found.tried} instances in {result.seconds:g} s, seed {result.seed}{scope})"
    if found.false_at:
        return f"{hunt_in_words(result)}: {found.false_at} {how}"
    load = f"{found.load}, {'rising' if found.rising else 'not rising'} from {found.grid_load} on the grid"
    return f"{hunt_in_words(result, _FEW_IN_FULL)}: {load}{', stopped at ' + found.hung_at if found.hung_at else ''} {how}"


def has_scope(outcome: str) -> bool:
    """Whether a verdict says something of the instances of a grid, and of no others."""
    return outcome in ("verified", "verified (symbolic)", "derived", "sampled", "measured", "repaired")


def verdict_in_words(entry: Entry, outcome: str, grid: Grid) -> str:
    """A verdict with its scope, such as "verified for n <= 6, m <= 3; hunted to n = 96"."""
    if not has_scope(outcome):
        return outcome
    result = hunted(entry)
    return f"{outcome} {scope_in_words(entry, grid)}" + (f"; {hunt_in_words(result)}" if result is not None else "")
