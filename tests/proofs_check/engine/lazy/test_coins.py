"""The explorer's coins, one run at a time: what it draws, which answer it takes, what it hands on, and when it ends."""

import operator
from collections.abc import Callable
from typing import Any

import pytest
from gmpy2 import mpq, mpz

from finitedp.errors import BudgetError, CoinsError, ExplorationError
from finitedp.impl.randomness.coins import slack_of
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins, OutOfDepthError, PutOffError
from finitedp.proofs_check.engine.lazy.draws import Draw, GeometricDraw, TableDraw
from finitedp.proofs_check.engine.lazy.rules import Decision, Rules
from finitedp.spec.pmf import Pmf

UNIT = 2 ** (64 + 192)


class Run:
    """Coins, and the branches that they hand on."""

    def __init__(
        self, branch: Decision | None = None, rules: Rules | None = None, floor: int = 0, most_draws: int | None = None
    ) -> None:
        self.waiting: list[Decision] = []
        self.coins: Any = LazyCoins(branch, self.waiting.append, rules or Rules(), floor, most_draws)


def test_the_likelier_answer_is_taken_and_the_other_one_handed_on() -> None:
    run = Run()
    u = run.coins.uniform(8)
    assert (u < 4) is False
    assert (u <= 4) is False
    assert (u <= 6) is True  # as likely as not: yes
    # the number of an answer: of yes 0, of no 1
    assert [(d.where[2], d.answer, mpq(d.mass, UNIT)) for d in run.waiting] == [
        (4, 0, mpq(3, 8)),
        (5, 0, mpq(1, 8)),
        (7, 1, mpq(2, 8)),
    ]
    assert mpq(run.coins.mass, UNIT) == mpq(2, 8)
    assert run.coins.branch.mass == run.coins.mass
    assert sum(d.mass for d in run.waiting) + run.coins.mass == UNIT
    assert run.coins.comparisons == 3


def test_a_branch_is_repeated_and_gone_on_from() -> None:
    first = Run()
    u = first.coins.uniform(8)
    assert not u < 4
    again = Run(first.waiting[0])
    assert again.coins.in_script
    assert again.coins.mass == first.waiting[0].mass
    with pytest.raises(ExplorationError, match="the run ended early"):
        again.coins.check_end()
    v = again.coins.uniform(8)
    assert v < 4
    assert not again.coins.in_script
    assert again.coins.mass == first.waiting[0].mass
    again.coins.check_end()
    assert again.waiting == []
    assert not v < 2
    assert (again.coins.branch.before, len(again.waiting)) == (first.waiting[0], 1)


@pytest.mark.parametrize(
    "asks",
    [
        lambda c: c.uniform(8) < 3,
        lambda c: c.uniform(7) < 4,
        lambda c: c.uniform(8) < 5,
        lambda c: c.uniform(9) < 4,
        lambda c: (c.uniform(8), c.uniform(8))[1] < 4,
    ],
)
def test_another_question_than_that_of_the_branch_is_refused(asks: Any) -> None:
    first = Run()
    assert not first.coins.uniform(8) < 4
    again = Run(first.waiting[0])
    with pytest.raises(ExplorationError, match="does not repeat itself"):
        asks(again.coins)
    with pytest.raises(ExplorationError, match="does not repeat itself"):
        again.coins.check_end()  # though the code may have swallowed it


def test_answers_that_are_known_are_no_decisions() -> None:
    run = Run()
    u = run.coins.uniform(8)
    assert u < 9
    assert not u < 1
    assert u >= 1
    assert not u > 8
    assert run.waiting == []
    assert run.coins.branch is None
    assert u > 2
    assert not u <= 2
    assert not u < 3
    assert len(run.waiting) == 1


def test_a_draw_without_an_end_goes_on_where_it_was_cut() -> None:
    run = Run()
    g = run.coins.endless(mpq(9, 10), mpq(1))
    assert not g < 2
    assert (g.parts()[0].low, g.parts()[0].high) == (2, None)
    assert g < 40
    assert (g.parts()[0].low, g.parts()[0].high) == (2, 39)
    assert mpq(run.waiting[0].mass, UNIT) <= 1 - mpq(9, 10) ** 2
    assert run.coins.unending
    assert not run.coins.cost_seen
    assert not run.coins.lossy
    assert run.coins.endless(mpq(0), mpq(1, 2)) == 0
    assert run.coins.lossy


def test_mass_that_is_lost_leaves_the_run_less() -> None:
    run = Run()
    run.coins.drawn((0, 1, 3), 4)
    assert mpq(run.coins.mass, UNIT) == mpq(3, 4)
    run.coins.endless(mpq(1, 2), mpq(1, 3))
    assert mpq(run.coins.mass, UNIT) <= mpq(1, 4)
    assert mpq(run.coins.mass + 1, UNIT) > mpq(1, 4)
    assert run.coins.lossy
    assert not Run().coins.lossy
    whole = Run()
    whole.coins.drawn((0, 1, 4), 4)
    assert not whole.coins.lossy
    assert whole.coins.mass == UNIT


