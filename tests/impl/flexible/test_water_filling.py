"""LevelMaximum: splits by hand, the least number of rows at real parameters, and what is refused."""

import random

import pytest
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.impl.flexible.bucketing import Grid, IntegerBuckets
from finitedp.impl.flexible.water_filling import LevelMaximum, least_dropped, level_maximum


def test_splits_by_hand() -> None:
    mechanism = LevelMaximum(IntegerBuckets(0, 2), 3, 1, 8)
    assert mechanism.parts((9, 0, 0)) == [4, 0, 0]
    assert mechanism.parts((0, 2, 1)) == [1, 2, 1]
    assert mechanism.parts((7, 1, 9)) == [0, 0, 4]
    assert [sum(mechanism.words(c)) for c in ((9, 0, 0), (0, 2, 1), (7, 1, 9))] == [256] * 3
    assert mechanism.words((9, 0, 0)) == [256, 0, 0]


def test_the_least_rows_of_real_data_s_bars() -> None:
    found = [least_dropped(bars, 1, mpq(1, 2**20)) for bars in (78, 16, 9, 3)]
    assert found == [782, 184, 109, 39]
    for bars, dropped in zip((78, 16, 9, 3), found, strict=True):
        buckets = IntegerBuckets(0, bars - 1)
        assert (
            LevelMaximum(buckets, dropped, 1).claim().delta
            <= mpq(1, 2**20)
            < LevelMaximum(buckets, dropped - 1, 1).claim().delta
        )


def filled(caps: list[int], total: int) -> list[int]:
    """Cells (level, bar) one by one, in order."""
    found, level = [0] * len(caps), 0
    while sum(found) < total:
        level += 1
        for i, cap in enumerate(caps):
            found[i] += cap >= level and sum(found) < total
    return found


def test_many_bars_are_filled_cell_by_cell() -> None:
    rng = random.Random(3)
    for bars, dropped in ((7, 9), (9, 20), (12, 40)):
        mechanism = LevelMaximum(IntegerBuckets(0, bars - 1), dropped, 1, 8)
        for _ in range(60):
            counts = [rng.choice([0, 1, 2, 5]) for _ in range(bars)]
            caps = [mechanism.caps[t] for t in mechanism.parts(counts)]
            assert mechanism.words(counts) == filled(caps, 256), counts


def test_claims() -> None:
    mechanism = level_maximum(IntegerBuckets(0, 77, 5), 1, mpq(1, 2**20))
    claimed = mechanism.accuracy()
    assert claimed.dropped == 184
    assert claimed.beta == 2
    assert claimed.gamma == 0
    assert mechanism.claim().neighbours == "add-remove"
    assert mechanism.counts([0, 4, 5, 77]) == [2, 1, *[0] * 13, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: least_dropped(3, 1, f"1/{2**70}"), "a longer word"),
        (lambda: least_dropped(10**6, "1/1000", f"1/{2**40}"), "fewer bars"),
        (lambda: LevelMaximum(Grid((IntegerBuckets(0, 1),)), 3, 1), "needs an order"),
        (lambda: LevelMaximum(IntegerBuckets(0, 1), -1, 1), "dropped = -1"),
    ],
)
def test_refusals(make: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()  # type: ignore[operator]
    with pytest.raises(DataError):
        LevelMaximum(IntegerBuckets(0, 1), 3, 1).parts((1, -1))
