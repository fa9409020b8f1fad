"""PrivHist, the running code: its worst ratio at real tables over all small histograms, and what its claims spend."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist, priv_hist_as_printed
from finitedp.impl.randomness.coins import Coins
from finitedp.numbers import decimal
from finitedp.proofs_check.claims.ph.running.scripted import replacing, worst_of
from finitedp.proofs_check.ledger.entry import Cases, Finding, but, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own, theorem

CODE = ["finitedp.impl.anonymized.priv_hist.PrivHist"]


def _w(self: PrivHist, reading: Any, total: int, coins: Coins, labels_from: int = 1) -> int:  # noqa: ANN401  # of the data
    """W, of the labels from T and so much on."""
    above = reading.at_least(self.threshold_at(total) + labels_from) + self.fakes_at(total)
    return min(int(self.parts.release(above, coins)), self.most_large_at(total))


def _large_with(number: Callable[[PrivHist, Any, int, Coins], int], raised_to: int) -> type[PrivHist]:
    """Broken: so many large counts, raised to T and so much."""

    def large(self: PrivHist, reading: Any, total: int, coins: Coins) -> list[int]:  # noqa: ANN401  # of the data
        t, w = self.threshold_at(total), number(self, reading, total, coins)
        return [t + int(self.parts.release(x - t, coins)) for x in reading.largest(w, t + raised_to)]

    return but(PrivHist, _large=large)


class Real(NamedTuple):
    """U, and epsilon 1 to 3."""

    universe: int
    epsilons: tuple[str, ...]

    def __str__(self) -> str:
        return f"U={self.universe}, epsilons {', '.join(self.epsilons)}"


def _ratio_of(mechanism: PrivHist) -> mpq:
    ratio = mechanism.claim().ratio
    if ratio is None:
        raise TypeError("the claim has no ratio")
    return ratio


def _mechanism(made: type[PrivHist], case: Real) -> PrivHist:
    first, second, *third = case.epsilons
    return made(case.universe, first, second, third[0] if third else 0, "smooth" if third else "split")


@own(
    "PH.PrivHist.private",
    """PrivHist is private for one item more or less with the product of its tables' ratios, R1 R2 in the branch split and R1
    R3 where the large counts are not read, which its claim is or is above; at 64 bits the worst ratio is below the claim by
    less than one in 10^15.""",
    over="""all pairs of neighbours in H_U, all outcomes of N and W, all outputs, at real tables of 64 bits: what the running
    code gives to each noise; U = 3, in full U = 6""",
    code=CODE[:1],
    grid=cases(
        Real,
        [(3, ("1/3", "1")), (2, ("1/10", "1", "1/3"))],
        [(4, ("1/3", "1")), (6, ("1/3", "1")), (6, ("1/10", "3/2")), (6, ("1/10", "1", "1/3"))],
    ),
    derived_from=("PH.PrivHist.law.split", "PH.PrivHist.law.smooth", "FD.Dyadic.law", "FD.Dyadic.private"),
    by="""noting which values the running code gives to which table at every outcome of N and W, and that the ratios of
    independent draws multiply""",
    subject=PrivHist,
    twins={
        "large counts raised to T": _large_with(_w, 0),
        "W for the labels from T on": _large_with(partial(_w, labels_from=0), 1),
        "as many large counts as there are": _large_with(
            lambda self, reading, total, _: reading.at_least(self.threshold_at(total) + 1), 1
        ),
        "blocks of twice the items": but(
            PrivHist, _noisy_block=lambda self, block, coins: PrivHist._noisy_block(self, min(2 * block, 2 * self.n), coins)
        ),
    },
)
def private(made: type[PrivHist], case: Real) -> Finding:
    mechanism = _mechanism(made, case)
    found, claimed = worst_of(mechanism, case.universe), _ratio_of(mechanism)
    allowed = claimed if mechanism.reads_large(1) else mechanism.items.table.ratio * mechanism.blocks.table.ratio
    if found[0] is None:
        return Finding(False, mpq(10**9), f"infinite ratio at {found[1]}, {case}")
    over = found[0] / allowed
    tight = Finding(over > 1 - mpq(1, 10**15), mpq(0), f"ratio over the claim {decimal(over, 20)} at {found[1]}, {case}")
    whole = Finding(
        compare_exp(claimed, mechanism.claim().epsilon) <= 0 and allowed <= claimed, mpq(0), f"the claim's own ratio, {case}"
    )
    return all_of([Finding(over <= 1, over, tight.detail), tight, whole])


@own(
    "PH.PrivHist.replaced",
    """PrivHist claims for a replaced item 2 epsilon and the square of its ratio for one item more or less, which is at most
    e^(2 epsilon), and no pair of histograms of which one is the other with an item replaced has a larger ratio.""",
    over="""all such pairs in H_U, all outcomes of N and W, all outputs, at real tables of 64 bits: what the running code gives
    to each noise; U = 3, in full U = 5""",
    code=[f"{CODE[0]}.replace_one_claim"],
    grid=cases(Real, [(3, ("1/20", "1")), (2, ("1/10", "1", "1/3"))], [(5, ("1/3", "1")), (4, ("1/10", "3/2"))]),
    derived_from=("PH.PrivHist.law.split", "PH.PrivHist.law.smooth", "FD.Dyadic.law", "FD.Dyadic.private"),
    by="""noting which values the running code gives to which table at every outcome of N and W, and that the ratios of
    independent draws multiply""",
    subject=PrivHist,
    twins={
        "the ratio not squared": but(
            PrivHist, replace_one_claim=lambda self: evolve(PrivHist.replace_one_claim(self), ratio=self.claim().ratio)
        ),
        "the claim of one item more": but(
            PrivHist, replace_one_claim=lambda self: evolve(self.claim(), neighbours="replace-one")
        ),
    },
)
def replaced(made: type[PrivHist], case: Real) -> Iterator[Finding]:
    mechanism = _mechanism(made, case)
    found, claim, epsilon = worst_of(mechanism, case.universe, replacing), mechanism.replace_one_claim(), mechanism.epsilon
    stated = claim.epsilon, claim.neighbours, claim.delta, claim.ratio
    yield equal(stated, (2 * epsilon, "replace-one", 0, _ratio_of(mechanism) ** 2), "what is claimed")
    yield equal(compare_exp(_ratio_of(mechanism) ** 2, 2 * epsilon) <= 0, True, f"the ratio within 2 epsilon, {case}")
    yield at_most(10**9 if found[0] is None else found[0], claim.ratio or mpq(0), f"ratio at {found[1]}, {case}:")


@theorem(
    "PH.Thm1.claim",
    """PrivHist as printed, with thirds of epsilon, is epsilon-DP; where epsilon > 1 the last third is not spent and the claim
    is 2 epsilon/3. The better splits, .05 and .95, or .1, .2 and .7, spend exactly epsilon.""",
    over="U and epsilon on the grid; R1 R2 (R3) <= e^claimed, by rigorous comparison",
    code=["finitedp.impl.anonymized.priv_hist.priv_hist", "finitedp.impl.anonymized.priv_hist.priv_hist_as_printed"],
    grid=Cases([(10, "1/2"), (1000, "3"), (50, "1/100")], [(7 * 10**7, "1/10"), (10**6, "1/100"), (50, "20")]),
    derived_from=("PH.Thm1.split", "PH.Thm1.smooth", "PH.PrivHist.law.split", "PH.PrivHist.law.smooth", "FD.Dyadic.private"),
    by="the product of the tables' ratios, each of which is below e^epsilon of its share",
    subject=(priv_hist_as_printed, priv_hist),
    twins={
        "epsilon in every step": (
            lambda n, e: PrivHist(n, e, e, e, "smooth"),
            lambda n, e: PrivHist(n, e, e, 0, "split"),
        ),
        "two thirds in the branch smooth": (
            lambda n, e: PrivHist(n, mpq(e) / 3, mpq(e) / 3, 0, "split"),
            lambda n, e: PrivHist(n, mpq(e) / 20, mpq(e), 0, "split"),
        ),
    },
)
def spent(made: tuple[Callable[[int, str], PrivHist], Callable[[int, str], PrivHist]], case: tuple[int, str]) -> Finding:
    n, epsilon = case
    printed, better = (make(n, epsilon) for make in made)
    e = mpq(epsilon)
    below = [compare_exp(_ratio_of(mechanism), mechanism.claim().epsilon) <= 0 for mechanism in (printed, better)]
    return equal(
        (printed.claim().epsilon, better.claim().epsilon, below), (2 * e / 3 if e > 1 else e, e, [True, True]), "claims"
    )
