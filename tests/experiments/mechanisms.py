"""The mechanisms at an epsilon and delta = 2^-20, as exact laws of answers; those that choose bars partly by seeded runs."""

from collections.abc import Callable
from functools import cache, lru_cache
from random import Random

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import compare_exp, exp_bounds
from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.impl.flexible.tables import ShiftedTable, least_q, shifted_table
from finitedp.proofs_check.checks.calibration import BITS_OF_LEVELS, base_below, smooth_laplace_parameters
from finitedp.proofs_check.checks.choosing import parameters
from finitedp.spec.flexible import competitors as spec
from finitedp.spec.flexible import smooth_laplace
from finitedp.spec.flexible.choosing import answer_of_max_k
from finitedp.spec.flexible.shifted_truncated import bar
from finitedp.spec.pmf import Pmf
from tests.experiments import choosing
from tests.experiments.settings import Histogram, Setting

DELTA = mpq(1, 2**20)
BITS = 64
Law = Callable[[Setting, Histogram, mpq], Pmf[int]]


@cache
def one_sided(epsilon: mpq) -> ShiftedTable:
    """The table with the least q for (epsilon, 2^-20)."""
    return shifted_table(least_q(epsilon, DELTA, BITS), epsilon, BITS)


@cache
def two_sided(epsilon: mpq, most: int) -> Pmf[int]:
    """Dyadic noise for counts 0..most, for which adding or removing a row, which moves one bar, has a ratio of e^epsilon."""
    table = dyadic_table(most, 2 * epsilon, BITS)
    return Pmf({sign * j: table.weight(j) for j in range(most + 1) for sign in (-1, 1)})


@cache
def threshold_of_stability(epsilon: mpq, most: int) -> tuple[int, mpq]:
    """The least b with Pr[noise >= b] <= 2^-20, and that probability: the exact delta of the stability-based histogram."""
    noise, tail = two_sided(epsilon, most), mpq(0)
    for b in reversed(range(most + 1)):
        more = tail + noise[b]
        if more > DELTA:
            return b + 1, tail
        tail = more
    return 0, tail


def most_of(setting: Setting) -> int:
    """A public bound on the counts of bars, at which they are cut off: 2047 for max, 1023 and 255 for the modes."""
    return {1: 2047, 2: 2047, 3: 2047, 4: 2047, 5: 1023, 6: 255}[setting.number]


def _from_bars(setting: Setting, laws: dict[int, Pmf[int]], x: Histogram) -> Pmf[int]:
    bars = [laws[count] for count in x]
    return spec.law_of_max_k(bars, setting.k) if setting.k else spec.law_of_mode(bars)


