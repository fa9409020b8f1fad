"""Sums of the counts of a release, with error bars of their own."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from attrs import frozen
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import PrivacyClaim
from finitedp.data.columns import Label
from finitedp.errors import LabelError, ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.dyadic import total
from finitedp.impl.histograms.sums import Noise, sum_accuracy
from finitedp.labels import shown

__all__ = ["NoisyTotal", "total_between", "total_of"]


class _Released(Protocol):
    """What a sum of a NoisyHistogram looks at."""

    @property
    def labels(self) -> Sequence[Label]: ...

    @property
    def counts(self) -> NDArray[np.int64]: ...

    @property
    def claim(self) -> PrivacyClaim | None: ...

    @property
    def mechanism(self) -> Noise: ...

    @property
    def threshold(self) -> int | None: ...

    @property
    def plan(self) -> BlanketPlan | None: ...

    @property
    def withheld(self) -> bool: ...

    @property
    def listed_above(self) -> int: ...

    @property
    def places(self) -> dict[Label, int]: ...

    def __len__(self) -> int: ...


@frozen
class NoisyTotal:
    """The sum of the noisy counts of some labels, and an interval for that of their true counts.

    value: the sum as released. low and high: the true sum is between them, both included, but for a probability of at most
    beta, whatever the counts are, if the labels were chosen without looking at the release. labels: how many there are.
    unlisted: how many of them the release does not list, and has at 0. private: whether the release claims privacy.
    """

    value: int
    low: int
    high: int
    beta: mpq
    labels: int
    unlisted: int
    private: bool

    def __str__(self) -> str:
        """One line."""
        many = "1 label" if self.labels == 1 else f"{self.labels:,} labels"
        less = f", {self.unlisted:,} of them not listed" if self.unlisted else ""
        private = "" if self.private else "; NOT PRIVATE: the words come from a seed"
        return (
            f"{self.value} rows of {many}{less}; {self.low}..{self.high} fails with probability at most {self.beta}{private}"
        )


def total_of(noisy: _Released, labels: Iterable[Label], beta: RationalLike) -> NoisyTotal:
    """As NoisyHistogram.total."""
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise ParameterError(f"labels = {shown(labels)} is one label; accepted: several of them, such as ['a', 'b']")
    chosen = list(labels)
    if len(set(chosen)) != len(chosen):
        raise ParameterError("labels holds a label twice; accepted: distinct labels")
    places = [noisy.places.get(label) for label in chosen]
    if noisy.threshold is None and None in places:
        missing = shown(chosen[places.index(None)])
        raise LabelError(f"{missing} is not one of the {len(noisy)} labels; accepted: labels of the release")
    listed = [place for place in places if place is not None]
    return _summed(noisy, total(noisy.counts[listed]) if listed else 0, len(chosen), len(chosen) - len(listed), beta)


def total_between(noisy: _Released, low: int, high: int, beta: RationalLike) -> NoisyTotal:
    """As NoisyHistogram.between."""
    least = integer(low, "low")
    most, labels = integer(high, "high", at_least=least), noisy.labels
    if not all(isinstance(label, int) for label in (labels[:1] if isinstance(labels, range) else labels)):
        raise ParameterError("the labels are text, of which no range is public; accepted: total() of labels")
    if isinstance(labels, range) and labels.step > 0:
        counts = noisy.counts[bisect_left(labels, least) : bisect_right(labels, most)]
    else:
        counts = noisy.counts[[place for place, label in enumerate(labels) if least <= label <= most]]  # type: ignore[operator]  # integers
    many = most - least + 1 if noisy.threshold is not None else int(counts.size)
    return _summed(noisy, total(counts), many, many - int(counts.size), beta)


def _summed(noisy: _Released, value: int, labels: int, unlisted: int, beta: RationalLike) -> NoisyTotal:
    if not labels:
        raise ParameterError("there is no such label in the release; accepted: at least one label")
    plan, least = noisy.plan, None if noisy.threshold is None else max(noisy.threshold, noisy.listed_above)
    found = sum_accuracy(noisy.mechanism, labels, beta, least, plan)
    low, high = (0, noisy.mechanism.n) if noisy.withheld else found.interval(value, unlisted, noisy.mechanism.n)
    return NoisyTotal(value, low, high, found.beta, labels, unlisted, noisy.claim is not None)
