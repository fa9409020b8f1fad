"""finitedp.proofs_check.engine.stand_ins.chains: answers at every word of small draws, compared with the arithmetic itself."""

import math
import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpz

from finitedp.proofs_check.engine.stand_ins import chains
from finitedp.proofs_check.engine.stand_ins.chains import WORD, Chain, OutsideError, Step, WideError, answers
from finitedp.proofs_check.engine.stand_ins.libm import FUNCTIONS, assumption, numpy_assumption
from finitedp.proofs_check.engine.stand_ins.numpy_functions import LIBRARY

LOG = FUNCTIONS["log"]
HALF = Step(("-", "0.5"), lambda v: v - 0.5)
NEGATED = Step(("neg", ""), operator.neg, rising=False)
ROUNDED = Step(("round", "0"), lambda v: round(v, 0))
SHIFTED = Step(("+", "1"), lambda v: v + 1)
LOGARITHM = Step(("libm", "log"), LOG.real, function=LOG)
ROOT = Step(("libm", "sqrt"), math.sqrt, function=FUNCTIONS["sqrt"])
FALLING = Step(("r/", "1"), lambda v: 1 / v, rising=False)


def as_asked(chain: Chain, low: int, high: int, question: str, number: Any) -> dict[int, bool]:
    """The answers word by word, from the runs."""
    answer, turns = answers.__wrapped__(chain, low, high, question, number)
    assert list(turns) == sorted(set(turns))
    assert all(low < turn <= high for turn in turns)
    return {word: answer != (sum(turn <= word for turn in turns) % 2 == 1) for word in range(low, high + 1)}


CHAINS = [
    Chain(3),
    Chain(3, (HALF,)),
    Chain(3, (HALF, NEGATED)),
    Chain(3, (NEGATED, NEGATED)),
    Chain(3, (HALF, ROUNDED)),
    Chain(3, (HALF, NEGATED, ROUNDED)),
    Chain(3, (SHIFTED, FALLING)),
    Chain(3, (SHIFTED, LOGARITHM)),
    Chain(3, (SHIFTED, LOGARITHM, NEGATED)),
    Chain(3, (ROOT,)),
    Chain(3, (SHIFTED, ROOT, LOGARITHM, NEGATED)),
]
ASKED: dict[str, Callable[[float, Any], bool]] = {
    ">": lambda value, number: value > number,
    ">=": lambda value, number: value >= number,
    "floor": lambda value, number: math.floor(value) >= number,
    "ceil": lambda value, number: math.ceil(value) >= number,
    "int": lambda value, number: int(value) >= number,
    "round": lambda value, number: round(value) >= number,
    "sign": lambda value, _number: str(value)[0] != "-",
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("question", ASKED)
def test_answers_are_those_of_every_word(chain: Chain, question: str) -> None:
    numbers = {chain.at(word) for word in range(17)} | {0.3, -0.3} if question in (">", ">=") else {-2, -1, 0, 1, 2}
    for (low, high), number in product([(0, 16), (3, 9), (5, 5), (4, 5), (0, 1)], numbers):
        expected = {word: ASKED[question](chain.at(word), number) for word in range(low, high + 1)}
        assert as_asked(chain, low, high, question, number) == expected


@pytest.mark.parametrize("every", [2, 3])
@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0, 40), (11, 29), (19, 21), (20, 20)])
def test_a_function_that_is_not_monotone_is_followed_word_by_word(every: int, falling: bool, low: int, high: int) -> None:
    """At one end of its interval or the other, where a word moves it by less than the interval's length."""

    def real(v: float) -> float:
        return LOG.around(v, v)[int(v * 2**52) % every == 0]

    jagged = evolve(LOG, name=f"jagged {every}", real=real)
    fine = Step(("*", "fine"), lambda v: 1.5 + v)
    steps = (fine, Step(("libm", f"jagged {every}"), jagged.real, function=jagged), *((NEGATED,) if falling else ()))
    chain = Chain(52, steps)
    for word in range(low, high + 1):
        bound = chain.at(word)
        for question in (">", ">="):
            expected = {w: ASKED[question](chain.at(w), bound) for w in range(low, high + 1)}
            assert as_asked(chain, low, high, question, bound) == expected


