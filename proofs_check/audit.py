"""Auditing anyone's mechanism exactly on small universes: three verdicts, the worst case, and a witness.

A mechanism is code that draws from Coins, unmodified code that draws from a random.Random, or a table of laws produced
elsewhere. Code is run on every path by the explorer. A loop without a bound leaves unresolved mass, which is carried as an
interval, so that a verdict may be "undecided".
"""

import contextlib
import io
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Neighbours, PrivacyClaim, check_neighbours
from finitedp.errors import ExplorationError, FinitedpError, ParameterError
from finitedp.exact import compare_exp, integer, probability
from finitedp.impl.coins import Coins
from finitedp.proofs_check.explorer import Budget, explore
from finitedp.proofs_check.stand_in import StandIn
from finitedp.spec.neighbours import are_neighbours, count_pairs, datasets

__all__ = ["AuditResult", "PartialLaw", "Witness", "audit"]

Style = Literal["coins", "random", "table"]
Private = Literal["holds", "fails", "undecided"]
Equality = Literal["equal", "differs", "undecided", "not specified"]
Table = Mapping[Any, Mapping[Any, Any]]
"""Laws by input: the probability, a rational, of each output."""

MOST_INPUTS = 5_000


@frozen
class PartialLaw:
    """Probabilities of outputs, exact lower bounds where some mass is unresolved."""

    probabilities: Mapping[Hashable, mpq]
    unresolved: mpq = field(default=mpq(0))


@frozen
class Witness:
    """Two inputs and the event with the largest P[event] - e^epsilon Q[event], with both probabilities."""

    left: Any
    right: Any
    event: tuple[Hashable, ...]
    in_left: mpq
    in_right: mpq


@frozen
class AuditResult:
    """What an audit found.

    private: whether the claim holds. law: whether the law is the specified one. tight: whether the bound is attained.
    worst_ratio: the exact worst probability ratio, None where it is infinite or not known. witness: where the claim is
    tightest, or broken. strict_time: whether every path of every input makes the same draws (None for a table).
    unresolved: the largest unresolved mass of an input. laws: by input, in the order of enumeration.
    """

    name: str
    claim: PrivacyClaim
    universe: tuple[Hashable, ...]
    n: int
    private: Private
    law: Equality
    tight: bool
    worst_ratio: mpq | None
    witness: Witness
    strict_time: bool | None
    unresolved: mpq
    laws: Mapping[Any, PartialLaw] = field(repr=False)
    specified: Mapping[Any, PartialLaw] | None = field(repr=False, default=None)


def audit(
    mechanism: Callable[..., Any] | Table,
    claim: PrivacyClaim,
    *,
    n: int,
    universe: Sequence[Hashable] = (),
    style: Style = "coins",
    specified: Table | None = None,
    budget: Budget | None = None,
    name: str = "mechanism",
) -> AuditResult:
    """Decide whether a mechanism has the privacy that is claimed for it, over all neighbouring inputs of a small universe.

    Parameters: mechanism, a function of (data, coins) or of (data, rng), or a table of probabilities by input; data is a
    tuple of rows, or a count where the claim is for counts; n, the number of rows (with add-remove, the largest one), or the
    largest count; universe, the labels; style, what the function draws from; specified, the laws it should have; budget of
    the explorer for each input. Raises: ParameterError, ExplorationError.
    """
    inputs = _inputs(claim.neighbours, tuple(universe), integer(n, "n", at_least=0))
    laws, shapes = {}, set()
    for data in inputs:
        if style == "table":
            laws[data] = _tabled(mechanism, data)  # type: ignore[arg-type]  # a table
        else:
            laws[data], found = _explored(mechanism, data, style, budget)  # type: ignore[arg-type]  # a function
            shapes |= found
    expected = None if specified is None else {data: _tabled(specified, data) for data in inputs}
    private, witness = _privacy(laws, _pairs(claim.neighbours, inputs), claim)
    ratio = _worst_ratio(laws, _pairs(claim.neighbours, inputs))
    exact = not any(law.unresolved for law in laws.values())
    tight = exact and _tight(claim, ratio, witness)
    strict = None if style == "table" else exact and len(shapes) == 1
    unresolved = max(law.unresolved for law in laws.values())
    equality = _equality(laws, expected)
    return AuditResult(
        name, claim, tuple(universe), n, private, equality, tight, ratio, witness, strict, unresolved, laws, expected
    )


# Inputs


def _inputs(relation: Neighbours, universe: tuple[Hashable, ...], n: int) -> list[Any]:
    """All inputs. Raises: ParameterError where there are too many."""
    check_neighbours(relation)
    if relation == "counts":
        if n >= MOST_INPUTS:
            raise ParameterError(f"that is {n + 1:,} counts, more than {MOST_INPUTS:,}: take a smaller n")
        return list(range(n + 1))
    sizes = range(n + 1) if relation == "add-remove" else (n,)
    number = sum(len(universe) ** size for size in sizes)
    if number > MOST_INPUTS:
        raise ParameterError(f"that is {number:,} datasets, more than {MOST_INPUTS:,}: take a smaller universe or smaller n")
    return [data for size in sizes for data in datasets(universe, size)]


