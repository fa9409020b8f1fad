"""BlanketHistogram on arrays, our own: equal to the scalar path on the same words, and the same operations for all of them."""

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from gmpy2 import mpq

from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import release_array
from finitedp.impl.histograms.blanket import bulk
from finitedp.impl.histograms.blanket.bulk import Rows, release_rows
from finitedp.impl.histograms.blanket.histogram import draw
from finitedp.impl.histograms.blanket.limbs import Limbs, as_numbers, from_numbers, less, words_of
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.randomness.words import SeededWords, WordSource
from finitedp.proofs_check.claims.own.blanket.noted import Noted, operations
from finitedp.proofs_check.claims.own.blanket.replays import Chosen, Groups, Replay, Words, as_rows, changed, plan_of, runs
from finitedp.proofs_check.claims.own.blanket.slots import THREE, Numbers, Release
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, equal, in_turn, own

BULK = "finitedp.impl.histograms.blanket.bulk"

Arrays = tuple[Limbs, bulk.Counts] | None
OnArrays = Callable[[BlanketPlan, Rows, WordSource], Arrays]

WIDE = Numbers(11, (42, 23, 16, 68), mpq(5), 0, 7, 30, 5, 5, (1, 5, 2))


class Runs(NamedTuple):
    """So many runs on a plan, by its numbers or by what it is chosen for."""

    plan: Numbers | Chosen
    number: int
    seed: int = 1

    def __str__(self) -> str:
        return f"{self.number} runs of {self.plan}"


