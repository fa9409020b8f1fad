"""Tasks over processes: closures travel, errors arrive, order does not matter. A Dask cluster's are in test_dask.py."""

import importlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType, SimpleNamespace
from typing import Any

import cloudpickle
import pytest
from click.testing import CliRunner, Result
from joblib.externals.loky import get_reusable_executor

from finitedp import __version__
from finitedp.cli.main import main
from finitedp.errors import BudgetError, FinitedpError, ParameterError, WorkersError
from finitedp.proofs_check import parallel
from finitedp.proofs_check.claims import find
from finitedp.proofs_check.ledger.verify import verify
from finitedp.proofs_check.parallel import HERE, Workers, run

ADDRESS = "tcp://127.0.0.1:8786"
TWO = Workers(2)


@pytest.fixture(autouse=True, scope="module")
def no_process_stays() -> Iterator[None]:
    yield
    get_reusable_executor().shutdown(wait=True)


@pytest.mark.parametrize("workers", [HERE, TWO])
def test_each_result_has_the_position_of_its_task(workers: Workers) -> None:
    found = list(run(lambda x: x * x, range(100), workers))
    assert sorted(found) == [(x, x * x) for x in range(100)]
    assert workers is TWO or found == sorted(found)


def test_this_process_alone_is_lazy_and_needs_no_pickles() -> None:
    seen: list[object] = []
    results = run(seen.append, [threading.Lock(), threading.Lock()])
    assert seen == []
    assert next(results) == (0, None)
    assert len(seen) == 1


@pytest.mark.parametrize("workers", [HERE, TWO])
def test_nothing_to_do(workers: Workers) -> None:
    assert list(run(str, [], workers)) == []


class Sum:
    """Neither the class nor its instances can be imported anywhere else."""

    def __init__(self, value: int) -> None:
        self.value = value


def closure(offset: int) -> Callable[[int], tuple[int, int]]:
    return lambda x: (x + offset, os.getpid())


def test_closures_are_performed_elsewhere() -> None:
    found = dict(run(closure(10), range(40), TWO))
    assert [found[x][0] for x in range(40)] == list(range(10, 50))
    assert os.getpid() not in {pid for _, pid in found.values()}


STRANGER = """
class Pair:
    def __init__(self, x):
        self.x = x

def pair(x):
    return Pair(x + 1)
"""


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[ModuleType]:
    """A module that no other process can import."""
    (tmp_path / "stranger.py").write_text(
        "class Pair:\n    def __init__(self, x): self.x = x\n\ndef pair(x): return Pair(x + 1)\n"
    )
    sys.path.insert(0, str(tmp_path))
    module = importlib.import_module("stranger")
    sys.path.remove(str(tmp_path))
    yield module
    del sys.modules["stranger"]


def test_processes_of_an_earlier_run_import_from_where_this_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "later_of_parallel.py").write_text("def f(x): return x + 1\n")
    assert len(dict(run(lambda x: x, range(5), TWO))) == 5
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("later_of_parallel")
    assert dict(run(module.f, range(5), TWO)) == {x: x + 1 for x in range(5)}


