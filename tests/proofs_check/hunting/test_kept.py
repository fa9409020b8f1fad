"""Instances as JSON."""

import json
from random import Random

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.hunting import starts
from finitedp.proofs_check.hunting.kept import decided_again, kept, restored
from finitedp.proofs_check.hunting.running import why_not_hunted
from finitedp.proofs_check.hunting.scope import why_out_of_scope
from finitedp.proofs_check.ledger.entry import Cases, Entry
from finitedp.spec.pmf import Pmf
from tests.proofs_check.hunting import toys
from tests.proofs_check.hunting.toys import Listed, Number
from tests.sampling import sampled

HUNTED = [entry for entry in entries().values() if why_not_hunted(entry) is None]


@pytest.mark.parametrize("entry", sampled(HUNTED, 60), ids=lambda entry: entry.id)
def test_the_instances_of_every_type_are_in_scope_and_made_again(entry: Entry) -> None:
    some = starts(entry, Random(1))
    for instance in (some[0], some[len(some) // 2], some[-1]):
        assert why_out_of_scope(instance, None) is None
        assert repr(restored(entry, json.loads(json.dumps(kept(instance))))) == repr(instance)


def test_numbers_are_what_is_new() -> None:
    assert kept(Listed((1, 10**30))) == {"items": [1, 10**30]}
    assert kept((mpq(1, 3), "1/2", True, "text", Pmf({0: 1, 2: 2}))) == [
        "1/3",
        "1/2",
        {"text": "True"},
        {"text": "'text'"},
        {"weights": [1, 0, 2]},
    ]
    assert restored(toys.ORDERED, {"items": [9, 8, 7, 6, 5]}) == Listed((9, 8, 7, 6, 5))
    law = Entry("X", "own", "", "", (), toys.TRUE.check, None, {}, Cases([Pmf({0: 1})]))
    assert restored(law, {"weights": [1, 0, 2]}) == Pmf({0: 1, 2: 2})


@pytest.mark.parametrize("document", [None, True, [], {}, {"m": 1}, {"n": [1]}, {"n": None}, {"n": "x"}, {"text": "1"}])
def test_what_has_other_parts_is_refused(document: object) -> None:
    with pytest.raises(ParameterError, match="no instance with these parts"):
        restored(toys.TRUE, document)


def test_an_atom_is_decided_alone() -> None:
    assert restored(toys.ATOMS, {"n": 40}) == Number(40)
    assert decided_again(toys.ATOMS, {"n": 16}).holds
    assert not decided_again(toys.ATOMS, {"n": 17}).holds
