"""Where a hunt goes uphill: what was decided by its shape, whose turn each shape has, and herds of instances of one shape.

The shape is how many runs of equal items each list has. Among instances of few runs the load often leads to the best of these,
and to no failure: each shape has its turn, those of few runs sooner, and one later and later while its herds come no higher.
"""

from bisect import insort
from collections.abc import Iterable
from random import Random
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.coordinates import Shape
from finitedp.proofs_check.hunting.moves import changed, further, moved
from finitedp.proofs_check.hunting.seen import Tried

__all__ = ["Best", "Herd", "Niche"]

_BEST, _LARGEST_HERD, _FIRST, _KEPT = 8, 60, 16, 60
_LED, _FURTHER, _CHANGED = 0.75, 0.2, 0.15
"""The parts of the offspring that are of the best ones; along the difference of two; of any other shape."""
_RISE, _ROOM = mpq(101, 100), 4
"""A load that is well above another one; and how much larger than the first of a herd the others may be."""
_OF_A_RUN = 1.5
"""How much later the turn of a shape of one more run comes."""
_Ranked = tuple[mpq, int, int, Tried]
"""The negative load, the size, and how many came before: what is better comes first."""


def _rank(ranked: _Ranked) -> tuple[mpq, int, int]:
    return ranked[:3]


class Herd:
    """Instances of one shape, none above a size: the best of them have most of the offspring, the worst are left behind."""

    def __init__(self, shape: Shape, largest: int, first: Iterable[Tried]) -> None:
        self.shape, self.largest = shape, largest
        self._ranked = list[_Ranked]()
        self._came = 0
        for each in first:
            self.rises(each)

    def rises(self, tried: Tried) -> bool:
        """Take one in, where it belongs to them, and tell whether its load is well above all others'."""
        if tried.size > self.largest or tried.at.shape != self.shape:
            return False
        self._came += 1
        best = self._ranked[0][-1].load if self._ranked else mpq(-1)
        insort(self._ranked, (-tried.load, tried.size, self._came, tried), key=_rank)
        del self._ranked[_LARGEST_HERD:]
        return tried.load > best * _RISE

    def offspring(self, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
        """One of them, moved. Raises: what a type raises that has no such instance; ValueError, of a herd of one."""
        led, way = chance.random() < _LED, chance.random()
        here = chance.choice(self._ranked[:_BEST] if led else self._ranked)[-1]
        if way < _FURTHER:
            one, other = chance.sample(self._ranked, 2)
            return further(here.instance, here.at, one[-1].at, other[-1].at, chance)
        return (changed if way < _FURTHER + _CHANGED else moved)(here.instance, here.at, chance)


class Niche:
    """What was decided of one shape: the best of each size, and some of any."""

    def __init__(self, shape: Shape, turn: float) -> None:
        self.shape, self.turn = shape, turn
        self.weight = _OF_A_RUN ** sum(runs for _, runs in shape)
        self.load = mpq(0)
        self._sizes = dict[int, _Ranked]()
        self._some, self._count, self._vain = list[Tried](), 0, 1

    def keep(self, tried: Tried) -> None:
        """Keep an instance that was decided."""
        self._count += 1
        self.load = max(self.load, tried.load)
        octave = tried.size.bit_length()
        size, ranked = 4 * octave + (tried.size << 2 >> octave), (-tried.load, tried.size, self._count, tried)
        if size not in self._sizes or ranked[:3] < self._sizes[size][:3]:
            self._sizes[size] = ranked
        if len(self._some) < _KEPT:
            self._some.append(tried)
        else:
            self._some[self._count * 7919 % _KEPT] = tried

    def herd(self, chance: Random) -> Herd:
        """Some of the best of each size, or of any: mostly small ones."""
        some = [x for *_, x in self._sizes.values()] if chance.random() < 1 / 2 else self._some
        largest, most = 2 * min(x.size for x in some), max(x.size for x in some)
        while largest < 2 * most and chance.random() < 1 / 2:
            largest *= 2
        some = [x for x in some if x.size <= largest]
        return Herd(self.shape, _ROOM * largest, chance.sample(some, min(len(some), _FIRST)))

    def spend(self, seconds: float, before: mpq) -> None:
        """Count the time of a herd before which the largest load was that."""
        self._vain = self._vain + 1 if self.load <= before * _RISE else 1
        self.turn += seconds * self.weight * self._vain


class Best:
    """What was decided, by its shape."""

    def __init__(self) -> None:
        self._niches = dict[Shape, Niche]()

    def keep(self, tried: Tried) -> None:
        """Keep an instance that was decided. The turn of a new shape comes after those of now."""
        niche = self._niches.get(tried.at.shape)
        if niche is None:
            turns = [x.turn for x in self._niches.values()]
            niche = self._niches[tried.at.shape] = Niche(tried.at.shape, sum(turns) / len(turns) if turns else 0.0)
        niche.keep(tried)

    def next(self) -> Niche | None:
        """The shape whose turn it is; None where nothing was decided."""
        return min(self._niches.values(), key=lambda x: x.turn, default=None)
