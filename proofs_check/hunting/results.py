"""What hunts found, in a file that `finitedp hunt --record` writes; the ledger's own is results.json beside this module.

A result is of one statement, and of no other that later stands under the same id: it is kept with a digest of the words.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import frozen

from finitedp.errors import ParameterError
from finitedp.proofs_check.hunting.told import Told, as_document, from_document
from finitedp.proofs_check.ledger.entry import Entry

FILE = Path(__file__).with_name("results.json")


@frozen
class Recorded:
    """What a hunt of so many seconds of processor time, by a seed, found of a statement."""

    seconds: float
    seed: int
    found: Told


def _words(entry: Entry) -> str:
    return sha256("\n".join((entry.statement, entry.quantifiers, entry.reach)).encode()).hexdigest()[:16]


def recorded(chosen: Iterable[Entry], file: Path) -> dict[str, Recorded]:
    """The results of the last hunts, by id, of those entries that are as they were then.

    Raises: ParameterError where it is no such file; OSError.
    """
    known = _read(file)
    try:
        return {entry.id: one for entry in chosen if (one := _of(entry, known)) is not None}
    except (KeyError, TypeError) as error:
        raise _none(file) from error


def hunted(entry: Entry) -> Recorded | None:
    """The result of the last recorded hunt for an entry of the ledger as it is; None where there is none."""
    return _of(entry, _ledgers())


@cache
def _ledgers() -> dict[str, Any]:
    return _read(FILE)


def _of(entry: Entry, known: Mapping[str, Any]) -> Recorded | None:
    one = known.get(entry.id)
    if one is None or one["statement"] != _words(entry):
        return None
    return Recorded(one["seconds"], one["seed"], from_document(one["found"]))


def merged(found: Told, entries: Mapping[str, Entry], seconds: float, seed: int, file: Path) -> str:
    """The file's text with this result in it, in the place of an older one; what the ledger has no more is left out.

    Raises: as recorded.
    """
    known = _read(file) if file.exists() else {}
    known[found.id] = {"statement": _words(entries[found.id]), "seconds": seconds, "seed": seed, "found": as_document(found)}
    kept = {id: known[id] for id in entries if id in known}  # noqa: A001  # the field's name
    return "{\n" + ",\n".join(f"{json.dumps(id)}: {json.dumps(one)}" for id, one in kept.items()) + "\n}\n"  # noqa: A001


def _read(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _none(file) from error
    if not isinstance(known, dict):
        raise _none(file)
    return known


def _none(file: Path) -> ParameterError:
    return ParameterError(f"{file} is not accepted: a file that `finitedp hunt --record` wrote")
