"""A Dask cluster of two workers, one of which is killed during the run: the same verdicts. And all that can go wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import cloudpickle
import pytest
from click.testing import CliRunner, Result

distributed = pytest.importorskip("distributed")

from finitedp import PrivacyClaim  # noqa: E402  # after the test for the extra
from finitedp.cli.main import main  # noqa: E402
from finitedp.errors import BudgetError, WorkersError  # noqa: E402
from finitedp.proofs_check import parallel  # noqa: E402
from finitedp.proofs_check.audit.auditing import audit  # noqa: E402
from finitedp.proofs_check.audit.certificate import certificate  # noqa: E402
from finitedp.proofs_check.claims import find  # noqa: E402
from finitedp.proofs_check.ledger.verify import verify  # noqa: E402
from finitedp.proofs_check.parallel import Workers, run  # noqa: E402

SMALL = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 60}

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, **SMALL) as two:
        yield two


@pytest.fixture
def workers(cluster: Any) -> Workers:
    until(lambda: len(cluster.scheduler.workers) == 2)  # the one that was killed comes back
    return Workers(backend="dask", scheduler=cluster.scheduler_address)


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def verdicts(results: Any) -> list[tuple[object, ...]]:
    return [(r.entry.id, r.outcome, r.instances, r.worst, r.where, r.rejected, r.accepted) for r in results]


def test_the_verdicts_are_the_same_when_a_worker_is_killed_during_the_run(cluster: Any, workers: Workers) -> None:
    chosen = [*find("BV.Thm4.7"), *find("BV.Err.3"), *find("BV.Lem*")]  # of some twenty modules, a task each
    victim = next(iter(cluster.workers.values()))
    pid = victim.pid
    tasks_at_death: list[str] = []
    progress: list[tuple[int, int]] = []

    def watch(finished: int, total: int) -> None:
        progress.append((finished, total))
        if len(progress) == 1:
            os.kill(pid, signal.SIGSTOP)  # it finishes nothing any more ...
            state = cluster.scheduler.workers[victim.worker_address]
            until(lambda: state.processing)  # ... and has been given something
            time.sleep(0.2)
            tasks_at_death.extend(task.key for task in state.processing)
            os.kill(pid, signal.SIGKILL)
            until(lambda: gone(pid))

    found = verify(chosen, "quick", workers, watch)
    assert tasks_at_death
    assert gone(pid)
    assert progress == sorted(set(progress))
    assert {total for _, total in progress} == {progress[-1][0]}
    assert verdicts(found) == verdicts(verify(chosen, "quick"))
    assert {r.outcome for r in found} >= {"verified", "refuted", "repaired"}


def command(address: str, *arguments: str) -> Result:
    line = ["verify", "--backend", "dask", "--scheduler", address, "--claims", *arguments]
    return CliRunner().invoke(main, line, catch_exceptions=False)


def one_line(result: Result) -> str:
    assert result.exit_code == 3
    assert len(result.output.splitlines()) == 1
    return result.output


def test_the_command_prints_the_same(workers: Workers) -> None:
    there = command(workers.scheduler, "BV.Def4.*", "--json")
    here = CliRunner().invoke(main, ["verify", "--claims", "BV.Def4.*", "--jobs", "1", "--json"])
    assert there.exit_code == here.exit_code == 0
    assert there.stderr == ""
    found, expected = json.loads(there.stdout), json.loads(here.stdout)
    for document in (found, expected):
        del document["processor_seconds"], document["wall_clock_seconds"]
    for claim in (*found["claims"], *expected["claims"]):
        del claim["seconds"]
    assert found == expected


class Local:
    """Not importable where the workers are."""

    def __init__(self, value: int) -> None:
        self.value = value


@pytest.fixture
def sent_whole() -> Iterator[None]:
    """What this module defines is sent to others, instead of its name."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@pytest.mark.usefixtures("sent_whole")
def test_closures_modules_and_results_travel(workers: Workers) -> None:
    offset = 10
    found = dict(run(lambda x: (Local(x + offset), os.getpid()), range(200), workers))
    assert [found[x][0].value for x in range(200)] == list(range(10, 210))
    assert all(type(local) is Local for local, _ in found.values())
    assert len({pid for _, pid in found.values()} - {os.getpid()}) == 2


def test_a_large_closure_travels_without_a_warning(workers: Workers) -> None:
    table = bytes(range(256)) * 4096
    assert sorted(run(lambda x: table[x], range(100), workers)) == [(x, x) for x in range(100)]


def test_nothing_to_do(workers: Workers) -> None:
    assert list(run(str, [], workers)) == []


