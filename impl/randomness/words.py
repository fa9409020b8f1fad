"""Sources of random bytes in bulk, each with the name that a release states.

The operating system's generator is the default. AES-256-CTR and ChaCha20 are several times faster; they come from the
`cryptography` package and take a fresh key from the operating system at every call of `read`. No state is kept between two
calls, so that forked processes, threads and restored snapshots cannot meet in one keystream; a key serves one call alone.
"""

import os
from collections.abc import Callable
from typing import Any, Protocol

from finitedp.errors import CoinsError
from finitedp.impl.randomness.coins import BitSource, SeededBits, bits_from, random_bytes

__all__ = ["AesCtrWords", "ChaCha20Words", "SeededWords", "SystemWords", "WordSource", "bits_of"]

_ZEROS = 1 << 20  # bytes: four limbs of each count that is worked on at a time


class WordSource(Protocol):
    """Where random bytes come from in bulk."""

    @property
    def name(self) -> str:
        """What a release says of its randomness."""
        ...

    def read(self, size: int) -> bytes:
        """That many fresh random bytes."""
        ...


class SystemWords:
    """The operating system's cryptographic generator."""

    name = "operating system"

    def read(self, size: int) -> bytes:
        """`size` random bytes. Raises: CoinsError for size < 0. Cost: one system call for each 2^25 bytes or so."""
        return _system(size)


class AesCtrWords:
    """The keystream of AES-256 in counter mode, under a key and a first counter from the operating system.

    Raises: CoinsError where the `cryptography` package is missing.
    """

    name = "AES-256-CTR, keyed by the operating system at every call"

    def __init__(self) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415  # optional
        except ImportError:
            raise CoinsError(_missing(self.name)) from None

        self._read = _keystream(lambda: Cipher(algorithms.AES(_system(32)), modes.CTR(_system(16))).encryptor())

    def read(self, size: int) -> bytes:
        """`size` random bytes. Raises: CoinsError for size < 0. Cost: some 20 us, and then about 1 ns for 8 bytes."""
        return random_bytes(self._read, size)


class ChaCha20Words:
    """The keystream of ChaCha20, under a key and a nonce from the operating system.

    Raises: CoinsError where the `cryptography` package is missing.
    """

    name = "ChaCha20, keyed by the operating system at every call"

    def __init__(self) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms  # noqa: PLC0415  # optional
        except ImportError:
            raise CoinsError(_missing(self.name)) from None

        # the first bytes of the nonce are the block counter: from 0 on, it cannot run over within one call
        self._read = _keystream(lambda: Cipher(algorithms.ChaCha20(_system(32), bytes(8) + _system(8)), None).encryptor())

    def read(self, size: int) -> bytes:
        """`size` random bytes. Raises: CoinsError for size < 0. Cost: some 20 us, and then about 2 ns for 8 bytes."""
        return random_bytes(self._read, size)


class SeededWords:
    """A reproducible source for tests and examples. It is NOT private: who knows the seed knows the noise.

    Parameters: seed; not_private, which must be passed as True, so that nobody uses this by accident.
    Raises: CoinsError otherwise.
    """

    name = "seeded: NOT private"

    def __init__(self, seed: int, *, not_private: bool = False) -> None:
        self._bits = SeededBits(seed, not_private=not_private)

    def read(self, size: int) -> bytes:
        """`size` bytes that the seed and the calls so far determine. Raises: CoinsError for size < 0."""
        return random_bytes(lambda wanted: self._bits(8 * wanted).to_bytes(wanted, "little"), size)


def bits_of(source: WordSource) -> BitSource:
    """The source as a function from b to b random bits, for StrictCoins and ExactCoins. Cost: one `read` for each call."""
    return bits_from(source.read)


def _system(size: int) -> bytes:
    """`size` bytes of the operating system. Raises: CoinsError where it fails."""
    return random_bytes(os.urandom, size)


def _keystream(encryptor: Callable[[], Any]) -> Callable[[int], bytes]:
    """From a number of bytes to the beginning of a fresh keystream, which is what zeros are encrypted to.

    The zeros are kept: the pages of new ones would take longer than the cipher.
    """
    zeros = memoryview(bytes(_ZEROS))

    def read(size: int) -> bytes:
        found: bytes = encryptor().update(zeros[:size] if size <= _ZEROS else bytes(size))
        return found

    return read


def _missing(name: str) -> str:
    return f"{name.split(',', maxsplit=1)[0]} needs the cryptography package: pip install cryptography"
