"""Hunts in processes of their own."""

from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.proofs_check.hunting import running, worker
from finitedp.proofs_check.hunting.coordinates import coordinates
from finitedp.proofs_check.hunting.running import hunt_all, why_not_hunted
from finitedp.proofs_check.hunting.seen import Hunted, Tried
from finitedp.proofs_check.hunting.told import told
from tests.proofs_check.hunting import toys

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def toys_are_hunted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(running, "_WORKER", ["-m", "tests.proofs_check.hunting.toy_worker"])


def test_what_was_found_comes_from_the_workers() -> None:
    with closing(hunt_all([toys.FALSE_FROM_40, toys.TRUE], 0.5, 1, 2)) as arriving:
        found = {one.id: one for one in arriving}
    false, true = found["TOY.false-from-40"], found["TOY.true"]
    assert (false.false_at, false.says, false.declared, false.hung_at) == ("Number(n=40)", "as a toy says", True, "")
    assert (true.false_at, true.load, true.grid_load, true.rising) == ("", "0.5", "0.5", False)
    assert true.tried > 20


@pytest.mark.deep  # 22 s of processor
def test_a_worker_that_does_not_end_is_ended_and_says_where_it_was() -> None:
    [found] = hunt_all([toys.FOR_EVER], 1, 1)
    assert found.hung_at.startswith("Number(n=")
    assert int(found.hung_at[9:-1]) > 100
    assert (found.false_at, found.declared) == ("", True)


def test_an_instance_that_takes_too_long_is_given_up_and_the_hunt_goes_on() -> None:
    [found] = hunt_all([toys.TOO_LONG], 1, 1)
    assert (found.given_up, found.hung_at) == (1, "")
    assert found.reached == {"n": "6"}


def test_a_hunt_may_take_twice_its_time_and_twenty_seconds() -> None:
    assert (worker.most_seconds(10), worker.most_seconds(0.5)) == (40, 21)


def test_a_worker_that_cannot_begin_is_told_as_one_that_stopped(capfd: pytest.CaptureFixture[str]) -> None:
    [found] = hunt_all([evolve(toys.TRUE, id="TOY.unknown")], 1, 1)
    assert found.hung_at == "the grid"
    assert "KeyError" in capfd.readouterr().err


def test_closing_ends_the_processes() -> None:
    arriving = hunt_all([toys.FALSE_FROM_40, toys.FOR_EVER, toys.FOR_EVER], 0.5, 1, 2)
    assert next(arriving).id == "TOY.false-from-40"
    arriving.close()


def test_who_is_left_out() -> None:
    assert why_not_hunted(toys.TRUE) is None
    assert why_not_hunted(evolve(toys.TRUE, expects="refuted")) == "refuted already"
    assert why_not_hunted(evolve(toys.TRUE, sampled="some")) == "sampled"
    assert why_not_hunted(evolve(toys.TRUE, measured="lines")) == "measured at several sizes"
    assert why_not_hunted(evolve(toys.TRUE, proof="object")) == "proved for all parameters"
    assert why_not_hunted(evolve(toys.TRUE, derived_from=("A",), by="a step")) is None


@pytest.mark.parametrize(
    ("x", "said"), [(0, "0"), (999_999, "999999"), (10**6, "10^6"), (10**9 - 1, "~10^8"), (-(10**7), "-10^7")]
)
def test_long_numbers_are_told_by_their_size(x: int, said: str) -> None:
    assert told(Hunted("X", True, reached={"n": x}), 0).reached == {"n": said}


def test_a_load_that_rises_behind_the_digits_that_are_told_is_not_told_as_rising() -> None:
    def rising(load: mpq) -> bool:
        best = Tried(0, coordinates(0), 0, load, True, "")
        return told(Hunted("X", True, grid_load=mpq(99_990, 10**5), best=best), 0).rising

    assert (rising(mpq(99_999, 10**5)), rising(mpq(99_995, 10**5)), rising(mpq(9_999, 10**4))) == (False, False, False)
    assert told(Hunted("X", True, grid_load=mpq(1, 3), best=Tried(0, coordinates(0), 0, mpq(2, 3), True, "")), 0).rising
