"""Coq re-checks the arithmetic of all proof objects, and refuses it where the kernel errs."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from finitedp.proofs_check.proofs.structure import OBJECTS
from tests.sampling import ROOT

NAMES = sorted(path.stem for path in OBJECTS.glob("*.json"))
LONG, PARTS = 600, 40  # of an object with more lemmas than this, a deep test takes each fortieth: which, its hash says
needs_coq = pytest.mark.skipif(not shutil.which("coqchk"), reason="there is no Coq here: no coqc, no coqchk")


def _python(code: str, *arguments: str) -> str:
    """What Python prints, in a process of its own: the export patches the kernel."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def _coqc(folder: Path, name: str) -> str:
    """What coqc says against a file; nothing, where it accepts it."""
    done = subprocess.run(
        [shutil.which("coqc") or "", "-q", f"{name}.v"], capture_output=True, text=True, check=False, cwd=folder
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _part(text: str) -> str:
    """A part of the lemmas of a file that has many."""
    head, *lemmas = text.split("\n(* ")
    if len(lemmas) <= LONG:
        return text
    part = hashlib.sha256(text.encode()).digest()[0] % PARTS
    return "\n(* ".join([head, *lemmas[part::PARTS]]) + "\n"


def _rechecked(folder: Path) -> None:
    """Stop unless coqc compiles all files of a folder, and coqchk accepts what it wrote, with no axioms but those of R."""
    for name in ("Base", *NAMES):
        assert _coqc(folder, name) == "", name
    done = subprocess.run(
        [shutil.which("coqchk") or "", "-silent", "-o", "Base", *NAMES],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Base." not in said.split("* Axioms:")[1]
    assert not any(f"{name}." in said.split("* Axioms:")[1] for name in NAMES)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder with the files of all objects, and what the export tells."""
    folder = tmp_path_factory.mktemp("all")
    return folder, _python("import sys; from tests.coq import export; export.main(sys.argv[1])", str(folder)).splitlines()


@pytest.mark.deep
def test_all_arithmetic_has_lemmas(files: tuple[Path, list[str]]) -> None:
    folder, told = files
    assert [line.partition(":")[0] for line in told] == [*NAMES, "all"]
    assert told[-1].endswith(" 0 not exported")
    for name in NAMES:
        text = (folder / f"{name}.v").read_text(encoding="utf-8")
        assert text.count("\nLemma combine_") >= 1
        assert text.count("\nLemma ") == text.count(" Qed.")
        assert not {"Admitted", "admit", "Axiom", "Parameter", "Hypothesis", "Variable"} & set(text.replace(".", " ").split())


@needs_coq
@pytest.mark.deep
def test_coq_accepts_all_objects_and_of_long_ones_a_part(files: tuple[Path, list[str]], tmp_path: Path) -> None:
    for path in files[0].glob("*.v"):
        (tmp_path / path.name).write_text(_part(path.read_text(encoding="utf-8")), encoding="utf-8")
    _rechecked(tmp_path)


@needs_coq
@pytest.mark.full
def test_coq_accepts_all_lemmas(files: tuple[Path, list[str]]) -> None:
    _rechecked(files[0])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which Base.v is compiled."""
    folder = tmp_path_factory.mktemp("coq")
    shutil.copy(Path(__file__).with_name("Base.v"), folder)
    assert _coqc(folder, "Base") == ""
    return folder


LENIENT = "kernel.need = lambda condition, message: None\n"  # a kernel that accepts every combination
TWINS = {  # by name: the object, what is changed in it or in the kernel, and the kind of lemma that is refused
    "a multiplier": ("mixing", LENIENT + "proof['with'][3][0] = '2*gamma'", "combine"),
    "the goal's multiplier": ("mixing", LENIENT + "proof['goal'] = '2'", "combine"),
    "a constant of a hypothesis": (
        "mixing",
        LENIENT
        + "kernel.Sequent.holds = lambda self, fact: True\nproof['with'][3][1] = 'r - 2 >= 0'\nproof['with'][3][0] = '1'",
        "follows",
    ),
    "a constant of the conclusion": (
        "mixing",
        LENIENT + "node['then'][0] = node['then'][0].replace('+ gamma*u)', '+ gamma*q)')",
        "combine",
    ),
    "signs that are not known": (
        "composition",
        "genuine = kernel.Sequent.sign\nkernel.Sequent.sign = lambda self, poly: genuine(self, poly) or '>'",
        "follows",
    ),
    "a product that loses a number": (
        "composition",
        "times = numbers._times\nnumbers._times = lambda a, b, c: (times(a, b, c)[0], abs(times(a, b, c)[1]))\n" + LENIENT,
        "combine",
    ),
    "a half as an integer": (
        "packing",
        "node['then'].append('integer(m/2)')\nnode['proof'] = {'rule': 'known'}\n"
        + LENIENT
        + "kernel.Sequent.holds = lambda self, fact: True\nkernel.Sequent.is_whole = lambda self, poly: True",
        "integer",
    ),
}
CHANGED = """
import json, sys
from tests.coq import export
from finitedp.proofs_check.proofs.live_checker import kernel, language, numbers
language.imported()
document = json.loads(open(sys.argv[1]).read())
document["nodes"] = document["nodes"][:1]
node, proof = document["nodes"][0], document["nodes"][0]["proof"]
exec(sys.argv[2])
print(export.file_of(export.exported(document), "a twin"))
"""


@needs_coq
@pytest.mark.deep
@pytest.mark.parametrize("name", TWINS)
def test_coq_refuses_what_a_kernel_that_errs_accepts(name: str, base: Path) -> None:
    stem, change, kind = TWINS[name]
    text = _python(CHANGED, str(OBJECTS / f"{stem}.json"), change)
    (base / "twin.v").write_text(text, encoding="utf-8")
    said = _coqc(base, "twin")
    line = int(said.partition("line ")[2].partition(",")[0])
    lemma = [one for one in text.splitlines()[:line] if one.startswith("Lemma ")][-1]
    assert lemma.startswith(f"Lemma {kind}_"), said


@needs_coq
@pytest.mark.deep
@pytest.mark.parametrize(("old", "new"), [("0 <= v_r + (-1)", "0 <= v_r + 1"), ("v_delta * v_r + v_delta", "2 * v_delta")])
def test_coq_refuses_a_lemma_with_another_constant(old: str, new: str, base: Path) -> None:
    text = _python(CHANGED, str(OBJECTS / "mixing.json"), "")
    changed = text.replace(old, new)
    assert changed != text
    (base / "wrong.v").write_text(changed, encoding="utf-8")
    assert "Error" in _coqc(base, "wrong")
