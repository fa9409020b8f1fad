"""What the claims about anonymized histograms share: findings over many cases, small histograms, geometric noise."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.numbers import brief
from finitedp.proofs_check.ledger.entry import Finding, OutOfScopeError, in_scope
from finitedp.spec.anonymized.histograms import Histogram, histograms
from finitedp.spec.pmf import Pmf

SPEC = "finitedp.spec.anonymized"


def _shown(number: mpq | int) -> str:
    return brief(mpq(number), longest=12, digits=6)


def _plain(value: object) -> str:
    """A value for a reader: rationals as p/q."""
    if isinstance(value, mpq | int):
        return str(value)
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return f"({', '.join(map(_plain, value))})"
    return str(value)


def largest_load(what: str, found: Iterable[tuple[mpq | int, mpq | int, object]]) -> Finding:
    """Value <= allowed in every case (value, allowed, where), for values of at least 0; the worst case is shown."""
    worst: tuple[bool, mpq, mpq | int, mpq | int, object] | None = None
    for value, allowed, where in found:
        load = mpq(value) / allowed if allowed else mpq(2 if value > 0 else 0)
        if worst is None or (value > allowed, load) > worst[:2]:
            worst = value > allowed, load, value, allowed, where
            if worst[0]:
                break
    if worst is None:
        raise OutOfScopeError(f"{what}: no case was looked at")
    load = mpq(2) if worst[0] else worst[1]  # of two failures the one on the smaller instance is shown
    return Finding(not worst[0], load, f"{what}: {_shown(worst[2])} of {_shown(worst[3])} allowed at {_plain(worst[4])}")


def first_difference(what: str, found: Iterable[tuple[object, object, object]]) -> Finding:
    """Found == expected in every case (found, expected, where); the first difference is shown."""
    count = 0
    for one, other, where in found:
        count += 1
        if one != other:
            return Finding(False, mpq(1), f"{what}: {_plain(one)} instead of {_plain(other)} at {_plain(where)}")
    in_scope(count, f"{what}: a case to look at")
    return Finding(True, mpq(0), f"{what}: equal in {count} cases")


@cache
def small(universe: int) -> tuple[Histogram, ...]:
    """H_U: all histograms with at most U items, by their number of items."""
    return tuple(histograms(universe))


def pairs(universe: int) -> Iterator[tuple[Histogram, Histogram]]:
    """All ordered pairs of histograms in H_U."""
    yield from product(small(universe), repeat=2)


def of_histograms(*some: Histogram) -> None:
    """Raises: OutOfScopeError where one is none."""
    in_scope(all(x >= 1 for h in some for x in h), "counts of at least 1")
    in_scope(all(list(h) == sorted(h, reverse=True) for h in some), "counts that do not increase")


class Pair(NamedTuple):
    """Two histograms."""

    g: Histogram
    h: Histogram

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        of_histograms(*self)


def each_pair(universe: int) -> Iterator[Pair]:
    """All ordered pairs of histograms in H_U."""
    return (Pair(g, h) for g, h in pairs(universe))


def tail(decay: mpq, z: int) -> mpq:
    """Pr[Z >= z], z >= 1, for the double geometric law."""
    return decay**z / (1 + decay)


def geometric(decay: mpq, radius: int) -> Pmf[int]:
    """The double geometric law clamped to -radius..radius: exact within, the two tails at the ends."""
    inner = {z: (1 - decay) / (1 + decay) * decay ** abs(z) for z in range(1 - radius, radius)}
    return Pmf.from_probabilities(inner | {-radius: tail(decay, radius), radius: tail(decay, radius)})


def clamped_geometric(decay: mpq, value: int, low: int, high: int) -> Pmf[int]:
    """Value + Z clamped to low..high, low < high: exactly the unbounded law clamped."""
    reach = max(abs(high - value), abs(value - low)) + 1
    return geometric(decay, reach).shifted(value).clamped(low, high)


def unimodal(length: int, most: int) -> Iterator[tuple[int, ...]]:
    """All non-increasing lists of so many integers in 0..most."""
    if length == 0:
        yield ()
        return
    for first in range(most + 1):
        yield from ((first, *rest) for rest in unimodal(length - 1, first))
