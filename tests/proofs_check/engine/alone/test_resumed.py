"""Functions that go on from the head of a loop: their lines, flags, and instructions of large arguments."""

import dis
from types import CodeType, FunctionType
from typing import Any, cast

import pytest

from finitedp.proofs_check.engine.alone import resumed as module
from finitedp.proofs_check.engine.alone.loop_heads import live_at_heads
from finitedp.proofs_check.engine.alone.resumed import resumed
from tests.proofs_check.engine.alone.test_declared import needs_merging


def of_locals(number: int, more: str = "") -> FunctionType:
    """A function that counts down, and returns the sum of so many locals."""
    names = [f"x{i}" for i in range(number)]
    lines = [f"def f(n, /, *given, step=1, **named):{more}"]
    lines += [f"    {name} = {i}" for i, name in enumerate(names)]
    lines += ["    while n > 0:", "        n = n - step", f"    return n + {' + '.join(names)}"]
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)  # noqa: S102
    return cast(FunctionType, space["f"])


def lines(code: CodeType) -> dict[int, int | None]:
    return {place: line for start, end, line in code.co_lines() for place in range(start, end, 2)}


@needs_merging
@pytest.mark.parametrize("number", [*range(1, 15), 130])
def test_a_resumed_function_is_the_rest_of_the_function(number: int) -> None:
    function = of_locals(number)
    ((head, live),) = live_at_heads(function.__code__).items()
    values = dict.fromkeys(live, 3)
    made, shift = resumed(function, head, values)
    assert made() == 3 * number
    code, original = made.__code__, function.__code__
    assert code.co_code[shift:] == original.co_code
    assert lines(code) == dict.fromkeys(range(0, shift, 2)) | {place + shift: line for place, line in lines(original).items()}
    assert code.co_flags == original.co_flags & ~0x0C != original.co_flags
    assert (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount) == (0, 0, 0)


@needs_merging
def test_locals_that_are_not_set_are_unbound() -> None:
    function = of_locals(2)
    (head,) = live_at_heads(function.__code__)
    for missing in ("n", "x0", "x1", "step"):
        made, _ = resumed(function, head, {name: 3 for name in ("n", "x0", "x1", "step") if name != missing})
        with pytest.raises(UnboundLocalError, match=f"'{missing}'"):
            made()


@needs_merging
def test_functions_that_go_on_elsewhere_or_with_other_values_are_others() -> None:
    function = of_locals(1)
    (head,) = live_at_heads(function.__code__)
    for n, x0 in ((1, 1), (5, 2), (5, 1)):
        made, _ = resumed(function, head, {"n": n, "x0": x0, "step": 1})
        assert made() == x0


@pytest.mark.parametrize(
    ("argument", "parts"), [(0, [0]), (255, [255]), (256, [1, 0]), (511, [1, 255]), (0x12345, [1, 0x23, 0x45])]
)
def test_arguments_of_instructions_have_bytes(argument: int, parts: list[int]) -> None:
    extended, last = dis.opmap["EXTENDED_ARG"], dis.opmap["LOAD_CONST"]
    expected = [x for part in parts[:-1] for x in (extended, part)] + [last, parts[-1]]
    assert list(module._instruction("LOAD_CONST", argument)) == expected
