"""Finite laws as integer weights over one common denominator."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from itertools import product as cartesian_product
from types import MappingProxyType
from typing import Generic, TypeVar

from flint import fmpz_poly
from gmpy2 import gcd, lcm, mpq, mpz

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, probability

__all__ = ["Pmf", "convolution", "mixture", "product"]

T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)

_DENSE_FACTOR = 16  # a support spread wider than this many times its size is convolved as a dictionary, not as a polynomial


class Pmf(Generic[T]):
    """A finite law: Pr[x] = weight(x) / total, with integer weights above 0 on the support.

    Source: BV.Def2.8.
    Parameters: weights, a mapping from hashable outcomes to integers of at least 0, with a sum above 0. Zeros are dropped.
    Raises: ParameterError.

    Two Pmfs are equal when they are the same law, whatever their denominators. They are immutable and not hashable.
    """

    __slots__ = ("_total", "_weights")
    __hash__ = None  # type: ignore[assignment]  # laws are compared, never used as keys

    def __init__(self, weights: Mapping[T, int]) -> None:
        if not isinstance(weights, Mapping):
            raise ParameterError(f"weights is a {type(weights).__name__}; accepted: a mapping from outcomes to integers")
        kept: dict[T, int] = {}
        for outcome, weight in weights.items():
            if isinstance(weight, bool) or not (isinstance(weight, int) or type(weight) is mpz):
                raise ParameterError(f"weight of {outcome!r} = {weight!r} is not an integer; use Pmf.from_probabilities")
            if weight < 0:
                raise ParameterError(f"weight of {outcome!r} = {weight} is negative; accepted: integers of at least 0")
            if weight:
                kept[outcome] = mpz(weight)
        if not kept:
            raise ParameterError("the weights sum to 0; accepted: at least one weight above 0")
        self._weights = kept
        self._total = sum(kept.values(), mpz(0))

    @classmethod
    def _of(cls, weights: dict[T, int]) -> "Pmf[T]":
        """The law of weights that are already known to be mpz above 0: no copy, no check."""
        law = cls.__new__(cls)
        law._weights = weights
        law._total = sum(weights.values(), mpz(0))
        return law

    @classmethod
    def from_probabilities(cls, probabilities: Mapping[T, RationalLike]) -> "Pmf[T]":
        """The law with the given rational probabilities, which must sum to exactly 1. Raises: ParameterError."""
        exact = {x: probability(p, f"probability of {x!r}") for x, p in probabilities.items()}
        if sum(exact.values(), mpq(0)) != 1:
            raise ParameterError(f"the probabilities sum to {sum(exact.values(), mpq(0))}, not to 1")
        common = lcm(*(p.denominator for p in exact.values()))
        return cls({x: p.numerator * (common // p.denominator) for x, p in exact.items()})

    @classmethod
    def point(cls, outcome: T) -> "Pmf[T]":
        """The law that is always `outcome`."""
        return cls({outcome: 1})

    @classmethod
    def uniform(cls, outcomes: Iterable[T]) -> "Pmf[T]":
        """Each of the distinct outcomes with the same probability. Raises: ParameterError for none or a repeated one."""
        listed = list(outcomes)
        if len(set(listed)) != len(listed):
            raise ParameterError("an outcome is listed twice; accepted: distinct outcomes")
        return cls(dict.fromkeys(listed, 1))

    # Reading

    @property
    def total(self) -> int:
        """The common denominator of all probabilities (not always the least one)."""
        return self._total

    @property
    def weights(self) -> Mapping[T, int]:
        """The integer weights above 0, by outcome: a read-only view."""
        return MappingProxyType(self._weights)

    @property
    def support(self) -> frozenset[T]:
        """The outcomes with a probability above 0."""
        return frozenset(self._weights)

    def weight(self, outcome: T) -> int:
        """The integer weight of an outcome: 0 outside the support."""
        return self._weights.get(outcome, mpz(0))

    def __getitem__(self, outcome: T) -> mpq:
        """Pr[outcome], a rational."""
        return mpq(self._weights.get(outcome, mpz(0)), self._total)

    def __iter__(self) -> Iterator[T]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def probability(self, event: Callable[[T], bool] | Iterable[T]) -> mpq:
        """Pr[event], for a predicate or for a collection of outcomes."""
        if callable(event):
            mass = sum((w for x, w in self._weights.items() if event(x)), mpz(0))
        else:
            mass = sum((self._weights.get(x, mpz(0)) for x in set(event)), mpz(0))
        return mpq(mass, self._total)

    def reduced(self) -> "Pmf[T]":
        """The same law over its least common denominator."""
        divisor = gcd(*self._weights.values())
        return Pmf._of({x: w // divisor for x, w in self._weights.items()})

    def __eq__(self, other: object) -> bool:
        """Equality of laws: the same outcomes with the same rational probabilities."""
        if not isinstance(other, Pmf):
            return NotImplemented
        if self._weights.keys() != other._weights.keys():
            return False
        if self._total == other._total:
            return self._weights == other._weights
        return all(w * other._total == other._weights[x] * self._total for x, w in self._weights.items())

    def __repr__(self) -> str:
        try:
            ordered = sorted(self._weights)  # type: ignore[type-var]  # outcomes without an order stay as they are
        except TypeError:
            ordered = list(self._weights)
        shown = ", ".join(f"{x!r}: {self[x]}" for x in ordered[:8])
        return f"Pmf({{{shown}{', ...' if len(self) > 8 else ''}}})"

    # New laws from old

    def pushforward(self, function: Callable[[T], U]) -> "Pmf[U]":
        """The law of function(X): deterministic post-processing."""
        weights: dict[U, int] = {}
        for outcome, weight in self._weights.items():
            image = function(outcome)
            weights[image] = weights.get(image, mpz(0)) + weight
        return Pmf._of(weights)

    def then(self, kernel: Callable[[T], "Pmf[U]"]) -> "Pmf[U]":
        """The law of a draw from kernel(X): randomised post-processing."""
        return mixture([(self[x], kernel(x)) for x in self._weights])

    def given(self, event: Callable[[T], bool]) -> "Pmf[T]":
        """The law conditioned on an event. Raises: ParameterError where the event has probability 0."""
        kept = {x: w for x, w in self._weights.items() if event(x)}
        if not kept:
            raise ParameterError("conditioning on an event of probability 0")
        return Pmf._of(kept)

    # Integer-valued laws

    def clamped(self: "Pmf[int]", low: int, high: int) -> "Pmf[int]":
        """The law of X clamped to low..high. Raises: ParameterError where low > high."""
        if low > high:
            raise ParameterError(f"cannot clamp to {low}..{high}: the interval is empty")
        return self.pushforward(lambda x: min(max(x, low), high))

    def shifted(self: "Pmf[int]", by: int) -> "Pmf[int]":
        """The law of X + by."""
        return self.pushforward(lambda x: x + by)

    def cdf(self: "Pmf[int]") -> dict[int, mpq]:
        """Pr[X <= x] for every x of the support, in increasing order of x. Source: BV.Def2.8."""
        ordered = sorted(self._weights)
        sums = accumulate(self._weights[x] for x in ordered)
        return {x: mpq(mass, self._total) for x, mass in zip(ordered, sums, strict=True)}

    def quantile(self: "Pmf[int]", level: RationalLike) -> int:
        """The least x of the support with Pr[X <= x] >= level. Source: BV.Lem2.12, BV.Lem2.13.

        Parameters: level, a rational in (0, 1]. Raises: ParameterError.
        """
        u = probability(level, "level", zero=False)
        return next(x for x, mass in self.cdf().items() if mass >= u)


def mixture(parts: Sequence[tuple[RationalLike, Pmf[T]]]) -> Pmf[T]:
    """The law that is part i with probability p_i. Raises: ParameterError unless the p_i are in [0, 1] and sum to 1."""
    shares = [(probability(p, "mixing probability"), law) for p, law in parts]
    if sum((p for p, _ in shares), mpq(0)) != 1:
        raise ParameterError("the mixing probabilities do not sum to 1")
    common = lcm(*(p.denominator * law.total for p, law in shares))
    weights: dict[T, int] = {}
    for p, law in shares:
        factor = p.numerator * (common // (p.denominator * law.total))
        for outcome, weight in law.weights.items():
            if factor:
                weights[outcome] = weights.get(outcome, mpz(0)) + weight * factor
    return Pmf._of(weights)


def product(laws: Sequence[Pmf[T]]) -> Pmf[tuple[T, ...]]:
    """The joint law of independent draws, as tuples. The empty product is the point mass on ()."""
    weights: dict[tuple[T, ...], int] = {}
    for combination in cartesian_product(*(list(law.weights.items()) for law in laws)):
        weight: int = mpz(1)
        for _, factor in combination:
            weight *= factor
        weights[tuple(outcome for outcome, _ in combination)] = weight
    return Pmf._of(weights)


def convolution(laws: Sequence[Pmf[int]]) -> Pmf[int]:
    """The law of the sum of independent integer draws; of no draws, the point mass on 0.

    Cost: a product tree of integer polynomials, so that a fold of many laws is quasi-linear in the size of its result.
    """
    level = list(laws) or [Pmf.point(0)]
    while len(level) > 1:
        pairs = [_sum_of_two(*level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


def _sum_of_two(left: Pmf[int], right: Pmf[int]) -> Pmf[int]:
    spread = [max(law) - min(law) + 1 for law in (left, right)]
    if max(spread[0] // len(left), spread[1] // len(right)) > _DENSE_FACTOR:
        return product([left, right]).pushforward(sum)
    coefficients = (_polynomial(left) * _polynomial(right)).coeffs()
    start = min(left) + min(right)
    return Pmf._of({start + i: mpz(int(c)) for i, c in enumerate(coefficients) if c})


def _polynomial(law: Pmf[int]) -> fmpz_poly:
    start = min(law)
    dense = [0] * (max(law) - start + 1)
    for outcome, weight in law.weights.items():
        dense[outcome - start] = int(weight)
    return fmpz_poly(dense)
