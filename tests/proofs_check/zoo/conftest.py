"""The audits of the zoo, each run once."""

from collections.abc import Iterator, Mapping

import pytest

from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.zoo.visit import exhibits, run


class Found(Mapping[str, AuditResult]):
    """The results of exact audits by name, each run when it is first asked for."""

    def __init__(self) -> None:
        self.exhibits = exhibits()
        self.results: dict[str, AuditResult] = {}

    def __getitem__(self, name: str) -> AuditResult:
        if name not in self.results:
            self.results[name] = run(self.exhibits[name])
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.exhibits)

    def __len__(self) -> int:
        return len(self.exhibits)


@pytest.fixture(scope="session")
def found() -> Mapping[str, AuditResult]:
    return Found()
