"""finitedp.proofs_check.engine.stand_ins.numpy_sources: against the real numpy on the same words."""

import contextlib
import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.errors import BudgetError, ExplorationError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.other_randomness import stood_in
from finitedp.proofs_check.engine.stand_ins import libm, numpy_draws, numpy_sources
from finitedp.proofs_check.engine.stand_ins.arrays import LazyArray
from finitedp.proofs_check.engine.stand_ins.numpy_functions import BINARY, LIBRARY, UNARY
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn
from finitedp.proofs_check.engine.stand_ins.outputs import freeze
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.stand_ins.given_words import as_numpy_has_it, given_draws

ROWS = np.arange(6).reshape(3, 2)


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.integers(7),
        lambda rng: rng.integers(-3, 4, endpoint=True),
        lambda rng: rng.integers(5, size=2),
        lambda rng: rng.integers(0, 2**62) < 2**60,
        lambda rng: rng.integers(10**6) >= 77,
        lambda rng: rng.integers(3, dtype=np.int64, size=(1, 2)),
        lambda rng: rng.choice(5),
        lambda rng: rng.choice(["a", "b", "c"]),
        lambda rng: rng.choice(4, size=2),
        lambda rng: rng.choice(4, size=2, replace=False),
        lambda rng: rng.choice([7, 8, 9], size=3, replace=False),
        lambda rng: rng.choice(5, size=3, replace=False, shuffle=False),
        lambda rng: rng.choice(ROWS, size=2, replace=False, axis=1),
    ],
)
def test_whole_numbers_of_a_generator_are_numpy_s(program: Callable[[Any], Any]) -> None:
    as_numpy_has_it(program)


def shuffled(rng: Any, values: Any, **options: Any) -> Any:
    rng.shuffle(values, **options)
    return values


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    "program",
    [
        lambda rng: shuffled(rng, [1, 2, 3, 4]),
        lambda rng: shuffled(rng, np.array([1.5, 2.5, 3.5])),
        lambda rng: shuffled(rng, ROWS.copy()),
        lambda rng: rng.permutation(4),
        lambda rng: rng.permutation(["a", "b", "c"]),
        lambda rng: rng.permutation(ROWS),
    ],
)
def test_orders_are_numpy_s(program: Callable[[Any], Any], legacy: bool) -> None:
    as_numpy_has_it(program, legacy=legacy, lemire=False)


def test_orders_along_another_axis_are_numpy_s() -> None:
    as_numpy_has_it(lambda rng: shuffled(rng, ROWS.T.copy(), axis=1), lemire=False)
    as_numpy_has_it(lambda rng: rng.permutation(ROWS.T, axis=1), lemire=False)


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.randint(7),
        lambda rng: rng.randint(-3, 4),
        lambda rng: rng.randint(5, size=2),
        lambda rng: rng.randint(4, size=2),
        lambda rng: rng.randint(3, size=()),
        lambda rng: rng.randint(1, 4, dtype=np.int32),
        lambda rng: rng.random_integers(3),
        lambda rng: rng.random_integers(-1, 2),
        lambda rng: rng.random_integers(0, 2, size=2),
        lambda rng: rng.choice(5),
        lambda rng: rng.choice([7, 8, 9], size=2),
        lambda rng: rng.choice(4, size=2, replace=False),
        lambda rng: rng.choice([7, 8, 9], 3, False),
    ],
)
@pytest.mark.filterwarnings("ignore:This function is deprecated. Please call randint:DeprecationWarning")
def test_whole_numbers_of_a_random_state_are_numpy_s(program: Callable[[Any], Any]) -> None:
    as_numpy_has_it(program, legacy=True, lemire=False)


def quietly(function: Callable[[], Any]) -> Any:
    with np.errstate(divide="ignore"):
        return function()


