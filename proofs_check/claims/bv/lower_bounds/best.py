"""The best mechanism there is: the least beta of all private histograms, by a linear program over all of them.

A mechanism is a table of probabilities Pr[h | D], beta is linear in it, and (e^epsilon, delta)-privacy is a set of linear
inequalities, so that the least beta is the optimum of a linear program. Two reductions make it small, and lose nothing:

- Symmetry. Relabelling the universe by a random permutation, and the output back, averages the mechanism over relabellings;
  privacy and accuracy are convex and hold for each of them, so they hold for the average, and beta is no larger. The order of
  rows is averaged away in the same way. So Pr[h | D] depends only on the multiset of the columns (count of x in D, count of x
  in h), and of the inequalities for neighbours one is enough for each multiset of their columns.
- Outputs. If h' is accurate wherever h is, releasing h' for h is post-processing and makes no error more likely. Which outputs
  are left is said, and why, at each function that lists them.

What comes out is decided by its certificate (engine.linear), and its table is a mechanism like any other to the checks.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

from attrs import frozen
from gmpy2 import mpq

from finitedp.proofs_check.checks.linear import Program, certifies, minimum
from finitedp.proofs_check.ledger.entry import in_scope
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import multisets, representative_pairs
from finitedp.spec.pmf import Pmf

Counts = tuple[int, ...]
Columns = tuple[tuple[int, ...], ...]
Name = str | tuple[str, Columns]
GOAL: Name = "beta"


class Best(NamedTuple):
    """The mechanism of the least beta at error a, of n = 2a + 1 rows over `size` labels, private at (ln ratio, delta).

    kind: simultaneous; per query; or sparse, per query with at most `bins` nonzero counts. With fewer rows, a constant count
    for every label has an error of a at most; with more, fix the surplus rows to see that no beta is smaller.
    """

    kind: Literal["per query", "simultaneous", "sparse"]
    size: int
    a: int
    ratio: mpq
    delta: mpq = mpq(0)
    bins: int = 0

    def check_scope(self) -> None:
        in_scope(self.size >= 2 and self.a >= 0 and self.ratio > 1 and 0 <= self.delta < 1, "|X| >= 2, epsilon > 0")
        in_scope(self.kind != "per query" or self.size == 2, "two labels, where one error is looked at")
        in_scope(self.kind != "sparse" or (self.a == 0 and 1 <= self.bins <= self.size), "one row, some counts")

    @property
    def n(self) -> int:
        """The number of rows."""
        return 2 * self.a + 1

    @property
    def outputs(self) -> tuple[Counts, ...]:
        """The outputs that suffice."""
        if self.kind == "simultaneous":
            return _for_all_labels(self)
        return _for_two_labels(self) if self.kind == "per query" else _with_few_counts(self)


def _for_all_labels(case: Best) -> tuple[Counts, ...]:
    """A for every label, and for each label x, the same with a + 1 at x.

    The first is accurate on all datasets but those whose n = 2a + 1 rows are equal, the others on those that contain x: there
    no other label has more than 2a rows. An output with a count above a at some x is accurate only where x occurs, one without
    only where no label has all rows; so one of these is accurate wherever it is.
    """
    even = (case.a,) * case.size
    return even, *((*even[:x], case.a + 1, *even[x + 1 :]) for x in range(case.size))


def _for_two_labels(case: Best) -> tuple[Counts, ...]:
    """The pairs (z, n - z), over two labels.

    Releasing n minus the first count for the second one gives both the first one's error; z in 0..n is nearest to all counts.
    """
    return tuple((z, case.n - z) for z in range(case.n + 1))


def _with_few_counts(case: Best) -> tuple[Counts, ...]:
    """Counts 0 and 1, at most `bins` of them 1, for one row and a = 0: where a count is above 1, 0 is no worse."""
    in_scope(case.a == 0, "one row")
    chosen = (set(labels) for number in range(case.bins + 1) for labels in combinations(range(case.size), number))
    return tuple(tuple(int(x in labels) for x in range(case.size)) for labels in chosen)


def _columns(*counts: Counts) -> Columns:
    return tuple(sorted(zip(*counts, strict=True)))


def _probability(counts: Counts, output: Counts) -> Name:
    return ("Pr", _columns(counts, output))


def _total(case: Best, counts: Counts, sign: int) -> dict[Name, mpq]:
    orbits = Counter(_probability(counts, h) for h in case.outputs)
    return {name: mpq(sign * times) for name, times in orbits.items()}


def _misses(case: Best, counts: Counts) -> Iterator[Counter[Name]]:
    """For each error that must be rare, the outputs that make it."""
    if case.kind == "simultaneous":
        wrong = (h for h in case.outputs if max(abs(c - z) for c, z in zip(counts, h, strict=True)) > case.a)
        yield Counter(_probability(counts, h) for h in wrong)
        return
    for x in range(case.size):
        yield Counter(_probability(counts, h) for h in case.outputs if abs(counts[x] - h[x]) > case.a)


def _private(case: Best, left: Counts, right: Counts) -> Iterator[tuple[dict[Name, mpq], mpq]]:
    """Sum of max(Pr[h | left] - ratio Pr[h | right], 0) <= delta."""
    orbits = Counter((_columns(left, right, h), _probability(left, h), _probability(right, h)) for h in case.outputs)
    spent: Counter[Name] = Counter()
    for (columns, here, there), times in orbits.items():
        row: dict[Name, mpq] = {here: mpq(-1)}
        row[there] = row.get(there, mpq(0)) + case.ratio
        if case.delta:
            excess: Name = ("excess", columns)
            row[excess] = mpq(1)
            spent[excess] += times
        yield row, mpq(0)
    if case.delta:
        yield {name: mpq(-times) for name, times in spent.items()}, -case.delta


def program_of(case: Best) -> Program[Name]:
    """The linear program whose optimum is the least beta."""
    universe, rows = range(case.size), list[tuple[Mapping[Name, mpq], mpq]]()
    for counts in sorted({tuple(sorted(histogram(d, universe), reverse=True)) for d in multisets(universe, case.n)}):
        rows += [(_total(case, counts, 1), mpq(1)), (_total(case, counts, -1), mpq(-1))]
        for wrong in _misses(case, counts):
            row: dict[Name, mpq] = {name: mpq(-times) for name, times in wrong.items()}
            rows.append((row | {GOAL: mpq(1)}, mpq(0)))
    for left, right in representative_pairs(universe, case.n, "replace-one"):
        rows += _private(case, histogram(left, universe), histogram(right, universe))
    return Program(GOAL, tuple(rows))


@frozen
class Table:
    """A mechanism given by its laws, and the beta that no mechanism falls below at the error that it was made for."""

    beta: mpq
    laws: Mapping[tuple[int, ...], Pmf[Counts]]


@lru_cache(maxsize=128)
def best_table(case: Best) -> Table:
    """The best mechanism, by dataset (a sorted tuple of labels 0, 1, ...). Raises: ValueError, without a certificate."""
    program = program_of(case)
    found = minimum(program)
    if not certifies(program, found):
        raise ValueError(f"no certificate of the optimum for {case}")
    universe, laws = range(case.size), {}
    for dataset in multisets(universe, case.n):
        counts = histogram(dataset, universe)
        laws[dataset] = Pmf.from_probabilities({h: found.solution[_probability(counts, h)] for h in case.outputs})
    return Table(found.solution[GOAL], laws)
