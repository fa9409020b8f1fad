"""Dyadic tables of any n from their definition: S_j, the law's distribution function, and what a word draws.

The law of a release is that of finitedp.spec.dyadic. A word u of B bits draws the least output z whose distribution function,
in units of 2^-B, is above u: this is the map that docs/vectors.md states, here by a search over all outputs. Nothing folds the
word, reads its first bit or divides, as running code does.
"""

from functools import cached_property
from itertools import accumulate, pairwise

from attrs import frozen
from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.spec import dyadic


@frozen(slots=False)
class Table:
    """Weights w_0, ..., w_n: the head w_0, ..., w_(h-1), then all equal to `tail`, and `last` for w_n."""

    bits: int
    n: int
    head: tuple[int, ...]
    tail: int
    last: int

    @property
    def fields(self) -> dict[str, str | list[str]]:
        """As a group has them."""
        numbers = {"tail": str(self.tail), "last": str(self.last)}
        return {"bits": str(self.bits), "n": str(self.n), "head": [str(w) for w in self.head], **numbers}

    @property
    def weights(self) -> list[int]:
        """All n + 1 of them. Parameters: n small."""
        return [*self.head, *[self.tail] * (self.n - len(self.head)), self.last]

    @cached_property
    def _sums(self) -> list[int]:
        return [0, *accumulate(self.head)]

    def upper(self, j: int) -> int:
        """S_j = w_j + ... + w_n, for j in 0..n."""
        stretch = self.n - max(j, len(self.head))
        beyond = stretch * self.tail + self.last if j <= self.n else 0
        return beyond + (self._sums[-1] - self._sums[min(j, len(self.head))])

    @property
    def steps(self) -> list[tuple[int, int]]:
        """The pairs w_j, w_(j+1) that (i) compares, but for those of equal weights in the stretch."""
        return list(pairwise((*self.head, self.tail)))

    @property
    def quotients(self) -> list[tuple[int, int]]:
        """The pairs S_j, S_(j+1) that (ii) compares, but for those within the stretch before its last two."""
        places = sorted({*range(len(self.head)), *range(max(len(self.head), self.n - 2), self.n)})
        return [(self.upper(j), self.upper(j + 1)) for j in places]

    def cdf(self, count: int, z: int) -> int:
        """2^B Pr[clamp(count + Z, 0, n) <= z], for z in 0..n."""
        if z == self.n:
            return 1 << self.bits
        return self.upper(count - z) if z < count else (1 << self.bits) - self.upper(z - count + 1)

    def draw(self, count: int, word: int) -> int:
        """The least z in 0..n whose distribution function is above the word."""
        low, high = 0, self.n
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.cdf(count, middle) > word else (middle + 1, high)
        return low


def of_weights(weights: list[int], bits: int) -> Table:
    """The table of all its weights: the head is the shortest behind which w_h, ..., w_(n-1) are equal."""
    *body, last = weights
    head = body[:-1]
    while head and head[-1] == body[-1]:
        head.pop()
    return Table(bits, len(body), tuple(head), body[-1], last)


def built(n: int, epsilon: mpq, bits: int) -> tuple[mpq, Table | None]:
    """R, and the table with the largest even w_0: least weights behind it, and what is left over on w_n; or None.

    As finitedp.spec.dyadic.table, whose weights all differ or not; where they are equal, they are held once.
    """
    ratio = dyadic.ratio_below(epsilon, bits)

    def least(centre: int) -> Table:
        head, weight = list[int](), centre
        while len(head) < n - 1 and (following := _ceil(weight / ratio)) < weight:
            head.append(weight)
            weight = following
        return Table(bits, n, tuple(head), weight, _ceil(weight / (ratio - 1)))

    def mass(table: Table) -> int:
        return table.upper(0) + table.upper(1)

    low, high = 0, 1 << (bits - 1)  # 2 low fits, or low is 0; 2 high does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if mass(least(2 * middle)) <= 1 << bits else (low, middle)
    if low == 0:
        return ratio, None
    table = least(2 * low)
    return ratio, Table(bits, n, table.head, table.tail, table.last + ((1 << bits) - mass(table)) // 2)


def _ceil(number: mpq) -> int:
    return int(-(-number.numerator // number.denominator))


def broken(table: Table, epsilon: mpq, ratio: mpq) -> list[str]:
    """Which conditions of a table fail.

    Within the stretch (i) says t <= R t, and the quotient S_j / S_(j+1) = 1 + t / S_(j+1) grows with j, so that its end
    decides; the tests compare this with the conditions of all weights, one by one.
    """
    if table.n < 1 or len(table.head) >= table.n or min((*table.head, table.tail, table.last)) < 1:
        return ["shape"]
    holds = {
        "descent": all(a >= b for a, b in table.steps),
        "i": all(a <= ratio * b for a, b in table.steps),
        "ii": all(a <= ratio * b for a, b in table.quotients),
        "sum": table.upper(0) + table.upper(1) == 1 << table.bits,
        "R": ratio > 1 and epsilon > 0 and compare_exp(ratio, epsilon / 2) <= 0,
    }
    return [name for name, kept in holds.items() if not kept]