@pytest.fixture
def sent_whole() -> Iterator[None]:
    """What this module defines is sent to others, instead of its name."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


def fails(x: int) -> int:
    if x == 3:
        raise BudgetError("a path too many")
    if x == 103:
        raise ZeroDivisionError("by nothing")
    return x


@pytest.mark.deep
@pytest.mark.usefixtures("sent_whole")
@pytest.mark.parametrize("workers", [HERE, TWO])
@pytest.mark.parametrize(("start", "error"), [(0, BudgetError), (100, ZeroDivisionError)])
def test_errors_arrive_as_themselves(workers: Workers, start: int, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^(a path too many|by nothing)$"):
        list(run(lambda x: fails(x), range(start, start + 10), workers))


@pytest.mark.deep
def test_what_another_process_cannot_import_is_one_line(stranger: ModuleType) -> None:
    with pytest.raises(WorkersError, match=r"^a worker lacks what the task needs: No module named 'stranger'; accepted: "):
        list(run(stranger.pair, range(5), TWO))


@pytest.mark.deep
def test_a_run_that_is_given_up_stops(tmp_path: Path) -> None:
    def leave_a_mark(x: int) -> int:
        (tmp_path / str(x)).touch()
        return x

    results = run(leave_a_mark, range(100_000), TWO)
    next(results)
    results.close()
    marks = len(list(tmp_path.iterdir()))
    assert 0 < marks < 100_000
    get_reusable_executor().shutdown(wait=True)
    assert len(list(tmp_path.iterdir())) == marks


@pytest.mark.deep
def test_a_local_process_that_is_killed_is_one_line() -> None:
    with pytest.raises(WorkersError, match=r"^a local process was killed, perhaps for want of memory; accepted: "):
        list(run(lambda _x: os.kill(os.getpid(), signal.SIGKILL), range(4), TWO))


@pytest.mark.deep
def test_a_local_process_that_is_killed_has_an_exit_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_arguments: Any) -> Iterator[Any]:
        return run(lambda _x: os.kill(os.getpid(), signal.SIGKILL), range(4), TWO)

    monkeypatch.setattr("finitedp.proofs_check.ledger.verify.run", killed)
    result = command("--jobs", "2")
    assert result.exit_code == 3
    assert result.output.startswith("Error: a local process was killed")


def alive(pid: int) -> list[str]:
    """What the kernel says of a process after its name: its state, its parent, ...; nothing of one that has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []
    return fields if fields[0] != "Z" else []


