"""Groups of commands, of all and of one for each mechanism: they load nothing but click."""

import os
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any

import click

from finitedp.errors import FinitedpError, WorkersError
from finitedp.labels import as_text


class Commands(click.Group):
    """A group whose commands refuse an option that is given twice, of which click takes the last one without a word."""

    kind = "commands"

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names. Raises: UsageError."""
        if self.get_command(ctx, args[0]) is None:
            ctx.fail(f"{args[0]!r} is not one of the {self.kind}; accepted: {', '.join(self.list_commands(ctx))}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not isinstance(command, click.Group):
            for option in _given(command, ctx, rest):
                if isinstance(option, click.Option) and not (option.multiple or option.is_flag):
                    ctx.fail(f"{option.opts[0]} is given twice; accepted: once")
        return name, command, rest


def _given(command: click.Command, ctx: click.Context, args: Sequence[str]) -> list[click.Parameter]:
    """The parameters that are given more than once. None where the arguments are wrong, which is said when they are parsed."""
    own = command.context_class(command, parent=ctx, **command.context_settings)
    try:
        _, _, order = command.make_parser(own).parse_args(list(args))
    except click.UsageError:
        return []
    return [option for i, option in enumerate(order) if option in order[:i]]


class Face(Commands):
    """A command group with one line for each error, and its exit code.

    2 for input that cannot be used, 3 for workers that are lost, 130 for an interruption.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401  # as in click
    ) -> Any:  # noqa: ANN401
        """Run the program, and leave with its exit code."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        try:
            result = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            code = result if isinstance(result, int) else 0
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            code = 2
        except WorkersError as error:
            code = _report(str(error), 3)
        except (click.ClickException, FinitedpError) as error:
            code = _report(error.format_message() if isinstance(error, click.ClickException) else str(error))
        except SystemExit as left:
            # click leaves with 1 where the reader of a pipe is gone, which is no failure
            code = 0 if type(sys.stdout).__name__.endswith("PacifyFlushWrapper") else int(left.code or 0)
        except (KeyboardInterrupt, click.Abort):
            click.echo("Interrupted.", err=True)
            code = 130
        except BrokenPipeError:
            _silence_a_broken_output()
            code = 0
        except OSError as error:
            code = _report(f"{error.filename or 'output'}: {error.strerror or error}")
            _silence_a_broken_output()
        sys.exit(code)


def _silence_a_broken_output() -> None:
    """Keep Python from failing once more when it flushes standard output at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _report(message: str, code: int = 2) -> int:
    """One line for an error, and its exit code."""
    click.echo("Error: " + as_text(" ".join(message.split())), err=True)
    return code


class MechanismGroup(Commands):
    """A group with a command for each mechanism.

    Parameters: names, of the mechanisms, in order; build, the command of a name.
    """

    kind = "mechanisms"

    def __init__(
        self,
        *args: Any,  # noqa: ANN401  # as of click.Group
        names: Collection[str],
        build: Callable[[str], click.Command],
        **more: Any,  # noqa: ANN401  # the same
    ) -> None:
        more["subcommand_metavar"] = "MECHANISM [OPTIONS]"
        super().__init__(*args, **more)
        self._names, self._build = names, build

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments of the mechanism's command. Raises: UsageError."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            ctx.fail(f"{error.option_name} stands before the mechanism; accepted: MECHANISM, then its options")

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names of the mechanisms."""
        return list(self._names)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a mechanism, None for an unknown one."""
        return self._build(cmd_name) if cmd_name in self._names else None
