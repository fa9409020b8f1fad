"""Re-checks the certificates of flexible accuracy from the file alone: python flexible_certificate.py FILE...

It imports the standard library only and shares no code with finitedp. Nothing is searched: what a solver found is checked.

- lossy-infinity: whether (1 - gamma) of the mass of P can go to Q along pairs within b (with strict, nearer than b). Yes, by a
  flow that does; no, by a set "hall" of points of P with P(hall) - Q(points within b of it) > gamma.
- lossy-infinity-value: that b is the least such bound: the flow along pairs within b, and, unless b = 0, the set for pairs
  nearer than b.
- lossy-average: that the least cost of moving (1 - gamma) of the mass is c: a flow of that cost, and a dual (l, u, v) with
  l - u_i - v_j <= d_ij, u and v at least 0, whose value l (1 - gamma) L - u P - v Q is L c.
- shifted-truncated: that one-sided noise with these weights is (epsilon, delta)-differentially private.
"""

import json
import sys
from collections.abc import Callable
from fractions import Fraction as Q
from itertools import pairwise
from math import lcm
from pathlib import Path
from typing import Any

HEAD = {"format", "version", "kind"}
LAWS = HEAD | {"metric", "distances", "gamma", "mass", "P", "Q"}
KEYS = {
    "lossy-infinity": LAWS | {"b", "strict", "answer", "flow", "hall"},
    "lossy-infinity-value": LAWS | {"b", "flow", "hall"},
    "lossy-average": LAWS | {"c", "flow", "dual"},
    "shifted-truncated": HEAD | {"neighbours", "q", "bits", "epsilon", "delta", "ratio", "weights"},
}
METRICS = ("absolute", "l1", "linf", "l2-squared", "table")
MOST_BYTES, MOST_DIGITS, MOST_POINTS, MOST_PAIRS = 10**8, 4000, 10**4, 2 * 10**7

Distance = Callable[[int, int], int | None]


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise ValueError(message)


def natural(text: Any) -> int:  # noqa: ANN401  # whatever stands there
    """A number written in digits."""
    need(
        type(text) is str and 0 < len(text) <= MOST_DIGITS and set(text) <= set("0123456789"), "a number is no text of digits"
    )
    need(text == "0" or text[0] != "0", "a number begins with 0")
    return int(text)


def rational(text: Any) -> Q:  # noqa: ANN401  # whatever stands there
    """A rational 'p/q', which may have a sign."""
    need(type(text) is str and len(text) <= MOST_DIGITS and set(text) <= set("-/0123456789"), "a number is no rational 'p/q'")
    return Q(text)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, if no key is there twice."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def whole(numbers: list[Q]) -> int:
    """A common denominator."""
    common = 1
    for number in numbers:
        common = lcm(common, number.denominator)
        need(common.bit_length() <= 10**5, "a common denominator is too long")
    return common


# Laws and distances


def masses(law: Any, mass: int) -> list[int]:  # noqa: ANN401  # whatever stands there
    """The masses of a law's points, which sum to L and are each of another point."""
    need(type(law) is list and 0 < len(law) <= MOST_POINTS, "a law is no list of points")
    need(all(type(entry) is list and len(entry) == 2 for entry in law), "a point of a law has not just its mass beside it")
    need(len({json.dumps(x) for x, _ in law}) == len(law), "a point of a law is there twice")
    found = [natural(p) for _, p in law]
    need(sum(found) == mass > 0, "the masses of a law do not sum to L")
    return found


def distances(document: dict[str, Any]) -> tuple[Distance, int]:
    """K d(i, j) as an integer, None where it is infinite, and K."""
    left, right = ([x for x, _ in document[side]] for side in ("P", "Q"))
    name, table = document["metric"], document["distances"]
    need(name in METRICS and (name == "table") == (table is not None), "no such metric, or distances that are not used")
    if name == "table":
        need(type(table) is list and len(table) == len(left), "not one row of distances for each point of P")
        need(all(type(row) is list and len(row) == len(right) for row in table), "not one distance for each point of Q")
        known = [[None if d is None else rational(d) for d in row] for row in table]
        scale = whole([d for row in known for d in row if d is not None])
        rows = [[None if d is None else int(d * scale) for d in row] for row in known]
        need(all(d is None or d >= 0 for row in rows for d in row), "a distance is negative")
        return lambda i, j: rows[i][j], scale
    points = [[rational(c) for c in ([x] if name == "absolute" else x)] for x in (*left, *right)]
    need(len({len(point) for point in points}) == 1, "points are not of one dimension")
    need(len({tuple(point) for point in points[: len(left)]}) == len(left), "a point of P is written in two ways")
    need(len({tuple(point) for point in points[len(left) :]}) == len(right), "a point of Q is written in two ways")
    scale = whole([c for point in points for c in point])
    exact = [[int(c * scale) for c in point] for point in points]
    a, b = exact[: len(left)], exact[len(left) :]
    if name == "absolute":
        return lambda i, j: abs(a[i][0] - b[j][0]), scale
    if name == "l1":
        return lambda i, j: sum(abs(x - y) for x, y in zip(a[i], b[j], strict=True)), scale
    if name == "linf":
        return lambda i, j: max(abs(x - y) for x, y in zip(a[i], b[j], strict=True)), scale
    return lambda i, j: sum((x - y) ** 2 for x, y in zip(a[i], b[j], strict=True)), scale * scale


