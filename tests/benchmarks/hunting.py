"""What a hunt costs beside the checks that it runs: `python tests/benchmarks/hunting.py [PATTERN] [SECONDS]`.

For each claim that can be hunted, the processor time of a short hunt that is not in the check, divided by what is: 1 is an
instance that costs twice its check. What is drawn and then not decided (seen before, out of scope) counts as well.
"""

import sys
from fnmatch import fnmatchcase
from statistics import quantiles
from time import process_time
from typing import Any

from attrs import evolve, frozen
from rich.console import Console
from rich.table import Table

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.hunting import Hunt
from finitedp.proofs_check.hunting.running import why_not_hunted
from finitedp.proofs_check.hunting.worker import alarm
from finitedp.proofs_check.ledger.atoms import atoms_of, check_of_one, over
from finitedp.proofs_check.ledger.entry import Entry, Finding

_WORST = 30


@frozen
class Cost:
    """Of one claim: seconds in its check and beside it; how often it was asked; how many others were out of scope."""

    id: str
    check: float
    rest: float
    asked: int
    out_of_scope: int

    @property
    def paper(self) -> str:
        """Such as GK."""
        return self.id.split(".", maxsplit=1)[0]

    @property
    def ratio(self) -> float:
        """What is beside the check for each second in it."""
        return self.rest / self.check


def cost(entry: Entry, seconds: float) -> Cost | None:
    """As measured in a hunt of so many seconds; None where nothing was decided, or in no time."""
    check, atoms, within, asked = check_of_one(entry.check), atoms_of(entry.check), 0.0, 0

    def timed(subject: Any, instance: Any) -> Finding:
        nonlocal within, asked
        began, asked = process_time(), asked + 1
        try:
            return check(subject, instance)
        finally:
            within += process_time() - began

    hunt = Hunt(evolve(entry, check=timed if atoms is None else over(atoms)(timed)), seconds, 1, alarm=alarm())
    began = process_time()
    found = hunt.run()
    took = process_time() - began
    return Cost(entry.id, within, took - within, asked, found.out_of_scope) if within else None


def main(pattern: str = "*", seconds: str = "0.5") -> None:
    """Measure, and print by paper and the worst ones."""
    chosen = [x for x in entries().values() if fnmatchcase(x.id, pattern) and why_not_hunted(x) is None]
    costs = [x for entry in chosen if (x := cost(entry, float(seconds))) is not None]
    papers = sorted({x.paper for x in costs})
    table = Table("", "claims", "median", "9 of 10", "all", "above 1", "above 2")
    for name in [*papers, "all"]:
        ratios = sorted(x.ratio for x in costs if name in (x.paper, "all"))
        tenths = quantiles(ratios, n=10, method="inclusive") if len(ratios) > 1 else ratios * 9
        few = [f"{x:.2f}" for x in (tenths[4], tenths[8], ratios[-1])]
        table.add_row(name, str(len(ratios)), *few, *(str(sum(x > most for x in ratios)) for most in (1, 2)))
    worst = Table("claim", "ratio", "check, us", "beside, us", "decided", "out of scope")
    for x in sorted(costs, key=lambda x: -x.ratio)[:_WORST]:
        each = [f"{1e6 * t / x.asked:.0f}" for t in (x.check, x.rest)]
        worst.add_row(x.id, f"{x.ratio:.1f}", *each, str(x.asked), str(x.out_of_scope))
    Console(width=110).print(table, worst)


if __name__ == "__main__":
    main(*sys.argv[1:])
