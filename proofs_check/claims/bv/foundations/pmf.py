"""Section 2.3 of Balcer and Vadhan: distributions (2.8), order statistics (2.11), inverse transform sampling (2.12, 2.13)."""

from collections.abc import Callable, Iterator
from itertools import product

from gmpy2 import mpq

from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding
from finitedp.proofs_check.ledger.findings import all_of, definition, equal, lemma, same_law
from finitedp.proofs_check.ledger.grids import LAWS, small_laws
from finitedp.spec import order_statistics
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint


def _cdf(law: Pmf[int], z: int) -> mpq:
    return next((mass for x, mass in reversed(law.cdf().items()) if x <= z), mpq(0))


@definition(
    "BV.Def2.8",
    "Probability mass function, cumulative distribution function Pr[Z <= z] and support of an integer random variable.",
    over="all laws; every z from below to above the support",
    code=["finitedp.spec.pmf.Pmf"],
    grid=Cases(lambda: [*LAWS.of("quick"), Pmf({3: 1, 4: 1, 5: 1})], lambda: LAWS.of("full")),
    subject=_cdf,
    twins={"Pr[Z < z]": lambda law, z: _cdf(law, z - 1)},
)
def distribution(cdf: Callable[[Pmf[int], int], mpq], law: Pmf[int]) -> Finding:
    points = range(min(law) - 3, max(law) + 4)
    findings = [equal(cdf(law, z), sum((law[x] for x in points if x <= z), mpq(0)), f"F({z})") for z in points]
    findings.append(equal({z for z in points if law[z] != 0}, set(law.support), "support"))
    return all_of(findings)


@definition(
    "BV.Def2.11",
    """The i-th order statistic is the i-th smallest value: it is at most z exactly when at least i of the values are. The law
    from sorting agrees with the count of values that are at most z.""",
    over="all triples of laws on three outcomes; i = 1, 2, 3",
    code=["finitedp.spec.order_statistics.order_statistic"],
    grid=Cases(lambda: product(small_laws(3, 2), repeat=3), lambda: product(small_laws(3, 3), repeat=3)),
    subject=order_statistics.order_statistic,
    twins={"counted from the largest": lambda laws, i: order_statistics.order_statistic(laws, len(laws) + 1 - i)},
)
def order_statistic(of: Callable[[tuple[Pmf[int], ...], int], Pmf[int]], laws: tuple[Pmf[int], ...]) -> Finding:
    together = joint(laws)
    findings = []
    for i, z in product((1, 2, 3), range(3)):
        literal = together.probability(lambda x, i=i, z=z: sum(v <= z for v in x) >= i)  # type: ignore[misc]
        findings.append(equal(_cdf(of(laws, i), z), literal, f"F({z}) of statistic {i}"))
    return all_of(findings)


@lemma(
    "BV.Lem2.12",
    """Inverse transform sampling: the least z of the support with F(z) >= U, for U uniform on (0, 1], has the law of Z. The
    quantile depends on U only through comparisons with the values of F, so it is constant between them.""",
    over="all laws; each interval between values of F by an inner point and its right end",
    code=["finitedp.spec.pmf.Pmf.quantile"],
    grid=LAWS,
    subject=lambda law, level: law.quantile(level),
    twins={"F(z) > U": lambda law, level: next((x for x, mass in law.cdf().items() if mass > level), max(law))},
)
def inverse_transform(quantile: Callable[[Pmf[int], mpq], int], law: Pmf[int]) -> Iterator[Finding]:
    below = mpq(0)
    for z, mass in law.cdf().items():
        for level in ((below + mass) / 2, mass):
            yield equal(quantile(law, level), z, f"quantile at {level}")
        below = mass


def _scaled(law: Pmf[int], z: int) -> int:
    return int(_cdf(law, z) * law.total)


@lemma(
    "BV.Lem2.13",
    """Inverse transform sampling with one uniform integer: if F has denominator d, the least z with d F(z) >= U, for U uniform
    on 1..d, has the law of Z. Checked on the running binary search.""",
    over="all laws; the exact law by the explorer",
    code=["finitedp.impl.arithmetic.kernels.least_reaching", "finitedp.spec.pmf.Pmf.cdf"],
    grid=LAWS,
    subject=lambda law, coins: least_reaching(lambda z: _scaled(law, z), max(law), coins.uniform(law.total)),
    twins={
        "a draw from 0..d-1": lambda law, coins: least_reaching(
            lambda z: _scaled(law, z), max(law), coins.uniform(law.total) - 1
        )
    },
)
def discrete_inverse_transform(sample: Callable[[Pmf[int], Coins], int], law: Pmf[int]) -> Finding:
    return same_law(explore(lambda coins: sample(law, coins)).law(), law, "sampled")
