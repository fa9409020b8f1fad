"""BlanketHistogram, our own: its law in closed form, by its steps, and of the running code."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from finitedp.impl.histograms.blanket.histogram import BlanketHistogram, draw
from finitedp.proofs_check.claims.own.blanket import twins
from finitedp.proofs_check.claims.own.blanket.plans import random_plans
from finitedp.proofs_check.claims.own.blanket.slots import LEAST, THREE, Numbers, Release, Slots, check_numbers
from finitedp.proofs_check.claims.own.blanket.subjects import Data, built, counted, datasets, running_law, specified
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, in_scope, out_of_scope_where_refused
from finitedp.proofs_check.ledger.findings import in_turn, own, same_law
from finitedp.spec import blanket as spec
from finitedp.spec.pmf import Pmf


def _few(seed: int, number: int) -> Iterator[Numbers]:
    """Certified plans at random, of as many slots and labels as can be gone through one by one."""
    some = (x for x in random_plans(seed, 10**6, slots=7) if x.size >= 3 and (x.indices * len(x.t)) ** x.cap <= 600)
    return islice(some, number)


@own(
    "FD.Blanket.closed",
    """The closed form is the law of BlanketHistogram's steps: noisy counts above b, N of G slots that hit, their labels and
    counts, withheld where more than L come together, labels that occur left out, of equal labels the first.""",
    over="certified plans, chosen and at random, n <= 4, |X| = 3..8; every dataset of at most n rows (quick: 3); all draws",
    code=["finitedp.spec.blanket.law", "finitedp.spec.blanket.probability", "finitedp.spec.blanket.withheld"],
    grid=Cases([THREE, LEAST, *_few(1, 5)], lambda: list(_few(2, 60))),
    subject=Slots,
    twins=twins.OTHER_LAW | twins.NOT_PRIVATE,
)
def closed(steps: Callable[[Numbers], Slots], numbers: Numbers) -> Finding:
    literal, blanket = steps(numbers), specified(numbers)
    laws = ((rows, literal.law(counted(rows)), spec.law(blanket, counted(rows))) for rows in _told(numbers))
    return in_turn(same_law(found, expected, f"rows {rows}") for rows, found, expected in laws)


def _told(numbers: Numbers) -> list[tuple[int, ...]]:
    """Every dataset of |X| <= 3 and n <= 3; else one for each partition of the rows, its labels from the last one on."""
    everyone = list(datasets(numbers))
    if len(everyone) <= 20:
        return everyone
    last = numbers.size - 1
    return [rows for rows in everyone if not rows or (rows[-1] == last and set(rows) == set(range(rows[0], last + 1)))]


class Run(NamedTuple):
    """A plan, and the rows of a dataset."""

    numbers: Numbers
    rows: tuple[int, ...]

    def check_scope(self) -> None:
        check_numbers(self.numbers)
        in_scope(len(self.rows) <= self.numbers.n, "at most n rows")
        in_scope(min(self.rows, default=0) >= 0 and max(self.rows, default=0) < self.numbers.size, "labels of the universe")

    def __str__(self) -> str:
        return f"rows {self.rows}, {self.numbers}"


RUNS = cases(
    Run,
    [(LEAST, (1,)), (LEAST, (0, 2)), (THREE, ()), (THREE, (2,))],
    [
        *((LEAST, rows) for rows in datasets(LEAST)),
        *((THREE, rows) for rows in datasets(THREE)),
        *((numbers, rows) for numbers in _few(3, 8) if numbers.slots <= 3 for rows in _told(numbers)[-2:]),
    ],
)
Law = Callable[[Numbers, Data], Pmf[Release]]


def _explored(kind: type[Slots]) -> Law:
    """The law of a broken copy on coins, by the explorer."""
    return lambda numbers, data: explore(lambda coins: kind(numbers).draw(data, coins)).law()


@own(
    "FD.Blanket.law",
    """The running BlanketHistogram has the law of the closed form: labels and phantoms, and what is withheld, as they are
    drawn.""",
    over="n = 2, 3 and 4; |X| = 3..8; every dataset of two plans, and some of others; the running code by the explorer",
    code=["finitedp.impl.histograms.blanket.histogram.draw", "finitedp.spec.blanket.law"],
    grid=RUNS,
    subject=running_law,
    twins={name: _explored(kind) for name, kind in (twins.OTHER_LAW | twins.NOT_PRIVATE).items()},
)
def law(of: Law, run: Run) -> Finding:
    data = counted(run.rows)
    return same_law(of(run.numbers, data), spec.law(specified(run.numbers), data), f"rows {run.rows}")


Released = Callable[[BlanketHistogram[str], tuple[str, ...]], Pmf[tuple[tuple[str, int], ...]]]


def _released(histogram: BlanketHistogram[str], rows: tuple[str, ...]) -> Pmf[tuple[tuple[str, int], ...]]:
    return explore(lambda coins: histogram.release(rows, coins)).law()


def _shown_as(name: Callable[[BlanketHistogram[str], Release], tuple[tuple[str, int], ...]]) -> Released:
    """Broken: what is drawn is listed otherwise."""

    def released(histogram: BlanketHistogram[str], rows: tuple[str, ...]) -> Pmf[tuple[tuple[str, int], ...]]:
        counts = {histogram.universe.index(x): c for x, c in Counter(rows).items()}
        drawn = explore(lambda coins: draw(histogram.plan, counts, coins)).law()
        return drawn.pushforward(lambda found: name(histogram, found))

    return released


def _wrapped(histogram: BlanketHistogram[str], found: Release) -> tuple[tuple[str, int], ...]:
    """A phantom stands for the label that it is beyond the last one."""
    return tuple((histogram.universe.label(x % histogram.plan.size), v) for x, v in found or ())


def _telling(histogram: BlanketHistogram[str], found: Release) -> tuple[tuple[str, int], ...]:
    """What is withheld is shown to be so."""
    if found is None:
        return (("withheld", 0),)
    return tuple((histogram.universe.label(x), v) for x, v in found if x < histogram.plan.size)


@own(
    "FD.Blanket.release",
    """A release lists what is drawn by the order of the universe, without phantoms, and is empty where it is withheld.""",
    over="n = 2 and 3, |X| = 3 of D = 4 indices; the running code by the explorer against the closed form",
    code=["finitedp.impl.histograms.blanket.histogram.BlanketHistogram.release"],
    grid=cases(
        Run,
        [(LEAST, (1,)), (LEAST, (0, 2)), (THREE, ())],
        [*((LEAST, rows) for rows in datasets(LEAST)), *((THREE, rows) for rows in datasets(THREE, 1))],
    ),
    subject=_released,
    twins={
        "sorted by count": lambda histogram, rows: _released(histogram, rows).pushforward(
            lambda pairs: tuple(sorted(pairs, key=lambda pair: -pair[1]))
        ),
        "a phantom is another label": _shown_as(_wrapped),
        "what is withheld is told": _shown_as(_telling),
    },
)
def release(of: Released, run: Run) -> Finding:
    names = ("c", "a", "b", "e", "d", "h", "g", "f")[: run.numbers.size]
    in_scope(len(names) == run.numbers.size, "at most eight labels")
    with out_of_scope_where_refused():
        histogram: BlanketHistogram[str] = BlanketHistogram(built(run.numbers), names)
    drawn = spec.law(specified(run.numbers), counted(run.rows))
    expected = drawn.pushforward(lambda found: tuple((names[x], v) for x, v in found or () if x < len(names)))
    return same_law(of(histogram, tuple(names[x] for x in run.rows)), expected, f"rows {run.rows}")
