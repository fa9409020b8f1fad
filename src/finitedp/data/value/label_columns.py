"""Labels as columns of a frame or a file, one for each of their parts, and back."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal

from attrs import frozen

from finitedp.data.columns import Label
from finitedp.data.parquet import ParquetColumn, Stored
from finitedp.errors import DataError, ParameterError
from finitedp.labels import as_utf_8, is_utf_8

__all__ = ["NUMBERS", "Kind", "LabelColumn", "label_column", "label_columns", "read_column"]

NUMBERS = ("count", "low", "high")
"""The columns beside those of the labels."""

Kind = Literal["integer", "boolean", "date", "text"]
_KINDS: dict[type, Kind] = {int: "integer", bool: "boolean", date: "date", str: "text"}
_STORED: dict[str, Stored] = {"integer": "BIGINT", "boolean": "BOOLEAN", "date": "DATE", "text": "VARCHAR"}
_ESCAPED = re.compile(rb"\\(?:(\\)|x([0-9a-f]{2}))")


@frozen
class LabelColumn:
    r"""A column of labels, or of a part of them, and what its values stand for.

    kind: what they are; None where integers and dates are in one column, which nothing reads again. text: which of them are
    text, where others are not: all of them are stored as text then. escaped: whether bytes that are not UTF-8 are \xNN, and
    backslashes doubled.
    """

    column: ParquetColumn
    kind: Kind | None
    text: Sequence[str] = ()
    escaped: bool = False

    @property
    def plain(self) -> bool:
        """Whether the values are as they were, or those of several types as text."""
        return not self.escaped and (self.kind != "integer" or self.column.kind == "BIGINT" or bool(self.text))

    def about(self) -> dict[str, Any]:
        """All but the values, for a document. Raises: ParameterError."""
        if self.kind is None:
            raise ParameterError(f"{self.column.name!r} has integers and dates; accepted: one of them, or a .json file")
        more = ({"text": list(self.text)} if self.text else {}) | ({"escaped": True} if self.escaped else {})
        return {"name": self.column.name, "kind": self.kind, **more}


def label_columns(labels: Sequence[Label], columns: Sequence[str]) -> list[LabelColumn]:
    """One for each part of the labels; for labels without parts, one by the name `label`.

    Parameters: columns, the names of the parts; none of labels without parts. Raises: ParameterError for labels that a
    column cannot hold, such as 1 beside "1".
    """
    held = list(labels)
    width = max(len(columns), len(held[0]) if held and isinstance(held[0], tuple) else 0)
    parts = [[label[i] for label in held] for i in range(width)] if width else [held]  # type: ignore[index]  # tuples
    return [label_column(name, part) for name, part in zip(_names(columns, width), parts, strict=True)]


def _names(columns: Sequence[str], width: int) -> list[str]:
    """The columns' own names, where they are known and no other's."""
    if not width:
        return ["label"]
    known = len(columns) == width and not set(columns) & set(NUMBERS)
    return list(columns) if known else [f"label_{i + 1}" for i in range(width)]


def label_column(name: str, values: list[Any]) -> LabelColumn:
    """A column by the types of its values: integers beside text, such as one label for all others, are stored as text."""
    types = set(map(type, values))
    if types in ({bool}, {date}) or (types == {int} and all(-(2**63) <= value < 2**63 for value in values)):
        kind = _KINDS[types.pop()]
        return LabelColumn(ParquetColumn(name, _STORED[kind], values), kind)
    if not types <= {int, str, date}:
        raise ParameterError("the labels do not fit into a column of one type; accepted: such labels, or as_dict()")
    texts = list(map(_written, values))
    own = sorted({value for value in values if isinstance(value, str)})
    escaped = types == {str} and not all(map(is_utf_8, own))
    if not escaped and not all(map(is_utf_8, texts)):
        raise ParameterError("the labels are not all text, and one has bytes that are not UTF-8; accepted: text, or as_dict()")
    if escaped:
        texts = list(map(as_utf_8, texts))
    if len(set(texts)) < len(set(values)):
        raise ParameterError("two labels are the same text, such as 1 and '1'; accepted: labels of one type, or as_dict()")
    stored = ParquetColumn(name, "VARCHAR", texts)
    others = types - {str}
    if not others:
        return LabelColumn(stored, "text", escaped=escaped)
    return LabelColumn(stored, _KINDS[others.pop()] if len(others) == 1 else None, own)


def _written(value: Any) -> str:  # noqa: ANN401  # an integer, text or a date
    try:
        return str(value)
    except ValueError as error:
        raise ParameterError(f"a label cannot be written: {error}; accepted: integers of up to 4300 digits") from None


def read_column(column: ParquetColumn, about: Mapping[str, Any]) -> list[Any]:
    """The values of a column, of which `about` was written, as a JSON document has them. Raises: DataError, ValueError."""
    kind, text, escaped = str(about.get("kind")), about.get("text", []), about.get("escaped", False)
    if kind not in _STORED or column.name != about.get("name") or column.kind not in ("VARCHAR", _STORED[kind]):
        raise DataError(f"the column {column.name!r} of type {column.kind} is not the one that was written")
    if None in column.values:
        raise DataError(f"the column {column.name!r} has a null")
    if kind == "text":
        return [_with_bytes(value) for value in column.values] if escaped else list(column.values)
    return [value if value in text else _of(kind, value) for value in column.values]


def _of(kind: str, value: Any) -> Any:  # noqa: ANN401  # as a file has it
    """A value that is no text, of a column of it or of text."""
    if kind == "date":
        return {"date": value if isinstance(value, str) else value.isoformat()}
    return int(value) if isinstance(value, str) else value


def _with_bytes(text: str) -> str:
    """The label that labels.as_utf_8 wrote."""
    raw = _ESCAPED.sub(lambda found: found[1] or bytes.fromhex(found[2].decode()), text.encode())
    return raw.decode("utf-8", "surrogateescape")