TENTHS = [0.1, 0.2, 0.3, 0.4]
UNEVEN = np.array([1e-17, 0.1, 0.0, 0.7, 0.2])


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.random() < 0.1,
        lambda rng: (rng.random(3) < 0.3).sum(),
        lambda rng: rng.random((2, 1)) >= 1 / 3,
        lambda rng: rng.uniform(-1, 2) > 0.3,
        lambda rng: np.floor(rng.uniform(0, 3, size=2)),
        lambda rng: np.log(rng.random() + 0.5) > 0.1,
        lambda rng: quietly(lambda: np.log(rng.random()) > -1),
        lambda rng: np.round(rng.uniform(-2, 2), 1) > 0.3,
        lambda rng: int(np.round(rng.uniform(-2, 2))),
        lambda rng: np.clip(rng.uniform(-2, 2), -1, 1) >= 0.7,
        lambda rng: np.clip(rng.uniform(-2, 2), -1, 1) >= -1,
        lambda rng: np.sign(rng.uniform(-1, 1)) * np.float64(2),
        lambda rng: np.argmax(rng.random() <= np.cumsum(TENTHS)),
        lambda rng: np.where(rng.random(2) < 0.5, [1, 2], [3, 4]),
        lambda rng: (2 * rng.random(2) - np.array([0.5, 1.0]) > 0).tolist(),
        lambda rng: (rng.random(2) * 3).astype(int),
        lambda rng: [x > 0.5 for x in rng.random(2).tolist()],
        lambda rng: rng.choice(4, p=TENTHS),
        lambda rng: rng.choice(3, p=[0.25, 0.5, 0.25]),
        lambda rng: rng.choice(["x", "y", "z", "w"], size=2, p=TENTHS),
        lambda rng: rng.choice(5, p=UNEVEN),
        lambda rng: rng.choice(4, size=2, replace=False, p=TENTHS),
        lambda rng: rng.binomial(1, 0.3),
        lambda rng: rng.binomial(1, 0.75),
        lambda rng: rng.binomial(5, 1 / 3),
        lambda rng: rng.binomial(1, [0.1, 0.9]),
        lambda rng: rng.binomial(3, 0.5, size=2),
        lambda rng: rng.binomial(1, 0.25, size=()),
        lambda rng: rng.binomial(0, 0.5) + rng.binomial(4, 0.0) + rng.binomial(1, 1.0),
    ],
)
def test_floats_have_numpy_s_thresholds(program: Callable[[Any], Any], legacy: bool) -> None:
    """Word by word: each end of each interval is one word from a threshold."""
    as_numpy_has_it(program, legacy=legacy)


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: np.power(rng.random() + 0.5, 1.7) > 1.1,
        lambda rng: np.power(rng.random() + 0.5, 3) >= 1.5,
        lambda rng: (rng.random(1) + 1) ** 2 > 1.7,
        lambda rng: np.power(rng.random(2) + 0.5, -0.5)[1] > 0.9,
        lambda rng: np.power(1.7, rng.random()) < 1.3,
        lambda rng: np.power(0.3, rng.random()) <= 0.9,
        lambda rng: (rng.random(1) + 0.5)[0] ** 1.7 > 1.1,
        lambda rng: (rng.random() + 0.5) ** np.float64(3) > 1.1,
    ],
)
def test_powers_are_numpy_s_or_the_c_library_s(program: Callable[[Any], Any]) -> None:
    """np.power() and ** of an array have code of their own; ** of a scalar is the C library's."""
    as_numpy_has_it(program)


