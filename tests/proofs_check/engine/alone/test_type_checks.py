"""Functions that typeguard has rewritten: taken alone without its checks, which are made around them."""

from fractions import Fraction
from types import FunctionType
from typing import Any, cast

import pytest
from gmpy2 import mpq
from typeguard import TypeCheckError

from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.alone.function_source import checks_of
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import checked, samplers
from tests.proofs_check.engine.alone.test_declared_samplers import found, taken


def test_a_checked_loop_is_merged() -> None:
    law = found(lambda coins: checked.third(coins, 2), checked.third)
    assert law.law() == Pmf({0: 1, 2: 1, 4: 1})
    assert taken(law) == {"third": None}


def test_a_checked_helper_is_followed() -> None:
    law = found(lambda coins: checked.two_bits(coins, Fraction(1, 3)), checked.two_bits)
    assert law.law() == Pmf({0: 4, 1: 4, 2: 1})
    assert taken(law) == {"two_bits": None}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("third", (2.5,)), ("third", (Fraction(1, 2),)), ("halved", ()), ("two_bits", (1,)), ("two_bits", (0.5,))],
)
def test_what_the_checks_refuse_is_refused(name: str, arguments: tuple[Any, ...]) -> None:
    """An argument, a result, and both of a helper."""
    sampler = getattr(checked, name)
    declared = Declared.of([sampler])
    with pytest.raises(TypeCheckError):
        explore(lambda coins: getattr(checked, name)(coins, *arguments), Budget(), samplers=declared)
    (wrapper,) = declared._wrappers.values()
    assert ["TypeCheckError" in str(law) for law in wrapper._laws.values()] == [True]


def test_checked_variables_are_left_to_typeguard() -> None:
    assert checks_of(cast(FunctionType, checked.assigning)) is None
    law = found(lambda coins: checked.assigning(coins), checked.assigning)
    assert law.law() == Pmf({0: 1, 1: 1})
    assert "assigning() is not what its source" in (taken(law)["assigning"] or "")


def test_functions_of_any_number_of_arguments_are_left_to_typeguard() -> None:
    for function in (checked.of_many, checked.of_named):
        assert checks_of(cast(FunctionType, function)) is None


def without_annotations(coins):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    return coins.uniform(2)


def test_other_functions_have_no_checks() -> None:
    for function in (samplers.third, samplers.ruin, without_annotations, checked.two_bits):
        assert checks_of(cast(FunctionType, function)) is None
    space: dict[str, Any] = {"__name__": "nowhere"}
    exec("def f(coins): return TypeCheckMemo", space)  # noqa: S102
    assert checks_of(space["f"]) is None


def test_only_what_typeguard_made_of_the_source_is_taken() -> None:
    """A function of the same name whose rewritten code is another one."""
    original = cast(FunctionType, checked.bit)
    assert checks_of(original) is not None
    names = tuple("numerator" if name == "denominator" else name for name in original.__code__.co_names)
    forged = FunctionType(original.__code__.replace(co_names=names), original.__globals__, "bit")
    forged.__qualname__, forged.__module__ = original.__qualname__, original.__module__
    forged.__annotations__ = original.__annotations__
    assert checks_of(forged) is None


def test_the_function_without_checks_is_the_source() -> None:
    checks = checks_of(cast(FunctionType, checked.third))
    assert checks is not None
    assert "TypeCheckMemo" not in checks.plain.__code__.co_names
    law = found(lambda coins: checked.third(coins), checked.third)
    assert law.resolved == {0: mpq(1, 3), 1: mpq(1, 3), 2: mpq(1, 3)}
