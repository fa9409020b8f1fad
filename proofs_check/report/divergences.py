"""What a certificate says of Renyi divergences, and of several runs together, in words."""

from typing import Any

from gmpy2 import mpq

from finitedp.numbers import brief, decimal, interval, outward, readable

__all__ = ["DIVERGENCES", "divergence_claims", "divergence_words", "is_without_epsilon", "rests", "runs_words"]

Document = dict[str, Any]
DIVERGENCES = {"renyi": "Renyi", "zcdp": "zCDP"}
"""What is claimed of divergences: its key in a certificate, and what it is called."""
_DIGITS = 9  # of a divergence
_WORDS = {"holds": "HOLDS", "fails": "FAILS", "undecided": "is UNDECIDED"}


def is_without_epsilon(document: Document) -> bool:
    """Whether the claim of epsilon and delta says nothing, since a divergence is claimed in its place."""
    claim = document["claim"]
    stands = (claim["epsilon"], claim["delta"], claim["ratio"]) == ("0", "1", None)
    return stands and any(claim.get(name) is not None for name in ("renyi", "zcdp"))


def runs_words(document: Document) -> str:
    """How many runs a claim is about, where there are several."""
    runs = document["claim"].get("compose", 1)
    return "" if runs == 1 else f"{runs} runs on the same data together"


def rests(document: Document, unresolved: mpq) -> mpq:
    """The unresolved mass of all runs together. Parameters: unresolved, that of one."""
    return mpq(1 - (1 - unresolved) ** document["claim"].get("compose", 1))


def divergence_claims(document: Document) -> list[str]:
    """What is claimed of divergences, in a few words each."""
    claim, found = document["claim"], list[str]()
    if claim.get("renyi") is not None:
        order, epsilon = (brief(claim["renyi"][key]) for key in ("order", "epsilon"))
        found.append(f"({order}, {epsilon})-Renyi differential privacy")
    if claim.get("zcdp") is not None:
        found.append(f"{brief(claim['zcdp'])}-zCDP")
    return found


def divergence_words(document: Document, name: str) -> str:
    """The verdict on one of them, what it is, and where. Parameters: name, "renyi" or "zcdp"."""
    claim = document["claim"].get(name)
    if claim is None:
        return "No zero-concentrated privacy was claimed." if name == "zcdp" else "No Renyi divergence was claimed."
    found, verdict = document["divergences"][name], _WORDS[document["verdicts"][name]]
    low, high, power = found["low"], found["high"], found["power_sum"]
    if low == "infinite":
        value = "is infinite: one output is possible for one input only"
    elif high == "infinite":
        value = f"is at least {outward(mpq(low), mpq(low), _DIGITS)[0]}, and infinite where the unresolved mass lies badly"
    else:
        value = f"is in {interval(mpq(low), mpq(high), _DIGITS)}" if low != high else f"is {decimal(mpq(low))}"
    if name == "zcdp":
        at = "" if high in ("0", "infinite") else f", about that at order {decimal(mpq(found['order']))}"
        return f"The zCDP claim {verdict}: the least rho {value}{at}; claimed: {brief(claim)}."
    order = mpq(claim["order"])
    if power not in (None, "infinite"):
        value += f", of one run ln({readable(power)})" + ("" if order == 2 else f" / {brief(order - 1)}")
    return (
        f"The Renyi claim {verdict}: the largest divergence of order {brief(claim['order'])} {value}; "
        f"claimed: at most {brief(claim['epsilon'])}."
    )
