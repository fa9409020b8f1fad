"""Constants of the informal theorems of Balcer and Vadhan that were too small: where they fail, far from any grid."""

from gmpy2 import mpq

from finitedp.exact import ceil_log
from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.histograms.basic import basic_histogram_with_fast_sample
from finitedp.impl.histograms.compact import compact_histogram_with_fast_sample
from finitedp.impl.histograms.stability import stability_histogram_with_fast_sample
from finitedp.proofs_check.claims.bv.counting.subjects import running_law
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.counting import geometric_tail, sample_decay

BETA = mpq(1, 20)


def _miss(mechanism: object, count: int, a: int) -> mpq:
    assert isinstance(mechanism, FastSample)  # narrows the type
    return miss_probability(running_law(mechanism)(count), count, a)


def test_the_basic_histogram_of_one_label_at_a_ninth() -> None:
    """BV.Thm1.2.accurate said 12q + 1 for 15q, which gamma = 1/(40|X|) leaves no room for."""
    mechanism = basic_histogram_with_fast_sample(range(1), 640, mpq(1, 9), BETA).mechanism
    assert _miss(mechanism, 320, 12 * 9) > _miss(mechanism, 320, 12 * 9 + 1) > BETA > _miss(mechanism, 320, 15 * 9)


def test_the_compact_histogram_of_one_label() -> None:
    """BV.Thm1.6.accurate said 15q for 17q. One row fewer, and it holds."""
    mechanism = compact_histogram_with_fast_sample(range(1), 141, 1, BETA).mechanism
    assert _miss(mechanism, 70, 15) > BETA > _miss(mechanism, 70, 17)
    smaller = compact_histogram_with_fast_sample(range(1), 140, 1, BETA).mechanism
    assert max(_miss(smaller, count, 15) for count in (0, 16, 70, 124, 140)) < BETA


def test_the_stability_histogram_of_many_rows() -> None:
    """BV.Thm1.3.accurate said ceil(8q ln r) for ceil(9q ln r), which bins of one row more exceed: too many are dropped."""
    n, q = 10**29, 65
    made, a = stability_histogram_with_fast_sample(n, mpq(1, q), mpq(1, n + 1), BETA), ceil_log(mpq(8 * q), n + 1)
    counting = made.mechanism
    assert isinstance(counting, FastSample)  # narrows the type
    decay = sample_decay(mpq(1, q))

    def some_dropped(rows: int) -> mpq:
        """At least the probability that one of the bins of so many rows each is dropped, by their pairs."""
        below = geometric_tail(decay, rows - made.b) - geometric_tail(decay, counting.t + 1)
        expected = n // rows * (1 - counting.gamma) * below
        return expected - expected**2 / 2

    assert some_dropped(a + 1) > BETA > some_dropped(ceil_log(mpq(9 * q), n + 1) + 1)
