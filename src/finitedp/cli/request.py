"""The options that all `finitedp release` commands share, and what they ask for."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp.cli.console import OutputPath, Rational
from finitedp.data.columns import Counts, Label, Universe, parse_universe
from finitedp.data.files import count_file
from finitedp.errors import DataError, ParameterError
from finitedp.exact import probability, rational, unit_fraction
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.histograms.universe import as_universe
from finitedp.impl.randomness.coins import BitSource, Coins, ExactCoins, SeededBits, StrictCoins, system_bits
from finitedp.impl.randomness.words import AesCtrWords, ChaCha20Words, SeededWords, SystemWords, WordSource, bits_of

__all__ = ["DYADIC", "FAST", "Request", "Ticking", "mechanism_options", "release_options", "requested", "share", "unit"]

MOST_LABELS = 1_000_000
FAST, DYADIC = "fast-sample", "dyadic"
_OPTION_NAMES = re.compile(r"\b(drop_nulls|null_label)\b(?= \()")  # in a message of the library
_SOURCES: dict[str, Callable[[], WordSource]] = {"os": SystemWords, "aes-ctr": AesCtrWords, "chacha20": ChaCha20Words}


def unit(value: Any, name: str) -> mpq:  # noqa: ANN401
    """A parameter of the form 1/q."""
    return mpq(1, unit_fraction(value, name))


def share(value: Any, name: str) -> mpq:  # noqa: ANN401
    """A rational in (0, 1)."""
    return probability(value, name, zero=False, one=False)


def _positive(value: Any, name: str) -> mpq:  # noqa: ANN401
    number = rational(value, name)
    if number <= 0:
        raise ParameterError(f"{name} = {number} is not positive; accepted: a rational above 0")
    return number


_OPTIONS = (
    click.option(
        "--input",
        "source",
        required=True,
        type=click.Path(path_type=Path),
        help="A CSV file in UTF-8 with a header, or a Parquet file.",
    ),
    click.option("--column", required=True, help="The column's name."),
    click.option("--first", type=click.IntRange(1, 10**12), help="Only so many rows from the file's start."),
    click.option("--drop-nulls", is_flag=True, help="Parquet: rows without a value count for no label, and remain rows."),
    click.option("--null-label", help="Parquet: a label for rows without a value."),
    click.option(
        "--universe",
        required=True,
        help="All possible values: a,b,c or FROM..TO, or strings:N for strings of up to N bytes (not for basic). Choose it "
        "without looking at the data.",
    ),
    click.option(
        "--epsilon", required=True, type=Rational(_positive), help="Privacy parameter, p/q; 1/q for all mechanisms but dyadic."
    ),
    click.option(
        "--beta", type=Rational(share), default="1/20", show_default=True, help="How often an error bar may fail, as epsilon."
    ),
    click.option(
        "--coins",
        type=click.Choice(["strict", "exact"]),
        help="How draws from a range are made of bits; see the manual. dyadic draws no such ranges.  [default: strict]",
    ),
    click.option(
        "--bits-from",
        type=click.Choice(list(_SOURCES)),
        help="Where random bits come from; aes-ctr and chacha20 are keyed by the operating system.  [default: os]",
    ),
    click.option("--output", type=OutputPath(), help="Write to this file instead of the terminal."),
    click.option("--insecure-seed", "seed", type=int, help="Reproducible noise for examples: NOT private, and it is said."),
)


def release_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def mechanism_options(word: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options --mechanism and --word; `word` says what the default is."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        told = f"Bits of a draw, for dyadic.  [default: {word}]"
        command = click.option("--word", type=click.IntRange(2, LARGEST_WORD), help=told)(command)
        return click.option(
            "--mechanism",
            type=click.Choice([DYADIC, FAST]),
            default=DYADIC,
            show_default=True,
            help="dyadic: a dyadic table, for any epsilon, with the smallest errors. fast-sample: the paper's.",
        )(command)

    return add


@frozen
class Request:
    """What the options ask for, and the column as it was read."""

    read: Counts
    universe: Universe
    column: str
    epsilon: mpq
    beta: mpq
    coins: str | None
    bits_from: str | None
    seed: int | None
    output: Path | None
    at_most: int | None

    @property
    def n(self) -> int:
        """The public number of rows, or the bound of it that was asked for."""
        return self.read.rows if self.at_most is None else self.at_most

    @property
    def size(self) -> int:
        """|X|."""
        return as_universe(self.universe).size

    def coins_for(self, update: Callable[[int, int], None], draws: int) -> Coins:
        """The coins that were asked for, which report each draw to a progress bar."""
        return Ticking(self.plain_coins(), update, draws)

    def plain_coins(self) -> Coins:
        """The coins that were asked for."""
        bits: BitSource = system_bits if self.bits_from in (None, "os") else bits_of(self.words())
        if self.seed is not None:
            bits = SeededBits(self.seed, not_private=True)
        return ExactCoins(bits) if self.coins == "exact" else StrictCoins(bits)

    def words(self) -> WordSource:
        """The source of random words that was asked for. Raises: CoinsError where a package is missing."""
        return SeededWords(self.seed, not_private=True) if self.seed is not None else _SOURCES[self.bits_from or "os"]()

    def randomness(self, draws: int, bits: int) -> dict[str, Any]:
        """Where the randomness came from, for the release's document."""
        kind = self.coins or "strict"
        return {"coins": kind, **self.source(), "draws": draws, "bits": bits if kind == "strict" else None}

    def source(self) -> dict[str, str]:
        """Where the random bits came from."""
        return {"bits_from": self.words().name if self.seed is None else f"seed {self.seed}: NOT PRIVATE"}


