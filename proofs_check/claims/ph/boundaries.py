"""Section D.2, before (18): the size of the set S of boundaries."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.subjects import SPEC, largest_load
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.spec.anonymized import histograms, priv_hist
from finitedp.spec.anonymized.histograms import Histogram


class Bounds(NamedTuple):
    """N, T, T' >= 10 (T + 1), q = 1/quotient, and the noise that each large count may have."""

    total: int
    threshold: int
    last: int
    quotient: int
    noise: tuple[int, ...]


Made = Callable[[Bounds, Sequence[int]], list[int]]


def _boundaries(case: Bounds, large: Sequence[int]) -> list[int]:
    return priv_hist.boundaries(case.total, case.threshold, case.last, lambda s: s // case.quotient, large)


def _by_one(case: Bounds, large: Sequence[int]) -> list[int]:
    return priv_hist.boundaries(case.total, case.threshold, case.last, lambda _: 1, large)


def _with_what_is_between(case: Bounds, large: Sequence[int]) -> list[int]:
    return sorted({*_boundaries(case, large), *(y for x in large if x >= case.last for y in range(x, 2 * case.total))})


@entry(
    "PH.SecD.places",
    "lemma",
    """Before (18), with constants: where T' >= 10 (T + 1), S has T + 1 places up to T and at 2N, at most 2 log_(1+q)(T'/T)
    between T and T', and from T' to 2N at most 10 n/T' + U + 1, T' itself among them, U the number of large counts below
    T'/10, fakes at T + 1 too, that noise takes to T' or above.""",
    over="N, T, T' and q on the grid; histograms of one or two large counts and one fake, noise on the grid for each",
    code=[f"{SPEC}.priv_hist.boundaries"],
    grid=cases(
        Bounds,
        [(60, 1, 20, 4, (-2, 0, 19)), (80, 3, 40, 8, (0, 1, 40)), (100, 4, 60, 2, (-9, 3))],
        [(400, 9, 100, 30, (-30, 0, 90)), (300, 2, 200, 3, (0, 150)), (200, 7, 120, 50, (0, 1))],
    ),
    subject=_boundaries,
    twins={"steps of one": _by_one, "all from a large count on": _with_what_is_between},
)
def how_many(made: Made, case: Bounds) -> Finding:
    t, last = case.threshold, case.last

    def found() -> Iterator[tuple[mpq | int, mpq | int, object]]:
        for h in ((t + 1,), (last // 10, t + 2), (last, last // 2), (last + 3, last + 2)):
            counts: Histogram = (*histograms.checked(h), t + 1)
            for noise in product(case.noise, repeat=len(counts)):
                noisy = [x + z for x, z in zip(counts, noise, strict=True)]
                risen = sum(10 * x < last <= y for x, y in zip(counts, noisy, strict=True))
                places = made(case, noisy)
                between = sum(t < s < last for s in places)
                where = f"{h}, noise {noise}, {case}"
                yield (1 + mpq(1, case.quotient)) ** between, mpq(last, t) ** 2, f"between, {where}"
                beyond = sum(last <= s < 2 * case.total for s in places)
                yield beyond, mpq(10 * sum(h), last) + risen + 1, f"from T' on, {where}"
                yield sum(s <= t or s == 2 * case.total for s in places), t + 1, f"the others, {where}"

    return largest_load("number of places, or its power", found())
