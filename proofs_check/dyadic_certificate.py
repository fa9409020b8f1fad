"""Re-checks the certificate of a dyadic table from the file alone: python dyadic_certificate.py FILE...

It imports the standard library only and shares no code with finitedp. What it accepts: integers w_0 >= ... >= w_(n-1) >= 1 and
w_n >= 1 with w_0 + 2(w_1 + ... + w_n) = 2^bits, w_j <= R w_(j+1) for j < n - 1, w_j + ... + w_n <= R (w_(j+1) + ... + w_n) for
j < n, and 1 < R <= e^(epsilon/2): all that privacy needs. The weights w_h, ..., w_(n-1) behind the head are equal.

It also re-checks the certificate of an anonymized histogram, which holds the tables of its steps: that each is a table whose
range holds every value it is used for, that their epsilons are those that were stated and sum to epsilon, and that the product
of the ratios is the one claimed and at most e^epsilon. That one item more or less changes one value of each step by 1 is for
the reader of the mechanism, not of its certificate.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

KEYS = {"format", "version", "bits", "epsilon", "ratio", "n", "tail", "last", "head"}
HISTOGRAM = "finitedp anonymized histogram"
HISTOGRAM_KEYS = {"format", "version", "branch", "n", "fakes", "epsilon", "ratio", "tables"}


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise ValueError(message)


def at_most_exp(number: Fraction, x: Fraction) -> bool:
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


def recheck(document: dict[str, Any]) -> str | None:
    """Why the certificate is rejected, or None where it is that of a dyadic table. Parameters: document, as read from JSON."""
    try:
        need(repr((document["format"], document["version"])) == "('finitedp dyadic table', 1)", "no dyadic table of version 1")
        need(set(document) == KEYS and isinstance(document["head"], list), "a key is missing or not known, or head is no list")
        written = [document["n"], document["tail"], document["last"], *document["head"]]
        need(all(isinstance(x, str) and x.isascii() and x.isdigit() for x in written), "a number is not written in digits")
        rationals = [document["epsilon"], document["ratio"]]
        known = all(isinstance(x, str) and set(x) <= set("/0123456789") and len(x) <= 1000 for x in rationals)
        need(known, "epsilon or R is not written as 'p/q', or it is too long")
        parts = [*written, *(part for x in rationals for part in x.split("/"))]
        need(not any(x.startswith("0") and x != "0" for x in parts), "a number begins with 0")
        n, t, last, *head = (int(x) for x in written)
        (epsilon, ratio), bits = map(Fraction, rationals), document["bits"]
        need(type(bits) is int and 1 <= bits <= 4096, "bits is not an integer from 1 to 4096")
        need(ratio > 1 and epsilon > 0 and at_most_exp(ratio, epsilon / 2), "R is not above 1, or it is above e^(epsilon/2)")
        p, q, stretch, weights = ratio.numerator, ratio.denominator, n - len(head), [*head, t]
        need(stretch >= 1 and min(*weights, last) >= 1, "n is too small, or a weight is below 1")
        need(all(a >= b for a, b in zip(head, weights[1:], strict=True)), "the weights rise")
        need(all(a * q <= p * b for a, b in zip(head, weights[1:], strict=True)), "(i) fails")
        # within the stretch (i) says t <= R t, and S_j / S_(j+1) = 1 + t / S_(j+1) is largest at its end; before the stretch
        # (ii) follows from (i) and that end, and is checked all the same
        need((t + last) * q <= p * last, "(ii) fails at j = n - 1")
        tail, inner = stretch * t + last, 0
        for weight in reversed(head):
            need((weight + tail) * q <= p * tail, "(ii) fails")
            inner, tail = tail, tail + weight
        need(tail + (inner or tail - t) == 1 << bits, "the weights do not sum to 2^bits")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return str(error) or type(error).__name__
    return None


def recheck_histogram(document: dict[str, Any]) -> str | None:
    """Why the certificate of an anonymized histogram is rejected, or None. Parameters: document, as read from JSON."""
    try:
        need(repr((document["format"], document["version"])) == f"('{HISTOGRAM}', 1)", "no anonymized histogram of version 1")
        need(set(document) == HISTOGRAM_KEYS and isinstance(document["tables"], dict), "a key is missing or not known")
        names = {"split": ["items", "parts"], "smooth": ["items", "parts", "blocks"]}.get(document["branch"], [])
        need(bool(names) and sorted(document["tables"]) == sorted(names), "the tables are not those of the branch")
        for name in names:
            reason = recheck(document["tables"][name])
            need(reason is None, f"the table of the {name} is none: {reason}")
        written = [document["n"], document["fakes"]]
        need(all(isinstance(x, str) and x.isascii() and x.isdigit() for x in written), "n or fakes is not written in digits")
        need(not any(x.startswith("0") and x != "0" for x in written), "n or fakes begins with 0")
        known = all(isinstance(x, str) and set(x) <= set("/0123456789") for x in (document["epsilon"], document["ratio"]))
        need(
            known and len(document["epsilon"]) <= 1000 and len(document["ratio"]) <= 4000, "epsilon or R is not 'p/q', or long"
        )
        n, fakes = map(int, written)
        need(n >= 1 and fakes >= 1, "n or fakes is below 1")
        ranges = {"items": n, "parts": n + 2 * fakes, "blocks": 3 * n}
        epsilon, ratio, spent, product = Fraction(document["epsilon"]), Fraction(document["ratio"]), Fraction(0), Fraction(1)
        for name in names:
            table = document["tables"][name]
            need(int(table["n"]) == ranges[name], f"the table of the {name} is for other counts than 0..{ranges[name]}")
            spent, product = spent + Fraction(table["epsilon"]) / 2, product * Fraction(table["ratio"])
        need(spent == epsilon, "the epsilons of the steps do not sum to epsilon")
        need(product == ratio, "the ratios of the tables do not multiply to the ratio")
        need(at_most_exp(ratio, epsilon), "the ratio is above e^epsilon")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return str(error) or type(error).__name__
    return None


def recheck_any(document: dict[str, Any]) -> str | None:
    """Why a certificate of either kind is rejected, or None."""
    of_a_histogram = isinstance(document, dict) and document.get("format") == HISTOGRAM
    return recheck_histogram(document) if of_a_histogram else recheck(document)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, none of whose keys is there twice: readers differ in which one they take."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def main(files: list[str]) -> int:
    """Check each file; 0 where all are accepted."""
    code = 0
    for file in files:
        try:
            reason = recheck_any(json.loads(Path(file).read_text(encoding="utf-8"), object_pairs_hook=unique))
        except (OSError, ValueError, RecursionError) as error:
            reason = f"it cannot be read: {error}"
        print(f"{file}: {'accepted' if reason is None else f'REJECTED: {reason}'}")  # noqa: T201  # its purpose
        code = code if reason is None else 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else "usage: dyadic_certificate.py FILE...")
