"""How much work an exploration may take."""

from attrs import Attribute, field, frozen
from attrs.validators import optional

from finitedp.exact import integer

MOST_OPEN_BITS = 100_000
"""Exponent of the mass at which an exploration stops."""


def _integer(_budget: "Budget", attribute: "Attribute[int]", value: int) -> None:
    integer(value, f"budget of {attribute.name}", 1, MOST_OPEN_BITS if attribute.name == "bits" else None)


@frozen
class Budget:
    """How much work an exploration may take, and an audit as a whole.

    Parameters: runs of the program, one for each path; depth, decisions on one path, and draws on one path (a path that
    needs more stays unresolved); fanout, values that one draw may be split into; inputs that one audit may look at; bits, so
    that exploring stops once at most 2^-bits is unresolved, or None to follow everything. Finite code is still followed to its
    end, where its rare paths draw no oftener than the likely ones. All are integers of at least 1.
    """

    runs: int = field(default=1_000_000, validator=_integer)
    depth: int = field(default=5_000, validator=_integer)
    draws: int = field(default=1_000, validator=_integer)
    fanout: int = field(default=65_536, validator=_integer)
    inputs: int = field(default=5_000, validator=_integer)
    bits: int | None = field(default=64, validator=optional(_integer))  # type: ignore[arg-type]  # attrs infers int
