"""Speed of flexible accuracy: distances and their re-check, tables, a million bars: `python tests/benchmarks/flexible.py`.

Times are the processor's own, medians of several runs, since other processes may be running.
"""

import random
from collections.abc import Callable
from statistics import median as middle
from time import process_time
from typing import Any

import numpy as np
from timing import Row, duration

from finitedp.impl.flexible import tables
from finitedp.impl.flexible.bulk import release_array
from finitedp.impl.flexible.shifted_truncated import shifted_truncated
from finitedp.impl.randomness.words import AesCtrWords
from finitedp.proofs_check.flexible_certificate import recheck
from finitedp.spec.flexible.certificates import value_certificate
from finitedp.spec.flexible.lossy_wasserstein import Distance, absolute, largest_coordinate, lossy_infinity, sum_of_coordinates
from finitedp.spec.pmf import Pmf


def median(function: Callable[[], object], repeats: int = 7) -> float:
    """The median processor time of one call, in seconds."""
    times = []
    for _ in range(repeats):
        start = process_time()
        function()
        times.append(process_time() - start)
    return middle(times)


def _law(rng: random.Random, point: Callable[[], Any]) -> Pmf[Any]:
    return Pmf({point(): rng.getrandbits(128) + 1 for _ in range(500)})


def distances() -> list[Row]:
    rng, rows = random.Random(1), []
    kinds: tuple[tuple[str, Distance, Callable[[], Any]], ...] = (
        ("|x - y|", absolute, lambda: rng.randrange(10**6)),
        ("l-infinity in the plane", largest_coordinate, lambda: (rng.randrange(1000), rng.randrange(1000))),
        ("l1 in the plane", sum_of_coordinates, lambda: (rng.randrange(1000), rng.randrange(1000))),
    )
    for name, distance, point in kinds:
        p, q = _law(rng, point), _law(rng, point)
        found = lossy_infinity(p, q, distance, "1/100")
        document = value_certificate(found, distance)
        took = median(lambda p=p, q=q, d=distance: lossy_infinity(p, q, d, "1/100"), repeats=3)  # type: ignore[misc]
        check = median(lambda d=document: recheck(d), repeats=3)  # type: ignore[misc]
        rows.append((f"W of two supports of 500, 128 bits, {name}", duration(took), "3 s", f"the value is {found.value}"))
        rows.append((f"its certificate re-checked, {name}", duration(check), "1 s", str(recheck(document) is None)))
    return rows


def one_sided_tables() -> list[Row]:
    rows = []
    for epsilon in ("1/10", "1"):

        def build(epsilon: str = epsilon) -> tables.ShiftedTable:
            tables._table.cache_clear()  # what is measured is building
            return tables.shifted_table(tables.least_q(epsilon, f"1/{2**40}"), epsilon)

        took = median(build)
        rows.append((f"least q and table, epsilon = {epsilon}, delta = 2^-40", duration(took), "50 ms", f"q = {build().q}"))
    return rows


def a_million_bars() -> list[Row]:
    rows, counts = [], np.full(10**6, 300)
    for epsilon in ("1/10", "1"):
        mechanism = shifted_truncated(10**6, epsilon, f"1/{2**20}")
        took = median(lambda m=mechanism: release_array(m, counts, AesCtrWords()), repeats=5)  # type: ignore[misc]
        rows.append(
            (f"a million bars, epsilon = {epsilon}, AES-CTR", f"{took * 1e3:.1f} ns a bar", "60 ns", f"q = {mechanism.q}")
        )
    return rows


PARTS: tuple[Callable[[], list[Row]], ...] = (distances, one_sided_tables, a_million_bars)

if __name__ == "__main__":
    for part in PARTS:
        for row in part():
            print(*row, sep=" | ")
