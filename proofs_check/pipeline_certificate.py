"""Re-checks the certificate of an audit of a pipeline from the file alone: python pipeline_certificate.py FILE...

It imports the standard library only. What it takes as it is written: that the paths are those of the program, for each
input its draws, comparisons (rows: a form of draws is above 0), output and the probability of its discrete draws. What it
derives, by additions and multiplications of rationals, without a linear program: that the probabilities add up; which
inputs are neighbours; that a region stands for its paths (of a merged one: that its rows hold on them and it meets no other
path, by multipliers of rows); that a shift carries a region into its target with equal outputs, at which cost; that the
shift of normal draws depends on earlier answers only; what follows for the claim. Of a claim that fails: the probability of
the event, or that it is impossible.
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
from pathlib import Path
from typing import Any

FORMAT = "finitedp pipeline certificate"
KEYS = {"format", "version", "name", "neighbours", "universe", "n", "inputs", "pairs", "claim", "paths", "regions", "verdict"}
KEYS |= {"matches", "witness", "derived", "sha256"}
SUPPORTS = {"exponential": [(1, 0)], "uniform": [(1, 0), (-1, 1)]}
SIGNS = {"laplace": (1, -1), "normal": (1, -1), "exponential": (1,), "gumbel": (1,), "uniform": ()}
HOLDS, FAILS, UNKNOWN = "holds, if the primitives are ideal", "fails", "unknown"
Written = Any
"""What stands in a document; or a rational of any type."""
Items = tuple[tuple[int, Any], ...]
Row = tuple[Items, Any, bool]
Sum = Mapping[Any, Any]
"""x -> c: the sum of c e^x."""
Line = tuple[Any, Any]
Term = tuple[Any, Any, Any]
"""(c, x, rate): c e^(x + rate t)."""
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise ValueError(message)


# Numbers


@lru_cache(maxsize=1 << 16)
def number(text: object) -> Fraction:
    """A rational, written p/q or p in lowest terms."""
    need(
        isinstance(text, str) and 0 < len(text) <= 20_000 and set(text) <= set("-/0123456789"),
        "a number is not written as p/q",
    )
    found = Fraction(str(text))
    need(str(found) == text, "a number is not in lowest terms")
    return found


@lru_cache(maxsize=4096)
def exp_ends(x: Fraction, bits: int = 200) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^x, by the series of e^(x / 2^k), |x / 2^k| <= 1/2, squared k times."""
    if x < 0:
        low, high = exp_ends(-x, bits)
        return 1 / high, 1 / low
    halvings = max(0, (abs(x.numerator) // x.denominator).bit_length() + 1)
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


def sum_ends(total: Iterable[tuple[Fraction, Fraction]], bits: int = 200) -> tuple[Fraction, Fraction]:
    """Rationals around a sum of c e^x."""
    low = high = ZERO
    for c, x in total:
        ends = exp_ends(x, bits)
        low, high = low + c * ends[c < 0], high + c * ends[c >= 0]
    return low, high


def below_ends(z: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Rationals around P[a standard normal draw < z], for an interval of z with |z| <= 40: 1/2 + z f(z^2) / sqrt(2 pi)."""
    return _below(z[0])[0], _below(z[1])[1]


def _below(z: Fraction) -> tuple[Fraction, Fraction]:
    """By the alternating series sum (-1)^n z^(2n+1) / (2^n n! (2n+1)), with 2 |z|^2 + 200 more bits than it needs."""
    if abs(z) > 40:
        return (ZERO, Fraction(1, 1 << 1000)) if z < 0 else (1 - Fraction(1, 1 << 1000), ONE)
    bits = 300 + 2 * int(z * z)
    unit = 1 << bits
    power, total, n = int(z * unit), 0, 0
    square = int(z * z * unit)
    while power or n <= z * z:
        total += power // (2 * n + 1)
        n += 1
        power = -power * square // (2 * n * unit)
    wide = Fraction((n + 4) * (1 << (2 * int(z * z) + 8)), unit)
    low, high = Fraction(total, unit) - wide, Fraction(total, unit) + wide
    ends = [value / root for value in (low, high) for root in ROOT_OF_2PI]
    return HALF + min(ends), HALF + max(ends)


def _root(x: Fraction, bits: int = 260) -> tuple[Fraction, Fraction]:
    """Rationals around a square root."""
    found = isqrt((x.numerator << (2 * bits)) // x.denominator)
    return Fraction(found, 1 << bits), Fraction(found + 1, 1 << bits)


def _pi() -> tuple[Fraction, Fraction]:
    """Machin: 16 arctan(1/5) - 4 arctan(1/239)."""

    def arctan(q: int) -> Fraction:
        return sum((Fraction((-1) ** n, (2 * n + 1) * q ** (2 * n + 1)) for n in range(130)), ZERO)

    found = 16 * arctan(5) - 4 * arctan(239)
    return found - Fraction(1, 1 << 500), found + Fraction(1, 1 << 500)


ROOT_OF_2PI = _root(2 * _pi()[0])[0], _root(2 * _pi()[1])[1]


# The probability that draws satisfy rows


def probability(kinds: Mapping[int, str], rows: Sequence[Row]) -> Sum | None:
    """The probability of rows on Laplace and exponential draws, an exact sum of exponentials; None where it is not known.

    Draws that no row holds together are independent. Of those that some rows hold together one may be in several rows, each
    of the others in rows with it alone: given it they are independent, and what is left is an integral of exponentials, in
    pieces. Uniform draws may be in rows alone. Parameters: kinds, of the draws.
    """
    total: Sum = {ZERO: ONE}
    for draws, held in _components(rows):
        laws = {kinds[k] for k in draws}
        if laws == {"uniform"} and len(draws) == 1:
            ends = [-row[1] / row[0][0][1] for row in held]
            low = max([ZERO, *(end for end, row in zip(ends, held, strict=True) if row[0][0][1] > 0)])
            high = min([ONE, *(end for end, row in zip(ends, held, strict=True) if row[0][0][1] < 0)])
            found: Sum | None = {ZERO: max(high - low, ZERO)}
        elif laws <= {"laplace", "exponential"}:
            found = next((part for shared in draws if (part := _given(kinds, shared, draws, held)) is not None), None)
        else:
            found = None
        if found is None:
            return None
        total = _product(total, found)
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


def _product(left: Sum, right: Sum) -> Sum:
    made = defaultdict[Any, Any](lambda: ZERO)
    for x, c in left.items():
        for y, d in right.items():
            made[x + y] += c * d
    return made


def _given(kinds: Mapping[int, str], shared: int, draws: Sequence[int], rows: Sequence[Row]) -> Sum | None:
    """The probability of rows, each of at most one draw beside the shared one."""
    lows, highs = defaultdict[int, list[Line]](list), defaultdict[int, list[Line]](list)
    for items, constant, _ in rows:
        others = [(k, value) for k, value in items if k != shared]
        if len(others) > 1:
            return None
        slope = dict(items).get(shared, ZERO)
        k, value = others[0] if others else (shared, slope)
        line = (-constant / value, -slope / value if others else ZERO)
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
    made = defaultdict[Any, Any](lambda: ZERO)
    if low is not None and high is not None and low >= high:
        return made
    for start, end in pairwise([low, *inner, high]):
        middle = _between(start, end)
        terms = [(HALF, ZERO, ONE if middle < 0 else -ONE)] if kinds[shared] == "laplace" else [(ONE, ZERO, -ONE)]
        for k in draws:
            if k != shared:
                terms = [
                    (c * d, x + y, r + s) for c, x, r in terms for d, y, s in _inside(kinds[k], lows[k], highs[k], middle)
                ]
        for c, x, rate in terms:
            _add_integral(made, c, x, rate, start, end)
    return made


def _between(start: Written, end: Written) -> Written:
    if start is None:
        return ZERO if end is None else end - 1
    return start + 1 if end is None else (start + end) / 2


def _inside(kind: str, lows: Sequence[Line], highs: Sequence[Line], at: Written) -> list[Term]:
    """That a draw is between the largest of some lines and the least of others, as it is around t = at."""
    low = max(lows, key=lambda line: line[0] + line[1] * at, default=None)
    high = min(highs, key=lambda line: line[0] + line[1] * at, default=None)
    if low is not None and high is not None and low[0] + low[1] * at >= high[0] + high[1] * at:
        return []
    above = [] if low is None else [(-c, x, rate) for c, x, rate in _under(kind, low, at)]
    return [*([(ONE, ZERO, ZERO)] if high is None else _under(kind, high, at)), *above]


def _under(kind: str, line: Line, at: Written) -> list[Term]:
    """P[draw < u + v t]."""
    u, v = line
    if u + v * at < 0:
        return [(HALF, u, v)] if kind == "laplace" else []
    return [(ONE, ZERO, ZERO), (-(HALF if kind == "laplace" else ONE), -u, -v)]


def _add_integral(made: dict[Any, Any], c: Written, x: Written, rate: Written, start: Written, end: Written) -> None:
    """Add the integral of c e^(x + rate t), which is finite: at an end at infinity the exponential is 0."""
    if rate:
        if end is not None:
            made[x + rate * end] += c / rate
        if start is not None:
            made[x + rate * start] -= c / rate
    else:
        made[x] += c * (end - start)


# What is written


def pick(listed: Sequence[Any], place: Written) -> Written:
    """An entry of a list, by its place from 0."""
    need(type(place) is int and 0 <= place < len(listed), "a place is in no list")
    return listed[place]


def shift_of(written: Written) -> dict[int, Fraction]:
    """By how much each draw is moved."""
    found = {k: number(value) for k, value in written}
    need(len(found) == len(written) and all(type(k) is int and value for k, value in found.items()), "a draw is moved twice")
    return found


def items_of(written: Written) -> Items:
    """The multiples of draws of a form."""
    found = tuple((k, number(value)) for k, value in written)
    places = [k for k, value in found if type(k) is int and k >= 0 and value]
    need(len(places) == len(found) and sorted(set(places)) == places, "the multiples of a form are not in order")
    return found


class Place:
    """A path, or a region: its draws as (kind, forms that it is a function of, answers before it), rows, output and weight."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        need(set(written) == {"draws", "rows", "answers", "shape", "forms", "weight"}, "the keys of a path are others")
        self.draws = [(kind, [(items_of(i), number(c)) for i, c in of], forks) for kind, of, forks, *_ in written["draws"]]
        self.answers, self.shape, self.weight = written["answers"], written["shape"], number(written["weight"])
        self.forms = [(items_of(i), number(c)) for i, c in written["forms"]]
        self.rows = [(items_of(i), number(c), strict) for i, c, strict in written["rows"]]
        need(set(self.answers) <= set("yn") and 0 < self.weight <= 1, "a path's answers or weight are none")
        for k, (kind, of, forks) in enumerate(self.draws):
            need(type(kind) is str and (kind in SIGNS) != bool(of), f"draw {k} is of no known law")
            need(type(forks) is int and 0 <= forks <= len(self.answers), f"draw {k} is after answers that are not there")
            need(all(j < k for items, _ in of for j, _ in items), f"draw {k} is a function of later ones")
        held = [row[0] for row in self.rows] + [items for items, _ in self.forms]
        need(all(k < len(self.draws) for items in held for k, _ in items), "a form holds a draw that is not made")
        need(all(items and abs(items[0][1]) == 1 and type(strict) is bool for items, _, strict in self.rows), "a row is none")
        jumps = {k for k, (kind, _, _) in enumerate(self.draws) if kind not in SIGNS}
        need(all(strict or jumps & {k for k, _ in items} for items, _, strict in self.rows), "a row of draws is not strict")

    def live(self, rows: Iterable[Row]) -> set[int]:
        """The draws that matter to rows and to the output."""
        found = {k for items in (*(row[0] for row in rows), *(items for items, _ in self.forms)) for k, _ in items}
        for k in range(len(self.draws) - 1, -1, -1):
            if k in found:
                found |= {j for items, _ in self.draws[k][1] for j, _ in items}
        return found


class Region:
    """Paths of one output, together: draws that matter, rows, weight."""

    def __init__(self, paths: Sequence[Place], written: Mapping[str, Any]) -> None:
        self.members = [pick(paths, i) for i in written["paths"]]
        need(bool(self.members) and len(set(written["paths"])) == len(self.members), "a region holds a path twice, or none")
        first = self.members[0]
        self.rows: list[Row] = [(items_of(i), number(c), strict) for i, c, strict in written["rows"]]
        self.shape, self.forms, self.of = first.shape, first.forms, first
        need(all((one.shape, one.forms) == (self.shape, self.forms) for one in self.members), "a region has several outputs")
        if written["because"] is None:
            self.weight = sum((self._alike(one) for one in self.members), ZERO)
        else:
            self._merged(paths, written)
            self.weight = ONE
        self.live = first.live(self.rows)
        self.kinds = {k: first.draws[k][0] for k in self.live}
        need(
            all(
                {k: one.draws[k][:2] for k in self.live} == {k: first.draws[k][:2] for k in self.live} for one in self.members
            ),
            "the draws of a region differ",
        )
        self.known = tightest([*supports(self.kinds), *self.rows])

    def _alike(self, one: Place) -> Fraction:
        """The weight of a path whose rows are those of the region, but for draws of a uniform law that are in nothing else."""
        own, rest = tightest(one.rows), tightest(self.rows)
        alone = [row for row in own.values() if rest.get(row[0]) != row]
        need(len(rest) == len(self.rows) and {*rest.values()} == {*own.values()} - {*alone}, "the rows of a region are others")
        draws = {row[0][0][0] for row in alone}
        held = {
            k
            for items in (*(items for items, _ in one.forms), *rest, *(i for _, of, _ in one.draws for i, _ in of))
            for k, _ in items
        }
        need(all(len(row[0]) == 1 and one.draws[row[0][0][0]][0] == "uniform" for row in alone), "a row of a path is left out")
        need(not draws & held, "a row of a path is left out")
        part = probability(dict.fromkeys(draws, "uniform"), alone)
        found: Fraction = one.weight * (part or {}).get(ZERO, ZERO)
        return found

    def _merged(self, paths: Sequence[Place], written: Mapping[str, Any]) -> None:
        """That the rows hold on all members, and that no other path is met, by multipliers for each."""
        need(all(path.weight == 1 for path in paths), "regions are merged beside discrete draws")
        kinds: dict[int, str] = {}
        for path in paths:
            need(
                all(kinds.setdefault(k, kind) == kind and kind in SIGNS for k, (kind, _, _) in enumerate(path.draws)),
                "draws differ",
            )
        inside, apart = (iter(written["because"][name]) for name in ("inside", "apart"))
        for path in paths:
            if any(path is one for one in self.members):
                for items, constant, _ in self.rows:
                    against = tuple((k, -v) for k, v in items), -constant, True
                    contradict([*supports(kinds), *path.rows, against], next(inside, None))
            else:
                contradict([*supports(kinds), *path.rows, *self.rows], next(apart, None))
        need(next(inside, None) is next(apart, None) is None, "there are more multipliers than paths")


def supports(kinds: Mapping[int, str]) -> list[Row]:
    """What is known of draws without any comparison."""
    return [(((k, Fraction(a)),), Fraction(c), True) for k in sorted(kinds) for a, c in SUPPORTS.get(kinds[k], [])]


def tightest(rows: Iterable[Row]) -> dict[Items, Row]:
    """Of each direction the row that implies the others."""
    found: dict[Items, Row] = {}
    for row in rows:
        least = found.get(row[0])
        if least is None or (row[1], not row[2]) < (least[1], not least[2]):
            found[row[0]] = row
    return found


def contradict(rows: Sequence[Row], multipliers: Written) -> None:
    """That strict rows have no common solution: multipliers, by items and constant, sum them to a constant of at most 0."""
    need(isinstance(multipliers, list) and bool(multipliers), "multipliers are missing")
    sums, total = defaultdict[int, Fraction](Fraction), ZERO
    for i, c, y in multipliers:
        row, by = (items_of(i), number(c), True), number(y)
        need(row in rows and by > 0, "a multiplier is of no row")
        total += by * row[1]
        for k, value in row[0]:
            sums[k] += by * value
    need(not any(sums.values()) and total <= 0, "multipliers do not contradict")


# Shifts


def shifted(source: Region, target: Region, by: Mapping[int, Fraction]) -> tuple[Fraction, Fraction]:
    """The cost and the squares of a shift that carries the source into the target. Raises: ValueError where it does not."""
    kinds = {**target.kinds, **source.kinds}
    need(all(kinds[k] == kind for k, kind in target.kinds.items()), "draws of one number have several laws")
    need(set(by) <= set(kinds) and source.shape == target.shape and len(source.forms) == len(target.forms), "outputs differ")

    def moved(items: Items) -> Fraction:
        found: Fraction = sum((value * by.get(k, ZERO) for k, value in items), ZERO)
        return found

    equal = list(zip(source.forms, target.forms, strict=True))
    for k in source.live & target.live:
        mine, others = source.of.draws[k][1], target.of.draws[k][1]
        need(len(mine) == len(others), "functions differ")
        equal += zip(mine, others, strict=True)
    need(all(a == b and moved(a) == c - d for (a, c), (b, d) in equal), "a number of the output, or of a function, changes")
    known = source.known if kinds.keys() == source.kinds.keys() else {**tightest(supports(kinds)), **source.known}
    for items, constant, strict in target.rows:
        own = known.get(items)
        need(own is not None and (own[2] or not strict), "a row of the target is in no row of the source")
        need(own is not None and moved(items) >= own[1] - constant, "a row of the target does not hold after the shift")
    signs = {k: SIGNS.get(kinds[k], ()) for k in by}
    need(all(not value or (1 if value > 0 else -1) in signs[k] for k, value in by.items()), "a draw is shifted out of its law")
    cost = sum((abs(value) for k, value in by.items() if kinds[k] != "normal"), ZERO)
    return cost, sum((value * value for k, value in by.items() if kinds[k] == "normal"), ZERO)


def bound(
    sources: Sequence[Region], paths: Sequence[Place], regions: Sequence[Region], matches: Written
) -> tuple[list[Any], Fraction]:
    """[(p, p', cost, squares)] of the matches of two inputs, and the weight of what has none: of all paths of D, each once."""
    found: list[Any] = []
    open_ = ZERO
    members = [path for source, *_ in matches for path in pick(sources, source).members]
    need(len(members) == len(paths) and all(any(path is one for one in members) for path in paths), "a path has no region")
    targets = [target for _, target, _ in matches if target is not None]
    reached = [path for target in targets for path in pick(regions, target).members]
    need(len({*map(id, reached)}) == len(reached), "two regions have one target")
    chosen: dict[Any, Fraction] = {}
    for i, j, written in matches:
        source = pick(sources, i)
        if j is None:
            open_ += source.weight
            continue
        by, target = shift_of(written), pick(regions, j)
        found.append((source.weight, target.weight, *shifted(source, target, by)))
        for path in source.members:
            for k, (kind, _, forks) in enumerate(path.draws):
                if kind == "normal":
                    own = by.get(k, ZERO)
                    need(
                        chosen.setdefault((k, path.answers[:forks]), own) == own, "a normal draw is shifted by a later answer"
                    )
    return found, open_


def shows(found: Sequence[Any], open_: Fraction, claim: Mapping[str, Any]) -> bool:
    """Whether the claim follows from the matches of two inputs."""
    delta, ratio = number(claim["delta"]), None if claim["ratio"] is None else number(claim["ratio"])
    factor = [(ONE, number(claim["epsilon"]))] if ratio is None else [(ratio, ZERO)]
    squares = max((one[3] for one in found), default=ZERO)
    total = [(open_ - delta, ZERO)]
    if squares:
        need(ratio is None, "a ratio is claimed of normal noise")
        most, cost = max(p / q for p, q, *_ in found), max(one[2] for one in found)
        low, high = _log_ends(most)
        left = number(claim["epsilon"]) - cost - high, number(claim["epsilon"]) - cost - low
        return left[0] >= 0 and gaussian(squares, left)[1] <= delta - open_
    for p, q, cost, _ in found:
        if p <= q and cost <= factor[0][1]:
            continue
        part = [(p, ZERO), *((-c * q, x - cost) for c, x in factor)]
        merged = _collected(part)
        if merged and sum_ends((c, x) for x, c in merged.items())[1] > 0:
            total += part
    merged = _collected(total)
    return not merged or sum_ends((c, x) for x, c in merged.items())[1] <= 0


def _collected(terms: Iterable[tuple[Fraction, Fraction]]) -> dict[Fraction, Fraction]:
    found = defaultdict[Fraction, Fraction](Fraction)
    for c, x in terms:
        found[x] += c
    return {x: c for x, c in found.items() if c}


def _log_ends(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around ln x, x > 0, by bisection of e^t."""
    low, high = Fraction(-4000), Fraction(4000)
    for _ in range(90):
        middle = (low + high) / 2
        ends = exp_ends(middle)
        if ends[1] <= x:
            low = middle
        elif ends[0] >= x:
            high = middle
        else:
            break
    return (ZERO, ZERO) if x == 1 else (low, high)


def gaussian(squares: Fraction, epsilon: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Rationals around delta(epsilon) of a Gaussian pair at mu, mu^2 = squares, epsilon in an interval of numbers >= 0."""
    mu = _root(squares)

    def part(sign: int) -> tuple[Fraction, Fraction]:
        low, high = epsilon[0] / mu[1], epsilon[1] / mu[0]
        half = sign * mu[0] / 2, sign * mu[1] / 2
        return below_ends((min(half) - high, max(half) - low))

    first, second = part(1), part(-1)
    return first[0] - exp_ends(epsilon[1])[1] * second[1], first[1] - exp_ends(epsilon[0])[0] * second[0]


# Witnesses


def breaks(here: Sequence[Place], there: Sequence[Place], witness: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    """That the event of a witness is more likely at D than the claim allows. Raises: ValueError."""
    delta = number(claim["delta"])
    factor = (ONE, number(claim["epsilon"])) if claim["ratio"] is None else (number(claim["ratio"]), ZERO)
    need(all(kind in SIGNS for path in (*here, *there) for kind, _, _ in path.draws), "functions of draws have no density")
    if witness["kind"] == "curve":
        _curve(here, there, delta, factor)
        return
    if witness["kind"] == "space":
        path = pick(here, witness["path"])
        others = [other.forms for other in there if other.shape == path.shape]
        need(not any(lies_in(path.forms, forms) for forms in others), "the neighbour has such numbers")
        point = {k: number(value) for k, value in witness["point"]}
        kinds = {k: kind for k, (kind, _, _) in enumerate(path.draws)}
        need(all(_at(row, point) > 0 for row in (*supports(kinds), *path.rows)), "the point is on another path")
        seen = [one for one in here if (one.shape, one.forms) == (path.shape, path.forms)]
        mass = _mass(seen, []) if delta else {ZERO: ONE}
        need(mass is not None and (not delta or _above(mass, {}, delta, factor)), "the output is too rare to break the claim")
        return
    need(witness["kind"] == "event", "a witness is of no known kind")
    conditions = [(place, sign, number(at)) for place, sign, at in witness["conditions"]]
    need(all(type(place) is int and place >= 0 and sign in (1, -1) for place, sign, _ in conditions), "a condition is none")
    need(len({place for place, *_ in conditions}) == len(conditions), "a number has two conditions")
    shape = pick(here, witness["path"]).shape
    p, q = (_mass([path for path in side if path.shape == shape], conditions) for side in (here, there))
    need(p is not None and q is not None, "the probability of the event is not computed")
    need(_above(p or {}, q or {}, delta, factor), "the event does not break the claim")


def _at(row: Row, point: Mapping[int, Fraction]) -> Fraction:
    total: Fraction = row[1] + sum((value * point.get(k, ZERO) for k, value in row[0]), ZERO)
    return total


def _above(mine: Sum, others: Sum, delta: Fraction, factor: tuple[Fraction, Fraction]) -> bool:
    terms = [*((c, x) for x, c in mine.items()), *((-c * factor[0], x + factor[1]) for x, c in others.items()), (-delta, ZERO)]
    return sum_ends((c, x) for x, c in _collected(terms).items())[0] > 0


def _mass(paths: Sequence[Place], conditions: Sequence[tuple[int, int, Fraction]]) -> Sum | None:
    total = defaultdict[Any, Any](Fraction)
    for path in paths:
        rows: list[Row] = list(path.rows)
        possible = True
        for place, sign, at in conditions:
            items, constant = path.forms[place]
            rows += [(tuple((k, sign * v) for k, v in items), sign * (constant - at), True)] if items else []
            possible = possible and (bool(items) or sign * (constant - at) > 0)
        part = probability({k: kind for k, (kind, _, _) in enumerate(path.draws)}, rows) if possible else {}
        if part is None:
            return None
        for x, c in part.items():
            total[x] += c * path.weight
    return total


def lies_in(space: Sequence[tuple[Items, Written]], forms: Sequence[tuple[Items, Written]]) -> bool:
    """Whether numbers, as many, lie in the affine space of others. Parameters: forms of draws, each with its constant."""
    spanned: list[dict[int, Written]] = []

    def adds(column: Mapping[int, Written]) -> bool:
        left = dict(column)
        for basis in spanned:
            pivot = next(iter(basis))
            share = left.get(pivot, ZERO) / basis[pivot]
            left = {i: v for i in range(len(space)) if (v := left.get(i, ZERO) - share * basis.get(i, ZERO))}
        if left:
            spanned.append(left)
        return bool(left)

    def columns(held: Sequence[tuple[Items, Written]]) -> list[dict[int, Written]]:
        found = defaultdict[int, dict[int, Written]](dict)
        for i, (items, _) in enumerate(held):
            for k, v in items:
                found[k][i] = v
        return list(found.values())

    for column in columns(space):
        adds(column)
    apart = {i: d - c for i, ((_, c), (_, d)) in enumerate(zip(space, forms, strict=True)) if d != c}
    return not any(map(adds, (*columns(forms), apart)))


def _curve(here: Sequence[Place], there: Sequence[Place], delta: Fraction, factor: tuple[Fraction, Fraction]) -> None:
    """Normal noise without comparisons, each draw that is shifted a number of the output: the delta of the pair."""
    need(len(here) == len(there) == 1 and not here[0].rows and not there[0].rows, "there are comparisons")
    mine, others = here[0], there[0]
    need(mine.shape == others.shape and [d[0] for d in mine.draws] == [d[0] for d in others.draws], "the outputs differ")
    need(all(a == b for (a, _), (b, _) in zip(mine.forms, others.forms, strict=True)), "the scales differ")
    apart: dict[int, Fraction] = {}
    for (items, c), (_, d) in zip(mine.forms, others.forms, strict=True):
        if len(items) == 1:
            apart.setdefault(items[0][0], (c - d) / items[0][1])
    by = {k: value for k, value in apart.items() if value}
    need(all(mine.draws[k][0] == "normal" for k in by), "other draws are shifted")
    for (items, c), (_, d) in zip(mine.forms, others.forms, strict=True):
        need(sum((v * by.get(k, ZERO) for k, v in items), ZERO) == c - d, "the output is not that of shifted draws")
    epsilon = (factor[1], factor[1]) if factor[0] == 1 else _log_ends(factor[0])
    need(gaussian(sum((value * value for value in by.values()), ZERO), epsilon)[0] > delta, "the curve is below delta")


# The document


def neighbours(document: Mapping[str, Any]) -> set[tuple[int, int]]:
    """The ordered pairs of inputs that are neighbours, of all inputs that there must be."""
    relation, n, inputs = document["neighbours"], document["n"], [_frozen(x) for x in document["inputs"]]
    need(len(set(inputs)) == len(inputs), "an input is listed twice")
    if relation == "stated":
        return {(i, j) for i, j in document["pairs"]}
    if relation == "counts":
        need(inputs == list(range(n + 1)), "the inputs are not the counts 0..n")
        return {(i, j) for i in range(n + 1) for j in (i - 1, i + 1) if 0 <= j <= n}
    need(relation in ("replace-one", "add-remove"), "the relation is unknown")
    labels = [_frozen(x) for x in document["universe"]]
    need(len(set(labels)) == len(labels), "a label is listed twice")
    sizes = [n] if relation == "replace-one" else range(n + 1)
    need(set(inputs) == {rows for size in sizes for rows in product(labels, repeat=size)}, "the inputs are not all datasets")
    place = {rows: i for i, rows in enumerate(inputs)}
    found = set()
    for rows, i in place.items():
        for k in range(len(rows)):
            others = (
                [rows[:k] + rows[k + 1 :]] if relation == "add-remove" else [(*rows[:k], x, *rows[k + 1 :]) for x in labels]
            )
            found |= {pair for x in others if x != rows for pair in ((i, place[x]), (place[x], i))}
    return found


def _frozen(value: Written) -> Written:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    need(type(value) in (int, str), "an input, or a label, is of another type")
    return value


def tree(paths: Sequence[Place]) -> None:
    """That paths without discrete draws divide the space: each comparison has one row, and the opposite where it is not so."""
    asked: dict[str, Row] = {}
    for path in paths:
        need(len(path.rows) == len(path.answers), "a path has other comparisons than answers")
        for i, row in enumerate(path.rows):
            need(asked.setdefault(path.answers[: i + 1], row) == row, "paths that begin alike compare other things")
    for answers, (items, constant, strict) in asked.items():
        other = asked.get(answers[:-1] + ("n" if answers[-1] == "y" else "y"))
        against = tuple((k, -v) for k, v in items), -constant
        need(other is not None and other[:2] == against and (strict or other[2]), "a comparison has not both answers")
    need(len({path.answers for path in paths}) == len(paths), "two paths have the same answers")


def check(document: Mapping[str, Any]) -> None:
    """Re-derive the verdict. Raises: ValueError with the reason."""
    need(
        set(document) == KEYS and document["format"] == FORMAT and document["version"] == 1,
        "its keys, or its version, are others",
    )
    body = {key: value for key, value in document.items() if key != "sha256"}
    need(type(document["version"]) is type(document["n"]) is int, "its version, or n, is no integer")
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    need(sha256(text.encode()).hexdigest() == document["sha256"], "its hash is not that of its content")
    claim, pairs = document["claim"], [(i, j) for i, j in document["pairs"]]
    need(all(type(i) is int for pair in pairs for i in pair), "a place is no integer")
    need(set(claim) == {"epsilon", "delta", "ratio"} and number(claim["epsilon"]) >= 0, "the claim is none")
    need(0 <= number(claim["delta"]) <= 1, "delta is no probability")
    if claim["ratio"] is not None:
        need(1 <= number(claim["ratio"]) <= exp_ends(number(claim["epsilon"]))[1], "the ratio is not that of an epsilon")
    need(len(set(pairs)) == len(pairs) and set(pairs) == neighbours(document), "the pairs are not those of neighbours")
    paths = [[Place(path) for path in found] for found in document["paths"]]
    need(len(paths) == len(document["inputs"]), "an input has no paths")
    for found in paths:
        total = sum((path.weight / 2 ** len(path.answers) for path in found), ZERO)
        need(total == 1, "the paths of an input are not all that there are")
        if all(path.weight == 1 for path in found):
            tree(found)
    need(
        (document["witness"] is not None) == (document["verdict"] == FAILS), "there is a witness, or none, where it should not"
    )
    need(document["verdict"] == HOLDS or (document["matches"] == [] and not any(document["regions"])), "shifts of no verdict")
    need(len(document["regions"]) == len(paths), "an input has no regions")
    if document["verdict"] == HOLDS:
        regions = [[Region(paths[i], one) for one in found] for i, found in enumerate(document["regions"])]
        need(len(document["matches"]) == len(pairs), "a pair of neighbours has no matches")
        for (i, j), matches in zip(pairs, document["matches"], strict=True):
            need(shows(*bound(regions[i], paths[i], regions[j], matches), claim), "the shifts do not show the claim")
    elif document["verdict"] == FAILS:
        witness = document["witness"]
        need((witness["left"], witness["right"]) in pairs, "the inputs of the witness are no neighbours")
        breaks(paths[witness["left"]], paths[witness["right"]], witness, claim)
    else:
        need(document["verdict"] == UNKNOWN, "the verdict is unknown to this checker")


def recheck(document: Mapping[str, Any]) -> str | None:
    """Why a certificate is not accepted, or None."""
    try:
        check(document)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError, RecursionError) as error:
        return str(error) or type(error).__name__
    return None


def main(files: Sequence[str]) -> int:
    """Check files, and say what is found of each."""
    code = 0
    for file in files:
        try:
            reason = recheck(json.loads(Path(file).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            reason = str(error)
        sys.stdout.write(f"{ascii(file)[1:-1]}: {'accepted' if reason is None else f'REJECTED: {ascii(reason)[1:-1]}'}\n")
        code = code or int(reason is not None)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
