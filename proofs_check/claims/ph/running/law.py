"""PrivHist, the running code: its law, and its worst ratio at real tables over all small histograms."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.impl.anonymized.priv_hist import PrivHist, Released
from finitedp.proofs_check.checks.outcomes import law_by_outcomes, with_listed_noise
from finitedp.proofs_check.claims.ph.mechanisms import Steps, Tiny, smooth_law, split_law
from finitedp.proofs_check.claims.ph.subjects import SPEC, half_down, half_even
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope, out_of_scope_where_refused
from finitedp.proofs_check.ledger.findings import own, same_law
from finitedp.spec.anonymized import histograms, post_processing
from finitedp.spec.anonymized import priv_hist as spec
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.pmf import Pmf

Output = tuple[Histogram, int]
CODE = ["finitedp.impl.anonymized.priv_hist.PrivHist", f"{SPEC}.priv_hist.split_law", f"{SPEC}.priv_hist.smooth_law"]


class Law(NamedTuple):
    """Tiny parameters, and a histogram."""

    given: Tiny
    histogram: Histogram

    def check_scope(self) -> None:
        self.given.check_scope()
        in_scope(all(a >= b >= 1 for a, b in pairwise((*self.histogram[:1], *self.histogram))), "a histogram")
        in_scope(sum(self.histogram) <= self.given.universe, "at most U items")

    def __str__(self) -> str:
        return f"h={self.histogram}, {self.given}"


def _case(*fields: Any) -> Law:  # noqa: ANN401  # fields of Tiny, then the histogram
    return Law(Tiny(*fields[:-1]), fields[-1])


def _built(given: Tiny, last: int | None = None) -> PrivHist:
    first, second, *third = given.epsilons
    spent, branch = third[0] if third else 0, "smooth" if third else "split"
    with out_of_scope_where_refused():
        return PrivHist(given.universe, first, second, spent, branch, None, given.word, given.fakes, last)


def _output(released: Released) -> Output:
    return histograms.from_prevalences(released.histogram), released.total


def _rows(h: Histogram) -> list[int]:
    """A dataset with this histogram: the i-th label as often as the i-th count says."""
    return [label for label, count in enumerate(h) for _ in range(count)]


@cache
def _running(given: Tiny, h: Histogram) -> Pmf[Output]:
    """The law of the running code, every outcome of every draw enumerated."""
    mechanism = _built(given)
    names = ("items", "parts", "blocks") if mechanism.branch == "smooth" else ("items", "parts")
    listed = with_listed_noise(mechanism, names)
    return law_by_outcomes(lambda coins: _output(listed.release(_rows(h), coins)), given.word)


Law_of = Callable[[Tiny, Histogram], Pmf[Output]]
STEPS = Steps()


def _of(steps: Steps) -> Law_of:
    return lambda given, h: split_law(steps, h, given)


def _with_output(
    regress: Callable[[Sequence[int]], list[mpq]] = post_processing.isotonic,
    rounds: Callable[[mpq], int] = post_processing.rounded,
    removals: tuple[tuple[int, int], ...] = ((1, 1), (1, 0)),
) -> Law_of:
    """Steps L1 to L4 with another regression, rounding, or removals (a multiple of M, near T plus what)."""

    def output(large: Sequence[int], noisy: Sequence[int], t: int, m: int) -> Histogram:
        at_least = [rounds(mpq(x)) for x in regress(noisy)]
        both = histograms.union(
            post_processing.from_cumulative(range(1, t + 1), at_least), post_processing.large_output(large, t)
        )
        for times, more in removals:
            both = post_processing.removed(both, times * m, t + more)
        return both

    return _of(STEPS.but(output=output))


def _w_more(more: int) -> Law_of:
    def law(h: Histogram, t: int, given: Tiny) -> Pmf[int]:
        most = spec.most_large(given.universe, t, given.fakes)
        return given.split(histograms.cumulative(h, t + 1) + given.fakes + more).pushforward(lambda w: min(w, most))

    return _of(STEPS.but(w_law=law))


@own(
    "PH.PrivHist.law.split",
    "PrivHist has in the branch split exactly the law of (H, N) that the specification derives from the paper's steps.",
    over="every outcome of every draw, equality of rationals; U = 2, in full U = 3 with its 1,307 outputs",
    code=CODE,
    grid=cases(
        _case,
        [(1, ()), (2, ()), (2, (1,))],
        [*((3, h) for h in ((), (1,), (2, 1))), *((2, h) for h in ((2,), (1, 1)))],
    ),
    subject=_running,
    twins={
        "M + 1 in W": _w_more(1),
        "M - 1 in W": _w_more(-1),
        "large counts not below T + 1": _of(STEPS.but(large_noise=lambda given, t, x: given.split(x - t - 1).shifted(t + 1))),
        "running minimum": _with_output(lambda values: [mpq(min(values[: i + 1])) for i in range(len(values))]),
        "half down": _with_output(rounds=half_down),
        "nearest to T first": _with_output(removals=((1, 0), (1, 1))),
        "2M nearest to T + 1": _with_output(removals=((2, 1),)),
        "fakes kept": _with_output(removals=()),
    },
)
def split_branch(law: Law_of, case: Law) -> Finding:
    given, h = case
    in_scope(len(given.epsilons) == 2, "two epsilons")
    return same_law(law(given, h), spec.split_law(h, given.parameters), str(case))


def _by_squares(values: Sequence[mpq], steps: Sequence[int]) -> list[mpq]:
    return post_processing.isotonic(values, [d * d for d in steps])


def _smooth_with(
    regress: Callable[[Sequence[mpq], Sequence[int]], list[mpq]] = _by_squares,
    rounds: Callable[[mpq], int] = post_processing.rounded,
    **changes: Any,  # noqa: ANN401  # as smooth_law's
) -> Law_of:
    def output(s: Sequence[int], noisy: Sequence[int]) -> Histogram:
        steps = [b - a for a, b in zip([0, *s[:-1]], s, strict=True)]
        values = [mpq(a, d) for a, d in zip(noisy, steps, strict=True)]
        return post_processing.from_cumulative(s, [rounds(x) for x in regress(values, steps)])

    return lambda given, h: smooth_law(h, given, output, **changes)


THIRDS = (mpq(1), mpq(7, 5), mpq(2, 5))


@own(
    "PH.PrivHist.law.smooth",
    "PrivHist has in the branch smooth exactly the law of (H, N) that the specification derives from the paper's steps.",
    over="""every outcome of every draw, equality of rationals; U = 2 with T' > 2N, where S = {1, 2, 4} at N = 2; in full with
    T' = 2 at U = 1, so that S is read from the large counts""",
    code=CODE,
    grid=cases(_case, [(2, 9, THIRDS, h) for h in ((), (2,))], [(2, 9, THIRDS, h) for h in ((1,), (1, 1))]),
    subject=_running,
    twins={
        "weights d": _smooth_with(post_processing.isotonic),
        "no weights": _smooth_with(lambda values, _: post_processing.isotonic(values)),
        "half to even": _smooth_with(rounds=half_even),
        "floor": _smooth_with(rounds=lambda x: max(0, int(x.__floor__()))),
        "clamped at 0": _smooth_with(clamp=lambda x: max(0, x)),
        "2N missing": _smooth_with(places=lambda s: s[:-1]),
    },
)
def smooth_branch(law: Law_of, case: Law) -> Finding:
    given, h = case
    in_scope(len(given.epsilons) == 3, "three epsilons")
    return same_law(law(given, h), spec.smooth_law(h, given.parameters), str(case))


