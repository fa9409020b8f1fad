"""A call of diffpriv-pure."""

from diffpriv_pure import private_count


def count(true: int) -> int:
    """A noisy count."""
    return private_count(true, 1.0)
