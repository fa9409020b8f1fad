"""Where the printed text of Balcer and Vadhan is wrong (Sections 2 to 5.1).

The literal text is run and refuted, and the corrected text is run by the same check and verified.
"""

from collections.abc import Callable
from itertools import product

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, compare_exp
from finitedp.impl.counting.geometric import FastSample
from finitedp.proofs_check.claims.bv.counting.subjects import Count, counts, running_law
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.proofs_check.ledger.grids import Counting
from finitedp.spec import counting as spec
from finitedp.spec.mixing import largest_distance


@erratum(
    "BV.Err.2.gamma",
    "Algorithm 4.11 as printed: t is defined for every gamma = 1/g, so also for gamma = 1.",
    """Algorithm 4.11, corrected: for gamma = 1/g with g >= 2 the logarithm's argument 8(n+1)(1-gamma)/(epsilon gamma) is above
    1 and t >= 0; gamma = 1 makes it 0 and is refused by the code.""",
    as_printed=("gamma = 1 admitted", lambda _g: True),
    subject=lambda g: g >= 2,
    printed_over="gamma = 1/g admitted as printed",
    over="gamma = 1/g admitted by the correction",
    code=["finitedp.impl.counting.geometric.FastSample"],
    grid=cases(
        Counting, product((1, 5), (1, 3), (1, 2, 3, 10)), product((1, 2, 9, 100), (1, 2, 7, 100), (1, 2, 3, 4, 5, 2**20))
    ),
)
def gamma_is_at_most_half(admits: Callable[[int], bool], case: Counting) -> Finding:
    argument = 8 * (case.n + 1) * (1 - mpq(1, case.g)) * case.q * case.g
    try:
        accepted = FastSample(case.n, case.epsilon, case.gamma).t >= 0
    except ParameterError:
        if case.g >= 2:  # for another reason than gamma
            raise
        accepted = False
    defined = Finding(
        not admits(case.g) or argument > 1, mpq(0), f"the logarithm's argument at gamma=1/{case.g} is {argument}"
    )
    return all_of([defined, equal(accepted, case.g >= 2, f"the code accepts gamma=1/{case.g}")])


@erratum(
    "BV.Err.2.proof",
    """Proof of Theorem 4.10 i as printed, with 9/(2 epsilon~): for X = 8(n+1)(1 - gamma)/(epsilon gamma) and x =
    e^(epsilon~/2), 2x/(x+1) x^-(t+1) is at most 4/3 X^(-9/4).""",
    """Proof of Theorem 4.10 i, corrected to 9/(2 epsilon): for X = 8(n+1)(1 - gamma)/(epsilon gamma) and x = e^(epsilon~/2),
    2x/(x+1) x^-(t+1) is at most 4/3 X^-1, which is what the rest of the proof uses.""",
    as_printed=("the exponent as printed", (9, 4)),
    subject=(1, 1),
    over="n, epsilon and gamma on the grid; compared as powers of rationals",
    code=["finitedp.spec.counting.truncation_radius", "finitedp.spec.counting.sample_decay"],
    grid=cases(
        Counting,
        product((1, 10, 1000), (1, 2, 3, 5, 9, 17), (2, 2**20)),
        product((1, 7, 10**6), (*range(1, 40), 65, 129, 257), (2, 3, 2**40)),
    ),
)
def truncated_mass(exponent: tuple[int, int], case: Counting) -> Finding:
    t = spec.truncation_radius(case.n, case.epsilon, case.gamma)
    argument = 8 * (case.n + 1) * (1 - mpq(1, case.g)) * case.q * case.g
    over, under = exponent
    decay = spec.sample_decay(case.epsilon)
    left, right = (2 / (1 + decay) * decay ** (t + 1)) ** under, mpq(4, 3) ** under / argument**over
    return at_most(left, right, f"(2x/(x+1) x^-(t+1))^{under} against (4/3)^{under} X^-{over}:")


