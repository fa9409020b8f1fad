"""The two encodings of a released compact histogram, version 1: JSON, and a binary form with the same header.

The header is a JSON object without floats; rationals are strings "p/q"::

    format      "finitedp compact histogram"
    version     1
    finitedp    the version of finitedp that wrote it
    mechanism   {"name": "GeoSample" or "FastSample", "n": ..., "epsilon": "1/q"}, for FastSample also "gamma": "1/g"; or
                {"name": "DyadicSample", "n": ..., "epsilon": "p/q", "word": ..., "table": SHA-256 of its certificate}
    field       the paper's l; an element has 2 * 3^l bits
    universe    {"kind": "integers", "low": ..., "high": ...}, {"kind": "strings", "most": ...} or
                {"kind": "listed", "labels": [integers and strings]}
    claim       {"epsilon": ..., "neighbours": ..., "ratio": "p/q" or null, "source": ...}, or null; delta is 0
    accuracy    a list of {"a": ..., "beta": "p/q", "kind": ..., "source": ...}
    randomness  where the random bits came from, in words; "" where nobody said so

The coefficients are n + 1 field elements, the constant first, each in big-endian order in as many bytes as its bits need.
The binary form is the 16 bytes "finitedp compact", the version as one byte, the length of the header as four bytes
(big-endian), the header as ASCII JSON with sorted keys and without spaces, the coefficients, and the SHA-256 hash of all of
this. The JSON form is the header with "coefficients" in base64 and "sha256", the hexadecimal hash of the binary form up to
its hash.

Sizes are compared with the bytes that are there before anything is built from them.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version as installed_version
from typing import Any, NamedTuple, NoReturn

from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.impl.arithmetic.field import MOST_LEVEL, element_bits
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histograms.universe import Integers, Listed, Strings, Universe

__all__ = ["Parts", "check_note", "from_bytes", "from_json", "to_bytes", "to_json"]

FORMAT, VERSION, MAGIC = "finitedp compact histogram", 1, b"finitedp compact"
MECHANISM_KEYS = {
    "GeoSample": {"name", "n", "epsilon"},
    "FastSample": {"name", "n", "epsilon", "gamma"},
    "DyadicSample": {"name", "n", "epsilon", "word", "table"},
}
HEADER_KEYS = {"format", "version", "finitedp", "mechanism", "field", "universe", "claim", "accuracy", "randomness"}
LONGEST_NUMBER = 4000  # characters of a rational
LARGEST_INTEGER = 14_000  # bits, about 4200 digits: what Python reads without being told to
PREFIX, HASH = len(MAGIC) + 5, 32


class Parts(NamedTuple):
    """What an encoding holds: the fields of a CompactRelease."""

    level: int
    mechanism: CountingMechanism
    universe: Universe[Any]
    coefficients: tuple[int, ...]
    claim: PrivacyClaim | None
    accuracy: tuple[Accuracy, ...]
    randomness: str


def check_note(note: Any) -> None:  # noqa: ANN401  # whatever is passed
    """Refuse what is no text of a length that the readers take. Raises: ParameterError."""
    if not isinstance(note, str) or len(note) > LONGEST_NUMBER:
        raise ParameterError(f"randomness is not a string of at most {LONGEST_NUMBER} characters")


# Writing


def to_json(parts: Parts) -> str:
    """The JSON form. Raises: ParameterError for parts that have no encoding."""
    header, raw = _header(parts), _raw(parts)
    body = {"coefficients": b64encode(raw).decode("ascii"), "sha256": sha256(_content(header, raw)).hexdigest()}
    return json.dumps(header | body, indent=1) + "\n"


def to_bytes(parts: Parts) -> bytes:
    """The binary form. Raises: ParameterError for parts that have no encoding."""
    content = _content(_header(parts), _raw(parts))
    return content + sha256(content).digest()


def _content(header: Mapping[str, Any], raw: bytes) -> bytes:
    """Everything that the hash covers."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii")
    return MAGIC + bytes([VERSION]) + len(text).to_bytes(4, "big") + text + raw


