"""finitedp.proofs_check.engine.noise: what explored code may do with a draw of continuous noise, and what is refused."""

import decimal
import math
import random
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.pipelines.auditing import followed
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.parallel import HERE
from finitedp.proofs_check.pipeline_certificate import Path


def paths(mechanism: Callable[..., Any], data: Any = 0, style: Any = "none") -> tuple[Path, ...]:
    return followed(mechanism, [data], style, rows="tuple", budget=Budget(), workers=HERE)[0][data]


def form(mechanism: Callable[[float], Any]) -> tuple[dict[int, mpq], mpq]:
    """Of the one path of a function of a standard Laplace draw."""
    (path,) = paths(lambda _data: mechanism(np.random.laplace()))
    (found,) = path.forms
    return dict(found[0]), found[1]


@pytest.mark.parametrize(
    ("function", "factor", "constant"),
    [
        (lambda x: x + 1, 1, 1),
        (lambda x: 1 - x, -1, 1),
        (lambda x: 3 * x / 2 - x, Fraction(1, 2), 0),
        (lambda x: np.float64(0.5) * x + np.int64(2), Fraction(1, 2), 2),
        (lambda x: x * 0.1, Fraction(0.1), 0),
        (lambda x: np.add(x, 1), 1, 1),
        (lambda x: -(+x), -1, 0),
        (lambda x: np.sum([x, x, 1.0]), 2, 1),
        (lambda x: np.mean(np.array([x, 3])), Fraction(1, 2), Fraction(3, 2)),
        (lambda x: sum([x, Fraction(1, 2)]), 1, 0.5),
        (lambda x: np.dot(np.array([1.0, 2.0]), np.array([x, 1.0])), 1, 2),
        (lambda x: float("2") + x, 1, 2),
        (lambda x: mpq(1, 3) + x, 1, Fraction(1, 3)),
        (lambda x: np.array(2.0) * x, 2, 0),
    ],
)
def test_sums_and_multiples_are_exact(function: Callable[[Any], Any], factor: Any, constant: Any) -> None:
    assert form(function) == ({0: mpq(Fraction(factor))}, mpq(Fraction(constant)))


@pytest.mark.parametrize(
    ("draw", "kind", "items", "constant"),
    [
        (lambda: np.random.laplace(1, 2), "laplace", 2, 1),
        (lambda: np.random.normal(loc=1, scale=3), "normal", 3, 1),
        (lambda: np.random.gumbel(scale=3), "gumbel", 3, 0),
        (lambda: np.random.exponential(4), "exponential", 4, 0),
        (lambda: np.random.uniform(1, 3), "uniform", 2, 1),
        (lambda: np.random.standard_normal(), "normal", 1, 0),
        (lambda: np.random.default_rng().laplace(1, 2), "laplace", 2, 1),
        (lambda: np.random.RandomState().standard_exponential(), "exponential", 1, 0),
        (lambda: np.random.default_rng().uniform(2, 3), "uniform", 1, 2),
        (lambda: random.gauss(5, 2), "normal", 2, 5),
        (lambda: random.normalvariate(5, 2), "normal", 2, 5),
        (lambda: random.expovariate(4), "exponential", Fraction(1, 4), 0),
        (lambda: random.Random().uniform(1, 2), "uniform", 1, 1),
        (lambda: random.uniform(1, 2), "uniform", 1, 1),
    ],
)
def test_each_way_to_draw(draw: Callable[[], Any], kind: str, items: Any, constant: Any) -> None:
    (path,) = paths(lambda _data: draw())
    assert [one[0] for one in path.draws] == [kind]
    assert path.forms[0] == (((0, mpq(Fraction(items))),), mpq(constant))


