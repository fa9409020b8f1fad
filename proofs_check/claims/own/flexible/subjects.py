"""One-sided tables at which the claims are checked, right mechanisms and broken ones, as laws of bars and of histograms."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.impl.flexible.tables import shifted_table
from finitedp.proofs_check.claims.fa.subjects import small_histograms
from finitedp.proofs_check.ledger.entry import cases
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.flexible import competitors, statistics
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.pmf import Pmf, product

Histogram = tuple[int, ...]
Law = Callable[[Histogram], Pmf[Histogram]]


class Table(NamedTuple):
    """q, bits and epsilon of a table; bars and rows of the histograms that are tried on it."""

    q: int
    bits: int
    epsilon: mpq
    bars: int = 1
    rows: int = 6

    @property
    def weights(self) -> tuple[int, ...]:
        return shifted_table(self.q, self.epsilon, self.bits).weights

    @property
    def ratio(self) -> mpq:
        """R, the rational below e^epsilon that it stands on."""
        return shifted_table(self.q, self.epsilon, self.bits).ratio


ONE, HALF = mpq(1), mpq(1, 2)
FOUR = Table(4, 6, ONE)
"""w = 9, 23, 23, 9: the table at which the broken copies are looked at first."""


def bars_apart(bar: Callable[[int], Pmf[int]]) -> Law:
    """Every bar by itself."""
    return lambda x: product([bar(count) for count in x])


def right(case: Table) -> Law:
    """The mechanism of the definition, on the table that the library builds."""
    return bars_apart(lambda x: spec.bar(case.weights, x))


def on(weights: Callable[[Table], Sequence[int]]) -> Callable[[Table], Law]:
    """The mechanism on another table."""
    return lambda case: bars_apart(lambda x: spec.bar(weights(case), x))


def _bar_of(change: Callable[[Table, int], Pmf[int]]) -> Callable[[Table], Law]:
    return lambda case: bars_apart(lambda x: change(case, x))


def _occupied_alone(case: Table) -> Law:
    """Only occupied bars are listed, as pairs: which bars are is seen."""
    return lambda x: product([spec.bar(case.weights, count) for count in x if count]).pushforward(
        lambda y: (*(i for i, count in enumerate(x) if count), -1, *y)
    )


def _rank_of_all(case: Table) -> Law:
    """The bar of the J-th row from above: J rows of all bars together are left out, and no more is said."""

    def law(x: Histogram) -> Pmf[Histogram]:
        rows = [i for i, count in reversed(list(enumerate(x))) for _ in range(count)]
        return spec.noise(case.weights).pushforward(lambda j: (rows[j] if j < len(rows) else -1,))

    return law


def mirrored(case: Table) -> tuple[int, ...]:
    """What is too much taken off on the left."""
    return tuple(reversed(case.weights))


def peaked(case: Table) -> tuple[int, ...]:
    """Falling by R from the left, as if the centre were 0."""
    w = [2**case.bits]
    while len(w) < case.q:
        w.append(max(1, int(w[-1] / case.ratio)))
    scaled = [max(1, x * 2**case.bits // sum(w)) for x in w]
    return (scaled[0] + 2**case.bits - sum(scaled), *scaled[1:])


def surplus_at_the_centre(case: Table) -> tuple[int, ...]:
    """One unit from the last weight to the one before it."""
    w = list(case.weights)
    w[-2], w[-1] = w[-2] + 1, w[-1] - 1
    return tuple(w)


def centre_to_the_end(case: Table) -> tuple[int, ...]:
    """One unit from a weight in the middle to the last one."""
    w = list(case.weights)
    w[len(w) // 2], w[-1] = w[len(w) // 2] - 1, w[-1] + 1
    return tuple(w)


def centre_moved(case: Table) -> tuple[int, ...]:
    """A steep peak between ends that are no smaller."""
    w = list(case.weights)
    w[1] += w[2] // 2
    w[2] -= w[2] // 2
    return tuple(w)


def flat(case: Table) -> tuple[int, ...]:
    """All weights alike."""
    each = 2**case.bits // case.q
    return (*(each for _ in range(case.q - 1)), 2**case.bits - each * (case.q - 1))


LARGER_DELTA: dict[str, Callable[[Table], Law]] = {
    "a flat table": on(flat),
    "a steep peak": on(centre_moved),
    "a unit from the centre to the end": on(centre_to_the_end),
    "max(1, x - J) of what is not empty": _bar_of(
        lambda case, x: spec.noise(case.weights).pushforward(lambda j: max(1, x - j) if x else 0)
    ),
    "noise conditioned on at most x": _bar_of(
        lambda case, x: spec.noise(case.weights).given(lambda j: j <= x).pushforward(lambda j: x - j)
    ),
    "a unit from the end to its neighbour": on(surplus_at_the_centre),
    "a peak at 0": on(peaked),
    "no noise from q rows on": _bar_of(lambda case, x: spec.bar(case.weights, x) if x < case.q else Pmf.point(x)),
    "q by the parity of the count": _bar_of(
        lambda case, x: spec.bar((case if x % 2 else case._replace(q=case.q // 2)).weights, x)
    ),
    "a table for twice epsilon": on(lambda case: shifted_table(case.q, 2 * case.epsilon, case.bits).weights),
    "q by the number of rows": lambda case: (
        lambda x: bars_apart(lambda count: spec.bar(case._replace(q=case.q + sum(x) % 2).weights, count))(x)
    ),
}
SEVERAL_BARS: dict[str, Callable[[Table], Law]] = {
    "one word for all bars": lambda case: (
        lambda x: spec.noise(case.weights).pushforward(lambda j: tuple(max(0, count - j) for count in x))
    ),
    "only occupied bars are listed": _occupied_alone,
    "J rows of all bars together": _rank_of_all,
}
OTHER_LAW: dict[str, Callable[[Table], Law]] = {
    "a table of q + 1": on(lambda case: case._replace(q=case.q + 1).weights),
    "noise 1..q": _bar_of(lambda case, x: spec.noise(case.weights).pushforward(lambda j: max(0, x - j - 1))),
}


@cache
def add_pairs(bars: int, rows: int) -> tuple[tuple[Histogram, Histogram], ...]:
    """Each histogram beside each one with a row more, up to so many rows."""
    found = small_histograms(bars, rows - 1)
    return tuple((x, (*x[:i], x[i] + 1, *x[i + 1 :])) for x in found for i in range(bars))


@cache
def replace_pairs(bars: int, rows: int) -> tuple[tuple[Histogram, Histogram], ...]:
    """All pairs of histograms of one size that differ in one row."""
    found = set[tuple[Histogram, Histogram]]()
    for x, y in add_pairs(bars, rows):
        grown = next(i for i in range(bars) if x[i] != y[i])
        for i in range(bars):
            if i != grown and y[i]:
                found.add((y, tuple(c - (j == i) for j, c in enumerate(y))))
    whole = {(y, (*z[:i], z[i] + 1, *z[i + 1 :])) for y, z in found for i in range(bars)}
    return tuple(sorted(pair for pair in whole if pair[0] != pair[1]))


def worst_delta(law: Callable[[Histogram], Pmf[Any]], pairs: Iterable[tuple[Histogram, Histogram]], ratio: mpq) -> mpq:
    """The largest delta of all pairs, both ways."""
    at = cache(law)
    both = ((at(a), at(b)) for x, y in pairs for a, b in ((x, y), (y, x)))
    return max((hockey_stick(p, q, ratio).delta for p, q in both), default=mpq(0))


def answer(x: Histogram, k: int) -> int:
    """max_k, or the mode for k = 0."""
    return statistics.max_k(x, k) if k else statistics.mode(x)


def level(x: Histogram, k: int, growth: mpq, *, local: bool = False) -> int:
    """The level of smooth sensitivity; a broken one of what one row can change now, not some rows further."""
    costs = competitors.spread_costs_max_k(x, k) if k else competitors.spread_costs_mode(x)
    return competitors.level({s: 10**6 if cost else 0 for s, cost in costs.items()} if local else costs, growth)


SMALL = cases(
    Table,
    [FOUR, (3, 6, ONE), (5, 8, HALF), (6, 8, ONE), (7, 6, HALF), (1, 2, ONE), (2, 4, ONE)],
    [(28, 64, ONE), (9, 10, mpq(1, 5)), (16, 128, mpq(2)), (33, 64, ONE)],
)
