"""Linear programs over the rationals: an exact simplex that finds, and a certificate that decides.

A program is: minimise one variable, subject to sums of multiples of variables being at least given numbers; all variables are
at least 0. Its optimum is a solution together with a solution of the dual program of the same value. Both are rational and
`certifies` checks them by multiplication alone, so that whoever trusts an optimum need not trust the simplex.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from attrs import frozen
from gmpy2 import mpq

V = TypeVar("V", bound=Hashable)
Row = Mapping[V, mpq]


@frozen
class Program(Generic[V]):
    """Minimise `goal` >= 0, subject to row . x >= least for each (row, least), and x >= 0."""

    goal: V
    rows: tuple[tuple[Row[V], mpq], ...]

    @property
    def variables(self) -> list[V]:
        """The variables, in the order in which they appear."""
        return list(dict.fromkeys([self.goal, *(name for row, _ in self.rows for name in row)]))


@frozen
class Optimum(Generic[V]):
    """A solution by variable, and the dual one by row."""

    solution: Mapping[V, mpq]
    dual: tuple[mpq, ...]

    def value(self, program: Program[V]) -> mpq:
        """The value of the goal."""
        return self.solution[program.goal]


def certifies(program: Program[V], optimum: Optimum[V]) -> bool:
    """Whether the solution is allowed, the dual one is, and both have one value: then no solution has a smaller one.

    For every solution x: value of the dual = dual . least <= dual . (rows x) <= x[goal].
    """
    x, y = optimum.solution, optimum.dual
    if len(y) != len(program.rows) or set(x) != set(program.variables) or min([*x.values(), *y]) < 0:
        return False
    if any(sum((c * x[name] for name, c in row.items()), mpq(0)) < least for row, least in program.rows):
        return False
    spent = dict.fromkeys(x, mpq(0))
    for (row, _), weight in zip(program.rows, y, strict=True):
        for name, c in row.items():
            spent[name] += weight * c
    allowed = all(total <= (name == program.goal) for name, total in spent.items())
    return allowed and sum((w * least for w, (_, least) in zip(y, program.rows, strict=True)), mpq(0)) == x[program.goal]


def minimum(program: Program[V]) -> Optimum[V]:
    """An optimum, by the simplex method on the dual program, which has 0 as a first solution. Raises: ValueError.

    Ties are broken lexicographically, so that it ends. Cost: a pivot is a product of the numbers of variables and rows.
    """
    names, count = program.variables, len(program.rows)
    places = {name: i for i, name in enumerate(names)}
    # Row i: the dual's constraint of variable i; its columns: the dual variables, slacks, and the right side in front.
    table = [[mpq(i == 0), *[mpq(0)] * count, *(mpq(i == j) for j in range(len(names)))] for i in range(len(names))]
    for j, (row, _) in enumerate(program.rows):
        for name, c in row.items():
            table[places[name]][1 + j] += c
    cost = [mpq(0), *(-least for _, least in program.rows), *[mpq(0)] * len(names)]
    basis = [1 + count + i for i in range(len(names))]
    while min(cost[1:]) < 0:
        enters = min(range(1, len(cost)), key=cost.__getitem__)
        leaves = _leaving(table, enters)
        _pivot([*table, cost], leaves, enters)
        basis[leaves] = enters
    dual = [mpq(0)] * count
    for i, column in enumerate(basis):
        if column <= count:
            dual[column - 1] = table[i][0]
    return Optimum({name: cost[1 + count + i] for name, i in places.items()}, tuple(dual))


def _leaving(table: list[list[mpq]], column: int) -> int:
    """The row that is least, lexicographically, after division by its entry in the column, of those with one above 0."""
    open_rows: Iterable[int] = [i for i, row in enumerate(table) if row[column] > 0]
    if not open_rows:
        raise ValueError("the rows of the linear program contradict each other")
    for place in range(len(table[0])):
        shares = {i: table[i][place] / table[i][column] for i in open_rows}
        least = min(shares.values())
        open_rows = [i for i, share in shares.items() if share == least]
        if len(open_rows) == 1:
            break
    return next(iter(open_rows))


def _pivot(rows: list[list[mpq]], leaves: int, enters: int) -> None:
    """Solve the row for the entering column, and put that into the others."""
    inverse = 1 / rows[leaves][enters]
    chosen = [x * inverse for x in rows[leaves]]
    filled = [j for j, x in enumerate(chosen) if x]
    rows[leaves][:] = chosen
    for i, row in enumerate(rows):
        factor = row[enters]
        if i != leaves and factor:
            for j in filled:
                row[j] -= factor * chosen[j]
