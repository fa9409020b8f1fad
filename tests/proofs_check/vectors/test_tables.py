"""finitedp.proofs_check.vectors.tables: against lists of all weights, and the laws of finitedp.spec.dyadic."""

from itertools import accumulate

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.proofs_check.vectors.tables import Table, broken, built, of_weights
from finitedp.spec import dyadic

WEIGHTS = [([2, 7], 4), ([10, 5, 6], 5), ([4, 3, 3], 4), ([2, 2, 2, 2, 2, 2, 2, 3], 5), ([8, 6, 6, 5, 4, 4], 6)]


@pytest.mark.parametrize(("weights", "bits"), WEIGHTS)
def test_a_word_draws_the_least_output_whose_distribution_function_is_above_it(weights: list[int], bits: int) -> None:
    table, n = of_weights(weights, bits), len(weights) - 1
    weights[-1] += (2**bits - weights[0] - 2 * sum(weights[1:])) // 2
    table = of_weights(weights, bits)
    assert table.weights == weights
    assert [table.upper(j) for j in range(n + 1)] == dyadic.tails(weights)
    for count in range(n + 1):
        law = dyadic.law(weights, count)
        below = list(accumulate(law.weight(z) for z in range(n + 1)))
        assert [table.cdf(count, z) for z in range(n + 1)] == below
        drawn = [table.draw(count, word) for word in range(1 << bits)]
        assert drawn == [next(z for z in range(n + 1) if below[z] > word) for word in range(1 << bits)]
        assert [drawn.count(z) for z in range(n + 1)] == [law.weight(z) for z in range(n + 1)]


def test_the_head_is_the_shortest() -> None:
    assert of_weights([4, 3, 3, 3, 9], 5) == Table(5, 4, (4,), 3, 9)
    assert of_weights([3, 3, 3], 4) == Table(4, 2, (), 3, 3)
    assert of_weights([5, 4, 3, 3], 5).head == (5, 4)
    assert of_weights([2, 7], 4) == Table(4, 1, (), 2, 7)


@given(st.integers(1, 40), st.fractions("1/20", 9, max_denominator=50).map(mpq), st.integers(2, 40))
def test_what_is_built_is_the_definition_s_table(n: int, epsilon: mpq, bits: int) -> None:
    ratio, table = built(n, epsilon, bits)
    assert ratio == dyadic.ratio_below(epsilon, bits)
    expected = dyadic.table(n, ratio, bits)
    assert (None if table is None else tuple(table.weights)) == expected
    if table is not None:
        assert table == of_weights(table.weights, bits)
        assert broken(table, epsilon, ratio) == []


@pytest.mark.parametrize(
    ("weights", "failed"),
    [
        ([10, 5, 6], []),
        ([12, 5, 5], ["i", "ii"]),
        ([10, 4, 7], ["i"]),
        ([10, 6, 5], ["ii"]),
        ([10, 5, 5], ["sum"]),
        ([4, 6, 8], ["descent"]),
        ([10, 11, 0], ["shape"]),
    ],
)
def test_each_condition_by_itself(weights: list[int], failed: list[str]) -> None:
    assert broken(of_weights(weights, 5), mpq(2), mpq(2)) == failed


def test_the_ratio_s_condition() -> None:
    table = of_weights([10, 5, 6], 5)
    assert broken(table, mpq(138, 100), mpq(2)) == ["R"]
    assert broken(table, mpq(139, 100), mpq(2)) == []
    assert "R" in broken(table, mpq(0), mpq(2))


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=7), st.integers(1, 30), st.fractions(1, 4, max_denominator=6).map(mpq)
)
def test_the_conditions_are_those_of_all_weights(body: list[int], last: int, ratio: mpq) -> None:
    weights = [*body, last]
    bits = (weights[0] + 2 * sum(weights[1:])).bit_length() - 1
    expected = {
        "descent": dyadic.descends(weights),
        "i": dyadic.steps_hold(weights, ratio),
        "ii": dyadic.tails_hold(weights, ratio),
        "sum": dyadic.sums_to(weights, bits),
        "R": 1 < ratio <= 3,  # e^(11/10)
    }
    found = broken(of_weights(weights, bits), mpq(11, 5), ratio)
    assert found == [name for name, holds in expected.items() if not holds]
    body = [*sorted(body, reverse=True), *[min(body)] * 3]  # with a stretch
    found = broken(of_weights([*body, last], 9), mpq(11, 5), ratio)
    assert ("ii" not in found) == dyadic.tails_hold([*body, last], ratio)
