"""Statistics of released histograms: what each answers, what it says of an empty one, and how much it forgives.

A statistic is computed from the noisy counts alone, so that it is as private as they are. Its accuracy follows from what the
counts are: those of the data with some rows left out, each of them moved to the centre of its bucket.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.flexible.losses import beyond_exceeds, dropped_at, dropped_beyond, sum_exceeds
from finitedp.impl.flexible.tables import ShiftedTable

__all__ = ["NAMES", "Statistic", "rank", "statistic_of"]

Centre = Callable[[int], mpq]
Counts = Sequence[int]

Loses = Literal["beyond", "others", "all"]
"""Whose rows must be left out: those of empty bars beyond an extreme answer, of all bars but the answer's, or of all bars.

The bar of a mode or of a quantile keeps all of its rows: more rows at the answer leave it the answer.
"""


@frozen(eq=False)
class Statistic:
    """A statistic of counts of buckets.

    name; answer: (counts, centre by position) to the value; metric, in which it is within stretch times the buckets' error;
    exact: whether buckets must be single values; loses: whose rows must be left out; both_ends: those beyond two answers.
    labelled: whether bars come in pairs of the labels - and +. given: its own parameters by name, the k of max-k and the p of
    quantile.
    """

    name: str
    answer: Callable[[Counts, Centre], Any]
    loses: Loses
    stretch: int = 1
    exact: bool = False
    metric: str = "absolute"
    both_ends: bool = False
    labelled: bool = False
    given: Mapping[str, int | mpq] = field(factory=dict)

    def dropped(self, table: ShiftedTable, bars: int, gamma: RationalLike) -> int:
        """The least number of rows that the argument for this statistic leaves out, except with probability gamma.

        Source: FD.Shifted.extreme, FD.Shifted.accuracy. Parameters: bars, of the histogram; gamma in [0, 1].
        """
        if self.loses == "beyond":
            return dropped_beyond(table, bars - 1, gamma)
        whole = dropped_at(table, bars, gamma)
        if self.loses == "all":
            return whole
        ends = 2 * dropped_beyond(table, bars - 1, probability(gamma, "gamma") * mpq(1, 2)) if self.both_ends else whole
        return min(whole, ends, (bars - 1) * (table.q - 1))

    def gamma(self, table: ShiftedTable, bars: int, dropped: int) -> mpq:
        """The least probability with which the argument for this statistic leaves out no more than `dropped` rows.

        Source: FD.Shifted.extreme, FD.Shifted.accuracy. Parameters: dropped >= 0.
        """
        if self.loses == "beyond":
            return beyond_exceeds(table, bars - 1, dropped)
        whole = sum_exceeds(table, bars, dropped)
        if self.loses == "all":
            return whole
        if dropped >= (bars - 1) * (table.q - 1):
            return mpq(0)
        return min(whole, 2 * beyond_exceeds(table, bars - 1, dropped // 2)) if self.both_ends else whole


def _last(counts: Counts, k: int = 1) -> int:
    return max((i for i, count in enumerate(counts) if count >= k), default=0)


def _first(counts: Counts) -> int:
    return min((i for i, count in enumerate(counts) if count), default=len(counts) - 1)


def _maximum(counts: Counts, centre: Centre) -> mpq:
    return centre(_last(counts))


def _minimum(counts: Counts, centre: Centre) -> mpq:
    return centre(_first(counts))


def _range(counts: Counts, centre: Centre) -> mpq:
    return centre(_last(counts)) - centre(_first(counts)) if any(counts) else mpq(0)


def _support(counts: Counts, centre: Centre) -> tuple[mpq, ...]:
    return tuple(centre(i) for i, count in enumerate(counts) if count)


def _mode(counts: Counts, centre: Centre) -> mpq:
    return centre(max(range(len(counts)), key=counts.__getitem__))  # the first of equals


def rank(p: mpq, rows: int) -> int:
    """ceil(p n), at least 1: which row, from below, the p-quantile is. It depends on the number of rows alone."""
    return max(1, int(-(-p.numerator * rows // p.denominator)))


def _place(counts: Counts, p: mpq) -> int:
    wanted, below = rank(p, sum(counts)), 0
    for i, count in enumerate(counts):
        below += count
        if below >= wanted:
            return i
    return 0


def _quantile(p: mpq) -> Callable[[Counts, Centre], mpq]:
    return lambda counts, centre: centre(_place(counts, p))


def _interquartile(counts: Counts, centre: Centre) -> mpq:
    return centre(_place(counts, mpq(3, 4))) - centre(_place(counts, mpq(1, 4)))


def _separator(counts: Counts, centre: Centre) -> mpq:
    minus, plus = counts[::2], counts[1::2]
    if not any(minus) or not any(plus):
        return centre(0)
    return (centre(_last(minus)) + centre(_first(plus))) * mpq(1, 2)


_PLAIN: Mapping[str, Statistic] = {
    found.name: found
    for found in (
        Statistic("max", _maximum, "beyond"),
        Statistic("min", _minimum, "beyond"),
        Statistic("range", _range, "others", stretch=2, both_ends=True),
        Statistic("support", _support, "all", metric="hausdorff"),
        Statistic("mode", _mode, "others", exact=True),
        Statistic("median", _quantile(mpq(1, 2)), "others"),
        Statistic("iqr", _interquartile, "all", stretch=2),
        Statistic("separator", _separator, "all", labelled=True),
    )
}
NAMES = ("max", "min", "range", "support", "max-k", "mode", "median", "quantile", "iqr", "separator")


def statistic_of(name: str, k: int | None = None, p: RationalLike | None = None) -> Statistic:
    """A statistic by its name.

    max, min: the last and the first occupied bar; of no rows, the first bar and the last one. range: their difference; of no
    rows, 0. support: the occupied bars. max-k: the last bar with k rows, else the first bar. mode: the bar with the most rows,
    the first of equals. median, quantile: the bar of the ceil(p n)-th row, the median with p = 1/2; of no rows, the first bar.
    iqr: quantile 3/4 minus quantile 1/4. separator: the middle of the last - and the first +, which need not separate.

    Parameters: k >= 1, for max-k; p in (0, 1], for quantile. Raises: ParameterError.
    """
    if name not in NAMES:
        raise ParameterError(f"statistic = {name!r} is unknown; accepted: {', '.join(NAMES)}")
    if (k is not None) != (name == "max-k") or (p is not None) != (name == "quantile"):
        raise ParameterError(f"statistic = {name}, k = {k}, p = {p}; accepted: k with max-k alone, p with quantile alone")
    if k is not None:
        least = int(integer(k, "k", at_least=1))
        given = {"k": least}
        return Statistic("max-k", lambda counts, centre: centre(_last(counts, least)), "beyond", exact=least > 1, given=given)
    if p is not None:
        level = probability(p, "p", zero=False)
        return Statistic("quantile", _quantile(level), "others", given={"p": level})
    return _PLAIN[name]
