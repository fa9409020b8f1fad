"""Calls of group randomised response of the neighbours in a graph, whose folder is named by GROUPRESPONSE.

The data are a row of an adjacency matrix.
"""

import dp_tools
from partition import PseudoRandomPartition

PARTITION = PseudoRandomPartition(4, 2, 0)


def _neighbours(data: tuple[int, ...]) -> list[int]:
    return [other for other, bit in enumerate(data) if bit]


def sparse(data: tuple[int, ...]) -> list[int]:
    """Randomised response of a set, by a binomial number of random members."""
    return sorted(int(x) for x in dp_tools.sparse_randomized_response(_neighbours(data), 1, len(data)))


def asymmetric(data: tuple[int, ...]) -> list[int]:
    """The same, where members are kept with probability 1/2."""
    return sorted(int(x) for x in dp_tools.asymmetric_randomized_response(_neighbours(data), 1, 0.5, len(data)))


def group(data: tuple[int, ...]) -> list[int]:
    """Randomised response of bins of a partition, of which one member each is asked."""
    return sorted(int(x) for x in dp_tools.group_randomized_response(_neighbours(data), 1, PARTITION))