@erratum(
    "BV.Err.3.scale",
    "Proofs of Theorem 4.10 ii and Lemma 4.12 as printed: FastSample's noise is Geo(2/epsilon), decaying by e^(-epsilon/2).",
    """Proofs of Theorem 4.10 ii and Lemma 4.12, corrected: FastSample's noise is Geo(2/epsilon~), decaying by e^(-epsilon~/2)
    = 1/(1 + 2^-k).""",
    as_printed=("decay by e^(-epsilon/2)", lambda ratio, epsilon: compare_exp(ratio, epsilon / 2) == 0),
    subject=lambda ratio, epsilon: ratio == 1 / spec.sample_decay(epsilon),
    over="the law of the running code with the uniform part taken out, at distances 1 and 2 from the count",
    code=["finitedp.impl.counting.geometric.FastSample"],
    grid=cases(Counting, product((6, 9), (1, 2, 5, 10), (3,)), product((6, 20), range(1, 20), (2, 16))),
)
def noise_scale(agrees: Callable[[mpq, mpq], bool], case: Counting) -> Finding:
    in_scope(case.n >= 5, "outputs at the distances 1 and 2 from a count, before the ends")
    mechanism = FastSample(case.n, case.epsilon, case.gamma)
    law, uniform = running_law(mechanism)(2), mechanism.gamma / (case.n + 1)
    ratio = (law[3] - uniform) / (law[4] - uniform)
    return Finding(agrees(ratio, mechanism.epsilon), mpq(0), f"Pr[Z=1] / Pr[Z=2] = {ratio}")


@erratum(
    "BV.Err.3.clamped",
    "Proof of Lemma 4.9 as printed: the F_Z given there, 0 for z < 0, is the distribution function of c + Geo(2/epsilon~).",
    """Proof of Lemma 4.9, corrected: the F_Z given there, 0 for z < 0, is the distribution function of c + Geo(2/epsilon~)
    clamped to 0..n; in particular F(-1) = 0.""",
    as_printed=("not clamped", lambda case, z: spec.geometric_tail(case.decay, case.c - z)),
    subject=lambda case, z: spec.geometric_mechanism(case.n, case.decay, case.c).probability(lambda x: x <= z),
    over="z = -1, -2; n, c and decay on the grid",
    code=["finitedp.spec.counting.geometric_mechanism"],
    grid=Cases(counts((1, 2, 4), (mpq(2, 3), mpq(8, 9))), counts(range(1, 10), (mpq(2, 3), mpq(16, 17), mpq(1024, 1025)))),
)
def zero_below_zero(cdf: Callable[[Count, int], mpq], case: Count) -> Finding:
    return all_of([equal(cdf(case, z), mpq(0), f"F({z})") for z in (-1, -2)])


def _defined(ratio: RationalLike, gamma: mpq) -> bool:
    try:
        return largest_distance(ratio, gamma, mpq(1, 2)) > 0
    except ParameterError:
        return False


@erratum(
    "BV.Err.10.gamma",
    "Lemma 3.2 as printed: inequality (3.1) is defined for every gamma in N^-1, so also for gamma = 1.",
    """Lemma 3.2, corrected: inequality (3.1) is for gamma < 1, where it allows a distance above 0; at gamma = 1 it divides by
    0.""",
    as_printed=("gamma = 1 admitted", lambda g: mpq(1, g)),
    subject=lambda g: mpq(1, g + 1),
    printed_over="gamma = 1/g, g >= 1",
    over="gamma = 1/(g+1), g >= 1",
    code=["finitedp.spec.mixing.largest_distance"],
    grid=Cases((1, 2, 3, 10), (*range(1, 60), 2**40)),
)
def mixing_needs_gamma_below_one(gamma: Callable[[int], mpq], g: int) -> Finding:
    return equal(_defined(mpq(3, 2), gamma(g)), True, f"(3.1) is defined at gamma = {gamma(g)}")
