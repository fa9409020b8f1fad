"""Compact histograms on small fields, from their definitions (Section 8 of Balcer and Vadhan).

The field is GF(2)[t] / (t^(2*3^l) + t^(3^l) + 1) by shifting and adding; the family is every polynomial of degree at most n,
listed; a histogram consistent with noisy counts is drawn from that list.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.histogram import histogram
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

__all__ = [
    "bin_size",
    "compact_histogram",
    "empty_bin_sampler",
    "family",
    "field_product",
    "is_irreducible",
    "modulus",
    "polynomial_value",
    "stretch",
]

Coefficients = tuple[int, ...]


# The field


def modulus(level: int) -> int:
    """t^(2*3^l) + t^(3^l) + 1 as a bit string. Source: BV.Lem8.1.iii."""
    half = 3**level
    return int(1 << 2 * half | 1 << half | 1)


def _remainder(dividend: int, divisor: int) -> int:
    """The remainder of polynomials over GF(2)."""
    degree = divisor.bit_length()
    while dividend.bit_length() >= degree:
        dividend ^= divisor << (dividend.bit_length() - degree)
    return dividend


def _times(left: int, right: int, over: int) -> int:
    """The product of polynomials over GF(2), reduced by `over`."""
    total = 0
    while right:
        total ^= left if right & 1 else 0
        left, right = left << 1, right >> 1
    return _remainder(total, over)


def field_product(left: int, right: int, level: int) -> int:
    """The product in the field with 2^(2*3^l) elements."""
    return _times(left, right, modulus(level))


def is_irreducible(polynomial: int) -> bool:
    """Whether a polynomial over GF(2) of degree m >= 1 is irreducible, by Rabin's test.

    It is exactly when t^(2^m) = t modulo it, and t^(2^(m/p)) - t is prime to it for every prime p that divides m.
    """
    degree = polynomial.bit_length() - 1
    power, powers = _remainder(2, polynomial), []
    for _ in range(degree):
        powers.append(power)
        power = _times(power, power, polynomial)
    if power != powers[0]:
        return False
    primes = [p for p in range(2, degree + 1) if degree % p == 0 and all(p % q for q in range(2, p))]
    return all(_coprime(powers[degree // p] ^ powers[0], polynomial) for p in primes)


def _coprime(left: int, right: int) -> bool:
    while right:
        left, right = right, _remainder(left, right)
    return left == 1


@cache
def _table(level: int) -> tuple[tuple[int, ...], ...]:
    """The multiplication table of a small field."""
    order = 2 ** (2 * 3**level)
    return tuple(tuple(field_product(a, b, level) for b in range(order)) for a in range(order))


def polynomial_value(coefficients: Coefficients, point: int, level: int) -> int:
    """The sum of a_i x^i."""
    power, total = 1, 0
    for coefficient in coefficients:
        total ^= _looked_up(coefficient, power, level)
        power = _looked_up(power, point, level)
    return total


def _looked_up(left: int, right: int, level: int) -> int:
    """The product, from a table where the field is small."""
    return _table(level)[left][right] if level < 2 else field_product(left, right, level)


def family(level: int, n: int) -> Iterator[Coefficients]:
    """All polynomials of degree at most n over the field. Source: BV.Lem8.1 (Construction)."""
    return product(range(2 ** (2 * 3**level)), repeat=n + 1)


# The empty-bin sampler


def _ceiling(number: mpq) -> int:
    return int(-(-number.numerator // number.denominator))


def stretch(u_0: int, d: int, d_0: int) -> int:
    """f(u_0) of Algorithm 8.5, by its case distinction. Source: BV.Alg8.5 (1), (2)."""
    q, r = divmod(d_0, d)
    if r != 0 and u_0 <= r * (q + 1):
        return _ceiling(mpq(u_0, q + 1))
    if r == 0 or u_0 > r * (q + 1):
        return _ceiling(mpq(u_0 - r, q))
    raise AssertionError("the cases of Algorithm 8.5 leave nothing out")


def empty_bin_sampler(law: Pmf[int], d: int, d_0: int) -> tuple[int, ...]:
    """M_0(1), ..., M_0(d_0), where M(0, .) is the non-decreasing map of 1..d that has the given law. Source: BV.Alg8.5 (3).

    Raises: ParameterError where no map of 1..d has that law.
    """
    if any((law[v] * d).denominator != 1 for v in law):
        raise ParameterError(f"the law is not that of a map of 1..{d}")
    noisy = [v for v in sorted(law) for _ in range(int(law[v] * d))]
    return tuple(noisy[stretch(u_0, d, d_0) - 1] for u_0 in range(1, d_0 + 1))


def bin_size(law: Pmf[int], d: int, d_0: int, v: int) -> int:
    """How many u_0 in 1..d_0 have M_0(u_0) = v: q for each u with M(0, u) = v, and one more if u <= r.

    Source: BV.Lem8.4.iii, proof.
    """
    q, r = divmod(d_0, d)
    upper = int(law.probability(lambda x: x <= v) * d)
    lower = int(law.probability(lambda x: x < v) * d)
    return int(q * (upper - lower) + min(upper, r) - min(lower, r))


# The histogram


def compact_histogram(
    dataset: Sequence[int], n: int, counting_law: Callable[[int], Pmf[int]], sampler: Sequence[int], level: int
) -> Pmf[Coefficients]:
    """The law of the released polynomial's coefficients, for rows that are field elements.

    Source: BV.Alg8.2. Parameters: counting_law, the law of the counting-query mechanism at each count; sampler, M_0(1), ...,
    M_0(d_0). Raises: ParameterError where the noisy counts can be such that no polynomial is consistent with them.
    """
    present = sorted(set(dataset))
    noisy = joint([counting_law(count) for count in histogram(dataset, present)])
    consistent: dict[tuple[int, ...], list[Coefficients]] = {}
    for polynomial in family(level, n):
        seen = tuple(sampler[polynomial_value(polynomial, x, level)] for x in present)  # T adds 1, and indices start at 0
        consistent.setdefault(seen, []).append(polynomial)
    if not noisy.support <= consistent.keys():
        raise ParameterError("no polynomial is consistent with some noisy counts of probability above 0")
    return noisy.then(lambda counts: Pmf.uniform(consistent[counts]))
