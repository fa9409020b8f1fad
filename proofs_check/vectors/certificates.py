"""Cases of certificates of dyadic tables: bytes that are one, damaged ones, and documents whose table is none."""

import json
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.vectors.groups import Group, refused, valid
from finitedp.proofs_check.vectors.tables import Table, built

Document = dict[str, Any]


def _document(table: Table, epsilon: mpq, ratio: mpq) -> Document:
    """The certificate of a table, as docs/dyadic.md describes it."""
    fields = table.fields
    written = {"epsilon": str(epsilon), "ratio": str(ratio), **{name: fields[name] for name in ("n", "tail", "last")}}
    return {"format": "finitedp dyadic table", "version": 1, "bits": table.bits, **written, "head": fields["head"]}


def _changes(right: Document) -> Iterator[tuple[object, str, str]]:
    """What is no certificate: a document, a flag, a comment."""
    for key in right:
        yield {k: v for k, v in right.items() if k != key}, "Format", f"without {key}"
    yield {**right, "note": ""}, "Format", "with a key that is not known"
    for version in (0, 2, "1", 1.0, True, None):
        yield {**right, "version": version}, "Format", f"version {version!r}"
    yield {**right, "format": "finitedp dyadic tables"}, "Format", "another format"
    for key in ("n", "tail", "last"):
        number = right[key]
        yield {**right, key: int(number)}, "JsonType", f"{key} as a number"
        for text in (
            f"0{number}",
            f"+{number}",
            f" {number}",
            f"{number} ",
            f"{number}.0",
            "",
            f"{number}e0",
            "-1",
            f"0x{number}",
        ):
            yield {**right, key: text}, "Digits", f"{key} = {text!r}"
        arabic = "".join(chr(0x660 + int(digit)) for digit in number)
        yield {**right, key: arabic}, "Digits", f"{key} in Arabic digits"
    yield {**right, "head": " ".join(right["head"])}, "JsonType", "head as text"
    yield {**right, "head": [int(w) for w in right["head"]]}, "JsonType", "head of numbers"
    yield {**right, "head": [*right["head"][:-1], [right["head"][-1]]]}, "JsonType", "a list within head"
    yield {**right, "head": [f"0{right['head'][0]}", *right["head"][1:]]}, "Digits", "a leading 0 in head"
    for bits in (str(right["bits"]), float(right["bits"]), 0, -1, True, 5000):
        yield {**right, "bits": bits}, "JsonType", f"bits = {bits!r}"
    for key in ("epsilon", "ratio"):
        for text in (
            "",
            "1/0",
            "/",
            "1/",
            "/2",
            "1//2",
            "-1",
            "0",
            "0.5",
            "01/2",
            "1/02",
            "1e1",
            "1/2/3",
            " 1",
            "\u0661",
            "1/-2",
        ):
            yield {**right, key: text}, "Digits", f"{key} = {text!r}"
        yield {**right, key: 1}, "JsonType", f"{key} as a number"
        yield {**right, key: None}, "JsonType", f"{key} is null"
    yield [right], "NotJson", "a list"
    yield "finitedp dyadic table", "NotJson", "a text"


_TABLES = [(5, "5", 64), (40, "2", 64), (12, "4", 128), ((1 << 53) + 1, "4", 64), (3, "1/2", 16)]


