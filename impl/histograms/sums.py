"""How far the sum of several noisy counts may be off, whatever the true counts are.

Let E be the sum of the errors of k labels, whose true counts c_1 >= c_2 >= ... of all labels sum to at most n, so that
c_i <= n/i. A count released whole is off by clamp(Z, -c, n - c), which does not grow with c: the upper end is worst where all
counts are 0, and sums are too large on average, since noise below 0 is cut away; the lower end is worst at c_i = n/i, where at
most one label is near n. Of a histogram with a threshold b a label that is not listed has count 0: it adds at most b to the
missing rows, beside its noise. With h of the labels not listed,

    E      <=  sum of Z_i where Z_i > max(b - n/i, 0), else 0, and of all counts that a blanket invents,
    E + hb >=  sum of clamp(min(Z_i, b), -n/i, n - n/i),

where b = 0 above, and no bound of Z_i below, stand for a histogram without a threshold. Blocks of 2^j labels share the bound
n/2^j. Both sums are convolved in integers that are rounded outwards (finitedp.impl.arithmetic.outward).
"""

from collections.abc import Callable, Iterator
from functools import lru_cache, reduce
from itertools import groupby

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.arithmetic.outward import Tail, Upward
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample, SkewedTable

__all__ = ["Noise", "SumAccuracy", "sum_accuracy"]

SPARE = 20  # bits: all that is cut is about 2^-SPARE of beta
FLAT = 4  # bits: 2^-FLAT of it where the flat end of a table's weights is not as rare
ROUNDED = 64  # bits: a rounding is 2^-ROUNDED of what may be cut
Noise = DyadicSample | SkewedSample


@frozen
class SumAccuracy:
    """With probability at least 1 - beta: N - above <= C <= N + below + hidden * each.

    N is the sum of the released counts of `labels` labels that were chosen without looking at the release, C that of their
    true counts, and hidden how many of them the release does not list. above and below may be negative.
    """

    labels: int
    beta: mpq
    above: int
    below: int
    each: int = 0

    def interval(self, released: int, hidden: int, n: int) -> tuple[int, int]:
        """The interval of C, which is in 0..n."""
        low, high = released - self.above, released + self.below + hidden * self.each
        return min(max(low, 0), n), min(max(high, 0), n)


def sum_accuracy(
    mechanism: Noise,
    labels: int,
    beta: RationalLike,
    threshold: int | None = None,
    plan: BlanketPlan | None = None,
) -> SumAccuracy:
    """The narrowest interval for a sum that the two bounds of this module allow, but for what is cut, at most beta/4.

    Mostly that is beta/2^16 or less. More are the steps of a sum that has more than 2^16 likely values.

    Source: FD.Sum.accuracy. Parameters: mechanism, of each count; labels >= 1, how many; beta in (0, 1); threshold, up to
    which counts are not listed, None where all are; plan, where labels are invented.
    Raises: ParameterError. Cost: some 2 log(labels) products of polynomials with as many terms as the sum has likely values.
    """
    k, allowed = integer(labels, "labels", at_least=1), probability(beta, "beta", zero=False, one=False)
    if threshold is not None:
        integer(threshold, "threshold", 0, mechanism.n)
    return _sum_accuracy(mechanism, k, allowed, threshold, plan)


@lru_cache(maxsize=256)
def _sum_accuracy(mechanism: Noise, k: int, beta: mpq, threshold: int | None, plan: BlanketPlan | None) -> SumAccuracy:
    kept = k if threshold is None else min(k, mechanism.n)  # of a threshold, labels without rows have no noise
    share = mpq(beta, kept << SPARE)
    noise = _Noise(mechanism, threshold, share)
    above = noise.sum(noise.upward, kept)
    if plan is not None:
        slots = _slots(plan, min(k, plan.size), mpq(share, plan.slots), noise.bits + plan.slots.bit_length())
        above = _with_bits(above, slots.bits).plus(slots, int(mpq(share, plan.slots) * (1 << slots.bits)))
    below = noise.sum(noise.downward, kept)
    up, down = _narrowest(above, below, beta)
    a = mechanism.accuracy(beta).a
    if k == 1 and threshold is None and 2 * a <= up + down:  # no count has room for both errors
        up = down = a
    return SumAccuracy(k, beta, up, down, threshold or 0)


