"""The options of `finitedp release`, and where random bits come from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from gmpy2 import mpq

from finitedp.cli.budget import BUDGET
from finitedp.cli.console import OutputPath, Rational, Utf8
from finitedp.cli.offers import Offer
from finitedp.exact import positive, probability
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.randomness.words import AesCtrWords, ChaCha20Words, SystemWords, WordSource
from finitedp.units import MOST_ROWS_OF_A_UNIT

FAST, DYADIC, BLANKET, ORDER = "fast-sample", "dyadic", "blanket", "order-statistics"
SOURCES: dict[str, Callable[[], WordSource]] = {"os": SystemWords, "aes-ctr": AesCtrWords, "chacha20": ChaCha20Words}


def _share(value: Any, name: str) -> mpq:  # noqa: ANN401  # whatever was written
    """A rational in (0, 1)."""
    return probability(value, name, zero=False, one=False)


_SHARED = (
    click.Option(
        ["--input", "source"],
        required=True,
        type=click.Path(path_type=Path),
        help="A CSV file in UTF-8 with a header, or a Parquet file.",
    ),
    click.Option(["--column"], type=Utf8(), required=True, help="The column's name."),
    click.Option(["--first"], type=click.IntRange(1, 10**12), help="Only so many rows from the file's start."),
    click.Option(["--drop-nulls"], is_flag=True, help="Parquet: rows without a value count for no label, and remain rows."),
    click.Option(["--null-label"], type=Utf8(), help="Parquet: a label for rows without a value."),
    click.Option(
        ["--universe"],
        type=Utf8(),
        help="All possible values: a,b,c or FROM..TO, or strings:N for strings of up to N bytes (not for basic). Choose it "
        "without looking at the data. Needed, but for --bins.",
    ),
    click.Option(
        ["--bins"],
        type=Utf8(),
        help="Edges in place of a universe, integers or dates such as 0,18,65: from one on and below the next is a bin.",
    ),
    click.Option(["--other"], type=Utf8(), help="A label for all values outside of --bins, or of a universe a,b,c."),
    click.Option(
        ["--epsilon"],
        required=True,
        type=Rational(positive),
        help="Privacy parameter, p/q; 1/q for all mechanisms but dyadic and blanket.",
    ),
    click.Option(
        ["--beta"],
        type=Rational(_share),
        default="1/20",
        show_default=True,
        help="How often an error bar may fail, as epsilon.",
    ),
    click.Option(
        ["--coins"],
        type=click.Choice(["strict", "exact"]),
        help="How draws from a range are made of bits; see the manual. Not for dyadic and blanket.  [default: strict]",
    ),
    click.Option(
        ["--bits-from"],
        type=click.Choice(list(SOURCES)),
        help="Where random bits come from; aes-ctr and chacha20 are keyed by the operating system.  [default: os]",
    ),
    click.Option(["--output"], type=OutputPath(), help="Write to this file instead of the terminal."),
    click.Option(["--insecure-seed", "seed"], type=int, help="Reproducible noise for examples: NOT private, and it is said."),
)
_AT_MOST = click.Option(
    ["--n", "at_most"], type=click.IntRange(1, 10**15), help="A public bound of the rows, whose number then is not stated."
)
_DELTA = click.Option(
    ["--delta"], required=True, type=Rational(_share), help="Privacy parameter, p/q; 1/r for all mechanisms but dyadic."
)
_ABOVE = click.Option(["--above"], type=click.IntRange(min=0), default=0, help="List only noisy counts above this number.")
_MECHANISM = click.Option(
    ["--mechanism"],
    type=click.Choice([DYADIC, FAST]),
    default=DYADIC,
    show_default=True,
    help="dyadic: a dyadic table, for any epsilon, with the smallest errors. fast-sample: the paper's.",
)
_NEIGHBOURS = click.Option(
    ["--neighbours"],
    type=click.Choice(["replace-one", "add-remove"]),
    help="What epsilon is for: a row replaced, or one more or less, which needs --n.  [default: replace-one]",
)
UNIT: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--unit",
        {"type": Utf8(), "help": "The column that says whose a row is: epsilon is for all rows of one unit at once."},
    ),
    ("--max-labels", {"type": click.IntRange(1, MOST_ROWS_OF_A_UNIT), "help": "How many labels of a unit count."}),
    (
        "--max-rows-per-label",
        {"type": click.IntRange(1, MOST_ROWS_OF_A_UNIT), "help": "How many of a unit's rows of one label count."},
    ),
    ("--max-rows", {"type": click.IntRange(1, MOST_ROWS_OF_A_UNIT), "help": "How many rows of a unit count in all."}),
    ("--bounded", {"is_flag": True, "help": "A promise that no unit has more: checked, and refused where it is broken."}),
)
"""The options of a unit."""
_UNIT = tuple(click.Option([name], **about) for name, about in UNIT)
_BLANKET = (
    click.Option(
        ["--mechanism"],
        type=click.Choice([BLANKET, ORDER]),
        default=BLANKET,
        show_default=True,
        help="blanket: for any epsilon and number of rows. order-statistics: the paper's, for up to some thousand rows.",
    ),
    click.Option(
        ["--invented"],
        type=Rational(positive),
        help="On average at most so many labels of the release were never in the data; more of them lower the threshold.  "
        "[default: 1]",
    ),
    click.Option(
        ["--skewed"],
        is_flag=True,
        help="For replace-one: a threshold lower by a quarter, and counts that are more often too low.",
    ),
)


def options(offer: Offer) -> list[click.Parameter]:
    """The options of a command that releases what is offered, but for those of the form."""
    word = click.Option(
        ["--word"], type=click.IntRange(2, LARGEST_WORD), help=f"Bits of a draw, for dyadic.  [default: {offer.word}]"
    )
    some = ((offer.bounded, _AT_MOST), (offer.takes_delta, _DELTA), (offer.noise_alone, _ABOVE))
    own = [_MECHANISM, word] if offer.word else _BLANKET if offer.blanket else []
    related = [_NEIGHBOURS, *(_UNIT if offer.word else ())] if own and offer.bounded else []
    return [*_SHARED, BUDGET, *(option for taken, option in some if taken), *own, *related]
