"""Relations between draws: x < y of two undecided draws is one fork, and the mass of what is left is summed exactly.

The draws of a run and their relations are a forest. So the mass of a component is summed by elimination: a draw's value weighs
its own parts times, for each neighbour, the sum over the neighbour's values that the relation allows. These are an interval,
since both sides are monotone in their draws, so that a sum over them is a difference of two prefix sums. Draws of more
values than can be listed are summed in closed form (wide_joint).
"""

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple, cast

from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.lazy.draws import Chain, Draw, image, threshold
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.wide_joint import MOST_WIDE_DRAWS, Pieces, shift_of

__all__ = [
    "Relation",
    "can_be_related",
    "component",
    "forget_relation",
    "mass_below",
    "mass_if_less",
    "pin",
    "relate",
    "total",
]

MOST_VALUES = 4_096
"""Values of a draw that is related to another one."""
MOST_DRAWS = 100
"""Draws of one component."""


class Relation(NamedTuple):
    """Whether own < others, or others < own where `reversed`, for one draw's chain and another's, is `answer`."""

    neighbour: Draw
    own: Chain
    others: Chain
    reversed: bool
    answer: bool

    def wanted(self, value: int) -> tuple[int, bool]:
        """(t, wanted): the neighbour y is allowed beside the draw's `value` exactly where (y < t) == wanted."""
        mine = image(self.own, value)
        if self.reversed:
            t, negated = threshold(self.others, mine)
            return t, self.answer != negated
        t, negated = threshold(self.others, mine + 1)
        return t, self.answer == negated


def relations(draw: Draw) -> list[Relation]:
    """All relations of a draw."""
    return draw.relations or []


def relate(left: LazyInt, right: LazyInt, answer: bool) -> None:
    """From now on left < right is `answer`."""
    (x, own), (y, others) = left.parts(), right.parts()
    x.relations = [*relations(x), Relation(y, own, others, False, answer)]
    y.relations = [*relations(y), Relation(x, others, own, True, answer)]


def forget_relation(left: LazyInt, right: LazyInt) -> None:
    """Take back the last relate()."""
    for draw in (left.parts()[0], right.parts()[0]):
        draw.relations = relations(draw)[:-1] or None


def component(draw: Draw) -> list[Draw]:
    """The draws that are related to a draw, through others too; itself first."""
    found, seen = [draw], {draw.index}
    for one in found:
        for relation in relations(one):
            if relation.neighbour.index not in seen:
                seen.add(relation.neighbour.index)
                found.append(relation.neighbour)
    return found


def can_be_related(x: Draw, y: Draw, chains: tuple[Chain, ...] = ()) -> bool:
    """Whether a relation keeps the forest one, and its sums short. chains: the operations on the two draws."""
    if any(draw.high is None for draw in (x, y)):
        return False
    draws = component(x) + component(y)
    if any(map(_is_wide, draws)) and not _summed_in_pieces(draws, chains):
        return False
    if any(relation.neighbour is y for relation in relations(x)):
        return True
    group = component(x)
    return all(draw is not y for draw in group) and len(group) + len(component(y)) <= MOST_DRAWS


def _is_wide(draw: Draw) -> bool:
    return draw.high is None or draw.high - draw.low >= MOST_VALUES


def _summed_in_pieces(draws: list[Draw], chains: tuple[Chain, ...]) -> bool:
    """Whether the masses of such draws are those of polynomials: all are uniform, and compared up to a constant."""
    all_chains = [*chains, *(chain for draw in draws for one in relations(draw) for chain in (one.own, one.others))]
    uniform = all(type(draw) is Draw and draw.high is not None for draw in draws)
    return uniform and len(draws) <= MOST_WIDE_DRAWS and all(shift_of(chain) is not None for chain in all_chains)


def _sums(draw: Draw, parent: Draw | None = None, known: dict[int, Callable[[int], Any]] | None = None) -> Pieces:
    """t -> the mass of the component, but for the parent's part of it, where the draw is below t. Each is put into `known`."""
    assert draw.high is not None  # noqa: S101  # such draws have no relations
    weight = Pieces.constant(1)
    for neighbour, group in _grouped(draw):
        if neighbour is not parent:
            weight = weight.times(_sums(neighbour, draw, known).allowed(map(_bound, group)))
    found = weight.summed(draw.low, draw.high)
    if known is not None:
        known[draw.index] = found
    return found


def _bound(relation: Relation) -> tuple[bool, int]:
    """(True, a) where the neighbour y is at least the draw's value plus a, (False, b) where it is at most that plus b."""
    apart = (shift_of(relation.own) or 0) - (shift_of(relation.others) or 0)
    if relation.reversed:
        return (False, apart - 1) if relation.answer else (True, apart)
    return (True, apart + 1) if relation.answer else (False, apart)


