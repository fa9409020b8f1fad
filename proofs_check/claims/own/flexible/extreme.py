"""The maximum, our own: no mechanism is better than delta*, one attains it, each with an exact certificate."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.water_filling import LevelMaximum, least_dropped
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec.flexible import extreme as spec
from finitedp.spec.flexible.accuracy import flexible_values
from finitedp.spec.flexible.shifted_truncated import ideal_delta
from finitedp.spec.flexible.statistics import flexible_max_k, maximum
from finitedp.spec.pmf import Pmf

SPEC = "finitedp.spec.flexible.extreme"
RATIOS = (mpq(11, 10), mpq(3, 2), mpq(2), mpq(7))


class Task(NamedTuple):
    """k bars above the lowest one, at most D rows left out, and E = e^epsilon."""

    k: int
    dropped: int
    ratio: mpq


TASKS = cases(
    Task,
    [(k, d, r) for k, most in ((1, 4), (2, 4), (3, 2)) for d, r in product(range(most + 1), RATIOS)],
    [(k, d, r) for k, most in ((1, 12), (2, 6), (3, 4), (4, 2)) for d, r in product(range(most + 1), RATIOS)],
)


@own(
    "FD.Extreme.answers",
    "Where the lowest bar is never empty, the right answers are the maxima of the data with at most D rows left out.",
    over="k = 1..3 bars above, D = 0..4, all counts up to D + 1; against all that is left, and the closed form",
    code=[f"{SPEC}.answers", "finitedp.spec.flexible.statistics.flexible_max_k"],
    grid=cases(Task, [(1, 4, mpq(2)), (2, 3, mpq(2)), (3, 1, mpq(2))], [(3, 2, mpq(2)), (2, 5, mpq(2))]),
    subject=spec.answers,
    twins={
        "D + 1 rows": lambda c, dropped: spec.answers(c, dropped + 1),
        "empty bars too": lambda c, dropped: {i for i in range(len(c) + 1) if sum(c[i:]) <= dropped},
    },
)
def right_answers(answers: Callable[[tuple[int, ...], int], set[int]], case: Task) -> Iterator[Finding]:
    for c in spec.counts(case.k, case.dropped):
        whole = (case.dropped + 1, *c)
        found = answers(c, case.dropped)
        yield equal(found, set(flexible_values(maximum, whole, case.dropped)), f"answers of {whole}")
        yield equal(found, set(flexible_max_k(whole, 1, case.dropped)), f"closed form of {whole}")


Bound = Callable[[int, int, mpq], mpq]


def _per_bar(k: int, dropped: int, ratio: mpq) -> mpq:
    """What the histogram with its own noise in every bar needs: dopt(D/k + 1)."""
    return ideal_delta(dropped // k + 1, ratio)


@own(
    "FD.Extreme.bound",
    """No mechanism for the maximum of k + 1 bars that is right with at most D rows left out, with certainty, has a smaller
    delta than delta* = 1/(sum over j = 0..D of E^floor(j/(k + 1))).""",
    over="k = 1..3 (4 in full), D = 0..4 (12 in full), E = 11/10..7: a dual certificate that holds for any mechanism",
    code=[f"{SPEC}.delta_star", f"{SPEC}.bound_is_shown", f"{SPEC}.chain"],
    grid=TASKS,
    subject=spec.delta_star,
    twins={
        "one part in 1000 more": lambda k, dropped, ratio: spec.delta_star(k, dropped, ratio) * mpq(1001, 1000),
        "one bar fewer in the split": lambda k, dropped, ratio: spec.delta_star(k + 1, dropped, ratio),
        "noise in every bar": _per_bar,
    },
)
def no_mechanism_is_better(bound: Bound, case: Task) -> Finding:
    k, dropped, ratio = case
    shown = spec.bound_is_shown(spec.chain(k, dropped), k, dropped, ratio, bound(k, dropped, ratio))
    return equal(shown, True, f"the dual of {case} shows delta >= {bound(k, dropped, ratio)}")


class Dual(NamedTuple):
    """K and D."""

    k: int
    dropped: int


Shown = Callable[[spec.Chain, int, int, mpq, mpq], bool]


def _believed(which: Callable[[list[spec.Counts], spec.Chain, int, int], bool]) -> Shown:
    """Also where a chain of which something holds breaks a rule."""

    def shown(found: spec.Chain, k: int, dropped: int, ratio: mpq, bound: mpq) -> bool:
        whole = spec.chain(k, dropped)
        mended = {i: whole.steps[i] if which(path, found, i, dropped) else path for i, path in found.steps.items()}
        return spec.bound_is_shown(spec.Chain(whole.at, mended), k, dropped, ratio, bound)

    return shown


@own(
    "FD.Extreme.dual",
    """A certificate shows a bound of delta only where the chain of every right answer is there, begins at the counts, goes by
    one row at a time, and ends where the answer is wrong.""",
    over="k = 1..3, D = 1..4, every answer's chain left out, without its first and last counts, and with a gap; E = 2",
    code=[f"{SPEC}.bound_is_shown"],
    grid=cases(Dual, [(1, 3), (2, 4), (3, 4), (1, 4)], [(2, 7), (3, 12)]),
    subject=spec.bound_is_shown,
    twins={
        "an empty chain": _believed(lambda path, _found, _i, _d: not path),
        "any beginning": _believed(lambda path, found, _i, _d: bool(path) and path[0] != found.at),
        "any end": _believed(lambda path, _found, i, d: bool(path) and i in spec.answers(path[-1], d)),
        "gaps": _believed(lambda path, _found, _i, _d: any(_far(*steps) for steps in pairwise(path))),
    },
)
def rules_of_a_dual(shown: Shown, case: Dual) -> Iterator[Finding]:
    whole, weak = spec.chain(*case), spec.delta_star(*case, mpq(2)) / 2
    yield equal(shown(whole, *case, mpq(2), weak), True, f"the dual of {case}")
    for i, path in whole.steps.items():
        for name, other in {"": [], "first": path[1:], "last": path[:-1], "inner": [path[0], *path[2:]]}.items():
            if other == path or i not in spec.answers(whole.at, case.dropped):
                continue
            right = bool(other) and other[0] == whole.at and i not in spec.answers(other[-1], case.dropped)
            right = right and not any(_far(*steps) for steps in pairwise(other))
            forged = spec.Chain(whole.at, whole.steps | {i: other})
            yield equal(shown(forged, *case, mpq(2), weak), right, f"{case}, {name or 'all'} of {i} left out")


def _far(one: spec.Counts, other: spec.Counts) -> bool:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) != 1


Mechanism = Callable[[tuple[int, ...], int, mpq, mpq], Pmf[int]]


def _rest_below(c: tuple[int, ...], dropped: int, ratio: mpq, delta: mpq) -> Pmf[int]:
    """From the top down as much as is allowed, and nothing once the sum is 1."""
    rest, found = mpq(1), dict[int, mpq]()
    for i, t in reversed(list(enumerate(spec.composition(c, dropped)))):
        p = min(rest, delta * (ratio**t - 1) / (ratio - 1))
        rest -= p
        if p:
            found[i] = p
    return Pmf.from_probabilities(found)


def _in_proportion(c: tuple[int, ...], dropped: int, ratio: mpq, delta: mpq) -> Pmf[int]:
    most = {i: ratio**t - 1 for i, t in enumerate(spec.composition(c, dropped)) if t}
    total = sum(most.values(), mpq(0))
    return Pmf.from_probabilities({i: p / total for i, p in most.items()})


def _from_below(c: tuple[int, ...], dropped: int, ratio: mpq, delta: mpq) -> Pmf[int]:
    """The composition made from the lowest bar up."""
    law = spec.lowest_pmf(tuple(reversed(c)), dropped, ratio, delta)
    return law.pushforward(lambda i: len(c) + 1 - i if i else 0)


@own(
    "FD.Extreme.attained",
    """delta* is attained: answers i with p_i = min(delta* (E^(t_i) - 1)/(E - 1), l), t the composition of D + 1 from the top
    down and l such that they sum to 1, are right and (epsilon, delta*)-DP under adding or removing a row.""",
    over="k = 1..3 (4 in full), D = 0..4 (12 in full), E = 11/10..7; all counts up to D + 1, which lose nothing",
    code=[f"{SPEC}.lowest_pmf", f"{SPEC}.violation"],
    grid=TASKS,
    subject=spec.lowest_pmf,
    twins={
        "from the top, nothing once the sum is 1": _rest_below,
        "in proportion to what is allowed": _in_proportion,
        "the composition from below": _from_below,
    },
)
def attained(mechanism: Mechanism, case: Task) -> Finding:
    k, dropped, ratio = case
    delta = spec.delta_star(k, dropped, ratio)
    laws = {c: mechanism(c, dropped, ratio, delta) for c in spec.counts(k, dropped)}
    wrong = spec.violation(laws, dropped, ratio, delta)
    return Finding(wrong is None, mpq(1 if wrong is None else 2), f"{case}: {wrong or 'delta* is attained'}")


@own(
    "FD.Extreme.per-bar",
    """For two bars the maximum of the shifted-truncated histogram is optimal: delta* = dopt(D + 1). For more bars it needs
    more: dopt(D/k + 1) is above delta*.""",
    over="k = 1..3 (4 in full), D a multiple of k",
    code=[f"{SPEC}.delta_star", "finitedp.spec.flexible.shifted_truncated.ideal_delta"],
    grid=cases(
        Task,
        [(k, k * d, r) for k in (1, 2, 3) for d, r in product((2, 3, 6), RATIOS)],
        [(k, k * d, r) for k in (1, 2, 4) for d, r in product((10, 27), RATIOS)],
    ),
    subject=spec.delta_star,
    twins={"noise in every bar": _per_bar},
)
def per_bar(bound: Bound, case: Task) -> Finding:
    found, ideal = bound(*case), _per_bar(*case)
    if case.k == 1:
        return equal(found, ideal, f"delta* of two bars, D = {case.dropped}")
    return all_of([at_most(found, ideal, f"delta* of {case.k + 1} bars:"), equal(found < ideal, True, "it is smaller")])


class Wanted(NamedTuple):
    """Bars, epsilon, delta and the bits of a word."""

    bars: int
    epsilon: mpq
    delta: mpq
    word: int = 64


@own(
    "FD.LevelMaximum.least",
    """least_dropped gives the least D with which LevelMaximum's table of caps has the delta, and with D - 1 no mechanism for
    the maximum has it, since delta* of D - 1 is above delta; of words of 8 bits, no LevelMaximum with D - 1 has it.""",
    over="2 to 78 bars (1000 in full), epsilon = 1/2 to 2 (1/10 to 4 in full), delta = 2^-10 and 2^-20, 64 bits; 50 values of"
    " delta between the multiples of 2^-8, 8 bits",
    code=["finitedp.impl.flexible.water_filling.least_dropped", f"{SPEC}.delta_star"],
    grid=cases(
        Wanted,
        [
            (3, mpq(1, 2), mpq(1, 2**10)),
            *((bars, mpq(1), mpq(1, 2**20)) for bars in (2, 16, 78)),
            *((3, mpq(1), mpq(2 * m + 1, 512), 8) for m in range(1, 51)),
        ],
        [
            (5, mpq(2), mpq(1, 2**10)),
            (1000, mpq(1), mpq(1, 2**20)),
            (78, mpq(1, 10), mpq(1, 2**40)),
            (10, mpq(4), mpq(1, 2**30)),
        ],
    ),
    subject=least_dropped,
    twins={
        "D + 1": lambda *case: least_dropped(*case) + 1,
        "D - 1": lambda *case: least_dropped(*case) - 1,
        "delta rounded up": lambda bars, epsilon, delta, word: least_dropped(bars, epsilon, delta + mpq(1, 2 << word), word),
    },
)
def least_rows(find: Callable[[int, mpq, mpq, int], int], case: Wanted) -> Iterator[Finding]:
    dropped = find(*case)
    mechanism = LevelMaximum(IntegerBuckets(1, case.bars), dropped, case.epsilon, case.word)
    if case.word < 64 and dropped:
        bound = evolve(mechanism, dropped=dropped - 1).claim().delta
    else:
        bound = spec.delta_star(case.bars - 1, dropped - 1, mechanism.ratio)
    yield at_most(mechanism.claim().delta, case.delta, f"delta at D = {dropped}, {case.bars} bars:")
    yield equal(bound > case.delta, True, f"the least delta of {dropped - 1} rows is above delta")
