"""finitedp.proofs_check.engine.stand_ins.numpy_draws: numpy itself, on the words at which an outcome turns."""

import pickle
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Rules
from finitedp.proofs_check.engine.stand_ins import numpy_draws
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn
from finitedp.proofs_check.engine.stand_ins.wide import WideInteger
from tests.proofs_check.engine.stand_ins.given_words import as_numpy_has_it, given_draws

WORDS = 1 << 53


class Written:
    """Coins whose draws are a fixed sequence; they are kept. A draw without a bound is not asked for."""

    def __init__(self) -> None:
        self.draws: list[tuple[int, int]] = []

    def uniform(self, d: int) -> int:
        self.draws.append(((len(self.draws) + 1) * 7919 * (d // 3 + 1) % d, d))
        return self.draws[-1][0] + 1


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.25), (3, 0.5), (30, 0.01), (40, 0.7), (1000, 0.03), (60, 0.5), (7, 1.0), (5, 1e-9)]
)
@pytest.mark.parametrize("legacy", [False, True])
def test_binomials_turn_where_numpy_s_turn(n: int, p: float, legacy: bool) -> None:
    flipped = p > 0.5
    accepted, turns = numpy_draws.inversion(n, 1.0 - p if flipped else p, legacy)
    assert accepted <= WORDS
    expected: dict[int, int] = {}
    for k, turn in enumerate(turns):
        expected |= {max(turn - 1, 0): k} if turn and turn - 1 not in expected else {}
        if turn < accepted:
            expected[turn] = k + 1
    expected[accepted - 1] = sum(turn <= accepted - 1 for turn in turns)
    for word, value in expected.items():
        given = given_draws([(word, WORDS)])
        drawn = np.random.RandomState(given).binomial(n, p) if legacy else np.random.Generator(given).binomial(n, p)
        if sum(turn == word for turn in turns) < 2:  # several turns at one word skip values
            assert int(drawn) == (n - value if flipped else value)
        assert not given.left
    if accepted < WORDS:
        given = given_draws([(accepted, WORDS), (0, WORDS)])
        kind: Any = np.random.RandomState if legacy else np.random.Generator
        assert int(kind(given).binomial(n, p)) == (n if flipped else 0)
        assert not given.left


@pytest.mark.parametrize("legacy", [False, True])
def test_binomials_along_every_path(legacy: bool) -> None:
    for n, p in ((30, 0.01), (30, 0.99), (8, 0.5), (2, 0.0), (3, 1.0), (0, 0.3), (60, 0.5)):
        as_numpy_has_it(lambda rng, n=n, p=p: rng.binomial(n, p), legacy=legacy)  # type: ignore[misc]
    as_numpy_has_it(lambda rng: rng.binomial([1, 2], [[0.5], [0.25]]), legacy=legacy)
    as_numpy_has_it(lambda rng: rng.binomial([1, 2], 0.5, size=(1, 2)), legacy=legacy)


@pytest.mark.parametrize(("n", "p"), [(100, 0.5), (61, 0.5), (10**9, 1e-7), (100, 0.65)])
def test_a_mean_above_30_is_refused(n: int, p: float) -> None:
    with pytest.raises(ExplorationError, match="of a mean above 30"):
        numpy_draws.binomial(Written(), n, p, legacy=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("n", "k"),
    [(10_001, 200), (10_001, 201), (10_000, 201), (10_000, 600), (10_001, 3), (12_345, 246), (12_345, 247), (1, 1)],
)
def test_distinct_places_in_order(n: int, k: int) -> None:
    coins = Written()
    found = numpy_draws.distinct(coins, n, k, shuffle=True)  # type: ignore[arg-type]
    given = given_draws(coins.draws)
    assert np.random.Generator(given).choice(n, size=k, replace=False).tolist() == found
    assert not given.left


@pytest.mark.parametrize(("n", "k"), [(10_001, 500), (10_001, 501), (10_000, 501), (10_001, 10_001), (5, 5), (7, 2)])
def test_distinct_places_as_they_come(n: int, k: int) -> None:
    coins = Written()
    found = numpy_draws.distinct(coins, n, k, shuffle=False)  # type: ignore[arg-type]
    given = given_draws(coins.draws)
    assert np.random.Generator(given).choice(n, size=k, replace=False, shuffle=False).tolist() == found
    assert not given.left


