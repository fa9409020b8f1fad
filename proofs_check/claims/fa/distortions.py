"""Definition 2 and Appendices I and K of the paper on flexible accuracy: dropping rows, moving them, both, random inputs."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.subjects import POINTS, masses, small_histograms
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal
from finitedp.spec.flexible import distortion as spec
from finitedp.spec.flexible.flows import largest_flow
from finitedp.spec.flexible.literal import Histogram, coupling_of_drops, integral
from finitedp.spec.flexible.lossy_wasserstein import absolute
from finitedp.spec.pmf import Pmf

Value = mpq | None
SPEC = "finitedp.spec.flexible.distortion"


class Rows(NamedTuple):
    """A histogram on POINTS, how many rows the others have at most, and eta."""

    x: Histogram
    items: int
    eta: mpq


ETAS = (mpq(1, 10), mpq(1, 2), mpq(2))
TRIPLES = Cases(
    lambda: [Rows(x, 3, eta) for x in small_histograms(3, 3)[::3] for eta in ETAS],
    lambda: [Rows(x, 3, eta) for x in small_histograms(3, 3) for eta in ETAS],
)


@cache
def _drmv(x: Histogram, y: Histogram, eta: mpq) -> Value:
    return spec.drmv(x, y, eta, POINTS, absolute)


@cache
def _move(x: Histogram, y: Histogram) -> Value:
    return spec.move(x, y, POINTS, absolute)


def _plus(first: Value, second: Value) -> Value:
    return None if first is None or second is None else first + second


def _larger(first: Value, second: Value) -> Value:
    return None if first is None or second is None else max(first, second)


def _beyond(found: Value, allowed: Value) -> bool:
    """Whether found > allowed, None being infinite."""
    return allowed is not None and (found is None or found > allowed)


def _moved_share(x: Histogram, y: Histogram, eta: mpq) -> Value:
    """Moves of the rows in place: what lies above y is dropped, and only the rest may move."""
    stay = tuple(min(a, b) for a, b in zip(x, y, strict=True))
    moved = _drmv(tuple(a - s for a, s in zip(x, stay, strict=True)), tuple(b - s for b, s in zip(y, stay, strict=True)), eta)
    whole = _drmv(x, y, eta)
    if moved is None or whole is None or sum(x) == sum(stay):
        return whole
    kept = mpq(sum(x) - sum(stay), sum(x))
    return moved * kept


@entry(
    "FA.Def2",
    "definition",
    """Distortions: drop(x, y) = 1 - |y|/|x| where y <= x, move(x, y) the farthest that a row moves where |x| = |y|, and drmv
    the least of drop(x, z) + eta move(z, y), which is 1 - |y|/|x| + eta b for the least b with which rows of x can fill y.""",
    over="histograms of at most 3 rows on three points of a line; eta = 1/10, 1/2, 2; against the infimum over all z",
    code=[f"{SPEC}.drmv", f"{SPEC}.drmv_literal", f"{SPEC}.drop", f"{SPEC}.move"],
    grid=TRIPLES,
    subject=_drmv,
    twins={
        "share of |y|": lambda x, y, eta: None if (d := _drmv(x, y, eta)) is None else d * (sum(x) or 1) / (sum(y) or 1),
        "common rows stay": _moved_share,
        "eta left out": lambda x, y, _eta: _drmv(x, y, mpq(1)),
    },
)
def drop_and_move(value: Callable[[Histogram, Histogram, mpq], Value], case: Rows) -> Finding:
    others = small_histograms(3, case.items)
    return all_of(
        [
            equal(value(case.x, y, case.eta), spec.drmv_literal(case.x, y, case.eta, POINTS, absolute), f"{case.x} to {y}")
            for y in others
        ]
    )


FOUR: tuple[Histogram, ...] = ((2, 1), (1, 1), (2, 0), (1, 0))


class Inputs(NamedTuple):
    """The weights of a law on FOUR."""

    weights: tuple[int, ...]

    def pairs(self) -> Iterator["Lifted"]:
        """It, beside all laws of the same denominator."""
        return (Lifted(self.weights, q) for q in masses(sum(self.weights), len(FOUR)))


class Lifted(NamedTuple):
    """Two laws on FOUR, as weights of one sum."""

    p: tuple[int, ...]
    q: tuple[int, ...]

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        in_scope(len(self.p) == len(self.q) == len(FOUR) and min(*self.p, *self.q) >= 0, "a weight for each histogram")
        in_scope(sum(self.p) == sum(self.q) > 0, "laws of the same denominator")


RANDOM = Cases(lambda: [Inputs(w) for w in masses(2, 4)], lambda: [Inputs(w) for w in masses(3, 4)])


def _law(weights: tuple[int, ...]) -> Pmf[Histogram]:
    return Pmf(dict(zip(FOUR, weights, strict=True)))


@cache
def _lift(p: tuple[int, ...], q: tuple[int, ...]) -> Value:
    return spec.lift(_law(p), _law(q), spec.drop).value


@cache
def _lift_by_listing(p: tuple[int, ...], q: tuple[int, ...]) -> Value:
    best = list[mpq]()
    for phi in product(*(masses(row, len(q)) for row in p)):
        if tuple(map(sum, zip(*phi, strict=True))) == q:
            used = [spec.drop(FOUR[i], FOUR[j]) for i, row in enumerate(phi) for j, mass in enumerate(row) if mass]
            if None not in used:
                best.append(max(d for d in used if d is not None))
    return min(best, default=None)


@entry(
    "FA.Def2.lift",
    "definition",
    """The distortion of a random input to a random one is the least, over their couplings, of the largest distortion of a
    pair.""",
    over="all laws on four histograms in halves (thirds in full) with the distortion drop; against all couplings by listing",
    code=[f"{SPEC}.lift"],
    grid=RANDOM,
    subject=_lift,
    twins={
        "the other direction": lambda p, q: _lift(q, p),
        "of the supports alone": lambda p, q: None if _lift(p, q) is None else mpq(0),
    },
)
@over(Inputs.pairs)
def random_inputs(value: Callable[[tuple[int, ...], tuple[int, ...]], Value], case: Lifted) -> Finding:
    return equal(value(*case), _lift_by_listing(*case), f"{case.p} to {case.q}")


Join = Callable[[Value, Value], Value]


@entry(
    "FA.Lem13",
    "lemma",
    "If a distortion is a quasi-metric, so is its lift to laws: 0 only between equal laws, and the triangle inequality.",
    over="as Definition 2's lift; all triples of laws",
    code=[f"{SPEC}.lift"],
    grid=RANDOM,
    subject=_plus,
    twins={"the larger of the two": _larger, "half of the sum": lambda a, b: None if (s := _plus(a, b)) is None else s / 2},
)
def lift_is_quasi_metric(join: Join, case: Inputs) -> Finding:
    p, others = case.weights, masses(sum(case.weights), 4)
    findings = [equal(_lift(p, q) == 0, p == q, f"distortion 0 of {p} and {q}") for q in others]
    for q, r in product(others, repeat=2):
        if _beyond(_lift(p, r), join(_lift(p, q), _lift(q, r))):
            findings.append(Finding(False, mpq(2), f"{p} to {r} by {q}"))
    return all_of(findings)


@entry(
    "FA.Def2.drop",
    "definition",
    "The distortion drop is a quasi-metric (of nothing from nothing it is 0); it is not symmetric.",
    over="all triples of histograms of at most 3 rows on three points",
    code=[f"{SPEC}.drop"],
    grid=TRIPLES,
    subject=_plus,
    twins={"the larger of the two": _larger},
)
def drop_is_quasi_metric(join: Join, case: Rows) -> Finding:
    return _quasi_metric(spec.drop, join, case, symmetric=False)


@entry(
    "FA.Claim11",
    "lemma",
    "The distortion move is a metric: symmetric as well.",
    over="all triples of histograms of at most 3 rows on three points",
    code=[f"{SPEC}.move"],
    grid=TRIPLES,
    subject=_plus,
    twins={"the larger of the two": _larger},
)
def move_is_metric(join: Join, case: Rows) -> Finding:
    return _quasi_metric(_move, join, case, symmetric=True)


WITHOUT_ETA = Cases(
    lambda: [Rows(x, 3, mpq(0)) for x in ((0, 0, 1), (1, 1, 1))],
    lambda: [Rows(x, 3, mpq(0)) for x in small_histograms(3, 3)],
)


@erratum(
    "FA.Claim12",
    "For all eta >= 0, drmv is a quasi-metric.",
    """Claim 12 without its edge case: for all eta > 0 drmv is a quasi-metric. At eta = 0 moving costs nothing: drmv is 0
    between different histograms of one size.""",
    subject=_plus,
    twins={"the larger of the two": _larger},
    printed_grid=WITHOUT_ETA,
    printed_over="eta = 0",
    kind="lemma",
    over="all triples of histograms of at most 3 rows on three points; eta = 1/10, 1/2, 2",
    code=[f"{SPEC}.drmv"],
    grid=TRIPLES,
)
def drmv_is_quasi_metric(join: Join, case: Rows) -> Finding:
    return _quasi_metric(lambda x, y: _drmv(x, y, case.eta), join, case, symmetric=False)


def _quasi_metric(value: Callable[[Histogram, Histogram], Value], join: Join, case: Rows, *, symmetric: bool) -> Finding:
    x, others = case.x, small_histograms(3, case.items)
    findings = [equal(value(x, y) == 0, x == y, f"0 between {x} and {y}") for y in others]
    if symmetric:
        findings += [equal(value(x, y), value(y, x), f"{x} and {y}, both ways") for y in others]
    for y, z in product(others, repeat=2):
        if _beyond(value(x, z), join(value(x, y), value(y, z))):
            findings.append(Finding(False, mpq(2), f"{x} to {z} by {y}"))
    return all_of(findings)


# Lemma 12: first moved, then dropped, is first dropped, then moved


def _flow(x: Histogram, z: Histogram) -> Mapping[tuple[int, int], int]:
    """An integral coupling of two histograms of one size that moves no row farther than it must."""
    b = _move(x, z)
    near = [sum(1 << j for j, h in enumerate(POINTS) if b is not None and abs(g - h) <= b) for g in POINTS]
    return largest_flow(x, z, near)[0]


def _by_fractions(x: Histogram, z: Histogram, y: Histogram) -> list[mpq]:
    """|y| times the first marginal of (40)."""
    phi = coupling_of_drops(y, z, {pair: mpq(f, sum(x)) for pair, f in _flow(x, z).items()})
    return [sum(y) * sum((m for (g, _), m in phi.items() if g == point), mpq(0)) for point in range(len(x))]


def _by_rows(x: Histogram, z: Histogram, y: Histogram) -> list[mpq]:
    """Row by row: of those that moved to a point, as many stay as y has there, whichever they are."""
    left, s = list(y), [0] * len(x)
    for (g, h), f in sorted(_flow(x, z).items()):
        kept = min(f, left[h])
        left[h], s[g] = left[h] - kept, s[g] + kept
    return [mpq(count) for count in s]


def _first_rows(x: Histogram, _z: Histogram, y: Histogram) -> list[mpq]:
    """The first |y| rows of x, wherever they went."""
    left, s = sum(y), list[mpq]()
    for count in x:
        s.append(mpq(min(count, left)))
        left -= min(count, left)
    return s


MOVED = cases(Rows, [(x, 3, mpq(1)) for x in small_histograms(3, 3)[1:]], [((2, 1, 1), 4, mpq(1)), ((2, 0, 2), 4, mpq(1))])


@entry(
    "FA.Lem12",
    "lemma",
    "Lemma 12: if move(x, z) = a1 and drop(z, y) = a2 < 1, there is a histogram s with drop(x, s) = a2 and move(s, y) <= a1.",
    over="all x and z of at most 3 rows (4 in full) on three points, all y <= z with a row; s by an integral coupling",
    code=[f"{SPEC}.move", f"{SPEC}.drop"],
    grid=MOVED,
    subject=_by_rows,
    twins={"the first rows of x": _first_rows},
)
@erratum(
    "FA.Lem12.proof",
    """Proof of Lemma 12: where move(x, z) = a1 and drop(z, y) = a2 < 1, the s with |s| = |y| whose shares are the first
    marginal of (40) is a histogram with drop(x, s) = a2 and move(s, y) <= a1.""",
    """Corrected: where move(x, z) = a1 and drop(z, y) = a2 < 1, the s that keeps, row by row of an integral coupling of x and
    z, as many of the rows that moved to a point as y has there is a histogram with drop(x, s) = a2 and move(s, y) <= a1. (40)
    keeps half of each of two rows that moved to one point, where y has one of them.""",
    as_printed=("(40)", _by_fractions),
    subject=_by_rows,
    twins={"the first rows of x": _first_rows},
    over="all x and z of at most 3 rows (4 in full) on three points, all y <= z with a row",
    code=["finitedp.spec.flexible.literal.coupling_of_drops", f"{SPEC}.move", f"{SPEC}.drop"],
    grid=MOVED,
)
def dropped_first(make: Callable[[Histogram, Histogram, Histogram], list[mpq]], case: Rows) -> Finding:
    findings = list[Finding]()
    for z in (z for z in small_histograms(3, case.items) if sum(z) == sum(case.x)):
        a1 = _move(case.x, z)
        for y in (y for y in spec.sub_histograms(z) if sum(y)):
            made = make(case.x, z, y)
            findings.append(equal(integral(made), True, f"{case.x} to {z} to {y} by {made}: a histogram"))
            if integral(made):
                s = tuple(int(count) for count in made)
                found: Any = spec.drop(case.x, s)
                findings.append(equal(found, spec.drop(z, y), f"{case.x} to {z} to {y}: drop(x, s)"))
                findings.append(equal(_beyond(_move(s, y), a1), False, f"{case.x} to {z} to {y}: move(s, y) beyond a1"))
    return all_of(findings)
