"""BlanketHistogram: plans, the scalar path, arrays on the same words, and labels as indices."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.building import blanket_plan, least_cap, most_shown, rarely_above
from finitedp.impl.histograms.blanket.bulk import (
    BlanketWords,
    apply_rows,
    bits_read,
    release_rows,
    rows_of_counts,
    rows_of_labels,
)
from finitedp.impl.histograms.blanket.histogram import BlanketHistogram, draw
from finitedp.impl.histograms.blanket.labels import ByLength, indices, labels_at
from finitedp.impl.histograms.blanket.limbs import as_numbers, from_numbers
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedTable
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.impl.histograms.universe import Integers, Listed
from finitedp.impl.randomness.coins import BitMeter, SeededBits, StrictCoins
from finitedp.impl.randomness.words import SeededWords
from tests.sampling import sampled

STRINGS = (256**17 - 1) // 255


class Replay:
    """Coins that hand out given words."""

    slack = mpq(1)

    def __init__(self, words: Sequence[int]) -> None:
        self._words: Iterator[int] = iter(words)

    def bits(self, b: int) -> int:
        word = next(self._words)
        assert 0 <= word < 1 << b
        return word

    def uniform(self, d: int, most: int | None = None) -> int:
        raise AssertionError("a blanket draws words alone")


# Plans


def test_the_plan_for_a_million_rows() -> None:
    plan = blanket_plan(10**6, "1/10", 2**64)
    assert (plan.b, plan.cap, plan.slots, plan.mechanism.word) == (874, 1363, 1363 * 103, 128)
    assert plan.invented <= 1
    accuracy = blanket_accuracy(plan, "1/20")
    assert (accuracy.per_query.a, accuracy.above, accuracy.simultaneous.a) == (60, 934, 1057)
    claim = plan.claim()
    assert (claim.epsilon, claim.neighbours, claim.ratio) == (mpq(1, 10), "replace-one", plan.up**2)


@pytest.mark.parametrize("trials", [20, 100, 400])
def test_what_is_rarely_above_is_so_of_sums_of_equal_events(trials: int) -> None:
    """At the least number that the bound allows; it is not far from the least that is right."""
    mean = 10
    least = next(least for least in range(mean, 200) if rarely_above(mean, least))
    p = mpq(mean, trials)
    above = [sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(x, trials + 1)) for x in (least, least - 12)]
    assert above[0] <= mpq(1, 2**64)
    assert trials < 400 or above[1] > mpq(1, 2**64)


@pytest.mark.parametrize(
    ("n", "epsilon", "size", "invented", "neighbours"),
    [
        (1000, "1/10", 2048, 1, "replace-one"),
        (1000, 1, 1001, 1, "add-remove"),
        (10**4, "3/7", STRINGS, 100, "add-remove"),
        (10**4, 3, 10**9, "1/1000", "replace-one"),
        (875, "1/10", 2**64, 1, "replace-one"),
        (2, 100, 3, 1, "replace-one"),
        (2, 100, 2, 1, "replace-one"),
        (1000, 1, 1000, 1, "replace-one"),
        (10**5, 1, 10**5, 1, "add-remove"),
        (10**4, "1/10", 2**64, 10**4, "replace-one"),
    ],
)
def test_plans_keep_what_was_asked_for(n: int, epsilon: Any, size: int, invented: Any, neighbours: str) -> None:
    plan = blanket_plan(n, epsilon, size, invented, neighbours)
    assert 0 < plan.invented <= mpq(invented)
    hits = mpq(invented) * plan.labels / size
    assert plan.cap == least_cap(most_shown(plan.mechanism, plan.b), hits)
    assert plan.claim().neighbours == neighbours
    assert plan.claim().epsilon == mpq(epsilon)
    assert plan.ratio == plan.up ** (2 if neighbours == "replace-one" else 1)


def test_more_invented_labels_lower_the_threshold() -> None:
    thresholds = [blanket_plan(10**5, "1/10", 2**64, invented).b for invented in ("1/100", 1, 100)]
    assert thresholds == sorted(thresholds, reverse=True)
    assert len(set(thresholds)) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (100, "1/10", 2**64),
            "100 rows are too few .* an empty release, .* as accurate; accepted: epsilon = 8/5, or more rows",
        ),
        ((100, 1, 99), "has 99 labels, fewer than n = 100 rows; accepted: basic"),
        ((100, 1, 2**129 + 1), "accepted: up to 2\\^129"),
        ((1, 1, 100), "n = 1 is out of range"),
        ((100, 0, 1000), "epsilon = 0 is not positive"),
        ((100, 0.1, 1000), "epsilon = 0.1 is a float"),
        ((100, 1, 1000, 0), "invented = 0 is out of range; accepted: a rational from 1/1000000 to n = 100"),
        ((100, 1, 1000, 101), "invented = 101 is out of range"),
        ((10**4, 1, 2**64, 1, "counts"), "neighbours = 'counts' is not a relation on datasets"),
    ],
)
def test_what_no_plan_is_for(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        blanket_plan(*arguments)


def test_a_skewed_table_lowers_the_threshold_and_is_for_replaced_rows() -> None:
    plans = [blanket_plan(10**6, "1/10", 2**64, skewed=skewed) for skewed in (False, True)]
    assert [plan.b for plan in plans] == [874, 649]
    errors = [blanket_accuracy(plan, "1/20") for plan in plans]
    assert [(error.per_query.a, error.simultaneous.a) for error in errors] == [(60, 1057), (79, 936)]
    assert plans[1].claim().ratio == plans[1].up * plans[1].down
    assert plans[1].up > plans[0].up > plans[1].down
    with pytest.raises(ParameterError, match="a skewed table is not for neighbours = 'add-remove'; accepted: replace-one"):
        blanket_plan(10**6, "1/10", 2**64, 1, "add-remove", skewed=True)


def _changed(plan: BlanketPlan, **changes: Any) -> BlanketPlan:
    given = {name: getattr(plan, name) for name in ("mechanism", "neighbours", "size", "label_bits", "b", "cap", "slots")}
    given |= {name: getattr(plan, name) for name in ("hit_bits", "hit", "count_bits", "counts")}
    return BlanketPlan(**given | changes)


@pytest.mark.parametrize(
    "change", ["b + 1", "b - 1", "cap + 1", "slots - 1", "hit - 1", "label_bits + 1", "count_bits + 1", "head", "tail", "last"]
)
def test_a_plan_that_is_one_off_is_not_private(change: str) -> None:
    """Those of a million rows that a condition refuses; the lone checker also refuses what is not the least."""
    plan = blanket_plan(10**6, "1/10", 2**64)
    counts = plan.counts
    head, name = counts.head, change.split(maxsplit=1)[0]
    moved = {
        "head": Stretched(counts.size, (head[0] + 1, head[1] - 1, *head[2:]), counts.tail, counts.last),
        "tail": Stretched(counts.size, (head[0] + counts.stretch, *head[1:]), counts.tail - 1, counts.last),
        "last": Stretched(counts.size, (head[0] + 1, *head[1:]), counts.tail, counts.last - 1),
    }
    step = 1 if change.endswith("+ 1") else -1
    changes = {"counts": moved[name]} if name in moved else {name: getattr(plan, name) + step}
    with pytest.raises(ClaimError, match="is not private"):
        _changed(plan, **changes)


# The scalar path


def _release(plan: BlanketPlan, rows: Sequence[int], seed: int) -> tuple[BitMeter, Any]:
    meter = BitMeter(SeededBits(seed, not_private=True))
    histogram: BlanketHistogram[int] = BlanketHistogram(plan, Integers(0, plan.size - 1))
    return meter, histogram.release(rows, StrictCoins(meter))


def test_the_scalar_path_shows_large_counts_and_draws_the_same_for_all_data() -> None:
    plan = blanket_plan(300, 3, 10**6)
    cost = BlanketHistogram(plan, Integers(0, 10**6 - 1)).cost()
    for rows in ([], [5] * 200 + [7], list(range(300))):
        meter, released = _release(plan, rows, 3)
        assert (meter.reads, meter.total_bits) == (cost.draws, cost.bits)
        assert [x for x, _ in released] == sorted(x for x, _ in released)
        assert all(0 <= x < 10**6 and plan.b < v <= 300 for x, v in released)
        assert (5 in dict(released)) == (rows[:1] == [5])


def test_data_that_does_not_fit_is_refused() -> None:
    plan = blanket_plan(300, 3, 10**6)
    with pytest.raises(DataError, match="more than n = 300 rows"):
        _release(plan, [1] * 300 + [2], 1)
    with pytest.raises(DataError, match="outside of the universe"):
        _release(plan, [10**6], 1)
    with pytest.raises(DataError, match="unhashable type: 'list'; accepted: labels of the universe"):
        BlanketHistogram(plan, range(10**6)).release([[1]], StrictCoins())  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ParameterError, match="the universe has 5 labels, the plan is for 1000000"):
        BlanketHistogram(plan, range(5))


# Arrays


def _words(generator: random.Random, bits: int, size: int) -> list[int]:
    """Words, some of which are near 0 and some near the end, where noise is large."""
    near = [generator.randrange(min(4, 1 << bits)) for _ in range(size)]
    kinds = [generator.random() for _ in range(size)]
    every = [generator.getrandbits(bits) for _ in range(size)]
    return [x if k < 0.7 else a if k < 0.85 else (1 << bits) - 1 - a for x, a, k in zip(every, near, kinds, strict=True)]


def _replayed(plan: BlanketPlan, rows: list[int], generator: random.Random) -> list[Any]:
    """The release of the scalar path, and of arrays of rows and of counts, on the same words: many hits, many collisions."""
    noise = _words(generator, plan.mechanism.word, plan.n)
    slots = [generator.getrandbits(plan.hit_bits) for _ in range(plan.slots)]
    for i in generator.sample(range(plan.slots), generator.randrange(min(plan.cap + 2, plan.slots))):
        slots[i] = generator.randrange(plan.hit)
    some = [*rows[:3], *range(min(5, plan.labels)), generator.getrandbits(plan.label_bits)]
    labels = [generator.choice(some) for _ in range(plan.cap)]
    counts = _words(generator, plan.count_bits, plan.cap)
    scalar = draw(plan, Counter(rows), Replay([*noise, *slots, *labels, *counts]))
    parts = ((noise, plan.mechanism.word), (slots, plan.hit_bits), (labels, plan.label_bits), (counts, plan.count_bits))
    words, shuffled, found = BlanketWords(*(from_numbers(*part) for part in parts)), list(rows), Counter(rows)
    generator.shuffle(shuffled)
    listed = generator.sample(list(found), len(found))
    many = np.array([found[x] for x in listed], np.int64)
    ways = (
        rows_of_labels(plan, from_numbers(shuffled, plan.label_bits)),
        rows_of_counts(plan, from_numbers(listed, plan.label_bits), many),
    )
    drawn = [apply_rows(plan, way, words) for way in ways]
    return [scalar, *(None if x is None else tuple(zip(as_numbers(x[0]), x[1].tolist(), strict=True)) for x in drawn)]


@pytest.mark.parametrize("bits", sampled([9, 20, 64, 65, 129], 2))
def test_arrays_give_what_the_scalar_path_gives_on_the_same_words(bits: int) -> None:
    generator, sizes = random.Random(bits), set()
    for neighbours, n, skewed in (("replace-one", 100, False), ("add-remove", 240, False), ("replace-one", 200, True)):
        plan = blanket_plan(n, 6, 2**bits, 5, neighbours, skewed=skewed)
        for _ in range(12):
            rows = [generator.randrange(min(6, plan.labels)) for _ in range(generator.randrange(n + 1))]
            rows += [generator.getrandbits(bits) for _ in range(generator.randrange(n + 1 - len(rows)))]
            scalar, by_rows, by_counts = _replayed(plan, rows, generator)
            assert scalar == by_rows == by_counts
            sizes.add(None if scalar is None else len(scalar))
    assert None in sizes
    assert len(sizes) > 5


def test_arrays_read_the_same_words_for_all_data() -> None:
    class Counting(SeededWords):
        read_so_far = 0

        def read(self, size: int) -> bytes:
            self.read_so_far += size
            return super().read(size)

    plan = blanket_plan(300, 3, 2**64)
    for rows in ([], [5] * 200, list(range(300))):
        source = Counting(1, not_private=True)
        drawn = release_rows(plan, rows_of_labels(plan, from_numbers(rows, 64)), source)
        assert drawn is not None
        assert (5 in as_numbers(drawn[0])) == (rows[:1] == [5])
        assert 8 * source.read_so_far == bits_read(plan)


def test_too_many_rows_for_arrays() -> None:
    plan = blanket_plan(100, 6, 2**64)
    with pytest.raises(DataError, match="101 rows, more than n = 100"):
        rows_of_labels(plan, from_numbers([1] * 101, 64))
    with pytest.raises(DataError, match="101 rows, more than n = 100"):
        rows_of_counts(plan, from_numbers([1, 2], 64), np.array([50, 51]))
    with pytest.raises(DataError, match="negative"):
        rows_of_counts(plan, from_numbers([1, 2], 64), np.array([50, -1]))


# Labels

UNIVERSES: list[Any] = [ByLength(most, kind) for most in (0, 1, 7, 8, 15, 16) for kind in ("text", "bytes")]
UNIVERSES += [Integers(-5, 10), Integers(-(2**63), 2**63 - 1), Integers(0, 2**64 - 1), Integers(-(2**63) - 7, 2**62)]
UNIVERSES += [Integers(-(2**100), 2**100), Integers(2**64, 2**65 - 1), Listed(["a", "b", "c"])]


@pytest.mark.parametrize("universe", UNIVERSES, ids=str)
def test_indices_are_those_of_the_universe_and_back(universe: Any) -> None:
    last, generator = universe.size - 1, random.Random(1)
    places = [*range(min(300, last + 1)), *(last - i for i in range(min(300, last + 1)))]
    places += [generator.randrange(last + 1) for _ in range(50)]
    labels = [universe.label(place) for place in places]
    assert [universe.index(label) for label in labels] == places
    found = indices(universe, labels)
    assert found.shape[0] == max(1, -(-last.bit_length() // 64))
    assert as_numbers(found) == places
    assert labels_at(universe, found) == labels


def test_shorter_strings_come_first() -> None:
    universe = ByLength(3)
    listed = [universe.label(i) for i in range(300)]
    assert listed == sorted(listed, key=lambda label: (len(universe.encoded(label)), universe.encoded(label)))
    assert listed[0] == ""


@pytest.mark.parametrize(
    ("universe", "label"),
    [
        (ByLength(2), "abc"), (ByLength(2), "ä" * 2), (ByLength(2), 5), (ByLength(2), b"a"), (ByLength(2, "bytes"), "a"),
        (ByLength(2), "\ud800"), (Integers(0, 5), 6), (Integers(0, 5), -1), (Integers(0, 5), "1"), (Integers(0, 1), True),
    ],
)  # fmt: skip
def test_labels_outside_of_the_universe_are_refused(universe: Any, label: Any) -> None:
    with pytest.raises(DataError):
        indices(universe, [label])


def test_no_labels_have_no_indices() -> None:
    assert [indices(universe, []).shape for universe in (ByLength(16), Integers(0, 9))] == [(3, 0), (1, 0)]


STEP = Stretched(3, (5,), 1, 10)
END = Stretched(3, (), 4, 1)


@pytest.mark.parametrize(
    ("ups", "downs", "message"),
    [
        (STEP, Stretched(3, (), 5, 11), "up: w_0 is below w_1, or above R w_1"),
        (Stretched(3, (), 5, 11), STEP, "down: w_0 is below w_1, or above R w_1"),
        (END, Stretched(3, (), 4, 19), "up: S_1 > R S_2"),
        (Stretched(3, (), 4, 19), END, "down: S_1 > R S_2"),
    ],
)
def test_the_ends_of_a_stretch_of_a_skewed_table_are_looked_at(ups: Stretched, downs: Stretched, message: str) -> None:
    """The step from the head to the stretch alone is too large in the first two, the last sum alone in the others."""
    with pytest.raises(ClaimError, match=message):
        SkewedTable("2", mpq(2), mpq(2), 5, 2, ups, downs)
    table = SkewedTable("2", mpq(2), mpq(2), 5, 2, Stretched(3, (5,), 3, 8), Stretched(3, (), 5, 11))
    assert [*table.ups, *table.downs] == [5, 3, 8, 5, 5, 11]


@pytest.mark.parametrize("more", [-1, 1])
@pytest.mark.parametrize("side", ["ups", "downs"])
def test_both_sides_of_a_skewed_table_have_n_weights(side: str, more: int) -> None:
    ups = Stretched(3 + more * (side == "ups"), (), 4, 20)
    size = 3 + more * (side == "downs")
    downs = Stretched(size, (), 4, 64 - ups.total - 4 * (size - 2))
    with pytest.raises(ClaimError, match="the two sides do not meet, or do not have n weights each"):
        SkewedTable("2", mpq(2), mpq(2), 6, 2, ups, downs)
