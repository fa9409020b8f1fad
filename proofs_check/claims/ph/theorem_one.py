"""Theorem 1, privacy: exact worst ratios of PrivHist in parts, and the copies that break it."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, product
from math import prod

from gmpy2 import mpq

from finitedp.numbers import decimal
from finitedp.proofs_check.claims.ph.mechanisms import (
    Coordinates,
    Steps,
    Tiny,
    loss_of,
    small_bin_by_bin,
    small_without_w,
    worst_ratio,
)
from finitedp.proofs_check.claims.ph.subjects import SPEC
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, theorem
from finitedp.spec.anonymized import histograms, priv_hist
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.divergence import product_max_ratio
from finitedp.spec.dyadic import ratio_below
from finitedp.spec.pmf import Pmf

STEPS = Steps()


def _claimed(given: Tiny) -> mpq:
    return prod((ratio_below(2 * epsilon, given.word) for epsilon in given.epsilons), start=mpq(1))


def _within(found: tuple[mpq | None, object], given: Tiny) -> Finding:
    allowed = _claimed(given)
    if found[0] is None:
        return Finding(False, mpq(10**9), f"infinite ratio at {found[1]}, {given}")
    over = found[0] / allowed
    return Finding(over <= 1, over, f"ratio over the claim {decimal(over, 4)} at {found[1]}, {given}")


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


@theorem(
    "PH.Thm1.split",
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
        "small ones without W": STEPS.but(small=small_without_w),
        "each bin cut off alone": STEPS.but(small=small_bin_by_bin),
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


def _open_end(h: Histogram, s: list[int]) -> list[int]:
    return [*priv_hist.blocks(h, s)[:-1], sum(h) - histograms.clipped_items(h, (0, *s)[-2])]


@theorem(
    "PH.Thm1.smooth",
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
        "S from the counts": (
            (lambda h, total, given: sorted({*_places(h, total, given), *(x for x in h if x <= 2 * total)}), priv_hist.blocks),
        ),
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
def smooth_private(made: tuple[tuple[Places, Callable[[Histogram, list[int]], list[int]]], ...], given: Tiny) -> Finding:
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


Reading = Callable[[Histogram, int, int, Tiny], Iterator[list[int]]]
"""From h, N, W and the parameters to every S that the large counts may lead to."""


def _base(total: int, given: Tiny) -> list[int]:
    """S without large counts, where T' = 2."""
    return priv_hist.boundaries(total, given.threshold(total), 2, partial(given.parameters.stride, total), ())


def _every(_h: Histogram, total: int, w: int, given: Tiny) -> Iterator[list[int]]:
    places = range(2, 2 * total)
    for size in range(min(w, len(places)) + 1):
        for chosen in combinations(places, size):
            yield sorted({*_base(total, given), *chosen})


def _true_large(h: Histogram, total: int, w: int, given: Tiny) -> Iterator[list[int]]:
    large = priv_hist.large_values(h, given.threshold(total), w)
    yield sorted({*_base(total, given), *(x for x in large if x <= 2 * total)})


@theorem(
    "PH.Thm1.large",
    """Theorem 1, privacy of the high-privacy branch where S is read from the noisy large counts: (N, W, large counts, blocks)
    has a worst ratio of at most R1 R2 R3, for every S that they may give.""",
    over="T' = 2; all pairs of neighbours in H_U, all N and W, every S; by the product of the parts' worst ratios",
    code=[f"{SPEC}.priv_hist.smooth_release_law", f"{SPEC}.priv_hist.boundaries"],
    grid=cases(
        Tiny,
        [(2, 9, (mpq(1), mpq(7, 5), mpq(2, 5))), (3, 64, (mpq(1, 3), mpq(1), mpq(1, 3)), 1, 1)],
        [(4, 64, (mpq(1, 10), mpq(1), mpq(1, 3)), 2)],
    ),
    subject=(STEPS, _every),
    twins={
        "S from the true large counts": (STEPS, _true_large),
        "large counts not raised to T + 1": (STEPS.but(large=_as_they_are), _every),
        "Z_b truncated": (STEPS.but(w_law=_truncated), _every),
    },
)
def large_private(made: tuple[Steps, Reading], given: Tiny) -> Finding:
    steps, reading = made
    in_scope(len(given.epsilons) == 3, "three epsilons")
    known = {h: _large_only(steps, h, given) for h in histograms.histograms(given.universe)}
    worst: tuple[mpq | None, object] = mpq(0), None
    for g, h in histograms.neighbouring_histograms(given.universe):
        for seen, one in known[g].items():
            ratio = loss_of({seen: one}, {seen: known[h][seen]} if seen in known[h] else {})
            if ratio is None:
                return _within((None, (g, h)), given)
            blocks = mpq(1)
            if seen[0]:
                mine, others = (list(reading(k, *seen, given)) for k in (g, h))
                if mine != others:
                    return _within((None, (g, h)), given)
                blocks = max(_block_ratio(g, h, s, given) for s in mine)
            if worst[0] is None or ratio * blocks > worst[0]:
                worst = ratio * blocks, (g, h, seen)
    return _within(worst, given)


def _large_only(steps: Steps, h: Histogram, given: Tiny) -> dict[tuple[int, int], tuple[mpq, Coordinates]]:
    return {(n, w): (p, laws[: w if n else 0]) for (n, w), (p, laws) in steps.parts(h, given).items()}


def _block_ratio(g: Histogram, h: Histogram, s: list[int], given: Tiny) -> mpq:
    pairs = zip(priv_hist.blocks(g, s), priv_hist.blocks(h, s), strict=True)
    return product_max_ratio([(given.block(a), given.block(b)) for a, b in pairs if a != b]).value if g != h else mpq(1)


@theorem(
    "PH.Thm1.group",
    """For histograms at distance k the worst ratio is at most (R1 R2)^k: for a replaced item, which is at distance 2 or 0, the
    square.""",
    over="all pairs in H_U at coarse tables, all outputs, by parts",
    code=[f"{SPEC}.priv_hist.split_release_law", f"{SPEC}.histograms.replaced"],
    grid=cases(Tiny, [(2,), (3,)], [(4, 10)]),
    subject=histograms.distance,
    twins={
        "one for every pair": lambda g, h: 1,
        "the difference of the numbers of items": lambda g, h: abs(sum(g) - sum(h)),
        "the difference of the numbers of labels": lambda g, h: abs(len(g) - len(h)),
    },
)
def groups(exponent: Callable[[Histogram, Histogram], int], given: Tiny) -> Finding:
    known = {h: STEPS.parts(h, given) for h in histograms.histograms(given.universe)}
    findings = []
    for g, h in product(known, repeat=2):
        found, allowed = loss_of(known[g], known[h]), _claimed(given) ** exponent(g, h)
        over = mpq(2) if found is None else found / allowed
        findings.append(Finding(over <= 1, over, f"ratio over the claim {decimal(over, 4)} at {g}, {h}, {given}"))
    replaced = [(histograms.distance(g, h), g, h) for g in known if g for h in histograms.replaced(g)]
    far = [Finding(d <= 2, mpq(0), f"{g} and {h}, one item replaced, are at distance {d}") for d, g, h in replaced]
    return all_of([*findings, *far])
