"""finitedp.units and the claims that name one: bounds, JSON, what is refused."""

import json

import pytest

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.units import Unit


@pytest.mark.parametrize(
    ("bounds", "rows", "labels", "each"),
    [
        ((3, 4, None), 12, 3, 4),
        ((3, 4, 10), 10, 3, 4),
        ((3, 4, 2), 2, 2, 2),
        ((3, 4, 100), 12, 3, 4),
        ((None, None, 5), 5, 5, 5),
        ((2, None, 5), 5, 2, 5),
        ((None, 2, 5), 5, 5, 2),
    ],
)
def test_the_largest_change_of_a_unit(bounds: tuple[int | None, ...], rows: int, labels: int, each: int) -> None:
    unit = Unit("person", *bounds)  # type: ignore[arg-type]  # three bounds
    assert (unit.rows, unit.labels, unit.rows_per_label) == (rows, labels, each)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (("person",), "nothing bounds how many rows of a unit"),
        (("person", 3), "nothing bounds"),
        (("person", None, 3), "accepted: max_rows, or both max_labels and max_rows_per_label"),
        (("person", 0, 1), "max_labels = 0 is out of range"),
        (("person", 1, -1), "max_rows_per_label = -1"),
        (("person", None, None, 0), "max_rows = 0 is out of range; accepted: an integer from 1 to 1000000"),
        (("person", None, None, True), "max_rows"),
        (("person", 10**4, 10**4), r"max_labels \* max_rows_per_label"),
        ((7, 1, 1), "unit = 7 is not a string"),
        (("person", 1, 1, None, 1), "bounded = 1 is not a bool"),
    ],
)
def test_what_is_refused(fields: tuple[object, ...], text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        Unit(*fields)  # type: ignore[arg-type]  # wrong on purpose


def test_a_claim_of_a_unit_comes_back_from_json() -> None:
    claim = PrivacyClaim(1, "add-remove", unit=Unit("person", 3, 4, bounded=True))
    assert PrivacyClaim.from_json(json.loads(json.dumps(claim.as_json()))) == claim
    assert claim != PrivacyClaim(1, "add-remove")
    assert "unit" not in PrivacyClaim(1, "add-remove").as_json()
    with pytest.raises(ParameterError, match="a Unit in JSON has the keys column, max_labels"):
        PrivacyClaim.from_json({**claim.as_json(), "unit": {"column": "person"}})
    with pytest.raises(ParameterError, match="accepted: a Unit, for datasets"):
        PrivacyClaim(1, "counts", unit=Unit("person", 1, 1))
