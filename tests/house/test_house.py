"""The house: what the wheel holds, who imports whom, and where no float may be."""

import ast
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from gmpy2 import mpz

from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.randomness.coins import StrictCoins

ROOT = Path(__file__).parents[2]
LINKED = ("spec", "impl", "proofs_check")
TOP = {"finitedp": ROOT / "src" / "finitedp"} | {f"finitedp.{p}": ROOT / p for p in LINKED}


def modules(package: str) -> dict[str, Path]:
    """The modules below one of the four top folders, by dotted name; a package is its __init__."""
    found = {}
    for path in sorted(TOP[package].rglob("*.py")):
        inner = path.relative_to(TOP[package]).with_suffix("").parts
        if not (package == "finitedp" and inner[0] in LINKED):  # rglob does not follow the links; said in case it learns to
            found[".".join((package, *inner)).removesuffix(".__init__")] = path
    return found


PLUGIN = {"finitedp_pytest": ROOT / "src" / "finitedp_pytest.py"}
ALL_MODULES = {name: path for package in TOP for name, path in modules(package).items()} | PLUGIN
FOLDERS = sorted({path.parent for path in ALL_MODULES.values()} - {ROOT / "src"})
DATA = {path.relative_to(ROOT).as_posix() for path in (ROOT / "proofs_check").rglob("*") if path.suffix in (".json", ".jinja")}


def in_wheel(name: str, path: Path) -> str:
    return name.replace(".", "/") + ("/__init__.py" if path.stem == "__init__" else ".py")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return zipfile.ZipFile(next(out.glob("finitedp-*.whl")))


def test_the_wheel_holds_every_module_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    expected = {in_wheel(name, path) for name, path in ALL_MODULES.items()}
    assert held == expected | {"finitedp/py.typed"} | {f"finitedp/{path}" for path in DATA}


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


MOST_MODULES = 20


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_a_folder_is_small_enough_to_be_walked(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.stem != "__init__"]) <= MOST_MODULES


# Imports

FLOOR = {"finitedp.errors", "finitedp.exact", "finitedp.claim"}
STANDARD = set(sys.stdlib_module_names)
ALLOWED = {
    "floor": FLOOR | {"attrs", "flint", "gmpy2"},
    "spec": FLOOR | {"attrs", "flint", "gmpy2", "finitedp.spec"},
    "impl": FLOOR | {"attrs", "cryptography", "flint", "gmpy2", "numpy", "finitedp.impl"},
    "proofs_check": FLOOR
    | {"attrs", "flint", "gmpy2", "finitedp.spec", "finitedp.impl", "finitedp.proofs_check"}
    | {"cloudpickle", "distributed", "jinja2", "joblib", "jsonschema", "matplotlib", "numpy"},
}
RANDOM = {"random", "secrets"}
OPTIONAL = {"cryptography"}  # imported inside of functions only


def group_of(module: str) -> str:
    if module in FLOOR:
        return "floor"
    part = module.split(".")[1] if "." in module else ""
    return part if part in ALLOWED else "face"


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "finitedp")


def permitted(name: str, group: str) -> bool:
    allowed = ALLOWED[group]
    top = name.split(".", maxsplit=1)[0]
    if top in STANDARD:
        return not (top in RANDOM and group in ("floor", "spec"))
    return top in allowed or any(name == a or name.startswith(f"{a}.") for a in allowed)


@pytest.mark.parametrize("module", sorted(ALL_MODULES))
def test_the_direction_of_imports(module: str) -> None:
    found = set(imports(ALL_MODULES[module]))
    assert not any(name.split(".")[0] in ("spec", "impl", "proofs_check") for name in found), "import absolutely"
    group = group_of(module)
    if group == "face":
        return
    wrong = {name for name in found if not permitted(name, group)}
    assert wrong == set()


def test_importing_finitedp_does_not_load_the_checks() -> None:
    code = "import finitedp, sys; print([m for m in sys.modules if m.startswith('finitedp.proofs_check')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_rule_of_imports_can_fail() -> None:
    assert not permitted("finitedp.spec.pmf", "impl")
    assert not permitted("finitedp.proofs_check.engine.explorer", "spec")
    assert not permitted("random", "spec")
    assert not permitted("numpy", "spec")
    assert permitted("random", "impl")
    assert permitted("finitedp.impl.randomness.coins", "proofs_check")


def test_impl_draws_randomness_in_coins_and_words_only() -> None:
    users = {name for name, path in modules("finitedp.impl").items() if RANDOM & set(imports(path))}
    assert users == {"finitedp.impl.randomness.coins"}
    by_name = {name for name, path in modules("finitedp.impl").items() if random_names(path)}
    assert by_name == {"finitedp.impl.randomness.words"}


def random_names(path: Path) -> list[str]:
    """Where a source takes randomness from the operating system or from numpy by an attribute."""
    used = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)]
    return [ast.unparse(node) for node in used if node.attr in ("urandom", "getrandom", "default_rng")]


@pytest.mark.parametrize("module", sorted(modules("finitedp.impl")))
def test_optional_packages_are_imported_where_they_are_used(module: str) -> None:
    nodes = [n for n in ast.parse(ALL_MODULES[module].read_text()).body if isinstance(n, ast.Import | ast.ImportFrom)]
    top = {name.split(".")[0] for n in nodes for name in (getattr(n, "module", None), *(a.name for a in n.names)) if name}
    assert not top & OPTIONAL


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


def test_every_module_is_short_and_has_a_docstring() -> None:
    for name, path in ALL_MODULES.items():
        text = path.read_text()
        assert ast.get_docstring(ast.parse(text)), name
        assert text.count("\n") <= 350, f"{name} tells more than one story"
