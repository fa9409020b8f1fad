"""How `finitedp release` offers the histograms: with the paper's parameters for a universe, a number of rows and epsilon."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import Cost, HistogramAccuracy, PrivacyClaim
from finitedp.impl.histograms.basic import basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.impl.histograms.blanket.building import MOST_ROWS
from finitedp.impl.histograms.compact import FIELD_WORD, compact_accuracy, compact_histogram_with_fast_sample
from finitedp.impl.histograms.dyadic import MOST_PADDED
from finitedp.impl.histograms.pure_sparse import pure_sparse_accuracy, pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import sparse_accuracy, sparse_histogram_with_fast_sample
from finitedp.impl.histograms.stability import stability_accuracy, stability_histogram_with_fast_sample
from finitedp.impl.histograms.universe import as_universe
from finitedp.impl.randomness.coins import Coins

__all__ = ["OFFERS", "Histogram", "Instance", "Offer", "Terms"]


@frozen
class Terms:
    """What a release is asked for: over which universe, whatever as_universe takes, of how many rows, and its parameters."""

    universe: Any
    n: int
    epsilon: mpq
    delta: mpq
    beta: mpq

    @property
    def size(self) -> int:
        """|X|."""
        return as_universe(self.universe).size


class Histogram(Protocol):
    """What every mechanism that is released has."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> Any:  # noqa: ANN401  # of the offer's form
        """What is released."""
        ...

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """What is claimed on these coins."""
        ...

    def cost(self) -> Cost:
        """Draws and bits."""
        ...


@frozen(eq=False)
class Instance:
    """A mechanism for a release, and what is said of it.

    title: its name, for the document. parameters: what was chosen for it. accuracy: of a count, and of all at once. source:
    the id of the claim that is stated. threshold: counts up to it are not released.
    """

    histogram: Histogram
    title: str
    parameters: dict[str, str]
    accuracy: HistogramAccuracy
    source: str
    threshold: int | None = None


@frozen(eq=False)
class Offer:
    """How `release` offers a mechanism.

    help: for its users. paper: the mechanism with the paper's parameters, for histograms of labels. form: a list of noisy
    counts, a polynomial that is asked for counts, or prevalences without labels, whose command is its own. word: what --word
    is by default, where it also stands on dyadic tables. takes_delta: whether delta is a parameter. bounded: whether n may be
    a public bound; largest_n: beyond which one is refused. whole: whether every label is released. noise_alone: whether labels
    that do not occur may be listed. blanket: whether it stands on BlanketHistogram by default, and on the paper's on demand.
    """

    help: str
    paper: Callable[[Terms], Instance] | None = None
    form: Literal["list", "polynomial", "prevalences"] = "list"
    word: str | None = None
    takes_delta: bool = False
    bounded: bool = False
    largest_n: int | None = None
    whole: bool = False
    noise_alone: bool = False
    blanket: bool = False


def _gamma(histogram: Any) -> dict[str, str]:  # noqa: ANN401  # a histogram over FastSample
    return {"gamma": str(histogram.mechanism.gamma)}


def _basic(terms: Terms) -> Instance:
    histogram = basic_histogram_with_fast_sample(terms.universe, terms.n, terms.epsilon, terms.beta)
    accuracy = basic_histogram_accuracy(terms.size, terms.epsilon, terms.beta)
    return Instance(histogram, "BasicHistogram with FastSample", _gamma(histogram), accuracy, "BV.Thm5.3.i")


def _stability(terms: Terms) -> Instance:
    histogram = stability_histogram_with_fast_sample(terms.n, terms.epsilon, terms.delta, terms.beta)
    accuracy = stability_accuracy(terms.n, terms.epsilon, terms.delta, terms.beta)
    title = "StabilityHistogram with FastSample"
    return Instance(histogram, title, _gamma(histogram), accuracy, "BV.Thm5.6.i", histogram.b)


def _sparse(terms: Terms) -> Instance:
    universe = as_universe(terms.universe)
    histogram = sparse_histogram_with_fast_sample(universe, terms.n, terms.epsilon, terms.delta, terms.beta)
    accuracy = sparse_accuracy(histogram, terms.beta)
    chosen = {**_gamma(histogram), "distance": str(histogram.delta)}
    return Instance(histogram, "SparseHistogram with FastSample", chosen, accuracy, "BV.Thm6.8.ii")


