"""Paths run again with plain integers, at points of them: code that tells a draw from an int is refused.

What a lazy integer or float stands for is known by the operations that it answers. Code can see a difference all the same: by
type(), by the error of a function in C, by the type of an array that holds it. Then it does otherwise with integers. A path of
few points is run at each of them, a wider one at points that are spread over it: what code does in a small part of a wide draw
alone may be missed.
"""

import warnings
from _random import Random  # in C: no stand-in takes its place
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any, NoReturn, cast

from finitedp.errors import ExplorationError, FinitedpError
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.draws import Draw, image
from finitedp.proofs_check.engine.lazy.frames import line_of
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.joint import pin
from finitedp.proofs_check.engine.lazy.rules import Decision
from finitedp.proofs_check.engine.path import plain_output

FEW = 12
"""Draws that a refusal shows."""
STRATA_BITS = 6
"""A path that is not run completely is run at both ends and at 2^6 = 64 points more, one in each 64th part of each draw; at
half as many where it has a quarter of the probability."""
FIRST = 64
"""Paths that an audit runs so; later ones it runs at one point."""
LIGHT = 8
"""Points of the first path where a light look is enough; of the second one half as many, then one of every 2^k-th."""
_WORD = 64  # bits beyond a part's own, so that points of any range are near to uniform


class _OtherDrawsError(BaseException):
    """Ends a run that makes other draws. Not an Exception, so that ordinary code does not catch it."""


