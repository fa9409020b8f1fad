"""finitedp audit of a function without a file, and finitedp init, as a new user calls them."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.proofs_check import checker
from tests.sampling import sampled

CODE = '''
import random


def noisy_count(count, rng):
    """Geometric noise on both sides, by loops without a bound."""
    while rng.random() < 0.5:
        count += 1
    while rng.random() < 0.5:
        count -= 1
    return count


def response(rows, rng, truth=0.75):
    return rows[0] if rng.random() < truth else 1 - rows[0]


def of_the_module(rows):
    return rows[0] if random.random() < 0.75 else 1 - rows[0]


def of_numpy(rows, rng):
    return rows[0] if rng.integers(4) < 3 else 1 - rows[0]


def annotated(rows, rng: random.Random):
    return response(rows, rng)


def unclear(rows, x):
    return rows[0]


def law(rows):
    return {rows[0]: "3/4", 1 - rows[0]: "1/4"}


def endless(count, rng):
    while rng.getrandbits(4):
        count += 1 + rng.getrandbits(4)
    return count


class Response:
    def __init__(self, truth):
        self.truth = truth

    def release(self, rows, rng):
        return response(rows, rng, self.truth)
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words: str, *more: str) -> Result:
    return CliRunner().invoke(main, [*words.split(), *more])


COUNTS = "--neighbours counts --n 1 --jobs 1"
BIT = "--neighbours replace-one --universe 0,1 --n 1 --jobs 1"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    sampled(
        [
            (f"code.py:response --epsilon 11/10 {BIT}", 0, "1 as claimed"),
            (f"code.py:response --epsilon 1 {BIT}", 1, "1 NOT as claimed"),
            (f"code.py:response --epsilon 1 --parameter truth=0.625 {BIT}", 0, "1 as claimed"),
            (f"code.py:of_the_module --epsilon 11/10 {BIT}", 0, "1 as claimed"),
            (f"code.py:unclear --epsilon 1 --style none --parameter x=1 {BIT}", 1, "1 NOT as claimed"),
            (f"code.py:Response --parameter truth=0.75 --epsilon 11/10 {BIT}", 0, "1 as claimed"),
            (f"code.py:response --epsilon 11/10 --specified code.py:law {BIT}", 0, "EQUALS the specified law"),
            (
                f"code.py:response --epsilon 11/10 --parameter truth=0.5 --specified code.py:law {BIT}",
                1,
                "it is 1/4 (0.25), at",
            ),
            (f"finitedp:GeoSample --parameter n=1 --parameter epsilon=1/2 --epsilon 1/2 {COUNTS}", 0, "1 as claimed"),
            (
                "code.py:response --epsilon 2 --neighbours replace-one --universe 0..1 --n 1,2 --jobs 1",
                0,
                "Audits: 2, 2 as claimed",
            ),
            (f"code.py:response --epsilon 2 --accuracy 0,1/4 --truth code.py:unclear {BIT}", 2, "`truth` raised TypeError"),
        ],
        4,
        names=3,
    ),
)
def test_a_function_is_audited_without_a_file(words: str, code: int, said: str) -> None:
    result = run(f"audit {words}")
    assert (result.exit_code, "Traceback" in result.output) == (code, False)
    assert said in result.output


@pytest.mark.deep
@pytest.mark.usefixtures("here")
def test_a_loop_without_a_bound_holds_with_a_little_more_delta() -> None:
    result = run(f"audit code.py:noisy_count --epsilon 1 {COUNTS} --budget bits=34 --json")
    document = json.loads(result.output)
    (certificate,) = document["certificates"]
    assert (result.exit_code, document["outcomes"]) == (1, {"as claimed with delta + u": 1})
    assert certificate["verdicts"]["private"] == "holds with delta + u"
    assert checker.check(certificate) is None
    k = int(certificate["u"].partition("/")[2]).bit_length() - 1
    assert certificate["u"] == f"1/{1 << k}"
    stated = run(f"audit code.py:noisy_count --epsilon 1 --delta 2^-{k} {COUNTS} --budget bits=34")
    assert (stated.exit_code, stated.output.splitlines()[-1]) == (0, "Audits: 1, 1 as claimed.")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("code.py", "which function? accepted: code.py:noisy_count, code.py:response"),
        ("none.py", "none.py: No such file"),
        ("none.py:f --epsilon 1 --neighbours counts --n 1", "No such file"),
        ("code.py:none --epsilon 1 --neighbours counts --n 1", "code.py has no 'none'"),
        ("code.py:response", "needs --epsilon, --neighbours, --n; for example: finitedp audit code.py:response --epsilon 1"),
        ("code.py:response --epsilon 1 --neighbours add-remove --n 1", "needs --universe, the labels"),
        ("code.py:response --epsilon 1_0 --neighbours counts --n 1", "is not of the form 'p/q'"),
        ("code.py:response --epsilon 1 --neighbours counts --n x", "accepted: 3, 1,2,3 or 1..3"),
        ("code.py:response --epsilon 1 --neighbours counts --n -1", "accepted: 3, 1,2,3 or 1..3"),
        ("code.py:response --epsilon 1 --neighbours counts --n 1 --universe 0,1", "inputs are counts; accepted: no universe"),
        ("code.py:response --epsilon 1 --neighbours replace-one --n 1 --universe 3..1", "upwards"),
        ("code.py:response --epsilon 1 --neighbours counts --n 1 --parameter x", "not of the form NAME=VALUE"),
        ("code.py:response --epsilon 1 --neighbours counts --n 1 --budget run=1", "'run' was unexpected"),
        ("code.py:response --epsilon 1 --neighbours counts --n 1 --accuracy x", "not of the form A,BETA"),
        ("code.py:response --epsilon 1 --neighbours counts --n 1 --truth code.py:law", "--truth is for --accuracy"),
        (f"code.py:unclear --epsilon 1 {BIT}", "say it: style = 'random'"),
        ("audit.toml --epsilon 1", "--epsilon is for FILE.py:FUNCTION; audit.toml is a file that says it itself"),
        ("code.py:response --epsilon 1 --neighbours counts --n 1 --time-limit 0", "0.0 is not in the range x>0"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_the_next_step(words: str, message: str) -> None:
    result = run(f"audit {words}")
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
    assert "Traceback" not in result.output


@pytest.mark.deep
def test_a_report_stands_beside_its_certificates(here: Path) -> None:
    result = run(f"audit code.py:response --epsilon 1 --html out.html {BIT}")
    assert result.output.splitlines()[-1] == "out.html: 1 certificate; 1 privacy claim FAILS, by ~0.07043 in delta."
    assert (here / "out.html").read_text().startswith("<!DOCTYPE html>")
    assert [path.name for path in (here / "out-certificates").iterdir()] == ["response.json"]


def test_names_do_not_collide(here: Path) -> None:
    (here / "a.toml").write_text(
        'mechanism = "code.py:response"\nuniverse = [0, 1]\nn = 1\nname = "same"\n'
        'claim = {neighbours = "replace-one", epsilon = 2}\n'
        '[[instances]]\nname = "Same!"\n[[instances]]\nmechanism = "code.py:of_the_module"\n[[instances]]\nname = "same"\n'
    )
    assert run("audit a.toml a.toml --jobs 1 --certificates kept").exit_code == 0
    assert len(list((here / "kept").iterdir())) == 6
    read = [json.loads(path.read_text()) for path in (here / "kept").iterdir()]
    assert {document["derived"]["mechanism"] for document in read} == {"code.py:response", "code.py:of_the_module"}
    assert {document["derived"]["style"] for document in read} == {"random", "none"}


def test_an_instance_may_be_a_table_in_place_of_code(here: Path) -> None:
    (here / "laws.csv").write_text("input,output,probability\n[0],0,3/4\n[0],1,1/4\n[1],0,1/4\n[1],1,3/4\n")
    (here / "a.toml").write_text(
        'mechanism = "code.py:response"\nuniverse = [0, 1]\nn = 1\nclaim = {neighbours = "replace-one", epsilon = 2}\n'
        '[[instances]]\n[[instances]]\ntable = "laws.csv"\n'
    )
    document = json.loads(run("audit a.toml --jobs 1 --json").output)
    assert [certificate["derived"]["style"] for certificate in document["certificates"]] == ["random", "table"]
    assert [certificate["name"] for certificate in document["certificates"]] == ["a, instance 1", "a, instance 2"]


@pytest.mark.deep
def test_what_is_stopped_leaves_a_certificate_and_says_so(here: Path) -> None:
    result = run(f"audit code.py:endless --epsilon 1 {COUNTS} --time-limit 0.3 --certificates kept")
    assert result.exit_code == 1
    assert "time limit of 0.3 s: the verdicts are of what had been found." in result.output
    assert checker.main([str(here / "kept" / "endless.json")]) == 0


@pytest.mark.deep
def test_ctrl_c_ends_with_the_verdict_of_what_was_found(here: Path) -> None:
    """With processes that share the work, as a terminal interrupts them: all at once."""
    command = [sys.executable, "-m", "finitedp", *"audit code.py:endless --epsilon 1 --neighbours counts --n 3".split()]
    boards = here / "boards"  # of this audit alone
    boards.mkdir()
    process = subprocess.Popen(
        [*command, "--certificates", "kept"],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(boards)},
    )
    deadline = time.time() + 120
    while time.time() < deadline and not any(boards.glob("finitedp-board-*/open-*")):
        time.sleep(0.2)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, out + err
    assert "interrupted: the verdicts are of what had been found" in out
    assert checker.main([str(here / "kept" / "endless.json")]) == 0


# init


def test_init_writes_a_description_that_runs(here: Path) -> None:
    result = run("init code.py:response --schema")
    assert (result.exit_code, result.output.count("\n")) == (0, 1)
    text = (here / "audit.toml").read_text()
    assert text.startswith("#:schema ./audit.schema.json\n")
    assert '# style = "random"                   # by a name in its signature, unless' in text
    assert json.loads((here / "audit.schema.json").read_text())["title"] == "finitedp audit description"
    changed = text.replace('epsilon = "1" ', 'epsilon = "ln 3" ').replace("n = 2", "n = 1")
    (here / "audit.toml").write_text(changed)
    assert run("audit audit.toml --jobs 1").output.splitlines()[-1] == "Audits: 1, 1 as claimed."


def test_every_comment_of_a_description_is_a_setting_that_works(here: Path) -> None:
    """What is commented out is taken in: names of functions that are not there are all that is wrong then."""
    run("init code.py:response")
    lines = (here / "audit.toml").read_text().splitlines()
    settings = [
        line.removeprefix("# ")
        if line.startswith(("# samplers", "# parameters", "# rows", "# bits", "# runs", "# [b", "# [[", "# name", "# claim"))
        else line
        for line in lines
    ]
    (here / "audit.toml").write_text(
        "\n".join(settings).replace("scale = 2", "truth = 0.75").replace("code.py:geometric", "code.py:unclear")
    )
    result = run("audit audit.toml --jobs 1")
    assert result.exit_code in (0, 1), result.output
    assert "Audits: 1," in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("init", "audit.toml exists; accepted: another --out, or --force"),
        ("init code.py --force", "which function?"),
        ("init response --force", "names no function"),
        ("init code.py:none --force", "has no 'none'"),
    ],
)
def test_what_init_refuses(words: str, message: str, here: Path) -> None:
    (here / "audit.toml").write_text("mine")
    result = run(words)
    assert (result.exit_code, message in result.output) == (2, True), result.output
    assert (here / "audit.toml").read_text() == "mine"


def test_init_writes_the_style_that_an_annotation_says(here: Path) -> None:
    assert run("init code.py:annotated").exit_code == 0
    assert tomllib.loads((here / "audit.toml").read_text())["style"] == "random"


@pytest.mark.parametrize("style", [(), ("--style", "numpy")])
def test_numpy_need_not_be_imported_before(style: tuple[str, ...], here: Path) -> None:
    """In a process of its own, where nothing has imported it."""
    claim = "--epsilon 2 --neighbours replace-one --universe 0,1 --n 1 --jobs 1".split()
    command = [sys.executable, "-m", "finitedp", "audit", "code.py:of_numpy", *claim, *style]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert "The worst probability ratio is 3" in done.stdout


def test_a_source_of_another_kind_is_asked_for_in_one_line(here: Path) -> None:
    result = run("audit code.py:of_numpy --epsilon 2 --neighbours replace-one --universe 0,1 --n 1 --jobs 1 --style random")
    assert (result.exit_code, len(result.output.splitlines())) == (2, 1)
    assert "AttributeError: integers; its style says random.Random; numpy? --style numpy " in result.output


def test_init_says_when_the_signature_does_not_tell(here: Path) -> None:
    assert run("init code.py:unclear").exit_code == 0
    assert "its signature does not tell: choose" in (here / "audit.toml").read_text()


def test_init_without_a_function_is_read_as_it_is(here: Path) -> None:
    assert run("init --out first.toml").exit_code == 0
    result = run("audit first.toml")
    assert (result.exit_code, "mechanism.py: No such file" in result.output) == (2, True)