@pytest.mark.parametrize("x", [0.0, -0.0])
def test_a_power_of_a_zero_has_its_sign(x: float) -> None:
    assert law(lambda rng: (x * rng.random(1))[0] ** 3).support == {freeze(np.float64(x))}
    assert law(lambda rng: (x * rng.random(1))[0] ** 2).support == {freeze(np.float64(0.0))}


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: np.maximum(2 * rng.random(), 1) > 1.5,
        lambda rng: np.minimum(np.floor(2 * rng.random()), 0),
        lambda rng: np.maximum(np.floor(2 * rng.random(2)), 1)[0],
        lambda rng: np.maximum(np.floor(2 * rng.random()), 0.5),
        lambda rng: np.minimum(0.5, np.floor(2 * rng.random())),
        lambda rng: np.clip(np.floor(4 * rng.random()), 1, 2),
        lambda rng: np.clip(np.floor(4 * rng.random()), 2, 1),
        lambda rng: np.clip(np.rint(rng.random() - 0.5), 0.0, 1),
        lambda rng: np.clip(np.rint(rng.random() - 0.5), -1, -0.0),
        lambda rng: round(rng.random(1)[0], 1),
        lambda rng: round(20 * rng.random(1)[0], -1),
        lambda rng: round(rng.random(1)[0]),
        lambda rng: np.rint(rng.random() - 0.5),
        lambda rng: abs(np.rint(rng.random() - 0.5)),
        lambda rng: np.rint(rng.random() - 0.5) * -0.0,
        lambda rng: math.copysign(1, np.rint(rng.random() - 0.5)),
        lambda rng: math.copysign(np.rint(rng.random() - 0.5), 1),
        lambda rng: math.log(rng.random(1)[0] + 1) > 0.5,
        lambda rng: math.log(rng.random(1)[0] + 1, 3) > 0.5,
        lambda rng: math.sqrt(rng.random(1)[0]) > 0.5,
        lambda rng: math.pow(rng.random(1)[0] + 1, 2) > 2.5,
        lambda rng: math.fabs(np.rint(rng.random() - 0.5)),
        lambda rng: math.ldexp(np.floor(2 * rng.random()), 3),
        lambda rng: math.floor(3 * rng.random(1)[0]),
        lambda rng: rng.random(0) + 1,
        lambda rng: rng.random(2)[:0] * 2,
        lambda rng: rng.random(0) < 1,
    ],
)
def test_values_types_and_signs_are_numpy_s(program: Callable[[Any], Any]) -> None:
    with stood_in():
        as_numpy_has_it(program)


WHOLE = (-1.0, 0.0, 0.5, 1.0)


@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_one_is_numpy_s(name: str) -> None:
    ufunc = getattr(np, name)
    as_numpy_has_it(lambda rng: ufunc(np.floor(3 * rng.random()) - 1))
    as_numpy_has_it(lambda rng: ufunc(3 * rng.random() - 1.5) > 0)


@pytest.mark.parametrize("name", LIBRARY)
def test_a_function_of_the_library_is_numpy_s_at_the_end_of_its_domain_too(name: str) -> None:
    ufunc, lowest = getattr(np, name), max(LIBRARY[name].above, -1.0)
    as_numpy_has_it(lambda rng: quietly(lambda: ufunc(np.floor(3 * rng.random()) + lowest) > -5))
    as_numpy_has_it(lambda rng: quietly(lambda: ufunc(3 * rng.random() + lowest) > 0.25))


@pytest.mark.parametrize("name", BINARY)
def test_a_function_of_two_is_numpy_s(name: str) -> None:
    ufunc = getattr(np, name)
    for other in WHOLE:
        if name != "divide" or other:
            as_numpy_has_it(lambda rng, other=other: ufunc(np.floor(3 * rng.random()) - 1, other))  # type: ignore[misc]
            as_numpy_has_it(lambda rng, other=other: ufunc(3 * rng.random() - 1.5, other) > 0.25)  # type: ignore[misc]
        as_numpy_has_it(lambda rng, other=other: ufunc(other, np.floor(3 * rng.random()) + 1))  # type: ignore[misc]
        as_numpy_has_it(lambda rng, other=other: ufunc(np.float64(other), rng.random() + 1) > 0.25)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("program", "of_numpy"),
    [
        (lambda rng: np.exp(rng.random()) > 1.5, True),
        (lambda rng: np.log(rng.random() + 1) > 0.5, True),
        (lambda rng: np.power(1.7, rng.random()) < 1.3, True),
        (lambda rng: np.power(rng.random() + 1, 1.7) < 1.3, True),
        (lambda rng: (rng.random(1) + 1)[0] ** 1.7 < 1.3, False),
        (lambda rng: math.exp(rng.random()) > 1.5, False),
    ],
)
def test_what_is_assumed_of_numpy_s_own_functions_is_named(program: Callable[[Any], Any], of_numpy: bool) -> None:
    with stood_in():
        found = explore(lambda coins: freeze(program(GeneratorStandIn(coins))))
    assert (libm.numpy_assumption() in found.assumptions) == of_numpy
    assert (libm.assumption() in found.assumptions) != of_numpy


@pytest.mark.parametrize(("function", "expected"), [(np.argmax, Pmf({1: 1, 2: 1})), (np.argmin, Pmf({0: 3, 1: 1}))])
def test_the_first_place_of_the_largest_and_of_the_smallest(function: Any, expected: Any) -> None:
    def program(coins: Any) -> int:
        drawn = GeneratorStandIn(coins).random(1)[0]
        return int(function(LazyArray(coins, np.array([np.float64(0.25), drawn, np.float64(0.5)], dtype=object))))

    assert explore(program).law() == expected