def flow_of(document: dict[str, Any], p: list[int], q: list[int]) -> list[tuple[int, int, int]]:
    """The flow: (i, j, amount), each pair at most once, no more than P and Q have."""
    entries = document["flow"]
    need(type(entries) is list and all(type(e) is list and len(e) == 3 for e in entries), "the flow is no list of [i, j, f]")
    need(all(type(i) is int and type(j) is int for i, j, _ in entries), "a position in the flow is no integer")
    need(all(0 <= i < len(p) and 0 <= j < len(q) for i, j, _ in entries), "a position in the flow is of no point")
    need(len({(i, j) for i, j, _ in entries}) == len(entries), "a pair is in the flow twice")
    found, sent, got = [(i, j, natural(f)) for i, j, f in entries], [0] * len(p), [0] * len(q)
    for i, j, f in found:
        sent[i], got[j] = sent[i] + f, got[j] + f
    need(all(s <= mass for s, mass in zip(sent, p, strict=True)), "more flows from a point than it has")
    need(all(g <= mass for g, mass in zip(got, q, strict=True)), "more flows to a point than it has")
    return found


def flows(document: dict[str, Any], p: list[int], q: list[int], within: Callable[[int, int], bool], gamma: Q) -> None:
    """Stop unless (1 - gamma) of the mass flows along pairs within b."""
    found = flow_of(document, p, q)
    need(all(within(i, j) for i, j, _ in found), "the flow uses a pair that is too far apart")
    need(sum(f for _, _, f in found) >= (1 - gamma) * sum(p), "the flow is too small")


def blocks(document: dict[str, Any], p: list[int], q: list[int], within: Callable[[int, int], bool], gamma: Q) -> None:
    """Stop unless the points of a set have more mass than all that is within b of them, by more than gamma."""
    hall = document["hall"]
    need(type(hall) is list and all(type(i) is int and 0 <= i < len(p) for i in hall), "hall is no list of positions in P")
    need(len(set(hall)) == len(hall), "a position is in hall twice")
    need(len(hall) * len(q) <= MOST_PAIRS, f"more than {MOST_PAIRS} pairs")
    reached = sum(mass for j, mass in enumerate(q) if any(within(i, j) for i in hall))
    need(sum(p[i] for i in hall) - reached > gamma * sum(p), "the points of hall have no more mass than what is near them")


def infinity(document: dict[str, Any]) -> None:
    """A decision, or both sides of a value."""
    mass, gamma, b = natural(document["mass"]), rational(document["gamma"]), rational(document["b"])
    need(0 <= gamma <= 1 and b >= 0, "gamma is not in 0..1, or b is negative")
    p, q = masses(document["P"], mass), masses(document["Q"], mass)
    distance, scale = distances(document)
    most = b * scale

    def near(i: int, j: int) -> bool:
        d = distance(i, j)
        return d is not None and d <= most

    def nearer(i: int, j: int) -> bool:
        d = distance(i, j)
        return d is not None and d < most

    if document["kind"] == "lossy-infinity-value":
        flows(document, p, q, near, gamma)
        if b:
            blocks(document, p, q, nearer, gamma)
        need(bool(b) or document["hall"] == [], "there is nothing below 0")
        return
    need(type(document["strict"]) is bool and type(document["answer"]) is bool, "strict or answer is neither true nor false")
    within = nearer if document["strict"] else near
    unused = "hall" if document["answer"] else "flow"
    need(document[unused] == [], f"{unused} does not belong to the answer")
    (flows if document["answer"] else blocks)(document, p, q, within, gamma)


