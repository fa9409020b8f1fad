"""Primitives that an auditor declares: functions of any library whose output is a location plus noise of a known law.

The location and the scale are given as expressions in the names of the function's parameters, such as "value" and
"self.sensitivity / self.epsilon". What the function does otherwise is not run, and not looked at.
"""

import ast
import inspect
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Literal, cast, get_args

from attrs import field, frozen

from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.loading import owner_of
from finitedp.proofs_check.engine.noise.drawing import noise
from finitedp.proofs_check.engine.stand_ins.exploring import coins_here, noise_of
from finitedp.proofs_check.engine.stand_ins.replacing import Attribute, put, using_names

Law = Literal["laplace", "exponential", "gumbel", "normal", "uniform"]
_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def _checked_law(_of: object, _attribute: object, law: str) -> None:
    if law not in get_args(Law):
        raise ParameterError(f"the law {law!r} of a primitive is unknown; accepted: {', '.join(get_args(Law))}")


def _checked(_of: object, attribute: Any, text: str) -> None:  # noqa: ANN401  # attrs' own
    expression(text, attribute.name)


@frozen
class Primitive:
    """A function, where its class or module has it, that draws noise.

    owner and name: getattr(owner, name) is the function. location, scale: expressions in its parameters; of a uniform law the
    lower end, and the length of the interval.
    """

    owner: Any
    name: str
    law: Law = field(validator=_checked_law)
    location: str = field(validator=_checked)
    scale: str = field(validator=_checked)

    @property
    def place(self) -> str:
        """How it is called in messages."""
        return f"{getattr(self.owner, '__name__', self.owner)}.{self.name}"

    def stand_in(self, calls: "Counter[str]") -> Callable[..., Any]:
        """What draws in its place while an audit follows continuous noise. Raises: ParameterError."""
        original: Any = getattr(self.owner, self.name)
        try:
            signature = inspect.signature(original)
        except (TypeError, ValueError):
            raise ParameterError(
                f"the primitive {self.place} has no signature that can be read; accepted: a function of Python"
            ) from None
        location, scale = expression(self.location, "location"), expression(self.scale, "scale")

        @wraps(
            original, assigned=("__name__", "__qualname__", "__doc__")
        )  # it stays of this module, which is no state of code
        def drawn(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  # as the function
            run = noise_of(coins_here())
            if run is None:
                return original(*arguments, **named)
            calls[self.place] += 1
            bound = signature.bind(*arguments, **named)
            bound.apply_defaults()
            return noise(run, self.law, location(bound.arguments), scale(bound.arguments))

        return drawn


def primitive_of(fields: "Mapping[str, str] | Primitive", folder: Path) -> Primitive:
    """A primitive from its fields function, law, location and scale. Raises: DataError, ParameterError."""
    if isinstance(fields, Primitive):
        return fields
    if not isinstance(fields, Mapping) or set(fields) != {"function", "law", "location", "scale"}:
        raise ParameterError(
            f"the primitive {fields!r:.80} cannot be used; accepted: a dict of function, law, location, scale"
        )
    owner, name = owner_of(fields["function"], folder)
    return Primitive(owner, name, cast(Law, fields["law"]), fields["location"], fields["scale"])


@contextmanager
def in_place(primitives: Sequence[Primitive], mechanism: Callable[..., Any]) -> Iterator["Counter[str]"]:
    """Put the stand-ins where the functions are, and where a module or the mechanism has imported them; yields their calls."""
    calls = Counter[str]()
    with ExitStack() as places:
        instead = {id(getattr(one.owner, one.name)): one.stand_in(calls) for one in primitives}
        named = using_names(mechanism, instead, {})
        before = [(table, name, table[name]) for table, name, _ in named]
        places.enter_context(
            put(Attribute(one.owner, one.name, instead[id(getattr(one.owner, one.name))]) for one in primitives)
        )
        for table, name, new in named:
            table[name] = new
        try:
            yield calls
        finally:
            for table, name, original in before:
                table[name] = original


def expression(text: str, what: str) -> Callable[[Mapping[str, Any]], Any]:
    """A function of named values: names, their attributes, numbers, + - * / ** and brackets. Raises: ParameterError."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        tree = ast.Tuple([])
    _refuse_others(tree, text, what)
    return lambda values: _value(tree, values, text)


def _refuse_others(tree: ast.AST, text: str, what: str) -> None:
    parts = [node for node in ast.walk(tree) if not isinstance(node, ast.Load)]
    good = ast.Name | ast.Attribute | ast.BinOp | ast.UnaryOp
    for node in parts:
        number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if not (number or isinstance(node, good) or type(node) in _OPERATORS) or getattr(node, "attr", "").startswith("__"):
            raise ParameterError(
                f"{what} = {text!r} of a primitive cannot be used; accepted: its parameters, such as 'value' or "
                "'self.sensitivity / self.epsilon', numbers, and + - * / **"
            )


def _value(node: ast.AST, values: Mapping[str, Any], text: str) -> Any:  # noqa: ANN401  # of any type
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise ParameterError(f"{text!r} of a primitive names {node.id!r}; its parameters: {', '.join(values)}")
        return values[node.id]
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, values, text), node.attr)
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_value(node.operand, values, text))
    assert isinstance(node, ast.BinOp)  # noqa: S101  # the others were refused
    return _OPERATORS[type(node.op)](_value(node.left, values, text), _value(node.right, values, text))
