"""Dyadic tables on the command line: finitedp law and privacy on them, finitedp dyadic-table, and finitedp check."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.cli import check as cli_check
from finitedp.cli.main import main
from finitedp.exact import log_bounds
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.numbers import decimal
from finitedp.proofs_check.dyadic_certificate import recheck
from finitedp.spec import dyadic as spec
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.stability import threshold_delta

AUDITS = Path(__file__).parents[2] / "docs" / "audits"


@pytest.fixture(autouse=True)
def _width_of_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)


def words(command: str, *more: object) -> Result:
    return run(*command.split(), *more)


def document(command: str, *more: object) -> Any:
    result = words(command, *more, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("command", ["law dyadic", "law basic", "privacy stability", "dyadic-table", "check"])
def test_help_speaks_of_dyadic_tables(command: str) -> None:
    result = words(command, "--help")
    assert result.exit_code == 0
    assert "dyadic" in result.output
    assert command == "check" or "--word" in result.output


# law and privacy


@pytest.mark.parametrize(("n", "epsilon", "word"), [(4, "3/2", 8), (1, "1/9", 16), (7, "2/3", 64), (3, "50", 128)])
def test_law_is_the_definition_s_and_the_running_code_s(n: int, epsilon: str, word: int) -> None:
    for count in range(n + 1):
        expected = spec.dyadic_sample(n, epsilon, word, count)
        command = f"law dyadic --n {n} --epsilon {epsilon} --word {word} --count {count}"
        for more, source in (((), "definition"), (("--running",), "running code")):
            printed = document(command, *more)
            assert {row["output"]: mpq(row["probability"]) for row in printed["law"]} == {z: expected[z] for z in expected}
            assert printed["source"] == source
            assert printed["parameters"] == {"n": str(n), "epsilon": epsilon, "word": str(word)}


def test_the_law_of_the_running_code_is_not_taken_from_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken definition shows in one and not in the other."""
    command = "law dyadic --n 2 --epsilon 1 --count 0"
    good = document(command)["law"]
    honest = spec.dyadic_sample
    monkeypatch.setattr(spec, "dyadic_sample", lambda n, _epsilon, word, count: honest(n, 2, word, count))
    assert document(command)["law"] != good
    assert document(command, "--running")["law"] == good
    result = words("privacy dyadic --n 2 --epsilon 1")
    assert result.exit_code == 1
    assert "NO" in result.output


def test_a_word_has_64_bits_unless_others_are_asked_for() -> None:
    printed = document("law dyadic --n 2 --epsilon 1 --count 1")
    assert printed["parameters"]["word"] == "64"
    assert printed == document("law dyadic --n 2 --epsilon 1 --count 1 --word 64")
    assert printed["law"] != document("law dyadic --n 2 --epsilon 1 --count 1 --word 65")["law"]


@pytest.mark.parametrize("more", [[], ["--running"]])
def test_privacy_is_as_claimed(more: list[str]) -> None:
    mechanism = DyadicSample(5, "7/3", 10)
    printed = document("privacy dyadic --n 5 --epsilon 7/3 --word 10", *more)
    claim = mechanism.claim()
    assert printed["claim"] == {
        "epsilon": "7/6",
        "delta": "0",
        "neighbours": "counts",
        "ratio": str(claim.ratio),
        "source": "FD.Dyadic.private",
    }
    laws = [spec.dyadic_sample(5, "7/3", 10, c) for c in range(6)]
    worst = max(max(p[z] / q[z], q[z] / p[z]) for p, q in pairwise(laws) for z in range(6))
    assert (printed["worst_ratio"], printed["holds"], printed["pairs"]) == (str(worst), True, 10)
    assert worst <= mechanism.table.ratio
    assert [mpq(bound) for bound in printed["epsilon"]] == list(log_bounds(worst))


def test_a_long_ratio_is_claimed_as_a_decimal() -> None:
    output = words("privacy dyadic --n 5 --epsilon 7/3").output
    assert f"ratio <= {decimal(DyadicSample(5, '7/3').table.ratio, 12)}" in output
    assert "..., counts" not in output


