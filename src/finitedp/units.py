"""The privacy unit: whose rows are protected together, and how many of them a release lets in."""

from collections.abc import Mapping
from typing import Any

from attrs import asdict, field, fields, frozen

from finitedp.errors import ParameterError
from finitedp.exact import integer

__all__ = ["MOST_ROWS_OF_A_UNIT", "Unit"]

MOST_ROWS_OF_A_UNIT = 10**6


def _column(value: str) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"unit = {value!r} is not a string; accepted: the name of the column that says whose a row is")
    return value


@frozen
class Unit:
    """All rows that have one value in a column: whose they are. A release lets in only some of each unit.

    Source: FD.Unit.bounding, FD.Unit.ratio, FD.Unit.stability.
    Parameters: column, its name; max_labels, how many different labels of a unit count; max_rows_per_label, how many of its
    rows of one label; max_rows, how many of its rows in all: integers from 1 to 10^6, each None where it does not matter.
    Something has to bound the rows in all: max_rows, or both of the others. bounded, whether the caller promises that no unit
    of the data has more, so that no row is left out: then the claim is about such data alone.
    Raises: ParameterError.
    """

    column: str = field(converter=_column)
    max_labels: int | None = None
    max_rows_per_label: int | None = None
    max_rows: int | None = None
    bounded: bool = False

    def __attrs_post_init__(self) -> None:
        for name in ("max_labels", "max_rows_per_label", "max_rows"):
            value = getattr(self, name)
            if value is not None:
                integer(value, name, 1, MOST_ROWS_OF_A_UNIT)
        if not isinstance(self.bounded, bool):
            raise ParameterError(f"bounded = {self.bounded!r} is not a bool; accepted: True or False")
        if self.max_rows is None and (self.max_labels is None or self.max_rows_per_label is None):
            raise ParameterError(
                f"nothing bounds how many rows of a unit ({self.column}) count; accepted: max_rows, or both max_labels and "
                "max_rows_per_label"
            )
        integer(self.rows, "max_labels * max_rows_per_label", 1, MOST_ROWS_OF_A_UNIT)

    @property
    def rows(self) -> int:
        """How many rows of a unit count at most."""
        product = (self.max_labels or 0) * (self.max_rows_per_label or 0) or self.max_rows
        return min(bound for bound in (product, self.max_rows) if bound is not None)

    @property
    def labels(self) -> int:
        """In how many labels they are at most."""
        return min(self.max_labels or self.rows, self.rows)

    @property
    def rows_per_label(self) -> int:
        """How many of them have one label at most."""
        return min(self.max_rows_per_label or self.rows, self.rows)

    @property
    def whose(self) -> str:
        """Whose rows are protected, whatever counts of them: the column; and what is promised of them, where something is."""
        return str(self) if self.bounded else self.column

    def as_json(self) -> dict[str, str | int | bool | None]:
        """The unit as a JSON object: null for a bound that is not given."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Unit":
        """The unit that as_json wrote. Raises: ParameterError."""
        names = [attribute.name for attribute in fields(cls)]
        if not isinstance(document, Mapping) or set(document) != set(names):
            raise ParameterError(f"a Unit in JSON has the keys {', '.join(names)}; found: {document!r:.100}")
        return cls(**document)

    def __str__(self) -> str:
        """Such as: person (max_labels 3, max_rows_per_label 4)."""
        given = ((name, getattr(self, name)) for name in ("max_labels", "max_rows_per_label", "max_rows"))
        bounds = ", ".join(f"{name} {bound}" for name, bound in given if bound is not None)
        return f"{self.column} ({bounds}{', as promised' if self.bounded else ''})"
