"""finitedp law and finitedp privacy: exact laws and exact worst-case privacy of one mechanism."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.cli.console import Rational, print_json, progress, table
from finitedp.cli.face import MechanismGroup
from finitedp.cli.mechanisms import Chosen, mechanism_command
from finitedp.errors import ParameterError
from finitedp.exact import integer, log_bounds, rational
from finitedp.numbers import brief, decimal, interval, shown
from finitedp.proofs_check.checks.symmetry import ignores_row_order, treats_labels_alike
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.deciders.privacy import PrivacyVerdict
from finitedp.proofs_check.deciders.verdict import DeltaVerdict, check_delta, check_privacy
from finitedp.proofs_check.limits import LARGEST_EPSILON
from finitedp.proofs_check.mechanisms import MECHANISMS
from finitedp.proofs_check.report.wording import shortened
from finitedp.spec.neighbours import count_pairs, neighbouring_multisets, representative_pairs

DIGITS = 12  # of a decimal beside the exact rational


def _is_polynomial(output: tuple[Any, ...]) -> bool:
    return bool(output) and isinstance(output[0], int)


def _as_json(output: Hashable) -> Any:  # noqa: ANN401
    """An output for JSON: counts by label, a polynomial as a list of coefficients, a count as it is."""
    if not isinstance(output, tuple):
        return output
    return list(output) if _is_polynomial(output) else dict(output)


def _as_text(output: Hashable) -> str:
    if not isinstance(output, tuple):
        return str(output)
    if _is_polynomial(output):
        return " ".join(str(coefficient) for coefficient in output)
    return " ".join(f"{label}={count}" for label, count in output) or "(nothing)"


# law


def _law_command(name: str) -> click.Command:
    mechanism = MECHANISMS[name]
    at = click.Option(["--count", "at"], type=int, required=True, help="The true count, 0..n.")
    if mechanism.input == "counts":
        at = click.Option(
            ["--counts", "at"], required=True, help="The labels' true counts, such as 2,0,1; their sum is at most n."
        )
    return mechanism_command(mechanism, "The exact law of {} at one input, as rationals.", _show_law, at)


@click.group(cls=MechanismGroup, names=MECHANISMS, build=_law_command)
def law() -> None:
    """The exact law of MECHANISM at one input, as rationals.

    From its definition, or from the running code. `finitedp law MECHANISM --help` lists the options of each.
    """


def _show_law(chosen: Chosen, at: int | str, as_json: bool) -> None:
    data = _input(chosen, at)
    chosen.refuse_large(inputs=1)
    with progress("deriving the law"):
        law = chosen.law(data)
    name, ordered = chosen.mechanism.name, sorted(law)
    if as_json:
        rows = [{"output": _as_json(x), "probability": str(law[x])} for x in ordered]
        about = {"mechanism": name, "parameters": chosen.parameters, "input": data, "source": chosen.source}
        print_json({**about, "law": rows})
        return
    source = "the running code, by the explorer" if chosen.running else "its definition"
    lines = [(_as_text(x), shortened(str(law[x]), 48), decimal(law[x], DIGITS)) for x in ordered]
    click.echo(table(f"{name} at {at}, from {source}", ("output", "probability", "decimal"), lines))
    if any("..." in line[1] for line in lines):
        click.echo("Long rationals are cut in the table; --json prints them whole.")


def _input(chosen: Chosen, at: int | str) -> Any:  # noqa: ANN401  # a count, or a dataset
    labels, n = chosen.subject.labels, chosen.subject.n
    if isinstance(at, int):
        return integer(at, "count", 0, n)
    parts = at.split(",")
    if len(parts) != len(labels) or not all(part.strip().isdecimal() for part in parts):
        raise ParameterError(f"counts = {at!r}; accepted: {len(labels)} integers of at least 0, separated by commas")
    numbers = [int(part) for part in parts]
    integer(sum(numbers), "the sum of counts", 0, n)
    return tuple(label for label, number in zip(labels, numbers, strict=True) for _ in range(number))


# privacy


def _privacy_command(name: str) -> click.Command:
    at = click.Option(
        ["--at"], type=Rational(_epsilon), help="Also the exact delta at this epsilon, a rational of at least 0."
    )
    return mechanism_command(MECHANISMS[name], "The exact worst-case privacy of {} over all neighbours.", _show_privacy, at)


def _epsilon(value: Any, name: str) -> mpq:  # noqa: ANN401  # whatever was written
    number = rational(value, name)
    if not 0 <= number <= LARGEST_EPSILON:
        raise ParameterError(f"{name} = {number} is out of range; accepted: a rational from 0 to {LARGEST_EPSILON}")
    return number


@click.group(cls=MechanismGroup, names=MECHANISMS, build=_privacy_command)
def privacy() -> None:
    """The exact worst-case privacy of MECHANISM over all neighbouring inputs.

    Prints the worst probability ratio as a rational, epsilon as an interval around its logarithm, the witness, and with --at
    the exact delta. Counting mechanisms: counts that differ by 1. Histograms: datasets of n rows that differ in one row, or
    (anonymized) of up to n rows with one more or less, one pair for each symmetry class of labels. Exit code 1 if the
    mechanism's own claim does not hold. `finitedp privacy MECHANISM --help` lists the options of each.
    """


@frozen
class _Delta:
    """The largest hockey-stick divergence at e^at: an exact expression, and an interval around it."""

    at: mpq
    verdict: DeltaVerdict[Any, Any]

    @property
    def bounds(self) -> tuple[mpq, mpq]:
        """The ends of an interval around P[S] - e^at Q[S]."""
        return Factor(self.at).gap(self.verdict.in_left, self.verdict.in_right)

    def as_json(self) -> dict[str, Any]:
        """Its part of the document."""
        verdict = self.verdict
        return {
            "at_epsilon": str(self.at),
            "event_probabilities": [str(verdict.in_left), str(verdict.in_right)],
            "interval": [str(bound) for bound in self.bounds],
            "event": [_as_json(x) for x in sorted(verdict.event)],
            "left": verdict.left,
            "right": verdict.right,
        }


@frozen
class _Answer:
    """What was found of a mechanism's privacy; delta where it was asked for."""

    chosen: Chosen
    verdict: PrivacyVerdict[Any, Any]
    holds: bool
    tight: bool
    delta: _Delta | None

    def as_json(self) -> dict[str, Any]:
        """The document of --json."""
        chosen, worst = self.chosen, self.verdict.worst
        return {
            "mechanism": chosen.mechanism.name,
            "parameters": chosen.parameters,
            "source": chosen.source,
            "pairs": self.verdict.pairs,
            "worst_ratio": None if worst.infinite else str(worst.value),
            "epsilon": None if worst.infinite else [str(bound) for bound in log_bounds(worst.value)],
            "claim": chosen.subject.claim.as_json(),
            "holds": self.holds,
            "tight": self.tight,
            "witness": {
                "left": self.verdict.left,
                "right": self.verdict.right,
                "output": _as_json(worst.outcome),
                "probabilities": [str(worst.p), str(worst.q)],
            },
            **({} if self.delta is None else {"delta": self.delta.as_json()}),
        }

    def as_text(self) -> str:
        """The table."""
        chosen, verdict, worst = self.chosen, self.verdict, self.verdict.worst
        rows = [("neighbouring pairs", str(verdict.pairs)), ("worst ratio", "infinite")]
        if not worst.infinite:
            rows[1] = ("worst ratio", shown(worst.value))
            rows.append(("epsilon = ln(ratio)", interval(*log_bounds(worst.value))))
        rows += [
            ("claim", _claim_as_text(chosen.subject.claim)),
            ("private as claimed", "yes" if self.holds else "NO"),
            ("bound tight", "yes" if self.tight else "no"),
            ("witness", f"inputs {verdict.left} and {verdict.right}, output {_as_json(worst.outcome)}"),
            ("probabilities", f"{shown(worst.p)} and {shown(worst.q)}"),
        ]
        if self.delta is not None:
            event = f"event of {len(self.delta.verdict.event)} outputs"
            rows.append((f"delta at epsilon = {self.delta.at}", f"{interval(*self.delta.bounds)}, {event}"))
        parameters = ", ".join(f"{name} = {value}" for name, value in chosen.parameters.items())
        return table(f"{chosen.mechanism.name} ({parameters})", ("", f"from the {chosen.source}"), rows)


