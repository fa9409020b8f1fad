"""finitedp statistic: the maximum, the mode, a quantile ... of a column of a file, accurate up to a few dropped rows."""

from pathlib import Path
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp.cli.answers.options import as_options, checked_words, emit, shared
from finitedp.cli.console import OutputPath, Rational, Utf8, as_json_text, progress, write_whole
from finitedp.cli.prose import closing_line
from finitedp.data.columns import count_labelled_column, parse_universe
from finitedp.data.files import count_file, rows_of_units
from finitedp.data.parquet import is_parquet
from finitedp.data.statistics import (
    LABELLED,
    ON_THE_LINE,
    FlexibleAnswer,
    answered,
    bucketed,
    prepared,
    separator,
    text_of,
)
from finitedp.data.true_counts import ANY_ROWS
from finitedp.data.units.statistics import Bars, unit_of_statistic
from finitedp.data.value.answers import answer_document
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, probability, rational
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.randomness.words import WordSource
from finitedp.numbers import shown
from finitedp.units import Unit


def _delta(value: RationalLike, name: str) -> mpq:
    return probability(value, name, zero=False, one=False)


def _share(value: RationalLike, name: str) -> mpq:
    return probability(value, name)


def _level(value: RationalLike, name: str) -> mpq:
    return probability(value, name, zero=False)


@frozen(kw_only=True)
class _Asked:
    """The values of the options, which fit together. Raises: ParameterError, CoinsError."""

    name: str
    source: Path
    column: str | None
    universe: str
    epsilon: mpq
    delta: mpq
    beta: mpq
    gamma: mpq | None
    dropped: int | None
    k: int | None
    p: mpq | None
    labels: str | None
    classes: str | None
    neighbours: str
    word: int
    first: int | None
    bits_from: str | None
    seed: int | None
    output: Path | None
    table: Path | None
    unit: str | None
    max_labels: int | None
    max_rows_per_label: int | None
    max_rows: int | None
    bounded: bool

    def __attrs_post_init__(self) -> None:
        if self.column is None:
            raise ParameterError("--column is missing; accepted: the name of a column of integers")
        self.words()
        if self.unit is not None and self.name == LABELLED:
            raise ParameterError(f"a {LABELLED} does not take a unit; accepted: another statistic, or no --unit")
        if self.gamma is not None and self.dropped is not None:
            raise ParameterError("--gamma and --drop follow from each other; accepted: one of them")
        if len({self.name == LABELLED, self.labels is not None, self.classes is not None}) != 1:
            raise ParameterError(
                f"{LABELLED} needs --labels and --classes, which no other statistic has; accepted: both or none"
            )
        if self.labels is not None and is_parquet(self.source):
            raise ParameterError(
                f"{self.source} is a Parquet file, and a {LABELLED} is read of two columns; accepted: a CSV file"
            )

    def words(self) -> WordSource:
        """The source of random words. Raises: ParameterError; CoinsError where a package is missing."""
        return checked_words(self.source, self.output, self.seed, self.bits_from)

    def line(self) -> range:
        """The universe. Raises: ParameterError for one without an order."""
        universe = parse_universe(self.universe)
        if not isinstance(universe, range):
            raise ParameterError(f"universe = {self.universe[:60]!r} has no order, which {self.name} needs; accepted: LO..HI")
        return universe

    def two_classes(self) -> tuple[str, str]:
        """The texts of the labels - and +. Raises: ParameterError."""
        classes = (self.classes or "").split(",")
        if len(classes) != 2 or classes[0] == classes[1] or "" in classes:
            raise ParameterError(f"--classes {self.classes} are not two labels; accepted: MINUS,PLUS")
        return classes[0], classes[1]

    def options(self) -> dict[str, Any]:
        """Those of the mechanism, by the names of finitedp.statistic."""
        numbers = {"epsilon": self.epsilon, "delta": self.delta, "beta": self.beta, "word": self.word}
        return {**numbers, "neighbours": self.neighbours, "k": self.k, "p": self.p, "unit": self.whose()}

    def whose(self) -> Unit | None:
        """The unit. Raises: ParameterError."""
        bounds = {"max_labels": self.max_labels, "max_rows_per_label": self.max_rows_per_label, "max_rows": self.max_rows}
        return unit_of_statistic(self.name, self.unit, bounds, bounded=self.bounded)

    def answer(self) -> tuple[FlexibleAnswer, int]:
        """Read the column, draw the noise; the answer, and how many rows there are. Raises: ParameterError, DataError, ..."""
        line, words, column = self.line(), self.words(), self.column or ""
        classes = self.two_classes() if self.labels is not None else None
        mechanism = prepared(self.name, line, **self.options())  # refuses parameters before anything is read
        stated: dict[str, Any] = {"gamma": self.gamma, "dropped": self.dropped}
        if classes is not None and self.labels is not None:
            pairs, rows = count_labelled_column(self.source, column, self.labels, classes, line, self.first)
            self.write_table(mechanism)
            kept = {name: value for name, value in self.options().items() if name not in ("k", "p", "unit")}
            with progress("drawing noise"):
                return separator(pairs, universe=line, words=words, **stated, **kept), rows
        claimed, whose = mechanism.accuracy(self.gamma, self.dropped), mechanism.histogram.unit
        if whose is None:
            counted = count_file(self.source, column, line, self.first, n=ANY_ROWS)
            bars = bucketed(counted.counts, mechanism, column)
        else:
            rows_of = rows_of_units(self.source, line, self.first)
            bars = Bars(self.name, column, mechanism, whose).of_frame(rows_of, drop_nulls=False, null_label=None)
        self.write_table(mechanism)
        with progress("drawing noise"):
            return answered(mechanism, bars, claimed, words, f"{self.name} of {column}"), sum(bars)

    def write_table(self, mechanism: FlexibleStatistic) -> None:
        """The table of the noise, where it is asked for."""
        if self.table is not None:
            write_whole(self.table, as_json_text(mechanism.histogram.table.certificate()) + "\n")


