"""Where audits that take long are watched: how much mass is open at each input, when the time is up, whether to stop.

A folder of small files, so that processes that share the work see the same board. What is stopped keeps what it has found: the
mass that is still open is unresolved, and counts as such.
"""

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from shutil import rmtree
from time import time

from attrs import define, evolve, field, frozen

_LOOKING = 0.2  # seconds between two looks at the board


@frozen
class Board:
    """A board, for whoever started the audit and for the processes that do the work.

    folder: its files; seconds: for all inputs together, from when the work begins, and ends: the time at which they are over;
    None without a limit.
    """

    folder: Path
    seconds: float | None = None
    ends: float | None = None

    def begun(self) -> "Board":
        """The same board, for work that begins now."""
        return self if self.seconds is None else evolve(self, ends=time() + self.seconds)

    def stop(self, reason: str) -> None:
        """Ask all work to end with what it has. Parameters: reason, for the certificate."""
        with suppress(OSError):
            (self.folder / "stop").write_text(reason)

    def interrupted(self, *_signal: object) -> None:
        """What Ctrl-C does. Raises: KeyboardInterrupt, the second time."""
        if self.stopped is not None:
            raise KeyboardInterrupt
        self.stop("interrupted")

    @property
    def stopped(self) -> str | None:
        """Why the work was asked to end; None where it was not."""
        try:
            return (self.folder / "stop").read_text()
        except OSError:
            return None

    def open_masses(self) -> list[float]:
        """The open mass of each input that is being explored."""
        found = []
        for path in self.folder.glob("open-*"):
            with suppress(OSError, ValueError):
                found.append(float(path.read_text()))
        return sorted(found, reverse=True)

    def watch(self, position: int, inputs: int, jobs: int) -> "Watch":
        """The watch over one input, which has its share of the time that is left.

        Parameters: position, among so many inputs that are begun in order; jobs, how many of them at once.
        """
        if self.ends is None:
            return Watch(self, position)
        now, rounds = time(), -(-(inputs - position) // jobs)
        share = max(self.ends - now, 0.0) / rounds
        return Watch(self, position, share, now + share)


UNWATCHED = Board(Path(os.devnull))
"""A board that nobody looks at, on which nothing can be written."""


@define
class Watch:
    """What the explorer calls about each run, with the open mass: whether to stop.

    share: the seconds of one input, and ends: the time at which they are over; infinite without a limit.
    """

    board: Board
    position: int
    share: float = inf
    ends: float = inf
    timed_out: bool = field(default=False, init=False)
    _looked: float = field(default=0.0, init=False)
    _stopped: bool = field(default=False, init=False)

    def __call__(self, open_mass: float) -> bool:
        """Whether to stop here."""
        now = time()
        if now > self.ends:
            self.timed_out = True
            return True
        if now - self._looked >= _LOOKING:
            self._looked = now
            self._stopped = self.board.stopped is not None
            with suppress(OSError):
                self._file.write_text(repr(open_mass))
        return self._stopped

    def close(self) -> None:
        """The input is done."""
        with suppress(OSError):
            self._file.unlink()

    @property
    def _file(self) -> Path:
        return self.board.folder / f"open-{self.position}"


@contextmanager
def board(seconds: float | None = None) -> Iterator[Board]:
    """A board that Ctrl-C stops: the first one asks the work to end with what it has, the second one interrupts."""
    folder = Path(tempfile.mkdtemp(prefix="finitedp-board-"))
    made = Board(folder, seconds)
    here = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, made.interrupted) if here else None
    try:
        yield made
    finally:
        if here:
            signal.signal(signal.SIGINT, before)
        rmtree(folder, ignore_errors=True)
