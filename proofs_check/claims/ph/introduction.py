"""Sections 2 to 4: approximate privacy, groups, how large a histogram's forms are, and noise that is put naively."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from math import isqrt
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.subjects import HISTOGRAMS, clamped_geometric
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import definition, equal, lemma
from finitedp.proofs_check.ledger.grids import small_laws
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.divergence import hockey_stick, max_ratio
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

# Section 2.1


class Ratios(NamedTuple):
    """Laws on three outcomes in multiples of 1/total, e^epsilon, and a larger e^epsilon'."""

    total: int
    ratio: mpq
    larger: mpq


@definition(
    "PH.Sec2.approximate",
    """Section 2.1, approximate privacy as (1) with probability 1 - delta: where (1) holds of all outputs but some of
    probability at most delta, there is (epsilon, delta)-DP. The other way, (epsilon, delta)-DP gives (1) with epsilon' >
    epsilon but for outputs of probability delta E'/(E' - E), E' = e^epsilon', E = e^epsilon.""",
    over="all pairs of laws on three outcomes with denominators of the grid; each output by itself",
    code=["finitedp.spec.divergence.hockey_stick"],
    grid=cases(
        Ratios,
        [(4, mpq(1), mpq(3, 2)), (4, mpq(5, 4), mpq(2)), (5, mpq(3, 2), mpq(2))],
        [(7, mpq(5, 4), mpq(4, 3)), (7, mpq(2), mpq(3))],
    ),
    subject=lambda delta, e, larger: delta * larger / (larger - e),
    twins={"delta itself": lambda delta, _e, _larger: delta, "delta E'": lambda delta, _e, larger: delta * larger},
)
@bounded("probability")
def exceptions(bound: Callable[[mpq, mpq, mpq], mpq], case: Ratios) -> Bounded:
    def beyond(p: Pmf[int], q: Pmf[int], ratio: mpq) -> mpq:
        return sum((p[x] for x in p if p[x] > ratio * q[x]), mpq(0))

    for p, q in product(small_laws(3, case.total), repeat=2):
        delta = hockey_stick(p, q, case.ratio).delta
        yield delta, beyond(p, q, case.ratio), f"delta, {p}, {q}, {case}"
        yield beyond(p, q, case.larger), bound(delta, case.ratio, case.larger), f"exceptions, {p}, {q}, {case}"


# Section 3.1


class Chain(NamedTuple):
    """K + 1 laws on two outcomes in multiples of 1/total, and e^epsilon."""

    k: int
    total: int
    ratio: mpq


@erratum(
    "PH.Sec3.groups",
    "Section 3.1 as printed: for groups of size k, (epsilon, delta)-DP scales as (k epsilon, e^(k epsilon) delta)-DP.",
    """Section 3.1, corrected: for groups of size k, (epsilon, delta)-DP gives (k epsilon, delta (E^k - 1)/(E - 1))-DP, E =
    e^epsilon, which is at most k E^(k-1) delta; E^k delta is enough only where E^k (2 - E) <= 1, as from E = 2 on.""",
    as_printed=("E^k", lambda e, k: e**k),
    subject=lambda e, k: sum((e**j for j in range(k)), mpq(0)),
    twins={"1": lambda _e, _k: mpq(1), "E^(k-1)": lambda e, k: e ** (k - 1)},
    over="all chains of k + 1 laws on two outcomes, k = 2, 3, with the least delta of each",
    code=["finitedp.spec.divergence.hockey_stick"],
    grid=cases(
        Chain,
        [(2, 5, mpq(5, 4)), (2, 5, mpq(3, 2)), (2, 6, mpq(2)), (3, 4, mpq(5, 4))],
        [(2, 9, mpq(5, 4)), (2, 10, mpq(11, 10)), (2, 8, mpq(3)), (3, 7, mpq(5, 4)), (3, 7, mpq(2)), (4, 3, mpq(5, 4))],
    ),
    kind="lemma",
)
@bounded("delta of k rows")
def groups(factor: Callable[[mpq, int], mpq], case: Chain) -> Bounded:
    e = case.ratio
    laws = small_laws(2, case.total)
    one, whole = (
        {(i, j): hockey_stick(p, q, r).delta for i, p in enumerate(laws) for j, q in enumerate(laws)} for r in (e, e**case.k)
    )
    for chain in product(range(len(laws)), repeat=case.k + 1):
        delta = max(max(one[i, j], one[j, i]) for i, j in pairwise(chain))
        where = f"{', '.join(str(laws[i]) for i in chain)}, E={e}"
        yield whole[chain[0], chain[-1]], factor(e, case.k) * delta, where


def _sizes(n: int) -> Iterator[Histogram]:
    for many in range(1, n + 1):
        yield from histograms.partitions(many)


