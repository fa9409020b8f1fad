"""Probabilities of what BlanketHistogram shows, withholds and gets wrong: exact ones, and bounds that are decided exactly."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from math import comb

from gmpy2 import lcm, mpq, mpz

from finitedp.exact import compare_exp
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.proofs_check.claims.own.blanket.slots import Numbers
from finitedp.proofs_check.claims.own.blanket.subjects import specified
from finitedp.spec import blanket as spec
from finitedp.spec import dyadic

ONE = mpq(1)
_law = lru_cache(maxsize=1024)(dyadic.law)


def numbers_of(plan: BlanketPlan) -> Numbers:
    """The plan's numbers, its weights written out."""
    table = plan.mechanism.table
    weights = tuple(table.weight(j) for j in range(plan.n + 1))
    rest = (plan.b, plan.cap, plan.slots, plan.hit, plan.hit_bits, tuple(plan.counts))
    return Numbers(plan.size, weights, plan.up, *rest)


class Bins:
    """What a label of so many rows adds: the laws of one bin, from the table's own sums."""

    def __init__(self, plan: BlanketPlan) -> None:
        self.n, self.b, self._table, self._d = plan.n, plan.b, plan.mechanism.table, plan.mechanism.d

    def shown(self, count: int) -> mpq:
        """Pr[M(c) > b], by the tails of the noise."""
        far = self.b + 1 - count
        return mpq(self._table.upper(far) if far > 0 else self._d - self._table.upper(1 - far), self._d)

    def most(self) -> mpq:
        """n max_c Pr[M(c) > b]/c, over all counts: those of at least 1/best cannot be better."""
        best, c = mpq(0), 1
        while c <= self.n and best * c < 1:
            best, c = max(best, self.shown(c) / c), c + 1
        return self.n * best


def chernoff(mean: mpq, least: int, rare: mpq) -> bool:
    """Whether e^(least - mean) (mean/least)^least <= rare, decided exactly. It bounds Pr[X >= least] for least >= mean.

    X is a sum of independent events with at most this mean: E[z^X] <= e^((z-1) mean) at z = least/mean.
    """
    return least >= mean and compare_exp((least / mean) ** least * rare, least - mean) >= 0


def within_chernoff(chance: mpq, mean: mpq, least: int) -> bool:
    """Whether a probability is at most that bound, which is 1 where `least` is not above the mean."""
    return least <= mean or compare_exp(chance * (least / mean) ** least, least - mean) <= 0


class Errors:
    """Probabilities of datasets of few rows, by the laws of one bin from spec: lower bounds, rounded by 2^-512 for each N."""

    def __init__(self, plan: BlanketPlan) -> None:
        self.numbers = numbers_of(plan)
        self.blanket, self.n, self.b = specified(self.numbers), plan.n, plan.b
        self._bins = [_law(self.numbers.weights, count) for count in range(plan.n + 1)]

    @cached_property
    def _hits(self) -> list[int]:
        """2^512 Pr[N = k], rounded down, for k = 0..L."""
        numbers, misses = self.numbers, (1 << self.numbers.h) - self.numbers.q
        whole, power = numbers.h * numbers.slots, mpz(misses) ** (numbers.slots - numbers.cap)
        found, ahead = list[int](), power
        for k in reversed(range(numbers.cap + 1)):
            found.append(int(comb(numbers.slots, k) * mpz(numbers.q) ** k * ahead << 512 >> whole))
            ahead *= misses
        return found[::-1]

    def released(self, counts: Sequence[int], fine: Callable[[int], tuple[mpq, mpq]], held: mpq = ONE, more: int = 0) -> mpq:
        """The least probability that a release is not withheld and all is fine, with so many labels shown besides.

        fine: for a count, the probability that it is hidden, and that it is shown, and is fine; held: of a slot.
        """
        shown, whole = [1], 1
        for hidden, seen in map(fine, counts):
            scale = lcm(hidden.denominator, seen.denominator)
            x, y = hidden.numerator * (scale // hidden.denominator), seen.numerator * (scale // seen.denominator)
            shown, whole = [a * x + c * y for a, c in zip([*shown, 0], [0, *shown], strict=True)], whole * scale
        slots = self._slots(held)
        fitting = zip(shown, slots[::-1][more:], strict=False)
        return mpq(sum(a * c for a, c in fitting), whole << 512)

    @lru_cache(maxsize=64)  # noqa: B019  # as long as the check
    def _slots(self, held: mpq) -> list[int]:
        """2^512 Pr[N <= k and all of these slots are fine], rounded down, for k = 0..L."""
        low = int(held.numerator << 512) // held.denominator
        scaled, power = list[int](), 1 << 512
        for chance in self._hits:
            scaled.append(chance * power >> 512)
            power = power * low >> 512
        return list(accumulate(scaled))

    def near(self, count: int, a: int) -> tuple[mpq, mpq]:
        """The probability that a label of so many rows is hidden, or shown, and off by at most a."""
        law = self._bins[count]
        shown = law.probability(lambda v: v > self.b and abs(v - count) <= a)
        return law.probability(lambda v: v <= self.b) if count <= a else mpq(0), shown

    def either(self, count: int) -> tuple[mpq, mpq]:
        """The same, whatever it is shown with."""
        return self.near(count, self.n)

    def one(self, count: int, a: int, others: tuple[int, ...]) -> mpq:
        """At most the probability that a label of so many rows is off by more than a, with these other labels."""
        hidden, shown = self.near(count, a)
        return 1 - shown * self.released(others, self.either, more=1) - hidden * self.released(others, self.either)

    def together(self, counts: tuple[int, ...], a: int) -> mpq:
        """At most the probability that any label is off by more than a: a slot whose count is above a always is."""
        outside = mpq(self.blanket.labels - len(counts), self.blanket.labels)
        near = {c: self.near(c, a) for c in set(counts)}
        return 1 - self.released(counts, near.__getitem__, 1 - outside * self._high(a))

    def _high(self, a: int) -> mpq:
        return sum((self.blanket.tau(v) for v in self.blanket.values if v > a), mpq(0))

    def on_average(self, a: int) -> mpq:
        """At most how many labels are off by more than a >= b on average: hidden, noisy, and invented ones."""
        hidden = (1 - self.blanket.shown(a + 1)) if a < self.n else mpq(0)
        noisy = self._bins[0].probability(lambda v: v > a)
        return self.n // (a + 1) * hidden + self.n * noisy + spec.invented(self.blanket) * self._high(a)