def fails(x: int) -> int:
    if x == 3:
        raise BudgetError("a path too many")
    if x == 103:
        raise ZeroDivisionError("by nothing")
    return x


@pytest.mark.usefixtures("sent_whole")
@pytest.mark.parametrize(("start", "error"), [(0, BudgetError), (100, ZeroDivisionError)])
def test_errors_arrive_as_themselves(start: int, error: type[Exception], workers: Workers) -> None:
    with pytest.raises(error, match=r"^(a path too many|by nothing)$"):
        list(run(fails, range(start, start + 10), workers))


def test_what_a_worker_cannot_import_is_one_line(workers: Workers) -> None:
    with pytest.raises(WorkersError, match=r"^a worker lacks what the task needs: No module named"):
        list(run(fails, range(10), workers))


def test_a_worker_with_another_version_is_one_line(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "version", lambda _name: "0.0.0")
    line = one_line(command(workers.scheduler, "BV.Lem4.9"))
    assert line.startswith("Error: a worker has finitedp 0.")
    assert "and this is 0.0.0; accepted: the same version on every worker" in line


def test_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_CONNECTING", 0.5)
    line = one_line(command("tcp://127.0.0.1:1", "BV.Lem4.9"))
    assert line.startswith("Error: no Dask scheduler answers at tcp://127.0.0.1:1 (")
    assert "no Dask scheduler answers at nonsense (ValueError)" in one_line(command("nonsense", "BV.Lem4.9"))


def test_a_worker_is_no_scheduler(cluster: Any) -> None:
    address = next(iter(cluster.scheduler.workers))
    assert f"no Dask scheduler answers at {address}" in one_line(command(address, "BV.Lem4.9"))


def test_a_cluster_without_workers_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_DESERTED", 1)
    with distributed.LocalCluster(n_workers=0, **SMALL) as empty:
        line = one_line(command(empty.scheduler_address, "BV.Lem4.9"))
        assert "has had no worker for 1 seconds; accepted: one with workers" in line


def test_a_task_that_kills_its_workers_is_one_line() -> None:
    with distributed.LocalCluster(n_workers=1, **SMALL) as one:
        one.scheduler.allowed_failures = 0  # the default of 3 takes four restarts
        with pytest.raises(WorkersError, match=r"^the same tasks killed 1 workers, .* for want of memory; accepted: "):
            list(
                run(
                    lambda _x: os.kill(os.getpid(), signal.SIGKILL),
                    [0],
                    Workers(backend="dask", scheduler=one.scheduler_address),
                )
            )


def test_a_scheduler_that_goes_away_is_one_line() -> None:
    with distributed.LocalCluster(n_workers=1, **SMALL) as one:
        results = run(lambda _x: time.sleep(0.05), range(1000), Workers(backend="dask", scheduler=one.scheduler_address))
        next(results)
        one.close()
        with pytest.raises(WorkersError, match=r"^the connection to the Dask scheduler at .* was lost"):
            list(results)


def test_an_interruption_cancels_what_is_outstanding(cluster: Any, workers: Workers) -> None:
    until(lambda: not cluster.scheduler.tasks)
    line = [sys.executable, "-m", "finitedp", "verify", "--backend", "dask", "--scheduler", workers.scheduler]
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        until(lambda: cluster.scheduler.tasks)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=120)
    assert program.returncode == 130
    said = r"Interrupted: \d+ of \d+ claims decided; \d+ not as expected; nothing is said of the others\."
    assert re.fullmatch(said, " ".join(errors.split()))
    until(lambda: not cluster.scheduler.tasks)


def test_a_run_that_is_given_up_cancels_what_is_outstanding(cluster: Any, workers: Workers) -> None:
    results = run(lambda _x: time.sleep(0.01), range(10_000), workers)
    next(results)
    assert cluster.scheduler.tasks
    results.close()
    until(lambda: not cluster.scheduler.tasks)


def test_an_audit_is_the_same_when_a_worker_is_killed_during_the_run(cluster: Any, workers: Workers) -> None:
    """The mechanism is a closure, which no worker could import."""

    def noisy(rows: Any, rng: Any) -> int:
        return int(sum(rows) + sum(rng.randrange(2) for _ in range(4)))

    victim = next(iter(cluster.workers.values())).pid

    def watch(finished: int, _total: int) -> None:
        if finished == 3:
            os.kill(victim, signal.SIGKILL)
            until(lambda: gone(victim))

    options: Any = {"n": 6, "universe": [0, 1], "style": "random"}
    claim = PrivacyClaim(1, "replace-one", "1/3")
    found = audit(noisy, claim, workers=workers, progress=watch, **options)
    assert gone(victim)
    assert (found, certificate(found)) == (alone := audit(noisy, claim, **options), certificate(alone))