@pytest.mark.parametrize(("n", "k"), [(4, 4), (6, 2), (400, 300), (3, 0)])
@pytest.mark.parametrize("legacy", [False, True])
def test_distinct_places_with_weights(n: int, k: int, legacy: bool) -> None:
    at_random = random.Random(n)
    words, weights = [at_random.getrandbits(53) for _ in range(3000)], np.arange(1.0, n + 1) ** 3
    weights /= weights.sum()
    left = iter(words)
    found = numpy_draws.weighted_distinct(lambda: next(left) * 2.0**-53, weights, k)
    given = given_draws([(word, WORDS) for word in words])
    rng: Any = np.random.RandomState(given) if legacy else np.random.Generator(given)
    assert rng.choice(n, size=k, replace=False, p=weights).tolist() == found
    assert len(given.left) == len(list(left))


@pytest.mark.parametrize(
    ("p", "n"),
    [
        ([0.5, 0.5], 2),
        ([0.5, 0.5 + 1e-8], 2),
        ([0.5, 0.5 + 2e-8], 2),
        ([0.5, 0.5 - 1e-8], 2),
        ([0.5, 0.5 - 2e-8], 2),
        ([[0.5, 0.5]], 2),
        ([1.0], 2),
        ([1.5, -0.5], 2),
        ([1.0, -0.0], 2),
        ([np.nan, 1.0], 2),
        (np.array([0.5, 0.5003], dtype=np.float32), 2),
        (np.array([0.5, 0.502], dtype=np.float32), 2),
        (np.array([1, 0]), 2),
        ([0.1] * 10, 10),
        ([1e-17] * 1000 + [1.0 - 1e-14], 1001),
        ([1.0, 1e16, -1e16], 3),
        ([0.3, 0.7], 2),
    ],
)
def test_weights_are_taken_where_numpy_takes_them(p: Any, n: int) -> None:
    states = [pickle.dumps(rng) for rng in numpy_draws._UNMOVED.values()]
    for kind, numpys in ((GeneratorStandIn, np.random.default_rng(1)), (RandomStateStandIn, np.random.RandomState(1))):
        both: list[Any] = [kind(Written()), numpys]  # type: ignore[arg-type]
        assert raised(lambda: both[0].choice(n, p=p)) == raised(lambda: both[1].choice(n, p=p))  # noqa: B023
    assert [pickle.dumps(rng) for rng in numpy_draws._UNMOVED.values()] == states


@pytest.mark.parametrize(("count", "narrow"), [(4096, True), (4097, False)])
def test_a_narrow_range_is_decided_when_it_is_drawn(count: int, narrow: bool) -> None:
    coins: Any = LazyCoins(None, lambda _decision: None, Rules(), 0, None)
    assert (type(GeneratorStandIn(coins).integers(count)) is np.int64) == narrow
    assert type(GeneratorStandIn(Written()).integers(count)) is np.int64  # type: ignore[arg-type]  # an integer is one


def test_nothing_is_decided_in_the_copy_of_a_declared_sampler() -> None:
    solver: Any = SimpleNamespace()
    for in_copies in (True, False):
        solver.in_copies = in_copies
        coins: Any = LazyCoins(None, lambda _decision: None, Rules(solver=solver), 0, None)
        assert (type(GeneratorStandIn(coins).integers(3)) is WideInteger) == in_copies
    coins = LazyCoins(None, lambda _decision: None, Rules(), 0, None)
    assert type(GeneratorStandIn(coins).integers(3)) is np.int64


@pytest.mark.parametrize("legacy", [False, True])
def test_choices_of_one(legacy: bool) -> None:
    for draw in (
        lambda rng: rng.choice(1),
        lambda rng: rng.choice([5]),
        lambda rng: rng.choice(1, size=2),
        lambda rng: rng.choice(1, size=1, replace=False),
        lambda rng: rng.choice(0, size=0),
        lambda rng: rng.choice([[1, 2]], size=2) if not isinstance(rng, np.random.RandomState) else 0,
        lambda rng: rng.choice(3, size=(2, 1)),
        lambda rng: rng.choice(["a", "b"], size=(2, 1)),
    ):
        as_numpy_has_it(draw, legacy=legacy, lemire=not legacy)
    for n in (0, 1, np.int64(2)):
        as_numpy_has_it(lambda rng, n=n: rng.permutation(n), legacy=legacy, lemire=False)  # type: ignore[misc]


