"""finitedp release: a differentially private histogram of a column of a file."""

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from gmpy2 import mpq

from finitedp import __version__
from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.columns import Counts, Label, count_column, parse_universe
from finitedp.console import OutputPath, Rational, print_json, progress, table, write_whole
from finitedp.errors import ParameterError
from finitedp.exact import unit_fraction
from finitedp.impl.coins import BitSource, Coins, ExactCoins, SeededBits, StrictCoins, system_bits
from finitedp.impl.histogram import BasicHistogram, basic_histogram_accuracy, basic_histogram_with_fast_sample

__all__ = ["release"]

MOST_LABELS = 1_000_000


def _unit(value: Any, name: str) -> mpq:  # noqa: ANN401
    return mpq(1, unit_fraction(value, name))


@click.group()
def release() -> None:
    """Release a differentially private histogram of one column of a CSV file."""


@release.command()
@click.option(
    "--input", "source", required=True, type=click.Path(path_type=Path), help="A CSV file in UTF-8 with a header line."
)
@click.option("--column", required=True, help="The column's name.")
@click.option(
    "--universe", required=True, help="All possible values: a,b,c or FROM..TO. Choose it without looking at the data."
)
@click.option("--epsilon", required=True, type=Rational(_unit), help="Privacy parameter, 1/q.")
@click.option("--beta", type=Rational(_unit), default="1/20", show_default=True, help="Chance that an error bar fails, 1/b.")
@click.option(
    "--coins", type=click.Choice(["strict", "exact"]), default="strict", show_default=True, help="See the manual: coins."
)
@click.option("--format", "shape", type=click.Choice(["table", "csv", "json"]), help="table by default.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--output", type=OutputPath(), help="Write to this file instead of the terminal.")
@click.option("--insecure-seed", type=int, help="Reproducible noise for examples: NOT private, and the release says so.")
def basic(
    source: Path,
    column: str,
    universe: str,
    epsilon: mpq,
    beta: mpq,
    coins: str,
    shape: str | None,
    as_json: bool,
    output: Path | None,
    insecure_seed: int | None,
) -> None:
    """A noisy count for every label of the universe (BasicHistogram with FastSample, Theorem 5.3).

    The release is (epsilon, 0)-differentially private for datasets that differ in one row; the number of rows is public.
    """
    if as_json and shape not in (None, "json"):
        raise ParameterError(f"--json and --format {shape} contradict each other")
    if output is not None and output.resolve() == source.resolve():
        raise ParameterError(f"--output {output} is the input itself, which would be lost")
    labels = parse_universe(universe)
    if len(labels) > MOST_LABELS:
        raise ParameterError(f"universe has {len(labels)} labels; basic releases them all; accepted: at most {MOST_LABELS}")
    read = count_column(source, column, labels)
    mechanism = basic_histogram_with_fast_sample(labels, read.rows, epsilon, beta)
    chosen = _coins(coins, insecure_seed)
    claim = mechanism.claim(chosen)
    accuracy = basic_histogram_accuracy(len(labels), epsilon, beta)
    with progress("drawing noise") as update:
        histogram = mechanism.release_counts(read.counts, _Ticking(chosen, update, len(labels)))
    document = _document(mechanism, read, claim, accuracy, histogram, coins, insecure_seed, column)
    _emit(document, histogram, accuracy, "json" if as_json else shape or "table", output)
    if insecure_seed is not None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)


def _coins(kind: str, seed: int | None) -> Coins:
    bits: BitSource = system_bits if seed is None else SeededBits(seed, not_private=True)
    return StrictCoins(bits) if kind == "strict" else ExactCoins(bits)


class _Ticking:
    """Coins that report each draw to a progress bar."""

    def __init__(self, coins: Coins, update: Callable[[int, int], None], total: int) -> None:
        self.slack = coins.slack
        self.bits = coins.bits
        self._coins, self._update, self._total, self._done = coins, update, total, 0

    def uniform(self, d: int) -> int:
        self._done += 1
        self._update(self._done, self._total)
        return self._coins.uniform(d)


def _document(
    mechanism: BasicHistogram[Label],
    read: Counts,
    claim: PrivacyClaim,
    accuracy: Sequence[Accuracy],
    histogram: Sequence[tuple[Label, int]],
    coins: str,
    seed: int | None,
    column: str,
) -> dict[str, Any]:
    counting: Any = mechanism.mechanism
    cost = mechanism.cost()
    return {
        "format": "finitedp release",
        "version": 1,
        "finitedp": __version__,
        "private": seed is None,
        "mechanism": "BasicHistogram with FastSample",
        "column": column,
        "rows": read.rows,
        "labels": len(mechanism.labels),
        "parameters": {"epsilon": str(counting.epsilon), "gamma": str(counting.gamma)},
        "claim": None if seed is not None else _claim(claim, "BV.Thm5.3.i"),
        "accuracy": [{"kind": a.kind, "a": a.a, "beta": str(a.beta), "source": a.source} for a in accuracy],
        "randomness": {
            "coins": coins,
            "bits_from": "operating system" if seed is None else f"seed {seed}: NOT PRIVATE",
            "draws": cost.draws,
            "bits": cost.bits if coins == "strict" else None,
        },
        "histogram": [{"label": label, "count": count} for label, count in histogram],
    }


def _claim(claim: PrivacyClaim, source: str) -> dict[str, str]:
    exact = {"epsilon": str(claim.epsilon), "delta": str(claim.delta), "neighbours": claim.neighbours}
    return {**exact, "source": source}


def _emit(
    document: dict[str, Any],
    histogram: Sequence[tuple[Label, int]],
    accuracy: Sequence[Accuracy],
    shape: str,
    output: Path | None,
) -> None:
    if shape == "json" and output is None:
        print_json(document)
        return
    if shape == "json":
        import json  # noqa: PLC0415  # only for files

        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    elif shape == "csv":
        text = _csv(document, histogram, accuracy)
    else:
        text = _table(document, histogram, accuracy)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text)
        click.echo(f"Wrote {output}: {len(histogram)} noisy counts.", err=True)


def _bars(document: dict[str, Any], count: int, a: int) -> tuple[int, int]:
    return max(count - a, 0), min(count + a, document["rows"])


def _csv(document: dict[str, Any], histogram: Sequence[tuple[Label, int]], accuracy: Sequence[Accuracy]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    note = [] if document["private"] else ["NOT PRIVATE"]
    writer.writerow([document["column"], "count", "low", "high", *note])
    writer.writerows([label, count, *_bars(document, count, accuracy[0].a), *note] for label, count in histogram)
    return buffer.getvalue()


def _table(document: dict[str, Any], histogram: Sequence[tuple[Label, int]], accuracy: Sequence[Accuracy]) -> str:
    per_query, simultaneous = accuracy
    rows = [(str(x), str(c), "{}..{}".format(*_bars(document, c, per_query.a))) for x, c in histogram]
    claim = document["claim"]
    lines = [
        table(f"Noisy counts of {document['column']}", ("label", "count", "error bar"), rows),
        "NOT PRIVATE: the noise comes from a seed."
        if claim is None
        else f"({claim['epsilon']}, 0)-differentially private: {document['rows']} rows, one replaced ({claim['source']}).",
        f"Each error bar, +-{per_query.a}, fails with probability at most {per_query.beta} ({per_query.source}).",
        f"All of them hold at once at +-{simultaneous.a}, up to the same probability ({simultaneous.source}).",
        f"Coins: {document['randomness']['coins']}, bits from {document['randomness']['bits_from']}.",
    ]
    return "\n".join(lines) + "\n"
