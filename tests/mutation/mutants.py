"""The mutants of a module, by cosmic-ray, and the fixed sample of them: one mutant for each place that is drawn."""

import ast
import difflib
import hashlib
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from attrs import frozen
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parents[2]

EXPLORER = ("explorer", "search", "path", "other_randomness", "limits")
"""The modules of proofs_check/engine in which the explorer runs code and sums its paths."""

QUOTA: dict[str, tuple[list[str], int | None]] = {
    "proofs_check/checker.py": (["proofs_check/checker.py"], 100),
    "proofs_check/dyadic_certificate.py": (["proofs_check/dyadic_certificate.py"], 30),
    "proofs_check/deciders": (["proofs_check/deciders"], 100),
    "proofs_check/engine": (["proofs_check/engine"], 67),
    "proofs_check/engine/explorer": ([f"proofs_check/engine/{name}.py" for name in EXPLORER], None),
    "proofs_check/engine/alone": (["proofs_check/engine/alone"], None),
    "proofs_check/engine/lazy": (["proofs_check/engine/lazy"], None),
    "proofs_check/engine/stand_ins": (["proofs_check/engine/stand_ins"], None),
    "proofs_check/ledger": ([f"proofs_check/ledger/{name}.py" for name in ("entry", "findings", "verify")], 35),
    "proofs_check/audit": ([f"proofs_check/audit/{name}.py" for name in ("auditing", "laws", "tables")], 40),
    "spec": (["spec"], 80),
    "impl": (["impl"], 115),
}
"""What is mutated, and how many places are drawn of it; None: every place."""

NOT_YET: tuple[str, ...] = ()
"""Modules whose places are not tried yet."""

BY_HAND = "by hand"
Place = tuple[tuple[int, int], tuple[int, int]]


@frozen
class Mutant:
    """One edit: id (a hash that edits elsewhere do not change), the place, the operator, and the lines before and after."""

    id: str
    folder: str
    file: str
    line: int
    operator: str
    occurrence: int
    before: str
    after: str

    def source(self, root: Path = ROOT) -> str:
        """The module with this edit."""
        source = (root / self.file).read_text()
        if self.operator == BY_HAND:
            return source.replace(self.before, self.after)
        return mutated(source, self.operator, self.occurrence)


def mutated(source: str, operator: str, occurrence: int) -> str:
    """A source with one edit."""
    changed = mutate_code(source, get_operator(operator)(), occurrence)
    if changed is None:
        raise ValueError(f"{operator} has no occurrence {occurrence}")
    return str(changed)


