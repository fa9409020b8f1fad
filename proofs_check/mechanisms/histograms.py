"""The histograms of the registry: laws over a few labels, from their definitions and their running code."""

from collections.abc import Callable
from functools import cache
from math import comb, perm
from typing import Any

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy, SparseHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.universe import Listed
from finitedp.proofs_check.checks.symmetry import relabel_partial_vector, relabel_sorted_vector
from finitedp.proofs_check.limits import MOST_LABELS_OF_A_LAW, MOST_PROBABILITIES
from finitedp.proofs_check.mechanisms.counting import N, bits_of, counting_law, stands_on, stands_on_options
from finitedp.proofs_check.mechanisms.kinds import (
    Law,
    Mechanism,
    Option,
    Relabel,
    Subject,
    integer_from,
    unit,
)
from finitedp.spec import compact as spec_compact
from finitedp.spec import sparse as spec_sparse
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.pmf import Pmf
from finitedp.spec.stability import stability_histogram

_LABELS = Option("labels", "integer", "The number of labels |X|.", integer_from(1, MOST_LABELS_OF_A_LAW))
_THRESHOLD = Option("threshold", "integer", "Counts up to this one are not released.", integer_from(0))
_DELTA = Option("delta", "rational", "The distance from keep-heavy, 1/r.", unit(2))
_BETA_1 = Option("beta_1", "rational", "How often the output is random, 1/b.", unit(2))


def _named(labels: int) -> tuple[str, ...]:
    """x1, x2, ..., of one width, so that their order is the alphabet's."""
    return tuple(f"x{i:0{len(str(labels))}d}" for i in range(1, labels + 1))


def _subject(
    counting: CountingMechanism,
    labels: tuple[str, ...],
    histogram: Any,  # noqa: ANN401  # of any kind
    law: Law,
    relabel: Relabel = relabel_sorted_vector,
    *,
    outputs: int | None = None,
    paths: int | None = None,
) -> Subject:
    """A histogram over these labels; by default its outputs, or the explorer's paths, are counts of each label."""
    each = (counting.n + 1) ** len(labels)
    return Subject(
        n=counting.n,
        law=cache(law),
        claim=histogram.claim(),
        release=histogram.release,
        bits=bits_of(counting) * len(labels),
        outputs=outputs or each,
        paths=paths or outputs or each,
        labels=labels,
        relabel=relabel,
    )


def _basic(n: int, labels: int, **choice: Any) -> Subject:  # noqa: ANN401  # the options of stands_on
    counting, named = stands_on(n, **choice), _named(labels)
    one = counting_law(counting)
    histogram = BasicHistogram(counting, named)
    return _subject(counting, named, histogram, lambda data: basic_histogram(data, named, one), relabel_partial_vector)


def _stability(n: int, labels: int, threshold: int, **choice: Any) -> Subject:  # noqa: ANN401  # as of stands_on
    """Without padding, whose draws have no part in the output (the ledger's BV.Alg5.4 checks the padded release)."""
    counting = stands_on(n, **choice)
    one = counting_law(counting)
    histogram: StabilityHistogram[str] = StabilityHistogram(counting, threshold, padded=False)
    return _subject(counting, _named(labels), histogram, lambda data: stability_histogram(data, one, threshold))


def _heavy_law(counting: CountingMechanism, labels: tuple[str, ...]) -> Law:
    one = counting_law(counting)
    return lambda data: spec_sparse.keep_heavy(data, labels, one, counting.n)


def _keep_heavy(n: int, labels: int, **choice: Any) -> Subject:  # noqa: ANN401  # as of stands_on
    counting, named = stands_on(n, **choice), _named(labels)
    return _subject(counting, named, KeepHeavy(BasicHistogram(counting, named)), _heavy_law(counting, named))


def _paths(n: int, size: int) -> int:
    """About how many paths KH' has: counts of labels that occur, sequences of others, their order statistics."""
    return max(int((n + 1) ** k) * perm(size - k, n + 1) * comb(2 * n + 1, n) for k in range(1, n + 1))


def _sampled_keep_heavy(n: int, labels: int, **choice: Any) -> Subject:  # noqa: ANN401  # as of stands_on
    counting, named = stands_on(n, **choice), _named(labels)
    histogram: SampledKeepHeavy[str] = SampledKeepHeavy(counting, Listed(named))
    return _subject(counting, named, histogram, _heavy_law(counting, named), paths=_paths(n, labels))


def _sparse_law(histogram: SparseHistogram[str], labels: tuple[str, ...]) -> Law:
    one, n = counting_law(histogram.mechanism), histogram.mechanism.n
    return lambda data: spec_sparse.sparse_histogram(data, labels, one, n, histogram.s)


def _sparse(n: int, labels: int, delta: mpq, **choice: Any) -> Subject:  # noqa: ANN401  # as of stands_on
    counting, named = stands_on(n, **choice), _named(labels)
    histogram: SparseHistogram[str] = SparseHistogram(counting, Listed(named), delta)
    return _subject(counting, named, histogram, _sparse_law(histogram, named), outputs=_paths(n, labels))


