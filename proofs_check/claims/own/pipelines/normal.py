"""Our own: shifts of normal noise, beside Laplace noise, bound a program's delta: against enclosed integrals."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from attrs import evolve
from flint import arb, ctx
from gmpy2 import mpq

from finitedp.exact import to_arb
from finitedp.proofs_check.audit.pipelines.deciding import Bound, bound_of
from finitedp.proofs_check.audit.pipelines.searching import Side, side_of
from finitedp.proofs_check.claims.own.pipelines.subjects import drawn
from finitedp.proofs_check.engine.noise.rows import row_of
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal
from finitedp.proofs_check.pipeline_certificate import Losses, Path, delta_ends, shows

Bounding = Callable[[Sequence[Side], tuple[int, int], Mapping[str, Any]], Bound]
Ask = tuple[int, mpq, int]
"""(draw, threshold, sign): whether sign * (draw - threshold) > 0."""
Paths = tuple[tuple[str, tuple[Ask, ...], str], ...]
PRECISION = 256


class Asked(NamedTuple):
    """A program whose paths ask one thing of each draw, at D and at D'.

    kinds: the laws of the draws, and after how many answers each was drawn. here, there: for each path its answers, what it
    asks, and its label.
    """

    kinds: tuple[tuple[str, int], ...]
    here: Paths
    there: Paths

    def check_scope(self) -> None:
        """Raises: OutOfScopeError where a side is no program: each answer compares a draw that is made by then."""
        in_scope(all(kind in ("normal", "laplace", "exponential") for kind, _ in self.kinds), "draws of these laws")
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


def _side(asked: Asked, side: Paths) -> Side:
    draws = tuple(drawn(kind, forks) for kind, forks in asked.kinds)
    rows = [tuple(row_of((((k, mpq(sign)),), -sign * mpq(at))) for k, at, sign in asks) for _, asks, _ in side]
    paths = [Path(draws, held, answers, label, (), mpq(1)) for held, (answers, _, label) in zip(rows, side, strict=True)]
    return side_of(paths, merging=False)


def _sides(asked: Asked) -> list[Side]:
    return [_side(asked, asked.here), _side(asked, asked.there)]


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
    if kind == "exponential":
        return arb(0) if at < 0 else 1 - (-x).exp()
    return x.exp() / 2 if at < 0 else 1 - (-x).exp() / 2


def _law(asked: Asked, side: Paths) -> Mapping[str, arb]:
    found = dict[str, arb]()
    for _, asks, label in side:
        found[label] = found.get(label, arb(0)) + _mass(asked, asks)
    return found


# A normal draw below a threshold that the count moves
def _one(here: object, there: object) -> Asked:
    def side(at: object) -> Paths:
        return ("y", ((0, mpq(at), 1),), "above"), ("n", ((0, mpq(at), -1),), "below")  # type: ignore[arg-type]

    return Asked((("normal", 0),), side(here), side(there))


def _two(first: tuple[int, int], above: tuple[int, int], below: tuple[int, int]) -> Asked:
    """A normal draw is compared, then another one with a threshold that depends on the answer."""

    def side(i: int) -> Paths:
        return tuple(
            (a + b, ((0, mpq(first[i]), 1 if a == "y" else -1), (1, mpq(second[i]), 1 if b == "y" else -1)), a + b)
            for a, second in (("y", above), ("n", below))
            for b in "yn"
        )

    return Asked((("normal", 0), ("normal", 1)), side(0), side(1))


def _either(kind: str) -> Asked:
    """A Laplace draw says whether a Laplace or a normal draw answers."""

    def side(i: int) -> Paths:
        return tuple(
            (a + b, ((0, mpq(0), 1 if a == "y" else -1), (1 if a == "y" else 2, mpq(-i), 1 if b == "y" else -1)), a + b)
            for a in "yn"
            for b in "yn"
        )

    return Asked((("laplace", 0), (kind, 1), ("normal", 1)), side(0), side(1))


def _band(here: int, there: int) -> Asked:
    """Whether a normal draw is far from 0: how it must be shifted is known after it only."""

    def side(at: int) -> Paths:
        high, low = (0, mpq(at), 1), (0, mpq(-at), -1)
        return ("y", (high,), "far"), ("ny", (low,), "far"), ("nn", ((0, mpq(at), -1), (0, mpq(-at), 1)), "near")

    return Asked((("normal", 0),), side(here), side(there))


def _bins(kind: str, here: int | str, there: int | str, ends: int = 3) -> Asked:
    """In which interval of length 1/2 a draw is, which a count moves."""

    def side(moved: int | str) -> Paths:
        at = [mpq(end, 2) - mpq(moved) for end in range(2 * ends, -2 * ends - 1, -1)]
        asks = [*(((0, x, 1), *((0, high, -1) for high in at[:i][-1:])) for i, x in enumerate(at)), ((0, at[-1], -1),)]
        return tuple(("n" * i + "y" * (i < len(at)), held, str(i)) for i, held in enumerate(asks))

    return Asked(((kind, 0),), side(here), side(there))


def _lexicographic(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    bound = bound_of(*arguments)
    cost, squares = max((cost, squares) for _, _, cost, squares in bound.losses)
    return evolve(bound, losses=[(p, q, cost, squares) for p, q, *_ in bound.losses])


def _of_later_answers(sides: Sequence[Side], pair: tuple[int, int], _claims: object) -> Bound:
    """Each path has the least shift of each draw that carries it into its own, whatever the others have."""
    found = list[tuple[mpq, mpq, mpq, mpq]]()
    for source, target in zip(*(sides[i].alike for i in pair), strict=True):
        ends = {row[0]: source.known[row[0]][1] - row[1] for row in target.rows}
        by = {k: max(ends.get(((k, mpq(1)),), 0), 0) or min(-ends.get(((k, mpq(-1)),), 0), 0) for k in target.kinds}
        squares = sum((x * x for k, x in by.items() if target.kinds[k] == "normal"), mpq(0))
        cost = sum((abs(x) for k, x in by.items() if target.kinds[k] != "normal"), mpq(0))
        found.append((mpq(1), mpq(1), cost, squares))
    return Bound(pair, [], found, mpq(0))


def _smallest(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    bound = bound_of(*arguments)
    return evolve(bound, losses=[(p, q, cost, squares / 2) for p, q, cost, squares in bound.losses])


@entry(
    "FD.Align.gaussian",
    "own",
    """Theorem B: where the shift of each normal draw is a function of the answers before it, the divergence at e^epsilon is at
    most that of a Gaussian pair at epsilon less the largest cost of the other draws, mu^2 the largest sum of squares.""",
    over="programs of one and two normal draws, beside Laplace draws; epsilon in 0, 1/2, 1, 2; their laws in balls",
    code=[
        "finitedp.proofs_check.audit.pipelines.deciding.bound_of",
        "finitedp.proofs_check.pipeline_certificate.delta_ends",
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
    for mine, others, pair in _directions(asked):
        bound = bounding(_sides(asked), pair, {})
        with ctx.workprec(PRECISION):
            for epsilon in (mpq(0), mpq(1, 2), mpq(1), mpq(2)):
                gaps = [p - to_arb(epsilon).exp() * others.get(label, arb(0)) for label, p in mine.items()]
                exact = sum((gap for gap in gaps if gap > 0), arb(0))
                ends = delta_ends(bound.losses, bound.open, {"epsilon": epsilon, "ratio": None})
                above = bool(exact > to_arb(mpq(ends[1])))
                findings.append(equal(above, False, f"a delta at {epsilon} above the bound"))
    return all_of(findings)


def _directions(asked: Asked) -> list[tuple[Mapping[str, arb], Mapping[str, arb], tuple[int, int]]]:
    with ctx.workprec(PRECISION):
        laws = [_law(asked, side) for side in (asked.here, asked.there)]
    return [(laws[i], laws[j], (i, j)) for i, j in ((0, 1), (1, 0))]


# Renyi divergences


Showing = Callable[[Losses, Any, Losses | None, Mapping[str, Any]], bool]
ORDERS = (mpq(3, 2), mpq(2), mpq(5))


def _of_half_squares(losses: Losses, *others: Any) -> bool:  # noqa: ANN401  # as shows
    return shows([(p, q, cost, squares / 2) for p, q, cost, squares in losses], *others)


def _at_order_1(losses: Losses, open_: Any, back: Losses | None, claim: Mapping[str, Any]) -> bool:  # noqa: ANN401
    return shows(losses, open_, back, {**claim, "order": mpq(1)} if "order" in claim else claim)


def _of_one_direction(losses: Losses, open_: Any, _back: Losses | None, claim: Mapping[str, Any]) -> bool:  # noqa: ANN401
    return shows(losses, open_, losses, claim)


def _open_left_out(losses: Losses, _open: object, back: Losses | None, claim: Mapping[str, Any]) -> bool:
    return shows(losses, mpq(0), back, claim)


@entry(
    "FD.Align.renyi",
    "own",
    """Where the shift of each normal draw is a function of the answers before it, the Renyi divergence of order alpha is at
    most the largest cost + alpha squares / 2 + ln p/p'; without normal draws, of cost c in both directions, at most alpha
    c^2 / 2. With alpha = 1 both bound the rho of zCDP.""",
    over="programs of normal, Laplace and exponential draws; orders 3/2, 2, 5; claims of 0 to 3 by eighths; laws in balls",
    code=["finitedp.proofs_check.audit.pipelines.deciding.bound_of", "finitedp.proofs_check.pipeline_certificate.shows"],
    grid=cases(
        Asked,
        [_bins("normal", 0, 1), _bins("laplace", 0, "1/2"), _bins("exponential", "1/2", 0), _either("laplace")],
        [_bins("normal", "1/2", 0), _two((0, 1), (0, 1), (0, 0)), _one(-1, 1), _bins("laplace", 0, "3/2"), _either("normal")],
    ),
    subject=shows,
    twins={
        "half of the squares": _of_half_squares,
        "without the order": _at_order_1,
        "the other direction left out": _of_one_direction,
        "outputs without a target left out": _open_left_out,
    },
)
def renyi(showing: Showing, asked: Asked) -> Finding:
    findings, sides = list[Finding](), _sides(asked)
    bounds = {pair: bound_of(sides, pair, {}) for pair in ((0, 1), (1, 0))}
    for mine, others, pair in _directions(asked):
        found, back = bounds[pair], bounds[pair[::-1]]
        with ctx.workprec(PRECISION):
            exact = {order: _divergence(mine, others, order) for order in ORDERS}
            for eighths in range(25):
                most, behind = mpq(eighths, 8), None if back.open else back.losses
                for order in ORDERS:
                    above = bool(exact[order] > to_arb(most))
                    shown = showing(found.losses, found.open, behind, {"order": order, "epsilon": most})
                    findings.append(equal(shown and above, False, f"a divergence of order {order} above {most}"))
                above = any(bool(exact[order] > to_arb(most * order)) for order in ORDERS)
                shown = showing(found.losses, found.open, behind, {"rho": most})
                findings.append(equal(shown and above, False, f"a divergence above order * {most}"))
    return all_of(findings)


def _divergence(mine: Mapping[str, arb], others: Mapping[str, arb], order: mpq) -> arb:
    """Of the labels; infinite where one has the probability 0 at D' alone."""
    power, total = to_arb(order), arb(0)
    for label, p in mine.items():
        q = others.get(label, arb(0))
        if p > 0:
            total += (p.log() * power + q.log() * (1 - power)).exp() if q > 0 else arb("inf")
    return total.log() / (power - 1)
