"""Re-derives the verdicts of a finitedp certificate from the certificate alone: python checker.py FILE...

It imports the standard library only and shares no code with finitedp. It trusts that the laws in the certificate are those
of the program that was audited, and that the specified laws and the true values are the ones meant. All else, the inputs, the
neighbouring pairs, the worst ratio, the witness, the error probabilities and the verdicts, is computed here and compared with
what the certificate says.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Callable
from fractions import Fraction as Q
from itertools import product
from pathlib import Path
from typing import Any

KEYS = {"format", "version", "name", "neighbours", "universe", "n", "inputs", "claim", "accuracy", "laws", "verdicts"}
KEYS |= {"worst_ratio", "unresolved", "witness", "miss", "derived", "sha256"}


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise ValueError(message)


def rational(text: str) -> Q:
    """The rational p/q."""
    need(isinstance(text, str) and set(text) <= set("-/0123456789"), f"{text!r} is not a rational 'p/q'")
    return Q(text)


def exceeds(p: Q, q: Q, claim: dict[str, Any]) -> bool:
    """Whether p > r q, where r is the claim's ratio, or e^epsilon by sums of its series from both sides until they decide."""
    x = rational(claim["epsilon"])
    if claim["ratio"] is not None or x == 0 or q == 0:
        return p > rational(claim["ratio"] or "1") * q
    if q < 0:
        return not exceeds(-p, -q, claim)  # never equal: e^x is irrational
    number, term, below, i = p / q, Q(1), Q(1), 0
    while number > below:
        i += 1
        term = term * x / i
        below += term
        if i > 2 * x and number > below + term:  # the rest of the series is below its last term from there on
            return True
    return False


def all_inputs(relation: str, universe: list[Any], n: int) -> list[Any]:
    """The counts 0..n, or the datasets of n rows (with add-remove, of up to n)."""
    sizes = range(n + 1) if relation == "add-remove" else (n,)
    need(relation in ("counts", "replace-one", "add-remove") and type(n) is int, "no such relation")
    need(0 <= n <= 10**4, "n is not from 0 to 10,000")
    need(universe == [] if relation == "counts" else sum(len(universe) ** size for size in sizes) <= 10**4, "no such universe")
    return list(range(n + 1)) if relation == "counts" else [x for size in sizes for x in product(universe, repeat=size)]


def larger_neighbours(relation: str, universe: list[Any], data: Any) -> list[Any]:  # noqa: ANN401  # a count or rows
    """The neighbours of an input that are not smaller than it."""
    if relation == "counts":
        return [data + 1]
    if relation == "replace-one":
        return [(*data[:i], x, *data[i + 1 :]) for i in range(len(data)) for x in universe if x != data[i]]
    return [(*data[:i], x, *data[i:]) for i in range(len(data) + 1) for x in universe]


def keys(document: dict[str, Any], *names: str) -> None:
    """Stop unless an object has these keys and no others."""
    need(set(document) == set(names), f"an object has the keys {sorted(document)}, not {sorted(names)}")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, if no key is there twice."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def law(entry: dict[str, Any]) -> tuple[dict[str, Q], Q]:
    """The probabilities of the outputs, and what is unresolved; together they are 1."""
    keys(entry, "probabilities", "unresolved")
    found, rest = {x: rational(p) for x, p in entry["probabilities"].items()}, rational(entry["unresolved"])
    need(rest >= 0 and min(found.values(), default=Q(1)) > 0, "a law has a probability that is not positive")
    need(sum(found.values(), rest) == 1, "a law does not sum to 1")
    return found, rest


