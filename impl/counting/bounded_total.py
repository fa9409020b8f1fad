"""A sum of integers that are clipped to public bounds, or a number of rows, with the noise of a dyadic table.

A row changes the sum by at most s, which the bounds say. The sum is rounded to a multiple of a public step, so that a row
changes it by at most k = ceil(s/step) steps, and is drawn from the table of which k steps cost epsilon. The sum is rounded,
and not each value: the error is at most half a step for all rows together.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, Neighbours, PrivacyClaim
from finitedp.curve import Curve
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_groups import group_pair, group_ratio
from finitedp.impl.counting.dyadic_table import OFFERED_WORDS, positive_epsilon
from finitedp.impl.flexible.tables import dataset_neighbours
from finitedp.impl.randomness.coins import Coins, checked_coins
from finitedp.units import Unit

__all__ = ["BoundedTotal", "bounded_count", "bounded_total", "default_step", "sensitivity"]

FINE = 1000  # steps of a noise of scale s/epsilon, by default: rounding is then a two-thousandth of it
FEW = 4  # a sensitivity of up to so many times that is not rounded
MOST_BITS = 512  # of a bound: what is beyond is a slip


def _bound(value: int) -> int:
    return int(integer(value, "bounds", -(1 << MOST_BITS), 1 << MOST_BITS))


def _rows(value: int) -> int:
    return int(integer(value, "n", at_least=1))


def _step(value: int) -> int:
    return int(integer(value, "step", at_least=1))


def sensitivity(low: int, high: int, neighbours: str, *, missing: bool = False, rows: int = 1) -> int:
    """The most by which one row, or a unit of one row to so many, changes a sum of values in low..high.

    A row more or less: max(|low|, |high|). A row that is replaced: high - low; where rows may be without a value (missing),
    which adds nothing, 0 is a value, too. A unit adds what is between the least and the largest sum of its rows.
    Source: FD.Total.sensitivity, FD.Unit.change. Parameters: low <= high; rows >= 1. Raises: ParameterError.
    """
    if integer(low, "bounds") > integer(high, "bounds"):
        raise ParameterError(f"bounds = ({low}, {high}) are out of order; accepted: (LOW, HIGH) with LOW <= HIGH")
    low, high = min(low, low * rows), max(high, high * rows)
    if dataset_neighbours(neighbours) == "add-remove":
        return int(max(abs(low), abs(high)))
    return int(max(high, 0) - min(low, 0) if missing else high - low)


def default_step(s: int, epsilon: mpq) -> int:
    """1 for a small sensitivity; else s over 1000 epsilon, or s itself: a table has about 45,000 entries of 64 bits then."""
    steps = max(int(FINE * epsilon), 1)
    return 1 if s <= FEW * steps else -(-s // steps)


@frozen(slots=False)
class BoundedTotal:
    """The sum of up to n values, each clipped to low..high, rounded to steps, plus noise, within the sums that there may be.

    The sum x is taken from its least value on, as c = floor((x + floor(step/2)) / step); what is released is the noisy count c
    of a dyadic table, times the step. More than n rows count as the nearest sum that n rows may have.
    Source: FD.Total.law, FD.Total.private.
    Parameters: n >= 1 rows at most; low <= high, the bounds of a value; epsilon > 0, any rational; neighbours; step >= 1;
    word, the bits of the draw; missing, whether a row may be without a value; unit, what epsilon is for where it is more than
    one row: a unit has at most unit.rows of the rows. Raises: ParameterError.
    """

    n: int = field(converter=_rows)
    low: int = field(converter=_bound)
    high: int = field(converter=_bound)
    epsilon: mpq = field(converter=positive_epsilon)
    neighbours: Neighbours = field(default="add-remove", converter=dataset_neighbours)
    step: int = field(default=1, converter=_step)
    word: int = 64
    missing: bool = False
    unit: Unit | None = None

    def __attrs_post_init__(self) -> None:
        if not self.sensitivity:
            raise ParameterError(f"bounds = ({self.low}, {self.high}) leave nothing to tell; accepted: bounds that differ")
        if self.step > self.sensitivity:
            who = "row" if self.unit is None else "unit"
            raise ParameterError(f"step = {self.step} is above {self.sensitivity}, what a {who} changes; accepted: up to that")
        _ = self.mechanism  # refuses parameters without a table

    @cached_property
    def sensitivity(self) -> int:
        """The most by which one row, or a unit, changes the sum."""
        rows = 1 if self.unit is None else self.unit.rows
        return sensitivity(self.low, self.high, self.neighbours, missing=self.missing, rows=rows)

    @property
    def changed(self) -> int:
        """k, the most by which one row, or a unit, changes the rounded sum, in steps."""
        return -(-self.sensitivity // self.step)

    @property
    def least(self) -> int:
        """The least sum of up to n rows."""
        return self.n * min(self.low, 0)

    @property
    def most(self) -> int:
        """The largest one."""
        return self.n * max(self.high, 0)

    @cached_property
    def mechanism(self) -> DyadicSample:
        """The noisy count of steps: of a table k steps of which cost epsilon."""
        return DyadicSample(self._steps(self.most), self.epsilon * mpq(2, self.changed), self.word)

    def total(self, counts: Mapping[int, int]) -> int:
        """The sum of clipped values: not private. Parameters: counts, how many rows have each value. Raises: DataError."""
        found = 0
        for value, count in counts.items():
            found += min(max(integer(value, "a value", error=DataError), self.low), self.high) * count
        return int(found)

    def _steps(self, total: int) -> int:
        return (min(max(total, self.least), self.most) - self.least + self.step // 2) // self.step

    def _of_steps(self, steps: int) -> int:
        return min(self.least + steps * self.step, self.most)

    def release(self, values: Iterable[int], coins: Coins) -> int:
        """The noisy sum of values. Source: FD.Total.law. Raises: DataError. Cost: coins.bits(word), once."""
        return self.release_total(sum(self.total({value: 1}) for value in values), coins)

    def release_total(self, total: int, coins: Coins) -> int:
        """`release` for a sum of clipped values that is known already. Source: FD.Total.law."""
        return self.apply(total, 1 + checked_coins(coins).bits(self.word))

    def apply(self, total: int, u: int) -> int:
        """The noisy sum for a sum of clipped values and a draw u in 1..2^word. Non-decreasing in u. Source: FD.Total.law."""
        return self._of_steps(self.mechanism.apply(self._steps(total), u))

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:  # words of bits are exact on all coins
        """(epsilon, 0), with the exact worst ratio of k steps. Source: FD.Total.private, FD.Unit.total."""
        ratio = group_ratio(self.mechanism.table, self.changed)
        if self.unit is not None:
            return PrivacyClaim(self.epsilon, self.neighbours, ratio=ratio, source="FD.Unit.total", unit=self.unit)
        told = (self, coins) if self._has_curve else None
        return PrivacyClaim(self.epsilon, self.neighbours, ratio=ratio, source="FD.Total.private", told=told)

    def curve_of(self, _claim: PrivacyClaim, _coins: Coins | None) -> Curve:
        """The curve of k steps, on all coins. Source: FD.Group.pair."""
        return Curve([group_pair(self.mechanism.table, self.changed)], self.neighbours, "FD.Group.pair")

    @property
    def _has_curve(self) -> bool:
        return 2 * self.changed <= self.mechanism.n

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """The error exceeds `a` with probability at most beta, of at most n rows whose values are in low..high.

        The exact one of the noise where the step is 1; else that many steps, and what rounding adds at most.
        Source: FD.Total.accuracy. Parameters: beta in (0, 1].
        """
        noise = self.mechanism.accuracy(beta)
        return Accuracy(
            min(noise.a * self.step + self.step // 2, self.most - self.least), noise.beta, source="FD.Total.accuracy"
        )

    def cost(self) -> Cost:
        """That of one draw."""
        return self.mechanism.cost()


def bounded_total(
    n: int,
    low: int,
    high: int,
    epsilon: RationalLike,
    neighbours: str = "add-remove",
    *,
    step: int | None = None,
    word: int | None = None,
    beta: RationalLike = "1/20",
    missing: bool = False,
    unit: Unit | None = None,
) -> BoundedTotal:
    """A BoundedTotal with the step and the word that are best, where they are not given.

    Parameters: step, by default `default_step`; word, by default 64, or 128 where that lowers the error at beta.
    Raises: ParameterError, with the number of bits that would do where no table exists.
    """
    exact, relation = positive_epsilon(epsilon), dataset_neighbours(neighbours)
    s = sensitivity(low, high, relation, missing=missing, rows=1 if unit is None else unit.rows)
    chosen = default_step(s, exact) if step is None else step
    found, words = list[BoundedTotal](), OFFERED_WORDS if word is None else (word,)
    for bits in words:
        try:
            found.append(BoundedTotal(n, low, high, exact, relation, chosen, bits, missing, unit))
        except ParameterError:
            if bits == words[-1] and not found:
                raise
    return min(found, key=lambda made: made.accuracy(beta).a)  # the first of equal ones


def bounded_count(
    n: int,
    epsilon: RationalLike,
    neighbours: str = "add-remove",
    *,
    word: int | None = None,
    beta: RationalLike = "1/20",
    unit: Unit | None = None,
    least: int = 0,
) -> BoundedTotal:
    """A number of rows, up to n: the total of values 0 and 1. A row changes it by at most 1, replaced or not.

    Source: FD.Count.private, FD.Unit.total. Parameters: unit, what epsilon is for; least, 1 where all rows of it are counted,
    so that one that replaces another has one, too. Raises: ParameterError.
    """
    return bounded_total(n, least, 1, epsilon, neighbours, word=word, beta=beta, unit=unit)
