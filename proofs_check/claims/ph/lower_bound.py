"""Appendix E: Lemma 10 and Theorem 2, the lower bound in the low-privacy regime."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from math import isqrt
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared, largest_load
from finitedp.proofs_check.claims.ph.subjects import HISTOGRAMS, expected, l1
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum
from finitedp.proofs_check.ledger.findings import lemma, theorem
from finitedp.proofs_check.ledger.grids import small_laws
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

Bits = tuple[int, ...]
Vector = tuple[mpq, ...]


class Family(NamedTuple):
    """Mechanisms that release an estimate of k bits.

    Of one bit all with these outputs and a total of weights; of more the exclusive or with noise of that total.
    """

    bits: int
    total: int
    outputs: tuple[mpq, ...] = (mpq(0), mpq(1))

    def mechanisms(self) -> Iterator[dict[Bits, Pmf[Vector]]]:
        """Each as the laws of its outputs, by input."""
        if self.bits == 1:
            laws = list(_laws([(x,) for x in self.outputs], self.total))
            for p, q in product(laws, repeat=2):
                one_bit: dict[Bits, Pmf[Vector]] = {(0,): p, (1,): q}
                yield one_bit
            return
        inputs = list(product((0, 1), repeat=self.bits))
        for noise in _laws([tuple(map(mpq, z)) for z in inputs], self.total):
            yield {x: noise.pushforward(partial(_apart, x)) for x in inputs}


def _apart(x: Bits, z: Vector) -> Vector:
    return tuple(abs(a - b) for a, b in zip(x, z, strict=True))


def _laws(outcomes: Sequence[Vector], total: int) -> Iterator[Pmf[Vector]]:
    return (law.pushforward(outcomes.__getitem__) for law in small_laws(len(outcomes), total))


def _ratio(laws: dict[Bits, Pmf[Vector]]) -> mpq | None:
    """The worst ratio of neighbours; None where it is infinite."""
    near = [(x, y) for x, y in product(laws, repeat=2) if l1(x, y) == 1]
    found = [max_ratio(laws[x], laws[y]) for x, y in near]
    return None if any(r.infinite for r in found) else max(r.value for r in found)


def _error(law: Pmf[Vector], x: Bits) -> mpq:
    return expected(law, partial(l1, x))


FAMILIES = cases(
    Family,
    [(1, 7), (1, 4, (mpq(0), mpq(1, 2), mpq(1))), (2, 9)],
    [(1, 12), (1, 5, (mpq(0), mpq(1, 3), mpq(1))), (2, 11)],
)


@lemma(
    "PH.Lem10",
    """Any epsilon-DP estimate of k bits has for some of them a mean l1 error of at least k e^-epsilon up to a constant: k/(1 +
    e^epsilon) exactly, which randomized response attains, and so at least k e^-epsilon/2; the constant is not 1.""",
    over="all mechanisms of the families of the grid, each with its own exact e^epsilon",
    code=["finitedp.spec.divergence.max_ratio"],
    grid=FAMILIES,
    subject=lambda k, r: k / (1 + r),
    twins={
        "k e^-epsilon": lambda k, r: k / r,
        "k / 2": lambda k, _: mpq(k, 2),
        "k^2 / (1 + e^epsilon)": lambda k, r: k * k / (r + mpq(k, 2)),
    },
)
@bounded("bound")
def bits_cost(bound: Callable[[int, mpq], mpq], case: Family) -> Bounded:
    for laws in case.mechanisms():
        ratio = _ratio(laws)
        if ratio is not None:
            yield bound(case.bits, ratio), max(_error(laws[x], x) for x in laws), f"ratio {ratio}, laws {laws}"


def _regrouped(laws: dict[Bits, Pmf[Vector]], k: int, which: Sequence[int] | None = None) -> mpq:
    """The last line of (19)."""
    whole = mpq(0)
    for i, v in product(range(k) if which is None else which, product((0, 1), repeat=k - 1)):
        both = [(*v[:i], b, *v[i:]) for b in (0, 1)]
        pair = sum((laws[x][out] * abs(x[i] - out[i]) for x in both for out in laws[x]), mpq(0))
        whole += pair / 2 / 2 ** (k - 1)
    return whole


@lemma(
    "PH.Eq19",
    """(19): the largest mean error is at least the average over all x, which is the sum over i of the averages over the pairs
    that differ in the i-th bit alone.""",
    over="all mechanisms of the families of the grid",
    code=["finitedp.spec.pmf.Pmf.pushforward"],
    grid=FAMILIES,
    subject=_regrouped,
    twins={
        "without the half": lambda laws, k: 2 * _regrouped(laws, k),
        "2^k for 2^(k-1)": lambda laws, k: _regrouped(laws, k) / 2,
        "the first bit k times": lambda laws, k: k * _regrouped(laws, k, [0]),
    },
)
@compared("(average, at most the largest)")
def averaged(regrouped: Callable[[dict[Bits, Pmf[Vector]], int], mpq], case: Family) -> Compared:
    for laws in case.mechanisms():
        errors = [_error(laws[x], x) for x in laws]
        mean = sum(errors, mpq(0)) / len(errors)
        yield (regrouped(laws, case.bits), max(errors) >= mean), (mean, True), laws


# Theorem 2


class Words(NamedTuple):
    """N items, and k bits that are written into a histogram."""

    items: int
    bits: int


def _histogram(n: int, x: Bits, last: int) -> Histogram:
    """Counts 4i, 4i + 3 where the i-th bit is 1, else 4i + 1, 4i + 2, and one count of n minus those up to `last`."""
    pairs = [(4 * i, 4 * i + 3) if bit else (4 * i + 1, 4 * i + 2) for i, bit in enumerate(x, 1)]
    counts = [r for pair in pairs for r in pair]
    return histograms.checked([*counts, n - sum(r for r in counts if r <= last)])


@erratum(
    "PH.Thm2.words",
    "Appendix E as printed: with phi_r = 1 at r = n - sum over r <= 4k of r phi_r the histogram has n items.",
    """Appendix E, corrected: with phi_r = 1 at r = n - sum over r <= 4k + 3 of r phi_r, where the last pair ends, the
    histogram has n items, k = sqrt(n)/10 leaves room, and words at Hamming distance d give histograms at distance 2d.""",
    as_printed=("r <= 4k", lambda n, x: _histogram(n, x, 4 * len(x))),
    subject=lambda n, x: _histogram(n, x, 4 * len(x) + 3),
    twins={"r <= 4k + 2": lambda n, x: _histogram(n, x, 4 * len(x) + 2)},
    over="all pairs of words of k = sqrt(n)/10 bits",
    code=[f"{HISTOGRAMS}.distance"],
    grid=cases(Words, [(100, 1), (400, 2), (900, 3)], [(1600, 4), (2500, 5), (101, 1)]),
    kind="lemma",
)
@compared("(items, distance)")
def words(make: Callable[[int, Bits], Histogram], case: Words) -> Compared:
    for x, y in product(product((0, 1), repeat=case.bits), repeat=2):
        g, h = make(case.items, x), make(case.items, y)
        yield (sum(g), histograms.distance(g, h)), (case.items, 2 * l1(x, y)), f"n={case.items}, {x}, {y}"


@lemma(
    "PH.Thm2.step",
    """Two histograms of n items at distance 2 have a common neighbour, of n + 1 items, so that an epsilon-DP mechanism is 2
    epsilon-DP for pairs at distance 2.""",
    over="all pairs of histograms of n items at distance 2, n on the grid",
    code=[f"{HISTOGRAMS}.larger", f"{HISTOGRAMS}.are_neighbours"],
    grid=Cases((2, 4, 6), (8, 9)),
    subject=1,
    twins={"a common neighbour of n + 2 items": 2, "of n items": 0},
)
@compared("a common neighbour")
def between(more: int, n: int) -> Compared:
    for g, h in product(histograms.partitions(n), repeat=2):
        if histograms.distance(g, h) == 2:
            near = [k for k in histograms.larger(g) if histograms.are_neighbours(k, h) and sum(k) == n + more]
            yield bool(near), True, f"{g}, {h}"


class Walk(NamedTuple):
    """N items, of which k = floor(sqrt(n)/10) bits are written; and how each bit is answered, by laws on a path.

    On the path are the bit's two pairs of counts and the common neighbour between them. weights: of its three places as
    outputs, by distance; or two weights, of the true and the other pair, where the common neighbour gives both alike and is
    no output.
    """

    items: int
    weights: tuple[int, ...]

    @property
    def bits(self) -> int:
        return isqrt(self.items) // 10

    @property
    def laws(self) -> tuple[Pmf[int], Pmf[int], Pmf[int]]:
        """The output's place 0, 1, 2 on the path, by the input's."""
        if len(self.weights) == 2:
            true, other = self.weights
            return Pmf({0: true, 2: other}), Pmf({0: 1, 2: 1}), Pmf({0: other, 2: true})
        one, middle, two = (Pmf({j: self.weights[abs(i - j)] for j in range(3)}) for i in range(3))
        return one, middle, two


def _at(n: int, places: Bits) -> Histogram:
    """The histogram of these places on the paths: 1 stands for the counts 4i + 1, 4i + 3 between the two pairs."""
    word = _histogram(n, tuple(int(place > 1) for place in places), 4 * len(places) + 3)
    counts = list(word)
    for i, place in enumerate(places, 1):
        if place == 1:
            counts[counts.index(4 * i + 2)] += 1
    return histograms.checked(counts)


@theorem(
    "PH.Thm2",
    """Theorem 2, with its constant: any epsilon-DP mechanism has, for some histogram with n or n + 1 items, a mean error of at
    least 2k/(1 + e^(2 epsilon)), k = floor(sqrt(n)/10): a multiple of sqrt(n) e^(-2 epsilon).""",
    over="""n = 100 to 999, where k = 1 to 3 (in full to n = 1600, k = 4): on all words of k bits and their common neighbours,
    mechanisms that answer every bit by itself; their worst ratio of neighbours is e^epsilon""",
    code=[f"{HISTOGRAMS}.distance", "finitedp.spec.divergence.max_ratio"],
    grid=cases(
        Walk,
        [
            *((100, w) for w in product((1, 2, 5), (1, 2), (1, 3))),
            *((n, w) for n in (400, 900, 999) for w in ((3, 1), (20, 1), (5, 2, 1))),
        ],
        [
            *((n, w) for n in (150, 399) for w in product((1, 3, 10, 100), (1, 4), (1, 2))),
            *((n, w) for n in (650, 1600) for w in ((2, 1), (9, 2), (10, 3, 1))),
        ],
    ),
    subject=lambda k, r: 2 * k / (1 + r * r),
    twins={
        "k": lambda k, _: mpq(k),
        "2k / (1 + e^epsilon)": lambda k, r: 2 * k / (1 + r),
        "2k^2": lambda k, r: 2 * k * k / (1 + r * r),
        "3k": lambda k, r: 3 * k / (1 + r * r),
    },
)
def mean_error(bound: Callable[[int, mpq], mpq], case: Walk) -> Finding:
    n, k, laws = case.items, case.bits, case.laws
    ratio = max(max_ratio(laws[i], laws[j]).value for i, j in ((0, 1), (1, 0), (1, 2), (2, 1)))
    outputs = {places: _at(n, places) for places in product(range(3), repeat=k)}
    errors = []
    for word in product((0, 2), repeat=k):
        near = [(*word[:i], 1, *word[i + 1 :]) for i in range(k)]
        if not all(histograms.are_neighbours(outputs[word], outputs[places]) for places in near):
            raise ValueError(f"{word}: the middle of a path is no neighbour of its ends")
        law = joint([laws[place] for place in word])
        errors.append(expected(law.pushforward(outputs.__getitem__), partial(histograms.distance, outputs[word])))
    return largest_load("bound", [(bound(k, ratio), max(errors), f"n={n}, k={k}, ratio {ratio}")])
