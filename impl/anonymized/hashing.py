"""Hashed bins: what hashing labels into B buckets does to cumulative prevalences, and how Algorithm 7 takes it back.

Phi_B(h)_r is the expected number of buckets with a total of at least r, for a fully independent hash. With q = 1 - 1/B, one
more element of value r counts exactly where it is alone in its bucket, so that Phi_B is affine in phi_{>=r}, with the slope
q^(phi_{>=1} - 1): where the paper searches, a quotient decides.
"""

import hmac
from collections.abc import Sequence
from hashlib import sha256

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.exact import integer
from finitedp.impl.anonymized.prevalences import Pairs

__all__ = ["KeyedHash", "bucket_totals", "expected_reaching", "unhashed"]


def _key(value: bytes) -> bytes:
    if not isinstance(value, bytes) or len(value) < 16:
        raise ParameterError(
            "key is not bytes, or too short; accepted: at least 16 random bytes, drawn before the data are seen"
        )
    return value


def _bits(value: int) -> int:
    return int(integer(value, "bits", 1, 64))


@frozen
class KeyedHash:
    """Labels to 2^bits buckets, by HMAC-SHA256 under a key.

    Privacy holds for every fixed key, public or secret: each item touches one bucket. It does not where the key is chosen, or
    drawn again, after a look at the data. Raises: ParameterError.
    """

    key: bytes = field(converter=_key, repr=False)
    bits: int = field(converter=_bits)

    def __call__(self, label: object) -> int:
        """The bucket of a label, text or an integer. Raises: DataError."""
        if isinstance(label, bool) or not isinstance(label, str | int):
            raise DataError(f"a label is of type {type(label).__name__}; accepted: str or int")
        written = ("s" + label if isinstance(label, str) else f"i{label}").encode("utf-8", "surrogatepass")
        return int.from_bytes(hmac.digest(self.key, written, sha256)[:8], "big") >> (64 - self.bits)


def bucket_totals(pairs: Pairs, buckets: int, level: int) -> tuple[list[int], int]:
    """(weights, denominator): Pr[a bucket's total = k] for k < level, exactly; Algorithm 6, in integers over B^labels.

    Source: GK.Alg6. Cost: the number of labels times `level`.
    """
    weights = [1] + [0] * (level - 1)
    for r, many in pairs:
        for _ in range(many):
            for k in range(level - 1, -1, -1):  # downwards: a label is put into the bucket once
                weights[k] = (buckets - 1) * weights[k] + (weights[k - r] if k >= r else 0)
    return weights, buckets ** sum(many for _, many in pairs)


def expected_reaching(pairs: Pairs, buckets: int, level: int) -> mpq:
    """Phi_B(h)_level, exactly. Source: GK.PhiB, GK.Alg6. Parameters: buckets >= 1; level >= 1."""
    weights, whole = bucket_totals(pairs, integer(buckets, "buckets", at_least=1), integer(level, "level", at_least=1))
    return buckets * mpq(whole - sum(weights), whole)


def unhashed(targets: Sequence[int], n: int, buckets: int) -> list[int]:
    """x_1, x_2, ...: for r = 1, ..., m the integer x in 0..x_{r-1} whose Phi_B(x_1, ..., x_{r-1}, x)_r is nearest to targets.

    The smaller of two that are as near; x_0 = n. Equal to the paper's binary search, without searching but at r = 1.
    The bound x_{r-1} costs a factor of up to m in the error: GK.Lem27.
    Source: GK.Alg7. Parameters: targets, the estimates of phi_{>=r} after hashing; n >= 0; buckets >= 2.
    Cost: O(m^2 log m) operations on numbers of some 160 bits; with more bits where these do not decide.
    """
    integer(buckets, "buckets", at_least=2)
    bits = 160
    exact_from = 64 + 2 * (n + 2) * int(buckets).bit_length()
    while bits < exact_from:
        found = _unhashed(targets, n, buckets, bits)
        if found is not None:
            return found
        bits *= 2
    found = _unhashed(targets, n, buckets, None)
    assert found is not None  # noqa: S101  # rationals always decide
    return found


class _Undecided(Exception):  # noqa: N818  # no error: the caller takes more bits
    """The intervals hold a midpoint."""


