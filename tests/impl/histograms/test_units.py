"""What a unit of several rows costs: the quick ways against all splits of its rows."""

from itertools import product

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_groups import group_ratio
from finitedp.impl.histograms import units
from finitedp.impl.histograms.units import least_unit_threshold, unit_claim, unit_delta
from finitedp.spec.released.units import changes
from finitedp.units import Unit

BOUNDS = [
    Unit("p", labels, each, rows) for labels, each, rows in product((1, 2, 4, 7), (1, 3, 4), (2, 6, 7)) if labels * each < 13
]


@pytest.mark.parametrize(("n", "epsilon", "word"), [(60, "1/3", 64), (40, 2, 32), (30, "1/2", 12)])
def test_the_delta_is_that_of_the_worst_split(n: int, epsilon: str, word: int) -> None:
    mechanism = DyadicSample(n, epsilon, word)
    for unit, b in product(BOUNDS, (0, 3, 14, 20)):
        hidden = [mechanism.d, *(mechanism.cdf(d, b) for d in range(1, unit.rows_per_label + 1))]
        worst = mpq(1)
        for rows in {tuple(sorted(one)) for one in changes(unit, unit.labels)}:
            left = mpq(1)
            for d in rows:
                left *= mpq(hidden[d], mechanism.d)
            worst = min(worst, left)
        assert unit_delta(mechanism, b, unit) == 1 - worst


def test_a_unit_of_many_rows_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = DyadicSample(10**7, mpq(2, 3000), 128)
    unit = Unit("p", 3000, None, 3000)
    asked, hidden = list[int](), units._hidden

    def counted(mechanism: DyadicSample, b: int, unit: Unit) -> int:
        asked.append(b)
        return hidden(mechanism, b, unit)

    monkeypatch.setattr(units, "_hidden", counted)
    b = least_unit_threshold(mechanism, mpq(1, 10**9), unit)
    assert 0 < b < 10**7
    assert asked == [b]  # the least for uneven splits is the least of all here: nothing is searched again
    assert unit_claim(mechanism, unit, "add-remove").ratio is None


def test_what_has_too_many_splits_is_refused() -> None:
    with pytest.raises(ParameterError, match="rows of a unit are too many for all splits of them"):
        unit_delta(DyadicSample(5000, "1/1000", 64), 3, Unit("p", 40, None, 4000))


def test_rho_does_not_fall() -> None:
    table = DyadicSample(5, 3, 6).table
    found = [group_ratio(table, d) for d in range(8)]
    assert found == sorted(found)
    assert [str(found[d]) for d in (0, 5, 7)] == ["1", "34", "34"]