@pytest.mark.parametrize("more", [[], ["--running"]])
def test_basic_stands_on_a_dyadic_table(more: list[str]) -> None:
    printed = document("law basic --n 2 --epsilon 3/2 --word 8 --labels 2 --counts 1,1", *more)
    expected = basic_histogram(("x1", "x2"), ("x1", "x2"), lambda c: spec.dyadic_sample(2, "3/2", 8, c))
    assert {tuple(row["output"].items()): mpq(row["probability"]) for row in printed["law"]} == {
        x: expected[x] for x in expected
    }
    claimed = document("privacy basic --n 2 --epsilon 3/2 --word 8 --labels 3", *more)
    assert mpq(claimed["claim"]["ratio"]) == DyadicSample(2, "3/2", 8).table.ratio ** 2
    assert (claimed["claim"]["epsilon"], claimed["holds"]) == ("3/2", True)


@pytest.mark.parametrize("more", [[], ["--running"]])
def test_stability_stands_on_a_dyadic_table(more: list[str]) -> None:
    printed = document("privacy stability --n 2 --labels 3 --epsilon 1 --word 8 --threshold 1", *more)
    delta = threshold_delta(lambda c: spec.dyadic_sample(2, 1, 8, c), 1)
    assert (printed["claim"]["epsilon"], mpq(printed["claim"]["delta"])) == ("1", delta)
    assert (printed["holds"], printed["worst_ratio"]) == (True, None)
    law = document("law stability --n 2 --labels 3 --epsilon 1 --word 8 --threshold 1 --counts 1,0,0", *more)["law"]
    assert {str(row["output"]): mpq(row["probability"]) for row in law} == {"{}": 1 - delta, "{'x1': 2}": delta}


