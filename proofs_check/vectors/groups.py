"""How makers hand over cases: groups of tests, numbered; and random integers that every Python draws alike."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import shake_256
from typing import Any

from finitedp.proofs_check.vectors.kinds import SOURCE, Value

Group = tuple[Mapping[str, Value], Sequence[dict[str, Any]]]
"""The parameters of a group, and its tests without numbers."""


def valid(comment: str, flags: Iterable[str], /, **fields: object) -> dict[str, Any]:
    """A test whose input is right; numbers become text."""
    return _test("valid", comment, flags, fields)


def acceptable(comment: str, flags: Iterable[str], /, **fields: object) -> dict[str, Any]:
    """A test whose input may be refused, and has one meaning."""
    return _test("acceptable", comment, flags, fields)


def refused(comment: str, flags: Iterable[str], /, **fields: object) -> dict[str, Any]:
    """A test whose input is to be refused."""
    return _test("invalid", comment, flags, fields)


def _test(result: str, comment: str, flags: Iterable[str], fields: Mapping[str, object]) -> dict[str, Any]:
    told = {name: _text(value) for name, value in fields.items()}
    found = set(flags)
    hunted = sorted(found - {"Basic"} or found)
    return {"comment": comment, "flags": hunted, "result": result, **told}


def _text(value: object) -> Any:  # noqa: ANN401  # a text, or lists of texts
    return [_text(part) for part in value] if isinstance(value, list | tuple) else str(value)


def with_numbers(kind: str, groups: Iterable[Group]) -> Iterator[dict[str, Any]]:
    """The groups of a file."""
    number = 0
    for parameters, tests in groups:
        numbered = [{"tcId": number + i, **_with_sizes(parameters, fields)} for i, fields in enumerate(tests, start=1)]
        number += len(numbered)
        if numbered:
            yield {"type": kind, "source": SOURCE, **parameters, "tests": numbered}


def _with_sizes(parameters: Mapping[str, Value], fields: dict[str, Any]) -> dict[str, Any]:
    """A test, with the flags of numbers that a type may not hold: who has no such numbers leaves these cases out."""
    n, bits = (int(str({**parameters, **fields}.get(name, 0))) for name in ("n", "bits"))
    wide = {"WideCount": n >> 63 > 0, "WideWord": bits > 64, "WidestWord": bits > 128}
    there = {flag for flag, so in wide.items() if so}
    return {**fields, "flags": sorted({*fields["flags"], *there} - ({"Basic"} if there else set()))}


_BORDERS = (31, 32, 53, 63, 64)


def borders(*numbers: int) -> list[str]:
    """The flags of numbers beside a power of two at which some type ends."""
    return [f"Border2^{k}" for k in _BORDERS if any(abs(x - (1 << k)) <= 1 for x in numbers)]


class Dice:
    """Random integers that a name determines, in every version of Python: the bits of SHAKE256."""

    def __init__(self, name: str) -> None:
        self._name, self._drawn, self._left = name, 0, b""

    def bits(self, b: int) -> int:
        """An integer in 0..2^b - 1."""
        size = (b + 7) // 8
        if len(self._left) < size:
            self._left = shake_256(f"{self._name}/{self._drawn}".encode()).digest(4096 + size)
            self._drawn += 1
        read, self._left = self._left[:size], self._left[size:]
        return int.from_bytes(read, "big") >> (8 * size - b)

    def below(self, d: int) -> int:
        """An integer in 0..d - 1, nearly uniform."""
        return self.bits(d.bit_length() + 64) % d

    def of(self, choices: Sequence[Any]) -> Any:  # noqa: ANN401  # any of them
        """One of the choices."""
        return choices[self.below(len(choices))]
