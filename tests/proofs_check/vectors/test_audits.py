"""finitedp.proofs_check.vectors.audits: against what `finitedp audit` writes, and the lone checker."""

import json
from hashlib import sha256

import pytest
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.vectors.kinds import Case, cases_of
from finitedp.proofs_check.vectors.making import shipped

CASES = list(cases_of(shipped()["Audit"]))


def document(case: Case) -> dict[str, object]:
    found: dict[str, object] = json.loads(bytes.fromhex(str(case.test["text"])), object_pairs_hook=checker.unique)
    return found


def as_audited(right: dict[str, object]) -> dict[str, object]:
    """The certificate that an audit of the same laws gives, but for what it says of itself."""
    laws, claim, inputs = (right[key] for key in ("laws", "claim", "inputs"))
    assert isinstance(laws, dict)
    assert isinstance(claim, dict)
    assert isinstance(inputs, list)
    table = {
        tuple(x) if isinstance(x, list) else x: {int(z): mpq(p) for z, p in law["probabilities"].items()}
        for x, law in zip(inputs, laws["found"], strict=True)
    }
    asked = PrivacyClaim(claim["epsilon"], right["neighbours"], claim["delta"], claim["ratio"])  # type: ignore[arg-type]
    found = certificate(audit(table, asked, n=right["n"], universe=right["universe"]))  # type: ignore[arg-type]
    return {key: value for key, value in found.items() if key not in ("derived", "sha256")}


ORDINARY = [case for case in CASES if case.test["flags"] == ["Basic"]]


@pytest.mark.parametrize("case", ORDINARY, ids=lambda case: case.name)
def test_a_right_certificate_is_what_an_audit_writes(case: Case) -> None:
    right = document(case)
    assert {key: right[key] for key in right if key not in ("derived", "sha256")} == as_audited(right)
    assert list(right) == [*as_audited(right), "derived", "sha256"]  # in its order, too


def test_both_verdicts_and_both_relations_are_there() -> None:
    right = [document(case) for case in ORDINARY]
    assert {one["neighbours"] for one in right} == {"counts", "replace-one"}
    assert {one["verdicts"]["private"] for one in right} == {"holds", "fails"}  # type: ignore[index]
    assert {one["verdicts"]["tight"] for one in right} == {True, False}  # type: ignore[index]
    assert "infinite" in {one["worst_ratio"] for one in right}


def test_forged_certificates_have_a_hash_that_fits() -> None:
    """So that a port cannot refuse them for the hash alone."""
    forged = [case for case in CASES if any(flag.startswith("Forged") for flag in case.test["flags"])]
    assert len(forged) > 200
    for case in forged:
        body = {key: value for key, value in document(case).items() if key != "sha256"}
        reason = checker_s_reason(case)
        assert case.test["result"] == "invalid"
        assert reason != "its hash is not that of its content", (case.name, body)


def checker_s_reason(case: Case) -> str | None:
    try:
        return checker.check(document(case))
    except Exception as error:
        return repr(error)


def test_the_checker_s_reasons_are_many() -> None:
    reasons = {checker_s_reason(case) for case in CASES if case.test["result"] == "invalid"}
    for told in ("verdicts", "worst_ratio", "witness", "unresolved", "u", "miss", "inputs"):
        assert f"what it says of {told} does not follow from its laws" in reasons
    assert len(reasons) > 20
    assert None not in reasons


# Wrong checkers, each of which a case that names its bug notices


def accepted() -> set[str]:
    """The flags of the cases that are to be refused and are not."""
    wrong = [case for case in CASES if case.test["result"] == "invalid" and checker_s_reason(case) is None]
    return {flag for case in wrong for flag in case.test["flags"]}


def test_the_checker_accepts_none() -> None:
    assert accepted() == set()


@pytest.mark.parametrize(
    ("key", "flag"),
    [
        ("verdicts", "ForgedVerdict"),
        ("worst_ratio", "ForgedFact"),
        ("unresolved", "ForgedFact"),
        ("u", "ForgedFact"),
        ("miss", "ForgedFact"),
        ("witness", "ForgedFact"),
        ("inputs", "ForgedClaim"),
    ],
)
def test_a_checker_that_forgets_a_field(key: str, flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    derive = checker.derive
    monkeypatch.setattr(checker, "derive", lambda *given: {k: v for k, v in derive(*given).items() if k != key})
    assert flag in accepted()


def test_a_checker_that_takes_any_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    check = checker.check

    def as_if_signed(document: dict[str, object]) -> str | None:
        body = {key: value for key, value in document.items() if key != "sha256"}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return check({**body, "sha256": sha256(text.encode()).hexdigest()})

    monkeypatch.setattr(checker, "check", as_if_signed)
    assert accepted() == {"Hash"}


def test_a_checker_that_does_not_ask_whether_laws_sum_to_1(monkeypatch: pytest.MonkeyPatch) -> None:
    need = checker.need
    monkeypatch.setattr(checker, "need", lambda holds, told: need(holds or told == "a law does not sum to 1", told))
    assert "ForgedLaw" in accepted()


def test_a_reader_that_takes_the_last_of_two_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "unique", dict)
    assert "DuplicateKey" in accepted()
