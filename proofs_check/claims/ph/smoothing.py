"""The high-privacy branch: steps H1 to H4, the example of C.1.2, and Lemma 9."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared
from finitedp.proofs_check.claims.ph.subjects import SPEC, capped, small
from finitedp.proofs_check.ledger.entry import cases, erratum
from finitedp.proofs_check.ledger.findings import algorithm
from finitedp.spec.anonymized import histograms, priv_hist
from finitedp.spec.anonymized.histograms import Histogram

CODE = [f"{SPEC}.priv_hist.smoothed", f"{SPEC}.priv_hist.blocks"]
Places = tuple[int, ...]
Blocks = Callable[[Histogram, Places], Sequence[mpq | int]]


class Smooth(NamedTuple):
    """All histograms of H_U, and all sets of boundaries for the number N of items."""

    universe: int
    total: int

    def places(self) -> Iterator[Places]:
        """Every S with 1 and 2N in it."""
        inner = range(2, 2 * self.total)
        for size in range(len(inner) + 1):
            for chosen in combinations(inner, size):
                yield tuple(sorted({1, *chosen, 2 * self.total}))

    def __str__(self) -> str:
        return f"U={self.universe}, N={self.total}"


SMOOTH = cases(Smooth, [(3, 1), (5, 2), (4, 3)], [(7, 3), (8, 4)])


def _to_half(h: Histogram, top: int) -> Histogram:
    """The text of Section 4.3: all counts above 2N are moved to N."""
    return tuple(sorted((x if x <= top else top // 2 for x in h), reverse=True))


@algorithm(
    "PH.H1",
    "H^u: the counts above 2N become 2N: phi^u_r is phi_r for r < 2N and phi_{2N+} at 2N; nothing is lost.",
    over="all histograms of H_U and N on the grid",
    code=[f"{SPEC}.histograms.clipped_items", f"{SPEC}.priv_hist.smoothed"],
    grid=SMOOTH,
    subject=capped,
    twins={
        "counts above 2N to N": _to_half,
        "counts above 2N left out": lambda h, top: tuple(x for x in h if x <= top),
        "2N - 1": lambda h, top: tuple(min(x, top - 1) for x in h),
    },
)
@compared("prevalences")
def cap(change: Callable[[Histogram, int], Histogram], case: Smooth) -> Compared:
    top = 2 * case.total
    for h in small(case.universe):
        expected = [histograms.prevalence(h, r) for r in range(1, top)] + [histograms.cumulative(h, top)]
        found = change(h, top)
        yield ([histograms.prevalence(found, r) for r in range(1, top + 1)], len(found)), (expected, len(h)), f"{h}, {case}"


def _boundaries(total: int, t: int, last: int, quarter: int, large: Sequence[int]) -> list[int]:
    return priv_hist.boundaries(total, t, last, lambda s: s * quarter // 4, large)


def _twice(total: int, t: int, last: int, quarter: int, large: Sequence[int]) -> list[int]:
    found = _boundaries(total, t, last, quarter, large)
    return sorted([*found, *(x for x in large if x in found)])


@algorithm(
    "PH.H2",
    """S holds 1..T, from T to T' places whose steps are at most max(1, s q), the noisy large counts from T' to 2N, and 2N: no
    place twice, none above 2N.""",
    over="N and T on the grid; q = 1/4, 1/2, 1; T' = 2..2N+2; three lists of large counts",
    code=[f"{SPEC}.priv_hist.boundaries"],
    grid=cases(lambda *x: x, [(1, 1), (3, 2), (6, 3)], [(10, 4), (20, 2)]),
    subject=_boundaries,
    twins={
        "2N missing": lambda n, t, last, q, large: [x for x in _boundaries(n, t, last, q, large) if x < 2 * n],
        "duplicates": _twice,
        "large counts above 2N": lambda n, t, last, q, large: sorted({*_boundaries(n, t, last, q, large), *large}),
        "from T' + 1 on": lambda n, t, last, q, large: _boundaries(n, t, last, q, [x for x in large if x > last]),
        "twice the step": lambda n, t, last, q, large: _boundaries(n, t, last, 2 * q, large),
    },
)
@compared("(ascending to 2N, all there, steps)")
def places(made: Callable[[int, int, int, int, Sequence[int]], list[int]], case: tuple[int, int]) -> Compared:
    total, t = case
    top = 2 * total
    for last, quarter, large in product(range(2, top + 3), (1, 2, 4), ((), (2, top + 1), tuple(range(1, top + 4)))):
        found = made(total, t, last, quarter, large)
        distinct = found == sorted(set(found)) and found[-1] == top
        has = {x for x in (*range(1, t + 1), *(x for x in large if x >= last)) if x <= top} <= set(found)
        steps = [4 * (b - a) <= max(4, a * quarter) for a, b in pairwise(found) if t <= a and b <= min(last, top) and b < top]
        yield (
            (distinct, has, all(steps)),
            (True, True, True),
            f"{found} for N={total}, T={t}, T'={last}, q={quarter}/4, {large}",
        )


# Smoothing


def _printed(h: Histogram, s: Places) -> list[mpq]:
    """phi^v_{s_i} by the two sums of H3, for counts that H1 has cut off."""
    phi = {j: histograms.prevalence(capped(h, s[-1]), j) for j in range(s[-1] + 1)}
    found = []
    for i, at in enumerate(s):
        after = s[i + 1] if i + 1 < len(s) else at + 1
        before = s[i - 1] if i else 0
        up = sum((mpq(phi.get(j, 0) * (after - j), after - at) for j in range(at, after + 1)), mpq(0))
        down = sum((mpq(phi[j] * (j - before), at - before) for j in range(before, at)), mpq(0))
        found.append(up + down)
    return found


def _both_ends(h: Histogram, s: Places) -> list[mpq]:
    return [x + histograms.prevalence(capped(h, s[-1]), at) for x, at in zip(_printed(h, s), s, strict=True)]


def _swapped(h: Histogram, s: Places) -> list[mpq]:
    """Each count's shares to the wrong end."""
    phi = {at: mpq(0) for at in (0, *s)}
    for x in capped(h, s[-1]):
        above = min(at for at in phi if at >= x)
        below = max(at for at in phi if at < above)
        phi[below] += mpq(x - below, above - below)
        phi[above] += 1 - mpq(x - below, above - below)
    return [phi[at] for at in s]


