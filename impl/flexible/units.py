"""ShiftedTruncated for a privacy unit of several rows: its exact delta, and the shortest table for a delta.

A bar that gains d rows may show a count that it could not show before with probability a_d = (w_0 + ... + w_(d-1)) / 2^B; one
that loses d rows with b_d = (w_(q-d) + ... + w_(q-1)) / 2^B. Everything else has a ratio of at most R^d. Bars are independent,
so that a unit that comes has the delta 1 - prod(1 - a_(d_i)), at R^k, and at any larger ratio.
"""

from functools import lru_cache
from itertools import accumulate

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.counting.dyadic_table import positive_epsilon
from finitedp.impl.flexible.tables import LARGEST_Q, ShiftedTable, dataset_neighbours, least_q, shifted_table
from finitedp.impl.histograms.units import least_hidden
from finitedp.units import Unit

__all__ = ["least_unit_q", "shifted_unit_delta"]


@lru_cache(maxsize=64)
def shifted_unit_delta(table: ShiftedTable, unit: Unit, bars: int) -> mpq:
    """The exact delta of ShiftedTruncated for a unit that comes or goes, or becomes another one, by the table's neighbours.

    The largest 1 - prod(1 - a_(d_i)), or of b; replaced, of both together, which is attained where there are twice as many
    bars as a unit may have labels, and else a bound. Source: FD.Unit.shifted. Parameters: bars >= 1.
    Raises: ParameterError for a unit of more than 2000 rows whose splits have all to be looked at.
    """
    labels = min(unit.labels, integer(bars, "bars", 1))
    shared = Unit(unit.column, labels, unit.rows_per_label, unit.rows)
    scale, most = 1 << table.bits, shared.rows_per_label
    hidden = []
    for weights in (table.weights, table.weights[::-1]):
        sums = list(accumulate(weights[:most], initial=0))
        kept = [scale - total for total in sums] + [0] * (most + 1 - len(sums))
        hidden.append(mpq(least_hidden(kept, scale, shared), scale**labels))
    return 1 - (min(hidden) if table.neighbours == "add-remove" else hidden[0] * hidden[1])


def least_unit_q(epsilon: RationalLike, delta: RationalLike, bits: int, neighbours: str, unit: Unit, bars: int) -> int:
    """The least q from that of one row on, in the table of epsilon / k, whose `shifted_unit_delta` is at most delta.

    By bisection: with q - 1 there is no table, or its delta is larger. Source: FD.Unit.q. Parameters: as of tables.least_q.
    Raises: ParameterError.
    """
    allowed, relation = probability(delta, "delta", zero=False, one=False), dataset_neighbours(neighbours)
    each = mpq(positive_epsilon(epsilon), unit.rows)
    try:
        low = least_q(each, allowed, bits, relation) - 1
    except ParameterError as error:
        raise ParameterError(f"epsilon = {epsilon} is for {unit.rows} rows: {error}") from None

    def will_do(q: int) -> bool:
        try:
            return shifted_unit_delta(shifted_table(q, each, bits, relation), unit, bars) <= allowed
        except ParameterError:
            return False

    high = low + 1
    while not will_do(high):
        low, high = high, 2 * high
        if low >= LARGEST_Q or low >= 1 << bits:
            _ = shifted_unit_delta(shifted_table(2, each, bits, relation), unit, bars)  # refuses too large a unit
            raise ParameterError(
                f"no table of up to {LARGEST_Q} weights in {bits} bits has delta = {allowed} for {unit.rows} rows of a unit "
                f"at epsilon = {epsilon}; accepted: a longer word, fewer rows, larger epsilon or delta"
            )
        high = min(high, LARGEST_Q)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if will_do(middle) else (middle, high)
    return high
