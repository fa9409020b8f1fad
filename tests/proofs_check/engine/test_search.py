"""The bound on open mass: where exploring stops, that finite programs stay exact, and that nothing is lost on the way."""

from collections.abc import Callable
from math import comb
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError, ParameterError
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine import search
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.rules import SPARE, Rules
from finitedp.proofs_check.engine.path import run_once
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.plain_explorer import plain_law, random_program
from tests.sampling import sampled


def heads(coins: Coins) -> int:
    number = 0
    while coins.uniform(2) == 1:
        number += 1
    return min(number, 3)


@pytest.mark.parametrize("bits", [1, 20, 64, 200])
def test_an_endless_loop_is_followed_to_the_bound_and_no_further(bits: int) -> None:
    found = explore(heads, Budget(bits=bits), replay_all=True)
    assert found.unresolved == mpq(1, 2**bits)
    assert found.leaves == bits
    for number in range(3):
        low, high = found.bounds(number)
        assert low <= mpq(1, 2 ** (number + 1)) <= high


def test_a_likely_tail_takes_more_runs_for_the_same_bound() -> None:
    def thirds(coins: Coins) -> int:
        number = 0
        while coins.uniform(3) > 1:
            number += 1
        return number

    found = explore(thirds, Budget(bits=30))
    assert mpq(1, 2**31) < found.unresolved == mpq(2, 3) ** found.leaves <= mpq(1, 2**30)


def two_loops(coins: Coins) -> bool:
    return heads(coins) > heads(coins)


def test_runs_that_became_unlikely_are_put_off_and_not_lost() -> None:
    """Their prefixes are run again only where the bound asks for it; the laws are those of plain following."""
    for bits in (3, 9, 12):
        found = explore(two_loops, Budget(bits=bits))
        assert found.unresolved <= mpq(1, 2**bits)
        exact = explore(two_loops, Budget(bits=None, draws=40, runs=400))
        for output in (True, False):
            assert found.resolved[output] <= exact.resolved[output] + exact.unresolved
            assert exact.resolved[output] <= found.resolved[output] + found.unresolved


def test_a_run_that_was_put_off_is_taken_up_again() -> None:
    """Each path of eleven fair coins is below the floor of two bits, 2^-10, before it ends."""
    found = explore(lambda coins: sum(coins.uniform(2) == 1 for _ in range(11)), Budget(bits=2))
    assert found.law() == Pmf({k: comb(11, k) for k in range(12)})


@pytest.mark.parametrize("rare", [1, 3_000])
def test_finite_code_stays_exact_however_rare_its_paths(rare: int) -> None:
    d = 2**200

    def program(coins: Coins) -> int:
        u = coins.uniform(d)
        return 0 if u <= d - rare else int(u - (d - rare))

    found = explore(program, Budget())
    assert found.unresolved == 0
    assert found.resolved[0] == 1 - mpq(rare, d)
    assert len(found.resolved) == rare + 1


def test_rare_paths_are_not_followed_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "RARE_RUNS", 10)

    def program(coins: Coins) -> int:
        u = coins.uniform(2**100)
        return 0 if u > 40 else int(u)

    found = explore(program, Budget())
    assert found.leaves == 11
    assert 0 < found.unresolved == 1 - sum(found.resolved.values(), mpq(0)) < mpq(1, 2**64)
    assert explore(program, Budget(bits=None)).unresolved == 0


def test_a_path_that_draws_oftener_than_all_finished_ones_is_left_open() -> None:
    """Else every loop without a bound would be followed on."""
    calls: list[int] = []

    def counted(coins: Coins) -> int:
        calls.append(1)
        return heads(coins)

    found = explore(counted, Budget())
    assert len(calls) - found.leaves < 90  # but for the runs with plain integers


def test_a_loop_that_never_compares_ends_by_its_draws() -> None:
    def silent(coins: Coins) -> int:
        while True:
            coins.uniform(2)

    assert explore(silent, Budget(draws=7)).unresolved == 1


def test_a_run_that_swallows_its_end_is_put_off_all_the_same() -> None:
    def swallows(coins: Coins) -> str:
        number = 0
        while True:
            try:
                if coins.uniform(2) == 1:
                    return f"after {number}"
                number += 1
            except:  # noqa: E722
                number = -1

    found = explore(swallows, Budget(bits=10))
    assert found.resolved == {f"after {k}": mpq(1, 2 ** (k + 1)) for k in range(10)}


