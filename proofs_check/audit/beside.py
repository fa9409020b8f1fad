"""The modules that stand beside a file and that it imports: itself, or by way of each other."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Beside(NamedTuple):
    """A module in the folder of a file: where it is, and the SHA-256 of its text."""

    path: Path
    sha256: str


def local_imports(place: Path, text: bytes) -> dict[str, Beside]:
    """The modules by name, as Python finds them from the file's folder. Parameters: place, of the file, resolved."""
    imports: dict[str, Beside] = {}
    left = [(place, text)]
    while left:
        path, source = left.pop()
        for name in _imported(source, path, place.parent):
            file = _file_of(name, place.parent)
            if file is not None and name not in imports and file != place:
                try:
                    inner = file.read_bytes()
                except OSError:
                    continue  # importing it says so
                imports[name] = Beside(file, hashlib.sha256(inner).hexdigest())
                left.append((file, inner))
    return imports


def _imported(source: bytes, path: Path, folder: Path) -> Iterator[str]:
    """All names that might be of modules, those of packages around them included; also in functions."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return  # importing it says so
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = _package(path, folder, node.level) if node.level else ""
            base = ".".join(part for part in (start, node.module) if part)
            names = [base, *(f"{base}.{alias.name}" if base else alias.name for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: k + 1]) for k in range(len(parts)))


def _package(path: Path, folder: Path, level: int) -> str:
    """What a relative import of a file starts from."""
    parts = path.parent.relative_to(folder).parts if path.is_relative_to(folder) else ()
    return ".".join(parts[: len(parts) - level + 1])


def _file_of(name: str, folder: Path) -> Path | None:
    """The file of a module of this name, if it is in the folder."""
    stem = folder.joinpath(*name.split("."))
    candidates = (stem / "__init__.py", stem.parent / f"{stem.name}.py")
    return next((file.resolve() for file in candidates if name and file.is_file()), None)
