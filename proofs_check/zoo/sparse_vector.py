"""The sparse vector technique: which queries are above a threshold, for a claim that does not grow with their number.

The six algorithms of Lyu, Su and Li, "Understanding the sparse vector technique for differential privacy" (2017), Figure 1,
and the claims of its table. What is ours: Laplace noise is two-sided geometric, with a rational decay for e^(-1 / scale), and
its range is cut. The noisy threshold is clamped to -2..4 and noisy answers to -2..3, so that at 4 all answers are below, and
at -2 above. The published proofs are for noise without a bound; of this finite mechanism it is the run that says "holds".
Where the range is too narrow it does not: a cut inside of a comparison is not post-processing.

A row is a string of bits, one for each query: whether it counts there. Queries have the sensitivity 1, the threshold is 1.
"""

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.draws import HALF, geometric, noise_reaches
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds

THRESHOLD = 1


@frozen
class SparseVector:
    """A pass over the queries that tells of each whether its noisy answer reaches the noisy threshold.

    Parameters: threshold, answer, decays of the noise (answer = 0: none); cutoff, after how many answers above to stop (None:
    never); renewed, whether the threshold gets fresh noise after an answer above; numeric, whether the noisy answer is shown;
    low, high, the range of noisy answers: the noisy threshold is in low..high + 1.
    """

    threshold: mpq
    answer: mpq
    cutoff: int | None = 1
    renewed: bool = False
    numeric: bool = False
    low: int = -2
    high: int = 3

    def __call__(self, data: tuple[str, ...], coins: Coins) -> tuple[object, ...]:
        """True for above and False for below, or the noisy answer and None, up to the cutoff."""
        shown: list[object] = []
        above = 0
        bound = self._noisy_threshold(coins)
        for query in zip(*data, strict=True):
            answer = sum(map(int, query))
            shown.append(self._noisy_answer(coins, answer, bound) if self.numeric else self._reaches(coins, answer, bound))
            if shown[-1] is False or shown[-1] is None:
                continue
            above += 1
            if above == self.cutoff:
                break
            bound = self._noisy_threshold(coins) if self.renewed else bound
        return tuple(shown)

    def _noisy_threshold(self, coins: Coins) -> int:
        return geometric(coins, THRESHOLD, self.threshold, self.low, self.high + 1)

    def _reaches(self, coins: Coins, answer: int, bound: int) -> bool:
        """Whether the noisy answer, clamped, is at least the bound: only that is drawn."""
        if not self.answer:
            return answer >= bound
        return bound <= self.low or (bound <= self.high and noise_reaches(coins, self.answer, bound - answer))

    def _noisy_answer(self, coins: Coins, answer: int, bound: int) -> object:
        noisy = geometric(coins, answer, self.answer, self.low, self.high)
        return noisy if noisy >= bound else None


def bits(queries: int) -> tuple[str, ...]:
    """All rows."""
    return tuple(f"{row:0{queries}b}" for row in range(2**queries))


def _alg_1(c: int) -> SparseVector:
    """Threshold with scale 1 / epsilon_1, answers with 2 c / epsilon_2; at answer decay 1/2 that is e^epsilon = 2^(4 c)."""
    return SparseVector(HALF ** (2 * c), HALF, cutoff=c)


def _alg_2(c: int) -> SparseVector:
    """Threshold with scale c / epsilon_1 and renewed, answers with 2 c / epsilon_2: e^epsilon = 2^(4 c)."""
    return SparseVector(HALF**2, HALF, cutoff=c, renewed=True)


ALG_3 = SparseVector(HALF, HALF, numeric=True)
"""c = 1: both scales 2 / epsilon, so that e^epsilon = 4. For k queries, (0, ..., 0, 1) and (1, ..., 1, 0): below k - 1 times,
then the answer 1, which no threshold above 1 allows; each answer has a ratio of exactly 2 there: 2^k."""
ALG_4 = SparseVector(HALF, HALF**3)
"""c = 1: epsilon_1 = epsilon / 4, scale 1 / epsilon_2 whatever c is: e^epsilon = 16, and really 16^((1 + 6 c) / 4) = 128."""
ALG_5 = SparseVector(HALF, mpq(0), cutoff=None)
"""No noise on answers. (below, above) for the answers (0, 1) needs the noisy threshold 1, so that it has probability 1/3; for
(0, 0) it is impossible."""
ALG_6 = SparseVector(HALF, HALF, cutoff=None)
"""Both scales 2 / epsilon, no cutoff: e^epsilon = 4."""

