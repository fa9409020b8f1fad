"""Certificates as files: written whole, large laws in a file beside the certificate."""

from pathlib import Path
from typing import Any

from finitedp.cli.console import as_json_text, write_whole

__all__ = ["write_certificate"]


def write_certificate(folder: Path, stem: str, kept: dict[str, Any], laws: str | None) -> Path:
    """Write what certificate.with_laws_apart gave for the file `stem`.laws, which does not end in .json as certificates do."""
    if laws is not None:
        write_whole(folder / f"{stem}.laws", laws)
    path = folder / f"{stem}.json"
    write_whole(path, as_json_text(kept) + "\n")
    return path
