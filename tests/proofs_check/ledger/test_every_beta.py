"""finitedp.proofs_check.ledger.every_beta, and instances of accuracy claims that could not fail."""

import sys

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.every_beta import decided_betas, for_every_beta
from tests.sampling import sampled

HALVES = [mpq(1, 2**a) for a in range(1, 30)]  # 0 is exceeded with probability 1/2, 1 with 1/4, ...


def rounded_up(beta: mpq) -> int:
    return next(a for a in range(40) if 2**a >= 1 / beta)


@pytest.mark.parametrize(("more", "holds"), [(0, True), (-1, False), (1, True)])
def test_an_error_too_small_at_some_beta_is_found(more: int, holds: bool) -> None:
    found = for_every_beta(lambda beta: max(rounded_up(beta) + more, 0), HALVES.__getitem__, 20, mpq(0))
    assert found.holds is holds


def test_an_error_too_small_between_the_beta_of_a_list_is_found() -> None:
    """At 1/2, 1/10 and 1/1000 it is right; at 1/64 it is one too small."""

    def stated(beta: mpq) -> int:
        return rounded_up(beta) - (mpq(1, 100) < beta < mpq(1, 50))

    assert all(HALVES[stated(beta)] <= beta for beta in (mpq(1, 2), mpq(1, 10), mpq(1, 1000)))
    found = for_every_beta(stated, HALVES.__getitem__, 20, mpq(0))
    assert not found.holds
    assert "5 stated at beta=1/64, where 5 is exceeded" in found.detail


def test_nothing_below_the_least_beta_is_asked_for() -> None:
    def stated(beta: mpq) -> int:
        return rounded_up(beta) if beta >= mpq(1, 16) else 0

    assert for_every_beta(stated, HALVES.__getitem__, 20, mpq(1, 16)).holds
    assert not for_every_beta(stated, HALVES.__getitem__, 20, mpq(1, 64)).holds


def test_an_error_of_n_or_more_decides_nothing() -> None:
    assert list(decided_betas(lambda _: 20, HALVES.__getitem__, 20, mpq(0))) == []
    assert [found.a for found in decided_betas(rounded_up, HALVES.__getitem__, 4, mpq(0))] == [0, 1, 2]


def test_beyond_the_largest_beta_the_error_there_must_do() -> None:
    assert for_every_beta(lambda _: 1, HALVES.__getitem__, 20, mpq(1, 4), mpq(1, 3)).holds
    assert not for_every_beta(lambda _: 0, HALVES.__getitem__, 20, mpq(1, 4), mpq(1, 3)).holds


@pytest.mark.parametrize(
    "id",
    sampled(
        """BV.Thm4.7.i.accurate BV.Thm4.10.ii BV.Thm5.2.ii BV.Thm5.2.iii BV.Thm5.3.ii BV.Thm5.3.iii BV.Fig3 BV.Thm5.5.ii
    BV.Thm5.6.ii BV.Thm5.6.iii BV.Fig4 BV.Thm8.3.ii BV.Thm8.3.iii BV.Thm8.6.ii BV.Thm8.6.iii BV.Fig6""".split(),
        1,
    ),
)
def test_every_instance_decides_some_beta(id: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: A002  # the field's name
    entry, seen = entries()[id], list[bool]()

    def counting(stated: object, miss: object, n: int, least: mpq, most: mpq = mpq(1)) -> object:  # noqa: B008
        seen.append(bool(list(decided_betas(stated, miss, n, least, most))))  # type: ignore[arg-type]  # as in the module
        return for_every_beta(stated, miss, n, least, most)  # type: ignore[arg-type]

    users = [module for name, module in sys.modules.items() if name.startswith("finitedp.proofs_check.claims.")]
    for module in users:
        if hasattr(module, "for_every_beta"):
            monkeypatch.setattr(module, "for_every_beta", counting)
    for case in entry.instances("quick"):
        seen.clear()
        assert entry.check(entry.subject, case).holds, case
        assert any(seen), case
