"""The choosing mechanism of Beimel, Nissim and Stemmer on integer tables: its exact delta, its law, its real parameters."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.impl.flexible.tables import ShiftedTable, least_q, shifted_table
from finitedp.proofs_check.checks.choosing import BITS, Choosing, parameters
from finitedp.proofs_check.claims.fa.subjects import small_histograms
from finitedp.proofs_check.claims.own.flexible.subjects import add_pairs, worst_delta
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, own, same_law
from finitedp.spec.flexible import choosing as spec
from finitedp.spec.flexible import competitors
from finitedp.spec.flexible.statistics import max_k
from finitedp.spec.pmf import Pmf

Histogram = tuple[int, ...]
Weights = tuple[int, ...]
SPEC = "finitedp.spec.flexible.choosing"


class Chosen(NamedTuple):
    """q, bits and epsilon of the gate's table, rho, and bars."""

    q: int
    bits: int
    epsilon: mpq
    base: mpq
    bars: int


ONE_CHOICE = cases(
    Chosen,
    [
        (4, 6, mpq(1), mpq(2), 3),  # a bar of one row beside a high one has the largest delta
        (3, 6, mpq(1), mpq(3, 2), 2),
        (5, 8, mpq(1, 2), mpq(5, 4), 2),
        (7, 6, mpq(1, 2), mpq(4), 2),  # the first row at all has it: rho is large
    ],
    [
        (4, 6, mpq(1), mpq(9, 8), 4),
        (6, 8, mpq(1), mpq(2), 3),
        (7, 6, mpq(1, 2), mpq(1025, 1024), 3),
        (2, 4, mpq(2), mpq(3), 3),
    ],
)

Choice = Callable[[Histogram, Weights, mpq], Pmf[int | None]]


def _gated(through: Callable[[Histogram], int | None], sign: int = 1, *, empty: bool = False) -> Choice:
    """Broken: another gate (None: open where there are rows), weights of another sign, or of empty bars too."""

    def choice(x: Histogram, gate: Weights, base: mpq) -> Pmf[int | None]:
        rows = through(x)
        passed = mpq(1 if sum(x) else 0) if rows is None else spec.passed(gate, rows)
        listed = enumerate(competitors.choice_weights(tuple(sign * count for count in x), base))
        weights = {i: weight for i, weight in listed if empty or x[i]}
        if not passed or not any(weights.values()):
            return Pmf.point(None)
        share = passed / sum(weights.values())
        return Pmf.from_probabilities({None: 1 - passed} | {i: share * weight for i, weight in weights.items()})

    return choice


@own(
    "FD.Compare.choosing",
    """One choice, an occupied bar with a weight of rho^count if J is below the largest count, is (ln(R rho), delta)-DP under
    adding or removing a row with delta = one_choice_delta, and with no smaller delta at R rho.""",
    over="all histograms of two or three bars (four in full) and q + 2 rows, small tables; every pair of neighbours",
    code=[f"{SPEC}.one_choice", f"{SPEC}.one_choice_delta", f"{SPEC}.passed"],
    grid=ONE_CHOICE,
    subject=spec.one_choice,
    twins={
        "J <= max": _gated(lambda x: max(x) + 1),
        "empty bars too": _gated(max, empty=True),
        "weights of the wrong sign": _gated(max, sign=-1),
        "a gate on all rows": _gated(sum),
        "no gate": _gated(lambda x: None),
        "rho^2": lambda x, gate, base: spec.one_choice(x, gate, base**2),
    },
)
def one_choice(make: Choice, case: Chosen) -> Finding:
    table = shifted_table(case.q, case.epsilon, case.bits)
    worst = worst_delta(lambda x: make(x, table.weights, case.base), add_pairs(case.bars, case.q + 2), table.ratio * case.base)
    return equal(worst, spec.one_choice_delta(table.weights, case.base), f"delta with the gate {table.weights}")


