"""Broken copies of classes, which checks must reject: each is its original but for the attributes that are named."""

from typing import Any, TypeVar, cast

T = TypeVar("T")


def altered(kind: type[T], **attributes: Any) -> type[T]:  # noqa: ANN401  # methods, properties and constants
    """A subclass with these attributes in place of its own; what it had is `kind.name`, called with the object."""
    return cast(type[T], type(f"Altered{kind.__name__}", (kind,), attributes))
