"""finitedp.proofs_check.engine.stand_ins.values and floats: what is asked of them, at every word of a small draw."""

import math
import operator
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq, mpz

from finitedp.errors import BudgetError, ExplorationError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.other_randomness import exploring, stood_in
from finitedp.proofs_check.engine.stand_ins.chains import Chain
from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat, follow_floats, of_integer, of_word, quotient
from finitedp.proofs_check.engine.stand_ins.libm import FUNCTIONS, numpy_assumption
from finitedp.proofs_check.engine.stand_ins.outputs import Frozen, freeze
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.proofs_check.engine.stand_ins.values import is_numpy
from finitedp.spec.pmf import Pmf
from tests.sampling import sampled

pytestmark = pytest.mark.usefixtures("lazies_alone")

BITS = 4


def law(program: Callable[[Any], Any], make: Callable[[Any], Any] | None = None) -> Pmf[Any]:
    """Of a multiple of 1/16, at 0..15/16, or of what `make` draws."""

    def explored(coins: Any) -> Any:
        exploring.coins = coins
        value = make(coins) if make else of_word(coins, follow_floats(coins).uniform(1 << BITS) - 1, BITS)
        found = program(value)
        return found if type(found) is Frozen else freeze(found)

    with stood_in():
        try:
            return explore(explored).law()
        finally:
            exploring.coins = None


def outcome(program: Callable[[Any], Any], value: Any) -> Any:
    """What it returns, or raises."""
    try:
        return freeze(program(value))
    except (ArithmeticError, ValueError, TypeError) as error:
        return type(error).__name__


def as_python_has_it(program: Callable[[Any], Any], *, numpy: bool = False) -> None:
    """The law is that of the same code on each float."""
    kind = np.float64 if numpy else float
    with np.errstate(all="ignore"):
        expected = Pmf(Counter(outcome(program, kind(i / 16)) for i in range(16)))
        found = law(lambda value: outcome(program, value.of_numpy() if numpy else value))
    assert found == expected


COMPARED = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
NUMBERS = [0.5, 0, 1, True, -1, 0.3, 15 / 16, mpz(1), np.float64(0.25), np.int64(1), np.int32(0), np.int16(1), np.int8(0)]


@pytest.mark.parametrize("numpy", sampled([False, True], 2))
@pytest.mark.parametrize("compare", COMPARED)
@pytest.mark.parametrize("number", sampled([*NUMBERS, np.uint8(1), np.True_, Fraction(1, 3)], 4), ids=repr)
def test_comparisons(compare: Any, number: Any, numpy: bool) -> None:
    if numpy and type(number) in (Fraction, mpz):
        return
    as_python_has_it(lambda value: bool(compare(value, number)), numpy=numpy)
    if type(number) not in (mpz, Fraction):
        as_python_has_it(lambda value: bool(compare(number, value)), numpy=numpy)
    if not numpy and type(number).__module__ != "numpy":
        assert law(lambda value: type(compare(value, number)).__name__).support == {"bool"}


@pytest.mark.parametrize("other", ["a", b"a", None, [1], (1,), {}, set(), frozenset()], ids=repr)
def test_what_is_no_number(other: Any) -> None:
    for apply in (*COMPARED, operator.add, operator.sub, operator.mul, operator.truediv, operator.pow):
        if not (apply is operator.mul and isinstance(other, str | bytes | list | tuple)):  # its length times needs an index
            as_python_has_it(lambda value, apply=apply: bool(apply(value, other)))  # type: ignore[misc]
            as_python_has_it(lambda value, apply=apply: bool(apply(other, value)))  # type: ignore[misc]


