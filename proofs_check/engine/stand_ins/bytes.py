"""Random bytes that are not decided yet: what os.urandom() and randbytes() give.

The first use says how they are drawn: int.from_bytes() reads them as one uniform integer, an index or an iteration as
uniform bytes. int.from_bytes() itself is the interpreter's; while code is explored the entry of that name in the type int is
ours, and answers for these bytes alone.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import py_object, pythonapi
from typing import Any, cast

from finitedp.proofs_check.engine.stand_ins.floats import follow_floats
from finitedp.proofs_check.engine.stand_ins.refusing import refuse


def whole(coins: Any, n: int) -> int:
    """Uniform on 0..n - 1: from the explorer's coins a number at once where it has few values."""
    return cast(int, coins.whole(n) if hasattr(coins, "whole") else coins.uniform(n) - 1)


class LazyBytes:
    """n uniform bytes.

    What is neither int.from_bytes() nor an index nor one or two bytes is refused, at the latest at the run's end.
    """

    __slots__ = ("_bytes", "_coins", "_n", "_order", "_whole")

    def __init__(self, coins: Any, n: int) -> None:
        self._coins = coins
        self._n = n
        self._whole: int | None = None
        self._order = "big"
        self._bytes: list[int] | None = None

    @classmethod
    def drawn(cls, coins: Any, n: int) -> bytes:
        """n fresh bytes, which the run has to read. Raises: ValueError for n < 0."""
        if n < 0:
            raise ValueError("negative argument not allowed")
        if n == 0:
            return b""
        if 256**n <= getattr(getattr(coins, "rules", None), "at_once", 0):
            return whole(coins, 256**n).to_bytes(n, "big")
        if hasattr(coins, "plain_bytes"):
            return cast(bytes, coins.plain_bytes(n))
        made = cls(follow_floats(coins), n)
        if hasattr(coins, "bytes_drawn"):
            coins.bytes_drawn.append(made)
        return cast(bytes, made)

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return bytes

    @property
    def unread(self) -> bool:
        """Whether nothing says yet how they are drawn."""
        return self._whole is None and self._bytes is None

    def as_integer(self, byteorder: str, *, signed: bool) -> int:
        """What int.from_bytes() makes of them."""
        if byteorder not in ("big", "little"):
            raise ValueError("byteorder must be either 'little' or 'big'")
        if self.unread:
            self._whole, self._order = self._coins.bits(8 * self._n), byteorder
        if self._whole is None or (self._order != byteorder and self._n > 1):
            return int.from_bytes(self.decided(), cast(Any, byteorder), signed=signed)
        value = self._whole
        return value - (1 << 8 * self._n) if signed and value >= 1 << (8 * self._n - 1) else value

    def _parts(self) -> list[int]:
        """The bytes, each a draw of its own where they were not read as one integer before."""
        if self.unread:
            self._bytes = [whole(self._coins, 256) for _ in range(self._n)]
        elif self._bytes is None:
            self._bytes = list(int(cast(int, self._whole)).to_bytes(self._n, cast(Any, self._order)))
        return self._bytes

    def decided(self) -> bytes:
        """The bytes themselves: a branch for each of their values."""
        if self._n > 2 and self._bytes is None:
            refuse(self._coins, f"needs the values of {self._n} random bytes", "int.from_bytes() of them, or at most two")
        return bytes(int(byte) for byte in self._parts())

    def at(self, value_of: Callable[[Any], int]) -> bytes:
        """The bytes, once they were read, at given values of their draws."""
        if self._whole is not None:
            return value_of(self._whole).to_bytes(self._n, cast(Any, self._order))
        return bytes(map(value_of, self._bytes or ()))

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, place: Any) -> Any:
        return self._parts()[place] if not isinstance(place, slice) else bytes(int(byte) for byte in self._parts()[place])

    def __iter__(self) -> Iterator[int]:
        return iter(self._parts())

    def __bytes__(self) -> bytes:
        return self.decided()

    def __eq__(self, other: object) -> bool:
        return self.decided() == other

    def __hash__(self) -> int:
        return hash(self.decided())

    def __repr__(self) -> str:
        return repr(self.decided())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.decided().__reduce_ex__(protocol)

    def __copy__(self, _known: object = None) -> "LazyBytes":
        return self

    __deepcopy__ = __copy__

    def __getattr__(self, name: str) -> Any:
        return getattr(self.decided(), name)


def refuse_unread(coins: Any) -> None:
    """Bytes that were drawn and then used in a way that is not seen. Raises: ExplorationError."""
    if any(drawn.unread for drawn in getattr(coins, "bytes_drawn", ())):
        refuse(
            coins,
            "draws random bytes and uses them otherwise than by int.from_bytes() or one by one",
            following="next: secrets.randbits()",
        )


def _from_bytes(cls: type[int], bytes: Any, byteorder: str = "big", *, signed: bool = False) -> int:  # noqa: A002  # its name
    if type(bytes) is LazyBytes:
        value = bytes.as_integer(byteorder, signed=signed)
        return value if cls is int else cls(value)
    return cast(int, _FROM_BYTES.__get__(None, cls)(bytes, byteorder, signed=signed))


_FROM_BYTES: Any = int.__dict__["from_bytes"]


@contextmanager
def integers_from_lazy_bytes() -> Iterator[None]:
    """int.from_bytes() reads lazy bytes within."""
    table = gc.get_referents(int.__dict__)[0]
    table["from_bytes"] = classmethod(_from_bytes)
    pythonapi.PyType_Modified(py_object(int))
    try:
        yield
    finally:
        table["from_bytes"] = _FROM_BYTES
        pythonapi.PyType_Modified(py_object(int))
