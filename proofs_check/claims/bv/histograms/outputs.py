"""What Balcer and Vadhan say of outputs beside the theorems: the order of bins (footnote 3), and their lengths."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from attrs import frozen
from gmpy2 import mpq

from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy, SparseHistogram
from finitedp.impl.histograms.sparse import KeepHeavy, heavier_than
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.histograms.subjects import exploration, joint_law
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, lemma
from finitedp.spec import representation as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import datasets, neighbouring_pairs

Bins = tuple[tuple[int, int], ...]


class Output(NamedTuple):
    """A histogram mechanism by name, over GeoSample at epsilon = 1: |X|, n, and ordered datasets (all, if none are named)."""

    name: str
    size: int
    n: int
    rows: tuple[tuple[int, ...], ...] = ()

    @property
    def datasets(self) -> list[tuple[int, ...]]:
        """The ordered datasets to look at."""
        return list(self.rows or datasets(range(self.size), self.n))

    @property
    def most(self) -> int:
        """n', the bins that there is room for."""
        return self.size if self.name == "basic" else self.n


def running(case: Output) -> Any:  # noqa: ANN401  # mechanisms have nothing else in common
    """The running mechanism."""
    universe, counting = Integers(0, case.size - 1), GeoSample(case.n, 1)
    basic = BasicHistogram(counting, range(case.size))
    makers: dict[str, Callable[[], Any]] = {
        "basic": lambda: basic,
        "stability": lambda: StabilityHistogram(counting, 0),
        "keep-heavy": lambda: KeepHeavy(basic),
        "sampled-keep-heavy": lambda: SampledKeepHeavy(counting, universe),
        "sparse": lambda: SparseHistogram(counting, universe, mpq(1, 8)),
        "pure-sparse": lambda: PureSparseHistogram(counting, universe, 1, mpq(1, 4)),
    }
    return makers[case.name]()


RUN = {
    "basic": "finitedp.impl.histograms.basic.BasicHistogram",
    "stability": "finitedp.impl.histograms.stability.StabilityHistogram",
    "keep-heavy": "finitedp.impl.histograms.sparse.KeepHeavy",
    "sampled-keep-heavy": "finitedp.impl.histograms.sampled_sparse.SampledKeepHeavy",
    "sparse": "finitedp.impl.histograms.sampled_sparse.SparseHistogram",
    "pure-sparse": "finitedp.impl.histograms.pure_sparse.PureSparseHistogram",
}
NAMES = tuple(RUN)
SPARSE = [RUN[name] for name in NAMES[2:]]
UNSORTED = ((3, 0, 1), (2, 2, 0), (1, 1, 1))
SMALL = [(name, 3, 1) for name in NAMES]
OUTPUTS = cases(
    Output,
    [
        *SMALL,
        ("basic", 2, 2),
        ("stability", 4, 3, UNSORTED),
        ("keep-heavy", 3, 2),
        *((name, 5, 2, ((4, 0),)) for name in NAMES[3:]),
    ],
    [
        *(("basic", 3, 2), ("stability", 4, 3), ("stability", 5, 3), ("keep-heavy", 4, 2), ("keep-heavy", 5, 2)),
        *((name, 5, 2, ((3, 1), (2, 2))) for name in NAMES[3:]),
    ],
)


@frozen
class Rewritten:
    """Broken: the bins that a mechanism releases, changed by a function that sees the rows too."""

    inner: Any
    change: Callable[[list[int], Bins], Bins]

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        rows = list(data)
        return self.change(rows, self.inner.release(rows, coins))


def _labels_of_the_data_first(rows: list[int], bins: Bins) -> Bins:
    """The labels of the data in the order of its rows, then the others."""
    return tuple(sorted(bins, key=lambda pair: (rows.index(pair[0]) if pair[0] in rows else len(rows), pair[0])))


def _reordered(case: Output) -> Rewritten:
    return Rewritten(running(case), _labels_of_the_data_first)


def _heaviest_first(case: Output) -> Rewritten:
    """By noisy count."""
    return Rewritten(running(case), _by_noisy_count)


def _by_noisy_count(_rows: list[int], bins: Bins) -> Bins:
    return tuple(sorted(bins, key=lambda pair: -pair[1]))


Make = Callable[[Output], Any]


def _released(mechanism: Any, case: Output) -> set[tuple[tuple[int, ...], Bins]]:  # noqa: ANN401  # as above
    """Every output of positive probability, with a dataset that has it."""
    return {(rows, bins) for rows in case.datasets for bins in exploration(mechanism, rows).law()}


