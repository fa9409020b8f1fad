"""The modules of the house by dotted name, and what each of them imports."""

import ast
from functools import cache
from pathlib import Path

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


_PLUGIN = ROOT / "src" / "finitedp_pytest"
PLUGIN = {f"finitedp_pytest.{path.stem}".removesuffix(".__init__"): path for path in sorted(_PLUGIN.glob("*.py"))}
ALL_MODULES = {name: path for package in TOP for name, path in modules(package).items()} | PLUGIN
FOLDERS = sorted({path.parent for path in ALL_MODULES.values()} - {ROOT / "src"})
DATA = {
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "proofs_check").rglob("*")
    if path.suffix in (".json", ".jinja", ".toml", ".xz")
}


def in_wheel(name: str, path: Path) -> str:
    return name.replace(".", "/") + ("/__init__.py" if path.stem == "__init__" else ".py")


@cache
def imports(path: Path) -> tuple[str, ...]:
    """The dotted names that a source imports, anywhere in it."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            found.append(node.module or "")
            found += [f"{node.module}.{alias.name}" for alias in node.names if (node.module or "").startswith("finitedp")]
    return tuple(found)


def imported_modules(name: str) -> set[str]:
    """The modules of the house that a module imports."""
    return {found for found in imports(ALL_MODULES[name]) if found in ALL_MODULES} - {name}
