"""Re-checks the certificate of an audit of a pipeline from the file alone: python pipeline_certificate.py FILE...

It imports the standard library only, and it is what decides in an audit, too: that finds shifts, merged regions and events by
linear programs, this says what follows from them, by additions and multiplications of rationals. It takes as it is written
that the paths are those of the program: for each input its draws, comparisons (rows: a form of draws is above 0), output and
the probability of its discrete draws. It derives that the paths are all; which inputs are neighbours; that a region stands for
its paths; that a shift carries a region into its target with equal outputs, at which cost; that the shift of normal draws
depends on earlier answers only; what follows for each claim; of one that fails the probability of the event.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise, product
from math import isqrt
from pathlib import Path as File
from typing import Any, NamedTuple

FORMAT = "finitedp pipeline certificate"
KEYS = {"format", "version", "name", "neighbours", "universe", "n", "inputs", "pairs", "claims", "paths", "merged", "matches"}
KEYS |= {"rounded", "verdicts", "witnesses", "derived", "sha256"}
BOUNDED = 1 << 32
"""The number of the first symbol that is no draw, but a number that a declared bound is on."""
SUPPORTS = {"exponential": [(1, 0)], "uniform": [(1, 0), (-1, 1)]}
"""Of standard draws of less than the whole line: (a, c) such that a x + c > 0."""
SIGNS: Mapping[str, tuple[int, ...]] = {
    "laplace": (1, -1),
    "normal": (1, -1),
    "exponential": (1,),
    "gumbel": (1,),
    "uniform": (),
}
"""The laws, and in which directions their draws may be shifted."""
HOLDS, FAILS, BY_ROUNDING, UNKNOWN = "holds, if the primitives are ideal", "fails", "fails by rounding only", "unknown"
REACH, CELLS = 8, 16  # of integrals: up to which value of a draw, and how many cells to 1
BITS = 40  # to which numbers are rounded, to see whether rounding alone makes a claim fail
Written = Any
"""What stands in a document; or a rational of any type."""
Items = tuple[tuple[int, Any], ...]
"""The multiples of draws, by their numbers, in order; none is 0."""
Form = tuple[Items, Any]
"""A sum of multiples of draws, plus a rational."""
Row = tuple[Items, Any, bool]
"""form > 0, or with False form >= 0; the first multiple of a draw is 1 or -1."""
Sum = Mapping[Any, Any]
"""x -> c: the sum of c e^x."""
Ends = tuple[Fraction, Fraction]
Losses = Sequence[tuple[Any, Any, Any, Any]]
"""(p, p', cost, squares) of each region of D that is carried into one of D'."""
Shift = Mapping[int, Any]
"""By how much draws are moved, in their scales."""
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise ValueError(message)


# Numbers


@lru_cache(maxsize=1 << 16)
def number(text: object) -> Fraction:
    """A rational, written p/q or p in lowest terms."""
    need(isinstance(text, str) and 0 < len(text) <= 20_000 and set(text) <= set("-/0123456789"), "a number is no p/q")
    found = Fraction(str(text))
    need(str(found) == text, "a number is not in lowest terms")
    return found


@lru_cache(maxsize=4096)
def exp_ends(x: Fraction, bits: int = 200) -> Ends:
    """Rationals below and above e^x, by the series of e^(x / 2^k), |x / 2^k| <= 1/2, squared k times."""
    need(x < 1 << 16, "an exponent is too large")
    if x <= 0:
        low, high = (ONE, ONE) if not x or x < -(1 << 16) else exp_ends(-x, bits)
        return (ZERO, Fraction(1, 1 << (1 << 16))) if x < -(1 << 16) else (1 / high, 1 / low)
    halvings = (abs(x.numerator) // x.denominator).bit_length() + 1
    unit = 1 << (bits + 2 * halvings + 8)
    z, term, total, i = x / (1 << halvings), ONE, ZERO, 0
    while abs(term) * unit >= 1:
        total += term
        i += 1
        term = Fraction(round(term * z / i * unit * 16), unit * 16)
    low, high = (total + sign * Fraction(i + 4, unit) for sign in (-1, 1))  # what is left, and i roundings, are below this
    for _ in range(halvings):
        low, high = Fraction(low * low * unit // 1, unit), Fraction(-(-high * high * unit // 1), unit)
    return low, high


def _plain(x: Written) -> Fraction:
    return x if isinstance(x, Fraction) else Fraction(int(x.numerator), int(x.denominator))


def sum_ends(terms: Iterable[tuple[Any, Any]], bits: int = 200) -> Ends:
    """Rationals around a sum of c e^x."""
    low = high = ZERO
    for c, x in terms:
        ends = exp_ends(_plain(x), bits)
        low, high = low + _plain(c) * ends[c < 0], high + _plain(c) * ends[c >= 0]
    return low, high


def sign(terms: Iterable[tuple[Any, Any]]) -> int:
    """The sign of a sum of c e^x. One of distinct rational x is not 0 (Lindemann)."""
    total = defaultdict[Any, Any](Fraction)
    for c, x in terms:
        total[x] += c
    left = [(c, x) for x, c in total.items() if c]
    for bits in (200, 1000, 5000, 25_000) if left else ():
        low, high = sum_ends(left, bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
    need(not left, "a sum of exponentials is too near to 0")
    return 0


def exceeds(p: Written, x: Written, q: Written) -> bool:
    """Whether p e^x > q, for p, q > 0."""
    bits = sum(int(part).bit_length() for one in (p, q) for part in (one.numerator, one.denominator))
    if (p > q) == (x > 0) or not x or abs(x) > bits:  # above |ln q/p|
        return bool(x > 0 if x else p > q)
    return sign(((p, x), (-q, ZERO))) > 0


def log_ends(x: Fraction) -> Ends:
    """Rationals around ln x, x > 0, by bisection of e^t."""
    low, high = (ZERO, ZERO) if x == 1 else (Fraction(-4000), Fraction(4000))
    for _ in range(90 if low else 0):
        middle = (low + high) / 2
        ends = exp_ends(middle)
        low, high = (middle if ends[1] <= x else low), (middle if ends[0] >= x else high)
    return low, high


def _root(x: Fraction, bits: int = 260) -> Ends:
    """Rationals around a square root."""
    found = isqrt((x.numerator << (2 * bits)) // x.denominator)
    return Fraction(found, 1 << bits), Fraction(found + 1, 1 << bits)


def _two_pi(by: int) -> Fraction:
    """2 pi, or a rational 2^-499 above or below it, by Machin: 16 arctan(1/5) - 4 arctan(1/239)."""
    arctan = [sum((Fraction((-1) ** n, (2 * n + 1) * q ** (2 * n + 1)) for n in range(130)), ZERO) for q in (5, 239)]
    return 32 * arctan[0] - 8 * arctan[1] + Fraction(by, 1 << 499)


ROOT_OF_2PI = _root(_two_pi(-1))[0], _root(_two_pi(1))[1]


def below_ends(z: Ends) -> Ends:
    """Rationals around P[a standard normal draw < z], for z in an interval: 1/2 + (a series) / sqrt(2 pi)."""
    return _below(z[0])[0], _below(z[1])[1]


@lru_cache(maxsize=4096)
def _below(z: Fraction) -> Ends:
    """By the alternating series sum (-1)^n z^(2n+1) / (2^n n! (2n+1)), with 2 |z|^2 + 200 more bits than it needs."""
    if abs(z) > 40:
        return (ZERO, Fraction(1, 1 << 1000)) if z < 0 else (1 - Fraction(1, 1 << 1000), ONE)
    unit = 1 << (300 + 2 * int(z * z))
    power, total, n, square = int(z * unit), 0, 0, int(z * z * unit)
    while power or n <= z * z:
        total += power // (2 * n + 1)
        n += 1
        power = -power * square // (2 * n * unit)
    wide = (n + 4) * (1 << (2 * int(z * z) + 8))
    ends = [Fraction(value, unit) / root for value in (total - wide, total + wide) for root in ROOT_OF_2PI]
    return HALF + min(ends), HALF + max(ends)


def gaussian(squares: Fraction, epsilon: Ends) -> Ends:
    """Rationals around delta(epsilon) of a Gaussian pair at mu, mu^2 = squares, epsilon in an interval; 1 where it is < 0."""
    if epsilon[0] < 0:
        return ONE, ONE
    mu = _root(_plain(squares))
    low, high = epsilon[0] / mu[1], epsilon[1] / mu[0]
    first = below_ends((mu[0] / 2 - high, mu[1] / 2 - low))
    second = below_ends((-mu[1] / 2 - high, -mu[0] / 2 - low))
    return first[0] - exp_ends(epsilon[1])[1] * second[1], first[1] - exp_ends(epsilon[0])[0] * second[0]


# The probability that draws satisfy rows


def probability(kinds: Mapping[int, str], rows: Iterable[Row]) -> Sum | None:
    """The probability of rows on Laplace and exponential draws, an exact sum of exponentials; None where it is not known.

    Draws that no row holds together are independent. Of those that some rows hold together one may be in several rows, each
    of the others in rows with it alone: given it they are independent, and what is left is an integral of exponentials, in
    pieces. Uniform draws may be in rows alone. Parameters: kinds, of the draws.
    """
    total: Sum = {ZERO: ONE}
    for draws, held in _components(rows):
        laws, found = {kinds[k] for k in draws}, None
        if laws == {"uniform"} and len(draws) == 1:
            ends = [(row[0][0][1] > 0, -row[1] / row[0][0][1]) for row in held]
            low, high = max([ZERO, *(x for up, x in ends if up)]), min([ONE, *(x for up, x in ends if not up)])
            found = {ZERO: max(high - low, ZERO)}
        elif laws <= {"laplace", "exponential"}:
            found = next((part for shared in draws if (part := _given(kinds, shared, draws, held)) is not None), None)
        if found is None:
            return None
        made = defaultdict[Any, Any](lambda: ZERO)
        for x, c in total.items():
            for y, d in found.items():
                made[x + y] += c * d
        total = made
    return total


def _components(rows: Iterable[Row]) -> list[tuple[tuple[int, ...], list[Row]]]:
    """The rows, with the draws that they hold together."""
    found: list[tuple[set[int], list[Row]]] = []
    for row in rows:
        here = {k for k, _ in row[0]}
        met = [one for one in found if one[0] & here]
        found = [one for one in found if not one[0] & here]
        found.append((here.union(*(draws for draws, _ in met)), [row, *(old for _, olds in met for old in olds)]))
    return [(tuple(sorted(draws)), held) for draws, held in found]


def _lines(shared: int, rows: Iterable[Row]) -> tuple[Written, Written] | None:
    """Of rows, each of at most one draw beside the shared t: what each draw is above, and below, as lines u + v t."""
    bounds: Any = {side: defaultdict(list) for side in (True, False)}
    for items, constant, _ in rows:
        others = [(k, value) for k, value in items if k != shared]
        if len(others) > 1:
            return None
        slope = dict(items).get(shared, ZERO)
        k, value = others[0] if others else (shared, slope)
        bounds[value > 0][k].append((-constant / value, -slope / value if others else ZERO))
    return bounds[True], bounds[False]


def _given(kinds: Mapping[int, str], shared: int, draws: Sequence[int], rows: Sequence[Row]) -> dict[Any, Any] | None:
    """The probability of rows, each of at most one draw beside the shared one."""
    lines = _lines(shared, rows)
    if lines is None:
        return None
    lows, highs = lines
    support = [ZERO] if kinds[shared] == "exponential" else []
    low: Any = max([*support, *(u for u, _ in lows[shared])], default=None)
    high: Any = min((u for u, _ in highs[shared]), default=None)
    made = defaultdict[Any, Any](lambda: ZERO)
    if low is not None and high is not None and low >= high:
        return made
    cuts = {ZERO}
    for k in set(draws) - {shared}:
        ends = {*lows[k], *highs[k], (ZERO, ZERO)}
        cuts |= {(u - p) / (q - v) for u, v in ends for p, q in ends if q != v}
    inner = sorted(t for t in cuts if (low is None or t > low) and (high is None or t < high))
    for start, end in pairwise([low, *inner, high]):
        middle = (ZERO if end is None else end - 1) if start is None else start + 1 if end is None else (start + end) / 2
        terms = [(HALF, ZERO, ONE if middle < 0 else -ONE)] if kinds[shared] == "laplace" else [(ONE, ZERO, -ONE)]
        for k in set(draws) - {shared}:
            inside = _inside(kinds[k], lows[k], highs[k], middle)
            terms = [(c * d, x + y, r + s) for c, x, r in terms for d, y, s in inside]
        for c, x, rate in terms:  # the integral of c e^(x + rate t), which is finite: at an end at infinity it is 0
            if not rate:
                made[x] += c * (end - start)
            for at, by in ((end, c), (start, -c)) if rate else ():
                if at is not None:
                    made[x + rate * at] += by / rate
    return made


def _inside(kind: str, lows: Sequence[Any], highs: Sequence[Any], at: Written) -> list[tuple[Any, Any, Any]]:
    """That a draw is between the largest of some lines and the least of others, as it is around t = at: c e^(x + rate t)."""
    low, high = (
        end(lines, key=lambda line: line[0] + line[1] * at, default=None) for end, lines in ((max, lows), (min, highs))
    )
    if low is not None and high is not None and low[0] + low[1] * at >= high[0] + high[1] * at:
        return []
    half = HALF if kind == "laplace" else ONE

    def under(u: Written, v: Written) -> list[tuple[Any, Any, Any]]:  # P[draw < u + v t]
        if u + v * at < 0:
            return [(HALF, u, v)] if kind == "laplace" else []
        return [(ONE, ZERO, ZERO), (-half, -u, -v)]

    above = [] if low is None else [(-c, x, rate) for c, x, rate in under(*low)]
    return [*([(ONE, ZERO, ZERO)] if high is None else under(*high)), *above]


# Paths and regions


class Call(NamedTuple):
    """A call of a function of whose value no more is taken than what a bound says, which is declared.

    bound: (name, of, norm, most): that the norm ("1", "2", "max") of its "value" is at most so much, or that of the
    "difference" of its values at neighbours, in the same call after the same answers, where there are no discrete draws, with
    equal numbers that depend on draws.
    arguments: with "*" for each such number, which is in forms; None where they are not known to be equal to any. seen: the
    value at these data, where no argument depends on draws; else empty.
    """

    bound: tuple[str, str, str, Any]
    arguments: Any
    forms: tuple[Form, ...]
    answers: int
    line: str
    size: int
    seen: tuple[Any, ...]


class Path(NamedTuple):
    """One path of a program.

    draws: (kind, forms that it is a function of, answers before it, line, scale). rows: what is compared, as it is answered;
    answers: "y" or "n" to each, where draws left it open. shape: the output, with "*" for each number that depends on draws,
    which is in forms. weight: the probability of its discrete draws. calls: of bounded functions; their numbers are symbols
    from BOUNDED on, one after the other.
    """

    draws: tuple[tuple[str, tuple[Form, ...], int, str, Any], ...]
    rows: tuple[Row, ...]
    answers: str
    shape: Any
    forms: tuple[Form, ...]
    weight: Any
    calls: tuple[Call, ...] = ()

    def numbers(self, i: int) -> range:
        """The symbols of a call."""
        first = BOUNDED + sum(call.size for call in self.calls[:i])
        return range(first, first + self.calls[i].size)

    def reached(self, held: Iterable[Items]) -> set[int]:
        """The symbols that stand in forms, and what they are functions of."""
        of: dict[int, Any] = {k: i for i in range(len(self.calls)) for k in self.numbers(i)}
        found, more = set[int](), draws_in(held)
        while more:
            found |= more
            forms = (form for k in more for form in (self.calls[of[k]].forms if k in of else self.draws[k][1]))
            more = draws_in(items for items, _ in forms) - found
        return found


def draws_in(held: Iterable[Items]) -> set[int]:
    """The draws that stand in forms or rows."""
    return {k for items in held for k, _ in items}


def tightest(rows: Iterable[Row]) -> dict[Items, Row]:
    """Of each direction the row that implies the others."""
    found: dict[Items, Row] = {}
    for row in rows:
        least = found.get(row[0])
        if least is None or (row[1], not row[2]) < (least[1], not least[2]):
            found[row[0]] = row
    return found


def supports(kinds: Mapping[int, str]) -> list[Row]:
    """What is known of draws without any comparison."""
    return [(((k, Fraction(a)),), Fraction(c), True) for k in sorted(kinds) for a, c in SUPPORTS.get(kinds[k], [])]


def opposite(row: Row, strict: bool = True) -> Row:
    """Its complement, but for ties of continuous draws, whose probability is 0."""
    return tuple((k, -v) for k, v in row[0]), -row[1], strict


class Region:
    """A part of the space of draws where the output is one form of them.

    paths: what it is made of. rows: what holds there. weight: the probability of the discrete draws. merged: whether it takes
    the place of several, by Theorem C. draws: (kind, forms that it is a function of) of each that matters, by number; calls:
    likewise.
    """

    def __init__(self, paths: Sequence[Path], rows: Iterable[Row], weight: Written, *, merged: bool = False) -> None:
        first = paths[0]
        self.paths, self.rows, self.weight, self.merged = tuple(paths), tuple(rows), weight, merged
        self.shape, self.forms = first.shape, first.forms
        live = first.reached([*(row[0] for row in self.rows), *(items for items, _ in self.forms)])
        self.draws = {k: first.draws[k][:2] for k in sorted(live) if k < BOUNDED}
        self.calls = {i: call for i, call in enumerate(first.calls) if not live.isdisjoint(first.numbers(i))}
        self.kinds = {k: kind for k, (kind, _) in self.draws.items()}
        self.known = tightest([*supports(self.kinds), *self.rows])

    @property
    def output(self) -> tuple[Any, ...]:
        """What an observer sees of the path, and the draws that matter."""
        return self.shape, self.forms, tuple(self.draws.items()), tuple(self.calls.items())


def regions(paths: Sequence[Path]) -> list[Region]:
    """The regions of an input, as the paths are: those that differ in discrete draws, or in uniform ones alone, together."""
    alike = defaultdict[Any, list[Region]](list)
    for path in paths:
        one = _region(path)
        alike[one.output, frozenset(one.rows)].append(one)
    return [
        Region([*(x.paths[0] for x in same)], same[0].rows, sum((x.weight for x in same), ZERO)) for same in alike.values()
    ]


def _region(path: Path) -> Region:
    """A path as a region: what it tells of a uniform draw that nothing else depends on is a probability."""
    given = [*(draw[1] for draw in path.draws), *(call.forms for call in path.calls), path.forms]
    held = [items for of in given for items, _ in of]
    together = draws_in([*held, *(row[0] for row in path.rows if len(row[0]) > 1)])
    alone = {k for k, draw in enumerate(path.draws) if draw[0] == "uniform" and k not in together}
    rows, weight = [], path.weight
    ends: dict[int, dict[int, Any]] = {k: {-1: ONE, 1: ZERO} for k in alone}  # x < u and x > -l
    for items, constant, strict in tightest(path.rows).values():
        if items[0][0] in alone:
            ends[items[0][0]][int(items[0][1])] = constant
        else:
            rows.append((items, constant, strict))
    for both in ends.values():
        weight = weight * max(min(both[-1], ONE) - max(-both[1], ZERO), ZERO)
    return Region([path], rows, weight)


def laws_of(paths: Sequence[Path]) -> dict[int, str]:
    """The laws of the draws of paths that divide one space, of which regions may be merged. Raises: ValueError."""
    kinds: dict[int, str] = {}
    calls: dict[int, Call] = {}
    for path in paths:
        need(path.weight == 1, "regions are merged beside discrete draws")
        need(all(row[2] for row in path.rows), "regions are merged where ties may be")
        for k, (kind, *_) in enumerate(path.draws):
            need(kinds.setdefault(k, kind) == kind and kind in SIGNS, "regions are merged of draws of several laws")
        for i, call in enumerate(path.calls):
            need(
                calls.setdefault(i, call) == call and not call.forms,
                "regions are merged of several calls, or of calls on draws",
            )
    return kinds


def hull(paths: Sequence[Path], members: Sequence[int], rows: Sequence[Row], inside: Written, apart: Written) -> Region:
    """A region that takes the place of paths of one output: its rows hold on them, and no other path is met (Theorem C).

    Parameters: inside, for each path of it and each row, and apart, for each other path, the multipliers that show it.
    """
    mine, kinds = [pick(paths, i) for i in members], laws_of(paths)
    need(bool(mine) and len({(one.shape, one.forms) for one in mine}) == 1, "a region has several outputs, or none")
    need(len(set(members)) == len(mine), "a path is in a region twice")
    made = Region(mine, rows, ONE, merged=True)
    need(all(one.draws[k][:2] == draw for one in mine for k, draw in made.draws.items()), "the draws of a region differ")
    shown = [(path, [opposite(row)]) for i, path in enumerate(paths) if i in members for row in rows]
    others = [(path, list(rows)) for i, path in enumerate(paths) if i not in members]
    for (path, against), multipliers in [*zip(shown, inside, strict=True), *zip(others, apart, strict=True)]:
        contradict([*supports(kinds), *path.rows, *against], multipliers)
    return made


def contradict(rows: Sequence[Row], multipliers: Iterable[tuple[int, Any]]) -> None:
    """That strict rows have no common solution: multipliers of them, by place, sum them to a constant of at most 0."""
    sums, total = defaultdict[int, Any](Fraction), ZERO
    for i, by in multipliers:
        items, constant, _ = pick(rows, i)
        need(by > 0, "a multiplier is not above 0")
        total += by * constant
        for k, value in items:
            sums[k] += by * value
    need(bool(sums) and not any(sums.values()) and total <= 0, "multipliers do not contradict")


def rounded(paths: Sequence[Path]) -> list[Path]:
    """The same with numbers of 40 bits, and floats in outputs of 12 digits."""

    def bits(x: Written) -> Written:
        size = x.numerator.bit_length() - x.denominator.bit_length() - BITS
        unit = Fraction(2) ** size
        return type(x)((x / unit + HALF).__floor__() * unit) if x else x

    def near(shape: Written) -> Written:
        if not isinstance(shape, tuple):
            return shape
        if len(shape) == 3 and shape[0] == "value" and "float" in str(shape[1]):
            return (*shape[:2], f"{float(str(shape[2]).split('(')[-1].rstrip(')')):.12g}")
        return tuple(map(near, shape))

    def of(form: Written) -> Written:
        return tuple((k, bits(v)) for k, v in form[0]), bits(form[1]), *form[2:]

    return [
        path._replace(rows=tuple(map(of, path.rows)), shape=near(path.shape), forms=tuple(map(of, path.forms)))
        for path in paths
    ]


# Shifts


def moved(items: Items, by: Shift) -> Written:
    """By how much a form changes where its draws are shifted."""
    return sum((value * by.get(k, ZERO) for k, value in items), ZERO)


def shifted(source: Region, target: Region, by: Shift, turns: Mapping[int, Shift]) -> tuple[Any, Any]:
    """The cost and the squares of a shift that carries the source into the target. Raises: ValueError where it does not.

    Theorem A: the density at x is at most e^cost times that at x + by, with cost the sum of |by| over Laplace draws, and over
    exponential and Gumbel draws, which are shifted upwards only; uniform draws are not shifted. Theorem D: functions of draws
    are equal where their arguments are. Theorem F: draws are shifted by `turns` times each free number, too, which may be any
    within its ball, and a function of draws that were drawn before those that it shifts.
    """
    kinds = {**target.kinds, **source.kinds}
    need(all(kinds[k] == kind for k, kind in target.kinds.items()), "draws of one number have several laws")
    held = {*by, *(k for turn in turns.values() for k in turn)}
    need(held <= set(kinds) and source.shape == target.shape and len(source.forms) == len(target.forms), "outputs differ")
    view = seen_from(source, target)
    after = {w: ball.after for ball in view.balls for w in ball.numbers}
    need(all(w in after and all(k > after[w] for k in turn) for w, turn in turns.items()), "a shift comes before its number")
    need(all(view.alike(a, b, by, turns) for a, b in view.equal), "a number of the output, or of a function, changes")
    known = source.known if kinds.keys() == source.kinds.keys() else {**tightest(supports(kinds)), **source.known}
    for row in view.rows:
        own = [one for one in view.rows_like(known, row) if one[2] or not row[2]]
        need(bool(own), "a row of the target is in no row of the source")
        rise = moved(row[0], by)
        kept = any(rise - view.slack(one[0], row[0], turns) >= one[1] - row[1] for one in own)
        need(kept, "a row of the target does not hold after the shift")
    for k in held:
        away = view.reach({w: turn.get(k, ZERO) for w, turn in turns.items()})
        both = (by.get(k, ZERO) + away, by.get(k, ZERO) - away)
        need(all(not x or (1 if x > 0 else -1) in SIGNS.get(kinds[k], ()) for x in both), "a draw is shifted out of its law")
    return view.paid(kinds, by, turns)


class Ball(NamedTuple):
    """Numbers that may be any within a bound: after, the last draw that they are a function of; origin, what they are."""

    norm: str
    most: Any
    numbers: range
    after: int
    origin: tuple[Any, ...]


class View(NamedTuple):
    """A target in the numbers of a source: its rows, and which forms must be equal; balls, of the free numbers."""

    rows: Sequence[Row]
    equal: Sequence[tuple[Form, Form]]
    balls: Sequence[Ball]

    def fixed(self, items: Items) -> Items:
        """Without the free numbers."""
        return tuple(one for one in items if not any(one[0] in ball.numbers for ball in self.balls)) if self.balls else items

    def apart(self, one: Items, other: Items) -> dict[int, Any]:
        """By how much two forms differ in each free number."""
        mine, others = dict(one), dict(other)
        free = (w for ball in self.balls for w in ball.numbers)
        return {w: mine.get(w, ZERO) - others.get(w, ZERO) for w in free if w in mine or w in others}

    def alike(self, one: Form, other: Form, by: Shift, turns: Mapping[int, Shift]) -> bool:
        """Whether a form of the target is after the shift what one of the source was, whatever the free numbers are."""
        if self.fixed(one[0]) != self.fixed(other[0]) or moved(other[0], by) != one[1] - other[1]:
            return False
        apart = self.apart(one[0], other[0])
        return all(moved(other[0], turns.get(w, {})) == apart.get(w, ZERO) for w in {*apart, *turns})

    def rows_like(self, known: Mapping[Items, Row], row: Row) -> list[Row]:
        """The rows of a source that are of the same draws as one of the target."""
        if not self.balls:
            return [known[row[0]]] if row[0] in known else []
        return [one for one in known.values() if self.fixed(one[0]) == self.fixed(row[0])]

    def slack(self, own: Items, items: Items, turns: Mapping[int, Shift]) -> Written:
        """By how much free numbers may lower a row of the target below that of the source."""
        apart = self.apart(items, own)
        return self.reach({w: apart.get(w, ZERO) + moved(items, turns.get(w, {})) for w in {*apart, *turns}})

    def reach(self, of: Shift) -> Written:
        """The largest value of a form of free numbers."""
        return sum((ball.most * _norm(_DUAL[ball.norm], [of.get(w, ZERO) for w in ball.numbers]) for ball in self.balls), ZERO)

    def paid(self, kinds: Mapping[int, str], by: Shift, turns: Mapping[int, Shift]) -> tuple[Any, Any]:
        """The cost, and the squares of shifts of normal draws: each at most this, whatever the free numbers are."""
        other, normal = ({k for k, kind in kinds.items() if (kind == "normal") == side} for side in (False, True))
        cost = sum((abs(value) for k, value in by.items() if k in other), ZERO)
        cost += sum((_stretched("1", ball, turns, other) for ball in self.balls), ZERO)
        parts: Any = [(((k, ONE),), None, True) for k, x in by.items() if k in normal and x]
        for ball in self.balls:
            held = {k for w in ball.numbers for k, x in turns.get(w, {}).items() if k in normal and x}
            parts += [(tuple((k, ONE) for k in sorted(held)), ball, True)] if held else []
        squares = ZERO
        for draws, shifts in _components(parts):  # of draws that balls shift together
            fixed = sum((by.get(k, ZERO) ** 2 for k in draws), ZERO)
            turned = sum((_stretched("2", one[1], turns, set(draws)) for one in shifts if one[1] is not None), ZERO)
            squares += (_above_root(fixed) + turned) ** 2 if turned else fixed
        return cost, squares


_DUAL = {"1": "max", "2": "2", "max": "1"}


def _norm(norm: str, of: Iterable[Any]) -> Written:
    """A norm; the Euclidean one from above, where it is no rational."""
    if norm == "2":
        return _above_root(sum((x * x for x in of), ZERO))
    return max(map(abs, of), default=ZERO) if norm == "max" else sum(map(abs, of), ZERO)


def _above_root(x: Written) -> Fraction:
    """A square root, or if it is no rational one that is above it."""
    x = _plain(x)
    found = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    return found if found * found == x else _root(x)[1]


def _stretched(norm: str, ball: Ball, turns: Mapping[int, Shift], draws: set[int]) -> Written:
    """At least the largest norm of the shifts of some draws by the numbers of a ball."""
    columns = [{k: x for k, x in turns.get(w, {}).items() if k in draws} for w in ball.numbers]
    if ball.norm == "1":  # at a corner
        found = max(_norm(norm, column.values()) for column in columns)
    elif ball.norm == "max":
        found = _norm(norm, [sum((abs(column.get(k, ZERO)) for column in columns), ZERO) for k in draws])
    elif norm == "1":  # Cauchy and Schwarz
        found = _norm("2", [_norm("1", column.values()) for column in columns])
    else:  # the largest eigenvalue is at most the largest sum of a row
        found = _above_root(max(sum((abs(moved(tuple(a.items()), b)) for b in columns), ZERO) for a in columns))
    return ball.most * found


def seen_from(source: Region, target: Region) -> View:
    """The target with the source's numbers for values that are the same, since the arguments are, or differ by free numbers.

    Free numbers are the values of functions whose "value" is bounded, on both sides, and differences.
    """
    equal = list(zip(source.forms, target.forms, strict=True))
    for k in source.draws.keys() & target.draws.keys():
        need(len(source.draws[k][1]) == len(target.draws[k][1]), "functions differ")
        equal += zip(source.draws[k][1], target.draws[k][1], strict=True)
    if not source.calls and not target.calls:
        return View(target.rows, equal, ())
    here, there = source.paths[0], target.paths[0]
    balls, names, same = list[Ball](), dict[int, Items](), list[tuple[Form, Form]]()

    def ball(call: Call, numbers: range, *origin: Sequence[Call]) -> None:
        given = [
            path.reached(items for items, _ in of[-1].forms) for path, of in zip((here, there), origin, strict=True) if of
        ]
        balls.append(Ball(*call.bound[2:], numbers, max((k for one in given for k in one if k < BOUNDED), default=-1), origin))

    for i, call in source.calls.items():
        if call.bound[1] == "value":
            ball(call, here.numbers(i), here.calls[: i + 1], ())
    for j, call in target.calls.items():
        forms = [_renamed(form, names) for form in call.forms]
        like = (k for k, one in source.calls.items() if _same(one, call, forms))
        times = [one.bound for one in there.calls[:j]].count(call.bound)
        again = [k for k, one in enumerate(here.calls) if one.bound == call.bound][times : times + 1]
        found = next(iter([*like, *(again if call.bound[1] == "difference" else ())]), None)
        fresh = range((numbers := there.numbers(j)).start + BOUNDED, numbers.stop + BOUNDED)
        if found is None:
            need(call.bound[1] == "value", "a call of a bounded function has none that it is compared with")
            ball(call, fresh, (), there.calls[: j + 1])
            names |= {k: ((w, ONE),) for k, w in zip(numbers, fresh, strict=True)}
            continue
        i, mine = found, here.calls[found]
        need(len(mine.forms) == len(forms) and mine.size == call.size, "a bounded function is called otherwise")
        same += zip(mine.forms, forms, strict=True)
        names |= {k: ((w, ONE),) for k, w in zip(numbers, here.numbers(i), strict=True)}
        if not _same(mine, call, forms):
            alike = here.answers[: mine.answers] == there.answers[: call.answers] and here.weight == there.weight == 1
            need(alike, "a bounded function is called after other answers, or beside discrete draws")
            ball(call, fresh, here.calls[: i + 1], there.calls[: j + 1])
            names |= {k: (*names[k], (w, ONE)) for k, w in zip(numbers, fresh, strict=True)}
    renamed = [(one, _renamed(other, names)) for one, other in equal]
    return View([(*_renamed(row[:2], names), row[2]) for row in target.rows], [*renamed, *same], balls)


def _same(one: Call, other: Call, forms: Sequence[Form]) -> bool:
    """Whether a call is given what another one is, if the numbers that depend on draws are equal."""
    mine = [draws_of(items) for items, _ in one.forms]
    alike = one.arguments is not None and (one.bound, one.arguments, one.size) == (other.bound, other.arguments, other.size)
    return alike and mine == [draws_of(items) for items, _ in forms]


def draws_of(items: Items) -> Items:
    """Without the numbers that bounds are on."""
    return tuple(one for one in items if one[0] < BOUNDED)


def _renamed(form: Form, names: Mapping[int, Items]) -> Form:
    sums = defaultdict[int, Any](Fraction)
    for k, value in form[0]:
        for w, by in names.get(k, ((k, ONE),)):
            sums[w] += value * by
    return tuple(sorted((k, value) for k, value in sums.items() if value)), form[1]


def contradicted(sides: Sequence[Sequence[Path]], pairs: Iterable[tuple[int, int]]) -> tuple[str, str, tuple[int, ...]] | None:
    """The name of a bound that the data contradict, how, and at which inputs; None where they contradict none.

    Values that were seen are within it, equal where the arguments are, and within it of those of the same call at a neighbour
    after the same answers. Parameters: paths of each input, and which are neighbours.
    """
    values, tables = dict[Any, Any](), [defaultdict[Any, list[Call]](list) for _ in sides]
    for i, path in [(i, path) for i, paths in enumerate(sides) for path in paths]:
        for j, call in enumerate(path.calls):
            name, of, norm, most = call.bound
            times = [one.bound for one in path.calls[:j]].count(call.bound)
            tables[i][call.bound, times, path.answers[: call.answers]] += [call] if call.seen else []
            if of == "value" and call.seen and _more(norm, call.seen, most):
                return name, f"{call.line}: the value is {_told(call.seen)}", (i,)
            if call.seen and call.arguments is not None and values.setdefault((name, call.arguments), call.seen) != call.seen:
                return name, f"{call.line}: the value is no function of the arguments", (i,)
    for i, j in pairs:
        for key in tables[i].keys() & tables[j].keys():
            name, of, norm, most = key[0]
            for one, other in product(tables[i][key], tables[j][key]) if of == "difference" else ():
                apart = [x - y for x, y in zip(one.seen, other.seen, strict=False)]
                if one.size != other.size or _more(norm, apart, most):
                    return name, f"{one.line}: the values are {_told(one.seen)} and {_told(other.seen)}", (i, j)
    return None


def _told(numbers: Sequence[Any]) -> str:
    shown = ", ".join(f"{float(_plain(x)):.6g}" for x in numbers[:4])
    return f"({shown}{', ...' * (len(numbers) > 4)})" if len(numbers) > 1 else shown


def _more(norm: str, of: Sequence[Any], most: Written) -> bool:
    return bool(sum((x * x for x in of), ZERO) > most * most if norm == "2" else _norm(norm, of) > most)


def bound(
    paths: Sequence[Path], mine: Sequence[Region], theirs: Sequence[Region], matches: Iterable[Sequence[Any]]
) -> tuple[Losses, Any]:
    """What the matches (source, target or None, shift, maybe turns) of two inputs show: losses, and what has no target.

    Theorem A asks that all paths of D are in one source each, and targets do not overlap; Theorem B that the shift of a
    normal draw is a function of the answers before it. Raises: ValueError.
    """
    found, open_, members, reached, chosen = [], ZERO, [], [], dict[Any, Any]()
    for i, j, by, *more in matches:
        source, target = pick(mine, i), None if j is None else pick(theirs, j)
        members += source.paths
        if target is None:
            open_ += source.weight
            continue
        reached += target.paths
        turns = more[0] if more else {}
        found.append((source.weight, target.weight, *shifted(source, target, by, turns)))
        balls = seen_from(source, target).balls if turns else ()
        origins = {w: (w - one.numbers.start, *one.origin) for one in balls for w in one.numbers}
        for path in source.paths:
            for k, (kind, _, forks, *_) in enumerate(path.draws):
                own = (by.get(k, ZERO), {origins[w]: turn[k] for w, turn in turns.items() if turn.get(k)})
                earlier = kind != "normal" or chosen.setdefault((k, path.answers[:forks]), own) == own
                need(earlier, "a normal draw is shifted by a later answer")
    need(sorted(map(id, members)) == sorted(map(id, paths)), "a path is in no region, or in several")
    need(len({*map(id, reached)}) == len(reached), "two regions have one target")
    return found, open_


def factor_of(claim: Mapping[str, Any]) -> tuple[Any, Any]:
    """(r, x) of the claim's r e^x."""
    return (ONE, claim["epsilon"]) if claim["ratio"] is None else (claim["ratio"], ZERO)


def delta_ends(losses: Losses, open_: Written, claim: Mapping[str, Any]) -> Ends:
    """Rationals around a delta for which the claim's epsilon follows.

    Without normal draws: the sum of p - e^(epsilon - cost) p' where that is above 0, and of p of what has no target. With
    them (Theorem B): the delta of a Gaussian pair, mu^2 the largest sum of squares, at epsilon less the largest cost and the
    largest ln p/p' (each the largest by itself: the three may be attained on different paths).
    """
    factor, exponent = factor_of(claim)
    squares = max((one[3] for one in losses), default=ZERO)
    if squares:
        most, cost = log_ends(_plain(max(p / q for p, q, *_ in losses))), _plain(max(one[2] for one in losses))
        log = log_ends(_plain(factor))
        left = _plain(exponent) - cost + log[0] - most[1], _plain(exponent) - cost + log[1] - most[0]
        low, high = gaussian(squares, left)
        return min(low + _plain(open_), ONE), min(high + _plain(open_), ONE)
    total = defaultdict[Any, Any](Fraction, {ZERO: open_})
    for p, q, cost, _ in losses:
        if exceeds(p, cost - exponent, factor * q):
            total[ZERO] += p
            total[exponent - cost] -= factor * q
    return sum_ends((c, x) for x, c in total.items() if c)


def shows(losses: Losses, open_: Written, back: Losses | None, claim: Mapping[str, Any]) -> bool:
    """Whether a claim follows from the losses of two inputs.

    Parameters: back, those of the other direction, if all of it is shifted.

    Of Renyi divergences: D_alpha is at most the largest cost + alpha squares / 2 + ln p/p', since given the draws before it
    each normal draw has the mean e^((alpha - 1) alpha by^2 / 2) of the ratio of densities to the power alpha - 1; of costs
    alone, in both directions, at most alpha cost^2 / 2 (Bun and Steinke, Proposition 3.3). zCDP: for all alpha > 1.
    """
    if "delta" in claim:
        if not claim["delta"]:
            factor, x = factor_of(claim)
            return not open_ and not any(squares or exceeds(p, cost - x, factor * q) for p, q, cost, squares in losses)
        return bool(delta_ends(losses, open_, claim)[1] <= claim["delta"])
    if open_:
        return False
    order, most = (claim["order"], claim["epsilon"]) if "order" in claim else (ONE, claim["rho"])
    large = 2 * most if "rho" in claim else max((s for *_, s in losses), default=ZERO)  # of squares, where p < p' hides them
    if not any(s > large or exceeds(p, cost + order * s / 2 - most, q) for p, q, cost, s in losses):
        return True
    both = [*losses, *(back or ())]
    return back is not None and not any(p > q or s or order * cost * cost > 2 * most for p, q, cost, s in both)


# Witnesses


def mass_ends(region: Region, conditions: Iterable[tuple[int, int, Any]] = ()) -> Ends:
    """Rationals around the probability of a region where numbers of the output are above (1) or below (-1) bounds.

    Exactly but for the exponentials where probability() has it, of normal draws in rows of one direction, and of Gumbel draws
    in a maximum, which is a softmax; else from an integral over one draw. Raises: ValueError.
    """
    rows, total = list(region.rows), (_plain(region.weight),) * 2
    for place, up, at in conditions:
        items, constant = pick(region.forms, place)
        if not items and up * (constant - at) <= 0:
            return ZERO, ZERO
        rows += [(tuple((k, up * v) for k, v in items), up * (constant - at), True)] if items else []
    for draws, held in _components(rows):
        laws, exact = {region.kinds[k] for k in draws}, probability(region.kinds, held)
        part = None if exact is None else sum_ends((c, x) for x, c in exact.items())
        if part is None and laws == {"normal"}:
            part = _band(held)
        elif part is None and laws == {"gumbel"}:
            part = _softmax(held)
        part = part or _enclosed(tuple(region.kinds[k] for k in draws), draws, tuple(held))
        need(part is not None, "the probability of the event is not computed")
        part = part or (ZERO, ONE)
        total = total[0] * max(part[0], ZERO), total[1] * part[1]
    return total


@lru_cache(maxsize=1 << 15)
def _under(kind: str, x: Fraction) -> tuple[int, int]:
    """Integers around 2^64 P[a draw < x]."""
    if kind == "normal":
        low, high = _below(x)
    elif kind == "gumbel":
        inner = exp_ends(-x, 64)
        low, high = exp_ends(-inner[1], 64)[0], exp_ends(-inner[0], 64)[1]
    elif x >= 0 or kind == "laplace":
        half, (least, most) = HALF if kind == "laplace" else ONE, exp_ends(-abs(x), 64)
        low, high = (1 - half * most, 1 - half * least) if x >= 0 else (half * least, half * most)
    else:
        low = high = ZERO
    return (low.numerator << 64) // low.denominator, -((-high.numerator << 64) // high.denominator)


@lru_cache(maxsize=1 << 12)
def _enclosed(laws: tuple[str, ...], draws: tuple[int, ...], rows: tuple[Row, ...]) -> Ends | None:
    """Rationals around the probability of rows of draws of which each but one is in rows with that one alone.

    Given it they are independent: in each of many cells the probabilities are between those at its ends. Parameters: laws, of
    the draws.
    """
    kinds = dict(zip(draws, laws, strict=True))
    for shared in draws:
        lines = _lines(shared, rows)
        if lines is None or "uniform" in laws:
            continue
        first, last = max([-REACH, *(u for u, _ in lines[0][shared])]), min([REACH, *(u for u, _ in lines[1][shared])])
        inside = (Fraction(i, CELLS) for i in range(-CELLS * REACH, CELLS * REACH + 1))
        grid = [Fraction(_plain(first)), *(t for t in inside if first < t < last), Fraction(_plain(last))]
        low, high = 0, _under(kinds[shared], -REACH)[1] + (1 << 64) - _under(kinds[shared], REACH)[0]  # what is beyond
        for a, b in pairwise(grid) if first < last else ():
            ends = [_under(kinds[shared], a), _under(kinds[shared], b)]
            least, most = max(ends[1][0] - ends[0][1], 0), ends[1][1] - ends[0][0]
            for k in set(draws) - {shared}:
                spans = [[sorted((_plain(u + v * a), _plain(u + v * b))) for u, v in side[k]] for side in lines]
                above = [_under(kinds[k], max(span[i] for span in spans[0])) if spans[0] else (0, 0) for i in (0, 1)]
                below = [_under(kinds[k], min(span[i] for span in spans[1])) if spans[1] else (1 << 64,) * 2 for i in (0, 1)]
                least = least * max(below[0][0] - above[1][1], 0) >> 64
                most = -(-most * max(below[1][1] - above[0][0], 0) >> 64)
            low, high = low + least, high + most
        return Fraction(low, 1 << 64), min(Fraction(high, 1 << 64), ONE)
    return None


def _band(rows: Sequence[Row]) -> Ends | None:
    """The probability of rows on normal draws, if they are of one direction."""
    low: Any = None
    high: Any = None
    items = rows[0][0]
    for other, constant, _ in rows:
        share = other[0][1] / items[0][1]
        if tuple((k, share * v) for k, v in items) != other:
            return None
        end = -constant / share
        low, high = (
            (end if low is None else max(low, end), high) if share > 0 else (low, end if high is None else min(high, end))
        )
    if low is not None and high is not None and low >= high:
        return ZERO, ZERO
    root = _root(_plain(sum(v * v for _, v in items)))
    ends = [None if x is None else below_ends((min(both := [_plain(x) / r for r in root]), max(both))) for x in (low, high)]
    below, above = ends[0] or (ZERO, ZERO), ends[1] or (ONE, ONE)
    return above[0] - below[1], above[1] - below[0]


def _softmax(rows: Sequence[Row]) -> Ends | None:
    """The probability of rows on Gumbel draws, if one is above all others less constants, each of which is in one row."""
    ups, downs = ([k for items, _, _ in rows for k, v in items if v == side] for side in (1, -1))
    good = (
        len(set(ups)) == 1 and len(ups) == len(set(downs)) == len(downs) == len(rows) == sum(len(row[0]) for row in rows) / 2
    )
    low, high = sum_ends([(ONE, ZERO), *((ONE, -row[1]) for row in rows)])
    return (1 / high, 1 / low) if good else None


def breaks(
    here: Sequence[Region], there: Sequence[Region], witness: Mapping[str, Any], claim: Mapping[str, Any]
) -> tuple[Ends, Ends]:
    """That an event is more likely at D than the claim allows: rationals around its probabilities at D and D' (Theorem E).

    Of a "curve": around delta(epsilon), or the divergence's e^((order - 1) divergence), and what is claimed of it.
    Parameters: regions that divide each input's space. Raises: ValueError.
    """
    for region in (*here, *there):
        drawn = (kind in SIGNS for path in region.paths for kind, *_ in path.draws)
        need(all(drawn) and not any(path.calls for path in region.paths), "functions of draws have no density")
    region = pick(here, witness["region"])
    if witness["kind"] == "curve":
        return _curve(here, there, claim)
    need("delta" in claim, "an event is of epsilon and delta")
    delta, (factor, exponent) = claim["delta"], factor_of(claim)
    if witness["kind"] == "space":  # numbers in an affine space that D' meets with probability 0
        need(
            not any(lies_in(region.forms, one.forms) for one in there if one.shape == region.shape),
            "the neighbour has such numbers",
        )
        point = dict(witness["point"])
        seen = [one for one in here if (one.shape, one.forms) == (region.shape, region.forms)]
        need(all(moved(row[0], point) + row[1] > 0 for row in region.known.values()), "the point is in another region")
        p = _total(map(mass_ends, seen)) if delta else (ZERO, ONE)
        need(p[0] > delta or not delta, "the output is too rare to break the claim")
        return p, (ZERO, ZERO)
    need(witness["kind"] == "event", "a witness is of no known kind")
    conditions = witness["conditions"]
    need(all(type(up) is int and abs(up) == 1 for _, up, _ in conditions), "a condition is none")
    p, q = (_total(mass_ends(one, conditions) for one in side if one.shape == region.shape) for side in (here, there))
    need(p[0] > exp_ends(_plain(exponent))[1] * _plain(factor) * q[1] + _plain(delta), "the event does not break the claim")
    return p, q


def _total(parts: Iterable[Ends]) -> Ends:
    found = list(parts)
    return sum((low for low, _ in found), ZERO), sum((high for _, high in found), ZERO)


def lies_in(space: Sequence[Form], forms: Sequence[Form]) -> bool:
    """Whether numbers, as many, lie in the affine space of others. Parameters: forms of draws."""
    spanned: list[dict[int, Written]] = []

    def adds(column: Mapping[int, Written]) -> bool:
        left = dict(column)
        for basis in spanned:
            pivot = next(iter(basis))
            share = left.get(pivot, ZERO) / basis[pivot]
            left = {i: v for i in range(len(space)) if (v := left.get(i, ZERO) - share * basis.get(i, ZERO))}
        spanned.extend([left] if left else [])
        return bool(left)

    def columns(held: Sequence[Form]) -> list[dict[int, Written]]:
        found = defaultdict[int, dict[int, Written]](dict)
        for i, (items, _) in enumerate(held):
            for k, v in items:
                found[k][i] = v
        return list(found.values())

    for column in columns(space):
        adds(column)
    apart = {i: d - c for i, ((_, c), (_, d)) in enumerate(zip(space, forms, strict=True)) if d != c}
    return not any(map(adds, (*columns(forms), apart)))


ORDERS = (Fraction(1025, 1024), Fraction(17, 16), Fraction(3, 2), Fraction(3))
"""At which a claim of zCDP is tried."""


def _moment(order: Written, squares: Written, laplace: Iterable[Any]) -> Ends:
    """Rationals around E[(ratio of densities)^(order - 1)] at D, of normal draws, and of each Laplace draw."""
    total = {(order - 1) * order * squares / 2: ONE}
    for x in laplace:
        factors = {(order - 1) * x: order / (2 * order - 1), -order * x: (order - 1) / (2 * order - 1)}
        made = defaultdict[Any, Any](Fraction)
        for (y, c), (z, d) in product(total.items(), factors.items()):
            made[y + z] += c * d
        total = made
    return sum_ends((c, x) for x, c in total.items())


def _curve(here: Sequence[Region], there: Sequence[Region], claim: Mapping[str, Any]) -> tuple[Ends, Ends]:
    """Noise without comparisons, each draw that is shifted a number of the output: the pair itself is seen."""
    need(len(here) == len(there) == 1 and not here[0].rows and not there[0].rows, "there are comparisons")
    mine, others = here[0], there[0]
    need(mine.shape == others.shape and mine.kinds == others.kinds, "the outputs differ")
    need(all(a == b for (a, _), (b, _) in zip(mine.forms, others.forms, strict=True)), "the scales differ")
    pairs = [(items, c - d) for (items, c), (_, d) in zip(mine.forms, others.forms, strict=True)]
    by = {items[0][0]: apart / items[0][1] for items, apart in pairs if len(items) == 1 and apart}
    need(all(moved(items, by) == apart for items, apart in pairs), "the output is not that of shifted draws")
    squares = sum((x * x for k, x in by.items() if mine.kinds[k] == "normal"), ZERO)
    laplace = [abs(x) for k, x in by.items() if mine.kinds[k] == "laplace"]
    need(all(mine.kinds[k] in ("normal", "laplace") for k in by), "other draws are shifted")
    found: Ends
    if "delta" in claim:
        need(not laplace and squares > 0, "draws of other laws are shifted")
        log, exponent = log_ends(_plain(factor_of(claim)[0])), _plain(factor_of(claim)[1])
        found, claimed = gaussian(squares, (exponent + log[0], exponent + log[1])), _plain(claim["delta"])
    elif "order" in claim:
        found, claimed = (
            _moment(claim["order"], squares, laplace),
            exp_ends(_plain((claim["order"] - 1) * claim["epsilon"]))[1],
        )
    elif not laplace:
        found, claimed = (_plain(squares / 2),) * 2, _plain(claim["rho"])
    else:  # the divergence of order alpha is at most alpha rho
        claimed, ways = _plain(claim["rho"]), [(order, _moment(order, squares, laplace)) for order in ORDERS]
        all_ = [[_plain(log) / (order * (order - 1)) for log in (log_ends(m[0])[0], log_ends(m[1])[1])] for order, m in ways]
        found = max((low, high) for low, high in all_)
    need(found[0] > claimed, "the curve is within what is claimed")
    return found, (claimed, claimed)


# The document


def pick(listed: Sequence[Any], place: Written) -> Written:
    """An entry of a list, by its place from 0."""
    need(type(place) is int and 0 <= place < len(listed), "a place is in no list")
    return listed[place]


def items_of(written: Written) -> Items:
    """The multiples of draws of a form, or the shifts of draws."""
    found = tuple((k, number(value)) for k, value in written)
    places = [k for k, value in found if type(k) is int and k >= 0 and value]
    need(len(places) == len(found) and sorted(set(places)) == places, "the multiples of a form are not in order")
    return found


def row_of(written: Written) -> Row:
    """A comparison, as it is answered."""
    items, constant, strict = written
    found = items_of(items), number(constant), strict
    need(bool(found[0]) and abs(found[0][0][1]) == 1 and type(strict) is bool, "a row is none")
    return found


def _form(written: Written) -> Form:
    items, constant = written
    return items_of(items), number(constant)


def _shape(written: Written, *more: type) -> Written:
    if isinstance(written, list):
        return tuple(_shape(one, *more) for one in written)
    need(type(written) in (int, str, *more), "an output, an input, or a label, is of another type")
    return written


def path_of(written: Mapping[str, Any]) -> Path:
    """A path, whose forms hold draws that are made. Raises: ValueError."""
    need(set(written) | {"calls"} == set(Path._fields), "the keys of a path are others")
    calls = tuple(map(_call, written.get("calls", ())))
    draws = tuple(
        (kind, tuple(map(_form, of)), forks, line, number(scale)) for kind, of, forks, line, scale in written["draws"]
    )
    rows, forms = tuple(map(row_of, written["rows"])), tuple(map(_form, written["forms"]))
    shape, weight = _shape(written["shape"], bool, type(None)), number(written["weight"])
    path = Path(draws, rows, written["answers"], shape, forms, weight, calls)
    need(set(path.answers) <= set("yn") and 0 < path.weight <= 1, "a path's answers or weight are none")
    for k, (kind, of, forks, *_) in enumerate(draws):
        need(type(kind) is str and (kind in SIGNS) != bool(of), f"draw {k} is of no known law")
        need(type(forks) is int and 0 <= forks <= len(path.answers), f"draw {k} is after answers that are not there")
        need(all(j < k or j >= BOUNDED for j in draws_in(items for items, _ in of)), f"draw {k} is a function of later ones")
    given = [form for of in (*(draw[1] for draw in draws), *(call.forms for call in calls), forms) for form in of]
    made = {*range(len(draws)), *(k for i in range(len(calls)) for k in path.numbers(i))}
    need(draws_in([*(row[0] for row in rows), *(items for items, _ in given)]) <= made, "a form holds a draw that is not made")
    need(all(0 <= call.answers <= len(path.answers) for call in calls), "a call is after answers that are not there")
    jumps = {k for k in made if k >= BOUNDED or draws[k][0] not in SIGNS}
    need(all(strict or jumps & draws_in([items]) for items, _, strict in rows), "a row of draws is not strict")
    return path


def _call(written: Written) -> Call:
    (name, of, norm, most), arguments, forms, answers, line, size, seen = written
    need(of in ("value", "difference") and norm in _DUAL and type(name) is str and type(line) is str, "a bound is none")
    need(type(size) is int and 0 < size < BOUNDED and type(answers) is int, "a call has no numbers")
    call = Call(
        (name, of, norm, number(most)),
        _shape(arguments, bool, type(None)),
        tuple(map(_form, forms)),
        answers,
        line,
        size,
        tuple(map(number, seen)),
    )
    need(not seen or (len(seen) == size and not forms), "what is seen of a call is of another size")
    return call


def _hull(paths: Sequence[Path], written: Mapping[str, Any]) -> Region:
    need(set(written) == {"members", "rows", "inside", "apart"}, "the keys of a region are others")
    shown = ([items_of(one) for one in written[name]] for name in ("inside", "apart"))
    return hull(paths, written["members"], [row_of(row) for row in written["rows"]], *shown)


def tree(paths: Sequence[Path]) -> None:
    """That the paths are all: their probabilities add up, each comparison has one row, and the opposite if it is not so."""
    total = sum((path.weight / 2 ** len(path.answers) for path in paths), ZERO)
    need(total == 1, "the paths of an input are not all that there are")
    asked: dict[str, Row] = {}
    for path in paths if all(path.weight == 1 for path in paths) else ():
        need(len(path.rows) == len(path.answers), "a path has other comparisons than answers")
        for i, row in enumerate(path.rows):
            need(asked.setdefault(path.answers[: i + 1], row) == row, "paths that begin alike compare other things")
    for answers, row in asked.items():
        other = asked.get(answers[:-1] + ("n" if answers[-1] == "y" else "y"))
        need(
            other is not None and other[:2] == opposite(row)[:2] and (row[2] or other[2]), "a comparison has not both answers"
        )
    need(len(asked) == 0 or len({path.answers for path in paths}) == len(paths), "two paths have the same answers")


def neighbours(document: Mapping[str, Any]) -> set[tuple[int, int]]:
    """The ordered pairs of inputs that are neighbours, of all inputs that there must be."""
    relation, n, inputs = document["neighbours"], document["n"], [_shape(x) for x in document["inputs"]]
    need(len(set(inputs)) == len(inputs), "an input is listed twice")
    if relation == "stated":
        return {(i, j) for i, j in document["pairs"]}
    if relation == "counts":
        need(inputs == list(range(n + 1)), "the inputs are not the counts 0..n")
        return {(i, j) for i in range(n + 1) for j in (i - 1, i + 1) if 0 <= j <= n}
    need(relation in ("replace-one", "add-remove"), "the relation is unknown")
    labels = [_shape(x) for x in document["universe"]]
    need(len(set(labels)) == len(labels), "a label is listed twice")
    sizes = [n] if relation == "replace-one" else range(n + 1)
    need(set(inputs) == {rows for size in sizes for rows in product(labels, repeat=size)}, "the inputs are not all datasets")
    place, found = {rows: i for i, rows in enumerate(inputs)}, set()
    for rows, i in place.items():
        for k in range(len(rows)):
            others = (
                [rows[:k] + rows[k + 1 :]] if relation == "add-remove" else [(*rows[:k], x, *rows[k + 1 :]) for x in labels]
            )
            found |= {pair for x in others if x != rows for pair in ((i, place[x]), (place[x], i))}
    return found


def claims_of(written: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What is claimed: "private" of epsilon, delta and maybe a ratio; "renyi" of an order and epsilon; "zcdp" of rho."""
    keys = {"private": {"epsilon", "delta", "ratio"}, "renyi": {"order", "epsilon"}, "zcdp": {"rho"}}
    need("private" in written and all(set(claim) == keys.get(name) for name, claim in written.items()), "the claims are none")
    found: Any = {name: {k: None if x is None else number(x) for k, x in claim.items()} for name, claim in written.items()}
    for claim in found.values():
        need(all(x >= 0 for key, x in claim.items() if key != "ratio"), "a claim is negative")
        need(claim.get("delta", ZERO) <= 1 < claim.get("order", 2), "delta is no probability, or an order is none")
        ratio = claim.get("ratio")
        need(ratio is None or 1 <= ratio <= exp_ends(claim["epsilon"])[1], "the ratio is not that of an epsilon")
    return dict(found)


def nearly(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The claim with 2^-40 more of epsilon, and of the ratio."""
    more = 1 + Fraction(1, 1 << BITS)
    return {key: x if x is None or key in ("delta", "order") else x * more for key, x in claim.items()}


def holds_if(paths: Iterable[Iterable[Path]]) -> str:
    """The verdict that a claim holds, which names the declared bounds of functions that the paths call."""
    declared = sorted({call.bound for found in paths for path in found for call in path.calls})
    return HOLDS + "".join(f", and if {name} (|{of}|_{norm} <= {most})" for name, of, norm, most in declared)


def _match(written: Sequence[Any]) -> tuple[Any, ...]:
    a, b, by, *turns = written
    return a, b, dict(items_of(by)), {w: dict(items_of(turn)) for w, turn in (turns[0] if turns else ())}


def judged(sides: Sequence[Any], pairs: Sequence[tuple[int, int]], matches: Sequence[Any]) -> dict[tuple[int, int], Any]:
    """bound() of all pairs. Parameters: sides, (paths, regions) of each input."""
    need(len(matches) == len(pairs), "a pair of neighbours has no matches")
    return {(i, j): bound(sides[i][0], sides[i][1], sides[j][1], found) for (i, j), found in zip(pairs, matches, strict=True)}


def all_shown(bounds: Mapping[tuple[int, int], Any], claim: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The pairs of inputs for which a claim does not follow."""
    return [(i, j) for (i, j), (found, open_) in bounds.items() if not shows(found, open_, _back(bounds.get((j, i))), claim)]


def _back(found: Written) -> Losses | None:
    return None if found is None or found[1] else found[0]


def check(document: Mapping[str, Any]) -> None:
    """Re-derive the verdicts. Raises: ValueError with the reason."""
    need(set(document) == KEYS and document["format"] == FORMAT, "its keys, or its format, are others")
    need(document["version"] == 2 and type(document["version"]) is type(document["n"]) is int, "its version is another")
    text = json.dumps({key: x for key, x in document.items() if key != "sha256"}, sort_keys=True, separators=(",", ":"))
    need(sha256(text.encode()).hexdigest() == document["sha256"], "its hash is not that of its content")
    claims, pairs, verdicts = claims_of(document["claims"]), [(i, j) for i, j in document["pairs"]], document["verdicts"]
    need(all(type(i) is int for pair in pairs for i in pair), "a place is no integer")
    need(len(set(pairs)) == len(pairs) and set(pairs) == neighbours(document), "the pairs are not those of neighbours")
    paths = [[path_of(path) for path in found] for found in document["paths"]]
    need(len(paths) == len(document["inputs"]) == len(document["merged"]), "an input has no paths")
    need(set(verdicts) == set(claims), "a claim has no verdict")
    declared = {call.bound for found in paths for path in found for call in path.calls}
    need(len({one[0] for one in declared}) == len(declared), "a bound is declared twice")
    wrong = contradicted(paths, pairs)
    need(wrong is None, "the data contradict a bound")
    broken = {name for name, verdict in verdicts.items() if verdict in (FAILS, BY_ROUNDING)}
    need(set(document["witnesses"]) == broken, "there is a witness, or none, where it should not")
    by_rounding = {name for name, verdict in verdicts.items() if verdict == BY_ROUNDING}
    need(set(document["rounded"]) == by_rounding, "numbers are rounded for no verdict")
    for found in paths:
        tree(found)
    alike = [regions(found) for found in paths]
    whole = [[_hull(paths[i], one) for one in found] for i, found in enumerate(document["merged"])]
    matches = [list(map(_match, found)) for found in document["matches"]]
    bounds = judged([(found, alike[i] + whole[i]) for i, found in enumerate(paths)], pairs, matches)
    near = [(again, regions(again)) for again in map(rounded, paths)] if by_rounding else []
    for name, written in document["rounded"].items():  # shifts between what is rounded, or None: those of `matches` are enough
        again = None if written is None else [list(map(_match, found)) for found in written]
        nearby = bounds if again is None else judged(near, pairs, again)
        need(not all_shown(nearby, nearly(claims[name])), "it does not fail by rounding alone")
    for name, claim in claims.items():
        holds = holds_if(paths)
        need(verdicts[name] in (holds, FAILS, BY_ROUNDING, UNKNOWN), "a verdict is unknown to this checker")
        need((verdicts[name] == holds) != bool(all_shown(bounds, claim)), "the shifts do not show the claim, or do")
    for name, witness in document["witnesses"].items():
        need(
            set(witness) == {"kind", "left", "right", "merged", "region", "conditions", "point"},
            "the keys of a witness are others",
        )
        sides, merged = (witness["left"], witness["right"]), witness["merged"]
        need(sides in pairs and all(type(i) is int for i in sides), "the inputs of the witness are no neighbours")
        need(type(merged) is bool, "a witness is of no known regions")
        conditions = [(place, up, number(at)) for place, up, at in witness["conditions"]]
        need(len({place for place, *_ in conditions}) == len(conditions), "a number has two conditions")
        here, there = [cover(alike[i], whole[i] if merged else []) for i in sides]
        breaks(here, there, {**witness, "conditions": conditions, "point": items_of(witness["point"])}, claims[name])


def cover(alike: Sequence[Region], whole: Sequence[Region]) -> list[Region]:
    """The merged regions, and the others."""
    taken = {id(path) for region in whole for path in region.paths}
    need(len(taken) == sum(len(region.paths) for region in whole), "merged regions overlap")
    return [*whole, *(region for region in alike if not taken & {*map(id, region.paths)})]


def recheck(document: Mapping[str, Any]) -> str | None:
    """Why a certificate is not accepted, or None."""
    try:
        check(document)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        return str(error) or type(error).__name__
    return None


def main(files: Sequence[str]) -> int:
    """Check files, and say what is found of each."""
    code = 0
    for file in files:
        try:
            reason = recheck(json.loads(File(file).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            reason = str(error)
        sys.stdout.write(f"{ascii(file)[1:-1]}: {'accepted' if reason is None else f'REJECTED: {ascii(reason)[1:-1]}'}\n")
        code = code or int(reason is not None)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
