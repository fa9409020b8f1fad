"""finitedp black-box, as a user calls it."""

import json
import shlex
import sys
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.cli.black_box import black_box
from finitedp.cli.face import Face
from finitedp.proofs_check.black_box import adapters
from finitedp.proofs_check.black_box.adapters import Adapter
from finitedp.proofs_check.black_box.clopper_pearson import lower, upper
from finitedp.proofs_check.black_box.fit import GeometricLaw
from finitedp.proofs_check.black_box.samplers import sampled

PROGRAM = """
import random, sys
rng, rows = random.SystemRandom(), sys.stdin.read().split()
truth = int(rows[0])
for _ in range(int(sys.argv[1])):
    print(truth if rng.random() < 0.9 else 1 - truth)
"""


@click.group(cls=Face)
def main() -> None:
    """As in finitedp.cli.main."""


main.add_command(black_box)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["black-box", *arguments], catch_exceptions=False)


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A closed program: randomised response with ratio 9."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return shlex.join([sys.executable, str(file), "{samples}"])


def geometric(count: int, rng: Random) -> int:
    return count + sum(sign * next(i for i in range(10**9) if rng.getrandbits(1)) for sign in (1, -1))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter to no library: noise with e^-epsilon = 1/2, that claims what it is asked for."""

    def adapter(epsilon: Any = 1, n: int = 1) -> Adapter:
        law = lambda count: GeometricLaw(epsilon, count)  # noqa: E731  # a law for each input
        return Adapter("pack 1.0", "noise()", sampled(geometric, 5), PrivacyClaim(epsilon, "counts"), n, law=law)

    monkeypatch.setattr(adapters, "ADAPTERS", {"pydp-integers": adapter})


def test_a_violation_has_exit_code_1(program: str) -> None:
    result = run("--command", program, "--epsilon", "1", "--neighbours", "replace-one", "--universe", "0..1")
    assert result.exit_code == 1
    assert "Violated with confidence 99/100: epsilon is at least " in result.output
    assert "10,000, of 2 inputs and 2 ordered pairs" in result.output


def test_no_violation_found_has_exit_code_0(program: str) -> None:
    """ln 9 = 2.197, so that the claim is true; the confidence makes a false alarm a matter of 10^-12."""
    arguments = ["--command", program, "--epsilon", "11/5", "--neighbours", "replace-one", "--universe", "0,1"]
    result = run(*arguments, "--confidence", "999999999999/1000000000000", "--samples", "4000")
    assert result.exit_code == 0
    assert "No violation found in 4,000 samples (epsilon is at least" in result.output
    assert "verified" not in result.output


@pytest.mark.deep
def test_delta_and_counts(program: str) -> None:
    """At epsilon = 0 the program needs delta = 4/5."""
    result = run("--command", program, "--epsilon", "0", "--delta", "1/2")
    assert result.exit_code == 1
    assert run("--command", program, "--epsilon", "0", "--delta", "9/10").exit_code == 0


def test_json_holds_what_the_bounds_are_computed_from(program: str) -> None:
    result = run("--command", program, "--epsilon", "1", "--json", "--confidence", "9/10")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["private"], found["samples"], found["trials"]) == ("violated", 10_000, 2500)
    left, right = found["left"], found["right"]
    assert mpq(left["at_least"]) == lower(left["hits"], found["trials"], "1/20")
    assert mpq(right["at_most"]) == upper(right["hits"], found["trials"], "1/20")
    assert found["law"] == {"verdict": "not specified"}
    assert PrivacyClaim.from_json(found["claim"]) == PrivacyClaim(1, "counts")
    assert mpq(found["epsilon_at_least"]) > 1
    assert {left["input"], right["input"]} == {"0", "1"}


@pytest.mark.deep
def test_pairs(program: str) -> None:
    rows = ["--neighbours", "replace-one", "--pair", "0,0", "1,0"]
    result = run("--command", program, "--epsilon", "1", *rows, "--json")
    assert json.loads(result.stdout)["inputs"] == 2
    assert "('0', '0')" in result.stdout
    result = run("--command", "cat", "--epsilon", "1", "--pair", "41", "42", "--samples", "600", "--json")
    assert json.loads(result.stdout)["event"] in ("the output in {41}", "the output in {42}")


@pytest.mark.usefixtures("library")
def test_an_adapter_has_its_own_claim_and_law() -> None:
    right = ["--adapter", "pydp-integers", "--epsilon", "693147180559945309417233/1000000000000000000000000"]
    result = run(*right, "--n", "2")
    assert result.exit_code == 0
    assert "pack 1.0: noise()" in result.output
    assert "The law: no difference from the specified law found in" in result.output
    wrong = run("--adapter", "pydp-integers", "--epsilon", "1/2", "--json")
    assert wrong.exit_code == 1
    found = json.loads(wrong.stdout)
    assert (found["private"], found["law"]["verdict"]) == ("violated", "differs")
    assert mpq(found["law"]["p_value_at_most"]) < mpq(1, 100)


@pytest.mark.usefixtures("library")
def test_a_wrong_law_alone_has_exit_code_1() -> None:
    result = run("--adapter", "pydp-integers", "--epsilon", "1", "--samples", "30000")
    assert result.exit_code == 1
    assert "No violation found" in result.output
    assert "The law: differs from the specified law" in result.output


WRONG = {
    "nothing to run": (["--epsilon", "1"], "black-box needs either --command or --adapter"),
    "both": (["--epsilon", "1", "--command", "cat", "--adapter", "pydp-laplace"], "needs either --command or --adapter"),
    "no epsilon": (["--command", "cat"], "Missing option '--epsilon'"),
    "epsilon of two forms": (["--command", "cat", "--epsilon", "1.5/2"], "is not of the form 'p/q'"),
    "negative epsilon": (["--command", "cat", "--epsilon", "-1"], "epsilon = -1 is negative"),
    "delta above 1": (["--command", "cat", "--epsilon", "1", "--delta", "2"], "delta = 2 is out of range"),
    "unknown adapter": (["--adapter", "x", "--epsilon", "1"], "Invalid value for '--adapter'"),
    "adapter with a claim": (
        ["--adapter", "pydp-laplace", "--epsilon", "1", "--delta", "0"],
        "--adapter does not take --delta",
    ),
    "too few samples": (["--command", "cat", "--epsilon", "1", "--samples", "10"], "samples = 10 is too few for 2 inputs"),
    "confidence 1": (["--command", "cat", "--epsilon", "1", "--confidence", "1"], "confidence = 1 is out of range"),
    "unknown neighbours": (["--command", "cat", "--epsilon", "1", "--neighbours", "x"], "'x' is not one of"),
    "universe of counts": (["--command", "cat", "--epsilon", "1", "--universe", "a,b"], "does not take --universe"),
    "huge universe": (
        ["--command", "cat", "--epsilon", "1", "--neighbours", "replace-one", "--universe", "strings:9"],
        "universe = 'strings:9' is too large",
    ),
    "many inputs": (
        ["--command", "cat", "--epsilon", "1", "--neighbours", "replace-one", "--universe", "0..99", "--n", "3"],
        "take a smaller universe or smaller n",
    ),
    "not neighbours": (["--command", "cat", "--epsilon", "1", "--pair", "1", "3"], "1 and 3 are not neighbours"),
    "no counts": (["--command", "cat", "--epsilon", "1", "--pair", "a", "b"], "pair = 'a' is not a count"),
    "no program": (["--command", "no-such-program-7", "--epsilon", "1"], "cannot be run: No such file or directory"),
    "empty command": (["--command", "", "--epsilon", "1"], "is empty; accepted: a program with its arguments"),
    "unbalanced quote": (["--command", "cat '", "--epsilon", "1"], "cannot be split into words"),
    "failing program": (["--command", "sh -c 'echo why >&2; exit 3'", "--epsilon", "1"], "failed: exit code 3: why"),
    "hanging program": (["--command", "sleep 60", "--epsilon", "1", "--timeout", "1"], "took longer than 1 s"),
    "bad timeout": (["--command", "cat", "--epsilon", "1", "--timeout", "0"], "timeout = 0 is out of range"),
    "silent program": (["--command", "true", "--epsilon", "1"], "printed nothing; accepted: one output"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(what: str) -> None:
    arguments, said = WRONG[what]
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert result.output.startswith("Error: ")
    assert result.output.count("\n") == 1


@pytest.mark.deep
def test_labels_are_escaped_for_a_terminal() -> None:
    command = shlex.join(["sh", "-c", r"read x; printf '\033[31m%s\007' $x"])
    result = run("--command", command, "--epsilon", "1", "--samples", "600")
    assert result.exit_code == 1
    assert "\x1b" not in result.output
    assert "\x07" not in result.output


def test_help() -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert "samples do not prove a claim" in " ".join(result.output.split())
