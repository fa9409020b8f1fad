"""The black-box audit: a certified lower bound on epsilon from samples alone, where the code cannot be followed.

Half of the samples choose one pair of neighbouring inputs and one event; fresh samples of that pair alone judge it, by exact
Clopper-Pearson limits, so that the stated confidence needs no correction for the search. What is found is a violation with a
confidence, or none: samples show that a claim is wrong, and never that it is right.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, log_bounds, probability
from finitedp.numbers import decimal
from finitedp.proofs_check.black_box.clopper_pearson import lower, upper
from finitedp.proofs_check.black_box.events import Event, Feature, features_of, ladders, score
from finitedp.proofs_check.black_box.fit import Fit, Law, as_law, confirm_fit, suspected_misfit
from finitedp.proofs_check.black_box.samplers import Sampler, Source
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.inputs import all_inputs, neighbouring
from finitedp.proofs_check.limits import MOST_PAIRS, MOST_TRIALS
from finitedp.spec.neighbours import are_neighbours

LEAST_SHARE = 150
"""Samples of each input in the first half, at the least."""
_MICRO = 10**6  # bounds on epsilon are multiples of 1 / _MICRO

_SHORT = 20  # characters of a rational that is shown whole

Counts = Mapping[str, Counter[Hashable]]
"""Counts of labels by feature."""


def _confidence(value: RationalLike) -> mpq:
    return probability(value, "confidence", zero=False, one=False)


@frozen(kw_only=True)
class BlackBoxResult:
    """What samples showed.

    violated: whether the claim is broken, at the confidence. epsilon_at_least: no smaller epsilon is possible at the claimed
    delta, at the confidence; delta_at_least: no smaller delta at the claimed epsilon. left, right, event: where, chosen on
    other samples; hits_left, hits_right of so many trials each; in_left_at_least and in_right_at_most: the limits on the
    probabilities. samples: all that were drawn, of so many inputs and ordered pairs. fit: the test against the specified law.
    """

    name: str
    claim: PrivacyClaim
    confidence: mpq
    violated: bool
    epsilon_at_least: mpq
    delta_at_least: mpq
    left: Any
    right: Any
    event: Event
    hits_left: int
    hits_right: int
    trials: int
    in_left_at_least: mpq
    in_right_at_most: mpq
    samples: int
    inputs: int
    pairs: int
    fit: Fit | None = None

    @property
    def private(self) -> Literal["violated", "no violation found"]:
        """The verdict on privacy."""
        return "violated" if self.violated else "no violation found"

    @property
    def law(self) -> Literal["differs", "no difference found", "not specified"]:
        """The verdict on the law."""
        return "not specified" if self.fit is None else "differs" if self.fit.differs else "no difference found"

    @property
    def says(self) -> str:
        """The verdict on privacy in one line."""
        bound = f"epsilon is at least {briefly(self.epsilon_at_least)} at delta = {briefly(self.claim.delta)}"
        seen = (
            f"{self.event}: {self.hits_left:,} of {self.trials:,} runs on {self.left!r} and {self.hits_right:,} of "
            f"{self.trials:,} on {self.right!r}"
        )
        if self.violated:
            claimed = briefly(self.claim.epsilon) if self.claim.ratio is None else f"ln({self.claim.ratio})"
            return f"violated with confidence {self.confidence}: {bound}, the claim is {claimed} ({seen})"
        return f"no violation found in {self.samples:,} samples ({bound} with confidence {self.confidence})"


def black_box_audit(
    sampler: Sampler,
    claim: PrivacyClaim,
    *,
    samples: int,
    n: int = 1,
    universe: Sequence[Hashable] = (),
    confidence: RationalLike = "99/100",
    pairs: Sequence[tuple[Any, Any]] | None = None,
    specified: Mapping[Any, Any] | Callable[[Any], Any] | None = None,
    features: Mapping[str, Feature] | None = None,
    name: str = "mechanism",
) -> BlackBoxResult:
    """Look for a violation of a privacy claim, and of a specified law, in samples of a mechanism.

    The outputs of a sampler must be independent. At most `samples` are drawn in all: half of them, shared evenly by all
    inputs, to choose a pair and an event; the others of that pair alone (a third of them of an input for the law).
    A claim with a ratio is broken by a larger one.
    Parameters: sampler, a function of (data, samples); n, the number of rows (with add-remove, the largest one) or the
    largest count; universe, the labels; confidence in (0, 1), for each of the two verdicts; pairs, neighbours to look at
    instead of all; specified, the law of each input, by input: a Pmf, a mapping of rational probabilities or a Law;
    features, functions of an output that events may look at, besides those that are always tried.
    Raises: ParameterError, SamplerError.
    """
    request = SampleRequest(
        claim=claim,
        samples=samples,
        n=n,
        universe=tuple(universe),
        confidence=confidence,
        pairs=pairs,
        specified=specified,
        features=features,
        name=name,
    )
    return request.run(sampler)


@frozen(kw_only=True)
class SampleRequest:
    """What is asked about a sampler: the parameters of black_box_audit(), but for the sampler."""

    claim: PrivacyClaim
    samples: int
    n: int
    universe: tuple[Hashable, ...]
    confidence: mpq = field(converter=_confidence)
    pairs: Sequence[tuple[Any, Any]] | None
    specified: Mapping[Any, Any] | Callable[[Any], Any] | None
    features: Mapping[str, Feature] | None
    name: str

    def run(self, sampler: Sampler) -> BlackBoxResult:
        """black_box_audit() with these parameters. Raises: ParameterError, SamplerError."""
        alpha, specified = 1 - self.confidence, self.specified
        inputs, pairs = _inputs_and_pairs(self)
        laws = None if specified is None else {data: _law_of(specified, data) for data in inputs}
        share = _share(self.samples, len(inputs))
        source = Source(sampler)
        first = {data: source.draw(data, share // 3) for data in inputs}
        second = {data: source.draw(data, share - share // 3) for data in inputs}
        trials = (self.samples - source.drawn) // (2 if laws is None else 3)
        left, right, event = _suspect(first, second, pairs, self.claim.delta, self.features)
        hits_left, hits_right = (event.count(source.draw(data, trials)) for data in (left, right))
        p, q = lower(hits_left, trials, alpha / 2), upper(hits_right, trials, alpha / 2)
        fit = None
        if laws is not None:
            fit = confirm_fit(source, suspected_misfit(first, second, laws), laws, trials, alpha)
        factor = Factor.of(self.claim)
        return BlackBoxResult(
            name=self.name,
            claim=self.claim,
            confidence=self.confidence,
            violated=factor.exceeded(p - self.claim.delta, q),
            epsilon_at_least=_epsilon_at_least(p - self.claim.delta, q),
            delta_at_least=factor.gap(p, q)[0],
            left=left,
            right=right,
            event=event,
            hits_left=hits_left,
            hits_right=hits_right,
            trials=trials,
            in_left_at_least=p,
            in_right_at_most=q,
            samples=source.drawn,
            inputs=len(inputs),
            pairs=len(pairs),
            fit=fit,
        )


# Inputs and pairs


def _inputs_and_pairs(request: SampleRequest) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """The inputs that are looked at, and their ordered pairs of neighbours."""
    claim, universe = request.claim, request.universe
    if request.pairs is None:
        n = integer(request.n, "n", at_least=0)
        inputs = all_inputs(claim.neighbours, universe, n, Budget().inputs)
        chosen = neighbouring(claim.neighbours, universe, n)
    else:
        chosen = list(dict.fromkeys(way for pair in request.pairs for way in _both_ways(pair, claim)))
        inputs = list(dict.fromkeys(data for pair in chosen for data in pair))
    if not chosen:
        raise ParameterError("pairs is empty; accepted: at least one pair of neighbouring inputs")
    if len(chosen) > MOST_PAIRS:
        raise ParameterError(f"that is {len(chosen):,} pairs, more than {MOST_PAIRS:,}: take a smaller universe or smaller n")
    return inputs, chosen


def _both_ways(pair: tuple[Any, Any], claim: PrivacyClaim) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ParameterError(f"pairs holds {pair!r}; accepted: two neighbouring inputs")
    left, right = pair
    if claim.neighbours == "counts":
        near = abs(integer(left, "count", at_least=0) - integer(right, "count", at_least=0)) == 1
    else:
        left, right = tuple(left), tuple(right)
        near = left != right and are_neighbours(left, right, claim.neighbours)
    if not near:
        raise ParameterError(f"{left!r} and {right!r} are not neighbours; accepted: neighbours by {claim.neighbours}")
    return (left, right), (right, left)


def _law_of(specified: Mapping[Any, Any] | Callable[[Any], Any], data: Any) -> Law:  # noqa: ANN401  # an input of any kind
    if callable(specified):
        return as_law(specified(data), data)
    if data not in specified:
        raise ParameterError(f"no law is specified for the input {data!r}")
    return as_law(specified[data], data)


def _share(samples: int, inputs: int) -> int:
    """Samples of each input in the first half. Raises: ParameterError for too few, or too many."""
    integer(samples, "samples", at_most=MOST_TRIALS)
    if samples < 2 * LEAST_SHARE * inputs:
        raise ParameterError(
            f"samples = {samples:,} is too few for {inputs:,} inputs; accepted: at least {2 * LEAST_SHARE * inputs:,}, or a "
            "smaller universe or n"
        )
    return samples // 2 // inputs


# The first half: a pair and an event


def _suspect(
    first: Mapping[Any, Counter[Hashable]],
    second: Mapping[Any, Counter[Hashable]],
    pairs: Sequence[tuple[Any, Any]],
    delta: mpq,
    more: Mapping[str, Feature] | None,
) -> tuple[Any, Any, Event]:
    """The pair and event with the largest bound on epsilon by `second`; `first` says which events there are."""
    looks = features_of((x for counts in first.values() for x in counts), more)
    seen, held = ({data: _labelled(counts, looks) for data, counts in half.items()} for half in (first, second))
    trials = next(iter(second.values())).total()
    best, top = None, (-1, 0)  # less than any score
    for left, right in pairs:
        for feature in looks:
            old, new = (tuple(counts[data][feature] for data in (left, right)) for counts in (seen, held))
            for ladder in ladders(feature, looks[feature], old, _smoothed(*old)):
                for i, (inside, outside) in enumerate(zip(*(ladder.counts(side) for side in new), strict=True)):
                    value = score(inside, outside, trials, delta)
                    if value[0] * top[1] > top[0] * value[1]:
                        top, best = value, (left, right, ladder, i)
    if best is None:
        raise ParameterError("there are no neighbouring inputs")
    return best[0], best[1], best[2].event(best[3])


def _smoothed(left: Counter[Hashable], right: Counter[Hashable]) -> Callable[[Hashable], tuple[int, int]]:
    """The ratio of two counts of a label, with half a count added to each."""
    return lambda label: (2 * left[label] + 1, 2 * right[label] + 1)


def _labelled(counts: Counter[Hashable], looks: Mapping[str, Feature]) -> Counts:
    """The counts of the labels that each feature gives the outputs."""
    labelled: dict[str, Counter[Hashable]] = {name: Counter() for name in looks}
    for name, look in looks.items():
        for output, number in counts.items():
            labelled[name][look(output)] += number
    return labelled


# The second half: bounds


def _epsilon_at_least(p: mpq, q: mpq) -> mpq:
    """A multiple of 10^-6 that ln(p / q) is not below, and at least 0; q is above 0."""
    if p <= q:
        return mpq(0)
    scaled = log_bounds(p / q)[0] * _MICRO
    return mpq(scaled.numerator // scaled.denominator, _MICRO)


def briefly(number: mpq) -> str:
    """A rational for a reader: exactly where that is short, or as a decimal of at most six digits; else rounded, with "~"."""
    if (number * _MICRO).denominator == 1 and number.denominator > 10**3:
        return decimal(number, 20)
    return str(number) if len(str(number)) <= _SHORT else decimal(number)
