from itertools import pairwise, product

from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.spec.anonymized import post_processing as spec


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=5))
def test_isotonic_is_optimal_among_halves_and_thirds(pairs: list[tuple[int, int]]) -> None:
    values, weights = [v for v, _ in pairs], [w for _, w in pairs]
    x = spec.isotonic(values, weights)
    assert all(a >= b for a, b in pairwise(x))

    def cost(y: list[mpq]) -> mpq:
        return sum((w * (v - z) ** 2 for v, z, w in zip(values, y, weights, strict=True)), mpq(0))

    for other in ([mpq(z)] * len(x) for z in values):
        assert cost(x) <= cost(other)
    # first-order condition: no move of the values towards another monotone vector lowers the cost
    for direction in (sorted(map(mpq, values), reverse=True), [mpq(0)] * len(x), [mpq(len(x) - i) for i in range(len(x))]):
        slope = sum((w * (z - v) * (d - z) for v, z, d, w in zip(values, x, direction, weights, strict=True)), mpq(0))
        assert slope >= 0


def test_rounding_is_half_up_and_never_negative() -> None:
    assert [spec.rounded(mpq(k, 2)) for k in range(-3, 6)] == [0, 0, 0, 0, 1, 1, 2, 2, 3]


def test_removal_takes_the_smaller_of_two_and_leaves_what_is_farther_than_zero() -> None:
    assert spec.removed((4, 2), 1, 3) == (4,)
    assert spec.removed((7,), 1, 3) == (7,)
    assert spec.removed((6,), 1, 3) == ()


def test_the_least_l1_cost_by_all_sequences() -> None:
    for targets in product([mpq(0), mpq(1, 2), mpq(7, 3)], repeat=3):
        brute = min(
            sum(abs(t - x) * k for t, x, k in zip(targets, xs, (1, 2, 1), strict=True))
            for xs in product(range(4), repeat=3)
            if xs[0] >= xs[1] >= xs[2]
        )
        assert spec.l1_isotonic_value(targets, 0, 3, (1, 2, 1)) == brute
