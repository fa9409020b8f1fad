"""The command line: all commands of finitedp in one group. A command's module is imported when it is called."""

from importlib import import_module

import click

from finitedp import __version__
from finitedp.cli.console import Face

__all__ = ["main"]


_MODULES = {
    "audit": "audits.audit",
    "black-box": "black_box",
    "blanket-plan": "dyadic",
    "check": "check",
    "claims": "claims",
    "dyadic-table": "dyadic",
    "init": "audits.init",
    "law": "laws",
    "privacy": "laws",
    "prove": "prove",
    "query": "compact",
    "release": "release",
    "report": "report",
    "statistic": "statistic",
    "verify": "verify",
    "zoo": "zoo",
}


class Commands(Face):
    """The commands by name, each in its module of finitedp.cli."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """All names, in the order of the alphabet."""
        return list(_MODULES)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, or None."""
        if cmd_name not in _MODULES:
            return None
        command: click.Command = getattr(import_module(f"finitedp.cli.{_MODULES[cmd_name]}"), cmd_name.replace("-", "_"))
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="finitedp")
def main() -> None:
    """Differential privacy on finite computers, verified exactly.

    Parameters such as epsilon are rationals, written p/q: 1/10, not 0.1. Exit codes: 0, all is as claimed; 1, a claim fails;
    2, the input is not usable; 3, the processes or the cluster that should do the work failed; 130, interrupted.
    """
