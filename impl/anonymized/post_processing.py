"""What is done with noisy values after the noise: exact, in integers, and a function of nothing but what is released.

Isotonic regression pools pairs (num, den) of integers, so that no rational is ever formed. Histograms are prevalence forms.
"""

from collections.abc import Sequence
from itertools import pairwise

from finitedp.impl.anonymized.prevalences import Pairs

__all__ = ["blocks_isotonic", "from_cumulative", "isotonic", "large_output", "removed", "rounded", "union"]


def isotonic(values: Sequence[int]) -> list[tuple[int, int, int]]:
    """The non-increasing regression of equal weights, as blocks (num, den, length) of value num / den. Source: PH.L1."""
    return _pooled([(value, 1, 1) for value in values])


def blocks_isotonic(values: Sequence[int], steps: Sequence[int]) -> list[tuple[int, int, int]]:
    """The non-increasing regression of value / step with weights step^2: numerators step * value. Source: PH.H5."""
    return _pooled([(d * a, d * d, 1) for a, d in zip(values, steps, strict=True)])


def _pooled(given: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Pool adjacent violators: while the block before is below this one, they become one, of the sums."""
    blocks: list[tuple[int, int, int]] = []
    for block in given:
        num, den, length = block
        while blocks and blocks[-1][0] * den < num * blocks[-1][1]:
            before = blocks.pop()
            num, den, length = num + before[0], den + before[1], length + before[2]
        blocks.append((num, den, length))
    return blocks


def rounded(blocks: Sequence[tuple[int, int, int]]) -> list[int]:
    """max(0, floor(x + 1/2)) for each place: the nearest integer, halves up. Source: PH.L1.b, PH.H6."""
    return [y for num, den, length in blocks for y in [max(0, (2 * num + den) // (2 * den))] * length]


def from_cumulative(places: Sequence[int], at_least: Sequence[int]) -> Pairs:
    """The histogram with at_least[i] labels of a count of at least places[i], and no counts between the places."""
    differences = (y - z for y, z in pairwise([*at_least, 0]))
    return tuple((s, many) for s, many in zip(places, differences, strict=True) if many)


def large_output(noisy: Sequence[int], least: int) -> Pairs:
    """The noisy large counts, none below `least`, as a histogram. Source: PH.L2."""
    found: dict[int, int] = {}
    for value in noisy:
        r = max(value, least)
        found[r] = found.get(r, 0) + 1
    return tuple(sorted(found.items()))


def union(one: Pairs, other: Pairs) -> Pairs:
    """The sum of two histograms. Source: PH.L3."""
    found = dict(one)
    for r, many in other:
        found[r] = found.get(r, 0) + many
    return tuple(sorted(found.items()))


def removed(pairs: Pairs, many: int, near: int) -> Pairs:
    """The histogram without the `many` elements nearest to `near`, the smaller count first of two at one distance.

    Never an element that is farther from `near` than 0 is: labels that do not occur have the count 0, and are nearer.
    Source: PH.L4. Cost: O(rows): two pointers move away from `near`.
    """
    left = [pair for pair in pairs if pair[0] <= near]
    right = [pair for pair in reversed(pairs) if pair[0] > near]
    while many and (left or (right and right[-1][0] <= 2 * near)):
        side = left if left and (not right or near - left[-1][0] <= right[-1][0] - near) else right
        r, present = side.pop()
        taken = min(many, present)
        many -= taken
        if present > taken:
            side.append((r, present - taken))
    return (*left, *reversed(right))
