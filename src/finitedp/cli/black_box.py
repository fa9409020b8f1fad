"""finitedp black-box: samples of a closed program, or of another library's mechanism, against its privacy claim."""

from typing import Any

import click
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.cli.console import Rational, Utf8, json_option, print_json, progress, table
from finitedp.data.columns import Label, parse_universe
from finitedp.errors import ParameterError
from finitedp.exact import probability, rational
from finitedp.impl.histograms.universe import Strings
from finitedp.labels import as_text
from finitedp.numbers import outward
from finitedp.proofs_check.black_box.adapters import ADAPTERS, adapted
from finitedp.proofs_check.black_box.commands import Command
from finitedp.proofs_check.black_box.search import BlackBoxResult, black_box_audit, briefly
from finitedp.proofs_check.limits import MOST_TRIALS

_COMMAND_HELP = (
    "A program to run: it reads a dataset from standard input, one row on each line (or a count), and prints an output. With "
    "{samples} in an argument it prints that many independent outputs, one on each line; else it runs once for each sample."
)
_PAIR_HELP = "Look at this pair of neighbouring inputs only: counts, or rows separated by commas. May be repeated."
_NEIGHBOURS = ("counts", "replace-one", "add-remove")


@click.command(name="black-box")
@click.option("--command", metavar="COMMAND", help=_COMMAND_HELP)
@click.option(
    "--adapter",
    type=click.Choice(list(ADAPTERS)),
    metavar="NAME",
    help=f"A mechanism of another library, with its own claim: {', '.join(ADAPTERS)}.",
)
@click.option("--epsilon", type=Rational(rational), required=True, help="The claimed epsilon, or the adapter's parameter.")
@click.option("--delta", type=Rational(probability), help="The claimed delta of a command.  [default: 0]")
@click.option("--neighbours", type=click.Choice(_NEIGHBOURS), help="Neighbours, for a command.  [default: counts]")
@click.option("--universe", type=Utf8(), metavar="a,b,c", help="The labels, for a command that reads rows: a,b,c or FROM..TO.")
@click.option("--n", type=int, help="Rows (with add-remove, at most so many), or the largest count.")
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="LEFT RIGHT", help=_PAIR_HELP)
@click.option("--samples", type=click.IntRange(1, MOST_TRIALS), default=10_000, show_default=True, help="Samples in all.")
@click.option("--confidence", type=Rational(probability), default="99/100", show_default=True, help="Of a violation.")
@click.option("--timeout", type=int, default=60, show_default=True, help="Seconds that one run of a command may take.")
@json_option
def black_box(command: str | None, adapter: str | None, as_json: bool, **options: Any) -> None:  # noqa: ANN401  # click's
    """Look for a violation of a privacy claim in samples alone.

    Half of the samples choose a pair of neighbouring inputs and an event; the others prove a lower bound on epsilon by
    Clopper-Pearson limits. Exit code 1 for a violation, or a difference from the law that an adapter's library documents.
    No violation found means no more than that: samples do not prove a claim.
    """
    if (command is None) == (adapter is None):
        raise ParameterError("black-box needs either --command or --adapter")
    with progress("sampling"):
        result = _of_command(command, **options) if command is not None else _of_adapter(str(adapter), **options)
    if as_json:
        print_json(findings_as_json(result))
    else:
        print_findings(result)
    if result.violated or result.law == "differs":
        click.get_current_context().exit(1)


def _of_command(command: str, **options: Any) -> BlackBoxResult:  # noqa: ANN401  # click's
    relation = options["neighbours"] or "counts"
    return black_box_audit(
        Command(command, options["timeout"]),
        PrivacyClaim(options["epsilon"], relation, options["delta"] or mpq(0)),
        n=1 if options["n"] is None else options["n"],
        universe=_universe(options["universe"], relation),
        pairs=_pairs(options["pairs"], relation),
        samples=options["samples"],
        confidence=options["confidence"],
        name=command,
    )


