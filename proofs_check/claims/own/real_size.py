"""Histograms of many labels and large counts, our own: what three or four labels with counts up to three do not show.

The explorer follows intervals of draws, so that a law with few outcomes is exact however large the numbers are.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.histograms.twins import NoThresholdFromTheFifth, RawFromTheFourth
from finitedp.proofs_check.claims.bv.sparse.toys import OneUp
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import own, same_law
from finitedp.spec.pmf import Pmf, product

Bins = tuple[tuple[int, int], ...]
Counts = tuple[tuple[int, int], ...]
"""Labels that occur, in order, with their counts."""


# Histograms that draw for the labels they are given


class Many(NamedTuple):
    """Labels with their counts, in a universe of n rows; noise of probability 1/d; the threshold."""

    counts: Counts
    n: int
    d: int
    b: int = 0

    def check_scope(self) -> None:
        in_scope(all(len(each) == 2 for each in self.counts), "a label and its count, each time")
        labels, counts = [x for x, _ in self.counts], [count for _, count in self.counts]
        in_scope(len(set(labels)) == len(labels), "each label once")
        in_scope(all(count >= 1 for count in counts) and sum(counts) <= self.n, "labels that occur, in at most n rows")
        in_scope(self.d >= 2 and 0 <= self.b <= self.n, "noise of a probability below 1, and a threshold in 0..n")

    @property
    def noise(self) -> OneUp:
        return OneUp(self.n, self.d)

    def noisy(self, labels: Iterable[int]) -> Pmf[Bins]:
        """Independent noisy counts of some labels."""
        listed, truths = list(labels), dict(self.counts)
        laws = product([self.noise.law(truths.get(x, 0)) for x in listed])
        return laws.pushforward(lambda noisy: tuple(zip(listed, noisy, strict=True)))


BEYOND = 2**53 + 1  # no float is near
LONG = 2**64
AROUND = tuple((2**32 + x, BEYOND + step) for x, step in enumerate((0, -1, 1, 3, -1, 0, 1)))  # the fifth and sixth below b
THRESHOLDS = cases(
    Many,
    [(AROUND, LONG, 3, BEYOND), (AROUND[::-1], LONG, 2**64, BEYOND), (((0, 2**32), (9, 2**32 + 2)), LONG, 2, 2**32 + 1)],
    [(tuple((x, 2**40 + x % 3) for x in range(10, 18)), LONG, 5, 2**40 + 1)],
)


@own(
    "FD.RealSize.stability",
    """StabilityHistogram releases the noisy counts above b of the labels that occur, sorted by label, also of seven labels,
    and with counts and thresholds beyond 2^32 and 2^53.""",
    over="labels with counts around the threshold; n = 2^64; the joint law of the running code by the explorer",
    code=["finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=THRESHOLDS,
    subject=lambda mechanism, b: StabilityHistogram(mechanism, b, padded=False),
    twins={
        "no threshold from the fifth label on": lambda mechanism, b: NoThresholdFromTheFifth(mechanism, b, padded=False),
        "a float for b": lambda mechanism, b: StabilityHistogram(mechanism, int(float(b)), padded=False),
        "32 bits of b": lambda mechanism, b: StabilityHistogram(mechanism, b % 2**32, padded=False),
        ">= b": lambda mechanism, b: StabilityHistogram(mechanism, b - 1, padded=False),
    },
)
def stability(make: Callable[[OneUp, int], StabilityHistogram[int]], case: Many) -> Finding:
    made = make(case.noise, case.b)
    found = explore(lambda coins: made.release_counts(dict(case.counts), coins)).law()
    every = case.noisy(sorted(x for x, _ in case.counts))
    return same_law(found, every.pushforward(lambda bins: tuple(p for p in bins if p[1] > case.b)), "released bins")


@own(
    "FD.RealSize.basic",
    "BasicHistogram draws a noisy count for each label, also for seven, of counts beyond 2^53, in the order of its labels.",
    over="labels that occur and some that do not; n = 2^64; the joint law of the running code by the explorer",
    code=["finitedp.impl.histograms.basic.BasicHistogram"],
    grid=cases(Many, [(AROUND[:5], LONG, 3), (AROUND[:5][::-1], LONG, 2**64)], [(AROUND, LONG, 2)]),
    subject=BasicHistogram,
    twins={"raw counts from the fourth label on": RawFromTheFourth},
)
def basic(make: Callable[[OneUp, Sequence[int]], BasicHistogram[int]], case: Many) -> Finding:
    labels = [*(x for x, _ in case.counts), 5, 2**64]
    in_scope(len(set(labels)) == len(labels), "each label once")
    histogram = make(case.noise, labels)
    found = explore(lambda coins: histogram.release_counts(dict(case.counts), coins)).law()
    return same_law(found, case.noisy(labels), "released bins")


class _KeptFromTheFifth(KeepHeavy[int]):
    """Broken: labels from the fifth on are released whatever their noisy counts are."""

    def release_counts(self, counts: Any, coins: Coins) -> Bins:  # noqa: ANN401  # as the original
        bins = self.histogram.release_counts(counts, coins)
        bar = sorted((count for _, count in bins), reverse=True)[self.histogram.mechanism.n]
        return tuple(pair for i, pair in enumerate(bins) if pair[1] > bar or i >= 4)


@own(
    "FD.RealSize.keep-heavy",
    "KeepHeavy releases the noisy counts above the (n+1)-th largest, also of six labels that occur among eight.",
    over="six labels and fewer; labels beyond 2^64; the joint law of the running code by the explorer",
    code=["finitedp.impl.histograms.sparse.KeepHeavy"],
    grid=cases(
        Many,
        [(tuple((2**64 + x, 1) for x in range(6)), 6, 3), (((2**64 + 1, 3), (2**64 + 4, 2), (2**64 + 7, 1)), 6, 2)],
        [(tuple((2**64 + x, 1) for x in range(1, 8)), 7, 2)],
    ),
    subject=KeepHeavy,
    twins={"kept from the fifth label on": _KeptFromTheFifth},
)
def keep_heavy(make: Callable[[BasicHistogram[int]], KeepHeavy[int]], case: Many) -> Finding:
    labels = [2**64 + x for x in range(8)]
    in_scope(dict(case.counts).keys() <= set(labels) and case.n < len(labels), "labels among eight, and fewer rows")
    histogram = make(BasicHistogram(case.noise, labels))
    found = explore(lambda coins: histogram.release_counts(dict(case.counts), coins)).law()
    return same_law(found, case.noisy(labels).pushforward(lambda bins: _heaviest(bins, case.n)), "released bins")


def _heaviest(bins: Bins, n: int) -> Bins:
    bar = sorted((count for _, count in bins), reverse=True)[n]
    return tuple(pair for pair in bins if pair[1] > bar)
