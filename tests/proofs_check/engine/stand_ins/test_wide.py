"""finitedp.proofs_check.engine.stand_ins.wide: numpy's own scalars on the same words, where there are few."""

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.errors import BudgetError, ExplorationError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.stand_ins import numpy_sources
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn
from finitedp.proofs_check.engine.stand_ins.outputs import freeze
from finitedp.proofs_check.engine.stand_ins.wide import WideInteger
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.stand_ins.given_words import as_numpy_has_it


@pytest.fixture(autouse=True)
def wide_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole numbers of more than one value are not decided when they are drawn."""
    monkeypatch.setattr(numpy_sources, "NARROW", 1)


COMPARED = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
MOVED = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.truediv)
DECIDED = (operator.mod, operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift)
PAIRS = (divmod, *DECIDED)
SINGLE = (
    operator.neg,
    abs,
    operator.invert,
    operator.pos,
    float,
    bool,
    round,
    int,
    hash,
    repr,
    operator.index,
    "{:03}".format,
)


@pytest.mark.parametrize("other", [1, 2, 3, True, np.int64(2), np.int32(2), 2.0, 1.5, np.float64(2), "a"])
@pytest.mark.parametrize("compare", COMPARED)
def test_comparisons(compare: Any, other: Any) -> None:
    if not isinstance(other, str) or compare in (operator.eq, operator.ne):
        as_numpy_has_it(lambda rng: compare(rng.integers(1, 4), other))
        as_numpy_has_it(lambda rng: compare(other, rng.integers(1, 4)))


@pytest.mark.parametrize("other", [1, 3, 0, -2, True, np.int64(2), np.int8(2), 2**62])
@pytest.mark.parametrize("apply", MOVED)
def test_what_moves_them(apply: Any, other: Any) -> None:
    with np.errstate(all="ignore"):
        if apply is not operator.truediv:
            as_numpy_has_it(lambda rng: apply(rng.integers(-2, 3), other))
            as_numpy_has_it(lambda rng: apply(rng.integers(-2, 3), other) > 1)
        elif other:
            as_numpy_has_it(lambda rng: apply(rng.integers(-2, 3), other) > 0.5)
        as_numpy_has_it(lambda rng: apply(other, rng.integers(1, 4)))


@pytest.mark.parametrize("apply", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_with_floats(apply: Any) -> None:
    as_numpy_has_it(lambda rng: apply(rng.integers(1, 4), 1.5) > 1.3)
    as_numpy_has_it(lambda rng: np.floor(apply(rng.integers(1, 4), 1.5)))
    as_numpy_has_it(lambda rng: apply(1.5, rng.integers(1, 4)) > 1.3)
    as_numpy_has_it(lambda rng: apply(rng.integers(1, 4) * 0 + 7, 1.5) > 1.3)


@pytest.mark.parametrize("apply", PAIRS)
def test_what_decides_them(apply: Any) -> None:
    as_numpy_has_it(lambda rng: apply(rng.integers(1, 4), 2))
    as_numpy_has_it(lambda rng: apply(2, rng.integers(1, 4)))
    as_numpy_has_it(lambda rng: apply(rng.integers(1, 4), rng.integers(2, 4)))


@pytest.mark.parametrize("apply", [*COMPARED, *MOVED])
def test_two_of_them(apply: Any) -> None:
    as_numpy_has_it(lambda rng: apply(rng.integers(1, 4), rng.integers(2, 4)))


@pytest.mark.parametrize("function", SINGLE)
def test_one_of_them(function: Any) -> None:
    as_numpy_has_it(lambda rng: function(rng.integers(-1, 2)))


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.integers(3).item(),
        lambda rng: (rng.integers(3).shape, rng.integers(3).ndim, str(rng.integers(3).dtype)),
        lambda rng: rng.integers(3).bit_length() if hasattr(np.int64, "bit_length") else 0,
        lambda rng: rng.integers(3).bit_count(),
        lambda rng: int(np.array(rng.integers(3))) + 1,
        lambda rng: np.asarray(rng.integers(3), dtype=float),
        lambda rng: np.add(rng.integers(3), 1),
        lambda rng: np.add.reduce([rng.integers(3), 2]),
        lambda rng: np.maximum(rng.integers(3), np.array([1, 2])),
        lambda rng: isinstance(rng.integers(3), np.int64),
        lambda rng: hasattr(rng.integers(3), "__len__"),
    ],
)
def test_what_else_numpy_s_scalars_do(program: Callable[[Any], Any]) -> None:
    as_numpy_has_it(program)


@pytest.mark.parametrize(
    ("kind", "low", "high", "apply"),
    [
        (np.int8, 120, 127, lambda x: x + 1),
        (np.int8, 120, 127, lambda x: x + 3),
        (np.int8, -128, -120, lambda x: x - 1),
        (np.int8, -127, -120, lambda x: x - 1),
        (np.uint8, 0, 3, lambda x: x - 1),
        (np.uint8, 1, 3, lambda x: x - 1),
        (np.int16, 100, 127, lambda x: x * 300),
        (np.int8, 1, 3, lambda x: x // 0),
        (np.int8, -5, 122, lambda x: x // 2 > 3),
        (np.uint16, 0, 2, lambda x: x * 1.5 > 1),
        (np.int64, 2**63 - 4, 2**63 - 1, lambda x: x + 1),
        (np.int64, 2**63 - 4, 2**63 - 1, lambda x: x / 2**62 > 1.99),
    ],
)
def test_what_wraps_round_wraps_round(kind: Any, low: int, high: int, apply: Any) -> None:
    with np.errstate(all="ignore"):
        found = law(lambda rng: freeze(apply(rng.integers(low, high, dtype=kind, endpoint=True))))
        assert found == Pmf(Counter(freeze(apply(kind(x))) for x in range(low, high + 1)))


@pytest.mark.parametrize(
    ("kind", "number"), [(np.int16, 2**15), (np.int16, -(2**15) - 1), (np.uint16, -1), (np.uint16, 2**16)]
)
def test_a_number_that_is_none_of_the_type_is_an_error(kind: Any, number: int) -> None:
    with pytest.raises(OverflowError, match="out of bounds"):
        kind(5) + number
    with pytest.raises(OverflowError, match="out of bounds"):
        law(lambda rng: rng.integers(1, 9, dtype=kind) + number)


def law(program: Callable[[Any], Any]) -> Any:
    return explore(lambda coins: program(GeneratorStandIn(coins))).law()


@pytest.mark.usefixtures("lazies_alone")
def test_they_stay_undecided_while_they_are_moved_and_compared() -> None:
    """2^40 values could not be decided."""
    third = 2**40 // 3
    wide = np.dtype(np.int64)
    assert law(lambda rng: bool((rng.integers(2**40) * 3 - 1) // 2 < third))[True] == mpq(-(-(2 * third + 1) // 3), 2**40)
    assert law(lambda rng: type(rng.integers(2**40) + 1) is WideInteger).support == {True}
    assert law(lambda rng: type(rng.integers(2**40).item()).__name__).support == {"LazyInt"}
    assert law(lambda rng: (rng.integers(2**40) + 1).dtype is wide).support == {True}
    assert law(lambda rng: bool(rng.integers(2**40) / 2**40 < 0.25))[True] == mpq(1, 4)
    for decides in (lambda x: x % 2, hash, lambda x: 1 - x, lambda x: -x, lambda x: x < 1.5):
        with pytest.raises(BudgetError):
            law(lambda rng, decides=decides: int(decides(rng.integers(2**40))))  # type: ignore[misc]
    with pytest.raises(ExplorationError, match="divides by 0"):
        law(lambda rng: bool(rng.integers(2**40) / 0 < 0.25))
