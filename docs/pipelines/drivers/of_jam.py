"""A call of JAM, of private-pgm's folder `mechanisms` before its pull request 66, which has to be on the path of Python.

The model that is fitted between two rounds is post-processing: the uniform one stands in its place, as the noise of what is
measured does not reach the selection then. What is returned is the selections.
"""

from collections.abc import Sequence
from typing import Any

import jam
import numpy as np
import pandas as pd
from mbi import Dataset, Domain

DOMAIN = Domain(["a", "b"], [2, 2])


class Uniform:
    """A model by which all cells are equal."""

    potentials = None
    cliques: Sequence[Any] = ()

    def __init__(self, total: int) -> None:
        self.total = total

    def project(self, clique: Sequence[str]) -> "Uniform":
        """Of some attributes."""
        self.cells = DOMAIN.size(clique)
        return self

    def datavector(self) -> Any:
        """Its counts."""
        return np.full(self.cells, self.total / self.cells)

    def synthetic_data(self, rows: int) -> None:
        """None are needed."""


def _data(rows: Sequence[str]) -> Dataset:
    return Dataset(pd.DataFrame([[int(x) for x in row.split()] for row in rows], columns=["a", "b"]), DOMAIN)


def selections(rows: Sequence[str]) -> list[Any]:
    """What is selected in two rounds, with epsilon = 1 and delta = 1/100, nearly all of which is for selecting."""
    chosen = list[Any]()

    class Told(jam.JAM):
        def exponential_mechanism(self, *arguments: Any, **named: Any) -> Any:
            chosen.append(super().exponential_mechanism(*arguments, **named))
            return chosen[-1]

        def gaussian_noise(self, _sigma: float, size: int) -> Any:
            return np.zeros(size)

    jam.print = lambda *_words, **_named: None  # what it prints is no output
    original = jam.estimation.mirror_descent
    jam.estimation.mirror_descent = lambda *_arguments, **_named: Uniform(len(rows))
    try:
        Told(1, 0.01, alpha=0.99, rounds=2).run(_data(rows), _data(["0 0", "0 0"]), [("a",), ("b",)])
    finally:
        jam.estimation.mirror_descent = original
    return chosen
