import pytest
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.impl.anonymized.estimator import SCALE, algorithm_5, bias, bias_bound, estimates, kappa, noisy_bins
from finitedp.impl.anonymized.prevalences import total_of
from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.spec.anonymized import estimator as spec
from finitedp.spec.anonymized.post_processing import l1_isotonic_value
from finitedp.spec.dyadic import dyadic_sample

NOISY = [0, 0, 1, 1, 1, 2, 4, 4, 9]


@pytest.mark.parametrize("ratio", [mpq(3, 2), mpq(2), mpq(7, 3)])
@pytest.mark.parametrize("noisy", [NOISY, [0], [9], [9, 9, 0], [5] * 4, [8, 9], [0, 1]])
def test_runs_are_the_estimates_of_each_r(ratio: mpq, noisy: list[int]) -> None:
    runs = estimates(noisy_bins(noisy, 9), 9, ratio)
    found = {r: mpq(num, SCALE) for first, length, num in runs for r in range(first, first + length)}
    assert list(found) == list(range(1, 10))
    for r in range(1, 10):
        value = spec.corrected(1 / ratio, 9, r)
        assert abs(found[r] - sum((value(y) for y in noisy), mpq(0))) <= mpq(2 * len(noisy), SCALE)


def test_one_bin_of_one_place() -> None:
    runs = estimates(noisy_bins([0, 1, 1], 1), 1, 2)
    assert [(first, length, mpq(num, SCALE)) for first, length, num in runs] == [(1, 1, mpq(3))]


@pytest.mark.parametrize("noisy", [NOISY, [9] * 5, [0] * 5, [3, 3, 7]])
def test_the_histogram_is_next_to_the_estimates(noisy: list[int]) -> None:
    pairs = algorithm_5(noisy, 9, mpq(3, 2))
    targets = [mpq(num, SCALE) for _, length, num in estimates(noisy_bins(noisy, 9), 9, mpq(3, 2)) for _ in range(length)]
    reached = [sum(many for count, many in pairs if count >= r) for r in range(1, 10)]
    error = sum((abs(a - b) for a, b in zip(targets, reached, strict=True)), mpq(0))
    assert error == l1_isotonic_value(targets, 0, len(noisy))
    assert sum(many for _, many in pairs) <= len(noisy)


def test_large_noise_ratios_give_the_counts_back() -> None:
    assert algorithm_5(NOISY, 9, 10**9) == ((1, 3), (2, 1), (4, 2), (9, 1))
    assert total_of(algorithm_5([7] * 10**5, 10**9, 10**9)) == 7 * 10**5


@pytest.mark.parametrize(("n", "epsilon", "bits"), [(1, "1", 10), (2, "1/2", 12), (3, "2", 8), (6, "1/2", 12), (6, "2", 8)])
def test_the_bias_of_a_table_is_exact_and_bounded(n: int, epsilon: str, bits: int) -> None:
    table = dyadic_table(n, epsilon, bits)
    for count in range(n + 1):
        law = dyadic_sample(n, epsilon, bits, count)
        for r in range(1, n + 1):
            value = spec.corrected(1 / table.ratio, n, r)
            assert bias(table, count, r) == spec.expectation(law, value) - (count >= r)
        assert sum(abs(bias(table, count, r)) for r in range(1, n + 1)) <= bias_bound(table)


def test_the_bias_in_the_stretch_of_a_table_is_bounded() -> None:
    table = dyadic_table(60, "1/2", 14)
    assert len(table.head) < 40
    for count in (0, 1, 29, 30, 59, 60):
        assert sum(abs(bias(table, count, r)) for r in range(1, 61)) <= bias_bound(table)


def test_words_of_128_bits_leave_no_bias_at_large_n() -> None:
    assert mpq(5, 1000) < bias_bound(dyadic_table(7 * 10**7, "1/10", 64)) < mpq(6, 1000)
    assert bias_bound(dyadic_table(7 * 10**7, "1/10", 128)) < mpq(1, 10**21)


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="10 is out of range"):
        algorithm_5([10], 9, 2)
    with pytest.raises(ParameterError, match="ratio = 1"):
        kappa(1)
