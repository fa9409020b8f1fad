"""What bounds the error of a sum of noisy counts, from its definition, by laws that are convolved term by term."""

from gmpy2 import mpq

from finitedp.exact import RationalLike, rational
from finitedp.spec.pmf import Pmf, convolution

__all__ = ["error_above", "error_below", "narrowest"]


def _most(n: int, labels: int) -> list[int]:
    """For each label, by falling count, so many rows at most: n over the power of two that its place begins with."""
    return [n // 2 ** (i.bit_length() - 1) for i in range(1, labels + 1)]


def _noisy(n: int, labels: int, threshold: int | None) -> int:
    """How many labels have noise that matters: with a threshold, those that occur."""
    return labels if threshold is None else min(labels, n)


def error_above(noise: Pmf[int], n: int, labels: int, threshold: int | None = None) -> Pmf[int]:
    """The law above that of N - C: of each label its noise, where it lifts the count above the threshold, and above 0."""
    b = threshold or 0
    most = _most(n, _noisy(n, labels, threshold))
    return convolution([noise.pushforward(lambda z, m=m: z if z > max(b - m, 0) else 0) for m in most])  # type: ignore[misc]


def error_below(noise: Pmf[int], n: int, labels: int, threshold: int | None = None) -> Pmf[int]:
    """The law below that of N - C + b h: of each label its noise, at most b, clamped as at the count m_i."""
    b = n if threshold is None else threshold
    most = _most(n, _noisy(n, labels, threshold))
    return convolution([noise.pushforward(lambda z, m=m: max(min(z, b, n - m), -m)) for m in most])  # type: ignore[misc]


def narrowest(above: Pmf[int], below: Pmf[int], beta: RationalLike) -> tuple[int, int]:
    """The u and l of least sum with Pr[above > u] + Pr[below < -l] <= beta, by trying all: of several, the least u."""
    allowed = rational(beta, "beta")

    def missed(law: Pmf[int], sign: int) -> dict[int, mpq]:
        """For each end, how often the law is beyond it."""
        return {end: 1 - p for end, p in law.pushforward(lambda x: sign * x).cdf().items()}

    ups, downs = missed(above, 1), missed(below, -1)
    pairs = [(u, d) for u, p in ups.items() for d, q in downs.items() if p + q <= allowed]
    return min(pairs, key=lambda pair: (sum(pair), pair))
