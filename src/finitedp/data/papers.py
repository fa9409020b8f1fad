"""The paper's histograms, with its parameters for a universe, a number of rows and epsilon: made, and read again."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from attrs import frozen
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import Cost, HistogramAccuracy, PrivacyClaim
from finitedp.data.columns import Label
from finitedp.data.error_bars import Bars
from finitedp.data.value.by_label import ByLabel
from finitedp.data.value.framed import framed
from finitedp.data.value.saved import check_stated, listed_in
from finitedp.data.value.shown import MOST_SHOWN, as_lines, row, shown_places, what_is_claimed
from finitedp.errors import DataError, FinitedpError, LabelError, ParameterError
from finitedp.exact import integer, probability, rational, short
from finitedp.impl.histograms.basic import basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.impl.histograms.compact import compact_accuracy, compact_histogram_with_fast_sample
from finitedp.impl.histograms.pure_sparse import pure_sparse_accuracy, pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import sparse_accuracy, sparse_histogram_with_fast_sample
from finitedp.impl.histograms.stability import stability_accuracy, stability_histogram_with_fast_sample
from finitedp.impl.histograms.universe import as_universe
from finitedp.impl.randomness.coins import Coins, ExactCoins, StrictCoins, system_bits
from finitedp.labels import shown
from finitedp.numbers import decimal

__all__ = [
    "PAPERS",
    "Histogram",
    "Instance",
    "PaperHistogram",
    "Terms",
    "basic",
    "claim_of",
    "compact",
    "pure_sparse",
    "sparse",
    "stability",
    "what_is_stated",
]


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
    the id of the claim that is stated. threshold: counts up to it are not released. lists: all
    labels, those that are frequent, or any, of which some may not occur.
    """

    histogram: Histogram
    title: str
    parameters: dict[str, str]
    accuracy: HistogramAccuracy
    source: str
    threshold: int | None = None
    lists: Literal["all", "frequent", "any"] = "frequent"


def _gamma(histogram: Any) -> dict[str, str]:  # noqa: ANN401  # a histogram over FastSample
    return {"gamma": str(histogram.mechanism.gamma)}


def basic(terms: Terms) -> Instance:
    """BasicHistogram, Theorem 5.3."""
    histogram = basic_histogram_with_fast_sample(terms.universe, terms.n, terms.epsilon, terms.beta)
    accuracy = basic_histogram_accuracy(terms.size, terms.epsilon, terms.beta)
    return Instance(histogram, "BasicHistogram with FastSample", _gamma(histogram), accuracy, "BV.Thm5.3.i", lists="all")


def stability(terms: Terms) -> Instance:
    """StabilityHistogram, Theorem 5.6."""
    histogram = stability_histogram_with_fast_sample(terms.n, terms.epsilon, terms.delta, terms.beta)
    accuracy = stability_accuracy(terms.n, terms.epsilon, terms.delta, terms.beta)
    title = "StabilityHistogram with FastSample"
    return Instance(histogram, title, _gamma(histogram), accuracy, "BV.Thm5.6.i", histogram.b)


def sparse(terms: Terms) -> Instance:
    """SparseHistogram, Theorem 6.8."""
    universe = as_universe(terms.universe)
    histogram = sparse_histogram_with_fast_sample(universe, terms.n, terms.epsilon, terms.delta, terms.beta)
    accuracy = sparse_accuracy(histogram, terms.beta)
    chosen = {**_gamma(histogram), "distance": str(histogram.delta)}
    return Instance(histogram, "SparseHistogram with FastSample", chosen, accuracy, "BV.Thm6.8.ii", lists="any")


def pure_sparse(terms: Terms) -> Instance:
    """PureSparseHistogram, Theorem 6.11."""
    histogram = pure_sparse_histogram_with_geo_sample(as_universe(terms.universe), terms.n, terms.epsilon, terms.beta)
    accuracy = pure_sparse_accuracy(terms.size, terms.epsilon, terms.beta)
    chosen = {"beta_1": str(histogram.beta_1)}
    return Instance(histogram, "PureSparseHistogram with GeoSample", chosen, accuracy, "BV.Thm6.11.i", lists="any")


def compact(terms: Terms) -> Instance:
    """CompactHistogram, Theorem 8.6."""
    histogram = compact_histogram_with_fast_sample(terms.universe, terms.n, terms.epsilon, terms.beta)
    accuracy = compact_accuracy(terms.size, terms.epsilon, terms.beta)
    return Instance(histogram, "CompactHistogram with FastSample", _gamma(histogram), accuracy, "BV.Thm8.6.i")


PAPERS = {
    "BasicHistogram with FastSample": basic,
    "StabilityHistogram with FastSample": stability,
    "SparseHistogram with FastSample": sparse,
    "PureSparseHistogram with GeoSample": pure_sparse,
}
"""Those that are a list of counts, by the names that documents have."""