def _pure_sparse(n: int, labels: int, beta_1: mpq, epsilon: mpq, gamma: mpq | None = None) -> Subject:
    counting, named = stands_on(n, epsilon, gamma), _named(labels)
    histogram: PureSparseHistogram[str] = PureSparseHistogram(counting, Listed(named), epsilon, beta_1)
    sparse = _sparse_law(histogram.sparse, named)
    outputs = _paths(n, labels) + (labels * (n + 1)) ** n
    law: Law = lambda data: spec_sparse.pure_sparse_histogram(sparse(data), named, n, beta_1)  # noqa: E731  # as the others
    return _subject(counting, named, histogram, law, outputs=outputs)


def _compact(n: int, labels: int, **choice: Any) -> Subject:  # noqa: ANN401  # as of stands_on
    """Over the least field that the mechanism fits into. The outputs are polynomials, as tuples of coefficients."""
    counting, named = stands_on(n, **choice), _named(labels)
    histogram: CompactHistogram[str] = CompactHistogram(counting, Listed(named))
    order, one = histogram.base.order, counting_law(counting)
    outputs = order ** (n + 1)
    if outputs > MOST_PROBABILITIES:
        raise ParameterError(
            f"that is a family of 2^{histogram.base.bits * (n + 1)} polynomials, more than {MOST_PROBABILITIES:,}: "
            "take a smaller n or a larger epsilon"
        )
    sampler = spec_compact.empty_bin_sampler(one(0), int(counting.d), order)

    def law(data: Any) -> Pmf[tuple[int, ...]]:  # noqa: ANN401  # labels
        rows = [named.index(label) for label in data]
        return spec_compact.compact_histogram(rows, n, one, sampler, histogram.level)

    bits = bits_of(counting) * labels
    release: Callable[..., Any] = lambda data, coins: histogram.release(data, coins).coefficients  # noqa: E731
    return Subject(n, cache(law), histogram.claim(), release, bits, outputs, outputs, named)


_ON_TABLES, _ON_THE_PAPERS = stands_on_options(tables=True), stands_on_options(tables=False)

HISTOGRAMS = (
    Mechanism(
        name="basic",
        summary="A histogram of independent counts (Algorithm 5.1).",
        options=(N, _LABELS, *_ON_TABLES),
        make=_basic,
        claims=("BV.Alg5.1", "BV.Thm5.2.i", "BV.Thm5.3.i", "FD.Dyadic.basic.law", "FD.Dyadic.basic.private"),
        input="counts",
    ),
    Mechanism(
        name="stability",
        summary="The counts of labels that occur, where large enough (Algorithm 5.4).",
        options=(N, _LABELS, _THRESHOLD, *_ON_TABLES),
        make=_stability,
        claims=("BV.Alg5.4", "BV.Thm5.5.i", "BV.Thm5.6.i", "FD.Dyadic.stability.law", "FD.Dyadic.stability.private"),
        input="counts",
    ),
    Mechanism(
        name="keep-heavy",
        summary="The counts heavier than n others, of at least n + 1 labels (Algorithm 6.1).",
        options=(N, _LABELS, *_ON_THE_PAPERS),
        make=_keep_heavy,
        claims=("BV.Alg6.1", "BV.Thm6.2.i", "BV.Lem6.3", "FD.KeepHeavy.bin"),
        input="counts",
    ),
    Mechanism(
        name="sampled-keep-heavy",
        summary="The law of keep-heavy without all draws, of at least 2n + 1 labels (Algorithm 6.4).",
        options=(N, _LABELS, *_ON_THE_PAPERS),
        make=_sampled_keep_heavy,
        claims=("BV.Alg6.4", "BV.Prop6.5", "FD.SampledKeepHeavy.private"),
        input="counts",
    ),
    Mechanism(
        name="sparse",
        summary="Nearly the law of keep-heavy, of at least 2n + 1 labels (Algorithm 6.21).",
        options=(N, _LABELS, _DELTA, *_ON_THE_PAPERS),
        make=_sparse,
        claims=("BV.Alg6.21", "BV.Thm6.8.i", "BV.Thm6.8.ii"),
        input="counts",
    ),
    Mechanism(
        name="pure-sparse",
        summary="As sparse, but mixed with random outputs, so that delta is 0 (Algorithm 6.9).",
        options=(N, _LABELS, _BETA_1, *_ON_THE_PAPERS),
        make=_pure_sparse,
        claims=("BV.Alg6.9", "BV.Thm6.10.i", "BV.Thm6.11.i"),
        input="counts",
    ),
    Mechanism(
        name="compact",
        summary="A polynomial's coefficients, small enough for n = 1 alone (Algorithm 8.2).",
        options=(N, _LABELS, *_ON_THE_PAPERS),
        make=_compact,
        claims=("BV.Alg8.2", "BV.Thm8.3.i", "BV.Thm8.6.i", "FD.Dyadic.compact.law", "FD.Dyadic.compact.private"),
        input="counts",
    ),
)
