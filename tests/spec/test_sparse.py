"""finitedp.spec.sparse: small cases by hand."""

from collections.abc import Callable
from itertools import product
from math import comb, factorial

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.divergence import total_variation
from finitedp.spec.pmf import Pmf
from finitedp.spec.sparse import (
    keep_heavy,
    least_random,
    pure_sparse_histogram,
    random_histogram,
    sparse_distance,
    sparse_histogram,
)

# decay 1/2 and n = 1: a count is right with probability 2/3; F_M = (2, 3)
HALF = mpq(1, 2)


def noisy(n: int) -> Callable[[int], Pmf[int]]:
    return lambda count: geometric_mechanism(n, HALF, count)


def test_keep_heavy_by_hand() -> None:
    law = keep_heavy(("b",), "abc", noisy(1), 1)
    # one label is kept if its noisy count is 1 and the other two are 0
    assert law == Pmf({(("b", 1),): 2 * 2 * 2, (("a", 1),): 1 * 1 * 2, (("c", 1),): 1 * 1 * 2, (): 27 - 12})


def test_keep_heavy_lists_labels_in_the_order_of_the_universe() -> None:
    law = keep_heavy(("a", "c"), "cba", noisy(2), 2)
    assert all([x for x, _ in bins] == [x for x in "cba" if x in dict(bins)] for bins in law)
    assert any(len(bins) == 2 for bins in law)


def test_keep_heavy_is_keeping_by_enumeration() -> None:
    weights: dict[tuple[tuple[int, int], ...], mpq] = {}
    for counts in product(range(3), repeat=4):
        mass = geometric_mechanism(2, HALF, 2)[counts[1]]
        for i in (0, 2, 3):
            mass *= geometric_mechanism(2, HALF, 0)[counts[i]]
        kept = tuple((i, c) for i, c in enumerate(counts) if sum(other >= c for other in counts) <= 2)
        weights[kept] = weights.get(kept, mpq(0)) + mass
    assert keep_heavy((1, 1), range(4), noisy(2), 2) == Pmf.from_probabilities(weights)


def test_keep_heavy_needs_more_labels_than_it_keeps() -> None:
    with pytest.raises(
        ParameterError, match=r"\|X\| = 2 is below n \+ 1 = 3; accepted: a larger universe, or basic_histogram"
    ):
        keep_heavy("a", "ab", noisy(2), 2)
    assert keep_heavy("a", "ab", noisy(1), 1)


def test_sparse_histogram_by_hand() -> None:
    """Label 0 occurs; of the two others, both are drawn, in either order, with the two largest of two noisy counts."""
    law = sparse_histogram((0,), range(3), noisy(1), 1, 9)
    # p' = 3 of 9, m = 2: (6, 3)^2/9 = (4, 4), and 1 is left: counts (0, 0), (1, 0), (1, 1) with weights 4, 4, 1
    assert law == Pmf({((0, 1),): 2 * 2 * 4, ((1, 1),): 1 * 4, ((2, 1),): 1 * 4, (): 54 - 24})
    # here that is the exact law: the probabilities are ninths
    assert law == keep_heavy((0,), range(3), noisy(1), 1)


def test_sparse_histogram_by_hand_where_s_does_not_fit() -> None:
    law = sparse_histogram((0,), range(3), noisy(1), 1, 4)
    # p' = floor(4/3) = 1, m = 2: (3, 1)^2/4 = (2, 1), and 1 is left
    assert law == Pmf({((0, 1),): 2 * 2 * 2, ((1, 1),): 1 * 1, ((2, 1),): 1 * 1, (): 24 - 10})


@pytest.mark.parametrize("rows", [(), (3, 3), (0, 4)])
@pytest.mark.parametrize("s", [40, 1000])
def test_sparse_histogram_is_near_keep_heavy(rows: tuple[int, ...], s: int) -> None:
    law = sparse_histogram(rows, range(5), noisy(2), 2, s)
    exact = keep_heavy(rows, range(5), noisy(2), 2)
    assert law.support <= exact.support
    assert total_variation(law, exact).distance <= mpq(8 * 5, s)


def test_sparse_histogram_needs_n_plus_1_empty_bins() -> None:
    with pytest.raises(ParameterError, match=r"\|X\| = 2 is below 2n \+ 1 = 3; accepted: a larger universe"):
        sparse_histogram((0,), range(2), noisy(1), 1, 9)
    with pytest.raises(ParameterError, match=r"\|X\| = 4 is below 2n \+ 1 = 5"):
        sparse_histogram((0, 1), range(4), noisy(2), 2, 99)


def test_sparse_histogram_needs_s_of_at_least_the_empty_bins() -> None:
    with pytest.raises(ParameterError, match="m = 5 is out of range; accepted: an integer from 1 to 4"):
        sparse_histogram((), range(5), noisy(1), 1, 4)


@pytest.mark.parametrize(("size", "n"), [(3, 1), (5, 2), (7, 3), (4, 4)])
def test_random_histogram_gives_every_histogram_at_least_its_least_probability(size: int, n: int) -> None:
    law = random_histogram(range(size), n)
    assert len(law) == sum(comb(size, k) * n**k for k in range(n + 1))
    assert min(law[bins] for bins in law) == least_random(size, n) == mpq(factorial(n), ((n + 1) * size) ** n)
    assert sum((law[bins] for bins in law), mpq(0)) == 1
    assert all(list(bins) == sorted(bins) and all(1 <= c <= n for _, c in bins) for bins in law)


def test_random_histogram_by_hand() -> None:
    assert random_histogram("ab", 1) == Pmf({(): 2, (("a", 1),): 1, (("b", 1),): 1})
    # two labels: the same with probability 1/2, and counts 0..2
    two = random_histogram("ba", 2)
    assert two[()] == mpq(1, 2) * mpq(1, 3) + mpq(1, 2) * mpq(1, 9)
    assert two[("b", 2),] == mpq(1, 4) * mpq(1, 3) + mpq(1, 2) * mpq(1, 9)
    assert two[("b", 1), ("a", 2)] == mpq(1, 2) * mpq(1, 9)
    assert two[("a", 2), ("b", 1)] == 0


def test_the_distance_by_hand() -> None:
    assert sparse_distance(10, 2, "1/2", "1/4") == mpq(1, 3 * 2 * 4 * 900)
    assert sparse_distance(2**64, 1, 1, 1) == mpq(1, 9 * 2**64)
    with pytest.raises(ParameterError, match="epsilon = 2/3 is not admissible"):
        sparse_distance(10, 2, "2/3", "1/4")


def test_pure_sparse_histogram_is_the_mixture() -> None:
    base, random = sparse_histogram((0,), range(3), noisy(1), 1, 4), random_histogram(range(3), 1)
    law = pure_sparse_histogram(base, range(3), 1, "1/5")
    assert law.support == base.support | random.support
    assert all(law[bins] == mpq(4, 5) * base[bins] + mpq(1, 5) * random[bins] for bins in law)
    assert sum((law[bins] for bins in law), mpq(0)) == 1
    # by hand: 4/5 * 14/24 + 1/5 * 1/2, and 4/5 * 8/24 + 1/5 * 1/6
    assert (law[()], law[((0, 1),)]) == (mpq(17, 30), mpq(3, 10))
    with pytest.raises(ParameterError, match="gamma = 2/5 is not admissible"):
        pure_sparse_histogram(base, range(3), 1, "2/5")