def _raw(parts: Parts) -> bytes:
    return b"".join(int(c).to_bytes(_element_bytes(parts.level), "big") for c in parts.coefficients)


def _element_bytes(level: int) -> int:
    return -(-element_bits(level) // 8)


def _header(parts: Parts) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "finitedp": installed_version("finitedp"),
        "mechanism": _mechanism_header(parts.mechanism),
        "field": int(parts.level),
        "universe": _universe_header(parts.universe),
        "claim": None if parts.claim is None else _claim_header(parts.claim),
        "accuracy": [{"a": int(a.a), "beta": _number(a.beta), "kind": a.kind, "source": a.source} for a in parts.accuracy],
        "randomness": parts.randomness,
    }


def _mechanism_header(mechanism: CountingMechanism) -> dict[str, Any]:
    # exactly these types: a subclass may have another law
    if type(mechanism) is GeoSample:
        return {"name": "GeoSample", "n": int(mechanism.n), "epsilon": _number(mechanism.epsilon)}
    if type(mechanism) is FastSample:
        common = {"name": "FastSample", "n": int(mechanism.n), "epsilon": _number(mechanism.epsilon)}
        return common | {"gamma": _number(mechanism.gamma)}
    if type(mechanism) is DyadicSample:
        common = {"name": "DyadicSample", "n": int(mechanism.n), "epsilon": _number(mechanism.epsilon)}
        return common | {"word": int(mechanism.word), "table": _table_hash(mechanism)}
    raise ParameterError(f"mechanism = {mechanism!r} has no encoding; accepted: GeoSample, FastSample or DyadicSample")


