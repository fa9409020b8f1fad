"""What the paper on flexible accuracy says in footnotes, equations and proofs, beside its numbered statements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, pairwise, permutations, product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp, exp_bounds, log_bounds
from finitedp.proofs_check.claims.fa.subjects import POINTS, SCALES, small_histograms
from finitedp.proofs_check.ledger.entry import AS_READ, Cases, Finding, cases, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, in_turn
from finitedp.spec.flexible import accuracy, distortion, statistics
from finitedp.spec.flexible.literal import Histogram, Scale, bucket_by_centres, truncated_cdf
from finitedp.spec.flexible.lossy_wasserstein import absolute

STATISTICS = "finitedp.spec.flexible.statistics"
LITERAL = "finitedp.spec.flexible.literal"
HALF = mpq(1, 2)

# Sections 1 and 3


class Databases(NamedTuple):
    """All databases of so many entries in 0, 1, ..., B."""

    entries: int
    top: int


@entry(
    "FA.Fn3",
    "lemma",
    """Footnotes 1 and 3: where one entry is replaced, the sensitivity of the maximum over databases of n >= 1 entries in
    [0, B] is B; and at a database of maximum m the local one is at least B - m.""",
    over="all databases of integers, each entry replaced by each other",
    code=[f"{STATISTICS}.maximum"],
    grid=cases(Databases, [(1, 3), (2, 4), (3, 3)], [(4, 5), (3, 9)]),
    subject=statistics.maximum,
    twins={"the minimum": statistics.minimum, "at least two rows": lambda x: statistics.max_k(x, 2)},
)
def maximum_is_sensitive(statistic: Callable[[Histogram], int], case: Databases) -> Finding:
    bars = range(case.top + 1)

    def value(rows: Sequence[int]) -> int:
        return statistic(tuple(rows.count(b) for b in bars))

    def local(rows: tuple[int, ...]) -> int:
        return max(abs(value(rows) - value((*rows[:i], b, *rows[i + 1 :]))) for i in range(case.entries) for b in bars)

    known = {rows: local(rows) for rows in combinations_with_replacement(bars, case.entries)}
    found = [equal(max(known.values()), case.top, f"sensitivity, {case}")]
    found += [at_most(case.top - max(rows), at, f"B - m at {rows}:") for rows, at in known.items()]
    return all_of(found)


class Accuracy(NamedTuple):
    """The sensitivity, epsilon and gamma."""

    sensitivity: mpq
    epsilon: mpq
    gamma: mpq


@entry(
    "FA.Sec3.laplace",
    "lemma",
    """Section 3: the Laplace mechanism of scale b = sensitivity/epsilon is (0, b ln(1/gamma), gamma)-accurate for every
    gamma in (0, 1], and no smaller beta will do: its error is above t with probability e^(-t/b), and what is (0, beta,
    gamma)-accurate says FA.Lem6.""",
    over="sensitivities, epsilon and gamma on the grid; beta within 2^-60 to both sides",
    code=["finitedp.exact.compare_exp"],
    grid=cases(
        Accuracy,
        product((mpq(1), mpq(3)), (mpq(1, 10), mpq(1), mpq(2)), (HALF, mpq(1, 100))),
        [(mpq(10), mpq(1, 1000), mpq(1, 10**9)), (mpq(1), mpq(1), mpq(999, 1000)), (mpq(1), mpq(1), mpq(1))],
    ),
    subject=lambda d, e, gamma: tuple(d / e * x for x in log_bounds(1 / gamma)),
    twins={
        "epsilon left out": lambda d, _e, gamma: tuple(d * x for x in log_bounds(1 / gamma)),
        "ln(2/gamma)": lambda d, e, gamma: tuple(d / e * x for x in log_bounds(2 / gamma)),
    },
)
def laplace_is_accurate(beta: Callable[[mpq, mpq, mpq], tuple[mpq, mpq]], case: Accuracy) -> Finding:
    rate = case.epsilon / case.sensitivity
    low, high = beta(*case)
    enough = compare_exp(case.gamma, -high * rate) >= 0
    needed = compare_exp(case.gamma, -low * rate) <= 0
    return equal((enough, needed), (True, True), f"(enough, needed) at {case}")


class Circle(NamedTuple):
    """Points 0, ..., m - 1 on a circle, at most so many rows, and by how many steps a half is rotated."""

    points: int
    rows: int
    steps: int


def _moved(x: Histogram, steps: int) -> Histogram:
    """Every row moved back."""
    return tuple(x[(i + steps) % len(x)] for i in range(len(x)))


@entry(
    "FA.AppB.rotation",
    "lemma",
    """Appendix B: what a half-circle rotated by psi counts is what the half-circle counts of rows that are moved by at
    most psi: a perturbation of the half-space is a distortion of the data, in the sense of move.""",
    over="equidistant points on a circle, all histograms with at most as many rows as the grid says",
    code=["finitedp.spec.flexible.distortion.move"],
    grid=cases(Circle, [(4, 3, 1), (5, 2, 2), (6, 2, 1)], [(6, 3, 2), (8, 2, 3)]),
    subject=_moved,
    twins={
        "reflected": lambda x, steps: tuple(x[(steps - i) % len(x)] for i in range(len(x))),
        "not moved": lambda x, _steps: x,
    },
)
def rotated(change: Callable[[Histogram, int], Histogram], case: Circle) -> Finding:
    m, half = case.points, case.points // 2

    def around(a: int, b: int) -> mpq:
        return mpq(min((a - b) % m, (b - a) % m))

    def findings() -> Iterator[Finding]:
        for x in small_histograms(m, case.rows):
            y = change(x, case.steps)
            counted = sum(x[(i + case.steps) % m] for i in range(half))
            yield equal(sum(y[:half]), counted, f"count of {x}")
            moved = distortion.move(x, y, range(m), around)
            yield equal(moved is not None and moved <= case.steps, True, f"{x} moved to {y}")

    return in_turn(findings())


# Section 4


def _downward(x: int, y: int) -> mpq | None:
    return mpq(x - y) if y <= x else None


Bijection = dict[int, int]


def _bijections(points: tuple[int, ...]) -> list[Bijection]:
    return [dict(zip(points, to, strict=True)) for to in permutations(points)]


@entry(
    "FA.Eq6",
    "lemma",
    """(6) and (17): for a bijection f the distortion sensitivity at alpha is the largest distortion of x to f^-1(y), over
    x and y with f(x) within alpha of y.""",
    over="all bijections of three points (four in full), with a quasi-metric and with the line's metric; alpha = 0..3",
    code=["finitedp.spec.flexible.accuracy.distortion_sensitivity"],
    grid=Cases(lambda: _bijections(POINTS), lambda: _bijections((0, 1, 3, 4))),
    subject=lambda f: {y: x for x, y in f.items()},
    twins={"f for its inverse": lambda f: f, "the identity": lambda f: {x: x for x in f}},
)
def of_bijections(inverse: Callable[[Bijection], Bijection], f: Bijection) -> Finding:
    back, findings = inverse(f), list[Finding]()
    for distance, alpha in product((_downward, absolute), range(4)):
        near = [(x, y) for x, y in product(f, repeat=2) if (d := distance(f[x], y)) is not None and d <= alpha]
        costs = [distance(x, back[y]) for x, y in near]
        formula = None if None in costs else max(c for c in costs if c is not None)
        found = accuracy.distortion_sensitivity(lambda x: f[x], tuple(f), tuple(f), distance, distance, alpha)
        findings.append(equal(formula, found, f"sigma({alpha}) of {f}"))
    return all_of(findings)


# Appendices F and G


@entry(
    "FA.Cor1.proof",
    "lemma",
    """Corollary 1's proof: (1 - y)/(1/y - 1) = y for y = e^(-epsilon tau/2), so that at nu = 0 Lemma 9 asks for |x| >=
    2/(epsilon tau) ln(1 + y), which is at most 2/(epsilon tau).""",
    over="rational y in (0, 1)",
    code=["finitedp.exact.compare_exp"],
    grid=Cases((mpq(1, 100), HALF, mpq(9, 10), mpq(999, 1000)), (mpq(1, 10**9), mpq(10**9 - 1, 10**9))),
    subject=mpq(1),
    twins={"1/(epsilon tau)": HALF},
)
def enough_rows(most: mpq, y: mpq) -> Finding:
    same = equal((1 - y) / (1 / y - 1), y, "the argument")
    return all_of([same, equal(compare_exp(1 + y, most) <= 0, True, f"ln(1 + {y}) at most {most}")])


class Limit(NamedTuple):
    """H = e^(epsilon nu), and epsilon tau/2 falling."""

    h: mpq
    steps: tuple[mpq, ...]


STEPS = tuple(mpq(2) / 2**k for k in range(13))


@entry(
    "FA.Lem10.proof",
    "lemma",
    """Lemma 10's proof: with l = epsilon tau/2 the bound (1/l) ln(1 + (1 - e^-l)/(H e^l - 1)) of Lemma 9, H = e^(epsilon
    nu), falls with l and is at most 1/(H - 1), its limit for l to 0, as it is at least 1/(H e^(2l) - 1); and |x| > 1/(H -
    1) exactly where H > 1 + 1/|x|.""",
    over="rational H above 1; l = 2 to 2^-11, by rigorous bounds; |x| = 1..50",
    code=["finitedp.exact.log_bounds"],
    grid=cases(Limit, [(h, STEPS) for h in (mpq(11, 10), mpq(2), mpq(10))], [(mpq(101, 100), STEPS), (mpq(1000), STEPS)]),
    subject=lambda h: 1 / (h - 1),
    twins={"1/H": lambda h: 1 / h, "1/(2(H - 1))": lambda h: 1 / (2 * (h - 1))},
)
def falls_with_tau(limit: Callable[[mpq], mpq], case: Limit) -> Finding:
    def bounds(step: mpq) -> tuple[mpq, mpq]:
        (low, high), h = exp_bounds(step, 200), case.h
        least, most = 1 + (1 - 1 / low) / (h * high - 1), 1 + (1 - 1 / high) / (h * low - 1)
        return log_bounds(least, 200)[0] / step, log_bounds(most, 200)[1] / step

    known, most = [bounds(step) for step in case.steps], limit(case.h)
    rising = all(one[1] < other[0] for one, other in pairwise(known))
    sizes = all((n > most) == (case.h > 1 + mpq(1, n)) for n in range(1, 51))
    return all_of(
        [equal((rising, sizes), (True, True), f"(falls with l, condition) at H = {case.h}")]
        + [at_most(high, most, f"at l = {step}, H = {case.h}:") for step, (_, high) in zip(case.steps, known, strict=True)]
        + [
            at_most(1 / (case.h * exp_bounds(2 * step)[0] - 1), low, f"from below at l = {step}, H = {case.h}:")
            for step, (low, _) in zip(case.steps, known, strict=True)
        ]
    )


class Part(NamedTuple):
    """E^epsilon, and n; tau = 1/2."""

    scale: Scale
    n: int


@erratum(
    "FA.Claim4.proof",
    f"""Claim 4's proof {AS_READ}: with tau = 1/2, q' = tau n and q = tau (n + 1), Pr[-q' <= Z < -q' + (1 - tau)] is
    (e^((1 - tau) epsilon) - 1)/(2 (e^(epsilon q/2) - 1)), Z on [-q', 0].""",
    """Claim 4's proof, corrected: with tau = 1/2 and q' = tau n, Pr[-q' <= Z < -q' + (1 - tau)] is (e^((1 - tau) epsilon)
    - 1)/(2 (e^(epsilon q'/2) - 1)), Z on [-q', 0], where 1 - tau <= q'/2; the claim holds all the same (FA.Claim4).""",
    as_printed=("q", lambda n: mpq(n + 1, 2)),
    subject=lambda n: mpq(n, 2),
    twins={"2 q'": mpq},
    over="tau = 1/2, n = 2..9 (30 in full)",
    code=[f"{LITERAL}.truncated_cdf"],
    grid=cases(Part, product(SCALES, range(2, 10)), product(SCALES, range(10, 31))),
    kind="lemma",
)
def the_integral(range_of: Callable[[int], mpq], case: Part) -> Finding:
    q, power = mpq(case.n, 2), case.scale.power
    stated = (power(HALF) - 1) / (2 * (power(range_of(case.n) / 2) - 1))
    return equal(truncated_cdf(-q + HALF, q, case.scale), stated, f"the last part at n = {case.n}, E = {case.scale.ratio}")