def test_arrays_of_draws_have_the_shape_that_numpy_says() -> None:
    shapes = [
        ((2,), np.zeros(2), 1, None),
        ((2, 3), 0, 1, (2, 3)),
        ((2, 2), np.zeros(2), np.ones((2, 1)), None),
        ((3,), 0, 1, 3),
    ]
    for shape, loc, scale, size in shapes:
        (path,) = paths(lambda _data, drawn=(loc, scale, size): np.random.laplace(*drawn))
        assert path.shape[1] == shape
        assert len(path.forms) == math.prod(shape)
    with pytest.raises(ExplorationError, match="ValueError"):
        paths(lambda _data: np.random.laplace(np.zeros(3), 1, 2))


def test_a_comparison_forks_once_and_what_follows_from_it_does_not() -> None:
    def mechanism(_data: Any) -> Any:
        x, y = np.random.laplace(size=2)
        return x > y, y > x, x + 1 > y, x > 0, max(x, y) > min(x, y)

    found = {path.shape: path for path in paths(mechanism)}
    assert len(found) == 6  # x > y, or x + 1 > y > x, or y > x + 1, each with both signs of x
    assert all(path.weight == 1 for path in found.values())


def test_infinite_numbers_and_nan_are_compared_without_a_fork() -> None:
    (path,) = paths(lambda _data: [(x := np.random.laplace()) < math.inf, x > NAN, x <= NAN, x != 1, x == 1, -math.inf < x])
    assert [part[-1] for part in path.shape[1:]] == [True, False, False, True, False, True]


def test_what_is_not_affine_is_a_value_of_its_own_the_same_for_the_same_arguments() -> None:
    (path,) = paths(lambda _data: (round(x := np.random.laplace()), np.exp(x), math.exp(x), x * x, np.exp(x), np.floor([x])))
    assert [draw[0] for draw in path.draws] == ["laplace", "round to None", "exp", "multiply", "floor"]
    assert [items[0][0] for items, _ in path.forms] == [1, 2, 2, 3, 2, 4]


def test_a_rounded_value_may_be_equal_to_a_number_with_a_probability() -> None:
    found = {path.shape[-1]: path.rows for path in paths(lambda _data: round(np.random.laplace()) == 3)}
    assert [row[2] for row in found[True]] == [False, False]
    assert set(found) == {True, False}


def test_discrete_draws_keep_their_probabilities_beside_forks() -> None:
    def mechanism(_data: Any) -> Any:
        return random.random() < 0.75, np.random.laplace() > 0, random.randrange(3)

    assert sorted(path.weight for path in paths(mechanism)) == [mpq(1, 12)] * 6 + [mpq(1, 4)] * 6


def test_code_that_raises_by_itself_has_that_as_an_output() -> None:
    def mechanism(_data: Any) -> Any:
        if (x := np.random.laplace()) < 0:
            raise ValueError("negative")
        return x

    assert {path.shape for path in paths(mechanism)} == {
        "*",
        ("tuple", ("value", "str", "raises"), ("value", "str", "ValueError"), ("value", "str", "negative")),
    }


def test_locations_that_are_not_finite_give_what_numpy_gives() -> None:
    (path,) = paths(lambda _data: [np.random.laplace(math.nan), np.random.laplace(-math.inf), np.random.laplace(2, 0)])
    assert [part[-1] for part in path.shape[1:]] == ["nan", "-inf", 2]


