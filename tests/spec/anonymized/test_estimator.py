from functools import partial

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.anonymized import estimator as spec
from finitedp.spec.anonymized.histograms import histograms
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.pmf import Pmf


@pytest.mark.parametrize("decay", [mpq(1, 2), mpq(2, 3)])
def test_corrected_corners_are_the_exact_inverse(decay: mpq) -> None:
    for n in (1, 2, 4):
        for r in range(1, n + 1):
            value, law = spec.corrected(decay, n, r), partial(geometric_mechanism, n, decay)
            assert dict(spec.exact_inverse(law, n, r)) == {y: value(y) for y in range(n + 1)}


def test_no_estimate_where_laws_are_the_same() -> None:
    with pytest.raises(ParameterError, match="dependent"):
        spec.exact_inverse(lambda _: Pmf({0: 1, 1: 1}), 1, 1)


def test_expected_buckets_by_all_maps_and_by_the_recursion() -> None:
    for h in histograms(4):
        for buckets in (1, 2, 3):
            for level in range(1, 6):
                assert spec.hashed_cumulative(h, buckets, level) == spec.reached_by_algorithm_6(h, buckets, level)


def test_the_function_that_takes_a_noise_out_by_hand() -> None:
    """Its values sum to 1: at p = 1/3, 5/2 - 3/4 - 3/4."""
    assert dict(spec.cancel("1/3")) == {-1: mpq(-3, 4), 0: mpq(5, 2), 1: mpq(-3, 4)}
    assert spec.kappa("1/3") == mpq(3, 4)
