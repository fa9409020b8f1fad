"""Universes that read texts in some way, for the twins of the claims on labels."""

from collections.abc import Callable, Hashable
from typing import Any

from attrs import frozen

from finitedp.errors import DataError
from finitedp.impl.histograms.universe import Universe


@frozen
class ReadAs:
    """Broken: texts are read in some way before they are looked up."""

    inner: Universe[Any]
    read: Callable[[str], str]

    @property
    def size(self) -> int:
        return self.inner.size

    def index(self, label: Any) -> int:  # noqa: ANN401  # as of a universe
        """The position of what is read."""
        return self.inner.index(self.read(label) if isinstance(label, str) else label)

    def label(self, index: int) -> Any:  # noqa: ANN401  # as of a universe
        """The label at a position."""
        return self.inner.label(index)


def by_its_bytes(text: str) -> str:
    """Broken, as it was: whatever has the same bytes is one text."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text


def index_of(universe: Universe[Any], label: Hashable) -> int | None:
    """The index of a label, None where it is refused."""
    try:
        return universe.index(label)
    except DataError:
        return None
