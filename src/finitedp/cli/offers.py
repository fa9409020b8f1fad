"""How `finitedp release` offers the histograms."""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from finitedp.data.papers import Instance, Terms, basic, compact, pure_sparse, sparse, stability
from finitedp.impl.histograms.blanket.building import MOST_ROWS
from finitedp.impl.histograms.compact import FIELD_WORD
from finitedp.impl.histograms.dyadic import MOST_PADDED


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


BASIC = Offer(
    help="""A noisy count for every label of the universe (BasicHistogram).

    The release is (epsilon, 0)-differentially private for datasets that differ in one row; the number of rows is public, but
    where --n bounds it. With --neighbours add-remove, and half the noise, it is so for one row more or less.
    """,
    paper=basic,
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
    paper=stability,
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
    paper=sparse,
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
    paper=pure_sparse,
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
    paper=compact,
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
