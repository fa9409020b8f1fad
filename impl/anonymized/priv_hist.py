"""PrivHist: an anonymized histogram with noise from dyadic tables, in integers throughout.

Two branches. `split`: the counts up to a threshold T are released as cumulative prevalences, the W largest as counts, where W
is itself noisy. `smooth`: the number of items in blocks between public places. Both begin with a noisy number of items N, and
all that is public, T, M and the places, follows from U, the parameters and what is released before.
"""

from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property, lru_cache
from math import isqrt
from typing import Literal

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, ceil_log, integer, rational
from finitedp.impl.anonymized.prevalences import Reading, checked_pairs, count_labels
from finitedp.impl.anonymized.released import Released, smooth_output, split_output
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, positive_epsilon
from finitedp.impl.randomness.coins import Coins

__all__ = ["LARGEST_N", "SPLIT_FROM", "Branch", "PrivHist", "Released", "priv_hist", "priv_hist_as_printed", "word_for"]

Branch = Literal["split", "smooth"]
SPLIT_FROM = mpq(1, 20)  # the default branch is `split` from this epsilon on
LARGEST_N = 10**12  # its padded prevalences have 1.4 million rows
_PLACES = 32  # binary places of q


def _universe(value: int) -> int:
    return int(integer(value, "n", 1, LARGEST_N))


def _word(value: int) -> int:
    return int(integer(value, "word", 2, LARGEST_WORD))


def _spent(value: RationalLike) -> mpq:
    epsilon = rational(value, "epsilon3")
    if epsilon < 0:
        raise ParameterError(f"epsilon3 = {epsilon} is negative; accepted: 0 for the branch split, else a rational above 0")
    return epsilon


def _branch(value: str) -> Branch:
    if value not in ("split", "smooth"):
        raise ParameterError(f"branch = {value!r} is unknown; accepted: split, smooth")
    return value  # type: ignore[return-value]  # one of the two


def _scale(value: RationalLike | None) -> mpq | None:
    return None if value is None else positive_epsilon(rational(value, "threshold"))


def _fixed(value: int | None) -> int | None:
    return None if value is None else int(integer(value, "fakes", at_least=1))


