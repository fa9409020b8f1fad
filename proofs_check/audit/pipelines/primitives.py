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
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal, cast, get_args

from attrs import field, frozen
from attrs.validators import optional
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import rational
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


def _checked(_of: object, attribute: Any, text: str) -> None:  # noqa: ANN401  # attrs' own
    expression(text, attribute.name)


def _checked_word(_of: object, attribute: Any, value: str) -> None:  # noqa: ANN401  # attrs' own
    accepted = {"law": get_args(Law), "of": ("value", "difference"), "norm": ("1", "2", "max")}[attribute.name]
    if value not in accepted:
        what = "primitive" if attribute.name == "law" else "bound"
        raise ParameterError(f"{attribute.name} = {value!r} of a {what} is unknown; accepted: {', '.join(accepted)}")


@frozen
class _Replaced:
    """What is replaced while an audit follows continuous noise: getattr(owner, name)."""

    owner: Any
    name: str

    @property
    def place(self) -> str:
        """How it is called in messages."""
        return f"{getattr(self.owner, '__name__', self.owner)}.{self.name}"


@frozen
class Primitive(_Replaced):
    """A function, where its class or module has it, that draws noise.

    owner and name: getattr(owner, name) is the function. location, scale: expressions in its parameters; of a uniform law the
    lower end, and the length of the interval.
    """

    law: Law = field(validator=_checked_word)
    location: str = field(validator=_checked)
    scale: str = field(validator=_checked)

    def drawing(self) -> "Instead":
        """What is called in its place, of the run, the values of its parameters, and itself."""
        location, scale = expression(self.location, "location"), expression(self.scale, "scale")
        return lambda run, values, _original: noise(run, self.law, location(values), scale(values))


def _checked_name(_of: object, _attribute: object, text: str) -> None:
    if not isinstance(text, str) or not text.isprintable() or not text.strip():
        raise ParameterError(
            f"name = {text!r:.80} of a bound cannot be used; accepted: a few words, by which verdicts call it"
        )


def _most(value: Any) -> mpq:  # noqa: ANN401  # whatever was given
    found = rational(value, "most")
    if found < 0:
        raise ParameterError(f"most = {found} of a bound is negative; accepted: a rational of at least 0")
    return found


@frozen
class DeclaredBound(_Replaced):
    """A bound that an auditor declares: a function's value is taken for any numbers within it, and verdicts say "if".

    owner and name: as of a Primitive. title: how verdicts call the bound. of, norm, most: that the norm ("1", "2", "max") of
    its "value" is at most so much, or that of the "difference" of its values at neighbouring inputs. shape: of the value, an
    expression in its parameters, such as "v.shape" or "3", or "number", for calls whose arguments depend on draws; None: not
    known.
    """

    title: str = field(validator=_checked_name)
    of: str = field(validator=_checked_word)
    norm: str = field(validator=_checked_word, converter=str)
    most: mpq = field(converter=_most)
    shape: str | None = field(default=None, validator=optional(_checked))

    def words(self) -> str:
        """What is assumed."""
        what = "its value" if self.of == "value" else "the difference of its values at neighbouring inputs"
        return (
            f"if {self.title}: {self.place} is a function of its arguments, and the {self.norm} norm of {what} is at most "
            f"{self.most} (declared, and compared with these data where no argument depends on draws)"
        )

    def drawing(self) -> "Instead":
        """As that of a Primitive."""
        bound, known = (self.title, self.of, self.norm, self.most), {None: None, "number": ()}
        shape = None if self.shape in known else expression(str(self.shape), "shape")
        return lambda run, values, original: run.bounded(
            bound, values, original, shape(values) if shape else known[self.shape]
        )


Instead = Callable[[Any, Mapping[str, Any], Callable[[], Any]], Any]


def _stand_in(one: "Primitive | DeclaredBound", calls: "Counter[str]") -> Callable[..., Any]:
    """What is called in its place while an audit follows continuous noise. Raises: ParameterError."""
    original, instead = getattr(one.owner, one.name), one.drawing()
    try:
        signature = inspect.signature(original)
    except (TypeError, ValueError):
        raise ParameterError(f"{one.place} has no signature that can be read; accepted: a function of Python") from None

    @wraps(original, assigned=("__name__", "__qualname__", "__doc__"))  # it stays of this module, which is no state of code
    def function(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  # as the function
        run = noise_of(coins_here())
        if run is None:
            return original(*arguments, **named)
        calls[one.place] += 1
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        return instead(run, bound.arguments, partial(original, *arguments, **named))

    return function


def declared_of(fields: "Mapping[str, Any] | DeclaredBound", folder: Path) -> DeclaredBound:
    """A bound from its fields name, function, of, norm, most and maybe shape. Raises: DataError, ParameterError."""
    if isinstance(fields, DeclaredBound):
        return fields
    needed = {"name", "function", "of", "norm", "most"}
    if not isinstance(fields, Mapping) or set(fields) - {"shape"} != needed:
        raise ParameterError(
            f"the bound {fields!r:.80} cannot be used; accepted: a dict of {', '.join(sorted(needed))}, shape"
        )
    owner, name = owner_of(fields["function"], folder)
    title, of, norm, most = (fields[key] for key in ("name", "of", "norm", "most"))
    return DeclaredBound(owner, name, title, of, norm, most, fields.get("shape"))


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
def in_place(primitives: Sequence[Primitive | DeclaredBound], mechanism: Callable[..., Any]) -> Iterator["Counter[str]"]:
    """Put the stand-ins where the functions are, and where a module or the mechanism has imported them; yields their calls."""
    calls = Counter[str]()
    with ExitStack() as places:
        instead = {id(getattr(one.owner, one.name)): _stand_in(one, calls) for one in primitives}
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
                f"{what} = {text!r} cannot be used; accepted: its parameters, such as 'value' or "
                "'self.sensitivity / self.epsilon', numbers, and + - * / **"
            )


def _value(node: ast.AST, values: Mapping[str, Any], text: str) -> Any:  # noqa: ANN401  # of any type
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise ParameterError(f"{text!r} names {node.id!r}; its parameters: {', '.join(values)}")
        return values[node.id]
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, values, text), node.attr)
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_value(node.operand, values, text))
    assert isinstance(node, ast.BinOp)  # noqa: S101  # the others were refused
    return _OPERATORS[type(node.op)](_value(node.left, values, text), _value(node.right, values, text))
