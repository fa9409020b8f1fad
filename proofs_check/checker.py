"""Re-derives the verdict of a finitedp certificate from the certificate alone: python checker.py FILE...

It imports the standard library only and shares no code with finitedp. It trusts that the laws in the certificate are those
of the program that was audited, and nothing else: the datasets, the neighbouring pairs, the worst ratio, the delta, the
witness and the three verdicts are all computed here and compared with what the certificate says.
"""

import hashlib
import json
import sys
from fractions import Fraction as Q
from itertools import product
from typing import Any


def rational(text: str) -> Q:
    """The rational p/q."""
    if not isinstance(text, str) or "." in text or "e" in text.lower():
        raise ValueError(f"{text!r} is not a rational 'p/q'")
    return Q(text)


def exceeds_exp(number: Q, x: Q) -> bool:
    """Whether number > e^x, for 0 <= x <= 1000: partial sums of the series from both sides until they decide."""
    if not 0 <= x <= 1000:
        raise ValueError(f"epsilon = {x} is not from 0 to 1000")
    if x == 0:
        return number > 1
    term, below, i = Q(1), Q(1), 0
    while True:
        i += 1
        term = term * x / i
        below += term
        if number <= below:
            return False  # e^x is above every partial sum
        if i > 2 * x and number > below + term:  # the rest of the series is below its last term from there on
            return True


def datasets(relation: str, universe: list[Any], n: int, number: int) -> list[Any]:
    """All inputs: counts 0..n, or the datasets of n rows (with add-remove, of up to n); there must be `number` of them."""
    sizes = range(n + 1) if relation == "add-remove" else (n,)
    if not 0 <= n <= 10**4 or number != (n + 1 if relation == "counts" else sum(len(universe) ** size for size in sizes)):
        raise ValueError("the inputs are not all datasets of the universe")
    if relation == "counts":
        return list(range(n + 1))
    return [list(rows) for size in sizes for rows in product(universe, repeat=size)]


def neighbours(relation: str, left: Any, right: Any) -> bool:  # noqa: ANN401  # counts or lists of rows
    """Whether two inputs are neighbours."""
    if relation == "counts":
        return bool(abs(left - right) == 1)
    if relation == "replace-one":
        return sum(bool(a != b) for a, b in zip(left, right, strict=True)) == 1
    short, long = sorted((left, right), key=len)
    return len(long) == len(short) + 1 and short in [long[:i] + long[i + 1 :] for i in range(len(long))]


def law(entry: dict[str, Any]) -> tuple[dict[str, Q], Q]:
    """The probabilities of the outputs, and what is unresolved; together they are 1."""
    found, rest = {x: rational(p) for x, p in entry["probabilities"].items()}, rational(entry["unresolved"])
    if min([rest, *found.values()]) < 0 or sum(found.values(), rest) != 1:
        raise ValueError("a law has a negative probability or does not sum to 1")
    return found, rest


def worst(p: dict[str, Q], q: dict[str, Q], epsilon: Q) -> tuple[Q, Q, list[str]]:
    """P[S], Q[S] and S for the event S = {x : P[x] > e^epsilon Q[x]}, which maximises P[S] - e^epsilon Q[S]."""
    event = [x for x in p if p[x] and (not q.get(x) or exceeds_exp(p[x] / q[x], epsilon))]
    return sum((p[x] for x in event), Q(0)), sum((q.get(x, Q(0)) for x in event), Q(0)), sorted(event)


def larger(p: Q, q: Q, epsilon: Q) -> bool:
    """Whether p - e^epsilon q > 0."""
    if q == 0:
        return p > 0
    if q > 0:
        return exceeds_exp(p / q, epsilon)
    return p >= 0 or not (exceeds_exp(p / q, epsilon) or (p == q and epsilon == 0))


def derive(certificate: dict[str, Any]) -> dict[str, Any]:
    """What the certificate must say: verdicts, worst ratio, delta and witness, from its laws and its claim."""
    relation, claim = certificate["neighbours"], certificate["claim"]
    epsilon, delta = rational(claim["epsilon"]), rational(claim["delta"])
    inputs = datasets(relation, certificate["universe"], certificate["n"], len(certificate["inputs"]))
    if certificate["inputs"] != inputs or len(certificate["laws"]) != len(inputs):
        raise ValueError("the inputs are not all datasets of the universe")
    laws = [law(entry) for entry in certificate["laws"]]
    pairs = [(i, j) for i, j in product(range(len(inputs)), repeat=2) if neighbours(relation, inputs[i], inputs[j])]
    ratio: Q | None = Q(1)
    found: tuple[Q, Q, list[str], int, int] | None = None
    fails, holds = False, True
    for i, j in pairs:
        (p, rest_p), (q, rest_q) = laws[i], laws[j]
        for x, mass in p.items():
            ratio = None if ratio is None or (mass and not q.get(x)) else max(ratio, mass / q[x] if mass else Q(0))
        in_p, in_q, event = worst(p, q, epsilon)
        if found is None or larger(in_p - found[0], in_q - found[1], epsilon):
            found = in_p, in_q, event, i, j
        fails = fails or (bool(event) and larger(in_p - delta, in_q + rest_q, epsilon))
        holds = holds and not larger(in_p + rest_p - delta, in_q, epsilon)
    if found is None:
        raise ValueError("there are no neighbouring inputs")
    exact = all(rest == 0 for _, rest in laws)
    equality = "not specified"
    if certificate["specified"] is not None:
        allowed = [law(entry)[0] for entry in certificate["specified"]]
        above = any(mass > a.get(x, 0) for (p, _), a in zip(laws, allowed, strict=True) for x, mass in p.items())
        equality = "differs" if above else "equal" if exact else "undecided"
    return {
        "verdicts": {
            "private": "fails" if fails else "holds" if holds else "undecided",
            "law": equality,
            "tight": exact and ((delta == found[0] and found[1] == 0) if delta else ratio == rational(claim["ratio"] or "0")),
        },
        "worst_ratio": str(ratio) if exact and ratio is not None else None,
        "witness": {
            "left": found[3],
            "right": found[4],
            "event": found[2],
            "in_left": str(found[0]),
            "in_right": str(found[1]),
        },
    }


def check(certificate: dict[str, Any]) -> str | None:
    """Why the certificate is rejected, or None where it says exactly what follows from its laws."""
    body = {key: value for key, value in certificate.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    if hashlib.sha256(text.encode()).hexdigest() != certificate.get("sha256"):
        return "its hash is not that of its content"
    if (certificate["format"], certificate["version"]) != ("finitedp certificate", 1):
        return "it is not a finitedp certificate of version 1"
    derived = derive(certificate)
    return next((f"its {key} is not what follows from its laws" for key in derived if certificate[key] != derived[key]), None)


def main(files: list[str]) -> int:
    """Check each file; 0 where all are accepted."""
    code = 0
    for file in files:
        try:
            with open(file, encoding="utf-8") as stream:
                certificate = json.load(stream)
            reason = check(certificate)
        except Exception as error:  # whatever is in the file, it is not accepted
            reason = f"it cannot be read: {type(error).__name__}: {error}"
        print(f"{file}: {'accepted' if reason is None else f'REJECTED: {reason}'}")  # noqa: T201  # its purpose
        code = code if reason is None else 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else "usage: checker.py FILE...")
