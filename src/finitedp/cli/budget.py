"""finitedp budget: make the file of a privacy budget, and read what was charged to it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from gmpy2 import mpq

from finitedp.budgets.budget import Budget
from finitedp.budgets.terms import Total
from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.cli.console import Rational, Utf8, json_option, print_json, table
from finitedp.cli.face import Commands
from finitedp.cli.prose import closing_line
from finitedp.curve import Curve
from finitedp.errors import ParameterError
from finitedp.exact import probability, rational
from finitedp.numbers import outward, shown

_FILE = click.Path(dir_okay=False, path_type=Path)


def _charged_to(ctx: click.Context, _param: click.Parameter, path: Path | None) -> None:
    if path is not None and not path.exists():
        raise click.UsageError(f"{path} does not exist; accepted: a file that `finitedp budget new` made")
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
    number = rational(value, name)
    if number < 0:
        raise ParameterError(f"{name} = {number} is negative; accepted: a rational of at least 0")
    return number


@click.group(cls=Commands)
def budget() -> None:
    """A privacy budget in a file: the total of several releases.

    Each release with --budget FILE is charged before it is drawn, and refused where it does not fit. Charges are only added;
    each line holds the hash of the one before it.
    """


_SLOT = re.compile(r"([^,*]+)(?:,([^,*]+))?(?:\*(\d{1,5}))?")


def _slot(text: str, neighbours: Neighbours) -> tuple[PrivacyClaim | Curve, int]:
    parts = _SLOT.fullmatch(text)
    if parts is None:
        raise ParameterError(f"--slot {text[:60]} is not of the form EPSILON[,DELTA][*TIMES]; accepted: 1/10,1/1000000*20")
    return PrivacyClaim(parts[1], neighbours, parts[2] or 0), int(parts[3] or 1)


EPILOG = """\b
Examples:
  finitedp budget new spring.budget --epsilon 1 --delta 1/1000000000
  finitedp budget new spring.budget --slot 1/10*20 --slot 1/2,1/1000000
"""


@budget.command(epilog=EPILOG)
@click.argument("file", type=_FILE)
@click.option("--epsilon", type=Rational(_at_least_0), help="Of all releases together, p/q; what each has is added up.")
@click.option("--delta", type=Rational(probability), help="Of all releases together, p/q.  [default: 0]")
@click.option(
    "--slot",
    "slots",
    multiple=True,
    metavar="E[,D][*TIMES]",
    help="Instead: room for releases of at most this epsilon and delta each. May be repeated; all are composed tightly.",
)
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What all are for.",
)
@click.option("--unit", type=Utf8(), help="The column that says whose rows are protected together; without it, one row.")
def new(
    file: Path, epsilon: mpq | None, delta: mpq | None, slots: tuple[str, ...], neighbours: Neighbours, unit: str | None
) -> None:
    """Make FILE, which must not exist: with a total epsilon and delta, or with slots."""
    if slots and (epsilon is not None or delta is not None or unit is not None):
        raise ParameterError("--slot says what it costs itself, for one row; accepted: without --epsilon, --delta and --unit")
    if slots:
        made = Budget.new(file, slots=[_slot(text, neighbours) for text in slots])
    else:
        made = Budget.new(file, epsilon, delta or 0, neighbours=neighbours, unit=unit)
    click.echo(closing_line(f"{made}."))


@budget.command()
@click.argument("file", type=_FILE)
@click.option(
    "--at-delta", type=Rational(probability), help="Of slots: also tell the epsilon of all together at this delta, p/q."
)
@json_option
def show(file: Path, at_delta: mpq | None, as_json: bool) -> None:
    """What was charged to FILE, and what is left."""
    kept = Budget.open(file)
    together = None if at_delta is None else kept.composition.epsilon(at_delta)
    if as_json:
        print_json(_as_json(kept) | ({} if together is None else {"epsilon of all slots": list(map(str, together))}))
        return
    rows = [[str(x.number), shown(x.epsilon, 20), shown(x.delta, 20), x.release] for x in kept.charges]
    if rows:
        click.echo(table("Charges", ["", "epsilon", "delta", "release"], rows))
    if at_delta is not None and together is not None:
        low, high = (outward(x, x, 6)[k] for k, x in enumerate(together))
        click.echo(closing_line(f"All slots together: epsilon {low} to {high} at delta = {shown(at_delta, 20)}."))
    click.echo(closing_line(f"{kept}."))


@budget.command()
@click.argument("file", type=_FILE)
def check(file: Path) -> None:
    """Whether FILE is whole: each line follows from the one before it, and the charges do not pass the total.

    Exit code 1 where a line was torn or the total is passed, 2 where the file was changed or is no budget.
    """
    kept = Budget.open(file)
    torn = [x.number for x in kept.charges if x.claim is None]
    for number in torn:
        click.echo(f"{number}: a line that was torn while it was written; it counts as charged")
    terms = kept.terms
    over = isinstance(terms, Total) and (terms.spent[0] > terms.epsilon or terms.spent[1] > terms.delta)
    if over:
        click.echo("what was charged is above the total")
    click.echo(closing_line(f"{kept}."))
    click.get_current_context().exit(1 if torn or over else 0)


def _as_json(kept: Budget) -> dict[str, Any]:
    charges = [charge.as_json() for charge in kept.charges]
    if not isinstance(kept.terms, Total):
        declared = [times for _, times in kept.terms.declared]
        slots = [{"declared": times, "free": free} for times, free in zip(declared, kept.free, strict=True)]
        return {"relation": kept.relation, "slots": slots, "charges": charges}
    sides = {"total": (kept.epsilon, kept.delta), "spent": kept.spent, "left": kept.left}
    amounts = {name: {"epsilon": str(epsilon), "delta": str(delta)} for name, (epsilon, delta) in sides.items()}
    return {"relation": kept.relation, **amounts, "charges": charges}
