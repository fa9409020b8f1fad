"""Random programs that draw Laplace and exponential noise, whose laws of outputs are exact sums of exponentials."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq

from finitedp.exact import sign_of_exponentials
from finitedp.proofs_check.audit.pipelines.deciding import Bound
from finitedp.proofs_check.pipeline_certificate import Path, probability

Sum = dict[mpq, mpq]
DRAWS: Mapping[str, Callable[..., Any]] = {"laplace": np.random.laplace, "exponential": np.random.exponential}


def program(seed: int) -> Callable[[int], Any]:
    """A mechanism of a count: a tree of comparisons between noisy values, with labels at its leaves."""
    pick = random.Random(seed)
    kinds = [pick.choice(["laplace", "laplace", "exponential"]) for _ in range(pick.randint(1, 4))]
    values = [(kind, pick.randint(-1, 2), pick.choice([-1, 0, 1, 1]), pick.choice([1, 2, 4])) for kind in kinds]
    tree = _tree(pick, len(values), pick.randint(1, 4), list(range(len(values))))
    chance = pick.choice([None, None, (0.25, 0.5), (0.75, 0.25)])

    def mechanism(count: int) -> Any:
        noisy: list[Any] = []
        for kind, base, slope, scale in values:
            at = base + slope * count
            noisy.append(at + (np.random.exponential(scale) if kind == "exponential" else np.random.laplace(0, scale)))
        flipped = chance is not None and random.random() < chance[count]
        node = tree
        while isinstance(node, tuple):
            (i, j, constant, slope), yes, no = node
            other = constant + slope * count if j is None else noisy[j] + constant
            node = yes if noisy[i] > other else no
        return node, flipped

    return mechanism


def _tree(pick: random.Random, values: int, depth: int, draws: Sequence[int]) -> Any:
    if not depth or pick.random() < 0.15:
        return pick.choice("abc")
    i, j = pick.choice(draws), pick.choice([None, *draws])
    asked = i, None if i == j else j, pick.randint(-1, 2), pick.choice([0, 0, 1])
    return asked, _tree(pick, values, depth - 1, draws), _tree(pick, values, depth - 1, draws)


def law(paths: Sequence[Path]) -> dict[Any, Sum] | None:
    """The exact probability of each output; None where some path's is not computed."""
    found: dict[Any, Sum] = {}
    for path in paths:
        mass = probability({k: draw[0] for k, draw in enumerate(path.draws)}, path.rows)
        if mass is None:
            return None
        total = found.setdefault(path.shape, {})
        for x, c in mass.items():
            total[x] = total.get(x, mpq(0)) + c * path.weight
    return found


def sign(*parts: tuple[Sum, mpq, mpq]) -> int:
    """The sign of the sum of factor * e^exponent * sum."""
    return sign_of_exponentials([(c * factor, x + by) for total, factor, by in parts for x, c in total.items()])


def above(bound: Bound, left: Mapping[Any, Sum], right: Mapping[Any, Sum]) -> tuple[bool, bool]:
    """Whether the loss of some output is above the bound, and whether one attains it."""
    ratio, cost = bound.epsilon
    signs = [sign((mass, mpq(1), mpq(0)), (right.get(x, {}), -ratio, cost)) for x, mass in left.items()]
    return max(signs) > 0, max(signs) == 0
