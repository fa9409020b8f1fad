"""What is said of u: of a claim that is certain with a little more delta, and of one that fails by that little."""

from typing import Any

from gmpy2 import mpq

from finitedp.numbers import brief, power_of_two
from finitedp.proofs_check.report.declared import if_declared
from finitedp.proofs_check.report.figures import ROUNDING, open_words, private_verdict

Document = dict[str, Any]


def verdict_label(document: Document) -> str:
    """The verdict on privacy in a few words, with u as a power of two."""
    verdict = private_verdict(document)
    if document["u"] is None:
        return verdict
    more = f"holds with delta + {power_of_two(mpq(document['u']))}"
    return f"{verdict}: {more}" if verdict == ROUNDING else more


def rounding_words(document: Document) -> str:
    """How little breaks a claim that fails; nothing where it is not that little."""
    if document["u"] is None:
        return ""
    return f" It fails BY ROUNDING ONLY, which is a size and no proof of a cause: certain is {_certain_words(document)}."


def _certain_words(document: Document) -> str:
    """What holds with u."""
    claim, u = document["claim"], mpq(document["u"])
    delta = power_of_two(u) if claim["delta"] == "0" else f"{brief(claim['delta'])} + {power_of_two(u)}"
    pure = ", which is not pure: no pure claim is shown by it" if claim["delta"] == "0" else ""
    epsilon = brief(claim["epsilon"]) if claim["ratio"] is None else f"ln {brief(claim['ratio'])}"
    return f"({epsilon}, {delta})-differential privacy{pure}"


def more_words(document: Document) -> str:
    """What is certain, and what is not, where the unresolved mass decides."""
    return (
        f"The privacy claim {verdict_label(document).upper()} for all neighbouring inputs of this universe"
        f"{if_declared(document)}: certain is {_certain_words(document)}. Whether the claim as stated "
        f"holds depends on the unresolved mass, of a law at most {open_words(mpq(document['unresolved']))}."
    )
