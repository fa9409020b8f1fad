"""Copies of the library in which a module is edited, for a checker that runs what is installed."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import finitedp

HERE = Path(finitedp.__file__).resolve().parent


@contextmanager
def copied(edits: Mapping[str, str]) -> Iterator[Path]:
    """A folder with the package finitedp, whose modules are links but for some. Parameters: edits, the sources by path."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in HERE.iterdir():
            if path.name != "__pycache__":
                place(root / "finitedp", path)
        for name, text in edits.items():
            path = root / "finitedp" / name
            unlinked(root / "finitedp", path.parent)
            path.unlink(missing_ok=True)
            path.write_text(text, encoding="utf-8")
        yield root


def place(folder: Path, path: Path) -> None:
    """A link in a folder, which is made."""
    folder.mkdir(exist_ok=True)
    (folder / path.name).symlink_to(path)


def unlinked(top: Path, folder: Path) -> None:
    """A folder below the top is one of its own, with links to what is in it."""
    if folder != top:
        unlinked(top, folder.parent)
    if folder.is_symlink():
        linked = folder.resolve()
        folder.unlink()
        for path in linked.iterdir():
            if path.name != "__pycache__":
                place(folder, path)


def source(name: str) -> str:
    """The source of a module, by its path below finitedp."""
    return (HERE / name).read_text(encoding="utf-8")


def with_edit(name: str, old: str, new: str) -> dict[str, str]:
    """A module in which the one place where `old` stands says `new`."""
    text = source(name)
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
    return {name: text.replace(old, new)}