@pytest.mark.parametrize(
    ("mechanism", "why"),
    [
        (lambda x: float(x), "needs the value"),
        (lambda x: int(x), "needs the value"),
        (lambda x: f"{x}", "needs the value"),
        (lambda x: np.array([x]).astype(float), "needs the value"),
        (lambda x: np.zeros(1).__setitem__(0, x), "needs the value"),
        (lambda x: [1, 2][x], "needs the value"),
        (lambda x: x + "a", "a str meet"),
        (lambda x: x**0.5, "to a power"),
        (lambda x: x.hex(), "uses .hex"),
        (lambda x: x.item(), "no attribute 'item'"),
        (lambda x: np.arctan2(x, 1), "uses np.arctan2"),
        (lambda x: np.random.laplace(0, x), "itself noisy"),
        (lambda x: math.log(x), "may be negative"),
        (lambda x: x / 0, "divides by 0"),
        (lambda x: np.random.uniform(0, math.inf), "Range exceeds"),
        (lambda x: x + Tensor(), "a Tensor meet"),
        (lambda x: Tensor() * x, "a Tensor meet"),
        (lambda x: math.hypot(x, 1), "needs the value"),
        (lambda x: struct.pack("d", x), "not a float"),
        (lambda x: np.random.laplace(0, -1), "of the scale -1, scale < 0; next: look at what makes it negative"),
        (lambda x: np.random.normal(0, -1.5, 2), "of the scale -1.5, scale < 0; next: "),
        (lambda x: math.sqrt(x), "may be negative"),
        (lambda x: math.log(x * x), "may be negative"),
        (lambda x: {x: 1}, "unhashable"),
        (lambda x: np.random.gamma(1), "gamma"),
        (lambda x: random.expovariate(0), "of the rate 0"),
    ],
)
def test_whatever_needs_a_value_is_refused_with_its_line(mechanism: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(ExplorationError, match=why) as refused:
        paths(lambda _data: mechanism(np.random.laplace()))
    assert __file__ in str(refused.value)


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda x: np.linalg.inv(np.array([[x, 1], [1, 0]])),
        lambda x: np.interp(x, [0, 1], [0, 1]),
        lambda x: np.percentile([x, x + 1, 0], 50),
        lambda x: decimal.Decimal(x),
        lambda x: np.zeros(2).__iadd__(np.array([x, 1])),
    ],
)
def test_code_in_c_that_takes_floats_alone_is_told_with_the_next_step(mechanism: Callable[[Any], Any]) -> None:
    told = (
        "what takes floats alone is given a draw of continuous noise, and raises .*Error .*; next: return the number as it is"
    )
    with pytest.raises(ExplorationError, match=told):
        paths(lambda _data: mechanism(np.random.laplace()))


def test_norms_and_deviations_are_functions_of_draws() -> None:
    for mechanism in (np.linalg.norm, np.std, lambda x: math.sqrt(x[0] ** 2), lambda x: np.sqrt(np.exp(x[0]))):
        (path,) = paths(lambda _data, mechanism=mechanism: mechanism(np.random.laplace(0, 1, 2)))
        assert [draw[0] for draw in path.draws][-1] == "sqrt"


def test_gauss_of_a_negative_sigma_is_that_of_the_positive_one() -> None:
    (path,) = paths(lambda _data: random.gauss(3, -2))
    assert path.forms == ((((0, 2),), 3),)


def test_noise_of_an_infinite_scale_is_infinite_with_either_sign() -> None:
    assert {path.shape[-1] for path in paths(lambda _data: np.random.laplace(3, math.inf))} == {"inf", "-inf"}
    assert {path.shape[-1] for path in paths(lambda _data: 3 + np.random.exponential(math.inf))} == {"inf"}


class Tensor:
    """As those of torch: no array of numpy, and arithmetic of its own."""

    def __add__(self, other: Any) -> Any:
        return NotImplemented

    __mul__ = __add__


def test_a_refusal_that_the_code_swallows_is_told_all_the_same() -> None:
    def mechanism(_data: Any) -> Any:
        try:
            return float(np.random.laplace())
        except RuntimeError:
            return 0

    with pytest.raises(ExplorationError, match="needs the value"):
        paths(mechanism)


KEPT: list[Any] = []
SEEN: list[int] = []
NAN = math.nan


def test_a_draw_of_another_run_is_refused() -> None:
    def mechanism(_data: Any) -> Any:
        KEPT.append(np.random.laplace())
        return KEPT[0] + 1

    with pytest.raises(ExplorationError, match=r"another run|keeps state"):
        paths(mechanism)
    KEPT.clear()


def test_state_between_runs_is_refused() -> None:
    def mechanism(_data: Any) -> Any:
        SEEN.append(1)
        return np.random.laplace()

    with pytest.raises(ExplorationError, match="keeps state between runs"):
        paths(mechanism)
