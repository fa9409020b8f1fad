"""What a hunt saw of one statement."""

import re
from typing import Any

from attrs import Factory, define, frozen
from gmpy2 import mpq

from finitedp.errors import FinitedpError
from finitedp.proofs_check.hunting.coordinates import Coordinates
from finitedp.proofs_check.hunting.instances import as_text

_LONGEST_MESSAGE, _MOST_KINDS = 300, 8


@frozen
class Tried:
    """An instance that was decided: its coordinates and size, the load there, and whether the statement held.

    detail: what the check said.
    """

    instance: Any
    at: Coordinates
    size: int
    load: mpq
    holds: bool
    detail: str


@define
class Hunted:
    """What a hunt saw of one entry.

    declared: whether the type of its instances says what is in scope. of_grid: how many of the grid's instances were looked
    at, and of how many (of a check of atoms: of a sample of theirs). grid_load: the largest load on them. tried: how many
    others were decided. out_of_scope: how many the statement does not speak of. given_up: how many took too long. raised: by
    the text of the error, an instance in scope at which the check raised. best: where the load was largest. largest: the
    largest instance that was decided. reached: the largest whole number by field. counterexample: where the statement fails,
    shrunk; None where no such instance was found.
    """

    id: str
    declared: bool
    of_grid: tuple[int, int] = (0, 0)
    grid_load: mpq = Factory(mpq)
    tried: int = 0
    out_of_scope: int = 0
    given_up: int = 0
    raised: dict[str, str] = Factory(dict)
    best: Tried | None = None
    largest: Tried | None = None
    reached: dict[str, int] = Factory(dict)
    counterexample: Tried | None = None

    @property
    def rising(self) -> bool:
        """Whether the statement is nearer to a failure than the grid shows: a load above the grid's, between 1/2 and 1."""
        return self.best is not None and self.grid_load < self.best.load < 1 and self.best.load * 2 > 1

    def note(self, error: Exception, instance: Any) -> None:  # noqa: ANN401  # an instance of any kind
        """Keep a first instance of each kind of error. What the library refuses is out of a scope that nobody declared."""
        if isinstance(error, FinitedpError) and not self.declared:
            self.out_of_scope += 1
            return
        message = f"{type(error).__name__}: {error}"[:_LONGEST_MESSAGE]
        kinds = {_kind(known) for known in self.raised}
        if _kind(message) not in kinds and len(kinds) < _MOST_KINDS:
            self.raised[message] = as_text(instance)[:_LONGEST_MESSAGE]


def _kind(message: str) -> str:
    return re.sub(r"\d+", "0", message)
