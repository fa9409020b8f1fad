"""Limits of work: those that a user sets, a Budget, and those that stand for all."""

from attrs import Attribute, field, frozen

from finitedp.exact import integer

__all__ = ["Budget"]

LARGEST_EPSILON = 1000
"""Up to it the lone checker compares with e^epsilon; of a certificate, and of the epsilon at which a delta is asked for."""
LARGEST_INLINE = 1_000_000
"""Characters of laws that stay in a certificate; more stand in a file beside it."""
MOST_JOBS = 256
"""Local processes that share the work."""
MOST_LABELS_OF_A_LAW = 12
"""Labels of a histogram whose exact law is computed: the law has an output for each histogram."""
MOST_PROBABILITIES = 200_000
"""Outputs, over all inputs, whose probabilities are computed at once."""
MOST_PROBABILITY_BITS = 10**11
"""The same, times the bits of a probability's denominator and the support of the noise."""
MOST_PAIRS = 20_000
"""Ordered pairs of inputs of one black-box audit."""
MOST_TRIALS = 10**9
"""Samples of one black-box audit, and trials of a binomial law."""
MOST_AT_ONCE = 1_000_000
"""Samples that one run of a sampled program is asked for."""
MOST_OPEN_BITS = 100_000
"""Exponent of the mass at which an exploration stops."""
MOST_BYTES = 1 << 30
"""Bytes that one run of a sampled program may print."""


def _no_bound_or_bits(_budget: "Budget", attribute: "Attribute[int | None]", value: int | None) -> None:
    if value is not None:
        integer(value, f"budget of {attribute.name}", 1, MOST_OPEN_BITS)


def _at_least_one(_budget: "Budget", attribute: "Attribute[int]", value: int) -> None:
    integer(value, f"budget of {attribute.name}", at_least=1)


@frozen
class Budget:
    """How much work an exploration may take, and an audit as a whole.

    Parameters: runs of the program, one for each path; depth, decisions on one path, and draws on one path (a path that
    needs more stays unresolved); fanout, values that one draw may be split into; inputs that one audit may look at; bits, so
    that exploring stops once at most 2^-bits is unresolved, or None to follow everything. Finite code is still followed to its
    end, where its rare paths draw no oftener than the likely ones. All are integers of at least 1.
    """

    runs: int = field(default=1_000_000, validator=_at_least_one)
    depth: int = field(default=5_000, validator=_at_least_one)
    draws: int = field(default=1_000, validator=_at_least_one)
    fanout: int = field(default=65_536, validator=_at_least_one)
    inputs: int = field(default=5_000, validator=_at_least_one)
    bits: int | None = field(default=64, validator=_no_bound_or_bits)  # type: ignore[arg-type]  # attrs infers int
