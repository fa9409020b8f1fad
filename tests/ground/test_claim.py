"""The one JSON form of a claim: what is written is what is read, and nothing else is read."""

import json
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import ClaimError, ParameterError

CLAIMS = [
    PrivacyClaim(1, "counts"),
    PrivacyClaim("7/6", "replace-one", "1/1000003", source="BV.Thm5.6.i"),
    PrivacyClaim("1/10", "add-remove", ratio="11/10", source="FD.Dyadic.private"),
]
ACCURACIES = [Accuracy(10**30, "1/20"), Accuracy(0, 1, "simultaneous", "BV.Def2.6"), Accuracy(3, 0, "per-query")]


@pytest.mark.parametrize("claim", [*CLAIMS, *ACCURACIES], ids=str)
def test_a_claim_is_read_as_it_was_written(claim: PrivacyClaim | Accuracy) -> None:
    assert type(claim).from_json(json.loads(json.dumps(claim.as_json()))) == claim


def test_the_form() -> None:
    written = {"epsilon": "1/10", "delta": "0", "neighbours": "add-remove", "ratio": "11/10", "source": "FD.Dyadic.private"}
    assert CLAIMS[2].as_json() == written
    assert CLAIMS[0].as_json()["ratio"] is None
    assert ACCURACIES[0].as_json() == {"kind": "counting", "a": 10**30, "beta": "1/20", "source": ""}
    assert PrivacyClaim(mpq(1, 2), "counts").as_json()["epsilon"] == "1/2"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0.1}, "is a float"),
        ({"epsilon": "0.1/2"}, "is not of the form 'p/q'"),
        ({"epsilon": "-1"}, "epsilon = -1 is negative"),
        ({"epsilon": None}, "is not a rational"),
        ({"delta": "2"}, "delta = 2 is out of range"),
        ({"neighbours": "swap"}, "accepted: counts, replace-one, add-remove"),
        ({"neighbours": ["counts"]}, "is unknown"),
        ({"source": None}, "source = None is not text"),
        ({"beta": "1/20"}, "has the keys epsilon, neighbours, delta, ratio, source; found: "),
    ],
    ids=str,
)
def test_what_is_no_claim_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivacyClaim.from_json({**CLAIMS[0].as_json(), **change})


def test_a_ratio_that_does_not_imply_the_claim_is_refused() -> None:
    with pytest.raises(ClaimError, match="exceeds e"):
        PrivacyClaim.from_json({**CLAIMS[0].as_json(), "ratio": "3"})


@pytest.mark.parametrize("document", [{}, [], None, {"epsilon": "1"}], ids=str)
def test_what_is_no_object_of_these_keys_is_refused(document: Any) -> None:
    for kind in (PrivacyClaim, Accuracy):
        with pytest.raises(ParameterError, match="in JSON has the keys"):
            kind.from_json(document)
