"""Masses of related draws: against a sum over all values of all draws, of random forests."""

from itertools import pairwise, product
from math import comb
from random import Random
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.engine.lazy import joint
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.draws import Chain, Draw, GeometricDraw, TableDraw, image
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.lazy.wide_joint import MOST_WIDE_DRAWS

Compared = tuple[Draw, Chain, Draw, Chain, bool]


def brute(draws: list[Draw], compared: list[Compared]) -> dict[tuple[int, ...], mpq]:
    """The mass of all values that meet the relations."""
    found = {}
    for values in product(*(range(draw.low, (draw.high or 0) + 1) for draw in draws)):
        at = dict(zip((draw.index for draw in draws), values, strict=True))
        if all((image(own, at[x.index]) < image(others, at[y.index])) == answer for x, own, y, others, answer in compared):
            mass = mpq(1)
            for draw, value in zip(draws, values, strict=True):
                mass *= draw.parts(value, value)
            found[values] = mass
    return found


def lazy(draw: Draw, chain: Chain) -> LazyInt:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(joint=True), 0, None)
    return LazyInt(coins, draw, chain)


def forest(seed: int, wide: bool) -> tuple[list[Draw], list[Compared]]:
    """Two to four draws, cut somewhere; each after the first is compared with one before, sometimes twice."""
    made = Random(seed)
    draws: list[Draw] = []
    for i in range(made.randint(2, 4)):
        d = made.randint(2, 6)
        draw = Draw(i, d, d) if wide or made.random() < 0.6 else TableDraw(i, 20, (0, *sorted(made.sample(range(1, 20), d))))
        draw.low = made.randint(1, 2)
        draw.high = made.randint(draw.low, draw.high or 0)
        draws.append(draw)
    compared = []
    for i in range(1, len(draws)):
        pair = [draws[i], draws[made.randrange(i)]]
        for _ in range(made.randint(1, 2)):
            made.shuffle(pair)
            chains: list[Chain] = [(("+", made.randint(-3, 3)),) if wide else chain(made) for _ in pair]
            compared.append((pair[0], chains[0], pair[1], chains[1], made.random() < 0.5))
    return draws, compared


def chain(made: Random) -> Chain:
    steps = [("+", made.randint(-3, 3)), ("*", made.randint(1, 3)), ("//", made.randint(2, 3)), ("-", 0)]
    return tuple(made.sample(steps, made.randint(0, 2)))


@pytest.mark.parametrize("wide", [False, True])
def test_masses_are_sums_over_all_values(wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "MOST_VALUES", 1 if wide else 4_096)
    for seed in range(60):
        draws, compared = forest(seed, wide)
        last = compared.pop()
        for x, own, y, others, answer in compared:
            joint.relate(lazy(x, own), lazy(y, others), answer)
        before = [joint.relations(draw) for draw in draws]
        x, own, y, others, _ = last
        together = {draw.index for one in (x, y) for draw in joint.component(one)}
        group, among = [d for d in draws if d.index in together], [c for c in compared if c[0].index in together]
        everything, less = brute(group, among), brute(group, [*among, (*last[:4], True)])
        kept, lost = sum(less.values(), mpq(0)), sum(everything.values(), mpq(0)) - sum(less.values(), mpq(0))
        found = joint.mass_if_less(lazy(x, own), lazy(y, others))
        assert found[0] == kept, seed
        assert found[1] == lost, seed
        assert [joint.relations(draw) for draw in draws] == before
        joint.relate(lazy(x, own), lazy(y, others), True)
        assert joint.total(x) == joint.total(y) == kept, seed
        place = [draw.index for draw in group].index(x.index)
        for bound in range(x.low + 1, (x.high or 0) + 1):
            below = sum((mass for values, mass in less.items() if values[place] < bound), mpq(0))
            assert joint.mass_below(x, bound) == (below, kept - below), seed


def test_a_draw_alone_has_its_own_mass() -> None:
    draw = TableDraw(0, 10, (0, 1, 4, 9))
    assert joint.total(draw) == 9
    assert joint.mass_below(draw, 3) == (mpq(4), mpq(5))
    assert joint.component(draw) == [draw]


def in_a_row(number: int, d: int) -> list[Draw]:
    draws = [Draw(i, d, d) for i in range(number)]
    for x, y in pairwise(draws):
        joint.relate(lazy(x, ()), lazy(y, ()), True)
    return draws


@pytest.mark.parametrize(("d", "most"), [(joint.MOST_VALUES, joint.MOST_DRAWS), (joint.MOST_VALUES + 1, MOST_WIDE_DRAWS)])
def test_how_many_draws_may_be_related(d: int, most: int) -> None:
    assert (joint.MOST_VALUES, joint.MOST_DRAWS, MOST_WIDE_DRAWS) == (4_096, 100, 24)
    draws = in_a_row(most - 1, d)
    assert joint.can_be_related(draws[0], Draw(200, d, d))
    assert joint.can_be_related(Draw(200, d, d), draws[5])
    few = in_a_row(3, d)
    assert joint.can_be_related(few[0], few[1])
    assert not joint.can_be_related(few[0], few[2])  # a circle
    draws = in_a_row(most, d)
    assert not joint.can_be_related(draws[0], Draw(200, d, d))


def test_which_draws_may_be_related() -> None:
    wide, narrow = Draw(0, 10**6, 10**6), Draw(1, 5, 5)
    table = TableDraw(2, 10**6, (0, *range(1, 6_000)))
    short_table = TableDraw(3, 9, (0, 1, 9))
    endless = GeometricDraw(4, mpq(1, 2), mpq(1))
    moved, doubled = ((("+", 3),), ()), ((("*", 2),), ())
    assert joint.can_be_related(wide, narrow, moved)
    assert joint.can_be_related(narrow, wide, moved)
    assert not joint.can_be_related(wide, narrow, doubled)
    assert joint.can_be_related(narrow, short_table, doubled)
    assert not joint.can_be_related(wide, short_table, moved)
    assert not joint.can_be_related(narrow, table, moved)
    for pair in ((endless, narrow), (narrow, endless), (endless, wide)):
        assert not joint.can_be_related(*pair)
    joint.relate(lazy(narrow, doubled[0]), lazy(short_table, ()), True)
    assert not joint.can_be_related(wide, narrow, moved)  # which is compared doubled, with a table
    assert not joint.can_be_related(narrow, narrow)
    assert joint.can_be_related(short_table, narrow, doubled)


def test_many_wide_draws_are_summed_at_once() -> None:
    """In a row of 20 words one order of 20! is rising."""
    draws = in_a_row(20, 2**53)
    rising = joint.total(draws[0])
    assert rising == comb(2**53, 20)
    at_least = comb(2**53 - 2**52 + 1, 20)  # all of them, if the first is
    assert joint.mass_below(draws[0], 2**52) == (rising - at_least, mpq(at_least))
