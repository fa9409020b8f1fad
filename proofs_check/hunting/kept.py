"""Instances as JSON: what a hunt found is kept, and can be decided again by whoever reads it.

Numbers are integers, or texts such as "1/3"; tuples are lists; named fields are objects. What is no number, such as a
function, stands there as its text: an instance is made again after one of the grid that has the same texts at the same places.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import attrs
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.proofs_check.hunting.instances import like, number, parts
from finitedp.proofs_check.hunting.scope import is_declared
from finitedp.proofs_check.ledger.atoms import atoms_of, check_of_one
from finitedp.proofs_check.ledger.entry import Entry, Finding
from finitedp.spec.pmf import Pmf

_ATOMS_SEEN = 200
_TEXT = "text"


def kept(value: Any) -> Any:  # noqa: ANN401  # an instance of any kind
    """An instance as JSON."""
    x = number(value)
    if x is not None:
        return int(x) if x.denominator == 1 else str(x)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return [kept(part) for part in value]
    made = {str(key): kept(part) for key, part in parts(value)}
    return made or {_TEXT: re.sub(r" at 0x\w+", "", repr(value))}  # where a function lies is of one run


def restored(entry: Entry, document: Any) -> Any:  # noqa: ANN401  # as kept
    """The instance, or the atom of one. Raises: ParameterError where nothing on the full grid has the same parts."""
    for like_it in _known(entry):
        try:
            return _after(like_it, document)
        except ValueError:
            continue
    raise ParameterError(f"{entry.id} has no instance with these parts: {str(document)[:200]}")


def decided_again(entry: Entry, document: Any) -> Finding:  # noqa: ANN401  # as kept
    """What the entry's check says of a kept instance. Raises: as restored; OutOfScopeError; what the check raises."""
    instance = restored(entry, document)
    if is_declared(instance):
        instance.check_scope()
    return check_of_one(entry.check)(entry.subject, instance)


def _known(entry: Entry) -> Iterable[Any]:
    atoms = atoms_of(entry.check)
    for case in entry.instances("full"):
        yield from [case] if atoms is None else islice(atoms(case), _ATOMS_SEEN)


def _after(known: Any, document: Any) -> Any:  # noqa: ANN401  # an instance, and JSON
    if number(known) is not None and isinstance(document, int | str) and not isinstance(document, bool):
        return like(known, mpq(document))
    if isinstance(known, tuple) and not hasattr(known, "_fields") and isinstance(document, list):
        return tuple(_item(known, at, each) for at, each in enumerate(document))
    there = {str(key): part for key, part in parts(known)}
    if there and isinstance(document, dict) and document.keys() == there.keys():
        made = {key: _after(part, document[key]) for key, part in there.items()}
        if isinstance(known, Pmf):
            [weights] = made.values()
            return Pmf(dict(enumerate(weights)))
        if hasattr(known, "_fields"):
            return known._replace(**made)
        return attrs.evolve(known, **{key.lstrip("_"): part for key, part in made.items()})
    if kept(known) == document:
        return known
    raise ValueError("other parts")


def _item(known: Sequence[Any], at: int, document: Any) -> Any:  # noqa: ANN401  # as _after
    """An item of a list of any length: after the item at its place, or else after the first after which it can be made."""
    for each in [*known[at : at + 1], *known]:
        try:
            return _after(each, document)
        except ValueError:
            continue
    raise ValueError("no such item")
