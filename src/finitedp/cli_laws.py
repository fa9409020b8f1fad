"""finitedp law and finitedp privacy: exact laws and exact worst-case privacy of one mechanism."""

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.console import Rational, interval, json_option, print_json, progress, rounded, table
from finitedp.errors import ParameterError
from finitedp.exact import exp_bounds, integer, log_bounds, rational, unit_fraction
from finitedp.impl.counting import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histogram import BasicHistogram
from finitedp.proofs_check.explorer import explore
from finitedp.proofs_check.symmetry import ignores_row_order, relabel_partial_vector, treats_labels_alike
from finitedp.proofs_check.verdict import check_delta, check_privacy
from finitedp.spec import counting as spec
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.neighbours import count_pairs, representative_pairs
from finitedp.spec.pmf import Pmf

__all__ = ["law", "privacy"]

MECHANISMS = ("geometric", "geo-sample", "fast-sample", "basic")
MOST_OUTPUTS = 200_000  # outputs over all inputs that one command computes
MOST_BITS = 10**11  # the same, times the bits of a probability's denominator and the support of the noise
MOST_LABELS = 12
LARGEST_EPSILON = 1000

Law = Callable[[Any], Pmf[Any]]


def _decay(value: Any, name: str) -> mpq:  # noqa: ANN401
    number = rational(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} = {number} is out of range; accepted: a rational in (0, 1)")
    return number


