"""Distortions: closed forms against their definitions on all small histograms."""

from itertools import product

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.flexible.distortion import (
    Histogram,
    allowed_drops,
    counts_of,
    drmv,
    drmv_literal,
    drop,
    lift,
    move,
    random_distortion,
    sub_histograms,
)
from finitedp.spec.flexible.lossy_wasserstein import absolute
from finitedp.spec.pmf import Pmf

GROUND = (0, 1, 3)
SMALL = list(product(range(3), repeat=3))


def test_drop() -> None:
    assert drop((2, 1), (1, 1)) == mpq(1, 3)
    assert drop((2, 1), (2, 2)) is None
    assert drop((0, 0), (0, 0)) == 0
    assert drop((1, 0), (0, 0)) == 1


def test_move_is_the_farthest_of_sorted_rows() -> None:
    for x, y in product(SMALL, repeat=2):
        rows = [[g for g, c in zip(GROUND, h, strict=True) for _ in range(c)] for h in (x, y)]
        expected = max((abs(a - b) for a, b in zip(*rows, strict=True)), default=0) if sum(x) == sum(y) else None
        assert move(x, y, GROUND, absolute) == expected


@pytest.mark.parametrize("eta", ["0", "1/10", "2"])
def test_drmv_is_its_closed_form(eta: str) -> None:
    for x, y in product(SMALL, repeat=2):
        assert drmv(x, y, eta, GROUND, absolute) == drmv_literal(x, y, eta, GROUND, absolute)


def test_direction_matters() -> None:
    p, q = Pmf[Histogram]({(1, 1): 1}), Pmf[Histogram]({(1, 0): 1, (0, 1): 1})
    assert lift(p, q, drop).value == random_distortion((1, 1), q, drop) == mpq(1, 2)
    assert lift(q, p, drop).value is None
    assert random_distortion((1, 0), q, drop) is None


def test_parts() -> None:
    assert sorted(sub_histograms((1, 2))) == sorted(product(range(2), range(3)))
    assert sorted(sub_histograms((1, 2), 1)) == [(0, 2), (1, 1), (1, 2)]
    assert [allowed_drops("1/3", n) for n in (0, 2, 3, 7)] == [0, 0, 1, 2]
    assert allowed_drops(5, 2) == 2


def test_histograms() -> None:
    assert counts_of("abca", "abcd") == (2, 1, 1, 0)
    with pytest.raises(ParameterError, match="'z'"):
        counts_of("az", "ab")


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="eta"):
        drmv((1,), (1,), -1, (0,), absolute)
    with pytest.raises(ParameterError, match="alpha"):
        allowed_drops(-1, 3)