WRONG = {
    "epsilon of 0": ("law dyadic --n 4 --epsilon 0 --count 1", "epsilon = 0 is not positive; accepted: a rational above 0"),
    "negative epsilon": (
        "privacy dyadic --n 4 --epsilon -2/5",
        "epsilon = -2/5 is not positive; accepted: a rational above 0",
    ),
    "not a number": ("law dyadic --n 4 --epsilon nan --count 1", "is not of the form 'p/q'"),
    "no epsilon": ("law dyadic --n 4 --count 1", "Missing option '--epsilon'"),
    "no count": ("law dyadic --n 4 --epsilon 1", "Missing option '--count'"),
    "n of 0": ("privacy dyadic --n 0 --epsilon 2/5", "n = 0 is out of range; accepted: an integer of at least 1"),
    "count above n": ("law dyadic --n 4 --epsilon 1 --count 5", "count = 5 is out of range; accepted: an integer from 0 to 4"),
    "gamma": ("law dyadic --n 4 --epsilon 1 --count 1 --gamma 1/2", "dyadic does not take --gamma"),
    "labels": ("privacy dyadic --n 4 --epsilon 1 --labels 2", "dyadic does not take --labels"),
    "word of 1": (
        "law dyadic --n 4 --epsilon 1 --count 1 --word 1",
        "word = 1 is out of range; accepted: an integer from 2 to 256",
    ),
    "word of 257": (
        "law dyadic --n 4 --epsilon 1 --count 1 --word 257",
        "word = 257 is out of range; accepted: an integer from 2 to 256",
    ),
    "no table": (
        "privacy dyadic --n 200 --epsilon 1/2 --word 5",
        "no table of 5 bits exists for n = 200, epsilon = 1/2; accepted: word = 64 (the fewest bits with a table are 10)",
    ),
    "large n": ("law dyadic --n 1000000000 --epsilon 1 --count 1", "that is 1,000,000,001 outputs, more than 200,000"),
    "long table": ("law dyadic --n 1000000 --epsilon 1/1000000 --count 1", "that is 1,000,001 outputs, more than 200,000"),
    "many pairs": ("privacy dyadic --n 1000 --epsilon 1", "that is 1,002,001 outputs, more than 200,000"),
    "both": (
        "privacy basic --n 2 --labels 2 --epsilon 1 --word 8 --gamma 1/2",
        "gamma and word contradict each other: a mechanism stands on FastSample with gamma",
    ),
    "both, stability": (
        "privacy stability --n 2 --labels 2 --threshold 1 --epsilon 2/5 --word 8 --gamma 1/2",
        "gamma and word contradict each other: a mechanism stands on FastSample with gamma",
    ),
    "2/5 without a word": (
        "privacy basic --n 2 --labels 2 --epsilon 2/5",
        "epsilon = 2/5 is not admissible; accepted: 1/q for an integer q >= 1; the next admissible value is 1/3; on a dyadic",
    ),
    "0 without a word": (
        "privacy geo-sample --n 2 --epsilon 0",
        "Invalid value for '--epsilon': epsilon = 0 is not positive; accepted: 1/q for an integer q >= 1",
    ),
    "word elsewhere": ("privacy geo-sample --n 2 --epsilon 1 --word 8", "geo-sample does not take --word"),
    "word on fast-sample": ("privacy fast-sample --n 2 --epsilon 1 --gamma 1/2 --word 8", "fast-sample does not take --word"),
    "word on keep-heavy": ("privacy keep-heavy --n 2 --labels 3 --epsilon 1 --word 8", "keep-heavy does not take --word"),
    "word on geometric": ("privacy geometric --n 2 --decay 1/2 --word 8", "geometric does not take --word"),
    "threshold above n": (
        "privacy stability --n 2 --labels 2 --threshold 3 --epsilon 1 --word 8",
        "b = 3 is out of range; accepted: an integer from 0 to 2",
    ),
    # dyadic-table
    "table without n": ("dyadic-table --epsilon 1", "Missing option '--n'"),
    "table without epsilon": ("dyadic-table --n 1", "Missing option '--epsilon'"),
    "table at n = 0": ("dyadic-table --n 0 --epsilon 1", "n = 0 is out of range; accepted: an integer of at least 1"),
    "table at epsilon = 0": ("dyadic-table --n 1 --epsilon 0", "epsilon = 0 is not positive; accepted: a rational above 0"),
    "table at infinity": ("dyadic-table --n 1 --epsilon inf", "is not of the form 'p/q'"),
    "table of one bit": ("dyadic-table --n 1 --epsilon 1 --word 1", "1 is not in the range 2<=x<=256"),
    "table at beta = 0": (
        "dyadic-table --n 1 --epsilon 1 --beta 0",
        "beta = 0 is out of range; accepted: a rational in (0, 1]",
    ),
    "table at beta = 2": (
        "dyadic-table --n 1 --epsilon 1 --beta 2",
        "beta = 2 is out of range; accepted: a rational in (0, 1]",
    ),
    "table of too few bits": (
        "dyadic-table --n 1000000000 --epsilon 1/1000 --word 30",
        "epsilon = 1/1000; accepted: word = 64 (the fewest bits with a table are 32)",
    ),
    "table at too large an n": (
        f"dyadic-table --n 1{'0' * 80} --epsilon 1",
        "accepted: a larger epsilon or a smaller n, since 256 bits are not enough either",
    ),
    "table at too small an epsilon": (
        "dyadic-table --n 1000000000 --epsilon 1/1000000000",
        "accepted: an epsilon for which 4194304 are enough, or n below that",
    ),
    "table in no folder": ("dyadic-table --n 1 --epsilon 1 --output nowhere/table.json", "does not exist"),
    "table with a certificate too long": (
        f"dyadic-table --n 3 --epsilon 1{'0' * 599}1/1{'0' * 600} --output table.json",
        "finitedp check would reject this table's certificate: epsilon or R is not written as 'p/q', or it is too long",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_clear_line_and_exit_code_2(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command, message = WRONG[name]
    result = words(command)
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert result.output.startswith("Error: ")
    assert message in result.output
    assert list(tmp_path.iterdir()) == []


# dyadic-table


@pytest.mark.parametrize(
    ("n", "epsilon", "word", "beta"),
    [
        (10**9, "1/1000", 64, "1/20"),
        (30, "1/2", 12, "1/3"),
        (1, "1000", 8, "1"),
        (2, "9", 5, "1/99"),
        (10**20, "7/3", 128, "1/9"),
    ],
)
def test_the_table_is_the_library_s(n: int, epsilon: str, word: int, beta: str) -> None:
    printed = document(f"dyadic-table --n {n} --epsilon {epsilon} --word {word} --beta {beta}")
    mechanism = DyadicSample(n, epsilon, word)
    made = mechanism.table
    assert list(printed.pop("checked")) == ["weights", "(i)", "(ii)", "sum", "R"]
    assert printed == {
        "n": str(n),
        "epsilon": epsilon,
        "bits": word,
        "entries": made.entries,
        "ratio": str(made.ratio),
        "centre": str(made.weight(0)),
        "stretch": {"from": str(made.entries - 2), "to": str(n - 1), "weight": str(made.weight(n - 1))},
        "last": str(made.weight(n)),
        "mean_absolute_noise": str(made.mean_absolute_noise()),
        "excess": str(made.excess()),
        "accuracy": mechanism.accuracy(beta).as_json(),
    }


def cells(output: str) -> dict[str, str]:
    rows = [line.split("│")[1:3] for line in output.splitlines() if line.startswith("│")]
    return {name.strip(): value.strip() for name, value in rows}


def test_what_is_printed() -> None:
    """n = 3, epsilon = 9 and five bits: 26, 1, 1, 1, since 26 + 2(1 + 1 + 1) = 32; the mean is 2(1 + 2 + 3)/32."""
    result = words("dyadic-table --n 3 --epsilon 9 --word 5 --beta 1/10")
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == "The dyadic table for n = 3, epsilon = 9 (FD.Dyadic.table)"
    assert cells(result.output) == {
        "bits of a word": "5",
        "entries": "3, which hold 4 weights",
        "R": "~90.017131300522 (--json and the certificate have it whole)",
        "w_0": "26",
        "constant stretch": "w_1 = w_2 = 1",
        "last weight": "w_n = 1",
        "checked: weights": "w_0 >= w_1 >= ... >= w_(n-1) >= 1 and w_n >= 1",
        "checked: (i)": "w_j <= R w_(j+1) for j < n-1",
        "checked: (ii)": "S_j <= R S_(j+1) for j < n, where S_j = w_j + ... + w_n",
        "checked: sum": "w_0 + 2(w_1 + ... + w_n) = 2^5",
        "checked: R": "1 < R <= e^(epsilon/2)",
        "mean absolute noise": "0.375",
        "excess": "at every count, the law is at most 2^-2 from the geometric one, in total variation",
        "error at 1/10": "above 1 with probability at most 1/10, whatever the count is",
    }


def test_stretches_of_one_and_of_many_weights() -> None:
    one = cells(words("dyadic-table --n 1 --epsilon 1000").output)
    assert one["constant stretch"] == f"w_0 = {2**64 - 2}"
    assert one["R"] == str(2**64)
    wide = cells(words("dyadic-table --n 1000000000000000000000 --epsilon 2 --word 128").output)
    made = DyadicSample(10**21, 2, 128).table
    assert wide["constant stretch"] == f"w_{len(made.head)} = ... = w_{10**21 - 1} = {made.tail}"
    assert wide["entries"] == f"{made.entries}, which hold about 2^69 weights"


@pytest.mark.parametrize("excess", [mpq(0), mpq(1), mpq(2, 3), mpq(1, 2), mpq(1, 3), mpq(1, 4), mpq(5, 2**70)])
def test_the_excess_is_rounded_up_to_a_power_of_two(excess: mpq, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DyadicTable, "excess", lambda _self: excess)
    shown = cells(words("dyadic-table --n 3 --epsilon 9").output)["excess"].split("at most ")[1].split(" ")[0]
    bound = mpq(1, 2 ** int(shown.removeprefix("2^-"))) if "^" in shown else mpq(shown)
    assert excess <= bound
    assert bound < 2 * excess or bound == excess == 0


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_the_certificate_is_the_table_s_and_is_accepted(tmp_path: Path, as_json: list[str]) -> None:
    file = tmp_path / "table.json"
    result = words("dyadic-table --n 30 --epsilon 1/2 --word 12 --output", file, *as_json)
    assert result.exit_code == 0
    assert result.stderr == f"Wrote {file}: a certificate of {DyadicSample(30, '1/2', 12).table.entries} numbers.\n"
    assert not as_json or json.loads(result.stdout)["bits"] == 12
    assert json.loads(file.read_text()) == DyadicSample(30, "1/2", 12).table.certificate()
    assert [path.name for path in tmp_path.iterdir()] == ["table.json"]
    checked = run("check", file)
    assert (checked.exit_code, checked.output) == (0, f"{file}: accepted: a table for n = 30, epsilon = 1/2, 12 bits\n")


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    result = words("dyadic-table --n 3 --epsilon 1 --output", tmp_path / "table.json")
    assert (result.exit_code, result.output) == (2, f"Error: {tmp_path}/table.json: No space left on device\n")
    assert list(tmp_path.iterdir()) == []


# check

CERTIFICATE: dict[str, Any] = json.loads(json.dumps(DyadicSample(30, "1/2", 12).table.certificate()))
HEAD: list[str] = CERTIFICATE["head"]


def raised(name: str, by: int = 1) -> dict[str, Any]:
    return {name: str(int(CERTIFICATE[name]) + by)}


TAMPERED: dict[str, tuple[dict[str, Any], str]] = {
    "w_n one more": (raised("last"), "the weights do not sum to 2^bits"),
    "w_n one less": (raised("last", -1), "the weights do not sum to 2^bits"),
    "a longer stretch, w_n made up for it": ({"n": "31", "last": "12"}, "(ii) fails at j = n - 1"),
    "a smaller tail, w_n made up for it": ({"tail": "3", "last": "24"}, "(i) fails"),
    "tail one more": (raised("tail"), "(ii) fails at j = n - 1"),
    "tail of 0": ({"tail": "0"}, "n is too small, or a weight is below 1"),
    "the centre two more": ({"head": [str(int(HEAD[0]) + 2), *HEAD[1:]]}, "(i) fails"),
    "two weights exchanged": ({"head": [HEAD[1], HEAD[0], *HEAD[2:]]}, "the weights rise"),
    "a weight left out": ({"head": HEAD[1:]}, "the weights do not sum to 2^bits"),
    "another n": ({"n": "31"}, "the weights do not sum to 2^bits"),
    "n below the head": ({"n": "5"}, "n is too small, or a weight is below 1"),
    "another word": ({"bits": 13}, "the weights do not sum to 2^bits"),
    "a smaller epsilon": ({"epsilon": "499/1000"}, "R is not above 1, or it is above e^(epsilon/2)"),
    "a larger R": ({"ratio": "1285/1000"}, "R is not above 1, or it is above e^(epsilon/2)"),
    "a smaller R": ({"ratio": "128/100"}, "(i) fails"),
    "R of 1": ({"ratio": "1"}, "R is not above 1, or it is above e^(epsilon/2)"),
    "another version": ({"version": 2}, "no dyadic table of version 1"),
    "a deep version": ({"version": [[[[[[]]]]]]}, "no dyadic table of version 1"),
    "a key of somebody's": ({"mean_absolute_noise": "0"}, "a key is missing or not known"),
    "numbers instead of strings": ({"n": 30}, "a number is not written in digits"),
    "a number too long": ({"n": "9" * 5000}, "Exceeds the limit"),
    "a head that is no list": ({"head": "490"}, "head is no list"),
    "a head of lists": ({"head": [[["490"]]]}, "a number is not written in digits"),
    "no head": ({"head": None}, "head is no list"),
    "bits as text": ({"bits": "12"}, "bits is not an integer from 1 to 4096"),
    "bits not a number": ({"bits": float("nan")}, "bits is not an integer from 1 to 4096"),
    "bits beyond reason": ({"bits": 10**4000}, "bits is not an integer from 1 to 4096"),
    "epsilon over 0": ({"epsilon": "1/0"}, "Fraction(1, 0)"),
    "epsilon as a float": ({"epsilon": 0.5}, "epsilon or R is not written as 'p/q'"),
    "epsilon in the thousands of digits": ({"epsilon": "1/" + "9" * 2000}, "epsilon or R is not written as 'p/q'"),
    "a label of control characters": ({"ratio": "\n\x1b[31m"}, "epsilon or R is not written as 'p/q'"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_certificate_is_rejected_with_exit_code_1(name: str, tmp_path: Path) -> None:
    changes, message = TAMPERED[name]
    file = tmp_path / "table.json"
    file.write_text(json.dumps({**CERTIFICATE, **changes}))
    result = run("check", file)
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 1
    assert result.output.startswith(f"{file}: REJECTED: ")
    assert message in result.output


def test_another_table_that_is_right_is_accepted(tmp_path: Path) -> None:
    """The checker asks for the conditions, not for the table that the library builds."""
    file = tmp_path / "table.json"
    file.write_text(json.dumps({**CERTIFICATE, "head": [str(int(HEAD[0]) - 2), *HEAD[1:]], **raised("last")}))
    result = run("check", file)
    assert (result.exit_code, result.output) == (0, f"{file}: accepted: a table for n = 30, epsilon = 1/2, 12 bits\n")


@pytest.mark.parametrize("missing", [key for key in CERTIFICATE if key != "format"])
def test_a_certificate_without_one_of_its_keys_is_rejected(missing: str, tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps({key: value for key, value in CERTIFICATE.items() if key != missing}))
    result = run("check", file)
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 1
    assert result.output.startswith(f"{file}: REJECTED: ")


WHOLE = json.dumps(CERTIFICATE)
NOT_CERTIFICATES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "it is no certificate: it is empty"),
    "blank": (" \n", "it is no certificate: it is empty"),
    "truncated": (WHOLE[: len(WHOLE) // 2], "it is no certificate: it is not JSON: JSONDecodeError"),
    "deep": ("[" * 100_000, "it is no certificate: it is not JSON: RecursionError"),
    "deep inside": (
        '{"format": "finitedp dyadic table", "head": ' + "[" * 100_000,
        "it is no certificate: it is not JSON: RecursionError",
    ),
    "not UTF-8": (b"\xff\xfe", "it is no certificate: it is not JSON: UnicodeDecodeError"),
    "a key twice": (WHOLE[:-1] + ', "n": "30"}', "it is no certificate: it is not JSON: ValueError: a key is there twice"),
    "an integer too long": ('{"format": ' + "9" * 5000 + "}", "it is no certificate: it is not JSON: ValueError"),
    "null": ("null", "it is no certificate"),
    "a list": (f"[{WHOLE}]", "it is no certificate"),
    "a number": ("17", "it is no certificate"),
    "an object of something else": ('{"format": "finitedp query"}', "it is no certificate"),
    "no format": ("{}", "it is no certificate"),
    "a format that is a list": ('{"format": ["finitedp dyadic table"]}', "it is no certificate"),
    "a lone surrogate": (r'{"format": "\ud800"}', "it is no certificate"),
}


@pytest.mark.parametrize("name", NOT_CERTIFICATES)
def test_what_is_no_certificate_has_exit_code_2(name: str, tmp_path: Path) -> None:
    content, message = NOT_CERTIFICATES[name]
    file = tmp_path / "table.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run("check", file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"{file}: {message}")
    assert "REJECTED" not in result.stderr


def test_a_file_that_is_not_there_and_one_with_a_strange_name(tmp_path: Path) -> None:
    absent, strange = tmp_path / "absent.json", tmp_path / "a\nb\udcff.json"
    strange.write_text(WHOLE)
    result = run("check", absent, tmp_path, strange)
    assert result.exit_code == 2
    first, second, third = result.output.splitlines()
    assert first == f"{absent}: it cannot be read: No such file or directory"
    assert second == f"{tmp_path}: it cannot be read: Is a directory"
    assert third == f"{tmp_path}/a\\nb\\xff.json: accepted: a table for n = 30, epsilon = 1/2, 12 bits"


def test_every_file_has_its_line_and_the_worst_decides(tmp_path: Path) -> None:
    assert run("audit", AUDITS / "randomized_response.toml", "--certificates", tmp_path).exit_code == 0
    (audit,) = tmp_path.glob("*.json")
    table, changed, other = (tmp_path / name for name in ("table.json", "changed.json", "other.json"))
    table.write_text(WHOLE)
    changed.write_text(json.dumps({**CERTIFICATE, "n": "31"}))
    other.write_text("{}")
    for files, code in (((audit, table), 0), ((changed, audit), 1), ((other, changed, table), 2)):
        result = run("check", *files)
        assert result.exit_code == code
        assert [line.split(": ")[0] for line in result.output.splitlines()] == [str(file) for file in files]
    audit.write_text(audit.read_text().replace('"n": 1', '"n": 2'))
    result = run("check", audit)
    assert (result.exit_code, result.output) == (1, f"{audit}: REJECTED: its hash is not that of its content\n")


@pytest.mark.parametrize("raised_error", [RecursionError("deep"), MemoryError(), RuntimeError("line\nline " + "x" * 1000)])
def test_a_checker_that_fails_rejects_in_one_line(
    raised_error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: object) -> str | None:
        raise raised_error

    checks: dict[str, Callable[..., str | None]] = {"finitedp dyadic table": fails}
    monkeypatch.setattr(cli_check, "_CHECKS", checks)
    file = tmp_path / "table.json"
    file.write_text(WHOLE)
    result = run("check", file)
    assert result.exit_code == 1
    (line,) = result.output.splitlines()
    assert line.startswith(f"{file}: REJECTED: it cannot be read: {type(raised_error).__name__}: ")
    assert len(line) < len(str(file)) + 320


def test_the_certificate_of_these_tests_is_a_right_one() -> None:
    assert recheck(CERTIFICATE) is None
