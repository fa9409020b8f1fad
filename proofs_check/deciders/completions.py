"""Two laws that are known in part, and the two ways to complete them at which their divergence is least, and largest.

The unresolved mass u of P and v of Q may belong to any outputs. All Renyi divergences are least where P and Q are as alike as
can be: v is spread over the outputs with the largest ratios P / Q so that these become one ratio, and u over those with the
smallest. It is one completion for all orders, since each of them is the minimum of one convex function of the ratios. They
are largest where u lies where Q has nothing, which is infinite, or where u = 0 and v lies where P has nothing.
"""

from collections.abc import Hashable, Iterable
from typing import TypeVar

from gmpy2 import mpq

from finitedp.proofs_check.deciders.partial_law import unresolved_mass
from finitedp.spec.divergence import Measure
from finitedp.spec.renyi import Atom, Atoms, atoms

__all__ = ["farthest", "nearest"]

R = TypeVar("R", bound=Hashable)


def nearest(p: Measure[R], q: Measure[R]) -> Atoms:
    """The atoms of the completions of both laws that are most alike: complete laws."""
    known, u, v = atoms(p, q), unresolved_mass(p), unresolved_mass(q)
    if sum((max(x.p - x.q, mpq(0)) for x in known), mpq(0)) <= v:
        return (Atom(mpq(1), mpq(1)),)  # they may be one law
    top, first = _pooled(known, v)
    bottom, last = _pooled([_turned(x) for x in reversed(known)], u)
    return (*top, *known[first : len(known) - last], *map(_turned, bottom))


def farthest(p: Measure[R], q: Measure[R]) -> Atoms | None:
    """The atoms of the completions that differ most, without what is added to Q; None where divergences may be infinite."""
    return None if unresolved_mass(p) else atoms(p, q)


def _pooled(known: Iterable[Atom], mass: mpq) -> tuple[tuple[Atom, ...], int]:
    """Mass added to the q of the atoms of the largest ratios, so that they have one: the atom of all of them, and how many."""
    if not mass:
        return (), 0
    pool, taken = Atom(mpq(0), mass), 0
    for x in known:
        if x.p * pool.q < pool.p * x.q:
            break
        pool, taken = Atom(pool.p + x.p, pool.q + x.q), taken + 1
    return (pool,), taken


def _turned(x: Atom) -> Atom:
    return Atom(x.q, x.p)
