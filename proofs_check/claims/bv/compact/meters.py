"""Fields that count their products, so that the cost of running code is counted and never timed."""

from typing import Any

from attrs import field, frozen

from finitedp.impl.arithmetic.field import Field, Slots
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.compact_release import CompactRelease


@frozen(slots=False)
class MeteredSlots(Slots):
    """Slots that note the bits of the elements of each product."""

    tally: list[int] = field(factory=list, eq=False)

    def product(self, left: int, right: int) -> int:
        self.tally.append(self.bits)
        return super().product(left, right)


@frozen(slots=False)
class MeteredField(Field):
    """A field whose products are counted."""

    tally: list[int] = field(factory=list, eq=False)

    def slots(self, width: int) -> Slots:
        """Counting slots."""
        return MeteredSlots(self.level, super().slots(width).size, self.tally)


def metered(holder: CompactHistogram[Any] | CompactRelease[Any]) -> list[int]:
    """The tally of the field products that an object makes from now on."""
    found = MeteredField(holder.level)
    vars(holder)["base"] = found
    return found.tally
