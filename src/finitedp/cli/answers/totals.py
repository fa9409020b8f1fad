"""finitedp count and finitedp total: a noisy number of rows of a file, and a noisy sum of one of its columns."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from finitedp.cli.answers.options import as_options, checked_words, emit, shared
from finitedp.cli.console import Rational, Utf8
from finitedp.cli.prose import closing_line
from finitedp.data.columns import Label, Universe, count_column
from finitedp.data.files import rows_of_units
from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_number import NoisyNumber
from finitedp.data.parquet import is_parquet, parquet_counts
from finitedp.data.totals import count as draw_count
from finitedp.data.totals import total as draw_total
from finitedp.data.true_counts import ANY_ROWS
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, probability
from finitedp.impl.counting.bounded_total import bounded_total
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import WordSource

_BOUNDS = re.compile(r"\s*(-?\d{1,40})\s*\.\.\s*(-?\d{1,40})\s*")
_INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*")
_LONGEST = 10**6  # bytes of a text
_WIDEST = range(-(10**40), 10**40)  # what a file's integers may be before they are clipped


def _beta(value: RationalLike, name: str) -> Any:  # noqa: ANN401  # a rational
    return probability(value, name, zero=False)


_OWN = (
    click.option("--n", type=click.IntRange(1, 10**15), help="A public bound of the rows, needed for add-remove and --unit."),
    click.option("--beta", type=Rational(_beta), default="1/20", show_default=True, help="How often the error bar may fail."),
    click.option("--drop-nulls", is_flag=True, help="Parquet: rows without a value add nothing."),
)
_options = shared(*_OWN, column="The column's name; not needed to count units.", word=None, unit=("--max-rows",))


@click.command()
@click.option("--equals", type=Utf8(), help="Only rows whose value is this text; in Parquet also an integer, true or false.")
@_options
def count(source: Path, column: str | None, equals: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401  # options
    """Release the number of rows of a file, or of those where a column equals a value; with --unit, that of units.

    The release is (epsilon, 0)-differentially private for a row more or less, or replaced; with --unit for all rows of a unit.
    At most --max-rows of them are counted of each, by default 1.
    """
    output, first, terms = _checked(source, given)
    if column is None and (equals is not None or terms["unit"] is None):
        raise ParameterError("--column is missing; accepted: the name of a column, or --unit alone to count units")
    asked: dict[str, Any] = {}
    if equals is not None and column is not None:
        typed = is_parquet(source) or terms["unit"] is None
        held = _read(source, column, Strings(_LONGEST), first, terms["drop_nulls"]) if typed else None
        asked = {"column": column, "equals": equals if held is None else _as_in(held, equals)}
    if terms["unit"] is not None:
        rows: Any = rows_of_units(source, Strings(_LONGEST), first, drop_nulls=terms["drop_nulls"])
    else:
        rows = _read(source, column or "", Strings(_LONGEST), first, terms["drop_nulls"])
    _show(_drawn(draw_count, rows, asked, terms), as_json, output)


def _as_in(counts: LabelCounts, text: str) -> Label:
    """A text as a value of a Parquet file's column; of a CSV file, it is the value."""
    label = counts.labels[0] if counts.labels else text
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
def total(
    source: Path,
    column: str | None,
    bounds: str,
    step: int | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401  # options
) -> None:
    """Release the sum of a column of integers, each clipped to LOW..HIGH; with --unit, of each unit, or --max-rows of it.

    The release is (epsilon, 0)-differentially private for a row more or less, or replaced; with --unit for all rows of a unit,
    whose sum is clipped, or of which at most --max-rows count, each of them clipped.
    """
    output, first, terms = _checked(source, given)
    if column is None:
        raise ParameterError("--column is missing; accepted: the name of a column of integers")
    ends = _BOUNDS.fullmatch(bounds)
    if ends is None:
        raise ParameterError(f"--bounds {bounds[:60]!r} are not LOW..HIGH; accepted: integers, such as 0..120")
    low_high = int(ends[1]), int(ends[2])
    bounded_total(terms["n"] or 1, *low_high, terms["epsilon"], terms["neighbours"], step=step, word=terms["word"])
    asked = {"column": column, "bounds": low_high, "step": step}
    if terms["unit"] is not None:
        rows: Any = rows_of_units(source, _WIDEST, first, drop_nulls=terms["drop_nulls"])
    else:
        rows = _read(source, column, _WIDEST, first, terms["drop_nulls"])
    _show(_drawn(draw_total, rows, asked, terms), as_json, output)


def _drawn(draw: Callable[..., NoisyNumber], rows: Any, asked: dict[str, Any], terms: dict[str, Any]) -> NoisyNumber:  # noqa: ANN401
    """The noisy number. Raises: ParameterError, DataError, with the names of options."""
    try:
        return draw(rows, **asked, **terms)
    except (DataError, ParameterError) as error:
        raise as_options(error) from None


def _checked(source: Path, given: dict[str, Any]) -> tuple[Path | None, int | None, dict[str, Any]]:
    """Where to write, how many rows, and the options by the names of the library. Raises: ParameterError, CoinsError."""
    output, first, seed, bits_from = (given.pop(name) for name in ("output", "first", "seed", "bits_from"))
    words: WordSource = checked_words(source, output, seed, bits_from)
    if given["drop_nulls"] and not is_parquet(source):
        raise ParameterError(f"{source} is a CSV file, which has no nulls: a missing value is the empty string")
    if given["n"] is None and given["neighbours"] == "add-remove":
        raise ParameterError("--n is missing: with add-remove the number of rows is not public; accepted: a bound of it")
    return output, first, {**given, "words": words}


def _read(path: Path, column: str, universe: Universe, first: int | None, drop_nulls: bool) -> LabelCounts:
    """How many rows of the file have each value of a column. Raises: DataError."""
    if is_parquet(path):
        return parquet_counts(path, column, first, n=ANY_ROWS, drop_nulls=drop_nulls)
    return LabelCounts.of(count_column(path, column, universe, first, may_be_empty=True))


def _show(noisy: NoisyNumber, as_json: bool, output: Path | None) -> None:
    text = "\n".join(map(closing_line, repr(noisy).splitlines()))
    emit(noisy.as_json(), text, output, as_json=as_json, private=noisy.claim is not None)
