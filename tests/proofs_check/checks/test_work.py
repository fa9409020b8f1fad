"""finitedp.proofs_check.checks.work."""

import sys
from functools import partial
from math import ceil

import pytest

from finitedp.impl.arithmetic.kernels import ceil_log2, least_reaching
from finitedp.proofs_check.checks.work import TooManyLines, lines_of, work_of
from finitedp.spec.neighbours import count_pairs


def test_calls_of_the_mechanisms_are_counted_and_nothing_else() -> None:
    calls = work_of(lambda: [ceil_log2(5), ceil_log2(6), least_reaching(lambda z: z, 3, 2), len("abc")])
    assert calls == {"ceil_log2": 2, "least_reaching": 1, "_least_reaching_step": 2}


def test_a_run_that_raises_leaves_no_profiler_behind() -> None:
    before = sys.getprofile()
    with pytest.raises(ValueError, match="unpack"):
        work_of(lambda: int("unpack"))
    assert sys.getprofile() is before


def _pairs(n: int) -> list[tuple[int, int]]:
    return list(count_pairs(n))


def test_lines_of_the_library_are_counted_each_pass_of_a_loop_again() -> None:
    five, ten, twenty = (lines_of(partial(_pairs, n), 10**6) for n in (5, 10, 20))
    assert twenty - ten == 2 * (ten - five) > 0
    assert lines_of(lambda: [ceil(x) for x in range(100)], 10) == 0


def test_a_run_with_too_many_lines_is_cut_off() -> None:
    before = sys.gettrace()
    with pytest.raises(TooManyLines, match="more than 1000 lines"):
        lines_of(partial(_pairs, 10**12), 1000)
    assert sys.gettrace() is before