def files_of(folder: str, root: Path = ROOT) -> list[str]:
    """The modules of an item of QUOTA, but for those of an item inside of it."""
    paths = [root / path for path in QUOTA[folder][0]]
    found = [file for path in paths for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    others = [root / path for other in QUOTA if other.startswith(f"{folder}/") for path in QUOTA[other][0]]
    wanted = [file for file in found if file.name != "__init__.py" and not any(map(file.is_relative_to, others))]
    return [name for file in wanted if (name := file.relative_to(root).as_posix()) not in NOT_YET]


def digest(*parts: object) -> str:
    """A hash of the parts."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def undecided_lines(source: str) -> list[tuple[int, int, int, int]]:
    """Where nothing runs that decides: annotations, aliases of types, `__all__`, and texts made for a reader (f-strings)."""
    tree, found = ast.parse(source), list[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            found.append(node.annotation)
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            found.append(node.returns)
        if isinstance(node, ast.JoinedStr):
            found.append(node)
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name == "__all__" or (name.strip("_")[:1].isupper() and not name.isupper()):
                found.append(statement)
    return [(x.lineno, x.col_offset, x.end_lineno, x.end_col_offset) for x in found]  # type: ignore[attr-defined]


def is_star(source: str, start: tuple[int, int]) -> bool:
    """Whether * or ** stands there as in f(*arguments), which is no product."""
    line = source.splitlines()[start[0] - 1]
    return line[start[1] : start[1] + 1] == "*" and line[: start[1]].rstrip()[-1:] in ("", *"([{,=:")


def places(source: str) -> dict[Place, list[tuple[str, int]]]:
    """The places of a module, and the mutants of each: operator and occurrence."""
    skipped, nodes = undecided_lines(source), list(ast_nodes(get_ast(source)))
    found: dict[Place, list[tuple[str, int]]] = {}
    for name in sorted(operator_names()):
        if get_operator(name).arguments():
            continue  # operators on variables that have to be named
        operator = get_operator(name)()
        positions = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(positions):
            if not any((a, b) <= start and end <= (c, d) for a, b, c, d in skipped) and not is_star(source, start):
                found.setdefault((start, end), []).append((name, occurrence))
    return found


def keyed(file: str, source: str) -> dict[str, tuple[Place, list[tuple[str, int]]]]:
    """The places of a module by a key made of what stands there, such that edits of other lines leave it as it is."""
    lines, seen, found = source.splitlines(), Counter[str](), {}
    for place, mutants in sorted(places(source).items()):
        text = lines[place[0][0] - 1]
        base = digest(file, text.strip(), place[0][1] - (len(text) - len(text.lstrip())), place[1][1] - place[0][1])
        found[digest(base, seen[base])] = (place, mutants)
        seen[base] += 1
    return found


def changed_lines(before: str, after: str) -> tuple[str, str]:
    """The lines that an edit takes away, and those that it puts there."""
    delta = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    taken = [line[2:].strip() for line in delta if line.startswith("- ")]
    put = [line[2:].strip() for line in delta if line.startswith("+ ")]
    return "\n".join(taken), "\n".join(put)


def compiles(source: str) -> bool:
    """Whether it is Python at all."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def sample_of(folder: str, files: Iterable[str], size: int | None, root: Path = ROOT) -> Iterator[Mutant]:
    """Of some modules: the places with the least hashes, and at each the mutant with the least hash that is Python."""
    keys: dict[str, tuple[str, str, Place, list[tuple[str, int]]]] = {}
    for file in files:
        source = (root / file).read_text()
        keys |= {key: (file, source, *rest) for key, rest in keyed(file, source).items()}
    found = (mutant for key in sorted(keys) if (mutant := _one(folder, key, *keys[key])) is not None)
    return islice(found, size)


def _one(folder: str, key: str, file: str, source: str, place: Place, mutants: list[tuple[str, int]]) -> Mutant | None:
    """The mutant of a place."""
    for operator, occurrence in sorted(mutants, key=lambda mutant: digest(key, mutant[0], mutants.index(mutant))):
        after = mutated(source, operator, occurrence)
        if compiles(after):
            edit = changed_lines(source, after)
            return Mutant(digest(key, *edit)[:12], folder, file, place[0][0], operator, occurrence, *edit)
    return None


def sample(root: Path = ROOT) -> list[Mutant]:
    """The whole sample, and the edits by hand."""
    drawn = [mutant for folder in QUOTA for mutant in sample_of(folder, files_of(folder, root), QUOTA[folder][1], root)]
    return drawn + by_hand()


def by_hand(root: Path = ROOT, edits: str = "by_hand.toml") -> list[Mutant]:
    """The edits that somebody made, or might have made: those of a file beside this one."""
    found = []
    for name, edit in tomllib.loads((root / "tests" / "mutation" / edits).read_text()).items():
        source = (root / edit["file"]).read_text()
        if source.count(edit["before"]) != 1:
            raise ValueError(f"{name}: the text before is there {source.count(edit['before'])} times; accepted: once")
        line = source[: source.index(edit["before"])].count("\n") + 1
        found.append(Mutant(name, BY_HAND, edit["file"], line, BY_HAND, 0, edit["before"], edit["after"]))
    return found
