"""Relations between draws: x < y of two undecided draws is one fork, and the mass of what is left is summed exactly.

The draws of a run and their relations are a forest. So the mass of a component is summed by elimination: a draw's value weighs
its own parts times, for each neighbour, the sum over the neighbour's values that the relation allows. These are an interval,
since both sides are monotone in their draws, so that a sum over them is a difference of two prefix sums. Draws of more
values than can be listed are summed in closed form (wide_joint).
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple, cast

from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.lazy.draws import Chain, Draw, image, threshold
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.wide_joint import MOST_WIDE_DRAWS, Pieces, shift_of

MOST_VALUES = 4_096
"""Values of a draw that is related to another one."""
MOST_DRAWS = 100
"""Draws of one component."""
Below = Callable[[int], Any]
"""t -> a mass, where a draw is below t."""


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


def _end(draw: Draw) -> int:
    return cast(int, draw.high)  # draws without an end have no relations


def relations(draw: Draw) -> list[Relation]:
    """All relations of a draw."""
    return draw.relations or []


def relate(left: LazyInt, right: LazyInt, answer: bool) -> None:
    """From now on left < right is `answer`."""
    (x, own), (y, others) = left.parts(), right.parts()
    x.relations = [*relations(x), Relation(y, own, others, False, answer)]
    y.relations = [*relations(y), Relation(x, others, own, True, answer)]


def component(draw: Draw) -> list[Draw]:
    """The draws that are related to a draw, through others too; itself first."""
    draws, seen = [draw], {draw.index}
    for one in draws:
        for relation in relations(one):
            if relation.neighbour.index not in seen:
                seen.add(relation.neighbour.index)
                draws.append(relation.neighbour)
    return draws


def can_be_related(x: Draw, y: Draw, chains: tuple[Chain, ...] = ()) -> bool:
    """Whether a relation keeps the forest one, and its sums short. chains: the operations on the two draws."""
    if x.high is None or y.high is None:
        return False
    draws = component(x) + component(y)
    if any(map(_is_wide, draws)) and not _summed_in_pieces(draws, chains):
        return False
    if any(relation.neighbour is y for relation in relations(x)):
        return True
    group = component(x)
    return all(draw is not y for draw in group) and len(group) + len(component(y)) <= MOST_DRAWS


def _is_wide(draw: Draw) -> bool:
    return _end(draw) - draw.low >= MOST_VALUES


def _summed_in_pieces(draws: list[Draw], chains: tuple[Chain, ...]) -> bool:
    """Whether the masses of such draws are those of polynomials: all are uniform, and compared up to a constant."""
    all_chains = [*chains, *(chain for draw in draws for one in relations(draw) for chain in (one.own, one.others))]
    uniform = all(type(draw) is Draw for draw in draws)
    return uniform and len(draws) <= MOST_WIDE_DRAWS and all(shift_of(chain) is not None for chain in all_chains)


def _bound(relation: Relation) -> tuple[bool, int]:
    """(True, a) where the neighbour y is at least the draw's value plus a, (False, b) where it is at most that plus b."""
    apart = (shift_of(relation.own) or 0) - (shift_of(relation.others) or 0)
    if relation.reversed:
        return (False, apart - 1) if relation.answer else (True, apart)
    return (True, apart + 1) if relation.answer else (False, apart)


def _below(draw: Draw, memory: dict[int, Below] | None = None) -> Below:
    """t -> the mass of a draw's component where the draw is below t: the sum over all values that meet their relations."""
    return _sums(draw, None, any(map(_is_wide, component(draw))), {} if memory is None else memory)


def _sums(draw: Draw, parent: Draw | None, wide: bool, memory: dict[int, Below]) -> Below:
    """The same but for the parent's part of the component, as Pieces if it is wide. Each is put into `memory`, by index."""
    low, high = draw.low, _end(draw)
    weight, weights = Pieces.constant(1), [] if wide else [draw.parts(value, value) for value in range(low, high + 1)]
    for neighbour, group in _grouped(draw):
        if neighbour is not parent:
            sums = _sums(neighbour, draw, wide, memory)
            if isinstance(sums, Pieces):
                weight = weight.times(sums.allowed(map(_bound, group)))
            else:
                beside = (_allowed(neighbour, group, value) for value in range(low, high + 1))
                weights = [
                    w * (sums(most + 1) - sums(least) if least <= most else 0)
                    for w, (least, most) in zip(weights, beside, strict=True)
                ]
    up_to: list[Any] = list(accumulate(weights, initial=mpz(0)))
    memory[draw.index] = weight.summed(low, high) if wide else lambda bound: up_to[bound - low]
    return memory[draw.index]


def total(draw: Draw) -> mpq:
    """The mass of a draw's component, in parts."""
    return _below(draw)(_end(draw) + 1) if draw.relations else draw.parts(draw.low, draw.high)


def mass_below(draw: Draw, bound: int) -> tuple[mpq, mpq]:
    """The mass of the component where the draw is below the bound, and where it is not."""
    if not draw.relations:
        return draw.parts(draw.low, bound - 1), draw.parts(bound, draw.high)
    sums = _below(draw)
    return sums(bound), sums(_end(draw) + 1) - sums(bound)


def pin(draw: Draw, pick: Callable[[int], int]) -> None:
    """Confine a draw, and all that are related to it, to one of their points. Parameters: pick(n), a number of 0..n - 1."""
    memory = dict[int, Below]()
    _below(draw, memory)
    _confine(draw, None, (draw.low, _end(draw)), pick, memory)


def _confine(
    draw: Draw,
    parent: Draw | None,
    ends: tuple[int, int],
    pick: Callable[[int], int],
    below: Mapping[int, Below],
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


def mass_if_less(left: LazyInt, right: LazyInt) -> tuple[mpq, mpq]:
    """The joint mass of two lazy integers' components where left < right, and where it is not."""
    (x, _), (y, _) = left.parts(), right.parts()
    compared = any(relation.neighbour is y for relation in relations(x))
    everything = total(x) if compared else total(x) * total(y)
    before = x.relations, y.relations
    relate(left, right, True)
    less = total(x)
    x.relations, y.relations = before
    return less, everything - less


def _grouped(draw: Draw) -> Iterator[tuple[Draw, list[Relation]]]:
    groups: dict[int, list[Relation]] = {}
    for relation in relations(draw):
        groups.setdefault(relation.neighbour.index, []).append(relation)
    for group in groups.values():
        yield group[0].neighbour, group


def _allowed(neighbour: Draw, group: list[Relation], value: int) -> tuple[int, int]:
    """The ends between which a neighbour is allowed beside a value."""
    low, high = neighbour.low, _end(neighbour)
    for relation in group:
        t, below = relation.wanted(value)
        low, high = (low, min(high, t - 1)) if below else (max(low, t), high)
    return low, high
