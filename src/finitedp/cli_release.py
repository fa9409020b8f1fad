"""finitedp release: a differentially private histogram of a column of a file."""

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp import __version__
from finitedp.claim import Accuracy
from finitedp.columns import Counts, Label, Strings, Universe, count_column, parse_universe
from finitedp.console import OutputPath, Rational, as_json_text, progress, rounded, table, write_whole
from finitedp.errors import ParameterError
from finitedp.exact import unit_fraction
from finitedp.impl.coins import BitSource, Coins, ExactCoins, SeededBits, StrictCoins, system_bits
from finitedp.impl.counting import FastSample
from finitedp.impl.histogram import BasicHistogram, basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.impl.stability import StabilityHistogram, stability_accuracy, stability_histogram_with_fast_sample

__all__ = ["release"]

MOST_LABELS = 1_000_000


def _unit(value: Any, name: str) -> mpq:  # noqa: ANN401
    return mpq(1, unit_fraction(value, name))


@click.group()
def release() -> None:
    """Release a differentially private histogram of one column of a CSV file."""


_OPTIONS = (
    click.option(
        "--input", "source", required=True, type=click.Path(path_type=Path), help="A CSV file in UTF-8 with a header."
    ),
    click.option("--column", required=True, help="The column's name."),
    click.option(
        "--universe",
        required=True,
        help="All possible values: a,b,c or FROM..TO, or strings:N for strings of up to N bytes (not for basic). Choose it "
        "without looking at the data.",
    ),
    click.option("--epsilon", required=True, type=Rational(_unit), help="Privacy parameter, 1/q."),
    click.option(
        "--beta", type=Rational(_unit), default="1/20", show_default=True, help="How often an error bar may fail, 1/b."
    ),
    click.option(
        "--coins", type=click.Choice(["strict", "exact"]), default="strict", show_default=True, help="See the manual: coins."
    ),
    click.option("--format", "shape", type=click.Choice(["table", "csv", "json"]), help="table by default."),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    click.option("--output", type=OutputPath(), help="Write to this file instead of the terminal."),
    click.option("--insecure-seed", "seed", type=int, help="Reproducible noise for examples: NOT private, and it is said."),
)


def _release_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@frozen
class _Request:
    """What the options ask for, and the column as it was read."""

    read: Counts
    universe: Universe
    column: str
    epsilon: mpq
    beta: mpq
    coins: str
    seed: int | None
    shape: str
    output: Path | None


def _requested(**given: Any) -> _Request:  # noqa: ANN401
    shape, source, output = given["shape"], given["source"], given["output"]
    if given["as_json"] and shape not in (None, "json"):
        raise ParameterError(f"--json and --format {shape} contradict each other")
    if output is not None and output.resolve() == source.resolve():
        raise ParameterError(f"--output {output} is the input itself, which would be lost")
    universe = parse_universe(given["universe"])
    if given["listed"] and (isinstance(universe, Strings) or len(universe) > MOST_LABELS):
        size = "all strings" if isinstance(universe, Strings) else f"{len(universe)} labels"
        raise ParameterError(f"universe has {size}; basic releases them all; accepted: at most {MOST_LABELS}; see stability")
    names = ("column", "epsilon", "beta", "coins", "seed", "output")
    read = count_column(source, given["column"], universe)
    shape = "json" if given["as_json"] else shape or "table"
    return _Request(read=read, universe=universe, shape=shape, **{name: given[name] for name in names})


@release.command()
@_release_options
def basic(**given: Any) -> None:  # noqa: ANN401  # the options above
    """A noisy count for every label of the universe (BasicHistogram with FastSample, Theorem 5.3).

    The release is (epsilon, 0)-differentially private for datasets that differ in one row; the number of rows is public.
    """
    request = _requested(**given, listed=True)
    labels = request.universe
    assert not isinstance(labels, Strings)  # noqa: S101  # _requested saw to it
    mechanism = basic_histogram_with_fast_sample(labels, request.read.rows, request.epsilon, request.beta)
    accuracy = basic_histogram_accuracy(len(labels), request.epsilon, request.beta)
    about = {"mechanism": "BasicHistogram with FastSample", "labels": len(labels)}
    _release(request, mechanism, about, [_bound(a) for a in accuracy], "BV.Thm5.3.i", mpq(0))


@release.command()
@_release_options
@click.option("--delta", required=True, type=Rational(_unit), help="Privacy parameter, 1/r.")
def stability(delta: mpq, **given: Any) -> None:  # noqa: ANN401  # the options above
    """Noisy counts of the labels that occur, where large enough (StabilityHistogram with FastSample, Theorem 5.6).

    For universes of any size. The release is (epsilon, delta)-differentially private for datasets that differ in one row; the
    number of rows is public. A label that is not listed has count 0.
    """
    request = _requested(**given, listed=False)
    rows = request.read.rows
    mechanism = stability_histogram_with_fast_sample(rows, request.epsilon, delta, request.beta)
    per_query, above, simultaneous = stability_accuracy(rows, request.epsilon, delta, request.beta)
    about = {"mechanism": "StabilityHistogram with FastSample", "threshold": mechanism.b}
    bounds = [{**_bound(per_query), "on_counts_above": above}, _bound(simultaneous)]
    _release(request, mechanism, about, bounds, "BV.Thm5.6.i", delta)


