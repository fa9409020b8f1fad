"""Histograms on dyadic tables, our own: exact accuracy above a threshold, and whole arrays of counts on all words."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
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
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Case, Listed
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, same_law
from finitedp.spec import stability as spec_stability
from finitedp.spec.accuracy import least_accuracy, miss_probability
from finitedp.spec.histogram import histogram
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
Accurate = Callable[[StabilityHistogram[Any], RationalLike], tuple[Accuracy, int, Accuracy]]


def _one_less(made: StabilityHistogram[Any], beta: RationalLike) -> tuple[Accuracy, int, Accuracy]:
    single, above, every = threshold_accuracy(made, beta)
    return single, above, Accuracy(every.a - 1, every.beta, every.kind, every.source)


def _one_more(made: StabilityHistogram[Any], beta: RationalLike) -> tuple[Accuracy, int, Accuracy]:
    single, above, every = threshold_accuracy(made, beta)
    return single, above, Accuracy(every.a + 1, every.beta, every.kind, every.source)


def _above_b(made: StabilityHistogram[Any], beta: RationalLike) -> tuple[Accuracy, int, Accuracy]:
    single, _, every = threshold_accuracy(made, beta)
    return single, made.b, every


@entry(
    "FD.Dyadic.stability.accuracy",
    "own",
    """StabilityHistogram on a dyadic table has (a, beta)-per-query accuracy on counts above a + b, where (a, beta) is the
    mechanism's, and (A, beta)-simultaneous accuracy for the least A >= b such that every count's error exceeds A with
    probability at most beta / n.""",
    over="every count, by the law of one bin from spec; every dataset of n rows over any universe, by its partitions",
    code=["finitedp.impl.histograms.dyadic.threshold_accuracy"],
    grid=ACCURACY,
    subject=threshold_accuracy,
    twins={
        "A one less": _one_less,
        "per query above b alone": _above_b,
        "A one more": _one_more,
    },
    derived_from=("FD.Dyadic.law", "FD.Dyadic.stability.law", "BV.Thm5.5.ii", "BV.Thm5.5.iii"),
    by="multiplying over independent bins, each with the law of DyadicSample from spec behind the threshold",
)
def accuracy(stated: Accurate, case: Case) -> Finding:
    made, findings = stability_histogram_with_dyadic_sample(case.n, case.epsilon, case.delta, case.word), []
    laws = [case.law(c) for c in range(case.n + 1)]
    bins = [law.pushforward(lambda x: x if x > made.b else 0) if c else Pmf.point(0) for c, law in enumerate(laws)]
    # the largest miss of any count, by the error allowed, which falls
    at = [max(miss_probability(law, c, a) for c, law in enumerate(bins)) for a in range(case.n + 1)]
    for beta in (mpq(1, 3), mpq(1, 20), mpq(1, 1000)):
        single, above, every = stated(made, beta)
        counting = max(least_accuracy(law, c, beta) for c, law in enumerate(laws))
        misses = [miss_probability(bins[c], c, single.a) for c in range(above + 1, case.n + 1)]
        least = next(a for a in range(made.b, case.n + 1) if at[a] <= beta / case.n)
        joint = miss_over_partitions([1 - miss_probability(bins[c], c, every.a) for c in range(case.n + 1)], case.n)
        kinds = [(x.kind, x.beta, x.source) for x in (single, every)]
        named = "FD.Dyadic.stability.accuracy"
        findings += [
            equal(kinds, [("per-query", beta, named), ("simultaneous", beta, named)], "stated kinds"),
            equal((single.a, above), (counting, counting + made.b), "stated per-query accuracy"),
            at_most(max(misses, default=mpq(0)), beta, f"miss of a count above {above}"),
            equal(every.a, least, "stated simultaneous accuracy"),
            at_most(joint, beta, f"simultaneous miss, A={every.a}:"),
        ]
    return all_of(findings)


# Arrays


ArrayRelease = Callable[[StabilityHistogram[Any], NDArray[np.int64], WordSource], tuple[NDArray[np.intp], NDArray[np.int64]]]


def _of_zeros_too(made: StabilityHistogram[Any], counts: NDArray[np.int64], words: WordSource) -> tuple[Any, Any]:
    """Labels that do not occur are drawn for like the others."""
    size = made.mechanism.n - counts.size
    assert isinstance(made.mechanism, DyadicSample)  # noqa: S101  # narrows the type
    noisy = release_array(made.mechanism, np.append(counts, np.zeros(max(size, 0), np.int64)), words)
    kept = np.flatnonzero(noisy[: counts.size] > made.b)
    return kept, noisy[kept]


@entry(
    "FD.Dyadic.stability.arrays",
    "own",
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
def arrays(release: ArrayRelease, case: Case) -> Finding:
    made, findings, reads = stability_histogram_with_dyadic_sample(*case[1:3], case.delta, case.word), [], set()
    for data in case.datasets():
        counts, found = np.array(histogram(data, case.universe), np.int64), dict[Any, int]()
        for words in product(range(2**case.word), repeat=case.n):
            source = Listed(words, case.word)
            places, noisy = release(made, counts, source)
            output = tuple((case.universe[i], c) for i, c in zip(places.tolist(), noisy.tolist(), strict=True))
            found[output] = found.get(output, 0) + 1
            reads.add(tuple(source.reads))
        expected = spec_stability.stability_histogram(data, case.law, case.threshold())
        findings.append(same_law(Pmf(found), expected, "".join(data)))
    return all_of([*findings, equal(reads, {(8 * case.n,)}, "bytes read")])
