"""Calls of DataSynthesizer's PrivBayes, from which synthcity has its own; a row is its two values."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from DataSynthesizer.lib import PrivBayes


def counts(rows: Sequence[str]) -> list[Any]:
    """The noisy counts of both attributes together."""
    data = pd.DataFrame([[int(x) for x in row.split()] for row in rows], columns=["a", "b"])
    return [*PrivBayes.get_noisy_distribution_of_attributes(["a", "b"], data, epsilon=1)["count"]]