class Written:
    """Coins whose draws are a fixed sequence; they are kept."""

    def __init__(self) -> None:
        self.draws: list[tuple[int, int]] = []

    def uniform(self, d: int) -> int:
        self.draws.append((len(self.draws) * 7919 % d, d))
        return self.draws[-1][0] + 1


@pytest.mark.parametrize(("n", "k"), [(10_001, 201), (10_001, 10_000), (16_383, 1_000), (10_001, 10_001)])
def test_a_choice_of_many_without_replacement_swaps_at_the_tail(n: int, k: int) -> None:
    coins = Written()
    found = numpy_draws.distinct(coins, n, k, shuffle=True)  # type: ignore[arg-type]
    given = given_draws(coins.draws)
    assert np.random.Generator(given).choice(n, size=k, replace=False).tolist() == found
    assert not given.left


def test_a_binomial_of_fewer_than_no_trials_raises_as_numpy_does() -> None:
    for kind in (np.random.default_rng(1).binomial, lambda n, p: numpy_draws.binomial(Written(), n, p, legacy=False)):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="n < 0"):
            kind(-1, 0.5)


def test_no_weights_sum_to_nothing() -> None:
    for rng in (np.random.default_rng(1), GeneratorStandIn(Written())):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="sum to 1"):
            rng.choice(0, size=0, p=[])


@pytest.mark.parametrize(
    ("kind", "real"), [(GeneratorStandIn, np.random.Generator), (RandomStateStandIn, np.random.RandomState)]
)
def test_a_stand_in_is_an_instance_of_what_it_stands_for(kind: Any, real: type) -> None:
    assert law(lambda rng: isinstance(rng, real), kind).support == {True}


def test_names_of_the_legacy_generator() -> None:
    assert not any(hasattr(RandomStateStandIn(Written()), name) for name in ("ranf", "sample", "integers"))  # type: ignore[arg-type]
    assert as_numpy_has_it(lambda rng: rng.binomial(2**63 - 1, 0.0), legacy=True).support == {0}
    for name in ("random_sample", "random", "rand"):
        assert as_numpy_has_it(lambda rng, name=name: getattr(rng, name)() < 0.25, legacy=True)[True] == mpq(1, 4)  # type: ignore[misc]
    assert as_numpy_has_it(lambda rng: bool(rng.rand(2)[1] < 0.25), legacy=True)[True] == mpq(1, 4)


def test_a_binomial_that_numpy_draws_again_has_the_law_of_the_words_it_accepts() -> None:
    """At p = 1/3 the two steps sum to less than the largest uniforms or not: numpy draws again at words beyond."""
    for p in (0.1, 1 / 3, 0.3, 0.49):
        accepted, turns = numpy_draws.inversion(1, p, False)
        for word in {accepted - 1, accepted, 2**53 - 1} & set(range(accepted - 1, 2**53)):
            given = given_draws([(word, 2**53), (0, 2**53)])
            assert np.random.Generator(given).binomial(1, p) == (1 if word < accepted else 0)
            assert len(given.left) == (1 if word < accepted else 0)
        for word, value in ((turns[0] - 1, 0), (turns[0], 1)):
            assert np.random.Generator(given_draws([(word, 2**53)])).binomial(1, p) == value


def test_a_choice_with_weights_is_not_exactly_as_weighted() -> None:
    found = as_numpy_has_it(lambda rng: int(rng.choice(4, p=TENTHS)))
    assert found[0] != mpq(1, 10)
    assert abs(found[0] - mpq(1, 10)) < mpq(1, 2**50)


