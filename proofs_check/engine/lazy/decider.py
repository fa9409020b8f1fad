"""What a lazy integer asks of the coins that handed it out."""

from typing import Any, NoReturn, Protocol

from finitedp.proofs_check.engine.lazy.draws import Draw

__all__ = ["Decider"]


class Decider(Protocol):
    """Who decides about draws: the explorer's coins."""

    comparisons: int

    @property
    def joint(self) -> bool:
        """Whether two lazy integers are compared as they are."""
        ...

    def less(self, left: Any, right: Any) -> bool:
        """Whether one lazy integer is below another, as a relation between their draws."""
        ...

    def decide(self) -> None:
        """The code asks for a value, so that what it does next is not seen."""
        ...

    def refuse(self, message: str) -> NoReturn:
        """End the exploration with an error that the explored code cannot swallow."""
        ...

    def below(self, draw: Draw, bound: int) -> bool:
        """Whether the draw is below the bound."""
        ...

    def allow(self, values: int) -> None:
        """Refuse a split into too many values."""
        ...
