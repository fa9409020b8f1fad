"""The ports of docs/ports, how each is compiled, and edits of them that a case has to notice.

`python -m tests.proofs_check.vectors.mutants` writes the table of docs/ports.md anew.
"""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from finitedp.proofs_check.vectors.judging import RIGHT
from finitedp.proofs_check.vectors.kinds import Case, cases_of
from finitedp.proofs_check.vectors.making import shipped
from finitedp.proofs_check.vectors.running import Outcome, run

ROOT = Path(__file__).parents[3]
PORTS, PAGE = ROOT / "docs" / "ports", ROOT / "docs" / "ports.md"
TYPES = ("Table", "Certificate", "Draw", "Release", "Threshold")
TIMEOUT = 10

COMPILERS = {
    "dyadic.c": ("gcc", ("-std=c11", "-Wall", "-Wextra", "-pedantic", "-O1", "-o")),
    "dyadic.mjs": ("node", ()),
    "dyadic.rs": ("rustc", ("--edition", "2021", "-C", "opt-level=1", "-o")),
}
"""By port: the program that it needs, and the arguments before the output where this compiles it."""


@frozen
class Mutant:
    """A port with `old` replaced by `new`: the cases with `flag` notice it, or no case can, since the two are equivalent."""

    port: str
    bug: str
    old: str
    new: str
    flag: str = ""
    equivalent: str = ""

    def source(self) -> str:
        """The edited port. Raises: ValueError where the text to replace is not there just once."""
        before = (PORTS / self.port).read_text()
        if before.count(self.old) != 1:
            raise ValueError(f"{self.port}: {self.old!r} is there {before.count(self.old)} times")
        return before.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    """All edits, in the order of the file."""
    return [Mutant(**entry) for entry in tomllib.loads((Path(__file__).parent / "mutants.toml").read_text())["mutant"]]


def missing(port: str) -> str:
    """Why a port cannot be run on this machine, or nothing."""
    program = COMPILERS[port][0]
    return "" if shutil.which(program) else f"{port}: there is no {program} here"


def command(port: str, source: str, folder: Path) -> Sequence[str]:
    """The program of a port's text, which is compiled into the folder.

    Raises: ValueError where it does not compile.
    """
    program, arguments = COMPILERS[port]
    file, binary = folder / port, folder / "port"
    file.write_text(source)
    if not arguments:
        return program, str(file)
    made = subprocess.run([program, *arguments, str(binary), str(file)], capture_output=True, text=True, check=False)
    if made.returncode:
        raise ValueError(f"{port} does not compile: {made.stderr}")
    return (str(binary),)


def cases(flag: str = "") -> list[Case]:
    """The small set's cases of the ports' types, or those of a flag."""
    documents = shipped()
    return [case for kind in TYPES for case in cases_of(documents[kind]) if not flag or flag in case.test["flags"]]


def failures(program: Sequence[str], asked: Sequence[Case]) -> Iterator[Outcome]:
    """The outcomes of the cases that are not right."""
    return (outcome for outcome in run(program, asked, TIMEOUT) if outcome.verdict != RIGHT)


def table() -> str:
    """The mutants as a table of the manual."""
    rows = ["| port | bug | killed by |", "|---|---|---|"]
    for mutant in mutants():
        killer = f"`{mutant.flag}`" if mutant.flag else f"equivalent: {mutant.equivalent}"
        rows.append(f"| `{mutant.port}` | {mutant.bug} | {killer} |")
    return "\n".join(rows) + "\n"


def with_table(page: str) -> str:
    """The page with the table as it is now."""
    return re.sub(r"\| port \| bug \|.*?\n(?=\n|\Z)", lambda _: table(), page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