LYU = "Lyu, Su, Li 2017, Understanding the sparse vector technique: Algorithm "
CUT = "; geometric noise, cut"
LATE = "1 with noise for c = 1, but a stop at the second answer above (the bug is ours)"


def _family(name: str, algorithm: str, ratio: int) -> Family:
    """One row, replaced: the answers change from any vector of bits to any other."""
    return Family(f"sparse-vector/{name}", LYU + algorithm + CUT, at_ratio(ratio, "replace-one"))


EXHIBITS = (
    *_family("alg-1", "1, c = 1", 16).exhibits(
        holds("", _alg_1(1), universe=bits(3)).because(
            "One noise for the threshold, one of twice the scale for each answer, and a stop at the first answer above."
        ),
    ),
    *_family("alg-1/two-above", "1, c = 2", 256).exhibits(
        holds("", _alg_1(2), universe=bits(3)).because(
            "The scale of the answers' noise grows with the number of answers above that are allowed."
        ),
    ),
    *_family("alg-1/late-stop", LATE, 16).exhibits(
        holds("4-queries", evolve(_alg_1(1), cutoff=2), universe=bits(4)).because("With four queries the bound still holds."),
        fails("5-queries", evolve(_alg_1(1), cutoff=2), universe=bits(5)).because(
            "With five queries it does not: each answer above must be paid for."
        ),
    ),
    *_family("alg-2", "2 (Dwork and Roth 2014), c = 2", 256).exhibits(
        holds("", _alg_2(2), universe=bits(3)).because(
            "The threshold gets fresh noise after each answer above; right, with more noise than is needed."
        ),
    ),
    *_family("alg-3", "3 (Roth's lecture notes, 2011), c = 1", 4).exhibits(
        attained("2-queries", ALG_3, universe=bits(2)).because(
            "It shows the noisy answer that was compared. With two queries the bound is just attained."
        ),
        fails("3-queries", ALG_3, 8, universe=bits(3)).because(
            "The shown answer bounds the noisy threshold, so that every answer below it counts: 2 for each query."
        ),
    ),
    *_family("alg-4", "4 (Lee and Clifton 2014, on frequent itemsets), c = 1", 16).exhibits(
        fails("", ALG_4, universe=bits(2)).because(
            "The noise of the answers has half the scale that one answer above needs, and ignores how many are allowed."
        ),
    ),
    *_family(
        "alg-4/at-7-quarters", "4 (Lee and Clifton 2014), c = 1, at (1 + 6 c) epsilon / 4, which the table gives for it", 128
    ).exhibits(
        holds("", ALG_4, universe=bits(4)).because("What it does satisfy."),
    ),
    *_family("alg-4/narrow-range", "4, c = 1, at the same claim; cutting the noise to a narrower range is ours", 128).exhibits(
        fails("", evolve(ALG_4, low=-1, high=2), universe=bits(4)).because(
            "Noisy answers cut to -1..2 and the threshold to -1..3: the cut alone breaks the bound of the uncut algorithm."
        ),
    ),
    *_family("alg-5", "5 (Stoddard, Chen, Machanavajjhala 2014, on empirical machine learning)", 4).exhibits(
        holds("1-query", ALG_5, 2, universe=bits(1)).because(
            "No noise on the answers: with one query the noise of the threshold is enough."
        ),
        fails("2-queries", ALG_5, "infinite", "1/3", universe=bits(2)).because(
            "With two queries the order of the answers is seen without noise."
        ),
    ),
    *_family("alg-6", "6 (Chen, Xiao, Zhang, Xu 2015, on high-dimensional data publication)", 4).exhibits(
        holds("2-queries", ALG_6, universe=bits(2)).because(
            "No limit on the answers above, and their noise for one of sensitivity 1: with two queries the bound still holds."
        ),
        fails("3-queries", ALG_6, universe=bits(3)).because(
            "With three queries it does not, and the ratio grows with their number."
        ),
    ),
)
