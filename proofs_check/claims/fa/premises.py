"""Pairs of neighbouring histograms, and of which of them Corollary 1, Lemmas 9 and 10 and Remark 3 speak."""

from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.ledger.entry import in_scope
from finitedp.spec.flexible.literal import Histogram, Scale, at_least_exp_of_2, claimed_delta


class Pair(NamedTuple):
    """e^epsilon, tau, nu, and the smaller of two neighbouring histograms; the other one has a row more in bar 0."""

    scale: Scale
    tau: mpq
    nu: mpq
    x: Histogram

    @property
    def larger(self) -> Histogram:
        """The neighbour with a row more."""
        return (self.x[0] + 1, *self.x[1:])

    @property
    def n(self) -> int:
        """|x|."""
        return sum(self.x)

    @property
    def is_long(self) -> bool:
        """tau n epsilon >= 2."""
        return at_least_exp_of_2(self.tau * self.n, self.scale)

    @property
    def premise(self) -> bool:
        """What the statement asks for."""
        return True


class _Rational(Pair):
    """One of which the statement speaks, and where all that it is decided by is rational."""

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        scale, steps = self.scale, (mpq(1, 2), self.tau * self.n / 2, self.tau / 2, self.nu)
        in_scope(self.x and min(self.x) >= 0 and self.n >= 1, "counts of a row at least")
        in_scope(scale.root > 1 and 0 < self.tau <= 1 and self.nu >= 0, "epsilon > 0, tau in (0, 1], nu >= 0")
        in_scope(scale.parts >= 1 and all((scale.parts * x).denominator == 1 for x in steps), "rational powers")
        in_scope(self.premise, "what the statement asks for")
        in_scope(claimed_delta(self.tau * self.n, scale) < 1, "a delta below 1")


class Corollary1(_Rational):
    """q epsilon >= 2, and nu = 0."""

    @property
    def premise(self) -> bool:
        """As printed."""
        return self.nu == 0 and self.is_long


class Lemma9(_Rational):
    """n >= 2/(epsilon tau) ln(1 + (1 - e^(-epsilon tau/2))/(e^(epsilon (nu + tau/2)) - 1))."""

    @property
    def premise(self) -> bool:
        """As printed, exponentiated."""
        power, (_, tau, nu, _) = self.scale.power, self
        return bool(power(tau * self.n / 2) >= 1 + (1 - power(-tau / 2)) / (power(nu + tau / 2) - 1))


class Lemma10(_Rational):
    """epsilon nu > ln(1 + 1/n)."""

    @property
    def premise(self) -> bool:
        """As printed, exponentiated."""
        return bool(self.scale.power(self.nu) > 1 + mpq(1, self.n))


class Remark3(Lemma10):
    """The same at nu = 1."""

    @property
    def premise(self) -> bool:
        """As printed, exponentiated."""
        return self.nu == 1 and super().premise
