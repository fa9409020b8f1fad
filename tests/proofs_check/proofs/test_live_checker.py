"""The live checker: it takes the proofs that ship, of code as it is installed, and refuses edits at a step."""

import copy
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from finitedp.cli.check import check
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.proofs import named, read
from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.alone import CHECKER, live, live_files
from finitedp.proofs_check.proofs.structure import OBJECTS
from tests.proofs_check.proofs.edited_copies import copied, source, with_edit
from tests.proofs_check.proofs.live_mutants import REASONS, TABLE, judged
from tests.sampling import sampled

FILES = sorted(OBJECTS.glob("*.json"))
EDITS = tomllib.loads(Path(__file__).with_name("live_edits.toml").read_text(encoding="utf-8"))
KNOWN: dict[str, Any] = {"rule": "known"}


def _hashed(document: dict[str, Any]) -> dict[str, Any]:
    body = {key: value for key, value in document.items() if key != "sha256"}
    return body | {"sha256": pc.digest(body)}


def _document(*nodes: dict[str, Any], claim: str = "x", **more: Any) -> dict[str, Any]:
    body = {"format": "finitedp proof", "version": 1, "title": "", "names": {}, "code": {}, "nodes": list(nodes)}
    body["proves"] = [{"claim": claim, "nodes": [nodes[-1]["name"]]}]
    return _hashed(body | more)


def _node(then: list[str], proof: dict[str, Any] | None = None, name: str = "a", **kinds: str) -> dict[str, Any]:
    return {"name": name, "for": kinds or {"x": "int"}, "where": [], "then": then, "proof": proof or KNOWN}


def test_all_objects_are_proofs_and_claims_name_code_that_runs() -> None:
    found = dict(zip((path.stem for path in FILES), live_files(FILES), strict=True))
    assert {name: one["refused"] for name, one in found.items() if "refused" in one} == {}
    for path in FILES:
        assert [one["claim"] for one in found[path.stem]["proved"]] == pc.check(read(path.stem))
    proved = [entry for entry in entries().values() if entry.proof]
    assert len(proved) >= 51
    for entry in proved:
        ran = [*found[entry.proof]["ran"], *found[entry.proof]["taken"]]
        lemma = not found[entry.proof]["ran"]  # whose code is the definition that it speaks of
        shipped = [name for name in entry.code if not (lemma and name.startswith("finitedp.spec."))]
        assert [name for name in shipped if not any(f"{one}.".startswith(f"{name}.") for one in ran)] == [], entry.id


@pytest.mark.parametrize("name", sampled(EDITS, 2))
def test_an_edit_is_refused_at_a_step(name: str) -> None:
    edit = EDITS[name]
    path, new = edit["path"], edit["new"]
    changed = with_edit(path, edit["old"], new) if edit["old"] else {path: f"{source(path)}\n{new}"}
    changed = {name: f"{text}\n{edit.get('more', '')}\n" for name, text in changed.items()}
    with copied(changed) as root:
        (found,) = live_files([OBJECTS / f"{edit['object']}.json"], root)
    assert re.search(edit["why"], found.get("refused", "accepted")), found.get("refused", "accepted")


def test_a_copy_without_edits_is_accepted() -> None:
    with copied({}) as root:
        found = live_files([OBJECTS / f"{name}.json" for name in ("geo_sample", "BasicHistogram")], root)
    assert all("refused" not in one for one in found)


def test_the_table_of_mutants_has_a_step_or_a_reason_for_each() -> None:
    rows = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(rows) >= 120
    assert [row for row in rows if "NOT REFUSED" in row] == []
    assert sum("equivalent: " in row for row in rows) <= len(REASONS)


@pytest.mark.deep
def test_mutants_are_refused_or_equivalent() -> None:
    found = list(judged(17))
    assert len(found) >= 20
    assert {f"{name}: {what}" for name, what, why in found if why is None} <= set(REASONS)


# What is printed


