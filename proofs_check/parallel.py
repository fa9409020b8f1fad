"""Tasks in this process, in local processes through joblib, or on the workers of a Dask cluster.

Who performs a task never changes its result, and every result comes with the position of its task, so that nothing may depend
on the order in which results arrive. On a cluster the tasks of a worker that dies are performed by another one.

joblib has a Dask backend too. It is not used: it waits for ever when an argument that it had scattered dies with its worker,
and when the last worker is gone.
"""

import asyncio
import importlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from importlib.metadata import version
from logging import CRITICAL, getLogger
from time import monotonic, sleep
from typing import Any, Literal, TypeVar, get_args
from warnings import catch_warnings, filterwarnings, simplefilter

import cloudpickle
from attrs import field, frozen

from finitedp.errors import ParameterError, WorkersError
from finitedp.exact import integer
from finitedp.proofs_check.limits import MOST_JOBS

T = TypeVar("T")
R = TypeVar("R")

Backend = Literal["processes", "dask"]

_CONNECTING = 5  # seconds for a scheduler to answer
_DESERTED = 30  # seconds that a cluster may be without any worker
_LOOKING = 1  # seconds between two looks at the workers, while no result arrives, and of a worker at its parent
_POLLING = 0.01  # seconds between two looks for results
_PIECES = 32  # pieces of the work for each worker: few enough to cost little, many enough to end at the same time


def _jobs(value: int) -> int:
    return int(integer(value, "jobs", at_least=1, at_most=MOST_JOBS))


def _backend(value: str) -> Backend:
    for known in get_args(Backend):
        if value == known:
            return known  # type: ignore[no-any-return]  # get_args is typed as a tuple of Any
    raise ParameterError(f"backend = {value!r} is unknown; accepted: {', '.join(get_args(Backend))}")


def _scheduler(value: str) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"scheduler = {value!r} is not a string; accepted: an address such as tcp://host:8786")
    return value.strip()


@frozen
class Workers:
    """Who performs tasks.

    Parameters: jobs, local processes, from 1 (this process) to 256; a cluster uses all its workers instead. backend:
    "processes" on this machine, or an existing "dask" cluster. scheduler: the address of the cluster's scheduler, such as
    tcp://host:8786; with the backend "dask", and with no other. few: fewer tasks than this are performed in this process.
    Raises: ParameterError.
    """

    jobs: int = field(default=1, converter=_jobs)
    backend: Backend = field(default="processes", converter=_backend)
    scheduler: str = field(default="", converter=_scheduler)
    few: int = 0

    def __attrs_post_init__(self) -> None:
        if self.backend == "dask" and not self.scheduler:
            raise ParameterError("the backend 'dask' needs the address of a scheduler; accepted: --scheduler tcp://host:8786")
        if self.backend != "dask" and self.scheduler:
            raise ParameterError(
                f"scheduler = {self.scheduler!r} is for the backend 'dask' only; accepted: --backend dask with it"
            )

    def alone(self, tasks: int) -> bool:
        """Whether this process performs so many tasks by itself."""
        return self.backend == "processes" and (self.jobs == 1 or tasks < self.few)


HERE = Workers()
"""This process alone."""


def run(function: Callable[[T], R], tasks: Sequence[T], workers: Workers = HERE) -> Generator[tuple[int, R], None, None]:
    """Perform function(task) for every task, and yield (position of the task, its result) as they finish.

    Parameters: function, which may be a closure; tasks; workers. Local processes import modules from where this one does. This
    process alone keeps the order of the tasks, the others do not. An exception that a task raises arrives as itself and ends
    the run; closing the generator ends it too, and what has not been started is then never performed. Raises: WorkersError.
    """
    if workers.alone(len(tasks)):
        for position, task in enumerate(tasks):
            yield position, function(task)
    elif workers.backend == "dask":
        yield from _on_dask(function, tasks, workers.scheduler)
    else:
        yield from _in_processes(function, tasks, workers.jobs)


# Local processes


