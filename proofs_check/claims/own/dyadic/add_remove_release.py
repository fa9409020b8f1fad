"""finitedp.release for a row more or less, our own: what it says of data of any number of rows, on all words."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from gmpy2 import mpq

from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.releasing import release
from finitedp.errors import DataError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.dyadic import least_threshold, stability_release_clamped
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.words import WordSource
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Case, Labels, Listed
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, in_turn, own, same_law
from finitedp.spec import stability as spec_stability
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

MORE = 2  # rows above n that are tried
Seen = tuple[Any, str]
Release = Callable[[Case, Labels, WordSource], Seen]


def _released(case: Case, data: Labels, words: WordSource, **changes: Any) -> NoisyHistogram:  # noqa: ANN401  # options
    """By finitedp.release, from true counts in the order in which labels come."""
    listed = list(dict.fromkeys(data))
    counts = LabelCounts(listed, np.array([data.count(label) for label in listed], np.int64), len(data))
    given: dict[str, Any] = {"epsilon": case.epsilon, "delta": case.delta, "n": case.n, "word": case.word}
    given |= {"universe": case.universe, "neighbours": "add-remove"}
    noisy: NoisyHistogram = release(counts, words=words, **{**given, **changes})
    return noisy


def _seen(noisy: NoisyHistogram) -> Seen:
    """All that shows of a release: labels with their counts, and what is said of it."""
    return tuple(noisy.as_dict().items()), json.dumps(noisy.metadata())


def _release(case: Case, data: Labels, words: WordSource) -> Seen:
    """What finitedp.release gives, or that it refuses, which is seen."""
    try:
        return _seen(_released(case, data, words))
    except DataError as error:
        return "refused", str(error)


def _refusing(when: Callable[[Case, Labels], bool]) -> Release:
    return lambda case, data, words: ("refused", "") if when(case, data) else _release(case, data, words)


def _telling(what: Callable[[Labels], int]) -> Release:
    def told(case: Case, data: Labels, words: WordSource) -> Seen:
        shown, about = _release(case, data, words)
        return shown, json.dumps(json.loads(about) | {"rows": what(data)})

    return told


def _a_lesser_threshold(case: Case, data: Labels, words: WordSource) -> Seen:
    """b - 1; without delta as it is."""
    shown, about = _release(case, data, words)
    if not mpq(case.delta):
        return shown, about
    mechanism = DyadicSample(case.n, 2 * mpq(case.epsilon), case.word)
    less = StabilityHistogram[str](mechanism, max(least_threshold(mechanism, case.delta) - 1, 0))
    listed = sorted(set(data))
    places, noisy = stability_release_clamped(less, np.array([data.count(x) for x in listed], np.int64), words)
    return tuple((listed[i], x) for i, x in zip(places.tolist(), noisy.tolist(), strict=True)), about


def _datasets(case: Case) -> Iterator[Labels]:
    """Of no rows up to more than n."""
    for rows in range(case.n + MORE + 1):
        yield from multisets(case.universe, rows)


def _law(release_: Release, case: Case, data: Labels) -> Pmf[Seen]:
    """By all words of all draws, one after the other."""
    draws = max(case.n, len(set(data))) if mpq(case.delta) else case.size
    every = product(range(2**case.word), repeat=draws)
    return Pmf(Counter(release_(case, data, Listed(words, case.word)) for words in every))


def _defined(case: Case, data: Labels) -> Pmf[Any]:
    """The law of the definition at counts of at most n."""
    table = case.of_the_double()
    kept = tuple(label for label in case.universe for _ in range(min(data.count(label), case.n)))
    if mpq(case.delta):
        return spec_stability.stability_histogram(kept, table.stable.law, table.stable.b)
    return basic_histogram(kept, case.universe, table.stable.law)


@own(
    "FD.Release.add-remove",
    """finitedp.release for add-remove, with delta = 0 and with delta > 0, is (epsilon, delta)-differentially private for a row
    more or less on data of any number of rows, none and more than n included: all that it shows, of what it says too. It
    refuses none of them; counts above n are n, and what it says beside the counts is the same for all data.""",
    over="all datasets of 0..n + 2 rows; all words of all draws, one after the other; with more labels than n, too",
    code=["finitedp.data.releasing.release", "finitedp.impl.histograms.dyadic.stability_release_clamped"],
    grid=cases(
        Case,
        [(2, 1, "1", 3), (1, 2, "3", 3), (2, 1, "1", 3, "3/4"), (2, 2, "3", 3, "1/2")],
        [
            (2, 2, "3", 3),
            (1, 2, "3", 3, "1/2"),
            (2, 2, "3/2", 4),
            (3, 1, "1", 3),
            (3, 2, "3", 3, "1/2"),
            (2, 2, "1", 5, "1/3"),
            (3, 1, "1/2", 4, "4/5"),
        ],
    ),
    subject=_release,
    twins={
        "no rows are refused": _refusing(lambda _, data: not data),
        "more rows than n are refused": _refusing(lambda case, data: len(data) > case.n),
        "the number of rows is told": _telling(len),
        "the number of labels that occur is told": _telling(lambda data: len(set(data))),
        "the first n rows": lambda case, data, words: _release(case, data[: case.n], words),
        "no rows are taken for one": lambda case, data, words: _release(case, data or case.universe[:1], words),
        "the table of 4 epsilon": lambda case, data, words: _seen(_released(case, data, words, epsilon=2 * mpq(case.epsilon))),
        "b one less": _a_lesser_threshold,
    },
)
def release_add_remove(release_: Release, case: Case) -> Iterator[Finding]:
    laws = {data: _law(release_, case, data) for data in _datasets(case)}
    (_, said), *_ = laws[()].support
    ratio, delta = case.of_the_double().stable.dyadic.ratio, mpq(case.delta)
    worst = max(
        hockey_stick(laws[a], laws[b], ratio).delta
        for a, b in neighbouring_multisets(case.universe, case.n + MORE, "add-remove")
    )
    claim = json.loads(said or "{}").get("claim", {})
    yield in_turn(
        same_law(law, _defined(case, data).pushforward(lambda shown: (shown, said)), "".join(data))
        for data, law in laws.items()
    )
    yield at_most(worst, delta, "delta at R")
    yield equal(
        [claim.get(name) for name in ("epsilon", "delta", "neighbours")],
        [str(mpq(case.epsilon)), str(delta), "add-remove"],
        "stated claim",
    )
