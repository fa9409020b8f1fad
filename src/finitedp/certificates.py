"""Certificates as files: written whole, large laws in a file beside the certificate; labels that they can hold."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from finitedp.cli.console import as_json_text, write_whole
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.rows import is_label

__all__ = ["file_stem", "with_plain_labels", "write_certificate"]


def write_certificate(folder: Path, stem: str, kept: dict[str, Any], laws: str | None) -> Path:
    """Write what certificate.with_laws_apart gave for the file `stem`.laws, which does not end in .json as certificates do."""
    if laws is not None:
        write_whole(folder / f"{stem}.laws", laws)
    path = folder / f"{stem}.json"
    write_whole(path, as_json_text(kept) + "\n")
    return path


def with_plain_labels(result: AuditResult) -> AuditResult:
    """Labels that a certificate cannot hold as they are written."""
    label = {x: x if is_label(x) else repr(x) for x in result.universe}
    if len(set(label.values())) < len(label):
        return result  # certificate() refuses it

    def plain(data: Any) -> Any:  # noqa: ANN401  # an input
        return tuple(label[x] for x in data) if isinstance(data, tuple) else data

    def renamed(table: Mapping[Any, Any]) -> Mapping[Any, Any]:
        return {plain(data): entry for data, entry in table.items()}

    def placed(found: Any) -> Any:  # noqa: ANN401  # what names two inputs, or nothing
        return None if found is None else evolve(found, left=plain(found.left), right=plain(found.right))

    return evolve(
        result,
        universe=tuple(label.values()),
        stated=None if result.stated is None else tuple((plain(left), plain(right)) for left, right in result.stated),
        laws=renamed(result.laws),
        specified=None if result.specified is None else renamed(result.specified),
        truths=None if result.truths is None else renamed(result.truths),
        witness=placed(result.witness),
        renyi=placed(result.renyi),
        zcdp=placed(result.zcdp),
        miss=None if result.miss is None else evolve(result.miss, input=plain(result.miss.input)),
    )


def file_stem(test: str, number: int) -> str:
    """A file name for an audit: what a reader recognises of the test's name, and a hash that tells it from all others."""
    readable = re.sub(r"[^A-Za-z0-9.]+", "_", test).strip("._")[:100]
    code = hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{readable}-{code}" + (f"-{number}" if number > 1 else "")
