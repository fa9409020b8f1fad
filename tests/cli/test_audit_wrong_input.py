"""finitedp audit, called with what is wrong, as a new user does: one line, exit code 2, and the next step."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main

CODE = """
def good(count, rng):
    return count + rng.randrange(3)


def raises(count, rng):
    if rng.randrange(3) == 1:
        raise ValueError("no")
    return 1


def floats(count, rng):
    return count + rng.random()


def wide(count, rng):
    return count + rng.randrange(10**12) // 7


def wants_list(rows, rng):
    return sum(rows + [0]) + rng.randrange(2)


def changes(rows, rng):
    rows.append(1)


def for_coins(count, coins):
    return count + coins.integer(2)


async def waits(count, rng):
    return 1


def prints(count, rng):
    print("x")


def leaves(count, rng):
    raise SystemExit(3)


class Empty:
    pass


class Scaled:
    def __init__(self, scale):
        self.release = lambda count, rng: count // scale
"""
COUNTS = "--epsilon 1 --neighbours counts --n 1 --jobs 1"
BIT = "--epsilon 1 --neighbours replace-one --universe 0,1 --n 1 --jobs 1"
PLACE = "; accepted: file.py:function or package.module:function"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "open.py").write_text("def f(count, rng:\n")
    monkeypatch.chdir(tmp_path)


def refused(words: str) -> str:
    """The line that refuses it."""
    result: Result = CliRunner().invoke(main, words.split(), terminal_width=10_000)
    assert result.exit_code == 2
    (line,) = result.output.splitlines()
    return line.removeprefix("Error: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("code.py:nope", "code.py has no 'nope'; accepted: good, raises, floats, wide, wants_list, changes, ..."),
        ("open.py", "open.py is not Python: '(' was never closed (open.py, line 1)"),
        ("code.py:", "'code.py:' is no file; accepted: FILE.py:FUNCTION, package.module:function or FILE.toml"),
        (".", "'.' is no file; accepted: FILE.py:FUNCTION"),
        ("code.py:good --renyi 2,", "--renyi '2,' is not of the form ORDER,EPSILON"),
        (
            "code.py:good --style none",
            "its style says that it draws from nothing, and it has a parameter 'rng'; say it: style",
        ),
        (
            "code.py:good --style coins",
            "its style says finitedp's Coins; random.Random or numpy? --style random, --style numpy",
        ),
        ("code.py:for_coins", "coins was taken for finitedp's Coins; random.Random or numpy? --style random"),
        ("code.py:good --budget bits=x", "budget.bits: 'x' is not valid under any of the given schemas: 'x' is not of type "),
        ("code.py:good --budget run=1", "('run' was unexpected); accepted: bits, runs, depth, draws, fanout, inputs"),
        ("code.py:good --sampler foo", PLACE),
        ("code.py:good --sampler random:randrange", "the sampler 'Random.randrange' is no function that its module names; "),
        (
            "code.py:good --accuracy 1,1/2 --truth foo",
            f"accuracy.truth: 'foo' does not match '^[^:]+:[A-Za-z_][A-Za-z0-9_.]*$'{PLACE}",
        ),
        ("code.py:raises", "the mechanism raised ValueError: no; in raises, code.py:8"),
        ("code.py:floats", "at the input 0: the output needs the value of a float that is one of very many"),
        ("code.py:wide", "at the input 0: the output needs the value of a draw that can still take "),
        ("code.py:waits", "the mechanism is a coroutine; accepted: a function that returns its output"),
        (
            "code.py:prints",
            "the mechanism prints 'x\\n', which is an output that is not looked at; accepted: it in what is returned",
        ),
        ("code.py:leaves", "the mechanism left by SystemExit; accepted: a function that returns its output"),
        ("code.py:Empty", "code.py:Empty is a class without a method `release`; accepted: one with it, or a function"),
        ("code.py:Scaled", "missing 1 required positional argument: 'scale'; the parameters given: none"),
        ("code.py:Scaled --parameter scales=2", "; the parameters given: scales"),
    ],
)
def test_the_options_for_counts(words: str, message: str) -> None:
    assert message in refused(f"audit {words} {COUNTS}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "code.py:wants_list",
            "(not \"list\") to tuple; its rows are a tuple, with rows = 'list' a list; in wants_list, code.py:",
        ),
        ("code.py:changes --rows list", "changes its input, to [0, 1]; accepted: to change a copy, list(data)"),
    ],
)
def test_rows_of_the_wrong_kind(words: str, message: str) -> None:
    assert message in refused(f"audit {words} {BIT}")


def test_what_is_made_may_have_its_release_as_an_attribute() -> None:
    result = CliRunner().invoke(main, f"audit code.py:Scaled --parameter scale=9 {COUNTS}".split())
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "Audits: 1, 1 as claimed.")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("foo = 3", "('foo' was unexpected); accepted: name, mechanism, table, command, style, rows, samplers, primitives, "),
        ('mechanism = "foo"', f"mechanism: 'foo' does not match '^[^:]+:[A-Za-z_][A-Za-z0-9_.]*$'{PLACE}"),
        ("accuracy = {a = 1}", "accuracy: 'beta' is a required property"),
        (
            "accuracy = {a = 1, beta = 0.1}",
            "accuracy.beta: 0.1 is not of type 'string', 'integer'; a float is refused: write it",
        ),
        ("n = [1, 1.5]", "n[1]: 1.5 is not of type 'integer'"),
    ],
)
def test_a_description_with_a_wrong_key_or_value(setting: str, message: str) -> None:
    fields = {"mechanism": '"code.py:good"', "n": "1", "claim": '{neighbours = "counts", epsilon = 1}'}
    name, _, value = setting.partition(" = ")
    Path("audit.toml").write_text("".join(f"{key} = {text}\n" for key, text in (fields | {name: value}).items()))
    line = refused("audit audit.toml")
    assert message in line
    assert not line.endswith("'1.5'")
