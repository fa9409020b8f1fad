"""A call of dwork."""

from dwork.mechanisms import geometric_noise


def count(true: int) -> int | str:
    """A count with geometric noise; an error is an answer too."""
    try:
        return true + geometric_noise(1.0)
    except ValueError:
        return "math domain error"
