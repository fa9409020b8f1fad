"""All inputs of a small universe and their neighbouring pairs, as lists, for whoever looks at each of them."""

from collections.abc import Hashable, Sequence
from typing import Any

from finitedp.claim import Neighbours, check_neighbours
from finitedp.errors import ParameterError
from finitedp.spec.neighbours import inputs, neighbouring_inputs


def all_inputs(relation: Neighbours, universe: Sequence[Hashable], n: int, most: int) -> list[Any]:
    """spec.neighbours.inputs as a list. Raises: ParameterError for more than `most` inputs, or what is no universe."""
    hint = f"more than {most:,}: take a smaller"
    if check_neighbours(relation) == "counts":
        if n >= most:
            raise ParameterError(f"that is {n + 1:,} counts, {hint} n, or raise the budget of inputs")
        return list(inputs((), n, relation))
    if len(universe) > most or n > most:
        raise ParameterError(f"that is about {len(universe):,}^{n:,} datasets: take a smaller universe or smaller n")
    number = sum(len(universe) ** size for size in (range(n + 1) if relation == "add-remove" else (n,)))
    if number > most:
        shown = f"{number:,}" if number < 10**15 else f"about 2^{number.bit_length() - 1}"
        raise ParameterError(f"that is {shown} datasets, {hint} universe or smaller n, or raise the budget of inputs")
    return list(inputs(universe, n, relation))


def neighbouring(relation: Neighbours, universe: Sequence[Hashable], n: int) -> list[tuple[Any, Any]]:
    """spec.neighbours.neighbouring_inputs as a list. Raises: ParameterError if there are none."""
    if relation != "counts" and not universe:
        raise ParameterError("the universe is missing; accepted: the labels that a row may have, such as universe=[0, 1]")
    pairs = list(neighbouring_inputs(universe, n, relation))
    if not pairs:
        larger = "n of at least 1" if relation == "counts" else "a larger universe or n"
        raise ParameterError(f"there are no neighbouring inputs; accepted: {larger}")
    return pairs
