"""Loops without a bound: the mechanisms that people write first, explored inline and with their samplers taken alone.

`python tests/benchmarks/loops.py` runs these alone. Times are of the processor, one run each, nothing known before; "alone"
is without the check by inline exploring, which is given beside it.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from time import process_time
from typing import Any

from gmpy2 import mpq
from timing import Row, duration

from finitedp.proofs_check.engine import explorer
from finitedp.proofs_check.engine.explorer import Budget, Declared, Exploration, explore
from finitedp.proofs_check.engine.stand_ins.standard import StandIn


def geometric(rng: Any) -> int:
    k = 0
    while rng.random() < 0.5:
        k += 1
    return k


def noisy_max(rng: Any) -> int:
    noisy = [count + geometric(rng) for count in (3, 1, 2)]
    best = 0
    for i in (1, 2):
        if noisy[i] > noisy[best]:
            best = i
    return best


def sparse_vector(rng: Any) -> tuple[bool, ...]:
    """The two first of four queries that are above a noisy threshold."""
    bound = 3 + geometric(rng)
    answers: list[bool] = []
    for query in (1, 3, 2, 4):
        answers.append(query + geometric(rng) >= bound)
        if sum(answers) == 2:
            break
    return tuple(answers)


def bernoulli_exp1(x: Fraction, rng: Any) -> bool:
    k = 1
    while rng.randrange(x.denominator * k) < x.numerator:
        k += 1
    return k % 2 == 1


def bernoulli_exp(x: Fraction, rng: Any) -> bool:
    while x > 1:
        if not bernoulli_exp1(Fraction(1), rng):
            return False
        x = x - 1
    return bernoulli_exp1(x, rng)


def geometric_exp_slow(x: Fraction, rng: Any) -> int:
    k = 0
    while bernoulli_exp(x, rng):
        k += 1
    return k


def geometric_exp(x: Fraction, rng: Any) -> int:
    while True:
        u = int(rng.randrange(x.denominator))
        if bernoulli_exp(Fraction(u, x.denominator), rng):
            break
    return (geometric_exp_slow(Fraction(1), rng) * x.denominator + u) // x.numerator


def discrete_laplace(scale: Fraction, rng: Any) -> int:
    while True:
        sign = rng.randrange(2)
        size = geometric_exp(1 / scale, rng)
        if not (sign == 1 and size == 0):
            return int(size * (1 - 2 * sign))


def discrete_gaussian(variance: Fraction, rng: Any) -> int:
    """Canonne, Kamath and Steinke 2020, Algorithm 3, at a variance below 4."""
    while True:
        candidate = discrete_laplace(Fraction(2), rng)
        bias = ((abs(candidate) - variance / 2) ** 2) / (2 * variance)
        if bernoulli_exp(bias, rng):
            return candidate


EXPONENTIALS = (bernoulli_exp1, bernoulli_exp, geometric_exp_slow, geometric_exp)


def rows() -> list[Row]:
    """Each with its aim."""
    laplace = (*EXPONENTIALS, discrete_laplace)
    return [
        _inline("geometric loop, clamped, inline", lambda rng: min(geometric(rng), 3), "0.2 s"),
        _alone("the same, its sampler declared", lambda rng: min(geometric(rng), 3), [geometric], "0.2 s"),
        _alone("noisy maximum of 3 with such noise", noisy_max, [geometric], "0.1 s"),
        _alone("sparse vector, c = 2, 4 queries", sparse_vector, [geometric], "0.1 s"),
        _alone("Bernoulli(exp(-7/2))", lambda rng: bernoulli_exp(Fraction(7, 2), rng), EXPONENTIALS[:2], "0.1 s"),
        _alone("discrete Laplace, scale 2", lambda rng: discrete_laplace(Fraction(2), rng), laplace, "1 s"),
        _alone(
            "discrete Gaussian, variance 1",
            lambda rng: discrete_gaussian(Fraction(1), rng),
            (*laplace, discrete_gaussian),
            "10 s",
        ),
    ]


def _inline(name: str, program: Callable[[Any], Any], aim: str) -> Row:
    took, found = _timed(program, Declared(()))
    return name, duration(took), aim, _found(found)


def _alone(name: str, program: Callable[[Any], Any], samplers: Sequence[Any], aim: str) -> Row:
    declared = Declared.of(samplers)
    checking = explorer._checked_inline
    explorer._checked_inline = lambda _program, _limits, _joint, found, *_: found
    try:
        took, found = _timed(program, declared)
    finally:
        explorer._checked_inline = checking
    both, _ = _timed(program, declared)
    return name, duration(took), aim, f"{_found(found)}; the check inline about {duration(both)} more"


def _timed(program: Callable[[Any], Any], declared: Declared) -> tuple[float, Exploration[Any]]:
    start = process_time()
    found = explore(lambda coins: program(StandIn(coins)), Budget(), replay_all=True, joint=True, samplers=declared)
    return process_time() - start, found


def _found(found: Exploration[Any]) -> str:
    bits = int(1 / found.unresolved).bit_length() - 1 if found.unresolved else None
    left = f"2^-{bits} open" if bits else "exact"
    if sum(found.resolved.values(), mpq(0)) + found.unresolved != 1:
        raise SystemExit("the masses do not sum to 1")
    return f"{found.leaves} leaves, {left}"


PARTS = (rows,)

if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
