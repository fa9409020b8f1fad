"""Random moves from an instance to another one: to smaller ones, to a near one, along the difference of two, or anywhere.

Lists are also moved by their runs of equal items: a long list of few different items is near to one of which a run is longer.
"""

from collections.abc import Sequence
from operator import mul
from random import Random
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.coordinates import Coordinates, Number, coordinates, made_of, octaves, ordered
from finitedp.proofs_check.hunting.instances import Path, like, lists, number, part, places, replaced, replaced_together

_TOGETHER, _KEPT_IN_ORDER = 0.6, 0.9
_SCALED, _MET = 0.2, 0.2
"""The parts of the moves that scale, and that set a number to where it meets another one."""


def lowered(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with one to three of its whole numbers among 0..6, or its tuples with one to three items less."""
    there, fewer = [path for path in places(value) if _is_whole(part(value, path))], dict[Path, Any]()
    for path in chance.sample(there, min(len(there), chance.randint(1, 3))):
        here = part(value, path)
        fewer[path] = here[: max(1, len(here) - chance.randint(1, 3))] if isinstance(here, tuple) else chance.randint(0, 6)
    return replaced_together(value, fewer) if fewer else value


def _is_whole(x: Any) -> bool:  # noqa: ANN401  # a part of an instance
    """Whether it is no fraction."""
    return type(x) is int or (number(x) or mpq(0)).denominator == 1


# Near


def changed(value: Any, of: Coordinates, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance after one to three small changes of numbers and of tuples' items, lengths and order, or moved as below."""
    if chance.random() < _TOGETHER:
        return moved(value, of, chance)
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
        x = number(made[at])
        made[at] = changed(made[at], coordinates(made[at]), chance) if x is None else like(made[at], _near(x, chance))
    return tuple(ordered(items, made) if way == 4 or chance.random() < _KEPT_IN_ORDER else made)


# By coordinates


def further(value: Any, of: Coordinates, one: Coordinates, other: Coordinates, chance: Random) -> Any:  # noqa: ANN401
    """The instance of these coordinates moved by the difference of two of its shape, or twice it. Fractions are one's."""
    if not of.shape == one.shape == other.shape:
        raise ValueError("other shapes")
    far = chance.choice((1, 1, 1, 2))
    made = [
        x + far * (y - z) if type(x) is type(y) is type(z) is int else chance.choice((x, x, y, z))
        for x, y, z in zip(of.values, one.values, other.values, strict=True)
    ]
    return made_of(value, of, made)


def moved(value: Any, of: Coordinates, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance of these coordinates with some of them moved together.

    One to three are moved by the same whole step, fractions by one of their own; or those above 1 are multiplied by the same
    factor; or one is set to where it meets another one, or the sum of a list.
    """
    if not of.values:
        raise ValueError("no coordinates")
    made, way = list(of.values), chance.random()
    if way < _SCALED:
        _scale(made, chance)
    elif way < _SCALED + _MET:
        _meet(made, of, chance)
    else:
        for _ in range(chance.choice((1, 1, 2))):
            _step(made, chance)
    return made_of(value, of, made)


def _step(made: list[Number], chance: Random) -> None:
    step, sign = chance.choice((-1, 1)) * chance.choice((1, 1, 1, 2, 3, 4, 6, 8)), chance.choice((1, 1, -1))
    for at in _some(made, chance.choice((1, 2, 2, 3)), chance):
        x = made[at]
        made[at] = x + step if type(x) is int else _near(mpq(x), chance)
        step *= sign


def _some(values: Sequence[Number], count: int, chance: Random) -> set[int]:
    """At most so many places, those of large numbers rather."""
    return set(chance.choices(range(len(values)), [1 + abs(x) for x in octaves(values)], k=count))


def _scale(made: list[Number], chance: Random) -> None:
    """A ray of instances in which all sizes grow as one: each is rounded, and may be one off."""
    up, down = chance.choice(((9, 8), (5, 4), (4, 3), (3, 2), (2, 1), (3, 4)))
    for at, x in enumerate(made):
        if type(x) is int and x > 1:
            made[at] = x * up // down + chance.choice((-1, 0, 0, 0, 1, 1))


def _meet(made: list[Number], of: Coordinates, chance: Random) -> None:
    sums, at = list[Number](), 0
    for _, runs in of.shape:
        until = at + (2 * runs or 1)
        if runs > 1:
            sums += sum(made[at + 1 : until : 2]), sum(map(mul, made[at:until:2], made[at + 1 : until : 2]))
        at = until
    [place], others = _some(made, 1, chance), [*made, *sums]
    [other] = _some(others, 1, chance)
    made[place] = others[other] + chance.choice((-1, 0, 0, 1))


# Anywhere


def drawn(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with all of its lists of whole numbers drawn anew, of about their length or longer, in the order they had.

    A large number of a list is often near to the length or the sum of one before it: where two numbers meet, statements fail.
    """
    met, wide, others = list[int](), chance.choice((1, 1, 2, 4)), dict[Path, Any]()
    for path, items in lists(value):
        if items and set(map(type, items)) == {int}:
            made = _anew(wide * len(items), wide * max(1, *items), met, chance)
            met += len(made), sum(made)
            others[path] = tuple(ordered(items, made))
    return replaced_together(value, others) if others else value


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
