"""How far the counts of BlanketHistogram are off, by sums of its weights."""

from gmpy2 import mpq

from finitedp.claim import Accuracy, HistogramAccuracy
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, probability
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.histograms.blanket.building import WITHHELD_BITS, most_shown, rarely_above
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedTable

__all__ = ["blanket_accuracy"]

RARE = mpq(1, 1 << WITHHELD_BITS)


def blanket_accuracy(plan: BlanketPlan, beta: RationalLike) -> HistogramAccuracy:
    """The per-query accuracy, the count above which it holds, and the simultaneous accuracy.

    Of one label: the least a that noise exceeds, either way, with probability at most beta - 2^-64; a count above a + b is
    hidden only by noise below -a, which is counted already. Of all labels at once: the least A >= b for which the labels of at
    least A + 1 rows (at most n/(A+1) of them) that are hidden, the labels whose noise is above A, the slots with a count above
    A, and the release's being withheld, together happen at most beta times on average.

    Source: FD.Blanket.accuracy. Parameters: beta in (2^-64, 1]. Raises: ParameterError, also for a plan that was not chosen by
    `blanket_plan` and may be withheld more often than with probability 2^-64.
    """
    b = probability(beta, "beta", zero=False)
    if b <= RARE:
        raise ParameterError(f"beta = {b} is out of range; accepted: above 2^-{WITHHELD_BITS}, at which a release is withheld")
    mean = most_shown(plan.mechanism, plan.b) + mpq(plan.slots * plan.hit, 1 << plan.hit_bits)
    above = max(1, int(-(-mean.numerator // mean.denominator)))
    if plan.cap + 1 < above or not rarely_above(above, plan.cap + 1):
        raise ParameterError("the plan's releases may be withheld too often; accepted: a plan of blanket_plan")
    single = plan.mechanism.accuracy(b - RARE).a
    every = least_reaching(lambda a: int(_at_once(plan, max(a, plan.b)) <= b - RARE), plan.n, 1)
    source = "FD.Blanket.accuracy"
    return HistogramAccuracy(
        Accuracy(single, b, "per-query", source),
        single + plan.b,
        Accuracy(max(every, plan.b), b, "simultaneous", source),
    )


def _at_once(plan: BlanketPlan, a: int) -> mpq:
    """How many labels miss by more than a >= b on average, at most; but for a release that is withheld."""
    table, least = plan.mechanism.table, a + 1
    lower = table.lower if isinstance(table, SkewedTable) else table.upper
    hidden = plan.n // least * lower(least - plan.b)
    higher = plan.n * table.upper(least)
    held = plan.slots * plan.hit * plan.counts.from_place(a - plan.b)
    return mpq(hidden + higher, plan.mechanism.d) + mpq(held, 1 << plan.hit_bits + plan.count_bits)
