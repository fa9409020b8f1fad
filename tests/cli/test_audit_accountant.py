"""finitedp audit on what an accountant says: decided against sums over all outcomes, and wrong input in one line."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main

E_LOW, E_HIGH = Fraction(2718281828459045, 10**15), Fraction(2718281828459046, 10**15)
NEAR = Fraction(1, 10**9)
P, Q = ["1/2", "1/4", "1/4", "0"], ["1/8", "3/8", "7/16", "1/16"]
LAWS = f"{{ p = {json.dumps(P)}, q = {json.dumps(Q)}, times = 3 }}"
SWAPPED = f"{{ p = {json.dumps(Q)}, q = {json.dumps(P)}, times = 3 }}"
RESPONSES = '{ epsilon = "ln 3", times = 4 }'
CODE = """
import decimal, fractions, math
from finitedp import PrivacyClaim
from finitedp.impl.counting.dyadic import DyadicSample

def dyadic():
    return DyadicSample(100, "1/2").claim()

def single():
    return PrivacyClaim("1/2", "counts")

def rows():
    return PrivacyClaim("1/2", "add-remove")

def third(x):
    return 1 / 3

def exact(x):
    return fractions.Fraction(1, 3)

def negative(x):
    return -1e-14

def above(x):
    return 1.0000000002

def nan(x):
    return math.nan

def infinite(x):
    return math.inf

def pair(x):
    return 0.1, 0.2

def raises(x):
    raise ValueError("no\\nsuch epsilon")

def number():
    return 3
