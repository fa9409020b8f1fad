"""Section 3 of Balcer and Vadhan (3.1, 3.2): mixing with a fixed law turns a small statistical distance into pure privacy."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product, starmap
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import RationalLike
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, lemma, same_law
from finitedp.proofs_check.ledger.grids import small_laws
from finitedp.spec import mixing
from finitedp.spec.divergence import max_ratio, total_variation
from finitedp.spec.pmf import Pmf


class Mixture(NamedTuple):
    """A base law and an alternative law on 0, 1, 2 and gamma = 1/g."""

    base: Pmf[int]
    alternative: Pmf[int]
    g: int


def _mixtures(total: int, denominators: tuple[int, ...]) -> list[Mixture]:
    return [Mixture(p, q, g) for p, q in product(small_laws(3, total), repeat=2) for g in denominators]


MIXTURES = Cases(lambda: _mixtures(3, (1, 2, 5)), lambda: _mixtures(4, (1, 2, 3, 7, 100)))


def draw(law: Pmf[int], coins: Coins) -> int:
    """A draw from a small law, by one comparison for each outcome: the sampler that the checks mix."""
    u, mass, found = coins.uniform(law.total), 0, 0
    for x in sorted(law):
        found = x if u > mass else found
        mass += law.weight(x)
    return found


def mixed(case: Mixture) -> Callable[[Coins], int]:
    """The mechanism of finitedp.impl.histograms.mixing over the two samplers."""
    mechanism: Mixed[Pmf[int], int] = Mixed(draw, lambda coins: draw(case.alternative, coins), mpq(1, case.g))
    return lambda coins: mechanism.release(case.base, coins)


def mixed_backwards(case: Mixture) -> Callable[[Coins], int]:
    """Broken: the base with probability gamma."""
    swapped = Mixture(case.alternative, case.base, case.g)
    return mixed(swapped)


def mixed_off_by_one(case: Mixture) -> Callable[[Coins], int]:
    """Broken: the alternative with probability 2 gamma."""

    def release(coins: Coins) -> int:
        base, alternative = draw(case.base, coins), draw(case.alternative, coins)
        return alternative if coins.uniform(case.g) <= 2 else base

    return release


def mixed_lazily(case: Mixture) -> Callable[[Coins], int]:
    """The right law in the wrong way: only the output that is kept is drawn, so that the cost tells which it was."""

    def release(coins: Coins) -> int:
        return draw(case.alternative if coins.uniform(case.g) <= 1 else case.base, coins)

    return release


Subject = Callable[[Mixture], Callable[[Coins], int]]

about = partial(entry, code=["finitedp.impl.histograms.mixing.Mixed"], grid=MIXTURES, subject=mixed)


@about(
    "BV.Alg3.1",
    "algorithm",
    "M* releases M'(D) with probability 1 - gamma and otherwise a draw from a fixed law: the running code has that law.",
    over="all pairs of laws on three outcomes, several gamma; the exact law by the explorer",
    code=["finitedp.impl.histograms.mixing.Mixed", "finitedp.spec.mixing.mixed"],
    twins={"gamma for 1 - gamma": mixed_backwards, "2 gamma": mixed_off_by_one},
)
def mixing_law(subject: Subject, case: Mixture) -> Finding:
    expected = mixing.mixed(case.base, case.alternative, mpq(1, case.g))
    return same_law(explore(subject(case)).law(), expected, "mixed")


class Adversary(NamedTuple):
    """The hardest case for Lemma 3.2: randomised response with ratio r, and a mixing law that gives output 0 little mass.

    The approximation moves the distance that (3.1) allows onto output 0 on one dataset, and off it on the other.
    """

    ratio: mpq
    gamma: mpq
    least: mpq

    @property
    def has_room(self) -> bool:
        """Whether randomised response has more mass to move than (3.1) allows."""
        return mixing.largest_distance(*self) < 1 / (self.ratio + 1)

    def check_scope(self) -> None:
        in_scope(self.ratio > 1, "epsilon > 0")
        in_scope(0 < self.gamma < 1 and self.gamma.numerator == 1, "gamma is 1 over a whole number, and below 1")
        in_scope(0 < self.least <= mpq(1, 2), "the least probability of a law on two outputs")
        in_scope(self.has_room, "more mass to move than (3.1) allows")


def _with_room(fields: Iterable[tuple[mpq, mpq, mpq]]) -> list[Adversary]:
    return [case for case in starmap(Adversary, fields) if case.has_room]


ADVERSARIES = cases(
    Adversary,
    _with_room(product((mpq(11, 10), mpq(3, 2), mpq(3)), (mpq(1, 2), mpq(1, 10)), (mpq(1, 2), mpq(1, 8)))),
    _with_room(
        product(
            (1 + mpq(1, 2**20), 1 + mpq(1, 1000), mpq(11, 10), mpq(2), mpq(20)),
            [mpq(1, g) for g in (2, 3, 10, 1000, 2**40)],
            [mpq(1, m) for m in (2, 3, 64, 10**6)],
        )
    ),
)

Allowed = Callable[[RationalLike, RationalLike, RationalLike], mpq]


@lemma(
    "BV.Lem3.2.i",
    """If M is (epsilon, 0)-differentially private and M' is within delta of it, mixing M' with a law of least probability p is
    (epsilon, 0)-differentially private whenever delta <= (e^epsilon - 1)/(e^epsilon + 1) * gamma/(1 - gamma) * p, with
    gamma < 1. On the hardest instances the mixture's worst ratio is e^epsilon exactly, so the bound cannot be improved.""",
    over="randomised response with rational e^epsilon, distance placed adversarially; gamma < 1",
    code=["finitedp.spec.mixing.mixed", "finitedp.spec.mixing.largest_distance"],
    grid=ADVERSARIES,
    subject=mixing.largest_distance,
    twins={
        "gamma for gamma/(1 - gamma)": lambda ratio, gamma, least: mixing.largest_distance(ratio, gamma, least) * (1 - gamma),
        "e^epsilon - 1 alone": lambda ratio, gamma, least: mixing.largest_distance(ratio, gamma, least) * (ratio + 1),
        "without the factor p": lambda ratio, gamma, _least: mixing.largest_distance(ratio, gamma, 1),
    },
)
def mixing_is_private(allowed: Allowed, case: Adversary) -> Finding:
    r = case.ratio
    near_p, near_q, alternative = _hardest(case, allowed(r, case.gamma, case.least))
    left, right = (mixing.mixed(law, alternative, case.gamma) for law in (near_p, near_q))
    ratios = [max_ratio(left, right).value, max_ratio(right, left).value]
    return equal(max(ratios), r, "worst ratio")


