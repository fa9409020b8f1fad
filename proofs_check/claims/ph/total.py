"""Step 1, Lemmas 2 and 7, and what Section D says of N, the noisy number of items."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.subjects import SPEC, clamped_geometric, error_of_total, expected, small
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, equal, lemma, same_law
from finitedp.spec.anonymized import histograms, priv_hist
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf

CODE = [f"{SPEC}.priv_hist.total_law"]


def _two_points(a: int, b: int) -> Pmf[int]:
    """-a and b with mean 0: every law on integers with mean 0 is a mixture of such laws."""
    return Pmf.point(0) if a == 0 or b == 0 else Pmf({-a: b, b: a})


def _square(law: Pmf[int]) -> mpq:
    return expected(law, lambda z: z * z)


@lemma(
    "PH.Lem2.i",
    "For n >= 0 and any random Z, Y = max(n + Z, 0) satisfies E|Y - n| <= E|Z|.",
    over="n on the grid; all points z from -n-3 to 6, and with that all laws on them",
    reach="every law on the points looked at, since both sides are linear in it; each n of the grid",
    code=CODE,
    grid=Cases((0, 1, 2, 5), (9, 30)),
    subject=lambda n, z: max(n + z, 0),
    twins={"2Z for Z": lambda n, z: max(n + 2 * z, 0), "at least 1": lambda n, z: max(n + z, 1)},
)
def clamped_is_nearer(clamp: Callable[[int, int], int], n: int) -> Finding:
    points = range(-2 * n - 3, 7)
    return largest_load("|Y - n|", ((abs(clamp(n, z) - n), abs(z), f"n={n}, Z={z}") for z in points))


Centred = list[tuple[int, Pmf[int]]]


def _inverse_mean(n: int, law: Pmf[int]) -> mpq:
    return expected(law, lambda z: mpq(1, n + z) if n + z > 0 else 0)


def _centred(n: int) -> Centred:
    return [(n, _two_points(a, b)) for a, b in product(range(n + 3), range(8))]


@erratum(
    "PH.Lem2.ii",
    "Lemma 2 as printed, for integer Z of mean 0 and n >= 1: E[1{Y > 0}/Y] <= 1/n + E[Z^2]/(2n^2), where Y = max(n + Z, 0).",
    """Lemma 2, corrected for integer Z of mean 0 and n >= 1: E[1{Y > 0}/Y] <= 1/n + E[Z^2]/n^2. The factor 1/2 needs Y >= 2
    wherever Y is above 0.""",
    as_printed=("E[Z^2] / (2 n^2)", lambda n, law: mpq(1, n) + _square(law) / (2 * n * n)),
    subject=lambda n, law: mpq(1, n) + _square(law) / n**2,
    twins={
        "3/4 of E[Z^2] / n^2": lambda n, law: mpq(1, n) + 3 * _square(law) / (4 * n * n),
        "E|Z| / n^2": lambda n, law: mpq(1, n) + expected(law, abs) / (n * n),
    },
    over="n on the grid; all integer laws of mean 0 on -n-2..n+2 or on -n-2..7, through those on two points",
    code=CODE,
    grid=Cases((1, 2, 3, 6), (10, 40)),
    kind="lemma",
)
def inverse_moment(bound: Callable[[int, Pmf[int]], mpq], n: int) -> Finding:
    laws = _centred(n) + [(n, _two_points(a, b)) for a, b in product(range(1, n + 3), (10 * n, 1000 * n))]
    return largest_load("E[1/Y; Y > 0]", ((_inverse_mean(m, law), bound(m, law), f"n={m}, Z: {law!r}") for m, law in laws))


@lemma(
    "PH.Lem2.mean",
    """Lemma 2, what it needs of Z, with the factor of PH.Lem2.ii: for n >= 1 and integer Z with E Z >= 0 (the sentence before
    it says mean 0), Y = max(n + Z, 0) has E[1{Y > 0}/Y] <= 1/n + E[Z^2]/n^2; with E Z < 0 it need not.""",
    subject=lambda n: [(n, Pmf.point(z)) for z in range(n + 1)] + _centred(n),
    twins={
        "any Z": lambda n: [(n, Pmf.point(-z)) for z in range(n + 1)],
        "E Z >= -1": lambda n: [(n, Pmf.point(-1))] if n > 1 else [(n, Pmf({-1: 1, 0: 1}))],
    },
    over="n on the grid; constant Z, and Z on two points with mean 0",
    code=CODE,
    grid=Cases((2, 3, 6), (10, 40)),
)
def centred(laws: Callable[[int], Centred], n: int) -> Finding:
    found = ((_inverse_mean(m, law), mpq(1, m) + _square(law) / m**2, f"n={m}, Z: {law!r}") for m, law in laws(n))
    return largest_load("E[1/Y; Y > 0]", found)


@erratum(
    "PH.Eq4",
    """(4) as printed: 1/Y = 1/n + (n - Y)/n^2 + (n - Y)^2/(n^2 Y) <= 1/n + (n - Y)/n^2 + (n - Y)^2/(2 n^2) for integers Y, n
    >= 1.""",
    """(4), corrected in the last term: 1/Y = 1/n + (n - Y)/n^2 + (n - Y)^2/(n^2 Y) <= 1/n + (n - Y)/n^2 + (n - Y)^2/n^2 for
    integers Y, n >= 1; with the printed (n - Y)^2/(2 n^2) it holds for Y >= 2 and for Y = n.""",
    as_printed=("(n - Y)^2 / (2 n^2)", lambda n, y: mpq((n - y) ** 2, 2 * n * n)),
    subject=lambda n, y: mpq((n - y) ** 2, n * n),
    twins={"(n - Y)^2 / (n^2 (Y + 1))": lambda n, y: mpq((n - y) ** 2, n * n * (y + 1))},
    over="n on the grid, Y = 1..3n",
    code=CODE,
    grid=Cases((1, 2, 3, 7), (20, 100)),
    kind="lemma",
)
@bounded("last term")
def expansion(last: Callable[[int, int], mpq], n: int) -> Bounded:
    for y in range(1, 3 * n + 1):
        exact = mpq(1, n) + mpq(n - y, n * n) + mpq((n - y) ** 2, n * n * y)
        yield abs(exact - mpq(1, y)), mpq(0), f"equality at n={n}, Y={y}"
        yield mpq((n - y) ** 2, n * n * y), last(n, y), f"n={n}, Y={y}"


# N


def _noise(decay: mpq, universe: int) -> priv_hist.Noise:
    return lambda value: clamped_geometric(decay, value, 0, universe)


Make = Callable[[mpq, int], Callable[[Histogram], Pmf[int]]]
STEP1 = cases(lambda *x: x, product((mpq(1, 2), mpq(9, 10)), (2, 5)), product((mpq(1, 7), mpq(99, 100)), (7, 8)))


def _total(decay: mpq, universe: int) -> Callable[[Histogram], Pmf[int]]:
    return lambda h: priv_hist.total_law(h, _noise(decay, universe))


TOTAL_TWINS = {
    "the number of labels": lambda decay, universe: lambda h: _noise(decay, universe)(len(h)),
    "twice the number of items": lambda decay, universe: lambda h: _noise(decay, 2 * universe)(2 * histograms.items(h)),
    "noise of scale 2": lambda decay, universe: lambda h: _noise(decay**2, universe)(histograms.items(h)),
}


@algorithm(
    "PH.step1",
    "N = max(n + Z, 0) with double geometric Z; in the finite form n + Z is clamped to 0..U.",
    over="all histograms of H_U; decay and U on the grid",
    code=CODE,
    grid=STEP1,
    subject=_total,
    twins=TOTAL_TWINS,
)
def number_of_items(make: Make, case: tuple[mpq, int]) -> Iterator[Finding]:
    decay, universe = case
    law = make(decay, universe)
    yield from (same_law(law(h), geometric_mechanism(universe, decay, sum(h)), f"N at {h}") for h in small(universe))


@lemma(
    "PH.Lem7",
    "N is epsilon_1-DP: the worst ratio over all pairs of neighbours is exactly e^epsilon_1 = 1/a.",
    over="all pairs of neighbours in H_U; all outputs",
    code=CODE,
    grid=STEP1,
    subject=_total,
    twins={name: TOTAL_TWINS[name] for name in ("twice the number of items", "noise of scale 2")}
    | {"the largest count": lambda decay, universe: lambda h: _noise(decay, universe)(sum(x * x for x in h) % (universe + 1))},
)
def private_total(make: Make, case: tuple[mpq, int]) -> Finding:
    decay, universe = case
    law = make(decay, universe)
    worst = max(max_ratio(law(g), law(h)).value for g, h in histograms.neighbouring_histograms(universe))
    return equal(worst, 1 / decay, "worst ratio")


@lemma(
    "PH.SecD.lost",
    """The error where N = 0: E[n 1{N <= 0}] = n a^n/(1 + a) <= n e^(-n epsilon_1), at most 1/(2 epsilon_1), and at most
    e^(-epsilon_1/2) 4/3 as long as epsilon_1 >= 1/3 (the low-privacy regime); the printed bound by e^(-epsilon_1/2) up to a
    constant is for that regime alone.""",
    over="epsilon_1 = 1/q on the grid and n to 12q, compared as powers; q = 1..3 with the constant",
    code=CODE,
    grid=Cases((1, 2, 3, 10), (30, 100)),
    subject=(lambda n, q: (mpq(n, q) * 2, mpq(n, q)), True),
    twins={
        "n^2 for n": (lambda n, q: (mpq(n * n, q) * 2, mpq(n, q)), True),
        "half of epsilon_1": (lambda n, q: (mpq(n, q) * 2, mpq(n, 2 * q)), True),
        "the constant in both regimes": (lambda n, q: (mpq(n, q) * 2, mpq(n, q)), False),
    },
)
def lost(case: tuple[Callable[[int, int], tuple[mpq, mpq]], bool], q: int) -> Iterator[Finding]:
    made, low_only = case
    for n in range(1, 12 * q):
        factor, exponent = made(n, q)
        holds = compare_exp(factor, exponent) <= 0  # n e^(-n/q) <= q/2
        constant = (low_only and q > 3) or compare_exp(mpq(3 * n, 4), mpq(n, q) - mpq(1, 2 * q)) <= 0
        yield equal((holds, constant), (True, True), f"epsilon_1=1/{q}, n={n}")


class Total(NamedTuple):
    """N items, and the decay of the noise."""

    n: int
    decay: mpq

    def check_scope(self) -> None:
        in_scope(self.n >= 0 and 0 < self.decay < 1, "n >= 0 and a decay between 0 and 1")


@lemma(
    "PH.SecD.total",
    "E|N - n| <= E|Z| = 1/sinh(epsilon_1): Lemma 2 and the moments of Appendix A.",
    over="n and decays on the grid; the exact mean on 0..infinity",
    code=CODE,
    grid=cases(Total, product((0, 1, 3), (mpq(1, 2), mpq(9, 10))), product((7, 20), (mpq(1, 3), mpq(99, 100)))),
    subject=lambda decay: 2 * decay / (1 - decay**2),
    twins={"one side": lambda decay: decay / (1 - decay**2), "the mean 0": lambda _: mpq(0)},
)
def mean_error(allowed: Callable[[mpq], mpq], case: Total) -> Finding:
    n, decay = case
    return largest_load("E|N - n|", [(error_of_total(decay, n), allowed(decay), f"n={n}, decay {decay}")])
