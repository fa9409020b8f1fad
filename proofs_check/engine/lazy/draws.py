"""Draws whose value is not decided yet: each is known to lie between two ends, and its parts have exact probabilities.

What is computed of a draw is a chain of monotone integer operations on it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from gmpy2 import mpq

Chain = tuple[tuple[str, Any], ...]
"""Operations on a draw, the first one first: "+" k, "*" k > 0, "//" k > 0, "-" (negation), "table" of rising values from 1."""


class Draw:
    """A uniform draw from 1..d, known to lie in low..high; most is the public bound on d that its cost is for.

    relations: those with other draws of the run (see joint); None where there are none.
    """

    __slots__ = ("d", "high", "index", "low", "most", "relations")

    def __init__(self, index: int, d: int, most: int) -> None:
        self.index = index
        self.d = d
        self.most = most
        self.low = 1
        self.high: int | None = d
        self.relations: list[Any] | None = None

    def parts(self, low: int, high: int | None) -> mpq:
        """d times the probability of low..high, for ends within those of the draw."""
        return high - low + 1  # type: ignore[operator, return-value]  # an integer will do


class TableDraw(Draw):
    """A draw of 1..k, where 1..i has the probability up_to[i] / d; what up_to[k] leaves of d is never drawn, and lost."""

    __slots__ = ("up_to",)

    def __init__(self, index: int, d: int, up_to: Sequence[int]) -> None:
        super().__init__(index, d, d)
        self.high = len(up_to) - 1
        self.up_to = up_to

    def parts(self, low: int, high: int | None) -> mpq:
        """As Draw.parts."""
        return self.up_to[high] - self.up_to[low - 1]  # type: ignore[index, return-value]  # an integer will do


class GeometricDraw(Draw):
    """A draw of 0, 1, 2, ... with the probabilities whole (1 - p) p^k; what `whole` leaves of 1 is never drawn, and lost."""

    __slots__ = ("p", "whole")

    def __init__(self, index: int, p: mpq, whole: mpq) -> None:
        super().__init__(index, 1, 1)
        self.low = 0
        self.high = None
        self.p = p
        self.whole = whole

    def parts(self, low: int, high: int | None) -> mpq:
        """As Draw.parts."""
        return self.whole * (self.p**low - (0 if high is None else self.p ** (high + 1)))


def threshold(chain: Chain, bound: int) -> tuple[int, bool]:
    """(t, negated) for which the value of the chain is below the bound exactly where (draw < t) != negated."""
    negated = False
    for operation, k in reversed(chain):
        if operation == "+":
            bound = bound - k
        elif operation == "*":
            bound = -(-bound // k)
        elif operation == "//":
            bound = bound * k
        elif operation == "-":  # -x < bound exactly when not x < 1 - bound
            bound, negated = 1 - bound, not negated
        else:
            bound = bisect_left(k, bound) + 1
    return bound, negated


def image(chain: Chain, value: int) -> int:
    """The value of the chain where the draw is `value`."""
    for operation, k in chain:
        if operation == "+":
            value = value + k
        elif operation == "*":
            value = value * k
        elif operation == "//":
            value = value // k
        else:
            value = -value if operation == "-" else k[value - 1]
    return value