@about(
    "BV.Lem3.2.i.running",
    "lemma",
    """The running mixture is private where Lemma 3.2 says so: over randomised response moved by the largest distance that
    (3.1) allows, its worst ratio is e^epsilon, and no more.""",
    over="rational e^epsilon, distance placed adversarially; the law of the running code by the explorer",
    grid=ADVERSARIES,
    twins={
        "half of gamma": lambda case: mixed(Mixture(case.base, case.alternative, 2 * case.g)),
        "gamma for 1 - gamma": mixed_backwards,
    },
)
def running_mixture_is_private(subject: Subject, case: Adversary) -> Finding:
    r = case.ratio
    near_p, near_q, alternative = _hardest(case, mixing.largest_distance(r, case.gamma, case.least))
    g = int(1 / case.gamma)
    left, right = (explore(subject(Mixture(law, alternative, g))).law() for law in (near_p, near_q))
    worst = max(max_ratio(left, right).value, max_ratio(right, left).value)
    return equal(worst, r, "worst ratio")


def _hardest(case: Adversary, delta: mpq) -> tuple[Pmf[int], Pmf[int], Pmf[int]]:
    """Randomised response with the distance moved onto output 0 and off it, and the alternative law."""
    small, large = 1 / (case.ratio + 1), case.ratio / (case.ratio + 1)
    p, q = Pmf.from_probabilities({0: large, 1: small}), Pmf.from_probabilities({0: small, 1: large})
    bounded = min(delta, small)
    return _moved(p, bounded), _moved(q, -bounded), Pmf.from_probabilities({0: case.least, 1: 1 - case.least})


def _moved(law: Pmf[int], mass: mpq) -> Pmf[int]:
    return Pmf.from_probabilities({0: law[0] + mass, 1: law[1] - mass})


@about(
    "BV.Sec3.distance",
    "own",
    "The mixture is within statistical distance gamma of the law that it mixes (Section 3, after Lemma 3.2).",
    over="all pairs of laws on three outcomes, several gamma; the law of the running code",
    twins={"gamma for 1 - gamma": mixed_backwards, "2 gamma": mixed_off_by_one},
)
def mixing_distance(subject: Subject, case: Mixture) -> Finding:
    found = explore(subject(case)).law()
    return at_most(total_variation(found, case.base).distance, mpq(1, case.g), "distance")


