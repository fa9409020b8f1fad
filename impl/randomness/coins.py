"""The one randomness port, `Coins`, and the ways to serve it.

A mechanism draws only by `coins.uniform(d)` and `coins.bits(b)`. Two ways turn random bits into uniform(d):

- `ExactCoins` rejects words outside of the range: exactly uniform, but the number of words read is bounded only in
  expectation (fewer than 2). An observer of time learns how many were rejected, and their length: nothing about the data
  where the range is public, but something about a range that depends on the data;
- `StrictCoins` reads ceil(log2 d) + 128 bits, multiplies and shifts: the same work on every path, and every event has its
  exact probability up to a factor between 1 - 2^-128 and 1 + 2^-128. Its `slack` carries that into every claim.
"""

import os
import random
from collections.abc import Callable
from typing import Protocol

from gmpy2 import mpq

from finitedp.errors import CoinsError
from finitedp.exact import short
from finitedp.impl.arithmetic.kernels import ceil_log2, scale_word
from finitedp.impl.randomness.loops import LoopingCoins

__all__ = [
    "BitMeter",
    "BitSource",
    "Coins",
    "ExactCoins",
    "SeededBits",
    "StrictCoins",
    "UnusedDraws",
    "bits_from",
    "checked_coins",
    "random_bytes",
    "slack_of",
    "strict_bits",
    "system_bits",
]

_FRACTION = 0x9E3779B97F4A7C15  # of 2^64: the golden section
SPARE_BITS = 128  # how many bits StrictCoins reads beyond ceil(log2 d)

BitSource = Callable[[int], int]
"""A function from b >= 0 to b random bits, as an integer in 0..2^b - 1."""


class Coins(Protocol):
    """Where all randomness comes from."""

    @property
    def slack(self) -> mpq:
        """A bound on the ratio that one draw's inexactness can add to a probability ratio: 1 for exactly uniform draws."""
        ...

    def uniform(self, d: int, most: int | None = None) -> int:
        """Uniform on 1..d. Source: the oracle of Section 2.4 of Balcer and Vadhan.

        Parameters: most, a public bound on a d that depends on the data: coins of a fixed cost read what `most` needs.
        """
        ...

    def bits(self, b: int) -> int:
        """Uniform on 0..2^b - 1."""
        ...


def checked_coins(coins: Coins) -> Coins:
    """The coins, where they offer what the port asks for. Raises: CoinsError. Cost: as much for all coins that do."""
    draws = callable(getattr(coins, "uniform", None)) and callable(getattr(coins, "bits", None))
    if isinstance(coins, type) or not (draws and hasattr(coins, "slack")):
        found = f"the class {coins.__name__}" if isinstance(coins, type) else f"a {type(coins).__name__}"
        raise CoinsError(
            f"coins is {found}; accepted: an object with uniform(d, most=None), bits(b) and slack, such as StrictCoins() or"
            " ExactCoins() of finitedp.impl.randomness.coins"
        )
    return coins


def random_bytes(read: Callable[[int], object], size: int) -> bytes:
    """The `size` bytes that a source gives: the one place where an answer of any source is looked at before it is used.

    Parameters: read, a function from a number of bytes to so many random bytes.
    Raises: CoinsError for size < 0, where the source fails, or where it gives anything but so many bytes: noise made of a
    short answer would not be centred.
    """
    if not isinstance(size, int) or size < 0:
        raise CoinsError(f"read({size!r}) has no outcome; accepted: a number of bytes, 0 or more")
    try:
        given = read(size)
    except CoinsError:
        raise
    except Exception as error:
        raise CoinsError(f"the source of words failed: {type(error).__name__}: {error}") from error
    if not isinstance(given, bytes | bytearray | memoryview) or len(given) != size:
        what = f"{len(given)} bytes" if isinstance(given, bytes | bytearray | memoryview) else f"a {type(given).__name__}"
        raise CoinsError(f"the source of words gave {what} where {size} bytes were asked for")
    return bytes(given)