def _renamed(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["proves"][0].update(claim=name)


FORGED: dict[str, tuple[dict[str, Any], Callable[[dict[str, Any]], object]]] = {
    "a trailing space": (read("mixing"), _renamed("BV.Lem3.2.i.all ")),
    "a Cyrillic letter": (read("mixing"), _renamed("BV.Lеm3.2.i.all")),  # noqa: RUF001  # that is what is tried
    "a sentence": (_document(_node(["x <= x"])), _renamed("0 >= 1, for all parameters")),
    "another statement's id": (_document(_node(["x <= x"])), _renamed("BV.Lem3.2.i.all ")),
    "a comment": (_document(_node(["x <= x  # so that BV.Lem3.2.i.all"])), _renamed("BV.Lem3.2.i.all.")),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_printed_is_a_known_id_or_the_statement(forged: str, tmp_path: Path) -> None:
    document, change = copy.deepcopy(FORGED[forged])
    change(document)
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(_hashed(document)), encoding="utf-8")
    done = CliRunner().invoke(check, [str(path)])
    assert done.exit_code == 0
    assert "for all" in done.output
    assert document["proves"][0]["claim"] not in done.output.replace(", for all parameters", "")
    assert "BV.Lem" not in done.output
    assert " by the live checker and by the second one: proves for all" in done.output


def test_a_known_id_is_printed_with_its_statement_alone() -> None:
    assert named(read("mixing")) == ["BV.Lem3.2.i.all"]
    assert named(_document(_node(["x <= x"], x="int", y="rat"))) == ["for all int x, rat y: x <= x"]


# What is no proof


def _deep(depth: int) -> dict[str, Any]:
    proof: dict[str, Any] = KNOWN
    for _ in range(depth):
        proof = {"rule": "have", "claim": ["0 <= 1"], "by": KNOWN, "then": proof}
    return proof


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown name": (_document(_node(["y <= y"])), "means nothing here"),
    "an unknown module": (_document(_node(["f(x) <= f(x)"]), names={"f": "os.f"}), "is no module that is run"),
    "the checker's own": (
        _document(_node(["need(x) <= 0"]), names={"need": "finitedp.proofs_check.proofs.live_checker.numbers.need"}),
        "is no module that is run",
    ),
    "itself": (_document(_node(["x >= 1"], {"rule": "use", "node": "a", "with": {"x": "x"}, "then": KNOWN})), "proved before"),
    "a huge exponent": (_document(_node(["2**(10**9) >= 1"])), "too large"),
    "a huge number": (_document(_node([f"x <= {'9' * 2900}"])), "too long"),
    "a deep proof": (_document(_node(["x <= x"], _deep(150))), "too deep"),
    "another version": (_document(_node(["x <= x"]), version=2), "no proof of version 1"),
    "a hash of another": (_document(_node(["x <= x"])) | {"title": "other"}, "the hash is not that of the proof"),
    "a rule that is none": (_document(_node(["x <= x"], {"rule": "__init__"})), "is no rule"),
    "what is false": (_document(_node(["0 >= 1"])), "is not known"),
}


def test_what_is_no_proof_is_refused_in_one_line(tmp_path: Path) -> None:
    paths = []
    for i, (document, _) in enumerate(BAD.values()):
        paths.append(tmp_path / f"{i}.json")
        paths[-1].write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "twice.json").write_text('{"a": 1, "a": 1}', encoding="utf-8")
    *found, twice = live_files([*paths, tmp_path / "twice.json"])
    for one, (_, why) in zip(found, BAD.values(), strict=True):
        assert why in one["refused"]
        assert "\n" not in one["refused"]
    assert twice["refused"] == "a key is there twice"


def test_it_runs_alone_and_reads_nothing_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('read')", encoding="utf-8")
    parts = [str(Path(__import__(name).__file__ or "").parents[1]) for name in ("finitedp", "attr", "gmpy2", "numpy")]
    command = [sys.executable, "-I", "-S", str(CHECKER), *parts, "--", str(OBJECTS / "mixing.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, "")
    assert "mixing.json: proved: for all {'r': 'rat'" in done.stdout


def test_what_does_not_run_is_refused(tmp_path: Path) -> None:
    assert "the checker did not run" in live_files([OBJECTS / "mixing.json"], tmp_path)[0]["refused"]
    assert "is not known" in live(BAD["what is false"][0])["refused"]
