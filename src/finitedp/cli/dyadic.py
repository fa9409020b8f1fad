"""finitedp dyadic-table and blanket-plan: weights of noise, and plans of sparse histograms, which certify themselves."""

from pathlib import Path
from typing import Any

import click
from gmpy2 import mpq

from finitedp.claim import Accuracy, HistogramAccuracy
from finitedp.cli.console import (
    OutputPath,
    Rational,
    Utf8,
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
from finitedp.exact import RationalLike, positive, probability, short
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, DyadicTable, positive_epsilon
from finitedp.impl.histograms.blanket.accuracy import blanket_accuracy
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.numbers import decimal
from finitedp.proofs_check import blanket_certificate
from finitedp.proofs_check.dyadic_certificate import recheck
from finitedp.proofs_check.mechanisms.counting import WORD

CHECKED = {
    "weights": "w_0 >= w_1 >= ... >= w_(n-1) >= 1 and w_n >= 1",
    "(i)": "w_j <= R w_(j+1) for j < n-1",
    "(ii)": "S_j <= R S_(j+1) for j < n, where S_j = w_j + ... + w_n",
    "sum": "w_0 + 2(w_1 + ... + w_n) = 2^{bits}",
    "R": "1 < R <= e^(epsilon/2)",
}


def _epsilon(value: RationalLike, _name: str) -> mpq:
    return positive_epsilon(value)


def _beta(value: RationalLike, name: str) -> mpq:
    return probability(value, name, zero=False)


@click.command("dyadic-table")
@click.option("--n", type=int, required=True, help="The largest count: the number of rows.")
@click.option("--epsilon", type=Rational(_epsilon), required=True, help="Privacy parameter, any p/q above 0.")
@click.option(
    "--word", type=click.IntRange(2, LARGEST_WORD), default=WORD, show_default=True, help="Bits of the one draw for a count."
)
@click.option(
    "--beta", type=Rational(_beta), default="1/20", show_default=True, help="How often the error may be larger, in (0, 1]."
)
@click.option("--output", type=OutputPath(), help="Write the table to this file, as a certificate in JSON.")
@json_option
def dyadic_table(n: int, epsilon: mpq, word: int, beta: mpq, output: Path | None, as_json: bool) -> None:
    """Build the dyadic table for counts 0..N and words of B bits: the noise of DyadicSample.

    The table certifies itself: its conditions are checked in exact arithmetic, and they hold exactly where the counting
    mechanism is (ln R, 0)-private. Prints its size, R, its weights, the mean absolute noise, the distance from the geometric
    law that it stands for, and the error at beta. `finitedp check` re-derives what --output writes.
    """
    with progress("building the table"):
        mechanism = DyadicSample(n, epsilon, word)
        accuracy = mechanism.accuracy(beta)
        if output is not None:
            _write(output, mechanism.table)
    if as_json:
        print_json(_document(mechanism.table, accuracy))
    else:
        _print(mechanism.table, accuracy)
    if output is not None:
        click.echo(f"Wrote {output}: a certificate of {many(mechanism.table.entries)} numbers.", err=True)


def _write(output: Path, made: DyadicTable) -> None:
    """Write the certificate, if the lone checker accepts it. Raises: ParameterError, OSError."""
    document = made.certificate()
    reason = recheck(document)
    if reason is not None:
        raise ParameterError(f"finitedp check would reject this table's certificate: {reason}")
    write_whole(output, as_json_text(document) + "\n")


def _document(made: DyadicTable, accuracy: Accuracy) -> dict[str, Any]:
    """What is printed with --json. Numbers that may be long are strings, as in the certificate."""
    return {
        "n": str(made.n),
        "epsilon": str(made.epsilon),
        "bits": made.bits,
        "entries": made.entries,
        "ratio": str(made.ratio),
        "centre": str(made.weight(0)),
        "stretch": {"from": str(len(made.head)), "to": str(made.n - 1), "weight": str(made.tail)},
        "last": str(made.last),
        "checked": {name: text.format(bits=made.bits) for name, text in CHECKED.items()},
        "mean_absolute_noise": str(made.mean_absolute_noise()),
        "excess": str(made.excess()),
        "accuracy": accuracy.as_json(),
    }


def _print(made: DyadicTable, accuracy: Accuracy) -> None:
    checked = [(f"checked: {name}", text.format(bits=made.bits)) for name, text in CHECKED.items()]
    rows = [
        ("bits of a word", str(made.bits)),
        ("entries", f"{many(made.entries)}, which hold {many(made.n + 1)} weights"),
        ("R", _ratio(made.ratio)),
        ("w_0", str(made.weight(0))),
        ("constant stretch", _stretch(made)),
        ("last weight", f"w_n = {made.last}"),
        *checked,
        ("mean absolute noise", decimal(made.mean_absolute_noise(), 12)),
        ("excess", f"at every count, the law is at most {_excess(made)} from the geometric one, in total variation"),
        (f"error at {accuracy.beta}", f"above {accuracy.a} with probability at most {accuracy.beta}, whatever the count is"),
    ]
    title = f"The dyadic table for n = {made.n}, epsilon = {made.epsilon} (FD.Dyadic.table)"
    click.echo(table(title, ("", "value"), rows, unbroken=1))


def _ratio(ratio: mpq, longest: int = 40) -> str:
    exact = str(ratio)
    return exact if len(exact) <= longest else f"{decimal(ratio, 12)} (--json and the certificate have it whole)"


def _stretch(made: DyadicTable) -> str:
    first, last = len(made.head), made.n - 1
    between = " = ..." if last - first > 1 else ""
    return f"w_{first}{between}{f' = w_{last}' if last > first else ''} = {made.tail}"


def _excess(made: DyadicTable) -> str:
    k = made.excess_exponent()
    return "0" if k is None else f"2^-{k}" if k else "1"


# Plans

PLAN_CHECKED = {
    "(A)": "(1 - sigma)(1 + rho_2) <= R and 1 <= R(1 - sigma)",
    "(B)": "m_1(v)(1 + rho_1) <= R tau_v rho_1 for every v in b+1..n",
    "(C)": "tau_v rho_2 <= R m_1(v) for every v in b+1..n",
    "(D)": "sigma (L+1)(2^h - q) <= (R - 1)(G - L) q",
}


@click.command("blanket-plan")
@click.option("--n", type=int, required=True, help="A public bound of the rows.")
@click.option(
    "--universe", type=Utf8(), required=True, help="All possible values: FROM..TO, a,b,c or strings:N, of up to N bytes."
)
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
            _write_plan(output, plan)
    if as_json:
        print_json(_plan_document(plan, accuracy))
    else:
        _print_plan(plan, accuracy)
    if output is not None:
        weights = plan.mechanism.table.entries + len(plan.counts.head)
        click.echo(f"Wrote {output}: a certificate of {many(weights)} weights.", err=True)


def _write_plan(output: Path, plan: BlanketPlan) -> None:
    """Write the certificate, if the lone checker accepts it. Raises: ParameterError, OSError."""
    document = plan.certificate()
    reason = blanket_certificate.recheck(document)
    if reason is not None:
        raise ParameterError(f"finitedp check would reject this plan's certificate: {reason}")
    write_whole(output, as_json_text(document) + "\n")


def _plan_document(plan: BlanketPlan, accuracy: HistogramAccuracy) -> dict[str, Any]:
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
        "checked": PLAN_CHECKED,
        "accuracy": accuracy.as_json(),
    }


def _print_plan(plan: BlanketPlan, accuracy: HistogramAccuracy) -> None:
    one, above, every = accuracy
    rows = [
        ("b: counts up to it are not shown", str(plan.b)),
        ("L: at most so many labels", str(plan.cap)),
        ("G: random slots", many(plan.slots)),
        ("slots that hit on average", decimal(mpq(plan.slots * plan.hit, 1 << plan.hit_bits), 12)),
        ("invented labels on average, at most", decimal(plan.invented, 12)),
        ("bits of a word", str(plan.mechanism.word)),
        ("table", "skewed" if isinstance(plan.mechanism, SkewedSample) else "dyadic"),
        *((f"checked: {name}", text) for name, text in PLAN_CHECKED.items()),
        ("withheld", "with probability at most 2^-64, whatever the data are"),
        (f"error at {one.beta}", f"of a count above {above}: above {one.a}; of any label: above {every.a}"),
    ]
    title = f"The plan for up to {plan.n} rows, epsilon = {plan.epsilon}, {plan.neighbours} (FD.Blanket.plan)"
    click.echo(table(title, ("", "value"), rows, unbroken=1))
