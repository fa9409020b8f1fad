"""Tables of one-sided noise: integers w_0, ..., w_(q-1) of at least 1 that sum to 2^B, drawn by comparing one word of B bits.

The noise J is j with probability w_j / 2^B, and max(0, x - J) is released of a count x. With a ratio R, 1 < R <= e^epsilon,

    (i)  w_(j+1) <= R w_j  and  w_j <= R w_(j+1)  for 0 <= j < q - 1,

the released count is (epsilon, delta)-differentially private with delta = max(w_0, w_(q-1)) / 2^B, and with no smaller delta:
see docs/flexible.md for the proof. `shifted_table` builds the table with the least ends, and `least_q` the shortest one for a
delta: every table with (i) and ends of at most m lies below e_j = min(u_j, u_(q-1-j)), u_0 = m, u_(j+1) = floor(R u_j).
"""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Neighbours, check_neighbours
from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import RationalLike, compare_exp, integer, probability, rational
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, positive_epsilon, ratio_below

__all__ = ["LARGEST_Q", "ShiftedTable", "dataset_neighbours", "least_q", "shifted_table"]

LARGEST_Q = 1 << 20  # entries


def dataset_neighbours(relation: str) -> Neighbours:
    """`relation` if it is one of datasets. Raises: ParameterError."""
    if relation == "counts":
        raise ParameterError(f"neighbours = {relation!r} is not a relation on datasets; accepted: add-remove, replace-one")
    return check_neighbours(relation)


def _exponent(epsilon: mpq, neighbours: Neighbours) -> mpq:
    """R must be at most e^exponent: replacing a row moves two bars, each by a factor of R."""
    return epsilon if neighbours == "add-remove" else mpq(epsilon, 2)


def _weights(value: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(integer(weight, "a weight", at_least=1)) for weight in value)


def _ratio(value: RationalLike) -> mpq:
    return rational(value, "ratio")


@frozen(slots=False)
class ShiftedTable:
    """The weights of one-sided noise, certified: whatever cannot be checked here is refused.

    Source: FD.Shifted.table.
    Parameters: epsilon > 0; neighbours, add-remove or replace-one; ratio, the rational R; bits, the word's B; weights.
    Raises: ParameterError for what is no integer of at least 1, ClaimError where a condition of a table fails.
    """

    epsilon: mpq = field(converter=positive_epsilon)
    neighbours: Neighbours = field(converter=dataset_neighbours)
    ratio: mpq = field(converter=_ratio)
    bits: int
    weights: tuple[int, ...] = field(converter=_weights, repr=False)

    def __attrs_post_init__(self) -> None:
        integer(self.bits, "bits", 2, LARGEST_WORD)
        for broken in self.violations():
            raise ClaimError(f"the table of {self.q} weights for epsilon = {self.epsilon} is not private: {broken}")

    def violations(self) -> Iterator[str]:
        """What is wrong with the table, in words; nothing for a table."""
        p, r = self.ratio.numerator, self.ratio.denominator
        if not self.weights:
            yield "it has no weights"
        if not p > r:
            yield f"R = {self.ratio} is not above 1"
        if compare_exp(self.ratio, _exponent(self.epsilon, self.neighbours)) > 0:
            yield "R is too large for epsilon"
        if sum(self.weights) != 1 << self.bits:
            yield f"the weights sum to {sum(self.weights)}, not to 2^{self.bits}"
        for j, (low, high) in enumerate(pairwise(self.weights)):
            if high * r > p * low or low * r > p * high:
                yield f"(i) fails between w_{j} and w_{j + 1}"

    @property
    def q(self) -> int:
        """How many values the noise has: no bar loses more than q - 1."""
        return len(self.weights)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """C_1, ..., C_q: the sums w_0 + ... + w_(j-1); J is the number of those that a word is not below."""
        return tuple(accumulate(self.weights))

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """S_0, ..., S_q: the sums w_c + ... + w_(q-1), so that a bar of c rows is released empty with S_c / 2^B."""
        return tuple(reversed(tuple(accumulate(reversed(self.weights), initial=0))))

    @property
    def delta(self) -> mpq:
        """The exact delta at epsilon: the mechanism is private with it, and with no smaller one at R.

        max(w_0, w_(q-1)) / 2^B for add-remove; 1 - (1 - w_0 / 2^B)(1 - w_(q-1) / 2^B) for replace-one.
        Source: FD.Shifted.private, FD.Shifted.replace.
        """
        first, last = mpq(self.weights[0], 1 << self.bits), mpq(self.weights[-1], 1 << self.bits)
        return max(first, last) if self.neighbours == "add-remove" else 1 - (1 - first) * (1 - last)

    def certificate(self) -> dict[str, object]:
        """The table as a JSON document, which proofs_check/flexible_certificate.py re-checks by itself.

        Source: FD.Shifted.certificate. Returns: numbers as decimal strings.
        """
        return {
            "format": "finitedp flexible certificate",
            "version": 1,
            "kind": "shifted-truncated",
            "neighbours": self.neighbours,
            "q": self.q,
            "bits": int(self.bits),
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "ratio": str(self.ratio),
            "weights": [str(weight) for weight in self.weights],
        }


