"""What lets a few pairs of datasets stand for all of them.

The mechanism must ignore the order of rows and treat all labels alike. Both are checked on the law itself, exactly, before a
representative is trusted.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.privacy import PrivacyVerdict
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.spec.neighbours import datasets, multisets, representative_pairs
from finitedp.spec.pmf import Pmf

L = TypeVar("L", bound=Hashable)
R = TypeVar("R", bound=Hashable)
Law = Callable[[tuple[L, ...]], Pmf[R]]
Relabel = Callable[[R, dict[L, L]], R]


def ignores_row_order(law: Law[L, R], universe: Sequence[L], n: int) -> bool:
    """Whether every dataset of n rows has the law of its sorted copy."""
    return all(law(d) == law(tuple(sorted(d, key=universe.index))) for d in datasets(universe, n))


def treats_labels_alike(law: Law[L, R], universe: Sequence[L], n: int, relabel: Relabel[R, L]) -> bool:
    """Whether relabelling the rows relabels the output, for the transpositions of the first label with each other one.

    These generate all permutations. Parameters: relabel(output, renaming), the output under a renaming of labels.
    """
    first = universe[0]
    for other in universe[1:]:
        swap = {label: label for label in universe} | {first: other, other: first}
        for d in multisets(universe, n):
            swapped = tuple(sorted((swap[row] for row in d), key=universe.index))
            if law(swapped) != law(d).pushforward(lambda output, swap=swap: relabel(output, swap)):  # type: ignore[misc]
                return False
    return True


def relabel_partial_vector(output: tuple[tuple[L, int], ...], renaming: dict[L, L]) -> tuple[tuple[L, int], ...]:
    """A partial vector under a renaming that permutes its labels, in the same order of labels as before."""
    counts = {renaming[label]: count for label, count in output}
    return tuple((label, counts[label]) for label, _ in output)


def relabel_sorted_vector(output: tuple[tuple[L, int], ...], renaming: dict[L, L]) -> tuple[tuple[L, int], ...]:
    """A partial vector of some of the labels, sorted by label, under a renaming."""
    return tuple(sorted(((renaming[label], count) for label, count in output), key=lambda pair: str(pair[0])))


def check_privacy_by_representatives(
    law: Law[L, R], universe: Sequence[L], n: int, claim: PrivacyClaim, relabel: Relabel[R, L]
) -> PrivacyVerdict[tuple[L, ...], R]:
    """check_privacy with one neighbouring pair for each symmetry class, after checking both symmetries exactly.

    Raises: ParameterError where the law lacks one of them, so that representatives would prove nothing.
    """
    relation: Neighbours = claim.neighbours
    for size in range(n + 1) if relation == "add-remove" else (n,):
        if not ignores_row_order(law, universe, size):
            raise ParameterError("the mechanism looks at the order of rows: check all pairs of ordered datasets instead")
        if not treats_labels_alike(law, universe, size, relabel):
            raise ParameterError("the mechanism does not treat all labels alike: check all pairs of datasets instead")
    return check_privacy(law, representative_pairs(universe, n, relation), claim)
