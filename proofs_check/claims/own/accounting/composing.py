"""Composition, our own: pairs that dominate may be multiplied, and finitedp.compose encloses the product."""

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product
from math import prod
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.curve import Curve
from finitedp.exact import compare_exp, exp_bounds, log_bounds
from finitedp.impl.accounting.composing import Composition, compose
from finitedp.impl.accounting.pairs import dyadic_pair
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.dyadic import basic_histogram_with_dyadic_sample, stability_histogram_with_dyadic_sample
from finitedp.proofs_check.claims.own.accounting.subjects import (
    Atoms,
    Counts,
    atoms_of,
    farthest_counts,
    laws_of,
    of_neighbours,
)
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import at_most, equal, own
from finitedp.proofs_check.ledger.grids import small_laws
from finitedp.spec import accounting as spec
from finitedp.spec.pmf import Pmf

SPEC = "finitedp.spec.accounting"
COMPOSE = ["finitedp.impl.accounting.composing.compose", "finitedp.impl.accounting.composing.Composition"]

# Domination


class Laws(NamedTuple):
    """A pair of laws, which may dominate others."""

    p: Pmf[int]
    q: Pmf[int]


COINS = [spec.of_laws(p, q) for p, q in product(small_laws(2, 4), repeat=2)]


@own(
    "FD.Compose.domination",
    """A pair that dominates another one at every gamma >= 0 does so together with any third pair: of two products, with the
    same factor or with one that dominates as well, the curve of what dominates is nowhere below, at any gamma >= 0.
    To dominate from gamma = 1 on is not enough.""",
    over="pairs of laws on two outputs with the denominators 6 and 4, all that they dominate, and products of two of these",
    code=[f"{SPEC}.dominates", f"{SPEC}.joint"],
    grid=cases(Laws, product(small_laws(2, 6), repeat=2), product(small_laws(3, 4), repeat=2)),
    subject=spec.dominates,
    twins={
        "gamma >= 1 only": lambda upper, lower: spec.dominates(upper, lower, 1),
        "at gamma = 1 alone": lambda upper, lower: spec.delta(upper, 1) >= spec.delta(lower, 1),
    },
)
def domination(dominates: Callable[[Atoms, Atoms], bool], case: Laws) -> Finding:
    upper = spec.of_laws(case.p, case.q)
    below = [pair for pair in [spec.mirrored(upper), *COINS] if dominates(upper, pair)]
    found = all(
        spec.dominates(spec.joint(upper, third), spec.joint(pair, third))
        for pair, third in product(below, [upper, spec.mirrored(upper), *COINS[5:20:7]])
    ) and all(spec.dominates(spec.joint(upper, upper), spec.joint(*two)) for two in product(below[:4], repeat=2))
    return equal(found, True, f"products with {len(below)} pairs that are dominated")


class Repeated(NamedTuple):
    """Parameters of DyadicSample, and how often it is run."""

    n: int
    epsilon: str
    word: int
    times: int

    def check_scope(self) -> None:
        self.counts.check_scope()
        in_scope(1 <= self.times <= 3 and self.n <= 6, "1 to 3 runs, n up to 6")

    @property
    def counts(self) -> Counts:
        return Counts(self.n, self.epsilon, self.word)


@own(
    "FD.Compose.table",
    """Several runs on a dyadic table, of any counts and in any directions, are together dominated by the power of the
    table's pair, at every gamma >= 0.""",
    over="all choices of neighbouring counts, in both orders, for each of up to 3 runs",
    code=["finitedp.impl.accounting.pairs.dyadic_pair", f"{SPEC}.dominates", f"{SPEC}.joint"],
    grid=cases(
        Repeated,
        [(1, "1", 8, 3), (2, "1/2", 6, 2), (3, "1", 10, 2), (2, "3", 64, 2)],
        [(2, "1/2", 8, 3), (3, "5/2", 64, 2), (4, "1/3", 8, 2), (1, "1/10", 64, 3)],
    ),
    subject=lambda case: atoms_of(dyadic_pair(case.mechanism.table)),
    twins={"n - 1 and n alone": farthest_counts},
)
def table(make: Callable[[Counts], Atoms], case: Repeated) -> Finding:
    together = spec.joint(*[make(case.counts)] * case.times)
    real = list(of_neighbours(laws_of(case.counts)))
    chosen = combinations_with_replacement(real, case.times)
    return equal(all(spec.dominates(together, spec.joint(*some)) for some in chosen), True, "no real product is above it")


