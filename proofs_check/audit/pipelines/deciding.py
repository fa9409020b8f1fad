"""The verdicts on a pipeline: what shifts show for all neighbours, and where they do not, an event that breaks the claim.

Everything is decided by pipeline_certificate.py, as its reader will decide it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import exp, inf, log
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.proofs_check.audit.pipelines.searching import Matches, Side, about, matched, side_of
from finitedp.proofs_check.engine.noise.rows import inner_point
from finitedp.proofs_check.pipeline_certificate import (
    BY_ROUNDING,
    FAILS,
    SIGNS,
    UNKNOWN,
    Losses,
    Path,
    Region,
    all_shown,
    bound,
    breaks,
    cover,
    holds_if,
    nearly,
    rounded,
)

TAILS = (0, 1, 4, 16, 64, 256, 1024)
"""Scales beyond the center of a number at which an event may begin."""
MOST_EVENTS = 400
Claims = Mapping[str, Mapping[str, Any]]
"""By name, as in a certificate: "private", "renyi", "zcdp"."""
Pair = tuple[int, int]


@frozen
class Bound:
    """What the matches of two inputs, by their places, show: the losses of regions, the weight of what has no target."""

    pair: Pair
    matches: Matches
    losses: Losses
    open: Any

    @cached_property
    def epsilon(self) -> tuple[Any, Any]:
        """(ratio, cost) of the match with the largest ratio * e^cost: an epsilon for which it holds, where nothing is open."""
        found = [(p / q, cost) for p, q, cost, _ in self.losses]
        return max(found, key=lambda one: about(one[1]) + log(about(one[0])), default=(mpq(1), mpq(0)))

    @cached_property
    def squares(self) -> Any:  # noqa: ANN401  # a rational of any type
        """The largest sum of squares of the shifts of normal draws: mu^2."""
        return max((one[3] for one in self.losses), default=mpq(0))

    @cached_property
    def size(self) -> tuple[Any, ...]:
        """For an order."""
        return self.open, sum(map(about, self.epsilon)), self.squares


@frozen
class Witness:
    """What breaks a claim at two inputs.

    written: as in a certificate. here, there: about its probabilities at D and D', or what a curve is and may be. loss: about
    ln(P / P'); delta: about P - e^epsilon P'.
    """

    written: Mapping[str, Any]
    region: Region
    here: float
    there: float
    loss: float
    delta: float

    @property
    def size(self) -> tuple[float, float]:
        """For an order."""
        return self.loss, self.delta


@frozen
class Decision:
    """The verdicts by claim.

    worst: by claim, the bound that decides; witnesses: where one fails; rounded: where rounding alone makes one
    fail, shifts of all pairs with numbers of 40 bits, or None where those of `bounds` are enough.
    """

    verdicts: Mapping[str, str]
    bounds: Mapping[Pair, Bound]
    worst: Mapping[str, Bound]
    witnesses: Mapping[str, Witness]
    sides: Sequence[Side]
    rounded: Mapping[str, list[Matches] | None]


def decide(
    paths: Sequence[Sequence[Path]],
    pairs: Sequence[Pair],
    claims: Claims,
    *,
    merging: bool = True,
    look: Callable[[], None] = lambda: None,
) -> Decision:
    """Whether claims hold for the ideal draws of these paths, by input, at all pairs of neighbours.

    Parameters: look, which is called before each pair, and raises where the time is up.
    """
    sides = [side_of(found, merging=merging) for found in paths]
    bounds = dict[Pair, Bound]()
    for pair in pairs:
        look()
        bounds[pair] = bound_of(sides, pair, claims)
    left = {name: [bounds[pair] for pair in _open(bounds.values(), claim)] for name, claim in claims.items()}
    worst = {name: max(found or bounds.values(), key=lambda one: one.size) for name, found in left.items()}
    witnesses = dict[str, Witness]()
    for name, found in left.items():
        for each in found:
            look()
            one = witness_of(sides, each, claims[name])
            if one is not None and (name not in witnesses or one.size > witnesses[name].size):
                witnesses[name], worst[name] = one, each
    holds = holds_if(paths)
    verdicts = {name: FAILS if name in witnesses else UNKNOWN if found else holds for name, found in left.items()}
    near, by_rounding = (
        [side_of(rounded(one), merging=False) for one in paths] if witnesses else [],
        dict[str, list[Matches] | None](),
    )
    for name in witnesses:
        if not _open(bounds.values(), nearly(claims[name])):
            verdicts[name], by_rounding[name] = BY_ROUNDING, None
            continue
        first = dict.fromkeys([*(one.pair for one in left[name]), *pairs])
        shifts = _near(near, first, nearly(claims[name]))
        if shifts:
            verdicts[name], by_rounding[name] = BY_ROUNDING, [shifts[pair] for pair in pairs]
    return Decision(verdicts, bounds, worst, witnesses, sides, by_rounding)


def _open(bounds: Iterable[Bound], claim: Mapping[str, Any]) -> list[Pair]:
    return all_shown({one.pair: (one.losses, one.open) for one in bounds}, claim)


def bound_of(sides: Sequence[Side], pair: Pair, claims: Claims) -> Bound:
    """Of the regions as they are merged, or as they are: the bound that shows all claims, or the least."""
    here, there = (sides[i] for i in pair)
    ways, found = (one.covers() for one in (here, there)), list[Bound]()
    mine, theirs = ways
    for i in range(max(len(mine), len(theirs))):
        matches = matched(here, there, mine[min(i, len(mine) - 1)], theirs[min(i, len(theirs) - 1)])
        found.append(Bound(pair, matches, *bound(here.paths, here.regions, there.regions, matches)))
        if not any(_open(found[-1:], claim) for claim in claims.values()):
            return found[-1]
    return min(found, key=lambda one: one.size)


def _near(sides: Sequence[Side], pairs: Iterable[Pair], claim: Mapping[str, Any]) -> dict[Pair, Matches] | None:
    """Shifts that show a claim at all pairs; None where they do not."""
    found = dict[Pair, Matches]()
    for pair in pairs:
        one = bound_of(sides, pair, {"": claim})
        if _open([one], claim):
            return None
        found[pair] = one.matches
    return found


# Witnesses


def witness_of(sides: Sequence[Side], found: Bound, claim: Mapping[str, Any]) -> Witness | None:
    """The worst event that is found at two inputs."""
    return max(_witnesses(sides, found, claim), key=lambda one: one.size, default=None)


def _witnesses(sides: Sequence[Side], found: Bound, claim: Mapping[str, Any]) -> Iterator[Witness]:
    """Events that break a claim (Theorem E). Functions that jump have no density, so that with them nothing is found."""
    here, there = (sides[i] for i in found.pair)
    if any(path.calls or any(draw[0] not in SIGNS for draw in path.draws) for side in (here, there) for path in side.paths):
        return
    ways = [(cover(here.alike, here.whole), cover(there.alike, there.whole), True)] if here.whole or there.whole else []
    ways.append((here.alike, there.alike, False))
    for mine, theirs, merged in ways:
        done = False
        for written in _candidates(mine, theirs, found, claim):
            one = _witness(mine, theirs, {**written, "left": found.pair[0], "right": found.pair[1], "merged": merged}, claim)
            if one is not None:
                yield one
                done = True
                if one.written["kind"] != "event":
                    return
        if done:
            return


def _witness(
    mine: Sequence[Region], theirs: Sequence[Region], written: Mapping[str, Any], claim: Mapping[str, Any]
) -> Witness | None:
    try:
        ends = breaks(mine, theirs, written, claim)
    except ValueError:
        return None
    p, q = (about(low + high) / 2 if high < 1 << 1000 else inf for low, high in ends)
    factor = 1.0 if "delta" not in claim else exp(about(claim["epsilon"])) if claim["ratio"] is None else about(claim["ratio"])
    curve = written["kind"] == "curve"
    loss = inf if curve or ends[1][1] == 0 else log(p / q) if p > 0 < q else 0.0
    return Witness(written, mine[written["region"]], p, q, loss, p if curve else p - factor * q)


def _candidates(
    mine: Sequence[Region], theirs: Sequence[Region], found: Bound, claim: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    if len(mine) == len(theirs) == 1 and not found.open:
        yield {"kind": "curve", "region": 0, "conditions": (), "point": []}
    if "delta" not in claim:
        return
    for i, region in enumerate(mine):
        rows = tuple(region.known.values())
        yield {"kind": "space", "region": i, "conditions": (), "point": inner_point(rows) if rows else []}
    for shape in dict.fromkeys(region.shape for region in mine):
        lefts, rights = ([one for one in side if one.shape == shape] for side in (mine, theirs))
        first = next(i for i, region in enumerate(mine) if region.shape == shape)
        for conditions in _conditions(lefts, rights):
            yield {"kind": "event", "region": first, "conditions": conditions, "point": []}


def _conditions(lefts: Sequence[Region], rights: Sequence[Region]) -> Iterator[tuple[tuple[int, int, Any], ...]]:
    """Events of one output: all of it; each number beyond where it is centered; one number in its tails."""
    yield ()
    if any(one.rows and {"normal", "gumbel"} & {*one.kinds.values()} for one in (*lefts, *rights)):
        return  # they may be integrals, which take long
    for left in lefts if lefts[0].forms else ():
        for right in rights:
            apart = [(i, a[1], a[1] - b[1]) for i, (a, b) in enumerate(zip(left.forms, right.forms, strict=True))]
            yield tuple((i, 1 if by > 0 else -1, center) for i, center, by in apart if by)
    made = 0
    for i in range(len(lefts[0].forms)):
        held = [region.forms[i] for region in (*lefts, *rights)]
        width = max(chain((abs(v) for items, _ in held for _, v in items), [mpq(0)]))
        for center in sorted({constant for _, constant in held}):
            for away in TAILS if made < MOST_EVENTS else ():
                made += 2
                yield from (((i, up, center + up * away * width),) for up in (1, -1))
