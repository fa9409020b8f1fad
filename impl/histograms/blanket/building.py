"""How the plan of a BlanketHistogram is chosen: the least threshold whose blanket invents no more labels than was asked for.

Privacy does not rest on anything here, since a plan is certified by itself; that a release is hardly ever withheld does, and
the plan's certificate tells it, too.
"""

from functools import lru_cache
from itertools import count, islice

from attrs import frozen
from gmpy2 import mpq, mpz

from finitedp.claim import check_neighbours
from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import RationalLike, integer, rational, short
from finitedp.impl.arithmetic.kernels import ceil_log2, least_reaching
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import positive_epsilon
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample, SkewedTable
from finitedp.impl.histograms.blanket.stretched import Stretched

__all__ = [
    "MOST_LABEL_BITS",
    "MOST_ROWS",
    "blanket_plan",
    "chosen_slots",
    "count_bits",
    "least_cap",
    "most_shown",
    "rarely_above",
]

Noise = DyadicSample | SkewedSample

MOST_ROWS = 10**9  # of a release on arrays, which takes about 60 bytes of memory for each of n rows
MOST_LABEL_BITS = 129  # all strings of up to 16 bytes
MOST_SHOWN = 2 * 10**6  # labels of a release, on average; the checker takes an L of up to 2^21
MOST_SLOTS = 1 << 28  # of 8 bytes each
HIT_BITS = WITHHELD_BITS = 64
EULER = mpq(2718281828459045236, 10**18)  # above e
LEAST_INVENTED = mpq(1, 10**6)
MORE = 8  # how many thresholds above the estimated one are tried


def blanket_plan(
    n: int,
    epsilon: RationalLike,
    size: int,
    invented: RationalLike = 1,
    neighbours: str = "replace-one",
    *,
    skewed: bool = False,
) -> BlanketPlan:
    """The plan with the least threshold: private, with at most `invented` labels on average that do not occur in the data.

    Source: FD.Blanket.plan, FD.Blanket.withheld.
    Parameters: n >= 2, a public bound of the rows; epsilon > 0, any rational; size, |X|, from n to 2^129; invented, a
    rational from 1/10^6 to n; neighbours, replace-one or add-remove; skewed, whether to take a skewed table, for
    replace-one: a lower threshold, and counts that are more often too low (FD.Blanket.skewed).
    Raises: ParameterError, with what would do, where no threshold below n is enough: an empty release is as accurate then;
    and for more than about 2 million labels or 270 million slots.
    Cost: that of a dyadic table of 128 or 192 bits, and a few passes over it.
    """
    rows, labels = integer(n, "n", 2, 2**62 - 1), integer(size, "size", at_least=1)
    exact, most = positive_epsilon(epsilon), rational(invented, "invented")
    if not LEAST_INVENTED <= most <= rows:
        raise ParameterError(f"invented = {most} is out of range; accepted: a rational from {LEAST_INVENTED} to n = {rows}")
    if labels < rows:
        raise ParameterError(
            f"the universe has {short(labels)} labels, fewer than n = {rows} rows; accepted: basic, which releases a count "
            "for each label"
        )
    if ceil_log2(labels) > MOST_LABEL_BITS:
        raise ParameterError(
            f"the universe has {short(labels)} labels; accepted: up to 2^{MOST_LABEL_BITS}, such as strings of up to 16 bytes"
        )
    check_neighbours(neighbours)
    if skewed and neighbours != "replace-one":
        raise ParameterError(f"a skewed table is not for neighbours = {neighbours!r}; accepted: replace-one")
    plan = _plan(rows, exact, int(labels), most, neighbours, skewed)
    if plan is None:
        raise ParameterError(_none_fits(rows, exact, int(labels), most, neighbours))
    return plan


