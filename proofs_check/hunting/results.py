"""What hunts found, kept as the ledger's data: results.json beside this module, which `finitedp hunt --record` writes.

A result is of one statement, and of no other that later stands under the same id: it is kept with a digest of the words.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import frozen

from finitedp.proofs_check.hunting.told import Told, as_document, from_document
from finitedp.proofs_check.ledger.entry import Entry

__all__ = ["FILE", "Recorded", "in_words", "merged", "recorded"]

FILE = Path(__file__).with_name("results.json")


@frozen
class Recorded:
    """What a hunt of so many seconds of processor time, by a seed, found of a statement."""

    seconds: float
    seed: int
    found: Told


def _digest(entry: Entry) -> str:
    words = "\n".join((entry.statement, entry.quantifiers, entry.reach))
    return sha256(words.encode()).hexdigest()[:16]


def recorded(entry: Entry, file: Path = FILE) -> Recorded | None:
    """The result of the last hunt for an entry as it is; None where there is none."""
    document = _read(file).get(entry.id)
    if document is None or document["statement"] != _digest(entry):
        return None
    return Recorded(document["seconds"], document["seed"], from_document(document["found"]))


def merged(found: Sequence[Told], entries: Mapping[str, Entry], seconds: float, seed: int, file: Path = FILE) -> str:
    """The file's text with these results in it, each in the place of an older one; what the ledger has no more is left out."""
    known = {id: one for id, one in _read(file).items() if id in entries}  # noqa: A001  # the field's name
    for one in found:
        known[one.id] = {
            "statement": _digest(entries[one.id]),
            "seconds": seconds,
            "seed": seed,
            "found": as_document(one),
        }
    return json.dumps({id: known[id] for id in entries if id in known}, indent=1) + "\n"  # noqa: A001  # as above


def _read(file: Path) -> dict[str, dict[str, Any]]:
    known: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.exists() else {}
    return known


_FEW_FIELDS = 4


def in_words(result: Recorded) -> str:
    """Hunted to n = 96: 0.93, not rising."""
    found = result.found
    reached = ", ".join(f"{name} = {most}" for name, most in list(found.reached.items())[:_FEW_FIELDS])
    scope = "" if found.declared else "; the scope is inferred from the grid"
    how = f"{found.tried} instances in {result.seconds:g} s, seed {result.seed}{scope}"
    if found.false_at:
        return f"a counterexample: {found.false_at} ({how})"
    to = f" to {reached}" if reached else ""
    load = f"{found.load}, {'rising' if found.rising else 'not rising'} from {found.grid_load} on the grid"
    return f"hunted{to}: {load}{', stopped at ' + found.hung_at if found.hung_at else ''} ({how})"
