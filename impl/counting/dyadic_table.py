"""Dyadic tables: the weights of noise that is drawn by comparing one word of B bits with integers, and nothing else.

A table for counts 0..n, words of B bits and a ratio R with 1 < R <= e^(epsilon/2) is a list of integers
w_0 >= w_1 >= ... >= w_(n-1) >= 1 and w_n >= 1 with w_0 + 2(w_1 + ... + w_n) = 2^B and, for S_j = w_j + ... + w_n,

    (i)  w_j <= R w_(j+1) for j < n - 1,        (ii)  S_j <= R S_(j+1) for j < n.

Noise is +-j with probability w_j / 2^B; a count plus noise, clamped to 0..n, then has worst ratio at most R, and only then.
See docs/dyadic.md for the proofs. `dyadic_table` builds from the centre outward, each weight the least that (i) allows. Once
w (R - 1) < R the least is w itself, so that all further weights are equal: they are held as one number, and a table has
O(B / epsilon) entries whatever n is.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate, pairwise

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import RationalLike, compare_exp, exp_bounds, integer, rational, short
from finitedp.impl.arithmetic.kernels import ceil_log2

__all__ = [
    "LARGEST_TABLE",
    "LARGEST_WORD",
    "DyadicTable",
    "dyadic_table",
    "least_following",
    "positive_epsilon",
    "ratio_below",
]

LARGEST_WORD = 256
LARGEST_TABLE = 1 << 22  # entries
OFFERED_WORDS = (64, 128)
SPARE_BITS = 64  # so that weights come out as they would with e^(epsilon/2) itself, unless a quotient is that near an integer


def positive_epsilon(value: RationalLike) -> mpq:
    """`value` as a rational above 0. Raises: ParameterError."""
    epsilon = rational(value, "epsilon")
    if epsilon <= 0:
        raise ParameterError(f"epsilon = {epsilon} is not positive; accepted: a rational above 0")
    return epsilon


def ratio_below(epsilon: RationalLike, bits: int) -> mpq:
    """The largest multiple R of 2^-p that is at most e^(epsilon/2), for p = bits + 64 + ceil(log2(ceil(2/epsilon))).

    It is above 1. Where epsilon/2 >= bits it is 2^bits instead, beyond which no table of that many bits gains anything.
    Source: FD.Dyadic.ratio. Parameters: epsilon > 0; bits >= 2. Raises: ParameterError.
    """
    half = mpq(positive_epsilon(epsilon), 2)
    if half >= integer(bits, "bits", at_least=2):
        return mpq(1 << bits)
    places = bits + SPARE_BITS + ceil_log2(int(-(-half.denominator // half.numerator)))
    precision = 2 * places
    while True:
        low, high = (bound.numerator * (1 << places) // bound.denominator for bound in exp_bounds(half, precision))
        if low == high:
            return mpq(low, 1 << places)
        precision *= 2


def _ratio(value: RationalLike) -> mpq:
    return rational(value, "ratio")


def _weights(value: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(integer(weight, "a weight", at_least=1)) for weight in value)


def _weight(value: int) -> int:
    return int(integer(value, "a weight", at_least=1))


@frozen(slots=False)
class DyadicTable:
    """The weights w_0, ..., w_n of a dyadic table, certified: whatever cannot be checked here is refused.

    Source: FD.Dyadic.table, FD.Dyadic.refusals.
    Parameters: epsilon > 0; ratio, the rational R; bits, the word's B; n >= 1; head, the weights w_0, ..., w_(h-1), h < n;
    tail, the one weight of w_h, ..., w_(n-1); last, the weight w_n.
    Raises: ParameterError for what is no integer of at least 1, ClaimError where a condition of a table fails.
    Cost: a few integer operations for each entry of head.
    """

    epsilon: mpq = field(converter=positive_epsilon)
    ratio: mpq = field(converter=_ratio)
    bits: int
    n: int
    head: tuple[int, ...] = field(converter=_weights, repr=False)
    tail: int = field(converter=_weight)
    last: int = field(converter=_weight)

    def __attrs_post_init__(self) -> None:
        integer(self.bits, "bits", 2, LARGEST_WORD)
        integer(self.n, "n", at_least=1)
        for broken in self.violations():
            raise ClaimError(f"the dyadic table for n = {self.n}, epsilon = {self.epsilon} is not private: {broken}")

    def violations(self) -> Iterator[str]:
        """What is wrong with the table, in words; nothing for a table.

        The constant stretch needs no more than its ends: within it (i) says t <= R t, and in (ii) the quotient
        S_j / S_(j+1) = 1 + t / S_(j+1) grows with j, so that j = n - 1 decides. (FD.Dyadic.induction says that all of (ii)
        follows from there and (i); it is checked all the same.)
        """
        p, q = self.ratio.numerator, self.ratio.denominator
        if not p > q:
            yield f"R = {self.ratio} is not above 1"
        if compare_exp(self.ratio, mpq(self.epsilon, 2)) > 0:
            yield "R is above e^(epsilon/2)"
        if len(self.head) >= self.n:
            yield f"w_0, ..., w_(n-1) are {self.n} weights, and the head alone has {len(self.head)}"
        for j, (weight, following) in enumerate(pairwise((*self.head, self.tail))):
            if weight < following:
                yield f"w_{j} < w_{j + 1}"
            if weight * q > p * following:
                yield f"(i) fails: w_{j} > R w_{j + 1}"
        for j, (upper, following) in enumerate(pairwise(self.sums)):
            if upper * q > p * following:
                yield f"(ii) fails: S_{j} > R S_{j + 1}"
        if (self.last + self.tail) * q > p * self.last:
            yield f"(ii) fails: S_{self.n - 1} > R S_{self.n}"
        if self.upper(0) + self.upper(1) != 1 << self.bits:
            yield f"the weights sum to {self.upper(0) + self.upper(1)}, not to 2^{self.bits}"

    @cached_property
    def sums(self) -> tuple[int, ...]:
        """S_0, ..., S_h: the tails from the centre to where the weights become constant."""
        end = self.last + (self.n - len(self.head)) * self.tail
        return tuple(reversed(tuple(accumulate(reversed(self.head), initial=end))))

    @property
    def first(self) -> int:
        """h, from which on w_h = ... = w_(n-1)."""
        return len(self.head)

    @cached_property
    def at(self) -> Callable[[int], int]:
        """S_j for j in 0..h: a look-up."""
        return self.sums.__getitem__

    def weight(self, j: int) -> int:
        """w_j, for j in 0..n: 2^B Pr[Z = +-j]."""
        if j < len(self.head):
            return self.head[j]
        return self.tail if j < self.n else self.last

    def upper(self, j: int) -> int:
        """S_j = 2^B Pr[Z >= j], for j in 0..n; 0 beyond."""
        if j <= self.first:
            return self.at(j)
        return self.last + (self.n - j) * self.tail if j <= self.n else 0

    @property
    def entries(self) -> int:
        """How many numbers hold all n + 1 weights. Source: FD.Dyadic.size."""
        return len(self.head) + 2

    def excess(self) -> mpq:
        """A bound on the distance to the ideal: (2^B - w_0 (R+1)/(R-1)) / 2^B.

        No law of the mechanism is farther, in total variation, from the two-sided geometric law with decay 1/R, clamped. With
        n / epsilon near 2^B it is not small, and with n^2 / epsilon near 2^B the mean absolute noise feels it: take more bits.
        Source: FD.Dyadic.distance.
        """
        return 1 - mpq(self.upper(0) - self.upper(1), 1 << self.bits) * (self.ratio + 1) * mpq(1, self.ratio - 1)

    def excess_exponent(self) -> int | None:
        """The largest k with excess() <= 2^-k, for readers; None where it is 0. Source: FD.Dyadic.distance."""
        excess = self.excess()
        return int(excess.denominator // excess.numerator).bit_length() - 1 if excess > 0 else None

    def mean_absolute_noise(self) -> mpq:
        """E|Z|, exactly: the sum of Pr[|Z| >= j] over j = 1, ..., n. Source: FD.Dyadic.noise."""
        stretch = self.n - len(self.head)
        beyond = stretch * self.last + self.tail * stretch * (stretch - 1) // 2
        return mpq(2 * (sum(self.sums[1:]) + beyond), 1 << self.bits)

    def certificate(self) -> dict[str, object]:
        """The table as a JSON document, which proofs_check/dyadic_certificate.py re-checks by itself.

        Source: FD.Dyadic.certificate. Returns: numbers as decimal strings, since many readers of JSON round large ones.
        """
        numbers = {"epsilon": self.epsilon, "ratio": self.ratio, "n": self.n, "tail": self.tail, "last": self.last}
        written = {name: str(number) for name, number in numbers.items()}
        head = [str(weight) for weight in self.head]
        return {"format": "finitedp dyadic table", "version": 1, "bits": self.bits, **written, "head": head}


def dyadic_table(n: int, epsilon: RationalLike, bits: int = 64) -> DyadicTable:
    """The table whose w_0 is largest: then the least weights that (i) and (ii) allow, and what is left over on w_n.

    Source: FD.Dyadic.table. Parameters: n >= 1; epsilon > 0, any rational; bits in 2..256.
    Raises: ParameterError, where no table of that many bits exists with the number of bits that would do.
    Cost: about ten passes over the O(bits / epsilon) entries, whatever n is.
    """
    size, exact = integer(n, "n", at_least=1), positive_epsilon(epsilon)
    word = integer(bits, "word", 2, LARGEST_WORD)
    ratio, total = ratio_below(exact, word), 1 << word
    most = 7 * word * ratio.numerator // (10 * (ratio.numerator - ratio.denominator))  # above B ln 2 / ln R
    if min(size, most) > LARGEST_TABLE:
        raise ParameterError(
            f"epsilon = {exact} needs a table of up to {short(most)} entries; accepted: an epsilon for which {LARGEST_TABLE} "
            "are enough, or n below that"
        )
    if _mass(_least_weights(2, ratio, size), size) > total:
        raise ParameterError(_no_table(size, exact, word))
    head, tail, last = _least_weights(_largest_centre(ratio, size, total), ratio, size)
    left_over = total - _mass((head, tail, last), size)
    return DyadicTable(exact, ratio, word, size, tuple(head), tail, last + left_over // 2)


def least_following(weight: int, p: int, q: int) -> int:
    """The least w with q * weight <= p * w: what (i) asks of the next weight at R = p/q. Source: FD.Dyadic.table.all."""
    return -(-weight * q // p)


_Weights = tuple[list[int], int, int]


def _least_weights(centre: int, ratio: mpq, n: int) -> _Weights:
    """The head, the tail's weight and the last weight, each the least that (i), and (ii) at j = n - 1, allow."""
    p, q = int(ratio.numerator), int(ratio.denominator)
    head, weight = list[int](), centre
    while len(head) < n - 1:
        following = least_following(weight, p, q)
        if following == weight:
            break
        head.append(weight)
        weight = following
    return head, weight, least_following(weight, p - q, q)


