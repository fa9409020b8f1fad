"""The options that all `finitedp release` commands share, and what they ask for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp.columns import Counts, Universe, count_column, parse_universe
from finitedp.console import OutputPath, Rational
from finitedp.errors import ParameterError
from finitedp.exact import unit_fraction
from finitedp.impl.coins import BitSource, Coins, ExactCoins, SeededBits, StrictCoins, system_bits
from finitedp.impl.universe import as_universe

__all__ = ["Request", "Ticking", "release_options", "requested", "unit"]

MOST_LABELS = 1_000_000


def unit(value: Any, name: str) -> mpq:  # noqa: ANN401
    """A parameter of the form 1/q."""
    return mpq(1, unit_fraction(value, name))


_OPTIONS = (
    click.option(
        "--input", "source", required=True, type=click.Path(path_type=Path), help="A CSV file in UTF-8 with a header."
    ),
    click.option("--column", required=True, help="The column's name."),
    click.option("--first", type=click.IntRange(1, 10**12), help="Only so many rows from the file's start."),
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
    read = count_column(source, given["column"], universe, given["first"])
    names = ("column", "epsilon", "beta", "coins", "seed", "output")
    return Request(read=read, universe=universe, **{name: given[name] for name in names})


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
