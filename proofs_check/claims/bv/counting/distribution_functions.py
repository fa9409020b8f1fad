"""Lemmas 4.9 and 4.12 of Balcer and Vadhan: what F and F' are, and what it costs to compute them.

The identities are proved for all epsilon at once: the kernels that the mechanisms run on are evaluated on the polynomial x
instead of the number 2^k, and compared with the definition as polynomials. The same kernels, run on integers that count their
operations, give the cost.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, product
from typing import NamedTuple, cast

from flint import fmpz_poly
from gmpy2 import mpq

from finitedp.impl.arithmetic import kernels
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, lemma, theorem
from finitedp.proofs_check.ledger.grids import Counting
from finitedp.spec import counting as spec

X = fmpz_poly([0, 1])


class Window(NamedTuple):
    """A count c in 0..n, and a truncation radius where it is needed."""

    n: int
    c: int
    t: int = 0


def _windows(largest: int, radii: Sequence[int] = (0,)) -> list[Window]:
    return [Window(n, c, t) for n in range(1, largest + 1) for c in range(n + 1) for t in radii]


Kernel = Callable[[int, int, int], int]


def _cumulative(masses: list[fmpz_poly]) -> list[fmpz_poly]:
    """F(-2), ..., F(n + 1): 0 below 0, and nothing more above n."""
    return list(accumulate([0 * X, 0 * X, *masses, 0 * X]))


def _clamped(tail: Callable[[int], int], total: int, n: int, count: int, z: int) -> int:
    return kernels.clamped_cdf(tail, total, n, count, z)


class Kernels(NamedTuple):
    """The running kernels: the tail of the noise, and F from it."""

    tail: Kernel
    clamped: Callable[..., int] = _clamped


def _not_0_below_0(tail: Callable[[int], int], total: int, n: int, count: int, z: int) -> int:
    """Broken: without the case z < 0."""
    if z < 0:
        return tail(count - z) if z < count else total - tail(z - count + 1)
    return kernels.clamped_cdf(tail, total, n, count, z)


def _cdf(run: Callable[..., int], tail: Callable[[int], int], total: fmpz_poly, case: Window) -> list[fmpz_poly]:
    """F(-2), ..., F(n + 1) by the running kernel, on polynomials. The tail is one wherever it is asked for one."""
    of = cast(Callable[..., fmpz_poly], run)
    return [of(tail, total, case.n, case.c, z) for z in range(-2, case.n + 2)]


@lemma(
    "BV.Lem4.9",
    """F(z)/d is the cumulative distribution function of c plus two-sided geometric noise with decay 2^k/(2^k + 1), clamped to
    0..n. Proved as an identity of polynomials in x = 2^k, by running the kernels on polynomials; at k = 1, 5 and 20 the
    mechanism's F is the polynomial's value.""",
    over="every epsilon at once; n and c on the grid, every z from -2 to n + 1",
    code=[
        "finitedp.impl.arithmetic.kernels.clamped_cdf",
        "finitedp.impl.arithmetic.kernels.tail_weight",
        "finitedp.impl.counting.geometric.GeoSample.cdf",
    ],
    grid=cases(Window, _windows(8), _windows(24)),
    subject=Kernels(kernels.tail_weight),
    twins={
        "tail from m + 1": Kernels(lambda x, power, m: kernels.tail_weight(x, power, min(m + 1, power))),
        "F(-1) is not 0": Kernels(
            lambda x, power, m: kernels.tail_weight(x, power, m) if 1 <= m <= power else x - x, _not_0_below_0
        ),
    },
    reach="every epsilon, each n and c of the grid",
)
def geometric_cdf(subject: Kernels, case: Window) -> Finding:
    n, c, x = case.n, case.c, cast(int, X)
    total = (2 * X + 1) * (X + 1) ** (n - 1)
    # Pr[Z = j] = (1-a)/(1+a) a^j with a = x/(x+1) is x^j / ((2x+1)(x+1)^j); the tail from j on has (x+1) times that
    inner = [X ** abs(z - c) * (X + 1) ** (n - 1 - abs(z - c)) for z in range(1, n)]
    masses = [X**c * (X + 1) ** (n - c), *inner, X ** (n - c) * (X + 1) ** c]
    found = _cdf(subject.clamped, lambda m: subject.tail(x, n, m), total, case)
    findings = [equal(found, _cumulative(masses), "F as polynomials"), equal(found[-1], total, "F(n)")]
    for k in (1, 5, 20):
        values, mechanism = [int(f(2**k)) for f in found], GeoSample(n, mpq(1, 2 ** (k - 1)))
        findings.append(equal([mechanism.cdf(c, z) for z in range(-2, n + 2)], values, f"F at k={k}"))
    return all_of(findings)


@lemma(
    "BV.Lem4.12.i",
    """F'(z)/d' is the cumulative distribution function of Z' clamped to 0..n, where Z' is c plus two-sided geometric noise
    with all mass beyond t moved to c. Proved as an identity of polynomials in x = 2^k, by running the kernels on
    polynomials.""",
    over="every epsilon at once; n, c and t on the grid, every z from -2 to n + 1",
    code=["finitedp.impl.arithmetic.kernels.clamped_cdf", "finitedp.impl.arithmetic.kernels.truncated_tail_weight"],
    grid=cases(Window, _windows(5, (1, 2, 3, 5, 8)), _windows(12, (*range(1, 14), 20))),
    subject=Kernels(kernels.truncated_tail_weight),
    twins={
        "mass left at the ends": Kernels(lambda x, radius, m: kernels.tail_weight(x, radius + 1, m) if m <= radius else x - x),
        "F(-1) is not 0": Kernels(kernels.truncated_tail_weight, _not_0_below_0),
    },
    reach="every epsilon, each n, c and t of the grid",
)
def truncated_cdf(subject: Kernels, case: Window) -> Finding:
    n, c, t, x = case.n, case.c, case.t, cast(int, X)
    total = (2 * X + 1) * (X + 1) ** t
    found = _cdf(subject.clamped, lambda m: subject.tail(x, t, m), total, case)
    return equal(found, _cumulative(_clamped_masses(n, c, t, total)), "F' as polynomials")


def _clamped_masses(n: int, c: int, t: int, total: fmpz_poly) -> list[fmpz_poly]:
    """d' * Pr[Z' clamped to 0..n = z] from the definition of Z'."""
    noise = {j: X ** abs(j) * (X + 1) ** (t - abs(j)) for j in range(-t, t + 1) if j != 0}
    noise[0] = total - sum(noise.values(), 0 * X)
    masses = [0 * X for _ in range(n + 1)]
    for j, mass in noise.items():
        masses[min(max(c + j, 0), n)] += mass
    return masses


