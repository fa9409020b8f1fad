"""What a `finitedp release` command is asked for: the values of its options, and the column that they name."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from attrs import Factory, field, frozen
from gmpy2 import mpq

from finitedp.cli.binned import Binned, binned_by
from finitedp.cli.offers import Offer
from finitedp.cli.release_options import BLANKET, DYADIC, FAST, ORDER, SOURCES
from finitedp.data.columns import Counts, Label, Universe, parse_universe
from finitedp.data.files import count_file, count_file_by_unit
from finitedp.data.frames import LabelCounts
from finitedp.data.papers import Terms
from finitedp.data.parquet import is_parquet, parquet_counts
from finitedp.data.pure_sparse import plan_for
from finitedp.data.true_counts import ANY_ROWS
from finitedp.data.units.counting import unit_of
from finitedp.errors import DataError, ParameterError
from finitedp.exact import unit_fraction
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.universe import as_universe
from finitedp.impl.randomness.coins import BitSource, Coins, ExactCoins, SeededBits, StrictCoins, system_bits
from finitedp.impl.randomness.words import SeededWords, WordSource, bits_of
from finitedp.units import Unit

MOST_LABELS_RELEASED_WHOLE = 1_000_000  # all are listed in the output
_OPTION_NAMES = re.compile(r"\b(?:(drop_nulls|null_label)\b(?= \()|(max_labels|max_rows_per_label|max_rows)\b)")


def _universe(text: str | None) -> Universe:
    """The universe that was written; without labels where none was."""
    return [] if text is None else parse_universe(text)


@frozen(kw_only=True)
class Request:
    """The values of a command's options, which fit together. offer: what is released.

    Raises: ParameterError; CoinsError where the source of random bits needs a package that is missing.
    """

    offer: Offer
    source: Path
    column: str
    universe: Universe = field(converter=_universe)
    epsilon: mpq
    beta: mpq
    bins: str | None = None
    other: str | None = None
    delta: mpq = field(default=mpq(0))
    first: int | None = None
    drop_nulls: bool = False
    null_label: str | None = None
    coins: str | None = None
    bits_from: str | None = None
    seed: int | None = None
    output: Path | None = None
    at_most: int | None = None
    above: int = 0
    mechanism: str = FAST
    word: int | None = None
    invented: mpq | None = None
    neighbours: Literal["replace-one", "add-remove"] | None = None
    skewed: bool = False
    unit: str | None = None
    max_labels: int | None = None
    max_rows_per_label: int | None = None
    max_rows: int | None = None
    bounded: bool = False
    whose: Unit | None = field(init=False, default=Factory(lambda self: self._unit(), takes_self=True))
    binned: Binned | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._check_contradictions()
        binned = binned_by(self.bins, self.other, self.universe)
        if binned is not None:
            if self.null_label is not None:
                raise ParameterError("--null-label is no value; accepted with --bins and --other: --drop-nulls")
            object.__setattr__(self, "binned", binned)
            object.__setattr__(self, "universe", binned.labels)
        self.words()  # refuses a missing package before anything is read
        for name in ("epsilon", "beta", "delta") if self.mechanism in (FAST, ORDER) else ():
            if name != "delta" or self.offer.takes_delta:
                unit_fraction(getattr(self, name), name)
        largest = self.offer.largest_n
        if largest is not None and (self.at_most or 0) > largest:
            raise ParameterError(f"--n {self.at_most} would take as many random words; accepted: up to {largest}")
        if self.mechanism == BLANKET and self.at_most is not None:
            self.plan(self.at_most)  # refuses what has no plan before anything is read
        size = as_universe(self.universe).size
        if self.offer.whole and size > MOST_LABELS_RELEASED_WHOLE:
            shown = f"{size} labels" if size < 10**30 else f"about 2^{size.bit_length() - 1} labels"
            raise ParameterError(
                f"universe has {shown}; basic releases them all; accepted: at most {MOST_LABELS_RELEASED_WHOLE}; "
                "see stability, sparse, pure-sparse and compact"
            )

    def _check_contradictions(self) -> None:
        if self.mechanism == FAST and self.word is not None:
            raise ParameterError(
                f"--word {self.word} needs --mechanism {DYADIC}; {FAST} takes its draws from ranges of its own"
            )
        if self.mechanism == FAST and self.relation == "add-remove":
            raise ParameterError(f"--neighbours {self.neighbours} needs --mechanism {DYADIC}; {FAST} is for replace-one")
        if self.mechanism in (DYADIC, BLANKET) and self.coins is not None and self.offer.form == "list":
            paper = FAST if self.mechanism == DYADIC else ORDER
            raise ParameterError(
                f"--coins {self.coins} needs --mechanism {paper}; the words of a dyadic table are exact on all coins"
            )
        given = {"--invented": self.invented, "--neighbours": self.neighbours, "--n": self.at_most}
        for name, value in given.items() if self.mechanism == ORDER else ():
            if value is not None:
                raise ParameterError(f"{name} {value} needs --mechanism {BLANKET}; {ORDER} has no use for it")
        if self.skewed and (self.mechanism != BLANKET or self.neighbours == "add-remove"):
            raise ParameterError(f"--skewed needs --mechanism {BLANKET} and --neighbours replace-one")
        if self.neighbours == "add-remove" and self.at_most is None:
            raise ParameterError(
                "--neighbours add-remove needs --n: the number of rows is not public then; accepted: a public bound of it"
            )
        if self.whose is not None and self.mechanism != DYADIC:
            raise ParameterError(f"--unit {self.unit} needs --mechanism {DYADIC}; {self.mechanism} is for one row")
        if self.whose is not None and self.at_most is None:
            raise ParameterError("--unit needs --n: the number of rows is not public then; accepted: a public bound of it")
        output = self.output
        if output is not None and output.exists() and self.source.exists() and output.samefile(self.source):
            raise ParameterError(f"--output {output} is the input itself, which would be lost")
        if output is None and sys.stdout is None:
            raise ParameterError("there is no standard output, in which a release would be lost; accepted: with --output FILE")
        if self.seed is not None and self.bits_from is not None:
            raise ParameterError(f"--bits-from {self.bits_from} and --insecure-seed contradict each other")

    def _unit(self) -> Unit | None:
        """The unit that is asked for. Raises: ParameterError, with the names of options."""
        bounds = (self.max_labels, self.max_rows_per_label, self.max_rows)
        try:
            return unit_of(self.unit, *bounds, self.bounded)
        except ParameterError as error:
            raise ParameterError(_as_options(str(error))) from None

    def plan(self, n: int) -> BlanketPlan:
        """The plan of a blanket for up to n rows. Raises: ParameterError."""
        invented = 1 if self.invented is None else self.invented
        return plan_for(n, self.epsilon, self.universe, invented, self.relation, self.skewed)

    @property
    def relation(self) -> Literal["replace-one", "add-remove"]:
        """The neighbours."""
        return self.neighbours or "replace-one"

    def words(self) -> WordSource:
        """The source of random words. Raises: CoinsError where a package is missing."""
        return SeededWords(self.seed, not_private=True) if self.seed is not None else SOURCES[self.bits_from or "os"]()

    def bare_coins(self) -> Coins:
        """The coins, without a progress bar."""
        bits: BitSource = system_bits if self.bits_from in (None, "os") else bits_of(self.words())
        if self.seed is not None:
            bits = SeededBits(self.seed, not_private=True)
        return ExactCoins(bits) if self.coins == "exact" else StrictCoins(bits)

    @property
    def bits_from_text(self) -> str:
        """Where the random bits come from, for the release."""
        return self.words().name if self.seed is None else f"seed {self.seed}: NOT PRIVATE"

    @property
    def coins_kind(self) -> str:
        """How draws from a range are made of bits."""
        return self.coins or "strict"

    def read(self) -> "Column":
        """The column of the file. Raises: ParameterError, DataError."""
        label = _null_label(self.null_label, self.universe)
        nulls: dict[str, Any] = {"drop_nulls": self.drop_nulls, "null_label": label}
        try:
            if self.binned is not None:
                return Column(
                    self, self.binned.counts(self.source, self.column, self.first, self._bound, self.whose, self.drop_nulls)
                )
            if self.mechanism == BLANKET and is_parquet(self.source):  # which needs no dictionary of labels
                label_counts = parquet_counts(self.source, self.column, self.first, n=self.at_most, **nulls)
                return Column(self, Counts({}, label_counts.rows), label_counts)
            if self.whose is not None:
                counts = count_file_by_unit(self.source, self.column, self.whose, self.universe, self.first, **nulls)
                return Column(self, counts)
            return Column(self, count_file(self.source, self.column, self.universe, self.first, n=self._bound, **nulls))
        except DataError as error:
            raise DataError(_as_options(str(error))) from None

    @property
    def _bound(self) -> int | None:
        """The rows that are read: with add-remove on dyadic tables more than n are not told of."""
        return ANY_ROWS if self.mechanism == DYADIC and self.relation == "add-remove" else self.at_most


@frozen
class Column:
    """A column as it was read, and what is asked for.

    n: the public number of rows, or the bound of it that was given. terms: the same for a mechanism. label_counts: the
    counts of a Parquet file for a blanket, labels not looked at; `counts` then has the rows alone.
    """

    request: Request
    counts: Counts
    label_counts: LabelCounts | None = None
    n: int = field(init=False, default=Factory(lambda self: self.request.at_most or self.counts.rows, takes_self=True))

    @property
    def rows(self) -> int | None:
        """The number of rows where that is public."""
        return self.counts.rows if self.request.at_most is None else None

    @property
    def terms(self) -> Terms:
        """What a mechanism is made for."""
        request = self.request
        return Terms(request.universe, self.n, request.epsilon, request.delta, request.beta)


def _as_options(message: str) -> str:
    """A message of the library with the names that options have here."""
    return _OPTION_NAMES.sub(lambda found: f"--{found[0].replace('_', '-')}", message)


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
