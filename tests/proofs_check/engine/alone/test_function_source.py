"""Sources of functions: found, and refused wherever they are not those of the code."""

import ast
import functools
import importlib.util
import inspect
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import pytest

from finitedp.proofs_check.engine.alone.function_source import _checks_behind, _read, _tree, checks_of, tree_of
from finitedp.proofs_check.engine.alone.keys import NotPureError
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone import checked, samplers
from tests.proofs_check.engine.alone.cells import cell
from tests.proofs_check.engine.alone.test_declared_samplers import found, taken

NO_SOURCE = r"has no source to be read; accepted: a function in a file, or in a notebook's cell"
ANOTHER = r"is not what its source, .*, compiles to; accepted: a source as it was imported"
THIRD = (
    "def third(coins):\n    while True:\n        word = coins.bits(2)\n        if word < 3:\n            return word == 0\n"
)


def imported(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(function: Callable[..., Any]) -> str:
    return ast.unparse(tree_of(cast(FunctionType, function)))


def test_a_function_without_a_source_is_run_inline_and_says_what_helps() -> None:
    space: dict[str, Any] = {"__name__": "nowhere"}
    exec(compile(THIRD, "<made here>", "exec"), space)  # noqa: S102
    with pytest.raises(NotPureError, match=NO_SOURCE):
        tree_of(space["third"])
    law = found(lambda coins: space["third"](coins), space["third"], bits=10)
    assert taken(law) == {"third": "third() has no source to be read; accepted: a function in a file, or in a notebook's cell"}
    assert law.unresolved > 0


@pytest.mark.parametrize("was_read", [False, True])
def test_a_file_that_was_changed_since_it_was_imported(was_read: bool, tmp_path: Path) -> None:
    """It is no source, unless its text was read before: that one is the code's."""
    path = tmp_path / "changing.py"
    path.write_text(THIRD)
    module = imported(path)
    if was_read:
        linecache.getlines(str(path))
    path.write_text(THIRD.replace("word == 0", "word == 1  # longer"))
    _tree.cache_clear()
    if was_read:
        assert "word == 0" in written(module.third)
    else:
        with pytest.raises(NotPureError, match=ANOTHER):
            tree_of(module.third)


def test_a_text_that_was_read_before_the_file_was_written_anew_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "written_anew.py"
    path.write_text(THIRD)
    linecache.getlines(str(path))
    path.write_text(THIRD.replace("word == 0", "word == 1  # longer"))
    assert "word == 1" in written(imported(path).third)


@pytest.mark.parametrize("text", ["def f(:", "def f(): return 1\n\0", "-" * 3_000 + "1", "-" * 100_000 + "1"], ids=range(4))
def test_a_text_that_is_no_python_has_no_functions(text: str) -> None:
    assert _read(text) == ([], {})


@pytest.mark.parametrize(
    ("before", "after"), [("word < 3", "word < 2"), ("bits(2)", "bits(1)"), ("return word", "return 1 - word")]
)
def test_a_source_that_differs_in_one_place_is_not_taken(before: str, after: str) -> None:
    function = cell(THIRD)["third"]
    other = cell(THIRD.replace(before, after))["third"]
    _tree.cache_clear()  # which knows the code by its equal
    forged = FunctionType(function.__code__.replace(co_filename=other.__code__.co_filename), {}, "third")
    with pytest.raises(NotPureError, match=ANOTHER):
        tree_of(forged)
    assert before in THIRD
    tree_of(other)


def test_code_with_another_flag_is_another() -> None:
    function = cell(THIRD)["third"]
    other = function.__code__.replace(co_flags=function.__code__.co_flags | inspect.CO_ITERABLE_COROUTINE)
    _tree.cache_clear()
    with pytest.raises(NotPureError, match=ANOTHER):
        tree_of(FunctionType(other, {}, "third"))


def test_the_imports_of_a_module_are_those_outside_of_functions_and_classes() -> None:
    outside = ["import a", "from . import b", "from PIL import c", "from zlib import d", "if b:\n    import e"]
    within = ["def f():\n    import g", "class C:\n    import h", "async def i():\n    import j", "from __future__ import k"]
    imports, functions = _read("\n".join([*within, *outside]))
    assert {name.name for statement in imports for name in statement.names} == set("abcde")  # type: ignore[attr-defined]
    assert [name for name, _ in functions] == ["f"]


def test_functions_of_one_line_are_told_apart() -> None:
    space = cell("one, two = (lambda coins: coins.bits(1)), (lambda coins: coins.bits(2))\n")
    assert ("bits(1)" in written(space["one"]), "bits(2)" in written(space["two"])) == (True, True)


def test_a_wrapped_function_is_read_as_what_it_is() -> None:
    """Never as the function that it wraps: functools.wraps tells inspect of that one."""

    @functools.wraps(samplers.third)
    def wrapper(coins: Any) -> bool:
        return not coins

    assert "not coins" in written(wrapper)
    with pytest.raises(NotPureError, match=ANOTHER):
        tree_of(cast(FunctionType, checked.third))  # typeguard has rewritten it


def test_private_names_of_a_class_are_those_of_its_code() -> None:
    space = cell("class _Kept:\n    def word(self, coins):\n        self.__seen = coins.bits(1)\n        return self.__seen\n")
    assert "self._Kept__seen" in written(space["_Kept"].word)


def test_what_a_call_does_not_evaluate_is_left_out() -> None:
    text = "def f(x: print(1), *, y: int = 3) -> str:\n    'Text.'\n    z: 'text' = x\n    return z + y\n"
    assert "'" not in written(cell(text)["f"])
    assert "print" not in written(cell(text)["f"])


def test_functions_within_functions_and_imports_are_compiled_as_they_were() -> None:
    space = cell(
        "import math\nfrom math import comb\n\ndef made():\n"
        "    def f(n):\n        return math.comb(n, 2) + comb(n, 1)\n    return f\n"
    )
    assert "math.comb" in written(space["made"]())


@pytest.mark.parametrize("name", ["at", "head", "values", "locals", "trap"])
def test_names_of_the_solver_are_free(name: str) -> None:
    text = f"def f(coins):\n    {name} = 0\n"
    text += f"    while coins.uniform(4) > 1 and {name} < 3:\n        {name} += 1\n    return {name}\n"
    space = cell(text)
    law = found(lambda coins: space["f"](coins), space["f"])
    assert taken(law) == {"f": None}
    assert law.law() == Pmf({0: 16, 1: 12, 2: 9, 3: 27})


def test_a_comprehension_and_a_lambda_are_read_alike_by_every_python() -> None:
    text = "def f(coins):\n    k = 2\n    return sum([x * k for x in (1, coins.uniform(k))])"
    text += " + coins.count_while(lambda c: c.uniform(2) > 2)\n"
    space = cell(text)
    law = found(lambda coins: space["f"](coins), space["f"])
    assert taken(law)["f"] is None
    assert law.law() == Pmf({4: 1, 6: 1})
    text = text.replace("c.uniform(2) > 2", "c.uniform(2) > k")
    space = cell(text)
    reasons = taken(found(lambda coins: space["f"](coins), space["f"]))
    assert "makes a function with defaults or a closure" in (reasons["f"] or "")


def test_of_another_version_of_typeguard_no_checks_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    _checks_behind.cache_clear()
    assert checks_of(cast(FunctionType, checked.third)) is not None
    _checks_behind.cache_clear()
    monkeypatch.delitem(sys.modules, "typeguard._decorators")
    assert checks_of(cast(FunctionType, checked.third)) is None
