"""The numbers in an instance of a check: where they stand, how large they are, and the instance with others in their place.

An instance is a number, or a tuple, a named tuple or an attrs class of instances, or a law on 0, 1, 2, ..., by its weights.
What else it holds (texts, other laws, functions) stays as it is.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import attrs
from gmpy2 import mpq, mpz

from finitedp.spec.pmf import Pmf

__all__ = [
    "as_text",
    "changed",
    "drawn",
    "grown",
    "is_list",
    "leaves",
    "like",
    "lists",
    "lowered",
    "measure",
    "named",
    "number",
    "part",
    "parts",
    "places",
    "reached",
    "replaced",
    "shrunk",
    "size",
]

Path = tuple[int | str, ...]
_MPQ, _MPZ = type(mpq(1, 2)), type(mpz(1))
_MOST_ITEMS, _MOST_OUTCOMES = 4_000, 100
_WEIGHTS = "weights"


def number(value: Any) -> mpq | None:  # noqa: ANN401  # a part of an instance
    """The rational that a part of an instance is, or is the text of; None for what is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | _MPZ | _MPQ | Fraction):
        return mpq(value)
    if isinstance(value, str) and value[-1:].isdigit():
        try:
            return mpq(value)
        except ValueError:
            return None
    return None


def parts(value: Any) -> Iterator[tuple[int | str, Any]]:  # noqa: ANN401  # an instance of any kind
    """What an instance is made of, each part with its key."""
    if hasattr(value, "_fields"):
        yield from ((name, getattr(value, name)) for name in value._fields)
    elif isinstance(value, Pmf):
        if all(isinstance(x, int) and 0 <= x < _MOST_OUTCOMES for x in value):
            yield _WEIGHTS, part(value, (_WEIGHTS,))
    elif isinstance(value, tuple):
        yield from enumerate(value[:_MOST_ITEMS])
    elif attrs.has(type(value)):
        yield from ((each.name, getattr(value, each.name)) for each in attrs.fields(type(value)) if each.init)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, mpq]]:  # noqa: ANN401  # an instance of any kind
    """The numbers of an instance, each with its place."""
    found = number(value)
    if found is not None:
        yield path, found
        return
    for key, part in parts(value):
        yield from leaves(part, (*path, key))


def is_list(value: Any) -> bool:  # noqa: ANN401  # a part of an instance
    """Whether it is a plain tuple of things of one type, which may have any length; one of several types is a record."""
    return isinstance(value, tuple) and not hasattr(value, "_fields") and len(set(map(type, value))) <= 1


def lists(value: Any, path: Path = ()) -> Iterator[tuple[Path, tuple[Any, ...]]]:  # noqa: ANN401  # an instance of any kind
    """The lists in an instance, each with its place."""
    if is_list(value):
        yield path, value
    for key, part in parts(value):
        yield from lists(part, (*path, key))


def part(value: Any, path: Path) -> Any:  # noqa: ANN401  # an instance of any kind
    """What stands at a place."""
    for key in path:
        if isinstance(value, Pmf):
            value = tuple(value.weight(x) for x in range(max(value) + 1))
        else:
            value = value[key] if isinstance(key, int) else getattr(value, key)
    return value


