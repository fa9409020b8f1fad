"""KH', SparseHistogram and PureSparseHistogram on small universes: the running code, its laws, and broken copies of it.

Makers, explorations and laws by definition are remembered, since several claims speak of the same ones.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from functools import cache, lru_cache, partial
from itertools import accumulate
from typing import Any, NamedTuple, Protocol, TypeVar

from attrs import frozen
from gmpy2 import mpq

from finitedp.impl.counting.geometric import CountingMechanism, GeoSample
from finitedp.impl.histograms.mixing import Mixed
from finitedp.impl.histograms.order_statistics import OrdSample
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram, random_histogram
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy, SparseHistogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.counting.subjects import running_law as counting_running_law
from finitedp.proofs_check.claims.bv.sparse.parts import PARTS, Bins
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric, toy_law
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.spec import sparse as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

Rows = tuple[int, ...]
L_contra = TypeVar("L_contra", contravariant=True)
R_co = TypeVar("R_co", bound=Hashable, covariant=True)
L = TypeVar("L", bound=Hashable)
R = TypeVar("R", bound=Hashable)

FIVE = ((0, 0), (0, 1), (1, 4), (2, 2), (3, 4))  # datasets of 2 rows over 5 labels
SOME = ((3, 3), (1, 4), (4, 5))  # and over 6
GEO = mpq(2, 3)  # GeoSample at epsilon = 1
EPSILON = 1  # of PureSparseHistogram; the mechanism's may be smaller


class Released(Protocol[L_contra, R_co]):
    """Anything that releases a histogram of a dataset; a value, so that its laws are remembered."""

    def release(self, data: Iterable[L_contra], coins: Coins) -> R_co:
        """The released bins."""
        ...

    def __hash__(self) -> int: ...


Sparse = Released[int, Bins]


class Case(NamedTuple):
    """|X|, n, the decay of the noise, delta = 1/r (or beta_1 = 1/r), and whether s is the paper's own or the next power of 2.

    r: 1 for KH', which has neither. rows: the datasets; all multisets of n rows where there are none.
    """

    size: int
    n: int
    decay: mpq
    r: int = 1
    literal: bool = False
    rows: tuple[Rows, ...] = ()

    @property
    def datasets(self) -> tuple[Rows, ...]:
        """The datasets to look at."""
        return self.rows or tuple(multisets(range(self.size), self.n))

    @property
    def pairs(self) -> list[tuple[Rows, Rows]]:
        """The neighbouring pairs of them."""
        chosen = set(self.datasets)
        return [(a, b) for a, b in neighbouring_multisets(range(self.size), self.n, "replace-one") if {a, b} <= chosen]

    @property
    def universe(self) -> Integers:
        """The labels 0..size-1."""
        return Integers(0, self.size - 1)

    def noisy(self, count: int) -> Pmf[int]:
        """The law of the counting mechanism, from its definition."""
        return toy_law(self.n, self.decay, count)

    def __str__(self) -> str:
        share = f", 1/{self.r}" if self.r > 1 else ""
        s = ", the paper's s" if self.literal else ""
        return f"|X|={self.size}, n={self.n}, decay {self.decay}{share}{s}" + (f", {self.rows}" if self.rows else "")


Make = Callable[[Case], Sparse]
"""Makes the running code, or a broken copy of it, for a case."""


# The running code and its laws


def counting_mechanism(n: int, decay: mpq) -> CountingMechanism:
    """GeoSample where it has that decay, else a toy."""
    return GeoSample(n, 1) if decay == GEO else ToyGeometric(n, decay)


def scaled_cdf(case: Case) -> tuple[int, ...]:
    """The distribution function of the noise of an empty bin, in integers, from its definition."""
    law = case.noisy(0)
    return tuple(accumulate(law.weight(z) for z in range(case.n + 1)))


def kh(case: Case) -> SampledKeepHeavy[int]:
    """The running KH'."""
    return SampledKeepHeavy(ToyGeometric(case.n, case.decay), case.universe)


def sparse_s(case: Case) -> int:
    """SparseHistogram's s: the paper's (n^2 + 2n)|X|/delta, or the next power of two."""
    paper = (case.n**2 + 2 * case.n) * case.size * case.r
    return paper if case.literal else 1 << (paper - 1).bit_length()


def sparse(case: Case) -> SparseHistogram[int]:
    """The running SparseHistogram."""
    mechanism, delta = counting_mechanism(case.n, case.decay), mpq(1, case.r)
    if case.literal:
        return SparseHistogram(mechanism, case.universe, delta, s=sparse_s(case))
    return SparseHistogram(mechanism, case.universe, delta)


def pure_s(case: Case) -> int:
    """PureSparseHistogram's: the power of two from (n^2 + 2n)|X|/delta on, delta = (epsilon/3) beta_1 (3|X|)^-n."""
    delta = mpq(1, 3 * case.r * (3 * case.size) ** case.n)
    return 1 << (int((case.n**2 + 2 * case.n) * case.size / delta) - 1).bit_length()


