"""finitedp.proofs_check.engine.lazy.plain: paths run again with plain integers."""

import json
import math
import os
import random
import re
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate, schema, validate
from finitedp.proofs_check.audit.laws import explored
from finitedp.proofs_check.engine.explorer import Declared, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.joint import pin, relate, total
from finitedp.proofs_check.engine.lazy.plain import PlainCoins, PlainRuns
from finitedp.proofs_check.engine.lazy.rules import Allowance, Rules
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.proofs_check.report import wording
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import samplers
from tests.sampling import sampled

TOLD = "the code tells a draw from an int"


def law_of(mechanism: Callable[..., Any], style: Any = "none") -> Any:
    """By an audit, at one input."""
    return explored(mechanism, (0,), style, "tuple", Budget()).law


# What a draw is told from an int by


def by_its_type(u: Any) -> Any:
    return type(u) is int


def by_the_class_of_its_type(u: Any) -> Any:
    return issubclass(type(u), int)


def by_what_json_knows(u: Any) -> Any:
    return json.dumps(u, default=str)


def by_what_json_skips(u: Any) -> Any:
    return json.dumps({u: 1}, skipkeys=True)


def by_the_kind_of_an_array(u: Any) -> Any:
    return str(np.array([u]).dtype)


def by_products_that_go_round(u: Any) -> Any:
    return bool((np.array([u, u]) * 2**62 * 4 == 0)[0])


@pytest.mark.parametrize(
    "tell",
    [
        by_its_type,
        by_the_class_of_its_type,
        by_what_json_knows,
        by_what_json_skips,
        by_the_kind_of_an_array,
        by_products_that_go_round,
    ],
)
def test_code_that_tells_a_draw_from_an_int_is_refused(tell: Callable[[Any], Any]) -> None:
    with pytest.raises(ExplorationError, match=TOLD):
        explore(lambda coins: tell(coins.uniform(6)))
    with pytest.raises(ExplorationError, match=f"{TOLD}|more than the budget's fanout"):
        law_of(lambda _rows: tell(random.randrange(1, 2**20)))
    assert law_of(lambda _rows: tell(random.randrange(1, 7))).probabilities == {
        output: mpq(many, 6) for output, many in Counter(tell(u) for u in range(1, 7)).items()
    }


def test_one_output_of_many_paths_is_enough() -> None:
    def rarely(coins: Any) -> int:
        u, v = coins.uniform(20), coins.uniform(20)
        return 7 if u == 13 and type(v) is int else 8

    with pytest.raises(ExplorationError, match=TOLD):
        explore(rarely)


def test_the_message_names_the_draws_and_both_outputs() -> None:
    def program(coins: Any) -> tuple[bool, str]:
        u = coins.uniform(9)
        return bool(u > 4), type(u).__name__ if u == 5 else "other"

    with pytest.raises(ExplorationError, match=r"with the integers \[5\] .* gives \(True, 'int'\), .* 'LazyInt'"):
        explore(program)


def test_long_draws_and_outputs_are_told_in_short() -> None:
    """Python shows no integer of more than 4,300 digits."""

    def program(coins: Any) -> bool:
        u, _ = coins.uniform(2**20_000), coins.uniform(3)
        return type(u) is int and u > 1

    with pytest.raises(ExplorationError, match=r"\[about 2\^20000, 3\] .* gives True, .* gave False"):
        explore(program)
    with pytest.raises(ExplorationError, match=r"gives a tuple that is too long to show, .* gave \(False, 1\)"):
        explore(lambda coins: (type(u := coins.uniform(2)) is int, (2**20_000 if type(u) is int else 1)))


def test_many_draws_are_told_in_short() -> None:
    def program(coins: Any) -> bool:
        drawn = [coins.uniform(9) for _ in range(1_000)]
        return type(drawn[-1]) is int

    with pytest.raises(ExplorationError) as told:
        explore(program, Budget(draws=2_000))
    assert len(str(told.value)) < 1_000
    assert re.search(r"with the integers \[(\d, ){12}\.\.\.\] for", str(told.value))


