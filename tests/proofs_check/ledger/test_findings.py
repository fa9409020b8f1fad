"""finitedp.proofs_check.ledger.findings: what a verdict becomes in the ledger."""

from collections.abc import Iterator

import pytest
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check.deciders.verdict import check_accuracy, check_privacy
from finitedp.proofs_check.ledger import entry as ledger
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Finding, OutOfScopeError
from finitedp.proofs_check.ledger.findings import (
    all_of,
    at_most,
    equal,
    in_turn,
    of_accuracy,
    of_privacy,
    one_finding,
    own,
    same_law,
    same_laws,
)
from finitedp.spec.pmf import Pmf

GOOD, CLOSE, BAD = Finding(True, mpq(1, 3), "good"), Finding(True, mpq(1), "close"), Finding(False, mpq(1, 9), "bad")


def test_equality() -> None:
    assert equal((1, 2), (1, 2), "x") == Finding(True, mpq(0), "x: equal")
    assert equal(mpq(1, 3), mpq(1, 2), "x") == Finding(False, mpq(1), "x: 1/3 instead of 1/2")
    assert equal((1,), (2,), "x").detail == "x: (1,) instead of (2,)"


@pytest.mark.parametrize(
    ("value", "allowed", "holds", "load"),
    [
        (mpq(1, 2), mpq(1, 2), True, mpq(1)),
        (mpq(1, 4), 1, True, mpq(1, 4)),
        (3, 2, False, mpq(3, 2)),
        (0, 0, True, mpq(0)),
        (mpq(1, 10**9), 0, False, mpq(2)),
    ],
)
def test_a_bound(value: mpq | int, allowed: mpq | int, holds: bool, load: mpq) -> None:
    found = at_most(value, allowed, "miss")
    assert (found.holds, found.load) == (holds, load)
    assert found.detail.startswith("miss ")


def test_a_long_number_is_shortened_in_what_is_said() -> None:
    assert at_most(mpq(123456, 999999), 1, "miss").detail == "miss 41152/333333 of 1 allowed"
    assert at_most(mpq(1, 10**13), 1, "miss").detail == "miss 1e-13 of 1 allowed"


def test_a_conjunction_is_its_failing_part_or_the_one_with_the_largest_load() -> None:
    assert all_of([GOOD, CLOSE]) is CLOSE
    assert all_of([CLOSE, GOOD]) is CLOSE
    assert all_of([GOOD, BAD, CLOSE]) is BAD
    assert all_of([BAD, Finding(False, mpq(2), "worse")]).detail == "worse"
    with pytest.raises(OutOfScopeError, match="something to look at"):
        all_of([])  # what looks at nothing has found nothing


def test_laws() -> None:
    fair, other = Pmf({0: 1, 1: 1}), Pmf({0: 1, 1: 3})
    assert same_law(fair, Pmf({0: 2, 1: 2}), "c") == Finding(True, mpq(0), "c: equal laws")
    assert same_law(fair, other, "c") == Finding(False, mpq(1, 4), "c: Pr[0] = 1/2, not 1/4; distance 1/4")
    assert same_laws(lambda _x: fair, {0: fair, 1: fair}.__getitem__, [0, 1]).holds
    assert same_laws(lambda _x: fair, {0: fair, 1: other}.__getitem__, [0, 1]).detail.startswith("1: Pr[0]")
    assert same_laws(lambda _x: fair, {0: fair, 1: other}.__getitem__, [1], "at {}".format).detail.startswith("at 1: ")


def test_accuracy() -> None:
    assert of_accuracy(check_accuracy([("a", mpq(1, 4)), ("b", mpq(1, 2))], mpq(1, 2)), mpq(1, 2), 3) == Finding(
        True, mpq(1), "miss at b, a=3: 1/2 of 1/2 allowed"
    )
    assert not of_accuracy(check_accuracy([("a", mpq(1, 2))], mpq(1, 3)), mpq(1, 3), 3).holds


RESPONSE = [Pmf({0: 3, 1: 1}), Pmf({0: 1, 1: 3}), Pmf({0: 1})]


@pytest.mark.parametrize(
    ("claim", "pairs", "holds", "load"),
    [
        (PrivacyClaim(2, "counts", ratio=3), [(0, 1), (1, 0)], True, mpq(1)),
        (PrivacyClaim(2, "counts", ratio=4), [(0, 1)], True, mpq(3, 4)),
        (PrivacyClaim(2, "counts", ratio=2), [(0, 1)], False, mpq(3, 2)),
        (PrivacyClaim(2, "counts", ratio=4), [(0, 2)], False, mpq(10**9)),
    ],
)
def test_privacy(claim: PrivacyClaim, pairs: list[tuple[int, int]], holds: bool, load: mpq) -> None:
    found = of_privacy(check_privacy(RESPONSE.__getitem__, pairs, claim), claim)
    assert (found.holds, found.load) == (holds, load)
    assert ("infinite ratio" in found.detail) == (load == 10**9)


def test_privacy_by_epsilon_alone_has_a_load_just_above_its_share() -> None:
    claim = PrivacyClaim(2, "counts")
    found = of_privacy(check_privacy(RESPONSE.__getitem__, [(0, 1)], claim), claim)
    assert found.holds
    assert mpq(405, 1000) < found.load < mpq(407, 1000)  # 3/e^2


def test_findings_in_turn_end_with_the_first_that_fails() -> None:
    asked = list[int]()

    def finding(x: int) -> Finding:
        asked.append(x)
        return at_most(x, 2, f"number {x}:")

    assert in_turn(map(finding, [1, 2, 0])).detail.startswith("number 2:")
    assert asked == [1, 2, 0]
    asked.clear()
    found = in_turn(map(finding, [1, 3, 9]))
    assert (found.holds, asked) == (False, [1, 3])
    assert found.detail.startswith("number 3:")


def up_to(most: int, numbers: list[int]) -> Iterator[Finding]:
    for x in numbers:
        yield at_most(x, most, f"number {x}:")


def test_a_check_that_yields_findings_is_that_of_their_conjunction() -> None:
    check = one_finding(up_to)
    assert check(4, [1, 3, 2]) == at_most(3, 4, "number 3:")
    assert check(4, [1, 5, 9]) == at_most(5, 4, "number 5:")
    assert over(lambda lists: lists)(up_to)(4, [[1], [5], [2]]) == at_most(5, 4, "number 5:")
    with pytest.raises(OutOfScopeError):
        check(4, [])


def test_our_own_entries_are_entries_of_their_kind_and_leave_the_check_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "_LEDGER", {})
    made = own("FD.Own", "It is.", over="", code=[], grid=([[1]], [[2]]), subject=1, twins={"0": 0})(up_to)
    claim = ledger.registered()["FD.Own"]
    assert made is up_to
    assert (claim.kind, claim.statement, claim.module) == ("own", "It is.", __name__)
    assert claim.check(claim.subject, [1]).holds
    assert not claim.check(claim.twins["0"], [1]).holds