@frozen
class _Interval:
    """Rationals low <= high around a number; with bits, ends rounded outward to multiples of 2^-bits."""

    low: mpq
    high: mpq
    bits: int | None

    def _of(self, low: mpq, high: mpq) -> "_Interval":
        if self.bits is None:
            return _Interval(low, high, None)
        scale = 1 << self.bits
        return _Interval(
            mpq(low.numerator * scale // low.denominator, scale),
            mpq(-(-high.numerator * scale // high.denominator), scale),
            self.bits,
        )

    def times(self, other: "_Interval") -> "_Interval":
        """The product, of numbers of at least 0."""
        return self._of(self.low * other.low, self.high * other.high)

    def plus(self, other: "_Interval") -> "_Interval":
        """The sum."""
        return self._of(self.low + other.low, self.high + other.high)

    def scaled(self, factor: mpq) -> "_Interval":
        """The product with a rational of at least 0."""
        return self._of(self.low * factor, self.high * factor)

    def power(self, exponent: int) -> "_Interval":
        """The power, of a number of at least 0, by squaring."""
        result, base = self._of(mpq(1), mpq(1)), self
        while exponent:
            if exponent & 1:
                result = result.times(base)
            base, exponent = base.times(base), exponent >> 1
        return result


def _unhashed(targets: Sequence[int], n: int, buckets: int, bits: int | None) -> list[int] | None:
    q, one = mpq(buckets - 1, buckets), _Interval(mpq(1), mpq(1), bits)
    base = _Base(one, buckets, len(targets))
    found, before = list[int](), n
    try:
        for r, target in enumerate(targets, start=1):
            if r == 1:
                x = _first(target, n, buckets, one.scaled(q))
            else:
                if r > 2:
                    base.add(r - 2, found[r - 3] - before)
                x = _next(target, before, found[0], r, base, one.scaled(q))
            found.append(x)
            before = x
    except _Undecided:
        return None
    return found


class _Base:
    """Pr[the total of the elements below r - 1 in one bucket = k], k = 0, 1, ..., as elements are added by value."""

    def __init__(self, one: _Interval, buckets: int, room: int) -> None:
        zero = one.scaled(mpq(0))
        self.totals = [one, *[zero] * room]
        self._one, self._buckets = one, buckets

    def add(self, value: int, many: int) -> None:
        """Put `many` elements of one value into buckets: times (q + z^value / B)^many, truncated."""
        if not many:
            return
        b, room = self._buckets, len(self.totals)
        factor = [self._one.scaled(mpq(b - 1, b)).power(many)]  # C(many, i) q^(many - i) B^-i
        for i in range(1, (room - 1) // value + 1):
            factor.append(factor[-1].scaled(mpq(many - i + 1, i * (b - 1))) if i <= many else factor[0].scaled(mpq(0)))
        old = self.totals
        self.totals = [_sum([old[k - i * value].times(factor[i]) for i in range(k // value + 1)]) for k in range(room)]

    def below(self, r: int) -> _Interval:
        """Pr[the total < r]."""
        return _sum(self.totals[:r])


def _sum(terms: Sequence[_Interval]) -> _Interval:
    total = terms[0]
    for term in terms[1:]:
        total = total.plus(term)
    return total


def _first(target: int, n: int, buckets: int, q: _Interval) -> int:
    """The x in 0..n with B(1 - q^x) nearest to the target: by bisection on whether x + 1 is nearer than x."""

    def rises(x: int) -> bool:  # B(1 - q^x) + B(1 - q^(x+1)) < 2 target: x + 1 is nearer
        a, b = q.power(x), q.power(x + 1)
        low, high = 2 * buckets - buckets * (a.high + b.high), 2 * buckets - buckets * (a.low + b.low)
        if high < 2 * target:
            return True
        if low >= 2 * target:
            return False
        raise _Undecided

    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if rises(middle) else (low, middle)
    return low


def _next(target: int, before: int, labels: int, r: int, base: _Base, q: _Interval) -> int:
    """The nearest integer to (target - Phi_r(0)) / slope in 0..before; halves down."""
    if not before:
        return 0
    b = base._buckets
    alone = base.totals[0].scaled(mpq(before, b - 1)).plus(base.below(r)).times(q.power(before))
    slope = q.power(labels - 1)
    if slope.low <= 0:
        raise _Undecided
    ends = []
    for share, steep in ((alone.low, slope.low), (alone.low, slope.high), (alone.high, slope.low), (alone.high, slope.high)):
        x = mpq(target - b * (1 - share), steep)
        ends.append(min(max(int(-(-(2 * x.numerator - x.denominator) // (2 * x.denominator))), 0), before))
    if min(ends) != max(ends):
        raise _Undecided
    return ends[0]
