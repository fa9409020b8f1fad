"""How often a histogram's counts are off by more than it states: per query, and all of them together."""

from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from gmpy2 import mpq

from finitedp.claim import HistogramAccuracy
from finitedp.proofs_check.claims.bv.sparse.subjects import Released, running_law
from finitedp.proofs_check.deciders.verdict import check_accuracy
from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.findings import of_accuracy
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.histogram import histogram

L = TypeVar("L", bound=Hashable)


def per_query(
    made: Released[L, Any], stated: HistogramAccuracy, universe: Sequence[L], datasets: Sequence[tuple[L, ...]]
) -> Finding:
    """Each label with a count above the stated one is off by more than a_1 with at most the stated probability."""
    single, above, _ = stated
    misses: list[tuple[str, mpq]] = []
    for dataset in datasets:
        law = running_law(made, dataset)
        for x, truth in zip(universe, histogram(dataset, universe), strict=True):
            if truth > above:
                released = law.pushforward(lambda bins, x=x: dict(bins).get(x, 0))  # type: ignore[misc]
                misses.append((f"{dataset}, {x}", miss_probability(released, truth, single.a)))
    return of_accuracy(check_accuracy(misses, single.beta), single.beta, single.a)


def simultaneous(
    made: Released[L, Any], stated: HistogramAccuracy, universe: Sequence[L], datasets: Sequence[tuple[L, ...]]
) -> Finding:
    """Some label is off by more than 2 a_2 with at most the stated probability."""
    _, _, every = stated
    misses: list[tuple[str, mpq]] = []
    for dataset in datasets:
        truths = dict(zip(universe, histogram(dataset, universe), strict=True))
        close = running_law(made, dataset).probability(
            lambda bins, truths=truths: all(abs(dict(bins).get(x, 0) - truth) <= every.a for x, truth in truths.items())  # type: ignore[misc]
        )
        misses.append((f"{dataset}", 1 - close))
    return of_accuracy(check_accuracy(misses, every.beta), every.beta, every.a)
