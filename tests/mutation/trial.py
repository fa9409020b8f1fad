"""Running tests on a copy of the tree: in a process forked from one that has imported other people's packages only."""

import contextlib
import filecmp
import gc
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from time import monotonic, process_time, sleep
from types import CodeType, FrameType
from typing import Any

from attrs import define, field

from tests.mutation.mutants import ROOT

MEMORY = 4 * 2**30
GIVEN_UP = "does not end"
NEW = "new"
"""In place of tests: those that the baseline does not know."""


def preload() -> None:
    """Import what no mutant touches."""
    import attrs, click, flint, gmpy2, hypothesis, joblib, jsonschema, numpy, pytest, rich  # noqa: E401, F401, I001


def copied(target: Path) -> Path:
    """A copy of the files that git knows, or would add. What a copy from before has of them is kept, bytecode included."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    names = {name for name in listed if name and ((ROOT / name).exists() or (ROOT / name).is_symlink())}
    for path in [path for path in target.rglob("*") if path.suffix != ".pyc" and (path.is_symlink() or path.is_file())]:
        if path.relative_to(target).as_posix() not in names:
            path.unlink()
    for name in names:
        source, place = ROOT / name, target / name
        if source.is_symlink() or not place.exists() or not filecmp.cmp(source, place, shallow=False):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            shutil.copy2(source, place, follow_symlinks=False)
    return target


class Chosen:
    """A plugin: only the chosen tests, in their order; which one failed first; what each took, in seconds of processor.

    A test that needs more than 2 seconds of processor and four times what it needs without a mutant ends the process,
    and so do all of them with more than 6 seconds and three times what they need.
    """

    def __init__(
        self, nodes: Sequence[str] | None, usual: Mapping[str, float] | None, tracer: Any = None
    ) -> None:  # coverage's
        self.nodes, self.usual = None if nodes is None else {node: i for i, node in enumerate(nodes)}, usual
        self.tracer = tracer
        self.failed: str | None = None
        self.failures: list[str] = []
        self.skipped: list[str] = []
        self.ran, self.began = 0, process_time()
        self.seconds: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [x for x in items if (self.usual or {}).get(x.nodeid) != inf]  # it fails without a mutant
        if NEW in (self.nodes or ()):
            items[:] = [x for x in items if x.nodeid not in (self.usual or {})]
        elif self.nodes is not None:
            nodes = self.nodes
            items[:] = sorted((x for x in items if x.nodeid in nodes), key=lambda x: nodes[x.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.ran += 1
        self.began = process_time()
        if self.usual is not None:
            signal.setitimer(signal.ITIMER_PROF, 2 + 4 * self.usual.get(nodeid, 2.0))
        if self.tracer is not None:
            self.tracer.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:  # pytest's
        self.seconds[report.nodeid] = process_time() - self.began
        if report.skipped:
            self.skipped.append(report.nodeid)
        if report.failed:
            self.failures.append(report.nodeid)
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: Any) -> None:  # pytest's
        if report.failed and self.failed is None:
            self.failed = f"{report.nodeid} (import)"


class Calls:
    """Which functions each test calls: for tests that are others, or skipped, where their lines are traced."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy.resolve()
        self._context = ""
        self._found: dict[CodeType, set[str]] = {}

    def switch_context(self, context: str) -> None:
        self._context = context

    def start(self) -> None:
        sys.setprofile(self)

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            self._found.setdefault(frame.f_code, set()).add(self._context)

    def lines(self) -> dict[str, dict[str, list[str]]]:
        """By file and line: the tests that called the function around it."""
        sys.setprofile(None)
        found: dict[str, dict[str, set[str]]] = {}
        for code, tests in self._found.items():
            file = Path(code.co_filename).resolve()
            if file.is_relative_to(self._copy) and file.relative_to(self._copy).parts[0] in MUTATED:
                by_line = found.setdefault(file.relative_to(self._copy).as_posix(), {})
                for line in {str(line) for _, _, line in code.co_lines() if line}:
                    by_line.setdefault(line, set()).update(tests - {""})
        return {file: {line: sorted(tests) for line, tests in by_line.items()} for file, by_line in found.items()}


