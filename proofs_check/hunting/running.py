"""Hunts of several entries, each in a process of its own, which is ended where one instance takes for ever."""

import json
import subprocess
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from threading import Event

from finitedp.proofs_check.hunting.told import Told, from_document
from finitedp.proofs_check.ledger.entry import Entry

_WORKER = ["-m", f"{__package__}.worker"]


def why_not_hunted(entry: Entry) -> str | None:
    """Why no counterexample of an entry is looked for; None where one is: it speaks of all instances, and each is decided."""
    if entry.expects == "refuted":
        return "refuted already"
    if entry.proof:
        return "proved for all parameters"
    if entry.sampled:
        return "sampled"
    return "measured at several sizes" if entry.measured else None


def hunt_all(chosen: Sequence[Entry], seconds: float, seed: int, jobs: int = 1) -> Generator[Told, None, None]:
    """What the hunts say, as they end. Parameters: seconds of processor time for each; jobs, processes at the same time.

    Closing the generator ends the processes. A worker that fails raises nothing: what it said last is what is told.
    """
    running, over = set[subprocess.Popen[bytes]](), Event()

    def one(entry: Entry) -> Told:
        command = [sys.executable, *_WORKER, entry.module, entry.id, str(seconds), str(seed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:  # noqa: S603  # our own
            running.add(process)
            if over.is_set():  # it began while the others were ended
                process.kill()
            try:
                return _heard(entry.id, process)
            finally:
                running.discard(process)

    pool = ThreadPoolExecutor(jobs)
    waiting: set[Future[Told]] = {pool.submit(one, entry) for entry in chosen}
    try:
        while waiting:
            done, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in done)
    finally:
        over.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            with suppress(ProcessLookupError):
                process.kill()
        pool.shutdown(wait=True)


def _heard(id: str, process: subprocess.Popen[bytes]) -> Told:  # noqa: A002  # the field's name
    """What a worker said last; where it did not end by itself, with the instance at which it was."""
    found, now = Told(id), b'""'
    for line in process.stdout or ():
        if line.startswith(b"{"):
            with suppress(ValueError):  # cut off in the middle
                found, now = from_document(json.loads(line)), b'""'
        else:
            now = line
    if process.wait() == 0:
        return found
    try:
        return found.hanging(json.loads(now))
    except ValueError:
        return found.hanging("")
