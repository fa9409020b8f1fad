"""Two laws side by side, for a report: the table of the outputs with the largest ratios, and the columns of the picture."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from finitedp.numbers import decimal, readable
from finitedp.proofs_check.deciders.partial_law import Tail
from finitedp.proofs_check.report import wording

Document = dict[str, Any]
Law = Mapping[str, mpq]
ZERO = mpq(0)

MOST_OUTPUTS = 40
"""Outputs that the table lists, and that the picture shows one by one."""
MOST_COLUMNS = 100
"""Columns of the picture where there are more outputs: each is then the sum of consecutive ones."""

FIRST_OF_TAIL = 4
"""Outputs of a tail that the picture shows."""


def exactly(number: mpq) -> Document:
    """A rational, exact and as a decimal."""
    return {"exact": str(number), "decimal": decimal(number)}


def law_table(left: Law, right: Law, event: set[str]) -> Document:
    """The two laws side by side: the outputs with the largest ratios, and how many are left out."""
    outputs = sorted({*left, *right}, key=_natural)
    rows = [(x, left.get(x, ZERO), right.get(x, ZERO)) for x in outputs]
    rows.sort(key=lambda row: (bool(row[2]), -row[1] / row[2] if row[2] else ZERO))
    return {
        "outputs": len(rows),
        "left_out": max(len(rows) - MOST_OUTPUTS, 0),
        "rows": [
            {
                "output": wording.legible(x),
                "left": exactly(p),
                "right": exactly(q),
                "ratio": exactly(p / q) if q else {"exact": "infinite", "decimal": "infinite"},
                "in_event": x in event,
            }
            for x, p, q in rows[:MOST_OUTPUTS]
        ],
    }


def law_columns(left: Law, right: Law, event: set[str]) -> Iterator[Document]:
    """The columns of the picture, in the order of the outputs."""
    outputs = sorted({*left, *right}, key=_natural)
    size = 1 if len(outputs) <= MOST_OUTPUTS else -(-len(outputs) // MOST_COLUMNS)
    for i in range(0, len(outputs), size):
        group = outputs[i : i + size]
        yield {
            "first": wording.legible(group[0]),
            "outputs": len(group),
            "left": str(sum((left.get(x, ZERO) for x in group), ZERO)),
            "right": str(sum((right.get(x, ZERO) for x in group), ZERO)),
            "in_event": event.issuperset(group),
        }


def drawn(laws: Sequence[Document], event: Iterable[str]) -> tuple[list[Law], set[str]]:
    """What the picture shows of laws and of an event: the outputs that are listed, and the first few of each tail."""
    shown, shaded = list[Law](), set(event)
    for law in laws:
        outputs = {x: mpq(p) for x, p in law["probabilities"].items()}
        for entry in law.get("tails", []):
            tail, mass = _tail(entry)
            first = [tail.first + k * tail.direction for k in range(FIRST_OF_TAIL)]
            outputs |= {str(x): mass * tail.ratio**k for k, x in enumerate(first)}
            shaded |= {str(x) for x in first if repr(tail) in shaded}
        shown.append(outputs)
    return shown, shaded


def tail_lines(left: Document, right: Document) -> Iterator[str]:
    """What the tails of the two laws are, one line each."""
    sides = [dict(map(_tail, law.get("tails", []))) for law in (left, right)]
    for tail in sorted(sides[0].keys() | sides[1].keys(), key=lambda tail: tail.direction):
        at_a, at_b = (readable(str(side.get(tail, ZERO))) for side in sides)
        yield (
            f"{tail!r}: infinitely many outputs, each of which has {readable(str(tail.ratio))} of the probability of the one "
            f"before; that of {tail.first} is {at_a} at A and {at_b} at B. The table has all of them together."
        )


def _tail(entry: Document) -> tuple[Tail, mpq]:
    """A tail of a certificate, and the probability of its first output."""
    return Tail(entry["first"], entry["ratio"], entry["direction"]), mpq(entry["mass"])


def _natural(output: str) -> tuple[int, list[int], str]:
    """An order of outputs that sorts integers, and tuples of them, by value."""
    if len(output) < 1000 and re.fullmatch(r"[(\[]?-?\d+(, -?\d+)*,?[)\]]?", output):
        return 0, [int(x) for x in re.findall(r"-?\d+", output)], output
    return 1, [], output
