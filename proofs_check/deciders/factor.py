"""The factor r of a privacy claim, P[S] <= r Q[S] + delta for every event S: e^epsilon, or the ratio that it states."""

from functools import cached_property, lru_cache

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import compare_exp, exp_bounds

_AGREEING = 10**15  # of which the width of what gap() encloses is at most one part


_exp_bounds = lru_cache(maxsize=256)(exp_bounds)


@frozen
class Factor:
    """e^epsilon, or a rational ratio in its place; all that is asked of it is decided exactly."""

    epsilon: mpq
    ratio: mpq | None = None

    @classmethod
    def of(cls, claim: PrivacyClaim) -> "Factor":
        """The factor of a claim."""
        return cls(claim.epsilon, claim.ratio)

    @property
    def rational(self) -> mpq | None:
        """The factor where it is a rational: a ratio, or 1 for epsilon = 0."""
        return mpq(1) if self.ratio is None and self.epsilon == 0 else self.ratio

    def bounds(self, bits: int = 64) -> tuple[mpq, mpq]:
        """Rationals around it, equal where it is a rational."""
        return _exp_bounds(self.epsilon, bits) if self.ratio is None else (self.ratio, self.ratio)

    @cached_property
    def _near(self) -> tuple[mpq, mpq]:
        return self.bounds()

    def exceeded(self, p: mpq | int, q: mpq | int) -> bool:
        """Whether p > r q, for rationals of any sign."""
        ends = [end * q for end in self._near]
        if p > max(ends):
            return True
        if p <= min(ends):
            return False
        return compare_exp(mpq(p) / q, self.epsilon) * (1 if q > 0 else -1) > 0

    def gap(self, p: mpq, q: mpq) -> tuple[mpq, mpq]:
        """Rationals around p - r q for q >= 0, which agree in 15 digits however small it is; 0 where it is not above 0."""
        if not self.exceeded(p, q):
            return mpq(0), mpq(0)
        bits = 64
        while True:  # ends, since p - r q is above 0 and the width falls to 0
            low, high = self.bounds(bits)
            if p > high * q and (high - low) * q * _AGREEING <= p - low * q:
                return p - high * q, p - low * q
            bits *= 2