def pure(case: Case) -> PureSparseHistogram[int]:
    """The running PureSparseHistogram."""
    return PureSparseHistogram(counting_mechanism(case.n, case.decay), case.universe, EPSILON, mpq(1, case.r))


@lru_cache(maxsize=1024)
def _explored(mechanism: Released[Any, Any], dataset: tuple[Any, ...]) -> tuple[Exploration[Any], Pmf[Any]]:
    found = explore(lambda coins: mechanism.release(dataset, coins))
    return found, found.law()


def explored(mechanism: Released[L, R], dataset: tuple[L, ...]) -> Exploration[R]:
    """What the explorer finds for one dataset."""
    return _explored(mechanism, dataset)[0]


def running_law(mechanism: Released[L, R], dataset: tuple[L, ...]) -> Pmf[R]:
    """The exact law of the running code."""
    return _explored(mechanism, dataset)[1]


@lru_cache(maxsize=1024)
def _law_at(size: int, n: int, decay: mpq, s: int, dataset: Rows) -> Pmf[Bins]:
    return spec.sparse_histogram(dataset, range(size), Case(size, n, decay).noisy, n, s)


def law_of_sparse(case: Case, dataset: Rows) -> Pmf[Bins]:
    """The law of SparseHistogram by definition."""
    return _law_at(case.size, case.n, case.decay, sparse_s(case), dataset)


def law_of_pure(case: Case, dataset: Rows) -> Pmf[Bins]:
    """The law of PureSparseHistogram by definition."""
    base = _law_at(case.size, case.n, case.decay, pure_s(case), dataset)
    return spec.pure_sparse_histogram(base, range(case.size), case.n, mpq(1, case.r))


def ranges_drawn(mechanism: Sparse, datasets: Iterable[Rows]) -> set[tuple[int, ...]]:
    """The ranges of the draws on each path for any of the datasets, sorted."""
    shapes = {shape for rows in datasets for shape, _ in explored(mechanism, rows).shapes}
    return {tuple(sorted(map(int, shape))) for shape in shapes}


def worst_miss(mechanism: CountingMechanism, a: int) -> mpq:
    """The largest probability, over all counts, of an error above a: of the running counting mechanism."""
    law = counting_running_law(mechanism)
    return max(miss_probability(law(c), c, a) for c in range(mechanism.n + 1))


# Broken copies


@cache
def _sparse_in_parts(part: str, case: Case) -> Sparse:
    return PARTS[part](counting_mechanism(case.n, case.decay), case.size, sparse(case).top)


@cache
def _kh_in_parts(part: str, size: int, n: int, decay: mpq) -> Sparse:
    mechanism = ToyGeometric(n, decay)
    return PARTS[part](mechanism, size, OrdSample(n, mechanism.scaled_cdf))


def broken_sparse(part: str) -> Make:
    """A broken copy of SparseHistogram."""
    return lambda case: _sparse_in_parts(part, case._replace(rows=()))


def broken_kh(part: str) -> Make:
    """A broken copy of KH'."""
    return lambda case: _kh_in_parts(part, case.size, case.n, case.decay)


@frozen
class MixedWith:
    """PureSparseHistogram put together from its parts, of which a broken copy replaces one."""

    case: Case
    part: str | None = None
    random: Callable[[Integers, int, Coins], Bins] = random_histogram

    def release(self, data: Iterable[int], coins: Coins) -> Bins:
        """The mixture."""
        return _mixed(self.case, self.part, self.random).release(tuple(data), coins)


@lru_cache(maxsize=64)
def _mixed(case: Case, part: str | None, random: Callable[[Integers, int, Coins], Bins]) -> Mixed[Any, Bins]:
    right = pure(case)
    base: Any = right.sparse if part is None else PARTS[part](right.mechanism, case.size, right.sparse.top)
    return Mixed(base.release, partial(random, case.universe, case.n), right.beta_1)


def unmixed(case: Case) -> Sparse:
    """Broken: SparseHistogram alone, never anything else."""
    return pure(case).sparse


def broken_pure(part: str) -> Make:
    """A broken copy of PureSparseHistogram with a broken SparseHistogram."""
    return lambda case: MixedWith(case._replace(rows=()), part)


def broken_copies(broken: Callable[[str], Make], *parts: str) -> dict[str, Any]:
    """Twins by name: broken copies in these parts, or in each of them."""
    return {part: broken(part) for part in parts or PARTS}


def counts_of_rows(universe: Integers, n: int, coins: Coins) -> Bins:
    """Broken: the random histogram counts its labels, so that histograms with a larger sum are impossible."""
    return tuple(sorted(Counter(int(coins.uniform(universe.size)) - 1 for _ in range(n)).items()))


def all_counts_positive(universe: Integers, n: int, coins: Coins) -> Bins:
    """Broken: counts are uniform in 1..n."""
    labels = dict.fromkeys(sorted(int(coins.uniform(universe.size)) - 1 for _ in range(n)))
    return tuple((x, int(coins.uniform(n))) for x in labels)
