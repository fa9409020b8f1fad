"""What it costs to enclose the composition of dyadic tables: `python tests/benchmarks/accounting.py`.

Processor time, and both bounds. Claims, and other people's accountants, are in docs/accountants.
"""

import time
from collections.abc import Callable

from gmpy2 import mpq

from finitedp.impl.accounting.composing import Composition, compose
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.numbers import interval


def enclosure(title: str, made: Callable[[], Composition], at: mpq) -> None:
    """Delta at epsilon: both bounds, with the time of both."""
    start = time.process_time()
    low, high = made().delta(at)
    took = time.process_time() - start
    print(f"{title}, delta at epsilon = {at}: {interval(low, high, 15)}, {took:.3f} s")


def main() -> None:
    """All questions."""
    table = DyadicSample(10**6, "1/10")
    for at in (mpq(1), mpq(8)):
        enclosure("1,000 runs of a dyadic table, n = 10^6, epsilon = 1/10", lambda: compose([(table.claim(), 1000)]), at)
    tables = [DyadicSample(10**6, mpq(i, 1000)) for i in range(1, 200)]
    listed = [(each.claim(), 5 + (i < 5)) for i, each in enumerate(tables)]
    enclosure("1,000 runs of 199 dyadic tables, epsilon = 1/1000 to 199/1000", lambda: compose(listed), mpq(5))


if __name__ == "__main__":
    main()
