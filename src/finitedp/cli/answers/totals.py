"""finitedp count and finitedp total: a noisy number of rows of a file, and a noisy sum of one of its columns."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from finitedp import __version__
from finitedp.cli.budget import charging
from finitedp.cli.console import OutputPath, Rational, Utf8, as_json_text, json_option, write_whole
from finitedp.cli.prose import closing_line
from finitedp.cli.release_options import SOURCES
from finitedp.data.columns import Label, Universe, count_column
from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_number import NoisyNumber
from finitedp.data.parquet import is_parquet, parquet_counts
from finitedp.data.totals import count as draw_count
from finitedp.data.totals import total as draw_total
from finitedp.data.true_counts import ANY_ROWS
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, positive, probability
from finitedp.impl.counting.bounded_total import bounded_total
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords, WordSource

__all__ = ["count", "total"]

_BOUNDS = re.compile(r"\s*(-?\d{1,40})\s*\.\.\s*(-?\d{1,40})\s*")
_INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*")
_LONGEST = 10**6  # bytes of a text
_WIDEST = range(-(10**40), 10**40)  # what a file's integers may be before they are clipped


def _beta(value: RationalLike, name: str) -> Any:  # noqa: ANN401  # a rational
    return probability(value, name, zero=False)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(
        (
            click.option(
                "--input",
                "path",
                required=True,
                type=click.Path(path_type=Path),
                help="A CSV file with a header, or Parquet.",
            ),
            click.option("--column", type=Utf8(), required=True, help="The column's name."),
            click.option("--epsilon", required=True, type=Rational(positive), help="Privacy parameter, any p/q above 0."),
            click.option("--n", type=click.IntRange(1, 10**15), help="A public bound of the rows, needed for add-remove."),
            click.option(
                "--neighbours",
                type=click.Choice(["add-remove", "replace-one"]),
                default="add-remove",
                show_default=True,
                help="Whether datasets are neighbours that differ by a row more, or by a row replaced.",
            ),
            click.option("--word", type=click.IntRange(2, LARGEST_WORD), help="Bits of the draw.  [default: 64 or 128]"),
            click.option(
                "--beta", type=Rational(_beta), default="1/20", show_default=True, help="How often the error bar may fail."
            ),
            click.option("--drop-nulls", is_flag=True, help="Parquet: rows without a value add nothing."),
            click.option("--bits-from", type=click.Choice(list(SOURCES)), help="Where random bits come from.  [default: os]"),
            click.option("--output", type=OutputPath(), help="Write to this file instead of the terminal, in JSON."),
            click.option(
                "--insecure-seed", "seed", type=int, help="Reproducible noise for examples: NOT private, and it is said."
            ),
        )
    ):
        command = option(command)
    return charging(json_option(command))


@click.command()
@click.option("--equals", type=Utf8(), help="Only rows whose value is this text; in Parquet also an integer, true or false.")
@_options
def count(path: Path, column: str, equals: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401  # options
    """Release the number of rows of a file, or of those where a column equals a value.

    The release is (epsilon, 0)-differentially private for a row more or less, or replaced.
    """
    output, terms = _checked(path, given)
    found = _read(path, column, Strings(_LONGEST), terms["drop_nulls"])
    asked: dict[str, Any] = {} if equals is None else {"column": column, "equals": _as_in(found, equals)}
    _show(draw_count(found, **asked, **terms), as_json, output)


def _as_in(found: LabelCounts, text: str) -> Label:
    """A text as a value of a Parquet file's column; of a CSV file, it is the value."""
    label = found.labels[0] if found.labels else text
    if isinstance(label, bool):
        return {"true": True, "false": False}.get(text, text)
    return int(text) if isinstance(label, int) and _INTEGER.fullmatch(text) else text


@click.command()
@click.option(
    "--bounds",
    type=Utf8(),
    required=True,
    help="LOW..HIGH: values are clipped to them. Choose them without looking at the data.",
)
@click.option("--step", type=click.IntRange(min=1), help="Release a multiple of this.  [default: a small part of the noise]")
@_options
def total(path: Path, column: str, bounds: str, step: int | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401  # options
    """Release the sum of a column of integers, each clipped to LOW..HIGH.

    The release is (epsilon, 0)-differentially private for a row more or less, or replaced.
    """
    output, terms = _checked(path, given)
    ends = _BOUNDS.fullmatch(bounds)
    if ends is None:
        raise ParameterError(f"--bounds {bounds[:60]!r} are not LOW..HIGH; accepted: integers, such as 0..120")
    low_high = int(ends[1]), int(ends[2])
    bounded_total(terms["n"] or 1, *low_high, terms["epsilon"], terms["neighbours"], step=step, word=terms["word"])
    found = _read(path, column, _WIDEST, terms["drop_nulls"])
    _show(draw_total(found, column, bounds=low_high, step=step, **terms), as_json, output)


def _checked(path: Path, given: dict[str, Any]) -> tuple[Path | None, dict[str, Any]]:
    """Where to write, and the options by the names of the library. Raises: ParameterError, CoinsError."""
    output, seed, bits_from = given.pop("output"), given.pop("seed"), given.pop("bits_from")
    if seed is not None and bits_from is not None:
        raise ParameterError(f"--bits-from {bits_from} and --insecure-seed contradict each other")
    if output is not None and output.exists() and path.exists() and output.samefile(path):
        raise ParameterError(f"--output {output} is the input itself, which would be lost")
    if given["drop_nulls"] and not is_parquet(path):
        raise ParameterError(f"{path} is a CSV file, which has no nulls: a missing value is the empty string")
    if given["n"] is None and given["neighbours"] == "add-remove":
        raise ParameterError("--n is missing: with add-remove the number of rows is not public; accepted: a bound of it")
    words: WordSource = SeededWords(seed, not_private=True) if seed is not None else SOURCES[bits_from or "os"]()
    return output, {**given, "words": words}


def _read(path: Path, column: str, universe: Universe, drop_nulls: bool) -> LabelCounts:
    """How many rows of the file have each value of a column. Raises: DataError."""
    if is_parquet(path):
        return parquet_counts(path, column, n=ANY_ROWS, drop_nulls=drop_nulls)
    return LabelCounts.of(count_column(path, column, universe, may_be_empty=True))


def _show(noisy: NoisyNumber, as_json: bool, output: Path | None) -> None:
    text = as_json_text({**noisy.as_json(), "finitedp": __version__}) + "\n"
    if output is not None:
        write_whole(output, text)
        click.echo(f"Wrote {output}.", err=True)
    elif as_json:
        click.echo(text, nl=False)
    else:
        click.echo("\n".join(map(closing_line, repr(noisy).splitlines())))
    if noisy.claim is None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)
