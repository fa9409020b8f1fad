"""Tables of one-sided noise: those of the definition, least for their delta, and refused where they are not private."""

from contextlib import suppress
from itertools import product
from math import prod
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ClaimError, ParameterError
from finitedp.impl.flexible.losses import beyond_exceeds, dropped_at, dropped_beyond, sum_exceeds
from finitedp.impl.flexible.statistics import statistic_of
from finitedp.impl.flexible.tables import ShiftedTable, least_q, shifted_table
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.pmf import convolution


@pytest.mark.parametrize(
    ("q", "bits", "epsilon", "weights"),
    [
        (4, 6, 1, (9, 23, 23, 9)),
        (3, 6, 1, (14, 36, 14)),
        (5, 8, "1/2", (33, 54, 82, 54, 33)),
        (6, 8, 1, (12, 32, 84, 84, 32, 12)),
        (7, 6, "1/2", (5, 8, 13, 13, 12, 8, 5)),  # what is too much is taken from the right
    ],
)
def test_tables_by_hand(q: int, bits: int, epsilon: str, weights: tuple[int, ...]) -> None:
    assert shifted_table(q, epsilon, bits).weights == weights


@pytest.mark.parametrize("bits", [6, 8, 20])
@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "1", "3", "100"])
def test_tables_are_those_of_the_definition(epsilon: str, bits: int) -> None:
    for q in range(1, 12):
        expected = spec.table(q, spec.ratio_below(epsilon, bits), bits)
        if expected is None:
            with pytest.raises(ParameterError, match="no table"):
                shifted_table(q, epsilon, bits)
            continue
        found = shifted_table(q, epsilon, bits)
        assert found.weights == expected
        if q > 1:
            assert (
                found.delta
                == spec.delta_add(found.weights, found.ratio)
                == mpq(max(found.weights[0], found.weights[-1]), 2**bits)
            )


@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "1", "2"])
@pytest.mark.parametrize("delta", ["1/2", "1/7", f"1/{2**20}", f"1/{2**40}"])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_least_q_is_least(epsilon: str, delta: str, neighbours: str) -> None:
    q = least_q(epsilon, delta, 64, neighbours)
    assert shifted_table(q, epsilon, 64, neighbours).delta <= mpq(delta)
    assert shifted_table(q - 1, epsilon, 64, neighbours).delta > mpq(delta)


@pytest.mark.parametrize("epsilon", ["1/100", "1/10", "1/2", "1", "2", "20"])
@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_least_q_has_a_table_and_none_below_has_one_that_will_do(epsilon: str, bits: int, neighbours: str) -> None:
    deltas = dict[int, mpq]()
    for q in range(2, 2**bits + 1):
        with suppress(ParameterError):
            deltas[q] = shifted_table(q, epsilon, bits, neighbours).delta
    for delta in {x - less for x in deltas.values() for less in (0, mpq(1, 8**bits))} | {mpq(1791, 4096), mpq(17, 32)}:
        wanted = next((q for q, x in deltas.items() if x <= delta), None)
        if wanted is None:
            with pytest.raises(ParameterError, match="is below"):
                least_q(epsilon, delta, bits, neighbours)
        else:
            assert least_q(epsilon, delta, bits, neighbours) == wanted


def test_least_q_where_only_flat_tables_are_left() -> None:
    tiny, delta = mpq(1, 2**62), mpq(1, 1000)
    assert least_q(tiny, delta) == 1024
    assert shifted_table(1024, tiny).weights == (2**54,) * 1024
    with pytest.raises(ParameterError, match="q is above 1048576"):
        least_q(tiny, mpq(1, 2**20 + 1))


def test_least_q_at_delta_a_millionth() -> None:
    delta = mpq(1, 2**20)
    assert [least_q(e, delta) for e in ("1/10", "1/4", "1/2", 1, 2)] == [219, 96, 51, 28, 15]
    assert [least_q(e, delta, 64, "replace-one") for e in ("1/2", 1)] == [101, 54]


def test_replacing_a_row_has_the_delta_of_two_bars() -> None:
    table = shifted_table(4, 2, 6, "replace-one")
    assert table.weights == (9, 23, 23, 9)
    assert table.delta == mpq(1071, 4096) == spec.delta_replace(table.weights, table.ratio**2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": (9, 23, 24, 8)}, "(i) fails between w_2 and w_3"),
        ({"weights": (10, 23, 23, 9)}, "sum to 65"),
        ({"weights": ()}, "no weights"),
        ({"ratio": mpq(11, 4)}, "R is too large"),
        ({"ratio": mpq(1)}, "not above 1"),
        ({"neighbours": "replace-one"}, "R is too large"),
    ],
)
def test_what_is_not_private_is_refused(change: dict[str, Any], message: str) -> None:
    table = shifted_table(4, 1, 6)
    with pytest.raises(ClaimError) as caught:
        evolve(table, **change)
    assert message in str(caught.value)