def test_words_beyond_the_draw_are_not_asked() -> None:
    """1 - v is 0 at the word 8, where the logarithm is not defined; and so it is below 0."""
    left = Step(("r-", "1"), lambda v: 1 - v, rising=False)
    for steps in ((left, LOGARITHM), (LOGARITHM,)):
        for number in (-100, 100):
            low, high = (0, 7) if len(steps) == 2 else (1, 8)
            assert as_asked(Chain(3, steps), low, high, ">", number) == dict.fromkeys(range(low, high + 1), number < 0)


def test_a_value_outside_of_its_bracket_is_noticed() -> None:
    for off in (-3, 3):
        wrong = evolve(LOG, name=f"off {off}", real=lambda v, off=off: math.log(v) + off * math.ulp(math.log(v)))  # type: ignore[misc]
        with pytest.raises(OutsideError, match="not in"):
            answers(Chain(3, (SHIFTED, Step(("libm", wrong.name), wrong.real, function=wrong))), 1, 8, ">", 0.3)


def test_as_many_words_as_a_window_has(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = evolve(LOG, name="wide", wide=True)
    chain = Chain(53, (SHIFTED, Step(("libm", "wide"), LOG.real, function=wide)))
    bound, words = chain.at(1 << 52), (0, 1 << 53)
    found = answers.__wrapped__(chain, *words, ">", bound)
    ends = sorted(chains._least(*words, lambda word, end=end: chain.around(word)[end] > bound) for end in (0, 1))  # type: ignore[misc]
    monkeypatch.setattr(chains, "WINDOW", ends[1] - ends[0])
    assert answers.__wrapped__(chain, *words, ">", bound) == found
    monkeypatch.setattr(chains, "WINDOW", ends[1] - ends[0] - 1)
    with pytest.raises(WideError):
        answers.__wrapped__(chain, *words, ">", bound)


@pytest.mark.parametrize("word", [0, 1, 2**53 - 1, 2**53, 2**53 + 1, 2**60 + 2**7 + 1, -(2**60) - 2**7 - 1, -5, 10**300])
def test_the_first_float_is_rounded_as_python_rounds(word: int) -> None:
    for down in (0, 3, WORD):
        assert Chain(down).first(word) == Chain(down).first(mpz(word)) == Chain(down).at(word) == float(word) / 2**down


def test_what_is_assumed_of_libraries() -> None:
    numpys = Step(("libm", "np.log"), LOG.real, function=LIBRARY["log"])
    assert Chain(3, (SHIFTED, ROOT, NEGATED)).assumptions == set()
    assert Chain(3, (SHIFTED, LOGARITHM)).assumptions == {assumption()}
    assert Chain(3, (SHIFTED, numpys)).assumptions == {numpy_assumption()}
    assert Chain(3, (SHIFTED, LOGARITHM, numpys)).assumptions == {assumption(), numpy_assumption()}
    assert [step.assumes for step in (ROOT, LOGARITHM, NEGATED, numpys)] == [False, True, False, True]
    assert [chain.rising for chain in CHAINS] == [True, True, False, True, True, False, False, True, False, True, False]


def test_steps_are_told_apart_by_their_keys() -> None:
    assert Step(("+", "1"), lambda v: v, rising=False) == Step(("+", "1"), lambda v: v + 1)
    assert Step(("+", "1"), operator.neg) != Step(("+", "2"), operator.neg)
    assert len({Step(("+", "1"), lambda v: v), Step(("+", "1"), lambda v: v + 1)}) == 1


def test_brackets() -> None:
    assert Chain(1, (NEGATED,)).around(1) == (-0.5, -0.5)
    low, high = Chain(1, (SHIFTED, LOGARITHM, NEGATED)).around(1)
    assert low < -math.log(1.5) < high
    assert NEGATED.around((1.0, 2.0)) == (-2.0, -1.0)
    assert SHIFTED.around((1.0, 2.0)) == (2.0, 3.0)
    assert ROOT.around((4.0, 9.0)) == (2.0, 3.0)
