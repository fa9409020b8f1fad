"""An instance by numbers: what a hunt compares, measures and moves, read off it once.

Lists are read by their runs of equal items: a long list of few different items has few coordinates.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import ge, le
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.hunting.instances import Path, leaves, like, number, part, parts, replaced_together

_LONGEST_RUN = 4_000
NUMBER = 0
"""In a shape, the runs of what is no list."""
Shape = tuple[tuple[Path, int], ...]
Number = int | mpq
"""An integer where it is whole."""


class Coordinates(NamedTuple):
    """An instance by numbers. Two instances with the same coordinates are the same.

    shape: the place of each number or list of numbers, and of how many runs of equal items a list is, NUMBER of a number.
    values: the numbers, and of a list each run's item and length. others: what else it is, the types of its records, and the
    text of what holds no number.
    """

    shape: Shape
    values: tuple[Number, ...]
    others: tuple[object, ...]

    @property
    def size(self) -> int:
        """The bits of the numbers of an instance in all: what grows with each of them, and with how many there are."""
        bits, at = 0, 0
        for _, runs in self.shape:
            if runs == NUMBER:
                bits += _bits(self.values[at])
                at += 1
            else:
                for k in range(at, at + 2 * runs, 2):
                    bits += int(self.values[k + 1]) * _bits(self.values[k])
                at += 2 * runs
        return bits


def _bits(x: Number) -> int:
    return x.bit_length() + 2 if type(x) is int else 1 + x.numerator.bit_length() + x.denominator.bit_length()


def octaves(values: Iterable[Number]) -> tuple[int, ...]:
    """How large each number is, up to a factor of two; of a fraction, how many bits it has, as a negative number."""
    return tuple(x.bit_length() if type(x) is int else -_bits(x) for x in values)


def coordinates(value: Any) -> Coordinates:  # noqa: ANN401  # an instance of any kind
    """The coordinates of an instance."""
    shape, values, others = list[tuple[Path, int]](), list[Number](), list[object]()
    _read(value, (), shape, values, others)
    return Coordinates(tuple(shape), tuple(values), tuple(others))


def size(value: Any) -> int:  # noqa: ANN401  # an instance of any kind
    """As of its coordinates."""
    return coordinates(value).size


def measure(value: Any) -> tuple[int, mpq]:  # noqa: ANN401  # an instance of any kind
    """What is smaller of a simpler instance: its size, and of the same size the sum of its numbers."""
    return size(value), sum((abs(x) for _, x in leaves(value)), mpq(0))


def _read(value: Any, path: Path, shape: list[tuple[Path, int]], values: list[Number], others: list[object]) -> None:  # noqa: ANN401
    if type(value) is tuple:
        runs = _runs(value)
        if runs:
            shape.append((path, len(runs) // 2))
            values += runs
            return
    else:
        x = value if type(value) is int else _whole(number(value))
        if x is not None:
            shape.append((path, NUMBER))
            values.append(x)
            return
    inner = [*parts(value)]
    others.append(type(value) if inner else f"{path} {value!r}")
    for key, each in inner:
        _read(each, (*path, key), shape, values, others)


def _whole(x: mpq | None) -> Number | None:
    return int(x) if x is not None and x.denominator == 1 else x


def _runs(items: Sequence[Any]) -> list[Number] | None:
    """Item and length of each run of equal ones; None where not all are numbers of one type."""
    found = _numbers(items) if len(set(map(type, items))) <= 1 else None
    return None if found is None else [x for item, run in groupby(found) for x in (item, len(list(run)))]


def _numbers(items: Sequence[Any]) -> Sequence[Number] | None:
    if set(map(type, items)) <= {int}:
        return items
    found = [x for x in map(_whole, map(number, items)) if x is not None]
    return found if len(found) == len(items) else None


def made_of(value: Any, of: Coordinates, values: Sequence[Number]) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance whose coordinates are `of` with other numbers; what was in order stays so. Raises: as replaced_together."""
    at, others = 0, dict[Path, Any]()
    for path, runs in of.shape:
        until = at + (2 * runs or 1)
        new = values[at:until]
        if tuple(new) != of.values[at:until]:
            others[path] = new[0] if runs == NUMBER else _listed(part(value, path), new)
        at = until
    return replaced_together(value, others) if others else value


def _listed(old: Sequence[Any], runs: Sequence[Number]) -> tuple[Any, ...]:
    made = [x for item, times in zip(runs[::2], runs[1::2], strict=True) for x in [like(old[0], item)] * _times(times)]
    return tuple(ordered(old, made))


def _times(x: Number) -> int:
    return min(int(x), _LONGEST_RUN)


def ordered(as_in: Sequence[Any], made: list[Any]) -> list[Any]:
    """Falling where all of a list falls, rising where it rises."""
    old, new = _numbers(as_in), _numbers(made)
    if old is None or new is None:
        return made
    falls, rises = all(map(ge, old, old[1:])), all(map(le, old, old[1:]))
    return sorted(made, key=_value, reverse=falls) if falls or rises else made


def _value(x: Any) -> Any:  # noqa: ANN401  # a number of any type
    return x if type(x) is int else number(x)
