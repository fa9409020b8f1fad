"""BlanketHistogram, our own: how rarely it withholds, what its errors are, and what the lower bounds say of them."""

from collections.abc import Callable, Iterator

from attrs import evolve
from gmpy2 import mpq

from finitedp.claim import HistogramAccuracy
from finitedp.exact import RationalLike
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.building import least_cap, most_shown
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.numbers import brief, decimal
from finitedp.proofs_check.claims.own.blanket.chances import Bins, Errors, chernoff, numbers_of, within_chernoff
from finitedp.proofs_check.claims.own.blanket.ratios import partitions
from finitedp.proofs_check.claims.own.blanket.replays import Chosen, changed
from finitedp.proofs_check.claims.own.blanket.slots import THREE, Numbers, check_numbers
from finitedp.proofs_check.claims.own.blanket.subjects import Unchecked, built, specified
from finitedp.proofs_check.ledger.entry import Cases, Finding
from finitedp.proofs_check.ledger.findings import at_most, equal, own
from finitedp.spec import blanket as spec
from finitedp.spec import dyadic
from finitedp.spec.lower_bounds import LogRatio, per_query_bound, simultaneous_bound, sparse_bound

RARE = mpq(1, 2**64)
BETAS = (mpq(1, 3), mpq(1, 20), mpq(1, 1000))


# Withheld


SMALL = [Chosen(12, 2**20, epsilon="9"), Chosen(20, 2**64, "add-remove", "5")]
LARGE = [Chosen(10**4, 2**64, epsilon="1/10", invented=1), Chosen(10**5, 2**64, epsilon="1/3")]
LARGEST = [Chosen(10**6, 2**64, epsilon="1/10", invented=1), Chosen(10**6, 2**129, "add-remove", "1/100", 100)]
MORE_SMALL = [Chosen(30, 2**64, epsilon="3"), Chosen(16, 50, epsilon="5"), Chosen(24, 2**64, epsilon="8", invented=20)]
Make = Callable[[Chosen], BlanketPlan]


def _with_cap(cap: Callable[[BlanketPlan, mpq], int]) -> Make:
    """The plan with another cap."""

    def made(chosen: Chosen) -> BlanketPlan:
        plan = chosen.built()
        return changed(plan, cap=cap(plan, chosen.invented * mpq(plan.labels, plan.size)))

    return made


@own(
    "FD.Blanket.withheld",
    """Whatever the data are, a release is withheld with probability at most 2^-64: E|shown| is at most n max_c Pr[M(c) > b]/c,
    and Chernoff's bound of |shown| + N at that mean is at most 2^-64, decided without rounding.""",
    over="plans up to n = 10^6 and |X| = 2^129 (quick: 10^5), epsilon to 1/100; all counts; all datasets by the bound",
    code=["finitedp.impl.histograms.blanket.building.blanket_plan", "finitedp.impl.histograms.blanket.building.least_cap"],
    grid=Cases([*SMALL, *LARGE, Chosen(2, 50, epsilon="9", invented=1)], [*MORE_SMALL, *LARGEST]),
    subject=Chosen.built,
    twins={
        "the mean of n labels of one row": _with_cap(lambda plan, hits: least_cap(plan.n * Bins(plan).shown(1), hits)),
        "the mean itself": _with_cap(lambda plan, hits: int(Bins(plan).most() + hits) + 1),
        "slots that hit forgotten": _with_cap(lambda plan, _hits: least_cap(most_shown(plan.mechanism, plan.b), mpq(0))),
    },
    derived_from=("FD.Blanket.law", "FD.Blanket.worst-dataset", "FD.Dyadic.law"),
    by="the bound of a sum of independent events by its mean: 1 + p(z-1) <= e^(p(z-1))",
)
def withheld(make: Make, chosen: Chosen) -> Iterator[Finding]:
    plan = make(chosen)
    mean = Bins(plan).most() + mpq(plan.slots * plan.hit, 1 << plan.hit_bits)
    yield equal(chernoff(mean, plan.cap + 1, RARE), True, f"whether {plan.cap} is above {decimal(mean, 4)} by enough")
    yield at_most(mean, plan.cap + 1, "mean")


