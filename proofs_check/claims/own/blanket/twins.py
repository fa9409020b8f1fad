"""Broken copies of BlanketHistogram, read literally, which the checks must reject by name.

Each overrides the one step that it breaks. Those of the first part are as private as what they copy, or nearly: only equality
of laws finds them. Those of the second part are not private as claimed.
"""

from collections.abc import Mapping

from finitedp.proofs_check.claims.own.blanket.slots import Pairs, Release, Slots
from finitedp.proofs_check.ledger.entry import but
from finitedp.spec.pmf import Pmf

# Private, and of another law


class NotShown(Slots):
    """A label of a slot is released where it is not shown, though it occurs."""

    def joined(self, present: frozenset[int], shown: Mapping[int, int], blanket: Mapping[int, int]) -> Release:
        return tuple(sorted([*shown.items(), *((x, v) for x, v in blanket.items() if x not in shown)]))


class BlanketWins(Slots):
    """A slot's count stands in place of the one that is shown."""

    def joined(self, present: frozenset[int], shown: Mapping[int, int], blanket: Mapping[int, int]) -> Release:
        fresh = {x: v for x, v in blanket.items() if x not in present or x in shown}
        return tuple(sorted((dict(shown) | fresh).items()))


class LastSlot(Slots):
    """The last of two counts of one label: the same law, by another slot."""

    def merged(self, earlier: int, later: int) -> int:
        return later


class DistinctSlots(Slots):
    """No label twice: one that comes again is drawn again."""

    def labels(self, present: frozenset[int], earlier: tuple[int, ...]) -> Pmf[int]:
        return Pmf.uniform([x for x in range(self.numbers.indices) if x not in earlier] or [0])


class CapOnLabels(Slots):
    """The cap counts the labels that would be released."""

    def too_many(self, shown: Mapping[int, int], number: int) -> bool:
        return False

    def refused(self, present: frozenset[int], shown: Mapping[int, int], slots: Pairs) -> bool:
        return len({*shown, *(x for x, _ in slots if x not in present)}) > self.numbers.cap


# Not private as claimed


class ShownFirst(Slots):
    """What is shown is listed before the blanket."""

    def joined(self, present: frozenset[int], shown: Mapping[int, int], blanket: Mapping[int, int]) -> Release:
        return (*sorted(shown.items()), *sorted((x, v) for x, v in blanket.items() if x not in present))


class SlotsOutside(Slots):
    """The labels of slots are drawn from those that do not occur."""

    def labels(self, present: frozenset[int], earlier: tuple[int, ...]) -> Pmf[int]:
        return Pmf.uniform([x for x in range(self.numbers.indices) if x not in present])


OTHER_LAW: dict[str, type[Slots]] = {
    "hit at <= q": but(Slots, below=property(lambda self: self.numbers.q + 1)),
    "withheld at >= L": but(Slots, too_many=lambda self, shown, number: len(shown) + number >= self.numbers.cap),
    "x not shown for x not in A": NotShown,
    "the blanket wins": BlanketWins,
    "the larger of two equal slots": but(Slots, merged=lambda self, earlier, later: max(earlier, later)),
    "the sum of two equal slots": but(Slots, merged=lambda self, earlier, later: min(earlier + later, self.numbers.n)),
    "distinct slots": DistinctSlots,
    "counts as from M(0)": but(Slots, counts=lambda self: self.noise(0).given(lambda v: v > self.numbers.b)),
    "uniform counts": but(Slots, counts=lambda self: Pmf.uniform(range(self.numbers.b + 1, self.numbers.n + 1))),
    "cap on |T|": CapOnLabels,
    "a hit in A withholds": but(Slots, refused=lambda self, present, _shown, slots: any(x in present for x, _ in slots)),
    "two equal slots withhold": but(
        Slots, refused=lambda self, _present, _shown, slots: len({x for x, _ in slots}) < len(slots)
    ),
    "N cut to min(N, L)": but(Slots, first=lambda self, hits: min(hits, self.numbers.cap)),
}
NOT_PRIVATE: dict[str, type[Slots]] = {
    ">= b for rows": but(Slots, shows=lambda self, value: value >= self.numbers.b),
    "blanket from b": but(
        Slots, counts=lambda self: Pmf({self.numbers.b + i: weight for i, weight in enumerate((1, *self.numbers.t))})
    ),
    "shown listed first": ShownFirst,
    "all counts b + 1": but(Slots, counts=lambda self: Pmf.point(self.numbers.b + 1)),
    "cap on N alone": but(Slots, too_many=lambda self, _shown, number: number > self.numbers.cap),
    "full: only what is shown": but(Slots, overfull=lambda self, shown: tuple(sorted(shown.items()))),
    "no cap": but(Slots, too_many=lambda self, _shown, _number: False),
    "slots outside A": SlotsOutside,
}
