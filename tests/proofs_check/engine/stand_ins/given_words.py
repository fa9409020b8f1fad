"""The real numpy on the words of a path: a bit generator of our own feeds numpy's C code.

For each path of an exploration it gives words from the two ends of the intervals that the path confines its draws to, and
numpy's output has to be the path's.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.other_randomness import exploring
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn
from finitedp.proofs_check.engine.stand_ins.outputs import freeze
from finitedp.proofs_check.engine.stand_ins.replay.given_words import Given, first_word
from finitedp.spec.pmf import Pmf


class GivenDraws(Given):
    """A bit generator of numpy whose draws are given: pairs (value from 0, number of values).

    lemire: whether the code takes the high bits of word * number, else the low bits of the word.
    """

    def __init__(self, draws: list[tuple[int, int]], *, lemire: bool) -> None:
        super().__init__(self.word)
        self.left = [(value, number) for value, number in draws if number > 1]  # numpy draws nothing for one value
        self.lemire = lemire

    def word(self, bits: int) -> int:
        """A word of which the code makes the value, without rejecting it."""
        value, number = self.left.pop(0)
        return first_word(value, number, bits) if self.lemire and bits != 53 else value


def given_draws(draws: list[tuple[int, int]], *, lemire: bool = True) -> Any:
    """What numpy takes for a bit generator."""
    return GivenDraws(draws, lemire=lemire)


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
