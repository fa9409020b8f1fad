"""The exact probability that Laplace and exponential draws satisfy rows: a sum of rationals times e^(a rational).

Draws that no row holds together are independent. Of those that some rows hold together one may be in several rows, and each of
the others in rows with it alone: given it they are independent, and what is left is one integral of exponentials, in pieces.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from gmpy2 import mpq

from finitedp.proofs_check.engine.noise.rows import Row

Sum = Mapping[mpq, mpq]
"""x -> c: the sum of c e^x."""
Line = tuple[mpq, mpq]
"""(u, v): the function u + v t."""
Term = tuple[mpq, mpq, mpq]
"""(c, x, rate): c e^(x + rate t)."""
ZERO, ONE, HALF = mpq(0), mpq(1), mpq(1, 2)


def probability(kinds: Mapping[int, str], rows: Sequence[Row]) -> Sum | None:
    """The probability of the rows, or None where it is not computed. Parameters: kinds, of the draws."""
    total: Sum = {ZERO: ONE}
    for draws, held in _components(rows):
        if not {kinds[k] for k in draws} <= {"laplace", "exponential"}:
            return None
        found = next((sum_ for shared in draws if (sum_ := _given(kinds, shared, draws, held)) is not None), None)
        if found is None:
            return None
        total = _product(total, found)
    return total


def _components(rows: Iterable[Row]) -> list[tuple[tuple[int, ...], list[Row]]]:
    """The rows, with the draws that they hold together."""
    found: list[tuple[set[int], list[Row]]] = []
    for row in rows:
        here = {k for k, _ in row.items}
        met = [one for one in found if one[0] & here]
        found = [one for one in found if not one[0] & here]
        found.append((here.union(*(draws for draws, _ in met)), [row, *(old for _, olds in met for old in olds)]))
    return [(tuple(sorted(draws)), held) for draws, held in found]


def _product(left: Sum, right: Sum) -> Sum:
    made = defaultdict[mpq, mpq](mpq)
    for x, c in left.items():
        for y, d in right.items():
            made[x + y] += c * d
    return made


def _given(kinds: Mapping[int, str], shared: int, draws: Sequence[int], rows: Sequence[Row]) -> Sum | None:
    """The probability of rows, each of at most one draw beside the shared one."""
    lows, highs = defaultdict[int, list[Line]](list), defaultdict[int, list[Line]](list)
    for row in rows:
        others = [(k, value) for k, value in row.items if k != shared]
        if len(others) > 1:
            return None
        slope = dict(row.items).get(shared, ZERO)
        k, value = others[0] if others else (shared, slope)
        line = (-row.constant / value, -slope / value if others else ZERO)
        (lows if value > 0 else highs)[k].append(line)
    low = max((u for u, _ in lows[shared]), default=None)
    high = min((u for u, _ in highs[shared]), default=None)
    if kinds[shared] == "exponential":
        low = ZERO if low is None else max(low, ZERO)
    cuts = {ZERO}
    for k in draws:
        lines = {*lows[k], *highs[k], (ZERO, ZERO)} if k != shared else set()
        cuts |= {(u - p) / (q - v) for u, v in lines for p, q in lines if q != v}
    inner = sorted(t for t in cuts if (low is None or t > low) and (high is None or t < high))
    made = defaultdict[mpq, mpq](mpq)
    if low is not None and high is not None and low >= high:
        return made
    for start, end in pairwise([low, *inner, high]):
        middle = _between(start, end)
        terms = _density(kinds[shared], middle)
        for k in draws:
            if k != shared:
                terms = _times(terms, _inside(kinds[k], lows[k], highs[k], middle))
        for c, x, rate in terms:
            _add_integral(made, c, x, rate, start, end)
    return made


def _between(start: mpq | None, end: mpq | None) -> mpq:
    if start is None:
        return ZERO if end is None else end - 1
    return start + 1 if end is None else (start + end) / 2


def _density(kind: str, at: mpq) -> list[Term]:
    if kind == "laplace":
        return [(HALF, ZERO, ONE if at < 0 else -ONE)]
    return [(ONE, ZERO, -ONE)]


def _inside(kind: str, lows: Sequence[Line], highs: Sequence[Line], at: mpq) -> list[Term]:
    """That a draw is between the largest of some lines and the least of others, as it is around t = at."""
    low = max(lows, key=lambda line: line[0] + line[1] * at, default=None)
    high = min(highs, key=lambda line: line[0] + line[1] * at, default=None)
    if low is not None and high is not None and low[0] + low[1] * at >= high[0] + high[1] * at:
        return []
    above = [] if low is None else [(-c, x, rate) for c, x, rate in _below(kind, low, at)]
    return [*([(ONE, ZERO, ZERO)] if high is None else _below(kind, high, at)), *above]


def _below(kind: str, line: Line, at: mpq) -> list[Term]:
    """P[draw < u + v t]."""
    u, v = line
    if u + v * at < 0:
        return [(HALF, u, v)] if kind == "laplace" else []
    return [(ONE, ZERO, ZERO), (-(HALF if kind == "laplace" else ONE), -u, -v)]


def _times(left: Sequence[Term], right: Sequence[Term]) -> list[Term]:
    return [(c * d, x + y, r + s) for c, x, r in left for d, y, s in right]


def _add_integral(made: dict[mpq, mpq], c: mpq, x: mpq, rate: mpq, start: mpq | None, end: mpq | None) -> None:
    """Add the integral of c e^(x + rate t), which is finite: at an end at infinity the exponential is 0."""
    if rate:
        if end is not None:
            made[x + rate * end] += c / rate
        if start is not None:
            made[x + rate * start] -= c / rate
    else:
        assert start is not None and end is not None  # noqa: S101, PT018  # a bounded integrand falls at infinity
        made[x] += c * (end - start)