@lemma(
    "BV.Fn3",
    """Footnote 3: every mechanism releases its bins sorted by an order of X alone, on every path and for every
    ordered dataset, each label at most once.""",
    over="BasicHistogram, StabilityHistogram, KeepHeavy, KH', SparseHistogram, PureSparseHistogram over GeoSample; ordered"
    " datasets, all of them where they are small; every output by the explorer",
    code=[RUN["basic"], RUN["stability"], *SPARSE],
    grid=OUTPUTS,
    subject=running,
    twins={"labels of the data first": _reordered, "heaviest first": _heaviest_first},
)
def sorted_bins(make: Make, case: Output) -> Iterator[Finding]:
    for rows, bins in sorted(_released(make(case), case)):
        labels = [x for x, _ in bins]
        yield equal(labels, sorted(set(labels)), f"{case.name}, order of the bins for {rows}")


@lemma(
    "BV.Fn3.breach",
    """Footnote 3: the order of bins can breach privacy. BasicHistogram and KeepHeavy are private with the ratio (3/2)^2; with
    the labels of the data before the others, two neighbouring datasets have an infinite ratio, where there is room for two
    bins.""",
    over="neighbouring ordered datasets; GeoSample at epsilon = 1; joint laws of the running code",
    code=["finitedp.impl.histograms.basic.BasicHistogram"],
    grid=cases(Output, [("basic", 2, 2), ("basic", 3, 1), ("keep-heavy", 3, 2)], [("basic", 3, 2), ("keep-heavy", 4, 2)]),
    subject=_reordered,
    twins={"sorted": running, "heaviest first, which is post-processing": _heaviest_first},
)
def order_breaches(make: Make, case: Output) -> Iterator[Finding]:
    in_scope(min(case.size, case.most) >= 2, "room for two bins")
    law, right = joint_law(make(case)), joint_law(running(case))
    pairs = list(neighbouring_pairs(range(case.size), case.n, "replace-one"))
    infinite = any(max_ratio(law(left), law(other)).infinite for left, other in pairs)
    yield equal(infinite, True, "an infinite ratio")
    yield from (
        at_most(max_ratio(right(left), right(other)).value, mpq(9, 4), "ratio of the sorted bins") for left, other in pairs
    )


# Output lengths


def _all_labels(case: Output) -> Rewritten:
    """What is not released is listed with the count 0."""
    return Rewritten(running(case), lambda _rows, bins: tuple((x, dict(bins).get(x, 0)) for x in range(case.size)))


def _one_more(case: Output) -> Any:  # noqa: ANN401  # as above
    """KeepHeavy compared with the (n+2)-th heaviest count, so that n + 1 bins may be released."""
    if case.name != "keep-heavy":
        return running(case)
    return Rewritten(running(case).histogram, lambda _rows, bins: heavier_than(list(bins), case.n + 1))


LENGTHS = "ordered datasets and every output of the running code, written as a partial vector with room for n' bins"
WRITTEN = ["finitedp.spec.representation.partial_vector"]


def _lengths(make: Make, case: Output) -> Finding:
    expected = case.most * ((case.size - 1).bit_length() + int(case.n).bit_length())
    findings = []
    for _, bins in sorted(_released(make(case), case)):
        listed = dict(bins) if case.name != "basic" else {x: count for x, count in bins if count}
        fits = len(listed) <= case.most and all(count > 0 for count in listed.values())
        findings.append(equal(fits, True, f"{case.name}: at most {case.most} bins, none of them 0"))
        if fits:
            text = spec.partial_vector(listed, case.size, case.n, case.most)
            findings.append(equal(len(text), expected, "bits"))
            findings.append(equal(spec.read_partial_vector(text, case.size, case.n, case.most), listed, "read back"))
    return all_of(findings)


lemma(
    "BV.Sec5.2.length",
    """The output of StabilityHistogram has the length n (ceil log |X| + ceil log(n + 1)) bits, whatever is released: at most n
    bins (after Algorithm 5.4).""",
    over=LENGTHS,
    code=["finitedp.impl.histograms.stability.StabilityHistogram", *WRITTEN],
    grid=cases(
        Output,
        [*(("stability", size, n) for size, n in ((1, 1), (3, 1), (3, 2))), ("stability", 4, 3, UNSORTED)],
        [("stability", 4, 3), ("stability", 5, 3)],
    ),
    subject=running,
    twins={"a bin for every label": _all_labels},
)(_lengths)
lemma(
    "BV.Sec6.1.length",
    """The outputs of KeepHeavy, KH', SparseHistogram and PureSparseHistogram have n (ceil log |X| + ceil log(n + 1)) bits,
    that of BasicHistogram over X has |X| (ceil log |X| + ceil log(n + 1)): after Algorithm 6.1 and Proposition 6.6.""",
    over=LENGTHS,
    code=[RUN["basic"], *SPARSE, *WRITTEN],
    grid=cases(
        Output,
        [case for case in OUTPUTS.of("quick") if case.name != "stability"],
        [case for case in OUTPUTS.of("full") if case.name != "stability"],
    ),
    subject=running,
    twins={
        "a bin for every label": _all_labels,
        "above the (n+2)-th count": _one_more,
    },
)(_lengths)
