"""Calls of diffprivlib's statistics and models. "nan" is a label: descriptions hold numbers and words.

Each has an accountant of its own: the default one adds up what all calls of a process spend, and audits refuse such state.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import numpy as np
from diffprivlib import BudgetAccountant, mechanisms, models, tools
from joblib import parallel

Rows = Sequence[int | str]


def _array(rows: Rows) -> Any:
    return np.array([float(row) for row in rows])


def mean(rows: Rows, top: int = 1) -> Any:
    """The mean of values in 0..top."""
    return tools.mean(_array(rows), epsilon=1, bounds=(0, top), accountant=BudgetAccountant())


def total(rows: Rows, top: int = 1) -> Any:
    """The sum of values in 0..top."""
    return tools.sum(_array(rows), epsilon=1, bounds=(0, top), accountant=BudgetAccountant())


def nanmean(rows: Rows) -> Any:
    """The mean of values in 0..5, without those that are missing."""
    return tools.nanmean(_array(rows), epsilon=1, bounds=(0, 5), accountant=BudgetAccountant())


def nansum(rows: Rows, low: int, top: int) -> Any:
    """The sum of values in low..top, without those that are missing."""
    return tools.nansum(_array(rows), epsilon=1, bounds=(low, top), accountant=BudgetAccountant())


def nanvar(rows: Rows) -> Any:
    """The variance of values in 0..5, without those that are missing."""
    return tools.nanvar(_array(rows), epsilon=1, bounds=(0, 5), accountant=BudgetAccountant())


def quantile(rows: Rows) -> Any:
    """The median of values in 0..2."""
    return tools.median(_array(rows), epsilon=1, bounds=(0, 2), accountant=BudgetAccountant())


@contextmanager
def recorded() -> Iterator[list[tuple[float, float]]]:
    """The calls of Laplace.randomise, as (value, scale): the noise is drawn afterwards, where it can be a symbol.

    LinearRegression writes noisy numbers into arrays of floats. What it does with them later is post-processing.
    """
    calls, original = list[tuple[float, float]](), mechanisms.Laplace.randomise

    def randomise(self: Any, value: float) -> float:
        calls.append((float(value), self.sensitivity / self.epsilon))
        return float(value)

    mechanisms.Laplace.randomise = randomise
    try:
        yield calls
    finally:
        mechanisms.Laplace.randomise = original


def regression(rows: Sequence[int]) -> list[Any]:
    """All noisy numbers that LinearRegression draws, for one feature in -1..2 and targets that are all 1."""
    with recorded() as calls, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models.LinearRegression(
            epsilon=1, bounds_X=(-1, 2), bounds_y=(0, 1), fit_intercept=False, accountant=BudgetAccountant()
        ).fit(np.array(rows, dtype=float).reshape(-1, 1), np.ones(len(rows)))
    return [np.random.laplace(value, scale) for value, scale in calls]


def _fitted(rows: Sequence[int]) -> Any:
    """LogisticRegression, of rows that are labels."""
    model = models.LogisticRegression(epsilon=1, data_norm=1, accountant=BudgetAccountant())
    return model.fit(np.ones((len(rows), 1)), np.array(rows))


def classes(rows: Sequence[int]) -> list[int]:
    """The labels of a fitted LogisticRegression, of rows that are labels. Noise does not reach them: none is drawn."""
    original, names = mechanisms.Vector.randomise, parallel.uuid4
    mechanisms.Vector.randomise = lambda _self, function: function
    parallel.uuid4 = lambda: UUID(int=0)  # the name that joblib gives a call
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = models.LogisticRegression(epsilon=1, data_norm=1, accountant=BudgetAccountant()).fit(
                np.ones((len(rows), 1)), np.array(rows)
            )
    finally:
        mechanisms.Vector.randomise, parallel.uuid4 = original, names
    return [int(label) for label in model.classes_]


def logistic(rows: Sequence[int]) -> list[Any]:
    """The coefficients of LogisticRegression as they are released."""
    model = models.LogisticRegression(epsilon=1, data_norm=1, accountant=BudgetAccountant()).fit(
        np.ones((len(rows), 1)), np.array(rows)
    )
    return [*model.coef_.ravel()]