@algorithm(
    "PH.H3",
    """Smoothing divides each count between the two places around it, so that neither the number of labels nor that of items
    changes (of counts at least s_1 = 1).""",
    over="all histograms of H_U; all S with 1 and 2N",
    code=CODE,
    grid=SMOOTH,
    subject=lambda h, s: priv_hist.smoothed(h, s, s[-1]),
    twins={
        "s_i in both sums": _both_ends,
        "shares swapped": _swapped,
        "to the place below": lambda h, s: [mpq(sum(max(y for y in s if y <= x) == at for x in capped(h, s[-1]))) for at in s],
    },
)
@compared("phi^v")
def smoothing(smooth: Blocks, case: Smooth) -> Compared:
    for s, h in product(case.places(), small(case.universe)):
        found = list(smooth(h, s))
        moments = sum(found), sum(x * at for x, at in zip(found, s, strict=True))
        yield (found, moments), (_printed(h, s), (len(h), sum(capped(h, s[-1])))), f"{h}, S={s}"


def _steps(s: Places) -> list[int]:
    return [b - a for a, b in pairwise((0, *s))]


@algorithm(
    "PH.H4",
    """The noise of H4 in integers: (s_i - s_{i-1}) phi^v_{s_i+} = A_i = P_h(s_i) - P_h(s_{i-1}), with P_h(s) the sum of
    min(count, s), s_0 = 0; the counts above 2N need no step of their own.""",
    over="all histograms of H_U; all S with 1 and 2N; against the two sums of H3",
    code=CODE,
    grid=SMOOTH,
    subject=priv_hist.blocks,
    twins={
        "phi_{s_i+} itself": lambda h, s: [d * histograms.cumulative(h, at) for d, at in zip(_steps(s), s, strict=True)],
        "P_h(s_i)": lambda h, s: [histograms.clipped_items(h, at) for at in s],
        "the last block left open": lambda h, s: [
            *priv_hist.blocks(h, s)[:-1],
            sum(h) - histograms.clipped_items(h, (0, *s)[-2]),
        ],
    },
)
@compared("A_i")
def block_sums(blocks: Blocks, case: Smooth) -> Compared:
    for s, h in product(case.places(), small(case.universe)):
        phi = _printed(h, s)
        yield list(blocks(h, s)), [d * sum(phi[i:]) for i, d in enumerate(_steps(s))], f"{h}, S={s}"


