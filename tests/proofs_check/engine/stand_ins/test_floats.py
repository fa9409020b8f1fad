"""finitedp.proofs_check.engine.stand_ins.floats and libm: chains of one draw through functions whose error is bounded."""

import math
import platform
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import BudgetError, ExplorationError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.stand_ins import chains, libm, numpy_functions
from finitedp.proofs_check.engine.stand_ins.chains import Chain, Step
from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat, of_word
from finitedp.proofs_check.engine.stand_ins.libm import FUNCTIONS, ULPS, Function, assumption, power_of, power_to
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn

pytestmark = pytest.mark.usefixtures("lazies_alone")

LOG = FUNCTIONS["log"]
WORDS = 1 << 53


def found(program: Callable[[LazyFloat], Any]) -> Any:
    return explore(lambda coins: program(of_word(coins, coins.uniform(WORDS) - 1)), keep_paths=True)


def as_computed(program: Callable[[Any], Any], real: Callable[[float], Any], seed: int = 0) -> Any:
    """The law; each path compared with the platform's answer at the ends of its words, beside them and at random ones."""
    law = found(program)
    assert law.unresolved == 0
    at_random = random.Random(seed)
    for path in law.paths:
        ((low, high, _),) = path.draws
        words = {low, high, *(min(max(end + i, low), high) for end in (low, high) for i in range(-60, 61))}
        for word in words | {at_random.randint(low, high) for _ in range(60)}:
            assert real((word - 1) * 2.0**-53) == path.output, word
    return law.law()


def geometric(u: float) -> int:
    return math.floor(-math.log(1 - u) / 0.5)


def test_the_logarithm_of_a_uniform_breaks_the_ratio_and_ends() -> None:
    """An exponential of rate 1/2, cut to whole numbers: e^(1/2) is exceeded by 7e-11 or more, and nothing is above 73."""
    law = as_computed(lambda u: math.floor(-(1 - u).applied(LOG) / 0.5), geometric)
    assert max(law.support) == 73
    worst = max(law[k] / law[k + 1] for k in range(40))
    assert worst > mpq(164872127107, 10**11) > mpq(*math.exp(0.5).as_integer_ratio())


@pytest.mark.parametrize(
    ("program", "real"),
    [
        (lambda u: (u + 0.5).applied(LOG) > 0.1, lambda u: math.log(u + 0.5) > 0.1),
        (lambda u: round(-(1 - u).applied(FUNCTIONS["log2"])), lambda u: round(-math.log2(1 - u))),
        (lambda u: math.ceil(-(1 - u).applied(LOG) * 2), lambda u: math.ceil(-math.log(1 - u) * 2)),
        (lambda u: (-u).applied(FUNCTIONS["log1p"]) < -2, lambda u: math.log1p(-u) < -2),
        (lambda u: int((3 * u).applied(FUNCTIONS["exp"])), lambda u: int(math.exp(3 * u))),
        (lambda u: (3 * u).applied(FUNCTIONS["expm1"]) >= 1.7, lambda u: math.expm1(3 * u) >= 1.7),
        (lambda u: 1 / (u - 1.5) > -1, lambda u: 1 / (u - 1.5) > -1),
        (lambda u: u.applied(FUNCTIONS["sqrt"]) < 0.3, lambda u: math.sqrt(u) < 0.3),
        (lambda u: (u + 1).applied(power_to(1.7)) < 2, lambda u: math.pow(u + 1, 1.7) < 2),
        (lambda u: (u + 1).applied(power_to(-0.5)) < 0.9, lambda u: math.pow(u + 1, -0.5) < 0.9),
        (lambda u: u.applied(power_of(0.3)) < 0.9, lambda u: math.pow(0.3, u) < 0.9),
        (lambda u: -(-(u + 0.01).applied(LOG)).applied(LOG) > 0.3 if u < 0.9 else None, None),
        (lambda u: u.applied(numpy_functions.LIBRARY["exp"]) < 1.3, lambda u: float(np.exp(u)) < 1.3),
    ],
)
def test_functions_are_followed_word_by_word(program: Any, real: Any) -> None:
    if real is None:  # the logarithm of a logarithm, of what is below 0.9
        real = lambda u: -math.log(-math.log(u + 0.01)) > 0.3 if u < 0.9 else None  # noqa: E731
    as_computed(program, real)


def off(ulps: int, every: int, name: str) -> Function:
    """A logarithm that is off by some ulps at every third argument, or so: neither monotone nor correctly rounded."""

    def real(x: float) -> float:
        value = math.log(x)
        steps = ulps if int(math.ldexp(x, 53)) % every == 0 else 0
        return value + steps * math.ulp(value)

    return evolve(LOG, name=name, real=real)


def test_a_logarithm_that_is_not_monotone_is_followed_to_every_flip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finitedp.proofs_check.engine.stand_ins.libm.ULPS", 16)
    wrong = off(15, 3, "log off at every third")
    law = found(lambda u: (1 - u).applied(wrong) > -0.7)
    assert law.leaves > 2, "it does not flip"
    for path in law.paths:
        ((low, high, _),) = path.draws
        for word in {w for end in (low, high) for w in range(max(end - 100, low), min(end + 100, high) + 1)}:
            assert (wrong.real(1 - (word - 1) * 2.0**-53) > -0.7) == path.output, word


def test_a_logarithm_beyond_its_error_bound_is_refused() -> None:
    with pytest.raises(ExplorationError, match="outside of its assumed error bound"):
        found(lambda u: (1 - u).applied(off(15, 1, "log off")) > -0.7)


