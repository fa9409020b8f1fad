"""The lone checker of dyadic tables: it accepts what is a table, and nothing that was changed into something else."""

import ast
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.exact import compare_exp, exp_bounds
from finitedp.impl.counting.dyadic_table import dyadic_table
from finitedp.proofs_check import dyadic_certificate
from finitedp.proofs_check.dyadic_certificate import at_most_exp, main, recheck
from finitedp.spec import dyadic as spec

CHECKER = Path(dyadic_certificate.__file__)


def document(n: int = 30, epsilon: str = "1/2", bits: int = 12) -> dict[str, Any]:
    return json.loads(json.dumps(dyadic_table(n, epsilon, bits).certificate()))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "parameters",
    [(10**9, "1/1000", 64), (10**9, "1/1000", 128), (1, "1/10", 64), (2, "1", 8), (10, "20", 8), (9, "1000000", 6)],
)
def test_tables_are_accepted(parameters: tuple[int, str, int]) -> None:
    assert recheck(document(*parameters)) is None


def test_it_runs_alone(tmp_path: Path) -> None:
    """Isolated, without site packages, on a copy of the file: a table at n = 10^9, epsilon = 1/1000, and a broken one."""
    good, bad, copy = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "copy.py"
    good.write_text(json.dumps(document(10**9, "1/1000", 64)))
    bad.write_text(json.dumps({**document(), "last": "17"}))
    copy.write_text(CHECKER.read_text())
    run = subprocess.run([sys.executable, "-I", "-S", copy, good, bad], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stdout.splitlines() == [f"{good}: accepted", f"{bad}: REJECTED: the weights do not sum to 2^bits"]
    assert run.stderr == ""


def test_it_imports_the_standard_library_only() -> None:
    found = [node for node in ast.walk(ast.parse(CHECKER.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in found}
    assert names == {"json", "sys", "fractions", "pathlib", "typing"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"last": "17"}, "the weights do not sum to 2^bits"),
        ({"bits": 13}, "the weights do not sum to 2^bits"),
        ({"n": "31", "last": "12"}, r"(ii) fails at j = n - 1"),
        ({"tail": "3", "last": "24"}, "(i) fails"),
        ({"tail": "6", "last": "0"}, "n is too small, or a weight is below 1"),
        ({"tail": "6", "last": "30"}, "the weights rise"),
        ({"n": "22"}, "n is too small, or a weight is below 1"),
        ({"ratio": "1"}, "R is not above 1, or it is above e^(epsilon/2)"),
        ({"ratio": "1285/1000"}, "R is not above 1, or it is above e^(epsilon/2)"),
        ({"ratio": "128/100"}, "(i) fails"),
        ({"epsilon": "0"}, "R is not above 1, or it is above e^(epsilon/2)"),
        ({"epsilon": "49/100"}, "R is not above 1, or it is above e^(epsilon/2)"),
        ({"format": "other"}, "no dyadic table of version 1"),
        ({"version": True}, "no dyadic table of version 1"),
        ({"n": 30}, "a number is not written in digits"),
        ({"n": "-30"}, "a number is not written in digits"),
        ({"tail": "\u0664"}, "a number is not written in digits"),
        ({"head": ["490", 382]}, "a number is not written in digits"),
        ({"head": None}, "a key is missing or not known, or head is no list"),
        ({"head": {"490": 1}}, "a key is missing or not known, or head is no list"),
        ({"head": "490"}, "a key is missing or not known, or head is no list"),
        ({"mean_absolute_noise": "0"}, "a key is missing or not known, or head is no list"),
        ({"ratio": "1.28"}, "epsilon or R is not written as 'p/q', or it is too long"),
        ({"epsilon": "1e999999999"}, "epsilon or R is not written as 'p/q', or it is too long"),
        ({"epsilon": "1/0"}, "Fraction(1, 0)"),
        ({"bits": 12.0}, "bits is not an integer from 1 to 4096"),
        ({"bits": 10**9}, "bits is not an integer from 1 to 4096"),
        ({"n": "9" * 5000}, "Exceeds the limit"),
    ],
)
def test_what_is_rejected(change: dict[str, Any], message: str) -> None:
    reason = recheck({**document(), **change})
    assert reason is not None
    assert message in reason


@pytest.mark.parametrize("broken", [None, [], "x", {}, {"format": "finitedp dyadic table", "version": 1}])
def test_what_is_no_certificate(broken: Any) -> None:
    assert recheck(broken) is not None


