"""What the types of instances say of their scope holds on the grids, and where checks once raised they decide or refuse."""

from itertools import islice
from typing import Any

import pytest

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.kept import decided_again
from finitedp.proofs_check.hunting.running import why_not_hunted
from finitedp.proofs_check.hunting.scope import is_declared, why_out_of_scope
from finitedp.proofs_check.ledger.atoms import atoms_of
from finitedp.proofs_check.ledger.entry import Entry, OutOfScopeError

LEDGER = entries()
HUNTED = {id: entry for id, entry in LEDGER.items() if why_not_hunted(entry) is None}  # noqa: A001  # the field's name
ATOMS = 100


def _instances(entry: Entry) -> list[Any]:
    """Of the full grid, or the first atoms of each of its instances."""
    grid, atoms = entry.instances("full"), atoms_of(entry.check)
    return list(grid) if atoms is None else [x for case in grid for x in islice(atoms(case), ATOMS)]


@pytest.mark.deep
def test_grids_are_in_the_scope_that_their_types_declare() -> None:
    told = {
        (id, why)
        for id, entry in HUNTED.items()  # noqa: A001  # the field's name
        for x in _instances(entry)
        if is_declared(x) and (why := why_out_of_scope(x, None)) is not None
    }
    assert told == set()


SPARSE = {"kind": {"text": "'sparse'"}, "size": 5, "a": 0, "ratio": 2, "delta": 0, "bins": 2}
LARGE = {"size": 1000, "n": 300, "decay": "2/3", "r": 3, "literal": {"text": "False"}, "rows": []}
PURE = {"root": 2, "parts": 4}
LEAST = {"size": 3, "weights": [4, 3, 11], "ratio": 3, "b": 0, "cap": 1, "slots": 2, "q": 2, "h": 2, "t": [1, 3]}
TINY = {"universe": 2, "word": 9, "epsilons": ["1/3", 1], "fakes": 1, "fixed": {"text": "None"}}
PERSON = {"n": 3, "epsilon": "1/2", "word": 8, "labels": 2, "each": 2, "rows": 2, "delta": "1/2"}


@pytest.mark.parametrize(
    ("id", "document"),
    [
        ("BV.Thm1.5", {"values": [1, "1/100", "1/100000"]}),
        ("BV.Lem2.2", {"p": {"weights": [2, 1, 0, 1, 1, 1]}, "q": {"weights": [1, 1, 0, 1, 1, 2]}}),
        ("BV.Lem2.10.2", {"p": {"weights": [2, 1, 0, 1, 1, 1]}, "q": {"weights": [1, 1, 0, 1, 1, 2]}}),
        ("BV.Lem8.1.independence", {"level": 5, "points": [0, 3, 9], "values": [7, 0, 1]}),
        ("FA.Cor3.distance", {"first": [-5], "second": [16]}),
        ("GK.Cor23.sensitivity", {"r": 12, "t": 15}),
    ],
)
def test_statements_hold_where_their_checks_raised(id: str, document: Any) -> None:  # noqa: A002  # the field's name
    assert decided_again(LEDGER[id], document).holds


@pytest.mark.parametrize(
    ("id", "document", "why"),
    [
        ("BV.Def1.1", {"size": 2, "n": 1, "outcomes": 3, "total": 2, "first": 6}, "one of the laws"),
        ("BV.Lem8.1.independence", {"level": 0, "points": [0, 0], "values": [1, 2]}, "distinct points"),
        ("BV.Lem8.1.ii", {"toy": {"text": "'n=1, d=6'"}, "size": 6, "level": 5}, "a family that can be listed"),
        ("FD.Packing.two", SPARSE | {"a": 3}, "one row"),
        ("FD.Packing.two", SPARSE | {"ratio": 1}, "epsilon > 0"),
        ("BV.Thm6.10.stated", LARGE | {"n": 10, "size": 21}, "some count above 2 a_2"),
        ("PH.Thm1.large", TINY, "three epsilons"),
        ("PH.Thm1.split", TINY | {"word": 0}, "a word"),
        ("PH.Thm1.split", TINY | {"universe": 3, "word": 2}, "no table"),
        ("PH.Eq17", {"universe": 3, "places": [1], "noise": [-1]}, "no case"),
        ("FA.Thm3.i", {"scale": {"root": 2, "parts": 5}, "tau": "1/4", "bar": 0, "histograms": [[12, 12]]}, "rational"),
        ("FA.Lem10", {"scale": PURE, "tau": "1/2", "nu": 0, "x": [4]}, "what the statement asks for"),
        ("FA.Cor1", {"scale": PURE, "tau": "1/2", "nu": 1, "x": [4]}, "what the statement asks for"),
        ("FD.Unit.ratio", PERSON | {"labels": -5}, "bounds"),
        ("FD.Unit.threshold", PERSON | {"word": 3, "n": 12, "epsilon": "1/20"}, "no table of 3 bits"),
        ("FD.Unit.stability", PERSON | {"n": 1, "word": 16, "delta": "3/4", "epsilon": "1/2"}, "every release would be empty"),
        ("FD.Pair.dyadic", {"n": 7, "epsilon": 2, "word": 2, "b": 3}, "no table of 2 bits"),
        ("FD.Group.pair", {"n": 2, "epsilon": 1, "word": 2}, "there is a table"),
        ("FD.Dyadic.floor", {"counts": 2, "most": 6, "ratio": "8/7"}, "large enough to differ"),
        ("FD.Shifted.arrays", {"q": 328, "epsilon": "1/15", "bits": 96}, "an array"),
        ("FD.Blanket.release", {"numbers": LEAST, "rows": [1, 3]}, "labels of the universe"),
        ("FD.Blanket.conditions", {"seed": 2, "number": 60, "bits": 8, "slots": 1}, "plans that there are"),
    ],
)
def test_what_statements_do_not_speak_of_is_out_of_scope(id: str, document: Any, why: str) -> None:  # noqa: A002  # as above
    with pytest.raises(OutOfScopeError, match=why):
        decided_again(LEDGER[id], document)
