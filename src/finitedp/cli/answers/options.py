"""What the commands share that release one answer: their options, what contradicts what, and where an answer goes."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from finitedp import __version__
from finitedp.cli.budget import charging
from finitedp.cli.console import OutputPath, Rational, Utf8, as_json_text, json_option, write_whole
from finitedp.cli.release_options import SOURCES, UNIT
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.exact import positive
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.randomness.words import SeededWords, WordSource

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
_NAMES = re.compile(r"\b(drop_nulls|max_labels|max_rows_per_label|max_rows)\b")


def shared(*own: Decorator, column: str, word: int | None, unit: Sequence[str]) -> Decorator:
    """The options of a command, its own ones after the column.

    Parameters: column, its help; word, the default; unit, which options of a unit it takes.
    """
    default: dict[str, Any] = {"default": word, "show_default": True} if word else {}
    listed: tuple[Decorator, ...] = (
        click.option(
            "--input", "source", required=True, type=click.Path(path_type=Path), help="A CSV file with a header, or Parquet."
        ),
        click.option("--column", type=Utf8(), help=column),
        *own,
        click.option("--epsilon", required=True, type=Rational(positive), help="Privacy parameter, any p/q above 0."),
        click.option(
            "--neighbours",
            type=click.Choice(["add-remove", "replace-one"]),
            default="add-remove",
            show_default=True,
            help="Whether datasets are neighbours that differ by a row, or unit, more, or by one replaced.",
        ),
        *(click.option(name, **about) for name, about in UNIT if name in ("--unit", *unit)),
        click.option(
            "--word",
            type=click.IntRange(2, LARGEST_WORD),
            help=f"Bits of a draw.{'' if word else '  [default: 64 or 128]'}",
            **default,
        ),
        click.option("--first", type=click.IntRange(1, 10**12), help="Only so many rows from the file's start."),
        click.option("--bits-from", type=click.Choice(list(SOURCES)), help="Where random bits come from.  [default: os]"),
        click.option("--output", type=OutputPath(), help="Write to this file instead of the terminal, in JSON."),
        click.option(
            "--insecure-seed", "seed", type=int, help="Reproducible noise for examples: NOT private, and it is said."
        ),
        json_option,
        charging,
    )

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(listed):
            command = option(command)
        return command

    return decorated


def checked_words(source: Path, output: Path | None, seed: int | None, bits_from: str | None) -> WordSource:
    """The source of random words. Raises: ParameterError where options contradict each other; CoinsError, see SOURCES."""
    if seed is not None and bits_from is not None:
        raise ParameterError(f"--bits-from {bits_from} and --insecure-seed contradict each other")
    if output is not None and output.exists() and source.exists() and output.samefile(source):
        raise ParameterError(f"--output {output} is the input itself, which would be lost")
    return SeededWords(seed, not_private=True) if seed is not None else SOURCES[bits_from or "os"]()


def as_options(error: FinitedpError) -> FinitedpError:
    """The same error with the names that options have here."""
    kind = DataError if isinstance(error, DataError) else ParameterError
    return kind(_NAMES.sub(lambda found: f"--{found[0].replace('_', '-')}", str(error)))


def emit(document: dict[str, Any], text: str, output: Path | None, *, as_json: bool, private: bool) -> None:
    """Write an answer: its document to a file or the terminal, or its text; and say where it is not private."""
    document_text = as_json_text({**document, "finitedp": __version__}) + "\n"
    if output is not None:
        write_whole(output, document_text)
        click.echo(f"Wrote {output}.", err=True)
    else:
        click.echo(document_text if as_json else text + "\n", nl=False)
    if not private:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)
