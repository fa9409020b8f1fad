"""What `finitedp audit file.py:function --epsilon 1 ...` says: the fields of a description, without a file."""

import ast
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from finitedp.claim import Neighbours
from finitedp.cli.console import Utf8
from finitedp.data.columns import listed_labels
from finitedp.errors import DataError, ParameterError
from finitedp.proofs_check.audit.description import Description, describe
from finitedp.proofs_check.audit.laws import Rows, Style

C = TypeVar("C", bound=Callable[..., Any])
Document = dict[str, Any]

_STYLES = [style for style in get_args(Style) if style != "table"]
_PLACE = re.compile(r"[^:]+:[A-Za-z_][A-Za-z0-9_.]*")
_INTEGER = re.compile(r"-?\d+")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_MOST_LABELS = 10_000  # as many as an audit takes of a file

_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "epsilon": {"metavar": "P/Q", "help": "The claimed epsilon: a rational, or 'ln 3'."},
    "delta": {"metavar": "P/Q", "help": "The claimed delta: a rational, or 2^-40.  [default: 0]"},
    "renyi": {"metavar": "ORDER,EPSILON", "help": "The Renyi divergence of an order above 1 is at most epsilon."},
    "zcdp": {"metavar": "RHO", "help": "Rho of zero-concentrated privacy: D_a <= rho a at all orders a > 1."},
    "compose": {"type": click.IntRange(min=1), "metavar": "K", "help": "K runs on the same data together.  [default: 1]"},
    "neighbours": {
        "metavar": "|".join([*get_args(Neighbours), "PLACE"]),
        "help": "Which inputs are neighbours; the data is a count, or rows. PLACE: a function that states pairs.",
    },
    "n": {"metavar": "N", "help": "Rows (with add-remove, at most so many), or the largest count; also 1,2,3 or 1..3."},
    "universe": {
        "type": Utf8(),
        "metavar": "a,b,c",
        "help": "The labels that a row may have: a,b,c or FROM..TO. Not for counts.",
    },
    "style": {"type": click.Choice(_STYLES), "help": "What the code draws from.  [default: what its signature says]"},
    "rows": {"type": click.Choice(get_args(Rows)), "help": "What kind of sequence the code wants.  [default: tuple]"},
    "specified": {"metavar": "PLACE", "help": "The laws it should have: file.py:function of the data, or a file of laws."},
    "accuracy": {"metavar": "A,BETA", "help": "The error exceeds A with probability at most BETA."},
    "outputs": {"metavar": "FROM..TO|a,b", "help": "All that it can return, which verdicts then assume of unresolved mass."},
    "truth": {"metavar": "PLACE", "help": "file.py:function, what is estimated.  [default: the count itself]"},
    "name": {"metavar": "TEXT", "help": "What the audit is called.  [default: the function's name]"},
}
_REPEATED: Mapping[str, Mapping[str, Any]] = {
    "parameter": {"metavar": "NAME=VALUE", "help": "Passed to the function by name; may be repeated."},
    "sampler": {"metavar": "PLACE", "help": "A function that only samples, explored once by itself; may be repeated."},
    "primitive": {
        "metavar": "PLACE,LAW,LOCATION,SCALE",
        "help": "A function that draws noise: its law, and location and scale in its parameters; may be repeated.",
    },
    "budget": {"metavar": "NAME=NUMBER", "help": "Of the explorer: bits=64, runs=1000000, ...; may be repeated."},
}


def claim_options(command: C) -> C:
    """The options that say what is claimed of a function."""
    for name, settings in reversed(list(_REPEATED.items())):
        command = click.option(f"--{name}", multiple=True, **settings)(command)
    for name, settings in reversed(list(_OPTIONS.items())):
        command = click.option(f"--{name}", **settings)(command)
    return command


def is_place(target: str) -> bool:
    """Whether a target is file.py:function or package.module:function. Raises: ParameterError for a function left out."""
    if target.endswith(".py"):
        names = _functions_in(Path(target))
        listed = ", ".join(f"{target}:{name}" for name in names[:6]) or f"{target}:FUNCTION"
        raise ParameterError(f"{target}: which function? accepted: {listed}")
    return _PLACE.fullmatch(target) is not None and not Path(target).exists()


def _functions_in(path: Path) -> list[str]:
    """The names of the public functions and classes at the top of a file, without running it. Raises: DataError."""
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    except (SyntaxError, ValueError) as error:
        raise DataError(f"{path} is not Python: {error}") from None
    kinds = ast.FunctionDef | ast.ClassDef
    return [node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]


