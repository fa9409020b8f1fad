"""Section 4.1 of Balcer and Vadhan before Algorithm 4.5: f_Z, F_Z and the two forms of the inverse, as they are printed."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import RationalLike
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, definition, equal, lemma
from finitedp.spec import counting as spec
from finitedp.spec import noise


class Range(NamedTuple):
    """All z within `far` of the centre."""

    centre: int
    far: int

    @property
    def decays(self) -> list[mpq]:
        """More decays than the degree of any value times 1 + decay: an identity at all of them is one of polynomials."""
        return [mpq(j, self.far + 5) for j in range(1, self.far + 5)]


RANGES = cases(Range, [(0, 6), (3, 5), (-2, 8)], [(0, 40), (10, 25), (-7, 30)])
Value = Callable[[RationalLike, int, int], mpq]
EVERY_SCALE = "every real s > 0, each z of the grid"


@definition(
    "BV.Sec4.1.mass",
    """The two-sided geometric law, which is proportional to e^(-|z-c|/s), has the probabilities f_Z(z) = (e^(1/s) -
    1)/(e^(1/s) + 1) e^(-|z-c|/s).""",
    over="every s at once; centres on the grid, every z around them; against the law from the proportionality and its series",
    code=["finitedp.spec.noise.mass", "finitedp.spec.counting.geometric_pmf"],
    grid=RANGES,
    subject=noise.mass,
    twins={
        "normalised as if one-sided": lambda decay, c, z: (1 - decay) * decay ** abs(z - c),
        "twice the scale": lambda decay, c, z: noise.mass(decay**2, c, z),
        "centred at 0": lambda decay, _c, z: noise.mass(decay, 0, z) if _c else noise.mass(decay, 1, z),
    },
    reach=EVERY_SCALE,
)
def printed_mass(mass: Value, case: Range) -> Iterator[Finding]:
    for decay, j in product(case.decays, range(-case.far, case.far + 1)):
        z = case.centre + j
        yield equal(mass(decay, case.centre, z), spec.geometric_pmf(decay, j), f"f({z}) at decay {decay}")


@definition(
    "BV.Sec4.1.distribution",
    """Its distribution function F_Z(z) is e^(1/s)/(e^(1/s) + 1) e^(-(c-z)/s) for z <= c and 1 - e^(-(z-c)/s)/(e^(1/s) + 1)
    beyond: it grows by f_Z(z) from z - 1 to z, its value far below is the tail there, and that far above 1 less the tail.""",
    over="every s at once; centres on the grid, every z around them",
    code=["finitedp.spec.noise.distribution", "finitedp.spec.counting.geometric_tail"],
    grid=RANGES,
    subject=noise.distribution,
    twins={
        "the lower form without e^(1/s)": lambda decay, c, z: noise.distribution(decay, c, z) * (decay if z <= c else 1),
        "the upper form everywhere": lambda decay, centre, z: 1 - decay ** (z - centre + 1) / (1 + decay),
        "Pr[Z < z]": lambda decay, c, z: noise.distribution(decay, c, z - 1),
    },
    reach=EVERY_SCALE,
)
def printed_distribution(value: Value, case: Range) -> Iterator[Finding]:
    low, high = case.centre - case.far, case.centre + case.far
    for decay in case.decays:
        below, above = spec.geometric_tail(decay, case.far), spec.geometric_tail(decay, case.far + 1)
        yield equal(value(decay, case.centre, low), below, f"F({low})")
        yield equal(value(decay, case.centre, high), 1 - above, f"F({high})")
        for z in range(low + 1, high + 1):
            step = value(decay, case.centre, z) - value(decay, case.centre, z - 1)
            yield equal(step, spec.geometric_pmf(decay, z - case.centre), f"F({z}) - F({z - 1})")


class Levels(NamedTuple):
    """A decay e^(-1/s), a centre, and how far from it the levels go."""

    decay: mpq
    centre: int
    far: int

    @property
    def values(self) -> list[mpq]:
        """Each value of F, numbers close to it on both sides and between them, 1/2, and a lattice."""
        found = {mpq(j, 32) for j in range(1, 32)}
        for z in range(self.centre - self.far, self.centre + self.far + 1):
            here, before = (noise.distribution(self.decay, self.centre, x) for x in (z, z - 1))
            found |= {here, (here + before) / 2, before + (here - before) / 10**9, here - (here - before) / 10**9}
        return sorted(found)


DECAYS = (mpq(2, 3), mpq(1, 2), mpq(16, 17), mpq(1, 100))
LEVELS = cases(
    Levels,
    [(decay, centre, 4) for decay in DECAYS for centre in (0, 3)],
    [(decay, centre, 30) for decay in (*DECAYS, mpq(4, 5), mpq(1024, 1025), mpq(7, 9)) for centre in (0, -5)],
)
Inverse = Callable[[mpq, int, mpq], int]


def _least(case: Levels, u: mpq) -> int:
    """min{z : F(z) >= u}, by a search from far below."""
    z = case.centre - case.far - 2
    while noise.distribution(case.decay, case.centre, z) >= u:
        z -= 1
    while noise.distribution(case.decay, case.centre, z) < u:
        z += 1
    return z


def _floored(decay: mpq, centre: int, u: mpq) -> int:
    """Broken: the floor for the ceiling, where u is above 1/2."""
    exact = noise.inverse(decay, centre, u)
    b = 1 / decay
    return exact if u <= mpq(1, 2) or b ** (exact - centre) == 1 / ((1 - u) * (b + 1)) else exact - 1


def _without_two(decay: mpq, centre: int, u: mpq) -> int:
    """Broken: without - ln 2."""
    b = 1 / decay
    number = (1 - abs(2 * u - 1)) * (b + 1)
    sign = (u < mpq(1, 2)) - (u > mpq(1, 2))
    return centre + (noise.ceil_log_to_base(b, number**sign) if sign else 0) + int(2 * u) - 1


QUANTILES = "decays and centres on the grid; u at each value of F, just below and above it and between, 1/2, and j/32"


@lemma(
    "BV.Sec4.1.inverse.line",
    """The same inverse in one line, c + ceil(s sign(1/2 - u) (ln(1 - |2u - 1|) + ln(e^(1/s) + 1) - ln 2)) + floor(2u) - 1, for
    u in (0, 1), where sign(0) = 0.""",
    over=QUANTILES,
    code=["finitedp.spec.noise.inverse_in_one_line", "finitedp.spec.noise.distribution"],
    grid=LEVELS,
    subject=noise.inverse_in_one_line,
    twins={
        "floor(u) for floor(2u)": lambda decay, centre, u: noise.inverse_in_one_line(decay, centre, u) - int(2 * u),
        "without - ln 2": _without_two,
    },
)
@lemma(
    "BV.Sec4.1.inverse",
    """Its inverse is F_Z^(-1)(u) = c + ceil(s ln u + s ln(e^(1/s) + 1)) - 1 for u <= 1/2, and c + ceil(-s ln(1 - u) - s
    ln(e^(1/s) + 1)) for u above, u in (0, 1): the least z with F_Z(z) >= u.""",
    over=QUANTILES,
    code=["finitedp.spec.noise.inverse", "finitedp.spec.noise.distribution"],
    grid=LEVELS,
    subject=noise.inverse,
    twins={
        "floor for ceiling": _floored,
        "the - 1 left out": lambda decay, centre, u: noise.inverse(decay, centre, u) + (u <= mpq(1, 2)),
    },
)
def printed_inverse(quantile: Inverse, case: Levels) -> Finding:
    return all_of([equal(quantile(case.decay, case.centre, u), _least(case, u), f"u = {u}") for u in case.values])


_MOST_BITS = 18


class Bounded(NamedTuple):
    """A mechanism of Section 4.1 needs integers beyond every bound: the probability of |Z| > 2^bits."""

    decay: mpq
    bits: int

    def check_scope(self) -> None:
        in_scope(0 < self.decay < 1, "s > 0")
        in_scope(0 <= self.bits <= _MOST_BITS, f"up to {_MOST_BITS} bits, since the check writes e^(-2^b/s) out")


@lemma(
    "BV.Sec4.1.unbounded",
    """Algorithm 4.5 needs integers of unbounded size before it clamps: for every number of bits b, |Z| needs more than b bits
    with a probability above 0, which is 2 e^(-2^b/s)/(1 + e^(-1/s)).""",
    over="decays and numbers of bits on the grid",
    code=["finitedp.spec.noise.distribution"],
    grid=cases(Bounded, product((mpq(2, 3), mpq(1, 9)), range(7)), product((mpq(16, 17), mpq(1, 100)), range(12))),
    subject=lambda decay, reach: 2 * noise.distribution(decay, 0, -reach),
    twins={
        "one side": lambda decay, reach: noise.distribution(decay, 0, -reach),
        "noise cut off": lambda _decay, _reach: mpq(0),
    },
)
def unbounded_noise(beyond: Callable[[mpq, int], mpq], case: Bounded) -> Finding:
    found, reach = beyond(case.decay, 2**case.bits), 2**case.bits
    closed = 2 * case.decay**reach / (1 + case.decay)
    return all_of([equal(found, closed, f"Pr[|Z| >= 2^{case.bits}]"), equal(found > 0, True, "above 0")])
