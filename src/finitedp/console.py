"""What all commands share: tables and JSON, progress after two seconds, files that are written whole or not at all."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import click
from gmpy2 import mpq
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from finitedp.errors import FinitedpError, ParameterError
from finitedp.exact import RationalLike

__all__ = ["Face", "Rational", "interval", "json_option", "print_json", "progress", "rounded", "table", "write_whole"]

_PATIENCE = 2  # seconds before a progress bar appears
_WIDTH = 120  # columns of a table where the output is not a terminal


class BadInputError(click.ClickException):
    """Input that cannot be used: one line, exit code 2."""

    exit_code = 2


class Face(click.Group):
    """A command group that turns the library's errors into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  # as in click
        """Run the command."""
        try:
            return super().invoke(ctx)
        except FinitedpError as error:
            _fail(str(error))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            _fail(f"{error.filename or 'output'}: {error.strerror or error}")


def _fail(message: str) -> None:
    raise BadInputError(" ".join(message.split()))


class Rational(click.ParamType[mpq]):
    """A parameter that is a rational 'p/q', checked by a function of the library."""

    name = "p/q"

    def __init__(self, check: Callable[[RationalLike, str], Any]) -> None:
        self._check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> mpq:  # noqa: ANN401
        """The exact rational. Raises: BadParameter."""
        name = (param.name if param is not None else None) or "value"
        try:
            checked = self._check(value, name)
        except ParameterError as error:
            self.fail(str(error), param, ctx)
        return mpq(checked)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option --json, the same for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")(command)


def print_json(document: object) -> None:
    """A JSON document on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], unbroken: int = 0) -> str:
    """A table under a title as text, at most as wide as the terminal; the first `unbroken` columns are never folded."""
    grid = Table()
    for i, name in enumerate(columns):
        grid.add_column(name, overflow="fold", no_wrap=i < unbroken)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else _WIDTH, force_terminal=terminal, highlight=False)
    with console.capture() as captured:
        console.print(Text(title, style="bold"), soft_wrap=True)
        console.print(grid)
    return captured.get().rstrip("\n")


def rounded(number: mpq, digits: int = 12) -> str:
    """A rational as a decimal with `digits` decimals, rounded down, or exactly where it is short."""
    if len(str(number)) <= digits:
        return str(number)
    return "~" + _decimal(number, digits, up=False)


def interval(low: mpq, high: mpq, digits: int = 12) -> str:
    """An interval with decimal ends, rounded outwards."""
    return f"[{_decimal(low, digits, up=False)}, {_decimal(high, digits, up=True)}]"


def _decimal(number: mpq, digits: int, *, up: bool) -> str:
    scaled = number * 10**digits
    whole = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    sign = "-" if whole < 0 else ""
    units, rest = divmod(abs(whole), 10**digits)
    return f"{sign}{units}.{int(rest):0{digits}d}"


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function (done, total) that shows a progress bar on standard error once the work has taken two seconds."""
    start = monotonic()
    terminal = Console(stderr=True)
    bar = Progress(console=terminal, transient=True, disable=not terminal.is_terminal)
    task = bar.add_task(what, total=None)
    shown = False

    def update(done: int, total: int) -> None:
        nonlocal shown
        if not shown and monotonic() - start >= _PATIENCE:
            bar.start()
            shown = True
        if shown:
            bar.update(task, completed=done, total=total)

    try:
        yield update
    finally:
        if shown:
            bar.stop()


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is either complete or not there: a failure leaves no half-written release.

    Raises: OSError.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
