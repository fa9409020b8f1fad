"""finitedp.count and finitedp.total: a noisy number of rows, and a noisy sum of clipped integers, by one word each."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from finitedp.budgets.budget import charged
from finitedp.data.columns import LABEL_TYPES, Label
from finitedp.data.engines import rows_of
from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_number import NoisyNumber
from finitedp.data.releasing import word_source
from finitedp.data.series import framed, is_series
from finitedp.data.true_counts import ANY_ROWS, counted
from finitedp.data.units.numbers import rows_counted, values_counted
from finitedp.errors import DataError, ParameterError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.counting.bounded_total import BoundedTotal, bounded_count, bounded_total
from finitedp.impl.counting.dyadic_bulk import random_words
from finitedp.impl.counting.dyadic_plan import LIMB
from finitedp.impl.flexible.tables import dataset_neighbours
from finitedp.impl.randomness.words import SeededWords, WordSource
from finitedp.labels import shown
from finitedp.units import Unit

__all__ = ["count", "released", "total"]

_LABEL_FOR_NULLS = " (they count for no label) or null_label (they get one)"


def count(
    data: Any,  # noqa: ANN401  # any engine's frame, a mapping or an array
    column: str | None = None,
    *,
    equals: Label | None = None,
    epsilon: RationalLike,
    n: int | None = None,
    neighbours: str = "add-remove",
    word: int | None = None,
    beta: RationalLike = "1/20",
    words: WordSource | None = None,
    drop_nulls: bool = False,
    unit: str | None = None,
    max_rows: int | None = None,
) -> NoisyNumber:
    """A differentially private number of rows: of all, or of those where a column holds, or has one value.

    Source: FD.Count.private, FD.Total.accuracy; with a unit FD.Unit.total.
    Parameters: data, a frame of pandas, polars, pyarrow, DuckDB, PySpark or Dask, without a column or with the name of one; a
    series of pandas, polars or Dask, or an array of pyarrow, which is a column; or true counts by label, or a numpy array of
    them, whose sum it is. The column is of booleans, or `equals` is a value of its type. epsilon > 0, any
    rational. n, a public bound of the number of rows, above which it is taken for n; needed for add-remove. neighbours: a row
    more or less, or replace-one, of which the number of all rows is public, and so refused. word, the bits of the draw: 64 or
    128 by default. beta, for the error bar. words, the source of random words: the operating system by default. drop_nulls,
    whether rows without a value are such where it does not hold; else they are refused. unit, a frame's column that says whose
    a row is: epsilon is then for all rows of a unit at once, and at most max_rows of the rows of each are counted: by default
    1, so that it is the number of units (with a row where the column holds). n is needed then, of what is counted.
    Raises: ParameterError; DataError, whose messages are about the true data: they are no part of a release.
    """
    relation, most, source = dataset_neighbours(neighbours), _most(n), word_source(words)
    every, whose = column is None and not is_series(data), _unit(unit, max_rows)
    _check_n(relation, most, whose)
    if every and equals is not None:
        raise ParameterError("equals is for a column, which is missing; accepted: the name of the frame's column")
    if relation == "replace-one" and every and (whose is None or whose.rows == 1):
        what = "rows" if whose is None else "units"
        raise ParameterError(
            f"the number of all {what} is public with replace-one; accepted: a column of booleans, or add-remove"
        )
    probability(beta, "beta", zero=False)
    terms: dict[str, Any] = {"word": word, "beta": beta, "unit": whose}
    terms["least"] = int(every and relation == "replace-one")
    mechanism = None if most is None else bounded_count(most, epsilon, relation, **terms)  # refuses before data is looked at
    if whose is not None:
        wanted = True if equals is None and column is not None else equals
        by_unit = rows_counted(data, column, wanted, whose, drop_nulls)
        found, rows, what = by_unit.value, by_unit.rows, by_unit.what
    elif every:
        found, rows, what = _all_rows(data), 0, "rows"
    else:
        name, held = column or framed(data)[1], _column(data, column, drop_nulls)
        found, rows = _having(held, name, equals), held.rows
        what = f"rows where {name}" + ("" if equals is None else f" = {shown(equals)}")
    bound = _bound(rows, most, relation, whose)
    made = mechanism or bounded_count(bound, epsilon, relation, **terms)
    return released(made, found, what, f"count of {what}", beta, source)


def total(
    data: Any,  # noqa: ANN401  # any engine's frame, a mapping or an array
    column: str | None = None,
    *,
    bounds: Sequence[int],
    epsilon: RationalLike,
    n: int | None = None,
    neighbours: str = "add-remove",
    step: int | None = None,
    word: int | None = None,
    beta: RationalLike = "1/20",
    words: WordSource | None = None,
    drop_nulls: bool = False,
    unit: str | None = None,
    max_rows: int | None = None,
) -> NoisyNumber:
    """A differentially private sum of a column of integers, each of which is first clipped to public bounds.

    Source: FD.Total.private, FD.Total.accuracy; with a unit FD.Unit.total, FD.Unit.change.
    Parameters: data, a frame of pandas, polars, pyarrow, DuckDB, PySpark or Dask with the name of a column of integers; a
    series of pandas, polars or Dask, or an array of pyarrow, which is a column; or how many rows have each value, by value.
    bounds, (LOW, HIGH), integers that are chosen without looking at the data: a value below LOW counts as LOW, one above HIGH
    as HIGH, and the noise grows with the larger of |LOW| and |HIGH| (replace-one: with HIGH - LOW). epsilon > 0, any rational.
    n, a public bound of the number of rows; needed for add-remove. step, of which the sum released is a multiple, counted from
    the least sum that there may be: by default 1 where the table stays short, else about a thousandth of the noise. The
    others: as of `finitedp.count`; with drop_nulls rows without a value add nothing. unit, a frame's column that says whose a
    row is: epsilon is then for all rows of a unit at once. With max_rows, at most so many rows of each count, which a secret
    key chooses, and bounds are those of a row; without it, all rows of a unit are added up, and its sum is clipped to bounds.
    n is needed then: of the rows that count, or of the units.
    Raises: ParameterError; DataError, whose messages are about the true data: they are no part of a release.
    Cost: an engine's group-by, and a sum in Python over the values that occur.
    """
    relation, most, source = dataset_neighbours(neighbours), _most(n), word_source(words)
    (low, high), whose = _bounds(bounds), _unit(unit, max_rows)
    _check_n(relation, most, whose)
    probability(beta, "beta", zero=False)
    terms: dict[str, Any] = {"step": step, "word": word, "beta": beta, "missing": drop_nulls, "unit": whose}
    mechanism = bounded_total(most or 1, low, high, epsilon, relation, **terms)  # as in `count`
    if column is None and not is_series(data) and not isinstance(data, LabelCounts | Mapping):
        raise ParameterError("column is missing; accepted: the name of the frame's column to add up")
    if whose is not None:
        own = values_counted(data, column, (low, high), whose, drop_nulls, whole=max_rows is None)
        return released(mechanism, mechanism.total(own.values), own.what, own.what, beta, source)
    name = column or (framed(data)[1] if is_series(data) else "values")
    found = _column(data, column, drop_nulls)
    if not set(map(type, found.labels)) <= {int}:
        raise DataError(f"column {name!r} holds no integers; accepted: integers")
    if not drop_nulls and int(found.counts.sum()) < found.rows:
        raise DataError(f"there are rows of {name!r} without a value; accepted: none, or drop_nulls (they add nothing)")
    bound = _bound(found.rows, most, relation)
    if most is None:
        mechanism = bounded_total(bound, low, high, epsilon, relation, **terms)
    values: Any = found.as_dict()  # of integers, as was looked at
    return released(mechanism, mechanism.total(values), f"total of {name}", f"total of {name}", beta, source)


def _unit(column: str | None, max_rows: int | None) -> Unit | None:
    """The unit: of one row, or one sum, where no bound is given. Raises: ParameterError."""
    if column is None and max_rows is not None:
        raise ParameterError("max_rows is about the rows of a unit; accepted: with unit, the column that says whose a row is")
    return None if column is None else Unit(column, max_rows=1 if max_rows is None else max_rows)


def _having(held: LabelCounts, name: str, equals: Label | None) -> int:
    """How many rows have a value. Raises: DataError for a column of another type, since Python takes True for 1."""
    wanted = True if equals is None else equals
    if type(wanted) not in LABEL_TYPES:
        raise ParameterError(f"equals is a {type(wanted).__name__}; accepted: text, an integer, a boolean or a date")
    if not set(map(type, held.labels)) <= {type(wanted)}:
        values = "booleans" if equals is None else f"values of the type {type(wanted).__name__}"
        raise DataError(f"column {name!r} holds no {values}; accepted: booleans, or equals, a value of the column's type")
    return held.as_dict().get(wanted, 0)


def _column(data: Any, column: str | None, drop_nulls: bool) -> LabelCounts:  # noqa: ANN401
    """How many rows have each value; of a series, too, which is taken as a column."""
    if isinstance(data, LabelCounts):  # which has no nulls any more, but knows of them
        drop_nulls = False
    if column is None and is_series(data):
        data, column = framed(data)
    try:
        return counted(data, column, None, ANY_ROWS, drop_nulls, None, ordered=False)
    except DataError as error:  # there is no label for nulls here
        raise DataError(str(error).replace(_LABEL_FOR_NULLS, "")) from None


def _all_rows(data: Any) -> int:  # noqa: ANN401
    """The number of all rows, nulls among them."""
    if isinstance(data, LabelCounts | Mapping | np.ndarray):
        return counted(data, None, None, None, drop_nulls=False, null_label=None, ordered=False).rows
    return rows_of(data)


def _bounds(bounds: Sequence[int]) -> tuple[int, int]:
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ParameterError(f"bounds = {bounds!r:.100} are not two; accepted: (LOW, HIGH), integers")
    low, high = (integer(int(end) if isinstance(end, np.integer) else end, "bounds") for end in bounds)
    return int(low), int(high)


def _most(n: int | None) -> int | None:
    return None if n is None else integer(int(n) if isinstance(n, np.integer) else n, "n", 1, ANY_ROWS)


def _check_n(relation: str, most: int | None, unit: Unit | None) -> None:
    if most is None and (relation == "add-remove" or unit is not None):
        why = "add-remove" if unit is None else "a unit of several rows"
        raise ParameterError(f"n is missing: with {why} the number of rows is not public; accepted: a public bound of it")


def _bound(rows: int, most: int | None, relation: str, unit: Unit | None = None) -> int:
    """The public bound of the rows: with replace-one their number, where no other is given."""
    if most is not None and rows > most and relation == "replace-one" and unit is None:
        raise DataError(f"there are {rows} rows, more than n = {most}")
    if most is not None:
        return most
    if not rows:
        raise DataError("there are no rows; accepted: at least one row, or n")
    return rows


def released(
    mechanism: BoundedTotal, found: int, what: str, charge: str, beta: RationalLike, source: WordSource
) -> NoisyNumber:
    """The noisy number of a true one: it charges a budget, with these words, before it draws."""
    claim, accuracy = mechanism.claim(), mechanism.accuracy(beta)
    limbs = random_words(mechanism.mechanism, 1, charged(claim, charge, source))[:, 0].tolist()
    value = mechanism.apply(found, 1 + sum(limb << LIMB * i for i, limb in enumerate(reversed(limbs))))
    private = not isinstance(source, SeededWords)
    return NoisyNumber(value, claim if private else None, accuracy, mechanism, what, source.name)
