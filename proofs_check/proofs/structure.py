"""What it takes for histograms to be as private as they claim: the statements, written out from where the code makes them."""

from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc

OBJECTS = Path(__file__).resolve().parent / "objects"
ROOT = OBJECTS.parents[2]

HISTOGRAMS = {  # by the name of the object: the claim, and what it is about
    "BasicHistogram": ("BV.Thm5.2.i.all", "finitedp.impl.histograms.basic.BasicHistogram"),
    "StabilityHistogram": ("BV.Thm5.5.i.all", "finitedp.impl.histograms.stability.StabilityHistogram"),
    "BasicHistogram_on_arrays": ("FD.Release.basic.all", "finitedp.data.drawing._basic"),
    "StabilityHistogram_on_arrays": ("FD.Release.stability.all", "finitedp.data.drawing._stability"),
    "BasicHistogram_add_remove": ("FD.Release.basic.add-remove.all", "finitedp.data.drawing._basic_add_remove"),
    "StabilityHistogram_add_remove": ("FD.Release.stability.add-remove.all", "finitedp.data.drawing._stability_add_remove"),
}


def statements(name: str, root: Path = ROOT) -> list[tuple[str, dict[str, Any]]]:
    """What the claim about a class or function comes down to, where the code below a folder makes it. Raises: Refused."""
    pc.STEPS[0] = 0
    return pc.as_claimed(name, pc.Library(root))


def refutation(name: str, root: Path) -> str | None:
    """Why a claim cannot be proved of the code in a folder: what the checker refuses; or None."""
    try:
        statements(name, root)
    except (pc.Refused, *pc.UNREADABLE) as error:
        return str(error)
    return None
