"""Anonymized histograms in prevalence form: sorted pairs (r, phi_r), and what a mechanism reads of them.

A histogram with n items has at most floor((sqrt(8n + 1) - 1) / 2) different counts. `Reading` pads the pairs to that number
for the public bound U, so that the work of reading does not depend on how many there are.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from math import isqrt

from finitedp.errors import DataError
from finitedp.labels import shown

__all__ = ["Pairs", "Reading", "checked_pairs", "count_labels", "most_pairs", "pairs_of_counts", "sorted_distance", "total_of"]

Pairs = tuple[tuple[int, int], ...]
"""(r, phi_r) with r and phi_r of at least 1, in ascending order of r."""


def checked_pairs(given: Mapping[int, int] | Iterable[tuple[int, int]]) -> Pairs:
    """The prevalence form, sorted by count. Raises: DataError for what is none, and for a count that is there twice."""
    listed = list(given.items() if isinstance(given, Mapping) else given)
    for pair in listed:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise DataError(f"{shown(pair)} is no pair; accepted: pairs of a count and its prevalence")
        for what, number in zip(("count", "prevalence"), pair, strict=True):
            if isinstance(number, bool) or not isinstance(number, int):
                kind = type(number).__name__
                raise DataError(f"the {what} {shown(number)} is of type {kind}; accepted: an integer of at least 1")
            if number < 1:
                raise DataError(f"the {what} {shown(number)} is out of range; accepted: an integer of at least 1")
    pairs = tuple(sorted((int(r), int(many)) for r, many in listed))
    for (r, _), (following, _) in pairwise(pairs):
        if r == following:
            raise DataError(f"the count {shown(r)} is there twice; accepted: each count once, with its prevalence")
    return pairs


def pairs_of_counts(counts: Iterable[int]) -> Pairs:
    """The prevalence form of the labels' counts, those of 0 left out. Raises: DataError for a negative one."""
    found = Counter(counts)
    found.pop(0, None)
    return checked_pairs(found)


def count_labels(rows: Iterable[Hashable]) -> Pairs:
    """The prevalence form of a dataset of labels."""
    return pairs_of_counts(Counter(rows).values())


def total_of(pairs: Pairs) -> int:
    """The number of items: the sum of r phi_r."""
    return sum(r * many for r, many in pairs)


def most_pairs(universe: int) -> int:
    """How many different counts U items can have: floor((sqrt(8U + 1) - 1) / 2)."""
    return (isqrt(8 * universe + 1) - 1) // 2


def sorted_distance(one: Pairs, other: Pairs) -> int:
    """The sorted l1 distance: the sum over r of |phi_{r+} - phi'_{r+}|. Source: PH.Lem1, PH.Lem4. Cost: one merge."""
    change: dict[int, int] = {}
    for sign, pairs in ((1, one), (-1, other)):
        for r, many in pairs:
            change[r] = change.get(r, 0) + sign * many
    ends = sorted(change, reverse=True)
    distance = above = 0
    for r, following in pairwise([*ends, 0]):
        above += change[r]
        distance += abs(above) * (r - following)
    return distance


class Reading:
    """What PrivHist reads of a histogram with at most U items, by work that depends on U and on the question alone.

    Parameters: pairs, the prevalence form; universe, U. Raises: DataError for more than U items.
    """

    def __init__(self, pairs: Pairs, universe: int) -> None:
        items = total_of(pairs)
        if items > universe:
            raise DataError(
                f"the histogram has {shown(items)} items, more than n = {shown(universe)}; nothing was drawn, and that such "
                "data are refused is outside of the privacy claim"
            )
        room = most_pairs(universe) + 1 - len(pairs)
        padded = [*([(0, 1)] * room), *pairs]  # labels that do not occur have the count 0
        self._counts = [r for r, _ in padded]
        self._prevalences = [many for _, many in padded]
        self._items = list(accumulate((r * many for r, many in padded), initial=0))
        self._labels = list(accumulate(self._prevalences, initial=0))

    @property
    def items(self) -> int:
        """n."""
        return self._items[-1]

    def at_least(self, r: int) -> int:
        """phi_{r+}, for r >= 1. Cost: one bisection of the padded pairs."""
        return self._labels[-1] - self._labels[bisect_right(self._counts, r - 1)]

    def up_to(self, threshold: int) -> list[int]:
        """phi_{r+} for r = 1, ..., threshold."""
        phi = [0] * (threshold + 1)
        for r, many in zip(self._counts, self._prevalences, strict=True):
            phi[min(r, threshold)] += many
        return list(accumulate(reversed(phi[1:])))[::-1]

    def largest(self, many: int, least: int) -> list[int]:
        """max(n_(i), least) for i = 1, ..., many: a step for each, whether a count comes again or the next one does."""
        place, left, found = len(self._counts) - 1, self._prevalences[-1], []
        for _ in range(many):
            found.append(max(self._counts[place], least))
            left -= 1
            over = left == 0 and place > 0
            place -= over
            left += over * self._prevalences[place]
        return found

    def clipped(self, s: int) -> int:
        """P_h(s): the sum of min(count, s). Cost: as `at_least`."""
        place = bisect_right(self._counts, s)
        return self._items[place] + s * (self._labels[-1] - self._labels[place])

    def blocks(self, places: Sequence[int]) -> list[int]:
        """A_i = P_h(s_i) - P_h(s_{i-1}), with s_0 = 0."""
        return [b - a for a, b in pairwise([0, *map(self.clipped, places)])]
