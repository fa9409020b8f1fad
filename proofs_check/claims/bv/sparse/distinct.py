"""Appendix A of Balcer and Vadhan: the order-statistic tree (A.2) and DistinctSample (A.1, A.3)."""

from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import chain, combinations, permutations
from typing import NamedTuple

from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.histograms.distinct import OrderStatisticTree, distinct_sample
from finitedp.impl.randomness.coins import Coins, StrictCoins, UnusedDraws
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import algorithm, all_of, at_most, equal, lemma, same_law
from finitedp.spec.pmf import Pmf


class Members(NamedTuple):
    """A set of integers in 0..size-1, inserted in this order."""

    size: int
    members: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(self.size >= 1 and len(set(self.members)) == len(self.members), "a set")
        in_scope(all(0 <= x < self.size for x in self.members), "integers in 0..size-1")


def _subsets(size: int) -> list[Members]:
    every = chain.from_iterable(combinations(range(size), k) for k in range(size))
    return [Members(size, order) for members in every for order in {members, members[::-1]}]


Tree = Callable[[int], OrderStatisticTree]


class LeftOnly(OrderStatisticTree):
    """Broken: a member is counted at every node, also where it goes right."""

    def insert(self, x: int) -> None:
        for level in range(self.depth):
            node = level, x >> (level + 1)
            self._in_left_half[node] = self._in_left_half.get(node, 0) + 1
        self._members += 1


class Padded(OrderStatisticTree):
    """Broken: walks as if the universe were the next power of two, so that integers outside of it come out."""

    def free(self, rank: int) -> int:
        """Without the end of the universe."""
        size, self.size = self.size, 1 << self.depth
        try:
            return super().free(rank + (1 << self.depth) - size)
        finally:
            self.size = size


def _filled(make: Tree, case: Members) -> OrderStatisticTree:
    tree = make(case.size)
    for x in case.members:
        tree.insert(x)
    return tree


@lemma(
    "BV.PropA.2",
    """An order-statistic tree of integers in 0..size-1 tells how many members are below x, and which integer has a given
    number of others outside of the set below it. An insertion and a walk visit ceil(log2 size) nodes, whatever the set, and
    it holds at most that many counters for each member (a factor of log |T| more bits than the paper's balanced tree, whose
    paths depend on the members).""",
    over="every subset of 0..4 (full: 0..7) in two orders, and some of 2^64 and 10^30; against counting",
    code=["finitedp.impl.histograms.distinct.OrderStatisticTree"],
    grid=cases(
        Members,
        [*_subsets(1), *_subsets(5), Members(2**64, (0, 2**63, 2**64 - 1, 12345))],
        [*_subsets(2), *_subsets(8), Members(10**30, tuple(7**k for k in range(30)))],
    ),
    subject=OrderStatisticTree,
    twins={"counted at every node": LeftOnly, "the next power of two": Padded},
)
def order_statistics_of_a_set(make: Tree, case: Members) -> Finding:
    tree, members = _filled(make, case), sorted(case.members)
    small = case.size <= 64
    probes = range(case.size) if small else [y for x in members for y in (x - 1, x, x + 1) if 0 <= y < case.size]
    below = [equal(tree.below(x), sum(y < x for y in members), f"members below {x}") for x in probes]
    absent = [x for x in probes if x not in case.members]
    ranks = [x - sum(y < x for y in members) for x in absent]
    free = [equal(tree.free(r), x, f"free integer of rank {r}") for r, x in zip(ranks, absent, strict=True)]
    counters = at_most(tree.counters, len(members) * ceil_log2(case.size), "counters")
    visits = equal(_visits(tree, absent), {ceil_log2(case.size)}, "nodes visited by an insertion and by a walk")
    return all_of([*below, *free, counters, visits, equal(len(tree), len(members), "members")])


class _Visited(dict[tuple[int, int], int]):
    """Counters that count how often they are read."""

    reads = 0

    def get(self, key: tuple[int, int], default: int = 0) -> int:  # type: ignore[override]  # of integers alone
        self.reads += 1
        return super().get(key, default)


def _visits(tree: OrderStatisticTree, absent: list[int]) -> set[int]:
    """How many nodes a walk to each free rank, and an insertion at its end, visit."""
    found = {ceil_log2(tree.size)}
    for rank in range(len(absent) - 1):
        tree._in_left_half = counted = _Visited(tree._in_left_half)
        x = tree.free(rank)
        walked, counted.reads = counted.reads, 0
        probe = OrderStatisticTree(tree.size)
        probe._in_left_half = inserted = _Visited(tree._in_left_half)
        probe.insert(x)
        found |= {walked, inserted.reads}
    return found