Noise = DyadicSample | SkewedSample
WORST = [
    THREE,
    Numbers(20, (2, 1, 14), mpq(3), 1, 4, 20, 1, 4, (8,)),
    Numbers(9, (20, 12, 8, 5, 3, 2, 1, 1, 1, 1, 20), mpq(3), 5, 4, 6, 2, 4, (4, 1, 1, 1, 1)),
]


@own(
    "FD.Blanket.worst-dataset",
    """No dataset of at most n rows shows more labels on average than n max_c Pr[M(c) > b]/c, and the exact probability that a
    release is withheld is, for every dataset, at most Chernoff's bound at that mean with that of the slots. Of
    these, the stated mean of invented labels counts the ones that hit and hold a label of X.""",
    over="plans with n <= 10, and those chosen with n <= 30 (quick: 20); every partition of up to n rows; exact rationals",
    code=["finitedp.impl.histograms.blanket.building.most_shown", "finitedp.spec.blanket.most_shown"],
    grid=Cases([*WORST, SMALL[0]], [SMALL[1], *MORE_SMALL[:2]]),
    subject=most_shown,
    twins={
        "of one row": lambda mechanism, b: mpq(mechanism.n * mechanism.table.upper(b), mechanism.d),
        "of n rows": lambda mechanism, b: 1 - mpq(mechanism.cdf(mechanism.n, b), mechanism.d),
    },
)
def worst_dataset(of: Callable[[Noise, int], mpq], case: Numbers | Chosen) -> Iterator[Finding]:
    if isinstance(case, Numbers):
        check_numbers(case)
    plan = case.built() if isinstance(case, Chosen) else built(case, kind=Unchecked)
    numbers, found = numbers_of(plan), of(plan.mechanism, plan.b)
    blanket, exact = specified(numbers), Errors(plan)
    shown = [mpq(0), *(blanket.shown(c) for c in range(1, numbers.n + 1))]
    every = [counts for rows in range(numbers.n + 1) for counts in partitions(rows, numbers.size, numbers.n)]
    mean = found + spec.invented(blanket)
    rarest = max(1 - exact.released(counts, exact.either) for counts in every)
    yield equal(found, spec.most_shown(blanket), "bound of the mean")
    yield equal(plan.invented, spec.invented(blanket) * mpq(plan.size, plan.labels), "mean of invented labels")
    yield at_most(max(sum((shown[c] for c in counts), mpq(0)) for counts in every), found, "labels shown on average")
    yield equal(within_chernoff(rarest, mean, numbers.cap + 1), True, f"whether {brief(rarest)} is within the bound")


# Errors


Accurate = Callable[[BlanketPlan, RationalLike], HistogramAccuracy]


def _moved(single: int = 0, above: int = 0, every: int = 0) -> Accurate:
    """Broken: one of the numbers is another."""

    def accurate(plan: BlanketPlan, beta: RationalLike) -> HistogramAccuracy:
        found = blanket_accuracy(plan, beta)
        per_query = evolve(found.per_query, a=found.per_query.a + single)
        return HistogramAccuracy(per_query, found.above + above, evolve(found.simultaneous, a=found.simultaneous.a + every))

    return accurate