@erratum(
    "PH.Lem9",
    """Lemma 9 with the description of step H1 in Section 4.3: all counts above 2N are moved to N. The output of the
    high-privacy branch is epsilon_3-DP, given N and S.""",
    """Lemma 9 with step H1 of the algorithm, to 2N: exactly one (s_i - s_{i-1}) phi^v_{s_i+} changes between neighbours, by 1
    (none where the count changes above 2N), so that noise of decay e^-epsilon_3 on these values is epsilon_3-DP.""",
    as_printed=("counts above 2N to N", lambda h, s: priv_hist.blocks(_to_half(h, s[-1]), s)),
    subject=priv_hist.blocks,
    twins={
        "s_i in both sums": lambda h, s: [d * sum(_both_ends(h, s)[i:]) for i, d in enumerate(_steps(s))],
        "(s_i - s_(i-1)) phi_{s_i+}": lambda h, s: [
            d * histograms.cumulative(h, at) for d, at in zip(_steps(s), s, strict=True)
        ],
        "P_h(s_i)": lambda h, s: [histograms.clipped_items(h, at) for at in s],
        "noise for phi^v alone": lambda h, s: [2 * a for a in priv_hist.blocks(h, s)],
    },
    over="all pairs of neighbours in H_U; all S with 1 and 2N",
    code=CODE,
    grid=SMOOTH,
    kind="lemma",
)
@bounded("loss")
def one_block_changes(blocks: Blocks, case: Smooth) -> Bounded:
    for s, h in product(case.places(), small(case.universe - 1)):
        one = blocks(h, s)
        for g in histograms.larger(h):
            loss = sum((abs(mpq(a) - mpq(b)) for a, b in zip(one, blocks(g, s), strict=True)), mpq(0))
            yield loss, 1, f"h={h}, g={g}, S={s}"


# Section C.1.2


@erratum(
    "PH.C1.smoothing",
    "The example of C.1.2 as printed: a count r between s and s + t gives (s + t - r)/t to s and r/t to s + t.",
    """The example of C.1.2, corrected: a count r between s and s + t gives (s + t - r)/t to s and (r - s)/t to s + t. The two
    shares sum to 1, and those of r and r + 1 differ by 1/t at each end.""",
    as_printed=("r / t", lambda s, t, r: (mpq(s + t - r, t), mpq(r, t))),
    subject=lambda s, t, r: (mpq(s + t - r, t), mpq(r - s, t)),
    twins={"ends swapped": lambda s, t, r: (mpq(r - s, t), mpq(s + t - r, t))},
    over="s and t on the grid; all r in s..s+t",
    code=CODE[:1],
    grid=cases(lambda *x: x, product((1, 2, 5), (1, 2, 3)), product((7, 20), (4, 9))),
    kind="lemma",
)
@compared("(sum, changes, shares)")
def smoothing_example(shares: Callable[[int, int, int], tuple[mpq, mpq]], case: tuple[int, int]) -> Compared:
    s, t = case
    for r in range(s, s + t):
        (low, high), (after_low, after_high) = shares(s, t, r), shares(s, t, r + 1)
        expected = priv_hist.smoothed((r,), (s, s + t), s + t) if r >= s else []
        yield (
            (low + high, low - after_low, after_high - high, [low, high]),
            (1, mpq(1, t), mpq(1, t), expected),
            f"s={s}, t={t}, r={r}",
        )