def replaced(value: Any, path: Path, other: Any) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with another part at a place. Raises: whatever its type raises for what is out of its scope."""
    if not path:
        return like(value, other)
    key, *rest = path
    inner = replaced(part(value, (key,)), tuple(rest), other)
    if hasattr(value, "_fields"):
        return value._replace(**{str(key): inner})
    if isinstance(value, Pmf):
        return Pmf(dict(enumerate(inner)))
    if isinstance(value, tuple) and isinstance(key, int):
        return (*value[:key], inner, *value[key + 1 :])
    return attrs.evolve(value, **{str(key).lstrip("_"): inner})


def like(old: Any, new: Any) -> Any:  # noqa: ANN401  # parts of any kind
    """A number in the type of the one in whose place it comes."""
    if number(old) is None or not isinstance(new, int | _MPZ | _MPQ | Fraction):
        return new
    if isinstance(old, str):
        return str(mpq(new))
    return int(new) if isinstance(old, int | _MPZ) and mpq(new).denominator == 1 else mpq(new)


def size(value: Any) -> int:  # noqa: ANN401  # an instance of any kind
    """The bits of the numbers of an instance in all: what grows with each of them, and with how many there are."""
    return sum(1 + x.numerator.bit_length() + x.denominator.bit_length() for _, x in leaves(value))


def measure(value: Any) -> tuple[int, mpq]:  # noqa: ANN401  # an instance of any kind
    """What is smaller of a simpler instance: its size, and of the same size the sum of its numbers."""
    return size(value), sum((abs(x) for _, x in leaves(value)), mpq(0))


def as_text(value: Any) -> str:  # noqa: ANN401  # an instance of any kind
    """What tells an instance from others, since laws have no hash."""
    return repr(value)


# Other instances


def grown(value: Any, path: Path, *, slowly: bool) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with a number half as large again, or one larger; a fraction divided; a list with its last item again."""
    here = part(value, path)
    x = number(here)
    if x is None:
        if not isinstance(here, tuple) or not here:
            raise ValueError(f"nothing grows at {path}")
        return replaced(value, path, (*here, *here[-1:] * (1 if slowly else max(1, len(here) // 2))))
    if x.denominator == 1:
        return replaced(value, path, x + 1 if slowly else max(x + 1, mpq(3 * x.numerator // 2)))
    return replaced(value, path, x * mpq(9, 10) if slowly else x * mpq(2, 3))


def places(value: Any) -> list[Path]:  # noqa: ANN401  # an instance of any kind
    """What is changed as one thing: where a number stands that is no item of a list, or a list."""
    tuples = [path for path, items in lists(value) if items and (path or all(number(x) is not None for x in items))]
    inside = set(tuples)
    return [path for path, _ in leaves(value) if not any(path[:k] in inside for k in range(len(path)))] + tuples


def lowered(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with one to three of its whole numbers among 0..6, or its tuples with one to three items less."""
    there = [path for path in places(value) if (number(part(value, path)) or mpq(0)).denominator == 1]
    for path in chance.sample(there, min(len(there), chance.randint(1, 3))):
        here = part(value, path)
        fewer = here[: max(1, len(here) - chance.randint(1, 3))] if isinstance(here, tuple) else chance.randint(0, 6)
        value = replaced(value, path, fewer)
    return value


def changed(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance after one to three small changes of numbers and tuples' items, lengths and order, or a step of several."""
    if chance.random() < TOGETHER:
        return _moved(value, chance)
    for _ in range(chance.choice((1, 1, 2, 3))):
        there = places(value)
        if not there:
            return value
        path = chance.choice(there)
        here = part(value, path)
        value = replaced(value, path, _rearranged(here, chance) if isinstance(here, tuple) else _near(number(here), chance))
    return value


TOGETHER = 0.3


def _moved(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """One to three places moved by the same whole step: a number, an end of a tuple, or its length."""
    step, there = chance.choice((-2, -1, 1, 1, 2, 3, 4, 6)), places(value)
    for path in chance.choices(there, k=chance.randint(1, 3)) if there else ():
        here = part(value, path)
        if not isinstance(here, tuple):
            value = replaced(value, path, (number(here) or mpq(0)) + step)
        elif chance.random() < 1 / 2:
            value = replaced(value, path, here[:step] if step < 0 else (*here, *here[-1:] * step))
        elif (x := number(here[at := chance.choice((0, 0, len(here) - 1))])) is not None:
            value = replaced(value, (*path, at), x + step)
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
    return tuple(_ordered(items, made) if way == 4 or chance.random() < KEPT_IN_ORDER else made)


KEPT_IN_ORDER = 0.9


def _ordered(as_in: Sequence[Any], made: list[Any]) -> list[Any]:
    """Falling where all of a tuple falls, rising where it rises."""
    old, new = [number(x) for x in as_in], [number(x) for x in made]
    if None in old or None in new:
        return made
    falls, rises = (all(a is not None and b is not None and a >= b for a, b in pairwise(x)) for x in (old, old[::-1]))
    return sorted(made, key=lambda x: number(x) or mpq(0), reverse=falls) if falls or rises else made


def drawn(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with all of its lists of whole numbers drawn anew, of about their length, in the order that they had."""
    for path, items in list(lists(value)):
        old = [number(x) for x in items]
        if items and all(x is not None and x.denominator == 1 for x in old):
            top = max(1, *(int(x) for x in old if x is not None))
            made = [like(items[0], mpq(x)) for x in _anew(len(items), top, chance)]
            value = replaced(value, path, tuple(_ordered(items, made)))
    return value


def _anew(length: int, top: int, chance: Random) -> list[int]:
    """Whole numbers: one to three large ones among equal small ones, or all drawn from 0 to a top."""
    length, top = chance.randint(1, 2 * length + 2), chance.randint(1, 2 * top + 2)
    if chance.random() < 1 / 3:
        return [chance.randint(0, top) for _ in range(length)]
    large, low = chance.choice((1, 1, 1, 2, 3)), chance.choice((1, 1, 1, 0, 2))
    return ([chance.randint(1, top) for _ in range(large)] + [low] * length)[:length]


def shrunk(value: Any) -> Iterator[Any]:  # noqa: ANN401  # an instance of any kind
    """Smaller instances, the smallest first: shorter tuples, and numbers nearer to 0 or 1 or of a smaller denominator.

    What cannot be made is left out.
    """
    for path, items in lists(value):
        if path and items:
            shorter = [items[:k] for k in (len(items) // 2, len(items) - 1)]
            yield from _made(value, path, shorter + [(*items[:k], *items[k + 1 :]) for k in range(min(len(items), 50))])
    for path, x in leaves(value):
        whole = mpq(x.numerator // x.denominator)
        nearer = (
            [mpq(0), mpq(1), *(mpq(x - (x // k or 1)) for k in (2, 4, 16, 10**9)), x - 2]
            if x.denominator == 1
            else [whole, whole + 1, mpq(x * 10 // 1, 10)]
        )
        yield from _made(value, path, [y for y in nearer if abs(y) < abs(x) or y.denominator < x.denominator])


def _made(value: Any, path: Path, others: Sequence[Any]) -> Iterator[Any]:  # noqa: ANN401  # an instance of any kind
    for other in others:
        with suppress(Exception):  # its type has no such instance
            yield replaced(value, path, other)


def reached(value: Any) -> Iterator[tuple[str, int]]:  # noqa: ANN401  # an instance of any kind
    """The whole numbers of an instance, and the lengths of its lists, each under the name of its field; its n and its m."""
    for name in ("n", "m"):
        derived = getattr(value, name, None)
        if isinstance(derived, int) and name not in dict(parts(value)):
            yield name, derived
    for path, x in leaves(value):
        if x.denominator == 1:
            yield named(path), int(x)
    for path, items in lists(value):
        yield f"|{named(path)}|", len(items)


def named(path: Path) -> str:
    """The name of the field at a place."""
    return ".".join(key for key in path if isinstance(key, str)) or "number"
