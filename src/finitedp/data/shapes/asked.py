"""What is asked for by column: universes and bins, in the order of the columns or by name, or tuples that are listed."""

from collections.abc import Mapping, Sequence
from typing import Any

from finitedp.data.shapes.parts import Bins, Product
from finitedp.errors import ParameterError
from finitedp.impl.histograms.universe import Listed, Strings
from finitedp.labels import shown

__all__ = ["CATEGORIES", "by_column", "universes_of"]

CATEGORIES = "categories"


def by_column(given: Any, names: Sequence[str], what: str) -> list[Any]:  # noqa: ANN401
    """What is given for each column; None where nothing is."""
    if given is None:
        return [None] * len(names)
    if not isinstance(given, Mapping):
        raise ParameterError(f"{what} = {shown(given)} is not by column; accepted: such as {what}={{'age': [0, 18, 65]}}")
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ParameterError(f"{what} has {shown(unknown[0])}, which is none of the columns {', '.join(names)}")
    return [given.get(name) for name in names]


def universes_of(universe: Any, names: tuple[str, ...], edges: list[Any]) -> tuple[Listed[Any] | None, list[Any]]:  # noqa: ANN401
    """The universe of each column, bins included; or listed tuples."""
    width = len(names)
    if isinstance(universe, Product):
        universe = list(universe.parts)
    elif isinstance(universe, Mapping):
        universe = by_column(universe, names, "universe")
    elif isinstance(universe, str) and universe == CATEGORIES:
        universe = [None if edge is not None else CATEGORIES for edge in edges]
    elif universe is not None:
        universe = _sequence(universe)
        if _are_labels(universe, width):
            if any(edge is not None for edge in edges):
                raise ParameterError("bins need a universe for each column; accepted: such a one, and no listed tuples")
            return Listed(universe), []
        if len(universe) != width:
            raise ParameterError(
                f"universe has {len(universe)} parts, and there are {width} columns; accepted: one for each, such as "
                "[['f', 'm'], range(0, 100)], or a list of tuples"
            )
    found = [None] * width if universe is None else universe
    for name, part, edge in zip(names, found, edges, strict=True):
        if part is not None and edge is not None:
            raise ParameterError(f"bins of {name!r} are its universe; accepted: None as the universe of that column")
    return None, [part if edge is None else Bins(edge) for part, edge in zip(found, edges, strict=True)]


def _sequence(universe: Any) -> list[Any]:  # noqa: ANN401
    if isinstance(universe, str | bytes | range | Strings | set | frozenset) or not hasattr(universe, "__iter__"):
        raise ParameterError(
            f"universe is {shown(universe)}; accepted: one for each column, such as [['f', 'm'], range(0, 100)], or a list of "
            "tuples"
        )
    return list(universe)


def _are_labels(universe: list[Any], width: int) -> bool:
    """Whether a universe lists tuples. Raises: ParameterError where it may be both, or tuples are of different lengths."""
    if not universe or not all(isinstance(label, tuple) for label in universe):
        return False
    fit = {len(label) == width for label in universe}
    if len(universe) == width and fit == {True}:
        raise ParameterError(
            f"universe may list {width} labels, or the labels of {width} columns; accepted: a list of lists for the columns"
        )
    if fit == {True}:
        return True
    if len(universe) == width:
        return False
    wrong = next(label for label in universe if len(label) != width)
    raise ParameterError(f"universe holds {shown(wrong)}, of {len(wrong)} values; accepted: tuples of {width}, as columns")
