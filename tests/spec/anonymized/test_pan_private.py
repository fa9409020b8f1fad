from itertools import product

import pytest
from gmpy2 import mpq

from finitedp.spec.anonymized import pan_private as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf

EXAMPLE = (63, 42, 28, 19, 15, 19, 28, 42)


def test_the_example_is_a_table_for_three_halves_and_no_less() -> None:
    assert spec.is_cyclic_table(EXAMPLE, mpq(3, 2), 8)
    assert not spec.is_cyclic_table(EXAMPLE, mpq(3, 2) - mpq(1, 100), 8)
    assert spec.cyclic_ratio(EXAMPLE) == mpq(3, 2)


def test_the_law_after_a_stream_is_that_of_running_it() -> None:
    words = [d for d, weight in enumerate(EXAMPLE) for _ in range(weight)]
    for stream in product((0, 1), repeat=3):
        states = Pmf({s: sum((d + sum(stream)) % 8 == s for d in words) for s in range(8)})
        assert states == spec.state_law(EXAMPLE, sum(stream))


def test_one_intrusion_and_the_output_cost_the_larger_ratio_and_two_intrusions_everything() -> None:
    mild = (50, 40, 32, 26, 22, 26, 32, 40)
    pairs = [((0, 0), (1, 0)), ((0, 0), (0, 1)), ((3, 1), (2, 1)), ((3, 1), (3, 0))]
    for weights, fresh in ((EXAMPLE, EXAMPLE), (EXAMPLE, mild), (mild, EXAMPLE)):
        found = [
            max_ratio(spec.state_and_output_law(weights, fresh, *a), spec.state_and_output_law(weights, fresh, *b)).value
            for a, b in pairs
        ]
        assert max(found) == mpq(3, 2)
    assert max_ratio(spec.two_states_law(EXAMPLE, 0, 0), spec.two_states_law(EXAMPLE, 0, 1)).infinite


def test_what_does_not_work() -> None:
    noise = Pmf({-1: 1, 0: 2, 1: 1})
    assert max_ratio(spec.truncated_law(noise, 0), spec.truncated_law(noise, 1)).infinite
    assert max_ratio(spec.saturating_law(noise, 0, -1, 1), spec.saturating_law(noise, 1, -1, 1)).infinite


@pytest.mark.parametrize("m", [3, 4, 9])
def test_estimates_on_the_cycle_are_unbiased(m: int) -> None:
    decay = mpq(2, 3)
    law = spec.wrapped_geometric(decay, m)
    weights = [int(law.weight(d)) for d in range(m)]
    assert spec.circulant_inverse(weights) == dict(enumerate(spec.wrapped_cancel(decay, m)))
    for antipode in range(2, m):
        for r in range(1, antipode + 1):
            once, twice = (spec.wrapped_indicator(decay, m, r, antipode, noises) for noises in (1, 2))
            for count in range(antipode):
                assert spec.expected(spec.state_law(weights, count), once) == (count >= r)
                assert spec.expected(spec.output_law(weights, weights, count), twice) == (count >= r)
