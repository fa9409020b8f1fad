"""Lines of Balcer and Vadhan's figures that no theorem repeats: the geometric mechanism's in 3 and 4, and Figure 2."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import ceil_power
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check.checks.worst_case import miss_over_bins, miss_over_partitions
from finitedp.proofs_check.claims.bv.counting.subjects import accurate, running_law
from finitedp.proofs_check.claims.bv.histograms.subjects import delta_of_moves, joint_law, row_moves, thresholded
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, figure
from finitedp.spec import counting as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.divergence import product_max_ratio
from finitedp.spec.neighbours import multisets
from finitedp.spec.pmf import Pmf, mixture

Ceiling = Callable[[mpq, mpq], int]
"""ceil(2/epsilon ln(argument)) for e^(epsilon/2) = base: the least a with base^a >= argument."""


def _half_of_epsilon(base: mpq, argument: mpq) -> int:
    """Broken: 1/epsilon for 2/epsilon."""
    return ceil_power(base**2, argument)


class Geometric(NamedTuple):
    """|X|, the decay e^(-epsilon/2) of the geometric mechanism, and beta; n is such that the error is below n/2."""

    size: int
    decay: mpq
    beta: mpq


GEOMETRIC = "every count, and every dataset by dynamic programming; rational decays, so that the clamped law is exact and runs"


@figure(
    "BV.Fig3.geometric",
    """BasicHistogram over the geometric mechanism (the first line of Figure 3) is (epsilon, 0)-differentially private, with
    the errors ceil(2/epsilon ln(1/beta)) per query and ceil(2/epsilon ln(|X|/beta)) simultaneously.""",
    over=f"{GEOMETRIC}; every pair of neighbouring datasets by the two bins that change",
    code=["finitedp.spec.counting.geometric_mechanism", "finitedp.exact.ceil_power"],
    grid=cases(
        Geometric,
        [(1, mpq(2, 3), mpq(1, 20)), (3, mpq(2, 3), mpq(1, 2)), (4, mpq(1, 5), mpq(1, 100)), (3, mpq(4, 5), mpq(1, 20))],
        [(5, mpq(2, 3), mpq(1, 20)), (8, mpq(1, 2), mpq(1, 1000)), (2, mpq(8, 9), mpq(1, 20)), (3, mpq(3, 4), mpq(1, 10**6))],
    ),
    subject=ceil_power,
    twins={"1/epsilon for 2/epsilon": _half_of_epsilon, "half of a": lambda base, x: ceil_power(base, x) // 2},
)
def geometric_histogram(ceiling: Ceiling, case: Geometric) -> Finding:
    base = 1 / case.decay
    single, every = ceiling(base, 1 / case.beta), ceiling(base, case.size / case.beta)
    n = 2 * ceil_power(base, case.size / case.beta) + 2
    law = running_law(ToyGeometric(n, case.decay))
    together = miss_over_bins([1 - miss_probability(law(c), c, every) for c in range(n + 1)], n, case.size)
    findings = [accurate(law, n, [(case.beta, single)]), at_most(together, case.beta, f"simultaneous miss, a={every}:")]
    for x, y in row_moves(n, case.size):
        worst = product_max_ratio([(law(x), law(x - 1)), (law(y), law(y + 1))])
        findings.append(at_most(worst.value, base**2, f"ratio, counts {x},{y} to {x - 1},{y + 1}"))
    return all_of(findings)


class Line(NamedTuple):
    """n, the decay e^(-epsilon/2), delta and beta."""

    n: int
    decay: mpq
    delta: mpq
    beta: mpq


@figure(
    "BV.Fig4.geometric",
    """StabilityHistogram over the geometric mechanism (the first line of Figure 4): b = 1 + ceil(2/epsilon ln(1/delta)) gives
    (epsilon, delta); errors a = ceil(2/epsilon ln(1/beta)) per query on counts above t = 2 + ceil(2/epsilon ln(1/(beta
    delta))), and 2 + ceil(2/epsilon ln(n/(beta delta))) simultaneously.""",
    over=f"{GEOMETRIC}; every pair of neighbouring datasets by the two bins that change",
    code=["finitedp.spec.counting.geometric_mechanism", "finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=cases(
        Line,
        [(14, mpq(1, 3), mpq(1, 20), mpq(1, 10)), (20, mpq(1, 2), mpq(1, 16), mpq(1, 20))],
        [
            (24, mpq(1, 2), mpq(1, 20), mpq(1, 10)),
            (12, mpq(1, 9), mpq(1, 10**4), mpq(1, 20)),
            (30, mpq(2, 3), mpq(1, 4), mpq(1, 4)),
        ],
    ),
    subject=ceil_power,
    twins={"1/epsilon for 2/epsilon": _half_of_epsilon, "half of each": lambda base, x: ceil_power(base, x) // 2},
    derived_from=("BV.Alg5.4", "BV.Thm5.5.i", "BV.Thm5.5.ii", "BV.Thm5.5.iii"),
    by="multiplying over independent bins, each with the running law of the geometric mechanism behind the threshold",
)
def geometric_stability(ceiling: Ceiling, case: Line) -> Iterator[Finding]:
    base, counting = 1 / case.decay, ToyGeometric(case.n, case.decay)
    in_scope(2 + ceil_power(base, case.n / (case.beta * case.delta)) < case.n, "all bounds are below n")
    b, single = 1 + ceiling(base, 1 / case.delta), ceiling(base, 1 / case.beta)
    above = 2 + ceiling(base, 1 / (case.beta * case.delta))
    every = 2 + ceiling(base, case.n / (case.beta * case.delta))
    mechanism: StabilityHistogram[Any] = StabilityHistogram(counting, b)
    law = thresholded(running_law(counting), b)
    missed = miss_over_partitions([1 - miss_probability(law(c), c, every) for c in range(case.n + 1)], case.n)
    yield at_most(mechanism.delta(), case.delta, "delta")
    yield accurate(law, case.n, [(case.beta, single)], above)
    yield at_most(missed, case.beta, f"simultaneous miss, a={every}:")
    yield from delta_of_moves(law, case.n, base**2, case.delta)


class Threshold(NamedTuple):
    """|X|, and n rows."""

    size: int
    n: int


@figure(
    "BV.Fig4.empty",
    """A threshold b above n (the caption of Figure 4) would leave every release of StabilityHistogram empty, as b = n does:
    the code takes b in 0..n alone, and at b = n - 1 some release is not empty.""",
    over="every dataset; GeoSample at epsilon = 1; joint laws of the running code",
    code=["finitedp.impl.histograms.stability.StabilityHistogram"],
    grid=cases(Threshold, [(2, 1), (3, 2), (2, 3)], [(3, 4), (4, 3)]),
    subject=lambda n: n,
    twins={"n - 1": lambda n: n - 1},
)
def empty_beyond_n(least: Callable[[int], int], case: Threshold) -> Iterator[Finding]:
    counting = GeoSample(case.n, 1)
    for b in range(case.n + 2):
        try:
            law = joint_law(StabilityHistogram(counting, b))
        except ParameterError:
            yield equal(b > case.n, True, f"b = {b} refused")
            continue
        empty = all(law(rows) == Pmf.point(()) for rows in multisets(range(case.size), case.n))
        yield equal((empty, b <= case.n), (b >= least(case.n), True), f"always empty at b = {b}")


class Example(NamedTuple):
    """n, epsilon = 1/q, gamma = 1/g, and a count c."""

    n: int
    q: int
    g: int
    c: int


Clamped = Callable[[mpq, int], Pmf[int]]


def _conditioned(decay: mpq, radius: int) -> Pmf[int]:
    """Broken: the noise conditioned on -t..t, where its mass beyond should move to 0."""
    return Pmf.from_probabilities(_scaled({j: spec.geometric_pmf(decay, j) for j in range(-radius, radius + 1)}))


def _scaled(masses: dict[int, mpq]) -> dict[int, mpq]:
    total = sum(masses.values(), mpq(0))
    return {j: mass / total for j, mass in masses.items()}


@figure(
    "BV.Fig2",
    """Figure 2, at a count c with c - t > 0 and c + t > n: (b) Z' clamped is (a) GeoSample but for 0 below c - t, all mass
    beyond t at c, and less at n; (c) FastSample is (b) with probability 1 - gamma, and else uniform.""",
    over="n, epsilon, gamma and c on the grid; every output; (a) and (c) by the laws of the running code",
    code=["finitedp.impl.counting.geometric.FastSample", "finitedp.spec.counting.truncated_geometric"],
    grid=cases(Example, [(48, 1, 2, 45), (47, 1, 3, 47)], [(60, 1, 2, 55), (150, 2, 2, 140)]),
    subject=spec.truncated_geometric,
    twins={
        "conditioned instead of moved to c": _conditioned,
        "t one too large": lambda decay, radius: spec.truncated_geometric(decay, radius + 1),
    },
)
def example_laws(truncated: Clamped, case: Example) -> Finding:
    fast, c, n = FastSample(case.n, mpq(1, case.q), mpq(1, case.g)), case.c, case.n
    decay, t, gamma = spec.sample_decay(mpq(1, case.q)), fast.t, mpq(1, case.g)
    in_scope(c - t > 0 and c <= n < c + t, "c - t > 0 and c + t > n")
    first, third = running_law(GeoSample(n, mpq(1, case.q)))(c), running_law(fast)(c)
    second = truncated(decay, t).shifted(c).clamped(0, n)
    beyond = 2 * spec.geometric_tail(decay, t + 1)
    findings = [equal(second[z], first[z] if z >= c - t else mpq(0), f"(b) at {z}") for z in range(n) if z != c]
    at_c, at_n = first[c] + beyond, first[n] - spec.geometric_tail(decay, t + 1)
    if c < n:
        findings += [equal(second[c], at_c, "(b) at c"), equal(second[n], at_n, "(b) at n")]
    findings.append(equal(third, mixture([(1 - gamma, second), (gamma, Pmf.uniform(range(n + 1)))]), "(c)"))
    return all_of(findings)
