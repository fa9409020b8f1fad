"""One sampler, run by the explorer itself and stopped at the heads of its loops, where its state becomes a key.

A state is explored by going on from it, up to the next head. Draws that are still undecided at a head, and may be read again,
are decided there, so that what a state keeps of its past is plain values. Looking at the frame takes sys.settrace.
"""

import sys
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import partial
from types import CodeType, FrameType, FunctionType
from typing import Any

from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.alone.absorb import Output, State
from finitedp.proofs_check.engine.alone.keys import NotPlainError, typed
from finitedp.proofs_check.engine.alone.loop_heads import FOLLOWED, live_at_heads
from finitedp.proofs_check.engine.alone.resumed import resumed
from finitedp.proofs_check.engine.alone.tokens import Tokens, made_again
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.rules import Rules, SamplerUse
from finitedp.proofs_check.engine.search import search

__all__ = ["MOST_VALUES", "Steps", "why_not_merged"]

MOST_VALUES = 4_096
"""Values of a draw that is decided at the head of a loop."""
Call = Callable[[LazyCoins], Any]


def why_not_merged(code: CodeType) -> str | None:
    """Why the loops of a function are not merged, if they are not."""
    if not FOLLOWED:
        return "this is not CPython 3.11, the one whose loops can be merged"
    if sys.gettrace() is not None and not isinstance(sys.gettrace(), _Tracer):
        return "a debugger or a measurement of coverage traces this thread"
    return "it handles exceptions" if code.co_exceptiontable else None


class Steps:
    """The steps of a sampler's chain of states, each explored when it is first asked for.

    merged: whether its runs are stopped at the heads of loops. shared: the generators that it reads as globals.
    uses, assumptions: of all that was explored.
    """

    def __init__(
        self,
        function: FunctionType,
        rules: Rules,
        merged: bool,
        around: Callable[[LazyCoins, Call], Any],
        shared: tuple[object, ...] = (),
    ) -> None:
        self.uses: set[SamplerUse] = set()
        self._shared = shared
        self.assumptions: set[str] = set()
        self._function = function
        self._rules = rules
        self._merged = merged
        self._around = around
        self._calls: dict[State, Call] = {}
        self._values: dict[State, Mapping[str, Any]] = {}
        self._rows: dict[State, Mapping[State | Output, mpq]] = {}

    def begin(self, state: State, call: Call) -> None:
        """Name the state before a call."""
        self._calls.setdefault(state, call)

    def __call__(self, state: State) -> Mapping[State | Output, mpq]:
        """What follows a state, with its probability; what they leave of 1 is unresolved."""
        if state not in self._rows:
            found = search(lambda coins: self._next(coins, state), self._rules, replay_all=True)
            self._rows[state] = found.resolved
            self.uses |= set(found.uses)
            self.assumptions |= set(found.assumptions)
        return self._rows[state]

    def _next(self, coins: LazyCoins, state: State) -> State | Output:
        code, shift, call = self._function.__code__, 0, self._calls.get(state)
        if call is None:
            function, shift = self._resumed(coins, state)
            code, call = function.__code__, lambda _coins: function()
        if not self._merged:
            return Output(typed(self._around(coins, call)))
        tokens = partial(Tokens, coins, self._shared)
        tracer = _Tracer(code, live_at_heads(self._function.__code__), shift, tokens, state if shift else None)
        try:
            then: State | Output = Output(typed(self._around(coins, tracer.watched(call))))
        except _AtHeadError as stop:
            self._values.setdefault(stop.state, stop.values)
            then = stop.state
        if not tracer.started:
            raise ExplorationError(f"{self._function.__name__}() does not go on from the state of a loop")
        return then

    def _resumed(self, coins: LazyCoins, state: State) -> tuple[FunctionType, int]:
        key: Any = state.key  # as _Tracer makes it
        offset, items = key
        values = self._values[state]
        again = made_again(coins, self._shared)
        kept = {name: again(values[name], key) for name, key in items if key is not None}
        return resumed(self._function, offset, kept)


class _AtHeadError(BaseException):
    """Ends a run at the head of a loop. No handler is active there, and no function but the explorer has called."""

    def __init__(self, state: State, values: Mapping[str, Any]) -> None:
        self.state = state
        self.values = values


class _Tracer:
    """Looks at one call of the sampler, and stops it at the first head of a loop after the one that it goes on from."""

    def __init__(
        self,
        code: CodeType,
        live: Mapping[int, tuple[str, ...]],
        shift: int,
        tokens: Callable[[], Tokens],
        state: State | None,
    ) -> None:
        self._code = code
        self._live = live
        self._shift = shift
        self._tokens = tokens
        self._state = state
        self.started = state is None
        self._top: FrameType | None = None

    def watched(self, call: Call) -> Call:
        """The call, looked at."""

        def traced(coins: LazyCoins) -> Any:  # noqa: ANN401  # an output of any kind
            before = sys.gettrace()
            sys.settrace(self)
            try:
                return call(coins)
            finally:
                sys.settrace(before)
                self._top = None

        return traced

    def __call__(self, frame: FrameType, event: str, _argument: object) -> "Callable[..., Any] | None":
        if self._top is None and event == "call" and frame.f_code is self._code:
            self._top = frame
            return self._line
        return None

    def _line(self, frame: FrameType, event: str, _argument: object) -> "Callable[..., Any]":
        if event == "line" and frame.f_lasti - self._shift in self._live:
            self._at_head(frame)
        return self._line

    def _at_head(self, frame: FrameType) -> None:
        state = self._state_at(frame)
        if self._state is not None:  # where the run goes on from
            self.started = state == self._state
            self._state = None
        elif state is not None:
            raise _AtHeadError(state, dict(frame.f_locals))

    def _state_at(self, frame: FrameType) -> State | None:
        """The state, after its undecided draws are decided; None where it is not a plain one."""
        offset = frame.f_lasti - self._shift
        values, names = frame.f_locals, self._live[offset]
        if not all(_is_short(values[name]) for name in names if name in values):
            return None
        tokens = self._tokens()
        try:
            return State((offset, tuple((name, _key(values[name], tokens) if name in values else None) for name in names)))
        except NotPlainError:
            return None


def _key(value: object, tokens: Tokens) -> Hashable:
    try:
        return tokens.key(value)
    except NotPlainError:
        return typed(value)


def _is_short(value: object) -> bool:
    """Whether deciding the draws in a value takes no more than the allowed forks."""
    if type(value) is LazyInt:
        low, high = value.ends()
        return high is None or high - low < MOST_VALUES
    if type(value) is tuple:
        return all(map(_is_short, value))
    return type(value) is not Fraction or (_is_short(value.numerator) and _is_short(value.denominator))
