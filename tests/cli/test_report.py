"""finitedp report, as a user calls it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from finitedp import PrivacyClaim
from finitedp.cli.face import Face
from finitedp.cli.report import report
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate, with_laws_apart
from tests.sampling import sampled

MAIN = Face("main", commands=[report])
FAILS = "1 privacy claim FAILS, by ~0.07043 in delta."
CALL = "import sys; from finitedp.cli.report import report; report(sys.argv[1:])"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(MAIN, ["report", *map(str, arguments)])


def document(epsilon: str = "1") -> dict[str, Any]:
    laws = {(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}}
    claim = PrivacyClaim(epsilon, "replace-one")
    return certificate(audit(laws, claim, n=1, universe=[0, 1], style="table", name="randomised response"))


@pytest.fixture
def cert(tmp_path: Path) -> Path:
    path = tmp_path / "rr.json"
    path.write_text(json.dumps(document()))
    return path


def test_markdown_on_standard_output(cert: Path) -> None:
    result = run(cert)
    assert result.exit_code == 0  # the claim fails, and the report says so
    assert result.output.startswith(f"# Privacy audit report\n\n1 certificate; {FAILS.replace('~', chr(92) + '~')}\n")
    assert run(cert, "--format", "markdown").output == result.output


@pytest.mark.parametrize(
    ("name", "start"),
    sampled(
        [
            ("r.html", "<!DOCTYPE html>"),
            ("r.HTM", "<!DOCTYPE html>"),
            ("r.md", "# Privacy audit report"),
            ("r.markdown", "# Privacy audit report"),
            ("r.json", '{\n  "format": "finitedp report"'),
        ],
        2,
        names=2,
    ),
)
def test_the_suffix_says_the_format(name: str, start: str, cert: Path, tmp_path: Path) -> None:
    out = tmp_path / name
    result = run(cert, "--out", out)
    assert (result.exit_code, result.output) == (0, f"{out}: 1 certificate; {FAILS}\n")
    assert out.read_text(encoding="utf-8").startswith(start)
    form = {"<": "html", "#": "markdown", "{": "json"}[start[0]]
    assert run(cert, "--out", tmp_path / "other", "--format", form).exit_code == 0
    assert (tmp_path / "other").read_bytes() == out.read_bytes()


@pytest.mark.deep
def test_a_rejected_certificate_makes_the_exit_code_1(cert: Path, tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.json", tmp_path / "r.html"
    bad.write_text(json.dumps({**document(), "name": "another name"}))
    result = run(cert, bad, "--out", out)
    assert (result.exit_code, result.output) == (1, f"{out}: 2 certificates; 1 REJECTED; {FAILS}\n")
    assert "REJECTED: its hash is not that of its content" in out.read_text()


def wrong_shape() -> dict[str, Any]:
    return {**document(), "claim": {"epsilon": 1, "delta": "0", "ratio": None}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cert.json: No such file or directory"),
        ("{", "cert.json is not JSON: "),
        ("[]", "cert.json is no certificate of an audit"),
        (json.dumps(wrong_shape()), "cert.json: claim.epsilon: 1 is not of type 'string'"),
        (json.dumps(with_laws_apart(document(), "apart.json", 1)[0]), "apart.json: the certificate's laws cannot be read"),
    ],
)
def test_bad_certificates_are_told_in_one_line(content: str | None, message: str, tmp_path: Path) -> None:
    path, out = tmp_path / "cert.json", tmp_path / "r.html"
    if content is not None:
        path.write_text(content)
    result = run(path, "--out", out)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "r.pdf"], "r.pdf ends in none of .html, .htm, .md, .markdown, .json"),
        (["--out", "r"], "r ends in none of"),
        (["--out", "missing/r.html"], "missing does not exist"),
        (["--out", "."], "is a folder"),
        (["--out", ""], "the name of the file is empty"),
        (["--format", "pdf"], "'pdf' is not one of 'html', 'markdown', 'json'"),
    ],
)
def test_bad_options_are_told_in_one_line(arguments: list[str], message: str, cert: Path) -> None:
    result = run(cert, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_no_certificates() -> None:
    assert run().exit_code == 2


def test_certificates_and_their_laws_are_not_overwritten(cert: Path, tmp_path: Path) -> None:
    before = cert.read_bytes()
    apart, laws = with_laws_apart(document(), "apart.json", 1)
    (tmp_path / "small.json").write_text(json.dumps(apart))
    (tmp_path / "apart.json").write_text(str(laws))
    link = tmp_path / "link.json"
    link.symlink_to(cert)
    for given, out in ((cert, cert), (cert, link), (tmp_path / "small.json", tmp_path / "apart.json")):
        result = run(given, "--out", out)
        assert result.exit_code == 2
        assert "is one of the certificates, or holds its laws" in result.stderr
    assert cert.read_bytes() == before
    assert (tmp_path / "apart.json").read_text() == laws


def test_a_file_whose_name_needs_quotes(tmp_path: Path) -> None:
    path = tmp_path / "my file's.json"
    path.write_text(json.dumps(document()))
    assert f"""finitedp check '{tmp_path}/my file'"'"'s.json'""" in run(path).output


@pytest.mark.deep
def test_another_process_writes_the_same_bytes(cert: Path, tmp_path: Path) -> None:
    """One whose hashes of strings differ, so that sets have another order."""
    here, there = tmp_path / "here.html", tmp_path / "there.html"
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    command = [sys.executable, "-c", CALL, str(cert), "--out", str(there)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed})
    assert run(cert, "--out", here).exit_code == 0
    assert here.read_bytes() == there.read_bytes()


def test_the_manual_s_example_is_what_the_command_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the versions and hashes, which are left out there."""
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text()
    example = page.split("```markdown\n")[1].split("\n```\n")[0]
    monkeypatch.chdir(tmp_path)
    Path("rr.json").write_text(json.dumps(document()))
    printed = run("rr.json").output
    parts = [part.strip("\n") for part in re.split(r"^\.\.\.$", example, flags=re.MULTILINE)]
    assert len(parts) >= 2
    assert [part for part in parts if part not in printed] == []
