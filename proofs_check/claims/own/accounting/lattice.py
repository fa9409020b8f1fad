"""Laws of losses on a lattice, our own: above and below a pair at every gamma."""

from collections.abc import Callable, Iterator

from gmpy2 import mpq

from finitedp.impl.accounting.lattice import Lower, Upper
from finitedp.proofs_check.claims.own.accounting.subjects import (
    LAWS,
    Atoms,
    Placed,
    added_up,
    atoms_of,
    ceil,
    cell_of,
    floor,
    lower_atoms,
    power_around,
    upper_atoms,
)
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import at_most, equal, own
from finitedp.spec import accounting as spec
from finitedp.spec.accounting import Atom

LATTICE = "finitedp.impl.accounting.lattice"
SPEC = ["finitedp.spec.accounting.dominates", "finitedp.spec.accounting.joint"]

STEPS = ("1/2", "1/20", "3", "7/10")
QUICK = [(p, q, step, bits) for i, (p, q) in enumerate(LAWS) for step, bits in ((STEPS[i % 4], 12), (STEPS[(i + 1) % 4], 16))]
MORE = [(p, q, step, bits) for p, q in LAWS for step in STEPS for bits in (6, 20, 24, 64)]
GRID = cases(Placed, QUICK, MORE)


def _slack(case: Placed) -> mpq:
    """What rounding may take from a mass, or add to it: a unit for each atom, and two."""
    return mpq(len(case.p) + 2, 1 << case.bits)


# From above


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


def _nearest(case: Placed) -> Atoms:
    half = power_around(case.h / 2)[0]
    return _placed(case, lambda p, q: mpq(1 << case.bits) if p > q * half else mpq(0))


@own(
    "FD.Lattice.upper",
    """A law from above has a curve that is nowhere below the pair's, at every gamma >= 0. Its masses are multiples of 2^-W
    and sum to 1 exactly; what it adds at infinity is less than one unit for each atom, and two.""",
    over="pairs on and off the lattice, with mass at infinity; W from 6 to 64; all gamma >= 0, by where a curve bends",
    code=[f"{LATTICE}.Upper", f"{LATTICE}.Powers", *SPEC],
    grid=GRID,
    subject=lambda case: upper_atoms(Upper.of(case.pair, case.h, case.bits)),
    twins={
        "the nearest loss": _nearest,
        "the loss to the left": lambda case: _placed(case, lambda _p, _q: mpq(0)),
        "shares rounded down": lambda case: _placed(case, _chord(case, floor)),
        "what is left over is dropped": lambda case: _placed(case, _chord(case, lambda x: -floor(-x)), leftover=False),
        "the other end is the left one": lambda case: _placed(case, _chord(case, lambda x: -floor(-x)), end=-1),
        "all of it at infinity": lambda _case: [Atom(mpq(1), mpq(0))],
    },
)
def upper(make: Callable[[Placed], Atoms], case: Placed) -> Iterator[Finding]:
    law, pair = make(case), atoms_of(case.pair)
    added = sum((a.p for a in law if not a.q), mpq(0)) - case.pair.infinite
    yield equal(spec.dominates(law, pair), True, "nowhere below the pair")
    yield equal(sum(a.p for a in law), 1, "its masses")
    yield at_most(max(added, mpq(0)), _slack(case), "added at infinity")


# From below


def _scored(
    case: Placed, of_p: Callable[[mpq], mpq], of_q: Callable[[mpq], mpq], tilt: Callable[[mpq, mpq], mpq] = max
) -> Atoms:
    """Masses by the nearest loss, with other roundings of their multiples of 2^-bits, or another Q for the score."""
    unit, pair, listed = mpq(1, 1 << case.bits), case.pair, []
    shares = ((mpq(p, pair.total), mpq(q, pair.total)) for p, q in pair.atoms if p and q)
    found = added_up(((cell_of(p / q, case.h / 2) + 1) // 2, p, q) for p, q in shares)
    for j, (in_p, in_q) in found.items():
        tilted = tilt(in_p, in_q * power_around(j * case.h)[1])
        listed.append(Atom(of_p(in_p / unit) * unit, of_q(tilted / unit) * unit, j * case.h))
    return [*listed, Atom(floor(pair.infinite / unit) * unit, mpq(0))]


def _second(_p: mpq, q: mpq) -> mpq:
    return q


@own(
    "FD.Lattice.lower",
    """A law from below, P's and Q's masses by an integer score, has a curve that is nowhere above the pair's, at every gamma
    >= 0 and of every event; it leaves out less of P than one unit for each atom, and two, and adds no more to Q.""",
    over="pairs on and off the lattice, with mass at infinity; W from 6 to 64; all gamma >= 0, by where a curve bends",
    code=[f"{LATTICE}.Lower", f"{LATTICE}.Powers", *SPEC],
    grid=GRID,
    subject=lambda case: lower_atoms(Lower.of(case.pair, case.h, case.bits)),
    twins={
        "P's masses rounded up": lambda case: _scored(case, ceil, ceil, _second),
        "Q's masses rounded down": lambda case: _scored(case, floor, floor, _second),
        "losses as their scores say": lambda case: _scored(case, floor, ceil, lambda p, _q: p),
        "the smaller of both": lambda case: _scored(case, floor, ceil, min),
        "the larger of both": lambda case: _scored(case, floor, ceil, max),
        "nothing": lambda _case: [Atom(mpq(0), mpq(0))],
    },
)
def lower(make: Callable[[Placed], Atoms], case: Placed) -> Iterator[Finding]:
    law, pair = make(case), atoms_of(case.pair)
    right = _scored(case, lambda x: x, lambda x: x, _second)  # without rounding
    yield equal(spec.dominates(pair, law), True, "nowhere above the pair")
    yield at_most(1 - sum(a.p for a in law), _slack(case), "left out of P")
    yield at_most(max(sum(a.q for a in law) - sum(a.q for a in right), mpq(0)), _slack(case), "added to Q")
