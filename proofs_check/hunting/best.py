"""Where a hunt goes uphill: what was decided by shape and size, whose turn each of these has, and herds of one shape.

The shape is how many runs of equal items each list has. Among instances of few runs the load often leads to the best of these,
and to no failure, as among large ones: each niche has its turn, those of few runs and small sizes sooner, and one later and
later while its herds come no higher.
"""

from bisect import insort
from collections.abc import Iterable
from random import Random
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.coordinates import Shape
from finitedp.proofs_check.hunting.moves import changed, further, moved
from finitedp.proofs_check.hunting.seen import Tried

_BEST, _LARGEST_HERD, _FIRST, _KEPT = 8, 60, 16, 60
_LED, _FURTHER, _CHANGED = 0.75, 0.2, 0.15
"""The parts of the offspring that are of the best ones; along the difference of two; of any other shape."""
_RISE, _ROOM = mpq(101, 100), 2
"""A load that is well above another one; and how much larger than its niche a herd may be."""
_LATER = 1.5
"""How much later the turn of one more run, or of twice the size, comes."""
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
    """What was decided of one shape and octave of sizes: the best of each quarter of it, and some of any; and its turn."""

    def __init__(self, shape: Shape, octave: int, turn: float) -> None:
        self.shape, self.octave, self.turn = shape, octave, turn
        self.load = mpq(0)
        self.best, self.some = dict[int, _Ranked](), list[Tried]()
        self._weight = _LATER ** (octave + sum(runs for _, runs in shape))
        self._count, self._vain = 0, 1

    def keep(self, tried: Tried) -> None:
        """Keep an instance that was decided."""
        self._count += 1
        self.load = max(self.load, tried.load)
        quarter, ranked = tried.size << 2 >> self.octave, (-tried.load, tried.size, self._count, tried)
        if quarter not in self.best or ranked[:3] < self.best[quarter][:3]:
            self.best[quarter] = ranked
        if len(self.some) < _KEPT:
            self.some.append(tried)
        else:
            self.some[self._count * 7919 % _KEPT] = tried

    def spend(self, seconds: float, *, rose: bool) -> None:
        """Count the time of a herd."""
        self._vain = 1 if rose else self._vain + 1
        self.turn += seconds * self._weight * self._vain


class Best:
    """What was decided, by its shape and size."""

    def __init__(self) -> None:
        self._niches = dict[Shape, dict[int, Niche]]()

    def _all(self) -> list[Niche]:
        return [niche for of_shape in self._niches.values() for niche in of_shape.values()]

    def keep(self, tried: Tried) -> None:
        """Keep an instance that was decided. The turn of a new niche is in the middle of the others'."""
        of_shape, octave = self._niches.setdefault(tried.at.shape, {}), tried.size.bit_length()
        if octave not in of_shape:
            turns = [x.turn for x in self._all()]
            of_shape[octave] = Niche(tried.at.shape, octave, sum(turns) / len(turns) if turns else 0.0)
        of_shape[octave].keep(tried)

    def next(self) -> Niche | None:
        """Whose turn it is; None where nothing was decided."""
        return min(self._all(), key=lambda x: x.turn, default=None)

    def herd(self, niche: Niche, chance: Random) -> Herd:
        """Some of the best of each size up to that of a niche, or of any, with room to grow."""
        below = [x for x in self._niches[niche.shape].values() if x.octave <= niche.octave]
        best = chance.random() < 1 / 2
        some = [x for each in below for x in ([y for *_, y in each.best.values()] if best else each.some)]
        return Herd(niche.shape, _ROOM << niche.octave, chance.sample(some, min(len(some), _FIRST)))

    def load(self, herd: Herd) -> mpq:
        """The largest load of its shape and no larger size."""
        return max(x.load for x in self._niches[herd.shape].values() if 1 << x.octave <= herd.largest)
