"""A sample of `finitedp hunt`: some claims of each paper, a second each. The whole is a command: see docs/hunting.md."""

from contextlib import closing

import pytest

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.running import hunt_all

SAMPLE = [
    *("PH.Def2", "PH.Def3", "PH.Lem8", "GK.Lem20", "GK.Eq12", "GK.Eq11"),
    *("FA.Lem2", "FA.Thm2", "FD.Dyadic.distance", "FD.Compare.stability"),
    *("BV.Def4.3", "BV.Alg4.5", "BV.Lem4.9"),
]


@pytest.mark.deep
def test_a_second_each_finds_no_counterexample() -> None:
    with closing(hunt_all([entries()[id] for id in SAMPLE], 1, 1, 2)) as arriving:  # noqa: A001  # the field's name
        found = list(arriving)
    assert sorted(one.id for one in found) == sorted(SAMPLE)
    for one in found:
        assert (one.false_at, one.hung_at) == ("", ""), one
        assert one.tried > 0, one