"""


def point(epsilon: object, delta: object) -> str:
    return f'{{ epsilon = "{epsilon}", delta = "{delta}" }}'


def delta(p: list[str], q: list[str], times: int, ratio: Fraction) -> Fraction:
    """The larger delta of both orders, over all tuples of outcomes."""
    atoms = list(zip(map(Fraction, p), map(Fraction, q), strict=True))
    both = [(prod(a for a, _ in found), prod(b for _, b in found)) for found in product(atoms, repeat=times)]
    one, other = ([max(x - ratio * y, Fraction(0)) for x, y in order] for order in (both, [(b, a) for a, b in both]))
    return max(sum(one, Fraction(0)), sum(other, Fraction(0)))


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., Result]:
    (tmp_path / "code.py").write_text(CODE)

    def ask(releases: str, says: str, *options: str, functions: str = "", top: str = "") -> Result:
        (tmp_path / "a.toml").write_text(f"{top}\nreleases = [{releases}]\n[accountant]\nsays = [{says}]\n{functions}\n")
        return CliRunner().invoke(main, ["audit", str(tmp_path / "a.toml"), *options])

    return ask


def found(result: Result) -> list[dict[str, str]]:
    (account,) = json.loads(result.stdout)["accountants"]
    return list(account["says"])


@pytest.mark.parametrize(
    ("releases", "p", "q", "times"),
    [(LAWS, P, Q, 3), (SWAPPED, P, Q, 3), (RESPONSES, ["3/4", "1/4"], ["1/4", "3/4"], 4)],
)
def test_above_the_truth_holds_and_below_it_fails(
    asked: Callable[..., Result], releases: str, p: list[str], q: list[str], times: int
) -> None:
    low, high = delta(p, q, times, E_HIGH), delta(p, q, times, E_LOW)
    says = ", ".join(point(1, at) for at in (high + NEAR, low - NEAR, high, low))
    result = asked(releases, says, "--json")
    assert result.exit_code == 1
    more, less, *both = found(result)
    assert (more["verdict"], less["verdict"]) == ("holds", "fails")
    for one in (more, less, *both):
        assert Fraction(one["delta_at_least"]) <= high
        assert low <= Fraction(one["delta_at_most"])
        assert Fraction(one["delta_at_most"]) - Fraction(one["delta_at_least"]) < Fraction(1, 2**60)


def test_the_order_of_two_laws_does_not_matter_and_is_not_forgotten(asked: Callable[..., Result]) -> None:
    one_way = sum(max(a - E_LOW * b, Fraction(0)) for a, b in zip(map(Fraction, P), map(Fraction, Q), strict=True))
    other = sum(max(b - E_LOW * a, Fraction(0)) for a, b in zip(map(Fraction, P), map(Fraction, Q), strict=True))
    assert other < one_way
    middle = point(1, (one_way + other) / 2)
    for laws in (LAWS, SWAPPED):
        (said,) = found(asked(laws.replace("times = 3", "times = 1"), middle, "--json"))
        assert said["verdict"] == "fails"


def test_two_laws_that_are_released_with_others(asked: Callable[..., Result]) -> None:
    more = f'{LAWS.replace("times = 3", "times = 1")}, {{ claim = "code.py:single" }}'
    alone, both = (
        found(asked(releases, '{ epsilon = "1", delta = "1/8" }', "--json"))[0]
        for releases in (LAWS.replace("times = 3", "times = 1"), more)
    )
    assert Fraction(alone["delta_at_most"]) < Fraction(both["delta_at_least"])


def test_what_lies_between_both_bounds_is_not_decided(asked: Callable[..., Result]) -> None:
    (said,) = found(asked(RESPONSES, '{ epsilon = "1", delta = "0" }', "--json"))
    assert said["delta_at_least"] != said["delta_at_most"]
    middle = (Fraction(said["delta_at_least"]) + Fraction(said["delta_at_most"])) / 2
    result = asked(RESPONSES, point(1, middle))
    assert result.exit_code == 1
    assert "Not decided: delta is at least" in result.output
    assert "Audits: 1, 1 undecided." in result.output
    for end, verdict in (("delta_at_least", "undecided"), ("delta_at_most", "holds")):
        assert found(asked(RESPONSES, point(1, said[end]), "--json"))[0]["verdict"] == verdict


def test_a_mechanism_s_claim_has_its_own_curve(asked: Callable[..., Result]) -> None:
    says = '{ epsilon = "3", delta = "3/100000" }'
    own = asked('{ claim = "code.py:dyadic", times = 20 }', says, "--json")
    alone = asked('{ claim = "code.py:single", times = 20 }', says, "--json")
    assert Fraction(found(own)[0]["delta_at_most"]) < Fraction(found(alone)[0]["delta_at_least"])


def test_functions_are_asked_and_judged_at_exactly_the_float_they_get(asked: Callable[..., Result]) -> None:
    functions = 'delta = "code.py:third"\nepsilon = "code.py:exact"'
    result = asked(RESPONSES, '{ epsilon = "1/10" }, { delta = "1/10" }', "--json", functions=functions)
    by_delta, by_epsilon = found(result)
    assert (Fraction(by_delta["epsilon"]), Fraction(by_delta["delta"])) == (Fraction(0.1), Fraction(1 / 3))
    assert (Fraction(by_epsilon["epsilon"]), Fraction(by_epsilon["delta"])) == (Fraction(1, 3), Fraction(0.1))
    assert by_delta["verdict"] == by_epsilon["verdict"] == "fails"


def test_a_function_may_say_what_no_delta_is(asked: Callable[..., Result]) -> None:
    nothing_left = '{ epsilon = "1000" }'  # of four responses: delta is 0 there
    functions = 'delta = "code.py:%s"'
    below = asked(RESPONSES, nothing_left, functions=functions % "negative")
    assert below.exit_code == 1
    assert "FAILS: delta is at least 0 there" in below.output
    assert asked(RESPONSES, '{ epsilon = "0" }', functions=functions % "above").exit_code == 0
    negative = asked(RESPONSES, '{ delta = "1/10" }', functions='epsilon = "code.py:negative"')
    assert "FAILS: delta is at least 0.6" in negative.output
    assert "at epsilon = 0" in negative.output
    most = asked(RESPONSES, '{ delta = "1" }', functions='epsilon = "code.py:negative"')
    assert "Not decided" in most.output


def test_all_that_it_says_is_in_one_table_and_the_worst_decides(asked: Callable[..., Result], tmp_path: Path) -> None:
    says = '{ epsilon = "1", delta = "9/10" }, { epsilon = "1", delta = "1/10" }'
    result = asked(RESPONSES, says, "--sarif", str(tmp_path / "a.sarif"), top='name = "four responses"')
    assert result.exit_code == 1
    assert "four responses (4 releases together)" in result.output
    assert result.output.count("HOLDS") == result.output.count("FAILS") == 1
    assert "Audits: 1, 1 NOT as claimed." in result.output
    (problem,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert problem["ruleId"] == "privacy-fails"
    assert "(1, 0.1) of 4 releases: FAILS" in problem["message"]["text"]
    assert "HOLDS" not in problem["message"]["text"]
    assert asked(RESPONSES, '{ epsilon = "1", delta = "9/10" }').exit_code == 0


def test_ratio_and_delta_of_a_claim_are_used(asked: Callable[..., Result]) -> None:
    for claim, truth in (
        ('{ epsilon = "2", ratio = "3" }', Fraction(1, 2)),
        ('{ epsilon = "ln 3", delta = "1/10" }', Fraction(1, 10) + Fraction(9, 10) / 2),
    ):
        assert asked(claim, point(0, truth + Fraction(1, 10**20))).exit_code == 0
        assert asked(claim, point(0, truth - Fraction(1, 10**20))).exit_code == 1


SAYS = '{ epsilon = "1", delta = "1/10" }'


@pytest.mark.parametrize(
    ("releases", "says", "more", "words"),
    [
        (RESPONSES, '{ epsilon = "1", delta = "-1/10" }', {}, "says, number 1: delta = -1/10 is out of range"),
        (RESPONSES, f'{SAYS}, {{ epsilon = "1", delta = "1.1" }}', {}, "says, number 2: delta = 11/10 is out of range"),
        (RESPONSES, '{ epsilon = "-1", delta = "0" }', {}, "says, number 1: epsilon = -1 is negative"),
        (RESPONSES, '{ epsilon = "nan", delta = "0" }', {}, "says, number 1: epsilon = 'nan' is not of the form"),
        (RESPONSES, "{ epsilon = 1, delta = nan }", {}, "accountant.says[0].delta: nan is not of type"),
        (RESPONSES, "{ epsilon = 1, delta = 0.1 }", {}, "a float is refused: write it as text, '0.1'"),
        (RESPONSES, '{ epsilon = "1" }', {}, "says, number 1, has no delta, and no function says it; accepted: delta, or"),
        (RESPONSES, '{ delta = "1" }', {}, "says, number 1, has no epsilon"),
        (RESPONSES, "{ }", {}, "accountant.says[0]:"),
        (RESPONSES, "", {}, "accountant.says:"),
        ("", SAYS, {}, "releases:"),
        ("{ }", SAYS, {}, "releases, number 1 has no field; accepted: epsilon with delta or ratio, p with q, or claim"),
        ('{ epsilon = "1", p = ["1"] }', SAYS, {}, "releases, number 1 has epsilon, p; accepted:"),
        ('{ p = ["1"] }', SAYS, {}, "releases, number 1 has p; accepted:"),
        ('{ p = ["1"], q = ["1/2", "1/2"] }', SAYS, {}, "releases, number 1: p has 1 outcomes, q 2"),
        ('{ p = ["1"], q = ["9/10"] }', SAYS, {}, "releases, number 1: q sums to 9/10"),
        ('{ p = ["3/2", "-1/2"], q = ["1", "0"] }', SAYS, {}, "releases, number 1: p sums to 1, its least number is -1/2"),
        ('{ epsilon = "-1" }', SAYS, {}, "releases, number 1: epsilon = -1 is negative"),
        ('{ epsilon = "1", times = 0 }', SAYS, {}, "releases[0].times: 0 is less than the minimum of 1"),
        ('{ epsilon = "1", times = 10001 }', SAYS, {}, "how often = 10001 is out of range"),
        ('{ claim = "code.py:number" }', SAYS, {}, "code.py:number gives int; accepted: a claim"),
        ('{ claim = "code.py:nothing" }', SAYS, {}, "has no 'nothing'"),
        ('{ claim = "code.py:single" }, { claim = "code.py:rows" }', SAYS, {}, "different neighbours: add-remove, counts"),
        (RESPONSES, SAYS, {"top": "n = 3"}, "n is for a mechanism; accepted beside an accountant: name, releases, accountant"),
        (RESPONSES, '{ epsilon = "1" }', {"functions": 'delta = "code.py:nan"'}, "code.py:nan at epsilon = 1.0 says nan"),
        (
            RESPONSES,
            '{ delta = "1" }',
            {"functions": 'epsilon = "code.py:infinite"'},
            "at delta = 1.0 says inf; accepted: one",
        ),
        (
            RESPONSES,
            '{ epsilon = "1" }',
            {"functions": 'delta = "code.py:pair"'},
            "says (0.1, 0.2); accepted: one finite number",
        ),
        (RESPONSES, '{ epsilon = "1" }', {"functions": 'delta = "code.py:raises"'}, "at epsilon = 1.0 raises ValueError: no"),
        (
            RESPONSES,
            '{ epsilon = "1e400" }',
            {"functions": 'delta = "code.py:third"'},
            "is no float, which functions are asked at",
        ),
    ],
)
def test_wrong_input_is_refused_in_one_line(
    asked: Callable[..., Result], releases: str, says: str, more: dict[str, str], words: str
) -> None:
    result = asked(releases, says, **more)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.strip().splitlines()
    assert words in line
    assert result.stdout == ""


@pytest.mark.parametrize("text", ["releases = [{ epsilon = 1 }]", '[accountant]\nsays = [{ epsilon = "1", delta = "0" }]'])
def test_half_a_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    result = CliRunner().invoke(main, ["audit", str(tmp_path / "a.toml")])
    assert result.exit_code == 2
    assert "accountant is missing" in result.stderr or "releases is missing" in result.stderr


def test_laws_that_tell_all_and_a_delta_written_as_a_power(asked: Callable[..., Result]) -> None:
    result = asked(
        '{ p = ["1", "0"], q = ["0", "1"] }', '{ epsilon = "1", delta = "1" }, { epsilon = "9", delta = "2^-40" }', "--json"
    )
    assert [one["verdict"] for one in found(result)] == ["holds", "fails"]


def test_there_is_no_certificate(asked: Callable[..., Result], tmp_path: Path) -> None:
    for option in ("--html", "--certificates"):
        result = asked(RESPONSES, SAYS, option, str(tmp_path / "x.html"))
        assert result.exit_code == 2
        assert "is about an accountant, which has no certificate; accepted: --json, --sarif" in result.stderr
        assert not (tmp_path / "x.html").exists()


def test_what_cannot_be_asked_is_in_sarif(asked: Callable[..., Result], tmp_path: Path) -> None:
    functions = 'delta = "code.py:nan"'
    assert asked(RESPONSES, '{ epsilon = "1" }', "--sarif", str(tmp_path / "a.sarif"), functions=functions).exit_code == 2
    (problem,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert problem["ruleId"] == "not-audited"
