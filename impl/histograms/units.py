"""Histograms for a privacy unit of several rows: what a change of one unit costs, exactly, on a dyadic table.

A unit that comes, goes or becomes another one changes d_1, d_2, ... rows of at most l labels, each at most r and together at
most k. Of independent counts the worst ratio is then the largest product of rho(d_i), the worst ratio of one count that
changes by d_i. A label that comes with d rows shows above a threshold b with probability sigma_d = Pr[M(d) > b], so that the
exact delta is the largest 1 - prod(1 - sigma_(d_i)).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gmpy2 import mpq

from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import integer, probability
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_groups import group_ratio
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.units import Unit

__all__ = ["least_hidden", "least_unit_threshold", "unit_claim", "unit_delta", "unit_ratio"]

MOST_PRODUCTS, LONGEST = 2 * 10**5, 32  # products, and factors, of a ratio that a claim states: a second, a screen of digits

MOST_SPLIT = 2000  # rows of a unit of which all splits are looked at


def _best(values: Sequence[Any], unit: Unit, better: Callable[..., Any]) -> Any:  # noqa: ANN401  # numbers above 0
    """The best product of one value for each of unit.labels labels, values[d] for d rows, of at most unit.rows rows in all.

    By the best product for each number of rows, of twice as many labels at a time.
    """
    most, labels = unit.rows, unit.labels
    if most > MOST_SPLIT:
        raise ParameterError(f"{most} rows of a unit are too many for all splits of them; accepted: up to {MOST_SPLIT}")
    one = list(values[: unit.rows_per_label + 1])
    found: list[Any] | None = None
    while True:
        if labels % 2:
            found = one if found is None else _joined(found, one, most, better)
        labels //= 2
        if not labels:
            break
        one = _joined(one, one, most, better)
    return better(found or one)


def _joined(left: list[Any], right: list[Any], most: int, better: Callable[..., Any]) -> list[Any]:
    """The best product for each number of rows, of those on the left and those on the right."""
    last = min(len(left) + len(right) - 2, most)
    return [
        better(left[i] * right[rows - i] for i in range(max(0, rows - len(right) + 1), min(rows, len(left) - 1) + 1))
        for rows in range(last + 1)
    ]


def unit_ratio(table: DyadicTable, unit: Unit) -> mpq:
    """The worst ratio of independent noisy counts where one unit comes or goes, exactly: the largest product of rho(d_i).

    For a unit that becomes another one it is at most the square, which is attained where both have other labels.
    Source: FD.Unit.ratio. Cost: `group_ratio` for each number of rows of a label, and the square of the rows, in products.
    """
    if unit.labels == unit.rows:  # rho(a + b) <= rho(a) rho(b): by way of the counts between
        return mpq(group_ratio(table, 1) ** unit.rows)
    return mpq(_best([group_ratio(table, d) for d in range(unit.rows_per_label + 1)], unit, max))


def unit_delta(mechanism: DyadicSample, b: int, unit: Unit) -> mpq:
    """The largest probability that a label shows which one unit alone has, exactly: 1 - prod(1 - sigma_(d_i)) for b.

    It is the delta of StabilityHistogram for a unit that comes, goes or becomes another one, at the ratio that `unit_ratio`
    (or its square) is and at any larger one. Source: FD.Unit.stability. Parameters: b in 0..n.
    """
    scale = mechanism.d**unit.labels
    return mpq(scale - _hidden(mechanism, integer(b, "b", 0, mechanism.n), unit), scale)


def _hidden(mechanism: DyadicSample, b: int, unit: Unit) -> int:
    """2^(word * labels) times the least probability that nothing shows of a unit's own labels."""
    return least_hidden([_below(mechanism, b, d) for d in range(unit.rows_per_label + 1)], mechanism.d, unit)


