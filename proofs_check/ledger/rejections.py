"""Where a twin is tried first: at the instance that rejects it for the least, where the first of its grid is not that one.

It saves time and decides nothing: what is not rejected there is tried on all the rest of the quick grid, in its order. The
table was measured; twins of which it saves less than 0.03 s are left out. A test sees that each place in it still rejects.
"""

from collections.abc import Mapping, Sequence
from typing import Any

REJECTED_AT: Mapping[str, Mapping[str, int]] = {
    "BV.Def2.1": {
        "a verdict with unresolved mass on seen outputs only": 24,
        "a verdict that ignores which outputs are declared": 81,
    },
    "BV.Alg4.8": {"k from 53 bits of 1/epsilon": 36},
    "BV.Thm4.7.i": {"k from 53 bits of 1/epsilon": 35},
    "BV.Thm4.7.i.accurate": {"4/epsilon for 2/epsilon in k": 1},
    "BV.Alg5.1": {
        "rows outside of A counted": 10,
        "a range sorted by true count": 11,
        "raw counts from the fourth label on": 8,
    },
    "BV.Thm5.3.ii": {"8/epsilon for 2/epsilon in k": 1},
    "BV.Alg5.4": {"sorted by true count": 21, "no threshold from the fifth label on": 22},
    "BV.Thm5.5.ii": {"4/epsilon for 2/epsilon in k": 3},
    "BV.Thm5.2.i.any": {"last label counted twice": 3},
    "BV.Thm5.2.ii.any": {"last label counted twice": 3},
    "BV.Thm6.2.i.any": {"labels in the order of the true counts": 2},
    "BV.Alg6.4": {"the first label's count for all": 4},
    "BV.Prop6.5": {"the first label's count for all": 4},
    "BV.Alg6.18": {"flooring twice in the odd step": 286, "one factor at a time": 286},
    "BV.Prop6.17": {"without the odd factor": 371},
    "BV.Alg6.21": {"at most 2^32 empty bins": 5},
    "BV.Thm6.10.i": {"random counts of rows": 3},
    "FD.PureSparseHistogram.work": {"discarded part on the least draws": 1},
    "BV.Lem8.1.arithmetic": {"slots that overflow": 4},
    "BV.Alg8.2": {"counts of other labels": 4},
    "BV.Thm8.6.iv": {"the field of 2d/epsilon": 4},
    "BV.Fig6.evaluation": {"counts of all labels": 4},
    "FD.Packing.implies": {"the sum for the mean": 8},
    "PH.PrivHist.private": {"blocks of twice the items": 1},
    "FA.Thm1": {"without a1": 29},
    "FD.Lines.BasicHistogram": {"every pair of rows": 1},
    "FD.Lines.StabilityHistogram": {"all labels": 1},
    "FD.Lines.StabilityHistogram.dyadic": {"all labels": 1},
    "FD.Lines.ApproxOrdSample": {"all m draws": 1},
    "FD.Lines.SparseHistogram": {"all labels": 1},
    "FD.Lines.PureSparseHistogram": {"all labels": 1},
    "FD.Lines.CompactHistogram": {"all labels": 1},
    "FD.Lines.CompactHistogram.dyadic": {"all labels": 1},
    "FD.RealSize.stability": {"32 bits of b": 2, ">= b": 2},
    "FD.RealSize.sparse": {
        "labels of 32 bits": 2,
        "one empty bin more": 3,
        "a sorted set of empty bins": 2,
        "no noise from the sixth label on": 4,
    },
    "FD.Dyadic.basic.law": {"leftover at the centre": 2},
    "FD.Dyadic.compact.counts": {"one value for all free points": 2},
    "FD.Dyadic.compact.labels": {"one value for all free points": 18},
    "FD.Release.add-remove": {
        "no rows are refused": 1,
        "more rows than n are refused": 1,
        "the number of rows is told": 1,
        "the number of labels that occur is told": 1,
        "the first n rows": 2,
        "no rows are taken for one": 1,
        "the table of 4 epsilon": 1,
        "b one less": 3,
    },
    "FD.Flexible.accuracy": {"max-k of wide buckets": 17},
    "FD.Unit.bounding": {"without max_rows": 1},
    "FD.Unit.statistic": {"rows chosen among all units'": 1, "the table of one row": 3},
    "FD.Sum.invented": {"invented labels forgotten": 1},
    "FD.Unit.labels": {"choose, then bin": 2},
    "FD.Unit.release": {
        "a window without order": 6,
        "one random stream for all": 4,
        "a random column with a seed": 4,
        "the first k": 4,
        "without max_labels": 6,
        "without max_rows_per_label": 5,
        "without max_rows": 4,
        "the table of one row": 6,
    },
    "FD.Unit.total": {"all rows": 7, "rows chosen among all units'": 7, "the table of one row": 5, "a row more of each": 7},
    "FD.Compose.enclosure": {"one of two bins": 4},
    "FD.Total.law": {"rounded down": 5},
    "FD.Total.private": {
        "not clipped": 5,
        "clipped below alone": 6,
        "high - low for a row more or less": 6,
        "missing ones forgotten": 6,
        "epsilon for each step": 5,
        "k rounded down": 5,
    },
    "FD.Total.release": {"the number of rows is told": 3},
    "FD.Blanket.law": {"the blanket wins": 3, "shown listed first": 3},
    "FD.Blanket.release": {"sorted by count": 2},
}
"""By the id of a claim and the name of a twin: the position of an instance on the quick grid."""


def first_tried(id: str, twin: str, instances: Sequence[Any]) -> list[Any]:  # noqa: A002  # the field's name
    """The instances of the quick grid, each once, the one first that is known to reject a twin for the least."""
    place = REJECTED_AT.get(id, {}).get(twin, 0)
    return [*instances[place : place + 1], *instances[:place], *instances[place + 1 :]]
