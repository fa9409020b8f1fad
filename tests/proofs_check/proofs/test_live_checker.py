"""The live checker: it takes the proofs that ship, of code as it is installed, and refuses edits at a step."""

import ast
import copy
import io
import json
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from finitedp.cli.check import check
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.proofs import named, read, trusted
from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.alone import CHECKER, live, live_files
from finitedp.proofs_check.proofs.live_checker import labels
from finitedp.proofs_check.proofs.live_checker import live as live_code
from finitedp.proofs_check.proofs.structure import OBJECTS
from tests.proofs_check.proofs.edited_copies import copied, source, with_edit
from tests.proofs_check.proofs.live_mutants import REASONS, TABLE, judged
from tests.sampling import sampled

FILES = sorted(OBJECTS.glob("*.json"))
DOCS = Path(__file__).resolve().parents[3] / "docs"
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


ASKS: list[Callable[[Any], Any]] = [bool, hash, str, repr, format, {}.get, lambda one: one == 1]
UNKNOWN = (live_code.Unknown(None), live_code.Kept(None), labels.COLUMN, labels.Array([]), labels.ON)
STANDING = (labels.FIRST, labels.LABELS, live_code.Summary(min))


@pytest.mark.parametrize("at", range(len(UNKNOWN)))
@pytest.mark.parametrize("asks", ASKS)
def test_what_is_unknown_tells_nothing(at: int, asks: Callable[[Any], Any]) -> None:
    with pytest.raises(live_code.Refused, match=r"unknown|not known"):
        asks(UNKNOWN[at])


@pytest.mark.parametrize("at", range(len(STANDING)))
def test_labels_and_what_stands_for_another_have_no_text_and_are_compared_by_the_checker_alone(at: int) -> None:
    one, other = STANDING[at], STANDING[at - 1]
    assert one != other
    live_code.WATCHED[0] = True
    try:
        for asks in (repr, str, other.__eq__):
            with pytest.raises(live_code.Refused, match=r"asks for the text|compared"):
                asks(one)
    finally:
        live_code.WATCHED[0] = False


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


def _sum(letter: str, many: int) -> str:
    return "(" + " + ".join(f"{letter}{i}" for i in range(many)) + ")"


def _long() -> dict[str, Any]:
    """Cubes of sums, many times: each is there to be multiplied out."""
    kinds: dict[str, Any] = {f"a{i}": "int" for i in range(17)}
    nodes = [_node([f"{_sum('a', 17)}**3 >= 0"] * 40, name=str(i), **kinds) for i in range(300)]
    return _document(*({**node, "where": [f"{name} >= 0" for name in kinds]} for node in nodes))


MANY: dict[str, Any] = {f"{c}{i}": "int" for c in "ab" for i in range(50)}
BAD |= {
    "a tower of powers": (_document(_node(["2**(2**(2**40)) >= 1"])), "too large"),
    "a long product": (_document(_node(["*".join(["(x + 1)"] * 200) + " >= 0"])), "is not known"),
    "many terms": (_document(_node([f"{_sum('a', 50)}*{_sum('b', 50)}*{_sum('a', 50)} >= 0"], **MANY)), "too large"),
    "deep brackets": (_document(_node(["(" * 900 + "x" + ")" * 900 + " <= x"])), "is no expression"),
    "deep signs": (_document(_node(["-" * 2900 + "x <= x"])), "RecursionError"),
    "a call of itself": (_document(_node(["(lambda y: y(y))(lambda y: y(y)) == x"])), "nested too deeply"),
    "what takes too long": (_long(), "too many steps"),
}
KERNELS, GEO = "finitedp.impl.arithmetic.kernels", "finitedp.impl.counting.geometric.GeoSample"
NAMED = {"sign": "finitedp.exact.sign", "clamped_cdf": f"{KERNELS}.clamped_cdf", "_ceil": "finitedp.exact._ceil"}
NAMED |= {"is_integer": "finitedp.exact.is_integer", "is_narrow": "finitedp.cli.prose.is_narrow", "GeoSample": GEO}


def _of_code(then: str, *where: Any, kind: str = "int", to: str = "", combine: str = "") -> dict[str, Any]:
    """A node that says something of code; with `to`, it is used for this value of x, to prove 0 >= 1."""
    nodes = [{**_node([then], x=kind), "where": list(where)}]
    if to:
        last = {"rule": "combine", "with": [["1", combine]]} if combine else KNOWN
        nodes.append(_node(["0 >= 1"], {"rule": "use", "node": "a", "with": {"x": to}, "then": last}, name="b"))
    return _document(*nodes, names=NAMED)