class Rounds(NamedTuple):
    """Rounds, bars and rows; q and epsilon of the gate (12 bits), rho, epsilon of the heights (20 bits)."""

    rounds: int
    bars: int
    rows: int
    q: int
    gate: mpq
    base: mpq
    heights: mpq

    @property
    def table(self) -> ShiftedTable:
        """Of the gate."""
        return shifted_table(self.q, self.gate, 12)

    @property
    def noise(self) -> tuple[Pmf[int], mpq]:
        """Of the heights, and its ratio for a row."""
        table = dyadic_table(self.rows, 2 * self.heights, 20)
        return Pmf({sign * j: table.weight(j) for j in range(self.rows + 1) for sign in (-1, 1)}), table.ratio


MANY = cases(
    Rounds,
    [(2, 2, 4, 3, mpq(1), mpq(3, 2), mpq(1)), (2, 2, 7, 6, mpq(2), mpq(8), mpq(10))],
    [(3, 3, 4, 3, mpq(1), mpq(2), mpq(1)), (2, 3, 5, 4, mpq(1, 2), mpq(5, 4), mpq(1, 2))],
)


def _told(i: int | None, height: Pmf[int], later: Pmf[spec.Points]) -> Pmf[spec.Points]:
    """The bar of a round with its noisy height, and what later rounds tell; nothing where the gate is closed."""
    if i is None:
        return Pmf.point(())
    place = i
    return height.then(lambda told: later.pushforward(lambda rest: ((place, told), *rest)))


def _again(x: Histogram, gate: Weights, base: mpq, noise: Pmf[int], rounds: int, most: int) -> Pmf[spec.Points]:
    """With replacement: a bar that was chosen stays, and its height may be told again."""
    if not rounds:
        return Pmf.point(())
    later = _again(x, gate, base, noise, rounds - 1, most)
    return spec.one_choice(x, gate, base).then(lambda i: _told(i, noise.shifted(x[i or 0]).clamped(0, most), later))


def _gate_once(x: Histogram, gate: Weights, base: mpq, noise: Pmf[int], rounds: int, most: int) -> Pmf[spec.Points]:
    """The gate is asked in the first round alone."""

    def told(i: int | None) -> Pmf[spec.Points]:
        left = tuple(0 if j == i else count for j, count in enumerate(x))
        later = spec.points(left, (1,), base, noise, rounds - 1, most)
        return _told(i, noise.shifted(x[i or 0]).clamped(0, most), later)

    return spec.one_choice(x, gate, base).then(told)


@own(
    "FD.Compare.choosing.points",
    """So many choices without replacement, each with the noisy height of its bar, are private with rounds times epsilon and
    delta of a choice, and with ln R' more for the heights: a row changes one of them, which is told once.""",
    over="all histograms of two or three bars and 4 to 7 rows; two rounds (three in full); every pair of neighbours",
    code=[f"{SPEC}.points"],
    grid=MANY,
    subject=spec.points,
    twins={
        "with replacement": _again,
        "true heights": lambda x, gate, base, _noise, rounds, most: spec.points(x, gate, base, Pmf.point(0), rounds, most),
        "one gate for all rounds": _gate_once,
    },
)
def several(make: Callable[[Histogram, Weights, mpq, Pmf[int], int, int], Pmf[spec.Points]], case: Rounds) -> Finding:
    noise, ratio = case.noise
    e = (case.table.ratio * case.base) ** case.rounds * ratio
    allowed = case.rounds * spec.one_choice_delta(case.table.weights, case.base)

    def law(x: Histogram) -> Pmf[spec.Points]:
        return make(x, case.table.weights, case.base, noise, case.rounds, case.rows)

    worst = worst_delta(law, add_pairs(case.bars, case.rows), e)
    return at_most(worst, allowed, f"delta of {case.rounds} rounds:")


