"""PanPrivateHistogram: a state of noisy registers that a stream is counted into, private at every time.

A register holds cyclic noise plus its count, modulo m: its law at any time is a translate of the table v_0, ..., v_{m-1}, so
that one event more or less changes every probability by a factor of at most R, exactly. A register of bounded noise that is
not cyclic has an infinite ratio.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, positive_epsilon, ratio_below
from finitedp.impl.histograms.basic import distinct_labels
from finitedp.impl.randomness.coins import Coins, checked_coins
from finitedp.labels import shown

__all__ = ["LARGEST_MODULUS", "CyclicTable", "PanPrivateHistogram", "cyclic_table"]

LARGEST_MODULUS = 1 << 22
_TRIES = 256  # centres


@frozen(slots=False)
class CyclicTable:
    """Integers v_0, ..., v_{m-1} >= 1 with v_d = v_{m-d}, the sum 2^bits, and neighbours on the cycle within a factor of R.

    Raises: ClaimError where that does not hold.
    """

    ratio: mpq
    bits: int
    weights: tuple[int, ...] = field(repr=False)

    def __attrs_post_init__(self) -> None:
        p, q, v, m = self.ratio.numerator, self.ratio.denominator, self.weights, len(self.weights)
        for d in range(m):
            a, b = v[d - 1], v[d]
            if min(a, b) < 1 or a * q > p * b or b * q > p * a:
                raise ClaimError(f"the cyclic table is not private: v_{(d - 1) % m} and v_{d} are more than R apart")
            if b != v[-d % m]:
                raise ClaimError(f"the cyclic table is not symmetric: v_{d} is not v_{-d % m}")
        if sum(v) != 1 << self.bits:
            raise ClaimError(f"the weights sum to {sum(v)}, not to 2^{self.bits}")

    @property
    def m(self) -> int:
        """The modulus."""
        return len(self.weights)

    @cached_property
    def _sums(self) -> tuple[int, ...]:
        return tuple(accumulate(self.weights))

    def draw(self, coins: Coins) -> int:
        """Noise in 0..m-1: d with probability v_d / 2^bits. Cost: coins.bits(bits), and as many comparisons for each."""
        return least_reaching(self._sums.__getitem__, self.m - 1, 1 + checked_coins(coins).bits(self.bits))


def cyclic_table(m: int, epsilon: RationalLike, bits: int = 64) -> CyclicTable:
    """The cyclic table with the largest centre whose ratio R is at most e^epsilon. Source: GK.pan.table.

    From the centre outward each weight is the least that R allows; what is left over of 2^bits is put on by ones, from the
    antipode inward. Parameters: m >= 4, the modulus, even; epsilon > 0; bits in 2..256.
    Raises: ParameterError where none is found.
    """
    size, word = _modulus(m), integer(bits, "word", 2, LARGEST_WORD)
    ratio = ratio_below(2 * positive_epsilon(epsilon), word)
    total = 1 << word
    low, high = 0, total + 1  # a centre of `low` fits (0: none does), one of `high` does not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _mass(_half(middle, ratio, size)) <= total else (low, middle)
    if not low:
        raise ParameterError(_none(size, epsilon, word))
    for centre in range(low, max(low - _TRIES, 0), -1):  # where no ones fit, a lower centre leaves more of them
        half = _half(centre, ratio, size)
        if _spread(half, total - _mass(half), ratio):
            return CyclicTable(ratio, word, (*half, *reversed(half[1:-1])))
    raise ParameterError(_none(size, epsilon, word))


def _none(m: int, epsilon: RationalLike, word: int) -> str:
    return f"no cyclic table of {word} bits was found for m = {m}, epsilon = {epsilon}; accepted: more bits, a larger epsilon"


def _half(centre: int, ratio: mpq, m: int) -> list[int]:
    """v_0, ..., v_{m/2}: each the least that R allows behind the one before, which from some place on is that one itself."""
    p, q = ratio.numerator, ratio.denominator
    weights = [centre]
    while len(weights) <= m // 2:
        least = int(-(-weights[-1] * q // p))
        weights += [least] * (1 if least < weights[-1] else m // 2 + 1 - len(weights))
    return weights


def _mass(half: Sequence[int]) -> int:
    """The sum over the whole cycle: all but v_0 and the antipode are there twice."""
    return 2 * sum(half) - half[0] - half[-1]


def _spread(half: list[int], left: int, ratio: mpq) -> bool:
    """Put ones onto the weights, from the antipode inward, as often as it goes; whether that uses all that is left over."""
    last = len(half) - 1
    if left % 2 and _may_rise(half, last, ratio):  # the antipode is there once
        half[last] += 1
        left -= 1
    moved = True
    while left > 1 and moved:
        moved = False
        for place in range(last - 1, 0, -1):
            if left > 1 and _may_rise(half, place, ratio):
                half[place] += 1
                left, moved = left - 2, True
        if (
            left > 1
            and _may_rise(half, last, ratio)
            and (half[last] + 2) * ratio.denominator <= ratio.numerator * half[last - 1]
        ):
            half[last] += 2
            left, moved = left - 2, True
    return left == 0


def _may_rise(half: Sequence[int], place: int, ratio: mpq) -> bool:
    """Whether one more on a weight leaves it within R of the weights next to it."""
    around = [half[i] for i in (place - 1, place + 1) if 0 <= i < len(half)]
    return all((half[place] + 1) * ratio.denominator <= ratio.numerator * other for other in around)


State = list[int]


def _labels(value: Iterable[Hashable]) -> Sequence[Hashable]:
    return distinct_labels(value)


def _events(value: int) -> int:
    return int(integer(value, "n", at_least=1))


def _modulus(value: int) -> int:
    m = int(integer(value, "m", 4, LARGEST_MODULUS))
    if m % 2:
        raise ParameterError(f"m = {m} is odd; accepted: an even modulus, whose antipode is one place")
    return m


@frozen(slots=False)
class PanPrivateHistogram:
    """Registers of the labels, modulo m, that a stream is counted into; one look at them, and the output, are private.

    Source: GK.pan.private. Parameters: labels, all of them; n >= 1, the public bound of the number of events; epsilon > 0 for
    one event more or less; word, the bits of a draw; m, the modulus, by default the least even one above 4n + 8.
    Raises: ParameterError.
    """

    labels: Sequence[Hashable] = field(converter=_labels)
    n: int = field(converter=_events)
    epsilon: mpq = field(converter=positive_epsilon)
    word: int = field(default=64)
    m: int = field(converter=_modulus)

    @m.default
    def _default_modulus(self) -> int:
        return 4 * self.n + 10

    def __attrs_post_init__(self) -> None:
        if self.m < self.n + 3:
            raise ParameterError(
                f"m = {self.m} is too small for n = {self.n}; accepted: at least n + 3, so that counts differ"
            )
        _ = self.table  # refuses parameters without a table

    @cached_property
    def table(self) -> CyclicTable:
        """The noise of the registers, and again of the output."""
        return cyclic_table(self.m, self.epsilon, self.word)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {label: i for i, label in enumerate(self.labels)}

    def start(self, coins: Coins) -> State:
        """Fresh registers: noise alone. Cost: one word for each label."""
        return [self.table.draw(coins) for _ in self.labels]

    def update(self, state: State, label: Hashable) -> None:
        """Count one event into the state. Which register is written is outside of the claim. Raises: DataError."""
        place = self._places.get(label)
        if place is None:
            raise DataError(f"the label {shown(label)} is not one of the {len(self.labels)}")
        state[place] = (state[place] + 1) % self.m

    def output(self, state: State, coins: Coins) -> tuple[tuple[Hashable, int], ...]:
        """Each label's register with fresh noise, modulo m. Cost: one word for each label.

        The fresh noise is what keeps an earlier look at the state private: without it,
        the two values tell what was counted between.
        """
        return tuple((label, (s + self.table.draw(coins)) % self.m) for label, s in zip(self.labels, state, strict=True))

    def release(self, events: Iterable[Hashable], coins: Coins) -> tuple[tuple[Hashable, int], ...]:
        """The output after a whole stream. Raises: DataError for more than n events."""
        state = self.start(coins)
        for i, label in enumerate(events, start=1):
            if i > self.n:
                raise DataError(f"the stream has more than n = {self.n} events")
            self.update(state, label)
        return self.output(state, coins)

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:  # words of bits are exact on all coins
        """(epsilon, 0) for one event more or less, of the pair (state at ONE time, output): the ratio is R, not its square.

        A replaced event costs R^2. TWO looks at the state are not covered: their difference is the exact number of events
        between them, for each label. Source: GK.pan.private.
        """
        return PrivacyClaim(self.epsilon, "add-remove", ratio=self.table.ratio, source="GK.pan.private")

    def estimate(self, outputs: Iterable[int], r: int) -> mpq:
        """phi_{>=r}, from the outputs of all labels: g * g * 1[r, ..., A - 1] on the cycle, for the antipode A.

        Exactly unbiased for noise that is the wrapped geometric law of decay 1 / R, for all counts up to n. The bias of
        a table's noise follows from the definition, see GK.pan.estimate. Raises: DataError for a value outside of 0..m-1.
        """
        integer(r, "r", 1, self.n)
        values, total = self._values(r), mpq(0)
        for s in outputs:
            if not 0 <= s < self.m:
                raise DataError(f"the output {shown(s)} is out of range; accepted: 0 to {self.m - 1}")
            total += values.get(s, mpq(0))
        return total

    @property
    def antipode(self) -> int:
        """A: where counts that are too large begin to be taken for small ones, in the middle between n and m."""
        return self.n + 1 + (self.m - self.n - 1) // 2

    def _values(self, r: int) -> dict[int, mpq]:
        """The estimator's values other than 0."""
        p = mpq(1, self.table.ratio)
        k, centre = mpq(p, (1 - p) ** 2), mpq(1 + p * p, (1 - p) ** 2)
        values = {y: mpq(1) for y in range(r, self.antipode)}
        for _ in range(2):
            spread: dict[int, mpq] = {}
            for y, value in values.items():
                for place, weight in ((y - 1, -k), (y, centre), (y + 1, -k)):
                    spread[place % self.m] = spread.get(place % self.m, mpq(0)) + weight * value
            values = spread
        return values