@pytest.mark.parametrize(("digits", "told"), [("9" * 30, "9" * 30), ("1" + "0" * 30, "about 2\\^99")])
def test_integers_of_up_to_thirty_digits_are_told(digits: str, told: str) -> None:
    def program(coins: Any) -> bool:
        u = coins.uniform(int(digits))
        return type(u) is int and u > 1

    with pytest.raises(ExplorationError, match=rf"\[{told}\] for its draws"):
        explore(program)


def test_other_draws_are_refused() -> None:
    def more(coins: Any) -> bool:
        u = coins.uniform(2)
        return bool(u == 1) if type(u) is LazyInt else bool(coins.uniform(2) == 1 or coins.uniform(2) == 1)

    def fewer(coins: Any) -> bool:
        return bool(coins.uniform(2) == 1) if type(coins.uniform(2)) is LazyInt else True

    def others(coins: Any) -> bool:
        return bool(coins.uniform(2) == 1 or (coins.uniform(3 if type(coins.uniform(2)) is LazyInt else 4) > 0))

    for program in (more, fewer, others):
        with pytest.raises(ExplorationError, match=f"makes other draws, .*{TOLD}"):
            explore(program)


def test_an_end_that_is_swallowed_is_refused() -> None:
    def program(coins: Any) -> bool:
        first = coins.uniform(2)
        if type(first) is int:
            with suppress(BaseException):
                coins.uniform(3)
        return bool(first == 1)

    with pytest.raises(ExplorationError, match="makes other draws"):
        explore(program)


def test_a_refusal_that_is_swallowed_is_refused() -> None:
    def program(coins: Any) -> bool:
        first = coins.uniform(2)
        if type(first) is int:
            with suppress(Exception):
                coins.uniform(0)
        return bool(first == 1)

    with pytest.raises(ExplorationError, match=r"raises ExplorationError \(uniform\(0\)"):
        explore(program)


def test_an_error_is_refused() -> None:
    def program(coins: Any) -> bool:
        return bool(coins.uniform(2)._coins is coins) and False

    with pytest.raises(ExplorationError, match=r"raises AttributeError \('int' object has no attribute '_coins'\)"):
        explore(program)


def test_draws_after_the_run_are_refused() -> None:
    kept = list[Any]()

    def program(coins: Any) -> int:
        kept.append(coins)
        return int(coins.uniform(1))

    explore(program)
    assert PlainCoins in map(type, kept)
    for coins in kept:
        with pytest.raises(ExplorationError, match="a draw is used after its run"):
            coins.uniform(1)


# What a stand-in gets wrong is refused


