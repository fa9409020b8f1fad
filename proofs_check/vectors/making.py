"""The sets of vectors: made, written, read, and the small one as it is shipped.

The same sources make the same bytes: there is no time, machine or randomness in them.
"""

import json
import lzma
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from finitedp.errors import ParameterError
from finitedp.proofs_check.vectors import audits, certificates, conditions, draws, histograms, laws, parsing, plans
from finitedp.proofs_check.vectors.flags import notes
from finitedp.proofs_check.vectors.groups import Group, with_numbers
from finitedp.proofs_check.vectors.kinds import KINDS, VERSION, Case, cases_of, schema

SIZES = ("small", "large")
SHIPPED = "small.json.xz"

Document = dict[str, Any]

_MAKERS: dict[str, Callable[..., Iterator[Group]]] = {
    "Build": conditions.build_groups,
    "Table": conditions.table_groups,
    "Certificate": certificates.certificate_groups,
    "Audit": audits.audit_groups,
    "Draw": draws.draw_groups,
    "Release": histograms.release_groups,
    "Threshold": histograms.threshold_groups,
    "Claim": histograms.claim_groups,
    "Law": histograms.law_groups,
    "Plan": plans.plan_groups,
    "Private": laws.private_groups,
    "Pair": laws.pair_groups,
    "Curve": laws.curve_groups,
    "Composition": laws.composition_groups,
    "Parse": parsing.parse_groups,
}


def file_of(kind: str) -> str:
    """The name of the file of a type."""
    return f"{kind.lower()}.json"


def made(kind: str, size: str) -> Document:
    """The file of a type, made from the definitions."""
    groups = list(with_numbers(kind, _MAKERS[kind](large=size == "large")))
    tests = [test for group in groups for test in group["tests"]]
    flags = {flag for test in tests for flag in test["flags"]}
    about = {"algorithm": KINDS[kind].algorithm, "schema": f"{kind.lower()}.schema.json", "version": VERSION}
    return {**about, "numberOfTests": len(tests), "notes": notes(flags), "testGroups": groups}


def as_text(document: Document) -> str:
    """A file as JSON: a line for each test."""
    return json.dumps(document, ensure_ascii=False).replace('{"tcId"', '\n{"tcId"').replace('], "tests"', '],\n"tests"') + "\n"


def texts(found: Mapping[str, Document]) -> dict[str, str]:
    """All files to write, by name: those of the types, each with its schema beside it."""
    whole = {file_of(kind): as_text(document) for kind, document in found.items()}
    return whole | {found[kind]["schema"]: json.dumps(schema(kind), indent=1) + "\n" for kind in found}


# As shipped


def packed(found: Mapping[str, Document]) -> bytes:
    """A set as one compressed file."""
    return lzma.compress(json.dumps(found, ensure_ascii=False).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpacked(data: bytes) -> dict[str, Document]:
    """A set from its compressed file."""
    found: dict[str, Document] = json.loads(lzma.decompress(data))
    return found


@cache
def shipped() -> dict[str, Document]:
    """The small set, by type."""
    return unpacked(files("finitedp.proofs_check.vectors").joinpath(SHIPPED).read_bytes())


def documents(size: str, kinds: tuple[str, ...] = ()) -> dict[str, Document]:
    """The files of a set, of all types or of some, by type. Cost: the large one is made, in about a minute."""
    chosen = [kind for kind in KINDS if kind in kinds or not kinds]
    return {kind: shipped()[kind] for kind in chosen} if size == "small" else {kind: made(kind, size) for kind in chosen}


# Reading


def read(folder: Path, kinds: tuple[str, ...] = ()) -> dict[str, Document]:
    """The files that a folder has, by type. Raises: ParameterError for what is no file of this version, OSError."""
    there = [kind for kind in KINDS if (folder / file_of(kind)).exists()]
    missing = [kind for kind in kinds if kind not in there]
    if missing or not there:
        raise ParameterError(f"{folder} has no {file_of(missing[0]) if missing else 'file of vectors'}")
    return {kind: _checked(folder / file_of(kind), kind) for kind in there if kind in kinds or not kinds}


def _checked(file: Path, kind: str) -> Document:
    """A file, where it has what a run needs. Raises: ParameterError, OSError."""
    try:
        document = json.loads(file.read_bytes().decode())
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{file} is no JSON, or only a part of it: {error}") from None
    version = document.get("version") if isinstance(document, dict) else None
    if version != VERSION:
        raise ParameterError(f"{file} has version {version!r}; accepted: {VERSION!r}")
    try:
        found = list(cases_of(document))
        if document["numberOfTests"] != len(found) or any(not _whole(case, kind) for case in found):
            raise ParameterError(f"{file} does not hold the {document['numberOfTests']} cases that it names")
    except (AttributeError, LookupError, TypeError) as error:
        raise ParameterError(f"{file} is not as {kind.lower()}.schema.json says: {type(error).__name__}: {error}") from None
    return cast(Document, document)


def _whole(case: Case, kind: str) -> bool:
    """Whether a case has its line, and what is expected."""
    outputs = KINDS[kind].outputs if case.test["result"] != "invalid" else ()
    known = case.test["result"] in ("valid", "acceptable", "invalid") and all(
        flag in case.notes for flag in case.test["flags"]
    )
    return case.kind == kind and known and bool(case.line) and all(name in case.test for name in outputs)