_OWN = (
    click.option(
        "--universe",
        type=Utf8(),
        required=True,
        help="All possible values, LO..HI. Choose it without looking at the data.",
    ),
    click.option("--delta", required=True, type=Rational(_delta), help="Privacy parameter, p/q in (0, 1)."),
    click.option(
        "--beta",
        type=Rational(rational),
        default="0",
        show_default=True,
        help="Count values in buckets of floor(2 beta) + 1: fewer rows are dropped, answers are off by up to beta.",
    ),
    click.option(
        "--gamma", type=Rational(_share), help="State the rows for an accuracy that may fail so often.  [default: 0]"
    ),
    click.option(
        "--drop", "dropped", type=click.IntRange(min=0), help="State how often the accuracy fails with so many rows."
    ),
    click.option("--k", type=click.IntRange(min=1), help="For max-k: the least number of rows of a value."),
    click.option("--p", type=Rational(_level), help="For quantile: which one, in (0, 1]."),
    click.option("--labels", type=Utf8(), help="For separator: the column of the two labels."),
    click.option(
        "--classes",
        type=Utf8(),
        help="For separator: the two labels, MINUS,PLUS. Choose them without looking at the data.",
    ),
    click.option("--table", type=OutputPath(), help="Write the table of the noise to this file, as a certificate."),
)
_UNIT = ("--max-labels", "--max-rows-per-label", "--max-rows", "--bounded")


@click.command()
@click.argument("name", metavar="STATISTIC", type=click.Choice((*ON_THE_LINE, LABELLED)))
@shared(*_OWN, column="The column's name: integers.", word=64, unit=_UNIT)
def statistic(as_json: bool, **given: Any) -> None:  # noqa: ANN401  # values of options
    """Release one STATISTIC of a column of integers: max, min, range, support, max-k, mode, median, quantile or iqr.

    A separator, of a column of integers and one of two labels, is the middle of the last - and the first +.

    The release is (epsilon, delta)-differentially private. It is accurate for the data with a few rows left out: their least
    number that is proved is stated, with how far the answer may be off, and how often this may fail. The noise only lowers
    counts, so that no value is reported that does not occur (or lies no farther than beta from one that does), but for the
    answer of no rows, which is said.
    """
    asked = _Asked(**given)
    try:
        answer, rows = asked.answer()
    except (DataError, ParameterError) as error:
        raise as_options(error) from None
    about = answer_document(answer.metadata(), asked.column)
    emit(about, _text(asked, answer), asked.output, as_json=as_json, private=asked.seed is None)
    if rows <= (answer.accuracy.dropped or 0):
        click.echo("Of the true data, and no part of the release: there are no more rows than may be left out.", err=True)


def _text(asked: _Asked, answer: FlexibleAnswer) -> str:
    name = {"max-k": f"max-{asked.k}", "quantile": f"quantile {asked.p}"}.get(asked.name, asked.name)
    lines = [
        f"{name} of {asked.column}: {text_of(answer.value)}",
        _claim(answer),
        f"{answer.sentence()} ({answer.accuracy.source})",
        answer.default_sentence(),
        f"Noise: {_noise(answer.mechanism)}, from {answer.source}.",
    ]
    return "\n".join(map(closing_line, lines))


def _claim(answer: FlexibleAnswer) -> str:
    claim = answer.claim
    if claim is None:
        return "NOT PRIVATE: the noise comes from a seed."
    one = "row" if claim.unit is None else f"whole {claim.unit}"
    differ = f"a {one} more or less" if claim.neighbours == "add-remove" else f"one {one} replaced"
    return f"({claim.epsilon}, {shown(claim.delta, 24)})-differentially private: {differ} ({claim.source})."


def _noise(mechanism: FlexibleStatistic) -> str:
    histogram = mechanism.histogram
    return f"0..{histogram.q - 1} rows of each of {histogram.bars} bars, {histogram.word} random bits a bar"
