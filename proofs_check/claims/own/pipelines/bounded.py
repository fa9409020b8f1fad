"""Our own: what is shown of numbers that a declared bound is on holds for all numbers within it: against exact laws."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.proofs_check.audit.pipelines.deciding import Bound, bound_of
from finitedp.proofs_check.audit.pipelines.searching import Side, side_of
from finitedp.proofs_check.claims.own.pipelines.subjects import Law, Program, excess, law_of
from finitedp.proofs_check.ledger.entry import Finding, cases, entry, in_scope
from finitedp.proofs_check.ledger.findings import all_of, equal
from finitedp.proofs_check.pipeline_certificate import BOUNDED, Call, Form, Path, Row

Bounding = Callable[[Sequence[Side], tuple[int, int], Mapping[str, Any]], Bound]


class Unknown(NamedTuple):
    """A program at the count 0, to each of whose noisy values a number is added that is not known.

    of, norm, most: what is declared of all of these numbers together.
    """

    program: Program
    of: str
    norm: str
    most: mpq

    def check_scope(self) -> None:
        """Raises: OutOfScopeError where no such bound can be declared, or there are too many corners."""
        in_scope(self.of in ("value", "difference") and self.norm in ("1", "2", "max") and self.most >= 0, "a bound")
        in_scope(set(self.program.kinds) <= {"laplace", "exponential"} and 1 <= len(self.program.kinds) <= 4, "draws")

    def sides(self) -> list[Side]:
        """Both inputs, at which the function is given another argument."""
        size, bound = len(self.program.kinds), ("a bound", self.of, self.norm, self.most)
        calls = [Call(bound, (("rows", count),), (), 0, "", size, ()) for count in (0, 1)]
        return [
            side_of([_added(path, [{BOUNDED + k: mpq(1)} for k in range(size)], call) for path in self._paths])
            for call in calls
        ]

    @property
    def _paths(self) -> tuple[Path, ...]:
        return self.program.paths(0)

    def law(self, numbers: Sequence[mpq]) -> Law:
        """The exact law for some numbers."""
        return law_of(side_of([_added(path, numbers) for path in self._paths], merging=False).alike)

    def laws(self) -> list[tuple[Law, Law]]:
        """Of the corners of what may be, in both directions."""
        size = len(self.program.kinds)
        corners = [
            tuple(self.most * x for x in signs)
            for signs in product((-1, 0, 1), repeat=size)
            if self.norm == "max" or sum(map(abs, signs)) <= 1
        ]
        if self.of == "difference":
            return [(self.law([mpq(0)] * size), self.law(corner)) for corner in corners]
        return [(self.law(one), self.law([-x for x in one])) for one in corners]


def _added(path: Path, added: Sequence[Any], *calls: Call) -> Path:
    """A path with a number, or a symbol, added to each draw."""

    def form(items: Any, constant: Any) -> Form:  # noqa: ANN401  # of a form
        sums = dict(items)
        for k, value in items:
            if isinstance(added[k], Mapping):
                sums |= {j: sums.get(j, 0) + value * x for j, x in added[k].items()}
            else:
                constant += value * added[k]
        return tuple(sorted(sums.items())), constant

    rows: list[Row] = [(*form(items, constant), strict) for items, constant, strict in path.rows]
    return path._replace(rows=tuple(rows), calls=calls)


def _of_half(sides: Sequence[Side], pair: tuple[int, int], claims: Mapping[str, Any]) -> Bound:
    halved = [
        side_of([path._replace(calls=tuple(_halved(call) for call in path.calls)) for path in side.paths]) for side in sides
    ]
    return bound_of(halved, pair, claims)


def _halved(call: Call) -> Call:
    return call._replace(bound=(*call.bound[:3], call.bound[3] / 2))


def _taken_for_equal(sides: Sequence[Side], pair: tuple[int, int], claims: Mapping[str, Any]) -> Bound:
    same = [
        side_of([path._replace(calls=tuple(call._replace(arguments=()) for call in path.calls)) for path in side.paths])
        for side in sides
    ]
    return bound_of(same, pair, claims)


def _constant_shift(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    bound = bound_of(*arguments)
    pairs = list(zip(bound.losses, (by for _, j, by, *_ in bound.matches if j is not None), strict=True))
    return evolve(bound, losses=[(p, q, sum(map(abs, by.values()), mpq(0)), squares) for (p, q, _, squares), by in pairs])


@entry(
    "FD.Align.bounded",
    "own",
    """Theorem F: where a number is not known but for a declared bound on it, or on its difference at neighbours, and shifts by
    multiples of it carry the regions, no output is more likely at D than e^(the largest cost within the bound) times at D',
    for all numbers within the bound.""",
    over="programs of two Laplace or exponential draws; their exact laws at the corners of the bounds",
    code=[
        "finitedp.proofs_check.audit.pipelines.deciding.bound_of",
        "finitedp.proofs_check.pipeline_certificate.shifted",
        "finitedp.proofs_check.pipeline_certificate.seen_from",
    ],
    grid=cases(
        Unknown,
        [
            (Program(i, kinds), "difference", "max", mpq(1))
            for i in range(10)
            for kinds in (("laplace",) * 2, ("exponential",) * 2)
        ],
        [
            (Program(i, ("laplace",) * 2), of, norm, mpq(1, 2))
            for i in range(10)
            for of, norm in (("value", "max"), ("difference", "1"))
        ],
    ),
    subject=bound_of,
    twins={"half of what is declared": _of_half, "taken for equal": _taken_for_equal, "turns cost nothing": _constant_shift},
)
def bounded(bounding: Bounding, unknown: Unknown) -> Finding:
    sides, findings = unknown.sides(), list[Finding]()
    for pair in ((0, 1), (1, 0)):
        bound = bounding(sides, pair, {})
        for laws in unknown.laws():
            mine, others = laws[pair[0]], laws[pair[1]]
            above = [excess(mass, others.get(x, {}), *bound.epsilon) > 0 for x, mass in mine.items() if not bound.open]
            findings.append(equal(any(above), False, "a loss above the bound"))
    return all_of(findings)
