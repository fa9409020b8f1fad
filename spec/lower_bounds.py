"""The lower bounds on the error of private histograms (Section 7 of Balcer and Vadhan), decided exactly.

Each is a = min{ln(t) / (c epsilon) - 1, ln(epsilon / (4 delta)) / epsilon - 1, n} / 2 for a number t and c = 1 or 2. Whether
an error reaches it is asked of e^((2a+1) epsilon), so that no logarithm is rounded. Epsilon is a rational, or the logarithm of
a rational ratio, which is what the exact epsilon of a finite mechanism is; then delta = 0 leaves powers of rationals alone.
"""

from typing import Protocol

from attrs import field, frozen
from gmpy2 import c_div, mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, compare_exp, integer, log_bounds, probability, rational

__all__ = [
    "Epsilon",
    "LogRatio",
    "LowerBound",
    "PrivacyLevel",
    "packing_holds",
    "per_query_bound",
    "rows_changed",
    "simultaneous_bound",
    "sparse_bound",
]

_HALF = mpq(1, 2)


class PrivacyLevel(Protocol):
    """An epsilon > 0 that is compared without rounding."""

    def reaches(self, power: mpq, target: mpq) -> bool:
        """Whether e^(power epsilon) >= target, for power >= 0."""
        ...

    def outgrows(self, power: mpq, delta: mpq) -> bool:
        """Whether e^(power epsilon) >= epsilon / (4 delta), for power >= 0 and delta > 0."""
        ...

    def decays_to(self, start: mpq, rows: int, share: mpq, delta: mpq) -> bool:
        """Whether start e^(-rows epsilon) <= share + delta / epsilon, for start > 0."""
        ...


def _positive(value: RationalLike) -> mpq:
    epsilon = rational(value, "epsilon")
    if epsilon <= 0:
        raise ParameterError(f"epsilon = {epsilon} is out of range; accepted: a rational above 0")
    return epsilon


def _above_one(value: RationalLike) -> mpq:
    ratio = rational(value, "ratio")
    if ratio <= 1:
        raise ParameterError(f"ratio = {ratio} is out of range; accepted: a rational above 1")
    return ratio


@frozen
class Epsilon:
    """A rational epsilon > 0. Raises: ParameterError."""

    epsilon: mpq = field(converter=_positive)

    def reaches(self, power: mpq, target: mpq) -> bool:
        """Whether e^(power epsilon) >= target."""
        return compare_exp(target, power * self.epsilon) <= 0

    def outgrows(self, power: mpq, delta: mpq) -> bool:
        """Whether e^(power epsilon) >= epsilon / (4 delta)."""
        return self.reaches(power, self.epsilon / (4 * delta))

    def decays_to(self, start: mpq, rows: int, share: mpq, delta: mpq) -> bool:
        """Whether start e^(-rows epsilon) <= share + delta / epsilon."""
        return compare_exp((share + delta / self.epsilon) / start, -rows * self.epsilon) >= 0


@frozen
class LogRatio:
    """Epsilon = ln(ratio) for a rational ratio > 1: the exact epsilon of a worst probability ratio. Raises: ParameterError."""

    ratio: mpq = field(converter=_above_one)

    def reaches(self, power: mpq, target: mpq) -> bool:
        """Whether ratio^power >= target: by bounds of the logarithms, and by powers of rationals where both may be equal.

        For power = p/q in lowest terms they are equal only if the target is a p-th power, which has at least p bits.
        """
        if target <= 1:
            return True
        p, q, bits = int(power.numerator), int(power.denominator), 64
        if p <= max(target.numerator, target.denominator).bit_length():
            return self.ratio**p >= target**q
        while True:
            base, goal = log_bounds(self.ratio, bits), log_bounds(target, bits)
            if power * base[0] >= goal[1] or power * base[1] < goal[0]:
                return power * base[0] >= goal[1]
            bits *= 2

    def outgrows(self, power: mpq, delta: mpq) -> bool:
        """Whether 4 delta ratio^power >= ln(ratio), by bounds of the logarithms of both sides.

        The left side is algebraic and the right one transcendental, so that finer bounds decide.
        """
        bits = 64
        while True:
            base, share = log_bounds(self.ratio, bits), log_bounds(4 * delta, bits)
            least, most = (power * base[i] + share[i] for i in (0, 1))
            low, high = log_bounds(base[0], bits)[0], log_bounds(base[1], bits)[1]
            if least >= high or most < low:
                return least >= high
            bits *= 2

    def decays_to(self, start: mpq, rows: int, share: mpq, delta: mpq) -> bool:
        """Whether start / ratio^rows <= share + delta / ln(ratio)."""
        excess = start / self.ratio**rows - share
        return excess <= 0 or (delta > 0 and compare_exp(self.ratio, delta / excess) <= 0)