def _mass(weights: _Weights, n: int) -> int:
    """w_0 + 2(w_1 + ... + w_n). It does not fall where w_0 rises."""
    head, tail, last = weights
    one_side = sum(head) + (n - len(head)) * tail + last
    return 2 * one_side - (head[0] if head else tail)


def _largest_centre(ratio: mpq, n: int, total: int) -> int:
    """The largest even w_0 whose least weights fit; 2 is known to fit.

    The mass is nearly (R+1)/(R-1) w_0 plus a constant, so that a few steps along that line end the search; every fourth step
    halves what is left, in case it is not. Even, since the total is even and every other weight counts twice.
    """
    p, q = int(ratio.numerator), int(ratio.denominator)
    low, high, centre, step = 2, total, 2, 0  # low fits, high does not
    while high - low > 2:
        mass = _mass(_least_weights(centre, ratio, n), n)
        low, high = (centre, high) if mass <= total else (low, centre)
        step += 1
        guess = (low + high) // 2 if step % 4 == 0 else centre + (total - mass) * (p - q) // (p + q)
        centre = min(max(guess - guess % 2, low + 2), high - 2)
    return low


def _no_table(n: int, epsilon: mpq, bits: int) -> str:
    needed = next((b for b in range(bits + 1, LARGEST_WORD + 1) if _fits(n, epsilon, b)), None)
    if needed is None:
        accepted = f"a larger epsilon or a smaller n, since {LARGEST_WORD} bits are not enough either"
    else:
        offered = next((b for b in OFFERED_WORDS if b >= needed), needed)
        accepted = f"word = {offered} (the fewest bits with a table are {needed})" if offered != needed else f"word = {needed}"
    return f"no table of {bits} bits exists for n = {n}, epsilon = {epsilon}; accepted: {accepted}"


def _fits(n: int, epsilon: mpq, bits: int) -> bool:
    return _mass(_least_weights(2, ratio_below(epsilon, bits), n), n) <= 1 << bits
