"""Why loads rise: for each claim whose hunt came nearer to a failure than its grid, what keeps the load at 1 or below.

The texts are reasons.toml beside this module, one table for each kind. No verdict rests on them.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from attrs import frozen

REASONS = Path(__file__).with_name("reasons.toml")


@frozen
class Reason:
    """A few plain sentences, and their kind.

    tight: loads come as near to 1 as one likes. below: the limit is known, and below 1. choice: how much of the bound is left
    depends on where integers fall. unexplained: how far hunts came.
    """

    kind: str
    text: str


@cache
def reasons() -> Mapping[str, Reason]:
    """The ledger's, by the id of the claim."""
    tables = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return {id: Reason(kind, " ".join(said.split())) for kind, table in tables.items() for id, said in table.items()}  # noqa: A001
