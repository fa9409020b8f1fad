"""Histograms as strings of bits (Section 2.2.1 of Balcer and Vadhan): a vector, and a partial vector of fixed length.

Labels are the integers 0..size-1. A partial vector has room for `most` bins; what is not used holds the count 0, which no bin
that is listed has, so that the string has the same length whatever the histogram, and tells nothing by it.
"""

from collections.abc import Mapping, Sequence

from finitedp.errors import ParameterError
from finitedp.exact import integer

__all__ = ["bits_of_bin", "partial_vector", "read_partial_vector", "read_vector", "vector"]


def _bits(largest: int) -> int:
    """How many bits hold 0..largest."""
    return int(largest).bit_length()


def _written(value: int, width: int) -> str:
    return format(value, f"0{width}b") if width else ""


def _cut(text: str, widths: Sequence[int]) -> list[int]:
    found, start = [], 0
    for width in widths:
        found.append(int(text[start : start + width] or "0", 2))
        start += width
    return found


def bits_of_bin(size: int, n: int) -> int:
    """ceil(log2 size) bits of a label and ceil(log2(n + 1)) of a count. Parameters: size >= 1; n >= 1."""
    return _bits(integer(size, "size", at_least=1) - 1) + _bits(integer(n, "n", at_least=1))


def vector(counts: Sequence[int], n: int) -> str:
    """The counts of all labels, ceil(log2(n + 1)) bits each. Raises: ParameterError for a count outside 0..n."""
    return "".join(_written(integer(count, "count", 0, n), _bits(n)) for count in counts)


def read_vector(text: str, size: int, n: int) -> tuple[int, ...]:
    """The inverse of `vector`."""
    return tuple(_cut(text, [_bits(n)] * size))


def partial_vector(bins: Mapping[int, int], size: int, n: int, most: int) -> str:
    """At most `most` bins with counts in 1..n, in the order of their labels, in exactly most * bits_of_bin(size, n) bits.

    Raises: ParameterError for more bins, a label outside 0..size-1 or a count outside 1..n.
    """
    integer(len(bins), "number of bins", 0, most)
    listed = [(integer(x, "label", 0, size - 1), integer(count, "count", 1, n)) for x, count in sorted(bins.items())]
    listed += [(0, 0)] * (most - len(listed))
    return "".join(_written(x, _bits(size - 1)) + _written(count, _bits(n)) for x, count in listed)


def read_partial_vector(text: str, size: int, n: int, most: int) -> dict[int, int]:
    """The inverse of `partial_vector`. Raises: ParameterError for a string of another length."""
    if len(text) != most * bits_of_bin(size, n):
        raise ParameterError(f"the string has {len(text)} bits; accepted: {most * bits_of_bin(size, n)}")
    values = _cut(text, [_bits(size - 1), _bits(n)] * most)
    return {x: count for x, count in zip(values[::2], values[1::2], strict=True) if count}