def least_hidden(below: Sequence[int], scale: int, unit: Unit) -> int:
    """The least product of below[d] for the d rows of each of unit.labels labels, of unit.rows rows in all; below[0] is scale.

    Where below is log-concave in d >= 1, as for thresholds of use, uneven splits are the worst: it is looked at.
    """
    if all(y * y >= x * z for x, y, z in zip(below[1:], below[2:], below[3:], strict=False)):
        return _unevenly(below.__getitem__, scale, unit)
    return int(_best(below, unit, min))


def _below(mechanism: DyadicSample, b: int, d: int) -> int:
    """2^word Pr[a label that comes with d rows does not show]."""
    return mechanism.cdf(min(d, mechanism.n), b) if d else mechanism.d


def _unevenly(below: Callable[[int], int], scale: int, unit: Unit) -> int:
    """As `least_hidden`, of labels of which all but one have one row or as many as may be: the least over their number.

    With g(d) = -log Pr[M(d) <= b], one label more takes a row from the one between, which gains g(1) and loses ever less; once
    that has one row, a full label becomes the one between. So the sum is convex from one such number of labels to the
    next, and on these numbers linear: the first and the last of them, and the ends, decide.
    """
    most, found = unit.rows_per_label, list[int]()
    one, all_of_it = below(1), below(most)
    for labels in _numbers_of_labels(unit):
        full, rest = divmod(unit.rows - labels, most - 1) if most > 1 else (0, 0)
        single = labels - full - 1
        hidden = all_of_it**labels if full >= labels else all_of_it**full * below(1 + rest) * one**single
        found.append(hidden * scale ** (unit.labels - labels))
    return int(min(found))


def _numbers_of_labels(unit: Unit) -> list[int]:
    """Among which the worst one is: see `_unevenly`."""
    step, fewest = max(unit.rows_per_label - 1, 1), -(-unit.rows // unit.rows_per_label)
    first = fewest + (unit.rows - fewest) % step
    last = unit.labels - (unit.labels - unit.rows) % step
    return sorted({max(1, min(labels, unit.labels)) for labels in (fewest, first, last, unit.labels)})


def least_unit_threshold(mechanism: DyadicSample, delta: mpq, unit: Unit) -> int:
    """The least b whose `unit_delta` is at most delta, exactly; n where there is none, as no count is above n.

    The least for uneven splits comes first, since no lesser one will do. Source: FD.Unit.threshold. Parameters: delta in
    (0, 1). Returns: b in 0..n.
    """
    allowed = probability(delta, "delta", zero=False, one=False)
    scale = mechanism.d**unit.labels
    wanted = scale - allowed.numerator * scale // allowed.denominator
    b = least_reaching(lambda z: _unevenly(partial(_below, mechanism, z), mechanism.d, unit), mechanism.n, wanted)
    if _hidden(mechanism, b, unit) >= wanted:
        return b
    return least_reaching(lambda z: _hidden(mechanism, z, unit), mechanism.n, wanted)


def unit_claim(mechanism: DyadicSample, unit: Unit, neighbours: Neighbours, *, delta: mpq | None = None) -> PrivacyClaim:
    """What a histogram on this table claims for a unit that comes or goes (add-remove) or becomes another one.

    The table's R has R^k <= e^epsilon, k rows of a unit; the ratio, where it is cheap to say exactly, is sharper.
    Source: FD.Unit.ratio; with delta FD.Unit.stability, without a ratio. Parameters: delta, of StabilityHistogram.
    """
    changed = 1 if neighbours == "add-remove" else 2
    epsilon = mechanism.epsilon * mpq(changed * unit.rows, 2)
    if delta is not None:
        return PrivacyClaim(epsilon, neighbours, delta, None, "FD.Unit.stability", unit)
    products = 2 * mechanism.table.entries * unit.rows_per_label + unit.rows**2 * unit.labels.bit_length()
    ratio = None
    if products <= MOST_PRODUCTS and unit.labels <= LONGEST:
        ratio = unit_ratio(mechanism.table, unit) ** changed
    return PrivacyClaim(epsilon, neighbours, ratio=ratio, source="FD.Unit.ratio", unit=unit)