def _in_processes(function: Callable[[T], R], tasks: Sequence[T], jobs: int) -> Iterator[tuple[int, R]]:
    from joblib import Parallel, delayed  # noqa: PLC0415  # slow to load, and mostly not needed

    shared = (os.getpid(), tuple(sys.path), cloudpickle.dumps(function))
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size="auto")
    arriving = parallel(delayed(_placed)(i, *shared, cloudpickle.dumps([task])) for i, task in enumerate(tasks))
    try:
        for position, results in arriving:
            yield position, cloudpickle.loads(results)[0]
    except BrokenProcessPool:
        raise WorkersError(
            "a local process was killed, perhaps for want of memory; accepted: fewer --jobs, or smaller instances"
        ) from None
    finally:
        with catch_warnings():
            simplefilter("ignore")  # that results of a run that is given up are not used
            arriving.close()


def _placed(position: int, parent: int, path: tuple[str, ...], function: bytes, tasks: bytes) -> tuple[int, bytes]:
    _end_with(parent)
    sys.path[:] = path  # this process may be of an earlier run
    return position, _results(function, tasks)


@cache
def _end_with(parent: int) -> None:
    """End this process soon after the one that started it, which may be killed without a word, and which heeds Ctrl-C."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_LOOKING)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _results(function: bytes, tasks: bytes) -> bytes:
    """What function(task) is for each of the tasks; here and on a cluster. Raises: WorkersError."""
    try:
        call, items = _loaded(function), cloudpickle.loads(tasks)
    except ImportError as error:
        raise WorkersError(f"a worker lacks what the task needs: {error}; accepted: it installed on every worker") from None
    return bytes(cloudpickle.dumps([call(item) for item in items]))


@lru_cache(maxsize=1)
def _loaded(function: bytes) -> Callable[[Any], Any]:
    """The function of a run, which so keeps its caches from one task to the next."""
    return cloudpickle.loads(function)  # type: ignore[no-any-return]


# A Dask cluster, from here


def _on_dask(function: Callable[[T], R], tasks: Sequence[T], address: str) -> Iterator[tuple[int, R]]:
    distributed = _distributed()
    with _connected(distributed, address) as client:
        size = -(-len(tasks) // (_PIECES * max(2, len(client.nthreads()))))
        starts = range(0, len(tasks), max(1, size))
        shared = (version("finitedp"), sys.version_info[:2], cloudpickle.dumps(function))
        calls = [pickle.dumps(_Call(*shared, cloudpickle.dumps(tasks[start : start + size]))) for start in starts]
        with catch_warnings():
            filterwarnings("ignore", "Sending large graph")  # of a large closure, once for each piece
            futures = client.map(pickle.loads, calls, pure=False, key="finitedp")
        places = {future.key: start for future, start in zip(futures, starts, strict=True)}
        done = distributed.as_completed(futures, loop=client.loop, with_results=True, raise_errors=False)
        del futures, calls  # so that the cluster forgets a result once it has arrived
        for key, results in _arriving(done, _Watch(client, address), distributed.KilledWorker):
            yield from enumerate(results, start=places[key])


def _distributed() -> Any:  # noqa: ANN401  # an optional package
    try:
        return importlib.import_module("distributed")
    except ModuleNotFoundError:
        raise WorkersError("the backend 'dask' needs Dask: pip install distributed") from None


@contextmanager
def _connected(distributed: Any, address: str) -> Iterator[Any]:  # noqa: ANN401  # an optional package
    """A client of the cluster, closed at the end, which also cancels what is outstanding. Raises: WorkersError."""
    with _quiet():
        try:
            _greet(distributed, address)
            client = distributed.Client(address, timeout=_CONNECTING, set_as_default=False)
        except Exception as error:  # whatever answers there may send anything
            raise WorkersError(
                f"no Dask scheduler answers at {address} ({type(error).__name__}); "
                "accepted: the address that `dask scheduler` prints, such as tcp://host:8786"
            ) from None
        try:
            yield client
        finally:
            client.close()


def _greet(distributed: Any, address: str) -> None:  # noqa: ANN401  # an optional package
    """See that a scheduler is there: a Client that fails to find one is noisy, and slow to go."""

    async def who() -> Any:  # noqa: ANN401  # what the other side says
        connection = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=_CONNECTING, connection_args=connection) as other:
            return await other.identity()

    with ThreadPoolExecutor(1) as thread:  # a notebook has an event loop in this one
        found = thread.submit(lambda: asyncio.run(asyncio.wait_for(who(), _CONNECTING))).result()
    if found["type"] != "Scheduler":
        raise ConnectionError


@contextmanager
def _quiet() -> Iterator[None]:
    """Without distributed's own messages about connections that are lost: what matters becomes an exception."""
    loggers = [getLogger(f"distributed.{name}") for name in ("client", "core", "comm", "batched")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class _Watch:
    """Notices that a cluster has had no worker for too long."""

    def __init__(self, client: Any, address: str) -> None:  # noqa: ANN401  # an optional package
        self.address = address
        self._client = client
        self._looked = self._seen = monotonic()

    def look(self) -> None:
        """To be called while nothing arrives. Raises: WorkersError."""
        now = monotonic()
        if now - self._looked < _LOOKING:
            return
        self._looked = now
        with suppress(OSError):  # a lost scheduler cancels the futures, which is noticed there
            if self._client.nthreads():
                self._seen = now
        if now - self._seen > _DESERTED:
            raise WorkersError(
                f"the cluster at {self.address} has had no worker for {_DESERTED} seconds; accepted: one with workers"
            )


def _arriving(done: Any, watch: _Watch, killed: type[Exception]) -> Iterator[tuple[str, list[Any]]]:  # noqa: ANN401
    """The results of each piece of the work by its key."""
    while done.count():
        batch = done.next_batch(block=False)
        if not batch:
            watch.look()
            sleep(_POLLING)
        for future, result in batch:
            if not isinstance(result, bytes):
                raise _reason(result, watch.address, killed)
            yield future.key, cloudpickle.loads(result)


def _reason(result: Any, address: str, killed: type[Exception]) -> BaseException:  # noqa: ANN401
    """Why there is no result: the task's own exception, or one that says what happened to the cluster."""
    if not isinstance(result, tuple):
        return WorkersError(f"the connection to the Dask scheduler at {address} was lost; accepted: to run again")
    error: BaseException = result[1]
    if isinstance(error, killed):
        return WorkersError(
            f"the same tasks killed {error.args[2] + 1} workers, one after another, perhaps for want of memory; "
            "accepted: workers with more memory, or smaller instances"
        )
    if isinstance(error, ModuleNotFoundError) and str(error.name).split(".")[0] == "finitedp":
        return WorkersError(f"a worker has no {error.name}; accepted: finitedp {version('finitedp')} on every worker")
    return error.with_traceback(result[2])


# A Dask cluster, from there


class _Call:
    """What, when unpickled, performs tasks and becomes their results.

    A worker is asked for pickle.loads alone, which every worker and scheduler has. So the scheduler needs no finitedp, and a
    worker without it, or with another one, can say so.
    """

    def __init__(self, *arguments: object) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Callable[..., bytes], tuple[object, ...]]:
        return _perform, self._arguments


_ONE_AT_A_TIME = threading.Lock()  # the checks use what all threads of a process share, such as FLINT's precision


def _perform(wanted: str, python: tuple[int, int], function: bytes, tasks: bytes) -> bytes:
    """Perform tasks in a worker, one at a time however many threads it has. Raises: WorkersError."""
    if version("finitedp") != wanted:
        raise WorkersError(
            f"a worker has finitedp {version('finitedp')}, and this is {wanted}; accepted: the same version on every worker"
        )
    if sys.version_info[:2] != python:
        here, there = (".".join(map(str, pair)) for pair in (python, sys.version_info[:2]))
        raise WorkersError(f"a worker runs Python {there}, and this is {here}; accepted: the same version on every worker")
    with _ONE_AT_A_TIME:
        return _results(function, tasks)
