"""Mutants of the functions that proofs execute, and whether the proof check alone refuses them.

python -m tests.proofs_check.proofs.mutants
"""

import ast
import copy
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any

from finitedp import exact
from finitedp.proofs_check.proofs import proof_checker as pc

OBJECTS = ("geo_sample", "fast_sample", "dyadic_sample", "dyadic_table", "empty_bins", "strict_coins")
ROOT = Path(pc.__file__).resolve().parents[2]
SWAPS: dict[type, list[type]] = {
    ast.Add: [ast.Sub, ast.Mult],
    ast.Sub: [ast.Add, ast.Mult],
    ast.Mult: [ast.Add, ast.FloorDiv],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.LShift: [ast.RShift],
    ast.RShift: [ast.LShift],
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}


def documents() -> dict[str, dict[str, Any]]:
    """The proof objects whose functions are mutated."""
    folder = ROOT / "proofs_check" / "proofs" / "objects"
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in OBJECTS}


def _edits(function: ast.FunctionDef) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each mutant of a function, with what was done to it."""
    for i, _ in enumerate(ast.walk(function)):
        for kind in range(3):
            new = copy.deepcopy(function)
            node = list(ast.walk(new))[i]
            what = _edit(node, kind)
            if what:
                yield f"line {getattr(node, 'lineno', new.lineno)}: {what}", new


def _edit(node: ast.AST, kind: int) -> str | None:
    if isinstance(node, ast.Constant) and type(node.value) is int and kind < 2:
        old, node.value = node.value, node.value + (1, -1)[kind]
        return f"{old} becomes {node.value}"
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and kind < len(SWAPS.get(type(node.op), [])):
        old_op, node.op = node.op, SWAPS[type(node.op)][kind]()
        return f"{type(old_op).__name__} becomes {type(node.op).__name__}"
    if isinstance(node, ast.Compare) and kind < len(SWAPS.get(type(node.ops[0]), [])):
        old_cmp, node.ops[0] = node.ops[0], SWAPS[type(node.ops[0])][kind]()
        return f"{type(old_cmp).__name__} becomes {type(node.ops[0]).__name__}"
    if isinstance(node, ast.If | ast.IfExp) and kind == 2:
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return "the condition is denied"
    return None


def mutants() -> Iterator[tuple[str, str, str, str]]:
    """The function's name, what was done, the module's path, and its source with the mutant in it."""
    library = pc.Library(ROOT)
    names = sorted({name for document in documents().values() for name in document["code"]})
    for name in names:
        node = library.named(name)
        if not isinstance(node, ast.FunctionDef):
            continue
        module = next(m for m in library.text if name.startswith(f"{m}."))
        path = Path(*module.split(".")[1:]).with_suffix(".py")
        lines = library.text[module].splitlines(keepends=True)
        plain = ast.parse(pc.plain(node)).body[0]
        for what, new in _edits(plain):  # type: ignore[arg-type]
            first, indent = node.lineno - 1, " " * node.col_offset
            text = "".join(
                f"{indent}{line}\n" for line in ast.unparse(ast.fix_missing_locations(_undecorated(new))).splitlines()
            )
            yield name, what, str(path), "".join([*lines[:first], text, *lines[node.end_lineno :]])


def _undecorated(function: ast.FunctionDef) -> ast.FunctionDef:
    function.decorator_list = []  # they stand above the line of the definition, and stay
    return function


def refusal(name: str, path: str, source: str, of: dict[str, dict[str, Any]], root: Path) -> str | None:
    """Why the first proof that executes the function is refused, with the mutant in the place of the function; or None."""
    target = root / path
    before = target.read_text(encoding="utf-8")
    target.write_text(source, encoding="utf-8")
    try:
        for document in of.values():
            if name in document["code"]:
                pc.check(document, root, stale=True)
    except pc.Refused as error:
        return str(error)
    finally:
        target.write_text(before, encoding="utf-8")
    return None


def survivors() -> tuple[int, list[str]]:
    """How many mutants there are, and those that no proof refuses, although hashes are not looked at."""
    of, found, tried = documents(), list[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copytree(ROOT / "impl", root / "impl", ignore=lambda _, names: [n for n in names if n == "__pycache__"])
        for file in Path(exact.__file__).parent.glob("*.py"):
            copyfile(file, root / file.name)
        for document in of.values():
            pc.check(document, root)
        for name, what, path, source in mutants():
            tried += 1
            if refusal(name, path, source, of, root) is None:
                found.append(f"{name}: {what}")
    return tried, found


if __name__ == "__main__":
    many, alive = survivors()
    print(f"{many} mutants, {len(alive)} not refused")
    print(*alive, sep="\n")
    sys.exit(0)
