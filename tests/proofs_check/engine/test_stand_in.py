"""finitedp.proofs_check.engine.stand_in: the laws of random.Random's methods."""

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ExplorationError
from finitedp.impl.counting.geometric import GeoSample
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.stand_in import StandIn
from finitedp.spec.pmf import Pmf


def law(program: Callable[[Any], Any]) -> Pmf[Any]:
    return explore(lambda coins: program(StandIn(coins))).law()


@given(st.fractions(-1, 2, max_denominator=10**6))
def test_a_comparison_has_the_exact_probability_of_the_53_bit_uniform(near: Any) -> None:
    """The number of words w with w * 2^-53 < bound, over 2^53."""
    bound = near.numerator / near.denominator
    exact = mpq(*bound.as_integer_ratio()) * 2**53
    below = min(max(-(-exact.numerator // exact.denominator), 0), 2**53)
    found = law(lambda rng: rng.random() < bound)
    assert found.probability([True]) == mpq(below, 2**53)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10])
def test_the_floor_of_a_product_has_the_law_of_floating_point_arithmetic(n: int) -> None:
    """Its thresholds, found here by walking over the words around i/n."""
    found = law(lambda rng: int(rng.random() * n))
    for i in range(1, n):
        near = 2**53 * i // n
        least = next(w for w in range(near - 4, near + 5) if int(w * 2.0**-53 * n) >= i)
        assert found.probability(lambda x, i=i: x >= i) == 1 - mpq(least, 2**53)  # type: ignore[misc]


@pytest.mark.parametrize("size", [2**63 - 1, 2**63, 2**64, 10**30])
def test_ranges_of_any_size_stay_undecided(size: int) -> None:
    """Python's own len() of a range ends at 2^63 - 1; its random does not."""
    third = size // 3
    assert law(lambda rng: rng.randrange(size) < third).probability([True]) == mpq(third, size)
    assert law(lambda rng: rng.randint(-size, size) < -third).probability([True]) == mpq(size - third, 2 * size + 1)
    assert law(lambda rng: rng.randrange(0, -3 * size, -3) > -3 * third).probability([True]) == mpq(third, size)


def test_geo_sample_is_followed_where_its_draws_are_long() -> None:
    mechanism = GeoSample(20, "1/256")
    assert mechanism.d > 2**63
    found = law(lambda rng: mechanism.apply(10, rng.randint(1, int(mechanism.d))))
    assert [found.probability(range(z + 1)) for z in range(21)] == [mpq(mechanism.cdf(10, z), mechanism.d) for z in range(21)]


def swallowed(function: Callable[[], Any]) -> bool:
    """Code that swallows what it is told."""
    try:
        function()
    except BaseException:
        return True
    return False


def test_a_number_is_equal_to_itself() -> None:
    """As every number but nan is: code that asks for nan must not be told that there is one."""

    def guarded(rng: Any) -> bool:
        x = rng.random()
        return bool(x != x)  # noqa: PLR0124

    assert law(guarded) == Pmf({False: 1})
    assert law(lambda rng: +rng.random() < 0.5) == Pmf({True: 1, False: 1})


def test_the_stand_ins_are_what_isinstance_asks_for() -> None:
    found = law(
        lambda rng: (isinstance(rng, random.Random), isinstance(rng.random(), float), isinstance(rng.randrange(2), int))
    )
    assert found == Pmf({(True, True, True): 1})


def test_steps_of_arithmetic_are_followed() -> None:
    assert law(lambda rng: 1 - rng.random() > 0.5) == Pmf({True: 1, False: 1})
    # 2 - 4u <= 1 from u = 1/4 on
    assert law(lambda rng: -(rng.random() - 0.5) * 4 <= 1)[True] == mpq(3, 4)
    # 2 + 2u is rounded to 3 from the word below 1/2 on
    assert law(lambda rng: rng.uniform(2, 4) >= 3)[True] == mpq(2**52 + 1, 2**53)
    assert law(lambda rng: math.floor(rng.random() * 4 - 2)) == Pmf.uniform([-2, -1, 0, 1])
    # -u/2 < -1/4 for u > 1/2
    assert law(lambda rng: rng.random() / -2 < -0.25)[True] == mpq(2**52 - 1, 2**53)


def test_whole_numbers_are_uniform() -> None:
    assert law(lambda rng: rng.randrange(3, 9, 2)) == Pmf.uniform([3, 5, 7])
    assert law(lambda rng: rng.randint(-1, 1)) == Pmf.uniform([-1, 0, 1])
    assert law(lambda rng: rng.getrandbits(3)) == Pmf.uniform(range(8))
    assert law(lambda rng: rng.choice("abc")) == Pmf.uniform("abc")
    assert law(lambda rng: tuple(rng.sample([1, 2], 0))) == Pmf({(): 1})
    assert law(lambda rng: tuple(rng.sample([1, 2], 2))) == Pmf.uniform([(1, 2), (2, 1)])
    assert law(lambda rng: tuple(rng.sample([1, 2, 3, 4], 2))) == Pmf.uniform(permutations([1, 2, 3, 4], 2))


def test_a_shuffle_is_a_uniform_permutation() -> None:
    def shuffled(rng: StandIn) -> tuple[int, ...]:
        values = [1, 2, 3, 4]
        rng.shuffle(values)
        return tuple(values)

    assert law(shuffled) == Pmf.uniform(permutations([1, 2, 3, 4]))


def test_choices_are_not_exactly_uniform_and_this_is_seen() -> None:
    """2^53 words cannot be shared out evenly among three values."""
    found = law(lambda rng: rng.choices("abc")[0])
    assert found["a"] != mpq(1, 3)
    assert abs(found["a"] - mpq(1, 3)) < mpq(1, 2**50)


def test_the_standard_library_takes_only_outputs_of_the_law_in_a_sample() -> None:
    """Sampled: 2000 seeds of the standard library reach every output of the exact law and no other."""

    def program(rng: Any) -> int:
        return int(rng.random() * 3) + int(rng.randrange(2))

    assert set(Counter(program(random.Random(seed)) for seed in range(2000))) == law(program).support


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda rng: math.log(rng.random()), "needs the value of random"),
        (lambda rng: rng.random() ** 2, "needs the value of random"),
        (lambda rng: rng.random() < rng.random(), "another value that is not decided"),
        (lambda rng: rng.random() < "x", "comparison with the str 'x'"),
        (lambda rng: rng.gauss(0, 1), "uses random.gauss"),
        (lambda rng: rng.choices("ab", [1, 2]), "with weights"),
        (lambda rng: f"{rng.random()}", "needs the value of random"),
        (lambda rng: round(rng.random()), "needs the value of random"),
        (lambda rng: hash(rng.random()), "needs the value of random"),
        (lambda rng: divmod(rng.random(), 1), "needs the value of random"),
        (lambda rng: rng.random().is_integer(), r"random\(\).is_integer"),
        (
            lambda rng: rng.random() < math.nan,  # noqa: PLW0177
            "comparison with nan",
        ),
        (lambda rng: rng.random() <= math.inf, "comparison with inf"),
        (lambda rng: rng.random() * 1e308 * 10 > 1, "a number that is not finite"),
        (lambda rng: rng.random() + math.nan > 1, "arithmetic with nan"),
        (lambda rng: rng.random() == Fraction(1, 2), "comparison with the Fraction"),
        (lambda rng: rng.random() == rng.random(), "another value that is not decided"),
        (lambda rng: swallowed(lambda: math.log(rng.random())), "needs the value of random"),
        (lambda rng: swallowed(lambda: rng.gauss(0, 1)), "uses random.gauss"),
        (lambda rng: swallowed(lambda: rng.random() < rng.random()), "another value"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_line(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ExplorationError, match=message) as refused:
        law(program)
    assert "test_stand_in.py" in str(refused.value)


@pytest.mark.parametrize("k", [-1, 3])
def test_a_sample_that_there_is_not_is_an_error_as_in_the_standard_library(k: int) -> None:
    with pytest.raises(ValueError, match="Sample larger than population or is negative"):
        law(lambda rng: tuple(rng.sample([1, 2], k)))
    with pytest.raises(ValueError, match="Sample larger than population or is negative"):
        random.Random(1).sample([1, 2], k)
