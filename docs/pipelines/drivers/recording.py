"""Recording of noise that cannot be a symbol, where what code makes of it is affine: it runs on a few fixed noises instead."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Run = Callable[[Sequence[float]], Sequence[float]]


def affine(run: Run, draws: int, law: str, unit: float) -> list[Any]:
    """What a run gives, with noise of a law in the place of the numbers that it is called with.

    Parameters: run, a function of the noises that gives numbers, affine in them; unit: the noise at which it is asked what it
    makes of a draw, such that nothing is rounded, or that what is added to it vanishes.
    """
    at_0 = run([0.0] * draws)
    noisy = list[Any](at_0)
    for i in range(draws):
        noise = getattr(np.random, law)(0, 1)
        for j, number in enumerate(run([unit * (i == k) for k in range(draws)])):
            slope = number / unit if abs(unit) > 2**64 else (number - at_0[j]) / unit
            if number != at_0[j]:
                noisy[j] = noisy[j] + slope * noise
    return noisy
