"""A law of which some mass may be unresolved: what an exploration found, or a table of a law that is complete.

Among its outputs may be tails: infinitely many integers with geometric probabilities, which stand as one outcome.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from numbers import Real
from typing import Any, Generic, TypeVar, cast

from attrs import field, frozen
from gmpy2 import lcm, mpq, mpz

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, rational
from finitedp.spec.divergence import Measure

R = TypeVar("R", bound=Hashable)


def whole_number(output: object) -> int | None:
    """The integer that an output is equal to, whatever its type; None for all else."""
    if type(output) is int:
        return output
    if not isinstance(output, Real):
        return None
    try:
        number = int(cast(Any, output))
    except (ValueError, OverflowError):
        return None
    return number if number == output else None


def _ratio(value: RationalLike) -> mpq:
    ratio = rational(value, "the ratio of a tail")
    if not 0 < ratio < 1:
        raise ParameterError(f"the ratio of a tail is {ratio}; accepted: a rational above 0 and below 1")
    return ratio


def _first(value: int) -> int:
    return int(integer(value, "the first output of a tail"))


def _direction(value: int) -> int:
    if type(value) is not int or value not in (1, -1):
        raise ParameterError(f"the direction of a tail is {value!r}; accepted: 1 (rising) and -1 (falling)")
    return value


@frozen(repr=False)
class Tail:
    """The integers first, first + direction, ...: each of them has `ratio` times the probability of the one before.

    In a law it is one outcome, whose probability is that of all of them together. Laws in which a tail is the same one are
    compared exactly so, since between two of them its outputs all have one probability ratio.
    Parameters: first, an integer; ratio, a rational above 0 and below 1; direction, 1 or -1. Raises: ParameterError.
    """

    first: int = field(converter=_first)
    ratio: mpq = field(converter=_ratio)
    direction: int = field(converter=_direction, default=1)

    def __repr__(self) -> str:
        """Its beginning."""
        return f"{self.first}, {self.first + self.direction}, ..."

    def __contains__(self, output: object) -> bool:
        """Whether it has an output, or one that is equal to it and of another type."""
        number = whole_number(output)
        return number is not None and (number - self.first) * self.direction >= 0

    def share(self, output: object) -> mpq:
        """The part of its mass that an output has."""
        if type(output) is not int or output not in self:
            return mpq(0)
        return (1 - self.ratio) * self.ratio ** ((output - self.first) * self.direction)


def refuse_unlike_tails(laws: Iterable[Measure[Any]]) -> None:
    """Laws are compared output by output, so that their tails must be the same ones, and all else outside of these.

    Raises: ParameterError for laws that cannot be compared so.
    """
    listed = list(laws)
    if not any(Tail in map(type, law.weights) for law in listed):  # most often so, and seen at a glance
        return
    tails = {x for law in listed for x in law.weights if type(x) is Tail}
    rising, falling = ([tail for tail in tails if tail.direction == direction] for direction in (1, -1))
    overlap = bool(rising and falling) and rising[0].first <= falling[0].first
    others = (x for law in listed for x in law.weights if type(x) is not Tail)
    if len(rising) > 1 or len(falling) > 1 or overlap or any(x in tail for x in others for tail in tails):
        raise ParameterError("laws with unlike tails are compared, or tails that hold other outputs; accepted: tails in line")


@frozen
class PartialLaw(Generic[R]):
    """Probabilities of outputs, exact lower bounds where some mass is unresolved: that mass may belong to any output.

    assumptions: what the probabilities stand on besides, in words: the error of libm, the words of a generator.
    outputs: two or more, where it is assumed that no others are possible, so that the unresolved mass belongs to these.
    weights, total: the same probabilities as integers over one denominator (finitedp.spec.divergence.Measure).
    """

    probabilities: Mapping[R, mpq]
    unresolved: mpq = field(default=mpq(0))
    assumptions: tuple[str, ...] = field(default=(), eq=False)
    outputs: frozenset[R] | None = field(default=None)

    def __attrs_post_init__(self) -> None:
        if self.outputs is not None and (len(self.outputs) < 2 or not self.outputs.issuperset(self.probabilities)):
            raise ParameterError("a law has an output that is not among its declared ones; accepted: two outputs or more")

    @cached_property
    def total(self) -> int:
        """The common denominator of the probabilities."""
        return lcm(mpz(1), *(p.denominator for p in self.probabilities.values()))

    @cached_property
    def weights(self) -> Mapping[R, int]:
        """The integer weights above 0, by output."""
        return {x: p.numerator * (self.total // p.denominator) for x, p in self.probabilities.items() if p}

    def weight(self, outcome: R) -> int:
        """The weight of an output, 0 where nothing is known of it."""
        return self.weights.get(outcome, 0)

    def mass(self, kind: Callable[[R], bool]) -> tuple[mpq, mpq]:
        """The probability of outputs of a kind, and how much more it may be: none where all, or no declared ones are of it."""
        found = sum((p for x, p in self.probabilities.items() if kind(x)), mpq(0))
        left = {kind(x) for x in self.outputs} if self.unresolved and self.outputs else {True, False}
        if len(left) > 1:
            return found, self.unresolved
        return found + (self.unresolved if True in left else 0), mpq(0)


def declared_outputs(*laws: Measure[R]) -> frozenset[R]:
    """The outputs beside which laws have no others, by assumption; none where they are not the same ones for all."""
    first, *others = [law.outputs if isinstance(law, PartialLaw) else None for law in laws]
    return first if first is not None and all(outputs == first for outputs in others) else frozenset()


def unresolved_mass(law: Measure[R]) -> mpq:
    """What is not resolved of a law: nothing of a Pmf."""
    return law.unresolved if isinstance(law, PartialLaw) else mpq(0)
