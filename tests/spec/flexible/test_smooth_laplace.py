from gmpy2 import mpq

from finitedp.spec.flexible import smooth_laplace as spec
from finitedp.spec.pmf import Pmf


def test_a_table_is_two_sided_geometric_noise() -> None:
    """Scale 1 halves at each step: 1/3 of 1/2^u, and all beyond the third step at it, 2/3 of 1/8."""
    weights = spec.table(4, mpq(1), 20)
    assert weights == (2**20 - 2 * (174762 + 87381 + 87381), 174762, 87381, 87381)
    assert weights[0] + 2 * sum(weights[1:]) == 2**20
    assert spec.table(2, mpq(1), 4) == (6, 5)


def test_levels_reach_as_far_as_the_bars() -> None:
    assert spec.jumps(5, mpq(3, 2)) == [1, 1, 2, 3, 4]
    assert spec.jumps(2, mpq(3, 2)) == [1]
    found = spec.tables(5, mpq(3, 2), mpq(1), 20)
    assert len(found) == 5
    assert [weights[0] for weights in found] == sorted((weights[0] for weights in found), reverse=True)
    assert found[1] == spec.table(5, mpq(3, 2), 20)


def test_noise_is_cut_off() -> None:
    assert spec.law(0, (4, 2, 1)) == Pmf({0: 7, 1: 2, 2: 1})
    assert spec.law(1, (4, 2, 1)) == Pmf({0: 3, 1: 4, 2: 3})


def test_the_worst_delta_of_one_level() -> None:
    """Laws 7, 2, 1 and 3, 4, 3 over 10: at E = 2, the first exceeds the second by 1/10 and is exceeded by it by 1/10."""
    assert spec.worst_delta([(4, 2, 1)], [1], mpq(2)) == mpq(1, 10)
    assert spec.worst_delta([(4, 2, 1)], [2], mpq(2)) == mpq(1, 2)