class Sample(NamedTuple):
    """`number` distinct integers in 0..size-1 outside of `excluded`."""

    size: int
    excluded: tuple[int, ...]
    number: int


def _samples(size: int, most: int) -> list[Sample]:
    subsets = chain.from_iterable(combinations(range(size), k) for k in range(size + 1))
    return [Sample(size, a, r) for a in subsets for r in range(min(size - len(a), most) + 1)]


SAMPLES = Cases(_samples(4, 4), _samples(6, 3) + _samples(7, 2))
Draw = Callable[[int, Collection[int], int, Coins, int | None], tuple[int, ...]]


def _sorted(size: int, excluded: Collection[int], number: int, coins: Coins, _most: int | None = None) -> tuple[int, ...]:
    """Broken (erratum 9): the sample as a set."""
    return tuple(sorted(distinct_sample(size, excluded, number, coins)))


def _excluded_forgotten(
    size: int, _excluded: Collection[int], number: int, coins: Coins, _most: int | None = None
) -> tuple[int, ...]:
    """Broken: from all integers."""
    return distinct_sample(size, (), number, coins)


def _clockwise(size: int, excluded: Collection[int], number: int, coins: Coins, _most: int | None = None) -> tuple[int, ...]:
    """Broken: a draw that is taken already is moved to the next free integer."""
    taken, sequence = set(excluded), list[int]()
    for _ in range(number):
        x = int(coins.uniform(size)) - 1
        while x in taken:
            x = (x + 1) % size
        taken.add(x)
        sequence.append(x)
    return tuple(sequence)


def _unpadded(size: int, excluded: Collection[int], number: int, coins: Coins, _most: int | None = None) -> tuple[int, ...]:
    """Broken: as many insertions as there are excluded integers."""
    return distinct_sample(size, excluded, number, coins)


@lru_cache(maxsize=256)
def _explored(draw: Draw, case: Sample) -> Exploration[tuple[int, ...]]:
    return explore(lambda coins: draw(case.size, case.excluded, case.number, coins, None))


def uniform_sequences(draw: Draw, case: Sample) -> Finding:
    """Every sequence of distinct integers outside of the excluded ones is equally likely."""
    left = [x for x in range(case.size) if x not in case.excluded]
    return same_law(_explored(draw, case).law(), Pmf.uniform(permutations(left, case.number)), "sequences")


CODE = ["finitedp.impl.histograms.distinct.distinct_sample"]

algorithm(
    "BV.AlgA.3",
    "DistinctSample draws a rank among the integers that are left, finds the integer by the tree, adds it, and goes on.",
    over="every set A of a universe of 4 (full: 6, 7) integers, r <= |X minus A|; the law of the running code by the explorer",
    code=CODE,
    grid=SAMPLES,
    subject=distinct_sample,
    twins={"a sorted set": _sorted, "A forgotten": _excluded_forgotten, "the next free integer": _clockwise},
)(uniform_sequences)


@lemma(
    "BV.LemA.1",
    """A uniformly random sequence of r distinct integers outside of A takes r draws and r walks of ceil(log2 |X|) comparisons,
    and |A| + r insertions: quasi-linear in |A| + r. With a public bound on |A| the draws, their bits and the work are the same
    for every A.""",
    over="every set A of a universe of 4 (full: 6, 7) integers, r <= |X minus A|; paths of the running code, functions called",
    code=CODE,
    grid=SAMPLES,
    subject=distinct_sample,
    twins={"A forgotten": _excluded_forgotten, "the next free integer": _clockwise, "not padded": _unpadded},
)
def sample_cost(draw: Draw, case: Sample) -> Finding:
    shapes = _explored(draw, case).shapes
    expected = frozenset({((case.size,) * case.number, case.number * ceil_log2(case.size))})

    def work(excluded: Collection[int]) -> object:
        coins, most = UnusedDraws(StrictCoins()), len(case.excluded)
        return work_of(lambda: draw(case.size, excluded, case.number, coins, most))

    same = equal(work(case.excluded), work(()), "functions called for A and for the empty set")
    return all_of([uniform_sequences(draw, case), equal(shapes, expected, "draws and comparisons"), same])


erratum(
    "BV.Err.9",
    """Algorithm A.3 as printed returns a set S: listed in sorted order, it is a uniformly random sequence of distinct
    elements.""",
    """Algorithm A.3, corrected: it returns the distinct elements in the order of drawing, which is a uniformly random
    sequence. (The sorted set is not private at all: it is a twin of FD.SampledKeepHeavy.private.)""",
    as_printed=("a sorted set", _sorted),
    subject=distinct_sample,
    printed_over="every set A of a small universe, r <= |X minus A|",
    over="every set A of a small universe, r <= |X minus A|; the law of the running code",
    code=CODE,
    grid=SAMPLES,
)(uniform_sequences)
