"""Sums of noisy counts: their error bars hold for all counts, and are the narrowest of their kind."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.sums import Noise, SumAccuracy, sum_accuracy
from finitedp.proofs_check.claims.own.blanket.slots import THREE, Numbers, Release
from finitedp.proofs_check.claims.own.blanket.subjects import Unchecked, built, counted, datasets, specified
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, in_turn, own
from finitedp.spec import dyadic as spec
from finitedp.spec.blanket import law as law_of
from finitedp.spec.pmf import Pmf, convolution
from finitedp.spec.released import sums

Sums = Callable[[Noise, int, mpq, int | None, BlanketPlan | None], SumAccuracy]
HIDDEN = 1 << 10  # in a sum of released counts, which stays below: a label that is not listed


class Case(NamedTuple):
    """A dyadic table, so many labels, beta, and a threshold."""

    n: int
    epsilon: str
    word: int
    labels: int
    beta: str
    threshold: int | None = None

    @property
    def mechanism(self) -> DyadicSample:
        return DyadicSample(self.n, self.epsilon, self.word)

    def counts(self) -> Iterator[tuple[int, ...]]:
        """All true counts, by falling count: the bars do not tell labels from each other."""
        return _falling(self.labels, self.n, self.n)


def _falling(labels: int, rows: int, most: int) -> Iterator[tuple[int, ...]]:
    if not labels:
        yield ()
        return
    for first in range(min(rows, most) + 1):
        for rest in _falling(labels - 1, rows - first, first):
            yield (first, *rest)


def _labels(case: Case) -> list[Pmf[int]]:
    """What is released of a label, for each count, by the running code: its noisy count, or HIDDEN in its place."""
    mechanism, b = case.mechanism, case.threshold
    every = [explore(lambda coins, c=c: mechanism.release(c, coins)).law() for c in range(case.n + 1)]  # type: ignore[misc]
    if b is None:
        return every
    return [Pmf.point(HIDDEN), *(law.pushforward(lambda v: v if v > b else HIDDEN) for law in every[1:])]


def _missed(bar: SumAccuracy, law: Pmf[int], rows: int, n: int) -> mpq:
    """How often the interval is without the true sum. law: of the sum of the labels."""
    return law.probability(lambda seen: not _holds(bar.interval(seen % HIDDEN, seen // HIDDEN, n), rows))


def _holds(interval: tuple[int, int], rows: int) -> bool:
    return interval[0] <= rows <= interval[1]


ONE = [Case(3, "2", 8, 1, "1/5"), Case(9, "4", 10, 1, "1/20")]
SMALL = cases(
    Case,
    [
        *((4, "1", 8, 2, "1/10"), (6, "2", 10, 3, "1/20"), (3, "3", 8, 5, "1/9"), (8, "5", 12, 2, "1/100")),
        *((4, "3", 10, 2, "1/7", 1), (6, "4", 12, 3, "1/20", 2), (2, "5", 12, 4, "1/30", 1), (7, "2", 9, 2, "1/3", 3)),
    ],
    [
        *((12, "1", 14, 3, "1/20"), (5, "1/2", 10, 4, "1/6"), (9, "4", 16, 4, "1/1000"), (20, "2", 16, 2, "1/50")),
        *((10, "3", 14, 3, "1/40", 4), (6, "6", 16, 5, "1/1000", 2), (15, "2", 12, 2, "1/25", 6)),
    ],
)


def _changed(above: int = 0, below: int = 0, each: int = 0) -> Sums:
    """Broken: some of the numbers are others."""

    def accuracy(mechanism: Noise, labels: int, beta: mpq, b: int | None, plan: BlanketPlan | None) -> SumAccuracy:
        found = sum_accuracy(mechanism, labels, beta, b, plan)
        return evolve(found, above=found.above + above, below=found.below + below, each=max(found.each + each, 0))

    return accuracy


def _symmetric(mechanism: Noise, labels: int, beta: mpq, b: int | None, plan: BlanketPlan | None) -> SumAccuracy:
    """Broken: what holds below taken for both ends, as if nothing were clamped."""
    found = sum_accuracy(mechanism, labels, beta, b, plan)
    return evolve(found, above=found.below)


def _of_a_label(times: Callable[[int], int]) -> Sums:
    """Broken: some times the bar of one label."""

    def accuracy(mechanism: Noise, labels: int, beta: mpq, b: int | None, _plan: BlanketPlan | None) -> SumAccuracy:
        a = times(labels) * mechanism.accuracy(beta).a
        return SumAccuracy(labels, beta, a, a, b or 0)

    return accuracy


_ONE_LABEL = _of_a_label(lambda _: 1)


def _by(laws: Callable[[Pmf[int], int, int, int | None], tuple[Pmf[int], Pmf[int]]]) -> Sums:
    """Broken: the narrowest interval for other laws."""

    def accuracy(mechanism: Noise, labels: int, beta: mpq, b: int | None, _plan: BlanketPlan | None) -> SumAccuracy:
        noise = spec.noise([mechanism.table.weight(j) for j in range(mechanism.n + 1)])
        return SumAccuracy(labels, beta, *sums.narrowest(*laws(noise, mechanism.n, labels, b), beta), b or 0)

    return accuracy


_FREE_ABOVE = _by(lambda noise, n, k, b: (convolution([noise] * k), sums.error_below(noise, n, k, b)))
_FREE_BELOW = _by(lambda noise, n, k, b: (sums.error_above(noise, n, k, b), convolution([noise] * k)))


@own(
    "FD.Sum.accuracy",
    """The interval that sum_accuracy states for a sum of noisy counts is without the true sum with probability at most beta,
    whatever the counts are: of a histogram of all labels, and of one with a threshold, where h labels that are not listed add
    up to h b to its upper end.""",
    over="tables with n to 20 (quick: 9), 1 to 5 labels; all counts of at most n rows; the law of the running code",
    code=["finitedp.impl.histograms.sums.sum_accuracy"],
    grid=Cases([*ONE, *SMALL.of("quick")], SMALL.of("full")),
    subject=sum_accuracy,
    twins={
        "the bar of one label": _ONE_LABEL,
        "as without the clamp at 0": _FREE_ABOVE,
        "the same at both ends": _symmetric,
        "one narrower above": _changed(above=-1),
        "one narrower below": _changed(below=-1),
        "hidden labels one row less": _changed(each=-1),
        "beta for each end": lambda m, k, beta, b, plan: sum_accuracy(m, k, 2 * beta, b, plan),
    },
)
def accuracy(stated: Sums, case: Case) -> Finding:
    n, beta, labels = case.n, mpq(case.beta), _labels(case)
    bar = stated(case.mechanism, case.labels, beta, case.threshold, None)
    return in_turn(
        at_most(_missed(bar, convolution([labels[c] for c in counts]), sum(counts), n), beta, f"at {counts}")
        for counts in case.counts()
    )


@own(
    "FD.Sum.least",
    """No interval for beta - c is narrower by the two bounds of a sum's error: with m_i = n/2^j of the i-th label, 2^j <= i,
    the sum of Z_i where Z_i > max(b - m_i, 0), and that of clamp(min(Z_i, b), -m_i, n - m_i). c is beta/2^32, for roundings,
    where 2^word beta is below 2^20 for each label, so that no tail is cut; else beta/4.""",
    over="tables with n to 20 (quick: 8), 2 to 5 labels; both laws from their definition; all pairs of ends",
    code=["finitedp.impl.histograms.sums.sum_accuracy", "finitedp.spec.released.sums.narrowest"],
    grid=SMALL,
    subject=sum_accuracy,
    twins={
        "as many times the bar of one label": _of_a_label(lambda labels: labels),
        "one wider": _changed(above=1),
        "one narrower": _changed(above=-1),
        "half of beta for each end": lambda m, k, beta, b, plan: sum_accuracy(m, k, beta / 2, b, plan),
        "as without the clamp at 0": _FREE_ABOVE,
        "as without the clamp at n": _FREE_BELOW,
        "one label more": lambda m, k, beta, b, plan: sum_accuracy(m, k + 1, beta, b, plan),
    },
)
def least(stated: Sums, case: Case) -> Iterator[Finding]:
    beta, noise = mpq(case.beta), spec.noise(Dyadic(case.n, case.epsilon, case.word).weights)
    bar = stated(case.mechanism, case.labels, beta, case.threshold, None)
    above = sums.error_above(noise, case.n, case.labels, case.threshold)
    below = sums.error_below(noise, case.n, case.labels, case.threshold)
    missed = above.probability(lambda x: x > bar.above) + below.probability(lambda x: x < -bar.below)
    noisy = case.labels if case.threshold is None else min(case.labels, case.n)
    less = mpq(1, 2**32) if beta * 2**case.word < noisy * 2**20 else mpq(1, 4)
    yield at_most(missed, beta, "both bounds together")
    yield at_most(max(bar.above + bar.below - sum(sums.narrowest(above, below, beta * (1 - less))), 0), 0, "wider by")


class Invented(NamedTuple):
    """A small plan of a blanket, and so many of its labels."""

    numbers: Numbers
    labels: int
    beta: str


STEEP = Numbers(3, (116, 2, 1, 1, 1, 1), mpq(60), 1, 2, 3, 20, 5, (1, 1, 1, 5))


@own(
    "FD.Sum.invented",
    """The same of a pure sparse histogram, whose blanket may add counts of labels that do not occur, where the release is not
    withheld.""",
    over="small plans, whether private or not; every dataset of at most n rows; the closed form of the law",
    code=["finitedp.impl.histograms.sums.sum_accuracy"],
    grid=cases(
        Invented,
        [(STEEP, 1, "2/5"), (STEEP, 1, "1/5"), (STEEP, 2, "1/4"), (THREE, 2, "1/2")],
        [(STEEP, 3, "1/3"), (STEEP, 2, "1/10"), (THREE, 3, "1/5"), (THREE, 1, "1/2")],
    ),
    subject=sum_accuracy,
    twins={
        "invented labels forgotten": lambda mechanism, labels, beta, b, _plan: sum_accuracy(mechanism, labels, beta, b),
        "hidden labels one row less": _changed(each=-1),
    },
)
def invented(stated: Sums, case: Invented) -> Finding:
    numbers, beta, chosen = case.numbers, mpq(case.beta), range(case.labels)
    plan = built(numbers, kind=Unchecked)
    bar = stated(plan.mechanism, case.labels, beta, plan.b, plan)

    def missed(data: dict[int, int]) -> mpq:
        rows = sum(count for label, count in data.items() if label in chosen)

        def misses(release: Release) -> bool:
            listed = [count for label, count in release or () if label in chosen]
            withheld = release is None  # and the interval is 0..n
            return not withheld and not _holds(bar.interval(sum(listed), case.labels - len(listed), numbers.n), rows)

        return law_of(specified(numbers), data).probability(misses)

    return in_turn(at_most(missed(data), beta, f"at {data}") for data in map(counted, datasets(numbers)))


class Real(NamedTuple):
    """A table at a size at which tails are cut, so many labels, and beta."""

    n: int
    epsilon: str
    labels: int
    beta: str

    def counts(self) -> Iterator[tuple[int, ...]]:
        """None at all, all rows in one label, two halves, equal ones, and n/i at the i-th label."""
        n, k = self.n, self.labels
        yield (0,) * k
        yield (n, *(0,) * (k - 1))
        yield (n // 2, n - n // 2, *(0,) * (k - 2))
        yield (n // k,) * k
        parts = sum(mpq(1, i) for i in range(1, k + 1))
        yield tuple(int(n / parts / i) for i in range(1, k + 1))


@own(
    "FD.Sum.real",
    """The same where the far tails of a sum are cut and coarse: the exact law of the sum is outside of the interval at most
    beta often, at the counts where either end is worst.""",
    over="words of 64 bits, n to 2000 (quick: 400), 3 to 40 labels; five vectors of counts each",
    code=["finitedp.impl.histograms.sums.sum_accuracy"],
    grid=cases(
        Real,
        [(200, "1", 3, "1/20"), (400, "2", 12, "1/1000"), (100, "1/3", 40, "1/20")],
        [(2000, "1/10", 3, "1/20"), (1000, "1", 20, "1/1000000")],
    ),
    subject=sum_accuracy,
    twins={"the bar of one label": _ONE_LABEL, "the same at both ends": _symmetric},
)
def real(stated: Sums, case: Real) -> Finding:
    weights, beta = Dyadic(case.n, case.epsilon, 64).weights, mpq(case.beta)
    bar = stated(DyadicSample(case.n, case.epsilon, 64), case.labels, beta, None, None)

    def missed(counts: tuple[int, ...]) -> mpq:
        law = convolution([spec.law(weights, c) for c in counts])
        return law.probability(lambda value: not _holds(bar.interval(value, 0, case.n), sum(counts)))

    return in_turn(at_most(missed(counts), beta, f"at {counts}") for counts in case.counts())