STEPS: list[Callable[[Any], Any]] = [
    lambda x: x + 0.3,
    lambda x: 0.3 + x,
    lambda x: x - 0.3,
    lambda x: 0.3 - x,
    lambda x: x * 0.3,
    lambda x: x * -0.3,
    lambda x: 0.3 * x,
    lambda x: x * 0,
    lambda x: x * -0.0,
    lambda x: x / 0.3,
    lambda x: x / -0.3,
    lambda x: 0.3 / (x + 1),
    lambda x: -0.3 / (x + 1),
    lambda x: 0.3 / (x - 2),
    lambda x: -0.3 / (x - 2),
    lambda x: +x,
    lambda x: -x,
    lambda x: abs(x - 0.5),
    lambda x: (x + 0.25) ** 2,
    lambda x: (x + 0.25) ** -1.5,
    lambda x: 3**x,
    lambda x: 0.3**x,
    lambda x: round(x, 1),
    lambda x: round(3 * x - 1, 0),
    lambda x: math.ldexp(x, 3),
    lambda x: math.ldexp(x, -1073),
    lambda x: math.sqrt(x),
    lambda x: math.exp(x),
    lambda x: math.exp2(x),
    lambda x: math.expm1(x - 0.5),
    lambda x: math.log(x + 0.5),
    lambda x: math.log2(x + 0.5),
    lambda x: math.log1p(x - 0.5),
    lambda x: math.log(x + 0.5, 3),
    lambda x: math.log(x + 0.5, 0.3),
    lambda x: math.pow(x + 0.5, 3),
    lambda x: math.pow(3, x),
    lambda x: math.fabs(x - 0.5),
    lambda x: math.copysign(x - 0.5, -1),
    lambda x: math.copysign(x - 0.5, 2.5),
    lambda x: math.copysign(3.0, x - 0.5),
]


@pytest.mark.parametrize("numpy", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_steps(step: Callable[[Any], Any], numpy: bool) -> None:
    """Their values at every word, with type and sign."""
    as_python_has_it(step, numpy=numpy)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: int(7 * x - 3),
        lambda x: math.trunc(7 * x - 3),
        lambda x: math.floor(7 * x - 3),
        lambda x: math.ceil(7 * x - 3),
        lambda x: round(7 * x - 3),
        lambda x: round(8 * x - 3),
        lambda x: math.floor(-7 * x),
        lambda x: int(-7 * x),
        lambda x: int(math.exp(3 * x)),
        lambda x: bool(x),
        lambda x: not x,
        lambda x: (math.isfinite(x), math.isnan(x), math.isinf(x)),
        lambda x: isinstance(x, float),
        lambda x: hasattr(x, "__len__"),
        lambda x: (x == x, x != x, x < x, x <= x),  # noqa: PLR0124
        lambda x: 1 / x > 3,
        lambda x: x / 0 > 3,
        lambda x: x**-1 > 3,
        lambda x: x**2 > 0.3,
        lambda x: math.log(x) > -1,
        lambda x: math.log2(x) > -1,
        lambda x: math.log1p(x - 1) > -1,
        lambda x: math.sqrt(x - 0.5) > 0.3,
        lambda x: math.log(x, 3) > -1,
        lambda x: math.log(x + 1, 1) > -1,
        lambda x: math.log(x + 1, 0) > -1,
        lambda x: math.log(x + 1, -3) > -1,
        lambda x: math.pow(x, -1) > 3,
        lambda x: math.pow(x, 2) > 0.3,
        lambda x: math.sqrt(x, 2),  # type: ignore[call-arg]
        lambda x: [math.sqrt(4), math.log(3), math.log(4, 3), math.pow(2, 3), math.fabs(-1), math.copysign(1, -2), x > 0.5],
        lambda x: [math.ldexp(1, 3), math.isfinite(math.inf), math.isnan(math.nan), math.isinf(math.inf), x > 0.5],
    ],
)
def test_questions(program: Callable[[Any], Any]) -> None:
    """Errors included, as code that catches them has it."""
    as_python_has_it(program)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: int(7 * x - 3),
        lambda x: round(7 * x - 3),
        lambda x: x > 0.5,
        lambda x: x == 0.5,
        lambda x: x >= np.float64(0.5),
        lambda x: np.float64(0.5) <= x,
        lambda x: bool(x),
        lambda x: math.log(x + 0.5) > -0.1,
        lambda x: math.floor(x * 3),
        lambda x: isinstance(x, np.float64),
        lambda x: x.round(1),
        lambda x: x.round(),
        lambda x: (30 * x).round(-1),
        lambda x: x.clip(0.25, 0.5),
        lambda x: x.clip(0.5),
        lambda x: x.clip(None, 0.5),
        lambda x: x.clip(0.5, 0.25),
        lambda x: x.clip(-1, 2),
    ],
)
def test_questions_to_a_number_of_numpy(program: Callable[[Any], Any]) -> None:
    as_python_has_it(program, numpy=True)


