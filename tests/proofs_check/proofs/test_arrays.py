"""The array path on all words of a table; and broken copies of its functions, which must be refused."""

import inspect
from types import FunctionType

import pytest

from finitedp.errors import ClaimError
from finitedp.impl.counting import dyadic_bulk
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.proofs_check.proofs.arrays import same_as_the_table

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
    "a bit more in the shift": ("_bisect", "LIMB - stride.bit_length()", "LIMB - 1 - stride.bit_length()"),
    "no borrow": ("_bisect", "np.subtract(steps, room.borrow, out=steps)", "pass"),
    "at most for below": ("_bisect", "np.less(room.folded[i], steps", "np.less_equal(room.folded[i], steps"),
    "the limbs in another order": ("_bisect", "for i in reversed(range(1, plan.limbs))", "for i in range(1, plan.limbs)"),
    "n for n - 1": ("_stretch", "np.subtract(plan.n - 1, quotient", "np.subtract(plan.n, quotient"),
    "the last weight left out": ("_stretch", "np.subtract(quotient, plan.last, out=quotient)", "pass"),
    "the smaller noise": ("_stretch", "np.maximum(room.place, quotient", "np.minimum(room.place, quotient"),
    "large words forgotten": ("_stretch", "np.bitwise_or(far, high, out=far)", "pass"),
    "not clamped at 0": ("_finish", "np.maximum(room.place, 0, out=room.place)", "pass"),
    "clamped to n - 1": ("_finish", "np.minimum(room.place, plan.n, out=out)", "np.minimum(room.place, plan.n - 1, out=out)"),
    "no stretch": ("_strict", "if plan.tail:", "if False:"),
}


@pytest.mark.parametrize("broken", BROKEN)
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
