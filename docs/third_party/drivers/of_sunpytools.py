"""Calls of sunPytools' mechanisms for keys and values, whose folder is named by SUNPYTOOLS."""

import numpy as np
from dplib.ldp_mechanisms import kvlib


def key_value(data: tuple[tuple[int, int], ...]) -> list[int]:
    """BiSample of a key and its value."""
    return [int(bit) for bit in kvlib.kv_en_bisample(data[0], 1)]


def key_value_estimate(data: tuple[tuple[int, int], ...]) -> list[float]:
    """The frequency and the mean that are decoded from states."""
    states = np.array([kvlib.kv_en_state_encoding(kv, 1) for kv in data])
    return [float(part) for part in kvlib.kv_de_state_encoding(states, 1)]
