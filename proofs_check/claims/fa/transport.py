"""Lemma 11 and Claims 7 to 10 of the paper on flexible accuracy: what is left of two histograms that are near each other."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from gmpy2 import lcm, mpq

from finitedp.proofs_check.claims.fa.subjects import POINTS, bottleneck, small_histograms
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, entry, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible.distortion import drop, sub_histograms
from finitedp.spec.flexible.flows import largest_flow
from finitedp.spec.flexible.literal import Histogram, fractional_image, integral

LITERAL = "finitedp.spec.flexible.literal"


class Near(NamedTuple):
    """Two histograms on POINTS, and q: the mechanism drops up to q rows of each bar of the first one."""

    x: Histogram
    other: Histogram
    q: int


def _near(items: int) -> list[Near]:
    found = [x for x in small_histograms(3, items) if sum(x) == items]
    return [Near(x, y, 1) for x in found for y in found]


EQUAL_SIZES = Cases(lambda: _near(3)[::2], lambda: [*_near(4), *(Near(n.x, n.other, 2) for n in _near(4))])
OTHER_SIZES = Cases(
    lambda: [Near((3, 3, 0), (1, 1, 0), 1)], lambda: [Near((5, 5, 0), (2, 2, 0), 1), Near((6, 0, 3), (2, 0, 1), 1)]
)


def _shares(x: Histogram) -> dict[mpq, int]:
    return {mpq(point): count for point, count in zip(POINTS, x, strict=True) if count}


class Three(NamedTuple):
    """Three histograms on POINTS, of one size."""

    x: Histogram
    y: Histogram
    z: Histogram

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        in_scope(all(len(h) == len(POINTS) and min(h) >= 0 for h in self), "a count for each point")
        in_scope(sum(self.x) == sum(self.y) == sum(self.z) > 0, "rows, and of each as many")


class Sizes(NamedTuple):
    """All histograms on POINTS with these numbers of rows."""

    rows: tuple[int, ...]

    def triples(self) -> Iterator[Three]:
        """All triples of them."""
        every = [x for x in small_histograms(len(POINTS), max(self.rows)) if sum(x) in self.rows]
        return (Three(*some) for some in product(every, repeat=3))


Distance = Callable[[Histogram, Histogram], mpq]


@lru_cache(maxsize=4096)
def _d_hist(x: Histogram, y: Histogram) -> mpq:
    return bottleneck(_shares(x), _shares(y))


@erratum(
    "FA.dhist",
    "Section 5.2: d_hist(y, y') = W^inf(y/|y|, y'/|y'|) is a metric over the histograms.",
    """Section 5.2, corrected: d_hist(y, y') = W^inf(y/|y|, y'/|y'|) is a metric over the histograms of one size; between sizes
    it is symmetric and has the triangle inequality, but is 0 wherever the shares are equal.""",
    subject=_d_hist,
    twins={
        "a row's share that differs": lambda x, y: mpq(max(abs(a - b) for a, b in zip(x, y, strict=True)) ** 2),
        "one bar alone": lambda x, y: mpq(abs(x[0] - y[0])),
    },
    printed_grid=Cases([Sizes((1, 2))], [Sizes((1, 2, 3))]),
    printed_over="histograms of one and of two rows (to three in full)",
    kind="definition",
    over="all triples of histograms of two and of three rows (of one and of four in full) on three points",
    code=["finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"],
    grid=Cases([Sizes((2,)), Sizes((3,))], [Sizes((1,)), Sizes((4,))]),
)
@over(Sizes.triples)
def metric_of_one_size(distance: Distance, case: Three) -> Finding:
    x, y, z = case
    apart = distance(x, z)
    return all_of(
        [
            equal(apart == 0, x == z, f"d_hist({x}, {z}) = {apart}: 0 between equal ones alone"),
            equal(apart, distance(z, x), f"d_hist of {x} and {z}, both ways"),
            at_most(apart, distance(x, y) + distance(y, z), f"d_hist({x}, {z}) by {y}:"),
        ]
    )


def _coupling(x: Histogram, y: Histogram) -> dict[tuple[int, int], mpq]:
    """An optimal coupling of x/|x| and y/|y|, a flow of integers over the least common multiple of the sizes."""
    size = int(lcm(sum(x), sum(y)))
    b = bottleneck(_shares(x), _shares(y))
    near = [sum(1 << j for j, h in enumerate(POINTS) if abs(g - h) <= b) for g in POINTS]
    flow, _ = largest_flow([c * size // sum(x) for c in x], [c * size // sum(y) for c in y], near)
    return {pair: mpq(f, size) for pair, f in flow.items()}


def _released(case: Near) -> list[Histogram]:
    """What the mechanism may leave of x: at most q rows of each bar dropped, not all."""
    kept = (z for z in sub_histograms(case.x) if all(a - b <= case.q for a, b in zip(case.x, z, strict=True)))
    return [z for z in kept if sum(z)]


def _alpha(case: Near) -> mpq:
    """t tau for t occupied bars and tau = q/|x|."""
    return min(mpq(1), mpq(case.q * sum(c > 0 for c in case.x), sum(case.x)))


@erratum(
    "FA.Lem11",
    """Lemma 11: for all histograms x, x' with d_hist(x, x') <= beta, what the mechanism leaves of x is within beta of what is
    left of x' after at most alpha of its rows are dropped.""",
    """Lemma 11, for histograms x, x' of one size with d_hist(x, x') <= beta: what the mechanism leaves of x is within beta of
    what is left of x' after at most alpha of its rows are dropped. Of different sizes, as d_hist allows, alpha of the smaller
    one may be less than a row.""",
    subject=_alpha,
    twins={"half of alpha": lambda case: _alpha(case) / 2},
    printed_grid=OTHER_SIZES,
    printed_over="x and x' of different sizes with equal shares",
    kind="lemma",
    over="all x and x' of three rows (four in full) on three points, up to one (two) rows dropped from each bar",
    code=["finitedp.spec.flexible.distortion.drop", "finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"],
    grid=EQUAL_SIZES,
)
def left_of_both(alpha: Callable[[Near], mpq], case: Near) -> Finding:
    beta, findings = bottleneck(_shares(case.x), _shares(case.other)), list[Finding]()
    dropped = int(alpha(case) * sum(case.other))
    choices = [y for y in sub_histograms(case.other, dropped) if sum(y)]
    for z in _released(case):
        least = min(bottleneck(_shares(z), _shares(y)) for y in choices)
        findings.append(at_most(least, beta, f"{z} of {case.x} from what is left of {case.other}:"))
    return all_of(findings)