@own(
    "FD.Blanket.accuracy",
    """The stated errors hold: a label of more than a + b rows is off by more than a with probability at most beta, a the
    least that noise exceeds with beta - 2^-64; and any label by more than A with probability at most beta, A the least at
    which hidden, noisy and invented labels that are off are at most beta - 2^-64 on average.""",
    over="""plans with n to 24 (quick: 12), three betas and those that are just reached; every count with every partition of
    the other rows; the law of spec""",
    code=["finitedp.impl.histograms.blanket.accuracy.blanket_accuracy"],
    grid=Cases(SMALL[:1], [MORE_SMALL[1], MORE_SMALL[2], Chosen(16, 2**64, epsilon="6")]),
    subject=blanket_accuracy,
    twins={
        "a one more": _moved(single=1),
        "above b alone": _moved(above=-1),
        "A one less": _moved(every=-1),
        "A one more": _moved(every=1),
    },
    derived_from=("FD.Blanket.law", "FD.Blanket.withheld", "FD.Dyadic.law"),
    by="the probability of a miss for every dataset of few rows, from the laws of one count and of how many slots hit",
)
def accuracy(stated: Accurate, chosen: Chosen) -> Iterator[Finding]:
    plan = chosen.built()
    exact, n = Errors(plan), plan.n
    for beta in BETAS:
        found, left = stated(plan, beta), beta - RARE
        single, every = found.per_query.a, found.simultaneous.a
        least = next(a for a in range(n + 1) if dyadic.worst_miss(exact.numbers.weights, a) <= left)
        joint = next(a for a in range(plan.b, n + 1) if exact.on_average(a) <= left)
        yield equal((single, found.above, every), (least, least + plan.b, joint), f"stated at {beta}")
        large = [(c, rest) for c in range(found.above + 1, n + 1) for rest in _rest(exact, n - c)]
        yield at_most(max((exact.one(c, single, rest) for c, rest in large), default=mpq(0)), beta, "miss of one label")
        whole = [counts for rows in range(n + 1) for counts in partitions(rows, plan.size, n)]
        yield at_most(max(exact.together(counts, every) for counts in whole), beta, "miss of any label")
    for a in range(1, n):
        beta = dyadic.worst_miss(exact.numbers.weights, a) + RARE
        yield equal(stated(plan, beta).per_query.a, a, f"stated at {beta}, which {a} just reaches")


def _rest(exact: Errors, rows: int) -> Iterator[tuple[int, ...]]:
    for fewer in range(rows + 1):
        yield from partitions(fewer, exact.numbers.size - 1, exact.n)


# Lower bounds


def per_label(plan: BlanketPlan, beta: mpq) -> int:
    """The least a >= b for which every count, those that are hidden among them, is off by more than a with at most beta.

    A count of at most a is off by noise above a alone, and a + 1 is the worst of the others: it is hidden the soonest.
    """
    bins, table, left = Bins(plan), plan.mechanism.table, beta - RARE

    def miss(a: int) -> mpq:
        return 1 - bins.shown(a + 1) + mpq(table.upper(a + 1), plan.mechanism.d) if a < plan.n else mpq(0)

    low, high = plan.b, plan.n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if miss(middle) <= left else (middle + 1, high)
    return low


@own(
    "FD.Blanket.lower-bounds",
    """The per-label and the simultaneous error obey Theorems 7.1 and 7.2 at the exact ratio, with at most L bins released: at
    n = 10^6, |X| = 2^64, epsilon = 1/10 and beta = 1/20 they are 920 and 1057, where the bounds ask for 93 and 230.""",
    over="plans up to n = 10^6, |X| = 2^129; beta = 1/3, 1/20 and 1/1000; powers of rationals, or logarithms refined",
    code=["finitedp.impl.histograms.blanket.accuracy.blanket_accuracy", "finitedp.spec.lower_bounds.sparse_bound"],
    grid=Cases([*LARGE[:1], *LARGEST[:1]], [*LARGE[1:], *LARGEST, *SMALL]),
    subject=per_label,
    twins={"noise alone": lambda plan, beta: plan.mechanism.accuracy(beta).a},
    derived_from=("FD.Blanket.private", "FD.Blanket.accuracy", "BV.Thm7.1.i", "BV.Thm7.1.ii", "BV.Thm7.2"),
    by="the stated errors at the plan's ratio, put into the bounds",
)
def lower_bounds(of: Callable[[BlanketPlan, mpq], int], chosen: Chosen) -> Iterator[Finding]:
    plan = chosen.built()
    level = LogRatio(plan.ratio)
    for beta in BETAS:
        single, every = of(plan, beta), blanket_accuracy(plan, beta).simultaneous.a
        bounds = {
            "7.1 i": (per_query_bound(plan.n, beta, level), single),
            "7.1 ii": (simultaneous_bound(plan.size, plan.n, beta, level), every),
            "7.2": (sparse_bound(plan.size, plan.cap, plan.n, beta, level), single),
        }
        least = {name: bound.least for name, (bound, _) in bounds.items()}
        yield from (at_most(least[name], a, f"Theorem {name} at beta = {beta}:") for name, (_, a) in bounds.items())
        if (chosen, beta) == (LARGEST[0], mpq(1, 20)):
            yield equal((single, every, least["7.2"], least["7.1 ii"]), (920, 1057, 93, 230), "errors and bounds")
