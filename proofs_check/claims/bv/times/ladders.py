"""What the time columns share: sizes of which one parameter grows, the work at each, and how a bound is compared with it.

The paper's bounds hide a constant and powers of logarithms. Along a ladder of sizes the counted work must grow no faster than
the bound times the cube of its own logarithm. That can fail, and a cost of a higher power does fail; it decides nothing about
larger sizes, so that these claims are measured and never verified.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.randomness.coins import Coins, SeededBits, StrictCoins
from finitedp.proofs_check.checks.bit_work import bit_work_of
from finitedp.proofs_check.ledger.entry import Finding, but
from finitedp.proofs_check.ledger.findings import in_turn

POWER = 3  # of the logarithm that the bound hides

COUNTED = """the bits of the widest integer at hand in every executed line of finitedp.impl, at several sizes that differ in n,
    |X|, 1/epsilon or 1/beta alone; seeded strict coins; construction included"""


def log(number: int) -> int:
    """ceil(log2(number + 1)), at least 1: the bits of a number."""
    return max(1, int(number).bit_length())


class Size(NamedTuple):
    """n rows, |X| = 2^log_size, epsilon = 1/q, and beta (or delta) = 1/r."""

    n: int
    log_size: int
    q: int
    r: int

    @property
    def size(self) -> int:
        """|X|."""
        return 1 << self.log_size

    @property
    def epsilon(self) -> mpq:
        """1/q."""
        return mpq(1, self.q)


class Ladder(NamedTuple):
    """A line of a figure, a first size, and the values of one parameter that grows from it."""

    line: str
    first: Size
    parameter: str
    values: tuple[int, ...]

    @property
    def sizes(self) -> list[Size]:
        """The sizes, in order."""
        return [self.first._replace(**{self.parameter: value}) for value in self.values]

    def __str__(self) -> str:
        n, log_size, q, r = self.first
        fixed = {"n": f"n={n}", "log_size": f"|X|=2^{log_size}", "q": f"epsilon=1/{q}", "r": f"1/{r}"}
        others = ", ".join(text for name, text in fixed.items() if name != self.parameter)
        return f"{self.line}: {self.parameter} = {', '.join(map(str, self.values))} at {others}"


def ladders(line: str, first: Size, **values: tuple[int, ...]) -> list[Ladder]:
    """A ladder for each parameter."""
    return [Ladder(line, first, parameter, of_parameter) for parameter, of_parameter in values.items()]


Run = Callable[[str, Size], Callable[[], object]]
"""By line and size, what is run: construction and one release, or one evaluation."""


def coins() -> Coins:
    """Strict coins on seeded bits."""
    return StrictCoins(SeededBits(1, not_private=True))


def reference(
    line: str, size: Size, geo: type[GeoSample] = GeoSample, fast: type[FastSample] = FastSample
) -> GeoSample | FastSample:
    """The counting mechanism of a line at a size, with gamma = 1/(2 r |X|); or a broken copy."""
    if line == "GeoSample":
        return geo(size.n, size.epsilon)
    return fast(size.n, size.epsilon, mpq(1, 2 * size.r * size.size))


def _scan(mechanism: GeoSample | FastSample, count: int, u: int) -> int:
    return next(z for z in range(mechanism.n + 1) if mechanism.cdf(count, z) >= u)


scanning = partial(reference, geo=but(GeoSample, apply=_scan), fast=but(FastSample, apply=_scan))
"""Broken: F is scanned from 0 on, one value after the other, where it should be searched."""


def grows_no_faster(run: Run, bound: Callable[[str, Size], int], case: Ladder, steps: int = 1) -> Finding:
    """Finds the work to grow no faster than the bound and the cube of its logarithm, from the first size to each other one.

    steps: by how much the work may grow beside, where it comes in steps of that factor.
    """

    def work(size: Size) -> int:
        run(case.line, size)()  # tables that the process keeps are made outside of what is counted
        return bit_work_of(run(case.line, size))

    def allowed(size: Size) -> int:
        most = bound(case.line, size)
        return int(most * log(most) ** POWER)

    def growth(size: Size) -> Finding:
        load = mpq(work(size) * first, smallest * allowed(size) * steps)
        return _growth(load, f"{case.parameter}={getattr(size, case.parameter)}")

    smallest, first = work(case.sizes[0]), allowed(case.sizes[0])
    return in_turn(map(growth, case.sizes[1:]))


def _growth(load: mpq, where: str) -> Finding:
    """The growth as a share of the bound's: in halves where it holds, since lines are counted differently by each Python."""
    if load > 1:
        return Finding(False, load, f"growth to {where} is {int(100 * load)} % of the bound's")
    halves = mpq(-(-2 * load.numerator // load.denominator), 2)
    return Finding(True, halves, f"growth at most {int(100 * halves)} % of the bound's")


def rows(size: Size) -> list[int]:
    """n rows of labels that are all different as far as the universe allows."""
    return [i % size.size for i in range(size.n)]
