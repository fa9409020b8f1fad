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


def test_the_help_lists_all_commands_in_order() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == NAMES == sorted(NAMES)


def test_an_unknown_command_is_one_line() -> None:
    found = CliRunner().invoke(main, ["verfy"])
    assert (found.exit_code, found.output) == (2, "Error: No such command 'verfy'.\n")


def test_the_version_needs_none_of_their_modules() -> None:
    code = "import sys; from finitedp.cli.main import main; main(['--version'], standalone_mode=False); "
    code += "sys.exit(any(x in sys.modules for x in ('numpy', 'finitedp.cli.verify', 'finitedp.cli.audits.audit')))"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
