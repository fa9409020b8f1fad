"""Cases of rational parameters as text: values by construction, from the digits that the text is made of.

What a parameter may be is said in docs/commands.md and by finitedp.exact: 'p/q' or a decimal, exact as it is written.
"""

from collections.abc import Iterator
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.vectors.groups import Dice, Group, acceptable, borders, refused, valid

_REFUSED = [
    # text, flag
    ("", "NotANumber"),
    (" ", "Blanks"),
    ("/", "NotANumber"),
    ("1/", "NotANumber"),
    ("/2", "NotANumber"),
    ("1//2", "NotANumber"),
    ("1/2/3", "NotANumber"),
    ("1 2", "Blanks"),
    ("1/0", "ZeroDenominator"),
    ("0/0", "ZeroDenominator"),
    ("-1/0", "ZeroDenominator"),
    ("1/000", "ZeroDenominator"),
    ("1/-2", "Sign"),
    ("1/+2", "Sign"),
    ("--1", "Sign"),
    ("+-1", "Sign"),
    ("- 1", "Sign"),
    ("1-", "Sign"),
    (".", "NotANumber"),
    ("1.", "Decimal"),
    ("1..2", "Decimal"),
    ("1.2.3", "Decimal"),
    ("1.2/3", "Decimal"),
    ("1/2.0", "Decimal"),
    ("1,5", "Decimal"),
    ("1_000", "NotANumber"),
    ("e5", "Exponent"),
    ("1e", "Exponent"),
    ("1e+", "Exponent"),
    ("1e1.5", "Exponent"),
    ("1e1/2", "Exponent"),
    ("inf", "NotANumber"),
    ("Infinity", "NotANumber"),
    ("nan", "NotANumber"),
    ("NaN", "NotANumber"),
    ("0x10", "NotANumber"),
    ("0x1p-3", "NotANumber"),
    ("0b1", "NotANumber"),
    ("one", "NotANumber"),
    ("1/2\x00", "NotANumber"),
    ("\u0661/\u0662", "NotANumber"),
    ("\u00bd", "NotANumber"),
    ("\uff11", "NotANumber"),
    ("\u22121", "Sign"),
    ("1\u20442", "NotANumber"),
    ("1%", "NotANumber"),
    ("1/2;", "NotANumber"),
    ("(1/2)", "NotANumber"),
]


def _valid(dice: Dice, many: int) -> Iterator[tuple[str, mpq, list[str]]]:
    """Texts of 'p/q', integers and decimals, with what they denote."""
    numbers = [0, 1, 2, 7, 10, 255, *(x for k in (31, 32, 53, 63, 64, 100) for x in ((1 << k) - 1, 1 << k, (1 << k) + 1))]
    for x in numbers:
        for minus in (1, -1):
            yield str(minus * x), mpq(minus * x), borders(x) or ["Basic"]
            if x:
                yield f"{minus}/{x}", mpq(minus, x), borders(x) or ["Basic"]
    for a, b in ((2, 4), (6, 3), (10, 100), (0, 5), (1 << 64, 1 << 63), (3 * ((1 << 53) + 1), 3)):
        yield f"{a}/{b}", mpq(a, b), ["LowestTerms", *borders(a, b)]
    for whole, places in (
        ("0", "1"),
        ("0", "3"),
        ("1", "95"),
        ("0", "000001"),
        ("12", "340"),
        ("0", "0"),
        ("9007199254740993", "5"),
    ):
        yield f"{whole}.{places}", mpq(int(whole + places), 10 ** len(places)), ["Decimal"]
        yield f"-{whole}.{places}", -mpq(int(whole + places), 10 ** len(places)), ["Decimal"]
    yield (
        "0.1000000000000000055511151231257827021181583404541015625",
        mpq(3602879701896397, 1 << 55),
        ["Decimal", "Float"],
    )  # the double beside 1/10
    for _ in range(many):
        a, b = dice.bits(1 + dice.below(90)), 1 + dice.bits(1 + dice.below(90))
        places = str(dice.bits(1 + dice.below(80)))
        yield f"{a}/{b}", mpq(a, b), ["Basic"]
        yield f"{a}.{places}", mpq(int(str(a) + places), 10 ** len(places)), ["Decimal"]


def _tolerated() -> Iterator[tuple[str, mpq, str]]:
    """What has one meaning, and other readers may refuse."""
    half = mpq(1, 2)
    for text in (" 1/2", "1/2 ", "1 / 2", "\t1/2\n", " 1/2 \r\n", "\u00a01/2"):
        yield text, half, "Blanks"
    for text in ("+1/2", "+0.5"):
        yield text, half, "Sign"
    for text, number in (
        ("1e-6", mpq(1, 10**6)),
        ("1E-6", mpq(1, 10**6)),
        ("2.5e3", mpq(2500)),
        ("1e+2", mpq(100)),
        ("5e0", mpq(5)),
    ):
        yield text, number, "Exponent"
    for text, number in ((".5", half), ("-.5", -half), ("00.50", half), ("001/002", half), ("-0", mpq(0)), ("-0/7", mpq(0))):
        yield text, number, "Decimal"
    yield "1e-999", mpq(1, 10**999), "Exponent"


def parse_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Parse."""
    dice, tests = Dice("parse"), list[dict[str, Any]]()
    for text, number, flags in _valid(dice, 400 if large else 15):
        tests.append(valid(f"{text[:40]!r}", flags, text=text.encode().hex(), value=number))
    for text, number, flag in _tolerated():
        tests.append(acceptable(f"{text[:40]!r}", [flag], text=text.encode().hex(), value=number))
    for text, flag in _REFUSED:
        tests.append(refused(f"{text[:40]!r}", [flag], text=text.encode().hex()))
    yield {}, tests