def _pure_sparse(terms: Terms) -> Instance:
    histogram = pure_sparse_histogram_with_geo_sample(as_universe(terms.universe), terms.n, terms.epsilon, terms.beta)
    accuracy = pure_sparse_accuracy(terms.size, terms.epsilon, terms.beta)
    chosen = {"beta_1": str(histogram.beta_1)}
    return Instance(histogram, "PureSparseHistogram with GeoSample", chosen, accuracy, "BV.Thm6.11.i")


def _compact(terms: Terms) -> Instance:
    histogram = compact_histogram_with_fast_sample(terms.universe, terms.n, terms.epsilon, terms.beta)
    accuracy = compact_accuracy(terms.size, terms.epsilon, terms.beta)
    return Instance(histogram, "CompactHistogram with FastSample", _gamma(histogram), accuracy, "BV.Thm8.6.i")


BASIC = Offer(
    help="""A noisy count for every label of the universe (BasicHistogram).

    The release is (epsilon, 0)-differentially private for datasets that differ in one row; the number of rows is public, but
    where --n bounds it. With --neighbours add-remove, and half the noise, it is so for one row more or less.
    """,
    paper=_basic,
    word="64, or 128 where that lowers the stated error",
    bounded=True,
    whole=True,
)
STABILITY = Offer(
    help="""Noisy counts of the labels that occur, where large enough (StabilityHistogram).

    For universes of any size. The release is (epsilon, delta)-differentially private for datasets that differ in one row; the
    number of rows is public, but where --n bounds it. With --neighbours add-remove, and half the noise, it is so for one row
    more or less. A label that is not listed has count 0.
    """,
    paper=_stability,
    word="64, or 128 where that lowers the threshold",
    takes_delta=True,
    bounded=True,
    largest_n=MOST_PADDED,
)
SPARSE = Offer(
    help="""The at most n heaviest noisy counts of the whole universe (SparseHistogram with FastSample, Theorem 6.8).

    For universes of at least 2n + 1 labels. The release is (epsilon, delta)-differentially private for datasets that differ in
    one row; the number of rows n is public. A label that is not listed has count 0. Some of the listed labels do not occur:
    their counts are noise.
    """,
    paper=_sparse,
    takes_delta=True,
    noise_alone=True,
)
PURE_SPARSE = Offer(
    help="""The noisy counts that are large enough, with delta = 0, for universes of any size (BlanketHistogram).

    For more labels than rows. The release is (epsilon, 0)-differentially private for datasets that differ in one row; the
    number of rows is public, but where --n bounds it. A label that is not listed has count 0. Some of the listed labels may
    never have been in the data: on average at most --invented of them. With --mechanism order-statistics it is the paper's
    mechanism (PureSparseHistogram with GeoSample, Theorem 6.11), for at least 2n + 1 labels: the n heaviest noisy counts.
    """,
    paper=_pure_sparse,
    bounded=True,
    largest_n=MOST_ROWS,
    noise_alone=True,
    blanket=True,
)
COMPACT = Offer(
    help="""A noisy count for every label of a universe of any size, as one file (CompactHistogram).

    `finitedp query` reads counts from the file. The release is (epsilon, 0)-differentially private for datasets that differ
    in one row; the number of rows is public. Its time grows with the square of the number of rows up to about 900 of them,
    and nearly linearly beyond.
    """,
    paper=_compact,
    form="polynomial",
    word=str(FIELD_WORD),
)
ANONYMIZED = Offer(
    help="""How many labels have each count, and how many items there are, without the labels (PrivHist).

    For labels of any kind and number, such as passwords, or degrees in a graph; labels need not be known. The release is
    (epsilon, 0)-differentially private for one item more or less, among at most n items; a file of more is refused. The number
    of items is noisy. The input is a column of labels, or a file of counts and prevalences.
    """,
    form="prevalences",
    word="64 or 128",
    bounded=True,
)

OFFERS = {
    "basic": BASIC,
    "stability": STABILITY,
    "sparse": SPARSE,
    "pure-sparse": PURE_SPARSE,
    "compact": COMPACT,
    "anonymized": ANONYMIZED,
}
"""By name, in the order in which they are listed; the registry of mechanisms has them by the same names."""
