"""The options --jobs, --backend and --scheduler, the same for every command that can share its work."""

from collections.abc import Callable
from functools import wraps
from typing import Any, get_args

import click

from finitedp.proofs_check.limits import MOST_JOBS
from finitedp.proofs_check.parallel import Backend, Workers

_JOBS_HELP = "Local processes; a Dask cluster uses all its workers."
_BACKEND_HELP = "Where the work is done: on this machine, or on an existing Dask cluster."
_SCHEDULER_HELP = "The scheduler of the Dask cluster, such as tcp://host:8786."


def workers_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options, given to the command as one argument, workers: Workers. It raises ParameterError where they contradict."""

    @click.option("--jobs", type=click.IntRange(min=1, max=MOST_JOBS), default=2, show_default=True, help=_JOBS_HELP)
    @click.option(
        "--backend", type=click.Choice(get_args(Backend)), default="processes", show_default=True, help=_BACKEND_HELP
    )
    @click.option("--scheduler", metavar="ADDRESS", default="", help=_SCHEDULER_HELP)
    @wraps(command)
    def with_workers(*args: Any, jobs: int, backend: Backend, scheduler: str, **options: Any) -> Any:  # noqa: ANN401
        return command(*args, workers=Workers(jobs, backend, scheduler), **options)

    return with_workers