def _of_adapter(name: str, **options: Any) -> BlackBoxResult:  # noqa: ANN401  # click's
    given = [option for option in ("delta", "neighbours", "universe") if options[option] is not None]
    if given:
        raise ParameterError(f"--adapter does not take --{given[0]}: the claim is that of its library")
    chosen = adapted(name, options["epsilon"], options["n"])
    pairs = _pairs(options["pairs"], chosen.claim.neighbours)
    return chosen.audit(options["samples"], options["confidence"], pairs=pairs)


def _universe(text: str | None, relation: str) -> tuple[Label, ...]:
    if relation == "counts":
        if text is not None:
            raise ParameterError("neighbours = counts does not take --universe")
        return ()
    labels = parse_universe(text or "0..1")
    if isinstance(labels, Strings):
        raise ParameterError(f"universe = {text!r} is too large; accepted: a,b,c or FROM..TO")
    return tuple(labels)


def _pairs(texts: tuple[tuple[str, str], ...], relation: str) -> list[tuple[Any, Any]] | None:
    """The pairs of the options --pair; None where there are none."""
    if not texts:
        return None
    return [(_input(left, relation), _input(right, relation)) for left, right in texts]


def _input(text: str, relation: str) -> Any:  # noqa: ANN401  # a count or rows
    if relation != "counts":
        return tuple(text.split(",")) if text else ()
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"pair = {text!r} is not a count; accepted: integers of at least 0") from None


# Printing


def findings_as_json(result: BlackBoxResult) -> dict[str, object]:
    """What was found, with every count, so that the bounds can be computed again."""
    return {
        "name": result.name,
        "claim": result.claim.as_json(),
        "private": result.private,
        "says": result.says,
        "confidence": str(result.confidence),
        "epsilon_at_least": str(result.epsilon_at_least),
        "delta_at_least": str(result.delta_at_least),
        "event": str(result.event),
        "left": {"input": repr(result.left), "hits": result.hits_left, "at_least": str(result.in_left_at_least)},
        "right": {"input": repr(result.right), "hits": result.hits_right, "at_most": str(result.in_right_at_most)},
        "trials": result.trials,
        "samples": result.samples,
        "inputs": result.inputs,
        "pairs": result.pairs,
        "law": _law_as_json(result),
    }


def _law_as_json(result: BlackBoxResult) -> dict[str, object]:
    fit = result.fit
    if fit is None:
        return {"verdict": result.law}
    return {
        "verdict": result.law,
        "says": fit.says,
        "input": repr(fit.data),
        "event": str(fit.event),
        "hits": fit.hits,
        "trials": fit.trials,
        "p_value_at_most": str(max(fit.p_value, mpq(1, 10**300))),
    }


def print_findings(result: BlackBoxResult) -> None:
    """What was found, as a table and a sentence."""
    claim = result.claim
    rows = [
        (
            "claim",
            f"({briefly(claim.epsilon)}, {briefly(claim.delta)})-differential privacy, neighbours by {claim.neighbours}",
        ),
        ("samples", f"{result.samples:,}, of {result.inputs:,} inputs and {result.pairs:,} ordered pairs"),
        ("event", str(result.event)),
        ("left", f"{result.left!r}: {result.hits_left:,} of {result.trials:,}, so at least {_below(result.in_left_at_least)}"),
        (
            "right",
            f"{result.right!r}: {result.hits_right:,} of {result.trials:,}, so at most {_above(result.in_right_at_most)}",
        ),
        ("epsilon", f"at least {_below(result.epsilon_at_least, 6)} at delta = {briefly(claim.delta)}"),
        ("delta", f"at least {_below(result.delta_at_least)} at epsilon = {briefly(claim.epsilon)}"),
    ]
    click.echo(table(as_text(result.name), ("what", "found"), [(what, as_text(text)) for what, text in rows], unbroken=1))
    click.echo(as_text(result.says[0].upper() + result.says[1:] + "."))
    if result.fit is not None:
        click.echo(as_text("The law: " + result.fit.says + "."))


def _above(number: mpq) -> str:
    """A probability with nine digits, rounded up."""
    return outward(number, number, 9)[1]


def _below(number: mpq, digits: int = 9) -> str:
    """A number with so many digits, rounded down."""
    return outward(number, number, digits)[0]
