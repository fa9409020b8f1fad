"""Small mechanisms as people write them: calls of numpy and the standard library around draws of few values."""

import bisect
import collections
import datetime
import fractions
import functools
import heapq
import itertools
import json
import math
import operator
import random
import statistics
import struct
import textwrap
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

Mechanism = Callable[[int, random.Random], Any]

ORDINARY: dict[str, Mechanism] = {
    "np.clip": lambda n, rng: int(np.clip(n + rng.randrange(5) - 2, 0, 3)),
    "np.sum": lambda n, rng: int(np.sum([rng.randrange(3), rng.randrange(3), n])),
    "np.sign": lambda n, rng: int(np.sign(rng.randrange(5) - 2 + n)),
    "np.abs": lambda n, rng: int(np.abs(rng.randrange(7) - 3 - n)),
    "np.maximum": lambda n, rng: int(np.maximum(n, rng.randrange(4))),
    "np.dot": lambda n, rng: int(np.dot([1, 2], [rng.randrange(3), n])),
    "array > draw": lambda n, rng: int((np.arange(5) + n > rng.randrange(5)).sum()),
    "json.dumps": lambda n, rng: json.dumps({"count": n + rng.randint(-1, 1)}),
    "statistics.mean": lambda n, rng: str(statistics.mean([n, rng.randrange(4), rng.randrange(2)])),
    "Decimal + draw": lambda n, rng: str(Decimal("0.5") + rng.randrange(3) + n),
    "math.sqrt": lambda n, rng: math.sqrt(n + rng.randrange(5)) < 1.5,
    "math.exp": lambda n, rng: math.exp(-rng.randrange(4)) < 0.2 or n > 0,
    "math.log": lambda n, rng: math.log(1 + rng.randrange(6) + n) > 1.0,
    "float": lambda n, rng: float(rng.randrange(4)) + n > 2.5,
    "format": lambda n, rng: f"{n + rng.randrange(3):03d}",
    "percent": lambda n, rng: "%d of %s" % (rng.randrange(3), n),  # noqa: UP031  # as people write it
    "str.zfill": lambda n, rng: str(rng.randrange(12) + n).zfill(3),
    "np.where": lambda n, rng: int(np.where(rng.randrange(3) > 1, n, 7)),
    "np.mean": lambda n, rng: bool(np.mean([n, rng.randrange(3)]) > 1),
    "np.median": lambda n, rng: bool(np.median([n, rng.randrange(5), 2]) >= 2),
    "np.array": lambda n, rng: np.array([n, rng.randrange(3)]).tolist() == [0, 1],
    "np.zeros": lambda n, rng: int(np.zeros(rng.randrange(1, 4)).size + n),
    "np.arange": lambda n, rng: int(np.arange(rng.randrange(1, 4)).sum() + n),
    "np.eye": lambda n, rng: int(np.eye(3, k=rng.randrange(3)).sum()) + n,
    "np.cumsum": lambda n, rng: int(np.cumsum([rng.randrange(2) for _ in range(3)])[-1]) + n,
    "np.sort": lambda n, rng: np.sort([rng.randrange(3), n, 1]).tolist()[1],
    "np.argmax": lambda n, rng: int(np.argmax([rng.randrange(3), n, rng.randrange(2)])),
    "np.unique": lambda n, rng: len(np.unique([rng.randrange(3), rng.randrange(3), n])),
    "np.bincount": lambda n, rng: np.bincount([rng.randrange(3), n], minlength=3).tolist()[0],
    "np.floor": lambda n, rng: int(np.floor(rng.randrange(5) / 2)) + n,
    "np.int64": lambda n, rng: int(np.int64(rng.randrange(5)) + np.int64(n)),
    "np.random-like table": lambda n, rng: int(np.array([[0, 1], [1, 0]])[rng.randrange(2), n % 2]),
    "math.comb": lambda n, rng: math.comb(4, rng.randrange(5)) + n,
    "math.gcd": lambda n, rng: math.gcd(rng.randrange(1, 7), 6) + n,
    "pow modulo": lambda n, rng: pow(3, rng.randrange(5), 7) + n,
    "Fraction": lambda n, rng: str(fractions.Fraction(rng.randrange(1, 5), 6) + n),
    "struct": lambda n, rng: struct.pack("<B", rng.randrange(4) + n).hex(),
    "to_bytes": lambda n, rng: (rng.randrange(300) + n).to_bytes(2, "big").hex(),
    "chr": lambda n, rng: chr(97 + rng.randrange(3) + n),
    "slices": lambda n, rng: "abcdef"[rng.randrange(3) : 4 + n],
    "range": lambda n, rng: sum(range(rng.randrange(5))) + n,
    "itertools": lambda n, rng: list(itertools.islice(itertools.count(n), rng.randrange(4))) == [n, n + 1],
    "Counter": lambda n, rng: collections.Counter(rng.randrange(2) for _ in range(3)).most_common(1)[0][1] + n,
    "deque": lambda n, rng: collections.deque([1, 2, 3, n], maxlen=rng.randrange(1, 4))[0],
    "heapq": lambda n, rng: heapq.nlargest(1, [rng.randrange(3), rng.randrange(3), n])[0],
    "bisect": lambda n, rng: bisect.bisect([1, 3, 5], rng.randrange(7)) + n,
    "sorted by key": lambda n, rng: turned([2, n, 1], rng.randrange(3)),
    "reduce": lambda n, rng: functools.reduce(operator.xor, (rng.randrange(4) for _ in range(2)), n),
    "timedelta": lambda n, rng: str(datetime.timedelta(hours=rng.randrange(3) + n)),
    "divmod": lambda n, rng: divmod(rng.randrange(9) + n, 4),
    "bit_length": lambda n, rng: (rng.getrandbits(3) + n).bit_length(),
    "choices": lambda n, rng: rng.choices([0, 1, 2], weights=[1, 2, 1])[0] + n,
    "shuffle": lambda n, rng: shuffled([0, 1, 2], rng)[n % 3],
    "sample": lambda n, rng: (*sorted(rng.sample(range(4), 2)), n),
    "isinstance": lambda n, rng: n + rng.randrange(3) if isinstance(rng.randrange(2), int) else -1,
    "type is int": lambda n, rng: n + 1 if type(rng.randrange(3)) is int else -1,
    "textwrap": lambda n, rng: textwrap.fill("a b c d", width=rng.randrange(3, 6)) + str(n),
    "a swallowed error": lambda n, rng: n + swallowed(rng.randrange(3)),
    "dict of draws": lambda n, rng: {0: "a", 1: "b", 2: "c"}[rng.randrange(3)] * (n + 1),
    "set of draws": lambda n, rng: len({rng.randrange(3), rng.randrange(3), n}),
}


