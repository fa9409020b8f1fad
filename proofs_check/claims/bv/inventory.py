"""What Balcer and Vadhan's text states, in its order, and which entries of the ledger speak of it.

A numbered statement has the entries whose ids begin with its number; what has no number of its own is given its ids here. The
page of the manual is made from this list: `python -m finitedp.proofs_check.claims.bv.inventory docs/inventory.md`.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.entry import Entry

__all__ = ["INVENTORY", "Row", "inventory_page"]

ROMAN = ("i", "ii", "iii", "iv", "v")


class Row(NamedTuple):
    """A statement of the paper.

    place: its number, or where it stands. says: what it is about. stem: what the ids of its entries begin with. parts: its
    parts i, ii, ...; remark: why it has no entry, or what the reader should know. also: further ids, and stems of ids.
    """

    place: str
    says: str
    stem: str = ""
    parts: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    remark: str = ""

    def entries(self) -> list[Entry]:
        """Its entries, in the order of the ledger."""
        stems = [stem for stem in (self.stem, *self.also) if stem]
        return [e for e in entries().values() if any(e.id == stem or e.id.startswith(f"{stem}.") for stem in stems)]


def _parts(number: int) -> tuple[str, ...]:
    return ROMAN[:number]


def _numbered(kind: str, number: str, says: str, parts: int = 0, also: tuple[str, ...] = (), remark: str = "") -> Row:
    short = {"Definition": "Def", "Lemma": "Lem", "Theorem": "Thm", "Algorithm": "Alg", "Proposition": "Prop"}.get(kind, "Cor")
    return Row(f"{kind} {number}", says, f"BV.{short}{number}", _parts(parts), also, remark)


INVENTORY = (
    # Section 1
    _numbered("Definition", "1.1", "differential privacy; pure and approximate"),
    Row("Theorem 1.2", "Bounded Geometric Mechanism", "BV.Thm1.2", ("private", "accurate"), ("BV.Fig3.time",)),
    Row("Theorem 1.3", "Stability-Based Histogram", "BV.Thm1.3", ("private", "accurate"), ("BV.Fig4.time",)),
    Row("Theorem 1.4", "pure histogram in polynomial time", "BV.Thm1.4", ("private", "accurate"), ("BV.Fig5.time",)),
    _numbered("Theorem", "1.5", "lower bound for sparse histograms", remark="false as printed, for every constant"),
    Row(
        "Theorem 1.6",
        "histograms with optimal per-query error",
        "BV.Thm1.6",
        ("private", "accurate"),
        ("BV.Fig6.time", "BV.Fig6.evaluation"),
    ),
    Row("Section 1", "expected number of bins of Cormode et al.", remark="another paper's algorithm, which is not built here"),
    Row("Footnote 1", "missing logarithms in the version of 2018", remark="about another text"),
    Row("Footnote 2", "the error of matching domains", "BV.Fn2"),
    # Section 2
    _numbered("Definition", "2.1", "differential privacy"),
    _numbered("Lemma", "2.2", "post-processing"),
    _numbered("Lemma", "2.3", "group privacy"),
    _numbered("Lemma", "2.4", "composition"),
    Row("Section 2.2.1", "storage of partial vectors, against vectors", "BV.Sec2.2.storage"),
    Row("Footnote 3", "the order of bins", "BV.Fn3"),
    _numbered("Definition", "2.5", "per-query accuracy"),
    _numbered("Definition", "2.6", "simultaneous accuracy"),
    Row("Figure 1", "error bars", remark="a picture, which states nothing"),
    Row("Section 2.2.2", "per-query accuracy gives simultaneous accuracy", "BV.Sec2.2.union"),
    _numbered("Definition", "2.7", "accuracy on large counts"),
    _numbered("Definition", "2.8", "probability mass function, distribution function, support"),
    _numbered("Definition", "2.9", "statistical distance"),
    Row("Lemma 2.10", "properties of statistical distance", "BV.Lem2.10", ("1", "2", "3")),
    _numbered("Definition", "2.11", "order statistics"),
    _numbered("Lemma", "2.12", "inverse transform sampling"),
    _numbered("Lemma", "2.13", "the same from one uniform integer"),
    Row(
        "Section 2.4",
        "the word RAM, and the uniform oracle",
        also=("FD.ExactCoins",),
        remark="the model; work in it is counted",
    ),
    # Section 3
    _numbered("Algorithm", "3.1", "mixing with a fixed law"),
    _numbered("Lemma", "3.2", "pure privacy by mixing", 2, ("BV.Err.10.gamma",)),
    Row("Inequality (3.1)", "the largest distance", also=("BV.Lem3.2.i",)),
    Row("after Lemma 3.2", "distance gamma + delta from M; the uniform law is best", "BV.Sec3"),
    # Section 4
    _numbered("Definition", "4.1", "privacy for counting queries"),
    _numbered("Definition", "4.2", "accuracy"),
    _numbered("Definition", "4.3", "scaled distribution function at 0"),
    _numbered("Lemma", "4.4", "counts of a label in datasets"),
    Row("Section 4.1", "f_Z and F_Z", also=("BV.Sec4.1.mass", "BV.Sec4.1.distribution")),
    Row("Section 4.1", "both forms of the inverse of F_Z", "BV.Sec4.1.inverse"),
    _numbered("Algorithm", "4.5", "GeometricMechanism", also=("BV.Sec4.1.unbounded",)),
    _numbered("Theorem", "4.6", "GeometricMechanism", 2),
    _numbered("Theorem", "4.7", "GeoSample", 4, remark="the size of d: part ii; the range of epsilon~: `BV.Thm4.7.epsilon`"),
    _numbered("Algorithm", "4.8", "GeoSample"),
    _numbered("Lemma", "4.9", "F of GeoSample", also=("BV.Err.3.clamped",)),
    _numbered("Theorem", "4.10", "FastSample", 5, ("BV.Err.2.proof", "BV.Err.3.scale"), "the size of d: part iii"),
    _numbered("Algorithm", "4.11", "FastSample", also=("BV.Err.2.gamma",)),
    _numbered("Lemma", "4.12", "F' and F of FastSample", 2, ("BV.Err.3.scale",)),
    Row("Figure 2", "three laws", "BV.Fig2"),
    # Section 5
    _numbered("Algorithm", "5.1", "BasicHistogram"),
    _numbered("Theorem", "5.2", "BasicHistogram", 4, remark="that A must be fixed: a twin of part i, labels of the data only"),
    _numbered("Theorem", "5.3", "BasicHistogram with FastSample", 4),
    Row("Figure 3", "three lines, two errors and the time", "BV.Fig3", ("geometric", "time")),
    _numbered("Algorithm", "5.4", "StabilityHistogram", also=("BV.Sec5.2.length",)),
    _numbered(
        "Theorem", "5.5", "StabilityHistogram", 4, remark="that A itself is not private: a twin of part i, no threshold"
    ),
    _numbered("Theorem", "5.6", "StabilityHistogram with FastSample", 4),
    Row("Figure 4", "three lines: b, two errors and the time", "BV.Fig4", ("geometric", "time", "empty")),
    # Section 6
    _numbered("Algorithm", "6.1", "KeepHeavy", also=("BV.Sec6.1.length", "BV.Err.10.keep-heavy")),
    _numbered("Theorem", "6.2", "KeepHeavy", 3),
    _numbered("Lemma", "6.3", "heavy bins are kept"),
    Row("Footnote 4", "ties at the last place", "BV.Fn4"),
    _numbered("Algorithm", "6.4", "KH'"),
    Row("Footnote 5", "|X| >= 2n + 1", "BV.Fn5"),
    _numbered("Proposition", "6.5", "KH' has the law of KeepHeavy"),
    Row("after Proposition 6.5", "the order statistics of 2018 are wrong", "BV.2018"),
    _numbered("Proposition", "6.6", "OrdSample"),
    _numbered("Algorithm", "6.7", "OrdSample"),
    Row("Footnote 6", "order statistics need m random bits", "BV.Fn6", also=("BV.Err.10.footnote6",)),
    _numbered("Theorem", "6.8", "SparseHistogram", 3, ("BV.Err.5",), "stated twice"),
    _numbered("Algorithm", "6.9", "PureSparseHistogram"),
    _numbered("Theorem", "6.10", "PureSparseHistogram", 4),
    _numbered("Theorem", "6.11", "PureSparseHistogram with GeoSample", 4),
    Row("Figure 5", "two lines: two errors and the time", "BV.Fig5", ("time",)),
    _numbered("Definition", "6.12", "convolution"),
    _numbered("Lemma", "6.13", "sums of variables"),
    _numbered("Corollary", "6.14", "binomial laws"),
    _numbered("Proposition", "6.15", "ApproxConvExp", 4, ("BV.Err.4",)),
    _numbered("Algorithm", "6.16", "ApproxConvExp"),
    _numbered("Proposition", "6.17", "ApproxBinSample"),
    _numbered("Algorithm", "6.18", "ApproxBinSample", also=("BV.Err.1",)),
    _numbered("Proposition", "6.19", "ApproxOrdSample"),
    _numbered("Algorithm", "6.20", "ApproxOrdSample"),
    _numbered("Algorithm", "6.21", "SparseHistogram"),
    # Section 7
    _numbered("Theorem", "7.1", "lower bounds", 2),
    _numbered("Theorem", "7.2", "lower bound for sparse histograms", also=("BV.Err.6",)),
    # Section 8
    _numbered("Lemma", "8.1", "the family of histograms", 4, ("BV.Err.7",)),
    _numbered("Algorithm", "8.2", "CompactHistogram"),
    _numbered("Theorem", "8.3", "CompactHistogram", 5),
    _numbered("Lemma", "8.4", "the empty-bin sampler", 5),
    _numbered("Algorithm", "8.5", "the empty-bin sampler"),
    _numbered("Theorem", "8.6", "CompactHistogram with FastSample", 5, ("BV.Err.8",)),
    Row("Figure 6", "two lines: two times and two errors", "BV.Fig6", ("time", "evaluation")),
    # Appendix A
    Row("Lemma A.1", "distinct elements", "BV.LemA.1", also=("BV.Err.9",)),
    Row("Proposition A.2", "order-statistic tree", "BV.PropA.2", remark="ours has another shape, and says so"),
    Row("Algorithm A.3", "DistinctSample", "BV.AlgA.3"),
)
"""Every definition, lemma, theorem, algorithm, figure, footnote and numbered inequality, and what the text claims beside."""

HEAD = """# The paper, statement by statement

<!-- generated: python -m finitedp.proofs_check.claims.bv.inventory docs/inventory.md -->

Every Definition, Lemma, Theorem, Corollary, Proposition, Algorithm, Figure and footnote of Balcer and Vadhan, *Differential
Privacy on Finite Computers*, the numbered inequality, and what the text claims between them, in its order; with the entries of
the [ledger](ledger.md) that speak of it, and the verdict that each is expected to have. `finitedp claims ID` shows an entry,
`finitedp verify --claims ID` runs it. A test fails if a number is missing here, if a numbered statement or a part of it has no
entry, or if an entry on the paper stands in no row.

| in the paper | about | entries |
|---|---|---|
"""


def _shown(row: Row) -> Iterator[str]:
    for entry in row.entries():
        yield f"`{entry.id}` {entry.verdict}"
    if row.remark:
        yield row.remark


def inventory_page() -> str:
    """The page of the manual."""
    lines = [f"| {row.place} | {row.says} | {'; '.join(_shown(row))} |".replace("|X|", r"\|X\|") for row in INVENTORY]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(inventory_page())
