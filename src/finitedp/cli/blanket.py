"""finitedp blanket-plan: the public numbers of a pure sparse histogram, which certify themselves, and what they are worth."""

from pathlib import Path
from typing import Any

import click
from gmpy2 import mpq

from finitedp.claim import HistogramAccuracy
from finitedp.cli.console import (
    OutputPath,
    Rational,
    as_json_text,
    json_option,
    many,
    print_json,
    progress,
    table,
    write_whole,
)
from finitedp.data.columns import parse_universe
from finitedp.data.pure_sparse import plan_for
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, probability, short
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.numbers import decimal
from finitedp.proofs_check.blanket_certificate import recheck
from finitedp.proofs_check.mechanisms.kinds import positive

__all__ = ["blanket_plan"]

CHECKED = {
    "(A)": "(1 - sigma)(1 + rho_2) <= R and 1 <= R(1 - sigma)",
    "(B)": "m_1(v)(1 + rho_1) <= R tau_v rho_1 for every v in b+1..n",
    "(C)": "tau_v rho_2 <= R m_1(v) for every v in b+1..n",
    "(D)": "sigma (L+1)(2^h - q) <= (R - 1)(G - L) q",
}


def _beta(value: RationalLike, name: str) -> mpq:
    return probability(value, name, zero=False)


@click.command("blanket-plan")
@click.option("--n", type=int, required=True, help="A public bound of the rows.")
@click.option("--universe", required=True, help="All possible values: FROM..TO, a,b,c or strings:N, of up to N bytes.")
@click.option("--epsilon", type=Rational(positive), required=True, help="Privacy parameter, any p/q above 0.")
@click.option(
    "--invented",
    type=Rational(positive),
    default="1",
    show_default=True,
    help="On average at most so many labels of a release were never in the data.",
)
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What epsilon is for: a row replaced, or one more or less.",
)
@click.option("--skewed", is_flag=True, help="For replace-one: a lower threshold, and counts that are more often too low.")
@click.option("--beta", type=Rational(_beta), default="1/20", show_default=True, help="How often an error may be larger.")
@click.option("--output", type=OutputPath(), help="Write the plan to this file, as a certificate in JSON.")
@json_option
def blanket_plan(
    n: int,
    universe: str,
    epsilon: mpq,
    invented: mpq,
    neighbours: str,
    skewed: bool,
    beta: mpq,
    output: Path | None,
    as_json: bool,
) -> None:
    """Choose the public numbers of `release pure-sparse` for up to N rows: threshold, cap, slots, and how often they hit.

    The plan certifies itself: its conditions are checked in exact arithmetic, and a release with it is
    (epsilon, 0)-differentially private. Prints the numbers and the errors at beta. `finitedp check` re-derives what --output
    writes.
    """
    with progress("choosing the plan"):
        plan = plan_for(n, epsilon, parse_universe(universe), invented, neighbours, skewed)
        accuracy = blanket_accuracy(plan, beta)
        if output is not None:
            _write(output, plan)
    if as_json:
        print_json(_document(plan, accuracy))
    else:
        _print(plan, accuracy)
    if output is not None:
        weights = plan.mechanism.table.entries + len(plan.counts.head)
        click.echo(f"Wrote {output}: a certificate of {many(weights)} weights.", err=True)


def _write(output: Path, plan: BlanketPlan) -> None:
    """Write the certificate, if the lone checker accepts it. Raises: ParameterError, OSError."""
    document = plan.certificate()
    reason = recheck(document)
    if reason is not None:
        raise ParameterError(f"finitedp check would reject this plan's certificate: {reason}")
    write_whole(output, as_json_text(document) + "\n")


def _document(plan: BlanketPlan, accuracy: HistogramAccuracy) -> dict[str, Any]:
    """What is printed with --json. Numbers that may be long are strings, as in the certificate."""
    return {
        "n": str(plan.n),
        "universe_size": short(plan.size),
        "threshold": str(plan.b),
        "cap": str(plan.cap),
        "slots": str(plan.slots),
        "hit": f"{plan.hit}/2^{plan.hit_bits}",
        "invented": str(plan.invented),
        "word": plan.mechanism.word,
        "claim": plan.claim().as_json(),
        "checked": CHECKED,
        "accuracy": accuracy.as_json(),
    }


def _print(plan: BlanketPlan, accuracy: HistogramAccuracy) -> None:
    one, above, every = accuracy
    rows = [
        ("b: counts up to it are not shown", str(plan.b)),
        ("L: at most so many labels", str(plan.cap)),
        ("G: random slots", many(plan.slots)),
        ("slots that hit on average", decimal(mpq(plan.slots * plan.hit, 1 << plan.hit_bits), 12)),
        ("invented labels on average, at most", decimal(plan.invented, 12)),
        ("bits of a word", str(plan.mechanism.word)),
        ("table", "skewed" if isinstance(plan.mechanism, SkewedSample) else "dyadic"),
        *((f"checked: {name}", text) for name, text in CHECKED.items()),
        ("withheld", "with probability at most 2^-64, whatever the data are"),
        (f"error at {one.beta}", f"of a count above {above}: above {one.a}; of any label: above {every.a}"),
    ]
    title = f"The plan for up to {plan.n} rows, epsilon = {plan.epsilon}, {plan.neighbours} (FD.Blanket.plan)"
    click.echo(table(title, ("", "value"), rows, unbroken=1))
