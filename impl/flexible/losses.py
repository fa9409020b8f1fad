"""How many rows one-sided noise costs, exactly: the probability, over the noise, that more than so many must be left out.

Two ways to count. The noise of t bars takes at most J_1 + ... + J_t rows, whatever the counts are, and exactly that many where
all counts are at least q - 1. An extreme answer, such as the maximum, is off only by the rows of the k bars beyond it that
came out empty: for counts x_1, ..., x_k with a sum of a + 1 that has the probability S_(x_1) ... S_(x_k) / T^k.
"""

from functools import lru_cache

from flint import fmpz_poly
from gmpy2 import mpq, mpz

from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.flexible.tables import ShiftedTable

__all__ = ["beyond_exceeds", "dropped_at", "dropped_beyond", "sum_exceeds"]

MOST_BITS = 200_000_000  # of all numbers that are held together: beyond, only what holds without exception is stated
MOST_BITS_OF_ONE = 2_000_000  # the same, of one product
MOST_SPLITS = 10_000_000  # the same, where splits are tried one by one


def _too_many(table: ShiftedTable, bars: int) -> bool:
    """Whether the law of the sum is too large to be held: bars (q - 1) numbers of bars B bits."""
    return bars * bars * (table.q - 1) * table.bits > MOST_BITS


@lru_cache(maxsize=16)
def _sums(table: ShiftedTable, bars: int) -> tuple[int, ...]:
    """T^bars Pr[J_1 + ... + J_bars <= a], for a = 0, ..., bars (q - 1)."""
    found, total = list[int](), 0
    for coefficient in (fmpz_poly(list(table.weights)) ** bars).coeffs():
        total += int(coefficient)
        found.append(total)
    return tuple(found)


def sum_exceeds(table: ShiftedTable, bars: int, a: int) -> mpq:
    """Pr[J_1 + ... + J_bars > a], exactly; 1 where there are too many bars for their law. Parameters: bars >= 1; a >= 0."""
    if a >= bars * (table.q - 1):
        return mpq(0)
    if _too_many(table, bars):
        return mpq(1)
    sums = _sums(table, integer(bars, "bars", at_least=1))
    return mpq(sums[-1] - sums[integer(a, "a", at_least=0)], sums[-1])


def dropped_at(table: ShiftedTable, bars: int, gamma: RationalLike) -> int:
    """The least a with Pr[J_1 + ... + J_bars > a] <= gamma; bars (q - 1) with gamma = 0, and where there are too many bars.

    Source: FD.Shifted.accuracy. Parameters: bars >= 0; gamma in [0, 1].
    """
    allowed, most = probability(gamma, "gamma"), integer(bars, "bars", at_least=0) * (table.q - 1)
    if allowed == 0 or not most or _too_many(table, bars):
        return most
    sums = _sums(table, bars)
    wanted = sums[-1] - int(allowed.numerator * sums[-1] // allowed.denominator)
    return least_reaching(sums.__getitem__, most, wanted)


@lru_cache(maxsize=64)
def _log_concave(table: ShiftedTable) -> bool:
    s = table.tails
    return all(s[c] ** 2 >= s[c - 1] * s[c + 1] for c in range(1, table.q))


def beyond_exceeds(table: ShiftedTable, bars: int, a: int) -> mpq:
    """The largest product of S_(x_i) / T over x_1 + ... + x_bars = a + 1: Pr[an extreme answer costs more than a rows].

    Source: FD.Shifted.extreme. Parameters: bars >= 0, those beyond the answer; a >= 0. Where S is log-concave, equal parts are
    the worst; else every split is tried. S_c = 0 from c = q on, so that it is 0 from a = bars (q - 1) on. It is 1 where the
    numbers would be too long.
    """
    integer(a, "a", at_least=0)
    if a >= bars * (table.q - 1):
        return mpq(0)
    bars = min(bars, a + 1)  # S_0 / T = 1
    if bars * table.bits > MOST_BITS_OF_ONE or (not _log_concave(table) and bars * (a + 1) * table.q > MOST_SPLITS):
        return mpq(1)
    s = [mpz(tail) for tail in table.tails]
    if _log_concave(table):
        each, more = divmod(a + 1, bars)
        return mpq(s[each + 1] ** more * s[each] ** (bars - more), s[0] ** bars)
    best: list[int] = [mpz(1), *[mpz(0)] * (a + 1)]
    for _ in range(bars):
        best = [max([best[rest - x] * s[x] for x in range(min(rest, table.q) + 1)]) for rest in range(a + 2)]
    return mpq(best[a + 1], s[0] ** bars)


def dropped_beyond(table: ShiftedTable, bars: int, gamma: RationalLike) -> int:
    """The least a with beyond_exceeds(table, bars, a) <= gamma; bars (q - 1) with gamma = 0, or where numbers are too long.

    Source: FD.Shifted.extreme. Parameters: bars >= 0; gamma in [0, 1].
    """
    allowed, most = probability(gamma, "gamma"), integer(bars, "bars", at_least=0) * (table.q - 1)
    if allowed == 0 or not most or beyond_exceeds(table, bars, most - 1) > allowed:
        return most
    low, high = -1, most  # it falls with a
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if beyond_exceeds(table, bars, middle) <= allowed else (middle, high)
    return high
