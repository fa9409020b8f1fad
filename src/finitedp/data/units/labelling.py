"""The labels of rows whose units choose among them: of one column or several, or by a function of their values.

A label is made before any row is chosen, of the row's own values: rows of which a unit may have one only would otherwise
become two of one label, or count for labels that they do not have. Where there is no universe, the label that is hashed is
the text of the values, and not their number among those that occur, which other units' rows would change.
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from attrs import frozen

from finitedp.data.exact_labels import EXACT, INTEGERS

__all__ = ["Code", "Labelling", "is_text", "kind_of", "text_of", "values_of"]

Code = Callable[[tuple[Any, ...]], int | str | None]
"""The label of a row's values; None where the row counts for none."""

_EMPTY, _APART = "", "|"


@frozen
class Labelling:
    """The columns whose values are a row's label, and what makes the label of them.

    Parameters: columns; code, None where the label is the value itself, or of several columns the text of them. Two rows have
    one label if and only if code says so: it looks at nothing but the values.
    """

    columns: tuple[str, ...]
    code: Code | None = None

    @property
    def what(self) -> str:
        """The columns, for messages."""
        return ", ".join(self.columns)

    def plain(self, kinds: Sequence[str]) -> bool:
        """Whether labels are the values of one column of text or integers. Parameters: kinds, of the columns."""
        return self.code is None and len(self.columns) == 1 and kinds[0] not in EXACT


def is_text(kind: str) -> bool:
    """Whether a column of a type (engines.type_of) is of text."""
    return kind_of(kind) is str


def kind_of(kind: str) -> type:
    """The type of the labels of a column of a type."""
    return int if kind.startswith(INTEGERS) else {"Boolean": bool, "Date": date}.get(kind, str)


def text_of(values: tuple[Any, ...]) -> str:
    """A text for each tuple of texts, integers, booleans and dates, and no two of them alike; of ASCII, without quotes."""
    return _APART.join(map(_one, values))


def _one(value: Any) -> str:  # noqa: ANN401  # of a label's types
    if isinstance(value, str):
        return "s" + value.encode("utf-8", "surrogatepass").hex().upper()
    if isinstance(value, bool):
        return f"b{value}".lower()
    return f"i{value}" if isinstance(value, int) else f"d{value.isoformat()}"


def values_of(text: str) -> tuple[Any, ...]:
    """The tuple of a text of text_of."""
    return tuple(map(_value, text.split(_APART))) if text else ()


def _value(text: str) -> Any:  # noqa: ANN401  # as above
    kind, rest = text[0], text[1:]
    if kind == "s":
        return bytes.fromhex(rest).decode("utf-8", "surrogatepass")
    if kind == "b":
        return rest == "true"
    return int(rest) if kind == "i" else date.fromisoformat(rest)
