"""Re-derives the verdicts of a finitedp certificate from the certificate alone: python checker.py FILE...

It imports the standard library only and shares no code with finitedp. It trusts that the laws in the certificate are those
of the program that was audited, and that the specified laws and the true values are the ones meant; the entries `name` and
`derived` are somebody's words, and nothing here vouches for them. All else, the inputs, the neighbouring pairs, the worst
ratio, the witness, the error probabilities and the verdicts, is computed here and compared with what the certificate says.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Callable
from fractions import Fraction as Q
from itertools import combinations, permutations, product
from math import gcd, isqrt, lcm
from pathlib import Path
from typing import Any

KEYS = {"format", "version", "name", "neighbours", "universe", "n", "inputs", "claim", "accuracy", "laws", "verdicts"}
KEYS |= {"worst_ratio", "unresolved", "u", "witness", "miss", "derived", "sha256"}
MOST_BYTES, MOST_DIGITS, MOST_BITS, MOST_COMPARISONS = 10**8, 20_000, 10**6, 3 * 10**7

Law = tuple[dict[str, Q], Q]
Tails = dict[int, tuple[int, Q, str]]
Above = Callable[[int, int], bool]
Logs = list[list[tuple[int, int]]]
Document = dict[str, Any]
Groups = list[tuple[int, ...]]
Atoms = list[tuple[Q, Q]]


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise ValueError(message)


def keys(document: Document, *names: str) -> None:
    """Stop unless an object has these keys and no others."""
    need(type(document) is dict and set(document) == set(names), f"an object does not have just the keys {sorted(names)}")


def unique(pairs: list[tuple[str, Any]]) -> Document:
    """A JSON object, if no key is there twice."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def rational(text: Any) -> Q:  # noqa: ANN401  # whatever stands there
    """The rational p/q."""
    need(type(text) is str and len(text) <= MOST_DIGITS, f"a rational is no text of at most {MOST_DIGITS} characters")
    need(set(text) <= set("-/0123456789"), f"{text[:60]!r} is not a rational 'p/q'")
    return Q(text)


def denominator(numbers: list[Q]) -> int:
    """A common denominator."""
    common = 1
    for number in numbers:
        common = lcm(common, number.denominator)
        need(common.bit_length() <= MOST_BITS, f"a common denominator has more than {MOST_BITS} bits")
    need(common.bit_length() * len(numbers) <= 1000 * MOST_BITS, "the probabilities have too large a common denominator")
    return common


