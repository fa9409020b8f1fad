"""What the explorer is held against: programs run on plain integers for every value of each draw; random programs."""

import operator
from collections.abc import Callable
from random import Random
from typing import Any

from gmpy2 import mpq


class PlainCoins:
    """Coins that give a prescribed value for each draw, and the value 1 beyond them."""

    slack = mpq(1)

    def __init__(self, prefix: list[int]) -> None:
        self.values = prefix
        self.ranges: list[int] = []

    def uniform(self, d: int, most: int | None = None) -> int:
        self.ranges.append(int(d))
        if len(self.ranges) > len(self.values):
            self.values.append(1)
        return self.values[len(self.ranges) - 1]

    def bits(self, b: int) -> int:
        return self.uniform(2**b) - 1


def plain_law(program: Callable[[Any], Any]) -> dict[Any, mpq]:
    """The law of a program with finitely many values on its paths, one run for each; no lazy value is involved."""
    law: dict[Any, mpq] = {}
    prefix: list[int] | None = []
    while prefix is not None:
        coins = PlainCoins(list(prefix))
        output = program(coins)
        mass = mpq(1)
        for d in coins.ranges:
            mass /= d
        law[output] = law.get(output, mpq(0)) + mass
        prefix = _next(coins)
    return law


def _next(coins: PlainCoins) -> list[int] | None:
    values = coins.values[: len(coins.ranges)]
    while values and values[-1] == coins.ranges[len(values) - 1]:
        values.pop()
    if not values:
        return None
    values[-1] += 1
    return values


def random_program(seed: int) -> Callable[[Any], Any]:
    """A program of at most four draws that derives numbers from them, compares them, branches, and asks for values."""
    made = Random(seed)
    steps = [(made.random(), made.random(), made.random(), made.randint(-4, 4), made.randint(2, 7)) for _ in range(12)]

    def program(coins: Any) -> Any:
        numbers, told, draws = [coins.uniform(4), coins.uniform(3)], [], 2
        for kind, first, second, k, d in steps:
            x, y = (numbers[int(place * len(numbers))] for place in (first, second))
            if kind < 0.15 and draws < 4:
                numbers.append(coins.uniform(min(d, 5)))
                draws += 1
            elif kind < 0.4:
                numbers.append((x + k, k - x, x * k, x // (abs(k) + 1), -x)[int(first * second * 50) % 5])
            elif kind < 0.75:
                answer = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)[d - 2](x, y)
                told.append(answer)
                if answer and kind < 0.5 and draws < 4:
                    numbers.append(coins.uniform(3) + x)
                    draws += 1
            elif kind < 0.9:
                told.append(x >= k)
            else:
                told.append(x % 3)
        return (*told, numbers[-1])

    return program
