"""The options that all `finitedp release` commands share, and what they ask for."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp.columns import Counts, Label, Universe, parse_universe
from finitedp.console import OutputPath, Rational
from finitedp.errors import ParameterError
from finitedp.exact import unit_fraction
from finitedp.files import count_file
from finitedp.impl.coins import BitSource, Coins, ExactCoins, SeededBits, StrictCoins, system_bits
from finitedp.impl.universe import as_universe

__all__ = ["Request", "Ticking", "release_options", "requested", "unit"]

MOST_LABELS = 1_000_000


def unit(value: Any, name: str) -> mpq:  # noqa: ANN401
    """A parameter of the form 1/q."""
    return mpq(1, unit_fraction(value, name))


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
    click.option("--epsilon", required=True, type=Rational(unit), help="Privacy parameter, 1/q."),
    click.option(
        "--beta", type=Rational(unit), default="1/20", show_default=True, help="How often an error bar may fail, 1/b."
    ),
    click.option(
        "--coins", type=click.Choice(["strict", "exact"]), default="strict", show_default=True, help="See the manual: coins."
    ),
    click.option("--output", type=OutputPath(), help="Write to this file instead of the terminal."),
    click.option("--insecure-seed", "seed", type=int, help="Reproducible noise for examples: NOT private, and it is said."),
)


def release_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@frozen
class Request:
    """What the options ask for, and the column as it was read."""

    read: Counts
    universe: Universe
    column: str
    epsilon: mpq
    beta: mpq
    coins: str
    seed: int | None
    output: Path | None

    @property
    def size(self) -> int:
        """|X|."""
        return as_universe(self.universe).size

    def coins_for(self, update: Callable[[int, int], None], draws: int) -> Coins:
        """The coins that were asked for, which report each draw to a progress bar."""
        return Ticking(self.plain_coins(), update, draws)

    def plain_coins(self) -> Coins:
        """The coins that were asked for."""
        bits: BitSource = system_bits if self.seed is None else SeededBits(self.seed, not_private=True)
        return StrictCoins(bits) if self.coins == "strict" else ExactCoins(bits)

    def randomness(self, draws: int, bits: int) -> dict[str, Any]:
        """Where the randomness came from, for the release's document."""
        return {
            "coins": self.coins,
            "bits_from": "operating system" if self.seed is None else f"seed {self.seed}: NOT PRIVATE",
            "draws": draws,
            "bits": bits if self.coins == "strict" else None,
        }


def requested(*, listed: bool, **given: Any) -> Request:  # noqa: ANN401  # the options above
    """Read the column that the options name; `listed` where every label of the universe is released.

    Raises: ParameterError, DataError.
    """
    source, output = given["source"], given["output"]
    if output is not None and output.resolve() == source.resolve():
        raise ParameterError(f"--output {output} is the input itself, which would be lost")
    universe = parse_universe(given["universe"])
    size = as_universe(universe).size
    if listed and size > MOST_LABELS:
        shown = f"{size} labels" if size < 10**30 else f"about 2^{size.bit_length() - 1} labels"
        raise ParameterError(
            f"universe has {shown}; basic releases them all; accepted: at most {MOST_LABELS}; see stability, sparse, "
            "pure-sparse and compact"
        )
    nulls = {"drop_nulls": given["drop_nulls"], "null_label": _null_label(given["null_label"], universe)}
    read = count_file(source, given["column"], universe, given["first"], **nulls)
    names = ("column", "epsilon", "beta", "coins", "seed", "output")
    return Request(read=read, universe=universe, **{name: given[name] for name in names})


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
