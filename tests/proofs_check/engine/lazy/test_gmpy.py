"""Draws that are handed to gmpy2 and numpy, which know no draws: decided, left alone, or refused."""

import operator
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, cast

import gmpy2 as gmpy2_module
import numpy as np
import pytest
from gmpy2 import mpfr, mpq, mpz

from finitedp import PrivacyClaim, audit
from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from tests.proofs_check.engine.plain_explorer import plain_law

gmpy2: Any = gmpy2_module
TOLD = "the code tells a draw from an int"


def within(name: str, u: Any) -> Any:
    x = mpz(13)
    if name == "&=":
        x &= u
    elif name == "|=":
        x |= u
    else:
        x ^= u
    return x


DECIDED: dict[str, Callable[[Any], Any]] = {
    "&": lambda u: mpz(13) & u,
    "|": lambda u: mpz(13) | u,
    "^": lambda u: mpz(13) ^ u,
    "xmpz": lambda u: int(gmpy2.xmpz(13) & u),
    "both": lambda u: (mpz(1) & u, mpz(2) & u),
    **{name: partial(within, name) for name in ("&=", "|=", "^=")},
    "mpz()": mpz,
}


@pytest.mark.parametrize("name", DECIDED)
def test_bits_beside_an_mpz_have_the_law_of_plain_integers(name: str) -> None:
    """With the same types as well."""

    def program(coins: Any) -> Any:
        found = DECIDED[name](coins.uniform(9) - 3)
        return found, type(found) is mpz

    assert explore(program).resolved == plain_law(program)


