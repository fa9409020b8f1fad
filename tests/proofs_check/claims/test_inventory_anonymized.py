"""Of the papers on anonymized histograms: what is refuted is known, growth is sampled, and what code cites is an entry."""

import re
from collections.abc import Iterator
from pathlib import Path

from finitedp.proofs_check.claims import entries

ROOT = Path(__file__).parents[3]

# What is wrong as printed, and the entry that says so; the ledger must know exactly these.
REFUTED = """
PH.Def3 PH.Lem1.proof PH.Lem2.ii PH.Eq4 PH.Eq6 PH.Lem6 PH.C1.example PH.C1.categories PH.C1.smoothing PH.Lem8 PH.Lem9
PH.Eq8 PH.Eq9 PH.Eq11 PH.Eq12 PH.Eq17 PH.Eq17.projection PH.Thm1.empty PH.Thm2.words PH.Cor1.lipschitz PH.Eq20
GK.Cor23.sensitivity GK.Cor24.proof GK.Eq11 GK.Eq12 GK.Eq13 GK.Lem27 GK.Lem20 GK.Lem16.parts GK.Lem16.tail GK.corners
PH.Sec3.groups PH.SecF.errors
""".split()


def test_what_is_refuted_is_known_and_repaired() -> None:
    found = [e for e in entries().values() if e.id.startswith(("PH.", "GK.")) and e.expects == "refuted"]
    assert {e.id for e in found} == {f"{claim}.literal" for claim in REFUTED}
    assert {e.repairs for e in entries().values() if e.id in REFUTED} == {e.id for e in found}


def test_growth_is_sampled_and_never_verified() -> None:
    growth = [e for e in entries().values() if e.id.startswith(("PH.", "GK.")) and "Measured" in e.statement]
    found = {e.id for e in growth}
    assert found == {f"PH.{x}" for x in ("Thm1.error", "Thm1.time", "Cor1")} | {
        f"GK.{x}" for x in ("Thm21", "Alg1", "Thm25", "Cor23", "Cor24")
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
