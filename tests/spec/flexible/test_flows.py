"""Flows: largest and cheapest ones against networkx, brute force, and the cuts and duals that show that nothing is better."""

import builtins
import random
from typing import Any

import networkx
import pytest

from finitedp.errors import ParameterError
from finitedp.spec.flexible.flows import cheapest_flow, largest_flow, places, potentials

Instance = tuple[list[int], list[int], list[int]]


def instance(rng: random.Random, most: int = 8) -> Instance:
    n, m = rng.randint(1, most), rng.randint(1, most)
    top = rng.choice([3, 20, 2**100])
    supply, demand = [rng.randint(0, top) for _ in range(n)], [rng.randint(0, top) for _ in range(m)]
    return supply, demand, [rng.getrandbits(m) & rng.getrandbits(m) for _ in range(n)]


def largest_by_networkx(supply: list[int], demand: list[int], near: list[int]) -> int:
    graph = networkx.DiGraph()
    graph.add_nodes_from(["s", "t"])
    for i, mask in enumerate(near):
        graph.add_edge("s", ("l", i), capacity=supply[i])
        graph.add_edges_from((("l", i), ("r", j)) for j in places(mask))
    for j, d in enumerate(demand):
        graph.add_edge(("r", j), "t", capacity=d)
    return int(networkx.maximum_flow_value(graph, "s", "t", flow_func=networkx.algorithms.flow.preflow_push))


def test_places() -> None:
    assert list(places(0b101001)) == [0, 3, 5]
    assert list(places(0)) == []


@pytest.mark.parametrize("seed", range(6))
def test_largest_flows(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        supply, demand, near = instance(rng)
        flow, reached = largest_flow(supply, demand, near)
        total = sum(flow.values())
        assert all(f > 0 and near[i] >> j & 1 for (i, j), f in flow.items())
        assert all(sum(f for (i, _), f in flow.items() if i == k) <= s for k, s in enumerate(supply))
        assert all(sum(f for (_, j), f in flow.items() if j == k) <= d for k, d in enumerate(demand))
        mask = 0
        for i in reached:
            mask |= near[i]
        cut = sum(supply[i] for i in reached) - sum(demand[j] for j in places(mask))
        assert cut == sum(supply) - total  # no flow is larger
        assert total == largest_by_networkx(supply, demand, near)


def test_first_fit_is_not_always_largest() -> None:
    """The first row takes what only it could have left to the second: a path takes it back."""
    flow, reached = largest_flow([1, 1], [1, 1], [0b11, 0b01])
    assert flow == {(0, 1): 1, (1, 0): 1}
    assert reached == ()


def test_long_paths_take_back_many_flows() -> None:
    n = 60
    near = [0b11 << i for i in range(n - 1)] + [1 << 0]
    flow, _ = largest_flow([1] * n, [1] * n, near)
    assert sum(flow.values()) == n


@pytest.mark.parametrize("seed", range(4))
def test_cheapest_flows_have_a_dual_of_their_cost(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        supply, demand, near = instance(rng, 5)
        cost: list[list[int | None]] = [
            [rng.randint(0, 9) if mask >> j & 1 else None for j in range(len(demand))] for mask in near
        ]
        most = sum(largest_flow(supply, demand, near)[0].values())
        amount = rng.randint(0, most)
        flow = cheapest_flow(supply, demand, cost, amount)
        assert flow is not None
        assert sum(flow.values()) == amount
        paid = sum((cost[i][j] or 0) * f for (i, j), f in flow.items())
        level, u, v = potentials(supply, demand, cost, flow)
        if amount:
            worth = level * amount - sum(a * b for a, b in zip(u, supply, strict=True))
            assert worth - sum(a * b for a, b in zip(v, demand, strict=True)) == paid
        assert min([*u, *v]) >= 0
        assert all(c is None or level - u[i] - v[j] <= c for i, row in enumerate(cost) for j, c in enumerate(row))


def test_an_amount_that_is_too_large() -> None:
    assert cheapest_flow([1], [1], [[None]], 1) is None


def test_without_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name == "networkx":
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ParameterError, match="pip install networkx"):
        cheapest_flow([1], [1], [[0]], 1)
