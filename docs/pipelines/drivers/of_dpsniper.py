"""Calls of the mechanisms that DP-Sniper attacks, of which there is no package: its folder has to be on the path of Python."""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from dpsniper.mechanisms import noisy_hist, prefix_sum, report_noisy_max, sparse_vector_technique

Pairs = list[tuple[tuple[int, ...], tuple[int, ...]]]


def two() -> Pairs:
    """Answers of two queries, each of which may change by 1."""
    return list(combinations(product((0, 1), repeat=2), 2))


def three() -> Pairs:
    """Answers of three queries, each of which may change by 1: those of which no two stay the same."""
    return [(x, y) for x, y in combinations(product((0, 1), repeat=3), 2) if sum(map(abs, np.subtract(x, y))) >= 2]


def four() -> Pairs:
    """Answers of four queries, each of which may change by 1."""
    return [((0, 0, 1, 1), (1, 1, 0, 0)), ((0, 0, 0, 0), (1, 1, 1, 0)), ((0, 0, 0, 1), (1, 1, 1, 0))]


def bins() -> Pairs:
    """Two counts of a histogram, one of which changes by 1."""
    return [((0, 0), (0, 1)), ((0, 0), (1, 0))]


def sparse_vector(answers: Sequence[int], algorithm: int, c: int = 1, t: int = 1) -> list[Any]:
    """One of the six of Lyu, Su and Li, with epsilon = 1; 7 is the numerical one of Wang and others."""
    name = "NumericalSVT" if algorithm == 7 else f"SparseVectorTechnique{algorithm}"
    return [*getattr(sparse_vector_technique, name)(eps=1, c=c, t=t).m(np.array(answers, dtype=float))[0]]


def noisy_max(answers: Sequence[int], algorithm: int) -> Any:
    """1, 2: the place of the maximum, with Laplace and exponential noise; 3, 4: the maximum itself. With epsilon = 1."""
    found = getattr(report_noisy_max, f"ReportNoisyMax{algorithm}")(eps=1).m(np.array(answers, dtype=float))[0]
    return int(found) if algorithm < 3 else found


def histogram(counts: Sequence[int], algorithm: int) -> list[Any]:
    """1: with noise of scale 1/epsilon; 2: of scale epsilon. With epsilon = 1/2."""
    return [*getattr(noisy_hist, f"NoisyHist{algorithm}")(eps=0.5).m(np.array(counts, dtype=float))[0]]


def prefix_sums(answers: Sequence[int]) -> list[Any]:
    """Sums of the first noisy answers, with epsilon = 1."""
    return [*prefix_sum.PrefixSum(eps=1).m(np.array(answers, dtype=float))[0]]
