"""Isotonic regression in integers for the l1 error: non-increasing x with the least sum of |target - x|, by the slope trick.

A target is a rational num / scale. Restricted to integers, |x - target| has its slopes change at floor(target) and one above,
by 2 - 2 alpha and 2 alpha for its fractional part alpha: with these two weights the optimum among integers is found, which
rounding the real one is not.
"""

from collections.abc import Sequence
from heapq import heappop, heappush

from attrs import frozen

__all__ = ["Run", "l1_isotonic"]


@frozen
class Run:
    """`length` places in a row with one target num / scale, whose x is in low..high where these are given."""

    num: int
    length: int = 1
    low: int | None = None
    high: int | None = None


def l1_isotonic(runs: Sequence[Run], scale: int, low: int, high: int) -> list[int]:
    """A non-increasing list of integers in low..high, one for each run, with the least sum of length * |num / scale - x|.

    The bounds of single runs must be non-increasing too, and feasible. Source: GK.Alg5, GK.Alg3.
    Cost: O(k log k) for k runs.
    """
    heap: list[list[int]] = []  # [-place, weight]: where the slope of the least cost changes, the largest place first
    beyond = 1 + scale * sum(run.length for run in runs)  # above what a step of one can save
    tops = list[int]()
    for run in reversed(runs):
        least = low if run.low is None else max(run.low, low)
        most = high if run.high is None else min(run.high, high)
        target = min(max(run.num, low * scale), high * scale)
        place, rest = divmod(target, scale)
        _push(heap, place, 2 * run.length * (scale - rest))
        _push(heap, place + 1, 2 * run.length * rest)
        removed = run.length * scale
        if least > low or most < high:
            _push(heap, least, beyond)
            _push(heap, most, beyond)
            removed += beyond
        while removed >= heap[0][1]:
            removed -= heappop(heap)[1]
        heap[0][1] -= removed
        tops.append(-heap[0][0])
    found, before = list[int](), max(tops, default=low)
    for top in reversed(tops):
        before = min(before, top)
        found.append(before)
    return found


def _push(heap: list[list[int]], place: int, weight: int) -> None:
    if weight:
        heappush(heap, [-place, weight])
