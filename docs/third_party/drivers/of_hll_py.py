"""A call of hll-py."""

from types import SimpleNamespace

from hll_py.HyperLogLogLDP import HyperLogLogLDP


def reported_hash(data: tuple[str, ...]) -> int:
    """The hash that is reported of an item."""
    return HyperLogLogLDP(SimpleNamespace(epsilon=1.0))._random_or_true_hash(data[0])
