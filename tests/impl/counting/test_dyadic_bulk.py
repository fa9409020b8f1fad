"""finitedp.impl.counting.dyadic_bulk: equal to the scalar path word for word, and what it refuses."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from gmpy2 import mpq
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.impl.counting import dyadic_bulk
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import (
    apply_array,
    apply_array_data_dependent_time,
    limbs,
    random_words,
    release_array,
    release_array_data_dependent_time,
)
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.impl.randomness.words import SeededWords, SystemWords, bits_of
from tests.sampling import sampled

PATHS = (apply_array, apply_array_data_dependent_time)
RELEASES = (release_array, release_array_data_dependent_time)
Array = NDArray[Any]


def as_words(words: list[int], parts: int) -> Array:
    rows = [[word >> 64 * i & (2**64 - 1) for word in words] for i in reversed(range(parts))]
    return np.array(rows if parts > 1 else rows[0], np.uint64)


def as_integers(rows: Array) -> Iterator[int]:
    """The words of rows of limbs, most significant first, one after the other."""
    if rows.ndim == 1:
        yield from (int(word) for word in rows.tolist())
        return
    for word in zip(*rows.tolist(), strict=True):
        yield sum(limb << 64 * i for i, limb in enumerate(reversed(word)))


@pytest.mark.parametrize("size", [2 * dyadic_bulk.CHUNK + 17, pytest.param(1_000_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    ("n", "epsilon", "word"),
    sampled([(10**6, "1/10", 64), (10**9, "1/10", 128), (1000, "1", 64), (10**5, "3", 54)], 1, names=3),
)
def test_all_three_paths_agree_on_random_words(n: int, epsilon: str, word: int, size: int) -> None:
    mechanism = DyadicSample(n, epsilon, word)
    rows = random_words(mechanism, size, SystemWords())
    drawn = rows if limbs(mechanism) > 1 else rows[0]
    counts = np.random.default_rng(size).integers(0, n, size, endpoint=True)
    counts[: size // 10] = 0
    counts[size // 10 : size // 5] = n
    one_by_one = [mechanism.apply(c, 1 + w) for c, w in zip(counts.tolist(), as_integers(drawn), strict=True)]
    for path in PATHS:
        assert path(mechanism, counts, drawn).tolist() == one_by_one


@pytest.mark.deep
@given(
    st.integers(1, 10**15),
    st.fractions("1/20", 12).map(mpq),
    st.sampled_from([12, 16, 54, 63, 64, 65, 100, 128, 129, 162, 192, 256]),
    st.randoms(use_true_random=False),
)
def test_they_agree_at_every_threshold(n: int, epsilon: mpq, word: int, generator: random.Random) -> None:
    try:
        mechanism = DyadicSample(n, epsilon, word)
    except ParameterError:
        assume(False)
    near = [*range(1, min(n, 30) + 1), *range(max(n - 5, 1), n + 1), generator.randint(1, n)]
    ends = {mechanism.table.upper(j) + step for j in near for step in (-1, 0, 1)}
    words = [w for e in ends for w in (e, mechanism.d - 1 - e) if 0 <= w < mechanism.d]
    words += [generator.getrandbits(word) >> generator.randrange(word) for _ in range(50)] + [0, mechanism.d - 1]
    if word > 64:  # what only looks like a word of the stretch
        words += [generator.getrandbits(word) >> 64 << 64 | generator.randrange(1000) for _ in range(20)]
        words += [2**63 | generator.randrange(1000) for _ in range(20)]
    counts = [generator.choice([0, n, n // 2, generator.randint(0, n)]) for _ in words]
    one_by_one = [mechanism.apply(c, 1 + w) for c, w in zip(counts, words, strict=True)]
    for path in PATHS:
        assert path(mechanism, np.array(counts), as_words(words, limbs(mechanism))).tolist() == one_by_one


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_is_the_scalar_one_on_the_same_bits(release: Callable[..., Array]) -> None:
    mechanism, counts = DyadicSample(500, "1/4"), np.arange(501)
    coins = StrictCoins(bits_of(SeededWords(11, not_private=True)))
    one_by_one = [mechanism.release(c, coins) for c in range(501)]
    assert release(mechanism, counts, SeededWords(11, not_private=True)).tolist() == one_by_one


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("word", [64, 100, 128])
def test_a_release_reads_one_word_for_each_count(release: Callable[..., Array], word: int) -> None:
    class Metered:
        name = "metered"
        total = 0

        def read(self, size: int) -> bytes:
            self.total += size
            return SystemWords().read(size)

    source, mechanism = Metered(), DyadicSample(10**6, "1/10", word)
    size = 2 * dyadic_bulk.CHUNK + 17
    noisy = release(mechanism, np.full(size, 3), source)
    assert source.total == 8 * limbs(mechanism) * size
    assert noisy.dtype == np.int64
    assert noisy.shape == (size,)
    assert len(set(noisy.tolist())) > 50


@pytest.mark.parametrize("word", [5, 54, 64, 65, 100, 128, 162])
def test_random_words_have_the_mechanism_s_bits(word: int) -> None:
    """Fails with probability below 10^-9: each of the bits is 1 in some of 40 words."""
    drawn = list(as_integers(random_words(DyadicSample(2, 3, word), 40, SystemWords())))
    assert len(drawn) == 40
    assert np.bitwise_or.reduce(np.array(drawn, object)) == 2**word - 1


@pytest.mark.parametrize("release", RELEASES)
def test_two_releases_differ_and_the_input_stays(release: Callable[..., Array]) -> None:
    mechanism, counts = DyadicSample(10**6, "1/10"), np.full(1000, 5 * 10**5)
    first, second = release(mechanism, counts), release(mechanism, counts)
    assert (first != second).sum() > 900
    assert (counts == 5 * 10**5).all()


# The strict path does the same whatever the data are


class Recorder:
    """Numpy, with every function that is called noted: its name, and the shapes and types of what it is given."""

    def __init__(self) -> None:
        self.log: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if not callable(found) or isinstance(found, type):
            return found
        noted = self._noting(name, found)
        if isinstance(found, np.ufunc):
            noted.reduce = self._noting(f"{name}.reduce", found.reduce)
        return noted

    def _noting(self, name: str, found: Callable[..., Any]) -> Any:
        def noted(*arguments: Any, **named: Any) -> Any:
            given = [*arguments, *named.values()]
            self.log.append((name, tuple((x.shape, str(x.dtype)) if isinstance(x, np.ndarray) else str(x) for x in given)))
            return found(*arguments, **named)

        return noted

    def integer(self, value: Any) -> int:
        """In place of `int`: a Python integer is noted with its value, since its length depends on it."""
        self.log.append(("int", (int(value),)))
        return int(value)


def recorded(work: Callable[[], object]) -> list[Any]:
    """What `work` calls of numpy by name, and the Python integers that it makes by `int(...)`, within dyadic_bulk."""
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("finitedp.impl.counting.dyadic_bulk.np", recorder)
        patch.setattr("finitedp.impl.counting.dyadic_bulk.int", recorder.integer, raising=False)
        work()
    return recorder.log


def operations(path: Callable[..., Array], mechanism: DyadicSample, count: int, words: list[int]) -> list[Any]:
    counts, rows = np.full(len(words), count), as_words(words, limbs(mechanism))
    path(mechanism, counts[:1], rows[..., :1])  # makes the table of arrays, once
    return recorded(lambda: path(mechanism, counts, rows))


@pytest.mark.parametrize("mechanism", [DyadicSample(10**6, "1/10"), DyadicSample(10**6, "1/10", 128), DyadicSample(9, 1, 20)])
def test_the_operations_of_the_strict_path_depend_on_the_shape_alone(mechanism: DyadicSample) -> None:
    size, middle, generator = dyadic_bulk.CHUNK + 5, mechanism.d // 2, random.Random(1)
    no_noise, most_noise = [middle] * size, [0] * size
    logs = [
        operations(apply_array, mechanism, count, words)
        for count in (0, mechanism.n)
        for words in (no_noise, most_noise, [generator.getrandbits(mechanism.word) for _ in range(size)])
    ]
    assert len(logs[0]) > 2 * 4 * mechanism.cost().steps
    assert all(log == logs[0] for log in logs)
    assert operations(apply_array, mechanism, 0, no_noise[:-1]) != logs[0]


@pytest.mark.parametrize(("word", "checks"), [(54, 1), (64, 0), (65, 1), (100, 1), (128, 0)])
def test_only_words_that_could_have_too_many_bits_are_looked_at(word: int, checks: int) -> None:
    mechanism, size = DyadicSample(10, 1, word), 50
    for words in ([0] * size, [2**word - 1] * size):
        rows = as_words(words, limbs(mechanism))
        log = recorded(lambda r=rows: dyadic_bulk._checked_words(mechanism, r, size))  # type: ignore[misc]
        assert log == [("bitwise_or.reduce", (((size,), "uint64"),))] * checks


@pytest.mark.parametrize(("least", "most"), [(0, 0), (300, 300), (0, 10**12), (10**12, 10**12)])
def test_no_python_integer_is_made_of_the_counts(least: int, most: int) -> None:
    mechanism, counts = DyadicSample(10**12, 1), np.array([least, most])
    log = recorded(lambda: dyadic_bulk.checked_counts(mechanism, counts))
    assert [name for name, _given in log] == ["can_cast", "ascontiguousarray"]


def test_those_of_the_other_path_depend_on_the_noise() -> None:
    """What the recorder must be able to see."""
    mechanism, size = DyadicSample(10**6, "1/10"), 1000
    no_noise, most_noise = [mechanism.d // 2] * size, [0] * size
    logs = [operations(apply_array_data_dependent_time, mechanism, 5, words) for words in (no_noise, most_noise)]
    assert logs[0] != logs[1]


# What goes in


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", ">i8", "<i4"])
def test_integers_that_fit(dtype: str) -> None:
    mechanism, counts = DyadicSample(100, 1), np.arange(0, 100, 3)
    rows = random_words(mechanism, counts.size, SystemWords())[0]
    for path in PATHS:
        noisy = path(mechanism, counts.astype(dtype), rows)
        assert noisy.dtype == np.int64
        assert noisy.tolist() == path(mechanism, counts, rows).tolist()


def test_any_shape_and_order() -> None:
    mechanism, counts = DyadicSample(100, 1), np.arange(60).reshape(3, 4, 5)
    rows = random_words(mechanism, 60, SystemWords())[0]
    flat = apply_array(mechanism, counts.reshape(-1), rows)
    assert (apply_array(mechanism, counts, rows) == flat.reshape(3, 4, 5)).all()
    fortran = np.asfortranarray(counts[:, ::2])
    assert (apply_array(mechanism, fortran, rows[:30]) == apply_array(mechanism, fortran.copy("C"), rows[:30])).all()
    assert apply_array(mechanism, np.array(7), rows[:1]).shape == ()
    assert release_array(mechanism, np.zeros((0, 3), np.int64)).shape == (0, 3)
    counts.setflags(write=False)
    assert release_array(mechanism, counts).shape == (3, 4, 5)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2], "counts is a list; accepted: a numpy array of integers without a mask"),
        (np.array([1.0, 2.0]), r"counts has dtype float64; .* where all are whole numbers, counts.astype\('int64'\)"),
        (np.array([1, 2], np.float16), "counts has dtype float16"),
        (np.array([1 + 0j]), "counts has dtype complex128"),
        (np.array([1, 2], np.uint64), "counts has dtype uint64"),
        (np.array([True, False]), "counts has dtype bool"),
        (np.array([1, None]), "counts has dtype object"),
        (np.array([1, 2], dtype=object), "counts has dtype object"),
        (np.array(["1", "2"]), "counts has dtype <U1"),
        (np.array([1, 2], "m8[s]"), "counts has dtype timedelta64"),
        (np.array([1, 2], "M8[s]"), "counts has dtype datetime64"),
        (np.array([(1, 2)], dtype=[("a", int), ("b", int)]), "counts has dtype"),
        (np.ma.masked_array([1, 2], [False, True]), "counts is a MaskedArray; accepted: .* without a mask"),
        (np.array([5, 3, -1, 7]), r"counts\[2\] is out of range; accepted: counts from 0 to 10$"),
        (np.array([[5, 3], [2, 11]]), r"counts\[1, 1\] is out of range; accepted: counts from 0 to 10$"),
        (np.array([2**63 - 1]), r"counts\[0\] is out of range"),
        (np.array([-(2**63)]), r"counts\[0\] is out of range"),
        (np.array(11), r"counts\[\] is out of range"),
    ],
)
def test_what_is_refused(counts: Any, message: str) -> None:
    mechanism = DyadicSample(10, 1)
    for release in RELEASES:
        with pytest.raises(DataError, match=message):
            release(mechanism, counts)
    for path in PATHS:
        with pytest.raises(DataError, match=message):
            path(mechanism, counts, np.zeros(2, np.uint64))


@pytest.mark.parametrize(
    ("word", "words"),
    [
        (64, np.zeros(3, np.uint64)),
        (64, np.zeros(2, np.int64)),
        (64, [0, 0]),
        (128, np.zeros(2, np.uint64)),
        (128, np.zeros((2, 3), np.uint64)),
        (20, np.array([1, 2**20], np.uint64)),
        (65, np.array([[0, 2], [0, 0]], np.uint64)),
    ],
)
def test_words_of_the_wrong_kind(word: int, words: Any) -> None:
    for path in PATHS:
        with pytest.raises(ParameterError, match=r"words (is not an array of uint64 of shape|holds a number of more than)"):
            path(DyadicSample(10, 1, word), np.array([1, 2]), words)


def test_n_beyond_int64() -> None:
    with pytest.raises(ParameterError, match="word = 128 is too large for arrays of int64; accepted: a smaller n or"):
        release_array(DyadicSample(2**62, 1, 128), np.array([1]))
    assert release_array(DyadicSample(2**55, 1, 128), np.array([1])).shape == (1,)


@pytest.mark.parametrize(
    ("n", "epsilon", "word"), [(1000, f"1/{10**10}", 64), (1000, f"1/{10**20}", 128), (70, f"1/{10**6}", 64)]
)
def test_a_stretch_whose_sums_do_not_fit_is_written_out(n: int, epsilon: str, word: int) -> None:
    """All weights are equal there, up to the whole table."""
    mechanism, counts = DyadicSample(n, epsilon, word), np.arange(n + 1)
    rows = random_words(mechanism, n + 1, SystemWords())
    drawn = rows if limbs(mechanism) > 1 else rows[0]
    one_by_one = [mechanism.apply(c, 1 + w) for c, w in zip(counts.tolist(), as_integers(drawn), strict=True)]
    for path in PATHS:
        assert path(mechanism, counts, drawn).tolist() == one_by_one


@pytest.mark.parametrize(
    ("n", "epsilon", "windows"), [(10**6, "1/10", True), (300, 1, True), (10**9, "1/100", True), (1000, f"1/{10**20}", False)]
)
def test_words_of_128_bits_around_every_threshold(n: int, epsilon: Any, windows: bool) -> None:
    """In both windows, and where only the bits that a window leaves out decide: such words are never drawn by chance."""
    mechanism = DyadicSample(n, epsilon, 128)
    plan = dyadic_bulk._plan(mechanism)
    assert (plan.windows is not None) == windows
    ends = [mechanism.table.upper(j) for j in range(1, min(n, len(mechanism.table.head) + 3) + 1)][:: 1 + n // 10**8]
    ends += [1 << (64 + (plan.windows.low if plan.windows else 0)), 1 << 63, 1 << 64]
    near = {x + step for x in ends for step in (-1, 0, 1)}
    near |= {(x >> by << by) + more for x in ends for by in (1, 4, 63, 64) for more in (0, (1 << by) - 1)}
    folded = sorted(x for x in near if 0 <= x < 1 << 127)
    words = [*folded, *((1 << 128) - 1 - x for x in folded)]
    rows = np.array([[word >> 64 for word in words], [word % 2**64 for word in words]], np.uint64)
    expected = [mechanism.apply(n // 2, 1 + word) for word in words]
    for path in PATHS:
        assert path(mechanism, np.full(len(words), n // 2), rows).tolist() == expected


@pytest.mark.parametrize(("power", "q"), [(61, 2), (60, 4), (57, 32), (62, 1)])
def test_near_the_end_of_int64_it_is_refused_or_right(power: int, q: int) -> None:
    """With two limbs the stretch's arithmetic ends near n = 2^63 / w_h: a word beyond 63 bits is taken for 2^63 - 1."""
    accepted = 0
    for n in (2**power - 400, 2**power - 3, 2**power, 2**power + 2, 2**power + 340, 2**power // 3, 2 ** (power - 2)):
        mechanism = DyadicSample(n, f"1/{q}", 128)
        size = 300
        rows = random_words(mechanism, size, SystemWords()).copy()
        rows[0, :20], rows[1, :20] = 0, rows[1, :20] >> np.uint64(1)  # words of the stretch
        counts = np.full(size, n // 2)
        one_by_one = [mechanism.apply(n // 2, 1 + w) for w in as_integers(rows)]
        for path in PATHS:
            try:
                found = path(mechanism, counts, rows).tolist()
            except ParameterError:
                with pytest.raises(ParameterError, match="is too large for arrays of int64"):
                    path(mechanism, counts, rows)
                continue
            accepted += 1
            assert found == one_by_one
    assert accepted >= 4


@pytest.mark.parametrize(("n", "epsilon", "word"), [(1000, "1/10", 64), (10**9, "1/10", 128), (10**6, 1, 64), (9, 1, 20)])
def test_arrays_check_themselves(n: int, epsilon: Any, word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong in a table's arrays as a whole is found when they are made; a single wrong weight need not be."""
    mechanism = DyadicSample(n, epsilon, word)
    plan = dyadic_bulk._plan(mechanism)
    dyadic_bulk._check_plan(mechanism, plan)
    broken = [evolve(plan, n=n - 1), evolve(plan, prefix_shift=plan.prefix_shift + 1)]
    first, *others = plan.thresholds
    shifted = ((first[0], tuple(part[1:] for part in first[1])), *others)
    if plan.windows is None:
        broken.append(evolve(plan, thresholds=shifted))
    else:
        moved = tuple((stride, (part[1:],)) for stride, (part,) in plan.windows.thresholds)
        changes: list[dict[str, Any]] = [{"low": plan.windows.low + 1}, {"low": plan.windows.low - 1}, {"thresholds": moved}]
        changes += [{"more": plan.windows.more + 1}, {"base": plan.windows.base // 2}]
        broken += [evolve(plan, windows=evolve(plan.windows, **change)) for change in changes]
        broken.append(evolve(plan, windows=None, thresholds=shifted))
    if plan.tail:
        broken += [evolve(plan, last=plan.last + 1), evolve(plan, tail=plan.tail + 1), evolve(plan, tail=0)]
    for wrong in broken:
        with pytest.raises(ClaimError, match="arrays would not have the law of DyadicSample"):
            dyadic_bulk._check_plan(mechanism, wrong)
    monkeypatch.setattr(dyadic_bulk, "_stretch" if plan.tail else "_bisect", lambda *_: None)
    dyadic_bulk._plan.cache_clear()
    with pytest.raises(ClaimError):
        release_array(mechanism, np.array([1]))
    dyadic_bulk._plan.cache_clear()


@pytest.mark.parametrize("path", ["_strict", "_data_dependent_time"])
@pytest.mark.parametrize("word", [0, 2**63 - 2, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**126 - 1, 2**126 + 1, 2**128 - 1])
def test_a_path_that_is_wrong_at_one_end_of_the_limbs_is_found(path: str, word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words of two limbs: around the ends of int64 and of the lower limb, around a quarter of all, and the last."""
    mechanism = DyadicSample(10**9, "1/10", 128)
    plan, right = dyadic_bulk._plan(mechanism), getattr(dyadic_bulk, path)

    def wrong(plan: Any, counts: Any, rows: Any, room: Any, out: Any) -> None:
        right(plan, counts, rows, room, out)
        out[(rows[0] == np.uint64(word >> 64)) & (rows[1] == np.uint64(word % 2**64))] += 1

    monkeypatch.setattr(dyadic_bulk, path, wrong)
    with pytest.raises(ClaimError, match="arrays would not have the law of DyadicSample"):
        dyadic_bulk._check_plan(mechanism, plan)


def test_the_first_bits_decide_most_draws() -> None:
    """What makes the other path the sooner one: counted, not timed."""
    mechanism = DyadicSample(10**9, "1/10")
    prefix = dyadic_bulk._plan(mechanism).prefix
    split = {mechanism.table.upper(j) >> 47 for j in range(1, mechanism.table.entries)}
    assert prefix.size == 2**16
    assert set(np.flatnonzero(prefix < 0).tolist()) == split
    assert len(split) < prefix.size // 300