def test_mass_that_a_branch_lost_is_not_lost_again() -> None:
    run = Run()
    t = run.coins.drawn((0, 1, 3), 4)
    assert not t < 2
    again = Run(run.waiting[0])
    assert again.coins.drawn((0, 1, 3), 4) < 2
    assert again.coins.mass == run.waiting[0].mass == UNIT // 4
    assert again.coins.lossy


def test_one_value_is_not_related_to_others() -> None:
    for turned in (False, True):
        run = Run(rules=Rules(joint=True))
        x, y = run.coins.uniform(1) + 2**70, run.coins.uniform(2**71)
        assert (y < x if turned else x < y) in (True, False)
        assert [draw.relations for draw in run.coins.made] == [None, None]


def test_the_unit_of_masses() -> None:
    assert (Rules().joint, Run().coins.joint, Run(rules=Rules(joint=True)).coins.joint) == (False, False, True)
    assert [Rules(Budget(bits=bits)).unit for bits in (None, 1, 64)] == [2**192, 2**193, UNIT]


def test_of_two_draws_without_an_end_the_second_is_decided() -> None:
    coins = Run().coins
    for operation in (operator.add, operator.sub, operator.mul):
        g, h = coins.endless(mpq(1, 3), mpq(1)) + 1, coins.endless(mpq(1, 3), mpq(1)) + 1
        assert operation(g, h).parts()[0] is g.parts()[0]
        assert g.ends()[1] is None
        assert h.ends() == (1, 1)


def test_masses_of_draws() -> None:
    assert Draw(0, 6, 9).parts(2, 4) == 3
    table = TableDraw(3, 10, (0, 1, 4, 9))
    assert (table.low, table.high, table.d, table.most, table.index) == (1, 3, 10, 10, 3)
    assert [table.parts(i, j) for i, j in ((1, 1), (2, 3), (1, 3), (3, 3))] == [1, 8, 9, 5]
    endless = GeometricDraw(1, mpq(1, 3), mpq(1, 2))
    assert (endless.low, endless.high, endless.d, endless.most) == (0, None, 1, 1)
    assert endless.parts(0, None) == mpq(1, 2)
    assert endless.parts(2, None) == mpq(1, 18)
    assert endless.parts(1, 2) == mpq(1, 2) * (mpq(1, 3) - mpq(1, 27))


def test_ranges_of_draws() -> None:
    run = Run()
    u = run.coins.uniform(1)
    assert run.coins.uniform(u + 3).ends() == (1, 4)
    assert run.coins.bits(u + 1).ends() == (0, 3)
    assert run.coins.bits(0).ends() == (0, 0)
    assert run.coins.uniform(mpz(5), 9).ends() == (1, 5)
    assert [(draw.d, draw.most, draw.index) for draw in run.coins.made] == [
        (1, 1, 0),
        (4, 4, 1),
        (4, 4, 2),
        (1, 1, 3),
        (5, 9, 4),
    ]
    assert run.coins.uniform(5, 5).ends() == (1, 5)
    equal = type("Equal", (type,), {"__eq__": lambda _cls, _other: True, "__hash__": type.__hash__})
    for wrong in (0, -1, True, 2.0, "3", None, equal("Forged", (), {})()):
        with pytest.raises(ExplorationError, match=r"accepted: an integer d >= 1"):
            run.coins.uniform(wrong)
    with pytest.raises(ExplorationError, match=r"uniform\(6\) .* is above its bound most = 5"):
        run.coins.uniform(6, 5)
    with pytest.raises(CoinsError):
        run.coins.geometric(1)
    assert slack_of(run.coins, 7) == 1


def test_a_geometric_draw_without_a_solver_is_a_loop() -> None:
    """Of the coins' own, as in the explorations inline."""
    run = Run()
    assert run.coins.geometric("1/3") == 0
    assert len(run.coins.made) == 1
    assert not any(isinstance(draw, GeometricDraw) for draw in run.coins.made)
    assert not run.coins.unending


@pytest.mark.parametrize("most", [1, 3])
def test_as_many_draws_as_are_allowed(most: int) -> None:
    for run in (
        Run(rules=Rules(Budget(draws=most))),
        Run(most_draws=most),
        Run(rules=Rules(Budget(draws=most)), most_draws=9),
    ):
        for _ in range(most):
            run.coins.uniform(2)
        assert not run.coins.exhausted
        with pytest.raises(OutOfDepthError):
            run.coins.uniform(2)
        assert run.coins.exhausted
        run.coins.uniform(2)  # the code swallowed its end: it goes on until it ends by itself


@pytest.mark.parametrize("most", [1, 3])
def test_as_many_decisions_as_are_allowed(most: int) -> None:
    run = Run(rules=Rules(Budget(depth=most)))
    us = [run.coins.uniform(2) for _ in range(most + 1)]
    for u in us[:-1]:
        assert u < 2
    with pytest.raises(OutOfDepthError):
        us[-1] < 2  # noqa: B015
    waiting = len(run.waiting)
    answers = {bool(run.coins.uniform(2) < 2) for _ in range(64)}
    assert answers == {True, False}  # so that loops end
    assert len(run.waiting) == waiting


