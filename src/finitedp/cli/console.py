"""What all commands share: tables and JSON, progress after two seconds, files that are written whole or not at all."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import ceil
from pathlib import Path
from threading import Timer
from typing import Any, Literal, TypeVar

import click
from gmpy2 import mpq
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from finitedp.errors import ParameterError
from finitedp.labels import as_text, is_utf_8

C = TypeVar("C", bound=Callable[..., Any])

_ENOUGH = 0.1  # the share of the steps after which the rest can be estimated
_DESCRIPTOR = re.compile(r"^/(?:dev|proc/self)/fd/(\d{1,4})$")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_PATIENCE = 2  # seconds before a progress bar appears
_WIDTH = 120  # columns of a table where the output is not a terminal


class OutputPath(click.ParamType[Path]):
    """A file to write: its folder must exist, and it must not be one itself."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401
        """The path. Raises: BadParameter."""
        path = Path(value)
        if not str(value).strip():
            self.fail("the name of the file is empty", param, ctx)
        if path.is_dir():
            self.fail(f"{value} is a folder; accepted: a file", param, ctx)
        try:
            if path.is_symlink():  # of links that go round resolve() says nothing from Python 3.13 on
                with suppress(FileNotFoundError):
                    path.stat()
            folder = path.resolve().parent
        except (OSError, RuntimeError) as error:
            self.fail(f"{value} leads nowhere: {error}", param, ctx)
        if not path.exists() and not folder.is_dir():
            self.fail(f"{folder} is no folder" if folder.exists() else f"the folder {folder} does not exist", param, ctx)
        return path


class Utf8(click.ParamType[str]):
    """A label, or a name in a file, as UTF-8, also where the locale cannot read it: LC_ALL=C without Python's UTF-8 mode."""

    name = "text"

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> str:  # noqa: ANN401
        """The text; bytes that are not UTF-8 as Python's surrogates."""
        return value if is_utf_8(value) else os.fsencode(value).decode("utf-8", "surrogateescape")


class Rational(click.ParamType[mpq]):
    """A parameter that is a rational 'p/q', checked by a function of the library."""

    name = "p/q"

    def __init__(self, check: Callable[[Any, str], Any]) -> None:
        self._check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> mpq:  # noqa: ANN401
        """The exact rational. Raises: BadParameter."""
        try:
            return mpq(self._check(value, _name(param)))
        except ParameterError as error:
            self.fail(str(error), param, ctx)


class Integer(click.ParamType[int]):
    """A parameter that is an integer, checked by a function of the library."""

    name = "integer"

    def __init__(self, check: Callable[[Any, str], int]) -> None:
        self._check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """The integer. Raises: BadParameter."""
        try:
            return self._check(int(value), _name(param))
        except ParameterError as error:
            self.fail(str(error), param, ctx)
        except ValueError:
            self.fail(f"{_name(param)} = {str(value)[:40]!r} is not an integer", param, ctx)


def _name(param: click.Parameter | None) -> str:
    return (param.name if param is not None else None) or "value"


def json_option(command: C) -> C:
    """The option --json, the same for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")(command)


def as_json_text(document: object) -> str:
    """A JSON document as text, for people and programs; bytes of a label that are not UTF-8 as JSON's escapes."""
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(document, indent=2, ensure_ascii=False))


def print_json(document: object) -> None:
    """A JSON document on standard output."""
    click.echo(as_json_text(document))


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], unbroken: int = 0) -> str:
    """A table under a title as text, at most as wide as the terminal; the first `unbroken` columns are never folded."""
    grid = Table()
    for i, name in enumerate(columns):
        grid.add_column(name, overflow="fold", no_wrap=i < unbroken)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = None if terminal or os.environ.get("COLUMNS") else _WIDTH
    colours: Literal["auto"] | None = "auto" if terminal and not os.environ.get("NO_COLOR") else None
    console = Console(width=width, force_terminal=terminal, highlight=False, color_system=colours)
    with console.capture() as captured:
        console.print(Text(as_text(title), style="bold"), soft_wrap=True)
        console.print(grid)
    return captured.get().rstrip("\n")


