"""The claims ledger: an entry for every numbered statement, with the check that decides it and twins that it must reject.

An entry joins a statement (in our own words) to the code it speaks of, a check, a grid of instances on which the check runs,
and negative twins: broken subjects that the same check must reject somewhere on the quick grid. A verdict is only ever the
result of a run; see proofs_check.verify.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen
from gmpy2 import mpq

__all__ = ["Entry", "Finding", "Grid", "Kind", "entry", "registered"]

Kind = Literal["definition", "lemma", "theorem", "algorithm", "figure", "erratum", "own"]
Grid = Literal["quick", "full"]

Instances = Callable[[], Sequence[Any]]


@frozen
class Finding:
    """What a check found on one instance.

    holds: whether the statement is true there. load: how close it came to failing, as a fraction of what is allowed (1 is
    tight; for an equality, the statistical distance found). detail: the worst case or witness, in a few words.
    """

    holds: bool
    load: mpq
    detail: str


Check = Callable[[Any, Any], Finding]


@frozen
class Entry:
    """A numbered statement and how it is checked.

    id: such as BV.Thm4.10.i. statement and quantifiers: what is claimed, and for which parameters. reach: what a run of the
    check establishes ("grid": the instances alone; otherwise in words, such as "all epsilon, each n of the grid").
    code: dotted names of what the statement speaks of. check(subject, instance) decides one instance. twins: broken subjects
    by name. expects: "verified", or "refuted" for a literal text that is wrong. repairs: the id of the literal entry that
    this one corrects.
    """

    id: str
    kind: Kind
    statement: str
    quantifiers: str
    code: tuple[str, ...]
    check: Check = field(repr=False)
    subject: Any = field(repr=False)
    twins: Mapping[str, Any] = field(repr=False)
    grids: Mapping[Grid, Instances] = field(repr=False)
    reach: str = "grid"
    expects: Literal["verified", "refuted"] = "verified"
    repairs: str | None = None

    @property
    def module(self) -> str:
        """The module of claims that holds the check."""
        return self.check.__module__

    def instances(self, grid: Grid) -> Sequence[Any]:
        """The instances of a grid: the full one contains the quick one."""
        quick = list(self.grids["quick"]())
        return quick if grid == "quick" else quick + [x for x in self.grids["full"]() if x not in quick]


_LEDGER: dict[str, Entry] = {}


def entry(
    id: str,  # noqa: A002  # the field's name; shadowing the builtin is harmless here
    kind: Kind,
    statement: str,
    *,
    over: str,
    code: Sequence[str],
    grid: tuple[Instances, Instances],
    subject: Any,  # noqa: ANN401  # what a check takes is between the check and its entry
    twins: Mapping[str, Any],
    reach: str = "grid",
    expects: Literal["verified", "refuted"] = "verified",
    repairs: str | None = None,
) -> Callable[[Check], Check]:
    """Register the decorated check as a ledger entry. A check may carry several entries."""

    def register(check: Check) -> Check:
        if id in _LEDGER:
            raise ValueError(f"the ledger has two entries {id}")
        grids: dict[Grid, Instances] = {"quick": grid[0], "full": grid[1]}
        text = " ".join(statement.split())
        _LEDGER[id] = Entry(id, kind, text, over, tuple(code), check, subject, dict(twins), grids, reach, expects, repairs)
        return check

    return register


def registered() -> Mapping[str, Entry]:
    """The entries that the modules imported so far have registered, by id; finitedp.proofs_check.claims has all of them."""
    return _LEDGER