def average(document: dict[str, Any]) -> None:
    """A flow and a dual of the same cost."""
    mass, gamma, c = natural(document["mass"]), rational(document["gamma"]), rational(document["c"])
    need(0 <= gamma <= 1, "gamma is not in 0..1")
    p, q = masses(document["P"], mass), masses(document["Q"], mass)
    need(len(p) * len(q) <= MOST_PAIRS, f"more than {MOST_PAIRS} pairs")
    distance, scale = distances(document)
    found, paid = flow_of(document, p, q), 0
    for i, j, f in found:
        d = distance(i, j)
        need(d is not None, "the flow uses a pair that is infinitely far apart")
        paid += f * (d or 0)
    amount = (1 - gamma) * mass
    need(sum(f for _, _, f in found) == amount, "the flow is not of the amount (1 - gamma) L")
    need(paid == c * scale * mass, "the flow does not cost c")
    dual = document["dual"]
    need(
        type(dual) is list and len(dual) == 3 and type(dual[1]) is list and type(dual[2]) is list, "the dual is not [l, u, v]"
    )
    need(len(dual[1]) == len(p) and len(dual[2]) == len(q), "the dual has not a number for each point")
    numbers = [scale * rational(x) for x in (dual[0], *dual[1], *dual[2])]
    times = whole(numbers)
    level, *prices = (int(x * times) for x in numbers)
    u, v = prices[: len(p)], prices[len(p) :]
    need(min(prices) >= 0, "a price of the dual is negative")
    for i in range(len(p)):
        for j in range(len(q)):
            d = distance(i, j)
            need(d is None or level - u[i] - v[j] <= times * d, "the dual is above a distance")
    worth = level * amount - sum(x * m for x, m in zip(u, p, strict=True)) - sum(x * m for x, m in zip(v, q, strict=True))
    need(worth == times * paid, "the dual is not worth what the flow costs")


# One-sided noise


def at_most_exp(number: Q, x: Q) -> bool:
    """Whether number <= e^x, for x > 0, by sums of its series in units of 2^-places, rounded either way, until they decide."""
    places, p, q = 64, x.numerator, x.denominator
    while True:
        goal, i = number * (1 << places), 0
        below = above = low = high = 1 << places
        while below < goal and (i <= 2 * x or (low > 0 and above + high >= goal)):
            i += 1
            low, high = low * p // (q * i), -(-high * p // (q * i))
            below, above = below + low, above + high
        if below >= goal or above + high < goal:  # the rest of the series is below its last term where i > 2 x
            return below >= goal
        places *= 2
        need(places <= 2**14, "R is too near to e^epsilon to be told from it")


def table(document: dict[str, Any]) -> None:
    """Weights of one-sided noise, and what is claimed of them."""
    relation, bits, weights = document["neighbours"], document["bits"], document["weights"]
    need(relation in ("add-remove", "replace-one"), "no such neighbours")
    need(type(bits) is int and 1 <= bits <= 4096, "bits is not an integer from 1 to 4096")
    need(type(weights) is list and type(document["q"]) is int and document["q"] == len(weights) > 0, "not q weights")
    w = [natural(x) for x in weights]
    epsilon, delta, ratio = (rational(document[key]) for key in ("epsilon", "delta", "ratio"))
    need(0 < epsilon <= 1000 and 0 <= delta <= 1 and ratio > 1, "epsilon, delta or R is out of range")
    need(
        at_most_exp(ratio, epsilon if relation == "add-remove" else epsilon / 2),
        "R is above e^epsilon (replace-one: its root)",
    )
    need(min(w) >= 1 and sum(w) == 1 << bits, "a weight is below 1, or they do not sum to 2^bits")
    p, q = ratio.numerator, ratio.denominator
    need(all(a * q <= p * b and b * q <= p * a for a, b in pairwise(w)), "(i) fails")
    first, last = Q(w[0], 1 << bits), Q(w[-1], 1 << bits)
    least = max(first, last) if relation == "add-remove" else 1 - (1 - first) * (1 - last)
    need(least <= delta, "delta is too small")


def recheck(document: dict[str, Any]) -> str | None:
    """Why the certificate is rejected, or None where it shows what it says. Parameters: document, as read from JSON."""
    try:
        known = repr((document["format"], document["version"])) == "('finitedp flexible certificate', 1)"
        need(known and document["kind"] in KEYS, "it is no flexible certificate of version 1")
        need(set(document) == KEYS[document["kind"]], "a key is missing or not known")
        checks = {"lossy-average": average, "shifted-truncated": table}
        checks.get(document["kind"], infinity)(document)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return str(error) or type(error).__name__
    return None


def main(files: list[str]) -> int:
    """Check each file; 0 where all are accepted."""
    code = 0
    for file in files:
        try:
            need(Path(file).stat().st_size <= MOST_BYTES, f"it has more than {MOST_BYTES} bytes")
            reason = recheck(json.loads(Path(file).read_text(encoding="utf-8"), object_pairs_hook=unique))
        except (OSError, ValueError, RecursionError) as error:
            reason = f"it cannot be read: {error}"
        line = f"{file}: {'accepted' if reason is None else f'REJECTED: {reason}'}"
        print(line.encode("ascii", "backslashreplace").decode())  # noqa: T201  # its purpose, on any terminal
        code = code if reason is None else 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else "usage: flexible_certificate.py FILE...")
