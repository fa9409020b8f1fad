"""Which tests concern a mutant: those that run its line, by a run of all of them under coverage, the fastest first."""

import ast
from collections.abc import Iterable, Mapping
from math import inf
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.mutation.mutants import ROOT, Mutant

TESTS = [
    "tests/spec",
    "tests/impl",
    "tests/ground",
    "tests/proofs_check/engine",
    "tests/proofs_check/deciders",
    "tests/proofs_check/ledger",
    "tests/proofs_check/audit",
    "tests/proofs_check/test_checker.py",
    "tests/proofs_check/test_dyadic_certificate.py",
    "tests/proofs_check/test_histogram_certificate.py",
    "tests/proofs_check/test_mechanisms.py",
    "tests/proofs_check/claims/test_twins.py",
    "tests/cli/test_audit.py",
    "tests/mutation/claims_alone.py",
]
FIRST, ALL = 1.0, 2.5
"""Seconds of processor of the tests that every mutant meets, and of those that a survivor meets after them."""


OWN_PROCESSES = ("tests/cli", "tests/proofs_check/test_dask.py", "tests/proofs_check/test_parallel.py")
"""Tests that start processes of their own: only mutants of their own modules meet them."""


@frozen
class Baseline:
    """What a run of the unchanged tree showed: the seconds of each test, and which tests run each line of each module."""

    seconds: Mapping[str, float]
    lines: Mapping[str, Mapping[str, Any]]

    @staticmethod
    def of(*results: Mapping[str, Any]) -> "Baseline":
        """All results together. Only what may be mutated counts, and a test that fails without a mutant kills none."""
        seconds: dict[str, float] = {}
        lines: dict[str, dict[str, list[str]]] = {}
        for result in results:
            useless = set(result["failures"])
            seconds |= {node: inf if node in useless else took for node, took in result["seconds"].items()}
            for file, tests in result["lines"].items():
                if not file.startswith("proofs_check/claims"):
                    for line, nodes in tests.items():
                        lines.setdefault(file, {}).setdefault(line, []).extend(x for x in nodes if x not in useless)
        return Baseline(seconds, lines)

    def running(self, file: str, wanted: Iterable[int]) -> set[str]:
        """The tests that run one of these lines of a module; all that run any of its lines where it runs as it is imported."""
        by_line = self.lines.get(file, {})
        found = {node for line in wanted for node in by_line.get(str(line), ())}
        return found or {node for nodes in by_line.values() for node in nodes}


def statement(source: str, line: int) -> range:
    """The lines of the statement around a line; of a compound one, those of its head."""
    found = range(line, line + 1)
    best = 0
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line) and node.lineno >= best:
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) else node.end_lineno or line
            best, found = node.lineno, range(node.lineno, max(last, line) + 1)
    return found


def mirrored(file: str) -> list[str]:
    """The test files of a module: those of its name in the mirrored folder, or else all of that folder."""
    path = Path("tests") / file
    folder = ROOT / path.parent
    found = sorted(folder.glob(f"test_{path.stem}*.py")) or sorted(folder.glob("test_*.py"))
    return [x.relative_to(ROOT).as_posix() for x in found]


def floats(file: str) -> list[str]:
    """The test that a module of spec or impl makes no float."""
    top, name = file.split("/", maxsplit=1)[0], file.removesuffix(".py").replace("/", ".")
    return [f"tests/house/test_house.py::test_no_float_in_{top}[finitedp.{name}]"] if top in ("spec", "impl") else []


def chosen(mutant: Mutant, baseline: Baseline, most: float = ALL) -> tuple[list[str], list[str]]:
    """The tests that a mutant meets first, and those that it meets where it survives them, each in their order.

    Parameters: most, seconds of processor of those that a survivor meets.
    """
    source = (ROOT / mutant.file).read_text()
    home = set(mirrored(mutant.file))

    def key(node: str) -> tuple[bool, float]:
        return node.split("::", maxsplit=1)[0] not in home, baseline.seconds.get(node, 0.0)

    running = baseline.running(mutant.file, statement(source, mutant.line))
    running = {node for node in running if node.split("::")[0] in home or not node.startswith(OWN_PROCESSES)}

    order = sorted(running, key=key)
    order += sorted((node for node in baseline.seconds if node.split("::")[0] in home and node not in running), key=key)
    order = [node for node in order if baseline.seconds.get(node, 0.0) < most]
    first, spent = list[str](), 0.0
    for node in [x for x in order if x.split("::")[0] in home] or order:
        spent += baseline.seconds.get(node, 0.0)
        if first and spent > FIRST:
            break
        first.append(node)
    first = list(dict.fromkeys(floats(mutant.file) + first))
    rest, spent = list[str](), 0.0
    for node in sorted(set(order) - set(first), key=lambda node: baseline.seconds.get(node, 0.0)):
        spent += baseline.seconds.get(node, 0.0)
        if spent > most:
            break
        rest.append(node)
    return first, rest


def files(nodes: Iterable[str]) -> list[str]:
    """The test files of some tests."""
    return list(dict.fromkeys(node.split("::")[0] for node in nodes))
