"""Calls of Ilvento's base-2 exponential mechanism, of which there is no package: its folder has to be on the path of Python."""

from random import Random

import gmpy2
from expmech import LaplaceMech


def clamped(count: int, rng: Random) -> int:
    """The clamped Laplace mechanism on -1..1 at eta = 1, whose utilities are rounded by two random bits each."""
    with gmpy2.context():  # the mechanism changes the context of gmpy2
        mechanism = LaplaceMech(
            lambda: int(rng.getrandbits(1)), count, 1, 1, 1, 1, b_min=-1, b_max=1, gamma=1, min_sampling_precision=3
        )
        return int(mechanism.run_mechanism(optimized_sample=True))
