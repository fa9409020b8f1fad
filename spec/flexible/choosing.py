"""The choosing mechanism of Beimel, Nissim and Stemmer on histograms, as laws over integers.

One choice: a gate passes if one-sided noise J is below the largest count; then an occupied bar is chosen with a weight of
rho^count. SanPoints repeats this on the bars that are left, and tells the noisy height of each chosen bar. J is j with
probability w_j / T for the integers w_0, ..., w_(q-1), neighbouring ones of which differ at most by the factor R (the tables
of `shifted_truncated`); theirs is Laplace noise above a threshold. Neighbours differ by a row more or less.
"""

from collections.abc import Sequence
from functools import cache, partial
from itertools import accumulate, pairwise
from math import comb

from gmpy2 import mpq, mpz

from finitedp.spec.flexible.competitors import choice_weights
from finitedp.spec.pmf import Pmf, mixture

__all__ = [
    "answer_of_max_k",
    "chosen_counts",
    "law_of_max_k",
    "one_choice",
    "one_choice_delta",
    "passed",
    "points",
]

Histogram = tuple[int, ...]
Weights = Sequence[int]
Points = tuple[tuple[int, int], ...]


def passed(gate: Weights, highest: int) -> mpq:
    """Pr[J < highest]. Source: FD.Compare.choosing."""
    return mpq(sum(gate[: max(0, highest)]), sum(gate))


def one_choice(x: Histogram, gate: Weights, base: mpq) -> Pmf[int | None]:
    """An occupied bar, or None where the gate refuses. Source: FD.Compare.choosing.

    Parameters: x, counts of public bars; gate, the weights of J; base > 1, the rational rho.
    """
    through = passed(gate, max(x, default=0))
    if not through:
        return Pmf.point(None)
    weights = {i: weight for i, weight in enumerate(choice_weights(x, base)) if x[i] >= 1}
    share = through / sum(weights.values())
    return Pmf.from_probabilities({None: 1 - through} | {i: share * weight for i, weight in weights.items()})


def one_choice_delta(gate: Weights, base: mpq) -> mpq:
    """The exact delta of one choice among two bars or more at E = R rho: the largest of three, over T.

    w_0: the first row at all. w_(q-1): the gate's last value. (w_0 + ... + w_(h-1)) rho / (rho + rho^h): a bar of one row,
    beside one of h rows. Later h have less: the sum is T from h = q on. Source: FD.Compare.choosing.
    """
    sums = enumerate(accumulate(gate), start=1)
    return max(mpq(gate[0]), mpq(gate[-1]), *(below * base / (base + base**h) for h, below in sums)) / sum(gate)


# Several choices, without replacement, and noisy heights


def points(x: Histogram, gate: Weights, base: mpq, noise: Pmf[int], rounds: int, most: int) -> Pmf[Points]:
    """(bar, count + noise) of each chosen bar, in turn, until the gate refuses or there were so many rounds.

    (rounds ln(R rho) + ln R', rounds delta)-private for the delta of one choice and noise of the ratio R' for a row, heights
    cut off at 0 and `most`: a row changes the height of one bar, which is told once. Source: FD.Compare.choosing.points.
    """
    if not rounds:
        return Pmf.point(())
    parts = list[tuple[mpq, Pmf[Points]]]()
    first = one_choice(x, gate, base)
    for i in first:
        if i is None:
            parts.append((first[i], Pmf.point(())))
            continue
        later = points((*x[:i], 0, *x[i + 1 :]), gate, base, noise, rounds - 1, most)
        height = noise.shifted(x[i]).clamped(0, most)
        parts += [(first[i] * height[told], later.pushforward(partial(_before, (i, told)))) for told in height]
    return mixture(parts)


def _before(first: tuple[int, int], rest: Points) -> Points:
    return (first, *rest)


def answer_of_max_k(found: Points, k: int, default: int = 0) -> int:
    """The last chosen bar whose noisy height is at least k."""
    return max((i for i, height in found if height >= k), default=default)


def chosen_counts(x: Histogram, gate: Weights, base: mpq, rounds: int) -> dict[tuple[int, ...], mpq]:
    """How many bars of each height, in rising order, are chosen in all, with the probability: bars of one height are alike."""
    heights = sorted(set(x))
    sizes = [x.count(h) for h in heights]
    weights = dict(zip(x, choice_weights(x, base), strict=True))

    @cache
    def rest(taken: tuple[int, ...], left: int) -> dict[tuple[int, ...], mpq]:
        there = [(g, h, sizes[g] - taken[g]) for g, h in enumerate(heights) if h >= 1 and sizes[g] > taken[g]]
        through = passed(gate, max((h for _, h, _ in there), default=0)) if left else mpq(0)
        ends = dict[tuple[int, ...], mpq]({taken: 1 - through})
        whole = sum(weights[h] * count for _, h, count in there)
        for g, h, count in there if through else ():
            more = (*taken[:g], taken[g] + 1, *taken[g + 1 :])
            for end, p in rest(more, left - 1).items():
                ends[end] = ends.get(end, mpq(0)) + through * weights[h] * count / whole * p
        return ends

    return rest((0,) * len(heights), rounds)


def law_of_max_k(x: Histogram, gate: Weights, base: mpq, noise: Pmf[int], rounds: int, k: int) -> Pmf[int]:
    """The law of answer_of_max_k, by groups of bars of one height. Source: FD.Compare.choosing.law.

    Of a group of n bars, m of them above i, a chosen ones hold j above i in C(m, j) C(n - m, a - j) of C(n, a) ways. Cost: the
    states are the numbers that are chosen of each height, so that few heights or few rounds are needed.
    """
    heights = sorted(set(x))
    fails = [sum((noise[z] for z in noise if h + z < k), mpq(0)) for h in heights]
    ends = chosen_counts(x, gate, base, rounds)
    return mixture([(p, _of_chosen(x, heights, fails, taken)) for taken, p in ends.items() if p])


def _of_chosen(x: Histogram, heights: Sequence[int], fails: Sequence[mpq], taken: Sequence[int]) -> Pmf[int]:
    """The law of the answer if so many bars of each height are chosen, each of which fails to reach k with its probability."""
    at_most = list[mpq]()
    for i in range(len(x)):
        none = mpq(1)
        for h, a, fail in zip(heights, taken, fails, strict=True):
            if a:
                none *= _none_above(a, x[i + 1 :].count(h), x.count(h), fail)
        at_most.append(none)
    return Pmf.from_probabilities(dict(enumerate([at_most[0], *(b - a for a, b in pairwise(at_most))])))


def _none_above(a: int, m: int, n: int, fail: mpq) -> mpq:
    """None of a bars, drawn from n of which m count, counts and reaches the threshold, which each fails to do with `fail`."""
    ways = (mpz(comb(m, j)) * comb(n - m, a - j) * fail**j for j in range(min(a, m) + 1))
    return sum(ways, mpq(0)) / comb(n, a)