def _mixing(uniform: mpq, clamped: mpq, gamma: mpq) -> mpq:
    return gamma * uniform + (1 - gamma) * clamped


@lemma(
    "BV.Lem4.12.ii",
    """F(z)/d = gamma * (z+1)/(n+1) + (1 - gamma) * F'(z)/d': the mixture of a uniform count with Z' clamped to 0..n; and
    F(z) is an integer in 0..d.""",
    over="every count, z = -1..n; F of the running mechanism, F' from the polynomials' definition at 2^k",
    code=["finitedp.impl.counting.geometric.FastSample.cdf"],
    grid=cases(Counting, product((1, 2, 4), (1, 3), (2, 5)), product((1, 2, 3, 8, 50), (1, 2, 7, 10), (2, 3, 2**30))),
    subject=_mixing,
    twins={"gamma for 1 - gamma": lambda uniform, clamped, gamma: _mixing(clamped, uniform, gamma)},
)
def mixture_cdf(mix: Callable[[mpq, mpq, mpq], mpq], case: Counting) -> Iterator[Finding]:
    mechanism = FastSample(case.n, case.epsilon, case.gamma)
    noise = spec.truncated_geometric(spec.sample_decay(case.epsilon), mechanism.t)
    for c in range(case.n + 1):
        clamped, below = noise.shifted(c).clamped(0, case.n), mpq(0)
        yield equal(mechanism.cdf(c, -1), 0, f"F(-1) at count {c}")
        for z in range(case.n + 1):
            below += clamped[z]
            expected = mix(mpq(z + 1, case.n + 1), below, mechanism.gamma)
            yield equal(mpq(mechanism.cdf(c, z), mechanism.d), expected, f"F({z}) at count {c}")


# Theorems 4.7 iii and 4.10 iv: the cost of one value of F


class Tally:
    """Counts additions and multiplications of large integers, and the bits of the largest."""

    def __init__(self) -> None:
        self.operations = 0
        self.bits = 0


