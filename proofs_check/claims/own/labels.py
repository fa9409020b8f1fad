"""Universes of labels, our own: that they are bijections, on hostile text.

`json.loads` gives lone surrogates, and two of them may stand for the bytes of one character: a text and another one then have
the same bytes in UTF-8. Of a universe of byte strings exactly one text is the label of each, the one that it is decoded to.
"""

import unicodedata
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

from finitedp.errors import ParameterError
from finitedp.impl.histograms.blanket.labels import ByLength, indices, labels_at
from finitedp.impl.histograms.blanket.limbs import as_numbers
from finitedp.impl.histograms.universe import Integers, Listed, Strings, Universe
from finitedp.proofs_check.claims.own.label_subjects import ReadAs, by_its_bytes, index_of
from finitedp.proofs_check.ledger.entry import Finding, cases, is_taken
from finitedp.proofs_check.ledger.findings import equal, own

UNIVERSE = "finitedp.impl.histograms.universe"
BLANKET = "finitedp.impl.histograms.blanket.labels"

ALPHABET = ("\0", "a", "e", "\u00e9", "\u0301", "\udcc3", "\udca9", "\udce2", "\udc82", "\udcac", "\udc61", "\ud83d", "\ude00")
HOSTILE = ("".join(x) for length in range(4) for x in product(ALPHABET, repeat=length))
TEXTS = (
    *HOSTILE,
    "\u20ac",
    "\U0001f600",
    "\udcff\udcff",
    "a" * 16,
    "b" * 8 + "a" * 8,
    "a" * 17,
    "\u00e9" * 8,
    "\u00e9" * 9,
    "\udcff" * 16,
)
NUMBERS = (-(2**63) - 1, -(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, True, 1.0, "0")
BYTES = (b"", b"\0", b"\0\0", b"a", b"\xc3\xa9", b"\xc3", b"\xff\xff", b"\xff" * 16, b"\xff" * 17, "a")

Build = Callable[["Labels"], Universe[Any]]


class Labels(NamedTuple):
    """A kind of universe, and how many bytes its labels have at most."""

    kind: str
    most: int = 0

    @property
    def texts(self) -> bool:
        """Whether byte strings are held as texts."""
        return self.kind in ("lexicographic", "by length")

    def held(self, encoded: bytes) -> Hashable:
        """The one label of a byte string."""
        return encoded.decode("utf-8", "surrogateescape") if self.texts else encoded

    def tried(self) -> Sequence[Hashable]:
        """What is looked up: labels, and what is none."""
        return {"integers": NUMBERS, "unsigned": NUMBERS, "bytes": BYTES}.get(self.kind, TEXTS)

    @cache  # noqa: B019  # a few values
    def expected(self) -> dict[Hashable, int]:
        """All labels with their indices, from the definition: of a universe that is too large, those that are tried."""
        if self.kind in ("integers", "unsigned"):
            low, high = LIMITS[self.kind]
            return {x: x - low for x in NUMBERS if type(x) is int and low <= x <= high}
        if self.kind == "listed":
            return {text: i for i, text in enumerate(TEXTS)}
        if self.most <= 2:
            every = sorted(bytes(x) for length in range(self.most + 1) for x in product(range(256), repeat=length))
        else:
            every = sorted({x for x in self._encoded() if len(x) <= self.most})
        ordered = every if self.kind == "lexicographic" else sorted(every, key=len)
        return {self.held(x): i if self.most <= 2 else self._place(x) for i, x in enumerate(ordered)}

    def _encoded(self) -> Iterator[bytes]:
        """The byte strings whose labels are tried."""
        for x in self.tried():
            if isinstance(x, str):
                raw = x.encode("utf-8", "surrogatepass")  # three bytes for each surrogate
                for i in range(128):
                    raw = raw.replace(chr(0xDC80 + i).encode("utf-8", "surrogatepass"), bytes([0x80 + i]))
                yield raw
            elif isinstance(x, bytes):
                yield x

    def _place(self, x: bytes) -> int:
        """How many byte strings are before one, counted by their first different byte, or by their length."""
        if self.kind == "lexicographic":
            return sum(1 + b * sum(1 << 8 * k for k in range(self.most - i)) for i, b in enumerate(x))
        return sum(1 << 8 * k for k in range(len(x))) + int.from_bytes(x, "big")


LIMITS = {"integers": (-(2**63), 2**63 - 1), "unsigned": (0, 2**64 - 1)}


def running(labels: Labels) -> Universe[Any]:
    """The running universe."""
    if labels.kind in LIMITS:
        return Integers(*LIMITS[labels.kind])
    if labels.kind == "listed":
        return Listed(TEXTS)
    if labels.kind == "lexicographic":
        return Strings(labels.most)
    return ByLength(labels.most, "text" if labels.kind == "by length" else "bytes")


def _reading(read: Callable[[str], str]) -> Build:
    return lambda labels: ReadAs(running(labels), read)


@own(
    "FD.Labels.bijection",
    """The labels of every universe and 0..|X|-1 are a bijection, one by one and on arrays: each byte string is the label that
    it is decoded to, and a text that does not come back from its own bytes is refused, as is what is too long or of another
    type.""",
    over="all byte strings of up to 2 bytes; texts of up to 3 of NUL, letters, NFC and NFD, lone surrogates, pairs and triples"
    " of escapes that are UTF-8, and the longest; integers at the ends of 64 bits; indices from the definition",
    code=[
        f"{UNIVERSE}.Strings",
        f"{UNIVERSE}.Integers",
        f"{UNIVERSE}.Listed",
        f"{BLANKET}.ByLength",
        f"{BLANKET}.indices",
        "finitedp.labels.as_bytes",
    ],
    grid=cases(
        Labels,
        [("lexicographic", 2), ("by length", 2), ("bytes", 1), ("integers",), ("unsigned",), ("listed",), ("by length", 16)],
        [("lexicographic", 0), ("by length", 0), ("bytes", 2), ("bytes", 16), ("lexicographic", 3), ("lexicographic", 17)],
    ),
    subject=running,
    twins={
        "whatever has the same bytes": _reading(by_its_bytes),
        "NFC": _reading(lambda text: unicodedata.normalize("NFC", text)),
        "NFD": _reading(lambda text: unicodedata.normalize("NFD", text)),
        "cut at NUL": _reading(lambda text: text.split("\0")[0]),
        "without NUL at the end": _reading(lambda text: text.rstrip("\0")),
        "a mark for what is not UTF-8": _reading(lambda text: text.encode("utf-8", "replace").decode()),
        "without what is not UTF-8": _reading(lambda text: text.encode("utf-8", "ignore").decode()),
    },
)
def bijection(build: Build, labels: Labels) -> Iterator[Finding]:
    universe = build(labels)
    expected = labels.expected()
    for x in labels.tried():
        yield equal(
            index_of(universe, x), None if type(x) is bool or type(x) is float else expected.get(x), f"the index of {x!a}"
        )
    if labels.kind not in LIMITS and labels.most <= 2:
        yield equal(universe.size, len(expected), "|X|")
    wrong = [(x, i) for x, i in expected.items() if (universe.label(i), index_of(universe, x)) != (x, i)]
    yield equal(wrong[:1], [], "a label and its index that are not each other's")
    known = list(expected)
    yield equal(as_numbers(indices(universe, known)), list(expected.values()), "the indices on arrays")
    yield equal(labels_at(universe, indices(universe, known)), known, "the labels on arrays")
    yield equal(
        [i for i in (-1, universe.size) if is_taken(partial(universe.label, i), ParameterError)],
        [],
        "indices outside that have a label",
    )
