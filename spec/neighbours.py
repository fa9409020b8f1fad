"""Inputs, the neighbour relations on them, and one representative pair for each symmetry class of labels.

An input is a count, or a dataset: a tuple of rows over a universe of labels. Three enumerations of neighbouring datasets are
given, from literal to short: over X^n, over multisets (for mechanisms that do not look at the order of rows) and over classes
of multisets under permutations of the labels (for mechanisms that treat all labels alike). engine.symmetry checks both.
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any, TypeVar

from finitedp.claim import Neighbours, check_neighbours
from finitedp.errors import ParameterError
from finitedp.exact import integer

__all__ = [
    "are_neighbours",
    "count_pairs",
    "datasets",
    "fillers",
    "inputs",
    "multisets",
    "neighbouring_inputs",
    "neighbouring_multisets",
    "neighbouring_pairs",
    "padded",
    "representative_pairs",
]

L = TypeVar("L", bound=Hashable)
Dataset = tuple[L, ...]
Pair = tuple[Dataset[L], Dataset[L]]


def datasets(universe: Sequence[L], n: int) -> Iterator[Dataset[L]]:
    """All of X^n: |X|^n ordered datasets."""
    return product(_distinct(universe), repeat=integer(n, "n", at_least=0))


def multisets(universe: Sequence[L], n: int) -> Iterator[Dataset[L]]:
    """All multisets of n rows, as tuples whose rows are in the universe's order."""
    return combinations_with_replacement(_distinct(universe), integer(n, "n", at_least=0))


def inputs(universe: Sequence[L], n: int, relation: Neighbours) -> Iterator[Any]:
    """All inputs that a claim for a relation speaks of: the counts 0..n, or the datasets of n rows (add-remove: at most n)."""
    if check_neighbours(relation) == "counts":
        yield from range(integer(n, "n", at_least=0) + 1)
        return
    for size in range(n + 1) if relation == "add-remove" else (n,):
        yield from datasets(universe, size)


def are_neighbours(left: Dataset[L], right: Dataset[L], relation: Neighbours) -> bool:
    """Whether two ordered datasets are neighbours, literally.

    Source: BV.Def2.1 for replace-one.
    """
    if relation == "replace-one":
        return len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1
    if relation == "add-remove":
        shorter, longer = sorted((left, right), key=len)
        return any(shorter == longer[:i] + longer[i + 1 :] for i in range(len(longer)))
    raise ParameterError(f"neighbours = {relation!r} is not a relation on datasets; accepted: replace-one, add-remove")


def fillers(most: int, rows: int) -> int:
    """How many rows fill up a dataset of `rows` rows to the public number `most`. Source: FD.Padding.all.

    Parameters: rows in 0..most. Raises: ParameterError.
    """
    return most - integer(rows, "rows", 0, most)


def padded(dataset: Dataset[L], most: int, filler: L) -> Dataset[L]:
    """The dataset, and behind its rows as many fillers as make it `most` rows.

    A mechanism for exactly `most` rows that does not look at their order is, on padded datasets of at most `most` rows, as
    private for a row added or removed as it is for a row replaced. Source: FD.Padding.all.
    Parameters: most, a public number, not one of rows that are there; filler, a public row. Raises: ParameterError.
    """
    return dataset + (filler,) * fillers(most, len(dataset))


def count_pairs(n: int) -> Iterator[tuple[int, int]]:
    """The ordered pairs of counts in 0..n that differ by 1. Source: BV.Def4.1."""
    for c in range(integer(n, "n", at_least=1)):
        yield c, c + 1
        yield c + 1, c


def neighbouring_pairs(universe: Sequence[L], n: int, relation: Neighbours) -> Iterator[Pair[L]]:
    """All ordered pairs of neighbouring ordered datasets: of n rows each, or (add-remove) of at most n rows.

    Raises: ParameterError.
    """
    if relation == "replace-one":
        for dataset in datasets(universe, n):
            for i, row in enumerate(dataset):
                yield from ((dataset, dataset[:i] + (x,) + dataset[i + 1 :]) for x in universe if x != row)
        return
    _need(relation)
    for size in range(n):
        for dataset in datasets(universe, size):
            for longer in _distinct([dataset[:i] + (x,) + dataset[i:] for x in universe for i in range(size + 1)], True):
                yield dataset, longer
                yield longer, dataset


def neighbouring_inputs(universe: Sequence[L], n: int, relation: Neighbours) -> Iterator[tuple[Any, Any]]:
    """All ordered pairs of neighbours among inputs(universe, n, relation): of counts, or of ordered datasets.

    Raises: ParameterError.
    """
    if relation != "counts":
        yield from neighbouring_pairs(universe, n, relation)
    elif n:
        yield from count_pairs(n)


def neighbouring_multisets(universe: Sequence[L], n: int, relation: Neighbours) -> Iterator[Pair[L]]:
    """All ordered pairs of neighbouring multisets: of n rows each, or (add-remove) of at most n rows.

    Raises: ParameterError.
    """
    if relation == "replace-one":
        for common in multisets(universe, n - 1):
            for x, y in product(universe, repeat=2):
                if x != y:
                    yield _with(universe, common, x), _with(universe, common, y)
        return
    _need(relation)
    for size in range(n):
        for common in multisets(universe, size):
            for x in universe:
                yield common, _with(universe, common, x)
                yield _with(universe, common, x), common


def representative_pairs(universe: Sequence[L], n: int, relation: Neighbours) -> Iterator[Pair[L]]:
    """One neighbouring pair of multisets for each class under permutations of the labels.

    The class of a replace-one pair is given by the common rows with the first changed label, those with the second, and the
    partition of the others over the remaining labels; of an add-remove pair, by the common rows with the changed label and
    the partition of the others.
    Raises: ParameterError.
    """
    _distinct(universe)
    if relation == "replace-one":
        for of_x, of_y in product(range(n), repeat=2):
            if len(universe) >= 2 and of_x + of_y < n:
                for rest in _partitions(n - 1 - of_x - of_y, len(universe) - 2):
                    common = _rows(universe, (of_x, of_y, *rest))
                    yield _with(universe, common, universe[0]), _with(universe, common, universe[1])
        return
    _need(relation)
    for size in range(n):
        for of_x in range(size + 1):
            for rest in _partitions(size - of_x, len(universe) - 1):
                common = _rows(universe, (of_x, *rest))
                yield common, _with(universe, common, universe[0])
                yield _with(universe, common, universe[0]), common


def _need(relation: str) -> None:
    if relation != "add-remove":
        raise ParameterError(f"neighbours = {relation!r} is not a relation on datasets; accepted: replace-one, add-remove")


def _distinct(universe: Sequence[L], drop: bool = False) -> Sequence[L]:
    """The universe if its labels are distinct; with `drop`, without the repeated ones."""
    kept = list(dict.fromkeys(universe))
    if len(kept) != len(universe) and not drop:
        raise ParameterError("a label of the universe is listed twice; accepted: distinct labels")
    return kept


def _with(universe: Sequence[L], common: Dataset[L], label: L) -> Dataset[L]:
    return tuple(sorted((*common, label), key=universe.index))


def _rows(universe: Sequence[L], counts: Sequence[int]) -> Dataset[L]:
    return tuple(label for label, count in zip(universe, counts, strict=False) for _ in range(count))


def _partitions(total: int, parts: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """The ways to write `total` as a non-increasing sum of at most `parts` positive integers."""
    if total == 0:
        yield ()
    elif parts > 0:
        for first in range(min(total, total if largest is None else largest), 0, -1):
            for rest in _partitions(total - first, parts - 1, first):
                yield (first, *rest)