def test_a_run_that_became_unlikely_is_put_off() -> None:
    run = Run(floor=UNIT // 4)
    for _ in range(2):
        assert run.coins.uniform(2) < 2
    assert not run.coins.put_off
    with pytest.raises(PutOffError):
        run.coins.uniform(2) < 2  # noqa: B015
    assert run.coins.put_off
    assert run.coins.exhausted
    assert mpq(run.coins.branch.mass, UNIT) == mpq(1, 8)
    again = Run(run.coins.branch, floor=0)
    again.coins.end_unless_likely(UNIT)  # it is still in its script
    for _ in range(3):
        assert again.coins.uniform(2) < 2
    again.coins.end_unless_likely(UNIT // 8)
    with pytest.raises(PutOffError):
        again.coins.end_unless_likely(UNIT // 8 + 1)


def test_what_is_used_from_outside_is_refused() -> None:
    for close in ("closed", "suspended"):
        run, scripted = Run(), Run()
        u = run.coins.uniform(4)
        assert not scripted.coins.uniform(4) < 2
        again = Run(scripted.waiting[0])
        v = again.coins.uniform(4)
        for one in (run, again):
            setattr(one.coins, close, True if close == "closed" else "another part draws")
        message = "a draw is used after its run" if close == "closed" else "another part draws"
        uses: list[Callable[[], Any]] = [
            lambda: u < 2,  # noqa: B023
            lambda: run.coins.uniform(3),  # noqa: B023
            lambda: v < 2,  # noqa: B023
            lambda: again.coins.bits(1),  # noqa: B023
        ]
        for use in uses:
            with pytest.raises(ExplorationError, match=f"{message}; accepted: draws of the run itself"):
                use()
        with pytest.raises(ExplorationError, match=message):
            run.coins.check_end()


def test_values_that_may_be_asked_for() -> None:
    run = Run(rules=Rules(Budget(fanout=4)))
    run.coins.allow(4)
    with pytest.raises(BudgetError, match="can still take 5 values"):
        run.coins.allow(5)
    with pytest.raises(BudgetError):
        run.coins.check_end()
    run = Run()
    assert not run.coins.decided
    run.coins.decide()
    assert run.coins.decided
    run = Run()
    run.coins.finished = True
    run.coins.decide()
    assert not run.coins.decided


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize(
    ("p", "q"), [((1, 5), (3, 9)), ((3, 9), (1, 5)), ((1, 9), (4, 5)), ((2, 2), (1, 9)), ((1, 9), (2, 2))]
)
def test_two_draws_compare_as_integers(joint: bool, p: tuple[int, int], q: tuple[int, int]) -> None:
    """Of any two ranges: the law, that an answer which the ends tell is no decision, and that the shorter one is decided."""

    def program(coins: Any) -> tuple[bool, ...]:
        x, y = (coins.uniform(high - low + 1) + (low - 1) for low, high in (p, q))
        return x < y, x <= y, x > y, x >= y, x == y, x != y

    values = [(x, y) for x in range(p[0], p[1] + 1) for y in range(q[0], q[1] + 1)]
    expected: dict[Any, int] = {}
    for x, y in values:
        answer = x < y, x <= y, x > y, x >= y, x == y, x != y
        expected[answer] = expected.get(answer, 0) + 1
    assert explore(program, joint=joint).law() == Pmf(expected)


def test_ends_tell_an_answer_without_a_decision() -> None:
    run = Run(rules=Rules(joint=True))
    x, y, z = run.coins.uniform(4), run.coins.uniform(4) + 3, run.coins.uniform(4) + 4
    assert x < z
    assert not z < x
    assert x <= y
    assert not y < x
    assert run.coins.branch is None
    assert [draw.relations for draw in run.coins.made] == [None] * 3
    assert run.coins.comparisons == 4


def test_of_two_draws_the_one_with_fewer_values_is_decided() -> None:
    for turned in (False, True):
        run = Run(rules=Rules(joint=True))
        short, long = run.coins.uniform(3) * 2 + 2**71, run.coins.uniform(2**70) + 2**71 - 5
        assert (long < short if turned else short < long) is (not turned)
        assert long.parts()[0].relations is None
        assert short.ends()[0] == short.ends()[1]
        assert long.ends()[0] != long.ends()[1]
        run = Run(rules=Rules(joint=True))
        short, endless = run.coins.uniform(3), run.coins.endless(mpq(1, 2), mpq(1))
        assert (endless < short if turned else short < endless) in (True, False)
        assert short.ends()[0] == short.ends()[1]


@pytest.mark.parametrize("depth", [3, 300])
def test_a_run_decides_as_often_as_the_budget_allows(depth: int) -> None:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(Budget(depth=depth)), 0, None)
    for _ in range(depth):
        assert coins.uniform(2) < 3
        assert (coins.uniform(2) == 1) in (True, False)
    with pytest.raises(OutOfDepthError):
        _ = coins.uniform(2) == 1
