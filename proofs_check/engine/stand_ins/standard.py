"""What explored code gets in place of random.Random: the standard library's own methods, over lazy draws.

Three methods are ours: random(), a word of 53 bits; getrandbits(); and _randbelow(), exactly uniform as the rejection that
stands behind it is. All others are the very functions of the installed module random, run on lazy values, so that choices()
with weights has the law of its floats and shuffle() that of its swaps.
"""

import random as standard
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NoReturn, SupportsIndex, cast

from finitedp.errors import ExplorationError
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.lazy.frames import COPIES
from finitedp.proofs_check.engine.stand_ins.bytes import LazyBytes, whole
from finitedp.proofs_check.engine.stand_ins.exploring import noise_of
from finitedp.proofs_check.engine.stand_ins.floats import WORD, follow_floats, of_word
from finitedp.proofs_check.engine.stand_ins.refusing import NEXT, ContinuousNoiseError, refuse

TAKEN_OVER = [
    "randrange",
    "randint",
    "choice",
    "shuffle",
    "sample",
    "choices",
    "triangular",
    "paretovariate",
    "weibullvariate",
    "binomialvariate",
]
TWO_DRAWS = ["normalvariate", "gauss", "lognormvariate", "gammavariate", "betavariate", "vonmisesvariate"]
"""Methods that combine draws by more than comparisons."""
CONTINUOUS = {"laplace", "exponential", "gumbel", "normal", "standard_normal", "standard_exponential", "randn"}
CONTINUOUS |= {"gauss", "normalvariate"}
"""Methods of the sources that an audit of a pipeline takes for ideal noise."""


_UNIFORM, _EXPOVARIATE = standard.Random.uniform, standard.Random.expovariate


class Source:
    """What stands in for a generator of a library. Parameters: coins, the explorer's."""

    _explored = True
    stands_for: ClassVar[type]
    not_followed = "uses numpy's {kind}.{name}, which is not followed exactly"

    def __init__(self, coins: Coins) -> None:
        self._coins = follow_floats(coins)

    @property  # type: ignore[misc]  # what isinstance looks at
    def __class__(self) -> type:
        return self.stands_for

    def on(self, coins: Coins) -> "Source":
        """The same kind of source on other coins."""
        return type(self)(coins)

    def _word(self) -> Any:
        """A multiple of 2^-53, uniform on 0..1 - 2^-53."""
        return of_word(self._coins, self._coins.uniform(1 << WORD) - 1)

    def __reduce_ex__(self, _protocol: SupportsIndex) -> NoReturn:
        self._refuse(COPIES, following="next: one generator, drawn from where it stands")

    def _refuse(self, what: str, following: str = NEXT) -> NoReturn:
        refuse(self._coins, what, following=following)

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self.stands_for, name) or name.startswith("_"):
            raise AttributeError(name)
        noise = noise_of(self._coins)
        if noise is not None and name in noise.methods:
            return partial(noise.methods[name], noise)
        what = self.not_followed.format(name=name, kind=self.stands_for.__name__)
        refuse(self._coins, what, following=NEXT, kind=ContinuousNoiseError if name in CONTINUOUS else ExplorationError)

    def _continuous(self, name: str) -> Callable[..., Any] | None:
        """What draws by ideal noise where this is asked for, of a method that is followed exactly elsewhere."""
        noise = noise_of(self._coins)
        return None if noise is None else partial(noise.methods[name], noise)


def method_of(kind: type[Source], name: str) -> Callable[..., Any]:
    """A method of a stand-in, as a function of the coins and its arguments."""
    return lambda coins, *arguments, **named: getattr(kind(coins), name)(*arguments, **named)


class StandIn(Source):
    """random.Random for explored code: the same methods, drawn from coins."""

    stands_for = standard.Random
    not_followed = "uses random.{name}(), which cannot be followed exactly: it combines draws by more than comparisons"
    gauss_next = None

    def random(self) -> Any:
        """A multiple of 2^-53, uniform on 0..1 - 2^-53."""
        return self._word()

    def getrandbits(self, k: int) -> int:
        """Uniform on 0..2^k - 1. Raises: ValueError for k < 0."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        return whole(self._coins, 1 << k)

    def _randbelow(self, n: int) -> int:
        """Uniform on 0..n - 1, by the standard library's rejection of words that are too large."""
        return whole(self._coins, n)

    def randbytes(self, n: int) -> bytes:
        """n uniform bytes, for int.from_bytes()."""
        return LazyBytes.drawn(self._coins, n)

    def uniform(self, a: float, b: float) -> Any:
        """a + (b - a) * random(), in floats; where continuous noise is followed, ideal."""
        return (self._continuous("uniform") or partial(_UNIFORM, cast(standard.Random, self)))(a, b)

    def expovariate(self, lambd: float = 1.0) -> Any:
        """The standard library's own; where continuous noise is followed, ideal."""
        return (self._continuous("expovariate") or partial(_EXPOVARIATE, cast(standard.Random, self)))(lambd)

    def seed(self, *_arguments: object, **_named: object) -> None:
        """Refused: after a seed there is no randomness."""
        self._refuse("seeds its generator, so that what it draws is no longer random", following="next: leave the seed out")

    def getstate(self) -> NoReturn:
        """Refused."""
        self._refuse("asks for the state of its generator")

    def setstate(self, _state: object) -> NoReturn:
        """Refused."""
        self._refuse("sets the state of its generator, so that what it draws is no longer random")


for _name in TAKEN_OVER:
    if hasattr(standard.Random, _name):  # binomialvariate is of Python 3.12
        setattr(StandIn, _name, getattr(standard.Random, _name))
