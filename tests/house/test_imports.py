"""Who imports whom: the direction of imports, no circles, and no claim that leans on another claim's module."""

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from finitedp.proofs_check.claims import MODULES
from tests.house.tree import ALL_MODULES, imported_modules, imports, modules

CLAIMS = {f"finitedp.proofs_check.claims.{name}" for name in MODULES}
READERS = {"finitedp.proofs_check.proofs.chain_others"}  # of releases, which `prove` states again

# Imports

FLOOR = {f"finitedp.{name}" for name in ("errors", "exact", "claim", "curve", "labels", "numbers", "units")}
STANDARD = set(sys.stdlib_module_names)
ALLOWED = {
    "floor": FLOOR | {"attrs", "flint", "gmpy2"},
    "spec": FLOOR | {"attrs", "flint", "gmpy2", "networkx", "finitedp.spec"},
    "impl": FLOOR | {"attrs", "cryptography", "flint", "gmpy2", "numpy", "finitedp.impl"},
    "proofs_check": FLOOR
    | {"attrs", "flint", "gmpy2", "finitedp.spec", "finitedp.impl", "finitedp.proofs_check"}
    | {"cloudpickle", "distributed", "jinja2", "joblib", "jsonschema", "matplotlib", "numpy", "z3"},
}
ALLOWED["claims"] = ALLOWED["proofs_check"] | {"finitedp.budgets", "finitedp.data"}  # claims are made at the front door, too
RANDOM = {"random", "secrets"}
OPTIONAL = {"cryptography", "networkx", "z3"}  # imported inside of functions only


def group_of(module: str) -> str:
    if module in FLOOR:
        return "floor"
    if module in CLAIMS | READERS:
        return "claims"
    part = module.split(".")[1] if "." in module else ""
    return part if part in ALLOWED else "face"


def permitted(name: str, group: str) -> bool:
    allowed = ALLOWED[group]
    top = name.split(".", maxsplit=1)[0]
    if top in STANDARD:
        return not (top in RANDOM and group in ("floor", "spec"))
    return top in allowed or any(name == a or name.startswith(f"{a}.") for a in allowed)


@pytest.mark.deep
def test_the_direction_of_imports() -> None:
    found = {module: set(imports(path)) for module, path in ALL_MODULES.items()}
    assert {module for module, names in found.items() if any(is_relative_to_a_package(name) for name in names)} == set()
    groups = {module: group_of(module) for module in found}
    inside = [(module, name) for module, names in found.items() if groups[module] != "face" for name in names]
    assert [(module, name) for module, name in inside if not permitted(name, groups[module])] == []


def is_relative_to_a_package(name: str) -> bool:
    """Whether it is imported as `spec.pmf`, which makes two classes of one."""
    return name.split(".", maxsplit=1)[0] in ("spec", "impl", "proofs_check")


def test_data_stands_below_the_claims_about_it() -> None:
    above = ("finitedp.proofs_check", "finitedp.cli")
    front = {name: path for name, path in ALL_MODULES.items() if name.startswith(("finitedp.data", "finitedp.budgets"))}
    assert {name for name, path in front.items() if any(x.startswith(above) for x in imports(path))} == set()
    assert len(front) > 10


def test_the_rule_of_imports_can_fail() -> None:
    assert not permitted("finitedp.spec.pmf", "impl")
    assert not permitted("finitedp.proofs_check.engine.explorer", "spec")
    assert not permitted("random", "spec")
    assert not permitted("numpy", "spec")
    assert not permitted("finitedp.data.releasing", "proofs_check")
    assert permitted("finitedp.data.releasing", "claims")
    assert permitted("random", "impl")
    assert permitted("finitedp.impl.randomness.coins", "proofs_check")


def test_impl_draws_randomness_in_coins_and_words_only() -> None:
    users = {name for name, path in modules("finitedp.impl").items() if RANDOM & set(imports(path))}
    assert users == {"finitedp.impl.randomness.coins"}
    by_name = {name for name, path in modules("finitedp.impl").items() if random_names(path)}
    assert by_name == {"finitedp.impl.randomness.coins", "finitedp.impl.randomness.words"}


def random_names(path: Path) -> list[str]:
    """Where a source takes randomness from the operating system or from numpy by an attribute."""
    used = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)]
    return [ast.unparse(node) for node in used if node.attr in ("urandom", "getrandom", "default_rng")]


def reached(names: set[str]) -> set[str]:
    """The modules of the house that some modules lead to."""
    found, left = set[str](), names
    while left:
        found |= left
        left = {other for name in left for other in imported_modules(name)} - found
    return found


def test_vectors_are_made_without_the_code_that_they_are_for() -> None:
    """Nothing that makes a case, or judges an answer, imports impl, directly or by what it imports."""
    makers = {name for name in ALL_MODULES if name.startswith("finitedp.proofs_check.vectors")}
    assert len(makers) > 10
    found = reached(makers)
    assert "finitedp.spec.dyadic" in found
    assert {name for name in found if name.startswith("finitedp.impl")} == set()
    assert "finitedp.impl.counting.dyadic" in reached({"finitedp.data.releasing"})


def test_optional_packages_are_imported_where_they_are_used() -> None:
    for module in modules("finitedp.impl") | modules("finitedp.spec"):
        nodes = [n for n in ast.parse(ALL_MODULES[module].read_text()).body if isinstance(n, ast.Import | ast.ImportFrom)]
        top = {name.split(".")[0] for n in nodes for name in (getattr(n, "module", None), *(a.name for a in n.names)) if name}
        assert not top & OPTIONAL, module


def test_a_claim_module_imports_no_other_claim_module() -> None:
    assert {module: other for module in CLAIMS if (other := imported_modules(module) & CLAIMS)} == {}


def test_nothing_imports_a_claim_module() -> None:
    """They are imported by the table of claims alone; what others need of them is in a section's subjects."""
    assert {name: found for name in ALL_MODULES if (found := imported_modules(name) & CLAIMS)} == {}


def test_there_is_no_circle_of_imports() -> None:
    graph = {name: {x for x in imported_modules(name) if not x.startswith(f"{name}.")} for name in ALL_MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_a_circle_would_be_found() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()
