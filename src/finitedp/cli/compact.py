"""finitedp release compact, and finitedp query: a count for every label of a universe of any size."""

from pathlib import Path
from typing import Any

import click
from attrs import evolve

from finitedp.budgets.budget import charged
from finitedp.cli.console import Utf8, json_option, many, print_json, progress, table, write_whole
from finitedp.cli.prose import closing_line
from finitedp.cli.release_options import DYADIC
from finitedp.cli.request import Column, Request, Ticking
from finitedp.data.columns import Label
from finitedp.data.error_bars import error_bar
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.compact import FIELD_WORD, CompactHistogram, compact_histogram_with_dyadic_sample
from finitedp.impl.histograms.compact_encoding import MAGIC
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.universe import Integers, Listed
from finitedp.labels import as_text

LARGEST_COMPACT_FILE = 1 << 30  # bytes, which are read into memory at once


def release_polynomial(request: Request, shape: str) -> None:
    """Release a compact histogram as one file, JSON or binary. Raises: ParameterError, DataError, CoinsError, OSError."""
    if shape == "binary" and request.output is None:
        raise ParameterError("the binary form needs --output")
    column = request.read()
    histogram = _histogram(column)
    _rehearse(histogram, shape)
    charged(histogram.claim(request.bare_coins()), f"compact histogram of {request.column}", request.words())
    with progress("drawing noise", even=True) as update:
        coins = Ticking(request.bare_coins(), update, histogram.cost().draws)
        released = histogram.release_counts(column.counts.counts, coins)
    released = evolve(released, randomness=f"{request.coins_kind} coins, bits from {request.bits_from_text}")
    if request.seed is not None:
        released = evolve(released, claim=None)
    content: str | bytes = released.to_json().rstrip("\n") + "\n" if shape == "json" else released.to_bytes()
    if request.output is None:
        click.echo(content, nl=False, color=True)
    else:
        write_whole(request.output, content)
        click.echo(f"Wrote {request.output}: a noisy count for each of {many(column.terms.size)} labels.", err=True)
    if request.seed is not None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)


def _histogram(column: Column) -> CompactHistogram[Any]:
    """What the options ask for. Raises: ParameterError."""
    request = column.request
    if request.mechanism == DYADIC:
        bits = FIELD_WORD if request.word is None else request.word
        return compact_histogram_with_dyadic_sample(request.universe, column.n, request.epsilon, bits, request.beta)
    assert request.offer.paper is not None  # noqa: S101  # lists and polynomials have one
    made = request.offer.paper(column.terms).histogram
    assert isinstance(made, CompactHistogram)  # noqa: S101  # the one that is offered as a polynomial
    return made


def _rehearse(mechanism: CompactHistogram[Any], shape: str) -> None:
    """Write and read a release without noise, so that what cannot be saved is refused before any is drawn."""
    nothing = (0,) * (mechanism.mechanism.n + 1)
    empty = CompactRelease(mechanism.level, mechanism.mechanism, mechanism.universe, nothing, mechanism.claim())
    try:
        again: CompactRelease[Any] = (
            CompactRelease.from_json(empty.to_json()) if shape == "json" else CompactRelease.from_bytes(empty.to_bytes())
        )
    except DataError as error:
        raise ParameterError(f"such a release could not be read again: {error}") from None
    assert again == empty  # noqa: S101  # what is written is what is read


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("labels", nargs=-1, required=True, type=Utf8())
@json_option
def query(file: Path, labels: tuple[str, ...], as_json: bool) -> None:
    """The noisy counts of LABELS in FILE, a compact histogram.

    Reading costs no privacy, whatever is asked. Put -- before negative labels.
    """
    released = _read(file)
    counts = list(released.counts([_label(text, released) for text in labels]))
    rows, claim = released.mechanism.n, released.claim
    single = next((a for a in released.accuracy if a.kind == "per-query"), None)
    if as_json:
        print_json(
            {
                "format": "finitedp query",
                "version": 1,
                "private": claim is not None,
                "rows": rows,
                "claim": None if claim is None else claim.as_json(),
                "accuracy": [accuracy.as_json() for accuracy in released.accuracy],
                "randomness": released.randomness,
                "histogram": [{"label": label, "count": count} for label, count in counts],
            }
        )
        return
    a = rows if single is None else single.a
    shown = [(as_text(x), str(c), "{}..{}".format(*error_bar(c, a, rows))) for x, c in counts]
    click.echo(table(f"Noisy counts in {file}", ("label", "count", "error bar"), shown))
    if claim is None:
        click.echo("NOT PRIVATE: the file states no claim.")
    else:
        click.echo(closing_line(f"({claim.epsilon}, 0)-differentially private: {rows} rows, one replaced ({claim.source})."))
    if released.randomness:
        click.echo(closing_line(f"Noise: {released.randomness}."))
    if single is not None:
        click.echo(closing_line(f"Each error bar, +-{a}, fails with probability at most {single.beta} ({single.source})."))


def _read(file: Path) -> CompactRelease[Any]:
    try:
        if file.stat().st_size > LARGEST_COMPACT_FILE:
            raise DataError(f"{file} has more than {LARGEST_COMPACT_FILE} bytes; accepted: a compact histogram")
        content = file.read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None
    try:
        binary = content.startswith(MAGIC)
        return CompactRelease.from_bytes(content) if binary else CompactRelease.from_json(content)
    except DataError as error:
        raise DataError(f"{file}: {error}") from None


def _label(text: str, released: CompactRelease[Any]) -> Label:
    """A label as the universe has it: an integer where it holds integers, and no such string."""
    universe = released.universe
    listed = universe.labels if isinstance(universe, Listed) else None
    if text in listed if listed is not None else not isinstance(universe, Integers):
        return text
    try:
        return int(text) if listed is None or int(text) in listed else text
    except ValueError:
        if listed is not None:
            return text
        raise DataError(f"the label {text[:40]!r} is not an integer, and the universe holds integers") from None
