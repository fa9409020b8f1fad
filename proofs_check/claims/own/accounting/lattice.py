"""Laws of losses on a lattice, our own: above and below a pair at every gamma, their products, and what is cut off."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.curve import Pair
from finitedp.impl.accounting.lattice import Lower, Upper
from finitedp.proofs_check.claims.own.accounting.subjects import (
    Atoms,
    Placed,
    atoms_of,
    cell_of,
    lower_atoms,
    power_around,
    upper_atoms,
)
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal
from finitedp.spec import accounting as spec
from finitedp.spec.accounting import Atom

LATTICE = "finitedp.impl.accounting.lattice"
SPEC = ["finitedp.spec.accounting.dominates", "finitedp.spec.accounting.joint"]

# off the lattice, on it, on both sides of a lattice point, at infinity, only at infinity, and many atoms in one cell
LAWS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 1), (1, 2)),
    ((3, 1, 0), (1, 3, 1)),
    ((1, 0), (0, 1)),
    ((5, 7, 2, 1), (4, 7, 3, 1)),
    ((100, 99, 98), (98, 99, 100)),
    ((1, 1, 1), (1, 1, 1)),
    ((7, 0, 20, 1), (1, 3, 23, 9)),
    ((1, 30), (2, 1)),
]
STEPS = ("1/2", "1/20", "3", "7/10")
QUICK = [(p, q, step, bits) for i, (p, q) in enumerate(LAWS) for step, bits in ((STEPS[i % 4], 12), (STEPS[(i + 1) % 4], 16))]
MORE = [(p, q, step, bits) for p, q in LAWS for step in STEPS for bits in (6, 20, 24, 64)]
GRID = cases(Placed, QUICK, MORE)


def _slack(case: Placed) -> mpq:
    """What rounding may take from a mass, or add to it: a unit for each atom, and two."""
    return mpq(len(case.p) + 2, 1 << case.bits)


# From above


def _upper(case: Placed) -> Atoms:
    return upper_atoms(Upper.of(case.pair, case.h, case.bits))


def _placed(case: Placed, share: Callable[[mpq, mpq], mpq], *, leftover: bool = True, end: int = 1) -> Atoms:
    """The masses of the cells, each with a share of it that moves on to the other end, in multiples of 2^-bits."""
    unit, pair = mpq(1, 1 << case.bits), case.pair
    masses, finite = dict[int, mpq](), mpq(0)
    for p, q in pair.atoms:
        mass = mpq(p, pair.total) // unit * unit
        if p and q:
            j = cell_of(mpq(p, q), case.h)
            moved = min(max(share(mpq(p, pair.total), mpq(q, pair.total) * power_around(j * case.h)[0]), mpq(0)) * unit, mass)
            masses[j + end] = masses.get(j + end, mpq(0)) + moved
            masses[j] = masses.get(j, mpq(0)) + mass - moved
            finite += mass
    listed = [Atom(m, m, j * case.h) for j, m in masses.items()]
    return [*listed, Atom(1 - finite if leftover else pair.infinite, mpq(0))]


def _chord(case: Placed, rounded: Callable[[mpq], mpq]) -> Callable[[mpq, mpq], mpq]:
    """The share of the right end of an atom, in units: (p - e^(j h) q) / (1 - e^-h)."""
    gap = 1 - power_around(-case.h)[1]
    return lambda p, q: rounded((p - q) / gap * (1 << case.bits))


def _floor(number: mpq) -> mpq:
    return mpq(number // 1)


def _nearest(case: Placed) -> Atoms:
    half = power_around(case.h / 2)[0]
    return _placed(case, lambda p, q: mpq(1 << case.bits) if p > q * half else mpq(0))


@entry(
    "FD.Lattice.upper",
    "own",
    """A law from above has a curve that is nowhere below the pair's, at every gamma >= 0. Its masses are multiples of 2^-W
    and sum to 1 exactly; what it adds at infinity is less than one unit for each atom, and two.""",
    over="pairs on and off the lattice, with mass at infinity; W from 6 to 64; all gamma >= 0, by where a curve bends",
    code=[f"{LATTICE}.Upper", f"{LATTICE}.Powers", *SPEC],
    grid=GRID,
    subject=_upper,
    twins={
        "the nearest loss": _nearest,
        "the loss to the left": lambda case: _placed(case, lambda _p, _q: mpq(0)),
        "shares rounded down": lambda case: _placed(case, _chord(case, _floor)),
        "what is left over is dropped": lambda case: _placed(case, _chord(case, lambda x: -_floor(-x)), leftover=False),
        "the other end is the left one": lambda case: _placed(case, _chord(case, lambda x: -_floor(-x)), end=-1),
        "all of it at infinity": lambda _case: [Atom(mpq(1), mpq(0))],
    },
)
def upper(make: Callable[[Placed], Atoms], case: Placed) -> Finding:
    law, pair = make(case), atoms_of(case.pair)
    added = sum((a.p for a in law if not a.q), mpq(0)) - case.pair.infinite
    findings = [
        equal(spec.dominates(law, pair), True, "nowhere below the pair"),
        equal(sum(a.p for a in law), 1, "its masses"),
        at_most(max(added, mpq(0)), _slack(case), "added at infinity"),
    ]
    return all_of(findings)


# From below


def _lower(case: Placed) -> Atoms:
    return lower_atoms(Lower.of(case.pair, case.h, case.bits))


def _scored(
    case: Placed, of_p: Callable[[mpq], mpq], of_q: Callable[[mpq], mpq], tilt: Callable[[mpq, mpq], mpq] = max
) -> Atoms:
    """Masses by the nearest loss, with other roundings of their multiples of 2^-bits, or another Q for the score."""
    unit, found, pair = mpq(1, 1 << case.bits), dict[int, tuple[mpq, mpq]](), case.pair
    for p, q in pair.atoms:
        if p and q:
            score = (cell_of(mpq(p, q), case.h / 2) + 1) // 2
            old = found.get(score, (mpq(0), mpq(0)))
            found[score] = (old[0] + mpq(p, pair.total), old[1] + mpq(q, pair.total))
    listed = []
    for j, (in_p, in_q) in found.items():
        tilted = tilt(in_p, in_q * power_around(j * case.h)[1])
        listed.append(Atom(of_p(in_p / unit) * unit, of_q(tilted / unit) * unit, j * case.h))
    return [*listed, Atom(_floor(pair.infinite / unit) * unit, mpq(0))]


def _ceil(number: mpq) -> mpq:
    return -_floor(-number)


def _second(_p: mpq, q: mpq) -> mpq:
    return q


@entry(
    "FD.Lattice.lower",
    "own",
    """A law from below, P's and Q's masses by an integer score, has a curve that is nowhere above the pair's, at every gamma
    >= 0 and of every event; it leaves out less of P than one unit for each atom, and two, and adds no more to Q.""",
    over="pairs on and off the lattice, with mass at infinity; W from 6 to 64; all gamma >= 0, by where a curve bends",
    code=[f"{LATTICE}.Lower", f"{LATTICE}.Powers", *SPEC],
    grid=GRID,
    subject=_lower,
    twins={
        "P's masses rounded up": lambda case: _scored(case, _ceil, _ceil, _second),
        "Q's masses rounded down": lambda case: _scored(case, _floor, _floor, _second),
        "losses as their scores say": lambda case: _scored(case, _floor, _ceil, lambda p, _q: p),
        "the smaller of both": lambda case: _scored(case, _floor, _ceil, min),
        "the larger of both": lambda case: _scored(case, _floor, _ceil, max),
        "nothing": lambda _case: [Atom(mpq(0), mpq(0))],
    },
)
def lower(make: Callable[[Placed], Atoms], case: Placed) -> Finding:
    law, pair = make(case), atoms_of(case.pair)
    right = _scored(case, lambda x: x, lambda x: x, _second)  # without rounding
    findings = [
        equal(spec.dominates(pair, law), True, "nowhere above the pair"),
        at_most(1 - sum(a.p for a in law), _slack(case), "left out of P"),
        at_most(max(sum(a.q for a in law) - sum(a.q for a in right), mpq(0)), _slack(case), "added to Q"),
    ]
    return all_of(findings)


# Products


class Two(NamedTuple):
    """Two pairs on one lattice."""

    one: tuple[tuple[int, ...], tuple[int, ...]]
    other: tuple[tuple[int, ...], tuple[int, ...]]
    step: str
    bits: int

    def check_scope(self) -> None:
        """Raises: OutOfScopeError."""
        for each in self.both:
            each.check_scope()
        in_scope(mpq(self.step) >= mpq(1, 20), "a step of at least 1/20")

    @property
    def both(self) -> list[Placed]:
        """Each of them."""
        return [Placed(p, q, self.step, self.bits) for p, q in (self.one, self.other)]

    @property
    def pairs(self) -> list[Pair]:
        """Each of them, as a pair."""
        return [placed.pair for placed in self.both]

    def uppers(self) -> list[Upper]:
        """Their laws from above."""
        return [Upper.of(pair, mpq(self.step), self.bits) for pair in self.pairs]

    def lowers(self) -> list[Lower]:
        """Their laws from below."""
        return [Lower.of(pair, mpq(self.step), self.bits) for pair in self.pairs]


class Between(NamedTuple):
    """What is made of laws from above and from below."""

    above: Atoms
    below: Atoms


def _product(case: Two) -> Between:
    (one, other), (less, least) = case.uppers(), case.lowers()
    return Between(upper_atoms(one.times(other)), lower_atoms(less.times(least)))


def _rounded_product(
    case: Two,
    up: Callable[[Sequence[int]], Sequence[int]],
    of_p: Callable[[mpq], mpq] = _floor,
    of_q: Callable[[mpq], mpq] = _ceil,
) -> Between:
    """The exact products, with other roundings: `up` of the integers over 2^(2 W), the mass at infinity at the end."""
    exact = [_exact(case, of) for of in (list(map(upper_atoms, case.uppers())), list(map(lower_atoms, case.lowers())))]
    unit = mpq(1, 1 << case.bits)
    above, below = (sorted(of.items(), key=lambda item: (item[0] is None, item[0] or mpq(0))) for of in exact)
    integers = up([int(p / unit**2) for _, (p, _) in above])
    return Between(
        [Atom(m * unit, mpq(0) if x is None else m * unit, x or mpq(0)) for m, (x, _) in zip(integers, above, strict=True)],
        [Atom(of_p(p / unit) * unit, of_q(q / unit) * unit, x or mpq(0)) for x, (p, q) in below],
    )


def _exact(case: Two, laws: list[Atoms]) -> dict[mpq | None, tuple[mpq, mpq]]:
    """P and Q by loss of the product of two laws, None for infinity, with all losses between."""
    step, found = mpq(case.step), dict[mpq | None, tuple[mpq, mpq]]()
    for a in spec.joint(*laws):
        loss = a.x if a.q else None
        if a.p or a.q:
            old = found.get(loss, (mpq(0), mpq(0)))
            found[loss] = (old[0] + a.p, old[1] + a.q)
    finite = [int(x / step) for x in found if x is not None]
    nothing, made = (mpq(0), mpq(0)), dict[mpq | None, tuple[mpq, mpq]]()
    for j in range(min(finite, default=0), max(finite, default=0) + 1):
        made[j * step] = found.get(j * step, nothing)
    made[None] = found.get(None, nothing)
    return made


def _carried_left(bits: int) -> Callable[[Sequence[int]], list[int]]:
    def carried(integers: Sequence[int]) -> list[int]:
        made, carry = [], 0
        for mass in reversed(integers):
            whole = mass + carry
            made.append(whole >> bits)
            carry = whole & ((1 << bits) - 1)
        return made[::-1]

    return carried


TWO = cases(
    Two,
    [
        *((LAWS[i], LAWS[j], step, bits) for i, j, step, bits in ((0, 0, "1/2", 12), (1, 6, "7/10", 16), (3, 4, "1/20", 14))),
        *((LAWS[i], LAWS[j], step, bits) for i, j, step, bits in ((2, 1, "3", 12), (7, 0, "1/2", 16), (3, 3, "1/4", 24))),
    ],
    [(one, other, step, bits) for one in LAWS[:5] for other in LAWS[3:] for step, bits in (("1/2", 20), ("7/10", 12))],
)


@entry(
    "FD.Lattice.product",
    "own",
    """The product of two laws from above is nowhere below the product of their exact curves, with masses that sum to 1; that
    of two laws from below is nowhere above it. Rounding changes each mass by less than a unit.""",
    over="pairs on and off the lattice; W from 12 to 24; all gamma >= 0 by where one of the curves bends",
    code=[f"{LATTICE}.Upper.times", f"{LATTICE}.Lower.times", *SPEC],
    grid=TWO,
    subject=_product,
    twins={
        "carried to the left": lambda case: _rounded_product(case, _carried_left(case.bits)),
        "remainders dropped": lambda case: _rounded_product(case, lambda integers: [m >> case.bits for m in integers]),
        "P rounded up": lambda case: _rounded_product(case, _carried_right(case.bits), of_p=_ceil),
        "Q rounded down": lambda case: _rounded_product(case, _carried_right(case.bits), of_q=_floor),
        "infinity times infinity alone": lambda case: _infinity_alone(case),  # noqa: PLW0108  # defined below
    },
)
def product(make: Callable[[Two], Between], case: Two) -> Finding:
    made = make(case)
    uppers, lowers = list(map(upper_atoms, case.uppers())), list(map(lower_atoms, case.lowers()))
    most = mpq(len(made.above) + len(made.below) + 2, 1 << case.bits)
    findings = [
        equal(spec.dominates(made.above, spec.joint(*uppers)), True, "nowhere below the laws from above"),
        equal(sum(a.p for a in made.above), 1, "masses of the product from above"),
        equal(spec.dominates(spec.joint(*lowers), made.below), True, "nowhere above the laws from below"),
        at_most(_mass(spec.joint(*lowers)) - _mass(made.below), most, "left out of P"),
        at_most(_infinite(made.above) - _infinite(spec.joint(*uppers)), most, "added at infinity"),
    ]
    return all_of(findings)


def _carried_right(bits: int) -> Callable[[Sequence[int]], list[int]]:
    return lambda integers: _carried_left(bits)(integers[::-1])[::-1]


def _infinity_alone(case: Two) -> Between:
    made = _rounded_product(case, _carried_right(case.bits))
    infinite = [_infinite(upper_atoms(law)) for law in case.uppers()]
    return Between([*(a for a in made.above if a.q), Atom(infinite[0] * infinite[1], mpq(0))], made.below)


def _mass(pair: Atoms) -> mpq:
    return sum((a.p for a in pair), mpq(0))


def _infinite(pair: Atoms) -> mpq:
    return sum((a.p for a in pair if not a.q), mpq(0))


# What is cut off


def _cut(case: Two) -> Between:
    (one, other), (less, least) = case.uppers(), case.lowers()
    return Between(upper_atoms(one.times(other).cut()), lower_atoms(less.times(least).cut()))


def _cut_otherwise(case: Two, change: Callable[[Between, Between], Between]) -> Between:
    return change(_product(case), _cut(case))


def _kept(whole: Atoms, cut: Atoms) -> Atoms:
    """What is not cut off, as it was."""
    losses = {a.x for a in cut if a.q}
    return [a for a in whole if not a.q or a.x in losses]


def _to_the_left(whole: Atoms, cut: Atoms) -> Atoms:
    """The upper tail on the last loss that is kept, not at infinity."""
    kept = _kept(whole, cut)
    last = max((a for a in kept if a.q), key=lambda a: a.x, default=Atom(mpq(0), mpq(0)))
    tail = sum((a.p for a in whole if a.q and a.x > last.x), mpq(0))
    return [*kept, Atom(tail, tail, last.x)]


def _q_cut_alone(whole: Atoms, cut: Atoms) -> Atoms:
    """P's tails stay, at their losses, and Q's are gone."""
    losses = {a.x for a in cut if a.q}
    return [a if not a.q or a.x in losses else Atom(a.p, mpq(0)) for a in whole]


CUT = cases(
    Two,
    [(((300, 1), (1, 300)), other, "1/2", bits) for other in (LAWS[0], ((400, 1), (1, 400))) for bits in (12, 16)],
    [(((1000, 30, 1), (1, 30, 1000)), other, "1/2", bits) for other in LAWS[:4] for bits in (12, 20, 24)],
)


@entry(
    "FD.Lattice.cut",
    "own",
    """What is cut off at the ends of a law from above goes to the right, from the upper end to infinity: its curve only
    rises, and its masses sum to 1. Of a law from below whole events are left out: its curve only falls. Each end
    holds at most 2^(36 W / 128) units.""",
    over="products with tails; W from 12 to 24; all gamma >= 0 by where one of the curves bends",
    code=[f"{LATTICE}.Upper.cut", f"{LATTICE}.Lower.cut", *SPEC],
    grid=CUT,
    subject=_cut,
    twins={
        "tails dropped": lambda case: _cut_otherwise(case, lambda all_, cut: Between(_kept(all_.above, cut.above), cut.below)),
        "the upper tail to the left": lambda case: _cut_otherwise(
            case, lambda all_, cut: Between(_to_the_left(all_.above, cut.above), cut.below)
        ),
        "Q's tails alone": lambda case: _cut_otherwise(
            case, lambda all_, cut: Between(cut.above, _q_cut_alone(all_.below, cut.below))
        ),
        "nothing is kept": lambda _case: Between([Atom(mpq(1), mpq(0))], [Atom(mpq(0), mpq(0))]),
    },
)
def cut(make: Callable[[Two], Between], case: Two) -> Finding:
    made, whole = make(case), _product(case)
    most = mpq(2 << (36 * case.bits // 128), 1 << case.bits)
    findings = [
        equal(spec.dominates(made.above, whole.above), True, "the law from above only rises"),
        equal(_mass(made.above), 1, "its masses"),
        equal(spec.dominates(whole.below, made.below), True, "the law from below only falls"),
        at_most(_infinite(made.above) - _infinite(whole.above), most, "cut off from above"),
        at_most(_mass(whole.below) - _mass(made.below), most, "cut off from below"),
    ]
    return all_of(findings)
