"""The maximum under privacy: what no mechanism beats, a mechanism that attains it, and certificates of both.

The task: counts c_1, ..., c_k of bars above a lowest one that is never empty. An answer i >= 1 is right where bar i has a row
and at most D rows lie above it, the answer 0 where at most D rows lie above the lowest bar: it is the maximum of the data with
at most D rows left out. A mechanism is a law on right answers for every c; counts are cut at D + 1, which loses nothing.

Lower bound: with E = e^epsilon, p_i(c + e_i) <= E p_i(c) + delta and p_i = 0 for an empty bar give
p_i(c) <= delta (E^(c_i) - 1)/(E - 1); filling the top bar up to D + 1 rows in all gives
p_0(c) <= delta (E^(D + 1 - |c|) - 1)/(E - 1). The p_i sum to 1. Where c splits D + 1 into k + 1 parts as evenly as can be, the
right sides sum to delta times the sum of E^floor(j/(k + 1)), j = 0..D: delta is at least its inverse, delta*.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise, product

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.pmf import Pmf

__all__ = ["Chain", "answers", "bound_is_shown", "chain", "composition", "counts", "delta_star", "lowest_pmf", "violation"]

Counts = tuple[int, ...]


def answers(c: Counts, dropped: int) -> set[int]:
    """The right answers: 0 for the lowest bar, i for c_i (the i-th of the tuple, from 1)."""
    above = [sum(c[i:]) for i in range(len(c) + 1)]  # above[i]: rows of bars i + 1, ..., k
    return {i for i, rows in enumerate(above) if rows <= dropped and (i == 0 or c[i - 1] > 0)}


def counts(k: int, dropped: int) -> Iterator[Counts]:
    """All counts up to D + 1 of k bars."""
    return product(range(dropped + 2), repeat=k)


def delta_star(k: int, dropped: int, ratio: mpq) -> mpq:
    """1 / (sum over j = 0..D of E^floor(j/(k + 1))): no mechanism has a smaller delta. Source: FD.Extreme.bound."""
    return 1 / sum((ratio ** (j // (k + 1)) for j in range(dropped + 1)), mpq(0))


def composition(c: Counts, dropped: int) -> list[int]:
    """t_k = min(c_k, D + 1), t_i = min(c_i, what is left of D + 1) from the top down, and t_0 the rest: parts of D + 1."""
    rest, parts = dropped + 1, list[int]()
    for count in reversed(c):
        parts.append(min(count, rest))
        rest -= parts[-1]
    return [rest, *reversed(parts)]


def lowest_pmf(c: Counts, dropped: int, ratio: mpq, delta: mpq) -> Pmf[int]:
    """The mechanism that attains delta*: p_i = min(delta (E^(t_i) - 1)/(E - 1), l), with the l for which they sum to 1.

    Source: FD.Extreme.attained. Raises: ParameterError where they cannot sum to 1 at this delta.
    """
    most = [delta * (ratio**t - 1) / (ratio - 1) for t in composition(c, dropped)]
    if sum(most, mpq(0)) < 1:
        raise ParameterError(f"the probabilities of {c} do not reach 1 at delta = {delta}")
    rest = mpq(1)
    for place, cap in enumerate(sorted(most)):
        level = rest / (len(most) - place)
        if cap >= level:
            return Pmf.from_probabilities({i: p for i, cap in enumerate(most) if (p := min(cap, level))})
        rest -= cap
    return Pmf.from_probabilities({i: cap for i, cap in enumerate(most) if cap})


def violation(laws: Mapping[Counts, Pmf[int]], dropped: int, ratio: mpq, delta: mpq) -> str | None:
    """What is wrong with a mechanism as a proof that delta is enough: a wrong answer, or two neighbours too far apart."""
    for c, law in laws.items():
        wrong = law.support - answers(c, dropped)
        if wrong:
            return f"answer {min(wrong)} is wrong of {c}"
        for i in range(len(c)):
            d = (*c[:i], c[i] + 1, *c[i + 1 :])
            if d in laws:
                for p, q in ((law, laws[d]), (laws[d], law)):
                    over = sum((max(mpq(0), p[x] - ratio * q[x]) for x in p), mpq(0))
                    if over > delta:
                        return f"delta {over} between {c} and {d}"
    return None


@frozen
class Chain:
    """A certificate that delta is at least a bound: for each answer, the counts along which its probability falls to 0.

    at: the counts at which all answers are looked at. steps: answer -> the counts from `at` to ones of which it is wrong.
    """

    at: Counts
    steps: dict[int, list[Counts]]


def chain(k: int, dropped: int) -> Chain:
    """The certificate of delta*: at an even split, remove rows of bar i one by one; for 0, add rows to the top bar."""
    whole, more = divmod(dropped + 1, k + 1)
    parts = [whole + (i < more) for i in range(k + 1)]
    at = tuple(parts[1:])
    steps: dict[int, list[Counts]] = {
        0: [(*at[:-1], at[-1] + j) if k else () for j in range(parts[0] + 1)],
    }
    for i in range(1, k + 1):
        steps[i] = [(*at[: i - 1], at[i - 1] - j, *at[i:]) for j in range(parts[i] + 1)]
    return Chain(at, steps)


def bound_is_shown(found: Chain, k: int, dropped: int, ratio: mpq, bound: mpq) -> bool:
    """Whether the certificate shows delta >= bound, for any mechanism.

    Each step is between neighbours: p is at most E times the next p plus delta, and the last p is 0. So p(at) is at most
    delta (1 + E + ...), and all right answers together have probability 1.
    """
    total = mpq(0)
    for answer in range(k + 1):
        if answer not in answers(found.at, dropped):
            continue
        path = found.steps.get(answer, ())
        if not path or path[0] != found.at or answer in answers(path[-1], dropped):
            return False
        for c, d in pairwise(path):
            if min(d, default=0) < 0 or sum(abs(a - b) for a, b in zip(c, d, strict=True)) != 1:
                return False
        total += sum((ratio**j for j in range(len(path) - 1)), mpq(0))
    return bool(bound * total <= 1)
