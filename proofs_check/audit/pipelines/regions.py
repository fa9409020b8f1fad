"""The paths of an input as regions of the space of draws: alike ones together, and merged where they make one polyhedron.

Theorem C: where the rows that hold on all paths of an output cut out a polyhedron that no other path meets, it is their union,
since paths of a run without discrete draws divide the space. It takes their place, and how the output was found is forgotten.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.proofs_check.audit.pipelines.paths import Path
from finitedp.proofs_check.engine.noise.rows import Form, Items, Row, contradiction, supports
from finitedp.proofs_check.engine.noise.runs import Draw


@frozen
class Region:
    """A part of the space of draws where the output is one form of them.

    draws: those that matter, by number. rows: what holds there, the tightest of each direction. paths: what it is made of.
    weight: the probability of their discrete draws. merged: whether it takes the place of several, by Theorem C.
    """

    draws: Mapping[int, Draw]
    rows: tuple[Row, ...]
    shape: Any
    forms: tuple[Form, ...]
    weight: mpq
    paths: tuple[Path, ...]
    merged: bool = False

    @cached_property
    def output(self) -> tuple[Any, ...]:
        """What an observer sees of the path: regions of one output differ in their rows alone."""
        return self.shape, self.forms, tuple((k, draw.kind, draw.of_forms) for k, draw in sorted(self.draws.items()))

    @cached_property
    def known(self) -> tuple[Row, ...]:
        """The rows, and what is known of the draws without them."""
        return *supports((k, draw.kind) for k, draw in sorted(self.draws.items())), *self.rows

    @cached_property
    def by_direction(self) -> Mapping[Items, Row]:
        """The known rows."""
        return {row.items: row for row in tightest(self.known)}


def tightest(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Of the rows of each direction the one that implies the others."""
    found = dict[Items, Row]()
    for row in rows:
        least = found.get(row.items)
        if least is None or (row.constant, not row.strict) < (least.constant, not least.strict):
            found[row.items] = row
    return tuple(sorted(found.values()))


def regions(paths: Sequence[Path]) -> tuple[Region, ...]:
    """The regions of an input, as the paths are."""
    alike = defaultdict[Any, list[Region]](list)
    for path in paths:
        region = _region(path)
        alike[region.output, region.rows].append(region)
    return tuple(
        evolve(same[0], weight=sum((one.weight for one in same), mpq(0)), paths=tuple(p for one in same for p in one.paths))
        for same in alike.values()
    )


def _region(path: Path) -> Region:
    """A path as a region: what it tells of a uniform draw that nothing else depends on is a probability."""
    held = [items for _, of_forms, *_ in path.draws for items, _ in of_forms]
    together = {
        k
        for items in (*held, *(f.items for f in path.forms), *(r.items for r in path.rows if len(r.items) > 1))
        for k, _ in items
    }
    rows, weight = tightest(path.rows), path.weight
    for k, draw in enumerate(path.draws):
        if draw.kind == "uniform" and k not in together:
            ends = {row.items[0][1]: row.constant for row in rows if row.items[0][0] == k}
            rows = tuple(row for row in rows if row.items[0][0] != k)
            weight *= ends.get(mpq(-1), mpq(1)) + ends.get(mpq(1), mpq(0))  # x < u and x > -l
    live = set[int]()
    waiting = [k for items in (*(f.items for f in path.forms), *(r.items for r in rows)) for k, _ in items]
    while waiting:
        k = waiting.pop()
        if k not in live:
            live.add(k)
            waiting += [j for form in path.draws[k].of_forms for j, _ in form.items]
    return Region({k: path.draws[k] for k in sorted(live)}, rows, path.shape, path.forms, weight, (path,))


def merged(found: Sequence[Region]) -> tuple[Region, ...]:
    """The same regions, those of one output as one where Theorem C says so."""
    paths = [path for region in found for path in region.paths]
    kinds = dict[int, str]()  # of one law on all paths that make so many draws, so that the paths divide one space
    same = all(kinds.setdefault(k, draw.kind) == draw.kind for path in paths for k, draw in enumerate(path.draws))
    drawn = all(draw.is_drawn for path in paths for draw in path.draws)
    whole = same and drawn and all(region.weight == 1 for region in found)
    return tuple(_merged(found)) if whole else tuple(found)


def _merged(found: Sequence[Region]) -> Iterable[Region]:
    groups = defaultdict[Any, list[Region]](list)
    for region in found:
        groups[region.shape, region.forms].append(region)
    for group in groups.values():
        others = [region for region in found if all(region is not one for one in group)]
        whole = hull(group) if len(group) > 1 else None
        if whole is None or not all(disjoint(whole, region) for region in others):
            yield from group
        else:
            yield whole


def hull(group: Sequence[Region]) -> Region:
    """What is cut out by those of the regions' rows that hold on all of them."""
    candidates = dict.fromkeys(row for region in group for row in region.rows)
    rows = [row for row in candidates if all(implies(region, row) for region in group)]
    draws = {k: draw for region in group for k, draw in region.draws.items()}
    for row in list(rows):  # what others imply is left out
        rest = tuple(one for one in rows if one != row)
        if contradiction((*supports((k, draw.kind) for k, draw in draws.items()), *rest, row.opposite())) is not None:
            rows = list(rest)
    live = {k for items in (*(row.items for row in rows), *(form.items for form in group[0].forms)) for k, _ in items}
    kept = {k: draws[k] for k in sorted(live)}
    paths = tuple(path for region in group for path in region.paths)
    return evolve(group[0], draws=kept, rows=tightest(rows), paths=paths, merged=True)


def implies(region: Region, row: Row) -> bool:
    """Whether a row holds in all of a region."""
    own = region.by_direction.get(row.items)
    if own is not None and own.constant <= row.constant:
        return True
    return contradiction((*region.known, row.opposite())) is not None


def disjoint(left: Region, right: Region) -> bool:
    """Whether no draws are in both regions."""
    for row in right.rows:
        own = left.by_direction.get(row.opposite().items)
        if own is not None and own.constant + row.constant <= 0:
            return True
    return contradiction((*left.known, *right.known)) is not None
