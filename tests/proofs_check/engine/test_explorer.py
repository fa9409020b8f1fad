"""finitedp.proofs_check.engine.explorer and lazy: what is followed, exactly, and what is refused."""

import contextlib
import math
import random
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from gmpy2 import mpq, mpz
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import BudgetError, ExplorationError
from finitedp.impl.randomness.coins import Coins, ExactCoins
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.path import Tally
from finitedp.spec.pmf import Pmf

FOLLOWED: dict[str, tuple[Callable[[Any], Any], Callable[[int], Any]]] = {
    "less": (lambda u: u < 5, lambda u: u < 5),
    "at most": (lambda u: u <= 5, lambda u: u <= 5),
    "reflected": (lambda u: mpz(4) < u, lambda u: u > 4),
    "equal": (lambda u: u == 3, lambda u: u == 3),
    "unequal": (lambda u: u != 3, lambda u: u != 3),
    "truth": (lambda u: bool(u - 3), lambda u: u != 3),
    "fraction": (
        lambda u: (u < Fraction(7, 2), u <= mpq(7, 2), u > Fraction(3), u >= mpq(3)),
        lambda u: (u < 4, u < 4, u > 3, u >= 3),
    ),
    "not a number": (lambda u: u == "3", lambda _u: False),
    "affine": (lambda u: 2 * u - 7 < 4, lambda u: 2 * u - 7 < 4),
    "negative factor": (lambda u: -3 * u + 1 >= -8, lambda u: -3 * u + 1 >= -8),
    "reflected difference": (lambda u: 5 - u > 1, lambda u: 5 - u > 1),
    "floor division": (lambda u: (u * 7) // 4 < 6, lambda u: (u * 7) // 4 < 6),
    "negative divisor": (lambda u: u // -3 < -1, lambda u: u // -3 < -1),
    "shifts": (lambda u: ((u << 3) >> 2) > 9, lambda u: ((u << 3) >> 2) > 9),
    "nested": (lambda u: -((-u * 5 + 2) // 3) <= 7, lambda u: -((-u * 5 + 2) // 3) <= 7),
    "zero factor": (lambda u: u * 0, lambda _u: 0),
    "remainder": (lambda u: u % 3, lambda u: u % 3),
    "bits": (lambda u: (u & 5, u | 1, u ^ 2, ~u, 12 & u), lambda u: (u & 5, u | 1, u ^ 2, ~u, 12 & u)),
    "powers": (lambda u: (u**2, 2**u, abs(-u), divmod(u, 3)), lambda u: (u**2, 2**u, u, divmod(u, 3))),
    "index": (lambda u: "abcdefghijkl"[u], lambda u: "abcdefghijkl"[u]),
    "range": (lambda u: sum(range(u)), lambda u: sum(range(u))),
    "hash": (lambda u: {3: "x"}.get(u, "y"), lambda u: "x" if u == 3 else "y"),
    "text": (lambda u: f"{u}:{u:02d}:{u!r}", lambda u: f"{u}:{u:02d}:{u}"),
    "two draws' kinds": (lambda u: min(u, 4) + max(2, u), lambda u: min(u, 4) + max(2, u)),
    "rounding": (lambda u: round(u), lambda u: u),
    "remainder by a fraction": (lambda u: u % Fraction(5, 2), lambda u: u % Fraction(5, 2)),
    "reflected remainder": (
        lambda u: (Fraction(7, 2) % u, mpq(7, 2) // u, 100 % u),
        lambda u: (Fraction(7, 2) % u, mpq(7, 2) // u, 100 % u),
    ),
    "divmod by a fraction": (lambda u: divmod(u, Fraction(5, 2)), lambda u: divmod(u, Fraction(5, 2))),
    "sum with a fraction": (
        lambda u: (u + Fraction(1, 2), Fraction(1, 2) - u, u * mpq(1, 3)),
        lambda u: (u + Fraction(1, 2), Fraction(1, 2) - u, u * mpq(1, 3)),
    ),
    "repetition": (lambda u: "ab" * u + "c", lambda u: "ab" * u + "c"),
    "reflected shifts": (lambda u: (1 << u, 1000 >> u, 7 & u), lambda u: (1 << u, 1000 >> u, 7 & u)),
    "modular power": (lambda u: pow(u, 3, 7), lambda u: pow(u, 3, 7)),
    "bit length": (lambda u: u.bit_length(), lambda u: u.bit_length()),
    "frozenset": (lambda u: frozenset({u, 1}), lambda u: frozenset({u, 1})),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_is_followed_has_the_law_of_the_plain_function(name: str) -> None:
    lazily, plainly = FOLLOWED[name]
    assert explore(lambda coins: lazily(coins.uniform(10))).law() == Pmf.uniform(range(1, 11)).pushforward(plainly)


@given(
    st.lists(st.tuples(st.sampled_from("+-*/"), st.integers(-6, 6)), max_size=5),
    st.integers(-30, 30),
    st.integers(1, 40),
)
def test_any_chain_of_operations_compares_as_plain_integers_do(chain: list[tuple[str, int]], bound: int, d: int) -> None:
    def value(u: Any) -> Any:
        for operation, k in chain:
            if operation == "+":
                u = u + k
            elif operation == "-":
                u = k - u
            elif operation == "*":
                u = u * k
            elif k:
                u = u // k
        return u

    uniform = Pmf.uniform(range(1, d + 1))
    assert explore(lambda coins: value(coins.uniform(d)) < bound).law() == uniform.pushforward(lambda u: value(u) < bound)
    assert explore(lambda coins: value(coins.uniform(d))).law() == uniform.pushforward(value)


def test_two_draws_compare_with_each_other() -> None:
    law = explore(lambda coins: coins.uniform(3) < coins.uniform(4)).law()
    assert law == Pmf({True: 6, False: 6})


def test_a_draw_of_thousands_of_bits_has_two_branches_for_each_comparison() -> None:
    d = 3**5000
    found = explore(lambda coins: coins.uniform(d) <= d // 3)
    assert found.law() == Pmf({True: 1, False: 2})
    assert found.leaves == 2


def test_named_tuples_keep_their_type() -> None:
    class Answer(NamedTuple):
        value: int

    law = explore(lambda coins: Answer(coins.uniform(2))).law()
    assert all(isinstance(x, Answer) and type(x.value) is int for x in law)


def test_unbounded_loop_leaves_an_exact_interval() -> None:
    def third(coins: Coins) -> bool:
        while True:
            word = coins.bits(2)
            if word < 3:
                return word < 1

    found = explore(third, Budget(draws=10))
    assert found.unresolved == mpq(1, 4**10)
    assert found.resolved_law() == Pmf({True: 1, False: 2})
    low, high = found.bounds(True)
    assert low < mpq(1, 3) < high
    assert high - low == found.unresolved
    assert not found.same_cost
    with pytest.raises(ExplorationError, match="is unresolved after 20 paths"):
        found.law()


def test_the_run_budget_counts_and_likely_branches_come_first() -> None:
    def steps(coins: Coins) -> int:
        n = 0
        while coins.uniform(4) > 1:
            n += 1
        return n

    found = explore(steps, Budget(runs=20))
    assert found.leaves == 19  # the first run stays in the loop until the budget of draws ends it
    assert found.unresolved == mpq(3, 4) ** 19
    assert found.resolved[0] == mpq(1, 4)


def test_depth_budget_ends_long_paths() -> None:
    def forever(coins: Coins) -> bool:
        while True:
            coins.uniform(2) == 1  # noqa: B015  # only to make a decision

    assert explore(forever, Budget(depth=5)).unresolved == 1
    with pytest.raises(ExplorationError, match="no path was followed"):
        explore(forever, Budget(depth=5)).resolved_law()


def test_code_that_catches_everything_cannot_swallow_the_end_of_a_run() -> None:
    def greedy(coins: Coins) -> int:
        while True:
            try:
                if coins.uniform(2) == 1:
                    return 1
            except Exception:  # noqa: S112
                continue

    assert explore(greedy, Budget(depth=8)).unresolved == mpq(1, 2**8)


@pytest.mark.parametrize("budget", [Budget(draws=3), Budget(depth=3)])
def test_a_bare_except_does_not_turn_a_cut_path_into_an_output(budget: Budget) -> None:
    def swallows(coins: Coins) -> str:
        try:
            while coins.uniform(2) == 1:
                pass
        except:  # noqa: E722
            return "swallowed"
        return "done"

    found = explore(swallows, budget)
    assert found.unresolved == mpq(1, 8)
    assert found.resolved == {"done": mpq(7, 8)}


def test_fanout_names_the_line() -> None:
    with pytest.raises(BudgetError, match=r"test_explorer\.py:\d+ needs the value of a draw.* about 2\^100"):
        explore(lambda coins: coins.uniform(2**100) % 7)
    with pytest.raises(BudgetError, match="can still take 100 values"):
        explore(lambda coins: coins.uniform(100), Budget(fanout=50))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda coins: float(coins.uniform(4)), "conversion to a float"),
        (lambda coins: coins.uniform(4) / 3, "true division by 3"),
        (lambda coins: 3 / coins.uniform(4), "true division of 3"),
        (lambda coins: complex(coins.uniform(4)), "conversion to a complex number"),
        (lambda coins: coins.uniform(4) * 0.5, "arithmetic with the float 0.5"),
        (lambda coins: coins.uniform(4) % 0.5, "arithmetic with the float 0.5"),
        (lambda coins: coins.uniform(4) < 2.5, "comparison with the float 2.5"),
        (lambda coins: [coins.uniform(4)], "the output is a list, which is not hashable"),
        (lambda _coins: 0.25, "the output holds the float 0.25"),
        (lambda _coins: (1, (2, 0.5)), "the output holds the float 0.5"),
        (lambda coins: coins.uniform(0), r"uniform\(0\) .*accepted: an integer d >= 1"),
        (lambda coins: coins.uniform(2.0), r"uniform\(2\.0\)"),
        (lambda coins: coins.uniform(True), r"uniform\(True\)"),
        (lambda _coins: random.random(), "the output holds the float"),
        (lambda _coins: random.getrandbits(64), "two runs on the same draws differ"),
        (lambda coins: 0 if coins.uniform(2) == 1 else random.getrandbits(64), "two runs on the same draws differ"),
        (lambda coins: coins.uniform(4) * Decimal("0.5"), "arithmetic with the Decimal"),
        (lambda coins: coins.uniform(4) == 2.0, "comparison with the float 2.0"),
    ],
)
def test_what_cannot_be_followed_is_refused(program: Callable[[Coins], Any], message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        explore(program)


def test_state_between_runs_is_found() -> None:
    calls: list[int] = []

    def stateful(coins: Coins) -> bool:
        calls.append(1)
        return coins.uniform(100) < 2 + len(calls)

    with pytest.raises(ExplorationError, match="does not repeat itself"):
        explore(stateful)


def test_state_that_changes_the_output_alone_is_found() -> None:
    calls: list[int] = []

    def stateful(coins: Coins) -> int:
        calls.append(1)
        return len(calls) if coins.uniform(2) < 2 else 0

    with pytest.raises(ExplorationError, match="two runs on the same draws differ"):
        explore(stateful)


def test_a_later_run_that_draws_less_is_found() -> None:
    calls: list[int] = []

    def tired(coins: Coins) -> bool:
        calls.append(1)
        return len(calls) > 2 or coins.uniform(2) == 1

    with pytest.raises(ExplorationError, match=r"the code makes other draws, .* keeps state between runs"):
        explore(tired)


def test_a_later_run_that_draws_from_another_range_is_found() -> None:
    calls: list[int] = []

    def shifting(coins: Coins) -> bool:
        calls.append(1)
        return coins.uniform(3 if len(calls) > 2 else 2) < 2

    with pytest.raises(ExplorationError, match=r"the code makes other draws, .* keeps state between runs"):
        explore(shifting)


def test_replay_all_finds_what_the_sample_of_replays_may_miss() -> None:
    calls: list[int] = []

    def late(coins: Coins) -> int:
        calls.append(1)
        found = coins.uniform(16) + 0
        value = sum(found > k for k in range(1, 16))
        return value if value != 9 else 100 + len(calls)

    with pytest.raises(ExplorationError, match="two runs on the same draws differ"):
        explore(late, replay_all=True)


@pytest.mark.parametrize("refused", [lambda u: math.log(u), lambda u: u * 0.5, lambda u: u % 7, lambda u: "abc"[u]])
def test_code_cannot_swallow_a_refusal(refused: Callable[[Any], Any]) -> None:
    def swallows(coins: Coins) -> str:
        with contextlib.suppress(Exception):
            refused(coins.uniform(2**70))
        return "fallback"

    with pytest.raises(ExplorationError):
        explore(swallows)


class Index:
    """An integer of another library, such as numpy's: known by __index__ only, with wrong arithmetic of its own."""

    numerator, denominator = 3, 1

    def __index__(self) -> int:
        return 2**25


def test_integers_of_other_libraries_are_taken_at_their_value() -> None:
    law = explore(lambda coins: coins.uniform(2**66) // 2**40 < np.int64(2**25)).law()
    assert law[np.True_] == mpq(2**25 * 2**40 - 1, 2**66)
    with pytest.raises(TypeError, match="'int' and 'Index'"):  # as an int does
        explore(lambda coins: coins.uniform(4) + Index())  # type: ignore[operator]
    with pytest.raises(ExplorationError, match=r"raises TypeError \('<' not supported between .*'int' and 'Index'"):
        explore(lambda coins: coins.uniform(2**66) // 2**40 < Index())  # type: ignore[operator]


def test_asking_for_a_value_leaves_the_cost_unknown() -> None:
    def early_exit(coins: Coins) -> int:
        u = int(coins.uniform(8))
        return next(z for z in range(8) if u <= z + 1)

    assert explore(early_exit).decided
    assert not explore(early_exit).same_cost
    assert explore(lambda coins: coins.uniform(8)).same_cost  # only the output is read


def test_exceptions_of_the_code_pass_through() -> None:
    def fails(coins: Coins) -> int:
        return 1 // (coins.uniform(2) - 1)

    with pytest.raises(ZeroDivisionError):
        explore(fails)


def test_shapes_tell_different_costs_apart() -> None:
    def uneven(coins: Coins) -> int:
        return coins.uniform(2) if coins.uniform(3) == 1 else 0

    def even(coins: Coins) -> int:
        first, second = coins.uniform(3), coins.uniform(2)
        return 2 * (first < 2) + (second < 2)

    assert not explore(uneven).same_cost
    assert explore(even).same_cost
    assert explore(even).shapes == {((3, 2), 2)}


def test_paths_are_disjoint_boxes_that_fill_the_space() -> None:
    found = explore(lambda coins: (coins.uniform(5) < 3, coins.uniform(4) < 2), keep_paths=True)
    assert sum((path.probability for path in found.paths), mpq(0)) == 1
    assert explore(lambda coins: coins.uniform(5) < 3).paths == ()


def test_rejection_is_uniform_given_acceptance() -> None:
    found = explore(lambda coins: ExactCoins(coins.bits).uniform(5), Budget(draws=3))
    assert found.resolved_law() == Pmf.uniform(range(1, 6))
    assert found.unresolved == mpq(3, 8) ** 3


def test_budgets_are_positive() -> None:
    with pytest.raises(ValueError, match="budget of runs = 0"):
        Budget(runs=0)


# The explorer's own accounting


def test_a_budget_of_runs_is_the_number_of_paths() -> None:
    for runs in (1, 5, 7):
        found = explore(lambda coins: int(coins.uniform(8)), Budget(runs=runs))
        assert (found.leaves, found.unresolved) == (runs, 1 - mpq(runs, 8))
    assert explore(lambda coins: int(coins.uniform(8)), Budget(runs=8)).law() == Pmf.uniform(range(1, 9))


def test_a_path_that_is_cut_off_does_not_end_the_others() -> None:
    """The likely path never ends; the rare ones are followed all the same."""

    def program(coins: Coins) -> int:
        u = coins.uniform(8)
        while u > 2:
            coins.uniform(2)
        return int(u)

    found = explore(program, Budget(draws=10))
    assert found.resolved == {1: mpq(1, 8), 2: mpq(1, 8)}
    assert found.unresolved == mpq(3, 4)


@pytest.mark.parametrize(("times", "total"), [(0, "1/2"), (2, "3/2")])
def test_a_path_that_is_lost_or_counted_twice_is_an_error(times: int, total: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the explorer itself wrong about one path, there would be no law."""
    add, seen = Tally.add, list[Any]()

    def wrongly(tally: Any, path: Any) -> None:
        seen.append(path)
        for _ in range(times if len(seen) == 1 else 1):
            add(tally, path)

    monkeypatch.setattr(Tally, "add", wrongly)
    with pytest.raises(ExplorationError, match=f"the paths' probabilities sum to {total}: the code does not repeat itself"):
        explore(lambda coins: coins.uniform(2) == 1)


@pytest.mark.parametrize("low", [1, 5, 8, 9])
def test_the_fanout_counts_the_values_that_are_left(low: int) -> None:
    def program(coins: Coins) -> int:
        u = coins.uniform(16)
        return int(u) if u >= low else 0

    assert explore(program, Budget(fanout=17 - low)).law()[16] == mpq(1, 16)
    with pytest.raises(BudgetError, match=f"can still take {17 - low} values, more than the budget's fanout of {16 - low}"):
        explore(program, Budget(fanout=16 - low))


@pytest.mark.parametrize(("d", "shown"), [(10**12 - 1, "999999999999"), (10**12, "about 2^39"), (2**70, "about 2^70")])
def test_how_many_values_there_are_is_told_in_few_digits(d: int, shown: str) -> None:
    with pytest.raises(BudgetError, match=f"can still take {re.escape(shown)} values"):
        explore(lambda coins: int(coins.uniform(d)))


def test_a_path_has_the_probability_of_its_box() -> None:
    found = explore(lambda coins: (coins.uniform(10) < 4, coins.uniform(3) == 2), keep_paths=True)
    law: dict[Any, mpq] = {}
    for path in found.paths:
        law[path.output] = law.get(path.output, mpq(0)) + path.probability
    assert law == found.resolved
    assert law == {(True, True): mpq(1, 10), (True, False): mpq(1, 5), (False, True): mpq(7, 30), (False, False): mpq(7, 15)}


@pytest.mark.parametrize(("replay_all", "calls"), [(False, 8 + 4 + 8), (True, 8 + 8 + 4 + 2 + 2 + 4 + 8)])
def test_which_runs_are_made_twice(replay_all: bool, calls: int) -> None:
    """The 1st, 2nd, 4th and 8th; or all of them, and the first ones several times, so that code of one path is run often.

    Every path is run with plain integers besides.
    """
    made = list[int]()

    def program(coins: Coins) -> int:
        made.append(1)
        return int(coins.uniform(8))

    assert explore(program, replay_all=replay_all).leaves == 8
    assert len(made) == calls


def rare_below(coins: Coins) -> int:
    u = coins.uniform(1024)
    return 0 if u < 2 else 1 if u < 514 else 2


def rare_above(coins: Coins) -> int:
    u = coins.uniform(1024)
    return 0 if u > 1023 else 1 if u > 511 else 2


@pytest.mark.parametrize("program", [rare_below, rare_above])
def test_the_rare_branch_waits_on_either_side(program: Callable[[Coins], int]) -> None:
    found = explore(program, Budget(runs=2))
    assert found.unresolved == mpq(1, 1024)
    assert set(found.resolved) == {1, 2}
