"""finitedp law and finitedp privacy: exact laws and exact worst-case privacy of one mechanism."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import click
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.cli.console import Rational, interval, json_option, print_json, progress, rounded, table
from finitedp.cli.mechanisms import HISTOGRAMS, Chosen, Law, choose, mechanism_options, refuse_large
from finitedp.errors import ParameterError
from finitedp.exact import exp_bounds, integer, log_bounds, rational
from finitedp.proofs_check.engine.symmetry import ignores_row_order, treats_labels_alike
from finitedp.proofs_check.engine.verdict import check_delta, check_privacy
from finitedp.spec.neighbours import count_pairs, neighbouring_multisets, representative_pairs

__all__ = ["law", "privacy"]

LARGEST_EPSILON = 1000


def _outcome(output: Hashable) -> Any:  # noqa: ANN401
    """An output for JSON: counts by label, a polynomial as a list of coefficients, a count as it is."""
    if not isinstance(output, tuple):
        return output
    return list(output) if _is_polynomial(output) else dict(output)


def _is_polynomial(output: tuple[Any, ...]) -> bool:
    return bool(output) and isinstance(output[0], int)


@click.command()
@mechanism_options
@click.option("--count", type=int, help="The true count, 0..n.")
@click.option("--counts", help="Histograms: the true counts of the labels, such as 2,0,1; their sum is at most n.")
@json_option
def law(mechanism: str, running: bool, count: int | None, counts: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """The exact law of MECHANISM at one input, as rationals.

    \b
    geometric           noise of two-sided decay, clamped to 0..n  --n --decay --count
    geo-sample          the same at epsilon~ (Algorithm 4.8)       --n --epsilon --count
    fast-sample         truncated and mixed (Algorithm 4.11)       --n --epsilon --gamma --count
    dyadic              one word of bits, a dyadic table (ours)    --n --epsilon [--word] --count
    basic               a histogram of independent counts (5.1)    --n --epsilon [--gamma|--word] --labels --counts
    stability           the counts that are large enough (5.4)     the same, with --threshold
    keep-heavy          the counts heavier than n others (6.1)     as basic, no --word, --labels at least n + 1
    sampled-keep-heavy  the same law without all draws (6.4)       the same, --labels at least 2n + 1
    sparse              nearly the same law (6.21)                 the same, with --delta
    pure-sparse         mixed with random outputs (6.9)            the same, with --beta-1
    compact             a polynomial's coefficients (8.2)          as basic, no --word, --n 1
    """  # noqa: D301  # \b keeps click from folding the list
    chosen = choose(mechanism, running, given)
    data = _input(mechanism, chosen, int(chosen.parameters["n"]), count, counts)
    refuse_large(chosen, inputs=1)
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
    title = f"{mechanism} at {counts if mechanism in HISTOGRAMS else count}, from {source}"
    click.echo(table(title, ("output", "probability", "decimal"), rows_shown))
    if any("..." in row[1] for row in rows_shown):
        click.echo("Long rationals are cut in the table; --json prints them whole.")


def _input(mechanism: str, chosen: Chosen, n: int, count: int | None, counts: str | None) -> Any:  # noqa: ANN401
    if mechanism not in HISTOGRAMS:
        if count is None or counts is not None:
            raise ParameterError(f"{mechanism} needs --count and does not take --counts")
        return integer(count, "count", 0, n)
    if counts is None or count is not None:
        raise ParameterError(f"{mechanism} needs --counts and does not take --count")
    parts = counts.split(",")
    if len(parts) != len(chosen.labels) or not all(part.strip().isdecimal() for part in parts):
        raise ParameterError(
            f"counts = {counts!r}; accepted: {len(chosen.labels)} integers of at least 0, separated by commas"
        )
    numbers = [int(part) for part in parts]
    integer(sum(numbers), "the sum of counts", 0, n)
    return tuple(label for label, number in zip(chosen.labels, numbers, strict=True) for _ in range(number))


def _shown(output: Hashable) -> str:
    if not isinstance(output, tuple):
        return str(output)
    if _is_polynomial(output):
        return " ".join(str(coefficient) for coefficient in output)
    return " ".join(f"{label}={count}" for label, count in output) or "(nothing)"


def _clipped(text: str, width: int = 48) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


@click.command()
@mechanism_options
@click.option("--at", type=Rational(rational), help="Also the exact delta at this epsilon, a rational of at least 0.")
@json_option
def privacy(mechanism: str, running: bool, at: mpq | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """The exact worst-case privacy of MECHANISM over all neighbouring inputs.

    Prints the worst probability ratio as a rational, epsilon as an interval around its logarithm, the witness, and with --at
    the exact delta. Counting mechanisms: counts that differ by 1. Histograms: datasets of n rows that differ in one row, one
    pair for each symmetry class of labels. Exit code 1 if the mechanism's own claim does not hold.
    """
    if at is not None and not 0 <= at <= LARGEST_EPSILON:
        raise ParameterError(f"at = {at} is out of range; accepted: a rational from 0 to {LARGEST_EPSILON}")
    chosen = choose(mechanism, running, given)
    n = int(chosen.parameters["n"])
    pairs = _pairs(chosen, n, running)
    claim = chosen.claim or PrivacyClaim(
        _log_above(1 / given["decay"]), "counts", ratio=1 / given["decay"], source="BV.Thm4.6.i"
    )
    with progress("deriving laws") as update:
        if running and chosen.labels and not _symmetric(chosen, n):
            raise ParameterError("the running code does not treat all labels and rows alike, so representatives prove nothing")
        pure = claim if claim.delta == 0 else PrivacyClaim(claim.epsilon, claim.neighbours)
        verdict = check_privacy(chosen.law, _ticking(pairs, update), pure)
        holds, tight = verdict.holds, verdict.tight
        if claim.delta:
            by_delta = check_delta(chosen.law, pairs, claim)
            holds, tight = by_delta.holds, by_delta.in_right == 0 and by_delta.in_left == claim.delta
    worst = verdict.worst
    document: dict[str, Any] = {
        "mechanism": mechanism,
        "parameters": chosen.parameters,
        "source": "running code" if running else "definition",
        "pairs": verdict.pairs,
        "worst_ratio": None if worst.infinite else str(worst.value),
        "epsilon": None if worst.infinite else [str(bound) for bound in log_bounds(worst.value)],
        "claim": _claim_as_json(claim),
        "holds": holds,
        "tight": tight,
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
    if not holds:
        click.get_current_context().exit(1)


def _symmetric(chosen: Chosen, n: int) -> bool:
    """Whether the law has the symmetries that let a few pairs of datasets stand for all."""
    law, labels, relabel = chosen.law, chosen.labels, chosen.relabel
    return ignores_row_order(law, labels, n) and (relabel is None or treats_labels_alike(law, labels, n, relabel))


def _pairs(chosen: Chosen, n: int, running: bool) -> list[tuple[Any, Any]]:
    """The neighbouring inputs to look at, unless that is too much to compute."""
    labels = chosen.labels
    if not labels:
        refuse_large(chosen, inputs=n + 1)
        return list(count_pairs(n))
    if len(labels) == 1:
        raise ParameterError("one label has no neighbouring datasets; accepted: --labels of at least 2")
    refuse_large(chosen, inputs=len(labels) ** n if running else 2)
    alike = representative_pairs if chosen.relabel is not None else neighbouring_multisets
    pairs = list(alike(labels, n, "replace-one"))
    refuse_large(chosen, inputs=len({d for pair in pairs for d in pair}))
    return pairs


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


def _claim_as_text(claim: dict[str, Any]) -> str:
    delta = "" if claim["delta"] == "0" else f", delta = {rounded(mpq(claim['delta']))}"
    ratio = "" if claim["ratio"] is None else f", ratio <= {_short(claim['ratio'])}"
    return f"epsilon = {rounded(mpq(claim['epsilon']))}{delta}{ratio}, {claim['neighbours']} ({claim['source']})"


def _short(ratio: str) -> str:
    """A rational as it is, or as a decimal where it is long."""
    return ratio if len(ratio) <= 40 else rounded(mpq(ratio))


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
        ("claim", _claim_as_text(claim)),
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
