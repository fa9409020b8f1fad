"""What is said of a witness and of a certificate's own words: no more than what follows from the laws."""

from typing import Any

from gmpy2 import mpq

from finitedp import PrivacyClaim
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.proofs_check.report import wording


def endless(rng: Any) -> str:
    """What never ends, and so stays unresolved."""
    while True:
        rng.getrandbits(1)


def in_three_laws(data: tuple[str], rng: Any) -> str:
    """a says yes with 1/2, b with 1/8; c with 1/16, and mostly does not end."""
    word = rng.getrandbits(4)
    if data == ("a",):
        return "yes" if word < 8 else "no"
    if data == ("b",):
        return "yes" if word < 2 else "no"
    return "yes" if word < 1 else endless(rng)


def audited(mechanism: Any, ratio: int, universe: str = "abc", delta: Any = 0) -> dict[str, Any]:
    claim = PrivacyClaim(7, "replace-one", ratio=ratio) if not delta else PrivacyClaim(0, "replace-one", delta)
    budget = Budget(draws=8)
    found = audit(mechanism, claim, n=1, universe=universe, style="random", budget=budget, name="laws")
    document = certificate(found)
    assert checker.check(document) is None
    return document


def said(document: dict[str, Any]) -> tuple[str, str]:
    """The verdict on privacy, and the comparison, in words."""
    return wording.private_words(document, document["laws"]), wording.witness_lines(document, document["laws"])[-1]


def test_a_witness_that_unresolved_mass_could_save_is_not_said_to_break_the_claim() -> None:
    """From a to b the claim breaks for certain; from a to c the resolved gap is larger, and proves nothing."""
    document = audited(in_three_laws, ratio=2)
    witness = document["witness"]
    assert (document["verdicts"]["private"], witness["left"], witness["right"]) == ("fails", 0, 2)
    assert mpq(witness["in_left"]) - 2 * mpq(witness["in_right"]) == mpq(7, 8)
    verdict, compared = said(document)
    assert verdict == (
        "The privacy claim FAILS, wherever the unresolved mass lies, at another pair of inputs than the witness below, which "
        "has the largest resolved gap."
    )
    assert compared == (
        "P[S at A] = 1 is undecided against 2 * (P[S at B] + unresolved) + delta = "
        "2 * (1/16 (0.0625) + 15/16 (0.9375)) + 0 = 2"
    )


def test_a_witness_that_no_unresolved_mass_could_save_is_above() -> None:
    def nearly(data: tuple[str], rng: Any) -> str:
        word = rng.getrandbits(4)
        limit = 12 if data == ("a",) else 2
        return "yes" if word < limit else "no" if word < 15 else endless(rng)

    document = audited(nearly, ratio=2, universe="ab")
    bound = "2 * (P[S at B] + unresolved) + delta = 2 * (1/8 (0.125) + 1/16 (0.0625))"
    assert said(document) == (
        "The privacy claim FAILS: the witness below breaks it.",
        f"P[S at A] >= 3/4 (0.75) is ABOVE, by at least 0.375, {bound} + 0 = 0.375",
    )


def test_a_witness_that_holds_wherever_the_mass_lies() -> None:
    """delta = 1/4 at epsilon = 0, of which 1/8 is the resolved gap and 1/16 the mass that is not."""

    def nearly(data: tuple[str], rng: Any) -> str:
        word = rng.getrandbits(4)
        limit = 8 if data == ("a",) else 6
        return "yes" if word < limit else "no" if word < 15 else endless(rng)

    document = audited(nearly, ratio=1, universe="ab", delta="1/4")
    assert document["verdicts"]["private"] == "holds"
    compared = said(document)[1]
    assert compared == (
        "P[S at A] <= 1/2 (0.5) + 1/16 (0.0625) is at most e^(0) * P[S at B] + delta = e^(0) * 3/8 (0.375) + 1/4 = 0.625"
    )


def test_without_unresolved_mass_the_line_is_that_of_exact_probabilities() -> None:
    document = audited(in_three_laws, ratio=2, universe="ab")
    assert said(document)[1] == ("P[S at A] = 1/2 (0.5) is ABOVE, by 0.25, 2 * P[S at B] + delta = 2 * 1/8 (0.125) + 0 = 0.25")
