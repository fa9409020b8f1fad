"""finitedp budget: make the file of a privacy budget, and read what was charged to it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from gmpy2 import mpq

from finitedp.claim import Neighbours
from finitedp.cli.console import Rational, json_option, print_json, table
from finitedp.cli.prose import closing_line
from finitedp.data.budget import Budget
from finitedp.errors import ParameterError
from finitedp.exact import probability, rational
from finitedp.numbers import shown

__all__ = ["BUDGET", "budget", "charging"]

_FILE = click.Path(dir_okay=False, path_type=Path)


def _charged_to(ctx: click.Context, _param: click.Parameter, path: Path | None) -> None:
    if path is not None:
        ctx.with_resource(Budget.open(path))


BUDGET = click.Option(
    ["--budget"],
    type=_FILE,
    expose_value=False,
    callback=_charged_to,
    help="Charge the release to this file, before it is drawn; refused where it does not fit. See `finitedp budget`.",
)
"""An option of every command that releases something: what is drawn while it runs is charged."""


def charging(command: Callable[..., None]) -> Callable[..., None]:
    """The option for a command that is made of a function."""
    return click.option(*BUDGET.opts, type=_FILE, expose_value=False, callback=_charged_to, help=BUDGET.help)(command)


def _at_least_0(value: Any, name: str) -> mpq:  # noqa: ANN401  # whatever was written
    found = rational(value, name)
    if found < 0:
        raise ParameterError(f"{name} = {found} is negative; accepted: a rational of at least 0")
    return found


@click.group()
def budget() -> None:
    """A privacy budget in a file: the total of several releases.

    Each release with --budget FILE is charged before it is drawn, and refused where it does not fit. Charges are only added;
    each line holds the hash of the one before it.
    """


@budget.command(epilog="Example:\n\n  finitedp budget new spring.budget --epsilon 1 --delta 1/1000000000")
@click.argument("file", type=_FILE)
@click.option("--epsilon", required=True, type=Rational(_at_least_0), help="Of all releases together, p/q.")
@click.option("--delta", type=Rational(probability), default="0", show_default=True, help="Of all releases together, p/q.")
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What both are for.",
)
def new(file: Path, epsilon: mpq, delta: mpq, neighbours: Neighbours) -> None:
    """Make FILE, which must not exist."""
    click.echo(closing_line(f"{Budget.new(file, epsilon, delta, neighbours=neighbours)}"))


@budget.command()
@click.argument("file", type=_FILE)
@json_option
def show(file: Path, as_json: bool) -> None:
    """What was charged to FILE, and what is left."""
    found = Budget.open(file)
    if as_json:
        print_json(_as_json(found))
        return
    rows = [[str(x.number), shown(x.epsilon, 20), shown(x.delta, 20), x.release] for x in found.charges]
    if rows:
        click.echo(table("Charges", ["", "epsilon", "delta", "release"], rows))
    click.echo(closing_line(f"{found}."))


@budget.command()
@click.argument("file", type=_FILE)
def check(file: Path) -> None:
    """Whether FILE is whole: each line follows from the one before it, and the charges do not pass the total.

    Exit code 1 where a line was torn or the total is passed, 2 where the file was changed or is no budget.
    """
    found = Budget.open(file)
    torn = [x.number for x in found.charges if x.claim is None]
    passed = [name for name, spent, of in zip(("epsilon", "delta"), found.spent, _total(found), strict=True) if spent > of]
    for number in torn:
        click.echo(f"{number}: a line that was torn while it was written; it counts as charged")
    for name in passed:
        click.echo(f"the {name} that was charged is above the total")
    click.echo(closing_line(f"{found}."))
    click.get_current_context().exit(1 if torn or passed else 0)


def _total(found: Budget) -> tuple[mpq, mpq]:
    return found.epsilon, found.delta


def _as_json(found: Budget) -> dict[str, Any]:
    names = ("epsilon", "delta")
    return {
        "neighbours": found.neighbours,
        "total": dict(zip(names, map(str, _total(found)), strict=True)),
        "spent": dict(zip(names, map(str, found.spent), strict=True)),
        "left": dict(zip(names, map(str, found.left), strict=True)),
        "charges": [
            {
                "number": x.number,
                "epsilon": str(x.epsilon),
                "delta": str(x.delta),
                "release": x.release,
                "claim": None if x.claim is None else x.claim.as_json(),
            }
            for x in found.charges
        ],
    }
