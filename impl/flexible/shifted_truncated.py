"""ShiftedTruncated: a histogram of counts that are never too large, from one word a bar and no other randomness.

Every bar of a public list, occupied or not, loses an independent J in 0..q-1, and what is below 0 becomes 0. So the release is
the exact histogram of the data with at most q - 1 rows of each bar left out. This is Algorithm 1 of the paper with a public q,
whole rows, and an exact delta.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Cost, FlexibleAccuracy, Neighbours, PrivacyClaim
from finitedp.errors import DataError
from finitedp.exact import RationalLike, integer
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, positive_epsilon
from finitedp.impl.flexible.losses import dropped_at
from finitedp.impl.flexible.tables import LARGEST_Q, ShiftedTable, dataset_neighbours, least_q, shifted_table
from finitedp.impl.flexible.units import least_unit_q, shifted_unit_delta
from finitedp.impl.randomness.coins import Coins, checked_coins
from finitedp.units import Unit

__all__ = ["ShiftedTruncated", "shifted_truncated"]


def _bars(value: int) -> int:
    return int(integer(value, "bars", 1))


def _q(value: int) -> int:
    return int(integer(value, "q", 1, LARGEST_Q))


def _word(value: int) -> int:
    return int(integer(value, "word", 2, LARGEST_WORD))


@frozen(slots=False)
class ShiftedTruncated:
    """Counts max(0, x - J) of bars 0, ..., bars - 1, with an independent J of the table for each of them.

    Source: FD.Shifted.law, FD.Shifted.private.
    Parameters: bars >= 1, of a public list; q >= 1: no bar loses more than q - 1 rows; epsilon > 0, any rational; word in
    2..256, the bits of a draw; neighbours, add-remove or replace-one; unit, what epsilon is for where it is more than one row,
    of counts to which no unit adds more than its bounds allow.
    Raises: ParameterError, also where there is no table of that many bits.
    """

    bars: int = field(converter=_bars)
    q: int = field(converter=_q)
    epsilon: mpq = field(converter=positive_epsilon)
    word: int = field(converter=_word, default=64)
    neighbours: Neighbours = field(converter=dataset_neighbours, default="add-remove")
    unit: Unit | None = None

    def __attrs_post_init__(self) -> None:
        _ = self.table  # refuses parameters without a table

    @cached_property
    def table(self) -> ShiftedTable:
        """The weights, certified: the table of q of them with the least delta for one row, k rows of which cost epsilon."""
        return shifted_table(self.q, mpq(self.epsilon, 1 if self.unit is None else self.unit.rows), self.word, self.neighbours)

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        """The powers of two of the bisection over C_1, ..., C_(q-1), largest first."""
        return tuple(1 << shift for shift in reversed(range((self.q - 1).bit_length())))

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """C_0 = 0, C_1, ..., C_(q-1), and 2^word, which no word reaches, up to the last place that the bisection looks at."""
        room = 2 * sum(self._strides[:1])
        return (0, *self.table.ends[:-1], *[1 << self.word] * (room - self.q))

    def noise(self, word: int) -> int:
        """J: how many of C_1, ..., C_(q-1) the word is not below. The same comparisons' number for every word."""
        j = 0
        for stride in self._strides:
            j += stride * (word >= self._ends[j + stride])
        return j

    def apply(self, count: int, word: int) -> int:
        """max(0, count - J). Source: FD.Shifted.law. Parameters: count >= 0; word in 0..2^word - 1."""
        return max(0, count - self.noise(word))

    def release_counts(self, counts: Sequence[int], coins: Coins) -> tuple[int, ...]:
        """A noisy count for each bar, in order. Source: FD.Shifted.law. Raises: DataError. Cost: coins.bits(word) for each."""
        bits = checked_coins(coins).bits
        return tuple(self.apply(count, bits(self.word)) for count in self.checked(counts))

    def release(self, data: Iterable[int], coins: Coins) -> tuple[int, ...]:
        """`release_counts` of a dataset whose rows are positions of bars. Raises: DataError for another row."""
        return self.release_counts(self.counts(data), coins)

    def counts(self, data: Iterable[int]) -> list[int]:
        """The true counts: not private. Raises: DataError for a row that is not the position of a bar."""
        found = [0] * self.bars
        for row, place in enumerate(data, start=1):
            if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < self.bars:
                raise DataError(f"row {row} = {place!r} is not the position of a bar, 0..{self.bars - 1}")
            found[place] += 1
        return found

    def checked(self, counts: Sequence[int] | Mapping[int, int]) -> list[int]:
        """The counts, one for each bar; a mapping may leave out empty ones. Raises: DataError."""
        if isinstance(counts, Mapping):
            unknown = [i for i in counts if not (isinstance(i, int) and 0 <= i < self.bars)]
            if unknown:
                raise DataError(f"bar {unknown[0]!r} has a count but is not one of 0..{self.bars - 1}")
            counts = [counts.get(i, 0) for i in range(self.bars)]
        if len(counts) != self.bars:
            raise DataError(
                f"there are {len(counts)} counts for {self.bars} bars; accepted: one for each bar, 0 for an empty one"
            )
        if any(isinstance(x, bool) or not isinstance(x, int) or x < 0 for x in counts):
            raise DataError("a count is negative or no integer; accepted: integers of at least 0")
        return list(counts)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:  # words of bits are exact on all coins
        """(epsilon, delta) with the table's exact delta. Source: FD.Shifted.private, FD.Shifted.replace, FD.Unit.shifted."""
        if self.unit is not None:
            delta = shifted_unit_delta(self.table, self.unit, self.bars)
            return PrivacyClaim(self.epsilon, self.neighbours, delta, None, "FD.Unit.shifted", self.unit)
        source = "FD.Shifted.private" if self.neighbours == "add-remove" else "FD.Shifted.replace"
        return PrivacyClaim(self.epsilon, self.neighbours, self.table.delta, source=source)

    def accuracy(self, gamma: RationalLike = 0) -> FlexibleAccuracy:
        """The exact histogram of the data with that many rows left out: bars (q - 1), or fewer except with probability gamma.

        Source: FD.Shifted.accuracy. Parameters: gamma in [0, 1]. No promise is needed: of fewer rows all may be left out.
        """
        dropped = dropped_at(self.table, self.bars, gamma)
        return FlexibleAccuracy("histogram", mpq(0), gamma, dropped, metric="equal", source="FD.Shifted.accuracy")

    def cost(self) -> Cost:
        """One word a bar; comparisons: those of the bisection."""
        return Cost(1, self.word, len(self._strides)).times(self.bars)


def shifted_truncated(
    bars: int,
    epsilon: RationalLike,
    delta: RationalLike,
    word: int = 64,
    neighbours: str = "add-remove",
    unit: Unit | None = None,
) -> ShiftedTruncated:
    """ShiftedTruncated with the least q whose table is (epsilon, delta)-differentially private.

    Source: FD.Shifted.least, FD.Unit.q. Parameters: as ShiftedTruncated; delta in (0, 1), of at least 2^-word.
    Raises: ParameterError.
    """
    if unit is None:
        return ShiftedTruncated(bars, least_q(epsilon, delta, word, neighbours), epsilon, word, neighbours)
    q = least_unit_q(epsilon, delta, word, neighbours, unit, bars)
    return ShiftedTruncated(bars, q, epsilon, word, neighbours, unit)