# Building

Ratio = tuple[int, int]


def _rising(end: int, count: int, ratio: Ratio) -> list[int]:
    """u_0 = end, u_(j+1) = floor(R u_j): `count` of them."""
    p, r = ratio
    u = [end]
    while len(u) < count:
        u.append(u[-1] * p // r)
    return u


def _envelope_sum(end: int, q: int, ratio: Ratio) -> int:
    """The sum of e_j = min(u_j, u_(q-1-j)) over j = 0, ..., q - 1."""
    half = _rising(end, q - q // 2, ratio)
    return 2 * sum(half) - (half[-1] if q % 2 else 0)


def _least_end(q: int, ratio: Ratio, total: int) -> int:
    """The least m with an envelope of at least the total. It is about linear in m, which a guess uses; bisection ends it."""
    low, high = 0, total
    guess = max(1, total // max(1, _envelope_sum(1 << 64, q, ratio) >> 64) - 1)
    step = 1
    while guess < high:  # from below: double the step until it is heavy enough
        if _envelope_sum(guess, q, ratio) >= total:
            high = guess
            break
        low, guess, step = guess, guess + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _envelope_sum(middle, q, ratio) >= total else (middle, high)
    return high


def _capped(weights: list[int], total: int) -> list[int]:
    """The weights cut down to a cap, and the rest of what is too much taken off, one each, from the right of the capped."""
    low, high = 0, max(weights)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sum(min(w, middle) for w in weights) >= total else (middle, high)
    found = [min(w, high) for w in weights]
    capped = [j for j, w in enumerate(weights) if w >= high]
    for j in reversed(capped[len(capped) - (sum(found) - total) :]):
        found[j] -= 1
    return found


def shifted_table(q: int, epsilon: RationalLike, bits: int = 64, neighbours: str = "add-remove") -> ShiftedTable:
    """The table of q weights with the least ends, hence the least delta of all tables with (i).

    Source: FD.Shifted.least. Parameters: q in 1..2^20, the values of the noise; epsilon > 0, any rational; bits in 2..256;
    neighbours, add-remove or replace-one. Raises: ParameterError, where the weights do not fit into so many bits.
    Cost: some 70 passes over q / 2 numbers of `bits` bits.
    """
    size, word = integer(q, "q", 1, LARGEST_Q), integer(bits, "word", 2, LARGEST_WORD)
    return _table(int(size), positive_epsilon(epsilon), int(word), dataset_neighbours(neighbours))


@lru_cache(maxsize=64)
def _table(q: int, epsilon: mpq, bits: int, neighbours: Neighbours) -> ShiftedTable:
    exact = ratio_below(2 * _exponent(epsilon, neighbours), bits)
    ratio, total = (int(exact.numerator), int(exact.denominator)), 1 << bits
    if q > total:
        raise ParameterError(f"q = {q} weights of at least 1 do not sum to 2^{bits}; accepted: q up to 2^word")
    half = _rising(_least_end(q, ratio, total), q - q // 2, ratio)
    weights = _capped(half + half[: q // 2][::-1], total)
    steps = (high * ratio[1] <= ratio[0] * low and low * ratio[1] <= ratio[0] * high for low, high in pairwise(weights))
    if min(weights) < 1 or not all(steps):
        longer = next((b for b in (64, 128, LARGEST_WORD) if b > bits), LARGEST_WORD)
        raise ParameterError(
            f"no table of {q} weights is found for epsilon = {epsilon} in {bits} bits; accepted: word = {longer}"
        )
    return ShiftedTable(epsilon, neighbours, exact, bits, tuple(weights))


def least_q(epsilon: RationalLike, delta: RationalLike, bits: int = 64, neighbours: str = "add-remove") -> int:
    """The least q whose table is (epsilon, delta)-differentially private: no bar loses more than q - 1 rows.

    Where words have so few bits that not every q has a table, it is the least q that has one.

    Source: FD.Shifted.built. Parameters: as shifted_table; delta in (0, 1), a rational. Returns: q >= 2.
    Raises: ParameterError, where delta is below 2^-bits with the number of bits that would do.
    """
    exact, relation = positive_epsilon(epsilon), dataset_neighbours(neighbours)
    allowed, word = probability(delta, "delta", zero=False, one=False), integer(bits, "word", 2, LARGEST_WORD)
    total = 1 << word
    ratio = ratio_below(2 * _exponent(exact, relation), word)
    end = _largest_end(allowed, total, relation)
    if end < 1:
        raise ParameterError(_too_small(allowed, word, relation))
    u, both, q = end, 0, 0  # both: twice the sum of u_0, ..., u_(q/2 - 1)
    while both < total and q <= LARGEST_Q:
        if both + u >= total:
            q += 1
            break
        both, q = both + 2 * u, q + 2
        u = u * int(ratio.numerator) // int(ratio.denominator)
    if q == 4 and relation == "replace-one" and _will_do(3, exact, allowed, word):
        return 3  # of w, w and w - 1, the only table with ends that differ
    if q > LARGEST_Q:
        raise ParameterError(f"q is above {LARGEST_Q} for epsilon = {exact}, delta = {allowed}; accepted: larger ones")
    if q * ratio > total * (ratio - 1) and not _will_do(q, exact, allowed, word, relation):
        return 1 << (q - 1).bit_length()  # weights so small that (i) wants them equal
    return q


def _will_do(q: int, epsilon: mpq, delta: mpq, bits: int, neighbours: Neighbours = "replace-one") -> bool:
    """Whether there is a table of q weights with at most this delta."""
    try:
        return _table(q, epsilon, bits, neighbours).delta <= delta
    except ParameterError:
        return False


def _largest_end(delta: mpq, total: int, neighbours: Neighbours) -> int:
    """The largest m with which ends of m give at most delta."""
    if neighbours == "add-remove":
        return int(delta.numerator * total // delta.denominator)
    low, high = 0, total  # 1 - (1 - m/T)^2 <= delta at low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if 1 - (1 - mpq(middle, total)) ** 2 <= delta else (low, middle)
    return low


def _too_small(delta: mpq, bits: int, neighbours: Neighbours) -> str:
    needed = next((b for b in (64, 128, LARGEST_WORD) if b > bits and _largest_end(delta, 1 << b, neighbours)), None)
    accepted = f"word = {needed}" if needed else "a larger delta"
    least = f"2^-{bits}" if neighbours == "add-remove" else f"about 2^-{bits - 1}"
    return f"delta = {delta} is below {least}, the least that words of {bits} bits give; accepted: {accepted}"
