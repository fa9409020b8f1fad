"""What a certificate of a pipeline needs, found by linear programs: merged regions, and shifts of the noise between regions.

What follows from them says pipeline_certificate.py, which checks each of them again.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import log
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.proofs_check.checks.linear import Program, minimum
from finitedp.proofs_check.engine.noise.rows import contradiction
from finitedp.proofs_check.pipeline_certificate import (
    SIGNS,
    Form,
    Items,
    Path,
    Region,
    Row,
    Shift,
    View,
    bound,
    cover,
    draws_of,
    hull,
    laws_of,
    moved,
    opposite,
    regions,
    seen_from,
    shifted,
    supports,
    tightest,
)

MOST_CANDIDATES = 20_000
"""Pairs of regions of two inputs that are tried."""
Matches = list[tuple[Any, ...]]
"""(source, target or None, by how much each draw is moved, in its scale; and by how much for each free number)."""


@frozen
class Side:
    """An input: its paths, its regions as they are, and merged ones, with what shows them."""

    paths: tuple[Path, ...]
    alike: list[Region]
    hulls: list[Mapping[str, Any]]
    whole: list[Region]

    @property
    def regions(self) -> list[Region]:
        """All, the merged ones last."""
        return [*self.alike, *self.whole]

    def covers(self) -> list[list[int]]:
        """The regions by their places: where some are merged with these, and as they are."""
        places = {id(region): i for i, region in enumerate(self.regions)}
        found = [cover(self.alike, self.whole), self.alike]
        return [[places[id(region)] for region in one] for one in (found if self.whole else found[1:])]


def side_of(paths: Sequence[Path], *, merging: bool = True) -> Side:
    """The regions of an input."""
    hulls = list(_hulls(paths)) if merging else []
    return Side(tuple(paths), regions(paths), hulls, [hull(paths, **one) for one in hulls])


# Merging


def _hulls(paths: Sequence[Path]) -> Iterator[Mapping[str, Any]]:
    """Paths of one output whose common rows cut out a polyhedron that meets no other path (Theorem C)."""
    try:
        kinds = laws_of(paths)
    except ValueError:
        return
    known, groups = supports(kinds), defaultdict[Any, list[int]](list)
    for i, path in enumerate(paths):
        groups[path.shape, path.forms].append(i)
    for members in groups.values() if len(groups) < len(paths) else ():
        if len(members) > 1:
            rows = common_rows(paths, members, known)
            inside = [multipliers((*known, *paths[i].rows, opposite(row))) for i in members for row in rows]
            apart = [multipliers((*known, *path.rows, *rows)) for i, path in enumerate(paths) if i not in members]
            if None not in apart:
                yield {"members": members, "rows": rows, "inside": inside, "apart": apart}


def common_rows(paths: Sequence[Path], members: Sequence[int], known: Sequence[Row]) -> list[Row]:
    """The rows that hold on all of some paths, without those that others imply."""
    candidates = dict.fromkeys(row for i in members for row in tightest(paths[i].rows).values())
    rows = [row for row in candidates if all(multipliers((*known, *paths[i].rows, opposite(row))) for i in members)]
    for row in list(rows):
        rest = [one for one in rows if one != row]
        rows = rest if multipliers((*known, *rest, opposite(row))) else rows
    return sorted(tightest(rows).values())


def multipliers(rows: tuple[Row, ...]) -> list[tuple[int, mpq]] | None:
    """Multipliers of rows, by place, that show that these have no common solution; None where they have one."""
    least = dict[Items, tuple[mpq, int]]()
    for i, row in enumerate(rows):
        least[row[0]] = min(least.get(row[0], (row[1], i)), (row[1], i))
        against = least.get(opposite(row)[0])
        if against is not None and against[0] + row[1] <= 0:
            return sorted([(i, mpq(1)), (against[1], mpq(1))])
    found = contradiction(rows)
    return None if found is None else [(i, y) for i, y in enumerate(found) if y]


# Shifts


def shift_of(source: Region, target: Region) -> tuple[Any, ...] | None:
    """The cheapest shift that carries the source into the target, and maybe its turns; None where there is none of this kind.

    Where numbers are free, that of the output decides the turns, and rows hold with a slack; else rows turn, too.
    """
    kinds = {**target.kinds, **source.kinds}
    if source.shape != target.shape or any(kinds[k] != kind for k, kind in target.kinds.items()):
        return None
    try:
        view = seen_from(source, target)
    except ValueError:
        return None
    if any(view.fixed(one[0]) != view.fixed(other[0]) for one, other in view.equal):
        return None
    known, rows = {**tightest(supports(kinds)), **source.known}, list[tuple[Row, Row]]()
    for row in view.rows:
        like = [one for one in view.rows_like(known, row) if one[2] or not row[2]]
        if not like:
            return None
        rows.append(
            (min(like, key=lambda one: sum(map(abs, view.apart(one[0], row[0]).values()))) if view.balls else like[0], row)
        )
    found = list[tuple[Any, ...]]()
    for whole, early in product((False, True), repeat=2) if view.balls else [(False, False)]:
        turning = [(one, row) for one, row in rows if whole or any(kinds.get(k) == "normal" for k, _ in row[0])]
        moves = _moves(kinds, view, [(*view.equal, *turning), [one for one in rows if one not in turning]], early=early)
        found += [] if moves is None else [moves]
    return (
        min(found, key=lambda moves: _size(source, target, moves), default=None) if len(found) > 1 else next(iter(found), None)
    )


def _moves(
    kinds: Mapping[int, str], view: View, kept: Sequence[Sequence[tuple[Any, Any]]], *, early: bool
) -> tuple[Any, ...] | None:
    """The shift that keeps equal what must be, whatever the free numbers are, and above what must be.

    Parameters: early, to turn the first draws that can be, such as those of the same step.
    """
    equal, turns = [(draws_of(other[0]), one, other) for one, other in kept[0]], dict[int, Shift]()
    for ball in view.balls:
        free = [k for k, kind in kinds.items() if kind in ("normal", "laplace") and k > ball.after]
        ways = [{k: kind if k in free[:n] else "uniform" for k, kind in kinds.items()} for n in range(len(free) + 1)]
        for w in ball.numbers:
            asked = [(items, view.apart(one[0], other[0]).get(w, mpq(0))) for items, one, other in equal]
            turn = next((one for way in (ways if early else ways[-1:]) if (one := _least(way, asked, ())) is not None), None)
            if turn is None:
                return None
            turns |= {w: turn} if turn else {}
    least = [(draws_of(row[0]), own[1] - row[1] + view.slack(own[0], row[0], turns)) for own, row in kept[1]]
    by = _least(kinds, [(items, one[1] - other[1]) for items, one, other in equal], least)
    return None if by is None else (by, turns)


def _least(kinds: Mapping[int, str], equal: Sequence[Form], least: Sequence[Form]) -> Shift | None:
    by = _cheapest(tuple(kinds.items()), tuple(equal), tuple(least))
    return None if by is None else _with_least_squares(kinds, by, equal)


@lru_cache(maxsize=1 << 14)
def _cheapest(kinds: tuple[tuple[int, str], ...], equal: tuple[Form, ...], least: tuple[Form, ...]) -> Shift | None:
    """The shift of least cost (normal draws cost nothing here) with a . shift = c, and a . shift >= c. None without one."""
    signs = {k: SIGNS.get(kind, ()) for k, kind in kinds}

    def row(items: Items, by: int = 1) -> dict[tuple[int, int], mpq]:
        return {(k, sign): mpq(by * sign * value) for k, value in items for sign in signs[k]}

    rows = [(row(items), mpq(constant)) for items, constant in (*equal, *least)]
    rows += [(row(items, -1), mpq(-constant)) for items, constant in equal]
    if any(constant > 0 for held, constant in rows if not held):
        return None
    paid = {(k, sign): mpq(-1) for k, kind in kinds if kind != "normal" for sign in signs[k]}
    wanted = [one for one in rows if one[0]]
    try:
        found = minimum(Program((-1, 0), (*wanted, ({(-1, 0): mpq(1), **paid}, mpq(0))))).solution
    except ValueError:
        return None
    return {k: sum((sign * found.get((k, sign), mpq(0)) for sign in signs[k]), mpq(0)) for k, _ in kinds}


def _with_least_squares(kinds: Mapping[int, str], found: Shift, equal: Sequence[Form]) -> Shift:
    """The same shift of other draws, with the least sum of squares of the normal ones that solves the equations."""
    by = {k: value for k, value in found.items() if kinds[k] != "normal"}
    made = {k: mpq(0) for k in found if k not in by}
    spanned = list[tuple[dict[int, mpq], mpq, mpq]]()  # orthogonal directions, with their squares and right sides
    for items, constant in equal:
        row = {k: value for k, value in items if k in made}
        left = constant - moved(items, by)
        for direction, square, right in spanned:
            share = moved(tuple(row.items()), direction) / square
            row = {k: row.get(k, mpq(0)) - share * direction.get(k, mpq(0)) for k in {**row, **direction}}
            left -= share * right
        square = moved(tuple(row.items()), row)
        spanned += [(row, square, left)] if square else []
    for direction, square, right in spanned:
        for k, value in direction.items():
            made[k] += right / square * value
    return {k: value for k, value in {**by, **made}.items() if value}


def matched(here: Side, there: Side, sources: Sequence[int], targets: Sequence[int]) -> Matches:
    """A target for each source, at most one source for each target: such that the largest loss is small."""
    mine, theirs = here.regions, there.regions
    by_output = defaultdict[Any, list[int]](list)
    for j in targets:
        by_output[_kind(theirs[j])].append(j)
    pairs = [(i, j) for i in sources for j in by_output.get(_kind(mine[i]), ())][:MOST_CANDIDATES]
    shifts = {(i, j): by for i, j in pairs if (by := shift_of(mine[i], theirs[j])) is not None}
    taken = dict[int, int]()  # the source of each target
    open_edges = dict[int, list[int]]()
    for i, j in sorted(shifts, key=lambda edge: _size(mine[edge[0]], theirs[edge[1]], shifts[edge])):
        open_edges.setdefault(i, []).append(j)
        if i not in taken.values():
            _augment(i, open_edges, taken, set())
        elif j not in taken:
            for waiting in open_edges.keys() - set(taken.values()):
                _augment(waiting, open_edges, taken, set())
    target = {i: j for j, i in taken.items()}
    found: Matches = [(i, target.get(i), *(shifts[i, target[i]] if i in target else ({}, {}))) for i in sources]
    try:
        bound(here.paths, mine, theirs, found)
    except ValueError:  # the shift of a normal draw depends on what is compared later
        return [(i, None, {}, {}) for i in sources]
    return found


def _size(source: Region, target: Region, shift: tuple[Any, ...]) -> float:
    cost, squares = shifted(source, target, *shift)
    return log(about(source.weight / target.weight)) + about(cost + squares)


def _augment(i: int, edges: Mapping[int, Iterable[int]], taken: dict[int, int], seen: set[int]) -> bool:
    for j in edges.get(i, ()):
        if j not in seen:
            seen.add(j)
            if j not in taken or _augment(taken[j], edges, taken, seen):
                taken[j] = i
                return True
    return False


def _kind(region: Region) -> tuple[Any, ...]:
    return region.shape, tuple(draws_of(items) for items, _ in region.forms)


def about(number: Any) -> float:  # noqa: ANN401  # a rational of any type
    """The nearest float, for an order or a reader."""
    return int(number.numerator) / int(number.denominator)