Image = Callable[[Histogram, Near], list[mpq]]


def _by_shares(z: Histogram, case: Near) -> list[mpq]:
    return fractional_image(z, case.x, case.other, _coupling(case.x, case.other))


def _by_rows(z: Histogram, case: Near) -> list[mpq]:
    """An integral coupling of the rows of x and x': the partners of the rows that z keeps, the first ones of each bar."""
    size, kept, left = sum(case.x), list(z), [0] * len(case.other)
    for (a, b), share in sorted(_coupling(case.x, case.other).items()):
        rows = min(kept[a], int(share * size))
        kept[a], left[b] = kept[a] - rows, left[b] + rows
    return [mpq(count) for count in left]


def _first_rows(z: Histogram, case: Near) -> list[mpq]:
    left, found = sum(z), list[mpq]()
    for count in case.other:
        found.append(mpq(min(count, left)))
        left -= min(count, left)
    return found


@erratum(
    "FA.Claim7",
    "Claim 7: if z is x with at most alpha of its rows dropped, f_phi(z) = |x'| sum_a z(a) phi(a, .)/x(a) is so of x'.",
    """Claim 7, by rows: for x and x' of one size, if z is x with at most alpha of its rows dropped, the partners of z's rows
    in an integral coupling of x and x' are x' with at most alpha of its rows dropped. As printed, f_phi(z) has fractions for
    counts: a bar goes half to one place, half to another.""",
    as_printed=("f_phi", _by_shares),
    subject=_by_rows,
    kind="lemma",
    over="all x and x' of three rows (four in full) on three points, up to one (two) rows dropped from each bar",
    code=[f"{LITERAL}.fractional_image", "finitedp.spec.flexible.distortion.drop"],
    grid=EQUAL_SIZES,
)
@erratum(
    "FA.Claim8",
    "Claim 8: the random histogram Y = f_phi(M(x)) is within distortion alpha of x', by the drop of rows.",
    """Claim 8, by rows: for x and x' of one size the random histogram Y of the partners, in an integral coupling of x
and x', of the rows that M(x) keeps is within distortion alpha of x', by the drop of rows.""",
    as_printed=("f_phi", _by_shares),
    subject=_by_rows,
    twins={"one row for all": lambda z, case: [mpq(1), *_by_rows(z, case)[1:]]},
    kind="lemma",
    over="as Claim 7",
    code=[f"{LITERAL}.fractional_image", "finitedp.spec.flexible.distortion.drop"],
    grid=EQUAL_SIZES,
)
def image_is_a_drop(image: Image, case: Near) -> Finding:
    findings = list[Finding]()
    for z in _released(case):
        made = image(z, case)
        findings.append(equal(integral(made), True, f"{z} of {case.x} at {case.other}: {made} is a histogram"))
        if integral(made):
            found = drop(case.other, tuple(int(count) for count in made))
            findings.append(equal(found is not None and found <= _alpha(case), True, f"{made} dropped from {case.other}"))
    return all_of(findings)


def _normalised(values: list[mpq]) -> dict[mpq, int]:
    size = int(lcm(1, *(v.denominator for v in values)))
    return {mpq(point): int(v * size) for point, v in zip(POINTS, values, strict=True) if v}


@entry(
    "FA.Claim9",
    "lemma",
    "Claim 9: W^inf(M(x), Y) <= beta for Y the partners of the rows that M(x) keeps, where d_hist(x, x') <= beta.",
    over="all x and x' of three rows (four in full) on three points, up to one (two) rows dropped from each bar",
    code=["finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"],
    grid=EQUAL_SIZES,
    subject=_by_rows,
    twins={"the first rows of x'": _first_rows},
)
@entry(
    "FA.Claim10",
    "lemma",
    "Claim 10: d_hist(z, f_phi(z)) <= d_hist(x, x') for the shares of the fractional counts as printed.",
    over="as Claim 9",
    code=[f"{LITERAL}.fractional_image", "finitedp.spec.flexible.lossy_wasserstein.lossy_infinity"],
    grid=Cases(
        lambda: [*EQUAL_SIZES.of("quick"), *OTHER_SIZES.of("quick")],
        lambda: [*EQUAL_SIZES.of("full"), *OTHER_SIZES.of("full")],
    ),
    subject=_by_shares,
    twins={"the first rows of x'": _first_rows},
)
def image_is_near(image: Image, case: Near) -> Finding:
    beta, findings = bottleneck(_shares(case.x), _shares(case.other)), list[Finding]()
    for z in _released(case):
        found = bottleneck(_shares(z), _normalised(image(z, case)))
        findings.append(at_most(found, beta, f"{z} of {case.x}, and its image in {case.other}:"))
    return all_of(findings)
