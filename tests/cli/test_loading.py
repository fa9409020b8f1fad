"""What is loaded: nothing that a command has no use for, and by the public names what they stand for."""

import ast
import subprocess
import sys
from pathlib import Path

import click
import pytest

import finitedp
from finitedp.cli.main import COMMANDS, main
from finitedp.proofs_check.claims import MODULES, entries, find, in_order
from tests.sampling import sampled

ROOT = Path(__file__).parents[2]
CHECKS, CLAIMS = "finitedp.proofs_check", "finitedp.proofs_check.claims"
MODULES_OF_CLAIMS = {f"{CLAIMS}.{module}" for module in MODULES}
RELEASE = [
    *("release", "basic", "--input", str(ROOT / "docs" / "data" / "randhie.csv"), "--column", "self_rated_health"),
    *("--universe", "excellent,good,fair,poor", "--epsilon", "1"),
]


def loaded(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh process has in the end."""
    listing = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    command = [sys.executable, "-c", f"{listing}\n{code}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def by_command(*arguments: str) -> set[str]:
    return loaded("from finitedp.cli.main import main; main(prog_name='finitedp')", *arguments)


def within(package: str, modules: set[str]) -> set[str]:
    return {name for name in modules if f"{name}.".startswith(f"{package}.")}


# The library


def test_importing_finitedp_loads_nothing_else() -> None:
    found = loaded("import finitedp")
    assert within("finitedp", found) == {"finitedp"}
    assert not found & {"attr", "flint", "gmpy2", "importlib.metadata", "numpy"}


def test_a_public_name_loads_its_module_and_is_what_is_there() -> None:
    found = within("finitedp", loaded("import finitedp; assert finitedp.FinitedpError is finitedp.errors.FinitedpError"))
    assert found == {"finitedp", "finitedp.errors"}


def test_public_names_are_the_ones_that_type_checkers_see() -> None:
    """Those imported for types, and no others, each from where it is loaded."""
    tree = ast.parse((ROOT / "src" / "finitedp" / "__init__.py").read_text())
    (typed,) = (node for node in tree.body if isinstance(node, ast.If))
    homes = {
        str(node.module).removeprefix("finitedp."): tuple(alias.name for alias in node.names)
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
    }
    assert homes == finitedp._HOMES
    assert {name for names in homes.values() for name in names} | {"__version__"} == set(finitedp.__all__)
    assert set(finitedp.__all__) <= set(dir(finitedp))
    for home, names in homes.items():
        module = sys.modules.get(f"finitedp.{home}")
        for name in names:
            assert getattr(finitedp, name) is getattr(module or sys.modules[f"finitedp.{home}"], name)


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'finitedp' has no attribute 'nothing'"):
        _ = finitedp.nothing
    assert not hasattr(finitedp, "cli.main")


# The list of commands


@pytest.mark.parametrize("options", [["--help"], ["-h"], ["--version"]])
def test_the_list_of_commands_loads_none_of_them(options: list[str]) -> None:
    found = by_command(*options)
    parts = {"cli", "cli.face", "cli.main", "errors", "labels"}
    assert within("finitedp", found) == {"finitedp", *(f"finitedp.{part}" for part in parts)}
    assert not found & {"flint", "gmpy2", "jsonschema", "numpy", "rich"}


def test_the_list_of_commands_says_what_their_own_help_says() -> None:
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    assert {name: text for name, (_module, text) in COMMANDS.items()} == {
        name: command.get_short_help_str(limit=1000) for name, command in commands.items() if command is not None
    }
    assert all(command is not None and command.name == name for name, command in commands.items())
    for width in (60, 80, 100):
        own, of_click = click.HelpFormatter(width=width), click.HelpFormatter(width=width)
        main.format_commands(context, own)
        click.Group.format_commands(main, context, of_click)
        assert own.getvalue() == of_click.getvalue()


# Commands


def test_a_release_loads_no_checks() -> None:
    assert within(CHECKS, by_command(*RELEASE)) == set()


@pytest.mark.parametrize("command", sampled(["claims", "verify"], 1))
def test_one_claim_loads_its_own_module_of_claims(command: str) -> None:
    found = by_command(*(["claims", "FD.ExactCoins"] if command == "claims" else ["verify", "--claims", "FD.ExactCoins"]))
    assert found & MODULES_OF_CLAIMS == {f"{CLAIMS}.own.coins"}


@pytest.mark.deep
def test_a_derived_claim_loads_its_premises_too() -> None:
    found = by_command("verify", "--claims", "BV.Thm5.6.iv")
    needed = ("BV.Thm5.6.iv", "BV.Thm5.5.iv", "BV.Thm4.10.iii")
    assert found & MODULES_OF_CLAIMS == {entries()[name].module for name in needed}


@pytest.mark.deep
@pytest.mark.parametrize("patterns", [["*.all"], ["FD.Lines.*"], ["BV.Err.3"], ["*"], ["FD.ExactCoins", "BV.Thm4.7"]])
def test_a_fresh_process_finds_what_the_whole_ledger_has(patterns: list[str]) -> None:
    code = "import sys; from finitedp.proofs_check.claims import find; print(*(e.id for e in find(*sys.argv[1:])))"
    done = subprocess.run([sys.executable, "-c", code, *patterns], capture_output=True, text=True, check=True)
    assert len(entries()) > 700
    assert done.stdout.split() == [entry.id for entry in find(*patterns)]
    assert find(*patterns) == in_order({entry.id for entry in find(*patterns)})
