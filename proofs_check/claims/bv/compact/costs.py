"""What a release of CompactHistogram and an evaluation of it cost: draws, bits, look-ups and field products, never time."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from attrs import field, frozen

from finitedp.impl.arithmetic.field import Polynomial
from finitedp.impl.arithmetic.interpolation import newton, subproduct_tree
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import BitMeter, SeededBits, StrictCoins, strict_bits
from finitedp.proofs_check.claims.bv.compact import twins as compact_twins
from finitedp.proofs_check.claims.bv.compact.meters import MeteredField, metered
from finitedp.proofs_check.claims.bv.compact.subjects import Compact, Interpolation
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable
from finitedp.proofs_check.ledger.entry import Finding, but, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, lemma, theorem
from finitedp.spec import compact as spec
from finitedp.spec.neighbours import multisets


@frozen
class MeteredTable(ToyTable):
    """A toy mechanism whose look-ups of F are counted."""

    tally: list[int] = field(factory=list, eq=False)

    def cdf(self, count: int, z: int) -> int:
        self.tally.append(1)
        return super().cdf(count, z)


class Shape(NamedTuple):
    """n, and the level of the field."""

    n: int
    level: int

    @property
    def mechanism(self) -> MeteredTable:
        """A mechanism with every noisy count and n + 1 draws."""
        return MeteredTable((tuple(range(self.n + 1)),) * (self.n + 1))


SHAPES = cases(Shape, [(2, 0), (1, 1), (3, 1), (3, 2), (3, 5)], [(5, 1), (4, 3), (3, 6)])


def _measured(make: Compact, case: Shape, dataset: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Reads of random bits, bits, look-ups of F, and field products of one release."""
    histogram, meter = make(case.mechanism, range(3), case.level), BitMeter(SeededBits(sum(dataset), not_private=True))
    table, products = histogram.mechanism, metered(histogram)
    assert isinstance(table, MeteredTable)  # noqa: S101  # narrows the type
    del table.tally[:]
    histogram.release(dataset, StrictCoins(meter))
    return meter.reads, meter.total_bits, len(table.tally), len(products)


@theorem(
    "BV.Thm8.3.iv",
    """A release makes n draws and searches of the mechanism, n + 1 draws of a field element, 2n + 2 look-ups of F_M for S, and
    an interpolation of at most 3n(n+1)/2 + 4(n+1) + 2 log log d_0 field products where n is small (where it is not:
    BV.Lem8.1.iv.cost): the same for every dataset.""",
    over="every dataset over 3 labels; n and l on the grid",
    code=["finitedp.impl.histograms.compact.CompactHistogram.cost", "finitedp.impl.arithmetic.field.Field.interpolate"],
    grid=SHAPES,
    subject=CompactHistogram,
    twins={"draws for labels that occur only": compact_twins.OnlyOccupied, "no public bound": compact_twins.RangeAsDrawn},
    sampled="one run on seeded bits for each dataset over 3 labels",
)
def release_cost(make: Compact, case: Shape) -> Iterator[Finding]:
    found = {_measured(make, case, dataset) for dataset in multisets(range(3), case.n)}
    cost, n, bits = make(case.mechanism, range(3), case.level).cost(), case.n, 2 * 3**case.level
    draws = n * strict_bits(n + 1) + (n + 1) * strict_bits(2**bits)
    searches = n * int(n).bit_length()
    reads, total_bits, look_ups, products = max(found)
    most = 3 * n * (n + 1) // 2 + 4 * (n + 1) + 2 * bits.bit_length()
    yield equal(len(found), 1, "different costs")
    yield equal((reads, total_bits, look_ups), (2 * n + 1, draws, searches + 2 * n + 2), "draws, bits, look-ups of F")
    yield equal((cost.draws, cost.bits, cost.steps, cost.exact), (2 * n + 1, draws, searches, True), "stated cost")
    yield at_most(products, most, "field products")


class Halvings(NamedTuple):
    """n points of a field, and the number of them that the tree does not halve."""

    n: int
    level: int
    leaf: int


