"""Two laws that are known in part, and the two ways to complete them at which their divergence is least, and largest.

The unresolved mass u of P and v of Q may belong to any outputs. All Renyi divergences are least where P and Q are as alike as
can be: v is spread over the outputs with the largest ratios P / Q so that these become one ratio, and u over those with the
smallest. It is one completion for all orders, since each of them is the minimum of one convex function of the ratios. They
are largest where u lies where Q has nothing, which is infinite, or where u = 0 and v lies where P has nothing.

Where outputs are declared, and Q has them all, u is on one of these: the divergences are convex in P. The gain from having it
on x is the integral of a ((P[x] + t) / Q[x])^(a - 1) over t from 0 to u, so that x needs no look where, at both ends,
another output has as large a ratio. What v adds to Q is still left out: that is an upper bound, and not attained.
"""

from collections.abc import Hashable, Iterable
from typing import TypeVar

from gmpy2 import mpq

from finitedp.proofs_check.deciders.partial_law import PartialLaw, declared_outputs, unresolved_mass
from finitedp.spec.divergence import Measure
from finitedp.spec.renyi import Atom, Atoms, atoms

R = TypeVar("R", bound=Hashable)


def nearest(p: Measure[R], q: Measure[R]) -> Atoms:
    """The atoms of the completions of both laws that are most alike: complete laws."""
    known, u, v = atoms(p, q), unresolved_mass(p), unresolved_mass(q)
    if sum((max(x.p - x.q, mpq(0)) for x in known), mpq(0)) <= v:
        return (Atom(mpq(1), mpq(1)),)  # they may be one law
    top, first = _pooled(known, v)
    bottom, last = _pooled([_turned(x) for x in reversed(known)], u)
    return (*top, *known[first : len(known) - last], *map(_turned, bottom))


def farthest(p: Measure[R], q: Measure[R]) -> tuple[Atoms | None, ...]:
    """The atoms of the completions that may differ most, without what is added to Q; None where divergences are infinite."""
    if not isinstance(p, PartialLaw) or not p.unresolved:
        return (atoms(p, q),)
    outputs, found, most = declared_outputs(p, q), dict[Atoms, None](), mpq(0)
    if not outputs or not all(q.weight(x) for x in outputs):
        return (None,)
    ratios = {x: [(p.probabilities.get(x, 0) + u) * q.total / q.weight(x) for u in (mpq(0), p.unresolved)] for x in outputs}
    for x in sorted(ratios, key=ratios.__getitem__, reverse=True):
        if ratios[x][1] > most:
            most, whole = ratios[x][1], p.probabilities.get(x, 0) + p.unresolved
            found[atoms(PartialLaw({**p.probabilities, x: whole}), q)] = None
    return tuple(found)


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
