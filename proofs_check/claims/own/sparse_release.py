"""SparseHistogram with FastSample, as `finitedp release sparse` releases it: our own instance of Theorem 6.8."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.histograms.sampled_sparse import SparseHistogram, sparse_accuracy, sparse_histogram_with_fast_sample
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.proofs_check.claims.bv.counting import twins
from finitedp.proofs_check.claims.bv.sparse.subjects import worst_miss
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import at_most, equal, own

CODE = "finitedp.impl.histograms.sampled_sparse"


class Release(NamedTuple):
    """n rows over |X| labels, epsilon = 1/q, delta = 1/r, beta = 1/b."""

    n: int
    size: int
    q: int
    r: int
    b: int


RELEASES = cases(
    Release,
    [(76, 153, 1, 1000, 2)],
    [(84, 200, 1, 1000, 2), (90, 181, 1, 10**6, 3), (200, 2**20, 1, 10**9, 10), (170, 400, 2, 50, 2)],
)
Make = Callable[[Release], SparseHistogram[int]]


def running(case: Release) -> SparseHistogram[int]:
    """The running instance."""
    universe = Integers(0, case.size - 1)
    return sparse_histogram_with_fast_sample(universe, case.n, mpq(1, case.q), mpq(1, case.r), mpq(1, case.b))


def _whole_delta(case: Release) -> SparseHistogram[int]:
    """Broken: the distance itself is the delta that was asked for."""
    right = running(case)
    return SparseHistogram(right.mechanism, right.universe, mpq(1, case.r))


def _wide(case: Release) -> SparseHistogram[int]:
    """Broken: k is one too large."""
    right = running(case)
    counting = right.mechanism
    assert isinstance(counting, FastSample)  # noqa: S101  # narrows the type
    wide = twins.FastTwiceAsWide(counting.n, counting.epsilon, counting.gamma)
    return SparseHistogram(wide, right.universe, right.delta)


@own(
    "FD.SparseHistogram.instance",
    """SparseHistogram with FastSample at gamma = beta/(8|X|) and the distance 1/ceil((e^epsilon + 1)/delta) is (epsilon,
    delta)-differentially private, on strict coins too; up to a probability of beta a count above 2 a_2 is off by at most a_1,
    and all counts are within 2 a_2, as `sparse_accuracy` states them.""",
    over="the claim on exact and strict coins; every count, by exact probabilities of the running counting mechanism's errors,"
    " joined as in the proofs of BV.Thm6.2 and BV.Thm6.8",
    code=[f"{CODE}.sparse_histogram_with_fast_sample", f"{CODE}.sparse_accuracy"],
    grid=RELEASES,
    subject=running,
    twins={"the distance is delta": _whole_delta, "4/epsilon for 2/epsilon in k": _wide},
    derived_from=("BV.Thm6.2.ii", "BV.Thm6.2.iii", "BV.Lem6.3", "BV.Thm6.8.i", "BV.Thm6.8.ii"),
    by="adding the probabilities of the running counting mechanism's errors, as in the proofs of BV.Thm6.2 and BV.Thm6.8",
)
def sparse_instance(make: Make, case: Release) -> Iterator[Finding]:
    found, beta, delta, epsilon = make(case), mpq(1, case.b), mpq(1, case.r), mpq(1, case.q)
    single, above, every = sparse_accuracy(running(case), beta)
    in_scope(above < case.n, "some count is larger")
    # 1/distance is the least integer of at least (e^epsilon + 1)/delta
    inverse = running(case).delta.denominator
    least = compare_exp(inverse * delta - 1, epsilon) >= 0 > compare_exp((inverse - 1) * delta - 1, epsilon)
    large, small = worst_miss(found.mechanism, above // 2), worst_miss(found.mechanism, single.a)
    named = FastSample(case.n, epsilon, beta / (8 * case.size))
    yield equal((running(case).mechanism, least), (named, True), "the mechanism and the distance")
    yield equal((single.beta, every.beta, every.a), (beta, beta, above), "stated accuracy")
    yield from (at_most(found.claim(coins).delta, delta, "stated delta") for coins in (None, StrictCoins()))
    yield at_most(found.delta + case.size * large + small, beta, f"miss of one count, a={single.a}:")
    yield at_most(found.delta + case.size * large, beta, f"simultaneous miss, a={every.a}:")
