"""A mechanism that is known to be broken: see the witness with `pytest --runxfail tests/test_broken.py`."""

import mechanisms
import pytest


@pytest.mark.xfail(reason="no noise is twice as likely as it should be")
@pytest.mark.dp_claim(epsilon="7/10", neighbours="replace-one", universe=[0, 1], n=2)
def test_noisy_count_with_two_zeros():
    """If somebody mends it, this test says so: an xfail that passes is a failure (xfail_strict)."""
    return mechanisms.noisy_count_with_two_zeros
