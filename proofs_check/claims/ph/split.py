"""Step 2, Lemma 8: the split that keeps the distance of neighbours, as printed and in integers."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp, rational
from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared, first_difference
from finitedp.proofs_check.claims.ph.mechanisms import small_bin_by_bin, small_without_w
from finitedp.proofs_check.claims.ph.subjects import SPEC, Split, clamped_geometric, geometric, l1, small
from finitedp.proofs_check.ledger.entry import AS_READ, Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import algorithm
from finitedp.spec.anonymized import histograms, priv_hist
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

CODE = [f"{SPEC}.priv_hist.{name}" for name in ("fakes_added", "moved", "improper_split", "small_values", "large_values")]
Parts = tuple[list[int], list[int]]
"""phi_{r+} for r = 1..T of the small part, and the large counts."""


Rule = Callable[[Histogram, int, int, int], Parts]
"""From h, T, M and w = phi_{(T+1)+} + M + Z_b to the two parts."""


def _moved(h: Histogram, t: int, m: int, w: int) -> dict[int, int]:
    return dict(priv_hist.moved(h, t, m, w - m - histograms.cumulative(h, t + 1)))


def _cumulative_clip(h: Histogram, t: int, m: int, w: int) -> Parts:
    small_part, large = priv_hist.improper_split(_moved(h, t, m, w), t)
    return small_part, large


def _bin_by_bin(h: Histogram, t: int, m: int, w: int) -> Parts:
    """The literal text: phi_r is the difference of two neighbouring sums, cut off at 0, so that each bin is cut off alone."""
    phi = _moved(h, t, m, w)
    return small_bin_by_bin(h, t, m, w), [r for r in sorted(phi, reverse=True) if r > t for _ in range(max(0, phi[r]))]


def _integers(h: Histogram, t: int, m: int, w: int) -> Parts:
    return priv_hist.small_values(h, t, m, max(w, 0)), priv_hist.large_values(h, t, max(w, 0))


def _large_as_they_are(h: Histogram, t: int, m: int, w: int) -> Parts:
    return _integers(h, t, m, w)[0], [max(histograms.largest(h, i), 0) for i in range(1, w + 1)]


def _small_without_w(h: Histogram, t: int, m: int, w: int) -> Parts:
    return small_without_w(h, t, m, w), _integers(h, t, m, w)[1]


def _fakes_once(h: Histogram, t: int, m: int, w: int) -> Parts:
    return [max(0, histograms.cumulative(h, r) + m - w) for r in range(1, t + 1)], _integers(h, t, m, w)[1]


SPLITS = cases(Split, [*product((4,), (1, 2), (1, 2)), (5, 3, 1)], [*product((7,), (1, 3, 5), (1, 2)), (9, 2, 1)])


@algorithm(
    "PH.step2",
    """The split in integers: with W = phi_{(T+1)+} + M + Z_b >= 0, step 2 with cumulative sums cut off at 0 is exactly
    phi^bs_{r+} = max(0, phi_{r+} + 2M - W) for r <= T, and H^bl = the W largest counts, each raised to at least T + 1. Where W
    < 0, H^bl is empty and phi^bs_{r+} = phi_{r+} + 2M - W: there the finite form, which takes W = 0, has fewer small ones.""",
    over="all histograms of H_U and W = -2..8, against the paper's improper histogram",
    code=CODE,
    grid=SPLITS,
    subject=_integers,
    twins={
        "each bin cut off alone": _bin_by_bin,
        "large counts not raised": _large_as_they_are,
        "large counts raised to T": lambda h, t, m, w: (
            _integers(h, t, m, w)[0],
            [max(histograms.largest(h, i), t) for i in range(1, w + 1)],
        ),
        "small ones without W": _small_without_w,
        "M for 2M": _fakes_once,
    },
)
@compared("(small, large)")
def split_in_integers(rule: Rule, case: Split) -> Compared:
    t, m = case.threshold, case.fakes
    for h, w in product(small(case.universe), range(-2, 9)):
        expected = _cumulative_clip(h, t, m, w)
        found = rule(h, t, m, w)
        if w < 0:
            more = [histograms.cumulative(h, r) + 2 * m - w for r in range(1, t + 1)]
            yield expected, (more, []), f"h={h}, W={w}, {case}"
            found = ([x - w for x in found[0]], found[1])  # what taking W = 0 leaves out
        yield found, expected, f"h={h}, W={w}, {case}"


@algorithm(
    "PH.step2.a",
    "H^a has M elements more at T and M more at T + 1, and so a distance of M(2T + 1) from h.",
    over="all histograms of H_U, T and M on the grid",
    code=CODE[:1],
    grid=SPLITS,
    subject=priv_hist.fakes_added,
    twins={
        "2M at T + 1": lambda h, t, m: {
            r: x + m * ((r == t + 1) - (r == t)) for r, x in priv_hist.fakes_added(h, t, m).items()
        },
        "M at T alone": lambda h, t, m: {r: x - m * (r == t + 1) for r, x in priv_hist.fakes_added(h, t, m).items()},
    },
)
@compared("(more at T, distance)")
def fakes(add: Callable[[Histogram, int, int], dict[int, int]], case: Split) -> Compared:
    t, m = case.threshold, case.fakes
    for h in small(case.universe):
        with_fakes = histograms.from_prevalences(add(h, t, m).items())
        found = histograms.prevalence(with_fakes, t) - histograms.prevalence(h, t), histograms.distance(h, with_fakes)
        yield found, (m, m * (2 * t + 1)), f"h={h}, {case}"


@algorithm(
    "PH.step2.b",
    """H^b moves Z_b elements from T to T + 1: no sum of prevalences changes, phi_T may become negative, and only where Z_b > M
    + phi_T or Z_b < -M - phi_{T+1} is H^b improper.""",
    over="all histograms of H_U and Z_b = -6..6, T and M on the grid",
    code=CODE[1:2],
    grid=SPLITS,
    subject=priv_hist.moved,
    twins={
        "added at T + 1 only": lambda h, t, m, z: {r: x + z * (r == t) for r, x in priv_hist.moved(h, t, m, z).items()},
        "from T + 1 to T": lambda h, t, m, z: priv_hist.moved(h, t, m, -z),
    },
)
@compared("(elements, improper, at T + 1)")
def moving(move: Callable[[Histogram, int, int, int], dict[int, int]], case: Split) -> Compared:
    t, m = case.threshold, case.fakes
    for h, z in product(small(case.universe), range(-6, 7)):
        phi = move(h, t, m, z)
        improper = z > m + histograms.prevalence(h, t) or z < -m - histograms.prevalence(h, t + 1)
        found = sum(phi.values()), min(phi.values()) < 0, phi[t + 1]
        yield found, (len(h) + 2 * m, improper, histograms.prevalence(h, t + 1) + m + z), f"h={h}, Z={z}, {case}"


def _loss(one: Parts, other: Parts) -> mpq | None:
    """How far apart two results are that the noise must cover; None where their numbers of draws differ."""
    if any(len(a) != len(b) for a, b in zip(one, other, strict=True)):
        return None
    return l1(one[0], other[0]) + l1(one[1], other[1])


@erratum(
    "PH.Lem8",
    f"""Lemma 8 with step 2(c) {AS_READ}: phi^bl_r = max(0, sum to r - sum to r - 1), and so below T, so that each
    bin is cut off at 0 by itself. The release of H^cs and H^cl is epsilon_2-DP.""",
    """Lemma 8, with step 2(c) as its proof uses it: phi^bl_r = max(0, sum to r) - max(0, sum to r - 1), and so below T. The
    release of H^cs and H^cl is epsilon_2-DP: for neighbours the shift of W, the changes of the small phi^bs_{r+} and those of
    the large counts together are at most 1, at every W; the integer form satisfies the same.""",
    as_printed=("each bin cut off alone", (_bin_by_bin,)),
    subject=(_cumulative_clip, _integers),
    twins={
        "large counts not raised": (_large_as_they_are,),
        "small ones without W": (_small_without_w,),
        "M for 2M where h is empty": (lambda h, t, m, w: _integers(h, t, m, w) if h else _fakes_once(h, t, m, w),),
    },
    over="""all pairs of neighbours in H_U and W = 0..8, or from -2 on for the cumulative form; as exponents of e^epsilon_2,
    which the unbounded double geometric law attains""",
    code=CODE,
    grid=cases(Split, [*product((4,), (1, 2, 3), (1, 2)), (5, 3, 1)], [*product((8,), (1, 2, 4), (1, 2)), (9, 3, 3)]),
    kind="lemma",
)
@bounded("loss")
def sensitivity(rules: Sequence[Rule], case: Split) -> Bounded:
    t, m = case.threshold, case.fakes
    for h in small(case.universe - 1):
        for g, rule in product(histograms.larger(h), rules):
            shift = histograms.cumulative(g, t + 1) - histograms.cumulative(h, t + 1)
            for w in range(-2 if rule is _cumulative_clip else 0, 9):
                one, other = rule(h, t, m, w), rule(g, t, m, w)
                if w > max(histograms.cumulative(k, t + 2) for k in (g, h)) or rule is not _bin_by_bin:
                    loss = _loss(one, other)
                    yield 10**9 if loss is None else shift + loss, 1, f"h={h}, g={g}, W={w}, {case}"


# Steps 3 and 4, and T and M

NoisyParts = Callable[[Histogram, Split, int, mpq], tuple[Pmf[tuple[int, ...]], Pmf[tuple[int, ...]]]]


def _noisy(h: Histogram, case: Split, w: int, decay: mpq, shift: int = 0) -> tuple[Pmf[tuple[int, ...]], Pmf[tuple[int, ...]]]:
    t, m, top = case.threshold, case.fakes, case.universe + 2 * case.fakes

    def noise(value: int) -> Pmf[int]:
        return clamped_geometric(decay, value, 0, top)

    small_part = priv_hist.small_law(h, t, m, w, noise)
    return small_part, priv_hist.large_law(h, t + shift, w, noise)


def _one_noise(h: Histogram, case: Split, w: int, decay: mpq) -> tuple[Pmf[tuple[int, ...]], Pmf[tuple[int, ...]]]:
    """One Z for all phi_{r+}."""
    values, top = priv_hist.small_values(h, case.threshold, case.fakes, w), case.universe + 2 * case.fakes
    law = geometric(decay, 2 * top + 2)
    return law.pushforward(lambda z: tuple(min(max(x + z, 0), top) for x in values)), _noisy(h, case, w, decay)[1]


@algorithm(
    "PH.step4",
    "Step 4 alone: the W noisy large counts are independent, and their order is that of the true ones.",
    over="all histograms of H_U, W = 0, 1, 2",
    code=[f"{SPEC}.priv_hist.large_law"],
    grid=cases(Split, [(2, 1, 1), (3, 2, 1)], [(3, 1, 1), (4, 2, 1)]),
    subject=_noisy,
    twins={"large counts from T + 1 up": lambda h, case, w, decay: _noisy(h, case, w, decay, 1)},
)
@algorithm(
    "PH.step3",
    """Steps 3 and 4: each phi_{r+}, r <= T, and each of the W large counts gets double geometric noise of its own, clamped to
    0..U + 2M, the large ones from T up.""",
    over="all histograms of H_U, W = 0, 1, 2; the joint laws by independent draws, exactly",
    code=[f"{SPEC}.priv_hist.small_law", f"{SPEC}.priv_hist.large_law"],
    grid=cases(Split, [(2, 1, 1), (2, 2, 1)], [(3, 2, 1), (3, 1, 2)]),
    subject=_noisy,
    twins={
        "one noise for all levels": _one_noise,
        "large counts from T + 1 up": lambda h, case, w, decay: _noisy(h, case, w, decay, 1),
    },
)
@compared("(small, large) independent")
def noisy_parts(laws: NoisyParts, case: Split) -> Compared:
    decay, top = mpq(2, 3), case.universe + 2 * case.fakes
    for h, w in product(small(case.universe), (0, 1, 2)):
        low, high = _integers(h, case.threshold, case.fakes, w)
        one, other = laws(h, case, w, decay)
        inner = [geometric_mechanism(top, decay, x) for x in low]
        outer = [geometric_mechanism(top, decay, x - case.threshold).shifted(case.threshold) for x in high]
        yield (one == joint(inner), other == joint(outer)), (True, True), f"h={h}, W={w}, {case}"


class Public(NamedTuple):
    """N and epsilon."""

    total: int
    epsilon: str


PUBLIC = cases(Public, product((1, 2, 7, 100), ("1/10", "1", "3")), product((3, 1000, 10**5), ("1/7", "1/2", "8")))


@algorithm(
    "PH.step2.T",
    "T is the least integer with T >= sqrt(N min(epsilon, 1)), and at least 1: s^2 q >= N p for min(epsilon, 1) = p/q.",
    over="N and epsilon on the grid",
    code=[f"{SPEC}.priv_hist.paper_threshold"],
    grid=PUBLIC,
    subject=priv_hist.paper_threshold,
    twins={
        "sqrt(N epsilon)": lambda n, e: max(1, priv_hist.ceil_sqrt(n * rational(e, "epsilon"))),
        "floor": lambda n, e: max(1, priv_hist.paper_threshold(n, e) - 1),
        "sqrt(N)": lambda n, _: priv_hist.ceil_sqrt(n),
    },
)
def threshold(made: Callable[[int, str], int], case: Public) -> Finding:
    t, square = made(case.total, case.epsilon), case.total * min(mpq(case.epsilon), mpq(1))
    return first_difference("T", [(((t - 1) ** 2 < square, square <= t * t), (True, True), f"T={t}, {case}")])


@algorithm(
    "PH.step2.M",
    """M is the least integer with M >= max(2 ln(N e^epsilon_2), 1)/epsilon_2, and so large that Pr[|Z_b| > M] <= 2 e^(-2
    epsilon_2)/N^2.""",
    over="N and epsilon_2 on the grid, by rigorous comparisons with powers of e",
    code=[f"{SPEC}.priv_hist.paper_fakes"],
    grid=PUBLIC,
    subject=priv_hist.paper_fakes,
    twins={
        "ln for 2 ln": lambda n, e: priv_hist.paper_fakes(max(1, priv_hist.ceil_sqrt(n)), e),
        "one less": lambda n, e: priv_hist.paper_fakes(n, e) - 1,
        "floor(1/epsilon_2) more": lambda n, e: priv_hist.paper_fakes(n, e) + 1,
    },
)
def number_of_fakes(made: Callable[[int, str], int], case: Public) -> Finding:
    e, m = mpq(case.epsilon), made(case.total, case.epsilon)

    def enough(k: int) -> bool:
        return k * e >= 1 and compare_exp(case.total**2, (k - 2) * e) <= 0

    found = enough(m), enough(m - 1), compare_exp(case.total**2, (m + 1) * e - 2 * e) <= 0
    return first_difference("enough, not one less, tail", [(found, (True, False, True), f"M={m}, {case}")])
