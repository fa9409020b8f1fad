"""Texts: a sampler that makes one, which may show where an object is, is not taken alone, and nothing of it is kept."""

import re
from contextlib import suppress
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest

from finitedp.errors import ExplorationError
from finitedp.impl.randomness.loops import Stop
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.alone.keys import NotPureError
from finitedp.proofs_check.engine.alone.reach import environment
from finitedp.proofs_check.engine.explorer import Budget, explore
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.plain import PlainCoins
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.alone.cells import cell
from tests.proofs_check.engine.alone.test_declared_samplers import found, taken

AROUND = """
import gmpy2, logging, math, numpy as np, random
from fractions import Fraction

TEXT, BYTES, TEXTS, NAMES, to_text = "%s", b"%a", (1, ("%s",)), frozenset(("%s", "%r")), str
LOG = logging.getLogger("nowhere")

class Held:
    text_of = "%s"

class Holding:
    def __init__(self, value): self.held_value = value
    def shown_value(self): return f"{self.held_value}"

class Shown:
    def __init__(self, value): self.held_value = value
    def __format__(self, form): return repr(self.held_value)
    __str__ = __repr__ = __format__

def a_text(coins): return "%s"
def remainder(left, right): return left % right
def by_default(value, text="%s"): return text % value
def by_a_named_default(value, *, text="%s"): return text % value
def by_any_name(value, **named):
    for name in named: return name % value
"""

SHOWING = {  # what a sampler makes of its coins, and why it is not taken alone
    'f"{coins}"': "shows a value",
    'f"{coins!r}"': "shows a value",
    'f"{coins!s:>9}"': "has the text|shows a value",
    'f"{coins!a}"': "shows a value",
    'f"{coins=}"': "shows a value",
    'f"{1:{len(TEXT)}}"': "reads the global TEXT|shows a value",
    'f"{int(coins.uniform(2))}"': "shows a value",
    "f'{[coins]}'": "shows a value",
    "f'{(lambda: coins)}'": "shows a value",
    "f'{(lambda: 0)}'": "shows a value",
    "f'{random}'": "random|shows a value",
    "str(coins)": "uses str: it makes texts",
    "to_text(coins)": "uses to_text: it makes texts",
    "str()": "uses str: it makes texts",
    "str(coins.__init__)": "uses str: it makes texts",
    "repr(coins)": "reads the global repr",
    "ascii(coins)": "reads the global ascii",
    "format(coins)": "reads the global format",
    "bytes(coins)": "uses bytes",
    "bytearray(BYTES) % coins": "uses bytearray|reads the global BYTES",
    "print(coins)": "reads the global print",
    "hash(coins)": "reads the global hash",
    "hex(id(coins))": "reads the global (hex|id)",
    "str(ValueError(coins))": "makes texts",
    "sorted([coins, coins], key=str)": "makes texts",
    "max((coins, 1), key=to_text)": "makes texts",
    "list(map(to_text, (coins,)))": "uses (map|to_text)",
    "'%s' % coins": "has the text '%s'",
    "'%r' % (coins,)": "has the text '%r'",
    "'%*d' % (3, 1)": "has the text",
    "'%s %s' % (1, (coins,))": "has the text|shows a value",
    "b'%a' % (coins,)": "has the text b'%a'",
    "('%' + 's') % (coins,)": "has the text '%'",
    "('%s', 1)[0] % coins": "has the text",
    "[text % 1 for text in ('%s',)]": "has the text",
    "[text % 1 for text in {'%s', '%r'}]": "(Set)",
    "[text % 1 for text in NAMES]": "reads the global NAMES",
    "(lambda: '%s')() % (coins,)": "has the text",
    "[f'{x}' for x in (coins,)]": "shows a value",
    "''.join([])": "has the text",
    "'{}'.format(coins)": "has the text",
    "'{0.__class__}'.format(coins)": "has the text",
    "str.__mod__(TEXT, coins)": "makes texts",
    "'%s'.__mod__(coins)": "has the text",
    "TEXT % coins": "reads the global TEXT, a text",
    "BYTES % (coins,)": "reads the global BYTES, a text",
    "TEXTS[1][0] % (coins,)": "reads the global TEXTS, a tuple with a text",
    "remainder(TEXT, coins)": "reads the global TEXT, a text",
    "a_text(coins) % (coins,)": "a_text.. .*has the text",
    "remainder(a_text(coins), (coins,))": "a_text.. .*has the text",
    "by_default(coins)": "has a text as a default",
    "by_a_named_default(coins)": "has a text as a default",
    "by_any_name(coins, **{'%s': 1})": "(Dict)",
    "Held().text_of % coins": "its attribute text_of is a text",
    "Holding('%s').held_value % coins": "has the text",
    "Holding(coins).shown_value()": "shows a value",
    "Shown(coins)": "its own __format__",
    "LOG.warning(coins)": "reads the global LOG",
    "coins.__class__.__name__": "attribute (__class__|__name__)",
    "coins.__repr__()": "attribute __repr__",
    "coins.__format__": "attribute __format__",
    "type(coins)": "uses type",
    "vars(coins)": "reads the global vars",
    "np.str_('%s') % coins": "has the text|str_|the global np",
    "gmpy2.mpz(7).digits()": "attribute digits",
    "math.__name__": "attribute __name__",
    "Fraction('1/2')": "has the text",
    "(1).to_bytes(1)": "attribute to_bytes",
}


