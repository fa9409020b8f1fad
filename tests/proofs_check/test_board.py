"""Audits that are stopped: by the time limit, and by Ctrl-C, with what had been found."""

import os
import signal
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp import PrivacyClaim
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.board import Board, board


def endless(number: int, rng: Any) -> int:
    """A loop without a bound, of which 2^-64 is open after 64 runs."""
    while rng.getrandbits(1):
        number += 1
    return number


def stopped(on: Board, mechanism: Any = endless) -> AuditResult:
    return audit(mechanism, PrivacyClaim(1, "counts"), n=1, board=on)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by a second each time that it is looked at."""
    ticks = count()
    monkeypatch.setattr("finitedp.proofs_check.board.time", lambda: next(ticks))


@pytest.mark.usefixtures("clock")
def test_a_time_limit_leaves_what_was_found() -> None:
    with board(12) as watched:
        found = stopped(watched)
    assert found.derived["stopped"] == "time limit of 12 s"
    assert all(law.probabilities and law.unresolved for law in found.laws.values())
    assert checker.check(certificate(found)) is None


def test_without_a_limit_nothing_is_stopped() -> None:
    with board() as watched:
        found = stopped(watched, lambda number, rng: number + rng.getrandbits(2))
    assert (found.unresolved, "stopped" in found.derived) == (mpq(0), False)


def interrupting(times: int) -> Any:
    """A mechanism that presses Ctrl-C itself."""
    left = iter(range(times))

    def mechanism(number: int, rng: Any) -> int:
        for _ in left:
            os.kill(os.getpid(), signal.SIGINT)
        return endless(number, rng)

    return mechanism


@pytest.fixture
def usual_handler() -> Iterator[Any]:
    before = signal.getsignal(signal.SIGINT)
    yield before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("clock")
def test_ctrl_c_asks_the_work_to_end_with_what_it_has(usual_handler: Any) -> None:
    with board() as watched:
        assert signal.getsignal(signal.SIGINT) is not usual_handler
        found = stopped(watched, interrupting(1))
    assert found.derived["stopped"] == "interrupted"
    assert found.laws[1].unresolved == 1  # it was not begun
    assert (found.private, checker.check(certificate(found))) == ("undecided", None)


@pytest.mark.usefixtures("usual_handler", "clock")
def test_ctrl_c_twice_interrupts() -> None:
    with board() as watched, pytest.raises(KeyboardInterrupt):
        stopped(watched, interrupting(2))


def test_a_watch_says_how_much_is_open() -> None:
    with board() as watched:
        watch = watched.watch(0, 2, 1)
        assert not watch(0.5)
        assert watched.open_masses() == [0.5]
        watch.close()
        assert (watched.open_masses(), watched.stopped) == ([], None)
    assert not watched.folder.exists()


def test_each_input_has_its_share_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finitedp.proofs_check.board.time", lambda: 100.0)
    with board(8.0) as watched:
        begun = watched.begun()
        assert [begun.watch(position, 4, 2).share for position in range(4)] == [4, 4, 8, 8]
        monkeypatch.setattr("finitedp.proofs_check.board.time", lambda: 106.0)
        assert begun.watch(1, 4, 2).share == 1
        monkeypatch.setattr("finitedp.proofs_check.board.time", lambda: 200.0)
        assert begun.watch(3, 4, 2).share == 0
