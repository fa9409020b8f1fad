"""The anonymized histogram of the registry: PrivHist for a few items, whose exact law can be listed."""

from functools import cache
from typing import Any

from gmpy2 import mpq

from finitedp.exact import positive
from finitedp.impl.anonymized.priv_hist import PrivHist, Released
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.mechanisms.kinds import Mechanism, Option, Subject, integer_from
from finitedp.spec.anonymized import priv_hist as spec
from finitedp.spec.anonymized.histograms import Histogram, histogram, prevalences
from finitedp.spec.dyadic import dyadic_sample
from finitedp.spec.pmf import Pmf

MOST_ITEMS = 3  # the law of the branch split has 1,307 outputs there, the sum of 53,899 ways to them
Output = tuple[tuple[str, int], ...]


def _named(h: Histogram, total: int) -> Output:
    """An output by names: N, and phi_r for each count r that occurs."""
    return (("N", total), *((f"phi_{r}", many) for r, many in prevalences(h)))


def _of_release(released: Released) -> Output:
    return (("N", int(released.total)), *((f"phi_{r}", many) for r, many in released.histogram))


def _given(made: PrivHist) -> spec.Parameters:
    """The definition's parameters, from the same rationals: its tables are built by the definition."""
    n, word, e3, split = made.n, made.word, made.epsilon3, made.n + 2
    return spec.Parameters(
        n,
        lambda total: spec.paper_threshold(total, made.epsilon),
        lambda _: 1,
        cache(lambda v: dyadic_sample(n, 2 * made.epsilon1, word, v)),
        cache(lambda v: dyadic_sample(split, 2 * made.epsilon2, word, v)),
        cache(lambda v: dyadic_sample(3 * n, 2 * e3, word, v + n).shifted(-n)) if e3 else None,
        lambda total: spec.paper_last(total, e3),
        lambda total, s: spec.finite_stride(total, e3, s),
    )


def _make(n: int, epsilon1: mpq, epsilon2: mpq, epsilon3: mpq | None = None, word: int = 7) -> Subject:
    """With M = 1 fake, which has no part in privacy, and the paper's threshold. Labels: as many as there can be items."""
    made = PrivHist(n, epsilon1, epsilon2, epsilon3 or 0, "smooth" if epsilon3 else "split", word=word, fakes=1)
    given, law_of = _given(made), spec.smooth_law if epsilon3 else spec.split_law

    def law(data: Any) -> Pmf[Output]:  # noqa: ANN401  # labels
        return law_of(histogram(data), given).pushforward(lambda out: _named(*out))

    def release(data: Any, coins: Coins) -> Output:  # noqa: ANN401  # labels
        return _of_release(made.release(data, coins))

    labels = tuple(f"x{i}" for i in range(1, n + 1))
    outputs, paths = ({1: 20, 2: 160, 3: 1307}[n], {1: 20_000, 2: 10**7, 3: 10**9}[n])
    return Subject(n, cache(law), made.claim(), release, 9 * word, outputs, paths, labels, lambda output, _: output)


ANONYMIZED = Mechanism(
    name="anonymized",
    summary="How many labels have each count, and how many items there are (PrivHist).",
    options=(
        Option("n", "integer", f"The largest number of items, up to {MOST_ITEMS}.", integer_from(1, MOST_ITEMS)),
        Option("epsilon1", "rational", "Spent on the number of items, any p/q above 0.", positive),
        Option("epsilon2", "rational", "Spent on the split, as epsilon1.", positive),
        Option("epsilon3", "rational", "Spent on the blocks: the branch smooth, not split.", positive, required=False),
        Option("word", "integer", "Bits of a draw.", integer_from(2, LARGEST_WORD), required=False, default=7),
    ),
    make=_make,
    claims=("PH.PrivHist.law.split", "PH.PrivHist.law.smooth", "PH.PrivHist.private"),
    input="counts",
)