@lemma(
    "PH.Sec3.pairs",
    "Section 3.1: a histogram with n items has t different counts, t(t + 1)/2 <= n, and so at most sqrt(2n) pairs (r, phi_r).",
    over="all histograms with at most as many items as the grid says",
    code=[f"{HISTOGRAMS}.prevalences"],
    grid=Cases((3, 14), (26,)),
    subject=lambda n: 2 * n,
    twins={"sqrt(n)": lambda n: n, "sqrt(2n - 1)": lambda n: 2 * n - 1 - isqrt(2 * n)},
)
@bounded("t (t + 1)")
def pairs_of_form(square: Callable[[int], int], most: int) -> Bounded:
    for h in _sizes(most):
        t = len(histograms.prevalences(h))
        yield t * (t + 1), square(sum(h)), h


@lemma(
    "PH.Sec3.partitions",
    """Section 3.1, after Hardy and Ramanujan: there are e^(Theta(sqrt n)) histograms with n items; with constants, at least
    2^sqrt(n)/3 and at most e^(13 sqrt(n)/5).""",
    over="every n up to the grid's, all of them listed; sqrt(n) rounded so that the bounds are no weaker",
    code=[f"{HISTOGRAMS}.partitions"],
    grid=Cases((5, 22), (36,)),
    subject=(3, mpq(13, 5)),
    twins={"at least 2^sqrt(n)": (1, mpq(13, 5)), "at most e^sqrt(n)": (3, mpq(1))},
)
@bounded("number of histograms")
def how_many(shape: tuple[int, mpq], most: int) -> Bounded:
    factor, rate = shape
    for n in range(1, most + 1):
        many = sum(1 for _ in histograms.partitions(n))
        low = mpq(isqrt(n * 10**8), 10**4)
        least = (low + mpq(1, 10**4)) * mpq(7, 10)  # 7/10 > ln 2
        yield exp_bounds(least)[1], mpq(factor * many), f"from below, n={n}"
        yield mpq(many), exp_bounds(rate * low)[0], f"from above, n={n}"


# Sections 4.1 and 4.2

Form = Callable[[Histogram], list[tuple[int, int]]]


def _occurring(h: Histogram) -> list[tuple[int, int]]:
    return list(histograms.prevalences(h))


def _counts(h: Histogram) -> list[tuple[int, int]]:
    return list(enumerate(h))


@lemma(
    "PH.Sec4.naive",
    """Section 4.1, noise on the prevalences that are not 0, or on the counts that occur, alone: that is not private. {1, 1}
    and {2, 1} are neighbours, and only of the second a noisy phi_2 is released; of {1} and {1, 1} only the second has two
    counts.""",
    over="double geometric noise of decays on the grid, clamped",
    code=[f"{HISTOGRAMS}.prevalences", "finitedp.spec.divergence.max_ratio"],
    grid=Cases((mpq(1, 2), mpq(9, 10)), (mpq(1, 100), mpq(99, 100))),
    subject=(_occurring, _counts),
    twins={
        "all prevalences": (lambda h: [(r, histograms.prevalence(h, r)) for r in (1, 2)], _counts),
        "two counts, 0 among them": (_occurring, lambda h: [(i, histograms.largest(h, i)) for i in (1, 2)]),
    },
)
def naive(forms: tuple[Form, Form], decay: mpq) -> Finding:
    def law(form: Form, h: Histogram) -> Pmf[tuple[tuple[int, int], ...]]:
        places = [place for place, _ in form(h)]
        noisy = joint([clamped_geometric(decay, value, -2, 5) for _, value in form(h)])
        return noisy.pushforward(lambda values: tuple(zip(places, values, strict=True)))

    for form, one, other in ((forms[0], (1, 1), (2, 1)), (forms[1], (1,), (1, 1))):
        if histograms.distance(one, other) != 1 or not max_ratio(law(form, one), law(form, other)).infinite:
            return Finding(False, mpq(1), f"a finite ratio of {one} and {other}")
    return equal(True, True, "infinite ratios")


@lemma(
    "PH.Sec4.dimension",
    """Section 4.2: the prevalences for r <= sqrt(n) and the counts above sqrt(n) are together at most 2 sqrt(n) numbers.""",
    over="all histograms with at most as many items as the grid says",
    code=[f"{HISTOGRAMS}.prevalences"],
    grid=Cases((3, 14), (26,)),
    subject=lambda h: isqrt(sum(h)) + sum(x * x > sum(h) for x in h),
    twins={
        "all counts": lambda h: isqrt(sum(h)) + len(h),
        "all prevalences": lambda h: h[0] + sum(x * x > sum(h) for x in h),
    },
)
def dimension(numbers: Callable[[Histogram], int], most: int) -> Finding:
    return largest_load("its square", ((numbers(h) ** 2, 4 * sum(h), h) for h in _sizes(most)))
