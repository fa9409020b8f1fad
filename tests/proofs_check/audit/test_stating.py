"""Claims as people write them."""

from typing import Any

import pytest
from gmpy2 import mpq

from finitedp import PrivacyClaim
from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import compare_exp
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.audit.stating import privacy_claim
from finitedp.proofs_check.checker import check
from finitedp.proofs_check.report import wording

RESPONSE = {(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}}


@pytest.mark.parametrize("text", ["ln 3", "ln(3)", " log 3 ", "ln ( 3 )", "ln 3/1"])
def test_the_logarithm_of_a_rational_states_that_ratio(text: str) -> None:
    claim = privacy_claim(text, "replace-one", "1/10")
    assert (claim.ratio, claim.delta) == (mpq(3), mpq(1, 10))
    assert compare_exp(3, claim.epsilon) < 0 < compare_exp(3 + mpq(1, 2**50), claim.epsilon)


@pytest.mark.parametrize(("text", "delta"), [("2^-40", mpq(1, 2**40)), ("2**-1", mpq(1, 2)), ("2^(-64)", mpq(1, 2**64))])
def test_a_power_of_two_is_a_delta(text: str, delta: Any) -> None:
    assert privacy_claim(1, "counts", text).delta == PrivacyClaim(1, "counts", text).delta == delta
    assert PrivacyClaim(1, "counts", delta=text) == PrivacyClaim(1, "counts", delta)


def test_what_is_no_shorthand_is_as_before() -> None:
    assert privacy_claim("1/2", "counts", "1/3") == PrivacyClaim("1/2", "counts", "1/3")
    assert privacy_claim("11/10", "counts", 0, 3) == PrivacyClaim("11/10", "counts", ratio=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ln 1/2", "counts"), "is negative; accepted: the logarithm of a rational of at least 1"),
        (("ln 3", "counts", 0, 3), "states a ratio already"),
        (("ln -3", "counts"), "not of the form 'p/q'"),
        (("ln 1/0", "counts"), "denominator 0"),
        (("1", "counts", "2^40"), "not of the form 'p/q'"),
        (("1", "counts", "3^-4"), "not of the form 'p/q'"),
        ((0.5, "counts"), "is a float"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((ParameterError, ClaimError), match=message):
        privacy_claim(*arguments)


@pytest.mark.parametrize("text", ["2^40", "2^0", "3^-4", "2^-", "2^-1/2", "-2^-4", "2^-40000", "1^-2"])
def test_no_other_text_is_a_delta(text: str) -> None:
    for stated in (privacy_claim, PrivacyClaim):
        with pytest.raises(ParameterError, match="not of the form 'p/q'"):
            stated(1, "counts", text)


@pytest.mark.parametrize(
    ("epsilon", "delta", "verdict"), [("ln 3", 0, "holds"), ("ln 2", "1/4", "holds"), ("ln 2", "6/25", "fails")]
)
def test_a_claim_of_a_logarithm_is_decided_with_its_delta(epsilon: str, delta: Any, verdict: str) -> None:
    """P[0] - 2 Q[0] = 3/4 - 2/4 = 1/4, above 6/25."""
    found = audit(RESPONSE, privacy_claim(epsilon, "replace-one", delta), n=1, universe=[0, 1])
    document = certificate(found)
    assert (found.private, check(document)) == (verdict, None)
    assert wording.claim_words(document) == f"({epsilon}, {delta})-differential privacy, replace-one"
