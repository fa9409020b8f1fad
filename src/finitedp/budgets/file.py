"""A file of lines to which lines are only added, each with the hash of the one before it: what a budget has charged.

A line is on the disk before `append` returns. One that was torn, since the machine or the process died while it was written,
stays where it is, and whoever reads the file is told of it.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from finitedp.errors import DataError

__all__ = ["BudgetFile", "Line"]


@frozen
class Line:
    """A line as it stands: its text, and the JSON object in it, None of a line that was torn."""

    text: str
    document: dict[str, Any] | None


def _hash(line: bytes) -> str:
    return sha256(line).hexdigest()


@define
class BudgetFile:
    """The file of a budget, as far as it was read.

    Within `locked` no other process reads or adds. Raises: OSError; DataError for a file that was changed other than by
    adding lines.
    """

    path: Path
    _read: int = field(default=0, init=False)
    _last: bytes = field(default=b"", init=False)
    _file: int = field(default=-1, init=False)

    @classmethod
    def new(cls, path: Path, header: dict[str, Any]) -> None:
        """Make the file, which must not exist, with its first line. Raises: FileExistsError, OSError."""
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _write(file, json.dumps(header).encode() + b"\n")
        finally:
            os.close(file)
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    @contextmanager
    def locked(self) -> Iterator[list[Line]]:
        """The lines that were added since the last time, read while nobody else writes."""
        self._file = os.open(self.path, os.O_RDWR | os.O_APPEND)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            yield self._new_lines()
        finally:
            os.close(self._file)  # which takes the lock back
            self._file = -1

    def append(self, document: dict[str, Any]) -> None:
        """Add a line, within `locked`. On return it is on the disk; after an error it may be, or a part of it."""
        line = json.dumps({**document, "previous": _hash(self._last)}).encode()
        torn = b"" if self._is_whole() else b"\n"
        _write(self._file, torn + line + b"\n")
        self._read += len(torn) + len(line) + 1
        self._last = line

    def _is_whole(self) -> bool:
        return os.pread(self._file, 1, self._read - 1) == b"\n"

    def _new_lines(self) -> list[Line]:
        size = os.fstat(self._file).st_size
        end = self._last if self._read == 0 or not self._is_whole() else self._last + b"\n"
        if size < self._read or os.pread(self._file, len(end), self._read - len(end)) != end:
            raise self._changed("it does not end where it did, or its last line is another")
        added = os.pread(self._file, size - self._read, self._read)
        if self._read and not self._is_whole() and added:  # the rest of a torn line, or the end that was put to it
            if not added.startswith(b"\n"):
                raise self._changed("there is more in a line that was torn")
            added = added[1:]
        self._read = size
        return [self._line(line) for line in added.removesuffix(b"\n").split(b"\n")] if added else []

    def _line(self, line: bytes) -> Line:
        before, self._last = self._last, line
        text = line.decode(errors="replace")
        try:
            document = json.loads(text)
        except ValueError:
            return Line(text, None)
        if not isinstance(document, dict):
            raise self._changed(f"a line is {text[:40]!r}")
        if before and document.get("previous") != _hash(before):
            raise self._changed("a line does not follow from the one before it")
        return Line(text, document)

    def _changed(self, why: str) -> DataError:
        return DataError(f"{self.path} was changed, or is no budget: {why}; accepted: a file that only Budget added to")


def _write(file: int, text: bytes) -> None:
    """All of it, onto the disk."""
    left = text
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)
