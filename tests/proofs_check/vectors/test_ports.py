"""finitedp's own code against all cases, and wrong ports, each of which a case that names the bug rejects."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from finitedp.impl.counting.dyadic_bulk import apply_array, apply_array_data_dependent_time
from finitedp.proofs_check.vectors.judging import RIGHT, judge
from finitedp.proofs_check.vectors.kinds import KINDS, Case, cases_of
from finitedp.proofs_check.vectors.making import documents, shipped

ROOT = Path(__file__).parents[3]


def _port() -> ModuleType:
    spec = spec_from_file_location("finitedp_port", ROOT / "docs" / "ports" / "finitedp_port.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PORT = _port()


def failures(cases: list[Case]) -> list[tuple[str, str, str]]:
    found = [(case.name, *judge(case, json.dumps(PORT.answered(json.loads(case.line))))) for case in cases]
    return [outcome for outcome in found if outcome[1] != RIGHT]


@pytest.mark.parametrize("kind", [pytest.param(x, marks=pytest.mark.deep) if x == "Composition" else x for x in KINDS])
def test_the_small_set(kind: str) -> None:
    assert failures(list(cases_of(shipped()[kind]))) == []


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_the_large_set(kind: str) -> None:
    assert failures(list(cases_of(documents("large", (kind,))[kind]))) == []


def test_the_array_paths_draw_as_the_cases_say() -> None:
    tried = 0
    for group in shipped()["Draw"]["testGroups"]:
        n, bits = int(group["n"]), int(group["bits"])
        tests = [test for test in group["tests"] if test["result"] == "valid"]
        if n >> 61:  # too large for int64, which they say
            continue
        mechanism = PORT.mechanism({**group, "head": " ".join(group["head"])})
        words = [int(test["tape"][0], 16) for test in tests]
        limbs = -(-bits // 64)
        rows = np.array([[word >> (64 * i) & (2**64 - 1) for word in words] for i in reversed(range(limbs))], np.uint64)
        counts = np.array([int(test["count"]) for test in tests], np.int64)
        for path in (apply_array, apply_array_data_dependent_time):
            found = path(mechanism, counts, rows if limbs > 1 else rows[0])
            assert found.tolist() == [int(test["output"]) for test in tests]
        tried += len(tests)
    assert tried > 1500


# Wrong ports


def draw(case: dict[str, str], *, wrong: str = "") -> dict[str, str]:  # noqa: PLR0912  # a bug at each step
    """DyadicSample as a port may have it, with one bug."""
    bits, n, tail, last, count = (int(case[name]) for name in ("bits", "n", "tail", "last", "count"))
    head, tape = [int(x) for x in case["head"].split()], case["tape"].split()
    if wrong == "no check of the count":
        count = min(max(count, 0), n)
    if not (0 <= count <= n and (tape or wrong == "no check of the tape")):
        return {"result": "invalid"}
    word = int(tape[0], 16) if tape else 0
    if wrong == "limbs exchanged" and bits == 128:
        word = word >> 64 | word % (1 << 64) << 64
    if wrong == "63 bits":
        word %= 1 << max(63, bits - 1) if bits == 64 else 1 << bits
    up = word >> (bits - 1) == 1
    m = (1 << bits) - 1 - word if up else word
    if wrong == "complement of 64 bits" and up:
        m = (1 << 64) - 1 - word if bits < 64 else m
    if wrong == "u from 1":
        m += 1
    if wrong == "double":
        m = int(float(m))
    if wrong == "sign":
        up = not up
    h, k = len(head), 0
    sums = {j: sum(head[j:]) + (n - max(h, j)) * tail + last for j in range(1, h + 1)}
    if wrong == "sums as doubles":
        sums = {j: int(float(s)) for j, s in sums.items()}
    for j, s in sums.items():
        if (m <= s) if wrong == "at most" else (m < s):
            k = j
    start = sums.get(h, (n - h) * tail + last)
    if m < start:
        k = n - 1 - (m - last) // tail if m >= last else n
        k = {"stretch one more": k + 1, "stretch truncates": n - 1 - int((m - last) / tail)}.get(wrong, k) if m >= last else k
        if wrong == "last slot":
            k = n - 1 if k == n else k
    if wrong == "int64":
        k = (k + 2**63) % 2**64 - 2**63
    if wrong == "int32":
        k = (k + 2**31) % 2**32 - 2**31
    z = count + k if up else count - k
    output = z if wrong == "no clamp" else max(z, 0) if wrong == "clamped below only" else min(max(z, 0), n)
    read = bits * (len(tape) if wrong == "reads all" else 1)
    return {"result": "valid", "output": str(output), "bitsRead": str(read)}


WRONG = {
    "u from 1": "BelowSum",
    "at most": "InnerSum",
    "sign": "FirstBit",
    "limbs exchanged": "LimbOrder",
    "complement of 64 bits": "OddBits",
    "63 bits": "Border2^63",
    "double": "Float",
    "sums as doubles": "Float",
    "stretch one more": "Stretch",
    "stretch truncates": "Stretch",
    "last slot": "LastSlot",
    "int64": "WideCount",
    "int32": "Border2^32",
    "no clamp": "Clamp",
    "clamped below only": "Clamp",
    "no check of the count": "CountOutOfRange",
    "no check of the tape": "ShortTape",
    "reads all": "LongTape",
}


def failed_flags(answer: Callable[[dict[str, str]], dict[str, str]]) -> set[str]:
    cases = list(cases_of(shipped()["Draw"]))
    lines = [(case, json.dumps({"tcId": case.name, **answer(json.loads(case.line))})) for case in cases]
    return {flag for case, line in lines if judge(case, line)[0] != RIGHT for flag in case.test["flags"]}


def test_a_port_that_is_right() -> None:
    assert failed_flags(draw) == set()


@pytest.mark.parametrize(("wrong", "flag"), WRONG.items())
def test_a_wrong_port_fails_a_case_that_names_its_bug(wrong: str, flag: str) -> None:
    assert flag in failed_flags(lambda case: draw(case, wrong=wrong))


# The recipe of the page


def test_the_page_s_recipe_makes_a_test_of_each_case(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "vectors.md").read_text()
    [recipe] = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "test_vectors.py").write_text(recipe)
    answer = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'docs' / 'ports')!r})\n"
        "from finitedp_port import answered\n"
        "def answer(fields):\n"
        "    found = answered({k: v for k, v in fields.items()})\n"
        "    return {k: BODY for k, v in found.items() if k != 'tcId'}\n"
    )
    counts = []
    for body in ("v", "'0' if k == 'bitsRead' else v"):
        (tmp_path / "my_port.py").write_text(answer.replace("BODY", body))
        words = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:finitedp",
            "-k",
            "Draw-10",
            str(tmp_path),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
        counts.append({name: int(n) for n, name in re.findall(r"(\d+) (passed|failed)", done.stdout.splitlines()[-1])})
    right, wrong = counts
    chosen = [case for case in cases_of(shipped()["Draw"]) if "Draw-10" in case.name]
    refused = sum(case.test["result"] == "invalid" for case in chosen)
    assert right == {"passed": len(chosen)}
    assert wrong == {"passed": refused, "failed": len(chosen) - refused}