class Buckets(NamedTuple):
    """[0, end), buckets of a width, and at most so many rows on the points of halves of it."""

    end: mpq
    width: mpq
    rows: int


Make = Callable[[Mapping[mpq, int], mpq, mpq], Mapping[Any, int]]


def _closed(points: Mapping[mpq, int], width: mpq, end: mpq) -> Mapping[Any, int]:
    return {s: sum(c for g, c in points.items() if 2 * abs(g - s) <= width) for s in bucket_by_centres(points, width, end)}


@entry(
    "FA.Thm4.neighbours",
    "lemma",
    "Theorem 4's proof: one row more or less changes one bucket, by one; so that Algorithm 2 preserves neighbours.",
    over="[0, B) and w on the grid; all histograms on halves of w with at most as many rows, and one row more",
    code=[f"{LITERAL}.bucket_by_centres"],
    grid=cases(
        Buckets, [(mpq(4), mpq(2), 2), (mpq(3), mpq(2), 2), (mpq(3), mpq(1), 2)], [(mpq(5), mpq(2), 3), (mpq(4), mpq(1), 2)]
    ),
    subject=bucket_by_centres,
    twins={
        "both edges closed": _closed,
        "of shifted halves where |x| is odd": lambda x, w, b: (
            bucket_by_centres({(g + w / 2 if g + w / 2 < b else g): c for g, c in x.items()}, w, b)
            if sum(x.values()) % 2
            else bucket_by_centres(x, w, b)
        ),
    },
)
def neighbours_are_kept(make: Make, case: Buckets) -> Finding:
    points = [k * case.width / 2 for k in range(int(2 * case.end / case.width))]

    def found(x: Histogram) -> Mapping[Any, int]:
        return make(dict(zip(points, x, strict=True)), case.width, case.end)

    def findings() -> Iterator[Finding]:
        for x, i in product(small_histograms(len(points), case.rows), range(len(points))):
            before, after = found(x), found((*x[:i], x[i] + 1, *x[i + 1 :]))
            yield equal(sum(abs(after[s] - before[s]) for s in before), 1, f"rows that move from {x}, one more at {points[i]}")

    return in_turn(findings())
