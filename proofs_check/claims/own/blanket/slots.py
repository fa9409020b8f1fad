"""BlanketHistogram read literally: every noisy count, every slot, every label and every count of a slot, one after the other.

Nothing here knows the closed form. The steps are methods, so that a broken copy overrides the one step that it breaks; some
take what only a broken copy looks at.
"""

from collections.abc import Mapping
from functools import cached_property
from itertools import product
from typing import NamedTuple

from attrs import frozen
from gmpy2 import mpq, mpz

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.ledger.entry import in_scope
from finitedp.spec import dyadic
from finitedp.spec.pmf import Pmf

Pairs = tuple[tuple[int, int], ...]
Release = Pairs | None
WITHHELD = None
"""What is released in place of labels and counts where there are too many: kept apart from the empty release."""


class Numbers(NamedTuple):
    """The public numbers of a BlanketHistogram: |X|, w_0, ..., w_n and R, b, L, G, q of 2^h, t_(b+1), ..., t_n."""

    size: int
    weights: tuple[int, ...]
    ratio: mpq
    b: int
    cap: int
    slots: int
    q: int
    h: int
    t: tuple[int, ...]

    def __str__(self) -> str:
        where = f"|X|={self.size}, w={self.weights}, R={self.ratio}, b={self.b}, L={self.cap}, G={self.slots}"
        return f"{where}, q={self.q} of 2^{self.h}, t={self.t}"

    @property
    def n(self) -> int:
        """The bound on the number of rows."""
        return len(self.weights) - 1

    @property
    def word(self) -> int:
        """B: the bits of a noisy count's word."""
        return (self.weights[0] + 2 * sum(self.weights[1:])).bit_length() - 1

    @property
    def bits(self) -> int:
        """k: the bits of a label."""
        return (self.size - 1).bit_length()

    @property
    def indices(self) -> int:
        """D = 2^k: the labels, and the phantoms behind them."""
        return 1 << self.bits

    @property
    def count_bits(self) -> int:
        """C: the bits of a slot's count."""
        return sum(self.t).bit_length() - 1


LEAST = Numbers(3, (4, 3, 11), mpq(3), 0, 1, 2, 2, 2, (1, 3))
THREE = Numbers(3, (42, 23, 16, 68), mpq(5), 1, 2, 3, 14, 5, (1, 3))
"""n >= 3, b <= n - 2, L >= 2, |X| no power of two: where the broken copies that are private differ."""


def check_numbers(numbers: Numbers) -> None:
    """Raises: OutOfScopeError where they are none of a BlanketHistogram, whether it is private or not."""
    n, total = numbers.n, numbers.weights[0] + 2 * sum(numbers.weights[1:])
    in_scope(n >= 1 and min(numbers.weights) >= 1 and total.bit_count() == 1, "weights w_0, ..., w_n of a word")
    in_scope(numbers.size >= 2 and 0 <= numbers.b < n and 1 <= numbers.cap < numbers.slots, "|X| >= 2, b < n, L < G")
    in_scope(numbers.h >= 1 and 0 <= numbers.q <= 1 << numbers.h, "q of 2^h words that hit")
    in_scope(len(numbers.t) == n - numbers.b and min(numbers.t) >= 1, "counts of slots for b + 1, ..., n")
    in_scope(sum(numbers.t).bit_count() == 1, "counts of slots by a word")


