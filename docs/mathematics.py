"""Statements of the ledger, which are plain text, with their mathematics set: Greek letters, signs, powers and indices."""

import re
from html import escape

_NAMES = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu pi rho sigma tau phi omega Delta Phi Omega"
GREEK = dict(zip(_NAMES.split(" "), "αβγδεζηθκλμπρστφωΔΦΩ", strict=True))
SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "*": "·", "sqrt": "√"}

_GREEK = rf"(?:{'|'.join(GREEK)})"
_LETTER = rf"(?:{_GREEK}|[A-Za-z])"
_TOKEN = re.compile(
    rf"(?P<code>`[^`]+`|(?<![\w.])[A-Za-z]\w*(?:\.\w+)+(?![\w.])|(?<![\w^])(?!{_LETTER}_|(?:max|min|log)_)[A-Za-z]\w*_\w+)"
    rf"|(?<![A-Za-z])(?P<greek>{_GREEK})(?![A-Za-z])"
    r"|(?P<sign><=|>=|!=|->|(?<= )\*(?= )|\bsqrt\b)"
    r"|(?P<raised>\^(?=[\w({+-]))|(?P<lowered>(?<=[\w')|])_(?=[\w{(]))"
    r"|(?<![\w'.-])(?P<letter>[b-zB-HJ-Z]|[aA](?=[_^]|'? (?:[<>]=?|[=+/*-]|!=|->) ))(?![A-Za-z0-9]|'[a-z]|-[a-z]{2})"
)
_EXPONENT = re.compile(rf"[+-]?(?:{_GREEK}|[A-Za-z]+|\d+)(?:_\w+)?\+?")
_INDEX = re.compile(rf"(?:{_GREEK}|\d+|[A-Za-z]+\d*)\+?")
_CLOSING = {"(": ")", "{": "}"}


def set_mathematics(text: str) -> str:
    """A statement as HTML in a line: e^(-m epsilon) as e with -m ε above it, and names of code as code."""
    done, place = [], 0
    while found := _TOKEN.search(text, place):
        done.append(escape(text[place : found.start()], quote=False))
        if found.lastgroup in ("raised", "lowered"):
            tag, shape = ("sup", _EXPONENT) if found.lastgroup == "raised" else ("sub", _INDEX)
            inner, place = _argument(text, found.end(), shape)
            done.append(f"<{tag}>{set_mathematics(inner)}</{tag}>")
        else:
            done.append(_as_html(str(found.lastgroup), found[0]))
            place = found.end()
    return "".join([*done, escape(text[place:], quote=False)])


def _as_html(kind: str, token: str) -> str:
    if kind == "code":
        return f"<code>{escape(token.strip('`'), quote=False)}</code>"
    if kind == "letter":
        return f"<i>{token}</i>"
    return GREEK[token] if kind == "greek" else SIGNS[token]


def _argument(text: str, start: int, shape: re.Pattern[str]) -> tuple[str, int]:
    """What stands above or below, and where it ends: all between brackets, without them, or one number or name."""
    closing = _CLOSING.get(text[start])
    if closing is None:
        found = shape.match(text, start)
        return (found[0], found.end()) if found else (text[start], start + 1)
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == text[start]) - (text[place] == closing)
        if depth == 0:
            return text[start + 1 : place], place + 1
    return text[start], start + 1