@frozen
class LowerBound:
    """a >= min{ln(target) / (divisor epsilon) - 1, ln(epsilon / (4 delta)) / epsilon - 1, n} / 2.

    A target <= 0 has the logarithm -infinity, and delta = 0 makes the second term +infinity.
    """

    target: mpq
    divisor: int
    n: int
    level: PrivacyLevel
    delta: mpq

    def allows(self, a: RationalLike) -> bool:
        """Whether the error a >= 0 is at least the bound. Raises: ParameterError."""
        error = rational(a, "a")
        if error < 0:
            raise ParameterError(f"a = {error} is negative; accepted: a rational of at least 0")
        power = 2 * error + 1
        if 2 * error >= self.n or self.level.reaches(self.divisor * power, self.target):
            return True
        return self.delta > 0 and self.level.outgrows(power, self.delta)

    @property
    def vacuous(self) -> bool:
        """Whether the bound is at most 0, so that it says nothing about any mechanism."""
        return self.allows(0)

    @property
    def least(self) -> int:
        """The least integer error that the bound allows: 0 exactly where it is vacuous, and never above ceil(n/2)."""
        low, high = 0, int(c_div(self.n, 2))
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.allows(middle) else (middle + 1, high)
        return low


def _bound(target: mpq, divisor: int, n: int, level: PrivacyLevel, delta: RationalLike) -> LowerBound:
    return LowerBound(target, divisor, integer(n, "n", at_least=1), level, probability(delta, "delta"))


def _beta(value: RationalLike, half: bool) -> mpq:
    beta = probability(value, "beta", zero=False)
    if beta > _HALF or (beta == _HALF and not half):
        raise ParameterError(f"beta = {beta} is out of range; accepted: a rational in (0, 1/2{']' if half else ')'}")
    return beta


def per_query_bound(n: int, beta: RationalLike, level: PrivacyLevel, delta: RationalLike = 0) -> LowerBound:
    """The error of every (a, beta)-per-query accurate (epsilon, delta)-private histogram of n rows.

    Source: BV.Thm7.1.i, true for |X| >= 2. Parameters: n >= 1; beta in (0, 1/2); level, epsilon. Raises: ParameterError.
    """
    return _bound(1 / (4 * _beta(beta, half=False)), 1, n, level, delta)


def simultaneous_bound(size: int, n: int, beta: RationalLike, level: PrivacyLevel, delta: RationalLike = 0) -> LowerBound:
    """The error of every (a, beta)-simultaneously accurate (epsilon, delta)-private histogram of n rows.

    Source: BV.Thm7.1.ii. Parameters: size = |X| >= 1; the others as in per_query_bound. Raises: ParameterError.
    """
    others = integer(size, "size", at_least=1) - 1
    return _bound(others / (4 * _beta(beta, half=False)), 1, n, level, delta)


def sparse_bound(size: int, bins: int, n: int, beta: RationalLike, level: PrivacyLevel, delta: RationalLike = 0) -> LowerBound:
    """The error of every (a, beta)-per-query accurate (epsilon, delta)-private histogram with at most `bins` nonzero counts.

    Source: BV.Thm7.2, true for |X| >= 2. Parameters: size = |X| >= 1; bins >= 1, the paper's n'; beta in (0, 1/2]; the others
    as in per_query_bound. Raises: ParameterError.
    """
    room = 16 * _beta(beta, half=True) * integer(bins, "bins", at_least=1)
    return _bound(integer(size, "size", at_least=1) / room, 2, n, level, delta)


def rows_changed(a: RationalLike) -> int:
    """The least m > 2a, floor(2a) + 1: so many rows move a count out of reach of an error a. Source: BV.Thm7.1, proof."""
    twice = 2 * rational(a, "a")
    return int(twice.numerator // twice.denominator) + 1


def packing_holds(rows: int, beta: RationalLike, share: RationalLike, level: PrivacyLevel, delta: RationalLike = 0) -> bool:
    """Whether e^(-rows epsilon) (1 - beta) <= share + delta / epsilon: what the proofs find before they simplify.

    Source: proofs of BV.Thm7.1 and BV.Thm7.2. Parameters: rows, how many rows are changed; share = beta for part i,
    beta / (|X| - 1) for part ii and n' / |X| for sparse histograms. Raises: ParameterError.
    """
    start = 1 - probability(beta, "beta", one=False)
    return level.decays_to(start, integer(rows, "rows", 0), rational(share, "share"), probability(delta, "delta"))