def _claim_as_text(claim: PrivacyClaim) -> str:
    delta = f", delta = {shown(claim.delta)}" if claim.delta else ""
    ratio = "" if claim.ratio is None else f", ratio <= {brief(claim.ratio, 40)}"
    return f"epsilon = {shown(claim.epsilon)}{delta}{ratio}, {claim.neighbours} ({claim.source})"


def _show_privacy(chosen: Chosen, at: mpq | None, as_json: bool) -> None:
    pairs, claim = _pairs(chosen), chosen.subject.claim
    with progress("deriving laws") as update:
        if chosen.running and chosen.subject.labels and not _symmetric(chosen):
            raise ParameterError("the running code does not treat all labels and rows alike, so representatives prove nothing")
        pure = claim if claim.delta == 0 else PrivacyClaim(claim.epsilon, claim.neighbours)
        verdict = check_privacy(chosen.law, _ticking(pairs, update), pure)
        holds, tight = verdict.holds, verdict.tight
        if claim.delta:
            by_delta = check_delta(chosen.law, pairs, claim)
            holds, tight = by_delta.holds, by_delta.in_right == 0 and by_delta.in_left == claim.delta
    delta = None
    if at is not None:
        with progress("deriving delta"):
            delta = _Delta(at, check_delta(chosen.law, pairs, PrivacyClaim(at, "counts", delta=1)))
    answer = _Answer(chosen, verdict, holds, tight, delta)
    if as_json:
        print_json(answer.as_json())
    else:
        click.echo(answer.as_text())
    if not holds:
        click.get_current_context().exit(1)


def _symmetric(chosen: Chosen) -> bool:
    """Whether the law has the symmetries that let a few pairs of datasets stand for all."""
    labels, n, relabel = chosen.subject.labels, chosen.subject.n, chosen.subject.relabel
    sizes = range(n + 1) if chosen.subject.claim.neighbours == "add-remove" else (n,)
    return all(
        ignores_row_order(chosen.law, labels, size)
        and (relabel is None or treats_labels_alike(chosen.law, labels, size, relabel))
        for size in sizes
    )


def _pairs(chosen: Chosen) -> list[tuple[Any, Any]]:
    """The neighbouring inputs to look at, unless that is too much to compute."""
    labels, n = chosen.subject.labels, chosen.subject.n
    if not labels:
        chosen.refuse_large(inputs=n + 1)
        return list(count_pairs(n))
    relation = chosen.subject.claim.neighbours
    if len(labels) == 1 and relation == "replace-one":
        raise ParameterError("one label has no neighbouring datasets; accepted: --labels of at least 2")
    chosen.refuse_large(inputs=len(labels) ** n if chosen.running else 2)
    alike = representative_pairs if chosen.subject.relabel is not None else neighbouring_multisets
    pairs = list(alike(labels, n, relation))
    chosen.refuse_large(inputs=len({dataset for pair in pairs for dataset in pair}))
    return pairs


def _ticking(pairs: list[Any], update: Callable[[int, int], None]) -> Iterable[Any]:
    for i, pair in enumerate(pairs):
        update(i, len(pairs))
        yield pair