def claim_of(made: Instance, coins: Coins, delta: mpq) -> PrivacyClaim:
    """What is claimed on these coins. Raises: ParameterError where the exact delta is above the one asked for."""
    exact = made.histogram.claim(coins)
    if exact.delta > delta:
        raise ParameterError(f"the exact delta {decimal(exact.delta, 12)} exceeds {delta}")
    return PrivacyClaim(exact.epsilon, exact.neighbours, delta, source=made.source)


def what_is_stated(
    made: Instance, terms: Terms, claim: PrivacyClaim | None, coins: str, bits_from: str, above: int
) -> dict[str, Any]:
    """The middle of a document, from the mechanism to the randomness. Parameters: above, as NoisyHistogram.listed_above."""
    cost = made.histogram.cost()
    return {
        "mechanism": made.title,
        **({"labels": terms.size} if made.lists == "all" else {}),
        **({} if made.threshold is None else {"threshold": made.threshold}),
        **({"universe_size": short(terms.size), "listed_above": above} if made.lists == "any" else {}),
        "parameters": {"epsilon": str(terms.epsilon), "delta": str(terms.delta), **made.parameters},
        "claim": None if claim is None else claim.as_json(),
        "accuracy": made.accuracy.as_json(),
        "randomness": {
            "coins": coins,
            "bits_from": bits_from,
            "draws": cost.draws,
            "bits": cost.bits if coins == "strict" else None,
        },
    }


@frozen(eq=False)
class PaperHistogram(ByLabel):
    """A list of noisy counts of one of the paper's mechanisms, as `finitedp release` wrote it, and what is claimed of them.

    labels, counts, claim, accuracy, n, threshold and listed_above are as of a NoisyHistogram. stated: all that its document
    says, from the mechanism to the randomness.
    """

    labels: Sequence[Label]
    counts: NDArray[np.int64]
    claim: PrivacyClaim | None
    accuracy: HistogramAccuracy
    n: int
    threshold: int | None
    listed_above: int
    stated: dict[str, Any]

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "PaperHistogram":
        """The release of a document; all that it states is computed again from its parameters. Raises: DataError."""
        try:
            found = cls._rebuilt(document)
        except (FinitedpError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise DataError(f"the release is damaged: {type(error).__name__}: {error}") from None
        check_stated(document, found.stated)
        return found

    @classmethod
    def _rebuilt(cls, document: Mapping[str, Any]) -> "PaperHistogram":
        given, drawn, n = document["parameters"], document["randomness"], integer(document["n"], "n", at_least=1)
        labels, counts = listed_in(document, n)
        size = document["labels"] if "labels" in document else int(document.get("universe_size", 1))
        delta, beta = probability(given["delta"], "delta", one=False), rational(document["accuracy"][0]["beta"], "beta")
        terms = Terms(range(integer(size, "labels", at_least=1)), n, rational(given["epsilon"], "epsilon"), delta, beta)
        made, private = PAPERS[document["mechanism"]](terms), document["claim"] is not None
        known: dict[str, Coins] = {"strict": StrictCoins(system_bits), "exact": ExactCoins(system_bits)}
        above = integer(document.get("listed_above", 0), "listed_above", 0)
        if document["private"] is not private or not isinstance(drawn["bits_from"], str):
            raise DataError("private and claim contradict each other, or bits_from is no text")
        if (made.lists == "all") and len(labels) != size:
            raise DataError(f"there are {len(labels)} labels of {size}")
        if labels and counts.min() <= max(above or -1, -1 if made.threshold is None else made.threshold):
            raise DataError("a count is listed that is not above the threshold")
        claim = claim_of(made, known[drawn["coins"]], delta) if private else None
        stated = what_is_stated(made, terms, claim, drawn["coins"], drawn["bits_from"], above)
        return cls(labels, counts, claim, made.accuracy, n, made.threshold, above, stated)

    def place(self, label: Label) -> int:
        """Where a label is. Raises: LabelError for one that is not listed."""
        if label not in self.labels:
            raise LabelError(f"{shown(label)} is not listed; accepted: a label of the release")
        return self.labels.index(label)

    def bars(self) -> Bars:
        """The error bars of the counts, each of which fails with probability at most beta."""
        return Bars(self.n, self.accuracy)

    def to_frame(self, backend: str) -> Any:  # noqa: ANN401  # any engine's frame
        """As NoisyHistogram.to_frame."""
        return framed(backend, self.labels, self.counts, self.bars().bar, ())

    def __repr__(self) -> str:
        """A table of at most 20 lines: labels, counts, error bars, and what is claimed."""
        places, bins = shown_places(len(self)), list(self.items())
        rows = [None if i is None else row(*bins[i], self.bars().bar(bins[i][1])) for i in places]
        claimed = what_is_claimed(self.claim, self.accuracy, self.n, None if "labels" in self.stated else self.listed_above)
        return as_lines(rows, len(self) - MOST_SHOWN, claimed)