def _bound(accuracy: Accuracy) -> dict[str, Any]:
    return {"kind": accuracy.kind, "a": accuracy.a, "beta": str(accuracy.beta), "source": accuracy.source}


def _release(
    request: _Request,
    mechanism: BasicHistogram[Label] | StabilityHistogram[Label],
    about: dict[str, Any],
    bounds: list[dict[str, Any]],
    source: str,
    delta: mpq,
) -> None:
    """Draw the noise and write the document."""
    chosen, cost, counting = _coins(request.coins, request.seed), mechanism.cost(), mechanism.mechanism
    claim = mechanism.claim(chosen)
    assert isinstance(counting, FastSample)  # noqa: S101  # both instances use it
    if claim.delta > delta:
        raise ParameterError(f"the exact delta {rounded(claim.delta)} exceeds {delta}")
    with progress("drawing noise") as update:
        histogram = mechanism.release_counts(request.read.counts, _Ticking(chosen, update, cost.draws))
    stated = {"epsilon": str(claim.epsilon), "delta": str(delta), "neighbours": claim.neighbours, "source": source}
    document = {
        "format": "finitedp release",
        "version": 1,
        "finitedp": __version__,
        "private": request.seed is None,
        **about,
        "column": request.column,
        "rows": request.read.rows,
        "parameters": {"epsilon": str(request.epsilon), "delta": str(delta), "gamma": str(counting.gamma)},
        "claim": stated if request.seed is None else None,
        "accuracy": bounds,
        "randomness": {
            "coins": request.coins,
            "bits_from": "operating system" if request.seed is None else f"seed {request.seed}: NOT PRIVATE",
            "draws": cost.draws,
            "bits": cost.bits if request.coins == "strict" else None,
        },
        "histogram": [{"label": label, "count": count} for label, count in histogram],
    }
    _emit(document, histogram, request)


def _coins(kind: str, seed: int | None) -> Coins:
    bits: BitSource = system_bits if seed is None else SeededBits(seed, not_private=True)
    return StrictCoins(bits) if kind == "strict" else ExactCoins(bits)


class _Ticking:
    """Coins that report each draw to a progress bar."""

    def __init__(self, coins: Coins, update: Callable[[int, int], None], total: int) -> None:
        self.slack = coins.slack
        self.bits = coins.bits
        self._coins, self._update, self._total, self._done = coins, update, total, 0

    def uniform(self, d: int, most: int | None = None) -> int:
        self._done += 1
        self._update(self._done, self._total)
        return self._coins.uniform(d, most)


Bins = Sequence[tuple[Label, int]]


def _emit(document: dict[str, Any], histogram: Bins, request: _Request) -> None:
    if request.shape == "json":
        text = as_json_text(document) + "\n"
    else:
        text = (_csv if request.shape == "csv" else _table)(document, histogram)
    if request.output is None:
        click.echo(text, nl=False)
    else:
        write_whole(request.output, text)
        click.echo(f"Wrote {request.output}: {len(histogram)} noisy counts.", err=True)
    if request.seed is not None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)


def _bars(document: dict[str, Any], count: int) -> tuple[int, int]:
    """The error bar that holds for one label; in a stability release, if its true count is above what the theorem needs."""
    a = document["accuracy"][0]["a"]
    return max(count - a, 0), min(count + a, document["rows"])


def _csv(document: dict[str, Any], histogram: Bins) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    note = [] if document["private"] else ["NOT PRIVATE"]
    writer.writerow([document["column"], "count", "low", "high", *note])
    writer.writerows([label, count, *_bars(document, count), *note] for label, count in histogram)
    return buffer.getvalue()


def _table(document: dict[str, Any], histogram: Bins) -> str:
    rows = [(str(x), str(c), "{}..{}".format(*_bars(document, c))) for x, c in histogram]
    claim, (one, every) = document["claim"], document["accuracy"]
    where = f", where the true count is above {one['on_counts_above']}" if "on_counts_above" in one else ""
    private = "NOT PRIVATE: the noise comes from a seed."
    if claim is not None:
        parameters = f"({claim['epsilon']}, {claim['delta']})"
        private = f"{parameters}-differentially private: {document['rows']} rows, one replaced ({claim['source']})."
    lines = [
        table(f"Noisy counts of {document['column']}", ("label", "count", "error bar"), rows),
        private,
        f"Each error bar, +-{one['a']}, fails with probability at most {one['beta']}{where} ({one['source']}).",
        f"All counts are within +-{every['a']} at once, up to the same probability ({every['source']}).",
        f"Coins: {document['randomness']['coins']}, bits from {document['randomness']['bits_from']}.",
    ]
    if "threshold" in document:
        lines.append(f"Counts up to {document['threshold']} are not released; a label that is not listed has count 0.")
    return "\n".join(lines) + "\n"
