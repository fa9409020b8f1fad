"""Rows as counts, our own: one row is one unit of the count of its own label, whatever its text is, in every histogram."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from gmpy2 import mpq

from finitedp.errors import DataError
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.bulk import release_rows, rows_of_counts
from finitedp.impl.histograms.blanket.histogram import BlanketHistogram
from finitedp.impl.histograms.blanket.labels import ByLength, indices, labels_at
from finitedp.impl.histograms.compact import compact_histogram_with_geo_sample
from finitedp.impl.histograms.pure_sparse import pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy, SparseHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.universe import Listed, Strings, Universe
from finitedp.proofs_check.claims.own.label_subjects import ReadAs, by_its_bytes, index_of
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import equal, own


class _Middle:
    """Coins without noise: every draw is the middle one, at which a count is released as it is."""

    slack = mpq(1)

    def uniform(self, d: int, most: int | None = None) -> int:
        return (d + 1) // 2

    def bits(self, b: int) -> int:
        return (1 << b) >> 1


class _MiddleWords:
    """The same as words of 64 bits."""

    name = "words without noise"

    def read(self, size: int) -> bytes:
        return (bytes(7) + b"\x80") * (size // 8)


ROWS = 30  # of each of three labels
N = 3 * ROWS
PLAIN = tuple(f"plain {i}" for i in range(2 * N))
FEW = (
    "",
    "\0",
    "\0\0",
    "a",
    "a\0",
    "e",
    "\u00e9",
    "e\u0301",
    "\udcc3",
    "\udca9",
    "\udcc3\udca9",
    "\ud800",
    "\udcff",
    "\ufffd",
)
MOST = 3
Released = Callable[[Sequence[str], Sequence[str]], dict[str, int]]
"""The true counts of some labels, as the release of rows shows them where there is no noise."""


def _of_pairs(release: Callable[[Any, Any], Any]) -> Released:
    def released(rows: Sequence[str], wanted: Sequence[str]) -> dict[str, int]:
        found = dict(release(rows, _Middle()))
        return {x: found[x] for x in wanted if x in found}

    return released


def _compact(rows: Sequence[str], wanted: Sequence[str]) -> dict[str, int]:
    return dict(compact_histogram_with_geo_sample(Strings(MOST), N, 1).release(rows, _Middle()).counts(wanted))


def _on_arrays(rows: Sequence[str], wanted: Sequence[str]) -> dict[str, int]:
    universe, counts = ByLength(MOST), Counter(rows)
    plan = blanket_plan(N, 4, universe.size)
    found = rows_of_counts(plan, indices(universe, list(counts)), np.array(list(counts.values())))
    labels, noisy = release_rows(plan, found, _MiddleWords()) or (indices(universe, []), np.empty(0, np.int64))
    every = dict(zip(labels_at(universe, labels), noisy.tolist(), strict=True))
    return {x: every[x] for x in wanted if x in every}


@cache
def _mechanism(name: str) -> tuple[Universe[str], Released]:
    """A histogram without delta or with it, and its universe."""
    geo, strings = GeoSample(N, 1), Strings(MOST)
    listed: Listed[str] = Listed((*FEW, *PLAIN))
    basic: BasicHistogram[str] = BasicHistogram(geo, listed.labels)
    stability: StabilityHistogram[str] = StabilityHistogram(geo, 5)
    kept: KeepHeavy[str] = KeepHeavy(basic)
    made: dict[str, tuple[Universe[str], Callable[[], Released]]] = {
        "BasicHistogram": (listed, lambda: _of_pairs(basic.release)),
        "StabilityHistogram": (listed, lambda: _of_pairs(stability.release)),
        "KeepHeavy": (listed, lambda: _of_pairs(kept.release)),
        "SampledKeepHeavy": (listed, lambda: _of_pairs(SampledKeepHeavy(geo, listed).release)),
        "SparseHistogram": (strings, lambda: _of_pairs(SparseHistogram(geo, strings, mpq(1, 1000)).release)),
        "PureSparseHistogram": (
            strings,
            lambda: _of_pairs(pure_sparse_histogram_with_geo_sample(strings, N, 1, "1/10").release),
        ),
        "CompactHistogram": (strings, lambda: _compact),
        "BlanketHistogram": (
            strings,
            lambda: _of_pairs(BlanketHistogram(blanket_plan(N, 4, strings.size), strings).release),
        ),
        "BlanketHistogram on arrays": (ByLength(MOST), lambda: _on_arrays),  # type: ignore[dict-item]  # of texts
    }
    universe, make = made[name]
    return universe, make()


class Rows(NamedTuple):
    """A mechanism, and the three labels of which there are as many rows each."""

    mechanism: str
    labels: tuple[str, str, str]

    def __str__(self) -> str:
        return f"{self.mechanism}, {ROWS} rows each of {', '.join(map(ascii, self.labels))}"

    def data(self) -> Iterator[list[str]]:
        """The rows, and those with one of them replaced."""
        first, second, third = self.labels
        rows = [x for x in self.labels for _ in range(ROWS)]
        yield rows
        for i, x in ((0, second), (-1, first), (ROWS, third)):
            yield [*rows[:i], x, *(rows[i + 1 :] if i != -1 else [])]


Given = Callable[[Universe[str], list[str]], list[str]]


def _last_of_an_index(read: Callable[[str], str]) -> Given:
    """Broken, as it was: the counts of labels with one index are those of the last one."""

    def given(universe: Universe[str], rows: list[str]) -> list[str]:
        loose = ReadAs(universe, read)
        found = {loose.index(label): count for label, count in Counter(rows).items()}
        return [universe.label(i) for i in found for _ in range(found[i])]

    return given


BOTH_FORMS = ("\u00e9", "e\u0301", "e")
SAME_BYTES = ("\u00e9", "\udcc3\udca9", "a")
NULS = ("", "\0", "a\0")
SINGLE = ("\udcc3", "\udca9", "\udcff")
OTHERS = ("BasicHistogram", "StabilityHistogram", "KeepHeavy", "SparseHistogram", "PureSparseHistogram", "CompactHistogram")
QUICK = (*OTHERS, "BlanketHistogram", "BlanketHistogram on arrays")
EVERY = (*QUICK, "SampledKeepHeavy")


@own(
    "FD.Labels.rows",
    """Each row is one unit of the count of its own text, and a row that is replaced moves at most one unit of two counts, in
    every histogram, from rows to what it releases; where a text is outside of the universe, that row alone is why it
    refuses.""",
    over="three texts of 30 rows each, NFC and NFD, escapes, NUL and empty, one row replaced; through the public release, on"
    " the draws that add no noise",
    code=[
        "finitedp.impl.histograms.universe.indexed",
        "finitedp.impl.histograms.basic.BasicHistogram",
        "finitedp.impl.histograms.stability.StabilityHistogram",
        "finitedp.impl.histograms.sparse.KeepHeavy",
        "finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy",
        "finitedp.impl.histograms.sampled_sparse.SparseHistogram",
        "finitedp.impl.histograms.pure_sparse.PureSparseHistogram",
        "finitedp.impl.histograms.compact.CompactHistogram",
        "finitedp.impl.histograms.blanket.histogram.BlanketHistogram",
        "finitedp.impl.histograms.blanket.bulk.rows_of_counts",
    ],
    grid=cases(
        Rows,
        [(name, labels) for name in QUICK for labels in (SAME_BYTES, BOTH_FORMS)],
        [
            (name, labels)
            for name in EVERY
            for labels in (SAME_BYTES, BOTH_FORMS, NULS, SINGLE, ("\ud800", "a", "\0"), ("\udcc3\udca9", "\u00e9", "a"))
        ],
    ),
    subject=lambda _universe, rows: rows,
    twins={
        "the last count of an index, by bytes": _last_of_an_index(by_its_bytes),
        "the last count of an index, by NFC": _last_of_an_index(lambda text: unicodedata.normalize("NFC", text)),
        "one label of the same bytes": lambda universe, rows: (
            [x if isinstance(universe, Listed) else by_its_bytes(x) for x in rows]
        ),
        "the first row for all": lambda _universe, rows: [rows[0]] * len(rows),
    },
)
def one_row(given: Given, case: Rows) -> Iterator[Finding]:
    universe, release = _mechanism(case.mechanism)
    refused = any(index_of(universe, x) is None for x in case.labels)
    before = dict[str, int]()
    for rows in case.data():
        try:
            found = release(given(universe, rows), case.labels)
        except DataError:
            yield equal(True, refused, "whether a label is refused")
            continue
        yield equal(refused, False, "whether a label is refused")
        yield equal(found, dict(Counter(rows)), "the counts")
        moved = {x: abs(found[x] - before[x]) for x in before if found[x] != before[x]}
        yield equal(len(moved) <= 2 and set(moved.values()) <= {1}, True, f"whether counts moved by one unit, {moved}")
        before = before or found
