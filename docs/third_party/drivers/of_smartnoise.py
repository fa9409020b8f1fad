"""Calls of smartnoise-sql's set union, which selects the partitions of a query. A row of data is one user: their items."""

from collections.abc import Sequence

import pandas as pd
from snsql.metadata import Metadata
from snsql.sql import dpsu

TABLE = {"rows": 2, "user": {"type": "string", "private_id": True}, "page": {"type": "string"}}
SCHEMA = Metadata.from_dict({"": {"main": {"visits": TABLE}}})
QUERY = "SELECT page, COUNT(*) AS n FROM main.visits GROUP BY page"


def _selected(users: Sequence[str], epsilon: float, delta: float, max_contrib: int) -> list[str] | str:
    """The items that are kept; an error is an answer too: of a uniform -1/2 the logarithm is that of 0."""
    rows = [(f"{user:03}", (item,)) for user, items in enumerate(users) for item in items.split()]
    try:
        kept = dpsu.policy_laplace(pd.DataFrame(rows, columns=["user", "group_cols"]), epsilon, delta, max_contrib)
    except ValueError:
        return "math domain error"
    return sorted({item for (item,) in kept["group_cols"]})


def one_item(data: Sequence[str]) -> list[str] | str:
    """Which items are kept, where everybody has one."""
    return _selected(data, 1.0, 1 / 8, 1)


def two_items(data: Sequence[str]) -> list[str] | str:
    """The same where two are allowed: the users of the data stand between 43 public ones and 2 more."""
    return _selected(["w x"] * 25 + ["y z"] * 18 + list(data) + ["w y", "x z"], 1.0, 2.0**-13, 2)


def three_items(data: Sequence[str]) -> list[str] | str:
    """The same where three are allowed: they stand between 12 public ones and 2 more."""
    return _selected(["w x"] * 7 + ["y z"] * 5 + list(data) + ["w y", "x z"], 4.0, 2.0**-12, 3)


def one_more(data: Sequence[str]) -> list[str] | str:
    """The same where two are allowed, among 11 public users that a search found."""
    others = ["z x", "z x", "w x", "x w", "z x", "y z", "z", "z x", "x w", "w z"]
    return _selected(["x w", *data, *others], 4.0, 2.0**-12, 2)


def of_a_query(data: Sequence[str]) -> list[str]:
    """The groups that are left of a query, as the reader of queries asks for them."""
    rows = [(f"{user:03}", item) for user, items in enumerate(data) for item in items.split()]
    left = dpsu.run_dpsu(SCHEMA, pd.DataFrame(rows, columns=["user", "page"]), QUERY, epsilon=1.0)
    return sorted(set(left["page"]))