def new(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """The statistic of the shifted-truncated histogram."""
    weights = one_sided(epsilon).weights
    return _from_bars(setting, {count: bar(weights, count) for count in set(x)}, x)


def stability(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """The statistic of the stability-based histogram."""
    most = most_of(setting)
    threshold, _ = threshold_of_stability(epsilon, most)
    noise = two_sided(epsilon, most)
    return _from_bars(setting, {c: spec.released_if_above(noise, c, threshold, most) for c in set(x)}, x)


@cache
def calibrated_base(epsilon: mpq, bars: int) -> mpq:
    """The least rho, to 2^-16, whose exact ratio is at most e^epsilon."""
    low, high = 0, 1 << 16  # rho = high/2^16 is private
    while high - low > 1:
        middle = (low + high) // 2
        private = compare_exp(spec.exponential_ratio(bars, mpq(middle, 1 << 16)), epsilon) <= 0
        low, high = (low, middle) if private else (middle, high)
    return mpq(high, 1 << 16)


def exponential(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """The exponential mechanism, with all of epsilon spent."""
    return spec.exponential(setting.answer(x), setting.bars, calibrated_base(epsilon, setting.bars))


def exponential_printed(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """The exponential mechanism as Appendix L.2 has it, e^(epsilon q/(2 Delta)): it spends less than epsilon."""
    return spec.exponential(setting.answer(x), setting.bars, spec.exponential_base(epsilon, setting.bars))


def propose_test_release(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """Release of stable values, with one-sided noise on the distance; a uniform answer where it refuses."""
    distance = spec.distance_to_change_max_k(x, setting.k) if setting.k else spec.distance_to_change_mode(x)
    return spec.propose_test_release(setting.answer(x), setting.bars, distance, one_sided(epsilon).weights)


@cache
def smooth_parameters(epsilon: mpq, bars: int) -> tuple[mpq, mpq]:
    """Growth, a rational below e^(epsilon/2), and the least width, to 1/4, whose ratio is at most e^epsilon."""
    growth = mpq(int(exp_bounds(epsilon / 2, 64)[0] * 1024), 1024)
    low, high = 0, int(64 / epsilon)
    while high - low > 1:
        middle = (low + high) // 2
        private = compare_exp(spec.smooth_worst_ratio(bars, growth, mpq(middle, 4)), epsilon) <= 0
        low, high = (low, middle) if private else (middle, high)
    if compare_exp(spec.smooth_worst_ratio(bars, growth, mpq(high, 4)), epsilon) > 0:
        raise ParameterError(f"no width up to {mpq(high, 4)} is private at epsilon = {epsilon}")
    return growth, mpq(high, 4)


@lru_cache(maxsize=64)
def _costs(setting: Setting, x: Histogram) -> dict[int, int]:
    return spec.spread_costs_max_k(x, setting.k) if setting.k else spec.spread_costs_mode(x)


def smooth(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """The exact answer with noise of Laplace's tails, of the scale of its smooth sensitivity."""
    growth, width = smooth_laplace_parameters(epsilon, setting.bars, base_below(epsilon), DELTA)
    at = min(spec.level(_costs(setting, x), growth), len(smooth_laplace.jumps(setting.bars, growth)) - 1)
    return smooth_laplace.law(setting.answer(x), _levels(setting.bars, growth, width)[at])


@cache
def _levels(bars: int, growth: mpq, width: mpq) -> list[tuple[int, ...]]:
    return smooth_laplace.tables(bars, growth, width, BITS_OF_LEVELS)


def smooth_cauchy(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """The exact answer with noise of Cauchy's tails, at the width of its smooth sensitivity: delta = 0."""
    growth, width = smooth_parameters(epsilon, setting.bars)
    tables = spec.smooth_tables(setting.bars, growth, width)
    at = min(spec.level(_costs(setting, x), growth), len(tables) - 1)
    return spec.with_noise_at(setting.answer(x), setting.bars, tables[at])


def choosing_law(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """The choosing mechanism: one choice for the mode, and several with noisy heights for max_k."""
    found = parameters(epsilon, DELTA, heights=setting.k > 0)
    return choosing.chosen_law(setting, x, found, most_of(setting))


def choosing_runs(setting: Setting, x: Histogram, epsilon: mpq, runs: int) -> list[int]:
    """Seeded answers of it to max_k."""
    draw = Random(f"choosing {setting.number} {epsilon} {x}")  # seeded runs, which are labelled
    found = parameters(epsilon, DELTA, heights=True)
    told = choosing.chosen_heights(x, found, most_of(setting), draw, runs)
    return [answer_of_max_k(points, setting.k) for points in told]


def ungated_mode(setting: Setting, x: Histogram, epsilon: mpq) -> Pmf[int]:
    """One choice of a bar, occupied or not, in favour of high ones: its answer to the mode."""
    del setting
    return spec.choice(x, base_below(epsilon))


EXACT: dict[str, Law] = {
    "new": new,
    "stability": stability,
    "exponential": exponential,
    "exponential as printed": exponential_printed,
    "propose-test-release": propose_test_release,
    "smooth sensitivity": smooth,
    "smooth sensitivity (Cauchy)": smooth_cauchy,
}

CHOICES = 10


def ungated_runs(setting: Setting, x: Histogram, epsilon: mpq, runs: int) -> list[int]:
    """Seeded answers to max_k: ten bars chosen in favour of high ones with half of epsilon, noisy heights with the other half.

    The answer is the last chosen bar whose noisy height is at least k, and at least where noise is with probability 2^-10.
    """
    draw = Random(f"ungated {setting.number} {epsilon} {x}")  # seeded runs, which are labelled
    weights = spec.choice_weights(x, base_below(epsilon / (2 * CHOICES)))
    noise = two_sided(epsilon / 2, most_of(setting))
    values, ends, total, floor = list[int](), list[int](), 0, 0
    for z in sorted(noise):
        total += int(noise.weight(z))
        values.append(z)
        ends.append(total)
    floor = next(values[i] for i, end in enumerate(ends) if (total - end) * 1024 <= total)
    return [_run(draw, x, list(weights), (values, ends, total), max(setting.k, floor)) for _ in range(runs)]


def _run(draw: Random, x: Histogram, weights: list[int], noise: tuple[list[int], list[int], int], least: int) -> int:
    values, ends, total = noise
    answer, whole = 0, sum(weights)
    for _ in range(min(CHOICES, len(x))):
        left = draw.randrange(int(whole))
        i = 0
        while left >= weights[i]:
            left -= weights[i]
            i += 1
        whole, weights[i] = whole - weights[i], 0
        at = draw.randrange(total)
        low, high = 0, len(ends) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if ends[middle] <= at else (low, middle)
        if x[i] + values[low] >= least:
            answer = max(answer, i)
    return answer