@frozen(slots=False)
class Slots:
    """The mechanism by its text, as laws of what is drawn and a function of it."""

    numbers: Numbers

    # What is drawn

    def noise(self, count: int) -> Pmf[int]:
        return dyadic.law(self.numbers.weights, count)

    @cached_property
    def below(self) -> int:
        """How many words of a slot are hits."""
        return self.numbers.q

    @cached_property
    def hits(self) -> Pmf[int]:
        """How many of the slots are hits: over all patterns of hits and misses."""
        whole, weights = 1 << self.numbers.h, dict[int, int]()
        for pattern in product((True, False), repeat=self.numbers.slots):
            mass: int = mpz(1)
            for hit in pattern:
                mass *= self.below if hit else whole - self.below
            weights[sum(pattern)] = weights.get(sum(pattern), 0) + mass
        return Pmf(weights)

    def labels(self, present: frozenset[int], earlier: tuple[int, ...]) -> Pmf[int]:
        return Pmf.uniform(range(self.numbers.indices))

    def counts(self) -> Pmf[int]:
        return Pmf({self.numbers.b + 1 + i: weight for i, weight in enumerate(self.numbers.t)})

    # What is done with it

    def shows(self, value: int) -> bool:
        """Whether a label that occurs is shown with a noisy count."""
        return value > self.numbers.b

    def first(self, hits: int) -> int:
        """How many of the slots are the blanket."""
        return hits

    def too_many(self, shown: Mapping[int, int], number: int) -> bool:
        """Whether the release is withheld for the number of slots."""
        return len(shown) + number > self.numbers.cap

    def merged(self, earlier: int, later: int) -> int:
        """The count of a label that two slots have."""
        return earlier

    def joined(self, present: frozenset[int], shown: Mapping[int, int], blanket: Mapping[int, int]) -> Release:
        """What is released of what is shown and the blanket's labels with their counts."""
        return tuple(sorted([*shown.items(), *((x, v) for x, v in blanket.items() if x not in present)]))

    def refused(self, present: frozenset[int], shown: Mapping[int, int], slots: Pairs) -> bool:
        """Whether the release is withheld for what the slots are."""
        return False

    # The law

    def blankets(self, present: frozenset[int], number: int) -> dict[Pairs, mpq]:
        """The law of so many slots, as sequences of labels and counts."""
        law: dict[Pairs, mpq] = {(): mpq(1)}
        counts = self.counts()
        for _ in range(number):
            longer: dict[Pairs, mpq] = {}
            for slots, mass in law.items():
                labels = self.labels(present, tuple(x for x, _ in slots))
                for x, v in product(labels, counts):
                    longer[(*slots, (x, v))] = mass * labels[x] * counts[v]
            law = longer
        return law

    def overfull(self, shown: Mapping[int, int]) -> Release:
        """What is released where there are too many."""
        return WITHHELD

    def outcome(self, present: frozenset[int], shown: Mapping[int, int], slots: Pairs) -> Release:
        if self.too_many(shown, len(slots)):
            return self.overfull(shown)
        if self.refused(present, shown, slots):
            return WITHHELD
        blanket: dict[int, int] = {}
        for x, v in slots:
            blanket[x] = self.merged(blanket[x], v) if x in blanket else v
        return self.joined(present, shown, blanket)

    def law(self, data: Mapping[int, int]) -> Pmf[Release]:
        """The exact law of the release, phantoms included. Parameters: data, the counts of the labels that occur."""
        present, found, most = frozenset(data), dict[Release, mpq](), self._most
        noisy = [self.noise(count) for count in data.values()]
        numbers = self.hits.pushforward(self.first)
        parts = {number: self.blankets(present, number) for number in numbers if number <= most}
        for values in product(*noisy):
            shown = {x: v for x, v in zip(data, values, strict=True) if self.shows(v)}
            mass = mpq(1)
            for law, v in zip(noisy, values, strict=True):
                mass *= law[v]
            for number in numbers:
                slots = parts[number].items() if number <= most else [((), mpq(1))]
                for held, chance in slots:
                    release = self.outcome(present, shown, held) if number <= most else self.overfull(shown)
                    found[release] = found.get(release, mpq(0)) + mass * numbers[number] * chance
        return Pmf.from_probabilities(found)

    def draw(self, data: Mapping[int, int], coins: Coins) -> Release:
        """The same steps on coins: the labels that occur, all words of slots, and labels and counts of those that hit."""
        present = frozenset(data)
        noisy = {x: _drawn(self.noise(count), coins) for x, count in data.items()}
        shown = {x: v for x, v in noisy.items() if self.shows(v)}
        number = self.first(sum(coins.bits(self.numbers.h) < self.below for _ in range(self.numbers.slots)))
        if number > self._most:
            return self.overfull(shown)
        slots: Pairs = ()
        for _ in range(number):
            x = _drawn(self.labels(present, tuple(x for x, _ in slots)), coins)
            slots = (*slots, (x, _drawn(self.counts(), coins)))
        return self.outcome(present, shown, slots)

    @cached_property
    def _most(self) -> int:
        """The largest number of slots that is not too many for all data: what more of them hold is not looked at."""
        return max(number for number in range(self.numbers.slots + 1) if not self.too_many({}, number))


def _drawn(law: Pmf[int], coins: Coins) -> int:
    """A draw from the law, by comparisons."""
    u, below = coins.uniform(int(law.total)), 0
    *others, last = law
    for x in others:
        below += law.weight(x)
        if u <= below:
            return x
    return last
