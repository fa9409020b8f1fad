"""A call of a mechanism of "SoK: data analyses with local differential privacy", whose folder is named by SOKLDP."""

import numpy as np
from sok_ldp_analysis.ldp.mean.nguyen2016harmony import Nguyen2016


def harmony(data: tuple[tuple[int, int], ...], rng: np.random.Generator) -> list[list[float]]:
    """Nguyen and others' (2016) report of one of two numbers, by an object that holds its generator."""
    return Nguyen2016(1, (-1, 1), rng).mechanism(np.array(data, dtype=float)).tolist()
