"""The one-sided histogram of the registry, and the maximum of it: laws for datasets that differ by a row more or less."""

from functools import cache
from typing import Any

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import positive
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import statistic_of
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.checks.symmetry import relabel_partial_vector
from finitedp.proofs_check.limits import MOST_LABELS_OF_A_LAW
from finitedp.proofs_check.mechanisms.counting import WORD, N
from finitedp.proofs_check.mechanisms.kinds import Mechanism, Option, Subject, integer_from
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.flexible import statistics
from finitedp.spec.pmf import Pmf

MOST_Q = 10_000

_LABELS = Option("labels", "integer", "The number of bars.", integer_from(1, MOST_LABELS_OF_A_LAW))
_Q = Option("q", "integer", "No bar loses more than q - 1 rows.", integer_from(1, MOST_Q))
_EPSILON = Option("epsilon", "rational", "Privacy parameter, any p/q above 0.", positive)
_WORD = Option("word", "integer", "Bits of a draw.", integer_from(2, LARGEST_WORD), required=False, default=WORD)


def _named(labels: int) -> tuple[str, ...]:
    return tuple(f"x{i:0{len(str(labels))}d}" for i in range(1, labels + 1))


def _weights(q: int, epsilon: mpq, word: int) -> tuple[int, ...]:
    found = spec.table(q, spec.ratio_below(epsilon, word), word)
    if found is None:
        raise ParameterError(
            f"no table of {q} weights is found for epsilon = {epsilon} in {word} bits; accepted: a larger word"
        )
    return found


def _histogram(n: int, labels: int, q: int, epsilon: mpq, word: int = WORD) -> Subject:
    named, code = _named(labels), ShiftedTruncated(labels, q, epsilon, word)
    weights, place = _weights(q, epsilon, word), {label: i for i, label in enumerate(named)}

    def law(data: Any) -> Pmf[Any]:  # noqa: ANN401  # labels
        counts = [list(data).count(label) for label in named]
        return spec.histogram(weights, counts).pushforward(lambda noisy: tuple(zip(named, noisy, strict=True)))

    def release(data: Any, coins: Coins) -> Any:  # noqa: ANN401  # labels, and pairs of them with counts
        return tuple(zip(named, code.release([place[label] for label in data], coins), strict=True))

    each = (min(n, q) + 1) ** labels
    return Subject(n, cache(law), code.claim(), release, word * labels, each, each, named, relabel_partial_vector)


def _maximum(n: int, labels: int, q: int, epsilon: mpq, word: int = WORD) -> Subject:
    """The last label of the histogram that is not empty; of an empty one the first."""
    named, histogram = _named(labels), ShiftedTruncated(labels, q, epsilon, word)
    code = FlexibleStatistic(statistic_of("max"), IntegerBuckets(0, labels - 1), histogram)
    weights, place = _weights(q, epsilon, word), {label: i for i, label in enumerate(named)}

    def law(data: Any) -> Pmf[Any]:  # noqa: ANN401  # labels
        counts = [list(data).count(label) for label in named]
        return spec.histogram(weights, counts).pushforward(lambda noisy: named[statistics.maximum(noisy)])

    def release(data: Any, coins: Coins) -> str:  # noqa: ANN401  # labels
        return named[int(code.release([place[label] for label in data], coins))]

    paths = (min(n, q) + 1) ** labels
    return Subject(n, cache(law), code.claim(), release, word * labels, paths, paths, named)


FLEXIBLE = (
    Mechanism(
        name="shifted-truncated",
        summary="A histogram whose counts only fall, by less than q (Algorithm 1 of FA, with a public q).",
        options=(N, _LABELS, _Q, _EPSILON, _WORD),
        make=_histogram,
        claims=("FA.Alg1", "FD.Shifted.law", "FD.Shifted.private", "FD.Shifted.accuracy"),
        input="counts",
    ),
    Mechanism(
        name="flexible-max",
        summary="The last label with a row left, of shifted-truncated (Corollary 2 of FA).",
        options=(N, _LABELS, _Q, _EPSILON, _WORD),
        make=_maximum,
        claims=("FA.Cor2.ii", "FD.Shifted.extreme"),
        input="counts",
    ),
)
