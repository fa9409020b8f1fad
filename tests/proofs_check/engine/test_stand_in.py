"""finitedp.proofs_check.engine.stand_ins.standard: the laws of random.Random's methods."""

import math
import random
import struct
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
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
from finitedp.proofs_check.engine.other_randomness import exploring, stood_in
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.spec.pmf import Pmf


def law(program: Callable[[Any], Any]) -> Pmf[Any]:
    return explore(lambda coins: program(StandIn(coins))).law()


@pytest.mark.deep
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
        (lambda rng: math.sin(rng.random()), "needs the value of a float"),
        (lambda rng: swallowed(lambda: struct.pack("d", rng.random())), "needs the value of a float"),
        (lambda rng: rng.random() + rng.random() < 1, "arithmetic with another value that is not decided"),
        (lambda rng: rng.random() < 2 * rng.random(), "comparison with another value that is not decided"),
        (lambda rng: rng.gauss(0, 1), "uses random.gauss"),
        (lambda rng: f"{rng.random()}", "needs the value of a float"),
        (lambda rng: hash(rng.random()), "needs the value of a float"),
        (lambda rng: divmod(rng.random(), 1), "needs the value of a float"),
        (lambda rng: rng.random() // 0.1, "uses // on a float"),
        (lambda rng: rng.random().is_integer(), "needs the value of a float"),
        (lambda rng: rng.random().hex(), r"uses \.hex of a float"),
        (
            lambda rng: rng.random() < math.nan,  # noqa: PLW0177
            "comparison with nan",
        ),
        (lambda rng: rng.random() <= math.inf, "comparison with inf"),
        (lambda rng: rng.random() * 1e308 * 10 > 1, "a number that is not finite"),
        (lambda rng: rng.random() + math.nan > 1, "arithmetic with nan"),
        (lambda rng: rng.random() * Fraction(1, 2) > 0, "arithmetic with the Fraction"),
        (lambda rng: rng.random() < Decimal(1), "comparison with the Decimal"),
        (lambda rng: rng.getstate(), "asks for the state"),
        (lambda rng: rng.setstate(1), "sets the state"),
        (lambda rng: rng.seed(1), "seeds its generator"),
        (lambda rng: rng.randrange(2**63) / 3 < 1, "divides whole numbers of more than 53 bits"),
        (lambda rng: swallowed(lambda: math.sin(rng.random())), "needs the value of a float"),
        (lambda rng: swallowed(lambda: rng.gauss(0, 1)), "uses random.gauss"),
        (lambda rng: swallowed(lambda: rng.random() < rng.random() + 1), "another value"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_line(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ExplorationError, match=message) as refused:
        law(program)
    assert "test_stand_in.py" in str(refused.value)
    assert "next: " in str(refused.value)


@pytest.mark.parametrize("k", [-1, 3])
def test_a_sample_that_there_is_not_is_an_error_as_in_the_standard_library(k: int) -> None:
    with pytest.raises(ValueError, match="Sample larger than population or is negative"):
        law(lambda rng: tuple(rng.sample([1, 2], k)))
    with pytest.raises(ValueError, match="Sample larger than population or is negative"):
        random.Random(1).sample([1, 2], k)


# The standard library's own code on the same words


class Words(random.Random):
    """The standard library's generator with its words given: values from 0, one for each draw."""

    def __new__(cls, _given: list[int]) -> "Words":
        return super().__new__(cls)

    def __init__(self, given: list[int]) -> None:
        super().__init__(0)
        self.given = list(given)

    def random(self) -> float:
        return self.given.pop(0) * 2.0**-53

    def getrandbits(self, k: int) -> int:
        value = self.given.pop(0)
        assert value < 1 << k
        return value


def as_written(x: Any) -> str:
    """With the sign of a zero, which equal values may differ in."""
    return repr(x.decided() if hasattr(type(x), "decided") else x)


def raised(function: Callable[[], Any]) -> str:
    """What code that catches an error goes by."""
    try:
        function()
    except (ArithmeticError, ValueError, TypeError) as error:
        return repr(error)
    return "nothing"


UNEVEN = [0.1, 0.2, 0.0, 0.7, 1e-9]


@pytest.mark.parametrize(
    "program",
    [
        lambda rng: rng.choices("abcde", UNEVEN)[0],
        lambda rng: tuple(rng.choices("abc", cum_weights=[1, 3, 4], k=2)),
        lambda rng: tuple(rng.choices(range(3), k=2)),
        lambda rng: rng.randrange(-4, 9, 3),
        lambda rng: rng.randrange(2**63) >= 2**62,
        lambda rng: rng.randint(1, 6),
        lambda rng: rng.choice("abc"),
        lambda rng: tuple(rng.sample(range(5), 3)),
        lambda rng: tuple(rng.sample("ab", counts=[2, 1], k=2)),
        lambda rng: abs(rng.randrange(-10, 10)) < 3,
        lambda rng: round(rng.uniform(-2, 2)),
        lambda rng: round(rng.random(), 1) > 0.3,
        lambda rng: abs(rng.random() - 0.5) < 0.25,
        lambda rng: math.floor(rng.expovariate(2.0)),
        lambda rng: round(rng.triangular(-1, 3, 0.5)),
        lambda rng: rng.paretovariate(3.0) > 2,
        lambda rng: int(4 * rng.weibullvariate(1.0, 1.5)),
        lambda rng: rng.getrandbits(53) / 2**53 < 0.3,
        lambda rng: rng.getrandbits(64) * 2.0**-64 < 1 / 3,
        lambda rng: rng.randrange(1000) / 1000 < 0.007,
        lambda rng: rng.randrange(1000) < 0.007 * 1000,
        lambda rng: 0.3 - rng.randrange(10) / 10 > 0,
        lambda rng: 1 / (1 - rng.random()) > 3,
        lambda rng: 2 ** rng.random() > 1.5,
        lambda rng: 0.3 ** rng.random() < 0.9,
        lambda rng: not rng.random(),
        lambda rng: (rng.random() == "x", rng.random() != None, rng.random() in ["a", 0.5]),  # noqa: E711  # as it may be written
        lambda rng: rng.random() == 0.5,
        lambda rng: rng.random() != 0.25,
        lambda rng: rng.random() ** 0.5 > 0.5,
        lambda rng: math.copysign(1, rng.random() - 0.5) > 0,
        lambda rng: math.ldexp(rng.random(), 3) >= 5.1,
        lambda rng: math.log(1 - rng.random(), 3) < -1.5,
        lambda rng: as_written(round(rng.random() - 0.5, 0)),
        lambda rng: as_written(-round(rng.random() - 0.5, 0)),
        lambda rng: as_written(abs(round(rng.random() - 0.5, 0))),
        lambda rng: as_written(round(rng.random() - 0.5, 0) * -0.0),
        lambda rng: as_written(round(rng.random() - 0.5, 0) * 0),
        lambda rng: as_written(round(rng.random() - 0.5, 0) + 0.0),
        lambda rng: as_written(round(rng.random() - 0.5, 0) - 0.0),
        lambda rng: as_written(0 - round(rng.random() - 0.5, 0)),
        lambda rng: as_written(round(rng.random() - 0.5, 0) ** 3),
        lambda rng: as_written(math.fabs(round(rng.random() - 0.5, 0))),
        lambda rng: as_written(math.copysign(round(rng.random() - 0.5, 0), -1)),
        lambda rng: as_written(math.copysign(2.0, round(rng.random() - 0.5, 0))),
        lambda rng: as_written(math.sqrt(round(rng.random() - 0.5, 0))),
    ],
)
def test_each_path_is_the_standard_library_s_on_the_same_words(program: Callable[[Any], Any]) -> None:
    """At both ends of each interval that a path confines a draw to, so that no threshold is off by one word."""
    with stood_in():

        def explored(coins: Any) -> Any:
            exploring.coins = coins
            return program(StandIn(coins))

        found = explore(explored, keep_paths=True)
    assert found.unresolved == 0
    for path in found.paths:
        for end in (0, 1):
            assert program(Words([int(draw[end] or 0) - 1 for draw in path.draws])) == path.output, path


@pytest.mark.parametrize(
    "program",
    [
        lambda x: 1 / x,
        lambda x: x / 0,
        lambda x: x**-1,
        lambda x: x**-0.5,
        lambda x: math.pow(x, -1),
        lambda x: math.pow(x, -1.5),
        lambda x: math.log(x),
        lambda x: math.log2(x),
        lambda x: math.log(x, 3),
        lambda x: math.log1p(x - 1),
        lambda x: math.sqrt(x - 1),
        lambda x: math.log(x + 1, 1),
        lambda x: math.log(x + 1, 0),
    ],
)
def test_what_raises_raises_as_the_standard_library_does(program: Callable[[Any], Any]) -> None:
    with stood_in():
        assert law_in_a_run(lambda rng: raised(lambda: program(rng.random() * 0))) == Pmf({raised(lambda: program(0.0)): 1})


def law_in_a_run(program: Callable[[Any], Any]) -> Pmf[Any]:
    def explored(coins: Any) -> Any:
        exploring.coins = coins
        return program(StandIn(coins))

    try:
        return explore(explored).law()
    finally:
        exploring.coins = None


def test_two_uniforms_are_compared_as_two_draws() -> None:
    """Of eight bits each here, since those of 53 are as many atoms."""
    found = explore(lambda coins: coins.bits(8) < StandIn(coins).getrandbits(8), joint=True)
    assert found.law()[True] == mpq(255, 512)


@pytest.mark.parametrize("n", [1, 2, 8])
def test_random_bytes_are_one_integer_or_single_bytes(n: int) -> None:
    with stood_in():
        assert law(lambda rng: int.from_bytes(rng.randbytes(n), "little") < 64).probability([True]) == mpq(64, 256**n)
        assert law(lambda rng: rng.randbytes(n)[n - 1] & 1) == Pmf.uniform([0, 1])
        assert law(lambda rng: int.from_bytes(rng.randbytes(n), "big", signed=True) < 0) == Pmf.uniform([False, True])
        assert law(lambda rng: rng.randbytes(n)[0] < 64) == Pmf({True: 1, False: 3})


@pytest.mark.parametrize("first", ["integer", "bytes"])
def test_the_same_bytes_read_twice_are_the_same(first: str) -> None:
    def both(rng: Any) -> bool:
        drawn = rng.randbytes(1)
        values = [int.from_bytes(drawn, "big"), drawn[0]] if first == "integer" else [drawn[0], int.from_bytes(drawn, "big")]
        return bool(values[0] == values[1] == int.from_bytes(bytes(drawn), "little"))

    with stood_in():
        assert law(both) == Pmf({True: 1})


def test_int_from_bytes_is_as_ever_for_bytes() -> None:
    with stood_in():
        assert int.from_bytes(bytes=b"ab", byteorder="little") == 25185
        with pytest.raises(ValueError, match="byteorder must be either 'little' or 'big'"):
            law(lambda rng: int.from_bytes(rng.randbytes(2), "middle"))  # type: ignore[arg-type]
        assert (int.from_bytes(b"ab", "big"), int.from_bytes([1, 2], "little")) == (24930, 513)
        assert int.from_bytes(b"\xff", signed=True) == -1
        assert type(bool.from_bytes(b"\1", "big")) is bool
        with pytest.raises(ValueError, match="byteorder"):
            int.from_bytes(b"a", "middle")  # type: ignore[arg-type]
    assert type(int.from_bytes).__name__ == "builtin_function_or_method"


@pytest.mark.skipif(not hasattr(random.Random, "binomialvariate"), reason="it is of Python 3.12")
def test_the_standard_library_s_binomial() -> None:
    """One trial is a comparison. Of more the logarithm of a zero, 2^-53 of all draws, is taken, which some releases raise."""

    def of_two(rng: Any) -> int:
        try:
            return int(rng.binomialvariate(2, 0.25))
        except ValueError:
            return -1

    with stood_in():
        assert law_in_a_run(lambda rng: rng.binomialvariate(1, 0.25)) == Pmf({0: 3, 1: 1})
        found = law_in_a_run(of_two)
    for count, sixteenths in enumerate((9, 6, 1)):
        assert abs(found[count] - mpq(sixteenths, 16)) < mpq(1, 2**50)
    assert found[-1] <= mpq(3, 2**53)
