"""finitedp.spec.compact: the definitions against each other and against values by hand."""

from itertools import product

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec import compact
from finitedp.spec.pmf import Pmf

NEAR = {0: Pmf({0: 2, 1: 1}), 1: Pmf({0: 1, 1: 2})}


def test_the_field_of_four_elements_by_hand() -> None:
    # t^2 = t + 1
    assert [[compact.field_product(a, b, 0) for b in range(4)] for a in range(4)] == [
        [0, 0, 0, 0],
        [0, 1, 2, 3],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
    ]
    assert compact.polynomial_value((1, 2, 3), 2, 0) == 1 ^ 3 ^ compact.field_product(3, 3, 0)


def irreducible_by_division(polynomial: int) -> bool:
    degree = polynomial.bit_length() - 1
    return all(compact._remainder(polynomial, divisor) for divisor in range(2, 1 << degree // 2 + 1))


def test_rabin_s_test_agrees_with_division() -> None:
    for polynomial in range(2, 1 << 9):
        assert compact.is_irreducible(polynomial) == irreducible_by_division(polynomial), bin(polynomial)
    assert all(irreducible_by_division(compact.modulus(level)) for level in (0, 1, 2))


def test_modulus_by_hand() -> None:
    assert [bin(compact.modulus(level)) for level in (0, 1)] == ["0b111", "0b1001001"]


@pytest.mark.parametrize("a", range(1, 64))
def test_every_element_but_zero_has_one_inverse(a: int) -> None:
    assert [compact.field_product(a, b, 1) for b in range(64)].count(1) == 1


def test_stretch_by_hand() -> None:
    # 10 = 3 * 3 + 1: runs of 4, 3, 3
    assert [compact.stretch(u_0, 3, 10) for u_0 in range(1, 11)] == [1, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [compact.stretch(u_0, 2, 6) for u_0 in range(1, 7)] == [1, 1, 1, 2, 2, 2]


def test_sampler_and_its_sizes() -> None:
    law = Pmf({0: 2, 2: 1})
    sampler = compact.empty_bin_sampler(law, 3, 10)
    assert sampler == (0,) * 7 + (2,) * 3
    assert [compact.bin_size(law, 3, 10, v) for v in range(3)] == [7, 0, 3]
    with pytest.raises(ParameterError, match=r"not that of a map of 1\.\.4"):
        compact.empty_bin_sampler(law, 4, 10)


def test_a_histogram_by_hand() -> None:
    # n = 1 over 4 elements: lines. One label, count 1: noisy 0 with probability 1/3, and 3 of 4 values are of noisy count 0
    sampler = compact.empty_bin_sampler(NEAR[0], 3, 4)
    assert sampler == (0, 0, 0, 1)
    law = compact.compact_histogram([0], 1, NEAR.__getitem__, sampler, 0)
    assert len(law) == 16
    assert law[(0, 2)] == mpq(1, 3) / 12  # value 0 at label 0: noisy count 0, which 12 of the 16 lines give
    assert law[(3, 1)] == mpq(2, 3) / 4
    assert sum((law[p] for p in product(range(4), repeat=2)), mpq(0)) == 1


def test_a_count_that_no_polynomial_has() -> None:
    sampler = compact.empty_bin_sampler(Pmf.point(0), 3, 4)
    with pytest.raises(ParameterError, match="no polynomial is consistent"):
        compact.compact_histogram([0], 1, NEAR.__getitem__, sampler, 0)


def test_an_empty_dataset_gives_a_uniform_polynomial() -> None:
    sampler = compact.empty_bin_sampler(NEAR[0], 3, 4)
    assert compact.compact_histogram([], 1, NEAR.__getitem__, sampler, 0) == Pmf.uniform(compact.family(0, 1))
