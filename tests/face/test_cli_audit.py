"""finitedp audit, as an auditor calls it."""

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from finitedp.cli import main
from finitedp.proofs_check import checker
from finitedp.proofs_check.certificate import with_laws_apart

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


def test_a_sampler_without_a_bound_has_all_three_verdicts(tmp_path: Path) -> None:
    result = run("audit", EXAMPLES / "discrete_laplace.toml", "--certificates", tmp_path)
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
    assert document["as_claimed"] is False
    (certificate,) = document["certificates"]
    assert certificate["witness"] == {"left": 0, "right": 1, "event": ["'no'"], "in_left": "3/4", "in_right": "1/4"}
    assert checker.check(certificate) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing argument 'FILES...'"),
        (("none.toml",), "none.toml: No such file"),
        ((EXAMPLES / "laws.csv",), "is not TOML"),
        ((EXAMPLES / "laws.toml", EXAMPLES / "laws.toml"), "two audits have the name 'laws-from-another-program'"),
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
    monkeypatch.setattr("finitedp.cli_audit.with_laws_apart", partial(with_laws_apart, largest=100))
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
    assert run("check", tmp_path / "large.json").exit_code == 1
    run("audit", tmp_path / "large.toml", "--certificates", tmp_path)
    assert (tmp_path / "large.laws").read_bytes() == before