@own(
    "FD.Compare.choosing.law",
    """max_k of the chosen bars, the last one with a noisy height of at least k, has the law of law_of_max_k, which goes by how
    many bars of each height are chosen.""",
    over="all histograms of two or three bars and 4 or 5 rows, k up to 3; two rounds (three in full)",
    code=[f"{SPEC}.law_of_max_k", f"{SPEC}.chosen_counts", f"{SPEC}.answer_of_max_k"],
    grid=cases(
        Rounds,
        [(2, 3, 4, 3, mpq(1), mpq(3, 2), mpq(1))],
        [(3, 4, 4, 3, mpq(1), mpq(2), mpq(1)), (2, 3, 5, 4, mpq(1, 2), mpq(5, 4), mpq(1, 2))],
    ),
    subject=spec.law_of_max_k,
    twins={
        "more than k": lambda x, gate, base, noise, rounds, k: spec.law_of_max_k(x, gate, base, noise, rounds, k + 1),
        "with replacement": lambda x, gate, base, noise, rounds, k: _again(
            x, gate, base, noise, rounds, max(noise)
        ).pushforward(lambda told: spec.answer_of_max_k(told, k)),
        "a round more": lambda x, gate, base, noise, rounds, k: spec.law_of_max_k(x, gate, base, noise, rounds + 1, k),
    },
)
def last_of_chosen(make: Callable[[Histogram, Weights, mpq, Pmf[int], int, int], Pmf[int]], case: Rounds) -> Iterator[Finding]:
    noise, _ = case.noise
    weights = case.table.weights
    for x in small_histograms(case.bars, case.rows)[::2]:
        told = spec.points(x, weights, case.base, noise, case.rounds, case.rows)
        noisy = told.pushforward(lambda points: _noisy(points, case.bars))
        for k in (1, 2, 3):
            expected = noisy.pushforward(partial(max_k, k=k))
            found = make(x, weights, case.base, noise, case.rounds, k)
            yield same_law(found, expected, f"max_{k} of {x}")


def _noisy(points: spec.Points, bars: int) -> Histogram:
    """The histogram that is told: 0 of bars that were not chosen."""
    heights = dict(points)
    return tuple(heights.get(i, 0) for i in range(bars))


class Real(NamedTuple):
    """Epsilon at delta = 2^-20, and what is asked: max_k, with heights, or the mode, by one choice."""

    epsilon: mpq
    heights: bool


MOST, DELTA = 2047, mpq(1, 2**20)


def _gate_alone(epsilon: mpq, delta: mpq, *, heights: bool) -> Choosing:
    """The gate that is private by itself, without a thought of the bar of one row."""
    found = parameters(epsilon, delta, heights=heights)
    each = (epsilon - found.heights) / (2 * found.rounds)
    return found._replace(gate=shifted_table(least_q(each, delta / found.rounds, BITS), each, BITS))


def _a_round_unpaid(epsilon: mpq, delta: mpq, *, heights: bool) -> Choosing:
    """One round more, with the parameters of the rounds before."""
    found = parameters(epsilon, delta, heights=heights)
    return found._replace(rounds=found.rounds + 1)


@own(
    "FD.Compare.choosing.real",
    """With the parameters of the experiments, rounds times the exact delta of a choice is at most 2^-20, (R rho)^rounds R' is
    at most e^epsilon, and a gate that is one shorter has a larger delta.""",
    over="epsilon = 1/10, 1/4, 1/2 and 1 (1/4 and 1 in the quick grid); max_k and the mode; counts up to 2047",
    code=["finitedp.proofs_check.checks.choosing.parameters"],
    grid=cases(Real, product((mpq(1, 4), mpq(1)), (True, False)), product((mpq(1, 10), mpq(1, 2)), (True, False))),
    subject=parameters,
    twins={"the delta of the gate alone": _gate_alone, "a round more than paid for": _a_round_unpaid},
)
def real(make: Callable[..., Choosing], case: Real) -> Iterator[Finding]:
    found = make(case.epsilon, DELTA, heights=case.heights)
    each = found.gate.epsilon
    shorter = found._replace(gate=shifted_table(found.gate.q - 1, each, BITS))
    least = shorter.delta > DELTA
    yield at_most(found.delta, DELTA, f"delta with q = {found.gate.q}:")
    yield Finding(compare_exp(found.ratio(MOST), case.epsilon) <= 0, mpq(1), f"ratio at epsilon = {case.epsilon}")
    yield Finding(least, mpq(1), f"a gate of {found.gate.q - 1} is not private")
