"""Section E: the pan-private state, on the integers and as a register modulo m."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.errors import DataError
from finitedp.impl.anonymized.pan_private import PanPrivateHistogram
from finitedp.proofs_check.claims.ph.each_case import Compared, compared
from finitedp.proofs_check.claims.ph.subjects import finite_ratio, geometric
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, is_taken
from finitedp.proofs_check.ledger.findings import equal, own, theorem
from finitedp.spec.anonymized import estimator
from finitedp.spec.anonymized import pan_private as spec
from finitedp.spec.pmf import Pmf

SPEC = "finitedp.spec.anonymized.pan_private"
RUNNING = "finitedp.impl.anonymized.pan_private"
EXAMPLE = (63, 42, 28, 19, 15, 19, 28, 42)
"""A cyclic table modulo 8 for R = 3/2 and 8 bits."""
Weights = Sequence[int]


# On the integers


def _discrete(decay: mpq, count: int, low: int, high: int) -> Pmf[int]:
    """Count + Z, seen on low..high: exact there, the tails at the ends, which have the ratios of the tails."""
    return geometric(decay, max(abs(high - count), abs(count - low)) + 1).shifted(count).clamped(low, high)


@theorem(
    "GK.E.state",
    """Section E, first claim: with noise of decay p = e^(-epsilon/2) in every register before the first event, the state at
    any one time is epsilon-DP for a replaced event: p^-1 for each of the two registers, exactly.""",
    over="counts to 3 in each register, 1/p on the grid; all outcomes, tails included",
    code=["finitedp.spec.counting.geometric_mechanism", f"{SPEC}.state_law"],
    grid=Cases((mpq(3, 2), mpq(9, 8)), (mpq(101, 100), mpq(4))),
    subject=lambda r, count: _discrete(1 / r, count, -4, 7),
    twins={
        "bounded noise": lambda r, count: spec.truncated_law(geometric(1 / r, 3), count),
        "p = e^-epsilon": lambda r, count: _discrete(1 / r**2, count, -4, 7),
        "no noise in an empty register": lambda r, count: _discrete(1 / r, count, -4, 7) if count else Pmf.point(0),
    },
)
def state_private(state: Callable[[mpq, int], Pmf[int]], ratio: mpq) -> Finding:
    up = [finite_ratio(state(ratio, c + 1), state(ratio, c)) for c in range(3)]
    down = [finite_ratio(state(ratio, c), state(ratio, c + 1)) for c in range(3)]
    finite = [[x for x in found if x is not None] for found in (up, down)]
    if [len(found) for found in finite] != [3, 3]:
        return Finding(False, mpq(10**9), f"infinite ratio, 1/p = {ratio}")
    worst = max(finite[0]) * max(finite[1])  # one register loses what the other gains
    return equal(worst, ratio**2, f"ratio of a replaced event, 1/p = {ratio}")


# Modulo m


class Stream(NamedTuple):
    """Tables of the state and of the output, and the bits of their words."""

    weights: tuple[int, ...]
    fresh: tuple[int, ...]


def _beside(s: int, law: Pmf[int]) -> Pmf[tuple[int, int]]:
    return law.pushforward(lambda out: (s, out))


def _saturating(weights: Weights, fresh: Weights, before: int, after: int) -> Pmf[tuple[int, int]]:
    high = len(weights) - 1
    state = spec.saturating_law(Pmf(dict(enumerate(weights))), before, 0, high)
    return state.then(lambda s: _beside(s, spec.state_law(fresh, min(s + after, high))))


def _saturating_up(weights: Weights, fresh: Weights, before: int, after: int) -> Pmf[tuple[int, int]]:
    noise = Pmf(dict(enumerate(weights)))
    return spec.truncated_law(noise, before).then(lambda s: _beside(s, spec.state_law(fresh, (s + after) % len(fresh))))


@theorem(
    "GK.E",
    """Section E, second claim: with fresh noise in the output, the pair (state at one time, output) is private too. The worst
    ratio for one event more is max(R, R'), not their product, before the intrusion or after it; so p = e^(-epsilon/2) is
    enough for a replaced event, where the paper takes e^(-epsilon/4). Two intrusions tell the number of events between them
    exactly.""",
    over="registers modulo m, all numbers of events before and after the intrusion to 3; all outcomes",
    code=[f"{SPEC}.state_and_output_law", f"{SPEC}.two_states_law"],
    grid=cases(
        Stream, [(EXAMPLE, EXAMPLE), (EXAMPLE, (32,) * 8)], [((6, 4, 2, 4), (5, 4, 3, 4)), ((16, 12, 12, 12, 12), (64,) * 5)]
    ),
    subject=spec.state_and_output_law,
    twins={
        "no fresh noise": lambda weights, _fresh, before, after: spec.two_states_law(weights, before, after),
        "a second intrusion for the output": lambda v, w, before, after: spec.two_states_law(w, before, after),
        "a register that saturates": _saturating,
        "a register that is not cyclic": _saturating_up,
    },
)
def joint_private(joint: Callable[[Weights, Weights, int, int], Pmf[tuple[int, int]]], case: Stream) -> Finding:
    allowed = max(spec.cyclic_ratio(case.weights), spec.cyclic_ratio(case.fresh))
    worst = mpq(0)
    for before, after in product(range(4), repeat=2):
        law = joint(*case, before, after)
        for other in (joint(*case, before + 1, after), joint(*case, before, after + 1)):
            for found in (finite_ratio(law, other), finite_ratio(other, law)):
                if found is None:
                    return Finding(False, mpq(10**9), f"infinite ratio at {before} and {after} events")
                worst = max(worst, found)
    return Finding(worst == allowed, worst / allowed, f"ratio {worst} of {allowed}")


class Cycle(NamedTuple):
    """M, the largest count n, and 1/p."""

    m: int
    n: int
    ratio: mpq


def _values(case: Cycle, r: int, noises: int) -> list[mpq]:
    antipode = case.n + 1 + (case.m - case.n - 1) // 2
    return spec.wrapped_indicator(1 / case.ratio, case.m, r, antipode, noises)


@own(
    "GK.pan.estimate",
    """On the cycle g cancels the wrapped geometric law exactly, and g * g * 1[r, ..., A - 1], with an antipode A beyond all
    counts, is unbiased for the output, which has two noises; g once for the state.""",
    over="all counts 0..n and r of the grid's cycles",
    code=[f"{SPEC}.wrapped_indicator", f"{SPEC}.wrapped_cancel"],
    grid=cases(Cycle, [(8, 3, mpq(3, 2)), (12, 4, mpq(9, 8))], [(22, 3, mpq(2)), (30, 10, mpq(5, 4))]),
    subject=_values,
    twins={
        "g once for two noises": lambda case, r, noises: _values(case, r, 1),
        "f as on the integers": lambda case, r, noises: [
            (estimator.indicator if noises == 1 else estimator.two_noises)(1 / case.ratio)(y - r) for y in range(case.m)
        ],
        "an arc that ends at n": lambda case, r, noises: spec.wrapped_indicator(1 / case.ratio, case.m, r, case.n, noises),
    },
)
@compared("mean")
def unbiased(values: Callable[[Cycle, int, int], list[mpq]], case: Cycle) -> Compared:
    law = spec.wrapped_geometric(1 / case.ratio, case.m)
    weights = [law.weight(d) for d in range(case.m)]
    for r, noises in product(range(1, case.n + 1), (1, 2)):
        found = values(case, r, noises)
        for c in range(case.n + 1):
            state = spec.state_law(weights, c) if noises == 1 else spec.output_law(weights, weights, c)
            yield spec.expected(state, found), mpq(c >= r), f"count {c}, r={r}, {noises} noises, {case}"


# The running register


class Register(NamedTuple):
    """n, epsilon, the bits of a word and the modulus."""

    n: int
    epsilon: str
    bits: int
    m: int

    @property
    def mechanism(self) -> PanPrivateHistogram:
        return PanPrivateHistogram("a", *self)


Running = Callable[[Register, Sequence[int], int], mpq]


def _estimate(case: Register, outputs: Sequence[int], r: int) -> mpq:
    return case.mechanism.estimate(outputs, r)


@own(
    "GK.pan.values",
    """The running estimate of phi_{>=r} is the sum over the outputs of g * g * 1[r, ..., A - 1] at the decay 1/R of the
    register's own table, A the middle between n and m; outputs that are no register are refused.""",
    over="all r, every output of the cycle alone, all of them together, -1 and m",
    code=[f"{RUNNING}.PanPrivateHistogram.estimate", f"{RUNNING}.PanPrivateHistogram.antipode", f"{SPEC}.wrapped_indicator"],
    grid=cases(Register, [(3, "2/5", 8, 8), (2, "1", 10, 6)], [(10, "1/10", 64, 50), (4, "1", 12, 12)]),
    subject=_estimate,
    twins={
        "by the decay e^-epsilon, nearly": lambda case, outputs, r: _estimate(case._replace(bits=64), outputs, r),
        "of r + 1": lambda case, outputs, r: _estimate(case, outputs, min(r + 1, case.n)),
        "any output": lambda case, outputs, r: _estimate(case, [s % case.m for s in outputs], r),
    },
)
def values(estimate: Running, case: Register) -> Iterator[Finding]:
    mechanism = case.mechanism
    for r in range(1, case.n + 1):
        antipode = case.n + 1 + (case.m - case.n - 1) // 2
        wanted = spec.wrapped_indicator(1 / mechanism.table.ratio, case.m, r, antipode, 2)
        found = [estimate(case, [s], r) for s in range(case.m)]
        yield equal(found, list(wanted), f"values at r = {r}, {case}")
        yield equal(estimate(case, range(case.m), r), sum(wanted, mpq(0)), f"of all outputs, r = {r}, {case}")
    for s in (-1, case.m):
        taken = is_taken(partial(estimate, case, [s], 1), DataError)
        yield equal(not taken, True, f"whether {s} is refused, {case}")
