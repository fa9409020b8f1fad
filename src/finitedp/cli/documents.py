"""The forms in which `finitedp release` writes a list of noisy counts: a table, CSV or JSON."""

import csv
import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click
from attrs import frozen

from finitedp.claim import PrivacyClaim
from finitedp.cli.console import as_json_text, table, write_whole
from finitedp.cli.prose import closing_line
from finitedp.cli.release_options import BLANKET, DYADIC
from finitedp.cli.request import Column
from finitedp.data.columns import Label
from finitedp.data.error_bars import Bars
from finitedp.data.parquet import fits_int64, parquet_bytes
from finitedp.data.value.saved import as_document
from finitedp.impl.histograms.universe import Strings
from finitedp.labels import as_text, as_utf_8, is_utf_8

__all__ = ["Bins", "Released", "emit", "no_formula"]

Bins = Sequence[tuple[Label, int]]
MOST_ROWS_SHOWN = 1000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # some readers take a text for a formula that begins so


@frozen(kw_only=True)
class Released:
    """A list of noisy counts of a column, and what is said of it.

    claim: None where the noise comes from a seed. threshold: counts up to it are not released. noise: a sentence on where the
    noise comes from. about: the document's middle, from the mechanism to the randomness.
    """

    column: Column
    histogram: Bins
    bars: Bars
    claim: PrivacyClaim | None
    threshold: int | None
    noise: str
    about: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """All but the histogram, for JSON. rows is null where only a bound n of them is public."""
        return as_document({"n": self.column.n, **self.about}, self.column.request.column, self.column.rows)

    def labels(self) -> list[Label]:
        r"""The labels as a file can hold them: as they are, if none that may be listed has bytes that are not UTF-8.

        Else those bytes become \xNN, and backslashes are doubled in all labels. Sparse mechanisms list any labels of the
        universe, the others those of the data, which are text, or of a list.
        """
        labels = [label for label, _ in self.histogram]
        if not self._may_hold_bytes():
            return labels
        return [as_utf_8(label) if isinstance(label, str) else label for label in labels]

    def _may_hold_bytes(self) -> bool:
        universe = self.column.request.universe
        if isinstance(universe, range):
            return False
        if isinstance(universe, Strings):
            return self.column.request.offer.noise_alone
        return not all(is_utf_8(label) for label in universe if isinstance(label, str))


def emit(released: Released, form: str) -> None:
    """Write a release to the terminal, or to the file that was asked for, in one of the forms."""
    forms: dict[str, Callable[[Released], str | bytes]] = {"json": _json, "csv": _csv, "parquet": _parquet, "table": _table}
    forms["spreadsheet"] = partial(_csv, formulas=False)
    content, request = forms[form](released), released.column.request
    if request.output is None:
        click.echo(content, nl=False, color=True)  # as it is: click would take some of a label for colours
    else:
        write_whole(request.output, content)
        click.echo(f"Wrote {request.output}: {len(released.histogram)} noisy counts.", err=True)
    if request.seed is not None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)


def _json(released: Released) -> str:
    bins = [{"label": label, "count": count} for label, count in released.histogram]
    return as_json_text({**released.document(), "histogram": bins}) + "\n"


def _csv(released: Released, *, formulas: bool = True) -> str:
    """A line for each label. Text is quoted where a reader could take it for something else: for a new line, or a formula.

    Without `formulas` all text is quoted, since a spreadsheet may also take a semicolon or a tab for the end of a cell, and is
    `no_formula`, since it follows what stands in quotes too.
    """
    buffer = io.StringIO()
    plain, quoted = (csv.writer(buffer, lineterminator="\n", quoting=how) for how in (csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC))
    request = released.column.request
    note = [] if request.seed is None else ["NOT PRIVATE"]
    bins = zip(released.labels(), (count for _, count in released.histogram), strict=True)
    rows: list[tuple[Label, tuple[int | str, ...]]] = [(request.column, ("count", "low", "high"))]
    rows += [(label, (count, *released.bars.bar(count))) for label, count in bins]
    for label, numbers in rows:
        formula = isinstance(label, str) and label.startswith(_FORMULA)
        shown = label if formulas or not isinstance(label, str) else no_formula(label)
        (quoted if not formulas or formula or "\r" in str(label) else plain).writerow([shown, *numbers, *note])
    return buffer.getvalue()


def no_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before it, unless it begins with a letter or digit.

    Different texts stay different: without its first apostrophe, one is the text again. The empty text is itself.
    """
    return text if not text or text[0].isalnum() else f"'{text}"


def _parquet(released: Released) -> bytes:
    """The columns of the CSV form, and the document without the histogram as the file's metadata."""
    counts, universe = [count for _, count in released.histogram], released.column.request.universe
    bars = [released.bars.bar(count) for count in counts]
    numbers = {"count": counts, "low": [low for low, _ in bars], "high": [high for _, high in bars]}
    integers = isinstance(universe, range) and fits_int64(universe)
    return parquet_bytes(released.labels(), numbers, {"finitedp": as_json_text(released.document())}, integers=integers)


def _table(released: Released) -> str:
    column, claim, first = released.column, released.claim, released.histogram[:MOST_ROWS_SHOWN]
    shown = zip(released.labels()[:MOST_ROWS_SHOWN], first, strict=True)
    rows = [(as_text(x), str(c), "{}..{}".format(*released.bars.bar(c))) for x, (_, c) in shown]
    private = "NOT PRIVATE: the noise comes from a seed."
    if claim is not None:
        known = f"at most {column.n} rows" if column.rows is None else f"{column.rows} rows"
        parameters = f"({claim.epsilon}, {claim.delta})"
        whose = "one" if claim.unit is None else f"all of one {as_text(claim.unit)}"
        changed = f"{whose} replaced" if claim.neighbours == "replace-one" else f"{whose} more or less"
        private = f"{parameters}-differentially private: {known}, {changed} ({claim.source})."
    lines = [
        table(f"Noisy counts of {column.request.column}", ("label", "count", "error bar"), rows),
        *map(closing_line, (private, *released.bars.as_text(), released.noise, *_notes(released))),
    ]
    return "\n".join(lines) + "\n"


def _notes(released: Released) -> list[str]:
    """What to know about labels that are not listed, and about those that are."""
    more, above = len(released.histogram) - MOST_ROWS_SHOWN, released.column.request.above
    notes = [f"{more} more rows are not shown here; --format csv lists all."] if more > 0 else []
    request = released.column.request
    if request.mechanism == DYADIC and (request.relation == "add-remove" or request.whose is not None):
        n = released.column.n
        notes.append(f"The errors are for at most {n} rows. Of more, which nothing tells, counts above {n} are taken for {n}.")
    if released.threshold is not None:
        notes.append(f"Counts up to {released.threshold} are not released; a label that is not listed has count 0.")
        if above > released.threshold:
            notes.append(f"Those up to {above} are not listed here.")
        notes += _invented(released)
    elif above:
        notes.append(
            f"Counts up to {above} are not listed here; a label that is not listed may have up to {above} in the release."
        )
    elif released.column.request.offer.noise_alone:
        notes.append("A label that is not listed has count 0. A listed label need not occur: its count may be noise alone.")
    return notes


def _invented(released: Released) -> list[str]:
    """What to know about labels that a blanket invents."""
    request, parameters = released.column.request, released.about["parameters"]
    if request.mechanism != BLANKET:
        return []
    if parameters["withheld"]:
        return ["The release is withheld, and empty: it would have held too many labels, which hardly ever happens."]
    return [f"A listed label need not occur: on average at most {parameters['invented']} of them were never in the data."]
