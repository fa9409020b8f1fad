"""The laws of several independent runs on the same data, exactly: of each pair, by the probability ratio of all runs together.

An outcome of k runs is a tuple of k outputs. Whatever is asked of the privacy of two laws depends on the ratio of its
probabilities at both inputs alone, so that all tuples of one ratio are one outcome here. There are few of them where a single
run has few ratios, or powers of one.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.spec.renyi import Atom, Atoms, atoms

D = TypeVar("D", bound=Hashable)

MOST_RATIOS = 10_000
"""Probability ratios that the runs of one pair of inputs may have together."""
MOST_PRODUCTS = 3_000_000
"""Products of masses, over all pairs, that are computed."""
MOST_BITS = 50_000_000
"""The same ratios, times the bits of the probability of a tuple."""


@frozen(repr=False)
class AtRatio:
    """All tuples of outputs whose probabilities at both inputs are as p to q."""

    p: int
    q: int

    def __repr__(self) -> str:
        """Such as 9:1."""
        return f"{self.p}:{self.q}"


class Side(NamedTuple, Generic[D]):
    """One of two neighbouring inputs, the first or the second one in the order of all inputs."""

    first: D
    second: D
    place: int

    @property
    def input(self) -> D:
        """The input."""
        return (self.first, self.second)[self.place]


def composed(
    laws: Mapping[D, PartialLaw[Any]], pairs: Iterable[tuple[D, D]], times: int
) -> tuple[dict[Side[D], PartialLaw[AtRatio]], list[tuple[Side[D], Side[D]]]]:
    """The laws of `times` runs on the same data: two laws for each pair of inputs, and the pairs of them, in both orders.

    Parameters: pairs, in both orders, sorted by place. Raises: ParameterError where there are too many ratios.
    """
    known: dict[Atoms, tuple[Atom, ...]] = {}
    found: dict[Side[D], PartialLaw[AtRatio]] = {}
    both, products = list[tuple[Side[D], Side[D]]](), 0
    for left, right in pairs:
        if Side(right, left, 0) in found:
            continue
        one = atoms(laws[left], laws[right])
        if one not in known:
            known[one], work = _power(one, times)
            products += work
            _refuse(products > MOST_PRODUCTS, times, f"takes more than {MOST_PRODUCTS:,} products")
        sides = Side(left, right, 0), Side(left, right, 1)
        named = [(AtRatio(*_ratio(x)), x) for x in known[one]]
        found[sides[0]] = PartialLaw({name: x.p for name, x in named if x.p}, unresolved_of_all(laws[left].unresolved, times))
        found[sides[1]] = PartialLaw({name: x.q for name, x in named if x.q}, unresolved_of_all(laws[right].unresolved, times))
        both += [sides, sides[::-1]]
    return found, both


def unresolved_of_all(rest: mpq, times: int) -> mpq:
    """The mass of all runs of which some run is unresolved."""
    return 1 - (1 - rest) ** times


def _power(one: Atoms, times: int) -> tuple[tuple[Atom, ...], int]:
    """The atoms of `times` runs, and how many products that took."""
    found: dict[mpq | None, Atom]
    found, products = {mpq(1): Atom(mpq(1), mpq(1))}, 0
    size = sum(number.denominator.bit_length() for number in max(one, default=())) * times
    for _ in range(times):
        step: dict[mpq | None, Atom] = {}
        for before in found.values():
            for x in one:
                atom = Atom(before.p * x.p, before.q * x.q)
                ratio = atom.ratio
                known = step.get(ratio)
                step[ratio] = atom if known is None else Atom(known.p + atom.p, known.q + atom.q)
        products += len(found) * len(one)
        found = {ratio: atom for ratio, atom in step.items() if any(atom)}
        _refuse(len(found) > MOST_RATIOS, times, f"have more than {MOST_RATIOS:,} probability ratios")
        _refuse(len(found) * size > MOST_BITS, times, "have probabilities that are too long")
        _refuse(products > MOST_PRODUCTS, times, f"take more than {MOST_PRODUCTS:,} products")
    return tuple(found.values()), products


def _ratio(x: Atom) -> tuple[int, int]:
    ratio = x.ratio
    return (1, 0) if ratio is None else (int(ratio.numerator), int(ratio.denominator))


def _refuse(condition: bool, times: int, why: str) -> None:
    if condition:
        raise ParameterError(
            f"compose = {times}: so many runs together {why}; accepted: a smaller compose, or one run with the divergence "
            f"claimed, renyi or zcdp, divided by {times}, since divergences add up"
        )
