"""Which partitions exist, and whether a result is stable: thresholds that are worth a delta, and propose-test-release."""

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.draws import HALF, flip, geometric, noise_reaches
from finitedp.proofs_check.zoo.exhibit import Family, attained, fails, holds


@frozen
class Optimal:
    """Whether a partition of `count` rows is kept, with probability pi(count), at r = 2 for e^epsilon and delta = 1/10.

    pi(0) = 0, pi(c + 1) = min(r pi(c) + delta, 1 - (1 - pi(c) - delta) / r, 1): 0, 1/10, 3/10, 7/10, 9/10, 1. Without the
    second bound: 0, 1/10, 3/10, 7/10, 1, so that the count 3 is dropped with probability 3/10 and the count 4 never.
    """

    second_bound: bool = True

    def pi(self, count: int) -> mpq:
        """The probability of keeping."""
        if count == 0:
            return mpq(0)
        before, delta = self.pi(count - 1), mpq(1, 10)
        upper = 1 - (1 - before - delta) / 2 if self.second_bound else mpq(1)
        return min(2 * before + delta, upper, mpq(1))

    def __call__(self, count: int, coins: Coins) -> bool:
        """Whether it is kept."""
        return flip(coins, self.pi(count))


@frozen
class Threshold:
    """The noisy counts, up to threshold + 1, of the partitions a and b that have rows and whose noisy count reaches it.

    A row "ab" counts in both. A single row passes with probability 2^(1 - threshold) / (3/2): 1/12 for 4, 1/6 for 3. A
    row "ab" by itself is seen with probability 1 - (11/12)^2 = 23/144.
    """

    threshold: int = 4

    def __call__(self, data: tuple[str, ...], coins: Coins) -> tuple[tuple[str, int], ...]:
        """Partitions with their noisy counts."""
        shown = []
        for label in "ab":
            count = sum(label in row for row in data)
            if not count:
                continue
            noisy = geometric(coins, count, HALF, 0, self.threshold + 1)
            if noisy >= self.threshold:
                shown.append((label, noisy))
        return tuple(shown)


@frozen
class TestedMajority:
    """The majority of an odd number of bits, if a test finds that it is stable: noisy distance at least the threshold.

    The distance is how many rows can be replaced without changing the majority; it is 0 on both sides of a change, where
    the majority passes with probability 2^-threshold / (3/2): 1/12 for 3, 1/6 for 2.
    """

    threshold: int = 3
    noisy: bool = True

    def __call__(self, data: tuple[int, ...], coins: Coins) -> int | None:
        """The majority, or None."""
        ones = sum(data)
        majority = int(2 * ones > len(data))
        distance = max(ones, len(data) - ones) - (len(data) + 1) // 2
        passes = noise_reaches(coins, HALF, self.threshold - distance) if self.noisy else distance >= self.threshold
        return majority if passes else None


OPTIMAL = (
    "Desfontaines, Voss, Gipson, Mandayam 2022, Differentially private partition selection: the optimal strategy for a row in "
    "one partition, at the rational e^epsilon = 2"
)
KOROLOVA = (
    "Korolova, Kenthapadi, Mishra, Ntoulas 2009, Releasing search queries and clicks privately: noisy counts above a "
    "threshold; with geometric noise"
)
PTR = (
    "Dwork, Lei 2009, Differential privacy and robust statistics: propose-test-release, releasing a majority itself where its "
    "distance to a change passes the noisy test; geometric noise"
)
TWELFTH = PrivacyClaim("7/10", "add-remove", "1/12")  # 7/10 is just above ln 2
MAJORITY = PrivacyClaim("7/10", "replace-one", "1/12")
BITS, LABELS = (0, 1), ("a", "b")

EXHIBITS = (
    *Family("partition-selection", OPTIMAL, PrivacyClaim("7/10", "counts", "1/10"), n=6).exhibits(
        attained("optimal", Optimal(), "infinite").because(
            "Keeping as often as the definition allows: the bound is attained."
        ),
        fails("one-sided", Optimal(second_bound=False), "infinite", "3/10").because(
            "Keeping is bounded by the count before, but dropping is not bounded by the count after.",
            "; leaving out the second bound is ours",
        ),
    ),
    *Family("partition-threshold", KOROLOVA, TWELFTH, LABELS, n=3).exhibits(
        attained("", Threshold(), "infinite").because(
            "A partition of a single row passes with probability 1/12, which is delta."
        ),
        fails("off-by-one", Threshold(3), "infinite", "1/6").because(
            "Greater-or-equal where greater is due: delta is twice as large.",
            "; the threshold one too low is the folklore bug",
        ),
        fails("two-partitions", Threshold(), "infinite", "23/144", n=2, universe=("a", "b", "ab")).because(
            "A row in both partitions may reveal itself in either, and changes two counts.",
            "; rows in two partitions without a bound on contributions are the folklore bug",
        ),
    ),
    *Family("propose-test-release", PTR, MAJORITY, BITS, n=5).exhibits(
        attained("", TestedMajority(), "infinite").because(
            "Where the majority can change, the test passes with probability 1/12, which is delta."
        ),
        fails("off-by-one", TestedMajority(2), "infinite", "1/6").because(
            "The test passes twice as often as delta allows.", "; the threshold one too low is the folklore bug"
        ),
    ),
    *Family("propose-test-release/no-noise", PTR + "; leaving out the noise of the test is ours", MAJORITY, BITS).exhibits(
        holds("1-row", TestedMajority(1, noisy=False), 1).because(
            "With one row the distance is always 0, so that the test never passes."
        ),
        fails("3-rows", TestedMajority(1, noisy=False), "infinite", 1, n=3).because(
            "With three rows it passes for three equal ones, and that is seen."
        ),
    ),
)
