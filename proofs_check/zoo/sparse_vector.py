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
from finitedp.proofs_check.zoo.exhibit import Exhibit, at_ratio
from finitedp.proofs_check.zoo.noise import HALF, geometric, noise_reaches

__all__ = ["EXHIBITS"]

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

LYU = "Lyu, Su, Li 2017, Understanding the sparse vector technique: "
CUT = "; geometric noise, cut"


def _exhibit(name: str, source: str, says: str, mechanism: SparseVector, ratio: int, queries: int, private: str) -> Exhibit:
    """One row, replaced: the answers change from any vector of bits to any other."""
    return Exhibit(
        f"sparse-vector/{name}",
        LYU + source + CUT,
        says,
        mechanism,
        at_ratio(ratio, "replace-one"),
        1,
        "holds" if private == "holds" else "fails",
        bits(queries),
    )


EXHIBITS = (
    _exhibit(
        "alg-1",
        "Algorithm 1, c = 1",
        "One noise for the threshold, one of twice the scale for each answer, and a stop at the first answer above.",
        _alg_1(1),
        16,
        3,
        "holds",
    ),
    _exhibit(
        "alg-1/two-above",
        "Algorithm 1, c = 2",
        "The scale of the answers' noise grows with the number of answers above that are allowed.",
        _alg_1(2),
        256,
        3,
        "holds",
    ),
    _exhibit(
        "alg-1/late-stop/4-queries",
        "Algorithm 1 with noise for c = 1, but a stop at the second answer above (the bug is ours)",
        "With four queries the bound still holds.",
        evolve(_alg_1(1), cutoff=2),
        16,
        4,
        "holds",
    ),
    _exhibit(
        "alg-1/late-stop/5-queries",
        "Algorithm 1 with noise for c = 1, but a stop at the second answer above (the bug is ours)",
        "With five queries it does not: each answer above must be paid for.",
        evolve(_alg_1(1), cutoff=2),
        16,
        5,
        "fails",
    ),
    _exhibit(
        "alg-2",
        "Algorithm 2 (Dwork and Roth 2014), c = 2",
        "The threshold gets fresh noise after each answer above; right, with more noise than is needed.",
        _alg_2(2),
        256,
        3,
        "holds",
    ),
    evolve(
        _exhibit(
            "alg-3/2-queries",
            "Algorithm 3 (Roth's lecture notes, 2011), c = 1",
            "It shows the noisy answer that was compared. With two queries the bound is just attained.",
            ALG_3,
            4,
            2,
            "holds",
        ),
        tight=True,
        worst_ratio=mpq(4),
    ),
    evolve(
        _exhibit(
            "alg-3/3-queries",
            "Algorithm 3 (Roth's lecture notes, 2011), c = 1",
            "The shown answer bounds the noisy threshold, so that every answer below it counts: 2 for each query.",
            ALG_3,
            4,
            3,
            "fails",
        ),
        worst_ratio=mpq(8),
    ),
    _exhibit(
        "alg-4",
        "Algorithm 4 (Lee and Clifton 2014, on frequent itemsets), c = 1",
        "The noise of the answers has half the scale that one answer above needs, and ignores how many are allowed.",
        ALG_4,
        16,
        2,
        "fails",
    ),
    _exhibit(
        "alg-4/at-7-quarters",
        "Algorithm 4 (Lee and Clifton 2014), c = 1, at (1 + 6 c) epsilon / 4, which the table gives for it",
        "What it does satisfy.",
        ALG_4,
        128,
        4,
        "holds",
    ),
    _exhibit(
        "alg-4/narrow-range",
        "Algorithm 4, c = 1, at the same claim; cutting the noise to a narrower range is ours",
        "Noisy answers cut to -1..2 and the threshold to -1..3: the cut alone breaks the bound of the uncut algorithm.",
        evolve(ALG_4, low=-1, high=2),
        128,
        4,
        "fails",
    ),
    evolve(
        _exhibit(
            "alg-5/1-query",
            "Algorithm 5 (Stoddard, Chen, Machanavajjhala 2014, on empirical machine learning)",
            "No noise on the answers: with one query the noise of the threshold is enough.",
            ALG_5,
            4,
            1,
            "holds",
        ),
        worst_ratio=mpq(2),
    ),
    evolve(
        _exhibit(
            "alg-5/2-queries",
            "Algorithm 5 (Stoddard, Chen, Machanavajjhala 2014, on empirical machine learning)",
            "With two queries the order of the answers is seen without noise.",
            ALG_5,
            4,
            2,
            "fails",
        ),
        worst_ratio="infinite",
        delta=mpq(1, 3),
    ),
    _exhibit(
        "alg-6/2-queries",
        "Algorithm 6 (Chen, Xiao, Zhang, Xu 2015, on high-dimensional data publication)",
        "No limit on the answers above, and their noise for one of sensitivity 1: with two queries the bound still holds.",
        ALG_6,
        4,
        2,
        "holds",
    ),
    _exhibit(
        "alg-6/3-queries",
        "Algorithm 6 (Chen, Xiao, Zhang, Xu 2015, on high-dimensional data publication)",
        "With three queries it does not, and the ratio grows with their number.",
        ALG_6,
        4,
        3,
        "fails",
    ),
)