@pytest.mark.parametrize("bits", [64, 5])
@pytest.mark.parametrize("is_joint", [False, True])
def test_random_programs_have_their_law_whatever_the_bound(bits: int, is_joint: bool) -> None:
    for seed in range(5_000, 5_012):
        program: Callable[[Any], Any] = random_program(seed)
        found = explore(program, Budget(bits=bits), joint=is_joint)
        assert found.resolved == plain_law(program)
        assert found.unresolved == 0


def test_bits_are_positive() -> None:
    with pytest.raises(ParameterError, match="budget of bits = 0"):
        Budget(bits=0)
    assert Budget().bits == 64
    assert explore(lambda coins: coins.uniform(2), Budget(bits=None)).law() == Pmf({1: 1, 2: 1})


def test_a_loop_of_exponentially_many_paths_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two different rounds go on, so that 2^-64 would take more than 10^15 runs; what is left open is exact."""
    monkeypatch.setattr(search, "FIRST_LOOK", 64)
    monkeypatch.setattr(search, "PATIENCE", 2**20)
    made = list[int]()

    def von_neumann(coins: Coins) -> bool:
        made.append(1)
        while True:
            first, second = coins.uniform(10) == 1, coins.uniform(10) == 1
            if first != second:
                return first

    found = explore(von_neumann, Budget())
    assert len(made) < 4 * search.FIRST_LOOK
    assert 0 < found.unresolved < mpq(1, 2**3)
    assert found.resolved[True] + found.resolved[False] + found.unresolved == 1
    for output in (True, False):
        low, high = found.bounds(output)
        assert low <= mpq(1, 2) <= high


def test_many_paths_of_one_length_are_followed_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The open mass shrinks slowly until the last run: no reason to stop."""
    monkeypatch.setattr(search, "FIRST_LOOK", 64)
    size = 1_000
    assert explore(lambda coins: int(coins.uniform(size)) % 2, Budget()).law() == Pmf({0: 1, 1: 1})


def test_who_watches_stops_what_is_explored_inside_too() -> None:
    """A trial of the coins' own loops is explored alone, and would take long."""
    asked = list[float]()

    def stop(open_mass: float) -> bool:
        asked.append(open_mass)
        return len(asked) > 50

    def trial(coins: Coins) -> bool:
        return int(coins.uniform(5_000)) + int(coins.uniform(5_000)) > 7

    found = explore(lambda coins: coins.count_while(trial), Budget(), watch=stop)  # type: ignore[attr-defined]
    assert found.unresolved == 1
    assert 50 < len(asked) < 60


# How far exactly, and what is looked at


def runs_of(program: Callable[[Any], Any], **options: Any) -> int:
    """How often a program is run by the search itself."""
    made = list[int]()

    def counted(coins: Any) -> Any:
        made.append(1)
        return program(coins)

    options["rules"] = options.pop("rules", Rules(Budget(bits=None)))
    search.search(counted, **options)
    return len(made)


