"""Programs that answer, and that fail in each of the ways that are told apart."""

import sys
import time
from collections import Counter

import pytest

from finitedp.errors import ParameterError
from finitedp.proofs_check.vectors.judging import NONSENSE, OTHER, RIGHT, WRONG, judge
from finitedp.proofs_check.vectors.kinds import Case, cases_of
from finitedp.proofs_check.vectors.making import shipped
from finitedp.proofs_check.vectors.running import DIED, HUNG, LEFT_OUT, MOST_STARTS, Outcome, run

DRAWS = list(cases_of(shipped()["Draw"]))[:6]  # of the table 2, 7 of 4 bits: what the first words draw at the count 0
RIGHT_ANSWER = "answer(case, result='valid', output='0', bitsRead='4')"

PROGRAM = """
import json, os, sys, time
def answer(case, **fields):
    print(json.dumps({"tcId": case["tcId"], **fields}), flush=True)
for place, line in enumerate(sys.stdin):
    case = json.loads(line)
    BODY
"""


def of(body: str, timeout: float = 20, cases: list[Case] = DRAWS) -> list[Outcome]:
    return list(run([sys.executable, "-c", PROGRAM.replace("BODY", body.replace("\n", "\n    "))], cases, timeout))


def verdicts(outcomes: list[Outcome]) -> list[str]:
    return [outcome.verdict for outcome in outcomes]


def test_a_right_program() -> None:
    assert [case.test["output"] for case in DRAWS] == ["0"] * 6
    assert verdicts(of(RIGHT_ANSWER)) == [RIGHT] * 6


def test_a_wrong_answer_is_no_failure_of_the_program() -> None:
    found = of(f"if place == 2: answer(case, result='valid', output='1', bitsRead='4')\nelse: {RIGHT_ANSWER}")
    assert verdicts(found) == [RIGHT, RIGHT, WRONG, RIGHT, RIGHT, RIGHT]
    assert found[2].why == "output = 1; expected 0"


def test_a_program_that_dies_is_started_again() -> None:
    found = of(f"if case['tcId'] == 'Draw-3': print('out of memory', file=sys.stderr); sys.exit(7)\n{RIGHT_ANSWER}")
    assert verdicts(found) == [RIGHT, RIGHT, DIED, RIGHT, RIGHT, RIGHT]
    assert found[2].why == "the program ended with exit code 7: out of memory"


def test_the_signal_that_ended_it() -> None:
    [found] = of("os.kill(os.getpid(), 11)", cases=DRAWS[:1])
    assert (found.verdict, found.why) == (DIED, "the program died of signal 11")


def test_half_a_line_is_no_answer() -> None:
    [found] = of("print('{\"tcId\":', end='', flush=True); sys.exit(0)", cases=DRAWS[:1])
    assert (found.verdict, found.why) == (DIED, "the program ended with exit code 0")


def test_a_program_that_closes_its_output_and_goes_on() -> None:
    [found] = of("os.close(1); time.sleep(60)", cases=DRAWS[:1])
    assert (found.verdict, found.why) == (DIED, "the program closed its output and goes on")


def test_a_program_that_hangs_is_ended() -> None:
    began = time.monotonic()
    found = of(f"if case['tcId'] == 'Draw-2': time.sleep(600)\n{RIGHT_ANSWER}", timeout=1.5, cases=DRAWS[:3])
    assert time.monotonic() - began < 300  # it was not waited for
    assert verdicts(found) == [RIGHT, HUNG, RIGHT]
    assert found[1].why == "no answer within 1.5 s (is each line flushed?)"


def test_a_program_that_does_not_flush_hangs() -> None:
    [found] = of("held = globals().setdefault('held', open(1, 'w', 65536))\nheld.write('{}\\n')", timeout=1.5, cases=DRAWS[:1])
    assert found.verdict == HUNG