def law(program: Callable[[Any], Any], kind: Any = GeneratorStandIn) -> Any:
    return explore(lambda coins: freeze(program(kind(coins)))).law()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda rng: rng.normal(), r"numpy's Generator\.normal, which is not followed"),
        (lambda rng: rng.laplace(), r"numpy's Generator\.laplace"),
        (lambda rng: rng.exponential(), r"numpy's Generator\.exponential"),
        (lambda rng: rng.gumbel(), r"numpy's Generator\.gumbel"),
        (lambda rng: rng.binomial(100, 0.5), "of a mean above 30"),
        (lambda rng: rng.random(dtype=np.float32), "of another type"),
        (lambda rng: rng.integers([1, 2]), "between arrays"),
        (lambda rng: rng.random(2).sum(), r"uses \.sum of an array that is not decided"),
        (lambda rng: np.sort(rng.random(2)), "uses np.sort of an array"),
        (lambda rng: np.sin(rng.random()), "uses np.sin of a float"),
        (lambda rng: np.log(rng.random() - 0.5) > -1, "where it may be nan"),
        (lambda rng: np.power(rng.random() - 0.5, 2) > 0.1, "raises a value that may be at most 0 to a power"),
        (lambda rng: np.float64(2) ** rng.random() > 1.5, "a scalar of numpy to a value that is not decided"),
        (lambda rng: np.power(rng.random(2), [2, 3]) > 0.5, "raises to an array of powers"),
        (lambda rng: np.power(2, rng.random(2)) > 1.5, "raises to an array of powers"),
        (lambda rng: np.power(rng.random() + 1, 0) > 0.5, "to the power 0"),
        (lambda rng: np.power(1, rng.random()) > 0.5, "raises 1.0 to a value"),
        (lambda rng: np.power(-2, rng.random()) > 0.5, "raises -2.0 to a value"),
        (lambda rng: (0 * rng.random(1))[0] ** -1 > 0.5, "raises a value that may be at most 0 to the power -1"),
        (lambda rng: np.maximum(-0.0, 0 * rng.random()), "of 0.0 and -0.0"),
        (lambda rng: np.minimum(np.rint(rng.random() - 0.5), 0.0), "of 0.0 and -0.0"),
        (lambda rng: np.add(rng.random(), 1, dtype=np.float32), "with options"),
        (lambda rng: rng.spawn(2), r"Generator\.spawn"),
        (lambda rng: np.array([rng.random()], dtype=float), "needs the value of a float"),
        (lambda rng: rng.random(2), "needs the value of a float that is one of very many"),
        (lambda rng: rng.bit_generator, r"Generator\.bit_generator"),
        (lambda rng: 1 / (rng.uniform() * np.float64(1)) > 2, "inf or nan"),
        (lambda rng: np.float64(1) / rng.uniform() > 2, "divides by a value that may be 0"),
        (lambda rng: rng.uniform() / np.float64(0) > 2, "divides by 0"),
        (lambda rng: rng.uniform(size=1)[0] / 0 > 2, "divides by 0"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_line(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ExplorationError, match=message) as refused:
        law(program)
    assert "test_numpy_sources.py" in str(refused.value) or str(refused.value).startswith("the output needs")
    assert "next: " in str(refused.value)


def test_a_seed_is_refused() -> None:
    with pytest.raises(ExplorationError, match="next: leave the seed out"):
        law(lambda rng: rng.seed(1), RandomStateStandIn)


@pytest.mark.parametrize("legacy", [False, True])
def test_ranges_of_floats_are_numpy_s(legacy: bool) -> None:
    for program in (
        lambda rng: rng.uniform() > 0.6,
        lambda rng: rng.uniform(0.5) > 0.7,
        lambda rng: rng.uniform(high=0.5) > 0.3,
        lambda rng: rng.uniform(high=2) > 1.3,
        lambda rng: rng.uniform(size=2)[1] > 0.7,
    ):
        as_numpy_has_it(program, legacy=legacy)


def test_the_assumption_on_the_bit_generator_is_named() -> None:
    found = explore(lambda coins: int(GeneratorStandIn(coins).integers(2)))
    assert [text.partition(":")[0] for text in found.assumptions] == [f"numpy {np.__version__}"]


def test_types_are_numpy_s() -> None:
    """A generator's integers are numpy's, those of a choice from a range are Python's, and wide ones stay numpy's."""
    kinds = law(
        lambda rng: (type(rng.integers(2)).__name__, type(rng.choice(2)).__name__, type(rng.binomial(1, 0.5)).__name__)
    )
    real = np.random.default_rng(1)
    assert list(kinds.support) == [tuple(type(x).__name__ for x in (real.integers(2), real.choice(2), real.binomial(1, 0.5)))]
    assert law(lambda rng: isinstance(rng.integers(2**60), np.int64)).support == {True}
    assert law(lambda rng: np.floor(rng.random())).support == {freeze(np.float64(0))}
    assert law(lambda rng: (rng.integers(2**60) + 1) // 2**59 > 0).support == {freeze(np.True_), freeze(np.False_)}


def test_a_wide_integer_that_would_wrap_round_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """2^63 - 1 + 1 is -2^63 for numpy."""
    with pytest.raises(BudgetError):
        law(lambda rng: rng.integers(2**63) + 1 > 0)
    assert law(lambda rng: bool(rng.integers(2**62) + 1 > 0)) == Pmf({True: 1})
    monkeypatch.setattr(numpy_sources, "NARROW", 2)
    with np.errstate(over="ignore"):
        assert law(lambda rng: bool(rng.integers(2**63 - 8, 2**63) + 1 > 0)) == Pmf({True: 7, False: 1})


def moved_in_place(rng: Any) -> Any:
    """Whatever else holds the array sees it."""
    drawn = rng.random(3)
    kept, view = drawn, drawn[1:]
    view -= 0.25
    view *= 2
    drawn += 1
    drawn /= [1, 2, 3]
    drawn **= 2
    assert np.add(drawn, 0, out=drawn) is drawn
    return kept[0] > 2.5, kept[1] > 0.6, view[1] > 0.2, (kept is drawn)


def set_in_place(array: Any) -> None:
    array[0] = 5


@pytest.mark.parametrize(
    "program",
    [
        moved_in_place,
        lambda rng: (+rng.random(2) > 0.5).tolist(),
        lambda rng: (-rng.random(2) > -0.5).tolist(),
        lambda rng: (abs(rng.random(2) - 0.5) > 0.25).tolist(),
        lambda rng: (300 * rng.random(1)).astype("int64")[0] > 7,
        lambda rng: (9 * rng.random(1) - 5).astype(np.dtype(np.int8)),
        lambda rng: (127 * np.floor(2 * rng.random(1))).astype(np.int8),
        lambda rng: (-128 * np.floor(2 * rng.random(1))).astype(np.int8),
        lambda rng: np.floor(2 * rng.random(1)).astype(bool),
        lambda rng: np.floor(2 * rng.random((1, 2))).astype("bool"),
        lambda rng: np.floor(2 * rng.random(1)).astype(np.dtype(bool, metadata={"of": "coins"})),
        lambda rng: np.floor(2 * rng.random((1, 2))),
        lambda rng: np.floor(2 * rng.random((1, 2))).tolist(),
        lambda rng: [float(x) for x in np.floor(2 * rng.random(2)).astype(int)],
        lambda rng: (len(rng.random((2, 1))), rng.random((2, 1)).shape, rng.random((2, 3)).size, rng.random((2, 3)).ndim),
        lambda rng: str(rng.random(2).dtype),
        lambda rng: isinstance(rng.random(2), np.ndarray),
        lambda rng: [bool(x > 0.5) for x in rng.random(2)],
        lambda rng: [bool(x[0] > 0.5) for x in rng.random((2, 1))],
        lambda rng: (rng.random((2, 2))[:, 1] > 0.5).tolist(),
        lambda rng: (np.array([1, 2]) - rng.random(2) > 0.5).tolist(),
        lambda rng: (1 / (rng.random(2) + 1) > 0.7).tolist(),
        lambda rng: (2 - rng.random(2) > [1.5, 1.7]).tolist(),
        lambda rng: rng.random((2, 1)) > np.array([0.25, 0.5]),
        lambda rng: np.multiply(rng.random(), np.array([1, 2])) > 0.7,
        lambda rng: np.array([1.0, 2.0]) * rng.random() > 0.7,
        lambda rng: rng.random() > np.array([0.25, 0.5]),
        lambda rng: np.logical_and(rng.random(2) > 0.5, True),
        lambda rng: type(rng.random(1)[0] + 1).__name__ in ("float64", "LazyFloat"),
        lambda rng: type(np.floor(2 * rng.random(1)).tolist()[0] + 0) is not np.float64,
    ],
)
def test_arrays_are_numpy_s(program: Callable[[Any], Any]) -> None:
    as_numpy_has_it(program)


@pytest.mark.parametrize(
    "program",
    [
        lambda array: array // 2,
        lambda array: 2 // array,
        lambda array: array % 2,
        lambda array: divmod(array, 2),
        lambda array: array @ array,
        lambda array: set_in_place(array),
        lambda array: array.__ifloordiv__(2),
        lambda array: array.__imod__(2),
        lambda array: complex(array),
        lambda array: bool(array),
        lambda array: float(array),
        lambda array: hash(array),
        lambda array: repr(array),
        lambda array: f"{array}",
        lambda array: np.array(array),
        lambda array: array.sum(),
        lambda array: array.astype(float),
        lambda array: (300 * array).astype(np.uint8),
        lambda array: (128 * np.floor(2 * array)).astype(np.int8),
        lambda array: (-129 * np.floor(2 * array)).astype(np.int8),
        lambda array: (-2 * array - 1).astype(np.uint8),
        lambda array: np.add.reduce(array),
        lambda array: np.add(array, 1, out=np.empty(1)),
        lambda array: np.add(np.ones(1), array, out=array, where=True),
        lambda array: array.__imatmul__(array),
        lambda array: np.argmax(array, axis=0),
        copy.copy,
        copy.deepcopy,
    ],
)
def test_what_is_not_followed_of_an_array_cannot_be_swallowed(program: Callable[[Any], Any]) -> None:
    def swallowing(rng: Any) -> int:
        with contextlib.suppress(BaseException):
            program(rng.random(1))
        return 0

    with pytest.raises(ExplorationError, match=r"not decided|beyond its range"):
        law(swallowing)


@pytest.mark.parametrize("kind", [GeneratorStandIn, RandomStateStandIn, StandIn])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_generator_that_is_copied_is_refused(kind: Any, copied: Callable[[Any], Any]) -> None:
    """The copy would draw the same again."""
    with pytest.raises(ExplorationError, match="copies what it draws from"):
        law(copied, kind)


def raised(function: Callable[[], Any]) -> str:
    """What code that catches an error goes by."""
    try:
        function()
    except (ArithmeticError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.choice(2.5),
        lambda rng: rng.choice(0),
        lambda rng: rng.choice([]),
        lambda rng: rng.choice(3, size=4, replace=False),
        lambda rng: rng.choice(3, p=[0.5, 0.5]),
        lambda rng: rng.choice(2, p=[0.5, 0.6]),
        lambda rng: rng.choice(2, p=[-0.5, 1.5]),
        lambda rng: rng.choice(2, p=[math.nan, 1.0]),
        lambda rng: rng.choice(3, size=2, replace=False, p=[0.0, 0.0, 1.0]),
        lambda rng: rng.binomial(-1, 0.5),
        lambda rng: rng.binomial(2**63, 0.0),
        lambda rng: rng.binomial(2**70, 1e-30),
        lambda rng: rng.binomial(1, 1.5),
        lambda rng: rng.binomial(1, -0.5),
        lambda rng: rng.binomial(1, math.nan),
    ],
)
@pytest.mark.parametrize("legacy", [False, True])
def test_what_raises_raises_what_numpy_does(program: Callable[[Any], Any], legacy: bool) -> None:
    real, kind = (np.random.RandomState(1), RandomStateStandIn) if legacy else (np.random.default_rng(1), GeneratorStandIn)
    ours, numpys = (raised(lambda rng=rng: program(rng)).partition(":")[0] for rng in (kind(Written()), real))  # type: ignore[misc, arg-type]
    assert ours == numpys != "nothing"


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.integers(3, size=-1),
        lambda rng: rng.integers(3, size=(2, -1)),
        lambda rng: rng.integers(3, size=[2.0]),
        lambda rng: rng.integers(2**63 + 1),
        lambda rng: rng.integers(2**63, dtype=int, endpoint=True),
        lambda rng: rng.integers(-(2**63) - 1, 0, dtype=int),
        lambda rng: rng.choice(3, size=-1),
        lambda rng: rng.choice(3, size=-1, replace=False),
        lambda rng: rng.choice([3], size=[1.0]),
        lambda rng: rng.choice(1.0),
        lambda rng: rng.choice("ab"),
        lambda rng: rng.random(-1),
        lambda rng: rng.random(1.0),
        lambda rng: rng.binomial(3, 0.5, size=-1),
    ],
)
def test_sizes_and_ranges_that_numpy_does_not_take(program: Callable[[Any], Any]) -> None:
    real, ours = np.random.default_rng(1), GeneratorStandIn(Written())  # type: ignore[arg-type]
    assert raised(lambda: program(ours)).partition(":")[0] == raised(lambda: program(real)).partition(":")[0] != "nothing"


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.randint(2**63 + 1),
        lambda rng: rng.randint(2**70),
        lambda rng: rng.randint(-(2**63) - 1, 0),
        lambda rng: rng.randint(3, size=-1),
        lambda rng: rng.randint(0.5, 0.9),
        lambda rng: rng.choice(3, size=-1, replace=False),
        lambda rng: rng.rand(1.5),
        lambda rng: rng.shuffle([1], axis=0),
        lambda rng: rng.permutation(1, axis=0),
    ],
)
def test_sizes_and_ranges_that_a_random_state_does_not_take(program: Callable[[Any], Any]) -> None:
    real, ours = np.random.RandomState(1), RandomStateStandIn(Written())  # type: ignore[arg-type]
    assert raised(lambda: program(ours)).partition(":")[0] == raised(lambda: program(real)).partition(":")[0] != "nothing"


