"""The exceptions of finitedp: one base, and one class for each way in which a caller can be told no.

Every message says what was wrong, shows the value, and names what is accepted.
"""

__all__ = [
    "BudgetError",
    "ClaimError",
    "CoinsError",
    "DataError",
    "ExplorationError",
    "FinitedpError",
    "LabelError",
    "ParameterError",
    "PrecisionError",
    "PrivacyBudgetError",
    "SamplerError",
    "WorkersError",
]


class FinitedpError(Exception):
    """The base of all exceptions that finitedp raises on purpose."""


class ParameterError(FinitedpError, ValueError):
    """A parameter is of the wrong type or outside of its range."""


class DataError(FinitedpError, ValueError):
    """An input dataset, file or column cannot be used."""


class LabelError(DataError, KeyError):
    """A label was asked for that a release does not hold."""

    def __str__(self) -> str:
        """The message as it is, which a KeyError would show in quotes."""
        return str(self.args[0])


class ClaimError(FinitedpError, ValueError):
    """A claim contradicts itself, for example a ratio bound above the e^epsilon that it should imply."""


class CoinsError(FinitedpError, ValueError):
    """A source of randomness was asked for something impossible, or for something that is not private."""


class ExplorationError(FinitedpError, RuntimeError):
    """The explorer cannot follow what the code did; the message names the line."""


class BudgetError(ExplorationError):
    """Following the code would cost more than the stated budget."""


class PrecisionError(FinitedpError, ArithmeticError):
    """A rigorous comparison did not decide within the largest precision that is tried."""


class PrivacyBudgetError(FinitedpError, ValueError):
    """A release does not fit into what a privacy budget has left, or its claim is of another kind than the budget's."""


class SamplerError(FinitedpError, RuntimeError):
    """A sampler failed: it raised, gave too few outputs or unusable ones, repeated itself, hung, or is not installed."""


class WorkersError(FinitedpError, RuntimeError):
    """The processes or the cluster that should do the work cannot be reached, differ from this one, or died of the work."""
