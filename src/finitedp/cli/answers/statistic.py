"""finitedp statistic: the maximum, the mode, a quantile ... of a column of a file, accurate up to a few dropped rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp import __version__
from finitedp.cli.budget import charging
from finitedp.cli.console import OutputPath, Rational, Utf8, as_json_text, json_option, progress, write_whole
from finitedp.cli.prose import closing_line
from finitedp.cli.release_options import SOURCES
from finitedp.data.columns import count_labelled_column, parse_universe
from finitedp.data.files import count_file
from finitedp.data.parquet import is_parquet
from finitedp.data.statistics import LABELLED, ON_THE_LINE, FlexibleAnswer, prepared, separator, text_of
from finitedp.data.statistics import statistic as draw
from finitedp.data.true_counts import ANY_ROWS
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, positive, probability, rational
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.randomness.words import SeededWords, WordSource
from finitedp.numbers import shown

__all__ = ["statistic"]


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
    column: str
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

    def __attrs_post_init__(self) -> None:
        if self.gamma is not None and self.dropped is not None:
            raise ParameterError("--gamma and --drop follow from each other; accepted: one of them")
        if self.seed is not None and self.bits_from is not None:
            raise ParameterError(f"--bits-from {self.bits_from} and --insecure-seed contradict each other")
        if len({self.name == LABELLED, self.labels is not None, self.classes is not None}) != 1:
            raise ParameterError(
                f"{LABELLED} needs --labels and --classes, which no other statistic has; accepted: both or none"
            )
        if self.labels is not None and is_parquet(self.source):
            raise ParameterError(
                f"{self.source} is a Parquet file, and a {LABELLED} is read of two columns; accepted: a CSV file"
            )
        if self.output is not None and self.output.exists() and self.source.exists() and self.output.samefile(self.source):
            raise ParameterError(f"--output {self.output} is the input itself, which would be lost")

    def words(self) -> WordSource:
        """The source of random words. Raises: CoinsError where a package is missing."""
        return SeededWords(self.seed, not_private=True) if self.seed is not None else SOURCES[self.bits_from or "os"]()

    def line(self) -> range:
        """The universe. Raises: ParameterError for one without an order."""
        found = parse_universe(self.universe)
        if not isinstance(found, range):
            raise ParameterError(f"universe = {self.universe[:60]!r} has no order, which {self.name} needs; accepted: LO..HI")
        return found

    def two_classes(self) -> tuple[str, str]:
        """The texts of the labels - and +. Raises: ParameterError."""
        found = (self.classes or "").split(",")
        if len(found) != 2 or found[0] == found[1] or "" in found:
            raise ParameterError(f"--classes {self.classes} are not two labels; accepted: MINUS,PLUS")
        return found[0], found[1]

    def options(self) -> dict[str, Any]:
        """Those of the mechanism, by the names of finitedp.statistic."""
        known = {"epsilon": self.epsilon, "delta": self.delta, "beta": self.beta, "word": self.word}
        return {**known, "neighbours": self.neighbours, "k": self.k, "p": self.p}

    def answer(self) -> tuple[FlexibleAnswer, int]:
        """Read the column, draw the noise; the answer, and how many rows there are. Raises: ParameterError, DataError, ..."""
        line, words = self.line(), self.words()
        classes = self.two_classes() if self.labels is not None else None
        mechanism = prepared(self.name, line, **self.options())  # refuses parameters before anything is read
        stated: dict[str, Any] = {"gamma": self.gamma, "dropped": self.dropped}
        if classes is not None and self.labels is not None:
            pairs, rows = count_labelled_column(self.source, self.column, self.labels, classes, line, self.first)
            self.write_table(mechanism)
            kept = {name: value for name, value in self.options().items() if name not in ("k", "p")}
            with progress("drawing noise"):
                return separator(pairs, universe=line, words=words, **stated, **kept), rows
        found = count_file(self.source, self.column, line, self.first, n=ANY_ROWS)
        self.write_table(mechanism)
        with progress("drawing noise"):
            return draw(found.counts, name=self.name, universe=line, words=words, **stated, **self.options()), found.rows

    def write_table(self, mechanism: FlexibleStatistic) -> None:
        """The table of the noise, where it is asked for."""
        if self.table is not None:
            write_whole(self.table, as_json_text(mechanism.histogram.table.certificate()) + "\n")


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(
        (
            click.option(
                "--input",
                "source",
                required=True,
                type=click.Path(path_type=Path),
                help="A CSV file with a header, or Parquet.",
            ),
            click.option("--column", type=Utf8(), required=True, help="The column's name: integers."),
            click.option(
                "--universe",
                type=Utf8(),
                required=True,
                help="All possible values, LO..HI. Choose it without looking at the data.",
            ),
            click.option("--epsilon", required=True, type=Rational(positive), help="Privacy parameter, any p/q above 0."),
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
            click.option(
                "--neighbours",
                type=click.Choice(["add-remove", "replace-one"]),
                default="add-remove",
                show_default=True,
                help="Whether datasets are neighbours that differ by a row more, or by a row replaced.",
            ),
            click.option(
                "--word", type=click.IntRange(2, LARGEST_WORD), default=64, show_default=True, help="Bits of a draw."
            ),
            click.option("--first", type=click.IntRange(1, 10**12), help="Only so many rows from the file's start."),
            click.option("--bits-from", type=click.Choice(list(SOURCES)), help="Where random bits come from.  [default: os]"),
            click.option("--output", type=OutputPath(), help="Write to this file instead of the terminal, in JSON."),
            click.option("--table", type=OutputPath(), help="Write the table of the noise to this file, as a certificate."),
            click.option(
                "--insecure-seed", "seed", type=int, help="Reproducible noise for examples: NOT private, and it is said."
            ),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("name", metavar="STATISTIC", type=click.Choice((*ON_THE_LINE, LABELLED)))
@_options
@json_option
@charging
def statistic(as_json: bool, **given: Any) -> None:  # noqa: ANN401  # values of options
    """Release one STATISTIC of a column of integers: max, min, range, support, max-k, mode, median, quantile or iqr.

    A separator, of a column of integers and one of two labels, is the middle of the last - and the first +.

    The release is (epsilon, delta)-differentially private. It is accurate for the data with a few rows left out: their least
    number that is proved is stated, with how far the answer may be off, and how often this may fail. The noise only lowers
    counts, so that no value is reported that does not occur (or lies no farther than beta from one that does), but for the
    answer of no rows, which is said.
    """
    asked = _Asked(**given)
    answer, rows = asked.answer()
    document = {"format": "finitedp statistic", "version": 1, "finitedp": __version__, "private": asked.seed is None}
    text = as_json_text({**document, "column": asked.column, "universe": asked.universe, **answer.metadata()}) + "\n"
    if asked.output is not None:
        write_whole(asked.output, text)
        click.echo(f"Wrote {asked.output}.", err=True)
    elif as_json:
        click.echo(text, nl=False)
    else:
        click.echo(_text(asked, answer))
    if rows <= (answer.accuracy.dropped or 0):
        click.echo("Of the true data, and no part of the release: there are no more rows than may be left out.", err=True)
    if asked.seed is not None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)


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
    differ = "a row more or less" if claim.neighbours == "add-remove" else "one row replaced"
    return f"({claim.epsilon}, {shown(claim.delta, 24)})-differentially private: {differ} ({claim.source})."


def _noise(mechanism: FlexibleStatistic) -> str:
    histogram = mechanism.histogram
    return f"0..{histogram.q - 1} rows of each of {histogram.bars} bars, {histogram.word} random bits a bar"
