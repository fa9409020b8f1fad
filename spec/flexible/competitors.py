"""Ways to release max_k or the mode of a histogram on a public list of bars, as laws over integers.

All are (epsilon, delta)-differentially private under adding or removing a row, by finite tables of integers: a uniform draw
below a total decides. E stands for e^epsilon; where a mechanism stands on a rational ratio, that is at most E.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from gmpy2 import mpq, mpz

from finitedp.exact import exp_bounds
from finitedp.spec.pmf import Pmf

__all__ = [
    "choice",
    "choice_weights",
    "distance_to_change_max_k",
    "distance_to_change_mode",
    "exponential",
    "exponential_base",
    "exponential_ratio",
    "law_of_max_k",
    "law_of_mode",
    "level",
    "propose_test_release",
    "released_if_above",
    "smooth_tables",
    "smooth_worst_ratio",
    "spread_costs_max_k",
    "spread_costs_mode",
    "with_noise_at",
]

Histogram = Sequence[int]
SCALE = mpz(1) << 60


# Bars with noise of their own


def law_of_max_k(bars: Sequence[Pmf[int]], k: int, default: int = 0) -> Pmf[int]:
    """The last bar with at least k, of independent noisy counts. Source: FD.Compare.laws."""
    found, none = dict[int, int](), 1  # none: the weight, over the total of the bars looked at, that none of them reaches k
    for i in reversed(range(len(bars))):
        law = bars[i]
        reach = sum(w for y, w in law.weights.items() if y >= k)
        found = {j: w * law.total for j, w in found.items()} | {i: none * reach}
        none *= law.total - reach
    found[default] = found.get(default, 0) + none
    return Pmf(found)


def law_of_mode(bars: Sequence[Pmf[int]]) -> Pmf[int]:
    """The bar with the largest of independent noisy counts, the first one of equals. Source: FD.Compare.laws.

    Pr[i] is the sum over v of Pr[y_i = v], all before it below v, and all behind it at most v.
    """
    top = max(max(law) for law in bars)
    low = max(min(law) for law in bars)  # the largest is never below it
    values = range(low, top + 1)
    tables = []
    for law in bars:
        below = sum(w for y, w in law.weights.items() if y < low)
        tables.append(list(accumulate((law.weight(v) for v in values), initial=below)))
    found = [0] * len(bars)
    for place, v in enumerate(values):
        behind, products = 1, [1] * len(bars)
        for i in reversed(range(len(bars))):
            products[i] = behind
            behind *= tables[i][place + 1]
        before = 1
        for i, law in enumerate(bars):
            if not before:
                break
            found[i] += before * law.weight(v) * products[i]
            before *= tables[i][place]
    return Pmf(dict(enumerate(found)))


def released_if_above(noise: Pmf[int], count: int, threshold: int, most: int) -> Pmf[int]:
    """A bar of the stability-based histogram: count + noise, at most `most`, if that is above the threshold, else 0.

    An empty bar is not looked at. Source: FD.Compare.stability.
    """
    if count == 0:
        return Pmf.point(0)
    return noise.pushforward(lambda z: y if (y := min(most, count + z)) > threshold else 0)


# The exponential mechanism, and its exact ratio


def exponential_base(epsilon: mpq, bars: int) -> mpq:
    """rho = e^(-epsilon/(2 (B - 1))), from above, of the utility -|answer - r| with sensitivity B - 1."""
    return 1 / exp_bounds(epsilon / (2 * max(1, bars - 1)), 96)[0]


@lru_cache(maxsize=64)
def _powers(rho: mpq, count: int) -> tuple[int, ...]:
    """floor(rho^d 2^60), at least 1."""
    found, power = list[int](), mpq(1)
    for _ in range(count):
        found.append(max(1, int(power * SCALE)))
        power = mpq(int(power * rho * SCALE * SCALE), SCALE * SCALE)
    return tuple(found)


def exponential(answer: int, bars: int, rho: mpq) -> Pmf[int]:
    """r with weight floor(rho^|answer - r| 2^60). Source: FD.Compare.exponential."""
    powers = _powers(rho, bars)
    return Pmf({r: powers[abs(answer - r)] for r in range(bars)})


def exponential_ratio(bars: int, rho: mpq) -> mpq:
    """The largest ratio of one output's probabilities at two answers, any two of which neighbours may have."""
    powers = _powers(rho, bars)
    totals = [sum(powers[abs(f - r)] for r in range(bars)) for f in range(bars)]
    worst = mpq(1)
    for r in range((bars + 1) // 2):  # the mirror image has the same
        column = [mpq(powers[abs(f - r)], totals[f]) for f in range(bars)]
        worst = max(worst, max(column) / min(column))
    return worst


# Propose-test-release


def distance_to_change_max_k(x: Histogram, k: int) -> int:
    """How many rows must be added or removed before one more can change max_k (default: bar 0). Source: FD.Compare.ptr."""
    m = max((i for i, count in enumerate(x) if count >= k), default=0)
    falls = [x[m] - k] if m > 0 else []
    return max(0, min([*falls, *(k - 1 - count for count in x[m + 1 :])], default=sum(x) + len(x)))


def distance_to_change_mode(x: Histogram) -> int:
    """The same for the mode, the first of equals. Source: FD.Compare.ptr."""
    i = list(x).index(max(x))
    return max(0, min((x[i] - count + (j > i) for j, count in enumerate(x) if j != i), default=sum(x) + 2) - 1)


def propose_test_release(answer: int, bars: int, distance: int, weights: Sequence[int]) -> Pmf[int]:
    """The answer if J < distance, for one-sided noise J of a table, else uniform on the bars. Source: FD.Compare.ptr."""
    total, passed = mpz(sum(weights)), mpz(sum(weights[: max(0, distance)]))
    refused = total - passed
    found = dict.fromkeys(range(bars), refused)
    found[answer] += passed * bars
    return Pmf(found)


# Smooth sensitivity, with noise whose tails are Cauchy's


def spread_costs_max_k(x: Histogram, k: int) -> dict[int, int]:
    """For each jump s of max_k: the least number of rows after which one more may change it by s. Source: FD.Compare.smooth.

    A jump from i to j < i: bar i is at k or k - 1, j qualifies (bar 0 always does), and no bar above j but i does.
    """
    bars, best = len(x), dict[int, int]()
    excess = [max(0, count - k + 1) for count in x]
    above = list(accumulate(reversed(excess), initial=0))[::-1]  # above[j + 1]: of bars j + 1, ...
    for j in range(bars):
        for i in range(j + 1, bars):
            edge = x[i] - k if x[i] >= k else k - 1 - x[i]
            cost = edge + above[j + 1] - excess[i] + (max(0, k - x[j]) if j else 0)
            best[i - j] = min(cost, best.get(i - j, cost))
    return best


def spread_costs_mode(x: Histogram) -> dict[int, int]:
    """A lower bound of the same for the mode: rows to a tie of i and j that nothing is above, less one.

    It is 0 where a row can change the mode by that much, and changes by at most 1 with every row, which is all that is needed.
    """
    heights = sorted(set(x))
    over = {h: sum(max(0, count - h) for count in x) for h in heights}
    best = dict[int, int]()
    for h in heights:
        short = [max(0, h - count) for count in x]
        order = sorted(range(len(x)), key=short.__getitem__)[: 2 * len(x)]
        for a, i in enumerate(order):
            for j in order[a + 1 :]:
                cost = max(0, over[h] + short[i] + short[j] - 1)
                if cost < best.get(abs(i - j), cost + 1):
                    best[abs(i - j)] = cost
    return best


def level(costs: dict[int, int], growth: mpq) -> int:
    """K(x) = max over jumps s of lev(s) - cost(s), at least 0, lev(s) the least l with s <= growth^l: it is 1-Lipschitz."""
    found, power, l_of_s = 0, mpq(1), 0
    for s in sorted(costs):
        while power < s:
            power, l_of_s = power * growth, l_of_s + 1
        found = max(found, l_of_s - costs[s])
    return found


@lru_cache(maxsize=8)
def smooth_tables(bars: int, growth: mpq, width: mpq) -> tuple[tuple[int, ...], ...]:
    """For each level K: weights of |noise| = u, floor(2^60/(1 + (u/(width growth^K))^2)), u < B, and of all beyond each side.

    Up to the level at which growth^K >= B - 1. Outputs beyond B - 1 are cut off anyway; with the scale s = width growth^K
    their weight is floor(2^60 s^2/(B + 2s/3)), about the tail of s^2/(s^2 + u^2): s^2/B where s is small, 3s/2 for pi s/2.
    """
    found, scale = list[tuple[int, ...]](), width
    jump = mpq(1)
    while True:
        square = scale * scale
        weights = [max(1, int(SCALE * square / (square + u * u))) for u in range(bars)]
        found.append((*weights, max(1, int(SCALE * square / (bars + 2 * scale / 3)))))
        if jump >= bars - 1:
            return tuple(found)
        jump, scale = jump * growth, scale * growth


def _total(table: Sequence[int]) -> int:
    return table[0] + 2 * sum(table[1:])


def _tails(table: Sequence[int]) -> list[int]:
    """Pr[noise >= u] times the total, u = 0, ..., B - 1."""
    return list(accumulate(reversed(table)))[::-1][:-1]


def smooth_worst_ratio(bars: int, growth: mpq, width: mpq) -> mpq:
    """An upper bound of the ratio of any output at neighbours: levels at most 1 apart, answers at most growth^min(K, K').

    Weights and tails fall with the distance, so that the largest shift is the worst one.
    """
    tables = smooth_tables(bars, growth, width)
    worst, jump = mpq(1), mpq(1)
    for low, table in enumerate(tables):
        shift = min(bars - 1, int(jump))
        for other in {low, min(low + 1, len(tables) - 1)}:
            for p, q in ((table, tables[other]), (tables[other], table)):
                norm = mpq(_total(q), _total(p))
                for left, right in ((p[:bars], q[:bars]), (_tails(p), _tails(q))):
                    for u in range(bars):
                        worst = max(worst, norm * mpq(left[u], right[min(bars - 1, u + shift)]))
        jump *= growth
    return worst


def with_noise_at(answer: int, bars: int, table: Sequence[int]) -> Pmf[int]:
    """answer + noise, cut off at 0 and B - 1. Source: FD.Compare.smooth."""
    tails = _tails(table)
    found = {r: mpz(table[abs(r - answer)]) for r in range(bars)}
    found[0] = mpz(tails[answer])
    found[bars - 1] = mpz(tails[bars - 1 - answer])
    return Pmf(found) if bars > 1 else Pmf.point(0)


# The choice of a high bar


def choice_weights(x: Histogram, base: mpq) -> list[int]:
    """base^(x_i) for every bar, as integers over one denominator."""
    low, top = min(x), max(x)
    up, down = [1], [1]
    for _ in range(top - low):
        up.append(up[-1] * base.numerator)
        down.append(down[-1] * base.denominator)
    return [up[count - low] * down[top - count] for count in x]


def choice(x: Histogram, base: mpq) -> Pmf[int]:
    """Bar i, of a public list, with a probability in proportion to base^(x_i): private with a ratio below base.

    Source: FD.Compare.choice. Parameters: base > 1, a rational.
    """
    return Pmf(dict(enumerate(choice_weights(x, base))))
