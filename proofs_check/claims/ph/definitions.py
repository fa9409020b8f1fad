"""Sections 1 and 2 and Appendix A: histograms, neighbours, the Laplace and geometric mechanisms."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.proofs_check.claims.ph.each_case import Compared, compared, first_difference, largest_load
from finitedp.proofs_check.claims.ph.subjects import HISTOGRAMS, small
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, definition, equal, lemma
from finitedp.spec.anonymized import histograms as spec
from finitedp.spec.anonymized.histograms import Histogram


class Dataset(NamedTuple):
    """Labels, by number."""

    rows: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(min(self.rows, default=0) >= 0, "labels by number")


def _datasets(n: int) -> Iterator[Dataset]:
    """All datasets of n rows over three labels, and one for each histogram of n items."""
    yield from (Dataset(rows) for rows in product(range(3), repeat=n))
    for h in spec.partitions(n):
        yield Dataset(tuple(x for x, count in enumerate(h) for _ in range(count)))


def _by_counting(dataset: Sequence[int]) -> Histogram:
    return tuple(sorted((dataset.count(x) for x in set(dataset)), reverse=True))


@definition(
    "PH.1",
    """An anonymized histogram is the multiset of the counts above 0 of a dataset; the prevalences phi_r, the number of labels
    with count r, say the same: the one form gives the other back.""",
    over="all datasets over the labels a, b, c of the length of the grid; all histograms with as many items",
    code=[f"{HISTOGRAMS}.histogram", f"{HISTOGRAMS}.prevalences", f"{HISTOGRAMS}.from_prevalences"],
    grid=Cases((0, 1, 2, 3, 4), (5, 6)),
    subject=spec.histogram,
    twins={
        "counts of labels that do not occur": lambda rows: tuple(sorted(map(list(rows).count, range(3)), reverse=True)),
        "without repeated counts": lambda rows: tuple(sorted({list(rows).count(x) for x in set(rows)}, reverse=True)),
    },
)
@over(_datasets)
def both_forms(make: Callable[[Sequence[int]], Histogram], dataset: Dataset) -> Iterator[Finding]:
    h = _by_counting(dataset.rows)
    yield first_difference("forms", [(spec.from_prevalences(spec.prevalences(h)), h, h)])
    yield first_difference("counts", [(make(dataset.rows), h, dataset.rows)])


@definition(
    "PH.Def1",
    """Neighbours are histograms at distance 1: one label goes from a count r to r + 1, r = 0 included, or back. Then exactly
    one phi_{s+} and exactly one n_(i) changes, each by 1, and so does the number of items.""",
    over="all histograms with as many items as the grid says, against all with at most 2 more",
    code=[f"{HISTOGRAMS}.larger", f"{HISTOGRAMS}.are_neighbours", f"{HISTOGRAMS}.neighbouring_histograms"],
    grid=Cases((0, 1, 2, 3, 4, 5), (6, 7, 8)),
    subject=spec.larger,
    twins={
        "no new label": lambda h: spec.larger(h)[:-1],
        "the largest count alone": lambda h: [*([(h[0] + 1, *h[1:])] if h else []), (*h, 1)],
        "an item replaced": lambda h: [*spec.larger(h), *(spec.replaced(h) if h else ())],
    },
)
@compared("neighbours")
def neighbours(larger: Callable[[Histogram], Sequence[Histogram]], n: int) -> Compared:
    others = [g for g in small(n + 2) if spec.items(g) >= n]
    for h in spec.partitions(n):
        found = list(larger(h))
        yield sorted(found), sorted(g for g in others if _least(g, h) == 1), h
        for g in found:
            yield _changes(g, h), ([1], [1], 1), (h, g)


def _least(g: Histogram, h: Histogram) -> int:
    """Their distance, by all assignments of labels where there are few of them."""
    return spec.labelled_distance(g, h) if len(g) + len(h) <= 5 else spec.distance(g, h)


def _changes(g: Histogram, h: Histogram) -> tuple[list[int], list[int], int]:
    most = sum(g) + sum(h) + 1
    by_place = [spec.largest(g, i) - spec.largest(h, i) for i in range(1, most)]
    by_level = [spec.cumulative(g, r) - spec.cumulative(h, r) for r in range(1, most)]
    return [x for x in by_level if x], [x for x in by_place if x], spec.items(g) - spec.items(h)


class Query(NamedTuple):
    """A query's sensitivity Delta >= 1, and epsilon > 0."""

    sensitivity: int
    epsilon: mpq

    def check_scope(self) -> None:
        in_scope(self.sensitivity >= 1 and self.epsilon > 0, "Delta >= 1 and epsilon > 0")