def requested(*, listed: bool, units: bool, **given: Any) -> Request:  # noqa: ANN401  # the options above
    """Read the column that the options name.

    Parameters: listed, whether every label of the universe is released; units, whether epsilon and beta must be 1/q.
    Raises: ParameterError, DataError, CoinsError.
    """
    source, output = given["source"], given["output"]
    if output is not None and output.exists() and source.exists() and output.samefile(source):
        raise ParameterError(f"--output {output} is the input itself, which would be lost")
    if output is None and sys.stdout is None:
        raise ParameterError("there is no standard output, in which a release would be lost; accepted: with --output FILE")
    if given["seed"] is not None and given["bits_from"] is not None:
        raise ParameterError(f"--bits-from {given['bits_from']} and --insecure-seed contradict each other")
    _SOURCES[given["bits_from"] or "os"]()  # refuses a missing package before anything is read
    for name in ("epsilon", "beta") if units else ():
        unit(given[name], name)
    universe = parse_universe(given["universe"])
    _check_size(universe, listed=listed)
    nulls = {"drop_nulls": given["drop_nulls"], "null_label": _null_label(given["null_label"], universe)}
    try:
        read = count_file(source, given["column"], universe, given["first"], n=given.get("at_most"), **nulls)
    except DataError as error:
        raise DataError(_OPTION_NAMES.sub(lambda found: f"--{found[0].replace('_', '-')}", str(error))) from None
    names = ("column", "epsilon", "beta", "coins", "bits_from", "seed", "output")
    asked = {name: given[name] for name in names}
    return Request(read=read, universe=universe, at_most=given.get("at_most"), **asked)


def _check_size(universe: Universe, *, listed: bool) -> None:
    """Refuse to list what is too large. Raises: ParameterError."""
    size = as_universe(universe).size
    if listed and size > MOST_LABELS:
        shown = f"{size} labels" if size < 10**30 else f"about 2^{size.bit_length() - 1} labels"
        raise ParameterError(
            f"universe has {shown}; basic releases them all; accepted: at most {MOST_LABELS}; see stability, sparse, "
            "pure-sparse and compact"
        )


def _null_label(text: str | None, universe: Universe) -> Label | None:
    """The label for nulls, as one of the universe's. Raises: ParameterError for text in a universe of integers."""
    if text is None or not isinstance(universe, range):
        return text
    if re.fullmatch(r"\s*[+-]?\d{1,40}\s*", text) is None:
        raise ParameterError(
            f"--null-label {text[:40]!r} is not an integer, and the universe is {universe[0]}..{universe[-1]}"
        )
    return int(text)


class Ticking:
    """Coins that report each draw to a progress bar."""

    def __init__(self, coins: Coins, update: Callable[[int, int], None], total: int) -> None:
        self.slack = coins.slack
        self.bits = coins.bits
        self._coins, self._update, self._total, self._done = coins, update, total, 0

    def uniform(self, d: int, most: int | None = None) -> int:
        """As the coins themselves."""
        self._done += 1
        self._update(self._done, self._total)
        return self._coins.uniform(d, most)
