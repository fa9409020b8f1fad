"""finitedp.spec.dyadic: small tables by hand, and the numbers that a prototype of the mechanism had stated."""

from itertools import pairwise

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.exact import compare_exp
from finitedp.spec import dyadic as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import count_pairs
from finitedp.spec.pmf import Pmf

epsilons = st.fractions("1/50", 12).map(mpq)


def test_a_table_by_hand() -> None:
    """R = 2, 32 words: behind w_0 = 10 come 5 and 5, which leaves 2 over; behind 12 come 6 and 6, which is too much."""
    weights = spec.table(2, mpq(2), 5)
    assert weights == (10, 5, 6)
    assert spec.is_table(weights, mpq(2), 5)
    assert spec.tails(weights) == [21, 11, 6]
    assert spec.noise(weights) == Pmf({-2: 6, -1: 5, 0: 10, 1: 5, 2: 6})
    assert spec.law(weights, 0) == Pmf({0: 21, 1: 5, 2: 6})
    assert spec.law(weights, 1) == Pmf({0: 11, 1: 10, 2: 11})
    assert spec.mean_absolute_noise(weights) == mpq(2 * (5 + 12), 32)
    assert [spec.worst_miss(weights, a) for a in range(3)] == [mpq(22, 32), mpq(6, 32), 0]


@pytest.mark.parametrize(
    ("weights", "broken"),
    [
        ((10, 5, 6), ""),
        ((12, 5, 5), "steps tails"),  # what is left over at the centre
        ((10, 4, 7), "steps"),  # floor for ceiling
        ((10, 6, 5), "tails"),  # the last one too small
        ((10, 5, 5), "sum"),
        ((4, 6, 8), "descends"),
    ],
)
def test_each_condition_by_itself(weights: tuple[int, ...], broken: str) -> None:
    found = {
        "descends": spec.descends(weights),
        "steps": spec.steps_hold(weights, mpq(2)),
        "tails": spec.tails_hold(weights, mpq(2)),
        "sum": spec.sums_to(weights, 5),
    }
    assert [name for name, holds in found.items() if not holds] == broken.split()
    assert spec.is_table(weights, mpq(2), 5) == (not broken)


def test_one_count_only() -> None:
    """n = 1: two outputs, and (ii) alone. R = 3/2: w_1 is at least twice w_0."""
    assert spec.table(1, mpq(3, 2), 4) == (2, 7)
    assert spec.law((2, 7), 0) == Pmf({0: 9, 1: 7})
    assert spec.table(1, mpq(9, 8), 4) is None


def test_no_table_where_2_does_not_fit() -> None:
    assert spec.table(3, mpq(3, 2), 4) is None
    with pytest.raises(ParameterError, match="there is no table of 4 bits for n = 3"):
        spec.dyadic_sample(3, "1/2", 4, 0)


@given(epsilons, st.integers(2, 40))
def test_the_ratio_is_below_and_near(epsilon: mpq, bits: int) -> None:
    ratio = spec.ratio_below(epsilon, bits)
    assert ratio > 1
    assert compare_exp(ratio, epsilon / 2) <= 0
    if epsilon / 2 < bits:
        assert compare_exp(ratio + mpq(1, ratio.denominator), epsilon / 2) > 0
        assert compare_exp(1 + (ratio - 1) * (1 + mpq(1, 2**bits)), epsilon / 2) > 0


@given(st.integers(1, 9), epsilons, st.integers(3, 14))
def test_tables_are_private_and_laws_sum_to_one(n: int, epsilon: mpq, bits: int) -> None:
    ratio = spec.ratio_below(epsilon, bits)
    weights = spec.table(n, ratio, bits)
    if weights is None:
        return
    assert spec.is_table(weights, ratio, bits)
    laws = [spec.law(weights, c) for c in range(n + 1)]
    assert all(law.total == 2**bits for law in laws)
    assert max(max_ratio(laws[a], laws[b]).value for a, b in count_pairs(n)) <= ratio


def test_the_prototype_s_numbers() -> None:
    """n = 200, epsilon = 1/10, 48 bits: worst ratio 1.05127109637599 of 1.05127109637602, noise as of the ideal law."""
    ratio = spec.ratio_below("1/10", 48)
    weights = spec.table(200, ratio, 48)
    assert weights is not None
    assert int(ratio * 10**14) == 105127109637602
    steps = [mpq(a, b) for a, b in pairwise(weights[:-1])]
    ends = [mpq(a, b) for a, b in pairwise(spec.tails(weights))]
    assert int(max(steps + ends) * 10**14) == 105127109637599
    found, ideal = spec.mean_absolute_noise(weights), spec.geometric_absolute_noise(ratio, 200)
    assert int(found * 10**4) == int(ideal * 10**4) == 199907
    assert 0 < found - ideal < mpq(2, 10**9)
    assert int(spec.geometric_absolute_noise(ratio) * 10**4) == 199916  # not clamped
    assert spec.distance(weights, ratio, 100) < spec.excess(weights[0], ratio, 48) < mpq(15, 10**12)


@pytest.mark.parametrize("epsilon", [0, "-1/2", "0/3"])
def test_epsilon_must_be_positive(epsilon: str) -> None:
    with pytest.raises(ParameterError, match=r"epsilon = .* is not positive"):
        spec.ratio_below(epsilon, 8)


@pytest.mark.parametrize(
    ("ratio", "n", "bits", "bound"),
    [
        (mpq(2), 1, 1, 6),  # 2 (0 + 2 + 3 + 1) / 2
        (mpq(2), 4, 3, 3),  # 2 (3 * 2 + 2 + 3 + 1) / 8
        (mpq(3, 2), 2, 1, 15),  # 2 (3 + 6 + 5 + 1) / 2
    ],
)
def test_the_bound_on_the_excess_by_hand(ratio: mpq, n: int, bits: int, bound: int) -> None:
    assert spec.excess_bound(ratio, n, bits) == bound
