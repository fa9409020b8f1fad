"""DistinctSample (Algorithm A.3 of Balcer and Vadhan): a uniformly random sequence of distinct integers."""

from collections.abc import Collection

from gmpy2 import mpz

from finitedp.errors import ParameterError
from finitedp.exact import integer, short
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.randomness.coins import Coins, checked_coins
from finitedp.labels import shown

__all__ = ["OrderStatisticTree", "distinct_sample"]


class OrderStatisticTree:
    """A set of integers in 0..size-1 that knows how many of its members are below any bound.

    Source: BV.PropA.2. It is a binary tree over the digits of the integers, where each node counts the members in its left
    half; so every operation visits exactly `depth` = ceil(log2 size) nodes, whatever the set. Memory: at most `depth` counters
    for each member, where a balanced tree (whose paths depend on the members) would need one.
    Parameters: size >= 1. Raises: ParameterError.
    """

    def __init__(self, size: int) -> None:
        self.size = integer(size, "size", at_least=1)
        self.depth = ceil_log2(self.size)
        self._in_left_half: dict[tuple[int, int], int] = {}
        self._members = 0

    def __len__(self) -> int:
        return self._members

    @property
    def counters(self) -> int:
        """The number of counters that are held."""
        return len(self._in_left_half)

    def insert(self, x: int) -> None:
        """Add an integer in 0..size-1 that is not in the set yet (the caller sees to that). Source: BV.PropA.2.i."""
        for level in reversed(range(self.depth)):
            node = level, x >> (level + 1)
            self._in_left_half[node] = self._in_left_half.get(node, 0) + (1 - (x >> level & 1))
        self._members += 1

    def below(self, x: int) -> int:
        """The number of members that are less than x, for x in 0..size-1. Source: BV.PropA.2.iii."""
        return sum((x >> level & 1) * self._in_left_half.get((level, x >> (level + 1)), 0) for level in range(self.depth))

    def free(self, rank: int) -> int:
        """The integer in 0..size-1 outside of the set that has `rank` others outside of the set below it.

        Source: step (3c) of BV.AlgA.3, by one walk down the tree with a comparison at each node in place of a binary search
        over all integers. Parameters: rank in 0..size - len(self) - 1.
        """
        first = 0
        for level in reversed(range(self.depth)):
            half = max(min(1 << level, self.size - first), 0)
            free_in_left = half - self._in_left_half.get((level, first >> (level + 1)), 0)
            if rank >= free_in_left:
                rank = rank - free_in_left
                first += 1 << level
        return first


def _check_excluded(excluded: Collection[int], size: int) -> None:
    """Refuse what would leave another number of integers than is counted on. Raises: ParameterError."""
    known = set(map(type, excluded)) <= {int, mpz} and len(set(excluded)) == len(excluded)
    if not (known and min(excluded, default=0) >= 0 and max(excluded, default=0) < size):
        raise ParameterError(f"excluded = {shown(excluded)}; accepted: distinct integers from 0 to {short(size - 1)}")


def distinct_sample(
    size: int, excluded: Collection[int], number: int, coins: Coins, most_excluded: int | None = None
) -> tuple[int, ...]:
    """A uniformly random sequence of distinct integers in 0..size-1 that are not excluded, in the order of drawing.

    Source: BV.AlgA.3, BV.LemA.1. Sorting it, or taking it for a set, ties what is listed first to the smallest integer.
    Parameters: excluded, distinct integers in 0..size-1; number of integers to draw; most_excluded, a public bound on the
    number of excluded ones. Raises: ParameterError where fewer than `number` integers are left, or the excluded ones are not
    distinct integers in 0..size-1. Cost: `number` draws, of bits that depend on size alone; `number` walks and (most_excluded
    + number) insertions; reading what is excluded.
    """
    _check_excluded(excluded, integer(size, "size", at_least=1))
    if integer(number, "number", at_least=0) > size - len(excluded):
        raise ParameterError(f"number = {number} is above the {size - len(excluded)} integers that are left")
    most = len(excluded) if most_excluded is None else integer(most_excluded, "most_excluded", at_least=len(excluded))
    tree, spare = OrderStatisticTree(size), OrderStatisticTree(size)
    for x in excluded:
        tree.insert(x)
    for _ in range(most - len(excluded)):
        spare.insert(0)  # work only, so that the number of insertions does not tell how many are excluded
    sequence, checked = list[int](), checked_coins(coins)
    for _ in range(number):
        chosen = tree.free(checked.uniform(size - len(tree), size) - 1)
        tree.insert(chosen)
        sequence.append(chosen)
    return tuple(sequence)
