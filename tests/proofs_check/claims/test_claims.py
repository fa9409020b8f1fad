"""Every claim is a test of its own: `pytest -k BV.Thm4.10` runs those below it, on the quick grid, with all their twins."""

import importlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from finitedp.errors import ParameterError
from finitedp.proofs_check import claims
from finitedp.proofs_check.claims import MODULES, SECTIONS, entries, find, sections
from finitedp.proofs_check.ledger import modules
from finitedp.proofs_check.ledger.entry import Entry
from finitedp.proofs_check.ledger.page import claims_page, numbered
from finitedp.proofs_check.ledger.references import node_of, place_of, specification
from finitedp.proofs_check.ledger.verify import Result, settled, verify, with_premises
from tests.sampling import sampled

ROOT = Path(__file__).parents[3]
ALL = list(entries().values())

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
Err.8.accuracy Err.9 Err.10.gamma Err.10.keep-heavy Err.10.footnote6 2018.distance
""".split()


@cache
def alone(id: str) -> Result:  # noqa: A002  # the field's name
    """What a run of one claim on the quick grid found."""
    return verify([entries()[id]])[0]


def result(id: str) -> Result:  # noqa: A002  # the field's name
    """The same in the light of what else it needs: premises, and the texts as printed that are repaired."""
    needed = with_premises([entries()[id]])
    ids = [other for e in needed for other in (e.repairs, e.id) if other is not None]
    return next(r for r in settled([alone(other) for other in ids]) if r.entry.id == id)


@pytest.mark.parametrize("id", sampled(entries(), 12))
def test_claim(id: str) -> None:  # noqa: A002  # the field's name
    found, entry = result(id), entries()[id]
    assert found.good, (found.outcome, found.worst.detail, found.where, found.accepted, found.raised, found.missing)
    assert set(found.rejected) == set(entry.twins)
    assert found.outcome == entry.verdict


@pytest.mark.full
@pytest.mark.parametrize("id", entries())
def test_claim_on_the_full_grid(id: str) -> None:  # noqa: A002  # the field's name
    full = verify([entries()[id]], "full")  # in this process: pytest's own share the claims; its premises on the quick grid
    found = settled([*full, *(alone(e.id) for e in with_premises([entries()[id]]) if e.id != id)])[0]
    assert found.good, (found.outcome, found.worst.detail, found.where, found.accepted, found.raised, found.missing)


# The page around the claims


def test_the_page_has_the_verdict_of_every_claim() -> None:
    """That a run gives the verdict that an entry expects is tested above, for each."""
    page = (ROOT / "docs" / "claims.md").read_text()
    assert page == claims_page({entry.id: entry.verdict for entry in ALL}), "run `finitedp verify --page docs/claims.md`"
    assert len(page.encode()) < 30_000


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("BV.Thm4.10.iii.integers.all", "Theorem 4.10 iii.integers, for all parameters"),
        ("BV.Thm1.5.literal", "Theorem 1.5, as printed"),
        ("PH.AppA.mean", "Appendix A mean"),
        ("FA.Eq9", "Equation 9"),
        ("FD.Dyadic.law", ""),
        ("GK.PhiB", ""),
    ],
)
def test_a_claim_is_named_as_its_paper_counts_it(id: str, words: str) -> None:  # noqa: A002  # the field's name
    assert numbered(id) == words


# The ledger: complete and honest


def test_every_numbered_claim_has_an_entry() -> None:
    assert {f"BV.{claim}" for claim in NUMBERED} <= entries().keys()


def test_one_table_fixes_the_order() -> None:
    order = {f"{claims.__name__}.{module}": i for i, module in enumerate(MODULES)}
    places = [order[entry.module] for entry in ALL]
    assert places == sorted(places)
    assert list(sections()) == list(entries())
    assert set(sections().values()) <= {section.title for section in SECTIONS}


def test_a_module_without_claims_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "MODULES", (*MODULES, "bv.counting.subjects"))
    with pytest.raises(ValueError, match=r"subjects stands in the table of claims and registers none"):
        list(entries())


def test_a_claim_that_the_table_does_not_have_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "MODULES", MODULES[1:])
    with pytest.raises(ValueError, match=f"that the table of claims does not have: .*{MODULES[0]}"):
        list(entries())


def test_an_id_that_is_not_written_as_it_is_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be found by whoever loads all modules, and by nobody else."""
    written = modules.written_in("own.coins") - {"FD.ExactCoins"}
    monkeypatch.setattr(modules, "written_in", lambda _module: written)
    with pytest.raises(ValueError, match=r"own\.coins registers FD\.ExactCoins; accepted: the id as text"):
        modules.registered_by.__wrapped__("own.coins")


