"""Statistics of bucketed histograms: what they answer, what they claim, and whether that holds for every small dataset."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.impl.flexible.bucketing import Grid, IntegerBuckets, IntervalBuckets, integer_grid
from finitedp.impl.flexible.losses import dropped_at, dropped_beyond
from finitedp.impl.flexible.releases import BucketHist, FlexibleStatistic, bucket_hist, flexible_statistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import NAMES, statistic_of
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.flexible import statistics as literal
from finitedp.spec.flexible.accuracy import flexible_values, good_mass
from finitedp.spec.flexible.lossy_wasserstein import absolute

BARS, Q = 3, 3


def hausdorff(x: tuple[mpq, ...], y: tuple[mpq, ...]) -> mpq | None:
    if not x or not y:
        return mpq(0) if x == y else None
    return max(max(min(absolute(a, b) for b in there) for a in here) for here, there in ((x, y), (y, x)))


def small(name: str, width: int = 1, **options: Any) -> FlexibleStatistic:
    statistic = statistic_of(name, **options)
    buckets = IntegerBuckets(0, 2 * BARS - 2 if width > 1 else BARS - 1, width)
    bars = buckets.bars * (2 if statistic.labelled else 1)
    return FlexibleStatistic(statistic, buckets, ShiftedTruncated(bars, Q, 1, 6))


CASES: list[tuple[str, dict[str, Any], Callable[[tuple[int, ...]], object]]] = [
    ("max", {}, literal.maximum),
    ("min", {}, lambda x: literal.minimum(x, len(x) - 1)),
    ("range", {}, lambda x: ((s := literal.spread(x)) and s[1] - s[0]) or 0),
    ("support", {}, literal.support),
    ("max-k", {"k": 2}, lambda x: literal.max_k(x, 2)),
    ("mode", {}, literal.mode),
    ("median", {}, literal.median),
    ("quantile", {"p": "2/3"}, lambda x: literal.quantile(x, "2/3")),
    ("iqr", {}, literal.interquartile_range),
    ("separator", {}, literal.separator),
]


def test_every_statistic_is_tried() -> None:
    assert tuple(name for name, _, _ in CASES) == NAMES


@pytest.mark.parametrize(("name", "options", "truth"), CASES, ids=NAMES)
def test_answers_are_those_of_the_definitions(name: str, options: dict[str, Any], truth: Callable[..., object]) -> None:
    subject = small(name, **options)
    for counts in product(range(4), repeat=subject.histogram.bars):
        assert subject.answer(counts) == truth(counts), counts


@pytest.mark.parametrize(("name", "options", "truth"), CASES, ids=NAMES)
@pytest.mark.parametrize("gamma", ["0", "1/8"])
def test_the_accuracy_holds_for_every_small_histogram(
    name: str, options: dict[str, Any], truth: Callable[..., object], gamma: str
) -> None:
    subject = small(name, **options)
    claimed, distance = subject.accuracy(gamma), hausdorff if name == "support" else absolute
    table, worst = subject.histogram.table.weights, mpq(0)
    most = 4 if subject.histogram.bars == BARS else 2
    for counts in product(range(most), repeat=subject.histogram.bars):
        law = spec.histogram(table, counts).pushforward(subject.answer)
        values = flexible_values(truth, counts, claimed.allowed(sum(counts)))
        worst = max(worst, 1 - good_mass(law, values, distance, claimed.beta))
    assert worst <= mpq(gamma)
    if gamma == "0" and subject.statistic.loses == "beyond":
        fewer = claimed.allowed(10**6) - 1
        attained = (1, *[Q - 1] * (BARS - 1)) if name == "max" else ()
        if attained:
            law = spec.histogram(table, attained).pushforward(subject.answer)
            assert good_mass(law, flexible_values(truth, attained, fewer), distance, 0) < 1


@pytest.mark.parametrize("name", ["max", "min", "range", "median", "iqr", "support"])
def test_the_accuracy_holds_with_buckets(name: str) -> None:
    subject = small(name, width=2)  # 0..4 in buckets 0-1, 2-3, 4
    claimed, distance = subject.accuracy(), hausdorff if name == "support" else absolute
    centres = [subject.buckets.centre(i) for i in range(subject.buckets.bars)]
    assert centres == [mpq(1, 2), mpq(5, 2), mpq(4)]

    def truth(values: tuple[int, ...]) -> object:
        """The statistic of the values themselves; of none, the public default."""
        exact: dict[str, Callable[[tuple[int, ...]], object]] = {
            "max": max,
            "min": min,
            "range": lambda v: max(v) - min(v),
            "support": lambda v: tuple(sorted(set(v))),
        }
        ranked: dict[str, Callable[[tuple[int, ...]], object]] = {
            "median": lambda v: at(v, "1/2"),
            "iqr": lambda v: at(v, "3/4") - at(v, "1/4"),
        }
        return (exact | ranked)[name](values) if values else subject.default

    def at(values: tuple[int, ...], p: str) -> int:
        return sorted(values)[literal.rank(p, len(values)) - 1]

    for counts in product(range(3), repeat=5):
        if sum(counts) > 5:
            continue
        bucketed = (counts[0] + counts[1], counts[2] + counts[3], counts[4])
        law = spec.histogram(subject.histogram.table.weights, bucketed).pushforward(subject.answer)
        allowed = claimed.allowed(sum(counts))
        values = {truth(tuple(i for i, c in enumerate(x) for _ in range(c))) for x in subs(counts, allowed)}
        assert good_mass(law, values, distance, claimed.beta) == 1, counts


def subs(counts: tuple[int, ...], allowed: int) -> list[tuple[int, ...]]:
    found = product(*(range(c + 1) for c in counts))
    return [x for x in found if sum(counts) - sum(x) <= allowed]


@pytest.mark.parametrize("name", ["max", "mode", "separator"])
def test_the_running_code_has_the_law_of_the_definition(name: str) -> None:
    subject = small(name)
    data = [(0, False), (2, True), (2, False)] if name == "separator" else [0, 2, 2]
    law = explore(lambda coins: subject.release(data, coins)).law()
    assert law == spec.histogram(subject.histogram.table.weights, subject.counts(data)).pushforward(subject.answer)


def test_bucket_hist() -> None:
    hist = bucket_hist(IntervalBuckets.within(0, 1, "1/6"), 1, "1/4", word=16)
    assert isinstance(hist, BucketHist)
    assert hist.counts(["0", "1/3", "2/3", "999/1000"]) == [1, 1, 2]
    law = explore(lambda coins: hist.release(["1/3", "1/3"], coins)).law()
    bar = spec.bar(hist.histogram.table.weights, 2)
    assert law == bar.pushforward(lambda y: ((mpq(1, 6), 0), (mpq(1, 2), y), (mpq(5, 6), 0)))
    assert hist.accuracy().beta == mpq(1, 6)
    assert hist.accuracy().dropped == 3 * (hist.histogram.q - 1)
    assert hist.claim().delta <= mpq(1, 4)


@pytest.mark.parametrize(("metric", "beta"), [("linf", "1"), ("l1", "2"), ("l2", "2")])
def test_bucket_hist_on_a_grid(metric: Any, beta: str) -> None:
    """Cubes of 3 by 3 points; in l2 the error is stated by its square, and says so."""
    hist = bucket_hist(integer_grid([(0, 5), (0, 5)], 2 if metric == "l1" else "3/2", metric), 1, "1/4", word=16)
    width = {axis.width for axis in hist.buckets.axes}  # type: ignore[attr-defined]
    claimed = hist.accuracy()
    assert claimed.beta == hist.buckets.error
    assert claimed.metric == ("moved, l2-squared" if metric == "l2" else f"moved, {metric}")
    assert hist.histogram.bars == hist.buckets.bars
    assert width == ({4} if metric == "linf" else {3})
    assert claimed.beta <= mpq(beta) * 9 / 4


def test_only_a_range_counts_the_rows_beyond_two_answers() -> None:
    """With many bars these are fewer than the rows that all bars lose, which the mode may need."""
    table = ShiftedTruncated(40, 3, 1).table
    for gamma, beyond, whole in (("1/2", 10, 40), ("1/10", 24, 45)):
        assert 2 * dropped_beyond(table, 39, mpq(gamma) / 2) == beyond
        assert dropped_at(table, 40, gamma) == whole
        assert [statistic_of(name).dropped(table, 40, gamma) for name in ("range", "mode")] == [beyond, whole]


def test_draws_have_64_bits_by_default() -> None:
    buckets = IntegerBuckets(0, 3)
    made = (bucket_hist(buckets, 1, "1/1000"), flexible_statistic("max", buckets, 1, "1/1000"))
    assert [ShiftedTruncated(3, 3, 1).word, *(mechanism.histogram.word for mechanism in made)] == [64, 64, 64]


def test_defaults() -> None:
    assert [small(name).default for name in ("max", "min", "range", "support", "mode")] == [0, 2, 0, (), 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: small("mode", width=2), "beta = 0"),
        (lambda: small("max-k", width=2, k=2), "beta = 0"),
        (lambda: statistic_of("maximum"), "accepted: max, min"),
        (lambda: statistic_of("max", k=2), "k with max-k alone"),
        (lambda: statistic_of("max-k"), "k with max-k alone"),
        (lambda: statistic_of("quantile", p="0"), "p = 0"),
        (lambda: flexible_statistic("max", Grid((IntegerBuckets(0, 1),)), 1, "1/4"), "need an order"),
        (lambda: flexible_statistic("max", IntegerBuckets(0, 3), 1, f"1/{2**70}"), "below 2\\^-64.*word = 128"),
    ],
)
def test_refusals(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_rows_outside_are_refused() -> None:
    subject = small("max")
    for row in (-1, 3, True, "1"):
        with pytest.raises(DataError, match="outside of the universe"):
            subject.counts([row])


def test_the_separator_reads_labels() -> None:
    subject = small("separator")
    assert subject.counts([(0, False), (2, True), (2, True)]) == [1, 0, 0, 0, 0, 2]
    assert subject.answer([1, 0, 0, 0, 0, 2]) == 1
    assert subject.default == 0
