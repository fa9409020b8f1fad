"""Calls of DP-PDS's mechanisms, whose folder is named by DPPDS."""

from DP_PDS.dp.rrt import GRR, RRT


def forced(data: tuple[int, ...]) -> int:
    """Forced response on three values."""
    return int(RRT(1, 3).dp(data[0], [0, 1, 2]))


def generalised(data: tuple[int, ...]) -> int:
    """Generalised randomised response on three values."""
    return int(GRR(1, 3).dp(data[0], [0, 1, 2]))