def test_long_numbers_that_nearly_meet_take_no_time() -> None:
    """R within 2^-1300 of e^(epsilon/2), epsilon of a thousand digits: sums of exact terms take a quarter of a minute."""
    denominator = int("3" * 497)
    epsilon, places = mpq(2 * denominator + 2 * int("7" * 495), denominator), 1300
    low, _ = exp_bounds(epsilon / 2, 3000)
    for step, expected in ((0, None), (1, "R is not above 1, or it is above e^(epsilon/2)")):
        ratio = f"{int(low * (1 << places)) + step}/{1 << places}"
        start = process_time()
        assert recheck({**document(), "epsilon": str(epsilon), "ratio": ratio}) == expected
        assert process_time() - start < 2


@given(st.fractions("1/9", 40).map(Fraction), st.integers(1, 90), st.integers(0, 1))
def test_its_comparison_with_e_is_the_library_s(x: Fraction, places: int, step: int) -> None:
    low, _ = exp_bounds(x, 200)
    number = Fraction(int(low * (1 << places)) + step, 1 << places)
    assert at_most_exp(number, x) == (compare_exp(number, x) < 0)


@given(st.integers(1, 12), st.fractions("1/5", 6).map(mpq), st.integers(4, 16), st.data())
def test_it_decides_as_the_definition(n: int, epsilon: mpq, bits: int, data: st.DataObject) -> None:
    """Weights are moved about while the sum stays: accepted exactly where they are a table still."""
    ratio = spec.ratio_below(epsilon, bits)
    table = spec.table(n, ratio, bits)
    if table is None:
        return
    weights = list(table)
    source, target, amount = (data.draw(st.integers(0, high)) for high in (n, n, 3))
    weights[source] -= amount * (2 if source == 0 else 1)
    weights[target] += amount * (2 if target == 0 else 1)
    *head, tail, last = (str(weight) for weight in weights)
    made = {"format": "finitedp dyadic table", "version": 1, "bits": bits, "epsilon": str(epsilon), "ratio": str(ratio)}
    reason = recheck({**made, "n": str(n), "head": head, "tail": tail, "last": last})
    assert (reason is None) == (min(weights) >= 1 and spec.is_table(weights, ratio, bits))


def test_a_nested_version_is_rejected() -> None:
    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    assert recheck({**document(), "version": nested}) is not None


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torn, deep = tmp_path / "torn.json", tmp_path / "deep.json"
    torn.write_text('{"format": ')
    deep.write_text("[" * 100_000)
    assert main([str(tmp_path / "absent.json"), str(torn), str(deep)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert all(": REJECTED: it cannot be read: " in line for line in printed)


def test_the_file_itself_refuses_a_key_that_is_there_twice(tmp_path: Path) -> None:
    """Readers of JSON differ in which one they take."""
    whole = json.dumps(dyadic_table(30, "1/2", 12).certificate())
    twice = tmp_path / "twice.json"
    twice.write_text(whole.replace('"epsilon": "1/2"', '"epsilon": "1/1000"', 1)[:-1] + ', "epsilon": "1/2"}')
    assert main([str(twice)]) == 1
    zeros = {**dyadic_table(30, "1/2", 12).certificate(), "n": "0030"}
    assert recheck(zeros) == "a number begins with 0"


def test_a_bound_that_is_attained_is_kept() -> None:
    """Weights 2 and 3 with R = 5/3: w_0 + w_1 = R w_1, and w_0 + 2 w_1 = 2^3."""
    table = {"format": "finitedp dyadic table", "version": 1, "bits": 3, "epsilon": "11/10", "ratio": "5/3", "n": "1"}
    assert recheck({**table, "head": [], "tail": "2", "last": "3"}) is None
    assert recheck({**table, "head": [], "tail": "4", "last": "2"}) == "(ii) fails at j = n - 1"
    assert recheck({**table, "head": [], "tail": "2", "last": "3", "epsilon": "51/50"}) is not None  # 2 ln(5/3) = 1.0217


@pytest.mark.parametrize("bits", [1, 4096])
def test_bits_at_the_ends_of_their_range(bits: int) -> None:
    reason = recheck({**document(), "bits": bits})
    assert reason == "the weights do not sum to 2^bits"
    assert recheck({**document(), "bits": 0 if bits == 1 else 4097}) == "bits is not an integer from 1 to 4096"


def test_without_a_file_it_says_how_it_is_used(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-I", CHECKER], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "usage: dyadic_certificate.py FILE...\n")
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(document()))
    bad.write_text("{}")
    assert [main([str(file) for file in files]) for files in ([good], [bad, good], [good, bad])] == [0, 1, 1]
