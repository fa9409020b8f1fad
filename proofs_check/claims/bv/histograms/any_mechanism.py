"""Theorems 5.2, 5.5 and 6.2 of Balcer and Vadhan over any counting mechanism: tables from an enumeration of all of a size.

A table lists M(c, 1) <= ... <= M(c, d) for every count c; every mechanism by inverse transform sampling is one. What holds of
GeoSample alone, such as noise that is symmetric, or alike at every count, holds of few of them.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import combinations_with_replacement, islice, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable, defined_law
from finitedp.proofs_check.claims.bv.counting.subjects import worst_miss_of
from finitedp.proofs_check.claims.bv.histograms import twins
from finitedp.proofs_check.claims.bv.histograms.subjects import KeepsTies, NoThreshold, by_true_count
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, but, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, theorem
from finitedp.spec.divergence import hockey_stick, max_ratio
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import count_pairs, multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Counts = tuple[int, ...]
Bins = tuple[tuple[int, int], ...]


class Tables(NamedTuple):
    """Every `step`-th table of n + 1 rows of d values in 0..n, over a universe of `size` labels."""

    n: int
    d: int
    size: int
    step: int = 1

    def drawn(self, private: bool = False) -> Iterator[ToyTable]:
        """The tables; with `private`, of those alone that have a finite worst ratio, which they claim."""
        rows = list(combinations_with_replacement(range(self.n + 1), self.d))
        every = map(ToyTable, product(rows, repeat=self.n + 1))
        if not private:
            return islice(every, 0, None, self.step)
        finite = (
            ToyTable(table.rows, ratio)
            for table in every
            if all({*row} == {*table.rows[0]} for row in table.rows) and (ratio := _worst_ratio(table)) > 1
        )
        return islice(finite, 0, None, self.step)


def _worst_ratio(table: ToyTable) -> mpq:
    law = defined_law(table)
    return max(max_ratio(law(c), law(e)).value for c, e in count_pairs(table.n))


def _joint(released: Any, case: Tables) -> dict[Counts, Pmf[Bins]]:  # noqa: ANN401  # any kind of histogram
    """The laws of the running code, by dataset."""
    return {
        dataset: explore(lambda coins, d=dataset: released.release(d, coins)).law()  # type: ignore[misc]
        for dataset in multisets(range(case.size), case.n)
    }


def _laws(released: Any, case: Tables) -> dict[Counts, Pmf[Counts]]:  # noqa: ANN401  # any kind of histogram
    """The laws of the released counts of all labels, by dataset."""

    def counts(bins: Bins) -> Counts:
        return tuple(dict(bins).get(x, 0) for x in range(case.size))

    return {dataset: law.pushforward(counts) for dataset, law in _joint(released, case).items()}


def _misses(laws: dict[Counts, Pmf[Counts]], case: Tables, kind: Callable[[Counts, Counts], int]) -> Callable[[int], mpq]:
    """The largest probability, over all datasets, that an error of one kind is above a."""
    truths = {dataset: histogram(dataset, range(case.size)) for dataset in laws}
    errors = [law.pushforward(lambda counts, d=d: kind(counts, truths[d])) for d, law in laws.items()]  # type: ignore[misc]
    return cache(lambda a: max(law.probability(lambda error: error > a) for law in errors))


def _largest(released: Counts, truths: Counts) -> int:
    return max(abs(z - c) for z, c in zip(released, truths, strict=True))


def _at(label: int) -> Callable[[Counts, Counts], int]:
    return lambda released, truths: abs(released[label] - truths[label])


def _above(label: int, b: int) -> Callable[[Counts, Counts], int]:
    """The error of a label, which counts where the true count is above that error and b (0 errs nowhere)."""
    return lambda released, truths: min(abs(released[label] - truths[label]), max(truths[label] - b, 0))


def _that_can_fail(beta: Callable[[int], mpq], case: Tables, n: int) -> list[tuple[int, int]]:
    """The labels and errors a < n at which the table is (a, beta)-accurate for a beta below 1."""
    return [(x, a) for x, a in product(range(case.size), range(n)) if beta(a) < 1]


ALL = cases(Tables, [(1, 3, 2), (1, 4, 3), (2, 2, 2, 7), (2, 2, 3, 23)], [(2, 3, 2, 11), (2, 2, 3), (3, 2, 2, 97)])
FEW = [(1, 4, 2), (1, 4, 3), (2, 4, 3, 29)]
EVERY = (2, 4, 2)  # all tables of two rows: many
MORE = [(1, 6, 3), (2, 5, 2), (2, 5, 3, 5), (3, 4, 2, 11)]
OVER = "tables of n + 1 rows from an enumeration of all of them, every dataset; joint laws of the running code"
Make = Callable[[ToyTable, range], Any]

about = partial(entry, code=["finitedp.impl.histograms.basic.BasicHistogram"], grid=ALL, subject=BasicHistogram)


@about(
    "BV.Thm5.2.i.any",
    "theorem",
    """BasicHistogram over any mechanism of worst ratio r for neighbouring counts has a worst ratio of at most r^2 for
    neighbouring datasets, and claims it.""",
    over=f"{OVER}; every neighbouring pair",
    grid=cases(Tables, [*FEW, EVERY], MORE),
    twins={"shared noise": twins.SharedNoise, "last label counted twice": twins.CountedTwice},
)
def basic_private(make: Make, case: Tables) -> Finding:
    return all_of([_squared(make(table, range(case.size)), table, case) for table in case.drawn(private=True)])


def _squared(released: Any, table: ToyTable, case: Tables) -> Finding:  # noqa: ANN401  # any kind of histogram
    laws, pairs = _joint(released, case), neighbouring_multisets(range(case.size), case.n, "replace-one")
    ratios = [max_ratio(laws[left], laws[right]) for left, right in pairs]
    if any(ratio.infinite for ratio in ratios):
        return Finding(False, mpq(10**9), f"infinite ratio over {table.rows}")
    found = at_most(max(ratio.value for ratio in ratios), table.ratio**2, f"worst ratio over {table.rows}")
    return all_of([found, equal(released.claim().ratio, table.ratio**2, "stated ratio")])


@about(
    "BV.Thm5.2.ii.any",
    "theorem",
    "BasicHistogram over any mechanism with (a, beta)-accuracy has (a, beta)-per-query accuracy.",
    over=f"{OVER}; every label and a, with the least beta of the table",
    twins={"last label counted twice": twins.CountedTwice},
)
def basic_per_query(make: Make, case: Tables) -> Finding:
    findings = []
    for table in case.drawn():
        laws, beta = _laws(make(table, range(case.size)), case), worst_miss_of(defined_law(table), case.n)
        for x, a in _that_can_fail(beta, case, case.n):
            findings.append(at_most(_misses(laws, case, _at(x))(a), beta(a), f"miss of label {x}, a={a}, over {table.rows}:"))
    return all_of(findings)


@about(
    "BV.Thm5.2.iii.any",
    "theorem",
    """BasicHistogram over any mechanism with (a, beta)-accuracy has (a, 1 - (1 - beta)^|A|)-simultaneous accuracy.""",
    over=f"{OVER}; every a, with the least beta of the table",
    subject=lambda beta, size: 1 - (1 - beta) ** size,
    twins={"beta for beta'": lambda beta, _size: beta, "one label fewer": lambda beta, size: 1 - (1 - beta) ** (size - 1)},
)
def basic_simultaneous(together: Callable[[mpq, int], mpq], case: Tables) -> Finding:
    findings = []
    for table in case.drawn():
        miss = _misses(_laws(BasicHistogram(table, range(case.size)), case), case, _largest)
        beta = worst_miss_of(defined_law(table), case.n)
        for a in sorted({a for _, a in _that_can_fail(beta, case, case.n)}):
            findings.append(at_most(miss(a), together(beta(a), case.size), f"simultaneous miss, a={a}, over {table.rows}:"))
    return all_of(findings)


@theorem(
    "BV.Thm5.5.i.any",
    """StabilityHistogram over any mechanism of worst ratio r for neighbouring counts has at the ratio r^2 a delta of at most
    Pr[M(1, U) > b], and claims that.""",
    over=f"{OVER}; every threshold and neighbouring pair",
    code=["finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=cases(Tables, FEW, [EVERY, *MORE]),
    subject=StabilityHistogram,
    twins={">= b": KeepsTies, "no threshold": NoThreshold},
)
def stability_private(make: Callable[[ToyTable, int], StabilityHistogram[Any]], case: Tables) -> Iterator[Finding]:
    for table, b in product(case.drawn(private=True), range(case.n + 1)):
        laws = _joint(make(table, b), case)
        delta = defined_law(table)(1).probability(lambda z, b=b: z > b)  # type: ignore[misc]
        stated = StabilityHistogram(table, b).claim().delta
        yield equal(stated, delta, f"stated delta at b={b}, over {table.rows}")
        for left, right in neighbouring_multisets(range(case.size), case.n, "replace-one"):
            found = hockey_stick(laws[left], laws[right], table.ratio**2).delta
            yield at_most(found, delta, f"delta from {left} to {right} at b={b}, over {table.rows}")


@theorem(
    "BV.Thm5.5.ii.any",
    "StabilityHistogram over any mechanism with (a, beta)-accuracy has (a, beta)-per-query accuracy on counts above a + b.",
    over=f"{OVER}; every label with a count above a + b, with the least beta of the table",
    code=["finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=ALL,
    subject=StabilityHistogram,
    twins={
        "the last label is lost": but(
            StabilityHistogram, release_counts=lambda *call: StabilityHistogram.release_counts(*call)[:-1]
        )
    },
)
def stability_per_query(make: Callable[[ToyTable, int], StabilityHistogram[Any]], case: Tables) -> Iterator[Finding]:
    for table, b in product(case.drawn(), range(case.n)):
        laws, beta = _laws(make(table, b), case), worst_miss_of(defined_law(table), case.n)
        for x, a in _that_can_fail(beta, case, case.n - b):
            miss = _misses(laws, case, _above(x, b))(a)
            yield at_most(miss, beta(a), f"miss of label {x}, a={a}, b={b}, over {table.rows}:")


@theorem(
    "BV.Thm5.5.iii.any",
    """StabilityHistogram over any mechanism with (a, beta)-accuracy has (a + b, 1 - (1 - beta)^n)-simultaneous accuracy.""",
    over=f"{OVER}; every a and b with a + b < n, with the least beta of the table",
    code=["finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=cases(Tables, [(1, 4, 3), (2, 2, 3, 23)], [(2, 2, 2), (2, 3, 2, 11), (3, 2, 2, 97)]),
    subject=lambda beta, n: 1 - (1 - beta) ** n,
    twins={"beta for beta'": lambda beta, _n: beta},
)
def stability_simultaneous(together: Callable[[mpq, int], mpq], case: Tables) -> Iterator[Finding]:
    for table, b in product(case.drawn(), range(case.n)):
        miss = _misses(_laws(StabilityHistogram(table, b, padded=False), case), case, _largest)
        beta = worst_miss_of(defined_law(table), case.n)
        for a in sorted({a for _, a in _that_can_fail(beta, case, case.n - b)}):
            allowed = together(beta(a), case.n)
            yield at_most(miss(a + b), allowed, f"simultaneous miss, a={a}, b={b}, over {table.rows}:")


@theorem(
    "BV.Thm6.2.i.any",
    """KeepHeavy over any mechanism of worst ratio r for neighbouring counts has a worst ratio of at most r^2 for neighbouring
    datasets, and claims it.""",
    over=f"{OVER}, |X| >= n + 1; every neighbouring pair",
    code=["finitedp.impl.histograms.sparse.KeepHeavy"],
    grid=cases(Tables, FEW, [(1, 6, 3), (2, 5, 3, 5), (2, 3, 4)]),
    subject=KeepHeavy,
    twins={"labels in the order of the true counts": by_true_count(KeepHeavy)},
)
def keep_heavy_private(make: Callable[[BasicHistogram[int]], KeepHeavy[int]], case: Tables) -> Finding:
    made = ((make(BasicHistogram(table, range(case.size))), table) for table in case.drawn(private=True))
    return all_of([_squared(released, table, case) for released, table in made])
