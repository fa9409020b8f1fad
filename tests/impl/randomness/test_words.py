"""finitedp.impl.randomness.words: known answers, no shared keystream, and what each says of itself."""

import os
import sys
from collections.abc import Callable

import pytest

from finitedp.errors import CoinsError
from finitedp.impl.randomness.coins import ExactCoins, StrictCoins
from finitedp.impl.randomness.words import AesCtrWords, ChaCha20Words, SeededWords, SystemWords, WordSource, bits_of

SOURCES: list[Callable[[], WordSource]] = [
    SystemWords,
    AesCtrWords,
    ChaCha20Words,
    lambda: SeededWords(3, not_private=True),
]
SECRET: list[Callable[[], WordSource]] = [SystemWords, AesCtrWords, ChaCha20Words]


@pytest.mark.parametrize("make", SOURCES)
def test_as_many_bytes_as_asked_for(make: Callable[[], WordSource]) -> None:
    source = make()
    assert [len(source.read(size)) for size in (0, 1, 8, 100_001)] == [0, 1, 8, 100_001]
    assert source.read(32) != source.read(32)
    assert len(set(source.read(100_000))) == 256


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize("size", [-1, 1.0, "8"])
def test_sizes_that_mean_nothing(make: Callable[[], WordSource], size: int) -> None:
    with pytest.raises(CoinsError, match=r"read\(.*\) has no outcome; accepted: a number of bytes, 0 or more"):
        make().read(size)


def test_each_says_what_it_is() -> None:
    assert [make().name for make in SOURCES] == [
        "operating system",
        "AES-256-CTR, keyed by the operating system at every call",
        "ChaCha20, keyed by the operating system at every call",
        "seeded: NOT private",
    ]


def given_out(*parts: bytes) -> Callable[[int], bytes]:
    """An operating system's generator that hands out these bytes."""
    left = list(parts)

    def urandom(size: int) -> bytes:
        part = left.pop(0)
        assert len(part) == size
        return part

    return urandom


def test_aes_is_aes_256_in_counter_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """NIST SP 800-38A, F.5.5: the output blocks of CTR-AES256."""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    counter = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    source = AesCtrWords()
    monkeypatch.setattr(os, "urandom", given_out(key, counter))
    expected = "0bdf7df1591716335e9a8b15c860c502" + "5a6e699d536119065433863c8f657b94"
    assert source.read(32).hex() == expected


def test_chacha_is_chacha20(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 8439, A.1, test vectors 1 and 2: the blocks 0 and 1 under a key and a nonce of zeros."""
    source = ChaCha20Words()
    monkeypatch.setattr(os, "urandom", given_out(bytes(32), bytes(8)))
    stream = source.read(128).hex()
    assert stream.startswith("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7")
    assert stream[128:].startswith("9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # later Pythons warn where there are threads
@pytest.mark.parametrize("make", SECRET)
def test_a_fork_does_not_share_the_stream(make: Callable[[], WordSource]) -> None:
    """Parent and child go on with one and the same object, at the same place of whatever it was reading."""
    source = make()
    source.read(64)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, source.read(64))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() != source.read(64)


@pytest.mark.parametrize(("make", "name"), [(AesCtrWords, "AES-256-CTR"), (ChaCha20Words, "ChaCha20")])
def test_without_the_package(make: Callable[[], WordSource], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(CoinsError) as caught:
        make()
    assert str(caught.value) == f"{name} needs the cryptography package: pip install cryptography"


def test_a_seed_is_not_used_by_accident() -> None:
    with pytest.raises(CoinsError, match="a seeded generator gives no privacy; pass not_private=True"):
        SeededWords(3)
    again = [SeededWords(3, not_private=True).read(100) for _ in range(2)]
    assert again[0] == again[1] != SeededWords(4, not_private=True).read(100)


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize("short", [0, 1, 7])
def test_a_generator_that_answers_short_is_refused_on_every_path(
    make: Callable[[], WordSource], short: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight bytes short of one would give noise that is not centred, without a word."""
    source = make()
    if isinstance(source, SeededWords):
        monkeypatch.setattr(SeededWords, "read", lambda _self, _size: bytes(short))
    else:
        monkeypatch.setattr(os, "urandom", lambda _size: bytes(short))
    refused = f"the source of words gave {short} bytes where [0-9]+ bytes were asked for"
    with pytest.raises(CoinsError, match=refused):
        bits_of(source)(64)
    with pytest.raises(CoinsError, match=refused):
        StrictCoins(bits_of(source)).uniform(6)


@pytest.mark.parametrize("make", SOURCES)
def test_bits_for_the_coins(make: Callable[[], WordSource]) -> None:
    bits = bits_of(make())
    for b in (0, 1, 7, 8, 9, 64, 1000):
        drawn = [bits(b) for _ in range(30)]
        assert all(0 <= word < 2**b for word in drawn)
        if b >= 9:
            assert max(drawn).bit_length() > b - 9
    for coins in (StrictCoins(bits), ExactCoins(bits)):
        assert {coins.uniform(3) for _ in range(200)} == {1, 2, 3}


def test_the_bits_are_those_that_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", given_out(b"\xff\x01", b"\x80"))
    bits = bits_of(SystemWords())
    assert bits(9) == 0x1FF >> 7
    assert bits(1) == 1
