"""What a run of the plugin ends with: the sums, where certificates are, the step summary of GitHub, and SARIF.

PYTEST_DONT_REWRITE: there is no assertion here.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from finitedp_pytest.outcomes import Audit

__all__ = ["Summary", "shown"]


def shown(path: Path) -> Path:
    """A path for a reader: from the working folder, if it is in there."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


class Summary:
    """Gathers what the reports say of audits, also where they come from the workers of xdist, and tells it at the end."""

    def __init__(self, folder: str | None, sarif: Path | None, root: Path) -> None:
        self._folder = folder
        self._sarif = sarif
        self._root = root
        self._found: dict[str, list[Audit]] = {}
        self._known: set[str] = set()
        self._broken: set[str] = set()
        self._told: list[tuple[str, bool]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The last report of a test holds all its properties; of a test that is run again, those of the last time count."""
        if hasattr(report, "wasxfail"):
            self._known.add(report.nodeid)
        if report.when == "setup":
            self._broken.discard(report.nodeid)
        if report.when != "teardown" and (report.failed or hasattr(report, "wasxfail")):
            self._broken.add(report.nodeid)
        if report.when == "teardown":
            self._found.pop(report.nodeid, None)
            properties = [entry for entry in report.user_properties if str(entry[0]).startswith("dp_")]
            marked = "dp_claim" in report.keywords or "dp_sampled" in report.keywords
            if not properties and marked and report.nodeid in self._broken:
                properties = [("dp_refused", "the test failed, and nothing was audited")]
            if properties:
                from finitedp_pytest.outcomes import audits_in  # noqa: PLC0415  # the library is loaded when asked for

                known = report.nodeid in self._known
                self._found[report.nodeid] = list(audits_in(report.nodeid, report.location, known, properties))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the step summary of GitHub, and SARIF; a run whose SARIF cannot be written has failed.

        A run that broke off, or that found no test, has no SARIF: one without results would close the alerts that are open.
        """
        audits = self._audits()
        if self._sarif is None and not audits:
            return
        from finitedp_pytest.outcomes import write_step_summary  # noqa: PLC0415  # the library is loaded when asked for

        try:
            write_step_summary(audits)
        except OSError as error:
            self._told.append((f"finitedp: step summary: {error.filename}: {error.strerror}", True))
        if self._sarif is None:
            return
        try:
            self._write_sarif(self._sarif, session, audits)
        except OSError as error:
            self._told.append((f"finitedp: {self._sarif}: {error.strerror}", True))
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write_sarif(self, file: Path, session: pytest.Session, audits: "list[Audit]") -> None:
        """Raises: OSError."""
        from finitedp_pytest.outcomes import write_sarif  # noqa: PLC0415  # the library is loaded when asked for

        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if ended and not session.config.getoption("collectonly"):
            write_sarif(audits, file, self._root)
            self._told.append((f"finitedp: SARIF in {shown(file)}", False))
            return
        if file.is_file() and not file.is_symlink():
            file.unlink()
        self._told.append(("finitedp: no SARIF, since the tests were not run to their end", True))

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """One line, one for the certificates, and what became of the step summary and SARIF."""
        if audits := self._audits():
            from finitedp_pytest.outcomes import summary_line  # noqa: PLC0415  # the library is loaded when asked for

            terminalreporter.write_line(summary_line(audits))
            if self._folder is not None:
                terminalreporter.write_line(f"finitedp: certificates in {shown(Path(self._folder))}")
        for line, bad in self._told:
            terminalreporter.write_line(line, red=bad)

    def _audits(self) -> "list[Audit]":
        return [audit for found in self._found.values() for audit in found]
