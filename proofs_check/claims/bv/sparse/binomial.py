"""Section 6.3 of Balcer and Vadhan: ApproxBinSample (6.17, 6.18), and what is wrong in its printed loop."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, product
from typing import NamedTuple

from gmpy2 import mpq, mpz

from finitedp.impl.arithmetic.convolution import approx_binomial_cdf
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.sparse.samplers import BROKEN_BINOMIALS, RoundedToNearest, explored
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import AS_READ, Cases, Finding, erratum, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, lemma, own, same_law
from finitedp.spec import convolution as spec
from finitedp.spec.divergence import total_variation

SAMPLER = "finitedp.impl.histograms.binomial.ApproxBinSample"


class Trial(NamedTuple):
    """ApproxBinSample(m, p, q) cut off at t, at the denominator s and with a guard of so many bits (0: none)."""

    m: int
    p: int
    q: int
    t: int
    s: int
    guard: int


def _trials(ms: Sequence[int], ts: Sequence[int], ss: Sequence[int], guards: Sequence[int]) -> list[Trial]:
    every = product(ms, ((1, 2), (7, 9), (0, 5), (4, 4)), ts, ss, guards)  # 7s/9 is nearer to the integer above
    return [Trial(m, p, q, t, s, guard) for m, (p, q), t, s, guard in every]


TRIALS = Cases(
    _trials((1, 2, 5, 6), (0, 1, 2, 3, 5), (6, 64, 1000), (0, 5)),
    _trials((3, 7, 11, 32), (1, 4, 6, 7, 8), (40, 10**6, 2**20), (0, 3, 8, 12)),
)
Sampler = Callable[[Trial, Coins], int]


def approx_bin_sample(case: Trial, coins: Coins) -> int:
    """The running ApproxBinSample."""
    return ApproxBinSample(case.s, case.guard or None).release(case.m, case.p, case.q, case.t, coins)


def _broken(make: Callable[[int], ApproxBinSample]) -> Sampler:
    return lambda case, coins: make(case.s).release(case.m, case.p, case.q, case.t, coins)


def _to_nearest(case: Trial, coins: Coins) -> int:
    return RoundedToNearest(case.s, case.guard or None).release(case.m, case.p, case.q, case.t, coins)


TWINS = {name: _broken(make) for name, make in BROKEN_BINOMIALS.items()}
NEAREST = "p' rounded to the nearest integer"
LITERAL = "the loop bound as printed"


@algorithm(
    "BV.Alg6.18",
    """ApproxBinSample returns k < t with probability d_k/s, where d is ApproxConvExp of (s - p', p', 0, ...) with
    p' = floor(s p/q), and t otherwise; also where rounds are first run at a guard's few bits.""",
    over="m, p/q, t, s and guards on the grid; the law of the running code by the explorer against the definition",
    code=["finitedp.impl.histograms.binomial.ApproxBinSample", "finitedp.spec.convolution.approx_binomial"],
    grid=TRIALS,
    subject=approx_bin_sample,
    twins={name: TWINS[name] for name in (LITERAL, "flooring twice in the odd step", "one factor at a time")}
    | {NEAREST: _to_nearest},
)
def bin_sample_law(sample: Sampler, case: Trial) -> Finding:
    found = explored(sample, case).law()
    return same_law(found, spec.approx_binomial(case.m, case.p, case.q, case.t, case.s), "draws")


@lemma(
    "BV.Prop6.17",
    "ApproxBinSample is within statistical distance (m(t+1) - t)/s of min(Bin(m, p/q), t).",
    over="m, p/q, t, s and guards on the grid; exact distance of the law of the running code",
    code=["finitedp.impl.histograms.binomial.ApproxBinSample", "finitedp.spec.convolution.binomial"],
    grid=TRIALS,
    subject=approx_bin_sample,
    twins={name: TWINS[name] for name in (LITERAL, "without the odd factor")},
)
def bin_sample_distance(sample: Sampler, case: Trial) -> Finding:
    found = explored(sample, case).law()
    distance = total_variation(found, spec.binomial(case.m, case.p, case.q, case.t)).distance
    return at_most(distance, mpq(case.m * (case.t + 1) - case.t, case.s), "distance")


def _rounds(case: Trial, coins: Coins) -> tuple[int, tuple[int, ...]]:
    """The result and the lengths of the rounds that led to it."""
    lengths: list[int] = []
    sampler = ApproxBinSample(case.s, case.guard or None)
    result = sampler.release(case.m, case.p, case.q, case.t, coins, None, lengths.append)
    return result, tuple(lengths)


@lemma(
    "BV.Prop6.17.time",
    """ApproxBinSample looks at no more than max(1, 4l - 1) values of its distribution function to return l: rounds of
    lengths 1, 2, 4, ... So its running time tells its result.""",
    over="every path of the running code, m, p/q, t, s and guards on the grid",
    code=["finitedp.impl.histograms.binomial.ApproxBinSample.release"],
    grid=TRIALS,
    subject=_rounds,
    twins={"all values at once": lambda case, coins: (approx_bin_sample(case, coins), (case.t,) if case.t else ())},
)
def bin_sample_rounds(sample: Callable[[Trial, Coins], tuple[int, tuple[int, ...]]], case: Trial) -> Iterator[Finding]:
    pairs = explored(sample, case).law().support
    yield from (equal(sum(lengths) <= max(1, 4 * result - 1), True, f"{lengths} for {result}") for result, lengths in pairs)


class Guarded(NamedTuple):
    """A round of a given length for m trials with p' successes of s, with a guard of so many bits."""

    m: int
    success: int
    s: int
    length: int
    guard: int

    def check_scope(self) -> None:
        in_scope(self.m >= 1 and 1 <= self.success < self.s, "a trial at least, and a probability in (0, 1)")
        in_scope(self.length >= 1 and self.length & (self.length - 1) == 0, "a length that is a power of two")
        in_scope(self.guard >= 1 and 2**self.guard <= self.s, "a guard of no more bits than s has")


