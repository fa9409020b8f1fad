"""BlanketHistogram: the counts that are shown, and a blanket of random slots over all labels, so that delta is 0."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from attrs import field, frozen

from finitedp.claim import Cost, PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.exact import short
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.universe import Universe, as_universe, indexed
from finitedp.impl.randomness.coins import Coins, UnusedDraws, checked_coins

__all__ = ["BlanketHistogram", "draw"]

T = TypeVar("T")
Pairs = tuple[tuple[int, int], ...]


def draw(plan: BlanketPlan, counts: Mapping[int, int], coins: Coins) -> Pairs | None:
    """The pairs (label, count) of one release, by increasing label, phantoms among them; None where it is withheld.

    One word of B bits for each of n rows, label by label, of which the last of a label is its noise; G words of h bits, whose
    number below q is N; labels and counts of L slots, of which the first N are used. The others are drawn and looked up, too:
    N and the release together are not private, so that N must not show in the time.

    Source: FD.Blanket.law. Parameters: counts, at least 1, of labels in 0..2^k-1; at most n rows.
    Cost: the same draws for all data and results: n of B bits, G of h bits, L of k bits, L of C bits; n look-ups of noise and
    L of counts, of which those that are not used are of one fixed word.
    """
    shown = _shown(plan, counts, checked_coins(coins))
    number = sum(coins.bits(plan.hit_bits) < plan.hit for _ in range(plan.slots))
    withheld = len(shown) + number > plan.cap
    used = [i < number and not withheld for i in range(plan.cap)]
    labels = [UnusedDraws(coins, each).bits(plan.label_bits) for each in used]
    words = [UnusedDraws(coins, each).bits(plan.count_bits) for each in used]
    held, spare = dict[int, int](), dict[int, int]()
    for each, drawn, word in zip(used, labels, words, strict=True):
        label, v = int(drawn), plan.b + 1 + plan.counts.place(word)
        fresh = (label not in counts) & (label not in held) & each
        (spare, held)[fresh][label] = int(v)
    pairs = tuple(sorted((*shown, *held.items())))
    return None if withheld else pairs


def _shown(plan: BlanketPlan, counts: Mapping[int, int], coins: Coins) -> list[tuple[int, int]]:
    """The labels whose noisy counts are above b. Cost: n draws, and as many look-ups."""
    every = [(label, counts[label] * last) for label in sorted(counts) for last in _last_of(counts[label])]
    every += [(0, 0)] * (plan.n - len(every))
    shown, spare = list[tuple[int, int]](), list[tuple[int, int]]()
    for label, count in every:
        noisy = plan.mechanism.apply(count, 1 + UnusedDraws(coins, count > 0).bits(plan.mechanism.word))
        large = (count > 0) & (noisy > plan.b)
        (spare, shown)[large].append((label, int(noisy)))
    return shown


def _last_of(count: int) -> list[bool]:
    """Which of so many rows is the last one."""
    return [False] * (count - 1) + [True]


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
        try:
            counts = Counter(data)
        except TypeError as error:
            raise DataError(f"the rows are no labels that can be counted: {error}; accepted: labels of the universe") from None
        return self.release_counts(counts, coins)

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
