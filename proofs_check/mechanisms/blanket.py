"""BlanketHistogram in the registry: laws over a few labels, at thresholds, caps and slots of one's own choice."""

from functools import cache
from typing import Any

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import positive, rational
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.histograms.blanket.histogram import BlanketHistogram
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.impl.histograms.universe import Listed
from finitedp.proofs_check.checks.symmetry import relabel_sorted_vector
from finitedp.proofs_check.limits import MOST_LABELS_OF_A_LAW
from finitedp.proofs_check.mechanisms.counting import N
from finitedp.proofs_check.mechanisms.kinds import Mechanism, Option, Subject, integer_from
from finitedp.spec import blanket as spec
from finitedp.spec.pmf import Pmf

MOST_SLOTS = 12
WORD, COUNT_BITS = 10, 8


def _hit(value: Any, name: str) -> mpq:  # noqa: ANN401  # whatever was written
    number = rational(value, name)
    if not (0 < number < 1 and number.denominator & (number.denominator - 1) == 0 and number.denominator <= 1 << 64):
        raise ParameterError(f"{name} = {number} is out of range; accepted: q/2^h in (0, 1) with h up to 64")
    return number


_OPTIONS = (
    N,
    Option("labels", "integer", "The number of labels |X|.", integer_from(1, MOST_LABELS_OF_A_LAW)),
    Option("epsilon", "rational", "Privacy parameter, any p/q above 0.", positive),
    Option("threshold", "integer", "Counts up to this one are not released.", integer_from(0)),
    Option("cap", "integer", "The largest number of labels that are shown and slots that hit.", integer_from(1)),
    Option("slots", "integer", "The number of slots, above the cap.", integer_from(2, MOST_SLOTS)),
    Option("hit", "rational", "How often a slot hits, q/2^h.", _hit),
    Option("word", "integer", "Bits of a draw for a count.", integer_from(2, LARGEST_WORD), required=False, default=WORD),
)


def _make(n: int, labels: int, epsilon: mpq, threshold: int, cap: int, slots: int, hit: mpq, word: int = WORD) -> Subject:
    """Whose slots have counts in proportion to those of a label of one row. Raises: ParameterError, ClaimError."""
    counting, named = DyadicSample(n, epsilon, word), tuple(f"x{i:0{len(str(labels))}d}" for i in range(1, labels + 1))
    if threshold >= n:
        raise ParameterError(f"threshold = {threshold} is not below n = {n}; accepted: an integer from 0 to {n - 1}")
    table, h = counting.table, int(hit.denominator).bit_length() - 1
    once = [table.weight(v - 1) if v < n else table.upper(v - 1) for v in range(threshold + 1, n + 1)]
    held = [max(1, (t << COUNT_BITS) // sum(once)) for t in once]
    held[0] += (1 << COUNT_BITS) - sum(held)
    *head, last = held
    counts = Stretched(n - threshold, tuple(head[:-1]), head[-1] if head else 0, last)
    numbers = (labels, ceil_log2(labels), threshold, cap, slots, h, int(hit.numerator), COUNT_BITS, counts)
    plan = BlanketPlan(counting, "replace-one", *numbers)
    blanket = spec.Blanket(tuple(map(table.weight, range(n + 1))), threshold, cap, slots, hit, plan.labels, tuple(held))
    histogram: BlanketHistogram[str] = BlanketHistogram(plan, Listed(named))

    def law(data: Any) -> Pmf[Any]:  # noqa: ANN401  # labels
        found = spec.law(blanket, {i: list(data).count(x) for i, x in enumerate(named) if x in data})
        return found.pushforward(lambda outcome: tuple((named[x], v) for x, v in outcome or () if x < labels))

    outputs = (n - threshold + 1) ** plan.labels
    paths = ((n - threshold) * plan.labels) ** cap * 2**slots * (n - threshold + 1) ** min(n, labels)
    return Subject(n, cache(law), histogram.claim(), histogram.release, word, outputs, paths, named, relabel_sorted_vector)


BLANKET = Mechanism(
    name="blanket",
    summary="The counts that are large enough, and random labels with random counts, so that delta is 0 (ours).",
    options=_OPTIONS,
    make=_make,
    claims=("FD.Blanket.law", "FD.Blanket.private"),
    input="counts",
)
