"""The ports of docs/ports: all cases of their types are right, and cases that name the bug notice each of their mutants."""

from pathlib import Path

import pytest

from finitedp.proofs_check.vectors.kinds import cases_of
from finitedp.proofs_check.vectors.making import shipped
from finitedp.proofs_check.vectors.running import DIED, run
from tests.proofs_check.vectors.mutants import (
    COMPILERS,
    PAGE,
    PORTS,
    TIMEOUT,
    Mutant,
    cases,
    command,
    failures,
    missing,
    mutants,
    with_table,
)

PORT = pytest.mark.parametrize("port", COMPILERS)


def test_all_ports_are_tested() -> None:
    assert {file.name for file in PORTS.iterdir() if file.suffix in (".c", ".mjs", ".rs")} == set(COMPILERS)


@PORT
def test_a_port_is_right_on_all_cases_of_its_types(port: str, tmp_path: Path) -> None:
    if missing(port):
        pytest.skip(missing(port))
    asked = cases()
    program = command(port, (PORTS / port).read_text(), tmp_path)
    wrong = [(outcome.case.name, outcome.why) for outcome in failures(program, asked)]
    assert len(asked) > 3500
    assert wrong == []


@PORT
def test_a_port_ends_where_it_is_asked_what_it_does_not_do(port: str, tmp_path: Path) -> None:
    if missing(port):
        pytest.skip(missing(port))
    asked = next(cases_of(shipped()["Build"]))
    (outcome,) = run(command(port, (PORTS / port).read_text(), tmp_path), [asked], TIMEOUT)
    assert outcome.verdict == DIED


def test_the_manual_s_table_is_that_of_the_mutants() -> None:
    assert with_table(PAGE.read_text()) == PAGE.read_text()


def test_mutants_are_edits_that_name_a_flag_or_a_reason() -> None:
    listed = mutants()
    assert len({(m.port, m.source()) for m in listed}) == len(listed) >= 60
    assert {m.port for m in listed} == set(COMPILERS)
    for mutant in listed:
        assert bool(mutant.flag) != bool(mutant.equivalent), mutant
        assert not mutant.flag or cases(mutant.flag), mutant


@pytest.mark.deep
@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: f"{mutant.port}: {mutant.bug}")
def test_a_mutant_is_noticed_by_the_cases_that_name_its_bug(mutant: Mutant, tmp_path: Path) -> None:
    if missing(mutant.port):
        pytest.skip(missing(mutant.port))
    noticed = any(failures(command(mutant.port, mutant.source(), tmp_path), cases(mutant.flag)))
    assert noticed == bool(mutant.flag)