@pytest.mark.parametrize("size", [1, 2, 9, 65, 128, *sampled([*range(3, 9), 10, 11, 12, 64, 127], 1)])
def test_the_runs_that_are_made_twice_are_those_of_a_power_of_two(size: int) -> None:
    def program(coins: Coins) -> int:
        return int(coins.uniform(size))

    plain = min(size, 8) + sum(2**k <= size for k in range(4, 10))
    assert runs_of(program) == size + size.bit_length() + plain
    assert runs_of(program, replay_all=True) == size + sum(max(1, 8 // run) for run in range(1, size + 1)) + size


@pytest.mark.parametrize(("tosses", "bits", "put_off"), [(9, 1, False), (10, 1, True), (10, 2, False)])
def test_a_run_is_put_off_from_eight_bits_beyond_the_bound_on(
    tosses: int, bits: int, put_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each path has the mass 2^-tosses."""
    found = list[bool]()

    def recorded(program: Any, coins: Any) -> Any:
        path = run_once(program, coins)
        found.append(coins.put_off)
        return path

    monkeypatch.setattr(search, "run_once", recorded)
    explore(lambda coins: sum(coins.uniform(2) == 1 for _ in range(tosses)), Budget(bits=bits))
    assert any(found) == put_off


def rare(values: int) -> Callable[[Any], int]:
    def program(coins: Any) -> int:
        u = coins.uniform(2**100)
        return 0 if u > values else int(u)

    return program


def test_how_many_rare_runs_are_made() -> None:
    """4,000, or as many as were made; 100 where a draw has no upper end."""
    assert explore(rare(5_000), Budget()).leaves == 1 + 4_000

    def unending(coins: Any) -> tuple[int, bool]:
        return rare(500)(coins), coins.geometric("1/2") < 1

    assert explore(unending, Budget(bits=1)).leaves == 2 + 100


def test_as_many_rare_runs_are_made_as_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "RARE_RUNS", 10)

    def program(coins: Any) -> int:
        first, second = int(coins.uniform(41)), coins.uniform(2**20)
        return first if second > 20 else -int(second)

    assert explore(program, Budget(bits=4)).leaves == 39 + 39  # the 39th leaves 2/41 open, and a little


@pytest.mark.parametrize("more", [0, 1])
def test_the_bound_on_open_mass_is_met_exactly(more: int) -> None:
    """A branch of the mass that may stay open is left open where it draws oftener; one just above it is not."""
    bits = 3

    def program(coins: Coins) -> int:
        if coins.uniform(2 ** (bits + SPARE)) > 2**SPARE + more:
            return 0
        return int(coins.uniform(1)) + int(coins.uniform(1))

    found = explore(program, Budget(bits=bits))
    assert found.unresolved == (0 if more else mpq(1, 2**bits))


def test_a_path_below_all_masses_is_followed() -> None:
    """Masses order the branches, and nothing else: this one is rounded to 0."""

    def program(coins: Coins) -> bool:
        return coins.uniform(2**300) == 1 and coins.uniform(2) == 1

    assert explore(program).law() == Pmf({True: 1, False: 2**301 - 1})


def test_more_runs_than_the_first_look_has_without_a_bound() -> None:
    size = search.FIRST_LOOK + 1
    assert explore(lambda coins: int(coins.uniform(size))).law() == Pmf.uniform(range(1, size + 1))


def test_mass_that_a_draw_leaves_over_is_unresolved() -> None:
    found = explore(lambda coins: coins.drawn((0, 1, 3), 4))  # type: ignore[attr-defined]
    assert (found.resolved, found.unresolved) == ({1: mpq(1, 4), 2: mpq(1, 2)}, mpq(1, 4))
    assert found.bounds(1) == (mpq(1, 4), mpq(1, 2))
    assert found.bounds(7) == (mpq(0), mpq(1, 4))


def test_where_no_path_was_finished_rare_ones_draw_once() -> None:
    def program(coins: Any) -> int:
        if coins.drawn((0, 1, 2), 2**80) == 1:
            while True:
                coins.uniform(2)
        return int(coins.uniform(2))

    found = explore(program, Budget(draws=9))
    assert not found.resolved
    assert found.unresolved == 1


def test_who_watches_is_told_the_open_mass() -> None:
    """That of the branches that wait, and that of the paths which were cut off."""
    told = list[float]()

    def program(coins: Coins) -> int:
        u = coins.uniform(8)
        while u > 5 or u == 1:
            coins.uniform(2)
        return 0

    def watch(open_mass: float) -> bool:
        told.append(open_mass)
        return False

    explore(program, Budget(bits=None, draws=5), watch=watch)
    assert told == [1, 1 / 2, 1 / 2]


def test_what_was_found_when_it_was_stopped_is_exact() -> None:
    told = list[float]()

    def stop(open_mass: float) -> bool:
        told.append(open_mass)
        return len(told) > 3

    found = explore(lambda coins: int(coins.uniform(8)), watch=stop)
    assert (found.leaves, found.unresolved, told[-1]) == (3, mpq(5, 8), 5 / 8)


# When it is given up


def looked(*open_bits: float, lengthen: int = 1, runs: int = 2**20) -> list[bool]:
    """Whether it is hopeless at the 2,048th run, at the 4,096th and so on, when masses of 2^bits times the bound are open.

    Half of each was cut off.
    """
    going = search._Search[int](lambda coins: 0, Rules(Budget()), False, False, None)
    found = []
    for place, bits in enumerate(open_bits):
        going.runs, going.longest = 2_048 << place, 5 + place * lengthen
        going._cut = going._pending.mass = int(2 ** (99 + bits))
        found.append(going._is_hopeless(search._Phase(runs, 2**100)))
    return found


def test_it_is_given_up_where_the_open_mass_would_have_to_shrink_twice_as_fast() -> None:
    """At the 4,096th run of a budget of 2^20, of which code may need the 32nd part, the runs can double three times."""
    assert looked(7.04, 6.04) == [False, True]  # 6.04 bits to go; at twice one bit for each doubling, 6 are reached
    assert looked(6.96, 5.96) == [False, False]
    assert looked(7.04, 6.04, lengthen=0) == [False, False]  # paths do not become longer
    assert looked(9, 5, runs=2**15) == [False, True]  # no doubling is left
    assert looked(9, 9, 7.24) == [False, True, True]  # nothing shrank; and then 1.76 bits, with two doublings
    assert looked(9, 9, 7.15) == [False, True, False]


@pytest.mark.parametrize(
    ("open_part", "most", "runs"),
    [(1, 2**20, 2**14), (2, 2**20, 2**13), (4, 2**20, 2**12), (32, 2**20, 2**12), (1, 2**18, 2**12), (1, 2**18 + 1, 2**13)],
)
def test_it_is_given_up_later_where_much_is_open(open_part: int, most: int, runs: int) -> None:
    """After a 64th of its runs where all is open, after a 128th where half of it is."""
    going = search._Search[int](lambda coins: 0, Rules(Budget()), False, False, None)
    going._cut, going._pending.mass = 0, going._rules.unit // open_part
    found = []
    for place in range(8):
        going.runs, going.longest = 2_048 << place, place
        found.append(going._is_hopeless(search._Phase(most, 2**100)))
    assert 2_048 << found.index(True) == runs


def test_who_is_patient_does_not_give_up() -> None:
    going = search._Search[int](lambda coins: 0, Rules(Budget()), False, False, None, patience=1_000)
    going._cut, going._pending.mass = 0, going._rules.unit >> 10
    for place in range(8):
        going.runs, going.longest = 2_048 << place, place
        assert not going._is_hopeless(search._Phase(2**20, 2**100))


def test_it_is_asked_at_powers_of_two_from_the_first_look_on_and_once() -> None:
    going = search._Search[int](lambda coins: 0, Rules(Budget()), False, False, None)
    for runs in (1_024, 2_047, 2_049, 3_000, 2_048, 2_048):
        going.runs = runs
        assert not going._is_hopeless(search._Phase(2**20, 2**100))
    assert list(going._looks) == [2_048]


# What was found


@pytest.mark.parametrize("unresolved", [0, 1])
@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("cost_seen", [False, True])
@pytest.mark.parametrize("shapes", [0, 1, 2])
def test_the_cost_is_the_same_where_all_of_it_is_known(unresolved: int, decided: bool, cost_seen: bool, shapes: int) -> None:
    found = search.Exploration[int](
        {}, mpq(unresolved), 0, frozenset(((), k) for k in range(shapes)), decided, (), cost_seen=cost_seen
    )
    assert found.same_cost == ((unresolved, decided, cost_seen, shapes) == (0, False, True, 1))
    assert search.Exploration[int]({}, mpq(0), 0, frozenset({((), 1)}), False, ()).same_cost
    assert (found.longest, found.sampled) == (0, False)


def test_a_cost_that_was_not_seen_is_told_of_every_path() -> None:
    found = explore(lambda coins: coins.uniform(2) == 1 and coins.geometric("1/2") < 3)  # type: ignore[attr-defined]
    assert not found.cost_seen
    assert explore(lambda coins: coins.uniform(2) == 1).cost_seen


def test_a_path_that_was_cut_off_is_no_other_when_it_is_run_again() -> None:
    made = list[int]()

    def program(coins: Coins) -> int:
        if coins.uniform(2**300) != 1:
            return 0
        made.append(1)
        while len(made) == 1:
            coins.uniform(2)
        return int(coins.uniform(2))

    with pytest.raises(ExplorationError, match="two runs on the same draws differ"):
        explore(program, Budget(bits=None, draws=20))
