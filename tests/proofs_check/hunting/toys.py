"""Statements, true and false, that a hunt is tried on; no part of the ledger."""

from contextlib import suppress
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Check, Entry, Finding, cases, in_scope


class Number(NamedTuple):
    """A number of rows, at least 1."""

    n: int

    def check_scope(self) -> None:
        in_scope(self.n >= 1, "n >= 1")


class Two(NamedTuple):
    """Two numbers, of which nothing is declared."""

    a: int
    b: int


class Listed(NamedTuple):
    """A list of at least two numbers of at least 0."""

    items: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(len(self.items) >= 2 and min(self.items) >= 0, "at least two, of at least 0")


def found(holds: bool, load: mpq | int = 0) -> Finding:
    return Finding(holds, mpq(load), "as a toy says")


TOYS: dict[str, Entry] = {}


def toy(id: str, check: Check, of: type, *grid: object) -> Entry:  # noqa: A002
    TOYS[id] = Entry(id, "own", "a toy", "toys", (), check, None, {}, cases(of, grid))
    return TOYS[id]


FALSE_FROM_40 = toy("TOY.false-from-40", lambda _s, x: found(x.n < 40), Number, 1, 2, 6)
TRUE = toy("TOY.true", lambda _s, x: found(x.n >= 1, mpq(1, 2)), Number, 1, 2, 6)
FALSE_WHERE_EQUAL = toy("TOY.false-where-equal", lambda _s, x: found(x.a != x.b), Two, (1, 2), (4, 3), (9, 10), (7, 5))
RISING = toy("TOY.rising", lambda _s, x: found(True, 1 - mpq(1, x.n + 1)), Number, 1, 2, 6)


def _hidden(_subject: object, x: Number) -> Finding:
    """False at one n in 3 million alone, to which the load leads."""
    return found(x.n < 3_000_000, mpq(x.n, 4_000_000))


UPHILL = toy("TOY.uphill", _hidden, Number, 1, 2, 6)


def _raising(_subject: object, x: Number) -> Finding:
    if x.n % 2:
        raise RuntimeError("odd")
    return found(x.n < 40)


RAISING = toy("TOY.raising", _raising, Number, 2, 4, 6)


def _for_ever(_subject: object, x: Number) -> Finding:
    while x.n > 100:
        with suppress(BaseException):  # no alarm ends it, as in a call of another library
            while True:
                pass
    return found(True, mpq(1, 3))


def _too_long(_subject: object, x: Number) -> Finding:
    while x.n == 5:
        pass
    return found(True)


FOR_EVER = toy("TOY.for-ever", _for_ever, Number, 1, 2, 6)
TOO_LONG = toy("TOY.too-long", _too_long, Number, 1, 2, 5, 6)
ORDERED = toy(
    "TOY.order", lambda _s, x: found(list(x.items) != sorted(x.items) or len(x.items) < 5), Listed, ((3, 2, 1),), ((5, 4),)
)


@over(lambda case: (Number(k) for k in range(1, case.n + 1)))
def _each(_subject: object, atom: Number) -> Finding:
    return found(atom.n != 17, mpq(atom.n, 20 + atom.n))


ATOMS = toy("TOY.atoms", _each, Number, 1, 2, 6)