def _all_of(released: Released) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    return released.total, released.large, released.blocks


@own(
    "PH.PrivHist.law.large",
    "The law of all that the branch smooth releases, (N, large counts, blocks), where S is read from the noisy large counts.",
    over="T' = 2, every outcome of every draw, equality of rationals; U = 1, in full U = 2",
    code=["finitedp.impl.anonymized.priv_hist.PrivHist", f"{SPEC}.priv_hist.smooth_release_law"],
    grid=cases(lambda u, h: Law(Tiny(u, 7, (mpq(1), mpq(7, 5), mpq(3, 2))), h), [(1, ()), (1, (1,))], [(2, (1,))]),
    subject=lambda given: _built(given, 2),
    twins={
        "T' = 3": lambda given: _built(given, 3),
        "the noise of the blocks of e2": lambda given: evolve(_built(given, 2), epsilon3=given.epsilons[1]),
    },
)
def smooth_by_large(make: Callable[[Tiny], PrivHist], case: Law) -> Finding:
    given, h = case
    listed = with_listed_noise(make(given), ("items", "parts", "blocks"))
    law = law_by_outcomes(lambda coins: _all_of(listed.release(_rows(h), coins)), given.word)
    expected = spec.smooth_release_law(h, evolve(given.parameters, last_small=lambda _: 2))
    return same_law(law, expected.pushforward(lambda out: (out.total, out.large, out.blocks)), str(case))
