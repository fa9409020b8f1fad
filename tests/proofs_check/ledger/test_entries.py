"""The ledger: complete, honest, and run."""

import importlib
import os
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.proofs_check.claims import entries, find
from finitedp.proofs_check.ledger.entry import Cases, Entry, Finding
from finitedp.proofs_check.ledger.page import claims_page
from finitedp.proofs_check.ledger.verify import Result, verify

ROOT = Path(__file__).parents[3]

# Every numbered statement of Balcer and Vadhan, Sections 2 to 8 and Appendix A.
NUMBERED = """
Def2.1 Lem2.2 Lem2.3 Lem2.4 Def2.5 Def2.6 Def2.7 Def2.8 Def2.9 Lem2.10.1 Lem2.10.2 Lem2.10.3 Def2.11 Lem2.12 Lem2.13
Alg3.1 Lem3.2.i Lem3.2.ii
Def4.1 Def4.2 Def4.3 Lem4.4 Alg4.5 Thm4.6.i Thm4.6.ii Thm4.7.i Thm4.7.ii Thm4.7.iii Thm4.7.iv Alg4.8 Lem4.9
Thm4.10.i Thm4.10.ii Thm4.10.iii Thm4.10.iv Thm4.10.v Alg4.11 Lem4.12.i Lem4.12.ii
Alg5.1 Thm5.2.i Thm5.2.ii Thm5.2.iii Thm5.2.iv Thm5.3.i Thm5.3.ii Thm5.3.iii Thm5.3.iv Fig3
Alg5.4 Thm5.5.i Thm5.5.ii Thm5.5.iii Thm5.5.iv Thm5.6.i Thm5.6.ii Thm5.6.iii Thm5.6.iv Fig4
Alg6.1 Thm6.2.i Thm6.2.ii Thm6.2.iii Lem6.3 Alg6.4 Prop6.5 Prop6.6 Alg6.7
Thm6.8.i Thm6.8.ii Thm6.8.iii Alg6.9 Thm6.10.i Thm6.10.ii Thm6.10.iii Thm6.10.iv
Thm6.11.i Thm6.11.ii Thm6.11.iii Thm6.11.iv Fig5
Def6.12 Lem6.13 Cor6.14 Prop6.15.i Prop6.15.ii Prop6.15.iii Prop6.15.iv Alg6.16 Prop6.17 Prop6.17.time Alg6.18
Prop6.19 Prop6.19.time Alg6.20 Alg6.21
Thm7.1.i Thm7.1.ii Thm7.2
Lem8.1.i Lem8.1.ii Lem8.1.iii Lem8.1.iv Alg8.2 Thm8.3.i Thm8.3.ii Thm8.3.iii Thm8.3.iv Thm8.3.v
Lem8.4.i Lem8.4.ii Lem8.4.iii Lem8.4.iv Lem8.4.v Alg8.5 Thm8.6.i Thm8.6.ii Thm8.6.iii Thm8.6.iv Thm8.6.v Fig6
LemA.1 PropA.2 AlgA.3
Err.1.loop Err.1.vector Err.2.gamma Err.2.proof Err.3.scale Err.3.clamped Err.4 Err.5 Err.6 Err.7.points Err.7.empty
Err.8.accuracy Err.8.derivation Err.9 Err.10.gamma Err.10.keep-heavy Err.10.footnote6 Err.10.thm6.11 2018.distance
""".split()

ALL = list(entries().values())


@pytest.fixture(scope="module")
def quick_run() -> list[Result]:
    return verify(ALL, "quick", jobs=min(os.cpu_count() or 1, 2))


