"""Section D.1, the low-privacy regime: inequalities (8) to (13), which hold for every value of the noise or on average."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded
from finitedp.proofs_check.claims.ph.subjects import SPEC, Split, expected, geometric, l1, nearest_elements, small, unimodal
from finitedp.proofs_check.ledger.entry import cases, erratum
from finitedp.proofs_check.ledger.findings import lemma
from finitedp.spec.anonymized import histograms, post_processing, priv_hist
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.pmf import product as joint

POST = f"{SPEC}.post_processing"
CODE = [f"{POST}.split_output", f"{SPEC}.priv_hist.improper_split"]


LOW = cases(Split, product((3,), (1, 2), (1, 2)), product((5,), (1, 3), (1, 2)))


def _with_fakes(h: Histogram, case: Split) -> Histogram:
    return histograms.from_prevalences(priv_hist.fakes_added(h, case.threshold, case.fakes).items())


def _split(h: Histogram, case: Split, z: int) -> tuple[list[int], list[int]]:
    return priv_hist.improper_split(priv_hist.moved(h, case.threshold, case.fakes, z), case.threshold)


def _small_part(at_least: Sequence[int]) -> Histogram:
    return post_processing.from_cumulative(range(1, len(at_least) + 1), at_least)


def _majorized(h: Histogram, case: Split, z: int) -> Histogram:
    """H^b' = H^bs + H^bl."""
    at_least, large = _split(h, case, z)
    return histograms.union(_small_part(at_least), tuple(large))


@erratum(
    "PH.Eq8",
    "(8) with step L4 as printed, where the closest of the counts that occur are removed: l1(h, H^e) <= 4 l1(H^a, H^d).",
    "(8) with the corrected removal of Lemma 6: l1(h, H^e) <= 4 l1(H^a, H^d), whatever H^d is.",
    as_printed=("the closest of the counts that occur", nearest_elements),
    subject=post_processing.removed,
    twins={"the largest": lambda h, many, _: h[many:]},
    over="all histograms h of H_U, all H^d of H_(U+3), T and M on the grid",
    code=[f"{POST}.removed"],
    grid=cases(Split, [(2, 1, 1), (3, 2, 1), (5, 1, 1)], [(5, 1, 2), (6, 2, 1)]),
    kind="lemma",
)
@bounded("l1(h, H^e)")
def removed_twice(remove: Callable[[Histogram, int, int], Histogram], case: Split) -> Bounded:
    t, m = case.threshold, case.fakes
    for h, d in product(small(case.universe), small(case.universe + 3)):
        rest = remove(remove(d, m, t + 1), m, t)
        yield histograms.distance(h, rest), 4 * histograms.distance(_with_fakes(h, case), d), f"h={h}, H^d={d}, {case}"


def _printed_loss(h: Histogram, case: Split, z: int) -> int:
    t, m = case.threshold, case.fakes
    return abs(z) + (sum(h) + 2 * m * (t + 1)) * (abs(z) > m)


def _repaired_loss(h: Histogram, case: Split, z: int) -> int:
    t, m = case.threshold, case.fakes
    return abs(z) if abs(z) <= m else sum(h) + (abs(z) + m) * (t + 1)


@erratum(
    "PH.Eq9",
    """(9), its first line as printed: l1(H^b', H^a) <= |Z_b| + (n + 2M(T + 1)) 1{|Z_b| > M}.""",
    """(9), corrected: l1(H^b', H^a) <= |Z_b| where |Z_b| <= M, else at most n + (M + |Z_b|)(T + 1): what is moved beyond M is
    not moved but made, or lost.""",
    as_printed=("n + 2M(T + 1) beyond M", _printed_loss),
    subject=_repaired_loss,
    twins={
        "|Z_b| throughout": lambda h, case, z: abs(z),
        "without n": lambda h, case, z: _repaired_loss((), case, z) if abs(z) > case.fakes else abs(z) - (abs(z) > 0),
    },
    over="all histograms of H_U, T and M on the grid, Z_b = -9..9",
    code=CODE,
    grid=LOW,
    kind="lemma",
)
@bounded("l1(H^b', H^a)")
def majorization(allowed: Callable[[Histogram, Split, int], int], case: Split) -> Bounded:
    for h, z in product(small(case.universe), range(-9, 10)):
        value = histograms.distance(_majorized(h, case, z), _with_fakes(h, case))
        yield value, allowed(h, case, z), f"h={h}, Z_b={z}, {case}"