class PlainRuns:
    """Runs the paths of one search again with integers, at other points in each search.

    Parameters: every, whether every path is looked at, the first ones closely, as an audit needs it; else the first
    eight are, lightly, and then every 2^k-th.
    sampled: whether some path was not run at all of its points.
    """

    def __init__(self, *, every: bool) -> None:
        self._every = every
        self._paths = 0
        self.sampled = False
        self._bits = Random().getrandbits

    def compare(self, program: Callable[[LazyCoins], object], coins: LazyCoins, output: object) -> None:
        """Raises: ExplorationError where a path, run with integers at one of its points, has another output.

        Parameters: coins, those of the path.
        """
        if not _is_compared(coins):
            return
        self._paths += 1
        for point in self._points(coins):
            plain = PlainCoins(coins, point)
            again, error = plain.run(program)
            if isinstance(error, _OtherDrawsError):
                _refuse(plain, "makes other draws", output)
            if error is not None:
                _refuse(plain, f"raises {type(error).__name__} ({error})", output)
            if again != output:
                _refuse(plain, f"gives {_shown(again)}", output)

    def _points(self, coins: LazyCoins) -> Iterable[tuple[int, ...]]:
        made = coins.made
        if self._every and (complete := self._all_points(coins)) is not None:
            return complete
        self.sampled = True
        if not self._every:
            points = max(LIGHT // self._paths, int(self._paths.bit_count() == 1))
            picks = [_least, _largest, *[self._any] * (points - 2)] if points > 1 else [self._any] * points
            return dict.fromkeys(_point(made, pick) for pick in picks)
        if self._paths > FIRST:
            return [_point(made, self._any)]
        return dict.fromkeys([_point(made, _least), _point(made, _largest), *self._spread(made, _strata(coins))])

    def _all_points(self, coins: LazyCoins) -> Iterable[tuple[int, ...]] | None:
        """All points of a path, where they are few; None where they are many, or draws were compared with each other."""
        if any(draw.relations is not None for draw in coins.made):
            return None
        number = int(prod(cast(int, draw.high) - draw.low + 1 for draw in coins.made))
        few = 1 if self._paths > FIRST else 2 + (1 << _strata(coins))
        if number <= few or (self._paths <= FIRST and coins.rules.allowance.takes(number)):
            return product(*(range(int(draw.low), int(cast(int, draw.high)) + 1) for draw in coins.made))
        return None

    def _spread(self, made: Sequence[Draw], bits: int) -> Iterator[tuple[int, ...]]:
        """One point in each of 2^bits parts of each draw; which parts of two draws come together differs from path to path."""
        turns = [(self._bits(32) | 1, self._bits(32)) for _ in made]
        for i in range(1 << bits):
            parts = iter([(i * factor + shift) % (1 << bits) for factor, shift in turns])
            yield _point(made, partial(self._in_part, parts, bits))

    def _in_part(self, parts: Iterator[int], bits: int, n: int) -> int:
        return (next(parts) << _WORD | self._bits(_WORD)) * n >> _WORD + bits

    def _any(self, n: int) -> int:
        way = self._bits(2)
        return 0 if way == 0 else n - 1 if way == 1 else self._bits(_WORD) * n >> _WORD

    def check_error(self, program: Callable[[LazyCoins], object], coins: LazyCoins, error: Exception) -> None:
        """Raises: ExplorationError where a run that raised the error with draws does not raise it with integers."""
        if isinstance(error, FinitedpError) or not _is_compared(coins):
            return
        if type(PlainCoins(coins, _point(coins.made, _least)).run(program)[1]) is type(error):
            return
        raise ExplorationError(
            f"{line_of(error)}: what takes Python's own numbers alone is given a draw that is not decided, and raises "
            f"{type(error).__name__} ({error}); with an int it does not; accepted: int(draw) there, or a draw of fewer values"
        ) from error


def _is_compared(coins: LazyCoins) -> bool:
    """Not where all draws were integers, nor where samplers or loops were taken alone: the same code is compared inline."""
    return coins.cost_seen and not coins.rules.alone and bool(coins.lazies or coins.bytes_drawn)


def _refuse(plain: "PlainCoins", does: str, output: object) -> NoReturn:
    values = ", ".join(map(_short, plain.values[:FEW])) + (", ..." if len(plain.values) > FEW else "")
    raise ExplorationError(
        f"with the integers [{values}] for its draws the code {does:.200}, and the path that holds them gave "
        f"{_shown(output):.200}: the code tells a draw from an int (by its type, or where code in C takes int and float "
        "alone), uses other randomness or keeps state between runs; accepted: int(draw) where it is told, or "
        "the same with a draw as with an int"
    )


class PlainCoins(LazyCoins):
    """The coins of one run whose draws are integers: a point of a path that was followed."""

    def __init__(self, followed: LazyCoins, values: Sequence[int]) -> None:
        super().__init__(None, _nothing, followed.rules.inline, 0, None)
        self._draws = followed.made
        self._bytes = list(reversed(followed.bytes_drawn))
        self._place = 0
        self._is_elsewhere = False
        self._in_bytes = set[int]()
        self.values = values

    def run(self, program: Callable[[LazyCoins], object]) -> tuple[object, BaseException | None]:
        """What the program returns, or what it raises, whatever it is: the path has done otherwise, or the same."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # numpy's of 1 / 0, which a draw that is not decided has not
                output = plain_output(program(self))
            self.check_end()
            return output, None
        except (Exception, _OtherDrawsError) as error:
            return None, error
        finally:
            self.closed = True

    def _lazy(self, draw: Draw) -> Any:
        if self.suspended is not None or self.closed:
            self._refuse_from_outside()
        place = self._next()
        if place == len(self._draws) or draw.d != self._draws[place].d:
            self._leave()
        self._place += 1
        return self.values[place]

    def _leave(self) -> NoReturn:
        self._is_elsewhere = True  # in case the code swallows the error
        raise _OtherDrawsError

    def _next(self) -> int:
        """The place of the next draw; those of bytes are made when these are read, which is seen no longer."""
        while self._place in self._in_bytes:
            self._place += 1
        return self._place

    def plain_bytes(self, n: int) -> bytes:
        """The next n bytes that the path drew at once, whether or not it has read them yet."""
        if not self._bytes or len(self._bytes[-1]) != n:
            self._leave()
        return cast(bytes, self._bytes.pop().at(self._value_of))

    def _value_of(self, drawn: LazyInt) -> int:
        draw, chain = drawn.parts()
        self._in_bytes.add(draw.index)
        return int(image(chain, self.values[draw.index]))

    def check_end(self) -> None:
        """Raises: an error where draws of the path were not made, or a refusal was swallowed."""
        if self.refusal is not None:
            raise self.refusal
        if self._is_elsewhere or self._next() < len(self._draws) or self._bytes:
            raise _OtherDrawsError


def _point(made: Sequence[Draw], pick: Callable[[int], int]) -> tuple[int, ...]:
    """A value of each draw. Parameters: pick(n), a number of 0..n - 1."""
    ends = [(draw, draw.low, draw.high) for draw in made if draw.relations is not None]
    values = tuple([_value(draw, pick) for draw in made])
    for draw, low, high in ends:
        draw.low, draw.high = low, high
    return values


def _value(draw: Draw, pick: Callable[[int], int]) -> int:
    """One that agrees with those of the draws before; those that are related are chosen together."""
    assert draw.high is not None  # noqa: S101  # a draw without an end is taken alone
    if draw.low < draw.high and draw.relations is not None:
        pin(draw, pick)
    return int(draw.low if draw.low == draw.high else draw.low + pick(draw.high - draw.low + 1))


def _short(value: int) -> str:
    return str(value) if value < 10**30 else f"about 2^{value.bit_length() - 1}"


def _shown(output: object) -> str:
    try:
        return repr(output)
    except ValueError:  # an integer of more digits than Python shows
        return f"a {type(output).__name__} that is too long to show"


def _strata(coins: LazyCoins) -> int:
    """Into 2^how many parts each draw of a path is divided."""
    rarity = int(coins.rules.unit).bit_length() - int(coins.mass).bit_length()
    return max(STRATA_BITS - rarity // 2, 1)


def _least(_n: int) -> int:
    return 0


def _largest(n: int) -> int:
    return n - 1


def _nothing(_branch: Decision) -> None:
    """No branch is left."""
