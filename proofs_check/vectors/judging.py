"""What an answer to a case is worth: right, wrong, or no answer of the protocol at all."""

import json
import re
from collections.abc import Mapping
from fractions import Fraction

from finitedp.proofs_check.vectors.kinds import KINDS, Case

RIGHT, WRONG, NONSENSE, OTHER, CASE = "right", "wrong", "nonsense", "another case", "tcId"
"""The verdicts on a line, and the key by which it names its case."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_RATIONAL = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?", re.ASCII)
LONGEST = 200  # characters of a value that are shown


class _NonsenseError(Exception):
    """An answer that does not follow the protocol."""


def judge(case: Case, line: str) -> tuple[str, str]:
    """A verdict on the line that a program answered, and why. Never raises."""
    try:
        answer = _answer(line)
        if answer.get(CASE) != case.name:
            return OTHER, f"answered {_shown(answer.get(CASE, 'no case'))} where {case.name} was asked"
        return _compared(case, answer)
    except _NonsenseError as error:
        return NONSENSE, str(error)


def _answer(line: str) -> dict[str, str]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise _NonsenseError(f"the answer is no JSON: {_shown(line)}") from None
    if not isinstance(answer, dict) or not all(isinstance(value, str) for value in answer.values()):
        raise _NonsenseError(f"the answer is no JSON object of texts: {_shown(line)}")
    return answer


def _compared(case: Case, answer: Mapping[str, str]) -> tuple[str, str]:
    """The verdict on an answer to this very case."""
    result, expected, kind = answer.get("result"), case.test["result"], KINDS[case.kind]
    if result not in ("valid", "invalid"):
        raise _NonsenseError(f"the answer's result is {_shown(result)}; accepted: valid, invalid")
    if result == "invalid":
        reason = answer.get("reason", "")
        if reason and kind.reasons and reason not in kind.reasons:
            raise _NonsenseError(f"the reason is {_shown(reason)}; accepted: {', '.join(kind.reasons)}, or none")
        if expected == "valid":
            return WRONG, "refused" + (f" ({reason})" if reason else "") + ", and it is valid"
        if reason and reason not in case.test.get("reasons", [reason]):
            return WRONG, f"refused for {reason}, which holds; what fails is {', '.join(case.test['reasons'])}"
        return RIGHT, ""
    if expected == "invalid":
        return WRONG, f"accepted, and it is to be refused: {case.test['comment']}"
    for name, value in kind.outputs.items():
        wrong = _differs(value, name, case, answer)
        if wrong:
            return WRONG, wrong
    return RIGHT, ""


def _differs(kind: str, name: str, case: Case, answer: Mapping[str, str]) -> str:
    """How an output differs from what is expected, or nothing."""
    expected = case.test[name]
    if kind == "interval":
        low, high = (_number(answer, end) for end in ("low", "high"))
        exact, within = Fraction(expected), Fraction(case.test["within"])
        if not low <= exact <= high:
            return f"{name} = {_shown(expected)} is not in {_shown(answer['low'])} .. {_shown(answer['high'])}"
        return "" if high - low <= within else f"the interval around {name} is wider than {case.test['within']}"
    given = _text(answer, name)
    if kind == "one of":
        return "" if given in expected else f"{name} = {_shown(given)}; expected one of {_shown(' '.join(expected))}"
    if kind == "law":
        weights, wanted = [_whole(part, name) for part in given.split()], [int(part) for part in expected]
        whole, of = sum(weights), sum(wanted)
        same = whole > 0 and [w * of for w in weights] == [w * whole for w in wanted]
        return "" if same else f"{name} = {_shown(given)}; expected the law of {_shown(' '.join(expected))}"
    listed: list[str] = expected if isinstance(expected, list) else expected.split()
    if kind in ("rational", "rationals") or (kind == "ratio" and given != "infinite"):
        numbers = [_rational(part, name) for part in given.split()]
        same = "infinite" not in listed and numbers == [Fraction(part) for part in listed]
    elif kind in ("integer", "integers"):
        same = [_whole(part, name) for part in given.split()] == [int(part) for part in listed]
    else:
        same = given.split() == listed
    return "" if same else f"{name} = {_shown(given)}; expected {_shown(' '.join(listed))}"


def _text(answer: Mapping[str, str], name: str) -> str:
    if name not in answer:
        raise _NonsenseError(f"the answer has no {name}")
    return answer[name]


def _number(answer: Mapping[str, str], name: str) -> Fraction:
    return _rational(_text(answer, name), name)


def _rational(text: str, name: str) -> Fraction:
    if not _RATIONAL.fullmatch(text):
        raise _NonsenseError(f"{name} = {_shown(text)} is no rational 'p/q'")
    return Fraction(text)


def _whole(text: str, name: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise _NonsenseError(f"{name} = {_shown(text)} is no integer in decimal digits")
    return int(text)


def _shown(text: object) -> str:
    told = repr(text) if not isinstance(text, str) else ascii(text)[1:-1]
    return told if len(told) <= LONGEST else told[:LONGEST] + "..."