def _none_fits(n: int, epsilon: mpq, size: int, invented: mpq, neighbours: str) -> str:
    rarity = size * invented.denominator // invented.numerator + 1
    least = mpq(ceil_log2(int(rarity)), 2 * n)  # below it sigma is far above invented/|X|
    doubled = (epsilon * 2**i for i in count(1))
    more = islice((larger for larger in doubled if larger >= least), 9)
    enough = next((larger for larger in more if _plan(n, larger, size, invented, neighbours, False) is not None), None)
    accepted = "more rows" if enough is None else f"epsilon = {enough}, or more rows"
    return (
        f"n = {n} rows are too few at epsilon = {epsilon} for any count to be shown: an empty release, which needs no data, "
        f"is as accurate; accepted: {accepted}, or basic where the universe is small"
    )


@lru_cache(maxsize=8)
def _plan(n: int, epsilon: mpq, size: int, invented: mpq, neighbours: str, skewed: bool) -> BlanketPlan | None:
    """The plan, None where there is none."""
    bits = ceil_log2(size)
    word, twice = 128 if bits <= 64 else 192, epsilon * (1 if neighbours == "replace-one" else 2)
    mechanism = SkewedSample(n, epsilon, word) if skewed else DyadicSample(n, twice, word)
    hits, (up, _) = mpq(invented * (1 << bits), size), ratios(mechanism)
    p, q, whole = int(up.numerator), int(up.denominator), mechanism.d

    def may_fit(b: int) -> bool:  # what (B) asks of the sum of all weights, for G - L >= 64 L, and L not below the hits
        return bool(63 * (mechanism.table.upper(b) * q << bits) <= 64 * hits * p * whole)

    least = 1 + least_reaching(lambda z: int(may_fit(z + 1)), n - 1, 1)
    plans = (_plan_at(mechanism, neighbours, size, b, invented) for b in range(least, min(least + MORE, n)))
    return next((plan for plan in plans if plan is not None), None)


def _plan_at(mechanism: Noise, neighbours: str, size: int, b: int, invented: mpq) -> BlanketPlan | None:
    """The plan with this threshold, None where it would not be private or invent too many labels."""
    bits = ceil_log2(size)
    hits = mpq(invented * (1 << bits), size)
    shown, (up, down) = most_shown(mechanism, b), ratios(mechanism)
    _check_sizes(shown + hits, chosen_slots(up, down, 1))
    cap = least_cap(shown, hits)
    slots = chosen_slots(up, down, cap)
    at = _Threshold(mechanism, b, bits, cap, slots, count_bits(mechanism.word, bits, hits))
    hit = at.least_hit()
    if hit * slots > hits * (1 << HIT_BITS):
        return None
    counts = at.least_counts(hit)
    first, rest = counts.weight(0) + (1 << at.count_bits) - counts.total, counts.head[1:]
    if counts.size == 1:
        counts = Stretched(1, (), 0, first)
    else:
        counts = Stretched(counts.size, (first, *rest), counts.tail if counts.size > 2 else 0, counts.last)
    try:
        return BlanketPlan(mechanism, neighbours, size, bits, b, cap, slots, HIT_BITS, hit, at.count_bits, counts, invented)
    except ClaimError:
        return None


def _check_sizes(most: mpq, slots: int) -> None:
    """Refuse what would take gigabytes. Parameters: most, labels of a release on average; slots, for each of them."""
    for number, limit, what in ((most, MOST_SHOWN, "hold about {} labels"), (most * slots, MOST_SLOTS, "draw about {} slots")):
        if number > limit:
            about = what.format(short(int(number)))
            raise ParameterError(
                f"a release would {about}; accepted: fewer rows or invented labels, for up to {limit} of them"
            )


# The parts


def ratios(mechanism: Noise) -> tuple[mpq, mpq]:
    """By which factors a row more raises and lowers a probability at most."""
    table = mechanism.table
    return (table.up, table.down) if isinstance(table, SkewedTable) else (table.ratio, table.ratio)


def most_shown(mechanism: Noise, b: int) -> mpq:
    """n max_c Pr[M(c) > b]/c: no dataset of n rows shows more labels on average. Source: FD.Blanket.withheld.

    Cost: the counts up to the one from which on 1/c alone is less.
    """
    table, whole = mechanism.table, mechanism.d
    lower = table.lower if isinstance(table, SkewedTable) else table.upper
    best, at, c = table.upper(b), 1, 2
    while c <= mechanism.n and whole * at > best * c:
        shown = table.upper(b + 1 - c) if c <= b else whole - lower(c - b)
        if shown * at > best * c:
            best, at = shown, c
        c += 1
    return mpq(mechanism.n * best, whole * at)


