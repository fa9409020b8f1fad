"""Section 4.1 of Balcer and Vadhan: the geometric mechanism (4.5, 4.6), for every epsilon at once, and epsilon~ of 4.7."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from flint import fmpz_poly
from gmpy2 import mpq

from finitedp.exact import RationalLike, ceil_log, compare_exp, exp_bounds
from finitedp.proofs_check.claims.bv.counting.subjects import Count, counts
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, theorem
from finitedp.spec import counting as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.pmf import Pmf

X = fmpz_poly([0, 1])

QUICK_DECAYS = (mpq(1, 2), mpq(2, 3), mpq(10, 11), mpq(3, 1000))
DECAYS = Cases(counts(range(1, 5), QUICK_DECAYS), counts(range(1, 13), (*QUICK_DECAYS, mpq(50, 51))))


def _renormalised(n: int, decay: RationalLike, count: int) -> Pmf[int]:
    """A common mistake: condition on 0..n instead of clamping."""
    return Pmf.from_probabilities(_scaled_to_one({z: spec.geometric_pmf(decay, z - count) for z in range(n + 1)}))


def _scaled_to_one(masses: dict[int, mpq]) -> dict[int, mpq]:
    total = sum(masses.values(), mpq(0))
    return {z: mass / total for z, mass in masses.items()}


@algorithm(
    "BV.Alg4.5",
    """The geometric mechanism: c plus two-sided geometric noise, clamped to 0..n. Inner outputs have the noise's probability,
    and each end has the whole tail behind it, bracketed by partial sums of the definition to within 2^-40.""",
    over="counts c in 0..n and rational decays",
    code=["finitedp.spec.counting.geometric_mechanism", "finitedp.spec.counting.geometric_tail"],
    grid=DECAYS,
    subject=spec.geometric_mechanism,
    twins={"renormalised instead of clamped": _renormalised},
)
def geometric_mechanism(law_of: Callable[[int, RationalLike, int], Pmf[int]], case: Count) -> Finding:
    law, masses = law_of(case.n, case.decay, case.c), [spec.geometric_pmf(case.decay, 0)]
    rest = 1 - masses[0]
    while rest > mpq(1, 2**40) or len(masses) <= case.n:
        masses.append(spec.geometric_pmf(case.decay, len(masses)))
        rest -= 2 * masses[-1]
    inner = [equal(law[z], masses[abs(z - case.c)], f"output {z}") for z in range(1, case.n)]
    ends = []
    for end, distance in ((0, case.c), (case.n, case.n - case.c)):
        low = sum(masses[distance:], mpq(0))
        ends.append(equal(low <= law[end] <= low + rest, True, f"output {end} is the tail behind it"))
    return all_of([*inner, *ends])


Polynomials = Callable[[int, int], list[fmpz_poly]]


def geometric_weights(n: int, c: int) -> list[fmpz_poly]:
    """(1 + a) * Pr[c + Z clamped to 0..n = z] for z = 0..n, as polynomials in the decay a."""
    inner = [(1 - X) * X ** abs(z - c) for z in range(1, n)]
    return [X**c, *inner, X ** (n - c)]


@theorem(
    "BV.Thm4.6.i",
    """The geometric mechanism is (epsilon/2, 0)-differentially private for counting queries: for the decay a = e^(-epsilon/2),
    each of Pr_c[z] - a Pr_(c+1)[z] and Pr_(c+1)[z] - a Pr_c[z] is 0 or a product of powers of a, 1 - a and 1 + a.""",
    over="every real epsilon > 0 at once; n and c on the grid, every output",
    code=["finitedp.spec.counting.geometric_mechanism"],
    grid=Cases(counts(range(1, 9)), counts(range(1, 25))),
    subject=geometric_weights,
    twins={"noise for twice the epsilon": lambda n, c: [weight(X * X) for weight in geometric_weights(n, c)]},
    reach="every real epsilon > 0, each n of the grid",
)
def geometric_privacy(weights: Polynomials, case: Count) -> Finding:
    here = weights(case.n, case.c)
    findings = [_agrees_with_spec(here, case)] if weights is geometric_weights else []
    if case.c < case.n:
        for p, q in zip(here, weights(case.n, case.c + 1), strict=True):
            for difference in (p - X * q, q - X * p):
                findings.append(equal(_never_negative(difference), True, f"{difference} >= 0 on (0, 1)"))
    return all_of(findings or [Finding(True, mpq(0), "c = n has no next count")])


def _agrees_with_spec(weights: list[fmpz_poly], case: Count) -> Finding:
    """The polynomials over 1 + a are the law of spec: compared at more decays than their degree, so for all of them."""
    degree = max(w.degree() for w in weights)
    findings = []
    for p in range(1, degree + 4):
        q = degree + 4
        integers = {z: sum(int(a) * p**i * q ** (degree - i) for i, a in enumerate(w.coeffs())) for z, w in enumerate(weights)}
        law = spec.geometric_mechanism(case.n, mpq(p, q), case.c)
        findings.append(equal(Pmf(integers), law, f"polynomials at decay {p}/{q}"))
    return all_of(findings)


def _never_negative(polynomial: fmpz_poly) -> bool:
    """Whether a polynomial is 0 or has no sign change on (0, 1) and is positive at 1/2: by its factors a, a - 1, a + 1."""
    if polynomial.degree() < 0:
        return True
    _, factors = polynomial.factor()
    known = all(factor in (X, X - 1, 1 - X, X + 1) for factor, _ in factors)
    at_half = sum(int(a) * 2 ** (polynomial.degree() - i) for i, a in enumerate(polynomial.coeffs()))
    return known and at_half > 0


@theorem(
    "BV.Thm4.6.ii",
    """The geometric mechanism has (a, beta)-accuracy for a = ceil(2/epsilon * ln(1/beta)): Pr[|Z| > a] = 2 e^(-(a+1)
    epsilon/2) / (1 + e^(-epsilon/2)) is at most beta, and clamping does not raise it (BV.Thm4.6.ii.clamped).""",
    over="epsilon on the grid; every beta of at least Pr[|Z| > 50], by rigorous intervals; n and count do not occur",
    code=["finitedp.exact.ceil_log"],
    grid=cases(mpq, [(1, 100), (1, 3), (1, 1), (7, 2)], [(1, 10**6), (1, 99), (2, 3), (5, 3), (10, 1)]),
    subject=ceil_log,
    twins={
        "floor for ceil": lambda scale, argument: max(ceil_log(scale, argument) - 1, 0),
        "1/epsilon for 2/epsilon": lambda scale, argument: ceil_log(scale / 2, argument),
    },
    derived_from=("BV.Alg4.5", "BV.Thm4.6.ii.clamped"),
    by="the closed form of the two tails, for an irrational decay that no rational law has",
)
def geometric_accuracy(ceiling: Callable[[mpq, mpq], int], epsilon: mpq) -> Finding:
    def miss(a: int) -> mpq:
        """A little more than Pr[|Z| > a], by less than it takes to the next integer error."""
        return 2 * exp_bounds(-(a + 1) * epsilon / 2, 128)[1] / (1 + exp_bounds(-epsilon / 2, 128)[0])

    return for_every_beta(lambda beta: ceiling(2 / epsilon, 1 / beta), miss, 51, mpq(0))


@theorem(
    "BV.Thm4.6.ii.clamped",
    """Clamping to 0..n does not raise the probability of an error above a; without it that is 2 decay^(a+1) / (1 + decay).""",
    over="every count, a = 0..n; rational decays",
    code=["finitedp.spec.counting.geometric_mechanism", "finitedp.spec.counting.geometric_tail"],
    grid=DECAYS,
    subject=lambda decay, a: 2 * spec.geometric_tail(decay, a + 1),
    twins={"one tail instead of two": lambda decay, a: spec.geometric_tail(decay, a + 1)},
)
def clamped_error(miss: Callable[[mpq, int], mpq], case: Count) -> Iterator[Finding]:
    law = spec.geometric_mechanism(case.n, case.decay, case.c)
    for a in range(case.n + 1):
        closed = 2 * case.decay ** (a + 1) / (1 + case.decay)
        yield equal(2 * spec.geometric_tail(case.decay, a + 1), closed, f"tail beyond {a}")
        yield at_most(miss_probability(law, case.c, a), miss(case.decay, a), f"miss, a={a}:")


class Block(NamedTuple):
    """All epsilon = 1/q with the same k: 2^(k-2) < q <= 2^(k-1)."""

    k: int


@theorem(
    "BV.Thm4.7.epsilon",
    """epsilon~ = 2 ln(1 + 2^-k) lies in (4/9 epsilon, epsilon]. Within a block of equal k the lower bound is hardest at the
    smallest q and the upper one at the largest, so that two comparisons decide all q of the block.""",
    over="every epsilon = 1/q with q <= 2^32 (quick), q <= 2^128 (full)",
    code=["finitedp.spec.counting.sample_decay"],
    grid=cases(Block, range(1, 34), range(1, 130)),
    subject=mpq(4, 9),
    twins={"5/9 for 4/9": mpq(5, 9)},
    reach="every epsilon = 1/q of the stated range",
)
def effective_epsilon(share: mpq, block: Block) -> Iterator[Finding]:
    k = block.k
    largest, smallest = 2 ** (k - 1), 2 ** (k - 2) + 1 if k >= 2 else 1
    squared = (1 + mpq(1, 2**k)) ** 2  # e^epsilon~
    found = {1 / spec.sample_decay(mpq(1, q)) ** 2 for q in (smallest, largest)}
    yield equal(found, {squared}, "e^epsilon~ at both ends of the block")
    yield equal(compare_exp(squared, share / smallest), 1, f"e^epsilon~ > e^({share} epsilon) at 1/{smallest}")
    yield equal(compare_exp(squared, mpq(1, largest)) <= 0, True, f"e^epsilon~ <= e^epsilon at 1/{largest}")
