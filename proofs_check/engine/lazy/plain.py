"""Paths run again with plain integers, at points of them: code that tells a draw from an int is refused.

What a lazy integer or float stands for is known by the operations that it answers. Code can see a difference all the same: by
type(), by the error of a function in C, by the type of an array that holds it. Then it does otherwise with integers.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, cast

from attrs import evolve

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.lazy.chains import image
from finitedp.proofs_check.engine.lazy.coins import Decision, LazyCoins
from finitedp.proofs_check.engine.lazy.draws import Draw
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.joint import pin
from finitedp.proofs_check.engine.lazy.settled import settled

__all__ = ["PlainRuns"]

FEW = 12
"""Draws that a refusal shows."""


class _OtherDrawsError(BaseException):
    """Ends a run that makes other draws. Not an Exception, so that ordinary code does not catch it."""


class PlainRuns:
    """Runs paths again with integers: of each draw its least value, its largest, or one in between."""

    def __init__(self) -> None:
        self._state = 1

    def compare(self, program: Callable[[LazyCoins], object], coins: LazyCoins, output: object, points: int) -> None:
        """Raises: ExplorationError where a path, run with integers at one of its points, has another output.

        Parameters: coins, those of the path; points, how many to try: the first one has the least values, the second one the
        largest, a single one takes them by chance. Paths on which samplers or loops were taken alone are left out: the same
        code is compared inline.
        """
        if not coins.cost_seen or coins.rules.alone:
            return
        picks = [_least, _largest, *[self._any] * (points - 2)] if points > 1 else [self._any]
        for point in dict.fromkeys(_point(coins.made, pick) for pick in picks):
            self._compare_at(program, PlainCoins(coins, point), output)

    def _any(self, n: int) -> int:
        self._state = self._state * 0x5851F42D4C957F2D + 1 & (1 << 64) - 1
        way, place = self._state >> 62, self._state & (1 << 62) - 1
        return 0 if way == 0 else n - 1 if way == 1 else place * n >> 62

    def _compare_at(self, program: Callable[[LazyCoins], object], plain: "PlainCoins", output: object) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # numpy's of 1 / 0, which a draw that is not decided has not
                again = settled(program(plain))
            plain.check_end()
        except _OtherDrawsError:
            self._refuse(plain, "makes other draws", output)
        except Exception as error:  # whatever it is, the path did not raise it
            self._refuse(plain, f"raises {type(error).__name__} ({error})", output)
        finally:
            plain.closed = True
        if again != output:
            self._refuse(plain, f"gives {_shown(again)}", output)

    @staticmethod
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
        super().__init__(None, _nothing, evolve(followed.rules, solver=None), 0, None)
        self._draws = followed.made
        self._bytes = list(reversed(followed.bytes_drawn))
        self._place = 0
        self._is_elsewhere = False
        self._in_bytes = set[int]()
        self.values = values

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


def _least(_n: int) -> int:
    return 0


def _largest(n: int) -> int:
    return n - 1


def _nothing(_branch: Decision) -> None:
    """No branch is left."""
