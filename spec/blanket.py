"""The law of BlanketHistogram: a sparse histogram whose noise on labels that do not occur is a blanket of random slots.

Labels are 0..D-1. Of a dataset with counts c_x >= 1 of the labels A that occur, x is shown with v = clamp(c_x + Z, 0, n) where
v > b. Of G slots each hits with probability q/2^h; the N that hit hold a uniform label and a count in b+1..n with
probability t_v/2^C each. If more than L labels are shown or slots hit, together, the release is withheld. Else it is what is
shown, and of the labels that the slots hold those that are not in A, each with the count of its first slot.

`law` is the closed form, `literal_law` goes through the steps above. `conditions` are the inequalities that make the removal
of one row change the probability of every output by a factor in [1/R, R]. See docs/blanket.md.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations, product
from math import comb, prod

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec import dyadic
from finitedp.spec.pmf import Pmf

__all__ = [
    "Blanket",
    "Outcome",
    "conditions",
    "invented",
    "law",
    "least_counts",
    "literal_law",
    "most_shown",
    "probability",
    "withheld",
]

Outcome = tuple[tuple[int, int], ...] | None
"""The pairs (label, count) that are released, by increasing label; None where the release is withheld."""

Data = Mapping[int, int]
"""The counts of the labels that occur, each at least 1."""


@frozen(slots=False)
class Blanket:
    """The public parameters.

    weights: w_0, ..., w_n of the noise, with w_0 + 2(w_1 + ... + w_n) = 2^B. b: counts up to it are not shown. cap: L.
    slots: G. hit: q/2^h. labels: D. counts: t_(b+1), ..., t_n. below: w_0, d_1, ..., d_n where noise downwards has weights of
    its own; then w_0 + ... + w_n + d_1 + ... + d_n = 2^B.
    Raises: ParameterError where these are not numbers of such a mechanism, whether private or not.
    """

    weights: tuple[int, ...]
    b: int
    cap: int
    slots: int
    hit: mpq
    labels: int
    counts: tuple[int, ...]
    below: tuple[int, ...] | None = None

    def __attrs_post_init__(self) -> None:
        if not (0 <= self.b < self.n and len(self.counts) == self.n - self.b):
            raise ParameterError(f"b = {self.b} and {len(self.counts)} counts do not fit to n = {self.n}")
        if not (min(self.counts) >= 0 and sum(self.counts) > 0 and 0 <= self.hit < 1 and min(self.cap, self.slots) >= 0):
            raise ParameterError("the counts, the hits, the cap or the slots are out of range")

    @property
    def n(self) -> int:
        """The largest number of rows."""
        return len(self.weights) - 1

    @cached_property
    def bins(self) -> tuple[Pmf[int], ...]:
        """The laws of clamp(c + Z, 0, n), for c = 0, ..., n."""
        if self.below is None:
            return tuple(dyadic.law(self.weights, count) for count in range(self.n + 1))
        up, down = dict(enumerate(self.weights)), {-j: weight for j, weight in enumerate(self.below)}
        return tuple(Pmf(up | down).shifted(count).clamped(0, self.n) for count in range(self.n + 1))

    def shown(self, count: int) -> mpq:
        """Pr[clamp(count + Z) > b]."""
        return self.bins[count].probability(lambda v: v > self.b)

    @property
    def sigma(self) -> mpq:
        """How often a label of one row is shown."""
        return self.shown(1)

    def tau(self, v: int) -> mpq:
        """How often a slot holds the count v: t_v/2^C."""
        return mpq(self.counts[v - self.b - 1], sum(self.counts)) if self.b < v <= self.n else mpq(0)

    @property
    def values(self) -> range:
        """The counts that are released: b+1..n."""
        return range(self.b + 1, self.n + 1)


def invented(blanket: Blanket) -> mpq:
    """How many slots hit on average. No more labels that do not occur are released, on average."""
    return blanket.slots * blanket.hit


def _hits(blanket: Blanket, number: int) -> mpq:
    """Pr[N = number]."""
    slots, hit = blanket.slots, blanket.hit
    return comb(slots, number) * hit**number * (1 - hit) ** (slots - number) if number <= slots else mpq(0)


def _sequences(length: int, new: int, old: int) -> int:
    """How many sequences over new + old labels hold every new label: inclusion and exclusion."""
    return sum((-1) ** (new - i) * comb(new, i) * (old + i) ** length for i in range(new + 1))


def _covered(blanket: Blanket, most: int, new: int, old: int) -> mpq:
    """F(most; new, old): at most so many slots hit, and they hold all of the new labels and else old ones only."""
    numbers = range(new, min(most, blanket.slots) + 1)
    return sum((_hits(blanket, k) * mpq(_sequences(k, new, old), blanket.labels**k) for k in numbers), mpq(0))


def probability(blanket: Blanket, data: Data, outcome: Outcome) -> mpq:
    """The probability of an outcome in closed form. Source: FD.Blanket.law.

    Parameters: data, counts of at least 1 of labels in 0..D-1, at most n in all.
    """
    _check(blanket, data)
    if outcome is None:
        return withheld(blanket, data)
    released = dict(outcome)
    kept, new = [x for x in released if x in data], [x for x in released if x not in data]
    shown = prod((blanket.bins[data[x]][released[x]] for x in kept), start=mpq(1))
    hidden = prod((1 - blanket.shown(count) for x, count in data.items() if x not in released), start=mpq(1))
    held = prod((blanket.tau(released[x]) for x in new), start=mpq(1))
    if any(v not in blanket.values for v in released.values()):
        return mpq(0)
    return shown * hidden * held * _covered(blanket, blanket.cap - len(kept), len(new), len(data))


def withheld(blanket: Blanket, data: Data) -> mpq:
    """Pr[shown + N > L]. Source: FD.Blanket.law."""
    _check(blanket, data)
    shown = [mpq(1)]  # Pr[that many of the labels are shown]
    for count in data.values():
        p = blanket.shown(count)
        shown = [(1 - p) * stay + p * come for stay, come in zip([*shown, mpq(0)], [mpq(0), *shown], strict=True)]
    both = ((shown[i] * _hits(blanket, k), i + k) for i in range(len(shown)) for k in range(blanket.slots + 1))
    return sum((p for p, together in both if together > blanket.cap), mpq(0))


def _outcomes(blanket: Blanket) -> Iterator[Outcome]:
    """All of them: at most L labels, and a count for each."""
    yield None
    for size in range(min(blanket.cap, blanket.labels) + 1):
        for labels in combinations(range(blanket.labels), size):
            for values in product(blanket.values, repeat=size):
                yield tuple(zip(labels, values, strict=True))


def law(blanket: Blanket, data: Data) -> Pmf[Outcome]:
    """The law by the closed form; its probabilities are asserted to sum to 1. Source: FD.Blanket.law.

    Parameters: as of `probability`; D and n - b small, since all outcomes are listed.
    """
    return Pmf.from_probabilities({outcome: probability(blanket, data, outcome) for outcome in _outcomes(blanket)})


Found = tuple[int, tuple[tuple[int, int], ...]]
"""How many slots hit so far, and the labels outside of A that they hold, by increasing label, each with its first count."""


def literal_law(blanket: Blanket, data: Data) -> Pmf[Outcome]:
    """The law by going through the steps: labels that are shown, slots one by one, and what is made of both."""
    _check(blanket, data)
    weights: dict[Outcome, mpq] = {}
    slots = _slots(blanket, data)
    for shown, p in _shown(blanket, data).items():
        for (number, held), q in slots.items():
            outcome = None if len(shown) + number > blanket.cap else tuple(sorted((*shown, *held)))
            weights[outcome] = weights.get(outcome, mpq(0)) + p * q
    return Pmf.from_probabilities(weights)


def _shown(blanket: Blanket, data: Data) -> dict[tuple[tuple[int, int], ...], mpq]:
    """What may be shown of A, and how often."""
    every: dict[tuple[tuple[int, int], ...], mpq] = {(): mpq(1)}
    for x, count in data.items():
        noisy = blanket.bins[count]
        longer = {(*pairs, (x, v)): p * noisy[v] for pairs, p in every.items() for v in blanket.values if noisy[v]}
        every = {pairs: p * (1 - blanket.shown(count)) for pairs, p in every.items()} | longer
    return every


def _slots(blanket: Blanket, data: Data) -> dict[Found, mpq]:
    """What the slots may hold, and how often: one more slot at a time."""
    every: dict[Found, mpq] = {(0, ()): mpq(1)}
    for _ in range(blanket.slots):
        later = {found: p * (1 - blanket.hit) for found, p in every.items()}
        for (number, held), p in every.items():
            for label, v in product(range(blanket.labels), blanket.values):
                new = label not in data and label not in dict(held)
                found = (number + 1, tuple(sorted((*held, (label, v)))) if new else held)
                later[found] = later.get(found, mpq(0)) + p * blanket.hit * blanket.tau(v) / blanket.labels
        every = later
    return every


def _check(blanket: Blanket, data: Data) -> None:
    if not all(0 <= x < blanket.labels and count >= 1 for x, count in data.items()) or sum(data.values()) > blanket.n:
        raise ParameterError(f"data = {data!r} is out of range; accepted: up to {blanket.n} rows of {blanket.labels} labels")


# The certificate, from its definition


def conditions(blanket: Blanket, ratio: mpq, lowers: mpq | None = None) -> dict[str, bool]:
    """Which of the conditions hold under which the removal of a row is within the ratio R. Source: FD.Blanket.private.

    Parameters: ratio, R; lowers, where it is not R, by which factor a row more may lower a probability: R of `a` and C then.

    With sigma = Pr[M(1) > b], rho_1 = (G-L)q/((2^h-q)D), rho_2 = Gq/((2^h-q)D - Gq) and tau_v = t_v/2^C:
    shape: 0 < b+1 <= n, t_v >= 1, 1 <= L < G, 0 < q < 2^h, (2^h-q)D > Gq. table: a dyadic table for R.
    A: (1 - sigma)(1 + rho_2) <= R. a: 1 <= R (1 - sigma). B: m_1(v)(1 + rho_1) <= R tau_v rho_1 for every v.
    C: tau_v rho_2 <= R m_1(v) for every v. D: sigma (L+1)(2^h-q) <= (R-1)(G-L) q.
    """
    hit, size, sigma = blanket.hit, blanket.labels, blanket.sigma
    bits = int(blanket.bins[0].total).bit_length() - 1 if blanket.weights else 0
    free = (1 - hit) * size - blanket.slots * hit
    shape = min(blanket.counts) >= 1 and 1 <= blanket.cap < blanket.slots and 0 < hit < 1 and free > 0
    down = ratio if lowers is None else lowers
    table = dyadic.is_table(blanket.weights, ratio, bits) if blanket.below is None else _skewed(blanket, ratio, down)
    found = {"shape": shape, "table": table and ratio > 1 and down > 1}
    if not shape:
        return found | dict.fromkeys("AaBCD", False)
    low, high = (blanket.slots - blanket.cap) * hit / ((1 - hit) * size), blanket.slots * hit / free
    once = blanket.bins[1]
    return found | {
        "A": (1 - sigma) * (1 + high) <= ratio,
        "a": down * (1 - sigma) >= 1,
        "B": all(once[v] * (1 + low) <= ratio * blanket.tau(v) * low for v in blanket.values),
        "C": all(blanket.tau(v) * high <= down * once[v] for v in blanket.values),
        "D": sigma * (blanket.cap + 1) * (1 - hit) <= (ratio - 1) * (blanket.slots - blanket.cap) * hit,
    }


def _skewed(blanket: Blanket, up: mpq, down: mpq) -> bool:
    """Whether both sides descend, with steps and tails within their ratio, and meet. Source: FD.Blanket.skewed."""
    sides = ((blanket.weights, up), (blanket.below or (), down))
    met = blanket.below is not None and blanket.below[0] == blanket.weights[0] and len(blanket.below) == len(blanket.weights)
    return met and all(
        dyadic.descends(side) and dyadic.steps_hold(side, ratio) and dyadic.tails_hold(side, ratio) for side, ratio in sides
    )


def least_counts(blanket: Blanket, ratio: mpq, bits: int) -> list[int]:
    """The least t_(b+1), ..., t_n of 2^bits in all that (B) allows, whatever they sum to. Source: FD.Blanket.plan."""
    low = (blanket.slots - blanket.cap) * blanket.hit / ((1 - blanket.hit) * blanket.labels)
    needed = [2**bits * blanket.bins[1][v] * (1 + low) / (ratio * low) for v in blanket.values]
    return [max(1, int(-(-x.numerator // x.denominator))) for x in needed]


def most_shown(blanket: Blanket) -> mpq:
    """n max_c Pr[M(c) > b]/c: no dataset of n rows shows more labels on average. Source: FD.Blanket.withheld."""
    return blanket.n * max(blanket.shown(count) / count for count in range(1, blanket.n + 1))
