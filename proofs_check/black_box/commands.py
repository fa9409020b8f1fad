"""A closed program as a sampler: it reads a dataset from standard input and prints an output.

No shell runs it, and it is told nothing but the dataset and, if it asks, the number of samples. POSIX only.
"""

import os
import selectors
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import IO, Any, NoReturn

from attrs import field, frozen

from finitedp.errors import ParameterError, SamplerError
from finitedp.exact import integer
from finitedp.proofs_check.limits import MOST_AT_ONCE, MOST_BYTES

_NUMBER = "{samples}"
_LAST_WORDS = 2000  # bytes of standard error that are kept


def _arguments(value: str | Sequence[str]) -> tuple[str, ...]:
    try:
        parts = tuple(shlex.split(value)) if isinstance(value, str) else tuple(value)
    except ValueError as error:
        raise ParameterError(f"the command {value!r} cannot be split into words: {error}") from None
    if not parts or not all(isinstance(part, str) for part in parts) or not parts[0]:
        raise ParameterError(f"the command {value!r} is empty; accepted: a program with its arguments")
    if any("\0" in part for part in parts):
        raise ParameterError("an argument of the command holds a null byte")
    return parts


def _seconds(value: int) -> int:
    return integer(value, "timeout", 1, 86_400)


@frozen
class Command:
    """A sampler that runs a program: the dataset on standard input, one row on each line (a count: the count).

    If an argument contains {samples}, the program is asked for that many outputs in one run, one on each line, and must give
    independent ones; else it is run once for each sample, and all that it prints is the output, without the last newline.
    What is printed as Python prints a number is that number.
    Parameters: argv, the program and its arguments, or a string that is split as a shell would (no shell runs); timeout, the
    seconds that one run may take; folder, where it runs (None: here). Raises: ParameterError; when called, SamplerError for
    a program that is not found, fails, hangs, or prints nothing, too little or too much.
    """

    argv: tuple[str, ...] = field(converter=_arguments)
    timeout: int = field(converter=_seconds, default=60)
    folder: Path | None = None

    def __call__(self, data: Any, samples: int) -> Iterator[Hashable]:  # noqa: ANN401  # a count or rows
        """`samples` outputs at an input."""
        with tempfile.TemporaryFile() as stdin:
            stdin.write(_as_lines(data))
            if not any(_NUMBER in part for part in self.argv):
                for _ in range(samples):
                    yield self._one(stdin)
                return
            for start in range(0, samples, MOST_AT_ONCE):
                yield from self._many(stdin, min(MOST_AT_ONCE, samples - start))

    def _one(self, stdin: IO[bytes]) -> Hashable:
        text = self._run(self.argv, stdin)
        if not text:
            raise SamplerError(f"the command {self.argv[0]!r} printed nothing; accepted: one output")
        return _as_output(text.removesuffix("\n"))

    def _many(self, stdin: IO[bytes], samples: int) -> list[Hashable]:
        argv = tuple(part.replace(_NUMBER, str(samples)) for part in self.argv)
        text = self._run(argv, stdin)
        lines = text.removesuffix("\n").split("\n") if text else []
        if len(lines) != samples:
            what = f"{len(lines)} lines" if lines else "nothing"
            raise SamplerError(f"the command {argv[0]!r} printed {what}; accepted: {samples} lines, one for each sample")
        return [_as_output(line) for line in lines]

    def _run(self, argv: Sequence[str], stdin: IO[bytes]) -> str:
        """Standard output of one run. The program, and what it started, is ended where it takes too long."""
        stdin.seek(0)
        to = subprocess.PIPE
        try:
            process = subprocess.Popen(argv, stdin=stdin, stdout=to, stderr=to, cwd=self.folder, start_new_session=True)  # noqa: S603
        except OSError as error:
            raise SamplerError(f"the command {argv[0]!r} cannot be run: {error.strerror or error}") from None
        try:
            output, last_words = self._read(process, argv[0])
            code = self._wait(process, argv[0])
        finally:
            if process.poll() is None:
                _end(process)
            for pipe in (process.stdout, process.stderr):
                pipe.close()  # type: ignore[union-attr]  # both are pipes
            process.wait()
        if code:
            reason = signal.strsignal(-code) if code < 0 else f"exit code {code}"
            raise SamplerError(f"the command {argv[0]!r} failed: {reason}{_ending(last_words)}")
        try:
            return output.decode()
        except UnicodeDecodeError:
            raise SamplerError(f"the command {argv[0]!r} printed what is not UTF-8") from None

    def _read(self, process: "subprocess.Popen[bytes]", name: str) -> tuple[bytes, bytes]:
        """Standard output, and the end of standard error. Raises: SamplerError after the timeout, or for too much output."""
        end = monotonic() + self.timeout
        output, last_words = bytearray(), bytearray()
        with selectors.DefaultSelector() as pipes:
            for stream, kept in ((process.stdout, output), (process.stderr, last_words)):
                pipes.register(stream, selectors.EVENT_READ, kept)  # type: ignore[arg-type]  # both are pipes
            while pipes.get_map():
                for key, _ in pipes.select(max(0, end - monotonic())):
                    chunk = os.read(key.fd, 1 << 16)
                    key.data.extend(chunk)
                    if not chunk:
                        pipes.unregister(key.fileobj)
                del last_words[:-_LAST_WORDS]
                if len(output) > MOST_BYTES:
                    self._stop(process, f"the command {name!r} printed more than 2^30 bytes")
                if monotonic() > end:
                    self._stop(process, f"the command {name!r} took longer than {self.timeout} s")
        return bytes(output), bytes(last_words)

    def _wait(self, process: "subprocess.Popen[bytes]", name: str) -> int:
        try:
            return process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self._stop(process, f"the command {name!r} took longer than {self.timeout} s")

    @staticmethod
    def _stop(process: "subprocess.Popen[bytes]", message: str) -> NoReturn:
        _end(process)
        raise SamplerError(message)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program together with the processes that it started, which are a group of their own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _ending(last_words: bytes) -> str:
    lines = last_words.decode(errors="replace").strip().splitlines()
    return f": {lines[-1].strip()[:200]}" if lines else ""


def _as_output(text: str) -> Hashable:
    """What was printed, as a number where it is written as Python would write it, so that no other spelling is lost."""
    line = text.removesuffix("\r")
    for number in (int, float):
        with suppress(ValueError):
            if len(line) < 400 and repr(number(line)) == line and line not in ("nan", "-0.0"):
                return number(line)
    return line


def _as_lines(data: Any) -> bytes:  # noqa: ANN401  # a count or rows
    """A dataset as the program reads it. Raises: ParameterError for a row that is neither a string nor an integer."""
    rows = data if isinstance(data, tuple) else (data,)
    for row in rows:
        if isinstance(row, bool) or not isinstance(row, int | str):
            raise ParameterError(f"the row {row!r} is a {type(row).__name__}; accepted: strings and integers")
        if isinstance(row, str) and ("\n" in row or "\r" in row):
            raise ParameterError(f"the row {row!r} has more than one line; accepted: rows of one line")
    return "".join(f"{row}\n" for row in rows).encode("utf-8", "surrogateescape")
