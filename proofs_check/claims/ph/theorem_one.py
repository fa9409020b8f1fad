"""Theorem 1, privacy: exact worst ratios of PrivHist in parts, and the copies that break it."""

from collections.abc import Callable
from functools import partial

from gmpy2 import mpq

from finitedp.numbers import decimal
from finitedp.proofs_check.claims.ph.mechanisms import Coordinates, Steps, Tiny, worst_ratio
from finitedp.proofs_check.claims.ph.subjects import SPEC
from finitedp.proofs_check.ledger.entry import Finding, cases, entry
from finitedp.spec.anonymized import histograms, priv_hist
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.dyadic import ratio_below
from finitedp.spec.pmf import Pmf

STEPS = Steps()


def _claimed(given: Tiny) -> mpq:
    whole = mpq(1)
    for epsilon in given.epsilons:
        whole *= ratio_below(2 * epsilon, given.word)
    return whole


def _within(found: tuple[mpq | None, object], given: Tiny) -> Finding:
    allowed = _claimed(given)
    if found[0] is None:
        return Finding(False, mpq(10**9), f"infinite ratio at {found[1]}, {given}")
    over = found[0] / allowed
    return Finding(over <= 1, over, f"ratio over the claim {decimal(over, 4)} at {found[1]}, {given}")


def _bin_by_bin(h: Histogram, t: int, m: int, w: int) -> list[int]:
    """phi_{r+} of the small part where each bin is cut off at 0 by itself."""
    phi = priv_hist.moved(h, t, m, w - m - histograms.cumulative(h, t + 1))
    return [sum(max(0, phi[s]) for s in range(r, t + 1)) for r in range(1, t + 1)]


def _without_w(h: Histogram, t: int, m: int, _: int) -> list[int]:
    return [histograms.cumulative(h, r) - histograms.cumulative(h, t + 1) + m for r in range(1, t + 1)]


def _as_they_are(h: Histogram, t: int, _: int, w: int) -> list[int]:
    return [max(histograms.largest(h, i), t) for i in range(1, w + 1)]


def _truncated(h: Histogram, t: int, given: Tiny) -> Pmf[int]:
    """W where Z_b is kept within -M..M, relative to the data."""
    reached = histograms.cumulative(h, t + 1) + given.fakes
    law = given.split(reached)
    return law.pushforward(lambda w: min(max(w, reached - given.fakes), reached + given.fakes))


def _most_of_data(h: Histogram, t: int, given: Tiny) -> Pmf[int]:
    most = sum(h) // (t + 1) + 2 * given.fakes
    return given.split(histograms.cumulative(h, t + 1) + given.fakes).pushforward(lambda w: min(w, most))


@entry(
    "PH.Thm1.split",
    "theorem",
    """Theorem 1, privacy of the low-privacy branch: (N, W, large counts, cumulative prevalences) has a worst ratio of at most
    R1 R2 for one item more or less; what is made of it has no more.""",
    over="all pairs of neighbours in H_U at coarse tables, all outputs, by parts: given (N, W) everything is independent",
    code=[f"{SPEC}.priv_hist.split_release_law"],
    grid=cases(
        Tiny,
        [(3,), (5, 10, (mpq(1), mpq(7, 5)), 1, 3), (2, 64, (mpq(1, 3), mpq(1)), 2)],
        [(4,), (5, 64, (mpq(1, 10), mpq(3, 2)), 4), (6, 64, (mpq(1, 10), mpq(3, 2)), 3, 2)],
    ),
    subject=STEPS,
    twins={
        "two independent W": STEPS.but(hidden=True),
        "large counts not raised to T + 1": STEPS.but(large=_as_they_are),
        "small ones without W": STEPS.but(small=_without_w),
        "each bin cut off alone": STEPS.but(small=_bin_by_bin),
        "number of draws from the data": STEPS.but(small=lambda h, t, m, w: priv_hist.small_values(h, min(t, len(h)), m, w)),
        "Z_b truncated": STEPS.but(w_law=_truncated),
        "T from n": STEPS.but(threshold=lambda h, total, given: given.threshold(max(1, sum(h)))),
        "most W from the data": STEPS.but(w_law=_most_of_data),
        "W counts from T on": STEPS.but(w_law=lambda h, t, given: given.split(histograms.cumulative(h, t) + given.fakes)),
    },
)
def split_private(steps: Steps, given: Tiny) -> Finding:
    return _within(worst_ratio(lambda h: steps.parts(h, given), given.universe), given)


