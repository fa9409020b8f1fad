"""The group of all commands: each is found in its module, which is imported when it is called."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from finitedp.cli.main import main

NAMES = main.list_commands(click.Context(main))


@pytest.mark.parametrize("name", NAMES)
def test_a_command_bears_the_name_by_which_it_is_called(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_in_80_columns(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"], terminal_width=80)
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80


def test_the_help_lists_all_commands_in_order() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == NAMES == sorted(NAMES)


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("release basic --input x --column a --column b --epsilon 1", "--column"),
        ("law geo-sample --n 3 --epsilon 1 --epsilon=2 --count 1", "--epsilon"),
        ("statistic --epsilon 1 --epsilon 2", "--epsilon"),
        ("budget new x --epsilon 1 --epsilon 2", "--epsilon"),
        ("vectors run --timeout 1 --timeout 2 -- cat", "--timeout"),
    ],
)
def test_an_option_that_is_given_twice_is_refused(command: str, option: str) -> None:
    """The last one would be taken without a word."""
    found = CliRunner().invoke(main, command.split())
    assert (found.exit_code, found.output) == (2, f"Error: {option} is given twice; accepted: once\n")


def test_what_may_be_given_often_and_what_follows_two_dashes_may() -> None:
    assert CliRunner().invoke(main, ["claims", "--help", "--help"]).exit_code == 0
    found = CliRunner().invoke(
        main, ["vectors", "run", "--group", "draw", "--group", "none", "--", "cat", "--n", "1", "--n", "2"]
    )
    assert "twice" not in found.output


def test_an_unknown_command_is_one_line() -> None:
    found = CliRunner().invoke(main, ["verfy"])
    assert (found.exit_code, found.output) == (2, f"Error: 'verfy' is not one of the commands; accepted: {', '.join(NAMES)}\n")


def test_the_version_needs_none_of_their_modules() -> None:
    code = "import sys; from finitedp.cli.main import main; main(['--version'], standalone_mode=False); "
    code += "sys.exit(any(x in sys.modules for x in ('numpy', 'finitedp.cli.verify', 'finitedp.cli.audits.audit')))"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
