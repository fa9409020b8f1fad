"""Random moves from an instance to another one: to smaller ones, to a near one, along the difference of two, or anywhere.

Lists are also moved by their runs of equal items: a long list of few different items is near to one of which a run is longer.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import ge, le
from random import Random
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.proofs_check.hunting.instances import Path, is_list, like, lists, number, part, parts, places, replaced

__all__ = ["Coordinates", "Shape", "changed", "coordinates", "drawn", "further", "lowered", "moved"]

_TOGETHER, _KEPT_IN_ORDER = 0.6, 0.9
_LONGEST_RUN = 4_000


def lowered(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with one to three of its whole numbers among 0..6, or its tuples with one to three items less."""
    there = [path for path in places(value) if (number(part(value, path)) or mpq(0)).denominator == 1]
    for path in chance.sample(there, min(len(there), chance.randint(1, 3))):
        here = part(value, path)
        fewer = here[: max(1, len(here) - chance.randint(1, 3))] if isinstance(here, tuple) else chance.randint(0, 6)
        value = replaced(value, path, fewer)
    return value


# Near


def changed(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance after one to three small changes of numbers and tuples' items, lengths and order, or a step of several."""
    if chance.random() < _TOGETHER:
        return moved(value, chance)
    for _ in range(chance.choice((1, 1, 2, 3))):
        there = places(value)
        if not there:
            return value
        path = chance.choice(there)
        here = part(value, path)
        value = replaced(value, path, _rearranged(here, chance) if isinstance(here, tuple) else _near(number(here), chance))
    return value


def _near(x: mpq | None, chance: Random) -> mpq:
    if x is None:
        raise ValueError("no number")
    if x.denominator == 1:
        step = chance.choice((1, 1, 2, 3, 5, 8))
        return mpq(chance.choice((x + step, x - step, 2 * x, 3 * x // 2, chance.randint(0, 3))))
    k = chance.randint(2, 50)
    return mpq(
        chance.choice((x / 2, x * 2, x * 3 / 2, x / 10, (x + 1) / 2, 1 + (x - 1) / k, x + mpq(1, k), x - mpq(1, k), 1 / x))
    )


def _rearranged(items: tuple[Any, ...], chance: Random) -> tuple[Any, ...]:
    """Another tuple near to this one; what was in order mostly stays so."""
    if not items:
        raise ValueError("no items")
    made, way = list(items), chance.randrange(8)
    if way == 0:
        made.append(chance.choice(made))
    elif way == 1:
        made.extend([made[-1]] * chance.choice((1, 2, 4, 8)))
    elif way == 2:
        del made[-chance.choice((1, 1, 2, 4)) :]
    elif way == 3:
        made.pop(chance.randrange(len(made)))
    elif way == 4:
        chance.shuffle(made)
    else:
        at = chance.choice((0, 0, len(made) - 1, chance.randrange(len(made))))
        made[at] = changed(made[at], chance) if number(made[at]) is None else like(made[at], _near(number(made[at]), chance))
    return tuple(_ordered(items, made) if way == 4 or chance.random() < _KEPT_IN_ORDER else made)


def _ordered(as_in: Sequence[Any], made: list[Any]) -> list[Any]:
    """Falling where all of a tuple falls, rising where it rises."""
    old, new = _numbers(as_in), _numbers(made)
    if old is None or new is None:
        return made
    falls, rises = all(map(ge, old, old[1:])), all(map(le, old, old[1:]))
    return sorted(made, key=_value, reverse=falls) if falls or rises else made


def _numbers(items: Sequence[Any]) -> Sequence[Any] | None:
    """Items in types that compare; None where not all are numbers."""
    if set(map(type, items)) <= {int}:
        return items
    found = [number(x) for x in items]
    return None if None in found else found


def _value(x: Any) -> Any:  # noqa: ANN401  # a number of any type
    return x if type(x) is int else number(x)


# By coordinates


Shape = tuple[tuple[Path, int], ...]


@frozen
class Coordinates:
    """An instance by numbers.

    shape: the place of each number or list of numbers, and of how many runs of equal items a list is, 0 of a number. values:
    the numbers, and of a list each run's item and length.
    """

    shape: Shape
    values: tuple[mpq, ...]


def coordinates(value: Any) -> Coordinates:  # noqa: ANN401  # an instance of any kind
    """The coordinates of an instance."""
    shape, values = list[tuple[Path, int]](), list[mpq]()
    for path, is_one, found in _by_runs(value, ()):
        shape.append((path, 0 if is_one else len(found) // 2))
        values += found
    return Coordinates(tuple(shape), tuple(values))


def _by_runs(value: Any, path: Path) -> Iterator[tuple[Path, bool, list[mpq]]]:  # noqa: ANN401  # an instance of any kind
    x = number(value)
    if x is not None:
        yield path, True, [x]
        return
    if is_list(value):
        runs = [(number(item), mpq(len(list(run)))) for item, run in groupby(value)]
        numbers = [x for run in runs for x in run if x is not None]
        if len(numbers) == 2 * len(runs):
            yield path, False, numbers
            return
    for key, inner in parts(value):
        yield from _by_runs(inner, (*path, key))


def _with(value: Any, of: Coordinates, values: Sequence[mpq]) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with other numbers for its coordinates; what was in order stays so."""
    at = 0
    for path, runs in of.shape:
        if not runs:
            if values[at] != of.values[at]:
                value = replaced(value, path, values[at])
            at += 1
            continue
        if values[at : at + 2 * runs] != of.values[at : at + 2 * runs]:
            old = part(value, path)
            made = [
                like(old[0], item)
                for item, times in zip(values[at : at + 2 * runs : 2], values[at + 1 : at + 2 * runs : 2], strict=True)
                for _ in range(min(int(times), _LONGEST_RUN))
            ]
            value = replaced(value, path, tuple(_ordered(old, made)))
        at += 2 * runs
    return value


def further(value: Any, one: Any, other: Any, chance: Random) -> Any:  # noqa: ANN401  # instances of any kind
    """The instance moved by the difference of two of its shape, or twice it. Fractions are taken from one of them."""
    of, a, b = coordinates(value), coordinates(one), coordinates(other)
    if not of.shape == a.shape == b.shape:
        raise ValueError("other shapes")
    far = chance.choice((1, 1, 1, 2))
    made = [
        x + far * (y - z) if x.denominator == y.denominator == z.denominator == 1 else chance.choice((x, x, y, z))
        for x, y, z in zip(of.values, a.values, b.values, strict=True)
    ]
    return _with(value, of, tuple(made))


def moved(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """One to three numbers, items of runs or their lengths moved by the same whole step, fractions by one of their own."""
    of = coordinates(value)
    if not of.shape:
        raise ValueError("no coordinates")
    made = list(of.values)
    for _ in range(chance.choice((1, 1, 2))):
        step = chance.choice((-1, 1)) * chance.choice((1, 1, 1, 2, 3, 4, 6, 8))
        for at in chance.sample(range(len(made)), min(len(made), chance.choice((1, 2, 2, 3)))):
            made[at] = made[at] + step if made[at].denominator == 1 else _near(made[at], chance)
    return _with(value, of, tuple(made))


# Anywhere


def drawn(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with all of its lists of whole numbers drawn anew, of about their length or longer, in the order they had.

    A large number of a list is often near to the length or the sum of one before it: where two numbers meet, statements fail.
    """
    met, wide = list[int](), chance.choice((1, 1, 2, 4))
    for path, items in list(lists(value)):
        old = [number(x) for x in items]
        if items and all(x is not None and x.denominator == 1 for x in old):
            top = max(1, *(int(x) for x in old if x is not None))
            made = _anew(wide * len(items), wide * top, met, chance)
            met += len(made), sum(made)
            value = replaced(value, path, tuple(_ordered(items, [like(items[0], mpq(x)) for x in made])))
    return value


def _anew(length: int, top: int, met: Sequence[int], chance: Random) -> list[int]:
    """Whole numbers: one to three large ones among equal small ones, or all drawn from 0 to a top."""
    length, top = chance.randint(1, 2 * length + 2), chance.randint(1, 2 * top + 2)
    if chance.random() < 1 / 3:
        return [chance.randint(0, top) for _ in range(length)]
    if met and chance.random() < 1 / 2:
        top = max(1, chance.choice(met) - chance.choice((-1, 0, 1, 2)))
        return [top, *[chance.randint(0, min(top, 2))] * (length - 1)]
    large, low = chance.choice((1, 1, 1, 2, 3)), chance.choice((1, 1, 1, 0, 2))
    return ([chance.randint(1, top) for _ in range(large)] + [low] * length)[:length]
