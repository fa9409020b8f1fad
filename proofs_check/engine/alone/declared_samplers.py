"""Declared samplers: functions whose law is explored once for each arguments, and then drawn as one draw.

While code is explored, every module that names such a function has a wrapper in its place. The wrapper takes it alone where an
allowlist shows that nothing but its arguments and its coins can matter; else the function is run as it is, and why is noted.
"""

import importlib
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from types import FunctionType
from typing import Any, cast

from finitedp.errors import ParameterError
from finitedp.proofs_check.engine.alone.copies import Copy
from finitedp.proofs_check.engine.alone.derivations import SamplerLaw, Solver, alone, refused
from finitedp.proofs_check.engine.alone.keys import NotPlainError, NotPureError, Tokens, has_text, made_again
from finitedp.proofs_check.engine.alone.reach import Environment, Wrapper, read
from finitedp.proofs_check.engine.alone.steps import Given
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.rules import Allowance, SamplerUse
from finitedp.proofs_check.engine.stand_ins.exploring import exploring

NEVER = "it was never called through its module"


class Declared:
    """The declared samplers of an audit, with the laws that were derived. Made once, for all inputs; laws are not pickled."""

    def __init__(self, functions: Sequence[FunctionType]) -> None:
        self.functions = tuple(functions)
        self.solver = Solver()
        self.inline_runs = 0
        self.allowance = Allowance()
        self._wrappers = {id(function): _Taken(function, self.solver) for function in self.functions}

    @classmethod
    def of(cls, samplers: Iterable[str | Callable[..., Any]]) -> "Declared":
        """Parameters: samplers, functions of modules, or their names, "package.module:function". Raises: ParameterError."""
        return cls([_function(sampler) for sampler in samplers])

    def __reduce__(self) -> tuple[Any, ...]:
        return Declared, (self.functions,)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Put the wrappers in the places of the functions."""
        wrappers = self._wrappers
        places = list(_places(wrappers)) if wrappers else []
        for values, name, function in places:
            values[name] = wrappers[id(function)]
        try:
            yield
        finally:
            for values, name, function in places:
                values[name] = function

    def unused(self, uses: Iterable[SamplerUse]) -> list[SamplerUse]:
        """The samplers that no path called."""
        called = {use.name for use in uses}
        names = map(name_of, self.functions)
        return [SamplerUse(name, alone=False, reason=NEVER) for name in names if name not in called]


def name_of(function: FunctionType) -> str:
    """As samplers are declared."""
    return f"{function.__module__}:{function.__qualname__}"


def _function(sampler: str | Callable[..., Any]) -> FunctionType:
    function: Any = sampler
    if isinstance(sampler, str):
        module, colon, name = sampler.partition(":")
        if not (module and colon and name.isidentifier()):
            raise ParameterError(f"the sampler {sampler!r} is no name of a function; accepted: 'package.module:function'")
        try:
            function = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise ParameterError(f"the sampler {sampler!r} is not there: {error}") from error
    if type(function) is FunctionType and function.__globals__.get(function.__name__) is function:
        return cast(FunctionType, function)
    named = sampler if isinstance(sampler, str) else getattr(sampler, "__qualname__", type(sampler).__name__)
    raise ParameterError(f"the sampler {named!r} is no function that its module names; accepted: such a function")


def _places(wrappers: dict[int, Any]) -> Iterator[tuple[dict[str, Any], str, FunctionType]]:
    """Where a module names one of the functions."""
    spaces = [w.original_sampler.__globals__ for w in wrappers.values()]
    spaces += [vars(module) for module in list(sys.modules.values()) if hasattr(module, "__dict__")]
    seen: set[int] = set()
    for values in spaces:
        if id(values) not in seen:
            seen.add(id(values))
            yield from [(values, name, value) for name, value in list(values.items()) if id(value) in wrappers]


class _Taken(Wrapper):
    """What stands in the place of a sampler."""

    def __init__(self, function: FunctionType, solver: Solver) -> None:
        update_wrapper(self, function)
        self.original_sampler = function
        self._solver = solver
        self._name = name_of(function)
        self._laws: dict[Hashable, SamplerLaw | str] = {}
        self._copies: dict[Hashable, Copy] = {}
        self._deriving: set[Hashable] = set()
        self._looked = 0
        self._reads: Environment | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401  # as the sampler
        coins = getattr(exploring, "coins", None)
        if type(coins) is not LazyCoins or coins.rules.solver is None:
            return self.original_sampler(*arguments, **named)
        law = self._law(coins, arguments, named)
        if not isinstance(law, str):
            return law.draw(coins)
        coins.uses.add(SamplerUse(self._name, alone=False, reason=law))
        if not self._solver.in_copies:
            return self.original_sampler(*arguments, **named)
        return self._copy(self._read()).called(*arguments, **named)  # what a copy calls is a copy, too

    def _law(self, coins: LazyCoins, arguments: tuple[Any, ...], named: dict[str, Any]) -> SamplerLaw | str:
        """The law at these arguments, or why it is run inline."""
        try:
            environment = self._read()
            copy = self._copy(environment)
            tokens = Tokens(coins, copy.shared)
            keys = tuple(tokens.key(x) for x in arguments), tuple((n, tokens.key(x)) for n, x in named.items())
        except (NotPureError, NotPlainError) as error:
            return f"it is given {error}" if isinstance(error, NotPlainError) else str(error)
        if has_text((*arguments, *named.values())) or not all(map(str.isidentifier, named)):
            return "it is given a text"
        key = coins.rules.budget, coins.rules.joint, environment.key, keys
        if key in self._deriving:
            return "it calls itself"
        if key not in self._laws:
            self._deriving.add(key)
            try:
                with alone(coins, self._name):
                    self._laws[key] = self._derived(coins, environment.key, copy, keys, (arguments, named))
            finally:
                self._deriving.discard(key)
        return self._laws[key]

    def _read(self) -> Environment:
        """What the law depends on besides the arguments, looked at again wherever other code may have run.

        Raises: NotPureError.
        """
        if not self._solver.in_pure_code:
            self._solver.session += 1
        if self._reads is None or self._looked != self._solver.session:
            self._reads = read(self.original_sampler)
            self._looked = self._solver.session
        return self._reads

    def _copy(self, environment: Environment) -> Copy:
        if environment.key not in self._copies:
            self._copies[environment.key] = Copy(environment)
        return self._copies[environment.key]

    def _derived(self, coins: LazyCoins, reads: Hashable, copy: Copy, keys: Any, at: Given) -> SamplerLaw | str:  # noqa: ANN401
        arguments, named = at

        def given(inner: LazyCoins) -> Given:
            again = made_again(inner, copy.shared)
            first = tuple(again(value, key) for value, key in zip(arguments, keys[0], strict=True))
            return first, {name: again(named[name], key) for name, key in keys[1]}

        try:
            if copy.checks:
                copy.checks.arguments(arguments, named)
            law = self._solver.sampler_law(coins, reads, copy, keys, given)
            if copy.checks:
                for value in law.values:
                    copy.checks.result(value)
        except NotPlainError as error:
            return f"it returns {error}"
        except Exception as error:
            if coins.refusal is not None:
                raise
            return refused(error)
        return law.used_by(SamplerUse(self._name, alone=True))