@pytest.mark.parametrize("kind", [GeneratorStandIn, RandomStateStandIn])
@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.random(()),
        lambda rng: rng.choice([5], size=()),
        lambda rng: rng.uniform(size=True),
        lambda rng: rng.shuffle((1, 2)),
        lambda rng: rng.shuffle({0: 1, 1: 2}),
        lambda rng: rng.shuffle(np.array(1)),
        lambda rng: rng.permutation(2.0),
        lambda rng: rng.permutation("ab"),
        lambda rng: rng.bytes(-1),
    ],
)
def test_arguments_that_are_refused(program: Callable[[Any], Any], kind: Any) -> None:
    with pytest.raises(ExplorationError, match=r"of the size|shuffles what|permutes along|fewer than no bytes"):
        program(kind(Written()))


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.integers(3, dtype=">i4"),
        lambda rng: rng.permutation([1], axis=1),
        lambda rng: rng.permutation([1], axis=-2),
        lambda rng: rng.shuffle(np.array([1]), axis=1),
    ],
)
def test_arguments_of_a_generator_that_are_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises(ExplorationError, match=r"of type >i4|shuffles what|permutes along"):
        program(GeneratorStandIn(Written()))  # type: ignore[arg-type]


def test_an_int_of_python_is_one() -> None:
    """It does not wrap round."""
    as_numpy_has_it(lambda rng: rng.integers(2**60, 2**60 + 3, dtype=int) * 2**4 > 0)
    as_numpy_has_it(lambda rng: rng.randint(2**63 - 3, 2**63) + 1 > 0, legacy=True, lemire=False)
    as_numpy_has_it(lambda rng: rng.integers(-(2**63), 3 - 2**63, dtype=int) - 1 < -(2**63))
    as_numpy_has_it(lambda rng: rng.integers(2, size=2, dtype=int))
    as_numpy_has_it(lambda rng: rng.integers(2, dtype=np.dtype(int)))
    as_numpy_has_it(lambda rng: rng.randint(4, size=2, dtype=np.int32), legacy=True, lemire=False)
    as_numpy_has_it(lambda rng: rng.permutation([1, 2], axis=-1), lemire=False)
    as_numpy_has_it(lambda rng: (rng.choice(True), rng.choice(np.int8(2)), rng.integers(2, size=np.array(2))))
    as_numpy_has_it(lambda rng: (list(shuffled(rng, bytearray(b"ab"))), rng.permutation([[1, 2]], axis=-1)), lemire=False)
    as_numpy_has_it(lambda rng: [x > 0.5 for x in rng.random(rng.integers(1, 3)).tolist()])
    as_numpy_has_it(lambda rng: rng.integers(2, size=rng.integers(1, 3, dtype=int)))


def test_no_bytes() -> None:
    for kind in (GeneratorStandIn, RandomStateStandIn):
        assert law(lambda rng: rng.bytes(0), kind).support == {b""}
        assert law(lambda rng: rng.bytes(np.int64(1))[0] < 64, kind)[True] == mpq(1, 4)