@about(
    "BV.Lem3.2.ii",
    "lemma",
    """Mixing costs the time of M', the time to draw from the fixed law, and one uniform draw from 1..1/gamma; here the same
    draws are made on every path, though those of the part that is not kept are not used.""",
    over="all pairs of laws on three outcomes, several gamma; every path",
    code=["finitedp.impl.histograms.mixing.Mixed.release"],
    twins={"drawing only what is kept": mixed_lazily},
)
def mixing_cost(subject: Subject, case: Mixture) -> Finding:
    shapes = explore(subject(case)).shapes
    ranges = case.g, case.base.total, case.alternative.total
    comparisons = {1 + len(case.base), 1 + len(case.alternative)}  # of the choice, and of the part that is kept
    few = {made for _, made in shapes} <= comparisons
    kept = equal(few, True, "comparisons of the choice and of what is kept")
    return all_of([equal({drawn for drawn, _ in shapes}, {ranges}, "draw ranges"), kept])


class Near(NamedTuple):
    """The laws of M(D), of M'(D) and of the alternative on 0, 1, 2, and gamma = 1/g."""

    law: Pmf[int]
    base: Pmf[int]
    alternative: Pmf[int]
    g: int


def _near(total: int, denominators: tuple[int, ...]) -> list[Near]:
    laws = small_laws(3, total)
    return [Near(law, base, other, g) for law in laws for base in laws for other in laws for g in denominators]


@lemma(
    "BV.Sec3.distance.sum",
    """Where M' is within statistical distance delta of M, the mixture M* is within gamma + delta of M (after Lemma 3.2); more
    sharply within gamma + (1 - gamma) delta.""",
    over="all triples of laws of M, M' and the alternative on three outcomes, several gamma; the law of the running mixture",
    code=["finitedp.impl.histograms.mixing.Mixed"],
    grid=Cases(lambda: _near(2, (2, 5)), lambda: _near(3, (1, 3, 100))),
    subject=lambda gamma, delta: gamma + (1 - gamma) * delta,
    twins={
        "the larger of the two": max,
        "gamma alone": lambda gamma, _delta: gamma,
        "delta alone": lambda _gamma, delta: delta,
        "gamma for 1 - gamma": lambda gamma, delta: (1 - gamma) + gamma * delta if gamma < mpq(1, 2) else gamma * delta,
    },
)
def distance_from_the_original(bound: Callable[[mpq, mpq], mpq], case: Near) -> Finding:
    gamma, delta = mpq(1, case.g), total_variation(case.law, case.base).distance
    found = total_variation(explore(mixed(Mixture(case.base, case.alternative, case.g))).law(), case.law).distance
    stated = at_most(bound(gamma, delta), gamma + delta, "stated bound")
    return all_of([at_most(found, bound(gamma, delta), "distance"), stated])


@lemma(
    "BV.Sec3.uniform",
    """The uniform law on R maximises the least probability of an output, which (3.1) multiplies: it is 1/|R|, and less under
    every other law.""",
    over="all laws on up to four outcomes with a small denominator",
    code=["finitedp.spec.mixing.largest_distance", "finitedp.spec.pmf.Pmf.uniform"],
    grid=Cases(
        lambda: [law for size in (1, 2, 3, 4) for law in small_laws(size, 4)] + small_laws(3, 6),
        lambda: [law for size in (2, 3, 4, 5) for law in small_laws(size, 10)],
    ),
    subject=lambda size: Pmf.uniform(range(size)),
    twins={
        "twice as much on 0": lambda size: Pmf(dict.fromkeys(range(size), 1) | {0: 2}),
        "uniform without the last output": lambda size: Pmf(dict.fromkeys(range(size), 1) | {size - 1: int(size == 1)}),
    },
)
def uniform_is_best(best: Callable[[int], Pmf[int]], law: Pmf[int]) -> Finding:
    size = len(law)
    allowed, found = (_allowed(chosen, size) for chosen in (best(size), law))
    alone = found < allowed or law == Pmf.uniform(range(size))
    return all_of([at_most(found, allowed, "distance that (3.1) allows"), equal(alone, True, "no other law allows as much")])


def _allowed(law: Pmf[int], size: int) -> mpq:
    """The distance that (3.1) allows at e^epsilon = 3/2 and gamma = 1/4."""
    return mixing.largest_distance(mpq(3, 2), mpq(1, 4), min(law[x] for x in range(size)))
