"""Calls of PipelineDP's engine on its local backend. A row of data is one user: the partitions that have a visit of theirs.

There is always one public user, since the engine refuses an empty collection.
"""

from collections.abc import Sequence

import pipeline_dp as pdp

EXTRACTORS = pdp.DataExtractors(
    privacy_id_extractor=lambda visit: visit[0],
    partition_extractor=lambda visit: visit[1],
    value_extractor=lambda visit: visit[2],
)


def _visits(data: Sequence[str]) -> list[tuple[int, str, int]]:
    return [(user, partition, 1) for user, partitions in enumerate(["a", *data]) for partition in partitions]


def select(data: Sequence[str]) -> list[str]:
    """The partitions that are selected by truncated geometric thresholding."""
    accountant = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1 / 16)
    params = pdp.SelectPartitionsParams(max_partitions_contributed=1)
    found = pdp.DPEngine(accountant, pdp.LocalBackend()).select_partitions(_visits(data), params, EXTRACTORS)
    accountant.compute_budgets()
    return sorted(found)


def contribution_bound(data: Sequence[str]) -> int:
    """How many of three public partitions a user may contribute to, chosen by the exponential mechanism."""
    accountant = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1 / 16)
    params = pdp.CalculatePrivateContributionBoundsParams(
        aggregation_noise_kind=pdp.NoiseKind.LAPLACE,
        aggregation_eps=1.0,
        aggregation_delta=0.0,
        calculation_eps=1.0,
        max_partitions_contributed_upper_bound=3,
    )
    engine = pdp.DPEngine(accountant, pdp.LocalBackend())
    (found,) = engine.calculate_private_contribution_bounds(_visits(data), params, EXTRACTORS, ["a", "b", "c"])
    return int(found.max_partitions_contributed)
