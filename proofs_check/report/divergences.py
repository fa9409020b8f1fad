"""What a certificate says of Renyi divergences, and of several runs together, in words."""

from typing import Any

from gmpy2 import mpq

from finitedp.numbers import brief, decimal, interval, outward, readable
from finitedp.proofs_check.report.declared import if_declared

Document = dict[str, Any]
DIVERGENCES = {"renyi": "Renyi", "zcdp": "zCDP"}
"""What is claimed of divergences: its key in a certificate, and what it is called."""
_DIGITS = 9  # of a divergence
_NEAR_1 = mpq(1, 1 << 20)  # nearer orders are shown as the limit: six digits do not tell them apart
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
    claim, claims = document["claim"], list[str]()
    if claim.get("renyi") is not None:
        order, epsilon = (brief(claim["renyi"][key]) for key in ("order", "epsilon"))
        claims.append(f"({order}, {epsilon})-Renyi differential privacy")
    if claim.get("zcdp") is not None:
        claims.append(f"{brief(claim['zcdp'])}-zCDP")
    return claims


def divergence_words(document: Document, name: str) -> str:
    """The verdict on one of them, what it is, and where. Parameters: name, "renyi" or "zcdp"."""
    claim = document["claim"].get(name)
    if claim is None:
        return "No zero-concentrated privacy was claimed." if name == "zcdp" else "No Renyi divergence was claimed."
    what = "the least rho" if name == "zcdp" else f"the largest divergence of order {brief(claim['order'])}"
    verdict = _WORDS[document["verdicts"][name]]
    verdict += if_declared(document, sure=document["verdicts"][name] == "holds")
    value = _value(document["divergences"][name], name)
    return f"The {DIVERGENCES[name]} claim {verdict}: {what} {value}; claimed: at most {_claimed(claim)}."


def deciding_divergences(document: Document) -> str:
    """The ends of each divergence that is claimed, and what is claimed."""
    claim, words = document["claim"], {"renyi": "divergence", "zcdp": "rho"}
    return "; ".join(
        f"{words[name]} {_ends(document['divergences'][name])}, claimed: {_claimed(claim[name])}"
        for name in DIVERGENCES
        if claim[name] is not None
    )


def _claimed(claim: str | Document) -> str:
    return brief(claim if isinstance(claim, str) else claim["epsilon"])


def _ends(divergence: Document) -> str:
    low, high = divergence["low"], divergence["high"]
    if low == "infinite":
        return "infinite"
    if high == "infinite":
        return f"at least {outward(mpq(low), mpq(low), _DIGITS)[0]}"
    return f"in {interval(mpq(low), mpq(high), _DIGITS)}" if low != high else decimal(mpq(low))


def _value(divergence: Document, name: str) -> str:
    """What it is, and where."""
    value, power, order = f"is {_ends(divergence)}", divergence["power_sum"], mpq(divergence["order"])
    if divergence["low"] == "infinite":
        return f"{value}: one output is possible for one input only"
    if divergence["high"] == "infinite":
        return f"{value}, and infinite where the unresolved mass lies badly"
    if name == "zcdp" and divergence["high"] != "0":
        return f"{value}, needed {'as the order goes to 1' if order < 1 + _NEAR_1 else f'at the order {decimal(order, 4)}'}"
    return value if power is None else f"{value}, of one run ln({readable(power)}){'' if order == 2 else f' / {order - 1}'}"