class Ratio(NamedTuple):
    """A query's sensitivity Delta >= 1, and r = e^(epsilon/Delta) > 1."""

    sensitivity: int
    ratio: mpq

    def check_scope(self) -> None:
        in_scope(self.sensitivity >= 1 and self.ratio > 1, "Delta >= 1 and r > 1")


@definition(
    "PH.Def2",
    """The Laplace mechanism: f + Z, where Z has the density exp(-|z|/b)/(2b); b = Delta/epsilon gives epsilon-DP for a query
    of sensitivity Delta, and no less (it is a law on the reals, which no finite computer draws from).""",
    over="Delta and epsilon on the grid; the logarithm of the ratio of densities at rational points, and the whole mass",
    code=[f"{HISTOGRAMS}.distance"],
    grid=cases(Query, product((1, 2, 5), (mpq(1, 3), mpq(1), mpq(4))), product((3, 10), (mpq(1, 10), mpq(7, 2)))),
    subject=lambda sensitivity, epsilon: (sensitivity / epsilon, epsilon / sensitivity / 2),
    twins={
        "b = epsilon / Delta": lambda sensitivity, epsilon: (epsilon / sensitivity, sensitivity / epsilon / 2),
        "b = 1 / epsilon": lambda _, epsilon: (1 / epsilon, epsilon / 2),
        "density exp(-|z|/b)/b": lambda sensitivity, epsilon: (sensitivity / epsilon, epsilon / sensitivity),
    },
)
def laplace(scale: Callable[[int, mpq], tuple[mpq, mpq]], case: Query) -> Iterator[Finding]:
    sensitivity, epsilon = case
    b, density = scale(sensitivity, epsilon)
    points = [mpq(j, 4) for j in range(-8 * sensitivity, 12 * sensitivity)]
    worst = max((abs(z - sensitivity) - abs(z)) / b for z in points)
    yield equal(worst, epsilon, "log of the worst ratio")
    yield equal(2 * density * b, mpq(1), "mass")


def _normal(decay: mpq) -> mpq:
    return (1 - decay) / (1 + decay)


@erratum(
    "PH.Def3",
    """Definition 3 as printed: to achieve epsilon-DP for a query of sensitivity Delta add Z of G(e^(epsilon/Delta)), where
    G(a) has the weights (1-a)/(1+a) a^|z|.""",
    """Definition 3, corrected to G(e^(-epsilon/Delta)): a law, whose worst ratio for integers that differ by Delta is exactly
    e^epsilon.""",
    as_printed=("a = e^(epsilon/Delta)", lambda r, _: (r, _normal(r))),
    subject=lambda r, _: (1 / r, _normal(1 / r)),
    twins={
        "a = e^(-epsilon Delta)": lambda r, sensitivity: (r ** -(sensitivity**2), _normal(r ** -(sensitivity**2))),
        "a = e^(-epsilon/(2 Delta)) for r = e^(epsilon/Delta) rounded": lambda r, _: (2 / (1 + r), _normal(2 / (1 + r))),
        "weights for z >= 0": lambda r, _: (1 / r, 1 - 1 / r),
    },
    over="e^(epsilon/Delta) and Delta on the grid, rationals; all |z| <= Delta + 4, and the mass within by its remainder",
    code=["finitedp.spec.counting.geometric_mechanism", f"{HISTOGRAMS}.distance"],
    grid=cases(Ratio, product((1, 2, 3), (mpq(3, 2), mpq(9, 8), mpq(4))), product((5, 8), (mpq(101, 100), mpq(50)))),
    kind="definition",
)
def geometric(law: Callable[[mpq, int], tuple[mpq, mpq]], case: Ratio) -> Finding:
    sensitivity, ratio = case
    decay, normal = law(ratio, sensitivity)
    most = sensitivity + 4
    weights = {z: normal * decay ** abs(z) for z in range(-most, most + 1)}
    beyond = 2 * normal * decay ** (most + 1) / (1 - decay)
    worst = max(weights[z] / weights[z + sensitivity] for z in range(-most, most + 1 - sensitivity))
    positive = equal(min(weights.values()) > 0, True, f"weights above 0, the least {min(weights.values())}")
    mass = equal(sum(weights.values()) + beyond, mpq(1), "mass")
    return all_of([positive, mass, equal(worst, ratio**sensitivity, "worst ratio")])


