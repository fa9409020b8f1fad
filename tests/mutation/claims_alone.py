"""Every claim on the quick grid with its twins, as in tests/proofs_check/claims, but without a look at the generated page."""

import pytest
from attrs import evolve

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.verify import verify


@pytest.mark.parametrize("id", entries())
def test_claim_alone(id: str) -> None:  # noqa: A002  # the field's name
    entry = evolve(entries()[id], derived_from=(), by="")  # of a derived one its own check, without what it follows from
    found = verify([entry] if entry.repairs is None else [entries()[entry.repairs], entry])[-1]
    assert found.good, (found.outcome, found.worst.detail, found.where, found.accepted, found.raised)
    assert set(found.rejected) == set(entry.twins)
    assert found.outcome == entry.verdict