class Counted:
    """An integer that reports its operations to a tally. A power costs a squaring and at most a product for each bit."""

    def __init__(self, value: int, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def _result(self, value: int, operations: int) -> "Counted":
        self.tally.operations += operations
        self.tally.bits = max(self.tally.bits, value.bit_length())
        return Counted(value, self.tally)

    def __add__(self, other: "Counted | int") -> "Counted":
        return self._result(self.value + _value(other), 1)

    def __sub__(self, other: "Counted | int") -> "Counted":
        return self._result(self.value - _value(other), 1)

    def __mul__(self, other: "Counted | int") -> "Counted":
        return self._result(self.value * _value(other), 1)

    def __rmul__(self, other: int) -> "Counted":
        return self * other

    def __pow__(self, exponent: int) -> "Counted":
        return self._result(self.value**exponent, 2 * exponent.bit_length())


def _value(number: "Counted | int") -> int:
    return number.value if isinstance(number, Counted) else number


LONG = cases(Counting, product((1, 5, 60), (1, 3), (16,)), product((2, 17, 100, 300), (1, 2, 10), (2**20,)))


def _power_by_multiplying(x: int, power: int, m: int) -> int:
    """The same number by one multiplication after the other: linear in n."""
    result = x
    for i in range(1, power):
        result = result * (x if i < m else x + 1)
    return result


@theorem(
    "BV.Thm4.7.iii",
    """Each value F(z) of GeoSample takes at most 4 bitlength(n) + 8 additions and multiplications of integers of at most d, so
    time quasi-linear in n log(1/epsilon).""",
    over="every count and every z in 0..n - 1; the running kernel on integers that count their operations",
    code=["finitedp.impl.counting.geometric.GeoSample.cdf", "finitedp.impl.arithmetic.kernels.tail_weight"],
    grid=LONG,
    subject=kernels.tail_weight,
    twins={"a power by repeated multiplication": _power_by_multiplying},
)
def geometric_cdf_cost(tail_weight: Kernel, case: Counting) -> Finding:
    mechanism, n = GeoSample(case.n, case.epsilon), case.n
    return _cost(lambda x, m: tail_weight(x, n, m), mechanism, n, mechanism.d, 4 * n.bit_length() + 8)


def _truncated_by_multiplying(x: int, radius: int, m: int) -> int:
    beyond = _power_by_multiplying(x, radius + 1, radius + 1)
    return _power_by_multiplying(x, radius + 1, m) - beyond if m <= radius else beyond - beyond


@theorem(
    "BV.Thm4.10.iv",
    """Each value F(z) of FastSample takes at most 8 bitlength(t+1) + 16 additions and multiplications of integers of at most
    d, so time quasi-linear in (1/epsilon) log(n/gamma).""",
    over="every count and every z in 0..n - 1; the running kernel on integers that count their operations",
    code=["finitedp.impl.counting.geometric.FastSample.cdf", "finitedp.impl.arithmetic.kernels.truncated_tail_weight"],
    grid=LONG,
    subject=kernels.truncated_tail_weight,
    twins={"a power by repeated multiplication": _truncated_by_multiplying},
)
def truncated_cdf_cost(tail_weight: Kernel, case: Counting) -> Finding:
    mechanism = FastSample(case.n, case.epsilon, case.gamma)
    t, share = mechanism.t, (case.g - 1) * (case.n + 1)
    total = share * (2 * 2**mechanism.k + 1) * (2**mechanism.k + 1) ** t
    allowed = 8 * (t + 1).bit_length() + 16
    return _cost(lambda x, m: share * tail_weight(x, t, m), mechanism, case.n, total, allowed)


def _cost(tail: Callable[[int, int], int], mechanism: GeoSample | FastSample, n: int, total: int, allowed: int) -> Finding:
    findings, bits = [], int(mechanism.d).bit_length()
    run = cast(Callable[..., Counted], kernels.clamped_cdf)
    for count, z in product(range(n + 1), range(n)):
        tally = Tally()
        x = cast(int, Counted(2**mechanism.k, tally))
        value = run(lambda m, x=x: tail(x, m), Counted(total, tally), n, count, z).value
        if isinstance(mechanism, FastSample):  # the uniform part (z + 1) d': one multiplication and one addition more
            value += (z + 1) * (2 * 2**mechanism.k + 1) * (2**mechanism.k + 1) ** mechanism.t
        findings.append(equal(mechanism.cdf(count, z), value, f"F({z}) at count {count}"))
        findings.append(at_most(tally.operations + 2, allowed, "operations"))
        findings.append(at_most(tally.bits, bits, "bits"))
    return all_of(findings)
