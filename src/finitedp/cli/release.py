"""finitedp release: a differentially private histogram of a column of a file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import click
from gmpy2 import mpq

from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.cli.console import Rational, progress, rounded
from finitedp.cli.documents import Bins, bound, emit, heading
from finitedp.cli.request import DYADIC, FAST, Request, mechanism_options, release_options, requested, share, unit
from finitedp.data.releasing import release as draw
from finitedp.errors import ParameterError
from finitedp.exact import short
from finitedp.impl.histograms.basic import basic_histogram_accuracy, basic_histogram_with_fast_sample
from finitedp.impl.histograms.dyadic import MOST_PADDED
from finitedp.impl.histograms.pure_sparse import pure_sparse_accuracy, pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import sparse_accuracy, sparse_histogram_with_fast_sample
from finitedp.impl.histograms.stability import stability_accuracy, stability_histogram_with_fast_sample
from finitedp.impl.histograms.universe import Strings, as_universe
from finitedp.impl.randomness.coins import Coins

__all__ = ["release"]


class Histogram(Protocol):
    """What all of these mechanisms have."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> Bins:
        """The released bins."""
        ...

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """What is claimed on these coins."""
        ...

    def cost(self) -> Cost:
        """Draws and bits."""
        ...


@click.group()
def release() -> None:
    """Release a differentially private histogram of one column of a CSV or Parquet file."""


def _listing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options for the form of a list of counts."""
    command = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")(command)
    told = "By default what the name of --output says, else a table."
    return click.option("--format", "shape", type=click.Choice(["table", "csv", "json", "parquet"]), help=told)(command)


_at_most = click.option(
    "--n", "at_most", type=click.IntRange(1, 10**15), help="A public bound of the rows, whose number then is not stated."
)
_delta = click.option("--delta", required=True, type=Rational(share), help="Privacy parameter, p/q; 1/r for fast-sample.")
_above = click.option("--above", type=click.IntRange(min=0), default=0, help="List only noisy counts above this number.")


_NAMED = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".pq": "parquet"}


def _shape(shape: str | None, as_json: bool, output: Path | None) -> str:
    """The form that is asked for; without a word, that of the output's name, else a table."""
    if as_json and shape not in (None, "json"):
        raise ParameterError(f"--json and --format {shape} contradict each other")
    if shape == "parquet" and output is None:
        raise ParameterError("--format parquet is not for the terminal; accepted: with --output FILE")
    named = _NAMED.get("" if output is None else output.suffix.lower(), "table")
    return "json" if as_json else shape or named