INVERSE = "clamped_cdf(lambda m: 0, Some(numerator=1, denominator=x), 2, 0, 0)"
BAD |= {
    "1/q of a q below 0": (_of_code("sign(Some(numerator=1, denominator=x + 1)) == 1", to="0 - 3"), "not manifestly positive"),
    "1/q of 0": (_of_code(f"{INVERSE} == 1/x", "x == 0"), "not manifestly positive"),
    "1/q that is 5/7": (_of_code(f"{INVERSE} == 1/7".replace("numerator=1", "numerator=5")), "numerator is not known to be 1"),
    "1/q that is -1/q": (_of_code("sign(Some(numerator=-1, denominator=x)) == 1", "x >= 1"), "numerator is not known to be 1"),
    "1/q that is 8": (_of_code("_ceil(Some(numerator=8, denominator=1)) == 1"), "numerator is not known to be 1"),
    "a type that is not known": (_of_code("is_integer(x) == 0", kind="rat", to="5"), "is an integer is not known"),
    "a type that is known by value": (_of_code("is_integer(x) == 0", "x == 3", kind="rat"), "is an integer is not known"),
    "an error by a type that is not known": (_of_code("Raises(GeoSample(x, 1/2))", kind="rat"), "is an integer is not known"),
    "comparisons of a constant": (
        _of_code("Comparisons(sign(x)) == 2", "x >= 1", to="1", combine="0 - 2 >= 0"),
        "'0 - 2 >= 0' is not known here",
    ),
    "comparisons of a sum": (_of_code("Comparisons(Sum(i, 1, 1000, sign(x))) == 2", "x >= 1"), "terms are not counted"),
    "a sum in comparisons in a sum": (
        _of_code("Sum(i, 0, 5, Comparisons(sign(Sum(j, 0, 3, j - i)))) == 0"),
        "terms are not counted",
    ),
    "a function as bit_length": (
        _of_code("0 >= 1", {"let": ["S", "Some(bit_length=is_narrow)"]}, "S.bit_length()"),
        "is no number",
    ),
    "bit_length as a function": (_of_code("x >= 0", "x >= 0", {"let": ["h", "x.bit_length"]}), "what has no fields"),
}
SECONDS, BYTES = 2, 200 << 20  # of processor and of data, beside what the library itself takes where it is imported


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_proof_is_refused_with_little(name: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(BAD[name][0]), encoding="utf-8")
    code = f"""
import resource, sys, time
from pathlib import Path
sys.path[:0] = {[str(Path(__import__(n).__file__ or "").parents[1]) for n in ("finitedp", "attr", "gmpy2", "numpy")]}
from finitedp.proofs_check.proofs.live_checker import language
language.imported()
used = resource.getrusage(resource.RUSAGE_SELF)
before, held = used.ru_utime + used.ru_stime, used.ru_maxrss
resource.setrlimit(resource.RLIMIT_CPU, (int(before) + 1 + {SECONDS},) * 2)
try:
    language.check(language.read(Path(sys.argv[1])))
except language.Refused as error:
    print(str(error))
assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) << 10 <= {BYTES}
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert BAD[name][1] in done.stdout
    assert done.stdout.count("\n") == 1


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


HOSTILE = """
import sys
from pathlib import Path

Path({mark!r}).write_text("it ran")
import finitedp.impl.counting.geometric as geometric
geometric.GeoSample.cdf = lambda self, count, z: 0
"""


def test_nothing_runs_that_python_would_import_by_itself(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for name in ("sitecustomize.py", "usercustomize.py", "evil.py", "finitedp_evil/__init__.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(HOSTILE.format(mark=str(mark)), encoding="utf-8")
    (tmp_path / "evil.pth").write_text("import evil\n", encoding="utf-8")
    parts = [str(Path(__import__(name).__file__ or "").parents[1]) for name in ("finitedp", "attr", "gmpy2", "numpy")]
    command = [sys.executable, "-I", "-S", str(CHECKER), *parts, str(tmp_path), "--", str(OBJECTS / "geo_sample.json")]
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "evil.py"), "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not mark.exists()


@pytest.mark.parametrize("package", ["impl", "impl/counting", "data", "budgets", "labels.py", "errors.py"])
def test_what_patches_finitedp_where_it_is_imported_is_refused(package: str, tmp_path: Path) -> None:
    path = package if package.endswith(".py") else f"{package}/__init__.py"
    attack = f"""{source(path)}
