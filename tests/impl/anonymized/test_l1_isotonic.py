from itertools import pairwise, product

from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.impl.anonymized.l1_isotonic import Run, l1_isotonic
from finitedp.spec.anonymized.post_processing import l1_isotonic_value

RUNS = st.lists(st.tuples(st.integers(-10, 40), st.integers(1, 3)), min_size=1, max_size=6)


def _cost(runs: list[Run], scale: int, xs: tuple[int, ...]) -> mpq:
    return sum((run.length * abs(mpq(run.num, scale) - x) for run, x in zip(runs, xs, strict=True)), mpq(0))


@given(RUNS, st.sampled_from([1, 2, 3, 7]), st.integers(0, 6))
def test_the_cost_is_the_least_of_all(pairs: list[tuple[int, int]], scale: int, high: int) -> None:
    runs = [Run(num, length) for num, length in pairs]
    xs = tuple(l1_isotonic(runs, scale, 0, high))
    assert all(a >= b for a, b in pairwise(xs))
    assert 0 <= min(xs) <= max(xs) <= high
    targets, lengths = [mpq(num, scale) for num, _ in pairs], [length for _, length in pairs]
    assert _cost(runs, scale, xs) == l1_isotonic_value(targets, 0, high, lengths)


@given(
    st.lists(st.tuples(st.integers(-5, 30), st.integers(1, 3), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=4)
)
def test_within_a_box(given_runs: list[tuple[int, int, int, int]]) -> None:
    lows = sorted((min(a, b) for _, _, a, b in given_runs), reverse=True)
    highs = sorted((max(a, b) for _, _, a, b in given_runs), reverse=True)
    runs = [Run(num, k, a, b) for (num, k, _, _), a, b in zip(given_runs, lows, highs, strict=True)]
    xs = tuple(l1_isotonic(runs, 3, 0, 5))
    every = product(*(range(a, b + 1) for a, b in zip(lows, highs, strict=True)))
    feasible = [ys for ys in every if all(a >= b for a, b in pairwise(ys))]
    assert xs in feasible
    assert _cost(runs, 3, xs) == min(_cost(runs, 3, ys) for ys in feasible)


def test_rounding_the_real_optimum_is_another_thing() -> None:
    runs = [Run(0, 1), Run(1, 1), Run(1, 1)]  # 0, 1/2, 1/2: rounded up they would cost 1 more
    assert l1_isotonic(runs, 2, 0, 3) in ([0, 0, 0], [1, 1, 1])
    assert _cost(runs, 2, tuple(l1_isotonic(runs, 2, 0, 3))) == 1
