"""Privacy in Theorems 4 to 6 and Corollaries 2 and 3 of the paper on flexible accuracy: what is computed from Algorithm 1."""

from collections.abc import Callable
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.subjects import worst_delta
from finitedp.proofs_check.ledger.entry import Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import at_most
from finitedp.spec.flexible import statistics as spec
from finitedp.spec.flexible.literal import Histogram, Scale, claimed_delta, shifted_truncated

LITERAL = "finitedp.spec.flexible.literal"


class Neighbour(NamedTuple):
    """e^epsilon, tau, the smaller of two histograms of buckets, and the bar in which the other one has a row more."""

    scale: Scale
    tau: mpq
    x: Histogram
    bar: int


SIXTEEN, NEAR_3_HALVES = Scale(mpq(2), 4), Scale(mpq(9, 8), 4)
HALF = mpq(1, 2)
NEIGHBOURS = cases(
    Neighbour,
    [
        (NEAR_3_HALVES, HALF, (3, 5, 1), 2),
        (SIXTEEN, HALF, (3, 3, 3), 0),
        (SIXTEEN, HALF, (2, 2), 1),
        (SIXTEEN, HALF, (1, 2, 3), 1),
    ],
    [(SIXTEEN, HALF, (1, 2, 3, 3), 1), (SIXTEEN, HALF, (0, 3, 3, 3), 1), (NEAR_3_HALVES, HALF, (4, 5), 0)],
)
Width = Callable[[Neighbour], Callable[[int], mpq]]


def _of_the_data(case: Neighbour) -> Callable[[int], mpq]:
    return lambda size: case.tau * size


def _public(case: Neighbour) -> Callable[[int], mpq]:
    return lambda _: case.tau * sum(case.x)


def _of_odd_sizes(case: Neighbour) -> Callable[[int], mpq]:
    return lambda size: case.tau * sum(case.x) * (size % 2)


def _check_of(statistic: Callable[[Histogram], Any], width: Width, case: Neighbour) -> Finding:
    """The exact delta of the statistic of what Algorithm 1 releases, against the claimed one."""
    larger = tuple(count + (i == case.bar) for i, count in enumerate(case.x))
    p, q = (shifted_truncated(x, width(case), case.scale).pushforward(statistic) for x in (case.x, larger))
    allowed = claimed_delta(case.tau * sum(case.x), case.scale)
    return at_most(
        worst_delta(p, q, case.scale.ratio), allowed, f"delta of {case.x} and {larger}, e^epsilon {case.scale.ratio}:"
    )


DELTA = "is (epsilon, (e^epsilon - 1)/(2 (e^(epsilon q/2) - 1)))-DP, q = tau |x|, as Theorem 3 has it"
REPAIR = "With a public q, the same for every histogram."
MORE: dict[str, Any] = {
    "as_printed": ("q = tau |x|", _of_the_data),
    "subject": _public,
    "twins": {"no noise for an even number of rows": _of_odd_sizes},
    "kind": "theorem",
    "over": "tau = 1/2, two and three bars of a few rows (four in full); delta at the smaller |x|, where it is larger",
    "code": [f"{LITERAL}.shifted_truncated", f"{LITERAL}.claimed_delta"],
    "grid": NEIGHBOURS,
}


@erratum("FA.Thm4.i", f"Theorem 4, privacy: where epsilon q >= 2, Algorithm 3 {DELTA}.", REPAIR, **MORE)
@erratum("FA.Thm5.i", f"Theorem 5, privacy: where epsilon q >= 2, any statistic of Algorithm 3 {DELTA}.", REPAIR, **MORE)
@erratum("FA.Thm6.i", f"Theorem 6, privacy: where epsilon q >= 2, any statistic of Algorithm 3 {DELTA}.", REPAIR, **MORE)
def private_histogram(width: Width, case: Neighbour) -> Finding:
    return _check_of(lambda y: y, width, case)


@erratum("FA.Cor2.i", f"Corollary 2, privacy: where epsilon q >= 2, the maximum of Algorithm 3 {DELTA}.", REPAIR, **MORE)
def private_maximum(width: Width, case: Neighbour) -> Finding:
    return _check_of(spec.maximum, width, case)


@erratum("FA.Cor3.i", f"Corollary 3, privacy: where epsilon q >= 2, the support of Algorithm 3 {DELTA}.", REPAIR, **MORE)
def private_support(width: Width, case: Neighbour) -> Finding:
    return _check_of(spec.support, width, case)
