"""What a hunt says of one entry, as it goes through JSON: from a worker, to a reader, into the ledger's data."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import asdict, evolve, field, frozen
from gmpy2 import mpq, mpz

from finitedp.numbers import outward
from finitedp.proofs_check.hunting.kept import kept
from finitedp.proofs_check.hunting.seen import Hunted, Tried

_LONGEST, _LONGEST_KEPT = 500, 4_000


@frozen
class Told:
    """What was found by then. Loads are decimals of four digits, rounded down; instances are text.

    declared: whether the scope is said by the type of the instances, and not read off the grid. of_grid: how many instances of
    the grid were looked at, and of how many. given_up: how many instances took too long. reached: the largest whole numbers by
    field. raised: an instance by the text of the error that the check raised there. false_at, says: the counterexample, and
    what the check says of it; empty where there is none. instance: the counterexample, or else where the load was largest, as
    `kept` writes it; None where that is long. hung_at: the instance at which the worker was ended; empty where it ended by
    itself. seconds: of processor time.
    """

    id: str
    declared: bool = False
    of_grid: Sequence[int] = (0, 0)
    grid_load: str = "0"
    tried: int = 0
    out_of_scope: int = 0
    given_up: int = 0
    load: str = "0"
    rising: bool = False
    largest: str = ""
    reached: Mapping[str, str] = field(factory=dict)
    raised: Mapping[str, str] = field(factory=dict)
    false_at: str = ""
    says: str = ""
    instance: Any = None
    hung_at: str = ""
    seconds: float = 0.0

    def hanging(self, instance: str) -> "Told":
        """The same of a worker that had to be ended at an instance."""
        return evolve(self, hung_at=_short(instance) or "the grid")


def told(found: Hunted, seconds: float) -> Told:
    """What a hunt saw, as text."""
    best, largest, false = found.best, found.largest, found.counterexample
    grid_load, load = _decimal(found.grid_load), _decimal(best.load) if best is not None else "0"
    return Told(
        found.id,
        found.declared,
        found.of_grid,
        grid_load,
        found.tried,
        found.out_of_scope,
        found.given_up,
        load,
        found.rising and load != grid_load,
        _short(repr(largest.instance)) if largest is not None else "",
        {name: size_in_words(x) for name, x in found.reached.items()},
        dict(found.raised),
        _short(repr(false.instance)) if false is not None else "",
        _short(false.detail) if false is not None else "",
        _kept(false or best),
        seconds=round(seconds, 1),
    )


def _kept(tried: Tried | None) -> Any:  # noqa: ANN401  # JSON
    try:
        document = kept(tried.instance) if tried is not None else None
        return document if len(json.dumps(document)) <= _LONGEST_KEPT else None
    except ValueError:  # Python writes no integer of more than 4300 digits
        return None


def size_in_words(x: int) -> str:
    """A number for a reader: 96, or of a long one the power of ten that it is, or the one below: ~10^40."""
    if abs(x) < 10**6:
        return str(x)
    digits = str(mpz(abs(x)))
    return f"{'-' * (x < 0)}{'' if digits.rstrip('0') == '1' else '~'}10^{len(digits) - 1}"


def as_document(found: Told) -> dict[str, Any]:
    """For JSON, without what is 0, empty or false."""
    empty = asdict(Told(found.id))
    return {name: value for name, value in asdict(found).items() if name == "id" or value != empty[name]}


def from_document(document: Mapping[str, Any]) -> Told:
    """As it was. Raises: TypeError where it is no such document."""
    return Told(**document)


def _decimal(load: mpq) -> str:
    return outward(load, load, 4)[0]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
