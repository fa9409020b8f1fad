"""Auditing anyone's mechanism exactly on a small universe: separate verdicts, the worst case, and a witness.

A mechanism is code that draws from Coins, unmodified code that draws from a random.Random, or a table of laws produced
elsewhere. Code is run on every path by the explorer. A loop without a bound leaves unresolved mass, which is carried as an
interval, so that a verdict may be "undecided".
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any, cast, get_args

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import exp_bounds, integer
from finitedp.proofs_check.audit.laws import (
    PartialLaw,
    Rows,
    Style,
    Table,
    all_inputs,
    explored,
    neighbouring,
    refuse_other_labels,
    tabled,
    types_of,
)
from finitedp.proofs_check.audit.verdicts import (
    Equality,
    Miss,
    Ratio,
    Verdict,
    Witness,
    asked,
    equality,
    largest_ratio,
    privacy,
    profile,
    tightness,
    truths_of,
)
from finitedp.proofs_check.audit.verdicts import accuracy as accuracy_verdict
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.proofs_check.engine.parallel import HERE, Workers, run

__all__ = ["AuditResult", "audit"]


@frozen
class AuditResult:
    """What an audit found.

    private: whether the privacy claim holds. law: whether the law is the specified one. tight: whether the bound is attained.
    worst_ratio: the exact worst probability ratio, or "infinite", or None where unresolved mass leaves it unknown.
    witness: where P[S] - e^epsilon Q[S] is largest. profile: the corners (r, delta) of the privacy profile in r = e^epsilon.
    accuracy: whether the accuracy claim holds, or "not claimed"; miss: where it fails with the largest probability.
    strict_time: whether every path of every input makes the same draws and comparisons of them (None for a table).
    unresolved: the largest unresolved mass of an input. laws: by input, in the order of enumeration.
    derived: how the laws were found (style, budget, where the mechanism is), for a reader.
    """

    name: str
    claim: PrivacyClaim
    universe: tuple[Hashable, ...]
    n: int
    private: Verdict
    law: Equality
    tight: bool
    worst_ratio: Ratio
    witness: Witness
    profile: tuple[tuple[mpq, mpq], ...] = field(repr=False)
    strict_time: bool | None
    unresolved: mpq
    laws: Mapping[Any, PartialLaw] = field(repr=False)
    specified: Mapping[Any, PartialLaw] | None = field(repr=False, default=None)
    accuracy: Verdict | str = "not claimed"
    error_bound: Accuracy | None = None
    truths: Mapping[Any, tuple[int, ...]] | None = field(repr=False, default=None)
    miss: Miss | None = None
    derived: Mapping[str, Any] = field(repr=False, factory=dict)

    @property
    def delta_bounds(self) -> tuple[mpq, mpq]:
        """Rationals (low, high) around the exact delta at the claimed epsilon, P[S] - e^epsilon Q[S], of the resolved mass."""
        low, high = exp_bounds(self.claim.epsilon)
        in_p, in_q = self.witness.in_left, self.witness.in_right
        if self.claim.ratio is not None:
            low = high = self.claim.ratio
        return max(in_p - high * in_q, mpq(0)), max(in_p - low * in_q, mpq(0))


def audit(
    mechanism: Callable[..., Any] | Table,
    claim: PrivacyClaim,
    *,
    n: int,
    universe: Sequence[Hashable] = (),
    style: Style = "coins",
    rows: Rows = "tuple",
    parameters: Mapping[str, Any] | None = None,
    specified: Table | Callable[[Any], Mapping[Any, Any]] | None = None,
    accuracy: Accuracy | None = None,
    truth: Callable[[Any], Any] | None = None,
    budget: Budget | None = None,
    name: str = "mechanism",
    derived: Mapping[str, Any] | None = None,
    workers: Workers = HERE,
    progress: Callable[[int, int], None] | None = None,
) -> AuditResult:
    """Decide whether a mechanism is as claimed, over all inputs of a small universe and all neighbouring pairs of them.

    Parameters: mechanism, a function of (data, coins) or of (data, rng), or a table of probabilities by input; data is a
    tuple of rows, or a count where the claim is for counts; n, the number of rows (with add-remove, the largest one), or the
    largest count; universe, the labels; style, what the function draws from; rows, "list" for a function that wants a list;
    parameters, passed to the function by name; specified, the laws it should have, a table or a function of the data;
    accuracy, an error bound, and truth, the function of the data that is estimated (the count itself where left out); budget
    of the explorer for each input; derived, what else a certificate should say of the origin; workers, among whom
    the inputs are split; progress, called with (finished inputs, all inputs).
    Raises: ParameterError, ExplorationError.
    """
    labels = tuple(dict.fromkeys(universe))
    if len(labels) != len(tuple(universe)):
        raise ParameterError("a label of the universe is listed twice; accepted: distinct labels")
    if labels and claim.neighbours == "counts":
        raise ParameterError("a universe is given, but inputs are counts; accepted: no universe, or neighbours of datasets")
    if style not in get_args(Style):
        raise ParameterError(f"style = {style!r} is unknown; accepted: {', '.join(get_args(Style))}")
    inputs = all_inputs(claim.neighbours, labels, integer(n, "n", at_least=0))
    place = {data: i for i, data in enumerate(inputs)}
    pairs = sorted(neighbouring(claim.neighbours, labels, inputs), key=lambda pair: (place[pair[0]], place[pair[1]]))
    limits = budget or Budget()
    for table in (mechanism, specified):
        if isinstance(table, Mapping):
            refuse_other_labels(table, labels)
    if style == "table":
        laws, strict = {data: tabled(cast(Table, mechanism), data) for data in inputs}, None
    else:
        function = partial(cast(Callable[..., Any], mechanism), **(parameters or {}))
        laws, strict = _explored_laws(partial(_explored_at, function, style, rows, limits), inputs, workers, progress)
    expected = None if specified is None else _specified(specified, inputs)
    _refuse_equal_outputs_of_different_types([*laws.values(), *(expected or {}).values()])
    private, witness = privacy(laws, pairs, claim)
    ratio = largest_ratio(laws, pairs)
    unresolved = max(law.unresolved for law in laws.values())
    truths = None if accuracy is None else truths_of(truth, inputs)
    verdict, miss = ("not claimed", None) if accuracy is None or truths is None else accuracy_verdict(laws, accuracy, truths)
    return AuditResult(
        name,
        claim,
        labels,
        n,
        private,
        equality(laws, expected),
        tightness(claim, ratio, witness, not unresolved),
        ratio,
        witness,
        profile(laws, pairs),
        strict,
        unresolved,
        laws,
        expected,
        verdict,
        accuracy,
        truths,
        miss,
        {"style": style, **({} if style == "table" else {"runs_of_budget": limits.runs}), **(derived or {})},
    )


def _explored_laws(
    task: Callable[[Any], Any], inputs: Sequence[Any], workers: Workers, progress: Callable[[int, int], None] | None
) -> tuple[dict[Any, PartialLaw], bool]:
    """The laws by input, and whether every path of every input makes the same draws."""
    found = {}
    with closing(run(task, inputs, workers)) as arriving:
        for finished, (i, result) in enumerate(arriving, start=1):
            found[i] = result
            if progress is not None:
                progress(finished, len(inputs))
    laws = {data: found[i][0] for i, data in enumerate(inputs)}
    shapes = frozenset().union(*(found[i][1] for i in range(len(inputs))))
    return laws, not any(law.unresolved for law in laws.values()) and len(shapes) == 1


def _refuse_equal_outputs_of_different_types(laws: Sequence[PartialLaw]) -> None:
    """True and 1 are one output here, and two for who sees them. Raises: ParameterError."""
    seen: dict[Hashable, str] = {}
    for law in laws:
        for output in law.probabilities:
            types = types_of(output)
            if seen.setdefault(output, types) != types:
                raise ParameterError(f"two outputs equal {output!r} but are of different types, {seen[output]} and {types}")


def _explored_at(function: Callable[..., Any], style: Style, rows: Rows, budget: Budget, data: Any) -> Any:  # noqa: ANN401
    return explored(function, data, style, rows, budget)


def _specified(specified: Table | Callable[[Any], Mapping[Any, Any]], inputs: Sequence[Any]) -> dict[Any, PartialLaw]:
    table = {data: asked(specified, data, "specified") for data in inputs} if callable(specified) else specified
    return {data: tabled(table, data) for data in inputs}