def test_ranges_of_a_generator() -> None:
    for draw in (
        lambda rng: rng.integers(2, 3),
        lambda rng: rng.integers(2, 2, endpoint=True),
        lambda rng: rng.integers(-2, 1, endpoint=True),
        lambda rng: rng.integers(3, size=(1, 2)),
        lambda rng: rng.integers(3, size=np.int64(2)),
        lambda rng: rng.integers(low=1, high=3.5),
    ):
        as_numpy_has_it(draw)


def raised(function: Any) -> str:
    """The error's type."""
    try:
        function()
    except (ArithmeticError, ValueError, TypeError) as error:
        return type(error).__name__
    return "nothing"


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.integers(0),
        lambda rng: rng.integers(3, 3),
        lambda rng: rng.integers(3, 2, endpoint=True),
        lambda rng: rng.integers(300, dtype=np.int8),
        lambda rng: rng.integers(-1, 3, dtype=np.uint8),
        lambda rng: rng.integers(129, dtype=np.int8),
        lambda rng: rng.integers(128, dtype=np.int8, endpoint=True),
        lambda rng: rng.integers(128, dtype=np.int8),
        lambda rng: rng.integers(-128, 3, dtype=np.int8),
        lambda rng: rng.integers(-129, 3, dtype=np.int8),
    ],
)
def test_ranges_that_there_are_not(draw: Any) -> None:
    assert raised(lambda: draw(GeneratorStandIn(Written()))) == raised(lambda: draw(np.random.default_rng(1)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.randint(0),
        lambda rng: rng.randint(3, 3),
        lambda rng: rng.randint(np.int64(300), np.int64(300)),
        lambda rng: rng.randint(4, 3),
        lambda rng: rng.randint(3, 4),
        lambda rng: rng.randint(3, 2, size=2),
        lambda rng: rng.randint(300, dtype=np.int8),
        lambda rng: rng.choice([[1, 2]]),
    ],
)
def test_ranges_that_there_are_not_for_a_random_state(draw: Any) -> None:
    assert raised(lambda: draw(RandomStateStandIn(Written()))) == raised(lambda: draw(np.random.RandomState(1)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda rng: rng.uniform([0, 0], 1), r"draws uniform\(\) between arrays"),
        (lambda rng: rng.uniform(0, [1, 1]), r"draws uniform\(\) between arrays"),
        (lambda rng: rng.uniform(0, np.array([1])), r"draws uniform\(\) between arrays"),
        (lambda rng: rng.uniform(1, 0), r"uniform\(\) from high to low"),
        (lambda rng: rng.integers([1], 3), r"integers\(\) between arrays"),
        (lambda rng: rng.integers(1, (3,)), r"integers\(\) between arrays"),
        (lambda rng: rng.integers(2, dtype=bool), "whole numbers of type bool"),
        (lambda rng: rng.integers(2, dtype=float), "whole numbers of type float64"),
        (lambda rng: rng.random(out=np.empty(1)), "or into an array"),
        (lambda rng: rng.random(dtype=np.float32), "of another type"),
        (lambda rng: rng.random(dtype=np.longdouble), "of another type"),
        (lambda rng: rng.shuffle([1], axis=1), "along an axis"),
        (lambda rng: rng.shuffle(np.ma.array([1, 2])), "shuffles what is neither"),
        (lambda rng: rng.normal(), "not followed exactly"),
    ],
)
def test_what_is_refused(draw: Any, message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        draw(GeneratorStandIn(Written()))  # type: ignore[arg-type]


def test_what_a_generator_has_not() -> None:
    for name in ("nothing", "_bit_generator", "__len__"):
        assert not hasattr(GeneratorStandIn(Written()), name)  # type: ignore[arg-type]
    with pytest.raises(ExplorationError, match=r"randint\(\) between arrays"):
        RandomStateStandIn(Written()).randint([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ExplorationError, match=r"randint\(\) between arrays"):
        RandomStateStandIn(Written()).randint(1, np.array([2]))  # type: ignore[arg-type]
    assert as_numpy_has_it(lambda rng: int(rng.uniform(1, 1) == 1)).support == {1}
