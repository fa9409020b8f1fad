"""The file of a budget: what is torn, what was changed, several processes, and one that is killed at any step of a charge."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.budgets.budget import Budget
from finitedp.claim import PrivacyClaim
from finitedp.curve import Curve
from finitedp.errors import DataError, PrivacyBudgetError


def claim(epsilon: Any, delta: Any = 0) -> PrivacyClaim:
    return PrivacyClaim(epsilon, "replace-one", delta, ratio=None, source="FD.Dyadic.basic.private")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.jsonl"


def with_charges(path: Path, *epsilons: str) -> Budget:
    budget = Budget.new(path, 1, "1/100")
    for k, epsilon in enumerate(epsilons):
        budget.charge(claim(epsilon, "1/1000"), f"release {k}")
    return budget


def test_a_file_is_the_budget_again(path: Path) -> None:
    made = with_charges(path, "1/3", "1/7")
    found = Budget.open(path)
    assert found.charges == made.charges
    assert (found.epsilon, found.delta, found.relation) == (mpq(1), mpq(1, 100), "replace-one")
    assert found.spent == (mpq(10, 21), mpq(1, 500))
    assert found.charges[1].claim == claim("1/7", "1/1000")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        Budget.new(path, 1)


def test_two_objects_of_one_file_see_each_others_charges(path: Path) -> None:
    one, other = with_charges(path), Budget.open(path)
    one.charge(claim("3/5"))
    with pytest.raises(PrivacyBudgetError, match=r"2/5 \(0.4\) of 1 is left"):
        other.charge(claim("3/5"))
    other.charge(claim("2/5"))
    assert one.refresh().charges == other.charges == Budget.open(path).charges
    assert [x.number for x in one.charges] == [1, 2]


@pytest.mark.parametrize("lost", range(1, 300, 7))
def test_a_torn_last_line_is_charged(path: Path, lost: int) -> None:
    with_charges(path, "1/3", "1/7")
    whole = path.read_bytes()
    lost = min(lost, len(whole.splitlines(keepends=True)[-1]) - 1)
    path.write_bytes(whole[:-lost])
    found = Budget.open(path)
    torn = whole[:-lost].splitlines()[-1].decode()
    assert len(found.charges) == 2
    if lost == 1:  # nothing but the end of the line
        assert found.charges[1].claim == claim("1/7", "1/1000")
    else:
        assert found.charges[1].claim is None
    if '"delta": "1/1000",' in torn:
        assert found.spent == (mpq(10, 21), mpq(1, 500))
        found.charge(claim("1/10"), "after it")
        again = Budget.open(path)
        assert [x.release for x in again.charges] == ["release 0", found.charges[1].release, "after it"]
        assert again.spent == (mpq(10, 21) + mpq(1, 10), mpq(1, 500))
    else:
        assert found.left == (mpq(0), mpq(0))
        with pytest.raises(PrivacyBudgetError):
            found.charge(claim("1/1000000"))


def test_a_line_that_is_torn_while_another_process_has_the_file(path: Path) -> None:
    budget = with_charges(path, "1/3")
    Budget.open(path).charge(claim("1/7"))
    path.write_bytes(path.read_bytes()[:-20])
    assert budget.refresh().spent[0] == mpq(10, 21)
    Budget.open(path).charge(claim("1/11"), "third")
    budget.charge(claim("1/13"), "fourth")
    assert [x.release for x in Budget.open(path).charges] == ["release 0", "a line that was torn", "third", "fourth"]


def edited(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('"epsilon": "1/3"', '"epsilon": "1/9"', "does not follow"),
        ('"number": 2, "slot": null, "epsilon": "1/7"', '"number": 2, "slot": null, "epsilon": "1/9"', "contradicts itself"),
        ('"claim": {"epsilon": "1/7"', '"claim": {"epsilon": "-1/7"', "cannot be read: epsilon = -1/7 is negative"),
        ('"release": "release 0"', '"release": "release 9"', "does not follow"),
        ('"number": 2', '"number": 3', "contradicts itself"),
        ('"neighbours": "replace-one", "ratio"', '"neighbours": "rows", "ratio"', "does not follow"),
        ('"epsilon": "1", "delta": "1/100"', '"epsilon": "2", "delta": "1/100"', "does not follow"),
        ('"version": 1', '"version": 2', "no budget"),
        ("finitedp budget", "another thing", "no budget"),
        ('"epsilon": "1", "delta"', '"epsilon": "-1", "delta"', "no budget"),
    ],
)
def test_a_file_that_was_changed_is_refused(path: Path, before: str, after: str, says: str) -> None:
    with_charges(path, "1/3", "1/7")
    edited(path, before, after)
    with pytest.raises(DataError, match=says):
        Budget.open(path)


def test_lines_that_are_gone_are_missed_by_who_saw_them(path: Path) -> None:
    budget = with_charges(path, "1/3", "1/7")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    with pytest.raises(DataError, match="does not end where it did"):
        budget.charge(claim("1/100"))
    path.write_bytes(b"".join([lines[0], lines[2]]))
    with pytest.raises(DataError, match="does not follow"):
        Budget.open(path)


@pytest.mark.parametrize("text", [b"", b"\n", b"[1]\n", b"a,b\n1,2\n", b"\xff\xfe", b'{"format": "finitedp budget"}\n'])
def test_what_is_no_budget(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    with pytest.raises(DataError, match="budget"):
        Budget.open(path)


def test_files_that_cannot_be_had(path: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Budget.open(path)
    with pytest.raises(FileNotFoundError):
        Budget.new(tmp_path / "nowhere" / "budget", 1)
    with pytest.raises(IsADirectoryError):
        Budget.open(tmp_path)


CHARGING = """
import sys
from finitedp.curve import Curve
from finitedp.budgets.budget import Budget
from finitedp.claim import PrivacyClaim
budget = Budget.open(sys.argv[1])
for k in range(100):
    try:
        budget.charge(PrivacyClaim("1/100", "replace-one"), sys.argv[2])
    except ValueError:
        break
    print(k)