@pytest.mark.parametrize("apply", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
def test_whose_a_number_is(apply: Any) -> None:
    """numpy's, where one side is numpy's."""
    for other in (np.float64(0.5), np.int64(2), np.float64(1.5)):
        as_python_has_it(lambda value, other=other: apply(value + 0.5, other))  # type: ignore[misc]
        as_python_has_it(lambda value, other=other: apply(value + 0.5, other), numpy=True)  # type: ignore[misc]
    assert is_numpy(np.float64(1))
    assert not is_numpy(1.0)
    assert law(lambda value: (is_numpy(value), is_numpy(value.of_numpy()), is_numpy(value.of_numpy().of_python()))) == Pmf(
        {(False, True, False): 1}
    )


@pytest.mark.parametrize("compare", COMPARED)
def test_two_words_are_compared_as_two_draws(compare: Any) -> None:
    def two(coins: Any) -> bool:
        return bool(compare(*(of_word(coins, coins.uniform(4) - 1, 2) for _ in range(2))))

    assert explore(two, joint=True).law() == Pmf(Counter(compare(x, y) for x, y in product(range(4), repeat=2)))


@pytest.mark.parametrize(
    "two",
    [
        lambda x, y: x + 0.5 < y,
        lambda x, y: y > x + 0.5,
        lambda x, y: x + y < 1,
        lambda x, y: x * y < 1,
        lambda x, y: x.of_numpy() * 2 == y,
        lambda x, _y: x < LazyFloat(x._coins, 1, Chain(3)),
    ],
)
def test_two_values_of_other_kinds_are_refused(two: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(ExplorationError, match="with another value that is not decided"):
        explore(lambda coins: two(*(of_word(coins, coins.uniform(4) - 1, 2) for _ in range(2))), joint=True)


def test_words_of_more_than_53_bits_are_not_compared_as_words() -> None:
    for most in (2**53 + 1, 2**53 + 2):

        def two(coins: Any, most: int = most) -> bool:
            return bool(of_integer(follow_floats(coins).uniform(most) - 1) < of_integer(coins.uniform(most) - 1))

        if most == 2**53 + 1:
            assert explore(two, joint=True).law()[True] == mpq(most - 1, 2 * most)
        else:
            with pytest.raises(ExplorationError, match="another value"):
                explore(two, joint=True)


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_bracket_that_ends_at_zero_has_no_sign(sign: int) -> None:
    """log1p of two least floats, of which the bound leaves 0 open."""

    def program(value: Any) -> bool:
        return bool(1e-320 / (sign * value).applied(FUNCTIONS["log1p"]) > 0)

    for word in (1, 2):
        with pytest.raises(ExplorationError, match="not known to be of one sign"):
            law(program, lambda coins, word=word: LazyFloat(coins, word, Chain(1074)))  # type: ignore[misc]
    assert law(program, lambda coins: LazyFloat(coins, 3, Chain(1074))) == Pmf({sign > 0: 1})


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: (x + 1) ** 0, "at most 0 to the power 0"),
        (lambda x: (0 * x) ** 0, "at most 0 to the power 0"),
        (lambda x: pow(0 * x, 2, 5), "at most 0 to the power 2"),
        (lambda x: pow(x + 1, 2, 5), "at most 0 to the power 2"),
        (lambda x: x**math.inf, "a power with inf"),
        (lambda x: x + math.inf, "arithmetic with inf"),
        (lambda x: x < math.nan, "comparison with nan"),  # noqa: PLW0177
        (lambda x: x + Fraction(1, 2), "arithmetic with the Fraction"),
        (lambda x: x * np.uint16(1), "arithmetic with the uint16"),
        (lambda x: 0**x, "raises 0 to a value"),
        (lambda x: 1**x, "raises 1 to a value"),
        (lambda x: x * 1e308 * 2, "not finite"),
        (lambda x: math.ldexp(x, 1030), "not finite"),
        (lambda x: math.exp(x * 1000), "not finite"),
        (lambda x: 1e308 / (x / 16 + 0.01), "not finite"),
        (lambda x: x // 1, "uses // on a float"),
        (lambda x: 1 // x, "needs the value"),
        (lambda x: x % 1, "needs the value"),
        (lambda x: 1 % x, "needs the value"),
        (lambda x: divmod(1, x), "needs the value"),
        (lambda x: complex(x), "needs the value"),
        (lambda x: [1, 2][x], "needs the value"),
        (lambda x: repr(x), "needs the value"),
        (lambda x: f"{x}", "needs the value"),
        (lambda x: math.sin(x), "needs the value"),
        (lambda x: math.log(3, x), "needs the value"),
        (lambda x: x.is_integer(), "needs the value"),
        (lambda x: x.hex(), r"uses \.hex of a float"),
        (lambda x: mpq(1, 2) * x, "arithmetic with the mpq"),
        (lambda x: mpz(2) + x, "gmpy2"),
        (lambda x: x.round(1, out=3), "rounds into an array"),
        (lambda x: x.clip(1, 2, 3), "clips into an array"),
        (lambda x: x.of_numpy() / 0, "divides by 0, which numpy"),
        (lambda x: x / np.float64(0), "divides by 0, which numpy"),
        (lambda x: 1 / x.of_numpy(), "may be 0, which numpy"),
        (lambda x: x.of_numpy() ** -1, "at most 0 to the power -1"),
        (lambda x: x ** np.float64(-1), "at most 0 to the power"),
    ],
)
def test_what_is_not_followed_is_refused(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        law(program)


def test_whole_numbers_as_floats() -> None:
    def whole(low: int, high: int) -> Callable[[Any], Any]:
        return lambda coins: follow_floats(coins).uniform(high - low + 1) + low - 1

    assert law(lambda n: of_integer(n) / 2, whole(-2, 2)) == Pmf.uniform([freeze(i / 2) for i in range(-2, 3)])
    for divisor in (3, -3, -1, 1, 0.5, 2**40):
        found = law(lambda n, divisor=divisor: quotient(n, divisor), whole(-2, 2))  # type: ignore[misc]
        assert found == Pmf.uniform([freeze(i / divisor) for i in range(-2, 3)])
    with pytest.raises(ZeroDivisionError, match=r"^division by zero"):
        law(lambda n: quotient(n, 0), whole(1, 2))
    for high, divisor in ((2**53, 2**53 - 1), (2**53 + 1, 2**60), (2**60, -(2**70))):
        assert law(lambda n: bool(quotient(n, 1) < 0), whole(1, high)) == Pmf({False: 1})
        assert law(lambda n, divisor=divisor: bool(quotient(n, divisor) == 2), whole(1, high)) == Pmf({False: 1})  # type: ignore[misc]
    for high, divisor in ((2**53 + 1, 3), (9, 2**53 + 1), (2**53 + 1, 2**53 + 1)):
        with pytest.raises(ExplorationError, match="divides whole numbers of more than 53 bits"):
            law(lambda n, divisor=divisor: quotient(n, divisor) == 2, whole(1, high))  # type: ignore[misc]


def test_a_value_that_is_one_of_many() -> None:
    def program(coins: Any, bits: int, rounded: int | None) -> Any:
        value = of_word(coins, coins.uniform(1 << bits) - 1, bits)
        return (value if rounded is None else round(value, rounded)).decided() > 2

    def least(coins: Any, words: int, moved: int) -> Any:
        """Of few values, since only some words are floats."""
        return freeze(of_word(coins, coins.uniform(words) - 1 + moved, 1074 + 15))

    assert explore(lambda coins: least(coins, 1 << 16, 0)).law().support == {freeze(i * 5e-324) for i in range(3)}
    assert explore(lambda coins: least(coins, 8, (1 << 16) + (1 << 14) - 4)).law().support == {
        freeze(1e-323),
        freeze(1.5e-323),
    }
    with pytest.raises(ExplorationError, match="one of very many"):
        explore(lambda coins: least(coins, (1 << 16) + 1, 0))
    assert explore(lambda coins: program(coins, 8, None)).law() == Pmf({False: 1})
    assert explore(lambda coins: program(coins, 53, 1)).law() == Pmf({False: 1})
    for change in (lambda value: value, lambda value: value + 0.5, lambda value: -value, lambda value: math.sqrt(value)):
        with pytest.raises(ExplorationError, match="one of very many"):
            law(lambda value, change=change: change(value), lambda coins: of_word(coins, coins.uniform(1 << 17) - 1, 17))  # type: ignore[misc]


@pytest.mark.parametrize("ask", [lambda u: int(4 * u), lambda u: math.floor(4 * u), lambda u: math.ceil(4 * u - 0.5)])
def test_as_many_whole_numbers_as_the_budget_allows(ask: Callable[[Any], Any]) -> None:
    def program(coins: Any) -> Any:
        return ask(of_word(coins, coins.uniform(16) - 1, 4))

    count = len(explore(program).law().support)
    assert len(explore(program, Budget(fanout=count)).law().support) == count
    with pytest.raises(BudgetError, match="fanout"):
        explore(program, Budget(fanout=count - 1))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.logical_not(np.floor(2 * x)),
        lambda x: np.logical_and(np.floor(2 * x), 1),
        lambda x: np.logical_and(np.floor(2 * x), 0),
        lambda x: np.logical_or(np.floor(2 * x), 0),
        lambda x: np.logical_or(0.0, np.floor(2 * x)),
        lambda x: np.add(x, 1),
        lambda x: np.subtract(1, x),
        lambda x: np.multiply(x, -2),
        lambda x: np.divide(x, 3),
        lambda x: np.divide(3, x + 1),
        lambda x: np.less(x, 0.5),
        lambda x: np.less_equal(x, 0.5),
        lambda x: np.greater(x, 0.5),
        lambda x: np.greater_equal(x, 0.5),
        lambda x: np.equal(x, 0.5),
        lambda x: np.not_equal(x, 0.5),
        lambda x: np.maximum(x, 0.5),
        lambda x: np.maximum(0.5, x),
        lambda x: np.minimum(x, 0.5),
        lambda x: np.minimum(0.5, x),
        lambda x: np.maximum(x, 0),
        lambda x: np.minimum(1, x),
        lambda x: np.negative(x),
        lambda x: np.positive(x),
        lambda x: np.absolute(x - 0.5),
        lambda x: np.fabs(x - 0.5),
        lambda x: np.floor(4 * x - 2),
        lambda x: np.ceil(4 * x - 2),
        lambda x: np.trunc(4 * x - 2),
        lambda x: np.rint(4 * x - 2),
        lambda x: np.sign(x - 0.5),
        lambda x: [np.isfinite(x), np.isnan(x), np.isinf(x)],
        lambda x: np.log(x + 0.5),
        lambda x: np.log2(x + 0.5),
        lambda x: np.log1p(x - 0.5),
        lambda x: np.exp(x),
        lambda x: np.exp2(x),
        lambda x: np.expm1(x),
        lambda x: np.sqrt(x),
        lambda x: np.log(x),
        lambda x: np.log2(x),
        lambda x: np.log1p(x - 1),
        lambda x: np.power(x + 0.5, 1.5),
        lambda x: np.power(x + 0.5, 2),
        lambda x: np.power(x + 0.5, -1),
        lambda x: np.power(1.5, x),
        lambda x: np.round(9 * x, 1),
        lambda x: np.round(x),
        lambda x: np.clip(x, 0.25, 0.5),
        lambda x: np.add(x, np.float64(1)),
        lambda x: np.add(np.array(1), x),
        lambda x: np.float64(2) * x,
        lambda x: np.int64(2) - x,
    ],
)
@pytest.mark.parametrize("numpy", [False, True])
def test_functions_of_numpy(program: Callable[[Any], Any], numpy: bool) -> None:
    as_python_has_it(program, numpy=numpy)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda x: np.sin(x), r"uses np\.sin of a float that is not decided"),
        (lambda x: np.arctan2(x, 1), r"uses np\.arctan2 of a float that is not decided"),
        (lambda x: np.add(x, 1, dtype=np.float32), "with options"),
        (lambda x: np.add.reduce(x), "with options"),
        (lambda x: np.divide(1, x), "may be 0, which numpy"),
        (lambda x: np.divide(x, 0), "may be 0, which numpy"),
        (lambda x: np.log(x - 0.5), "uses np.log where it may be nan"),
        (lambda x: np.sqrt(x - 0.5), "uses np.sqrt where it may be nan"),
        (lambda x: np.power(x, 2), "at most 0 to a power"),
        (lambda x: np.power(x + 1, 0), "to the power 0"),
        (lambda x: np.power(0, x), r"raises 0\.0 to"),
        (lambda x: np.power(1, x), r"raises 1\.0 to"),
        (lambda x: np.float64(0.5) ** x, "a scalar of numpy"),
        (lambda x: np.maximum(x, -0.0), r"of 0\.0 and -0\.0"),
        (lambda x: np.minimum(-0.0, x), r"of 0\.0 and -0\.0"),
    ],
)
def test_functions_of_numpy_that_are_refused(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        law(program)


LIBRARY = [np.log, np.log2, np.log1p, np.exp, np.exp2, np.expm1, np.sqrt, lambda x: np.power(x, 2), lambda x: np.power(2, x)]


@pytest.mark.parametrize("function", LIBRARY)
def test_what_is_assumed_of_numpy(function: Any) -> None:
    found = explore(lambda coins: bool(function(of_word(coins, coins.uniform(16), 4)) > 0.7))
    assert found.assumptions == (() if function is np.sqrt else (numpy_assumption(),))


def test_what_a_source_has_not() -> None:
    for name in ("nothing", "_os_random", "__len__", "_randbelow_with_getrandbits"):
        assert not hasattr(StandIn(Given()), name)  # type: ignore[arg-type]


class Given:
    """Coins that give nothing."""


def test_no_bits() -> None:
    assert law(lambda value: [random.getrandbits(0), value > 2]) == Pmf({freeze([0, False]): 1})


def test_how_it_is_refused() -> None:
    with pytest.raises(ExplorationError, match=r"test_values\.py:\d+ does it; accepted: that; next: "):
        refuse(object(), "does it", "that")
    with pytest.raises(ExplorationError, match=r"test_values\.py:\d+ does it; next: "):
        refuse(object(), "does it")
    with pytest.raises(ExplorationError, match=r"does it$"):
        refuse(object(), "does it", following="")

    class Refusing:
        def refuse(self, message: str, kind: type[ExplorationError]) -> None:
            raise KeyError(message)

    with pytest.raises(KeyError, match="does it"):
        refuse(Refusing(), "does it")
