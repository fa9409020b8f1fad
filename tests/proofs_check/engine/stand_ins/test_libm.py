"""finitedp.proofs_check.engine.stand_ins.libm: functions, their domains, and the intervals that their values lie in."""

import math
import platform
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from finitedp.proofs_check.engine.stand_ins import libm
from finitedp.proofs_check.engine.stand_ins.libm import FUNCTIONS, ULPS, WIDE_ULPS, Function, power_of, power_to
from finitedp.proofs_check.engine.stand_ins.numpy_functions import LIBRARY

EXACT = {"log": (1, 0), "log2": (8, 3), "log1p": (0, 0), "exp": (0, 1), "exp2": (3, 8), "expm1": (0, 0), "sqrt": (9, 3)}


def steps(value: float, count: int) -> float:
    """As many floats further."""
    for _ in range(abs(count)):
        value = math.nextafter(value, math.copysign(math.inf, count))
    return value


@pytest.mark.parametrize("name", FUNCTIONS)
def test_intervals_are_as_wide_as_is_assumed(name: str) -> None:
    x, value = map(float, EXACT[name])
    assert (ULPS, WIDE_ULPS) == (2, 8)
    for function, ulps in ((FUNCTIONS[name], ULPS), (LIBRARY[name], WIDE_ULPS)):
        width = 0 if name == "sqrt" else ulps
        assert function.around(x, x) == (steps(value, -width), steps(value, width))


@pytest.mark.parametrize("function", [*FUNCTIONS.values(), power_to(1.5), power_of(2.0), power_to(-1.5), power_of(0.5)])
def test_they_rise_or_fall(function: Function) -> None:
    low, high = function.around(0.25, 0.75)
    values = [function.real(x) for x in (0.25, 0.75)]
    assert (values[0] < values[1]) == function.rising
    assert low <= min(values) < max(values) <= high
    assert steps(low, 1 + 2 * ULPS) > min(values)
    assert steps(high, -1 - 2 * ULPS) < max(values)


@pytest.mark.parametrize(
    ("function", "x", "defined"),
    [
        (FUNCTIONS["log"], 0.0, False),
        (FUNCTIONS["log"], 5e-324, True),
        (FUNCTIONS["log"], -1.0, False),
        (FUNCTIONS["log2"], 0.0, False),
        (FUNCTIONS["log2"], 5e-324, True),
        (FUNCTIONS["log1p"], -1.0, False),
        (FUNCTIONS["log1p"], math.nextafter(-1.0, 0), True),
        (FUNCTIONS["sqrt"], 0.0, True),
        (FUNCTIONS["sqrt"], -5e-324, False),
        (FUNCTIONS["exp"], -1e308, True),
        (FUNCTIONS["exp2"], -1e308, True),
        (FUNCTIONS["expm1"], -1e308, True),
        (power_to(1.5), 0.0, False),
        (power_to(1.5), 5e-324, True),
        (power_of(1.5), -1e308, True),
    ],
)
def test_where_they_are_defined(function: Function, x: float, defined: bool) -> None:
    assert function.defined(x) == defined


def test_the_platform_s_own_functions_are_asked() -> None:
    for name, function in FUNCTIONS.items():
        assert function.name == name
        assert function.real is getattr(math, name)
        assert LIBRARY[name].name == f"np.{name}"
        assert LIBRARY[name].real(0.3) == float(getattr(np, name)(0.3))
    assert power_to(1.7).real(0.3) == math.pow(0.3, 1.7)
    assert power_of(1.7).real(0.3) == math.pow(1.7, 0.3)
    assert {name for name, function in FUNCTIONS.items() if function.exact} == {"sqrt"}


def test_powers_have_names_of_their_own() -> None:
    """Answers are kept by name."""
    assert len({function.name for function in (power_to(1.5), power_to(2.5), power_of(1.5), power_of(2.5))}) == 4
    assert [power_to(0.5).rising, power_to(-0.5).rising] == [True, False]
    assert [power_of(1.5).rising, power_of(0.5).rising] == [True, False]


def test_small_and_large_numbers_are_rounded_as_floats_are() -> None:
    exp, exp2 = FUNCTIONS["exp"].correctly_rounded, FUNCTIONS["exp2"].correctly_rounded
    assert [exp2(x) for x in (-1073.0, -1074.0, -1075.0, -1076.0)] == [1e-323, 5e-324, 0.0, 0.0]
    assert [exp2(x) for x in (-1022.0, 1023.0, 1024.0)] == [2.0**-1022, 2.0**1023, math.inf]
    assert [FUNCTIONS["sqrt"].correctly_rounded(float(x)) for x in range(50)] == [math.sqrt(x) for x in range(50)]
    assert exp(-744.0) == 1e-323
    assert exp(709.0) == pytest.approx(math.exp(709.0), rel=1e-15)


def test_a_subnormal_number_is_rounded_once() -> None:
    """Squares that to 53 bits lie half-way between two subnormal floats, and are on one side of it."""
    for half in range(1, 40):
        x = math.sqrt(half + 0.5) * 2.0**-537
        assert power_to(2.0).correctly_rounded(x) == float(Fraction(x) ** 2)


@pytest.mark.parametrize(("version", "named"), [(("glibc", "9.9"), "glibc 9.9 on "), (("", ""), "its C library on ")])
def test_assumptions_name_what_they_are_about(version: Any, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: version)
    assert named in libm.assumption.__wrapped__()
    assert f"{ULPS} floats" in libm.assumption()
    assert libm.numpy_assumption().startswith(f"numpy {np.__version__} on ")
    assert f"power of a float to one of the {WIDE_ULPS} floats" in libm.numpy_assumption()
