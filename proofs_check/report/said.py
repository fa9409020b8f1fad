"""What a certificate says of itself, in the words of whoever wrote it."""

import json
from collections.abc import Iterator
from typing import Any

from finitedp.proofs_check.report import wording

Document = dict[str, Any]


def said(document: Document) -> Iterator[Document]:
    """The words of whoever wrote the certificate: a name, and how the laws were found. Nothing re-derives them."""
    derived = dict(document["derived"])
    styles = {
        "coins": "The running code, which draws from Coins, was followed on every path.",
        "random": "The unmodified code, which draws from a random.Random, was followed on every path.",
        "numpy": "The unmodified code, which draws from a generator of numpy, was followed on every path.",
        "none": "The unmodified code, which draws from a module such as random, was followed on every path.",
        "table": "They were computed elsewhere and given as a table; no code was run.",
    }
    style = derived.pop("style")
    yield _line("Name", document["name"] or "(no name)")
    yield _line("Laws", styles.get(style, style))
    yield _line("Time", wording.time_words(document))
    if "command" in derived:
        yield _line("Command", derived.pop("command"))
    yield _line("Written by", f"finitedp {derived.pop('finitedp')}, Python {derived.pop('python')}")
    derived.pop("strict_time")
    for what, words in wording.found_lines(document):
        yield _line(what.capitalize(), words)
    for key in ("assumptions", "not_looked_into", "compared", "samplers", "open_tails", "stopped"):
        derived.pop(key, None)
    if "runs_of_budget" in derived:
        yield _line("Budget", f"{derived.pop('runs_of_budget')} paths at each input")
    for key, value in derived.items():
        yield _line(key.replace("_", " "), value if isinstance(value, str) else json.dumps(value, sort_keys=True))


def _line(what: str, words: str) -> Document:
    return {"what": wording.legible(what), "words": f"The certificate says: {wording.legible(words)}"}