def many(number: int) -> str:
    """An integer for a reader: with commas, or its size where it is too long to be read."""
    return f"{number:,}" if number < 10**15 else f"about 2^{number.bit_length() - 1}"


class _Remaining(ProgressColumn):
    """The time that remains at the mean speed of the whole run: from a tenth of the steps on, in steps of five seconds."""

    def render(self, task: Task) -> Text:
        """Nothing as long as there is too little to go by."""
        if not task.total or task.elapsed is None or task.completed < _ENOUGH * task.total:
            return Text("")
        seconds = task.elapsed * (task.total - task.completed) / task.completed
        return Text(f"about {5 * ceil(seconds / 5)} s left" if seconds < 90 else f"about {ceil(seconds / 60)} min left")


class _Note(ProgressColumn):
    """What a function has to say each time that the bar is drawn."""

    def __init__(self, say: Callable[[], str]) -> None:
        super().__init__()
        self._say = say

    def render(self, _task: Task) -> Text:
        """The words of now."""
        return Text(self._say())


@contextmanager
def progress(what: str, *, even: bool = False, note: Callable[[], str] | None = None) -> Iterator[Callable[[int, int], None]]:
    """A function (done, total), and a progress bar on standard error once the work has taken two seconds.

    It shows what is done and the time that it took, and the time that remains where the work is spread evenly over the steps;
    where single steps take most of the time, an estimate would jump. The bar moves without being told of any step, so that a
    long single step shows too. Parameters: even, whether to show the time that remains; note, what else to say.
    """
    terminal = Console(stderr=True)
    done_of_all = TaskProgressColumn("{task.completed:.0f} of {task.total:.0f}", text_format_no_percentage="")
    columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), done_of_all, TimeElapsedColumn()]
    if even:
        columns.append(_Remaining())
    if note is not None:
        columns.append(_Note(note))
    bar = Progress(*columns, console=terminal, transient=True)
    task = bar.add_task(what, total=None)
    timer = Timer(_PATIENCE, bar.start)
    timer.daemon = True
    if terminal.is_terminal:
        timer.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=None if done >= total else total)
    finally:
        timer.cancel()
        if bar.live.is_started:
            bar.stop()


def form_named(output: Path | None, forms: Mapping[str, str]) -> str:
    """The form that a file's suffix says: a table for none, and on the terminal. Raises: ParameterError for an unknown one."""
    suffix = "" if output is None else output.suffix.lower()
    if suffix and suffix not in forms:
        raise ParameterError(f"--output {output} ends in {suffix}; accepted: {', '.join(forms)}, or with --format")
    return forms.get(suffix, "table")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is either complete or as it was before: a failure leaves no half-written release.

    A link is followed; a device, a pipe or an open file (/dev/stdout, /dev/fd/N) is written to directly; an existing file
    keeps its permissions. Raises: OSError.
    """
    data, descriptor = content.encode() if isinstance(content, str) else content, _descriptor(path)
    if descriptor is not None or (path.exists() and not path.is_file()):
        try:
            with path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb") as stream:
                stream.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        return
    target, umask = path.resolve(), os.umask(0)
    os.umask(umask)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask
    try:
        _replace(target, data, mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def _descriptor(path: Path) -> int | None:
    """The number of an open file that a name stands for: what it leads to is written on, and not replaced."""
    named = {"/dev/stdout": "1", "/dev/stderr": "2"}.get(str(path)) or _DESCRIPTOR.sub(r"\1", str(path))
    return int(named) if named.isdecimal() else None


def _replace(target: Path, data: bytes, mode: int) -> None:
    """Write a file under another name, and give it the right one once it is complete."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".finitedp.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
