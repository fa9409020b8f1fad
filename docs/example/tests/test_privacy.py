"""What the mechanisms claim, decided exactly on small universes."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import mechanisms
import pytest

from finitedp.proofs_check.audit.tables import read_table
from finitedp_pytest import assert_private

BITS = {"neighbours": "replace-one", "universe": [0, 1]}


def clamped_geometric(rows: Sequence[int]) -> Mapping[int, Fraction]:
    """The law that noisy_count should have."""
    n = len(rows)
    return {k: Fraction(1 if 0 < k < n else 2, 3 * 2 ** abs(k - sum(rows))) for k in range(n + 1)}


@pytest.mark.dp_claim(epsilon="11/10", ratio=3, n=[1, 2, 3], **BITS)
def test_randomized_response():
    """A test returns the mechanism; the mark says what it claims."""
    return mechanisms.randomized_response


@pytest.mark.dp_claim(epsilon="7/10", ratio=2, n=[1, 2, 3], specified=clamped_geometric, **BITS)
@pytest.mark.dp_claim(epsilon="7/10", n=4, accuracy=(1, "1/3"), truth=sum, **BITS)
@pytest.mark.parametrize("mechanism", [mechanisms.noisy_count])
def test_noisy_count(mechanism):
    """Or is given it, as an argument or a fixture named mechanism. The law and the accuracy are checked too."""
    assert mechanism.__doc__


@pytest.mark.parametrize(("truthful", "ratio"), [(0.5, 1), (0.625, "5/3"), (0.875, 7)])
def test_the_ratio_of_randomized_response(truthful, ratio):
    """Or calls assert_private, which returns what was found."""
    found = assert_private(
        mechanisms.randomized_response, epsilon=2, ratio=ratio, n=2, parameters={"truthful": truthful}, **BITS
    )
    assert found.tight
    assert found.strict_time


@pytest.mark.dp_claim(epsilon="7/10", ratio=2, neighbours="counts", n=3)
def test_table():
    """A program in any language can write its laws to a file."""
    return read_table(Path(__file__).parent / "laws.csv")