class _Turned:
    """Broken words: those of the slots that hit in the opposite order, labels and counts."""

    name = "turned"

    def __init__(self, plan: BlanketPlan, source: WordSource) -> None:
        self._source, self._bits = source, {1: plan.hit_bits, 2: plan.label_bits, 3: plan.count_bits}
        self._plan, self._hits, self._group, self._noise = plan, 0, 0, 0

    def read(self, size: int) -> bytes:
        read = self._source.read(size)
        if self._noise < self._plan.n:
            self._noise += size // (8 * max(1, -(-self._plan.mechanism.word // 64)))
            return read
        self._group += 1
        parts = max(1, -(-self._bits[self._group] // 64))
        words = np.frombuffer(read, "<u8").reshape(parts, -1).copy()
        if self._group == 1:
            shifted = words >> np.uint64(64 - self._plan.hit_bits)
            self._hits = int(np.count_nonzero(less(shifted, from_numbers([self._plan.hit], self._plan.hit_bits))))
        else:
            words[:, : self._hits] = words[:, : self._hits][:, ::-1]
        return words.tobytes()


def _first_limb(plan: BlanketPlan, rows: Rows, source: WordSource) -> Arrays:
    """Of the labels of rows the first limb is looked at."""
    cut = rows.labels.copy()
    cut[1:] = 0
    return release_rows(plan, Rows(cut, rows.size), source)


@own(
    "FD.Blanket.arrays",
    """On arrays BlanketHistogram releases what it releases on coins, on the same words: rows one by one or counted, in any
    order, labels of one to three limbs, on a skewed table too, whatever collides.""",
    over="plans chosen and given, n to 300, |X| to 2^129; words at the ends, at q and q - 1, and between",
    code=[f"{BULK}.release_rows", f"{BULK}.rows_of_labels", f"{BULK}.rows_of_counts"],
    grid=cases(
        Runs,
        [
            *((Chosen(40, 2**128 + 1, "add-remove"), 12), (THREE, 100), (WIDE, 60), (Chosen(40, 2**64), 12)),
            (Chosen(120, 2**64, epsilon="9", skewed=True), 6),
        ],
        [
            *((THREE, 5000, 2), (WIDE, 5000, 2), (Chosen(300, 1000), 400), (Chosen(300, 2**64 - 1), 400)),
            *((Chosen(300, 2**65), 400), (Chosen(200, 2**129), 400)),
        ],
    ),
    subject=release_rows,
    twins={
        "of equal labels the last slot": lambda plan, rows, source: release_rows(plan, rows, _Turned(plan, source)),
        "hit at <= q": lambda plan, rows, source: release_rows(changed(plan, hit=plan.hit + 1), rows, source),
        "the last row forgotten": lambda plan, rows, source: release_rows(
            plan, Rows(rows.labels, max(rows.size - 1, 0)), source
        ),
        "the first limb of a label alone": _first_limb,
    },
    sampled="seeded words and rows",
)
def arrays(release: OnArrays, case: Runs) -> Finding:
    plan, met = plan_of(case.plan), Counter[str]()
    findings = (
        _same(release, plan, rows, words, met, i) for i, (rows, words) in enumerate(runs(plan, case.number, case.seed))
    )
    found = in_turn(findings)
    kinds = {"withheld", "two slots with one label", "a slot with a label that occurs", "a label shown"}
    return all_of([found, equal(kinds - met.keys(), set(), "what did not happen")]) if found.holds else found


def _same(release: OnArrays, plan: BlanketPlan, rows: list[int], words: Groups, met: Counter[str], i: int) -> Finding:
    expected = draw(plan, Counter(rows), Replay(words))
    found = release(plan, as_rows(plan, rows, counted=i % 2 == 1), Words(words))
    hits = sum(word < plan.hit for word in words[1][1])
    used = words[2][1][:hits]
    kinds = {
        "withheld": expected is None,
        "two slots with one label": expected is not None and len(set(used)) < len(used),
        "a slot with a label that occurs": expected is not None and not {*used}.isdisjoint(rows),
        "a label shown": not {x for x, _ in expected or ()}.isdisjoint(rows),
    }
    met.update(name for name, there in kinds.items() if there)
    return equal(_listed(found), expected, f"run {i}")


def _listed(found: Arrays) -> Release:
    return None if found is None else tuple(zip(as_numbers(found[0]), found[1].tolist(), strict=True))


# Operations


class _Steady:
    """A source of all zeros, where all slots hit, of all ones, where none does, or of seeded bytes. It records its reads."""

    name = "steady"

    def __init__(self, kind: bytes | int) -> None:
        self._bytes = (lambda size: kind * size) if isinstance(kind, bytes) else SeededWords(kind, not_private=True).read
        self.reads = list[int]()

    def read(self, size: int) -> bytes:
        self.reads.append(size)
        return self._bytes(size)


class _Mode(NamedTuple):
    """Broken copies in parts, each with one saving."""

    dummies: bool = True
    all_labels: bool = True
    to_end: bool = True

    def __call__(self, plan: BlanketPlan, rows: Rows, source: WordSource) -> Arrays:
        at_end = bulk._counts_at_ends(rows)
        assert isinstance(plan.mechanism, DyadicSample)  # noqa: S101  # narrows the type
        drawn = release_array(plan.mechanism, np.asarray(at_end)[: plan.n if self.dummies else rows.size], source)
        noisy = np.append(drawn, np.zeros(plan.n - drawn.size, np.int64))
        slots = words_of(plan.hit_bits, plan.slots, source)
        hits = int(np.count_nonzero(less(slots, from_numbers([plan.hit], plan.hit_bits))))
        if not self.to_end and hits > plan.cap:
            return None
        wanted = plan.cap if self.all_labels else min(hits, plan.cap)
        labels, counts = (
            np.append(words_of(bits, wanted, source), np.zeros((-(-bits // 64), plan.cap - wanted), np.uint64), axis=1)
            for bits in (plan.label_bits, plan.count_bits)
        )
        return bulk._released(plan, rows, at_end, noisy, slots, labels, counts)


@own(
    "FD.Blanket.operations",
    """On arrays a release makes the same reads and the same calls of numpy, on arrays of the same shapes, for every dataset
    and result, up to the indices that take out what is released.""",
    over="no rows, one label, n labels, others; no slots that hit, all of them, others; every call that numpy dispatches",
    code=["finitedp.impl.histograms.blanket.bulk.release_rows"],
    grid=cases(
        Chosen, [Chosen(40, 2**64), Chosen(40, 2**129, "add-remove")], [Chosen(300, 10**6), Chosen(2000, 2**64, epsilon="1")]
    ),
    subject=release_rows,
    twins={
        "no dummy draws": _Mode(dummies=False),
        "labels for hits only": _Mode(all_labels=False),
        "an early exit": _Mode(to_end=False),
    },
    sampled="five datasets, and four sources of words for each",
)
def same_operations(release: OnArrays, case: Chosen) -> Finding:
    plan, first = case.built(), list[object]()
    some = [rows for rows, _ in runs(plan, 2, 5)]
    kinds: tuple[bytes | int, ...] = (b"\0", b"\xff", 1, 2)
    for rows, kind in product([list[int](), [plan.size - 1] * plan.n, list(range(plan.n)), *some], kinds):
        taken, source = noted(as_rows(plan, rows, counted=False)), _Steady(kind)
        log: list[object] = [*operations(lambda r=taken, s=source: release(plan, r, s)), *source.reads]  # type: ignore[misc]
        first = first or log
        if log != first:
            differing = next((pair for pair in zip(first, log, strict=False) if pair[0] != pair[1]), "fewer of them")
            return Finding(False, mpq(1), f"operations differ: {differing}")
    return equal(
        {"lexsort", "getitem", "less.__call__"} <= {x[0] for x in first if isinstance(x, tuple)}, True, "what is noted"
    )


def noted(rows: Rows) -> Rows:
    """The rows as arrays that note what is done with them."""
    return Rows(rows.labels.view(Noted), rows.size)
