"""Integer flows from masses on the left to masses on the right: a largest one, and a cheapest one of a given amount.

Nothing here is trusted: whoever takes a flow from here checks it, and checks the cut or the dual that shows that no flow is
larger or cheaper. All numbers are Python's integers, of any length.
"""

from collections.abc import Iterator, Sequence

from finitedp.errors import ParameterError

__all__ = ["Flow", "cheapest_flow", "largest_flow", "places", "potentials"]

Flow = dict[tuple[int, int], int]
"""How much goes from i to j, where it is above 0."""


def places(mask: int) -> Iterator[int]:
    """The positions of the ones of a mask, in increasing order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def largest_flow(supply: Sequence[int], demand: Sequence[int], near: Sequence[int]) -> tuple[Flow, tuple[int, ...]]:
    """A largest flow, and the set of left points that shows that none is larger.

    Parameters: supply and demand, integers of at least 0; near, for each i the mask of the j that it may send to.
    Returns: the flow, at most supply and demand; and a set A with supply(A) - demand(near(A)) = sum of supply - flow, the left
    points that an augmenting path from an unused supply reaches (max-flow min-cut). Method: first fit, then Dinic's.
    """
    state = _Transport(supply, demand, near)
    state.first_fit()
    while True:
        reached = state.augment()
        if reached is not None:
            return {(i, j): f for j, row in enumerate(state.into) for i, f in row.items()}, reached


class _Transport:
    """Supplies and demands that are left over, and into[j][i] = the flow from i to j."""

    def __init__(self, supply: Sequence[int], demand: Sequence[int], near: Sequence[int]) -> None:
        self.supply, self.demand, self.near = [int(s) for s in supply], [int(d) for d in demand], list(near)
        self.into: list[dict[int, int]] = [{} for _ in demand]

    def first_fit(self) -> None:
        """On a line with points in order this flow is a largest one already."""
        unmet = sum(1 << j for j, d in enumerate(self.demand) if d)
        for i, near in enumerate(self.near):
            for j in places(near & unmet):
                if not self.supply[i]:
                    break
                amount = min(self.supply[i], self.demand[j])
                self._push(i, j, amount)
                self.supply[i] -= amount
                self.demand[j] -= amount
                unmet &= ~(0 if self.demand[j] else 1 << j)

    def _push(self, i: int, j: int, amount: int) -> None:
        total = self.into[j].get(i, 0) + amount
        if total:
            self.into[j][i] = total
        else:
            self.into[j].pop(i, None)

    def augment(self) -> tuple[int, ...] | None:
        """One phase, along shortest paths, until none of that length is left; or the points reached, if there is none."""
        level = {i: 0 for i, left in enumerate(self.supply) if left}
        layers, frontier, unseen = list[int](), list(level), (1 << len(self.demand)) - 1
        ends = sum(1 << j for j, d in enumerate(self.demand) if d)
        while frontier:
            found = 0
            for i in frontier:
                found |= self.near[i] & unseen
            unseen &= ~found
            layers.append(found)
            if found & ends:
                self._block([i for i, depth in level.items() if depth == 0], level, layers)
                return None
            frontier = list({i: None for j in places(found) for i in self.into[j] if i not in level})
            level.update(dict.fromkeys(frontier, len(layers)))
        return tuple(sorted(level))

    def _block(self, starts: list[int], level: dict[int, int], layers: list[int]) -> None:
        """Depth-first search in the layers; a right point from which no path is left is taken out of its layer."""
        last, spent = len(layers) - 1, set[int]()
        for start in starts:
            while self.supply[start]:
                path = self._path(start, level, layers, last, spent)
                if path is None:
                    break
                self._send(start, path)

    def _path(
        self, start: int, level: dict[int, int], layers: list[int], last: int, spent: set[int]
    ) -> list[tuple[int, int]] | None:
        """A path as its steps (i to j), the following i taking back what it sends to j; None where there is none."""
        path, i = list[tuple[int, int]](), start
        while True:
            depth = level[i]
            choices = self.near[i] & layers[depth]
            if choices:
                j = (choices & -choices).bit_length() - 1
                if depth == last:
                    if self.demand[j]:
                        return [*path, (i, j)]
                    layers[depth] &= ~(1 << j)
                    continue
                following = next((k for k in self.into[j] if level.get(k) == depth + 1 and k not in spent), None)
                if following is None:
                    layers[depth] &= ~(1 << j)
                    continue
                path.append((i, j))
                i = following
            else:
                spent.add(i)
                if not path:
                    return None
                i, _ = path.pop()

    def _send(self, start: int, path: list[tuple[int, int]]) -> None:
        back = [(path[k + 1][0], j) for k, (_, j) in enumerate(path[:-1])]
        end = path[-1][1]
        amount = min(self.supply[start], self.demand[end], *(self.into[j][i] for i, j in back))
        for i, j in path:
            self._push(i, j, amount)
        for i, j in back:
            self._push(i, j, -amount)
        self.supply[start] -= amount
        self.demand[end] -= amount


def cheapest_flow(
    supply: Sequence[int], demand: Sequence[int], cost: Sequence[Sequence[int | None]], amount: int
) -> Flow | None:
    """A flow of an amount with the least sum of cost times flow, by networkx; None where no flow is that large.

    Parameters: cost, integers of at least 0, or None where nothing may be sent. Raises: ParameterError without networkx.
    """
    try:
        import networkx  # noqa: PLC0415  # optional
    except ImportError:
        raise ParameterError("cheapest flows need the networkx package: pip install networkx") from None
    graph = networkx.DiGraph()
    graph.add_node("source", demand=-int(amount))
    graph.add_node("sink", demand=int(amount))
    graph.add_edges_from(("source", ("left", i), {"capacity": int(s), "weight": 0}) for i, s in enumerate(supply))
    graph.add_edges_from((("right", j), "sink", {"capacity": int(d), "weight": 0}) for j, d in enumerate(demand))
    graph.add_edges_from(
        (("left", i), ("right", j), {"weight": int(c)})
        for i, row in enumerate(cost)
        for j, c in enumerate(row)
        if c is not None
    )
    try:
        _, found = networkx.network_simplex(graph)
    except networkx.NetworkXUnfeasible:
        return None
    return {(i, j): f for i in range(len(supply)) for (_, j), f in found[("left", i)].items() if f}


def potentials(
    supply: Sequence[int], demand: Sequence[int], cost: Sequence[Sequence[int | None]], flow: Flow
) -> tuple[int, list[int], list[int]]:
    """Numbers (l, u, v), u and v at least 0, with l - u_i - v_j <= cost_ij for all i and j: a dual of the flow.

    Where the flow is a cheapest one of its amount N, l N - sum u supply - sum v demand is its cost; else it may be less.
    Method: Bellman and Ford's on the residual graph of source, left, right and sink, which a cheapest flow leaves without a
    negative circle.
    """
    lefts, rights = len(supply), len(demand)
    source, sink = lefts + rights, lefts + rights + 1
    sent = [sum(f for (i, _), f in flow.items() if i == k) for k in range(lefts)]
    got = [sum(f for (_, j), f in flow.items() if j == k) for k in range(rights)]
    arcs = [(i, lefts + j, c) for i, row in enumerate(cost) for j, c in enumerate(row) if c is not None]
    arcs += [(lefts + j, i, -_known(cost[i][j])) for i, j in flow]
    arcs += [(source, i, 0) for i in range(lefts) if sent[i] < supply[i]] + [(i, source, 0) for i in range(lefts) if sent[i]]
    arcs += [(lefts + j, sink, 0) for j in range(rights) if got[j] < demand[j]]
    arcs += [(sink, lefts + j, 0) for j in range(rights) if got[j]]
    height = [0] * (sink + 1)
    for _ in range(sink + 2):
        changed = False
        for tail, head, weight in arcs:
            if height[tail] + weight < height[head]:
                height[head], changed = height[tail] + weight, True
        if not changed:
            break
    level = height[sink] - height[source]
    v = [max(0, height[sink] - height[lefts + j]) for j in range(rights)]
    u = [max([0, *(level - v[j] - c for j, c in enumerate(row) if c is not None)]) for row in cost]
    return level, u, v


def _known(cost: int | None) -> int:
    if cost is None:
        raise ParameterError("a flow uses a pair that has no cost")
    return cost
