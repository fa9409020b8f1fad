import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.flexible import literal
from finitedp.spec.flexible.literal import DOWN, NEAREST, UP, Scale
from finitedp.spec.pmf import Pmf

TWO = Scale(mpq(2), 2)  # e^epsilon = 4


def test_a_scale_has_rational_powers_at_its_parts_alone() -> None:
    assert [TWO.ratio, TWO.power(mpq(3, 2)), TWO.power(-1)] == [4, 8, mpq(1, 4)]
    with pytest.raises(ParameterError, match=r"x = 1/4 is no multiple of 1/2"):
        TWO.power(mpq(1, 4))


def test_the_truncated_density_by_hand() -> None:
    """On [-2, 0] with its centre at -1: Pr[Z <= -3/2] = (2^-1 - 2^-2)/(2 (1 - 2^-2))."""
    assert [literal.truncated_cdf(mpq(z, 2), mpq(2), TWO) for z in range(-5, 2)] == [
        0,
        0,
        mpq(1, 6),
        mpq(1, 2),
        mpq(5, 6),
        1,
        1,
    ]


def test_algorithm_1_rounds_as_it_is_told() -> None:
    def law(rounding: mpq) -> Pmf[tuple[int, ...]]:
        return literal.shifted_truncated((2, 0), lambda _: mpq(2), TWO, rounding)

    assert law(NEAREST) == Pmf({(0, 0): 1, (1, 0): 4, (2, 0): 1})
    assert law(UP) == Pmf({(1, 0): 1, (2, 0): 1})
    assert law(DOWN) == Pmf({(0, 0): 1, (1, 0): 1})


def test_without_noise_the_counts_are_what_they_are() -> None:
    assert literal.shifted_truncated((3, 1), lambda _: mpq(0), TWO) == Pmf.point((3, 1))


def test_equation_9_by_hand() -> None:
    delta, p = literal.emptiness_probabilities(2, TWO)
    assert (delta, p) == (mpq(1, 2), [0, mpq(1, 2), 1])


def test_lossy_distances_by_listing() -> None:
    line = [[mpq(abs(a - b)) for b in (0, 1, 3)] for a in (0, 1, 3)]
    assert [literal.literal_lossy((2, 0, 0), (0, 1, 1), mpq(g, 2), line) for g in (0, 1)] == [3, 1]
    assert literal.literal_lossy((2, 0, 0), (0, 1, 1), mpq(0), line, average=True) == 2


def test_all_couplings_are_listed_once() -> None:
    found = list(literal.all_couplings(2, 3))
    assert len(found) == len(set(found)) == 20


def test_buckets_as_printed() -> None:
    assert literal.bucket_by_centres({mpq(0): 1, mpq(2): 2}, mpq(2), mpq(3)) == {mpq(1): 1, mpq(3): 2}
    assert (literal.buckets_of(mpq(2), mpq(3)), literal.buckets_of(mpq(2), mpq(3), 2)) == (2, 4)


def test_distances_of_supports() -> None:
    assert (literal.hausdorff((0, 2), (0, 1, 2)), literal.printed_support_distance((0, 2), (0, 1, 2))) == (1, 0)


def test_ratios_of_densities_by_hand() -> None:
    """(1 - 2^-4)/(1 - 2^-2) = 5/4, and 4^(1 - 1/2) = 2 between the distances 1 and 1/2 to the centres."""
    assert literal.truncated_density_ratio(mpq(-1, 2), mpq(2), mpq(-3), mpq(4), TWO) == mpq(5, 2)
    assert literal.truncated_density_ratio(mpq(-3), mpq(4), mpq(-1, 2), mpq(2), TWO) == mpq(2, 5)