UNKNOWN: dict[str, Callable[[Any], Any]] = {
    "<<": lambda u: mpz(1) << u,
    ">>": lambda u: mpz(1) >> u,
    "function": lambda u: operator.and_(mpz(1), u),
    "method": lambda u: mpz(1).__and__(u),
    "gcd": lambda u: gmpy2.gcd(u, 6),
    "bit_length": gmpy2.bit_length,
    **({} if sys.version_info >= (3, 14) else {"power": lambda u: pow(mpz(3), u, 7)}),  # later ones ask the draw
    "modulus": lambda u: pow(mpz(3), 2, u),
    "mpq": lambda u: mpq(1, u),
    "exp": gmpy2.exp,
}
REFUSED: dict[str, Callable[[Any], Any]] = {
    "mpfr +": lambda u: mpfr(1) + u,
    "+ mpfr": lambda u: u + mpfr(1),
    "mpfr ==": lambda u: mpfr(1) == u,
    "!= mpfr": lambda u: u != mpfr(1),
    "mpfr **": lambda u: mpfr(2) ** u,
    "float32 *": lambda u: np.float32(1) * u,
    "float32 ==": lambda u: u == np.float32(1),
    "array ==": lambda u: bool((u == np.array([1]))[0]),
    "masked array ==": lambda u: bool((u == cast(Any, np).ma.array([1]))[0]),
    "array <": lambda u: bool((u < np.array([2]))[0]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_error_that_integers_do_not_raise_is_refused_though_it_is_caught(name: str) -> None:
    REFUSED[name](1)  # an integer raises nothing

    def program(coins: Any) -> bool:
        u = coins.uniform(2)
        with suppress(TypeError):
            REFUSED[name](u)
        return bool(u > 1)

    with pytest.raises(ExplorationError, match=r"^in (<lambda>|program), .*test_gmpy.py:\d+: [^\n]+; accepted: [^\n]+$"):
        explore(program)


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_error_of_gmpy2_alone_is_no_error_of_the_code(name: str) -> None:
    def program(coins: Any) -> Any:
        return UNKNOWN[name](coins.uniform(2))

    UNKNOWN[name](1)  # an integer raises nothing
    with pytest.raises(ExplorationError, match=r"^in (<lambda>|program), .*test_gmpy.py:\d+: what takes .*TypeError"):
        explore(program)


@pytest.mark.parametrize("name", UNKNOWN)
def test_code_that_handles_it_has_its_law_or_is_refused(name: str) -> None:
    def without_it(coins: Any) -> bool:
        u = coins.uniform(2)
        with suppress(TypeError):
            UNKNOWN[name](u)
        return bool(u > 1)

    def with_it(coins: Any) -> bool:
        try:
            UNKNOWN[name](coins.uniform(2))
        except TypeError:
            return False
        return True

    assert explore(without_it).resolved == {True: mpq(1, 2), False: mpq(1, 2)}
    with pytest.raises(ExplorationError, match=TOLD):
        explore(with_it)


REFLECTED: dict[str, Callable[[Any], Any]] = {
    **{name: partial(getattr(operator, name), mpz(1)) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{name: partial(getattr(operator, name), mpz(5)) for name in ("add", "sub", "mul", "floordiv", "mod", "pow")},
    "divmod": lambda u: divmod(mpz(7), u),
    "mpq": lambda u: mpq(1, 3) - u,
    "sum": lambda u: sum([mpz(2), u]),
    "max": lambda u: max(mpz(2), u),
    "in": lambda u: u in (mpz(3), mpz(2)),
    "operator": lambda u: mpz(3) - (mpz(2) + u) * mpz(2),
}


@pytest.mark.parametrize("name", REFLECTED)
def test_what_is_reflected_has_the_law_of_plain_integers(name: str) -> None:
    def program(coins: Any) -> Any:
        u = coins.uniform(4)
        return REFLECTED[name](u), mpz(2) < u

    assert explore(program).resolved == plain_law(program)


def test_beside_an_mpz_nothing_is_decided() -> None:
    asks: list[Callable[[Any], Any]] = [
        lambda u: mpz(3) + u > 5,
        lambda u: mpz(2) * (mpz(90) - u) >= 8,
        lambda u: mpz(7) > u,
    ]
    for ask in asks:
        assert explore(lambda coins: bool(ask(coins.uniform(100)))).leaves == 2  # noqa: B023


def test_floats_that_gmpy2_is_given_are_refused() -> None:
    for asks in (gmpy2.exp, gmpy2.floor, mpq, lambda x: mpz(1) + x, gmpy2.is_integer):

        def program(coins: Any, asks: Callable[[Any], Any] = asks) -> bool:
            x = StandIn(coins).random()
            try:
                asks(x)
            except TypeError:
                return False
            return bool(x < 0.5)

        with pytest.raises(ExplorationError, match="is given to gmpy2"):
            explore(program)
    assert explore(lambda coins: bool(mpz(1) > 2 * StandIn(coins).random())).resolved == {True: mpq(1, 2), False: mpq(1, 2)}


class Own:
    """A class that is equal to 1, and to nothing else."""

    def __eq__(self, other: object) -> bool:
        return bool(other < 2)  # type: ignore[operator]

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("joint", [False, True])
def test_equality_with_another_class_is_the_other_one_s(joint: bool) -> None:
    half = {True: mpq(1, 2), False: mpq(1, 2)}
    assert explore(lambda coins: coins.uniform(2) == Own(), joint=joint).resolved == half
    assert explore(lambda coins: coins.uniform(2) != Own(), joint=joint).resolved == half
    for other in ("1", [1], None):
        assert explore(lambda coins: coins.uniform(2) == cast(Any, other), joint=joint).resolved == {False: mpq(1)}  # noqa: B023
        assert explore(lambda coins: coins.uniform(2) != cast(Any, other), joint=joint).resolved == {True: mpq(1)}  # noqa: B023


def test_methods_of_integers_are_there() -> None:
    def program(coins: Any) -> Any:
        u = coins.uniform(3)
        return u.as_integer_ratio(), u.conjugate(), u.bit_length(), u.to_bytes(2, byteorder="big", signed=True)

    assert explore(program).resolved == plain_law(lambda coins: program(coins))


LEAKS: dict[str, Callable[[Any], Any]] = {
    "and": lambda u: int(mpz(1) & u),
    "equality": lambda u: bool(u == mpfr(1)),
    "shift": lambda u: int(mpz(2) >> u),
    "gcd": lambda u: int(gmpy2.gcd(u, 2)),
}


@pytest.mark.parametrize("name", LEAKS)
def test_an_audit_does_not_take_the_error_for_an_output(name: str) -> None:
    """With an integer the output tells the input; an error that is caught would hide it."""

    def mechanism(count: int, coins: Any) -> int:
        u = coins.uniform(2)
        try:
            return int(LEAKS[name](u)) if count else 0
        except TypeError:
            return 0

    claim = PrivacyClaim(0, "counts")
    if name == "and":
        assert audit(mechanism, claim, n=1).private == "fails"
    else:
        with pytest.raises(ExplorationError, match=f"{TOLD}|comparison with the mpfr"):
            audit(mechanism, claim, n=1)
