"""Where in the code of a function its whole state is its locals: the heads of loops at which nothing is on the stack.

A point is found from the bytecode: it is the target of a backward jump, at which the stack is empty (so not under a `for`,
whose iterator is there) and no handler of exceptions is active. The locals that count are those that may still be read. Both
are found by going through all paths of the code.
"""

import dis
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import CodeType

__all__ = ["FOLLOWED", "live_at_heads"]

FOLLOWED = sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 11)
"""Whether this is the Python whose traces and bytecode were looked at."""

_ENDS = {"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"}
_JUMPS = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}


@lru_cache(maxsize=1024)
def live_at_heads(code: CodeType) -> Mapping[int, tuple[str, ...]]:
    """The locals that may still be read, by offset of each head of a loop at which they are the whole state."""
    if not FOLLOWED or code.co_exceptiontable:
        return {}
    steps = list(dis.get_instructions(code))
    depths, live = _depths(steps), _live(steps)
    heads = {step.argval for step in steps if step.opcode in dis.hasjrel and step.argval <= step.offset}
    return {head: tuple(sorted(live[head])) for head in heads if depths.get(head) == 0}


def _following(steps: list[dis.Instruction], i: int) -> Iterable[tuple[int, bool]]:
    """The offsets that may follow an instruction, and whether by a jump."""
    step = steps[i]
    if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
        yield step.argval, True
    if step.opname not in _ENDS and step.opname not in _JUMPS:  # so that another one follows
        yield steps[i + 1].offset, False


def _depths(steps: list[dis.Instruction]) -> dict[int, int | None]:
    """The depth of the stack before each instruction; None where it is not the same on all ways."""
    place = {step.offset: i for i, step in enumerate(steps)}
    depths: dict[int, int | None] = {0: 0}
    waiting = [0]
    while waiting:
        offset = waiting.pop()
        i, depth = place[offset], depths[offset]
        for target, jump in _following(steps, i):
            argument = steps[i].arg if steps[i].opcode >= dis.HAVE_ARGUMENT else None
            then = None if depth is None else depth + dis.stack_effect(steps[i].opcode, argument, jump=jump)
            if target not in depths:
                depths[target] = then
                waiting.append(target)
            elif depths[target] != then and depths[target] is not None:
                depths[target] = None
                waiting.append(target)
    return depths


def _live(steps: list[dis.Instruction]) -> dict[int, frozenset[str]]:
    """The locals that may be read from each instruction on before they are set."""
    live: dict[int, frozenset[str]] = {step.offset: frozenset() for step in steps}
    changed = True
    while changed:
        changed = False
        for i in range(len(steps) - 1, -1, -1):
            step = steps[i]
            after = frozenset().union(*(live[target] for target, _ in _following(steps, i)))
            before = after - {step.argval} if step.opname == "STORE_FAST" else after
            if step.opname in ("LOAD_FAST", "DELETE_FAST"):
                before |= {step.argval}
            if before != live[step.offset]:
                live[step.offset] = before
                changed = True
    return live
