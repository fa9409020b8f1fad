"""An exact goodness-of-fit test from samples: one event, chosen on some of them, judged on others by its binomial tail.

No asymptotics: the p-value is a proved upper bound on the tail of the count of that one event, under the specified law, whose
probabilities may themselves be known up to an enclosure. An output that the law gives probability 0 refutes it by itself.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import accumulate
from math import isqrt
from typing import Any, NamedTuple, Protocol, runtime_checkable

from attrs import field, frozen
from flint import arb, ctx
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, probability, rational, to_arb
from finitedp.proofs_check.black_box.clopper_pearson import binomial_tail, enclosure
from finitedp.proofs_check.black_box.events import Event, Ladder, is_number, ladders
from finitedp.proofs_check.black_box.samplers import Source
from finitedp.proofs_check.deciders.partial_law import Tail
from finitedp.spec.pmf import Pmf

Interval = tuple[mpq, mpq]
ZERO, ONE = mpq(0), mpq(1)
_BITS = 192  # of the balls around e^-epsilon
_SMALLEST = 4096  # probabilities below 2^-4096 are enclosed by that and 0


@runtime_checkable
class Law(Protocol):
    """A specified law, by enclosures of its probabilities."""

    def mass(self, output: Hashable) -> Interval:
        """Rationals around the probability of an output: (0, 0) if it is impossible."""

    def tail(self, bound: Any, *, above: bool) -> Interval:  # noqa: ANN401  # a number
        """Rationals around the probability of a number of at least (or else at most) a bound."""


@frozen
class TableLaw:
    """A law with finitely many outputs of known rational probability.

    Parameters: probabilities, a mapping that sums to 1. Raises: ParameterError.
    """

    probabilities: Mapping[Hashable, mpq]
    _numbers: list[Any] = field(init=False, repr=False)
    _sums: list[mpq] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if sum(self.probabilities.values(), ZERO) != 1:
            raise ParameterError(f"the probabilities sum to {sum(self.probabilities.values(), ZERO)}, not to 1")
        numbers = sorted(x for x in self.probabilities if is_number(x))  # type: ignore[type-var]  # numbers
        sums = accumulate((self.probabilities[x] for x in numbers), initial=ZERO)
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "_sums", list(sums))

    def mass(self, output: Hashable) -> Interval:
        """The probability of an output, twice."""
        share = self.probabilities.get(output, ZERO)
        return share, share

    def tail(self, bound: Any, *, above: bool) -> Interval:  # noqa: ANN401  # a number
        """The probability of numbers on one side of a bound, twice."""
        place = bisect_right(self._numbers, bound)
        if not above:
            return self._sums[place], self._sums[place]
        equal = self.probabilities.get(bound, ZERO)
        rest = self._sums[-1] - self._sums[place] + equal
        return rest, rest


def _rate(value: RationalLike) -> mpq:
    rate = rational(value, "epsilon")
    if rate <= 0:
        raise ParameterError(f"epsilon = {rate} is out of range; accepted: a rational above 0")
    return rate


@frozen
class GeometricLaw:
    """A count plus two-sided geometric noise, Pr[Z = z] proportional to e^(-epsilon |z|), clamped where bounds are given.

    The probabilities are irrational; they are enclosed to about 190 bits, so that a p-value is a bound all the same.
    Parameters: epsilon > 0, a rational; count; least and most, integers around the count, or None. Raises: ParameterError.
    """

    epsilon: mpq = field(converter=_rate)
    count: int = 0
    least: int | None = None
    most: int | None = None

    def __attrs_post_init__(self) -> None:
        integer(self.count, "count", self.least, self.most)

    def mass(self, output: Hashable) -> Interval:
        """Rationals around the probability of an output."""
        whole = isinstance(output, int) or (isinstance(output, float) and output.is_integer())
        if not whole:
            return ZERO, ZERO
        z = int(output)  # type: ignore[call-overload]  # an integer
        if (self.least is not None and z < self.least) or (self.most is not None and z > self.most):
            return ZERO, ZERO
        if z == self.least:
            return self.tail(z, above=False)
        if z == self.most:
            return self.tail(z, above=True)
        return enclosed(lambda e: (e / 2).tanh() * (-e * abs(z - self.count)).exp(), self.epsilon)

    def tail(self, bound: Any, *, above: bool) -> Interval:  # noqa: ANN401  # a number
        """Rationals around the probability of at least, or at most, a bound."""
        whole = bound.__ceil__() if above else bound.__floor__()
        inner, outer = (self.least, self.most) if above else (self.most, self.least)
        sign = 1 if above else -1
        if outer is not None and sign * whole > sign * outer:
            return ZERO, ZERO
        if inner is not None and sign * whole <= sign * inner:
            return ONE, ONE
        far = sign * (whole - self.count)  # Pr[Z >= far], of a symmetric Z
        if far >= 1:
            return enclosed(lambda e: (-e * far).exp() / (1 + (-e).exp()), self.epsilon)
        return enclosed(lambda e: 1 - (-e * (1 - far)).exp() / (1 + (-e).exp()), self.epsilon)


def enclosed(formula: Callable[[arb], arb], epsilon: mpq) -> Interval:
    """Rationals around a probability that is a function of epsilon, by balls of 192 bits."""
    with ctx.workprec(_BITS):
        ball, least = formula(to_arb(epsilon)), arb(2) ** -_SMALLEST
        if ball < least:  # whose rational ends would have no end
            return ZERO, mpq(1, 1 << _SMALLEST)
        low, high = enclosure(ball)
    return max(low, ZERO), min(high, ONE)


def as_law(value: Any, data: object) -> Law:  # noqa: ANN401  # a Pmf, a mapping or a Law
    """A specified law as one. Raises: ParameterError."""
    if isinstance(value, Pmf):
        return TableLaw({x: value[x] for x in value})
    if isinstance(value, Mapping):
        exact = {x: probability(p, f"probability of {x!r} at {data!r}") for x, p in value.items()}
        if any(type(x) is Tail for x in exact):
            raise ParameterError(
                f"the law at {data!r} has a tail; accepted for samples: a Law, with its distribution function"
            )
        return TableLaw({x: p for x, p in exact.items() if p})
    if isinstance(value, Law):
        return value
    raise ParameterError(f"the law at {data!r} is a {type(value).__name__}; accepted: a Pmf, a mapping or a Law")


# The first samples: an input and an event that happens too often


class Misfit(NamedTuple):
    """An input and an event that is to be judged; impossible: an output that refutes the law by itself."""

    data: Any
    event: Event
    impossible: tuple[Hashable, ...] = ()


@frozen(kw_only=True)
class Fit:
    """What samples showed of a specified law.

    differs: whether it is refuted, at the confidence. data, event: where, chosen on other samples; hits of so many trials;
    expected: the largest probability that the law allows the event; p_value: a proved upper bound on the probability of so
    many hits under the law. impossible: an output that was seen, though the law gives it probability 0.
    """

    differs: bool
    data: Any
    event: Event
    hits: int
    trials: int
    expected: mpq
    p_value: mpq
    confidence: mpq
    samples: int
    impossible: tuple[Hashable, ...] = ()

    @property
    def says(self) -> str:
        """The verdict on the law in one line."""
        where = f"{self.hits:,} of {self.trials:,} runs on {self.data!r}"
        if self.impossible:
            return f"differs from the specified law: {self.impossible[0]!r} is impossible at {self.data!r}, and was seen"
        seen = f"{self.event}: {where}, where at most {_percent(self.expected)} of them are expected"
        if self.differs:
            bound = f"confidence {self.confidence}, p-value at most {_power_of_ten(self.p_value)}"
            return f"differs from the specified law with {bound} ({seen})"
        return f"no difference from the specified law found in {self.samples:,} samples ({seen})"


def suspected_misfit(
    first: Mapping[Any, Counter[Hashable]], second: Mapping[Any, Counter[Hashable]], laws: Mapping[Any, Law]
) -> Misfit:
    """The input and event that happens too often by `second`, of those that `first` suggests; impossible outputs at once."""
    best: Misfit | None = None
    top = ONE * -(10**9)
    for data, law in laws.items():
        impossible = _impossible([*first[data], *second[data]], law)
        for ladder in _ladders(first[data], law):
            if impossible:
                return Misfit(data, ladder.event(0), impossible)
            trials = second[data].total()
            for i, (hits, allowed) in enumerate(zip(ladder.counts(second[data]), _allowed(ladder, law), strict=True)):
                excess = _excess(hits, trials, allowed)
                if best is None or excess > top:
                    best, top = Misfit(data, ladder.event(i)), excess
    if best is None:
        raise ParameterError("no law is specified")
    return best


def _impossible(outputs: list[Hashable], law: Law) -> tuple[Hashable, ...]:
    return tuple(x for x in outputs if law.mass(x)[1] == 0)[:1]


def _ladders(counts: Counter[Hashable], law: Law) -> Iterator[Ladder]:
    """Outputs by how much more often they were seen than expected; thresholds both ways."""

    def ratio(output: Hashable) -> tuple[int, int]:
        high = law.mass(output)[1]
        return counts[output] * int(high.denominator), max(int(high.numerator), 1)

    for ladder in ladders("the output", lambda output: output, [counts], ratio):
        if ladder.kind != "not in":
            yield ladder


def _allowed(ladder: Ladder, law: Law) -> list[mpq]:
    """The largest probability of each event of a ladder under the law."""
    if ladder.kind == "in":
        return [min(p, ONE) for p in accumulate(sum((law.mass(x)[1] for x in rung), ZERO) for rung in ladder.rungs)]
    return [law.tail(bound, above=ladder.kind == "at least")[1] for bound in ladder.rungs]


def _excess(hits: int, trials: int, allowed: mpq) -> mpq:
    """By how many standard deviations, squared with its sign, an event happened too often; one hit is never much."""
    over = hits - isqrt(4 * hits + 4) - trials * allowed
    return over * abs(over) / (trials * allowed * (1 - allowed) + 1)


# The second samples: a p-value


def confirm_fit(source: Source, suspect: Misfit, laws: Mapping[Any, Law], trials: int, alpha: mpq) -> Fit:
    """Fresh samples of the input, and the binomial tail of the event under the law."""
    data, event, impossible = suspect
    counts = source.draw(data, trials)
    law, hits = laws[data], event.count(counts)
    impossible = impossible or _impossible(list(counts), law)
    expected = _largest(event, law)
    p_value = ZERO if impossible else binomial_tail(hits, trials, expected)
    return Fit(
        differs=p_value <= alpha,
        data=data,
        event=event,
        hits=hits,
        trials=trials,
        expected=expected,
        p_value=p_value,
        confidence=1 - alpha,
        samples=source.drawn,
        impossible=impossible,
    )


def _largest(event: Event, law: Law) -> mpq:
    if event.kind == "in":
        return min(sum((law.mass(x)[1] for x in event.labels), ZERO), ONE)
    return law.tail(event.bound, above=event.kind == "at least")[1]


def _percent(share: mpq) -> str:
    """A probability for a reader, rounded up."""
    scaled = share * 10**8
    whole = -(-scaled.numerator // scaled.denominator)
    return f"{int(whole) // 10**6}.{int(whole) % 10**6:06d}".rstrip("0").rstrip(".") + "%"


def _power_of_ten(share: mpq) -> str:
    """An upper bound on a probability above 0, for a reader."""
    digits = max(len(str(int(1 / share))) - 1, 0) if share > mpq(1, 10**1000) else 1000
    return f"10^-{digits}"