"""


def test_processes_that_charge_at_once(path: Path) -> None:
    with_charges(path)
    asked = [sys.executable, "-c", CHARGING, str(path)]
    running = [subprocess.Popen([*asked, str(k)], stdout=subprocess.PIPE, text=True) for k in range(3)]
    fitted = [len(one.communicate()[0].splitlines()) for one in running]
    found = Budget.open(path)
    assert sum(fitted) == 100
    assert found.left[0] == 0
    assert [sum(x.release == str(k) for x in found.charges) for k in range(3)] == fitted


KILLED = """
import os, signal, sys
import finitedp.budgets.file as home
from finitedp.curve import Curve
from finitedp.budgets.budget import Budget
from finitedp.claim import PrivacyClaim
budget = Budget.open(sys.argv[1])
steps = 0

def mortal(name, module):
    real = getattr(module, name)
    def one(*given):
        global steps
        steps += 1
        if steps == int(sys.argv[2]):
            if name == "write":
                real(given[0], given[1][: len(given[1]) * int(sys.argv[3]) // 4])
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(*given)
        return found
    setattr(module, name, one)

for name in ("open", "fstat", "pread", "write", "fsync", "close"):
    mortal(name, home.os)
mortal("flock", home.fcntl)
budget.charge(PrivacyClaim("1/7", "replace-one"), "mortal")
sys.stdout.buffer.write(b"released")
sys.stdout.flush()
"""


@pytest.mark.parametrize("part", range(1, 4))
def test_killed_at_any_step_of_a_charge(path: Path, part: int) -> None:
    charged_though_dead, k, released = 0, 0, False
    while not released:
        k += 1
        path.unlink(missing_ok=True)
        with_charges(path, "1/3")
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(path), str(k), str(part)], capture_output=True, text=True, check=False
        )
        released = done.stdout == "released"
        assert released or done.returncode == -9, done.stderr
        budget = Budget.open(path)
        mortal = budget.charges[1:]
        assert len(mortal) <= 1
        charged_though_dead += bool(mortal) and not released
        assert mortal or not released, "a release that is not charged"
        if budget.left[0]:
            budget.charge(claim("1/100"), "the next one")
            assert len(Budget.open(path).charges) == len(mortal) + 2
    assert k > 6
    assert charged_though_dead >= 2  # killed within the write, or behind it


def test_what_cannot_be_written_is_not_released(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = with_charges(path, "1/3")

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("finitedp.budgets.file.os.fsync", full)
        with pytest.raises(OSError, match="No space left"):
            budget.charge(claim("1/7"))
    assert budget.refresh().spent[0] == mpq(10, 21)  # it may have been written, and is charged


def test_a_line_is_json_with_its_amounts_first(path: Path) -> None:
    with_charges(path, "1/3")
    line = path.read_text().splitlines()[1]
    assert line.startswith('{"number": 1, "slot": null, "epsilon": "1/3", "delta": "1/1000", ')
    assert json.loads(line)["claim"]["source"] == "FD.Dyadic.basic.private"


def test_slots_come_back_from_a_file(path: Path) -> None:
    first = PrivacyClaim("1/2", "replace-one", ratio="3/2")
    slots: list[PrivacyClaim | tuple[PrivacyClaim | Curve, int]] = [(first, 2), PrivacyClaim("1/3", "replace-one", "1/100")]
    budget = Budget.new(path, slots=slots)
    assert budget.charge(first, "first").slot == 0
    found = Budget.open(path)
    assert found.charges == budget.charges
    assert found.free == (1, 1)
    assert found.composition == Budget(slots=slots).composition
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    assert Budget.open(path).free == (1, 1)  # the torn line still tells its slot
    path.write_bytes(whole[: whole.rindex(b'"slot"') + 5])
    assert Budget.open(path).free == (0, 0)
    path.write_bytes(whole.replace(b'"slot": 0', b'"slot": 7'))
    with pytest.raises(DataError, match="slot 7 is not free"):
        Budget.open(path)
