"""The real numpy on the words of a path: a bit generator of our own feeds numpy's C code.

For each path of an exploration it gives words from the two ends of the intervals that the path confines its draws to, and
numpy's output has to be the path's.
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.other_randomness import exploring
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn
from finitedp.proofs_check.engine.stand_ins.outputs import freeze
from finitedp.spec.pmf import Pmf

U64 = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
U32 = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)
DOUBLE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)


class Interface(ctypes.Structure):
    """bitgen_t of numpy/random/bitgen.h."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("next_uint64", U64),
        ("next_uint32", U32),
        ("next_double", DOUBLE),
        ("next_raw", U64),
    )


class Given:
    """A bit generator of numpy whose draws are given: pairs (value from 0, number of values).

    lemire: whether the code takes the high bits of word * number, else the low bits of the word.
    """

    def __init__(self, draws: list[tuple[int, int]], *, lemire: bool) -> None:
        self.left = [(value, number) for value, number in draws if number > 1]  # numpy draws nothing for one value
        self.lemire = lemire
        self.lock = threading.Lock()
        self.interface = Interface(
            None,
            U64(lambda _state: self.word(64)),
            U32(lambda _state: self.word(32)),
            DOUBLE(lambda _state: self.left.pop(0)[0] * 2.0**-53),
            U64(lambda _state: self.word(64)),
        )
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        self.capsule = new(ctypes.addressof(self.interface), b"BitGenerator", None)

    def word(self, bits: int) -> int:
        """A word of which the code makes the value, without rejecting it."""
        value, number = self.left.pop(0)
        return -(-((value << bits) + number) // number) if self.lemire else value


def given_draws(draws: list[tuple[int, int]], *, lemire: bool = True) -> Any:
    """What numpy takes for a bit generator."""
    return Given(draws, lemire=lemire)


def as_numpy_has_it(program: Callable[[Any], Any], *, legacy: bool = False, lemire: bool = True) -> Pmf[Any]:
    """The law by the stand-in, each path compared with numpy itself."""
    stand_in = RandomStateStandIn if legacy else GeneratorStandIn

    def explored(coins: Any) -> Any:
        exploring.coins = coins
        output = program(stand_in(coins))
        coins.finished = True
        return freeze(output)

    try:
        found = explore(explored, keep_paths=True)
    finally:
        exploring.coins = None
    for path in found.paths:
        for end in (0, 1):
            given = given_draws([(int(draw[end] or 0) - 1, int(draw[2])) for draw in path.draws], lemire=lemire)
            kind = np.random.RandomState if legacy else np.random.Generator
            assert freeze(program(kind(given))) == path.output, path
            assert not given.left
    return found.law()
