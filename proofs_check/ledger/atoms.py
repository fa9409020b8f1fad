"""Checks of one atom: of a statement that says the same of all histograms, targets or hashes of an instance.

A grid's instance then stands for all its atoms, and the ledger looks at each of them. A hunt tries atoms one by one, of any
size.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any

from attrs import evolve

from finitedp.proofs_check.ledger.entry import Check, Finding, OutOfScopeError
from finitedp.proofs_check.ledger.findings import one_finding

Atoms = Callable[[Any], Iterable[Any]]
_ATOMS = "atoms_of_an_instance"


def over(atoms: Atoms) -> Callable[[Callable[[Any, Any], Finding | Iterator[Finding]]], Check]:
    """Make a check of one atom the check of an instance: of all its atoms, up to the first at which it does not hold.

    Parameters: atoms, which gives the atoms of an instance. The finding is that of the largest load. Raises, as the check it
    makes: OutOfScopeError where an instance has no atoms.
    """

    def made(of_one: Callable[[Any, Any], Finding | Iterator[Finding]]) -> Check:
        check = one_finding(of_one)

        @wraps(check)
        def of_all(subject: Any, instance: Any) -> Finding:  # noqa: ANN401  # what a check takes
            worst, count = None, 0
            for count, atom in enumerate(atoms(instance), 1):  # noqa: B007  # the number of atoms that were looked at
                found = check(subject, atom)
                if worst is None or not found.holds or found.load > worst.load:
                    worst = found
                if not found.holds:
                    break
            if worst is None:
                raise OutOfScopeError("no case was looked at")
            return worst if worst.load or not worst.holds else evolve(worst, detail=f"{worst.detail}, and so on all {count}")

        setattr(of_all, _ATOMS, atoms)
        return of_all

    return made


def atoms_of(check: Check) -> Atoms | None:
    """What gives the atoms of an instance; None of a check that looks at instances."""
    found: Atoms | None = getattr(check, _ATOMS, None)
    return found


def check_of_one(check: Check) -> Check:
    """The check of one atom; of a check that looks at instances, itself."""
    one: Check = check.__wrapped__ if atoms_of(check) is not None else check  # type: ignore[attr-defined]  # as wraps sets it
    return one
