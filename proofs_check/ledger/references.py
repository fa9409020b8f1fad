"""From a claim to what it is about and back: the code, the mechanisms, the specification, the check and the test of an entry.

The specification is derived: the objects of finitedp.spec that the check uses, itself or through the helpers of the claims
and of the engine that it calls, found by walking the names in their compiled code. Nobody has to keep a list of them.
"""

import dis
import inspect
from collections.abc import Iterator, Mapping
from functools import cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from attrs import frozen

from finitedp.proofs_check.ledger.entry import Entry
from finitedp.proofs_check.mechanisms import MECHANISMS

_SPEC = "finitedp.spec"
_HELPERS = tuple(f"finitedp.proofs_check.{part}" for part in ("claims", "deciders", "engine"))
_CONTAINER = "finitedp.spec.pmf.Pmf"  # what every law is written in, so that it says nothing about a claim
_PACKAGES = ("spec", "impl", "proofs_check")
_TESTS = "tests/proofs_check/claims/test_claims.py::test_claim"
_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")
_CELL = ("LOAD_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF")
_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")


@frozen
class Place:
    """Where a check stands: its function, the file in the repository, and the line of its `def`."""

    function: str
    file: str
    line: int


def source_file(module: str) -> str:
    """The file of a module of finitedp, relative to the repository."""
    package, _, rest = module.removeprefix("finitedp.").partition(".")
    stem = f"{package}/{rest.replace('.', '/')}" if rest else package
    return f"{stem}.py" if package in _PACKAGES else f"src/finitedp/{stem}.py"


def place_of(entry: Entry) -> Place:
    """Where the check of an entry stands."""
    check: Any = _plain(entry.check)
    lines, first = inspect.getsourcelines(check)
    offset = next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    return Place(check.__qualname__, source_file(check.__module__), first + offset)


def node_of(entry: Entry) -> str:
    """The node of pytest that runs an entry on the quick grid."""
    return f"{_TESTS}[{entry.id}]"


def speaks_of(entry: Entry) -> tuple[str, ...]:
    """The code that an entry speaks of; none where it is about the specification itself."""
    return tuple(name for name in entry.code if not _within(name, _SPEC))


def mechanisms_of(entry: Entry) -> tuple[str, ...]:
    """The mechanisms of the registry, as the command line names them, that have an entry among the claims that cover them."""
    return tuple(name for name, mechanism in MECHANISMS.items() if entry.id in mechanism.claims)


def establishes(entry: Entry) -> str:  # noqa: PLR0911  # one line each
    """What a run of the check establishes where it ends as expected, in words."""
    if entry.expects == "refuted":
        return "the printed text fails on an instance of the grid, a counterexample"
    if entry.proof:
        return (
            f"the statement holds for all parameters: the proof object {entry.proof} was re-checked against the code as it is"
        )
    more = "" if entry.repairs is None else f", and the same check refutes the printed text, {entry.repairs}"
    if entry.derived_from:
        how = f"from {', '.join(entry.derived_from)}, by {entry.by}"
        return f"the statement follows at the parameters of the grid {how}; no run explores all of it{more}"
    if entry.sampled:
        return f"the statement held on a sample of what it speaks of, on every instance of the grid: {entry.sampled}"
    if entry.measured:
        return (
            f"the cost grew no faster than the bound at the sizes of the grid, which decides nothing beyond: {entry.measured}"
        )
    if entry.reach != "grid":
        return f"the statement holds for more than the instances: {entry.reach}{more}"
    return f"the statement holds on every instance of the grid{more}"


def specification(entry: Entry) -> tuple[str, ...]:
    """The objects of finitedp.spec that an entry names, or that its check uses, by dotted name."""
    named = {name for name in entry.code if _within(name, _SPEC)}
    return tuple(sorted(named | ((_used(entry.check) | _used(entry.subject)) - {_CONTAINER})))


def _within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def _used(start: Any) -> set[str]:  # noqa: ANN401  # a check, or whatever a check takes
    found: set[str] = set()
    waiting, seen = [start], set[int]()
    while waiting:
        value = _plain(waiting.pop())
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, tuple | list):
            waiting += value
        elif isinstance(value, type | FunctionType):
            module = value.__module__ or ""  # none for what attrs generates
            if _within(module, _SPEC):
                found.add(f"{module}.{value.__qualname__}")
            elif _within(module, *_HELPERS):
                waiting += _names(value)
    return found


def _plain(value: Any) -> Any:  # noqa: ANN401  # whatever a name may stand for
    """What is behind a cache, a partial call, a property or a class method."""
    while True:
        if isinstance(value, partial):
            value = value.func
        elif isinstance(value, property):
            value = value.fget
        elif isinstance(value, ModuleType):  # some warn when they are asked for a name
            return value
        elif isinstance(value, staticmethod | classmethod) or hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        else:
            return value


@cache
def _names(value: type | FunctionType) -> tuple[Any, ...]:
    """The values of the names that a function, or the methods of a class, use."""
    if isinstance(value, type):
        return tuple(vars(value).values())
    cells = {}
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=False):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    return tuple(_loaded(value.__code__, value.__globals__, cells))


def _loaded(code: CodeType, known: Mapping[str, Any], cells: Mapping[str, Any]) -> Iterator[Any]:
    """What each name, or chain of attributes of a module, stands for in a piece of compiled code and in those within it."""
    current: Any = None
    for instruction in dis.get_instructions(code):
        if instruction.opname in _GLOBAL:
            current = known.get(instruction.argval)
        elif instruction.opname in _CELL:
            current = cells.get(instruction.argval)
        elif instruction.opname in _ATTRIBUTE and isinstance(current, ModuleType):
            current = getattr(current, instruction.argval, None)
        else:
            current = None
        if current is not None:
            yield current
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _loaded(inner, known, cells)