def _guarded(ms: Sequence[int], guards: Sequence[int]) -> list[Guarded]:
    s = 2**10
    every = product(ms, (1, s // 9, s // 2), (1, 2, 4, 8), guards)
    return [Guarded(m, success, s, length, guard) for m, success, length, guard in every]


def _without_error(case: Guarded, u: int) -> tuple[int, int]:
    """Broken: the distribution function at 2^guard taken for the one at s."""
    cdf = approx_binomial_cdf(case.m, (case.success << case.guard) // case.s, 1 << case.guard, case.length)
    found = (k for k in range(case.length // 2, case.length) if cdf[k] * case.s >= u << case.guard)
    least = next(found, case.length)
    return least, least


@own(
    "FD.Guard",
    """A round at the denominator 2^guard bounds the result of the round at s from both sides, and leaves it open with a
    probability of at most (number of values)(4 t'(m - 1) + 4m + 3)/2^guard: so the law does not depend on the guard, and the
    amount of work hardly ever.""",
    over="every draw u from 1..s (by the explorer), m, p', t' and guards on the grid",
    code=[f"{SAMPLER}.round", f"{SAMPLER}.undecided"],
    grid=Cases(_guarded((1, 5), (6, 9)), _guarded((2, 3, 17, 40), (5, 7, 10))),
    subject=lambda case, u: ApproxBinSample(case.s, case.guard)._guarded(u, case.m, case.success, case.length, None),
    twins={"no allowance for the error": _without_error},
)
def guard_bounds(bounds: Callable[[Guarded, int], tuple[int, int]], case: Guarded) -> Finding:
    values = range(case.length // 2, case.length)
    d = spec.approx_conv_exp([case.s - case.success, case.success, *[0] * (case.length - 2)][: case.length], case.m, case.s)
    cdf = list(accumulate(d))

    def round_of(coins: Coins) -> tuple[int, int, int]:
        u = coins.uniform(case.s)
        return *bounds(case, u), next((k for k in values if cdf[k] >= u), case.length)

    law = explore(round_of).law()
    findings = [equal(low <= truth <= high, True, f"{low} <= {truth} <= {high}") for low, high, truth in law]
    undecided = law.probability(lambda found: found[0] != found[1])
    allowed = len(values) * mpq(4 * case.length * (case.m - 1) + 4 * case.m + 3, 2**case.guard)
    stated = ApproxBinSample(case.s, case.guard).undecided(case.m, case.length)
    share = at_most(undecided, min(allowed, mpq(1)), "undecided")
    return all_of([*findings, share, equal(stated, allowed, "stated bound")])


def vector_length(vector: Callable[[Trial, int], int], case: Trial) -> Finding:
    """Step (4a): the vector has t' entries in every round."""
    return all_of([equal(vector(case, length), length, f"entries at t' = {length}") for length in (1, 2, 4, 8)])


def zero_is_returned(sample: Sampler, case: Trial) -> Finding:
    """The probability of 0 is d_0/s where t > 0."""
    found = explored(sample, case).law()
    success = case.s * case.p // case.q
    expected = mpq(1) if case.t == 0 else mpq(_power_of_one(case.s - success, case.m, case.s), case.s)
    return equal(found[0], expected, "Pr[0]")


def _power_of_one(a: int, i: int, s: int) -> int:
    """ApproxConvExp of a vector of length 1."""
    if i == 1:
        return mpz(a)
    b = _power_of_one(a, i // 2, s)
    return a * b * b // s**2 if i % 2 else b * b // s


CODE = [SAMPLER]

erratum(
    "BV.Err.1.loop",
    f"Algorithm 6.18 {AS_READ}, with the loop (4d) from ceil(t'/2): it returns 0 with the probability d_0/s.",
    "Algorithm 6.18, corrected: with the loop (4d) from floor(t'/2), ApproxBinSample returns 0 with the probability d_0/s.",
    as_printed=(LITERAL, TWINS[LITERAL]),
    subject=approx_bin_sample,
    twins={NEAREST: _to_nearest},
    printed_over="m, p/q, t, s on the grid; the law of the code with the printed loop",
    over="m, p/q, t, s and guards on the grid; the law of the running code",
    code=CODE,
    grid=TRIALS,
)(zero_is_returned)
erratum(
    "BV.Err.1.vector",
    "Step (4a) of Algorithm 6.18 as printed: the vector, with entries a_0 and a_1, has t' entries in every round.",
    """Step (4a) of Algorithm 6.18, corrected: the vector has the entry a_0, and a_1 from t' = 2 on, so that it has t' entries
    in every round.""",
    as_printed=("a_1 at t' = 1", lambda case, length: len([case.s, 0, *[0] * (length - 2)])),
    subject=lambda case, length: len(approx_binomial_cdf(max(case.m, 1), case.s * case.p // case.q, case.s, length)),
    printed_over="t' = 1, 2, 4, 8",
    over="t' = 1, 2, 4, 8; the running code",
    code=["finitedp.impl.arithmetic.convolution.approx_binomial_cdf"],
    grid=TRIALS,
)(vector_length)
