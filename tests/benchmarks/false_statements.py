"""How soon a hunt finds what the ledger once had wrong: `python -m tests.benchmarks.false_statements [PATTERN] [SEEDS]`.

Each statement of then from its grid of then, with each of the seeds 1, 2, ...: seconds of processor until a counterexample
was there, which is then made smaller; "no" where none was in 120.
"""

import sys
from fnmatch import fnmatchcase
from time import process_time

from rich.console import Console
from rich.table import Table

from finitedp.proofs_check.hunting.hunting import Hunt
from finitedp.proofs_check.hunting.seen import Hunted
from finitedp.proofs_check.hunting.worker import alarm
from finitedp.proofs_check.ledger.entry import Entry
from tests.proofs_check.hunting.test_false_statements import OLD, SECONDS


def seconds_to_find(entry: Entry, seed: int) -> float | None:
    """Of processor time; None where no counterexample was found."""
    began, first = process_time(), list[float]()

    def note(_instance: str, found: Hunted) -> None:
        if found.counterexample is not None and not first:
            first.append(process_time() - began)

    found = Hunt(entry, SECONDS, seed, note, alarm=alarm()).run()
    return None if found.counterexample is None else [*first, process_time() - began][0]


def main(pattern: str = "*", seeds: str = "5") -> None:
    """Measure, and print a row for each statement."""
    every = range(1, int(seeds) + 1)
    table = Table("statement of then", *(f"seed {seed}" for seed in every))
    for name, entry in OLD.items():
        if fnmatchcase(name, pattern):
            table.add_row(name, *("no" if x is None else f"{x:.1f}" for x in (seconds_to_find(entry, seed) for seed in every)))
    Console(width=110).print(table)


if __name__ == "__main__":
    main(*sys.argv[1:])
