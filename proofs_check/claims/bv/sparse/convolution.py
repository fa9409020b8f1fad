"""Section 6.3 of Balcer and Vadhan: convolution (6.12 to 6.14) and ApproxConvExp (6.15, 6.16)."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from flint import fmpq, fmpq_poly
from gmpy2 import c_div, f_div, mpq

from finitedp.impl.arithmetic.convolution import approx_conv_exp
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.claims.bv.sparse.samplers import BROKEN_POWERS, Vector, VectorPower, recursion, square, times_a
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most, definition, equal, lemma
from finitedp.proofs_check.ledger.grids import LAW_PAIRS, LawPair
from finitedp.spec import convolution as spec
from finitedp.spec.pmf import product as joint

Convolve = Callable[[Vector, Vector], Vector]


def circular(a: Sequence[mpq], b: Sequence[mpq]) -> Vector:
    """Broken: what exceeds the length comes back at the start."""
    return [sum((a[i] * b[k - i] for i in range(len(a))), mpq(0)) for k in range(len(a))]


def _vectors(pair: LawPair) -> tuple[Vector, Vector]:
    top = max(*pair.p, *pair.q)
    return [pair.p[k] for k in range(top + 1)], [pair.q[k] for k in range(top + 1)]


@definition(
    "BV.Def6.12",
    """The convolution of two vectors of length t has the entries sum of a_i b_(k-i), i <= k, for k below t: the product of
    polynomials, cut off at degree t - 1.""",
    over="all pairs of vectors of the grid, against FLINT's product of polynomials",
    code=["finitedp.spec.convolution.convolve", "finitedp.spec.convolution.fold"],
    grid=LAW_PAIRS,
    subject=spec.convolve,
    twins={"circular": circular},
)
def truncated_product(convolve: Convolve, pair: LawPair) -> Finding:
    a, b = _vectors(pair)
    left, right = (fmpq_poly([fmpq(int(x.numerator), int(x.denominator)) for x in v]) for v in (a, b))
    whole = (left * right).coeffs()
    expected = [mpq(int(c.p), int(c.q)) for c in whole[: len(a)]]
    return equal(convolve(a, b), expected + [mpq(0)] * (len(a) - len(expected)), "entries")


@lemma(
    "BV.Lem6.13",
    "For independent Y_1, Y_2 on 0..t, Pr[Y_1 + Y_2 = k] is the k-th entry of the convolution of their vectors, k = 0..t.",
    over="all pairs of laws of the grid, against the joint law",
    code=["finitedp.spec.convolution.convolve", "finitedp.spec.pmf.convolution"],
    grid=LAW_PAIRS,
    subject=spec.convolve,
    twins={"circular": circular},
)
def sum_of_two(convolve: Convolve, pair: LawPair) -> Finding:
    a, b = _vectors(pair)
    total = joint([pair.p, pair.q]).pushforward(sum)
    return equal(convolve(a, b), [total[k] for k in range(len(a))], "probabilities of the sum")


class Trials(NamedTuple):
    """m trials with success probability p/q."""

    m: int
    p: int
    q: int


@lemma(
    "BV.Cor6.14",
    "The law of Bin(m, p) is the m-fold convolution of (1 - p, p, 0, ..., 0).",
    over="m and p on the grid, against the law by binomial coefficients",
    code=["finitedp.spec.convolution.fold", "finitedp.spec.convolution.binomial"],
    grid=cases(
        Trials,
        [(m, p, q) for m in (1, 2, 3, 6) for p, q in ((0, 1), (1, 2), (2, 7), (3, 3))],
        product((4, 9, 17), range(12), [11]),
    ),
    subject=spec.fold,
    twins={"one convolution too many": lambda a, i: spec.fold(a, i + 1)},
)
def fold_of_bernoullis(fold: Callable[[Vector, int], Vector], case: Trials) -> Finding:
    p = mpq(case.p, case.q)
    law = spec.binomial(case.m, case.p, case.q, case.m)
    vector = [1 - p, p, *[mpq(0)] * (case.m - 1)]
    return equal(fold(vector, case.m), [law[k] for k in range(case.m + 1)], "binomial probabilities")


class Power(NamedTuple):
    """The i-th floored power of a at the denominator s."""

    a: tuple[int, ...]
    i: int
    s: int


def _powers(vectors: Sequence[tuple[int, ...]], exponents: Sequence[int], factors: Sequence[int]) -> list[Power]:
    return [Power(a, i, max(sum(a), 1) * f) for a, i, f in product(vectors, exponents, factors)]


FEW = [(5,), (3, 2), (3, 2, 0), (10, 6, 0, 0, 0), (1, 2, 3, 4)]
LONG = (2**40 - 3**20, 3**20, 0, 0, 0)
POWERS = Cases(
    [*_powers(FEW, (1, 2, 3, 4, 5, 7, 11, 16), (1, 2)), Power((700, 300, 0, 0), 1000, 1000)],
    _powers([(1023, 1, 0, 0, 0, 0), LONG, (9, 8, 7), (0, 1, 0, 0)], (*range(1, 40), 127, 128), (1, 3)),
)

rounded_up = recursion(square, times_a, c_div)
swapped = recursion(times_a, square, f_div)
circular_power = recursion(lambda _a, b, s: [x / s for x in circular(b, b)], times_a, f_div)

about = partial(entry, code=["finitedp.impl.arithmetic.convolution.approx_conv_exp"], grid=POWERS, subject=approx_conv_exp)


@about(
    "BV.Alg6.16",
    "algorithm",
    """ApproxConvExp: the i-th power by repeated squaring, floored once at every step, the odd step flooring (a * b * b)/s^2.
    Extra leading steps (depth) change nothing.""",
    over="several vectors, exponents and denominators, a power of two or not; the running code against the recursion as"
    " printed",
    code=["finitedp.impl.arithmetic.convolution.approx_conv_exp", "finitedp.spec.convolution.approx_conv_exp"],
    twins={name: BROKEN_POWERS[name] for name in ("flooring twice in the odd step", "one factor at a time")},
)
def floored_power(power: VectorPower, case: Power) -> Finding:
    expected = spec.approx_conv_exp(case.a, case.i, case.s)
    deeper = approx_conv_exp(case.a, case.i, case.s, case.i.bit_length() + 3)
    return all_of([equal(power(*case), expected, "entries"), equal(deeper, expected, "entries at a larger depth")])


@about(
    "BV.Prop6.15.i",
    "lemma",
    "ApproxConvExp(a, i) has integer entries in 0..s, with a sum of at most s, where the sum of a is at most s.",
    over="the vectors, exponents and denominators of the grid; the running code",
    twins={"rounded up": rounded_up},
)
def floored_power_is_bounded(power: VectorPower, case: Power) -> Finding:
    d = power(*case)
    integers = all(x == f_div(x, 1) and 0 <= x <= case.s for x in d)
    return all_of([equal((integers, len(d)), (True, len(case.a)), "entries in 0..s"), at_most(sum(d), case.s, "sum")])


@about(
    "BV.Prop6.15.ii",
    "lemma",
    "The first t' entries of ApproxConvExp(a, i) are ApproxConvExp of the first t' entries of a.",
    over="every t' for the vectors, exponents and denominators of the grid; the running code",
    twins={"circular": circular_power},
)
def floored_power_of_a_prefix(power: VectorPower, case: Power) -> Finding:
    d = power(*case)
    return all_of([equal(power(case.a[:t], case.i, case.s), d[:t], f"the first {t}") for t in range(1, len(d) + 1)])


def distance_of_power(power: VectorPower, case: Power) -> Finding:
    """Prop 6.15 iii: the sum of absolute differences from the true power is at most (t/s)(i - 1)."""
    exact = spec.fold([mpq(x, case.s) for x in case.a], case.i)
    off = sum((abs(mpq(d, case.s) - x) for d, x in zip(power(*case), exact, strict=True)), mpq(0))
    return at_most(off, mpq(len(case.a) * (case.i - 1), case.s), "distance from the i-fold convolution")


NEAR = Cases(
    [*(Power((3 * 2**40, 2**40, 0, 0), i, 2**42) for i in (1, 2, 3, 6, 7, 12)), Power((700, 300, 0), 5, 1000)],
    _powers([LONG, (9, 8, 7)], (*range(1, 30), 64), (1, 3)),
)

lemma(
    "BV.Prop6.15.iii",
    "ApproxConvExp(a, i)/s is within (t/s)(i - 1) of the i-fold convolution of a/s, in the sum of absolute differences.",
    over="the vectors, exponents and denominators of the grid; the running code against exact convolutions",
    code=["finitedp.impl.arithmetic.convolution.approx_conv_exp", "finitedp.spec.convolution.fold"],
    grid=NEAR,
    subject=approx_conv_exp,
    twins={"without the odd factor": BROKEN_POWERS["without the odd factor"]},
)(distance_of_power)


@about(
    "BV.Prop6.15.iv",
    "lemma",
    """ApproxConvExp(a, i) takes floor(log2 i) steps, each with two products of vectors of length t with entries in 0..s^2; so
    time O(log i) times quasi-linear in t log s.""",
    over="the vectors, exponents and denominators of the grid; products counted in the running code",
    subject=lambda a, i, s: work_of(lambda: approx_conv_exp(a, i, s))["_truncated_product"],
    twins={"one factor at a time": lambda _a, i, _s: i - 1},
)
def products_of_power(products: Callable[[Sequence[int], int, int], int], case: Power) -> Finding:
    return equal(products(*case), 2 * (case.i.bit_length() - 1), "products")


erratum(
    "BV.Err.4",
    """Proof of Proposition 6.15 i as printed: the odd step is (b * b)/s and the even step (a * b * b)/s^2. Then the power is
    not near the i-fold convolution.""",
    """Proof of Proposition 6.15 i, corrected as in Algorithm 6.16: with the even step (b * b)/s and the odd step (a * b *
    b)/s^2 the power is within (t/s)(i - 1) of the i-fold convolution.""",
    as_printed=("odd and even swapped", swapped),
    subject=approx_conv_exp,
    over="the vectors, exponents and denominators of the grid",
    code=["finitedp.impl.arithmetic.convolution.approx_conv_exp"],
    grid=NEAR,
)(distance_of_power)
