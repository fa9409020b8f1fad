"""The pan-private state on a finite machine: a register modulo m with cyclic noise, its law at every time, and its estimate.

On the integers the state Z + count has a support that moves with the count: with bounded Z one event more has an infinite
ratio, and so does a register that saturates, whose low end empties. Modulo m the law after any stream is a translate.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import integer
from finitedp.spec.anonymized.estimator import solved
from finitedp.spec.pmf import Pmf, mixture

__all__ = [
    "circulant_inverse",
    "cyclic_ratio",
    "expected",
    "is_cyclic_table",
    "output_law",
    "saturating_law",
    "state_and_output_law",
    "state_law",
    "truncated_law",
    "two_states_law",
    "wrapped_cancel",
    "wrapped_geometric",
    "wrapped_indicator",
]

Weights = Sequence[int]


def is_cyclic_table(weights: Weights, ratio: mpq, bits: int) -> bool:
    """Whether v_d >= 1, v_d = v_{m-d}, the sum is 2^bits, and v_d <= R v_{d+1} and back for all d modulo m."""
    m = len(weights)
    around = [*weights, weights[0]]
    return (
        min(weights) >= 1
        and all(weights[d] == weights[-d % m] for d in range(m))
        and sum(weights) == 2**bits
        and all(a <= ratio * b and b <= ratio * a for a, b in pairwise(around))
    )


def cyclic_ratio(weights: Weights) -> mpq:
    """The worst ratio of two weights that are next to each other on the cycle."""
    return max(max(mpq(a, b), mpq(b, a)) for a, b in pairwise([*weights, weights[0]]))


def state_law(weights: Weights, count: int) -> Pmf[int]:
    """The law of the register at any time: Pr[s] = v_{(s - count) mod m} / 2^B, for the count so far. Source: GK.E."""
    m = len(weights)
    return Pmf({s: weights[(s - count) % m] for s in range(m)})


def output_law(weights: Weights, fresh: Weights, count: int) -> Pmf[int]:
    """The law of the final output alone: the register plus fresh noise, modulo m."""
    m = _modulus(weights, fresh)
    return state_law(weights, count).then(lambda s: state_law(fresh, s % m))


def state_and_output_law(weights: Weights, fresh: Weights, before: int, after: int) -> Pmf[tuple[int, int]]:
    """The joint law of the register at one intrusion, with `before` events by then, and of the output, `after` events later.

    Source: GK.E (the original notion of pan-privacy).
    """
    m = _modulus(weights, fresh)
    states = state_law(weights, before)
    return mixture([(states[s], _beside(s, state_law(fresh, (s + after) % m))) for s in states])


def _beside(s: int, law: Pmf[int]) -> Pmf[tuple[int, int]]:
    return law.pushforward(lambda out: (s, out))


def two_states_law(weights: Weights, before: int, between: int) -> Pmf[tuple[int, int]]:
    """The joint law of the register at two intrusions: their difference is the number of events between, exactly."""
    return state_law(weights, before).pushforward(lambda s: (s, (s + between) % len(weights)))


def _modulus(weights: Weights, fresh: Weights) -> int:
    if len(weights) != len(fresh):
        raise ParameterError(f"the noises have the moduli {len(weights)} and {len(fresh)}; accepted: the same")
    return len(weights)


# What does not work


def truncated_law(noise: Pmf[int], count: int) -> Pmf[int]:
    """The state Z + count on the integers, for a Z of finite range: its support moves with the count."""
    return noise.shifted(count)


def saturating_law(noise: Pmf[int], count: int, low: int, high: int) -> Pmf[int]:
    """The state after `count` increments of a register that stops at `high`: its low end empties."""
    state = noise.clamped(low, high)
    for _ in range(count):
        state = state.pushforward(lambda s: min(s + 1, high))
    return state


# Estimates on the cycle


def wrapped_geometric(decay: mpq, m: int) -> Pmf[int]:
    """The discrete Laplace law modulo m: Pr[d] proportional to p^d + p^(m-d). Parameters: decay in (0, 1); m >= 1."""
    p, q = decay.numerator, decay.denominator
    integer(m, "m", at_least=1)
    # Over (q + p)(q^m - p^m): (q - p)(p^d q^(m-d) + p^(m-d) q^d), and at d = 0 both series start there.
    return Pmf({d: (q - p) * (p**d * q ** (m - d) + p ** (m - d) * q**d) for d in range(m)})


def wrapped_cancel(decay: mpq, m: int) -> list[mpq]:
    """g on the cycle: wrapped_geometric * wrapped_cancel is 1 at 0 and 0 elsewhere. Parameters: m >= 3."""
    integer(m, "m", at_least=3)
    k = decay / (1 - decay) ** 2
    values = [mpq(0)] * m
    values[0], values[1], values[-1] = (1 + decay**2) / (1 - decay) ** 2, -k, -k
    return values


def wrapped_indicator(decay: mpq, m: int, r: int, antipode: int, noises: int = 1) -> list[mpq]:
    """f_r on the cycle: g, once for each noise, convolved with the indicator of the arc r, ..., antipode - 1.

    Unbiased for all counts 0, ..., antipode - 1. Parameters: 1 <= r <= antipode <= m.
    """
    integer(r, "r", 1, antipode)
    values = [mpq(r <= y < integer(antipode, "antipode", r, m)) for y in range(m)]
    for _ in range(noises):
        g = wrapped_cancel(decay, m)
        values = [sum((g[i] * values[(y - i) % m] for i in range(m)), mpq(0)) for y in range(m)]
    return values


def expected(law: Pmf[int], values: Sequence[mpq] | Callable[[int], mpq]) -> mpq:
    """The mean of a function of the register."""
    at = values if callable(values) else values.__getitem__
    return sum((law[y] * at(y) for y in law), mpq(0))


def circulant_inverse(weights: Weights) -> Mapping[int, mpq]:
    """The exact inverse of any cyclic noise: the function whose cyclic convolution with v / 2^B is 1 at 0, else 0.

    Raises: ParameterError where there is none. Cost: a rational system of m equations.
    """
    m, total = len(weights), sum(weights)
    rows = [[mpq(weights[(c - y) % m], total) for y in range(m)] for c in range(m)]
    found = solved(rows, [mpq(c == 0) for c in range(m)])
    return dict(enumerate(found))