@frozen(slots=False)
class PrivHist:
    """An anonymized histogram with at most n items, and a noisy number of items.

    Source: PH.PrivHist.private.
    Parameters: n, U, the public bound of the items, 1 to 10^12; epsilon1, epsilon2, epsilon3, what is spent on the number
    of items, on the split, and on the blocks, of which the last is 0 in the branch split; branch; threshold, c > 0 for
    T = ceil(c sqrt(N)), or None for the paper's ceil(sqrt(N min(epsilon, 1))); word, the bits of a draw; fakes, M >= 1, or
    None for the paper's; last, T' of the branch smooth, or None for the paper's.
    Raises: ParameterError, also where no table of that many bits exists.
    """

    n: int = field(converter=_universe)
    epsilon1: mpq = field(converter=positive_epsilon)
    epsilon2: mpq = field(converter=positive_epsilon)
    epsilon3: mpq = field(converter=_spent, default=mpq(0))
    branch: Branch = field(converter=_branch, default="split")
    threshold: mpq | None = field(converter=_scale, default=None)
    word: int = field(converter=_word, default=64)
    fakes: int | None = field(converter=_fixed, default=None)
    last: int | None = field(default=None)

    def __attrs_post_init__(self) -> None:
        if (self.branch == "smooth") != (self.epsilon3 > 0):
            raise ParameterError(
                f"epsilon3 = {self.epsilon3} does not fit the branch {self.branch}; accepted: 0 for split, above 0 for smooth"
            )
        if self.last is not None:
            integer(self.last, "last", at_least=1)
        for name, share in (("items", "epsilon1"), ("parts", "epsilon2"), ("blocks", "epsilon3"))[: 2 + (self.epsilon3 > 0)]:
            try:
                _ = getattr(self, name).table  # refuses parameters without a table
            except ParameterError as error:
                given = f"which has twice {share} = {getattr(self, share)}, of {self.epsilon} in all"
                raise ParameterError(f"the table of the {name}, {given}: {error}") from None

    # What is public

    @cached_property
    def epsilon(self) -> mpq:
        """epsilon1 + epsilon2 + epsilon3."""
        return self.epsilon1 + self.epsilon2 + self.epsilon3

    @cached_property
    def items(self) -> DyadicSample:
        """The noise of the number of items, on 0..U. A table's epsilon is for two steps: hence twice epsilon1."""
        return DyadicSample(self.n, 2 * self.epsilon1, self.word)

    @cached_property
    def parts(self) -> DyadicSample:
        """The noise of W, of the large counts and of phi_{r+}, on 0..U + 2M."""
        return DyadicSample(self.n + 2 * self.fakes_at(self.n), 2 * self.epsilon2, self.word)

    @cached_property
    def blocks(self) -> DyadicSample:
        """The noise of the blocks, on -U..2U, moved up by U."""
        return DyadicSample(3 * self.n, 2 * self.epsilon3, self.word)

    @property
    def mechanisms(self) -> tuple[DyadicSample, ...]:
        """The dyadic tables in use: two, or three in the branch smooth."""
        return (self.items, self.parts, self.blocks) if self.branch == "smooth" else (self.items, self.parts)

    def threshold_at(self, total: int) -> int:
        """T for a noisy number of items N >= 1."""
        scale = mpq(min(self.epsilon, mpq(1))) if self.threshold is None else self.threshold**2
        return max(1, _ceil_sqrt(total * scale))

    def fakes_at(self, total: int) -> int:
        """M for N >= 1: the ceiling of max(2 ln(N e^epsilon2), 1) / epsilon2, exactly."""
        return _fakes(self.epsilon2, total) if self.fakes is None else self.fakes

    def last_at(self, total: int) -> int:
        """T' for N >= 1: the ceiling of 10 sqrt(N / epsilon3^3)."""
        return _ceil_sqrt(mpq(100 * total, self.epsilon3**3)) if self.last is None else self.last

    def stride_at(self, total: int) -> int:
        """2^32 q, rounded down, where q = sqrt(lam / (N epsilon3)) and lam = max(1, 7/10 ceil log2(1/epsilon3)).

        The paper's lam is ln(1/epsilon3), at most ours, which is 0 or negative from epsilon3 = 1 on. Source: PH.H2.
        """
        doublings = ceil_log2(int(-(-self.epsilon3.denominator // self.epsilon3.numerator)))
        scaled = mpq((1 << 2 * _PLACES) * max(mpq(1), mpq(7 * doublings, 10)), total * self.epsilon3)
        return isqrt(int(scaled.numerator // scaled.denominator))

    def most_large_at(self, total: int) -> int:
        """The largest W: floor(U / (T + 1)) + 2M."""
        return self.n // (self.threshold_at(total) + 1) + 2 * self.fakes_at(total)

    def reads_large(self, total: int) -> bool:
        """Whether the large counts are drawn: always in the branch split, and in the branch smooth where T' <= 2N."""
        return self.branch == "split" or self.last_at(total) <= 2 * total

    # The release

    def release(self, data: Iterable[Hashable], coins: Coins) -> Released:
        """The release for a dataset of labels. Raises: DataError for more than n rows.

        Source: PH.PrivHist.law.split, PH.PrivHist.law.smooth.
        """
        return self.release_pairs(count_labels(data), coins)

    def release_pairs(self, given: Mapping[int, int] | Iterable[tuple[int, int]], coins: Coins) -> Released:
        """The release for a histogram in prevalence form: pairs of a count and its prevalence.

        Source: PH.PrivHist.law.split, PH.PrivHist.law.smooth.
        Raises: DataError for what is no histogram or has more than n items, before any draw: that a dataset was refused is
        outside of the claim.
        Cost: O(t + T + W + |S|) steps, for t padded to what U allows; one word for N, one for W, and W + T words or |S|.
        """
        reading = Reading(checked_pairs(given), self.n)
        total = int(self.items.release(reading.items, coins))
        if total == 0:
            return Released((), 0)
        threshold, fakes = self.threshold_at(total), self.fakes_at(total)
        large = self._large(reading, total, coins) if self.reads_large(total) else []
        if self.branch == "smooth":
            return self._smooth(reading, total, large, coins)
        shift = 2 * fakes - len(large)
        small = [int(self.parts.release(max(0, x + shift), coins)) for x in reading.up_to(threshold)]
        return split_output(total, threshold, fakes, large, small)

    def _large(self, reading: Reading, total: int, coins: Coins) -> list[int]:
        """The noisy large counts; their number W is the noisy phi_{(T+1)+} + M, cut off at a public bound."""
        t, m = self.threshold_at(total), self.fakes_at(total)
        w = min(int(self.parts.release(reading.at_least(t + 1) + m, coins)), self.most_large_at(total))
        return [t + int(self.parts.release(x - t, coins)) for x in reading.largest(w, t + 1)]

    def _smooth(self, reading: Reading, total: int, large: list[int], coins: Coins) -> Released:
        places = self.places_at(total, large)
        noisy = [self._noisy_block(a, coins) for a in reading.blocks(places)]
        return smooth_output(total, self.threshold_at(total), self.fakes_at(total), large, places, noisy)

    def _noisy_block(self, block: int, coins: Coins) -> int:
        """A noisy block: clamped to -U..2U, since clamping at 0 would move the mean of every empty block."""
        return int(self.blocks.release(block + self.n, coins)) - self.n

    def places_at(self, total: int, large: Iterable[int]) -> list[int]:
        """S: 1..T, steps that grow with s up to T', the noisy large counts from T' on, and 2N; ascending and distinct.

        Source: PH.H2. Parameters: total, N >= 1; large, the noisy large counts.
        """
        top, t, last, q = 2 * total, self.threshold_at(total), self.last_at(total), self.stride_at(total)
        places = set(range(1, min(t, top) + 1)) | {top}
        s, end = t, min(last, top)
        while (s := s + max(1, s * q >> _PLACES)) <= end:
            places.add(s)
        return sorted(places.union(x for x in large if last <= x <= top))

    # What is promised

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:  # words of bits are exact on all coins
        """(epsilon, 0) for one item more or less, with the product of the tables' ratios. Source: PH.PrivHist.private.

        For k items more or less the k-th power of the ratio, for a replaced item the square. Everything in `Released` is
        covered. That data with more than n items are refused is not.
        """
        ratio = mpq(1)
        for mechanism in self.mechanisms:
            ratio *= mechanism.table.ratio
        return PrivacyClaim(self.epsilon, "add-remove", ratio=ratio, source="PH.PrivHist.private")

    def replace_one_claim(self) -> PrivacyClaim:
        """(2 epsilon, 0) for one item replaced, which is one less and one more: the square of the ratio."""
        one = self.claim()
        return PrivacyClaim(
            2 * one.epsilon, "replace-one", ratio=None if one.ratio is None else one.ratio**2, source=one.source
        )

    def certificate(self) -> dict[str, object]:
        """The tables and their ranges as a JSON document, which proofs_check/dyadic_certificate.py re-checks by itself.

        Source: PH.PrivHist.private. Returns: numbers as decimal strings.
        """
        tables = dict(zip(("items", "parts", "blocks"), self.mechanisms, strict=False))
        numbers = {"n": self.n, "fakes": self.fakes_at(self.n), "epsilon": self.epsilon, "ratio": self.claim().ratio}
        return {
            "format": "finitedp anonymized histogram",
            "version": 1,
            "branch": self.branch,
            **{name: str(number) for name, number in numbers.items()},
            "tables": {name: mechanism.table.certificate() for name, mechanism in tables.items()},
        }

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """The error of N, the noisy number of items: exact. That of the histogram is measured, see the manual."""
        return self.items.accuracy(beta)

    def draws(self, released: Released) -> int:
        """How many words a release took: a function of what was released."""
        if released.total == 0:
            return 1
        return 1 + self.reads_large(released.total) + len(released.large) + len(released.small) + len(released.blocks)

    def cost(self) -> Cost:
        """Bounds, over all data and draws: W is at most floor(U / 2) + 2M. `draws` says what a release took.

        A release takes 1 + 1 + W + T words, or |S| for T, with W about phi_{(T+1)+} + M.
        """
        large = self.n // 2 + 2 * self.fakes_at(self.n)
        rest = self.threshold_at(self.n) if self.branch == "split" else 2 * self.n
        each = self.parts.cost().steps if self.branch == "split" else max(m.cost().steps for m in self.mechanisms)
        draws = 2 + large + rest
        return Cost(draws, draws * self.word, draws * each, exact=False)


def _ceil_sqrt(x: mpq) -> int:
    """The least s >= 0 with s^2 >= x, for a rational x >= 0."""
    ceiling = int(-(-x.numerator // x.denominator))
    root = isqrt(ceiling)
    return root + (root * root < ceiling)


@lru_cache(maxsize=256)
def _fakes(epsilon2: mpq, total: int) -> int:
    return max(2 + ceil_log(mpq(2, epsilon2), total), int(-(-epsilon2.denominator // epsilon2.numerator)))


def word_for(n: int, epsilon: mpq) -> int:
    """64, or 128 bits where n^2 / epsilon is not far below 2^64, and rare events would move the mean of the noise."""
    return 64 if n * n <= epsilon * (1 << 44) else 128


def priv_hist(
    n: int,
    epsilon: RationalLike,
    *,
    branch: Branch | None = None,
    threshold: RationalLike | None = None,
    word: int | None = None,
) -> PrivHist:
    """PrivHist as we recommend it: split .05 / .95, or smooth .1 / .2 / .7, of epsilon.

    Source: PH.PrivHist.private. Parameters: n >= 1, the public bound of the number of items; epsilon > 0, any rational;
    branch, by default split from epsilon = 1/20 on and smooth below; threshold, c for T = ceil(c sqrt(N)), by default 1/2 in
    the branch split and the paper's in the branch smooth; word, by default what `word_for` says. Raises: ParameterError.
    """
    e = positive_epsilon(epsilon)
    chosen = _branch(("split" if e >= SPLIT_FROM else "smooth") if branch is None else branch)
    if chosen == "split":
        bits = word_for(n, mpq(e, 20)) if word is None else word
        return PrivHist(n, mpq(e, 20), mpq(19 * e, 20), 0, "split", mpq(1, 2) if threshold is None else threshold, bits)
    bits = word_for(3 * n, mpq(e, 10)) if word is None else word
    return PrivHist(n, mpq(e, 10), mpq(e, 5), mpq(7 * e, 10), "smooth", threshold, bits)


def priv_hist_as_printed(n: int, epsilon: RationalLike, word: int | None = None) -> PrivHist:
    """PrivHist as the paper prints it: thirds of epsilon, the branch split where epsilon > 1, else smooth.

    In the branch split the third that the blocks would cost is not spent: the claim is 2 epsilon / 3. Source: PH.Thm1.claim.
    """
    e = positive_epsilon(epsilon)
    bits = word_for(3 * n, mpq(e, 3)) if word is None else word
    if e > 1:
        return PrivHist(n, mpq(e, 3), mpq(e, 3), 0, "split", 1, bits)  # ceil(sqrt(N)), though less than epsilon is spent
    return PrivHist(n, mpq(e, 3), mpq(e, 3), mpq(e, 3), "smooth", None, bits)
