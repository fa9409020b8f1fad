"""Histograms on dyadic tables, our own: exact accuracy above a threshold, and whole arrays of counts on all words."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from attrs import evolve
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import Accuracy
from finitedp.exact import RationalLike
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import release_array
from finitedp.impl.histograms.dyadic import (
    stability_histogram_with_dyadic_sample,
    stability_release_array,
    threshold_accuracy,
)
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.words import WordSource
from finitedp.proofs_check.checks.worst_case import miss_over_partitions
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Case, Listed, Rows, Threshold
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law
from finitedp.proofs_check.ledger.grids import letters
from finitedp.spec import stability as spec_stability
from finitedp.spec.accuracy import least_accuracy, miss_probability
from finitedp.spec.pmf import Pmf

ACCURACY = cases(
    Case,
    [
        *((1, 12, "3", 12, "1/3"), (1, 5, "20", 64, "1/1000000")),
        *((1, 40, "1", 16, "1/10"), (1, 30, "2", 64, "1/100"), (1, 24, "4", 128, "1/10000")),
    ],
    [
        *((1, 90, "1/2", 64, "1/20"), (1, 60, "1", 18, "1/50"), (1, 70, "3", 64, "1/1000000")),
        (1, 41, "2", 54, "2/7"),
    ],
)


class AtBeta(NamedTuple):
    """A table with its threshold, and beta."""

    of: Threshold
    beta: mpq

    def check_scope(self) -> None:
        self.of.check_scope()
        in_scope(0 < self.beta <= 1, "beta in (0, 1]")


Accurate = Callable[[StabilityHistogram[Any], RationalLike], tuple[Accuracy, int, Accuracy]]


def _with_a(step: int) -> Accurate:
    """Broken: the simultaneous error is another."""

    def accurate(made: StabilityHistogram[Any], beta: RationalLike) -> tuple[Accuracy, int, Accuracy]:
        single, above, every = threshold_accuracy(made, beta)
        return single, above, evolve(every, a=every.a + step)

    return accurate


@own(
    "FD.Dyadic.stability.accuracy",
    """StabilityHistogram on a dyadic table has (a, beta)-per-query accuracy on counts above a + b, where (a, beta) is the
    mechanism's, and (A, beta)-simultaneous accuracy for the least A >= b such that every count's error exceeds A with
    probability at most beta / n.""",
    over="every count, by the law of one bin from spec; every dataset of n rows over any universe, by its partitions",
    code=["finitedp.impl.histograms.dyadic.threshold_accuracy"],
    grid=ACCURACY,
    subject=threshold_accuracy,
    twins={
        "A one less": _with_a(-1),
        "per query above b alone": lambda made, beta: (
            threshold_accuracy(made, beta)[0],
            made.b,
            threshold_accuracy(made, beta)[2],
        ),
        "A one more": _with_a(1),
    },
    derived_from=("FD.Dyadic.law", "FD.Dyadic.stability.law", "BV.Thm5.5.ii", "BV.Thm5.5.iii"),
    by="multiplying over independent bins, each with the law of DyadicSample from spec behind the threshold",
)
@over(lambda case: (AtBeta(case.stable, beta) for beta in (mpq(1, 3), mpq(1, 20), mpq(1, 1000))))
def accuracy(stated: Accurate, case: AtBeta) -> Iterator[Finding]:
    of, beta = case
    made, laws, bins, at = _bins(of)
    single, above, every = stated(made, beta)
    counting = max(least_accuracy(law, c, beta) for c, law in enumerate(laws))
    misses = [miss_probability(bins[c], c, single.a) for c in range(above + 1, of.n + 1)]
    least = next(a for a in range(made.b, of.n + 1) if at[a] <= beta / of.n)
    joint = miss_over_partitions([1 - miss_probability(bins[c], c, every.a) for c in range(of.n + 1)], of.n)
    kinds = [(x.kind, x.beta, x.source) for x in (single, every)]
    named = "FD.Dyadic.stability.accuracy"
    yield equal(kinds, [("per-query", beta, named), ("simultaneous", beta, named)], "stated kinds")
    yield equal((single.a, above), (counting, counting + made.b), "stated per-query accuracy")
    yield at_most(max(misses, default=mpq(0)), beta, f"miss of a count above {above}")
    yield equal(every.a, least, "stated simultaneous accuracy")
    yield at_most(joint, beta, f"simultaneous miss, A={every.a}:")


@lru_cache(maxsize=4)
def _histogram(of: Threshold) -> StabilityHistogram[Any]:
    of.check_shown()
    return stability_histogram_with_dyadic_sample(of.n, of.epsilon, of.delta, of.word)


@lru_cache(maxsize=4)
def _bins(of: Threshold) -> tuple[StabilityHistogram[Any], list[Pmf[int]], list[Pmf[int]], list[mpq]]:
    """The histogram; by count the laws of a noisy one and of a released one; by error the largest miss of any count."""
    made = _histogram(of)
    laws = [of.law(c) for c in range(of.n + 1)]
    bins = [law.pushforward(lambda x: x if x > made.b else 0) if c else Pmf.point(0) for c, law in enumerate(laws)]
    return made, laws, bins, [max(miss_probability(law, c, a) for c, law in enumerate(bins)) for a in range(of.n + 1)]


# Arrays


ArrayRelease = Callable[[StabilityHistogram[Any], NDArray[np.int64], WordSource], tuple[NDArray[np.intp], NDArray[np.int64]]]


def _of_zeros_too(made: StabilityHistogram[Any], counts: NDArray[np.int64], words: WordSource) -> tuple[Any, Any]:
    """Labels that do not occur are drawn for like the others."""
    size = made.mechanism.n - counts.size
    assert isinstance(made.mechanism, DyadicSample)  # noqa: S101  # narrows the type
    noisy = release_array(made.mechanism, np.append(counts, np.zeros(max(size, 0), np.int64)), words)
    kept = np.flatnonzero(noisy[: counts.size] > made.b)
    return kept, noisy[kept]


@own(
    "FD.Dyadic.stability.arrays",
    """On arrays, StabilityHistogram on a dyadic table has the law of the definition, and reads n words in the same pieces
    whatever the counts are.""",
    over="every dataset of at most n rows, as counts of all labels; all words of all draws, tried one after the other",
    code=["finitedp.impl.histograms.dyadic.stability_release_array"],
    grid=cases(
        Case,
        [(2, 2, "6", 3, "1/2"), (3, 2, "6", 3, "1/2"), (2, 3, "9", 3, "1/2")],
        [(3, 2, "6", 4, "1/2"), (2, 2, "2", 5, "1/3"), (3, 3, "7", 4, "1/8"), (2, 2, "3", 6, "1/5"), (4, 2, "5", 5, "1/8")],
    ),
    subject=stability_release_array,
    twins={
        "b one less": lambda made, c, w: stability_release_array(StabilityHistogram(made.mechanism, made.b - 1), c, w),
        "b one more": lambda made, c, w: stability_release_array(StabilityHistogram(made.mechanism, made.b + 1), c, w),
        "not padded": lambda made, c, w: stability_release_array(
            StabilityHistogram(made.mechanism, made.b, padded=False), c, w
        ),
        "labels that do not occur": _of_zeros_too,
    },
)
@over(Case.rows)
def arrays(release: ArrayRelease, case: Rows) -> Finding:
    of, universe = case.of, letters(len(case.counts))
    made = _histogram(of)
    found, reads, counts = dict[Any, int](), set[tuple[int, ...]](), np.array(case.counts, np.int64)
    for words in product(range(2**of.word), repeat=of.n):
        source = Listed(words, of.word)
        places, noisy = release(made, counts, source)
        output = tuple((universe[i], c) for i, c in zip(places.tolist(), noisy.tolist(), strict=True))
        found[output] = found.get(output, 0) + 1
        reads.add(tuple(source.reads))
    expected = spec_stability.stability_histogram(case.data, of.law, of.b)
    return all_of([same_law(Pmf(found), expected, "".join(case.data)), equal(reads, {(8 * of.n,)}, "bytes read")])