class Lines:
    """Which lines each test runs, by coverage."""

    def __init__(self, copy: Path) -> None:
        import coverage

        self._copy = copy.resolve()
        self._tracer = coverage.Coverage(data_file=None, source=[str(copy / x) for x in MUTATED], config_file=False)
        self.switch_context, self.start = self._tracer.switch_context, self._tracer.start

    def lines(self) -> dict[str, dict[str, list[str]]]:
        """By file and line: the tests that ran it."""
        self._tracer.stop()
        data, found = self._tracer.get_data(), {}
        for file in data.measured_files():
            name = Path(file).resolve().relative_to(self._copy).as_posix()
            found[name] = {str(k): [x for x in v if x] for k, v in data.contexts_by_lineno(file).items()}
        return found


TRACERS: dict[str, Callable[[Path], Lines | Calls]] = {"lines": Lines, "calls": Calls}
MUTATED = ("spec", "impl", "proofs_check")


def inside(
    copy: Path,
    report: Path,
    files: Sequence[str],
    nodes: Sequence[str] | None,
    usual: Mapping[str, float] | None,
    cover: str | None,
    compiled: bool,
) -> None:
    """What the forked process does: the tests, in the copy, and a report; it never returns."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if usual is not None:
            seconds = 60 if nodes is None or NEW in nodes else 6 + 3 * int(sum(usual.get(node, 1.0) for node in nodes))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.setpgid(0, 0)
        os.chdir(copy)
        sys.path[:] = [str(copy / "src"), str(copy), *(x for x in sys.path if not x.startswith(str(ROOT)) or ".venv" in x)]
        gc.set_threshold(50_000, 20, 20)
        os.environ |= {
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # they take time, and no test of these needs them
            "PYTHONPATH": str(copy / "src"),
            "HYPOTHESIS_PROFILE": "mutation",
            "CI": "true",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "finitedp")]:
            del sys.modules[name]
        log = os.open(report.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.dont_write_bytecode = not compiled
        result = _pytest(copy, files, nodes, usual, cover)
        report.write_text(json.dumps(result))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _pytest(
    copy: Path, files: Sequence[str], nodes: Sequence[str] | None, usual: Mapping[str, float] | None, cover: str | None
) -> dict[str, Any]:
    import pytest

    tracer = TRACERS[cover](copy) if cover else None
    if tracer is not None:
        tracer.start()
    plugin = Chosen(nodes, usual, tracer)
    options = [
        "-q",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--rootdir",
        str(copy),
        "-c",
        str(copy / "pyproject.toml"),
        "-o",
        "addopts=--strict-markers --strict-config --import-mode=importlib -m 'not deep and not full'",  # none of a plugin's
    ]
    status = pytest.main([*options, *([] if cover else ["-x"]), *files], plugins=[plugin])
    import finitedp

    assert Path(finitedp.__file__).is_relative_to(copy), finitedp.__file__  # else another tree was tested
    return {
        "status": int(status),
        "failed": plugin.failed,
        "failures": plugin.failures,
        "skipped": plugin.skipped,
        "ran": plugin.ran,
        "seconds": plugin.seconds,
        "lines": tracer.lines() if tracer else {},
    }


@define
class Running:
    """Tests that run in a process of their own."""

    pid: int
    report: Path
    until: float
    result: dict[str, Any] | None = field(default=None)

    def done(self) -> bool:
        """Whether they ended, by themselves or because their time is over."""
        pid, _ = os.waitpid(self.pid, os.WNOHANG)
        late = monotonic() > self.until
        if pid == 0 and not late:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if pid == 0:
            os.waitpid(self.pid, 0)
        dead = {"status": 1, "failed": GIVEN_UP, "ran": 0, "seconds": {}}
        self.result = json.loads(self.report.read_text()) if self.report.exists() else dead
        return True


def started(
    copy: Path,
    files: Sequence[str],
    nodes: Sequence[str] | None = None,
    usual: Mapping[str, float] | None = None,
    *,
    cover: str | None = None,
    compiled: bool = False,
    most: float = 7200,
) -> Running:
    """Start tests in a copy.

    Parameters: usual, the seconds of each test without a mutant; cover, "lines" or "calls", what is to be known of each test;
    most, seconds after which all of them end.
    """
    report = copy.parent / f"{copy.name}.json"
    report.unlink(missing_ok=True)
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        inside(copy, report, files, nodes, usual, cover, compiled or cover is not None)
    return Running(pid, report, monotonic() + most)


def waited(running: Running) -> dict[str, Any]:
    """The result, when it is there."""
    while not running.done():
        sleep(0.02)
    return dict(running.result or {})