def test_refusals() -> None:
    for bad, message in (
        (lambda: least_q(1, f"1/{2**70}"), r"below 2\^-64.*accepted: word = 128"),
        (lambda: least_q(1, 0), "delta = 0"),
        (lambda: shifted_table(100, 1, 6), "do not sum"),
        (lambda: shifted_table(63, "1/10", 6), "accepted: word = 64"),
        (lambda: shifted_table(4, 0), "epsilon = 0"),
        (lambda: shifted_table(2**20 + 1, 1), "q = 1048577 is out of range; accepted: an integer from 1 to 1048576"),
        (lambda: shifted_table(4, 1, 64, "counts"), "not a relation on datasets"),
        (lambda: shifted_table(4, 1, 64, "next"), "unknown"),
    ):
        with pytest.raises(ParameterError, match=message):
            bad()


def test_a_certificate_is_plain_json() -> None:
    document = shifted_table(4, 1, 6).certificate()
    assert document["weights"] == ["9", "23", "23", "9"]
    assert document["delta"] == "9/64"


# What it costs

TABLE = shifted_table(4, 1, 6)


def test_rows_lost_by_all_bars() -> None:
    law = convolution([spec.noise(TABLE.weights)] * 3)
    for a in range(11):
        assert sum_exceeds(TABLE, 3, a) == law.probability([lost for lost in law if lost > a])
    assert dropped_at(TABLE, 3, 0) == 9
    for gamma in ("1/100", "1/2", "1"):
        least = dropped_at(TABLE, 3, gamma)
        assert sum_exceeds(TABLE, 3, least) <= mpq(gamma)
        assert least == 0 or sum_exceeds(TABLE, 3, least - 1) > mpq(gamma)


def test_rows_beyond_an_extreme_answer() -> None:
    found = [str(beyond_exceeds(TABLE, 2, a)) for a in range(7)]
    assert found == ["55/64", "3025/4096", "55/128", "1/4", "9/128", "81/4096", "0"]
    assert [dropped_beyond(TABLE, 2, gamma) for gamma in (0, "1/100", "1/10", "1")] == [6, 6, 4, 0]
    assert dropped_beyond(TABLE, 0, 0) == 0


def test_tails_that_are_not_log_concave_try_every_split() -> None:
    odd = ShiftedTable(3, "add-remove", 20, 6, (3, 50, 3, 8))
    s = odd.tails
    assert any(s[c] ** 2 < s[c - 1] * s[c + 1] for c in range(1, 4))
    for a in range(6):
        splits = [(x, a + 1 - x) for x in range(a + 2)]
        assert beyond_exceeds(odd, 2, a) == max(mpq(at(s, x) * at(s, y), 64**2) for x, y in splits)


@pytest.mark.deep
def test_so_many_bars_that_only_what_always_holds_is_said() -> None:
    table = shifted_table(28, 1)
    assert dropped_at(table, 300, "1/2") < 300 * 27
    assert dropped_at(table, 10**6, "1/2") == dropped_beyond(table, 10**6, "1/2") == 27 * 10**6
    assert sum_exceeds(table, 10**6, 10**6) == beyond_exceeds(table, 10**6, 10**6) == 1
    assert sum_exceeds(table, 10**6, 27 * 10**6) == beyond_exceeds(table, 10**6, 27 * 10**6) == 0
    assert dropped_beyond(table, 20_000, "1/100") < 27 * 20_000


def at(sums: tuple[int, ...], c: int) -> int:
    return sums[c] if c < len(sums) else 0


def test_many_bars_split_in_unequal_parts() -> None:
    """Where five bars share a + 1 rows, three or four may have one row more than the others: against all splits."""
    table = shifted_table(4, 1, 6)
    for bars in (4, 5, 6):
        for a in range(bars * (table.q - 1)):
            splits = (x for x in product(range(table.q + 1), repeat=bars) if sum(x) == a + 1)
            worst = max(prod(mpq(table.tails[c], 64) for c in x) for x in splits)
            assert beyond_exceeds(table, bars, a) == worst, (bars, a)


@pytest.mark.parametrize("q", [65, 101, 219])
def test_replacing_a_row_moves_two_ends_of_long_tables(q: int) -> None:
    table = shifted_table(q, "1/2", 64, "replace-one")
    first, last = (mpq(w, 2**64) for w in (table.weights[0], table.weights[-1]))
    assert table.delta == first + last - first * last


def test_a_range_has_two_ends_which_share_rows_and_probability() -> None:
    """Over many bars, half of the rows and of gamma for each end are less than the noise of all bars."""
    table, spread = shifted_table(3, 1, 6), statistic_of("range")
    for bars, rows in ((8, 4), (20, 4), (20, 6)):
        both = 2 * beyond_exceeds(table, bars - 1, rows // 2)
        assert both < sum_exceeds(table, bars, rows)
        assert spread.gamma(table, bars, rows) == both
        assert spread.dropped(table, bars, both) == rows
        assert spread.dropped(table, bars, both - mpq(1, 10**20)) > rows
