"""Counting mechanisms for checks alone, so that a theorem about any mechanism M meets more than two of them."""

from functools import lru_cache
from typing import Protocol

from attrs import field, frozen
from gmpy2 import mpq, mpz

from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.exact import RationalLike, probability
from finitedp.impl.arithmetic.kernels import least_reaching, uniform_steps
from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.randomness.coins import Coins, strict_bits
from finitedp.spec.accuracy import least_accuracy
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.pmf import Pmf


@lru_cache(maxsize=4096)
def _cumulative(n: int, decay: mpq, count: int, z: int) -> mpq:
    return toy_law(n, decay, count).probability(lambda x: x <= z)


def toy_law(n: int, decay: mpq, count: int) -> Pmf[int]:
    """The law of ToyGeometric, from the definition of the geometric mechanism; at decay 0 without noise."""
    return geometric_mechanism(n, decay, count) if decay else Pmf.point(count)


class Toy(CountingMechanism, Protocol):
    """A counting mechanism by inverse transform sampling: what follows from n, d, cdf and the worst ratio that is claimed."""

    @property
    def ratio(self) -> mpq:
        """The worst ratio of neighbouring counts, as claimed."""
        ...

    def scaled_cdf(self, z: int) -> int:
        """`cdf` at count 0."""
        return self.cdf(0, z)

    def apply(self, count: int, u: int) -> int:
        """The least z with cdf(z) >= u."""
        return least_reaching(lambda z: self.cdf(count, z), self.n, u)

    def release(self, count: int, coins: Coins) -> int:
        """The noisy count for a fresh draw."""
        return self.apply(count, coins.uniform(self.d))

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """The ratio with the slack of the coins, which is at most e^(ratio - 1)."""
        ratio = self.ratio * (mpq(1) if coins is None else coins.slack)
        return PrivacyClaim(ratio - 1, "counts", ratio=ratio)

    def cost(self) -> Cost:
        """One draw."""
        return Cost(1, strict_bits(self.d), uniform_steps(self.n))


@frozen
class ToyGeometric(Toy):
    """The clamped geometric mechanism at a rational decay, looked up in its own law: noise as narrow as a check needs.

    Parameters: n >= 1; decay in [0, 1), rational: the worst ratio is 1 / decay. At decay 0 there is no noise, and no claim: a
    histogram of many labels and different counts is then a few paths.
    """

    n: int
    decay: mpq

    @property
    def d(self) -> int:
        """The range of the draw: a common denominator of all laws."""
        p, q = self.decay.numerator, self.decay.denominator
        return (p + q) * q**self.n  # type: ignore[no-any-return]  # int ** int is typed as Any

    @property
    def ratio(self) -> mpq:
        """1 / decay."""
        return 1 / self.decay

    def cdf(self, count: int, z: int) -> int:
        """d * Pr[M(count, U) <= z]."""
        return mpz(_cumulative(self.n, self.decay, count, z) * self.d)  # type: ignore[arg-type]  # an integer, by choice of d

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """The least a that is true for all counts."""
        b = probability(beta, "beta", zero=False)
        bounds = (least_accuracy(geometric_mechanism(self.n, self.decay, c), c, b) for c in range(self.n + 1))
        return Accuracy(max(bounds), b)


class NarrowToy(ToyGeometric):
    """A toy that claims epsilon = 1/2 and does not have it: for checks of accuracy alone, which no epsilon enters.

    Noise that is private for epsilon <= 1 has errors as large as the largest n whose laws can be enumerated.
    """

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """Untrue, on purpose."""
        return PrivacyClaim(mpq(1, 2), "counts")


@frozen
class OneUp(Toy):
    """A toy: the count, or with probability 1/d the next one up to n. Its claim is untrue: no check of privacy takes it."""

    n: int
    d: int
    ratio: mpq = field(default=mpq(1))

    def cdf(self, count: int, z: int) -> int:
        """All of 1..d lead to the count, but for the last, where there is a next count."""
        return 0 if z < count else self.d - 1 if z == count < self.n else self.d

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """An error of 1, always."""
        return Accuracy(1, probability(beta, "beta", zero=False))

    def law(self, count: int) -> Pmf[int]:
        """The law of the noisy count."""
        return Pmf.point(count) if count == self.n else Pmf({count: self.d - 1, count + 1: 1})
