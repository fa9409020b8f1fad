"""Anonymized histograms: the multiset of the counts of a dataset, without the labels.

A histogram is written as its counts in descending order, a tuple of integers of at least 1: an integer partition of the
number of items. The prevalence form lists (r, phi_r) for each count r that occurs, in ascending order of r.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from itertools import permutations, zip_longest

from finitedp.errors import ParameterError
from finitedp.exact import integer

__all__ = [
    "Histogram",
    "Prevalences",
    "are_neighbours",
    "checked",
    "clipped_items",
    "cumulative",
    "cumulative_distance",
    "distance",
    "from_prevalences",
    "histogram",
    "histograms",
    "items",
    "labelled_distance",
    "larger",
    "largest",
    "neighbouring_histograms",
    "partitions",
    "prevalence",
    "prevalences",
    "replaced",
    "union",
]

Histogram = tuple[int, ...]
Prevalences = tuple[tuple[int, int], ...]


def checked(counts: Iterable[int]) -> Histogram:
    """Counts in descending order. Raises: ParameterError for a count below 1."""
    return tuple(sorted((integer(count, "count", at_least=1) for count in counts), reverse=True))


def histogram(dataset: Iterable[Hashable]) -> Histogram:
    """The anonymized histogram of a dataset of labels. Source: PH.1 (the definition of h(D))."""
    return checked(Counter(dataset).values())


def prevalence(h: Histogram, r: int) -> int:
    """phi_r: how many labels have the count r."""
    return sum(count == r for count in h)


def prevalences(h: Histogram) -> Prevalences:
    """The pairs (r, phi_r) with phi_r above 0, in ascending order of r."""
    return tuple((r, prevalence(h, r)) for r in sorted(set(h)))


def from_prevalences(pairs: Iterable[tuple[int, int]]) -> Histogram:
    """The histogram of a prevalence form, in any order. Raises: ParameterError."""
    return checked(r for r, many in pairs for _ in range(integer(many, "prevalence", at_least=0)))


def items(h: Histogram) -> int:
    """n: the number of items, which is the sum of the counts."""
    return sum(h)


def cumulative(h: Histogram, r: int) -> int:
    """phi_{r+}: how many labels have a count of at least r."""
    return sum(count >= r for count in h)


def largest(h: Histogram, i: int) -> int:
    """n_(i), i >= 1: the i-th largest count, 0 beyond the last."""
    return h[i - 1] if i <= len(h) else 0


def clipped_items(h: Histogram, s: int) -> int:
    """P_h(s): the sum of min(count, s)."""
    return sum(min(count, s) for count in h)


def union(g: Histogram, h: Histogram) -> Histogram:
    """The sum of two histograms, prevalence by prevalence."""
    return checked((*g, *h))


# Distance


def distance(g: Histogram, h: Histogram) -> int:
    """The sum over i of |n_(i)(g) - n_(i)(h)|. Source: PH.Lem1."""
    return sum(abs(a - b) for a, b in zip_longest(g, h, fillvalue=0))


def cumulative_distance(g: Histogram, h: Histogram) -> int:
    """The sum over r >= 1 of |phi_{r+}(g) - phi_{r+}(h)|: equal to `distance`. Source: PH.Lem4."""
    return sum(abs(cumulative(g, r) - cumulative(h, r)) for r in range(1, max((*g, *h), default=0) + 1))


def labelled_distance(g: Histogram, h: Histogram) -> int:
    """The least l1 distance of two labelled datasets with these histograms, literally: all assignments of labels.

    Source: PH.Eq2. More labels than both histograms have together make it no less. Cost: the factorial of that number.
    """
    size = len(g) + len(h)
    one = g + (0,) * (size - len(g))
    other = h + (0,) * (size - len(h))
    return min(sum(abs(a - b) for a, b in zip(one, order, strict=True)) for order in set(permutations(other)))


# Neighbours


def are_neighbours(g: Histogram, h: Histogram) -> bool:
    """Whether one item more makes one of the other. Source: PH.Def1."""
    return distance(g, h) == 1


def partitions(n: int, most: int | None = None) -> Iterator[Histogram]:
    """All histograms with n items: the integer partitions of n into parts of at most `most`."""
    if n == 0:
        yield ()
        return
    for first in range(min(n, n if most is None else most), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first))


def histograms(universe: int) -> list[Histogram]:
    """H_U: all histograms with at most U items. Source: the domain of every claim about them."""
    return [h for n in range(integer(universe, "U", at_least=0) + 1) for h in partitions(n)]


def larger(h: Histogram) -> list[Histogram]:
    """The neighbours with one item more: one label goes from r to r + 1, for each r that occurs, or a new label comes."""
    raised = [checked((*h[: h.index(r)], r + 1, *h[h.index(r) + 1 :])) for r in sorted(set(h), reverse=True)]
    return [*raised, (*h, 1)]


def neighbouring_histograms(universe: int) -> Iterator[tuple[Histogram, Histogram]]:
    """All ordered pairs of neighbours in H_U: add or remove one item."""
    for h in histograms(integer(universe, "U", at_least=1) - 1):
        for more in larger(h):
            yield h, more
            yield more, h


def replaced(h: Histogram) -> set[Histogram]:
    """Every other histogram that replacing one item makes: one item less, then one more."""
    if not h:
        raise ParameterError("the empty histogram has no item to replace")
    less = {checked(x for x in (*h[:i], h[i] - 1, *h[i + 1 :]) if x) for i in range(len(h))}
    return {more for fewer in less for more in larger(fewer)} - {h}