# Appendix A


DECAYS = Cases((mpq(1, 2), mpq(9, 10), mpq(1, 7)), (mpq(999, 1000), mpq(1, 10**6), mpq(2, 3)))
CODE = ["finitedp.spec.counting.geometric_mechanism", "finitedp.spec.dyadic.geometric_absolute_noise"]
moment = partial(lemma, over="decays on the grid; the series by the equation that its tail satisfies", code=CODE, grid=DECAYS)


def _renewed(decay: mpq, order: int, closed: mpq, steps: int = 6) -> Finding:
    """Finds `closed` to solve s = the first terms + decay^K * (the same sums moved by K): no other number does."""
    s0 = decay / (1 - decay)
    s1 = decay / (1 - decay) ** 2 if order == 2 else closed
    first = sum(z**order * decay**z for z in range(1, steps + 1))
    moved = closed + steps * s0 if order == 1 else closed + 2 * steps * s1 + steps**2 * s0
    return equal(first + decay**steps * moved, closed, f"sum of z^{order} a^z")


@moment(
    "PH.AppA.mean",
    "E Z = 0 for the double geometric law, and the sum of z a^z over z >= 1 is a/(1-a)^2, so that the mean exists.",
    subject=lambda decay: decay / (1 - decay) ** 2,
    twins={"a / (1 - a)": lambda decay: decay / (1 - decay), "1 / (1 - a)^2": lambda decay: 1 / (1 - decay) ** 2},
)
def mean(series: Callable[[mpq], mpq], decay: mpq) -> Finding:
    return _renewed(decay, 1, series(decay))


@moment(
    "PH.AppA.abs",
    "E|Z| = 2a/(1-a^2) for the double geometric law of decay a.",
    subject=lambda decay: 2 * decay / (1 - decay**2),
    twins={
        "2a / (1 - a)^2": lambda decay: 2 * decay / (1 - decay) ** 2,
        "one side only": lambda decay: decay / (1 - decay**2),
    },
)
def absolute(value: Callable[[mpq], mpq], decay: mpq) -> Finding:
    return _renewed(decay, 1, value(decay) / 2 * (1 + decay) / (1 - decay))


@moment(
    "PH.AppA.square",
    "E Z^2 = 2a/(1-a)^2 for the double geometric law of decay a.",
    subject=lambda decay: 2 * decay / (1 - decay) ** 2,
    twins={
        "2a / (1 - a^2)": lambda decay: 2 * decay / (1 - decay**2),
        "the moment about 1": lambda decay: 2 * decay / (1 - decay) ** 2 + 1,
    },
)
def square(value: Callable[[mpq], mpq], decay: mpq) -> Finding:
    return _renewed(decay, 2, value(decay) / 2 * (1 + decay) / (1 - decay))


@lemma(
    "PH.AppA.laplace",
    """Geometric noise is strictly smaller than Laplace noise for the same epsilon: 2e^-eps/(1 - e^-2eps) < 1/eps, and
    2e^-eps/(1 - e^-eps)^2 < 2/eps^2.""",
    over="epsilon on the grid, by rigorous bounds of e^-epsilon",
    code=CODE,
    grid=Cases((mpq(1, 10), mpq(1), mpq(4)), (mpq(1, 1000), mpq(7, 3), mpq(30))),
    subject=lambda epsilon: (1 / epsilon, 2 / epsilon**2),
    twins={
        "1/eps^2 for 2/eps^2": lambda epsilon: (1 / epsilon, 1 / epsilon**2),
        "2/eps, 4/eps^2 at half of epsilon": lambda epsilon: (1 / (2 * epsilon), 2 / (2 * epsilon) ** 2),
    },
)
def below_laplace(moments: Callable[[mpq], tuple[mpq, mpq]], epsilon: mpq) -> Finding:
    bits = 64 + 4 * epsilon.denominator.bit_length()  # the smaller epsilon is, the nearer are the two
    a = exp_bounds(-epsilon, bits)[1]  # both moments rise with the decay
    absolute, second = moments(epsilon)
    found = [(2 * a / (1 - a**2), absolute, "E|Z|"), (2 * a / (1 - a) ** 2, second, "E Z^2")]
    return largest_load(f"epsilon = {epsilon}", found)
