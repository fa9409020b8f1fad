"""finitedp.total and finitedp.count, our own: all that they show, on all words, of data of any number of rows."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from finitedp.claim import check_neighbours
from finitedp.data.noisy_number import NoisyNumber
from finitedp.data.totals import count, total
from finitedp.errors import DataError
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Listed
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import equal, in_turn, own, same_law
from finitedp.spec.columns.total import clipped_sum, total_sample, worst_change
from finitedp.spec.neighbours import multisets
from finitedp.spec.pmf import Pmf

MORE = 1  # rows above n that are tried
Rows = tuple[int, ...]
Seen = tuple[int, str]
Release = Callable[["Asked", Rows, Listed], NoisyNumber]


class Asked(NamedTuple):
    """Bounds of the values, (0, 1) of a count; n, epsilon, the bits of a word, and what is a neighbour."""

    low: int
    high: int
    n: int
    epsilon: str
    word: int
    neighbours: str = "add-remove"

    @property
    def counts(self) -> bool:
        """Whether it is a number of rows."""
        return (self.low, self.high) == (0, 1)

    def datasets(self) -> Iterator[Rows]:
        """Of no rows up to more than n; with replace-one of n."""
        held = (1,) if self.counts else (self.low - 1, self.low, self.high, self.high + 1)
        for size in range(self.n + MORE + 1) if self.neighbours == "add-remove" else [self.n]:
            yield from multisets(held, size)

    def law(self, rows: Rows) -> Pmf[int]:
        changed = worst_change(self.low, self.high, self.neighbours)
        ends = self.n * min(self.low, 0), self.n * max(self.high, 0)
        table = Dyadic(ends[1] - ends[0], f"{2 * int(self.epsilon)}/{changed}", self.word)
        return total_sample(table.weights, clipped_sum(rows, self.low, self.high), ends, 1)


def _released(case: Asked, rows: Rows, words: Listed) -> NoisyNumber:
    """By finitedp.total, or finitedp.count, from counts by value."""
    terms: dict[str, Any] = {"epsilon": case.epsilon, "n": case.n, "word": case.word, "neighbours": case.neighbours}
    if case.counts:
        return count(Counter(rows), words=words, **terms)
    return total(Counter(rows), bounds=(case.low, case.high), step=1, words=words, **terms)


def _seen(release: Release, case: Asked, rows: Rows, word: int) -> Seen:
    """The value and all that is said beside it; or that it is refused."""
    try:
        found = release(case, rows, Listed([word], case.word))
    except DataError as error:
        return 0, f"refused: {error}"
    said = {name: value for name, value in found.as_json().items() if name not in ("value", "error_bar")}
    return found.value, str(said)


def _refusing(case: Asked, rows: Rows, words: Listed) -> NoisyNumber:
    if len(rows) > case.n:
        raise DataError("more rows than n")
    return _released(case, rows, words)


def _telling(case: Asked, rows: Rows, words: Listed) -> NoisyNumber:
    found = _released(case, rows, words)
    return NoisyNumber(found.value, found.claim, found.accuracy, found.mechanism, f"of {len(rows)} rows", found.source)


@own(
    "FD.Total.release",
    """finitedp.total and finitedp.count have the law of the definition on data of any number of rows, refuse none of them for
    a row more or less, and say the same beside the number whatever the data is.""",
    over="all data of 0..n + 1 rows (replace-one: of n) with values at the bounds and beyond; all words",
    code=["finitedp.data.totals.total", "finitedp.data.totals.count", "finitedp.data.noisy_number.NoisyNumber"],
    grid=cases(
        Asked,
        [(0, 2, 1, "1", 5), (-1, 2, 1, "2", 6), (2, 3, 2, "1", 6, "replace-one"), (0, 1, 2, "1", 6)],
        [(2, 4, 2, "3", 8), (-3, -1, 2, "1", 8), (0, 1, 3, "2", 8)],
    ),
    subject=_released,
    twins={
        "more rows than n are refused": _refusing,
        "the first n rows": lambda case, rows, words: _released(case, rows[: case.n], words),
        "wider bounds": lambda case, rows, words: _released(
            case if case.counts else case._replace(low=case.low - 1, high=case.high + 1), rows, words
        ),
        "the number of rows is told": _telling,
    },
)
def release(release_: Release, case: Asked) -> Iterator[Finding]:
    laws = {rows: _law(release_, case, rows) for rows in case.datasets()}
    (_, said), *_ = next(iter(laws.values())).support
    claim = _released(case, (0,) * case.n, Listed([0], case.word)).claim
    stated = None if claim is None else (claim.epsilon, claim.delta, claim.neighbours)
    yield in_turn(
        same_law(found, case.law(rows).pushforward(lambda value: (value, said)), f"rows {rows}")
        for rows, found in laws.items()
    )
    yield equal(stated, (int(case.epsilon), 0, check_neighbours(case.neighbours)), "stated claim")


def _law(release_: Release, case: Asked, rows: Rows) -> Pmf[Seen]:
    return Pmf(Counter(_seen(release_, case, rows, word) for word in range(2**case.word)))