def test_every_numbered_claim_has_an_entry() -> None:
    assert {f"BV.{claim}" for claim in NUMBERED} <= entries().keys()


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
def test_entries_name_real_code(entry: Entry) -> None:
    assert entry.code
    for name in entry.code:
        parts = name.split(".")
        for i in range(len(parts) - 1, 0, -1):
            try:
                found = importlib.import_module(".".join(parts[:i]))
            except ModuleNotFoundError:
                continue
            for part in parts[i:]:
                found = getattr(found, part)
            break
        else:
            pytest.fail(f"{entry.id} names {name}, which does not exist")


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
def test_entries_have_twins_and_grids(entry: Entry) -> None:
    if entry.expects == "verified":
        assert entry.twins, "a check without a negative twin may be unable to fail"
    else:
        assert any(other.repairs == entry.id for other in ALL), "a refuted text needs its repair"
    quick, full = entry.instances("quick"), entry.instances("full")
    assert quick
    assert len(full) > len(quick)
    assert all(instance in full for instance in quick)


@pytest.mark.parametrize("entry", [e for e in ALL if e.repairs is not None], ids=lambda entry: entry.id)
def test_a_repair_uses_the_check_that_refuted_the_literal_text(entry: Entry) -> None:
    literal = entries()[str(entry.repairs)]
    assert literal.check is entry.check
    assert literal.expects == "refuted"


def test_the_quick_grid_is_as_the_ledger_says(quick_run: list[Result]) -> None:
    bad = [(r.entry.id, r.outcome, r.worst.detail, r.accepted) for r in quick_run if not r.good]
    assert bad == []
    assert all(set(r.rejected) == set(r.entry.twins) for r in quick_run)


def test_outcomes_are_of_every_kind(quick_run: list[Result]) -> None:
    assert {r.outcome for r in quick_run} == {"verified", "verified (symbolic)", "refuted", "repaired"}


def test_the_manual_s_table_is_not_stale(quick_run: list[Result]) -> None:
    page = ROOT / "docs" / "claims.md"
    assert page.read_text() == claims_page(quick_run, "quick"), "run `finitedp verify --page docs/claims.md`"


@pytest.mark.deep
def test_the_full_grid_is_as_the_ledger_says() -> None:
    results = verify(ALL, "full", jobs=min(os.cpu_count() or 1, 2))
    assert [(r.entry.id, r.outcome) for r in results if not r.good] == []


# The runner itself: each way in which it can say no


def finding(holds: bool) -> Finding:
    return Finding(holds, mpq(0), "made up")


def made_up(**changes: Any) -> Entry:
    base = ALL[0]
    plain = evolve(base, check=lambda subject, x: finding(subject(x)), subject=lambda _x: True, twins={"t": lambda x: x > 1})
    plain = evolve(plain, grid=Cases([1, 2], lambda: [3]))
    return evolve(plain, **changes)


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        (made_up(), "verified"),
        (made_up(subject=lambda x: x != 2), "FAILED"),
        (made_up(twins={"t": lambda _x: True}), "BLIND"),
        (made_up(expects="refuted"), "FAILED"),
        (made_up(expects="refuted", subject=lambda x: x != 2, twins={}), "refuted"),
        (made_up(reach="everything"), "verified (symbolic)"),
    ],
)
def test_outcomes(entry: Entry, outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from finitedp.proofs_check.ledger import verify as runner

    monkeypatch.setattr(runner, "entries", lambda: {entry.id: entry})
    runner._instances.cache_clear()
    try:
        result = verify([entry])[0]
    finally:
        runner._instances.cache_clear()
    assert result.outcome == outcome
    assert result.good == (outcome not in ("FAILED", "BLIND"))


def test_find_by_pattern_and_by_parent() -> None:
    assert {e.id for e in find("BV.Thm4.10")} == {f"BV.Thm4.10.{part}" for part in ("i", "ii", "iii", "iv", "v")}
    assert [e.id for e in find("BV.Lem4.9")] == ["BV.Lem4.9"]
    with pytest.raises(ParameterError, match=r"no claim matches 'Thm4\.10'; did you mean BV\.Thm4\.10"):
        find("Thm4.10")
    with pytest.raises(ParameterError, match="`finitedp claims` lists them"):
        find("nothing")