@frozen
class _Noise:
    """The bounds of one label's error. share: the probability that may be cut for each."""

    mechanism: Noise
    threshold: int | None
    share: mpq

    @property
    def bits(self) -> int:
        """Of the probabilities that are kept."""
        return int(self.share.denominator // self.share.numerator).bit_length() + ROUNDED

    def sum(self, of: Callable[[int], tuple[Tail, tuple[int, int]]], labels: int) -> Upward:
        """The law of the sum of the bounds of so many labels, of which no 2^j have more than n/2^j rows each."""
        spare = int(self.share * (1 << self.bits))
        blocks = ((min(2**j, labels - 2**j + 1), self._near(self.mechanism.n >> j)) for j in range(labels.bit_length()))
        alike = ((sum(many for many, _ in block), most) for most, block in groupby(blocks, key=lambda block: block[1]))
        laws = (self._law(of(most)).times(many, spare) for many, most in alike)
        return reduce(lambda a, b: a.plus(b, spare), laws)

    def _law(self, of: tuple[Tail, tuple[int, int]]) -> Upward:
        return Upward.of(of[0], self.mechanism.d, of[1], self.bits)

    def _near(self, most: int) -> int:
        """A count that stands for this one: all between what matters at 0 and at n do alike."""
        n, reach = self.mechanism.n, max(self._reach(self._upper), self._reach(self._lower))
        far = 2 * reach + 2 + (self.threshold or 0)  # beyond all places that are looked at, with their steps
        return far if far < most < n - far else most

    def _reach(self, tail: Tail) -> int:
        """The least a that noise exceeds with probability at most the share; more is left off where a table is flat."""
        rare, table = self.share.numerator * self.mechanism.d // self.share.denominator, self.mechanism.table
        flat = tail(len((table.ups if isinstance(table, SkewedTable) else table).head))
        if rare < flat <= rare << SPARE - FLAT:
            rare = flat
        return least_reaching(lambda a: self.mechanism.d - tail(a + 1), self.mechanism.n, self.mechanism.d - rare)

    def _upper(self, j: int) -> int:
        return self.mechanism.table.upper(j)

    def _lower(self, j: int) -> int:
        table = self.mechanism.table
        return table.lower(j) if isinstance(table, SkewedTable) else table.upper(j)

    def upward(self, most: int) -> tuple[Tail, tuple[int, int]]:
        """Of a label of at most so many rows: its error's bound above, by its tail, and where that matters."""
        least = max((self.threshold or 0) - most, 0) + 1
        return lambda t: self._upper(max(t, least)), (0, self._reach(self._upper))

    def downward(self, most: int) -> tuple[Tail, tuple[int, int]]:
        """The same for minus the error's bound below."""
        n = self.mechanism.n
        lowest = -min(n - most, n if self.threshold is None else self.threshold)

        def tail(t: int) -> int:
            if t <= lowest:
                return self.mechanism.d
            return 0 if t > most else self._lower(t) if t > 0 else self.mechanism.d - self._upper(1 - t)

        return tail, (max(lowest, -self._reach(self._upper)), min(most, self._reach(self._lower)))


def _slots(plan: BlanketPlan, labels: int, share: mpq, bits: int) -> Upward:
    """The law of the sum of the counts of all slots that hit and hold one of so many labels."""
    counts, first = plan.counts, plan.b + 1
    whole = plan.labels << plan.hit_bits + plan.count_bits

    def tail(t: int) -> int:
        return plan.hit * labels * counts.from_place(max(t - first, 0))

    rare = share.numerator * whole // share.denominator
    high = least_reaching(lambda z: whole - tail(z + 1), plan.n, whole - rare)
    return Upward.of(tail, whole, (0, high), bits).times(plan.slots, int(share * (1 << bits)))


def _with_bits(law: Upward, bits: int) -> Upward:
    """The same law with more bits."""
    return Upward(bits, law.low, law.step, tuple(tail << bits - law.bits for tail in law.tails), law.terms)


def _narrowest(above: Upward, below: Upward, beta: mpq) -> tuple[int, int]:
    """The u and l of least sum, the nearest to each other of these, with Pr[above > u] + Pr[below > l] <= beta."""
    bits = max(above.bits, below.bits)
    allowed, down = beta.numerator * (1 << bits) // beta.denominator, list(_ends(below, bits))
    found, at = list[tuple[int, int, int]](), len(down) - 1
    for u, missed in _ends(above, bits):  # as u grows, less is missed, and l may fall
        while at > 0 and missed + down[at - 1][1] <= allowed:
            at -= 1
        if missed + down[at][1] <= allowed:
            found.append((u + down[at][0], abs(u - down[at][0]), u))
    if not found:
        raise ParameterError(f"beta = {beta} is too small for these labels; accepted: a larger beta")
    width, _, u = min(found)
    return u, width - u


def _ends(law: Upward, bits: int) -> Iterator[tuple[int, int]]:
    """The places, and how often, as so many bits, the sum is above each."""
    for i, tail in enumerate(law.tails[1:]):
        yield law.low + i * law.step, tail << bits - law.bits
