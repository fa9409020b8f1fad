"""Making text of values in a copy: of plain values only, since what is shown of another object tells its address.

Texts are made by str(), by f-strings and by %. In a copy str is a class that looks first, and before each of the other two
operations a jump goes to code behind the function's own, which hands the value to a check, does the operation and jumps back.
"""

import dis
from collections.abc import Mapping
from types import CodeType
from typing import Any

from finitedp.proofs_check.engine.alone.keys import NotPlainError, typed
from finitedp.proofs_check.engine.alone.pure_code import NotPureError
from finitedp.proofs_check.engine.lazy.integers import LazyInt

__all__ = ["AsText", "may_show", "with_checks"]

_UNIT = 2  # bytes of an instruction
_REMAINDERS = {6, 19}
"""Arguments of BINARY_OP in CPython 3.11: % and %=."""
_HAS_SPEC = 0x04
"""The flag of FORMAT_VALUE that says that a format lies on the value."""
_NO_LINE = 0x80 | 15 << 3
_MOST_IN_A_UNIT = 255


def plain(value: object) -> None:
    """Raises: NotPureError for what may be shown with its address."""
    if type(value) is LazyInt:
        return
    if type(value) is tuple:
        for part in value:
            plain(part)
        return
    if type(value) is float:
        return
    try:
        typed(value)
    except NotPlainError as error:
        raise NotPureError(f"{error} is shown, whose address may be another one in each run") from None


def _operands(left: object, right: object) -> None:
    """Before a remainder, which of a text is a text."""
    if issubclass(type(left), str | bytes | bytearray):
        plain(right)


class _Kind(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, str)

    def __call__(cls, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401  # as str
        for value in (*arguments, *named.values()):
            plain(value)
        return str(*arguments, **named)


class AsText(metaclass=_Kind):
    """What stands in for str in a copy, called or not."""


def may_show(code: CodeType, values: Mapping[str, Any]) -> str | None:
    """Why code that is run as it is might make a text of what is not plain. Parameters: values, the globals that it reads."""
    steps = list(dis.get_instructions(code))
    if any(step.opname.startswith(("FORMAT_", "CONVERT_VALUE")) for step in steps):
        return f"{code.co_name}() shows a value in an f-string"
    if any(value is str for value in values.values()):
        return f"{code.co_name}() uses str"
    remainder = any(step.opname == "BINARY_OP" and step.arg in _REMAINDERS for step in steps)
    texts = [step for step in steps if step.opname == "LOAD_CONST" and _has_text(step.argval)]
    if remainder and (texts or any(map(_has_text, values.values()))):
        return f"{code.co_name}() has texts and remainders, so that it may show a value"
    return None


def _has_text(value: object) -> bool:
    return any(map(_has_text, value)) if type(value) is tuple else type(value) in (str, bytes)


def with_checks(code: CodeType, content: bytearray, constants: tuple[Any, ...]) -> tuple[dict[str, Any], list[int]]:
    """What to replace in a piece of code, so that its remainders and f-strings are looked at; and where that is not possible.

    Parameters: content, the bytes of its instructions, in which traps are set already; constants, those of the copy.
    """
    whole, far = bytearray(content), list[int]()
    constants = (*constants, plain, _operands)
    steps = sorted(dis.get_instructions(code), key=lambda step: (step.opname != "FORMAT_VALUE", -step.offset))
    for step in steps:  # those whose jump has to be short go first
        made = content[step.offset] == step.opcode and _checked(step, len(constants))
        if not made:
            continue
        cached = step.opname == "BINARY_OP"  # a unit of cache follows, so that the jump has two
        back = step.offset + _UNIT * (2 if cached else 1)
        jump = _instruction("JUMP_FORWARD", (len(whole) - back) // _UNIT)
        if len(jump) > back - step.offset:
            far.append(step.offset)
            continue
        whole[step.offset : back] = _instruction("NOP", 0) * ((back - step.offset - len(jump)) // _UNIT) + jump
        whole += made
        whole += _jump_back((len(whole) - back) // _UNIT)
    if len(whole) == len(content):
        return {}, far
    units = (len(whole) - len(content)) // _UNIT
    lines = bytes([_NO_LINE | 7]) * (units // 8) + (bytes([_NO_LINE | units % 8 - 1]) if units % 8 else b"")
    changes = {"co_consts": constants, "co_linetable": code.co_linetable + lines, "co_stacksize": code.co_stacksize + 4}
    return {"co_code": bytes(whole), **changes}, far


def _checked(step: dis.Instruction, constants: int) -> bytes:
    """A check and the instruction; empty for those that need none."""
    argument = step.arg or 0
    if step.opname == "BINARY_OP" and argument in _REMAINDERS:
        looks = _instruction("PUSH_NULL", 0) + _instruction("LOAD_CONST", constants - 1) + _instruction("COPY", 4) * 2
        return looks + _called(2) + _instruction("BINARY_OP", argument) + _CACHE
    if step.opname == "FORMAT_VALUE":
        depth = 4 if argument & _HAS_SPEC else 3
        looks = _instruction("PUSH_NULL", 0) + _instruction("LOAD_CONST", constants - 2) + _instruction("COPY", depth)
        return looks + _called(1) + _instruction("FORMAT_VALUE", argument)
    return b""


_CACHE = bytes([0, 0])


def _called(arguments: int) -> bytes:
    call = _instruction("PRECALL", arguments) + _CACHE + _instruction("CALL", arguments) + _CACHE * 4
    return call + _instruction("POP_TOP", 0)


def _jump_back(units: int) -> bytes:
    """A jump over so many units and over itself."""
    for own in (1, 2, 3):
        made = _instruction("JUMP_BACKWARD", units + own)
        if len(made) == own * _UNIT:
            return made
    raise NotPureError("it is too long to be copied")


def _instruction(name: str, argument: int) -> bytes:
    found = bytes([dis.opmap[name], argument & _MOST_IN_A_UNIT])
    while argument := argument >> 8:
        found = bytes([dis.opmap["EXTENDED_ARG"], argument & _MOST_IN_A_UNIT]) + found
    return found
