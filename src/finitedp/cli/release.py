"""finitedp release: a differentially private histogram of a column of a file."""

from pathlib import Path
from typing import Any

import click
import numpy as np
from attrs import evolve

from finitedp.budgets.budget import charged
from finitedp.cli.console import form_named, progress
from finitedp.cli.documents import Released, emit
from finitedp.cli.face import MechanismGroup
from finitedp.cli.offers import OFFERS
from finitedp.cli.release_options import BLANKET, DYADIC, options
from finitedp.cli.request import Column, Request, Ticking
from finitedp.data.drawing import histogram_of
from finitedp.data.error_bars import Bars
from finitedp.data.frames import LabelCounts
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.papers import claim_of, what_is_stated
from finitedp.data.pure_sparse import pure_sparse_from
from finitedp.data.true_counts import labels_of
from finitedp.errors import ParameterError

_NAMED = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".pq": "parquet"}
_LIST = [
    click.Option(
        ["--format", "shape"],
        type=click.Choice(["table", "csv", "spreadsheet", "json", "parquet"]),
        help="By default what the name of --output says, else a table. spreadsheet: CSV in which no label is a formula.",
    ),
    click.Option(["--json", "as_json"], is_flag=True, help="The same as --format json."),
]
_POLYNOMIAL = [click.Option(["--format", "shape"], type=click.Choice(["json", "binary"]), default="json", show_default=True)]


def _command(name: str) -> click.Command:
    offer = OFFERS[name]
    if offer.form == "prevalences":
        from finitedp.cli.anonymized import anonymized_command  # noqa: PLC0415  # loads what no other release needs

        return anonymized_command(name, offer)

    def release_one(shape: str | None, as_json: bool = False, **given: Any) -> None:  # noqa: ANN401  # values of options
        if offer.form == "polynomial":
            from finitedp.cli.compact import release_polynomial  # noqa: PLC0415  # as above

            release_polynomial(Request(offer=offer, **given), shape or "json")
        else:
            form = _form(shape, as_json, given["output"])
            release_list(Request(offer=offer, **given), form)

    params = [*options(offer), *(_POLYNOMIAL if offer.form == "polynomial" else _LIST)]
    return click.Command(name, params=params, callback=release_one, help=offer.help, short_help=offer.help.splitlines()[0])


@click.group(cls=MechanismGroup, names=OFFERS, build=_command)
def release() -> None:
    """Release a differentially private histogram of one column of a CSV or Parquet file."""


def _form(shape: str | None, as_json: bool, output: Path | None) -> str:
    """The form of a list; where none is given, that of the output's name, else a table."""
    if as_json and shape not in (None, "json"):
        raise ParameterError(f"--json and --format {shape} contradict each other")
    if shape == "parquet" and output is None:
        raise ParameterError("--format parquet is not for the terminal; accepted: with --output FILE")
    return "json" if as_json else shape or form_named(output, _NAMED)


def release_list(request: Request, form: str) -> None:
    """Release a list of noisy counts in one of the forms. Raises: ParameterError, DataError, CoinsError, OSError."""
    column = request.read()
    emit({DYADIC: _on_a_dyadic_table, BLANKET: _on_a_blanket}.get(request.mechanism, _as_in_the_paper)(column), form)


def _on_a_dyadic_table(column: Column) -> Released:
    """Draw the noise from a dyadic table."""
    request, asked = column.request, (column.n, column.request.relation, column.request.word, column.request.beta)
    with progress("drawing noise"):
        counts, universe = LabelCounts.of(column.counts), labels_of(request.universe)
        about = (request.epsilon, request.delta, *asked, request.words())
        noisy = histogram_of(counts, request.column, universe, *about, padded=True, unit=request.whose)
    return _released(column, noisy, f"{noisy.draws} words of {noisy.mechanism.word} random bits")


def _on_a_blanket(column: Column) -> Released:
    """Draw the noise, and the labels that hide which ones occur."""
    request = column.request
    plan, words = request.plan(column.n), request.words()
    with progress("drawing noise"):
        counts = LabelCounts.of(column.counts) if column.label_counts is None else column.label_counts
        noisy = pure_sparse_from(counts, request.column, request.universe, plan, request.beta, words)
    noisy = evolve(noisy, claim=None) if request.seed is not None else noisy
    return _released(column, noisy, f"{plan.n} words of {plan.mechanism.word} random bits, and {plan.slots} slots")


def _released(column: Column, noisy: NoisyHistogram, noise: str) -> Released:
    request = column.request
    if request.above:
        kept = np.flatnonzero(noisy.counts > request.above)
        labels = [noisy.labels[place] for place in kept.tolist()]
        noisy = evolve(noisy, labels=labels, counts=noisy.counts[kept], listed_above=request.above)
    elif noisy.threshold is None and not request.drop_nulls:
        noisy = evolve(noisy, rows=column.rows)
    about = noisy.metadata()
    about["randomness"]["bits_from"] = request.bits_from_text
    return Released(
        column=column,
        histogram=list(noisy.items()),
        bars=noisy.bars(),
        claim=noisy.claim,
        threshold=noisy.threshold,
        noise=f"Noise: {noise}, from {request.bits_from_text}.",
        about=about,
    )


def _as_in_the_paper(column: Column) -> Released:
    """Draw the noise of the paper's mechanism. Raises: ParameterError where its exact delta is above the one asked for."""
    request, offer = column.request, column.request.offer
    assert offer.paper is not None  # noqa: S101  # lists and polynomials have one
    made = offer.paper(column.terms)
    claim = claim_of(made, request.bare_coins(), request.delta)
    charged(claim, f"histogram of {request.column}", request.words())
    with progress("drawing noise", even=True) as update:
        coins = Ticking(request.bare_coins(), update, made.histogram.cost().draws)
        drawn = made.histogram.release_counts(column.counts.counts, coins)
    private = claim if request.seed is None else None
    source, kind = request.bits_from_text, request.coins_kind
    about = what_is_stated(made, column.terms, private, kind, source, request.above)
    return Released(
        column=column,
        histogram=[(label, count) for label, count in drawn if count > request.above or not request.above],
        bars=Bars(column.n, made.accuracy),
        claim=private,
        threshold=made.threshold,
        noise=f"Coins: {kind}, bits from {source}.",
        about=about,
    )
