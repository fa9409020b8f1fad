"""The results of the last hunt, as the ledger keeps them."""

import pytest

from finitedp.numbers import outward
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.kept import decided_again
from finitedp.proofs_check.hunting.results import FILE, recorded
from finitedp.proofs_check.hunting.running import why_not_hunted
from tests.sampling import sampled

LEDGER = entries()
KNOWN = recorded(LEDGER.values(), FILE)


def test_no_counterexample_stands_unmended_and_nothing_is_told_of_what_is_not_hunted() -> None:
    assert KNOWN
    assert [id for id, one in KNOWN.items() if one.found.false_at] == []  # noqa: A001  # the field's name
    assert [id for id in KNOWN if why_not_hunted(LEDGER[id]) is not None] == []  # noqa: A001  # as above
    assert all(one.seconds >= 10 for one in KNOWN.values())


@pytest.mark.deep
@pytest.mark.parametrize("id", sampled([id for id in KNOWN if KNOWN[id].found.instance is not None], 40))  # noqa: A001
def test_the_kept_instances_are_as_they_were_found(id: str) -> None:  # noqa: A002
    told = KNOWN[id].found
    found = decided_again(LEDGER[id], told.instance)
    assert found.holds
    assert outward(found.load, found.load, 4)[0] == told.load
