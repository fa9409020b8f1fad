"""The array path on all words of a table; and broken copies of its functions, which must be refused."""

import inspect
from collections.abc import Callable
from types import FunctionType

import numpy as np
import pytest
from attrs import evolve

from finitedp.errors import ClaimError
from finitedp.impl.counting import dyadic_bulk
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_plan import Plan, Windows, plan_of
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.proofs_check.proofs import arrays
from finitedp.proofs_check.proofs.arrays import same_as_the_table, tails
from tests.sampling import sampled

TABLES = [(5, "1", 8), (20190, "1", 64), (10**9, "1/2", 64), (1000, "3", 100), (10**6, "1", 128), (300, "1", 200)]


@pytest.mark.parametrize(("n", "epsilon", "word"), TABLES)
def test_arrays_are_the_table(n: int, epsilon: str, word: int) -> None:
    mechanism = DyadicSample(n, epsilon, word)
    assert same_as_the_table(mechanism) > 2 * len(mechanism.table.head)


BROKEN = {
    "the sign the other way": (
        "_fold",
        "np.negative(room.up, out=room.up)",
        "np.subtract(room.up, np.uint64(1), out=room.up)",
    ),
    "a bit more in the shift": ("_descend", "stride.bit_length() - 1", "stride.bit_length()"),
    "only the first limb": (
        "_compare",
        "np.logical_or(room.less, room.equal, out=room.below)",
        "np.copyto(room.below, room.less)",
    ),
    "at most for below": ("_compare", "np.less(word[-1], room.steps", "np.less_equal(word[-1], room.steps"),
    "the limbs in another order": ("_compare", "for i in reversed(range(len(parts) - 1))", "for i in range(len(parts) - 1)"),
    "the next threshold not looked at": ("_bisect", "np.add(room.narrow, room.bit, out=room.narrow)", "pass"),
    "a window without a bit of the word": ("_enter", "np.add(room.high, np.uint64(1), out=room.high)", "pass"),
    "all words in the high window": (
        "_enter",
        "np.less(room.folded[0], np.uint64(1 << windows.low)",
        "np.less(room.folded[0], np.uint64(0)",
    ),
    "a window that is too low": ("_enter", "np.uint64(1 << windows.low)", "np.uint64(2 << windows.low)"),
    "the place in both windows": ("_leave", "np.subtract(room.narrow, room.bit, out=room.narrow)", "pass"),
    "n for n - 1": ("_stretch", "np.subtract(plan.n - 1, quotient", "np.subtract(plan.n, quotient"),
    "the last weight left out": ("_stretch", "np.subtract(far.view(np.int64), plan.last, out=quotient)", "pass"),
    "the smaller noise": ("_stretch", "np.maximum(room.place, quotient", "np.minimum(room.place, quotient"),
    "large words forgotten": ("_stretch", "np.negative(room.steps, out=room.steps)", "pass"),
    "not clamped at 0": ("_finish", "np.maximum(room.place, 0, out=room.place)", "pass"),
    "clamped to n - 1": ("_finish", "np.minimum(room.place, plan.n, out=out)", "np.minimum(room.place, plan.n - 1, out=out)"),
    "no stretch": ("_strict", "if plan.tail:", "if False:"),
}


@pytest.mark.parametrize("broken", sampled(BROKEN, 6))
def test_a_broken_path_is_refused(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, old, new = BROKEN[broken]
    source = inspect.getsource(getattr(dyadic_bulk, name))
    assert source.count(old) == 1
    compiled: dict[str, FunctionType] = {}
    exec(source.replace(old, new), vars(dyadic_bulk) | {}, compiled)  # noqa: S102  # a source of ours, edited
    monkeypatch.setattr(dyadic_bulk, name, compiled[name])
    refused = 0
    for word in (64, 128, 192):
        try:
            same_as_the_table(DyadicSample(10**6, "3", word))
        except (ClaimError, AttributeError):
            refused += 1
    assert refused


WRONG_WINDOWS: dict[str, Callable[[Windows], Windows]] = {
    "a bit fewer left out": lambda windows: evolve(windows, low=windows.low - 1),
    "a bit more left out": lambda windows: evolve(windows, low=windows.low + 1),
    "another number of thresholds": lambda windows: evolve(windows, more=windows.more + 1),
    "the other window": lambda windows: evolve(windows, base=windows.base // 2),
    "another threshold": lambda windows: evolve(
        windows,
        thresholds=tuple((stride, (parts[0] + np.uint64(stride == 1),)) for stride, parts in windows.thresholds),
    ),
}


@pytest.mark.parametrize("wrong", WRONG_WINDOWS)
def test_wrong_windows_are_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def edited(mechanism: DyadicSample) -> Plan:
        plan = plan_of(mechanism)
        assert plan.windows is not None
        return evolve(plan, windows=WRONG_WINDOWS[wrong](plan.windows))

    monkeypatch.setattr(arrays, "plan_of", edited)
    with pytest.raises(ClaimError):
        same_as_the_table(DyadicSample(10**6, "1", 128))


@pytest.mark.parametrize(("n", "epsilon", "word"), TABLES)
def test_tails_are_those_of_the_table(n: int, epsilon: str, word: int) -> None:
    table = DyadicSample(n, epsilon, word).table
    places = {0, 1, table.first - 1, table.first, table.first + 1, n // 2, n - 1, n, n + 1}
    assert [tails(table.certificate())(j) for j in places if j >= 0] == [table.upper(j) for j in places if j >= 0]


OTHERS = {"words of 64 bits": (20190, 64), "a count less": (20189, 128), "a count more": (20191, 128)}


@pytest.mark.parametrize("other", OTHERS)
def test_a_table_of_other_parameters_is_refused(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where DyadicSample.table leaves an argument out: of words of 128 bits, nearly all lie beyond a table of 64."""
    n, word = OTHERS[other]
    table = DyadicSample(n, "1", word).table
    monkeypatch.setattr(DyadicSample, "table", table)
    with pytest.raises(ClaimError, match="a table of other parameters"):
        same_as_the_table(DyadicSample(20190, "1", 128))


def test_tails_that_are_not_those_of_the_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, upper = DyadicSample(20190, "1"), DyadicTable.upper
    monkeypatch.setattr(DyadicTable, "upper", lambda table, j: upper(table, j) - (j == 5))
    with pytest.raises(ClaimError, match="another noise"):
        same_as_the_table(mechanism)


@pytest.mark.parametrize("word", [32, 100])
def test_words_of_another_length_are_refused(word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a bit more all words that are drawn would begin with 0, and all noise would be negative."""

    def longer(mechanism: DyadicSample) -> Plan:
        plan = plan_of(mechanism)
        return evolve(plan, top_bits=plan.top_bits + 1)

    monkeypatch.setattr(arrays, "plan_of", longer)
    with pytest.raises(ClaimError, match="words of another length"):
        same_as_the_table(DyadicSample(1000, "3", word))