def test_entries_name_real_code() -> None:
    assert all(entry.code for entry in ALL)
    assert [(entry.id, name) for entry in ALL for name in (*entry.code, *specification(entry)) if not exists(name)] == []
    assert exists("finitedp.spec.pmf.Pmf")
    assert not exists("finitedp.spec.pmf.Pmg")
    assert not exists("finitedp.spec.pmg.Pmf")


@cache
def exists(name: str) -> bool:
    parts = name.split(".")
    for i in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:i]))
        except ModuleNotFoundError:
            continue
        for part in parts[i:]:
            found = getattr(found, part, None)
        return found is not None
    return False


@pytest.mark.deep
def test_a_claim_leads_to_its_check_and_its_test(request: pytest.FixtureRequest) -> None:
    read = cache(lambda file: (ROOT / file).read_text().splitlines())
    for entry in ALL:
        place = place_of(entry)
        assert read(place.file)[place.line - 1].lstrip().startswith(f"def {place.function.rsplit('.', 1)[-1]}("), entry.id
        file, test = node_of(entry).split("::")
        assert (ROOT / file).samefile(request.path)
        assert test == f"{test_claim.__name__}[{entry.id}]"


def test_entries_have_twins_and_grids() -> None:
    for entry in ALL:
        has_twins_and_grids(entry)


def has_twins_and_grids(entry: Entry) -> None:
    if entry.expects == "holds":
        assert entry.twins, f"{entry.id}: a check without a negative twin may be unable to fail"
    else:
        assert any(other.repairs == entry.id for other in ALL), f"{entry.id}: a refuted text needs its repair"
    quick, full = entry.instances("quick"), entry.instances("full")
    assert quick, entry.id
    assert len(full) > len(quick) or entry.proof, entry.id  # what is proved has no larger instance
    assert [repr(x) for x in full[: len(quick)]] == [repr(x) for x in quick], entry.id


@pytest.mark.parametrize("entry", [e for e in ALL if e.repairs is not None], ids=lambda entry: entry.id)
def test_a_repair_uses_the_check_that_refuted_the_literal_text(entry: Entry) -> None:
    literal = entries()[str(entry.repairs)]
    assert literal.check is entry.check
    assert literal.expects == "refuted"


@pytest.mark.parametrize("entry", [e for e in ALL if e.derived_from], ids=lambda entry: entry.id)
def test_what_is_derived_names_claims_that_can_carry_it(entry: Entry) -> None:
    for premise in entry.derived_from:
        assert entries()[premise].verdict not in ("refuted", "sampled", "measured"), f"{entry.id} is derived from {premise}"
    assert entry.id not in {e.id for other in entry.derived_from for e in with_premises([entries()[other]])}, "a circle"


# Finding a claim


def test_find_by_pattern_and_by_parent() -> None:
    parts = {"i", "ii", "iii", "iii.integers", "iv", "v"}
    assert {e.id.removeprefix("BV.Thm4.10.").removesuffix(".all") for e in find("BV.Thm4.10")} == parts
    assert [e.id for e in find("BV.Lem4.9")] == ["BV.Lem4.9", "BV.Lem4.9.all"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("Thm4.10", r"no claim matches 'Thm4\.10'; did you mean BV\.Thm4\.10"),
        ("bv.lem4.9", r"did you mean BV\.Lem4\.9, BV\.Lem4\.9\.all\?$"),
        ("BV.Lme4.9", r"did you mean BV\.Lem4\.9"),
        ("nothing", r"no claim matches 'nothing'; `finitedp claims` lists them$"),
        ("", r"no claim matches ''; `finitedp claims` lists them$"),
        ("[", r"no claim matches '\['; `finitedp claims` lists them$"),
    ],
)
def test_what_is_not_found_is_said_with_what_is_near(pattern: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        find(pattern)
