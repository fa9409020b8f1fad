"""Laws put in line: how much of a tail is listed where it cannot be."""

from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.deciders.tails import in_line


def test_how_many_outputs_are_listed_of_one_tail() -> None:
    """10,000 of each, where the bits of the budget would take 10,009; or as many as these bits take."""
    laws: dict[int, PartialLaw[Any]] = {
        0: PartialLaw({Tail(0, "1/2"): mpq(1)}),
        1: PartialLaw({Tail(0, "1/3", -1): mpq(1)}),
        2: PartialLaw({Tail(5, "1/4"): mpq(1)}),
    }
    found = in_line(laws, None, 10_000).found
    assert (len(found[0].probabilities), found[0].unresolved) == (10_000, mpq(1, 2**10_000))
    assert len(found[2].probabilities) == 5005
