"""Theorem 5.3 and Figure 3 of Balcer and Vadhan: BasicHistogram with FastSample, which is what is released."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import ceil_log
from finitedp.impl.counting import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histogram import BasicHistogram, basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.proofs_check import twins
from finitedp.proofs_check.findings import all_of, at_most, equal, of_accuracy
from finitedp.proofs_check.ledger import Finding, entry
from finitedp.proofs_check.running import exploration, running_law
from finitedp.proofs_check.verdict import check_accuracy
from finitedp.spec.accuracy import miss_probability, simultaneous_miss
from finitedp.spec.divergence import product_max_ratio

Labels = tuple[str, ...]


def _counts(size: int, n: int) -> Iterable[tuple[int, ...]]:
    return (c for c in product(range(n + 1), repeat=size) if sum(c) == n)


class Release(NamedTuple):
    """|X|, n, epsilon = 1/q, beta_0 = 1/b."""

    size: int
    n: int
    q: int
    b: int


def _releases_quick() -> list[Release]:
    return [*(Release(*case) for case in product((1, 2, 3), (1, 2, 3), (1, 3), (2, 20))), Release(2, 40, 1, 20)]


def _releases_full() -> list[Release]:
    return [Release(*case) for case in product((1, 2, 3, 4), (1, 2, 3, 4, 6), (1, 2, 10), (1, 20, 1000))] + [
        Release(2, 80, 1, 100),
        Release(2, 80, 2, 20),
    ]


def _as_stated(labels: Labels, n: int, epsilon: mpq, beta_0: mpq) -> BasicHistogram[str]:
    return basic_histogram_with_fast_sample(labels, n, epsilon, beta_0)


def _broken(counting: Callable[[int, mpq, mpq], FastSample]) -> Callable[[Labels, int, mpq, mpq], BasicHistogram[str]]:
    def make(labels: Labels, n: int, epsilon: mpq, beta_0: mpq) -> BasicHistogram[str]:
        return BasicHistogram(counting(n, epsilon, beta_0 / (2 * len(labels))), labels)

    return make


def _narrow_fast(n: int, epsilon: mpq, gamma: mpq) -> FastSample:
    return twins.FastTooNarrow(n, epsilon, gamma)


def _wide_fast(n: int, epsilon: mpq, gamma: mpq) -> FastSample:
    return twins.FastTooWide(n, epsilon, gamma)


def _early_fast(n: int, epsilon: mpq, gamma: mpq) -> FastSample:
    return twins.FastEarlyExit(n, epsilon, gamma)


MakeRelease = Callable[[Labels, int, mpq, mpq], BasicHistogram[str]]
RELEASES = (_releases_quick, _releases_full)


def _made(make: MakeRelease, case: Release) -> BasicHistogram[str]:
    return make(tuple("abcdefgh"[: case.size]), case.n, mpq(1, case.q), mpq(1, case.b))


@entry(
    "BV.Thm5.3.i",
    "theorem",
    "BasicHistogram over X with FastSample at gamma = beta_0 / (2|X|) is (epsilon, 0)-differentially private.",
    over="every pair of neighbouring datasets, by the ratios of the two bins that change (see FD.Factored)",
    code=["finitedp.impl.histogram.basic_histogram_with_fast_sample"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"k one too small": _broken(_narrow_fast)},
)
def fast_histogram_privacy(make: MakeRelease, case: Release) -> Finding:
    mechanism = _made(make, case)
    law = running_law(mechanism.mechanism)
    claim = _made(_as_stated, case).claim()
    findings = [Finding(True, mpq(0), "one label has no neighbours")]
    for x, y in product(range(1, case.n + 1), range(case.n)):
        if case.size > 1 and x + y <= case.n:  # a row moves from a bin with x rows to a bin with y rows
            worst = product_max_ratio([(law(x), law(x - 1)), (law(y), law(y + 1))])
            detail = f"counts {x},{y} to {x - 1},{y + 1}"
            exceeds = worst.exceeds_exp(claim.epsilon) or (claim.ratio is not None and worst.exceeds_ratio(claim.ratio))
            findings.append(Finding(not exceeds, mpq(2) if worst.infinite else worst.value / (claim.ratio or 1), detail))
    return all_of(findings)


def _misses(make: MakeRelease, case: Release, kind: str) -> Finding:
    mechanism = _made(make, case)
    law = running_law(mechanism.mechanism)
    findings = []
    least = mpq(1, case.b) if kind == "simultaneous" else mpq(1, case.b * case.size)
    for beta in {least, *(b for b in (mpq(1, 20), mpq(1, 2), mpq(1)) if b >= least)}:
        per_query, simultaneous = basic_histogram_accuracy(case.size, mpq(1, case.q), beta)
        a, misses = (simultaneous if kind == "simultaneous" else per_query).a, []
        for truths in _counts(case.size, case.n):
            bins = [(law(c), c) for c in truths]
            worst = max(miss_probability(p, c, a) for p, c in bins)
            misses.append((f"counts {truths}", simultaneous_miss(bins, a) if kind == "simultaneous" else worst))
        findings.append(of_accuracy(check_accuracy(misses, beta), beta, a))
    return all_of(findings)


@entry(
    "BV.Thm5.3.ii",
    "theorem",
    "It has (a, beta)-per-query accuracy for a = ceil(9/(2 epsilon) ln(2/beta)) and every beta >= 2 gamma.",
    over="every dataset and label; beta = 2 gamma, 1/20, 1/2, 1 where admissible",
    code=["finitedp.impl.histogram.basic_histogram_accuracy"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"noise four times too wide": _broken(_wide_fast)},
)
def fast_histogram_per_query(make: MakeRelease, case: Release) -> Finding:
    return _misses(make, case, "per-query")


@entry(
    "BV.Thm5.3.iii",
    "theorem",
    "It has (a, beta)-simultaneous accuracy for a = ceil(9/(2 epsilon) ln(2|X|/beta)) and every beta >= beta_0.",
    over="every dataset; beta = beta_0, 1/20, 1/2, 1 where admissible; the product of the bins' exact probabilities",
    code=["finitedp.impl.histogram.basic_histogram_accuracy"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"noise four times too wide": _broken(_wide_fast)},
)
def fast_histogram_simultaneous(make: MakeRelease, case: Release) -> Finding:
    return _misses(make, case, "simultaneous")


@entry(
    "BV.Thm5.3.iv",
    "theorem",
    """It takes |X| draws and |X| ceil(log2(n+1)) comparisons of integers of at most (k+1)(t+2) + log2((n+1)/gamma) + 3 bits,
    the same for every dataset.""",
    over="every count and path of one bin, |X| bins",
    code=["finitedp.impl.histogram.BasicHistogram.cost"],
    grid=RELEASES,
    subject=_as_stated,
    twins={"a search that exits early": _broken(_early_fast)},
)
def fast_histogram_cost(make: MakeRelease, case: Release) -> Finding:
    mechanism = _made(make, case)
    counting = mechanism.mechanism
    assert isinstance(counting, FastSample)  # noqa: S101  # narrows the type
    shapes = frozenset().union(*(exploration(counting, c).shapes for c in range(case.n + 1)))
    cost = mechanism.cost()
    expected = frozenset({((counting.d,), cost.steps // case.size + 2)})
    bits = (counting.k + 1) * (counting.t + 2) + int((case.n + 1) / counting.gamma).bit_length() + 3
    return all_of(
        [
            equal(shapes, expected, "the same on every path of a bin"),
            equal((cost.draws, cost.steps), (case.size, case.size * int(case.n).bit_length()), "draws and steps"),
            at_most(int(counting.d).bit_length(), bits, "bits of d:"),
        ]
    )


# Figure 3


class Column(NamedTuple):
    """A line of Figure 3: the mechanism, |X|, n, epsilon = 1/q and beta."""

    mechanism: str
    size: int
    n: int
    q: int
    beta: mpq


def _columns_quick() -> list[Column]:
    betas = (mpq(1, 2), mpq(1, 20))
    return [Column(*case) for case in product(("geo-sample", "fast-sample"), (1, 3), (3, 6), (1, 3), betas)]


def _columns_full() -> list[Column]:
    betas = (mpq(1, 2), mpq(1, 20), mpq(1, 10**4))
    return [Column(*case) for case in product(("geo-sample", "fast-sample"), (1, 2, 3), (4, 12, 24), (1, 2, 10), betas)]


@entry(
    "BV.Fig3",
    "figure",
    """Errors of BasicHistogram: ceil(9/(2 epsilon) ln(1/beta)) per query and ceil(9/(2 epsilon) ln(|X|/beta)) simultaneously
    with GeoSample; with FastSample the same with 2/beta (beta_0 = beta). The line of the geometric mechanism is Theorem
    4.6 ii.""",
    over="every count; the accuracy columns; the union of bins by its product form",
    code=["finitedp.impl.histogram.BasicHistogram", "finitedp.exact.ceil_log"],
    grid=(_columns_quick, _columns_full),
    subject=ceil_log,
    twins={"a sixth of a": lambda scale, argument: ceil_log(scale, argument) // 6},
)
def figure_three(ceiling: Callable[[mpq, mpq], int], case: Column) -> Finding:
    extra, epsilon = (2 if case.mechanism == "fast-sample" else 1), mpq(1, case.q)
    mechanism: CountingMechanism = GeoSample(case.n, epsilon)
    if case.mechanism == "fast-sample":
        mechanism = FastSample(case.n, epsilon, mpq(1, -(-2 * case.size // case.beta)))
    law, scale = running_law(mechanism), mpq(9 * case.q, 2)
    single, every = ceiling(scale, extra / case.beta), ceiling(scale, extra * case.size / case.beta)
    misses = [(f"count {c}", miss_probability(law(c), c, single)) for c in range(case.n + 1)]
    shapes = _counts(case.size, case.n)
    together = [(f"counts {cs}", simultaneous_miss([(law(c), c) for c in cs], every)) for cs in shapes]
    return all_of(
        [
            of_accuracy(check_accuracy(misses, case.beta), case.beta, single),
            of_accuracy(check_accuracy(together, case.beta), case.beta, every),
        ]
    )