def certificate_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Certificate."""
    tests = list[dict[str, Any]]()
    for i, (n, epsilon, bits) in enumerate(_TABLES if large else _TABLES[:4]):
        ratio, table = built(n, mpq(epsilon), bits)
        if table is None:
            continue
        right = _document(table, mpq(epsilon), ratio)
        made = [*_as_it_may_be(right), *_other_tables(right, table, mpq(epsilon), ratio)]
        if i == 0 or large:
            made += [
                *_damaged(right),
                *(_certificate(_text(d), told, [flag], right=False) for d, flag, told in _changes(right)),
            ]
        wide = {"WideWord"} if bits > 64 else set()
        tests += [{**test, "flags": sorted({*test["flags"], *wide})} for test in made]
    yield {}, [*tests, *_limits()]


def _limits() -> Iterator[dict[str, Any]]:
    """Tables of n = 1 with w_0 = 2, which have no head, at the limits of a certificate and one beyond them."""

    def of(bits: int, epsilon: str, ratio: str) -> Document:
        table = Table(bits, 1, (), 2, (1 << (bits - 1)) - 1)
        return {**_document(table, mpq(1), mpq(1)), "epsilon": epsilon, "ratio": ratio}

    small, wide = of(16, "1", "3/2"), ["Limits", "WideWord", "WidestWord"]
    yield _certificate(_text(small), "an empty head", ["NoHead"], right=True)
    headless = {key: value for key, value in small.items() if key != "head"}
    yield _certificate(_text(headless), "no head, where it would be empty", ["Format", "NoHead"], right=False)
    yield _certificate(_text(of(4096, "1", "3/2")), "words of 4096 bits", wide, right=True)
    yield _certificate(_text(of(4097, "1", "3/2")), "words of 4097 bits", wide, right=False)
    tenth, above = mpq(10**498 + 1, 10**499), "1001/1000"
    for epsilon, ratio in (
        (str(tenth), above),
        (str(tenth / 10), above),
        ("1", str(mpq(10**499 + 1, 999 * 10**496))),
        ("1", str(mpq(1001 * 10**496 + 1, 10**499))),
    ):
        name, size = max(("epsilon", len(epsilon)), ("R", len(ratio)), key=itemgetter(1))
        told = f"{name} of {size:,} characters"
        yield _certificate(_text(of(16, epsilon, ratio)), told, ["Limits"], right=size <= 1000)


def _as_it_may_be(right: Document) -> Iterator[dict[str, Any]]:
    """The certificate of a table, as it is written and in other ways."""
    large = ["LargeNumbers"] if right["bits"] > 53 else ["Basic"]
    yield _certificate(_text(right), "a certificate", large, right=True)
    yield _certificate(_text(dict(sorted(right.items()))), "its keys in another order", ["Format"], right=True)
    yield _certificate(json.dumps(right, indent=2).encode(), "over several lines", ["Format"], right=True)
    escaped = json.dumps(right).replace("finitedp", "\\u0066initedp").encode()
    yield _certificate(escaped, "a text with an escape", ["Format"], right=True)
    if int(right["n"]) > len(right["head"]) + 1:
        longer = {**right, "head": [*right["head"], right["tail"]]}
        yield _certificate(_text(longer), "a head that is longer than it must be", ["LongHead"], right=True)
    epsilon = mpq(right["epsilon"])
    twice = {**right, "epsilon": f"{2 * epsilon.numerator}/{2 * epsilon.denominator}"}
    yield _certificate(_text(twice), "epsilon not in lowest terms", ["LowestTerms"], right=True)
    for key in ("epsilon", "ratio"):
        number = mpq(right[key])
        for text in (f"0{number.numerator}/{number.denominator}", f"{number.numerator}/0{number.denominator}"):
            yield _certificate(_text({**right, key: text}), f"a leading 0 in {key}", ["Digits"], right=False)


def _text(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def _certificate(text: bytes, comment: str, flags: list[str], *, right: bool) -> dict[str, Any]:
    return (valid if right else refused)(comment, flags, text=text.hex())


def _damaged(right: Document) -> Iterator[dict[str, Any]]:
    """Bytes that are no JSON object, and objects with a key twice."""
    text = _text(right)
    for key in ("epsilon", "n", "last", "head", "bits"):
        for other in (right[key], "1"):
            twice = text[:-1] + f', "{key}": {json.dumps(other)}}}'.encode()
            yield _certificate(twice, f"{key} twice", ["DuplicateKey"], right=False)
            yield _certificate(
                b'{"' + key.encode() + b'": ' + json.dumps(other).encode() + b", " + text[1:],
                f"{key} twice",
                ["DuplicateKey"],
                right=False,
            )
    for damaged, told in (
        (b"", "nothing"),
        (text[:-1], "cut off"),
        (text + b"}", "more behind it"),
        (text[:40], "cut off early"),
    ):
        yield _certificate(damaged, told, ["NotJson"], right=False)
    yield _certificate(text[:-1] + b",}", "a comma behind the last value", ["NotJson"], right=False)
    for sign in (b"0", b"+"):
        signed = text.replace(b'"bits": ', b'"bits": ' + sign)
        yield _certificate(signed, f"{sign.decode()} before bits", ["Digits"], right=False)
    yield _certificate(text.replace(b'"', b"'"), "single quotes", ["NotJson"], right=False)
    yield _certificate(text.replace(b"finitedp", b"finited\xff", 1), "bytes that are not UTF-8", ["NotJson"], right=False)


def _other_tables(right: Document, table: Table, epsilon: mpq, ratio: mpq) -> Iterator[dict[str, Any]]:
    """Documents of the right form whose table is none."""
    changed = [
        ({**right, "epsilon": str(epsilon / 2)}, "OtherEpsilon", "the table of twice epsilon"),
        ({**right, "ratio": str(ratio + mpq(1, ratio.denominator))}, "RatioNear", "R one unit above e^(epsilon/2)"),
        ({**right, "ratio": "1"}, "RatioOne", "R = 1"),
        ({**right, "last": str(table.last - 1)}, "WrongSum", "w_n one less"),
        ({**right, "last": str(table.last + 1)}, "WrongSum", "w_n one more"),
        ({**right, "n": str(table.n + 1)}, "WrongSum", "n one more"),
        ({**right, "bits": table.bits + 1}, "WrongSum", "a bit more"),
        ({**right, "head": right["head"][1:]}, "WrongSum", "a head without w_0"),
        ({**right, "n": str(len(table.head))}, "BadShape", "n weights in the head"),
        ({**right, "n": "0"}, "BadShape", "n = 0"),
        ({**right, "tail": "0"}, "BadShape", "a tail of zeros"),
    ]
    for document, flag, told in changed:
        yield _certificate(_text(document), told, [flag], right=False)
