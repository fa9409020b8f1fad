"""The forms in which `finitedp release` writes a list of noisy counts: a table, CSV or JSON."""

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
from finitedp.data.parquet import ParquetColumn, Stored, fits_int64
from finitedp.data.value.files import as_csv, as_parquet
from finitedp.data.value.label_columns import Kind, LabelColumn
from finitedp.data.value.saved import as_document, histogram_of
from finitedp.impl.histograms.universe import Strings
from finitedp.labels import as_text, as_utf_8, is_utf_8

Bins = Sequence[tuple[Label, int]]
MOST_ROWS_SHOWN = 1000  # that a terminal still keeps; files hold all


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
        about, listed = {"n": self.column.n, **self.about}, histogram_of(self.histogram)
        return as_document(about, self.column.request.column, self.column.rows, listed)

    def counts(self) -> list[int]:
        """The noisy counts."""
        return [count for _, count in self.histogram]

    def labels(self) -> list[Label]:
        r"""The labels as a file can hold them: as they are, if none that may be listed has bytes that are not UTF-8.

        Else those bytes become \xNN, and backslashes are doubled in all labels. Sparse mechanisms list any labels of the
        universe, the others those of the data, which are text, or of a list.
        """
        labels = [label for label, _ in self.histogram]
        if not self.may_hold_bytes():
            return labels
        return [as_utf_8(label) if isinstance(label, str) else label for label in labels]

    def may_hold_bytes(self) -> bool:
        """Whether a label that may be listed has bytes that are not UTF-8."""
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
    return as_json_text({**released.document(), "histogram": histogram_of(released.histogram)}) + "\n"


def _csv(released: Released, *, formulas: bool = True) -> str:
    columns, seeded = [(released.column.request.column, released.labels())], released.column.request.seed is not None
    return as_csv(columns, released.counts(), released.bars, seeded=seeded, formulas=formulas)


def _parquet(released: Released) -> bytes:
    """Integers as text where not all that may occur have 64 bits."""
    universe, labels = released.column.request.universe, released.labels()
    kind: Kind = "integer" if isinstance(universe, range) else "text"
    stored: Stored = "BIGINT" if isinstance(universe, range) and fits_int64(universe) else "VARCHAR"
    column = ParquetColumn("label", stored, labels if stored == "BIGINT" else list(map(str, labels)))
    made = LabelColumn(column, kind, escaped=released.may_hold_bytes())
    return as_parquet([made], released.counts(), released.bars, released.document())


def _table(released: Released) -> str:
    column, claim, first = released.column, released.claim, released.histogram[:MOST_ROWS_SHOWN]
    shown = zip(released.labels()[:MOST_ROWS_SHOWN], first, strict=True)
    rows = [(as_text(x), str(c), "{}..{}".format(*released.bars.bar(c))) for x, (_, c) in shown]
    private = "NOT PRIVATE: the noise comes from a seed."
    if claim is not None:
        rows_text = f"at most {column.n} rows" if column.rows is None else f"{column.rows} rows"
        parameters = f"({claim.epsilon}, {claim.delta})"
        whose = "one" if claim.unit is None else f"all of one {as_text(claim.unit)}"
        changed = f"{whose} replaced" if claim.neighbours == "replace-one" else f"{whose} more or less"
        private = f"{parameters}-differentially private: {rows_text}, {changed} ({claim.source})."
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
