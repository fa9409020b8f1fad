"""Limits of work that stand for all; those that a user sets are a Budget's (engine/limits.py)."""

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
MOST_BYTES = 1 << 30
"""Bytes that one run of a sampled program may print."""
