"""Renyi divergence of two finite laws at orders above 1: exact at integer orders, enclosed at all rational ones.

The divergence at an order is a function of the likelihood ratios alone, so laws are first brought to their atoms: by ratio
P[x] / Q[x], the masses that both laws give to all outcomes with that ratio.
"""

from collections.abc import Hashable
from typing import Literal, NamedTuple, TypeVar

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer, log_power_sum, rational
from finitedp.spec.divergence import Measure

__all__ = ["Atom", "Atoms", "alike", "atoms", "log_power_sum_of", "power_sum", "renyi_divergence"]

T = TypeVar("T", bound=Hashable)


class Atom(NamedTuple):
    """The masses p under P and q under Q of all outcomes of one ratio p / q, which is infinite where q = 0."""

    p: mpq
    q: mpq

    @property
    def ratio(self) -> mpq | None:
        """P / q; None where it is infinite."""
        return self.p / self.q if self.q else None


Atoms = tuple[Atom, ...]
"""Atoms of distinct ratios, the largest first."""


def atoms(p: Measure[T], q: Measure[T]) -> Atoms:
    """The masses of two laws by probability ratio, the largest ratio first. Cost: a sort of the outcomes by their ratio."""
    found: dict[mpq | None, tuple[int, int]] = {}
    for x in dict.fromkeys((*p.weights, *q.weights)):
        weight, other = p.weight(x), q.weight(x)
        ratio = mpq(weight, other) if other else None
        before = found.get(ratio, (0, 0))
        found[ratio] = before[0] + weight, before[1] + other
    listed = [Atom(mpq(weight, p.total), mpq(other, q.total)) for weight, other in found.values()]
    return tuple(sorted(listed, key=lambda atom: (atom.ratio is None, atom.ratio or 0), reverse=True))


def alike(laws: Atoms) -> bool:
    """Whether both laws are one law, so that every divergence is 0."""
    return all(atom.p == atom.q for atom in laws)


def power_sum(laws: Atoms, order: int) -> mpq | Literal["infinite"]:
    """The sum of P[x]^a Q[x]^(1 - a), exactly; e^((a - 1) D_a) for the Renyi divergence D_a.

    Parameters: order a, an integer of at least 2. Returns: "infinite" where some outcome is possible under P only.
    """
    a = integer(order, "order", at_least=2)
    if any(atom.p and not atom.q for atom in laws):
        return "infinite"
    return sum((atom.p * (atom.p / atom.q) ** (a - 1) for atom in laws if atom.p), mpq(0))


def log_power_sum_of(laws: Atoms, order: mpq, bits: int = 64) -> tuple[mpq, mpq]:
    """Rationals around ln(sum P[x]^a Q[x]^(1 - a)), with a relative width of about 2^-bits.

    Parameters: laws, not both one law, and of which no ratio is infinite; order a, above 1.
    """
    return log_power_sum(((x.p, x.p / x.q) for x in laws if x.p), order - 1, bits)


def renyi_divergence(
    p: Measure[T], q: Measure[T], order: RationalLike, bits: int = 64
) -> tuple[mpq, mpq] | Literal["infinite"]:
    """Rationals (low, high) around D_a(P || Q) = ln(sum P[x]^a Q[x]^(1 - a)) / (a - 1), in nats.

    Parameters: order a, a rational above 1; bits, so that the relative width is about 2^-bits. Returns: (0, 0) for equal laws,
    "infinite" where some outcome is possible under P only. Raises: ParameterError.
    """
    a, laws = rational(order, "order"), atoms(p, q)
    if a <= 1:
        raise ParameterError(f"order = {a} is out of range; accepted: a rational above 1")
    if alike(laws):
        return mpq(0), mpq(0)
    if any(atom.p and not atom.q for atom in laws):
        return "infinite"
    low, high = log_power_sum_of(laws, a, bits)
    return low / (a - 1), high / (a - 1)