@pytest.mark.parametrize(
    ("method", "wrong", "program"),
    [
        ("__add__", lambda self, other: LazyInt._then(self, "+", other + 1), lambda rng: rng.randrange(2048) + 2 > 6),
        ("__neg__", lambda self: self, lambda rng: -rng.randrange(2048) > -3),
        ("__floordiv__", lambda self, k: LazyInt._then(self, "//", k + 1), lambda rng: rng.randrange(2048) // 2 > 1),
        ("__mod__", lambda self, k: int(self) % k + (int(self) == 5), lambda rng: rng.randrange(2048) % 4),
        ("__lt__", lambda self, other: self.splits_below(other + 1), lambda rng: rng.randrange(2048) < 3),
    ],
)
def test_integers_that_answer_wrongly(
    method: str, wrong: Any, program: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    law_of(lambda _rows, rng: program(rng), "random")
    monkeypatch.setattr(LazyInt, method, wrong)
    with pytest.raises(ExplorationError, match=TOLD):
        law_of(lambda _rows, rng: program(rng), "random")


@pytest.mark.parametrize(
    ("method", "wrong", "program"),
    [
        ("__floor__", lambda self: self._whole(round, "round"), lambda rng: math.floor(rng.random() * 4) > 1),
        ("__abs__", lambda self: self, lambda rng: abs(rng.random() - 0.5) < 0.25),
        ("__rsub__", lambda self, other: self - other, lambda rng: 1 - rng.random() < 0.25),
        ("__pow__", lambda self, other: self * other, lambda rng: rng.random() ** 2 < 0.25),
    ],
)
def test_floats_that_answer_wrongly(
    method: str, wrong: Any, program: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for style in ("random", "numpy"):
        law_of(lambda _rows, rng: bool(program(rng)), style)
    monkeypatch.setattr(LazyFloat, method, wrong)
    for style in ("random", "numpy"):
        with pytest.raises(ExplorationError, match=TOLD):
            law_of(lambda _rows, rng: bool(program(rng)), style)


# The kinds that stand-ins draw


@pytest.mark.parametrize(
    "drawn",
    [
        lambda rng: rng.random(),
        lambda rng: rng.uniform(1, 2),
        lambda rng: rng.integers(5),
        lambda rng: rng.integers(2**40),
        lambda rng: rng.integers(2**40, dtype=np.uint64),
        lambda rng: rng.integers(5, dtype=int),
        lambda rng: rng.integers(5, size=2),
        lambda rng: rng.random(3),
        lambda rng: rng.random((1, 2)) + 1,
        lambda rng: rng.choice(4),
        lambda rng: rng.choice([1, 2], p=[0.5, 0.5]),
        lambda rng: rng.permutation(3),
        lambda rng: rng.binomial(2, 0.5),
        lambda rng: rng.bytes(2)[0],
    ],
)
def test_plain_draws_have_the_kinds_of_numpy(drawn: Callable[[Any], Any]) -> None:
    """Those of a generator itself."""
    assert _kinds(drawn, GeneratorStandIn) == {_kind(drawn(np.random.default_rng(1)))}


def _kinds(drawn: Callable[[Any], Any], stand_in: Any) -> set[Any]:
    """Of what is drawn as numbers, at once or with plain integers."""
    seen = set[Any]()

    def program(coins: Any) -> None:
        value = drawn(stand_in(coins))
        if type(coins) is PlainCoins or not coins.lazies:
            seen.add(_kind(value))

    explore(program)
    return seen


def _kind(value: Any) -> Any:
    return type(value), getattr(value, "dtype", None), getattr(value, "shape", None)


@pytest.mark.parametrize("name", ["random", "random_sample", "rand", "randint", "uniform", "choice", "permutation"])
def test_plain_draws_have_the_kinds_of_the_old_generator(name: str) -> None:
    arguments = (5,) if name in ("randint", "choice", "permutation") else ()

    def drawn(rng: Any) -> Any:
        return getattr(rng, name)(*arguments)

    assert _kinds(drawn, RandomStateStandIn) == {_kind(drawn(np.random.RandomState(1)))}


def test_warnings_of_numpy_are_no_difference() -> None:
    """np.log(0) warns on the standard error; where it raises instead, that is one."""

    def mechanism(_rows: Any, rng: Any) -> bool:
        return bool(np.log(rng.random()) < -1)

    def raising(_rows: Any, rng: Any) -> bool:
        with np.errstate(divide="raise"):
            return bool(np.log(rng.random()) < -1)

    assert law_of(mechanism, "numpy").unresolved == 0
    with pytest.raises(ExplorationError, match=f"raises FloatingPointError .*{TOLD}"):
        law_of(raising, "numpy")


# Bytes


def first_read_last(_rows: Any) -> tuple[bool, bool, int]:
    first, second, third = os.urandom(3), secrets.token_bytes(2), random.randrange(3)
    y = int.from_bytes(second, "little")
    x = int.from_bytes(first, "big", signed=True)
    return x < 5, y < 300, third


def one_by_one(_rows: Any) -> tuple[bool, bool]:
    first, second = os.urandom(2), os.urandom(1)
    return second[0] < 9, first[1] + 256 * (first[0] // 64) < 300


def both_ways(_rows: Any) -> tuple[bool, int]:
    one = os.urandom(1)
    return int.from_bytes(one, "little") < 12, one[0] % 2


def before_others(_rows: Any) -> tuple[bool, int, bool]:
    first = os.urandom(1)[0] < 3
    return first, random.randrange(3), bool(random.randrange(7) < 3)


@pytest.mark.parametrize("mechanism", [first_read_last, one_by_one, both_ways, before_others, lambda _rows: os.urandom(0)])
def test_bytes_are_those_that_were_read(mechanism: Callable[[Any], Any]) -> None:
    law = law_of(mechanism)
    assert law.unresolved == 0


def test_bytes_that_are_told_from_bytes() -> None:
    def mechanism(_rows: Any) -> tuple[bool, bool]:
        drawn = os.urandom(2)
        return drawn[0] < 3, type(drawn) is bytes

    with pytest.raises(ExplorationError, match=TOLD):
        law_of(mechanism)


def test_bytes_of_another_number_are_other_draws() -> None:
    def mechanism(_rows: Any) -> bool:
        first = os.urandom(1)
        second = os.urandom(2 if type(first) is bytes else 1)
        return second[0] < 3 or first[0] < 3

    with pytest.raises(ExplorationError, match="makes other draws"):
        law_of(mechanism)


def test_bytes_that_are_no_longer_drawn_are_other_draws() -> None:
    def mechanism(_rows: Any) -> bool:
        first = random.randrange(2048)
        return first == 1 if type(first) is int else os.urandom(1)[0] < 300 and first == 1

    with pytest.raises(ExplorationError, match="makes other draws"):
        law_of(mechanism)


# Points


@pytest.mark.parametrize("d", [4, 5_000])
def test_pinned_draws_meet_their_relations(d: int) -> None:
    """x < y + 1 <= z + 3, of few values and of more than are listed; both ends, and many between them."""
    rng = random.Random(d)
    seen = set[tuple[int, ...]]()
    for way in range(60):
        coins: Any = LazyCoins(None, lambda _decision: None, Rules(joint=True), 0, None)
        x, y, z = (coins.uniform(d) for _ in range(3))
        relate(x, y + 1, True)
        relate(z + 3, y + 1, False)
        pick = (lambda _n: 0, lambda n: n - 1, rng.randrange)[min(way, 2)]
        pin(coins.made[way % 3], pick)
        assert [total(draw) for draw in coins.made] == [1, 1, 1]
        values = tuple(int(draw.low) for draw in coins.made)
        assert [draw.low for draw in coins.made] == [draw.high for draw in coins.made]
        assert values[0] < values[1] + 1 <= values[2] + 3
        seen.add(values)
    assert len(seen) > (15 if d == 4 else 50)


def test_pinned_draws_are_as_likely_as_they_are() -> None:
    """Every point of x < y, once for each of its ways."""
    found = Counter[tuple[int, int]]()
    for first, second in product(range(6), range(3)):
        coins: Any = LazyCoins(None, lambda _decision: None, Rules(joint=True), 0, None)
        x, y = coins.uniform(4), coins.uniform(4)
        relate(x, y, True)
        asked = list[int]()

        def pick(n: int, place: tuple[int, int] = (first, second), asked: list[int] = asked) -> int:
            asked.append(n)
            return place[len(asked) - 1] % n

        pin(coins.made[0], pick)
        assert asked[0] == 6
        found[coins.made[0].low, coins.made[1].low] += 1
    assert set(found) == {(x, y) for x in range(1, 5) for y in range(1, 5) if x < y}


def test_paths_of_related_draws_are_compared() -> None:
    def sorted_(coins: Any) -> int:
        return int(min(coins.uniform(40), coins.uniform(40), coins.uniform(40)) > 9)

    assert explore(sorted_, joint=True, replay_all=True).law() == Pmf({1: 31**3, 0: 40**3 - 31**3})
    with pytest.raises(ExplorationError, match=TOLD):
        explore(lambda coins: (sorted_(coins), type(coins.uniform(2)) is int), joint=True)


def points_of(program: Callable[[Any], Any], draws: int, **options: Any) -> list[tuple[int, ...]]:
    """Where a program was run with plain integers."""
    found = list[tuple[int, ...]]()

    def looked_at(coins: Any) -> Any:
        drawn = [coins.uniform(2**40) for _ in range(draws)]
        if type(coins) is PlainCoins:
            found.append(tuple(drawn))
        return program(drawn)

    explore(looked_at, **options)
    return found


def test_the_first_path_is_run_at_eight_points() -> None:
    """All at their least values, all at their largest, and six mixed ones."""
    found = points_of(lambda _drawn: 0, 9)
    assert len(set(found)) == len(found) == 8
    assert found[:2] == [(1,) * 9, (2**40,) * 9]


@pytest.mark.deep
def test_later_paths_are_run_at_fewer_points() -> None:
    """The second at four, the third and fourth at two, then at one."""

    def fifth(drawn: Sequence[Any]) -> int:
        return sum(bool(drawn[0] > 2**40 * k // 5) for k in range(1, 5))

    found = points_of(fifth, 6)
    by_path = Counter(map(fifth, found))
    assert sorted(by_path.values()) == [1, 2, 2, 4, 8]


def test_related_draws_are_run_at_several_points() -> None:
    found = points_of(lambda drawn: bool(drawn[0] < drawn[1]), 2, joint=True)
    assert {x < y for x, y in found} == {False, True}
    assert 2 < len(set(found)) == len(found) <= 8 + 4


def test_picks_are_ends_and_anything_between() -> None:
    picked = Counter(PlainRuns(every=False)._any(1) for _ in range(10))
    assert picked == {0: 10}
    runs = PlainRuns(every=False)
    several = Counter(runs._any(1_000) for _ in range(4_000))
    assert min(several) == 0
    assert max(several) == 999
    assert 800 < several[0] < 1_200
    assert 800 < several[999] < 1_200
    tenths = Counter(value // 100 for value in several.elements() if 0 < value < 999)
    assert min(tenths[i] for i in range(10)) > 150


def test_a_wide_draw_is_pinned_by_its_mass() -> None:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(joint=True), 0, None)
    x, y = coins.uniform(5_000), coins.uniform(5_000)
    relate(x, y, True)
    asked = list[int]()

    def last(n: int) -> int:
        asked.append(n)
        return n - 1

    pin(coins.made[0], last)
    assert asked == [5_000 * 4_999 // 2, 1]
    assert [draw.low for draw in coins.made] == [4_999, 5_000]


def test_ends_and_what_is_between_are_tried() -> None:
    """A difference at the least or the largest value alone, or in between."""
    for special in ({1}, {1000}, set(range(2, 1000))):

        def program(coins: Any, special: set[int] = special) -> tuple[int, bool]:
            u, k = coins.uniform(1000), int(coins.uniform(64))
            return k, type(u) is int and u in special

        with pytest.raises(ExplorationError, match=TOLD):
            explore(program)


@pytest.mark.parametrize("d", [2, 3, 64, 1_000, 4_096])
def test_a_difference_at_one_value_of_few_is_found_by_an_audit(d: int) -> None:
    for special in {1, 2, d // 3 + 1, d - 1, d}:

        def mechanism(data: Any, coins: Any, special: int = special) -> int:
            u = coins.uniform(d)
            return data[0] if type(u) is int and u == special else 0

        with pytest.raises(ExplorationError, match=TOLD):
            explored(mechanism, (1,), "coins", "tuple", Budget())


@pytest.mark.parametrize("part", sampled(range(32), 4))
@pytest.mark.parametrize("early", [False, True])
def test_a_difference_in_a_32nd_part_of_a_wide_draw_is_found_by_an_audit(part: int, early: bool) -> None:
    """Wherever it is, on the first path and on a later one: it holds the whole of one of 64 parts."""

    def mechanism(data: Any, coins: Any) -> int:
        first = early or coins.uniform(2) == 2
        u = coins.uniform(2**70)
        return data[0] if first and type(u) is int and part << 65 < u <= (part + 1) << 65 else 0

    with pytest.raises(ExplorationError, match=TOLD):
        explored(mechanism, (1,), "coins", "tuple", Budget())


def test_an_audit_has_the_law_of_numbers_where_draws_are_few() -> None:
    """Drawn by a library, they are numbers of it: what code does by their type it does."""

    def mechanism(data: Any, rng: Any) -> int:
        u = rng.randrange(1_000)
        return data[0] if type(u) is int and 190 <= u < 999 else -1

    found = explored(mechanism, (7,), "random", "tuple", Budget()).law
    assert found.probabilities == {7: mpq(809, 1_000), -1: mpq(191, 1_000)}


def test_points_are_others_in_each_search() -> None:
    found = [set(points_of(lambda _drawn: 0, 1, replay_all=True)) for _ in range(2)]
    assert [len(each) for each in found] == [66, 66]
    assert len(found[0] & found[1]) == 2  # both ends


def test_a_point_lies_in_each_part_of_each_draw() -> None:
    points = points_of(lambda _drawn: 0, 3, replay_all=True)[2:]
    for draw in range(3):
        assert {(point[draw] - 1) >> 34 for point in points} == set(range(64))
    assert len({((x - 1) >> 34, (y - 1) >> 34) for x, y, _ in points}) == 64


@pytest.mark.parametrize(("rarity", "points"), [(1, 66), (2, 34), (3, 34), (4, 18), (7, 10), (9, 6), (10, 4), (60, 4)])
def test_rare_paths_are_run_at_fewer_points(rarity: int, points: int) -> None:
    def program(coins: Any) -> int:
        rare, u = coins.uniform(2**rarity) == 1, coins.uniform(2**40)
        if type(coins) is PlainCoins:
            tried[bool(rare)] += 1
            assert u
        return int(rare)

    tried = Counter[bool]()
    explore(program, replay_all=True)
    assert tried == {True: points, False: 66}  # just below 1, which is no less than a half


def test_how_many_points_are_tried_completely() -> None:
    """Of small paths as many as there are; of others 4,096 in all."""

    def program(coins: Any) -> int:
        k, u = int(coins.uniform(4)), coins.uniform(2_000)
        if type(coins) is PlainCoins:
            tried[k] += 1
            assert u
        return k

    tried = Counter[int]()
    explore(program, replay_all=True)
    assert [points // 2_000 for points in sorted(tried.values())] == [0, 0, 1, 1]
    assert 32 <= min(tried.values()) <= max(sorted(tried.values())[:2]) <= 34  # both ends may be among the others
    tried.clear()
    declared = Declared(())
    for _ in range(2):  # as two inputs of an audit
        explore(program, replay_all=True, samplers=declared)
    assert [points // 2_000 for points in sorted(tried.values())] == [0, 0, 1, 1]


def test_how_many_points_an_audit_has() -> None:
    assert Allowance().takes(4_096)
    assert not Allowance().takes(4_097)
    allowance = Rules().allowance
    assert [allowance.takes(points) for points in (4_000, 97, 96, 1, 0)] == [True, False, True, False, True]


@pytest.mark.parametrize(("rare", "most"), [(0, 66), (2, 34), (9, 6), (10, 4), (40, 4)])
def test_as_many_points_as_a_sample_of_a_path_has_are_all_tried(rare: int, most: int) -> None:
    """Whatever was used up before; the sample has half as many where the path has a quarter of the probability."""
    for values in (most, most + 1):
        coins: Any = LazyCoins(None, lambda _decision: None, Rules(allowance=Allowance(left=0)), 0, None)
        coins.uniform(values + 5)
        coins.made[0].low, coins.mass = 6, coins.mass >> rare
        points = PlainRuns(every=True)._all_points(coins)
        assert (None if points is None else list(points)) == ([(x + 6,) for x in range(values)] if values == most else None)


@pytest.mark.parametrize(("values", "complete"), [(1, True), (2, False)])
def test_of_later_paths_those_of_one_point_are_tried_completely(values: int, complete: bool) -> None:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(), 0, None)
    coins.uniform(9)
    coins.made[0].low, coins.made[0].high = 3, 2 + values
    runs = PlainRuns(every=True)
    runs._paths = 65
    assert (runs._all_points(coins) is not None) == complete


@pytest.mark.parametrize(("path", "points"), [(1, 8), (2, 4), (3, 2), (4, 2), (5, 1), (8, 1), (9, 0)])
def test_a_light_look_is_at_both_ends_and_between(path: int, points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(), 0, None)
    coins.uniform(10**30)
    runs, others = PlainRuns(every=False), iter(range(5, 20))
    monkeypatch.setattr(runs, "_any", lambda _n: next(others))
    runs._paths = path
    found = list(runs._points(coins))
    assert found[:2] == ([(1,), (10**30,)] if points > 1 else found[:2])
    assert len(found) == points


def test_small_paths_are_always_run_completely() -> None:
    def program(coins: Any) -> tuple[int, bool]:
        k, u = int(coins.uniform(60)), coins.uniform(3)
        return k, type(u) is int and k == 43 and u == 2

    with pytest.raises(ExplorationError, match=TOLD):
        explore(program, replay_all=True)


def test_later_paths_of_an_audit_are_run_at_one_point() -> None:
    def program(coins: Any) -> int:
        k, u = int(coins.uniform(70)), coins.uniform(2**40)
        if type(coins) is PlainCoins:
            tried[k] += 1
            assert u
        return k

    tried = Counter[int]()
    explore(program, replay_all=True)
    assert Counter(tried.values()) == {10: 64, 1: 6}


@pytest.mark.parametrize(
    ("program", "complete", "light"),
    [
        (lambda coins: int(coins.uniform(2_000)), False, True),  # each path has one point
        (lambda coins: coins.uniform(2_000) > 7, False, True),
        (lambda coins: coins.uniform(2**40) > 7, True, True),
        (lambda coins: (int(coins.uniform(70)), coins.uniform(3) > 1), True, True),  # the last paths, at one point
        (lambda coins: coins.uniform(2) < coins.uniform(3), True, True),  # a relation of two draws
    ],
)
def test_it_is_said_where_not_all_points_were_tried(program: Callable[[Any], Any], complete: bool, light: bool) -> None:
    assert explore(program, replay_all=True, joint=True).sampled is complete
    assert explore(program, joint=True).sampled is light


def test_what_is_compared_inline_is_a_sample() -> None:
    def program(coins: Any) -> bool:
        return bool(samplers.geometric(StandIn(coins)) > 2)

    assert explore(program, Budget(), joint=True, samplers=Declared.of([samplers.geometric])).sampled


@pytest.mark.parametrize("few", [True, False])
def test_verdict_and_certificate_say_where_the_comparison_was_a_sample(few: bool) -> None:
    def mechanism(_data: Any, rng: Any) -> bool:
        return bool(rng.randrange(2_000 if few else 5_000) > 7)

    found = audit(mechanism, PrivacyClaim(0, "counts"), n=1, style="random")
    document = certificate(found)
    assert found.derived.get("compared") == document["derived"].get("compared") == (None if few else "at sampled points")
    validate(document, schema(), "the certificate")
    said = [words for what, words in wording.found_lines(document) if what == "compared"]
    assert said == ([] if few else ["with plain integers at sampled points: windows between these may be missed."])


# Samplers taken alone


def test_where_samplers_are_taken_alone_the_same_code_inline_is_compared() -> None:
    def program(coins: Any) -> tuple[bool, bool]:
        return bool(samplers.geometric(StandIn(coins)) > 2), type(coins.uniform(2)) is int

    with pytest.raises(ExplorationError, match=TOLD):
        explore(program, Budget(), joint=True, samplers=Declared.of([samplers.geometric]))


def test_where_samplers_are_taken_inline_paths_are_compared() -> None:
    def program(coins: Any) -> tuple[int, bool]:
        return samplers.appends(coins), type(coins.uniform(2)) is int

    declared = Declared.of([samplers.appends])
    assert [use.alone for use in explore(lambda coins: samplers.appends(coins), samplers=declared).uses] == [False]
    with pytest.raises(ExplorationError, match=TOLD):
        explore(program, samplers=declared)


def test_loops_of_the_coins_are_compared_inline() -> None:
    def program(coins: Any) -> tuple[bool, bool]:
        return coins.count_while(lambda c: c.uniform(2) == 1) > 2, type(coins.uniform(2)) is int

    with pytest.raises(ExplorationError, match=TOLD):
        explore(program, Budget(), joint=True, samplers=Declared(()))
