"""Calls of Google Research's private_sampling.py, of which there is no package: its folder has to be on the path of Python.

The data is how often one key occurs, and what is released is the key, if at all: partition selection.
"""

import private_sampling as sampling

EPSILON, DELTA = 1.0, 1 / 16


def keys_only(count: int) -> list[str]:
    """Whether the key is released, without sampling: the optimal probabilities."""
    sketch = sampling.PrivateThresholdSampleKeysOnly(1.0, EPSILON, DELTA, sampling.AlwaysIncludeSamplingMethod)
    sketch.process("key", count)
    return sorted(sketch.elements)


def subsampled(count: int) -> list[str]:
    """The same from a sample that is not private, in which a count is present with probability 1 - exp(-count/2)."""
    sample = sampling.ThresholdSample(0.5, sampling.PpsworSamplingMethod)
    sample.process("key", count)
    private = sampling.PrivateThresholdSampleKeysOnly.from_non_private(sample, EPSILON, DELTA)
    return sorted(private.elements)


def with_frequencies(count: int) -> dict[str, int]:
    """The key with a frequency that is at most the true one, if it is released."""
    sketch = sampling.PrivateThresholdSampleWithFrequencies(1.0, EPSILON, DELTA, sampling.AlwaysIncludeSamplingMethod)
    sketch.process("key", count)
    return dict(sketch.elements)
