"""BlanketHistogram: the counts that are shown, and a blanket of random slots over all labels, so that delta is 0."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from attrs import field, frozen

from finitedp.claim import Cost, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import short
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.universe import Universe, as_universe, indexed
from finitedp.impl.randomness.coins import Coins

__all__ = ["BlanketHistogram", "draw"]

T = TypeVar("T")
Pairs = tuple[tuple[int, int], ...]


def draw(plan: BlanketPlan, counts: Mapping[int, int], coins: Coins) -> Pairs | None:
    """The pairs (label, count) of one release, by increasing label, phantoms among them; None where it is withheld.

    One word of B bits for each of n rows, label by label, of which the last of a label is its noise; G words of h bits, whose
    number below q is N; labels and counts of L slots, of which the first N are used.

    Source: FD.Blanket.law. Parameters: counts, at least 1, of labels in 0..2^k-1; at most n rows.
    Cost: the same draws for all data and results: n of B bits, G of h bits, L of k bits and L of C bits.
    """
    shown = _shown(plan, counts, coins)
    number = sum(coins.bits(plan.hit_bits) < plan.hit for _ in range(plan.slots))
    labels = [coins.bits(plan.label_bits) for _ in range(plan.cap)]
    words = [coins.bits(plan.count_bits) for _ in range(plan.cap)]
    if len(shown) + number > plan.cap:
        return None
    held: dict[int, int] = {}
    for label, word in zip(labels[:number], words[:number], strict=True):
        if int(label) not in counts and int(label) not in held:
            held[int(label)] = plan.b + 1 + plan.counts.place(word)
    return tuple(sorted((*shown, *((label, int(v)) for label, v in held.items()))))


def _shown(plan: BlanketPlan, counts: Mapping[int, int], coins: Coins) -> list[tuple[int, int]]:
    """The labels whose noisy counts are above b. Cost: n draws."""
    shown, rows = list[tuple[int, int]](), sum(counts.values())
    for label in sorted(counts):
        words = [coins.bits(plan.mechanism.word) for _ in range(counts[label])]
        noisy = plan.mechanism.apply(counts[label], 1 + words[-1])
        if noisy > plan.b:
            shown.append((label, int(noisy)))
    for _ in range(plan.n - rows):
        coins.bits(plan.mechanism.word)
    return shown


@frozen
class BlanketHistogram(Generic[T]):
    """Noisy counts of labels that occur, and of few that do not, with pure differential privacy, in linear time.

    Source: FD.Blanket.law, FD.Blanket.private. With noise below b nothing is shown; where it is shown could tell that a label
    occurs, and a few random labels with random counts hide that.
    Parameters: plan; universe, all of X: a universe, a range or another sequence of distinct labels, of the plan's size.
    Raises: ParameterError for a universe of another size.
    """

    plan: BlanketPlan
    universe: Universe[T] = field(converter=as_universe)

    def __attrs_post_init__(self) -> None:
        if self.universe.size != self.plan.size:
            raise ParameterError(
                f"the universe has {short(self.universe.size)} labels, the plan is for {short(self.plan.size)}"
            )

    def release(self, data: Iterable[T], coins: Coins) -> tuple[tuple[T, int], ...]:
        """The pairs (x, noisy count) that are kept, in the order of the universe; none where the release is withheld.

        Raises: DataError for a row outside of the universe or more than n rows.
        """
        return self.release_counts(Counter(data), coins)

    def release_counts(self, counts: Mapping[T, int], coins: Coins) -> tuple[tuple[T, int], ...]:
        """`release` for true counts that are known already; a label that is not listed has count 0."""
        drawn = draw(self.plan, indexed(counts, self.universe, self.plan.n), coins)
        return tuple((self.universe.label(x), v) for x, v in drawn or () if x < self.plan.size)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:  # words of bits are exact on all coins
        """(epsilon, 0), with the exact worst ratio that the plan allows. Source: FD.Blanket.private."""
        return self.plan.claim()

    def cost(self) -> Cost:
        """Draws and bits, the same for all data and results; no comparison is counted. Source: FD.Blanket.work."""
        plan = self.plan
        bits = plan.n * plan.mechanism.word + plan.slots * plan.hit_bits + plan.cap * (plan.label_bits + plan.count_bits)
        return Cost(plan.n + plan.slots + 2 * plan.cap, bits, plan.slots)
