"""finitedp.proofs_check.checks.worst_case, against enumeration of all datasets."""

from itertools import product
from math import prod

from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.proofs_check.checks.worst_case import miss_over_bins, miss_over_partitions

probabilities = st.lists(st.fractions(0, 1, max_denominator=12).map(mpq), min_size=6, max_size=6)


@given(probabilities, st.integers(1, 5), st.integers(1, 4))
def test_over_a_fixed_number_of_bins(close: list[mpq], n: int, bins: int) -> None:
    spread = (counts for counts in product(range(n + 1), repeat=bins) if sum(counts) == n)
    assert miss_over_bins(close, n, bins) == max(1 - prod((close[c] for c in counts), start=mpq(1)) for counts in spread)


@given(probabilities, st.integers(1, 5))
def test_over_any_number_of_bins(close: list[mpq], n: int) -> None:
    spread = (counts for counts in product(range(n + 1), repeat=n) if sum(counts) == n)
    literal = max(1 - prod((close[c] for c in counts if c), start=mpq(1)) for counts in spread)
    assert miss_over_partitions(close, n) == literal
