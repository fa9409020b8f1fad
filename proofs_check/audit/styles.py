"""What a mechanism draws from, found in its signature: the name or the annotation of a parameter.

One default for the command line, descriptions, audit() and the plugin. Where the signature does not tell, the question is
asked in one line. Where it tells by a name alone, what is called on the source decides.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from attrs import frozen

from finitedp.errors import ExplorationError, ParameterError
from finitedp.proofs_check.audit.laws import OtherSourceError, Style

T = TypeVar("T")

_ANNOTATED: tuple[tuple[str, Style], ...] = (
    (r"\bCoins\b", "coins"),
    (r"\b(Generator|RandomState)\b", "numpy"),
    (r"\b(Random|SystemRandom)\b", "random"),
)
_NAMES: tuple[tuple[Style, str], ...] = (
    ("coins", "coins"),
    ("random", "rng rand random prng rnd source randomness random_source secure_random"),
    ("numpy", "generator gen np_rng numpy_rng np_random random_state"),
)
_NAMED: Mapping[str, Style] = {name: style for style, names in _NAMES for name in names.split()}
_ASK = (
    "style = 'random' (a random.Random), 'numpy' (a numpy Generator), 'coins' (finitedp's Coins) or 'none' (nothing: it "
    "draws from a module, such as random)"
)


@frozen
class Sourced:
    """A mechanism that takes its source of randomness by a name, as one that takes it second."""

    mechanism: Callable[..., Any]
    name: str

    @property
    def __signature__(self) -> inspect.Signature:
        """The data, the source of randomness with its annotation, and the others by name."""
        parameters = list(inspect.signature(self.mechanism).parameters.values())
        data, source = parameters[0], next(p for p in parameters if p.name == self.name)
        first = [p.replace(kind=p.POSITIONAL_OR_KEYWORD, default=p.empty) for p in (data, source)]
        variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        others = [p.replace(kind=p.KEYWORD_ONLY) for p in parameters if p not in (data, source) and p.kind not in variable]
        return inspect.Signature([*first, *others])

    def __call__(self, data: Any, source: Any, **parameters: Any) -> Any:  # noqa: ANN401  # as the mechanism
        """The output. Raises: what the mechanism raises."""
        return self.mechanism(data, **{self.name: source}, **parameters)


def source_of(
    mechanism: Callable[..., Any] | Mapping[Any, Any], style: Style | None, given: Mapping[str, Any]
) -> tuple[Style, Callable[..., Any] | Mapping[Any, Any]]:
    """The style of a mechanism, and the mechanism as a function of (data, source), or of (data) alone for "none".

    Parameters: style, where it is said, and then kept; given, the parameters that it gets by name.
    Raises: ParameterError where the signature does not tell.
    """
    if style == "table" or isinstance(mechanism, Mapping):
        return style or "table", mechanism
    parameters, free = _parameters(mechanism, given)
    styled = [(kind, p) for p in free[1:] if (kind := _style_of(p)) is not None]
    chosen = style or (styled[0][0] if styled else "none" if free and not _wanted(free) else None)
    if chosen is None:
        raise ParameterError(_question(mechanism, free))
    if chosen == "none" and _wanted(free):
        wanted = ", ".join(repr(p.name) for p in _wanted(free))
        raise ParameterError(f"its style says that it draws from nothing, and it has a parameter {wanted}; say it: {_ASK}")
    matching = [p for kind, p in styled if kind == chosen] or [p for _, p in styled]
    if chosen == "none" or not matching:
        return chosen, mechanism
    source = matching[0]
    second = source is free[1] is parameters[1] and source.kind is not source.KEYWORD_ONLY
    if second or source.kind is source.POSITIONAL_ONLY:
        return chosen, mechanism
    return chosen, Sourced(mechanism, source.name)


def guessed_source(mechanism: Callable[..., Any] | Mapping[Any, Any], given: Mapping[str, Any]) -> str | None:
    """The parameter by whose name alone a style was found, which what is called on it may tell better; None without one."""
    _, free = ([], []) if isinstance(mechanism, Mapping) else _parameters(mechanism, given)
    guessed = next((p for p in free[1:] if _style_of(p) is not None), None)
    return None if guessed is None or _annotated(guessed) is not None else guessed.name


def found_as(style: Style, guessed: str | None, laws: Callable[[Style], T]) -> tuple[Style, T]:
    """What is found with the source that a style says; where it was guessed of a name, else with the other that it may be.

    Raises: ExplorationError where neither has what is called on it.
    """
    try:
        return style, laws(style)
    except OtherSourceError as error:
        if style not in _OTHERS:
            raise
        other, taken, instead = _OTHERS[style]
        try:
            if guessed is not None:
                return other, laws(other)
        except OtherSourceError:
            pass
        what = f"its style says {taken}" if guessed is None else f"{guessed} was taken for {taken}"
        raise ExplorationError(f"{error}; {what}; {instead}") from None


_OTHERS: Mapping[str, tuple[Style, str, str]] = {
    "random": ("numpy", "random.Random", "numpy? --style numpy (and the name random_state, for its RandomState)"),
    "numpy": ("random", "numpy's generator", "random.Random? --style random (and the name random_state, for RandomState)"),
    "coins": ("random", "finitedp's Coins", "random.Random or numpy? --style random, --style numpy"),
}
"""What else a source may be than what a style says: the style, what this one takes it for, and what to ask."""


def _parameters(
    mechanism: Callable[..., Any], given: Mapping[str, Any]
) -> tuple[list[inspect.Parameter], list[inspect.Parameter]]:
    """All parameters, and those that are named and get no value by name."""
    try:
        parameters = list(inspect.signature(mechanism).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    return parameters, [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in given]


def _wanted(free: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """The parameters after the data that have no default."""
    return [p for p in free[1:] if p.default is p.empty]


def _style_of(parameter: inspect.Parameter) -> Style | None:
    """The style that an annotation says, else the name."""
    name = parameter.name.lstrip("_").lower()
    return _annotated(parameter) or (_NAMED.get(name) if name else "coins")  # what is called "_" is not used


def _annotated(parameter: inspect.Parameter) -> Style | None:
    note = parameter.annotation
    if note is not parameter.empty:
        text = note if isinstance(note, str) else getattr(note, "__name__", "") if isinstance(note, type) else str(note)
        for pattern, style in _ANNOTATED:
            if re.search(pattern, text):
                return style
    return None


def _question(mechanism: Callable[..., Any], free: list[inspect.Parameter]) -> str:
    name = getattr(mechanism, "__qualname__", type(mechanism).__name__)
    if not free:
        return f"{name} has no parameter for its data, or no signature that can be read; say what it draws from: {_ASK}"
    wanted = ", ".join(repr(p.name) for p in _wanted(free))
    return (
        f"what {name} draws from is not to be seen in its parameter {wanted}; say it: {_ASK}; or give the parameter's value "
        "in `parameters`"
    )