import sys as _sys

class _Patch:
    def find_spec(self, name, path=None, target=None):
        if name == "finitedp.data.drawing" and "finitedp.impl.counting.geometric" in _sys.modules:
            _sys.modules["finitedp.impl.counting.geometric"].GeoSample.cdf = lambda self, count, z: 0
        return None

_sys.meta_path.insert(0, _Patch())
"""
    with copied({path: attack}) as root:
        (found,) = live_files([OBJECTS / "geo_sample.json"], root)
    assert re.search("is not installed|is not known|which may mean|comparison", found["refused"])


def test_what_is_taken_at_its_word_is_listed() -> None:
    told = dict(zip((path.stem for path in FILES), live_files(FILES), strict=True))
    assert {"finitedp.impl.arithmetic.kernels.least_reaching", "finitedp.exact.is_integer"} <= set(told["geo_sample"]["taken"])
    assert "finitedp.impl.counting.dyadic_bulk.release_array" in told["BasicHistogram_on_arrays"]["taken"]
    assert "finitedp.impl.counting.dyadic_bulk._strict" in told["BasicHistogram_on_arrays"]["taken"]  # which it names
    assert told["mixing"]["taken"] == []
    for one in told.values():
        assert not {*one["taken"]} & {*one["ran"]}
    assert set(told["BasicHistogram_on_arrays"]["taken"]) <= trusted("BasicHistogram_on_arrays")


def _lines(path: Path) -> tuple[int, int]:
    """How many lines a module has, and how many of them are code."""
    text, kept = path.read_text(encoding="utf-8"), set[int]()
    empty = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in empty:
            kept |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            kept -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return text.count("\n"), len(kept)


def _below() -> int:
    """How many functions and classes the live checker's table reads, with those in it."""
    code = "from finitedp.proofs_check.proofs.live_checker import language, live; language.imported()\n"
    code += "for name in live.TAKEN: live.taken(name)\nprint(len(set().union(*live.BELOW.values())))"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def test_both_pages_count_what_is_there() -> None:
    signing, proofs = ((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("signing", "proofs"))
    sizes = {name: _lines(CHECKER.with_name(f"{name}.py")) for name in "numbers kernel live language labels fronts".split()}
    for name, (lines, code) in sizes.items():
        assert re.search(rf"\| `{name}\.py`[^|]*\| {lines} \| {code} \|", signing), (name, lines, code)
    whole, parts = ([sum(of[i] for of in some) for i in (0, 1)] for some in (sizes.values(), list(sizes.values())[:4]))
    assert f"The live one has {whole[0]:,} lines, {whole[1]:,} of them code; " in proofs
    assert f"histograms and fronts apart, {parts[0]:,} and {parts[1]:,}." in proofs
    lines, code = _lines(Path(pc.__file__))
    assert re.search(rf"It has {lines:,} lines,\s+{code:,} of them code", proofs), (lines, code)
    assert f"`live_edits.toml` beside the table has the {len(EDITS)} edits" in signing
    assert f"a document beside the {len(BAD)} in `BAD`" in signing
    below = _below()
    assert re.search(rf"`TAKEN` in `live\.py`\*\*: {len(live_code.TAKEN)} functions and classes .* {below} in all", signing)
    assert re.search(rf"`TAKEN` of `live\.py` has {len(live_code.TAKEN)} functions and classes, .* {below} in all", proofs)
    library = pc.Library(Path(pc.__file__).resolve().parents[2])
    read = sum(pc.plain(library.named(name), whole=True).count("\n") + 1 for name in pc.TAKEN)
    assert (
        f"of the second checker lists {len(pc.TAKEN)} functions and classes that it does not execute, {read} lines" in proofs
    )


def test_what_does_not_run_is_refused(tmp_path: Path) -> None:
    assert "the checker did not run" in live_files([OBJECTS / "mixing.json"], tmp_path)[0]["refused"]
    assert "is not known" in live(BAD["what is false"][0])["refused"]
