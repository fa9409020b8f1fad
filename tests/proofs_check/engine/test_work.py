"""finitedp.proofs_check.engine.work."""

import sys

import pytest

from finitedp.impl.arithmetic.kernels import ceil_log2, least_reaching
from finitedp.proofs_check.engine.work import work_of


def test_calls_of_the_mechanisms_are_counted_and_nothing_else() -> None:
    calls = work_of(lambda: [ceil_log2(5), ceil_log2(6), least_reaching(lambda z: z, 3, 2), len("abc")])
    assert calls == {"ceil_log2": 2, "least_reaching": 1}


def test_a_run_that_raises_leaves_no_profiler_behind() -> None:
    before = sys.getprofile()
    with pytest.raises(ValueError, match="unpack"):
        work_of(lambda: int("unpack"))
    assert sys.getprofile() is before
