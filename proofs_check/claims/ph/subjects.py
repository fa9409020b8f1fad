"""What the claims about anonymized histograms share: small histograms, geometric noise."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple, TypeVar

from gmpy2 import mpq

from finitedp.proofs_check.ledger.entry import in_scope
from finitedp.spec.anonymized.histograms import Histogram, histograms
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf

SPEC = "finitedp.spec.anonymized"
HISTOGRAMS = f"{SPEC}.histograms"
T = TypeVar("T", bound=Hashable)


@cache
def small(universe: int) -> tuple[Histogram, ...]:
    """H_U: all histograms with at most U items, by their number of items."""
    return tuple(histograms(universe))


def pairs(universe: int) -> Iterator[tuple[Histogram, Histogram]]:
    """All ordered pairs of histograms in H_U."""
    yield from product(small(universe), repeat=2)


def l1(x: Sequence[mpq | int], y: Sequence[mpq | int]) -> mpq:
    """The l1 distance of two lists of the same length."""
    return sum((abs(mpq(a) - b) for a, b in zip(x, y, strict=True)), mpq(0))


def expected(law: Pmf[T], value: Callable[[T], mpq | int]) -> mpq:
    """E value(X)."""
    return sum((law[x] * value(x) for x in law), mpq(0))


def capped(h: Histogram, top: int) -> Histogram:
    """Counts above the top become it."""
    return tuple(min(x, top) for x in h)


def nearest_elements(h: Histogram, many: int, near: int) -> Histogram:
    """Without so many counts, those closest to a value, whatever their distance: the literal text of Lemma 6."""
    kept = list(h)
    for _ in range(min(many, len(kept))):
        kept.remove(min(kept, key=lambda x: (abs(x - near), x)))
    return tuple(kept)


def half_even(x: mpq) -> int:
    """Rounded to the nearest integer of at least 0, halves to the even one."""
    up = int((x + mpq(1, 2)).__floor__())
    return max(0, up - (up % 2 and (x + mpq(1, 2)).denominator == 1))


def half_down(x: mpq) -> int:
    """The same, halves down."""
    return max(0, -int((mpq(1, 2) - x).__floor__()))


def finite_ratio(p: Pmf[T], q: Pmf[T]) -> mpq | None:
    """The worst ratio of two laws; None where it is infinite."""
    found = max_ratio(p, q)
    return None if found.infinite else found.value


def of_histograms(*some: Histogram) -> None:
    """Raises: OutOfScopeError where one is none."""
    in_scope(all(x >= 1 for h in some for x in h), "counts of at least 1")
    in_scope(all(list(h) == sorted(h, reverse=True) for h in some), "counts that do not increase")


class Split(NamedTuple):
    """All histograms of H_U, the threshold T and the number M of fakes."""

    universe: int
    threshold: int
    fakes: int

    def __str__(self) -> str:
        return f"U={self.universe}, T={self.threshold}, M={self.fakes}"


class Pair(NamedTuple):
    """Two histograms."""

    g: Histogram
    h: Histogram

    def check_scope(self) -> None:
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


def error_of_total(decay: mpq, n: int) -> mpq:
    """E|N - n|, N = max(n + Z, 0) with the double geometric law."""
    weight = (1 - decay) / (1 + decay)
    below = sum((weight * decay**z * z for z in range(1, n)), mpq(0)) + (n * tail(decay, n) if n else 0)
    return below + weight * decay / (1 - decay) ** 2


def unimodal(length: int, most: int) -> Iterator[tuple[int, ...]]:
    """All non-increasing lists of so many integers in 0..most."""
    if length == 0:
        yield ()
        return
    for first in range(most + 1):
        yield from ((first, *rest) for rest in unimodal(length - 1, first))