def workers_of(program: int) -> list[int]:
    """The children of a process that have worked for two seconds at least."""
    found = {int(path.name): alive(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit()}
    ticks = 2 * os.sysconf("SC_CLK_TCK")
    return [pid for pid, fields in found.items() if fields and int(fields[1]) == program and int(fields[11]) > ticks]


def until(condition: Callable[[], bool], seconds: float) -> bool:
    end = monotonic() + seconds
    while not condition() and monotonic() < end:
        sleep(0.2)
    return condition()


@pytest.mark.deep
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it looks at processes in /proc")
def test_workers_end_with_a_program_that_is_killed() -> None:
    arguments = [sys.executable, "-m", "finitedp", "verify", "--grid", "full", "--jobs", "2"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    with subprocess.Popen(arguments, **quiet) as program:  # type: ignore[call-overload]
        assert until(lambda: len(workers_of(program.pid)) == 2, 120)
        workers = workers_of(program.pid)
        program.kill()
    ended = until(lambda: not any(map(alive, workers)), 10)
    for pid in filter(alive, workers):
        os.kill(pid, signal.SIGKILL)
    assert ended


@pytest.mark.deep
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it looks at processes in /proc")
@pytest.mark.parametrize("everybody", [False, True])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_a_run_that_is_interrupted(number: signal.Signals, everybody: bool) -> None:
    """Ctrl-C on a terminal reaches the workers too."""
    arguments = [sys.executable, "-m", "finitedp", "verify", "--jobs", "2"]
    to_pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen(arguments, **to_pipes) as program:  # type: ignore[call-overload]
        assert until(lambda: len(workers_of(program.pid)) == 2, 120)
        workers = workers_of(program.pid)
        (os.killpg if everybody else os.kill)(program.pid, number)
        out, said = program.communicate(timeout=60)
    ended = until(lambda: not any(map(alive, workers)), 10)
    for pid in filter(alive, workers):
        os.kill(pid, signal.SIGKILL)
    assert ended
    assert (program.returncode, out) == (130, "")
    assert re.fullmatch(r"Interrupted: \d+ of \d+ claims decided.*; nothing is said of the others\.\s*", said, re.DOTALL)
    assert "Traceback" not in said


def test_the_command_line_starts_without_joblib() -> None:
    code = "import sys, finitedp.cli.main; sys.exit('joblib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_workers_do_not_change_the_verdicts() -> None:
    chosen = find("BV.Def4.*")
    assert [verdicts(r) for r in verify(chosen)] == [verdicts(r) for r in verify(chosen, jobs=TWO)]


def verdicts(result: Any) -> tuple[object, ...]:
    return (result.entry.id, result.outcome, result.instances, result.worst, result.where, result.rejected, result.accepted)


@pytest.mark.deep
def test_results_in_reverse_give_the_same_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    from finitedp.proofs_check.ledger import verify as runner

    chosen = find("BV.Thm4.7") + find("BV.Err.3")
    forwards = [verdicts(r) for r in verify(chosen)]

    def backwards(*arguments: Any) -> Iterator[Any]:
        yield from reversed(list(run(*arguments)))

    monkeypatch.setattr(runner, "run", backwards)
    assert [verdicts(r) for r in verify(chosen)] == forwards


def test_few_tasks_are_performed_in_this_process() -> None:
    few = Workers(jobs=2, few=4)
    assert {found for _, found in run(lambda _: os.getpid(), range(3), few)} == {os.getpid()}
    assert os.getpid() not in {found for _, found in run(lambda _: os.getpid(), range(4), few)}


# Who may perform what


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"jobs": 0}, r"jobs = 0 is out of range; accepted: an integer from 1 to 256"),
        ({"jobs": 257}, r"jobs = 257 is out of range"),
        ({"jobs": 2.0}, r"jobs = 2\.0 is not an integer"),
        ({"backend": "spark"}, r"backend = 'spark' is unknown; accepted: processes, dask"),
        ({"backend": "dask"}, r"needs the address of a scheduler; accepted: --scheduler"),
        ({"backend": "dask", "scheduler": " "}, r"needs the address of a scheduler"),
        ({"scheduler": ADDRESS}, r"is for the backend 'dask' only; accepted: --backend dask"),
        ({"scheduler": 8786, "backend": "dask"}, r"scheduler = 8786 is not a string"),
    ],
)
def test_workers_that_make_no_sense(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Workers(**arguments)


def test_workers_are_values() -> None:
    assert Workers(backend="dask", scheduler=f" {ADDRESS} ") == Workers(1, "dask", ADDRESS)
    assert Workers() == HERE


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", "--claims", "BV.Lem4.9", *arguments], catch_exceptions=False)


@pytest.mark.parametrize("arguments", [["--backend", "dask"], ["--scheduler", ADDRESS], ["--backend", "spark"]])
def test_contradicting_options_are_one_line_and_exit_code_2(arguments: list[str]) -> None:
    result = command(*arguments)
    assert result.exit_code == 2
    assert result.output.startswith("Error: ")
    assert len(result.output.splitlines()) == 1


def test_without_dask_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = command("--backend", "dask", "--scheduler", ADDRESS)
    assert result.exit_code == 3
    assert result.output.splitlines() == ["Error: the backend 'dask' needs Dask: pip install distributed"]


@pytest.mark.deep
def test_an_interruption_leaves_with_130() -> None:
    code = "import sys, finitedp.cli.main as c; print('ready', flush=True); sys.argv[1:] = ['verify', '--jobs', '2']; c.main()"
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    arguments = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True, "env": environment}
    with subprocess.Popen([sys.executable, "-c", code], text=True, **arguments) as program:  # type: ignore[call-overload]
        program.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(2)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=120)
    assert program.returncode == 130
    assert re.fullmatch(r"Interrupted(: \d+ of \d+ claims decided.*)?\.", " ".join(errors.split()))


# What a worker of a cluster says, without a cluster


@pytest.mark.parametrize(
    ("wanted", "python", "message"),
    [
        ("0.0.0", sys.version_info[:2], r"^a worker has finitedp \S+, and this is 0\.0\.0; accepted: the same version"),
        (__version__, (2, 7), r"^a worker runs Python 3\.\d+, and this is 2\.7; accepted: the same version"),
    ],
)
def test_a_worker_that_differs_says_so(wanted: str, python: tuple[int, int], message: str) -> None:
    with pytest.raises(WorkersError, match=message):
        parallel._perform(wanted, python, b"", b"")