def privacy(claim: dict[str, Any], laws: list[Any], pairs: list[tuple[int, int]]) -> tuple[Any, ...]:
    """The verdict on privacy, the worst ratio, and the witness: the event with the largest P[S] - r Q[S], else P[S] / Q[S]."""

    def measured(i: int, j: int, keep: Callable[[Q, Q], bool]) -> tuple[Q, Q, int, int, list[str]]:
        (p, _), (q, _) = laws[i], laws[j]
        event = sorted(x for x in p if keep(p[x], q.get(x, Q(0))))
        return sum((p[x] for x in event), Q(0)), sum((q.get(x, Q(0)) for x in event), Q(0)), i, j, event

    delta, zero, fails, holds, infinite = rational(claim["delta"]), rational(claim["epsilon"]) == 0, False, True, False
    worst, peak = None, (Q(-1), -1, -1)
    for i, j in pairs:
        (p, rest_p), (q, rest_q) = laws[i], laws[j]
        infinite = infinite or not p.keys() <= q.keys()
        ratio = max((p[x] / q[x] for x in p.keys() & q.keys()), default=Q(0))
        peak = (ratio, i, j) if ratio > peak[0] else peak
        found = measured(i, j, lambda a, b: exceeds(a, b, claim))
        worst = found if worst is None or exceeds(found[0] - worst[0], found[1] - worst[1], claim) else worst
        fails = fails or (found[4] != [] and exceeds(found[0] - delta, found[1] + rest_q, claim))
        holds = holds and not exceeds(found[0] + rest_p - delta, found[1], claim)
    if worst is None or not worst[4]:
        worst = measured(peak[1], peak[2], lambda a, b: a == peak[0] * b)
    exact, gap, ratio = not any(rest for _, rest in laws), worst[0] - delta, max(peak[0], Q(1))
    attained = ratio == rational(claim["ratio"] or "1") and not infinite and bool(zero or claim["ratio"])
    private = "fails" if fails else "holds" if holds else "undecided"
    tight = exact and ((gap == worst[1] if zero else gap == worst[1] == 0) if delta else attained)
    witness = dict(zip(("in_left", "in_right", "left", "right", "event"), worst, strict=True))
    return private, tight, None if not exact else "infinite" if infinite else ratio, witness


def equality(laws: list[Any], specified: list[Any] | None) -> str:
    """The verdict on the laws."""
    if specified is None:
        return "not specified"
    if any(p > allowed.get(x, 0) for (found, _), (allowed, _) in zip(laws, specified, strict=True) for x, p in found.items()):
        return "differs"
    return "undecided" if any(rest for _, rest in laws) else "equal"


def accuracy(claim: dict[str, Any] | None, laws: list[Any]) -> tuple[str, Any]:
    """The verdict on accuracy, and where an error above a is most likely."""
    if claim is None:
        return "not claimed", None
    beta, misses, rests = rational(claim["beta"]), [], [rest for _, rest in laws]
    keys(claim, "a", "beta", "kind", "truths")
    whole = all(type(x) is int for x in (claim["a"], *(x for truth in claim["truths"] for x in truth)))
    known = claim["kind"] in ("counting", "per-query", "simultaneous")
    need(known and whole and claim["a"] >= 0 and 0 <= beta <= 1, "no such accuracy claim")
    for i, ((p, _), truth) in enumerate(zip(laws, claim["truths"], strict=True)):
        for part in [[j] for j in range(len(truth))] if claim["kind"] == "per-query" else [range(len(truth))]:
            missed = Q(0)
            for x, mass in p.items():
                values = ast.literal_eval(x) if x[0] == "(" else (ast.literal_eval(x),)
                errors = [abs(value - true) for value, true in zip(values, truth, strict=True)]
                missed += mass if any(errors[j] > claim["a"] for j in part) else 0
            misses.append((missed, i, part[0] if claim["kind"] == "per-query" else None))
    most = max(misses, key=lambda miss: miss[0])
    sure = all(missed + rests[i] <= beta for missed, i, _ in misses)
    verdict = "fails" if most[0] > beta else "holds" if sure else "undecided"
    return verdict, {"input": most[1], "probability": most[0], "coordinate": most[2]}


