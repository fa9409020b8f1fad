"""What is said of declared outputs: that verdicts rest on them, and whether they help where unresolved mass decides."""

from typing import Any

from finitedp.proofs_check.audit.outputs import in_short

Document = dict[str, Any]


def if_declared(document: Document, *, sure: bool = True) -> str:
    """What a verdict assumes of unresolved mass, where outputs are declared. Parameters: sure, whether it is one that may."""
    rests = sure and "outputs" in document and document["unresolved"] != "0"
    return ", if every output is one of the declared ones" if rests else ""


def outputs_words(document: Document) -> list[str]:
    """What is assumed of outputs, where some are declared and some mass is unresolved."""
    outputs = document.get("outputs", [])
    if not outputs or document["unresolved"] == "0":
        return []
    return [f"every output is one of the {len(outputs)} declared ones: {in_short(outputs)}"]


def how_outputs_help(document: Document) -> str:
    """What declared outputs may do for a claim that unresolved mass decides, or what is left to do where some are declared."""
    if "outputs" not in document:
        return "declared outputs (outputs = '1..6'), where it can return a few values only and the bound is not attained"
    seen = [law["probabilities"] for law in document["laws"].get("found", [])]
    never = [x for x in document["outputs"] if seen and not all(x in law for law in seen)]
    if never:
        return f"whether it can return {in_short(never)} at all, declared and not seen at every input"
    return "less open mass, or another epsilon, since the bound is attained or nearly so"
