"""The choosing mechanism of Beimel, Nissim and Stemmer in the experiments: its laws and seeded runs."""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from math import comb
from random import Random

from gmpy2 import mpq

from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.proofs_check.checks.choosing import BITS, Choosing, rounds_at
from finitedp.spec.flexible import choosing as spec
from finitedp.spec.pmf import Pmf
from tests.experiments.settings import Histogram, Setting

MOST_STATES = 100


@cache
def heights_noise(epsilon: mpq, most: int) -> Pmf[int]:
    """Dyadic noise for counts 0..most with a ratio of e^epsilon for a row."""
    table = dyadic_table(most, 2 * epsilon, BITS)
    return Pmf({sign * j: table.weight(j) for j in range(most + 1) for sign in (-1, 1)})


def is_exact(setting: Setting, epsilon: mpq) -> bool:
    """Whether the law is computed, since there are few ways to choose by height; else it is sampled."""
    heights = max(len(set(x)) for x in setting.data)
    return not setting.k or comb(heights + rounds_at(epsilon), rounds_at(epsilon)) <= MOST_STATES


def chosen_law(setting: Setting, x: Histogram, found: Choosing, most: int) -> Pmf[int]:
    """The law of the answer: the mode is the one bar that is chosen, bar 0 where none is."""
    if not setting.k:
        return spec.one_choice(x, found.gate.weights, found.base).pushforward(lambda i: 0 if i is None else i)
    return spec.law_of_max_k(x, found.gate.weights, found.base, heights_noise(found.heights, most), found.rounds, setting.k)


def chosen_heights(x: Histogram, found: Choosing, most: int, draw: Random, runs: int) -> list[spec.Points]:
    """Seeded runs: (bar, noisy height) of the chosen bars."""
    low, top = min(x), max(x)
    weights = [int(found.base.numerator) ** (c - low) * int(found.base.denominator) ** (top - c) if c else 0 for c in x]
    gate = list(accumulate(map(int, found.gate.weights)))
    noise = heights_noise(found.heights, most)
    values = sorted(noise)
    ends = list(accumulate(int(noise.weight(z)) for z in values))
    return [_run(draw, list(x), list(weights), found.rounds, (gate, values, ends)) for _ in range(runs)]


def _place(draw: Random, ends: Sequence[int]) -> int:
    """The first place whose end is above a uniform draw below the last end."""
    at, low, high = draw.randrange(ends[-1]), 0, len(ends) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if ends[middle] <= at else (low, middle)
    return low


def _run(
    draw: Random, left: list[int], weights: list[int], rounds: int, tables: tuple[list[int], list[int], list[int]]
) -> spec.Points:
    gate, values, ends = tables
    told = list[tuple[int, int]]()
    for _ in range(rounds):
        if _place(draw, gate) >= max(left):
            break
        i = _place(draw, list(accumulate(weights)))
        told.append((i, left[i] + values[_place(draw, ends)]))
        left[i] = weights[i] = 0
    return tuple(told)
