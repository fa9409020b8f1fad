"""Draw docs/pictures/bars.svg: error bars of every mechanism on the same data. Run: python docs/pictures/bars.py.

There is no noise in it: of eight true counts, where the noisy ones are with the probability that the mechanism states.
"""

import csv
from collections import Counter
from math import log10
from pathlib import Path

from drawing import BLUE, GREY, line, mark, page, text, write
from gmpy2 import mpq

from finitedp.claim import HistogramAccuracy
from finitedp.data import papers
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.compact import compact_histogram_with_dyadic_sample, compact_histogram_with_fast_sample
from finitedp.impl.histograms.dyadic import (
    basic_histogram_with_dyadic_sample,
    stability_histogram_with_dyadic_sample,
    threshold_accuracy,
)

DATA = Path(__file__).parents[1] / "data" / "randhie.csv"
VISITS = (0, 4, 8, 12, 15, 20, 25, 77)  # whose counts are far apart
LISTED, LARGE = range(78), range(2**32)
EPSILON, DELTA, BETA = mpq(1), mpq(1, 10**6), mpq(1, 20)
LEFT, PER_DECADE, STEP = 168, 66, 5  # of the axis, in pixels; from one bar to the next


def stated(n: int) -> dict[str, HistogramAccuracy]:
    """What each mechanism says of its error at n rows."""
    terms = papers.Terms(LARGE, n, EPSILON, DELTA, BETA)
    return {
        "basic": basic_histogram_with_dyadic_sample(LISTED, n, EPSILON, beta=BETA).accuracy(BETA),
        "compact": compact_histogram_with_dyadic_sample(LARGE, n, EPSILON, beta=BETA).accuracy(BETA),
        "stability": threshold_accuracy(stability_histogram_with_dyadic_sample(n, EPSILON, DELTA), BETA),
        "pure-sparse": blanket_accuracy(blanket_plan(n, EPSILON, len(LARGE)), BETA),
        "basic, the paper's": papers.basic(papers.Terms(LISTED, n, EPSILON, mpq(0), BETA)).accuracy,
        "compact, the paper's": compact_histogram_with_fast_sample(LARGE, n, EPSILON, BETA).accuracy(BETA),
        "stability, the paper's": papers.stability(terms).accuracy,
        "sparse, the paper's": papers.sparse(terms).accuracy,
        "pure-sparse, the paper's": papers.pure_sparse(terms).accuracy,
    }


def place(count: int) -> float:
    """Of a count, from the left: logarithmic, and 0 has a place."""
    return LEFT + PER_DECADE * log10(1 + count)


def picture() -> str:
    """A block of bars for each mechanism, from the largest count to the smallest."""
    with DATA.open(newline="") as file:
        counts = Counter(int(row["outpatient_visits"]) for row in csv.DictReader(file))
    n, high = counts.total(), 30 + STEP * len(VISITS)
    parts = [text(14, 22, f"Where noisy counts are with probability {1 - BETA}, epsilon = {EPSILON}", 14, "start")]
    bars = stated(n)
    bottom = 40 + high * len(bars)
    for count in (0, 10, 100, 1000, 10_000):
        parts += [line(place(count), 40, place(count), bottom, "#ddd"), text(place(count), bottom + 16, f"{count:,}", 11)]
    for i, (name, (one, above, every)) in enumerate(bars.items()):
        top = 62 + high * i
        holds = f"+-{one.a}" if above < 0 else f"+-{one.a} above {above}, else +-{every.a}"
        parts += [text(14, top + 12, name, 13, "start"), text(14, top + 28, holds, 11, "start")]
        for j, count in enumerate(counts[visits] for visits in VISITS):
            sure, y = count > above, top + STEP * j
            a = one.a if sure else max(one.a, every.a)
            low, end = place(max(count - a, 0)), place(min(count + a, n))
            parts += [mark(low, y, end - low, 3, BLUE if sure else GREY), mark(place(count) - 1, y - 1, 2, 5, "#111")]
    below = (
        f"Black: true counts of {', '.join(map(str, VISITS[:-1]))} and {VISITS[-1]} visits among {n:,} rows (RAND).",
        "Blue: the bar of a single count. Grey: too small for it, the bound of all counts",
        "together. Probabilities are at least these; counts on a logarithmic scale.",
    )
    parts += [text(14, bottom + 40 + 16 * i, words, 11, "start") for i, words in enumerate(below)]
    return page(460, bottom + 84, "Error bars of every mechanism on the same data", parts)


if __name__ == "__main__":
    write(__file__, picture())
