"""What claims about units share: frames of two units, and what counts of them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from typing import Any, NamedTuple, TypeVar

from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.findings import equal, same_law
from finitedp.spec.pmf import Pmf
from finitedp.units import Unit

Counts = tuple[int, ...]
R = TypeVar("R", bound=Hashable)
T = TypeVar("T")
Order = dict[Any, int]


class Subject(NamedTuple):
    """Which rows count, and the unit for which the noise is made."""

    choice: Callable[..., Any]
    whose: Callable[[Unit], Unit] = lambda unit: unit


def rows_of_a_unit(values: Iterable[T], most: int) -> list[tuple[T, ...]]:
    """All that a unit may have; without rows it is not there."""
    listed = list(values)
    return [rows for many in range(most + 1) for rows in combinations_with_replacement(listed, many)]


def orders_of(names: Iterable[Any], *, labels: bool, rows: bool) -> list[Order]:
    """All that a random function may say of a unit's labels, and of its rows, by label: their orders, each as likely."""
    many = Counter(names)
    listed = sorted(many, key=repr)
    numbered = [(x, i) for x in listed for i in range(1, many[x] + 1)] if rows else []
    places = list(permutations(range(len(numbered))))
    of_labels = permutations(range(len(listed) if labels else 0))
    ranked = [dict(zip(((x, 0) for x in listed), one, strict=False)) for one in of_labels]
    return [one | dict(zip(numbered, other, strict=True)) for one, other in product(ranked, places)]


def units_changed(units: Sequence[R], relation: str, nobody: R) -> Iterator[tuple[tuple[R, R], tuple[R, R]]]:
    """All frames of two units that differ in the second one, in both orders."""
    for rest, one, other in product(units, units, units if relation == "replace-one" else [nobody]):
        if one != other:
            yield from permutations([(rest, one), (rest, other)])


def laws_and_units_alone(
    count: Callable[[Any, tuple[Order, ...]], Counts],
    frames: Iterable[tuple[tuple[R, ...], ...]],
    orders: Callable[[tuple[R, ...]], Sequence[Order]],
    expected: Callable[[Any], Pmf[Counts]],
) -> Iterator[Finding]:
    """Of each frame of two units, that what counts has a law, and is for all orders the sum of what counts of each unit alone.

    Parameters: count, of a frame and the orders of its units, a number for each label; orders, all of a unit's rows, each as
    likely; expected, the law. What counts of a unit by itself is found once, and not again for each frame that it is in.
    """
    listed = cache(orders)

    @cache
    def alone(place: int, rows: tuple[R, ...]) -> list[Counts]:
        frame = ((), rows) if place else (rows, ())
        return [count(frame, ({}, order) if place else (order, {})) for order in listed(rows)]

    for frame in frames:
        found = [count(frame, (first, second)) for first, second in product(*map(listed, frame))]
        yield same_law(Pmf(Counter(found)), expected(frame), str(frame))
        sums = [tuple(map(sum, zip(*pair, strict=True))) for pair in product(alone(0, frame[0]), alone(1, frame[1]))]
        yield equal(found == sums, True, f"{frame}: each unit by itself")
