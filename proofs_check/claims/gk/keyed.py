"""The hash that buckets labels: which bytes a label stands for, and which bits of their HMAC are its bucket."""

import hmac
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.impl.anonymized.hashing import KeyedHash
from finitedp.proofs_check.claims.ph.each_case import Compared, compared
from finitedp.proofs_check.ledger.entry import cases, in_scope, is_taken
from finitedp.proofs_check.ledger.findings import own

LABELS: tuple[str | int, ...] = ("", "s", "i", "1", 1, "i1", "s1", -1, "-1", 0, "0", "é", "e\u0301", "\ud800")
REFUSED = (True, 1.0, mpq(1), b"1", None, ("1",))
LONG = bytes(range(100))


class Keyed(NamedTuple):
    """How many bytes the key has, and how many bits a bucket."""

    length: int
    bits: int

    def check_scope(self) -> None:
        in_scope(0 <= self.length <= 100 and 1 <= self.bits <= 64, "up to 100 bytes, and 1 to 64 bits")


Hash = Callable[[Keyed, Any], int]


def _running(case: Keyed, label: Any) -> int:  # noqa: ANN401  # also what is refused
    return KeyedHash(LONG[: case.length], case.bits)(label)


def _written(label: Any) -> bytes:  # noqa: ANN401  # as above
    """A letter that says whether it is a text or an integer, and the text, or the digits; lone surrogates as they stand."""
    return f"{'s' if isinstance(label, str) else 'i'}{label}".encode("utf-8", "surrogatepass")


def _mac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 from its definition, by two hashes."""
    padded = (sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner, outer = (bytes(x ^ pad for x in padded) for pad in (0x36, 0x5C))
    return sha256(outer + sha256(inner + message).digest()).digest()


def _other(written: Callable[[Any], bytes], *, last: bool = False) -> Hash:
    """Broken: of other bytes, or of the last bits."""

    def bucket(case: Keyed, label: Any) -> int:  # noqa: ANN401  # as above
        _running(case, label)  # what is refused stays refused
        found = int.from_bytes(hmac.digest(LONG[: case.length], written(label), sha256), "big")
        return found % (1 << case.bits) if last else found >> (256 - case.bits)

    return bucket


@own(
    "FD.KeyedHash",
    """KeyedHash puts a label into the bucket that the first bits of HMAC-SHA256 name, of "s" and the text in UTF-8, or of
    "i" and the digits of the integer: no two labels stand for the same bytes, a text of digits and the integer neither. Other
    types are refused, and keys below 16 bytes.""",
    over="14 labels that are alike, six that are refused, keys of 8 to 100 bytes, 1 to 64 bits; HMAC by two hashes",
    code=["finitedp.impl.anonymized.hashing.KeyedHash"],
    grid=cases(Keyed, [(16, 64), (32, 1), (65, 13), (100, 40), (15, 8)], [(64, 32), (17, 63), (8, 3)]),
    subject=_running,
    twins={
        "text without a letter": _other(lambda x: f"{'' if isinstance(x, str) else 'i'}{x}".encode("utf-8", "surrogatepass")),
        "integers as text": _other(lambda x: f"s{x}".encode("utf-8", "surrogatepass")),
        "the last bits": _other(_written, last=True),
        "True is 1": lambda case, label: _running(case, int(label) if isinstance(label, bool) else label),
    },
)
@compared("bucket")
def keyed(bucket: Hash, case: Keyed) -> Compared:
    yield len({_written(label) for label in LABELS}), len(LABELS), "bytes of the labels"
    key = is_taken(partial(_running, case, ""), ParameterError)
    yield key, case.length >= 16, f"whether a key of {case.length} bytes is taken"
    if case.length >= 16:
        for label in LABELS:
            mac = int.from_bytes(_mac(LONG[: case.length], _written(label)), "big")
            yield bucket(case, label), mac >> (256 - case.bits), f"{label!r}, {case.length} bytes, {case.bits} bits"
        for refused in REFUSED:
            yield is_taken(partial(bucket, case, refused), DataError), False, f"whether {refused!r} is taken"
