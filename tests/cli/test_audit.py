"""finitedp audit, as an auditor calls it."""

import json
import sys
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli.main import main
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.certificate import with_laws_apart

EXAMPLES = Path(__file__).parents[2] / "docs" / "audits"

SKEWED = """
name = "skewed"
table = "laws.csv"
universe = ["no", "yes"]
n = 1
claim = { neighbours = "replace-one", epsilon = 1 }
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_an_audit_that_holds(tmp_path: Path) -> None:
    result = run("audit", EXAMPLES / "randomized_response.toml", "--certificates", tmp_path / "new" / "folder")
    assert result.exit_code == 0
    for words in ("HOLDS for all neighbouring inputs", "EQUALS the specified law", "TIGHT", "event S = {0}", "Strict time"):
        assert words in result.output
    assert result.output.splitlines()[-1] == "Audits: 1, 1 as claimed."
    kept = tmp_path / "new" / "folder" / "randomized-response.json"
    assert checker.main([str(kept)]) == 0


UNBOUNDED = """
def noisy_count(count, rng):
    while rng.getrandbits(1):
        count += 1
    while rng.getrandbits(1):
        count -= 1
    return min(max(count, 0), 2)
"""
ALL_THREE = """
mechanism = "unbounded.py:noisy_count"
style = "random"
n = 2
budget = { runs = 200 }
claim = { neighbours = "counts" }
instances = [
    { name = "b: true", claim = { epsilon = "7/10", delta = "1/100" } },
    { name = "a: delta of 0", claim = { epsilon = "7/10", delta = 0 } },
    { name = "c: false", claim = { epsilon = "1/2", delta = "1/100" } },
]
"""


@pytest.fixture(params=["small", pytest.param("of the manual", marks=pytest.mark.deep)])
def unbounded(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The description of a sampler that loops without a bound."""
    if request.param == "of the manual":
        return EXAMPLES / "discrete_laplace.toml"
    (tmp_path / "unbounded.py").write_text(UNBOUNDED)
    (tmp_path / "unbounded.toml").write_text(ALL_THREE)
    return tmp_path / "unbounded.toml"


@pytest.mark.deep
def test_a_sampler_without_a_bound_has_all_three_verdicts(unbounded: Path, tmp_path: Path) -> None:
    result = run("audit", unbounded, "--jobs", 1, "--certificates", tmp_path)
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == "Audits: 3, 1 as claimed, 1 undecided, 1 NOT as claimed."
    assert result.output.count("NOT STRICT TIME") == 3
    files = sorted(tmp_path.glob("*.json"))
    assert [json.loads(file.read_text())["verdicts"]["private"] for file in files] == ["undecided", "holds", "fails"]
    assert run("check", *files).exit_code == 0


def test_a_broken_claim_shows_its_witness(tmp_path: Path) -> None:
    assert run("audit", EXAMPLES / "laws.toml").exit_code == 0
    (tmp_path / "laws.csv").write_text((EXAMPLES / "laws.csv").read_text())
    (tmp_path / "skewed.toml").write_text(SKEWED)
    failing = run("audit", tmp_path / "skewed.toml", "--json")
    assert failing.exit_code == 1
    document = json.loads(failing.output)
    assert document["outcomes"] == {"NOT as claimed": 1}
    assert document["profiles"] == [[["1", "1/2"], ["3", "0"]]]
    (certificate,) = document["certificates"]
    assert certificate["witness"] == {"left": 0, "right": 1, "event": ["'no'"], "in_left": "3/4", "in_right": "1/4"}
    assert checker.check(certificate) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing argument 'TARGETS...'"),
        (("none.toml",), "none.toml: No such file"),
        ((EXAMPLES / "laws.csv",), "is not TOML"),
        ((EXAMPLES / "laws.toml", "--certificates", EXAMPLES / "laws.csv"), "is a file"),
    ],
    ids=str,
)
def test_wrong_input_is_named_in_one_line(words: tuple[object, ...], message: str) -> None:
    result = run("audit", *words)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


def test_large_laws_are_written_beside_the_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finitedp.cli.audits.audit.with_laws_apart", partial(with_laws_apart, largest=100))
    (tmp_path / "large.toml").write_text(
        'mechanism = "finitedp:GeoSample"\nparameters = {n = 5, epsilon = "1"}\nn = 5\n'
        'claim = {neighbours = "counts", epsilon = "1/2"}\n'
    )
    result = run("audit", tmp_path / "large.toml", "--certificates", tmp_path)
    assert result.exit_code == 0
    assert json.loads((tmp_path / "large.json").read_text())["laws"]["file"] == "large.laws"
    assert run("check", tmp_path / "large.json").output == f"{tmp_path / 'large.json'}: accepted\n"
    before = (tmp_path / "large.laws").read_bytes()
    (tmp_path / "large.laws").unlink()
    missing = run("check", tmp_path / "large.json")
    reason = "a file that it needs cannot be read: No such file or directory"
    assert (missing.exit_code, missing.output) == (1, f"{tmp_path / 'large.json'}: REJECTED: {reason}\n")
    run("audit", tmp_path / "large.toml", "--certificates", tmp_path)
    assert (tmp_path / "large.laws").read_bytes() == before


PROGRAM = """import random, sys
count, samples = int(sys.stdin.read()), int(sys.argv[1])
for _ in range(samples):
    print(count if random.random() < float(sys.argv[2]) else 1 - count)
"""


def closed(folder: Path, truth: str, extra: str = "") -> Path:
    """Randomised response on a count of 0 or 1, as a closed program."""
    (folder / "closed.py").write_text(PROGRAM)
    (folder / "closed.toml").write_text(
        f'command = ["{sys.executable}", "closed.py", "{{samples}}", "{truth}"]\nn = 1\n{extra}\n'
        'claim = {neighbours = "counts", epsilon = "11/10"}\n[black_box]\nsamples = 20_000\nconfidence = "999/1000"\n'
    )
    return folder / "closed.toml"


def test_a_closed_program_is_sampled_where_its_description_stands(tmp_path: Path) -> None:
    result = run("audit", closed(tmp_path, "0.7"))
    assert result.exit_code == 0
    assert "No violation found in" in result.output
    assert "verified" not in result.output.lower()
    assert result.output.splitlines()[-1] == "Audits: 1, 1 no violation found."


def test_a_broken_closed_program_is_found_out(tmp_path: Path) -> None:
    """The ratio is 9, and e^(11/10) about 3: 10,000 runs of each input miss that with a probability below 10^-100."""
    result = run("audit", closed(tmp_path, "0.9"), "--json")
    assert result.exit_code == 1
    document = json.loads(result.output)
    assert document["outcomes"] == {"NOT as claimed": 1}
    assert document["black_box"][0]["private"] == "violated"


def test_the_law_of_a_closed_program_is_compared_with_the_specified_one(tmp_path: Path) -> None:
    (tmp_path / "laws.csv").write_text("input,output,probability\n0,0,7/10\n0,1,3/10\n1,0,3/10\n1,1,7/10\n")
    differing = run("audit", closed(tmp_path, "0.5", 'specified = "laws.csv"'))
    assert differing.exit_code == 1
    assert "The law: " in differing.output


def test_an_accuracy_claim_of_a_closed_program_is_refused(tmp_path: Path) -> None:
    result = run("audit", closed(tmp_path, "0.5", 'accuracy = {a = 0, beta = "1/2"}'))
    assert result.exit_code == 2
    assert "accuracy of a command is not sampled" in result.output
