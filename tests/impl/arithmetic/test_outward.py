"""Laws that are rounded, cut and made coarse upwards: never below the true ones, and these themselves where nothing is cut."""

from itertools import accumulate

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.impl.arithmetic import outward
from finitedp.impl.arithmetic.outward import Upward
from finitedp.spec.pmf import Pmf, convolution

WEIGHTS = st.lists(st.integers(1, 50), min_size=1, max_size=12)


def law_of(weights: list[int], low: int) -> Pmf[int]:
    return Pmf(dict(enumerate(weights, low)))


def upward(weights: list[int], low: int, bits: int, ends: tuple[int, int] | None = None) -> Upward:
    tails = [*accumulate(reversed(weights))][::-1]

    def tail(t: int) -> int:
        return tails[max(t - low, 0)] if t < low + len(weights) else 0

    return Upward.of(tail, sum(weights), ends or (low, low + len(weights) - 1), bits)


def above(law: Upward, t: int) -> mpq:
    """Pr[sum > t], as it is stated."""
    place = max((t - law.low) // law.step + 1, 0)
    return mpq(law.tails[min(place, law.places)], 1 << law.bits)


def check(found: Upward, true: Pmf[int], slack: mpq) -> None:
    assert found.tails[0] == 1 << found.bits
    assert list(found.tails) == sorted(found.tails, reverse=True)
    for t in range(min(true.support) - 3, max(true.support) + 3):
        exact, stated = true.probability(lambda x, t=t: x > t), above(found, t)  # type: ignore[misc]
        assert exact <= stated <= exact + slack


@given(WEIGHTS, st.integers(-20, 20), st.integers(1, 9))
def test_a_sum_of_which_nothing_is_cut_is_within_the_roundings(weights: list[int], low: int, many: int) -> None:
    found = upward(weights, low, 80).times(many, 0)
    check(found, convolution([law_of(weights, low)] * many), mpq(4 * many, 1 << 80))


@given(WEIGHTS, WEIGHTS, st.integers(-9, 9), st.integers(1, 9), st.integers(4, 30))
def test_what_is_cut_only_moves_mass_upwards(a: list[int], b: list[int], low: int, many: int, bits: int) -> None:
    spare = 1 << bits >> 3
    ends = (low, low + (len(a) - 1) // 2)
    found = upward(a, low, bits, ends).times(many, spare).plus(upward(b, 0, bits), spare)
    check(found, convolution([*[law_of(a, low)] * many, law_of(b, 0)]), mpq(1))


@pytest.mark.parametrize("places", [2, 3, 5, 8])
def test_steps_round_up(places: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outward, "PLACES", places)
    weights = [5, 1, 9, 2, 8, 3, 30, 1, 1, 2, 7]
    for many in (1, 2, 3, 6):
        found = upward(weights, -4, 60).times(many, 0)
        assert found.step > 1
        assert found.places <= 2 * places
        check(found, convolution([law_of(weights, -4)] * many), mpq(1))


def test_a_coarse_law_and_a_fine_one_are_added_on_the_coarse_steps() -> None:
    fine, coarse = upward([1, 2, 3, 4, 5], 0, 60), upward([1, 1, 1, 1], 7, 60)._coarse(4)
    assert (fine.plus(coarse, 0).step, coarse.plus(fine, 0).step) == (4, 4)
    check(fine.plus(coarse, 0), convolution([law_of([1, 2, 3, 4, 5], 0), law_of([1, 1, 1, 1], 7)]), mpq(1))
