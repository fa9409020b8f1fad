"""finitedp.statistic, our own: its law on all words, and its exact delta, of datasets without rows too."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.data.statistics import LABELLED, FlexibleAnswer, prepared, separator, statistic
from finitedp.errors import DataError
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.randomness.words import WordSource
from finitedp.proofs_check.claims.own.dyadic.histogram_subjects import Listed
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope, out_of_scope_where_refused
from finitedp.proofs_check.ledger.findings import at_most, equal, own, same_law
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Rows = tuple[Any, ...]


class Case(NamedTuple):
    """A statistic of 0..last, epsilon and delta, bits of a word, and how many rows the datasets have at most."""

    name: str
    last: int
    epsilon: str
    delta: str
    word: int
    rows: int = 2
    more: tuple[tuple[str, Any], ...] = ()

    def check_scope(self) -> None:
        names = {"max-k": ("k",), "quantile": ("p",)}.get(self.name, ())
        in_scope(tuple(each[0] for each in self.more if len(each) == 2) == names, "k with max-k alone, p with quantile alone")
        in_scope(len(self.more) == len(names), "each of them once")
        in_scope(self.last >= 0 and self.rows >= 1, "a value, and a row")

    @property
    def universe(self) -> Rows:
        """All rows there may be: values, or values with their labels."""
        values = range(self.last + 1)
        return tuple(product(values, (False, True)) if self.name == LABELLED else values)

    @property
    def mechanism(self) -> FlexibleStatistic:
        with out_of_scope_where_refused():
            return prepared(self.name, (0, self.last), self.epsilon, self.delta, word=self.word, **dict(self.more))

    def datasets(self) -> Iterator[Rows]:
        for rows in range(self.rows + 1):
            yield from multisets(self.universe, rows)

    def counts(self, data: Rows) -> dict[Any, int]:
        return {row: data.count(row) for row in data}

    def __str__(self) -> str:
        return f"{self.name} of 0..{self.last}, epsilon={self.epsilon}, delta={self.delta}, {self.word} bits"


Answer = Callable[[Case, Rows, WordSource], Any]


def _answer(case: Case, data: Rows, words: WordSource) -> Any:  # noqa: ANN401  # of any statistic
    """What finitedp.statistic gives, or that it refuses, which is seen."""
    terms: dict[str, Any] = {"universe": (0, case.last), "epsilon": case.epsilon, "delta": case.delta, "word": case.word}
    try:
        if case.name == LABELLED:
            found: FlexibleAnswer = separator(case.counts(data), words=words, **terms)
        else:
            found = statistic(case.counts(data), name=case.name, words=words, **terms, **dict(case.more))
    except DataError:
        return "refused"
    return found.value


def _of_no_rows(said: Callable[[FlexibleStatistic], Any]) -> Answer:
    """Broken: another answer of no rows."""
    return lambda case, data, words: _answer(case, data, words) if data else said(case.mechanism)


def _law(answer: Answer, case: Case, data: Rows) -> Pmf[Any]:
    """By all words of all bars, one after the other."""
    every = product(range(2**case.word), repeat=case.mechanism.histogram.bars)
    return Pmf(Counter(answer(case, data, Listed(words, case.word)) for words in every))


def _defined(case: Case, data: Rows) -> Pmf[Any]:
    table = case.mechanism.histogram.table
    counts = [data.count(row) for row in case.universe]
    return spec.histogram(table.weights, tuple(counts)).pushforward(case.mechanism.answer)


P = (("p", "1/3"),)
K = (("k", 2),)


@own(
    "FD.Statistic.private",
    """finitedp.statistic and its separator answer data of any number of rows, none included: of no rows always the public
    answer of empty bars. They have the law of the statistic of ShiftedTruncated's counts, and its claim holds for a row more
    or less: no pair of neighbours, of no rows and one row either, has a delta above the one claimed.""",
    over="every statistic of two or three values; all datasets of at most 2 to 4 rows; all words of all bars, in turn",
    code=["finitedp.data.statistics.statistic", "finitedp.data.statistics.separator"],
    grid=cases(
        Case,
        [
            *((name, 1, "1", "1/4", 3) for name in ("max", "min", "range", "support", "mode", "median", "iqr")),
            *(("max-k", 1, "1", "1/4", 3, 3, K), ("quantile", 1, "2", "1/8", 3, 2, P), (LABELLED, 1, "1", "1/2", 2)),
        ],
        [
            *((name, 2, "1", "1/4", 3) for name in ("max", "min", "range", "support", "mode", "median", "iqr")),
            *(("max", 1, "1/2", "1/8", 4, 4), ("mode", 1, "1", "1/4", 3, 4), ("support", 1, "3", "1/16", 4)),
        ],
    ),
    subject=_answer,
    twins={
        "no rows are refused": _of_no_rows(lambda _: "refused"),
        "no rows are said": _of_no_rows(lambda _: "no rows"),
        "another answer of no rows": _of_no_rows(
            lambda mechanism: mechanism.answer([0] * (mechanism.histogram.bars - 1) + [1])
        ),
    },
)
def private(answer: Answer, case: Case) -> Iterator[Finding]:
    claim, table = case.mechanism.claim(), case.mechanism.histogram.table
    laws = {data: _law(answer, case, data) for data in case.datasets()}
    pairs = list(neighbouring_multisets(case.universe, case.rows, "add-remove"))
    worst = {
        empty: max(hockey_stick(laws[a], laws[b], table.ratio).delta for a, b in pairs if empty == (() in (a, b)))
        for empty in (True, False)
    }
    yield from (same_law(law, _defined(case, data), f"{data}") for data, law in laws.items())
    yield equal(laws[()].support, frozenset({case.mechanism.default}), "answers of no rows")
    yield from (at_most(worst[empty], claim.delta, f"delta {'with' if empty else 'without'} no rows") for empty in worst)
    yield equal((claim.epsilon, claim.neighbours), (mpq(case.epsilon), "add-remove"), "stated claim")
