"""BlanketHistogram on arrays and on coins, on the same words, whatever collides."""

from collections import Counter
from functools import cache, partial

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st

from finitedp.errors import DataError
from finitedp.impl.histograms.blanket.bulk import release_rows, rows_of_counts
from finitedp.impl.histograms.blanket.histogram import draw
from finitedp.impl.histograms.blanket.labels import ByLength, indices
from finitedp.impl.histograms.blanket.limbs import as_numbers, from_numbers, less, order, rank, words_of
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.universe import Integers
from finitedp.proofs_check.claims.own.blanket.noted import Noted, operations
from finitedp.proofs_check.claims.own.blanket.replays import Chosen, Groups, Replay, Words, as_rows, plan_of, runs
from finitedp.proofs_check.claims.own.blanket.slots import Numbers

SMALL = Numbers(11, (42, 23, 16, 68), mpq(5), 0, 4, 9, 5, 5, (1, 5, 2))
LONG = Numbers(2**65, (42, 23, 16, 68), mpq(5), 1, 3, 5, 14, 5, (1, 3))


@cache
def built(numbers: Numbers | Chosen) -> BlanketPlan:
    return plan_of(numbers)


def released(plan: BlanketPlan, rows: list[int], words: Groups, counted: bool) -> tuple[tuple[int, int], ...] | None:
    source = Words(words)
    found = release_rows(plan, as_rows(plan, rows, counted), source)
    assert sum(source.reads) == sum(8 * max(1, -(-bits // 64)) * len(listed) for bits, listed in words)
    return None if found is None else tuple(zip(as_numbers(found[0]), found[1].tolist(), strict=True))


@st.composite
def replays(draw_: st.DrawFn, numbers: Numbers) -> tuple[list[int], Groups]:
    """Rows and words of a release, with few labels, so that slots meet rows and each other."""
    plan = built(numbers)
    label = st.sampled_from([0, 1, 2**64 % plan.size, plan.size - 1, plan.labels - 1])
    groups = [
        (plan.mechanism.word, plan.n),
        (plan.hit_bits, plan.slots),
        (plan.label_bits, plan.cap),
        (plan.count_bits, plan.cap),
    ]
    rows = draw_(st.lists(label.filter(lambda x: x < plan.size), max_size=plan.n))
    words = [(b, draw_(st.lists(st.integers(0, 2**b - 1), min_size=size, max_size=size))) for b, size in groups]
    words[2] = (plan.label_bits, draw_(st.lists(label, min_size=plan.cap, max_size=plan.cap)))
    return rows, words


@given(replays(SMALL), st.booleans())
@example(([], [(8, [0] * 3), (5, [31] * 9), (4, [0] * 4), (3, [0] * 4)]), False)
@example(([0, 0, 0], [(8, [0] * 3), (5, [0] * 4 + [31] * 5), (4, [1] * 4), (3, [0, 7, 1, 2])]), True)
def test_one_limb(run: tuple[list[int], Groups], counted: bool) -> None:
    rows, words = run
    plan = built(SMALL)
    assert released(plan, rows, words, counted) == draw(plan, Counter(rows), Replay(words))


@given(replays(LONG), st.booleans())
def test_labels_of_two_limbs(run: tuple[list[int], Groups], counted: bool) -> None:
    rows, words = run
    plan = built(LONG)
    assert released(plan, rows, words, counted) == draw(plan, Counter(rows), Replay(words))


@pytest.mark.full
@pytest.mark.parametrize("numbers", [SMALL, LONG, Chosen(300, 2**64), Chosen(300, 2**129, "add-remove")], ids=str)
def test_many_thousands(numbers: Numbers | Chosen) -> None:
    plan, number = built(numbers), 20_000 if isinstance(numbers, Numbers) else 1_500
    for i, (rows, words) in enumerate(runs(plan, number, 7)):
        assert released(plan, rows, words, i % 2 == 0) == draw(plan, Counter(rows), Replay(words))


@given(
    st.lists(st.integers(0, 2**130 - 1), min_size=1, max_size=9), st.lists(st.integers(0, 2**130 - 1), min_size=1, max_size=9)
)
@example([2**64, 2**64 - 1, 2**128, 0], [2**64, 2**128])
def test_limbs_are_ordered_as_the_numbers_are(among: list[int], wanted: list[int]) -> None:
    limbs = from_numbers(among, 130)
    ordered = limbs[:, order(limbs)]
    assert as_numbers(ordered) == sorted(among)
    found = rank(from_numbers(wanted, 130), np.ascontiguousarray(ordered), len(among))
    assert found.tolist() == [sum(x < y for x in among) for y in wanted]
    pairs = [(x, y) for x in among for y in wanted]
    left, right = (from_numbers(side, 130) for side in zip(*pairs, strict=True))
    assert less(left, right).tolist() == [x < y for x, y in pairs]


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 128, 129])
def test_words_are_the_first_bits_of_what_is_read(bits: int) -> None:
    listed = [0, 1, 2**bits - 1, 2 ** (bits - 1)]
    assert as_numbers(words_of(bits, 4, Words([(bits, listed)]))) == listed


# What the recorder sees


def test_the_recorder_notes_functions_operators_indices_and_sorts() -> None:
    array = np.arange(6, dtype=np.int64).view(Noted)

    def work() -> None:
        found = array + 1
        found[1:] = np.cumsum(found)[1:]
        found.sort()
        found &= found < 3
        np.maximum.accumulate(found, out=found)

    names = [entry[0] for entry in operations(work)]
    assert names == [
        "add.__call__", "cumsum", "getitem", "setitem", "sort", "less.__call__", "bitwise_and.__call__", "maximum.accumulate",
    ]  # fmt: skip


def test_the_recorder_tells_shapes_apart_and_not_values() -> None:
    arrays = [np.arange(size).view(Noted) for size in (3, 3, 4)]
    logs = [operations(partial(np.multiply, array, x)) for array, x in zip(arrays, (1, 2, 1), strict=True)]
    assert logs[0] == logs[1] != logs[2]


@pytest.mark.parametrize("labels", [[0, True], [True, 0], [2, True, 0], [0, np.True_], [0, 1.0], [0, "1"]])
def test_what_is_no_integer_is_refused_among_integers_too(labels: list[object]) -> None:
    """numpy makes one array of integers out of 0 and True."""
    with pytest.raises(DataError, match=r"outside of the universe 0\.\.3"):
        indices(Integers(0, 3), labels)


def test_labels_of_one_text_are_refused_on_arrays() -> None:
    with pytest.raises(DataError, match="do not stand for bytes outside of UTF-8"):
        indices(ByLength(4), ["\u00e9", "\udcc3\udca9"])
    assert as_numbers(indices(ByLength(4), ["\u00e9", "\udcc3", "e\u0301"])) == [257 + 0xC3A9, 1 + 0xC3, 65_793 + 0x65CC81]


@pytest.mark.parametrize("numbers", [SMALL, LONG])
def test_a_label_with_two_counts_is_refused(numbers: Numbers) -> None:
    plan = built(numbers)
    labels = from_numbers([7, 3, 7], plan.label_bits)
    with pytest.raises(DataError, match="two labels have one index; accepted: one each"):
        rows_of_counts(plan, labels, np.array([1, 1, 1]))
    assert rows_of_counts(plan, labels[:, :2], np.array([1, 1])).size == 2
