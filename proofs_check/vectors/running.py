"""Runs cases against a program: a line on its standard input for each, a line on its standard output back."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import IO, Any

from attrs import field, frozen

from finitedp.errors import ParameterError
from finitedp.proofs_check.vectors.judging import NONSENSE, OTHER, RIGHT, WRONG, judge
from finitedp.proofs_check.vectors.kinds import Case

DIED, HUNG, LEFT_OUT = "died", "no answer in time", "not run"
VERDICTS = (RIGHT, WRONG, NONSENSE, OTHER, DIED, HUNG, LEFT_OUT)

MOST_STARTS = 10  # a program that died, hung or lost its place is started again for the next case, so often
LONGEST_LINE = 1 << 20  # bytes of an answer
_TICK = 0.05  # seconds between two looks at the clock


@frozen
class Outcome:
    """What came of a case: one of VERDICTS, and why."""

    case: Case = field(repr=False)
    verdict: str
    why: str = ""


def run(
    command: Sequence[str], cases: Iterable[Case], timeout: float, update: Callable[[int], object] = id
) -> Iterator[Outcome]:
    """The outcome of each case, in order.

    Parameters: command, a program with its arguments; timeout, seconds for an answer; update, told how many are done.
    Raises: ParameterError where the program cannot be started.
    """
    starts, program = 0, None
    try:
        for done, case in enumerate(cases):
            update(done)
            if program is None:
                if starts == MOST_STARTS:
                    yield Outcome(case, LEFT_OUT, f"the program was started {starts} times, and failed each time")
                    continue
                program, starts = _Program(command, timeout), starts + 1
            verdict, why = program.ask(case)
            yield Outcome(case, verdict, why)
            if verdict not in (RIGHT, WRONG):
                program.stop()
                program = None
    finally:
        if program is not None:
            program.stop()


class _Program:
    """A program that runs, in a process group of its own, with a clock that ends it where an answer takes too long."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the program runs
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the user's own program
                command, stdin=pipe, stdout=pipe, stderr=self._errors, start_new_session=True
            )
        except (OSError, ValueError) as error:
            self._errors.close()
            raise ParameterError(
                f"the program {command[0]!r} cannot be started: {getattr(error, 'strerror', error)}"
            ) from None
        self._timeout, self._until, self._hung, self._over = timeout, float("inf"), False, Event()
        self._clock = Thread(target=self._watch, daemon=True)
        self._clock.start()

    def _watch(self) -> None:
        while not self._over.wait(_TICK):
            if monotonic() > self._until:
                self._hung = True
                self._kill()
                return

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def ask(self, case: Case) -> tuple[str, str]:
        """The verdict on the answer to a case, and why."""
        reader, writer = self._process.stdout, self._process.stdin
        self._until = monotonic() + self._timeout
        line = b""
        try:
            writer.write(case.line.encode() + b"\n")  # type: ignore[union-attr]  # both are pipes
            writer.flush()  # type: ignore[union-attr]
            line = reader.readline(LONGEST_LINE)  # type: ignore[union-attr]
        except OSError:
            pass  # it closed its input, or was ended: it has died or hung
        self._until = float("inf")
        if self._hung:
            return HUNG, f"no answer within {self._timeout:g} s (is each line flushed?)"
        if not line.endswith(b"\n"):
            return self._end(line)
        return judge(case, line.decode(errors="replace").rstrip("\r\n"))

    def _end(self, line: bytes) -> tuple[str, str]:
        """Why there is no whole line."""
        if len(line) >= LONGEST_LINE:
            return NONSENSE, f"an answer of more than {LONGEST_LINE} bytes"
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.poll()
        how = (
            "closed its output and goes on"
            if code is None
            else f"died of signal {-code}"
            if code < 0
            else f"ended with exit code {code}"
        )
        self._errors.seek(0)
        told = self._errors.read(1 << 16).decode(errors="replace").strip().splitlines()
        return DIED, f"the program {how}" + (f": {told[-1][:200]}" if told else "")

    def stop(self) -> None:
        """End the program, and what it started."""
        self._over.set()
        self._clock.join()
        stdin: Any = self._process.stdin
        with suppress(OSError):
            stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if self._hung else 0.5)
        self._kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()
