"""The numbers in an instance of a check: where they stand, how large they are, and the instance with others in their place.

An instance is a number, or a tuple, a named tuple or an attrs class of instances, or a law on 0, 1, 2, ..., by its weights.
What else it holds (texts, other laws, functions) stays as it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache
from itertools import repeat
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import attrs
from gmpy2 import mpq, mpz

from finitedp.spec.pmf import Pmf

Path = tuple[int | str, ...]
_MPQ, _MPZ = type(mpq(1, 2)), type(mpz(1))
_NUMBERS = (int, _MPZ, _MPQ, Fraction)
_MOST_ITEMS, _MOST_OUTCOMES = 4_000, 100
_WEIGHTS, _NO_FIELD, _INTEGERS = "weights", "number", {int}


def number(value: Any) -> mpq | None:  # noqa: ANN401  # a part of an instance
    """The rational that a part of an instance is, or is the text of; None for what is no number."""
    kind = type(value)
    if kind is int or kind is _MPQ:
        return mpq(value)
    if kind is str:
        return _number_in(value)
    if kind is tuple:
        return None
    return mpq(value) if isinstance(value, _NUMBERS) and kind is not bool else None


@lru_cache(maxsize=1_000)
def _number_in(text: str) -> mpq | None:
    try:
        return mpq(text) if text[-1:].isdigit() else None
    except ValueError:
        return None


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    if hasattr(kind, "_fields"):
        return tuple(kind._fields)
    return tuple(each.name for each in attrs.fields(kind) if each.init) if attrs.has(kind) else None


def _fields(value: Any) -> tuple[str, ...] | None:  # noqa: ANN401  # an instance of any kind
    """The names of the parts of a record; None of what is none."""
    return _names(type(value))  # type: ignore[arg-type]  # a type has a hash


def parts(value: Any) -> Iterable[tuple[int | str, Any]]:  # noqa: ANN401  # an instance of any kind
    """What an instance is made of, each part with its key."""
    names = _fields(value)
    if names is not None:
        return [(name, getattr(value, name)) for name in names]
    if isinstance(value, tuple):
        return enumerate(value[:_MOST_ITEMS])
    if isinstance(value, Pmf) and all(isinstance(x, int) and 0 <= x < _MOST_OUTCOMES for x in value):
        return [(_WEIGHTS, part(value, (_WEIGHTS,)))]
    return ()


def leaves(value: Any) -> list[tuple[Path, mpq]]:  # noqa: ANN401  # an instance of any kind
    """The numbers of an instance, each with its place."""
    found = list[tuple[Path, mpq]]()
    _add_leaves(value, (), found)
    return found


def _add_leaves(value: Any, path: Path, found: list[tuple[Path, mpq]]) -> None:  # noqa: ANN401  # an instance of any kind
    x = number(value)
    if x is not None:
        found.append((path, x))
        return
    for key, inner in parts(value):
        _add_leaves(inner, (*path, key), found)


def is_list(value: Any) -> bool:  # noqa: ANN401  # a part of an instance
    """Whether it is a plain tuple of things of one type, which may have any length; one of several types is a record."""
    return type(value) is tuple and len(set(map(type, value))) <= 1


def _is_flat(value: Any) -> bool:  # noqa: ANN401  # a part of an instance
    """Whether it is a list of integers, as most are: nothing in it is looked at one by one."""
    return type(value) is tuple and set(map(type, value)) == _INTEGERS


def lists(value: Any, path: Path = ()) -> Iterator[tuple[Path, tuple[Any, ...]]]:  # noqa: ANN401  # an instance of any kind
    """The lists in an instance, each with its place."""
    if is_list(value):
        yield path, value
        if _is_flat(value):
            return
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


@cache
def _declared(kind: type) -> dict[Any, Any]:
    """The types of a record's fields."""
    return get_type_hints(kind)


