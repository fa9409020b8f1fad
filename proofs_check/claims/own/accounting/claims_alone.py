"""Claims alone, our own: the worst release that a ratio and a delta allow, and what so many of them cost together."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from math import isqrt
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.curve import pair_of_claim
from finitedp.exact import log_bounds
from finitedp.impl.accounting.composing import Composition, compose
from finitedp.proofs_check.claims.own.accounting.subjects import Atoms, atoms_of, dominated
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import at_most, equal, in_turn, own
from finitedp.proofs_check.ledger.grids import small_laws
from finitedp.spec import accounting as spec
from finitedp.spec.accounting import Atom
from finitedp.spec.divergence import hockey_stick

SPEC = ["finitedp.spec.accounting.dominates", "finitedp.spec.accounting.delta"]
COMPOSE = ["finitedp.impl.accounting.composing.compose", "finitedp.impl.accounting.composing.Composition"]


class Allowed(NamedTuple):
    """A worst ratio and a delta."""

    ratio: str
    delta: str

    def check_scope(self) -> None:
        in_scope(mpq(self.ratio) >= 1 and 0 <= mpq(self.delta) <= 1, "a ratio of at least 1, delta in [0, 1]")


SMALL_LAWS = small_laws(3, 5)


def _of_claim(ratio: mpq, delta: mpq) -> Atoms:
    return atoms_of(pair_of_claim(ratio, delta))


def _on_p_alone(ratio: mpq, delta: mpq) -> Atoms:
    """Delta where Q has nothing; what P has nothing of is where Q has more."""
    high, low = (1 - delta) * ratio / (ratio + 1), (1 - delta) / (ratio + 1)
    return [Atom(delta, mpq(0)), Atom(high, low), Atom(low, high + delta)]


@own(
    "FD.Pair.pure",
    """Randomized response of ratio R, and a mass of delta where one of both laws has nothing, dominates every pair of laws
    that is (ln R, delta)-indistinguishable in both directions, at every gamma >= 0, and is such a pair itself, with
    no delta to spare.""",
    over="all pairs of laws on three outputs with the denominator 5; all gamma >= 0",
    code=["finitedp.curve.pair_of_claim", *SPEC],
    grid=cases(
        Allowed,
        [("1", "0"), ("1", "1/5"), ("2", "0"), ("3/2", "1/10"), ("4", "1/5"), ("3", "2/5"), ("2", "1"), ("1", "1")],
        [("5/2", "0"), ("11/10", "1/3"), ("10", "1/7"), ("4", "0"), ("1", "2/5"), ("3/2", "3/5")],
    ),
    subject=_of_claim,
    twins={
        "without delta": lambda ratio, _delta: _of_claim(ratio, mpq(0)),
        "delta where Q has nothing alone": _on_p_alone,
        "the ratio's half way to 1": lambda ratio, delta: _of_claim((ratio + 1) / 2, delta),
        "R^2": lambda ratio, delta: _of_claim(ratio**2, delta),
    },
)
def pure(make: Callable[[mpq, mpq], Atoms], case: Allowed) -> Finding:
    ratio, delta = mpq(case.ratio), mpq(case.delta)
    pair = make(ratio, delta)
    allowed = (
        spec.of_laws(p, q)
        for p, q in product(SMALL_LAWS, repeat=2)
        if max(hockey_stick(p, q, ratio).delta, hockey_stick(q, p, ratio).delta) <= delta
    )
    own = [spec.delta(of, ratio) for of in (pair, spec.mirrored(pair))]
    return in_turn([dominated(pair, allowed), equal(own, [delta, delta], "its own delta, both ways")])


# So many of them


class Equal(NamedTuple):
    """So many claims of one ratio and delta."""

    times: int
    ratio: str
    delta: str

    def check_scope(self) -> None:
        in_scope(1 <= self.times <= 10_000, "1 to 10,000 releases")
        in_scope(1 < mpq(self.ratio) <= 50 and 0 <= mpq(self.delta) < 1, "a ratio above 1, up to 50; delta in [0, 1)")

    @property
    def claim(self) -> PrivacyClaim:
        ratio = mpq(self.ratio)
        return PrivacyClaim(log_bounds(ratio)[1], "counts", mpq(self.delta), ratio)


def _claims(case: Equal) -> Composition:
    return compose([(case.claim, case.times)])


def _other(change: Callable[[Equal], Equal]) -> Callable[[Equal], Composition]:
    return lambda case: _claims(change(case))


@cache
def _known(case: Equal, i: int) -> mpq:
    return spec.kairouz_oh_viswanath(case.times, case.ratio, case.delta, i)


@own(
    "FD.Compose.kov",
    """Equal claims (ln R, delta) alone compose as Kairouz, Oh and Viswanath's theorem says: at R^(k - 2 i) their delta is
    between both bounds, which differ by at most 10^-6 of it, or 2^-24 k ln R.""",
    over="1 to 1000 claims (in full to 10,000), R from 1.001 to 20, i = 0, k/2 and some between; ln R from both sides",
    code=[*COMPOSE, "finitedp.spec.accounting.kairouz_oh_viswanath"],
    grid=cases(
        Equal,
        [(1, "2", "0"), (2, "3/2", "1/10"), (7, "20", "0"), (100, "11/10", "1/1000000"), (1000, "27/20", "0")],
        [(3, "101/100", "1/2"), (1000, "1001/1000", "1/10000000"), (50, "5/2", "0"), (10_000, "101/100", "0")],
    ),
    subject=_claims,
    twins={
        "one release less": _other(lambda case: case._replace(times=max(case.times - 1, 1))),
        "one release more": _other(lambda case: case._replace(times=case.times + 1)),
        "R^2 for R": _other(lambda case: case._replace(ratio=str(mpq(case.ratio) ** 2))),
        "delta forgotten": _other(lambda case: case._replace(delta="0")),
        "the count is ignored": _other(lambda case: case._replace(times=1)),
    },
)
def kov(make: Callable[[Equal], Composition], case: Equal) -> Iterator[Finding]:
    together, k = make(case), case.times
    for i in sorted({0, k // 2, max(k // 2 - 1, 0), max(k // 2 - isqrt(k), 0), k // 4}):
        near = k * log_bounds(mpq(case.ratio), 128)[1] / (1 << 24)
        yield from _between(together, mpq(case.ratio) ** (k - 2 * i), _known(case, i), near)


def _between(together: Composition, gamma: mpq, exact: mpq, near: mpq) -> Iterator[Finding]:
    """Whether delta at gamma is between the bounds, at both ends of an enclosure of ln gamma, and these near each other."""
    before, behind = log_bounds(gamma, 128)
    most, least = together.delta(before)[1], together.delta(behind)[0]
    yield at_most(least, exact, "lower bound")
    yield equal(exact <= most, True, f"delta at {gamma} is below the upper bound")
    yield at_most(most - least, max(exact * mpq(1, 10**6), near), "gap")
