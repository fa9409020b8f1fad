"""What claims about units share: frames of two units, and what counts of them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, TypeVar

from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.findings import equal, same_law
from finitedp.spec.pmf import Pmf

Counts = tuple[int, ...]
R = TypeVar("R", bound=Hashable)
Order = dict[Any, int]


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
