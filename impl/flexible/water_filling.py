"""LevelMaximum: one answer, the maximum up to D rows left out, for the least delta that any mechanism has.

A histogram is not released, only the answer. From the top, bar i gets t_i = min(x_i, what is left of D + 1), bar 0 the rest:
D + 1 is split into parts, and bar i may be answered where t_i > 0: where it has a row and at most D rows lie above it.
Of 2^B words bar i gets at most u_(t_i), u_0 = 0, u_(c+1) = floor(R u_c) + m: all bars are filled up level by level, in each
level from bar 0 up, until the words are used up. Then delta <= m / 2^B at every E >= R; docs/flexible.md has the proof.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Cost, FlexibleAccuracy, PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, positive_epsilon, ratio_below
from finitedp.impl.flexible.bucketing import Buckets, Grid
from finitedp.impl.randomness.coins import Coins, checked_coins

__all__ = ["LevelMaximum", "least_dropped", "level_maximum"]

MOST_DROPPED = 1 << 20


def _dropped(value: int) -> int:
    return int(integer(value, "dropped", 0, MOST_DROPPED))


def _word(value: int) -> int:
    return int(integer(value, "word", 2, LARGEST_WORD))


def _caps(end: int, count: int, ratio: mpq, total: int) -> list[int]:
    """u_0 = 0, ..., u_count, none above 2^B."""
    p, r, u = int(ratio.numerator), int(ratio.denominator), [0]
    while len(u) <= count and u[-1] < total:
        u.append(min(u[-1] * p // r + end, total))
    return u + [total] * (count + 1 - len(u))


def _fits(end: int, bars: int, dropped: int, ratio: mpq, total: int) -> bool:
    """Whether all splits of D + 1 have caps of 2^B together: u is convex up to 2^B, so that the most even has the least."""
    each, more = divmod(dropped + 1, bars)
    u = _caps(end, each + 1, ratio, total)
    return (bars - more) * u[each] + more * u[each + 1] >= total


@frozen(slots=False)
class LevelMaximum:
    """The last bucket with a row, of the data without at most `dropped` of its rows; the first bucket of no rows.

    Source: FD.LevelMaximum.private, FD.LevelMaximum.accuracy.
    Parameters: buckets, of a public universe on the line; dropped, D >= 0; epsilon > 0; word in 2..256, the bits of the draw.
    Raises: ParameterError.
    """

    buckets: Buckets
    dropped: int = field(converter=_dropped)
    epsilon: mpq = field(converter=positive_epsilon)
    word: int = field(converter=_word, default=64)

    def __attrs_post_init__(self) -> None:
        if isinstance(self.buckets, Grid):
            raise ParameterError("a maximum needs an order; accepted: buckets on the line")

    @cached_property
    def ratio(self) -> mpq:
        """R, at most e^epsilon."""
        return ratio_below(2 * self.epsilon, self.word)

    @cached_property
    def end(self) -> int:
        """m, the least for which there are enough words for every split: delta is m / 2^word."""
        low, high = 0, 1 << self.word
        while high - low > 1:
            middle = (low + high) // 2
            fits = _fits(middle, self.buckets.bars, self.dropped, self.ratio, 1 << self.word)
            low, high = (low, middle) if fits else (middle, high)
        return high

    @cached_property
    def caps(self) -> tuple[int, ...]:
        """u_0, ..., u_(D+1)."""
        return tuple(_caps(self.end, self.dropped + 1, self.ratio, 1 << self.word))

    def parts(self, counts: Sequence[int]) -> list[int]:
        """t_0, ..., t_k: the split of D + 1 that the counts make. Raises: DataError."""
        if len(counts) != self.buckets.bars or any(isinstance(x, bool) or not isinstance(x, int) or x < 0 for x in counts):
            raise DataError(f"counts are not {self.buckets.bars} integers of at least 0, one for each bar")
        rest, found = self.dropped + 1, [0] * len(counts)
        for i in reversed(range(1, len(counts))):
            found[i] = min(counts[i], rest)
            rest -= found[i]
        found[0] = rest
        return found

    def words(self, counts: Sequence[int]) -> list[int]:
        """How many of the 2^word words answer each bar: all levels below one, and of that one the first bars."""
        caps, total = [self.caps[t] for t in self.parts(counts)], 1 << self.word
        low, high = 0, max(caps)  # the levels up to high hold all words, those up to low do not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if sum(min(cap, middle) for cap in caps) >= total else (middle, high)
        found = [min(cap, high - 1) for cap in caps]
        left = total - sum(found)
        for i, cap in enumerate(caps):
            if left and cap >= high:
                found[i], left = found[i] + 1, left - 1
        return found

    def counts(self, data: Iterable[object]) -> list[int]:
        """The true counts of the buckets: not private. Raises: DataError."""
        found = [0] * self.buckets.bars
        for row in data:
            found[self.buckets.index(row)] += 1
        return found

    def release(self, data: Iterable[object], coins: Coins) -> mpq:
        """The centre of the bucket answered, in a time that depends on the data. Raises: DataError. Cost: coins.bits(word)."""
        return self.release_counts(self.counts(data), coins)

    def release_counts(self, counts: Sequence[int], coins: Coins) -> mpq:
        """`release` for true counts of the buckets."""
        ends, word = list(accumulate(self.words(counts))), checked_coins(coins).bits(self.word)
        place = 0
        for end in ends[:-1]:
            place += bool(word >= end)
        centre: mpq = self.buckets.centre(place)
        return centre

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:  # words of bits are exact on all coins
        """(epsilon, m / 2^word) for a row more or less. Source: FD.LevelMaximum.private."""
        return PrivacyClaim(self.epsilon, "add-remove", mpq(self.end, 1 << self.word), source="FD.LevelMaximum.private")

    def accuracy(self) -> FlexibleAccuracy:
        """As if at most `dropped` rows were left out, and then within the buckets' error. Source: FD.LevelMaximum.accuracy."""
        return FlexibleAccuracy("max", self.buckets.error, 0, self.dropped, source="FD.LevelMaximum.accuracy")

    def cost(self) -> Cost:
        """One word; comparisons of it with the end of each bar but the last."""
        return Cost(1, self.word, self.buckets.bars - 1)


def least_dropped(bars: int, epsilon: RationalLike, delta: RationalLike, word: int = 64) -> int:
    """The least D with which LevelMaximum is (epsilon, delta)-private: with D - 1 no mechanism of any kind is, up to 2^-word.

    Source: FD.LevelMaximum.private. Parameters: bars >= 1; delta in (0, 1), of at least 2^-word. Raises: ParameterError.
    """
    exact, allowed = positive_epsilon(epsilon), probability(delta, "delta", zero=False, one=False)
    total, end = 1 << word, int(allowed.numerator * (1 << word) // allowed.denominator)
    if end < 1:
        raise ParameterError(
            f"delta = {allowed} is below 2^-{word}, the least that words of {word} bits give; accepted: a longer word"
        )
    ratio, low, high = ratio_below(2 * exact, word), -1, MOST_DROPPED
    if not _fits(end, bars, high, ratio, total):
        raise ParameterError(
            f"more than {MOST_DROPPED} rows would be left out; accepted: fewer bars, or a larger epsilon or delta"
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _fits(end, bars, middle, ratio, total) else (middle, high)
    return high


def level_maximum(buckets: Buckets, epsilon: RationalLike, delta: RationalLike, word: int = 64) -> LevelMaximum:
    """LevelMaximum that leaves out the fewest rows for (epsilon, delta). Raises: ParameterError."""
    return LevelMaximum(buckets, least_dropped(buckets.bars, epsilon, delta, word), epsilon, word)