def _table_hash(mechanism: DyadicSample) -> str:
    """SHA-256 of the table's certificate: a reader that would build another table must not read other counts."""
    return sha256(json.dumps(mechanism.table.certificate(), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _number(value: mpq) -> str:
    """A rational as p/q, if the readers take one so long. Raises: ParameterError."""
    long = max(abs(value.numerator), value.denominator).bit_length() > LARGEST_INTEGER
    text = "" if long else str(value)
    if long or len(text) > LONGEST_NUMBER:
        raise ParameterError(
            f"a rational of more than {LONGEST_NUMBER} characters has no encoding; accepted: a smaller universe"
        )
    return text


def _universe_header(universe: Universe[Any]) -> dict[str, Any]:
    if type(universe) is Integers and max(abs(universe.low), abs(universe.high)).bit_length() <= LARGEST_INTEGER:
        return {"kind": "integers", "low": int(universe.low), "high": int(universe.high)}
    if type(universe) is Strings:
        return {"kind": "strings", "most": int(universe.most)}
    if type(universe) is Listed and all(map(_comes_back, universe.labels)):
        return {"kind": "listed", "labels": list(universe.labels)}
    raise ParameterError(
        f"the universe {str(universe)[:60]} has no encoding; accepted: integers, strings, or a list of integers and strings"
    )


def _comes_back(label: object) -> bool:
    """Whether a label is an integer or a string, and the same when it is read: two surrogates that are a pair become one."""
    return type(label) is int or (type(label) is str and json.loads(json.dumps(label)) == label)


def _claim_header(claim: PrivacyClaim) -> dict[str, Any]:
    if claim.delta:
        raise ParameterError(
            f"the claim has delta = {claim.delta}; accepted: a delta of 0, which is what the encoding can say"
        )
    ratio = None if claim.ratio is None else _number(claim.ratio)
    return {"epsilon": _number(claim.epsilon), "neighbours": claim.neighbours, "ratio": ratio, "source": claim.source}


# Reading


def from_json(text: str | bytes) -> Parts:
    """The parts in a JSON form. Raises: DataError for anything but an unchanged one."""
    if not isinstance(text, str | bytes):
        _refuse(f"is a {type(text).__name__}, not text")
    document = _parsed(text)
    if document.keys() != HEADER_KEYS | {"coefficients", "sha256"}:
        _refuse("does not have its keys; accepted: what `finitedp release compact` wrote")
    header = {key: document[key] for key in HEADER_KEYS}
    _check_version(header)
    try:
        raw = b64decode(_text(document["coefficients"], "coefficients", None), validate=True)
        found = sha256(_content(header, raw)).hexdigest()
    except (ValueError, OverflowError, RecursionError):
        _refuse("does not hold coefficients in base64")
    if found != document["sha256"]:
        _refuse("was changed: its hash is not the one that it states")
    return _parts(header, raw)


def from_bytes(data: bytes) -> Parts:
    """The parts in a binary form. Raises: DataError for anything but an unchanged one."""
    if not isinstance(data, bytes | bytearray | memoryview):
        _refuse(f"is a {type(data).__name__}, not bytes")
    whole = bytes(data)
    if not whole.startswith(MAGIC):
        _refuse("does not start as a compact histogram does")
    content, stated = whole[:-HASH], whole[-HASH:]
    if len(content) < PREFIX or sha256(content).digest() != stated:
        _refuse("was changed or cut short: its hash is not the one that it states")
    if content[len(MAGIC)] != VERSION:
        _refuse(f"has version {content[len(MAGIC)]}; accepted: {VERSION}")
    end = PREFIX + int.from_bytes(content[PREFIX - 4 : PREFIX], "big")
    header = _parsed(content[PREFIX:end])
    if header.keys() != HEADER_KEYS:
        _refuse("does not have its keys; accepted: what `finitedp release compact` wrote")
    _check_version(header)
    return _parts(header, content[end:])


def _refuse(what: str) -> NoReturn:
    raise DataError(f"the compact histogram {what}")


def _parsed(text: str | bytes) -> dict[str, Any]:
    """A JSON object whose keys are distinct and which has no float."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            _refuse("has a key twice")
        return dict(pairs)

    def no_float(number: str) -> NoReturn:
        _refuse(f"holds the float {number[:40]}")

    try:
        document = json.loads(text, object_pairs_hook=distinct, parse_float=no_float, parse_constant=no_float)
    except (ValueError, RecursionError) as error:  # also text that is not UTF-8, and integers of thousands of digits
        if isinstance(error, DataError):
            raise
        _refuse("is not JSON")
    if not isinstance(document, dict):
        _refuse("is not a JSON object")
    return document


def _check_version(header: Mapping[str, Any]) -> None:
    if header["format"] != FORMAT:
        _refuse(f"has the format {str(header['format'])[:40]!r}; accepted: {FORMAT!r}")
    if type(header["version"]) is not int or header["version"] != VERSION:
        _refuse(f"has version {str(header['version'])[:40]}; accepted: {VERSION}")
    _text(header["finitedp"], "version of finitedp")


def _parts(header: Mapping[str, Any], raw: bytes) -> Parts:
    level = _integer(header["field"], "field", 0, MOST_LEVEL)
    size = _element_bytes(level)
    if not raw or len(raw) % size:
        _refuse(f"has {len(raw)} bytes of coefficients, not a multiple of {size}")
    coefficients = tuple(int.from_bytes(raw[i : i + size], "big") for i in range(0, len(raw), size))
    try:
        return Parts(
            level,
            _mechanism(header["mechanism"], level, len(coefficients) - 1),
            _universe(header["universe"], level),
            coefficients,
            None if header["claim"] is None else _claim(header["claim"]),
            tuple(_accuracy(one) for one in _list(header["accuracy"], "accuracy")),
            _text(header["randomness"], "randomness"),
        )
    except FinitedpError as error:
        raise DataError(str(error)) from None


def _mechanism(header: Any, level: int, n: int) -> CountingMechanism:  # noqa: ANN401  # whatever the file holds
    name = header.get("name") if isinstance(header, dict) else None
    if not isinstance(name, str) or name not in MECHANISM_KEYS or header.keys() != MECHANISM_KEYS[name]:
        _refuse("is not one of GeoSample, FastSample or DyadicSample")
    if _integer(header["n"], "n", 1, n) != n:
        _refuse(f"has {n + 1} coefficients, which is not n + 1")
    epsilon = _text(header["epsilon"], "epsilon")
    if name == "GeoSample":
        geo = GeoSample(n, epsilon)
        _check_draws(geo.k * n, level)
        return geo
    if name == "DyadicSample":
        return _dyadic(header, level, n, epsilon)
    fast = FastSample(n, epsilon, _text(header["gamma"], "gamma"))
    _check_draws(fast.k * fast.t, level)
    return fast


def _dyadic(header: Mapping[str, Any], level: int, n: int, epsilon: str) -> DyadicSample:
    """The mechanism, whose table has at most n + 1 entries: no more than there are coefficients."""
    word = _integer(header["word"], "word", 2, LARGEST_WORD)
    _check_draws(word, level)
    dyadic = DyadicSample(n, epsilon, word)
    if _text(header["table"], "table") != _table_hash(dyadic):
        _refuse("was made with another dyadic table than this version of finitedp builds")
    return dyadic


def _check_draws(bits: int, level: int) -> None:
    """A mechanism's d has more than k n or k t bits, or 2^word values, and d is at most d_0."""
    if bits > element_bits(level):
        _refuse("has a field that is too small for its mechanism")


def _universe(header: Any, level: int) -> Universe[Any]:  # noqa: ANN401  # whatever the file holds
    kind, bits = header.get("kind") if isinstance(header, dict) else None, element_bits(level)
    if kind == "integers" and header.keys() == {"kind", "low", "high"}:
        return Integers(_integer(header["low"], "low"), _integer(header["high"], "high"))
    if kind == "strings" and header.keys() == {"kind", "most"}:
        return Strings(_integer(header["most"], "most", 0, bits // 8))
    if kind == "listed" and header.keys() == {"kind", "labels"}:
        labels = _list(header["labels"], "labels")
        if all(type(label) in (int, str) for label in labels):
            return Listed(labels)
    _refuse("has a universe of an unknown kind")


def _claim(header: Any) -> PrivacyClaim:  # noqa: ANN401  # whatever the file holds
    if not isinstance(header, dict) or header.keys() != {"epsilon", "neighbours", "ratio", "source"}:
        _refuse("has a claim of an unknown form")
    epsilon, neighbours = _text(header["epsilon"], "epsilon"), _text(header["neighbours"], "neighbours")
    ratio = None if header["ratio"] is None else _text(header["ratio"], "ratio")
    return PrivacyClaim(epsilon, neighbours, ratio=ratio, source=_text(header["source"], "source"))


def _accuracy(header: Any) -> Accuracy:  # noqa: ANN401  # whatever the file holds
    if not isinstance(header, dict) or header.keys() != {"a", "beta", "kind", "source"}:
        _refuse("has an accuracy of an unknown form")
    kind = header["kind"]
    if kind not in ("counting", "per-query", "simultaneous"):
        _refuse("has an accuracy of an unknown kind")
    a, beta = _integer(header["a"], "a", 0), _text(header["beta"], "beta")
    return Accuracy(a, beta, kind, _text(header["source"], "source"))


def _text(value: Any, name: str, longest: int | None = LONGEST_NUMBER) -> str:  # noqa: ANN401  # whatever the file holds
    if not isinstance(value, str) or (longest is not None and len(value) > longest):
        _refuse(f"has a wrong {name}: it must be a string" + (f" of at most {longest} characters" if longest else ""))
    return value


def _integer(value: Any, name: str, low: int | None = None, high: int | None = None) -> int:  # noqa: ANN401  # as above
    if type(value) is not int or (low is not None and value < low) or (high is not None and value > high):
        _refuse(f"has a wrong {name}")
    return value


def _list(value: Any, name: str) -> list[Any]:  # noqa: ANN401  # whatever the file holds
    if not isinstance(value, list):
        _refuse(f"has a wrong {name}: it must be a list")
    return value