def _fits(kind: Any, value: Any) -> bool:  # noqa: ANN401  # a part of an instance and its declared type
    """Whether there is an integer wherever one is declared."""
    if kind is int or kind is NoneType:
        return type(value) is kind
    if _is_flat(value):
        return True
    inner = get_args(kind)
    if isinstance(kind, UnionType):
        return any(_fits(each, value) for each in inner)
    if get_origin(kind) is not tuple:
        return True
    return all(map(_fits, repeat(inner[0]) if inner[1:] == (...,) else inner, value))


def replaced(value: Any, path: Path, other: Any) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with another part at a place. Raises: as replaced_together."""
    return replaced_together(value, {path: other})


def replaced_together(value: Any, others: Mapping[Path, Any]) -> Any:  # noqa: ANN401  # an instance of any kind
    """The instance with others of its parts, each at its place: made once, of all of them. One within another is left out.

    Raises: ValueError for a fraction where the instance's type declares an integer; whatever that type raises for what is out
    of its scope.
    """
    if () in others:
        return like(value, others[()])
    within: dict[int | str, dict[Path, Any]] = {}
    for path, other in others.items():
        within.setdefault(path[0], {})[path[1:]] = other
    made: dict[Any, Any] = {key: replaced_together(part(value, (key,)), inner) for key, inner in within.items()}
    if isinstance(value, Pmf):
        return Pmf(dict(enumerate(made[_WEIGHTS])))
    declared = _declared(type(value))  # type: ignore[arg-type]  # a type has a hash
    for key, inner in made.items():
        if key in declared and not _fits(declared[key], inner):
            raise ValueError(f"{key} is an integer, or a tuple of them")
    if hasattr(value, "_fields"):
        return value._replace(**made)
    if isinstance(value, tuple):
        return tuple(made.get(at, x) for at, x in enumerate(value))
    return attrs.evolve(value, **{key.lstrip("_"): inner for key, inner in made.items()})


def like(old: Any, new: Any) -> Any:  # noqa: ANN401  # parts of any kind
    """A number in the type of the one in whose place it comes."""
    if type(old) is type(new) is int:
        return new
    if number(old) is None or not isinstance(new, _NUMBERS):
        return new
    if isinstance(old, str):
        return str(mpq(new))
    return int(new) if isinstance(old, int | _MPZ) and mpq(new).denominator == 1 else mpq(new)


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
    found = list[Path]()
    _add_places(value, (), False, found)
    return found


def _add_places(value: Any, path: Path, in_a_list: bool, found: list[Path]) -> None:  # noqa: ANN401
    if number(value) is not None:
        if not in_a_list:
            found.append(path)
        return
    if value and is_list(value):
        flat = _is_flat(value) or all(number(x) is not None for x in value)
        if path or flat:
            in_a_list = True
            found.append(path)
        if flat:
            return
    for key, inner in parts(value):
        _add_places(inner, (*path, key), in_a_list, found)


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


def reached(value: Any) -> dict[str, int]:  # noqa: ANN401  # an instance of any kind
    """The largest whole numbers of an instance, and the lengths of its lists, each under its field's name; its n and its m."""
    found = dict[str, int]()
    names = _fields(value) or ()
    for name in ("n", "m"):
        if name not in names and isinstance(derived := getattr(value, name, None), int):
            found[name] = derived
    _reach(value, "", found)
    return found


def _reach(value: Any, name: str, found: dict[str, int]) -> None:  # noqa: ANN401  # an instance of any kind
    if type(value) is tuple:
        kinds = set(map(type, value))
        if len(kinds) <= 1:
            _raise(found, f"|{name or _NO_FIELD}|", len(value))
        if kinds == _INTEGERS:
            _raise(found, name or _NO_FIELD, max(value))
            return
    else:
        x = value if type(value) is int else number(value)
        if x is not None:
            if x.denominator == 1:
                _raise(found, name or _NO_FIELD, int(x))
            return
    for key, inner in parts(value):
        _reach(inner, name if isinstance(key, int) else f"{name}.{key}" if name else key, found)


def _raise(found: dict[str, int], name: str, x: int) -> None:
    if x > found.get(name, -1):
        found[name] = x


def named(path: Path) -> str:
    """The name of the field at a place."""
    return ".".join(key for key in path if isinstance(key, str)) or _NO_FIELD
