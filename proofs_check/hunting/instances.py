"""The numbers in an instance of a check: where they stand, how large they are, and the instance with others in their place.

An instance is a number, or a tuple, a named tuple or an attrs class of instances. What else it holds (texts, laws, functions)
stays as it is.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import attrs
from gmpy2 import mpq, mpz

__all__ = ["as_text", "changed", "grown", "leaves", "lists", "lowered", "number", "part", "replaced", "shrunk", "size"]

Path = tuple[int | str, ...]
_MPQ, _MPZ = type(mpq(1, 2)), type(mpz(1))
_MOST_ITEMS = 4_000


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


def _parts(value: Any) -> Iterator[tuple[int | str, Any]]:  # noqa: ANN401  # of an instance of any kind
    if hasattr(value, "_fields"):
        yield from ((name, getattr(value, name)) for name in value._fields)
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
    for key, part in _parts(value):
        yield from leaves(part, (*path, key))


def lists(value: Any, path: Path = ()) -> Iterator[tuple[Path, tuple[Any, ...]]]:  # noqa: ANN401  # an instance of any kind
    """The plain tuples in an instance, which may have any length, each with its place."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        yield path, value
    for key, part in _parts(value):
        yield from lists(part, (*path, key))


def part(value: Any, path: Path) -> Any:  # noqa: ANN401  # an instance of any kind
    """What stands at a place."""
    for key in path:
        value = value[key] if isinstance(key, int) else getattr(value, key)
    return value


def replaced(value: Any, path: Path, other: Any) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with another part at a place. Raises: whatever its type raises for what is out of its scope."""
    if not path:
        return _like(value, other)
    key, *rest = path
    inner = replaced(part(value, (key,)), tuple(rest), other)
    if hasattr(value, "_fields"):
        return value._replace(**{str(key): inner})
    if isinstance(value, tuple) and isinstance(key, int):
        return (*value[:key], inner, *value[key + 1 :])
    return attrs.evolve(value, **{str(key).lstrip("_"): inner})


def _like(old: Any, new: Any) -> Any:  # noqa: ANN401  # parts of any kind
    """A number in the type of the one in whose place it comes."""
    if number(old) is None or not isinstance(new, int | _MPZ | _MPQ | Fraction):
        return new
    if isinstance(old, str):
        return str(mpq(new))
    return int(new) if isinstance(old, int | _MPZ) and mpq(new).denominator == 1 else mpq(new)


def size(value: Any) -> int:  # noqa: ANN401  # an instance of any kind
    """The bits of the numbers of an instance in all: what grows with each of them, and with how many there are."""
    return sum(1 + x.numerator.bit_length() + x.denominator.bit_length() for _, x in leaves(value))


def as_text(value: Any) -> str:  # noqa: ANN401  # an instance of any kind
    """What tells an instance from others, since laws have no hash."""
    return repr(value)


# Other instances


def grown(value: Any, path: Path, *, slowly: bool) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with a number of it half as large again, or one larger; a fraction below 1 is divided."""
    x = mpq(part_number(value, path))
    if x.denominator == 1:
        return replaced(value, path, x + 1 if slowly else max(x + 1, mpq(3 * x.numerator // 2)))
    return replaced(value, path, x * mpq(9, 10) if slowly else x * mpq(2, 3))


def part_number(value: Any, path: Path) -> mpq:  # noqa: ANN401  # an instance of any kind
    """The number at a place."""
    found = number(part(value, path))
    if found is None:
        raise ValueError(f"there is no number at {path}")
    return found


def lowered(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with one to three of its whole numbers among 0..6, as small cases have them."""
    places = [path for path, x in leaves(value) if x.denominator == 1]
    for path in chance.sample(places, min(len(places), chance.randint(1, 3))):
        value = replaced(value, path, chance.randint(0, 6))
    return value


def changed(value: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance after one to three small changes: of a number, or of a tuple's length and order."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        numbers, tuples = list(leaves(value)), [(path, x) for path, x in lists(value) if x and path]
        at = chance.randrange(len(numbers) + len(tuples)) if numbers or tuples else -1
        if at < 0:
            return value
        if at < len(numbers):
            path, x = numbers[at]
            value = replaced(value, path, _near(x, chance))
        else:
            path, items = tuples[at - len(numbers)]
            value = replaced(value, path, _rearranged(items, chance))
    return value


def _near(x: mpq, chance: Random) -> mpq:
    if x.denominator == 1:
        step = chance.choice((1, 1, 2, 3, 5, 8))
        return mpq(chance.choice((x + step, x - step, 2 * x, 3 * x // 2, chance.randint(0, 3))))
    k = chance.randint(2, 50)
    return mpq(
        chance.choice((x / 2, x * 2, x * 3 / 2, x / 10, (x + 1) / 2, 1 + (x - 1) / k, x + mpq(1, k), x - mpq(1, k), 1 / x))
    )


def _rearranged(items: Sequence[Any], chance: Random) -> tuple[Any, ...]:
    made = list(items)
    way = chance.randrange(6)
    if way == 0:
        made.append(made[-1])
    elif way == 1:
        made.append(chance.choice(made))
    elif way == 2 and len(made) > 1:
        made.pop(chance.randrange(len(made)))
    elif way == 3:
        made.extend([made[-1]] * chance.choice((1, 2, 4, 8)))
    elif way == 4 and all(number(x) is not None for x in made):
        made.sort(key=lambda x: number(x) or 0, reverse=chance.random() < 0.7)
    else:
        chance.shuffle(made)
    return tuple(made)


def shrunk(value: Any) -> Iterator[Any]:  # noqa: ANN401  # an instance of any kind
    """Smaller instances, the smallest first: numbers nearer to 0 or 1 or of a smaller denominator, and shorter tuples."""
    for path, items in lists(value):
        if path and len(items) > 1:
            yield from (replaced(value, path, items[:k]) for k in (len(items) // 2, len(items) - 1))
            yield from (replaced(value, path, (*items[:k], *items[k + 1 :])) for k in range(min(len(items), 50)))
    for path, x in leaves(value):
        nearer = [0, 1, x // 2, x - 1] if x.denominator == 1 else [x.numerator // x.denominator, mpq(round(x * 10), 10)]
        yield from (replaced(value, path, y) for y in nearer if abs(y) < abs(x) or mpq(y).denominator < x.denominator)
