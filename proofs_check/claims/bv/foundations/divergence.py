"""Section 2 of Balcer and Vadhan: the lemmas on privacy (2.2 to 2.4), and statistical distance (2.9, 2.10)."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, cycle, islice, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp, exp_bounds
from finitedp.proofs_check.ledger.entry import Cases, Finding, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, definition, equal, lemma
from finitedp.proofs_check.ledger.grids import LAW_PAIRS, LawPair, small_laws
from finitedp.spec import divergence
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint


def _events(outcomes: Sequence[int]) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(outcomes, size) for size in range(len(outcomes) + 1)))


def _outcomes(pair: LawPair) -> list[int]:
    return sorted(pair.p.support | pair.q.support)


def _within(in_p: mpq, in_q: mpq, epsilon: mpq) -> bool:
    """in_p <= e^epsilon in_q."""
    return in_p <= 0 or (in_q > 0 and compare_exp(in_p / in_q, epsilon) <= 0)


# Every function to two values, which is enough: an event of any randomised output is a mixture of these, and delta is convex
# in the mixture. A randomised one for good measure.
Kernel = tuple[Pmf[int], ...]
RANDOMISED: Kernel = (Pmf({0: 1, 1: 2}), Pmf({0: 3, 1: 1}), Pmf({1: 1, 2: 1}), Pmf.point(2))
MOST_OUTCOMES = 10


def _kernels(pair: LawPair) -> tuple[Kernel, ...]:
    """On the outcomes 0, 1, ..., up to the largest that has mass, four at least."""
    outcomes = _outcomes(pair)
    in_scope(outcomes[0] >= 0 and outcomes[-1] < MOST_OUTCOMES, "outcomes 0, ..., 9, whose functions can be listed")
    return _listed_kernels(max(4, outcomes[-1] + 1))


@cache
def _listed_kernels(size: int) -> tuple[Kernel, ...]:
    functions = (tuple(Pmf.point(x) for x in values) for values in product((0, 1), repeat=size))
    return (*functions, tuple(islice(cycle(RANDOMISED), size)))


def _same_kernel(law: Pmf[int], kernel: Kernel, _second: bool) -> Pmf[int]:
    return law.then(lambda x: kernel[x])


def _kernel_that_sees_the_data(law: Pmf[int], kernel: Kernel, second: bool) -> Pmf[int]:
    return law.then(lambda x: kernel[(x + 1) % len(kernel) if second else x])


Process = Callable[[Pmf[int], Kernel, bool], Pmf[int]]


@lemma(
    "BV.Lem2.2",
    "Post-processing an (epsilon, delta)-differentially private output by any randomised function stays so.",
    over="all pairs of laws; all functions to two values, which suffice for any; all epsilon and delta by the privacy profile",
    code=["finitedp.spec.pmf.Pmf.then", "finitedp.spec.divergence.privacy_profile"],
    grid=LAW_PAIRS,
    subject=_same_kernel,
    twins={"post-processing that depends on the dataset": _kernel_that_sees_the_data},
    reach="every epsilon, delta and randomised function, each pair of laws of the grid",
)
def post_processing(process: Process, pair: LawPair) -> Iterator[Finding]:
    before = divergence.privacy_profile(*pair)
    for kernel in _kernels(pair):
        after = divergence.privacy_profile(process(pair.p, kernel, False), process(pair.q, kernel, True))
        # both profiles are linear between these points, and constant after the last
        ratios = {mpq(0), *before.breakpoints, *after.breakpoints, max(before.breakpoints, default=mpq(1)) + 1}
        deltas = [(after.delta(ratio), before.delta(ratio), ratio) for ratio in ratios]
        found, allowed, ratio = max(deltas, key=lambda d: (d[0] > d[1], d[0] / d[1] if d[1] else mpq(0)))
        yield at_most(found, allowed, f"delta at ratio {ratio}:")


class Chain(NamedTuple):
    """Three laws, each a neighbour of the next, and epsilon."""

    laws: tuple[Pmf[int], Pmf[int], Pmf[int]]
    epsilon: mpq


def _chains(total: int, epsilons: tuple[mpq, ...]) -> list[Chain]:
    return [Chain((a, b, c), e) for a, b, c in product(small_laws(2, total), repeat=3) for e in epsilons]


@lemma(
    "BV.Lem2.3",
    """Group privacy: if D2 comes from D1 by changing at most m rows, then Pr[M(D1) in S] is at most e^(m epsilon)
    Pr[M(D2) in S] + e^(m epsilon) delta / epsilon.""",
    over="all chains of three laws on two outcomes (m = 2), with the least delta (rounded up at 2^-64) for each epsilon",
    code=["finitedp.spec.divergence.privacy_profile"],
    grid=Cases(lambda: _chains(5, (mpq(1, 2), mpq(1))), lambda: _chains(8, (mpq(1, 10), mpq(1, 2), mpq(1), mpq(3)))),
    subject=lambda delta, epsilon: delta / epsilon,
    twins={"delta that does not grow": lambda delta, epsilon: delta / exp_bounds(2 * epsilon)[0]},
)
def group_privacy(added: Callable[[mpq, mpq], mpq], instance: Chain) -> Iterator[Finding]:
    (a, b, c), epsilon = instance
    steps = [(a, b), (b, a), (b, c), (c, b)]
    delta = max(divergence.privacy_profile(p, q).delta_at_epsilon(epsilon)[1] for p, q in steps)
    growth = exp_bounds(2 * epsilon)[0]
    for p, q in ((a, c), (c, a)):
        for event in _events(range(2)):
            in_p, in_q = p.probability(event), q.probability(event) + added(delta, epsilon)
            high = growth * in_q
            detail = f"Pr = {in_p} on {event}"
            yield Finding(_within(in_p, in_q, 2 * epsilon), in_p / high if high else mpq(0), detail)


class Composition(NamedTuple):
    """Two pairs of laws and the ratios e^epsilon_1, e^epsilon_2."""

    first: LawPair
    second: LawPair
    ratios: tuple[mpq, mpq]


def _compositions(total: int) -> list[Composition]:
    pairs = [LawPair(p, q) for p, q in product(small_laws(2, total), repeat=2)]
    ratios = ((mpq(3, 2), mpq(2)), (mpq(1), mpq(5, 4)))
    return [Composition(a, b, r) for a, b in product(pairs, repeat=2) for r in ratios]


@lemma(
    "BV.Lem2.4",
    """Composition: independent runs of an (epsilon_1, delta_1)- and an (epsilon_2, delta_2)-differentially private mechanism
    are together (epsilon_1 + epsilon_2, delta_1 + delta_2)-differentially private.""",
    over="all pairs of pairs of laws on two outcomes; e^epsilon rational, with the least delta for each",
    code=["finitedp.spec.pmf.product", "finitedp.spec.divergence.hockey_stick"],
    grid=Cases(lambda: _compositions(3), lambda: _compositions(5)),
    subject=lambda left, right: left * right,
    twins={"the larger epsilon instead of the sum": max},
)
def composition(together: Callable[[mpq, mpq], mpq], instance: Composition) -> Iterator[Finding]:
    (p1, q1), (p2, q2), (r1, r2) = instance
    for a1, b1, a2, b2 in ((p1, q1, p2, q2), (q1, p1, q2, p2)):
        delta = divergence.hockey_stick(a1, b1, r1).delta + divergence.hockey_stick(a2, b2, r2).delta
        both = divergence.hockey_stick(joint([a1, a2]), joint([b1, b2]), together(r1, r2)).delta
        yield at_most(both, delta, "delta")


def _half_l1(p: Pmf[int], q: Pmf[int]) -> mpq:
    return sum((abs(p[x] - q[x]) for x in p.support | q.support), mpq(0)) / 2


@definition(
    "BV.Def2.9",
    "Statistical distance: the largest difference over events equals half the sum of differences over outcomes.",
    over="all pairs of laws; every event enumerated",
    code=["finitedp.spec.divergence.total_variation"],
    grid=LAW_PAIRS,
    subject=_half_l1,
    twins={"the sum without the half": lambda p, q: 2 * _half_l1(p, q)},
)
def statistical_distance(by_sum: Callable[[Pmf[int], Pmf[int]], mpq], pair: LawPair) -> Finding:
    p, q = pair
    literal = max(abs(p.probability(s) - q.probability(s)) for s in _events(_outcomes(pair)))
    found = divergence.total_variation(p, q)
    attained = p.probability(found.event) - q.probability(found.event)
    values = {"largest over events": literal, "attained by the event": attained, "half the sum": by_sum(p, q)}
    return all_of([equal(found.distance, value, name) for name, value in values.items()])


def _distance(p: Pmf[int], q: Pmf[int]) -> mpq:
    return divergence.total_variation(p, q).distance


@lemma(
    "BV.Lem2.10.1",
    "Two variables have the same law exactly when their statistical distance is 0, and exactly when their cdfs agree.",
    over="all pairs of laws, the second also over another denominator",
    code=["finitedp.spec.pmf.Pmf.__eq__", "finitedp.spec.divergence.total_variation"],
    grid=LAW_PAIRS,
    subject=_distance,
    twins={"comparing supports only": lambda p, q: mpq(0 if p.support == q.support else 1)},
)
def identical_laws(distance: Callable[[Pmf[int], Pmf[int]], mpq], pair: LawPair) -> Finding:
    p, q = pair
    rescaled = Pmf({x: 6 * w for x, w in q.weights.items()})
    outcomes = _outcomes(pair)
    literal = all(p[x] == q[x] for x in outcomes)
    below = [outcomes[:k] for k in range(1, len(outcomes) + 1)]
    by_cdf = all(p.probability(event) == q.probability(event) for event in below)
    values = {"distance": distance(p, q) == 0, "==": p == q, "another denominator": p == rescaled, "cdf": by_cdf}
    return all_of([equal(value, literal, name) for name, value in values.items()])


@lemma(
    "BV.Lem2.10.2",
    "A randomised mapping does not increase statistical distance.",
    over="all pairs of laws; all functions to two values, which suffice for any, and a randomised one",
    code=["finitedp.spec.pmf.Pmf.then", "finitedp.spec.divergence.total_variation"],
    grid=LAW_PAIRS,
    subject=_same_kernel,
    twins={"a mapping that depends on the variable": _kernel_that_sees_the_data},
)
def distance_after_mapping(process: Process, pair: LawPair) -> Finding:
    before = _distance(*pair)
    after = [_distance(process(pair.p, k, False), process(pair.q, k, True)) for k in _kernels(pair)]
    return at_most(max(after), before, "distance")


class Dependent(NamedTuple):
    """Two joint laws on pairs: first parts, and the conditional law of the second part for each value of the first."""

    first: LawPair
    given: tuple[LawPair, LawPair]

    def check_scope(self) -> None:
        in_scope(set(_outcomes(self.first)) <= set(range(len(self.given))), "a conditional law for each first part")


def _dependent(total: int) -> list[Dependent]:
    laws = small_laws(2, total)
    pairs = [LawPair(p, q) for p, q in product(laws, repeat=2)]
    return [Dependent(first, (x, y)) for first in pairs for x, y in product(pairs[::2], repeat=2)]


@lemma(
    "BV.Lem2.10.3",
    """The distance of pairs is at most the distance of their first parts plus the largest distance of their second parts
    given equal first parts (over the first parts that both variables take).""",
    over="all joint laws on pairs of bits from a grid of conditional laws",
    code=["finitedp.spec.divergence.total_variation"],
    grid=Cases(lambda: _dependent(2), lambda: _dependent(4)),
    subject=lambda first, largest_second: first + largest_second,
    twins={"without the first term": lambda _first, largest_second: largest_second},
)
def distance_of_pairs(bound: Callable[[mpq, mpq], mpq], case: Dependent) -> Finding:
    y, z = (
        law.then(lambda a, i=i: case.given[a][i].pushforward(lambda b: (a, b)))  # type: ignore[misc]
        for i, law in enumerate(case.first)
    )
    shared = case.first.p.support & case.first.q.support
    second = max((_distance(*case.given[a]) for a in shared), default=mpq(0))
    found = divergence.total_variation(y, z).distance
    return at_most(found, bound(_distance(*case.first), second), "distance")
