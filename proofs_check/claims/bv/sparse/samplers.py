"""The samplers of Section 6.3 in plain steps, of which each broken copy changes one."""

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

from attrs import frozen
from gmpy2 import f_div, mpq, mpz

from finitedp.impl.arithmetic.convolution import approx_conv_exp
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.histograms.binomial import ApproxBinSample, Round
from finitedp.impl.histograms.order_statistics import ApproxOrdSample
from finitedp.impl.randomness.coins import Coins, StrictCoins, UnusedDraws
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.ledger.entry import but
from finitedp.spec import convolution as spec
from finitedp.spec.pmf import Pmf

C = TypeVar("C", bound=Hashable)
R = TypeVar("R", bound=Hashable)

Vector = list[mpq]
VectorPower = Callable[[Sequence[int], int, int], list[int]]
"""A floored power of a vector: of a, an exponent i and the denominator s."""


def recursion(even: Callable[..., Vector], odd: Callable[..., Vector], down: Callable[[int, int], int]) -> VectorPower:
    """ApproxConvExp by recursion with its steps given: how the broken copies are made."""

    def power(a: Sequence[int], i: int, s: int) -> list[int]:
        if i == 1:
            return list(a)
        b = power(a, i // 2, s)
        c = (odd if i % 2 else even)(list(a), b, s)
        return [down(mpq(x).numerator, mpq(x).denominator) for x in c]

    return power


def square(_a: Vector, b: Vector, s: int) -> Vector:
    """(b * b)/s, the even step."""
    return [x / s for x in spec.convolve(b, b)]


def times_a(a: Vector, b: Vector, s: int) -> Vector:
    """(a * b * b)/s^2, the odd step."""
    return [x / s**2 for x in spec.convolve(a, spec.convolve(b, b))]


def _floored_between(a: Vector, b: Vector, s: int) -> Vector:
    once = [mpq(f_div(x.numerator, x.denominator)) for x in square(a, b, s)]
    return [x / s for x in spec.convolve(a, once)]


def one_factor_at_a_time(a: Sequence[int], i: int, s: int) -> list[int]:
    """Broken: i - 1 convolutions with a, each floored: another law, and i - 1 multiplications."""
    power = [mpz(x) for x in a]
    for _ in range(i - 1):
        power = [f_div(x.numerator, x.denominator * s) for x in spec.convolve(list(a), power)]
    return list(power)


@frozen
class WithPower(ApproxBinSample):
    """ApproxBinSample in plain steps, with another power of vectors. With the right one it has the right law (a test)."""

    power: VectorPower = approx_conv_exp

    def round(self, u: int, m: int, success: int, length: int, depth: int | None = None) -> int:
        """A round of the loop, value by value."""
        cdf = list(accumulate(self.power([self.s - success, success, *[0] * (length - 2)][:length], m, self.s)))
        return next((k for k in range(self.first(length), length) if cdf[k] >= u), length)

    def first(self, length: int) -> int:
        """Where the loop (4d) starts."""
        return length // 2


WithLoop = but(WithPower, first=lambda _self, length: -(-length // 2))
"""The loop (4d) as printed: from the ceiling of t'/2, which is 1 at t' = 1, so that 0 is never returned."""


@lru_cache(maxsize=2048)
def _explored(program: Callable[[Any, Coins], Any], case: Hashable) -> Exploration[Any]:
    return explore(lambda coins: program(case, coins))


def explored(program: Callable[[C, Coins], R], case: C) -> Exploration[R]:
    """What the explorer finds for a sampler, remembered since several claims speak of the same one."""
    return _explored(program, case)


BROKEN_POWERS: dict[str, VectorPower] = {
    "flooring twice in the odd step": recursion(square, _floored_between, f_div),
    "one factor at a time": one_factor_at_a_time,
    "without the odd factor": recursion(square, square, f_div),
}


class RoundedToNearest(ApproxBinSample):
    """Broken: p' is the integer nearest to s p/q, not the one below."""

    def release(
        self, m: int, p: int, q: int, t: int, coins: Coins, depth: int | None = None, told: Round = lambda _length: None
    ) -> int:
        """As the original, for p'/s."""
        return super().release(m, (2 * self.s * p + q) // (2 * q), self.s, t, coins, depth, told)


BROKEN_BINOMIALS: dict[str, Callable[[int], ApproxBinSample]] = {
    "the loop bound as printed": WithLoop,
    **{name: partial(WithPower, guard=None, power=power) for name, power in BROKEN_POWERS.items()},
}
"""Binomial samplers at a denominator s, by what is wrong with them."""


class Draws(NamedTuple):
    """m draws on 0..n with the distribution function values / values[n]."""

    m: int
    values: tuple[int, ...]

    @property
    def n(self) -> int:
        """The largest value."""
        return len(self.values) - 1

    @property
    def law(self) -> Pmf[int]:
        """The law of one draw."""
        return Pmf({z: b - a for z, (a, b) in enumerate(pairwise((0, *self.values)))})


def of_2018(case: Draws, coins: Coins) -> tuple[int, ...]:
    """The 2018 version: each statistic by the conditional distribution (F(z) / F(v))^(remaining), for the one above it at v.

    That holds for continuous variables. For discrete ones a tie carries information that it ignores.
    """
    found, top = [], case.n
    for k in range(case.n + 1):
        remaining = case.m - k

        def cdf(z: int, power: int = remaining) -> int:
            return mpz(case.values[z]) ** power  # type: ignore[no-any-return]  # int ** int is typed as Any

        top = least_reaching(cdf, top, coins.uniform(cdf(top)))
        found.append(top)
    return tuple(found)


@frozen
class Unpadded(ApproxOrdSample):
    """ApproxOrdSample with a binomial sampler of choice and no padding. With the right one it has the right law (a test)."""

    sampler: Callable[[int], ApproxBinSample] = ApproxBinSample

    def release(self, m: int, coins: Coins, report: Round = lambda _length: None) -> tuple[int, ...]:
        """By the algorithm's steps alone."""
        found: list[int] = []
        for v in range(self.n, 0, -1):
            total, below = self.scaled_cdf(v), self.scaled_cdf(v - 1)
            room, trials = self.n + 1 - len(found), m - self.assigned(found)
            found += [v] * self.sampler(self.s).release(trials, total - below, total, room, coins, None, report)
        return tuple(found + [0] * (self.n + 1 - len(found)))

    def assigned(self, found: list[int]) -> int:
        """How many of the m draws are known."""
        return len(found)


class _Least(UnusedDraws):
    """Coins that always answer the least draw."""

    def uniform(self, d: int, most: int | None = None) -> int:
        super().uniform(d, most)
        return 1


class _Most(UnusedDraws):
    """Coins that always answer the largest draw."""

    def uniform(self, d: int, most: int | None = None) -> int:
        super().uniform(d, most)
        return d


ENDS: tuple[Coins, ...] = (_Least(StrictCoins()), _Most(StrictCoins()), UnusedDraws(StrictCoins()))
"""Coins that answer the least, the largest and the middle draw: where the amount of work is measured."""
