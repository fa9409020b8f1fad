"""The forms in which `finitedp release` writes a list of noisy counts: a table, CSV or JSON."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import click

from finitedp import __version__
from finitedp.claim import Accuracy
from finitedp.cli.console import as_json_text, table, write_whole
from finitedp.cli.request import Request
from finitedp.data.columns import Label, Universe
from finitedp.data.parquet import fits_int64, parquet_bytes
from finitedp.impl.histograms.universe import Strings
from finitedp.labels import as_text, as_utf_8, is_utf_8

__all__ = ["Bins", "bound", "emit", "error_bar", "heading"]

Bins = Sequence[tuple[Label, int]]
MOST_SHOWN = 1000  # rows of a table


def heading(kind: str, request: Request) -> dict[str, Any]:
    """How every document begins. rows is null where only a bound n of them is public."""
    about = {"format": kind, "version": 1, "finitedp": __version__, "private": request.seed is None}
    return {**about, "column": request.column, "rows": request.read.rows if request.at_most is None else None, "n": request.n}


def bound(accuracy: Accuracy) -> dict[str, Any]:
    """An accuracy as JSON."""
    return {"kind": accuracy.kind, "a": accuracy.a, "beta": str(accuracy.beta), "source": accuracy.source}


def emit(document: dict[str, Any], histogram: Bins, request: Request, shape: str) -> None:
    """Write a release to the terminal or to the file that was asked for."""
    forms: dict[str, Callable[[], str | bytes]] = {
        "json": lambda: as_json_text(document) + "\n",
        "csv": lambda: _csv(document, histogram, request),
        "parquet": lambda: _parquet(document, histogram, request),
    }
    content = forms.get(shape, lambda: _table(document, histogram, request))()
    if request.output is None:
        click.echo(content, nl=False, color=True)  # as it is: click would take some of a label for colours
    else:
        write_whole(request.output, content)
        click.echo(f"Wrote {request.output}: {len(histogram)} noisy counts.", err=True)
    if request.seed is not None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)


def error_bar(count: int, a: int, rows: int) -> tuple[int, int]:
    """The interval around a noisy count."""
    return max(count - a, 0), min(count + a, rows)


def _bars(document: dict[str, Any], count: int) -> tuple[int, int]:
    """An error bar that fails with probability at most beta for every label.

    Where the per-query bound holds for large true counts only, it is taken if the simultaneous bound says that the true count
    is large: a bar that fails then means that one of the two bounds fails, for the label's true count the same one always.
    """
    single, every = document["accuracy"]
    sure = count - every["a"] > single.get("on_counts_above", -every["a"] - 1)
    return error_bar(count, single["a"] if sure else max(single["a"], every["a"]), document["n"])


def _csv(document: dict[str, Any], histogram: Bins, request: Request) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    note = [] if document["private"] else ["NOT PRIVATE"]
    writer.writerow([document["column"], "count", "low", "high", *note])
    rows = zip(_written(document, histogram, request.universe), histogram, strict=True)
    writer.writerows([label, count, *_bars(document, count), *note] for label, (_, count) in rows)
    return buffer.getvalue()


def _parquet(document: dict[str, Any], histogram: Bins, request: Request) -> bytes:
    """The columns of the CSV form, and the document without the histogram as the file's metadata."""
    bars = [_bars(document, count) for _, count in histogram]
    numbers = {"count": [count for _, count in histogram], "low": [low for low, _ in bars], "high": [high for _, high in bars]}
    about = {key: value for key, value in document.items() if key != "histogram"}
    universe = request.universe
    integers = isinstance(universe, range) and fits_int64(universe)
    labels = _written(document, histogram, universe)
    return parquet_bytes(labels, numbers, {"finitedp": as_json_text(about)}, integers=integers)


def _written(document: dict[str, Any], histogram: Bins, universe: Universe) -> list[Label]:
    r"""The labels as a file can hold them: as they are, if none that may be listed has bytes that are not UTF-8.

    Else those bytes become \xNN, and backslashes are doubled in all labels. Sparse mechanisms list any labels of the universe,
    the others those of the data, which are text, or of a list.
    """
    labels = [label for label, _ in histogram]
    if not _may_be_bytes(document, universe):
        return labels
    return [as_utf_8(label) if isinstance(label, str) else label for label in labels]


def _may_be_bytes(document: dict[str, Any], universe: Universe) -> bool:
    if isinstance(universe, range):
        return False
    return "listed_above" in document if isinstance(universe, Strings) else not all(map(_is_text, universe))


def _is_text(label: Label) -> bool:
    return isinstance(label, int) or is_utf_8(label)


def _table(document: dict[str, Any], histogram: Bins, request: Request) -> str:
    labels, first = _written(document, histogram, request.universe), histogram[:MOST_SHOWN]
    shown = zip(labels[:MOST_SHOWN], first, strict=True)
    rows = [(as_text(x), str(c), "{}..{}".format(*_bars(document, c))) for x, (_, c) in shown]
    claim, (one, every) = document["claim"], document["accuracy"]
    private = "NOT PRIVATE: the noise comes from a seed."
    if claim is not None:
        parameters = f"({claim['epsilon']}, {claim['delta']})"
        known = f"{document['rows']} rows" if document["rows"] is not None else f"at most {document['n']} rows"
        private = f"{parameters}-differentially private: {known}, one replaced ({claim['source']})."
    lines = [
        table(f"Noisy counts of {document['column']}", ("label", "count", "error bar"), rows),
        private,
        _about_bars(one, every),
        f"All counts are within +-{every['a']} at once, up to the same probability ({every['source']}).",
        _about_randomness(document["randomness"]),
        *_notes(document),
    ]
    return "\n".join(lines) + "\n"


def _about_bars(one: dict[str, Any], every: dict[str, Any]) -> str:
    """What the error bars are."""
    if "on_counts_above" not in one:
        return f"Each error bar, +-{one['a']}, fails with probability at most {one['beta']} ({one['source']})."
    large, least = one["on_counts_above"] + every["a"], one["on_counts_above"]
    return (
        f"Each error bar fails with probability at most {one['beta']}: +-{one['a']} for counts above {large}, which say that\n"
        f"the true count is above {least} ({one['source']}), and +-{every['a']} for the others ({every['source']})."
    )


def _about_randomness(randomness: dict[str, Any]) -> str:
    draws, source = randomness["draws"], randomness["bits_from"]
    if "word" in randomness:
        return f"Noise: {draws} words of {randomness['word']} random bits, from {source}."
    return f"Coins: {randomness['coins']}, bits from {source}."


def _notes(document: dict[str, Any]) -> list[str]:
    """What to know about labels that are not listed, and about those that are."""
    more = len(document["histogram"]) - MOST_SHOWN
    return ([f"{more} more rows are not shown here; --format csv lists all."] if more > 0 else []) + _of_mechanism(document)


def _of_mechanism(document: dict[str, Any]) -> list[str]:
    if "threshold" in document:
        return [f"Counts up to {document['threshold']} are not released; a label that is not listed has count 0."]
    if "listed_above" not in document:
        return []
    above = document["listed_above"]
    if above:
        return [f"Counts up to {above} are not listed here; a label that is not listed may have up to {above} in the release."]
    return ["A label that is not listed has count 0. A listed label need not occur: its count may be noise alone."]
