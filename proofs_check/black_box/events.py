"""Events for the black-box audit: nested families of them, found on some samples and compared on others.

Nothing here decides a verdict. An event that is chosen badly finds less, and cannot make a claim look broken that is not,
since fresh samples judge it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import isqrt
from typing import Any, Literal

from attrs import field, frozen
from gmpy2 import mpq, mpz

Feature = Callable[[Any], Hashable]
"""What of an output an event looks at."""

_UNIT = 1 << 20  # counts are scaled by this before a square root is rounded
_Z_SQUARED = 8  # a little under three standard deviations
_RUNGS = 256  # thresholds between the extremes
_EXTREMES = 24  # thresholds at each end, one for each value seen
_COORDINATES = 8  # of an output that are looked at one by one
_SHOWN = 4  # outputs of an event, in one line


@frozen
class Event:
    """A set of outputs: those whose feature is, or is not, among some labels, or is a number on one side of a bound.

    Parameters: feature, its name; kind; labels, for "in" and "not in"; bound, for "at most" and "at least"; look, the feature.
    """

    feature: str
    kind: Literal["in", "not in", "at most", "at least"]
    labels: frozenset[Hashable]
    bound: Any
    look: Feature = field(repr=False, eq=False)

    def holds(self, output: Hashable) -> bool:
        """Whether an output is in the event."""
        label = self.look(output)
        if self.kind in ("in", "not in"):
            return (label in self.labels) == (self.kind == "in")
        return is_number(label) and bool(label <= self.bound if self.kind == "at most" else label >= self.bound)

    def count(self, counts: Mapping[Hashable, int]) -> int:
        """How many of the outputs are in the event."""
        return sum(number for output, number in counts.items() if self.holds(output))

    def __str__(self) -> str:
        if self.kind in ("at most", "at least"):
            return f"{self.feature} {self.kind} {self.bound}"
        numbers = sorted(label for label in self.labels if is_number(label))  # type: ignore[type-var]  # numbers
        shown = [str(x) for x in numbers] + sorted(repr(label) for label in self.labels if not is_number(label))
        more = f", ... ({len(shown)} in all)" if len(shown) > _SHOWN else ""
        return f"{self.feature} {self.kind} {{{', '.join(text[:60] for text in shown[:_SHOWN])}{more}}}"


def is_number(label: object) -> bool:
    """Whether a label can be compared with a threshold."""
    return isinstance(label, int | float | Fraction) or type(label) in (mpq, mpz)


# Features


def features_of(outputs: Iterable[Hashable], more: Mapping[str, Feature] | None = None) -> dict[str, Feature]:
    """The features that suit some outputs: themselves; the lowest bit of numbers; length, entries and keys of tuples."""
    seen = list(dict.fromkeys(outputs))
    features: dict[str, Feature] = {"the output": lambda output: output}
    if any(is_number(x) for x in seen):
        features["the lowest bit of the output"] = _lowest_bit
    rows = [x for x in seen if isinstance(x, tuple)]
    if rows and len(rows) == len(seen):
        features |= _features_of_rows(rows)
    return features | dict(more or {})


def _lowest_bit(output: Hashable) -> Hashable:
    """The exponent e of the lowest bit: an odd multiple of 2^e. Sums of floating-point numbers have coarse ones."""
    if isinstance(output, float) and output not in (float("inf"), float("-inf")):
        numerator, denominator = output.as_integer_ratio()
    elif isinstance(output, int) or type(output) is mpz:
        numerator, denominator = int(output), 1
    else:
        return "none"
    if numerator == 0:
        return "none"
    return (numerator & -numerator).bit_length() - denominator.bit_length()


def _features_of_rows(rows: Sequence[tuple[Any, ...]]) -> dict[str, Feature]:
    features: dict[str, Feature] = {"the length of the output": len}
    if all(isinstance(item, tuple) and len(item) == 2 for row in rows for item in row):
        features["the labels of the output"] = lambda row: tuple(key for key, _ in row)
        for label in list(dict.fromkeys(key for row in rows for key, _ in row))[:_COORDINATES]:
            features[f"the value of {label!r}"] = partial(_value, label)
        return features
    for i in range(min(_COORDINATES, max(map(len, rows)))):
        features[f"entry {i} of the output"] = partial(_entry, i)
    return features


def _value(label: Hashable, row: tuple[tuple[Hashable, Hashable], ...]) -> Hashable:
    return dict(row).get(label)


def _entry(i: int, row: tuple[Hashable, ...]) -> Hashable:
    return row[i] if i < len(row) else None


# Nested families


@frozen
class Ladder:
    """Nested events in order of size: prefixes of ordered labels, these with whatever was not seen, or thresholds.

    Parameters: the feature, its name and itself; kind, as of Event; rungs: for labels, a list of labels each; for
    thresholds, one bound each, so that the i-th event is the smaller the smaller i is.
    """

    feature: str
    look: Feature
    kind: Literal["in", "not in", "at most", "at least"]
    rungs: Sequence[Any]

    def event(self, i: int) -> Event:
        """The i-th event."""
        if self.kind in ("at most", "at least"):
            return Event(self.feature, self.kind, frozenset(), self.rungs[i], self.look)
        inside = self.rungs[: i + 1] if self.kind == "in" else self.rungs[i + 1 :]
        return Event(self.feature, self.kind, frozenset(x for rung in inside for x in rung), None, self.look)

    def counts(self, labels: Mapping[Hashable, int]) -> list[int]:
        """How often each event of the ladder happened, given how often each label did."""
        steps = [0] * len(self.rungs)
        if self.kind in ("at most", "at least"):
            for label, number in labels.items():
                if is_number(label):
                    place = self._place(label)
                    if place < len(steps):
                        steps[place] += number
            return list(accumulate(steps))
        place_of = {x: i for i, rung in enumerate(self.rungs) for x in rung}
        unseen = 0
        for label, number in labels.items():
            if label in place_of:
                steps[place_of[label]] += number
            elif self.kind == "not in":
                unseen += number
        return [unseen + inside for inside in accumulate(steps)]

    def _place(self, label: Any) -> int:  # noqa: ANN401  # a number
        """The first event that holds for a label."""
        if self.kind == "at most":
            return bisect_left(self.rungs, label)
        return bisect_left(self.rungs, -label, key=lambda bound: -bound)


def ladders(
    name: str, look: Feature, labels: Sequence[Mapping[Hashable, int]], ratio: Callable[[Hashable], tuple[int, int]]
) -> Iterator[Ladder]:
    """The families of one feature: labels by a falling ratio, those of the same one together, and thresholds both ways.

    Parameters: labels, their counts for each input that matters; ratio, two positive integers for each label.
    """
    together: dict[tuple[int, int], list[Hashable]] = {}
    for label in dict.fromkeys(x for counts in labels for x in counts):
        together.setdefault(ratio(label), []).append(label)
    rungs = [together[key] for key in sorted(together, key=lambda key: mpq(*key), reverse=True)]
    yield Ladder(name, look, "in", rungs)
    yield Ladder(name, look, "not in", rungs)
    bounds = _thresholds(labels)
    if len(bounds) > 1:
        yield Ladder(name, look, "at most", bounds)
        yield Ladder(name, look, "at least", bounds[::-1])


def _thresholds(labels: Sequence[Mapping[Hashable, int]]) -> list[Any]:
    """Numbers that were seen: all extreme ones, and enough between them to cut the samples evenly."""
    merged: Counter[Any] = Counter()
    for counts in labels:
        merged.update({label: number for label, number in counts.items() if is_number(label)})
    values = sorted(merged)
    if len(values) <= _RUNGS:
        return values
    kept, since, share = [], 0, merged.total() // _RUNGS + 1
    for i, value in enumerate(values):
        since += merged[value]
        if since >= share or i < _EXTREMES or i >= len(values) - _EXTREMES:
            kept.append(value)
            since = 0
    return kept


# Comparing


def score(inside: int, outside: int, trials: int, delta: mpq) -> tuple[int, int]:
    """About (P[S] - delta) / Q[S], low rather than high, as a numerator and a denominator above 0.

    Parameters: the counts of S on the left and on the right, each of so many trials.
    """
    low, high = _wilson(inside, trials)[0], _wilson(outside, trials)[1]
    return int(low * delta.denominator - delta.numerator * trials * _UNIT), int(high * delta.denominator)


def _wilson(successes: int, trials: int) -> tuple[int, int]:
    """Wilson's interval for a count, in units of 1 / _UNIT: it does not collapse at 0 or at all."""
    z = _Z_SQUARED
    middle = (2 * successes + z) * trials * _UNIT
    spread = isqrt(z * trials * (4 * successes * (trials - successes) + z * trials) * _UNIT**2)
    below, above = middle - spread, middle + spread
    return below // (2 * (trials + z)), above // (2 * (trials + z)) + 1