# What is enclosed


class Mixed(NamedTuple):
    """Tables, claims and thresholds together: (n, epsilon, word) of tables, ratios, (n, epsilon, delta) behind thresholds."""

    tables: tuple[tuple[int, str, int], ...]
    ratios: tuple[str, ...]
    thresholds: tuple[tuple[int, str, str], ...]
    bins: int

    def check_scope(self) -> None:
        in_scope(1 <= len(self.tables) + len(self.ratios) + len(self.thresholds) <= 4, "1 to 4 releases")
        in_scope(all(n <= 20 for n, *_ in (*self.tables, *self.thresholds)), "n up to 20")
        in_scope(all(mpq(epsilon) > 0 for _, epsilon, *_ in (*self.tables, *self.thresholds)), "epsilon > 0")
        in_scope(all(1 <= mpq(ratio) <= 50 for ratio in self.ratios), "ratios of 1 to 50")
        in_scope(self.bins in (1, 2), "one bin or two")

    def claims(self) -> list[PrivacyClaim]:
        relation = "add-remove" if self.bins == 1 else "replace-one"
        made = list[PrivacyClaim]()
        for n, epsilon, word in self.tables:
            basic = basic_histogram_with_dyadic_sample(["x", "y"], n, epsilon, word, neighbours=relation)
            made.append(basic.add_remove_claim() if self.bins == 1 else basic.claim())
        for n, epsilon, delta in self.thresholds:
            some = stability_histogram_with_dyadic_sample(n, epsilon, delta, 64, neighbours=relation)
            made.append(some.add_remove_claim() if self.bins == 1 else some.claim())
        claims = [PrivacyClaim(log_bounds(mpq(ratio))[1], relation, ratio=ratio) for ratio in self.ratios]
        return [*made, *claims]


def _kept(choose: Callable[[list[PrivacyClaim]], list[Any]]) -> Callable[[list[PrivacyClaim]], Composition]:
    return lambda claims: compose(choose(claims))


@own(
    "FD.Compose.enclosure",
    """What compose says of different releases together, tables, claims alone and thresholds, encloses the exact delta of the
    product of their pairs, and the least epsilon of a delta. The gap is at most 10^-4, on no lattice too.""",
    over="1 to 4 releases, a row more, less or replaced; delta at gamma from 1 to the largest, by enumeration of all atoms",
    code=[*COMPOSE, f"{SPEC}.composed_delta", "finitedp.claim.PrivacyClaim.curve"],
    grid=cases(
        Mixed,
        [
            (((3, "1", 64), (5, "1/3", 64)), (), (), 1),
            (((4, "1/2", 10),), ("3/2", "7/5"), (), 1),
            ((), ("11/10", "13/7", "2"), (), 2),
            (((2, "1", 64),), (), ((6, "3", "1/10"),), 1),
            ((), (), ((5, "4", "1/20"),), 2),
            (((2, "1", 8),), ("5/4",), (), 2),
        ],
        [
            (((10, "2/7", 64), (10, "3/11", 64), (10, "1/5", 64)), (), (), 1),
            (((3, "2", 64),), (), ((6, "4", "1/30"),), 2),
            ((), ("101/100", "103/100", "107/100", "109/100"), (), 1),
        ],
    ),
    subject=compose,
    twins={
        "the last one forgotten": _kept(lambda claims: claims[:-1] or [PrivacyClaim(0, claims[0].neighbours)]),
        "the first one twice": _kept(lambda claims: [(claims[0], 2), *claims[1:]]),
        "one of two bins": _kept(lambda claims: [Curve(x.curve().pairs[:1], x.neighbours) for x in claims]),
        "claims alone": _kept(lambda claims: [PrivacyClaim.from_json(claim.as_json()) for claim in claims]),
    },
)
def enclosure(make: Callable[[list[PrivacyClaim]], Composition], case: Mixed) -> Iterator[Finding]:
    claims = case.claims()
    together = make(claims)
    pairs = [atoms_of(pair) for claim in claims for pair in claim.curve().pairs]
    most = prod((pair.largest for claim in claims for pair in claim.curve().pairs), start=mpq(1))
    for i in range(1, 6):
        gamma = 1 + (most - 1) * mpq(i, 5)
        exact = spec.composed_delta(pairs, gamma)
        before, behind = log_bounds(gamma, 128)
        high, low = together.delta(before)[1], together.delta(behind)[0]
        yield at_most(low, exact, "lower bound")
        yield equal(exact <= high, True, f"delta {exact} at {gamma} is below the upper bound")
        yield at_most(high - low, mpq(1, 10**4), "gap")
    for delta in (mpq(1, 3), mpq(1, 9)):
        if spec.composed_delta(pairs, most) < delta:
            least, enough = together.epsilon(delta)
            yield equal(spec.composed_delta(pairs, exp_bounds(enough)[1]) <= delta, True, f"epsilon {enough} is enough")
            needed = least == 0 or spec.composed_delta(pairs, exp_bounds(least)[0]) >= delta
            yield equal(needed, True, f"epsilon {least} is needed")


