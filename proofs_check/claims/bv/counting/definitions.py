"""Definitions 4.1 to 4.3 and Lemma 4.4 of Balcer and Vadhan: what it means to answer a counting query privately."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.proofs_check.claims.bv.counting.subjects import running_law
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, definition, equal, lemma, of_privacy
from finitedp.proofs_check.ledger.grids import COUNTING, Counting
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import count_pairs, neighbouring_pairs
from finitedp.spec.pmf import Pmf

Pairs = Callable[[int], Iterable[tuple[int, int]]]


class Table(NamedTuple):
    """A counting mechanism as a table: the law of the output for each count 0..n."""

    rows: tuple[Pmf[int], ...]


@definition(
    "BV.Def4.1",
    """M is (epsilon, delta)-differentially private for counting queries if c(D), for datasets of n bits, followed by M is. The
    worst ratio over neighbouring counts equals the one over all neighbouring bit strings.""",
    over="tables of laws for counts 0..n on two outputs",
    code=["finitedp.spec.neighbours.count_pairs", "finitedp.spec.neighbours.neighbouring_pairs"],
    grid=cases(
        Table,
        [(rows,) for rows in product([Pmf({0: zero, 1: one}) for zero, one in ((1, 3), (2, 2), (3, 1), (1, 7))], repeat=3)],
        [(rows,) for rows in product([Pmf({0: w, 1: 8 - w}) for w in (1, 2, 4, 5, 7)], repeat=4)],
    ),
    subject=count_pairs,
    twins={"one direction only": lambda n: [(c, c + 1) for c in range(n)]},
)
def private_for_counts(pairs: Pairs, table: Table) -> Finding:
    n = len(table.rows) - 1
    claim = PrivacyClaim(100, "counts")
    by_count = check_privacy(lambda c: table.rows[c], pairs(n), claim).worst.value
    bits = neighbouring_pairs((0, 1), n, "replace-one")
    by_bits = check_privacy(lambda d: table.rows[sum(d)], bits, claim).worst.value
    return equal(by_count, by_bits, "worst ratio")


ENUMERABLE = cases(Counting, product((1, 2, 3), (1, 2, 3)), [(4, 1), (5, 1), (3, 5), (4, 3)])


@definition(
    "BV.Def4.2",
    """(a, beta)-accuracy of a counting mechanism: for every count, |M(c, U) - c| > a with probability at most beta. The exact
    miss of the explored law equals the share of draws u in 1..d, all of them tried.""",
    over="GeoSample with d small enough to try every u; every count; a = 0, 1, 2",
    code=["finitedp.spec.accuracy.miss_probability", "finitedp.impl.counting.geometric.GeoSample.apply"],
    grid=ENUMERABLE,
    subject=lambda z, count, a: abs(z - count) > a,
    twins={"at least a": lambda z, count, a: abs(z - count) >= a},
)
def accuracy_of_counts(far: Callable[[int, int, int], bool], case: Counting) -> Iterator[Finding]:
    mechanism = GeoSample(case.n, case.epsilon)
    for count, a in product(range(case.n + 1), range(3)):
        tried = sum(far(mechanism.apply(count, u), count, a) for u in range(1, mechanism.d + 1))
        found = miss_probability(running_law(mechanism)(count), count, a)
        yield equal(found, mpq(tried, mechanism.d), f"count {count}, a={a}")


@definition(
    "BV.Def4.3",
    "The scaled cumulative distribution function at 0: F_M(z) = d * Pr[M(0, U) <= z], an integer in 1..d for z in 0..n.",
    over="GeoSample and FastSample (gamma = 1/16); every z in 0..n",
    code=["finitedp.impl.counting.geometric.GeoSample.scaled_cdf", "finitedp.impl.counting.geometric.FastSample.scaled_cdf"],
    grid=COUNTING,
    subject=lambda mechanism, z: mechanism.scaled_cdf(z),
    twins={"at count 1": lambda mechanism, z: mechanism.cdf(1, z)},
)
def scaled_cdf(at: Callable[[GeoSample | FastSample, int], int], case: Counting) -> Finding:
    findings = []
    for mechanism in (GeoSample(case.n, case.epsilon), FastSample(case.n, case.epsilon, "1/16")):
        mass, law = mpq(0), running_law(mechanism)(0)
        for z in range(case.n + 1):
            mass += law[z]
            findings.append(equal(at(mechanism, z), mechanism.d * mass, f"F({z})"))
            findings.append(equal(1 <= at(mechanism, z) <= mechanism.d, True, f"range of F({z})"))
    return all_of(findings)


def _point_counts(dataset: tuple[str, ...], label: str) -> int:
    return histogram(dataset, (label,))[0]


@lemma(
    "BV.Lem4.4",
    """A mechanism that is private for counting queries is as private for the count of any one label x in datasets over any
    universe.""",
    over="datasets over three labels, n = 1..3; GeoSample; every label and every neighbouring pair",
    code=["finitedp.spec.histogram.histogram", "finitedp.impl.counting.geometric.GeoSample"],
    grid=ENUMERABLE,
    subject=_point_counts,
    twins={"rows counted twice": lambda dataset, label: min(2 * _point_counts(dataset, label), len(dataset))},
)
def point_queries(count: Callable[[tuple[str, ...], str], int], case: Counting) -> Finding:
    mechanism = GeoSample(case.n, case.epsilon)
    law = running_law(mechanism)
    pairs = list(neighbouring_pairs("abc", min(case.n, 3), "replace-one"))
    claim = mechanism.claim()

    def at(label: str) -> Finding:
        return of_privacy(check_privacy(lambda dataset: law(count(dataset, label)), pairs, claim), claim)

    return all_of([at(label) for label in "abc"])