def described_by_options(target: str, asked: Mapping[str, Any]) -> list[Description]:
    """The audits of a function. Parameters: asked, the options of claim_options. Raises: ParameterError, DataError."""
    _refuse_what_is_missing(target, asked)
    fields: Document = {
        "name": asked["name"] or target.rpartition(":")[2],
        "mechanism": target,
        "claim": {**_given(asked, "neighbours", "epsilon", "delta", "zcdp", "compose"), **_renyi(asked["renyi"])},
        **({} if asked["n"] is None else {"n": _sizes(asked["n"])}),
        **_given(asked, "style", "rows", "specified"),
    }
    if asked["universe"] is not None:
        fields["universe"] = _labels(asked["universe"])
    if asked["outputs"] is not None:
        fields["outputs"] = asked["outputs"] if ":" in asked["outputs"] else _labels(asked["outputs"], "outputs")
    if asked["parameter"]:
        fields["parameters"] = {name: _value(text) for name, text in _pairs(asked["parameter"], "parameter")}
    if asked["sampler"]:
        fields["samplers"] = list(asked["sampler"])
    if asked["primitive"]:
        fields["primitives"] = [_primitive(text) for text in asked["primitive"]]
    if asked["budget"]:
        fields["budget"] = {name: _value(text) for name, text in _pairs(asked["budget"], "budget")}
    if asked["accuracy"] is not None:
        fields["accuracy"] = {**_accuracy(asked["accuracy"]), **_given(asked, "truth")}
    return describe(fields, Path(), _again(target, asked))


def _refuse_what_is_missing(target: str, asked: Mapping[str, Any]) -> None:
    relation = asked["neighbours"]
    if relation is not None and relation not in get_args(Neighbours) and not _PLACE.fullmatch(relation):
        raise ParameterError(
            f"--neighbours {relation!r} is unknown; accepted: {', '.join(get_args(Neighbours))}, or FILE.py:FUNCTION"
        )
    stated = relation not in (None, *get_args(Neighbours))
    missing = [f"--{name}" for name in ("epsilon", "neighbours", "n") if asked[name] is None and not (stated and name == "n")]
    if asked["renyi"] or asked["zcdp"]:
        missing = [name for name in missing if name != "--epsilon"]
    if missing:
        example = f"finitedp audit {target} --epsilon 1 --neighbours counts --n 3"
        raise ParameterError(f"{target} needs {', '.join(missing)}; for example: {example}")
    if asked["universe"] is None and relation != "counts" and not stated:
        raise ParameterError(f"{target} needs --universe, the labels that a row may have, such as --universe 0,1")
    if asked["truth"] is not None and asked["accuracy"] is None:
        raise ParameterError("--truth is for --accuracy A,BETA, which is not given")


def _given(asked: Mapping[str, Any], *names: str) -> Document:
    return {name: asked[name] for name in names if asked[name] is not None}


def _renyi(text: str | None) -> Document:
    if text is None:
        return {}
    order, _, epsilon = text.partition(",")
    if not (order.strip() and epsilon.strip()):
        raise ParameterError(f"--renyi {text!r} is not of the form ORDER,EPSILON, such as 2,1/2")
    return {"renyi": {"order": order.strip(), "epsilon": epsilon.strip()}}


def _again(target: str, asked: Mapping[str, Any]) -> str:
    """The command line that does the audit again."""
    words = ["finitedp", "audit", target]
    for name, value in asked.items():
        for text in value if isinstance(value, tuple) else () if value is None else (value,):
            words += [f"--{name}", str(text)]
    return shlex.join(words)


def _sizes(text: str) -> int | list[int]:
    """One n, or several: 3, 1,2,3 or 1..3."""
    sizes = _integers(text)
    if sizes is None or not sizes or min(sizes) < 0:
        raise ParameterError(f"n = {text!r} is no number of rows; accepted: 3, 1,2,3 or 1..3")
    return sizes[0] if len(sizes) == 1 else sizes


def _integers(text: str) -> list[int] | None:
    ends = _RANGE.fullmatch(text.strip())
    if ends is not None:
        first, last = int(ends[1]), int(ends[2])
        if not 0 <= last - first < _MOST_LABELS:
            raise ParameterError(f"{text!r} is empty or too long; accepted: FROM..TO, upwards, of at most {_MOST_LABELS:,}")
        return list(range(first, last + 1))
    parts = [part.strip() for part in text.split(",")]
    return [int(part) for part in parts] if all(_INTEGER.fullmatch(part) for part in parts) else None


def _labels(text: str, what: str = "the universe") -> Sequence[int | str]:
    """Integers where all labels look like integers, else texts."""
    if not text.strip():
        raise ParameterError(f"{what} is empty; accepted: values such as 0,1 or a,b,c")
    return _integers(text) or [part.strip() for part in listed_labels(text)]


def _pairs(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    for text in texts:
        if not re.fullmatch(r"[A-Za-z_]\w*=.+", text, re.DOTALL):
            raise ParameterError(f"--{option} {text!r} is not of the form NAME=VALUE")
    return [(text.partition("=")[0], text.partition("=")[2]) for text in texts]


def _value(text: str) -> Any:  # noqa: ANN401  # a value of TOML
    """A value as TOML writes it (3, 0.5, true, [1, 2], "a"), else the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _primitive(text: str) -> Document:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 4:
        raise ParameterError(
            f"--primitive {text!r} is not of the form PLACE,LAW,LOCATION,SCALE, such as lib.noise:laplace,laplace,value,scale"
        )
    return dict(zip(("function", "law", "location", "scale"), parts, strict=True))


def _accuracy(text: str) -> Document:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) not in (2, 3) or not _INTEGER.fullmatch(parts[0]):
        raise ParameterError(f"--accuracy {text!r} is not of the form A,BETA or A,BETA,KIND, such as 2,1/10")
    return dict(zip(("a", "beta", "kind"), (int(parts[0]), *parts[1:]), strict=False))
