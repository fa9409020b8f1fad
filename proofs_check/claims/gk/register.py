"""Section E on a finite machine: the running register, its table, its law at every time and its privacy."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.errors import ClaimError, ParameterError
from finitedp.impl.anonymized.pan_private import CyclicTable, PanPrivateHistogram, cyclic_table
from finitedp.impl.randomness.coins import Coins
from finitedp.numbers import decimal
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, but, cases, in_scope, is_taken
from finitedp.proofs_check.ledger.findings import at_most, equal, own, same_law
from finitedp.spec.anonymized import pan_private as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.dyadic import ratio_below
from finitedp.spec.pmf import Pmf

SPEC = "finitedp.spec.anonymized.pan_private"
IMPL = "finitedp.impl.anonymized.pan_private"
Weights = Sequence[int]
Seen = tuple[tuple[int, ...], tuple[int, ...]]
"""The registers at the intrusion, and the output."""


class Table(NamedTuple):
    """M, epsilon and the bits of a cyclic table."""

    m: int
    epsilon: str
    bits: int

    def check_scope(self) -> None:
        in_scope(self.m >= 4 and self.m % 2 == 0, "an even m of at least 4")
        in_scope(mpq(self.epsilon) > 0 and 2 <= self.bits <= 256, "epsilon > 0, and 2 to 256 bits")


Make = Callable[[Table], Weights]


def _changed(place: int, by: int) -> Make:
    def made(case: Table) -> Weights:
        weights = list(cyclic_table(*case).weights)
        weights[place] += by
        weights[-place % case.m] += by * (place % case.m != 0)
        weights[0] -= 2 * by
        return weights

    return made


def _one_sided(case: Table) -> Weights:
    """The table of a line, wrapped: the antipode takes what is left over."""
    weights = list(cyclic_table(*case).weights)
    half = [weights[0]]
    ratio = ratio_below(2 * mpq(case.epsilon), case.bits)
    while len(half) < case.m:
        half.append(max(1, int(half[-1] / ratio)))
    return [*half[:-1], 2**case.bits - sum(half[:-1])]


@own(
    "GK.pan.table",
    """A cyclic table has weights v_d = v_{m-d} of at least 1 with the sum 2^B, and neighbours on the cycle within a factor of
    R, the largest rational of its precision below e^epsilon.""",
    over="m to 64, epsilon and bits on the grid",
    code=[f"{IMPL}.cyclic_table", f"{IMPL}.CyclicTable"],
    grid=cases(Table, [(8, "2/5", 8), (64, "1/10", 64), (6, "2", 10)], [(400, "1/10", 64), (1000, "1/2", 128), (4, "1", 6)]),
    subject=lambda case: cyclic_table(*case).weights,
    twins={
        "one more beside the centre": _changed(1, 1),
        "an antipode of its own": _one_sided,
        "not normed": lambda case: (*cyclic_table(*case).weights[:-1], cyclic_table(*case).weights[-1] + 1),
    },
)
def table(make: Make, case: Table) -> Finding:
    ratio = ratio_below(2 * mpq(case.epsilon), case.bits)
    return equal(spec.is_cyclic_table(list(make(case)), ratio, case.bits), True, f"a cyclic table, {case}")


def _halves(case: Table, centre: int, ratio: mpq) -> Iterator[tuple[int, ...]]:
    """All symmetric tables with this centre and neighbours within R: v_0, ..., v_(m/2)."""

    def grown(half: tuple[int, ...], left: int) -> Iterator[tuple[int, ...]]:
        if len(half) > case.m // 2:
            if not left:
                yield half
            return
        many = 1 if len(half) == case.m // 2 else 2  # the antipode is there once
        for x in range(1, left // many + 1):
            if x <= ratio * half[-1] and half[-1] <= ratio * x:
                yield from grown((*half, x), left - many * x)

    return grown((centre,), 2**case.bits - centre)


def _centre(case: Table) -> int | None:
    """The centre of the table; None where it is refused."""
    try:
        return int(cyclic_table(*case).weights[0])
    except ParameterError:
        return None


@own(
    "GK.pan.largest",
    """No symmetric table of m weights with the sum 2^B and neighbours within R has a larger centre than cyclic_table's, which
    is refused only where there is none.""",
    over="all symmetric tables, m = 4, 6 and 8, to 6 bits (7 in full)",
    code=[f"{IMPL}.cyclic_table"],
    grid=cases(
        Table,
        [(4, "1/5", 5), (4, "3/2", 5), (6, "1/2", 5), (6, "1", 6), (6, "2/5", 3), (8, "2", 5)],
        [(4, "2", 7), (6, "1/5", 7), (8, "2/5", 6), (8, "1", 6)],
    ),
    subject=_centre,
    twins={
        "one less": lambda case: None if (found := _centre(case)) is None else found - 1,
        "an equal share": lambda case: 2**case.bits // case.m or None,
    },
)
def largest(centre: Callable[[Table], int | None], case: Table) -> Finding:
    ratio = ratio_below(2 * mpq(case.epsilon), case.bits)
    every = (c for c in range(2**case.bits, 0, -1) if any(True for _ in _halves(case, c, ratio)))
    return equal(centre(case), next(every, None), f"largest centre, {case}")


def _accepted(case: Table, weights: Weights) -> bool:
    """Whether a table of these weights is certified, with the R of the case."""
    ratio = ratio_below(2 * mpq(case.epsilon), case.bits)
    return is_taken(lambda: CyclicTable(ratio, case.bits, tuple(weights)), ClaimError)


def _close(weights: list[int], ratio: mpq) -> bool:
    """Whether weights next to each other on the cycle are within R."""
    return min(weights) > 0 and spec.cyclic_ratio(weights) <= ratio


def _whatever(which: Callable[[list[int], mpq], bool]) -> Callable[[Table, Weights], bool]:
    """Broken: tables of which this holds are accepted."""
    return lambda case, weights: (
        which(list(weights), ratio_below(2 * mpq(case.epsilon), case.bits)) or _accepted(case, weights)
    )


@own(
    "GK.pan.certified",
    """A CyclicTable is certified: every change of its weights that makes them asymmetric, or no law, or sets neighbours on the
    cycle more than R apart, is refused, and no other.""",
    over="tables of the grid, all moves of one to three units from one place, or one and the place opposite to it, to others",
    code=[f"{IMPL}.CyclicTable", f"{SPEC}.is_cyclic_table"],
    grid=cases(Table, [(8, "2/5", 8), (6, "2", 10), (4, "1", 6)], [(12, "1/2", 8), (10, "1", 7)]),
    subject=_accepted,
    twins={
        "no look at the ratios": _whatever(lambda v, _r: v[1:] == v[:0:-1] and min(v) > 0 and sum(v).bit_count() == 1),
        "no look at the sum": _whatever(lambda v, r: v[1:] == v[:0:-1] and _close(v, r)),
        "no look at the other half": _whatever(lambda v, r: sum(v).bit_count() == 1 and _close(v, r)),
    },
)
def certified(accepts: Callable[[Table, Weights], bool], case: Table) -> Iterator[Finding]:
    ratio, right = ratio_below(2 * mpq(case.epsilon), case.bits), list(cyclic_table(*case).weights)
    yield equal(accepts(case, right), True, f"the table itself, {case}")
    for units, i, j, both in product((1, 2, 3), range(case.m), range(case.m), (False, True)):
        v = list(right)
        for place in {i, -i % case.m} if both else {i}:
            v[place] -= units
        for place in {j, -j % case.m} if both else {j}:
            v[place] += units
        yield equal(accepts(case, v), spec.is_cyclic_table(v, ratio, case.bits), f"{v}, {case}")


def _saturated(self: PanPrivateHistogram, state: list[int], label: Hashable) -> None:
    """Broken: one event more, no further than to m - 1."""
    place = list(self.labels).index(label)
    state[place] = min(state[place] + 1, self.m - 1)


NO_FRESH_NOISE = but(PanPrivateHistogram, output=lambda self, state, _: tuple(zip(self.labels, state, strict=True)))
SATURATING = but(PanPrivateHistogram, update=_saturated)


class Events(NamedTuple):
    """A stream of at most 3 events, all of one label, and before which of them, or at the end, the intrusion comes."""

    stream: str
    at: int

    def check_scope(self) -> None:
        in_scope(set(self.stream) <= {"a"} and len(self.stream) <= 3, "at most 3 events of one label")
        in_scope(0 <= self.at <= len(self.stream), "the intrusion is at an event or at the end")


def _made(made: type[PanPrivateHistogram]) -> PanPrivateHistogram:
    """One label, at most 3 events, modulo 8, words of 8 bits."""
    return made("a", 3, "2/5", 8, 8)


def _run(made: type[PanPrivateHistogram], case: Events) -> Pmf[Seen]:
    """The joint law of the first register at the intrusion and of its output, every word of its draws followed."""
    mechanism = _made(made)

    def program(coins: Coins) -> Seen:
        state = mechanism.start(coins)
        seen = tuple(state)
        for i, event in enumerate(case.stream):
            if i == case.at:
                seen = tuple(state)
            mechanism.update(state, event)
        seen = tuple(state) if case.at == len(case.stream) else seen
        return seen, tuple(value for _, value in mechanism.output(state, coins))

    return explore(program).law()


EVENTS = cases(Events, [("", 0), ("aa", 1), ("aaa", 3)], [("aaa", 0), ("a", 1), ("aaa", 2)])


def _whole(mechanism: PanPrivateHistogram, stream: str) -> Pmf[int]:
    """The law of the output of a whole release."""
    return explore(lambda coins: mechanism.release(stream, coins)[0][1]).law()


@own(
    "GK.pan.law",
    """The running state and output, and the output of the whole release, have exactly the law of the specification at every
    time: the register is a translate of its table by the count, the output the register with fresh noise, modulo m.""",
    over="streams of up to 3 events, an intrusion at every time, every word of every draw; modulo 8, epsilon = 2/5, 8 bits",
    code=[f"{IMPL}.PanPrivateHistogram", f"{SPEC}.state_and_output_law"],
    grid=EVENTS,
    subject=PanPrivateHistogram,
    twins={
        "no fresh noise": NO_FRESH_NOISE,
        "a register that saturates": SATURATING,
        "no noise before the events": but(
            PanPrivateHistogram, start=lambda self, coins: [0 * x for x in PanPrivateHistogram.start(self, coins)]
        ),
    },
)
def running_law(made: type[PanPrivateHistogram], case: Events) -> Iterator[Finding]:
    weights = _made(PanPrivateHistogram).table.weights
    whole = _whole(_made(made), case.stream)
    yield same_law(whole, spec.output_law(weights, weights, len(case.stream)), f"output, {case}")
    pairs = spec.state_and_output_law(weights, weights, case.at, len(case.stream) - case.at)
    expected: Pmf[Seen] = pairs.pushforward(lambda pair: ((pair[0],), (pair[1],)))
    yield same_law(_run(made, case), expected, f"state and output, {case}")


@own(
    "GK.pan.private",
    """The pair (state at one time, output) of the running code has the worst ratio of its table for one event more, before the
    intrusion or after it, which is at most the R of its claim.""",
    over="streams of up to 2 events against those with one more, every word of every draw; modulo 8, epsilon = 2/5, 8 bits",
    code=[f"{IMPL}.PanPrivateHistogram.claim"],
    grid=EVENTS,
    subject=PanPrivateHistogram,
    twins={"no fresh noise": NO_FRESH_NOISE, "a register that saturates": SATURATING},
)
def running_private(made: type[PanPrivateHistogram], case: Events) -> Iterator[Finding]:
    short, at = case.stream[:2], min(case.at, len(case.stream[:2]))
    law, mechanism = _run(made, Events(short, at)), _made(made)
    table, claimed = spec.cyclic_ratio(mechanism.table.weights), mechanism.claim().ratio or mpq(0)
    outputs = [_whole(mechanism, x) for x in (short, short + "a")]
    for p, q in (outputs, outputs[::-1]):
        yield at_most(max_ratio(p, q).value, claimed, "ratio of the outputs alone")
    for more in (Events(short + "a", at), Events("a" + short, at + 1)):
        other = _run(made, more)
        for found in (max_ratio(law, other), max_ratio(other, law)):
            shown = "infinite" if found.infinite else decimal(found.value, 6)
            within = not found.infinite and found.value == table <= claimed
            yield Finding(within, mpq(1), f"ratio {shown} of {decimal(claimed, 6)}, {case} against {more}")