def rarely_above(mean: int, least: int) -> bool:
    """Whether e^(least - mean) (mean/least)^least <= 2^-64: Chernoff's bound of Pr[X >= least].

    X is any sum of independent events with at most this mean; least >= mean >= 1. Source: FD.Blanket.withheld.
    """
    e = EULER ** (least - mean)
    return bool(e.numerator * mpz(mean) ** least << WITHHELD_BITS <= e.denominator * mpz(least) ** least)


def least_cap(shown: mpq, hits: mpq) -> int:
    """The least L for which more than L labels and slots have a probability of at most 2^-64 by Chernoff's bound.

    Source: FD.Blanket.withheld. Parameters: shown, a bound of the labels shown on average; hits, one of the slots that hit.
    """
    mean = max(1, int(-(-(shown + hits).numerator // (shown + hits).denominator)))
    room = mean + 64
    while not rarely_above(mean, mean + room):
        room *= 2
    return mean - 1 + least_reaching(lambda more: int(rarely_above(mean, mean + more)), room, 1)


def chosen_slots(up: mpq, down: mpq, cap: int) -> int:
    """G = L (65 + floor(4/(R_up R_down - 1))), so that (B) and (C) leave room between them. Source: FD.Blanket.plan."""
    share = mpq(4, up * down - 1)
    return cap * (65 + int(share.numerator // share.denominator))


def count_bits(word: int, bits: int, hits: mpq) -> int:
    """C: as many bits as keep the least weights near to what (B) asks for, so that they satisfy (C), too; at least 64.

    A slot is as rare as hits/D for each label, and the rarest count of a row as 2^-B. Source: FD.Blanket.plan.
    """
    return max(64, word - bits + ceil_log2(max(1, int(-(-hits.numerator // hits.denominator)))))


@frozen(slots=False)
class _Threshold:
    """What (B) asks for, at a threshold, a cap and a number of slots."""

    mechanism: Noise
    b: int
    bits: int
    cap: int
    slots: int
    count_bits: int

    def _hit_for(self, total: int) -> int:
        """The least q for which the weights that (B) asks for sum to at most that, were they not rounded up."""
        p, q, free = self._ratio.numerator, self._ratio.denominator, self.slots - self.cap
        sigma = self.mechanism.table.upper(self.b) * q << self.count_bits
        below = p * free * self.mechanism.d * total + sigma * ((1 << self.bits) - free)
        return int(-(-(sigma << HIT_BITS + self.bits) // below))

    @property
    def _ratio(self) -> mpq:
        return ratios(self.mechanism)[0]

    def least_hit(self) -> int:
        """The least q for which the least weights sum to at most 2^C. Source: FD.Blanket.plan."""
        whole = 1 << self.count_bits
        low, high = self._hit_for(whole), self._hit_for(whole - (self.mechanism.n - self.b))
        return low + least_reaching(lambda more: int(self.least_counts(low + more).total <= whole), high - low, 1)

    def least_counts(self, hit: int) -> Stretched:
        """The least t_v that (B) allows: ceil(2^C m_1(v)(1 + rho_1)/(R rho_1)). Source: FD.Blanket.plan."""
        p, q = int(self._ratio.numerator), int(self._ratio.denominator)
        hits = (self.slots - self.cap) * hit
        needs = (((1 << HIT_BITS) - hit << self.bits) + hits) * q << self.count_bits
        gives = p * hits * self.mechanism.d
        table, n = self.mechanism.table, self.mechanism.n
        explicit = min(max(len(table.head), self.b + 1), n - 1)  # w_(v-1) is tail beyond
        head = tuple(-(-table.weight(v - 1) * needs // gives) for v in range(self.b + 1, explicit + 1))
        tail = -(-table.tail * needs // gives) if explicit < n - 1 else 0
        return Stretched(n - self.b, head, tail, -(-table.upper(n - 1) * needs // gives))
