"""Plain immutable values, each with its type: what a law of a sampler and a state of a loop may depend on."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.lazy.integers import LazyInt

__all__ = ["NotPlainError", "typed", "untyped"]

_AS_THEY_ARE = (int, bool, str, bytes, type(None))


class NotPlainError(Exception):
    """A value that no key can be made of. The message names it."""


def typed(value: object) -> Hashable:
    """A key that is equal for equal values of equal types only: 1, True and 1.0 differ, and so do 0.0 and -0.0.

    A lazy integer counts as the int that it will be, and is decided. Raises: NotPlainError for what is not immutable, or might
    not be, through and through.
    """
    kind: type = type(value)
    if kind in _AS_THEY_ARE:
        return kind.__name__, value
    if kind is LazyInt:
        return "int", value.__index__()  # type: ignore[attr-defined]  # it is one
    if kind is float:
        return "float", value.hex()  # type: ignore[attr-defined]
    if kind is mpz:
        return "mpz", int(value)  # type: ignore[call-overload]
    if kind in (mpq, Fraction):  # a Fraction of a lazy numerator holds lazy integers
        return kind.__name__, int(value.numerator), int(value.denominator)  # type: ignore[attr-defined]
    if type(value) is tuple:
        return ("tuple", *map(typed, value))
    raise NotPlainError(f"a {type(value).__name__}")


def untyped(key: Any) -> Any:  # noqa: ANN401  # values of any kind
    """The value that a key was made of."""
    kind, *parts = key
    if kind == "tuple":
        return tuple(map(untyped, parts))
    return _MAKERS[kind](*parts) if kind in _MAKERS else parts[0]


_MAKERS: dict[str, Callable[..., Any]] = {"float": float.fromhex, "mpz": mpz, "mpq": mpq, "Fraction": Fraction}
