"""Every small edit of the histograms' code is refused by the proofs alone, but for those that are listed with a reason."""

import ast
import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from finitedp.proofs_check.ledger.proofs import Edit, edited
from finitedp.proofs_check.proofs.structure import HISTOGRAMS, refutation

SWAPPED: dict[type[ast.AST], list[type[ast.AST]]] = {
    ast.Gt: [ast.GtE, ast.Lt],
    ast.NotEq: [ast.Eq],
    ast.Eq: [ast.NotEq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Add],
    ast.Pow: [ast.Mult],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
BASIC, STABILITY = "finitedp.impl.histograms.basic", "finitedp.impl.histograms.stability"
RELEASING = "finitedp.data.drawing"
EXECUTED: dict[str, dict[str, tuple[str, ...]]] = {
    "BasicHistogram": {BASIC: ("release", "release_counts", "counts", "claim")},
    "StabilityHistogram": {STABILITY: ("release", "release_counts", "claim", "delta")},
    "BasicHistogram_on_arrays": {RELEASING: ("_basic",), BASIC: ("claim",)},
    "StabilityHistogram_on_arrays": {
        RELEASING: ("_stability",),
        "finitedp.impl.histograms.dyadic": ("stability_release_array", "_above"),
    },
}
REASONS = {
    'return PrivacyClaim(2 * one.epsilon, "replace-one", 2 * one.delta, ratio, "BV.Thm5.2.i", told=(self, coins))': (
        "0, the mechanism's delta"
    ),
    "delta = min(self.delta() * slack, mpq(1))": "at most 1",
}


def _mutants(source: str, methods: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The line that is edited, and the edited source of the module."""
    lines, tree = source.splitlines(), ast.parse(source)
    executed = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name in methods and not n.decorator_list]
    for place, node in enumerate(ast.walk(tree)):
        if not any(f.lineno <= getattr(node, "lineno", 0) <= (f.end_lineno or 0) for f in executed):
            continue
        for change in _changes(node):
            new = copy.deepcopy(tree)
            change(list(ast.walk(new))[place])
            yield lines[node.lineno - 1].strip(), ast.unparse(ast.fix_missing_locations(new))  # type: ignore[attr-defined]


def _changes(node: ast.AST) -> Iterator[Callable[[Any], None]]:
    held = {"Compare": "ops", "BinOp": "op", "BoolOp": "op"}.get(type(node).__name__)
    if held:
        old = getattr(node, held)
        for new in SWAPPED.get(type(old[0] if held == "ops" else old), []):
            yield partial(_set, held, [new()] if held == "ops" else new())
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for step in (1, -1):
            yield partial(_set, "value", node.value + step)
    if isinstance(node, ast.If | ast.IfExp):
        yield partial(_set, "test", ast.UnaryOp(ast.Not(), node.test))
    for i, inner in enumerate(getattr(node, "generators", [])):
        if inner.ifs:
            yield partial(_unfiltered, i)


def _set(name: str, value: object, node: Any) -> None:
    setattr(node, name, value)


def _unfiltered(place: int, node: Any) -> None:
    node.generators[place].ifs = []


@pytest.mark.full
@pytest.mark.parametrize("statement", EXECUTED)
def test_every_mutant_is_refused_or_may_pass(statement: str) -> None:
    tried, passed = 0, set[str]()
    for module, functions in EXECUTED[statement].items():
        with edited(Edit(module, "__all__ = [", "__all__ = [")) as root:
            path = root.joinpath(*module.split(".")[1:]).with_suffix(".py")
            for line, source in _mutants(path.read_text(encoding="utf-8"), functions):
                path.write_text(source, encoding="utf-8")
                tried += 1
                if refutation(HISTOGRAMS[statement][1], root) is None:
                    passed.add(line)
    assert tried > 1
    assert passed <= set(REASONS)