def test_a_window_that_is_too_wide_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word moves the logarithm by two ulps there, so that 64 of them leave about 64 words open."""
    monkeypatch.setattr("finitedp.proofs_check.engine.stand_ins.libm.ULPS", 64)
    monkeypatch.setattr(chains, "WINDOW", 16)
    with pytest.raises(ExplorationError, match="leaves more than 16 words open"):
        found(lambda u: (1 - u).applied(evolve(LOG, name="log of a wide bound")) > -0.7)


def test_the_value_of_a_float_of_65537_words_is_refused() -> None:
    with pytest.raises(ExplorationError, match="one of very many"):
        found(lambda u: u.decided() if u <= 2.0**-37 else 0)


def test_the_assumption_is_named_where_it_is_used() -> None:
    assert found(lambda u: (1 - u).applied(LOG) > -0.7).assumptions == (assumption(),)
    assert f"{ULPS} floats" in assumption()
    assert found(lambda u: (1 - u).applied(FUNCTIONS["sqrt"]) > 0.7).assumptions == ()
    assert found(lambda u: 1 - u > 0.7).assumptions == ()


@pytest.mark.parametrize(
    ("version", "named"), [(("glibc", "9.9"), "libm: glibc 9.9 on "), (("", ""), "libm: its C library on ")]
)
def test_the_assumption_names_the_library(version: tuple[str, str], named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: version)
    assert libm.assumption.__wrapped__().startswith(named)


def test_the_bracket_holds_for_the_platform_s_functions() -> None:
    """Sampled: 2000 arguments of each."""
    at_random = random.Random(1)
    for function in FUNCTIONS.values():
        for _ in range(2000):
            x = at_random.uniform(0 if function.above == 0 else -0.99, 1) * 2.0 ** at_random.randint(
                -30, 3 * (function.above != -1)
            )
            if function.defined(x):
                low, high = function.around(x, x)
                assert low <= function.real(x) <= high, (function.name, x)


def test_the_correctly_rounded_value_knows_small_and_large_numbers() -> None:
    exp = FUNCTIONS["exp"]
    assert exp.correctly_rounded(-744.0) == 1e-323
    assert exp.correctly_rounded(-800.0) == 0.0
    assert exp.correctly_rounded(800.0) == math.inf


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda u: (1000 * u).applied(FUNCTIONS["exp"]) > 1, "a number that is not finite"),
        (lambda u: (u - 0.5) ** 2 > 0.1, "raises a value that may be at most 0 to the power 2"),
        (lambda u: (-1) ** u > 0, "raises -1 to a value"),
        (lambda u: u, "one of very many"),
        (lambda u: u.decided(), "one of very many"),
    ],
)
def test_what_is_not_followed_is_refused(program: Any, message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        found(lambda u: program(u).decided() if program(u) is u else program(u))


@pytest.mark.parametrize(
    "program",
    [
        lambda u: (u - 0.5).applied(LOG) < 0,
        lambda u: (u - 1.5).applied(FUNCTIONS["log1p"]) < 0,
        lambda u: 1 / u < 3,
        lambda u: u**-1.5 < 3,
    ],
)
def test_an_argument_out_of_the_domain_raises_as_math_does(program: Any) -> None:
    """On the words where it is; a mechanism that meets them has no law to be found."""
    with pytest.raises((ValueError, ZeroDivisionError)):
        found(program)


def test_too_many_whole_numbers_are_refused() -> None:
    with pytest.raises(BudgetError, match="fanout"):
        found(lambda u: int(u * 1e6))


def test_values_that_are_few_are_decided() -> None:
    law = found(lambda u: repr(round(u, 1).decided())).law()
    assert law.support == {repr(i / 10) for i in range(11)}
    assert found(lambda u: repr((u * 0).decided())).law().support == {"0.0"}


def test_steps_of_equal_keys_are_equal() -> None:
    """The answers are kept by chain: chains that differ must not be taken for each other."""
    one, other = (Chain(53, (Step(("+", k), lambda v: v),)) for k in ("0.5", "0.25"))
    assert one != other
    assert one == Chain(53, (Step(("+", "0.5"), lambda v: v),))
    assert found(lambda u: (u + 0.5 > 0.75, u + 0.25 > 0.75)).law()[True, False] == mpq(1, 4)


def test_answers_of_sub_intervals_are_not_those_of_the_whole() -> None:
    """Asked again within a branch."""

    def program(u: LazyFloat) -> tuple[bool, ...]:
        low = (1 - u).applied(LOG) > -0.7
        return low, (1 - u).applied(LOG) > -0.7, (1 - u).applied(LOG) > -0.2

    assert {output[:2] for output in found(program).law().support} == {(True, True), (False, False)}
    assert chains.WINDOW == 1 << 14


@pytest.mark.parametrize(
    ("low", "high", "leaves"), [(1.0, 2.0, 1), (0.0, 1.0, 2), (-1.0, 0.0, 2), (0.25, 0.5, 3), (-1.0, 1.0, 1)]
)
def test_clipping_asks_for_no_more_than_its_ends(low: float, high: float, leaves: int) -> None:
    """Whether it is below, above, and, where one of them is 0, whether it is 0, of which the sign may be either."""

    def program(coins: Any) -> int:
        _ = (GeneratorStandIn(coins).random() * np.float64(1)).clip(low, high)
        return 0

    assert explore(program).leaves == leaves