def bits_from(read: Callable[[int], object]) -> BitSource:
    """A source of bytes as a source of bits. Cost: one call of `read` for each word. Raises: CoinsError, as random_bytes."""

    def bits(b: int) -> int:
        return int.from_bytes(random_bytes(read, (b + 7) // 8), "little") >> (-b % 8)

    return bits


def system_bits(b: int) -> int:
    """b bits of the operating system's cryptographic generator. Raises: CoinsError where it fails."""
    return bits_from(os.urandom)(b)


class ExactCoins(LoopingCoins):
    """Exactly uniform draws, by rejection: expected time, at most two words on average.

    Parameters: bits, a source of random bits; the operating system's by default.
    """

    slack = mpq(1)

    def __init__(self, bits: BitSource = system_bits) -> None:
        self._source = _checked_source(bits)

    def bits(self, b: int) -> int:
        """b random bits. Raises: CoinsError for b < 0."""
        if b < 0:
            raise CoinsError(f"bits({b!r}) has no outcome; accepted: an integer b >= 0")
        return _word(self._source, b)

    def uniform(self, d: int, most: int | None = None) -> int:
        """Uniform on 1..d, exactly. Raises: CoinsError for d < 1 or d > most. Cost: each word has ceil(log2 d) bits."""
        _check_range(d, most)
        while True:
            word = _word(self._source, ceil_log2(d))
            if word < d:
                return word + 1


class StrictCoins:
    """Draws that read a fixed number of bits: ceil(log2 d) + 128 for uniform(d). Source: FD.StrictCoins.

    Parameters: bits, a source of random bits; the operating system's by default.
    """

    slack = mpq(2**SPARE_BITS + 1, 2**SPARE_BITS - 1)

    def __init__(self, bits: BitSource = system_bits) -> None:
        self._source = _checked_source(bits)

    def bits(self, b: int) -> int:
        """b random bits. Raises: CoinsError for b < 0."""
        if b < 0:
            raise CoinsError(f"bits({b!r}) has no outcome; accepted: an integer b >= 0")
        return _word(self._source, b)

    def uniform(self, d: int, most: int | None = None) -> int:
        """On 1..d, each event within a factor 1 +- 2^-128 of its uniform probability.

        Raises: CoinsError for d < 1 or d > most. Cost: strict_bits(most) bits, or strict_bits(d) where there is no `most`.
        """
        _check_range(d, most)
        length = strict_bits(d if most is None else most)
        return scale_word(_word(self._source, length), length, d)


class UnusedDraws:
    """Coins whose draws are made from other coins and not used: every answer is the same fraction of its range.

    They serve a computation whose result is thrown away, so that it costs what it costs, and tells nothing. The fraction is
    one that no distribution function meets on purpose: a draw right at a boundary would take more work than others.
    Parameters: used, whether to hand the draws on after all: the same functions are called either way.
    """

    def __init__(self, coins: Coins, used: bool = False) -> None:
        self.slack = checked_coins(coins).slack
        self._coins = coins
        self._used = used

    def bits(self, b: int) -> int:
        """A fixed fraction of 2^b, after a draw of b bits."""
        drawn = self._coins.bits(b)
        return ((_FRACTION << b) >> 64, drawn)[self._used]

    def uniform(self, d: int, most: int | None = None) -> int:
        """A fixed fraction of d, after a draw from 1..d."""
        drawn = self._coins.uniform(d, most)
        return (1 + ((_FRACTION * d) >> 64), drawn)[self._used]


def slack_of(coins: Coins | None, draws: int) -> mpq:
    """A bound on what that many draws can add to a probability ratio: at least slack^draws, with few digits.

    It is 1 for exact coins or None, else 1/(1 - draws * (slack - 1)), since 1 + x <= e^x <= 1/(1 - x) for 0 <= x < 1.
    Raises: CoinsError for draws < 0, or where draws * (slack - 1) is 1 or more.
    """
    if draws < 0:
        raise CoinsError(f"draws = {draws} is out of range; accepted: an integer of at least 0")
    total = mpq(0) if coins is None else draws * (coins.slack - 1)
    if total >= 1:
        raise CoinsError(f"{draws} draws on coins with slack {coins.slack if coins else 1} bound no probability ratio")
    return mpq(1, 1 - total)


def strict_bits(d: int) -> int:
    """How many bits StrictCoins reads for uniform(d): ceil(log2 d) + 128."""
    return ceil_log2(d) + SPARE_BITS


def _checked_source(bits: BitSource) -> BitSource:
    if not callable(bits):
        raise CoinsError(f"the source of bits is {bits!r}; accepted: a function from b to b random bits")
    return bits


def _word(source: BitSource, b: int) -> int:
    """b bits of a source. Raises: CoinsError for what is no integer in 0..2^b - 1."""
    word = source(b)
    if not isinstance(word, int) or word >> b:
        raise CoinsError(f"the source of bits gave {_shown(word)} where {b} bits were asked for")
    return word


def _check_range(d: int, most: int | None) -> None:
    if not hasattr(d, "__index__") or d < 1:
        raise CoinsError(f"uniform({_shown(d)}) has no outcome; accepted: an integer d >= 1")
    if most is not None and d > most:
        raise CoinsError(f"uniform({_shown(d)}) is above its bound most = {_shown(most)}; accepted: an integer from 1 to most")


class SeededBits:
    """A reproducible bit source for tests and examples. It is NOT private: who knows the seed knows the noise.

    Parameters: seed; not_private, which must be passed as True, so that nobody uses this by accident.
    Raises: CoinsError otherwise.
    """

    def __init__(self, seed: int, *, not_private: bool = False) -> None:
        if not_private is not True:
            raise CoinsError("a seeded generator gives no privacy; pass not_private=True if that is wanted (tests, examples)")
        self._generator = random.Random(seed)  # noqa: S311  # said loudly to be not private

    def __call__(self, b: int) -> int:
        """Return b bits that the seed determines."""
        return self._generator.getrandbits(b) if b else 0


class BitMeter:
    """A bit source that counts what is read from another: `reads` words of `total_bits` bits in all."""

    def __init__(self, source: BitSource = system_bits) -> None:
        self._source = source
        self.reads = 0
        self.total_bits = 0

    def __call__(self, b: int) -> int:
        """Return b bits of the other source, counted."""
        self.reads += 1
        self.total_bits += b
        return self._source(b)


def _shown(number: object) -> str:
    return short(number) if isinstance(number, int) else repr(number)