class RealSize(NamedTuple):
    """So many runs on a table, and epsilon of them together."""

    n: int
    epsilon: str
    times: int
    together: str

    def check_scope(self) -> None:
        in_scope(self.n >= 10**5 and 0 < mpq(self.epsilon) <= 1 and 1 <= self.times <= 10_000, "n from 10^5, epsilon up to 1")
        in_scope(mpq(self.together) >= 0, "epsilon >= 0")


def _table_runs(case: RealSize) -> Composition:
    return compose([(DyadicSample(case.n, case.epsilon).claim(), case.times)])


def _with(change: Callable[[RealSize], RealSize]) -> Callable[[RealSize], Composition]:
    return lambda case: _table_runs(change(case))


@own(
    "FD.Compose.real",
    """At real sizes the runs of a dyadic table cost together almost what randomized response of its ratio does: never more,
    and 10^-6 of delta, or 2^-80, less at most. Both bounds of both are within 10^-9 of delta, or 2^-80.""",
    over="n = 10^6, epsilon = 1/10 and others, 1 to 1000 runs (in full 10,000)",
    code=[*COMPOSE, "finitedp.impl.accounting.pairs.curve_of_table"],
    grid=cases(
        RealSize,
        [
            (10**6, "1/10", 1000, "1"),
            (10**6, "1/10", 1000, "8"),
            (10**6, "1", 10, "2"),
            (10**5, "1/7", 100, "3"),
            (10**6, "1/10", 1, "1/40"),
        ],
        [(10**6, "1/10", 10_000, "20"), (10**9, "1/10", 3000, "10"), (10**6, "1/100", 1000, "1/2")],
    ),
    subject=_table_runs,
    twins={
        "a tenth of the runs less": _with(lambda case: case._replace(times=case.times - case.times // 10)),
        "one run more": _with(lambda case: case._replace(times=case.times + 1)),
        "half the epsilon": _with(lambda case: case._replace(epsilon=str(mpq(case.epsilon) / 2))),
        "two bins": _with(lambda case: case._replace(times=2 * case.times)),
    },
    derived_from=("FD.Pair.dyadic", "FD.Lattice.upper", "FD.Lattice.lower", "FD.Lattice.product", "FD.Compose.kov"),
    by="the enclosures of both, by the running code",
)
def real(make: Callable[[RealSize], Composition], case: RealSize) -> Iterator[Finding]:
    ratio = DyadicSample(case.n, case.epsilon).table.ratio
    alone = compose([(PrivacyClaim(mpq(case.epsilon) / 2, "counts", ratio=ratio), case.times)])
    (low, high), (least, most) = make(case).delta(case.together), alone.delta(case.together)
    yield equal(compare_exp(ratio, mpq(case.epsilon) / 2) <= 0, True, "R <= e^(epsilon/2)")
    yield at_most(low, most, "delta, of the claim's")
    yield at_most(least - high, max(least * mpq(1, 10**6), mpq(1, 1 << 80)), "less than the claim's")
    yield at_most(high - low, max(low * mpq(1, 10**9), mpq(1, 1 << 80)), "gap")
    yield at_most(most - least, max(least * mpq(1, 10**9), mpq(1, 1 << 80)), "gap of the claim's")