def _mechanism_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = [
        click.argument("mechanism", type=click.Choice(MECHANISMS)),
        click.option("--n", type=int, required=True, help="The largest count: the number of rows."),
        click.option("--epsilon", type=Rational(lambda v, n: mpq(1, unit_fraction(v, n))), help="Privacy parameter, 1/q."),
        click.option("--gamma", type=Rational(lambda v, n: mpq(1, unit_fraction(v, n, 2))), help="fast-sample's share, 1/g."),
        click.option("--decay", type=Rational(_decay), help="geometric's e^(-epsilon/2), in (0, 1)."),
        click.option("--labels", type=int, help="basic: the number of labels |X|."),
        click.option(
            "--running", is_flag=True, help="Derive the law from the running code by the explorer, not from its definition."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@frozen
class _Chosen:
    """A mechanism chosen on the command line: its law by input, its claim, and its parameters for the output."""

    law: Law
    claim: PrivacyClaim | None
    parameters: dict[str, str]
    labels: tuple[str, ...]
    bits: int


def _choose(mechanism: str, running: bool, given: dict[str, Any]) -> _Chosen:
    n = integer(given["n"], "n", at_least=1)
    needed = {"geometric": ("decay",), "geo-sample": ("epsilon",), "fast-sample": ("epsilon", "gamma")}
    wanted = (
        ("labels", *needed["fast-sample" if given["gamma"] else "geo-sample"]) if mechanism == "basic" else needed[mechanism]
    )
    for name in ("epsilon", "gamma", "decay", "labels"):
        if (given[name] is None) == (name in wanted):
            verb = "needs" if name in wanted else "does not take"
            raise ParameterError(f"{mechanism} {verb} --{name}")
    parameters = {"n": str(n), **{name: str(given[name]) for name in wanted}}
    if mechanism == "geometric":
        if running:
            raise ParameterError("geometric is a definition and has no running code; --running goes with the other mechanisms")
        return _Chosen(lambda c: spec.geometric_mechanism(n, given["decay"], c), None, parameters, (), n * 64)
    code: CountingMechanism = (
        GeoSample(n, given["epsilon"]) if given["gamma"] is None else FastSample(n, given["epsilon"], given["gamma"])
    )
    if mechanism != "basic":
        return _Chosen(_counting_law(code, running), code.claim(), parameters, (), _bits(code))
    labels = tuple(f"x{i}" for i in range(1, integer(given["labels"], "labels", 1, MOST_LABELS) + 1))
    histogram = BasicHistogram(code, labels)
    return _Chosen(_histogram_law(histogram, running), histogram.claim(), parameters, labels, _bits(code) * len(labels))


def _bits(code: CountingMechanism) -> int:
    """About how many bits the law of one count takes for each of its outputs, the noise before clamping included."""
    noise = 2 * code.t // (code.n + 1) + 1 if isinstance(code, FastSample) else 1
    return int(code.d).bit_length() * noise


def _counting_law(code: CountingMechanism, running: bool) -> Law:
    if running:
        return cache(lambda c: explore(lambda coins: code.release(c, coins)).law())
    if isinstance(code, FastSample):
        return cache(lambda c: spec.fast_sample(code.n, code.epsilon, code.gamma, c))
    assert isinstance(code, GeoSample)  # noqa: S101  # there are only two
    return cache(lambda c: spec.geo_sample(code.n, code.epsilon, c))


def _histogram_law(histogram: BasicHistogram[str], running: bool) -> Law:
    if running:
        return cache(lambda dataset: explore(lambda coins: histogram.release(dataset, coins)).law())
    one = _counting_law(histogram.mechanism, running=False)
    return cache(lambda dataset: basic_histogram(dataset, tuple(histogram.labels), one))


def _refuse_large(chosen: _Chosen, inputs: int) -> None:
    """Refuse what would take too long or too much memory, before it starts."""
    n, labels = int(chosen.parameters["n"]), max(len(chosen.labels), 1)
    outputs = inputs * (n + 1) ** labels
    if outputs > MOST_OUTPUTS:
        shown = f"{outputs:,}" if outputs < 10**15 else f"about 2^{outputs.bit_length() - 1}"
        raise ParameterError(f"that is {shown} outputs, more than {MOST_OUTPUTS:,}: take a smaller n or fewer labels")
    if outputs * chosen.bits > MOST_BITS:
        raise ParameterError(
            f"that is {outputs:,} probabilities of {chosen.bits:,} bits in all, more than {MOST_BITS:,} bits: take a larger "
            "epsilon, a smaller n or fewer labels"
        )


def _outcome(output: Hashable) -> Any:  # noqa: ANN401
    return dict(output) if isinstance(output, tuple) else output


@click.command()
@_mechanism_options
@click.option("--count", type=int, help="The true count, 0..n.")
@click.option("--counts", help="basic: the true counts of the labels, such as 2,0,1; their sum is at most n.")
@json_option
def law(mechanism: str, running: bool, count: int | None, counts: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """The exact law of MECHANISM at one input, as rationals.

    \b
    geometric    two-sided geometric noise, clamped to 0..n      --n --decay --count
    geo-sample   the same at epsilon~ (Algorithm 4.8)            --n --epsilon --count
    fast-sample  truncated and mixed (Algorithm 4.11)            --n --epsilon --gamma --count
    basic        a histogram of independent counts (5.1)         --n --epsilon [--gamma] --labels --counts
    """  # noqa: D301  # \b keeps click from folding the list
    chosen = _choose(mechanism, running, given)
    data = _input(mechanism, chosen, int(chosen.parameters["n"]), count, counts)
    _refuse_large(chosen, inputs=1)
    with progress("deriving the law"):
        found = chosen.law(data)
    ordered = sorted(found)
    if as_json:
        rows = [{"output": _outcome(x), "probability": str(found[x])} for x in ordered]
        source = "running code" if running else "definition"
        document = {"mechanism": mechanism, "parameters": chosen.parameters, "input": data, "source": source, "law": rows}
        print_json(document)
        return
    rows_shown = [(_shown(x), _clipped(str(found[x])), rounded(found[x])) for x in ordered]
    source = "the running code, by the explorer" if running else "its definition"
    title = f"{mechanism} at {counts if mechanism == 'basic' else count}, from {source}"
    click.echo(table(title, ("output", "probability", "decimal"), rows_shown))
    if any("..." in row[1] for row in rows_shown):
        click.echo("Long rationals are cut in the table; --json prints them whole.")


def _input(mechanism: str, chosen: _Chosen, n: int, count: int | None, counts: str | None) -> Any:  # noqa: ANN401
    if mechanism != "basic":
        if count is None or counts is not None:
            raise ParameterError(f"{mechanism} needs --count and does not take --counts")
        return integer(count, "count", 0, n)
    if counts is None or count is not None:
        raise ParameterError("basic needs --counts and does not take --count")
    parts = counts.split(",")
    if len(parts) != len(chosen.labels) or not all(part.strip().isdecimal() for part in parts):
        raise ParameterError(
            f"counts = {counts!r}; accepted: {len(chosen.labels)} integers of at least 0, separated by commas"
        )
    numbers = [int(part) for part in parts]
    integer(sum(numbers), "the sum of counts", 0, n)
    return tuple(label for label, number in zip(chosen.labels, numbers, strict=True) for _ in range(number))


def _shown(output: Hashable) -> str:
    return " ".join(f"{label}={count}" for label, count in output) if isinstance(output, tuple) else str(output)


def _clipped(text: str, width: int = 48) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


@click.command()
@_mechanism_options
@click.option("--at", type=Rational(rational), help="Also the exact delta at this epsilon, a rational of at least 0.")
@json_option
def privacy(mechanism: str, running: bool, at: mpq | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """The exact worst-case privacy of MECHANISM over all neighbouring inputs.

    Prints the worst probability ratio as a rational, epsilon as an interval around its logarithm, the witness, and with --at
    the exact delta. Counting mechanisms: counts that differ by 1. basic: datasets of n rows that differ in one row, one pair
    for each symmetry class of labels. Exit code 1 if the mechanism's own claim does not hold.
    """
    if at is not None and not 0 <= at <= LARGEST_EPSILON:
        raise ParameterError(f"at = {at} is out of range; accepted: a rational from 0 to {LARGEST_EPSILON}")
    chosen = _choose(mechanism, running, given)
    n = int(chosen.parameters["n"])
    pairs: list[tuple[Any, Any]]
    if mechanism == "basic":
        if len(chosen.labels) == 1:
            raise ParameterError("one label has no neighbouring datasets; accepted: --labels of at least 2")
        _refuse_large(chosen, inputs=len(chosen.labels) ** n if running else 2)
        pairs = list(representative_pairs(chosen.labels, n, "replace-one"))
        _refuse_large(chosen, inputs=len({d for pair in pairs for d in pair}))
    else:
        _refuse_large(chosen, inputs=n + 1)
        pairs = list(count_pairs(n))
    claim = chosen.claim or PrivacyClaim(
        _log_above(1 / given["decay"]), "counts", ratio=1 / given["decay"], source="BV.Thm4.6.i"
    )
    with progress("deriving laws") as update:
        if running and chosen.labels and not _symmetric(chosen.law, chosen.labels, n):
            raise ParameterError("the running code does not treat all labels and rows alike, so representatives prove nothing")
        verdict = check_privacy(chosen.law, _ticking(pairs, update), claim)
    worst = verdict.worst
    document: dict[str, Any] = {
        "mechanism": mechanism,
        "parameters": chosen.parameters,
        "source": "running code" if running else "definition",
        "pairs": verdict.pairs,
        "worst_ratio": None if worst.infinite else str(worst.value),
        "epsilon": None if worst.infinite else [str(bound) for bound in log_bounds(worst.value)],
        "claim": _claim_as_json(claim),
        "holds": verdict.holds,
        "tight": verdict.tight,
        "witness": {
            "left": verdict.left,
            "right": verdict.right,
            "output": _outcome(worst.outcome),
            "probabilities": [str(worst.p), str(worst.q)],
        },
    }
    if at is not None:
        with progress("deriving delta"):
            document["delta"] = _delta(chosen.law, pairs, at)
    if as_json:
        print_json(document)
    else:
        _print_privacy(document, verdict.worst.p, verdict.worst.q, at)
    if not verdict.holds:
        click.get_current_context().exit(1)


def _symmetric(law: Law, labels: tuple[str, ...], n: int) -> bool:
    return ignores_row_order(law, labels, n) and treats_labels_alike(law, labels, n, relabel_partial_vector)


def _log_above(ratio: mpq) -> mpq:
    return log_bounds(ratio)[1]


def _ticking(pairs: list[Any], update: Callable[[int, int], None]) -> Iterable[Any]:
    for i, pair in enumerate(pairs):
        update(i, len(pairs))
        yield pair


def _claim_as_json(claim: PrivacyClaim) -> dict[str, str | None]:
    ratio = None if claim.ratio is None else str(claim.ratio)
    exact = {"epsilon": str(claim.epsilon), "delta": str(claim.delta), "neighbours": claim.neighbours, "ratio": ratio}
    return {**exact, "source": claim.source}


def _delta(law: Law, pairs: list[Any], at: mpq) -> dict[str, Any]:
    """The largest hockey-stick divergence at e^at: an exact expression, and an interval around it."""
    verdict = check_delta(law, pairs, PrivacyClaim(at, "counts", delta=1))
    low, high = exp_bounds(at)
    p, q = verdict.in_left, verdict.in_right
    bounds = [str(max(p - high * q, mpq(0))), str(max(p - low * q, mpq(0)))]
    event = [_outcome(x) for x in sorted(verdict.event)]
    exact = {"event_probabilities": [str(p), str(q)], "interval": bounds}
    return {"at_epsilon": str(at), **exact, "event": event, "left": verdict.left, "right": verdict.right}


def _print_privacy(document: dict[str, Any], p: mpq, q: mpq, at: mpq | None) -> None:
    claim, witness = document["claim"], document["witness"]
    rows = [("neighbouring pairs", str(document["pairs"])), ("worst ratio", "infinite")]
    if document["worst_ratio"] is not None:
        ratio = mpq(document["worst_ratio"])
        rows[1] = ("worst ratio", " ".join(dict.fromkeys((_clipped(str(ratio), 60), rounded(ratio)))))
        rows.append(("epsilon = ln(ratio)", interval(*log_bounds(ratio))))
    rows += [
        ("claim", f"epsilon = {rounded(mpq(claim['epsilon']))}, {claim['neighbours']} ({claim['source']})"),
        ("claimed ratio", _clipped(str(claim["ratio"]), 60)),
        ("private as claimed", "yes" if document["holds"] else "NO"),
        ("bound tight", "yes" if document["tight"] else "no"),
        ("witness", f"inputs {witness['left']} and {witness['right']}, output {witness['output']}"),
        ("probabilities", f"{rounded(p)} and {rounded(q)}"),
    ]
    if at is not None:
        delta = document["delta"]
        low, high = (mpq(bound) for bound in delta["interval"])
        rows.append((f"delta at epsilon = {at}", f"{interval(low, high)}, event of {len(delta['event'])} outputs"))
    title = f"{document['mechanism']} ({', '.join(f'{k} = {v}' for k, v in document['parameters'].items())})"
    click.echo(table(title, ("", f"from the {document['source']}"), rows))