@lemma(
    "BV.Lem8.1.iv.cost",
    """Interpolation through n points by a subproduct tree with leaves of b points takes at most 8n(ceil(log n) + 1) + 5/2 b n
    + 4 log log d_0 products. The bits of their elements sum up to at most 3/2 of that, times log d_0. Both are the same for
    all values.""",
    over="n, l and b on the grid, with sparse and dense values",
    code=["finitedp.impl.arithmetic.interpolation.subproduct_tree", "finitedp.impl.arithmetic.transform.Transform"],
    grid=cases(
        Halvings,
        # also more points than the field has roots of unity: 3^(l+1)
        [(2, 0, 1), (64, 1, 1), (33, 2, 1), (48, 4, 8)],
        [(128, 2, 1), (100, 3, 1), (81, 4, 1), (96, 4, 8), *product((200, 256, 500), (2, 3), (1, 16)), (256, 5, 8)],
    ),
    subject=subproduct_tree,
    twins={
        "Newton's form": lambda base, points, values, width, _leaf: newton(base, points, values, width),
        "one leaf": lambda base, points, values, width, _leaf: subproduct_tree(base, points, values, width, len(points)),
    },
    sampled="values at the points that are all 0, all dense, or 0, 1, 2, ...",
)
def tree_cost(tree: Interpolation, case: Halvings) -> Iterator[Finding]:
    base, tallies, points = MeteredField(case.level), set[tuple[int, ...]](), range(case.n)
    for values in ([0] * case.n, [base.order - 1] * case.n, list(points)):
        del base.tally[:]
        tree(base, points, values, base.bits, case.leaf)
        tallies.add(tuple(base.tally))
    tally = max(tallies)
    most = 8 * case.n * ((case.n - 1).bit_length() + 1) + 5 * case.leaf * case.n // 2 + 4 * base.bits.bit_length()
    yield equal(len(tallies), 1, "different sequences of products")
    yield at_most(len(tally), most, "products")
    yield at_most(2 * sum(tally), 3 * most * base.bits, "twice the bits of their elements")


def _first_coefficients(case: Shape) -> list[tuple[int, ...]]:
    """A few polynomials, sparse and dense."""
    last = 2 ** (2 * 3**case.level) - 1
    return [(0,) * (case.n + 1), (last,) * (case.n + 1), (1,) + (0,) * (case.n - 1) + (last // 3,)]


def _defined_count(case: Shape, coefficients: tuple[int, ...], x: int) -> int:
    """M_0(T(p(x))), by its definition: the mechanism's row is 0..n."""
    u_0 = spec.polynomial_value(coefficients, x, case.level) + 1
    return spec.stretch(u_0, case.n + 1, 4 ** (3**case.level)) - 1


def _without_offset(self: CompactRelease[Any], label: Any) -> int:  # noqa: ANN401  # any label
    """Broken: the field element itself as the draw, with 0 for d_0."""
    value = Polynomial(self.base, self.coefficients).value(self.universe.index(label))
    return int(self.sampler.apply(value or self.sampler.d_0))


about = partial(entry, grid=SHAPES, subject=CompactRelease, sampled="three polynomials, sparse and dense")


@about(
    "BV.Lem8.1.iii",
    "lemma",
    """A histogram is n + 1 field elements of log d_0 bits; the count of x is M_0(T(p(x))), read with n + 1 field products and
    one evaluation of M_0, whatever the label.""",
    over="every label of a universe of 3; n, l and a few polynomials on the grid",
    code=["finitedp.impl.histograms.compact_release.CompactRelease.count", "finitedp.impl.arithmetic.field.Polynomial"],
    twins={
        "a power for each term": compact_twins.EvaluatedByPowers,
        "the draw off by one": but(CompactRelease, count=_without_offset),
    },
)
@about(
    "BV.Thm8.3.v",
    "theorem",
    "A count of a released histogram is read with n + 1 field products and one evaluation of M_0.",
    over="every label of a universe of 3; n, l and a few polynomials on the grid",
    code=["finitedp.impl.histograms.compact_release.CompactRelease.count", "finitedp.impl.arithmetic.field.Polynomial"],
    twins={
        "a power for each term": compact_twins.EvaluatedByPowers,
        "the draw off by one": but(CompactRelease, count=_without_offset),
    },
)
def evaluation_cost(make: Any, case: Shape) -> Finding:  # noqa: ANN401  # CompactRelease or a copy
    universe = Integers(0, 2)
    findings, search = [], int(case.n).bit_length()
    for coefficients in _first_coefficients(case):
        table = case.mechanism
        release = make(case.level, table, universe, coefficients)
        products = metered(release)
        for x in range(3):
            del products[:], table.tally[:]
            found = release.count(x)
            findings.append(equal((len(products), len(table.tally)), (case.n + 1, search), f"products, look-ups at {x}"))
            findings.append(equal(found, _defined_count(case, coefficients, x), f"count of {x}"))
        findings.append(equal(max(c.bit_length() for c in coefficients) <= 2 * 3**case.level, True, "bits of a coefficient"))
    return all_of(findings)