def _outputs(h: Histogram, case: Split, z: int) -> Iterator[tuple[Histogram, Histogram, Histogram, Histogram, int]]:
    """(H^bs, H^bl, H^ds, H^dl, sum of |Z_i|) for all noise in -1..1 on at most three large counts, and on phi_{1+}."""
    at_least, large = _split(h, case, z)
    for noise in product((-1, 0, 2), repeat=min(len(large), 3)):
        noisy = [x + (noise[i] if i < len(noise) else 0) for i, x in enumerate(large)]
        for first in (-1, 1):
            low = post_processing.small_output([at_least[0] + first, *at_least[1:]])
            high = post_processing.large_output(noisy, case.threshold)
            yield _small_part(at_least), tuple(large), low, high, sum(map(abs, noise))


@lemma(
    "PH.Eq10",
    "(10): l1(H^b', H^d) <= l1(H^bs, H^ds) + l1(H^bl, H^dl), by Lemma 3.",
    over="all histograms of H_U; Z_b = -1..2; noise on phi_{1+} and on three large counts",
    code=[f"{SPEC}.histograms.union", f"{POST}.small_output", f"{POST}.large_output"],
    grid=LOW,
    subject=histograms.union,
    twins={"equal counts once": lambda g, h: tuple(sorted({*g, *h}, reverse=True))},
)
@bounded("l1(H^b', H^d)")
def parts(join: Callable[[Histogram, Histogram], Histogram], case: Split) -> Bounded:
    for h, z in product(small(case.universe), range(-1, 3)):
        for low, high, noisy_low, noisy_high, _ in _outputs(h, case, z):
            whole = len(low) + len(high) == len(join(low, high))
            allowed = histograms.distance(low, noisy_low) + histograms.distance(high, noisy_high)
            value = histograms.distance(join(low, high), join(noisy_low, noisy_high))
            yield value + (not whole) * 10**6, allowed, f"h={h}, Z_b={z}, {case}"


@lemma(
    "PH.Eq11.pointwise",
    "(11), each noise: l1(H^bl, H^dl) <= sum of |Z_i|, as raising to T moves no large count away from one above T.",
    over="all histograms of H_U; Z_b = -1..2; noise -1, 0, 2 on three large counts",
    code=[f"{POST}.large_output"],
    grid=LOW,
    subject=histograms.distance,
    twins={
        "against T + 2": lambda high, noisy: histograms.distance(high, tuple(x + 1 for x in noisy)),
        "smallest against largest": lambda high, noisy: l1(high, noisy[::-1]),
    },
)
@bounded("l1(H^bl, H^dl)")
def large_error(value: Callable[[Histogram, Histogram], int], case: Split) -> Bounded:
    for h, z in product(small(case.universe), range(-1, 3)):
        for _, high, _, noisy, noise in _outputs(h, case, z):
            yield value(high, noisy), noise, f"h={h}, {high} became {noisy}, {case}"


@erratum(
    "PH.Eq11",
    "(11) as printed: the number of large counts is at most n/T + M + Z_b.",
    """(11), corrected: the number of large counts is at most n/(T + 1) + max(0, M + Z_b) (and so n/T + M + |Z_b|): M + Z_b may
    be negative.""",
    as_printed=("n/T + M + Z_b", lambda h, case, z: mpq(sum(h), case.threshold) + case.fakes + z),
    subject=lambda h, case, z: mpq(sum(h), case.threshold + 1) + max(0, case.fakes + z),
    twins={"n/(T + 2)": lambda h, case, z: mpq(sum(h), case.threshold + 2) + max(0, case.fakes + z)},
    over="all histograms of H_U; T and M on the grid; Z_b = -5..5",
    code=CODE[1:],
    grid=LOW,
    kind="lemma",
)
@bounded("large counts")
def number_of_large(allowed: Callable[[Histogram, Split, int], mpq], case: Split) -> Bounded:
    for h, z in product(small(case.universe), range(-5, 6)):
        yield len(_split(h, case, z)[1]), allowed(h, case, z), f"h={h}, Z_b={z}, {case}"


