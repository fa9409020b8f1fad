"""The house: what the wheel holds, who imports whom, and where no float may be."""

import ast
import shutil
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import pytest
from gmpy2 import mpz

from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.randomness.coins import StrictCoins
from tests.house.tree import ALL_MODULES, DATA, FOLDERS, LINKED, ROOT, in_wheel, modules


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("wheel")
    shutil.rmtree(ROOT / "build", ignore_errors=True)  # setuptools would put into the wheel what an older build left there
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return zipfile.ZipFile(next(out.glob("finitedp-*.whl")))


@pytest.mark.deep
def test_the_wheel_holds_every_module_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    expected = {in_wheel(name, path) for name, path in ALL_MODULES.items()}
    assert held == expected | {"finitedp/py.typed", "finitedp_pytest/py.typed"} | {f"finitedp/{path}" for path in DATA}


@pytest.mark.deep
def test_the_wheel_has_its_licence_and_command(wheel: zipfile.ZipFile) -> None:
    names = [name.split(".dist-info/")[1] for name in wheel.namelist() if ".dist-info/" in name]
    assert "licenses/LICENSE" in names
    entry = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "[console_scripts]\nfinitedp = finitedp.cli.main:main\n" in wheel.read(entry).decode()
    assert "[pytest11]\nfinitedp = finitedp_pytest\n" in wheel.read(entry).decode()


def test_the_three_folders_are_reached_by_relative_links() -> None:
    for name in LINKED:
        link = ROOT / "src" / "finitedp" / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name
        assert not link.readlink().is_absolute()


def test_every_folder_is_a_package() -> None:
    assert [folder for folder in FOLDERS if not (folder / "__init__.py").exists()] == []


MOST_MODULES = {"src/finitedp/cli": 27}  # one module a command; 20 elsewhere


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_a_folder_is_small_enough_to_be_walked(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.stem != "__init__"]) <= MOST_MODULES.get(
        folder.relative_to(ROOT).as_posix(), 20
    )


# Sources that every Python reads


def leaves_a_finally(source: str) -> list[int]:
    """The lines of return, break and continue by which a finally is left, of which Python warns from 3.14 on."""
    found = []

    def look(node: ast.AST, *, inside: bool, loop: bool) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            inside = False
        if inside and (isinstance(node, ast.Return) or (isinstance(node, ast.Break | ast.Continue) and not loop)):
            found.append(node.lineno)
        last = node.finalbody if isinstance(node, ast.Try | ast.TryStar) else []
        for child in ast.iter_child_nodes(node):
            begins = any(child is part for part in last)
            of_a_loop = isinstance(node, ast.For | ast.AsyncFor | ast.While) and not any(child is part for part in node.orelse)
            look(child, inside=inside or begins, loop=(loop or of_a_loop) and not begins)

    look(ast.parse(source), inside=False, loop=False)
    return found


@pytest.mark.deep
def test_no_source_warns_where_it_is_compiled() -> None:
    folders = ("src", *LINKED, "tests", "docs", ".ci")
    sources = {str(path): path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.py")}
    assert len(sources) > 800
    for name, source in sources.items():
        assert leaves_a_finally(source) == [], name
        compile(source, name, "exec")  # warnings are errors


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("return 1", [6]),
        ("if x:\n   return 1", [7]),
        ("while x:\n   break", []),
        ("while x:\n   return 1", [7]),
        ("for y in x:\n   continue\n  else:\n   break", [9]),
        ("break", [6]),
        ("continue", [6]),
        ("def inner():\n   return 1", []),
        ("try:\n   x()\n  finally:\n   continue", [9]),
        ("x()", []),
    ],
)
def test_a_finally_that_is_left_is_found(body: str, left: list[int]) -> None:
    source = f"def made(x):\n for _ in x:\n  try:\n   return x()\n  finally:\n   {body.replace(chr(10), chr(10) + ' ')}\n"
    assert leaves_a_finally(source) == left
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        compile(source, "made", "exec")
    assert left or not told


# Floats


def floats(path: Path, *, division: bool) -> list[str]:
    """Where a source could make a float: literals, float(), float functions and, with `division`, the operator /."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            found.append(f"{node.lineno}: literal {node.value}")
        if isinstance(node, ast.Name) and node.id in ("float", "complex"):
            found.append(f"{node.lineno}: {node.id}")
        if isinstance(node, ast.Attribute) and node.attr in ("exp", "log", "log2", "sqrt", "pow", "random", "float64"):
            found.append(f"{node.lineno}: .{node.attr}")
        if division and isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("module", sorted(modules("finitedp.impl")))
def test_no_float_in_impl(module: str) -> None:
    """Not even the operator /, which makes a float of two ints: quotients are mpq(a, b)."""
    assert floats(ALL_MODULES[module], division=True) == []


@pytest.mark.parametrize("module", sorted(modules("finitedp.spec")))
def test_no_float_in_spec(module: str) -> None:
    """The operator / is for rationals there; mypy sees a float that is returned for one."""
    assert floats(ALL_MODULES[module], division=False) == []


def test_the_search_for_floats_finds_them(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text("import math\nx = 0.5\ny = 1 / n\nz = math.log(3)\nw = float(x)\n")
    assert len(floats(source, division=True)) == 4
    assert len(floats(source, division=False)) == 3


def test_running_mechanisms_hold_no_float() -> None:
    """Every number that a release computes with is an integer: attributes, thresholds, draws and outputs."""
    for mechanism in (GeoSample(30, "1/10"), FastSample(30, "1/10", "1/1024")):
        numbers = [mechanism.cdf(c, z) for c in (0, 11, 30) for z in range(31)]
        numbers += [mechanism.release(11, StrictCoins()), mechanism.d, mechanism.k]
        assert all(isinstance(number, int) or type(number) is mpz for number in numbers)


LONG = {  # each of these is one file, to run alone
    "finitedp.proofs_check.checker": 620,
    "finitedp.proofs_check.pipeline_certificate": 1284,
    "finitedp.proofs_check.proofs.proof_checker": 2520,
    "finitedp.proofs_check.proofs.live_checker.kernel": 900,
    "finitedp.proofs_check.proofs.live_checker.live": 700,
    "finitedp.proofs_check.proofs.live_checker.labels": 500,
    "finitedp.proofs_check.claims": 400,  # the table of claims
}


def test_every_module_is_short_and_has_a_docstring() -> None:
    for name, path in ALL_MODULES.items():
        text = path.read_text()
        assert ast.get_docstring(ast.parse(text)), name
        assert text.count("\n") <= LONG.get(name, 350), f"{name} tells more than one story"
