"""Every numbered statement of the papers on anonymized histograms has an entry, and so has every step that code cites."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from finitedp.proofs_check.claims import entries

ROOT = Path(__file__).parents[3]

# Suresh: definitions, lemmas, theorems, the corollary, the equations from (2) on, the steps of the three algorithms, the
# moments of Appendix A, the examples of Appendix C.1.
SURESH = """
Def1 Def2 Def3 Lem1 Lem2.i Lem2.ii Lem3 Lem4 Lem5 Lem6 Lem7 Lem8 Lem9 Lem10
Thm1.split Thm1.smooth Thm1.large Thm1.group Thm1.claim Thm1.error Thm1.time Thm1.total Thm2 Thm3 Cor1 Cor1.difference
Eq2 Eq3 Eq4 Eq5 Eq6 Eq7 Eq8 Eq9 Eq10 Eq11 Eq12 Eq13 Eq14 Eq15 Eq16 Eq17 Eq18 Eq19 Eq20
step1 step2 step2.a step2.b step2.T step2.M step3 step4 L1 L1.b L2 L3 L4 H1 H2 H3 H4 H5 H6
AppA.mean AppA.abs AppA.square AppA.laplace C1.example C1.categories C1.smoothing
PrivHist.law.split PrivHist.law.smooth PrivHist.law.large PrivHist.private
""".split()

# Ghazi, Kamath, Kumar and Manurangsi, the appendix: lemmas, theorems, corollaries, equations, algorithms, f, g, the footnote,
# and the two claims of Section E.
GHAZI = """
Lem14 Lem16 Obs19 Lem20 Thm21 Thm21.steps Thm22 Cor23 Cor23.sensitivity Cor24 Cor24.coverage Thm25 Thm25.steps
Thm25.capped Thm25.uncapped Cor26 Lem27 Lem27.constant Lem27.uncapped Eq6 Eq7 Eq8 Eq9 Eq11 Eq12 Eq13 Alg1 Alg2 Alg3 Alg4
Alg5 Alg6 Alg7 f g phihat PhiB footnote9 E.state E pan.table pan.law pan.private pan.estimate
""".split()

# What is wrong as printed, and the entry that says so; the ledger must know exactly these.
REFUTED = """
PH.Def3 PH.Lem1.proof PH.Lem2.ii PH.Eq4 PH.Eq6 PH.Lem6 PH.C1.example PH.C1.categories PH.C1.smoothing PH.Lem8 PH.Lem9
PH.Eq8 PH.Eq9 PH.Eq11 PH.Eq12 PH.Eq17 PH.Eq17.projection PH.Thm1.empty PH.Thm2.words PH.Cor1.lipschitz PH.Eq20
GK.Cor23.sensitivity GK.Eq11 GK.Eq12 GK.Eq13 GK.Lem27 GK.Lem20 GK.Lem16.parts GK.Lem16.tail GK.corners
""".split()


@pytest.mark.parametrize("id", [*(f"PH.{x}" for x in SURESH), *(f"GK.{x}" for x in GHAZI)])
def test_a_numbered_statement_has_an_entry(id: str) -> None:  # noqa: A002  # the field's name
    assert id in entries()


def test_what_is_refuted_is_known_and_repaired() -> None:
    found = [e for e in entries().values() if e.id.startswith(("PH.", "GK.")) and e.expects == "refuted"]
    assert {e.id for e in found} == {f"{claim}.literal" for claim in REFUTED}
    assert {e.repairs for e in entries().values() if e.id in REFUTED} == {e.id for e in found}


def test_growth_is_sampled_and_never_verified() -> None:
    growth = [e for e in entries().values() if e.id.startswith(("PH.", "GK.")) and "Measured" in e.statement]
    found = {e.id for e in growth}
    assert found == {f"PH.{x}" for x in ("Thm1.error", "Thm1.time", "Cor1")} | {
        f"GK.{x}" for x in ("Thm21", "Alg1", "Thm25", "Cor23", "Cor24", "E.variance")
    }
    assert {e.verdict for e in growth} == {"sampled"}


def cited() -> Iterator[tuple[str, str]]:
    """(file, id) for every PH or GK that a docstring gives as its source."""
    for path in sorted(p for folder in ("spec", "impl") for p in (ROOT / folder / "anonymized").rglob("*.py")):
        for sources in re.findall(r"Source: (.*?)\.\s", path.read_text() + " ", re.DOTALL):
            yield from ((path.name, claim) for claim in re.findall(r"(?:PH|GK)\.[\w.()]*\w", sources))


def test_what_code_cites_is_an_entry() -> None:
    known = entries().keys()
    lost = {(file, id) for file, id in cited() if not any(k == id or k.startswith(f"{id}.") for k in known)}  # noqa: A001
    assert lost == set()