Places = Callable[[Histogram, int, Tiny], list[int]]


def _places(_: Histogram, total: int, given: Tiny) -> list[int]:
    parameters = given.parameters
    last = parameters.last_small(total)
    return priv_hist.boundaries(total, given.threshold(total), last, lambda s: parameters.stride(total, s), ())


def _with_raw(h: Histogram, total: int, given: Tiny) -> list[int]:
    return sorted({*_places(h, total, given), *(x for x in h if x <= 2 * total)})


def _open_end(h: Histogram, s: list[int]) -> list[int]:
    return [*priv_hist.blocks(h, s)[:-1], sum(h) - histograms.clipped_items(h, (0, *s)[-2])]


Smoothing = tuple[Places, Callable[[Histogram, list[int]], list[int]]]


@entry(
    "PH.Thm1.smooth",
    "theorem",
    """Theorem 1, privacy of the high-privacy branch where T' > 2N: (N, blocks) has a worst ratio of at most R1 R3, for e2 is
    not spent. That the last block is cut off at 2N is not needed for it.""",
    over="all pairs of neighbours in H_U, all outputs, by parts",
    code=[f"{SPEC}.priv_hist.smooth_release_law"],
    grid=cases(
        Tiny,
        [(3, 9, (mpq(1), mpq(1), mpq(2, 5))), (6, 64, (mpq(1, 10), mpq(1), mpq(1, 3)))],
        [(5, 10, (mpq(1, 2), mpq(1), mpq(2, 5))), (7, 64, (mpq(1), mpq(1), mpq(1, 10)))],
    ),
    subject=((_places, priv_hist.blocks), (_places, _open_end)),
    twins={
        "S from the counts": ((_with_raw, priv_hist.blocks),),
        "counts above 2N to N": (
            (_places, lambda h, s: priv_hist.blocks([x if x < s[-1] else s[-1] // 2 for x in h], s)),  # type: ignore[arg-type]
        ),
        "s_i in two blocks": (
            (_places, lambda h, s: [a + histograms.prevalence(h, x) for a, x in zip(priv_hist.blocks(h, s), s, strict=True)]),
        ),
        "d_i phi_{s_i+}": (
            (
                _places,
                lambda h, s: [(x - b) * histograms.cumulative(h, x) for x, b in zip(s, [0, *s[:-1]], strict=True)],
            ),
        ),
    },
)
def smooth_private(made: tuple[Smoothing, ...], given: Tiny) -> Finding:
    def parts(
        places: Places, blocks: Callable[[Histogram, list[int]], list[int]], h: Histogram
    ) -> dict[tuple[int, ...], tuple[mpq, Coordinates]]:
        totals = given.items(sum(h))
        found: dict[tuple[int, ...], tuple[mpq, Coordinates]] = {}
        for total in totals:
            s = places(h, total, given) if total else []
            inside = [max(-given.universe, min(2 * given.universe, a)) for a in blocks(h, s)] if s else []
            found[total, *s] = totals[total], tuple(given.block(a) for a in inside)
        return found

    spent = Tiny(given.universe, given.word, (given.epsilons[0], given.epsilons[2]))
    findings = [_within(worst_ratio(partial(parts, p, b), given.universe), spent) for p, b in made]
    return max(findings, key=lambda f: f.load)
