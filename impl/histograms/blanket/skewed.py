"""Noise that falls faster upwards than downwards, for neighbours that replace a row: a smaller threshold at the same epsilon.

A skewed table has weights w_0 >= w_1 >= ... upwards and w_0 = d_0 >= d_1 >= ... downwards, w_0 + ... + w_n + d_1 + ... + d_n =
2^B, and ratios R_up and R_down with R_up R_down <= e^epsilon. With U_j = w_j + ... + w_n and V_j = d_j + ... + d_n

    w_j <= R_up w_(j+1) and d_j <= R_down d_(j+1) for j < n - 1,      U_j <= R_up U_(j+1) and V_j <= R_down V_(j+1) for j < n.

A row more then raises the probability of a clamped count by a factor of at most R_up, and lowers it by at most R_down. A row
that is replaced does both, once. What is shown of labels of one row is noise upwards, so that a large R_up is a low threshold;
counts are too low more often than they are too high.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import RationalLike, compare_exp, integer, probability
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, positive_epsilon, ratio_below
from finitedp.impl.counting.geometric import check_draw
from finitedp.impl.histograms.blanket.stretched import Stretched

__all__ = ["SkewedSample", "SkewedTable", "skewed_table"]

SHARE = mpq(2, 3)  # of epsilon, for R_up


@frozen(slots=False)
class SkewedTable:
    """The weights of a skewed table, certified. Source: FD.Blanket.skewed.

    Parameters: epsilon; up and down, the rationals R_up and R_down; bits, the word's B; n >= 1; ups, w_0, ..., w_n; downs,
    w_0, d_1, ..., d_n. Raises: ClaimError where a condition fails.
    """

    epsilon: mpq = field(converter=positive_epsilon)
    up: mpq
    down: mpq
    bits: int
    n: int
    ups: Stretched = field(repr=False)
    downs: Stretched = field(repr=False)

    def __attrs_post_init__(self) -> None:
        for broken in self.violations():
            raise ClaimError(f"the skewed table for n = {self.n}, epsilon = {self.epsilon} is not private: {broken}")

    def violations(self) -> Iterator[str]:
        """What is wrong with the table, in words."""
        if not (self.up > 1 and self.down > 1 and compare_exp(self.up * self.down, self.epsilon) <= 0):
            yield "a ratio is not above 1, or their product is above e^epsilon"
        sizes = (self.ups.size, self.downs.size, self.ups.stretch > 0, self.downs.stretch > 0)
        if self.ups.weight(0) != self.downs.weight(0) or sizes != (self.n + 1, self.n + 1, True, True):
            yield "the two sides do not meet, or do not have n weights each"
            return
        if self.ups.total + self.downs.from_place(1) != 1 << self.bits:
            yield f"the weights do not sum to 2^{self.bits}"
        for name, side, ratio in (("up", self.ups, self.up), ("down", self.downs, self.down)):
            yield from (f"{name}: {broken}" for broken in _broken(side, ratio))

    @property
    def head(self) -> tuple[int, ...]:
        """The weights upwards before they become constant."""
        return self.ups.head

    @property
    def tail(self) -> int:
        """The constant weight upwards."""
        return self.ups.tail

    def weight(self, j: int) -> int:
        """2^B Pr[Z = j], for j in 0..n."""
        return self.ups.weight(j)

    def upper(self, j: int) -> int:
        """2^B Pr[Z >= j], for j in 0..n; 0 beyond."""
        return self.ups.from_place(j)

    def lower(self, j: int) -> int:
        """2^B Pr[Z <= -j], for j in 0..n; 0 beyond."""
        return self.downs.from_place(j)

    @property
    def entries(self) -> int:
        """How many numbers hold all weights."""
        return len(self.ups.head) + len(self.downs.head) + 4

    def certificate(self) -> dict[str, object]:
        """The table as a JSON document, part of that of a plan. Source: FD.Blanket.skewed."""
        kind = {
            "format": "finitedp skewed table",
            "version": 1,
            "bits": self.bits,
            "epsilon": str(self.epsilon),
            "n": str(self.n),
        }
        for name, side, ratio in (("up", self.ups, self.up), ("down", self.downs, self.down)):
            weights = {"head": [str(w) for w in side.head], "tail": str(side.tail), "last": str(side.last)}
            kind |= {name: {"ratio": str(ratio), **weights}}
        return kind


def _broken(side: Stretched, ratio: mpq) -> Iterator[str]:
    """The conditions on one side. Those of a constant stretch follow from its ends."""
    p, q, n = int(ratio.numerator), int(ratio.denominator), side.size - 1
    if side.least < 1:
        yield "a weight is below 1"
        return
    for j, (weight, following) in enumerate(pairwise((*side.head, side.tail))):
        if weight < following or weight * q > p * following:
            yield f"w_{j} is below w_{j + 1}, or above R w_{j + 1}"
    for j, (upper, following) in enumerate(pairwise(side.sums)):
        if upper * q > p * following:
            yield f"S_{j} > R S_{j + 1}"
    if side.from_place(n - 1) * q > p * side.last:
        yield f"S_{n - 1} > R S_{n}"


@frozen(slots=False)
class SkewedSample:
    """Count + Z clamped to 0..n, where Z is drawn from a skewed table with one word. Source: FD.Blanket.skewed.

    Parameters: n >= 1; epsilon > 0, that of a row replaced; word in 2..256. Raises: ParameterError where there is no table.
    """

    n: int
    epsilon: mpq = field(converter=positive_epsilon)
    word: int = 128
    given: SkewedTable | None = field(default=None, repr=False, kw_only=True)

    def __attrs_post_init__(self) -> None:
        integer(self.word, "word", 2, LARGEST_WORD)
        table = self.table
        if (table.n, table.epsilon, table.bits) != (self.n, self.epsilon, self.word):
            raise ParameterError(f"the table is for n = {table.n}, epsilon = {table.epsilon}, {table.bits} bits")

    @cached_property
    def table(self) -> SkewedTable:
        """The weights, certified."""
        return skewed_table(self.n, self.epsilon, self.word) if self.given is None else self.given

    @cached_property
    def d(self) -> int:
        """2^word."""
        return 1 << self.word

    def apply(self, count: int, u: int) -> int:
        """The noisy count for a word u - 1: |Z| >= j upwards where it is below U_j, downwards where 2^B - u is below V_j.

        Parameters: count in 0..n; u in 1..2^word. Raises: DataError, ParameterError.
        """
        check_draw(count, u, self.n, self.d)
        noisy = count + self.table.ups.place(u - 1) - self.table.downs.place(self.d - u)
        return min(max(noisy, 0), self.n)

    def miss(self, a: int) -> mpq:
        """The largest Pr[|M(c) - c| > a] over all counts c: both tails where some count has room for both, else the worse."""
        upper, lower = self.table.upper(a + 1) * (a < self.n), self.table.lower(a + 1) * (a < self.n)
        return mpq(upper + lower if 2 * a + 1 < self.n else max(upper, lower), self.d)

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """The least a with Pr[|M(c) - c| > a] <= beta for every count c. Parameters: beta in (0, 1]."""
        b = probability(beta, "beta", zero=False)
        least = least_reaching(lambda a: int(self.miss(a) <= b), self.n, 1)
        return Accuracy(least, b, "counting", "FD.Blanket.skewed")


def skewed_table(n: int, epsilon: RationalLike, bits: int = 128, share: RationalLike = SHARE) -> SkewedTable:
    """The table whose w_0 is largest: the least weights on both sides, and what is left over on d_n.

    Source: FD.Blanket.skewed. Parameters: n >= 1; epsilon > 0; bits in 2..256; share, in (0, 1), the part of epsilon that R_up
    gets. Raises: ParameterError where there is no table of so many bits.
    """
    size, exact, part = (
        integer(n, "n", at_least=1),
        positive_epsilon(epsilon),
        probability(share, "share", zero=False, one=False),
    )
    up, down = ratio_below(2 * exact * part, bits), ratio_below(2 * exact * (1 - part), bits)

    def sides(centre: int) -> tuple[Stretched, Stretched]:
        return _side(centre, up, size), _side(centre, down, size)

    def mass(centre: int) -> int:
        ups, downs = sides(centre)
        return ups.total + downs.from_place(1)

    whole = 1 << bits
    if mass(1) > whole:
        raise ParameterError(f"no skewed table of {bits} bits exists for n = {n}, epsilon = {exact}; accepted: a longer word")
    low, high = 1, whole
    while high - low > 1:
        # the mass is nearly proportional to w_0, so that the quotient halves the digits that are wrong
        guess = low * whole // mass(low)
        centre = min(max(guess, low + 1), high - 1) if guess > low else (low + high) // 2
        low, high = (centre, high) if mass(centre) <= whole else (low, centre)
        middle = (low + high) // 2
        if low < middle:
            low, high = (middle, high) if mass(middle) <= whole else (low, middle)
    ups, downs = sides(low)
    left_over = whole - ups.total - downs.from_place(1)
    downs = Stretched(downs.size, downs.head, downs.tail, downs.last + left_over)
    return SkewedTable(exact, up, down, bits, size, ups, downs)


def _side(centre: int, ratio: mpq, n: int) -> Stretched:
    """The least weights behind w_0 = centre: each ceil(w/R), and the last ceil(w/(R - 1))."""
    p, q = int(ratio.numerator), int(ratio.denominator)
    head, weight = list[int](), centre
    while len(head) < n - 1:
        following = -(-weight * q // p)
        if following == weight:
            break
        head.append(weight)
        weight = following
    return Stretched(n + 1, tuple(head), weight, -(-weight * q // (p - q)))