def _pairs(relation: Neighbours, inputs: Sequence[Any]) -> list[tuple[Any, Any]]:
    """All neighbouring pairs, both orders. Raises: ParameterError where there is none."""
    if relation == "counts":
        pairs = list(count_pairs(inputs[-1])) if len(inputs) > 1 else []
    else:
        pairs = [(a, b) for a in inputs for b in inputs if a != b and are_neighbours(a, b, relation)]
    if not pairs:
        raise ParameterError("there are no neighbouring inputs; accepted: a larger universe or n")
    return pairs


# Laws


def _tabled(table: Table, data: Any) -> PartialLaw:  # noqa: ANN401  # an input of any kind
    if data not in table:
        raise ParameterError(f"the table has no law for the input {data!r}")
    row = {x: probability(p, f"probability of {x!r} at {data!r}") for x, p in table[data].items()}
    if sum(row.values(), mpq(0)) != 1:
        raise ParameterError(f"the probabilities at {data!r} sum to {sum(row.values(), mpq(0))}, not to 1")
    return PartialLaw({x: p for x, p in row.items() if p})


def _explored(
    mechanism: Callable[..., Any],
    data: Any,  # noqa: ANN401  # an input of any kind
    style: Style,
    budget: Budget | None,
) -> tuple[PartialLaw, set[tuple[Any, int]]]:
    """The law of the running code at one input, and the shapes of its paths."""

    def program(coins: Coins) -> Hashable:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            output: Hashable = mechanism(data, StandIn(coins) if style == "random" else coins)
        if printed.getvalue():
            raise ExplorationError(
                f"the mechanism prints {printed.getvalue()[:40]!r}, which is an output that is not looked at"
            )
        return output

    try:
        found = explore(program, budget)
    except FinitedpError as error:
        raise ExplorationError(f"at the input {data!r}: {error}") from None
    except Exception as error:
        raise ExplorationError(f"at the input {data!r} the mechanism raised {type(error).__name__}: {error}") from error
    return PartialLaw(dict(found.resolved), found.unresolved), set(found.shapes)


# Verdicts


def _exceeds(p: mpq, q: mpq, epsilon: mpq) -> bool:
    """Whether p - e^epsilon q > 0."""
    if q == 0:
        return bool(p > 0)
    return compare_exp(p / q, epsilon) * (1 if q > 0 else -1) > 0


def _event(p: PartialLaw, q: PartialLaw, epsilon: mpq) -> tuple[tuple[Hashable, ...], mpq, mpq]:
    """The event {x : P[x] > e^epsilon Q[x]} by what is resolved, and its probabilities."""
    event = tuple(x for x, mass in p.probabilities.items() if _exceeds(mass, q.probabilities.get(x, mpq(0)), epsilon))
    in_p = sum((p.probabilities[x] for x in event), mpq(0))
    return event, in_p, sum((q.probabilities.get(x, mpq(0)) for x in event), mpq(0))


def _privacy(laws: Mapping[Any, PartialLaw], pairs: Sequence[tuple[Any, Any]], claim: PrivacyClaim) -> tuple[Private, Witness]:
    """Whether P[S] <= e^epsilon Q[S] + delta for all pairs and events; unresolved mass may be anywhere."""
    worst: Witness | None = None
    fails, holds = False, True
    for left, right in pairs:
        p, q = laws[left], laws[right]
        event, in_p, in_q = _event(p, q, claim.epsilon)
        if worst is None or _exceeds(in_p - worst.in_left, in_q - worst.in_right, claim.epsilon):
            worst = Witness(left, right, event, in_p, in_q)
        fails = fails or (bool(event) and _exceeds(in_p - claim.delta, in_q + q.unresolved, claim.epsilon))
        holds = holds and not _exceeds(in_p + p.unresolved - claim.delta, in_q, claim.epsilon)
    if worst is None:
        raise ParameterError("there are no neighbouring inputs")
    return "fails" if fails else "holds" if holds else "undecided", worst


def _worst_ratio(laws: Mapping[Any, PartialLaw], pairs: Sequence[tuple[Any, Any]]) -> mpq | None:
    """The largest probability ratio; None where it is infinite, or mass is unresolved."""
    worst = mpq(1)
    for left, right in pairs:
        if laws[left].unresolved or laws[right].unresolved:
            return None
        for x, mass in laws[left].probabilities.items():
            other = laws[right].probabilities.get(x, mpq(0))
            if other == 0:
                return None
            worst = max(worst, mass / other)
    return worst


def _tight(claim: PrivacyClaim, ratio: mpq | None, witness: Witness) -> bool:
    if claim.delta:
        return witness.in_right == 0 and witness.in_left == claim.delta
    return ratio is not None and ratio == claim.ratio


def _equality(laws: Mapping[Any, PartialLaw], specified: Mapping[Any, PartialLaw] | None) -> Equality:
    if specified is None:
        return "not specified"
    for data, law in laws.items():
        allowed = specified[data].probabilities
        if any(mass > allowed.get(x, mpq(0)) for x, mass in law.probabilities.items()):
            return "differs"
    return "undecided" if any(law.unresolved for law in laws.values()) else "equal"
