"""Mutants that are shown to the ledger alone: the entries that name the mutated code, on the quick grid with their twins.

An entry names a module where an object of it is among its code, or among what its check uses of the specification; and it
names what that module imports of impl or spec, which it is made of. Those that name the module itself are asked first.
"""

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.references import source_file, specification
from tests.mutation import trial
from tests.mutation.mutants import BY_HAND, ROOT, Mutant, by_hand, sample_of

ALONE = "tests/mutation/claims_alone.py"
FOLDERS = ("impl/anonymized", "impl/flexible", "impl/histograms/blanket", "spec/anonymized", "spec/flexible")
SIZE = 150
EDITS = "ledger_edits.toml"
RESULTS = ROOT / "tests" / "mutation" / "ledger.json"
REASONS = ROOT / "tests" / "mutation" / "ledger_reasons.toml"
FOLDER = "ledger"
SLACK = 5.0
"""Seconds of processor that an entry is given beyond what it needs: it may be the first to explore what others explored."""


def drawn(size: int = SIZE) -> list[Mutant]:
    """The edits by hand, and a sample of the folders in the order of their hashes."""
    files = [path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py"))]
    return [*by_hand(edits=EDITS), *islice(sample_of(FOLDER, files, size), size)]


@cache
def named() -> Mapping[str, Sequence[str]]:
    """By the file of a module: the entries that name it, in the order of the ledger."""
    found: dict[str, list[str]] = {}
    for id, entry in entries().items():  # noqa: A001  # the field's name
        for file in {file for name in {*entry.code, *specification(entry)} if (file := _file(name))}:
            found.setdefault(file, []).append(id)
    return found


def _file(name: str) -> str | None:
    """The file of the longest part of a dotted name that is a module, but for those of proofs_check."""
    while "." in name:
        file = source_file(name)
        if (ROOT / file).is_file():
            return None if file.startswith("proofs_check") else file
        name = name.rpartition(".")[0]
    return None


@cache
def _importers() -> Mapping[str, Sequence[str]]:
    """By the file of a module: those modules, but for proofs_check's, that import it."""
    found: dict[str, list[str]] = {}
    for path in [path for folder in ("impl", "spec", "src/finitedp") for path in sorted((ROOT / folder).rglob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("finitedp."):
                for name in [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]:
                    if (ROOT / (file := source_file(name))).is_file():
                        found.setdefault(file, []).append(path.relative_to(ROOT).as_posix())
    return found


def asked(file: str) -> tuple[list[str], list[str]]:
    """The entries that name a module, and those that name only what is made of it."""
    own = list(dict.fromkeys(named().get(file, ())))
    seen, waiting, others = {file}, [file], dict[str, None]()
    while waiting:
        for importer in _importers().get(waiting.pop(), ()):
            if importer not in seen:
                seen.add(importer)
                waiting.append(importer)
                others |= dict.fromkeys(named().get(importer, ()))
    return own, [id for id in others if id not in own]  # noqa: A001  # the field's name


def nodes(ids: Iterable[str]) -> list[str]:
    """The tests of some entries."""
    return [f"{ALONE}::test_claim_alone[{id}]" for id in ids]  # noqa: A001  # the field's name


def usual(work: Path, mutants: Iterable[Mutant]) -> dict[str, float]:
    """The seconds of each entry that is asked, in the unchanged tree: those that are known from before, and the others now."""
    kept = work / "ledger_seconds.json"
    known: dict[str, float] = json.loads(kept.read_text()) if kept.exists() else {}
    wanted = {node for mutant in mutants for ids in asked(mutant.file) for node in nodes(ids)}
    if new := sorted(wanted - known.keys()):
        trial.preload()
        result = trial.waited(trial.started(trial.copied(work / "unchanged"), [ALONE], new))
        if result["status"] != 0:
            raise SystemExit(f"an entry does not hold without a mutant: {result['failed']}")
        known |= result["seconds"]
        kept.write_text(json.dumps(known))
    return {node: known[node] + SLACK for node in wanted}


def plans(mutants: Iterable[Mutant], seconds: Mapping[str, float]) -> list[tuple[Mutant, list[tuple[list[str], Any]]]]:
    """What each mutant meets: the cheapest entries first."""
    stages = {m: [sorted(nodes(ids), key=seconds.__getitem__) for ids in asked(m.file)] for m in mutants}
    return [(m, [([ALONE], some) for some in found if some]) for m, found in stages.items()]


def known() -> list[dict[str, Any]]:
    """The records of the repository."""
    return list(json.loads(RESULTS.read_text())) if RESULTS.exists() else []


def marked(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record, and whether the entry that noticed the edit names the module itself."""
    return {**record, "named": record["by"] in nodes(asked(record["file"])[0])}


def write(records: Sequence[Mapping[str, Any]]) -> None:
    """Write the last record of each mutant that is still drawn, and whether it once survived."""
    lines = {mutant.id: mutant.line for mutant in drawn()}
    alive = {x["id"] for x in records if x["outcome"] == "survived" or x.get("survived_before")}
    latest = {x["id"]: {**x, "line": lines[x["id"]], "survived_before": x["id"] in alive} for x in records if x["id"] in lines}
    ordered = sorted(latest.values(), key=lambda x: (x["folder"] != BY_HAND, x["file"], x["line"], x["id"]))
    RESULTS.write_text("[\n" + ",\n".join(json.dumps(x) for x in ordered) + "\n]\n")
