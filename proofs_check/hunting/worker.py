"""One hunt in a process of its own: python -m finitedp.proofs_check.hunting.worker MODULE ID SECONDS SEED.

It prints JSON lines: a text, which is the instance that is decided just now, and at least once a second, where no single
instance takes longer, what was found by then. An instance that takes a quarter of the time is given up, but not within a call
of another library; the system ends the process when it has used more than twice the time and 20 seconds.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import process_time

from finitedp.proofs_check.hunting.hunting import Hunt, TooLongError
from finitedp.proofs_check.hunting.seen import Hunted, Tried
from finitedp.proofs_check.hunting.told import as_document, told
from finitedp.proofs_check.ledger.entry import registered

_OFTEN = 0.5  # seconds
_MOST_MEMORY = 4 << 30  # bytes


def most_seconds(seconds: float) -> int:
    """The processor time after which a hunt of so many seconds is ended."""
    return int(2 * seconds) + 20


def alarm() -> Callable[[float], object]:
    """What makes TooLongError be raised in the main thread after so many seconds of processor time, 0 for never."""

    def too_long(_signal: int, _frame: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGPROF, too_long)
    return partial(signal.setitimer, signal.ITIMER_PROF)


def main(module: str, id: str, seconds: str, seed: str) -> None:  # noqa: A002  # the field's name
    """Hunt, and say what is found."""
    limit = most_seconds(float(seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    said = -_OFTEN
    before: Tried | None = None

    def say(document: object) -> None:
        os.write(1, json.dumps(document).encode() + b"\n")

    def note(instance: str, found: Hunted) -> None:
        nonlocal said, before
        if process_time() - said > _OFTEN or found.counterexample is not before:
            said, before = process_time(), found.counterexample
            say(as_document(told(found, said)))
        say(instance[:2_000])

    import_module(module)
    hunt = Hunt(registered()[id], float(seconds), int(seed), note, alarm=alarm())
    say(as_document(told(hunt.run(), process_time())))


if __name__ == "__main__":
    main(*sys.argv[1:])