class Noisy(NamedTuple):
    """T and the values that each noise takes."""

    threshold: int
    values: tuple[int, ...]


@erratum(
    "PH.Eq12",
    """(12) as printed, squared: l1(H^bs, H^ds)^2 <= 4 T sum over r of (phi^bs_{r+} - phi^cs_{r+})^2 <= 4 T sum over r of
    (Z_r^cs - Z_b)^2.""",
    """(12), squared and corrected: l1(H^bs, H^ds)^2 <= 4 T sum over r >= 1 of (phi^bs_{r+} - phi^cs_{r+})^2 = 4 T sum over r
    >= 1 of (Z_r^cs)^2.""",
    as_printed=("(Z_r - Z_b)^2", lambda noise, z: sum((x - z) ** 2 for x in noise)),
    subject=lambda noise, _: sum(x * x for x in noise),
    twins={"|Z_r|": lambda noise, _: sum(map(abs, noise)), "half": lambda noise, _: mpq(sum(x * x for x in noise), 2)},
    over="all non-increasing phi^bs with values 0..2, all noises of the grid, Z_b = -1, 0, 1",
    code=[f"{POST}.small_output", f"{POST}.isotonic"],
    grid=cases(Noisy, [(1, (-1, 0, 1, 2)), (2, (-2, 0, 1)), (3, (-1, 0, 2))], [(3, (-2, -1, 0, 1, 3)), (4, (-1, 0, 1))]),
    kind="lemma",
)
@bounded("squares")
def small_error(last: Callable[[Sequence[int], int], mpq | int], case: Noisy) -> Bounded:
    t = case.threshold
    for start, noise in product(unimodal(t, 2), product(case.values, repeat=t)):
        noisy = [a + b for a, b in zip(start, noise, strict=True)]
        projected = post_processing.isotonic(noisy)
        squares = [
            mpq(histograms.distance(_small_part(start), post_processing.small_output(noisy))) ** 2,
            (2 * l1(start, projected)) ** 2,
            4 * t * sum(((a - b) ** 2 for a, b in zip(start, projected, strict=True)), mpq(0)),
            mpq(4 * t * sum(b * b for b in noise)),
        ]
        for i, (a, b) in enumerate(pairwise(squares)):
            yield a, b, f"step {i}, phi^bs={start}, Z={noise}"
        for z in (-1, 0, 1):
            yield squares[-1], 4 * t * last(noise, z), f"last step, phi^bs={start}, Z={noise}, Z_b={z}"


@lemma(
    "PH.Eq13",
    "(13) with its constant: E l1(H^bs, H^ds) <= 2 T sqrt(E Z^2), for noise of any law.",
    over="""all non-increasing phi^bs with values 0..2, T on the grid; independent double geometric noise clamped to -2..2,
    exactly""",
    code=[f"{POST}.small_output"],
    grid=cases(lambda *x: x, [(1, mpq(1, 2)), (2, mpq(1, 2)), (2, mpq(9, 10))], [(3, mpq(1, 2)), (2, mpq(1, 10))]),
    subject=(4, 2),
    twins={"an eighth": (mpq(1, 8), 2), "a hundredth, T^3": (mpq(1, 100), 3)},
)
@bounded("square of the mean")
def mean_small_error(bound: tuple[mpq | int, int], case: tuple[int, mpq]) -> Bounded:
    t, decay = case
    law = geometric(decay, 2)
    second = expected(law, lambda z: z * z)
    for start in unimodal(t, 2):
        outputs = joint([law.shifted(a) for a in start]).pushforward(post_processing.small_output)
        mean = expected(outputs, partial(histograms.distance, _small_part(start)))
        yield mean**2, bound[0] * t ** bound[1] * second, f"phi^bs={start}, decay {decay}"