def law(entry: Document, tails: Tails, names: tuple[str, ...]) -> Law:
    """The probabilities of the outputs, and what is unresolved; together they are 1. tails: those of all laws, by direction.

    In a tail, first, first + direction, ..., each output has ratio times the probability of the one before. All of them are
    one output here, which is exact: between two laws with the same tail they all have one probability ratio.
    """
    keys(entry, *names)
    found, rest = {x: rational(p) for x, p in entry["probabilities"].items()}, rational(entry["unresolved"])
    need("tails" not in entry or (type(entry["tails"]) is list and not any(x.endswith(", ...") for x in found)), "no tails")
    for tail in entry.get("tails", []):
        keys(tail, "direction", "first", "mass", "ratio")
        direction, first, ratio = tail["direction"], tail["first"], rational(tail["ratio"])
        need(type(direction) is type(first) is int and direction in (1, -1) and 0 < ratio < 1, "there is no such tail")
        alike = first, ratio, f"{first}, {first + direction}, ..."
        need(tails.setdefault(direction, alike) == alike, "tails of one direction differ in first or ratio")
        need(alike[2] not in found, "a tail is there twice")
        found[alike[2]] = rational(tail["mass"]) / (1 - ratio)
    need(rest >= 0 and min(found.values(), default=Q(1)) > 0, "a law has a probability that is not positive")
    common = denominator([rest, *found.values()])
    need(sum(p.numerator * (common // p.denominator) for p in (*found.values(), rest)) == common, "a law does not sum to 1")
    return found, rest


def exp_bounds(x: Q, bits: int) -> tuple[int, int]:
    """Integers with low <= e^x 2^bits <= high, for x >= 0: its series, every term of which is rounded down, or up."""
    scaled, i = (x.numerator << bits) // x.denominator, 0
    low = high = down = up = 1 << bits
    while up > 1 or i <= 2 * x:
        i += 1
        down, up = down * scaled // i >> bits, -(-up * (scaled + 1) // i >> bits)
        low, high = low + down, high + up
    return low, high + up  # from here on every term is below half of the one before


def comparison(claim: Document) -> Above:
    """Whether p > r q for integers p and q, where r is the claim's ratio, or e^epsilon between bounds that narrow."""
    x, bits = rational(claim["epsilon"]), 64
    if claim["ratio"] is not None or x == 0:
        r = rational(claim["ratio"] or "1")
        return lambda p, q: p * r.denominator > r.numerator * q
    low, high = exp_bounds(x, bits)

    def above(p: int, q: int) -> bool:
        nonlocal low, high, bits
        if q <= 0:
            return p > 0 if q == 0 else not above(-p, -q)  # never equal: e^x is irrational
        while low * q < p << bits <= high * q:
            bits *= 2
            need(bits <= 2**14, "a ratio is too near to e^epsilon to be told from it")
            low, high = exp_bounds(x, bits)
        return p << bits > high * q

    return above


# Inputs


def all_inputs(relation: str, universe: list[Any], n: int) -> list[Any]:
    """The counts 0..n, or the datasets of n rows (with add-remove, of up to n)."""
    need(relation in ("counts", "replace-one", "add-remove") and type(n) is int, "no such relation, or n is no integer")
    need(0 <= n <= 10**4, "n is not from 0 to 10,000")
    labels = [y for x in universe for y in (x if type(x) is tuple and x else [x])]
    need(type(universe) is list and all(type(y) in (int, str) for y in labels), "no list of labels, integers or strings")
    need(len(set(universe)) == len(universe), "a label is there twice")
    sizes = range(n + 1) if relation == "add-remove" else (n,)
    need(universe == [] if relation == "counts" else sum(len(universe) ** size for size in sizes) <= 10**4, "no such universe")
    return list(range(n + 1)) if relation == "counts" else [x for size in sizes for x in product(universe, repeat=size)]


def row(label: Any) -> Any:  # noqa: ANN401  # an integer, a text, or a list of these
    """A label, of several columns a tuple."""
    return tuple(label) if type(label) is list else label


def stated(pairs: list[Any], listed: list[Any], universe: list[Any], n: int) -> list[Any]:
    """The inputs of pairs of them that somebody stated to be neighbours: counts up to n, or datasets of at most n rows."""
    need(all_inputs("replace-one", universe, 1) == [(x,) for x in universe] and type(n) is int, "no universe, or no n")
    need(len(listed) <= 10**4 and all(type(x) is (list if universe else int) for x in listed), "an input is of another kind")
    inputs: list[Any] = [tuple(map(row, x)) if universe else x for x in listed]
    known = not universe or {json.dumps(y) for x in listed for y in x} <= set(map(json.dumps, universe))
    need(known and all(0 <= (len(x) if universe else x) <= n for x in inputs), "an input has another row, or too many")
    need(len(set(inputs)) == len(inputs) and [list(p) for p in sorted({*map(tuple, pairs)})] == pairs, "something is twice")
    need(all([*map(type, p)] == [int, int] and 0 <= p[0] < p[1] for p in pairs), "a pair is no two places of inputs")
    need({i for p in pairs for i in p} == set(range(len(inputs))), "an input is in no pair, or not there")
    return inputs


def neighbours(relation: str, universe: list[Any], inputs: list[Any]) -> Groups:
    """Groups of inputs, by position, in each of which any two are neighbours; every neighbouring pair is in one of them."""
    if relation == "counts":
        return [(c, c + 1) for c in inputs[:-1]]
    need(len(inputs) * (len(inputs[-1]) + 1) ** 2 <= 10**8, "datasets of too many rows")
    if relation == "add-remove":
        index, most = {data: i for i, data in enumerate(inputs)}, len(inputs[-1])
        shorter = [x for x in inputs if len(x) < most]
        return sorted({(index[x], index[*x[:j], y, *x[j:]]) for x in shorter for j in range(len(x) + 1) for y in universe})
    alike: dict[Any, list[int]] = {}
    for i, x in enumerate(inputs):
        for j in range(len(x)):
            alike.setdefault((j, x[:j], x[j + 1 :]), []).append(i)
    return [tuple(group) for group in alike.values() if len(group) > 1]


# Verdicts


def peak(masses: list[dict[str, int]], groups: Groups, above: Above) -> tuple[Any, ...]:
    """The groups with an output that breaks r, whether a ratio is infinite, and the first pair with the largest finite one."""
    broken, infinite, most, least, first = [], False, 0, 1, min(group[:2] for group in groups)
    for group in groups:
        by_output: dict[str, list[tuple[int, int]]] = {}
        for i in group:
            for x, p in masses[i].items():
                by_output.setdefault(x, []).append((i, p))
        exceeded = False
        for held in by_output.values():
            if len(held) < len(group):
                infinite = exceeded = True
                continue
            (i, high), low = max(held, key=lambda item: (item[1], -item[0])), min(p for _, p in held)
            exceeded = exceeded or above(high, low)
            if high * least >= most * low:
                place = (i, next(j for j, p in held if p == low and j != i))
                first = min(place, first) if high * least == most * low else place
                most, least = high, low
        broken += [group] if exceeded else []
    return broken, infinite, Q(most, least), first


def privacy(claim: Document, laws: list[Law], groups: Groups, outputs: list[str]) -> tuple[Any, ...]:
    """The verdict on privacy, u, whether the bound is attained, the worst ratio, and the witness.

    u is the smallest 2^-k, k from 32 to 1024, with which the claim holds at delta + u wherever the unresolved mass lies, where
    the claim itself does not hold wherever that mass lies; else None. Where outputs are declared, that of P is in S and that
    of Q is not if S has one and leaves one out: next to an empty S are single outputs, next to all of them all but one.
    The witness is the event with the largest P[S] - r Q[S], or with the largest P[S] / Q[S] where no event has P[S] > r Q[S].
    """
    scale = denominator([rational(claim["delta"]), *(p for found, rest in laws for p in (rest, *found.values()))])
    masses = [{x: p.numerator * (scale // p.denominator) for x, p in found.items()} for found, _ in laws]
    rests, delta, above = [int(rest * scale) for _, rest in laws], int(rational(claim["delta"]) * scale), comparison(claim)
    broken, infinite, ratio, first = peak(masses, groups, above)
    some, broken = (outputs, groups) if outputs and any(rests) else ([], broken)
    work = sum(len(group) * sum(len(masses[i]) + len(some) for i in group) for group in broken)
    need(work <= MOST_COMPARISONS, f"the events of all pairs take {work} comparisons, more than {MOST_COMPARISONS}")
    fails, highest, worst, k = False, [((0 if some else max(rests)) - delta, 0)], (0, 0, *first), 1024
    for i, j in sorted({pair for group in broken for pair in permutations(group, 2)}):
        q = masses[j]
        event = [x for x, p in masses[i].items() if above(p, q.get(x, 0))]
        in_p, in_q = sum(masses[i][x] for x in event), sum(q.get(x, 0) for x in event)
        worst = (in_p, in_q, i, j) if above(in_p - worst[0], in_q - worst[1]) else worst
        fails = fails or (event != [] and above(in_p - delta, in_q + rests[j]))
        sign, beside = -1 if event else 1, some if len(event) in (0, len(some)) else []
        ends = [(in_p + sign * masses[i].get(x, 0), in_q + sign * q.get(x, 0)) for x in beside] or [(in_p, in_q)]
        highest += [(a + rests[i] - delta, b) for a, b in ends]
    p, q = masses[worst[2]], masses[worst[3]]
    event = sorted(x for x in p if (above(p[x], q.get(x, 0)) if worst[0] else p[x] == ratio * q.get(x, 0)))
    in_p, in_q = sum(p[x] for x in event), sum(q.get(x, 0) for x in event)
    r = rational(claim["ratio"] or "1") if claim["ratio"] or rational(claim["epsilon"]) == 0 else None
    attained = in_p - delta == (0 if r is None else r * in_q) and (r is not None or in_q == 0)
    tight = not any(rests) and (attained if delta else ratio == r and not infinite)
    sides = {"left": worst[2], "right": worst[3], "in_left": Q(in_p, scale), "in_right": Q(in_q, scale)}
    largest = None if any(rests) else "infinite" if infinite else ratio
    sure = "fails" if fails else "" if any(above(p, q) for p, q in highest) else "holds"
    for p, q in () if sure == "holds" else highest:
        while k >= 32 and above((p << k) - scale, q << k):
            k -= 1
    u = None if sure == "holds" or k < 32 else Q(1, 1 << k)
    return sure or ("undecided" if u is None else "holds with delta + u"), u, tight, largest, {**sides, "event": event}


def equality(laws: list[Law], specified: list[Law] | None) -> str:
    """The verdict on the laws."""
    if specified is None:
        return "not specified"
    need(len(specified) == len(laws), "there is not one specified law for each input")
    need(not any(rest for _, rest in specified), "a specified law is not complete")
    if any(p > allowed.get(x, 0) for (found, _), (allowed, _) in zip(laws, specified, strict=True) for x, p in found.items()):
        return "differs"
    return "undecided" if any(rest for _, rest in laws) else "equal"


def numbers(output: str) -> tuple[int, ...]:
    """The coordinates of an output."""
    values = ast.literal_eval(output)
    values = values if type(values) is tuple else (values,)
    need(all(isinstance(value, int) for value in values), f"{output[:60]} is neither an integer nor a tuple of integers")
    return tuple(values)


def near(metric: str, x: Any, y: Any, beta: Q) -> bool:  # noqa: ANN401  # texts, or tuples of integers
    """Whether an output is within beta of a value: in every coordinate, or as sets; or equal to it."""
    if metric == "equal" or x == y:
        return bool(x == y)
    if metric == "absolute":
        return len(x) == len(y) and all(abs(a - b) <= beta for a, b in zip(x, y, strict=True))
    return () not in (x, y) and all(min(abs(a - b) for b in there) <= beta for here, there in ((x, y), (y, x)) for a in here)


def named(statistic: str, universe: list[Any], data: tuple[Any, ...]) -> str | None:
    """A known statistic, by the universe's order, as text; else None. Of no rows the first label (min: the last), () or 0."""
    at = sorted(map(universe.index, data)) or [len(universe) - 1 if statistic == "min" else 0]
    if statistic == "support":
        return repr(tuple(universe[i] for i in sorted(set(at))) if data else ())
    if statistic == "range":
        return repr(universe[at[-1]] - universe[at[0]])
    most = max(at, key=at.count)  # the first of equals
    place = {"max": at[-1], "min": at[0], "mode": most, "median": at[(len(at) - 1) // 2]}.get(statistic)
    return None if place is None else repr(universe[place])


def missed(law: Law, outputs: list[str], far: set[str]) -> tuple[Q, Q]:
    """The mass of outputs that are far, and how much more it may be: nothing where all or none of those declared are."""
    p, rest = law
    found, left = sum((p[x] for x in far if x in p), Q(0)), {x in far for x in outputs}
    return (found + rest * (True in left), Q(0)) if len(left) == 1 else (found, rest)


def outside(claim: Document, laws: list[Law], outputs: list[str], universe: list[Any], n: int, inputs: list[Any]) -> list[Any]:
    """By input, the mass of outputs that are not near the statistic of the input with the allowed rows left out, or fewer."""
    keys(claim, "kind", "statistic", "metric", "alpha", "dropped", "beta", "gamma", "values")
    beta, metric, values, dropped = rational(claim["beta"]), claim["metric"], claim["values"], claim["dropped"]
    need(metric in ("absolute", "hausdorff", "equal") and beta >= 0 and universe != [], "no such metric, or no datasets")
    need((claim["alpha"] is None) != (dropped is None) and type(values) is list, "not one of alpha and dropped, or no values")
    alpha = rational(claim["alpha"] or "0")
    need(alpha >= 0 and (dropped is None or (type(dropped) is int and dropped >= 0)), "alpha or dropped is out of range")
    every = all_inputs("add-remove", universe, n)
    need(len(values) == len(every) and len(inputs) << n <= MOST_COMPARISONS, "not one value for a dataset, or too many rows")
    known = [named(claim["statistic"], universe, x) for x in every]
    need(None in known or values == known, "not the values of the statistic")
    point = str if metric == "equal" else numbers
    value, found = {x: point(v) for x, v in zip(every, values, strict=True)}, list[Any]()
    for i, (data, law) in enumerate(zip(inputs, laws, strict=True)):
        left, ball = int(alpha * len(data)) if dropped is None else min(dropped, len(data)), {data}
        for _ in range(left):
            ball |= {x[:j] + x[j + 1 :] for x in ball for j in range(len(x))}
        allowed, outcomes = {value[x] for x in ball}, {*law[0], *(outputs if law[1] else [])}
        need(len(outcomes) * len(allowed) * len(inputs) <= MOST_COMPARISONS, "too many comparisons with values")
        far = {x for x in outcomes if all(not near(metric, point(x), v, beta) for v in allowed)}
        found.append((*missed(law, outputs, far), i, None))
    return found


def off(output: str, truth: list[int], a: int, tails: Tails) -> list[bool]:
    """By coordinate, whether an output is farther than a from the truth. A tail must be so as a whole."""
    for direction, (first, _, name) in tails.items():
        if output == name:
            need(len(truth) == 1 and (first - truth[0]) * direction > a, "a tail is not all off")
            return [True]
    return [abs(x - y) > a for x, y in zip(numbers(output), truth, strict=True)]


def accuracy(claim: Document | None, laws: list[Law], tails: Tails, outputs: list[str], *where: Any) -> Any:  # noqa: ANN401
    """The verdict on accuracy, and where an error above a, or one that no rows left out explain, is most likely."""
    if claim is None:
        return "not claimed", None
    flexible = claim["kind"] == "flexible"
    allowed = rational(claim["gamma" if flexible else "beta"])
    misses = outside(claim, laws, outputs, *where) if flexible else []
    if flexible:
        need(all(name not in p for _, _, name in tails.values() for p, _ in laws), "a flexible claim, and a tail")
    else:
        keys(claim, "a", "beta", "kind", "truths")
        whole = all(type(x) is int for x in (claim["a"], *(x for truth in claim["truths"] for x in truth)))
        need(whole and claim["a"] >= 0 and claim["kind"] in ("counting", "per-query", "simultaneous"), "no such accuracy")
    for i, (law, truth) in () if flexible else enumerate(zip(laws, claim["truths"], strict=True)):
        far = {x: off(x, truth, claim["a"], tails) for x in (*law[0], *(outputs if law[1] else []))}
        for j in range(len(truth)) if claim["kind"] == "per-query" else [None]:
            misses.append((*missed(law, outputs, {x for x in far if (any(far[x]) if j is None else far[x][j])}), i, j))
    need(misses != [] and 0 <= allowed <= 1, "there is nothing to be accurate about, or no probability is allowed")
    most = max(misses, key=lambda miss: miss[0])
    sure = all(found + more <= allowed for found, more, _, _ in misses)
    found = "fails" if most[0] > allowed else "holds" if sure else "undecided"
    return found, {"input": most[2], "probability": most[0], "coordinate": most[3]}


# Several runs, and divergences


def together(p: dict[str, Q], q: dict[str, Q], runs: int) -> list[dict[str, Q]]:
    """Both laws of so many runs, by probability ratio."""
    scale = denominator([*p.values(), *q.values()])
    one = [(int(p.get(x, 0) * scale), int(q.get(x, 0) * scale)) for x in sorted({*p, *q})]
    found, products = {"1:1": (1, 1)}, 0
    for run in range(runs + 1):  # the first time, outputs of one ratio are taken together
        step: dict[str, tuple[int, int]] = {}
        for (a, b), (c, d) in product(found.values(), one):
            left, right = a * c, b * d
            common = gcd(left, right) or 1
            name = f"{left // common}:{right // common}"
            before = step.get(name, (0, 0))
            step[name] = before[0] + left, before[1] + right
        products += len(found) * len(one)
        need(products <= MOST_COMPARISONS, f"so many runs take more than {MOST_COMPARISONS} products")
        step.pop("0:0", None)
        found, one = (found, list(step.values())) if run == 0 else (step, one)
    whole = scale**runs
    return [{name: Q(pair[side], whole) for name, pair in found.items() if pair[side]} for side in (0, 1)]


def atoms(p: dict[str, Q], q: dict[str, Q]) -> Atoms:
    """The masses of two laws by probability ratio, the largest ratio first, an infinite one before."""
    found: dict[Q | None, tuple[Q, Q]] = {}
    for x in {*p, *q}:
        a, b = p.get(x, Q(0)), q.get(x, Q(0))
        before = found.get(a / b if b else None, (Q(0), Q(0)))
        found[a / b if b else None] = before[0] + a, before[1] + b
    return [found[r] for r in sorted(found, key=lambda r: (r is None, r or 0), reverse=True)]


def pooled(known: Atoms, mass: Q) -> Atoms:
    """Atoms, where mass is added to the second law so that the largest ratios become one that is as small as it can be."""
    p, q, rest = Q(0), mass, list(known)
    while mass and rest and rest[0][0] * q >= p * rest[0][1]:
        a, b = rest.pop(0)
        p, q = p + a, q + b
    return [(p, q), *rest] if mass else rest


def completed(p: dict[str, Q], u: Q, q: dict[str, Q], v: Q, outputs: list[str]) -> list[Atoms]:
    """The atoms where the unresolved masses u and v make both laws as alike as they can be; then those where they differ most.

    These leave v out. If all declared outputs have a q, u is on one that none of them beats in p / q, without u and with it.
    """
    known = atoms(p, q)
    turned = [(b, a) for a, b in reversed(pooled(known, v))]
    near = [(a, b) for b, a in reversed(pooled(turned, u))]
    if not u or not outputs or not set(outputs) <= set(q):
        return [near, [(Q(1), Q(0))] if u else known]
    ends = sorted(((p.get(x, Q(0)) / q[x], (p.get(x, Q(0)) + u) / q[x], x) for x in outputs), reverse=True)
    best = [x for k, (_, end, x) in enumerate(ends) if all(end > other for _, other, _ in ends[:k])]
    return [near, *(atoms({**p, x: p.get(x, Q(0)) + u}, q) for x in best)]


def log(r: Q, bits: int, up: int) -> int:
    """ln(r) 2^bits for r > 0, rounded down or up: roots until it is 1 + e, whose logarithm is from e - e^2 to e."""
    if r < 1:
        return -log(1 / r, bits, 1 - up)
    x = (r.numerator << bits) // r.denominator + up
    for _ in range(bits // 2):
        x = isqrt(x << bits) + up
    x -= 1 << bits
    return (x if up else x - (x * x >> bits) - 1) << bits // 2


def exp(t: int, bits: int, up: int) -> int:
    """e^(t / 2^bits) 2^bits for t <= 0, rounded down or up: a series near 0, and squares."""
    if -t > bits << bits:
        return up
    squares = max(t.bit_length() - bits, 0) + 8
    low, high = exp_bounds(Q(-t, 1 << bits + squares), bits)
    for _ in range(squares):
        low, high = low * low >> bits, -(-high * high >> bits)
    return -(-(1 << 2 * bits) // low) if up else (1 << 2 * bits) // high


def logs(known: Atoms, bits: int) -> Logs:
    """By atom, ln(p) and ln(p / q), times 2^bits, both rounded down and both rounded up."""
    return [[(log(p, bits, up), log(p / q, bits, up)) for p, q in known if p] for up in (0, 1)]


def cumulant(parts: Logs, order: Q, bits: int) -> tuple[Q, Q]:
    """Rationals around ln(sum p^a q^(1 - a)) at an order a above 1, which is convex in a."""
    (n, d), ends = (order - 1).as_integer_ratio(), list[Q]()
    for up, part in enumerate(parts):
        exponents = [in_p + (-(-ratio * n // d) if up else ratio * n // d) for in_p, ratio in part]
        top = max(exponents)
        total = Q(sum(exp(t - top, bits, up) for t in exponents), 1 << bits)
        ends.append(Q(top + log(total, bits, up), 1 << bits))
    return ends[0], ends[1]


def below(parts: Logs, rho: Q, bits: int) -> bool:
    """Whether the cumulant is at most rho a (a - 1) at every a > 1: convex, it is below its chords, compared exactly.

    From a on with rho a >= the largest ln(p / q) it is so in any case.
    """
    last, end = Q(max(ratio for _, ratio in parts[1]), 1 << bits) / rho, Q(1, 1 << 32)
    while 1 + end < last:
        end *= 2
    values, todo = {Q(1): (Q(0), Q(0))}, [(Q(1), 1 + end)] if last > 1 else []
    while todo:
        a, b = todo.pop()
        for order in {a, b} - set(values):
            values[order] = cumulant(parts, order, bits)
        need(len(values) * len(parts[0]) <= MOST_COMPARISONS // 10, "a divergence takes too many orders")
        slope = (values[b][1] - values[a][1]) / (b - a)
        x = min(max((rho + slope) / (2 * rho), a), b)
        if rho * x * (x - 1) < values[a][1] + slope * (x - a):
            if values[b][0] > rho * b * (b - 1) or b - a < Q(1, 1 << 40):
                return False
            middle = 1 + (b - 1) / 16 if a == 1 else min((a + b) / 2, 1 + 2 * (a - 1))
            todo += [(a, middle), (middle, b)]
    return True


def close(name: str, entry: Document, runs: int, sides: dict[Any, Any], bits: int) -> bool:
    """Whether a divergence is at least `low` where that is said, and at most `high` everywhere, and not known much better."""
    order, here = rational(entry["order"]), sides[entry["left"], entry["right"]][0]
    near = {tuple(side[0]): None for side in sides.values()}
    far = {tuple(known): None for side in sides.values() for known in side[1:]}
    ends = ((entry["low"], near), (entry["high"], far))
    low, high = (None if end == "infinite" else rational(end) / runs for end, _ in ends)
    need(all((end == "infinite") == any(not known[0][1] for known in each) for end, each in ends), "infinite, or not")
    if low is None:
        return not here[0][1]
    parts = [
        [logs(list(known), bits) for known in each if any(p != q for p, q in known)]
        for each in (near if name == "renyi" else (), far if high is not None else ())
    ]
    scale = order * (order - 1) if name == "zcdp" else order - 1
    least = cumulant(logs(here, bits), order, bits)[0] / scale if any(p != q for p, q in here) else Q(0)
    if low > least or low < 0:
        return False
    if name == "zcdp":
        tight = high is None or near != far or high - low <= high / 1000
        return tight and (high is None or all(high > 0 and below(each, high, bits) for each in parts[1]))
    most = [max((cumulant(each, order, bits)[1] for each in some), default=Q(0)) / scale for some in parts]
    return most[0] - low <= most[0] / 2**40 and (high is None or 0 <= high - most[1] <= high / 2**40)


def divergences(claim: Document, laws: list[Law], groups: Groups, outputs: list[str], said: Document) -> Any:  # noqa: ANN401
    """The verdicts on the divergences that are claimed, and what they are: as it is said, which is checked."""
    pairs = sorted({pair for group in groups for pair in permutations(group, 2)})
    need(sum(len(laws[i][0]) + len(laws[j][0]) for i, j in pairs) <= MOST_COMPARISONS, "too many outputs of pairs")
    claimed = [name for name in ("renyi", "zcdp") if claim[name] is not None]
    sides = {(i, j): completed(*laws[i], *laws[j], outputs) for i, j in pairs if claimed}
    verdicts, found = dict.fromkeys(said, "not claimed"), dict[str, Any].fromkeys(said)
    for name in claimed:
        entry, stated = said[name], claim[name]
        keys(entry, "left", "right", "order", "low", "high", "power_sum")
        order, most = rational(entry["order"]), rational(stated["epsilon"] if name == "renyi" else stated)
        need((entry["left"], entry["right"]) in sides and order > 1 and most >= 0, "no neighbours, or no such order")
        need(name == "zcdp" or (len(stated) == 2 and rational(stated["order"]) == order), "another order, or something more")
        need(any(close(name, entry, claim["compose"], sides, bits) for bits in (320, 1280)), f"{name} is not so")
        holds = entry["high"] != "infinite" and rational(entry["high"]) <= most
        fails = entry["low"] == "infinite" or rational(entry["low"]) > most
        power, exact = None, name == "renyi" and order.denominator == 1 and order <= 64
        if exact and not any(rest for _, rest in laws):
            a = int(order)
            power = max(Q(sum(p**a / q ** (a - 1) for p, q in x if p)) if x[0][1] else Q(-1) for x, *_ in sides.values())
        verdicts[name] = "fails" if fails else "holds" if holds else "undecided"
        found[name] = {**entry, "power_sum": "infinite" if entry["low"] == "infinite" and power is not None else power}
    return verdicts, found


# The certificate


def derive(certificate: Document, laws: Document) -> Document:
    """What the certificate must say of the laws and its claims."""
    relation, universe, n, claim, version = (certificate[key] for key in ("neighbours", "universe", "n", "claim", "version"))
    universe = list(map(row, universe)) if version > 4 and type(universe) is list else universe
    own = type(relation) is list and version > 4
    inputs = stated(relation, certificate["inputs"], universe, n) if own else all_inputs(relation, universe, n)
    keys(laws, "found", "specified")
    need(type(laws["found"]) is list and len(laws["found"]) == len(inputs), "there is not one law for each input")
    keys(claim, "epsilon", "delta", "ratio", *(("compose", "renyi", "zcdp") if version > 3 else ()))
    runs = claim["compose"] if version > 3 else 1
    need(type(runs) is int and 1 <= runs <= 10**6, "no number of runs from 1 to 1,000,000")
    need(0 <= rational(claim["epsilon"]) <= 1000 and 0 <= rational(claim["delta"]) <= 1, "epsilon or delta is out of range")
    ratio = rational("1" if claim["ratio"] is None else claim["ratio"])
    need(ratio >= 1 and not comparison({**claim, "ratio": None})(*ratio.as_integer_ratio()), "no ratio from 1 to e^epsilon")
    groups = [tuple(pair) for pair in relation] if own else neighbours(relation, universe, inputs)
    need(groups != [], "there are no neighbouring inputs")
    tails, names = Tails(), ("probabilities", "unresolved", "tails")[:version]
    found = [law(entry, tails, names) for entry in laws["found"]]
    specified = None if laws["specified"] is None else [law(entry, tails, names) for entry in laws["specified"]]
    need(len(tails) < 2 or tails[-1][0] < tails[1][0], "the tails overlap")
    every = {x for p, _ in [*found, *(specified or [])] for x in p}
    outputs, whole = certificate.get("outputs", []), {x for x in every if tails and x.isascii() and x.lstrip("-").isdecimal()}
    need(type(outputs) is list and len({x for x in outputs if type(x) is str}) == len(outputs) != 1, "no declared outputs")
    need(not outputs or (not tails and every <= set(outputs)), "an output is none of the declared ones")
    need(all(len(x) <= MOST_DIGITS for x in whole), "an output has too many digits")
    need(all((int(x) - tails[d][0]) * d < 0 for x in whole for d in tails), "an output is listed, and in a tail")
    judged, at, related = found, list(range(len(found))), groups
    if runs > 1:
        at = [i for pair in sorted({pair for group in groups for pair in combinations(group, 2)}) for i in pair]
        both = [together(found[i][0], found[j][0], runs) for i, j in zip(at[::2], at[1::2], strict=True)]
        judged = [(p, 1 - (1 - found[i][1]) ** runs) for p, i in zip((p for pair in both for p in pair), at, strict=True)]
        groups = [(i, i + 1) for i in range(0, len(at), 2)]
    private, u, tight, worst_ratio, witness = privacy(claim, judged, groups, outputs if runs == 1 else [])
    witness = {**witness, "left": at[witness["left"]], "right": at[witness["right"]]}
    accurate, miss = accuracy(certificate["accuracy"], found, tails, outputs, universe, n, inputs)
    verdicts = {"private": private, "tight": tight, "law": equality(found, specified), "accuracy": accurate}
    facts: Document = {"worst_ratio": worst_ratio, "miss": miss, "u": None if private == "fails" and version < 5 else u}
    facts["unresolved"] = 1 - (1 - max(rest for _, rest in found)) ** runs
    if version > 3:
        keys(certificate["divergences"], "renyi", "zcdp")
        more, facts["divergences"] = divergences(claim, found, related, outputs, certificate["divergences"])
        verdicts |= more
    return {"inputs": inputs, "verdicts": verdicts, "witness": witness, **facts}


def read(file: Path) -> bytes:
    """The content of a file of at most 100 MB."""
    need(file.stat().st_size <= MOST_BYTES, f"it has more than {MOST_BYTES} bytes")
    return file.read_bytes()


def check(certificate: Document, folder: Path | None = None) -> str | None:
    """Why the certificate is rejected, or None where it says exactly what follows from its laws; folder: where it stands."""
    body = {key: value for key, value in certificate.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    if hashlib.sha256(text.encode()).hexdigest() != certificate.get("sha256"):
        return "its hash is not that of its content"
    if certificate["format"] != "finitedp certificate" or json.dumps(certificate["version"]) not in tuple("23456"):
        return "it is not a finitedp certificate of version 2 to 6"
    keys(certificate, *KEYS, *["divergences"] * (certificate["version"] > 3), *["outputs"] * (certificate["version"] > 5))
    laws = certificate["laws"]
    if "file" in laws:
        keys(laws, "file", "sha256")
        content = read((folder or Path()).joinpath(Path(laws["file"]).name))
        if hashlib.sha256(content).hexdigest() != laws["sha256"]:
            return f"the laws in {laws['file']} are not the ones that it was made from"
        laws = json.loads(content, object_pairs_hook=unique)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # numbers that are derived may be long; those that are read are not
    try:
        for key, value in derive(certificate, laws).items():
            if json.dumps(certificate[key], sort_keys=True) != json.dumps(value, sort_keys=True, default=str):
                return f"what it says of {key} does not follow from its laws"
    finally:
        sys.set_int_max_str_digits(limit)
    return None


def about(certificate: Document) -> str:
    """What an accepted certificate is about, or assumes, where that is nothing that is known by a name."""
    pairs, declared = certificate["neighbours"], certificate.get("outputs", []) if certificate["unresolved"] != "0" else []
    words = [f"neighbours: {len(pairs)} stated pair{'s' * (len(pairs) > 1)}"] if type(pairs) is list else []
    words += [f"if every output is one of the {len(declared)} declared ones"] if declared else []
    return f" ({'; '.join(words)})" if words else ""


def main(files: list[str]) -> int:
    """Check each file; 0 where all are accepted."""
    code = 0
    for file in files:
        try:
            certificate = json.loads(read(Path(file)), object_pairs_hook=unique)
            reason = check(certificate, Path(file).parent)
        except Exception as error:  # whatever is in the file, it is not accepted
            reason = f"it cannot be read: {type(error).__name__}: {error}"
        line = f"{file}: {f'accepted{about(certificate)}' if reason is None else f'REJECTED: {reason}'}"
        print(line.encode("ascii", "backslashreplace").decode())  # noqa: T201  # its purpose, on any terminal
        code = code if reason is None else 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else "usage: checker.py FILE...")
