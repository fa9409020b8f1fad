"""The figures of a certificate that decide: the factor of its claim, delta and how much of it is certain, unresolved mass."""

from typing import Any

from gmpy2 import mpq

from finitedp.numbers import brief, decimal, outward, power_of_two, readable
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.report.divergences import deciding_divergences, is_without_epsilon

Document = dict[str, Any]
ROUNDING = "fails, by rounding only"
"""What is said of a claim that fails, but holds with at most 2^-32 more of delta: a size, and no proof that floats round."""


def private_verdict(document: Document) -> str:
    """The verdict on privacy, ROUNDING included, or "not claimed"."""
    if is_without_epsilon(document):
        return "not claimed"
    verdict: str = document["verdicts"]["private"]
    return ROUNDING if verdict == "fails" and document["u"] is not None else verdict


def factor(document: Document) -> Factor:
    """The factor r of P[S] <= r Q[S] + delta."""
    claim = document["claim"]
    return Factor(mpq(claim["epsilon"]), None if claim["ratio"] is None else mpq(claim["ratio"]))


def factor_words(document: Document) -> str:
    """The factor r: the claim's ratio, or e^(epsilon)."""
    claim = document["claim"]
    return f"e^({brief(claim['epsilon'])})" if claim["ratio"] is None else brief(claim["ratio"])


def delta_bounds(document: Document) -> tuple[mpq, mpq]:
    """Rationals around the witness's P[S] - r Q[S], 0 where it is negative; they agree in 15 digits however small it is."""
    witness = document["witness"]
    return factor(document).gap(mpq(witness["in_left"]), mpq(witness["in_right"]))


def delta_interval(document: Document) -> tuple[mpq, mpq]:
    """delta_bounds, wherever the unresolved mass lies."""
    (low, high), unresolved = delta_bounds(document), mpq(document["unresolved"])
    most = mpq(document["claim"]["delta"]) if unresolved and document["verdicts"]["private"] == "holds" else mpq(1)
    return max(low - factor(document).bounds()[1] * unresolved, mpq(0)), min(high + unresolved, most)


def open_words(mass: mpq) -> str:
    """Unresolved mass: as a power of two where it is small."""
    return power_of_two(mass).removeprefix("below ") if 0 < mass <= mpq(1, 1 << 20) else decimal(mass, 4)


def deciding_words(document: Document) -> str:
    """The figure that decides: the worst ratio where delta is 0 and the laws are complete, else delta at the claim.

    Where no epsilon is claimed, the divergences.
    """
    if is_without_epsilon(document):
        return deciding_divergences(document)
    claim, ratio = document["claim"], document["worst_ratio"]
    bound = "ratio" if claim["ratio"] is not None else "epsilon"
    low, high = delta_interval(document)
    if document["unresolved"] != "0":
        least, most = decimal(low, 4), open_words(high)
        between = f"delta {least}" if least == most else f"delta between {least} and {most}"
        delta_words = f"delta at most {most}" if low == 0 else between
    elif claim["delta"] == "0" and ratio != "infinite":
        rational = claim["ratio"] is not None or claim["epsilon"] == "0"
        allowed = "" if rational else f" = {decimal(sum(factor(document).bounds(), mpq(0)) / 2)}"
        return f"worst ratio {readable(ratio)}; claimed: at most {factor_words(document)}{allowed}"
    else:
        delta_words = f"delta {decimal((low + high) / 2)}"
    infinite = "worst ratio infinite; " if ratio == "infinite" else ""
    return f"{infinite}{delta_words} at the claimed {bound}; claimed: {brief(claim['delta'])}"


def delta(document: Document) -> Document:
    """The exact delta at the claimed epsilon (or ratio) as a difference, and an interval around it."""
    witness, words_of_factor = document["witness"], factor_words(document)
    if delta_bounds(document)[1]:
        in_left, in_right = (brief(witness[side]) for side in ("in_left", "in_right"))
        words = f"P[S at A] - {words_of_factor} * P[S at B] = {in_left} - {words_of_factor} * {in_right}"
    else:
        words = f"no event has P[S at A] above {words_of_factor} * P[S at B]"
    if document["unresolved"] != "0":
        words += ", of the resolved mass; the interval counts the rest"
    low, high = delta_interval(document)
    return {
        "factor": words_of_factor,
        "in_left": witness["in_left"],
        "in_right": witness["in_right"],
        "exact": str(low) if low == high else None,
        "decimal": decimal((low + high) / 2),
        "interval": list(outward(low, high)),
        "words": words,
    }
