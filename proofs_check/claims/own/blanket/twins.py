"""Broken copies of BlanketHistogram, read literally, which the checks must reject by name.

Each overrides the one step that it breaks. Those of the first part are as private as what they copy, or nearly: only equality
of laws finds them. Those of the second part are not private as claimed.
"""

from collections.abc import Mapping
from functools import cached_property

from finitedp.proofs_check.claims.own.blanket.slots import Pairs, Release, Slots
from finitedp.spec.pmf import Pmf

# Private, and of another law


class HitAtQ(Slots):
    """A word equal to q hits as well."""

    @cached_property
    def below(self) -> int:
        return self.numbers.q + 1


class WithheldAtCap(Slots):
    """Withheld where as many labels and slots as the cap come together."""

    def too_many(self, shown: Mapping[int, int], number: int) -> bool:
        return len(shown) + number >= self.numbers.cap


class NotShown(Slots):
    """A label of a slot is released where it is not shown, though it occurs."""

    def joined(self, present: frozenset[int], shown: Mapping[int, int], blanket: Mapping[int, int]) -> Release:
        return tuple(sorted([*shown.items(), *((x, v) for x, v in blanket.items() if x not in shown)]))


class BlanketWins(Slots):
    """A slot's count stands in place of the one that is shown."""

    def joined(self, present: frozenset[int], shown: Mapping[int, int], blanket: Mapping[int, int]) -> Release:
        fresh = {x: v for x, v in blanket.items() if x not in present or x in shown}
        return tuple(sorted((dict(shown) | fresh).items()))


class LargerSlot(Slots):
    """The larger of two counts of one label."""

    def merged(self, earlier: int, later: int) -> int:
        return max(earlier, later)


class LastSlot(Slots):
    """The last of two counts of one label: the same law, by another slot."""

    def merged(self, earlier: int, later: int) -> int:
        return later


class SumOfSlots(Slots):
    """The sum of two counts of one label."""

    def merged(self, earlier: int, later: int) -> int:
        return min(earlier + later, self.numbers.n)


class DistinctSlots(Slots):
    """No label twice: one that comes again is drawn again."""

    def labels(self, present: frozenset[int], earlier: tuple[int, ...]) -> Pmf[int]:
        return Pmf.uniform([x for x in range(self.numbers.indices) if x not in earlier] or [0])


class CountsOfNone(Slots):
    """The counts of slots are those that a label without rows would show."""

    def counts(self) -> Pmf[int]:
        return self.noise(0).given(lambda v: v > self.numbers.b)


class UniformCounts(Slots):
    """The counts of slots are uniform."""

    def counts(self) -> Pmf[int]:
        return Pmf.uniform(range(self.numbers.b + 1, self.numbers.n + 1))


class CapOnLabels(Slots):
    """The cap counts the labels that would be released."""

    def too_many(self, shown: Mapping[int, int], number: int) -> bool:
        return False

    def refused(self, present: frozenset[int], shown: Mapping[int, int], slots: Pairs) -> bool:
        return len({*shown, *(x for x, _ in slots if x not in present)}) > self.numbers.cap


class HitOnRowWithholds(Slots):
    """A slot with a label that occurs withholds the release."""

    def refused(self, present: frozenset[int], shown: Mapping[int, int], slots: Pairs) -> bool:
        return any(x in present for x, _ in slots)


class EqualSlotsWithhold(Slots):
    """Two slots with one label withhold the release."""

    def refused(self, present: frozenset[int], shown: Mapping[int, int], slots: Pairs) -> bool:
        return len({x for x, _ in slots}) < len(slots)


class HitsCut(Slots):
    """More hits than the cap count as the cap."""

    def first(self, hits: int) -> int:
        return min(hits, self.numbers.cap)


# Not private as claimed


class ShownAtThreshold(Slots):
    """A label that occurs is shown at b, too."""

    def shows(self, value: int) -> bool:
        return value >= self.numbers.b


class BlanketFromThreshold(Slots):
    """The counts of slots begin at b."""

    def counts(self) -> Pmf[int]:
        return Pmf({self.numbers.b + i: weight for i, weight in enumerate((1, *self.numbers.t))})


class ShownFirst(Slots):
    """What is shown is listed before the blanket."""

    def joined(self, present: frozenset[int], shown: Mapping[int, int], blanket: Mapping[int, int]) -> Release:
        return (*sorted(shown.items()), *sorted((x, v) for x, v in blanket.items() if x not in present))


class AllCountsLeast(Slots):
    """All slots have the count b + 1."""

    def counts(self) -> Pmf[int]:
        return Pmf.point(self.numbers.b + 1)


class CapOnHits(Slots):
    """The cap counts the hits alone."""

    def too_many(self, shown: Mapping[int, int], number: int) -> bool:
        return number > self.numbers.cap


class FullOnlyShown(Slots):
    """Where the cap is exceeded, what is shown is released without a blanket."""

    def overfull(self, shown: Mapping[int, int]) -> Release:
        return tuple(sorted(shown.items()))


class NoCap(Slots):
    """All slots that hit are the blanket, and nothing is withheld."""

    def too_many(self, shown: Mapping[int, int], number: int) -> bool:
        return False


class SlotsOutside(Slots):
    """The labels of slots are drawn from those that do not occur."""

    def labels(self, present: frozenset[int], earlier: tuple[int, ...]) -> Pmf[int]:
        return Pmf.uniform([x for x in range(self.numbers.indices) if x not in present])


OTHER_LAW: dict[str, type[Slots]] = {
    "hit at <= q": HitAtQ,
    "withheld at >= L": WithheldAtCap,
    "x not shown for x not in A": NotShown,
    "the blanket wins": BlanketWins,
    "the larger of two equal slots": LargerSlot,
    "the sum of two equal slots": SumOfSlots,
    "distinct slots": DistinctSlots,
    "counts as from M(0)": CountsOfNone,
    "uniform counts": UniformCounts,
    "cap on |T|": CapOnLabels,
    "a hit in A withholds": HitOnRowWithholds,
    "two equal slots withhold": EqualSlotsWithhold,
    "N cut to min(N, L)": HitsCut,
}
NOT_PRIVATE: dict[str, type[Slots]] = {
    ">= b for rows": ShownAtThreshold,
    "blanket from b": BlanketFromThreshold,
    "shown listed first": ShownFirst,
    "all counts b + 1": AllCountsLeast,
    "cap on N alone": CapOnHits,
    "full: only what is shown": FullOnlyShown,
    "no cap": NoCap,
    "slots outside A": SlotsOutside,
}
