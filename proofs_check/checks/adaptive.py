"""Releases that are chosen by looking at the outputs before: the worst that can be made of those that are let through."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from gmpy2 import mpq

C = TypeVar("C")


def largest_delta(
    lets: Callable[[Sequence[C]], bool],
    menu: Mapping[C, Sequence[tuple[mpq, mpq]]],
    times: int,
    gamma: mpq,
    chosen: tuple[C, ...] = (),
) -> mpq:
    """The largest delta at gamma over all adaptive strategies, those that stop early too, by going back from the last release.

    Parameters: lets, whether the last one of some releases may run after the others; menu, what may be chosen, with the masses
    (p, q) of each output under two neighbours; times, how many releases at most; chosen, what has run.
    """
    found = max(1 - gamma, mpq(0))
    if len(chosen) == times:
        return found
    for one, outputs in menu.items():
        if lets((*chosen, one)):
            after = (p * largest_delta(lets, menu, times, gamma * q / p, (*chosen, one)) for p, q in outputs if p)
            found = max(found, sum(after, mpq(0)))
    return found