def made(body: str, arguments: str = "") -> Any:
    """The functions above, and made(coins), which says whether it is true, after a draw."""
    return cell(f"{AROUND}\ndef made(coins{arguments}):\n    drawn = int(coins.uniform(2))\n    {body}\n    return drawn\n")


def reasons_of(program: Any, *samplers: Any) -> list[str]:
    """Why samplers are not taken alone, also where the program itself is refused."""
    declared = Declared.of(samplers)
    with suppress(ExplorationError, NameError, ValueError, TypeError, AttributeError):  # what the program does inline
        explore(program, Budget(bits=4, runs=20), samplers=declared)
    laws = [law for wrapper in declared._wrappers.values() for law in wrapper._laws.values()]
    assert all(isinstance(law, str) for law in laws)
    read = [_why_not_read(wrapper.original_sampler) for wrapper in declared._wrappers.values()] if not laws else []
    return [str(law) for law in laws] + read


def _why_not_read(function: FunctionType) -> str:
    with pytest.raises(NotPureError) as error:
        environment(function)
    return str(error.value)


@pytest.mark.parametrize(("shown", "reason"), SHOWING.items())
def test_what_makes_a_text_is_not_taken_alone(shown: str, reason: str) -> None:
    function = made(f"{shown}")["made"]
    reasons = reasons_of(lambda coins: function.__globals__["made"](coins), function)
    assert len(reasons) == 1
    assert re.search(reason, reasons[0])
    _why_not_read(function)  # as it is, it is no code that depends on nothing else either


@pytest.mark.parametrize("body", ["text %= coins", "drawn = drawn + len(text % (coins,))", "drawn = text"])
@pytest.mark.parametrize("text", ["%s", b"%a", ("%s",), (1, ("%s", 2))])
def test_a_sampler_that_is_given_a_text_is_run_inline(body: str, text: Any) -> None:
    function = made(body, ", text")["made"]
    declared = Declared.of([function])
    law = None
    with suppress(ExplorationError, TypeError):  # what it does inline
        law = explore(lambda coins: str(function.__globals__["made"](coins, text))[:2], Budget(bits=4), samplers=declared)
    (wrapper,) = declared._wrappers.values()
    assert wrapper._laws == {}
    assert law is None or taken(law) == {"made": "it is given a text"}


@pytest.mark.parametrize("named", [{"text": "%s"}, {"text": ("%s",)}])
def test_texts_by_name_are_arguments_too(named: Any) -> None:
    function = made("drawn = drawn + len(text)", ", text")["made"]
    law = found(lambda coins: function.__globals__["made"](coins, **named), function)
    assert taken(law) == {"made": "it is given a text"}


def test_names_of_arguments_are_texts_that_show_nothing() -> None:
    """A name in code has no %, and no other text is there to be put beside it."""
    function = made("drawn = drawn + sum([len(name % ()) for name in named])", ", **named")["made"]
    for name, why in (("abc", None), ("a%%", "it is given a text")):
        law = found(lambda coins, n=name: function.__globals__["made"](coins, **{n: 1}), function)  # type: ignore[misc]
        assert taken(law) == {"made": why}
        assert law.law() == Pmf({4: 1, 5: 1} if why is None else {3: 1, 4: 1})


@pytest.mark.parametrize("state", ["%s", ("%s", 1), 1])
def test_a_chain_is_kept_where_no_state_is_a_text(state: Any) -> None:
    """A step may show its coins with what it is given."""
    declared = Declared.of([])
    explore(lambda coins: cast(Any, coins).chain(_ends, state), Budget(), samplers=declared)
    kept = [key for key in declared.solver._kept if isinstance(key, tuple) and str(key[0]).startswith("('chain'")]
    assert len(kept) == (state == 1)


def _ends(coins: Any, state: Any) -> Any:
    return state if coins.uniform(2) == 1 else Stop(1)


def test_a_text_from_another_sampler_is_met_by_no_remainder() -> None:
    """Of the two, the one that makes the text is run inline, and what it gives the other reaches no copy."""
    space = made("return len(a_text(coins) % (coins,)) * 0 + drawn")
    reasons = reasons_of(lambda coins: space["made"](coins), space["made"], space["a_text"])
    assert len(reasons) >= 2
    assert all("has the text '%s'" in reason for reason in reasons)


def test_numbers_and_messages_that_are_never_reached_do_no_harm() -> None:
    """As Tumult Core's samplers check their arguments: an f-string for an error, and remainders of numbers."""
    body = "while drawn % 4 == 3: drawn = int(coins.uniform(4)) - 1"
    check = "if n < 1 or n % 1: raise ValueError(f'{n} is below 1, not ' + str(coins) + '%s' % coins)"
    space = cell(f"def made(coins, n):\n    {check}\n    drawn = 3\n    {body}\n    drawn %= 3\n    return drawn\n")
    law = found(lambda coins: space["made"](coins, 2), space["made"])
    assert taken(law) == {"made": None}
    assert law.law() == Pmf({0: 1, 1: 1, 2: 1})


def test_undecided_draws_are_shown_inline_as_what_they_are() -> None:
    """The program itself may show its draws, which decides them."""

    def program(coins: Any) -> str:
        drawn = coins.uniform(3)
        assert type(drawn) is (int if type(coins) is PlainCoins else LazyInt)
        return f"{drawn:>3}|{drawn!r}|%s|{np.int64(1)}" % drawn + str(drawn)

    assert explore(program, Budget()).law() == Pmf({f"  {k}|{k}|{k}|1{k}": 1 for k in (1, 2, 3)})