def test_a_program_that_does_not_read_hangs_on_a_line_that_no_pipe_holds() -> None:
    case = DRAWS[0]
    long = Case(case.kind, case.parameters, {**case.test, "tape": ["0"] * 200_000}, case.notes)
    [found] = run([sys.executable, "-c", "import time; time.sleep(600)"], [long], 1.0)
    assert found.verdict == HUNG


def test_what_a_program_started_ends_with_it() -> None:
    began = time.monotonic()
    [found] = run(["sh", "-c", "sleep 600; true"], DRAWS[:1], 0.5)
    assert found.verdict == HUNG
    assert time.monotonic() - began < 300


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("hello", "the answer is no JSON: hello"),
        ("", "the answer is no JSON: "),
        ("[1]", "the answer is no JSON object of texts"),
        ('{"tcId":"Draw-1","result":"valid","output":0,"bitsRead":4}', "the answer is no JSON object of texts"),
        ('{"tcId":"Draw-1"}', "the answer's result is None; accepted: valid, invalid"),
        ('{"tcId":"Draw-1","result":"yes"}', "the answer's result is yes"),
        ('{"tcId":"Draw-1","result":"valid"}', "the answer has no output"),
        ('{"tcId":"Draw-1","result":"valid","output":"0"}', "the answer has no bitsRead"),
        ('{"tcId":"Draw-1","result":"valid","output":"0.0","bitsRead":"4"}', "output = 0.0 is no integer in decimal digits"),
        ('{"tcId":"Draw-1","result":"valid","output":"00","bitsRead":"4"}', "output = 00 is no integer"),
        ('{"tcId":"Draw-1","result":"valid","output":"\\u0660","bitsRead":"4"}', "is no integer"),
        ("[" * 100_000, "the answer is no JSON"),
    ],
)
def test_nonsense(line: str, told: str) -> None:
    verdict, why = judge(DRAWS[0], line)
    assert verdict == NONSENSE
    assert why.startswith(told) or told in why


def test_nonsense_of_a_program() -> None:
    assert verdicts(of(f"if place == 1: print('debug', flush=True)\n{RIGHT_ANSWER}"))[:2] == [RIGHT, NONSENSE]
    [found] = of("sys.stdout.write('x' * (1 << 21)); sys.stdout.flush(); time.sleep(60)", cases=DRAWS[:1])
    assert (found.verdict, found.why) == (NONSENSE, "an answer of more than 1048576 bytes")
    [found] = of("sys.stdout.buffer.write(bytes([255, 254, 10])); sys.stdout.flush()", cases=DRAWS[:1])
    assert found.verdict == NONSENSE


def test_answers_to_other_cases() -> None:
    found = of(f"{RIGHT_ANSWER}\nif place == 1: {RIGHT_ANSWER}")
    assert verdicts(found) == [RIGHT, RIGHT, OTHER, RIGHT, RIGHT, OTHER]
    assert found[2].why == "answered Draw-2 where Draw-3 was asked"
    assert judge(DRAWS[0], '{"result":"valid","output":"0","bitsRead":"4"}') == (
        OTHER,
        "answered no case where Draw-1 was asked",
    )


def test_a_program_that_always_fails_is_left_alone() -> None:
    cases = list(cases_of(shipped()["Draw"]))[: MOST_STARTS + 5]
    counts = Counter(verdicts(list(run([sys.executable, "-S", "-c", "import sys; sys.exit(3)"], cases, 20))))
    assert counts == {DIED: MOST_STARTS, LEFT_OUT: 5}


def test_carriage_returns_and_keys_that_are_not_known() -> None:
    line = '{"bitsRead":"4","note":"x","output":"0","result":"valid","tcId":"Draw-1"}\r\n'
    assert verdicts(of(f"sys.stdout.write({line!r}); sys.stdout.flush()", cases=DRAWS[:1])) == [RIGHT]


@pytest.mark.parametrize("command", [["/no/such/program"], [""], ["."], ["nul\0byte"]])
def test_a_program_that_cannot_be_started(command: list[str]) -> None:
    with pytest.raises(ParameterError, match="cannot be started"):
        list(run(command, DRAWS[:1], 1))
