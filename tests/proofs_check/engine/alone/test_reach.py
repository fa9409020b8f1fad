"""What a key of code holds, and which code has none because it is run as it is."""

from typing import Any

import gmpy2
import pytest

from finitedp.proofs_check.engine.alone.declared_samplers import _Taken
from finitedp.proofs_check.engine.alone.derivations import Solver
from finitedp.proofs_check.engine.alone.keys import NotPureError
from finitedp.proofs_check.engine.alone.reach import Environment, environment, read
from tests.proofs_check.engine.alone import objects, samplers
from tests.proofs_check.engine.alone.test_copies import made
from tests.proofs_check.engine.alone.test_keys import Forged


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("appends", "reads the global log, a list"),
        ("sets_an_item", "sets or deletes an item"),
        ("sets_a_global", "sets the global SET"),
        ("sets_an_attribute", "deletes the attribute"),
        ("reads_the_clock", r"\(Import\)"),
        ("calls_a_helper_with_state", r"counts_calls\(\) reads the global log, a list"),
        ("has_a_mutable_default", "has a list as a default"),
    ],
)
def test_code_that_is_run_as_it_is_must_have_no_objection(name: str, reason: str) -> None:
    with pytest.raises(NotPureError, match=reason):
        environment(getattr(samplers, name))
    with pytest.raises(NotPureError, match=reason):
        environment(_Taken(getattr(samplers, name), Solver()))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("die", r"word\(\) reads the global KEPT, a list"),
        ("shows_by_str", "str|shown"),
        ("shows_by_an_f_string", "shown|f-string"),
        ("compares_ids", "asks whether two values are one object"),
        ("hands_on_a_method", "the attribute word|class"),
    ],
)
def test_code_that_needs_a_copy_has_no_key_as_it_is(name: str, reason: str) -> None:
    with pytest.raises(NotPureError, match=reason):
        environment(getattr(objects, name))


def test_code_that_makes_instances_has_no_key_as_it_is() -> None:
    function = made("class C:\n    most = 2\ndef f(coins): return coins.uniform(C().most)")
    with pytest.raises(NotPureError, match="it makes instances of a class"):
        environment(function)
    assert len(read(function).classes) == 1


def test_a_name_may_be_a_method_of_one_class_and_a_number_of_another() -> None:
    text = "class A:\n    my_own = 2\nclass B:\n    def my_own(self): return 3\n"
    for body, why in (
        ("A().my_own + B().my_own()", "uses the attribute my_own"),
        ("B().my_own() + coins.uniform(A() is None)", ""),
    ):
        found = read(made(text + f"def f(coins): return {body}"))
        assert {"my_own"} == found.data == found.methods
        said = [each for function in found.functions.values() for each in found.objections(function).values()]
        assert [why in each for each in said] == [True] * bool(why)


def test_a_global_is_never_asked_what_it_is_equal_to() -> None:
    with pytest.raises(NotPureError, match="reads the global array, "):
        environment(made("import numpy\narray = numpy.array([1, 2])\ndef f(coins): return array"))


@pytest.mark.parametrize("name", ["__call__", "__len__", "__lt__", "__add__"])
def test_a_class_with_a_method_that_python_calls_is_not_followed(name: str) -> None:
    found = read(made(f"class C:\n    def {name}(self, x=1): return 1\ndef f(coins): return C()"))
    assert f"it has its own {name}" in str([found.objections(each) for each in found.functions.values()])


def test_objections_in_a_piece_of_the_code_count() -> None:
    with pytest.raises(NotPureError, match=r"reads the global"):
        environment(made("log = []\ndef f(coins): return [log.append(x) for x in (1, 2)]"))
    function = made("def f(coins): return [x + 1 for x in (1, 2)]")
    environment(function)


def test_what_is_no_function_is_not_read() -> None:
    for thing in (print, 3, samplers, Forged()):
        with pytest.raises(NotPureError, match=f"it uses a {type(thing).__name__}, which cannot be read"):
            read(thing)


def keys(*sources: str) -> list[Any]:
    return [environment(made(source)) for source in sources]


def test_keys_tell_what_a_law_depends_on() -> None:
    sources = [
        "def f(coins): return coins.uniform(2)",
        "def f(coins): return coins.uniform(3)",
        "def f(coins, x=1): return coins.uniform(2)",
        "def f(coins, x=True): return coins.uniform(2)",
        "def f(coins, *, x=1): return coins.uniform(2)",
        "def f(coins, *, x=2): return coins.uniform(2)",
        "K = 1\ndef f(coins): return coins.uniform(K)",
        "K = 2\ndef f(coins): return coins.uniform(K)",
        "K = True\ndef f(coins): return coins.uniform(K)",
        "def g(c): return 1\ndef f(coins): return g(coins)",
        "def g(c): return 2\ndef f(coins): return g(coins)",
        "K = 1\ndef g(c): return K\ndef f(coins): return g(coins)",
        "K = 2\ndef g(c): return K\ndef f(coins): return g(coins)",
        "def f(coins): return max(coins.uniform(2), 1)",
        "max = min\ndef f(coins): return max(coins.uniform(2), 1)",
        "import math\ndef f(coins): return math.pi",
        "def f(coins, n): return f(coins, n - 1) if n else 0",
    ]
    found = keys(*sources)
    assert len(set(found)) == len(sources)
    assert set(map(hash, keys(*sources))) == set(map(hash, found))
    context = gmpy2.get_context()  # type: ignore[attr-defined]
    before = context.precision
    try:
        context.precision = before + 1
        assert not set(keys(*sources)) & set(found)
    finally:
        context.precision = before


def test_a_global_that_is_not_there_is_an_objection() -> None:
    function = made("def f(coins): return NOT_THERE")
    with pytest.raises(NotPureError, match="reads the global NOT_THERE, which is not there"):
        environment(function)
    assert [one.kind for one in next(iter(Environment(function).functions.values())).named.values()] == ["unknown"]