@release.command()
@release_options
@_at_most
@mechanism_options("64, or 128 where needed")
@_listing
def basic(mechanism: str, word: int | None, shape: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """A noisy count for every label of the universe (BasicHistogram).

    The release is (epsilon, 0)-differentially private for datasets that differ in one row; the number of rows is public.
    """
    chosen = _shape(shape, as_json, given["output"])
    _check_mechanism(mechanism, word, given["coins"])
    request = requested(**given, listed=True, units=mechanism == FAST)
    if mechanism == DYADIC:
        _release_dyadic(request, mpq(0), word, chosen)
        return
    assert not isinstance(request.universe, Strings)  # noqa: S101  # strings:N is larger than what is listed
    histogram = basic_histogram_with_fast_sample(request.universe, request.n, request.epsilon, request.beta)
    accuracy = basic_histogram_accuracy(request.size, request.epsilon, request.beta)
    about = {"mechanism": "BasicHistogram with FastSample", "labels": request.size}
    parameters = {"gamma": str(_gamma(histogram))}
    _release(request, histogram, about, parameters, accuracy, "BV.Thm5.3.i", mpq(0), chosen)


@release.command()
@release_options
@_at_most
@_delta
@mechanism_options("64, or 128 where that lowers the threshold")
@_listing
def stability(delta: mpq, mechanism: str, word: int | None, shape: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """Noisy counts of the labels that occur, where large enough (StabilityHistogram).

    For universes of any size. The release is (epsilon, delta)-differentially private for datasets that differ in one row; the
    number of rows is public. A label that is not listed has count 0.
    """
    chosen = _shape(shape, as_json, given["output"])
    _check_mechanism(mechanism, word, given["coins"])
    if mechanism == FAST:
        unit(delta, "delta")
    if (given["at_most"] or 0) > MOST_PADDED:
        raise ParameterError(f"--n {given['at_most']} would take as many random words; accepted: up to {MOST_PADDED}")
    request = requested(**given, listed=False, units=mechanism == FAST)
    if mechanism == DYADIC:
        _release_dyadic(request, delta, word, chosen)
        return
    histogram = stability_histogram_with_fast_sample(request.n, request.epsilon, delta, request.beta)
    accuracy = stability_accuracy(request.n, request.epsilon, delta, request.beta)
    about = {"mechanism": "StabilityHistogram with FastSample", "threshold": histogram.b}
    parameters = {"gamma": str(_gamma(histogram))}
    _release(request, histogram, about, parameters, accuracy, "BV.Thm5.6.i", delta, chosen)


def _check_mechanism(mechanism: str, word: int | None, coins: str | None) -> None:
    """Refuse options of the other mechanism. Raises: ParameterError."""
    if mechanism == FAST and word is not None:
        raise ParameterError(f"--word {word} needs --mechanism {DYADIC}; {FAST} takes its draws from ranges of its own")
    if mechanism == DYADIC and coins is not None:
        raise ParameterError(f"--coins {coins} needs --mechanism {FAST}; the words of a dyadic table are exact on all coins")


def _release_dyadic(request: Request, delta: mpq, word: int | None, shape: str) -> None:
    """Draw the noise from a dyadic table, and write the document."""
    with progress("drawing noise"):
        released = draw(
            request.read.counts,
            epsilon=request.epsilon,
            delta=delta,
            universe=request.universe,
            n=request.n,
            word=word,
            beta=request.beta,
            words=request.words(),
        )
    histogram = list(released.as_dict().items())
    document = {**heading("finitedp release", request), **released.metadata()}
    document["randomness"] |= request.source()
    document["histogram"] = [{"label": label, "count": count} for label, count in histogram]
    emit(document, histogram, request, shape)


@release.command()
@release_options
@_delta
@_above
@_listing
def sparse(delta: mpq, above: int, shape: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401  # the shared options
    """The at most n heaviest noisy counts of the whole universe (SparseHistogram with FastSample, Theorem 6.8).

    For universes of at least 2n + 1 labels. The release is (epsilon, delta)-differentially private for datasets that differ in
    one row; the number of rows n is public. A label that is not listed has count 0. Some of the listed labels do not occur:
    their counts are noise.
    """
    unit(delta, "delta")
    chosen, request = _shape(shape, as_json, given["output"]), requested(**given, listed=False, units=True)
    mechanism = sparse_histogram_with_fast_sample(
        as_universe(request.universe), request.read.rows, request.epsilon, delta, request.beta
    )
    about = {"mechanism": "SparseHistogram with FastSample", "universe_size": short(request.size), "listed_above": above}
    parameters = {"gamma": str(_gamma(mechanism)), "distance": str(mechanism.delta)}
    accuracy = sparse_accuracy(mechanism, request.beta)
    _release(request, mechanism, about, parameters, accuracy, "BV.Thm6.8.ii", delta, chosen, above)


@release.command("pure-sparse")
@release_options
@_above
@_listing
def pure_sparse(above: int, shape: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401  # the shared options
    """The n heaviest noisy counts with delta = 0 (PureSparseHistogram with GeoSample, Theorem 6.11).

    For universes of at least 2n + 1 labels. The release is (epsilon, 0)-differentially private for datasets that differ in one
    row; the number of rows n is public. A label that is not listed has count 0. Some of the listed labels do not occur: their
    counts are noise.
    """
    chosen, request = _shape(shape, as_json, given["output"]), requested(**given, listed=False, units=True)
    mechanism = pure_sparse_histogram_with_geo_sample(
        as_universe(request.universe), request.read.rows, request.epsilon, request.beta
    )
    accuracy = pure_sparse_accuracy(request.size, request.epsilon, request.beta)
    about = {"mechanism": "PureSparseHistogram with GeoSample", "universe_size": short(request.size), "listed_above": above}
    parameters = {"beta_1": str(mechanism.beta_1)}
    _release(request, mechanism, about, parameters, accuracy, "BV.Thm6.11.i", mpq(0), chosen, above)


def _gamma(mechanism: Any) -> mpq:  # noqa: ANN401  # a histogram over FastSample
    gamma: mpq = mechanism.mechanism.gamma
    return gamma


def _release(
    request: Request,
    mechanism: Histogram,
    about: dict[str, Any],
    parameters: dict[str, str],
    accuracy: tuple[Accuracy, Accuracy] | tuple[Accuracy, int, Accuracy],
    source: str,
    delta: mpq,
    shape: str,
    above: int = 0,
) -> None:
    """Draw the noise and write the document."""
    cost, claim = mechanism.cost(), mechanism.claim(request.plain_coins())
    if claim.delta > delta:
        raise ParameterError(f"the exact delta {rounded(claim.delta)} exceeds {delta}")
    with progress("drawing noise") as update:
        released = mechanism.release_counts(request.read.counts, request.coins_for(update, cost.draws))
    histogram = [(label, count) for label, count in released if count > above or not above]
    single, every = accuracy[0], accuracy[-1]
    assert isinstance(every, Accuracy)  # noqa: S101  # only the middle one is a count
    on_large = {"on_counts_above": accuracy[1]} if len(accuracy) == 3 else {}
    stated = {"epsilon": str(claim.epsilon), "delta": str(delta), "neighbours": claim.neighbours, "source": source}
    document = {
        **heading("finitedp release", request),
        **about,
        "parameters": {"epsilon": str(request.epsilon), "delta": str(delta), **parameters},
        "claim": stated if request.seed is None else None,
        "accuracy": [{**bound(single), **on_large}, bound(every)],
        "randomness": request.randomness(cost.draws, cost.bits),
        "histogram": [{"label": label, "count": count} for label, count in histogram],
    }
    emit(document, histogram, request, shape)