def shuffled(values: list[int], rng: random.Random) -> list[int]:
    """The values, in another order."""
    rng.shuffle(values)
    return values


def turned(values: list[int], by: int) -> tuple[int, ...]:
    """In the order of residues that are moved."""
    return tuple(sorted(values, key=lambda x: (x + by) % 3))


def swallowed(u: int) -> int:
    """1 / u as a whole number, 0 where there is none."""
    try:
        return int(Decimal(1) / Decimal(u))
    except ArithmeticError:
        return 0


NUMPY: dict[str, tuple[Callable[[int, np.random.Generator], Any], dict[Any, int]]] = {
    "clip": (lambda n, rng: int(np.clip(n + rng.integers(-2, 3), 0, 2)), {0: 2, 1: 1, 2: 2}),
    "float of a draw": (lambda n, rng: float(rng.integers(3)) > n, {False: 2, True: 1}),
    "array of draws": (lambda n, rng: int(rng.integers(2, size=3).sum()) + n, {1: 1, 2: 3, 3: 3, 4: 1}),
    "comparison with an array": (lambda n, rng: int((np.arange(4) > rng.integers(4)).sum()) + n, {1: 1, 2: 1, 3: 1, 4: 1}),
    "square root": (lambda n, rng: bool(np.sqrt(rng.integers(6)) > n), {True: 4, False: 2}),
    "type": (lambda _n, rng: type(rng.integers(2)).__name__, {"int64": 1}),
    "dtype": (lambda _n, rng: str(np.asarray(rng.integers(2)).dtype), {"int64": 1}),
    "index": (lambda n, rng: int(np.array([5, 6, 7])[rng.integers(3)]) + n, {6: 1, 7: 1, 8: 1}),
    "choice": (lambda n, rng: int(rng.choice([1, 2, 3, 3])) * n, {1: 1, 2: 1, 3: 2}),
    "permutation": (lambda n, rng: int(rng.permutation(3)[n]), {0: 1, 1: 1, 2: 1}),
    "format": (lambda n, rng: f"{rng.integers(2):02d}{n}", {"001": 1, "011": 1}),
    "int32": (lambda n, rng: int(rng.integers(0, 3, dtype=np.int32) + n), {1: 1, 2: 1, 3: 1}),
}
"""Of numpy's generator, each with its law as numbers of equally likely ways."""