def total(draw: Draw) -> mpq:
    """The mass of a draw's component: the sum over all values of its draws that meet their relations, in parts."""
    if not draw.relations:
        return draw.parts(draw.low, draw.high)
    if any(map(_is_wide, component(draw))):
        return _sums(draw)(cast(int, draw.high) + 1)
    return _sum(_weights(draw, None))


def mass_below(draw: Draw, bound: int) -> tuple[mpq, mpq]:
    """The mass of the component where the draw is below the bound, and where it is not."""
    if draw.high is not None and any(map(_is_wide, component(draw))):
        sums = _sums(draw)
        return sums(bound), sums(draw.high + 1) - sums(bound)
    weights = _weights(draw, None)
    return _sum(weights[: bound - draw.low]), _sum(weights[bound - draw.low :])


def pin(draw: Draw, pick: Callable[[int], int]) -> None:
    """Confine a draw, and all that are related to it, to one of their points. Parameters: pick(n), a number of 0..n - 1."""
    assert draw.high is not None  # noqa: S101  # such draws have no relations
    group, below = component(draw), dict[int, Callable[[int], Any]]()
    if any(map(_is_wide, group)):
        _sums(draw, None, below)
    else:
        weights = dict[int, list[mpq]]()
        _weights(draw, None, weights)
        for one in group:
            below[one.index] = _below(one.low, weights[one.index])
    _confine(draw, None, (draw.low, draw.high), pick, below)


def _below(low: int, weights: list[mpq]) -> Callable[[int], Any]:
    up_to: list[Any] = list(accumulate(weights, initial=mpz(0)))
    return lambda bound: up_to[bound - low]


def _confine(
    draw: Draw,
    parent: Draw | None,
    ends: tuple[int, int],
    pick: Callable[[int], int],
    below: dict[int, Callable[[int], Any]],
) -> None:
    """Choose a value of a draw between two ends, and then of all that hangs on it. below: of each, the mass below a bound."""
    mass, (low, high) = below[draw.index], ends
    place = mass(low) + pick(int(mass(high + 1) - mass(low)))
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if mass(middle + 1) > place else (middle + 1, high)
    draw.low = draw.high = low
    for neighbour, group in _grouped(draw):
        if neighbour is not parent:
            _confine(neighbour, draw, _allowed(neighbour, group, low), pick, below)


def _sum(weights: list[mpq]) -> mpq:
    return cast(mpq, sum(weights, mpz(0)))


def mass_if_less(left: LazyInt, right: LazyInt) -> tuple[mpq, mpq]:
    """The joint mass of two lazy integers' components where left < right, and where it is not."""
    (x, _), (y, _) = left.parts(), right.parts()
    known = any(relation.neighbour is y for relation in relations(x))
    everything = total(x) if known else total(x) * total(y)
    relate(left, right, True)
    less = total(x)
    forget_relation(left, right)
    return less, everything - less


def _weights(draw: Draw, parent: Draw | None, known: dict[int, list[mpq]] | None = None) -> list[mpq]:
    """The mass of each value of a draw: its own, times that of all that hangs on it but for the parent. Put into `known`."""
    assert draw.high is not None  # noqa: S101  # such draws have no relations
    weights = [draw.parts(value, value) for value in range(draw.low, draw.high + 1)]
    for neighbour, group in _grouped(draw):
        if neighbour is not parent:
            messages = _message(draw, neighbour, group, _weights(neighbour, draw, known))
            weights = [w * m for w, m in zip(weights, messages, strict=True)]
    if known is not None:
        known[draw.index] = weights
    return weights


def _grouped(draw: Draw) -> Iterator[tuple[Draw, list[Relation]]]:
    groups: dict[int, list[Relation]] = {}
    for relation in relations(draw):
        groups.setdefault(relation.neighbour.index, []).append(relation)
    for group in groups.values():
        yield group[0].neighbour, group


def _message(draw: Draw, neighbour: Draw, group: list[Relation], weights: list[mpq]) -> Iterator[mpq]:
    """For each value of the draw, the mass of the neighbour's values that are allowed beside it. weights: of all of these."""
    up_to: list[Any] = list(accumulate(weights, initial=mpz(0)))
    nothing: Any = mpz(0)
    for value in range(draw.low, cast(int, draw.high) + 1):
        low, high = _allowed(neighbour, group, value)
        yield up_to[high + 1 - neighbour.low] - up_to[low - neighbour.low] if low <= high else nothing


def _allowed(neighbour: Draw, group: list[Relation], value: int) -> tuple[int, int]:
    """The ends between which a neighbour is allowed beside a value."""
    low, high = neighbour.low, cast(int, neighbour.high)
    for relation in group:
        t, below = relation.wanted(value)
        low, high = (low, min(high, t - 1)) if below else (max(low, t), high)
    return low, high
