"""The smallest inputs at which an audit is bad."""

from typing import Any

import pytest

from finitedp import PrivacyClaim, pytest_smallest
from finitedp.proofs_check.audit.auditing import AuditRequest, AuditResult
from finitedp.pytest_smallest import Patience, smallest


def fails(found: AuditResult) -> bool:
    return found.private == "fails"


def request(n: int, universe: Any, relation: Any = "replace-one", epsilon: Any = 1) -> AuditRequest:
    return AuditRequest(claim=PrivacyClaim(epsilon, relation), n=n, universe=universe)


def tells_an_e(rows: Any, rng: Any) -> int:
    """Whether there is an "e" among at least two rows; it refuses to work for a single one."""
    if len(rows) < 2:
        raise ValueError("too few")
    return int("e" in rows) if rng.randrange(2) else 0


def test_rows_and_labels_are_left_out_while_it_fails() -> None:
    found = smallest(request(3, "abcde"), tells_an_e, fails)
    assert found is not None
    assert (found.n, found.private) == (2, "fails")
    assert len(found.universe) == 2
    assert "e" in found.universe


def test_of_counts_the_smallest_largest_count() -> None:
    found = smallest(request(5, (), "counts"), lambda count, _coins: min(count // 3, 1), fails)
    assert found is not None
    assert found.n == 3


def test_what_is_smallest_already_is_left_alone() -> None:
    assert smallest(request(1, (0, 1)), lambda rows, _coins: rows[0], fails) is None


@pytest.mark.parametrize(("relation", "labels"), [("add-remove", 1), ("replace-one", 2)])
def test_as_many_labels_stay_as_neighbours_need(relation: Any, labels: int) -> None:
    found = smallest(request(2, "abc", relation), lambda rows, _coins: len(rows) if relation == "add-remove" else rows, fails)
    assert found is not None
    assert (found.n, len(found.universe)) == (1, labels)


def test_who_is_late_takes_the_smallest_so_far() -> None:
    asked = iter([False, False, True])
    found = smallest(request(3, "abcde"), tells_an_e, fails, lambda: next(asked))
    assert found is not None
    assert (found.n, found.universe) == (2, tuple("abcde"))
    assert smallest(request(3, "abcde"), tells_an_e, fails, lambda: True) is None


def test_patience_ends_and_stays_over(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 101.0, 108.0, 108.1, 100.0])
    monkeypatch.setattr(pytest_smallest, "monotonic", lambda: next(times))
    late = Patience(3.0)
    assert [late(), late(), late(), late()] == [False, False, True, True]
    assert late.over
