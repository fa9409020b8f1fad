"""One-sided noise: exact deltas against full enumeration of laws, and tables by hand and by search."""

from itertools import product

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible import shifted_truncated as spec

TABLE = (9, 23, 23, 9)


def test_laws_by_hand() -> None:
    assert {x: int(spec.bar(TABLE, 3).weight(x)) for x in range(4)} == {3: 9, 2: 23, 1: 23, 0: 9}
    joint = spec.histogram(TABLE, (1, 2))
    expected = {(1, 2): 81, (1, 1): 207, (1, 0): 288, (0, 2): 495, (0, 1): 1265, (0, 0): 1760}
    assert {y: int(joint.weight(y)) for y in joint} == expected


@pytest.mark.parametrize("weights", [TABLE, (14, 36, 14), (1, 2, 5), (5, 2, 1), (3, 1, 3)])
@pytest.mark.parametrize("e", ["1", "3/2", "3"])
def test_deltas_of_any_table(weights: tuple[int, ...], e: str) -> None:
    bars = [spec.bar(weights, x) for x in range(len(weights) + 2)]
    more = max(hockey_stick(bars[x + 1], bars[x], e).delta for x in range(len(bars) - 1))
    less = max(hockey_stick(bars[x], bars[x + 1], e).delta for x in range(len(bars) - 1))
    assert (more, less) == (spec.delta_add(weights, e), spec.delta_remove(weights, e))


def test_replacing_a_row() -> None:
    ratio, worst = spec.ratio_below(1, 6), mpq(0)
    laws = {x: spec.histogram(TABLE, x) for x in product(range(6), repeat=2)}
    for (a, b), law in laws.items():
        if (a + 1, b - 1) in laws:
            other = laws[a + 1, b - 1]
            worst = max(worst, hockey_stick(law, other, ratio**2).delta, hockey_stick(other, law, ratio**2).delta)
    assert worst == spec.replace_delta_at_ends(TABLE) == spec.delta_replace(TABLE, ratio**2) == mpq(1071, 4096)


@pytest.mark.parametrize("q", [2, 3, 4])
@pytest.mark.parametrize("ratio", ["3/2", "2", "11/4"])
def test_no_table_has_smaller_ends(q: int, ratio: str) -> None:
    r = mpq(ratio)
    every = [w for w in product(range(1, 32), repeat=q) if sum(w) == 32 and spec.steps_hold(w, r)]
    found = spec.table(q, r, 5)
    assert found is not None
    assert max(found[0], found[-1]) == min(max(w[0], w[-1]) for w in every)


def test_the_ideal_is_below_and_near() -> None:
    ratio = spec.ratio_below(1, 64)
    for q in (2, 3, 8, 9):
        table = spec.table(q, ratio, 64)
        assert table is not None
        excess = spec.delta_add(table, ratio) - spec.ideal_delta(q, ratio)
        assert 0 <= excess <= (1 + 1 / (ratio - 1)) / 2**64


def test_edges() -> None:
    assert spec.table(1, mpq(2), 6) == (64,)
    assert spec.table(7, spec.ratio_below("1/10", 6), 6) is None
    with pytest.raises(ParameterError):
        spec.ratio_below(0, 6)
    with pytest.raises(ParameterError):
        spec.bar(TABLE, -1)
