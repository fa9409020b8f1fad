"""What own.growth runs: sizes, classes of datasets, and the running code of each statement on time."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.compact import compact_histogram_with_fast_sample
from finitedp.impl.histograms.distinct import distinct_sample
from finitedp.impl.histograms.order_statistics import ApproxOrdSample, OrdSample
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins, SeededBits, StrictCoins
from finitedp.proofs_check.checks.work import TooManyLines, lines_of

SEED = 20_261_122
UNLIMITED = 400_000  # lines; a run that has more at the smaller size is cut off too
FILLING = 30_000  # lines; no run at the larger size has as many the first time, and more than are allowed afterwards


class Size(NamedTuple):
    """n rows, |X| = 2^log_size labels, epsilon = 1/q."""

    n: int
    log_size: int
    q: int = 1

    @property
    def size(self) -> int:
        return 1 << self.log_size

    @property
    def log(self) -> int:
        """The bits of n."""
        return self.n.bit_length()


class Growth(NamedTuple):
    """A size and a larger one."""

    small: Size
    large: Size


Run = Callable[[Coins], object]


@frozen
class Timed:
    """What is run at a size: each class of datasets, or of parameters where there is no dataset; and the operations stated.

    runs: by size, the runs by the name of their class.
    """

    runs: Callable[[Size], dict[str, Run]] = field()
    operations: Callable[[Size], int] = field()


def datasets(size: Size) -> dict[str, Sequence[int]]:
    """The classes of datasets: how many rows agree, and where in the universe they are."""
    n, last = size.n, size.size - 1
    return {
        "equal rows": [5 % size.size] * n,
        "the last label": [last] * n,
        "two labels": [0] * (n // 2) + [last] * (n - n // 2),
        "different rows, the first labels": [x % size.size for x in range(n)],
        "different rows, spread": [x * (last // n) % size.size for x in range(n)],
    }


def histogram(make: Callable[[Size], Any]) -> Callable[[Size], dict[str, Run]]:
    """A release for every class of datasets."""

    def runs(size: Size) -> dict[str, Run]:
        made = make(size)
        return {name: partial(made.release, data) for name, data in datasets(size).items()}

    return runs


def counting(make: Callable[[Size], Any]) -> Callable[[Size], dict[str, Run]]:
    """A release for the least, a middle and the largest count."""

    def runs(size: Size) -> dict[str, Run]:
        made = make(size)
        return {f"count {c}": partial(made.release, c) for c in (0, size.n // 2, size.n)}

    return runs


def universe_of(size: Size) -> Integers:
    return Integers(0, size.size - 1)


def tops(size: Size) -> dict[str, Run]:
    """ApproxOrdSample for the least, a middle and the largest number of draws."""
    counting, s = GeoSample(size.n, mpq(1, size.q)), 1 << (2 * size.log_size + 20)
    sampler = ApproxOrdSample(size.n, counting.scaled_cdf, s, size.size)
    return {f"m = {m}": partial(sampler.release, m) for m in (size.n + 1, size.size // 2 + size.n, size.size)}


def exact_tops(size: Size) -> dict[str, Run]:
    sampler = OrdSample(size.n, GeoSample(size.n, mpq(1, size.q)).scaled_cdf)
    return {f"m = {m}": partial(sampler.release, m) for m in (size.n + 1, size.size)}


def binomials(size: Size) -> dict[str, Run]:
    """ApproxBinSample with few, many and no successes."""
    sampler, m = ApproxBinSample(1 << (size.log_size + 20)), size.size
    return {f"p = {p}/{q}": partial(sampler.release, m, p, q, size.n) for p, q in ((0, 1), (1, m), (1, 2))}


def distinct(size: Size) -> dict[str, Run]:
    """As many integers again as are excluded: none, few and many of a public bound."""
    numbers = range(0, size.size, size.size // size.n)
    return {
        f"{known} excluded": lambda coins, known=known: distinct_sample(size.size, numbers[:known], size.n, coins, size.n)  # type: ignore[misc]
        for known in (0, 1, size.n)
    }


def compact(size: Size) -> Any:  # noqa: ANN401  # a histogram
    return compact_histogram_with_fast_sample(universe_of(size), size.n, mpq(1, size.q), mpq(1, 20))


def _fresh(run: Run) -> object:
    return run(StrictCoins(SeededBits(SEED, not_private=True)))


def lines(run: Run) -> int:
    """The lines of a run, after one that fills what is remembered."""
    _fresh(run)
    return lines_of(lambda: _fresh(run), UNLIMITED)


def lines_within(run: Run, most: int) -> int:
    """The same, of a run that may be far too long. Raises: TooManyLines, once there are more than `most`."""
    with suppress(TooManyLines):  # the run that fills what is remembered
        lines_of(lambda: _fresh(run), max(most, FILLING))
    return lines_of(lambda: _fresh(run), most)


def with_loop(passes: Callable[[Size], int], timed: Timed) -> Timed:
    def looped(run: Run, size: Size, coins: Coins) -> object:
        for _ in range(passes(size)):
            pass
        return run(coins)

    def runs(size: Size) -> dict[str, Run]:
        return {name: partial(looped, run, size) for name, run in timed.runs(size).items()}

    return Timed(runs, timed.operations)
