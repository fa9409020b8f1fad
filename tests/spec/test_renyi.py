"""Renyi divergences of small laws, against their definition."""

from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import log_bounds
from finitedp.spec.pmf import Pmf
from finitedp.spec.renyi import Atom, alike, atoms, power_sum, renyi_divergence

TRUTH, LIE = Pmf({0: 3, 1: 1}), Pmf({0: 1, 1: 3})


def test_atoms_are_the_masses_by_ratio_the_largest_first() -> None:
    p, q = Pmf({0: 2, 1: 1, 2: 4, 3: 1}), Pmf({0: 1, 2: 2, 3: 2, 4: 3})
    eighth = mpq(1, 8)
    assert atoms(p, q) == (
        Atom(eighth, mpq(0)),
        Atom(6 * eighth, 3 * eighth),
        Atom(eighth, 2 * eighth),
        Atom(mpq(0), 3 * eighth),
    )
    assert [atom.ratio for atom in atoms(p, q)] == [None, 2, mpq(1, 2), 0]


def test_the_power_sum_is_exact_at_integer_orders() -> None:
    assert power_sum(atoms(TRUTH, LIE), 2) == mpq(9, 4) + mpq(1, 12)
    assert power_sum(atoms(TRUTH, Pmf.point(0)), 2) == "infinite"
    assert power_sum(atoms(Pmf.point(0), TRUTH), 5) == mpq(4, 3) ** 4
    with pytest.raises(ParameterError, match="order"):
        power_sum(atoms(TRUTH, LIE), 1)


@pytest.mark.parametrize(("order", "square"), [("2", mpq(7, 3) ** 2), (3, mpq(61, 9))])
def test_the_divergence_is_its_logarithm_divided_by_the_order_less_1(order: Any, square: mpq) -> None:
    ends: Any = renyi_divergence(TRUTH, LIE, order, 100)
    low, high = ends
    least, most = log_bounds(square, 100)
    assert low <= most / 2
    assert high >= least / 2
    assert high - low < mpq(1, 2**98)


def test_equal_laws_and_laws_with_an_output_of_their_own() -> None:
    assert renyi_divergence(TRUTH, Pmf({0: 6, 1: 2}), "11/10") == (mpq(0), mpq(0))
    assert renyi_divergence(TRUTH, Pmf.point(0), "11/10") == "infinite"
    assert alike(atoms(TRUTH, TRUTH))
    assert not alike(atoms(TRUTH, LIE))


@pytest.mark.parametrize("order", [1, "1/2", 0, "-2"])
def test_an_order_of_at_most_1_is_refused(order: Any) -> None:
    with pytest.raises(ParameterError, match="accepted: a rational above 1"):
        renyi_divergence(TRUTH, LIE, order)
