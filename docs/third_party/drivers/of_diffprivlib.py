"""Calls of diffprivlib's mechanisms, each made as its users make it, with its own source of randomness."""

from diffprivlib import BudgetAccountant, mechanisms, tools


def _answer(mechanism: mechanisms.Geometric, count: int) -> int | str:
    """An error is an answer too: of a uniform 1/2 the logarithm is that of 0."""
    try:
        return mechanism.randomise(count)
    except OverflowError:
        return "infinity"


def geometric(count: int) -> int | str:
    """A noisy count."""
    return _answer(mechanisms.Geometric(epsilon=1), count)


def geometric_truncated(count: int) -> int | str:
    """A noisy count, cut off at 0 and 3."""
    return _answer(mechanisms.GeometricTruncated(epsilon=1, lower=0, upper=3), count)


def geometric_folded(count: int) -> int | str:
    """A noisy count, folded into 0..3."""
    return _answer(mechanisms.GeometricFolded(epsilon=1, lower=0, upper=3), count)


def binary(data: tuple[str, ...]) -> str:
    """Randomised response."""
    return mechanisms.Binary(epsilon=1, value0="no", value1="yes").randomise(data[0])


def exponential_categorical(data: tuple[str, ...]) -> str:
    """One of three labels, by their distance."""
    utilities = [("a", "b", 1), ("a", "c", 2), ("b", "c", 1)]
    return mechanisms.ExponentialCategorical(epsilon=1, utility_list=utilities).randomise(data[0])


def exponential(data: tuple[str, ...]) -> int:
    """The place of the more frequent of two labels."""
    utility = [data.count("a"), data.count("b")]
    return mechanisms.Exponential(epsilon=1, sensitivity=1, utility=utility).randomise()


def permute_and_flip(data: tuple[str, ...]) -> int | str:
    """The same by permuting and flipping; an error is an answer too."""
    utility = [data.count("a"), data.count("b")]
    try:
        return mechanisms.PermuteAndFlip(epsilon=1, sensitivity=1, utility=utility).randomise()
    except RuntimeError:
        return "no value to return"


def gaussian_discrete(count: int) -> int:
    """A count with discrete Gaussian noise, from float coins."""
    return int(mechanisms.GaussianDiscrete(epsilon=1, delta=1 / 16).randomise(count))


def histogram(data: tuple[int, ...]) -> list[int] | str:
    """A histogram of two bins; an error is an answer too.

    It has an accountant of its own, since the default one keeps what all calls spent.
    """
    try:
        counts, _ = tools.histogram(list(data), epsilon=1, bins=2, range=(0, 2), accountant=BudgetAccountant())
    except OverflowError:
        return "infinity"
    return [int(count) for count in counts]
