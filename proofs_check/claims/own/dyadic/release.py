"""DyadicSample, our own: the law of the running code, its privacy, accuracy and cost, on one count and on arrays."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.exact import RationalLike
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import apply_array, apply_array_data_dependent_time, limbs
from finitedp.impl.randomness.coins import BitMeter, ExactCoins, SeededBits, StrictCoins
from finitedp.numbers import brief
from finitedp.proofs_check.claims.bv.counting.subjects import BETAS, exploration, monotone, running_law
from finitedp.proofs_check.claims.own.dyadic import twins
from finitedp.proofs_check.claims.own.dyadic.subjects import SMALL, SMALL_MORE, SMALL_QUICK, Dyadic
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, equal, of_privacy, own, same_law
from finitedp.spec import dyadic as spec
from finitedp.spec.accuracy import least_accuracy
from finitedp.spec.neighbours import count_pairs

BULK = "finitedp.impl.counting.dyadic_bulk"

Make = Callable[[int, RationalLike, int], DyadicSample]
CODE = ["finitedp.impl.counting.dyadic.DyadicSample", "finitedp.spec.dyadic.dyadic_sample"]
FEW_ROWS = Cases([x for x in SMALL_QUICK if x.n <= 12], [x for x in SMALL_MORE if x.n <= 12])


def _made(make: Make, case: Dyadic) -> DyadicSample:
    return make(case.n, case.epsilon, case.word)


@cache
def _counts(n: int) -> list[int]:
    """All counts up to n = 12, else those near the ends, in the middle, and some between."""
    return list(range(n + 1)) if n <= 12 else sorted({0, 1, 2, n // 7, n // 2, n - n // 3, n - 1, n})


@own(
    "FD.Dyadic.law",
    "DyadicSample's law is count + Z clamped to 0..n, with Z = +-j with probability w_j / 2^B for the weights of the table.",
    over="every count up to n = 12, else eight of them; the law of the running code by the explorer against the definition",
    code=CODE,
    grid=SMALL,
    subject=DyadicSample,
    twins={
        "leftover at the centre": twins.LeftoverAtCentre,
        "floor for ceiling": twins.RoundedDown,
        "last entry one too small": twins.LastTooSmall,
        "m <= S_j": twins.AtMost,
        "reflected instead of clamped": twins.Reflected,
    },
)
def law(make: Make, case: Dyadic) -> Iterator[Finding]:
    mechanism, weights = make(*case), case.weights
    found = running_law(mechanism)
    for c in _counts(case.n):
        expected = spec.law(weights, c)
        yield same_law(found(c), expected, f"count {c}")
        ends = list(accumulate(int(expected.weight(z)) for z in range(-1, case.n + 2)))
        yield equal([mechanism.cdf(c, z) for z in range(-1, case.n + 2)], ends, f"cdf at count {c}")


WORDS = cases(
    Dyadic,
    [(1, "1", 6), (2, "1/3", 9), (5, "1", 8), (12, "9", 10), (30, "1/2", 10)],
    [(1, "1/9", 16), (4, "1/5", 16), (40, "1/2", 12), (7, "2/3", 14), (1000, "1/2", 16)],
)


@own(
    "FD.Dyadic.words",
    "All 2^B words, each tried on the scalar path, give exactly the table's law, in rising order.",
    over="every word of up to 10 bits (16 in full), at the counts 0, 1, n/2 and n",
    code=["finitedp.impl.counting.dyadic.DyadicSample.apply"],
    grid=WORDS,
    subject=DyadicSample,
    twins={"m <= S_j": twins.AtMost, "reflected instead of clamped": twins.Reflected, "decreasing in u": twins.Reversed},
)
def words(make: Make, case: Dyadic) -> Iterator[Finding]:
    mechanism, weights = make(*case), case.weights
    for c in sorted({0, 1, case.n // 2, case.n}):
        expected = spec.law(weights, c)
        outputs = [z for z in range(case.n + 1) for _ in range(int(expected.weight(z)))]
        found = [mechanism.apply(c, u) for u in range(1, 2**case.word + 1)]
        yield equal(found == outputs, True, f"all outputs at count {c} in order")


Array = NDArray[np.int64]


ARRAYS = cases(
    Dyadic,
    [
        *WORDS.of("quick"),
        *((2, "1/3", 64), (70, "4", 64), (300, "1", 20), (9, "3/2", 128), (200, "6", 128), (9, "1", 65)),
    ],
    [
        *WORDS.of("full"),
        *((1000, "1/10", 64), (2000, "1/2", 128), (400, "1/3", 162), (90, "7/2", 200), (3, "1/10", 54)),
    ],
)


def _telling_words(case: Dyadic) -> list[int]:
    """All words up to 16 bits; else both sides of every threshold of either sign, which decide for a path that is monotone."""
    if case.word <= 16:
        return list(range(2**case.word))
    whole = 2**case.word
    near = {end + step for end in spec.tails(case.weights) for step in (-1, 0)}
    return sorted(word for x in near for word in (x, whole - 1 - x) if 0 <= word < whole)


def as_array(words_: list[int], parts: int) -> NDArray[np.uint64]:
    """Words as rows of limbs, the most significant first; as one row where there is one limb."""
    rows = [[word >> 64 * i & (2**64 - 1) for word in words_] for i in reversed(range(parts))]
    return np.array(rows if parts > 1 else rows[0], np.uint64)


def _first_limb(mechanism: DyadicSample, counts: Array, drawn: NDArray[np.uint64]) -> Array:
    """The lower limbs of the words taken for 0."""
    cut = drawn.copy()
    if drawn.ndim > 1:
        cut[1:] = 0
    return apply_array(mechanism, counts, cut)


@own(
    "FD.Dyadic.arrays",
    """On arrays the strict path and the one whose time depends on the noise both give, on the same words, what the definition
    gives.""",
    over="all words up to 16 bits; beyond, both sides of every threshold; the counts 0, 1, n/2, n-1 and n",
    code=[f"{BULK}.apply_array", f"{BULK}.apply_array_data_dependent_time", f"{BULK}.release_array"],
    grid=ARRAYS,
    subject=(apply_array, apply_array_data_dependent_time),
    twins={
        "the last bit not looked at": (lambda m, c, w: apply_array(m, c, w | np.uint64(1)),),
        "the first limb alone": (_first_limb,),
        "the sign turned": (lambda m, c, w: apply_array(m, c, ~w & np.uint64(2 ** min(m.word, 64) - 1)),),
    },
    sampled="all words up to 16 bits; beyond, both sides of every threshold; five counts",
)
def arrays(paths: tuple[Callable[[DyadicSample, Array, NDArray[np.uint64]], Array], ...], case: Dyadic) -> Iterator[Finding]:
    mechanism, weights, listed = DyadicSample(*case), case.weights, _telling_words(case)
    drawn = as_array(listed, limbs(mechanism))
    for c in sorted({0, 1, case.n // 2, case.n - 1, case.n}):
        expected = spec.law(weights, c)
        ends = list(accumulate(int(expected.weight(z)) for z in range(case.n + 1)))
        outputs = [bisect_left(ends, word + 1) for word in listed]
        for i, path in enumerate(paths):
            found = path(mechanism, np.full(len(listed), c), drawn)
            yield equal(found.tolist() == outputs, True, f"path {i} at count {c}, {len(listed)} words")


def _claimed(case: Dyadic) -> PrivacyClaim:
    return PrivacyClaim(mpq(case.epsilon) / 2, "counts", ratio=case.ratio, source="FD.Dyadic.private")


@own(
    "FD.Dyadic.private",
    """DyadicSample is (epsilon/2, 0)-differentially private for counting queries, for every rational epsilon > 0: its worst
    ratio is at most R <= e^(epsilon/2), with no slack on any coins.""",
    over="every pair of neighbouring counts, n up to 12; the law of the running code by the explorer",
    code=["finitedp.impl.counting.dyadic.DyadicSample.claim"],
    grid=FEW_ROWS,
    subject=DyadicSample,
    twins={
        "leftover at the centre": twins.LeftoverAtCentre,
        "floor for ceiling": twins.RoundedDown,
        "last entry one too small": twins.LastTooSmall,
    },
)
def private(make: Make, case: Dyadic) -> Finding:
    claim, mechanism = _claimed(case), DyadicSample(*case)
    found = of_privacy(check_privacy(running_law(make(*case)), count_pairs(case.n), claim), claim)
    stated = [mechanism.claim(coins) for coins in (None, ExactCoins(), StrictCoins())]
    return all_of([found, equal(stated, [claim] * 3, "stated claims")])


@own(
    "FD.Dyadic.coins",
    "The law is the same on the strict coins, whose draws from other ranges are not exact: a word of bits is.",
    over="the counts 0, n/2 and n; the running coins by the explorer",
    code=["finitedp.impl.counting.dyadic.DyadicSample.release", "finitedp.impl.randomness.coins.StrictCoins.bits"],
    grid=Cases(SMALL_QUICK[::3], SMALL_MORE[::5]),
    subject=DyadicSample,
    twins={"a draw from 1..2^B + 1": twins.OtherRange},
)
def coins(make: Make, case: Dyadic) -> Iterator[Finding]:
    mechanism, weights = make(*case), case.weights
    for c in sorted({0, case.n // 2, case.n}):
        found = explore(lambda lazy, c=c: mechanism.release(c, StrictCoins(lazy.bits)))  # type: ignore[misc]
        yield same_law(found.law(), spec.law(weights, c), f"count {c}")


@own(
    "FD.Dyadic.cost",
    """Every count and every word cost the same: one draw of exactly B bits and ceil(log2(h+1)) + 4 comparisons, h the number
    of weights before they are constant; two more check that the draw is in range.""",
    over="every path at every count of FD.Dyadic.law; bits as metered on strict coins",
    code=["finitedp.impl.counting.dyadic.DyadicSample.cost", "finitedp.impl.counting.dyadic.DyadicSample.apply"],
    grid=SMALL,
    subject=DyadicSample,
    twins={
        "a search that exits early": twins.EarlyExit,
        "clamped where needed": twins.ClampedWhereNeeded,
        "uniform(2^B)": twins.UniformDraw,
        "the sign by a draw of its own": twins.SignApart,
    },
)
def cost(make: Make, case: Dyadic) -> Iterator[Finding]:
    mechanism, metered = make(*case), set()
    shapes = frozenset().union(*(exploration(mechanism, c).shapes for c in _counts(case.n)))
    stated, weights = mechanism.cost(), case.weights
    falling = sum(1 for j in range(case.n - 1) if weights[j] != weights[case.n - 1])
    for c in _counts(case.n):
        meter = BitMeter(SeededBits(c, not_private=True))
        mechanism.release(c, StrictCoins(meter))
        metered.add((meter.reads, meter.total_bits))
    decided = [c for c in _counts(case.n) if exploration(mechanism, c).decided]
    yield equal(shapes, frozenset({((2**case.word,), stated.steps + 2)}), "the same draw and comparisons on every path")
    yield equal((stated.draws, stated.bits, stated.steps), (1, case.word, falling.bit_length() + 4), "stated cost")
    yield equal(metered, {(1, case.word)}, "draws and bits as metered")
    yield equal(decided, [], "counts at which a draw was looked at otherwise")


@own(
    "FD.Dyadic.monotone",
    "DyadicSample(c, u) is non-decreasing in u.",
    over="every count up to n = 12; all u at once, as the intervals that the explorer finds",
    code=["finitedp.impl.counting.dyadic.DyadicSample.apply"],
    grid=FEW_ROWS,
    subject=DyadicSample,
    twins={"decreasing in u": twins.Reversed},
)
def rising(make: Make, case: Dyadic) -> Finding:
    return monotone(make(*case), case.n)


@own(
    "FD.Dyadic.accuracy",
    """accuracy(beta) is the least a such that the error exceeds a with probability at most beta at every count, and miss(a) is
    the largest such probability: exact numbers, not bounds.""",
    over="every count; every beta, by those where the error changes and just below (2^-2B); a = 0..n",
    code=["finitedp.impl.counting.dyadic.DyadicSample.accuracy", "finitedp.impl.counting.dyadic.DyadicSample.miss"],
    grid=cases(
        Dyadic,
        [(5, "1", 8), (6, "1", 64), (11, "4", 64), (20, "1", 16), (1, "1/3", 9)],
        [(30, "1/2", 10), (60, "1/3", 64), (61, "1/3", 20), (12, "1/10", 54), (100, "1", 64), (9, "7", 128)],
    ),
    subject=DyadicSample,
    twins={
        "the ideal law's bound": twins.TheoremsAccuracy,
        "two tails always": twins.TwoTailsAlways,
        "one tail always": twins.OneTail,
        "half the centre": twins.SmallCentre,
    },
)
def accuracy(make: Make, case: Dyadic) -> Iterator[Finding]:
    mechanism, weights, running = make(*case), case.weights, running_law(DyadicSample(*case))
    laws = [running(c) for c in range(case.n + 1)]
    yield from (equal(mechanism.miss(a), spec.worst_miss(weights, a), f"miss({a})") for a in range(case.n + 1))
    misses = [spec.worst_miss(weights, a) for a in range(case.n + 1)]
    steps = {beta for miss in misses for beta in (miss, miss - mpq(1, 4**case.word)) if beta > 0}
    for beta in steps:
        least = next(a for a, miss in enumerate(misses) if miss <= beta)
        yield equal(mechanism.accuracy(beta).a, least, f"the error stated at {brief(beta)}")
    for beta in (*BETAS, mpq(1)):
        least = max(least_accuracy(laws[c], c, beta) for c in range(case.n + 1))
        stated = Accuracy(least, beta, "counting", "FD.Dyadic.accuracy")
        yield equal(mechanism.accuracy(beta), stated, f"accuracy({beta})")
