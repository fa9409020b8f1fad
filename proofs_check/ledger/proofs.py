"""Entries that are proved: each re-checks a proof object by its lone checker, and its twins edit the code that is proved.

A twin is an edit of a source, of the kind that a tired programmer makes. The statement must not be provable of the edited code: the
checker refuses it at a step of the proof, or numbers refute what the statement comes down to, never because a hash differs.
"""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple, cast

from attrs import frozen
from gmpy2 import mpq

from finitedp.proofs_check.ledger.entry import Cases, Check, Finding, Kind, entry
from finitedp.proofs_check.proofs import proof_checker, structure, structure_checker

__all__ = ["FORMATS", "OBJECTS", "REFUSED", "Edit", "Named", "named", "proved", "proves", "read", "rechecked", "steps_of"]

FORMATS = ("finitedp proof", structure_checker.FORMAT)
REFUSED = (proof_checker.Refused, structure_checker.Refused)
OBJECTS = Path(__file__).resolve().parents[1] / "proofs" / "objects"
ROOT = OBJECTS.parents[2]


@frozen
class Edit:
    """A twin: the one place of a module where `old` stands says `new` instead."""

    module: str
    old: str
    new: str

    def of(self, text: str) -> str:
        """The edited text. Raises: ValueError where `old` does not stand there once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.old!r} stands {text.count(self.old)} times in {self.module}, and not once")
        return text.replace(self.old, self.new)


@cache
def read(name: str) -> dict[str, Any]:
    """A proof object that finitedp brings, by the name of its file. Raises: OSError, ValueError."""
    return cast(dict[str, Any], json.loads((OBJECTS / f"{name}.json").read_text(encoding="utf-8")))


def proves(document: dict[str, Any]) -> list[str]:
    """What a proof object proves, re-checked: ids of claims, or the name of a statement. Raises: Refused, of its checker."""
    if document.get("format") == structure_checker.FORMAT:
        structure_checker.check(document)
        return [document["statement"]]
    return proof_checker.check(document)


def named(document: dict[str, Any]) -> list[str]:
    """What a proof object that was accepted says that it proves: ids of claims, or the name of a statement."""
    if document["format"] == structure_checker.FORMAT:
        return [document["statement"]]
    return [proven["claim"] for proven in document["proves"]]


def steps_of(document: dict[str, Any]) -> list[str]:
    """The names of a proof object's steps."""
    return (
        [*document["steps"]]
        if document["format"] == structure_checker.FORMAT
        else [node["name"] for node in document["nodes"]]
    )


class Named(NamedTuple):
    """What an entry's check re-checks: a proof object, and what of all that it proves."""

    proof: str
    statement: str


def proved(
    id: str,  # noqa: A002  # the field's name
    kind: Kind,
    statement: str,
    *,
    over: str,
    code: Sequence[str],
    proof: str,
    twins: Mapping[str, Edit],
    of: str = "",
) -> Callable[[Check], Check]:
    """Register the decorated check, which is `rechecked`, as an entry that is proved for all parameters.

    Parameters: proof, the name of the proof object; of, what the object calls the statement, by default the id; the rest as in entry.
    """
    grid = Cases([Named(proof, of or id)])
    return entry(id, kind, statement, over=over, code=code, grid=grid, subject=None, twins=twins, proof=proof)


def rechecked(edit: Edit | None, named: Named) -> Finding:
    """Whether a proof object proves a statement; of edited code, whether the statement may still be provable."""
    document = read(named.proof)
    if edit is not None:
        why = _refuted(document, edit, named.statement)
        return Finding(why is None, mpq(1), "provable all the same" if why is None else why)
    found = proves(document)
    holds = named.statement in found
    return Finding(
        holds, mpq(0), f"{len(steps_of(document))} steps re-checked" if holds else f"what is proved: {', '.join(found)}"
    )


def _refuted(document: dict[str, Any], edit: Edit, wanted: str) -> str | None:
    """Why what is wanted cannot be proved of the edited code, or None."""
    if document["format"] == structure_checker.FORMAT:
        return structure.refutation(document["statement"], edit.of(document["code"]["source"]))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for part in ("impl", "spec"):
            copytree(ROOT / part, root / part, ignore=lambda _, names: [n for n in names if n == "__pycache__"])
        path = root.joinpath(*edit.module.removeprefix("finitedp.").split(".")).with_suffix(".py")
        path.write_text(edit.of(path.read_text(encoding="utf-8")), encoding="utf-8")
        try:
            found = proof_checker.check(proof_checker.with_code(document, root), root)
        except proof_checker.Refused as refused:
            return str(refused)
    return None if wanted in found else f"{wanted} is not proved"
