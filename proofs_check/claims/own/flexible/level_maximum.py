"""LevelMaximum, our own: the integer form of the mechanism whose delta no mechanism for the maximum beats."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.water_filling import LevelMaximum
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, same_law
from finitedp.spec.flexible.extreme import answers, delta_star
from finitedp.spec.flexible.shifted_truncated import ratio_below
from finitedp.spec.pmf import Pmf

CODE = ["finitedp.impl.flexible.water_filling.LevelMaximum"]


class Task(NamedTuple):
    """k bars above the lowest, D rows that may be left out, epsilon, bits of a word."""

    k: int
    dropped: int
    epsilon: str
    bits: int

    def __str__(self) -> str:
        return f"k={self.k}, D={self.dropped}, epsilon={self.epsilon}, {self.bits} bits"


class FromTheBottom(LevelMaximum):
    """Parts are taken from the lowest bar up."""

    def parts(self, counts: Sequence[int]) -> list[int]:
        return super().parts(list(reversed(counts)))[::-1]


class AllToTheFirst(LevelMaximum):
    """What a level leaves over goes to the lowest bar, whatever its cap is."""

    def words(self, counts: Sequence[int]) -> list[int]:
        found = super().words(counts)
        low = min(found)
        moved = [(w - low) // 2 for w in found[1:]]
        return [found[0] + sum(moved), *(w - more for w, more in zip(found[1:], moved, strict=True))]


GRID = cases(
    Task,
    [(1, 3, "1", 6), (2, 3, "1", 8), (2, 4, "1/3", 10), (3, 3, "5/2", 8), (3, 2, "1", 16)],
    [(1, 9, "1", 16), (2, 6, "1", 10), (3, 5, "1/2", 12), (4, 4, "2", 10)],
)


def _made(make: Any, case: Task) -> LevelMaximum:  # noqa: ANN401  # a mechanism or a twin
    made: LevelMaximum = make(IntegerBuckets(0, case.k), case.dropped, case.epsilon, case.bits)
    return made


def _words(mechanism: LevelMaximum, case: Task) -> dict[tuple[int, ...], list[int]]:
    return {c: mechanism.words((0, *c)) for c in product(range(case.dropped + 2), repeat=case.k)}


@own(
    "FD.LevelMaximum.private",
    """Bars are given words level by level, up to u_t of 2^B to a part of t, u_(c+1) = floor(R u_c) + m: for a row more or
    less the exact delta at E = R is at most m/2^B. With m the least that gives every split enough words, that is at
    most 2/2^B above delta*, which no mechanism beats.""",
    over="all counts up to D + 1 of k bars above the lowest, and all neighbours among them; counts beyond change nothing",
    code=CODE,
    grid=GRID,
    subject=LevelMaximum,
    twins={
        "twice the epsilon": lambda buckets, dropped, epsilon, word: LevelMaximum(buckets, dropped, 2 * mpq(epsilon), word),
        "left over to the lowest bar": AllToTheFirst,
    },
    derived_from=["FD.LevelMaximum.accuracy"],
    by="the running code having the law of the words that it gives to bars, which are compared here for all counts",
)
def private(make: Any, case: Task) -> Finding:  # noqa: ANN401  # a mechanism or a twin
    mechanism, total = _made(make, case), 1 << case.bits
    laws, worst, ratio = _words(mechanism, case), mpq(0), ratio_below(case.epsilon, case.bits)
    for c, p in laws.items():
        for i in range(case.k):
            q = laws.get((*c[:i], c[i] + 1, *c[i + 1 :]))
            for a, b in ((p, q), (q, p)) if q is not None else ():
                over = (max(mpq(0), x - ratio * y) for x, y in zip(a, b, strict=True))
                worst = max(worst, sum(over, mpq(0)))
    near = mpq(mechanism.end, total) - delta_star(case.k, case.dropped, ratio)
    return all_of([at_most(worst, mechanism.end, "delta 2^B"), at_most(near, mpq(2, total), "above delta*")])


def _answer(mechanism: LevelMaximum, counts: tuple[int, ...], coins: Coins) -> int:
    return int(mechanism.release_counts(counts, coins))


@cache
def _truth(case: Task) -> dict[tuple[int, ...], set[int]]:
    return {c: answers(c, case.dropped) for c in product(range(case.dropped + 2), repeat=case.k)}


@own(
    "FD.LevelMaximum.accuracy",
    """Every answer is the maximum of the data with at most D rows left out: it has a row, or is the lowest bar, and at most D
    rows lie above it. All words are given out; the running code has the law of the words.""",
    over="all counts up to D + 1 of k bars above the lowest; the explorer at three of them",
    code=CODE,
    grid=GRID,
    subject=LevelMaximum,
    twins={
        "parts from the bottom": FromTheBottom,
        "D + 2 rows": lambda buckets, dropped, epsilon, word: LevelMaximum(buckets, dropped + 1, epsilon, word),
    },
)
def accuracy(make: Any, case: Task) -> Iterator[Finding]:  # noqa: ANN401  # a mechanism or a twin
    mechanism = _made(make, case)
    for c, words in _words(mechanism, case).items():
        wrong = {i for i, w in enumerate(words) if w} - _truth(case)[c]
        yield equal((wrong, sum(words)), (set(), 1 << case.bits), f"answers that are wrong of {c}, and words")
    for c in ((0,) * case.k, (1,) * case.k, (case.dropped,) * case.k):
        found = explore(partial(_answer, mechanism, (5, *c))).law()
        yield same_law(found, Pmf(dict(enumerate(mechanism.words((5, *c))))), f"counts {c}")
