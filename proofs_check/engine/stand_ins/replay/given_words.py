"""Words that numpy is given: a bit generator of our own, and coins that write down of which words numpy makes their draws."""

import ctypes
import threading
from collections.abc import Callable, Iterator
from itertools import count
from typing import Literal

from finitedp.proofs_check.engine.stand_ins.chains import WORD

Way = Literal["lemire", "masked", "double"]
"""How numpy makes a value of 0..d - 1 of a word: the high bits of word * d, the low bits of the word, or a word of 53 bits."""

_U64 = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
_U32 = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)
_DOUBLE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)
_NAME = b"BitGenerator"  # capsules keep where it is


class _Interface(ctypes.Structure):
    """bitgen_t of numpy/random/bitgen.h."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("next_uint64", _U64),
        ("next_uint32", _U32),
        ("next_double", _DOUBLE),
        ("next_raw", _U64),
    )


class Given:
    """What numpy takes for a bit generator. Parameters: word, the next one of so many bits: 32, 64, or 53 for a double."""

    def __init__(self, word: Callable[[int], int]) -> None:
        self.lock = threading.Lock()
        self._interface = _Interface(
            None,
            _U64(lambda _state: word(64)),
            _U32(lambda _state: word(32)),
            _DOUBLE(lambda _state: word(WORD) * 2.0**-WORD),
            _U64(lambda _state: word(64)),
        )
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        self.capsule = new(ctypes.addressof(self._interface), _NAME, None)


def first_word(value: int, d: int, bits: int) -> int:
    """The first word w with w * d >> bits == value that Lemire's method does not reject."""
    word = -(-(value << bits) // d)
    return word if word * d % (1 << bits) >= (1 << bits) % d else word + 1


def _mixed(*numbers: int) -> int:
    """Words of 64 bits without a pattern, always the same ones."""
    word = 0
    for number in numbers:
        word = (word ^ number) * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03 & (1 << 64) - 1
        word ^= word >> 29
    return word


class Written:
    """Coins that write down of which words numpy makes what they draw.

    Parameters: way; narrow, the bits of a whole number of a type of fewer than 32; near, words at which outcomes turn; turn,
    which of the draws and words it begins with.
    """

    def __init__(self, way: Way, narrow: int | None = None, near: tuple[int, ...] = (), turn: int = 0) -> None:
        self._way, self._narrow, self._near, self._turn = way, narrow, near, turn
        self._drawn = 0
        self._parts: list[tuple[int, int]] = []
        self.failed = False

    def uniform(self, d: int) -> int:
        """One of 1..d."""
        if d == 1:
            return 1  # numpy draws nothing for it
        self._drawn += 1
        turn = self._turn + self._drawn
        bits = WORD if self._way == "double" else self._narrow or (32 if d <= 1 << 32 else 64)
        value, rejected, word = getattr(self, f"_{self._way}")(d, bits, turn, _mixed(self._turn, self._drawn))
        self._parts += [(bits, one) for one in (*rejected, word)]
        return int(value) + 1

    def _double(self, d: int, bits: int, turn: int, mixed: int) -> tuple[int, list[int], int]:
        values = [0, d - 1, mixed % d, *(word for word in self._near if word < d)]
        value = values[turn % len(values)]
        return value, sorted({d, (1 << bits) - 1}) if d < 1 << bits and turn % 2 else [], value

    def _lemire(self, d: int, bits: int, turn: int, mixed: int) -> tuple[int, list[int], int]:
        size, value = 1 << bits, [0, d - 1, mixed % d][turn % 3]
        words = [first_word(value, d, bits), (((value + 1) << bits) - 1) // d]
        rejected = [0] if size % d else []
        if d % 2 and turn % 4 == 0:  # the last that is rejected, and the first that is not
            inverse = pow(d, -1, size)
            rejected += [inverse * (size % d - 1) % size]
            words = [inverse * (size % d) % size]
            value = words[0] * d >> bits
        return value, rejected if turn % 2 == 0 else [], words[turn // 2 % len(words)]

    def _masked(self, d: int, bits: int, turn: int, mixed: int) -> tuple[int, list[int], int]:
        mask = (1 << (d - 1).bit_length()) - 1
        above, value = mixed & (1 << bits) - 1 & ~mask, [0, d - 1, mixed % d][turn % 3]
        return value, [d | above, mask | above] if d <= mask and turn % 2 else [], value | above

    def plain_bytes(self, n: int) -> bytes:
        """n bytes: those of words of 32 bits, the lowest first."""
        words = [_mixed(self._turn, place) >> 32 for place in range(-(-n // 4))]
        self._parts += [(32, word) for word in words]
        return b"".join(word.to_bytes(4, "little") for word in words)[:n]

    def words(self) -> Iterator[tuple[int, int]]:
        """(bits, word) as numpy asks for them: of narrow numbers as many as 32 bits have room for, the first lowest."""
        if self._narrow is None:
            yield from self._parts
        else:
            room = 32 // self._narrow
            for first in range(0, len(self._parts), room):
                part = enumerate(self._parts[first : first + room])
                yield 32, sum(word << place * bits for place, (bits, word) in part)

    def given(self) -> Given:
        """numpy's bit generator of these words. It fails where more are asked for, or others."""
        self._left = list(self.words())[::-1]
        others = count(1)

        def word(bits: int) -> int:
            if self._left and self._left[-1][0] == bits:
                return self._left.pop()[1]
            self.failed = True
            return _mixed(next(others)) >> 64 - bits  # numpy would go on for ever with none that it accepts

        return Given(word)

    def all_taken(self) -> bool:
        """Whether numpy took all words, and no others."""
        return not (self.failed or self._left)
