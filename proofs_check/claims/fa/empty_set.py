"""Section 5.1 of the paper on flexible accuracy: whether a set is empty, (9), and the noise that is derived from it."""

from collections.abc import Callable
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.subjects import SCALES
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec.flexible.literal import NEAREST, UP, Scale, emptiness_probabilities, shifted_truncated, truncated_cdf
from finitedp.spec.flexible.shifted_truncated import ideal_delta

Answer = tuple[mpq, list[mpq]]
Make = Callable[[int, Scale], Answer]
PRINTED = "finitedp.spec.flexible.literal.emptiness_probabilities"
IDEAL = "finitedp.spec.flexible.shifted_truncated.ideal_delta"


class Size(NamedTuple):
    """q, from which on a set is said to be non-empty, and e^epsilon."""

    q: int
    scale: Scale


EVEN = cases(Size, product((2, 4, 6), SCALES), product((8, 10, 20), SCALES))
ANY = cases(Size, product((1, 2, 3, 4, 5, 6), SCALES), product((7, 8, 9, 20, 21), SCALES))


def _optimal(q: int, scale: Scale) -> Answer:
    """delta (E^k - 1)/(E - 1) up to the middle and its mirror image behind it, for the delta at which the two meet."""
    e = scale.ratio
    delta = ideal_delta(q, e)
    first = [delta * (e**k - 1) / (e - 1) for k in range(q // 2 + 1)]
    return delta, [first[k] if 2 * k <= q else 1 - first[q - k] for k in range(q + 1)]


def _linear(q: int, scale: Scale) -> Answer:
    return emptiness_probabilities(q, scale)[0], [mpq(k, q) for k in range(q + 1)]


def _with_ratio(factor: mpq) -> Make:
    def made(q: int, scale: Scale) -> Answer:
        delta, p = _optimal(q, scale)
        return delta * factor, p

    return made


def _private(p: list[mpq], e: mpq, delta: mpq) -> list[Finding]:
    """p_0 = 0, p_q = 1, and both answers of neighbouring sizes are (epsilon, delta)-close, in both directions."""
    findings = [equal(p[:: len(p) - 1], [0, 1], "p_0 and p_q")]
    for k, (a, b) in enumerate(pairwise(p)):
        for x, y in ((a, b), (b, a)):
            findings += [at_most(x, y * e + delta, f"p at {k}:"), at_most(1 - x, (1 - y) * e + delta, f"1 - p at {k}:")]
    return findings


@entry(
    "FA.Eq9",
    "lemma",
    """(9) at even q: with delta (E^(q/2) - 1)/(E - 1) = 1/2, the p_k are probabilities from p_0 = 0 to p_q = 1, and the
    answers of neighbouring sizes are (epsilon, delta)-close.""",
    over="even q, E = e^epsilon with rational roots; all k and all four inequalities",
    code=[PRINTED],
    grid=EVEN,
    subject=emptiness_probabilities,
    twins={"p_k = k/q": _linear, "half of delta": _with_ratio(mpq(1, 2))},
)
def emptiness(make: Make, case: Size) -> Finding:
    delta, p = make(*case)
    rising = all(a <= b for a, b in pairwise(p))
    return all_of(
        [equal(rising and min(p) >= 0 and max(p) <= 1, True, "rising probabilities"), *_private(p, case.scale.ratio, delta)]
    )


@erratum(
    "FA.Eq9.optimal",
    """The pareto-optimal (epsilon, delta) are given by delta (e^(epsilon q/2) - 1)/(e^epsilon - 1) = 1/2, with the p_k of (9),
    for every q.""",
    """The pareto-optimal (epsilon, delta), E = e^epsilon, are given for even q by delta (E^(q/2) - 1)/(E - 1) = 1/2, with the
    p_k of (9), and for odd q by delta = (E - 1)/(E^((q+1)/2) + E^((q-1)/2) - 2): attained, and no answer to \"is it empty\"
    that is sure at 0 and at q has a smaller one: p_h <= delta (E^h - 1)/(E - 1), 1 - p_h <= delta (E^(q-h) - 1)/(E - 1).""",
    as_printed=("(9)", emptiness_probabilities),
    subject=_optimal,
    twins={"one part in 1000 less": _with_ratio(mpq(999, 1000))},
    kind="theorem",
    over="q from 1, E = e^epsilon with rational roots; feasible by all inequalities, least by the sum of the two chains",
    code=[PRINTED, IDEAL],
    grid=ANY,
)
def least_delta(make: Make, case: Size) -> Finding:
    (delta, p), e, half = make(*case), case.scale.ratio, case.q // 2
    chains = (e**half - 1) / (e - 1) + (e ** (case.q - half) - 1) / (e - 1)
    return all_of([*_private(p, e, delta), at_most(delta * chains, 1, f"delta against its least value at q = {case.q}:")])


Cdf = Callable[[mpq, mpq, Scale], mpq]


def _two_sided(z: mpq, q: mpq, scale: Scale) -> mpq:
    """Shifted by q/2 too little: centred at 0 and cut at both sides of it."""
    return truncated_cdf(z - q / 2, q, scale)


@entry(
    "FA.Alg1.noise",
    "algorithm",
    """The noise of Algorithm 1 is that of (9): its density on [-q, 0] integrates to 1, and Z <= -k with probability 1 - p_k.
    With q = 0 there is none, and with q = 1 one row is rounded to none with probability 1/2.""",
    over="even q, every k in 0..q; q = 0 and q = 1",
    code=["finitedp.spec.flexible.literal.truncated_cdf", PRINTED],
    grid=EVEN,
    subject=truncated_cdf,
    twins={"centred at 0": _two_sided, "of range q + 1": lambda z, q, scale: truncated_cdf(z, q + 2, scale)},
)
def noise_of_emptiness(cdf: Cdf, case: Size) -> Finding:
    _, p = emptiness_probabilities(*case)
    found = [cdf(mpq(-k), mpq(case.q), case.scale) for k in range(case.q + 1)]
    none = [shifted_truncated((1,), lambda _: mpq(0), case.scale, rounding)[(0,)] for rounding in (NEAREST, UP)]
    small = [*none, shifted_truncated((1,), lambda _: mpq(1), case.scale)[(0,)]]
    return all_of(
        [
            equal(found, [1 - x for x in p[:-1]] + [mpq(0)], f"Pr[Z <= -k] at q = {case.q}"),
            equal(small, [mpq(0), mpq(0), mpq(1, 2)], "whether one row is lost, q = 0 and 1"),
        ]
    )


ROUNDED = Cases(EVEN.quick, EVEN.more)


@erratum(
    "FA.Alg1",
    """Algorithm 1 as printed, x + Z rounded to the nearest integer: a bar of k <= q rows is reported as 0 with probability
    1 - p_k, hence never from q rows on.""",
    """Algorithm 1, with x + Z rounded up: a bar of k <= q rows is reported as 0 with probability 1 - p_k, hence never from q
    rows on. To the nearest integer it is so where Z < -k + 1/2: with probability 1 - p_(k-1/2), and so even at k = q.""",
    as_printed=("to the nearest integer", NEAREST),
    subject=UP,
    twins={"rounded down": mpq(1)},
    kind="algorithm",
    over="even q, one bar of k = 0..q rows",
    code=["finitedp.spec.flexible.literal.shifted_truncated"],
    grid=ROUNDED,
)
def reported_as_empty(rounding: mpq, case: Size) -> Finding:
    _, p = emptiness_probabilities(*case)
    found = [shifted_truncated((k,), lambda _: mpq(case.q), case.scale, rounding)[(0,)] for k in range(case.q + 1)]
    return equal(found, [1 - x for x in p], f"Pr[k rows are reported as 0] at q = {case.q}")
