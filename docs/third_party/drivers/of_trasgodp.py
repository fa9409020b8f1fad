"""Calls of trasgoDP: each user's row stands behind public rows, since the functions read the labels from the data."""

from typing import Any

import pandas as pd
from trasgodp.categorical import (
    dp_exponential_array,
    dp_randomized_response_binary_array,
    dp_randomized_response_kary,
    dp_randomized_response_kary_array,
)


def response(data: tuple[str, ...]) -> Any:
    """Binary randomised response on a public row of each label and one of a user."""
    return dp_randomized_response_binary_array(["a", "b", data[0]], 1.0)


def kary(data: tuple[str, ...]) -> Any:
    """K-ary randomised response on three public rows and one of a user, who may have a fourth label."""
    return dp_randomized_response_kary_array(["a", "b", "c", data[0]], 1.0)


def exponential(data: tuple[str, ...]) -> Any:
    """The exponential mechanism on a public row of each label and one of a user."""
    return dp_exponential_array(["a", "b", data[0]], 1.0)


def frame(data: tuple[str, ...]) -> list[str]:
    """K-ary randomised response on a column of a data frame: a public row of each label and one of a user."""
    rows = pd.DataFrame({"label": ["a", "b", "c", data[0]]})
    return [str(label) for label in dp_randomized_response_kary(rows, "label", 1.0)["label"]]
