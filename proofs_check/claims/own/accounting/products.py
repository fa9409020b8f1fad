"""Products of laws on a lattice, our own, and what is cut off at their ends."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.curve import Pair
from finitedp.impl.accounting.lattice import Lower, Upper
from finitedp.proofs_check.claims.own.accounting.subjects import (
    LAWS,
    Atoms,
    Placed,
    added_up,
    ceil,
    floor,
    lower_atoms,
    upper_atoms,
)
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import at_most, equal, own
from finitedp.spec import accounting as spec
from finitedp.spec.accounting import Atom

LATTICE = "finitedp.impl.accounting.lattice"
SPEC = ["finitedp.spec.accounting.dominates", "finitedp.spec.accounting.joint"]


class Two(NamedTuple):
    """Two pairs on one lattice."""

    one: tuple[tuple[int, ...], tuple[int, ...]]
    other: tuple[tuple[int, ...], tuple[int, ...]]
    step: str
    bits: int

    def check_scope(self) -> None:
        in_scope(len(self.one) == 2 == len(self.other), "P and Q of each pair")
        for each in self.both:
            each.check_scope()
        in_scope(mpq(self.step) >= mpq(1, 20), "a step of at least 1/20")

    @property
    def both(self) -> list[Placed]:
        return [Placed(p, q, self.step, self.bits) for p, q in (self.one, self.other)]

    @property
    def pairs(self) -> list[Pair]:
        """Each of them, as a pair."""
        return [placed.pair for placed in self.both]

    def uppers(self) -> list[Upper]:
        return [Upper.of(pair, mpq(self.step), self.bits) for pair in self.pairs]

    def lowers(self) -> list[Lower]:
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
    of_p: Callable[[mpq], mpq] = floor,
    of_q: Callable[[mpq], mpq] = ceil,
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
    step = mpq(case.step)
    found = added_up((a.x if a.q else None, a.p, a.q) for a in spec.joint(*laws) if a.p or a.q)
    finite = [int(x / step) for x in found if x is not None]
    nothing, ends = (mpq(0), mpq(0)), range(min(finite, default=0), max(finite, default=0) + 1)
    made: dict[mpq | None, tuple[mpq, mpq]] = {j * step: found.get(j * step, nothing) for j in ends}
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


TWO = cases(
    Two,
    [
        *((LAWS[i], LAWS[j], step, bits) for i, j, step, bits in ((0, 0, "1/2", 12), (1, 6, "7/10", 16), (3, 4, "1/20", 14))),
        *((LAWS[i], LAWS[j], step, bits) for i, j, step, bits in ((2, 1, "3", 12), (7, 0, "1/2", 16), (3, 3, "1/4", 24))),
    ],
    [(one, other, step, bits) for one in LAWS[:5] for other in LAWS[3:] for step, bits in (("1/2", 20), ("7/10", 12))],
)


@own(
    "FD.Lattice.product",
    """The product of two laws from above is nowhere below the product of their exact curves, with masses that sum to 1; that
    of two laws from below is nowhere above it. Rounding changes each mass by less than a unit.""",
    over="pairs on and off the lattice; W from 12 to 24; all gamma >= 0 by where one of the curves bends",
    code=[f"{LATTICE}.Upper.times", f"{LATTICE}.Lower.times", *SPEC],
    grid=TWO,
    subject=_product,
    twins={
        "carried to the left": lambda case: _rounded_product(case, _carried_left(case.bits)),
        "remainders dropped": lambda case: _rounded_product(case, lambda integers: [m >> case.bits for m in integers]),
        "P rounded up": lambda case: _rounded_product(case, _carried_right(case.bits), of_p=ceil),
        "Q rounded down": lambda case: _rounded_product(case, _carried_right(case.bits), of_q=floor),
        "infinity times infinity alone": _infinity_alone,
    },
)
def product(make: Callable[[Two], Between], case: Two) -> Iterator[Finding]:
    made = make(case)
    uppers, lowers = list(map(upper_atoms, case.uppers())), list(map(lower_atoms, case.lowers()))
    most = mpq(len(made.above) + len(made.below) + 2, 1 << case.bits)
    yield equal(spec.dominates(made.above, spec.joint(*uppers)), True, "nowhere below the laws from above")
    yield equal(sum(a.p for a in made.above), 1, "masses of the product from above")
    yield equal(spec.dominates(spec.joint(*lowers), made.below), True, "nowhere above the laws from below")
    yield at_most(_mass(spec.joint(*lowers)) - _mass(made.below), most, "left out of P")
    yield at_most(_infinite(made.above) - _infinite(spec.joint(*uppers)), most, "added at infinity")


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


@own(
    "FD.Lattice.cut",
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
def cut(make: Callable[[Two], Between], case: Two) -> Iterator[Finding]:
    made, whole = make(case), _product(case)
    most = mpq(2 << (36 * case.bits // 128), 1 << case.bits)
    yield equal(spec.dominates(made.above, whole.above), True, "the law from above only rises")
    yield equal(_mass(made.above), 1, "its masses")
    yield equal(spec.dominates(whole.below, made.below), True, "the law from below only falls")
    yield at_most(_infinite(made.above) - _infinite(whole.above), most, "cut off from above")
    yield at_most(_mass(whole.below) - _mass(made.below), most, "cut off from below")
