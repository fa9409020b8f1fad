"""The instances from which a hunt goes uphill: the best of all, the best of each size and shape, and some of any."""

from bisect import insort
from random import Random
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.instances import size
from finitedp.proofs_check.hunting.moves import Shape, changed, coordinates, further
from finitedp.proofs_check.hunting.seen import Tried

__all__ = ["Best"]

_BEST, _BEST_OF_NICHE, _KEPT, _MOST_SHAPES = 10, 3, 200, 30
_STARTS = ("any", "best", "niche", "niche", "niche", "niche")
_FROM_SMALLER = 0.7
"""The part of the differences of two that are of an instance and a smaller one."""
_Ranked = tuple[mpq, int, int, Tried]


def _rank(ranked: list[_Ranked], tried: _Ranked, most: int) -> None:
    if len(ranked) < most or tried[:3] < ranked[-1][:3]:
        insort(ranked, tried, key=lambda x: x[:3])
        del ranked[most:]


class Best:
    """What was decided, by its load, and how long was gone uphill from each size."""

    def __init__(self) -> None:
        self.pool: list[Tried] = []
        self._best: list[_Ranked] = []
        self._niches: dict[int, dict[Shape, list[_Ranked]]] = {}
        self._spent: dict[int, float] = {}

    def keep(self, tried: Tried, count: int) -> None:
        """Keep an instance that was decided as the count-th."""
        _rank(self._best, (-tried.load, tried.size, count, tried), _BEST)
        octave = tried.size.bit_length()
        of_size = 4 * octave + (tried.size << 2 >> octave)
        self._spent.setdefault(of_size, 0.0)
        niches = self._niches.setdefault(of_size, {})
        _rank(niches.setdefault(coordinates(tried.instance).shape, []), (-tried.load, count, 0, tried), _BEST_OF_NICHE)
        if len(niches) > _MOST_SHAPES:
            del niches[max(niches, key=lambda shape: niches[shape][0][:2])]
        if len(self.pool) < _KEPT:
            self.pool.append(tried)
        else:
            self.pool[count * 7919 % _KEPT] = tried

    def start(self, chance: Random) -> tuple[Tried, int | None]:
        """An instance to go uphill from; and its size, where it is the turn of that size."""
        way = chance.choice(_STARTS)
        if way == "any":
            return min(chance.choices(self.pool, k=2), key=lambda x: x.size), None
        if way == "best":
            return chance.choice(self._best)[-1], None
        of_size = min(self._spent, key=lambda of: self._spent[of])
        return self._of_niche(of_size, chance), of_size

    def spend(self, of_size: int, seconds: float) -> None:
        """Count time of a size: of twice the size, half of the time is its turn."""
        self._spent[of_size] += seconds * 2 ** (of_size // 4)

    def _of_niche(self, of_size: int, chance: Random) -> Tried:
        """One of the best of a size: of all shapes, of the simplest ones, or of any."""
        niches, way = self._niches[of_size], chance.randrange(4)
        if way == 0:
            shapes = sorted(niches, key=lambda shape: niches[shape][0][:2])[:3]
        elif way == 1:
            shapes = list(niches)
        else:
            shapes = sorted(niches, key=lambda shape: (sum(max(1, 2 * runs) for _, runs in shape), niches[shape][0][:2]))[:6]
        return chance.choice(niches[chance.choice(shapes)])[-1]

    def further(self, instance: Any, chance: Random) -> Any:  # noqa: ANN401  # an instance of any kind
        """Moved along the difference of two of its shape, each the best of its size; of itself and a smaller one, mostly."""
        shape, bits = coordinates(instance).shape, size(instance)
        best = [self._niches[of][shape][0][-1] for of in sorted(self._niches) if shape in self._niches[of]]
        one, other = (x.instance for x in chance.sample(best, 2))
        if chance.random() < _FROM_SMALLER:
            one, other = instance, chance.choice([x for x in best if x.size < bits][-4:]).instance
        made = further(instance, one, other, chance)
        return made if chance.random() < 2 / 3 else changed(made, chance)
