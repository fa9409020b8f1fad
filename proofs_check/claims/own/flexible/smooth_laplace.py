"""Smooth sensitivity with Laplace's tails: its exact delta, brute force below it, and the parameters of the experiments."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.checks import calibration
from finitedp.proofs_check.checks.calibration import base_below
from finitedp.proofs_check.claims.own.flexible.subjects import add_pairs, answer, level, worst_delta
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible import smooth_laplace as spec
from finitedp.spec.pmf import Pmf

Histogram = tuple[int, ...]
Tables = Sequence[Sequence[int]]
SPEC = "finitedp.spec.flexible.smooth_laplace"
FAST = "finitedp.proofs_check.checks.calibration"


class Levels(NamedTuple):
    """Bars, growth and width of the tables, their bits, and E."""

    bars: int
    growth: mpq
    width: mpq
    bits: int
    e: mpq

    @property
    def tables(self) -> list[tuple[int, ...]]:
        """One for each level."""
        return spec.tables(self.bars, self.growth, self.width, self.bits)

    @property
    def jumps(self) -> list[int]:
        """How far a row moves the answer at each level."""
        return spec.jumps(self.bars, self.growth)


Worst = Callable[[Tables, Sequence[int], mpq], mpq]


def _never_cut_off(found: Tables, changes: Sequence[int], e: mpq) -> mpq:
    """Answers in the middle alone, as if no output were cut off there."""
    bars = len(found[0])
    worst = mpq(0)
    for k, allowed in enumerate(changes):
        for shift in range(allowed + 1):
            p, q = (spec.law(min(bars - 1, bars // 2 + move), found[k]) for move in (0, shift))
            worst = max(worst, hockey_stick(p, q, e).delta)
    return worst


@own(
    "FD.Compare.smooth-laplace",
    """The delta of smooth sensitivity with Laplace's tails that 64-bit sums find is the one of its definition: the largest
    hockey-stick divergence over all answers, levels that differ by at most 1, and jumps that they allow.""",
    over="2 to 6 bars (9 in full), growth from 5/4 to 2; every pair of answers and levels",
    code=[f"{SPEC}.worst_delta", f"{SPEC}.law", f"{SPEC}.table", f"{SPEC}.tables", f"{FAST}.worst_delta"],
    grid=cases(
        Levels,
        [
            (2, mpq(2), mpq(1), 12, mpq(3, 2)),
            (5, mpq(2), mpq(1), 12, mpq(2)),
            (6, mpq(5, 4), mpq(3), 12, mpq(3, 2)),
            (6, mpq(3, 2), mpq(1, 2), 20, mpq(3)),
        ],
        [(9, mpq(9, 8), mpq(2), 16, mpq(3, 2)), (9, mpq(3, 2), mpq(1, 4), 8, mpq(2)), (7, mpq(6, 5), mpq(4), 48, mpq(9, 8))],
    ),
    subject=calibration.worst_delta,
    twins={
        "levels alone": lambda found, changes, e: max(
            calibration.worst_delta([found[k]], [jump], e) for k, jump in enumerate(changes)
        ),
        "answers in the middle": _never_cut_off,
        "jumps one short": lambda found, changes, e: calibration.worst_delta(found, [jump - 1 for jump in changes], e),
        "the square of E": lambda found, changes, e: calibration.worst_delta(found, changes, e * e),
    },
)
def exact_delta(fast: Worst, case: Levels) -> Finding:
    return equal(fast(case.tables, case.jumps, case.e), spec.worst_delta(case.tables, case.jumps, case.e), f"{case}")


class Asked(NamedTuple):
    """Bars, the most rows, and k of max_k (0 for the mode)."""

    bars: int
    rows: int
    k: int


SCALES = Levels(3, mpq(3, 2), mpq(1), 12, mpq(9, 4))


def _at(x: Histogram, k: int, found: Tables, step: int = 0, *, local: bool = False) -> Pmf[int]:
    """The answer with the noise of its level, or of another one."""
    return spec.law(answer(x, k), found[max(0, min(level(x, k, SCALES.growth, local=local), len(found) - 1) + step)])


@own(
    "FD.Compare.smooth-laplace.private",
    "The answer with Laplace noise of its level's scale is (ln E, worst_delta)-DP under adding or removing a row.",
    over="all histograms of three bars and 4 to 6 rows (four bars in full), growth 3/2, E = 9/4; every pair of neighbours",
    code=[f"{SPEC}.law", f"{SPEC}.worst_delta", "finitedp.spec.flexible.competitors.level"],
    grid=cases(Asked, [(3, 4, 1), (3, 5, 2), (3, 5, 0)], [(4, 5, 1), (4, 6, 2), (4, 5, 0)]),
    subject=_at,
    twins={
        "the local sensitivity alone": partial(_at, local=True),
        "the scale of a level below": partial(_at, step=-1),
        "one scale": lambda x, k, found: spec.law(answer(x, k), found[0]),
    },
)
def private(make: Callable[[Histogram, int, Tables], Pmf[int]], case: Asked) -> Finding:
    scales = SCALES._replace(bars=case.bars)
    found = scales.tables
    worst = worst_delta(lambda x: make(x, case.k, found), add_pairs(case.bars, case.rows), scales.e)
    return at_most(worst, spec.worst_delta(found, scales.jumps, scales.e), f"delta of {case}:")


class Real(NamedTuple):
    """Epsilon, at delta = 2^-20, and bars."""

    epsilon: mpq
    bars: int


DELTA = mpq(1, 2**20)
Parameters = Callable[[mpq, int, mpq, mpq], tuple[mpq, mpq]]


def _changed(power: int = 1, steps: int = 0) -> Parameters:
    """Another growth, or a width that is so many steps more."""

    def made(epsilon: mpq, bars: int, e: mpq, delta: mpq) -> tuple[mpq, mpq]:
        growth, width = calibration.smooth_laplace_parameters(epsilon, bars, e, delta)
        return growth**power, width + steps * calibration.SMALLEST_STEP

    return made


@own(
    "FD.Compare.smooth-laplace.real",
    """With the parameters of the experiments, the exact delta of smooth sensitivity with Laplace's tails is at most 2^-20 at a
    rational of at most e^epsilon, and above it with a width that is 1/16 less.""",
    over="epsilon = 1 with 30 bars (1/10, 1/4, 1/2 and 1 with 30, 100 and 300 bars in full); all answers and levels",
    code=[f"{FAST}.smooth_laplace_parameters", f"{FAST}.worst_delta"],
    grid=cases(
        Real,
        [(mpq(1), 30)],
        [*product((mpq(1, 10), mpq(1, 4), mpq(1, 2)), (30, 100, 300)), (mpq(1), 100), (mpq(1), 300)],
    ),
    subject=calibration.smooth_laplace_parameters,
    twins={"1/16 narrower": _changed(steps=-1), "growth^4": _changed(power=4), "1/16 wider": _changed(steps=1)},
)
def real(make: Parameters, case: Real) -> Finding:
    e = base_below(case.epsilon)
    growth, width = make(case.epsilon, case.bars, e, DELTA)
    changes, bits = spec.jumps(case.bars, growth), calibration.BITS_OF_LEVELS

    def delta(of_width: mpq, *, largest_jump_alone: bool) -> mpq:
        found = spec.tables(case.bars, growth, of_width, bits)
        return calibration.worst_delta(found, changes, e, largest_jump_alone=largest_jump_alone)

    less = width - calibration.SMALLEST_STEP  # where the largest jumps exceed delta already, no others are needed
    least = any(delta(less, largest_jump_alone=alone) > DELTA for alone in (True, False))
    narrower = Finding(least, mpq(1), f"a width of 1/16 less than {width} is not private")
    return all_of([at_most(delta(width, largest_jump_alone=False), DELTA, f"delta at {case}, width {width}:"), narrower])
