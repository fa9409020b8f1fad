"""Privacy in Theorems 3 to 6 and Corollaries 2 and 3 of the paper on flexible accuracy: whether delta falls as n grows."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.fa.subjects import worst_delta
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most
from finitedp.spec.flexible import statistics as spec
from finitedp.spec.flexible.literal import Histogram, Scale, at_least_exp_of_2, claimed_delta, shifted_truncated
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint

LITERAL = "finitedp.spec.flexible.literal"


class Growing(NamedTuple):
    """e^epsilon, tau, the bar in which neighbours have a row more, and histograms of buckets of more and more rows."""

    scale: Scale
    tau: mpq
    bar: int
    histograms: tuple[Histogram, ...]

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        bars = {len(x) for x in self.histograms}
        in_scope(len(bars) == 1 and 0 <= self.bar < max(bars), "histograms of the same bars, of which one has a row more")
        in_scope(min(map(min, self.histograms)) >= 0, "counts of at least 0")
        in_scope(self.scale.root > 1 and self.scale.parts >= 1 and 0 < self.tau <= 1, "epsilon > 0 and tau in (0, 1]")
        in_scope(self.scale.parts % 2 == 0, "e^(epsilon/2) is rational")
        for x in self.histograms:
            q = self.tau * sum(x)
            in_scope((q * self.scale.parts / 2).denominator == 1, "e^(epsilon q/2) is rational")
            in_scope(at_least_exp_of_2(q, self.scale), "epsilon q >= 2")

    def larger(self, x: Histogram) -> Histogram:
        """The neighbour with a row more."""
        return tuple(count + (i == self.bar) for i, count in enumerate(x))


SIXTEEN, NEAR_3_HALVES, LARGE = Scale(mpq(2), 4), Scale(mpq(9, 8), 4), Scale(mpq(2), 8)
HALF, QUARTER = mpq(1, 2), mpq(1, 4)
ONE_SIZE = cases(
    Growing,
    [
        (NEAR_3_HALVES, HALF, 2, ((3, 5, 1),)),
        (SIXTEEN, HALF, 0, ((3, 3, 3),)),
        (SIXTEEN, HALF, 1, ((2, 2), (4, 4))),
        (SIXTEEN, HALF, 1, ((1, 2, 3), (2, 4, 6))),
    ],
    [
        (SIXTEEN, HALF, 1, ((1, 2, 3, 3),)),
        (SIXTEEN, HALF, 1, ((0, 3, 3, 3),)),
        (NEAR_3_HALVES, HALF, 0, ((4, 5), (8, 10), (16, 20))),
    ],
)


def _equal(*sizes: int) -> Growing:
    return Growing(LARGE, QUARTER, 0, tuple((n, n, n) for n in sizes))


def _four(*sizes: int) -> Growing:
    """A full bar and three about q/2 = 4j + 1/2: the first that is occupied from above is the maximum."""
    return Growing(LARGE, QUARTER, 1, tuple((20 * j + 2, 4 * j, 4 * j + 1, 4 * j + 1) for j in sizes))


EQUAL, FOUR = [_equal(12), _equal(12, 20)], [_four(1, 2, 4)]
Width = Callable[[Growing, Histogram], Callable[[int], mpq]]


class Noise(NamedTuple):
    """The range of the noise as a function of |x|; and whether delta is compared with the claimed one, or only must fall."""

    width: Width
    exact: bool = True


PRINTED = Noise(lambda case, _x: lambda size: case.tau * size, exact=False)
PUBLIC = Noise(lambda case, x: lambda _: case.tau * sum(x))
BY_PARITY = Noise(lambda case, x: lambda size: case.tau * sum(x) * (size % 2))
Release = Callable[[Histogram, Callable[[int], mpq], Scale], Pmf[Any]]


def _bars(x: Histogram, width: Callable[[int], mpq], scale: Scale) -> Pmf[Any]:
    return shifted_truncated(x, width, scale)


def _occupied(x: Histogram, width: Callable[[int], mpq], scale: Scale) -> Pmf[Histogram]:
    """Algorithm 1, where it is only seen which bars are occupied: 1 for those that are."""
    q = width(sum(x))
    return joint([shifted_truncated((c,), lambda _: q, scale).pushforward(lambda y: int(y[0] > 0)) for c in x])


def _falls(release: Release, noise: Noise, case: Growing) -> Finding:
    """Delta is at most what is claimed, where that is compared; else it is at most half from one size to the next."""
    found, findings = list[tuple[mpq, str]](), list[Finding]()
    for x in case.histograms:
        width = noise.width(case, x)
        p, q = (release(z, width, case.scale) for z in (x, case.larger(x)))
        delta, where = worst_delta(p, q, case.scale.ratio), f"{x} and {case.larger(x)}, e^epsilon {case.scale.ratio}"
        found.append((delta, where))
        if noise.exact:
            findings.append(at_most(delta, claimed_delta(case.tau * sum(x), case.scale), f"delta of {where}:"))
    for (before, _), (delta, where) in pairwise(found) if not noise.exact else ():
        findings.append(at_most(delta, before / 2, f"delta of {where}, against half of that of fewer rows:"))
    return all_of(findings) if findings else Finding(True, mpq(0), "one size: nothing is said of growth")


def _printed(of: str, mechanism: str) -> str:
    return f"""{of}, privacy, with noise of the range q = tau |x| as printed: where epsilon q >= 2, {mechanism} is (epsilon,
    epsilon e^(-Omega(epsilon tau n)))-DP, so that delta falls to 0 as n grows."""


def _corrected(of: str, mechanism: str) -> str:
    return f"""{of}, privacy, for noise of a public range q = tau n, the same for every histogram: where epsilon q >= 2,
    {mechanism} is (epsilon, delta)-DP with delta = (e^epsilon - 1)/(2 (e^(epsilon q/2) - 1)), which falls exponentially as n
    grows."""


def _texts(of: str, mechanism: str) -> tuple[str, str]:
    return _printed(of, mechanism), _corrected(of, mechanism)


def _grid(growing: list[Growing], more: list[Growing]) -> dict[str, Any]:
    return {"grid": Cases([*ONE_SIZE.of("quick"), *growing], [*ONE_SIZE.of("full"), *more])}


MORE: dict[str, Any] = {
    "as_printed": ("q = tau |x|", PRINTED),
    "subject": PUBLIC,
    "twins": {"no noise for an even number of rows": BY_PARITY},
    "kind": "theorem",
    "code": [f"{LITERAL}.shifted_truncated", f"{LITERAL}.claimed_delta"],
}
OVER_ALL = """tau = 1/2 and a few rows; e^epsilon = 256, tau = 1/4 and three bars of 12 and 20 rows (36 in full); delta at the
smaller |x|, where it is larger; of the printed range whether it is at most half of that of fewer rows"""
OVER_OCCUPIED = """tau = 1/2 and a few rows; e^epsilon = 256, tau = 1/4 and four bars of 36, 68 and 132 rows together (516 in
full); delta at the smaller |x|, where it is larger; of the printed range whether it is at most half of that of fewer rows"""
ALL = MORE | {"over": OVER_ALL} | _grid(EQUAL, [_equal(12, 20, 36)])
PART = MORE | {"over": OVER_OCCUPIED} | _grid(FOUR, [_four(1, 2, 4, 8, 16)])


@erratum("FA.Thm3.i", *_texts("Theorem 3", "Algorithm 1"), **ALL)
@erratum("FA.Thm4.i", *_texts("Theorem 4", "Algorithm 3"), **ALL)
@erratum("FA.Thm5.i", *_texts("Theorem 5", "any statistic of Algorithm 3"), **ALL)
@erratum("FA.Thm6.i", *_texts("Theorem 6", "any statistic of Algorithm 3"), **ALL)
def private_histogram(noise: Noise, case: Growing) -> Finding:
    return _falls(_bars, noise, case)


def _of(statistic: Callable[[Histogram], Any]) -> Release:
    return lambda x, width, scale: _occupied(x, width, scale).pushforward(statistic)


@erratum("FA.Cor2.i", *_texts("Corollary 2", "the maximum of Algorithm 3"), **PART)
def private_maximum(noise: Noise, case: Growing) -> Finding:
    return _falls(_of(spec.maximum), noise, case)


@erratum("FA.Cor3.i", *_texts("Corollary 3", "the support of Algorithm 3"), **PART)
def private_support(noise: Noise, case: Growing) -> Finding:
    return _falls(_of(spec.support), noise, case)
