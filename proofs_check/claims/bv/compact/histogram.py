"""Sections 8.1 and 8.2 of Balcer and Vadhan: the family of histograms, and CompactHistogram over the fields of 4 and 64."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import combinations, product

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.universe import Universe, as_universe
from finitedp.proofs_check.claims.bv.compact import twins
from finitedp.proofs_check.claims.bv.compact.subjects import Case, Coefficients, Compact, Rows, exploration
from finitedp.proofs_check.claims.bv.compact.toys import defined_law
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, all_of, equal, lemma, of_privacy, same_law, same_laws, theorem
from finitedp.spec import compact as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import count_pairs, multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

SMALL = [Case("n=1, d=3", 2, 0), Case("n=1, d=3", 4, 0), Case("n=2, d=3", 2, 0), Case("n=2, all counts", 3, 0)]
MORE = [Case("n=1, d=2", 4, 0), Case("n=1, d=3", 3, 0), Case("n=2, d=3", 4, 0), Case("n=2, all counts", 4, 0)]
MORE += [Case("n=3, d=3", 4, 0), Case("n=1, d=15", 3, 1)]
OVER_64_ELEMENTS = Case("n=1, d=6", 2, 1)
LAWS = Cases(SMALL, [OVER_64_ELEMENTS, *MORE])
DIFFERENT_COUNTS = Case("n=3, d=3", 2, 0)  # the least in which two labels may occur and not equally often
FAMILIES = Cases([*SMALL, OVER_64_ELEMENTS], MORE)
PRIVATE = Cases([case for case in SMALL if case.toy != "n=2, all counts"], MORE[1:])


def _made(make: Compact, case: Case) -> CompactHistogram[int]:
    return make(case.mechanism, range(case.size), case.level)


def _law(histogram: CompactHistogram[int]) -> Callable[[Rows], Pmf[Coefficients]]:
    """The law of the running code, by dataset."""
    return lambda dataset: exploration(histogram, dataset).law()


@lru_cache(maxsize=64)
def _sampler(case: Case) -> tuple[int, ...]:
    """M_0(1), ..., M_0(d_0), by its definition."""
    return spec.empty_bin_sampler(defined_law(case.mechanism)(0), case.mechanism.d, 4 ** (3**case.level))


@lru_cache(maxsize=256)
def _defined(case: Case, dataset: Rows) -> Pmf[Coefficients]:
    return spec.compact_histogram(dataset, case.mechanism.n, defined_law(case.mechanism), _sampler(case), case.level)


CODE = ["finitedp.impl.histograms.compact.CompactHistogram", "finitedp.spec.compact.compact_histogram"]


@algorithm(
    "BV.Alg8.2",
    """CompactHistogram draws noisy counts of the labels that occur and releases a uniform one of the polynomials that are
    consistent with them.""",
    over="every dataset; toy mechanisms; the law of the running code by the explorer against the list of all polynomials",
    code=CODE,
    grid=Cases([*SMALL, DIFFERENT_COUNTS], [OVER_64_ELEMENTS, *MORE]),
    subject=CompactHistogram,
    twins={
        "counts of other labels": twins.CountsSorted,
        "M's own draw reused": twins.DrawReused,
        "the smallest preimage": twins.SmallestPreimage,
        "0 at free points": twins.FreeValuesZero,
        "S_v from F(v)": twins.IntervalFromOwnCount,
        "S_v one too long": twins.IntervalTooLong,
        "reducible modulus": twins.OverAReducibleModulus,
        "free points that collide": twins.NoRoomForCollisions,
    },
)
def compact_law(make: Compact, case: Case) -> Finding:
    datasets = multisets(range(case.size), case.mechanism.n)
    return same_laws(_law(_made(make, case)), partial(_defined, case), datasets)


@lru_cache(maxsize=64)
def _universe(size: int) -> Universe[int]:
    return as_universe(range(size))


def _counts(case: Case, coefficients: Coefficients) -> Callable[[int], int]:
    """The counts of a released histogram, read by the running code."""
    return CompactRelease(case.level, case.mechanism, _universe(case.size), coefficients).count


def _constant_counts(case: Case, coefficients: Coefficients) -> Callable[[int], int]:
    """Broken: the same draw for every label."""
    return lambda _x: _counts(case, coefficients)(0)


MOST_POLYNOMIALS = 1 << 18
Read = Callable[[Case, Coefficients], Callable[[int], int]]


@lru_cache(maxsize=16)
def _family(read: Read, case: Case) -> list[tuple[int, ...]]:
    """The counts of all labels in every polynomial of the family. Raises: OutOfScopeError."""
    order = 4 ** (3 ** min(case.level, 2))
    in_scope(0 <= case.level <= 1 and order ** (case.mechanism.n + 1) <= MOST_POLYNOMIALS, "a family that can be listed")
    in_scope(1 <= case.size <= order >= case.mechanism.d, "labels that are elements of the field, and as many draws")
    readers = (read(case, polynomial) for polynomial in spec.family(case.level, case.mechanism.n))
    return [tuple(count(x) for x in range(case.size)) for count in readers]


def _bin(case: Case) -> Pmf[int]:
    """The law of M_0(U)."""
    return Pmf.uniform(range(4 ** (3**case.level))).pushforward(lambda u: _sampler(case)[u])


@lemma(
    "BV.Lem8.1.i",
    "In a uniform polynomial of degree at most n, every label's count has the law of M_0(U).",
    over="every label, by the list of all polynomials; counts as the running code reads them",
    code=["finitedp.impl.histograms.compact_release.CompactRelease.count"],
    grid=FAMILIES,
    subject=_counts,
    twins={"the constant term dropped": lambda case, coefficients: _counts(case, (0, *coefficients[1:]))},
)
def marginal_counts(read: Read, case: Case) -> Finding:
    table = _family(read, case)
    laws = [_law_of([(counts[x],) for counts in table]) for x in range(case.size)]
    return all_of([same_law(law, joint([_bin(case)]), f"count of {x}") for x, law in enumerate(laws)])


def _law_of(outcomes: list[tuple[int, ...]]) -> Pmf[tuple[int, ...]]:
    return Pmf(Counter(outcomes))


@lemma(
    "BV.Lem8.1.ii",
    "In a uniform polynomial of degree at most n, the counts of any n + 1 labels are independent.",
    over="every set of at most n + 1 labels, by the list of all polynomials; counts as the running code reads them",
    code=["finitedp.impl.histograms.compact_release.CompactRelease.count"],
    grid=FAMILIES,
    subject=_counts,
    twins={"one draw for all labels": _constant_counts},
)
def independent_counts(read: Read, case: Case) -> Iterator[Finding]:
    table = _family(read, case)
    for labels in combinations(range(case.size), min(case.mechanism.n + 1, case.size)):
        found = _law_of([tuple(counts[x] for x in labels) for counts in table])
        yield same_law(found, joint([_bin(case)] * len(labels)), f"counts of {labels}")


@lemma(
    "BV.Lem8.1.iv",
    """Given counts of at most n labels, n + 1 draws and an interpolation give a uniform one of the polynomials that have these
    counts.""",
    over="every set of at most n labels and every counts that M_0 can have; the law of the running code by the explorer",
    code=["finitedp.impl.histograms.compact.CompactHistogram.consistent"],
    grid=LAWS,
    subject=CompactHistogram,
    twins={
        "0 at free points": twins.FreeValuesZero,
        "the smallest preimage": twins.SmallestPreimage,
        "free points that collide": twins.NoRoomForCollisions,
        "reducible modulus": twins.OverAReducibleModulus,
    },
)
def consistent_polynomials(make: Compact, case: Case) -> Iterator[Finding]:
    histogram, n = _made(make, case), case.mechanism.n
    values = {p: tuple(spec.polynomial_value(p, x, case.level) for x in range(case.size)) for p in spec.family(case.level, n)}
    for size in range(n + 1):
        for labels, counts in product(combinations(range(case.size), size), product(sorted(_bin(case)), repeat=size)):
            noisy = dict(zip(labels, counts, strict=True))
            expected = [p for p, v in values.items() if all(_sampler(case)[v[x]] == c for x, c in noisy.items())]
            found = explore(lambda coins, noisy=noisy: histogram.consistent(noisy, coins)).law()  # type: ignore[misc]
            yield same_law(found, Pmf.uniform(expected), f"{noisy}")


@theorem(
    "BV.Thm8.3.i",
    """CompactHistogram over an (epsilon_1/2, 0)-differentially private mechanism is (epsilon_1 + epsilon_2 + epsilon_3,
    0)-differentially private; over the sampler of Algorithm 8.5 its worst ratio is at most (q+1)/q times the square of the
    mechanism's.""",
    over="every pair of neighbouring multisets; toy mechanisms; joint laws of the running code",
    code=["finitedp.impl.histograms.compact.CompactHistogram.claim"],
    grid=PRIVATE,
    subject=CompactHistogram,
    twins={
        "M's own draw reused": twins.DrawReused,
        "S_v one too long": twins.IntervalTooLong,
        "reducible modulus": twins.OverAReducibleModulus,
        "0 at free points": twins.FreeValuesZero,
        "the smallest preimage": twins.SmallestPreimage,
        "S_v from F(v)": twins.IntervalFromOwnCount,
        "free points that collide": twins.NoRoomForCollisions,
    },
)
def compact_privacy(make: Compact, case: Case) -> Finding:
    histogram, d = _made(make, case), case.mechanism.d
    counting, (q, r) = defined_law(case.mechanism), divmod(4 ** (3**case.level), d)
    rho = max(max_ratio(counting(a), counting(b)).value for a, b in count_pairs(case.mechanism.n))
    bound = rho**2 * (1 + mpq(1, q) if r else 1)
    stated = histogram.claim()
    claim = PrivacyClaim(stated.epsilon, "replace-one", ratio=bound, source="BV.Thm8.3.i")
    pairs = neighbouring_multisets(range(case.size), case.mechanism.n, "replace-one")
    return all_of([of_privacy(check_privacy(_law(histogram), pairs, claim), claim), equal(stated, claim, "stated claim")])