def derive(certificate: dict[str, Any], laws: dict[str, Any]) -> dict[str, Any]:
    """What the certificate must say of the laws and its claims."""
    relation, universe = certificate["neighbours"], certificate["universe"]
    inputs = all_inputs(relation, universe, certificate["n"])
    index = {data: i for i, data in enumerate(inputs)}
    need(len(index) == len(inputs) == len(laws["found"]), "a label is there twice, or there is not one law for each input")
    claim, ratio, delta = certificate["claim"], rational(certificate["claim"]["ratio"] or "1"), certificate["claim"]["delta"]
    need(0 <= rational(claim["epsilon"]) <= 1000 and 0 <= rational(delta) <= 1, "epsilon or delta is out of range")
    need(claim["ratio"] is None or rational(claim["ratio"]) >= 1, "the ratio is out of range")
    contradicts = claim["ratio"] and (delta != "0" or exceeds(ratio, Q(1), {**claim, "ratio": None}))
    need(not contradicts, "the claim contradicts itself")
    keys(claim, "epsilon", "delta", "ratio")
    keys(laws, "found", "specified")
    need(all(type(label) in (int, str) for label in universe), "a label is neither an integer nor a string")
    up = [(i, index[y]) for i, x in enumerate(inputs) for y in larger_neighbours(relation, universe, x) if y in index]
    need(up != [], "there are no neighbouring inputs")
    found = [law(entry) for entry in laws["found"]]
    specified = None if laws["specified"] is None else [law(entry) for entry in laws["specified"]]
    private, tight, worst_ratio, witness = privacy(claim, found, sorted({*up, *((j, i) for i, j in up)}))
    accurate, miss = accuracy(certificate["accuracy"], found)
    verdicts = {"private": private, "tight": tight, "law": equality(found, specified), "accuracy": accurate}
    facts = {"unresolved": max(rest for _, rest in found), "worst_ratio": worst_ratio, "witness": witness, "miss": miss}
    return {"inputs": inputs, "verdicts": verdicts, **facts}


def check(certificate: dict[str, Any], folder: Path | None = None) -> str | None:
    """Why the certificate is rejected, or None where it says exactly what follows from its laws; folder: where it stands."""
    body = {key: value for key, value in certificate.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    if hashlib.sha256(text.encode()).hexdigest() != certificate.get("sha256"):
        return "its hash is not that of its content"
    if json.dumps([certificate["format"], certificate["version"]]) != '["finitedp certificate", 1]':
        return "it is not a finitedp certificate of version 1"
    keys(certificate, *KEYS)
    laws = certificate["laws"]
    if "file" in laws:
        keys(laws, "file", "sha256")
        content = (folder or Path()).joinpath(Path(laws["file"]).name).read_bytes()
        if hashlib.sha256(content).hexdigest() != laws["sha256"]:
            return f"the laws in {laws['file']} are not the ones that it was made from"
        laws = json.loads(content, object_pairs_hook=unique)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # rationals may be long
    try:
        for key, value in derive(certificate, laws).items():
            if json.dumps(certificate[key], sort_keys=True) != json.dumps(value, sort_keys=True, default=str):
                return f"what it says of {key} does not follow from its laws"
    finally:
        sys.set_int_max_str_digits(limit)
    return None


def main(files: list[str]) -> int:
    """Check each file; 0 where all are accepted."""
    code = 0
    for file in files:
        try:
            document = json.loads(Path(file).read_text(encoding="utf-8"), object_pairs_hook=unique)
            reason = check(document, Path(file).parent)
        except Exception as error:  # whatever is in the file, it is not accepted
            reason = f"it cannot be read: {type(error).__name__}: {error}"
        print(f"{file}: {'accepted' if reason is None else f'REJECTED: {reason}'}")  # noqa: T201  # its purpose
        code = code if reason is None else 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else "usage: checker.py FILE...")
