"""What the checks of Section 7 compare: a bound, possibly with other constants, and what is measured, possibly broken."""

from collections.abc import Callable, Iterator
from itertools import product
from math import isqrt
from typing import NamedTuple

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.numbers import brief, decimal
from finitedp.proofs_check.claims.bv.lower_bounds.best import Best
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import Case, Measured, from_bins, measured
from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.findings import all_of
from finitedp.spec import lower_bounds as spec
from finitedp.spec.lower_bounds import LogRatio, LowerBound
from finitedp.spec.pmf import Pmf

HALF = mpq(1, 2)

Any = Case | Best
Measure = Callable[[Any], Measured]
Bound = Callable[[Measured, mpq, LogRatio, mpq], LowerBound]


@frozen
class Statement:
    """What is compared: the bound for a mechanism at beta, epsilon and delta, and what is measured of mechanisms."""

    bound: Bound
    measure: Measure = measured


def per_query_bound(found: Measured, beta: mpq, level: LogRatio, delta: mpq) -> LowerBound:
    """Theorem 7.1 i."""
    return spec.per_query_bound(found.n, beta, level, delta)


def simultaneous_bound(found: Measured, beta: mpq, level: LogRatio, delta: mpq) -> LowerBound:
    """Theorem 7.1 ii."""
    return spec.simultaneous_bound(found.size, found.n, beta, level, delta)


def sparse_bound(found: Measured, beta: mpq, level: LogRatio, delta: mpq) -> LowerBound:
    """Theorem 7.2."""
    return spec.sparse_bound(found.size, found.bins, found.n, beta, level, delta)


def changed(bound: Bound, *, target: mpq | int = 1, epsilon: int = 1, delta: mpq | int = 1) -> Statement:
    """The bound with other constants: `target` times its logarithm's argument, epsilon and delta divided by the others."""

    def other(found: Measured, beta: mpq, level: LogRatio, at: mpq) -> LowerBound:
        printed = bound(found, beta, level, at)
        return evolve(printed, target=printed.target * target, divisor=printed.divisor // epsilon, delta=printed.delta / delta)

    return Statement(other)


def half_of_epsilon(case: Any) -> Measured:
    """Broken: the epsilon of one bin is claimed, where a row moves two."""
    found = measured(case)
    roots = [(mpq(isqrt(int(r.numerator)), isqrt(int(r.denominator))), r, delta) for r, delta in found.levels]
    halves = [(root, delta) for root, r, delta in roots if root**2 == r]
    return evolve(found, levels=tuple(halves) or found.levels)


def exact_counts(case: Any) -> Measured:
    """Broken: the noise is forgotten."""
    if isinstance(case, Best):
        return measured(case)
    return from_bins(case, Pmf.point, measured(case).levels)


def median_error(case: Any) -> Measured:
    """Broken: the error that is exceeded half of the time is passed off as one that is never exceeded."""

    def never_below_half(miss: Callable[[int], mpq]) -> Callable[[int], mpq]:
        return lambda a: mpq(0) if miss(a) <= HALF else miss(a)

    found = measured(case)
    return evolve(found, per_query=never_below_half(found.per_query), simultaneous=never_below_half(found.simultaneous))


def one_bin(case: Any) -> Measured:
    """Broken: per-query accuracy is passed off as simultaneous."""
    return evolve(measured(case), simultaneous=measured(case).per_query)


def dense(case: Any) -> Measured:
    """Broken: a count for every label, passed off as at most n of them."""
    found = measured(case if isinstance(case, Best) else case._replace(kind="basic"))
    return evolve(found, bins=case.n)


def no_delta(case: Any) -> Measured:
    """Broken: its delta is left out."""
    return evolve(measured(case), levels=tuple((ratio, mpq(0)) for ratio, _ in measured(case).levels))


class Line(NamedTuple):
    """An error a with the least beta at which it is met, and the bound there. Only what can fail is a line: see lines_of."""

    a: int
    beta: mpq
    ratio: mpq
    bound: LowerBound

    @property
    def load(self) -> mpq:
        """E^(-(2a + 1) epsilon) over the larger of what beta and delta allow, rounded: it decides nothing, and 1 is tight."""
        power = 2 * self.a + 1
        by_beta = self.ratio ** (self.bound.divisor * power) / self.bound.target
        by_delta = 4 * self.bound.delta * self.ratio**power / log_bounds(self.ratio)[1]
        return 1 / max(by_beta, by_delta)

    def finding(self, what: str) -> Finding:
        """Whether the bound allows the error."""
        where = f"ratio {decimal(self.ratio)}, delta {decimal(self.bound.delta)}"
        detail = (
            f"{what} a={self.a} at the least beta {brief(self.beta)}, of which the bound asks {decimal(self.load, 3)}, {where}"
        )
        return Finding(self.bound.allows(self.a), self.load, detail)


def lines_of(found: Measured, miss: Callable[[int], mpq], bound: Bound, half: bool = False) -> Iterator[Line]:
    """The errors that can fail: below n/2, which the third term allows every mechanism, and at a beta of the stated range."""
    for (ratio, delta), a in product(found.levels, range((found.n + 1) // 2)):
        # for an error that is never exceeded, a beta so small that the first logarithm of no bound is the least
        beta = miss(a) or 1 / (64 * found.bins * ratio ** (4 * a + 4))
        if beta < HALF or (half and beta == HALF):
            yield Line(a, beta, ratio, bound(found, beta, LogRatio(ratio), delta))


def compared(what: str, stated: Statement, case: Any) -> Finding:
    """Finds each error ("per query", "simultaneous", or "sparse" at beta = 1/2 too) to be at least its bound.

    A test guards that every instance has an error that could be too small.
    """
    found = stated.measure(case)
    miss = found.simultaneous if what == "simultaneous" else found.per_query
    findings = [line.finding(what) for line in lines_of(found, miss, stated.bound, half=what == "sparse")]
    worst = all_of(findings or [Finding(True, mpq(0), what)])
    return evolve(worst, detail=f"{worst.detail}; {len(findings)} errors that could be too small")


def packed(where: str, rows: int, lost: mpq, share: mpq, ratio: mpq, delta: mpq) -> list[Finding]:
    """Finds e^(-rows epsilon) (1 - lost) <= share + delta/epsilon, ratio = e^epsilon; nothing where all is lost."""
    if lost >= 1:
        return []
    holds = spec.packing_holds(rows, lost, share, LogRatio(ratio), delta)
    # the left side over the right side, rounded, since the logarithm is: it decides nothing
    right = share + delta / log_bounds(ratio)[1]
    load = (1 - lost) / ratio**rows / right if right else mpq(0 if holds else 2)
    return [Finding(holds, load, f"{where} ratio {decimal(ratio)}, delta {decimal(delta)}")]