def test_a_worker_without_finitedp_is_one_line() -> None:
    error = ModuleNotFoundError("No module named 'finitedp'", name="finitedp")
    found = parallel._reason((type(error), error, None), ADDRESS, KeyError)
    assert isinstance(found, FinitedpError)
    assert str(found).startswith("a worker has no finitedp; accepted: finitedp 0.")


# What is sent to a cluster and taken from it, on a stand-in for Dask that performs everything in this process


class Piece:
    """A future: its key, and its result once it has one."""

    def __init__(self, key: str, result: Any) -> None:
        self.key, self.result = key, result


class Pieces:
    """Dask's as_completed: the last that was sent arrives first; without with_results only futures arrive."""

    def __init__(self, futures: list[Piece], *, loop: object, with_results: bool, raise_errors: bool) -> None:
        assert (loop, raise_errors) == ("loop", False)
        self.waiting, self.with_results = list(futures), with_results

    def count(self) -> int:
        return len(self.waiting)

    def next_batch(self, *, block: bool) -> list[Any]:
        assert not block
        piece = self.waiting.pop()
        return [(piece, piece.result) if self.with_results else piece]


class Client:
    """Dask's client, and its module; python: the version that its workers run."""

    KilledWorker, as_completed, loop = KeyError, Pieces, "loop"

    def __init__(self, patch: pytest.MonkeyPatch, python: tuple[int, ...]) -> None:
        self.patch, self.python, self.sent = patch, python, 0

    def nthreads(self) -> dict[str, int]:
        return {"one": 1}

    def map(self, function: Callable[[bytes], Any], calls: list[bytes], *, pure: bool, key: str) -> list[Piece]:
        assert not pure
        self.sent += len(calls)
        with self.patch.context() as there:
            there.setattr(parallel, "sys", SimpleNamespace(version_info=self.python, modules=sys.modules))
            return [Piece(f"{key}-{i}", self.performed(function, call)) for i, call in enumerate(calls)]

    def performed(self, function: Callable[[bytes], Any], call: bytes) -> Any:
        try:
            return function(call)
        except WorkersError as error:
            return type(error), error, error.__traceback__


def stand_in(patch: pytest.MonkeyPatch, python: tuple[int, ...]) -> Client:
    client = Client(patch, python)
    patch.setattr(parallel, "_distributed", lambda: client)
    patch.setattr(parallel, "_connected", lambda _distributed, _address: nullcontext(client))
    return client


def test_results_of_a_cluster_find_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    client = stand_in(monkeypatch, sys.version_info[:3])
    found = list(run(lambda x: x * x, range(200), Workers(backend="dask", scheduler=ADDRESS)))
    assert 1 < client.sent < 200
    assert found[0][0] > 0  # pieces arrive in another order
    assert sorted(found) == [(x, x * x) for x in range(200)]


@pytest.mark.parametrize("minor", [-1, 1])
def test_a_worker_with_another_minor_version_of_python_is_refused(minor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    here = sys.version_info
    stand_in(monkeypatch, (here[0], here[1] + minor, here[2]))
    said = rf"^a worker runs Python {here[0]}\.{here[1] + minor}, and this is {here[0]}\.{here[1]}; accepted: the same"
    with pytest.raises(WorkersError, match=said):
        list(run(str, range(3), Workers(backend="dask", scheduler=ADDRESS)))


@pytest.mark.deep
@pytest.mark.parametrize("error", [OSError("nobody there"), ValueError("no address"), TypeError("not understood")])
def test_whatever_answers_at_the_address_no_scheduler_is_one_line(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def security() -> None:
        raise error

    monkeypatch.setattr(parallel, "_distributed", lambda: SimpleNamespace(Security=security))
    said = rf"^no Dask scheduler answers at {ADDRESS} \({type(error).__name__}\); accepted: the address that"
    with pytest.raises(WorkersError, match=said):
        list(run(str, range(3), Workers(backend="dask", scheduler=ADDRESS)))
