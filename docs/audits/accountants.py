"""An accountant: the advanced composition theorem of a hundred releases of 1/10, and the largest loss of another."""

from math import expm1, log, sqrt


def advanced_composition(delta: float) -> float:
    """Epsilon at a delta."""
    return 0.1 * sqrt(2 * 100 * log(1 / delta)) + 100 * 0.1 * expm1(0.1) + log(2)
