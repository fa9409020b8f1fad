"""Our own: shifts of normal noise, beside Laplace noise, bound a program's delta: against enclosed integrals."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from attrs import evolve
from flint import arb, ctx
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import to_arb
from finitedp.proofs_check.audit.pipelines.bounds import PRECISION, Bound, Match, bound_of
from finitedp.proofs_check.audit.pipelines.paths import Path
from finitedp.proofs_check.audit.pipelines.regions import Region, regions
from finitedp.proofs_check.audit.pipelines.shifts import Shift
from finitedp.proofs_check.engine.noise.rows import Form, Row
from finitedp.proofs_check.engine.noise.runs import Draw
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal

Bounding = Callable[[Any, Any, Sequence[Region], Sequence[Region]], Bound]
Ask = tuple[int, mpq, int]
"""(draw, threshold, sign): whether sign * (draw - threshold) > 0."""


class Asked(NamedTuple):
    """A program whose paths ask one thing of each draw, at D and at D'.

    kinds: the laws of the draws, and after how many answers each was drawn. here, there: for each path its answers, what it
    asks, and its label.
    """

    kinds: tuple[tuple[str, int], ...]
    here: tuple[tuple[str, tuple[Ask, ...], str], ...]
    there: tuple[tuple[str, tuple[Ask, ...], str], ...]

    def check_scope(self) -> None:
        """Raises: OutOfScopeError where a side is no program: each answer compares a draw that is made by then."""
        in_scope(all(kind in ("normal", "laplace") for kind, _ in self.kinds), "normal and Laplace draws")
        for side in (self.here, self.there):
            tree = {answers: _ends(asks) for answers, asks, _ in side}
            in_scope(len(tree) == len(side) and _is_program(self.kinds, tree, "", {}), "the paths of a program")


Ends = dict[tuple[int, int], mpq]  # of a draw's values: the largest lower one (sign 1), and minus the least upper one (-1)


def _ends(asks: Iterable[Ask]) -> Ends:
    found = dict[tuple[int, int], mpq]()
    for k, at, sign in asks:
        in_scope(sign in (1, -1), "above or below")
        found[k, sign] = max(sign * at, found.get((k, sign), sign * at))
    return found


def _is_program(kinds: tuple[tuple[str, int], ...], tree: Mapping[str, Ends], answers: str, known: Ends) -> bool:
    """Whether what is below these answers divides what is known of the draws, one comparison at a time."""
    if answers in tree:
        return tree[answers] == known
    asked = {
        (k, sign, sign * end)
        for path, ends in tree.items()
        if path.startswith(answers + "y")
        for (k, sign), end in ends.items()
    }
    for k, sign, at in asked:
        if 0 <= k < len(kinds) and kinds[k][1] <= len(answers):
            yes, no = (_ends([*_asks(known), (k, at, side)]) for side in (sign, -sign))
            if _is_program(kinds, tree, answers + "y", yes) and _is_program(kinds, tree, answers + "n", no):
                return True
    return False


def _asks(ends: Ends) -> Iterator[Ask]:
    return ((k, sign * end, sign) for (k, sign), end in ends.items())


def _regions(asked: Asked, side: tuple[tuple[str, tuple[Ask, ...], str], ...]) -> Sequence[Region]:
    draws = tuple(Draw(kind, (), forks) for kind, forks in asked.kinds)
    found = list[Path]()
    for answers, asks, label in side:
        rows = tuple(Row.of(Form(((k, mpq(sign)),), -sign * mpq(at))) for k, at, sign in asks)
        found.append(Path(draws, rows, tuple(answer == "y" for answer in answers), label, (), mpq(1)))
    return regions(found)


def _mass(asked: Asked, asks: tuple[Ask, ...]) -> arb:
    """The probability of a path: each draw is asked about thresholds on its own."""
    found = list[arb]()
    for k, (kind, _) in enumerate(asked.kinds):
        low = max((at for j, at, sign in asks if j == k and sign > 0), default=None)
        high = min((at for j, at, sign in asks if j == k and sign < 0), default=None)
        found.append((arb(1) if high is None else _below(kind, high)) - (arb(0) if low is None else _below(kind, low)))
    return prod(found, start=arb(1))


def _below(kind: str, at: mpq) -> arb:
    x = to_arb(at)
    if kind == "normal":
        return (-x / arb(2).sqrt()).erfc() / 2
    return x.exp() / 2 if at < 0 else 1 - (-x).exp() / 2


def _law(asked: Asked, side: tuple[tuple[str, tuple[Ask, ...], str], ...]) -> Mapping[str, arb]:
    found = dict[str, arb]()
    for _, asks, label in side:
        found[label] = found.get(label, arb(0)) + _mass(asked, asks)
    return found


# A normal draw below a threshold that the count moves
def _one(here: object, there: object) -> Asked:
    def side(at: object) -> tuple[tuple[str, tuple[Ask, ...], str], ...]:
        return ("y", ((0, mpq(at), 1),), "above"), ("n", ((0, mpq(at), -1),), "below")  # type: ignore[arg-type]

    return Asked((("normal", 0),), side(here), side(there))


def _two(first: tuple[int, int], above: tuple[int, int], below: tuple[int, int]) -> Asked:
    """A normal draw is compared, then another one with a threshold that depends on the answer."""

    def side(i: int) -> tuple[tuple[str, tuple[Ask, ...], str], ...]:
        return tuple(
            (a + b, ((0, mpq(first[i]), 1 if a == "y" else -1), (1, mpq(second[i]), 1 if b == "y" else -1)), a + b)
            for a, second in (("y", above), ("n", below))
            for b in "yn"
        )

    return Asked((("normal", 0), ("normal", 1)), side(0), side(1))


def _either(kind: str) -> Asked:
    """A Laplace draw says whether a Laplace or a normal draw answers."""

    def side(i: int) -> tuple[tuple[str, tuple[Ask, ...], str], ...]:
        return tuple(
            (a + b, ((0, mpq(0), 1 if a == "y" else -1), (1 if a == "y" else 2, mpq(-i), 1 if b == "y" else -1)), a + b)
            for a in "yn"
            for b in "yn"
        )

    return Asked((("laplace", 0), (kind, 1), ("normal", 1)), side(0), side(1))


def _band(here: int, there: int) -> Asked:
    """Whether a normal draw is far from 0: how it must be shifted is known after it only."""

    def side(at: int) -> tuple[tuple[str, tuple[Ask, ...], str], ...]:
        high, low = (0, mpq(at), 1), (0, mpq(-at), -1)
        return ("y", (high,), "far"), ("ny", (low,), "far"), ("nn", ((0, mpq(at), -1), (0, mpq(-at), 1)), "near")

    return Asked((("normal", 0),), side(here), side(there))


def _lexicographic(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    bound = bound_of(*arguments)
    cost, squares = max((m.shift.cost, m.shift.squares) for m in bound.matches if m.shift is not None)
    return evolve(bound, cost=cost, squares=squares)


def _of_later_answers(left: Any, right: Any, sources: Sequence[Region], targets: Sequence[Region]) -> Bound:  # noqa: ANN401
    """Each path has the least shift of each draw that carries it into its own, whatever the others have."""
    found = list[Match]()
    for source, target in zip(sources, targets, strict=True):
        ends = {row.items[0]: source.by_direction[row.items].constant - row.constant for row in target.rows}
        by = {
            k: max(ends.get((k, mpq(1)), mpq(0)), mpq(0)) or min(-ends.get((k, mpq(-1)), mpq(0)), mpq(0)) for k in target.draws
        }
        normal = [value for k, value in by.items() if target.draws[k].kind == "normal"]
        cost = sum((abs(value) for k, value in by.items() if target.draws[k].kind != "normal"), mpq(0))
        found.append(Match(source, target, Shift(by, cost, sum((value**2 for value in normal), mpq(0)))))
    shifts = [match.shift for match in found if match.shift is not None]
    largest = max(shift.cost for shift in shifts), max(shift.squares for shift in shifts)
    return Bound(left, right, tuple(found), mpq(1), *largest, mpq(0))


def _smallest(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    bound = bound_of(*arguments)
    return evolve(bound, squares=bound.squares / 2)


@entry(
    "FD.Align.gaussian",
    "own",
    """Theorem B: where the shift of each normal draw is a function of the answers before it, the divergence at e^epsilon is at
    most that of a Gaussian pair at epsilon less the largest cost of the other draws, mu^2 the largest sum of squares.""",
    over="programs of one and two normal draws, beside Laplace draws; epsilon in 0, 1/2, 1, 2; their laws in balls",
    code=[
        "finitedp.proofs_check.audit.pipelines.bounds.bound_of",
        "finitedp.proofs_check.audit.pipelines.bounds.gaussian_delta",
    ],
    grid=cases(
        Asked,
        [_one(0, 1), _two((0, 1), (0, 1), (0, 0)), _either("laplace"), _band(1, 2), _band(2, 1)],
        [_one(-1, 1), _one("1/2", 0), _two((0, 2), (1, 0), (-1, 2)), _either("normal"), _band(1, 3)],
    ),
    subject=bound_of,
    twins={
        "maxima of one path": _lexicographic,
        "shifts of later answers": _of_later_answers,
        "half of the squares": _smallest,
    },
)
def gaussian(bounding: Bounding, asked: Asked) -> Finding:
    findings = list[Finding]()
    for here, there in ((asked.here, asked.there), (asked.there, asked.here)):
        bound = bounding("D", "D'", _regions(asked, here), _regions(asked, there))
        with ctx.workprec(PRECISION):
            mine, others = _law(asked, here), _law(asked, there)
            for epsilon in (mpq(0), mpq(1, 2), mpq(1), mpq(2)):
                gaps = [p - to_arb(epsilon).exp() * others.get(label, arb(0)) for label, p in mine.items()]
                exact = sum((gap for gap in gaps if gap > 0), arb(0))
                above = bool(exact > bound.delta(PrivacyClaim(epsilon, "counts", 1)))
                findings.append(equal(above, False, f"a delta at {epsilon} above the bound"))
    return all_of(findings)
