"""The data of the six experiments, as integers: fixed steps, quantile counts and seeded draws, with the hash of each.

The draws use floating-point numbers, which only decide which integers the data are; docs/data/experiments.json holds them.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from math import log, pi, tan
from random import Random
from typing import Any, NamedTuple

from flint import arb, fmpq

from finitedp.spec.flexible.statistics import flexible_max_k, flexible_mode, max_k, mode

Histogram = tuple[int, ...]
DRAWS = 3


class Setting(NamedTuple):
    """An experiment: number, what is asked (max_k, or the mode for k = 0), and data sets, whose errors are averaged."""

    number: int
    title: str
    k: int
    data: tuple[Histogram, ...]

    @property
    def bars(self) -> int:
        """How many bars the public list has."""
        return len(self.data[0])

    def answer(self, x: Histogram) -> int:
        """The exact answer."""
        return max_k(x, self.k) if self.k else mode(x)

    def flexible(self, x: Histogram) -> frozenset[int]:
        """The answers with at most 0.005 n rows left out."""
        dropped = sum(x) // 200
        return flexible_max_k(x, self.k, dropped) if self.k else flexible_mode(x, dropped)


def _steps(*steps: tuple[int, int]) -> Histogram:
    """(height, width) of each step."""
    return tuple(height for height, width in steps for _ in range(width))


def _cauchy_shares() -> list[arb]:
    """Pr[the value is in [i, i + 1)] of a Cauchy variable with median 45 and scale 4, restricted to [0, 100)."""
    below = [(arb(fmpq(x - 45, 4))).atan() for x in range(101)]
    return [(b - a) / (below[-1] - below[0]) for a, b in pairwise(below)]


def _quantile_counts(rows: int) -> Histogram:
    """The largest remainders of the shares: counts without chance."""
    shares = [share * rows for share in _cauchy_shares()]
    counts = [int(float(share)) for share in shares]
    order = sorted(range(len(shares)), key=lambda i: -float(shares[i] - counts[i]))
    for i in order[: rows - sum(counts)]:
        counts[i] += 1
    return tuple(counts)


def _cauchy(seed: int) -> Histogram:
    draw, counts, rows = Random(f"cauchy {seed}"), [0] * 100, 0  # data, not noise
    while rows < 10_000:
        value = 45 + 4 * tan(pi * (draw.random() - 0.5))
        if 0 <= value < 100:
            counts[int(value)] += 1
            rows += 1
    return tuple(counts)


def _poisson(seed: int) -> Histogram:
    """30 counts: how many unit exponentials sum to at most 250."""
    draw, counts = Random(f"poisson {seed}"), list[int]()  # as above
    for _ in range(30):
        count, sum_of_gaps = -1, 0.0
        while sum_of_gaps <= 250:
            sum_of_gaps -= log(1 - draw.random())
            count += 1
        counts.append(count)
    return tuple(counts)


def _last_ten_empty(x: Histogram) -> Histogram:
    return (*x[:90], *(0 for _ in range(10)))


def _of(quantiles: Callable[[Histogram], Histogram]) -> tuple[Histogram, ...]:
    return tuple(quantiles(x) for x in (_quantile_counts(10_000), *(_cauchy(seed) for seed in range(DRAWS))))


NOISY_STEPS = _steps((130, 120), (200, 5), (185, 85), (190, 10), (130, 80))

SETTINGS: tuple[Setting, ...] = (
    Setting(1, "max, Cauchy(45, 4) on 100 bars, the last 10 empty", 1, _of(_last_ten_empty)),
    Setting(2, "max, steps 1000 x 50, 1 x 50", 1, (_steps((1000, 50), (1, 50)),)),
    Setting(3, "max_500, Cauchy(45, 4) on 100 bars", 500, _of(lambda x: x)),
    Setting(4, "max_500, steps 540 x 50, 490 x 50", 500, (_steps((540, 50), (490, 50)),)),
    Setting(5, "mode, Poisson(250) on 30 bars", 0, tuple(_poisson(seed) for seed in range(DRAWS))),
    Setting(
        6,
        "mode, steps 130 x 120, 200 x 5, 185 x 85, 190 x 10, 130 x 80",
        0,
        (NOISY_STEPS,),
    ),
)


def digest(x: Histogram) -> str:
    """SHA-256 of the counts, written in decimal with commas between."""
    return sha256(",".join(map(str, x)).encode()).hexdigest()


def document() -> dict[str, Any]:
    """All data sets, as docs/data/experiments.json has them."""
    return {
        str(setting.number): {"title": setting.title, "data": [{"sha256": digest(x), "counts": list(x)} for x in setting.data]}
        for setting in SETTINGS
    }


def written() -> str:
    """The document as text."""
    return json.dumps(document(), indent=1).replace("\n     ", " ").replace("\n    ]", " ]") + "\n"
