"""Which inputs an audit looks at, and which of them are neighbours: by a relation of the papers, or as the auditor states.

What is stated is a list of pairs of inputs, or a function: of nothing, which gives such a list, or of two inputs, which says
whether they are neighbours. The inputs are then those that are in a pair, and both orders of each pair are compared.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from attrs import evolve, frozen

from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import integer
from finitedp.proofs_check.audit.laws import answer_at
from finitedp.proofs_check.audit.rows import as_row
from finitedp.proofs_check.inputs import all_inputs, neighbouring

Stated = list[Any] | tuple[Any, ...] | Callable[..., Any]
"""Neighbours as the auditor states them: pairs of inputs, or a function that gives these, or one of two inputs."""
_ACCEPTED = (
    "accepted: counts, replace-one, add-remove, a list of pairs of inputs, or a function (of two inputs, or of nothing)"
)
_INPUT = "accepted: a count of at least 0, or rows, such as [0, 1]"


@frozen
class Relation:
    """The inputs and the ordered pairs of neighbours, with the claim, labels and n that fit them.

    stated: the pairs that the auditor stated, each once; None of a relation of the papers.
    """

    claim: PrivacyClaim
    universe: tuple[Hashable, ...]
    n: int
    inputs: list[Any]
    pairs: list[tuple[Any, Any]]
    stated: tuple[tuple[Any, Any], ...] | None = None


def form_of(stated: object, universe: Sequence[Hashable]) -> Neighbours:
    """What inputs are where neighbours are stated: "counts", or "add-remove", datasets of any number of rows.

    Raises: ParameterError for what states no neighbours.
    """
    if callable(stated):
        return "add-remove" if universe else "counts"
    for pair in _sequence(stated, f"neighbours = {stated!r:.60} cannot be used; {_ACCEPTED}"):
        return "counts" if isinstance(pair, list | tuple) and pair and isinstance(pair[0], int) else "add-remove"
    raise ParameterError("neighbours is empty; accepted: at least one pair of inputs")


def relation_of(
    claim: PrivacyClaim, universe: tuple[Hashable, ...], n: int | None, most: int, stated: Stated | None
) -> Relation:
    """The inputs of an audit and their neighbours.

    Parameters: universe and n, which may be left out where pairs are listed; most, the largest number of inputs; stated, in
    place of the claim's relation (which then says which inputs a function of two is asked about).
    Raises: ParameterError for inputs that are too many, or not of the form, and where there are no neighbours.
    """
    if stated is None:
        if n is None:
            raise ParameterError("n is missing; accepted: the number of rows, or the largest count")
        inputs = all_inputs(claim.neighbours, universe, integer(n, "n", at_least=0), most)
        pairs = neighbouring(claim.neighbours, universe, n)
        return Relation(claim, universe, n, inputs, _in_order(inputs, pairs))
    stated_pairs = _stated(claim, universe, n, most, stated)
    inputs = list(dict.fromkeys(data for pair in stated_pairs for data in pair))
    if len(inputs) > most:
        raise ParameterError(f"neighbours names {len(inputs):,} inputs, more than {most:,}: state fewer pairs")
    counts = isinstance(inputs[0], int)
    inputs.sort(key=lambda x: x if counts else len(x))
    labels = () if counts else tuple(dict.fromkeys(x for data in inputs for x in data))
    if counts and universe:
        raise ParameterError("a universe is given, but inputs are counts; accepted: no universe, or pairs of datasets")
    largest = inputs[-1] if counts else len(inputs[-1])
    size = largest if n is None else integer(n, "n", at_least=0)
    if largest > size:
        raise ParameterError(f"neighbours names the input {inputs[-1]!r}; n = {size}")
    if universe and set(labels) - set(universe):
        raise ParameterError(f"neighbours names {(set(labels) - set(universe)).pop()!r}, which is not in the universe")
    both = [way for left, right in stated_pairs for way in ((left, right), (right, left))]
    form: Neighbours = "counts" if counts else "add-remove"
    return Relation(
        evolve(claim, neighbours=form),
        () if counts else universe or labels,
        size,
        inputs,
        _in_order(inputs, both),
        stated_pairs,
    )


def _in_order(inputs: Sequence[Any], pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    place = {data: i for i, data in enumerate(inputs)}
    return sorted(pairs, key=lambda pair: (place[pair[0]], place[pair[1]]))


# What is stated


def _stated(
    claim: PrivacyClaim, universe: tuple[Hashable, ...], n: int | None, most: int, stated: Stated
) -> tuple[tuple[Any, Any], ...]:
    if callable(stated):
        taken = _parameters(stated)
        if taken == 2:
            return _by_predicate(stated, claim.neighbours, universe, n, most)
        if taken:
            raise ParameterError(f"the function of neighbours takes {taken} arguments; accepted: two inputs, or nothing")
        given = answer_at(stated, "neighbours")
        if not isinstance(given, Iterable):
            raise ParameterError(f"the function of neighbours gives {given!r:.60}; accepted: a list of pairs of inputs")
        stated = answer_at(lambda: list(given), "neighbours")  # it may be a generator
    return _pairs(stated)


def _pairs(listed: object) -> tuple[tuple[Any, Any], ...]:
    """Pairs as somebody listed them, each once, an input as a count or as a tuple of rows. Raises: ParameterError."""
    pairs = dict[frozenset[Any], tuple[Any, Any]]()
    for pair in _sequence(listed, f"neighbours = {listed!r:.60} cannot be used; {_ACCEPTED}"):
        parts = _sequence(pair, f"neighbours holds {pair!r:.60}; accepted: pairs of inputs")
        if len(parts) != 2:
            raise ParameterError(f"neighbours holds {pair!r:.60}, which is no pair; accepted: two inputs")
        left, right = map(_input, parts)
        if isinstance(left, int) != isinstance(right, int):
            raise ParameterError(f"neighbours holds {pair!r:.60}, a count and a dataset; accepted: two of one kind")
        if left == right:
            raise ParameterError(f"neighbours holds the pair of {left!r} with itself; accepted: two inputs that differ")
        pairs.setdefault(frozenset((left, right)), (left, right))
    if not pairs:
        raise ParameterError("neighbours is empty; accepted: at least one pair of inputs")
    if len({isinstance(left, int) for left, _ in pairs.values()}) > 1:
        raise ParameterError("neighbours holds counts and datasets; accepted: inputs of one kind")
    return tuple(pairs.values())


def _sequence(value: object, refusal: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise ParameterError(refusal)
    return value


def _input(value: object) -> Any:  # noqa: ANN401  # a count, or rows
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if not isinstance(value, list | tuple):
        raise ParameterError(f"neighbours names {value!r:.60}, which is no input; {_INPUT}")
    rows = tuple(as_row(row) for row in value)
    try:
        hash(rows)
    except TypeError as error:
        raise ParameterError(f"neighbours names {value!r:.60}: {error}; {_INPUT}") from None
    return rows


def _parameters(function: Callable[..., Any]) -> int:
    """How many arguments a function must be given. Raises: ParameterError where that is not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ParameterError(
            "the arguments of the function of neighbours are not known; accepted: a function of Python"
        ) from None
    return sum(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _by_predicate(
    function: Callable[..., Any], form: Neighbours, universe: tuple[Hashable, ...], n: int | None, most: int
) -> tuple[tuple[Any, Any], ...]:
    """The pairs of which a function says, in either order, that they are neighbours."""
    if n is None:
        raise ParameterError("n is missing: a function of two inputs is asked about all that there are; accepted: a number")
    if form != "counts" and not universe:
        raise ParameterError("the universe is missing; accepted: the labels that a row may have, such as universe=[0, 1]")
    inputs = all_inputs(form, universe, integer(n, "n", at_least=0), most)

    def near(left: Any, right: Any) -> bool:  # noqa: ANN401  # inputs
        answer = answer_at(function, "neighbours", left, right)
        plain = answer.item() if getattr(answer, "shape", None) == () else answer  # numpy's bool
        if not isinstance(plain, bool):
            raise ParameterError(f"`neighbours` says {answer!r:.60} of {left!r} and {right!r}; accepted: True or False")
        return plain

    pairs = tuple(_pairs_that_are(near, inputs))
    if not pairs:
        raise ParameterError("`neighbours` says of no two inputs that they are neighbours; accepted: a larger universe or n")
    return pairs


def _pairs_that_are(near: Callable[[Any, Any], bool], inputs: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    for left, right in combinations(inputs, 2):
        if near(left, right) or near(right, left):
            yield left, right
